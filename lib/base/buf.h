/*
 * buf: text that grows up to a limit.
 *
 *   struct buf b = BUF_INIT(64 * 1024);
 *   buf_add(&b, STR("HEAD: "));
 *   buf_printf(&b, "%.*s\n", STR_ARG(sha));
 *   if (b.full)
 *           ...it did not fit; nothing was added after that point...
 *   buf_release(&b);
 *
 * Invariants: b.p[b.n] is NUL once anything was added. An append past the limit changes
 * nothing, sets `full`, and every later append does nothing: look once, at the end.
 * Out of memory ends the process.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include "base/str.h"

struct buf {
	char *p;
	size_t n;   /* bytes used */
	size_t cap; /* bytes allocated */
	size_t max; /* limit on n */
	bool full;  /* an append did not fit */
};

#define BUF_INIT(max_bytes) ((struct buf){NULL, 0, 0, (max_bytes), false})

void buf_fill(struct buf *b, char c, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Decimal, faster than buf_printf. */
void buf_u64(struct buf *b, uint64_t v);
/* Room for n more bytes at the end: a pointer to write to, then add to b->n; NULL (and full) past max. */
char *buf_room(struct buf *b, size_t n);
/* Shorten to n bytes (n <= b->n); clears `full`. */
void buf_cut(struct buf *b, size_t n);
/* Emptied, memory kept, `full` cleared. */
void buf_reset(struct buf *b);
void buf_release(struct buf *b);
/* NUL-terminated view, "" when empty. Valid until the next change. */
const char *buf_cstr(const struct buf *b);
/* Hand the memory over (NUL-terminated, never NULL); the buf is empty afterwards. Free with free(). */
char *buf_take(struct buf *b);

/* s must not point into b. */
static inline void buf_add(struct buf *b, str s)
{
	char *p = b->p;

	if (!b->full && s.n < b->cap - b->n)
		p += b->n;
	else if (!(p = buf_room(b, s.n)))
		return;
	if (s.n)
		memcpy(p, s.p, s.n);
	b->n += s.n;
	p[s.n] = 0;
}

static inline void buf_byte(struct buf *b, char c)
{
	buf_add(b, (str){&c, 1});
}

static inline str buf_str(const struct buf *b)
{
	return (str){b->p, b->n};
}

#endif
