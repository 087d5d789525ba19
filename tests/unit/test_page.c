#include "fault.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "work/page.h"

/* The cursor in the last line of a page; "" when there is none. */
static str cursor_of(str out)
{
	size_t at = str_rfind(out, STR(" cursor \""));
	str s = str_from(out, at == STR_NPOS ? out.n : at + 9);

	return str_head(s, str_chr(s, '"') == STR_NPOS ? 0 : str_chr(s, '"'));
}

/* The page of a text that comes in pieces of `piece` bytes. */
static int page_of(str text, size_t piece, str cursor, struct buf *out, struct err *e)
{
	struct page p;
	int ret = page_init(&p, cursor, e);

	for (size_t at = 0; at < text.n && !ret; at += piece)
		page_add(&p, str_head(str_from(text, at), piece));
	if (!ret)
		ret = page_end(&p, "tool", out, e);
	page_release(&p);
	return ret;
}

/* All pages of a text, joined without their last lines. */
static size_t walk(str text, size_t piece, struct buf *all)
{
	struct buf out = BUF_INIT(1 << 20), cursor = BUF_INIT(200);
	size_t pages = 0;
	str next;

	do {
		str body;

		buf_reset(&out);
		assert_int_equal(page_of(text, piece, buf_str(&cursor), &out, NULL), 0);
		assert_true(utf8_units16(buf_str(&out)) <= PAGE_UNITS);
		assert_true(utf8_valid(buf_str(&out)));
		body = buf_str(&out);
		next = cursor_of(body);
		if (next.n)
			body = str_head(body, str_rfind(body, STR("-- ")));
		buf_add(all, body);
		buf_reset(&cursor);
		buf_add(&cursor, next);
		pages++;
		assert_true(pages < 100);
	} while (cursor.n);
	buf_release(&out);
	buf_release(&cursor);
	return pages;
}

static void test_page__a_text_that_fits_is_given_as_it_is(void **state)
{
	struct buf text = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);

	(void)state;
	assert_int_equal(page_of(STR(""), 1, STR_NONE, &out, NULL), 0);
	assert_int_equal(out.n, 0);
	buf_fill(&text, 'x', PAGE_UNITS);
	assert_int_equal(page_of(buf_str(&text), 999, STR(" "), &out, NULL), 0);
	assert_str(buf_str(&out), buf_str(&text));
	buf_release(&text);
	buf_release(&out);
}

static void test_page__pages_together_are_the_text(void **state)
{
	struct buf text = BUF_INIT(4 << 20), all = BUF_INIT(4 << 20);

	(void)state;
	for (int i = 0; i < 20000; i++)
		buf_printf(&text,
			   "%d: \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 line\n%s", i,
			   i % 7 ? "" : "\n");
	for (size_t piece = 1000; piece < 400000; piece *= 3) {
		buf_reset(&all);
		assert_true(walk(buf_str(&text), piece, &all) > 5);
		assert_true(str_eq(buf_str(&all), buf_str(&text)));
	}
	buf_release(&text);
	buf_release(&all);
}

static void test_page__a_line_longer_than_a_page_is_cut_between_characters(void **state)
{
	struct buf text = BUF_INIT(4 << 20), all = BUF_INIT(4 << 20);
	size_t left = 0;

	(void)state;
	for (int i = 0; i < 60000; i++)
		buf_add(&text, STR("\xf0\x9f\x98\x80"));
	assert_true(walk(buf_str(&text), 4096, &all) == 3);
	/* a newline was put at the end of each page but the last */
	for (size_t i = 0; i < all.n; i++)
		left += all.p[i] != '\n';
	assert_int_equal(left, text.n);
	buf_release(&text);
	buf_release(&all);
}

static void test_page__no_page_is_left_empty_before_a_long_line(void **state)
{
	struct buf text = BUF_INIT(4 << 20), out = BUF_INIT(1 << 20),
		   cursor = BUF_INIT(200);
	size_t pages = 0;

	(void)state;
	buf_add(&text, STR("Found 2:\n\n- "));
	buf_fill(&text, 'x', 60000);
	buf_add(&text, STR("\n- "));
	buf_fill(&text, 'y', 120000);
	do {
		buf_reset(&out);
		assert_int_equal(
			page_of(buf_str(&text), 999, buf_str(&cursor), &out, NULL), 0);
		buf_reset(&cursor);
		buf_add(&cursor, cursor_of(buf_str(&out)));
		assert_true(!cursor.n || out.n > PAGE_UNITS / 2);
		assert_true(utf8_units16(buf_str(&out)) <= PAGE_UNITS);
		pages++;
	} while (cursor.n && pages < 10);
	assert_int_equal(pages, 4);
	buf_release(&text);
	buf_release(&out);
	buf_release(&cursor);
}

static void
test_page__a_text_that_grew_goes_on_and_one_that_changed_is_refused(void **state)
{
	struct buf text = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20),
		   cursor = BUF_INIT(100);
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < 9000; i++)
		buf_printf(&text, "line %d\n", i);
	assert_int_equal(page_of(buf_str(&text), 500, STR_NONE, &out, NULL), 0);
	buf_add(&cursor, cursor_of(buf_str(&out)));
	assert_true(cursor.n > 0);
	buf_add(&text, STR("one more\n"));
	buf_reset(&out);
	assert_int_equal(page_of(buf_str(&text), 500, buf_str(&cursor), &out, NULL), 0);
	assert_true(str_ends(buf_str(&out), STR("one more\n")));
	text.p[3] = 'X';
	buf_reset(&out);
	assert_int_equal(page_of(buf_str(&text), 500, buf_str(&cursor), &out, &e),
			 HF_EUSAGE);
	assert_non_null(strstr(e.msg, "has changed"));
	assert_int_equal(out.n, 0);
	/* shorter than the cursor says */
	assert_int_equal(page_of(STR("x"), 500, buf_str(&cursor), &out, NULL), HF_EUSAGE);
	buf_release(&text);
	buf_release(&out);
	buf_release(&cursor);
}

static void test_page__a_cursor_that_was_never_given_is_refused(void **state)
{
	static const char *const WRONG[] = {"x",
					    "0",
					    "12",
					    "12-",
					    "0-0123456789abcdef",
					    "12-0123456789abcde",
					    "12-0123456789ABCDEF",
					    "12-0123456789abcdef0",
					    "-1-0123456789abcdef",
					    "99999999999999999999-0123456789abcdef"};

	(void)state;
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
		struct err e = ERR_INIT;
		struct page p;

		if (page_init(&p, str_of(WRONG[i]), &e) != HF_EUSAGE ||
		    strncmp(e.msg, "cursor: ", 8) != 0)
			fail_msg("%s", WRONG[i]);
		page_release(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page__a_text_that_fits_is_given_as_it_is),
		cmocka_unit_test(test_page__pages_together_are_the_text),
		cmocka_unit_test(
			test_page__a_line_longer_than_a_page_is_cut_between_characters),
		cmocka_unit_test(test_page__no_page_is_left_empty_before_a_long_line),
		cmocka_unit_test(
			test_page__a_text_that_grew_goes_on_and_one_that_changed_is_refused),
		cmocka_unit_test(test_page__a_cursor_that_was_never_given_is_refused),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
