/*
 * docsum: the numbered sections of the client's own compaction summary.
 *
 *   size_t at = 0; str line;
 *   while (docsum_next(summary, "pending", "optional", &at, &line)) ...
 *
 * A summary is text by a model: its sections ("1. Primary Request and Intent:", "## 2. ...",
 * "**7. Pending Tasks:**") are found by their titles. Lines come as they stand, blank ones
 * left out; of a title with text behind its colon that text comes first. Ends at the
 * client's own closing words.
 */
#ifndef WORK_DOCSUM_H
#define WORK_DOCSUM_H

#include "base/str.h"

/* Next line of a section whose title begins with one of the (lower case) words; other may be NULL. *at starts at 0. */
bool docsum_next(str summary, const char *word, const char *other, size_t *at, str *line);

#endif
