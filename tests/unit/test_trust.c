#include "fault.h"

#include <stdlib.h>

#include "base/buf.h"
#include "work/trust.h"

static void test_trust__a_text_is_known_once_it_was_accepted_and_no_other(void **state)
{
	(void)state;
	test_dir();
	assert_false(trust_knows(test_path("s"), STR("words")));
	assert_int_equal(trust_text(test_path("s"), STR("words"), NULL), 0);
	assert_true(trust_knows(test_path("s"), STR("words")));
	assert_false(trust_knows(test_path("s"), STR("word")));
	assert_false(trust_knows(test_path("s"), STR("words\n")));
}

static void test_trust__a_name_is_bound_replaced_and_taken_away(void **state)
{
	struct buf name = BUF_INIT(300);

	(void)state;
	test_dir();
	assert_false(trust_named(test_path("s"), "path:/x", &name));
	assert_int_equal(trust_name(test_path("s"), "path:/x", STR("gate"), NULL), 0);
	assert_true(trust_named(test_path("s"), "path:/x", &name));
	assert_string_equal(buf_cstr(&name), "gate");
	assert_false(trust_named(test_path("s"), "path:/y", &name));
	buf_reset(&name);
	assert_int_equal(trust_name(test_path("s"), "path:/x", STR("toll"), NULL), 0);
	assert_true(trust_named(test_path("s"), "path:/x", &name));
	assert_string_equal(buf_cstr(&name), "toll");
	assert_int_equal(trust_name(test_path("s"), "path:/x", STR(""), NULL), 0);
	assert_int_equal(trust_name(test_path("s"), "path:/x", STR(""), NULL), 0);
	assert_false(trust_named(test_path("s"), "path:/x", &name));
	buf_release(&name);
}

static void test_trust__a_name_that_is_a_path_is_refused(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	assert_int_equal(trust_name(test_path("s"), "path:/x", STR("../gate"), &e),
			 HF_EUSAGE);
	assert_int_equal(test_entries(test_path("s")), -1);
}

static void test_trust__without_a_place_nothing_is_known_and_nothing_kept(void **state)
{
	struct buf name = BUF_INIT(300);
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	assert_int_equal(trust_text("", STR("words"), &e), HF_ENOTFOUND);
	assert_false(trust_knows("", STR("words")));
	assert_false(trust_named("", "path:/x", &name));
	buf_release(&name);
}

static void test_trust__a_failing_call_leaves_the_old_name_or_the_new(void **state)
{
	bool met = true;

	(void)state;
	test_dir();
	for (int n = 1; met; n++) {
		struct buf name = BUF_INIT(300);
		struct err e = ERR_INIT;

		assert_int_equal(trust_name(test_path("s"), "path:/x", STR("old"), NULL),
				 0);
		fault_at(n);
		trust_name(test_path("s"), "path:/x", STR("new"), &e);
		met = fault_met();
		fault_off();
		assert_true(trust_named(test_path("s"), "path:/x", &name));
		assert_true(str_eq(buf_str(&name), STR("old")) ||
			    str_eq(buf_str(&name), STR("new")));
		buf_release(&name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_trust__a_text_is_known_once_it_was_accepted_and_no_other),
		cmocka_unit_test(test_trust__a_name_is_bound_replaced_and_taken_away),
		cmocka_unit_test(test_trust__a_name_that_is_a_path_is_refused),
		cmocka_unit_test(
			test_trust__without_a_place_nothing_is_known_and_nothing_kept),
		cmocka_unit_test(
			test_trust__a_failing_call_leaves_the_old_name_or_the_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
