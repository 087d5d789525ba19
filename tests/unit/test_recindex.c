#include "recorded.h"
#include "spoil.h"

#include <utime.h>

#include "data/index.h"
#include "work/recindex.h"

static int note(str rel, void *arg)
{
	struct buf *b = arg;

	buf_printf(b, "%.*s ", STR_ARG(rel));
	return 0;
}

static void match_is(struct recorded *r, const char *words, const char *want)
{
	struct buf b = BUF_INIT(4096);

	assert_int_equal(recindex_match(&r->vault, str_of(words), 0, 10, note, &b, NULL),
			 0);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_recindex__a_write_is_found_by_the_next_search(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k.md ");
	match_is(&r, "k", "a/k.md ");
	recorded_write(&r.s, "b/K", "{\"colour\":\"blue\"}", 0.5);
	match_is(&r, "blue", "b/K%~86be9a55.md ");
	recorded_write(&r.s, "a/k", "\"a green house\"", 0.5);
	match_is(&r, "green", "a/k.md ");
	/* only what is current */
	match_is(&r, "red", "");
	recorded_close(&r);
}

static void
test_recindex__what_others_did_is_found_when_all_files_are_looked_at(void **state)
{
	struct recorded r;
	struct index *ix;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k.md ");
	test_write("vault/_records/c/k.md", test_read("vault/_records/a/k.md"));
	recorded_edit("vault/_records/c/k.md", "scope: a", "scope: c");
	recorded_edit("vault/_records/c/k.md", "red", "old");
	assert_int_equal(remove(test_path("vault/_records/a/k.md")), 0);
	/* as if it were long ago */
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	assert_int_equal(index_begin(ix, NULL), 0);
	{
		struct buf texts = BUF_INIT(4096);
		struct index_file f;

		assert_int_equal(index_file_find(ix, VAULT_PROJECT, STR("_records"),
						 STR(".seen"), &f, &texts, NULL),
				 0);
		assert_true(f.id);
		f.mtime_ns -= INT64_C(3600000000000);
		assert_int_equal(index_file_put(ix, &f, NULL), 0);
		buf_release(&texts);
	}
	assert_int_equal(index_commit(ix, NULL), 0);
	index_free(ix);
	match_is(&r, "old", "c/k.md ");
	match_is(&r, "red", "");
	recorded_close(&r);
}

static void test_recindex__an_index_that_is_gone_is_made_anew(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k.md ");
	assert_true(index_place(&r.vault, &b));
	buf_add(&b, STR("/index.db"));
	assert_int_equal(remove(buf_cstr(&b)), 0);
	match_is(&r, "red", "a/k.md ");
	buf_release(&b);
	recorded_close(&r);
}

static int count_project(str project, size_t active, int64_t newest_us, void *arg)
{
	(void)project;
	(void)active;
	(void)newest_us;
	++*(int *)arg;
	return 0;
}

static int count_item(const struct index_item *it, double score, void *arg)
{
	(void)score;
	assert_int_equal(it->kind, INDEX_RECORD);
	++*(int *)arg;
	return 0;
}

static void test_recindex__the_news_alone_are_enough_for_who_holds_the_index(void **state)
{
	struct index_query q = {.text = STR("red"), .type = -1, .limit = 5};
	struct recorded r;
	struct index *ix;
	int n = 0;

	(void)state;
	recorded_open(&r);
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	assert_int_equal(recindex_news(&r.vault, ix, NULL), 0);
	assert_int_equal(index_match(ix, &q, count_item, &n, NULL, NULL), 0);
	assert_int_equal(n, 1);
	/* they are of no project */
	n = 0;
	assert_int_equal(index_projects(ix, count_project, &n, NULL), 0);
	assert_int_equal(n, 0);
	index_free(ix);
	recorded_close(&r);
}

static void test_recindex__no_secret_is_in_it(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"the word PLACEHOLDER\"", 0.5);
	recorded_edit("vault/_records/a/k.md", "PLACEHOLDER",
		      "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789");
	match_is(&r, "word", "a/k.md ");
	match_is(&r, "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "");
	recorded_close(&r);
}

static void test_recindex__damage_does_not_show_and_is_mended(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k.md ");
	spoil_words(&r.vault);
	match_is(&r, "red", "a/k.md ");
	match_is(&r, "red", "a/k.md ");
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recindex__a_write_is_found_by_the_next_search),
		cmocka_unit_test(
			test_recindex__what_others_did_is_found_when_all_files_are_looked_at),
		cmocka_unit_test(test_recindex__an_index_that_is_gone_is_made_anew),
		cmocka_unit_test(
			test_recindex__the_news_alone_are_enough_for_who_holds_the_index),
		cmocka_unit_test(test_recindex__no_secret_is_in_it),
		cmocka_unit_test(test_recindex__damage_does_not_show_and_is_mended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
