/*
 * One automaton (step) takes the next token off the buffer. It is run twice over the same
 * bytes only after damage: resync looks silently for the next record, then the caller gets
 * that record's tokens as if nothing had been.
 *
 * States, and what may stand at st->p:
 *
 *   BETWEEN  white space, then the `{` of a record; anything else is a loss
 *   FIELD    a key or '}' (after '{')           KEY   a key (after ',' in an object)
 *   ITEM     a value or ']' (after '[')         VALUE a value (after ':' or ',')
 *   IN_STR   inside a string whose SCAN_STR was handed out
 *   AFTER    ',' or the end of the innermost container
 *   WHOLE    behind the last byte of a value at depth 0
 *   FAILED   st->wrong tells where the record broke; the next token is SCAN_LOSS
 *   STOPPED  the end, or a failed read; stays
 *
 * The buffer ends in a line feed that is not part of the file. In the grammar a line feed is
 * never right inside a record, so the fast paths need not watch for the end: they fall
 * into unexpected(), which tells the end of the buffer, of the file and of the line apart.
 *
 * Where may the record behind a torn one begin? A torn record that is followed at once by
 * a whole one reads on into it until the grammar breaks:
 *
 *   torn in a value position   ..."a":{"type":...}\n   the whole record became a nested
 *                              value; seen at the line end with containers open
 *   torn in a string           ..."abc{"type"...       its first quote closed the string;
 *                              seen at the byte behind that quote
 *   torn elsewhere             ..."a"{  tru{  \u00{    seen at the `{` itself
 *
 * Nothing else is possible as long as a record's first key does not begin with one of
 * `:,}]`, so it is enough to look at these places and then forward. Each attempt that fails
 * begins behind the one before, and an attempt that succeeds is read at most twice more:
 * the work is linear in the bytes, whatever they are.
 */
#include <assert.h>
#include <stdlib.h>

#include "data/scan.h"
#include "data/json.h"
#include "data/skip.h"
#include "base/log.h"
#include "base/utf8.h"

/* kept before st->p when the buffer moves on */
#define LOOK_BYTES 64
/* there for every step, unless the file ends: keys, literals, numbers and most strings */
#define AHEAD_BYTES 2048
/* a thread that reads is worth its making from so many bytes on */
#define THREAD_FROM (4u << 20)
#define MAP_BYTES   ((READAHEAD_BLOCK_BYTES / 64 + 1) * sizeof(uint64_t))
/* of a key, as much as may become SCAN_KEY_MAX bytes: \u0041 is six for one */
#define KEY_RAW_BYTES (6 * SCAN_KEY_MAX)
/* white space that is looked across, backwards, at most */
#define GAP_MAX 16
/* raw bytes before a tail that decide whether it begins inside an escape */
#define CUT_LOOK 16
#define NOWHERE  UINT64_MAX

#define GUESS_DEPTHS  8   /* told apart; a power of two */
#define SHAPE_SLOTS   128 /* top-level keys remembered; a power of two */
#define SHAPE_PENDING 48  /* keys of one record */
#define SHAPE_FIRST   64  /* so many records are learnt from at the start, */
#define SHAPE_EVERY   64  /* then one in so many */
#define SHAPE_MANY    16  /* records that make "every record" mean something */

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* kept out of scan_next, which is entered once a token and should need few registers */
#define ASIDE __attribute__((noinline))

enum state { BETWEEN, FIELD, KEY, ITEM, VALUE, IN_STR, AFTER, WHOLE, FAILED, STOPPED };

/* What the top level of this file's records looks like: which keys, how often. */
struct shape {
	uint64_t hash[SHAPE_SLOTS]; /* 0: free */
	uint32_t seen[SHAPE_SLOTS];
	uint32_t records;
	uint8_t pending[SHAPE_PENDING];
	size_t npending;
};

/* Where a record broke, and where the record behind it may begin. */
struct wrong {
	uint64_t at; /* the offending byte; the end of the file when it is cut there */
	uint64_t nested; /* the object that was closed right before it, or NOWHERE */
	uint64_t quoted; /* the `{` right before the quote before it, or NOWHERE */
	enum scan_why why;
	bool at_end, at_feed, at_nul;
};

struct scan_state {
	struct readahead *in;
	skip_fn *kernel;
	skip_map_fn *mapper;
	const uint64_t *map; /* where strings may end; NULL: not known */
	const char *mapped;  /* from here on */
	const char *p, *end; /* next byte, end of the bytes read */
	const char *buf;     /* the bytes at hand */
	uint64_t base;       /* offset of buf[0] */
	enum state state;
	bool object; /* the innermost open container is an object */
	bool eof;
	bool watch; /* keys of the top level go to shape_key: */
	bool weigh; /* to be compared with the shape, else to be learnt */
	uint64_t records;
	uint64_t line;
	uint64_t rec_off;
	uint64_t str_off;   /* offset of the current string's first byte */
	uint64_t closed_at; /* where the object that was closed last begins */
	struct wrong wrong;
	uint64_t objects[SCAN_DEPTH_MAX / 64];
	uint64_t open_at[SCAN_DEPTH_MAX];
	uint8_t name; /* scan_member: the key met last, */
	/* and the four keys that came after each lately, by depth, the first ones apart */
	uint32_t guess[2][GUESS_DEPTHS][SCAN_NAMES_MAX];
	struct shape shape;
	uint32_t keys, known, common; /* of the candidate being weighed */
	struct buf key; /* keys with escapes, long ones and those that are not ASCII */
	char numbuf[SCAN_NUM_MAX];
	char *text; /* for strings that are longer than the buffer has left; made on demand */
};

static enum scan_kernel forced = SCAN_AUTO;

_Static_assert(LOOK_BYTES + AHEAD_BYTES <= READAHEAD_KEEP_BYTES &&
		       SKIP_PAD_BYTES <= READAHEAD_PAD_BYTES,
	       "a reader has room for what is kept, and for the kernels");
_Static_assert((int)SCAN_SWAR == (int)SKIP_SWAR && (int)SCAN_AVX512 == (int)SKIP_AVX512,
	       "the two lists of kernels agree");

bool scan_use(enum scan_kernel k)
{
	if (!skip_kernel((enum skip_which)k))
		return false;
	forced = k;
	return true;
}

/* No bytes at hand, the next ones are those at offset `at`. */
static void nothing_at(struct scan_state *st, uint64_t at)
{
	st->p = st->end = st->buf = "\n";
	st->base = at;
	st->eof = false;
	st->map = NULL;
}

/* For the thread that reads: where strings may end, and the line feed behind the bytes. */
static void map_block(const void *arg, char *data, size_t n, void *notes)
{
	const struct scan_state *st = arg;

	data[n] = '\n';
	st->mapper(data, n, notes);
}

/* p is inside a string: see skip.h. */
static inline const char *skip(const struct scan_state *st, const char *p)
{
	return st->map && p >= st->mapped ? skip_mapped(p, st->mapped, st->map)
					  : st->kernel(p);
}

void scan_init(struct scan *s, struct source *src, uint64_t at)
{
	struct scan_state *st = calloc(1, sizeof(*st));
	bool large = src->size > at && src->size - at >= THREAD_FROM;
	struct readahead_thread ahead = {map_block, st, MAP_BYTES};

	if (!st)
		log_oom();
	*s = (struct scan){.st = st, .good = at};
	st->kernel = skip_kernel((enum skip_which)forced);
	st->mapper = skip_mapper((enum skip_which)forced);
	st->in = readahead_new(src->fd, at, src->ahead && large ? &ahead : NULL);
	nothing_at(st, at);
	st->line = 1;
	st->key = BUF_INIT(4 * KEY_RAW_BYTES);
}

void scan_release(struct scan *s)
{
	if (s->st) {
		readahead_free(s->st->in);
		free(s->st->text);
		buf_release(&s->st->key);
		free(s->st);
	}
	*s = (struct scan){0};
}

static inline uint64_t offset(const struct scan_state *st, const char *p)
{
	return st->base + (uint64_t)(p - st->buf);
}

/* ---- the buffer ---- */

/* Move on so that AHEAD_BYTES follow st->p, or all there is. False when reading failed. */
static ASIDE bool fill(struct scan *s)
{
	struct scan_state *st = s->st;
	char *from;
	long n;

	while (!st->eof && st->end - st->p < AHEAD_BYTES) {
		size_t before = (size_t)(st->p - st->buf);
		str kept;

		if (before > LOOK_BYTES)
			before = LOOK_BYTES;
		kept = (str){st->p - before, (size_t)(st->end - st->p) + before};
		n = readahead_next(st->in, kept, &from);
		st->base = offset(st, kept.p);
		st->buf = from;
		st->p = from + before;
		st->end = from + kept.n;
		if (n < 0) {
			st->state = STOPPED;
			err_sys(&s->err, "read at byte %llu",
				(unsigned long long)offset(st, st->end));
			return false;
		}
		st->eof = n == 0;
		st->end += n;
		st->map = n ? readahead_notes(st->in) : NULL;
		st->mapped = from + kept.n;
		from[kept.n + (size_t)n] = '\n';
	}
	return true;
}

/* Continue at file offset `off`. */
static bool go(struct scan *s, uint64_t off)
{
	struct scan_state *st = s->st;

	if (off >= st->base && off <= offset(st, st->end)) {
		st->p = st->buf + (off - st->base);
		return true;
	}
	if (!readahead_seek(st->in, off)) {
		st->state = STOPPED;
		err_sys(&s->err, "seek to byte %llu", (unsigned long long)off);
		return false;
	}
	nothing_at(st, off);
	return true;
}

/* Over blanks, with the buffer moving on; the byte there. False when reading failed. */
static bool gap(struct scan *s, char *c)
{
	struct scan_state *st = s->st;

	for (;;) {
		while (*st->p == ' ' || *st->p == '\t' || *st->p == '\r')
			st->p++;
		*c = *st->p;
		if (st->p < st->end || st->eof)
			return true;
		if (!fill(s))
			return false;
	}
}

/* ---- damage ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The `{` that stands right before the quote at q, but for blanks; NULL when there is none. */
static const char *brace_before(const struct scan_state *st, const char *q)
{
	const char *low = q - st->buf > GAP_MAX ? q - GAP_MAX : st->buf;

	while (q > low && is_blank(q[-1]))
		q--;
	return q > low && q[-1] == '{' ? q - 1 : NULL;
}

/*
 * The record breaks at e. `behind` says that e stands where a string or a container has
 * just ended: then the next record may have been read as part of this one.
 */
static ASIDE void fail(struct scan *s, const char *e, enum scan_why why, bool behind)
{
	struct scan_state *st = s->st;
	struct wrong *w = &st->wrong;
	const char *q = e, *brace;

	*w = (struct wrong){
		.at = offset(st, e), .nested = NOWHERE, .quoted = NOWHERE, .why = why};
	w->at_end = e >= st->end;
	w->at_feed = !w->at_end && *e == '\n';
	w->at_nul = !w->at_end && *e == '\0';
	if (w->at_end || w->at_feed || w->at_nul)
		w->why = SCAN_WHY_TORN;
	st->state = FAILED;
	if (!behind || e == st->buf)
		return;
	brace = e[-1] == '"' ? brace_before(st, e - 1) : NULL;
	if (brace)
		w->quoted = offset(st, brace);
	while (q > st->buf && e - q < GAP_MAX && is_blank(q[-1]))
		q--;
	if (q > st->buf && q[-1] == '}' && (w->why == SCAN_WHY_TORN || *e == '{'))
		w->nested = st->closed_at;
}

/* What step and its helpers return after fail, or after a failed read. */
static enum scan_tok broken(const struct scan_state *st)
{
	return st->state == FAILED ? SCAN_LOSS : SCAN_ERROR;
}

/* ---- which keys records have ---- */

static size_t shape_slot(const struct shape *sh, uint64_t hash)
{
	size_t i, at = (size_t)hash;

	for (i = 0; i < SHAPE_SLOTS; i++, at++) {
		at &= SHAPE_SLOTS - 1;
		if (sh->hash[at] == hash || sh->hash[at] == 0)
			return at;
	}
	return SHAPE_SLOTS;
}

/* A key of the top level went by in a record that is learnt from, or that is weighed. */
static ASIDE void shape_key(struct scan_state *st, str key)
{
	struct shape *sh = &st->shape;
	uint64_t hash = str_hash(key) | 1;
	size_t at = shape_slot(sh, hash), i;

	if (st->weigh) {
		st->keys++;
		if (at < SHAPE_SLOTS && sh->seen[at]) {
			st->known++;
			st->common += sh->seen[at] == sh->records;
		}
		return;
	}
	if (at == SHAPE_SLOTS || sh->npending == SHAPE_PENDING)
		return;
	for (i = 0; i < sh->npending; i++)
		if (sh->pending[i] == at)
			return;
	sh->hash[at] = hash;
	sh->pending[sh->npending++] = (uint8_t)at;
}

/* The record that was learnt from is whole. */
static void shape_learn(struct shape *sh)
{
	while (sh->npending)
		sh->seen[sh->pending[--sh->npending]]++;
	sh->records++;
}

/*
 * The candidate that was weighed has the keys of a record of this file rather than those of
 * some inner object: at least two known ones, and, once many records were seen, half of
 * them known, and all that every record has. Before any was seen, an object that fills the
 * rest of its line is believed.
 */
static bool shape_fits(const struct scan_state *st, char next)
{
	const struct shape *sh = &st->shape;
	uint32_t common = 0;
	size_t i;

	if (!sh->records)
		return next == '\n' && st->p < st->end;
	if (sh->records < SHAPE_MANY)
		return st->known >= 2;
	for (i = 0; i < SHAPE_SLOTS; i++)
		common += sh->seen[i] == sh->records;
	return st->common >= common && 2 * st->known >= st->keys && st->known >= 2;
}

/* ---- tokens ---- */

/* st->p is inside a string: go past its closing quote. */
static ASIDE bool skip_string(struct scan *s)
{
	struct scan_state *st = s->st;

	for (;;) {
		const char *q = skip(st, st->p), *bad = q;

		if (likely(*q == '"')) {
			s->str_size = offset(st, q) - st->str_off;
			st->p = q + 1;
			return true;
		}
		st->p = q;
		if (*q == '\\')
			(void)skip_escape(q, &bad);
		/* q is at the end, or an escape runs into it */
		if (bad >= st->end && !st->eof) {
			if (!fill(s))
				return false;
			continue;
		}
		fail(s, bad, SCAN_WHY_BAD, false);
		return false;
	}
}

/* st->p is on the opening quote of a key: any key, up to its colon. */
static ASIDE enum scan_tok any_key(struct scan *s)
{
	struct scan_state *st = s->st;
	const char *q;
	char c;

	if (st->end - st->p < AHEAD_BYTES && !fill(s))
		return SCAN_ERROR;
	st->p++;
	st->str_off = offset(st, st->p);
	q = skip(st, st->p);
	buf_reset(&st->key);
	json_unescape(&st->key,
		      str_head((str){st->p, (size_t)(q - st->p)}, KEY_RAW_BYTES));
	s->key = utf8_head(buf_str(&st->key), SCAN_KEY_MAX);
	if (!skip_string(s))
		return broken(st);
	/* the colon most often follows at once, else blanks and perhaps the end of the buffer */
	if (!gap(s, &c))
		return SCAN_ERROR;
	if (c != ':') {
		fail(s, st->p, SCAN_WHY_BAD, true);
		return broken(st);
	}
	st->p++;
	st->state = VALUE;
	return SCAN_KEY;
}

static ASIDE enum scan_tok number(struct scan *s)
{
	struct scan_state *st = s->st;
	const char *start, *p;
	size_t kept = 0;
	int state = 0, next;

	if (st->end - st->p < AHEAD_BYTES && !fill(s))
		return SCAN_ERROR;
	for (start = p = st->p;;) {
		next = json_number_step(state, *p);
		if (next >= 0) {
			state = next;
			p++;
			continue;
		}
		if (p < st->end || st->eof)
			break;
		/* longer than AHEAD_BYTES: its beginning is about to go */
		if (!kept) {
			kept = SCAN_NUM_MAX;
			memcpy(st->numbuf, start, kept);
		}
		st->p = p;
		if (!fill(s))
			return SCAN_ERROR;
		p = st->p;
	}
	if (!json_number_whole(state)) {
		fail(s, p, SCAN_WHY_BAD, false);
		return broken(st);
	}
	s->num = kept ? (str){st->numbuf, kept}
		      : str_head((str){start, (size_t)(p - start)}, SCAN_NUM_MAX);
	st->p = p;
	st->state = AFTER;
	return SCAN_NUM;
}

static ASIDE enum scan_tok literal(struct scan *s, const char *word, size_t n,
				   enum scan_tok tok)
{
	struct scan_state *st = s->st;
	size_t i = 0;

	if (st->end - st->p < AHEAD_BYTES && !fill(s))
		return SCAN_ERROR;
	while (i < n && st->p[i] == word[i])
		i++;
	if (i < n) {
		fail(s, st->p + i, SCAN_WHY_BAD, false);
		return broken(st);
	}
	st->p += n;
	st->state = AFTER;
	return tok;
}

static inline enum scan_tok open_container(struct scan *s, const char *p, bool object)
{
	struct scan_state *st = s->st;
	int d = s->depth;
	uint64_t bit = 1ull << (d % 64);

	if (unlikely(d >= SCAN_DEPTH_MAX)) {
		fail(s, p, SCAN_WHY_DEEP, false);
		return broken(st);
	}
	if (object)
		st->objects[d / 64] |= bit;
	else
		st->objects[d / 64] &= ~bit;
	st->open_at[d] = offset(st, p);
	st->object = object;
	st->state = object ? FIELD : ITEM;
	st->p = p + 1;
	s->depth = d + 1;
	return object ? SCAN_OBJ : SCAN_ARR;
}

static inline enum scan_tok close_container(struct scan *s, const char *p)
{
	struct scan_state *st = s->st;
	enum scan_tok tok = st->object ? SCAN_OBJ_END : SCAN_ARR_END;
	int d = --s->depth;

	if (st->object)
		st->closed_at = st->open_at[d];
	st->p = p + 1;
	st->state = d ? AFTER : WHOLE;
	d--;
	st->object = d >= 0 && (st->objects[d / 64] >> (d % 64) & 1);
	return tok;
}

/* The next token of the record; SCAN_LOSS when it is broken (state FAILED). */
static inline __attribute__((always_inline)) enum scan_tok step_inline(struct scan *s)
{
	struct scan_state *st = s->st;
	enum scan_tok tok;
	const char *p, *q;

	if (unlikely(st->end - st->p < AHEAD_BYTES) && !fill(s))
		return SCAN_ERROR;
again:
	if (st->state == IN_STR) {
		q = skip_plain(st->p);
		if (likely(q)) {
			s->str_size = offset(st, q) - st->str_off;
			st->p = q + 1;
		} else if (!skip_string(s)) {
			return broken(st);
		}
		st->state = AFTER;
	}
	p = st->p;
	while (unlikely(is_blank(*p)))
		p++;
	switch (st->state) {
	case AFTER:
		if (*p == ',') {
			p++;
			st->state = st->object ? KEY : VALUE;
			while (unlikely(is_blank(*p)))
				p++;
			if (st->object)
				goto key;
			goto value;
		}
		if (*p == (st->object ? '}' : ']'))
			return close_container(s, p);
		break;
	case FIELD:
		if (*p == '}')
			return close_container(s, p);
		/* fall through */
	case KEY:
	key:
		if (*p != '"')
			break;
		q = skip_plain(p + 1);
		if (likely(q && q[1] == ':')) {
			s->key = (str){p + 1, (size_t)(q - p - 1)};
			st->p = q + 2;
			st->state = VALUE;
			tok = SCAN_KEY;
		} else {
			st->p = p;
			tok = any_key(s);
		}
		if (unlikely(st->watch) && s->depth == 1 && tok == SCAN_KEY)
			shape_key(st, s->key);
		return tok;
	case ITEM:
		if (*p == ']')
			return close_container(s, p);
		/* fall through */
	default:
	value:
		switch (*p) {
		case '"':
			st->p = p + 1;
			st->str_off = offset(st, p + 1);
			st->state = IN_STR;
			return SCAN_STR;
		case '{':
			return open_container(s, p, true);
		case '[':
			return open_container(s, p, false);
		}
		st->p = p;
		switch (*p) {
		case 't':
			return literal(s, "true", 4, SCAN_TRUE);
		case 'f':
			return literal(s, "false", 5, SCAN_FALSE);
		case 'n':
			return literal(s, "null", 4, SCAN_NULL);
		case '-':
		case '0' ... '9':
			return number(s);
		}
	}
	st->p = p;
	if (p >= st->end && !st->eof) {
		if (!fill(s))
			return SCAN_ERROR;
		goto again;
	}
	fail(s, p, SCAN_WHY_BAD, st->state == AFTER);
	return broken(st);
}

static enum scan_tok step(struct scan *s)
{
	return step_inline(s);
}

/* Take tokens until `depth` containers are open. */
static bool run(struct scan *s, int depth)
{
	do {
		enum scan_tok tok = step(s);

		if (tok == SCAN_LOSS || tok == SCAN_ERROR)
			return false;
	} while (s->depth > depth);
	return true;
}

/* ---- records ---- */

static enum scan_tok loss(struct scan *s, uint64_t from, uint64_t to, enum scan_why why)
{
	s->loss_off = from;
	s->loss_len = to - from;
	s->rec_line = s->st->line;
	s->why = why;
	s->depth = 0;
	s->st->state = BETWEEN;
	s->st->watch = false;
	return SCAN_LOSS;
}

/* Read from `at` as if a record began there. False when it breaks, or reading fails. */
static bool attempt(struct scan *s, uint64_t at)
{
	struct scan_state *st = s->st;
	bool whole;

	if (!go(s, at))
		return false;
	s->depth = 0;
	st->state = VALUE;
	st->watch = st->weigh = true;
	st->keys = st->known = st->common = 0;
	whole = run(s, 0);
	st->watch = st->weigh = false;
	return whole;
}

/* The next `{"` in the line at or behind `from`, NOWHERE if there is none: then st->p is at the line's end. */
static bool find_brace(struct scan *s, uint64_t from, uint64_t *at)
{
	struct scan_state *st = s->st;
	const char *p;

	if (!go(s, from))
		return false;
	for (;;) {
		if (st->end - st->p < AHEAD_BYTES && !fill(s))
			return false;
		for (p = st->p; *p != '{' && *p != '\n';)
			p++;
		st->p = p;
		if (*p == '\n' && p >= st->end && !st->eof)
			continue;
		if (*p == '\n') {
			*at = NOWHERE;
			return true;
		}
		if (st->end - p <= GAP_MAX && !st->eof)
			continue;
		for (p++; is_blank(*p) && p - st->p < GAP_MAX;)
			p++;
		if (*p == '"') {
			*at = offset(st, st->p);
			return true;
		}
		st->p++;
	}
}

/*
 * The bytes from `start` on are no record, st->wrong tells where they break. Find the next
 * record of the line, and stand before it.
 */
static ASIDE enum scan_tok resync(struct scan *s, uint64_t start)
{
	struct scan_state *st = s->st;
	struct wrong w = st->wrong;
	enum scan_why why = w.why;
	bool sure, inside;
	uint64_t at;
	char next;

	for (;;) {
		bool nested = w.nested != NOWHERE;

		/* inside: the record was read as a part of the broken one, up to where that broke */
		inside = true;
		sure = !nested;
		if (nested) {
			at = w.nested;
			w.nested = NOWHERE;
		} else if (w.quoted != NOWHERE) {
			at = w.quoted;
			w.quoted = NOWHERE;
		} else {
			if (!find_brace(s, w.at, &at))
				return SCAN_ERROR;
			if (at == NOWHERE)
				break;
			inside = at == w.at;
			sure = inside || st->p[-1] == '\0' || st->p[-1] == '}';
		}
		if (attempt(s, at)) {
			uint64_t end = offset(st, st->p);

			if (!gap(s, &next))
				return SCAN_ERROR;
			if ((next == '\n' || next == '\0' || next == '{') &&
			    (sure || shape_fits(st, next))) {
				if (!go(s, at))
					return SCAN_ERROR;
				if (why == SCAN_WHY_BAD && inside)
					why = SCAN_WHY_TORN;
				return loss(s, start, at, why);
			}
			if (!nested)
				w = (struct wrong){
					.at = end, .nested = NOWHERE, .quoted = NOWHERE};
		} else if (st->state != FAILED) {
			return SCAN_ERROR;
		} else if (!nested) {
			w = st->wrong;
		}
	}
	s->tail_cut = st->p >= st->end && (w.at_end || w.at_nul);
	return loss(s, start, offset(st, st->p), why);
}

/* A run of NUL bytes: what a file system leaves where data had not been written. */
static enum scan_tok nul_run(struct scan *s)
{
	struct scan_state *st = s->st;
	uint64_t from = offset(st, st->p);

	do {
		while (*st->p == '\0' && st->p < st->end)
			st->p++;
	} while (st->p >= st->end && !st->eof && fill(s));
	if (st->state == STOPPED)
		return SCAN_ERROR;
	return loss(s, from, offset(st, st->p), SCAN_WHY_NUL);
}

/* st->p is on something between records that is not an object. */
static enum scan_tok no_object(struct scan *s)
{
	struct scan_state *st = s->st;
	uint64_t from = offset(st, st->p), to;
	enum scan_tok tok;
	char next;

	st->state = VALUE;
	tok = step(s);
	if (tok == SCAN_STR && !skip_string(s))
		tok = broken(st);
	if (tok == SCAN_ARR && !run(s, 0))
		tok = broken(st);
	if (tok == SCAN_ERROR)
		return SCAN_ERROR;
	if (tok == SCAN_LOSS)
		return resync(s, from);
	to = offset(st, st->p);
	if (!gap(s, &next))
		return SCAN_ERROR;
	if (next == '\n' || next == '\0' || next == '{')
		return loss(s, from, to, SCAN_WHY_VALUE);
	fail(s, st->p, SCAN_WHY_BAD, true);
	return resync(s, from);
}

static enum scan_tok start_record(struct scan *s)
{
	struct scan_state *st = s->st;

	st->rec_off = offset(st, st->p);
	st->watch = st->records < SHAPE_FIRST || st->records % SHAPE_EVERY == 0;
	st->shape.npending = 0;
	return open_container(s, st->p, true);
}

static enum scan_tok between(struct scan *s)
{
	struct scan_state *st = s->st;
	char c;

	s->depth = 0;
	for (;;) {
		if (unlikely(st->end - st->p < AHEAD_BYTES) && !fill(s))
			return SCAN_ERROR;
		c = *st->p;
		if (unlikely(c != '{') && !gap(s, &c))
			return SCAN_ERROR;
		if (likely(c == '{'))
			return start_record(s);
		if (st->p >= st->end) {
			st->state = STOPPED;
			return SCAN_END;
		}
		if (c == '\n') {
			st->line++;
			st->p++;
		} else if (c == '\0') {
			return nul_run(s);
		} else if (offset(st, st->p) == 0 &&
			   memcmp(st->p, "\xef\xbb\xbf", 3) == 0) {
			st->p += 3;
		} else {
			return no_object(s);
		}
	}
}

/* Behind the `}` of a record. */
static enum scan_tok end_record(struct scan *s)
{
	struct scan_state *st = s->st;
	char next;

	s->rec_off = st->rec_off;
	s->rec_len = offset(st, st->p) - st->rec_off;
	s->rec_line = st->line;
	if (st->watch)
		shape_learn(&st->shape);
	st->watch = false;
	st->records++;
	next = *st->p;
	if (unlikely(next != '\n' || st->p >= st->end) && !gap(s, &next))
		return SCAN_ERROR;
	if (next == '\n' && st->p < st->end) {
		st->p++;
		st->line++;
	}
	s->good = offset(st, st->p);
	st->state = BETWEEN;
	return SCAN_RECORD;
}

/* The next token where no record is open, or no more. */
static ASIDE enum scan_tok outside(struct scan *s)
{
	switch (s->st->state) {
	case BETWEEN:
		return between(s);
	case WHOLE:
		return end_record(s);
	case FAILED:
		return resync(s, s->st->rec_off);
	default: /* STOPPED */
		return s->err.code ? SCAN_ERROR : SCAN_END;
	}
}

enum scan_tok scan_next(struct scan *s)
{
	struct scan_state *st = s->st;
	enum scan_tok tok;

	if (st->state > AFTER || st->state < FIELD)
		return outside(s);
	/* an array of objects: what is met most often of what scan_member does not do */
	if (!st->object && st->end - st->p >= AHEAD_BYTES) {
		if (st->state == ITEM && *st->p == '{' && s->depth < SCAN_DEPTH_MAX)
			return open_container(s, st->p, true);
		if (st->state == AFTER && *st->p == ']')
			return close_container(s, st->p);
	}
	tok = step_inline(s);
	return likely(tok != SCAN_LOSS) ? tok : resync(s, st->rec_off);
}

/* ---- members ---- */

/* n bytes are the same; short, so no call. */
static inline bool same(const char *a, const char *b, size_t n)
{
	uint64_t x, y;
	uint32_t v, w;

	if (n >= 8) {
		for (; n > 8; n -= 8, a += 8, b += 8) {
			memcpy(&x, a, 8);
			memcpy(&y, b, 8);
			if (x != y)
				return false;
			if (n < 16) { /* the last eight overlap those */
				a -= 16 - n;
				b -= 16 - n;
				n = 16;
			}
		}
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		return x == y;
	}
	if (n >= 4) {
		memcpy(&v, a, 4);
		memcpy(&w, b, 4);
		if (v != w)
			return false;
		memcpy(&v, a + n - 4, 4);
		memcpy(&w, b + n - 4, 4);
		return v == w;
	}
	while (n && a[n - 1] == b[n - 1])
		n--;
	return n == 0;
}

static inline unsigned name_hash(const char *p, size_t n)
{
	return ((unsigned)n * 29 + (unsigned char)p[0] * 5 + (unsigned char)p[n - 1] * 3 +
		(unsigned char)p[n / 2]) &
	       255;
}

void scan_names_init(struct scan_names *names)
{
	*names = (struct scan_names){.count = 1};
	names->quoted[0][0] = '"';
	names->quoted[0][1] = ':';
}

void scan_names_add(struct scan_names *names, str name)
{
	unsigned h = name_hash(name.p, name.n), i = names->count++;

	assert(i < SCAN_NAMES_MAX && name.n && name.n <= SCAN_NAME_MAX_BYTES);
	names->n[i] = (uint8_t)name.n;
	memcpy(names->quoted[i], name.p, name.n);
	memcpy(names->quoted[i] + name.n, "\":", 2);
	names->next[i] = names->slot[h];
	names->slot[h] = (uint8_t)i;
}

unsigned scan_names_find(const struct scan_names *names, str key)
{
	unsigned i;

	if (!key.n || key.n > SCAN_NAME_MAX_BYTES)
		return 0;
	for (i = names->slot[name_hash(key.p, key.n)]; i; i = names->next[i])
		if (names->n[i] == key.n && same(names->quoted[i], key.p, key.n))
			return i;
	return 0;
}

/* Go on after a string that began at p and is passed over. */
static ASIDE enum scan_tok pass_string(struct scan *s, const char *p)
{
	struct scan_state *st = s->st;

	st->p = p;
	st->str_off = offset(st, p);
	st->state = IN_STR;
	if (!skip_string(s))
		return broken(st);
	st->state = AFTER;
	return SCAN_STR;
}

/* An integer at p with a byte behind it that ends it: past its last digit; else NULL. */
static inline const char *integer(const char *p)
{
	const char *q = p + 1;

	if (*p == '0')
		return *q == ',' || *q == '}' ? q : NULL;
	if (*p < '1' || *p > '9')
		return NULL;
	while (str_is_digit(*q))
		q++;
	return (*q == ',' || *q == '}') && q - p <= SCAN_NUM_MAX ? q : NULL;
}

/* The key at p, with its closing quote and its colon, is number i (of number 0: is empty). */
static inline bool key_is(const struct scan_names *names, unsigned i, const char *p)
{
#ifdef __SSE2__
	const __m128i *key = (const __m128i *)(const void *)p;
	const __m128i *name = (const __m128i *)(const void *)names->quoted[i];
	__m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(key), _mm_loadu_si128(name));
	__m128i high =
		_mm_cmpeq_epi8(_mm_loadu_si128(key + 1), _mm_loadu_si128(name + 1));
	uint32_t bits = (uint32_t)_mm_movemask_epi8(low) |
			(uint32_t)_mm_movemask_epi8(high) << 16;

	/* the bytes behind do not matter */
	return !(~bits & ((uint32_t)((uint64_t)4 << names->n[i]) - 1u));
#else
	return same(p, names->quoted[i], names->n[i] + 2u);
#endif
}

/* The key at p, behind its quote: its number, and *end at its closing quote; NULL there when it is no plain one. */
static inline unsigned key_at(struct scan_state *st, unsigned depth,
			      const struct scan_names *names, const char *p,
			      const char **end)
{
	/* keys follow each other as they did before: then one comparison is enough */
	uint32_t *lately = &st->guess[st->state == FIELD][depth % GUESS_DEPTHS][st->name];
	uint32_t guess = *lately;
	unsigned i = guess & 255;

	*end = p + names->n[i];
	if (likely(key_is(names, i, p)))
		return i;
	for (unsigned at = 8; at < 32; at += 8) {
		i = guess >> at & 255;
		*end = p + names->n[i];
		if (!key_is(names, i, p))
			continue;
		/* to the front, the others one further */
		*lately = (guess & ~0u << at << 8) | (guess & ((1u << at) - 1)) << 8 | i;
		return i;
	}
	*end = skip_plain(p);
	if (!*end || (*end)[1] != ':') {
		*end = NULL;
		return 0;
	}
	i = scan_names_find(names, (str){p, (size_t)(*end - p)});
	*lately = guess << 8 | i;
	return i;
}

/* The string at p goes where the caller wants it; false when there is no room. */
static inline bool member_take(const struct scan_members *m, unsigned i, str plain)
{
	struct buf *b = m->text;
	str taken = {b->p + b->n, plain.n};

	if (b->full || b->cap - b->n <= SCAN_PLAIN_PAD)
		return false;
	scan_plain_add(b, plain);
	memcpy(m->base + m->at[i], &taken, sizeof(taken));
	return true;
}

enum scan_tok scan_member(struct scan *s, const struct scan_members *m)
{
	struct scan_state *st = s->st;
	enum scan_tok tok;
	const char *p, *q;
	unsigned i;

	s->member = false;
	if (unlikely(!st->object))
		return scan_next(s);
again:
	p = st->p;
	if (unlikely((st->state != AFTER && st->state != FIELD) ||
		     (st->end - p < AHEAD_BYTES && !st->eof)))
		return scan_next(s);
	if (*p == '}')
		return close_container(s, p);
	if (st->state == AFTER && *p++ != ',')
		return scan_next(s);
	if (*p++ != '"')
		return scan_next(s);
	i = key_at(st, (unsigned)s->depth, m->names, p, &q);
	if (unlikely(!q))
		return scan_next(s);
	st->name = (uint8_t)i;
	s->name = i;
	s->key = (str){p, (size_t)(q - p)};
	if (unlikely(st->watch) && s->depth == 1)
		shape_key(st, s->key);
	p = q + 2;
	if (*p == '"') {
		q = skip_plain(++p);
		if (m->swallow[i]) {
			if (!q)
				q = skip(st, p);
			if (likely(*q == '"')) {
				st->p = q + 1;
				st->state = AFTER;
				goto again;
			}
			tok = pass_string(s, p);
			if (likely(tok == SCAN_STR))
				goto again;
			return tok == SCAN_LOSS ? resync(s, st->rec_off) : tok;
		}
		if (q) {
			s->plain = (str){p, (size_t)(q - p)};
			st->p = q + 1;
			st->state = AFTER;
			if (m->at[i] && member_take(m, i, s->plain))
				goto again;
			s->str_size = s->plain.n;
			s->member = true;
			return SCAN_STR;
		}
		s->member = true;
		s->plain = STR_NONE;
		st->p = p;
		st->str_off = offset(st, p);
		st->state = IN_STR;
		return SCAN_STR;
	}
	s->member = true;
	switch (*p) {
	case '{':
	case '[':
		tok = open_container(s, p, *p == '{');
		return likely(tok != SCAN_LOSS) ? tok : resync(s, st->rec_off);
	case 'n':
		q = memcmp(p, "null", 4) ? NULL : p + 4;
		tok = SCAN_NULL;
		break;
	case 't':
		q = memcmp(p, "true", 4) ? NULL : p + 4;
		tok = SCAN_TRUE;
		break;
	case 'f':
		q = memcmp(p, "false", 5) ? NULL : p + 5;
		tok = SCAN_FALSE;
		break;
	default:
		q = integer(p);
		tok = SCAN_NUM;
		if (q)
			s->num = (str){p, (size_t)(q - p)};
	}
	if (likely(q)) {
		st->p = q;
		st->state = AFTER;
		return tok;
	}
	/* anything else in two steps */
	s->member = false;
	st->p = p;
	st->state = VALUE;
	return SCAN_KEY;
}

/*
 * Go on over members of the objects that are open above `depth` while they are plain: short
 * keys, strings, integers, words, objects. Stops before anything else, or at `depth`.
 */
static void skip_members(struct scan *s, int depth)
{
	struct scan_state *st = s->st;
	const char *p, *q;

	while (st->object && s->depth > depth && st->end - st->p >= AHEAD_BYTES &&
	       (st->state == AFTER || st->state == FIELD)) {
		p = st->p;
		if (*p == '}') {
			close_container(s, p);
			continue;
		}
		if ((st->state == AFTER && *p++ != ',') || *p++ != '"')
			return;
		q = skip_plain(p);
		if (!q || q[1] != ':')
			return;
		p = q + 2;
		switch (*p) {
		case '"':
			q = skip_plain(p + 1);
			q = q ? q + 1 : NULL;
			break;
		case '{':
			if (s->depth >= SCAN_DEPTH_MAX)
				return;
			open_container(s, p, true);
			continue;
		case 'n':
			q = memcmp(p, "null", 4) ? NULL : p + 4;
			break;
		case 't':
			q = memcmp(p, "true", 4) ? NULL : p + 4;
			break;
		case 'f':
			q = memcmp(p, "false", 5) ? NULL : p + 5;
			break;
		default:
			q = integer(p);
		}
		if (!q)
			return;
		st->p = q;
		st->state = AFTER;
	}
}

bool scan_skip(struct scan *s)
{
	struct scan_state *st = s->st;
	int depth = s->depth - 1;

	if (st->state == STOPPED || st->state == FAILED || s->depth == 0)
		return false;
	do {
		enum scan_tok tok;

		if (!st->watch)
			skip_members(s, depth);
		if (s->depth == depth)
			break;
		tok = step(s);
		if (tok == SCAN_LOSS || tok == SCAN_ERROR)
			return false;
	} while (s->depth > depth);
	return true;
}

/* ---- texts ---- */

/*
 * How many raw bytes before p belong to an escape that goes on at p; 0 when p is a clean
 * place to cut. `look` bytes before p may be looked at; `all` says that the string begins
 * there. A run of backslashes that fills them otherwise may be odd or even: taken as odd.
 */
static size_t escape_across(const char *p, size_t look, bool all)
{
	size_t back, n;

	for (back = 1; back <= look && back < 6; back++) {
		if (p[-(long)back] != '\\' || (back > 1 && p[1 - (long)back] != 'u'))
			continue;
		for (n = 1; back + n <= look && p[-(long)(back + n)] == '\\';)
			n++;
		if (n % 2 || (back + n > look && !all))
			return back;
	}
	return 0;
}

/* p, with n bytes, is the escape of a surrogate whose fourth digit is one of `digits`. */
static bool is_surrogate(const char *p, size_t n, const char *digits)
{
	return n >= 6 && p[0] == '\\' && p[1] == 'u' && str_lower(p[2]) == 'd' && p[3] &&
	       strchr(digits, p[3]);
}

/* The first n bytes of raw, less half an escape or half a surrogate pair. */
static str cut_head(str raw, size_t n)
{
	n -= escape_across(raw.p + n, n, true);
	if (n >= 6 && is_surrogate(raw.p + n - 6, 6, "89abAB") &&
	    !escape_across(raw.p + n - 6, n - 6, true))
		n -= 6;
	return str_head(raw, n);
}

/* The n bytes at p less what is left of an escape or of a pair that began before them; `look` as above. */
static str cut_tail(const char *p, size_t n, size_t look, bool all)
{
	size_t back = escape_across(p, look, all), drop = 0, hex;

	if (back > 1) {
		drop = 6 - back;
	} else if (back == 1) {
		/* where the number of backslashes is not known, give up all of them */
		while (look == CUT_LOOK && !all && drop + 1 < n && p[drop] == '\\')
			drop++;
		drop++;
		if (drop <= n && p[drop - 1] == 'u')
			for (hex = 0; hex < 4 && drop < n && p[drop] != '\\'; hex++)
				drop++;
	}
	if (drop > n)
		drop = n;
	if (is_surrogate(p + drop, n - drop, "cdefCDEF"))
		drop += 6;
	return (str){p + drop, n - drop};
}

/* Give out a whole string, or its two ends. */
static bool give(str raw, struct buf *out, struct buf *out_tail, size_t head, size_t tail)
{
	size_t from = raw.n - tail, look = from < CUT_LOOK ? from : CUT_LOOK;

	if (raw.n <= head + tail) {
		json_unescape(out, raw);
		return true;
	}
	json_unescape(out, cut_head(raw, head));
	if (tail)
		json_unescape(out_tail,
			      cut_tail(raw.p + from, tail, look, from <= CUT_LOOK));
	return false;
}

/* Rotate the n bytes at p left by k. */
static void rotate(char *p, size_t n, size_t k)
{
	size_t part[3][2] = {{0, k}, {k, n}, {0, n}}, i;

	for (i = 0; i < 3; i++) {
		char *a = p + part[i][0], *b = p + part[i][1];

		while (a < b) {
			char c = *a;

			*a++ = *--b;
			*b = c;
		}
	}
}

/* A string that does not end in the buffer: keep its first bytes and, in a ring, its last. */
struct ends {
	char *text;
	size_t head, ring; /* bytes of either part */
	uint64_t n;        /* bytes seen */
};

static void ends_add(struct ends *e, str s)
{
	while (s.n) {
		size_t at, take;

		if (e->n < e->head) {
			at = (size_t)e->n;
			take = e->head - at;
		} else {
			at = (size_t)((e->n - e->head) % e->ring);
			take = e->ring - at;
			at += e->head;
		}
		if (take > s.n)
			take = s.n;
		memcpy(e->text + at, s.p, take);
		e->n += take;
		s = str_from(s, take);
	}
}

static bool give_long(struct scan *s, struct buf *out, struct buf *out_tail, size_t head,
		      size_t tail)
{
	struct scan_state *st = s->st;
	struct ends e = {.head = head, .ring = tail + CUT_LOOK};
	const char *q, *bad;
	size_t turn;

	if (!st->text)
		st->text = malloc(SCAN_TEXT_MAX + CUT_LOOK);
	if (!st->text)
		log_oom();
	e.text = st->text;
	for (;;) {
		q = bad = skip(st, st->p);
		ends_add(&e, (str){st->p, (size_t)(q - st->p)});
		st->p = q;
		if (*q == '"')
			break;
		if (*q == '\\')
			(void)skip_escape(q, &bad);
		if (bad < st->end || st->eof) {
			fail(s, bad, SCAN_WHY_BAD, false);
			return false;
		}
		if (!fill(s))
			return false;
	}
	s->str_size = e.n;
	st->p++;
	st->state = AFTER;
	if (e.n - (e.n < head ? e.n : head) <= e.ring)
		return give((str){e.text, (size_t)e.n}, out, out_tail, head, tail);
	turn = (size_t)((e.n - head) % e.ring);
	rotate(e.text + head, e.ring, turn);
	json_unescape(out, cut_head((str){e.text, head}, head));
	if (tail)
		json_unescape(out_tail,
			      cut_tail(e.text + head + CUT_LOOK, tail, CUT_LOOK, false));
	return false;
}

bool scan_text(struct scan *s, struct buf *out, struct buf *out_tail, size_t head,
	       size_t tail)
{
	struct scan_state *st = s->st;
	const char *q;

	assert(head <= SCAN_TEXT_MAX && tail <= SCAN_TEXT_MAX - head &&
	       (out_tail || !tail));
	if (st->state != IN_STR)
		return false;
	q = skip_plain(st->p);
	if (q && (size_t)(q - st->p) <= head + tail) {
		s->str_size = (uint64_t)(q - st->p);
		buf_add(out, (str){st->p, (size_t)s->str_size});
		st->state = AFTER;
		st->p = q + 1;
		return true;
	}
	if (!q)
		q = skip(st, st->p);
	if (*q != '"')
		return give_long(s, out, out_tail, head, tail);
	s->str_size = (uint64_t)(q - st->p);
	st->state = AFTER;
	st->p = q + 1;
	return give((str){q - s->str_size, (size_t)s->str_size}, out, out_tail, head,
		    tail);
}
