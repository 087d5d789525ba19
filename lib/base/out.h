/*
 * out: buffered output to a descriptor that remembers its first failure.
 *
 *   struct out o;
 *   out_init(&o, STDOUT_FILENO, "standard output");
 *   out_add(&o, STR("..."));
 *   if (out_end(&o, &e) < 0) ...              flush; the first failure of any write
 *
 * After a failure nothing more is written, so a full disk or a closed pipe is reported once.
 * For a closed pipe to be a failure and not the end, the program ignores SIGPIPE.
 * Limit: what is appended to o->b between two steps stays within OUT_ITEM_MAX_BYTES.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include "base/buf.h"
#include "base/err.h"

#define OUT_BUFFER_BYTES   (64u << 10)
#define OUT_ITEM_MAX_BYTES (256u << 20)

struct out {
	int fd;
	void (*sink)(void *arg, str s); /* NULL, or where bytes go instead of fd */
	void *sink_arg;
	const char *name; /* for messages, borrowed */
	struct buf b;
	struct err err;
};

void out_init(struct out *o, int fd, const char *name);
/* The same into a function of the caller's, which gets all bytes in order, in pieces of any size. */
void out_init_sink(struct out *o, const char *name, void (*sink)(void *arg, str s),
		   void *arg);
void out_add(struct out *o, str s);
void out_printf(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Write out what is in o->b when it is over half full; call between items after appending to o->b directly. */
void out_step(struct out *o);
bool out_failed(const struct out *o);
/* Flush, release the buffer, report the first failure: 0, HF_EPIPE, HF_EIO, HF_ELIMIT. Does not close fd. */
int out_end(struct out *o, struct err *e);

#endif
