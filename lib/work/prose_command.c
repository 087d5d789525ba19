/*
 * Commands as they were typed into a shell, as far as can be told without a shell's grammar:
 * quotes are respected where a border is looked for, nothing is expanded.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

static const str CHECK_WORDS[] = {
	STR("test"),   STR("lint"),    STR("build"), STR("check"),    STR("typecheck"),
	STR("tsc"),    STR("pytest"),  STR("vet"),   STR("clippy"),   STR("ruff"),
	STR("mypy"),   STR("vitest"),  STR("jest"),  STR("eslint"),   STR("eval"),
	STR("verify"), STR("pyright"), STR("ty"),    STR("unittest"), STR("--test"),
};
/* They change what they do not like: a check only with a word that makes them look. */
static const str FORMATTERS[] = {
	STR("fmt"),     STR("format"),  STR("prettier"), STR("gofmt"),
	STR("gofumpt"), STR("rustfmt"), STR("black"),    STR("clang-format"),
	STR("isort"),   STR("shfmt"),   STR("nixfmt"),
};
static const str LOOKS_ONLY[] = {
	STR("--check"),
	STR("-check"),
	STR("--diff"),
	STR("-d"),
	STR("-l"),
	STR("--list-different"),
	STR("--dry-run"),
	STR("--verify-no-changes"),
	STR("--fail-on-change"),
	STR("--check-formatted"),
	STR("--check-only"),
	STR("-n"),
};
static const str CHECK_PROGRAMS[] = {
	STR("pytest"), STR("vitest"), STR("jest"),       STR("eslint"),        STR("tsc"),
	STR("ruff"),   STR("mypy"),   STR("pyright"),    STR("golangci-lint"), STR("tox"),
	STR("nox"),    STR("ctest"),  STR("xcodebuild"), STR("shellcheck"),
};
/* programs whose arguments may hold the words above without checking anything */
static const str NO_CHECKS[] = {
	STR("git"),    STR("ls"),         STR("cat"),          STR("grep"),
	STR("rg"),     STR("find"),       STR("echo"),         STR("gh"),
	STR("rm"),     STR("mkdir"),      STR("cp"),           STR("mv"),
	STR("touch"),  STR("cd"),         STR("head"),         STR("tail"),
	STR("sed"),    STR("curl"),       STR("sleep"),        STR("which"),
	STR("kill"),   STR("docker"),     STR("ssh"),          STR("for"),
	STR("while"),  STR("if"),         STR("test"),         STR("["),
	STR("printf"), STR("Write-Host"), STR("Write-Output"),
};
static const str EXPLORERS[] = {
	STR("ls"),   STR("cat"),  STR("grep"),  STR("rg"),   STR("find"),
	STR("head"), STR("tail"), STR("which"), STR("wc"),   STR("test"),
	STR("["),    STR("diff"), STR("sed"),   STR("echo"), STR("sleep"),
	STR("pwd"),  STR("awk"),  STR("tree"),  STR("file"), STR("stat"),
};
static const str ACTS[] = {
	STR("git commit"),   STR("git push"),  STR("git add"),     STR("git stash"),
	STR("git checkout"), STR("git reset"), STR("git rebase"),  STR("git merge"),
	STR("git restore"),  STR("rm "),       STR("mv "),         STR("cp "),
	STR("kill"),         STR("pkill"),     STR("npm install"), STR("docker"),
	STR("gh pr"),        STR("gh api"),    STR("curl"),        STR("make"),
	STR("terraform"),    STR("kubectl"),   STR("systemctl"),
};
/* programs whose third word still names what they do */
static const str DEEP_FAMILIES[] = {
	STR("uv"),   STR("npm"), STR("bun"), STR("pnpm"),  STR("yarn"), STR("mise"),
	STR("make"), STR("npx"), STR("go"),  STR("cargo"), STR("erk"),
};
static const str FAMILY_SKIPS[] = {STR("sudo"), STR("timeout"), STR("time"), STR("env")};

#define CD_MAX 300 /* bytes of `cd X &&` */

/* Without leading `cd X &&`, `cd X` lines and comments. */
static str command_start(str c)
{
	for (;;) {
		size_t line = str_chr(c, '\n'), and;

		c = str_trim(c);
		line = str_chr(c, '\n');
		and = str_find(str_head(c, CD_MAX + 2), STR("&&"));
		if (str_starts(c, STR("cd ")) && and != STR_NPOS && and < CD_MAX &&
		    line >= and)
			c = str_from(c, and+2);
		else if ((str_starts(c, STR("#")) || str_starts(c, STR("cd "))) &&
			 line != STR_NPOS)
			c = str_from(c, line + 1);
		else
			return c;
	}
}

/* The word that ends the here-document which this line begins, or STR_NONE. */
static str here_word(str line)
{
	size_t k = str_find(line, STR("<<")), n = 0;
	str s;

	if (k == STR_NPOS || k == 0 || str_starts(str_from(line, k), STR("<<<")))
		return STR_NONE;
	s = str_from(line, k + 2);
	while (s.n && strchr("-'\"\\ ", s.p[0]))
		s = str_from(s, 1);
	while (n < s.n && (str_is_alnum(s.p[n]) || s.p[n] == '_'))
		n++;
	return n && !str_is_digit(s.p[0]) ? str_head(s, n) : STR_NONE;
}

/* Something that a shell's words are told apart by: it must not come into a command from a text. */
static bool has_shell_marks(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (strchr("'\"`;&|<>$\\", s.p[i]))
			return true;
	}
	return false;
}

/* A comment, or what only fetches a library: "import sys", "#!/bin/sh", "set -e". */
static bool is_preamble(str line)
{
	static const str words[] = {STR("#"), STR("//"), STR("--"), STR("import "),
				    STR("set -")};

	return STARTS(line, words);
}

/*
 * Next line outside here-documents; cut: one came behind it, and of it *head is the first line that
 * tells something, if it can stand in a command.
 */
static bool command_line(str *rest, str *line, bool *cut, str *head)
{
	str word, body;

	*cut = false;
	*head = STR_NONE;
	if (!str_split(rest, '\n', line))
		return false;
	word = here_word(*line);
	while (word.n && rest->n) {
		*cut = true;
		str_split(rest, '\n', &body);
		body = str_trim(body);
		if (str_eq(body, word))
			break;
		if (!head->n && body.n && !is_preamble(body))
			*head = body;
	}
	/* the text of a file is no part of what is done */
	if (has_shell_marks(*head) || prose_has(*line, STR("cat >")) ||
	    prose_has(*line, STR("tee ")))
		*head = STR_NONE;
	return true;
}

/* The quote that is open after s, where `quote` was open before it; 0: none. */
static char open_quote(str s, char quote)
{
	for (size_t i = 0; i < s.n; i++) {
		char b = s.p[i];

		if (b == '\\' && quote != '\'')
			i++;
		else if (quote)
			quote = b == quote ? 0 : quote;
		else if (b == '"' || b == '\'')
			quote = b;
	}
	return quote;
}

/* No apostrophe stands alone, and no line goes on in the next. */
static bool has_whole_lines(str c)
{
	char quote = 0;
	bool cut;
	str line, head;

	while (command_line(&c, &line, &cut, &head)) {
		/* what a here-document opens in a quote, "$(cat <<EOF", is closed after it */
		quote = open_quote(line, quote);
		if (c.n && !cut && str_ends(line, STR("\\")))
			return false;
	}
	return quote != '\'';
}

#define HERE_BYTES 72 /* of a here-document */

static str whole_words(str s, size_t max)
{
	size_t blank = s.n > max ? str_rchr(str_head(s, max), ' ') : STR_NPOS;

	return blank == STR_NPOS ? utf8_head(s, max) : str_head(s, blank);
}

/* What parts two lines; inside a quote it depends on what stands around the border. */
static str separator(str before, str line, bool whole, char quote)
{
	char last = before.n ? before.p[before.n - 1] : 0;

	if (!whole)
		return STR(" ");
	if (!quote)
		return STR("; ");
	if (last == quote)
		return STR_NONE; /* it has just been opened */
	if (strchr("{([,:;|", last) || strchr("])}|", line.p[0]))
		return STR(" ");
	return STR("; ");
}

/*
 * Lines joined by `; `, or by a blank where a quote is open or the line goes on. Of a
 * here-document its first telling words and ` …` are left; what closes it ("EOF" and `)"`) follows
 * without a border.
 */
static void command_lines(struct buf *out, str c)
{
	bool whole = has_whole_lines(c), cut, after = false;
	size_t start = out->n;
	char quote = 0;
	str line, head;

	while (command_line(&c, &line, &cut, &head)) {
		if (!whole && c.n && str_ends(line, STR("\\")))
			line.n--;
		line = str_trim(line);
		if (line.n == 0)
			continue;
		if (out->n > start && !(after && strchr(")\"'", line.p[0])))
			buf_add(out, separator(str_from(buf_str(out), start), line, whole,
					       quote));
		prose_squeeze(out, line);
		quote = open_quote(line, quote);
		if (head.n) {
			buf_byte(out, ' ');
			prose_squeeze(out, whole_words(head, HERE_BYTES));
		}
		if (cut)
			buf_add(out, STR(PROSE_ELLIPSIS));
		after = cut;
	}
}

void prose_command(struct buf *out, str raw)
{
	command_lines(out, command_start(raw));
}

#define QUOTES_MAX  16
#define MARKS_BYTES 8  /* two of "… " */
#define QUOTE_FLOOR 40 /* bytes of a quoted text that are left in any case */

/* Inside of a quoted text of a command. */
struct quoted {
	size_t from, to;
};

/* The quoted texts, also those of PowerShell (@' ... '@); one that does not end goes to the end. */
static size_t quoted_texts(str c, struct quoted q[QUOTES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < c.n && n < QUOTES_MAX; i++) {
		char mark = c.p[i];
		bool here = mark == '@' && i + 1 < c.n &&
			    (c.p[i + 1] == '\'' || c.p[i + 1] == '"') &&
			    (i == 0 || c.p[i - 1] == ' ');
		size_t end;

		if (mark == '\\' && !here) {
			i++;
			continue;
		}
		if (mark != '"' && mark != '\'' && !here)
			continue;
		if (here)
			mark = c.p[++i];
		for (end = i + 1; end < c.n; end++) {
			if (c.p[end] == mark &&
			    (!here || (end + 1 < c.n && c.p[end + 1] == '@')))
				break;
			if (c.p[end] == '\\' && mark == '"' && !here)
				end++;
		}
		if (end > c.n)
			end = c.n;
		q[n++] = (struct quoted){i + 1, end};
		i = end;
	}
	return n;
}

/* Where a script begins to tell something: behind "import json, sys; # comment; ". */
static size_t preamble(str text)
{
	size_t at = 0;

	for (;;) {
		str rest = str_from(text, at), trimmed = str_trim(rest);
		size_t end = str_find(rest, STR("; "));

		if (end == STR_NPOS || (trimmed.n && !is_preamble(trimmed)))
			return at;
		at += end + 2;
	}
}

/* The quoted text in about `room` bytes, from where it tells something. */
static void add_quoted(struct buf *out, str text, size_t room)
{
	size_t skip;

	if (text.n <= room) {
		buf_add(out, text);
		return;
	}
	skip = preamble(text);
	if (skip)
		buf_add(out, STR("… "));
	prose_cut(out, str_from(text, skip), room);
}

void prose_command_short(struct buf *out, str command, size_t max)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	struct quoted q[QUOTES_MAX];
	size_t n = quoted_texts(command, q), over, from = 0;
	size_t room[QUOTES_MAX];

	if (command.n <= max) {
		buf_add(out, command);
		return;
	}
	over = command.n - max;
	for (size_t i = 0; i < n; i++)
		room[i] = q[i].to - q[i].from;
	while (over) { /* the longest one gives way */
		size_t longest = 0, less;

		for (size_t i = 1; i < n; i++)
			longest = room[i] > room[longest] ? i : longest;
		if (n == 0 || room[longest] <= QUOTE_FLOOR)
			break;
		less = room[longest] - QUOTE_FLOOR < over ? room[longest] - QUOTE_FLOOR
							  : over;
		room[longest] -= less;
		over -= less;
	}
	for (size_t i = 0; i < n; i++) {
		buf_add(&b, (str){command.p + from, q[i].from - from});
		add_quoted(&b, (str){command.p + q[i].from, q[i].to - q[i].from},
			   room[i]);
		from = q[i].to;
	}
	buf_add(&b, str_from(command, from));
	/* the marks may have made it a little longer again */
	prose_cut(out, buf_str(&b), b.n <= max + MARKS_BYTES ? b.n : max);
	buf_release(&b);
}

#define SHAPER_MAX 16 /* bytes of `| head -20` */

str prose_command_core(str command)
{
	static const str tails[] = {STR("2>&1"), STR("2>/dev/null"), STR("|| true")};
	str c = command, t, first, rest;
	size_t k;

	for (;;) {
		t = str_trim_right(c);
		for (size_t i = 0; i < COUNT(tails); i++) {
			if (str_ends(t, tails[i]))
				t = str_trim_right(str_head(t, t.n - tails[i].n));
		}
		k = str_rchr(t, '|');
		if (k != STR_NPOS && k > 0 && t.p[k - 1] != '|' && t.n - k < SHAPER_MAX) {
			rest = str_trim(str_from(t, k + 1));
			first = str_head(rest, str_chr(rest, ' '));
			if (str_eq(first, STR("head")) || str_eq(first, STR("tail")))
				t = str_trim_right(str_head(t, k));
		}
		if (t.n == c.n)
			return c;
		c = t;
	}
}

/* NAME of `NAME=value`, in capitals. */
static bool is_assignment(str w)
{
	size_t eq = str_chr(w, '=');
	bool upper = false;

	if (eq == STR_NPOS)
		return false;
	for (size_t i = 0; i < eq; i++) {
		if (w.p[i] >= 'a' && w.p[i] <= 'z')
			return false;
		upper |= w.p[i] >= 'A' && w.p[i] <= 'Z';
	}
	return upper;
}

void prose_family(struct buf *out, str command)
{
	str rest = command, w;
	size_t n = 0, most = 2;

	while (str_split(&rest, ' ', &w)) {
		if ((n == 0 && is_assignment(w)) || IN(w, FAMILY_SKIPS))
			continue;
		if (w.n > 1 && str_is_digit(w.p[0]) && w.p[1] == '>')
			return; /* 2>&1 */
		if (w.n == 0 || strchr("-|&>;\"'$<(", w.p[0]) || n >= most ||
		    (n && str_chr(w, '/') != STR_NPOS))
			return;
		if (n == 0 && IN(w, DEEP_FAMILIES))
			most = 3;
		if (n++)
			buf_byte(out, ' ');
		buf_add(out, w);
	}
}

static bool checks(str word)
{
	str base = str_basename(word), rest = word, part;

	if (IN(base, CHECK_PROGRAMS))
		return true;
	while (str_split(&rest, ':', &part)) {
		if (IN(part, CHECK_WORDS))
			return true;
	}
	if (str_ends(base, STR("_test.sh")) || str_ends(base, STR("_test.py")) ||
	    (str_starts(base, STR("test_")) && str_ends(base, STR(".py"))))
		return true;
	return str_chr(word, '/') != STR_NPOS && str_ends(word, STR(".sh")) &&
	       (prose_has(base, STR("test")) || prose_has(base, STR("lint")) ||
		prose_has(base, STR("check")) || prose_has(base, STR("build")));
}

static bool separates(str w)
{
	return str_eq(w, STR("&&")) || str_eq(w, STR("|")) || str_eq(w, STR(";")) ||
	       str_eq(w, STR("||"));
}

/* "fmt", "format:write", "black", of a program or of a script's name. */
static bool formats(str word)
{
	str base = str_basename(word), rest = base, part;

	while (str_split(&rest, ':', &part)) {
		if (IN(part, FORMATTERS))
			return true;
	}
	return false;
}

/* What a formatter is given: test_lamp.py, src/check.c. */
static bool is_file_word(str w)
{
	return str_chr(w, '/') != STR_NPOS || str_chr(w, '.') != STR_NPOS;
}

#define CHECK_LOOKED 6 /* words of a command that may say what it does */

bool prose_is_check(str command)
{
	str rest = command, w;
	bool format = false, looks = false, both = false;
	size_t i = 0;

	while (str_split(&rest, ' ', &w)) {
		if (separates(w)) {
			/* "fmt && test": what follows a formatter counts */
			if (!format || looks || str_eq(w, STR("|")))
				break;
			format = both = false;
			i = 0;
			continue;
		}
		if (i == 0 && IN(w, NO_CHECKS))
			return false;
		looks |= IN(w, LOOKS_ONLY);
		if (i++ >= CHECK_LOOKED)
			continue;
		if (str_eq(str_basename(w), STR("ruff")))
			both = true; /* its next word decides */
		else if (checks(w) && !(format && is_file_word(w)))
			return true;
		format |= formats(w);
	}
	return format ? looks : both;
}

/* ---- parts ---- */

/* Where the command at i ends: at the next border outside quotes, or at the end. */
static size_t part_end(str c, size_t i, bool pipes)
{
	char quote = 0;

	for (; i < c.n; i++) {
		char b = c.p[i], next = i + 1 < c.n ? c.p[i + 1] : 0;

		if (b == '\\' && quote != '\'') {
			i++;
		} else if (quote) {
			if (b == quote)
				quote = 0;
		} else if (b == '"' || b == '\'') {
			quote = b;
		} else if (b == ';' || b == '\n' ||
			   (b == '|' && (pipes || next == '|'))) {
			return i;
		} else if (b == '&' && next != '>' && (i == 0 || c.p[i - 1] != '>')) {
			return i;
		}
	}
	return c.n;
}

/* Without words that only begin a block: "do", "then", "(", "sudo". */
static str without_block(str part)
{
	static const str words[] = {STR("do"), STR("then"),  STR("else"),  STR("if"),
				    STR("!"),  STR("while"), STR("until"), STR("{"),
				    STR("("),  STR("sudo"),  STR("time")};
	str rest = part, w;

	while (str_word(&rest, &w) && IN(w, words)) {
		rest = str_trim(rest);
		part = rest;
	}
	while (part.n > 1 && part.p[0] == '(')
		part = str_trim(str_from(part, 1));
	return part;
}

/* "done", "fi" and kin close what began before; "for x in a b" runs nothing. */
static bool is_frame(str part)
{
	static const str words[] = {STR("done"), STR("fi"),   STR("esac"),
				    STR("}"),    STR(")"),    STR("for"),
				    STR("do"),   STR("then"), STR("else")};

	return IN(str_head(part, str_chr(part, ' ')), words);
}

bool prose_command_part(str command, bool pipes, size_t *it, str *part)
{
	size_t end;

	while (*it < command.n) {
		end = part_end(command, *it, pipes);
		*part = without_block(str_trim((str){command.p + *it, end - *it}));
		*it = end + 1;
		if (part->n)
			return true;
	}
	return false;
}

str prose_git_verb(str part)
{
	str rest = part, w;

	if (!str_word(&rest, &w) || !str_eq(str_basename(w), STR("git")))
		return STR_NONE;
	while (str_word(&rest, &w)) { /* git -C DIR --no-pager log */
		if (str_eq(w, STR("-C")) || str_eq(w, STR("-c")))
			str_word(&rest, &w);
		else if (w.p[0] != '-')
			return w;
	}
	return STR_NONE;
}

/* Its output goes into a file; silencing it ("2>&1", ">/dev/null") is none. */
static bool is_redirected(str part)
{
	char quote = 0;

	for (size_t i = 0; i < part.n; i++) {
		char b = part.p[i];
		str to;

		if (b == '\\' && quote != '\'') {
			i++;
		} else if (quote) {
			if (b == quote)
				quote = 0;
		} else if (b == '"' || b == '\'') {
			quote = b;
		} else if (b == '>') {
			to = str_trim(str_from(part, i + 1));
			if (!str_starts(to, STR("&1")) && !str_starts(to, STR("&2")) &&
			    !str_starts(to, STR("/dev/null")))
				return true;
		}
	}
	return false;
}

static bool part_only_reads(str part)
{
	static const str git[] = {STR("diff"),     STR("log"),       STR("status"),
				  STR("show"),     STR("rev-parse"), STR("ls-files"),
				  STR("blame"),    STR("grep"),      STR("describe"),
				  STR("ls-tree"),  STR("cat-file"),  STR("reflog"),
				  STR("shortlog"), STR("rev-list"),  STR("merge-base")};
	static const str gh[] = {STR("view"), STR("list"), STR("status"), STR("diff"),
				 STR("checks")};
	static const str idle[] = {STR("cd"), STR("true"), STR(":"), STR("export")};
	str rest = part, w;

	/* what a substitution runs may be anything */
	if (is_redirected(part) || prose_has(part, STR("$(")) ||
	    str_chr(part, '`') != STR_NPOS)
		return false;
	if (is_frame(part) || !str_word(&rest, &w) || IN(w, idle))
		return true;
	if (str_eq(w, STR("git")))
		return IN(prose_git_verb(part), git);
	if (str_eq(w, STR("gh")))
		return str_word(&rest, &w) && str_word(&rest, &w) && IN(w, gh);
	return prose_is_explore(part) && !str_eq(w, STR("sed")) &&
	       !prose_has(part, STR(" -delete")) && !prose_has(part, STR(" -exec"));
}

bool prose_only_reads(str command)
{
	size_t it = 0;
	str part;

	while (prose_command_part(command, true, &it, &part)) {
		if (!part_only_reads(part))
			return false;
	}
	return true;
}

bool prose_is_explore(str command)
{
	return IN(str_head(command, str_chr(command, ' ')), EXPLORERS);
}

bool prose_is_act(str command)
{
	return STARTS(command, ACTS);
}

/*
 * Where the last command of a line begins: after the last `|`, `;` or `&` outside quotes.
 * pipe: whether there is a single `|`.
 */
static size_t last_command(str c, bool *pipe)
{
	size_t begin = 0;
	char quote = 0;

	*pipe = false;
	for (size_t i = 0; i < c.n; i++) {
		char b = c.p[i];

		if (b == '\\') {
			i++;
		} else if (quote) {
			if (b == quote)
				quote = 0;
		} else if (b == '"' || b == '\'') {
			quote = b;
		} else if (b == '|' || b == ';' || (b == '&' && i && c.p[i - 1] != '>')) {
			*pipe |= b == '|' && (i + 1 == c.n || c.p[i + 1] != '|') &&
				 (i == 0 || c.p[i - 1] != '|');
			begin = i + 1;
		}
	}
	return begin;
}

bool prose_shrugs(str command)
{
	static const str programs[] = {
		STR("grep"), STR("egrep"), STR("rg"),    STR("diff"),  STR("cmp"),
		STR("test"), STR("["),     STR("pgrep"), STR("which"), STR("command"),
	};
	bool pipe;
	str last = str_trim(str_from(command, last_command(command, &pipe)));
	str word = str_head(last, str_chr(last, ' '));

	return IN(str_basename(word), programs) || str_starts(last, STR("git diff")) ||
	       str_starts(last, STR("git grep"));
}

bool prose_is_piped(str command)
{
	bool pipe;

	last_command(command, &pipe);
	return pipe;
}
