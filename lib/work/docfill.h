/*
 * docfill: fill a document's budget by value per byte.
 *
 *   docfill_tokens(&d);                        once, when all lines are there
 *   left = docfill_run(&d, room, budget);            marks units as in
 *
 * What must stand goes first, the most valuable first. Then each block takes its best units
 * up to its reserve, so that no kind of content starves; then the best of all that is left,
 * until nothing fits. Best is (value + novelty) per cost, where novelty is what the unit's
 * paths and names add to those already in. A heap holds the units by a cached key: novelty
 * only falls, so a key is checked when it comes up; the cost falls only for the other units of
 * a line whose first one was taken, and those get a new key at once. Ties go by creation.
 */
#ifndef WORK_DOCFILL_H
#define WORK_DOCFILL_H

#include "work/doc.h"

void docfill_tokens(struct doc *d);
/* room in quarter tokens of a whole document of `budget`, which the reserves are shares of; returns what is left (negative when stated hazards alone exceed it). */
int64_t docfill_run(struct doc *d, int64_t room, int64_t budget);
/* Quarter tokens that the stated hazards take: what cannot be left out. */
int64_t docfill_stated(struct doc *d);
/* Take the least valuable unit per cost out again, stated hazards excepted; false when none is left. */
bool docfill_drop(struct doc *d);

#endif
