/*
 * What git did and said: commits, pushes, pull requests, where HEAD is, what is changed.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/gitsaid.h"
#include "work/prose.h"

static bool is_sha(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!str_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
	}
	return s.n >= 7 && s.n <= 64;
}

static void add_commit(struct extract *x, str sha, str subject, str branch)
{
	struct fact_commit *c = extract_push_newest(x, &extract_table[T_COMMIT]);

	c->record = x->f.records;
	x->source = true;
	c->sha = extract_keep(x, sha, ID_BYTES);
	c->subject = extract_keep(x, subject, 300);
	c->branch = extract_keep(x, branch, ID_BYTES);
}

/* "[main 1f2e3d4] subject", as git prints it after a commit. */
static void commit_line(struct extract *x, str line)
{
	size_t end = str_chr(line, ']');
	str rest = {line.p + 1, end - 1}, word, branch = STR_NONE, sha = STR_NONE;
	size_t words = 0;

	while (str_word(&rest, &word)) {
		if (words++ == 0)
			branch = word;
		sha = word;
	}
	if (words >= 2 && is_sha(sha))
		add_commit(x, sha, str_trim(str_from(line, end + 1)), branch);
}

static void git_lines(struct extract *x, str text)
{
	struct fact_commit *push;
	str line;

	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		if (str_starts(line, STR("[")) && str_chr(line, ']') != STR_NPOS &&
		    line.n < 300) {
			commit_line(x, line);
		} else if ((str_find(line, STR("->")) != STR_NPOS &&
			    str_find(str_head(line, str_chr(line, ' ')), STR("..")) !=
				    STR_NPOS) ||
			   str_starts(line, STR("* [new branch]"))) {
			push = extract_push_newest(x, &extract_table[T_PUSH]);
			push->record = x->f.records;
			push->subject = extract_keep(x, extract_squeezed(x, line), 300);
		}
	}
}

/* What follows -m, also behind other letters ("-qam words"), or --message. */
static str commit_option(str raw)
{
	static const str BEFORE_M = {"aqvsneiopz", 10};
	size_t k = str_find(raw, STR("commit"));
	str m = k == STR_NPOS ? raw : str_from(raw, k);

	for (size_t i = 1; i < m.n; i++) {
		str rest = str_from(m, i + 1);

		if (m.p[i] != '-' || !str_is_space(m.p[i - 1]))
			continue;
		if (str_starts(rest, STR("-message")))
			return str_from(rest, 9);
		while (rest.n && str_chr(BEFORE_M, rest.p[0]) != STR_NPOS)
			rest = str_from(rest, 1);
		if (rest.n && rest.p[0] == 'm')
			return str_from(rest, 1);
	}
	return STR_NONE;
}

#define SUBJECT_LOOKED 1000 /* bytes */
#define SUBJECT_SHOWN  110

/* The first line of the message that a `git commit -m` gave. */
static str commit_subject(str raw)
{
	str m = str_trim(commit_option(raw));
	char quote = '\0';
	size_t k;

	while (m.n && (m.p[0] == '"' || m.p[0] == '\'' || m.p[0] == '=')) {
		quote = m.p[0] == '=' ? '\0' : m.p[0];
		m = str_from(m, 1);
	}
	if (str_starts(m, STR("$(cat <<")) || str_starts(m, STR("@"))) {
		k = str_chr(m, '\n');
		m = k == STR_NPOS ? STR_NONE : str_from(m, k + 1);
		quote = '\0';
	}
	m = str_trim(m);
	if (m.n <= 3)
		return STR_NONE;
	m = str_head(m, str_chr(m, '\n'));
	/* what comes after the message is another command */
	for (k = 1; quote && k < m.n; k++)
		if (m.p[k] == quote && m.p[k - 1] != '\\')
			m = str_head(m, k);
	while (m.n && (m.p[m.n - 1] == '"' || m.p[m.n - 1] == '\''))
		m.n--;
	return utf8_head(m, SUBJECT_LOOKED);
}

static bool committed_now(const struct extract *x)
{
	return x->f.ncommit && x->f.commit[x->f.ncommit - 1].record == x->f.records;
}

void extract_on_pr(struct extract *x, str url, str action)
{
	struct fact_pr *p = NULL;

	for (size_t i = 0; i < x->f.npr && !p; i++) {
		if (str_eq(x->f.pr[i].url, url))
			p = &x->f.pr[i];
	}
	if (!p) {
		p = extract_push_newest(x, &extract_table[T_PR]);
		p->url = extract_keep(x, url, PATH_BYTES);
	} else if (action.n == 0) {
		return;
	}
	p->record = x->f.records;
	p->action = extract_keep(x, action, ID_BYTES);
}

/* What follows `git verb`, also with `-C` and this session's own folder. */
static bool git_verb(const struct extract *x, str *rest, str verb)
{
	str s = str_trim(*rest), w;

	if (!str_word(&s, &w) || !str_eq(w, STR("git")) || !str_word(&s, &w))
		return false;
	if (str_eq(w, STR("-C"))) {
		if (!str_word(&s, &w))
			return false;
		while (w.n > 1 && str_ends(w, STR("/")))
			w.n--;
		if (!str_eq(w, x->f.dir) && !str_eq(w, x->f.last_dir))
			return false;
		if (!str_word(&s, &w))
			return false;
	}
	*rest = s;
	return str_eq(w, verb);
}

/* A status of the whole tree. brief: in its short form. */
static bool prints_status(const struct extract *x, str command, bool *brief)
{
	str s = command, w;

	*brief = false;
	if (!git_verb(x, &s, STR("status")))
		return false;
	while (str_word(&s, &w)) {
		if (w.p[0] != '-' && !str_starts(w, STR("2>")))
			return str_eq(w, STR("|")) &&
			       (str_starts(str_trim(s), STR("head")) ||
				str_starts(str_trim(s), STR("cat")));
		*brief |= str_starts(w, STR("--short")) ||
			  str_starts(w, STR("--porcelain")) ||
			  (w.n > 1 && w.p[1] != '-' && str_chr(w, 's') != STR_NPOS);
	}
	return true;
}

/* `git log --oneline -5` of where HEAD is. */
static bool prints_log(const struct extract *x, str command)
{
	str s = command, w;
	bool oneline = false;

	if (!git_verb(x, &s, STR("log")))
		return false;
	while (str_word(&s, &w) && !strchr("|&;", w.p[0])) {
		bool end = str_ends(w, STR(";"));

		if (end)
			w.n--;
		if (str_eq(w, STR("--oneline")))
			oneline = true;
		else if (w.n < 2 || w.p[0] != '-' || !str_is_digit(w.p[1]))
			return false;
		if (end)
			break;
	}
	/* a filter may leave the first line out */
	return oneline && str_find(s, STR("grep")) == STR_NPOS &&
	       str_find(s, STR("tail")) == STR_NPOS;
}

static void note_head(struct extract *x, str text)
{
	str line = str_head(text, str_chr(text, '\n'));
	size_t blank = str_chr(line, ' ');
	str sha = str_head(line, blank), subject;

	if (blank == STR_NPOS || !is_sha(sha))
		return;
	subject = str_trim(str_from(line, blank + 1));
	if (str_starts(subject, STR("(HEAD")) && str_chr(subject, ')') != STR_NPOS)
		subject = str_trim(str_from(subject, str_chr(subject, ')') + 1));
	x->f.head_sha = extract_keep(x, sha, ID_BYTES);
	x->f.head_subject = extract_keep(x, subject, 300);
	x->f.head_record = x->f.records;
}

/*
 * Where `cd X` at the start of a command leads: empty where that is the session's folder or
 * one below it by name, else a whole path; what cannot be told is "..".
 */
static str went_to(const struct extract *x, str raw)
{
	str s = str_trim(raw), dir;

	if (!str_starts(s, STR("cd ")))
		return STR_NONE;
	s = str_trim(str_from(s, 3));
	if (s.n && (s.p[0] == '"' || s.p[0] == '\'')) {
		dir = str_from(s, 1);
		dir = str_head(dir, str_chr(dir, s.p[0]));
	} else {
		size_t n = 0;

		while (n < s.n && !str_is_space(s.p[n]) && s.p[n] != ';' && s.p[n] != '&')
			n++;
		dir = str_head(s, n);
	}
	while (dir.n > 1 && (str_ends(dir, STR("/")) || str_ends(dir, STR("\\"))))
		dir.n--;
	if (!dir.n || dir.p[0] == '~' || dir.p[0] == '-' || dir.p[0] == '$' ||
	    str_starts(dir, STR("..")))
		return STR("..");
	if (str_eq(dir, x->f.dir) || str_eq(dir, x->f.last_dir))
		return STR_NONE;
	return dir.p[0] == '/' || (dir.n > 1 && dir.p[1] == ':') ? dir : STR_NONE;
}

static void add_unchanged(struct extract *x, str path, const char *how)
{
	struct fact_unchanged *u = extract_push_newest(x, &extract_table[T_UNCHANGED]);

	u->record = x->f.records;
	u->at = x->f.last_at;
	u->path = extract_keep(x, path, PATH_BYTES);
	u->how = extract_keep(x, str_of(how), ID_BYTES);
}

static void note_status(struct extract *x, str dir, str text)
{
	if (gitsaid_clean(text) && !str_eq(dir, STR("..")))
		add_unchanged(x, dir, "git status");
	if (dir.n)
		return;
	x->f.git_status = extract_keep_ends(x, text, HALF_TEXT_BYTES / 2,
					    HALF_TEXT_BYTES / 2, STR(EXTRACT_CUT));
	x->f.git_status_record = x->f.records;
	x->f.git_status_at = x->f.last_at;
}

#define DIFF_PATHS 16

/* Of `git diff`: options that show less, or something else. */
static bool is_other_diff(str option)
{
	static const char *const options[] = {"--cached",   "--staged",   "--diff-filter",
					      "--no-index", "--check",    "--submodule",
					      "-S",         "-G",         "-w",
					      "--ignore",   "--relative", "--quiet"};

	for (size_t i = 0; i < COUNT(options); i++)
		if (str_starts(option, str_of(options[i])))
			return true;
	return false;
}

/* Nothing of the command's own makes the output empty: a pipe into head or cat at most. */
static bool prints_all(str rest)
{
	str w;

	while (str_word(&rest, &w)) {
		if (str_eq(w, STR("|"))) {
			rest = str_trim(rest);
			return (str_starts(rest, STR("head")) ||
				str_starts(rest, STR("cat"))) &&
			       str_chr(str_from(rest, 1), '|') == STR_NPOS;
		}
		for (size_t i = 0; i < w.n && !str_starts(w, STR("2>")); i++)
			if (strchr("|&;<>$`(", w.p[i]))
				return false;
	}
	return true;
}

/* A word of `git diff`: a file, and no commit to compare with. */
static bool is_file(str w, bool behind_dashes)
{
	return behind_dashes ||
	       (str_chr(w, '.') != STR_NPOS && str_find(w, STR("..")) == STR_NPOS &&
		str_chr(w, '~') == STR_NPOS && str_chr(w, '@') == STR_NPOS);
}

/* A `git diff` of the work tree, or of some files, that showed nothing. */
static void note_silent_diff(struct extract *x, str dir, str command)
{
	str rest = command, w, path[DIFF_PATHS];
	bool dashes = false, head = false;
	size_t n = 0;

	if (!git_verb(x, &rest, STR("diff")) || str_eq(dir, STR("..")) ||
	    !prints_all(rest))
		return;
	while (str_word(&rest, &w) && !str_eq(w, STR("|"))) {
		bool option = w.p[0] == '-' && !dashes;

		if (str_starts(w, STR("2>")))
			continue;
		if (str_eq(w, STR("--"))) {
			if (n)
				return; /* commits stand before it */
			dashes = true;
		} else if (!dashes && str_eq(w, STR("HEAD"))) {
			head = true;
		} else if (option ? is_other_diff(w)
				  : !is_file(w, dashes) || n == DIFF_PATHS) {
			return;
		} else if (!option) {
			path[n++] = w;
		}
	}
	for (size_t i = 0; i < n; i++)
		add_unchanged(x, path[i], head ? "git diff HEAD" : "git diff");
	if (!n)
		add_unchanged(x, dir, head ? "git diff HEAD" : "git diff");
}

/* ---- what each command of a list printed ---- */

#define PARTS_MAX 16

/* `echo "=== status ==="`: the words, or none where they are not known as they were printed. */
static str label_of(str part)
{
	str s = str_from(part, str_starts(part, STR("echo ")) ? 5 : part.n);

	s = str_trim(s);
	if (s.n > 1 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
		s = str_from(str_head(s, s.n - 1), 1);
	for (size_t i = 0; i < s.n; i++)
		if (strchr("\"'$`\\><|", s.p[i]))
			return STR_NONE;
	return str_trim(s);
}

/* The line of the text that is the label; what comes after it. STR_NPOS: there is none. */
static size_t label_at(str text, str label, str *after)
{
	str rest = text, line;

	while (rest.n) {
		size_t at = text.n - rest.n;

		str_line(&rest, &line);
		if (str_eq(str_trim(line), label)) {
			*after = rest;
			return at;
		}
	}
	return STR_NPOS;
}

static bool prints_nothing(const struct extract *x, str part)
{
	static const str programs[] = {STR("true"), STR("cd"), STR(":"),  STR("mkdir"),
				       STR("rm"),   STR("mv"), STR("cp"), STR("touch")};
	str add = part, checkout = part;

	return extract_in_list(str_head(part, str_chr(part, ' ')), programs,
			       COUNT(programs)) ||
	       str_eq(str_trim(part), STR("echo")) || git_verb(x, &add, STR("add")) ||
	       git_verb(x, &checkout, STR("fetch"));
}

/* The first line of the text that begins a status in its long form, or the end. */
static str from_status(str text)
{
	static const str heads[] = {STR("On branch "), STR("HEAD detached ")};
	str rest = text, line;

	while (rest.n) {
		str here = rest;

		str_line(&rest, &line);
		if (str_starts(line, heads[0]) || str_starts(line, heads[1]))
			return here;
	}
	return STR_NONE;
}

/*
 * The output of some commands, taken apart from its beginning: each takes the lines that are of
 * its kind. Behind a command whose lines are not known only a status is found again, by its first line.
 */
static void read_parts(struct extract *x, str dir, const str *part, size_t n, bool more,
		       str text)
{
	bool known = true, last = n == 1 && !more, brief;

	for (size_t i = 0; i < n; i++) {
		str verb = prose_git_verb(part[i]), said;

		if (prints_nothing(x, part[i]))
			continue;
		if (prints_status(x, part[i], &brief)) {
			if (!known)
				text = from_status(text);
			if (!known && (brief || !text.n))
				continue;
			said = last ? text : gitsaid_head_status(text, brief);
			/* where short lines end nobody can tell */
			if (!brief || !more || i + 1 < n)
				note_status(x, dir, said);
			known = true;
		} else if (str_eq(verb, STR("status"))) {
			return; /* of another folder, or a part of one */
		} else if (!known) {
			continue;
		} else if (prints_log(x, part[i])) {
			said = gitsaid_head_log(text);
			if (!dir.n)
				note_head(x, last ? text : said);
		} else if (str_eq(verb, STR("diff"))) {
			said = gitsaid_head_diff(text);
			if (last ? gitsaid_silent(text) : !said.n)
				note_silent_diff(x, dir, part[i]);
		} else {
			known = false;
			continue;
		}
		if (said.n)
			text = str_from(text, (size_t)(said.p + said.n - text.p));
	}
}

/* From here on commands run elsewhere, or more than once. */
static bool goes_away(str part)
{
	static const str words[] = {STR("cd"),    STR("pushd"), STR("popd"), STR("for"),
				    STR("while"), STR("until"), STR("case")};

	return extract_in_list(str_head(part, str_chr(part, ' ')), words, COUNT(words));
}

/* The list is cut where `echo` printed a line that is known. */
static void read_list(struct extract *x, str dir, str command, str text)
{
	str part[PARTS_MAX], after;
	size_t n = 0, it = 0, from = 0, at;
	bool more = false;

	while (!more && prose_command_part(command, false, &it, &part[n])) {
		more = goes_away(part[n]) || n + 1 == PARTS_MAX;
		n += !more;
	}
	for (size_t i = 0; i < n; i++) {
		str label = label_of(part[i]);

		if (!label.n)
			continue;
		at = label_at(text, label, &after);
		if (at == STR_NPOS)
			return;
		read_parts(x, dir, part + from, i - from, false, str_head(text, at));
		text = after;
		from = i + 1;
	}
	read_parts(x, dir, part + from, n - from, more, text);
}

void extract_on_git(struct extract *x, const struct call *c, const struct val *result,
		    str text, bool failed)
{
	const struct val *op = val_get(result, "gitOperation"),
			 *commit = val_get(op, "commit");
	const struct val *pr = val_get(op, "pr");
	str subject = extract_cut_text(x, commit_subject(c->raw), SUBJECT_SHOWN), url;

	if (!failed && str_find(c->raw, STR("git")) != STR_NPOS)
		git_lines(x, text);
	if (commit && !committed_now(x))
		add_commit(x, utf8_head(extract_door_get(x, commit, "sha"), 9), subject,
			   STR_NONE);
	else if (!failed && !committed_now(x) && subject.n &&
		 str_find(c->raw, STR("git commit")) != STR_NPOS &&
		 str_find(text, STR("nothing to commit")) == STR_NPOS)
		add_commit(x, STR_NONE, subject, STR_NONE);
	if (pr) {
		url = extract_door_get(x, pr, "url");
		extract_on_pr(x, url.n ? url : extract_door_get(x, pr, "number"),
			      extract_door_get(x, pr, "action"));
	}
	if (failed)
		return;
	if (str_find(c->command, STR("git")) != STR_NPOS)
		read_list(x, went_to(x, c->raw), c->command, text);
}
