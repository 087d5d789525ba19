#include "fault.h"

#include <math.h>

#include "work/outcome.h"

static double times(enum outcome_kind k, double c, int n)
{
	while (n-- > 0)
		c = outcome_apply(k, c);
	return c;
}

static void test_outcome__the_figures_of_the_demo(void **state)
{
	(void)state;
	assert_true(outcome_apply(OUTCOME_SUCCESS, 0.80) == 0.84);
	assert_true(outcome_apply(OUTCOME_FAILURE, 0.60) == 0.39);
	assert_true(outcome_apply(OUTCOME_FAILURE, outcome_apply(OUTCOME_SUCCESS, 0.5)) ==
		    0.39);
	assert_true(
		fabs(outcome_apply(OUTCOME_SUCCESS, outcome_apply(OUTCOME_FAILURE, 0.5)) -
		     0.46) < 1e-12);
}

static void test_outcome__inside_stays_inside_however_often(void **state)
{
	(void)state;
	for (int k = 0; k < OUTCOME_KINDS; k++) {
		for (int i = 1; i < 1000; i++) {
			double c = times((enum outcome_kind)k, i / 1000.0, 3000);

			assert_true(c > 0 && c < 1);
			/* and it can always come back */
			assert_true(outcome_apply(OUTCOME_FAILURE, c) < c ||
				    c <= OUTCOME_LEAST);
			assert_true(outcome_apply(OUTCOME_SUCCESS, c) > c ||
				    c >= OUTCOME_MOST);
		}
	}
}

static void test_outcome__monotone_in_both_directions(void **state)
{
	(void)state;
	for (int i = 0; i <= 10000; i++) {
		double c = i / 10000.0, d = (i + 1) / 10000.0;

		for (int k = 0; k < OUTCOME_KINDS; k++) {
			double next = outcome_apply((enum outcome_kind)k, c);

			if (outcome_is_success((enum outcome_kind)k))
				assert_true(next >= c);
			else if (outcome_is_failure((enum outcome_kind)k))
				assert_true(next <= c);
			else
				assert_true(next == c);
			if (i < 10000)
				assert_true(outcome_apply((enum outcome_kind)k, d) >=
					    next);
		}
	}
}

static void test_outcome__the_edges_hold_in_one_direction_only(void **state)
{
	(void)state;
	assert_true(outcome_apply(OUTCOME_SUCCESS, 1) == 1);
	assert_true(outcome_apply(OUTCOME_FAILURE, 1) == 0.65);
	assert_true(outcome_apply(OUTCOME_FAILURE, 0) == 0);
	assert_true(outcome_apply(OUTCOME_SUCCESS, 0) == 0.2);
}

static void test_outcome__closed_forms_of_n_equal_outcomes(void **state)
{
	(void)state;
	for (int n = 0; n < 20; n++) {
		assert_true(fabs(times(OUTCOME_SUCCESS, 0.3, n) -
				 (1 - 0.7 * pow(0.8, n))) < 1e-10);
		if (n < 12)
			assert_true(fabs(times(OUTCOME_FAILURE, 0.9, n) -
					 0.9 * pow(0.65, n)) < 1e-10);
	}
}

static void test_outcome__names_are_those_of_the_table(void **state)
{
	enum outcome_kind k;

	(void)state;
	for (int i = 0; i < OUTCOME_KINDS; i++) {
		assert_true(outcome_of(str_of(outcome_names[i]), &k));
		assert_int_equal(k, i);
	}
	assert_false(outcome_of(STR("Success"), &k));
	assert_false(outcome_of(STR_NONE, &k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcome__the_figures_of_the_demo),
		cmocka_unit_test(test_outcome__inside_stays_inside_however_often),
		cmocka_unit_test(test_outcome__monotone_in_both_directions),
		cmocka_unit_test(test_outcome__the_edges_hold_in_one_direction_only),
		cmocka_unit_test(test_outcome__closed_forms_of_n_equal_outcomes),
		cmocka_unit_test(test_outcome__names_are_those_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
