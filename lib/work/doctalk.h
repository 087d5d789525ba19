/*
 * doctalk: the lines of Key Context: what only the session knew.
 *
 * In groups: answers to questions, the user's words in order, errors with their diagnosis
 * and what became of them, what the assistant said (as quotes: claims are no results), what
 * only the compaction summary tells, thoughts. Nothing twice: not a prompt that Goal or
 * Hazards quote, not a sentence that is a diagnosis, not a line of the summary whose words the
 * records hold.
 */
#ifndef WORK_DOCTALK_H
#define WORK_DOCTALK_H

#include "work/doctask.h"

/* After Goal and Hazards, whose quotes are left out here. */
void doctalk_lines(struct doc *d, const struct doctask *t);

#endif
