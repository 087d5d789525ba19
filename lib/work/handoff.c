/*
 * Facts to a document, in this order: lines (doctask, dochazard, doctalk, docplace), the
 * focus filter, the frame (front matter, title, banner, headings, git), the fill (docfill),
 * then the text is put together, redacted once more as a whole, and measured; units are
 * dropped again until both measures are within the budget.
 */
#include "work/handoff_impl.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/oom.h"
#include "base/utf8.h"
#include "data/claude.h"
#include "data/config.h"
#include "data/journal.h"
#include "data/json.h"
#include "data/note.h"
#include "data/transcript.h"
#include "work/docfill.h"
#include "work/docgap.h"
#include "work/dochazard.h"
#include "work/docplace.h"
#include "work/doctalk.h"
#include "work/ledger.h"
#include "work/prose.h"
#include "work/redact.h"
#include "work/title.h"
#include "work/tree.h"

#define ROOMY_TOKENS   3000 /* from here on the summary's own account must stand */
#define TITLE_BRIEF    50
#define FALLBACK_SHARE 10 /* one part in ten: the end of an unreadable file */
#define FALLBACK_MIN   1024
#define FALLBACK_BYTES (64u << 10) /* of that end that are looked at */
#define HEAD_DIGITS    12

/* ---- front matter, title, banner ---- */

static void field(struct buf *b, const char *key, str value)
{
	struct buf shown = BUF_INIT(1u << 16);

	redact_show(&shown, value, true);
	if (shown.n)
		note_add_field(b, key, buf_str(&shown));
	else
		buf_printf(b, "%s: null\n", key);
	buf_release(&shown);
}

static const char *kind_name(enum handoff_kind k)
{
	return k == HANDOFF_MANUAL ? "manual" : k == HANDOFF_AUTO ? "auto" : "recovered";
}

static void lineage(struct buf *b, const struct handoff_options *o)
{
	size_t i;

	buf_add(b, STR("lineage: ["));
	for (i = 0; i < o->nlineage; i++) {
		buf_add(b, i ? STR(", ") : STR(""));
		redact_show(b, o->lineage[i], true);
	}
	buf_add(b, STR("]\n"));
}

struct front {
	str session, project, branch, head, worktree, transcript;
	int64_t created;
	const char *confidence;
};

static void front_matter(struct buf *b, const struct front *f,
			 const struct handoff_options *o)
{
	char at[CLOCK_ISO_BYTES];

	buf_add(b, STR("---\ntype: handoff\n"));
	if (f->created == CLOCK_NONE) {
		buf_add(b, STR("created: null\n"));
	} else {
		clock_iso_s(at, f->created);
		buf_printf(b, "created: %s\n", at);
	}
	field(b, "source_session", f->session);
	lineage(b, o);
	field(b, "focus_filter", o->focus);
	buf_printf(b, "confidence: %s\n", f->confidence);
	field(b, "project", f->project);
	buf_printf(b, "kind: %s\nstatus: %s\n", kind_name(o->kind),
		   o->status ? o->status : "pending");
	field(b, "branch", f->branch);
	field(b, "head", f->head);
	field(b, "worktree", f->worktree);
	field(b, "transcript", str_basename(f->transcript));
	buf_add(b, STR("claimed_by: null\n---\n\n"));
}

static const char *confidence_of(const struct handoff_input *in,
				 const struct handoff_options *o, const struct doctask *t)
{
	if (o->kind == HANDOFF_MANUAL)
		return "high";
	if (in->losses || in->tail_cut || !t->last)
		return "low";
	return "medium";
}

static void head_of(const struct handoff_input *in, struct front *f)
{
	const struct facts *x = in->facts;

	*f = (struct front){
		.session = x->session,
		.branch = docplace_branch(x),
		.worktree = x->dir,
		.transcript = str_of(in->transcript),
		.created = x->last_at,
	};
	while (str_ends(f->worktree, STR("/")) && f->worktree.n > 1)
		f->worktree.n--;
	f->project = str_basename(f->worktree);
	if (str_rchr(f->project, '\\') != STR_NPOS)
		f->project = str_from(f->project, str_rchr(f->project, '\\') + 1);
	if (x->ncommit)
		f->head = x->commit[x->ncommit - 1].sha;
	if (x->head_sha.n &&
	    (!x->ncommit || x->head_record > x->commit[x->ncommit - 1].record))
		f->head = x->head_sha;
	if (in->git && (in->git->kind == GITSTATE_REPO ||
			(in->git->kind == GITSTATE_BARE && in->git->head))) {
		f->branch = str_of(in->git->branch);
		f->head = str_head(str_of(in->git->head), HEAD_DIGITS);
	}
}

static void when(struct buf *b, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	if (at == CLOCK_NONE)
		return;
	clock_iso_s(iso, at);
	buf_printf(b, " at %.10s %.8s UTC", iso, iso + 11);
}

/* The last sentence that was said, as a quote. */
static void last_said(struct doc *d, struct buf *b)
{
	str *s;
	size_t n, i;

	arena_reset(&d->tmp);
	s = arena_new(&d->tmp, str, 512);
	n = prose_sentences(&d->tmp, d->f->last_text, false, s, 512);
	for (i = n; i-- > 0;) {
		str one = doc_unmarked(s[i]);

		if (!doc_worth(one) || doc_is_row(one))
			continue;
		buf_add(b, STR(": "));
		doc_quote(d, b, one, 200);
		return;
	}
}

static void banner_call(struct doc *d, struct buf *b, const struct fact_call *c)
{
	doc_say(d, b, c->name, 40);
	buf_add(b, STR(" call ("));
	if (c->description.n)
		doc_quote(d, b, c->description, 80);
	else
		doc_command(d, b, c->label, 80);
}

static void banner_calls(struct doc *d, const struct doctask *t, struct buf *b)
{
	const struct facts *f = d->f;

	if (!f->nopen && t->nkilled) {
		buf_add(b, STR(": it killed a "));
		banner_call(d, b, t->killed[t->nkilled - 1]);
		buf_add(b, STR(")."));
		return;
	}
	if (!f->nopen) {
		buf_byte(b, '.');
		return;
	}
	if (f->nopen == 1)
		buf_add(b, STR(": one "));
	else
		buf_printf(b, ": %zu calls have no result, the last a ", f->nopen);
	banner_call(d, b, &f->open[f->nopen - 1]);
	buf_add(b, f->nopen == 1 ? STR(") has no result. It may or may not have run.")
				 : STR("). They may or may not have run."));
}

static const char *banner_start(enum ending_kind k)
{
	switch (k) {
	case ENDING_EMPTY:
		return "No conversation is recorded";
	case ENDING_RUNNING:
		return "Still running; this is its state";
	case ENDING_CLEAN:
		return "Ended between turns";
	case ENDING_CLEARED:
		return "Ended by /clear, or looks so,";
	case ENDING_INTERRUPTED:
		return "Ended after the user stopped it";
	case ENDING_TERMINATED:
		return "Ended by a signal during a turn";
	case ENDING_KILLED_TOOL:
		return "Killed mid-tool";
	case ENDING_KILLED_AGENT:
		return "Killed while a sub-agent ran,";
	case ENDING_KILLED_TURN:
		return "Killed while the model worked,";
	case ENDING_KILLED_IDLE:
		return "Ended between turns, without a word of leaving (killed or closed),";
	case ENDING_COMPACTING:
		return "Ended while compacting";
	case ENDING_API_ERROR:
		return "Ended in an API error";
	case ENDING_RATE_LIMIT:
		return "Ended at a rate or usage limit";
	case ENDING_CONTEXT_FULL:
		return "Ended with the context full";
	case ENDING_OUTPUT_LIMIT:
		return "Ended at the output limit";
	case ENDING_REFUSED:
		return "Ended in a refusal by the model";
	case ENDING_TORN:
		return "The transcript ends in a torn record; last whole one";
	case ENDING_UNREADABLE:
	case ENDING_COUNT:
		break;
	}
	return "Ended in a way the records do not tell";
}

/* How it ended, when, which call, what is unknown; compactions. */
static void banner(struct doc *d, const struct handoff_input *in, const struct doctask *t,
		   bool brief, struct buf *b)
{
	const struct ending *end = in->ending;
	const struct facts *f = d->f;
	enum ending_kind kind = end->kind;

	/* the turn was over, whatever the last record looks like */
	if (f->hooked && kind != ENDING_RUNNING)
		kind = ENDING_KILLED_IDLE;
	buf_add(b, STR("> "));
	buf_add(b, str_of(banner_start(kind)));
	when(b, end->at != CLOCK_NONE && !f->hooked ? end->at : f->last_at);
	switch (kind) {
	case ENDING_EMPTY:
		if (end->evidence[0]) {
			buf_add(b, STR(": "));
			doc_say(d, b, str_of(end->evidence), 300);
		}
		if (b->p[b->n - 1] != '.')
			buf_byte(b, '.');
		break;
	case ENDING_CLEAN:
	case ENDING_CLEARED:
	case ENDING_KILLED_IDLE:
		if (!brief)
			last_said(d, b);
		if (b->n < 2 || b->p[b->n - 1] != '"' ||
		    str_chr(STR(".!?"), b->p[b->n - 2]) == STR_NPOS)
			buf_byte(b, '.');
		buf_add(b, f->nopen   ? STR(" A call has no result.")
			   : f->nlost ? STR("")
				      : STR(" No call is open."));
		break;
	case ENDING_API_ERROR:
	case ENDING_RATE_LIMIT:
	case ENDING_CONTEXT_FULL:
	case ENDING_OUTPUT_LIMIT:
	case ENDING_REFUSED:
		if (end->error_text[0] || f->api_error.n) {
			buf_add(b, STR(": "));
			doc_quote(d, b,
				  end->error_text[0] ? str_of(end->error_text)
						     : f->api_error,
				  160);
		}
		if (!f->nopen) {
			buf_byte(b, '.');
			break;
		}
		/* fall through */
	case ENDING_KILLED_TOOL:
	case ENDING_KILLED_AGENT:
	case ENDING_TERMINATED:
	case ENDING_INTERRUPTED:
	case ENDING_TORN:
	case ENDING_RUNNING:
		banner_calls(d, t, b);
		break;
	case ENDING_KILLED_TURN:
		if (f->last == FACT_LAST_RESULT)
			buf_add(b,
				STR(" right after a tool result: nothing was said about it."));
		else if (t->last && t->typed > f->last_text_record)
			buf_add(b, STR(" before the last prompt was answered."));
		else
			buf_add(b, STR(" in the middle of an answer."));
		break;
	default:
		buf_byte(b, '.');
	}
	if (f->hooked)
		buf_add(b,
			STR(" The last words are from a Stop hook: no record holds them."));
	if (f->nlost)
		buf_add(b, f->nlost == 1
				   ? STR(" A call without a result was gone past.")
				   : STR(" Calls without a result were gone past."));
	if (f->compactions)
		buf_printf(b,
			   f->compactions == 1 ? " Compacted once."
					       : " Compacted %u times.",
			   f->compactions);
	if (f->agent_file)
		buf_add(b, STR(" This is a sub-agent's own transcript."));
	buf_add(b, STR("\n\n"));
}

/* ---- the text ---- */

static const char *empty_sentence(enum doc_section s, bool focused, bool shelled)
{
	if (focused && (s == DOC_DONE || s == DOC_NEXT || s == DOC_FILES))
		return "Nothing that touches the focus.";
	switch (s) {
	case DOC_GOAL:
		return "No request is recorded.";
	case DOC_DONE:
		return shelled ? "No edit by a tool, commit or finished task is recorded; what shell "
				 "commands changed stands in Files to Read."
			       : "No edit, commit or finished task is recorded.";
	case DOC_NEXT:
		return "Nothing is open in the records.";
	case DOC_HAZARDS:
		return "None stated.";
	default:
		return "None.";
	}
}

struct frame {
	struct buf head, git;
};

/* Lines that are there and have no unit in; of a section, or (DOC_SECTIONS) of all. */
static size_t left_out(const struct doc *d, int section)
{
	const struct doc_line *l;
	const struct doc_unit *u;
	size_t n = 0;

	for (l = d->first; l; l = l->next) {
		if (l->nin || (section != DOC_SECTIONS && (int)l->section != section))
			continue;
		for (u = l->first; u && u->out; u = u->next)
			;
		n += u != NULL;
	}
	return n;
}

static void assemble(struct doc *d, const struct frame *fr, bool evidence, bool tell,
		     struct buf *out)
{
	struct buf raw = BUF_INIT(HANDOFF_DOC_MAX);
	int s;

	buf_add(&raw, buf_str(&fr->head));
	for (s = 0; s < DOC_SECTIONS; s++) {
		size_t n, left = left_out(d, DOC_SECTIONS);

		buf_printf(&raw, "## %s\n", doc_heading((enum doc_section)s));
		if (s == DOC_ENVIRONMENT)
			buf_add(&raw, buf_str(&fr->git));
		n = doc_print(d, (enum doc_section)s, evidence, &raw);
		if (s == DOC_GAPS && tell && left)
			buf_printf(&raw, "- %zu more line%s did not fit the budget.\n",
				   left, left == 1 ? "" : "s");
		else if (!n && s != DOC_ENVIRONMENT && left_out(d, s))
			buf_add(&raw, STR("Left out to fit the budget.\n"));
		else if (!n && s != DOC_ENVIRONMENT)
			buf_printf(&raw, "%s\n",
				   empty_sentence((enum doc_section)s, d->nfocus > 0,
						  docplace_shelled(d->f)));
		if (s + 1 < DOC_SECTIONS)
			buf_byte(&raw, '\n');
	}
	redact(out, buf_str(&raw));
	buf_release(&raw);
}

/* The calls that died with the session; what was said after that answers nothing. */
static void find_killed(const struct handoff_input *in, struct doctask *t)
{
	const struct facts *f = in->facts;
	size_t i, k;

	if (!in->killed || in->ending->kind != ENDING_TERMINATED)
		return;
	for (i = 0; i < f->nrecent; i++)
		for (k = 0; k < in->killed->n && t->nkilled < DOCTASK_KILLED_MAX; k++)
			if (str_eq(f->recent[i].id, str_of(in->killed->id[k])))
				t->killed[t->nkilled++] = &f->recent[i];
	t->answered = t->answered && !t->nkilled;
}

static int64_t frame_cost(const struct frame *fr)
{
	int64_t cost = doc_cost(buf_str(&fr->head)) + doc_cost(buf_str(&fr->git));
	int s;

	for (s = 0; s < DOC_SECTIONS; s++)
		cost += (int64_t)strlen(doc_heading((enum doc_section)s)) + 5;
	return cost;
}

/* The labels of the groups that there are lines of. */
static int64_t labels_cost(const struct doc *d)
{
	const struct doc_line *l, *other;
	int64_t cost = 0;

	for (l = d->first; l; l = l->next) {
		for (other = d->first; other != l && !str_eq(other->group, l->group);
		     other = other->next)
			;
		if (other == l && l->group.n)
			cost += doc_cost(l->group) + 1;
	}
	return cost;
}

/* The sentences of sections that have no line. */
static int64_t empty_cost(const struct doc *d)
{
	bool has[DOC_SECTIONS] = {false};
	const struct doc_line *l;
	int64_t cost = 0;
	int s;

	for (l = d->first; l; l = l->next)
		has[l->section] = true;
	for (s = 0; s < DOC_SECTIONS; s++)
		if (!has[s] && s != DOC_ENVIRONMENT)
			cost += (int64_t)strlen(empty_sentence((enum doc_section)s,
							       d->nfocus > 0,
							       docplace_shelled(d->f))) +
				1;
	return cost;
}

static uint64_t tokens_of(str text)
{
	uint64_t t = ledger_tokens(text), b = (text.n + 3) / 4;

	return t > b ? t : b;
}

/* A copy of the rows that are not from before that time, in the document's memory. */
static void *rows_from(struct doc *d, const void *rows, size_t *n, size_t size,
		       size_t at_offset, int64_t since)
{
	char *copy = arena_alloc(&d->a, size, alignof(max_align_t), *n ? *n : 1);
	size_t i, kept = 0;

	for (i = 0; copy && i < *n; i++) {
		const char *row = (const char *)rows + i * size;
		int64_t at;

		memcpy(&at, row + at_offset, sizeof(at));
		if (at == CLOCK_NONE || at >= since)
			memcpy(copy + kept++ * size, row, size);
	}
	*n = kept;
	return copy;
}

#define FROM(list, type)                                                                 \
	recent->list = rows_from(d, recent->list, &recent->n##list, sizeof(struct type), \
				 offsetof(struct type, at), since)

/*
 * What is told of the session's course from that time on. Whether a thing ran, is open or was
 * forbidden is judged on all facts: --since must not make a false statement of silence.
 */
static void facts_from(struct doc *d, struct facts *recent, int64_t since)
{
	if (since == CLOCK_NONE)
		return;
	FROM(prompt, fact_prompt);
	FROM(sentence, fact_sentence);
	FROM(thought, fact_sentence);
	FROM(error, fact_error);
	FROM(command, fact_command);
}

static bool is_older(const struct fact_prompt *p, int64_t since)
{
	return p && since != CLOCK_NONE && p->at != CLOCK_NONE && p->at < since;
}

static void model(struct doc *d, const struct handoff_input *in,
		  const struct handoff_options *o, const struct doctask *t,
		  uint64_t budget)
{
	const struct facts *f = in->facts;
	struct facts recent = *f;
	const struct gitstate *git = in->git;
	struct docgap_file file = {
		.losses = in->losses,
		.lost_bytes = in->lost_bytes,
		.loss_line = in->loss_line,
		.loss_off = in->loss_off,
		.loss_len = in->loss_len,
		.foreign = in->foreign,
		.tail_cut = in->tail_cut,
		.abandoned = in->tree ? in->tree->branches : 0,
		.since = o->since,
	};

	doctask_goal(d, t, budget >= ROOMY_TOKENS);
	doctask_done(d);
	doctask_next(d, t, in->todo ? in->todo : f->todo,
		     in->todo ? in->ntodo : f->ntodo);
	dochazard_stated(d, o->hazards, o->nhazards);
	dochazard_state(d, git);
	facts_from(d, &recent, o->since);
	d->f = &recent;
	doctalk_lines(d, t);
	docplace_commands(d);
	d->f = f;
	docplace_files(d);
	docgap_verify(d, git);
	doc_prune(d);
	if (o->focus.n) {
		doc_set_focus(d, o->focus);
		doc_focus(d);
	}
	docgap_lines(d, &file);
	doc_prune(d);
}

static int too_small(uint64_t budget, int64_t quarter_tokens, struct err *e)
{
	return err_set(
		e, HF_ELIMIT,
		"a budget of %llu tokens is too small: the frame and the stated hazards need %lld",
		(unsigned long long)budget, (long long)(quarter_tokens + 3) / 4);
}

static int fit(struct doc *d, const struct frame *fr, bool evidence, uint64_t budget,
	       struct buf *out, struct err *e)
{
	size_t from = out->n;
	bool tell = true;
	uint64_t n;

	for (;;) {
		buf_cut(out, from);
		assemble(d, fr, evidence, tell, out);
		if (out->full)
			return err_set(e, HF_ELIMIT, "handoff document over %u bytes",
				       HANDOFF_DOC_MAX);
		n = d->costly || !evidence ? tokens_of(str_from(buf_str(out), from)) : 0;
		if (n <= budget)
			return 0;
		if (tell) {
			tell = false;
		} else if (!docfill_drop(d)) {
			buf_cut(out, from);
			return too_small(budget, (int64_t)n * 4, e);
		}
	}
}

static void make_frame(struct doc *d, const struct handoff_input *in,
		       const struct handoff_options *o, const struct doctask *t,
		       bool brief, struct frame *fr)
{
	struct front front;

	buf_reset(&fr->head);
	buf_reset(&fr->git);
	head_of(in, &front);
	front.confidence = confidence_of(in, o, t);
	front_matter(&fr->head, &front, o);
	buf_add(&fr->head, STR("# Handoff: "));
	doctask_title(d, t, brief ? TITLE_BRIEF : TITLE_CHARS, &fr->head);
	buf_add(&fr->head, STR("\n\n"));
	banner(d, in, t, brief, &fr->head);
	docplace_git(d, in->git, brief, &fr->git);
}

/* free_evidence: the comments are there for the JSON form and cost nothing. */
static int render(const struct handoff_input *given, const struct handoff_options *o,
		  bool free_evidence, struct buf *out, struct err *e)
{
	struct facts facts = *given->facts;
	struct handoff_agents *agents;
	struct handoff_input own = *given, *in = &own;
	uint64_t budget = o->budget ? o->budget : HANDOFF_BUDGET_DEFAULT;
	struct frame fr = {BUF_INIT(1u << 18), BUF_INIT(1u << 18)};
	int64_t room, fixed, stated;
	struct doctask task;
	struct doc d;
	int ret;

	if (budget > HANDOFF_DOC_MAX / 4)
		budget = HANDOFF_DOC_MAX / 4;
	handoff_take_said(given, &facts);
	agents = handoff_agents_of(given->transcript, &facts);
	own.facts = &facts;
	doc_init(&d, in->facts);
	d.costly = o->evidence && !free_evidence;
	doctask_find(in->facts, &task);
	find_killed(in, &task);
	if (is_older(task.before, o->since))
		task.before = NULL;
	if (is_older(task.first, o->since) && task.first != task.last)
		task.first = NULL;
	model(&d, in, o, &task, budget);
	stated = docfill_stated(&d);
	make_frame(&d, in, o, &task, false, &fr);
	/* a small budget gets a small frame */
	if (frame_cost(&fr) * 2 > (int64_t)budget * 4)
		make_frame(&d, in, o, &task, true, &fr);
	fixed = frame_cost(&fr);
	room = (int64_t)budget * 4 - fixed;
	if (stated > room) {
		ret = too_small(budget, fixed + stated, e);
		goto out;
	}
	room -= labels_cost(&d) + empty_cost(&d) < room - stated
			? labels_cost(&d) + empty_cost(&d)
			: 0;
	docfill_tokens(&d);
	docfill_run(&d, room, (int64_t)budget * 4);
	ret = fit(&d, &fr, o->evidence || free_evidence, budget, out, e);
out:
	buf_release(&fr.head);
	buf_release(&fr.git);
	doc_release(&d);
	handoff_agents_free(agents);
	return ret;
}

int handoff_render(const struct handoff_input *in, const struct handoff_options *o,
		   struct buf *out, struct err *e)
{
	return render(in, o, false, out, e);
}

/* ---- fallback ---- */

static void git_of(struct gitstate *g, const struct handoff_options *o, str dir)
{
	struct gitstate_options go = {.deadline_ns = o->deadline_ns};
	char *path = str_dup(dir);

	gitstate_read(g, path, &go);
	free(path);
}

/* The end of the file into b, without its NUL bytes; returns how many those were. */
static size_t read_tail(struct source *src, struct buf *b)
{
	uint64_t want = src->size / FALLBACK_SHARE;
	size_t nuls = 0, kept = 0, i;
	long n = 1;

	if (want < FALLBACK_MIN)
		want = src->size < FALLBACK_MIN ? src->size : FALLBACK_MIN;
	if (want > FALLBACK_BYTES)
		want = FALLBACK_BYTES;
	if (source_seek(src, src->size - want) < 0)
		return 0;
	while (b->n < want && n > 0) {
		char *p = buf_room(b, (size_t)want - b->n);

		n = p ? source_read(src, p, (size_t)want - b->n) : 0;
		if (n > 0)
			b->n += (size_t)n;
	}
	for (i = 0; i < b->n; i++) {
		if (b->p[i])
			b->p[kept++] = b->p[i];
		else
			nuls++;
	}
	b->n = kept;
	return nuls;
}

/* The end of a file that nothing could be read from, as far as the budget goes. */
static void fallback_tail(struct doc *d, struct source *src, struct buf *out,
			  uint64_t room_bytes)
{
	struct buf raw = BUF_INIT(FALLBACK_BYTES), shown = BUF_INIT(8 * FALLBACK_BYTES);
	size_t nuls = read_tail(src, &raw);

	redact_show(&shown, buf_str(&raw), true);
	if (shown.n)
		doc_quote(d, out, utf8_tail(buf_str(&shown), (size_t)room_bytes), 0);
	else
		buf_add(out, STR("Nothing."));
	if (nuls)
		buf_printf(out, " (and %zu NUL bytes)", nuls);
	buf_byte(out, '\n');
	buf_release(&raw);
	buf_release(&shown);
}

/* There are words of the client's records in it, though not one whole record. */
static bool has_pieces(struct source *src)
{
	static const char *const keys[] = {"\"type\"", "\"uuid\"", "\"message\"",
					   "\"sessionId\""};
	struct buf raw = BUF_INIT(FALLBACK_BYTES + FALLBACK_MIN);
	bool yes = false;
	size_t i;

	read_tail(src, &raw);
	(void)fs_read_at(src->fd, 0, FALLBACK_MIN, &raw, NULL);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && !yes; i++)
		yes = str_find(buf_str(&raw), str_of(keys[i])) != STR_NPOS;
	buf_release(&raw);
	return yes;
}

static void fallback_text(struct doc *d, struct source *src, const char *path,
			  const struct transcript *t, const struct handoff_options *o,
			  uint64_t room, struct buf *out)
{
	struct front front = {
		.transcript = str_of(path),
		.created = src->mtime_ms,
		.confidence = "low",
	};
	str name = str_basename(str_of(path));
	size_t i;

	if (str_ends(name, STR(".jsonl")))
		front.session = str_head(name, name.n - 6);
	front_matter(out, &front, o);
	if (t->losses)
		buf_printf(
			out,
			"# Handoff: NEEDS HUMAN TRIAGE\n\n> NEEDS HUMAN TRIAGE. Not one record could be read from this transcript (%llu bytes, %llu unreadable piece%s).\n\n",
			(unsigned long long)src->size, (unsigned long long)t->losses,
			t->losses == 1 ? "" : "s");
	else
		buf_printf(
			out,
			"# Handoff: nothing to recover\n\n> This transcript holds no record (%llu bytes). If work was lost, it NEEDS HUMAN TRIAGE.\n\n",
			(unsigned long long)src->size);
	buf_add(out,
		STR("## Goal\nUnknown: no prompt could be read.\n\n## Done\nUnknown. The end of the file, as it is: "));
	fallback_tail(d, src, out, room);
	buf_add(out, STR("\n## Next\n1. "));
	buf_add(out,
		has_pieces(src)
			? STR("Look at the file by hand: there are pieces of records in it, and no whole one that `handoff-recover repair` could keep.")
			: STR("Make sure that this is the file that was meant: nothing in it looks like a record. `handoff-recover list` shows the sessions that there are."));
	buf_add(out, STR("\n\n## Hazards (never filtered)\n"));
	for (i = 0; i < o->nhazards; i++) {
		str s = str_trim(o->hazards[i]);

		buf_add(out, str_starts(s, STR("- ")) ? STR("") : STR("- "));
		doc_say(d, out, s, 0);
		buf_byte(out, '\n');
	}
	buf_add(out,
		STR("- What the session did, and what it left half done, is unknown.\n\n## Key Context\nNone.\n\n## Environment\nUnknown: no record names the session's directory.\n"));
	buf_add(out,
		STR("\n## Files to Read\nNone.\n\n## Verify Before Continuing\n- [ ] `git status` and `git log` in the project: what did the session change?\n\n## Known Gaps\n- Everything: "));
	if (t->losses)
		buf_printf(
			out,
			"%llu bytes are damaged, the first at line %llu, bytes %llu to %llu.\n",
			(unsigned long long)t->lost_bytes,
			(unsigned long long)t->loss[0].line,
			(unsigned long long)t->loss[0].off,
			(unsigned long long)(t->loss[0].off + t->loss[0].len));
	else
		buf_add(out, STR("the file holds no record.\n"));
}

/* Twice: once to see how much the frame takes, then with a tail that fits. */
static int fallback(struct source *src, const char *path, const struct transcript *t,
		    const struct handoff_options *o, struct buf *out, struct err *e)
{
	static const struct facts nothing = {.last_at = CLOCK_NONE};
	uint64_t budget = o->budget ? o->budget : HANDOFF_BUDGET_DEFAULT, frame, room;
	size_t from = out->n;
	struct doc d;
	int ret = 0;

	doc_init(&d, &nothing);
	fallback_text(&d, src, path, t, o, 0, out);
	frame = tokens_of(str_from(buf_str(out), from));
	if (frame > budget) {
		buf_cut(out, from);
		ret = too_small(budget, (int64_t)frame * 4, e);
		goto out;
	}
	for (room = (budget - frame) * 4; room > 0; room = room * 3 / 4) {
		buf_cut(out, from);
		fallback_text(&d, src, path, t, o, room, out);
		if (tokens_of(str_from(buf_str(out), from)) <= budget)
			goto out;
	}
	buf_cut(out, from);
	fallback_text(&d, src, path, t, o, 0, out);
out:
	doc_release(&d);
	return ret;
}

/* ---- recover ---- */

struct tasks {
	struct claude_task *task;
	struct fact_todo *todo;
	size_t n;
};

/* The client's own task files are fresher than what the records replay. */
static void tasks_load(struct tasks *t, const char *claude_dir, str session)
{
	size_t i;

	*t = (struct tasks){NULL};
	if (!session.n || claude_tasks(claude_dir, session, &t->task, &t->n, NULL) < 0 ||
	    !t->n)
		return;
	t->todo = calloc(t->n, sizeof(*t->todo));
	if (!t->todo)
		oom();
	for (i = 0; i < t->n; i++)
		t->todo[i] = (struct fact_todo){
			.id = str_of(t->task[i].id),
			.subject = str_of(t->task[i].subject),
			.status = str_of(t->task[i].status),
		};
}

static void tasks_release(struct tasks *t)
{
	claude_tasks_free(t->task, t->n);
	free(t->todo);
}

struct pass {
	struct extract *x;
	struct tree *tree;
	struct ending_state *ending;
	struct transcript *t;
	struct handoff_killed killed;
};

static bool says_killed(const struct block *b)
{
	return (str_starts(b->text, STR("Exit code 137")) ||
		str_starts(b->text, STR("Exit code 143"))) &&
	       str_find(b->text, STR("timed out")) == STR_NPOS;
}

/* A call that is made after it shows that the session went on. */
static void note_killed(struct handoff_killed *k, const struct record *r)
{
	struct block b;
	size_t it = 0;

	if (r->sidechain)
		return;
	while (record_block(r, &it, &b)) {
		if (b.kind == BLOCK_TOOL_USE)
			k->n = 0;
		else if (b.kind == BLOCK_TOOL_RESULT && says_killed(&b) &&
			 b.id.n < HANDOFF_ID_BYTES && k->n < HANDOFF_KILLED_MAX)
			snprintf(k->id[k->n++], HANDOFF_ID_BYTES, "%.*s", STR_ARG(b.id));
	}
}

/* One pass over the file feeds all three. */
static int read_all(struct pass *s, struct source *src, const struct handoff_options *o,
		    struct err *e)
{
	const struct record *r;
	enum transcript_got got;

	while ((got = transcript_next(s->t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS) {
		if (got == TRANSCRIPT_LOSS)
			continue;
		tree_add(s->tree, r);
		ending_add(s->ending, r);
		extract_add(s->x, r);
		note_killed(&s->killed, r);
		if (o->progress)
			o->progress(o->progress_arg, r->off + r->len, src->size);
	}
	if (got == TRANSCRIPT_ERROR) {
		if (e)
			*e = s->t->err;
		return s->t->err.code ? s->t->err.code : HF_EIO;
	}
	tree_finish(s->tree);
	return 0;
}

/* What our hooks know of the session, or NULL. */
static struct journal *journal_of(str session)
{
	struct buf dir = BUF_INIT(4096);
	struct journal *j = NULL;

	config_state_dir(&dir);
	if (dir.n && journal_id_ok(session))
		j = journal_open(buf_cstr(&dir), session, NULL);
	buf_release(&dir);
	return j;
}

static int render_pass(struct pass *s, const char *path, const struct handoff_options *o,
		       bool free_evidence, struct buf *out, struct err *e)
{
	const struct facts *f = extract_facts(s->x, s->tree, CLOCK_NONE);
	const struct transcript *t = s->t;
	struct buf dir = BUF_INIT(4096);
	struct ending *end = calloc(1, sizeof(*end));
	struct ending_facts ef;
	struct handoff_input in = {
		.facts = f,
		.ending = end,
		.tree = s->tree,
		.transcript = path,
		.losses = t->losses,
		.lost_bytes = t->lost_bytes,
		.loss_line = t->losses ? t->loss[0].line : 0,
		.loss_off = t->losses ? t->loss[0].off : 0,
		.loss_len = t->losses ? t->loss[0].len : 0,
		.foreign = t->foreign,
		.tail_cut = t->tail_cut,
		.killed = &s->killed,
	};
	struct gitstate git = {.kind = GITSTATE_NONE};
	struct journal *j = journal_of(f->session);
	struct tasks tasks;
	int ret;

	if (!end)
		oom();
	in.said = j && j->last_message ? str_of(j->last_message) : STR_NONE;
	in.said_at = j ? j->said_at : CLOCK_NONE;
	ending_facts_of(&ef, t);
	ef.tree = s->tree;
	if (o->claude_dir)
		buf_add(&dir, str_of(o->claude_dir));
	else
		config_claude_dir(&dir);
	if (dir.n && f->session.n)
		ef.running_pid = claude_running(buf_cstr(&dir), f->session);
	ending_finish(s->ending, &ef, end);
	tasks_load(&tasks, buf_cstr(&dir), f->session);
	in.todo = tasks.todo;
	in.ntodo = tasks.n;
	if (!o->no_git && f->dir.n && f->dir.p[0] == '/') {
		git_of(&git, o, f->dir);
		in.git = &git;
	}
	ret = render(&in, o, free_evidence, out, e);
	gitstate_release(&git);
	tasks_release(&tasks);
	journal_free(j);
	buf_release(&dir);
	free(end);
	return ret;
}

static int recover(struct source *src, const char *path, const struct handoff_options *o,
		   bool free_evidence, struct buf *out, struct err *e)
{
	struct pass s = {
		.x = extract_new(),
		.tree = tree_new(),
		.ending = ending_new(),
		.t = transcript_new(src, 0, &extract_caps),
	};
	int ret = read_all(&s, src, o, e);

	if (ret == 0)
		ret = s.t->records ? render_pass(&s, path, o, free_evidence, out, e)
				   : fallback(src, path, s.t, o, out, e);
	transcript_free(s.t);
	ending_free(s.ending);
	tree_free(s.tree);
	extract_free(s.x);
	return ret;
}

int handoff_recover(struct source *src, const char *path, const struct handoff_options *o,
		    struct buf *out, struct err *e)
{
	return recover(src, path, o, false, out, e);
}

int handoff_recover_json(struct source *src, const char *path,
			 const struct handoff_options *o, struct buf *out, struct err *e)
{
	struct buf text = BUF_INIT(2 * HANDOFF_DOC_MAX);
	int ret = recover(src, path, o, true, &text, e);

	if (ret == 0)
		ret = handoff_json(buf_str(&text), out, e);
	buf_release(&text);
	return ret;
}
