/*
 * recall: the index of a vault, brought up to date, for programs that only ask.
 *
 *   struct recall r;
 *   ret = recall_open(&r, &vault, &(struct recall_options){.project = p}, &e);
 *   if (!ret)
 *           do
 *                   ret = brief_render(&out, r.index, ...);
 *           while (recall_again(&r, &ret, &e));
 *   recall_release(&r);                          whatever came back
 *
 * What another program is writing, and what the deadline left over, is asked without: r.left
 * says how many files are not in the answers yet. What may not be read is answered from what is
 * known of it, and told (recall_note). Nothing in the vault is written.
 */
#ifndef WORK_RECALL_H
#define WORK_RECALL_H

#include "work/reindex.h"

struct recall_options {
	str project;         /* looked at in full; "": none */
	bool all;            /* every project in full */
	int64_t deadline_ns; /* on the monotonic clock; 0: none */
	int busy_ms;         /* how long to wait for another writer of the index */
};

#define RECALL_NOTE_MAX 1024

struct recall {
	struct index *index;
	char hidden[REINDEX_HIDDEN_BYTES]; /* of struct reindex */
	size_t left; /* files that are still to be read; SIZE_MAX: not known, another program is at it */
	struct reindex_options o; /* private */
	bool again;
};

int recall_open(struct recall *r, const struct vault *v, const struct recall_options *o,
		struct err *e);
/*
 * After a question: true, once, when it met damage in the index, which has been read anew then: ask
 * again, from the beginning. *ret is 0 then, and e empty (may be NULL). False: both stand.
 */
bool recall_again(struct recall *r, const struct vault *v, int *ret, struct err *e);
void recall_release(struct recall *r);
/*
 * Append a line for each thing that may be missing in the answers, with a newline: what r.left means,
 * an index that lies in no file, what could not be read. Nothing when all is well. At most
 * RECALL_NOTE_MAX bytes.
 */
void recall_note(const struct recall *r, struct buf *out);
/* Append where a file lies, from the vault on: tollgate/sessions/s_20260212T182002_7c1e42.md. */
void recall_place(const struct index_file *f, struct buf *out);
/* The second of them, for who has an index of its own. hidden: of struct reindex. project "": all. */
void recall_unread(struct index *ix, str project, const char *hidden, struct buf *out);

#endif
