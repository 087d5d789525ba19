#include "fault.h"
#include "base/fs.h"
#include "data/source.h"
#include "work/extract_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define FIXTURES "fixtures/transcripts"

/* ---- transcripts made here ---- */

static struct buf made = {NULL, 0, 0, SIZE_MAX, false};
static unsigned records;

static void start(void)
{
	buf_reset(&made);
	records = 0;
}

/* A record of the lantern project; rest: its members after the common ones. */
__attribute__((format(printf, 2, 3))) static void record(const char *type,
							 const char *fmt, ...)
{
	va_list ap;

	records++;
	buf_printf(
		&made,
		"{\"type\":\"%s\",\"uuid\":\"u%u\",\"sessionId\":\"s1\",\"cwd\":\"/home/dev/"
		"lantern\",\"gitBranch\":\"main\",\"timestamp\":\"2026-07-16T10:%02u:%02uZ\"",
		type, records, records / 60 % 60, records % 60);
	va_start(ap, fmt);
	buf_vprintf(&made, fmt, ap);
	va_end(ap);
	buf_add(&made, STR("}\n"));
}

static void user(const char *text)
{
	record("user", ",\"message\":{\"role\":\"user\",\"content\":\"%s\"}", text);
}

static void assistant(const char *text)
{
	record("assistant",
	       ",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}", text);
}

static void call(const char *id, const char *name, const char *input)
{
	record("assistant",
	       ",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"%s\","
	       "\"input\":{%s}}]}",
	       id, name, input);
}

/* more: members of the record, such as toolUseResult */
static void result(const char *id, const char *text, bool error, const char *more)
{
	record("user",
	       ",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"%s\","
	       "\"content\":\"%s\",\"is_error\":%s}]}%s",
	       id, text, error ? "true" : "false", more);
}

static void ran(const char *command, const char *output, bool error)
{
	struct buf input = BUF_INIT(100000);
	char id[20];

	(void)snprintf(id, sizeof id, "t%u", records);
	buf_printf(&input, "\"command\":\"%s\"", command);
	call(id, "Bash", buf_cstr(&input));
	result(id, output, error, "");
	buf_release(&input);
}

/* ---- reading ---- */

struct reading {
	struct source src;
	struct transcript *t;
};

static void open_reading(struct reading *r, const char *path)
{
	struct err e = ERR_INIT;

	assert_int_equal(source_open(&r->src, path, &e), 0);
	r->t = transcript_new(&r->src, 0, &extract_caps);
}

/* Feed at most n records; false at the end. */
static bool feed(struct reading *r, struct extract *x, struct tree *tree, size_t n)
{
	const struct record *rec;
	enum transcript_got got;

	while (n > 0) {
		got = transcript_next(r->t, &rec);
		assert_int_not_equal(got, TRANSCRIPT_ERROR);
		if (got == TRANSCRIPT_END)
			return false;
		if (got != TRANSCRIPT_RECORD)
			continue;
		extract_add(x, rec);
		if (tree)
			tree_add(tree, rec);
		n--;
	}
	return true;
}

static void close_reading(struct reading *r)
{
	transcript_free(r->t);
	source_release(&r->src);
}

static struct extract *extracted(const char *path)
{
	struct extract *x = extract_new();
	struct reading r;

	open_reading(&r, path);
	feed(&r, x, NULL, SIZE_MAX);
	close_reading(&r);
	return x;
}

/* The facts of what was made; freed with free_facts. */
static struct extract *current;

static const struct facts *facts(void)
{
	test_dir();
	test_write("t.jsonl", buf_str(&made));
	current = extracted(test_path("t.jsonl"));
	return extract_facts(current, NULL, CLOCK_NONE);
}

static const struct facts *fixture(const char *name)
{
	struct buf path = BUF_INIT(1000);

	buf_printf(&path, FIXTURES "/%s.jsonl", name);
	current = extracted(buf_cstr(&path));
	buf_release(&path);
	return extract_facts(current, NULL, CLOCK_NONE);
}

static void free_facts(void)
{
	extract_free(current);
	current = NULL;
}

static void is(str got, const char *want)
{
	assert_str(got, str_of(want));
}

static const struct fact_command *command(const struct facts *f, const char *text)
{
	for (size_t i = 0; i < f->ncommand; i++) {
		if (str_eq(f->command[i].text, str_of(text)))
			return &f->command[i];
	}
	fail_msg("no command %s", text);
	return NULL;
}

static float weight(const struct fact_name *name, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(name[i].text, str_of(text)))
			return name[i].weight;
	}
	return 0;
}

/* ---- what people say ---- */

static void test_extract__prompts_have_a_kind_and_a_record(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp in src/dim.c");
	user("<command-name>/lamp</command-name><command-args>slow</command-args>");
	user("<bash-input>ls</bash-input>");
	user("<bash-stdout>src</bash-stdout>");
	user("<system-reminder>noise</system-reminder>");
	user("<ci-monitor-event>build failed</ci-monitor-event>");
	record("user",
	       ",\"isMeta\":true,\"message\":{\"content\":\"see @docs/plan.md, please\"}");
	record("queue-operation",
	       ",\"operation\":\"enqueue\",\"content\":\"and the hall\"");
	record("queue-operation", ",\"operation\":\"enqueue\",\"content\":\"/clear\"");
	f = facts();
	assert_int_equal(f->nprompt, 5);
	is(f->prompt[0].text, "dim the lamp in src/dim.c");
	assert_int_equal(f->prompt[0].record, 1);
	assert_int_equal(f->prompt[0].kind, FACT_PROMPT);
	is(f->prompt[1].text, "/lamp slow");
	assert_int_equal(f->prompt[1].kind, FACT_SLASH);
	is(f->prompt[2].text, "! ls");
	assert_int_equal(f->prompt[2].kind, FACT_BANG);
	assert_int_equal(f->prompt[3].kind, FACT_EVENT);
	is(f->prompt[4].text, "and the hall");
	assert_int_equal(f->prompt[4].kind, FACT_QUEUED);
	assert_true(weight(f->named, f->nnamed, "src/dim.c") == WEIGHT_PROMPT);
	assert_true(weight(f->named, f->nnamed, "docs/plan.md") == WEIGHT_META);
	free_facts();
}

static void test_extract__a_command_to_the_client_leaves_what_was_answered(void **state)
{
	(void)state;
	start();
	user("dim the lamp");
	assistant("The lamp is dim.");
	user("<command-name>/status</command-name><command-args></command-args>");
	user("<local-command-stdout>ok</local-command-stdout>");
	assert_int_equal(facts()->last, FACT_LAST_TEXT);
	free_facts();
	user("<command-name>/lamp</command-name><command-args>slow</command-args>");
	assert_int_equal(facts()->last, FACT_LAST_SLASH);
	free_facts();
}

static void test_extract__words_said_twice_in_a_row_are_one_prompt(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	record("queue-operation",
	       ",\"operation\":\"enqueue\",\"content\":\"and the hall\"");
	for (int i = 0; i < 100; i++)
		assistant("Working.");
	user("and the hall");
	user("again");
	user("again");
	for (int i = 0; i < 100; i++)
		assistant("Working.");
	user("again");
	f = facts();
	assert_int_equal(f->nprompt, 3);
	is(f->prompt[2].text, "again");
	free_facts();
}

static void test_extract__a_short_answer_keeps_the_question(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	assistant("It has three levels already. Shall I add a fourth one?");
	user("no");
	user("no, not yet");
	f = facts();
	is(f->prompt[1].asked, "Shall I add a fourth one?");
	is(f->prompt[2].asked, "");
	free_facts();
}

static void test_extract__a_pick_keeps_the_question_and_what_it_takes(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("pick a cache");
	assistant("Which one?\\n1. memory\\n2. Redis on a host\\nI like the second.");
	user("2");
	assistant("Where?\\n- **b)** in the hall\\n- a) outside");
	user("a");
	assistant("Is it fine? It stands in the hall.");
	user("move it to the other side of the hall");
	f = facts();
	is(f->prompt[1].asked, "Which one? … 2. Redis on a host");
	is(f->prompt[2].asked, "Where? … a) outside");
	is(f->prompt[3].asked, "");
	free_facts();
}

static void test_extract__interrupts_and_refusals_are_the_users(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	call("a", "Bash", "\"command\":\"make flash\"");
	result("a",
	       "The user doesn't want to proceed. the user said:\\nnot on Sunday Note: The user "
	       "may say more",
	       true, ",\"toolUseResult\":\"User rejected tool use\"");
	user("[Request interrupted by user for tool use]");
	user("use the test bench");
	f = facts();
	assert_int_equal(f->nrefused, 1);
	is(f->refused[0].label, "make flash");
	is(f->refused[0].words, "not on Sunday");
	assert_int_equal(f->ninterrupt, 1);
	is(f->interrupt[0].call, "make flash");
	assert_false(f->prompt[0].after_interrupt);
	assert_true(f->prompt[1].after_interrupt);
	assert_int_equal(f->nerror, 0);
	free_facts();
	start();
	call("a", "ExitPlanMode", "\"plan\":\"# Dim it\"");
	result("a",
	       "The user doesn't want to proceed. The user provided the following reason for the "
	       "rejection:  keep the old lamp",
	       true, ",\"toolUseResult\":\"User rejected tool use\"");
	f = facts();
	assert_int_equal(f->nrefused, 1);
	is(f->refused[0].words, "keep the old lamp");
	free_facts();
}

static void test_extract__a_call_before_a_prompt_from_the_queue_is_lost(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	call("a", "Bash", "\"command\":\"make flash\"");
	record("queue-operation",
	       ",\"operation\":\"enqueue\",\"content\":\"what is the state?\"");
	f = facts(); /* it waits: the call may run still */
	assert_int_equal(f->nopen, 1);
	free_facts();
	record("queue-operation", ",\"operation\":\"dequeue\"");
	user("what is the state?");
	assistant("It is dim.");
	f = facts();
	assert_int_equal(f->nprompt, 2);
	assert_int_equal(f->nopen, 0);
	assert_int_equal(f->nlost, 1);
	is(f->lost[0].label, "make flash");
	free_facts();
}

static void test_extract__a_windows_path_is_one_however_its_slashes_lean(void **state)
{
	struct facts f = {.dir = STR("C:\\Users\\dev\\hall")};
	struct buf b = BUF_INIT(100);

	(void)state;
	assert_true(extract_same_file(STR("C:\\a\\b.c"), STR("C:/a/b.c")));
	assert_true(extract_same_file(STR("C:/a/b.c"), STR("C:\\a\\b.c")));
	assert_false(extract_same_file(STR("C:/a/b.c"), STR("C:/a/c.c")));
	assert_false(extract_same_file(STR("/a\\b"), STR("/a/b")));
	extract_relative(&f, STR("C:/Users/dev/hall/docs/log.md"), &b);
	assert_string_equal(buf_cstr(&b), "docs/log.md");
	buf_release(&b);
	start();
	ran("git add C:/hall/log.md", "", false);
	ran("echo dim >> 'C:\\\\hall\\\\log.md'", "", false);
	assert_int_equal(facts()->nshelled, 1);
	free_facts();
}

static void test_extract__a_monitor_that_timed_out_has_ended(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("<task-notification><task-id>m1</task-id><summary>the lamp</summary>"
	     "<event>dim</event></task-notification>");
	f = facts();
	assert_int_equal(f->nbackground, 1);
	is(f->background[0].ended, "");
	free_facts();
	user("<task-notification><task-id>m1</task-id><summary>the lamp</summary>"
	     "<event>[Monitor timed out — re-arm if needed.]</event></task-notification>");
	f = facts();
	assert_int_equal(f->nbackground, 1);
	is(f->background[0].ended, "timed out");
	free_facts();
}

static void test_extract__the_commits_of_a_push_are_no_subject_of_a_finding(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("push the lamp");
	ran("git push",
	    "remote: Found 2 vulnerabilities on the default branch\\n"
	    "   a89ecd98..76b7d178  lamp -> lamp",
	    false);
	ran("make review", "Found 2 issues in 5512ab9..76b7d17", false);
	assistant("Pushed.");
	f = facts();
	assert_int_equal(f->nunfollowed, 1);
	is(f->unfollowed[0].subject, "5512ab9");
	free_facts();
}

static void test_extract__an_interrupt_knows_what_was_open(void **state)
{
	static const char refused[] = "The user doesn't want to proceed.";
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	ran("make", "ok", false);
	call("a", "Bash", "\"command\":\"make flash\"");
	call("b", "Bash", "\"command\":\"make night\"");
	result("a", refused, true, "");
	result("b", refused, true, "");
	user("[Request interrupted by user for tool use]"); /* two calls */
	user("<task-notification><task-id>t</task-id></task-notification>");
	user("[Request interrupted by user]"); /* before anything came */
	user("go on with the lamp");
	ran("make push", "[Request interrupted by user for tool use] pre-push", true);
	user("[Request interrupted by user for tool use]"); /* its output had begun */
	user("go on with the wires");
	assistant("The wires are lo");
	user("[Request interrupted by user]"); /* a text */
	user("and the hall?");
	call("c", "Bash", "\"command\":\"make hall\"");
	user("[Request interrupted by user]"); /* a call without a result */
	user("and the roof?");
	assistant("I look.");
	ran("make roof", "ok", false);
	user("[Request interrupted by user]"); /* between a result and the answer */
	f = facts();
	assert_int_equal(f->ninterrupt, 6);
	is(f->interrupt[0].call, "make night");
	assert_int_equal(f->interrupt[0].calls, 2);
	is(f->interrupt[1].call, "");
	is(f->interrupt[1].text, "");
	is(f->interrupt[2].call, "make push");
	assert_int_equal(f->interrupt[2].calls, 1);
	is(f->interrupt[3].call, "");
	is(f->interrupt[3].text, "The wires are lo");
	is(f->interrupt[4].call, "make hall");
	is(f->interrupt[5].call, "");
	is(f->interrupt[5].text, "");
	free_facts();
}

static void test_extract__what_is_settled_is_a_verdict_what_is_offered_none(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("no, let's not do it. The lamp is fine as it is.");
	assistant("I'll use one level instead of three. It is simpler.");
	assistant("I'll use one lamp instead of three. Want me to go on?");
	assistant("I decided against a third lamp. Want me to go on?");
	assistant("A third lamp isn't possible. Should I look for another?");
	f = facts();
	assert_int_equal(f->nverdict, 4);
	assert_true(f->verdict[0].user);
	is(f->verdict[0].text, "no, let's not do it. The lamp is fine as it is.");
	is(f->verdict[1].text, "I'll use one level instead of three.");
	is(f->verdict[2].text, "I decided against a third lamp.");
	assert_true(f->verdict[3].deadend);
	free_facts();
}

static void
test_extract__what_is_settled_while_the_model_works_comes_with_what_reached_it(
	void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	records++;
	buf_add(&made,
		STR("{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":"
		    "\"let's go with one level\",\"timestamp\":\"2026-07-16T10:00:02Z\"}\n"));
	assistant("Working.");
	f = facts();
	assert_int_equal(f->nverdict, 1);
	assert_int_equal(f->verdict[0].record, 2);
	free_facts();
	record("attachment",
	       ",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"let's go with one level\"}");
	user("let's go with one level");
	f = facts();
	assert_int_equal(f->nverdict, 1);
	assert_int_equal(f->verdict[0].record, 4);
	assert_int_equal(f->source[f->nsource - 1].record, 4);
	is(f->source[f->nsource - 1].uuid, "u4");
	free_facts();
}

static void test_extract__who_gives_in_chooses_what_is_done_now(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("the lamp has a switch, use that");
	assistant(
		"You're absolutely right! Using the switch is much cleaner. Let me change it to use the switch:");
	assistant(
		"I see. Using the switch is much cleaner. Let me change it to use the switch:");
	assistant("Good point. I can ask the lamp instead of the wall. Want me to?");
	f = facts();
	assert_int_equal(f->nverdict, 2);
	is(f->verdict[0].text, "Using the switch is much cleaner.");
	is(f->verdict[1].text, "Let me change it to use the switch:");
	free_facts();
}

/* ---- what the model says ---- */

static void test_extract__sentences_keep_their_text_and_place(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	assistant(
		"I found the root cause in the clock. The levels are fine as they are.");
	assistant("No response requested.");
	f = facts();
	assert_int_equal(f->nsentence, 2);
	assert_int_equal(f->sentence[0].text_id, 1);
	assert_int_equal(f->sentence[1].k, 1);
	assert_int_equal(f->sentence[1].of, 2);
	assert_int_equal(f->sentence[1].record, 2);
	assert_true(f->sentence[0].value > f->sentence[1].value);
	assert_int_equal(f->last_text_record, 2);
	assert_int_equal(f->last, FACT_LAST_TEXT);
	free_facts();
}

static void test_extract__thinking_gives_thoughts_and_the_last_one(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	record("assistant",
	       ",\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":"
	       "\"The root cause is the clock because it failed. Next I look at "
	       "the lamp. Then the hall comes.\"}]}");
	f = facts();
	assert_int_equal(f->nthought, 1);
	assert_int_equal(f->nlast_thought, 1);
	is(f->last_thought[0].text, "Next I look at the lamp. Then the hall comes.");
	assert_int_equal(f->nsentence, 0);
	free_facts();
}

static void test_extract__an_api_error_is_no_text_of_the_model(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	record("assistant",
	       ",\"isApiErrorMessage\":true,\"message\":{\"content\":[{\"type\":"
	       "\"text\",\"text\":\"API Error: 529 overloaded\"}]}");
	f = facts();
	is(f->api_error, "API Error: 529 overloaded");
	assert_int_equal(f->nsentence, 0);
	assert_int_equal(f->last, FACT_LAST_API_ERROR);
	free_facts();
}

/* ---- files ---- */

static void test_extract__edits_count_lines_and_names(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	call("a", "Edit",
	     "\"file_path\":\"/home/dev/lantern/src/dim.c\",\"old_string\":\"int dim_level;\","
	     "\"new_string\":\"int dim_level;\\nint night_level;\"");
	result("a", "updated", false,
	       ",\"toolUseResult\":{\"structuredPatch\":[{\"lines\":[\" int dim_level;\",\"+int "
	       "night_level;\",\"-x\",\"+y\"]}]}");
	call("b", "Write",
	     "\"file_path\":\"/home/dev/lantern/src/new.py\",\"content\":\"def open_lamp():\\n  "
	     "pass\\n\"");
	result("b", "created", false, ",\"toolUseResult\":{\"type\":\"create\"}");
	call("c", "Edit",
	     "\"file_path\":\"/x.c\",\"old_string\":\"a\",\"new_string\":\"b\"");
	result("c", "<tool_use_error>String not found</tool_use_error>", true, "");
	f = facts();
	assert_int_equal(f->nedit, 2);
	is(f->edit[0].path, "/home/dev/lantern/src/dim.c");
	assert_int_equal(f->edit[0].plus, 2);
	assert_int_equal(f->edit[0].minus, 1);
	assert_false(f->edit[0].created);
	assert_true(weight(f->edit[0].name, f->edit[0].nnames, "night_level") == 1);
	assert_true(weight(f->edit[0].name, f->edit[0].nnames, "dim_level") < 0.5f);
	assert_true(f->edit[1].created);
	assert_int_equal(f->edit[1].plus, 3);
	assert_true(weight(f->edit[1].name, f->edit[1].nnames, "open_lamp") >= 3);
	assert_int_equal(f->last_edit_record, 4);
	assert_int_equal(f->nerror, 0);
	free_facts();
}

static void test_extract__all_editing_tools_are_edits(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	call("a", "MultiEdit",
	     "\"file_path\":\"/a.c\",\"edits\":[{\"old_string\":\"x\",\"new_string\":\"one_name\"},"
	     "{\"old_string\":\"y\",\"new_string\":\"two_names\"}]");
	result("a", "ok", false, "");
	call("b", "NotebookEdit",
	     "\"notebook_path\":\"/b.ipynb\",\"new_source\":\"three_names\"");
	result("b", "ok", false, "");
	f = facts();
	assert_int_equal(f->nedit, 2);
	assert_true(weight(f->edit[0].name, f->edit[0].nnames, "one_name") > 0);
	assert_true(weight(f->edit[0].name, f->edit[0].nnames, "two_names") > 0);
	is(f->edit[1].path, "/b.ipynb");
	assert_true(weight(f->edit[1].name, f->edit[1].nnames, "three_names") > 0);
	free_facts();
}

static void test_extract__edits_are_in_order_of_the_last_one(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	for (const char *p = "abcab"; *p; p++) {
		char input[100];

		(void)snprintf(
			input, sizeof input,
			"\"file_path\":\"/%c.c\",\"old_string\":\"\",\"new_string\":\"x\"",
			*p);
		call("t", "Edit", input);
		result("t", "ok", false, "");
	}
	f = facts();
	assert_int_equal(f->nedit, 3);
	is(f->edit[0].path, "/c.c");
	is(f->edit[2].path, "/b.c");
	assert_int_equal(f->edit[2].count, 2);
	free_facts();
}

static void test_extract__reads_give_names_and_a_label(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	call("a", "Read", "\"file_path\":\"/home/dev/lantern/src/lamp.py\"");
	result("a", "    10\\tdef open_lamp():\\n    11\\t  pass\\n", false,
	       ",\"toolUseResult\":{\"file\":{\"startLine\":10,\"numLines\":2,\"totalLines\":99}}");
	f = facts();
	assert_int_equal(f->nread, 1);
	assert_int_equal(f->read[0].nnames, 1);
	is(f->read[0].name[0].text, "open_lamp");
	assert_int_equal(f->nrecent, 1);
	is(f->recent[0].label, "Read src/lamp.py lines 10-11 (open_lamp)");
	is(f->last_result, "");
	free_facts();
}

static void relative(const char *dir, const char *path, const char *want)
{
	struct facts f = {.dir = str_of(dir)};
	struct buf b = BUF_INIT(1000);

	extract_relative(&f, str_of(path), &b);
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_extract__paths_are_shown_relative_to_the_first_folder(void **state)
{
	(void)state;
	relative("/home/dev/lantern", "/home/dev/lantern/src/dim.c", "src/dim.c");
	relative("/home/dev/lantern/", "/home/dev/lantern/src/dim.c", "src/dim.c");
	relative("/home/dev/lantern", "/home/dev/lanterns/dim.c",
		 "/home/dev/lanterns/dim.c");
	relative("/home/dev/lantern", "/home/dev/lantern", ".");
	relative("C:\\dev\\lantern", "C:\\dev\\lantern\\src\\dim.c", "src/dim.c");
	relative("C:\\dev\\lantern", "D:\\other\\dim.c", "D:\\other\\dim.c");
	relative("/", "/etc/x", "/etc/x");
	relative("", "src/dim.c", "src/dim.c");
	relative("", "", "");
}

/* ---- commands ---- */

static void test_extract__commands_count_runs_and_keep_the_newest_outcome(void **state)
{
	const struct fact_command *c;
	const struct facts *f;

	(void)state;
	start();
	ran("cd /home/dev/lantern && make test 2>&1 | tail -5", "3 passed, 1 failed",
	    false);
	ran("make test", "Exit code 2\\nsrc/dim.c:3: error: no lamp\\n2 passed, 2 failed",
	    true);
	ran("make test", "4 passed, 0 failed", false);
	f = facts();
	assert_int_equal(f->ncommand, 1);
	c = command(f, "make test");
	assert_int_equal(c->count, 3);
	assert_false(c->failed);
	assert_false(c->piped);
	assert_true(c->check);
	is(c->tally, "4 passed, 0 failed");
	is(c->family, "make test");
	assert_int_equal(f->nerror, 1);
	assert_true(f->error[0].hard);
	is(f->error[0].line[0], "src/dim.c:3: error: no lamp");
	assert_int_equal(f->error[0].fixed, 6);
	free_facts();
}

static void test_extract__an_error_knows_its_diagnosis_and_its_repair(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("make test", "Exit code 1\\nlamp.c:3: error: no clock", true);
	assistant(
		"Let me look at it first. The test failed because the clock is missing.");
	call("e", "Edit",
	     "\"file_path\":\"/home/dev/lantern/lamp.c\",\"old_string\":\"\",\"new_"
	     "string\":\"x\"");
	result("e", "ok", false, "");
	ran("make test", "3 passed", false);
	ran("make lint", "Exit code 1\\nerror: bad style", true);
	f = facts();
	assert_int_equal(f->nerror, 2);
	is(f->error[0].diagnosis[0], "The test failed because the clock is missing.");
	assert_int_equal(f->error[0].diagnosis_record, 3);
	assert_int_equal(f->error[0].nedited, 1);
	is(f->error[0].edited[0], "/home/dev/lantern/lamp.c");
	assert_int_equal(f->error[0].fixed, 7);
	assert_int_equal(f->error[1].fixed, 0);
	assert_int_equal(f->error[1].nedited, 0);
	free_facts();
}

static void test_extract__status_and_echo_do_not_deceive(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("grep -n lamp src/dim.c", "Exit code 1", true);
	ran("for f in a b; do cat $f; done | grep error", "Exit code 1\\n", true);
	ran("curl -s http://x/y | head -3", "HTTP/1.1 404 error: not found", false);
	ran("echo \\\"Error: all ports failed $n\\\"; true", "Error: all ports failed 3",
	    false);
	f = facts();
	assert_false(command(f, "grep -n lamp src/dim.c")->failed);
	assert_true(command(f, "curl -s http://x/y")->piped);
	assert_int_equal(f->nerror, 1);
	is(f->error[0].line[0], "HTTP/1.1 404 error: not found");
	assert_false(f->error[0].hard);
	free_facts();
}

static void test_extract__git_is_read_from_output_and_from_the_client(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("git commit -m \\\"lamp: dim\\\"",
	    "[main 1f2e3d4] lamp: dim\\n 1 file changed", false);
	ran("git push", "To x\\n   1f2e3d4..5a6b7c8  main -> main", false);
	call("a", "Bash",
	     "\"command\":\"git commit -q -F - <<'EOF'\\nlamp: hall\\nEOF\"");
	result("a", "", false,
	       ",\"toolUseResult\":{\"gitOperation\":{\"commit\":{\"sha\":\"9a8b7c6d5e4f\"},\"pr\":"
	       "{\"url\":\"https://x/pull/3\",\"action\":\"created\"}}}");
	ran("git commit -q -m 'lamp: door'", "", false);
	ran("git commit -m 'x nothing'", "nothing to commit", false);
	ran("git status", "On branch main\\nmodified: dim.c", false);
	f = facts();
	assert_int_equal(f->ncommit, 3);
	is(f->commit[0].sha, "1f2e3d4");
	is(f->commit[0].subject, "lamp: dim");
	is(f->commit[0].branch, "main");
	is(f->commit[1].sha, "9a8b7c6d5");
	is(f->commit[2].sha, "");
	is(f->commit[2].subject, "lamp: door");
	assert_int_equal(f->npush, 1);
	is(f->push[0].subject, "1f2e3d4..5a6b7c8 main -> main");
	assert_int_equal(f->npr, 1);
	is(f->pr[0].action, "created");
	is(f->git_status, "On branch main\nmodified: dim.c");
	free_facts();
}

static void test_extract__status_and_log_tell_where_git_is(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("git -C /home/dev/lantern log --oneline -2",
	    "1f2e3d4 (HEAD -> main) lamp: dim\\n9a8b7c6 first", false);
	ran("git log --oneline lamp.c", "aaaaaaa other", false);
	ran("git log --oneline -9 | grep hall", "bbbbbbb hall", false);
	ran("git -C /srv/other log --oneline -1", "ccccccc elsewhere", false);
	ran("git -C /home/dev/lantern status", "modified: a.c", false);
	ran("git status -s src", " M src/b.c", false);
	ran("git status -s | wc -l", "3", false);
	f = facts();
	is(f->head_sha, "1f2e3d4");
	is(f->head_subject, "lamp: dim");
	assert_int_equal(f->head_record, 2);
	assert_int_equal(f->ncommit, 0);
	is(f->git_status, "modified: a.c");
	free_facts();
	ran("git add a.c && git status --short", "M  a.c", false);
	f = facts();
	is(f->git_status, "M  a.c");
	free_facts();
}

static void unchanged_is(const struct facts *f, size_t i, const char *path,
			 const char *how)
{
	assert_true(i < f->nunchanged);
	is(f->unchanged[i].path, path);
	is(f->unchanged[i].how, how);
	assert_true(f->unchanged[i].record > 0 && f->unchanged[i].at > 0);
}

static void test_extract__what_git_calls_unchanged_is_known(void **state)
{
	static const struct {
		const char *command, *output;
	} not [] = {
		{"git status -s", " M a.c"},
		{"git status -s | grep lamp", ""},
		{"git status -s src", ""},
		{"git diff", "diff --git a/a.c b/a.c"},
		{"git diff --cached", ""},
		{"git diff main", ""},
		{"git diff HEAD~2 -- src/a.c", ""},
		{"git diff v1.0..v1.1", ""},
		{"git diff | grep lamp", ""},
		{"git diff | head -5 | grep lamp", ""},
		{"git diff > lamp.patch", ""},
		{"git diff; cat a.c", "diff --git a/a.c b/a.c\\n@@ -1 +1 @@"},
		{"ls src; git diff", "a.c"},
		{"for d in a b; do git -C $d diff; done; git diff", ""},
		{"cd ../other && git diff", ""},
		{"cd ~/other && git status -s", ""},
		{"git -C /srv/other diff", ""},
		{"git difftool", ""},
	};
	const struct facts *f;

	(void)state;
	start();
	for (size_t i = 0; i < sizeof(not ) / sizeof(*not ); i++)
		ran(not [i].command, not [i].output, false);
	ran("git diff", "", true);
	f = facts();
	assert_int_equal(f->nunchanged, 0);
	free_facts();
	ran("git status --porcelain", "", false);
	ran("git status", "On branch main\\n\\nnothing to commit, working tree clean",
	    false);
	ran("git diff --stat | cat", "(Bash completed with no output)", false);
	ran("cd src && git diff HEAD 2>/dev/null", "", false);
	ran("git -C /home/dev/lantern diff -- src/a.c docs", "", false);
	ran("git diff HEAD --stat src/b.c", "", false);
	ran("cd /srv/other && git status -s", "", false);
	ran("cd \\\"/srv/an other/\\\" && git diff", "", false);
	f = facts();
	unchanged_is(f, 0, "", "git status");
	unchanged_is(f, 1, "", "git status");
	unchanged_is(f, 2, "", "git diff");
	unchanged_is(f, 3, "", "git diff HEAD");
	unchanged_is(f, 4, "src/a.c", "git diff");
	unchanged_is(f, 5, "docs", "git diff");
	unchanged_is(f, 6, "src/b.c", "git diff HEAD");
	unchanged_is(f, 7, "/srv/other", "git status");
	unchanged_is(f, 8, "/srv/an other", "git diff");
	assert_int_equal(f->nunchanged, 9);
	free_facts();
	for (int i = 0; i < 100; i++)
		ran("git diff", "", false);
	f = facts();
	assert_int_equal(f->nunchanged, 40);
	assert_true(f->unchanged[39].record > f->unchanged[0].record);
	free_facts();
}

static void test_extract__git_in_another_folder_says_nothing_of_this_one(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("cd /home/dev/lantern && git status -s", " M a.c", false);
	ran("git log --oneline -1", "1f2e3d4 lamp: dim", false);
	ran("cd ../other && git status", "On branch other\\n\\tmodified: b.c", false);
	ran("cd /srv/other && git status -s", " M c.c", false);
	ran("cd /srv/other && git log --oneline -1", "ccccccc elsewhere", false);
	f = facts();
	is(f->git_status, " M a.c");
	is(f->head_sha, "1f2e3d4");
	free_facts();
	ran("git status -s", "", false); /* a clean one takes its place */
	f = facts();
	is(f->git_status, "");
	assert_int_equal(f->git_status_record, 12);
	free_facts();
}

/* Of several commands in one call each has its own of what was printed. */
static void test_extract__a_list_of_git_commands_is_read_one_by_one(void **state)
{
	static const struct {
		const char *command, *output;
		const char *status; /* NULL: none */
		const char *sha;
		const char *unchanged; /* how; NULL: none */
	} CASE[] = {
		{"git status && git diff --stat",
		 "On branch main\\nChanges not staged for commit:\\n  (use \\\"git add\\\")\\n"
		 "\\tmodified:   a.c\\n\\nno changes added to commit\\n a.c | 2 +-\\n"
		 " 1 file changed, 1 insertion(+), 1 deletion(-)",
		 "On branch main\nChanges not staged for commit:\n  (use \"git add\")\n"
		 "\tmodified:   a.c\n\nno changes added to commit\n",
		 "", NULL},
		{"git status -s; git diff", "A  b.c", "A  b.c", "", "git diff"},
		{"git status -sb && git log --oneline -2",
		 "## main\\n M a.c\\n1f2e3d4 lamp: dim\\n9a8b7c6 first",
		 "## main\n M a.c\n", "1f2e3d4", NULL},
		{"git log --oneline -1 && git status --short && git diff",
		 "1f2e3d4 lamp\\n?? x.c\\ndiff --git a/a.c b/a.c\\n+ int x;", "?? x.c\n",
		 "1f2e3d4", NULL},
		{"git diff; git status",
		 "diff --git a/a.c b/a.c\\n@@ -1 +1 @@\\n-a\\n+b\\n"
		 "On branch main\\n\\tmodified:   a.c",
		 "On branch main\n\tmodified:   a.c", "", NULL},
		{"echo \\\"=== diff ===\\\"; git diff; echo '== status'; git status --short",
		 "=== diff ===\\n== status\\n M a.c", " M a.c", "", "git diff"},
		{"make 2>&1 | tail -1; git status",
		 "ok\\nOn branch main\\n\\tmodified:   a.c",
		 "On branch main\n\tmodified:   a.c", "", NULL},
		/* what is not known to be git's own words is not taken for them */
		{"ls; git status -s", "M  a.c", NULL, "", NULL},
		{"git -C /srv/other status; git status",
		 "On branch b\\n\\tmodified:   b.c\\n"
		 "On branch main\\n\\tmodified: a.c",
		 NULL, "", NULL},
		{"git status -s; cd ../other; git status -s", " M a.c\\n M b.c", NULL, "",
		 NULL},
		{"git status; cd ../other; git status", "On branch a\\nOn branch b",
		 "On branch a\n", "", NULL},
		{"cat a.c; git diff; git log --oneline -1", "int x;\\n1f2e3d4 lamp", NULL,
		 "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(CASE) / sizeof(CASE[0]); i++) {
		const struct facts *f;

		start();
		ran(CASE[i].command, CASE[i].output, false);
		f = facts();
		if ((f->git_status_record != 0) != (CASE[i].status != NULL) ||
		    !str_eq(f->git_status,
			    str_of(CASE[i].status ? CASE[i].status : "")) ||
		    !str_eq(f->head_sha, str_of(CASE[i].sha)) ||
		    f->nunchanged != (CASE[i].unchanged != NULL))
			fail_msg("%s: status '%.*s' sha '%.*s' unchanged %zu",
				 CASE[i].command, STR_ARG(f->git_status),
				 STR_ARG(f->head_sha), f->nunchanged);
		if (CASE[i].unchanged)
			unchanged_is(f, 0, "", CASE[i].unchanged);
		free_facts();
	}
}

static void shelled_is(const struct facts *f, size_t i, const char *path, const char *how)
{
	assert_true(i < f->nshelled);
	is(f->shelled[i].path, path);
	is(f->shelled[i].how, how);
}

/* The files that the facts say were read. */
static void reads_are(const char *command, const char *want)
{
	struct buf got = BUF_INIT(4096);
	const struct facts *f;

	start();
	ran(command, "int x;", false);
	f = facts();
	for (size_t i = 0; i < f->nread; i++)
		buf_printf(&got, "%s%.*s", i ? " " : "", STR_ARG(f->read[i].path));
	if (!str_eq(buf_str(&got), str_of(want)))
		fail_msg("%s: %s", command, buf_cstr(&got));
	buf_release(&got);
	free_facts();
}

static void test_extract__files_read_by_commands_are_known(void **state)
{
	(void)state;
	reads_are("cat src/dim.c", "/home/dev/lantern/src/dim.c");
	reads_are("cd /srv/docs && head -n 20 a.md | tail -5", "/srv/docs/a.md");
	reads_are("cd docs && cat a.md", ""); /* from where is not known */
	reads_are("head -20 a.md /etc/hosts.conf Makefile; tail -c 10 b.log",
		  "/etc/hosts.conf /home/dev/lantern/Makefile /home/dev/lantern/a.md "
		  "/home/dev/lantern/b.log");
	reads_are("sed -n '1,20p' src/dim.c", "/home/dev/lantern/src/dim.c");
	reads_are("sed -e s/a.c/b.c/ src/dim.c > out.txt", "/home/dev/lantern/src/dim.c");
	reads_are("grep -n -A 3 dim.c src/hall.c | jq . data.json",
		  "/home/dev/lantern/data.json /home/dev/lantern/src/hall.c");
	reads_are("awk -F : '{print $1}' a.csv", "/home/dev/lantern/a.csv");
	/* none: changed, searched as a folder, silenced, a pattern, a program's name */
	reads_are("sed -i s/a/b/ src/dim.c", "");
	reads_are("grep -rn dim.c src; ls a.c; git add b.c; cat *.c $F", "");
	reads_are("cat CLAUDE.md 2>/dev/null || echo none", "");
	reads_are("cat > a.c <<EOF\\ncat b.c\\nEOF", "");
}

static void test_extract__files_changed_by_commands_are_known(void **state)
{
	const struct facts *f;
	size_t i = 0;

	(void)state;
	start();
	ran("sed -n 1p a.c; sed -i '' 's/a > b.c/x/' lamp.c && perl -pi -e 's/x/y/' /srv/hall.c",
	    "", false);
	ran("FILES=\\\"one.json two.json\\\"\\nfor f in $FILES; do\\n perl -i -pe 's/1/2/' \\\"$f\\\"\\ndone",
	    "", false);
	ran("cd /home/dev/attic && echo dim >> notes.txt 2>/dev/null; make 2>&1 | tee -a log.txt",
	    "", false);
	ran("cat > new.md <<'EOF'\\nrm wrong.c\\nEOF\\ngit checkout main -- README.md",
	    "", false);
	ran("git -C /x add -A lamp.c door.c && git commit -m \\\"$(cat <<'EOF'\\nsay \\\"a > bad.c\\\"\\nEOF\\n)\\\" && git mv old.c young.c",
	    "", false);
	ran("cp a.c b.c; mv c.c d.c; rm -f e.c; cp f.c g.c dir/", "", false);
	ran("sed -i s/a/b/ failed.c", "no such file", true);
	ran("cat lamp.c | grep -i dim > /dev/null", "", false);
	f = facts();
	shelled_is(f, i++, "/home/dev/lantern/lamp.c", "sed -i");
	shelled_is(f, i++, "/srv/hall.c", "perl -i");
	shelled_is(f, i++, "/home/dev/lantern/one.json", "perl -i");
	shelled_is(f, i++, "/home/dev/lantern/two.json", "perl -i");
	shelled_is(f, i++, "/home/dev/attic/notes.txt", ">>");
	shelled_is(f, i++, "/home/dev/attic/log.txt", "tee");
	shelled_is(f, i++, "/home/dev/lantern/new.md", ">");
	shelled_is(f, i++, "/home/dev/lantern/README.md", "git checkout");
	shelled_is(f, i++, "/x/lamp.c", "git add");
	shelled_is(f, i++, "/x/door.c", "git add");
	shelled_is(f, i++, "/home/dev/lantern/old.c", "git mv");
	shelled_is(f, i++, "/home/dev/lantern/young.c", "git mv");
	shelled_is(f, i++, "/home/dev/lantern/b.c", "cp");
	shelled_is(f, i++, "/home/dev/lantern/c.c", "mv");
	shelled_is(f, i++, "/home/dev/lantern/d.c", "mv");
	shelled_is(f, i++, "/home/dev/lantern/e.c", "rm");
	assert_int_equal(f->nshelled, i);
	assert_int_equal(f->shelled[0].record, 2);
	free_facts();
}

/* Whatever the quotes and borders, it ends, and a row has a name and a way. */
static void test_extract__a_command_cut_at_every_byte_is_read(void **state)
{
	static const char all[] =
		"A=\"x.d y.c\"; for f in $A \"b.c\"; do sed -i -e 's/a/b/' \"$f\" \\\n z.c; done\n"
		"cat >> a.md <<-'EOF'\nit's\nEOF\n(perl -pi -e \"s/'/x/\" c.c) &> d.log | tee e.f\n"
		"git commit -m \"$(cat <<'EOF'\n\"\nEOF\n)\" && git -c a=b restore g.h <<< x #";

	(void)state;
	for (size_t n = 0; n < sizeof all; n++) {
		struct extract *x = extract_new();

		extract_on_touch(x, (str){all, n});
		for (size_t i = 0; i < x->f.nshelled; i++)
			assert_true(x->f.shelled[i].path.n && x->f.shelled[i].how.n);
		if (n + 1 == sizeof all)
			assert_int_equal(x->f.nshelled, 7);
		extract_free(x);
	}
}

static void test_extract__a_quiet_commit_is_known_by_its_message(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("git add . && git commit -qm 'lamp: door' && git push -q", "", false);
	ran("git commit -aqm \\\"lamp: hall\\\"", "", false);
	ran("git commit -q --message='lamp: stairs'", "", false);
	ran("git commit -qm\\\"lamp: \\\\\\\"dim\\\\\\\" it\\\"", "", false);
	ran("git commit -q --amend --no-edit", "", false);
	ran("git commit -qm 'lamp: a message that is so long that it has to be cut somewhere, "
	    "and not in the middle of one of the longer words'",
	    "", false);
	f = facts();
	assert_int_equal(f->ncommit, 5);
	is(f->commit[4].subject,
	   "lamp: a message that is so long that it has to be cut somewhere, and not in the "
	   "middle of one of the longer …");
	is(f->commit[0].subject, "lamp: door");
	is(f->commit[1].subject, "lamp: hall");
	is(f->commit[2].subject, "lamp: stairs");
	is(f->commit[3].subject, "lamp: \\\"dim\\\" it");
	free_facts();
}

/* ---- the rest of the tools ---- */

static void test_extract__open_calls_are_those_without_a_result(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	call("a", "Bash", "\"command\":\"make a\",\"description\":\"Build a\"");
	call("b", "Bash", "\"command\":\"make b\"");
	call("c", "Task",
	     "\"description\":\"Look\",\"prompt\":\"look\",\"subagent_type\":\"x\"");
	result("b", "ok", false, "");
	f = facts();
	assert_int_equal(f->nopen, 2);
	is(f->open[0].label, "make a");
	is(f->open[0].description, "Build a");
	assert_false(f->open[0].agent);
	assert_true(f->open[1].agent);
	assert_int_equal(f->last, FACT_LAST_RESULT);
	is(f->last_result, "");
	free_facts();
}

static void test_extract__a_call_before_the_last_prompt_is_not_open(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	call("a", "Bash", "\"command\":\"make lamp\"");
	record("attachment",
	       ",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"and the hall\"}");
	f = facts();
	assert_int_equal(f->nopen, 1);
	free_facts();
	user("what is the state?");
	assistant("The build died.");
	f = facts();
	assert_int_equal(f->nopen, 0);
	free_facts();
	call("b", "Bash", "\"command\":\"make hall\"");
	f = facts();
	assert_int_equal(f->nopen, 1);
	is(f->open[0].label, "make hall");
	free_facts();
}

static void test_extract__a_stop_hook_after_an_answer_is_noted(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("dim the lamp");
	record("user",
	       ",\"isMeta\":true,\"message\":{\"content\":\"Stop hook feedback:\\nearly\"}");
	f = facts();
	assert_int_equal(f->stop_hook_record, 0);
	free_facts();
	assistant("It is dim.");
	record("user",
	       ",\"isMeta\":true,\"message\":{\"content\":\"Stop hook feedback:\\nlearn\"}");
	ran("learn", "ok", false);
	f = facts();
	assert_int_equal(f->stop_hook_record, 4);
	assert_int_equal(f->nprompt, 1);
	free_facts();
}

static void test_extract__the_oldest_form_of_a_result_is_one(void **state)
{
	const struct facts *f = fixture("seed-format");

	(void)state;
	assert_int_equal(f->nopen, 0);
	assert_int_equal(command(f, "make dim")->count, 1);
	assert_int_equal(f->nagent, 1);
	free_facts();
}

static void test_extract__answers_notes_and_own_words(void **state)
{
	const struct facts *f = fixture("ask-user");

	(void)state;
	assert_int_equal(f->nanswer, 4);
	is(f->answer[0].header, "Curve");
	is(f->answer[0].answer, "Smooth");
	assert_false(f->answer[0].own);
	assert_true(f->answer[0].description.n > 0);
	is(f->answer[1].answer, "22:30 on weekdays, never on Sunday");
	assert_true(f->answer[1].own);
	assert_true(f->answer[0].note.n + f->answer[1].note.n + f->answer[2].note.n +
			    f->answer[3].note.n >
		    0);
	assert_int_equal(f->nrefused, 1);
	free_facts();
}

static void test_extract__todos_of_every_client(void **state)
{
	static const char *const names[] = {"todowrite", "todowrite-1.0", "tasks"};
	bool open;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct facts *f = fixture(names[i]);

		open = false;
		for (size_t k = 0; k < f->ntodo; k++) {
			if (str_eq(f->todo[k].subject, STR("Check the clock")))
				open = !str_eq(f->todo[k].status, STR("completed"));
		}
		assert_true(open);
		free_facts();
	}
}

static void test_extract__agents_under_any_name(void **state)
{
	const struct facts *f = fixture("dispatch-names");

	(void)state;
	assert_int_equal(f->nagent, 3);
	is(f->agent[2].description, "Look by Delegate");
	is(f->agent[2].result, "Delegate found a loose wire.");
	assert_int_equal(f->ntool, 1);
	is(f->tool[0].name, "Lookup");
	free_facts();
}

static void
test_extract__background_work_runs_until_it_is_told_to_have_ended(void **state)
{
	const struct facts *f = fixture("background-bash");
	size_t running = 0;

	(void)state;
	assert_int_equal(f->nbackground, 2);
	for (size_t i = 0; i < f->nbackground; i++)
		running += f->background[i].ended.n == 0;
	assert_int_equal(running, 1);
	free_facts();
	f = fixture("task-notifications");
	running = 0;
	for (size_t i = 0; i < f->nbackground; i++)
		running += f->background[i].ended.n == 0;
	assert_int_equal(running, 1);
	free_facts();
}

static void test_extract__the_plan_is_the_newest_one(void **state)
{
	const struct facts *f = fixture("plan");

	(void)state;
	assert_true(str_starts(f->plan, STR("# Dim the lamp")));
	assert_true(f->plan_record > 0);
	free_facts();
}

static void test_extract__a_compaction_leaves_its_summary(void **state)
{
	const struct facts *f = fixture("compact-twice");

	(void)state;
	assert_int_equal(f->compactions, 2);
	assert_true(f->summary.n > 0 && f->summary_record > 0);
	for (size_t i = 0; i < f->nprompt; i++)
		assert_false(str_eq(f->prompt[i].text, f->summary));
	free_facts();
}

static void test_extract__titles_by_rank(void **state)
{
	(void)state;
	is(fixture("titles")->title, "lamp-night");
	free_facts();
	is(fixture("summary-title")->title, "Dimming the lamp");
	free_facts();
}

static void
test_extract__foreign_records_and_side_chains_are_not_the_session(void **state)
{
	const struct facts *f = fixture("inline-sidechains");

	(void)state;
	assert_false(f->agent_file);
	for (size_t i = 0; i < f->nprompt; i++)
		assert_int_equal(str_find(f->prompt[i].text, STR("Review src/dim.c")),
				 STR_NPOS);
	free_facts();
	start();
	buf_add(&made,
		STR("{\"timestamp\":\"2026-07-16T10:00:00Z\",\"type\":\"response_item\","
		    "\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{"
		    "\"type\":\"input_text\",\"text\":\"dim the lamp\"}]}}\n"));
	f = facts();
	assert_int_equal(f->nprompt, 0);
	assert_int_equal(f->records, 1);
	free_facts();
}

static void test_extract__a_sub_agents_own_file_is_read(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	record("user",
	       ",\"isSidechain\":true,\"message\":{\"content\":\"look at the lamp\"}");
	record("assistant",
	       ",\"isSidechain\":true,\"message\":{\"content\":[{\"type\":\"text\","
	       "\"text\":\"A wire is loose in it.\"}]}");
	f = facts();
	assert_true(f->agent_file);
	assert_int_equal(f->nprompt, 1);
	assert_int_equal(f->nsentence, 1);
	free_facts();
}

static void test_extract__waits_are_over_a_minute_and_the_longest_stay(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	for (unsigned i = 0; i < 30; i++) {
		char id[16];

		(void)snprintf(id, sizeof id, "t%u", i);
		records = 0;
		call(id, "Bash", "\"command\":\"make\"");
		made.n -=
			2; /* the brace and newline: another uuid follows, which counts */
		buf_printf(&made, ",\"uuid\":\"a%u\"}\n", i);
		records = 60 + i;
		result(id, "ok", false, "");
		made.n -= 2;
		buf_printf(&made, ",\"uuid\":\"b%u\"}\n", i);
	}
	f = facts();
	assert_int_equal(f->nwait, WAITS_MAX);
	for (size_t i = 0; i < f->nwait; i++)
		assert_true(f->wait[i] >= 74000 && f->wait[i] <= 90000);
	free_facts();
}

static void test_extract__a_task_is_known_by_its_words_alone(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	call("a", "TaskCreate", "\"subject\":\"Check the clock\"");
	result("a", "Task #12 created successfully: Check the clock", false, "");
	call("b", "TaskUpdate", "\"taskId\":\"12\",\"status\":\"completed\"");
	result("b", "Updated task #12", false, "");
	call("c", "TaskCreate", "\"subject\":\"Lost\"");
	result("c", "no", false, "");
	f = facts();
	assert_int_equal(f->ntodo, 1);
	is(f->todo[0].id, "#12");
	is(f->todo[0].status, "completed");
	free_facts();
}

static void test_extract__a_background_task_ends_when_it_is_asked_or_stopped(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	call("a", "Bash", "\"command\":\"make serve\"");
	result("a", "Running", false, ",\"toolUseResult\":{\"backgroundTaskId\":\"b1\"}");
	call("b", "Agent", "\"description\":\"Look\",\"subagent_type\":\"x\"");
	result("b", "Async agent", false,
	       ",\"toolUseResult\":{\"isAsync\":true,\"agentId\":\"a7\"}");
	f = facts();
	assert_int_equal(f->nbackground, 2);
	is(f->background[0].command, "make serve");
	is(f->background[1].command, "agent: Look");
	is(f->background[1].ended, "");
	free_facts();
	call("c", "TaskOutput", "\"task_id\":\"a7\"");
	result("c", "<status>running</status>", false, "");
	call("d", "TaskOutput", "\"task_id\":\"a7\"");
	result("d",
	       "<status>completed</status><output>agentId: a7\\nA loose wire.</output>",
	       false, "");
	call("e", "KillShell", "\"shell_id\":\"b1\"");
	result("e", "ok", false, "");
	f = facts();
	is(f->background[0].ended, "stopped");
	is(f->background[1].ended, "completed");
	is(f->agent[0].result, "A loose wire.");
	free_facts();
	for (int i = 0; i < 3 * BACKGROUND_MAX; i++) {
		char more[100];

		(void)snprintf(more, sizeof more,
			       ",\"toolUseResult\":{\"backgroundTaskId\":\"x%d\"}", i);
		call("f", "Bash", "\"command\":\"make serve\"");
		result("f", "Running", false, more);
	}
	f = facts();
	assert_int_equal(f->nbackground, BACKGROUND_MAX);
	is(f->background[BACKGROUND_MAX - 1].id, "x299");
	free_facts();
}

static void test_extract__blocked_commands_name_the_rule(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("git push --force",
	    "BLOCKED by guard: no force\\nRule: never force-push\\nmore", true);
	call("m", "mcp__lamp__dim", "\"query\":\"x\"");
	result("m", "the lamp is not there", true, "");
	call("n", "mcp__lamp__dim", "\"query\":\"x\"");
	result("n", "ok", false, "");
	f = facts();
	assert_int_equal(f->nerror, 2);
	is(f->error[0].line[0], "BLOCKED by guard: no force");
	is(f->error[0].line[1], "Rule: never force-push");
	is(f->error[1].line[0], "the lamp is not there");
	assert_false(f->error[1].tool);
	assert_int_equal(f->ntool, 1);
	assert_int_equal(f->tool[0].count, 2);
	assert_int_equal(f->tool[0].failed, 1);
	free_facts();
}

static void test_extract__messages_in_here_documents_have_a_subject(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("git commit -q -m \\\"$(cat <<'EOF'\\nlamp: dim the hall\\n\\nBody.\\nEOF\\n)\\\"",
	    "", false);
	record("pr-link", ",\"prUrl\":\"https://x/pull/3\"");
	record("pr-link", ",\"prUrl\":\"https://x/pull/3\"");
	f = facts();
	assert_int_equal(f->ncommit, 1);
	is(f->commit[0].subject, "lamp: dim the hall");
	assert_int_equal(f->npr, 1);
	free_facts();
}

static void test_extract__words_after_an_editors_note_are_the_prompt(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("<ide_opened_file>The user opened dim.c</ide_opened_file>\\nmake it dim");
	user("<ide_opened_file>The user opened dim.c</ide_opened_file>");
	f = facts();
	assert_int_equal(f->nprompt, 1);
	is(f->prompt[0].text, "make it dim");
	free_facts();
}

static void
test_extract__when_the_last_text_was_abandoned_the_one_before_stands(void **state)
{
	static const char chain[] =
		"{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,\"message\":{\"content\":"
		"\"dim the lamp\"}}\n"
		"{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"message\":{"
		"\"content\":[{\"type\":\"text\",\"text\":\"The lamp in there is dim now. The hall "
		"comes next.\"}]}}\n"
		"{\"type\":\"user\",\"uuid\":\"c\",\"parentUuid\":\"b\",\"message\":{\"content\":"
		"\"make it blink\"}}\n"
		"{\"type\":\"assistant\",\"uuid\":\"d\",\"parentUuid\":\"c\",\"message\":{"
		"\"content\":[{\"type\":\"text\",\"text\":\"It blinks now.\"}]}}\n"
		"{\"type\":\"user\",\"uuid\":\"e\",\"parentUuid\":\"b\",\"message\":{\"content\":"
		"\"do not blink\"}}\n";
	struct extract *x = extract_new();
	struct tree *t = tree_new();
	const struct facts *f;
	struct reading r;

	(void)state;
	test_dir();
	test_write("t.jsonl", STR(chain));
	open_reading(&r, test_path("t.jsonl"));
	feed(&r, x, t, SIZE_MAX);
	tree_finish(t);
	f = extract_facts(x, NULL, CLOCK_NONE);
	is(f->last_text, "It blinks now.");
	f = extract_facts(x, t, CLOCK_NONE);
	is(f->last_text, "The lamp in there is dim now.\nThe hall comes next.");
	assert_int_equal(f->last_text_record, 2);
	close_reading(&r);
	tree_free(t);
	extract_free(x);
}

/* ---- calls that were left behind ---- */

/* How many calls are lost after "later" happened to one command that had no result. */
static size_t lost_after(const char *command, void (*later)(void))
{
	struct buf input = BUF_INIT(100000);
	const struct facts *f;
	size_t n;

	start();
	user("bring the lamp up to date");
	buf_printf(&input, "\"command\":\"%s\"", command);
	call("lost", "Bash", buf_cstr(&input));
	user("are you there?");
	assistant("Yes. The migration has run.");
	if (later)
		later();
	f = facts();
	assert_int_equal(f->nopen, 0);
	n = f->nlost;
	free_facts();
	buf_release(&input);
	return n;
}

static void later_late_result(void)
{
	result("lost", "done", false, "");
}

static void later_rerun(void)
{
	ran("./migrate.sh --apply", "applied", false);
}

static void later_looked(void)
{
	ran("tail -3 logs/migrate.sh.log; ./migrate.sh --status", "row 12 of 12", false);
}

static void later_status(void)
{
	ran("git -C /home/dev/lantern status -sb", "## main", false);
}

static void later_other(void)
{
	ran("ls -l && make test", "ok", false);
}

static void later_told(void)
{
	user("it ran through, I looked");
}

static void later_named(void)
{
	user("ok. migrate.sh finished in the other window");
}

static void later_asked(void)
{
	user("did migrate.sh finish? I do not know if it ran");
}

static void later_log(void)
{
	ran("git log --oneline -3", "1f2e3d4 dim", false);
}

static void later_add_and_push(void)
{
	ran("git add src/dim.c && git push", "", false);
}

static void test_extract__a_call_left_behind_stays_until_something_tells(void **state)
{
	static const struct {
		const char *command;
		void (*later)(void);
		size_t lost;
	} row[] = {
		{"./migrate.sh --apply", NULL, 1},
		{"./migrate.sh --apply", later_other, 1},
		{"./migrate.sh --apply", later_asked, 1},
		{"./migrate.sh --apply", later_status, 1},
		{"./migrate.sh --apply", later_late_result, 0},
		{"./migrate.sh --apply", later_rerun, 0},
		{"./migrate.sh --apply", later_looked, 0},
		{"./migrate.sh --apply", later_told, 0},
		{"./migrate.sh --apply", later_named, 0},
		{"git commit -qam dim", later_status, 0},
		{"git commit -qam dim", later_log, 0},
		{"git commit -qam dim", later_other, 1},
		{"git push && ./migrate.sh", later_log, 1},
		{"git push && ./migrate.sh", later_add_and_push, 1},
		{"make test; git push", later_add_and_push, 1},
		{"git commit -qm x; git push", later_add_and_push, 1},
		{"ls; git push", later_add_and_push, 0},
		{"echo building; sleep 300", later_other, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		if (lost_after(row[i].command, row[i].later) != row[i].lost)
			fail_msg("row %zu: %s", i, row[i].command);
}

static void test_extract__of_a_call_left_behind_all_is_known(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("bring the lamp up to date");
	call("a", "Bash",
	     "\"command\":\"./migrate.sh --apply\",\"description\":\"Migrate\"");
	call("b", "Edit",
	     "\"file_path\":\"/home/dev/lantern/src/dim.c\",\"old_string\":\"a\","
	     "\"new_string\":\"b\"");
	call("c", "Edit",
	     "\"file_path\":\"/home/dev/lantern/src/hall.c\",\"old_string\":\"a\","
	     "\"new_string\":\"b\"");
	call("d", "Grep", "\"pattern\":\"dim\"");
	call("e", "mcp__lamp__set", "\"level\":3");
	call("f", "Agent",
	     "\"description\":\"Look around\",\"prompt\":\"look\","
	     "\"subagent_type\":\"scout\"");
	user("are you there?");
	call("g", "Read", "\"file_path\":\"/home/dev/lantern/src/hall.c\"");
	result("g", "1\\tint hall;", false, "");
	assistant("Yes.");
	f = facts();
	assert_int_equal(f->nlost, 4);
	assert_int_equal(f->lost[0].record, 2);
	is(f->lost[0].label, "./migrate.sh --apply");
	is(f->lost[0].description, "Migrate");
	is(f->lost[1].label, "Edit src/dim.c");
	is(f->lost[2].name, "mcp__lamp__set");
	assert_true(f->lost[3].agent);
	assert_int_equal(f->nunmet, 0);
	free_facts();
}

static void test_extract__an_open_shell_call_is_told_whole(void **state)
{
	const struct facts *f;
	struct buf input = BUF_INIT(4000);

	(void)state;
	start();
	user("bring the lamp up to date");
	buf_add(&input, STR("\"command\":\"git add"));
	for (int i = 0; i < 60; i++)
		buf_printf(&input, " src/room%02d.c", i);
	buf_add(&input, STR(" && git push\""));
	call("a", "Bash", buf_cstr(&input));
	f = facts();
	assert_int_equal(f->nopen, 1);
	assert_true(str_ends(f->open[0].label, STR("src/room59.c && git push")));
	free_facts();
	buf_release(&input);
}

/* ---- comparisons ---- */

static void test_extract__an_order_to_write_that_nothing_followed_is_unmet(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("add a test to tests/dim.c. then update docs/plan.md, and look at src/hall.c");
	user("@docs/log.md has the steps. carefully append them to the file above");
	call("a", "Edit",
	     "\"file_path\":\"/home/dev/lantern/tests/dim.c\",\"old_string\":\"\",\"new_"
	     "string\":\"x\"");
	result("a", "ok", false, "");
	f = facts();
	assert_int_equal(f->nunmet, 0); /* not answered yet */
	free_facts();
	assistant("All of it is done.");
	user("add src/late.c");
	f = facts();
	assert_int_equal(f->nunmet, 2);
	is(f->unmet[0].text, "docs/plan.md");
	assert_int_equal(f->unmet[0].record, 1);
	is(f->unmet[1].text, "docs/log.md");
	free_facts();
	ran("echo x >> docs/log.md", "", false);
	f = facts();
	assert_int_equal(f->nunmet, 1);
	free_facts();
}

/* The first path that stays unmet of an order that nothing but the answer followed; "" none. */
static void unmet(const char *order, const char *command, const char *want)
{
	const struct facts *f;

	start();
	user(order);
	if (command)
		ran(command, "", false);
	assistant("All of it is done.");
	f = facts();
	if (f->nunmet != (want[0] != 0) ||
	    (want[0] && !str_eq(f->unmet[0].text, str_of(want))))
		fail_msg("%s: %zu", order, f->nunmet);
	free_facts();
}

static void test_extract__files_without_an_ending_and_patched_ones_are_known(void **state)
{
	const struct facts *f;
	size_t i = 0;

	(void)state;
	start();
	user("make the files");
	ran("echo 'int x;' > x.c", "", false);
	ran("cat > y.c <<EOF\\nint y;\\nEOF", "", false);
	ran("echo all: > Makefile", "", false);
	ran("printf x > out; awk '{print}' a > b", "", false);
	ran("touch -t 202601010000 parser.c && touch -r a.c b.c", "", false);
	ran("patch -p1 < fix.patch",
	    "patching file src/dim.c\\npatching file 'src/the hall.c'", false);
	ran("git apply <<'EOF'\\n--- a/src/door.c\\n+++ b/src/door.c\\n@@\\nEOF", "",
	    false);
	ran("echo 'patching file no.c'", "patching file no.c", false);
	f = facts();
	shelled_is(f, i++, "/home/dev/lantern/x.c", ">");
	shelled_is(f, i++, "/home/dev/lantern/y.c", ">");
	shelled_is(f, i++, "/home/dev/lantern/Makefile", ">");
	shelled_is(f, i++, "/home/dev/lantern/out", ">");
	shelled_is(f, i++, "/home/dev/lantern/parser.c", "touch");
	shelled_is(f, i++, "/home/dev/lantern/b.c", "touch");
	shelled_is(f, i++, "/home/dev/lantern/src/dim.c", "patch");
	shelled_is(f, i++, "/home/dev/lantern/src/the hall.c", "patch");
	shelled_is(f, i++, "/home/dev/lantern/src/door.c", "patch");
	assert_int_equal(f->nshelled, i);
	free_facts();
}

static void test_extract__only_what_is_to_be_written_is_an_order_to_write(void **state)
{
	(void)state;
	unmet("run the tests and then delete old.c", "make test", "");
	unmet("look at old.c and delete it", "rm old.c", "");
	unmet("look at old.c and delete it", NULL, "");
	unmet("remove the function from util.c but write nothing else", NULL, "");
	unmet("run ./migrate.sh --apply and then fix old.c", "./migrate.sh --apply",
	      "old.c");
	unmet("run ./migrate.sh and update docs/plan.md", NULL, "docs/plan.md");
	unmet("add the rows by running scripts/fill.sh", NULL, "");
	unmet("update the lamp using `tools/dim.py`", NULL, "");
	unmet("write a test like tests/hall.c in tests/dim.c", NULL, "tests/dim.c");
	unmet("fix it, then read docs/plan.md", NULL, "");
	unmet("should we update docs/plan.md?", NULL, "");
	unmet("the script used to write docs/plan.md", NULL, "");
	unmet("fix src/dim.c", "sed -i s/a/b/ src/dim.c", "");
}

static void test_extract__a_finding_never_named_again_is_unfollowed(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	ran("lamp review", "The bot found 2 potential issues in commit 1f2e3d4a5b6c",
	    false);
	ran("lamp audit", "found 3 problems in hall_level", false);
	assistant("The hall_level is off by one.");
	f = facts();
	assert_int_equal(f->nunfollowed, 1);
	is(f->unfollowed[0].text, "The bot found 2 potential issues");
	is(f->unfollowed[0].subject, "1f2e3d4a5b6c");
	assert_int_equal(f->unfollowed[0].record, 2);
	free_facts();
	assistant(
		"The issues of the lamp are old ones.\\nBoth lamps are dim in the hall.");
	f = facts();
	assert_int_equal(f->nunfollowed, 1);
	free_facts();
	start();
	ran("lamp review", "The bot found 2 potential issues in commit 1f2e3d4a5b6c",
	    false);
	assistant("Both review issues were real, and are fixed already.");
	f = facts();
	assert_int_equal(f->nunfollowed, 0);
	free_facts();
	start();
	ran("lamp review", "The bot found 3 problems in commit 1f2e3d4a5b6c", false);
	assistant("Now none of the problems is left.");
	f = facts();
	assert_int_equal(f->nunfollowed, 0);
	free_facts();
	start();
	ran("lamp review", "The bot found 2 potential issues in commit 1f2e3d4a5b6c",
	    false);
	ran("git show 1f2e3d4", "", false);
	assistant("Commit 1f2e3d4 has them.");
	f = facts();
	assert_int_equal(f->nunfollowed, 0);
	free_facts();
}

/* ---- branches and time ---- */

static void test_extract__abandoned_branches_are_left_out(void **state)
{
	static const char *const names[] = {"rewind-leaf", "rewind-no-leaf"};
	const struct facts *f;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct extract *x = extract_new();
		struct tree *t = tree_new();
		struct buf path = BUF_INIT(1000);
		struct reading r;
		bool all = false;

		buf_printf(&path, FIXTURES "/%s.jsonl", names[i]);
		open_reading(&r, buf_cstr(&path));
		feed(&r, x, t, SIZE_MAX);
		tree_finish(t);
		f = extract_facts(x, NULL, CLOCK_NONE);
		for (size_t k = 0; k < f->nprompt; k++)
			all |= str_eq(f->prompt[k].text, STR("now make it blink"));
		assert_true(all);
		f = extract_facts(x, t, CLOCK_NONE);
		for (size_t k = 0; k < f->nprompt; k++)
			assert_false(str_eq(f->prompt[k].text, STR("now make it blink")));
		assert_true(f->nprompt >= 2);
		assert_true(f->dropped > 0);
		assert_false(tree_abandoned(t, f->last_text_record));
		close_reading(&r);
		tree_free(t);
		extract_free(x);
		buf_release(&path);
	}
}

/* A line with its parent: what branches are made of. */
static void said(const char *id, const char *parent, const char *type, const char *text)
{
	buf_printf(
		&made,
		"{\"type\":\"%s\",\"uuid\":\"%s\",\"parentUuid\":%s,\"sessionId\":\"s1\","
		"\"timestamp\":\"2026-07-16T10:00:00Z\",\"message\":{\"role\":\"%s\","
		"\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}}\n",
		type, id, parent, type, text);
}

static void test_extract__the_same_prompt_on_the_live_branch_stays(void **state)
{
	struct extract *x = extract_new();
	struct tree *t = tree_new();
	const struct facts *f;
	struct reading r;

	(void)state;
	start();
	said("u0", "null", "user", "light the lamp");
	said("a0", "\"u0\"", "assistant", "Lit.");
	said("u1", "\"a0\"", "user", "dim the lamp");
	said("u2", "\"a0\"", "user", "dim the lamp");
	said("a2", "\"u2\"", "assistant", "It is dim.");
	said("u3", "\"a2\"", "user", "thanks");
	said("a3", "\"u3\"", "assistant", "Gladly.");
	test_dir();
	test_write("t.jsonl", buf_str(&made));
	open_reading(&r, test_path("t.jsonl"));
	feed(&r, x, t, SIZE_MAX);
	tree_finish(t);
	f = extract_facts(x, t, CLOCK_NONE);
	assert_int_equal(f->nprompt, 3);
	assert_int_equal(f->prompt[1].record, 4);
	f = extract_facts(x, NULL, CLOCK_NONE);
	assert_int_equal(f->nprompt, 3);
	assert_int_equal(f->prompt[1].record, 3);
	close_reading(&r);
	tree_free(t);
	extract_free(x);
}

static void test_extract__since_leaves_out_what_was_before(void **state)
{
	const struct facts *f;
	int64_t at;

	(void)state;
	start();
	user("first request");
	assistant("An old sentence.");
	ran("make old", "Exit code 1\\nerror: old one", true);
	user("second request");
	assistant("A new sentence.");
	facts();
	assert_true(clock_parse(STR("2026-07-16T10:00:05Z"), &at));
	f = extract_facts(current, NULL, at);
	assert_int_equal(f->nprompt, 1);
	is(f->prompt[0].text, "second request");
	assert_int_equal(f->nsentence, 1);
	assert_int_equal(f->nerror, 0);
	assert_int_equal(f->ncommand, 0);
	f = extract_facts(current, NULL, CLOCK_NONE);
	assert_int_equal(f->nprompt, 2);
	free_facts();
}

/* ---- secrets ---- */

static void assert_no_secret(struct extract *x)
{
	struct buf saved = BUF_INIT(SIZE_MAX);
	size_t at;

	extract_save(x, &saved);
	at = str_find(buf_str(&saved), STR("FAKE"));
	if (at != STR_NPOS)
		fail_msg("kept: %.*s", 120, buf_cstr(&saved) + (at > 60 ? at - 60 : 0));
	buf_release(&saved);
}

static void test_extract__no_secret_of_the_fixtures_is_kept(void **state)
{
	static const char *const names[] = {"secrets-in-results", "secret-across-64k"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		fixture(names[i]);
		assert_no_secret(current);
		free_facts();
	}
}

#define TOKEN "ghp_FAKEhz0oTcoM7INK6Qxqk3QGzD7mPhshef2N"

/* Of `cat` and kin nothing is kept, unless it is the last or counts findings: redacted then. */
static void test_extract__a_quiet_output_is_redacted_once_it_is_wanted(void **state)
{
	const struct facts *f;

	(void)state;
	start();
	user("show me the notes");
	ran("cat notes.txt", "the token is " TOKEN "\\nand so on it goes", false);
	f = facts();
	is(f->last_result, "and so on it goes");
	assert_no_secret(current);
	assert_true(str_find(current->private->output_tail, STR("[redacted:")) !=
		    STR_NPOS);
	free_facts();

	start();
	user("show me the notes");
	ran("cat notes.txt", TOKEN, false);
	facts();
	assert_no_secret(current);
	f = extract_facts(current, NULL, CLOCK_NONE);
	assert_true(str_starts(f->last_result, STR("[redacted:")));
	free_facts();

	start();
	user("show me the notes");
	ran("cat notes.txt", "found 3 problems in " TOKEN " and src/a.c", false);
	ran("cat more.txt", "nothing at all in here", false);
	f = facts();
	is(f->last_result, "nothing at all in here");
	assert_true(current->nfinding > 0);
	assert_no_secret(current);
	free_facts();
}

static void test_extract__no_field_lets_a_secret_in(void **state)
{
	(void)state;
	start();
	user("use " TOKEN " for it");
	user("<command-name>/lamp</command-name><command-args>" TOKEN "</command-args>");
	user("<bash-input>curl " TOKEN "</bash-input>");
	user("<task-notification><task-id>b1</task-id><status>done</status><summary>" TOKEN
	     "</summary><event>" TOKEN "</event><result>" TOKEN
	     "</result></task-notification>");
	record("queue-operation",
	       ",\"operation\":\"enqueue\",\"content\":\"also " TOKEN "\"");
	record("user",
	       ",\"planContent\":\"# Plan " TOKEN "\",\"message\":{\"content\":\"go\"}");
	record("user",
	       ",\"isCompactSummary\":true,\"message\":{\"content\":\"sum " TOKEN "\"}");
	record("ai-title", ",\"aiTitle\":\"" TOKEN "\"");
	record("summary", ",\"leafUuid\":\"u1\",\"summary\":\"" TOKEN "\"");
	record("pr-link", ",\"prUrl\":\"https://x/" TOKEN "\"");
	record("file-history-snapshot",
	       ",\"snapshot\":{\"trackedFileBackups\":{\"/x/" TOKEN ".c\":1}}");
	assistant("The fix is `" TOKEN "` because it failed.");
	record("assistant",
	       ",\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":\"The "
	       "root cause is " TOKEN " because it failed and was fixed.\"}]}");
	record("assistant",
	       ",\"isApiErrorMessage\":true,\"message\":{\"content\":[{\"type\":"
	       "\"text\",\"text\":\"API Error " TOKEN "\"}]}");
	call("b", "Bash",
	     "\"command\":\"git commit -m '" TOKEN "'\",\"description\":\"" TOKEN "\"");
	result("b", "Exit code 1\\nerror: " TOKEN "\\n3 failed " TOKEN, true, "");
	ran("git commit -m '" TOKEN "'", "[main 1f2e3d4] " TOKEN, false);
	ran("git status", TOKEN, false);
	call("e", "Edit",
	     "\"file_path\":\"/" TOKEN
	     ".c\",\"old_string\":\"\",\"new_string\":\"def " TOKEN "():\\n\"");
	result("e", "ok", false,
	       ",\"toolUseResult\":{\"structuredPatch\":[{\"lines\":[\"+def " TOKEN
	       "():\"]}]}");
	call("r", "Read", "\"file_path\":\"/home/dev/lantern/.env\"");
	result("r", "1\\tDB_PASS=FAKEpass8\\n2\\tdef " TOKEN "():", false, "");
	call("q", "AskUserQuestion", "\"questions\":[]");
	result("q", "x", false,
	       ",\"toolUseResult\":{\"questions\":[{\"question\":\"" TOKEN
	       "?\",\"header\":\"" TOKEN
	       "\",\"options\":[{\"label\":\"a\",\"description\":\"" TOKEN
	       "\"}]}],\"answers\":{"
	       "\"" TOKEN "?\":\"a\",\"other\":\"" TOKEN "\"},\"annotations\":{\"" TOKEN
	       "?\":{\"notes\":\"" TOKEN "\"}}}");
	call("t", "TodoWrite",
	     "\"todos\":[{\"content\":\"" TOKEN "\",\"status\":\"pending\"}]");
	result("t", "ok", false, "");
	call("c", "TaskCreate", "\"subject\":\"" TOKEN "\"");
	result("c", "ok", false,
	       ",\"toolUseResult\":{\"task\":{\"id\":\"1\",\"subject\":\"" TOKEN "\"}}");
	call("g", "Agent",
	     "\"description\":\"" TOKEN "\",\"prompt\":\"" TOKEN
	     "\",\"subagent_type\":\"x\"");
	result("g", "found " TOKEN, false, ",\"toolUseResult\":{\"agentId\":\"a1\"}");
	call("m", "mcp__x__y", "\"query\":\"" TOKEN "\"");
	result("m", "error: refused " TOKEN, true, "");
	call("p", "ExitPlanMode", "\"plan\":\"# " TOKEN "\"");
	result("p", "ok", false, "");
	call("o", "Write", "\"file_path\":\"/o.c\",\"content\":\"x = '" TOKEN "'\"");
	call("f", "Bash", "\"command\":\"curl " TOKEN "\"");
	result("f", "The user doesn't want this. the user said: " TOKEN, true, "");
	facts();
	assert_true(extract_facts(current, NULL, CLOCK_NONE)->nopen == 1);
	assert_no_secret(current);
	free_facts();
}

/* A text that the reader cut in the middle of a key must not show the half. */
static void test_extract__a_key_at_the_cut_of_a_long_text_is_not_kept(void **state)
{
	(void)state;
	for (size_t before = 48 * 1024 - 40; before <= 48 * 1024; before += 3) {
		start();
		buf_printf(
			&made,
			"{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"");
		for (size_t i = 0; i < before; i += 5)
			buf_add(&made, STR("lamp "));
		buf_add(&made, STR("x " TOKEN " "));
		for (size_t i = 0; i < 40000; i += 5)
			buf_add(&made, STR("hall "));
		buf_add(&made, STR("\"}}\n"));
		facts();
		assert_no_secret(current);
		free_facts();
	}
}

/* ---- bounds ---- */

static size_t memory(const struct extract *x)
{
	return x->kept.used + x->other.used;
}

static void test_extract__floods_are_bounded_and_the_ends_stay(void **state)
{
	const struct facts *f;
	struct buf long_text = BUF_INIT(SIZE_MAX);
	char text[200];

	(void)state;
	start();
	for (int i = 0; i < 1000; i++)
		buf_add(&long_text, STR("the lamp of the hall is dim "));
	user("the very first request");
	for (int i = 0; i < 3000; i++) {
		(void)snprintf(text, sizeof text,
			       "request %d about hall_%d and src/f%d.c", i, i, i);
		user(text);
		(void)snprintf(text, sizeof text,
			       "It failed because of lamp_%d in the hall.", i);
		assistant(text);
		(void)snprintf(text, sizeof text, "make t%d", i);
		ran(text, "Exit code 1\\nerror: no lamp in here", true);
		(void)snprintf(
			text, sizeof text,
			"\"file_path\":\"/f%d.c\",\"old_string\":\"\",\"new_string\":\"int "
			"a_%d;\"",
			i, i);
		call("e", "Edit", text);
		result("e", "ok", false, "");
		(void)snprintf(text, sizeof text, "\"file_path\":\"/r%d.c\"", i);
		call("r", "Read", text);
		result("r", "1\\tdef read_name():", false, "");
		record("assistant",
		       ",\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":"
		       "\"The root cause of %d is the clock, because it failed.\"}]}",
		       i);
		if (i % 50 == 0)
			user(buf_cstr(&long_text));
	}
	user("the very last request");
	f = facts();
	assert_true(memory(current) <= EXTRACT_BYTES);
	assert_true(f->dropped > 1000);
	assert_true(f->nprompt <= PROMPTS_MAX && f->nprompt > 100);
	is(f->prompt[0].text, "the very first request");
	is(f->prompt[f->nprompt - 1].text, "the very last request");
	assert_true(f->nsentence <= SENTENCES_MAX);
	assert_int_equal(f->sentence[f->nsentence - 1].text_id, 3000);
	assert_int_equal(f->nerror, ERRORS_MAX);
	assert_true(f->ncommand <= COMMANDS_MAX);
	assert_int_equal(f->nedit, FILES_MAX);
	assert_int_equal(f->nread, FILES_MAX);
	is(f->read[f->nread - 1].path, "/r2999.c");
	assert_true(f->nthought <= THOUGHTS_MAX && f->nthought >= THOUGHTS_CUT);
	is(f->edit[f->nedit - 1].path, "/f2999.c");
	assert_true(f->nident <= IDENTS_MAX && f->nnamed <= NAMED_MAX);
	for (size_t i = 1; i < f->nident; i++)
		assert_true(str_cmp(f->ident[i - 1].text, f->ident[i].text) < 0);
	free_facts();
	buf_release(&long_text);
}

/* Everything at its largest: the arena runs full and everything gives way, but nothing breaks. */
static void test_extract__hostile_sizes_stay_within_the_memory(void **state)
{
	struct buf big = BUF_INIT(SIZE_MAX), input = BUF_INIT(SIZE_MAX);
	const struct facts *f;

	(void)state;
	for (int i = 0; i < 6000; i++)
		buf_printf(&big, "name_%d_x ", i);
	start();
	for (int i = 0; i < 150; i++) {
		char id[20];

		(void)snprintf(id, sizeof id, "t%d", i);
		buf_reset(&input);
		buf_printf(
			&input,
			"\"file_path\":\"/f%d.c\",\"old_string\":\"\",\"new_string\":\"%d%s\"",
			i, i, buf_cstr(&big));
		call(id, "Edit", buf_cstr(&input));
		if (i % 2)
			result(id, "ok", false, "");
		user(buf_cstr(&big) + i);
		assistant(buf_cstr(&big));
		record("user",
		       ",\"planContent\":\"%s\",\"isCompactSummary\":%s,\"message\":{"
		       "\"content\":\"x\"}",
		       buf_cstr(&big), i % 2 ? "true" : "false");
		(void)snprintf(id, sizeof id, "a%d", i);
		call(id, "Agent", "\"description\":\"d\",\"subagent_type\":\"x\"");
		result(id, buf_cstr(&big), false, "");
	}
	f = facts();
	assert_true(memory(current) <= EXTRACT_BYTES);
	assert_true(current->ncall > 0 && current->ncall <= OPEN_MAX &&
		    f->nopen <= current->ncall);
	assert_true(f->dropped > 0);
	assert_true(f->nagent > 0 && f->nprompt > 0);
	free_facts();
	buf_release(&big);
	buf_release(&input);
}

/* ---- saving ---- */

static void save(struct extract *x, struct buf *out)
{
	buf_reset(out);
	extract_save(x, out);
}

/* One pass, and a pass that is saved and loaded at a record, come to the same state. */
static int check_cuts(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(4096), whole = BUF_INIT(SIZE_MAX),
		   part = BUF_INIT(SIZE_MAX);
	struct extract *x, *y;
	struct reading r;
	struct err e = ERR_INIT;
	bool more = true;

	if (!str_ends(str_of(name), STR(".jsonl")))
		return 0;
	++*(int *)arg;
	fs_join(&path, str_of(dir), str_of(name));
	x = extracted(buf_cstr(&path));
	save(x, &whole);
	for (size_t step = 1; step <= 16; step = step * 2 + 1) {
		y = extract_new();
		open_reading(&r, buf_cstr(&path));
		do {
			more = feed(&r, y, NULL, step);
			save(y, &part);
			extract_free(y);
			y = extract_load(buf_str(&part), &e);
			assert_non_null(y);
		} while (more);
		close_reading(&r);
		save(y, &part);
		assert_str(buf_str(&part), buf_str(&whole));
		extract_free(y);
	}
	extract_free(x);
	buf_release(&path);
	buf_release(&whole);
	buf_release(&part);
	return 0;
}

static void test_extract__saved_between_any_records_it_goes_on_the_same(void **state)
{
	struct err e = ERR_INIT;
	int files = 0;

	(void)state;
	assert_int_equal(fs_each(FIXTURES, check_cuts, &files, &e), 0);
	assert_true(files > 100);
}

static void test_extract__a_record_seen_before_saving_is_not_counted_again(void **state)
{
	struct buf text = BUF_INIT(SIZE_MAX);
	struct err e = ERR_INIT;
	struct extract *x, *y;
	struct reading r;

	(void)state;
	start();
	ran("make lamp", "ok", false);
	facts();
	x = current;
	save(x, &text);
	y = extract_load(buf_str(&text), &e);
	assert_non_null(y);
	open_reading(&r, test_path("t.jsonl"));
	feed(&r, y, NULL, SIZE_MAX);
	close_reading(&r);
	assert_int_equal(command(extract_facts(y, NULL, CLOCK_NONE), "make lamp")->count,
			 1);
	extract_free(y);
	buf_release(&text);
	free_facts();
}

static void test_extract__a_damaged_state_is_refused(void **state)
{
	struct buf text = BUF_INIT(SIZE_MAX);
	struct extract *x = extracted(FIXTURES "/ask-user.jsonl"), *y;
	str all;

	(void)state;
	save(x, &text);
	all = buf_str(&text);
	for (size_t cut = 0; cut < all.n;
	     cut += cut < 300 || all.n - cut < 300 ? 1 : 97) {
		struct err e = ERR_INIT;

		assert_null(extract_load(str_head(all, cut), &e));
		assert_int_equal(e.code, HF_EFORMAT);
	}
	for (size_t at = 0; at < all.n; at += 61) {
		struct err e = ERR_INIT;

		text.p[at] ^= 4;
		y = extract_load(all, &e);
		assert_null(y);
		assert_int_equal(e.code, HF_EFORMAT);
		text.p[at] ^= 4;
	}
	buf_release(&text);
	extract_free(x);
}

static void test_extract__the_same_file_gives_the_same_bytes(void **state)
{
	struct buf a = BUF_INIT(SIZE_MAX), b = BUF_INIT(SIZE_MAX);
	struct extract *x = extracted(FIXTURES "/many-blocks.jsonl");
	struct extract *y = extracted(FIXTURES "/many-blocks.jsonl");

	(void)state;
	save(x, &a);
	save(y, &b);
	assert_str(buf_str(&a), buf_str(&b));
	extract_free(x);
	extract_free(y);
	buf_release(&a);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extract__prompts_have_a_kind_and_a_record),
		cmocka_unit_test(
			test_extract__a_command_to_the_client_leaves_what_was_answered),
		cmocka_unit_test(test_extract__words_said_twice_in_a_row_are_one_prompt),
		cmocka_unit_test(test_extract__a_short_answer_keeps_the_question),
		cmocka_unit_test(
			test_extract__a_pick_keeps_the_question_and_what_it_takes),
		cmocka_unit_test(test_extract__interrupts_and_refusals_are_the_users),
		cmocka_unit_test(test_extract__an_interrupt_knows_what_was_open),
		cmocka_unit_test(test_extract__a_monitor_that_timed_out_has_ended),
		cmocka_unit_test(
			test_extract__the_commits_of_a_push_are_no_subject_of_a_finding),
		cmocka_unit_test(
			test_extract__a_windows_path_is_one_however_its_slashes_lean),
		cmocka_unit_test(
			test_extract__a_call_before_a_prompt_from_the_queue_is_lost),
		cmocka_unit_test(
			test_extract__what_is_settled_is_a_verdict_what_is_offered_none),
		cmocka_unit_test(
			test_extract__what_is_settled_while_the_model_works_comes_with_what_reached_it),
		cmocka_unit_test(test_extract__who_gives_in_chooses_what_is_done_now),
		cmocka_unit_test(test_extract__sentences_keep_their_text_and_place),
		cmocka_unit_test(test_extract__thinking_gives_thoughts_and_the_last_one),
		cmocka_unit_test(test_extract__an_api_error_is_no_text_of_the_model),
		cmocka_unit_test(test_extract__edits_count_lines_and_names),
		cmocka_unit_test(test_extract__all_editing_tools_are_edits),
		cmocka_unit_test(test_extract__edits_are_in_order_of_the_last_one),
		cmocka_unit_test(test_extract__reads_give_names_and_a_label),
		cmocka_unit_test(
			test_extract__paths_are_shown_relative_to_the_first_folder),
		cmocka_unit_test(
			test_extract__commands_count_runs_and_keep_the_newest_outcome),
		cmocka_unit_test(
			test_extract__an_error_knows_its_diagnosis_and_its_repair),
		cmocka_unit_test(test_extract__status_and_echo_do_not_deceive),
		cmocka_unit_test(
			test_extract__git_is_read_from_output_and_from_the_client),
		cmocka_unit_test(test_extract__files_read_by_commands_are_known),
		cmocka_unit_test(test_extract__files_changed_by_commands_are_known),
		cmocka_unit_test(test_extract__status_and_log_tell_where_git_is),
		cmocka_unit_test(test_extract__what_git_calls_unchanged_is_known),
		cmocka_unit_test(test_extract__a_list_of_git_commands_is_read_one_by_one),
		cmocka_unit_test(
			test_extract__git_in_another_folder_says_nothing_of_this_one),
		cmocka_unit_test(test_extract__a_command_cut_at_every_byte_is_read),
		cmocka_unit_test(test_extract__a_quiet_commit_is_known_by_its_message),
		cmocka_unit_test(test_extract__open_calls_are_those_without_a_result),
		cmocka_unit_test(test_extract__a_call_before_the_last_prompt_is_not_open),
		cmocka_unit_test(test_extract__a_stop_hook_after_an_answer_is_noted),
		cmocka_unit_test(test_extract__the_oldest_form_of_a_result_is_one),
		cmocka_unit_test(test_extract__answers_notes_and_own_words),
		cmocka_unit_test(test_extract__todos_of_every_client),
		cmocka_unit_test(test_extract__agents_under_any_name),
		cmocka_unit_test(
			test_extract__background_work_runs_until_it_is_told_to_have_ended),
		cmocka_unit_test(test_extract__the_plan_is_the_newest_one),
		cmocka_unit_test(test_extract__a_compaction_leaves_its_summary),
		cmocka_unit_test(test_extract__titles_by_rank),
		cmocka_unit_test(
			test_extract__foreign_records_and_side_chains_are_not_the_session),
		cmocka_unit_test(test_extract__a_sub_agents_own_file_is_read),
		cmocka_unit_test(
			test_extract__waits_are_over_a_minute_and_the_longest_stay),
		cmocka_unit_test(test_extract__a_task_is_known_by_its_words_alone),
		cmocka_unit_test(
			test_extract__a_background_task_ends_when_it_is_asked_or_stopped),
		cmocka_unit_test(test_extract__blocked_commands_name_the_rule),
		cmocka_unit_test(test_extract__messages_in_here_documents_have_a_subject),
		cmocka_unit_test(
			test_extract__words_after_an_editors_note_are_the_prompt),
		cmocka_unit_test(
			test_extract__when_the_last_text_was_abandoned_the_one_before_stands),
		cmocka_unit_test(
			test_extract__a_call_left_behind_stays_until_something_tells),
		cmocka_unit_test(test_extract__of_a_call_left_behind_all_is_known),
		cmocka_unit_test(test_extract__an_open_shell_call_is_told_whole),
		cmocka_unit_test(
			test_extract__an_order_to_write_that_nothing_followed_is_unmet),
		cmocka_unit_test(
			test_extract__files_without_an_ending_and_patched_ones_are_known),
		cmocka_unit_test(
			test_extract__only_what_is_to_be_written_is_an_order_to_write),
		cmocka_unit_test(test_extract__a_finding_never_named_again_is_unfollowed),
		cmocka_unit_test(test_extract__abandoned_branches_are_left_out),
		cmocka_unit_test(test_extract__the_same_prompt_on_the_live_branch_stays),
		cmocka_unit_test(test_extract__since_leaves_out_what_was_before),
		cmocka_unit_test(test_extract__no_secret_of_the_fixtures_is_kept),
		cmocka_unit_test(test_extract__no_field_lets_a_secret_in),
		cmocka_unit_test(
			test_extract__a_quiet_output_is_redacted_once_it_is_wanted),
		cmocka_unit_test(
			test_extract__a_key_at_the_cut_of_a_long_text_is_not_kept),
		cmocka_unit_test(test_extract__floods_are_bounded_and_the_ends_stay),
		cmocka_unit_test(test_extract__hostile_sizes_stay_within_the_memory),
		cmocka_unit_test(
			test_extract__saved_between_any_records_it_goes_on_the_same),
		cmocka_unit_test(
			test_extract__a_record_seen_before_saving_is_not_counted_again),
		cmocka_unit_test(test_extract__a_damaged_state_is_refused),
		cmocka_unit_test(test_extract__the_same_file_gives_the_same_bytes),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_release(&made);
	return failed;
}
