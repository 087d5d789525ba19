#include "recorded.h"

#include "work/recplace.h"

static void test_recplace__a_database_that_lies_there_is_left_alone_and_said(void **state)
{
	struct recplace p;

	(void)state;
	test_dir();
	unsetenv("HANDOFF_VAULT");
	assert_null(recplace_notice());
	test_write("home/shared.db", STR("SQLite format 3\0and more"));
	setenv("MEMORY_DB", "~/shared.db", 1);
	assert_int_equal(recplace_open(&p, NULL, NULL, NULL), 0);
	assert_string_equal(p.vault.root, test_path("home/shared.vault"));
	assert_non_null(p.notice);
	assert_non_null(strstr(p.notice, "left alone"));
	assert_non_null(strstr(p.notice, "shared.vault"));
	assert_null(strchr(p.notice, '\n'));
	recplace_release(&p);
	setenv("HANDOFF_VAULT", test_path("v"), 1);
	assert_null(recplace_notice());
	unsetenv("HANDOFF_VAULT");
	setenv("MEMORY_DB", test_path("home/other.db"), 1);
	assert_null(recplace_notice());
	unsetenv("MEMORY_DB");
}

static void test_recplace__the_environment_names_agent_and_session(void **state)
{
	struct recplace p;

	(void)state;
	test_dir();
	unsetenv("AGENT_ID");
	setenv("CLAUDE_CODE_SESSION_ID", "s-1", 1);
	assert_int_equal(recplace_open(&p, NULL, NULL, NULL), 0);
	assert_string_equal(p.store.agent, "");
	assert_string_equal(p.store.session, "s-1");
	recplace_release(&p);
	setenv("AGENT_ID", "scout", 1);
	assert_int_equal(recplace_open(&p, NULL, "s-2", NULL), 0);
	assert_string_equal(p.store.agent, "scout");
	assert_string_equal(p.store.session, "s-2");
	recplace_release(&p);
	unsetenv("AGENT_ID");
	unsetenv("CLAUDE_CODE_SESSION_ID");
}

static void test_recplace__it_is_in_use_once_there_is_a_record(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	assert_false(recplace_in_use(&r.vault));
	recorded_write(&r.s, "a/k", "1", -1);
	assert_true(recplace_in_use(&r.vault));
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_recplace__a_database_that_lies_there_is_left_alone_and_said),
		cmocka_unit_test(test_recplace__the_environment_names_agent_and_session),
		cmocka_unit_test(test_recplace__it_is_in_use_once_there_is_a_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
