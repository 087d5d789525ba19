/*
 * scan_member and scan_skip tell what scan_next tells, in fewer steps: whatever the bytes,
 * the kernel and the size of reads, whether members are swallowed, taken or skipped whole.
 */
#include "data/scan.h"

#include <stdlib.h>

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIELDS 3
#define TEXT   (64u << 10)

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

static struct scan_names names;

/* What is done with each name: 1 and 2 are swallowed, 3 to 5 taken, containers of 6 and 1 skipped. */
static const bool swallow[SCAN_NAMES_MAX] = {[1] = true, [2] = true};
static const uint16_t at[SCAN_NAMES_MAX] = {
	[3] = sizeof(str), [4] = 2 * sizeof(str), [5] = 3 * sizeof(str)};

static void names_make(void)
{
	static const char *const name[] = {"usage",
					   "slug",
					   "uuid",
					   "type",
					   "cwd",
					   "data",
					   "a_name_of_thirty_bytes_or_so"};

	if (names.count)
		return;
	scan_names_init(&names);
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		scan_names_add(&names, str_of(name[i]));
}

struct plan {
	enum scan_kernel kernel;
	size_t step;
	bool members, skip;
};

/* A reader of one file. */
struct reader {
	const struct plan *plan;
	struct scan s;
	str field[FIELDS + 1]; /* what was taken, by `at` */
	struct buf text, value;
	unsigned name[SCAN_DEPTH_MAX + 1]; /* of the key that waits, by depth */
	bool object[SCAN_DEPTH_MAX + 1];
	uint64_t h;   /* of the file */
	uint64_t rec; /* of the record so far */
	int hidden; /* inside of a container that is skipped, which opened at this depth */
};

static void string(struct reader *r, unsigned name)
{
	bool plain = r->s.member && r->s.plain.p;
	uint16_t place = name < SCAN_NAMES_MAX ? at[name] : 0;

	buf_reset(&r->value);
	if (plain)
		buf_add(&r->value, r->s.plain);
	else
		scan_text(&r->s, &r->value, NULL, 1000, 0);
	if (r->hidden || swallow[name])
		return;
	if (place && r->s.str_size == r->value.n && r->value.n <= SCAN_PLAIN_MAX) {
		/* what scan_member would have done, or has left to us */
		size_t from = r->text.n;

		if (r->text.cap - from <= r->value.n)
			return;
		buf_add(&r->text, buf_str(&r->value));
		r->field[place / sizeof(str)] = (str){r->text.p + from, r->value.n};
		return;
	}
	r->rec = mix(mix(r->rec, r->s.str_size), str_hash(buf_str(&r->value)));
	r->rec = mix(r->rec, name);
}

static void opened(struct reader *r, unsigned name, bool object)
{
	int d = r->s.depth;

	r->object[d] = object;
	r->name[d] = 0;
	if (r->hidden || d < 2 || (name != 1 && name != 6) || !r->object[d - 1])
		return;
	if (r->plan->skip)
		scan_skip(&r->s);
	else
		r->hidden = d;
}

static void record_start(struct reader *r)
{
	r->rec = 1;
	r->hidden = 0;
	memset(r->field, 0, sizeof(r->field));
	buf_reset(&r->text);
}

static void record_end(struct reader *r)
{
	for (size_t i = 1; i <= FIELDS; i++)
		r->rec = mix(r->rec, str_hash(r->field[i]) + r->field[i].n);
	r->h = mix(mix(mix(r->h, r->rec), r->s.rec_off), r->s.rec_len);
	r->h = mix(r->h, r->s.rec_line);
}

static void token(struct reader *r, enum scan_tok tok)
{
	int d = r->s.depth, in = tok == SCAN_OBJ || tok == SCAN_ARR ? d - 1 : d;
	unsigned name = in > 0 && r->object[in] ? r->name[in] : 0;

	if (tok == SCAN_KEY || r->s.member) {
		MUST(r->s.key.n <= SCAN_KEY_MAX);
		name = scan_names_find(&names, r->s.key);
		MUST(!r->s.member || r->s.name == name);
		r->name[in] = name;
		/* of what is swallowed or taken not every key is told */
		if (!r->hidden && !name)
			r->rec = mix(r->rec, str_hash(r->s.key));
	}
	switch (tok) {
	case SCAN_STR:
		string(r, name);
		return;
	case SCAN_OBJ:
	case SCAN_ARR:
		if (!r->hidden)
			r->rec = mix(mix(r->rec, tok), name);
		opened(r, name, tok == SCAN_OBJ);
		return;
	case SCAN_OBJ_END:
	case SCAN_ARR_END:
		if (r->hidden && d < r->hidden)
			r->hidden = 0;
		else if (!r->hidden)
			r->rec = mix(r->rec, tok);
		return;
	case SCAN_NUM:
		if (!r->hidden)
			r->rec = mix(r->rec, str_hash(r->s.num));
		break;
	case SCAN_KEY:
		return;
	default:
		break;
	}
	if (!r->hidden)
		r->rec = mix(mix(r->rec, tok), name);
}

static uint64_t tell(str data, const struct plan *plan)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct scan_members m = {&names, swallow, at, NULL, NULL};
	struct source src = {.fd = -1};
	enum scan_tok tok;
	uint64_t h;

	MUST(r);
	r->plan = plan;
	r->text = BUF_INIT(TEXT);
	r->value = BUF_INIT(SIZE_MAX);
	r->h = 1;
	MUST(buf_room(&r->text, TEXT));
	m.base = (char *)r->field;
	m.text = &r->text;
	feed.data = data;
	feed.step = plan->step;
	feed.at = 0;
	io.read = feed_read;
	io.lseek = feed_lseek;
	if (!scan_use(plan->kernel))
		scan_use(SCAN_AUTO);
	scan_init(&r->s, &src, 0);
	record_start(r);
	do {
		bool member = plan->members && !r->hidden && r->s.depth &&
			      r->object[r->s.depth];

		r->s.member = false;
		tok = member ? scan_member(&r->s, &m) : scan_next(&r->s);
		if (tok == SCAN_RECORD) {
			record_end(r);
			record_start(r);
		} else if (tok == SCAN_LOSS) {
			r->h = mix(mix(mix(r->h, r->s.loss_off), r->s.loss_len),
				   r->s.why);
			record_start(r);
		} else if (tok < SCAN_RECORD) {
			token(r, tok);
		}
	} while (tok != SCAN_END && tok != SCAN_ERROR);
	MUST(tok == SCAN_END);
	h = mix(mix(r->h, r->s.good), r->s.tail_cut);
	scan_release(&r->s);
	buf_release(&r->text);
	buf_release(&r->value);
	free(r);
	io_real();
	scan_use(SCAN_AUTO);
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size};
	size_t pick = size ? data[size - 1] + 256u * data[size / 2] : 0;
	const struct plan plain = {.kernel = SCAN_SWAR};
	const struct plan fast = {.kernel = SCAN_AUTO, .members = true, .skip = true};
	const struct plan slow = {.kernel = pick & 1 ? SCAN_SSE2 : SCAN_AVX2,
				  .step = 1 + pick % 129,
				  .members = pick & 2,
				  .skip = pick & 4};
	uint64_t h;

	names_make();
	h = tell(s, &plain);
	MUST(tell(s, &fast) == h);
	MUST(tell(s, &slow) == h);
	return 0;
}
