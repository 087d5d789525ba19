/*
 * Files that a shell command changes by their names: `sed -i`, `perl -i`, `> file`, tee, cp,
 * mv, rm, and git's add, checkout --, restore, mv, rm; and those that it reads: cat, head, sed,
 * grep and kin. Read without a shell's grammar: quotes,
 * here-documents, `for x in ...` and NAME=value are known, nothing else is expanded.
 */
#include "work/extract_impl.h"
#include "work/prose.h"

#define WORDS_MAX 64 /* of one simple command */
#define VARS_MAX  8

struct var {
	str name, value;
};

struct shell {
	struct extract *x;
	str rest, dir;       /* dir: of the last `cd` */
	str here;            /* ends the here-document that begins on the next line */
	str word[WORDS_MAX]; /* of the command at hand, without their quotes */
	size_t n;
	struct var var[VARS_MAX];
	size_t nvar;
	bool astray;   /* after `cd` to a place that is not known as a whole path */
	bool silenced; /* 2>/dev/null: what it did not find is not told */
};

enum token { TOKEN_END, TOKEN_BREAK, TOKEN_WORD, TOKEN_TO, TOKEN_APPEND, TOKEN_FROM };

static str unquoted(str w)
{
	if (w.n >= 2 && (w.p[0] == '"' || w.p[0] == '\'') && w.p[w.n - 1] == w.p[0])
		return str_head(str_from(w, 1), w.n - 2);
	return w;
}

/* The word after `<<`, without its quotes. */
static str here_word(str s)
{
	size_t n = 0;

	while (s.n && strchr("-'\"\\ ", s.p[0]))
		s = str_from(s, 1);
	while (n < s.n && (str_is_alnum(s.p[n]) || s.p[n] == '_'))
		n++;
	return str_head(s, n);
}

/* s after the line that is the word; all of it when there is none. */
static str after_here(str s, str word)
{
	str line;

	while (str_line(&s, &line)) {
		if (str_eq(str_trim(line), word))
			break;
	}
	return s;
}

/* Past a quoted string that begins s; "$(cat <<EOF ...)" may hold quotes of its own. */
static size_t quoted_bytes(str s)
{
	static const str CAT = {"\"$(cat <<", 9};
	size_t i = 1;

	if (str_starts(s, CAT)) {
		str word = here_word(str_from(s, CAT.n));

		i = s.n - after_here(s, word).n;
	}
	for (; i < s.n && s.p[i] != s.p[0]; i++) {
		if (s.p[i] == '\\' && s.p[0] == '"')
			i++;
	}
	return i < s.n ? i + 1 : s.n;
}

static size_t word_bytes(str s)
{
	size_t i = 0;

	while (i < s.n && !strchr(" \t\r\n;|&<>()", s.p[i])) {
		if (s.p[i] == '"' || s.p[i] == '\'')
			i += quoted_bytes(str_from(s, i));
		else
			i += s.p[i] == '\\' ? 2 : 1;
	}
	return i < s.n ? i : s.n;
}

static enum token redirected(struct shell *sh)
{
	bool append = false;

	sh->rest = str_from(sh->rest, 1);
	if (str_starts(sh->rest, STR(">"))) {
		append = true;
		sh->rest = str_from(sh->rest, 1);
	}
	if (str_starts(sh->rest, STR("|")))
		sh->rest = str_from(sh->rest, 1);
	if (str_starts(sh->rest, STR("&"))) {
		sh->rest = str_from(sh->rest, 1);
		return TOKEN_FROM; /* >&2: what follows is no file */
	}
	return append ? TOKEN_APPEND : TOKEN_TO;
}

static enum token from(struct shell *sh)
{
	if (str_starts(sh->rest, STR("<<")) && !str_starts(sh->rest, STR("<<<")))
		sh->here = here_word(str_from(sh->rest, 2));
	while (sh->rest.n && strchr("<-", sh->rest.p[0]))
		sh->rest = str_from(sh->rest, 1);
	return TOKEN_FROM;
}

static enum token next_token(struct shell *sh, str *word)
{
	str *r = &sh->rest;
	size_t n;

	while (r->n && (strchr(" \t\r", r->p[0]) || str_starts(*r, STR("\\\n"))))
		*r = str_from(*r, r->p[0] == '\\' ? 2 : 1);
	if (r->n && r->p[0] == '#')
		*r = str_from(*r,
			      str_chr(*r, '\n') == STR_NPOS ? r->n : str_chr(*r, '\n'));
	if (r->n == 0)
		return TOKEN_END;
	if (r->n > 1 && r->p[1] == '>' && (str_is_digit(r->p[0]) || r->p[0] == '&'))
		*r = str_from(*r, 1);
	if (r->p[0] == '>')
		return redirected(sh);
	if (r->p[0] == '<')
		return from(sh);
	if (strchr("\n;|&()", r->p[0])) {
		bool line = r->p[0] == '\n';

		*r = str_from(*r, 1);
		if (line && sh->here.n) {
			*r = after_here(*r, sh->here);
			sh->here = STR_NONE;
		}
		return TOKEN_BREAK;
	}
	n = word_bytes(*r);
	*word = unquoted(str_head(*r, n));
	*r = str_from(*r, n);
	return TOKEN_WORD;
}

/* Bytes that a plain name of a file is made of, with a letter among them. */
static bool is_name(str s)
{
	bool letter = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\0')
			return false;
		if (!str_is_alnum(s.p[i]) && (unsigned char)s.p[i] < 0x80 &&
		    !strchr("._/~+@-:\\[] ", s.p[i]))
			return false;
		letter |= str_is_alpha(s.p[i]);
	}
	return letter && s.p[0] != '-' && s.n <= PATH_BYTES &&
	       !str_starts(s, STR("/dev/")) && !str_ends(s, STR("/"));
}

static bool is_rooted(str s)
{
	return s.p[0] == '/' || s.p[0] == '~' || (s.n > 1 && s.p[1] == ':');
}

/* The path from where the command ran, in scratch memory; empty where it is no plain name. */
static str whole_path(struct shell *sh, str path)
{
	struct extract *x = sh->x;
	str dir = sh->dir.n ? sh->dir : x->f.last_dir;

	while (str_starts(path, STR("./")))
		path = str_from(path, 2);
	if (path.n == 0 || !is_name(path))
		return STR_NONE;
	if (is_rooted(path) || !dir.n)
		return path;
	buf_reset(&x->text);
	buf_add(&x->text, dir);
	if (!str_ends(dir, STR("/")))
		buf_byte(&x->text, '/');
	buf_add(&x->text, path);
	return extract_scratch(x, buf_str(&x->text));
}

static void note_file(struct shell *sh, str path, str how)
{
	struct extract *x = sh->x;
	struct fact_shelled *f = NULL;

	path = whole_path(sh, path);
	if (!path.n)
		return;
	for (size_t i = 0; i < x->f.nshelled && !f; i++) {
		if (extract_same_file(x->f.shelled[i].path, path))
			f = &x->f.shelled[i];
	}
	if (f && str_eq(how, STR("git add")))
		return; /* how it was changed tells more */
	if (!f) {
		f = extract_push_newest(x, &extract_table[T_SHELLED]);
		f->path = extract_keep(x, path, PATH_BYTES);
	}
	f->record = x->f.records;
	f->at = x->now;
	f->how = extract_keep(x, how, ID_BYTES);
}

/* A file's name, or the names that a variable of this command holds. */
static void note_word(struct shell *sh, str w, str how)
{
	str name = w, value = STR_NONE, part;

	if (!str_starts(w, STR("$"))) {
		note_file(sh, w, how);
		return;
	}
	name = str_from(w, str_starts(w, STR("${")) ? 2 : 1);
	if (str_ends(name, STR("}")))
		name.n--;
	for (size_t i = 0; i < sh->nvar; i++) {
		if (str_eq(sh->var[i].name, name))
			value = sh->var[i].value;
	}
	while (str_word(&value, &part)) {
		if (part.p[0] == '"' || part.p[0] == '\'')
			part = str_from(part, 1);
		if (part.n && (part.p[part.n - 1] == '"' || part.p[part.n - 1] == '\''))
			part.n--;
		note_file(sh, part, how);
	}
}

static void set_var(struct shell *sh, str name, str value)
{
	str to = value;

	if (str_starts(value, STR("$")) && str_chr(value, ' ') == STR_NPOS) {
		to = STR_NONE;
		for (size_t i = 0; i < sh->nvar; i++) {
			if (str_eq(sh->var[i].name, str_from(value, 1)))
				to = sh->var[i].value;
		}
	}
	if (sh->nvar < VARS_MAX)
		sh->var[sh->nvar++] = (struct var){name, to};
}

static bool has_letter(str option, char c)
{
	return option.n > 1 && option.p[0] == '-' && option.p[1] != '-' &&
	       str_chr(option, c) != STR_NPOS;
}

/* The files after the options and the script of `sed -i` or `perl -i`. */
static void in_place(struct shell *sh, size_t at, bool perl)
{
	bool place = false, script = perl;
	size_t first = at;

	for (size_t i = at; i < sh->n; i++) {
		str w = sh->word[i];

		if (perl && (str_starts(w, STR("-M")) || str_starts(w, STR("-I"))))
			continue;
		place |= has_letter(w, 'i') || str_starts(w, STR("--in-place"));
		script |= has_letter(w, 'e') || has_letter(w, 'f');
	}
	for (size_t i = first; place && i < sh->n; i++) {
		str w = sh->word[i];

		if (w.n && w.p[0] == '-') {
			if (str_ends(w, STR("e")) || (!perl && str_ends(w, STR("f"))))
				i++;
		} else if (w.n && !script) {
			script = true;
		} else if (w.n) {
			note_word(sh, w, perl ? STR("perl -i") : STR("sed -i"));
		}
	}
}

static void all_words(struct shell *sh, size_t at, str how)
{
	for (size_t i = at; i < sh->n; i++) {
		if (!str_starts(sh->word[i], STR("-")))
			note_word(sh, sh->word[i], how);
	}
}

/* The files of `touch`, without what its options take. */
static void touched(struct shell *sh, size_t at)
{
	for (size_t i = at; i < sh->n; i++) {
		str w = sh->word[i];

		if (str_eq(w, STR("-t")) || str_eq(w, STR("-d")) || str_eq(w, STR("-r")))
			i++;
		else if (!str_starts(w, STR("-")))
			note_word(sh, w, STR("touch"));
	}
}

/* Files that are known by a name without an ending. */
static bool is_known_name(str w)
{
	static const str names[] = {
		STR("Makefile"),   STR("makefile"),    STR("Dockerfile"),
		STR("README"),     STR("LICENSE"),     STR("NOTICE"),
		STR("CHANGELOG"),  STR("VERSION"),     STR("Gemfile"),
		STR("Rakefile"),   STR("Procfile"),    STR("Justfile"),
		STR("justfile"),   STR("BUILD"),       STR("AUTHORS"),
		STR("CODEOWNERS"), STR("Jenkinsfile"), STR("Vagrantfile")};

	return extract_in_list(w, names, COUNT(names));
}

/*
 * Programs that print what stands in the files they are given. script: the first word is no file but
 * what to do or to look for, unless -e or -f gives it.
 */
static const struct {
	str name;
	bool script;
} READERS[] = {
	{STR("cat"), false},  {STR("head"), false},    {STR("tail"), false},
	{STR("less"), false}, {STR("more"), false},    {STR("bat"), false},
	{STR("nl"), false},   {STR("tac"), false},     {STR("xxd"), false},
	{STR("od"), false},   {STR("strings"), false}, {STR("Get-Content"), false},
	{STR("sed"), true},   {STR("awk"), true},      {STR("grep"), true},
	{STR("egrep"), true}, {STR("rg"), true},       {STR("jq"), true},
	{STR("yq"), true},
};

/* A file and no folder: it has an ending, or is known by its name. */
static bool is_file_name(str w)
{
	str base = str_basename(w);
	size_t dot = str_rchr(base, '.');

	return (dot != STR_NPOS && dot > 0 && dot + 1 < base.n) || is_known_name(base);
}

/* The files that a reading program was given by name. What it could not find may have been silenced. */
static void read_files(struct shell *sh, size_t at, bool script)
{
	const char *takes =
		script ? "efmABCFv" : "nc"; /* options with a word of their own */

	for (size_t i = at; i < sh->n && script; i++) {
		str w = sh->word[i];

		if (has_letter(w, 'e') || str_starts(w, STR("--regexp")))
			script = false;
	}
	for (size_t i = at; i < sh->n && !sh->silenced; i++) {
		str w = sh->word[i], path;

		if (str_starts(w, STR("-"))) {
			i += w.n == 2 && strchr(takes, w.p[1]);
		} else if (script) {
			script = false;
		} else if (w.n && is_file_name(w) && (!sh->astray || is_rooted(w)) &&
			   (path = whole_path(sh, w)).n) {
			extract_note_read(sh->x, path);
		}
	}
}

static void git_verb(struct shell *sh, size_t at)
{
	static const str whole[] = {STR("add"), STR("restore"), STR("mv"), STR("rm")};
	static const str hows[] = {STR("git add"), STR("git restore"), STR("git mv"),
				   STR("git rm")};

	for (size_t i = 0; i < COUNT(whole); i++) {
		if (str_eq(sh->word[at], whole[i]))
			all_words(sh, at + 1, hows[i]);
	}
	if (!str_eq(sh->word[at], STR("checkout")))
		return;
	while (at < sh->n && !str_eq(sh->word[at], STR("--")))
		at++;
	all_words(sh, at + 1, STR("git checkout"));
}

static void git_command(struct shell *sh, size_t at)
{
	str dir = sh->dir;

	while (at < sh->n && str_starts(sh->word[at], STR("-"))) {
		bool two = str_eq(sh->word[at], STR("-c"));

		if (str_eq(sh->word[at], STR("-C")) && at + 1 < sh->n) {
			two = true;
			if (sh->word[at + 1].n && is_rooted(sh->word[at + 1]))
				sh->dir = sh->word[at + 1];
		}
		at += two ? 2 : 1;
	}
	if (at < sh->n)
		git_verb(sh, at);
	sh->dir = dir;
}

/* `NAME=value` before a command, or alone. */
static bool assigns(struct shell *sh, str w)
{
	size_t eq = str_chr(w, '='), i;

	if (eq == STR_NPOS || eq == 0 || str_is_digit(w.p[0]))
		return false;
	for (i = 0; i < eq; i++) {
		if (!str_is_alnum(w.p[i]) && w.p[i] != '_')
			return false;
	}
	set_var(sh, str_head(w, eq), unquoted(str_from(w, eq + 1)));
	return true;
}

static bool changes_in_place(const struct shell *sh, size_t at)
{
	for (size_t i = at; i < sh->n; i++) {
		if (has_letter(sh->word[i], 'i') ||
		    str_starts(sh->word[i], STR("--in-place")))
			return true;
	}
	return false;
}

/* The command is a reading one; its files are noted. */
static bool reads(struct shell *sh, size_t at, str prog)
{
	for (size_t i = 0; i < COUNT(READERS); i++) {
		if (!str_eq(prog, READERS[i].name))
			continue;
		if (str_eq(prog, STR("sed")) && changes_in_place(sh, at + 1))
			return false;
		read_files(sh, at + 1, READERS[i].script);
		return true;
	}
	return false;
}

static void finish_command(struct shell *sh)
{
	static const str before[] = {STR("do"),   STR("then"), STR("else"), STR("sudo"),
				     STR("time"), STR("if"),   STR("!"),    STR("{")};
	size_t at = 0;
	str prog, last;

	while (at < sh->n && (extract_in_list(sh->word[at], before, COUNT(before)) ||
			      assigns(sh, sh->word[at])))
		at++;
	if (at >= sh->n)
		return;
	prog = str_basename(sh->word[at]);
	last = sh->word[sh->n - 1];
	if (str_eq(prog, STR("cd")))
		sh->astray = at + 1 < sh->n && sh->word[at + 1].n &&
			     !is_rooted(sh->word[at + 1]);
	if (str_eq(prog, STR("cd")) && at + 1 < sh->n && sh->word[at + 1].n &&
	    is_rooted(sh->word[at + 1]))
		sh->dir = sh->word[at + 1];
	else if (str_eq(prog, STR("for")) && at + 3 < sh->n &&
		 str_eq(sh->word[at + 2], STR("in")))
		set_var(sh, sh->word[at + 1],
			(str){sh->word[at + 3].p,
			      (size_t)(last.p + last.n - sh->word[at + 3].p)});
	else if (reads(sh, at, prog))
		;
	else if (str_eq(prog, STR("sed")))
		in_place(sh, at + 1, false);
	else if (str_eq(prog, STR("perl")))
		in_place(sh, at + 1, true);
	else if (str_eq(prog, STR("tee")))
		all_words(sh, at + 1, STR("tee"));
	else if (str_eq(prog, STR("touch")))
		touched(sh, at + 1);
	else if (str_eq(prog, STR("mv")))
		all_words(sh, at + 1, STR("mv"));
	else if (str_eq(prog, STR("rm")))
		all_words(sh, at + 1, STR("rm"));
	else if (str_eq(prog, STR("cp")) && sh->n - at == 3)
		note_word(sh, last, STR("cp"));
	else if (str_eq(prog, STR("git")))
		git_command(sh, at + 1);
}

/*
 * A redirection's file. Of those without a dot or a slash too many are comparisons: only known
 * names count, and what a program that prints is sent to.
 */
static void note_target(struct shell *sh, str w, bool append)
{
	static const str printers[] = {STR("echo"), STR("cat"), STR("printf")};
	bool printed = sh->n && extract_in_list(sh->word[0], printers, COUNT(printers)) &&
		       w.n > 1 && str_is_alpha(w.p[0]);

	if (str_starts(w, STR("$")) || str_chr(w, '.') != STR_NPOS ||
	    str_chr(w, '/') != STR_NPOS || printed || is_known_name(w))
		note_word(sh, w, append ? STR(">>") : STR(">"));
}

void extract_on_touch(struct extract *x, str raw)
{
	struct shell sh = {.x = x, .rest = raw};
	enum token t, before = TOKEN_BREAK;
	str word = STR_NONE;

	do {
		t = next_token(&sh, &word);
		if (t == TOKEN_WORD && before == TOKEN_TO &&
		    str_eq(word, STR("/dev/null"))) {
			sh.silenced = true;
		} else if (t == TOKEN_WORD &&
			   (before == TOKEN_TO || before == TOKEN_APPEND)) {
			note_target(&sh, word, before == TOKEN_APPEND);
		} else if (t == TOKEN_WORD && before != TOKEN_FROM) {
			if (sh.n < WORDS_MAX)
				sh.word[sh.n++] = word;
		} else if (t == TOKEN_BREAK || t == TOKEN_END) {
			finish_command(&sh);
			sh.n = 0;
			sh.silenced = false;
		}
		before = t;
	} while (t != TOKEN_END);
}

static bool runs_patch(str raw)
{
	size_t it = 0;
	str part, rest, w;

	while (prose_command_part(raw, true, &it, &part)) {
		rest = part;
		if (str_eq(prose_git_verb(part), STR("apply")) ||
		    str_eq(prose_git_verb(part), STR("am")) ||
		    (str_word(&rest, &w) && str_eq(str_basename(w), STR("patch"))))
			return true;
	}
	return false;
}

void extract_on_patch(struct extract *x, str raw, str output)
{
	struct shell sh = {.x = x};
	str line;

	if (!runs_patch(raw))
		return;
	while (str_line(&output, &line)) {
		if (!str_starts(line, STR("patching file ")))
			continue;
		line = unquoted(str_trim(str_from(line, 14)));
		note_file(&sh, line, STR("patch"));
	}
	/* the same of a patch that stands in the command itself */
	while (str_line(&raw, &line)) {
		if (str_starts(line, STR("+++ b/")))
			note_file(&sh,
				  str_head(str_from(line, 6),
					   str_chr(str_from(line, 6), '\t')),
				  STR("patch"));
	}
}
