/*
 * recall: the index of a vault, brought up to date, for programs that only ask.
 *
 *   struct recall r;
 *   ret = recall_open(&r, &vault, &(struct recall_options){.project = p}, &e);
 *   if (!ret) ret = brief_render(&out, r.index, ...);
 *   recall_release(&r);                          whatever came back
 *
 * What another program is writing, and what the deadline left over, is asked without: r.left
 * says how many files are not in the answers yet. Nothing in the vault is written.
 */
#ifndef WORK_RECALL_H
#define WORK_RECALL_H

#include "data/index.h"
#include "data/vault.h"

struct recall_options {
	str project;         /* looked at in full; "": none */
	bool all;            /* every project in full */
	int64_t deadline_ns; /* on the monotonic clock; 0: none */
	int busy_ms;         /* how long to wait for another writer of the index */
};

struct recall {
	struct index *index;
	size_t left; /* files that are still to be read; SIZE_MAX: not known, another program is at it */
};

int recall_open(struct recall *r, const struct vault *v, const struct recall_options *o,
		struct err *e);
void recall_release(struct recall *r);
/* Append a line that says what r.left means, with a newline; nothing when it is 0. */
void recall_note(const struct recall *r, struct buf *out);

#endif
