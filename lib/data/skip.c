/*
 * The vector kernels look at 64 bytes a step and turn each class of byte into a bit mask,
 * bit i for byte i. Which bytes are escaped follows from the backslash mask by carries
 * alone: subtracting the starts of backslash runs from the odd bit positions flips exactly
 * the bits behind runs of odd length (the method of simdjson's escape scanner). The letters
 * that follow a backslash in ordinary text (n t r " \) are checked with masks too; only the
 * rare rest, b f / and u, is looked at one by one.
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

/* Bytes of v before the first of interest, given the mask with that byte's high bit set. */
static inline size_t swar_before(uint64_t found, const char *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	(void)p;
	return (size_t)__builtin_ctzll(found) / 8;
#else
	size_t n = 0;

	(void)found;
	while (p[n] != '"' && p[n] != '\\' && p[n] != '\n')
		n++;
	return n;
#endif
}

/* Portable: eight bytes a step up to the first byte of interest. */
static const char *skip_swar(const char *p)
{
	const uint64_t ones = 0x0101010101010101ull, high = ones << 7;
	const char *bad;
	size_t n;

	for (;; p += n) {
		uint64_t v, q, b, l, found;

		memcpy(&v, p, 8);
		q = v ^ ones * '"';
		b = v ^ ones * '\\';
		l = v ^ ones * '\n';
		/* the high bit of each byte that became zero; in the lowest such it is never wrong */
		found = (((q - ones) & ~q) | ((b - ones) & ~b) | ((l - ones) & ~l)) &
			high;
		n = 8;
		if (!found)
			continue;
		p += swar_before(found, p);
		if (*p != '\\')
			return p;
		n = skip_escape(p, &bad);
		if (n == 0)
			return p;
	}
}

/* Bytes of interest by their number; the escapes are taken one after the other. */
static void map_swar(const char *p, size_t n, uint64_t *map)
{
	size_t i;

	memset(map, 0, (n / 64 + 1) * sizeof(*map));
	for (i = 0; i <= n; i++) {
		bool stop = p[i] == '"' || p[i] == '\n';

		if (p[i] == '\\' && i < n) {
			i++;
			stop = !memchr("nt\"\\r", p[i], 5);
		}
		map[i / 64] |= (uint64_t)stop << i % 64;
	}
}

const char *skip_mapped(const char *p, const char *from, const uint64_t *map)
{
	const uint64_t *word = map + (size_t)(p - from) / 64;
	uint64_t bits = *word & ~0ull << (size_t)(p - from) % 64;
	const char *q, *back, *bad;

	for (;;) {
		while (!bits)
			bits = *++word;
		q = from + (word - map) * 64 + __builtin_ctzll(bits);
		bits &= bits - 1;
		if (*q == '"')
			return q;
		/* a line feed, or the letter of an escape */
		for (back = q; back > p && back[-1] == '\\';)
			back--;
		if ((q - back) % 2 == 0)
			return q;
		if (!skip_escape(q - 1, &bad))
			return q - 1;
	}
}

#if defined(__x86_64__) || (defined(__aarch64__) && defined(__ARM_NEON))

#define INLINE static inline __attribute__((always_inline))

/*
 * The bytes that follow an active backslash. *carry: the byte before the first one is an
 * active backslash; afterwards the same of the last one.
 */
INLINE uint64_t escaped_by(uint64_t back, uint64_t *carry)
{
	const uint64_t odd = 0xaaaaaaaaaaaaaaaaull;
	uint64_t start, code, escaped;

	start = back & ~*carry;
	code = ((start << 1 | odd) - start) ^ odd;
	escaped = code ^ (back | *carry);
	*carry = (code & back) >> 63;
	return escaped;
}

/* Of the escapes whose letter is in `rare`, below the lowest bit of `stop`: the first illegal one, or NULL. */
static const char *first_illegal(const char *p, uint64_t rare, uint64_t stop)
{
	const char *bad;

	if (stop)
		rare &= (stop & -stop) - 1;
	for (; rare; rare &= rare - 1) {
		const char *esc = p + __builtin_ctzll(rare) - 1;

		if (!skip_escape(esc, &bad))
			return esc;
	}
	return NULL;
}

/*
 * The loop of every vector kernel. STOPS is the mask of quotes and line feeds in the 64
 * bytes at p, BACKS that of backslashes, COMMON that of the letters which follow a
 * backslash most often. An escaped line feed is an illegal escape, and so ends the string
 * at its backslash.
 */
#define SKIP_LOOP(STOPS, BACKS, COMMON)                                                  \
	uint64_t carry = 0;                                                              \
	for (;; p += 64) {                                                               \
		uint64_t stop = STOPS(p), back = BACKS(p);                               \
                                                                                         \
		if (back | carry) {                                                      \
			uint64_t escaped = escaped_by(back, &carry), rare;               \
                                                                                         \
			stop &= ~escaped;                                                \
			rare = escaped & ~COMMON(p);                                     \
			if (rare) {                                                      \
				const char *bad = first_illegal(p, rare, stop);          \
				if (bad)                                                 \
					return bad;                                      \
			}                                                                \
		}                                                                        \
		if (stop)                                                                \
			return p + __builtin_ctzll(stop);                                \
	}

/* The same questions about all bytes; what is escaped by a rare letter is left to skip_mapped. */
#define MAP_LOOP(STOPS, BACKS, COMMON)                                                   \
	uint64_t carry = 0;                                                              \
	for (size_t i = 0; i <= n; i += 64) {                                            \
		uint64_t escaped = escaped_by(BACKS(p + i), &carry);                     \
                                                                                         \
		*map++ = (STOPS(p + i) & ~escaped) | (escaped & ~COMMON(p + i));         \
	}                                                                                \
	map[-1] &= ~0ull >> (63 - n % 64)

#endif

#if defined(__x86_64__)

INLINE __m128i sse2_load(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE __m128i sse2_is(__m128i v, char c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

INLINE __m128i sse2_stop(__m128i v)
{
	return _mm_or_si128(sse2_is(v, '"'), sse2_is(v, '\n'));
}

INLINE __m128i sse2_back(__m128i v)
{
	return sse2_is(v, '\\');
}

INLINE __m128i sse2_common(__m128i v)
{
	return _mm_or_si128(_mm_or_si128(_mm_or_si128(sse2_is(v, 'n'), sse2_is(v, 't')),
					 _mm_or_si128(sse2_is(v, '"'), sse2_is(v, '\\'))),
			    sse2_is(v, 'r'));
}

INLINE uint64_t sse2_bits(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(a) |
	       (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
	       (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 |
	       (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

#define SSE2_BITS(is, p)                                                                 \
	sse2_bits(is(sse2_load(p)), is(sse2_load((p) + 16)), is(sse2_load((p) + 32)),    \
		  is(sse2_load((p) + 48)))
#define SSE2_STOPS(p)  SSE2_BITS(sse2_stop, p)
#define SSE2_BACKS(p)  SSE2_BITS(sse2_back, p)
#define SSE2_COMMON(p) SSE2_BITS(sse2_common, p)

static const char *skip_sse2(const char *p)
{
	SKIP_LOOP(SSE2_STOPS, SSE2_BACKS, SSE2_COMMON)
}

static void map_sse2(const char *p, size_t n, uint64_t *map)
{
	MAP_LOOP(SSE2_STOPS, SSE2_BACKS, SSE2_COMMON);
}

#define AVX2 __attribute__((target("avx2,bmi")))

INLINE AVX2 __m256i avx2_load(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

INLINE AVX2 __m256i avx2_is(__m256i v, char c)
{
	return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}

INLINE AVX2 __m256i avx2_stop(__m256i v)
{
	return _mm256_or_si256(avx2_is(v, '"'), avx2_is(v, '\n'));
}

INLINE AVX2 __m256i avx2_back(__m256i v)
{
	return avx2_is(v, '\\');
}

INLINE AVX2 __m256i avx2_common(__m256i v)
{
	return _mm256_or_si256(
		_mm256_or_si256(_mm256_or_si256(avx2_is(v, 'n'), avx2_is(v, 't')),
				_mm256_or_si256(avx2_is(v, '"'), avx2_is(v, '\\'))),
		avx2_is(v, 'r'));
}

INLINE AVX2 uint64_t avx2_bits(__m256i a, __m256i b)
{
	return (uint32_t)_mm256_movemask_epi8(a) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

#define AVX2_BITS(is, p) avx2_bits(is(avx2_load(p)), is(avx2_load((p) + 32)))
#define AVX2_STOPS(p)    AVX2_BITS(avx2_stop, p)
#define AVX2_BACKS(p)    AVX2_BITS(avx2_back, p)
#define AVX2_COMMON(p)   AVX2_BITS(avx2_common, p)

static AVX2 const char *skip_avx2(const char *p)
{
	SKIP_LOOP(AVX2_STOPS, AVX2_BACKS, AVX2_COMMON)
}

static AVX2 void map_avx2(const char *p, size_t n, uint64_t *map)
{
	MAP_LOOP(AVX2_STOPS, AVX2_BACKS, AVX2_COMMON);
}

/* A comparison gives 64 bits at once. Of the common letters none share their low four bits but r and the quote. */
#define AVX512 __attribute__((target("avx512f,avx512bw,bmi")))

INLINE AVX512 uint64_t avx512_is(__m512i v, char c)
{
	return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c));
}

INLINE AVX512 __m512i avx512_load(const char *p)
{
	return _mm512_loadu_si512((const void *)p);
}

INLINE AVX512 uint64_t avx512_stops(const char *p)
{
	return avx512_is(avx512_load(p), '"') | avx512_is(avx512_load(p), '\n');
}

INLINE AVX512 uint64_t avx512_backs(const char *p)
{
	return avx512_is(avx512_load(p), '\\');
}

INLINE AVX512 uint64_t avx512_common(const char *p)
{
	const __m512i letter = _mm512_broadcast_i32x4(
		_mm_setr_epi8(1, 0, '"', 0, 't', 0, 0, 0, 0, 0, 0, 0, '\\', 0, 'n', 0));
	__m512i v = avx512_load(p);

	return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(letter, v), v) |
	       avx512_is(v, 'r');
}

static AVX512 const char *skip_avx512(const char *p)
{
	SKIP_LOOP(avx512_stops, avx512_backs, avx512_common)
}

static AVX512 void map_avx512(const char *p, size_t n, uint64_t *map)
{
	MAP_LOOP(avx512_stops, avx512_backs, avx512_common);
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi");
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

INLINE uint8x16_t neon_load(const char *p)
{
	return vld1q_u8((const uint8_t *)p);
}

INLINE uint8x16_t neon_is(uint8x16_t v, char c)
{
	return vceqq_u8(v, vdupq_n_u8((uint8_t)c));
}

INLINE uint8x16_t neon_stop(uint8x16_t v)
{
	return vorrq_u8(neon_is(v, '"'), neon_is(v, '\n'));
}

INLINE uint8x16_t neon_back(uint8x16_t v)
{
	return neon_is(v, '\\');
}

INLINE uint8x16_t neon_common(uint8x16_t v)
{
	return vorrq_u8(vorrq_u8(vorrq_u8(neon_is(v, 'n'), neon_is(v, 't')),
				 vorrq_u8(neon_is(v, '"'), neon_is(v, '\\'))),
			neon_is(v, 'r'));
}

/* Each byte of the four is 0 or 255: weigh them with their bit, and add up in pairs, three times. */
INLINE uint64_t neon_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
	static const uint8_t weight[16] = {1, 2, 4, 8, 16, 32, 64, 128,
					   1, 2, 4, 8, 16, 32, 64, 128};
	const uint8x16_t bit = vld1q_u8(weight);

	a = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
	c = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
	a = vpaddq_u8(a, c);
	a = vpaddq_u8(a, a);
	return vgetq_lane_u64(vreinterpretq_u64_u8(a), 0);
}

#define NEON_BITS(is, p)                                                                 \
	neon_bits(is(neon_load(p)), is(neon_load((p) + 16)), is(neon_load((p) + 32)),    \
		  is(neon_load((p) + 48)))
#define NEON_STOPS(p)  NEON_BITS(neon_stop, p)
#define NEON_BACKS(p)  NEON_BITS(neon_back, p)
#define NEON_COMMON(p) NEON_BITS(neon_common, p)

static const char *skip_neon(const char *p)
{
	SKIP_LOOP(NEON_STOPS, NEON_BACKS, NEON_COMMON)
}

static void map_neon(const char *p, size_t n, uint64_t *map)
{
	MAP_LOOP(NEON_STOPS, NEON_BACKS, NEON_COMMON);
}

#endif

struct kernel {
	skip_fn *skip;
	skip_map_fn *map;
};

#define KERNEL(name) ((struct kernel){skip_##name, map_##name})
#define NO_KERNEL    ((struct kernel){NULL, NULL})

static struct kernel kernel(enum skip_which k)
{
	switch (k) {
#if defined(__x86_64__)
	case SKIP_AUTO:
		return has_avx512() ? KERNEL(avx512)
		       : has_avx2() ? KERNEL(avx2)
				    : KERNEL(sse2);
	case SKIP_SSE2:
		return KERNEL(sse2);
	case SKIP_AVX2:
		return has_avx2() ? KERNEL(avx2) : NO_KERNEL;
	case SKIP_AVX512:
		return has_avx512() ? KERNEL(avx512) : NO_KERNEL;
#elif defined(__aarch64__) && defined(__ARM_NEON)
	case SKIP_AUTO:
		return KERNEL(neon);
	case SKIP_NEON:
		return KERNEL(neon);
#else
	case SKIP_AUTO:
		return KERNEL(swar);
#endif
	case SKIP_SWAR:
		return KERNEL(swar);
	default:
		return NO_KERNEL;
	}
}

skip_fn *skip_kernel(enum skip_which k)
{
	return kernel(k).skip;
}

skip_map_fn *skip_mapper(enum skip_which k)
{
	return kernel(k).map;
}
