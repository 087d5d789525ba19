/*
 * handoff_impl: what the files of handoff share; nobody else includes it.
 *
 *   handoff.c       facts to a document
 *   handoff_agents.c  what ran in sub-agents
 *   handoff_said.c  last words that no record holds
 *   handoff_read.c  a document read back
 */
#ifndef WORK_HANDOFF_IMPL_H
#define WORK_HANDOFF_IMPL_H

#include "work/handoff.h"
#include "base/clock.h"

/* If the input's message is unwritten, it becomes the last text of these facts, a copy. */
void handoff_take_said(const struct handoff_input *in, struct facts *f);

struct handoff_agents;
/*
 * Add to these facts, a copy, the calls that were running in sub-agents whose dispatch has no
 * result, and what those agents read. NULL when no dispatch is open; else to be freed once
 * the facts are no longer used.
 */
struct handoff_agents *handoff_agents_of(const char *transcript, struct facts *f);
void handoff_agents_free(struct handoff_agents *a);

#endif
