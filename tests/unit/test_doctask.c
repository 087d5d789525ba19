#include "fault.h"

#include "alldoc.h"
#include "work/doctask.h"

#define PROMPT(n, words)                                                                 \
	(struct fact_prompt)                                                             \
	{                                                                                \
		.record = (n), .kind = FACT_PROMPT, .text = STR(words)                   \
	}

static struct facts facts_of(struct fact_prompt *p, size_t n)
{
	return (struct facts){.records = 100,
			      .last_at = 1770920402000,
			      .dir = STR("/home/dev/lantern"),
			      .prompt = p,
			      .nprompt = n};
}

static void test_doctask__fillers_and_client_commands_are_no_request(void **state)
{
	struct fact_prompt p[] = {
		PROMPT(1, "dim the lamp"),
		PROMPT(5, "cap the retries at three"),
		PROMPT(9, "yes"),
		{.record = 12, .kind = FACT_SLASH, .text = STR("/compact")},
		{.record = 13, .kind = FACT_BANG, .text = STR("! ls")},
		{.record = 14,
		 .kind = FACT_EVENT,
		 .text = STR("<ci-event>red</ci-event>")},
		PROMPT(15, "/model"),
	};
	struct facts f = facts_of(p, 7);
	struct doctask t;

	(void)state;
	doctask_find(&f, &t);
	assert_ptr_equal(t.last, &p[1]);
	assert_ptr_equal(t.before, &p[0]);
	assert_ptr_equal(t.first, &p[0]);
	assert_false(t.answered);
}

static void test_doctask__a_request_is_answered_by_a_text_with_no_call_open(void **state)
{
	struct fact_prompt p[] = {PROMPT(1, "dim the lamp at night")};
	struct fact_call call = {
		.record = 30, .name = STR("Bash"), .label = STR("make flash")};
	struct facts f = facts_of(p, 1);
	struct doctask t;

	(void)state;
	f.last = FACT_LAST_TEXT;
	f.last_text_record = 20;
	doctask_find(&f, &t);
	assert_true(t.answered);
	f.open = &call;
	f.nopen = 1;
	doctask_find(&f, &t);
	assert_false(t.answered);
}

/* Goal and Next of some prompts after a text that asked; for the next call. */
static void answered(struct doc *d, struct fact_prompt *p, size_t n, uint64_t text_record,
		     const char *text)
{
	static struct facts f;
	struct doctask t;

	f = facts_of(p, n);
	f.last_text = str_of(text);
	f.last_text_record = text_record;
	f.last = p[n - 1].record > text_record ? FACT_LAST_PROMPT : FACT_LAST_TEXT;
	doctask_find(&f, &t);
	doc_init(d, &f);
	doctask_goal(d, &t, true);
	doctask_next(d, &t, NULL, 0);
}

static void test_doctask__an_answered_question_is_not_asked_again(void **state)
{
	struct fact_prompt p[] = {PROMPT(1, "fix the lamp in dim.c"), PROMPT(20, "yes")};
	struct doc d;

	(void)state;
	p[1].asked = STR("Shall I push to origin now?");
	answered(&d, p, 1, 10, "The lamp is fixed at last. Shall I push to origin now?");
	assert_true(
		alldoc_has(&d, DOC_NEXT,
			   "1. Asked and unanswered: \"Shall I push to origin now?\"\n"));
	doc_release(&d);
	answered(&d, p, 2, 10, "The lamp is fixed at last. Shall I push to origin now?");
	assert_false(alldoc_has(&d, DOC_NEXT, "unanswered"));
	assert_true(alldoc_has(
		&d, DOC_NEXT,
		"1. Go on from the answer \"yes\" to \"Shall I push to origin now?\".\n"));
	assert_string_equal(
		alldoc(&d, DOC_GOAL),
		"Open request: \"fix the lamp in dim.c\"\n"
		"Answered since: \"yes\" to \"Shall I push to origin now?\"\n");
	doc_release(&d);
	/* what was answered is under way: nothing to go on from */
	answered(&d, p, 2, 30, "Pushed.");
	assert_false(alldoc_has(&d, DOC_NEXT, "Go on from"));
	assert_true(alldoc_has(&d, DOC_GOAL, "Last request, answered (see Next): "));
	doc_release(&d);
	answered(&d, p, 2, 30, "もう一度やりますか？");
	assert_true(alldoc_has(&d, DOC_NEXT, "1. Asked and unanswered: \"もう"));
	doc_release(&d);
}

static void test_doctask__short_answers_are_no_requests(void **state)
{
	static const char *const answers[] = {
		"2",          "a",        "b)",      "the second one", "nein",
		"go on then", "option 2", "1 and 3", "继续吧"};
	struct fact_prompt p[] = {PROMPT(1, "pick a cache for the lamp"), PROMPT(20, "2"),
				  PROMPT(30, "flash it")};
	struct doctask t;
	struct facts f;
	struct doc d;

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		p[1].text = str_of(answers[i]);
		f = facts_of(p, 2);
		doctask_find(&f, &t);
		if (t.last != &p[0] || t.reply != &p[1] || t.typed != 20)
			fail_msg("%s", answers[i]);
	}
	/* a name is an answer only where something was asked */
	p[1].text = STR("redis, please");
	doctask_find(&f, &t);
	assert_ptr_equal(t.last, &p[1]);
	p[1].asked = STR("Which one? … 2. Redis");
	doctask_find(&f, &t);
	assert_ptr_equal(t.last, &p[0]);
	answered(&d, p, 2, 10, "Which one?");
	assert_true(alldoc_has(
		&d, DOC_GOAL,
		"Answered since: \"redis, please\" to \"Which one? … 2. Redis\""));
	doc_release(&d);
	/* a new request ends it */
	f = facts_of(p, 3);
	doctask_find(&f, &t);
	assert_ptr_equal(t.last, &p[2]);
	assert_null(t.reply);
	/* and alone it is all that there is */
	p[1].asked = STR_NONE;
	p[1].text = STR("2");
	f = facts_of(p + 1, 1);
	doctask_find(&f, &t);
	assert_ptr_equal(t.last, &p[1]);
}

static void test_doctask__a_paste_alone_is_quoted_as_one(void **state)
{
	struct buf text = BUF_INIT(1 << 16);
	struct fact_prompt p = {.record = 1, .kind = FACT_PROMPT};
	struct doc d;

	(void)state;
	for (int i = 10; i < 60; i++)
		buf_printf(&text, "10:00:%d lamp[7]: level %d\n", i, i);
	p.text = buf_str(&text);
	answered(&d, &p, 1, 0, "");
	assert_true(alldoc_has(
		&d, DOC_GOAL,
		"Open request: 50 pasted lines: \"10:00:10 lamp[7]: level 10"));
	assert_true(alldoc_has(&d, DOC_GOAL, "level 59\"\n"));
	doc_release(&d);
	buf_add(&text, STR("why does it stop?"));
	p.text = buf_str(&text);
	answered(&d, &p, 1, 0, "");
	assert_string_equal(
		alldoc(&d, DOC_GOAL),
		"Open request: \"why does it stop?\" (and 50 pasted lines)\n");
	doc_release(&d);
	buf_release(&text);
}

static void test_doctask__a_long_request_keeps_both_its_ends(void **state)
{
	char text[4001];
	struct fact_prompt p = {.record = 1, .kind = FACT_PROMPT};
	struct facts f;
	struct doctask t;
	struct doc d;
	size_t i;

	(void)state;
	for (i = 0; i < 4000; i++)
		text[i] = i % 6 == 5 ? ' ' : 'w';
	memcpy(text, "BEGIN", 5);
	memcpy(text + 3995, "ENDED", 5);
	p.text = (str){text, 4000};
	f = facts_of(&p, 1);
	doctask_find(&f, &t);
	doc_init(&d, &f);
	doctask_goal(&d, &t, true);
	assert_true(alldoc_has(&d, DOC_GOAL, "Open request: \"BEGIN"));
	assert_true(alldoc_has(&d, DOC_GOAL, "ENDED\"\n"));
	assert_true(strlen(alldoc(&d, DOC_GOAL)) < 1200);
	doc_release(&d);
}

static void test_doctask__a_plan_is_quoted_by_its_heading_and_its_reason(void **state)
{
	struct fact_prompt p[] = {
		PROMPT(3, "Implement the following plan:\n\n# Dim the lamp\n...")};
	struct facts f = facts_of(p, 1);
	struct buf title = BUF_INIT(4096);
	struct doctask t;
	struct doc d;

	(void)state;
	f.plan = STR(
		"# Dim the lamp\n\n## Context\nThe lamp is **far too bright** at night.\n\n## Steps\n- one\n");
	f.plan_record = 3;
	doctask_find(&f, &t);
	doc_init(&d, &f);
	doctask_goal(&d, &t, true);
	assert_string_equal(
		alldoc(&d, DOC_GOAL),
		"Open request: the approved plan \"Dim the lamp\": \"The lamp is far too bright at night.\"\n");
	doctask_title(&d, &t, 100, &title);
	assert_str(buf_str(&title), STR("Dim the lamp"));
	buf_release(&title);
	doc_release(&d);
}

static void test_doctask__done_lists_records_only(void **state)
{
	struct fact_commit c[] = {
		{.record = 40, .sha = STR("9feff38"), .subject = STR("dim: in steps")},
		{.record = 50, .subject = STR("no \"sha\" known")}};
	struct fact_name names[] = {{.text = STR("dim_step"), .weight = 3},
				    {.text = STR("zz"), .weight = 9}};
	struct fact_edit e = {.first = 10,
			      .last = 20,
			      .path = STR("/home/dev/lantern/src/dim.c"),
			      .count = 2,
			      .plus = 5,
			      .minus = 1,
			      .created = true,
			      .name = names,
			      .nnames = 2};
	struct fact_agent g = {
		.record = 60,
		.id = STR("a1"),
		.description = STR("Check the wires"),
		.result = STR("[Tool: Read] {\"file_path\":\"wires.md\"}\n\n| a | b |\n"
			      "- `wire_red(1);`\n- `{`\n"
			      "The red wire is loose because the screw is missing.\n")};
	struct facts f = facts_of(NULL, 0);
	struct doc d;

	(void)state;
	f.commit = c;
	f.ncommit = 2;
	f.edit = &e;
	f.nedit = 1;
	f.agent = &g;
	f.nagent = 1;
	doc_init(&d, &f);
	doctask_done(&d);
	assert_string_equal(
		alldoc(&d, DOC_DONE),
		"- Commit `9feff38` \"dim: in steps\"\n- Commit \"no \"sha\" known\"\n"
		"- `src/dim.c` (new, 2 edits, +5 \xe2\x88\x92"
		"1): `dim_step`\n"
		"- Agent \"Check the wires\" reported: \"The red wire is loose because the screw is missing.\"\n");
	doc_release(&d);
}

static void test_doctask__the_keys_of_a_notebook_are_no_names(void **state)
{
	struct fact_name names[] = {{.text = STR("cell_type"), .weight = 5},
				    {.text = STR("execution_count"), .weight = 5},
				    {.text = STR("dim_step"), .weight = 3}};
	struct fact_edit e[] = {{.last = 20,
				 .path = STR("/home/dev/lantern/dim.ipynb"),
				 .count = 1,
				 .name = names,
				 .nnames = 3},
				{.last = 30,
				 .path = STR("/home/dev/lantern/reader.py"),
				 .count = 1,
				 .name = names,
				 .nnames = 1}};
	struct facts f = facts_of(NULL, 0);
	struct doc d;

	(void)state;
	f.edit = e;
	f.nedit = 2;
	doc_init(&d, &f);
	doctask_done(&d);
	assert_string_equal(alldoc(&d, DOC_DONE),
			    "- `dim.ipynb` (1 edit): `dim_step`\n"
			    "- `reader.py` (1 edit): `cell_type`\n");
	doc_release(&d);
}

static void test_doctask__next_begins_with_the_uncertain_call(void **state)
{
	struct fact_prompt p[] = {PROMPT(1, "dim the lamp at night")};
	struct fact_call open[] = {
		{.record = 70, .name = STR("Bash"), .label = STR("git diff")},
		{.record = 71, .name = STR("Bash"), .label = STR("make flash")}};
	struct fact_todo todo[] = {
		{.subject = STR("Check the clock"), .status = STR("pending")},
		{.subject = STR("Dim in steps"), .status = STR("completed")},
		{.subject = STR("Wire it"), .status = STR("in_progress")}};
	struct facts f = facts_of(p, 1);
	struct doctask t;
	struct doc d;

	(void)state;
	f.open = open;
	f.nopen = 2;
	f.last = FACT_LAST_CALL;
	f.last_text = STR("All of the steps are in now. Shall I flash it?");
	f.last_text_record = 60;
	doctask_find(&f, &t);
	doc_init(&d, &f);
	doctask_next(&d, &t, todo, 3);
	assert_string_equal(
		alldoc(&d, DOC_NEXT),
		"1. Without a result, and harmless to repeat: `git diff`\n"
		"2. Find out whether this call ran before repeating it: `make flash`\n"
		"3. Carry out the open request (Goal).\n"
		"4. Todo, in progress: \"Wire it\"\n"
		"5. Todo: \"Check the clock\"\n"
		"6. Asked and unanswered: \"Shall I flash it?\"\n"
		"- Last words before the end: \"All of the steps are in now.\"\n");
	assert_string_equal(alldoc(&d, DOC_DONE),
			    "- Todos completed: \"Dim in steps\"\n");
	doc_release(&d);
}

/* Whatever is left out between the words of a quote is marked; a question at the end is found behind any number of them. */
static void test_doctask__holes_in_the_last_words_are_marked(void **state)
{
	struct fact_agent agent = {
		.record = 9,
		.description = STR("Look at the lamp"),
		.result = STR("The lamp failed because the wick is wet. Hello there. "
			      "It is a lamp. I decided to dry the wick first. "
			      "The root cause is the rain, not the wick.")};
	struct facts f = facts_of(NULL, 0);
	struct buf text = BUF_INIT(1u << 16);
	struct doctask t = {NULL};
	struct doc d;

	(void)state;
	f.last = FACT_LAST_TEXT;
	f.last_text_record = 20;
	f.agent = &agent;
	f.nagent = 1;
	f.last_text = STR("The lamp is dim.\n\n```\ncode\n```\n\nThe hall is dark.\n"
			  "| lamp | dim |\nThe door is open.");
	doc_init(&d, &f);
	doctask_next(&d, &t, NULL, 0);
	doctask_done(&d);
	assert_string_equal(
		alldoc(&d, DOC_NEXT),
		"- Last words before the end: \"The lamp is dim. … The hall is dark. … "
		"The door is open.\"\n");
	assert_string_equal(
		alldoc(&d, DOC_DONE),
		"- Agent \"Look at the lamp\" reported: \"The lamp failed because the wick is wet. … "
		"I decided to dry the wick first. The root cause is the rain, not the wick.\"\n");
	doc_release(&d);
	for (int i = 0; i < 200; i++)
		buf_printf(&text, "- Lamp number %d is dim\n", i);
	buf_add(&text, STR("Shall I flash it?"));
	f.last_text = buf_str(&text);
	doc_init(&d, &f);
	doctask_next(&d, &t, NULL, 0);
	assert_non_null(strstr(alldoc(&d, DOC_NEXT),
			       "1. Asked and unanswered: \"Shall I flash it?\"\n"));
	assert_non_null(strstr(alldoc(&d, DOC_NEXT), "Lamp number 199 is dim"));
	doc_release(&d);
	buf_release(&text);
}

static void test_doctask__what_came_after_a_summary_lies_over_its_list(void **state)
{
	struct fact_todo todo = {.record = 40,
				 .subject = STR("Create brass lamp drawings in pencil"),
				 .status = STR("completed")};
	struct fact_edit e = {.first = 50,
			      .last = 50,
			      .path = STR("/home/dev/lantern/wick.c"),
			      .count = 1};
	struct fact_prompt asked = PROMPT(20, "why is the wick of the lamp wet?");
	struct facts f = {.records = 60, .dir = STR("/home/dev/lantern")};
	struct doctask t = {NULL};
	struct doc d;

	(void)state;
	f.prompt = &asked;
	f.nprompt = 1;
	f.last_text_record = 25;
	f.summary = STR("8. Pending Tasks:\n"
			"   - The brass lamp drawings in pencil were not created\n"
			"   - The question about the wick was answered\n"
			"   - The user asked: \"why is the wick of the lamp wet?\"\n"
			"   - No next step: the task is complete\n"
			"   - Trim the flame in wick.c\n"
			"   - Polish the glass of the lantern\n");
	f.summary_record = 30;
	f.edit = &e;
	f.nedit = 1;
	doc_init(&d, &f);
	doctask_next(&d, &t, &todo, 1);
	assert_string_equal(
		alldoc(&d, DOC_NEXT),
		"- Pending, by the compaction summary: \"The brass lamp drawings in pencil were not created\" "
		"(since then the todo \"Create brass lamp drawings in pencil\" was completed)\n"
		"- Pending, by the compaction summary: \"Trim the flame in wick.c\" (since then `wick.c` was edited)\n"
		"- Pending, by the compaction summary: \"Polish the glass of the lantern\"\n");
	doc_release(&d);
}

static void test_doctask__a_call_without_a_name_is_not_called_harmless(void **state)
{
	struct fact_call c = {.record = 5, .label = STR("toolu_1")};
	struct facts f = {.records = 6, .open = &c, .nopen = 1};
	struct doctask t = {NULL};
	struct doc d;

	(void)state;
	doc_init(&d, &f);
	doctask_next(&d, &t, NULL, 0);
	assert_null(strstr(alldoc(&d, DOC_NEXT), "harmless"));
	assert_null(strstr(alldoc(&d, DOC_NEXT), "Carry out"));
	doc_release(&d);
}

static void test_doctask__without_a_title_it_is_the_first_request(void **state)
{
	struct fact_prompt p[] = {
		PROMPT(1, "dim the lamp slowly in the night, in src/dim.c"),
		PROMPT(5, "yes but do it in the hall as well, and soon"),
		PROMPT(9, "commit this")};
	struct facts f = facts_of(p, 3);
	struct buf b = BUF_INIT(4096);
	struct doctask t;
	struct doc d;

	(void)state;
	doctask_find(&f, &t);
	doc_init(&d, &f);
	doctask_title(&d, &t, 100, &b);
	assert_str(buf_str(&b), STR("dim the lamp slowly in the night, in src/dim.c"));
	f.title = STR("Night\nlamp");
	buf_reset(&b);
	doctask_title(&d, &t, 100, &b);
	assert_str(buf_str(&b), STR("Night lamp"));
	doc_release(&d);
	buf_release(&b);
}

static void test_doctask__what_shell_commands_changed_is_done(void **state)
{
	struct fact_shelled s[] = {{.record = 12,
				    .path = STR("/home/dev/lantern/a.json"),
				    .how = STR("perl -i")},
				   {.record = 13,
				    .path = STR("/home/dev/lantern/b.json"),
				    .how = STR("git add")}};
	struct fact_commit c = {.record = 14, .sha = STR("9feff38")};
	struct facts f = {.records = 20, .dir = STR("/home/dev/lantern")};
	struct doc d;

	(void)state;
	f.shelled = s;
	f.nshelled = 2;
	doc_init(&d, &f);
	doctask_done(&d);
	assert_string_equal(alldoc(&d, DOC_DONE),
			    "- Changed by shell commands: `a.json` (`perl -i`)\n");
	doc_release(&d);
	f.commit = &c; /* which tells of it */
	f.ncommit = 1;
	doc_init(&d, &f);
	doctask_done(&d);
	assert_null(strstr(alldoc(&d, DOC_DONE), "a.json"));
	doc_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doctask__what_shell_commands_changed_is_done),
		cmocka_unit_test(
			test_doctask__fillers_and_client_commands_are_no_request),
		cmocka_unit_test(
			test_doctask__a_request_is_answered_by_a_text_with_no_call_open),
		cmocka_unit_test(test_doctask__an_answered_question_is_not_asked_again),
		cmocka_unit_test(test_doctask__short_answers_are_no_requests),
		cmocka_unit_test(test_doctask__a_paste_alone_is_quoted_as_one),
		cmocka_unit_test(test_doctask__a_long_request_keeps_both_its_ends),
		cmocka_unit_test(
			test_doctask__a_plan_is_quoted_by_its_heading_and_its_reason),
		cmocka_unit_test(test_doctask__done_lists_records_only),
		cmocka_unit_test(test_doctask__the_keys_of_a_notebook_are_no_names),
		cmocka_unit_test(test_doctask__next_begins_with_the_uncertain_call),
		cmocka_unit_test(test_doctask__holes_in_the_last_words_are_marked),
		cmocka_unit_test(
			test_doctask__what_came_after_a_summary_lies_over_its_list),
		cmocka_unit_test(
			test_doctask__a_call_without_a_name_is_not_called_harmless),
		cmocka_unit_test(test_doctask__without_a_title_it_is_the_first_request),
	};

	return cmocka_run_group_tests_name("doctask", tests, NULL, NULL);
}
