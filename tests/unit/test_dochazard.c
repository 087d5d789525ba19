#include "fault.h"

#include <stdio.h>

#include "alldoc.h"
#include "work/dochazard.h"

static struct facts base(void)
{
	return (struct facts){.records = 100,
			      .last_at = 1770920402000,
			      .dir = STR("/home/dev/lantern")};
}

static void test_dochazard__the_users_own_clauses_stand_word_for_word(void **state)
{
	struct fact_prompt p[] = {
		{.record = 3,
		 .kind = FACT_PROMPT,
		 .text = STR(
			 "dim the lamp at night. never touch the cache; it is shared.")},
		{.record = 9, .kind = FACT_QUEUED, .text = STR("do not push")},
		{.record = 12, .kind = FACT_PROMPT, .text = STR("Do not push!")},
		{.record = 14, .kind = FACT_EVENT, .text = STR("never mind")},
	};
	struct facts f = base();
	struct doc_line *l;
	struct doc d;

	(void)state;
	f.prompt = p;
	f.nprompt = 4;
	doc_init(&d, &f);
	dochazard_stated(&d, NULL, 0);
	assert_string_equal(
		alldoc(&d, DOC_HAZARDS),
		"- User: \"never touch the cache; it is shared.\"\n- User: \"do not push\"\n");
	for (l = d.first; l; l = l->next)
		if (l->first)
			assert_true(l->first->must && l->block == DOC_B_STATED);
	doc_release(&d);
}

static void test_dochazard__what_was_pasted_is_nobodys_order(void **state)
{
	struct fact_prompt p[] = {
		{.record = 1,
		 .kind = FACT_PROMPT,
		 .text = STR("inside the handler) and do not await the call")},
		{.record = 2,
		 .kind = FACT_PROMPT,
		 .text = STR(
			 "Skip to content\n* Privacy\n* Terms\n* Do not share my data\nadd the lamp")},
		{.record = 3,
		 .kind = FACT_QUEUED,
		 .text = STR("<ci-event>never mind the lamp</ci-event>")},
	};
	struct fact_answer a = {
		.record = 4, .answer = STR("never on Sunday"), .own = true};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.prompt = p;
	f.nprompt = 3;
	f.answer = &a;
	f.nanswer = 1;
	doc_init(&d, &f);
	dochazard_stated(&d, NULL, 0);
	assert_string_equal(alldoc(&d, DOC_HAZARDS), "- User: \"never on Sunday\"\n");
	doc_release(&d);
}

static void test_dochazard__words_that_stopped_a_call_are_stated(void **state)
{
	struct fact_refused stop[] = {
		{.record = 50,
		 .tool = STR("Bash"),
		 .label = STR("git commit -m x"),
		 .words = STR("no, I did not say commit anything")},
		{.record = 52, .tool = STR("Bash"), .label = STR("ls")}};
	struct facts f = base();
	struct doc_line *l;
	struct doc d;

	(void)state;
	f.refused = stop;
	f.nrefused = 2;
	doc_init(&d, &f);
	dochazard_stated(&d, NULL, 0);
	assert_string_equal(alldoc(&d, DOC_HAZARDS),
			    "- User: \"no, I did not say commit anything\"\n");
	for (l = d.first; l; l = l->next)
		if (l->first)
			assert_true(l->first->must && l->block == DOC_B_STATED);
	doc_release(&d);
}

static void test_dochazard__carried_hazards_stay_once(void **state)
{
	static const str carried[] = {{"- User: \"never reboot\"", 22},
				      {"- User: \"do not push\"", 21},
				      {"- Plan: \"no new files\"", 22}};
	struct fact_prompt p[] = {
		{.record = 9, .kind = FACT_PROMPT, .text = STR("do not push")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.prompt = p;
	f.nprompt = 1;
	doc_init(&d, &f);
	dochazard_stated(&d, carried, 3);
	assert_string_equal(
		alldoc(&d, DOC_HAZARDS),
		"- User: \"never reboot\"\n- Plan: \"no new files\"\n- User: \"do not push\"\n");
	doc_release(&d);
}

static void test_dochazard__too_many_are_counted_and_the_newest_stand(void **state)
{
	static char text[100][64];
	static struct fact_prompt p[100];
	struct facts f = base();
	struct doc_line *l;
	struct doc d;
	size_t i, musts = 0;

	(void)state;
	for (i = 0; i < 100; i++) {
		snprintf(text[i], sizeof(text[i]), "never touch file number%zu", i);
		p[i] = (struct fact_prompt){
			.record = i + 1, .kind = FACT_PROMPT, .text = str_of(text[i])};
	}
	f.prompt = p;
	f.nprompt = 100;
	doc_init(&d, &f);
	dochazard_stated(&d, NULL, 0);
	for (l = d.first; l; l = l->next)
		musts += l->first && l->first->must;
	assert_int_equal(musts, DOCHAZARD_STATED_MAX + 1);
	assert_true(alldoc_has(&d, DOC_HAZARDS, "60 older clauses"));
	doc_release(&d);
}

static void test_dochazard__the_plans_limits_are_stated(void **state)
{
	struct facts f = base();
	struct doc d;

	(void)state;
	f.plan = STR(
		"# P\n## What this does NOT change\n- **The wires** stay\n- the lamp\n## Steps\n- cut the wires\n");
	doc_init(&d, &f);
	dochazard_stated(&d, NULL, 0);
	assert_string_equal(alldoc(&d, DOC_HAZARDS),
			    "- Plan: \"The wires stay\"\n- Plan: \"the lamp\"\n");
	doc_release(&d);
}

static void test_dochazard__what_only_reads_is_not_half_applied(void **state)
{
	static const struct {
		const char *name, *label;
		bool reads;
	} row[] = {
		{"Bash", "git -C /home/dev/lantern diff --cached -- a.c", true},
		{"Bash", "git log --oneline | head -5", true},
		{"Bash", "cd src && ls && git status", true},
		{"Bash", "gh pr view 12 --json state", true},
		{"Bash", "git commit -m x", false},
		{"Bash", "git status; rm -rf build", false},
		{"Bash", "ls > files", false},
		{"Bash", "gh pr merge 12", false},
		{"Bash", "git status 2>&1 | head", true},
		{"Bash", "", false},
		{"Bash", "git push >/dev/null 2>&1", false},
		{"Bash", "make flash", false},
		{"Bash", "sed -i s/a/b/ x", false},
		{"Edit", "Edit src/dim.c", false},
		{"Read", "Read src/dim.c", true},
		{"mcp__lamp__set", "mcp__lamp__set", false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct fact_call c = {.name = str_of(row[i].name),
				      .label = str_of(row[i].label)};

		if (dochazard_only_reads(&c) != row[i].reads)
			fail_msg("%s %s", row[i].name, row[i].label);
	}
}

static void test_dochazard__a_call_left_behind_may_be_half_applied(void **state)
{
	struct fact_call lost[] = {
		{.record = 5,
		 .at = 1770920300000,
		 .name = STR("Bash"),
		 .label = STR("./migrate.sh --apply")},
		{.record = 6, .name = STR("Bash"), .label = STR("sleep 300")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.lost = lost;
	f.nlost = 2;
	doc_init(&d, &f);
	dochazard_state(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_HAZARDS),
		"- Possibly half-applied: `./migrate.sh --apply` was started at 18:18:20 and "
		"has no result; the session went on without it.\n");
	assert_true(d.first->first->must);
	doc_release(&d);
}

static void test_dochazard__of_a_long_call_every_part_that_acts_is_told(void **state)
{
	struct fact_call c = {
		.name = STR("Bash"),
		.label = STR(
			"cd /home/dev/lantern-with-a-long-name; git add src/dim.c src/hall.c "
			"src/door.c src/stairs.c src/cellar.c; git commit -m \"$(cat <<'EOF' "
			"…)\"; git log -1; git push 2>&1 | tail -3")};
	struct facts f = base();
	struct buf b = BUF_INIT(4096);
	struct doc d;

	(void)state;
	doc_init(&d, &f);
	dochazard_call(&d, &b, &c, 160);
	assert_str(
		buf_str(&b),
		STR("`git add src/dim.c src/hall.c src/door.c src/stairs.c src/cellar.c`, `git "
		    "commit -m \"$(cat <<'EOF' …)\"`, `git push 2>&1 | tail -3`"));
	buf_reset(&b);
	c.label = STR("git push; ls");
	dochazard_call(&d, &b, &c, 160);
	assert_str(buf_str(&b), STR("`git push; ls`"));
	buf_release(&b);
	doc_release(&d);
}

static void test_dochazard__state_at_the_end(void **state)
{
	struct fact_command c[] = {{.record = 20,
				    .at = 1770920300000,
				    .text = STR("make check"),
				    .family = STR("make check"),
				    .check = true,
				    .tally = STR("3 passed, 1 failed")},
				   {.record = 30,
				    .at = 1770920310000,
				    .text = STR("make lint"),
				    .family = STR("make lint"),
				    .check = true,
				    .failed = true},
				   {.record = 40,
				    .at = 1770920320000,
				    .text = STR("make lint"),
				    .family = STR("make lint"),
				    .check = true}};
	struct fact_background g[] = {
		{.record = 5, .id = STR("b1"), .command = STR("make serve")},
		{.record = 6,
		 .id = STR("b2"),
		 .command = STR("make old"),
		 .ended = STR("completed")}};
	struct fact_read r[] = {{.record = 7, .path = STR("/home/dev/lantern/.env")}};
	struct fact_refused stop[] = {{.record = 50,
				       .tool = STR("Bash"),
				       .label = STR("make wipe"),
				       .words = STR("not that one")},
				      {.record = 51,
				       .tool = STR("AskUserQuestion"),
				       .label = STR("AskUserQuestion")}};
	struct fact_edit e[] = {{.first = 10,
				 .last = 15,
				 .path = STR("/home/dev/lantern/a.c"),
				 .count = 1}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.command = c;
	f.ncommand = 3;
	f.background = g;
	f.nbackground = 2;
	f.read = r;
	f.nread = 1;
	f.refused = stop;
	f.nrefused = 2;
	f.edit = e;
	f.nedit = 1;
	doc_init(&d, &f);
	dochazard_state(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_HAZARDS),
		"- Failed when last run: `make check` at 18:18:20: \"3 passed, 1 failed\"\n"
		"- The user stopped `make wipe` and said: \"not that one\"\n"
		"- Started in the background, no end reported: `make serve` (b1)\n"
		"- Holds secrets; do not print it: `.env`\n"
		"- No commit is recorded: the edits above are uncommitted, as far as the records tell.\n");
	doc_release(&d);
}

static void test_dochazard__live_git_says_what_is_not_committed(void **state)
{
	struct fact_edit e[] = {
		{.last = 15, .path = STR("/home/dev/lantern/src/a.c"), .count = 1},
		{.last = 16, .path = STR("/home/dev/lantern/src/b.c"), .count = 1}};
	char path[] = "src/b.c", other[] = "data/limits.tsv", loose[] = "notes";
	struct gitstate_file file[] = {
		{.path = path, .flags = GITSTATE_MODIFIED, .xy = " M"},
		{.path = other, .flags = GITSTATE_MODIFIED, .xy = " M"},
		{.path = loose, .flags = GITSTATE_UNTRACKED, .xy = "??"},
	};
	struct gitstate git = {.kind = GITSTATE_REPO,
			       .file = file,
			       .nfiles = 3,
			       .nfiles_all = 3,
			       .operation = "rebase"};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.edit = e;
	f.nedit = 2;
	doc_init(&d, &f);
	dochazard_state(&d, &git);
	assert_string_equal(
		alldoc(&d, DOC_HAZARDS),
		"- A git rebase is in progress in the work tree.\n"
		"- Edited here and not committed (now): `src/b.c`\n"
		"- Changed in the work tree, but by no edit recorded here: `data/limits.tsv`\n");
	doc_release(&d);
}

static void test_dochazard__a_status_that_contradicts_an_edit_is_told(void **state)
{
	struct fact_edit e[] = {{.last = 15,
				 .at = 1770920100000,
				 .path = STR("/home/dev/lantern/src/a.c"),
				 .count = 1},
				{.last = 16,
				 .at = 1770920110000,
				 .path = STR("/home/dev/lantern/src/b.c"),
				 .count = 1}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.edit = e;
	f.nedit = 2;
	f.git_status = STR(
		"On branch main\nChanges not staged for commit:\n\tmodified:   src/b.c\n");
	f.git_status_record = 30;
	f.git_status_at = 1770920200000;
	doc_init(&d, &f);
	dochazard_state(&d, NULL);
	assert_true(alldoc_has(
		&d, DOC_HAZARDS,
		"- `src/a.c` was edited at 18:15:00, yet `git status` at 18:16:40 does not list it"));
	assert_true(alldoc_has(&d, DOC_HAZARDS,
			       "- Edited, and no commit is recorded: `src/b.c`\n"));
	assert_false(
		alldoc_has(&d, DOC_HAZARDS, "No commit is recorded: the edits above"));
	assert_false(alldoc_has(&d, DOC_HAZARDS, "`src/b.c` was edited"));
	doc_release(&d);
}

#define HOME "/home/dev/lantern/"

static void hazards_are(struct facts *f, const char *want)
{
	struct doc d;

	doc_init(&d, f);
	dochazard_state(&d, NULL);
	assert_string_equal(alldoc(&d, DOC_HAZARDS), want);
	doc_release(&d);
}

static void test_dochazard__what_git_calls_unchanged_is_not_uncommitted(void **state)
{
	struct fact_edit e[] = {
		{.last = 10, .at = 1, .path = STR(HOME "src/a.c"), .count = 1},
		{.last = 12, .path = STR(HOME "src/new.c"), .count = 1, .created = true},
		{.last = 40, .path = STR(HOME "src/late.c"), .count = 1},
		{.last = 11, .path = STR("/srv/other/b.c"), .count = 1},
	};
	struct fact_unchanged u = {
		.record = 30, .at = 1770920200000, .how = STR("git status")};
	struct facts f = base();

	(void)state;
	f.edit = e;
	f.nedit = 4;
	f.unchanged = &u;
	f.nunchanged = 1;
	hazards_are(
		&f,
		"- `git status` at 18:16:40 showed no change, though these were edited before: "
		"`src/new.c`, `src/a.c` (committed, reverted or ignored, unknown which)\n"
		"- Edited, and no commit is recorded: `/srv/other/b.c`, `src/late.c`\n");
	/* a diff says nothing of files that are new to git, nor of the index */
	u.how = STR("git diff");
	hazards_are(
		&f,
		"- `git diff` at 18:16:40 showed no change, though these were edited before: "
		"`src/a.c` (committed, staged, reverted or ignored, unknown which)\n"
		"- Edited, and no commit is recorded: `/srv/other/b.c`, `src/late.c`, `src/new.c`\n");
	u.path = STR("src/a.c");
	hazards_are(
		&f,
		"- `git diff` at 18:16:40 showed no change, though these were edited before: "
		"`src/a.c` (committed, staged, reverted or ignored, unknown which)\n"
		"- Edited, and no commit is recorded: `/srv/other/b.c`, `src/late.c`, `src/new.c`\n");
	u.path = STR("c/a.c"); /* another file */
	hazards_are(
		&f,
		"- No commit is recorded: the edits above are uncommitted, as far as the records tell.\n");
	u.path = STR("/srv/other");
	hazards_are(
		&f,
		"- `git diff` at 18:16:40 showed no change, though these were edited before: "
		"`/srv/other/b.c` (committed, staged, reverted or ignored, unknown which)\n"
		"- Edited, and no commit is recorded: `src/late.c`, `src/new.c`, `src/a.c`\n");
}

static void test_dochazard__a_later_word_of_gits_counts(void **state)
{
	struct fact_edit e = {.last = 10, .path = STR(HOME "src/a.c"), .count = 1};
	struct fact_unchanged u[] = {
		{.record = 9, .at = 1770920100000, .how = STR("git status")},
		{.record = 30, .at = 1770920200000, .how = STR("git diff HEAD")},
		{.record = 31, .at = 1770920300000, .how = STR("git status")}};
	struct fact_commit c = {.record = 20};
	struct facts f = base();

	(void)state;
	f.edit = &e;
	f.nedit = 1;
	f.unchanged = u;
	f.nunchanged = 1; /* only before the edit */
	hazards_are(
		&f,
		"- No commit is recorded: the edits above are uncommitted, as far as the records tell.\n");
	f.nunchanged = 3;
	hazards_are(
		&f,
		"- `git status` at 18:18:20 showed no change, though these were edited before: "
		"`src/a.c` (committed, reverted or ignored, unknown which)\n");
	/* listed again since */
	f.git_status = STR(" M src/a.c\n");
	f.git_status_record = 50;
	hazards_are(
		&f,
		"- No commit is recorded: the edits above are uncommitted, as far as the records tell.\n");
	/* committed in between: nothing is strange */
	f.git_status_record = 0;
	f.commit = &c;
	f.ncommit = 1;
	hazards_are(&f, "");
}

static void test_dochazard__what_was_stopped_and_went_through_later_is_none(void **state)
{
	struct fact_refused stop[] = {
		{.record = 10, .tool = STR("Bash"), .label = STR("git push origin main")},
		{.record = 11, .tool = STR("Edit"), .label = STR("Edit src/dim.c")},
		{.record = 12,
		 .tool = STR("Bash"),
		 .label = STR("git push origin main --force")},
		{.record = 13, .tool = STR("Bash"), .label = STR("make flash")},
		{.record = 13, .tool = STR("Bash"), .label = STR("git log -3 | head")},
		{.record = 14,
		 .tool = STR("Edit"),
		 .label = STR("Edit src/dim.c"),
		 .words = STR("not like this")}};
	struct fact_command c[] = {
		{.record = 5, .text = STR("make flash"), .family = STR("make flash")},
		{.record = 20,
		 .text = STR("git push origin main"),
		 .family = STR("git push")}};
	struct fact_edit e = {
		.first = 30, .last = 30, .path = STR("/home/dev/lantern/src/dim.c")};
	struct facts f = {
		.records = 60, .dir = STR("/home/dev/lantern"), .last_at = CLOCK_NONE};
	const char *text;
	struct doc d;

	(void)state;
	f.refused = stop;
	f.nrefused = 6;
	f.command = c;
	f.ncommand = 2;
	f.edit = &e;
	f.nedit = 1;
	doc_init(&d, &f);
	dochazard_state(&d, NULL);
	text = alldoc(&d, DOC_HAZARDS);
	assert_null(strstr(text, "interrupted): `git push origin main`"));
	assert_null(strstr(text, "interrupted): `Edit src/dim.c`"));
	assert_null(strstr(text, "git log"));
	assert_non_null(strstr(text, "interrupted): `git push origin main --force`"));
	assert_non_null(strstr(text, "interrupted): `make flash`"));
	assert_non_null(strstr(
		text, "- The user stopped `Edit src/dim.c` and said: \"not like this\""));
	doc_release(&d);
}

static void test_dochazard__what_shell_commands_changed_is_uncommitted_too(void **state)
{
	struct fact_commit c = {.record = 10, .sha = STR("9feff38")};
	struct fact_shelled s[] = {
		{.record = 8,
		 .path = STR("/home/dev/lantern/.old.json"),
		 .how = STR("perl -i")},
		{.record = 12,
		 .path = STR("/home/dev/lantern/a.json"),
		 .how = STR("perl -i")},
		{.record = 13,
		 .path = STR("/home/dev/lantern/b.json"),
		 .how = STR("git add")},
		{.record = 14, .path = STR("/home/dev/lantern/build"), .how = STR("rm")},
		{.record = 15, .path = STR("/tmp/c.json"), .how = STR(">")},
		{.record = 16, .path = STR("/home/dev/lantern/d.json"), .how = STR(">")}};
	struct fact_edit e = {
		.first = 1, .last = 17, .path = STR("/home/dev/lantern/d.json")};
	struct fact_unchanged u = {.record = 20, .how = STR("git diff")};
	struct facts f = {.records = 100,
			  .last_at = 1770920402000,
			  .dir = STR("/home/dev/lantern")};
	struct doc d;

	(void)state;
	f.shelled = s;
	f.nshelled = 6;
	f.commit = &c;
	f.ncommit = 1;
	f.edit = &e;
	f.nedit = 1;
	doc_init(&d, &f);
	dochazard_state(&d, NULL);
	assert_string_equal(
		alldoc(&d, DOC_HAZARDS),
		"- Edited after the last recorded commit: `d.json`\n"
		"- Changed by shell commands after the last recorded commit: `a.json`\n");
	doc_release(&d);
	f.ncommit = 0;
	f.nedit = 0;
	doc_init(&d, &f);
	dochazard_state(&d, NULL);
	assert_string_equal(alldoc(&d, DOC_HAZARDS),
			    "- Changed by shell commands, and no commit is recorded: "
			    "`d.json`, `a.json`, `.old.json`\n");
	doc_release(&d);
	/* git's word, or a status that lists other files, came after it */
	f.git_status = STR(" M d.json\n");
	f.git_status_record = 30;
	assert_true(dochazard_shelled(&f, &s[5]));
	assert_false(dochazard_shelled(&f, &s[1]));
	f.unchanged = &u;
	f.nunchanged = 1;
	assert_false(dochazard_shelled(&f, &s[5]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_dochazard__what_shell_commands_changed_is_uncommitted_too),
		cmocka_unit_test(
			test_dochazard__the_users_own_clauses_stand_word_for_word),
		cmocka_unit_test(test_dochazard__words_that_stopped_a_call_are_stated),
		cmocka_unit_test(test_dochazard__carried_hazards_stay_once),
		cmocka_unit_test(test_dochazard__what_was_pasted_is_nobodys_order),
		cmocka_unit_test(
			test_dochazard__too_many_are_counted_and_the_newest_stand),
		cmocka_unit_test(test_dochazard__the_plans_limits_are_stated),
		cmocka_unit_test(test_dochazard__what_only_reads_is_not_half_applied),
		cmocka_unit_test(test_dochazard__a_call_left_behind_may_be_half_applied),
		cmocka_unit_test(
			test_dochazard__of_a_long_call_every_part_that_acts_is_told),
		cmocka_unit_test(test_dochazard__state_at_the_end),
		cmocka_unit_test(test_dochazard__live_git_says_what_is_not_committed),
		cmocka_unit_test(
			test_dochazard__a_status_that_contradicts_an_edit_is_told),
		cmocka_unit_test(
			test_dochazard__what_git_calls_unchanged_is_not_uncommitted),
		cmocka_unit_test(
			test_dochazard__what_was_stopped_and_went_through_later_is_none),
		cmocka_unit_test(test_dochazard__a_later_word_of_gits_counts),
	};

	return cmocka_run_group_tests_name("dochazard", tests, NULL, NULL);
}
