#include "fault.h"

#include "alldoc.h"
#include "work/docgap.h"

static struct facts base(void)
{
	return (struct facts){.records = 100,
			      .last_at = 1770920402000,
			      .dir = STR("/home/dev/lantern")};
}

static void test_docgap__a_check_says_what_it_gave_and_what_came_after(void **state)
{
	struct fact_command c[] = {
		{.record = 20,
		 .at = 1770920300000,
		 .text = STR("make check 2>&1 | tail -5"),
		 .family = STR("make check"),
		 .check = true,
		 .tally = STR("4 passed, 0 failed")},
		{.record = 40,
		 .at = 1770920320000,
		 .text = STR("make lint"),
		 .family = STR("make lint"),
		 .check = true,
		 .failed = true},
		{.record = 41,
		 .at = 1770920320000,
		 .text = STR("make fmt"),
		 .family = STR("make fmt"),
		 .check = true},
		{.record = 42, .text = STR("ls"), .family = STR("ls")}};
	struct fact_error e = {.record = 41,
			       .command = STR("make fmt"),
			       .line = {STR("error: no fmt")},
			       .nlines = 1};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.command = c;
	f.ncommand = 4;
	f.error = &e;
	f.nerror = 1;
	f.last_edit_record = 30;
	f.last_edit_at = 1770920310000;
	doc_init(&d, &f);
	docgap_verify(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_VERIFY),
		"- [ ] `make fmt` failed at 18:18:40\n"
		"- [ ] `make lint` failed at 18:18:40\n"
		"- [ ] `make check`: was \"4 passed, 0 failed\" at 18:18:20; edits came after it (18:18:30)\n");
	doc_release(&d);
}

static void test_docgap__checks_that_a_sub_agent_ran_were_run(void **state)
{
	static const struct docgap_file file = {.since = CLOCK_NONE};
	struct fact_agent g = {.record = 20,
			       .description = STR("Run the fast tests"),
			       .result = STR("114 passed")};
	struct fact_edit e = {
		.first = 5, .last = 10, .path = STR("/home/dev/lantern/a.c")};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.agent = &g;
	f.edit = &e;
	f.nedit = 1;
	f.last_edit_record = 10;
	for (int i = 0; i < 3; i++) {
		static const char *const want[] = {
			"No test, lint or build command was run.", NULL,
			"No test, lint or build command ran after the last edit."};

		f.nagent = i > 0;
		g.record = i == 2 ? 8 : 20;
		doc_init(&d, &f);
		docgap_lines(&d, &file);
		if (want[i])
			assert_non_null(strstr(alldoc(&d, DOC_GAPS), want[i]));
		else
			assert_null(strstr(alldoc(&d, DOC_GAPS), "No test"));
		doc_release(&d);
	}
}

static void test_docgap__commands_of_the_plan_that_never_ran(void **state)
{
	struct fact_command c[] = {
		{.record = 20, .text = STR("make check"), .family = STR("make check")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.plan = STR(
		"# P\n## Steps\n- `make wires`\n## Verification\n- `make check` and `make night` and `LAMP`\n");
	f.command = c;
	f.ncommand = 1;
	doc_init(&d, &f);
	docgap_verify(&d, NULL);
	assert_string_equal(alldoc(&d, DOC_VERIFY),
			    "- [ ] `make night`: the plan asks for it; never run\n");
	doc_release(&d);
}

static void test_docgap__git_is_asked_only_where_it_was_not_read(void **state)
{
	struct fact_commit c = {
		.record = 10, .sha = STR("9feff38"), .subject = STR("dim")};
	struct gitstate git = {.kind = GITSTATE_REPO};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.commit = &c;
	f.ncommit = 1;
	doc_init(&d, &f);
	docgap_verify(&d, &git);
	assert_string_equal(alldoc(&d, DOC_VERIFY), "");
	docgap_verify(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_VERIFY),
		"- [ ] `git log --oneline -1` is `9feff38`, the last commit recorded\n");
	doc_release(&d);
}

static void test_docgap__what_the_plan_wants_to_be_looked_at(void **state)
{
	struct fact_command c = {.record = 2, .text = STR("make fast")};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.command = &c;
	f.ncommand = 1;
	f.plan_record = 4;
	f.plan = STR("# Lamp\n- walk through the hall first\n\n## Verification\n\n"
		     "1. Manual: open the hall, and see `lamp` go out\n"
		     "2. `make night` is clean\n"
		     "3. `make fast` passes\n"
		     "- [ ] The type checker (`ty`) passes on these files\n"
		     "* Look for:\n"
		     "- done\n"
		     "No item: the lamp is looked at by hand\n"
		     "### After that\n- tell the neighbours about it\n");
	doc_init(&d, &f);
	docgap_verify(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_VERIFY),
		"- [ ] `make night`: the plan asks for it; never run\n"
		"- [ ] \"Manual: open the hall, and see `lamp` go out\": the plan asks for it; no record tells\n"
		"- [ ] \"The type checker (`ty`) passes on these files\": the plan asks for it; no record tells\n");
	doc_release(&d);
}

static void test_docgap__an_order_nobody_met_and_a_finding_nobody_took_up(void **state)
{
	struct docgap_file file = {.since = CLOCK_NONE};
	struct fact_name unmet = {.text = STR("notes/log.md"), .record = 5};
	struct fact_finding found = {.record = 9,
				     .text = STR("found 2 issues in 221195b"),
				     .subject = STR("221195b")};
	struct fact_prompt p = {.record = 5,
				.text = STR("append each step to notes/log.md")};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.unmet = &unmet;
	f.nunmet = 1;
	f.unfollowed = &found;
	f.nunfollowed = 1;
	f.prompt = &p;
	f.nprompt = 1;
	doc_init(&d, &f);
	docgap_lines(&d, &file);
	assert_string_equal(
		alldoc(&d, DOC_GAPS),
		"- Ordered to be written, and no call wrote it: `notes/log.md`\n"
		"- \"found 2 issues in 221195b\": nothing later names `221195b`.\n");
	doc_release(&d);
}

static void test_docgap__damage_is_told_with_its_place(void **state)
{
	struct docgap_file file = {.losses = 2,
				   .lost_bytes = 300,
				   .loss_line = 7,
				   .loss_off = 1000,
				   .loss_len = 200,
				   .tail_cut = true,
				   .abandoned = 1,
				   .since = CLOCK_NONE};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.dropped = 3;
	doc_init(&d, &f);
	docgap_lines(&d, &file);
	assert_string_equal(
		alldoc(&d, DOC_GAPS),
		"- 2 pieces of the transcript could not be read, 300 bytes in all; the first is at line 7, bytes 1000 to 1200.\n"
		"- The transcript ends inside a record: what it said is lost.\n"
		"- Left out: 1 branch of the conversation that a rewind left behind.\n"
		"- Left out: 3 facts of rewound branches, or beyond the bounds of memory.\n");
	doc_release(&d);
}

static void test_docgap__records_of_another_program_are_told(void **state)
{
	struct docgap_file file = {.foreign = 3, .since = CLOCK_NONE};
	struct facts f = base();
	struct doc d;

	(void)state;
	doc_init(&d, &f);
	docgap_lines(&d, &file);
	assert_string_equal(alldoc(&d, DOC_GAPS),
			    "- A Codex rollout: its 3 records were not read.\n");
	doc_release(&d);
}

static void test_docgap__an_open_call_has_the_longest_waits_beside_it(void **state)
{
	struct fact_call open = {
		.record = 70, .name = STR("Bash"), .label = STR("make flash")};
	int64_t wait[] = {119000, 746000, 496000, 746200, 169000};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.open = &open;
	f.nopen = 1;
	f.wait = wait;
	f.nwait = 5; /* two of them read 12m26s */
	f.mode = STR("default");
	doc_init(&d, &f);
	docgap_lines(&d, &(struct docgap_file){.since = CLOCK_NONE});
	assert_string_equal(
		alldoc(&d, DOC_GAPS),
		"- The outcome of the open call. Earlier results came up to 2m49s, 8m16s and 12m26s after their calls "
		"(mode `default`), so it may have been waiting for approval.\n");
	doc_release(&d);
}

static void test_docgap__a_file_the_user_named_and_nobody_touched(void **state)
{
	struct fact_prompt p[] = {
		{.record = 3,
		 .kind = FACT_PROMPT,
		 .text = STR(
			 "log each step in docs/steps.md, see src/dim.c and Notes.md and docs/steps.md")}};
	struct fact_read r[] = {
		{.record = 5, .path = STR("/home/dev/lantern/src/dim.c")}};
	struct fact_command c[] = {{.record = 6, .text = STR("cat NOTES.md")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.prompt = p;
	f.nprompt = 1;
	f.read = r;
	f.nread = 1;
	f.command = c;
	f.ncommand = 1;
	doc_init(&d, &f);
	docgap_lines(&d, &(struct docgap_file){.since = CLOCK_NONE});
	assert_string_equal(
		alldoc(&d, DOC_GAPS),
		"- Named by the user, and no call opened or wrote it: `docs/steps.md`\n");
	doc_release(&d);
}

static void test_docgap__verify_asks_for_each_effect_of_an_open_call(void **state)
{
	struct fact_call open = {
		.record = 9,
		.name = STR("Bash"),
		.label = STR(
			"git add a.c; git commit -m \"$(cat <<'EOF' …)\" && git -C /x push 2>&1 "
			"| tail -3; git log -1")};
	struct fact_call lost = {
		.record = 5, .name = STR("Bash"), .label = STR("git stash && git push")};
	struct facts f = {
		.records = 10, .open = &open, .nopen = 1, .lost = &lost, .nlost = 1};
	struct doc d;

	(void)state;
	doc_init(&d, &f);
	docgap_verify(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_VERIFY),
		"- [ ] `git log --oneline -3`: did the call commit?\n"
		"- [ ] `git fetch && git status -sb`: did the call push?\n"
		"- [ ] `git status -s`: did the call stage its files?\n"
		"- [ ] `git stash list`: did the call stash or restore changes?\n");
	doc_release(&d);
}

static void test_docgap__of_a_call_that_was_left_behind_no_record_tells(void **state)
{
	struct fact_call lost[] = {
		{.record = 5, .name = STR("Bash"), .label = STR("make flash")},
		{.record = 6, .name = STR("Bash"), .label = STR("make dim")}};
	static const char *const want[] = {
		"- The outcome of the call that the session went on without: no record answers it.\n",
		"- The outcome of the calls that the session went on without: no record answers them.\n"};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.lost = lost;
	for (f.nlost = 1; f.nlost <= 2; f.nlost++) {
		doc_init(&d, &f);
		docgap_lines(&d, &(struct docgap_file){.since = CLOCK_NONE});
		assert_string_equal(alldoc(&d, DOC_GAPS), want[f.nlost - 1]);
		doc_release(&d);
	}
}

static void test_docgap__an_interrupt_names_what_it_cut_off(void **state)
{
	struct fact_interrupt cut[] = {
		{.record = 3},
		{.record = 5, .text = STR("The wires are lo")},
		{.record = 7, .call = STR("rm -rf build"), .calls = 1},
		{.record = 9, .call = STR("make flash"), .calls = 3}};
	static const struct {
		size_t from, n;
		const char *want;
	} CASE[] = {
		{0, 1,
		 "- The user interrupted 1 time; what was cut off there is not recorded.\n"},
		{2, 1,
		 "- The user interrupted 1 time; stopped or refused: `rm -rf build`.\n"},
		{0, 4,
		 "- The user interrupted 4 times; stopped or refused: `make flash` (and 2 more beside it), "
		 "`rm -rf build`; broken off: the answer that ends in "
		 "\"The wires are lo\"; what was cut off the other time is not recorded.\n"}};
	struct facts f = base();
	struct doc d;

	(void)state;
	for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
		f.interrupt = cut + CASE[i].from;
		f.ninterrupt = CASE[i].n;
		doc_init(&d, &f);
		docgap_lines(&d, &(struct docgap_file){.since = CLOCK_NONE});
		assert_string_equal(alldoc(&d, DOC_GAPS), CASE[i].want);
		doc_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_docgap__a_check_says_what_it_gave_and_what_came_after),
		cmocka_unit_test(test_docgap__checks_that_a_sub_agent_ran_were_run),
		cmocka_unit_test(test_docgap__commands_of_the_plan_that_never_ran),
		cmocka_unit_test(test_docgap__what_the_plan_wants_to_be_looked_at),
		cmocka_unit_test(test_docgap__git_is_asked_only_where_it_was_not_read),
		cmocka_unit_test(
			test_docgap__an_order_nobody_met_and_a_finding_nobody_took_up),
		cmocka_unit_test(test_docgap__damage_is_told_with_its_place),
		cmocka_unit_test(test_docgap__records_of_another_program_are_told),
		cmocka_unit_test(
			test_docgap__an_open_call_has_the_longest_waits_beside_it),
		cmocka_unit_test(test_docgap__a_file_the_user_named_and_nobody_touched),
		cmocka_unit_test(
			test_docgap__verify_asks_for_each_effect_of_an_open_call),
		cmocka_unit_test(
			test_docgap__of_a_call_that_was_left_behind_no_record_tells),
		cmocka_unit_test(test_docgap__an_interrupt_names_what_it_cut_off),
	};

	return cmocka_run_group_tests_name("docgap", tests, NULL, NULL);
}
