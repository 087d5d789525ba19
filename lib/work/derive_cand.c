/*
 * The candidates follow from the facts alone, whatever the note holds: the bounds of a turn
 * count those that are written already too, so that a run that was missed, or one more,
 * changes nothing. A turn goes from one prompt to the next; files are told once, in the turn
 * that first edited them.
 */
#include "work/derive_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/oom.h"
#include "base/utf8.h"
#include "work/doctask.h"
#include "work/docwords.h"
#include "work/prose.h"
#include "work/redact.h"

#define COUNT(a)     (sizeof(a) / sizeof *(a))
#define TEXTS_MAX    (32u << 20) /* of all candidates */
#define TEXT_MAX     (128u << 10)
#define GOAL_MAX     DERIVE_TEXT_MAX
#define GOAL_BYTES   4000 /* of a request that are looked at */
#define GOAL_WORDS   3    /* a shorter request is no goal */
#define WIDE_WORD    2 /* characters of Chinese, Japanese or Korean that count as one */
#define SUBJECT_MAX  120
#define ANSWER_SHORT 60 /* an answer of fewer bytes is told with its description */
#define SENTENCES    40
#define FILES_SHOWN  8
#define STEPS_SHOWN  3
#define SHA_SHOWN    10

#define IMPORTANCE_TOLD 2 /* goal, decisions, dead ends, steps, commits */
#define IMPORTANCE_FILE 1

/* What one turn gives at most, of each kind and of words in all. */
static const unsigned MOST[EVENT_TYPES] = {
	[EVENT_GOAL] = 1,    [EVENT_NEXT_STEP] = 1, [EVENT_DECISION] = 4,
	[EVENT_DEADEND] = 3, [EVENT_FILE] = 2,
};
#define MOST_WORDS 4

struct making {
	struct derive_cands *c;
	const struct facts *f;
	size_t room;
	struct buf text; /* of the candidate that is being made */
};

static struct derive_cand *add(struct making *m, enum event_type type, uint64_t record)
{
	struct derive_cands *c = m->c;
	str text = arena_str(&c->a, str_trim(buf_str(&m->text)));

	buf_reset(&m->text);
	if (!text.n)
		return NULL;
	if (c->n == m->room) {
		m->room = m->room ? 2 * m->room : 64;
		c->v = realloc(c->v, m->room * sizeof(c->v[0]));
		if (!c->v)
			oom();
	}
	c->v[c->n] = (struct derive_cand){
		.record = record,
		.type = type,
		.importance = IMPORTANCE_TOLD,
		.once = type == EVENT_DECISION || type == EVENT_DEADEND,
		.text = text,
	};
	return &c->v[c->n++];
}

void derive_clean(struct buf *out, str text)
{
	struct buf a = BUF_INIT(TEXT_MAX), b = BUF_INIT(TEXT_MAX), c = BUF_INIT(TEXT_MAX);
	str s;

	redact(&a, text);
	prose_squeeze(&b, buf_str(&a));
	event_normalise(&c, buf_str(&b));
	s = buf_str(&c);
	while (s.n && (s.p[s.n - 1] == ':' || s.p[s.n - 1] == ' '))
		s.n--;
	prose_cut(out, s, DERIVE_TEXT_MAX);
	buf_release(&a);
	buf_release(&b);
	buf_release(&c);
}

static bool starts_any(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_istarts(s, list[i]))
			return true;
	return false;
}

static bool has_any(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_ifind(s, list[i]) != STR_NPOS)
			return true;
	return false;
}

/* ---- the goal ---- */

/* It asks for what an earlier session was about. */
static bool goes_on(str text)
{
	static const str WORDS[] = {STR("pick up where"), STR("continue where"),
				    STR("where we left off"), STR("where you left off")};

	return has_any(str_head(text, 200), WORDS, COUNT(WORDS)) ||
	       docwords_goes_on(text) || prose_is_filler(text);
}

/* A line of a terminal in which a client ran, of a chat, of a log, of a diff: pasted. */
static bool is_pasted(str line)
{
	static const str MARKS[] = {
		STR("\xe2\x8f\xba"), STR("\xe2\x97\x8f"), STR("\xe2\x8e\xbf"),
		STR("\xe2\x9d\xaf"), STR("\xe2\x94\x82"), STR("\xe2\x95\xad"),
		STR("\xe2\x95\xb0"), STR("> "),           STR("$ "),
		STR("human:"),       STR("assistant:"),   STR("user:"),
		STR("claude:"),      STR("{\""),          STR("diff --git"),
		STR("traceback (m"),
	};

	return starts_any(str_trim(line), MARKS, COUNT(MARKS));
}

static size_t words_of(str s)
{
	size_t words = 0, wide = 0, n;
	uint32_t cp;
	str rest = s, word;

	while (str_word(&rest, &word))
		words++;
	while (s.n && (n = utf8_next(s, &cp))) {
		wide += cp >= 0x3040 && cp < 0xd7b0;
		s = str_from(s, n);
	}
	return words > wide / WIDE_WORD ? words : wide / WIDE_WORD;
}

/* The person's own lines at the head of a request, up to what was pasted. */
static void typed_head(struct buf *out, str text)
{
	struct buf typed = BUF_INIT(TEXT_MAX);
	str rest, line;

	docwords_typed(&typed, utf8_head(text, GOAL_BYTES));
	rest = buf_str(&typed);
	while (str_line(&rest, &line) && !is_pasted(line)) {
		buf_add(out, line);
		buf_byte(out, '\n');
	}
	buf_release(&typed);
}

/* Where the paste comes first, the request stands in the last paragraph. */
static void typed_tail(struct buf *out, str text)
{
	size_t gap = str_rfind(str_trim(text), STR("\n\n"));
	str last = gap == STR_NPOS ? STR_NONE : str_from(str_trim(text), gap + 2), line;
	str rest = last;

	while (str_line(&rest, &line))
		if (is_pasted(line))
			return;
	if (last.n <= GOAL_MAX)
		buf_add(out, last);
}

/* Whole sentences, as many as fit; of one that is too long its beginning. */
static void add_sentences(struct buf *out, str text)
{
	struct arena a;
	str s[SENTENCES];
	size_t n;

	arena_init(&a, 4 * GOAL_BYTES);
	n = prose_sentences(&a, text, true, s, SENTENCES);
	for (size_t i = 0; i < n && out->n + 1 + s[i].n <= GOAL_MAX; i++) {
		if (out->n)
			buf_byte(out, ' ');
		buf_add(out, s[i]);
	}
	if (n && !out->n)
		prose_cut(out, s[0], GOAL_MAX);
	arena_release(&a);
}

/* "Implement the following plan:" and a plan: its heading. */
static bool add_plan_goal(struct buf *out, str text)
{
	str heading;

	if (!str_istarts(text, STR("implement the following plan")))
		return false;
	heading = doctask_heading(text);
	if (heading.n)
		buf_printf(out, "Implement the plan: %.*s", STR_ARG(heading));
	return heading.n > 0;
}

static void goal_of(struct buf *out, str text)
{
	struct buf typed = BUF_INIT(TEXT_MAX);

	if (!add_plan_goal(out, text)) {
		typed_head(&typed, text);
		if (words_of(buf_str(&typed)) < GOAL_WORDS) {
			buf_reset(&typed);
			typed_tail(&typed, text);
		}
		if (words_of(buf_str(&typed)) >= GOAL_WORDS)
			add_sentences(out, buf_str(&typed));
	}
	buf_release(&typed);
}

/*
 * The first thing that was asked. A session that begins with a command of the user's own, with
 * a summary, or with "go on" is about what an earlier one or the command says.
 */
static const struct fact_prompt *first_request(const struct facts *f)
{
	for (size_t i = 0; i < f->nprompt; i++) {
		const struct fact_prompt *p = &f->prompt[i];

		if (f->summary.n && f->summary_record < p->record)
			return NULL;
		switch (p->kind) {
		case FACT_PROMPT:
		case FACT_QUEUED:
			if (docwords_is_markup(p->text))
				continue;
			if (str_starts(p->text, STR("/")) &&
			    docwords_is_client_command(p->text))
				continue;
			return goes_on(p->text) ? NULL : p;
		case FACT_SLASH:
			if (!docwords_is_client_command(p->text))
				return NULL;
			continue;
		case FACT_BANG:
		case FACT_EVENT:
			continue;
		}
	}
	return NULL;
}

static void add_goal(struct making *m)
{
	const struct fact_prompt *p = first_request(m->f);

	if (!p)
		return;
	goal_of(&m->text, p->text);
	add(m, EVENT_GOAL, p->record);
}

/* ---- decisions and dead ends ---- */

/* Asks back, or leaves it to others: settles nothing. */
static bool is_open(const struct fact_answer *a)
{
	static const str BEGIN[] = {
		STR("you decide"),   STR("not sure"),  STR("hmm"),
		STR("can you"),      STR("what "),     STR("how "),
		STR("i don't know"), STR("skip"),      STR("you choose"),
		STR("your call"),    STR("up to you"), STR("either"),
		STR("let me think"),
	};

	return !a->answer.n || str_chr(a->answer, '?') != STR_NPOS ||
	       starts_any(a->answer, BEGIN, COUNT(BEGIN)) ||
	       (a->own && prose_is_filler(a->answer));
}

/* About how to go on talking, not about the work. */
static bool is_about_talk(const struct fact_answer *a)
{
	static const str TALK[] = {
		STR("to discuss"),    STR("more questions"), STR("next area"),
		STR("move on"),       STR("move to the"),    STR("ready to"),
		STR("anything else"), STR("what next"),      STR("what's next"),
		STR("do next"),       STR("proceed"),        STR("continue"),
		STR("look right"),    STR("look good"),      STR("looks right"),
		STR("looks good"),
	};

	static const str LEAVE[] = {STR("would you like me"), STR("do you want me"),
				    STR("want me to"), STR("shall i "), STR("should i ")};

	/* leave to do something now */
	if (starts_any(a->question, LEAVE, COUNT(LEAVE)) &&
	    (str_istarts(a->answer, STR("yes")) || str_istarts(a->answer, STR("no"))))
		return true;
	return has_any(a->question, TALK, COUNT(TALK)) ||
	       starts_any(a->answer, TALK, COUNT(TALK));
}

/* "question → answer (note)"; an answer is the user's own word. */
static void add_answers(struct making *m)
{
	for (size_t i = 0; i < m->f->nanswer; i++) {
		const struct fact_answer *a = &m->f->answer[i];

		if (is_open(a) || is_about_talk(a))
			continue;
		prose_cut(&m->text, a->question.n ? a->question : a->header, SUBJECT_MAX);
		buf_printf(&m->text, " \xe2\x86\x92 %.*s", STR_ARG(a->answer));
		if (a->note.n && !str_eq(a->note, a->answer)) {
			buf_printf(&m->text, " (%.*s)", STR_ARG(a->note));
		} else if (a->description.n && a->answer.n < ANSWER_SHORT) {
			buf_add(&m->text, STR(" ("));
			prose_cut(&m->text, a->description, SUBJECT_MAX);
			buf_byte(&m->text, ')');
		}
		add(m, EVENT_DECISION, a->record);
	}
}

/* What a plan is about: its heading, or below one that only says that it is a plan, a line. */
static str plan_name(str plan)
{
	str heading = doctask_heading(plan), line;

	if (str_istarts(heading, STR("plan: ")))
		heading = str_from(heading, 6);
	if (words_of(heading) > 2)
		return heading;
	while (str_line(&plan, &line)) {
		line = str_trim(line);
		if (words_of(line) > 2 && str_chr(STR("#|`-*>"), line.p[0]) == STR_NPOS)
			return line;
	}
	return words_of(heading) > 1 ? heading : STR_NONE;
}

static void add_plan(struct making *m)
{
	const struct fact_prompt *first = first_request(m->f);
	str name = plan_name(m->f->plan);

	/* a session that was begun with a plan has it as its goal */
	if (!name.n || (first && first->record == m->f->plan_record))
		return;
	buf_add(&m->text, STR("Plan approved: "));
	prose_cut(&m->text, name, SUBJECT_MAX);
	add(m, EVENT_DECISION, m->f->plan_record);
}

static void add_verdicts(struct making *m)
{
	for (size_t i = 0; i < m->f->nverdict; i++) {
		const struct fact_verdict *v = &m->f->verdict[i];

		/* who thinks aloud settles it with the last word */
		if (i + 1 < m->f->nverdict && v[1].record == v->record &&
		    v[1].deadend == v->deadend)
			continue;
		if (v->user)
			buf_add(&m->text, STR("User: "));
		buf_add(&m->text, v->text);
		add(m, v->deadend ? EVENT_DEADEND : EVENT_DECISION, v->record);
	}
}

/* What the user did not let happen, with the reason; of a plan, what is to be otherwise. */
static void add_refusals(struct making *m)
{
	for (size_t i = 0; i < m->f->nrefused; i++) {
		const struct fact_refused *r = &m->f->refused[i];

		if (words_of(r->words) < GOAL_WORDS || str_ends(r->words, STR("?")))
			continue;
		if (str_eq(r->tool, STR("ExitPlanMode"))) {
			buf_printf(&m->text, "User, of the plan: %.*s",
				   STR_ARG(r->words));
			add(m, EVENT_DECISION, r->record);
			continue;
		}
		buf_printf(&m->text, "Refused: %.*s ", STR_ARG(r->tool));
		prose_cut(&m->text, r->label, SUBJECT_MAX);
		buf_printf(&m->text, " (\"%.*s\")", STR_ARG(r->words));
		add(m, EVENT_DEADEND, r->record);
	}
}

/* ---- files and commits ---- */

/* Number of the turn that a record is in: one begins with each prompt, and with each answer. */
static size_t turn_of(const struct facts *f, uint64_t record)
{
	size_t turn = 0;

	for (size_t i = 0; i < f->nprompt && f->prompt[i].record <= record; i++)
		turn++;
	for (size_t i = 0; i < f->nanswer && f->answer[i].record <= record; i++)
		turn++;
	return turn;
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
static size_t add_turn_files(struct making *m, const struct fact_edit **e, size_t n)
{
	size_t turn = turn_of(m->f, e[0]->first), k = 0, shown = 0;
	struct buf path = BUF_INIT(PATH_MAX);
	struct derive_cand *c;

	buf_add(&m->text, STR("Edited "));
	for (; k < n && turn_of(m->f, e[k]->first) == turn; k++) {
		if (shown == FILES_SHOWN ||
		    (shown && m->text.n > DERIVE_TEXT_MAX - SUBJECT_MAX))
			continue;
		buf_reset(&path);
		extract_relative(m->f, e[k]->path, &path);
		if (shown++)
			buf_add(&m->text, STR(", "));
		prose_tail(&m->text, buf_str(&path), SUBJECT_MAX - 20);
	}
	if (k > shown)
		buf_printf(&m->text, " (+%zu more)", k - shown);
	c = add(m, EVENT_FILE, e[0]->first);
	if (c)
		c->importance = IMPORTANCE_FILE;
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

static void add_files(struct making *m)
{
	const struct fact_edit **e;
	size_t n = 0;

	if (!m->f->nedit)
		return;
	e = calloc(m->f->nedit, sizeof(*e));
	if (!e)
		oom();
	for (size_t i = 0; i < m->f->nedit; i++)
		if (is_inside(m->f, m->f->edit[i].path))
			e[n++] = &m->f->edit[i];
	qsort(e, n, sizeof(*e), by_first);
	for (size_t i = 0; i < n;)
		i += add_turn_files(m, e + i, n - i);
	free(e);
}

static void add_commits(struct making *m)
{
	for (size_t i = 0; i < m->f->ncommit; i++) {
		const struct fact_commit *c = &m->f->commit[i];

		buf_printf(&m->text, "Committed%s%.*s: %.*s", c->sha.n ? " " : "",
			   STR_ARG(str_head(c->sha, SHA_SHOWN)), STR_ARG(c->subject));
		add(m, EVENT_FILE, c->record);
	}
}

/* ---- tasks ---- */

static bool is_done(const struct fact_todo *t)
{
	return str_eq(t->status, STR("completed")) || str_eq(t->status, STR("deleted"));
}

/* "A; then: B; then: C (+2 more)": the open tasks, those at work first. Returns how many. */
static size_t open_tasks(struct making *m)
{
	static const str working = STR("in_progress");
	size_t open = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < m->f->ntodo; i++) {
			const struct fact_todo *t = &m->f->todo[i];

			if (is_done(t) || str_eq(t->status, working) != (pass == 0) ||
			    ++open > STEPS_SHOWN)
				continue;
			if (m->text.n)
				buf_add(&m->text, STR("; then: "));
			prose_cut(&m->text, t->subject, SUBJECT_MAX - 30);
		}
	if (open > STEPS_SHOWN)
		buf_printf(&m->text, " (+%zu more)", open - STEPS_SHOWN);
	return open;
}

/* In one event, as new as the newest change of any; when all are done, what was done last. */
static void add_tasks(struct making *m)
{
	const struct fact_todo *last = NULL;
	struct derive_cand *c;

	for (size_t i = 0; i < m->f->ntodo; i++)
		if (!last || m->f->todo[i].record >= last->record)
			last = &m->f->todo[i];
	if (!last)
		return;
	if (open_tasks(m)) {
		add(m, EVENT_NEXT_STEP, last->record);
		return;
	}
	buf_reset(&m->text);
	buf_printf(&m->text, "Finished: %.*s", STR_ARG(last->subject));
	c = add(m, EVENT_FILE, last->record);
	if (c) {
		c->importance = IMPORTANCE_FILE;
		c->retires = true;
	}
}

/* ---- all of them ---- */

static int by_record(const void *a, const void *b)
{
	const struct derive_cand *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* In the order in which they were made, which is that of their facts. */
static void number_places(struct derive_cands *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->v[i].place = (unsigned)i;
	if (c->n)
		qsort(c->v, c->n, sizeof(c->v[0]), by_record);
	for (size_t i = 0; i < c->n; i++) {
		bool same = i && c->v[i - 1].record == c->v[i].record &&
			    c->v[i - 1].type == c->v[i].type;

		c->v[i].place = same ? c->v[i - 1].place + 1 : 0;
	}
}

/* The first of each turn stay: what comes later in it must not push out what is written. */
static void keep_bounds(struct derive_cands *c, const struct facts *f)
{
	unsigned of[EVENT_TYPES] = {0};
	size_t turn = SIZE_MAX, n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct derive_cand v = c->v[i];
		bool words = v.type == EVENT_DECISION || v.type == EVENT_DEADEND;

		if (turn_of(f, v.record) != turn) {
			turn = turn_of(f, v.record);
			memset(of, 0, sizeof of);
		}
		if (!v.retires) {
			if (of[v.type] == MOST[v.type] ||
			    (words &&
			     of[EVENT_DECISION] + of[EVENT_DEADEND] == MOST_WORDS))
				continue;
			of[v.type]++;
		}
		c->v[n++] = v;
	}
	c->n = n;
}

void derive_cands_of(struct derive_cands *c, const struct facts *f)
{
	struct making m = {.c = c, .f = f, .text = BUF_INIT(TEXT_MAX)};

	*c = (struct derive_cands){.v = NULL};
	arena_init(&c->a, TEXTS_MAX);
	add_goal(&m);
	add_answers(&m);
	add_plan(&m);
	add_verdicts(&m);
	add_refusals(&m);
	add_files(&m);
	add_commits(&m);
	add_tasks(&m);
	number_places(c);
	keep_bounds(c, f);
	buf_release(&m.text);
}

void derive_cands_release(struct derive_cands *c)
{
	arena_release(&c->a);
	free(c->v);
	*c = (struct derive_cands){.v = NULL};
}
