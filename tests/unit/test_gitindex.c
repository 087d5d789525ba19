#include "fault.h"

#include <stdlib.h>

#include "data/gitindex.h"

/* --- an index written by hand --- */

static void put32(struct buf *b, uint32_t v)
{
	buf_byte(b, (char)(v >> 24));
	buf_byte(b, (char)(v >> 16));
	buf_byte(b, (char)(v >> 8));
	buf_byte(b, (char)v);
}

static void put16(struct buf *b, uint32_t v)
{
	buf_byte(b, (char)(v >> 8));
	buf_byte(b, (char)v);
}

static void header(struct buf *b, uint32_t version, uint32_t count)
{
	*b = BUF_INIT(1 << 20);
	buf_add(b, STR("DIRC"));
	put32(b, version);
	put32(b, count);
}

/* The fixed part: field i holds i + 1, the id is 20 times `id`. */
static void fixed_part(struct buf *b, char id, uint32_t flags)
{
	uint32_t i;

	for (i = 0; i < 10; i++)
		put32(b, i == 6 ? 0100644 : i + 1);
	buf_fill(b, id, 20);
	put16(b, flags);
}

static void entry(struct buf *b, const char *path, uint32_t stage)
{
	size_t n = strlen(path);

	fixed_part(b, 'i', stage << 12 | (uint32_t)n);
	buf_add(b, str_of(path));
	buf_fill(b, '\0', 8 - (62 + n) % 8);
}

static void entry_v4(struct buf *b, unsigned strip, const char *rest)
{
	fixed_part(b, 'i', 0);
	buf_byte(b, (char)strip);
	buf_add(b, str_of(rest));
	buf_byte(b, '\0');
}

static void extension(struct buf *b, const char *name, str data)
{
	buf_add(b, str_of(name));
	put32(b, (uint32_t)data.n);
	buf_add(b, data);
}

static void trailer(struct buf *b)
{
	buf_fill(b, 't', 20);
}

static void assert_path(const struct gitindex *x, size_t i, const char *path)
{
	assert_string_equal(x->entry[i].path, path);
	assert_int_equal(x->entry[i].path_n, strlen(path));
}

static void assert_refused(struct buf *b, int code)
{
	struct err e = ERR_INIT;
	struct gitindex x;

	assert_int_equal(gitindex_parse(&x, buf_str(b), &e), code);
	assert_int_equal(e.code, code);
	assert_null(x.entry);
	assert_null(x.tree);
	assert_int_equal(x.n, 0);
	buf_release(b);
}

static void test_gitindex__reads_entries_and_their_stat_data(void **state)
{
	struct gitindex_stat st;
	struct gitindex x;
	struct buf b;

	(void)state;
	header(&b, 2, 3);
	entry(&b, "a", 0);
	entry(&b, "dir/b", 1);
	entry(&b, "dir/b", 3);
	trailer(&b);
	assert_int_equal(gitindex_parse(&x, buf_str(&b), NULL), 0);
	assert_int_equal(x.n, 3);
	assert_path(&x, 0, "a");
	assert_path(&x, 1, "dir/b");
	assert_int_equal(x.entry[1].stage, 1);
	assert_int_equal(x.entry[2].stage, 3);
	gitindex_stat(&x.entry[0], &st);
	assert_int_equal(st.ctime_s, 1);
	assert_int_equal(st.mtime_ns, 4);
	assert_int_equal(st.ino, 6);
	assert_int_equal(st.mode, 0100644);
	assert_int_equal(st.size, 10);
	assert_int_equal(gitindex_id(&x.entry[0])[19], 'i');
	assert_int_equal(x.ntrees, 0);
	assert_null(gitindex_child(&x, 0, STR("dir")));
	gitindex_release(&x);
	buf_release(&b);
}

static void test_gitindex__reads_extended_flags(void **state)
{
	struct gitindex x;
	struct buf b;

	(void)state;
	header(&b, 3, 2);
	fixed_part(&b, 'i', 0x4000 | 0x8000 | 1);
	put16(&b, 0x4000);
	buf_add(&b, STR("a\0\0\0\0\0\0\0"));
	fixed_part(&b, 'i', 0x4000 | 1);
	put16(&b, 0x2000);
	buf_add(&b, STR("b\0\0\0\0\0\0\0"));
	trailer(&b);
	assert_int_equal(gitindex_parse(&x, buf_str(&b), NULL), 0);
	assert_true(x.entry[0].skip_worktree && x.entry[0].assume_valid);
	assert_false(x.entry[0].intent_to_add);
	assert_true(x.entry[1].intent_to_add);
	assert_false(x.entry[1].skip_worktree);
	gitindex_release(&x);
	buf_release(&b);
}

static void test_gitindex__unpacks_paths_of_version_4(void **state)
{
	struct gitindex x;
	struct buf b;

	(void)state;
	header(&b, 4, 4);
	entry_v4(&b, 0, "dir/file1");
	entry_v4(&b, 1, "2");
	entry_v4(&b, 5, "z/deep");
	entry_v4(&b, 10, "e");
	trailer(&b);
	assert_int_equal(gitindex_parse(&x, buf_str(&b), NULL), 0);
	assert_path(&x, 0, "dir/file1");
	assert_path(&x, 1, "dir/file2");
	assert_path(&x, 2, "dir/z/deep");
	assert_path(&x, 3, "e");
	gitindex_release(&x);
	buf_release(&b);
	/* more to drop than there is */
	header(&b, 4, 2);
	entry_v4(&b, 0, "a");
	entry_v4(&b, 2, "b");
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
	/* a number that never ends */
	header(&b, 4, 1);
	fixed_part(&b, 'i', 0);
	buf_fill(&b, '\xff', 40);
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
}

static void test_gitindex__finds_paths_and_ranges(void **state)
{
	struct gitindex x;
	struct buf b;

	(void)state;
	header(&b, 2, 5);
	entry(&b, "a", 0);
	entry(&b, "b-c", 0);
	entry(&b, "b/x", 0);
	entry(&b, "b/y", 0);
	entry(&b, "c", 0);
	trailer(&b);
	assert_int_equal(gitindex_parse(&x, buf_str(&b), NULL), 0);
	assert_int_equal(gitindex_lower(&x, 0, x.n, STR("b/")), 2);
	assert_int_equal(gitindex_prefix_end(&x, 2, x.n, STR("b/")), 4);
	assert_int_equal(gitindex_lower(&x, 0, x.n, STR("")), 0);
	assert_int_equal(gitindex_lower(&x, 0, x.n, STR("zz")), 5);
	assert_int_equal(gitindex_lower(&x, 3, 3, STR("a")), 3);
	assert_int_equal(gitindex_prefix_end(&x, 0, x.n, STR("")), 5);
	gitindex_release(&x);
	buf_release(&b);
}

#define ID1 "11111111111111111111"
#define ID2 "22222222222222222222"

static void with_trees(struct buf *b, str trees)
{
	header(b, 2, 1);
	entry(b, "a", 0);
	extension(b, "XXXX", STR("whatever"));
	extension(b, "TREE", trees);
	trailer(b);
}

static void test_gitindex__reads_cached_trees(void **state)
{
	const struct gitindex_tree *t;
	struct gitindex x;
	struct buf b;

	(void)state;
	with_trees(&b, STR("\0"
			   "-1 2\n"
			   "src\0"
			   "3 1\n" ID1 "lib\0"
			   "-1 0\n"
			   "doc\0"
			   "4 0\n" ID2));
	assert_int_equal(gitindex_parse(&x, buf_str(&b), NULL), 0);
	assert_int_equal(x.ntrees, 4);
	assert_null(x.tree[0].id);
	t = gitindex_child(&x, 0, STR("src"));
	assert_non_null(t);
	assert_memory_equal(t->id, ID1, 20);
	assert_int_equal(t->entries, 3);
	assert_null(gitindex_child(&x, 0, STR("lib")));
	t = gitindex_child(&x, t->self, STR("lib"));
	assert_non_null(t);
	assert_null(t->id);
	assert_memory_equal(gitindex_child(&x, 0, STR("doc"))->id, ID2, 20);
	gitindex_release(&x);
	buf_release(&b);
}

static void test_gitindex__damaged_cached_trees_are_as_none(void **state)
{
	static const str bad[] = {
		{"", 0},
		{"\0", 1},
		{"\0001 0\n", 5},          /* no id */
		{"\0-1 1\n", 6},           /* a subtree is missing */
		{"\0-1 0\nx\0-1 0\n", 13}, /* one too many */
		{"\0-2 0\n", 6},
		{"\0-1 -1\n", 7},
		{"x\0-1 0\n", 7},         /* the root has no name */
		{"\0-1 1\n\0-1 0\n", 12}, /* a subtree needs one */
		{"\0-1 99999999999999999999\n", 25},
		{"\0-1 2147483647\n", 15},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gitindex x;
		struct buf b;

		with_trees(&b, bad[i]);
		assert_int_equal(gitindex_parse(&x, buf_str(&b), NULL), 0);
		assert_int_equal(x.ntrees, 0);
		assert_null(x.tree);
		assert_int_equal(x.n, 1);
		gitindex_release(&x);
		buf_release(&b);
	}
}

static void test_gitindex__paths_that_lead_out_are_refused(void **state)
{
	static const char *const bad[] = {"/a",     "a/",           "a//b", "../a",
					  "a/../b", "./a",          "a/.",  ".git/x",
					  "a/.GIT", "a/.git/config"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf b;

		header(&b, 2, 1);
		entry(&b, bad[i], 0);
		trailer(&b);
		assert_refused(&b, HF_EFORMAT);
	}
}

static void test_gitindex__entries_out_of_order_are_refused(void **state)
{
	struct buf b;

	(void)state;
	header(&b, 2, 2);
	entry(&b, "b", 0);
	entry(&b, "a", 0);
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
	header(&b, 2, 2);
	entry(&b, "a", 0);
	entry(&b, "a", 0);
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
	header(&b, 2, 2);
	entry(&b, "a", 2);
	entry(&b, "a", 1);
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
}

static void test_gitindex__what_only_git_reads_is_told_apart_from_damage(void **state)
{
	struct buf b;

	(void)state;
	header(&b, 2, 0);
	extension(&b, "link", STR("12345678901234567890"));
	trailer(&b);
	assert_refused(&b, HF_ENOTFOUND);
	header(&b, 2, 1);
	entry(&b, "", 0);
	trailer(&b);
	assert_refused(&b, HF_ENOTFOUND);
	header(&b, 2, 2); /* a folder of a sparse index; a file may not end so */
	entry(&b, "a", 0);
	entry(&b, "b/", 0);
	b.p[12 + 64 + 26] = 0x40; /* mode 040000 */
	b.p[12 + 64 + 27] = 0;
	trailer(&b);
	assert_refused(&b, HF_ENOTFOUND);
	header(&b, 2, 1);
	entry(&b, "b/", 0);
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
	header(&b, 5, 0);
	trailer(&b);
	assert_refused(&b, HF_ENOTFOUND);
	header(&b, 2, 0xffffffff);
	trailer(&b);
	assert_refused(&b, HF_EFORMAT);
	b = BUF_INIT(100);
	buf_fill(&b, 'x', 40);
	assert_refused(&b, HF_EFORMAT);
}

static void test_gitindex__an_empty_text_is_an_empty_index(void **state)
{
	struct gitindex x;

	(void)state;
	assert_int_equal(gitindex_parse(&x, STR_NONE, NULL), 0);
	assert_int_equal(x.n, 0);
	assert_int_equal(gitindex_lower(&x, 0, 0, STR("a")), 0);
	gitindex_release(&x);
}

static void cut_everywhere(struct buf *b, uint32_t entries)
{
	size_t cut;

	for (cut = 1; cut <= b->n; cut++) {
		char *p = malloc(cut);
		struct gitindex x;
		int ret;

		memcpy(p, b->p, cut);
		ret = gitindex_parse(&x, (str){p, cut}, NULL);
		if (cut == b->n)
			assert_int_equal(ret, 0);
		/* cut between extensions, what is left looks like one with a shorter end */
		if (ret == 0)
			assert_int_equal(x.n, entries);
		else
			assert_int_equal(x.n, 0);
		gitindex_release(&x);
		free(p);
	}
	buf_release(b);
}

static void test_gitindex__cut_at_every_byte(void **state)
{
	struct buf b;

	(void)state;
	with_trees(&b, STR("\0"
			   "1 1\n" ID1 "src\0"
			   "-1 0\n"));
	cut_everywhere(&b, 1);
	header(&b, 4, 3);
	entry_v4(&b, 0, "dir/file1");
	entry_v4(&b, 1, "2");
	entry_v4(&b, 9, "e");
	trailer(&b);
	cut_everywhere(&b, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gitindex__reads_entries_and_their_stat_data),
		cmocka_unit_test(test_gitindex__reads_extended_flags),
		cmocka_unit_test(test_gitindex__unpacks_paths_of_version_4),
		cmocka_unit_test(test_gitindex__finds_paths_and_ranges),
		cmocka_unit_test(test_gitindex__reads_cached_trees),
		cmocka_unit_test(test_gitindex__damaged_cached_trees_are_as_none),
		cmocka_unit_test(test_gitindex__paths_that_lead_out_are_refused),
		cmocka_unit_test(test_gitindex__entries_out_of_order_are_refused),
		cmocka_unit_test(
			test_gitindex__what_only_git_reads_is_told_apart_from_damage),
		cmocka_unit_test(test_gitindex__an_empty_text_is_an_empty_index),
		cmocka_unit_test(test_gitindex__cut_at_every_byte),
	};

	return cmocka_run_group_tests_name("gitindex", tests, NULL, NULL);
}
