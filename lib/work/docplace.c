#include "work/docplace.h"

#include <stdlib.h>

#include "base/oom.h"
#include "work/gitsaid.h"
#include "work/prose.h"
#include "work/redact.h"

#define DIRTY_SHOWN    12
#define STATUS_SHOWN   8
#define GROUP_MAX      30 /* commands of one program that may be told */
#define COMMAND_BYTES  190
#define GLANCE_BYTES   110 /* of a command that only looks, or of a loop */
#define TOOLS_SHOWN    16
#define NAMES_SHOWN    4
#define MODIFY_SHOWN   4
#define MODIFY_RECORDS 60
#define NAMED_MAX      40
#define TALKED_WEIGHT  2 /* of a path that a text of the model names once */
#define SHELLED_SHOWN  12

/* ---- git ---- */

static void show_foreign(struct buf *out, str s)
{
	redact_show(out, s, true);
}

static const struct fact_commit *last_commit(const struct facts *f)
{
	return f->ncommit ? &f->commit[f->ncommit - 1] : NULL;
}

str docplace_branch(const struct facts *f)
{
	struct gitsaid_head h = gitsaid_head(f->git_status);
	const struct fact_commit *c = last_commit(f);

	if (str_eq(f->branch, STR("HEAD"))) /* so the client writes that it is on none */
		return STR_NONE;
	if (f->branch.n || h.branch.n || h.no_branch)
		return f->branch.n ? f->branch : h.branch;
	return c && !str_eq(c->branch, STR("detached")) ? c->branch : STR_NONE;
}

static void recorded_branch(struct buf *out, const struct facts *f)
{
	struct gitsaid_head h = gitsaid_head(f->git_status);
	str branch = docplace_branch(f);

	if (branch.n) {
		show_foreign(out, branch);
	} else if (h.detached.n) {
		buf_add(out, STR("none (detached HEAD at "));
		show_foreign(out, h.detached);
		buf_byte(out, ')');
	} else {
		buf_add(out, h.no_branch || f->branch.n ? STR("none (detached HEAD)")
							: STR("unknown"));
	}
}

static void recorded_head(struct doc *d, struct buf *out)
{
	const struct facts *f = d->f;
	const struct fact_commit *c = last_commit(f);

	buf_add(out, STR("Branch: "));
	recorded_branch(out, f);
	buf_add(out, STR(" \xc2\xb7 HEAD: "));
	if (f->head_sha.n && (!c || f->head_record > c->record)) {
		doc_code(d, out, f->head_sha, 0);
		buf_byte(out, ' ');
		doc_quote(d, out, f->head_subject, 80);
		buf_byte(out, '\n');
		return;
	}
	if (c && c->sha.n)
		doc_code(d, out, c->sha, 0);
	else
		buf_add(out, c ? STR("unknown, last commit") : STR("unknown"));
	if (c && c->subject.n) {
		buf_byte(out, ' ');
		doc_quote(d, out, c->subject, 80);
	}
	buf_byte(out, '\n');
}

/* How far apart branch and upstream were; nothing where a push has moved that since. */
static void recorded_upstream(struct buf *out, const struct facts *f,
			      const struct gitsaid_head *h)
{
	if (!h->upstream.n ||
	    (f->npush && f->push[f->npush - 1].record > f->git_status_record))
		return;
	if (h->gone) {
		buf_add(out, STR("upstream "));
		show_foreign(out, h->upstream);
		buf_add(out, STR(" is gone"));
	} else if (!h->apart) {
		return;
	} else if (!h->ahead && !h->behind) {
		buf_add(out, STR("up to date with "));
		show_foreign(out, h->upstream);
	} else {
		buf_add(out, h->ahead ? STR("ahead of ") : STR("behind "));
		show_foreign(out, h->upstream);
		buf_printf(out, " by %llu",
			   (unsigned long long)(h->ahead ? h->ahead : h->behind));
		if (h->ahead && h->behind)
			buf_printf(out, ", behind by %llu",
				   (unsigned long long)h->behind);
	}
	buf_add(out, STR("; "));
}

static void recorded_status(struct doc *d, struct buf *out)
{
	const struct facts *f = d->f;
	struct gitsaid_head h = gitsaid_head(f->git_status);
	str rest = f->git_status, path;
	size_t n = 0;
	char mark;

	/* a commit after it has made it old */
	if (!f->git_status_record ||
	    (f->ncommit && last_commit(f)->record > f->git_status_record))
		return;
	buf_add(out, STR("`git status` at "));
	doc_time(d, out, f->git_status_at);
	buf_add(out, STR(": "));
	recorded_upstream(out, f, &h);
	while (gitsaid_entry(&rest, &mark, &path)) {
		if (n < STATUS_SHOWN) {
			buf_printf(out, "%s%c ", n ? ", " : "", mark);
			doc_code(d, out, path, 200);
		}
		n++;
	}
	if (n > STATUS_SHOWN)
		buf_printf(out, " and %zu more", n - STATUS_SHOWN);
	if (!n && gitsaid_clean(f->git_status))
		buf_add(out, STR("nothing to commit"));
	else if (!n)
		doc_quote(d, out, f->git_status, 120);
	buf_byte(out, '\n');
}

/* What moved between the records and now. */
static void drift(struct doc *d, const struct gitstate *git, struct buf *out)
{
	const struct facts *f = d->f;
	const struct fact_commit *c = last_commit(f);
	str head = str_of(git->head);

	if (f->branch.n && git->branch && !str_eq(f->branch, STR("HEAD")) &&
	    !str_eq(str_of(git->branch), f->branch)) {
		buf_add(out, STR("Drift: the records end on branch "));
		doc_code(d, out, f->branch, 0);
		buf_add(out, STR("; the work tree is on "));
		doc_code(d, out, str_of(git->branch), 0);
		buf_add(out, STR(" now.\n"));
	}
	if (c && c->sha.n >= 7 && head.n && !str_starts(head, c->sha)) {
		buf_add(out, STR("Drift: the last recorded commit is "));
		doc_code(d, out, c->sha, 0);
		buf_add(out, STR("; HEAD is another one now.\n"));
	}
}

void docplace_git(struct doc *d, const struct gitstate *git, bool brief, struct buf *out)
{
	const struct facts *f = d->f;

	if (git && git->kind != GITSTATE_NO_DIR && git->kind != GITSTATE_NONE) {
		buf_add(out, STR("Read from the repository when this was written:\n"));
		gitstate_show(git, out, brief ? 0 : DIRTY_SHOWN);
		if (git->kind == GITSTATE_REPO || git->kind == GITSTATE_BARE) {
			drift(d, git, out);
		} else {
			buf_add(out, STR("As recorded in the transcript:\n"));
			recorded_head(d, out);
		}
		return;
	}
	buf_add(out, STR("As recorded in the transcript, not re-read"));
	if (git && f->dir.n && !brief) {
		buf_add(out, STR(" ("));
		doc_code(d, out, f->dir, 0);
		buf_add(out, git->kind == GITSTATE_NONE
				     ? STR(" is no git repository now)")
				     : STR(" does not exist here)"));
	}
	buf_add(out, STR(":\n"));
	recorded_head(d, out);
	if (!brief)
		recorded_status(d, out);
}

/* ---- commands ---- */

/* Without leading `echo "=== x ===";`: such lines only label what follows. */
static str without_labels(str c)
{
	for (;;) {
		size_t k;
		char quote;

		if (!str_starts(c, STR("echo ")) && !str_starts(c, STR("Write-Host ")))
			return c;
		k = str_chr(c, ' ') + 1;
		if (k >= c.n || (c.p[k] != '"' && c.p[k] != '\''))
			return c;
		quote = c.p[k++];
		while (k < c.n && c.p[k] != quote)
			k++;
		k++;
		while (k < c.n && c.p[k] == ' ')
			k++;
		if (k + 2 >= c.n ||
		    (c.p[k] != ';' && !str_starts(str_from(c, k), STR("&&"))))
			return c;
		c = str_trim(str_from(c, k + (c.p[k] == ';' ? 1 : 2)));
	}
}

static str program(str command)
{
	size_t k = str_chr(command, ' ');

	return k == STR_NPOS ? command : str_head(command, k);
}

static bool is_loop(str command)
{
	str p = program(command);

	return str_eq(p, STR("for")) || str_eq(p, STR("while")) || str_eq(p, STR("if")) ||
	       (command.n && (command.p[0] == '$' || command.p[0] == '@'));
}

static double command_value(const struct doc *d, const struct fact_command *c)
{
	double v = 3 + 2 * doc_age(d, c->record);

	v += c->count > 4 ? 3 : c->count ? c->count - 1 : 0;
	if (prose_is_explore(c->text) ||
	    (c->text.n && (c->text.p[0] == '$' || c->text.p[0] == '@')))
		v -= 2;
	else if (c->check || prose_is_act(c->text))
		v += 2;
	if (c->family.n > 5 && doc_weight(d, c->family) > 0)
		v += 1;
	return v;
}

/* The client's own bookkeeping: reading what a background task printed. */
static bool is_housekeeping(str command)
{
	return (str_find(command, STR("/tasks/")) != STR_NPOS &&
		str_find(command, STR(".output")) != STR_NPOS) ||
	       str_starts(command, STR("sleep ")) || str_eq(command, STR("pwd"));
}

static int by_record(const void *x, const void *y)
{
	const struct fact_command *a = *(const struct fact_command *const *)x;
	const struct fact_command *b = *(const struct fact_command *const *)y;

	return a->record < b->record ? -1 : a->record > b->record;
}

static void add_command(struct doc *d, struct doc_line *l, const struct fact_command *c)
{
	str text = without_labels(c->text);
	bool brief = prose_is_explore(text) || is_loop(text);
	struct buf *b = doc_text(d);

	doc_command(d, b, text, brief ? GLANCE_BYTES : COMMAND_BYTES);
	if (c->failed)
		buf_add(b, STR(" (failed)"));
	else if (c->count > 1)
		buf_printf(b, " \xc3\x97%u", c->count);
	doc_add(d, l, command_value(d, c), c->record);
}

static int most_used(const void *x, const void *y)
{
	const struct fact_tool *a = *(const struct fact_tool *const *)x;
	const struct fact_tool *b = *(const struct fact_tool *const *)y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return str_cmp(a->name, b->name);
}

/* The client's own, which say nothing about the work. */
static bool is_client_tool(str name)
{
	static const char *const names[] = {"Skill",
					    "TaskStop",
					    "KillShell",
					    "KillBash",
					    "SendMessage",
					    "AgentOutputTool",
					    "ListMcpResourcesTool",
					    NULL};
	size_t i;

	for (i = 0; names[i]; i++)
		if (str_eq(name, str_of(names[i])))
			return true;
	return false;
}

static void other_tools(struct doc *d)
{
	const struct facts *f = d->f;
	const struct fact_tool **t = malloc((f->ntool + 1) * sizeof(*t));
	struct doc_line *l =
		doc_line(d, DOC_ENVIRONMENT, DOC_B_COMMAND, 50, "- Other tools: ");
	size_t n = 0, i;

	if (!t)
		oom();
	l->sep = ", ";
	for (i = 0; i < f->ntool; i++)
		if (!is_client_tool(f->tool[i].name))
			t[n++] = &f->tool[i];
	qsort(t, n, sizeof(*t), most_used);
	for (i = 0; i < n && i < TOOLS_SHOWN; i++) {
		struct buf *b = doc_text(d);

		doc_code(d, b, t[i]->name, 80);
		buf_printf(b, " \xc3\x97%u", t[i]->count);
		if (t[i]->failed)
			buf_printf(b, " (%u failed)", t[i]->failed);
		doc_add(d, l, 2.5, 0);
	}
	free(t);
}

/* One line a program, ordered by last use; programs with one command share a line. */
void docplace_commands(struct doc *d)
{
	const struct facts *f = d->f;
	const struct fact_command **c = malloc((f->ncommand + 1) * sizeof(*c));
	struct doc_line *single, *l;
	size_t n = 0, i, k;

	if (!c)
		oom();
	for (i = 0; i < f->ncommand; i++)
		if (!is_housekeeping(f->command[i].text))
			c[n++] = &f->command[i];
	qsort(c, n, sizeof(*c), by_record);
	single = doc_line(d, DOC_ENVIRONMENT, DOC_B_COMMAND, 19, "- Ran ");
	single->sep = "; ";
	for (i = 0; i < n; i++) {
		str p;
		size_t same = 0;

		if (!c[i])
			continue;
		p = program(without_labels(c[i]->text));
		for (k = i; k < n; k++)
			same += c[k] && str_eq(program(without_labels(c[k]->text)), p);
		if (same == 1) {
			add_command(d, single, c[i]);
			continue;
		}
		l = doc_line(d, DOC_ENVIRONMENT, DOC_B_COMMAND, 20, "- Ran ");
		l->sep = "; ";
		for (k = i; k < n; k++) {
			if (!c[k] || !str_eq(program(without_labels(c[k]->text)), p))
				continue;
			if (same-- <= GROUP_MAX) { /* the newest ones */
				add_command(d, l, c[k]);
				l->order = 20 + doc_age(d, c[k]->record);
			}
			c[k] = NULL;
		}
	}
	free(c);
	other_tools(d);
}

/* ---- files ---- */

static bool is_edited(const struct facts *f, str path)
{
	size_t i;

	for (i = 0; i < f->nedit; i++)
		if (extract_same_file(f->edit[i].path, path))
			return true;
	return false;
}

/* Up to four names defined in a file that were talked about. */
static void read_names(struct doc *d, struct buf *b, const struct fact_read *r)
{
	const struct fact_name *best[NAMES_SHOWN] = {NULL};
	double weight[NAMES_SHOWN] = {0};
	size_t n = 0, i, k;

	for (i = 0; i < r->nnames; i++) {
		double w = doc_weight(d, r->name[i].text);

		if (w < 0.5 || r->name[i].text.n < 5)
			continue;
		for (k = n; k > 0 && (w > weight[k - 1] ||
				      (w == weight[k - 1] &&
				       str_cmp(r->name[i].text, best[k - 1]->text) < 0));
		     k--) {
			if (k < NAMES_SHOWN) {
				best[k] = best[k - 1];
				weight[k] = weight[k - 1];
			}
		}
		if (k < NAMES_SHOWN) {
			best[k] = &r->name[i];
			weight[k] = w;
			n += n < NAMES_SHOWN;
		}
	}
	for (i = 0; i < n; i++) {
		buf_add(b, i ? STR(", ") : STR(" ("));
		doc_code(d, b, best[i]->text, 0);
	}
	if (n)
		buf_byte(b, ')');
}

/* Written by the editor too, or in a place that nobody comes back to. */
static bool is_told(const struct facts *f, str path)
{
	size_t i;

	if (str_starts(path, STR("/tmp")) || str_starts(path, STR("/private/tmp")) ||
	    str_starts(path, STR("/var/tmp")))
		return true;
	for (i = 0; i < f->nedit; i++)
		if (extract_same_file(f->edit[i].path, path))
			return true;
	return false;
}

static bool is_shelled(const struct facts *f, str path)
{
	size_t i;

	for (i = 0; i < f->nshelled; i++)
		if (extract_same_file(f->shelled[i].path, path))
			return true;
	return false;
}

/* path ends in the components of rel. */
static bool ends_in(str path, str rel)
{
	size_t i;

	if (path.n < rel.n)
		return false;
	for (i = 0; i < rel.n; i++) {
		char c = path.p[path.n - rel.n + i];

		if ((c == '\\' ? '/' : c) != rel.p[i])
			return false;
	}
	return path.n == rel.n || path.p[path.n - rel.n - 1] == '/' ||
	       path.p[path.n - rel.n - 1] == '\\';
}

/* Of a file that was talked of this much. */
static double named_value(double weight)
{
	return 0.6 + 0.4 * (weight < 12 ? weight : 12);
}

/* A file that only shell commands looked into counts as one that was named; 0: nobody spoke of it. */
static double glance_value(const struct facts *f, const struct fact_read *r)
{
	double most = 0;
	size_t i;

	for (i = 0; i < f->nnamed; i++) {
		const struct fact_name *n = &f->named[i];

		if ((double)n->weight > most && ends_in(r->path, n->text))
			most = (double)n->weight;
	}
	return most >= TALKED_WEIGHT ? named_value(most) : 0;
}

/* A shell command removed it since, or the folder that it lay in. */
static bool is_removed(const struct facts *f, const struct fact_read *r)
{
	size_t i;

	for (i = 0; i < f->nshelled; i++) {
		const struct fact_shelled *s = &f->shelled[i];

		if (s->record > r->record &&
		    (str_eq(s->how, STR("rm")) || str_eq(s->how, STR("git rm"))) &&
		    str_starts(r->path, s->path) &&
		    (r->path.n == s->path.n || r->path.p[s->path.n] == '/'))
			return true;
	}
	return false;
}

/* A file for the line of context: read by a tool, or looked into by a command and talked of. */
static bool is_context(const struct facts *f, const struct fact_read *r)
{
	if (is_edited(f, r->path) || is_housekeeping(r->path) || is_removed(f, r))
		return false;
	return !r->shell || !(is_told(f, r->path) || is_shelled(f, r->path) ||
			      glance_value(f, r) <= 0);
}

/* Where no tool read a file, those that commands looked into are told among the named ones. */
static bool has_context(const struct facts *f)
{
	size_t i;

	for (i = 0; i < f->nread; i++)
		if (!f->read[i].shell && is_context(f, &f->read[i]))
			return true;
	return false;
}

static void for_context(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *l = doc_line(d, DOC_FILES, DOC_B_FILE, 0, "**For context:** ");
	size_t i;

	if (!has_context(f))
		return;

	l->sep = ", ";
	for (i = f->nread; i-- > 0;) {
		const struct fact_read *r = &f->read[i];
		struct buf *b;

		if (!is_context(f, r))
			continue;
		b = doc_text(d);
		doc_path(d, b, r->path);
		read_names(d, b, r);
		doc_add(d, l,
			r->shell ? glance_value(f, r)
				 : 3 + r->count + 3 * doc_age(d, r->record),
			r->record);
	}
}

static void to_modify(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *l =
		doc_line(d, DOC_FILES, DOC_B_FILE, 1, "**To modify next:** ");
	size_t i;

	l->sep = ", ";
	for (i = f->nedit > MODIFY_SHOWN ? f->nedit - MODIFY_SHOWN : 0; i < f->nedit;
	     i++) {
		if (f->last_edit_record - f->edit[i].last >= MODIFY_RECORDS)
			continue;
		doc_path(d, doc_text(d), f->edit[i].path);
		doc_add(d, l, 3, f->edit[i].last);
	}
}

struct named {
	str rel;
	const struct fact_name *n;
};

static int by_weight(const void *x, const void *y)
{
	const struct named *a = x, *b = y;

	if (a->n->weight != b->n->weight)
		return a->n->weight > b->n->weight ? -1 : 1;
	return str_cmp(a->rel, b->rel);
}

/* "_test.go", ".test.js": the end of a name, not a file; and words that only look like one. */
static bool is_no_file(str r)
{
	static const char *const words[] = {
		"console.log", "process.env", "import.meta.env", "_test.go", ".test.js",
		".test.ts",    ".test.tsx",   ".spec.ts",        "_test.py", NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (str_eq(r, str_of(words[i])))
			return true;
	return false;
}

static size_t slashes(str s)
{
	size_t i, n = 0;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == '/';
	return n;
}

/* context: what commands looked into is told in the line of context. */
static bool is_worth_naming(const struct facts *f, str r, bool context)
{
	bool dir = str_ends(r, STR("/"));
	size_t i;

	if (r.n < 4 || is_no_file(r) || str_starts(r, STR("/tmp")) ||
	    str_starts(r, STR("/dev/")) || str_starts(r, STR("/private/tmp")) ||
	    str_starts(r, STR("/path/")) || str_find(r, STR("REDACTED")) != STR_NPOS ||
	    str_find(r, STR("redacted")) != STR_NPOS)
		return false;
	if (dir && r.p[0] != '~')
		return false;
	if (r.p[0] == '/' && slashes(r) < 2)
		return false;
	for (i = 0; i < f->nedit; i++)
		if (ends_in(f->edit[i].path, r))
			return false;
	for (i = 0; i < f->nread; i++)
		if (ends_in(f->read[i].path, r) && (!f->read[i].shell || context))
			return false;
	for (i = 0; i < f->nshelled; i++)
		if (ends_in(f->shelled[i].path, r))
			return false;
	for (i = 0; i < f->ntracked; i++)
		if (ends_in(f->tracked[i].text, r))
			return false;
	return true;
}

static bool is_name_byte(char c)
{
	return str_is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/* A command has the file's name, whatever it did with it: that nothing opened the file is not known. */
static bool in_commands(const struct facts *f, str path)
{
	str name = str_basename(path);
	size_t i;

	for (i = 0; name.n && i < f->ncommand; i++) {
		str rest = f->command[i].text;
		size_t k;

		while ((k = str_find(rest, name)) != STR_NPOS) {
			bool begins = k == 0 || !is_name_byte(rest.p[k - 1]);

			rest = str_from(rest, k + name.n);
			if (begins && (!rest.n || !is_name_byte(rest.p[0])))
				return true;
		}
	}
	return false;
}

static void named_only(struct doc *d)
{
	const struct facts *f = d->f;
	bool context = has_context(f), opened = false;
	struct doc_line *l, *also;
	struct named *list = malloc((f->nnamed + 1) * sizeof(*list));
	struct buf rel = BUF_INIT(4096);
	size_t n = 0, i, k, told = 0;

	if (!list)
		oom();
	for (i = 0; i < f->nread && !context; i++)
		opened |= f->read[i].shell;
	l = doc_line(d, DOC_FILES, DOC_B_FILE, 2,
		     opened ? "**Named:** " : "**Named, not opened:** ");
	also = opened ? l
		      : doc_line(d, DOC_FILES, DOC_B_FILE, 2.1,
				 "**Named, also in commands:** ");
	l->sep = also->sep = ", ";
	for (i = 0; i < f->nnamed; i++) {
		str r;

		buf_reset(&rel);
		extract_relative(f, f->named[i].text, &rel);
		r = buf_str(&rel);
		if (str_starts(r, STR("./")))
			r = str_from(r, 2);
		if (is_worth_naming(f, r, context))
			list[n++] = (struct named){doc_keep(d, r), &f->named[i]};
	}
	qsort(list, n, sizeof(*list), by_weight);
	for (i = 0; i < n && told < NAMED_MAX; i++) {
		double w = (double)list[i].n->weight;

		for (k = 0; k < i && !ends_in(list[k].rel, list[i].rel); k++)
			;
		if (k < i) /* the same file, named with more of its path */
			continue;
		doc_code(d, doc_text(d), list[i].rel, 0);
		doc_add(d, in_commands(f, list[i].rel) ? also : l, named_value(w),
			list[i].n->record);
		told++;
	}
	buf_release(&rel);
	free(list);
}

/* What `git add` alone named: it was changed by nobody here. */
static bool is_staged(const struct fact_shelled *s)
{
	return str_eq(s->how, STR("git add"));
}

bool docplace_shelled(const struct facts *f)
{
	size_t i;

	for (i = 0; i < f->nshelled; i++)
		if (!is_staged(&f->shelled[i]))
			return true;
	return false;
}

static void by_shell(struct doc *d, double order, bool staged, const char *prefix)
{
	const struct facts *f = d->f;
	struct doc_line *l = doc_line(d, DOC_FILES, DOC_B_FILE, order, prefix);
	size_t i, n = 0;

	l->sep = ", ";
	for (i = f->nshelled; i-- > 0 && n < SHELLED_SHOWN;) {
		const struct fact_shelled *s = &f->shelled[i];
		struct buf *b = doc_text(d);

		if (is_told(f, s->path) || is_staged(s) != staged)
			continue;
		doc_path(d, b, s->path);
		if (!staged) {
			buf_add(b, STR(" ("));
			doc_code(d, b, s->how, 0);
			buf_byte(b, ')');
		}
		doc_add(d, l, n < 4 ? 3 : 1.5, s->record);
		n++;
	}
}

void docplace_files(struct doc *d)
{
	for_context(d);
	to_modify(d);
	by_shell(d, 1.5, false, "**Changed by shell commands:** ");
	by_shell(d, 1.6, true, "**Staged with `git add`:** ");
	named_only(d);
}
