#include "recorded.h"

#include <unistd.h>

#include "data/index.h"
#include "data/recnews.h"

static void test_recnews__what_was_left_is_taken_once(void **state)
{
	struct buf b = BUF_INIT(4096), dir = BUF_INIT(4096);
	struct recorded r;

	(void)state;
	recorded_open(&r);
	assert_int_equal(recnews_any(&r.vault), 0);
	assert_true(index_place(&r.vault, &dir));
	recnews_add(&r.vault, STR("a/k.md"));
	recnews_add(&r.vault, STR("a/l.md"));
	assert_int_equal(recnews_any(&r.vault), 14);
	recnews_take(&r.vault, &b);
	assert_str(buf_str(&b), STR("a/k.md\na/l.md\n"));
	assert_int_equal(recnews_any(&r.vault), 0);
	recnews_add(&r.vault, STR("b/k.md"));
	recnews_done(&r.vault);
	buf_reset(&b);
	recnews_take(&r.vault, &b);
	assert_str(buf_str(&b), STR("b/k.md\n"));
	recnews_done(&r.vault);
	assert_int_equal(test_entries(buf_cstr(&dir)), 0);
	buf_release(&b);
	buf_release(&dir);
	recorded_close(&r);
}

static void test_recnews__what_could_not_be_dealt_with_is_there_again(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recnews_add(&r.vault, STR("a/k.md"));
	assert_true(recnews_take(&r.vault, &b));
	recnews_add(&r.vault, STR("b/k.md"));
	recnews_back(&r.vault);
	buf_reset(&b);
	assert_true(recnews_take(&r.vault, &b));
	assert_str(buf_str(&b), STR("b/k.md\na/k.md\n"));
	recnews_done(&r.vault);
	assert_int_equal(recnews_any(&r.vault), 0);
	buf_release(&b);
	recorded_close(&r);
}

static void test_recnews__it_does_not_grow_for_ever(void **state)
{
	struct buf path = BUF_INIT(4096), b = BUF_INIT(RECNEWS_MAX);
	struct recorded r;
	size_t size;

	(void)state;
	recorded_open(&r);
	recnews_add(&r.vault, STR("a/k.md"));
	assert_true(index_place(&r.vault, &path));
	buf_add(&path, STR("/records.changed"));
	assert_int_equal(truncate(buf_cstr(&path), RECNEWS_MAX + 1), 0);
	size = recnews_any(&r.vault);
	recnews_add(&r.vault, STR("b/k.md"));
	assert_int_equal(recnews_any(&r.vault), size);
	/* that something was lost is told */
	assert_false(recnews_take(&r.vault, &b));
	recnews_done(&r.vault);
	assert_true(recnews_take(&r.vault, &b));
	buf_release(&path);
	buf_release(&b);
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recnews__what_was_left_is_taken_once),
		cmocka_unit_test(
			test_recnews__what_could_not_be_dealt_with_is_there_again),
		cmocka_unit_test(test_recnews__it_does_not_grow_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
