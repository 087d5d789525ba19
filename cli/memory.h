/*
 * memory: what the commands on the memory share: the store of where they are run.
 */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "args.h"
#include "work/store.h"

/* The session is the one named, else that of the client above, else one of this terminal. s is to be released whatever comes back. */
int memory_open(struct store *s, const struct args *a, struct err *e);
/* Append the operands from `first` on, a blank between; "-" alone is standard input. */
int memory_text(const struct args *a, int first, size_t max, struct buf *out,
		struct err *e);
/* `"key":"value"`, with what a reader must not see taken out. */
void memory_json(struct buf *out, const char *key, str value);

#endif
