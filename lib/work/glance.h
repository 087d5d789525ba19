/*
 * glance: what the head and the tail of a session file tell of it.
 *
 *   struct glance g;
 *   glance_read(&g, path, false, &e);
 *   puts(g.title);
 *   glance_release(&g);
 *
 * The first GLANCE_HEAD_BYTES and the last GLANCE_TAIL_BYTES are read; a small file is read
 * whole, and so is one of which the windows do not hold enough: a last record that is
 * larger than the window (then the window grows), no conversation in either, a `summary`
 * that may be about another session (then only its uuids are looked at).
 *
 * The title is the last custom-title, else the last ai-title, else a summary whose leafUuid
 * is in this file, else the first words of the first human prompt.
 *
 * Invariants: branch, version, title, reason and evidence are redacted, one line, and safe
 * to show; cwd is raw. Strings are never NULL after a read that succeeded. A process that
 * still runs is not looked for: the ending is that of the file.
 */
#ifndef WORK_GLANCE_H
#define WORK_GLANCE_H

#include "base/clock.h"
#include "data/source.h"
#include "work/ending.h"

#define GLANCE_HEAD_BYTES (64u << 10)
#define GLANCE_TAIL_BYTES (256u << 10)
#define GLANCE_FAR_BYTES                                                                 \
	(1u << 20) /* how far a head is read for a first prompt and a cwd */

struct glance {
	char *cwd, *branch, *version, *title;
	int64_t started, ended; /* ms of the first and the newest record; CLOCK_NONE */
	int64_t records;        /* whole records; -1 unknown */
	int64_t messages; /* user and assistant records of the main chain, duplicates apart; -1 */
	int64_t prompts;   /* human prompts; -1 unknown */
	bool talk;         /* there is a conversation in it */
	bool begins_clear; /* it begins with /clear, by which another one was left */
	enum ending_kind kind;
	bool dead;
	char *reason, *evidence;
};

/* whole: read all of it, for exact counts. The file cannot be opened or read: HF_E*. */
int glance_read(struct glance *g, const char *path, bool whole, struct err *e);
void glance_release(struct glance *g);
/* 0 when there is a record in src, or nothing at all; HF_EFORMAT when it is no transcript. src is rewound. */
int glance_check(struct source *src, const char *path, struct err *e);
/* The same, but 0 for damage alone: only JSON objects that are no session's are refused. */
int glance_known(struct source *src, const char *path, struct err *e);
/* Append the sessionId of the first record that has one, then rewind src. HF_EIO. */
int glance_session_id(struct source *src, struct buf *out, struct err *e);

#endif
