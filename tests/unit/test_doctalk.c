#include "fault.h"

#include "alldoc.h"
#include "work/dochazard.h"
#include "work/doctalk.h"

static struct facts base(void)
{
	return (struct facts){.records = 100,
			      .last_at = 1770920402000,
			      .dir = STR("/home/dev/lantern")};
}

static const char *context(struct facts *f, struct doc *d)
{
	struct doctask t;

	doctask_find(f, &t);
	doc_init(d, f);
	dochazard_stated(d, NULL, 0);
	doctalk_lines(d, &t);
	return alldoc(d, DOC_CONTEXT);
}

static void test_doctalk__answers_are_grouped_and_steering_ones_left_out(void **state)
{
	struct fact_answer a[] = {
		{.record = 2,
		 .header = STR("Curve"),
		 .answer = STR("Smooth"),
		 .description = STR("One percent a minute")},
		{.record = 3, .header = STR("Light"), .answer = STR("Lamp")},
		{.record = 4, .header = STR("Area"), .answer = STR("Next area")},
		{.record = 5, .header = STR("Time"), .answer = STR("22:30"), .own = true},
		{.record = 6, .header = STR("Colour"), .answer = STR("You decide")},
		{.record = 7, .header = STR("Shape"), .answer = STR("You decide")},
	};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.answer = a;
	f.nanswer = 6;
	assert_string_equal(context(&f, &d),
			    "**Answers to questions:**\n"
			    "- Curve \xe2\x86\x92 \"Smooth\" (\"One percent a minute\")\n"
			    "- Light \xe2\x86\x92 \"Lamp\"; Time \xe2\x86\x92 \"22:30\"\n"
			    "- \"You decide\": Colour, Shape\n");
	doc_release(&d);
}

static void test_doctalk__what_goal_and_hazards_quote_is_not_said_again(void **state)
{
	struct fact_prompt p[] = {
		{.record = 1, .kind = FACT_PROMPT, .text = STR("dim the lamp at night")},
		{.record = 3, .kind = FACT_PROMPT, .text = STR("do not touch the cache")},
		{.record = 5,
		 .kind = FACT_PROMPT,
		 .text = STR("the hall comes first"),
		 .after_interrupt = true},
		{.record = 7,
		 .kind = FACT_PROMPT,
		 .text = STR("yes"),
		 .asked = STR("Shall I flash it?")},
		{.record = 8, .kind = FACT_PROMPT, .text = STR("ok")},
		{.record = 9, .kind = FACT_PROMPT, .text = STR("now the clock")},
		{.record = 11, .kind = FACT_PROMPT, .text = STR("and the stairs")},
	};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.prompt = p;
	f.nprompt = 7;
	assert_string_equal(context(&f, &d),
			    "**The user's words, in order:**\n"
			    "- After an interrupt: \"the hall comes first\"\n"
			    "- Asked \"Shall I flash it?\": \"yes\"\n");
	doc_release(&d);
}

static void test_doctalk__a_long_prompt_comes_in_pieces_cut_at_borders(void **state)
{
	struct fact_prompt p[] = {
		{.record = 1, .kind = FACT_PROMPT, .text = STR("first")},
		{.record = 2, .kind = FACT_PROMPT},
		{.record = 3, .kind = FACT_PROMPT, .text = STR("before the last")},
		{.record = 4, .kind = FACT_PROMPT, .text = STR("dim the last")},
	};
	struct buf text = BUF_INIT(1u << 16);
	struct facts f = base();
	const struct doc_line *l;
	const struct doc_unit *u;
	struct doc d;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < 60; i++)
		buf_printf(&text, "Lamp \xc3\xa4%zu is far too bright in the hall. ", i);
	p[1].text = buf_str(&text);
	f.prompt = p;
	f.nprompt = 4;
	context(&f, &d);
	for (l = d.first; l; l = l->next)
		if (l->section == DOC_CONTEXT)
			for (u = l->first; u; u = u->next, n++)
				assert_true(u->text.n <= 260 &&
					    u->text.p[u->text.n - 1] == '.');
	assert_true(n >= 5);
	doc_release(&d);
	buf_release(&text);
}

static void test_doctalk__errors_hang_together_with_their_fix(void **state)
{
	struct fact_error e[] = {
		{.record = 10,
		 .command = STR("make check"),
		 .family = STR("make check"),
		 .line = {STR("dim.c:12: error: no lamp")},
		 .nlines = 1,
		 .diagnosis = {STR("The lamp is declared too late.")},
		 .diagnosis_record = 11,
		 .edited = {STR("/home/dev/lantern/src/dim.c")},
		 .nedited = 1,
		 .fixed = 20,
		 .hard = true},
		{.record = 30,
		 .command = STR("ls build"),
		 .family = STR("ls"),
		 .line = {STR("=== nothing ===")},
		 .nlines = 1,
		 .hard = true,
		 .tool = true},
	};
	struct fact_sentence s[] = {{.record = 11,
				     .text_id = 1,
				     .k = 0,
				     .of = 1,
				     .value = 4,
				     .text = STR("The lamp is declared too late.")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.error = e;
	f.nerror = 2;
	f.sentence = s;
	f.nsentence = 1;
	assert_string_equal(
		context(&f, &d),
		"**Errors, and what became of them:**\n"
		"- `make check`: \"dim.c:12: error: no lamp\" \xe2\x86\x92 \"The lamp is declared too late.\" "
		"\xe2\x86\x92 edited `dim.c`; passed later.\n");
	doc_release(&d);
}

static void
test_doctalk__sentences_of_a_text_stand_on_one_line_without_tables(void **state)
{
	struct fact_sentence s[] = {
		{.record = 5,
		 .text_id = 1,
		 .k = 0,
		 .of = 4,
		 .value = 3,
		 .text = STR("- The retry loop never stops because the timer is reset.")},
		{.record = 5,
		 .text_id = 1,
		 .k = 1,
		 .of = 4,
		 .value = 3,
		 .text = STR("lamp | on | off")},
		{.record = 5,
		 .text_id = 1,
		 .k = 2,
		 .of = 4,
		 .value = 1,
		 .text = STR("Let me look.")},
		{.record = 5,
		 .text_id = 1,
		 .k = 3,
		 .of = 4,
		 .value = 2,
		 .text = STR("So the cap goes to three.")},
		{.record = 8,
		 .text_id = 2,
		 .k = 0,
		 .of = 1,
		 .value = 3,
		 .text = STR("The retry loop never stops because the timer is reset.")},
	};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.sentence = s;
	f.nsentence = 5;
	assert_string_equal(
		context(&f, &d),
		"**Said by the assistant, in order (claims, not results):**\n"
		"- \"The retry loop never stops because the timer is reset. … So the cap goes to three.\"\n");
	doc_release(&d);
}

static void test_doctalk__the_summary_adds_only_what_the_records_do_not_hold(void **state)
{
	struct fact_prompt p[] = {{.record = 1,
				   .kind = FACT_PROMPT,
				   .text = STR("dim the lamp in the hall at night")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.prompt = p;
	f.nprompt = 1;
	f.summary_record = 50;
	f.summary = STR(
		"Summary:\n4. Errors and fixes:\n   - **Loose wire**: the red wire was loose, screwed it down\n"
		"   - the lamp in the hall was dimmed at night\n6. All user messages:\n- (Then events of the client followed, which are no words of the user)\n   - \"dim the lamp in the hall at night\"\n   - \"use the old lamp\"\n");
	assert_string_equal(
		context(&f, &d),
		"**Only in the compaction summary:**\n"
		"- The user earlier: \"\"use the old lamp\"\"\n"
		"- \"Loose wire: the red wire was loose, screwed it down\"\n");
	doc_release(&d);
}

static void test_doctalk__a_thought_that_was_taken_back_is_not_told(void **state)
{
	struct fact_sentence s[] = {
		{.record = 5,
		 .value = 6,
		 .text = STR(
			 "A default parameter breaks the rule of the lamp, so it must go.")},
		{.record = 7,
		 .value = 6,
		 .text = STR(
			 "Looking closer, a default parameter actually follows the lamp's rule.")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.thought = s;
	f.nthought = 2;
	assert_null(strstr(context(&f, &d), "it must go"));
	assert_non_null(strstr(alldoc(&d, DOC_CONTEXT), "follows the lamp's rule"));
	doc_release(&d);
	s[1].record = 70; /* long after it is another matter */
	assert_non_null(strstr(context(&f, &d), "it must go"));
	doc_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_doctalk__answers_are_grouped_and_steering_ones_left_out),
		cmocka_unit_test(
			test_doctalk__what_goal_and_hazards_quote_is_not_said_again),
		cmocka_unit_test(
			test_doctalk__a_long_prompt_comes_in_pieces_cut_at_borders),
		cmocka_unit_test(test_doctalk__errors_hang_together_with_their_fix),
		cmocka_unit_test(
			test_doctalk__sentences_of_a_text_stand_on_one_line_without_tables),
		cmocka_unit_test(test_doctalk__a_thought_that_was_taken_back_is_not_told),
		cmocka_unit_test(
			test_doctalk__the_summary_adds_only_what_the_records_do_not_hold),
	};

	return cmocka_run_group_tests_name("doctalk", tests, NULL, NULL);
}
