/*
 * Items are collected in o->b and written when half of it is used. After a failure the
 * buffer is only emptied, so callers need not ask; o->err keeps the first reason.
 */
#include "base/out.h"
#include "base/fs.h"

void out_init(struct out *o, int fd, const char *name)
{
	*o = (struct out){.fd = fd, .name = name, .b = BUF_INIT(OUT_ITEM_MAX_BYTES)};
}

void out_init_sink(struct out *o, const char *name, void (*sink)(void *arg, str s),
		   void *arg)
{
	out_init(o, -1, name);
	o->sink = sink;
	o->sink_arg = arg;
}

static void put(struct out *o, str s)
{
	if (out_failed(o) || !s.n)
		return;
	if (o->sink)
		o->sink(o->sink_arg, s);
	else
		fs_write_all(o->fd, s, o->name, &o->err);
}

static void out_flush(struct out *o)
{
	if (o->b.full)
		err_set(&o->err, HF_ELIMIT, "%s: one item is over %u bytes", o->name,
			OUT_ITEM_MAX_BYTES);
	put(o, buf_str(&o->b));
	if (o->b.cap > 4 * OUT_BUFFER_BYTES) /* one large item must not stay for good */
		buf_release(&o->b);
	else
		buf_reset(&o->b);
}

void out_add(struct out *o, str s)
{
	if (s.n >= OUT_BUFFER_BYTES / 2) {
		out_flush(o);
		put(o, s);
		return;
	}
	buf_add(&o->b, s);
	out_step(o);
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&o->b, fmt, ap);
	va_end(ap);
	out_step(o);
}

void out_step(struct out *o)
{
	if (o->b.full || o->b.n > OUT_BUFFER_BYTES / 2)
		out_flush(o);
}

bool out_failed(const struct out *o)
{
	return o->err.code != 0;
}

int out_end(struct out *o, struct err *e)
{
	out_flush(o);
	buf_release(&o->b);
	if (!out_failed(o))
		return 0;
	return err_set(e, o->err.code, "%s", o->err.msg);
}
