/*
 * A block of 64 bytes is turned into one word of bits a question ("is it a dash?"); what
 * depends on neighbours (two dashes, sixteen token bytes in a row) is shifts and ands on
 * those words, with the last bits of one block carried into the next. A block is handed out
 * only when the next one has been looked at, since a run may go on there.
 */
#include "work/sieve.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK 64

#ifdef __SSE2__
/* Signed bytes c with lo <= c <= hi as 0xff. */
static inline __m128i between(__m128i c, char lo, char hi)
{
	return _mm_and_si128(_mm_cmpgt_epi8(c, _mm_set1_epi8((char)(lo - 1))),
			     _mm_cmplt_epi8(c, _mm_set1_epi8((char)(hi + 1))));
}

static inline uint64_t bits16(__m128i m, int at)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(m) << at;
}

static struct sieve_bits look(const char *p)
{
	struct sieve_bits b = {0};

	for (int at = 0; at < BLOCK; at += 16) {
		__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
		__m128i low = _mm_or_si128(c, _mm_set1_epi8(0x20));
		__m128i dash = _mm_cmpeq_epi8(c, _mm_set1_epi8('-'));
		__m128i mark = _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8('=')),
					    _mm_cmpeq_epi8(c, _mm_set1_epi8(':')));
		__m128i token =
			_mm_or_si128(between(low, 'a', 'z'), between(c, '0', '9'));

		mark = _mm_or_si128(mark, _mm_cmpeq_epi8(c, _mm_set1_epi8((char)0xef)));
		mark = _mm_or_si128(mark, _mm_cmpeq_epi8(c, _mm_set1_epi8((char)0xe6)));
		mark = _mm_or_si128(mark, _mm_cmpeq_epi8(c, _mm_set1_epi8((char)0xb1)));
		token = _mm_or_si128(token, _mm_cmpeq_epi8(c, _mm_set1_epi8('_')));
		token = _mm_or_si128(token, dash);
		b.mark |= bits16(mark, at);
		b.dash |= bits16(dash, at);
		b.token |= bits16(token, at);
		b.space |= bits16(_mm_cmpeq_epi8(c, _mm_set1_epi8(' ')), at);
		b.s |= bits16(_mm_cmpeq_epi8(low, _mm_set1_epi8('s')), at);
		b.w |= bits16(_mm_cmpeq_epi8(low, _mm_set1_epi8('w')), at);
	}
	return b;
}
#else
static struct sieve_bits look(const char *p)
{
	struct sieve_bits b = {0};

	for (int at = 0; at < BLOCK; at++) {
		unsigned char c = (unsigned char)p[at], low = c | 0x20;
		uint64_t bit = (uint64_t)1 << at;

		if (c == '=' || c == ':' || c == 0xef || c == 0xe6 || c == 0xb1)
			b.mark |= bit;
		if (c == '-')
			b.dash |= bit;
		if (c == ' ')
			b.space |= bit;
		if (low == 's')
			b.s |= bit;
		if (low == 'w')
			b.w |= bit;
		if ((low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
		    c == '-')
			b.token |= bit;
	}
	return b;
}
#endif

static struct sieve_bits look_at(str text, size_t at)
{
	char tail[BLOCK] = {0};

	if (at >= text.n)
		return (struct sieve_bits){0};
	if (text.n - at >= BLOCK)
		return look(text.p + at);
	memcpy(tail, text.p + at, text.n - at);
	return look(tail);
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
	v->ahead = look_at(v->text, v->base + BLOCK);
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
	v->ahead = look_at(text, at);
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
