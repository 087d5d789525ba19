#include "work/doctask.h"

#include <math.h>
#include <stdlib.h>

#include "work/docecho.h"
#include "work/dochazard.h"
#include "work/docsum.h"
#include "work/docwords.h"
#include "work/prose.h"
#include "work/title.h"

#define QUOTE_SLACK 40 /* a text this much over its cut is quoted whole */
#define PASTED_BYTES                                                                     \
	2500 /* a longer prompt is mostly pasted: the request stands at an end */
#define PASTED_LINES    5 /* more than this are told as a number */
#define SUMMARY_ITEMS   12
#define COMMITS_SHOWN   12
#define NAMES_SHOWN     8
#define SHELLED_SHOWN   8
#define TODOS_MUST      5
#define AGENTS_SHOWN    12
#define AGENT_BYTES     8000 /* of its result that are looked at */
#define AGENT_SENTENCES 3
#define AGENT_LOOKED    60  /* of its sentences */
#define SENTENCES_MAX   512 /* of the last text */
#define REPLY_BYTES     40  /* of an answer that is no request of its own */
#define REPLY_WORDS     3
#define CALLS_SHOWN     6

static size_t words_of(str s)
{
	size_t n = 0;
	str w;

	while (str_word(&s, &w))
		n++;
	return n;
}

/* It goes on from what was said before it: "yes", "2", "go on then", "python lamp.py", "Redis" to "Which one?". */
static bool is_reply(const struct fact_prompt *p)
{
	return prose_is_filler(p->text) || docwords_goes_on(p->text) ||
	       docwords_picks(p->text) || docwords_runs(p->text) ||
	       (p->asked.n && p->text.n <= REPLY_BYTES &&
		words_of(p->text) <= REPLY_WORDS);
}

static bool is_request(const struct fact_prompt *p)
{
	if (docwords_is_markup(p->text))
		return false;
	if (p->kind == FACT_PROMPT || p->kind == FACT_QUEUED)
		return !is_reply(p) && !(str_starts(p->text, STR("/")) &&
					 docwords_is_client_command(p->text));
	return p->kind == FACT_SLASH && !docwords_is_client_command(p->text);
}

void doctask_find(const struct facts *f, struct doctask *t)
{
	size_t i;

	*t = (struct doctask){NULL};
	for (i = 0; i < f->nprompt; i++) {
		const struct fact_prompt *p = &f->prompt[i];

		if (p->kind == FACT_PROMPT || p->kind == FACT_QUEUED)
			t->typed = p->record;
		/* "2" as a session's first word is all that there is */
		if (!is_request(p) &&
		    (t->last || p->asked.n ||
		     !(docwords_picks(p->text) || docwords_runs(p->text)))) {
			if ((p->kind == FACT_PROMPT || p->kind == FACT_QUEUED) &&
			    !docwords_is_markup(p->text) && is_reply(p))
				t->reply = p;
			continue;
		}
		t->reply = NULL;
		if (!t->first)
			t->first = &f->prompt[i];
		t->before = t->last;
		t->last = &f->prompt[i];
	}
	t->answered =
		t->last && f->last_text_record > t->last->record && !f->nopen &&
		(f->last == FACT_LAST_TEXT || f->stop_hook_record > t->last->record);
}

str doctask_heading(str text)
{
	str line;

	while (str_line(&text, &line)) {
		size_t n = 0;

		while (n < line.n && line.p[n] == '#')
			n++;
		if (n && n < line.n && line.p[n] == ' ')
			return str_trim(str_from(line, n));
	}
	return STR_NONE;
}

/* ---- Goal ---- */

/* First paragraph under "## Context" and the like, or of the whole. */
static str plan_context(str plan)
{
	size_t k = str_find(plan, STR("## Context\n"));
	str rest, line;

	rest = k == STR_NPOS ? plan : str_from(plan, k + 11);
	while (str_line(&rest, &line)) {
		line = str_trim(line);
		if (line.n > 20 && line.p[0] != '#')
			return line;
	}
	return STR_NONE;
}

static bool is_plan_prompt(const struct facts *f, const struct fact_prompt *p)
{
	return f->plan.n && (f->plan_record == p->record ||
			     str_istarts(p->text, STR("Implement the following plan")));
}

static void quote_plan(struct doc *d, struct buf *b, str plan)
{
	str head = doctask_heading(plan), why = plan_context(plan);

	buf_add(b, STR("the approved plan "));
	doc_quote_plain(d, b, head.n ? head : plan, 120);
	if (why.n) {
		buf_add(b, STR(": "));
		doc_quote_plain(d, b, why, 360);
	}
}

static void quote_request(struct doc *d, struct buf *b, const struct fact_prompt *p,
			  size_t head, size_t tail)
{
	struct buf typed = BUF_INIT(1u << 20), all = BUF_INIT(1u << 20),
		   cut = BUF_INIT(1u << 16);
	size_t pasted;
	str s;

	if (is_plan_prompt(d->f, p)) {
		quote_plan(d, b, d->f->plan);
		return;
	}
	pasted = docwords_typed(&typed, p->text);
	if (!doc_worth(buf_str(&typed))) { /* a paste and no word beside it */
		if (pasted > PASTED_LINES)
			buf_printf(b, "%zu pasted lines: ", pasted);
		pasted = 0;
	}
	doc_say(d, &all, pasted > PASTED_LINES ? buf_str(&typed) : p->text, 0);
	s = buf_str(&all);
	if (s.n <= head + tail + QUOTE_SLACK) {
		doc_quote(d, b, s, 0);
	} else {
		if (s.n > PASTED_BYTES) {
			size_t end = head * 7 / 10;

			head = head * 6 / 10;
			tail = tail > end ? tail : end;
		}
		doc_quote(d, b, s, head);
		prose_tail(&cut, s, tail);
		buf_add(b, STR(" [\xe2\x80\xa6] "));
		doc_quote(d, b, buf_str(&cut), 0);
	}
	if (pasted > PASTED_LINES)
		buf_printf(b, " (and %zu pasted lines)", pasted);
	buf_release(&typed);
	buf_release(&all);
	buf_release(&cut);
}

static void goal_request(struct doc *d, double order, const char *prefix,
			 const struct fact_prompt *p, size_t head, size_t tail,
			 double value)
{
	struct doc_line *l = doc_line(d, DOC_GOAL, DOC_B_GOAL, order, prefix);

	quote_request(d, doc_text(d), p, head, tail);
	doc_must(d, l, value, p->record);
}

/* "2" to the question that it answers; alone where nothing was asked. */
static void quote_reply(struct doc *d, struct buf *b, const struct fact_prompt *p)
{
	doc_quote(d, b, p->text, 120);
	if (p->asked.n) {
		buf_add(b, STR(" to "));
		doc_quote(d, b, doc_unmarked(p->asked), 300);
	}
}

/* What was answered since the request; a mere "go on" says nothing. */
static void goal_reply(struct doc *d, const struct fact_prompt *p)
{
	struct doc_line *l;

	if (!p->asked.n && !docwords_picks(p->text) && !docwords_runs(p->text))
		return;
	l = doc_line(d, DOC_GOAL, DOC_B_GOAL, 0.5, "");
	buf_add(doc_text(d), p->asked.n ? STR("Answered since: ") : STR("Said since: "));
	quote_reply(d, &d->text, p);
	doc_must(d, l, 70, p->record);
}

/* The summary's account of the whole, on one line. */
static void goal_summary(struct doc *d, bool roomy)
{
	const struct facts *f = d->f;
	struct buf all = BUF_INIT(64u << 10);
	struct doc_line *l;
	struct docsum sum;
	str line;

	docsum_init(&sum, f->summary, "primary", NULL);
	while (docsum_next(&sum, &line)) {
		if (all.n)
			buf_byte(&all, ' ');
		buf_add(&all, doc_unmarked(line));
	}
	if (all.n && !all.full) {
		l = doc_line(d, DOC_GOAL, DOC_B_GOAL, 4,
			     "The whole, by the compaction summary: ");
		doc_quote_plain(d, doc_text(d), buf_str(&all), 500);
		doc_add(d, l, 30, f->summary_record)->must = roomy;
	}
	buf_release(&all);
}

void doctask_goal(struct doc *d, const struct doctask *t, bool roomy)
{
	if (t->last)
		goal_request(d, 0,
			     t->answered ? "Last request, answered (see Next): "
					 : "Open request: ",
			     t->last, 700, 300, 99);
	if (t->reply)
		goal_reply(d, t->reply);
	if (t->before)
		goal_request(d, 1, "Before it: ", t->before, 420, 160, 60);
	if (t->first && t->first != t->last && t->first != t->before)
		goal_request(d, 2, "The session began with: ", t->first, 420, 200, 50);
	if (d->f->summary.n)
		goal_summary(d, roomy);
	if (d->f->plan.n && !(t->last && is_plan_prompt(d->f, t->last)) &&
	    !(t->before && is_plan_prompt(d->f, t->before)) &&
	    !(t->first && is_plan_prompt(d->f, t->first))) {
		struct doc_line *l =
			doc_line(d, DOC_GOAL, DOC_B_GOAL, 3, "Working from ");

		quote_plan(d, doc_text(d), d->f->plan);
		doc_add(d, l, 25, d->f->plan_record);
	}
}

void doctask_title(struct doc *d, const struct doctask *t, size_t max, struct buf *out)
{
	const struct facts *f = d->f;
	struct buf b = BUF_INIT(4096);
	str words = f->title;

	if (!words.n && t->first) /* of a sub-agent's file no record offers one */
		title_of_prompt(t->first->text, &words);
	title_show(&b, words, max);
	if (b.n)
		doc_say(d, out, buf_str(&b), 0);
	else
		buf_printf(out,
			   f->session.n ? "session %.*s" : "a session without a request",
			   STR_ARG(str_head(f->session, 8)));
	buf_release(&b);
}

/* ---- Done ---- */

static void done_commits(struct doc *d)
{
	const struct facts *f = d->f;
	size_t from = f->ncommit > COMMITS_SHOWN ? f->ncommit - COMMITS_SHOWN : 0, i;

	for (i = from; i < f->ncommit; i++) {
		const struct fact_commit *c = &f->commit[i];
		struct doc_line *l = doc_line(d, DOC_DONE, DOC_B_DONE, (double)(i - from),
					      "- Commit ");
		struct buf *b = doc_text(d);

		if (c->sha.n) {
			doc_code(d, b, c->sha, 0);
			buf_byte(b, ' ');
		}
		if (c->subject.n)
			doc_quote(d, b, c->subject, 110);
		doc_add(d, l, 14 + 4 * doc_age(d, c->record), c->record)->must =
			i + 3 >= f->ncommit;
	}
}

static void done_pushes(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = f->npr > 4 ? f->npr - 4 : 0; i < f->npr; i++) {
		struct doc_line *l =
			doc_line(d, DOC_DONE, DOC_B_DONE, 14, "- Pull request ");
		struct buf *b = doc_text(d);

		if (f->pr[i].action.n) {
			doc_say(d, b, f->pr[i].action, 20);
			buf_add(b, STR(": "));
		}
		doc_say(d, b, f->pr[i].url, 200);
		doc_add(d, l, 12, f->pr[i].record);
	}
	if (f->npush) {
		const struct fact_commit *p = &f->push[f->npush - 1];
		struct doc_line *l = doc_line(d, DOC_DONE, DOC_B_DONE, 15, "- Pushed: ");

		doc_code(d, doc_text(d), p->subject, 100);
		doc_add(d, l, 8, p->record);
	}
}

struct ranked {
	str text;
	double w;
};

static int by_weight(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->w != b->w)
		return a->w > b->w ? -1 : 1;
	return str_cmp(a->text, b->text);
}

/* In how many edited files the name stands. */
static size_t files_with(const struct facts *f, str name)
{
	size_t i, k, n = 0;

	for (i = 0; i < f->nedit; i++)
		for (k = 0; k < f->edit[i].nnames; k++)
			if (str_eq(f->edit[i].name[k].text, name)) {
				n++;
				break;
			}
	return n ? n : 1;
}

/* Nobody looks for `uint32_t`. */
static bool is_plain_type(str s)
{
	static const char *const words[] = {
		"string",  "boolean", "number", "undefined",   "size_t", "ssize_t",
		"float64", "float32", "object", "console.log", "return", NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (str_eq(s, str_of(words[i])))
			return true;
	return str_ends(s, STR("_t")) &&
	       (str_starts(s, STR("int")) || str_starts(s, STR("uint")));
}

/* A key of the notebook format itself (nbformat 4): it stands in every notebook. */
static bool is_notebook_key(str s)
{
	static const char *const words[] = {"cell_type",
					    "execution_count",
					    "metadata",
					    "outputs",
					    "output_type",
					    "source",
					    "nbformat",
					    "nbformat_minor",
					    "kernelspec",
					    "display_name",
					    "language_info",
					    "codemirror_mode",
					    "file_extension",
					    "mimetype",
					    "pygments_lexer",
					    "nbconvert_exporter",
					    "text/plain",
					    "image/png",
					    "text/html",
					    "attachments",
					    "markdown",
					    "python3",
					    NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (str_eq(s, str_of(words[i])))
			return true;
	return false;
}

/*
 * The names in an edit that someone would look for: defined or added there, talked about,
 * and not spread over all files.
 */
static void edit_names(struct doc *d, struct doc_line *l, const struct fact_edit *e)
{
	struct ranked *r = malloc((e->nnames + 1) * sizeof(*r));
	bool notebook = str_ends(e->path, STR(".ipynb"));
	size_t n = 0, i;

	if (!r)
		return;
	for (i = 0; i < e->nnames; i++) {
		str s = e->name[i].text;
		double w = (double)e->name[i].weight, talk = doc_weight(d, s);

		if (s.n < 5 || is_plain_type(s) || (notebook && is_notebook_key(s)))
			continue;
		w = (w < 6 ? w : 6) * (1 + 0.6 * (talk < 12 ? talk : 12)) *
		    (str_chr(s, '.') != STR_NPOS ? 0.4 : 1);
		if (w >= 0.7)
			r[n++] = (struct ranked){s, w};
	}
	qsort(r, n, sizeof(*r), by_weight);
	if (n > 2 * NAMES_SHOWN)
		n = 2 * NAMES_SHOWN;
	for (i = 0; i < n; i++)
		r[i].w /= sqrt((double)files_with(d->f, r[i].text));
	qsort(r, n, sizeof(*r), by_weight);
	for (i = 0; i < n && i < NAMES_SHOWN; i++) {
		if (r[i].w < 0.7)
			break;
		doc_code(d, doc_text(d), r[i].text, 0);
		doc_add(d, l, 0.6 + (r[i].w < 16 ? r[i].w : 16) * 0.25, 0);
	}
	free(r);
}

static void done_edits(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < f->nedit; i++) {
		const struct fact_edit *e = &f->edit[i];
		struct doc_line *l =
			doc_line(d, DOC_DONE, DOC_B_EDIT, 20 + (double)i * 0.001, "- ");
		struct buf *b = doc_text(d);

		l->sep = ", ";
		l->lead = ": ";
		doc_path(d, b, e->path);
		buf_printf(b, " (%s%u edit%s", e->created ? "new, " : "", e->count,
			   e->count == 1 ? "" : "s");
		if (e->plus || e->minus)
			buf_printf(b, ", +%u \xe2\x88\x92%u", e->plus, e->minus);
		buf_byte(b, ')');
		doc_add(d, l, 12 + 6 * doc_age(d, e->last), e->last);
		edit_names(d, l, e);
	}
}

/* Files that shell commands changed and no commit tells of. */
static void done_shelled(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *l =
		doc_line(d, DOC_DONE, DOC_B_DONE, 30, "- Changed by shell commands: ");
	size_t i, n = 0;

	l->sep = ", ";
	for (i = f->nshelled; i-- > 0 && n < SHELLED_SHOWN;) {
		const struct fact_shelled *s = &f->shelled[i];
		struct buf *b = doc_text(d);

		if (!dochazard_shelled(f, s))
			continue;
		doc_path(d, b, s->path);
		buf_add(b, STR(" ("));
		doc_code(d, b, s->how, 0);
		buf_byte(b, ')');
		doc_add(d, l, n++ < 4 ? 4 : 2, s->record);
	}
}

static bool was_edited(const struct facts *f, str path)
{
	size_t i;

	for (i = 0; i < f->nedit; i++)
		if (str_eq(f->edit[i].path, path) || str_ends(f->edit[i].path, path))
			return true;
	return false;
}

/* The client keeps copies of files it edited; those before these records are named here. */
static void done_tracked(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *l = doc_line(d, DOC_DONE, DOC_B_EDIT, 40,
				      "- Edited earlier, by the client's file history: ");
	size_t i;

	l->sep = ", ";
	for (i = 0; i < f->ntracked; i++) {
		if (was_edited(f, f->tracked[i].text) ||
		    str_starts(f->tracked[i].text, STR("/tmp")))
			continue;
		doc_path(d, doc_text(d), f->tracked[i].text);
		doc_add(d, l, 4, f->tracked[i].record);
	}
}

struct scored {
	size_t k;
	double v;
};

static int by_score(const void *x, const void *y)
{
	const struct scored *a = x, *b = y;

	if (a->v != b->v)
		return a->v > b->v ? -1 : 1;
	return a->k < b->k ? -1 : a->k > b->k;
}

static int by_place(const void *x, const void *y)
{
	const struct scored *a = x, *b = y;

	return a->k < b->k ? -1 : a->k > b->k;
}

/* The echo of a call, or a line of code alone: neither says what the agent found. */
static bool is_fragment(str s)
{
	s = str_trim(doc_unmarked(s));
	if (str_starts(s, STR("[Tool: ")))
		return true;
	return s.n > 1 && s.p[0] == '`' && str_chr(str_from(s, 1), '`') == s.n - 2;
}

static void agent_sentences(struct doc *d, struct doc_line *l, const struct fact_agent *g)
{
	struct scored sc[AGENT_LOOKED];
	bool hole[AGENT_LOOKED + 1];
	size_t n, i, k, kept = 0, next = 0;
	str *s;

	arena_reset(&d->tmp);
	s = arena_new(&d->tmp, str, AGENT_LOOKED);
	n = prose_sentences_holes(&d->tmp, str_head(g->result, AGENT_BYTES), false, s,
				  hole, AGENT_LOOKED);
	for (i = 0; i < n; i++)
		if (!doc_is_row(s[i]) && doc_worth(s[i]) && !is_fragment(s[i]))
			sc[kept++] = (struct scored){i, (double)prose_value(s[i]) +
								(i < 2 ? 2 : 0)};
	qsort(sc, kept, sizeof(sc[0]), by_score);
	if (kept > AGENT_SENTENCES)
		kept = AGENT_SENTENCES;
	qsort(sc, kept, sizeof(sc[0]), by_place);
	for (i = 0; i < kept; i++) {
		struct doc_unit *u;

		doc_say_plain(d, doc_text(d), doc_unmarked(s[sc[i].k]), 220);
		u = doc_add(d, l, 4 + 2 * doc_age(d, g->record), g->record);
		for (k = next; k <= sc[i].k; k++)
			u->hole = u->hole || k < sc[i].k || hole[k];
		next = sc[i].k + 1;
	}
}

static void done_agents(struct doc *d)
{
	const struct facts *f = d->f;
	size_t from = f->nagent > AGENTS_SHOWN ? f->nagent - AGENTS_SHOWN : 0, i;

	for (i = from; i < f->nagent; i++) {
		const struct fact_agent *g = &f->agent[i];
		struct doc_line *l;
		struct buf *b;

		if (!g->result.n)
			continue;
		l = doc_line(d, DOC_DONE, DOC_B_AGENT, 70 + (double)i * 0.001,
			     "- Agent ");
		b = doc_text(d);
		buf_add(b, STR("- Agent "));
		doc_quote(d, b, g->description.n ? g->description : g->id, 80);
		buf_add(b, STR(" reported: "));
		doc_set_prefix(d, l);
		l->quote = true;
		agent_sentences(d, l, g);
	}
}

void doctask_done(struct doc *d)
{
	done_commits(d);
	done_pushes(d);
	done_edits(d);
	done_shelled(d);
	done_tracked(d);
	done_agents(d);
}

/* ---- Next ---- */

static struct doc_line *next_item(struct doc *d, double order)
{
	struct doc_line *l = doc_line(d, DOC_NEXT, DOC_B_NEXT, order, "");

	l->numbered = true;
	return l;
}

static void next_call(struct doc *d, const struct fact_call *c, bool lost, size_t at)
{
	bool harmless = c->name.n && dochazard_only_reads(c);
	struct doc_line *l = next_item(d, (double)at * 0.01);
	struct buf *b = doc_text(d);

	if (lost && harmless)
		buf_add(b, STR("Without a result, gone past, and harmless to repeat: "));
	else if (lost)
		buf_add(b,
			STR("Find out whether this call ran: it has no result, and the "
			    "session went on without it: "));
	else if (harmless)
		buf_add(b, STR("Without a result, and harmless to repeat: "));
	else
		buf_add(b, STR("Find out whether this call ran before repeating it: "));
	if (!c->name.n) {
		buf_add(b, STR("without a tool's name, "));
	} else if (!str_starts(c->label, c->name) && !str_eq(c->name, STR("Bash"))) {
		doc_say(d, b, c->name, 60);
		buf_byte(b, ' ');
	}
	dochazard_call(d, b, c, 300);
	if (c->in_agent)
		buf_add(b, STR(" (in the sub-agent)"));
	doc_must(d, l, 50 + (double)at, c->record)->must = !(lost && harmless);
}

static void next_calls(struct doc *d)
{
	const struct facts *f = d->f;
	size_t from = f->nopen > CALLS_SHOWN ? f->nopen - CALLS_SHOWN : 0, i, n = 0;

	for (i = from; i < f->nopen; i++)
		next_call(d, &f->open[i], false, n++);
	for (i = f->nlost > CALLS_SHOWN ? f->nlost - CALLS_SHOWN : 0; i < f->nlost; i++)
		next_call(d, &f->lost[i], true, n++);
}

static void next_killed(struct doc *d, const struct doctask *t)
{
	size_t i;

	for (i = 0; i < t->nkilled; i++) {
		const struct fact_call *c = t->killed[i];
		struct doc_line *l = next_item(d, 0.5 + (double)i * 0.01);
		struct buf *b = doc_text(d);

		buf_add(b, STR("This call was killed when the session ended: "));
		doc_command(d, b, c->label.n ? c->label : c->name, 300);
		doc_must(d, l, 50 + (double)i, c->record);
	}
}

static bool is_done(str status)
{
	return str_eq(status, STR("completed")) || str_eq(status, STR("deleted")) ||
	       str_eq(status, STR("cancelled"));
}

static void next_todos(struct doc *d, const struct fact_todo *todo, size_t n)
{
	struct doc_line *done =
		doc_line(d, DOC_DONE, DOC_B_DONE, 60, "- Todos completed: ");
	size_t i, open = 0;
	int pass;

	done->sep = "; ";
	for (i = 0; i < n; i++) {
		if (!str_eq(todo[i].status, STR("completed")))
			continue;
		doc_quote(d, doc_text(d), todo[i].subject, 120);
		doc_add(d, done, 4, todo[i].record);
	}
	for (pass = 0; pass < 2; pass++) { /* what was in progress comes first */
		for (i = 0; i < n; i++) {
			bool now = str_eq(todo[i].status, STR("in_progress"));
			struct doc_line *l;
			struct buf *b;

			if (is_done(todo[i].status) || now != (pass == 0))
				continue;
			l = next_item(d, 2 + (double)open * 0.01);
			b = doc_text(d);
			buf_add(b, now ? STR("Todo, in progress: ") : STR("Todo: "));
			doc_quote(d, b, todo[i].subject, 200);
			doc_add(d, l, 20, todo[i].record)->must = open++ < TODOS_MUST;
		}
	}
}

/* The record of the last words, 0 where none holds them. */
static uint64_t said_in(const struct facts *f)
{
	return f->hooked ? 0 : f->last_text_record;
}

/* The sentences of the last text, without a question at its end that is told beside it. */
static void last_words(struct doc *d, const struct doctask *t, const str *s,
		       const bool *hole, size_t n)
{
	const struct facts *f = d->f;
	const char *label = "- Last words before the end: ";
	struct doc_line *l;
	bool left = false;
	size_t i;

	if (f->hooked)
		label = "- Last words, from a Stop hook: ";
	else if (t->answered)
		label = "- Last words: ";
	else if (t->last && f->last_text_record < t->last->record)
		label = "- Said before the last request: ";
	l = doc_line(d, DOC_NEXT, DOC_B_LAST, 10, label);
	l->quote = true;
	for (i = 0; i < n; i++) {
		str one = l->first ? s[i] : doc_unmarked(s[i]);
		struct doc_unit *u;

		left = left || hole[i];
		if (doc_is_row(one)) {
			left = true;
			continue;
		}
		doc_say_plain(d, doc_text(d), one, 420);
		u = doc_add(d, l,
			    5 + (double)prose_value(s[i]) + (i == 0 ? 3 : 0) +
				    (i + 2 >= n ? 4 : 0),
			    said_in(f));
		if (u->text.n) {
			u->hole = left;
			left = false;
		}
	}
	l->goes_on = left || hole[n];
}

static void next_said(struct doc *d, const struct doctask *t)
{
	const struct facts *f = d->f;
	bool hole[SENTENCES_MAX + 1];
	str *s;
	size_t n;

	arena_reset(&d->tmp);
	s = arena_new(&d->tmp, str, SENTENCES_MAX);
	n = prose_sentences_holes(&d->tmp, f->last_text, false, s, hole, SENTENCES_MAX);
	if (n && prose_asks(s[n - 1]) && f->last_text_record > t->typed) {
		struct doc_line *l = next_item(d, 3);
		struct buf *b = doc_text(d);

		buf_add(b, STR("Asked and unanswered: "));
		doc_quote(d, b, doc_unmarked(s[n - 1]), 300);
		doc_must(d, l, 30, said_in(f));
		n--;
	}
	last_words(d, t, s, hole, n);
}

static void next_recent(struct doc *d, const struct doctask *t)
{
	const struct facts *f = d->f;
	uint64_t asked = t->last ? t->last->record : 0;
	struct doc_line *l;
	size_t i;

	if (f->nlast_thought && f->last_thought[0].record > f->last_text_record &&
	    f->last_thought[0].record > asked) {
		l = doc_line(d, DOC_NEXT, DOC_B_NEXT, 11, "- Last thought: ");
		doc_quote(d, doc_text(d), doc_unmarked(f->last_thought[0].text), 300);
		doc_add(d, l, 9, f->last_thought[0].record);
	}
	if (t->answered || (f->last != FACT_LAST_RESULT && f->last != FACT_LAST_CALL))
		return;
	l = doc_line(d, DOC_NEXT, DOC_B_NEXT, 12, "- Last calls with a result: ");
	l->sep = "; ";
	for (i = 0; i < f->nrecent; i++) {
		doc_command(d, doc_text(d), f->recent[i].label, 130);
		doc_add(d, l, 2.5 + (double)i, f->recent[i].record);
	}
	if (f->last == FACT_LAST_RESULT && f->last_result.n > 5) {
		struct buf *b = doc_text(d);

		buf_add(b, STR("which gave "));
		doc_quote(d, b, f->last_result, 160);
		doc_add(d, l, 5, f->nrecent ? f->recent[f->nrecent - 1].record : 0);
	}
}

static bool is_nothing(str s)
{
	static const char *const words[] = {
		"none",       "no pending",    "no explicit", "no outstanding",
		"no next",    "no remaining",  "no open",     "not applicable",
		"no further", "no additional", "n/a",         "nothing",
		"all tasks",  "all requested", NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (str_istarts(s, str_of(words[i])))
			return true;
	return false;
}

/* The summary itself says that it is over. */
static bool says_done(str s)
{
	static const char *const words[] = {
		"was answered", "were answered", "been answered",
		"already done", "(done)",        "(completed)",
		"[x]",          "\xe2\x9c\x85",  NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (str_ifind(s, str_of(words[i])) != STR_NPOS)
			return true;
	return false;
}

#define TAKEN_UP_PERCENT 60
#define QUOTED_BYTES     20 /* of a prompt that an item quotes */
#define QUOTED_MOST      60

/* Most words of a later record stand in the item. */
static bool takes_up(str item, str later)
{
	struct docecho e;
	bool yes;

	docecho_init(&e);
	docecho_add(&e, item);
	yes = docecho_has(&e, later, TAKEN_UP_PERCENT);
	docecho_release(&e);
	return yes;
}

/* What came after the summary and took the item up: appended to b; nothing when nothing did. */
static void taken_up(struct doc *d, struct buf *b, str item, const struct fact_todo *todo,
		     size_t ntodo)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < ntodo; i++) {
		if (!str_eq(todo[i].status, STR("completed")) ||
		    (todo[i].record && todo[i].record < f->summary_record) ||
		    !takes_up(item, todo[i].subject))
			continue;
		buf_add(b, STR(" (since then the todo "));
		doc_quote(d, b, todo[i].subject, 80);
		buf_add(b, STR(" was completed)"));
		return;
	}
	for (i = f->ncommit; i-- > 0 && f->commit[i].record > f->summary_record;) {
		if (!takes_up(item, f->commit[i].subject))
			continue;
		buf_add(b, STR(" (since then committed: "));
		doc_quote(d, b, f->commit[i].subject, 80);
		buf_byte(b, ')');
		return;
	}
	for (i = 0; i < f->nedit; i++) {
		str name = str_basename(f->edit[i].path);

		if (f->edit[i].last < f->summary_record || name.n < 5 ||
		    str_find(item, name) == STR_NPOS)
			continue;
		buf_add(b, STR(" (since then "));
		doc_path(d, b, f->edit[i].path);
		buf_add(b, STR(" was edited)"));
		return;
	}
}

/* It quotes a prompt that is not the open request: that one was answered, or is no task. */
static bool quotes_answered(const struct doc *d, const struct doctask *t, str item)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < f->nprompt; i++) {
		const struct fact_prompt *p = &f->prompt[i];

		if (p->text.n >= QUOTED_BYTES && p->record < f->last_text_record &&
		    (t->answered || p != t->last) &&
		    str_find(item, str_head(p->text, QUOTED_MOST)) != STR_NPOS)
			return true;
	}
	return false;
}

static void next_summary(struct doc *d, const struct doctask *t,
			 const struct fact_todo *todo, size_t ntodo)
{
	struct docsum sum;
	size_t i = 0;
	str line;

	docsum_init(&sum, d->f->summary, "pending", "optional");
	while (i < SUMMARY_ITEMS && docsum_next(&sum, &line)) {
		struct doc_line *l;
		struct buf *b;

		line = doc_unmarked(line);
		if (line.n <= 12 || str_ends(line, STR(":")) ||
		    str_ends(line, STR(":**")) || is_nothing(line) || says_done(line) ||
		    line.p[0] == '"' || quotes_answered(d, t, line))
			continue;
		l = doc_line(d, DOC_NEXT, DOC_B_SUMMARY, 40 + (double)i++,
			     "- Pending, by the compaction summary: ");
		b = doc_text(d);
		doc_quote_plain(d, b, line, 260);
		taken_up(d, b, line, todo, ntodo);
		doc_add(d, l, 6, d->f->summary_record);
	}
}

void doctask_next(struct doc *d, const struct doctask *t, const struct fact_todo *todo,
		  size_t ntodo)
{
	next_calls(d);
	next_killed(d, t);
	if (t->reply && t->reply->asked.n && t->reply->record > d->f->last_text_record) {
		struct doc_line *l = next_item(d, 1);
		struct buf *b = doc_text(d);

		buf_add(b, STR("Go on from the answer "));
		quote_reply(d, b, t->reply);
		buf_byte(b, '.');
		doc_must(d, l, 40, t->reply->record);
	} else if (t->last && !t->answered) {
		struct doc_line *l = next_item(d, 1);
		struct buf *b = doc_text(d);

		buf_add(b, STR("Carry out the open request (Goal)."));
		doc_must(d, l, 40, t->last->record);
	}
	next_todos(d, todo, ntodo);
	next_said(d, t);
	next_recent(d, t);
	if (d->f->summary.n)
		next_summary(d, t, todo, ntodo);
}
