#include "fault.h"

#include <stdlib.h>

#include "base/buf.h"
#include "work/identity.h"

static struct vault vault;

static void open_vault(void)
{
	test_dir();
	assert_int_equal(vault_open(&vault, test_path("vault"), NULL), 0);
}

static struct project named(const char *name, const char *id, const char *alias)
{
	return (struct project){.name = (char *)(uintptr_t)name,
				.id = (char *)(uintptr_t)id,
				.alias = (char *)(uintptr_t)alias,
				.source = PROJECT_BY_REPOSITORY};
}

static const char *folder_of(const struct project *p)
{
	static struct buf b = BUF_INIT(300);

	buf_reset(&b);
	assert_int_equal(identity_folder(&vault, p, &b, NULL), 0);
	return buf_cstr(&b);
}

static void test_identity__the_first_of_a_name_has_its_folder_and_keeps_it(void **state)
{
	struct project a = named("gate", "remote:example.com/a/gate", "path:/srv/a/gate");
	struct project b = named("gate", "remote:example.com/b/gate", "path:/srv/b/gate");

	(void)state;
	open_vault();
	assert_string_equal(folder_of(&a), "gate");
	assert_int_equal(identity_record(&vault, &a, STR("gate"), NULL), 0);
	assert_true(test_is("vault/gate/project.md",
			    "---\ntype: project\nid: remote:example.com/a/gate\n"
			    "aliases: [path:/srv/a/gate]\nname: gate\n---\n\n# gate\n"));
	assert_string_equal(folder_of(&a), "gate");
	assert_true(str_starts(str_of(folder_of(&b)), STR("gate-")));
	assert_int_equal(identity_record(&vault, &a, STR("gate"), NULL), 0);
	assert_int_equal(vault.lock, -1);
	vault_release(&vault);
}

static void test_identity__a_remote_that_came_later_is_the_same_project(void **state)
{
	struct project before = named("gate", "path:/tmp", "path:/tmp");
	struct project after = named("gate", "remote:example.com/a/gate", "path:/tmp");
	struct project again = named("gate", "remote:example.com/a/gate", "path:/var");

	(void)state;
	open_vault();
	assert_int_equal(identity_record(&vault, &before, STR("gate"), NULL), 0);
	assert_string_equal(folder_of(&after), "gate");
	assert_int_equal(identity_record(&vault, &after, STR("gate"), NULL), 0);
	/* another clone of it is known by the remote now */
	assert_string_equal(folder_of(&again), "gate");
	assert_true(test_is(
		"vault/gate/project.md",
		"---\ntype: project\nid: path:/tmp\n"
		"aliases: [remote:example.com/a/gate]\nname: gate\n---\n\n# gate\n"));
	vault_release(&vault);
}

static void test_identity__a_project_that_moved_takes_its_folder_along(void **state)
{
	struct project before = named("gate", "path:/nowhere/gate", "path:/nowhere/gate");
	struct project after = named("gate", "path:/tmp", "path:/tmp");

	(void)state;
	open_vault();
	assert_int_equal(identity_record(&vault, &before, STR("gate"), NULL), 0);
	assert_string_equal(folder_of(&after), "gate");
	vault_release(&vault);
}

static void test_identity__a_folder_of_another_program_belongs_to_its_name(void **state)
{
	struct project p = named("gate", "remote:example.com/a/gate", "path:/srv/a/gate");

	(void)state;
	open_vault();
	test_write("vault/gate/sessions/s.md", STR("---\nid: s\n---\n"));
	assert_string_equal(folder_of(&p), "gate");
	test_write("vault/gate/project.md", STR("# a note of mine\n"));
	assert_string_equal(folder_of(&p), "gate");
	assert_int_equal(identity_record(&vault, &p, STR("gate"), NULL), 0);
	assert_true(test_is("vault/gate/project.md", "# a note of mine\n"));
	vault_release(&vault);
}

static void test_identity__a_given_name_is_taken_as_it_is(void **state)
{
	struct project a = named("gate", "remote:example.com/a/gate", "path:/srv/a/gate");
	struct project b = named("gate", "remote:example.com/b/gate", "path:/srv/b/gate");

	(void)state;
	open_vault();
	assert_int_equal(identity_record(&vault, &a, STR("gate"), NULL), 0);
	b.source = PROJECT_BY_ENV;
	assert_string_equal(folder_of(&b), "gate");
	vault_release(&vault);
}

static void test_identity__every_failing_call_leaves_old_or_new(void **state)
{
	struct project a = named("gate", "path:/tmp", "path:/tmp");
	struct project b = named("gate", "remote:example.com/a/gate", "path:/tmp");
	bool met;
	int n = 0;

	(void)state;
	open_vault();
	assert_int_equal(identity_record(&vault, &a, STR("gate"), NULL), 0);
	do {
		str text;

		fault_at(++n);
		identity_record(&vault, &b, STR("gate"), NULL);
		met = fault_met();
		fault_off();
		vault_unlock(&vault);
		text = test_read("vault/gate/project.md");
		assert_true(str_ends(text, STR("---\n\n# gate\n")));
	} while (met);
	assert_true(n > 4);
	vault_release(&vault);
}

static void test_identity__one_rule_for_the_names_that_are_given(void **state)
{
	static const char secret[] = "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
	struct project env = named("_records", "path:/a", "path:/a");
	struct project dir = named(secret, "path:/a", "path:/a");
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT(300);

	(void)state;
	open_vault();
	assert_int_equal(identity_name(STR("gate"), false, NULL), 0);
	assert_int_equal(identity_name(STR(".hidden"), true, NULL), 0);
	assert_int_equal(identity_name(STR(".hidden"), false, &e), HF_EUSAGE);
	assert_string_equal(e.msg, "invalid project: '.hidden' (a leading dot)");
	e = ERR_INIT;
	assert_int_equal(identity_name(STR("_records"), true, &e), HF_EUSAGE);
	assert_string_equal(
		e.msg,
		"invalid project: '_records' (the vault keeps something else there)");
	e = ERR_INIT;
	assert_int_equal(identity_name(str_of(secret), true, &e), HF_EUSAGE);
	assert_string_equal(e.msg, "invalid project: a secret is no name for it");
	env.source = PROJECT_BY_ENV;
	assert_int_equal(identity_folder(&vault, &env, &b, NULL), HF_EUSAGE);
	/* a directory of that name has to have some project */
	assert_true(str_starts(str_of(folder_of(&dir)), STR("project-")));
	vault_release(&vault);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_identity__the_first_of_a_name_has_its_folder_and_keeps_it),
		cmocka_unit_test(
			test_identity__a_remote_that_came_later_is_the_same_project),
		cmocka_unit_test(
			test_identity__a_project_that_moved_takes_its_folder_along),
		cmocka_unit_test(
			test_identity__a_folder_of_another_program_belongs_to_its_name),
		cmocka_unit_test(test_identity__a_given_name_is_taken_as_it_is),
		cmocka_unit_test(test_identity__one_rule_for_the_names_that_are_given),
		cmocka_unit_test(test_identity__every_failing_call_leaves_old_or_new),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
