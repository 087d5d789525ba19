/*
 * Whatever the bytes: every kernel and every size of reads tells the same story, every byte
 * is in a record, in a loss or blank, what is called a record is JSON, and a sound record
 * is found behind any bytes that it is glued to.
 */
#include "data/json.h"
#include "data/scan.h"

#include <stdlib.h>

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	str data;
	size_t at, step;
} feed;

static ssize_t feed_read(int fd, void *p, size_t n)
{
	(void)fd;
	n = feed.step && n > feed.step ? feed.step : n;
	n = n > feed.data.n - feed.at ? feed.data.n - feed.at : n;
	if (n)
		memcpy(p, feed.data.p + feed.at, n);
	feed.at += n;
	return (ssize_t)n;
}

static off_t feed_lseek(int fd, off_t off, int whence)
{
	(void)fd;
	(void)whence;
	MUST((size_t)off <= feed.data.n);
	feed.at = (size_t)off;
	return off;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * 0x9e3779b97f4a7c15ull + (h >> 29);
}

/* Only blanks between `at` and `to`; returns `to`. */
static uint64_t blank(uint64_t at, uint64_t to)
{
	if (at == 0 && str_starts(feed.data, STR("\xef\xbb\xbf")) && to >= 3)
		at = 3;
	MUST(at <= to && to <= feed.data.n);
	for (; at < to; at++)
		MUST(strchr(" \t\r\n", feed.data.p[at]) && feed.data.p[at]);
	return to;
}

/* The scanner is tolerant inside of strings; with that made good the strict reader agrees. */
static void check_record(str rec)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	enum json_tok tok;
	struct json j;
	size_t i;

	buf_add(&b, rec);
	for (i = 0; i < b.n; i++)
		b.p[i] = b.p[i] & 0x80 ? 'x' : (unsigned char)b.p[i] < ' ' ? ' ' : b.p[i];
	json_init(&j, buf_str(&b));
	MUST(json_next(&j) == JSON_OBJ);
	do {
		tok = json_next(&j);
		MUST(tok != JSON_BAD && tok != JSON_MORE);
	} while (tok != JSON_END);
	buf_release(&b);
}

struct plan {
	enum scan_kernel kernel;
	size_t step;       /* bytes a read gives at most; 0: all */
	size_t head, tail; /* of each string; both 0: strings are skipped */
	bool check;
};

/* A number that stands for all that was told. */
static uint64_t tell(str data, const struct plan *plan)
{
	struct buf head = BUF_INIT(SIZE_MAX), tail = BUF_INIT(SIZE_MAX);
	struct source src = {.fd = -1};
	uint64_t h = 1, at = 0, good = 0;
	enum scan_tok tok;
	struct scan s;
	int depth = 0;

	feed.data = data;
	feed.step = plan->step;
	feed.at = 0;
	io.read = feed_read;
	io.lseek = feed_lseek;
	if (!scan_use(plan->kernel))
		scan_use(SCAN_AUTO);
	scan_init(&s, &src, 0);
	do {
		tok = scan_next(&s);
		h = mix(h, tok);
		depth += (tok == SCAN_OBJ || tok == SCAN_ARR) -
			 (tok == SCAN_OBJ_END || tok == SCAN_ARR_END);
		if (tok == SCAN_KEY) {
			h = mix(h, str_hash(s.key));
			MUST(s.key.n <= SCAN_KEY_MAX);
		}
		if (tok == SCAN_NUM)
			h = mix(h, str_hash(s.num));
		if (tok == SCAN_STR && plan->head + plan->tail) {
			buf_reset(&head);
			buf_reset(&tail);
			h = mix(h, scan_text(&s, &head, &tail, plan->head, plan->tail));
			h = mix(mix(h, str_hash(buf_str(&head))),
				str_hash(buf_str(&tail)));
		}
		if (tok == SCAN_RECORD) {
			at = blank(at, s.rec_off) + s.rec_len;
			MUST(at <= data.n && s.good >= at && depth == 0);
			good = s.good;
			if (plan->check)
				check_record(
					(str){data.p + s.rec_off, (size_t)s.rec_len});
		}
		if (tok == SCAN_LOSS) {
			MUST(s.loss_len > 0);
			at = blank(at, s.loss_off) + s.loss_len;
			depth = 0;
			h = mix(h, s.why);
		}
		if (tok == SCAN_RECORD || tok == SCAN_LOSS)
			h = mix(mix(h, at), s.rec_line);
		MUST(depth == s.depth);
		MUST(s.good == good);
	} while (tok != SCAN_END && tok != SCAN_ERROR);
	MUST(tok == SCAN_END);
	blank(at, data.n);
	h = mix(mix(h, s.good), s.tail_cut);
	scan_release(&s);
	buf_release(&head);
	buf_release(&tail);
	io_real();
	scan_use(SCAN_AUTO);
	return h;
}

/* Records of a known kind, then the bytes as the beginning of a line, then one more record on it. */
static void check_glued(str s)
{
	static const char sound[] =
		"{\"type\":\"user\",\"uuid\":\"u1\",\"m\":{\"a\":[\"{\"]}}";
	struct buf b = BUF_INIT(SIZE_MAX);
	struct source src = {.fd = -1};
	size_t i, at, open = 0;
	enum scan_tok tok;
	struct scan sc;
	bool found = false;

	for (i = 0; i < s.n; i++)
		open += s.p[i] == '{' || s.p[i] == '[';
	/* too deep a nest hides what stands in it: that is a stated limit */
	if (open + 8 > SCAN_DEPTH_MAX)
		return;
	for (i = 0; i < 3; i++)
		buf_printf(&b, "%s\n", sound);
	for (i = 0; i < s.n; i++)
		buf_byte(&b, s.p[i] == '\n' ? ' ' : s.p[i]);
	at = b.n;
	buf_printf(&b, "%s\n", sound);
	feed.data = buf_str(&b);
	feed.step = feed.at = 0;
	io.read = feed_read;
	io.lseek = feed_lseek;
	scan_init(&sc, &src, 0);
	while ((tok = scan_next(&sc)) < SCAN_END)
		found = found || (tok == SCAN_RECORD && sc.rec_off == at);
	MUST(found);
	scan_release(&sc);
	io_real();
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size};
	/* the input itself chooses, so that every choice can be found */
	size_t pick = size ? data[size - 1] + 256u * data[size / 2] : 0;
	struct plan fast = {.kernel = SCAN_AUTO,
			    .head = pick % 37,
			    .tail = pick / 37 % 41,
			    .check = true};
	struct plan slow = fast;

	slow.kernel = pick & 1 ? SCAN_SWAR : SCAN_SSE2;
	slow.step = 1 + pick % 129;
	slow.check = false;
	MUST(tell(s, &fast) == tell(s, &slow));
	check_glued(s);
	return 0;
}
