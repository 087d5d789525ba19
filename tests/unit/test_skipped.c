#include "fault.h"

#include <stdio.h>
#include <sys/stat.h>

#include "data/jsondoc.h"
#include "work/skipped.h"

#define AT   "(imp:3 \xC2\xB7 2026-01-03T09:00:00+00:00) "
#define GOOD "- **[goal]** " AT "Ship. <!-- id=ev_1 -->\n"

static struct vault vault;

static int setup(void **state)
{
	(void)state;
	test_dir();
	return vault_open(&vault, test_path("vault"), NULL);
}

static int teardown(void **state)
{
	(void)state;
	vault_release(&vault);
	return 0;
}

static struct buf text;

static const char *told(void)
{
	struct skipped s;

	buf_release(&text);
	text = BUF_INIT(1u << 20);
	skipped_find(&s, &vault, STR("p"));
	skipped_text(&s, &text);
	skipped_release(&s);
	return buf_cstr(&text);
}

static void test_skipped__of_notes_that_are_read_as_a_whole_is_nothing(void **state)
{
	(void)state;
	assert_string_equal(told(), "");
	assert_false(vault_exists(&vault));
	test_write("vault/p/sessions/s.md", STR("# prose\n\n- a bullet\n" GOOD "\n"));
	test_write("vault/p/entities/E.md",
		   STR("# E\n\n- **[goal]** is no event here\n"));
	test_write("vault/q/sessions/s.md", STR("- **[goal]** of another project\n"));
	assert_string_equal(told(), "");
}

static void test_skipped__counts_lines_and_names_notes(void **state)
{
	struct buf b = BUF_INIT(4u << 20);

	(void)state;
	buf_add(&b, STR(GOOD "- **[wish]** " AT
			     "x <!-- id=ev_2 -->\n- **[goal]** no more\n"));
	buf_add(&b, STR("- **[goal]** " AT));
	buf_fill(&b, 'w', 300u << 10);
	buf_add(&b, STR(" <!-- id=ev_3 -->\n"));
	test_write("vault/p/sessions/s.md", buf_str(&b));
	assert_string_equal(
		told(),
		"Notes: 1 is not in memory as a whole\n  p/sessions/s.md: 3 lines passed over "
		"(lines that begin as an event and are none; a line over 256 KB)\n");
	/* what is added later counts once, and what was there before not again */
	buf_add(&b, STR("- **[goal]** " AT " <!-- id=ev_4 -->\n"));
	test_write("vault/p/sessions/s.md", buf_str(&b));
	assert_non_null(strstr(told(), ": 4 lines passed over ("));
	test_write("vault/p/sessions/s.md", STR("- **[goal]** no more\n" GOOD));
	assert_non_null(strstr(
		told(),
		": 1 line passed over (lines that begin as an event and are none)\n"));
	test_write("vault/p/sessions/s.md", STR(GOOD));
	assert_string_equal(told(), "");
	buf_release(&b);
}

static void test_skipped__names_the_first_files_and_counts_the_rest(void **state)
{
	struct buf json = BUF_INIT(1u << 20), b = BUF_INIT(1u << 20);
	struct jsondoc *d;
	const struct jsonval *v;
	struct skipped s;
	char name[64];

	(void)state;
	for (int i = 0; i < 120; i++) {
		snprintf(name, sizeof name, "vault/p/sessions/s%03d.md", i);
		test_write(name, STR("- **[goal]** no more\n"));
	}
	buf_add(&b, STR("# E\n\n- "));
	buf_fill(&b, 'w', 9000);
	test_write("vault/p/entities/E.md", buf_str(&b));
	assert_int_equal(mkfifo(test_path("vault/p/sessions/a.md"), 0600), 0);
	assert_true(str_starts(
		str_of(told()),
		STR("Notes: 122 are not in memory as a whole\n"
		    "  p/sessions/a.md: no regular file\n  p/sessions/s000.md: 1 line ")));
	assert_non_null(strstr(told(), "\n  and 117 more; 120 lines in all\n"));
	skipped_find(&s, &vault, STR("p"));
	skipped_json(&s, &json);
	skipped_release(&s);
	d = jsondoc_parse(buf_str(&json), json.n, NULL);
	v = jsondoc_root(d);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "files"), 0), 122);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "lines"), 0), 120);
	assert_true(jsondoc_is_null(jsondoc_get(v, "note")));
	v = jsondoc_first(jsondoc_get(v, "first"));
	assert_true(str_eq(jsondoc_str(jsondoc_get(v, "file")), STR("p/sessions/a.md")));
	jsondoc_free(d);
	buf_release(&json);
	buf_release(&b);
}

/* Whatever fails: it says what there is, or that it could not look. The first call asks whether there is a vault. */
static void test_skipped__no_failing_call_makes_it_silent(void **state)
{
	int n = 1;
	bool met;

	(void)state;
	test_write("vault/p/sessions/s.md", STR("- **[goal]** no more\n"));
	do {
		fault_at(++n);
		told();
		met = fault_met();
		fault_off();
		assert_true(text.n > 0);
	} while (met);
	assert_non_null(strstr(told(), "1 line passed over"));
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_skipped__of_notes_that_are_read_as_a_whole_is_nothing, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_skipped__counts_lines_and_names_notes, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_skipped__names_the_first_files_and_counts_the_rest, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_skipped__no_failing_call_makes_it_silent, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
