/*
 * oom: out of memory ends the process.
 *
 *   p = malloc(n);
 *   if (!p)
 *           oom();
 *
 * Nothing half done has to be cleaned up: files are replaced atomically, locks end with
 * the process. The lowest module, so that all others may call it.
 */
#ifndef BASE_OOM_H
#define BASE_OOM_H

/* Exit status: 1. Hooks set 0, since they must never be seen to fail. */
extern int oom_status;
/* The program's name for the message (borrowed). */
void oom_name(const char *name);
/* "name: out of memory" on stderr, then _exit. */
void oom(void) __attribute__((noreturn));

#endif
