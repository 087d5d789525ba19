/* scan with the thread that reads ahead: the same tokens as without. */
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "fault.h"
#include "base/buf.h"
#include "data/scan.h"

#define BLOCK    ((size_t)SCAN_BUFFER_BYTES)
#define ALONE    (READAHEAD_ALONE * BLOCK) /* read before there is a thread */
#define DATA_MAX (16u << 20)
#define ENOUGH   (5u << 20) /* for a thread */

/* ---- the bytes, from memory ---- */

static str data;
static size_t at, step;
static _Atomic(size_t) by_thread; /* bytes */

static ssize_t give(void *p, size_t n, size_t from)
{
	if (step && n > step)
		n = step;
	if (from > data.n)
		from = data.n;
	if (n > data.n - from)
		n = data.n - from;
	if (n)
		memcpy(p, data.p + from, n);
	return (ssize_t)n;
}

static ssize_t data_read(int fd, void *p, size_t n)
{
	ssize_t got = give(p, n, at);

	(void)fd;
	at += (size_t)got;
	return got;
}

static ssize_t data_pread(int fd, void *p, size_t n, off_t off)
{
	ssize_t got = give(p, n, (size_t)off);

	(void)fd;
	atomic_fetch_add(&by_thread, (size_t)got);
	return got;
}

static off_t data_lseek(int fd, off_t off, int whence)
{
	(void)fd;
	(void)whence;
	at = (size_t)off;
	return off;
}

static int two(void)
{
	return 2;
}

static uint64_t rng;

static size_t rnd(size_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (size_t)(rng >> 33) % n;
}

/* ---- what comes out ---- */

enum how { SKIPPED, TEXTS, MEMBERS };

static struct scan_names names;

static enum scan_tok token(struct scan *s, enum how how)
{
	static const bool swallow[SCAN_NAMES_MAX] = {[3] = true};
	static const uint16_t nowhere[SCAN_NAMES_MAX];
	const struct scan_members m = {
		.names = &names, .swallow = swallow, .at = nowhere};

	s->member = false;
	return how == MEMBERS && s->depth ? scan_member(s, &m) : scan_next(s);
}

/* Every token with what belongs to it, and the bytes that the thread read. */
static size_t story(enum how how, bool ahead, struct buf *out)
{
	struct source src = {.fd = 99, .size = data.n, .ahead = ahead};
	struct buf text = BUF_INIT(1 << 20), tail = BUF_INIT(1 << 20);
	struct scan s;
	enum scan_tok tok;

	io.read = data_read;
	io.pread = data_pread;
	io.lseek = data_lseek;
	io.processors = two;
	at = 0;
	atomic_store(&by_thread, 0);
	buf_reset(out);
	scan_init(&s, &src, 0);
	while ((tok = token(&s, how)) != SCAN_END) {
		buf_printf(out, "%d ", tok);
		assert_int_not_equal(tok, SCAN_ERROR);
		if (tok == SCAN_KEY || s.member)
			buf_add(out, s.key);
		if (tok == SCAN_NUM)
			buf_add(out, s.num);
		if (tok == SCAN_STR && how != SKIPPED) {
			buf_reset(&text);
			buf_reset(&tail);
			if (s.member && s.plain.p)
				buf_add(&text, s.plain);
			else
				scan_text(&s, &text, &tail, 40, 24);
			buf_add(out, buf_str(&text));
			buf_add(out, buf_str(&tail));
			buf_printf(out, " %llu\n", (unsigned long long)s.str_size);
		}
		if (tok == SCAN_RECORD)
			buf_printf(out, "%llu %llu %llu\n", (unsigned long long)s.rec_off,
				   (unsigned long long)s.rec_len,
				   (unsigned long long)s.rec_line);
		if (tok == SCAN_LOSS)
			buf_printf(out, "%llu %llu %d\n", (unsigned long long)s.loss_off,
				   (unsigned long long)s.loss_len, s.why);
	}
	buf_printf(out, "%llu %d", (unsigned long long)s.good, s.tail_cut);
	scan_release(&s);
	buf_release(&text);
	buf_release(&tail);
	io_real();
	assert_false(out->full);
	return atomic_load(&by_thread);
}

/* The same with every kernel, and the thread had a part in it. */
static void expect_same(const struct buf *b, size_t most)
{
	static const enum scan_kernel kernels[] = {SCAN_SWAR, SCAN_SSE2,   SCAN_AVX2,
						   SCAN_NEON, SCAN_AVX512, SCAN_AUTO};
	struct buf want = BUF_INIT(DATA_MAX), got = BUF_INIT(DATA_MAX);

	data = buf_str(b);
	for (int how = SKIPPED; how <= MEMBERS; how++) {
		assert_int_equal(story((enum how)how, false, &want), 0);
		for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
			if (!scan_use(kernels[k]))
				continue;
			assert_true(story((enum how)how, true, &got) >= most);
			assert_str(buf_str(&got), buf_str(&want));
		}
	}
	buf_release(&want);
	buf_release(&got);
}

/* ---- made up records ---- */

static void add_text(struct buf *b, size_t pieces)
{
	static const char *const piece[] = {
		"word ",  "\\n",      "\\\"",          "\\\\",         "\\u00e9",
		"\\t\\t", "\xc3\xa9", "\\/",           "\\\\\\\\\\\\", "{\\\"type\\\":1}",
		"\\b",    "x",        "\\ud83d\\ude00"};

	while (pieces--)
		buf_add(b, str_of(piece[rnd(sizeof(piece) / sizeof(*piece))]));
}

static void add_record(struct buf *b)
{
	size_t big = rnd(100);

	buf_printf(b, "{\"type\":\"user\",\"n\":%zu,\"swallowed\":\"", rnd(1000));
	add_text(b, rnd(200));
	buf_add(b, STR("\",\"message\":{\"content\":[{\"text\":\""));
	add_text(b, big == 0 ? 100000 : big < 10 ? 10000 : rnd(1000));
	buf_add(b, STR("\"},null,true]}}\n"));
}

static void test_scan_ahead__sound_records_are_the_same(void **state)
{
	struct buf b = BUF_INIT(DATA_MAX);

	(void)state;
	rng = 3;
	while (b.n < (6u << 20))
		add_record(&b);
	expect_same(&b, b.n - ALONE);
	step = 60001;
	expect_same(&b, 1);
	step = 0;
	buf_release(&b);
}

static void test_scan_ahead__damaged_records_are_the_same(void **state)
{
	struct buf b = BUF_INIT(DATA_MAX);

	(void)state;
	rng = 4;
	while (b.n < (6u << 20)) {
		size_t from = b.n, n;

		add_record(&b);
		n = b.n - from;
		switch (rnd(12)) {
		case 0: /* torn, the next one is glued on */
			buf_cut(&b, from + rnd(n));
			break;
		case 1: /* torn line */
			buf_cut(&b, from + rnd(n));
			buf_byte(&b, '\n');
			break;
		case 2:
			memset(b.p + from + rnd(n / 2), 0, rnd(n / 2) + 1);
			break;
		case 3: /* any byte */
			for (size_t k = rnd(4); k; k--)
				b.p[from + rnd(n)] = "\\\"{}\n\xff:,"[rnd(8)];
			break;
		default:
			break;
		}
	}
	expect_same(&b, ALONE);
	buf_release(&b);
}

/* A torn record has swallowed those behind it, further than what is at hand: it goes back. */
static void test_scan_ahead__after_going_back_the_thread_is_made_again(void **state)
{
	struct buf b = BUF_INIT(DATA_MAX);

	(void)state;
	rng = 5;
	while (b.n < (2u << 20))
		add_record(&b);
	buf_add(&b, STR("{\"type\":\"user\",\"message\":"));
	buf_add(&b, STR("{\"type\":\"user\",\"n\":1,\"swallowed\":\""));
	buf_fill(&b, 'x', 3 * BLOCK);
	buf_add(&b, STR("\",\"message\":{}}\n"));
	while (b.n < (6u << 20))
		add_record(&b);
	/* more than up to there, and not the part that is read alone again */
	expect_same(&b, b.n - 2 * ALONE - 3 * BLOCK);
	buf_release(&b);
}

/* An escape, or its end, at every place around the border of a block that was mapped. */
static void test_scan_ahead__escapes_across_the_border_of_a_block(void **state)
{
	static const char *const end[] = {"\\\"\"", "\\\\\"",  "\\\\\\\"\"", "\\u00e9\"",
					  "\\q\"",  "\\u12\"", "\\\n",       "\"",
					  "\n",     "\\"};
	struct buf b = BUF_INIT(DATA_MAX), want = BUF_INIT(1 << 20),
		   got = BUF_INIT(1 << 20);
	const size_t border = ALONE + 2 * BLOCK;

	(void)state;
	buf_add(&b, STR("{\"type\":\""));
	buf_fill(&b, 'x', border + 3 * BLOCK);
	buf_add(&b, STR("\"}\n"));
	buf_fill(&b, ' ', ENOUGH - b.n);
	data = buf_str(&b);
	for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++)
		for (size_t k = 0; k < 12; k++) {
			char *p = b.p + border - k;

			memcpy(p, end[i], strlen(end[i]));
			memcpy(p + strlen(end[i]), ",\"n\":\"", 6);
			for (int how = SKIPPED; how <= MEMBERS; how++) {
				story((enum how)how, false, &want);
				assert_true(story((enum how)how, true, &got) > 0);
				assert_str(buf_str(&got), buf_str(&want));
			}
			memset(p, 'x', strlen(end[i]) + 6);
		}
	buf_release(&b);
	buf_release(&want);
	buf_release(&got);
}

static void test_scan_ahead__a_small_file_makes_no_thread(void **state)
{
	struct buf b = BUF_INIT(DATA_MAX), out = BUF_INIT(DATA_MAX);

	(void)state;
	rng = 6;
	while (b.n < (3u << 20))
		add_record(&b);
	data = buf_str(&b);
	assert_int_equal(story(TEXTS, true, &out), 0);
	buf_release(&b);
	buf_release(&out);
}

static void test_scan_ahead__whoever_stops_early_waits_for_nothing(void **state)
{
	struct buf b = BUF_INIT(DATA_MAX);

	(void)state;
	rng = 7;
	while (b.n < (6u << 20))
		add_record(&b);
	data = buf_str(&b);
	for (size_t records = 0; records < 600; records += 30) {
		struct source src = {.fd = 99, .size = data.n, .ahead = true};
		enum scan_tok tok;
		struct scan s;
		size_t n = 0;

		io.read = data_read;
		io.pread = data_pread;
		io.processors = two;
		at = 0;
		scan_init(&s, &src, 0);
		while (n < records && (tok = scan_next(&s)) < SCAN_END)
			n += tok == SCAN_RECORD;
		scan_release(&s);
		io_real();
	}
	buf_release(&b);
}

static void test_scan_ahead__each_failing_call_is_told(void **state)
{
	struct buf b = BUF_INIT(DATA_MAX);
	size_t all = 0;
	bool met = true;
	int n;

	(void)state;
	test_dir();
	rng = 8;
	for (; b.n < (6u << 20); all++)
		add_record(&b);
	test_write("t.jsonl", buf_str(&b));
	for (n = 1; met; n++) {
		struct source src;
		struct scan s;
		enum scan_tok tok;
		size_t records = 0;

		assert_int_equal(source_open(&src, test_path("t.jsonl"), NULL), 0);
		src.ahead = true;
		fault_at(n);
		scan_init(&s, &src, 0);
		while ((tok = scan_next(&s)) < SCAN_END)
			records += tok == SCAN_RECORD;
		met = fault_met();
		fault_off();
		if (tok == SCAN_END) {
			/* or a thread could not be had */
			assert_true(!met || n == READAHEAD_ALONE + 1 ||
				    n == READAHEAD_ALONE + 2);
			assert_int_equal(records, all);
		} else {
			assert_int_equal(tok, SCAN_ERROR);
			assert_int_equal(scan_next(&s), SCAN_ERROR);
			assert_int_equal(s.err.code, HF_EIO);
			assert_true(met && records < all);
		}
		scan_release(&s);
		source_release(&src);
	}
	assert_true(n > (int)(b.n / BLOCK));
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan_ahead__sound_records_are_the_same),
		cmocka_unit_test(test_scan_ahead__damaged_records_are_the_same),
		cmocka_unit_test(
			test_scan_ahead__after_going_back_the_thread_is_made_again),
		cmocka_unit_test(test_scan_ahead__escapes_across_the_border_of_a_block),
		cmocka_unit_test(test_scan_ahead__a_small_file_makes_no_thread),
		cmocka_unit_test(test_scan_ahead__whoever_stops_early_waits_for_nothing),
		cmocka_unit_test(test_scan_ahead__each_failing_call_is_told),
	};

	scan_names_init(&names);
	scan_names_add(&names, STR("type"));
	scan_names_add(&names, STR("message"));
	scan_names_add(&names, STR("swallowed"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
