/*
 * The region starts with a header that holds the high-water mark. It lives there and
 * not in struct arena so that a scratch copy and its original agree on which bytes may be
 * dirty: bytes past the mark are fresh from the system and known to be zero.
 */
#include "base/arena.h"
#include "base/oom.h"

#include <assert.h>
#include <sys/mman.h>

/* a multiple of any page size in use; only its first page ever becomes memory */
#define ARENA_HEADER_BYTES (64u << 10)

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

void arena_init(struct arena *a, size_t max_bytes)
{
	void *p;

	*a = (struct arena){NULL, 0, max_bytes, NULL};
	if (max_bytes == 0)
		return;
	if (max_bytes > SIZE_MAX - ARENA_HEADER_BYTES)
		oom();
	p = mmap(NULL, max_bytes + ARENA_HEADER_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		oom();
	a->high = p;
	a->base = (char *)p + ARENA_HEADER_BYTES;
}

void *arena_alloc(struct arena *a, size_t size, size_t align, size_t n)
{
	size_t pad, bytes, dirty;
	char *p;

	/* the region begins on a page, so offsets align as addresses do */
	assert(align && !(align & (align - 1)) && align <= ARENA_HEADER_BYTES);
	pad = -a->used & (align - 1);
	if (!a->base || __builtin_mul_overflow(size, n, &bytes))
		return NULL;
	if (pad > a->max - a->used || bytes > a->max - a->used - pad)
		return NULL;
	p = a->base + a->used + pad;
	a->used += pad + bytes;
	if ((size_t)(p - a->base) < *a->high) {
		dirty = *a->high - (size_t)(p - a->base);
		memset(p, 0, dirty < bytes ? dirty : bytes);
	}
	if (*a->high < a->used)
		*a->high = a->used;
	return p;
}

str arena_str(struct arena *a, str s)
{
	char *p = s.n < SIZE_MAX ? arena_alloc(a, 1, 1, s.n + 1) : NULL;

	if (!p)
		return STR_NONE;
	if (s.n)
		memcpy(p, s.p, s.n);
	return (str){p, s.n};
}

void arena_reset(struct arena *a)
{
	a->used = 0;
	if (!a->base || *a->high <= ARENA_KEEP_BYTES)
		return;
	/* on Linux the pages come back zeroed; elsewhere that is not promised, so the mark stays */
	if (madvise(a->base + ARENA_KEEP_BYTES, *a->high - ARENA_KEEP_BYTES,
		    MADV_DONTNEED) == 0) {
#ifdef __linux__
		*a->high = ARENA_KEEP_BYTES;
#endif
	}
}

void arena_release(struct arena *a)
{
	if (a->base)
		munmap(a->high, a->max + ARENA_HEADER_BYTES);
	*a = (struct arena){NULL, 0, 0, NULL};
}
