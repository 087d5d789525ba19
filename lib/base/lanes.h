/*
 * lanes: questions about 64 bytes at once, answered with one bit a byte.
 *
 *   uint64_t quotes = lanes_is(p, '"');            bit i: p[i] is a quote
 *   uint64_t digits = lanes_within(p, '0', '9');
 *   n = lanes_before(quotes);                      bytes before the first one, 64 if none
 *
 * Inline functions; LANES bytes at p must be readable, aligned or not. SSE2 where the
 * compiler has it, plain words elsewhere, the same answers everywhere. Several questions
 * about the same bytes share their loads.
 *
 * Modules that have a faster way for processors with AVX-512 (and its byte shuffles: VBMI2)
 * mark it LANES_WIDE and ask lanes_wide() before they take it; results are the same.
 */
#ifndef BASE_LANES_H
#define BASE_LANES_H

#include "base/str.h"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LANES 64

#if defined(__x86_64__)
#define LANES_WIDE                                                                       \
	__attribute__((target(                                                           \
		"avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))
#endif

/* This processor has what LANES_WIDE takes. */
extern signed char lanes_wide_known; /* -1: not looked yet */
bool lanes_wide_look(void);
static inline bool lanes_wide(void)
{
	return lanes_wide_known < 0 ? lanes_wide_look() : lanes_wide_known;
}
/* For tests: whether to use it from now on; false when this processor has none. */
bool lanes_wide_use(bool on);

static inline size_t lanes_before(uint64_t bits)
{
	return bits ? (size_t)__builtin_ctzll(bits) : LANES;
}

/* The lowest n bits, n up to 64. */
static inline uint64_t lanes_first(size_t n)
{
	return n < LANES ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

#if defined(__SSE2__)

static inline __m128i lanes_load(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint64_t lanes_pack(__m128i v, int at)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << at;
}

static inline uint64_t lanes_is(const char *p, char c)
{
	__m128i want = _mm_set1_epi8(c);
	uint64_t bits = 0;

#pragma GCC unroll 4
	for (int at = 0; at < LANES; at += 16)
		bits |= lanes_pack(_mm_cmpeq_epi8(lanes_load(p + at), want), at);
	return bits;
}

static inline uint64_t lanes_within(const char *p, unsigned char low, unsigned char high)
{
	__m128i from = _mm_set1_epi8((char)low);
	__m128i most = _mm_set1_epi8((char)(high - low));
	uint64_t bits = 0;

#pragma GCC unroll 4
	for (int at = 0; at < LANES; at += 16) {
		__m128i v = _mm_sub_epi8(lanes_load(p + at), from);

		bits |= lanes_pack(_mm_cmpeq_epi8(_mm_min_epu8(v, most), v), at);
	}
	return bits;
}

/* Bytes of 0x80 and above. */
static inline uint64_t lanes_high(const char *p)
{
	uint64_t bits = 0;

#pragma GCC unroll 4
	for (int at = 0; at < LANES; at += 16)
		bits |= lanes_pack(lanes_load(p + at), at);
	return bits;
}

/* Copy 16 bytes. */
static inline void lanes_copy(char *to, const char *from)
{
	_mm_storeu_si128((__m128i *)(void *)to, lanes_load(from));
}

#else

/* The high bit of each byte of v, as eight bits. */
static inline uint64_t lanes_pack(uint64_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return (v >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

static inline uint64_t lanes_load(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* High bits of the bytes of v that are at least n, which is 1 to 128; those of v are ASCII. */
static inline uint64_t lanes_least(uint64_t v, unsigned n)
{
	return v + 0x0101010101010101u * (128 - n);
}

static inline uint64_t lanes_within(const char *p, unsigned char low, unsigned char high)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t bits = 0, top = low & 0x80 ? tops : 0;

	/* a range is below 0x80 or above: then seven bits decide */
	if ((low ^ high) & 0x80)
		return lanes_within(p, low, 0x7f) | lanes_within(p, 0x80, high);
#pragma GCC unroll 8
	for (int at = 0; at < LANES; at += 8) {
		uint64_t v = lanes_load(p + at), seven = v & ~tops, in = ~(v ^ top);

		if (low & 0x7f)
			in &= lanes_least(seven, low & 0x7fu);
		in &= ~lanes_least(seven, (high & 0x7fu) + 1);
		bits |= lanes_pack(in & tops) << at;
	}
	return bits;
}

static inline uint64_t lanes_is(const char *p, char c)
{
	return lanes_within(p, (unsigned char)c, (unsigned char)c);
}

static inline uint64_t lanes_high(const char *p)
{
	uint64_t bits = 0;

#pragma GCC unroll 8
	for (int at = 0; at < LANES; at += 8)
		bits |= lanes_pack(lanes_load(p + at)) << at;
	return bits;
}

static inline void lanes_copy(char *to, const char *from)
{
	char both[16];

	memcpy(both, from, sizeof(both));
	memcpy(to, both, sizeof(both));
}

#endif
#endif
