/*
 * chain: how the entries of one record hang together: which versions are current, what is
 * believed of them, where two machines wrote side by side.
 *
 *   struct chain c;
 *   chain_of(&c, &lineage);
 *   ... c.nheads == 1: c.state is the record's state ...
 *   chain_release(&c);
 *
 * A version is superseded by one that names its chain hash as parent; what no one names is a
 * head. Several heads: the record is *contested*. A sealed line that no other names as `prev` is
 * a tip; the next entry names all tips, and so joins what was apart. The entry of a line that stands
 * in the file twice (a merge kept both copies) counts once, and one that lacks a part not at all.
 *
 * A version may be *gone*: taken out of the file, or lost, while a later one names it as parent.
 * Then nobody names what came before it either. Such an end is no head, as long as it may be the
 * one before what is gone: it is older than that, and there are no more of them than are gone.
 */
#ifndef WORK_CHAIN_H
#define WORK_CHAIN_H

#include "data/lineage.h"

#define CHAIN_HASH_BYTES 65

struct chain {
	const struct lineage *l;
	size_t heads
		[LINEAGE_PARENTS_MAX]; /* entries, the newest version first, then by hash */
	size_t nheads;                 /* may be more than are kept */
	size_t tips[LINEAGE_PARENTS_MAX];
	size_t ntips;
	size_t gone;   /* versions that are named as parents and are not there */
	uint64_t last; /* the highest version number */
	struct lineage_state state; /* of the first head */
	bool *twice;                /* for each entry: a copy of one before it */
};

void chain_of(struct chain *c, const struct lineage *l);
void chain_release(struct chain *c);
/* Confidence and counts of version entry v by the reports that stand before entry `until` (n for all), in the order of the file. */
void chain_replay(const struct chain *c, size_t v, size_t until, struct lineage_state *s);
/* The same step for one report: s becomes what it is after `kind`. */
void chain_step(struct lineage_state *s, str kind);
/* Numbers below `last` that no version has, in runs. */
void chain_missing(const struct chain *c,
		   void (*fn)(uint64_t first, uint64_t last, void *arg), void *arg);
/* Index of the version with this chain hash, STR_NPOS when there is none. */
size_t chain_find(const struct chain *c, str hash);

/* SHA-256 of content and the parents' chain hashes, which are sorted first. */
void chain_hash(str content, const str *parents, size_t n, char out[CHAIN_HASH_BYTES]);
/* SHA-256 of the canonical body; value is JSON text, tags a JSON array or empty. HF_EFORMAT when value or tags are no JSON. */
int chain_content(str scope, str key, uint64_t version, str value, str agent, str at,
		  str tags, char out[CHAIN_HASH_BYTES], struct err *e);

#endif
