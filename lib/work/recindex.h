/*
 * recindex: records in the index, so that a search need not go over their files.
 *
 *   ret = recindex_match(&vault, words, fn, arg, &e);
 *   if (ret < 0) ...go over the files instead...
 *
 * Derived, like all of the index: only names come out of it, what they say is read from the files.
 * Writers leave word of each file (data/recnews), which the next search takes
 * over. What others changed (a person, a sync) is found by looking at all files, every 2 s,
 * or more seldom where that takes long: no more than a fiftieth of the time is spent on it.
 *
 * Nobody waits for another process that writes the index, but for RECINDEX_BUSY_MS.
 */
#ifndef WORK_RECINDEX_H
#define WORK_RECINDEX_H

#include "data/vault.h"

#define RECINDEX_BUSY_MS 50

struct index;

/* An index that stays open between searches, for who asks often: its pages and statements are at hand. Zeroed at first. */
struct recindex {
	struct index *ix;
	char *root; /* of the vault that it is of */
};

void recindex_release(struct recindex *k);

/* Take over what our writers left word of, if it is not much, and nothing else: two looks when there is nothing. */
int recindex_news(const struct vault *v, struct index *ix, struct err *e);
/*
 * Take over all that changed, as a search does: the first time every record is read, some 25 us
 * each. HF_ETIME: another process writes, and what is in the index is not all.
 */
int recindex_refresh(const struct vault *v, struct index *ix, struct err *e);

/* A record that fits, best first: its address, and its confidence in percent. */
typedef int recindex_fn(str address, int percent, void *arg);
/*
 * Refresh, then call fn for each record in which a word occurs; fn != 0 stops and is returned.
 * HF_ETIME as above; HF_E* of the index. Then nothing was given. kept may be NULL.
 */
int recindex_match(const struct vault *v, struct recindex *kept, str words,
		   recindex_fn *fn, void *arg, struct err *e);

#endif
