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

enum how { SKIPPED, TEXTS, MEMBERS };

static const char *why_name(enum scan_why w)
{
	static const char *name[] = {"torn", "bad", "nul", "value", "deep"};

	return name[w];
}

/* White space, or the byte order mark at the start: what need not be told. */
static void assert_blank(uint64_t at)
{
	char c = feed.data.p[at];

	assert_true(memchr(" \t\r\n", c, 4) || (at < 3 && c == "\xef\xbb\xbf"[at]));
}

/* ---- keys with their values, which scan_member may tell at once ---- */

static struct scan_names names;

static void name_some(void)
{
	static const char *const name[] = {
		"a",         "b",       "t",       "type",         "uuid",
		"timestamp", "message", "content", "a longer key", "sessionId"};
	size_t i;

	scan_names_init(&names);
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		scan_names_add(&names, str_of(name[i]));
		assert_int_equal(scan_names_find(&names, str_of(name[i])), i + 1);
	}
}

static enum scan_tok token(struct scan *s, enum how how, struct buf *out)
{
	static const bool swallow[SCAN_NAMES_MAX];
	static const uint16_t at[SCAN_NAMES_MAX];
	const struct scan_members m = {.names = &names, .swallow = swallow, .at = at};
	enum scan_tok tok;

	s->member = false;
	if (how != MEMBERS || s->depth == 0)
		return scan_next(s);
	tok = scan_member(s, &m);
	if (s->member) {
		assert_int_equal(scan_names_find(&names, s->key), s->name);
		buf_add(out, s->key);
		buf_byte(out, ':');
	}
	return tok;
}

/* The string at hand within 40 bytes of head and 24 of tail, as scan_text gives it. */
static bool text_of(struct scan *s, struct buf *text, struct buf *tail)
{
	if (!s->member || !s->plain.p)
		return scan_text(s, text, tail, 40, 24);
	assert_true(s->plain.n <= SCAN_PLAIN_MAX);
	assert_int_equal(s->str_size, s->plain.n);
	scan_plain_add(text, s->plain);
	assert_int_equal(text->p[text->n], 0);
	return true;
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
	bool cut;

	for (;;) {
		tok = token(s, how, out);
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
			if (how == SKIPPED) {
				buf_add(out, STR("\"\" "));
				break;
			}
			cut = !text_of(s, &text, &tail);
			buf_byte(out, '"');
			buf_add(out, buf_str(&text));
			buf_add(out, cut ? STR("...") : STR_NONE);
			buf_add(out, buf_str(&tail));
			buf_add(out, STR("\" "));
			break;
		case SCAN_NUM:
			buf_add(out, s->num);
			buf_byte(out, ' ');
			break;
		case SCAN_RECORD:
			for (; at < s->rec_off; at++)
				assert_blank(at);
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
				assert_blank(at);
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
		assert_blank(at);
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
static void expect_all(str data, str want)
{
	static const size_t steps[] = {0, 1, 2, 7, 64, 65};
	static const enum scan_kernel kernels[] = {SCAN_SWAR, SCAN_SSE2,   SCAN_AVX2,
						   SCAN_NEON, SCAN_AVX512, SCAN_AUTO};
	struct buf out = BUF_INIT(1 << 20);
	size_t i, k;

	for (k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		if (!scan_use(kernels[k]))
			continue;
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			story(data, steps[i], TEXTS, &out);
			assert_str(buf_str(&out), want);
			story(data, steps[i], MEMBERS, &out);
			assert_str(buf_str(&out), want);
		}
	}
	buf_release(&out);
}

#define EXPECT(data, want) expect_all(STR(data), STR(want))

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

/* ---- damage: single cases ---- */

static void test_scan__a_torn_tail_is_a_loss_up_to_the_end(void **state)
{
	(void)state;
	EXPECT("{\"a\":1}\n{\"b\":\"xy", "{ a:1 } R0+7@1\nL8+8@2 torn\n");
	assert_int_equal(last.good, 8);
	assert_true(last.tail_cut);
}

static void test_scan__a_torn_line_costs_only_itself(void **state)
{
	(void)state;
	EXPECT("{\"a\":1}\n{\"a\":\"xy\n{\"a\":3}\n",
	       "{ a:1 } R0+7@1\nL8+8@2 torn\n{ a:3 } R17+7@3\n");
	assert_false(last.tail_cut);
}

static void test_scan__a_record_glued_to_one_torn_in_a_string_is_found(void **state)
{
	(void)state;
	EXPECT("{\"a\":\"xy{\"a\":2}\n", "L0+8@1 torn\n{ a:2 } R8+7@1\n");
	EXPECT("{\"a\":\"{\"a\":2}\n", "L0+6@1 torn\n{ a:2 } R6+7@1\n");
	EXPECT("{\"a{\"a\":2}\n", "L0+3@1 torn\n{ a:2 } R3+7@1\n");
	EXPECT("\"x{\"a\":2}\n", "L0+2@1 torn\n{ a:2 } R2+7@1\n");
	EXPECT("{\"a\":\"x{ \"a\":2}\n", "L0+7@1 torn\n{ a:2 } R7+8@1\n");
}

static void test_scan__a_record_glued_to_one_torn_in_an_escape_is_found(void **state)
{
	(void)state;
	EXPECT("{\"a\":\"x\\{\"a\":2}\n", "L0+8@1 torn\n{ a:2 } R8+7@1\n");
	EXPECT("{\"a\":\"x\\u{\"a\":2}\n", "L0+9@1 torn\n{ a:2 } R9+7@1\n");
	EXPECT("{\"a\":\"x\\u00e{\"a\":2}\n", "L0+12@1 torn\n{ a:2 } R12+7@1\n");
}

static void test_scan__a_record_glued_to_one_torn_in_the_grammar_is_found(void **state)
{
	(void)state;
	EXPECT("{{\"a\":2}\n", "L0+1@1 torn\n{ a:2 } R1+7@1\n");
	EXPECT("{\"a\"{\"a\":2}\n", "L0+4@1 torn\n{ a:2 } R4+7@1\n");
	EXPECT("{\"a\":1{\"a\":2}\n", "L0+6@1 torn\n{ a:2 } R6+7@1\n");
	EXPECT("{\"a\":1,{\"a\":2}\n", "L0+7@1 torn\n{ a:2 } R7+7@1\n");
	EXPECT("{\"a\":-{\"a\":2}\n", "L0+6@1 torn\n{ a:2 } R6+7@1\n");
	EXPECT("{\"a\":tru{\"a\":2}\n", "L0+8@1 torn\n{ a:2 } R8+7@1\n");
	EXPECT("{\"a\":\"x\"{\"a\":2}\n", "L0+8@1 torn\n{ a:2 } R8+7@1\n");
}

static void test_scan__a_record_swallowed_as_a_value_is_found(void **state)
{
	(void)state;
	EXPECT("{\"a\":{\"a\":2}\n", "L0+5@1 torn\n{ a:2 } R5+7@1\n");
	EXPECT("{\"a\":[{\"a\":2}\r\n", "L0+6@1 torn\n{ a:2 } R6+7@1\n");
	EXPECT("{\"t\":1,\"u\":2}\n{\"t\":[1,{\"t\":3,\"u\":{}}{\"t\":4,\"u\":5}\n",
	       "{ t:1 u:2 } R0+13@1\nL14+8@2 torn\n{ t:3 u:{ } } R22+14@2\n{ t:4 u:5 } R36+13@2\n");
	EXPECT("{\"t\":1,\"u\":2}\n{\"t\":{\"t\":\"x{\"t\":{\"t\":4,\"u\":5}",
	       "{ t:1 u:2 } R0+13@1\nL14+17@2 torn\n{ t:4 u:5 } R31+13@2\n");
}

static void
test_scan__an_inner_object_at_the_end_of_a_torn_line_is_no_record(void **state)
{
	(void)state;
	EXPECT("{\"t\":1,\"u\":2}\n{\"t\":1,\"m\":{\"role\":\"x\"}\n{\"t\":1,\"u\":2}\n",
	       "{ t:1 u:2 } R0+13@1\nL14+23@2 torn\n{ t:1 u:2 } R38+13@3\n");
	EXPECT("{\"t\":1,\"u\":2}\n{\"t\":1,\"m\":[{\"t\":\"x\",\"x\":1}",
	       "{ t:1 u:2 } R0+13@1\nL14+27@2 torn\n");
	assert_true(last.tail_cut);
	EXPECT("{\"t\":1,\"u\":2}\n\"lost\",\"m\":{\"role\":\"x\"}\n{\"t\":1,\"u\":2}\n",
	       "{ t:1 u:2 } R0+13@1\nL14+23@2 bad\n{ t:1 u:2 } R38+13@3\n");
	/* the first line of all: nothing is known yet */
	EXPECT("{\"t\":1,\"m\":{\"role\":\"x\"}{\"t\":1}\n",
	       "L0+23@1 torn\n{ t:1 } R23+7@1\n");
	EXPECT("{\"t\":1,\"m\":{\"role\":\"x\"}", "L0+23@1 torn\n");
}

static void test_scan__nul_runs_are_losses_and_hide_nothing(void **state)
{
	(void)state;
	EXPECT("\0\0\0{\"a\":1}\0\0\n\0\n{\"a\":2}\0{\"a\":3}\0",
	       "L0+3@1 nul\n{ a:1 } R3+7@1\nL10+2@1 nul\nL13+1@2 nul\n{ a:2 } R15+7@3\nL22+1@3 "
	       "nul\n{ a:3 } R23+7@3\nL30+1@3 nul\n");
	EXPECT("{\"a\":\"x\0\0\0{\"a\":2}\n", "L0+10@1 torn\n{ a:2 } R10+7@1\n");
	EXPECT("{\"a\":\0\0{\"a\":2}\n", "L0+7@1 torn\n{ a:2 } R7+7@1\n");
	EXPECT("{\"a\":1}\n{\"a\":\"x\0\0\0", "{ a:1 } R0+7@1\nL8+10@2 torn\n");
	assert_true(last.tail_cut);
	EXPECT("{\"a\":1}\n{\"a\":\0\0\0", "{ a:1 } R0+7@1\nL8+8@2 torn\n");
	assert_true(last.tail_cut);
	EXPECT("{\"a\":1}\n\0\0\0", "{ a:1 } R0+7@1\nL8+3@2 nul\n");
	assert_false(last.tail_cut);
}

static void test_scan__behind_nuls_or_another_end_the_first_record_is_sure(void **state)
{
	(void)state;
	EXPECT("{\"a\":\0{\"b\":2}\0\n", "L0+6@1 torn\n{ b:2 } R6+7@1\nL13+1@1 nul\n");
	EXPECT("ab\"}{\"b\":2}", "L0+4@1 bad\n{ b:2 } R4+7@1\n");
	EXPECT("ab\",{\"b\":2}", "L0+11@1 bad\n");
	EXPECT("ab\",{\"b\":2}\n", "L0+4@1 bad\n{ b:2 } R4+7@1\n");
}

static void test_scan__what_every_record_has_a_candidate_must_have(void **state)
{
	struct buf b = BUF_INIT(1 << 16), out = BUF_INIT(1 << 16);
	int i;

	(void)state;
	for (i = 0; i < 20; i++)
		buf_printf(&b, "{\"type\":%d,\"uuid\":1%s}\n", i,
			   i % 2 ? ",\"time\":1" : "");
	buf_add(&b,
		STR("{\"x\":{\"uuid\":1,\"time\":1}\n{\"x\":{\"uuid\":1,\"type\":1}\n"));
	story(buf_str(&b), 0, SKIPPED, &out);
	assert_true(str_find(buf_str(&out), STR("+24@21 torn\n")) != STR_NPOS);
	assert_true(str_find(buf_str(&out), STR("+5@22 torn\n")) != STR_NPOS);
	buf_release(&b);
	buf_release(&out);
}

static void test_scan__a_nul_inside_a_string_is_text(void **state)
{
	(void)state;
	EXPECT("{\"a\":\"x\0y\"}\n", "{ a:\"x\0y\" } R0+11@1\n");
}

static void test_scan__other_values_than_objects_are_losses(void **state)
{
	(void)state;
	EXPECT("12\n{\"a\":1}\n[1,{\"a\":2}]\n\"x\"\nnull \n-1.5e3{\"a\":3}\n",
	       "L0+2@1 value\n{ a:1 } R3+7@2\nL11+11@3 value\nL23+3@4 value\nL27+4@5 value\n"
	       "L33+6@6 value\n{ a:3 } R39+7@6\n");
}

static void test_scan__junk_behind_a_record_costs_only_the_junk(void **state)
{
	(void)state;
	EXPECT("{\"a\":1},\n{\"a\":2,\"b\":2} x {\"a\":3,\"b\":3}\nyz\n",
	       "{ a:1 } R0+7@1\nL7+1@1 bad\n{ a:2 b:2 } R9+13@2\nL23+2@2 bad\n{ a:3 b:3 } R25+13@2\n"
	       "L39+2@3 bad\n");
}

static void test_scan__a_pretty_printed_record_is_a_loss_line_by_line(void **state)
{
	(void)state;
	EXPECT("{\n\"a\": 1\n}\n{\"a\":2}\n",
	       "L0+1@1 torn\nL2+6@2 bad\nL9+1@3 bad\n{ a:2 } R11+7@4\n");
}

static void test_scan__malformed_lines_are_losses(void **state)
{
	(void)state;
	EXPECT("{\"a\":01}\n{\"a\":1,}\n{\"a\" 1}\n{a:1}\n{\"a\":+1}\n{\"a\":.5}\n{\"a\":[1,]}\n{\"a\":[1}\n",
	       "L0+8@1 bad\nL9+8@2 bad\nL18+7@3 bad\nL26+5@4 bad\nL32+8@5 bad\nL41+8@6 bad\nL50+10@7 "
	       "bad\nL61+8@8 bad\n");
	EXPECT("{\"a\":\"\\q\"}\n{\"a\":\"\\u12g4\"}\n{\"a\":nul}\n{\"a\":1.}\n{\"a\":1e}\n",
	       "L0+10@1 bad\nL11+14@2 bad\nL26+9@3 bad\nL36+8@4 bad\nL45+8@5 bad\n");
}

static void test_scan__invalid_utf8_and_controls_in_strings_are_repaired(void **state)
{
	(void)state;
	EXPECT("{\"a\xff\":\"x\xc3(\x01\t\xed\xa0\x80\\ud83d\"}\n",
	       "{ a\xef\xbf\xbd:\"x\xef\xbf\xbd(\x01\t\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\" } "
	       "R0+23@1\n");
}

static void test_scan__keys_are_decoded(void **state)
{
	(void)state;
	EXPECT("{\"\\u0061\\n\" : \"\\\"x\\\\\", \"\xc3\xa4\":1,\"\":2}\n",
	       "{ a\n:\"\"x\\\" \xc3\xa4:1 :2 } R0+35@1\n");
}

static void test_scan__duplicate_keys_are_told_twice(void **state)
{
	(void)state;
	EXPECT("{\"a\":1,\"a\":2}\n", "{ a:1 a:2 } R0+13@1\n");
}

static void test_scan__depth_is_capped(void **state)
{
	struct buf b = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
	int depth;

	(void)state;
	for (depth = SCAN_DEPTH_MAX; depth <= SCAN_DEPTH_MAX + 1; depth++) {
		buf_reset(&b);
		buf_add(&b, STR("{\"a\":"));
		buf_fill(&b, '[', (size_t)depth - 1);
		buf_fill(&b, ']', (size_t)depth - 1);
		buf_add(&b, STR("}\n{\"a\":2}\n"));
		story(buf_str(&b), 0, SKIPPED, &out);
		assert_true(str_find(buf_str(&out), STR(" deep\n")) ==
			    (depth <= SCAN_DEPTH_MAX ? STR_NPOS : strlen("L0+1030@1")));
		assert_true(str_ends(buf_str(&out), STR("+7@2\n")));
	}
	buf_release(&b);
	buf_release(&out);
}

/* ---- damage: at every place ---- */

static const char *const rec[] = {
	"{\"type\":\"user\",\"uuid\":\"u1\",\"n\":-1.5e+3,\"ok\":true,\"no\":null,\"message\":{\"role\":\"user\","
	"\"content\":[{\"type\":\"text\",\"text\":\"if (x) {\\n\\\"a\\\\\\u00e9\\ud83d\\ude00\xc3\xa9 {\\\"b\\\": 1}\"},"
	"{\"type\":\"tool_use\",\"input\":{}}]},\"time\":\"t1\"}",
	"{\"uuid\":\"u2\",\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":\"{\"},\"time\":\"t2\"}",
	"{\"type\":\"user\",\"time\":\"t3\",\"result\":[{\"a\":[[],{\"b\":{}}]},\"\"],\"uuid\":\"u3\"}",
};

/* The story has exactly these records of rec[], by length and place, and loss covers the rest. */
static void expect_records(str story_text, const uint64_t *at, const int *which, size_t n,
			   const char *what, size_t cut)
{
	char want[64];
	str line;
	size_t i = 0;

	while (str_split(&story_text, '\n', &line)) {
		size_t r = str_rfind(line, STR(" R"));

		if (r == STR_NPOS)
			continue;
		if (i < n)
			snprintf(want, sizeof(want), "R%llu+%zu@",
				 (unsigned long long)at[i], strlen(rec[which[i]]));
		if (i >= n || !str_starts(str_from(line, r + 1), str_of(want)))
			fail_msg("%s, cut at %zu: record %zu is \"%.*s\"", what, cut, i,
				 STR_ARG(line));
		i++;
	}
	if (i != n)
		fail_msg("%s, cut at %zu: %zu of %zu records", what, cut, i, n);
}

/* before \n torn GAP whole \n after, for each record torn at each byte. */
static void torn_everywhere(str gap_bytes, bool whole, const char *what)
{
	struct buf b = BUF_INIT(1 << 16), out = BUF_INIT(1 << 16);
	size_t cut, n;
	int t, w;

	for (t = 0; t < 3; t++) {
		for (cut = 1; cut < strlen(rec[t]); cut++) {
			uint64_t at[4];
			int which[4];

			w = (t + 1 + (int)cut) % 3;
			buf_reset(&b);
			n = 0;
			at[n] = b.n;
			which[n++] = (t + 1) % 3;
			buf_add(&b, str_of(rec[(t + 1) % 3]));
			buf_byte(&b, '\n');
			buf_add(&b, (str){rec[t], cut});
			buf_add(&b, gap_bytes);
			if (whole) {
				at[n] = b.n;
				which[n++] = w;
				buf_add(&b, str_of(rec[w]));
			}
			buf_byte(&b, '\n');
			at[n] = b.n;
			which[n++] = t;
			buf_add(&b, str_of(rec[t]));
			story(buf_str(&b), 0, SKIPPED, &out);
			expect_records(buf_str(&out), at, which, n, what, cut);
		}
	}
	buf_release(&b);
	buf_release(&out);
}

static void test_scan__glued_at_every_byte(void **state)
{
	(void)state;
	torn_everywhere(STR(""), true, "glued");
}

static void test_scan__torn_line_at_every_byte(void **state)
{
	(void)state;
	torn_everywhere(STR(""), false, "torn line");
	torn_everywhere(STR("\r"), false, "torn line, CR LF");
}

static void test_scan__nuls_in_place_of_the_rest_at_every_byte(void **state)
{
	(void)state;
	torn_everywhere(STR("\0\0\0\0\0"), true, "NULs, glued");
	torn_everywhere(STR("\0\0\0\0\0"), false, "NULs");
}

static void test_scan__torn_twice_at_every_byte(void **state)
{
	size_t cut;

	(void)state;
	for (cut = 1; cut < strlen(rec[1]); cut += 3)
		torn_everywhere((str){rec[1], cut}, true, "torn twice");
}

static void test_scan__cut_at_every_byte(void **state)
{
	struct buf b = BUF_INIT(1 << 16), out = BUF_INIT(1 << 16);
	uint64_t at[3], end[3];
	int which[3] = {0, 1, 2};
	size_t cut, n;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		at[i] = b.n;
		buf_add(&b, str_of(rec[i]));
		end[i] = b.n;
		buf_byte(&b, '\n');
	}
	for (cut = 0; cut <= b.n; cut++) {
		story(str_head(buf_str(&b), cut), cut % 3, cut % 2 ? TEXTS : MEMBERS,
		      &out);
		for (n = 0; n < 3 && end[n] <= cut; n++)
			;
		expect_records(buf_str(&out), at, which, n, "cut", cut);
		/* an incremental reader goes on behind the last whole record */
		assert_int_equal(last.good, n == 0 ? 0 : end[n - 1] + (cut > end[n - 1]));
		assert_int_equal(last.tail_cut, n < 3 && cut > at[n]);
	}
	buf_release(&b);
	buf_release(&out);
}

static void test_scan__an_incremental_reader_goes_on_at_good(void **state)
{
	struct buf b = BUF_INIT(1 << 16), out = BUF_INIT(1 << 16);
	size_t cut, records;
	struct source src = {.fd = 99};
	struct scan s;
	enum scan_tok tok;
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		buf_printf(&b, "%s\n", rec[i]);
	for (cut = 0; cut < b.n; cut++) {
		uint64_t good;

		records = 0;
		feed_from(str_head(buf_str(&b), cut), 0);
		scan_init(&s, &src, 0);
		while ((tok = scan_next(&s)) != SCAN_END)
			records += tok == SCAN_RECORD;
		good = s.good;
		scan_release(&s);
		feed_from(buf_str(&b), 0);
		feed.at = good;
		scan_init(&s, &src, good);
		while ((tok = scan_next(&s)) != SCAN_END) {
			assert_int_not_equal(tok, SCAN_LOSS);
			records += tok == SCAN_RECORD;
			if (tok == SCAN_RECORD)
				assert_int_equal(b.p[s.rec_off], '{');
		}
		assert_int_equal(records, 3);
		assert_true(s.good + 1 >= b.n);
		scan_release(&s);
	}
	io_real();
	buf_release(&b);
	buf_release(&out);
}

/* ---- damage: random, with a fixed seed ---- */

static uint64_t rng;

static size_t rnd(size_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (size_t)(rng >> 33) % n;
}

#define DAMAGED_LINES 60

/*
 * Sound and damaged lines by turns; a damaged one may have lost its line end. Sound ones
 * must be told, in order, whatever stands before them; tell checks that every byte is
 * accounted for.
 */
static void damaged_file(struct buf *b, uint64_t at[DAMAGED_LINES],
			 int which[DAMAGED_LINES], size_t *n)
{
	static const char spice[] = "\"\\{}[],:\0 \xffntu1-{{\"";
	int line;

	*n = 0;
	buf_reset(b);
	for (line = 0; line < DAMAGED_LINES; line++) {
		int r = (int)rnd(3);
		size_t start = b->n, len = strlen(rec[r]), k;

		if (line % 2 == 0) {
			at[*n] = b->n;
			which[(*n)++] = r;
			buf_add(b, str_of(rec[r]));
			buf_byte(b, '\n');
			continue;
		}
		switch (rnd(4)) {
		case 0: /* a piece of the record */
			k = rnd(len);
			buf_add(b, (str){rec[r] + k, rnd(len - k)});
			break;
		case 1: /* any bytes that matter to the grammar */
			for (k = rnd(30); k; k--)
				buf_byte(b, spice[rnd(sizeof(spice) - 1)]);
			break;
		case 2: /* a hole of NULs */
			buf_add(b, str_of(rec[r]));
			k = rnd(len);
			memset(b->p + start + k, 0, rnd(len - k));
			break;
		default: /* some bytes changed */
			buf_add(b, str_of(rec[r]));
			for (k = rnd(4) + 1; k; k--)
				b->p[start + rnd(len)] = spice[rnd(sizeof(spice) - 1)];
		}
		if (rnd(3) == 0)
			buf_byte(b, '\n');
	}
}

/* The records of the story include these. */
static void expect_among(str text, const uint64_t *at, const int *which, size_t n,
			 unsigned round)
{
	char want[64];
	size_t i, found;

	for (i = 0; i < n; i++) {
		snprintf(want, sizeof(want), "R%llu+%zu@", (unsigned long long)at[i],
			 strlen(rec[which[i]]));
		found = str_find(text, str_of(want));
		if (found == STR_NPOS)
			fail_msg("round %u: %s is missing behind %.*s", round, want,
				 STR_ARG(str_head(text, 300)));
		text = str_from(text, found);
	}
}

static void
test_scan__random_damage_costs_no_sound_record_and_every_byte_is_told(void **state)
{
	struct buf b = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20),
		   other = BUF_INIT(1 << 20);
	uint64_t at[DAMAGED_LINES];
	int which[DAMAGED_LINES];
	unsigned round;
	size_t n;

	(void)state;
	rng = 20260212;
	for (round = 0; round < 1500; round++) {
		damaged_file(&b, at, which, &n);
		scan_use(SCAN_AUTO);
		story(buf_str(&b), 0, TEXTS, &out);
		expect_among(buf_str(&out), at, which, n, round);
		scan_use(round % 2 ? SCAN_SWAR : SCAN_SSE2);
		story(buf_str(&b), 1 + round % 50, round % 3 ? MEMBERS : TEXTS, &other);
		assert_str(buf_str(&out), buf_str(&other));
	}
	scan_use(SCAN_AUTO);
	buf_release(&b);
	buf_release(&out);
	buf_release(&other);
}

/* ---- size ---- */

static void test_scan__tokens_across_the_border_of_the_buffer_at_every_byte(void **state)
{
	struct buf b = BUF_INIT(1 << 20), out = BUF_INIT(1 << 16),
		   want = BUF_INIT(1 << 16);
	const size_t len = strlen(rec[0]);
	size_t shift, start;

	(void)state;
	story(str_of(rec[0]), 0, TEXTS, &want);
	buf_cut(&want, str_rfind(buf_str(&want), STR("R")));
	for (shift = 0; shift < 2500; shift++) {
		/* the record begins `shift` bytes before the border, or so that it stands behind it */
		buf_reset(&b);
		buf_add(&b, STR("{\"pad\":\""));
		buf_fill(&b, 'x', SCAN_BUFFER_BYTES + 100 - shift - b.n - 3);
		buf_add(&b, STR("\"}\n"));
		start = b.n;
		buf_add(&b, (str){rec[0], len});
		buf_byte(&b, '\n');
		story(buf_str(&b), 0, TEXTS, &out);
		start = str_find(buf_str(&out), STR("\n")) + 1;
		assert_str(str_head(str_from(buf_str(&out), start), want.n),
			   buf_str(&want));
	}
	buf_release(&b);
	buf_release(&out);
	buf_release(&want);
}

static void test_scan__a_swallowed_record_behind_the_buffer_is_read_again(void **state)
{
	struct buf b = BUF_INIT(4 << 20), out = BUF_INIT(1 << 16);
	char want[200];

	(void)state;
	buf_add(&b, STR("{\"t\":1,\"u\":1}\n{\"a\":[1,{\"t\":\""));
	buf_fill(&b, 'x', 3 * SCAN_BUFFER_BYTES);
	buf_add(&b, STR("\",\"u\":1}\n{\"t\":2}\n"));
	story(buf_str(&b), 0, SKIPPED, &out);
	snprintf(
		want, sizeof(want),
		"{ t:1 u:1 } R0+13@1\nL14+8@2 torn\n{ t:\"\" u:1 } R22+%u@2\n{ t:2 } R%u+7@3\n",
		3 * SCAN_BUFFER_BYTES + 14, 3 * SCAN_BUFFER_BYTES + 37);
	assert_str(buf_str(&out), str_of(want));
	assert_true(feed.seeks > 0);
	buf_release(&b);
	buf_release(&out);
}

/* A line of 300 MB that is made up while it is read. */
#define HUGE_BYTES (300ull << 20)

static const char huge_head[] = "{\"first\":\"a\",\"data\":\"",
		  huge_tail[] = "end\",\"last\":\"z\"}\n{\"t\":2}\n";
static uint64_t huge_at;

static ssize_t huge_read(int fd, void *p, size_t n)
{
	const uint64_t body = sizeof(huge_head) - 1, tail = body + HUGE_BYTES;
	const uint64_t all = tail + sizeof(huge_tail) - 1;
	str from = STR_NONE;

	(void)fd;
	if (huge_at < body)
		from = (str){huge_head + huge_at, (size_t)(body - huge_at)};
	else if (huge_at >= tail)
		from = (str){huge_tail + (huge_at - tail), (size_t)(all - huge_at)};
	else if (n > tail - huge_at)
		n = (size_t)(tail - huge_at);
	if (from.p) {
		n = n < from.n ? n : from.n;
		memcpy(p, from.p, n);
	} else {
		memset(p, 'A', n);
	}
	huge_at += n;
	return (ssize_t)n;
}

static void test_scan__a_line_of_300_megabytes_takes_no_more_memory(void **state)
{
	struct buf head = BUF_INIT(1 << 20), tail = BUF_INIT(1 << 20),
		   keys = BUF_INIT(1 << 10);
	struct source src = {.fd = 99};
	struct rusage before, after;
	struct scan s;
	enum scan_tok tok;
	int round;

	(void)state;
	for (round = 0; round < 2; round++) {
		huge_at = 0;
		io.read = huge_read;
		buf_reset(&keys);
		getrusage(RUSAGE_SELF, &before);
		scan_init(&s, &src, 0);
		while ((tok = scan_next(&s)) != SCAN_END) {
			assert_true(tok < SCAN_LOSS);
			if (tok == SCAN_KEY)
				buf_add(&keys, s.key);
			if (tok != SCAN_STR || !str_eq(s.key, STR("data")))
				continue;
			if (round == 0)
				continue;
			assert_false(
				scan_text(&s, &head, &tail, 100, SCAN_TEXT_MAX - 100));
			assert_int_equal(s.str_size, HUGE_BYTES + 3);
			assert_int_equal(head.n, 100);
			assert_int_equal(tail.n, SCAN_TEXT_MAX - 100);
			assert_true(str_ends(buf_str(&tail), STR("AAAend")));
		}
		getrusage(RUSAGE_SELF, &after);
		io_real();
		assert_str(buf_str(&keys), STR("firstdatalastt"));
		assert_int_equal(s.good, sizeof(huge_head) - 1 + HUGE_BYTES +
						 sizeof(huge_tail) - 1);
		/* kilobytes; sanitizers and coverage need some of their own */
		assert_true(after.ru_maxrss - before.ru_maxrss < 4096);
		scan_release(&s);
	}
	buf_release(&head);
	buf_release(&tail);
	buf_release(&keys);
}

static void test_scan__hostile_lines_take_linear_work(void **state)
{
	static const char *const piece[] = {
		"{\"a\":",
		"{\"",
		"[{\"a\":1}",
		"{\"a\":{\"b\":1}",
		"[",
		"{\"a\":\"x\\{\"b\":",
		"{\"a\":[{\"b\":1},",
		"{\"a\":1}}",
		"{\"a\":1}x",
		"\"",
		"\\\"{\"",
		"{\"a\":{\"b\":{\"c\":1}}\0",
		"{\"a\":{}",
		"{ \"a\" : [",
		"{\"a\":1,,\"b\":{}",
		"}{\"",
	};
	struct buf b = BUF_INIT(8 << 20), out = BUF_INIT(64 << 20);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(piece) / sizeof(piece[0]); i++) {
		buf_reset(&b);
		while (b.n < (2 << 20))
			buf_add(&b, str_of(piece[i]));
		buf_add(&b, STR("\n{\"end\":1}\n"));
		story(buf_str(&b), 0, SKIPPED, &out);
		assert_true(str_ends(buf_str(&out), STR("+9@2\n")));
		assert_in_range(feed.seeks, 0, 40);
	}
	buf_release(&b);
	buf_release(&out);
}

static void test_scan__long_keys_and_numbers_are_cut(void **state)
{
	struct buf b = BUF_INIT(4 << 20), out = BUF_INIT(1 << 16);
	static const size_t sizes[] = {255, 256, 257, 1000, 3000, 600000};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const size_t keep = sizes[i] < SCAN_KEY_MAX ? sizes[i] : SCAN_KEY_MAX;

		buf_reset(&b);
		buf_add(&b, STR("{\""));
		for (k = 0; k < sizes[i]; k++)
			buf_add(&b, k % 2 ? STR("k") : STR("\\u006B"));
		buf_add(&b, STR("\":"));
		buf_fill(&b, '7', sizes[i]);
		buf_add(&b, STR(" }\n"));
		story(buf_str(&b), i % 2 ? 100 : 0, TEXTS, &out);
		assert_true(str_starts(buf_str(&out), STR("{ kk")));
		assert_int_equal(str_chr(buf_str(&out), ':'), 2 + keep);
		assert_int_equal(str_chr(str_from(buf_str(&out), 2 + keep), ' '),
				 1 + SCAN_NUM_MAX);
	}
	buf_release(&b);
	buf_release(&out);
}

static void test_scan__long_blanks_are_crossed(void **state)
{
	struct buf b = BUF_INIT(8 << 20), out = BUF_INIT(1 << 16);
	static const char *const part[] = {"",  "{",     "\"a\"", ":", "[", "1",
					   ",", "\"x\"", "]",     "}", ""};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		buf_add(&b, str_of(part[i]));
		buf_fill(&b, " \t"[i % 2], 300000);
	}
	buf_add(&b, STR("\n{\"b\":2}\n"));
	story(buf_str(&b), 0, TEXTS, &out);
	assert_true(str_starts(buf_str(&out), STR("{ a:[ 1 \"x\" ] } R300000+")));
	assert_true(str_ends(buf_str(&out), STR("+7@2\n")));
	buf_release(&b);
	buf_release(&out);
}

/* ---- texts ---- */

/*
 * The two ends of one string for all small heads and tails. Both are what they should be
 * if they are the beginning and the end of the decoded whole, not shorter by more than an
 * escaped pair, and hold no U+FFFD, which half a character would have left.
 */
static void check_ends(str raw, size_t pad, size_t most)
{
	struct buf b = BUF_INIT(1 << 20), whole = BUF_INIT(1 << 20),
		   head = BUF_INIT(1 << 20), tail = BUF_INIT(1 << 20);
	struct source src = {.fd = 99};
	size_t h, t;

	json_unescape(&whole, raw);
	buf_add(&b, STR("{\"pad\":\""));
	buf_fill(&b, 'x', pad);
	buf_add(&b, STR("\",\"s\":\""));
	buf_add(&b, raw);
	buf_add(&b, STR("\"}\n"));
	for (h = 0; h <= most; h++) {
		for (t = 0; t <= most; t++) {
			struct scan s;
			enum scan_tok tok;
			bool all;

			feed_from(buf_str(&b), 0);
			buf_reset(&head);
			buf_reset(&tail);
			scan_init(&s, &src, 0);
			while ((tok = scan_next(&s)) != SCAN_STR ||
			       !str_eq(s.key, STR("s")))
				assert_true(tok < SCAN_RECORD);
			all = scan_text(&s, &head, &tail, h, t);
			assert_int_equal(all, raw.n <= h + t);
			assert_int_equal(s.str_size, raw.n);
			assert_int_equal(scan_next(&s), SCAN_OBJ_END);
			scan_release(&s);
			if (all) {
				assert_str(buf_str(&head), buf_str(&whole));
				assert_int_equal(tail.n, 0);
				continue;
			}
			assert_true(str_starts(buf_str(&whole), buf_str(&head)));
			assert_true(str_ends(buf_str(&whole), buf_str(&tail)));
			assert_true(str_find(buf_str(&head), STR("\xef\xbf\xbd")) ==
				    STR_NPOS);
			if (str_find(buf_str(&tail), STR("\xef\xbf\xbd")) != STR_NPOS)
				fail_msg("%.*s, %zu, %zu: half a character in \"%.*s\"",
					 STR_ARG(raw), h, t, STR_ARG(buf_str(&tail)));
			assert_true(head.n * 6 + 12 > h && head.n <= h);
			assert_true(tail.n * 6 + 40 > t && tail.n <= t);
		}
	}
	io_real();
	buf_release(&b);
	buf_release(&whole);
	buf_release(&head);
	buf_release(&tail);
}

static const char *const cuts[] = {
	"plain ascii text of no interest",
	"\\n\\t\\\"\\\\\\/\\b\\f\\r\\n\\\\n",
	"\\u0041\\u00e9\\u4e2d\\u0042\\u0043",
	"\\ud83d\\ude00\\uD83D\\uDE00\\ud83d\\ude00",
	"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xc3\xa9\xf0\x9f\x98\x80",
	"\\\\\\\\\\\\\\\\\\\\u0041\\\\\\\\\\\\\\\"",
	"\\\\u00e9\\\\\\u00e9\\\\\\\\\\ud83d\\ude00",
	"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\nend",
	"uuu\\u0075\\u0075u\\\\u0075\\u005c\\u005cu",
};

static void test_scan__ends_of_a_string_are_cut_between_characters(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		check_ends(str_of(cuts[i]), 10, strlen(cuts[i]) + 2);
}

static void test_scan__ends_of_a_string_across_the_buffer_are_the_same(void **state)
{
	struct buf direct = BUF_INIT(1 << 20), direct_tail = BUF_INIT(1 << 20),
		   across = BUF_INIT(1 << 20), across_tail = BUF_INIT(1 << 20),
		   b = BUF_INIT(1 << 20), raw = BUF_INIT(1 << 20);
	struct source src = {.fd = 99};
	size_t i, pad;

	(void)state;
	rng = 7;
	for (i = 0; i < 3000; i++) {
		size_t head = rnd(60), tail = rnd(60), k;

		buf_reset(&raw);
		for (k = rnd(12) + 1; k; k--)
			buf_add(&raw, str_of(cuts[rnd(sizeof(cuts) / sizeof(cuts[0]))]));
		for (pad = 0; pad < 2; pad++) {
			struct buf *h = pad ? &across : &direct,
				   *t = pad ? &across_tail : &direct_tail;
			struct scan s;

			buf_reset(&b);
			buf_reset(h);
			buf_reset(t);
			buf_add(&b, STR("{\"pad\":\""));
			/* far enough from the border that no refill comes before the string does */
			if (pad)
				buf_fill(&b, 'x', SCAN_BUFFER_BYTES - 20 - rnd(raw.n));
			buf_add(&b, STR("\",\"s\":\""));
			buf_add(&b, buf_str(&raw));
			buf_add(&b, STR("\"}\n"));
			feed_from(buf_str(&b), 0);
			scan_init(&s, &src, 0);
			while (scan_next(&s) != SCAN_STR || !str_eq(s.key, STR("s")))
				;
			assert_int_equal(scan_text(&s, h, t, head, tail),
					 raw.n <= head + tail);
			assert_int_equal(s.str_size, raw.n);
			assert_int_equal(scan_next(&s), SCAN_OBJ_END);
			assert_int_equal(scan_next(&s), SCAN_RECORD);
			scan_release(&s);
		}
		assert_str(buf_str(&direct), buf_str(&across));
		assert_str(buf_str(&direct_tail), buf_str(&across_tail));
	}
	io_real();
	buf_release(&direct);
	buf_release(&direct_tail);
	buf_release(&across);
	buf_release(&across_tail);
	buf_release(&b);
	buf_release(&raw);
}

/* A string of three buffers with marks, so that ring and rotation are really in use. */
static void test_scan__ends_of_a_string_longer_than_the_buffer(void **state)
{
	static const size_t sizes[] = {SCAN_BUFFER_BYTES - 50, SCAN_BUFFER_BYTES,
				       SCAN_BUFFER_BYTES + 17, 3 * SCAN_BUFFER_BYTES + 5};
	struct buf b = BUF_INIT(4 << 20), head = BUF_INIT(1 << 20),
		   tail = BUF_INIT(1 << 20);
	struct source src = {.fd = 99};
	size_t i, k, h;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (h = 0; h <= SCAN_TEXT_MAX; h += SCAN_TEXT_MAX / 4) {
			const size_t t = SCAN_TEXT_MAX - h;
			struct scan s;

			buf_reset(&b);
			buf_add(&b, STR("{\"s\":\""));
			for (k = 0; k < sizes[i]; k++)
				buf_byte(&b, (char)('a' + (k * k + k / 7) % 26));
			buf_add(&b, STR("\"}\n"));
			feed_from(buf_str(&b), i % 2 ? 4096 : 0);
			buf_reset(&head);
			buf_reset(&tail);
			scan_init(&s, &src, 0);
			while (scan_next(&s) != SCAN_STR)
				;
			assert_false(scan_text(&s, &head, &tail, h, t));
			assert_str(buf_str(&head), ((str){b.p + 6, h}));
			assert_str(buf_str(&tail), ((str){b.p + 6 + sizes[i] - t, t}));
			assert_int_equal(scan_next(&s), SCAN_OBJ_END);
			scan_release(&s);
		}
	}
	io_real();
	buf_release(&b);
	buf_release(&head);
	buf_release(&tail);
}

static void test_scan__a_string_torn_while_its_text_is_taken_gives_nothing(void **state)
{
	struct buf b = BUF_INIT(1 << 20), head = BUF_INIT(1 << 20),
		   tail = BUF_INIT(1 << 20);
	struct source src = {.fd = 99};
	struct scan s;
	int huge;

	(void)state;
	for (huge = 0; huge < 2; huge++) {
		buf_reset(&b);
		buf_add(&b, STR("{\"s\":\"abc"));
		buf_fill(&b, 'x', huge ? SCAN_BUFFER_BYTES + 100 : 5);
		buf_add(&b, STR("\n{\"t\":1}\n"));
		feed_from(buf_str(&b), 0);
		scan_init(&s, &src, 0);
		while (scan_next(&s) != SCAN_STR)
			;
		assert_false(scan_text(&s, &head, &tail, 10, 10));
		assert_int_equal(head.n + tail.n, 0);
		assert_int_equal(scan_next(&s), SCAN_LOSS);
		assert_int_equal(scan_next(&s), SCAN_OBJ);
		assert_false(scan_text(&s, &head, &tail, 10, 10)); /* no string here */
		assert_int_equal(scan_next(&s), SCAN_KEY);
		scan_release(&s);
	}
	io_real();
	buf_release(&b);
	buf_release(&head);
	buf_release(&tail);
}

static void test_scan__skip_goes_past_the_end_of_a_container(void **state)
{
	const str data = STR(
		"{\"a\":{\"b\":[1,\"x\",{\"c\":\"}\"}],\"d\":{}},\"e\":[],\"f\":1}\n{\"a\":[1,}\n{\"t\":1}\n");
	struct source src = {.fd = 99};
	struct scan s;

	(void)state;
	feed_from(data, 0);
	scan_init(&s, &src, 0);
	assert_int_equal(scan_next(&s), SCAN_OBJ);
	assert_int_equal(scan_next(&s), SCAN_KEY);
	assert_int_equal(scan_next(&s), SCAN_OBJ);
	assert_int_equal(s.depth, 2);
	assert_true(scan_skip(&s));
	assert_int_equal(s.depth, 1);
	assert_int_equal(scan_next(&s), SCAN_KEY);
	assert_str(s.key, STR("e"));
	assert_int_equal(scan_next(&s), SCAN_ARR);
	assert_true(scan_skip(&s));
	assert_int_equal(scan_next(&s), SCAN_KEY);
	assert_str(s.key, STR("f"));
	assert_int_equal(scan_next(&s), SCAN_NUM);
	assert_int_equal(scan_next(&s), SCAN_OBJ_END);
	assert_int_equal(scan_next(&s), SCAN_RECORD);
	assert_int_equal(scan_next(&s), SCAN_OBJ);
	assert_false(scan_skip(&s));
	assert_int_equal(scan_next(&s), SCAN_LOSS);
	assert_int_equal(s.loss_len, 9);
	assert_int_equal(scan_next(&s), SCAN_OBJ);
	assert_true(scan_skip(&s));
	assert_int_equal(scan_next(&s), SCAN_RECORD);
	assert_int_equal(scan_next(&s), SCAN_END);
	assert_false(scan_skip(&s));
	scan_release(&s);
	io_real();
}

/* ---- failing calls ---- */

static void test_scan__a_failed_read_or_seek_is_an_error_that_stays(void **state)
{
	struct buf b = BUF_INIT(4 << 20);
	bool met = true;
	int n;

	(void)state;
	test_dir();
	buf_add(&b, STR("{\"t\":1,\"u\":1}\n{\"a\":[1,{\"t\":\""));
	buf_fill(&b, 'x', 2 * SCAN_BUFFER_BYTES);
	buf_add(&b, STR("\",\"u\":1}\n{\"t\":2}\n"));
	test_write("t.jsonl", buf_str(&b));
	for (n = 1; met; n++) {
		struct source src;
		struct scan s;
		enum scan_tok tok;
		size_t records = 0;

		assert_int_equal(source_open(&src, test_path("t.jsonl"), NULL), 0);
		fault_at(n);
		scan_init(&s, &src, 0);
		while ((tok = scan_next(&s)) < SCAN_END)
			records += tok == SCAN_RECORD;
		met = fault_met();
		fault_off();
		assert_int_equal(tok, met ? SCAN_ERROR : SCAN_END);
		assert_int_equal(scan_next(&s), tok);
		assert_int_equal(s.err.code, met ? HF_EIO : 0);
		if (met)
			assert_non_null(strstr(s.err.msg, "byte"));
		else
			assert_int_equal(records, 3);
		scan_release(&s);
		source_release(&src);
	}
	assert_true(n > 5);
	buf_release(&b);
}

static void test_scan__release_accepts_an_empty_scanner(void **state)
{
	struct scan s = {0};

	(void)state;
	scan_release(&s);
	scan_release(&s);
	assert_null(s.st);
}

/* Strings of some keys are passed over, and of others put where the caller wants them. */
static void test_scan__members_are_swallowed_or_taken(void **state)
{
	static const char data[] =
		"{\"a\":\"gone\",\"b\":\"kept\",\"t\":\"A\",\"a\":[\"x\"],\"a\":\"\\n gone \\\"\","
		"\"t\":null,\"c\":{\"a\":1,\"t\":\"longer: 0123456789012345678901234567890123456789\"},"
		"\"t\":\"\",\"a\":\"torn";
	static const bool swallow[SCAN_NAMES_MAX] = {[1] = true};
	static const uint16_t at[SCAN_NAMES_MAX] = {[3] = sizeof(str)};
	str field[2] = {STR_NONE, STR_NONE};
	struct buf text = BUF_INIT(1 << 10), out = BUF_INIT(1 << 10);
	struct scan_members m = {&names, swallow, at, (char *)field, &text};
	struct source src = {.fd = 99};
	struct scan s;
	size_t step;

	(void)state;
	for (step = 0; step < 3; step++) {
		enum scan_tok tok;

		buf_reset(&out);
		buf_reset(&text);
		assert_non_null(buf_room(&text, 200));
		feed_from(STR(data), step);
		scan_init(&s, &src, 0);
		while ((tok = s.depth ? scan_member(&s, &m) : scan_next(&s)) !=
		       SCAN_LOSS) {
			if (s.member && s.depth)
				buf_printf(&out, "%.*s:", STR_ARG(s.key));
			buf_printf(&out, "%d ", tok);
			if (tok == SCAN_STR && s.member && s.plain.p)
				buf_printf(&out, "%.*s ", STR_ARG(s.plain));
			s.member = false;
		}
		assert_int_equal(s.loss_len, sizeof(data) - 1);
		if (step == 0) {
			assert_str(buf_str(&out),
				   STR("0 b:5 kept a:2 5 3 t:9 c:0 a:6 t:5 1 "));
			assert_str(buf_str(&text), STR("A"));
			assert_str(field[1], STR(""));
			assert_ptr_equal(field[1].p, text.p + 1);
		}
		scan_release(&s);
	}
	assert_null(field[0].p);
	buf_release(&text);
	buf_release(&out);
	io_real();
}

/* More keys after the same one than are guessed, known ones and others, at several depths. */
static void test_scan__members_are_named_in_whatever_order_they_come(void **state)
{
	static const char *const key[] = {"a",     "type", "b",      "uuid",
					  "other", "t",    "other",  "a longer key",
					  "",      "a",    "message"};
	static const bool swallow[SCAN_NAMES_MAX] = {false};
	static const uint16_t at[SCAN_NAMES_MAX] = {0};
	struct buf data = BUF_INIT(1 << 20), text = BUF_INIT(1 << 10);
	struct scan_members m = {&names, swallow, at, NULL, &text};
	struct source src = {.fd = 99};
	enum scan_tok tok;
	struct scan s;
	size_t i, n = 0, records = 0;

	(void)state;
	srand(9);
	for (i = 0; i < 500; i++) {
		int depth = 1;

		buf_add(&data, STR("{"));
		for (int k = rand() % 12; k >= 0; k--) {
			bool open = rand() % 4 == 0;

			buf_printf(&data, "\"%s\":%s",
				   key[(size_t)rand() % (sizeof(key) / sizeof(*key))],
				   open ? "{\"t\":" : "");
			depth += open;
			buf_add(&data, STR("\"v\""));
			for (; depth > 1 && rand() % 2; depth--)
				buf_byte(&data, '}');
			if (k)
				buf_byte(&data, ',');
		}
		for (; depth; depth--)
			buf_byte(&data, '}');
		buf_byte(&data, '\n');
	}
	feed_from(buf_str(&data), 0);
	scan_init(&s, &src, 0);
	while ((tok = s.depth ? scan_member(&s, &m) : scan_next(&s)) != SCAN_END) {
		if (s.depth && s.member) {
			assert_int_equal(s.name, scan_names_find(&names, s.key));
			n++;
		}
		records += tok == SCAN_RECORD;
		s.member = false;
	}
	assert_int_equal(records, 500);
	assert_true(n > 3000);
	scan_release(&s);
	buf_release(&data);
	buf_release(&text);
	io_real();
}

/* What scan_skip passes quickly, and what it leaves to the tokens, in turns. */
static void test_scan__skip_goes_past_members_of_every_kind(void **state)
{
	static const char *const value[] = {
		"1",
		"-1",
		"0",
		"01",
		"1.5",
		"null",
		"nul",
		"true",
		"false",
		"\"s\"",
		"\"\\n\"",
		"{}",
		"[]",
		"[{\"k\":[1]}]",
		"{\"k\":{\"k\":1}}",
		"{\"k\" : 1}",
		" 1 ",
		"\"a string that is longer than what is looked at in one piece, so to say\""};
	struct source src = {.fd = 99};

	(void)state;
	for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++)
		for (size_t k = 0; k < sizeof(value) / sizeof(*value); k++)
			for (size_t step = 0; step < 2; step++) {
				struct buf b = BUF_INIT(1 << 10);
				bool bad = strcmp(value[i], "01") == 0 ||
					   strcmp(value[k], "01") == 0 ||
					   strcmp(value[i], "nul") == 0 ||
					   strcmp(value[k], "nul") == 0;
				struct scan s;

				buf_printf(&b, "{\"u\":{\"a\":%s,\"b\":%s},\"c\":1}\n",
					   value[i], value[k]);
				feed_from(buf_str(&b), step);
				scan_init(&s, &src, 0);
				assert_int_equal(scan_next(&s), SCAN_OBJ);
				assert_int_equal(scan_next(&s), SCAN_KEY);
				assert_int_equal(scan_next(&s), SCAN_OBJ);
				assert_int_equal(scan_skip(&s), !bad);
				if (bad) {
					assert_int_equal(scan_next(&s), SCAN_LOSS);
				} else {
					assert_int_equal(s.depth, 1);
					assert_int_equal(scan_next(&s), SCAN_KEY);
					assert_str(s.key, STR("c"));
				}
				scan_release(&s);
				buf_release(&b);
			}
	io_real();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan__members_are_swallowed_or_taken),
		cmocka_unit_test(
			test_scan__members_are_named_in_whatever_order_they_come),
		cmocka_unit_test(test_scan__skip_goes_past_members_of_every_kind),
		cmocka_unit_test(test_scan__a_record_is_told_token_by_token),
		cmocka_unit_test(test_scan__an_empty_file_has_no_records),
		cmocka_unit_test(test_scan__cr_bom_and_blank_lines_are_no_losses),
		cmocka_unit_test(test_scan__a_missing_last_line_end_is_no_damage),
		cmocka_unit_test(test_scan__glued_records_are_both_told),
		cmocka_unit_test(test_scan__a_torn_tail_is_a_loss_up_to_the_end),
		cmocka_unit_test(test_scan__a_torn_line_costs_only_itself),
		cmocka_unit_test(
			test_scan__a_record_glued_to_one_torn_in_a_string_is_found),
		cmocka_unit_test(
			test_scan__a_record_glued_to_one_torn_in_an_escape_is_found),
		cmocka_unit_test(
			test_scan__a_record_glued_to_one_torn_in_the_grammar_is_found),
		cmocka_unit_test(test_scan__a_record_swallowed_as_a_value_is_found),
		cmocka_unit_test(
			test_scan__an_inner_object_at_the_end_of_a_torn_line_is_no_record),
		cmocka_unit_test(test_scan__nul_runs_are_losses_and_hide_nothing),
		cmocka_unit_test(
			test_scan__behind_nuls_or_another_end_the_first_record_is_sure),
		cmocka_unit_test(test_scan__what_every_record_has_a_candidate_must_have),
		cmocka_unit_test(test_scan__a_nul_inside_a_string_is_text),
		cmocka_unit_test(test_scan__other_values_than_objects_are_losses),
		cmocka_unit_test(test_scan__junk_behind_a_record_costs_only_the_junk),
		cmocka_unit_test(
			test_scan__a_pretty_printed_record_is_a_loss_line_by_line),
		cmocka_unit_test(test_scan__malformed_lines_are_losses),
		cmocka_unit_test(
			test_scan__invalid_utf8_and_controls_in_strings_are_repaired),
		cmocka_unit_test(test_scan__keys_are_decoded),
		cmocka_unit_test(test_scan__duplicate_keys_are_told_twice),
		cmocka_unit_test(test_scan__depth_is_capped),
		cmocka_unit_test(test_scan__glued_at_every_byte),
		cmocka_unit_test(test_scan__torn_line_at_every_byte),
		cmocka_unit_test(test_scan__nuls_in_place_of_the_rest_at_every_byte),
		cmocka_unit_test(test_scan__torn_twice_at_every_byte),
		cmocka_unit_test(test_scan__cut_at_every_byte),
		cmocka_unit_test(test_scan__an_incremental_reader_goes_on_at_good),
		cmocka_unit_test(
			test_scan__random_damage_costs_no_sound_record_and_every_byte_is_told),
		cmocka_unit_test(
			test_scan__tokens_across_the_border_of_the_buffer_at_every_byte),
		cmocka_unit_test(
			test_scan__a_swallowed_record_behind_the_buffer_is_read_again),
		cmocka_unit_test(test_scan__a_line_of_300_megabytes_takes_no_more_memory),
		cmocka_unit_test(test_scan__hostile_lines_take_linear_work),
		cmocka_unit_test(test_scan__long_keys_and_numbers_are_cut),
		cmocka_unit_test(test_scan__long_blanks_are_crossed),
		cmocka_unit_test(test_scan__ends_of_a_string_are_cut_between_characters),
		cmocka_unit_test(
			test_scan__ends_of_a_string_across_the_buffer_are_the_same),
		cmocka_unit_test(test_scan__ends_of_a_string_longer_than_the_buffer),
		cmocka_unit_test(
			test_scan__a_string_torn_while_its_text_is_taken_gives_nothing),
		cmocka_unit_test(test_scan__skip_goes_past_the_end_of_a_container),
		cmocka_unit_test(test_scan__a_failed_read_or_seek_is_an_error_that_stays),
		cmocka_unit_test(test_scan__release_accepts_an_empty_scanner),
	};

	name_some();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
