#include "fault.h"
#include "base/clock.h"
#include "base/err.h"
#include "data/transcript.h"
#include "work/history.h"

#include <stdio.h>

#define ID "0b8f3d52-6a41-4c7e-8f19-d3a5c2e96b10"

static char dir[4096];

static void history(str text)
{
	test_dir();
	test_write("claude/history.jsonl", text);
	snprintf(dir, sizeof(dir), "%s", test_path("claude"));
}

#define LINE(id, at, words)                                                              \
	"{\"display\":\"" words "\",\"pastedContents\":{},\"timestamp\":" at             \
	",\"project\":\"/mill\",\"sessionId\":\"" id "\"}\n"

static void two_prompts(void)
{
	history(STR(LINE(ID, "1783930323694", "grind \\\"the\\\" corn\\n\\u00e9") LINE(
		"99999999-6a41-4c7e-8f19-d3a5c2e96b10", "1783930323695", "another one")
			    LINE(ID, "1783930447675", "and the rye")));
}

static void test_history__prompts_become_a_transcript(void **state)
{
	struct transcript *t;
	const struct record *r;
	struct arena a;
	struct source src;
	struct err e = ERR_INIT;
	uint64_t n;
	str text;

	(void)state;
	two_prompts();
	assert_int_equal(history_open(&src, dir, STR(ID), &n, &e), 0);
	assert_int_equal(n, 2);
	arena_init(&a, 1 << 16);
	t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_INDEX);
	assert_int_equal(transcript_next(t, &r), TRANSCRIPT_RECORD);
	assert_int_equal(record_says(r, &a, &text), SAYS_PROMPT);
	assert_str(text, STR("grind \"the\" corn\n\xc3\xa9"));
	assert_str(r->session, STR(ID));
	assert_str(r->cwd, STR("/mill"));
	assert_int_equal(r->at, 1783930323694);
	assert_int_equal(transcript_next(t, &r), TRANSCRIPT_RECORD);
	assert_int_equal(record_says(r, &a, &text), SAYS_PROMPT);
	assert_str(text, STR("and the rye"));
	assert_str(r->parent, STR("history-1"));
	assert_int_equal(transcript_next(t, &r), TRANSCRIPT_END);
	assert_int_equal(t->losses, 0);
	transcript_free(t);
	arena_release(&a);
	source_release(&src);
}

static void test_history__nothing_known_is_not_found(void **state)
{
	struct source src;
	uint64_t n;

	(void)state;
	two_prompts();
	assert_int_equal(history_open(&src, dir, STR("0b8f3d52"), &n, NULL),
			 HF_ENOTFOUND);
	history(STR(""));
	assert_int_equal(history_open(&src, dir, STR(ID), &n, NULL), HF_ENOTFOUND);
	assert_int_equal(history_open(&src, test_path("gone"), STR(ID), &n, NULL),
			 HF_ENOTFOUND);
}

static void test_history__every_failing_call(void **state)
{
	int n = 0, failed = 0;
	bool met;

	(void)state;
	two_prompts();
	do {
		struct source src;
		struct err e = ERR_INIT;
		uint64_t prompts = 0;
		int ret;

		fault_at(++n);
		ret = history_open(&src, dir, STR(ID), &prompts, &e);
		met = fault_met();
		fault_off();
		if (ret) {
			failed++;
			assert_true(e.msg[0] != '\0');
			continue;
		}
		assert_int_equal(prompts, 2);
		source_release(&src);
	} while (met);
	assert_true(failed > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_history__prompts_become_a_transcript),
		cmocka_unit_test(test_history__nothing_known_is_not_found),
		cmocka_unit_test(test_history__every_failing_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
