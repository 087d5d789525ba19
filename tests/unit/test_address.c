#include "fault.h"

#include <string.h>

#include "data/address.h"

static void path_is(const char *text, const char *want)
{
	struct buf b = BUF_INIT(1 << 16);
	struct address a, back;

	assert_int_equal(address_of(&a, str_of(text), STR_NONE, NULL), 0);
	address_path(&b, &a);
	if (want)
		assert_str(buf_str(&b), str_of(want));
	assert_int_equal(address_from_path(&back, buf_str(&b), NULL), 0);
	assert_str(str_of(back.text), str_of(text));
	address_release(&a);
	address_release(&back);
	buf_release(&b);
}

static void test_address__plain_names_are_themselves(void **state)
{
	(void)state;
	path_is("listing/482/assessment", "listing/482/assessment.md");
	path_is("source/boards-example/rate-limit",
		"source/boards-example/rate-limit.md");
	path_is("a/b c", "a/b c.md");
}

static void test_address__the_last_part_is_the_key(void **state)
{
	struct address a, b;

	(void)state;
	assert_int_equal(address_of(&a, STR("a/b"), STR("c"), NULL), 0);
	assert_int_equal(address_of(&b, STR("a"), STR("b/c"), NULL), 0);
	assert_string_equal(a.text, b.text);
	assert_str(a.scope, STR("a/b"));
	assert_str(b.key, STR("c"));
	address_release(&a);
	address_release(&b);
}

static void test_address__names_with_a_meaning_and_odd_ones_are_escaped(void **state)
{
	(void)state;
	path_is("sessions/entities", "%73essions/%65ntities.md");
	path_is("archive/x", "%61rchive/x.md");
	path_is("handoffs/sessions2", "%68andoffs/sessions2.md");
	path_is("notes.md/read.md", "notes%2Emd/read%2Emd.md");
	path_is("a:b/c?d*", "a%3Ab/c%3Fd%2A.md");
	path_is(".hidden/end.", "%2Ehidden/end%2E.md");
	path_is("50%/x", "50%25/x.md");
	path_is("con/nul.txt", "%63on/%6Eul.txt.md");
	path_is("com1/coming", "%63om1/coming.md");
}

static void test_address__what_folds_together_is_kept_apart(void **state)
{
	static const char *const same[] = {"k/readme", "k/README", "k/ReadMe",
					   "k/caf\xc3\xa9", "k/cafe\xcc\x81"};
	struct buf a = BUF_INIT(1 << 12), b = BUF_INIT(1 << 12);
	struct address x, y;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		path_is(same[i], NULL);
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < i; k++) {
			buf_reset(&a);
			buf_reset(&b);
			address_of(&x, str_of(same[i]), STR_NONE, NULL);
			address_of(&y, str_of(same[k]), STR_NONE, NULL);
			address_path(&a, &x);
			address_path(&b, &y);
			assert_false(str_ieq(buf_str(&a), buf_str(&b)));
			address_release(&x);
			address_release(&y);
		}
	}
	buf_release(&a);
	buf_release(&b);
}

static void test_address__a_long_segment_becomes_folders_of_names_that_fit(void **state)
{
	struct buf text = BUF_INIT(1 << 12), path = BUF_INIT(1 << 12);
	struct address a;
	str rest, part;

	(void)state;
	buf_add(&text, STR("scope/"));
	for (int i = 0; i < 150; i++)
		buf_add(&text, i % 3 ? STR("\xc3\xa4") : STR("?A"));
	path_is(buf_cstr(&text), NULL);
	address_of(&a, buf_str(&text), STR_NONE, NULL);
	address_path(&path, &a);
	for (rest = buf_str(&path); str_split(&rest, '/', &part);)
		assert_true(part.n <= ADDRESS_NAME_MAX);
	address_release(&a);
	buf_release(&text);
	buf_release(&path);
}

static void test_address__what_is_no_address_is_refused_in_one_line(void **state)
{
	static const char *const bad[] = {
		"",     "alone",  "a//b",     "/a/b",   "a/b/",           "a/./b",
		"a/..", "a/b\nc", "a/\x1b[m", "a/\xff", "a/\xe2\x80\xae", "../a/b"};
	struct address a;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(address_of(&a, str_of(bad[i]), STR_NONE, &e), HF_EUSAGE);
		assert_true(e.msg[0] && !strchr(e.msg, '\n'));
		assert_null(a.text);
	}
}

static void test_address__foreign_paths_have_none(void **state)
{
	static const char *const bad[] = {
		"a.md",        "a/b",     "a/b%zz.md",   "a/sessions.md", "a/%61b.md",
		"a/README.md", "a/b%2",   "a/%2E%2E.md", "con/b.md",      "a/lpt1.md",
		"a//b.md",     "/a/b.md", "a/.md",       ".md",           "md"};
	struct buf b = BUF_INIT(1 << 10);
	struct address a;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(address_from_path(&a, str_of(bad[i]), NULL), HF_EFORMAT);
	/* one that would have been cut */
	buf_add(&b, STR("a/"));
	buf_fill(&b, 'x', ADDRESS_NAME_MAX - 10);
	buf_add(&b, STR(".md"));
	assert_int_equal(address_from_path(&a, buf_str(&b), NULL), HF_EFORMAT);
	buf_release(&b);
}

static void test_address__no_record_lies_in_a_folder_of_a_projects_own(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct address a;

	(void)state;
	assert_true(address_strayed(STR("sessions")));
	assert_true(address_strayed(STR("Entities")));
	assert_false(address_strayed(STR("sessions2")));
	assert_false(address_strayed(STR("con")));
	assert_int_equal(address_of(&a, STR("sessions/x"), STR("k"), NULL), 0);
	address_path(&b, &a);
	assert_false(address_strayed(str_head(buf_str(&b), str_chr(buf_str(&b), '/'))));
	address_release(&a);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_address__no_record_lies_in_a_folder_of_a_projects_own),
		cmocka_unit_test(test_address__plain_names_are_themselves),
		cmocka_unit_test(test_address__the_last_part_is_the_key),
		cmocka_unit_test(
			test_address__names_with_a_meaning_and_odd_ones_are_escaped),
		cmocka_unit_test(test_address__what_folds_together_is_kept_apart),
		cmocka_unit_test(
			test_address__a_long_segment_becomes_folders_of_names_that_fit),
		cmocka_unit_test(test_address__what_is_no_address_is_refused_in_one_line),
		cmocka_unit_test(test_address__foreign_paths_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
