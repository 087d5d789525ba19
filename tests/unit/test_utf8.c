#include "fault.h"
#include "base/lanes.h"
#include "base/utf8.h"

#include <stdlib.h>

#define FFFD "\xEF\xBF\xBD"

static void test_utf8__accepts_exactly_the_encodings_of_scalar_values(void **state)
{
	char c[4];
	uint32_t back;

	(void)state;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
		size_t n = utf8_put(c, cp);
		bool surrogate = cp >= 0xD800 && cp <= 0xDFFF;

		assert_int_equal(utf8_next((str){c, n}, &back), n);
		assert_int_equal(back, surrogate ? 0xFFFD : cp);
		for (size_t cut = 0; cut < n; cut++)
			assert_int_equal(utf8_next((str){c, cut}, &back), 0);
	}
	assert_int_equal(utf8_put(c, 0x110000), 3);
}

/* Every string of three bytes, against what the standard's table says in other words: decode
 * the loose way, encode again, and compare. */
static void test_utf8__rejects_everything_else_of_up_to_3_bytes(void **state)
{
	unsigned char b[3];
	char c[4];
	uint32_t cp, want;
	size_t n, len;

	(void)state;
	for (uint32_t v = 0x800000; v < 0x1000000; v++) {
		b[0] = (unsigned char)(v >> 16);
		b[1] = (unsigned char)(v >> 8);
		b[2] = (unsigned char)v;
		if (b[1] < 0x7E || b[1] > 0xC1 || (b[2] > 1 && b[2] < 0x7E) ||
		    b[2] > 0xC1)
			continue;
		len = b[0] >= 0xE0 && b[0] < 0xF0   ? 3
		      : b[0] >= 0xC0 && b[0] < 0xE0 ? 2
						    : 0;
		want = len == 3 ? (b[0] & 15u) << 12 | (b[1] & 63u) << 6 | (b[2] & 63u)
				: (b[0] & 31u) << 6 | (b[1] & 63u);
		n = len ? utf8_put(c, want) : 0;
		if (n != len || memcmp(c, b, n) != 0)
			n = 0;
		assert_int_equal(utf8_next((str){(char *)b, 3}, &cp), n);
	}
}

static void repairs(str in, const char *want)
{
	struct buf b = BUF_INIT(1000);

	utf8_add(&b, in);
	assert_str(buf_str(&b), str_of(want));
	assert_int_equal(utf8_valid(in), str_eq(in, str_of(want)));
	buf_release(&b);
}

static void test_utf8__replaces_each_maximal_subpart(void **state)
{
	(void)state;
	/* the examples of Unicode 15, section 3.9, tables 3-8 to 3-11 */
	repairs(STR("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
		FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
	repairs(STR("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
		FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
	repairs(STR("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
		FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B");
	repairs(STR("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), FFFD FFFD FFFD FFFD "A");
	repairs(STR("plain text, long enough for eight at a time"),
		"plain text, long enough for eight at a time");
	repairs(STR("12345678\x80"), "12345678" FFFD);
	repairs(STR("\xF0\x9F\x98"), FFFD); /* cut */
	repairs(STR("\xC3\xA4\xF0\x9F\x98\x80"), "\xC3\xA4\xF0\x9F\x98\x80");
	repairs(STR_NONE, "");
}

static void test_utf8__stops_at_a_full_buf(void **state)
{
	struct buf b = BUF_INIT(4);

	(void)state;
	utf8_add(&b, STR("ab\xFF"
			 "cd"));
	assert_true(b.full);
	assert_str(buf_str(&b), STR("ab"));
	buf_release(&b);
}

static void test_utf8__cuts_between_characters(void **state)
{
	static const char text[] =
		"a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z"; /* 1 2 3 4 1 bytes */
	static const size_t borders[] = {0, 1, 3, 6, 10, 11};
	str s = STR(text);

	(void)state;
	for (size_t max = 0; max <= s.n + 2; max++) {
		size_t head = 0, tail = 0;

		for (size_t i = 0; i < 6; i++) {
			if (borders[i] <= max)
				head = borders[i];
			if (s.n - borders[5 - i] <= max)
				tail = s.n - borders[5 - i];
		}
		assert_int_equal(utf8_head(s, max).n, head);
		assert_int_equal(utf8_tail(s, max).n, tail);
		assert_ptr_equal(utf8_tail(s, max).p, s.p + s.n - tail);
	}
}

static void test_utf8__cuts_of_ill_formed_text_make_progress(void **state)
{
	str s = STR("\x80\x80\x80\x80\x80\x80\xF0\x9F");

	(void)state;
	for (size_t max = 0; max <= s.n; max++) {
		assert_int_equal(utf8_head(s, max).n, max);
		assert_int_equal(utf8_tail(s, max).n, max);
	}
}

static void test_utf8__counts_code_points_and_utf16_units(void **state)
{
	(void)state;
	assert_int_equal(utf8_count(STR("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z")), 5);
	assert_int_equal(utf8_units16(STR("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z")), 6);
	assert_int_equal(utf8_count(STR("\xF0\x9F\x98")), 3);
	assert_int_equal(utf8_units16(STR("abcdefghijklmnop\xFF")), 17);
	assert_str(utf8_head16(STR("a\xC3\xA4\xF0\x9F\x98\x80z"), 4),
		   STR("a\xC3\xA4\xF0\x9F\x98\x80"));
	assert_str(utf8_head16(STR("a\xC3\xA4\xF0\x9F\x98\x80z"), 3), STR("a\xC3\xA4"));
	assert_str(utf8_head16(STR("\xFF\xFFz"), 2), STR("\xFF\xFF"));
	assert_str(utf8_head16(STR("ab"), 0), STR(""));
	assert_str(utf8_head16(STR("ab"), 9), STR("ab"));
	assert_int_equal(utf8_count(STR_NONE), 0);
}

static void shows(enum utf8_show how, str in, const char *want)
{
	struct buf b = BUF_INIT(1000);

	buf_add(&b, STR("> "));
	utf8_show(&b, in, how);
	assert_str(str_from(buf_str(&b), 2), str_of(want));
	buf_release(&b);
}

static void test_utf8__text_keeps_lines_and_escapes_controls(void **state)
{
	(void)state;
	shows(UTF8_TEXT, STR("a\tb\n  c\n"), "a\tb\n  c\n");
	shows(UTF8_TEXT, STR("a\r\nb\0c\x7f\b"), "a\\x0d\nb\\x00c\\x7f\\x08");
	shows(UTF8_TEXT,
	      STR("12345678\x7f"
		  "12345678\x1f"
		  "1234567\xC2\x9B"),
	      "12345678\\x7f12345678\\x1f1234567\\x9b");
	shows(UTF8_TEXT, STR("\xE2\x80\xAE\xE2\x81\xA6\xEF\xBB\xBF\xD8\x9C"),
	      "\\u{202e}\\u{2066}\\u{feff}\\u{61c}");
	shows(UTF8_TEXT, STR("\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\x8E\xF3\xA0\x81\x81"),
	      "\\u{2028}\\u{2029}\\u{200e}\\u{e0041}");
	/* invisible and without use; joiners, which scripts and emoji need, stay */
	shows(UTF8_TEXT,
	      STR("a\xE2\x80\x8B"
		  "b\xE2\x81\xA0"
		  "c"),
	      "a\\u{200b}b\\u{2060}c");
	shows(UTF8_TEXT, STR("\xE2\x80\x8C\xE2\x80\x8D"), "\xE2\x80\x8C\xE2\x80\x8D");
	shows(UTF8_TEXT, STR("\xC3\xA4 \xF0\x9F\x98\x80 \xE4\xB8\xAD\xC2\xA0|"),
	      "\xC3\xA4 \xF0\x9F\x98\x80 \xE4\xB8\xAD\xC2\xA0|");
	shows(UTF8_TEXT, STR("\xFFx\xF0\x9F"), FFFD "x" FFFD);
	shows(UTF8_TEXT, STR_NONE, "");
}

static void test_utf8__escape_sequences_are_dropped_whole(void **state)
{
	(void)state;
	shows(UTF8_TEXT, STR("\x1b[1;31mred\x1b[0m"), "red");
	shows(UTF8_TEXT, STR("\x1b[?25l\x1b[2 q-"), "-");
	shows(UTF8_TEXT, STR("\x1b]0;title\a-\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"),
	      "-link");
	shows(UTF8_TEXT,
	      STR("\x1bPq#0\x1b\\-\x1b(B\x1b=\x1b"
		  "7-"),
	      "--");
}

static void test_utf8__an_unfinished_escape_sequence_hides_nothing(void **state)
{
	(void)state;
	shows(UTF8_TEXT, STR("\x1b"), "\\x1b");
	shows(UTF8_TEXT, STR("\x1b["), "\\x1b[");
	shows(UTF8_TEXT, STR("\x1b[12"), "\\x1b[12");
	shows(UTF8_TEXT, STR("\x1b[1\nx"), "\\x1b[1\nx");
	shows(UTF8_TEXT, STR("\x1b]0;rest of the text"), "\\x1b]0;rest of the text");
	shows(UTF8_TEXT, STR("\x1b]0;one\ntwo\a"), "\\x1b]0;one\ntwo\\x07");
	shows(UTF8_TEXT, STR("\x1b]0;a\x1b[0mb"), "\\x1b]0;ab");
	shows(UTF8_TEXT, STR("\x1b(\xC3\xA4"), "\\x1b(\xC3\xA4");
}

static void test_utf8__one_line_joins_white_space(void **state)
{
	(void)state;
	shows(UTF8_ONELINE, STR("  a  b\n\tc d\r\n"), "a b c d");
	shows(UTF8_ONELINE, STR("one two three "), "one two three");
	shows(UTF8_ONELINE, STR(" \n\t "), "");
	shows(UTF8_ONELINE, STR("a \x1b[0m b"), "a b");
	shows(UTF8_ONELINE, STR("\x1b[0m a\x1b[0m"), "a");
	shows(UTF8_ONELINE, STR("a \x1b[1mb"), "a b");
	shows(UTF8_ONELINE, STR("a \xC3\xA4 b\x01 c"), "a \xC3\xA4 b\\x01 c");
	shows(UTF8_ONELINE, STR("a\0 b"), "a\\x00 b");
}

/* Spaces at every place of the eight bytes that are taken at once. */
static void test_utf8__one_line_joins_spaces_wherever_they_stand(void **state)
{
	char text[24];

	(void)state;
	for (size_t n = 1; n < sizeof text; n++) {
		for (size_t at = 0; at < n; at++) {
			for (size_t len = 1; len <= 3 && at + len <= n; len++) {
				struct buf b = BUF_INIT(1000), want = BUF_INIT(1000);

				memset(text, 'x', n);
				memset(text + at, ' ', len);
				buf_fill(&want, 'x', at);
				if (at > 0 && at + len < n)
					buf_byte(&want, ' ');
				buf_fill(&want, 'x', n - at - len);
				utf8_show(&b, (str){text, n}, UTF8_ONELINE);
				assert_str(buf_str(&b), buf_str(&want));
				buf_release(&b);
				buf_release(&want);
			}
		}
	}
}

/* One line, a character at a time. */
static void slow_oneline(struct buf *b, str s)
{
	bool space = false;

	while (s.n) {
		struct buf one = BUF_INIT(100);
		uint32_t cp;
		size_t n = utf8_next(s, &cp);

		if (str_is_space(s.p[0])) {
			space = true;
			n = 1;
		} else {
			utf8_show(&one, str_head(s, n ? n : 1), UTF8_TEXT);
			n = n ? n : 1;
			if (space && b->n)
				buf_byte(b, ' ');
			space = false;
			buf_add(b, buf_str(&one));
		}
		buf_release(&one);
		s = str_from(s, n);
	}
}

static void test_utf8__one_line_is_the_same_in_blocks_and_by_character(void **state)
{
	static const char *const piece[] = {
		"a",        "word",         "~",    "!",  "x=1;", " ",    "  ",
		"\n",       "\t",           "\r\n", "\v", "\f",   "\x7f", "\x01",
		"\xC3\xA4", "\xE2\x80\x8B", "\xFF"};

	(void)state;
	srand(11);
	for (int round = 0; round < 20000; round++) {
		struct buf text = BUF_INIT(400), want = BUF_INIT(4000);
		size_t n = (size_t)rand() % 300;
		/* mostly plain, else all kinds; now and then with long white space */
		int kinds = rand() % 3 ? 12 : (int)(sizeof(piece) / sizeof(*piece));
		char *copy;

		while (text.n < n) {
			if (rand() % 40 == 0)
				buf_fill(&text, ' ', (size_t)(rand() % 90));
			else
				buf_add(&text, str_of(piece[rand() % kinds]));
		}
		copy = str_dup(buf_str(&text));
		slow_oneline(&want, buf_str(&text));
		for (int wide = 0; wide < 2; wide++) {
			struct buf b = BUF_INIT(8000), exact = BUF_INIT(want.n);
			char *room = malloc(text.n + !text.n);

			memcpy(room, copy,
			       text.n); /* its exact size, for the sanitizers */
			lanes_wide_use(wide);
			utf8_show(&b, (str){room, text.n}, UTF8_ONELINE);
			assert_str(buf_str(&b), buf_str(&want));
			/* no more room than it takes */
			utf8_show(&exact, (str){room, text.n}, UTF8_ONELINE);
			assert_false(exact.full);
			assert_str(buf_str(&exact), buf_str(&want));
			/* behind what is there already */
			buf_add(&b, STR("|"));
			utf8_show(&b, (str){room, text.n}, UTF8_ONELINE);
			assert_int_equal(b.n, 2 * want.n + 1);
			assert_str(str_from(buf_str(&b), want.n + 1), buf_str(&want));
			free(room);
			buf_release(&b);
			buf_release(&exact);
		}
		lanes_wide_use(true);
		free(copy);
		buf_release(&text);
		buf_release(&want);
	}
}

static void test_utf8__show_is_safe_cut_at_every_byte(void **state)
{
	static const char text[] =
		"ab\x1b[1mc\xC3\xA4\xE2\x80\xAE\x1b]0;t\a \xF0\x9F\x98\x80 \xC2\x85z";

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		for (int how = UTF8_TEXT; how <= UTF8_ONELINE; how++) {
			struct buf b = BUF_INIT(1000);
			char *copy = str_dup(
				(str){text, n}); /* exact size, for the sanitizers */
			uint32_t cp;
			str s;

			utf8_show(&b, (str){copy, n}, (enum utf8_show)how);
			for (s = buf_str(&b); s.n; s = str_from(s, utf8_next(s, &cp))) {
				assert_true(utf8_next(s, &cp) > 0);
				assert_false(utf8_unsafe(cp));
			}
			free(copy);
			buf_release(&b);
		}
	}
}

static void test_utf8__show_stops_at_a_full_buf(void **state)
{
	(void)state;
	for (size_t max = 0; max < 20; max++) {
		for (int how = UTF8_TEXT; how <= UTF8_ONELINE; how++) {
			struct buf b = BUF_INIT(max);

			utf8_show(&b,
				  STR("a \x1b[0m \xE2\x80\xAE\xE2\x80\xAE\xE2\x80\xAE z"),
				  (enum utf8_show)how);
			assert_true(b.full);
			assert_true(b.n <= max);
			buf_release(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_utf8__accepts_exactly_the_encodings_of_scalar_values),
		cmocka_unit_test(test_utf8__rejects_everything_else_of_up_to_3_bytes),
		cmocka_unit_test(test_utf8__replaces_each_maximal_subpart),
		cmocka_unit_test(test_utf8__stops_at_a_full_buf),
		cmocka_unit_test(test_utf8__cuts_between_characters),
		cmocka_unit_test(test_utf8__cuts_of_ill_formed_text_make_progress),
		cmocka_unit_test(test_utf8__counts_code_points_and_utf16_units),
		cmocka_unit_test(test_utf8__text_keeps_lines_and_escapes_controls),
		cmocka_unit_test(test_utf8__escape_sequences_are_dropped_whole),
		cmocka_unit_test(test_utf8__an_unfinished_escape_sequence_hides_nothing),
		cmocka_unit_test(test_utf8__one_line_joins_white_space),
		cmocka_unit_test(test_utf8__one_line_joins_spaces_wherever_they_stand),
		cmocka_unit_test(
			test_utf8__one_line_is_the_same_in_blocks_and_by_character),
		cmocka_unit_test(test_utf8__show_is_safe_cut_at_every_byte),
		cmocka_unit_test(test_utf8__show_stops_at_a_full_buf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
