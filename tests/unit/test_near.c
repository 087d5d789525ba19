/* Projects whose names are like one. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "work/near.h"

static struct vault vault;
static struct index *ix;

static int setup(void **state)
{
	static const char *const have[] = {"lantern", "lantern-web", "Toll_Gate", "zebra",
					   "ab"};
	struct index_file f = {.folder = VAULT_SESSIONS, .name = STR("s_1.md")};
	int ret;

	(void)state;
	test_dir();
	ret = vault_open(&vault, test_path("vault"), NULL) ||
	      index_open(&ix, &vault, 50, NULL) || index_begin(ix, NULL);
	for (size_t i = 0; i < sizeof(have) / sizeof(*have) && !ret; i++) {
		f.id = 0;
		f.project = str_of(have[i]);
		ret = index_file_put(ix, &f, NULL);
	}
	return ret || index_commit(ix, NULL);
}

static int teardown(void **state)
{
	(void)state;
	index_free(ix);
	vault_release(&vault);
	return 0;
}

static void near_is(const char *project, const char *want)
{
	char *names = NULL;

	assert_int_equal(near_projects(ix, str_of(project), &names, NULL), 0);
	assert_string_equal(names ? names : "", want);
	free(names);
}

static void test_near__part_case_signs_and_two_letters(void **state)
{
	(void)state;
	near_is("lantrn", "lantern");
	near_is("Lantern", "lantern, lantern-web");
	near_is("lantern", "lantern-web");
	near_is("tollgate", "Toll_Gate");
	near_is("zebras", "zebra");
	near_is("xyz", "");
	near_is("", "");
	near_is("---", "");
	/* two letters differ in every short name */
	near_is("cd", "");
}

static void test_near__names_of_any_length(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	near_is(name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near__part_case_signs_and_two_letters),
		cmocka_unit_test(test_near__names_of_any_length),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
