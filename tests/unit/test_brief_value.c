/* What the brief is worth beside a naive dump: no stale fact, all that is needed, within the budget. */
#include "fault.h"

#include "../bench/reconstruct.h"

static struct vault vault;
static struct index *ix;

static int setup(void **state)
{
	(void)state;
	test_dir();
	return vault_open(&vault, test_path("vault"), NULL) ||
	       index_open(&ix, &vault, 50, NULL);
}

static int teardown(void **state)
{
	(void)state;
	index_free(ix);
	vault_release(&vault);
	return 0;
}

static void test_supersession__alone_keeps_stale_facts_out(void **state)
{
	size_t leaked, kept;

	(void)state;
	reconstruct_topics(ix, STR("off"), true, &leaked, &kept);
	assert_int_equal(leaked, 4);
	assert_int_equal(kept, 4);
	reconstruct_topics(ix, STR("on"), false, &leaked, &kept);
	assert_int_equal(leaked, 0);
	assert_int_equal(kept, 4);
}

static void test_brief__of_noise_keeps_what_counts_within_its_budget(void **state)
{
	static const int noise[] = {0, 20, 80, 200};
	struct reconstruct_score s, first = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char project[16];

		snprintf(project, sizeof(project), "noise%d", noise[i]);
		s = reconstruct_project(ix, str_of(project), noise[i]);
		if (!i)
			first = s;
		assert_int_equal(s.events, 28 + noise[i]);
		assert_true(s.brief_tokens <= RECONSTRUCT_BUDGET);
		assert_int_equal(s.kept, s.wanted);
		assert_int_equal(s.brief_stale, 0);
		assert_int_equal(s.dump_stale, 3);
		/* it does not grow with the noise, but for the digits of the count */
		assert_true(s.brief_tokens <= first.brief_tokens + 1);
	}
	/* the last one is the largest */
	assert_true(s.dump_tokens * 10 >= 141 * s.brief_tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_supersession__alone_keeps_stale_facts_out),
		T(test_brief__of_noise_keeps_what_counts_within_its_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
