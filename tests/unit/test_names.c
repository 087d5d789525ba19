/* Names for who completes a word. */
#include "deskful.h"

#include "work/names.h"

static struct buf list = BUF_INIT(1u << 20);

static int add(str name, void *arg)
{
	(void)arg;
	buf_printf(&list, "%.*s;", STR_ARG(name));
	return 0;
}

static int stop(str name, void *arg)
{
	(void)name;
	++*(int *)arg;
	return 7;
}

static const char *names(const struct scope *s, enum names_kind k)
{
	struct err e = ERR_INIT;

	buf_reset(&list);
	if (names_each(k, s, add, NULL, &e))
		fail_msg("%s", e.msg);
	return buf_cstr(&list);
}

static void test_names__of_each_kind(void **state)
{
	struct scope s;
	int n = 0;

	(void)state;
	desk();
	desk_scope(&s, NULL);
	assert_string_equal(names(&s, NAMES_ENTITIES), "");
	assert_string_equal(names(&s, NAMES_RECORDS), "");
	test_write("vault/tollgate/entities/Water pump.md", STR("# Water pump\n"));
	test_write("vault/tollgate/entities/Fence.md", STR("# Fence\n"));
	test_write("vault/tollgate/entities/none.txt", STR(""));
	test_write("vault/orchard/entities/Tree.md", STR("# Tree\n"));
	test_write("vault/tollgate/handoffs/20260715T103000Z_7c1e42aa.md", STR("x"));
	test_write("vault/_records/listing/482/price.md", STR("x"));
	test_write("vault/_records/odd%.md", STR("x"));
	test_write("vault/_packets/h_1.md", STR("x"));
	assert_string_equal(names(&s, NAMES_PROJECTS), "orchard;tollgate;");
	assert_string_equal(names(&s, NAMES_ENTITIES), "Fence;Water pump;");
	assert_string_equal(names(&s, NAMES_DOCUMENTS), "20260715T103000Z_7c1e42aa;");
	assert_string_equal(names(&s, NAMES_RECORDS), "listing/482/price;");
	assert_string_equal(names(&s, NAMES_PACKETS), "h_1;");
	assert_non_null(strstr(names(&s, NAMES_SETTINGS), "brief_tokens;"));
	assert_int_equal(names_each(NAMES_ENTITIES, &s, stop, &n, NULL), 7);
	assert_int_equal(n, 1);
	scope_release(&s);
}

static void test_names__what_a_shell_should_not_hold_is_passed_over(void **state)
{
	struct scope s;

	(void)state;
	desk();
	desk_scope(&s, NULL);
	test_write("vault/tollgate/entities/two\nlines.md", STR("x"));
	test_write("vault/tollgate/entities/\x1b[31mred.md", STR("x"));
	test_write("vault/tollgate/entities/ghp_0123456789abcdefghijABCDEFGHIJ012345.md",
		   STR("x"));
	test_write("vault/tollgate/entities/$(plain).md", STR("x"));
	assert_string_equal(names(&s, NAMES_ENTITIES), "$(plain);");
	scope_release(&s);
}

static void test_names__words_of_the_kinds(void **state)
{
	enum names_kind k;

	(void)state;
	for (int i = 0; i < NAMES_KINDS; i++) {
		assert_true(names_kind_of(str_of(names_word((enum names_kind)i)), &k));
		assert_int_equal(k, i);
	}
	assert_false(names_kind_of(STR("bash"), &k));
}

static void test_names__a_folder_that_fails_is_told_or_passed_over(void **state)
{
	struct scope s;
	bool met;
	int k = 0;

	(void)state;
	desk();
	desk_scope(&s, NULL);
	test_write("vault/tollgate/entities/Fence.md", STR("# Fence\n"));
	test_write("vault/_records/a/b.md", STR("x"));
	do {
		fault_at(++k);
		for (int i = 0; i < NAMES_SETTINGS; i++) {
			struct err e = ERR_INIT;
			int ret;

			buf_reset(&list);
			ret = names_each((enum names_kind)i, &s, add, NULL, &e);
			assert_true(!ret || e.msg[0]);
		}
		met = fault_met();
		fault_off();
	} while (met);
	scope_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names__of_each_kind),
		cmocka_unit_test(test_names__what_a_shell_should_not_hold_is_passed_over),
		cmocka_unit_test(test_names__words_of_the_kinds),
		cmocka_unit_test(test_names__a_folder_that_fails_is_told_or_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
