/*
 * docsum: the numbered sections of the client's own compaction summary.
 *
 *   struct docsum s;
 *   docsum_init(&s, summary, "pending", "optional");
 *   while (docsum_next(&s, &line)) ...
 *
 * A summary is text by a model: its sections ("1. Primary Request and Intent:", "## 2. ...",
 * "**7. Pending Tasks:**") are found by their titles. Lines come as they stand, blank ones
 * left out; of a title with text behind its colon that text comes first. Ends at the
 * client's own closing words.
 */
#ifndef WORK_DOCSUM_H
#define WORK_DOCSUM_H

#include "base/str.h"

struct docsum {
	str rest;
	const char *word, *other;
	bool on; /* inside a wanted section */
};

/* Sections whose title begins with one of the (lower case) words; other may be NULL. */
void docsum_init(struct docsum *s, str summary, const char *word, const char *other);
bool docsum_next(struct docsum *s, str *line);

#endif
