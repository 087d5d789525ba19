/*
 * keep_impl: what the files of keep share; nobody else includes it.
 */
#ifndef WORK_KEEP_IMPL_H
#define WORK_KEEP_IMPL_H

#include "base/clock.h"
#include "data/gitstate.h"
#include "work/keep.h"

/* Append STATE/facts/<session><ending>. */
void keep_path(const char *state_dir, str session, const char *ending, struct buf *b);
/* The directory whose git state is that of the session. */
const char *keep_git_dir(const struct journal *j);
/* For the end that the journal names; a failure leaves it to be read anew. */
void keep_git_store(const char *state_dir, const struct journal *j,
		    const struct gitstate *git);
/* What was stored for that end; false when there is nothing. To be released either way. */
bool keep_git_load(const char *state_dir, const struct journal *j, struct gitstate *git);

/* Facts with what the journal knows of sub-agents beside them. */
struct keep_agents {
	struct facts facts;
	struct fact_agent *agent;
	struct fact_background *background;
};
/* f, or k's own facts, which borrow from f and j until k is released. */
const struct facts *keep_agents_add(struct keep_agents *k, const struct facts *f,
				    const struct journal *j);
void keep_agents_release(struct keep_agents *k);

#endif
