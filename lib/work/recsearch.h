/*
 * recsearch: find records.
 *
 *   struct recsearch q = {.words = STR("price drop"), .scope_prefix = STR("listing/")};
 *   ret = recsearch_run(&store, &q, fn, arg, &more, &e);
 *
 * With words the index names what fits best (work/recindex), and the files are read; what was
 * changed past our writers is found after a few seconds at the latest. Without words, or with old
 * versions, the files are gone over: the newest first.
 */
#ifndef WORK_RECSEARCH_H
#define WORK_RECSEARCH_H

#include "work/record.h"

#define RECSEARCH_LIMIT     20
#define RECSEARCH_LIMIT_MAX 1000

struct recsearch {
	str words;        /* "": all */
	str scope_prefix; /* the address begins so */
	str tag, agent;   /* "": any */
	double min_confidence;
	bool superseded; /* old versions too */
	size_t limit;    /* 0: RECSEARCH_LIMIT */
};

/*
 * Call fn for each, best first; fn != 0 stops and is returned. *more: how many further ones are
 * known to fit (with the index not all are looked for).
 */
int recsearch_run(const struct record_store *s, const struct recsearch *q,
		  int (*fn)(struct record_view *r, void *arg), void *arg, size_t *more,
		  struct err *e);

#endif
