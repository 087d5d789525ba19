#include "recorded.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recnews__what_was_left_is_taken_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
