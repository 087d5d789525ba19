#include "fault.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "work/glance.h"
#include "work/title.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SESSION  "5e550000-0000-4000-8000-000000000000"
#define TEXT_MAX (16u << 20)

static struct buf text;
static int nrec;

static void begin(void)
{
	test_dir();
	buf_release(&text);
	text = BUF_INIT(TEXT_MAX);
	nrec = 0;
}

static void line(const char *json)
{
	buf_add(&text, str_of(json));
	buf_byte(&text, '\n');
}

/* A record of the main chain; `rest` holds what its type needs. */
static void record(const char *type, const char *rest)
{
	nrec++;
	buf_printf(
		&text,
		"{\"parentUuid\":%s,\"isSidechain\":false,\"type\":\"%s\",%s,\"uuid\":\"u-%d\","
		"\"timestamp\":\"2026-03-01T10:%02d:%02d.000Z\",\"cwd\":\"/home/dev/mill\","
		"\"sessionId\":\"" SESSION
		"\",\"version\":\"2.1.197\",\"gitBranch\":\"b%d\"}\n",
		nrec == 1 ? "null" : "\"u-0\"", type, rest, nrec, nrec / 60 % 60,
		nrec % 60, nrec / 100);
}

static void prompt(const char *words)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	buf_printf(&b, "\"message\":{\"role\":\"user\",\"content\":\"%s\"}", words);
	record("user", buf_cstr(&b));
	buf_release(&b);
}

static void say(const char *words)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	buf_printf(
		&b,
		"\"message\":{\"id\":\"m%d\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
		"\"stop_reason\":\"end_turn\"}",
		nrec, words);
	record("assistant", buf_cstr(&b));
	buf_release(&b);
}

static void call(const char *command)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	buf_printf(
		&b,
		"\"message\":{\"id\":\"m%d\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t%d\","
		"\"name\":\"Bash\",\"input\":{\"command\":\"%s\"}}],\"stop_reason\":\"tool_use\"}",
		nrec, nrec, command);
	record("assistant", buf_cstr(&b));
	buf_release(&b);
}

static void attachment(size_t size)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	buf_add(&b, STR("\"attachment\":{\"type\":\"file\",\"content\":\""));
	buf_fill(&b, 'x', size);
	buf_add(&b, STR("\"}"));
	record("attachment", buf_cstr(&b));
	buf_release(&b);
}

static struct glance look(bool whole)
{
	struct glance g;
	struct err e = ERR_INIT;

	test_write("s.jsonl", buf_str(&text));
	if (glance_read(&g, test_path("s.jsonl"), whole, &e) < 0)
		fail_msg("%s", e.msg);
	return g;
}

static void assert_title(const char *want)
{
	struct glance g = look(false);

	assert_string_equal(g.title, want);
	glance_release(&g);
}

static void test_glance__a_small_file_is_counted_whole(void **state)
{
	struct glance g;

	(void)state;
	begin();
	line("{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"" SESSION "\"}");
	prompt("grind the corn");
	say("Grinding.");
	call("make mill");
	g = look(false);
	assert_int_equal(g.records, 4);
	assert_int_equal(g.messages, 3);
	assert_int_equal(g.prompts, 1);
	assert_string_equal(g.cwd, "/home/dev/mill");
	assert_string_equal(g.branch, "b0");
	assert_string_equal(g.version, "2.1.197");
	assert_string_equal(g.title, "grind the corn");
	assert_int_equal(g.kind, ENDING_KILLED_TOOL);
	assert_true(g.dead);
	assert_true(g.talk);
	assert_true(g.started < g.ended);
	glance_release(&g);
}

static void test_glance__titles_in_their_order(void **state)
{
	(void)state;
	begin();
	prompt("grind the corn");
	say("Grinding.");
	assert_title("grind the corn");
	line("{\"type\":\"summary\",\"summary\":\"Somebody else's bread\",\"leafUuid\":\"u-77\"}");
	assert_title("grind the corn");
	line("{\"type\":\"summary\",\"summary\":\"Corn and flour\",\"leafUuid\":\"u-2\"}");
	assert_title("Corn and flour");
	line("{\"type\":\"ai-title\",\"aiTitle\":\"Grinding corn\"}");
	assert_title("Grinding corn");
	line("{\"type\":\"custom-title\",\"customTitle\":\"Mill\"}");
	line("{\"type\":\"ai-title\",\"aiTitle\":\"Grinding more corn\"}");
	assert_title("Mill");
	line("{\"type\":\"custom-title\",\"customTitle\":\"Old mill\"}");
	assert_title("Old mill");
}

static void
test_glance__the_first_command_or_prompt_that_says_something_is_a_title(void **state)
{
	(void)state;
	begin();
	prompt("<command-name>/review</command-name>\\n<command-args>mill.c</command-args>");
	assert_title("/review mill.c");
	prompt("now the corn");
	assert_title("/review mill.c");
	begin();
	prompt("<command-name>/model</command-name>\\n<command-args>opus</command-args>");
	prompt("ok");
	assert_title("ok");
	prompt("now the corn");
	assert_title("now the corn");
}

static void test_glance__a_summary_counts_when_its_leaf_is_in_the_middle(void **state)
{
	(void)state;
	begin();
	line("{\"type\":\"summary\",\"summary\":\"Corn and flour\",\"leafUuid\":\"u-9\"}");
	prompt("grind the corn");
	for (int i = 0; i < 20; i++)
		attachment(60000);
	say("Ground.");
	assert_title("Corn and flour");
}

static void test_glance__of_many_summaries_the_newest_count(void **state)
{
	(void)state;
	begin();
	prompt("grind the corn");
	for (int i = 0; i < 40; i++)
		line("{\"type\":\"summary\",\"summary\":\"Old\",\"leafUuid\":\"u-1\"}");
	line("{\"type\":\"summary\",\"summary\":\"New\",\"leafUuid\":\"u-1\"}");
	assert_title("New");
}

static void test_glance__titles_are_shortened_between_words_and_characters(void **state)
{
	struct glance g;

	(void)state;
	begin();
	prompt("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen");
	assert_title(
		"one two three four five six seven eight nine ten eleven twelve thirteen…");
	begin();
	for (int i = 0; i < 2; i++)
		prompt("\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8"
		       "\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8\xe6\xa2\xa8");
	g = look(false);
	assert_int_equal(utf8_count(str_of(g.title)), TITLE_CHARS + 1);
	assert_true(utf8_valid(str_of(g.title)));
	glance_release(&g);
}

static void test_glance__a_secret_is_taken_out_before_the_title_is_cut(void **state)
{
	struct glance g;

	(void)state;
	begin();
	/* one long word, so that the cut falls into the token */
	prompt("deploy https://example.org/a-path-that-is-rather-long/and-longer?"
	       "ghp_16C7e42F292c6912E7710c838347Ae178B4a");
	g = look(false);
	assert_null(strstr(g.title, "ghp_"));
	assert_non_null(strstr(g.title, "?[redac"));
	glance_release(&g);
}

static void big_session(void)
{
	begin();
	prompt("grind the corn");
	line("{\"type\":\"ai-title\",\"aiTitle\":\"Early title\"}");
	for (int i = 0; i < 400; i++)
		attachment(5000);
	line("{\"type\":\"ai-title\",\"aiTitle\":\"Late title\"}");
	say("Nearly there.");
	call("make flour");
}

static void test_glance__a_large_file_by_its_head_and_tail(void **state)
{
	struct glance part, whole;

	(void)state;
	big_session();
	part = look(false);
	whole = look(true);
	assert_int_equal(part.records, -1);
	assert_int_equal(part.messages, -1);
	assert_int_equal(part.prompts, -1);
	assert_int_equal(whole.records, 405);
	assert_int_equal(whole.messages, 3);
	assert_int_equal(whole.prompts, 1);
	assert_string_equal(part.title, "Late title");
	assert_string_equal(part.cwd, whole.cwd);
	assert_string_equal(part.branch, "b4");
	assert_string_equal(whole.branch, "b4");
	assert_int_equal(part.started, whole.started);
	assert_int_equal(part.ended, whole.ended);
	assert_int_equal(part.kind, ENDING_KILLED_TOOL);
	assert_int_equal(whole.kind, ENDING_KILLED_TOOL);
	assert_string_equal(part.reason, whole.reason);
	glance_release(&part);
	glance_release(&whole);
}

static void test_glance__a_last_record_larger_than_the_window(void **state)
{
	struct glance g;

	(void)state;
	for (size_t size = 200u << 10; size <= 5u << 20; size *= 3) {
		big_session();
		attachment(size);
		g = look(false);
		assert_int_equal(g.kind, ENDING_KILLED_TOOL);
		assert_string_equal(g.title, "Late title");
		glance_release(&g);
	}
}

static void test_glance__a_file_of_one_huge_line(void **state)
{
	struct glance g;

	(void)state;
	begin();
	attachment(2u << 20);
	g = look(false);
	assert_false(g.talk);
	assert_int_equal(g.records, 1);
	glance_release(&g);
}

static void test_glance__a_conversation_in_the_middle_only(void **state)
{
	struct glance g;

	(void)state;
	begin();
	for (int i = 0; i < 300; i++)
		attachment(5000);
	prompt("grind the corn");
	say("Ground.");
	for (int i = 0; i < 100; i++)
		attachment(5000);
	g = look(false);
	assert_true(g.talk);
	assert_string_equal(g.title, "grind the corn");
	assert_int_equal(g.prompts, 1);
	assert_int_not_equal(g.kind, ENDING_EMPTY);
	glance_release(&g);
}

static void test_glance__no_conversation(void **state)
{
	struct glance g;

	(void)state;
	begin();
	g = look(false);
	assert_false(g.talk);
	assert_string_equal(g.title, "");
	assert_string_equal(g.cwd, "");
	assert_int_equal(g.started, CLOCK_NONE);
	assert_int_equal(g.kind, ENDING_EMPTY);
	glance_release(&g);
	line("{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"" SESSION "\"}");
	g = look(false);
	assert_false(g.talk);
	assert_int_equal(g.kind, ENDING_EMPTY);
	glance_release(&g);
}

static void test_glance__side_chains_duplicates_and_meta_are_not_counted(void **state)
{
	struct glance g;

	(void)state;
	begin();
	prompt("grind the corn");
	line("{\"type\":\"user\",\"uuid\":\"u-1\",\"isSidechain\":false,\"message\":{\"content\":\"grind the corn\"}}");
	line("{\"type\":\"user\",\"uuid\":\"s-1\",\"isSidechain\":true,\"message\":{\"content\":\"look at the mill\"}}");
	line("{\"type\":\"user\",\"uuid\":\"m-1\",\"isMeta\":true,\"message\":{\"content\":\"Caveat: x\"}}");
	g = look(false);
	assert_int_equal(g.records, 4);
	assert_int_equal(g.messages, 1);
	assert_int_equal(g.prompts, 1);
	glance_release(&g);
}

static void test_glance__cut_at_every_byte(void **state)
{
	struct glance g;
	size_t n;

	(void)state;
	begin();
	line("{\"type\":\"summary\",\"summary\":\"Corn\",\"leafUuid\":\"u-2\"}");
	prompt("grind the corn");
	say("Ground \xe6\xa2\xa8.");
	call("make mill");
	n = text.n;
	for (size_t cut = n; cut-- > 0;) {
		text.n = cut;
		g = look(false);
		assert_non_null(g.title);
		assert_non_null(g.reason);
		assert_true(utf8_valid(str_of(g.title)));
		glance_release(&g);
	}
}

static void test_glance__what_is_no_file_is_refused(void **state)
{
	struct glance g;
	struct err e = ERR_INIT;

	(void)state;
	begin();
	assert_int_equal(glance_read(&g, test_path("gone.jsonl"), false, &e),
			 HF_ENOTFOUND);
	assert_null(g.title);
	assert_int_equal(mkdir(test_path("dir.jsonl"), 0700), 0);
	assert_int_equal(glance_read(&g, test_path("dir.jsonl"), false, NULL),
			 HF_EFORMAT);
	assert_int_equal(mkfifo(test_path("fifo.jsonl"), 0600), 0);
	assert_int_equal(glance_read(&g, test_path("fifo.jsonl"), false, NULL),
			 HF_EFORMAT);
	glance_release(&g);
}

static void test_glance__every_failing_call_is_reported_or_harmless(void **state)
{
	int n = 0, failed = 0;
	bool met;

	(void)state;
	big_session();
	test_write("s.jsonl", buf_str(&text));
	do {
		struct glance g;
		struct err e = ERR_INIT;
		int ret;

		fault_at(++n);
		ret = glance_read(&g, test_path("s.jsonl"), false, &e);
		met = fault_met();
		fault_off();
		if (ret) {
			failed++;
			assert_null(g.title);
			assert_true(e.msg[0] != '\0');
		} else {
			assert_string_equal(g.title, "Late title");
			assert_int_equal(g.kind, ENDING_KILLED_TOOL);
		}
		glance_release(&g);
	} while (met);
	assert_true(failed > 2);
}

static void test_glance__the_session_id_of_the_first_record_that_has_one(void **state)
{
	struct buf id = BUF_INIT(64);
	struct source src;
	struct err e = ERR_INIT;
	char first;

	(void)state;
	begin();
	line("{\"type\":\"summary\",\"summary\":\"Corn\",\"leafUuid\":\"u-2\"}");
	prompt("grind the corn");
	test_write("s.jsonl", buf_str(&text));
	assert_int_equal(source_open(&src, test_path("s.jsonl"), &e), 0);
	assert_int_equal(glance_session_id(&src, &id, &e), 0);
	assert_str(buf_str(&id), STR(SESSION));
	assert_int_equal(source_read(&src, &first, 1), 1); /* rewound */
	assert_int_equal(first, '{');
	source_release(&src);
	buf_release(&id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glance__a_small_file_is_counted_whole),
		cmocka_unit_test(test_glance__titles_in_their_order),
		cmocka_unit_test(
			test_glance__the_first_command_or_prompt_that_says_something_is_a_title),
		cmocka_unit_test(
			test_glance__a_summary_counts_when_its_leaf_is_in_the_middle),
		cmocka_unit_test(test_glance__of_many_summaries_the_newest_count),
		cmocka_unit_test(
			test_glance__titles_are_shortened_between_words_and_characters),
		cmocka_unit_test(
			test_glance__a_secret_is_taken_out_before_the_title_is_cut),
		cmocka_unit_test(test_glance__a_large_file_by_its_head_and_tail),
		cmocka_unit_test(test_glance__a_last_record_larger_than_the_window),
		cmocka_unit_test(test_glance__a_file_of_one_huge_line),
		cmocka_unit_test(test_glance__a_conversation_in_the_middle_only),
		cmocka_unit_test(test_glance__no_conversation),
		cmocka_unit_test(
			test_glance__side_chains_duplicates_and_meta_are_not_counted),
		cmocka_unit_test(test_glance__cut_at_every_byte),
		cmocka_unit_test(test_glance__what_is_no_file_is_refused),
		cmocka_unit_test(test_glance__every_failing_call_is_reported_or_harmless),
		cmocka_unit_test(
			test_glance__the_session_id_of_the_first_record_that_has_one),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_release(&text);
	return failed;
}
