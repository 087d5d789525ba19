#include "recorded.h"

#include "data/index.h"
#include "work/recsearch.h"

static int count(struct record_view *rec, void *arg)
{
	struct buf *b = arg;

	buf_printf(b, "%s@%llu ", rec->address.text, (unsigned long long)rec->v->version);
	return 0;
}

static void search_is(struct recorded *r, struct recsearch q, const char *want)
{
	struct buf b = BUF_INIT(4096);
	size_t more;

	assert_int_equal(recsearch_run(&r->s, &q, count, &b, &more, NULL), 0);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_recsearch__finds_by_words_scope_tag_agent_and_confidence(void **state)
{
	str tag[] = {STR("money")};
	struct record_new n = {.value = STR("\"Budget is $400\""),
			       .confidence = 0.9,
			       .tags = tag,
			       .ntags = 1};
	struct record_done d;
	struct recorded r;
	struct address a;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "listing/1/note", "\"a red house\"", 0.3);
	recorded_write(&r.s, "listing/2/note", "\"a blue house\"", 0.6);
	recorded_write(&r.s, "listing/2/note", "\"a green house\"", 0.6);
	recorded_write(&r.other, "other/x", "\"no such thing\"", 0.6);
	address_of(&a, STR("listing/3/cost"), STR_NONE, NULL);
	record_write(&r.s, &a, &n, &d, NULL);
	record_done_release(&d);
	address_release(&a);
	search_is(&r, (struct recsearch){.words = STR("HOUSE green")},
		  "listing/2/note@2 listing/1/note@1 ");
	search_is(&r, (struct recsearch){.words = STR("blue")}, "");
	search_is(&r, (struct recsearch){.words = STR("blue"), .superseded = true},
		  "listing/2/note@1 ");
	search_is(&r, (struct recsearch){.scope_prefix = STR("listing/")},
		  "listing/1/note@1 listing/2/note@2 listing/3/cost@1 ");
	search_is(&r, (struct recsearch){.scope_prefix = STR("listing/3")},
		  "listing/3/cost@1 ");
	search_is(&r, (struct recsearch){.tag = STR("MONEY")}, "listing/3/cost@1 ");
	search_is(&r, (struct recsearch){.agent = STR("executor")}, "other/x@1 ");
	search_is(&r, (struct recsearch){.min_confidence = 0.7}, "listing/3/cost@1 ");
	search_is(&r, (struct recsearch){.words = STR("house"), .limit = 1},
		  "listing/1/note@1 ");
	recorded_close(&r);
}

static void test_recsearch__pages_go_on_until_enough_fit(void **state)
{
	struct recorded r;
	char at[32];

	(void)state;
	recorded_open(&r);
	for (int i = 0; i < 130; i++) {
		snprintf(at, sizeof(at), "many/%d/note", i);
		recorded_write(&r.s, at, "\"a house\"", i == 77 ? 0.9 : 0.2);
	}
	search_is(&r, (struct recsearch){.words = STR("house"), .min_confidence = 0.8},
		  "many/77/note@1 ");
	search_is(&r,
		  (struct recsearch){.words = STR("house"),
				     .scope_prefix = STR("many/129")},
		  "many/129/note@1 ");
	recorded_close(&r);
}

static void
test_recsearch__without_a_place_for_the_index_the_files_are_gone_over(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	test_write("cachefile", STR(""));
	setenv("XDG_CACHE_HOME", test_path("cachefile"), 1);
	assert_int_equal(mkdir(test_path("vault/.index.db.handoff.db"), 0700), 0);
	search_is(&r, (struct recsearch){.words = STR("red")}, "a/k@1 ");
	recorded_close(&r);
}

static void
test_recsearch__while_another_process_reads_all_records_it_finds_them(void **state)
{
	struct recorded r;
	struct index *ix;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	assert_int_equal(index_begin(ix, NULL), 0);
	search_is(&r, (struct recsearch){.words = STR("red")}, "a/k@1 ");
	index_rollback(ix);
	search_is(&r, (struct recsearch){.words = STR("red")}, "a/k@1 ");
	recorded_write(&r.other, "b/k", "\"a red door\"", 0.5);
	assert_int_equal(index_begin(ix, NULL), 0);
	search_is(&r, (struct recsearch){.words = STR("door")}, "b/k@1 ");
	index_rollback(ix);
	index_free(ix);
	recorded_close(&r);
}

static void test_recsearch__filters_are_exact_where_the_index_is_not(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.794);
	recorded_write(&r.s, "ab/k", "\"a red house\"", 0.796);
	search_is(&r, (struct recsearch){.words = STR("red"), .min_confidence = 0.796},
		  "ab/k@1 ");
	search_is(&r, (struct recsearch){.words = STR("red"), .min_confidence = 0.794},
		  "a/k@1 ab/k@1 ");
	search_is(&r, (struct recsearch){.words = STR("red"), .scope_prefix = STR("a/")},
		  "a/k@1 ");
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_recsearch__finds_by_words_scope_tag_agent_and_confidence),
		cmocka_unit_test(test_recsearch__pages_go_on_until_enough_fit),
		cmocka_unit_test(
			test_recsearch__while_another_process_reads_all_records_it_finds_them),
		cmocka_unit_test(
			test_recsearch__filters_are_exact_where_the_index_is_not),
		cmocka_unit_test(
			test_recsearch__without_a_place_for_the_index_the_files_are_gone_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
