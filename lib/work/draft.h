/*
 * draft: what a model needs to write the handoff document of its session.
 *
 *   draft_show(&scope, git_ms, &out);
 *
 * Environment, lineage, stated hazards to keep word for word, what is known of the session
 * so far, and the format. At most DRAFT_UNITS UTF-16 units, what cannot be left out first: the
 * client shows no more of a command in a skill. Never fails: what cannot be read is said.
 */
#ifndef WORK_DRAFT_H
#define WORK_DRAFT_H

#include "work/scope.h"

#define DRAFT_UNITS 24000

void draft_show(const struct scope *s, int64_t git_ms, struct buf *out);

#endif
