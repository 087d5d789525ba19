#include <stdio.h>
#include <stdlib.h>

#include "fault.h"
#include "base/lanes.h"
#include "data/json.h"
#include "data/scan.h"

/*
 * What a reader of RFC 8259 must say to each text. `scan` is what the scanner, which is
 * tolerant inside of strings and strict about lines, says when the text stands as a value
 * in a record.
 */
enum verdict {
	YES,
	NO,   /* wrong at byte `at` */
	MORE, /* nothing is wrong, but the end is missing */
};

#define T(lit)                                                                           \
	{                                                                                \
		(lit), sizeof(lit) - 1                                                   \
	}

static const struct {
	str text;
	enum verdict json;
	size_t at; /* NO: the first byte that cannot be right */
	bool scan; /* a record with this value is whole */
} cases[] = {
	/* literals */
	{T("true"), YES, 0, true},
	{T("false"), YES, 0, true},
	{T("null"), YES, 0, true},
	{T(" \t\r null \t\r "), YES, 0, true},
	{T("\nnull"), YES, 0, false},
	{T("tru"), MORE, 0, false},
	{T("f"), MORE, 0, false},
	{T("nul"), MORE, 0, false},
	{T("True"), NO, 0, false},
	{T("TRUE"), NO, 0, false},
	{T("nulL"), NO, 3, false},
	{T("truth"), NO, 3, false},
	{T("nullx"), NO, 4, false},
	{T("null null"), NO, 5, false},
	{T("undefined"), NO, 0, false},
	{T("nan"), NO, 1, false},
	{T("NaN"), NO, 0, false},
	{T("Infinity"), NO, 0, false},
	{T("none"), NO, 1, false},
	{T("yes"), NO, 0, false},
	/* numbers */
	{T("0"), YES, 0, true},
	{T("-0"), YES, 0, true},
	{T("7"), YES, 0, true},
	{T("-12"), YES, 0, true},
	{T("1234567890123456789012345678901234567890"), YES, 0, true},
	{T("0.5"), YES, 0, true},
	{T("-0.05"), YES, 0, true},
	{T("3.14159265358979323846264338327950288419716939937510"), YES, 0, true},
	{T("1e9"), YES, 0, true},
	{T("1E9"), YES, 0, true},
	{T("1e+9"), YES, 0, true},
	{T("1E-9"), YES, 0, true},
	{T("0e0"), YES, 0, true},
	{T("0.0e-0"), YES, 0, true},
	{T("1.5e308"), YES, 0, true},
	{T("1e99999"), YES, 0, true},
	{T("-1e-99999"), YES, 0, true},
	{T("1e007"), YES, 0, true},
	{T("-"), MORE, 0, false},
	{T("1."), MORE, 0, false},
	{T("-0."), MORE, 0, false},
	{T("1e"), MORE, 0, false},
	{T("1e+"), MORE, 0, false},
	{T("1.5E-"), MORE, 0, false},
	{T("01"), NO, 1, false},
	{T("-01"), NO, 2, false},
	{T("00"), NO, 1, false},
	{T("+1"), NO, 0, false},
	{T("--1"), NO, 1, false},
	{T("- 1"), NO, 1, false},
	{T(".5"), NO, 0, false},
	{T("-.5"), NO, 1, false},
	{T("1..5"), NO, 2, false},
	{T("1.5.2"), NO, 3, false},
	{T("1.e5"), NO, 2, false},
	{T("1e5.2"), NO, 3, false},
	{T("1e+-5"), NO, 3, false},
	{T("1ee5"), NO, 2, false},
	{T("1 000"), NO, 2, false},
	{T("1,000"), NO, 1, false},
	{T("1_000"), NO, 1, false},
	{T("0x1f"), NO, 1, false},
	{T("0b1"), NO, 1, false},
	{T("1f"), NO, 1, false},
	{T("-Infinity"), NO, 1, false},
	{T("-NaN"), NO, 1, false},
	{T("\xef\xbc\x91"), NO, 0, false}, /* a full-width digit */
	{T("1\0"), NO, 1, false},
	/* strings: plain */
	{T("\"\""), YES, 0, true},
	{T("\"a\""), YES, 0, true},
	{T("\" \""), YES, 0, true},
	{T("\"a b'c`d\""), YES, 0, true},
	{T("\"{[,:]}\""), YES, 0, true},
	{T("\"/\""), YES, 0, true},
	{T("\"\x7f\""), YES, 0, true},
	{T("\"\xc2\x80\""), YES, 0, true},
	{T("\"\xe2\x80\xa8\xe2\x80\xa9\""), YES, 0, true},
	{T("\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\""), YES, 0, true},
	{T("\"\xf4\x8f\xbf\xbf\""), YES, 0, true},
	{T("\"\xef\xbf\xbe\xef\xbf\xbf\""), YES, 0, true},
	{T("\"\xef\xbb\xbf\""), YES, 0, true},
	{T("\""), MORE, 0, false},
	{T("\"abc"), MORE, 0, false},
	{T("\"abc\\\""), MORE, 0, false},
	{T("'a'"), NO, 0, false},
	{T("`a`"), NO, 0, false},
	{T("a"), NO, 0, false},
	{T("\"a\"b"), NO, 3, false},
	{T("\"a\" \"b\""), NO, 4, false},
	{T("\xe2\x80\x9c"
	   "a\xe2\x80\x9d"),
	 NO, 0, false},
	/* strings: escapes */
	{T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), YES, 0, true},
	{T("\"\\u0041\\u00e9\\u4E2D\""), YES, 0, true},
	{T("\"\\u0000\""), YES, 0, true},
	{T("\"\\u0022\\u005C\""), YES, 0, true},
	{T("\"\\uD83D\\uDE00\""), YES, 0, true},
	{T("\"\\uffff\\uFFFE\""), YES, 0, true},
	{T("\"\\ud83d\""), YES, 0, true},
	{T("\"\\ude00\""), YES, 0, true},
	{T("\"\\ud83d\\ud83d\\ude00\""), YES, 0, true},
	{T("\"\\ud83dx\\ude00\""), YES, 0, true},
	{T("\"\\ud83d\\n\""), YES, 0, true},
	{T("\"\\\\u12\""), YES, 0, true},
	{T("\"\\\\\\\"\""), YES, 0, true},
	{T("\"\\"), MORE, 0, false},
	{T("\"\\u"), MORE, 0, false},
	{T("\"\\u00e"), MORE, 0, false},
	{T("\"\\a\""), NO, 2, false},
	{T("\"\\'\""), NO, 2, false},
	{T("\"\\0\""), NO, 2, false},
	{T("\"\\x41\""), NO, 2, false},
	{T("\"\\U0041\""), NO, 2, false},
	{T("\"\\N\""), NO, 2, false},
	{T("\"\\ n\""), NO, 2, false},
	{T("\"\\\xc3\xa9\""), NO, 2, false},
	{T("\"\\\0\""), NO, 2, false},
	{T("\"\\u004\""), NO, 6, false},
	{T("\"\\u00g1\""), NO, 5, false},
	{T("\"\\u 041\""), NO, 3, false},
	{T("\"\\u+041\""), NO, 3, false},
	{T("\"\\u{41}\""), NO, 3, false},
	{T("\"\\ud83d\\u\""), NO, 9, false},
	{T("\"\\\\\\\""), MORE, 0, false},
	/* strings: raw bytes that JSON forbids; the scanner lets them pass */
	{T("\"\x01\""), NO, 1, true},
	{T("\"\t\""), NO, 1, true},
	{T("\"\r\""), NO, 1, true},
	{T("\"\0\""), NO, 1, true},
	{T("\"\x1f\""), NO, 1, true},
	{T("\"a\nb\""), NO, 2, false},
	{T("\"\x80\""), NO, 1, true},
	{T("\"\xff\""), NO, 1, true},
	{T("\"\xc3\""), NO, 1, true},
	{T("\"\xc0\xaf\""), NO, 1, true},
	{T("\"\xc1\xbf\""), NO, 1, true},
	{T("\"\xe0\x80\xaf\""), NO, 1, true},
	{T("\"\xed\xa0\x80\""), NO, 1, true},
	{T("\"\xed\xbf\xbf\""), NO, 1, true},
	{T("\"\xf0\x80\x80\x80\""), NO, 1, true},
	{T("\"\xf4\x90\x80\x80\""), NO, 1, true},
	{T("\"\xf5\x80\x80\x80\""), NO, 1, true},
	{T("\"\xe4\xb8\""), NO, 1, true},
	{T("\"\xe4\xb8"), MORE, 0, false},
	{T("\"\xf0\x9f\x98"), MORE, 0, false},
	{T("\"\xe0\x80"), NO, 1, false},
	/* arrays */
	{T("[]"), YES, 0, true},
	{T("[ ]"), YES, 0, true},
	{T("[1]"), YES, 0, true},
	{T("[1,2,3]"), YES, 0, true},
	{T("[ 1 , [ ] , \"x\" ]"), YES, 0, true},
	{T("[[],[[]],[[[]]]]"), YES, 0, true},
	{T("[null,true,false,0,\"\",{},[]]"), YES, 0, true},
	{T("[1\n,2]"), YES, 0, false},
	{T("["), MORE, 0, false},
	{T("[1"), MORE, 0, false},
	{T("[1,"), MORE, 0, false},
	{T("[[]"), MORE, 0, false},
	{T("[,"), NO, 1, false},
	{T("[,1]"), NO, 1, false},
	{T("[1,]"), NO, 3, false},
	{T("[1,,2]"), NO, 3, false},
	{T("[1 2]"), NO, 3, false},
	{T("[1;2]"), NO, 2, false},
	{T("[\"a\":1]"), NO, 4, false},
	{T("[1}"), NO, 2, false},
	{T("[}"), NO, 1, false},
	{T("]"), NO, 0, false},
	{T("[]]"), NO, 2, false},
	{T("[1],"), NO, 3, false},
	{T("[\"a\",\n"), MORE, 0, false},
	{T("[*]"), NO, 1, false},
	{T("(1)"), NO, 0, false},
	/* objects */
	{T("{}"), YES, 0, true},
	{T("{ }"), YES, 0, true},
	{T("{\"a\":1}"), YES, 0, true},
	{T("{ \"a\" : 1 , \"b\" : { } }"), YES, 0, true},
	{T("{\"\":0}"), YES, 0, true},
	{T("{\"a\":1,\"a\":2}"), YES, 0, true},
	{T("{\"a\":{\"a\":{\"a\":{}}}}"), YES, 0, true},
	{T("{\"\\u0061\":1}"), YES, 0, true},
	{T("{\"\\u0000\":1}"), YES, 0, true},
	{T("{\"a\":[{\"b\":[{}]}]}"), YES, 0, true},
	{T("{"), MORE, 0, false},
	{T("{\"a"), MORE, 0, false},
	{T("{\"a\""), MORE, 0, false},
	{T("{\"a\":"), MORE, 0, false},
	{T("{\"a\":1"), MORE, 0, false},
	{T("{\"a\":1,"), MORE, 0, false},
	{T("{\"a\":{"), MORE, 0, false},
	{T("{\"a\":1,}"), NO, 7, false},
	{T("{,\"a\":1}"), NO, 1, false},
	{T("{\"a\":1,,\"b\":2}"), NO, 7, false},
	{T("{\"a\" 1}"), NO, 5, false},
	{T("{\"a\",1}"), NO, 4, false},
	{T("{\"a\"}"), NO, 4, false},
	{T("{\"a\":}"), NO, 5, false},
	{T("{\"a\"::1}"), NO, 5, false},
	{T("{\"a\":1 \"b\":2}"), NO, 7, false},
	{T("{\"a\":1;\"b\":2}"), NO, 6, false},
	{T("{\"a\":1]"), NO, 6, false},
	{T("{a:1}"), NO, 1, false},
	{T("{'a':1}"), NO, 1, false},
	{T("{1:1}"), NO, 1, false},
	{T("{null:1}"), NO, 1, false},
	{T("{[]:1}"), NO, 1, false},
	{T("{{}}"), NO, 1, false},
	{T("{]"), NO, 1, false},
	{T("}"), NO, 0, false},
	{T("{}}"), NO, 2, false},
	{T("{\"a\":1}//x"), NO, 7, false},
	{T("{\"a\":/*x*/1}"), NO, 5, false},
	{T("{\"a\":1}#"), NO, 7, false},
	/* around the value */
	{T(""), MORE, 0, false},
	{T("   "), MORE, 0, false},
	{T("\f1"), NO, 0, false},
	{T("\v1"), NO, 0, false},
	{T("\xc2\xa0"
	   "1"),
	 NO, 0, false},
	{T("\xe2\x80\xa8"
	   "1"),
	 NO, 0, false},
	{T("\xef\xbb\xbf"
	   "1"),
	 NO, 0, false},
	{T("\0"), NO, 0, false},
	{T("1\f"), NO, 1, false},
	{T("1 x"), NO, 2, false},
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

/* Reads to the end; the last token. */
static enum json_tok read_all(struct json *j, str text)
{
	enum json_tok tok;

	json_init(j, text);
	do
		tok = json_next(j);
	while (tok != JSON_END && tok != JSON_MORE && tok != JSON_BAD);
	return tok;
}

static void test_json__each_text_is_judged_as_the_table_says(void **state)
{
	static const enum json_tok want[] = {
		[YES] = JSON_END, [NO] = JSON_BAD, [MORE] = JSON_MORE};
	struct json j;
	size_t i;

	(void)state;
	assert_true(CASES >= 150);
	for (i = 0; i < CASES; i++) {
		/* a copy of exactly its size: reading past the end is seen by the sanitizer */
		char *copy = malloc(cases[i].text.n ? cases[i].text.n : 1);
		str text = {copy, cases[i].text.n};
		enum json_tok tok;

		assert_non_null(copy);
		if (text.n)
			memcpy(copy, cases[i].text.p, text.n);
		tok = read_all(&j, text);
		if (tok != want[cases[i].json])
			fail_msg("case %zu, \"%.*s\": token %d", i, STR_ARG(text),
				 (int)tok);
		if (cases[i].json == NO && j.at != cases[i].at)
			fail_msg("case %zu, \"%.*s\": wrong at %zu", i, STR_ARG(text),
				 j.at);
		assert_int_equal(json_next(&j), tok);
		free(copy);
	}
}

static void test_json__a_text_cut_at_every_byte_asks_for_more(void **state)
{
	struct json j;
	size_t i, cut;

	(void)state;
	for (i = 0; i < CASES; i++) {
		const str text = cases[i].text;

		/* numbers at the top have no end of their own, and what is whole may lose blanks */
		if (cases[i].json == NO || text.n == 0 || !strchr("{[\"", text.p[0]))
			continue;
		for (cut = 0; cut + 1 < text.n; cut++)
			assert_int_equal(read_all(&j, str_head(text, cut)), JSON_MORE);
	}
}

static size_t memory_at;
static str memory;

static ssize_t memory_read(int fd, void *p, size_t n)
{
	(void)fd;
	if (n > memory.n - memory_at)
		n = memory.n - memory_at;
	if (n)
		memcpy(p, memory.p + memory_at, n);
	memory_at += n;
	return (ssize_t)n;
}

static off_t memory_lseek(int fd, off_t off, int whence)
{
	(void)fd;
	(void)whence;
	memory_at = (size_t)off;
	return off;
}

static void test_json__the_scanner_agrees_but_for_the_inside_of_strings(void **state)
{
	struct buf b = BUF_INIT(1 << 16);
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < CASES; i++) {
		for (k = SCAN_AUTO; k <= SCAN_AVX512; k++) {
			struct source src = {.fd = 99};
			struct scan s;
			enum scan_tok tok;
			bool whole = false;

			if (!scan_use((enum scan_kernel)k))
				continue;
			buf_reset(&b);
			buf_add(&b, STR("{\"key\":"));
			buf_add(&b, cases[i].text);
			buf_add(&b, STR("}\n"));
			memory = buf_str(&b);
			memory_at = 0;
			io.read = memory_read;
			io.lseek = memory_lseek;
			scan_init(&s, &src, 0);
			while ((tok = scan_next(&s)) != SCAN_END)
				whole = whole || (tok == SCAN_RECORD && s.rec_off == 0 &&
						  s.rec_len == b.n - 1);
			if (whole != cases[i].scan)
				fail_msg("case %zu, \"%.*s\", kernel %d: %s", i,
					 STR_ARG(cases[i].text), k,
					 whole ? "a record" : "no record");
			scan_release(&s);
			io_real();
		}
	}
	scan_use(SCAN_AUTO);
	buf_release(&b);
}

static void test_json__values_are_told_in_order(void **state)
{
	static const enum json_tok want[] = {
		JSON_OBJ,   JSON_KEY,  JSON_ARR,     JSON_NUM,     JSON_TRUE,
		JSON_FALSE, JSON_NULL, JSON_OBJ,     JSON_OBJ_END, JSON_ARR_END,
		JSON_KEY,   JSON_STR,  JSON_OBJ_END, JSON_END,
	};
	struct json j;
	size_t i;

	(void)state;
	json_init(&j, STR(" {\"a\" : [ -1.5e3 , true,false,null,{}],\"b\":\"x\\n\"} "));
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(json_next(&j), want[i]);
		if (i == 3)
			assert_str(j.raw, STR("-1.5e3"));
		if (i == 10)
			assert_true(json_is(&j, "b") && !j.escaped);
		if (i == 11) {
			struct buf b = BUF_INIT(100);

			assert_str(j.raw, STR("x\\n"));
			assert_true(j.escaped);
			json_text(&j, &b);
			assert_str(buf_str(&b), STR("x\n"));
			buf_release(&b);
		}
	}
	assert_int_equal(json_next(&j), JSON_END);
}

static void test_json__skip_goes_past_a_value_of_any_kind(void **state)
{
	static const char *const value[] = {"1",
					    "\"}\"",
					    "null",
					    "[]",
					    "{}",
					    "[1,[2,{\"a\":[]}],3]",
					    "{\"a\":{\"b\":{}}}"};
	struct buf b = BUF_INIT(1000);
	struct json j;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
		buf_reset(&b);
		buf_printf(&b, "{\"x\":%s,\"y\":%s}", value[i], value[i]);
		json_init(&j, buf_str(&b));
		assert_int_equal(json_next(&j), JSON_OBJ);
		assert_int_equal(json_next(&j), JSON_KEY);
		assert_true(json_skip(&j));
		assert_int_equal(json_next(&j), JSON_KEY);
		assert_true(json_is(&j, "y"));
		assert_true(json_skip(&j));
		assert_int_equal(json_next(&j), JSON_OBJ_END);
		assert_int_equal(json_next(&j), JSON_END);
		/* from inside a container */
		json_init(&j, buf_str(&b));
		assert_int_equal(json_next(&j), JSON_OBJ);
		assert_true(json_skip(&j));
		assert_int_equal(json_next(&j), JSON_END);
	}
	json_init(&j, STR("{\"a\":[1,2"));
	json_next(&j);
	json_next(&j);
	assert_false(json_skip(&j));
	json_init(&j, STR("{\"a\":[1,,2]}"));
	json_next(&j);
	json_next(&j);
	assert_false(json_skip(&j));
	buf_release(&b);
}

static void test_json__depth_is_capped(void **state)
{
	struct buf b = BUF_INIT(10000);
	struct json j;
	int depth;

	(void)state;
	for (depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		buf_reset(&b);
		buf_fill(&b, '[', (size_t)depth);
		buf_fill(&b, ']', (size_t)depth);
		assert_int_equal(read_all(&j, buf_str(&b)),
				 depth > JSON_DEPTH_MAX ? JSON_BAD : JSON_END);
	}
	/* arrays and objects by turns: the stack remembers each */
	buf_reset(&b);
	for (depth = 0; depth < 250; depth++)
		buf_add(&b, STR("[{\"a\":"));
	buf_add(&b, STR("1"));
	for (depth = 0; depth < 250; depth++)
		buf_add(&b, STR("}]"));
	assert_int_equal(read_all(&j, buf_str(&b)), JSON_END);
	b.p[b.n - 1] = '}';
	assert_int_equal(read_all(&j, buf_str(&b)), JSON_BAD);
	assert_int_equal(j.at, b.n - 1);
	buf_release(&b);
}

static void test_json__is_compares_decoded_keys(void **state)
{
	struct buf b = BUF_INIT(10000);
	struct json j;

	(void)state;
	json_init(&j, STR("{\"\\u0075u\\u0069d\":1,\"uuid\\n\":1,\"uuidx\":1}"));
	json_next(&j);
	json_next(&j);
	assert_true(json_is(&j, "uuid"));
	assert_false(json_is(&j, "uui"));
	assert_false(json_is(&j, "uuidd"));
	json_next(&j);
	json_next(&j);
	assert_false(json_is(&j, "uuid"));
	json_next(&j);
	json_next(&j);
	assert_false(json_is(&j, "uuid"));
	assert_false(json_is(&j, ""));
	/* far longer than any word */
	buf_add(&b, STR("\"\\n"));
	buf_fill(&b, 'x', 5000);
	buf_byte(&b, '"');
	json_init(&j, buf_str(&b));
	assert_int_equal(json_next(&j), JSON_STR);
	assert_false(json_is(&j, "x"));
	buf_release(&b);
}

static void expect_unescaped(str raw, str want)
{
	struct buf b = BUF_INIT(1000);

	json_unescape(&b, raw);
	assert_str(buf_str(&b), want);
	buf_release(&b);
}

#define UNESCAPE(raw, want) expect_unescaped(STR(raw), STR(want))

static void test_json__escapes_are_decoded(void **state)
{
	(void)state;
	UNESCAPE("", "");
	UNESCAPE("plain", "plain");
	UNESCAPE("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t");
	UNESCAPE("a\\u0041\\u00e9\\u4E2D\\u0000z", "aA\xc3\xa9\xe4\xb8\xad\0z");
	UNESCAPE("\\ud83d\\ude00!", "\xf0\x9f\x98\x80!");
	UNESCAPE("\\uDBFF\\uDFFF\\uD800\\uDC00", "\xf4\x8f\xbf\xbf\xf0\x90\x80\x80");
	UNESCAPE("\xc3\xa9\\n\xf0\x9f\x98\x80", "\xc3\xa9\n\xf0\x9f\x98\x80");
}

static void test_json__lone_surrogates_and_bad_bytes_become_u_fffd(void **state)
{
	(void)state;
	UNESCAPE("\\ud83d", "\xef\xbf\xbd");
	UNESCAPE("\\ude00\\ud83d", "\xef\xbf\xbd\xef\xbf\xbd");
	UNESCAPE("\\ud83d\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80");
	UNESCAPE("\\ud83d\\u0041", "\xef\xbf\xbd"
				   "A");
	UNESCAPE("\\ud83dx", "\xef\xbf\xbdx");
	UNESCAPE("a\xff"
		 "b\xed\xa0\x80"
		 "c\xc3(",
		 "a\xef\xbf\xbd"
		 "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		 "c\xef\xbf\xbd(");
	UNESCAPE("x\\n\xff", "x\n\xef\xbf\xbd");
	UNESCAPE("\\q\\\xc3\xa9\\\xff\\\0", "q\xc3\xa9\xef\xbf\xbd\0");
}

static void test_json__a_cut_string_decodes_without_its_broken_ends(void **state)
{
	(void)state;
	UNESCAPE("abc\\", "abc");
	UNESCAPE("abc\\u", "abc");
	UNESCAPE("abc\\u00e", "abc");
	UNESCAPE("abc\xc3", "abc");
	UNESCAPE("abc\xe4\xb8", "abc");
	UNESCAPE("abc\xf0\x9f\x98", "abc");
	UNESCAPE("\xb8\xad"
		 "abc",
		 "abc");
	UNESCAPE("\x98\x80\x80"
		 "abc",
		 "abc");
	UNESCAPE("\x80\x80\x80\x80z", "\xef\xbf\xbdz");
	UNESCAPE("\x80", "");
	UNESCAPE("\xe4", "");
	UNESCAPE("abc\xe0\x80",
		 "abc\xef\xbf\xbd\xef\xbf\xbd"); /* no character begins so */
}

static void test_json__runs_of_every_length_are_decoded(void **state)
{
	struct buf raw = BUF_INIT(1000), want = BUF_INIT(1000), got = BUF_INIT(1000);
	size_t before, after;

	(void)state;
	for (before = 0; before < 20; before++) {
		for (after = 0; after < 20; after++) {
			buf_reset(&raw);
			buf_reset(&want);
			buf_reset(&got);
			buf_fill(&raw, 'b', before);
			buf_add(&raw, STR("\\n\xc3\xa9"));
			buf_fill(&raw, 'a', after);
			buf_fill(&want, 'b', before);
			buf_add(&want, STR("\n\xc3\xa9"));
			buf_fill(&want, 'a', after);
			json_unescape(&got, buf_str(&raw));
			assert_str(buf_str(&got), buf_str(&want));
		}
	}
	buf_release(&raw);
	buf_release(&want);
	buf_release(&got);
}

/* Pieces of a string as they stand in a text, what they say, and how we write that. */
static const struct {
	str raw, says, ours;
} pieces[] = {
	{T("a"), T("a"), T("a")},
	{T("some words"), T("some words"), T("some words")},
	{T("\\n"), T("\n"), T("\\n")},
	{T("\\\\"), T("\\"), T("\\\\")},
	{T("\\\""), T("\""), T("\\\"")},
	{T("\\t"), T("\t"), T("\\t")},
	{T("\\/"), T("/"), T("/")},
	{T("\\b\\f\\r"), T("\b\f\r"), T("\\b\\f\\r")},
	{T("\\u0041"), T("A"), T("A")},
	{T("\\ud83d\\ude00"), T("\xf0\x9f\x98\x80"), T("\xf0\x9f\x98\x80")},
	{T("\xc3\xa9"), T("\xc3\xa9"), T("\xc3\xa9")},
	{T("\x7f"), T("\x7f"), T("\\u007f")},
	{T("\\q"), T("q"), T("q")},
	{T("\x01"), T("\x01"), T("\\u0001")},
};

/* buf has just the room that is asked for, or a lot: other ways are taken then. */
static void check_unescape(str raw, str want, size_t room)
{
	struct buf b = BUF_INIT(room);
	char *exact = malloc(raw.n + !raw.n); /* for the sanitizers */

	if (raw.n)
		memcpy(exact, raw.p, raw.n);
	json_unescape(&b, (str){exact, raw.n});
	assert_false(b.full);
	assert_str(buf_str(&b), want);
	free(exact);
	buf_release(&b);
}

static void check_add(str s, str want, size_t room)
{
	struct buf b = BUF_INIT(room);
	char *exact = malloc(s.n + !s.n);

	if (s.n)
		memcpy(exact, s.p, s.n);
	json_add_str(&b, (str){exact, s.n});
	assert_false(b.full);
	assert_str(buf_str(&b), want);
	free(exact);
	buf_release(&b);
}

static void test_json__strings_of_all_pieces_are_read_and_written(void **state)
{
	struct buf raw = BUF_INIT(1000), says = BUF_INIT(1000), ours = BUF_INIT(1000);

	(void)state;
	srand(5);
	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)rand() % 300;
		/* often few kinds, so that runs get long */
		size_t kinds = rand() % 3 ? 5 : sizeof(pieces) / sizeof(*pieces);

		buf_reset(&raw);
		buf_reset(&says);
		buf_reset(&ours);
		buf_byte(&ours, '"');
		while (raw.n < n) {
			size_t k = (size_t)rand() % (rand() % 2 ? 2 : kinds);

			buf_add(&raw, pieces[k].raw);
			buf_add(&says, pieces[k].says);
			buf_add(&ours, pieces[k].ours);
		}
		buf_byte(&ours, '"');
		for (int wide = 0; wide < 2; wide++) {
			lanes_wide_use(wide);
			check_unescape(buf_str(&raw), buf_str(&says), 4000);
			check_unescape(buf_str(&raw), buf_str(&says), says.n);
			check_add(buf_str(&says), buf_str(&ours), 4000);
			check_add(buf_str(&says), buf_str(&ours), ours.n);
		}
		lanes_wide_use(true);
	}
	buf_release(&raw);
	buf_release(&says);
	buf_release(&ours);
}

/* A backslash that is the last byte, or stands before one that is none of its letters. */
static void test_json__odd_escapes_at_every_place_are_decoded(void **state)
{
	static const struct {
		str raw, says;
	} odd[] = {{T("\\"), T("")},
		   {T("\\\xc3\xa9z"), T("\xc3\xa9z")},
		   {T("\\u"), T("")},
		   {T("\\zz"), T("zz")},
		   {T("\\\\\\nz"), T("\\\nz")},
		   {T("\\u00e9z"), T("\xc3\xa9z")}};
	struct buf raw = BUF_INIT(1000), says = BUF_INIT(1000);

	(void)state;
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++)
		for (size_t before = 0; before < 140; before++)
			for (int wide = 0; wide < 2; wide++) {
				buf_reset(&raw);
				buf_reset(&says);
				buf_fill(&raw, 'b', before);
				buf_fill(&says, 'b', before);
				buf_add(&raw, odd[k].raw);
				buf_add(&says, odd[k].says);
				lanes_wide_use(wide);
				check_unescape(buf_str(&raw), buf_str(&says), 1000);
			}
	lanes_wide_use(true);
	buf_release(&raw);
	buf_release(&says);
}

static void test_json__numbers_are_told_whole_and_in_pieces(void **state)
{
	int state_no;
	size_t i, k;

	(void)state;
	for (i = 0; i < CASES; i++) {
		const str t = cases[i].text;
		bool want = cases[i].json == YES && t.n &&
			    (str_is_digit(t.p[0]) || t.p[0] == '-');

		assert_int_equal(json_number(t), want);
		for (state_no = 0, k = 0; k < t.n && state_no >= 0; k++)
			state_no = json_number_step(state_no, t.p[k]);
		assert_int_equal(state_no >= 0 && json_number_whole(state_no), want);
	}
}

static void expect_quoted(str s, str want)
{
	struct buf b = BUF_INIT(1000), back = BUF_INIT(1000);
	struct json j;

	json_add_str(&b, s);
	assert_str(buf_str(&b), want);
	/* what was written is a string of JSON */
	json_init(&j, buf_str(&b));
	assert_int_equal(json_next(&j), JSON_STR);
	json_text(&j, &back);
	assert_int_equal(json_next(&j), JSON_END);
	buf_release(&b);
	buf_release(&back);
}

#define QUOTE(s, want) expect_quoted(STR(s), STR(want))

static void test_json__strings_are_written_as_valid_ascii_safe_text(void **state)
{
	(void)state;
	QUOTE("", "\"\"");
	QUOTE("plain /text'", "\"plain /text'\"");
	QUOTE("a\"b\\c\nd\te\rf\bg\fh", "\"a\\\"b\\\\c\\nd\\te\\rf\\bg\\fh\"");
	QUOTE("\0\x01\x1f\x7f", "\"\\u0000\\u0001\\u001f\\u007f\"");
	QUOTE("\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"");
	QUOTE("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xd8\x9c\xe2\x81\xa6\xef\xbb\xbf",
	      "\"\\u2028\\u2029\\u202e\\u061c\\u2066\\ufeff\"");
	QUOTE("\xf3\xa0\x81\x81", "\"\\udb40\\udc41\"");
	QUOTE("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80",
	      "\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\"");
	QUOTE("a\xff\xfe"
	      "b\xed\xa0\x80"
	      "c\xe4\xb8"
	      "d\xc3",
	      "\"a\xef\xbf\xbd\xef\xbf\xbd"
	      "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
	      "c\xef\xbf\xbd"
	      "d\xef\xbf\xbd\"");
	QUOTE("\xff\xc3\xa9\xff", "\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\"");
}

static void test_json__each_byte_at_each_place_of_a_run_is_written_right(void **state)
{
	struct buf b = BUF_INIT(1000), back = BUF_INIT(1000);
	char text[24];
	struct json j;
	size_t at;
	int c;

	(void)state;
	for (at = 0; at < sizeof(text); at++) {
		for (c = 0; c < 0x80; c++) {
			memset(text, 'x', sizeof(text));
			text[at] = (char)c;
			buf_reset(&b);
			buf_reset(&back);
			json_add_str(&b, (str){text, sizeof(text)});
			json_init(&j, buf_str(&b));
			assert_int_equal(json_next(&j), JSON_STR);
			json_text(&j, &back);
			assert_str(buf_str(&back), ((str){text, sizeof(text)}));
		}
	}
	buf_release(&b);
	buf_release(&back);
}

static void test_json__a_document_is_put_together_with_its_commas(void **state)
{
	struct buf b = BUF_INIT(1000);

	(void)state;
	buf_byte(&b, '{');
	json_add_key(&b, "a");
	buf_byte(&b, '[');
	json_add_sep(&b);
	buf_u64(&b, 1);
	json_add_sep(&b);
	json_add_str(&b, STR("[{"));
	buf_byte(&b, ']');
	json_add_key(&b, "b");
	buf_add(&b, STR("{}}"));
	assert_str(buf_str(&b), STR("{\"a\":[1,\"[{\"],\"b\":{}}"));
	buf_reset(&b);
	json_add_sep(&b);
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static void test_json__a_full_buffer_is_marked_and_left_alone(void **state)
{
	struct buf b = BUF_INIT(10);

	(void)state;
	json_add_str(&b, STR("\"longer than ten\""));
	assert_true(b.full);
	assert_true(b.n <= 10);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__each_text_is_judged_as_the_table_says),
		cmocka_unit_test(test_json__a_text_cut_at_every_byte_asks_for_more),
		cmocka_unit_test(
			test_json__the_scanner_agrees_but_for_the_inside_of_strings),
		cmocka_unit_test(test_json__values_are_told_in_order),
		cmocka_unit_test(test_json__skip_goes_past_a_value_of_any_kind),
		cmocka_unit_test(test_json__depth_is_capped),
		cmocka_unit_test(test_json__is_compares_decoded_keys),
		cmocka_unit_test(test_json__escapes_are_decoded),
		cmocka_unit_test(test_json__lone_surrogates_and_bad_bytes_become_u_fffd),
		cmocka_unit_test(test_json__a_cut_string_decodes_without_its_broken_ends),
		cmocka_unit_test(test_json__runs_of_every_length_are_decoded),
		cmocka_unit_test(test_json__strings_of_all_pieces_are_read_and_written),
		cmocka_unit_test(test_json__odd_escapes_at_every_place_are_decoded),
		cmocka_unit_test(test_json__numbers_are_told_whole_and_in_pieces),
		cmocka_unit_test(test_json__strings_are_written_as_valid_ascii_safe_text),
		cmocka_unit_test(
			test_json__each_byte_at_each_place_of_a_run_is_written_right),
		cmocka_unit_test(test_json__a_document_is_put_together_with_its_commas),
		cmocka_unit_test(test_json__a_full_buffer_is_marked_and_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
