/*
 * hook: the events of handoff-hook, one file each.
 *
 * main.c has the table; an event's function opens nothing and writes nothing itself: it is
 * given an open life cycle, and appends its reply.
 */
#ifndef HOOKS_HOOK_H
#define HOOKS_HOOK_H

#include "work/lifecycle.h"

int hook_session_start(struct lifecycle *l, struct buf *reply, struct err *e);
/* The second entry of SessionStart. */
int hook_brief(struct lifecycle *l, struct buf *reply, struct err *e);
int hook_user_prompt(struct lifecycle *l, struct buf *reply, struct err *e);
int hook_pre_compact(struct lifecycle *l, struct buf *reply, struct err *e);
int hook_stop(struct lifecycle *l, struct buf *reply, struct err *e);
int hook_stop_failure(struct lifecycle *l, struct buf *reply, struct err *e);
int hook_subagent_stop(struct lifecycle *l, struct buf *reply, struct err *e);
int hook_session_end(struct lifecycle *l, struct buf *reply, struct err *e);

#endif
