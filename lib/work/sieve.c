/*
 * A block of 64 bytes is turned into one word of bits a question ("is it a dash?"); what
 * depends on neighbours (two dashes, sixteen token bytes in a row) is shifts and ands on
 * those words, with the last bits of one block carried into the next. A block is handed out
 * only when the next one has been looked at, since a run may go on there.
 */
#include "work/sieve.h"

#include "base/lanes.h"

#define BLOCK LANES

static inline void look(struct sieve_bits *b, const char *p)
{
	uint64_t letters = lanes_within(p, 'a', 'z') | lanes_within(p, 'A', 'Z');

	b->dash = lanes_is(p, '-');
	b->space = lanes_is(p, ' ');
	b->s = lanes_is(p, 's') | lanes_is(p, 'S');
	b->w = lanes_is(p, 'w') | lanes_is(p, 'W');
	b->mark = lanes_is(p, '=') | lanes_is(p, ':');
	if (lanes_high(p))
		b->mark |=
			lanes_is(p, '\xef') | lanes_is(p, '\xe6') | lanes_is(p, '\xb1');
	b->token = letters | lanes_within(p, '0', '9') | lanes_is(p, '_') | b->dash;
}

static void look_plain(struct sieve_bits *b, const char *p, size_t n)
{
	char some[BLOCK] = {0};

	if (n < BLOCK)
		p = memcpy(some, p, n);
	look(b, p);
}

#ifdef LANES_WIDE
static inline __attribute__((always_inline)) LANES_WIDE uint64_t is(__m512i v, char c)
{
	return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c));
}

static inline __attribute__((always_inline)) LANES_WIDE uint64_t within(__m512i v,
									char low,
									char high)
{
	return _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(low)),
				      _mm512_set1_epi8((char)(high - low)));
}

static LANES_WIDE void look_wide(struct sieve_bits *b, const char *p, size_t n)
{
	__m512i v = _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, (unsigned)n), p);
	__m512i low = _mm512_or_si512(v, _mm512_set1_epi8(0x20));

	b->dash = is(v, '-');
	b->space = is(v, ' ');
	b->s = is(low, 's');
	b->w = is(low, 'w');
	b->mark = is(v, '=') | is(v, ':') | is(v, '\xef') | is(v, '\xe6') | is(v, '\xb1');
	b->token = within(low, 'a', 'z') | within(v, '0', '9') | is(v, '_') | b->dash;
}
#endif

/* The bits of the block at `at`; bytes behind the text count as NUL. */
static inline void look_at(struct sieve_bits *b, str text, size_t at)
{
	size_t n = at < text.n ? text.n - at : 0;

	if (!n)
		*b = (struct sieve_bits){0};
#ifdef LANES_WIDE
	else if (lanes_wide())
		look_wide(b, text.p + at, n < BLOCK ? n : BLOCK);
#endif
	else
		look_plain(b, text.p + at, n < BLOCK ? n : BLOCK);
}

/* bits from k places further on, the missing ones taken from the next block */
static inline uint64_t later(uint64_t bits, uint64_t next, int k)
{
	return bits >> k | next << (BLOCK - k);
}

/*
 * The first 16 - 1 shifts in four steps: after a step of k, bit i says that 2k bits from i
 * on are set. `next` has to take the same steps.
 */
static uint64_t sixteen(uint64_t bits, uint64_t next)
{
	for (int k = 1; k < SIEVE_RUN_MIN; k *= 2) {
		bits &= later(bits, next, k);
		next &= next >> k; /* only its low bits matter, and those are right */
	}
	return bits;
}

static void next_block(struct sieve *v)
{
	struct sieve_bits b = v->ahead;
	uint64_t dash1 = b.dash << 1 | v->dash;
	uint64_t dash2 = b.dash << 2 | v->dash << 1 | v->dash2;

	v->base += BLOCK;
	look_at(&v->ahead, v->text, v->base + BLOCK);
	v->mark =
		b.mark | (b.dash & dash1 & ~dash2) |
		(b.dash & (b.space << 1 | v->space) & ~later(b.dash, v->ahead.dash, 1)) |
		(b.w & (b.s << 1 | v->s));
	v->run = b.token & ~(b.token << 1 | v->token);
	if (v->run)
		v->run &= sixteen(b.token, v->ahead.token);
	v->dash2 = b.dash >> (BLOCK - 2) & 1;
	v->dash = b.dash >> (BLOCK - 1);
	v->space = b.space >> (BLOCK - 1);
	v->s = b.s >> (BLOCK - 1);
	v->token = b.token >> (BLOCK - 1);
}

void sieve_skip(struct sieve *v, size_t at)
{
	str text = v->text;

	*v = (struct sieve){.text = text,
			    .base = at - BLOCK}; /* may wrap: only ever added to */
	look_at(&v->ahead, text, at);
	next_block(v);
}

void sieve_init(struct sieve *v, str text)
{
	v->text = text;
	sieve_skip(v, 0);
}

size_t sieve_next(struct sieve *v, unsigned *what)
{
	while (!(v->mark | v->run)) {
		if (v->base >= v->text.n || v->text.n - v->base <= BLOCK)
			return STR_NPOS;
		next_block(v);
	}
	int at = __builtin_ctzll(v->mark | v->run);
	uint64_t bit = (uint64_t)1 << at;

	*what = (v->mark & bit ? SIEVE_MARK : 0) | (v->run & bit ? SIEVE_RUN : 0);
	v->mark &= ~bit;
	v->run &= ~bit;
	return v->base + (size_t)at;
}
