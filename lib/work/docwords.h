/*
 * docwords: which of a prompt's words are the user's orders.
 *
 *   docwords_constraint(STR("ok but never push"))    3
 *   docwords_typed(&out, prompt)                     how many lines were pasted
 *
 * Adds to prose_constraint: lead-ins before a constraint ("ok but never ..."), sentences
 * that begin like one and are none ("no, then it's good"), and lines that were pasted from a
 * log, which are nobody's words.
 */
#ifndef WORK_DOCWORDS_H
#define WORK_DOCWORDS_H

#include "base/buf.h"

/* "keep going", "retry": asks for what was asked before. */
bool docwords_goes_on(str text);
/* "2", "a and c", "option 2", "the first one", "no": takes something up, and says nothing alone. */
bool docwords_picks(str text);
/* A slash command that only steers the client ("/clear"). */
bool docwords_is_client_command(str text);
/* A command to run a script, and no other word: "python lamp.py --dim". */
bool docwords_runs(str text);
/* The client's own markup ("<ci-monitor-event>..."), whatever the record said it was. */
bool docwords_is_markup(str text);
/* As prose_constraint: 0 none, 1 weak, 2 inside, 3 at the head. */
int docwords_constraint(str clause);
/*
 * Append text without its pasted lines: four lines or more of one shape that has three
 * digits in its first twelve bytes (times, addresses); between others a line of "…" stands for them.
 * Returns how many were left out.
 */
size_t docwords_typed(struct buf *out, str text);

#endif
