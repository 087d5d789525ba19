#include "fault.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/shelf.h"

static struct vault open_vault(void)
{
	struct vault v;

	test_dir();
	assert_int_equal(vault_open(&v, test_path("vault"), NULL), 0);
	return v;
}

static int put(struct vault *v, const char *rel, const char *text)
{
	struct shelf_pending p;
	int ret = vault_lock(v, 1000, NULL);

	if (!ret)
		ret = shelf_append(v, SHELF_RECORDS, str_of(rel), str_of(text), &p, NULL);
	vault_unlock(v);
	if (!ret)
		ret = shelf_finish(&p, NULL);
	return ret;
}

static void
test_shelf__text_is_appended_to_a_private_file_in_private_folders(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(100);
	struct stat st;

	(void)state;
	assert_int_equal(put(&v, "a/b/c.md", "one\n"), 1);
	assert_int_equal(put(&v, "a/b/c.md", "two\n"), 1);
	assert_int_equal(shelf_read(&v, SHELF_RECORDS, STR("a/b/c.md"), &b, NULL), 0);
	assert_str(buf_str(&b), STR("one\ntwo\n"));
	assert_int_equal(stat(test_path("vault/_records/a/b/c.md"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(test_path("vault/_records/a"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(shelf_read(&v, SHELF_PACKETS, STR("a/b/c.md"), &b, NULL),
			 HF_ENOTFOUND);
	buf_release(&b);
	vault_release(&v);
}

static void test_shelf__no_path_leaves_it(void **state)
{
	static const char *const bad[] = {"",        "../x.md", "a/../x.md", "/x.md",
					  "a//x.md", "a/",      ".x.md",     "a/.b/x.md"};
	struct vault v = open_vault();
	struct buf b = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(shelf_path(&v, SHELF_RECORDS, str_of(bad[i]), &b));
	buf_release(&b);
	vault_release(&v);
}

/* What was put there beside the link is met, nothing behind it. */
static int none_behind(const char *rel, const struct stat *st, void *arg)
{
	(void)st;
	(void)arg;
	assert_true(str_ends(str_of(rel), STR("x.md")));
	return 0;
}

static void test_shelf__links_are_refused_at_every_depth(void **state)
{
	static const char *const links[] = {"vault/_records", "vault/_records/a",
					    "vault/_records/a/b.md"};
	struct buf b = BUF_INIT(100);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct vault v = open_vault();
		struct err e = ERR_INIT;

		test_write("away/a/b.md", STR("secret"));
		test_write("away/b.md", STR("secret"));
		test_write("vault/x", STR(""));
		if (i == 1)
			test_write("vault/_records/x.md", STR(""));
		if (i == 2)
			test_write("vault/_records/a/x.md", STR(""));
		assert_int_equal(symlink(test_path(i == 2 ? "away/b.md" : "away"),
					 test_path(links[i])),
				 0);
		assert_int_equal(shelf_read(&v, SHELF_RECORDS, STR("a/b.md"), &b, &e),
				 HF_EFORMAT);
		assert_non_null(strstr(e.msg, "symbolic link"));
		assert_int_equal(
			shelf_walk(&v, SHELF_RECORDS, STR_NONE, none_behind, NULL, NULL),
			i ? 0 : HF_EFORMAT);
		assert_int_equal(put(&v, "a/b.md", "x"), HF_EFORMAT);
		vault_release(&v);
	}
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static int note(const char *rel, const struct stat *st, void *arg)
{
	struct buf *b = arg;

	(void)st;
	buf_printf(b, "%s ", rel);
	return 0;
}

/* What a walk met reads as it does by its path, in fewer looks. */
static int read_met(const char *rel, const struct stat *st, void *arg)
{
	struct buf a = BUF_INIT(4096), b = BUF_INIT(4096);
	struct vault *v = arg;
	int calls;

	(void)st;
	fault_at(0);
	assert_int_equal(shelf_read(v, SHELF_RECORDS, str_of(rel), &a, NULL), 0);
	calls = fault_calls();
	fault_at(0);
	assert_int_equal(shelf_read_met(v, SHELF_RECORDS, str_of(rel), &b, NULL), 0);
	assert_true(fault_calls() < calls);
	fault_off();
	assert_str(buf_str(&a), buf_str(&b));
	buf_release(&a);
	buf_release(&b);
	return 0;
}

static void test_shelf__what_a_walk_met_is_read_without_looking_again(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(4096);

	(void)state;
	test_write("vault/_records/a/b/c.md", STR("words"));
	assert_int_equal(shelf_walk(&v, SHELF_RECORDS, STR_NONE, read_met, &v, NULL), 0);
	assert_int_equal(shelf_read_met(&v, SHELF_RECORDS, STR("a/none.md"), &b, NULL),
			 HF_ENOTFOUND);
	assert_int_equal(shelf_read_met(&v, SHELF_RECORDS, STR("../x.md"), &b, NULL),
			 HF_EUSAGE);
	assert_int_equal(shelf_read_met(&v, SHELF_RECORDS, STR("a/b"), &b, NULL),
			 HF_EFORMAT);
	buf_release(&b);
	vault_release(&v);
}

static int stop(const char *rel, const struct stat *st, void *arg)
{
	(void)rel;
	(void)st;
	++*(int *)arg;
	return 7;
}

static void test_shelf__a_walk_has_every_note_in_order_and_nothing_else(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(4096);
	int n = 0;

	(void)state;
	assert_int_equal(shelf_walk(&v, SHELF_RECORDS, STR_NONE, note, &b, NULL), 0);
	test_write("vault/_records/b/y.md", STR(""));
	test_write("vault/_records/b/c/z.md", STR(""));
	test_write("vault/_records/a/x.md", STR(""));
	test_write("vault/_records/a.md", STR(""));
	test_write("vault/_records/.git/x.md", STR(""));
	test_write("vault/_records/a/x.txt", STR(""));
	assert_int_equal(symlink(test_path("vault"), test_path("vault/_records/loop")),
			 0);
	assert_int_equal(shelf_walk(&v, SHELF_RECORDS, STR_NONE, note, &b, NULL), 0);
	assert_str(buf_str(&b), STR("a.md a/x.md b/y.md b/c/z.md "));
	buf_reset(&b);
	assert_int_equal(shelf_walk(&v, SHELF_RECORDS, STR("b"), note, &b, NULL), 0);
	assert_str(buf_str(&b), STR("b/y.md b/c/z.md "));
	assert_int_equal(shelf_walk(&v, SHELF_RECORDS, STR("nowhere"), note, &b, NULL),
			 0);
	assert_int_equal(shelf_walk(&v, SHELF_RECORDS, STR_NONE, stop, &n, NULL), 7);
	assert_int_equal(n, 1);
	buf_release(&b);
	vault_release(&v);
}

static void
test_shelf__whatever_call_fails_the_file_has_the_old_or_the_whole_text(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct vault v = open_vault();
		int ret;

		assert_int_equal(put(&v, "a/b.md", "one\n"), 1);
		fault_at(++n);
		ret = put(&v, "a/b.md", "two\n");
		met = fault_met();
		fault_off();
		if (ret == 1)
			assert_true(test_is("vault/_records/a/b.md", "one\ntwo\n"));
		else
			assert_true(test_is("vault/_records/a/b.md", "one\n") ||
				    test_is("vault/_records/a/b.md", "one\ntwo\n"));
		vault_release(&v);
	} while (met);
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_shelf__text_is_appended_to_a_private_file_in_private_folders),
		cmocka_unit_test(test_shelf__no_path_leaves_it),
		cmocka_unit_test(test_shelf__links_are_refused_at_every_depth),
		cmocka_unit_test(
			test_shelf__what_a_walk_met_is_read_without_looking_again),
		cmocka_unit_test(
			test_shelf__a_walk_has_every_note_in_order_and_nothing_else),
		cmocka_unit_test(
			test_shelf__whatever_call_fails_the_file_has_the_old_or_the_whole_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
