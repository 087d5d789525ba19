#include "fault.h"

#include "alldoc.h"
#include "work/docplace.h"

static struct facts base(void)
{
	return (struct facts){.records = 100,
			      .last_at = 1770920402000,
			      .dir = STR("/home/dev/lantern")};
}

static const char *git_lines(struct facts *f, const struct gitstate *git, bool brief)
{
	static char text[8192];
	struct buf b = BUF_INIT(sizeof(text) - 1);
	struct doc d;

	doc_init(&d, f);
	docplace_git(&d, git, brief, &b);
	memcpy(text, buf_cstr(&b), b.n + 1);
	doc_release(&d);
	buf_release(&b);
	return text;
}

static void test_docplace__recorded_state_is_said_to_be_recorded(void **state)
{
	struct fact_commit c = {
		.record = 10, .sha = STR("9feff38"), .subject = STR("dim: in steps")};
	struct gitstate gone = {.kind = GITSTATE_NO_DIR};
	struct facts f = base();

	(void)state;
	f.branch = STR("topic");
	f.commit = &c;
	f.ncommit = 1;
	f.git_status = STR("On branch topic\n\tmodified:   src/dim.c\n");
	f.git_status_at = 1770920300000;
	f.git_status_record = 11;
	assert_string_equal(
		git_lines(&f, &gone, false),
		"As recorded in the transcript, not re-read (`/home/dev/lantern` does not exist here):\n"
		"Branch: topic \xc2\xb7 HEAD: `9feff38` \"dim: in steps\"\n"
		"`git status` at 18:18:20: M `src/dim.c`\n");
	assert_string_equal(
		git_lines(&f, NULL, true),
		"As recorded in the transcript, not re-read:\nBranch: topic \xc2\xb7 HEAD: `9feff38` \"dim: in steps\"\n");
	f.git_status_record = 9; /* the commit came after it */
	assert_null(strstr(git_lines(&f, &gone, false), "git status"));
}

/* The lines below the first one. */
static const char *recorded(struct facts *f)
{
	struct gitstate gone = {.kind = GITSTATE_NO_DIR};

	return strchr(git_lines(f, &gone, false), '\n') + 1;
}

static void test_docplace__branch_and_distance_are_read_from_a_status(void **state)
{
	struct fact_commit c = {.record = 5, .sha = STR("9feff38"), .branch = STR("old")};
	struct fact_commit push = {.record = 20};
	struct facts f = base();

	(void)state;
	f.git_status_at = 1770920300000;
	f.git_status_record = 11;
	f.git_status = STR(
		"On branch topic\nYour branch and 'origin/topic' have diverged,\n"
		"and have 2 and 1 different commits each, respectively.\n\tmodified:   a.c\n");
	assert_string_equal(
		recorded(&f),
		"Branch: topic \xc2\xb7 HEAD: unknown\n"
		"`git status` at 18:18:20: ahead of origin/topic by 2, behind by 1; M `a.c`\n");
	f.push = &push; /* moved the upstream since */
	f.npush = 1;
	assert_string_equal(recorded(&f), "Branch: topic \xc2\xb7 HEAD: unknown\n"
					  "`git status` at 18:18:20: M `a.c`\n");
	f.npush = 0;
	f.git_status = STR("## topic...origin/topic [behind 3]\n");
	assert_string_equal(
		recorded(&f),
		"Branch: topic \xc2\xb7 HEAD: unknown\n"
		"`git status` at 18:18:20: behind origin/topic by 3; nothing to commit\n");
	f.git_status = STR("## topic...origin/topic [gone]\n?? b.c\n");
	assert_string_equal(
		recorded(&f),
		"Branch: topic \xc2\xb7 HEAD: unknown\n"
		"`git status` at 18:18:20: upstream origin/topic is gone; ? `b.c`\n");
	f.git_status =
		STR("On branch topic\nYour branch is up to date with 'origin/topic'.\n\n"
		    "nothing to commit, working tree clean\n");
	f.branch = STR("main"); /* the records' own word is newer */
	assert_string_equal(
		recorded(&f),
		"Branch: main \xc2\xb7 HEAD: unknown\n"
		"`git status` at 18:18:20: up to date with origin/topic; nothing to commit\n");
	f.branch = STR("HEAD");
	f.git_status = STR("HEAD detached at 1f2e3d4\n\tmodified:   a.c\n");
	assert_string_equal(
		recorded(&f),
		"Branch: none (detached HEAD at 1f2e3d4) \xc2\xb7 HEAD: unknown\n"
		"`git status` at 18:18:20: M `a.c`\n");
	f.branch = STR_NONE;
	f.git_status = STR_NONE;
	f.commit = &c;
	f.ncommit = 1;
	assert_string_equal(recorded(&f),
			    "Branch: old \xc2\xb7 HEAD: `9feff38`\n"
			    "`git status` at 18:18:20: nothing to commit\n");
	c.branch = STR("detached"); /* "[detached HEAD 9feff38] ..." */
	f.git_status_record = 0;
	assert_string_equal(recorded(&f), "Branch: unknown \xc2\xb7 HEAD: `9feff38`\n");
}

static void test_docplace__records_never_pass_for_the_repository(void **state)
{
	char branch[] = "main", head[] = "156c7fcc0aa", note[] = "not yours";
	struct gitstate bare = {.kind = GITSTATE_BARE, .branch = branch, .head = head};
	struct gitstate unsafe = {.kind = GITSTATE_UNSAFE, .note = note};
	struct facts f = base();
	const char *text;

	(void)state;
	f.branch = STR("main");
	text = git_lines(&f, &bare, false);
	assert_non_null(strstr(text, "Bare repository"));
	assert_null(strstr(text, "unknown"));
	assert_string_equal(
		git_lines(&f, &unsafe, false),
		"Read from the repository when this was written:\n"
		"Git state unknown: not yours\n"
		"As recorded in the transcript:\nBranch: main \xc2\xb7 HEAD: unknown\n");
}

static void test_docplace__what_moved_since_is_told(void **state)
{
	struct fact_commit c = {.record = 10, .sha = STR("9feff38")};
	char branch[] = "main", head[] = "156c7fcc0aa";
	struct gitstate git = {.kind = GITSTATE_REPO, .branch = branch, .head = head};
	struct facts f = base();

	(void)state;
	f.branch = STR("topic");
	f.commit = &c;
	f.ncommit = 1;
	assert_non_null(strstr(
		git_lines(&f, &git, false),
		"Drift: the records end on branch `topic`; the work tree is on `main` now.\n"));
	assert_non_null(strstr(
		git_lines(&f, &git, false),
		"Drift: the last recorded commit is `9feff38`; HEAD is another one now.\n"));
	f.branch = STR("main");
	c.sha = STR("156c7fcc0");
	assert_null(strstr(git_lines(&f, &git, false), "Drift"));
}

static void test_docplace__commands_are_grouped_by_program(void **state)
{
	struct fact_command c[] = {
		{.record = 1, .text = STR("git add a.c"), .count = 1},
		{.record = 2, .text = STR("make check"), .count = 3},
		{.record = 3,
		 .text = STR("echo \"== x ==\"; git push"),
		 .count = 1,
		 .failed = true},
		{.record = 4, .text = STR("sleep 5"), .count = 1},
		{.record = 5,
		 .text = STR("cat /tmp/claude-1/tasks/b1.output"),
		 .count = 1},
		{.record = 6, .text = STR("npm test"), .count = 1},
	};
	struct fact_tool t[] = {{.name = STR("Skill"), .count = 3},
				{.name = STR("mcp__lamp__set"), .count = 2, .failed = 1}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.command = c;
	f.ncommand = 6;
	f.tool = t;
	f.ntool = 2;
	doc_init(&d, &f);
	docplace_commands(&d);
	assert_string_equal(alldoc(&d, DOC_ENVIRONMENT),
			    "- Ran `make check` \xc3\x97"
			    "3; `npm test`\n"
			    "- Ran `git add a.c`; `git push` (failed)\n"
			    "- Other tools: `mcp__lamp__set` \xc3\x97"
			    "2 (1 failed)\n");
	doc_release(&d);
}

static void test_docplace__files_are_told_once(void **state)
{
	struct fact_name defs[] = {{.text = STR("dim_step")}, {.text = STR("unsaid")}};
	struct fact_name ident[] = {{.text = STR("dim_step"), .weight = 3}};
	struct fact_read r[] = {
		{.record = 5,
		 .path = STR("/home/dev/lantern/src/dim.c"),
		 .count = 2,
		 .name = defs,
		 .nnames = 2},
		{.record = 9, .path = STR("/home/dev/lantern/src/hall.c"), .count = 1}};
	struct fact_edit e[] = {
		{.last = 20, .path = STR("/home/dev/lantern/src/hall.c"), .count = 1}};
	struct fact_name named[] = {{.text = STR("src/dim.c"), .weight = 9},
				    {.text = STR("docs/plan.md"), .weight = 3},
				    {.text = STR("plan.md"), .weight = 1},
				    {.text = STR("/tmp/x.log"), .weight = 5},
				    {.text = STR("_test.go"), .weight = 5}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.ident = ident;
	f.nident = 1;
	f.read = r;
	f.nread = 2;
	f.edit = e;
	f.nedit = 1;
	f.last_edit_record = 20;
	f.named = named;
	f.nnamed = 5;
	doc_init(&d, &f);
	docplace_files(&d);
	assert_string_equal(alldoc(&d, DOC_FILES),
			    "**For context:** `src/dim.c` (`dim_step`)\n"
			    "**To modify next:** `src/hall.c`\n"
			    "**Named, not opened:** `docs/plan.md`\n");
	doc_release(&d);
}

/* What a command printed was opened: beside what tools read, or else among the named files. */
static void test_docplace__a_file_that_a_command_read_is_not_called_unopened(void **state)
{
	struct fact_read r[] = {
		{.record = 5,
		 .path = STR("/home/dev/lantern/docs/plan.md"),
		 .count = 1,
		 .shell = true},
		{.record = 6,
		 .path = STR("/home/dev/lantern/unsaid.c"),
		 .count = 1,
		 .shell = true},
		{.record = 7, .path = STR("/tmp/said.log"), .count = 1, .shell = true},
		{.record = 9, .path = STR("/home/dev/lantern/src/dim.c"), .count = 1}};
	struct fact_name named[] = {{.text = STR("docs/plan.md"), .weight = 3},
				    {.text = STR("/tmp/said.log"), .weight = 3},
				    {.text = STR("docs/other.md"), .weight = 2}};
	struct fact_shelled gone = {
		.record = 40, .path = STR("/home/dev/lantern/docs"), .how = STR("rm")};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.read = r;
	f.nread = 4;
	f.named = named;
	f.nnamed = 3;
	doc_init(&d, &f);
	docplace_files(&d);
	assert_string_equal(alldoc(&d, DOC_FILES),
			    "**For context:** `src/dim.c`, `docs/plan.md`\n"
			    "**Named, not opened:** `docs/other.md`\n");
	doc_release(&d);
	f.nread = 3;
	doc_init(&d, &f);
	docplace_files(&d);
	assert_string_equal(alldoc(&d, DOC_FILES),
			    "**Named:** `docs/plan.md`, `docs/other.md`\n");
	doc_release(&d);
	/* what is gone is nothing to read */
	f.nread = 4;
	f.shelled = &gone;
	f.nshelled = 1;
	doc_init(&d, &f);
	docplace_files(&d);
	assert_non_null(strstr(alldoc(&d, DOC_FILES), "**For context:** `src/dim.c`\n"));
	doc_release(&d);
	gone.record = 4; /* it was made anew */
	doc_init(&d, &f);
	docplace_files(&d);
	assert_non_null(strstr(alldoc(&d, DOC_FILES), "`src/dim.c`, `docs/plan.md`\n"));
	doc_release(&d);
}

static void test_docplace__what_was_only_staged_was_changed_by_nobody(void **state)
{
	struct fact_shelled s[] = {
		{.record = 3,
		 .path = STR("/home/dev/lantern/a.c"),
		 .how = STR("git add")},
		{.record = 4, .path = STR("/home/dev/lantern/b.c"), .how = STR("sed -i")},
		{.record = 5,
		 .path = STR("/home/dev/lantern/c.c"),
		 .how = STR("git add")}};
	struct fact_edit e = {
		.first = 1, .last = 2, .path = STR("/home/dev/lantern/c.c")};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.shelled = s;
	f.nshelled = 1;
	assert_false(docplace_shelled(&f));
	f.nshelled = 3;
	assert_true(docplace_shelled(&f));
	f.edit = &e;
	f.nedit = 1;
	doc_init(&d, &f);
	docplace_files(&d);
	assert_non_null(strstr(alldoc(&d, DOC_FILES),
			       "**Changed by shell commands:** `b.c` (`sed -i`)\n"
			       "**Staged with `git add`:** `a.c`\n"));
	doc_release(&d);
}

static void test_docplace__a_file_that_a_command_names_may_have_been_opened(void **state)
{
	struct fact_name named[] = {{.text = STR("docs/prompt.md"), .weight = 3},
				    {.text = STR("docs/other.md"), .weight = 2}};
	struct fact_command c[] = {
		{.record = 3,
		 .text = STR("ls /home && cat /home/dev/docs/prompt.md 2>/dev/null")},
		{.record = 4, .text = STR("ls an-other.md other.mdx")}};
	struct facts f = base();
	struct doc d;

	(void)state;
	f.named = named;
	f.nnamed = 2;
	f.command = c;
	f.ncommand = 2;
	doc_init(&d, &f);
	docplace_files(&d);
	assert_string_equal(alldoc(&d, DOC_FILES),
			    "**Named, not opened:** `docs/other.md`\n"
			    "**Named, also in commands:** `docs/prompt.md`\n");
	doc_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docplace__recorded_state_is_said_to_be_recorded),
		cmocka_unit_test(test_docplace__what_moved_since_is_told),
		cmocka_unit_test(
			test_docplace__a_file_that_a_command_names_may_have_been_opened),
		cmocka_unit_test(
			test_docplace__what_was_only_staged_was_changed_by_nobody),
		cmocka_unit_test(
			test_docplace__branch_and_distance_are_read_from_a_status),
		cmocka_unit_test(test_docplace__records_never_pass_for_the_repository),
		cmocka_unit_test(test_docplace__commands_are_grouped_by_program),
		cmocka_unit_test(test_docplace__files_are_told_once),
		cmocka_unit_test(
			test_docplace__a_file_that_a_command_read_is_not_called_unopened),
	};

	return cmocka_run_group_tests_name("docplace", tests, NULL, NULL);
}
