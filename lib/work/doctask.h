/*
 * doctask: the lines of Goal, Done and Next.
 *
 * Goal quotes the requests: the last real prompt (no filler, no slash command without work),
 * the one before it, the first; an approved plan by its heading; the compaction summary's
 * first section. Done lists records: commits, pushes, edits with their line counts and the
 * names in them, finished todos, what sub-agents reported. Next numbers what is open: calls
 * without a result, the open request, todos, a question nobody answered; then quotes the
 * last words.
 */
#ifndef WORK_DOCTASK_H
#define WORK_DOCTASK_H

#include "work/doc.h"

#define DOCTASK_KILLED_MAX 4

struct doctask {
	const struct fact_prompt *last, *before, *first; /* NULL when there is none */
	const struct fact_prompt *reply; /* the newest "yes" or "2" after last; NULL */
	uint64_t typed; /* record of the newest prompt, whatever it says; 0 */
	bool answered;  /* the last request has its answer, and no call is open */
	const struct fact_call *killed[DOCTASK_KILLED_MAX]; /* when the session ended */
	size_t nkilled;
};

void doctask_find(const struct facts *f, struct doctask *t);
void doctask_goal(struct doc *d, const struct doctask *t, bool roomy);
void doctask_done(struct doc *d);
/* todo: the open and closed tasks, which may be fresher than the facts'. */
void doctask_next(struct doc *d, const struct doctask *t, const struct fact_todo *todo,
		  size_t ntodo);
/* First heading of a markdown text, or none. */
str doctask_heading(str text);
/* Append the title of the document, at most max characters. */
void doctask_title(struct doc *d, const struct doctask *t, size_t max, struct buf *out);

#endif
