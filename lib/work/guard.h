/*
 * guard: a hook ends in time and with exit status 0, whatever happens to it.
 *
 *   guard_arm("Stop", log_path);                before anything else
 *   guard_deadline(GUARD_MS);                   the timer, counted from guard_arm
 *   guard_offer(STDOUT_FILENO, &reply);         what to say if the end comes early
 *   guard_disarm();                             the reply is written
 *
 * When the timer fires, or on ABRT, SEGV, BUS, FPE, ILL, TERM, HUP or INT, the handler
 * writes the offered reply, appends one preformatted line to the log (making its folders, 0700), and calls
 * _exit(0).
 * It uses async-signal-safe calls only, on a stack of its own. PIPE and XFSZ are ignored. Under
 * AddressSanitizer SEGV and BUS stay with it, or it could report nothing.
 *
 * One per process: signal handlers have nothing but global state to look at.
 */
#ifndef WORK_GUARD_H
#define WORK_GUARD_H

#include <stdint.h>
#include "base/buf.h"

#define GUARD_REPLY_MAX (64u << 10) /* bytes; what a pipe takes at once */

/* `what` is copied; log_path too ("" for none). */
void guard_arm(const char *what, const char *log_path);
/* What the log line will name from now on. */
void guard_name(const char *what);
/* End the process ms after guard_arm (at once when that is past). */
void guard_deadline(int ms);
/* That time on clock_mono_ns, `before_ms` earlier: for work that stops by itself. */
int64_t guard_deadline_ns(int before_ms);
/* The handler may write these bytes, which are copied, to fd; over GUARD_REPLY_MAX they are not. NULL takes it back. */
void guard_offer(int fd, const struct buf *reply);
/* No timer and no reply any more; the handlers stay. */
void guard_disarm(void);

#endif
