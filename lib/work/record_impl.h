/*
 * record_impl: what the parts of record share: the end of a file, to read on from or append to.
 */
#ifndef WORK_RECORD_IMPL_H
#define WORK_RECORD_IMPL_H

#include "data/shelf.h"
#include "work/record.h"

struct record_end {
	bool exists;
	uint64_t size; /* of the file */
	bool newline;  /* it ends in one (or is empty) */
	bool torn, open_fence;
	uint64_t last; /* highest version, 0: none */
	char head[LINEAGE_PARENTS_MAX][CHAIN_HASH_BYTES];
	size_t nheads;
	char tip[LINEAGE_PARENTS_MAX][CHAIN_HASH_BYTES];
	size_t ntips;
	struct lineage_state state; /* its chain is head[0] */
};

int record_find_end(const struct record_store *s, str rel, struct record_end *end,
		    struct err *e);
/* Append what stands between the old end of the file and the next block. */
void record_add_start(struct buf *b, const struct record_end *end,
		      const struct address *a);
/* Name tips as what comes before. */
void record_set_prev(struct lineage_entry *v, const struct record_end *end);
const char *record_agent(const struct record_store *s);

#endif
