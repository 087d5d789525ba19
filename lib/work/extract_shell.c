/*
 * Commands: what ran, what failed and why, what git did.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/prose.h"

str extract_keep_line(struct extract *x, str s)
{
	return extract_keep(x, s, LINE_BYTES);
}

static struct fact_command *find_command(struct extract *x, str command)
{
	struct fact_command *c;
	str key = utf8_head(prose_command_core(command), COMMAND_BYTES);

	for (size_t i = 0; i < x->f.ncommand; i++) {
		if (str_eq(x->f.command[i].text, key))
			return &x->f.command[i];
	}
	if (x->f.ncommand == COMMANDS_MAX)
		extract_drop_command(x);
	c = table_push(&extract_table[T_COMMAND], x);
	c->first = x->f.records;
	c->text = extract_keep(x, key, COMMAND_BYTES);
	buf_reset(&x->text);
	prose_family(&x->text, prose_command_core(command));
	c->family = extract_keep(x, extract_scratch(x, buf_str(&x->text)), ID_BYTES);
	c->check = prose_is_check(command);
	return c;
}

/* The last line of an output that says more than its exit code. */
static str last_line(struct extract *x, str own, str text)
{
	str line, last = STR_NONE;

	buf_reset(&x->text);
	prose_plain(&x->text, text);
	text = extract_scratch(x, buf_str(&x->text));
	while (str_split(&text, '\n', &line)) {
		if (str_trim(line).n > 8 && !str_starts(line, STR("Exit code")))
			last = line;
	}
	last = extract_squeezed(x, last);
	return str_find(own, last) == STR_NPOS ? extract_cut_text(x, last, 160)
					       : STR_NONE;
}

static str first_line_with(str text, str word)
{
	str line;

	while (str_split(&text, '\n', &line)) {
		if (str_find(line, word) != STR_NPOS)
			return line;
	}
	return STR_NONE;
}

/* A guard of the user's blocked the command: its line, and its rule. */
static size_t blocked_lines(struct extract *x, str text, str out[2])
{
	size_t rule = str_find(text, STR("Rule: "));

	if (rule == STR_NPOS || rule == 0 ||
	    str_find(str_head(text, 400), STR("BLOCKED")) == STR_NPOS)
		return 0;
	out[0] = extract_cut_text(
		x, extract_squeezed(x, first_line_with(text, STR("BLOCKED"))), 160);
	text = str_from(text, rule);
	out[1] = extract_cut_text(x, str_head(text, str_chr(text, '\n')), 80);
	return 2;
}

/* Programs whose output is other people's text. */
static bool prints_texts(str command)
{
	static const str programs[] = {STR("grep"), STR("rg"),  STR("cat"), STR("ls"),
				       STR("find"), STR("git"), STR("sed"), STR("head"),
				       STR("tail"), STR("awk")};

	return extract_in_list(str_head(command, str_chr(command, ' ')), programs,
			       COUNT(programs));
}

#define SHORT_OUTPUT 300
#define LONG_OUTPUT  (8 * SHORT_OUTPUT) /* not short, whatever is redacted in it */

/* Error lines of a command that the client did not flag: pipes and `|| true` hide failure. */
static size_t soft_errors(struct extract *x, const struct fact_command *d, str command,
			  str own, str text, str out[2])
{
	size_t n, kept = 0;

	if (!d->check && !str_starts(command, STR("gh ")) &&
	    str_find(command, STR("| ")) == STR_NPOS && !str_ends(command, STR("2>&1")) &&
	    text.n >= SHORT_OUTPUT)
		return 0;
	if (prints_texts(command) || (d->tally.n && !prose_tally_fails(d->tally)))
		return 0;
	n = prose_error_lines(&x->other, text, own, false, out);
	for (size_t i = 0; i < n; i++) {
		if (prose_error_score(out[i], false) >= (text.n < SHORT_OUTPUT ? 3 : 5))
			out[kept++] = out[i];
	}
	return kept;
}

static size_t hard_errors(struct extract *x, str own, str text, str out[2], bool *weak)
{
	size_t n = blocked_lines(x, text, out);

	if (!n)
		n = prose_error_lines(&x->other, text, own, true, out);
	if (n)
		return n;
	*weak = true;
	out[0] = last_line(x, own, text);
	return out[0].n > 0;
}

struct fact_error *extract_add_error(struct extract *x, str command, str family,
				     const str *line, size_t n)
{
	struct fact_error *e = extract_push_newest(x, &extract_table[T_ERROR]);

	e->record = x->f.records;
	e->at = x->now;
	e->command = extract_keep(x, command, LABEL_BYTES);
	e->family = extract_keep(x, family, ID_BYTES);
	for (size_t i = 0; i < n; i++)
		e->line[i] = extract_keep_line(x, line[i]);
	e->nlines = n;
	return e;
}

static void mark_fixed(struct extract *x, str family)
{
	for (size_t i = 0; family.n && i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];

		if (!e->fixed && str_eq(e->family, family))
			e->fixed = x->f.records;
	}
}

static void command_errors(struct extract *x, const struct fact_command *d, str command,
			   str own, str text, bool failed)
{
	struct fact_error *e;
	bool weak = false;
	str line[2];
	size_t n;

	if (failed)
		n = hard_errors(x, own, text, line, &weak);
	else
		n = soft_errors(x, d, command, own, text, line);
	if (n) {
		e = extract_add_error(x, command, d->family, line, n);
		e->hard = failed;
		e->tool = weak;
	} else if (!failed) {
		mark_fixed(x, d->family);
	}
}

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

/* A status of the whole tree, and nothing else that prints: `git add x && git status -s`. */
static bool prints_status(const struct extract *x, str command)
{
	str s = command, w;
	size_t and;

	while ((and = str_find(s, STR("&&"))) != STR_NPOS) {
		str part = str_head(s, and);

		if (!git_verb(x, &part, STR("add")))
			return false;
		s = str_from(s, and+2);
	}
	if (!git_verb(x, &s, STR("status")) || str_chr(s, ';') != STR_NPOS)
		return false;
	while (str_word(&s, &w)) {
		if (w.p[0] != '-' && !str_starts(w, STR("2>")))
			return str_eq(w, STR("|")) &&
			       (str_starts(str_trim(s), STR("head")) ||
				str_starts(str_trim(s), STR("cat")));
	}
	return true;
}

/* `git log --oneline -5` of where HEAD is, first in its command. */
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

static void git_facts(struct extract *x, const struct call *c, const struct val *result,
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
	if (prints_log(x, c->command))
		note_head(x, text);
	if (prints_status(x, c->command)) {
		x->f.git_status = extract_keep_ends(x, text, HALF_TEXT_BYTES / 2,
						    HALF_TEXT_BYTES / 2);
		x->f.git_status_record = x->f.records;
		x->f.git_status_at = x->f.last_at;
	}
}

/* All that the command itself says, on one line and as it was written: no evidence of anything. */
static str own_text(struct extract *x, const struct call *c)
{
	buf_reset(&x->text);
	buf_add(&x->text, c->command);
	if (!str_eq(c->command, c->raw)) {
		buf_byte(&x->text, '\n');
		buf_add(&x->text, c->raw);
	}
	return extract_scratch(x, buf_str(&x->text));
}

/* Flagged as failed, but 1 is how its last program says "nothing found" or "they differ". */
static bool is_answer(const struct call *c, str text)
{
	str line = str_head(text, str_chr(text, '\n'));

	return str_eq(str_trim(line), STR("Exit code 1")) && prose_shrugs(c->command);
}

/* The first pass over an output as it came: it counts findings. Redacted it is looked at again. */
static bool has_finding(str text)
{
	str clause, subject;
	size_t it = 0;

	return prose_finding(text, &it, &clause, &subject);
}

bool extract_is_quiet(const struct call *c, const struct block *b)
{
	str command = c->command;
	bool unread = prints_texts(command) ||
		      (b->text.n >= LONG_OUTPUT && !str_starts(command, STR("gh ")) &&
		       str_find(command, STR("| ")) == STR_NPOS &&
		       !str_ends(command, STR("2>&1")));

	return unread && !b->is_error && !prose_is_check(command) &&
	       str_find(c->raw, STR("git")) == STR_NPOS && !has_finding(b->text) &&
	       !has_finding(b->tail);
}

void extract_on_shell(struct extract *x, const struct call *c, const struct val *result,
		      str text, bool failed)
{
	struct fact_command *d;
	str id = extract_door_get(x, result, "backgroundTaskId"), own;

	if (c->command.n == 0)
		return;
	own = own_text(x, c);
	failed = failed && !is_answer(c, text);
	d = find_command(x, c->command);
	d->piped = prose_is_piped(c->command);
	d->record = x->f.records;
	d->at = x->f.last_at;
	d->count++;
	d->failed = failed;
	if (c->description.n)
		d->description = extract_keep(x, c->description, LABEL_BYTES);
	buf_reset(&x->text);
	if (d->check)
		prose_tally(&x->text, text, own);
	d->tally = extract_keep_line(x, extract_scratch(x, buf_str(&x->text)));
	extract_count_names(x, utf8_head(c->command, 600), WEIGHT_COMMAND);
	if (failed && str_starts(text, STR("<tool_use_error>")))
		return;
	command_errors(x, d, c->command, own, text, failed);
	git_facts(x, c, result, text, failed);
	if (!failed)
		extract_on_touch(x, c->raw);
	extract_note_finding(x, text);
	if (id.n)
		extract_background(x, id, c->command);
}
