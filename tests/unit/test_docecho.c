#include "fault.h"

#include <stdio.h>

#include "work/docecho.h"

static void test_docecho__other_order_and_other_endings_are_an_echo(void **state)
{
	struct docecho e;

	(void)state;
	docecho_init(&e);
	docecho_add(&e, STR("the retry loop never stops because the timer is reset"));
	assert_true(docecho_has(
		&e, STR("Because the timers are reset, the retry loops never stop"), 90));
	assert_false(docecho_has(
		&e, STR("the lamp is dimmed at night by the hall sensor"), 50));
	docecho_release(&e);
}

static void test_docecho__words_spread_over_two_texts_are_no_echo(void **state)
{
	struct docecho e;

	(void)state;
	docecho_init(&e);
	docecho_add(&e, STR("lamp hall sensor"));
	docecho_add(&e, STR("night timer level"));
	assert_false(docecho_has(&e, STR("lamp hall sensor night timer level"), 60));
	assert_true(docecho_has(&e, STR("lamp hall sensor night timer level"), 50));
	docecho_release(&e);
}

static void test_docecho__short_texts_echo_nothing(void **state)
{
	struct docecho e;

	(void)state;
	docecho_init(&e);
	assert_false(docecho_has(&e, STR("lamp hall sensor night"), 10));
	docecho_add(&e, STR("lamp hall sensor night"));
	assert_false(docecho_has(&e, STR("lamp hall"), 100));
	assert_false(docecho_has(&e, STR("and the of to"), 100));
	docecho_add(&e, STR("About your also would should zzz still You"));
	assert_false(
		docecho_has(&e, STR("about YOUR also would Should zzz still you"), 100));
	assert_true(docecho_has(&e, STR("lamp hall sensor night"), 100));
	docecho_release(&e);
}

static void test_docecho__each_of_many_texts_is_found_again(void **state)
{
	struct docecho e;
	char text[128];
	int i;

	(void)state;
	docecho_init(&e);
	for (i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "alpha%d bravo%d charlie%d delta%d", i, i, i,
			 i);
		assert_false(docecho_has(&e, str_of(text), 50));
		docecho_add(&e, str_of(text));
	}
	for (i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "alpha%d bravo%d charlie%d delta%d", i, i, i,
			 i);
		assert_true(docecho_has(&e, str_of(text), 100));
	}
	docecho_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docecho__other_order_and_other_endings_are_an_echo),
		cmocka_unit_test(test_docecho__words_spread_over_two_texts_are_no_echo),
		cmocka_unit_test(test_docecho__short_texts_echo_nothing),
		cmocka_unit_test(test_docecho__each_of_many_texts_is_found_again),
	};

	return cmocka_run_group_tests_name("docecho", tests, NULL, NULL);
}
