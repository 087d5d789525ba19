#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/jsondoc.h"

static void assert_prints(const char *text, const char *want)
{
	struct err e = ERR_INIT;
	struct jsondoc *d = jsondoc_parse(str_of(text), 1 << 20, &e);
	struct buf b = BUF_INIT(1 << 20);

	if (!d)
		fail_msg("%s: %s", text, e.msg);
	jsondoc_print(jsondoc_root(d), &b);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
	jsondoc_free(d);
}

static void assert_refused(str text, size_t max, int code)
{
	struct err e = ERR_INIT;
	struct jsondoc *d = jsondoc_parse(text, max, &e);

	assert_null(d);
	assert_int_equal(e.code, code);
	assert_true(strlen(e.msg) > 0);
}

static void test_jsondoc__finds_members_of_every_kind(void **state)
{
	struct jsondoc *d = jsondoc_parse(
		STR("\xef\xbb\xbf {\"s\":\"text\",\"n\":-42,\"t\":true,\"f\":false,\"z\":null,"
		    "\"a\":[1,\"two\"],\"o\":{\"in\":\"deep\"},\"S\":\"other\"} \n"),
		1000, NULL);
	const struct jsonval *r = jsondoc_root(d), *a;

	(void)state;
	assert_non_null(d);
	assert_true(jsondoc_is_obj(r));
	assert_str(jsondoc_str(jsondoc_get(r, "s")), STR("text"));
	assert_str(jsondoc_str(jsondoc_get(r, "S")), STR("other"));
	assert_int_equal(jsondoc_int(jsondoc_get(r, "n"), 7), -42);
	assert_true(jsondoc_bool(jsondoc_get(r, "t"), false));
	assert_false(jsondoc_bool(jsondoc_get(r, "f"), true));
	assert_true(jsondoc_is_null(jsondoc_get(r, "z")));
	assert_str(jsondoc_str(jsondoc_get(jsondoc_get(r, "o"), "in")), STR("deep"));
	a = jsondoc_first(jsondoc_get(r, "a"));
	assert_int_equal(jsondoc_int(a, 0), 1);
	a = jsondoc_next(a);
	assert_str(jsondoc_str(a), STR("two"));
	assert_null(jsondoc_next(a));
	assert_str(jsondoc_key(jsondoc_first(r)), STR("s"));
	jsondoc_free(d);
}

static void test_jsondoc__what_is_absent_or_of_another_kind_is_nothing(void **state)
{
	struct jsondoc *d =
		jsondoc_parse(STR("{\"s\":\"x\",\"n\":1.5,\"big\":1e30}"), 100, NULL);
	const struct jsonval *r = jsondoc_root(d);

	(void)state;
	assert_null(jsondoc_get(r, "none"));
	assert_null(jsondoc_get(NULL, "s"));
	assert_null(jsondoc_get(jsondoc_get(r, "s"), "s"));
	assert_null(jsondoc_first(jsondoc_get(r, "s")));
	assert_null(jsondoc_next(NULL));
	assert_null(jsondoc_root(NULL));
	assert_int_equal(jsondoc_str(jsondoc_get(r, "n")).n, 0);
	assert_int_equal(jsondoc_key(NULL).n, 0);
	assert_int_equal(jsondoc_int(jsondoc_get(r, "s"), 9), 9);
	assert_int_equal(jsondoc_int(jsondoc_get(r, "n"), 9), 9);
	assert_int_equal(jsondoc_int(jsondoc_get(r, "big"), 9), 9);
	assert_true(jsondoc_bool(jsondoc_get(r, "n"), true));
	jsondoc_free(d);
	jsondoc_free(NULL);
}

static void test_jsondoc__integers_are_exact_to_two_to_the_53(void **state)
{
	struct jsondoc *d = jsondoc_parse(
		STR("[9007199254740992,-9007199254740992,9007199254740994]"), 100, NULL);
	const struct jsonval *v = jsondoc_first(jsondoc_root(d));

	(void)state;
	assert_true(jsondoc_int(v, 0) == INT64_C(9007199254740992));
	v = jsondoc_next(v);
	assert_true(jsondoc_int(v, 0) == INT64_C(-9007199254740992));
	v = jsondoc_next(v);
	assert_true(jsondoc_int(v, -1) == -1);
	jsondoc_free(d);
}

static void test_jsondoc__the_last_of_equal_keys_wins(void **state)
{
	struct jsondoc *d =
		jsondoc_parse(STR("{\"a\":\"one\",\"a\":\"two\"}"), 100, NULL);

	(void)state;
	assert_str(jsondoc_str(jsondoc_get(jsondoc_root(d), "a")), STR("two"));
	jsondoc_free(d);
}

static void
test_jsondoc__nul_lone_surrogates_and_bad_bytes_become_a_replacement(void **state)
{
	(void)state;
	assert_prints("[\"a\\u0000b\"]", "[\"a\xef\xbf\xbd"
					 "b\"]");
	assert_prints("[\"\\\\u0000\"]", "[\"\\\\u0000\"]");
	assert_prints("[\"\\ud83d!\"]", "[\"\xef\xbf\xbd!\"]");
	assert_prints("[\"\\ude00\"]", "[\"\xef\xbf\xbd\"]");
	assert_prints("[\"\\ud83d\\ud83d\\ude00\"]",
		      "[\"\xef\xbf\xbd\xf0\x9f\x98\x80\"]");
	assert_prints("[\"\\uD83D\\uDE00\"]", "[\"\xf0\x9f\x98\x80\"]");
	assert_prints("[\"\xff\"]", "[\"\xef\xbf\xbd\"]");
	assert_prints("{\"k\\u0000\":1}", "{\"k\xef\xbf\xbd\":1}");
}

static void test_jsondoc__prints_what_it_read(void **state)
{
	static const char *const same[] = {
		"{}",
		"[]",
		"null",
		"true",
		"-1",
		"0.1",
		"\"x\"",
		"[[],{},[[1,2],[3]],{\"a\":{\"b\":[null,false]}}]",
		"{\"a\":1,\"b\":[2,{\"c\":\"d\"}],\"e\":\"\\n\\\\\"}",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_prints(same[i], same[i]);
	assert_prints(" [ 1 , 2.50 , 1e2, 1e999 ] ", "[1,2.5,100,null]");
}

static void test_jsondoc__damage_is_refused_with_its_place(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_null(jsondoc_parse(STR("{\"a\":1,}"), 100, &e));
	assert_int_equal(e.code, HF_EFORMAT);
	assert_string_equal(e.msg, "JSON: not valid at byte 7");
	assert_refused(STR(""), 100, HF_EFORMAT);
	assert_refused(STR("   "), 100, HF_EFORMAT);
	assert_refused(STR("{} x"), 100, HF_EFORMAT);
	assert_refused(STR("[1] [2]"), 100, HF_EFORMAT);
	assert_refused(STR("[\"\\u12g4\"]"), 100, HF_EFORMAT);
	assert_refused(STR("[\"a\0b\"]"), 100, HF_EFORMAT);
	assert_refused(STR("[1]\0"), 100, HF_EFORMAT);
}

static void test_jsondoc__limits_are_refused_as_limits(void **state)
{
	struct buf b = BUF_INIT(4 << 20);
	struct jsondoc *d;
	int i;

	(void)state;
	assert_refused(STR("[1,2,3]"), 6, HF_ELIMIT);
	buf_fill(&b, '[', JSONDOC_DEPTH_MAX + 1);
	buf_fill(&b, ']', JSONDOC_DEPTH_MAX + 1);
	assert_refused(buf_str(&b), 1 << 20, HF_ELIMIT);
	buf_reset(&b);
	buf_fill(&b, '[', JSONDOC_DEPTH_MAX);
	buf_fill(&b, ']', JSONDOC_DEPTH_MAX);
	d = jsondoc_parse(buf_str(&b), 1 << 20, NULL);
	assert_non_null(d);
	{
		struct buf out = BUF_INIT(1 << 20);

		jsondoc_print(jsondoc_root(d), &out);
		assert_str(buf_str(&out), buf_str(&b));
		buf_release(&out);
	}
	jsondoc_free(d);
	/* brackets inside strings are no depth */
	buf_reset(&b);
	buf_byte(&b, '"');
	buf_fill(&b, '[', 1000);
	buf_byte(&b, '"');
	d = jsondoc_parse(buf_str(&b), 1 << 20, NULL);
	assert_non_null(d);
	jsondoc_free(d);
	buf_reset(&b);
	buf_byte(&b, '[');
	for (i = 0; i < JSONDOC_VALUES_MAX; i++)
		buf_add(&b, STR("0,"));
	buf_add(&b, STR("0]"));
	assert_refused(buf_str(&b), 4 << 20, HF_ELIMIT);
	buf_release(&b);
}

static void test_jsondoc__cut_at_every_byte(void **state)
{
	str text = STR(
		"{\"session_id\":\"a\\u00e9\\ud83d\\ude00\",\"n\":[1,2.5e3,null],\"o\":{\"k\":true}}");
	size_t n;

	(void)state;
	for (n = 0; n < text.n; n++) {
		/* a private copy, so that a read past the end is seen by ASan */
		char *p = malloc(n ? n : 1);

		memcpy(p, text.p, n);
		assert_refused((str){p, n}, 1000, HF_EFORMAT);
		free(p);
	}
	assert_prints(text.p,
		      "{\"session_id\":\"a\xc3\xa9\xf0\x9f\x98\x80\",\"n\":[1,2500,null],"
		      "\"o\":{\"k\":true}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jsondoc__finds_members_of_every_kind),
		cmocka_unit_test(
			test_jsondoc__what_is_absent_or_of_another_kind_is_nothing),
		cmocka_unit_test(test_jsondoc__integers_are_exact_to_two_to_the_53),
		cmocka_unit_test(test_jsondoc__the_last_of_equal_keys_wins),
		cmocka_unit_test(
			test_jsondoc__nul_lone_surrogates_and_bad_bytes_become_a_replacement),
		cmocka_unit_test(test_jsondoc__prints_what_it_read),
		cmocka_unit_test(test_jsondoc__damage_is_refused_with_its_place),
		cmocka_unit_test(test_jsondoc__limits_are_refused_as_limits),
		cmocka_unit_test(test_jsondoc__cut_at_every_byte),
	};

	return cmocka_run_group_tests_name("jsondoc", tests, NULL, NULL);
}
