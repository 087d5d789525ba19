#include "fault.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "data/event.h"
#include "work/derive.h"

#define SESSION "7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47"
#define STARTED INT64_C(1770920402123) /* 2026-02-12T18:20:02.123Z */
#define NOTE    "vault/p/sessions/s_20260212T182002_7c1e42.md"
#define STATE   "state/facts/" SESSION ".derived"
#define UUID(n) STR("aaaaaaaa-0000-4000-8000-00000000000" n)

static struct fact_prompt prompt[] = {
	{.record = 1, .at = STARTED, .text = {"Count the lorries at the gate.", 30}},
	{.record = 6, .at = STARTED + 60000, .text = {"Now the trailers, please.", 25}},
};
static struct fact_verdict verdict[] = {
	{.record = 3, .text = {"I decided to count from zero.", 29}},
	{.record = 8, .deadend = true, .text = {"The mmap approach fails:", 24}},
};
static struct fact_edit edit[] = {
	{.first = 4, .last = 4, .path = {"/home/dev/p/src/a.c", 19}},
	{.first = 7, .last = 9, .path = {"/home/dev/p/b.c", 15}},
};
static struct fact_commit commit[] = {
	{.record = 9, .sha = {"0123456789abcdef", 16}, .subject = {"count", 5}},
};
static struct fact_source source[9];

struct run {
	struct vault v;
	struct journal *j;
	struct facts f;
	size_t added;
	struct err e;
};

static void begin(struct run *r)
{
	static const char *const uuid[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
	static char text[9][40];

	*r = (struct run){.f = {.dir = STR("/home/dev/p"), .records = 9}};
	for (size_t i = 0; i < 9; i++) {
		snprintf(text[i], sizeof text[i], "aaaaaaaa-0000-4000-8000-00000000000%s",
			 uuid[i]);
		source[i] = (struct fact_source){i + 1, STARTED + (int64_t)i * 1000,
						 str_of(text[i])};
	}
	r->f.prompt = prompt;
	r->f.nprompt = 2;
	r->f.verdict = verdict;
	r->f.nverdict = 2;
	r->f.edit = edit;
	r->f.nedit = 2;
	r->f.commit = commit;
	r->f.ncommit = 1;
	r->f.source = source;
	r->f.nsource = 9;
	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	assert_int_equal(vault_open(&r->v, NULL, NULL), 0);
	r->j = journal_open(test_path("state"), STR(SESSION), NULL);
	r->j->started_at = STARTED;
	journal_set(&r->j->project, STR("p"));
}

static void end(struct run *r)
{
	journal_free(r->j);
	vault_release(&r->v);
}

static int derive(struct run *r)
{
	r->e = ERR_INIT;
	return derive_run(&r->v, test_path("state"), r->j, &r->f, 100, &r->added, &r->e);
}

/* The n-th event of the note; its texts last until the exit. */
static struct event event_at(size_t n)
{
	str rest = test_read(NOTE), line;
	struct event ev;

	while (event_cut(&rest, &line))
		if (event_parse(line, &ev) && n-- == 0)
			return ev;
	fail_msg("no such event");
	return ev;
}

static size_t events(void)
{
	str rest = test_read(NOTE), line;
	struct event ev;
	size_t n = 0;

	while (event_cut(&rest, &line))
		n += event_parse(line, &ev);
	return n;
}

static void test_derive__writes_facts_in_the_order_of_their_records(void **state)
{
	static const struct {
		enum event_type type;
		int importance;
		const char *content;
	} WANT[] = {
		{EVENT_GOAL, 2, "Count the lorries at the gate."},
		{EVENT_DECISION, 2, "I decided to count from zero."},
		{EVENT_FILE, 1, "Edited src/a.c"},
		{EVENT_FILE, 1, "Edited b.c"},
		{EVENT_DEADEND, 2, "The mmap approach fails"},
		{EVENT_FILE, 2, "Committed 0123456789: count"},
	};
	struct run r;

	(void)state;
	begin(&r);
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 6);
	for (size_t i = 0; i < 6; i++) {
		struct event ev = event_at(i);

		assert_int_equal(ev.type, WANT[i].type);
		assert_int_equal(ev.importance, WANT[i].importance);
		assert_str(ev.content, str_of(WANT[i].content));
		assert_int_equal(ev.origin, EVENT_DERIVED);
		assert_true(str_starts(ev.id, STR("ev_d_")) && ev.id.n == 13);
		assert_int_equal(ev.supersedes.n, 0);
	}
	assert_str(event_at(0).from, UUID("1"));
	assert_true(event_at(2).at_us == (STARTED + 3000) * 1000);
	end(&r);
}

static void test_derive__adds_nothing_twice_and_knows_what_is_new(void **state)
{
	struct run r;
	char *before;

	(void)state;
	begin(&r);
	r.f.nverdict = 1;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 5);
	before = str_dup(test_read(NOTE));
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 0);
	assert_true(test_is(NOTE, before));
	r.f.nverdict = 2;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 1);
	assert_true(str_starts(test_read(NOTE), str_of(before)));
	assert_int_equal(event_at(5).type, EVENT_DEADEND);
	free(before);
	end(&r);
}

static void
test_derive__what_an_agent_logged_in_the_same_words_is_not_repeated(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	test_write(NOTE,
		   STR("---\nid: s_20260212T182002_7c1e42\nproject: p\n"
		       "started_at: 2026-02-12T18:20:02.123000+00:00\nstatus: active\n"
		       "summary: \n---\n- **[decision]** (imp:5 \xc2\xb7 "
		       "2026-02-12T18:21:00+00:00) I decided to count from zero. "
		       "<!-- id=ev_1 -->\n"));
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 5);
	end(&r);
}

static void test_derive__without_a_uuid_in_the_file_there_is_no_event(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	r.f.nsource = 3;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 2);
	r.f.nsource = 9;
	r.f.agent_file = true;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 0);
	r.f.agent_file = false;
	r.j->started_at = CLOCK_NONE;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 0);
	end(&r);
}

static void test_derive__ids_follow_from_the_records_alone(void **state)
{
	char *id;
	struct run r;

	(void)state;
	begin(&r);
	assert_int_equal(derive(&r), 0);
	id = str_dup(event_at(0).id);
	end(&r);
	begin(&r); /* elsewhere, another time: the same */
	r.j->started_at = STARTED;
	setenv("HANDOFF_NOW", "2027-01-01T00:00:00Z", 1);
	assert_int_equal(derive(&r), 0);
	assert_str(event_at(0).id, str_of(id));
	assert_false(str_eq(event_at(2).id, event_at(3).id));
	free(id);
	end(&r);
}

static void test_derive__what_settles_nothing_is_left_out(void **state)
{
	static struct fact_answer answer[] = {
		{.record = 2, .question = {"Where?", 6}, .answer = {"In a file", 9}},
		{.record = 2,
		 .question = {"When?", 5},
		 .answer = {"can you explain", 15}},
		{.record = 2, .question = {"Who?", 4}, .answer = {"You decide", 10}},
		{.record = 2,
		 .question = {"Would you like me to paint it?", 30},
		 .answer = {"Yes, paint it", 13}},
		{.record = 2,
		 .question = {"More questions, or move to the next area?", 41},
		 .answer = {"Next area", 9}},
	};
	static struct fact_refused refused[] = {
		{.record = 5,
		 .tool = {"Bash", 4},
		 .label = {"make gate", 9},
		 .words = {"the gate is locked today", 24}},
		{.record = 5,
		 .tool = {"ExitPlanMode", 12},
		 .words = {"keep the name of the gate", 25}},
		{.record = 5, .tool = {"Bash", 4}, .words = {"why do you do that?", 19}},
	};
	static struct fact_verdict aloud[] = {
		{.record = 3, .text = {"I decided to count from one.", 28}},
		{.record = 3, .k = 1, .text = {"I decided to count from zero.", 29}},
	};
	static struct fact_prompt go_on[] = {
		{.record = 1, .text = {"Pick up where we left off.", 26}},
	};
	static struct fact_edit outside[] = {
		{.first = 4, .last = 4, .path = {"/home/dev/.claude/plans/a.md", 28}},
	};
	struct run r;

	(void)state;
	begin(&r);
	r.f.answer = answer;
	r.f.nanswer = 5;
	r.f.refused = refused;
	r.f.nrefused = 3;
	r.f.verdict = aloud;
	r.f.prompt = go_on;
	r.f.nprompt = 1;
	r.f.edit = outside;
	r.f.nedit = 1;
	r.f.ncommit = 0;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 4);
	assert_str(event_at(0).content, STR("Where? \xe2\x86\x92 In a file"));
	assert_str(event_at(1).content, STR("I decided to count from zero."));
	assert_str(event_at(2).content,
		   STR("User, of the plan: keep the name of the gate"));
	assert_int_equal(event_at(3).type, EVENT_DEADEND);
	assert_str(event_at(3).content,
		   STR("Refused: Bash make gate (\"the gate is locked today\")"));
	end(&r);
}

/* Events of each type in the note. */
static void count(size_t n[EVENT_TYPES])
{
	size_t all = events();

	memset(n, 0, EVENT_TYPES * sizeof(n[0]));
	for (size_t i = 0; i < all; i++)
		n[event_at(i).type]++;
}

static void test_derive__a_turn_gives_so_many_of_each_kind_and_in_all(void **state)
{
	static const struct {
		size_t verdicts, commits, want[EVENT_TYPES];
	} CASES[] = {
		/* record by record a decision and a dead end: four words in all */
		{8,
		 4,
		 {[EVENT_GOAL] = 1,
		  [EVENT_NEXT_STEP] = 1,
		  [EVENT_DECISION] = 2,
		  [EVENT_DEADEND] = 2,
		  [EVENT_FILE] = 2}},
		{4,
		 4,
		 {[EVENT_GOAL] = 1,
		  [EVENT_NEXT_STEP] = 1,
		  [EVENT_DECISION] = 4,
		  [EVENT_FILE] = 2}},
		{1,
		 0,
		 {[EVENT_GOAL] = 1,
		  [EVENT_NEXT_STEP] = 1,
		  [EVENT_DECISION] = 1,
		  [EVENT_FILE] = 1}},
	};
	struct fact_verdict many[8];
	struct fact_commit commits[4];
	struct fact_todo todo[] = {{.record = 9,
				    .subject = STR("Count the rest"),
				    .status = STR("pending")}};
	size_t n[EVENT_TYPES];
	struct run r;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		many[i] = (struct fact_verdict){.record = 2 + i % 4,
						.k = (uint32_t)(i / 4),
						.deadend = i >= 4,
						.text = str_of(&"hgfedcba"[i])};
	for (size_t i = 0; i < 4; i++)
		commits[i] =
			(struct fact_commit){.record = 6 + i, .subject = STR("count")};
	for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
		begin(&r);
		r.f.nprompt = 1;
		r.f.verdict = many;
		r.f.nverdict = CASES[i].verdicts;
		r.f.commit = commits;
		r.f.ncommit = CASES[i].commits;
		r.f.nedit = 1;
		r.f.todo = todo;
		r.f.ntodo = 1;
		assert_int_equal(derive(&r), 0);
		count(n);
		for (int t = 0; t < EVENT_TYPES; t++)
			assert_int_equal(n[t], CASES[i].want[t]);
		end(&r);
	}
}

static void test_derive__an_answer_begins_a_turn(void **state)
{
	struct fact_answer answer[9];
	struct run r;
	size_t n[EVENT_TYPES];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		answer[i] = (struct fact_answer){.record = 2 + i / 3,
						 .question = STR("Which gate?"),
						 .answer = str_of(&"hgfedcbai"[i])};
	begin(&r);
	r.f.nprompt = 1;
	r.f.answer = answer;
	r.f.nanswer = 9;
	r.f.nverdict = 0;
	assert_int_equal(derive(&r), 0);
	count(n);
	assert_int_equal(n[EVENT_DECISION], 9);
	end(&r);
}

static void test_derive__what_comes_later_in_a_turn_pushes_nothing_out(void **state)
{
	struct fact_commit commits[] = {{.record = 5, .subject = STR("one")},
					{.record = 8, .subject = STR("two")},
					{.record = 9, .subject = STR("three")}};
	struct run r;
	char *whole;

	(void)state;
	begin(&r);
	r.f.nprompt = 1;
	r.f.commit = commits;
	r.f.ncommit = 3;
	assert_int_equal(derive(&r), 0);
	whole = str_dup(test_read(NOTE));
	end(&r);
	begin(&r);
	r.f.nprompt = 1;
	r.f.commit = commits;
	r.f.ncommit = 1;
	r.f.nedit = 1;
	r.f.nverdict = 1;
	assert_int_equal(derive(&r), 0);
	r.f.ncommit = 3;
	r.f.nedit = 2;
	r.f.nverdict = 2;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(events(), 5);
	for (size_t i = 0; i < events(); i++)
		assert_true(str_find(str_of(whole), event_at(i).id) != STR_NPOS);
	free(whole);
	end(&r);
}

static void test_derive__the_goal_is_what_a_person_asked_first(void **state)
{
	static const struct {
		enum fact_prompt_kind kind;
		const char *text, *goal; /* "": none */
	} CASES[] = {
		{FACT_PROMPT, "Count the lorries. Then paint the gate.\n\nThanks a lot!",
		 "Count the lorries. Then paint the gate. Thanks a lot!"},
		{FACT_PROMPT, "two words", ""},
		{FACT_PROMPT, "pick up where we left off, with the gate", ""},
		{FACT_SLASH, "/plan-all 12 with care", ""},
		{FACT_PROMPT, "/clear", ""},
		{FACT_PROMPT,
		 "\xe6\x95\xb0\xe4\xb8\x80\xe4\xb8\x8b\xe5\x8d\xa1\xe8\xbd\xa6", ""},
		{FACT_PROMPT,
		 "\xe8\xaf\xb7\xe6\x95\xb0\xe4\xb8\x80\xe4\xb8\x8b\xe5\x8d\xa1\xe8\xbd\xa6",
		 "\xe8\xaf\xb7\xe6\x95\xb0\xe4\xb8\x80\xe4\xb8\x8b\xe5\x8d\xa1\xe8\xbd\xa6"},
		{FACT_PROMPT,
		 "Why does it stop here?\n\n\xe2\x8f\xba I will count the lorries now.\n"
		 "\xe2\x8e\xbf 12 lorries\nI have painted the gate.",
		 "Why does it stop here?"},
		{FACT_PROMPT,
		 "\xe2\x9d\xaf count the lorries\n\xe2\x8f\xba There are none.\n\n"
		 "That is what it said, find out why.",
		 "That is what it said, find out why."},
		{FACT_PROMPT,
		 "\xe2\x9d\xaf count the lorries\n\xe2\x8f\xba There are none.\n\n"
		 "\xe2\x8e\xbf 12 lorries at the gate",
		 ""},
		{FACT_PROMPT,
		 "Implement the following plan:\n\n# Green gate\n\nPaint it.",
		 "Implement the plan: Green gate"},
	};
	struct fact_prompt one = {.record = 1, .at = STARTED};
	struct run r;

	(void)state;
	for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
		begin(&r);
		one.kind = CASES[i].kind;
		one.text = str_of(CASES[i].text);
		r.f.prompt = &one;
		r.f.nprompt = 1;
		r.f.nverdict = r.f.ncommit = 0;
		r.f.nedit = 1;
		assert_int_equal(derive(&r), 0);
		assert_int_equal(r.added, 1 + (CASES[i].goal[0] != 0));
		if (CASES[i].goal[0])
			assert_str(event_at(0).content, str_of(CASES[i].goal));
		end(&r);
	}
	begin(&r); /* the transcript begins with what another one was about */
	r.f.summary = STR("Paint the gate.");
	r.f.nverdict = r.f.ncommit = 0;
	r.f.nedit = 1;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 1);
	end(&r);
}

static void test_derive__a_plan_is_told_by_what_it_is_about(void **state)
{
	static const struct {
		const char *plan, *told; /* "": not at all */
	} CASES[] = {
		{"# Plan: Paint the northern gate\n\nWith green.",
		 "Plan approved: Paint the northern gate"},
		{"# Plan\n\n- one\n\nPaint the gate in green.\n",
		 "Plan approved: Paint the gate in green."},
		{"# Green gate\n", "Plan approved: Green gate"},
		{"# Plan\n", ""},
		{"", ""},
	};
	struct run r;

	(void)state;
	for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
		begin(&r);
		r.f.nprompt = r.f.nverdict = r.f.nedit = r.f.ncommit = 0;
		r.f.plan = str_of(CASES[i].plan);
		r.f.plan_record = 4;
		assert_int_equal(derive(&r), 0);
		assert_int_equal(r.added, CASES[i].told[0] != 0);
		if (r.added)
			assert_str(event_at(0).content, str_of(CASES[i].told));
		end(&r);
	}
}

static void test_derive__contents_are_whole_sentences(void **state)
{
	static const char S[] =
		"Count every lorry that comes to the northern gate before noon. ";
	struct buf b = BUF_INIT(4096);
	struct fact_prompt one = {.record = 1, .at = STARTED};
	struct run r;
	str goal;

	(void)state;
	begin(&r);
	for (int i = 0; i < 10; i++)
		buf_add(&b, str_of(S));
	one.text = buf_str(&b);
	r.f.prompt = &one;
	r.f.nprompt = 1;
	assert_int_equal(derive(&r), 0);
	goal = event_at(0).content;
	assert_int_equal((goal.n + 1) % (sizeof S - 1), 0);
	assert_true(goal.n > 200 && goal.n <= DERIVE_TEXT_MAX);
	buf_release(&b);
	end(&r);
}

/* ---- what is remembered ---- */

static int opened;
static int (*real_open)(const char *path, int flags, mode_t mode);

static int note_open(const char *path, int flags, mode_t mode)
{
	opened += strstr(path, "/sessions/") != NULL;
	return real_open(path, flags, mode);
}

/* Run it, and say how often a note was opened. */
static int opens(struct run *r)
{
	opened = 0;
	real_open = io.open;
	io.open = note_open;
	assert_int_equal(derive(r), 0);
	io.open = real_open;
	return opened;
}

static void test_derive__of_a_note_that_is_as_it_was_nothing_is_read(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	assert_true(opens(&r) > 0);
	assert_int_equal(r.added, 6);
	assert_int_equal(opens(&r), 0);
	assert_int_equal(r.added, 0);
	unlink(test_path(STATE)); /* forgotten: it is read, and known again */
	assert_true(opens(&r) > 0);
	assert_int_equal(r.added, 0);
	assert_int_equal(opens(&r), 0);
	end(&r);
}

static void log_line(const char *words, const char *id)
{
	FILE *f = fopen(test_path(NOTE), "a");

	assert_non_null(f);
	fprintf(f,
		"- **[decision]** (imp:3 \xc2\xb7 2026-02-12T18:30:00+00:00) "
		"%s <!-- id=%s -->\n",
		words, id);
	fclose(f);
}

static void test_derive__what_was_added_to_the_note_is_read_and_known(void **state)
{
	struct run r;
	int once;

	(void)state;
	begin(&r);
	r.f.nverdict = 0;
	assert_int_equal(derive(&r), 0);
	log_line("I decided to count from zero.", "ev_1");
	r.f.nverdict = 1;
	once = opens(&r);
	assert_true(once > 0);
	assert_int_equal(r.added, 0);
	assert_int_equal(opens(&r), 0);
	end(&r);
}

static void test_derive__a_line_that_was_taken_out_does_not_come_back(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct run r;
	str note, line;

	(void)state;
	begin(&r);
	assert_int_equal(derive(&r), 0);
	note = test_read(NOTE);
	while (str_line(&note, &line))
		if (str_find(line, STR("mmap")) == STR_NPOS)
			buf_printf(&b, "%.*s\n", STR_ARG(line));
	unlink(test_path(NOTE)); /* as an editor does */
	test_write(NOTE, buf_str(&b));
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 0);
	assert_int_equal(events(), 5);
	assert_int_equal(derive_forget(test_path("state"), STR(SESSION), NULL), 0);
	assert_int_equal(derive_forget(test_path("state"), STR(SESSION), NULL), 0);
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 1);
	buf_release(&b);
	end(&r);
}

static void test_derive__a_damaged_memory_is_no_memory(void **state)
{
	struct run r;
	char *was;
	size_t n;

	(void)state;
	begin(&r);
	assert_int_equal(derive(&r), 0);
	n = test_read(STATE).n;
	was = str_dup(test_read(STATE));
	for (size_t i = 0; i <= n; i++) {
		test_write(STATE, str_head(str_of(was), i));
		assert_int_equal(derive(&r), 0);
		assert_int_equal(r.added, 0);
		assert_true(test_is(STATE, was));
	}
	for (size_t i = 0; i < n; i++) {
		was[i] ^= 1;
		test_write(STATE, str_of(was));
		was[i] ^= 1;
		assert_int_equal(derive(&r), 0);
		assert_int_equal(r.added, 0);
		assert_true(test_is(STATE, was));
	}
	free(was);
	end(&r);
}

static void
test_derive__a_step_of_a_session_that_runs_stays_whatever_it_retired(void **state)
{
	static const char OTHER[] = "33333333-5b0d-4f0e-9a63-2f6d8e1b0c47";
	struct fact_todo todo[] = {{.record = 9,
				    .subject = STR("Count the rest"),
				    .status = STR("pending")}};
	struct journal *live;
	struct run r;

	(void)state;
	begin(&r);
	test_write(
		"vault/p/sessions/s_20260210T182002_222222.md",
		STR("---\nid: s_20260210T182002_222222\nproject: p\nstatus: active\n---\n"
		    "- **[next_step]** (imp:2 \xc2\xb7 2026-02-10T18:21:00+00:00) Old step "
		    "<!-- id=ev_d_00000001 origin=derived from=x -->\n"));
	test_write(
		"vault/p/sessions/s_20260211T182002_333333.md",
		STR("---\nid: s_20260211T182002_333333\nproject: p\nstatus: active\n---\n"
		    "- **[next_step]** (imp:2 \xc2\xb7 2026-02-11T18:21:00+00:00) Live step "
		    "<!-- id=ev_d_00000002 supersedes=ev_d_00000001 origin=derived from=y -->\n"));
	live = journal_open(test_path("state"), str_of(OTHER), NULL);
	live->started_at = INT64_C(1770834002000);
	journal_process_of(&live->process, getpid());
	assert_int_equal(journal_save(live, NULL), 0);
	journal_free(live);
	r.f.todo = todo;
	r.f.ntodo = 1;
	assert_int_equal(derive(&r), 0);
	assert_true(str_find(test_read(NOTE), STR("Count the rest")) != STR_NPOS);
	assert_true(str_find(test_read(NOTE), STR("ev_d_00000002")) == STR_NPOS);
	end(&r);
}

static void test_derive__every_failing_call_leaves_all_lines_or_none(void **state)
{
	struct run r;
	bool met;
	int n = 0, ret;

	(void)state;
	begin(&r);
	do {
		unlink(test_path(NOTE));
		unlink(test_path(STATE));
		fault_at(++n);
		ret = derive(&r);
		met = fault_met();
		fault_off();
		assert_int_equal(r.v.lock, -1);
		if (test_exists(NOTE))
			assert_int_equal(event_at(5).importance, 2);
		else
			assert_int_not_equal(ret, 0);
		assert_int_equal(ret, r.e.code);
		/* and the next run makes up for it, once */
		assert_int_equal(derive(&r), 0);
		assert_int_equal(events(), 6);
	} while (met);
	assert_int_equal(ret, 0);
	assert_true(n > 10);
	end(&r);
}

static void
test_derive__a_lock_that_is_held_is_waited_for_so_long_and_no_longer(void **state)
{
	struct vault other;
	struct run r;

	(void)state;
	begin(&r);
	assert_int_equal(vault_open(&other, NULL, NULL), 0);
	assert_int_equal(vault_lock(&other, 0, NULL), 0);
	assert_int_equal(derive(&r), HF_ETIME);
	assert_false(test_exists(NOTE));
	vault_release(&other);
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 6);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derive__writes_facts_in_the_order_of_their_records),
		cmocka_unit_test(test_derive__adds_nothing_twice_and_knows_what_is_new),
		cmocka_unit_test(
			test_derive__what_an_agent_logged_in_the_same_words_is_not_repeated),
		cmocka_unit_test(
			test_derive__without_a_uuid_in_the_file_there_is_no_event),
		cmocka_unit_test(test_derive__ids_follow_from_the_records_alone),
		cmocka_unit_test(test_derive__what_settles_nothing_is_left_out),
		cmocka_unit_test(
			test_derive__a_turn_gives_so_many_of_each_kind_and_in_all),
		cmocka_unit_test(test_derive__an_answer_begins_a_turn),
		cmocka_unit_test(
			test_derive__what_comes_later_in_a_turn_pushes_nothing_out),
		cmocka_unit_test(test_derive__the_goal_is_what_a_person_asked_first),
		cmocka_unit_test(test_derive__a_plan_is_told_by_what_it_is_about),
		cmocka_unit_test(test_derive__contents_are_whole_sentences),
		cmocka_unit_test(
			test_derive__of_a_note_that_is_as_it_was_nothing_is_read),
		cmocka_unit_test(
			test_derive__what_was_added_to_the_note_is_read_and_known),
		cmocka_unit_test(
			test_derive__a_line_that_was_taken_out_does_not_come_back),
		cmocka_unit_test(test_derive__a_damaged_memory_is_no_memory),
		cmocka_unit_test(
			test_derive__a_step_of_a_session_that_runs_stays_whatever_it_retired),
		cmocka_unit_test(
			test_derive__every_failing_call_leaves_all_lines_or_none),
		cmocka_unit_test(
			test_derive__a_lock_that_is_held_is_waited_for_so_long_and_no_longer),
	};

	return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
