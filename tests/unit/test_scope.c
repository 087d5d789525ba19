#include "deskful.h"

static void test_scope__a_directory_decides_without_a_session(void **state)
{
	struct scope s;

	(void)state;
	desk();
	desk_scope(&s, NULL);
	assert_string_equal(s.project, "tollgate");
	assert_string_equal(s.session, "");
	assert_null(s.j);
	assert_false(scope_runs(&s));
	assert_non_null(strstr(s.worktree, "tollgate"));
	scope_release(&s);
}

static void
test_scope__a_session_of_the_journal_keeps_its_project_wherever_it_is_asked(void **state)
{
	struct err e = ERR_INIT;
	struct scope s;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	setenv("HANDOFF_PROJECT", "elsewhere", 1);
	assert_int_equal(scope_open(&s, DESK_ID, "/", &e), 0);
	assert_string_equal(s.project, "tollgate");
	assert_string_equal(s.worktree, test_path("tollgate"));
	assert_non_null(s.j);
	/* its process is none of this machine */
	assert_false(scope_runs(&s));
	scope_release(&s);
}

static void test_scope__a_session_runs_while_its_process_does(void **state)
{
	struct scope s;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	desk_scope(&s, DESK_ID);
	journal_process_of(&s.j->process, getpid());
	assert_true(scope_runs(&s));
	s.j->state = JOURNAL_ENDED;
	assert_false(scope_runs(&s));
	scope_release(&s);
}

static void test_scope__an_unknown_session_makes_no_entry(void **state)
{
	struct scope s;

	(void)state;
	desk();
	desk_scope(&s, DESK_ID);
	assert_null(s.j);
	assert_string_equal(s.project, "tollgate");
	scope_release(&s);
	assert_int_equal(test_entries(test_path("state/handoff/journal")), -1);
}

static void test_scope__a_bad_session_id_is_a_usage_error(void **state)
{
	static const char *const bad[] = {"../x", "a b", ".hidden", "a/b", "\x1b[31m"};

	(void)state;
	desk();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		struct scope s;

		assert_int_equal(scope_open(&s, bad[i], test_path("tollgate"), &e),
				 HF_EUSAGE);
		assert_non_null(strstr(e.msg, "no session id"));
		scope_release(&s);
	}
}

static void test_scope__a_vault_that_is_a_file_is_said(void **state)
{
	struct err e = ERR_INIT;
	struct scope s;

	(void)state;
	desk();
	test_write("vault", STR("x"));
	assert_int_equal(scope_open(&s, NULL, test_path("tollgate"), &e), HF_EFORMAT);
	assert_true(e.msg[0]);
	scope_release(&s);
}

static void test_scope__every_failing_call_is_survived(void **state)
{
	bool met = true;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	for (int n = 1; met; n++) {
		struct err e = ERR_INIT;
		struct scope s;

		fault_at(n);
		scope_open(&s, DESK_ID, test_path("tollgate"), &e);
		met = fault_met();
		fault_off();
		scope_release(&s);
	}
}

static void test_scope__a_vault_that_the_session_has_noted_is_its_own(void **state)
{
	struct journal *j;
	struct err e = ERR_INIT;
	struct scope s;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	desk_scope(&s, DESK_ID);
	j = journal_open(s.state_dir, STR(DESK_ID), NULL);
	journal_set(&j->vault, str_of(test_path("noted")));
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	scope_release(&s);
	/* the variable is stronger */
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	assert_int_equal(scope_open(&s, DESK_ID, NULL, &e), 0);
	assert_string_equal(s.vault.root, test_path("vault"));
	scope_release(&s);
	unsetenv("HANDOFF_VAULT");
	assert_int_equal(scope_open(&s, DESK_ID, NULL, &e), 0);
	assert_string_equal(s.vault.root, test_path("noted"));
	scope_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scope__a_directory_decides_without_a_session),
		cmocka_unit_test(
			test_scope__a_session_of_the_journal_keeps_its_project_wherever_it_is_asked),
		cmocka_unit_test(test_scope__a_session_runs_while_its_process_does),
		cmocka_unit_test(test_scope__an_unknown_session_makes_no_entry),
		cmocka_unit_test(test_scope__a_bad_session_id_is_a_usage_error),
		cmocka_unit_test(test_scope__a_vault_that_is_a_file_is_said),
		cmocka_unit_test(
			test_scope__a_vault_that_the_session_has_noted_is_its_own),
		cmocka_unit_test(test_scope__every_failing_call_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
