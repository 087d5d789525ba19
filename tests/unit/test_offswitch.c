#include "deskful.h"

#include "work/offswitch.h"

static void test_offswitch__everywhere_and_for_a_project_are_two_switches(void **state)
{
	const char *dir;

	(void)state;
	desk();
	unsetenv("HANDOFF_OFF");
	dir = test_path("s");
	assert_false(offswitch_is_off(dir, STR("tollgate")));
	assert_null(offswitch_why(dir, STR("tollgate")));
	assert_int_equal(offswitch_set(dir, STR("tollgate"), true, NULL), 0);
	assert_true(offswitch_is_off(dir, STR("tollgate")));
	assert_false(offswitch_is_off(dir, STR("bridge")));
	assert_non_null(strstr(offswitch_why(dir, STR("tollgate")), "--project"));
	assert_int_equal(offswitch_set(dir, STR_NONE, true, NULL), 0);
	assert_true(offswitch_is_off(dir, STR("bridge")));
	assert_int_equal(offswitch_set(dir, STR("tollgate"), false, NULL), 0);
	assert_true(offswitch_is_off(dir, STR("tollgate")));
	assert_int_equal(offswitch_set(dir, STR_NONE, false, NULL), 0);
	assert_false(offswitch_is_off(dir, STR("tollgate")));
}

static void test_offswitch__switching_twice_is_no_failure(void **state)
{
	(void)state;
	desk();
	for (int i = 0; i < 2; i++)
		assert_int_equal(offswitch_set(test_path("s"), STR_NONE, false, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(offswitch_set(test_path("s"), STR_NONE, true, NULL), 0);
	assert_true(offswitch_is_off(test_path("s"), STR_NONE));
}

static void test_offswitch__the_environment_is_named(void **state)
{
	(void)state;
	desk();
	setenv("HANDOFF_OFF", "1", 1);
	assert_string_equal(offswitch_why(test_path("s"), STR("tollgate")),
			    "by HANDOFF_OFF");
	unsetenv("HANDOFF_OFF");
}

static void test_offswitch__the_setting_switches_off_too(void **state)
{
	char path[600];

	(void)state;
	desk();
	snprintf(path, sizeof(path), "%s/handoff/config.json", getenv("XDG_CONFIG_HOME"));
	test_write(path, STR("{\"off\":true}"));
	assert_string_equal(offswitch_why(test_path("s"), STR("tollgate")),
			    "by the setting `off`");
	test_write(path, STR("{\"off\":false}"));
	assert_null(offswitch_why(test_path("s"), STR("tollgate")));
}

static void test_offswitch__without_a_place_it_cannot_be_switched(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	desk();
	assert_int_equal(offswitch_set("", STR_NONE, true, &e), HF_ENOTFOUND);
	assert_true(e.msg[0]);
}

static void test_offswitch__a_failing_call_is_told(void **state)
{
	bool met = true;

	(void)state;
	desk();
	for (int n = 1; met; n++) {
		struct err e = ERR_INIT;
		int ret;

		fault_at(n);
		ret = offswitch_set(test_path("s"), STR("tollgate"), true, &e);
		met = fault_met();
		fault_off();
		assert_true(ret == 0 || e.msg[0]);
		assert_int_equal(
			offswitch_set(test_path("s"), STR("tollgate"), false, NULL), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_offswitch__everywhere_and_for_a_project_are_two_switches),
		cmocka_unit_test(test_offswitch__switching_twice_is_no_failure),
		cmocka_unit_test(test_offswitch__the_environment_is_named),
		cmocka_unit_test(test_offswitch__the_setting_switches_off_too),
		cmocka_unit_test(test_offswitch__without_a_place_it_cannot_be_switched),
		cmocka_unit_test(test_offswitch__a_failing_call_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
