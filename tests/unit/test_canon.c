#include "fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/canon.h"

static void is(const char *text, enum canon_form form, const char *want)
{
	struct buf b = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	assert_int_equal(canon_json(&b, str_of(text), form, &e), 0);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void fails(const char *text, int code, const char *message)
{
	struct buf b = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	buf_add(&b, STR("before"));
	assert_int_equal(canon_json(&b, str_of(text), CANON_COMPACT, &e), code);
	assert_non_null(strstr(e.msg, message));
	assert_str(buf_str(&b), STR("before"));
	buf_release(&b);
}

static void test_canon__names_are_sorted_by_code_point_at_every_level(void **state)
{
	(void)state;
	is("{\"b\":1,\"a\":{\"z\":[{\"2\":0,\"10\":0}],\"B\":0}}", CANON_COMPACT,
	   "{\"a\":{\"B\":0,\"z\":[{\"10\":0,\"2\":0}]},\"b\":1}");
	/* beyond the basic plane: behind U+FFFD by code point, before it by UTF-16 unit */
	is("{\"\\ud83d\\ude00\":1,\"\\ufffd\":2,\"\\u00e9\":3}", CANON_COMPACT,
	   "{\"\xc3\xa9\":3,\"\xef\xbf\xbd\":2,\"\xf0\x9f\x98\x80\":1}");
}

static void test_canon__two_spellings_of_one_value_are_one_text(void **state)
{
	(void)state;
	is(" { \"\\u0061\" : \"A\\u0042\\/\\u00e9\" ,\n\t\"n\" : [ 1.0 , 1e3, -0, 0.10 ] } ",
	   CANON_COMPACT, "{\"a\":\"AB/\xc3\xa9\",\"n\":[1,1000,0,0.1]}");
}

static void test_canon__only_what_must_be_is_escaped(void **state)
{
	(void)state;
	is("\"\\u0000\\u0001\\b\\f\\n\\r\\t\\\"\\\\\\u007f\\u2028<>&'\"", CANON_COMPACT,
	   "\"\\u0000\\u0001\\b\\f\\n\\r\\t\\\"\\\\\\u007f\xe2\x80\xa8<>&'\"");
	is("\"\\ud800x\"", CANON_COMPACT, "\"\xef\xbf\xbdx\"");
}

static void test_canon__the_ascii_form_has_nothing_else(void **state)
{
	(void)state;
	is("{\"\xc3\xa9\":\"\xf0\x9f\x98\x80\"}", CANON_ASCII,
	   "{\"\\u00e9\":\"\\ud83d\\ude00\"}");
}

static void test_canon__the_pretty_form_has_one_value_a_line(void **state)
{
	(void)state;
	is("{\"b\":[1,{}],\"a\":[]}", CANON_PRETTY,
	   "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {}\n  ]\n}");
	is("\"x\"", CANON_PRETTY, "\"x\"");
}

static void test_canon__whole_numbers_keep_all_their_digits(void **state)
{
	(void)state;
	is("[12345678901234567890123,-9007199254740993]", CANON_COMPACT,
	   "[12345678901234567890123,-9007199254740993]");
}

static void test_canon__other_numbers_are_the_shortest_that_read_back(void **state)
{
	(void)state;
	is("[0.1,1e-4,1e-5,123e-7,1.5e17,1e16,123456789e9,5e-324,1.7976931348623157e308,100000.5]",
	   CANON_COMPACT,
	   "[0.1,0.0001,1e-05,1.23e-05,1.5e+17,1e+16,123456789000000000,5e-324,"
	   "1.7976931348623157e+308,100000.5]");
	is("0.30000000000000004", CANON_COMPACT, "0.30000000000000004");
}

static void test_canon__every_double_reads_back_as_itself(void **state)
{
	struct buf b = BUF_INIT(64);
	uint64_t x = 88172645463325252ull;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		double v, back;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&v, &x, sizeof(v));
		if (!isfinite(v))
			continue;
		buf_reset(&b);
		canon_number(&b, v);
		assert_true(canon_double(buf_str(&b), &back));
		assert_true(back == v);
	}
	buf_release(&b);
}

static void test_canon__what_would_lose_a_part_is_refused(void **state)
{
	(void)state;
	fails("{\"a\":1,\"\\u0061\":2}", HF_EFORMAT, "the name 'a' twice");
	fails("{\"a\":1", HF_EFORMAT, "ends inside a value");
	fails("[1,]", HF_EFORMAT, "no JSON at byte 3");
	fails("1 2", HF_EFORMAT, "no JSON at byte 2");
	fails("\"\xff\"", HF_EFORMAT, "no JSON at byte 1");
	fails("1e999", HF_EFORMAT, "out of range");
	fails("NaN", HF_EFORMAT, "no JSON");
	fails("", HF_EFORMAT, "ends inside");
}

static void test_canon__depth_and_number_of_values_have_limits(void **state)
{
	struct buf b = BUF_INIT(1 << 22);

	(void)state;
	buf_fill(&b, '[', CANON_DEPTH_MAX);
	buf_fill(&b, ']', CANON_DEPTH_MAX);
	is(buf_cstr(&b), CANON_COMPACT, buf_cstr(&b));
	buf_reset(&b);
	buf_fill(&b, '[', CANON_DEPTH_MAX + 1);
	buf_fill(&b, ']', CANON_DEPTH_MAX + 1);
	fails(buf_cstr(&b), HF_ELIMIT, "deeper");
	buf_reset(&b);
	buf_byte(&b, '[');
	for (int i = 0; i < CANON_VALUES_MAX; i++)
		buf_add(&b, i ? STR(",1") : STR("1"));
	buf_byte(&b, ']');
	fails(buf_cstr(&b), HF_ELIMIT, "values");
	buf_release(&b);
}

static void test_canon__the_limit_of_the_buffer_is_an_error(void **state)
{
	struct buf b = BUF_INIT(8);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(canon_json(&b, STR("\"123456789\""), CANON_COMPACT, &e),
			 HF_ELIMIT);
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static void test_canon__cut_at_every_byte_it_is_no_value(void **state)
{
	const char *text = "{\"a\":[true,null,\"x\\u00e9\",-1.5e3],\"b\":{}}";
	struct buf b = BUF_INIT(1 << 10);

	(void)state;
	for (size_t n = 0; n < strlen(text); n++)
		assert_int_equal(canon_json(&b, (str){text, n}, CANON_COMPACT, NULL),
				 HF_EFORMAT);
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_canon__names_are_sorted_by_code_point_at_every_level),
		cmocka_unit_test(test_canon__two_spellings_of_one_value_are_one_text),
		cmocka_unit_test(test_canon__only_what_must_be_is_escaped),
		cmocka_unit_test(test_canon__the_ascii_form_has_nothing_else),
		cmocka_unit_test(test_canon__the_pretty_form_has_one_value_a_line),
		cmocka_unit_test(test_canon__whole_numbers_keep_all_their_digits),
		cmocka_unit_test(
			test_canon__other_numbers_are_the_shortest_that_read_back),
		cmocka_unit_test(test_canon__every_double_reads_back_as_itself),
		cmocka_unit_test(test_canon__what_would_lose_a_part_is_refused),
		cmocka_unit_test(test_canon__depth_and_number_of_values_have_limits),
		cmocka_unit_test(test_canon__the_limit_of_the_buffer_is_an_error),
		cmocka_unit_test(test_canon__cut_at_every_byte_it_is_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
