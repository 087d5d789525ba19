#include "fault.h"
#include "base/buf.h"

#include <stdlib.h>

static void test_str__compares_without_case(void **state)
{
	(void)state;
	assert_true(str_ieq(STR("HeAd"), STR("hEaD")));
	assert_false(str_ieq(STR("head"), STR("heads")));
	assert_false(str_ieq(STR("@"), STR("`"))); /* 32 apart, but no letters */
	assert_true(str_ieq(STR_NONE, STR("")));
	assert_true(str_istarts(STR("Authorization: x"), STR("authorization:")));
	assert_false(str_istarts(STR("Aut"), STR("auth")));
}

static void test_str__orders_by_bytes_then_length(void **state)
{
	(void)state;
	assert_true(str_cmp(STR("a"), STR("b")) < 0);
	assert_true(str_cmp(STR("ab"), STR("a")) > 0);
	assert_true(str_cmp(STR("\x7f"), STR("\x80")) < 0); /* unsigned */
	assert_int_equal(str_cmp(STR("a\0b"), STR("a\0b")), 0);
	assert_int_equal(str_cmp(STR_NONE, STR("")), 0);
	assert_true(str_cmp(STR_NONE, STR("a")) < 0);
}

static void test_str__finds_first_and_last(void **state)
{
	str s = STR("one two one");

	(void)state;
	assert_int_equal(str_find(s, STR("one")), 0);
	assert_int_equal(str_rfind(s, STR("one")), 8);
	assert_int_equal(str_find(s, STR("two ")), 4);
	assert_int_equal(str_find(s, STR("three")), STR_NPOS);
	assert_int_equal(str_rfind(s, STR("three")), STR_NPOS);
	assert_int_equal(str_ifind(s, STR("TWO")), 4);
	assert_int_equal(str_ifind(s, STR("ONE!")), STR_NPOS);
	assert_int_equal(str_ifind(STR("ab"), STR("abc")), STR_NPOS);
	assert_int_equal(str_rfind(STR("ab"), STR("abc")), STR_NPOS);
	assert_int_equal(str_find(STR("ab"), STR("abc")), STR_NPOS);
	assert_int_equal(str_chr(s, ' '), 3);
	assert_int_equal(str_rchr(s, ' '), 7);
	assert_int_equal(str_chr(s, 'x'), STR_NPOS);
	assert_int_equal(str_rchr(s, 'x'), STR_NPOS);
}

static void test_str__the_empty_needle_is_found_at_0(void **state)
{
	(void)state;
	assert_int_equal(str_find(STR_NONE, STR("")), 0);
	assert_int_equal(str_ifind(STR("a"), STR_NONE), 0);
	assert_int_equal(str_rfind(STR("a"), STR("")), 0);
	assert_int_equal(str_find(STR_NONE, STR("a")), STR_NPOS);
	assert_int_equal(str_ifind(STR_NONE, STR("a")), STR_NPOS);
	assert_int_equal(str_chr(STR_NONE, 'a'), STR_NPOS);
}

static void test_str__clamps_slices(void **state)
{
	(void)state;
	assert_str(str_from(STR("abc"), 1), STR("bc"));
	assert_str(str_from(STR("abc"), 9), STR(""));
	assert_str(str_head(STR("abc"), 9), STR("abc"));
	assert_str(str_head(STR("abc"), 2), STR("ab"));
	assert_null(str_from(STR_NONE, 3).p);
}

static void test_str__trims_white_space(void **state)
{
	(void)state;
	assert_str(str_trim(STR(" \t\r\n\v\f a b \n")), STR("a b"));
	assert_str(str_trim_right(STR(" a \n")), STR(" a"));
	assert_str(str_trim(STR(" \n ")), STR(""));
	assert_str(str_trim(STR_NONE), STR(""));
}

/* The parts of s, each in brackets. */
static void parts(struct buf *out, str s, char sep)
{
	str part;
	bool more;

	buf_reset(out);
	for (;;) {
		more = sep == '\n'  ? str_line(&s, &part)
		       : sep == ' ' ? str_word(&s, &part)
				    : str_split(&s, sep, &part);
		if (!more)
			break;
		buf_printf(out, "[%.*s]", STR_ARG(part));
	}
	assert_int_equal(part.n, 0);
}

static void test_str__cuts_lines_words_and_parts(void **state)
{
	static const struct {
		const char *text;
		char sep;
		const char *want;
	} rows[] = {
		{"a\nb\n", '\n', "[a][b]"},
		{"a\r\n\r\nb", '\n', "[a][][b]"},
		{"\n", '\n', "[]"},
		{"", '\n', ""},
		{"a\r\rb\r", '\n', "[a\r\rb]"},
		{"  a\tb \n", ' ', "[a][b]"},
		{" \n ", ' ', ""},
		{"a,,b", ',', "[a][][b]"},
		{",a,", ',', "[][a]"},
		{"abc", ',', "[abc]"},
		{"", ',', ""},
	};
	struct buf out = BUF_INIT(64);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		parts(&out, str_of(rows[i].text), rows[i].sep);
		assert_string_equal(buf_cstr(&out), rows[i].want);
	}
	parts(&out, STR_NONE, '\n');
	assert_string_equal(buf_cstr(&out), "");
	buf_release(&out);
}

static void test_str__reads_numbers_whole_or_not_at_all(void **state)
{
	static const char *const bad[] = {"",
					  "-",
					  "+1",
					  " 1",
					  "1 ",
					  "1a",
					  "0x1",
					  "--1",
					  "1.0",
					  "9223372036854775808",
					  "-9223372036854775809",
					  "99999999999999999999999"};
	uint64_t u = 7;
	int64_t i = 7;

	(void)state;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		assert_false(str_i64(str_of(bad[k]), &i));
	assert_false(str_u64(STR("18446744073709551616"), &u));
	assert_false(str_u64(STR("-1"), &u));
	assert_int_equal(u, 7); /* untouched */
	assert_int_equal(i, 7);
	assert_true(str_u64(STR("18446744073709551615"), &u) && u == UINT64_MAX);
	assert_true(str_u64(STR("007"), &u) && u == 7);
	assert_true(str_i64(STR("-9223372036854775808"), &i) && i == INT64_MIN);
	assert_true(str_i64(STR("9223372036854775807"), &i) && i == INT64_MAX);
	assert_true(str_i64(STR("-0"), &i) && i == 0);
}

static void test_str__hash_is_fnv_1a(void **state)
{
	(void)state;
	assert_true(str_hash(STR_NONE) == UINT64_C(0xcbf29ce484222325));
	assert_true(str_hash(STR("a")) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(str_hash(STR("foobar")) == UINT64_C(0x85944171f73967e8));
}

static void test_str__basename_is_after_the_last_slash(void **state)
{
	(void)state;
	assert_str(str_basename(STR("/a/b.c")), STR("b.c"));
	assert_str(str_basename(STR("b.c")), STR("b.c"));
	assert_str(str_basename(STR("a/")), STR(""));
}

static void test_str__dup_ends_in_nul(void **state)
{
	char *p = str_dup(str_head(STR("abcdef"), 3));

	(void)state;
	assert_string_equal(p, "abc");
	free(p);
	p = str_dup(STR_NONE);
	assert_string_equal(p, "");
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_str__compares_without_case),
		cmocka_unit_test(test_str__orders_by_bytes_then_length),
		cmocka_unit_test(test_str__finds_first_and_last),
		cmocka_unit_test(test_str__the_empty_needle_is_found_at_0),
		cmocka_unit_test(test_str__clamps_slices),
		cmocka_unit_test(test_str__trims_white_space),
		cmocka_unit_test(test_str__cuts_lines_words_and_parts),
		cmocka_unit_test(test_str__reads_numbers_whole_or_not_at_all),
		cmocka_unit_test(test_str__hash_is_fnv_1a),
		cmocka_unit_test(test_str__basename_is_after_the_last_slash),
		cmocka_unit_test(test_str__dup_ends_in_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
