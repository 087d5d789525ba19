#include "work/dochazard.h"

#include "work/gitsaid.h"
#include "work/prose.h"
#include "work/redact.h"
#include "work/stated.h"

#define STOPPED_SHOWN 6
#define STOPPED_WORDS 60
#define STOPPED_SAME  40 /* bytes in which a later command is the same */
#define RUNNING_SHOWN 6
#define FILES_SHOWN   12
#define PLAN_ITEMS    5
#define STATUS_BYTES  20000

/* ---- stated ---- */

static void stated_line(struct doc *d, double order, const struct stated_item *s,
			bool must)
{
	struct doc_line *l = doc_line(d, DOC_HAZARDS, must ? DOC_B_STATED : DOC_B_HAZARD,
				      order, "- User: ");

	doc_quote(d, doc_text(d), s->text, 0);
	doc_add(d, l, 10 + s->strength, s->record)->must = must;
}

static double carried_lines(struct doc *d, const str *carried, size_t n, struct stated *l)
{
	double order = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct doc_line *line;
		str s = str_trim(carried[i]);
		size_t k;

		if (str_starts(s, STR("- ")))
			s = str_trim(str_from(s, 2));
		if (!s.n)
			continue;
		for (k = 0; k < l->n;
		     k++) /* said again in this session: once is enough */
			if (str_starts(s, STR("User: ")) &&
			    stated_same(str_from(s, 6), l->item[k].text))
				break;
		if (k < l->n) {
			l->item[k].strength = 3;
			continue;
		}
		line = doc_line(d, DOC_HAZARDS, DOC_B_STATED, order++ * 0.001, "- ");
		doc_say(d, doc_text(d), s, 0);
		doc_must(d, line, 14, 0);
	}
	return order;
}

/* The plan's own limits: items under a heading such as "What this does not change". */
static void plan_limits(struct doc *d)
{
	static const char *const words[] = {
		"not change",   "does not", "doesn't", "constraint",
		"out of scope", "non-goal", "do not",  NULL};
	str rest = d->f->plan, line;
	bool on = false;
	size_t n = 0, i;

	while (str_line(&rest, &line)) {
		struct doc_line *l;
		str t = str_trim(line);

		if (str_starts(line, STR("#"))) {
			on = false;
			for (i = 0; words[i]; i++)
				on = on || str_ifind(line, str_of(words[i])) != STR_NPOS;
			continue;
		}
		if (!on || n == PLAN_ITEMS || t.n < 3 || (t.p[0] != '-' && t.p[0] != '*'))
			continue;
		l = doc_line(d, DOC_HAZARDS, DOC_B_STATED, 10 + (double)n++ * 0.1,
			     "- Plan: ");
		doc_quote_plain(d, doc_text(d), t, 220);
		doc_must(d, l, 9, d->f->plan_record);
	}
}

void dochazard_stated(struct doc *d, const str *carried, size_t ncarried)
{
	struct stated *l = stated_of(d->f);
	size_t i, musts = 0, bytes = 0, from;

	carried_lines(d, carried, ncarried, l);
	/* from the newest back: how many strong ones fit the cap */
	for (from = l->n; from > 0; from--) {
		const struct stated_item *s = &l->item[from - 1];

		if (s->strength < STATED_STRONG)
			continue;
		if (musts == DOCHAZARD_STATED_MAX ||
		    bytes + s->text.n > DOCHAZARD_STATED_BYTES)
			break;
		musts++;
		bytes += s->text.n;
	}
	for (i = 0; i < l->n; i++)
		stated_line(d, 1 + (double)i * 0.01, &l->item[i],
			    l->item[i].strength >= STATED_STRONG && i >= from);
	for (i = 0, musts = 0; i < from; i++)
		musts += l->item[i].strength >= STATED_STRONG;
	if (musts) {
		struct doc_line *line = doc_line(d, DOC_HAZARDS, DOC_B_STATED, 9.9, "- ");

		buf_printf(
			doc_text(d),
			"%zu older clauses of this kind may be missing here: read the user's prompts (`handoff-recover backbone`).",
			musts);
		doc_must(d, line, 9, 0);
	}
	plan_limits(d);
	stated_free(l);
}

/* ---- state ---- */

static struct doc_line *hazard(struct doc *d, double order, const char *prefix)
{
	return doc_line(d, DOC_HAZARDS, DOC_B_HAZARD, order, prefix);
}

static bool is_one_of(str w, const char *const *list)
{
	size_t i;

	for (i = 0; list[i]; i++)
		if (str_eq(w, str_of(list[i])))
			return true;
	return false;
}

bool dochazard_only_reads(const struct fact_call *c)
{
	static const char *const writers[] = {"Edit", "Write", "MultiEdit",
					      "NotebookEdit", NULL};

	if (is_one_of(c->name, writers))
		return false;
	if (!str_eq(c->name, STR("Bash")) && !str_eq(c->name, STR("PowerShell")))
		return !c->agent && !str_starts(c->name, STR("mcp__"));
	return c->label.n > 0 && prose_only_reads(c->label);
}

#define PART_BYTES  110 /* of one command of a long list */
#define PARTS_SHOWN 8

void dochazard_call(struct doc *d, struct buf *b, const struct fact_call *c, size_t max)
{
	bool shell = str_eq(c->name, STR("Bash")) || str_eq(c->name, STR("PowerShell"));
	size_t it = 0, shown = 0, left = 0;
	str part;

	if (!shell || c->label.n <= max) {
		doc_command(d, b, c->label, max);
		return;
	}
	/* a list too long to be shown whole: what it would change, one by one */
	while (prose_command_part(c->label, false, &it, &part)) {
		if (prose_only_reads(part))
			continue;
		if (shown == PARTS_SHOWN) {
			left++;
			continue;
		}
		if (shown++)
			buf_add(b, STR(", "));
		doc_command(d, b, part, PART_BYTES);
	}
	if (left)
		buf_printf(b, " and %zu more", left);
	if (!shown)
		doc_command(d, b, c->label, max);
}

static void half_applied(struct doc *d, const struct fact_call *c, size_t at, str end)
{
	struct doc_line *l;
	struct buf *b;

	if (dochazard_only_reads(c))
		return;
	l = hazard(d, 12 + (double)at * 0.01, "- Possibly half-applied: ");
	b = doc_text(d);
	dochazard_call(d, b, c, 160);
	if (c->in_agent)
		buf_add(b, STR(" (in the sub-agent)"));
	buf_add(b, STR(" was started at "));
	doc_time(d, b, c->at);
	buf_add(b, end);
	doc_must(d, l, 30, c->record);
}

static void calls_without_result(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i, n = 0;

	for (i = 0; i < f->nopen; i++)
		half_applied(d, &f->open[i], n++, STR(" and has no result."));
	for (i = 0; i < f->nlost; i++)
		half_applied(d, &f->lost[i], n++,
			     STR(" and has no result; the session went on without it."));
}

bool dochazard_newest(const struct facts *f, const struct fact_command *c)
{
	size_t i;

	for (i = 0; i < f->ncommand; i++)
		if (f->command[i].check && f->command[i].record > c->record &&
		    str_eq(f->command[i].family, c->family))
			return false;
	return true;
}

bool dochazard_failing(const struct facts *f, const struct fact_command *c)
{
	size_t i;

	if (c->failed || (c->tally.n && prose_tally_fails(c->tally)))
		return true;
	for (i = f->nerror; i-- > 0 && f->error[i].record >= c->record;)
		if (f->error[i].record == c->record && !f->error[i].tool)
			return true;
	return false;
}

static void failing_checks(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < f->ncommand; i++) {
		const struct fact_command *c = &f->command[i];
		struct doc_line *l;
		struct buf *b;

		if (!c->check || !dochazard_failing(f, c) || !dochazard_newest(f, c))
			continue;
		l = hazard(d, 14 + (double)i * 0.001, "- Failed when last run: ");
		b = doc_text(d);
		doc_command(d, b, prose_command_core(c->text), 120);
		buf_add(b, STR(" at "));
		doc_time(d, b, c->at);
		if (c->tally.n) {
			buf_add(b, STR(": "));
			doc_quote(d, b, c->tally, 150);
		}
		doc_add(d, l, 12 + 4 * doc_age(d, c->record), c->record);
	}
}

/* A file the session wrote that is not scratch space. */
static bool is_kept(const struct facts *f, str path)
{
	return (f->dir.n && str_starts(path, f->dir)) ||
	       (!str_starts(path, STR("/tmp/")) &&
		!str_starts(path, STR("/private/tmp/")));
}

static bool is_dirty_now(const struct gitstate *git, str path)
{
	size_t i;

	for (i = 0; i < git->nfiles; i++) {
		str p = str_of(git->file[i].path);

		if (str_ends(path, p) ||
		    (str_ends(p, STR("/")) && str_find(path, p) != STR_NPOS))
			return true;
	}
	return false;
}

static bool is_ours(const struct facts *f, str path)
{
	size_t i;

	for (i = 0; i < f->nedit; i++)
		if (str_ends(f->edit[i].path, path))
			return true;
	return false;
}

/* With the repository at hand: which of this session's files are not committed now, and what else changed. */
static void uncommitted_now(struct doc *d, const struct gitstate *git)
{
	const struct facts *f = d->f;
	struct doc_line *l = hazard(d, 80, "- Edited here and not committed (now): ");
	size_t i, n = 0;

	l->sep = ", ";
	for (i = f->nedit; i-- > 0 && n < FILES_SHOWN;) {
		if (!is_dirty_now(git, f->edit[i].path))
			continue;
		doc_path(d, doc_text(d), f->edit[i].path);
		doc_add(d, l, n < 4 ? 8 : 4, f->edit[i].last);
		n++;
	}
	l = hazard(d, 81, "- Changed in the work tree, but by no edit recorded here: ");
	l->sep = ", ";
	for (i = 0, n = 0; i < git->nfiles && n < FILES_SHOWN; i++) {
		str path = str_of(git->file[i].path);

		if ((git->file[i].flags & GITSTATE_UNTRACKED) || is_ours(f, path))
			continue;
		doc_code(d, doc_text(d), path, 0);
		doc_add(d, l, n++ < 4 ? 8 : 4, 0);
	}
	if (git->operation) {
		l = hazard(d, 11, "- ");
		buf_printf(doc_text(d), "A git %s is in progress in the work tree.",
			   git->operation);
		doc_must(d, l, 20, 0);
	}
	if (git->conflicted) {
		l = hazard(d, 11.1, "- ");
		buf_printf(doc_text(d), "%zu file%s in conflict in the work tree.",
			   git->conflicted, git->conflicted == 1 ? " is" : "s are");
		doc_must(d, l, 20, 0);
	}
}

/* "git status" of the records lists other files, but not this one, though it was edited before. */
static bool status_lists(str status, str rel)
{
	str path;
	bool any = false;
	char mark;

	while (gitsaid_entry(&status, &mark, &path)) {
		any = true;
		if (str_ends(path, rel) || str_ends(rel, path) ||
		    (str_ends(path, STR("/")) && str_starts(rel, path)))
			return true;
	}
	return !any;
}

static uint64_t last_commit(const struct facts *f)
{
	return f->ncommit ? f->commit[f->ncommit - 1].record : 0;
}

/* The path of a file in the session's folder, from there; empty for others. */
static str inside(const struct facts *f, str path, struct buf *rel)
{
	str r;

	buf_reset(rel);
	extract_relative(f, path, rel);
	r = buf_str(rel);
	if (!r.n || r.p[0] == '/' || r.p[0] == '~' || str_eq(r, STR(".")) ||
	    str_starts(r, STR("./")) || str_starts(r, STR("../")) ||
	    (r.n > 1 && r.p[1] == ':'))
		return STR_NONE;
	return r;
}

/* Edited before the last `git status`, not committed since, and not in it. */
static bool not_in_status(const struct facts *f, const struct fact_edit *e)
{
	struct buf rel = BUF_INIT(4096);
	bool missing;
	str r;

	if (!f->git_status.n || f->git_status.n > STATUS_BYTES ||
	    e->last <= last_commit(f) || e->last >= f->git_status_record)
		return false;
	r = inside(f, e->path, &rel);
	missing = r.n && !status_lists(f->git_status, r);
	buf_release(&rel);
	return missing;
}

/* What git called unchanged has this file in it. A diff does not show files that are new to git. */
static bool covers(const struct facts *f, const struct fact_unchanged *u,
		   const struct fact_edit *e)
{
	struct buf rel = BUF_INIT(4096);
	str path = e->path;
	bool in;

	if (e->created && !str_eq(u->how, STR("git status")))
		return false;
	if (!u->path.n)
		in = inside(f, path, &rel).n > 0;
	else if (str_starts(path, u->path) && path.n > u->path.n)
		in = path.p[u->path.n] == '/' || path.p[u->path.n] == '\\';
	else
		in = str_ends(path, u->path) &&
		     (path.n == u->path.n ||
		      strchr("/\\", path.p[path.n - u->path.n - 1]));
	buf_release(&rel);
	return in;
}

/* The newest word of git's that this file, edited before and not committed since, is unchanged. */
static const struct fact_unchanged *unchanged_after(const struct facts *f,
						    const struct fact_edit *e)
{
	struct buf rel = BUF_INIT(4096);
	const struct fact_unchanged *u = NULL;
	str r, rest = f->git_status, path;
	char mark;
	size_t i;

	if (e->last <= last_commit(f))
		return NULL;
	for (i = f->nunchanged; i-- > 0 && f->unchanged[i].record > e->last && !u;)
		if (covers(f, &f->unchanged[i], e))
			u = &f->unchanged[i];
	/* a status after that lists it again: something else has changed it */
	r = inside(f, e->path, &rel);
	if (u && r.n && f->git_status_record > u->record &&
	    gitsaid_entry(&rest, &mark, &path) && status_lists(f->git_status, r))
		u = NULL;
	buf_release(&rel);
	return u;
}

static bool called_unchanged(struct doc *d, const struct fact_unchanged *u)
{
	const struct facts *f = d->f;
	bool all = str_eq(u->how, STR("git status"));
	struct doc_line *l = hazard(d, 79, "");
	struct buf *b = doc_text(d);
	size_t i, n = 0;

	buf_add(b, STR("- "));
	doc_code(d, b, u->how, 0);
	buf_add(b, STR(" at "));
	doc_time(d, b, u->at);
	buf_add(b, STR(" showed no change, though these were edited before: "));
	doc_set_prefix(d, l);
	buf_add(doc_text(d),
		all ? STR(" (committed, reverted or ignored, unknown which)")
		    : STR(" (committed, staged, reverted or ignored, unknown which)"));
	doc_set_suffix(d, l);
	l->sep = ", ";
	for (i = f->nedit; i-- > 0 && n < FILES_SHOWN;) {
		if (unchanged_after(f, &f->edit[i]) != u)
			continue;
		doc_path(d, doc_text(d), f->edit[i].path);
		doc_add(d, l, n++ < 4 ? 7 : 4, f->edit[i].last);
	}
	return n > 0;
}

/* Git and the edits disagree: both are told, with their times. */
static bool contradicted(struct doc *d)
{
	const struct facts *f = d->f;
	bool told = false;
	size_t i;

	for (i = 0; i < f->nunchanged; i++)
		told |= called_unchanged(d, &f->unchanged[i]);
	for (i = 0; i < f->nedit; i++) {
		const struct fact_edit *e = &f->edit[i];
		struct doc_line *l;
		struct buf *b;

		if (!not_in_status(f, e) || unchanged_after(f, e))
			continue;
		l = hazard(d, 79, "- ");
		b = doc_text(d);
		doc_path(d, b, e->path);
		buf_add(b, STR(" was edited at "));
		doc_time(d, b, e->at);
		buf_add(b, STR(", yet `git status` at "));
		doc_time(d, b, f->git_status_at);
		buf_add(b,
			STR(" does not list it: committed, reverted or ignored, unknown which."));
		doc_add(d, l, 7, e->last);
		told = true;
	}
	return told;
}

/* Git was asked after it, and names no change of the file. */
static bool unchanged_since(const struct facts *f, const struct fact_shelled *s, str rel)
{
	size_t i;

	for (i = 0; i < f->nunchanged; i++)
		if (f->unchanged[i].record > s->record)
			return true;
	return f->git_status_record > s->record && f->git_status.n <= STATUS_BYTES &&
	       !status_lists(f->git_status, rel);
}

bool dochazard_shelled(const struct facts *f, const struct fact_shelled *s)
{
	/* not: what changes nothing, what puts back what git has, and what may have removed anything */
	static const char *const not [] = {"git add", "git checkout", "git restore", "rm",
					   NULL};
	struct buf rel = BUF_INIT(4096);
	bool is;
	str r;
	size_t i;

	if (s->record <= last_commit(f) || is_one_of(s->how, not ))
		return false;
	for (i = 0; i < f->nedit; i++)
		if (f->edit[i].last > last_commit(f) &&
		    extract_same_file(f->edit[i].path, s->path))
			return false; /* told with the edits */
	r = inside(f, s->path, &rel);
	is = r.n && !unchanged_since(f, s, r);
	buf_release(&rel);
	return is;
}

/* Files that only shell commands changed since the last commit. */
static void shelled_then(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *l =
		hazard(d, 80.5,
		       f->ncommit ? "- Changed by shell commands after the last recorded "
				    "commit: "
				  : "- Changed by shell commands, and no commit is "
				    "recorded: ");
	size_t i, n = 0;

	l->sep = ", ";
	for (i = f->nshelled; i-- > 0 && n < FILES_SHOWN;) {
		if (!dochazard_shelled(f, &f->shelled[i]))
			continue;
		doc_path(d, doc_text(d), f->shelled[i].path);
		doc_add(d, l, n < 4 ? 8 : 4, f->shelled[i].record);
		n++;
	}
}

static void uncommitted_then(struct doc *d, bool contradiction)
{
	const struct facts *f = d->f;
	uint64_t commit = last_commit(f);
	struct doc_line *l;
	size_t i, dirty = 0, kept = 0, n = 0;

	for (i = 0; i < f->nedit; i++) {
		bool k = is_kept(f, f->edit[i].path);

		kept += k;
		dirty += k && f->edit[i].last > commit;
	}
	if (!dirty)
		return;
	if (dirty == kept && !f->ncommit && !contradiction) {
		l = hazard(d, 80, "- ");
		buf_add(doc_text(d),
			STR("No commit is recorded: the edits above are uncommitted, as far as the records tell."));
		doc_must(d, l, 9, f->last_edit_record);
		return;
	}
	l = hazard(d, 80,
		   f->ncommit ? "- Edited after the last recorded commit: "
			      : "- Edited, and no commit is recorded: ");
	l->sep = ", ";
	for (i = f->nedit; i-- > 0 && n < FILES_SHOWN;) {
		if (!is_kept(f, f->edit[i].path) || f->edit[i].last <= commit ||
		    (contradiction &&
		     (not_in_status(f, &f->edit[i]) || unchanged_after(f, &f->edit[i]))))
			continue;
		doc_path(d, doc_text(d), f->edit[i].path);
		doc_add(d, l, n < 4 ? 8 : 4, f->edit[i].last);
		n++;
	}
}

static void background(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i, shown = 0;

	for (i = f->nbackground; i-- > 0 && shown < RUNNING_SHOWN;) {
		const struct fact_background *g = &f->background[i];
		struct doc_line *l;
		struct buf *b;

		if (g->ended.n)
			continue;
		l = hazard(d, 60 - (double)shown++ * 0.01,
			   "- Started in the background, no end reported: ");
		b = doc_text(d);
		doc_command(d, b, g->command, 140);
		buf_add(b, STR(" ("));
		doc_say(d, b, g->id, 40);
		buf_byte(b, ')');
		if (g->event.n) {
			buf_add(b, STR(", last event: "));
			doc_quote(d, b, g->event, 160);
		}
		doc_add(d, l, 9, g->record);
	}
}

static void secrets(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *l = hazard(d, 70, "- Holds secrets; do not print it: ");
	size_t i, k;

	l->sep = ", ";
	for (i = 0; i < f->nread; i++) {
		if (!redact_is_env_file(f->read[i].path))
			continue;
		doc_path(d, doc_text(d), f->read[i].path);
		doc_add(d, l, 10, f->read[i].record);
	}
	for (i = 0; i < f->nedit; i++) {
		if (!redact_is_env_file(f->edit[i].path))
			continue;
		for (k = 0; k < f->nread && !str_eq(f->read[k].path, f->edit[i].path);
		     k++)
			;
		if (k < f->nread)
			continue;
		doc_path(d, doc_text(d), f->edit[i].path);
		doc_add(d, l, 10, f->edit[i].last);
	}
}

/* The same command ran later, or the same file was edited: that it was stopped once is no hazard. */
static bool went_through(const struct facts *f, const struct fact_refused *r)
{
	struct buf key = BUF_INIT(4096);
	str path = str_from(r->label, str_rchr(r->label, ' ') + 1);
	bool yes = false;
	size_t i;

	prose_family(&key, prose_command_core(r->label));
	for (i = 0; i < f->ncommand && !yes; i++) {
		const struct fact_command *c = &f->command[i];

		yes = c->record > r->record && !c->failed && key.n &&
		      str_eq(c->family, buf_str(&key)) &&
		      str_starts(c->text,
				 str_head(prose_command_core(r->label), STOPPED_SAME));
	}
	for (i = 0; i < f->nedit && !yes && path.n < r->label.n; i++)
		yes = f->edit[i].last > r->record && str_ends(f->edit[i].path, path);
	buf_release(&key);
	return yes;
}

static void stopped(struct doc *d)
{
	const struct facts *f = d->f;
	size_t from = f->nrefused > STOPPED_SHOWN ? f->nrefused - STOPPED_SHOWN : 0, i;

	for (i = from; i < f->nrefused; i++) {
		const struct fact_refused *r = &f->refused[i];
		struct doc_line *l;
		struct buf *b;

		/* no hazard: a dialogue that was closed (the answer follows as a prompt), a look */
		if (!r->words.n &&
		    (str_eq(r->tool, STR("AskUserQuestion")) || went_through(f, r) ||
		     (str_eq(r->tool, STR("Bash")) && prose_only_reads(r->label))))
			continue;
		l = hazard(d, 20 + (double)i * 0.01,
			   r->words.n ? "- The user stopped "
				      : "- Stopped (refused or interrupted): ");
		b = doc_text(d);
		doc_command(d, b, r->label.n ? r->label : r->tool, 110);
		if (r->words.n) {
			buf_add(b, STR(" and said: "));
			doc_quote(d, b, r->words, STOPPED_WORDS); /* whole above */
		}
		doc_add(d, l, r->words.n ? 14 : 7, r->record)->must = r->words.n > 0;
	}
}

static bool is_blocked(const struct fact_error *e)
{
	size_t i;

	for (i = 0; i < e->nlines; i++)
		if (str_ifind(e->line[i], STR("blocked")) != STR_NPOS)
			return e->hard;
	return false;
}

static void blocked(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i, k;

	for (i = 0; i < f->nerror; i++) {
		const struct fact_error *e = &f->error[i];
		struct doc_line *l;
		struct buf *b;

		if (!is_blocked(e))
			continue;
		for (k = i + 1; k < f->nerror; k++)
			if (is_blocked(&f->error[k]) &&
			    str_eq(f->error[k].family, e->family))
				break;
		if (k < f->nerror)
			continue;
		l = hazard(d, 40 + (double)i * 0.001, "- Blocked in this environment: ");
		b = doc_text(d);
		doc_command(d, b, e->command, 70);
		buf_add(b, STR(": "));
		doc_quote(d, b, e->line[0], 160);
		if (e->nlines > 1) {
			buf_byte(b, ' ');
			doc_quote(d, b, e->line[1], 80);
		}
		doc_add(d, l, 8, e->record);
	}
}

void dochazard_state(struct doc *d, const struct gitstate *git)
{
	calls_without_result(d);
	failing_checks(d);
	stopped(d);
	blocked(d);
	background(d);
	secrets(d);
	if (git && git->kind == GITSTATE_REPO) {
		uncommitted_now(d, git);
	} else {
		uncommitted_then(d, contradicted(d));
		shelled_then(d);
	}
}
