/*
 * print: what the commands share: text to standard output, text from a file or standard input.
 */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "base/buf.h"
#include "base/err.h"
#include "work/recall.h"

/* The whole text, with a newline at its end where it has none. */
int print_text(const struct buf *text, struct err *e);
/* An answer from the index, with what may be missing in it: behind the text, or on standard error where the answer is JSON. */
int print_recalled(const struct recall *r, bool json, struct buf *text, struct err *e);
/* Append a file, or standard input (name NULL or "-"), at most max bytes. */
int print_read(const char *name, size_t max, struct buf *out, struct err *e);

#endif
