/*
 * tree: which records of a session count: forks, rewinds, phantom parents, the live branch.
 *
 *   struct tree *t = tree_new();
 *   tree_add(t, rec);                        for each record, in file order
 *   tree_finish(t);
 *   if (tree_abandoned(t, rec_number)) ...   left behind by a rewind
 *   tree_free(t);
 *
 * The live branch goes from the last main-chain user or assistant record up its parents; a
 * missing parent, a null parent in the middle and a compaction boundary continue at
 * logicalParentUuid, else at the record before it in the file. A closing last-prompt record
 * whose leafUuid leaves a human prompt out tells of a rewind after which nothing was asked:
 * then that leaf is the live one. Records off the live branch are abandoned only at or below an
 * off-chain human prompt: parallel tool results and the open call of a killed and resumed
 * session, which are side leaves, are not; nor are slash commands. (reference: transcripts,
 * 3.5.) Order in the file does not matter: an answer may stand before its question.
 *
 * Limit: the newest TREE_RECORDS_MAX records that have a uuid are kept; older ones are never
 * called abandoned, and t->forgotten counts them.
 */
#ifndef WORK_TREE_H
#define WORK_TREE_H

#include "data/transcript.h"

#define TREE_RECORDS_MAX (1u << 17)

struct tree {
	uint64_t forgotten;
	uint64_t leaf;     /* record number of the live leaf, 0 = none */
	uint64_t branches; /* abandoned branches (their first prompts) */
	uint64_t phantoms; /* parents that are not in the file */
	struct tree_state *st;
};

struct tree *tree_new(void);
/* Duplicates and records without a uuid are passed over. */
void tree_add(struct tree *t, const struct record *r);
/* Decides; call once, after the last tree_add. */
void tree_finish(struct tree *t);
bool tree_abandoned(const struct tree *t, uint64_t record);
/* The record is on the live branch itself (side leaves are not). */
bool tree_live(const struct tree *t, uint64_t record);
/* The i-th abandoned range of record numbers, in order; false past the last. */
bool tree_range(const struct tree *t, size_t i, uint64_t *first, uint64_t *last);
/* Of the records kept, one has this uuid (its transcript_hash). */
bool tree_has(const struct tree *t, uint64_t uuid_hash);
void tree_free(struct tree *t);

#endif
