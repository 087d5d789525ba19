/*
 * arena: many small things with one end; bump memory up to a limit.
 *
 *   struct arena a;
 *   arena_init(&a, 4 << 20);
 *   struct item *it = arena_new(&a, struct item, 10);     NULL when the arena is full
 *   struct arena scratch = a;                             what scratch takes is forgotten with it
 *   arena_reset(&a);                                      all gone, address space kept
 *   arena_release(&a);
 *
 * The limit is reserved as address space at arena_init and becomes memory page by page as
 * it is used, so an arena that is never filled costs nothing. Memory is zeroed, also where
 * a scratch copy has been. arena_reset gives pages beyond ARENA_KEEP_BYTES back to the system.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdalign.h>
#include "base/str.h"

#define ARENA_KEEP_BYTES (1u << 20)

struct arena {
	char *base;
	size_t used; /* bytes */
	size_t max;  /* bytes */
	size_t *high; /* bytes ever handed out, by any copy: what needs zeroing; in the region */
};

/* Out of address space ends the process. max_bytes 0 is allowed (always full). */
void arena_init(struct arena *a, size_t max_bytes);
/* n zeroed items of `size` bytes, or NULL when they do not fit; overflow counts as not fitting. */
void *arena_alloc(struct arena *a, size_t size, size_t align, size_t n);
/* A copy of s in the arena (NUL-terminated); {NULL,0} when it does not fit. */
str arena_str(struct arena *a, str s);
void arena_reset(struct arena *a);
void arena_release(struct arena *a);

static inline size_t arena_left(const struct arena *a)
{
	return a->max - a->used;
}

#define arena_new(a, type, n) ((type *)arena_alloc((a), sizeof(type), alignof(type), (n)))

#endif
