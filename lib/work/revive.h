/*
 * revive: the beginning of a recovery, as one text for a model.
 *
 *   revive_show(&opt, words, nwords, &out);
 *
 * The words are what the user typed behind /recover: the first is a session if it resolves to
 * one (catalog_is_session), all others are a focus; without a session it is the most recent
 * dead one of the project. Printed: which session, how it ended and how to read on; the end of
 * its index; its document. At most REVIVE_UNITS UTF-16 units. Never fails: what went wrong
 * is the text, with the sessions there are.
 */
#ifndef WORK_REVIVE_H
#define WORK_REVIVE_H

#include "base/buf.h"

#define REVIVE_UNITS 24500

struct revive_options {
	const char *claude_dir; /* NULL: from the environment */
	const char *dir;        /* the project's directory */
	const char *
		current; /* id of the session that asks: never the dead one; may be NULL */
	uint64_t budget; /* tokens of the document; 0 = default */
	int64_t git_ms;
};

/*
 * The words of a text as somebody typed it: cut at white space, quotes around a word or
 * around several taken off. Nothing else means anything; an apostrophe is one. Returns how many,
 * at most max; the caller frees each.
 */
int revive_words(str text, char **word, int max);
void revive_show(const struct revive_options *o, char *const *word, int nwords,
		 struct buf *out);

#endif
