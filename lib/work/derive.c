/*
 * The candidates follow from the facts alone, whatever the note holds: caps count those that
 * are written already too, so that a run that was missed, or one more, changes nothing.
 *
 * A turn goes from one prompt to the next. Files are told once, in the turn that first
 * edited them.
 */
#include "work/derive_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/oom.h"
#include "work/doctask.h"
#include "work/docwords.h"
#include "work/prose.h"
#include "work/redact.h"

#define LINES_MAX   (1u << 20)
#define TEXT_MAX    (64u << 10)
#define CONTENT_MAX 400 /* bytes of one event's content */
#define GOAL_MAX    300
#define GOAL_WORDS  3 /* a shorter request is no goal */
#define SUBJECT_MAX 120
#define FILES_SHOWN 12
#define STEPS_SHOWN 3
#define SHA_SHOWN   10

#define DECISIONS_TURN 3
#define DEADENDS_TURN  2
#define COMMITS_TURN   3

#define GOAL_IMPORTANCE 3
#define WORD_IMPORTANCE 2 /* decisions, dead ends, steps, commits */
#define FILE_IMPORTANCE 1

/* A candidate: an event that there is to be. */
struct cand {
	uint64_t record;
	unsigned place; /* among those of its record and type */
	enum event_type type;
	int importance;
	bool once; /* not when the same words stand in the note already */
	char *content;
};

struct derive {
	const struct facts *f;
	const struct vault *v;
	const char *project, *state_dir;
	const struct sessionnote *note;
	struct derive_known known;
	struct cand *cand;
	size_t n;
	bool others; /* the other notes are known */
};

/* ---- candidates ---- */

static const struct fact_source *source_of(const struct facts *f, uint64_t record)
{
	size_t low = 0, high = f->nsource;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->source[mid].record < record)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->nsource && f->source[low].record == record ? &f->source[low]
								   : NULL;
}

/* Number of the turn that a record is in. */
static size_t turn_of(const struct facts *f, uint64_t record)
{
	size_t low = 0, high = f->nprompt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->prompt[mid].record <= record)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Candidates of that type in that turn, and in that record. */
static size_t in_turn(const struct derive *d, enum event_type type, int importance,
		      uint64_t record, unsigned *place)
{
	size_t turn = turn_of(d->f, record), n = 0;

	*place = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct cand *c = &d->cand[i];

		if (c->type != type)
			continue;
		*place += c->record == record;
		n += c->importance == importance && turn_of(d->f, c->record) == turn;
	}
	return n;
}

/* On one line, redacted, cut at a border; a colon that announced something goes. */
static void clean(struct buf *out, str text, size_t max)
{
	struct buf a = BUF_INIT(TEXT_MAX), b = BUF_INIT(TEXT_MAX), c = BUF_INIT(TEXT_MAX);
	str s;

	redact(&a, text);
	prose_squeeze(&b, buf_str(&a));
	event_normalise(&c, buf_str(&b));
	s = buf_str(&c);
	while (s.n && (s.p[s.n - 1] == ':' || s.p[s.n - 1] == ' '))
		s.n--;
	prose_cut(out, s, max);
	buf_release(&a);
	buf_release(&b);
	buf_release(&c);
}

/* Takes what text holds, unless the turn has `most` of its kind already. */
static void add(struct derive *d, enum event_type type, int importance, uint64_t record,
		size_t most, const struct buf *text)
{
	struct buf content = BUF_INIT(TEXT_MAX);
	unsigned place;

	clean(&content, buf_str(text), CONTENT_MAX);
	if (!content.n || in_turn(d, type, importance, record, &place) >= most) {
		buf_release(&content);
		return;
	}
	d->cand = realloc(d->cand, (d->n + 1) * sizeof(d->cand[0]));
	if (!d->cand)
		oom();
	d->cand[d->n++] = (struct cand){
		.record = record,
		.place = place,
		.type = type,
		.importance = importance,
		.once = type == EVENT_DECISION || type == EVENT_DEADEND,
		.content = buf_take(&content),
	};
}

/* It asks for what an earlier session was about. */
static bool goes_on(str text)
{
	static const char *const WORDS[] = {"pick up where", "continue where",
					    "where we left off", "where you left off"};

	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
		if (str_ifind(str_head(text, 200), str_of(WORDS[i])) != STR_NPOS)
			return true;
	return docwords_goes_on(text);
}

static void add_goal(struct derive *d)
{
	struct buf text = BUF_INIT(TEXT_MAX);
	struct doctask t;
	str rest, word;
	size_t words = 0;

	doctask_find(d->f, &t);
	if (t.first && t.first->kind != FACT_SLASH && !goes_on(t.first->text)) {
		rest = t.first->text;
		while (words < GOAL_WORDS && str_word(&rest, &word))
			words++;
		if (words == GOAL_WORDS)
			clean(&text, t.first->text, GOAL_MAX);
		if (text.n)
			add(d, EVENT_GOAL, GOAL_IMPORTANCE, t.first->record, 1, &text);
	}
	buf_release(&text);
}

/* Asks back, or leaves it to others: settles nothing. */
static bool is_open(const struct fact_answer *a)
{
	static const char *const BEGIN[] = {"you decide",   "not sure", "hmm",
					    "can you",      "what ",    "how ",
					    "i don't know", "skip"};

	if (!a->answer.n || str_chr(a->answer, '?') != STR_NPOS)
		return true;
	for (size_t i = 0; i < sizeof(BEGIN) / sizeof(BEGIN[0]); i++)
		if (str_istarts(a->answer, str_of(BEGIN[i])))
			return true;
	return a->own && prose_is_filler(a->answer);
}

/* "question → answer (note)"; an answer is the user's own word. */
static void add_answers(struct derive *d)
{
	for (size_t i = 0; i < d->f->nanswer; i++) {
		const struct fact_answer *a = &d->f->answer[i];
		struct buf text = BUF_INIT(TEXT_MAX);

		if (!is_open(a)) {
			prose_cut(&text, a->question.n ? a->question : a->header,
				  SUBJECT_MAX);
			buf_printf(&text, " \xe2\x86\x92 %.*s", STR_ARG(a->answer));
			if (a->note.n)
				buf_printf(&text, " (%.*s)", STR_ARG(a->note));
			add(d, EVENT_DECISION, WORD_IMPORTANCE, a->record, DECISIONS_TURN,
			    &text);
		}
		buf_release(&text);
	}
}

static void add_plan(struct derive *d)
{
	struct buf text = BUF_INIT(TEXT_MAX);
	str heading = doctask_heading(d->f->plan);

	if (heading.n) {
		buf_printf(&text, "Plan approved: %.*s", STR_ARG(heading));
		add(d, EVENT_DECISION, WORD_IMPORTANCE, d->f->plan_record, DECISIONS_TURN,
		    &text);
	}
	buf_release(&text);
}

static void add_verdicts(struct derive *d)
{
	for (size_t i = 0; i < d->f->nverdict; i++) {
		const struct fact_verdict *v = &d->f->verdict[i];
		struct buf text = BUF_INIT(TEXT_MAX);

		/* who thinks aloud settles it with the last word */
		if (i + 1 < d->f->nverdict && v[1].record == v->record &&
		    v[1].deadend == v->deadend)
			continue;
		if (v->user)
			buf_add(&text, STR("User: "));
		buf_add(&text, v->text);
		add(d, v->deadend ? EVENT_DEADEND : EVENT_DECISION, WORD_IMPORTANCE,
		    v->record, v->deadend ? DEADENDS_TURN : DECISIONS_TURN, &text);
		buf_release(&text);
	}
}

/* What the user did not let happen, with the reason. */
static void add_refusals(struct derive *d)
{
	for (size_t i = 0; i < d->f->nrefused; i++) {
		const struct fact_refused *r = &d->f->refused[i];
		struct buf text = BUF_INIT(TEXT_MAX);

		if (r->words.n) {
			buf_printf(&text, "Refused: %.*s ", STR_ARG(r->tool));
			prose_cut(&text, r->label, SUBJECT_MAX);
			buf_printf(&text, " (\"%.*s\")", STR_ARG(r->words));
			add(d, EVENT_DEADEND, WORD_IMPORTANCE, r->record, DEADENDS_TURN,
			    &text);
		}
		buf_release(&text);
	}
}

static int by_first(const void *a, const void *b)
{
	const struct fact_edit *x = *(const struct fact_edit *const *)a,
			       *y = *(const struct fact_edit *const *)b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return str_cmp(x->path, y->path);
}

/* "Edited a, b (+3 more)": the files that were first edited in one turn. Returns how many. */
static size_t add_turn_files(struct derive *d, const struct fact_edit **e, size_t n)
{
	size_t turn = turn_of(d->f, e[0]->first), k = 0;
	struct buf text = BUF_INIT(TEXT_MAX), path = BUF_INIT(PATH_MAX);

	buf_add(&text, STR("Edited "));
	for (; k < n && turn_of(d->f, e[k]->first) == turn; k++) {
		if (k >= FILES_SHOWN || text.n > CONTENT_MAX - SUBJECT_MAX)
			continue;
		buf_reset(&path);
		extract_relative(d->f, e[k]->path, &path);
		if (k)
			buf_add(&text, STR(", "));
		prose_tail(&text, buf_str(&path), SUBJECT_MAX);
	}
	if (k > FILES_SHOWN)
		buf_printf(&text, " (+%zu more)", k - FILES_SHOWN);
	add(d, EVENT_FILE, FILE_IMPORTANCE, e[0]->first, 1, &text);
	buf_release(&text);
	buf_release(&path);
	return k;
}

/* A file of the project: not the client's own notes and plans, nor what lies elsewhere. */
static bool is_inside(const struct facts *f, str path)
{
	struct buf b = BUF_INIT(PATH_MAX);
	bool inside;

	extract_relative(f, path, &b);
	inside = b.n && b.p[0] != '/' && !(b.n > 2 && b.p[1] == ':');
	buf_release(&b);
	return inside;
}

static void add_files(struct derive *d)
{
	const struct fact_edit **e;
	size_t n = 0;

	if (!d->f->nedit)
		return;
	e = calloc(d->f->nedit, sizeof(*e));
	if (!e)
		oom();
	for (size_t i = 0; i < d->f->nedit; i++)
		if (is_inside(d->f, d->f->edit[i].path))
			e[n++] = &d->f->edit[i];
	qsort(e, n, sizeof(*e), by_first);
	for (size_t i = 0; i < n;)
		i += add_turn_files(d, e + i, n - i);
	free(e);
}

static void add_commits(struct derive *d)
{
	for (size_t i = 0; i < d->f->ncommit; i++) {
		const struct fact_commit *c = &d->f->commit[i];
		struct buf text = BUF_INIT(TEXT_MAX);

		buf_printf(&text, "Committed%s%.*s: %.*s", c->sha.n ? " " : "",
			   STR_ARG(str_head(c->sha, SHA_SHOWN)), STR_ARG(c->subject));
		add(d, EVENT_FILE, WORD_IMPORTANCE, c->record, COMMITS_TURN, &text);
		buf_release(&text);
	}
}

static bool is_done(const struct fact_todo *t)
{
	return str_eq(t->status, STR("completed")) || str_eq(t->status, STR("deleted"));
}

/*
 * The open tasks in one event, the one at work first; when the last of them is done, what was
 * done last. It is as new as the newest change of any of them.
 */
static void add_tasks(struct derive *d)
{
	static const char working[] = "in_progress";
	struct buf text = BUF_INIT(TEXT_MAX);
	const struct fact_todo *last = NULL;
	size_t open = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < d->f->ntodo; i++) {
			const struct fact_todo *t = &d->f->todo[i];

			if (pass == 0 && (!last || t->record >= last->record))
				last = t;
			if (is_done(t) || str_eq(t->status, STR(working)) != (pass == 0))
				continue;
			if (++open > STEPS_SHOWN)
				continue;
			if (text.n)
				buf_add(&text, STR("; then: "));
			prose_cut(&text, t->subject, SUBJECT_MAX);
		}
	if (open > STEPS_SHOWN)
		buf_printf(&text, " (+%zu more)", open - STEPS_SHOWN);
	if (open) {
		add(d, EVENT_NEXT_STEP, WORD_IMPORTANCE, last->record, 1, &text);
	} else if (last && d->known.steps.n) {
		buf_add(&text, STR("Finished: "));
		buf_add(&text, last->subject);
		add(d, EVENT_FILE, FILE_IMPORTANCE, last->record, SIZE_MAX, &text);
	}
	buf_release(&text);
}

static int by_record(const void *a, const void *b)
{
	const struct cand *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void collect(struct derive *d)
{
	add_goal(d);
	add_answers(d);
	add_plan(d);
	add_verdicts(d);
	add_refusals(d);
	add_files(d);
	add_commits(d);
	add_tasks(d);
	qsort(d->cand, d->n, sizeof(d->cand[0]), by_record);
}

/* ---- lines ---- */

static uint32_t id_of(str uuid, const struct cand *c)
{
	struct buf key = BUF_INIT(256);
	uint32_t id;

	buf_printf(&key, "%.*s %.*s %u", STR_ARG(uuid), STR_ARG(event_type_name(c->type)),
		   c->place);
	id = (uint32_t)(str_hash(buf_str(&key)) & UINT32_MAX);
	buf_release(&key);
	return id;
}

/* What the event retires; ids without the first comma. */
static str retires(struct derive *d, const struct cand *c, bool finished)
{
	const struct derive_known *k = &d->known;
	str list = STR_NONE;

	if (!d->others &&
	    (c->type == EVENT_GOAL || (c->type == EVENT_NEXT_STEP && !k->steps.n))) {
		derive_know_others(&d->known, d->v, d->note, str_of(d->project),
				   d->state_dir);
		d->others = true;
	}
	if (c->type == EVENT_GOAL)
		list = buf_str(&k->goals);
	else if (c->type == EVENT_NEXT_STEP || finished)
		list = buf_str(&k->steps);
	return str_from(list, 1);
}

static void render(struct derive *d, const struct cand *c, struct buf *lines,
		   size_t *added)
{
	const struct fact_source *from = source_of(d->f, c->record);
	bool finished = c->type == EVENT_FILE &&
			str_starts(str_of(c->content), STR("Finished: "));
	struct buf list = BUF_INIT(DERIVE_IDS_MAX);
	struct event ev;
	uint32_t id;
	char name[16];

	if (!from)
		return;
	id = id_of(from->uuid, c);
	if (derive_has_id(&d->known, id) ||
	    (c->once && derive_has_text(&d->known, str_of(c->content))) ||
	    (c->type == EVENT_NEXT_STEP && d->known.steps.n &&
	     str_eq(buf_str(&d->known.step), str_of(c->content))))
		return;
	snprintf(name, sizeof name, "ev_d_%08x", id);
	buf_add(&list, retires(d, c, finished));
	if (derive_has_id(&d->known, id)) { /* of a session that this one's transcript is a copy of */
		buf_release(&list);
		return;
	}
	ev = (struct event){
		.type = c->type,
		.origin = EVENT_DERIVED,
		.importance = c->importance,
		.at_us = (from->at != CLOCK_NONE ? from->at : clock_now()) * 1000,
		.id = str_of(name),
		.content = str_of(c->content),
		.supersedes = buf_str(&list),
		.from = from->uuid,
	};
	event_render(lines, &ev);
	derive_add_known(&d->known, &ev);
	++*added;
	buf_release(&list);
}

static int write_lines(struct derive *d, struct vault *v, int lock_ms, size_t *added,
		       struct err *e)
{
	struct buf lines = BUF_INIT(LINES_MAX);
	int ret = 0;

	for (size_t i = 0; i < d->n; i++)
		render(d, &d->cand[i], &lines, added);
	if (lines.full)
		ret = err_set(e, HF_ELIMIT, "derived events: over %u bytes", LINES_MAX);
	else if (lines.n)
		ret = sessionnote_add(v, d->note, str_of(d->project), buf_str(&lines),
				      lock_ms, NULL, NULL, e);
	buf_release(&lines);
	return ret;
}

int derive_run(struct vault *v, const char *state_dir, const struct journal *j,
	       const struct facts *f, int lock_ms, size_t *added, struct err *e)
{
	struct derive d = {.f = f, .project = j->project, .state_dir = state_dir, .v = v};
	struct sessionnote note;
	size_t n = 0;
	int ret = 0;

	if (added)
		*added = 0;
	if (f->agent_file || !j->project)
		return 0;
	sessionnote_of(&note, str_of(j->session), j->started_at);
	d.note = &note;
	derive_known_init(&d.known);
	ret = derive_know_own(&d.known, v, &note, str_of(j->project), e);
	if (!ret) {
		collect(&d);
		ret = write_lines(&d, v, lock_ms, &n, e);
	}
	if (!ret && added)
		*added = n;
	for (size_t i = 0; i < d.n; i++)
		free(d.cand[i].content);
	free(d.cand);
	derive_known_release(&d.known);
	return ret;
}
