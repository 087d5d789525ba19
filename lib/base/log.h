/*
 * log: end the process, warn on stderr, trace to a file.
 *
 * log_die and log_warn print one line "name: message" to stderr. HANDOFF_TRACE=FILE makes
 * log_trace append lines there (time, pid, message); without it log_trace costs a branch.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/oom.h"

/* Called first by every main: the program's name for messages (borrowed). */
void log_name(const char *name);
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print and exit(1). Never used in hooks. */
void log_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same as oom, for modules that include this header anyway. */
static inline void __attribute__((noreturn)) log_oom(void)
{
	oom();
}
void log_trace(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
