/*
 * pack_current: decoders of formats before zstd 0.8 (2016), defined as refusals.
 *
 * The static archive of zstd reads frames of versions 0.5 to 0.7 too, which no .zst file of a
 * client or of ours has been in, and which RFC 8878 does not know. Their functions are
 * defined here; the linker then leaves the decoders out. A frame of those formats is an error.
 * Names and parameters as in zstd 1.5, lib/legacy. Linked statically only; a shared zstd
 * brings its own.
 */
#include <stddef.h>

#define REFUSED ((size_t)-1) /* ZSTD_error_GENERIC, as ZSTD_isError knows it */

/* pack.c refers to this, so that the linker takes this object before zstd's own. */
int pack_current(void);

int pack_current(void)
{
	return 0;
}

/* Whatever the parameters of those that return a size: none is looked at. */
#define OLD_VERSION(v)                                                                   \
	void *ZSTDv##v##_createDCtx(void);                                               \
	size_t ZSTDv##v##_freeDCtx(void);                                                \
	size_t ZSTDv##v##_decompress_usingDict(void);                                    \
	size_t ZSTDv##v##_getFrameParams(void);                                          \
	void ZSTDv##v##_findFrameSizeInfoLegacy(const void *src, size_t n, size_t *size, \
						unsigned long long *bound);              \
	void *ZBUFFv##v##_createDCtx(void);                                              \
	size_t ZBUFFv##v##_freeDCtx(void);                                               \
	size_t ZBUFFv##v##_decompressInitDictionary(void);                               \
	size_t ZBUFFv##v##_decompressContinue(void);                                     \
	void *ZSTDv##v##_createDCtx(void)                                                \
	{                                                                                \
		return NULL;                                                             \
	}                                                                                \
	size_t ZSTDv##v##_freeDCtx(void)                                                 \
	{                                                                                \
		return 0;                                                                \
	}                                                                                \
	size_t ZSTDv##v##_decompress_usingDict(void)                                     \
	{                                                                                \
		return REFUSED;                                                          \
	}                                                                                \
	size_t ZSTDv##v##_getFrameParams(void)                                           \
	{                                                                                \
		return REFUSED;                                                          \
	}                                                                                \
	void ZSTDv##v##_findFrameSizeInfoLegacy(const void *src, size_t n, size_t *size, \
						unsigned long long *bound)               \
	{                                                                                \
		(void)src;                                                               \
		(void)n;                                                                 \
		*size = REFUSED;                                                         \
		*bound = (unsigned long long)-2; /* ZSTD_CONTENTSIZE_ERROR */            \
	}                                                                                \
	void *ZBUFFv##v##_createDCtx(void)                                               \
	{                                                                                \
		return NULL;                                                             \
	}                                                                                \
	size_t ZBUFFv##v##_freeDCtx(void)                                                \
	{                                                                                \
		return 0;                                                                \
	}                                                                                \
	size_t ZBUFFv##v##_decompressInitDictionary(void)                                \
	{                                                                                \
		return REFUSED;                                                          \
	}                                                                                \
	size_t ZBUFFv##v##_decompressContinue(void)                                      \
	{                                                                                \
		return REFUSED;                                                          \
	}

OLD_VERSION(05)
OLD_VERSION(06)
OLD_VERSION(07)
