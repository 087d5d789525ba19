/*
 * handoff_impl: what the files of handoff share; nobody else includes it.
 *
 *   handoff.c       facts to a document
 *   handoff_said.c  last words that no record holds
 *   handoff_read.c  a document read back
 */
#ifndef WORK_HANDOFF_IMPL_H
#define WORK_HANDOFF_IMPL_H

#include "work/handoff.h"
#include "base/clock.h"

/* If the input's message is unwritten, it becomes the last text of these facts, a copy. */
void handoff_take_said(const struct handoff_input *in, struct facts *f);

#endif
