/*
 * proc: what the system tells of another process, proc_pid_stat(5).
 *
 *   struct proc p;
 *   if (proc_stat(pid, &p) && !p.ended) ...
 *
 * A number names a process only while it lives; with the time of its start it stays the same one.
 * Will not: work without /proc; there nothing is known of any process.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct proc {
	int64_t parent;
	uint64_t start; /* field 22, in ticks since the machine started */
	bool ended;     /* a zombie: nobody has waited for it yet */
};

/* False: there is no such process, or no /proc. */
bool proc_stat(int64_t pid, struct proc *p);
/* Append a file of /proc/<pid>/, whose size is not known beforehand; what goes past b->max is left out. False when it cannot be read. */
bool proc_read(int64_t pid, const char *name, struct buf *b);

#endif
