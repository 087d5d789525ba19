#include "fault.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/event.h"
#include "work/derive.h"

#define SESSION "7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47"
#define STARTED INT64_C(1770920402123) /* 2026-02-12T18:20:02.123Z */
#define NOTE    "vault/p/sessions/s_20260212T182002_7c1e42.md"
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

static void test_derive__writes_facts_in_the_order_of_their_records(void **state)
{
	static const struct {
		enum event_type type;
		int importance;
		const char *content;
	} WANT[] = {
		{EVENT_GOAL, 3, "Count the lorries at the gate."},
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
	r.f.agent_file = true;
	r.f.nsource = 9;
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
	r.f.nanswer = 3;
	r.f.verdict = aloud;
	r.f.prompt = go_on;
	r.f.nprompt = 1;
	r.f.edit = outside;
	r.f.nedit = 1;
	r.f.ncommit = 0;
	assert_int_equal(derive(&r), 0);
	assert_int_equal(r.added, 2);
	assert_str(event_at(0).content, STR("Where? \xe2\x86\x92 In a file"));
	assert_str(event_at(1).content, STR("I decided to count from zero."));
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
			test_derive__every_failing_call_leaves_all_lines_or_none),
		cmocka_unit_test(
			test_derive__a_lock_that_is_held_is_waited_for_so_long_and_no_longer),
	};

	return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
