/*
 * docwords: what a prompt's words are, beyond English: a filler, a constraint, a paste.
 *
 *   docwords_is_filler(STR("да, продолжай"))               true
 *   docwords_constraint(STR("Bitte nichts committen ...")) 3
 *
 * Adds to prose: fillers and prohibitions of other languages by word list, lead-ins before a
 * constraint ("ok but never ..."), and lines that were pasted from a log, which are nobody's
 * words. Word lists are no grammar: what they miss is still quoted as the user's words, it
 * only does not stand as a hazard.
 */
#ifndef WORK_DOCWORDS_H
#define WORK_DOCWORDS_H

#include "base/buf.h"

/* Nothing but "yes, go on, thanks", thumbs and the like, in at most six words. */
bool docwords_is_filler(str s);
/* As prose_constraint: 0 none, 1 weak, 2 inside, 3 at the head. */
int docwords_constraint(str clause);
/*
 * Append text without its pasted lines: four lines or more of one shape that has three
 * digits in its first twelve bytes (times, addresses). Returns how many were left out.
 */
size_t docwords_typed(struct buf *out, str text);

#endif
