/*
 * dochazard: the lines of Hazards.
 *
 * Hazards begin with what was stated: the user's own clauses ("never ...", "do not ..."), verbatim,
 * those carried from earlier documents, and what the plan rules out. These must stand, whatever
 * the budget and the focus. Then the state at the end: work that may be half done, checks
 * that failed last, edits that no commit holds, background work without an end, files with
 * secrets, calls that the user stopped, commands that the environment blocks.
 */
#ifndef WORK_DOCHAZARD_H
#define WORK_DOCHAZARD_H

#include "data/gitstate.h"
#include "work/doc.h"

/* More stated hazards than this: the newest are printed, and how many are left out. */
#define DOCHAZARD_STATED_MAX   40
#define DOCHAZARD_STATED_BYTES 6000

void dochazard_stated(struct doc *d, const str *carried, size_t ncarried);
/* git: live state, NULL when it was not read. */
void dochazard_state(struct doc *d, const struct gitstate *git);
/* The call changes nothing (git diff, ls, a search): it can be repeated. */
bool dochazard_only_reads(const struct fact_call *c);
/* Append a call as code, at most max bytes; of a longer list of commands those that change something, one by one. */
void dochazard_call(struct doc *d, struct buf *b, const struct fact_call *c, size_t max);
/* No newer check of the same family. */
bool dochazard_newest(const struct facts *f, const struct fact_command *c);
/* The check's newest run failed, by its status, its counts, or an error in its output. */
bool dochazard_failing(const struct facts *f, const struct fact_command *c);

/* A shell command changed the file, which is the session's, and neither a commit nor git's word came after it. */
bool dochazard_shelled(const struct facts *f, const struct fact_shelled *s);

#endif
