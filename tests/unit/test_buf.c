#include "fault.h"
#include "base/buf.h"

#include <stdlib.h>

static void test_buf__adds_text(void **state)
{
	struct buf b = BUF_INIT(1000);

	(void)state;
	assert_string_equal(buf_cstr(&b), "");
	buf_add(&b, STR("a"));
	buf_byte(&b, 'b');
	buf_fill(&b, '-', 3);
	buf_printf(&b, "%d%s", 7, "x");
	buf_u64(&b, 0);
	buf_u64(&b, UINT64_MAX);
	buf_add(&b, STR_NONE);
	assert_str(buf_str(&b), STR("ab---7x018446744073709551615"));
	assert_int_equal(b.p[b.n], 0);
	assert_false(b.full);
	buf_release(&b);
	assert_null(b.p);
	assert_int_equal(b.max, 1000); /* still usable */
	buf_release(&b);
}

static void test_buf__an_append_that_does_not_fit_changes_nothing(void **state)
{
	struct buf b = BUF_INIT(5);

	(void)state;
	buf_add(&b, STR("abc"));
	buf_add(&b, STR("def"));
	assert_true(b.full);
	assert_str(buf_str(&b), STR("abc"));
	buf_byte(&b, 'd'); /* would fit, but something before it is missing */
	assert_str(buf_str(&b), STR("abc"));
	assert_null(buf_room(&b, 0));
	buf_cut(&b, 3);
	assert_false(b.full);
	buf_printf(&b, "%s", "de");
	assert_str(buf_str(&b), STR("abcde"));
	assert_false(b.full);
	buf_printf(&b, "%s", "f");
	assert_true(b.full);
	assert_string_equal(buf_cstr(&b), "abcde");
	buf_printf(&b, "%s", "");
	assert_string_equal(buf_cstr(&b), "abcde");
	buf_release(&b);
}

static void test_buf__printf_past_the_limit_leaves_nothing_behind(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	buf_add(&b, STR("ab"));
	buf_printf(&b, "%200s", "x"); /* longer than the allocation and the limit */
	assert_true(b.full);
	assert_string_equal(buf_cstr(&b), "ab");
	assert_int_equal(b.n, 2);
	buf_reset(&b);
	assert_false(b.full);
	assert_int_equal(b.n, 0);
	buf_printf(&b, "%99s", "x"); /* grows */
	assert_int_equal(b.n, 99);
	buf_release(&b);
}

static void test_buf__a_limit_of_0_takes_only_nothing(void **state)
{
	struct buf b = BUF_INIT(0);

	(void)state;
	buf_add(&b, STR(""));
	buf_printf(&b, "%s", "");
	assert_false(b.full);
	buf_byte(&b, 'x');
	assert_true(b.full);
	assert_string_equal(buf_cstr(&b), "");
	buf_release(&b);
}

static void test_buf__grows_up_to_the_limit_exactly(void **state)
{
	(void)state;
	for (size_t max = 60; max < 70; max++) {
		struct buf b = BUF_INIT(max);

		for (size_t i = 0; i < max; i++)
			buf_byte(&b, 'x');
		assert_false(b.full);
		assert_int_equal(b.n, max);
		buf_byte(&b, 'x');
		assert_true(b.full);
		assert_int_equal(strlen(buf_cstr(&b)), max);
		buf_release(&b);
	}
}

static void test_buf__huge_sizes_do_not_wrap(void **state)
{
	struct buf b = BUF_INIT(SIZE_MAX);

	(void)state;
	buf_byte(&b, 'x');
	assert_null(buf_room(&b, SIZE_MAX));
	assert_true(b.full);
	buf_cut(&b, 1);
	assert_null(buf_room(&b, SIZE_MAX - 1));
	assert_str(buf_str(&b), STR("x"));
	buf_release(&b);
}

static void test_buf__room_is_written_then_counted(void **state)
{
	struct buf b = BUF_INIT(10);
	char *p = buf_room(&b, 10);

	(void)state;
	assert_non_null(p);
	memset(p, 'y', 10);
	b.n += 10;
	assert_string_equal(buf_cstr(&b), "yyyyyyyyyy");
	assert_non_null(buf_room(&b, 0));
	assert_null(buf_room(&b, 1));
	buf_release(&b);
}

static void test_buf__take_gives_the_memory_away(void **state)
{
	struct buf b = BUF_INIT(10);
	char *p = buf_take(&b);

	(void)state;
	assert_string_equal(p, "");
	free(p);
	buf_add(&b, STR("abc"));
	p = buf_take(&b);
	assert_string_equal(p, "abc");
	assert_null(b.p);
	assert_int_equal(b.n, 0);
	free(p);
	buf_add(&b, STR("more"));
	assert_string_equal(buf_cstr(&b), "more");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buf__adds_text),
		cmocka_unit_test(test_buf__an_append_that_does_not_fit_changes_nothing),
		cmocka_unit_test(test_buf__printf_past_the_limit_leaves_nothing_behind),
		cmocka_unit_test(test_buf__a_limit_of_0_takes_only_nothing),
		cmocka_unit_test(test_buf__grows_up_to_the_limit_exactly),
		cmocka_unit_test(test_buf__huge_sizes_do_not_wrap),
		cmocka_unit_test(test_buf__room_is_written_then_counted),
		cmocka_unit_test(test_buf__take_gives_the_memory_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
