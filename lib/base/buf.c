/*
 * One allocation that doubles, one byte longer than the text so that a NUL always fits.
 * The NUL is kept by the append functions; buf_cstr and buf_take set it once more, because
 * callers of buf_room write past b->n themselves.
 */
#include "base/buf.h"
#include "base/oom.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define BUF_MIN_BYTES 64

char *buf_room(struct buf *b, size_t n)
{
	size_t need, cap;
	char *p;

	if (b->full)
		return NULL;
	if (n > b->max - b->n || n >= SIZE_MAX - b->n) {
		b->full = true;
		return NULL;
	}
	need = b->n + n + 1;
	if (need <= b->cap)
		return b->p + b->n;
	cap = b->cap < BUF_MIN_BYTES ? BUF_MIN_BYTES : b->cap;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	if (cap - 1 > b->max)
		cap = b->max + 1; /* need - 1 <= max, so this is still enough */
	p = realloc(b->p, cap);
	if (!p)
		oom();
	b->p = p;
	b->cap = cap;
	return p + b->n;
}

void buf_fill(struct buf *b, char c, size_t n)
{
	char *p = buf_room(b, n);

	if (!p)
		return;
	memset(p, c, n);
	b->n += n;
	b->p[b->n] = 0;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = b->cap - b->n; /* with the NUL; 0 only while nothing is allocated */
	va_list again;
	char *p;
	int n;

	if (b->full)
		return;
	va_copy(again, ap);
	n = vsnprintf(b->p ? b->p + b->n : NULL, b->p ? room : 0, fmt, ap);
	if (n >= 0 && (!b->p || (size_t)n >= room)) {
		p = buf_room(b, (size_t)n);
		if (p)
			n = vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n < 0)
		b->full = true; /* longer than an int can say */
	if (!b->full)
		b->n += (size_t)n;
	if (b->p)
		b->p[b->n] = 0;
}

void buf_u64(struct buf *b, uint64_t v)
{
	char digits[20];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	buf_add(b, (str){digits + at, sizeof digits - at});
}

void buf_cut(struct buf *b, size_t n)
{
	assert(n <= b->n);
	b->n = n;
	b->full = false;
	if (b->p)
		b->p[n] = 0;
}

void buf_reset(struct buf *b)
{
	buf_cut(b, 0);
}

void buf_release(struct buf *b)
{
	free(b->p);
	*b = BUF_INIT(b->max);
}

const char *buf_cstr(const struct buf *b)
{
	if (!b->p)
		return "";
	b->p[b->n] = 0;
	return b->p;
}

char *buf_take(struct buf *b)
{
	char *p = b->p;

	if (p)
		p[b->n] = 0;
	else
		p = str_dup(STR_NONE);
	*b = BUF_INIT(b->max);
	return p;
}
