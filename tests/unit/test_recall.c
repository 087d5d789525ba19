#include "fault.h"

#include <stdlib.h>

#include "spoil.h"
#include "work/recall.h"

#define NOTE "vault/p/sessions/s_20260103T090000_0a1b2c.md"

static struct vault vault;

static int setup(void **state)
{
	(void)state;
	test_dir();
	test_write(NOTE,
		   STR("- **[goal]** (imp:5 \xC2\xB7 2026-01-03T09:00:00+00:00) Ship. "
		       "<!-- id=ev_1 -->\n"));
	return vault_open(&vault, test_path("vault"), NULL);
}

static int teardown(void **state)
{
	(void)state;
	vault_release(&vault);
	return 0;
}

static size_t goals(struct recall *r)
{
	size_t n[EVENT_TYPES];

	assert_int_equal(index_counts(r->index, STR("p"), n, NULL), 0);
	return n[EVENT_GOAL];
}

static void test_recall__sees_what_a_person_has_written_since(void **state)
{
	const struct recall_options o = {.project = STR("p")};
	struct recall r;

	(void)state;
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(goals(&r), 1);
	assert_int_equal(r.left, 0);
	recall_release(&r);
	test_write("vault/p/sessions/s_20260104T090000_0a1b2c.md",
		   STR("- **[goal]** (imp:5 \xC2\xB7 2026-01-03T09:00:00+00:00) Again. "
		       "<!-- id=ev_2 -->\n"));
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(goals(&r), 2);
	recall_release(&r);
}

static void test_recall__past_its_deadline_asks_without_and_says_so(void **state)
{
	struct buf b = BUF_INIT(1024);
	struct recall r;

	(void)state;
	assert_int_equal(recall_open(&r, &vault,
				     &(struct recall_options){.project = STR("p"),
							      .deadline_ns = 1},
				     NULL),
			 0);
	assert_true(r.left > 0);
	recall_note(&r, &b);
	assert_true(b.n > 0 && b.p[b.n - 1] == '\n');
	recall_release(&r);
	buf_release(&b);
}

static int count_hit(const struct index_item *it, double score, void *arg)
{
	(void)it;
	(void)score;
	++*(size_t *)arg;
	return 0;
}

static int ask(struct recall *r, size_t *hits, struct err *e)
{
	*hits = 0;
	return index_match(
		r->index,
		&(struct index_query){.text = STR("ship"), .type = -1, .limit = 10},
		count_hit, hits, NULL, e);
}

static void test_recall__damage_that_a_question_meets_is_mended_at_once(void **state)
{
	const struct recall_options o = {.project = STR("p")};
	struct err e = ERR_INIT;
	struct recall r;
	size_t hits;
	int ret;

	(void)state;
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(ask(&r, &hits, NULL), 0);
	assert_int_equal(hits, 1);
	assert_false(recall_again(&r, &vault, &ret, NULL));
	recall_release(&r);
	spoil_words(&vault);
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	ret = ask(&r, &hits, &e);
	assert_int_equal(ret, HF_EFORMAT);
	assert_true(recall_again(&r, &vault, &ret, &e));
	assert_int_equal(ret, 0);
	assert_int_equal(e.code, 0);
	assert_int_equal(ask(&r, &hits, &e), 0);
	assert_int_equal(hits, 1);
	assert_false(recall_again(&r, &vault, &ret, &e));
	recall_release(&r);
	/* the next process finds a whole one */
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(ask(&r, &hits, NULL), 0);
	assert_int_equal(hits, 1);
	recall_release(&r);
}

static void test_recall__says_when_the_index_cannot_be_kept(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct recall r;

	(void)state;
	test_write("no-folder", STR(""));
	setenv("XDG_CACHE_HOME", test_path("no-folder"), 1);
	/* the vault takes no index either */
	test_write("vault/.index.db.handoff.db/x", STR(""));
	assert_int_equal(recall_open(&r, &vault,
				     &(struct recall_options){.project = STR("p")}, NULL),
			 0);
	assert_int_equal(goals(&r), 1);
	recall_note(&r, &b);
	assert_non_null(strstr(buf_cstr(&b), "cannot be kept"));
	assert_non_null(strstr(buf_cstr(&b), "Not a directory"));
	recall_release(&r);
	buf_release(&b);
}

static void test_recall__fails_whole_or_answers(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct recall r;
		struct err e = ERR_INIT;
		int ret;

		fault_at(++n);
		ret = recall_open(&r, &vault,
				  &(struct recall_options){.project = STR("p")}, &e);
		met = fault_met();
		fault_off();
		if (ret)
			assert_true(e.msg[0] != 0);
		else
			assert_true(goals(&r) <= 1);
		recall_release(&r);
	} while (met);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_recall__sees_what_a_person_has_written_since),
		T(test_recall__past_its_deadline_asks_without_and_says_so),
		T(test_recall__damage_that_a_question_meets_is_mended_at_once),
		T(test_recall__says_when_the_index_cannot_be_kept),
		T(test_recall__fails_whole_or_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
