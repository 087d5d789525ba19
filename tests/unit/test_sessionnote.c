#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/event.h"
#include "work/sessionnote.h"

#define SESSION STR("7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47")
#define STARTED INT64_C(1770920402123) /* 2026-02-12T18:20:02.123Z */
#define NAME    "s_20260212T182002_7c1e42"
#define PLACE   "vault/p/sessions/"
#define HEADER(id)                                                                       \
	"---\nid: " id "\nproject: p\nstarted_at: 2026-02-12T18:20:02.123000+00:00\n"    \
	"status: active\nsummary: \n---\n\n# Session " id                                \
	" \xe2\x80\x94 p\n\n## Log\n\n"

static struct vault open_vault(void)
{
	struct vault v;

	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	assert_int_equal(vault_open(&v, NULL, NULL), 0);
	return v;
}

static int add(struct vault *v, const struct sessionnote *n, const char *lines,
	       struct buf *file, bool *made)
{
	return sessionnote_add(v, n, STR("p"), str_of(lines), 100, file, made, NULL);
}

static void test_sessionnote__is_named_by_start_and_session(void **state)
{
	struct sessionnote n;

	(void)state;
	sessionnote_of(&n, SESSION, STARTED);
	assert_string_equal(n.id, NAME);
	assert_true(sessionnote_is(&n, STR(NAME)));
	assert_true(sessionnote_is(&n, STR(NAME "-2")));
	assert_false(sessionnote_is(&n, STR("s_20260212T182002_7c1e43")));
	assert_true(sessionnote_has_hex(STR(NAME ".md"), "7c1e42"));
	assert_true(sessionnote_has_hex(STR(NAME "-3.md"), "7c1e42"));
	assert_false(sessionnote_has_hex(STR("x7c1e42.md"), "7c1e42"));
	assert_false(sessionnote_has_hex(STR(NAME ".md"), "aaaaaa"));
}

static void test_sessionnote__an_id_that_is_no_hex_is_hashed(void **state)
{
	struct sessionnote a, b;

	(void)state;
	sessionnote_of(&a, STR("my-session"), STARTED);
	sessionnote_of(&b, STR("my-session"), STARTED);
	assert_string_equal(a.id, b.id);
	sessionnote_of(&b, STR("my-other"), STARTED);
	assert_string_not_equal(a.id, b.id);
	assert_int_equal(strlen(a.id), strlen(NAME));
}

static void test_sessionnote__of_no_session_is_another_one_each_time(void **state)
{
	struct sessionnote a, b;

	(void)state;
	sessionnote_random(&a, STARTED * 1000);
	sessionnote_random(&b, STARTED * 1000);
	assert_true(str_starts(str_of(a.id), STR("s_20260212T182002_")));
	assert_string_not_equal(a.id, b.id);
}

static void test_sessionnote__whoever_comes_first_makes_it_and_all_add_to_it(void **state)
{
	struct vault v = open_vault(), w;
	struct buf file = BUF_INIT(200);
	struct sessionnote n, m;
	bool made;

	(void)state;
	assert_int_equal(vault_open(&w, NULL, NULL), 0);
	sessionnote_of(&n, SESSION, STARTED);
	sessionnote_of(&m, SESSION, STARTED);
	assert_int_equal(add(&v, &n, "one\n", &file, &made), 0);
	assert_true(made);
	assert_string_equal(buf_cstr(&file), NAME ".md");
	assert_int_equal(add(&w, &m, "two\n", NULL, &made), 0);
	assert_false(made);
	assert_true(test_is(PLACE NAME ".md", HEADER(NAME) "one\ntwo\n"));
	buf_release(&file);
	vault_release(&v);
	vault_release(&w);
}

static void test_sessionnote__nothing_is_added_to_a_note_of_another_program(void **state)
{
	struct vault v = open_vault();
	struct buf file = BUF_INIT(200);
	struct sessionnote n;
	bool made;

	(void)state;
	sessionnote_of(&n, SESSION, STARTED);
	/* the same name, begun at another moment; and one that is no session note at all */
	test_write(PLACE NAME ".md", STR("---\nid: " NAME "\nproject: p\n"
					 "started_at: 2026-02-12T18:20:02.500000+00:00\n"
					 "status: active\nsummary: \n---\n"));
	test_write(PLACE NAME "-2.md", STR("my own words\n"));
	assert_int_equal(add(&v, &n, "one\n", &file, &made), 0);
	assert_true(made);
	assert_string_equal(buf_cstr(&file), NAME "-3.md");
	assert_true(test_is(PLACE NAME "-3.md", HEADER(NAME "-3") "one\n"));
	assert_true(test_is(PLACE NAME "-2.md", "my own words\n"));
	assert_int_equal(add(&v, &n, "two\n", NULL, &made), 0);
	assert_false(made);
	assert_true(test_is(PLACE NAME "-3.md", HEADER(NAME "-3") "one\ntwo\n"));
	buf_release(&file);
	vault_release(&v);
}

static void
test_sessionnote__stays_ours_when_handoff_mcp_or_a_person_rewrote_it(void **state)
{
	struct vault v = open_vault();
	struct sessionnote n;
	bool made;

	(void)state;
	sessionnote_of(&n, SESSION, STARTED);
	test_write(PLACE NAME ".md",
		   STR("---\ntags: x\nid: " NAME "\nproject: p\n"
		       "started_at: 2026-02-12T18:20:02.123000+00:00\nstatus: done\n"
		       "summary: all of it\n---\n\nbody"));
	assert_int_equal(add(&v, &n, "one\n", NULL, &made), 0);
	assert_false(made);
	assert_true(str_ends(test_read(PLACE NAME ".md"), STR("\n\nbody\none\n")));
	vault_release(&v);
}

static void test_sessionnote__a_bad_project_and_taken_names_are_errors(void **state)
{
	struct vault v = open_vault();
	struct err e = ERR_INIT;
	struct sessionnote n;
	char path[100];

	(void)state;
	sessionnote_of(&n, SESSION, STARTED);
	assert_int_equal(
		sessionnote_add(&v, &n, STR("../x"), STR("one\n"), 100, NULL, NULL, &e),
		HF_EUSAGE);
	assert_int_equal(v.lock, -1);
	test_write(PLACE NAME ".md", STR("x"));
	for (int i = 2; i < 10; i++) {
		snprintf(path, sizeof path, PLACE NAME "-%d.md", i);
		test_write(path, STR("x"));
	}
	assert_int_equal(add(&v, &n, "one\n", NULL, NULL), HF_ELIMIT);
	assert_int_equal(v.lock, -1);
	vault_release(&v);
}

static void test_sessionnote__every_failing_call_leaves_whole_lines(void **state)
{
	struct vault v = open_vault();
	struct sessionnote n;
	bool met;
	int at = 0, ret;

	(void)state;
	sessionnote_of(&n, SESSION, STARTED);
	do {
		unlink(test_path(PLACE NAME ".md"));
		unlink(test_path(PLACE NAME "-2.md"));
		fault_at(++at);
		ret = add(&v, &n, "one\n", NULL, NULL);
		met = fault_met();
		fault_off();
		assert_int_equal(v.lock, -1);
		assert_true(test_is(PLACE NAME ".md", HEADER(NAME) "one\n") ||
			    (ret && !test_exists(PLACE NAME ".md")));
		assert_false(test_exists(PLACE NAME "-2.md"));
	} while (met);
	assert_int_equal(ret, 0);
	/* and a second line: never into a sibling because the first note could not be read */
	at = 0;
	do {
		fault_at(++at);
		ret = add(&v, &n, "two\n", NULL, NULL);
		met = fault_met();
		fault_off();
		assert_true(str_starts(test_read(PLACE NAME ".md"),
				       STR(HEADER(NAME) "one\n")));
		assert_true(!ret == str_ends(test_read(PLACE NAME ".md"), STR("two\n")) ||
			    ret);
		assert_false(test_exists(PLACE NAME "-2.md"));
	} while (met);
	assert_int_equal(ret, 0);
	vault_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sessionnote__is_named_by_start_and_session),
		cmocka_unit_test(test_sessionnote__an_id_that_is_no_hex_is_hashed),
		cmocka_unit_test(
			test_sessionnote__of_no_session_is_another_one_each_time),
		cmocka_unit_test(
			test_sessionnote__whoever_comes_first_makes_it_and_all_add_to_it),
		cmocka_unit_test(
			test_sessionnote__nothing_is_added_to_a_note_of_another_program),
		cmocka_unit_test(
			test_sessionnote__stays_ours_when_handoff_mcp_or_a_person_rewrote_it),
		cmocka_unit_test(
			test_sessionnote__a_bad_project_and_taken_names_are_errors),
		cmocka_unit_test(test_sessionnote__every_failing_call_leaves_whole_lines),
	};

	return cmocka_run_group_tests_name("sessionnote", tests, NULL, NULL);
}
