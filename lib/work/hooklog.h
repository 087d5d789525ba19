/*
 * hooklog: a small log of what the hooks did and could not do, STATE/hook.log.
 *
 *   hooklog_add(state_dir, "Stop 1a2b3c4d", "%s", e.msg);
 *
 * One line each: time, process, what, message; redacted and safe to show. At
 * HOOKLOG_MAX bytes the file becomes hook.log.1 and a new one begins, so that both together
 * stay below twice that and a line. A log that cannot be written is no failure: a hook has
 * nobody to tell.
 */
#ifndef WORK_HOOKLOG_H
#define WORK_HOOKLOG_H

#include "base/buf.h"

#define HOOKLOG_MAX      (256u << 10) /* bytes of one file */
#define HOOKLOG_LINE_MAX 1024         /* bytes of a message, before it is made safe */

/* Append the path of the log; nothing when state_dir is empty. */
void hooklog_path(struct buf *b, const char *state_dir);
/* what: the event and the session, plain ASCII. Keeps errno. */
void hooklog_add(const char *state_dir, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
