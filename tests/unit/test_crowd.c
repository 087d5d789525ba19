/*
 * Many programs at one vault. HANDOFF_PROOF=full runs it at its full size (minutes); its
 * figures are printed by tests/bench/bench_crowd.
 */
#include "fault.h"

#include "crowd.h"

static void test_crowd__what_was_acknowledged_is_there_whoever_dies(void **state)
{
	const char *proof = getenv("HANDOFF_PROOF");
	bool full = proof && strcmp(proof, "full") == 0;
	struct crowd c = {.writers = full ? 16 : 8,
			  .writes = full ? 500 : 100,
			  .kills = full ? 1000 : 60};

	(void)state;
	c.dir = test_dir();
	crowd_run(&c);
	/* what is seen once in a thousand runs has to say all it knows at once */
	print_message("failed %u, acknowledged %u of at least %u, there %u, twice %u, foreign %u, "
		      "there %u, torn %u, active %u, indexed %u\n",
		      c.failed, c.acknowledged, c.writers * c.writes, c.there, c.twice,
		      c.foreign, c.foreign_there, c.torn, c.active, c.active_indexed);
	assert_int_equal(c.failed, 0);
	assert_true(c.acknowledged >= c.writers * c.writes);
	assert_int_equal(c.there, c.acknowledged);
	assert_int_equal(c.twice, 0);
	assert_true(c.foreign > 20);
	assert_int_equal(c.foreign_there, c.foreign);
	assert_true(c.torn <= crowd_torn_max(&c));
	assert_int_equal(c.active_indexed, c.active);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowd__what_was_acknowledged_is_there_whoever_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
