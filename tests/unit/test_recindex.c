#include "recorded.h"
#include "spoil.h"

#include <utime.h>

#include "data/index.h"
#include "work/recindex.h"

static int note(str address, int percent, void *arg)
{
	struct buf *b = arg;

	(void)percent;
	buf_printf(b, "%.*s ", STR_ARG(address));
	return 0;
}

static int note_percent(str address, int percent, void *arg)
{
	struct buf *b = arg;

	buf_printf(b, "%.*s %d%% ", STR_ARG(address), percent);
	return 0;
}

static int note_judged(str title, str summary, int64_t at_us, void *arg)
{
	struct buf *b = arg;

	(void)at_us;
	buf_printf(b, "%.*s: %.*s\n", STR_ARG(title), STR_ARG(summary));
	return 0;
}

/* From an index that is opened for it, and from one that was open before, whatever happened since. */
static void match_is(struct recorded *r, const char *words, const char *want)
{
	static struct recindex kept;
	struct buf b = BUF_INIT(4096);

	for (int i = 0; i < 2; i++) {
		buf_reset(&b);
		assert_int_equal(recindex_match(&r->vault, i ? NULL : &kept,
						str_of(words), note, &b, NULL),
				 0);
		assert_str(buf_str(&b), str_of(want));
	}
	assert_non_null(kept.ix);
	buf_release(&b);
}

static void test_recindex__a_write_is_found_by_the_next_search(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k ");
	match_is(&r, "k", "a/k ");
	recorded_write(&r.s, "b/K", "{\"colour\":\"blue\"}", 0.5);
	match_is(&r, "blue", "b/K ");
	recorded_write(&r.s, "a/k", "\"a green house\"", 0.5);
	match_is(&r, "green", "a/k ");
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
	match_is(&r, "red", "a/k ");
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
	match_is(&r, "old", "c/k ");
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
	match_is(&r, "red", "a/k ");
	assert_true(index_place(&r.vault, &b));
	buf_add(&b, STR("/index.db"));
	assert_int_equal(remove(buf_cstr(&b)), 0);
	match_is(&r, "red", "a/k ");
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

static int count_file(const struct index_file *f, void *arg)
{
	(void)f;
	++*(int *)arg;
	return 0;
}

/* A search of events looks at each note that was written lately: thousands of records may have been. */
static void test_recindex__records_are_no_notes_that_were_written_lately(void **state)
{
	struct recorded r;
	struct index *ix;
	int n = 0;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k ");
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	assert_int_equal(index_file_recent(ix, 0, count_file, &n, NULL), 0);
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
	match_is(&r, "word", "a/k ");
	match_is(&r, "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "");
	recorded_close(&r);
}

static void test_recindex__confidence_and_what_was_judged_last_are_in_it(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct recorded r;
	struct index *ix;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.8);
	recorded_write(&r.s, "b/k", "\"a red door\"", 0.6);
	recorded_write(&r.s, "c/k", "\"a red roof\"", 0.5);
	/* an old version's outcome moves nothing, and does not count as one of the new */
	recorded_outcome(&r.s, "c/k", OUTCOME_SUCCESS, 0);
	recorded_write(&r.s, "c/k", "\"a red roof, of tiles\"", 0.3);
	recorded_outcome(&r.s, "c/k", OUTCOME_FAILURE, 1);
	/* long enough that only its end is read */
	for (int i = 0; i < 60; i++)
		recorded_outcome(&r.s, "b/k", OUTCOME_UNKNOWN, 0);
	recorded_outcome(&r.s, "b/k", OUTCOME_FAILURE, 0);
	setenv("HANDOFF_NOW", "2026-02-12T19:00:00Z", 1);
	recorded_outcome(&r.s, "a/k", OUTCOME_SUCCESS, 0);
	assert_int_equal(
		recindex_match(&r.vault, NULL, STR("red"), note_percent, &b, NULL), 0);
	assert_true(str_find(buf_str(&b), STR("a/k 84% ")) != STR_NPOS);
	assert_true(str_find(buf_str(&b), STR("b/k 39% ")) != STR_NPOS);
	assert_true(str_find(buf_str(&b), STR("c/k 30% ")) != STR_NPOS);
	buf_reset(&b);
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	assert_int_equal(index_judged(ix, note_judged, &b, NULL), 0);
	assert_str(buf_str(&b), STR("a/k: v1, confidence 84%, 1 success, 0 failures\n"
				    "b/k: v1, confidence 39%, 0 successes, 1 failure\n"));
	index_free(ix);
	buf_release(&b);
	recorded_close(&r);
}

static void test_recindex__where_there_are_no_records_nothing_is_written(void **state)
{
	struct buf texts = BUF_INIT(4096);
	struct index_file f;
	struct recorded r;
	struct index *ix;

	(void)state;
	recorded_open(&r);
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	assert_int_equal(recindex_refresh(&r.vault, ix, NULL), 0);
	assert_int_equal(index_file_find(ix, VAULT_PROJECT, STR("_records"), STR(".seen"),
					 &f, &texts, NULL),
			 0);
	assert_int_equal(f.id, 0);
	recorded_write(&r.s, "a/k", "1", 0.5);
	assert_int_equal(recindex_refresh(&r.vault, ix, NULL), 0);
	assert_int_equal(index_file_find(ix, VAULT_PROJECT, STR("_records"), STR(".seen"),
					 &f, &texts, NULL),
			 0);
	assert_true(f.id > 0);
	index_free(ix);
	buf_release(&texts);
	recorded_close(&r);
}

static void test_recindex__events_do_not_crowd_records_out(void **state)
{
	struct index_file f = {
		.folder = VAULT_SESSIONS, .project = STR("p"), .name = STR("n.md")};
	struct index_put p = {
		.kind = INDEX_EVENT, .importance = 5, .body = STR("red, red, red")};
	struct recorded r;
	struct index *ix;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house with so many doors\"", 0.5);
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(index_file_put(ix, &f, NULL), 0);
	for (int i = 0; i < 20100; i++)
		assert_int_equal(index_item_put(ix, &f, &p, NULL), 0);
	assert_int_equal(index_commit(ix, NULL), 0);
	index_free(ix);
	match_is(&r, "red", "a/k ");
	recorded_close(&r);
}

static void test_recindex__a_record_that_was_written_often_is_read_once(void **state)
{
	int once, often;
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k ");
	recorded_write(&r.s, "a/k", "\"a blue house\"", 0.5);
	fault_at(1000000);
	match_is(&r, "blue", "a/k ");
	once = fault_calls();
	fault_off();
	for (int i = 0; i < 40; i++)
		recorded_write(&r.s, "a/k", "\"a green house\"", 0.5);
	fault_at(1000000);
	match_is(&r, "green", "a/k ");
	often = fault_calls();
	fault_off();
	/* its end and the current version are read by themselves by now */
	assert_true(once > 0 && often < once + 20);
	recorded_close(&r);
}

static void test_recindex__nobody_waits_for_who_writes_the_index(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct err e = ERR_INIT;
	struct recorded r;
	struct index *ix;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	assert_true(RECINDEX_BUSY_MS < 200);
	assert_int_equal(index_open(&ix, &r.vault, 50, NULL), 0);
	/* the first one is at it: what is there so far is not all */
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(recindex_match(&r.vault, NULL, STR("red"), note, &b, &e),
			 HF_ETIME);
	assert_str(buf_str(&b), STR(""));
	index_rollback(ix);
	match_is(&r, "red", "a/k ");
	/* nothing has changed since: there is no need to write */
	assert_int_equal(index_begin(ix, NULL), 0);
	match_is(&r, "red", "a/k ");
	/* a record that another process wrote is not missed either */
	recorded_write(&r.other, "b/k", "\"a red door\"", 0.5);
	e = ERR_INIT;
	assert_int_equal(recindex_match(&r.vault, NULL, STR("red"), note, &b, &e),
			 HF_ETIME);
	index_rollback(ix);
	match_is(&r, "door", "b/k ");
	index_free(ix);
	buf_release(&b);
	recorded_close(&r);
}

static void test_recindex__news_that_could_not_be_taken_over_are_kept(void **state)
{
	struct buf b = BUF_INIT(4096);
	int n = 0, ret;
	struct recorded r;
	bool met;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k ");
	do {
		char value[32];

		snprintf(value, sizeof(value), "\"word%d\"", ++n);
		recorded_write(&r.s, "a/k", value, 0.5);
		buf_reset(&b);
		fault_at(n);
		ret = recindex_match(&r.vault, NULL, (str){value + 1, strlen(value) - 2},
				     note, &b, NULL);
		met = fault_met();
		fault_off();
		if (ret == 0)
			continue;
		/* not now, but next time */
		match_is(&r, value, "a/k ");
	} while (met);
	assert_true(n > 5);
	assert_str(buf_str(&b), STR("a/k "));
	buf_release(&b);
	recorded_close(&r);
}

static void test_recindex__damage_does_not_show_and_is_mended(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "\"a red house\"", 0.5);
	match_is(&r, "red", "a/k ");
	spoil_words(&r.vault);
	match_is(&r, "red", "a/k ");
	match_is(&r, "red", "a/k ");
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
		cmocka_unit_test(
			test_recindex__records_are_no_notes_that_were_written_lately),
		cmocka_unit_test(test_recindex__damage_does_not_show_and_is_mended),
		cmocka_unit_test(
			test_recindex__confidence_and_what_was_judged_last_are_in_it),
		cmocka_unit_test(
			test_recindex__where_there_are_no_records_nothing_is_written),
		cmocka_unit_test(test_recindex__events_do_not_crowd_records_out),
		cmocka_unit_test(
			test_recindex__a_record_that_was_written_often_is_read_once),
		cmocka_unit_test(test_recindex__nobody_waits_for_who_writes_the_index),
		cmocka_unit_test(
			test_recindex__news_that_could_not_be_taken_over_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
