#include "deskful.h"

#include "base/fs.h"
#include "work/forget.h"
#include "work/hooklog.h"

#define D1 "20260713T100000Z_99999999.md"
#define D2 "20260714T100000Z_11111111.md"

static void fill(void)
{
	struct scope s;
	char path[600];

	desk_put("handoffs", D1,
		 desk_document(DESK_OTHER, "manual", "pending", "", "- a"));
	desk_put("handoffs", D2, desk_document(DESK_ID, "auto", "pending", "", "- b"));
	desk_put("archive", "20260701T100000Z_11111111.md",
		 desk_document(DESK_ID, "auto", "consumed", "", "- b"));
	desk_put("sessions", "s_20260714T100000_111111.md", "# note\n");
	desk_put("sessions", "s_20260714T100000_111111-2.md", "# note\n");
	desk_put("sessions", "s_20260714T100000_999999.md", "# note\n");
	test_write("vault/tollgate/project.md", STR("# tollgate\n"));
	desk_journal(DESK_ID, NULL);
	desk_journal(DESK_OTHER, NULL);
	desk_scope(&s, NULL);
	snprintf(path, sizeof(path), "%s/facts/" DESK_ID ".facts", s.state_dir);
	test_write(path, STR("x"));
	snprintf(path, sizeof(path), "%s/ledgers/" DESK_ID ".json", s.state_dir);
	test_write(path, STR("{}"));
	snprintf(path, sizeof(path), "%s/briefs/" DESK_ID, s.state_dir);
	test_write(path, STR("0123456789abcdef\n"));
	snprintf(path, sizeof(path), "%s/briefs/" DESK_OTHER, s.state_dir);
	test_write(path, STR("0123456789abcdef\n"));
	snprintf(path, sizeof(path), "%s/running/s_20260714T100000_111111", s.state_dir);
	test_write(path, STR("session\n"));
	snprintf(path, sizeof(path), "%s/running/s_20260714T100000_999999", s.state_dir);
	test_write(path, STR("session\n"));
	hooklog_add(s.state_dir, "Stop 11111111", "one");
	hooklog_add(s.state_dir, "Stop 99999999", "two");
	snprintf(path, sizeof(path), "%s/handoff/index/x.db", getenv("XDG_CACHE_HOME"));
	test_write(path, STR("x"));
	scope_release(&s);
}

static bool state_has(const char *rel)
{
	struct scope s;
	char path[600];
	bool yes;

	desk_scope(&s, NULL);
	snprintf(path, sizeof(path), "%s/%s", s.state_dir, rel);
	yes = test_exists(path);
	scope_release(&s);
	return yes;
}

static int forget(const char *what, bool do_it, struct buf *said)
{
	struct err e = ERR_INIT;
	struct forget f;
	struct scope s;
	int ret;

	buf_reset(said);
	desk_scope(&s, NULL);
	ret = forget_plan(&f, &s, what, &e);
	if (!ret && do_it)
		ret = forget_run(&f, &s, &e);
	if (ret)
		buf_add(said, str_of(e.msg));
	else
		forget_show(&f, do_it, false, said);
	forget_release(&f);
	scope_release(&s);
	return ret;
}

static void test_forget__a_session_goes_from_vault_state_and_caches(void **state)
{
	struct buf said = BUF_INIT(1u << 20);
	struct scope s;
	char path[600];
	str log;

	(void)state;
	desk();
	fill();
	assert_int_equal(forget("11111111", true, &said), 0);
	assert_true(desk_has(&said, "removed tollgate/handoffs/" D2 "\n"));
	assert_true(desk_has(&said,
			     "removed tollgate/archive/20260701T100000Z_11111111.md\n"));
	assert_true(desk_has(&said,
			     "removed tollgate/sessions/s_20260714T100000_111111.md\n"));
	assert_true(desk_has(&said, "removed what is known of session " DESK_ID "\n"));
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 1);
	assert_int_equal(test_entries("vault/tollgate/archive"), 0);
	assert_int_equal(test_entries("vault/tollgate/sessions"), 1);
	assert_false(state_has("journal/" DESK_ID ".json"));
	assert_true(state_has("journal/" DESK_OTHER ".json"));
	assert_false(state_has("facts/" DESK_ID ".facts"));
	assert_false(state_has("ledgers/" DESK_ID ".json"));
	assert_false(state_has("briefs/" DESK_ID));
	assert_true(state_has("briefs/" DESK_OTHER));
	assert_false(state_has("running/s_20260714T100000_111111"));
	assert_true(state_has("running/s_20260714T100000_999999"));
	snprintf(path, sizeof(path), "%s/handoff/index/x.db", getenv("XDG_CACHE_HOME"));
	assert_false(test_exists(path));
	desk_scope(&s, NULL);
	snprintf(path, sizeof(path), "%s/hook.log", s.state_dir);
	log = test_read(path);
	assert_true(str_find(log, STR("11111111")) == STR_NPOS);
	assert_true(str_find(log, STR("99999999")) != STR_NPOS);
	scope_release(&s);
	buf_release(&said);
}

static void test_forget__without_a_yes_all_stays(void **state)
{
	struct buf said = BUF_INIT(1u << 20);

	(void)state;
	desk();
	fill();
	assert_int_equal(forget(DESK_ID, false, &said), 0);
	assert_true(desk_has(&said, "would remove tollgate/handoffs/" D2 "\n"));
	assert_true(desk_has(&said, "Nothing was removed"));
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 2);
	assert_true(state_has("journal/" DESK_ID ".json"));
	buf_release(&said);
}

static void test_forget__a_project_goes_with_all_its_sessions(void **state)
{
	struct buf said = BUF_INIT(1u << 20);

	(void)state;
	desk();
	fill();
	test_write("vault/bridge/handoffs/" D1,
		   str_of(desk_document("x", "manual", "pending", "", "- a")));
	assert_int_equal(forget("tollgate", true, &said), 0);
	assert_false(test_exists("vault/tollgate"));
	assert_true(test_exists("vault/bridge/handoffs/" D1));
	assert_false(state_has("journal/" DESK_ID ".json"));
	assert_false(state_has("journal/" DESK_OTHER ".json"));
	assert_false(state_has("briefs/" DESK_ID));
	assert_false(state_has("briefs/" DESK_OTHER));
	buf_release(&said);
}

static void test_forget__a_session_that_only_a_document_of_the_project_names(void **state)
{
	struct buf said = BUF_INIT(1u << 20);
	struct scope s;
	char path[600];

	(void)state;
	desk();
	fill();
	desk_scope(&s, NULL);
	snprintf(path, sizeof(path), "%s/journal/" DESK_ID ".json", s.state_dir);
	assert_int_equal(unlink(path), 0);
	scope_release(&s);
	assert_int_equal(forget("tollgate", true, &said), 0);
	assert_true(desk_has(&said, "removed what is known of session " DESK_ID "\n"));
	assert_false(state_has("briefs/" DESK_ID));
	assert_false(state_has("facts/" DESK_ID ".facts"));
	assert_false(state_has("ledgers/" DESK_ID ".json"));
	buf_release(&said);
}

static void test_forget__what_somebody_else_put_into_the_folder_stays(void **state)
{
	struct buf said = BUF_INIT(1u << 20);

	(void)state;
	desk();
	fill();
	test_write("vault/tollgate/mine/poem.txt", STR("roses"));
	assert_int_equal(forget("tollgate", true, &said), 0);
	assert_true(test_is("vault/tollgate/mine/poem.txt", "roses"));
	assert_int_equal(test_entries("vault/tollgate"), 1);
	buf_release(&said);
}

static void test_forget__a_session_that_runs_is_refused(void **state)
{
	struct buf said = BUF_INIT(1u << 20);
	struct scope s;

	(void)state;
	desk();
	fill();
	desk_scope(&s, DESK_ID);
	journal_process_of(&s.j->process, getpid());
	assert_int_equal(journal_save(s.j, NULL), 0);
	scope_release(&s);
	assert_int_equal(forget(DESK_ID, true, &said), HF_EUSAGE);
	assert_true(desk_has(&said, "runs"));
	assert_int_equal(forget("tollgate", true, &said), HF_EUSAGE);
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 2);
	buf_release(&said);
}

static void test_forget__what_fits_nothing_or_several_is_refused(void **state)
{
	struct buf said = BUF_INIT(1u << 20);

	(void)state;
	desk();
	fill();
	assert_int_equal(forget("1111111", true, &said), HF_ENOTFOUND);
	assert_int_equal(forget("..", true, &said), HF_ENOTFOUND);
	assert_int_equal(forget("", true, &said), HF_ENOTFOUND);
	desk_journal("11111111-ffff-4333-8444-555555555555", NULL);
	assert_int_equal(forget("11111111", true, &said), HF_EAMBIGUOUS);
	buf_release(&said);
}

static void test_forget__links_in_the_caches_are_not_followed(void **state)
{
	struct buf said = BUF_INIT(1u << 20);
	char path[600];

	(void)state;
	desk();
	fill();
	test_write("outside/keep.txt", STR("keep"));
	snprintf(path, sizeof(path), "%s/handoff/out", getenv("XDG_CACHE_HOME"));
	assert_int_equal(symlink(test_path("outside"), path), 0);
	assert_int_equal(forget(DESK_ID, true, &said), 0);
	assert_true(test_is("outside/keep.txt", "keep"));
	buf_release(&said);
}

static void
test_forget__a_failing_call_is_told_or_made_up_for_by_the_next_try(void **state)
{
	bool met = true;

	(void)state;
	desk();
	for (int n = 1; met; n++) {
		struct buf said = BUF_INIT(1u << 20);
		struct err e = ERR_INIT;
		struct forget f;
		struct scope s;
		int ret;

		fill();
		desk_scope(&s, NULL);
		fault_at(n);
		ret = forget_plan(&f, &s, "tollgate", &e);
		if (!ret)
			ret = forget_run(&f, &s, &e);
		met = fault_met();
		fault_off();
		assert_true(ret == 0 || e.msg[0]);
		forget_release(&f);
		scope_release(&s);
		assert_int_equal(test_exists("vault/tollgate")
					 ? forget("tollgate", true, &said)
					 : 0,
				 0);
		assert_false(test_exists("vault/tollgate"));
		buf_release(&said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forget__a_session_goes_from_vault_state_and_caches),
		cmocka_unit_test(test_forget__without_a_yes_all_stays),
		cmocka_unit_test(test_forget__a_project_goes_with_all_its_sessions),
		cmocka_unit_test(
			test_forget__a_session_that_only_a_document_of_the_project_names),
		cmocka_unit_test(
			test_forget__what_somebody_else_put_into_the_folder_stays),
		cmocka_unit_test(test_forget__a_session_that_runs_is_refused),
		cmocka_unit_test(test_forget__what_fits_nothing_or_several_is_refused),
		cmocka_unit_test(test_forget__links_in_the_caches_are_not_followed),
		cmocka_unit_test(
			test_forget__a_failing_call_is_told_or_made_up_for_by_the_next_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
