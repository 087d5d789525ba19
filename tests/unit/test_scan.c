#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "fault.h"
#include "base/clock.h"
#include "data/json.h"
#include "data/scan.h"

/* ---- the bytes: from memory, through the io table, at most feed.step a read ---- */

static struct {
	str data;
	size_t at, step;
	int seeks;
} feed;

static ssize_t feed_read(int fd, void *p, size_t n)
{
	(void)fd;
	if (feed.step && n > feed.step)
		n = feed.step;
	if (n > feed.data.n - feed.at)
		n = feed.data.n - feed.at;
	if (n)
		memcpy(p, feed.data.p + feed.at, n);
	feed.at += n;
	return (ssize_t)n;
}

static off_t feed_lseek(int fd, off_t off, int whence)
{
	(void)fd;
	assert_int_equal(whence, SEEK_SET);
	assert_true((size_t)off <= feed.data.n);
	feed.at = (size_t)off;
	feed.seeks++;
	return off;
}

static void feed_from(str data, size_t step)
{
	feed.data = data;
	feed.step = step;
	feed.at = 0;
	feed.seeks = 0;
	io.read = feed_read;
	io.lseek = feed_lseek;
}

/* ---- what comes out, as a text ---- */

enum how { SKIPPED, TEXTS };

static const char *why_name(enum scan_why w)
{
	static const char *name[] = {"torn", "bad", "nul", "value", "deep"};

	return name[w];
}

/* Tokens of whole records, records and losses, one item a word. Checks the accounting too. */
static void tell(struct scan *s, enum how how, struct buf *out)
{
	static const char *mark[] = {"{",  "}",  "[",    "]",     NULL,
				     NULL, NULL, "true", "false", "null"};
	struct buf text = BUF_INIT(1 << 20), tail = BUF_INIT(1 << 20);
	size_t start = 0, i;
	uint64_t at = 0;
	enum scan_tok tok;

	for (;;) {
		tok = scan_next(s);
		if (tok == SCAN_END || tok == SCAN_ERROR)
			break;
		switch (tok) {
		case SCAN_KEY:
			buf_add(out, s->key);
			buf_byte(out, ':');
			break;
		case SCAN_STR:
			buf_reset(&text);
			buf_reset(&tail);
			if (how == TEXTS && scan_text(s, &text, &tail, 40, 24))
				buf_printf(out, "\"%.*s\" ", STR_ARG(buf_str(&text)));
			else if (how == TEXTS)
				buf_printf(out, "\"%.*s...%.*s\" ",
					   STR_ARG(buf_str(&text)),
					   STR_ARG(buf_str(&tail)));
			else
				buf_add(out, STR("\"\" "));
			break;
		case SCAN_NUM:
			buf_add(out, s->num);
			buf_byte(out, ' ');
			break;
		case SCAN_RECORD:
			for (; at < s->rec_off; at++)
				assert_non_null(
					strchr(" \t\r\n\xef\xbb\xbf", feed.data.p[at]));
			assert_int_equal(at, s->rec_off);
			at += s->rec_len;
			buf_printf(out, "R%llu+%llu@%llu\n",
				   (unsigned long long)s->rec_off,
				   (unsigned long long)s->rec_len,
				   (unsigned long long)s->rec_line);
			start = out->n;
			break;
		case SCAN_LOSS:
			for (; at < s->loss_off; at++)
				assert_non_null(
					strchr(" \t\r\n\xef\xbb\xbf", feed.data.p[at]));
			assert_int_equal(at, s->loss_off);
			assert_true(s->loss_len > 0);
			at += s->loss_len;
			buf_cut(out, start);
			buf_printf(out, "L%llu+%llu@%llu %s\n",
				   (unsigned long long)s->loss_off,
				   (unsigned long long)s->loss_len,
				   (unsigned long long)s->rec_line, why_name(s->why));
			start = out->n;
			break;
		default:
			buf_printf(out, "%s ", mark[tok]);
		}
	}
	assert_int_equal(tok, SCAN_END);
	assert_int_equal(out->n, start);
	for (; at < feed.data.n; at++)
		assert_non_null(strchr(" \t\r\n\xef\xbb\xbf", feed.data.p[at]));
	assert_false(out->full);
	for (i = 0; i < 2; i++)
		assert_int_equal(scan_next(s), SCAN_END);
	buf_release(&text);
	buf_release(&tail);
}

/* The story of these bytes; good and tail_cut as they are at the end. */
static struct {
	uint64_t good;
	bool tail_cut;
} last;

static void story(str data, size_t step, enum how how, struct buf *out)
{
	struct source src = {.fd = 99};
	struct scan s;

	feed_from(data, step);
	buf_reset(out);
	scan_init(&s, &src, 0);
	tell(&s, how, out);
	last.good = s.good;
	last.tail_cut = s.tail_cut;
	scan_release(&s);
	io_real();
}

/* However the bytes arrive and whichever kernel runs, this comes out. */
static void expect_all(str data, const char *want)
{
	static const size_t steps[] = {0, 1, 2, 7, 64, 65};
	static const enum scan_kernel kernels[] = {SCAN_SWAR, SCAN_SSE2, SCAN_AVX2,
						   SCAN_NEON, SCAN_AUTO};
	struct buf out = BUF_INIT(1 << 20);
	size_t i, k;

	for (k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		if (!scan_use(kernels[k]))
			continue;
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			story(data, steps[i], TEXTS, &out);
			assert_str(buf_str(&out), str_of(want));
		}
	}
	buf_release(&out);
}

#define EXPECT(data, want) expect_all(STR(data), (want))

/* ---- records ---- */

static void test_scan__a_record_is_told_token_by_token(void **state)
{
	(void)state;
	EXPECT("{\"a\":\"x\",\"b\":[1,-2.5e3,true,false,null,{}],\"c\":{\"d\":[]}}\n",
	       "{ a:\"x\" b:[ 1 -2.5e3 true false null { } ] c:{ d:[ ] } } R0+56@1\n");
}

static void test_scan__an_empty_file_has_no_records(void **state)
{
	(void)state;
	EXPECT("", "");
	EXPECT("\n\r\n  \n", "");
	assert_false(last.tail_cut);
}

static void test_scan__cr_bom_and_blank_lines_are_no_losses(void **state)
{
	(void)state;
	EXPECT("\xef\xbb\xbf{\"a\":1}\r\n\r\n \t{\"b\":2}\r\n",
	       "{ a:1 } R3+7@1\n{ b:2 } R16+7@3\n");
	assert_int_equal(last.good, 25);
}

static void test_scan__a_missing_last_line_end_is_no_damage(void **state)
{
	(void)state;
	EXPECT("{\"a\":1}\n{\"b\":2}", "{ a:1 } R0+7@1\n{ b:2 } R8+7@2\n");
	assert_int_equal(last.good, 15);
	assert_false(last.tail_cut);
}

static void test_scan__glued_records_are_both_told(void **state)
{
	(void)state;
	EXPECT("{\"a\":1}{\"b\":2}\n{\"c\":3}",
	       "{ a:1 } R0+7@1\n{ b:2 } R7+7@1\n{ c:3 } R15+7@2\n");
}

/* ---- damage ---- */

static void test_scan__a_torn_tail_is_a_loss_up_to_the_end(void **state)
{
	(void)state;
	EXPECT("{\"a\":1}\n{\"b\":\"xy", "{ a:1 } R0+7@1\nL8+8@2 torn\n");
	assert_int_equal(last.good, 8);
	assert_true(last.tail_cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan__a_record_is_told_token_by_token),
		cmocka_unit_test(test_scan__an_empty_file_has_no_records),
		cmocka_unit_test(test_scan__cr_bom_and_blank_lines_are_no_losses),
		cmocka_unit_test(test_scan__a_missing_last_line_end_is_no_damage),
		cmocka_unit_test(test_scan__glued_records_are_both_told),
		cmocka_unit_test(test_scan__a_torn_tail_is_a_loss_up_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
