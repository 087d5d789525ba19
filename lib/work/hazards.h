/*
 * hazards: the stated hazards of the current line of work, and how one of them ends.
 *
 *   hazards_show(&scope, false, &out, &e);                         numbered from 1
 *   hazards_retire(&scope, 2, STR("it is deployed"), &done, &e);
 *
 * They are those of the session's own document and of the one it claimed; without either,
 * those of the newest document of the work tree. A retired one stays in its document as
 * "- Retired DATE (REASON): User: ...", so that it can be seen who let it go and why; it is
 * carried no further. Every document that is not archived and states it is changed, under
 * one lock. A document that is made or written again keeps its retired lines so
 * (hazards_keep_retired), whether its session's transcript still states them or not.
 */
#ifndef WORK_HAZARDS_H
#define WORK_HAZARDS_H

#include "work/carry.h"

#define HAZARDS_REASON_MAX 300 /* bytes */

struct hazards_done {
	char *line;       /* the hazard, as it stood */
	size_t documents; /* that were changed */
};

/* Nothing is appended for none, unless json: {"document":"...","hazards":["..."]} */
int hazards_show(const struct scope *s, bool json, struct buf *out, struct err *e);
/* HF_ENOTFOUND: there is no such number. done->line is the caller's to free. */
int hazards_retire(struct scope *s, uint64_t number, str reason,
		   struct hazards_done *done, struct err *e);

/*
 * Append text, a document made again, with the hazards that `old`, the one it replaces, has
 * as retired: in their places, those that text does not state at the end of its Hazards.
 */
void hazards_keep_retired(struct buf *out, str text, str old);
/* Some hazard is retired in this document. */
bool hazards_retires(str old);

#endif
