/*
 * skip: run over the inside of a JSON string at memory speed.
 *
 *   skip_fn *skip = skip_kernel(SKIP_AUTO);
 *   q = skip(p);                              p is inside a string, not inside an escape
 *
 * Stops at the first of: the closing quote; a line feed; the backslash of an escape that is
 * illegal or not complete. Everything before it is string content.
 *
 * The caller puts a line feed right behind the bytes it has and sees to it that
 * SKIP_PAD_BYTES more can be read (their values do not matter), so that no kernel has to
 * watch for the end. All kernels give the same answer.
 */
#ifndef DATA_SKIP_H
#define DATA_SKIP_H

#include "base/str.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SKIP_PAD_BYTES 128

typedef const char *skip_fn(const char *p);
/*
 * All strings of n bytes at once, without knowing where they begin: bit i of map (64 to a word,
 * n / 64 + 1 words) is set where a skip may have to stop at p[i]. p[n] is a line feed, and has
 * its bit set.
 */
typedef void skip_map_fn(const char *p, size_t n, uint64_t *map);

enum skip_which {
	SKIP_AUTO,
	SKIP_SWAR,
	SKIP_SSE2,
	SKIP_AVX2,
	SKIP_NEON,
	SKIP_AVX512,
	SKIP_COUNT
};

/* NULL when this processor (or this build) has no such kernel; SKIP_AUTO is never NULL. */
skip_fn *skip_kernel(enum skip_which k);
skip_map_fn *skip_mapper(enum skip_which k);
/*
 * What a kernel answers for p, which is in the bytes at `from` that were mapped, and neither
 * inside nor behind a run of backslashes.
 */
const char *skip_mapped(const char *p, const char *from, const uint64_t *map);
/* The escape at p (a backslash) is legal and complete: its length; else 0, and *bad is the first byte that is wrong. */
size_t skip_escape(const char *p, const char **bad);

/* The closing quote of a string of at most 47 bytes of plain ASCII without escapes at p; else NULL. Inline: most keys. */
static inline const char *skip_plain(const char *p)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');
	const __m128i feed = _mm_set1_epi8('\n');
	int i, bits;

	for (i = 0; i < 3; i++, p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i stop =
			_mm_or_si128(_mm_cmpeq_epi8(v, back), _mm_cmpeq_epi8(v, feed));

		/* v itself stops at other bytes than ASCII: they have the high bit set */
		stop = _mm_or_si128(_mm_or_si128(stop, v), _mm_cmpeq_epi8(v, quote));
		bits = _mm_movemask_epi8(stop);
		if (bits) {
			p += __builtin_ctz((unsigned)bits);
			return *p == '"' ? p : NULL;
		}
	}
	return NULL;
#else
	const char *end = p + 48;

	while (p < end && *p != '"' && *p != '\\' && *p != '\n' && !(*p & 0x80))
		p++;
	return p < end && *p == '"' ? p : NULL;
#endif
}

#endif
