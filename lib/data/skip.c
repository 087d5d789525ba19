/*
 * The vector kernels look at 64 bytes a step and turn each class of byte into a bit mask,
 * bit i for byte i. Which bytes are escaped follows from the backslash mask by carries
 * alone: subtracting the starts of backslash runs from the odd bit positions flips exactly
 * the bits behind runs of odd length (the method of simdjson's escape scanner). The letters
 * that follow a backslash in ordinary text (n t " \) are checked with masks too; only the
 * rare rest, b f r / and u, is looked at one by one.
 */
#include "data/skip.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

static bool is_hex(char c)
{
	return str_is_digit(c) || (str_lower(c) >= 'a' && str_lower(c) <= 'f');
}

size_t skip_escape(const char *p, const char **bad)
{
	size_t i;

	switch (p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		return 2;
	case 'u':
		for (i = 2; i < 6 && is_hex(p[i]); i++)
			;
		*bad = p + i;
		return i == 6 ? 6 : 0;
	default:
		*bad = p + 1;
		return 0;
	}
}

/* Portable: eight bytes a step up to the first byte of interest. */
static const char *skip_swar(const char *p)
{
	const uint64_t ones = 0x0101010101010101ull, high = ones << 7;
	const char *bad;
	size_t n;

	for (;;) {
		uint64_t v, q, b, l;

		memcpy(&v, p, 8);
		q = v ^ ones * '"';
		b = v ^ ones * '\\';
		l = v ^ ones * '\n';
		/* the high bit of each byte that became zero, and of none before the first such */
		if ((((q - ones) & ~q) | ((b - ones) & ~b) | ((l - ones) & ~l)) & high) {
			while (*p != '"' && *p != '\\' && *p != '\n')
				p++;
			if (*p != '\\')
				return p;
			n = skip_escape(p, &bad);
			if (n == 0)
				return p;
			p += n;
		} else {
			p += 8;
		}
	}
}

#if defined(__x86_64__) || (defined(__aarch64__) && defined(__ARM_NEON))

struct masks {
	uint64_t quote, back, feed;
};

/* The bytes that follow a backslash, given the mask of backslashes and whether the byte before was an active one. */
static inline __attribute__((always_inline)) uint64_t escaped_by(uint64_t back,
								 uint64_t *carry)
{
	const uint64_t odd = 0xaaaaaaaaaaaaaaaaull;
	uint64_t start, code, escaped;

	start = back & ~*carry;
	code = ((start << 1 | odd) - start) ^ odd;
	escaped = code ^ (back | *carry);
	*carry = (code & back) >> 63;
	return escaped;
}

/* Of the escaped bytes in `rare` below the bit `stop`: the backslash of the first illegal escape, or NULL. */
static const char *first_illegal(const char *p, uint64_t rare, uint64_t stop)
{
	const char *bad;

	/* the bits below the first stop; all when there is none */
	for (rare &= stop ? (stop & -stop) - 1 : ~0ull; rare; rare &= rare - 1) {
		const char *esc = p + __builtin_ctzll(rare) - 1;

		if (!skip_escape(esc, &bad))
			return esc;
	}
	return NULL;
}

/*
 * The loop of every vector kernel. CLASSIFY fills the three masks for 64 bytes, LETTERS is
 * the mask of 'n' and 't'. An escaped line feed ends a string like any other, at its
 * backslash.
 */
#define SKIP_LOOP(CLASSIFY, LETTERS)                                                     \
	uint64_t carry = 0;                                                              \
	for (;; p += 64) {                                                               \
		struct masks m;                                                          \
		uint64_t stop, escaped, rare;                                            \
                                                                                         \
		CLASSIFY(p, &m);                                                         \
		if (!(m.back | carry)) {                                                 \
			stop = m.quote | m.feed;                                         \
			if (stop)                                                        \
				return p + __builtin_ctzll(stop);                        \
			continue;                                                        \
		}                                                                        \
		escaped = escaped_by(m.back, &carry);                                    \
		stop = (m.quote & ~escaped) | m.feed;                                    \
		rare = escaped & ~(m.quote | m.back | LETTERS(p));                       \
		if (rare) {                                                              \
			/* the bit of a feed counts as rare: let first_illegal see it */ \
			const char *bad =                                                \
				first_illegal(p, rare, stop & ~(m.feed & escaped));      \
			if (bad)                                                         \
				return bad;                                              \
		}                                                                        \
		if (stop)                                                                \
			return p + __builtin_ctzll(stop);                                \
	}

#endif

#if defined(__x86_64__)

static inline __attribute__((always_inline)) uint64_t sse2_eq(const char *p, char c)
{
	const __m128i want = _mm_set1_epi8(c);
	uint64_t bits = 0;
	int i;

	for (i = 0; i < 4; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));

		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, want))
			<< (16 * i);
	}
	return bits;
}

static inline __attribute__((always_inline)) void sse2_classify(const char *p,
								struct masks *m)
{
	m->quote = sse2_eq(p, '"');
	m->back = sse2_eq(p, '\\');
	m->feed = sse2_eq(p, '\n');
}

#define SSE2_LETTERS(p) (sse2_eq((p), 'n') | sse2_eq((p), 't'))

static const char *skip_sse2(const char *p)
{
	SKIP_LOOP(sse2_classify, SSE2_LETTERS)
}

#define AVX2 __attribute__((target("avx2,bmi")))

static inline AVX2 __attribute__((always_inline)) uint64_t avx2_eq(const char *p, char c)
{
	const __m256i want = _mm256_set1_epi8(c);
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, want)) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, want)) << 32;
}

static inline AVX2 __attribute__((always_inline)) void avx2_classify(const char *p,
								     struct masks *m)
{
	m->quote = avx2_eq(p, '"');
	m->back = avx2_eq(p, '\\');
	m->feed = avx2_eq(p, '\n');
}

#define AVX2_LETTERS(p) (avx2_eq((p), 'n') | avx2_eq((p), 't'))

static AVX2 const char *skip_avx2(const char *p)
{
	SKIP_LOOP(avx2_classify, AVX2_LETTERS)
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

static inline __attribute__((always_inline)) uint64_t neon_eq(const char *p, char c)
{
	static const uint8_t weight[16] = {1, 2, 4, 8, 16, 32, 64, 128,
					   1, 2, 4, 8, 16, 32, 64, 128};
	const uint8x16_t bit = vld1q_u8(weight), want = vdupq_n_u8((uint8_t)c);
	uint8x16_t v[4];
	int i;

	for (i = 0; i < 4; i++)
		v[i] = vandq_u8(vceqq_u8(vld1q_u8((const uint8_t *)p + 16 * i), want),
				bit);
	/* three rounds of pairwise sums gather the weighted bits of 64 bytes in 8 */
	v[0] = vpaddq_u8(vpaddq_u8(v[0], v[1]), vpaddq_u8(v[2], v[3]));
	v[0] = vpaddq_u8(v[0], v[0]);
	return vgetq_lane_u64(vreinterpretq_u64_u8(v[0]), 0);
}

static inline __attribute__((always_inline)) void neon_classify(const char *p,
								struct masks *m)
{
	m->quote = neon_eq(p, '"');
	m->back = neon_eq(p, '\\');
	m->feed = neon_eq(p, '\n');
}

#define NEON_LETTERS(p) (neon_eq((p), 'n') | neon_eq((p), 't'))

static const char *skip_neon(const char *p){SKIP_LOOP(neon_classify, NEON_LETTERS)}

#endif

skip_fn *skip_kernel(enum skip_which k)
{
	switch (k) {
#if defined(__x86_64__)
	case SKIP_AUTO:
		return has_avx2() ? skip_avx2 : skip_sse2;
	case SKIP_SSE2:
		return skip_sse2;
	case SKIP_AVX2:
		return has_avx2() ? skip_avx2 : NULL;
#elif defined(__aarch64__) && defined(__ARM_NEON)
	case SKIP_AUTO:
		return skip_neon;
	case SKIP_NEON:
		return skip_neon;
#else
	case SKIP_AUTO:
		return skip_swar;
#endif
	case SKIP_SWAR:
		return skip_swar;
	default:
		return NULL;
	}
}
