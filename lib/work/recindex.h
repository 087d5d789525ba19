/*
 * recindex: records in the index, so that a search need not go over their files.
 *
 *   ret = recindex_match(&vault, words, offset, limit, fn, arg, &e);
 *   if (ret < 0) ...go over the files instead...
 *
 * Derived, like all of the index: only names come out of it, what they say is read from the files.
 * Writers leave word of each file (data/recnews), which the next search takes
 * over. What others changed (a person, a sync) is found by looking at all files, every 2 s,
 * or more seldom where that takes long: no more than a fiftieth of the time is spent on it.
 */
#ifndef WORK_RECINDEX_H
#define WORK_RECINDEX_H

#include "data/vault.h"

struct index;

/* Take over what our writers left word of, if it is not much, and nothing else: two looks when there is nothing. */
int recindex_news(const struct vault *v, struct index *ix, struct err *e);
/* Call fn with the path of each record's file, the best first, from offset on; fn != 0 stops and is returned. */
int recindex_match(const struct vault *v, str words, size_t offset, size_t limit,
		   int (*fn)(str rel, void *arg), void *arg, struct err *e);

#endif
