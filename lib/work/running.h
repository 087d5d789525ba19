/*
 * running: which session notes are those of sessions that run now.
 *
 *   running_record(state_dir, note.id, RUNNING_PROCESS);         before a next step is written
 *
 *   struct running r;
 *   running_init(&r, state_dir, ix);
 *   if (running_has(&r, item)) ...                               item of a note
 *   running_release(&r);
 *
 * In this order:
 * - The journal has an open session whose client lives: it runs.
 * - STATE/running/<note> says whose note it is. A client's session: it does not run, the
 *   journal would know. A process (a server whose client has no hooks): as long as that lives. A
 *   terminal: as long as its first process lives and not for over RUNNING_TERMINAL_MS without an
 *   event. With status done none of these two runs.
 * - Nothing is known of who writes it (handoff-mcp, another machine, a command of a client's
 *   session without hooks): while its status is not done and its newest event is younger than
 *   RUNNING_SILENT_MS. Derived events are left by hooks, which have a journal: they are of none that runs.
 *
 * Invariants: an id from a note is never a path. What cannot be read is not known.
 *
 * Will not: tell which of several programs of one session writes.
 */
#ifndef WORK_RUNNING_H
#define WORK_RUNNING_H

#include "base/buf.h"
#include "data/index.h"

#define RUNNING_SILENT_MS   (30 * 60 * INT64_C(1000))
#define RUNNING_TERMINAL_MS (12 * 60 * 60 * INT64_C(1000))
#define RUNNING_KEEP_MS                                                                  \
	(24 * 60 * 60 * INT64_C(1000)) /* a record of a session that is over */

enum running_kind {
	RUNNING_NOBODY,   /* who writes the note does not last: nothing is recorded */
	RUNNING_SESSION,  /* of a client, in the journal */
	RUNNING_PROCESS,  /* ends with this process */
	RUNNING_TERMINAL, /* ends with the first process of this one's terminal */
};

/* Best effort: without a record the note counts as one of which nothing is known. Old records of processes that are gone are removed. */
void running_record(const char *state_dir, const char *note, enum running_kind kind);
/* Remove what is recorded of a note ("s_..." or "s_....md"). */
void running_forget(const char *state_dir, str note);

struct running {
	const char *state_dir; /* borrowed */
	struct index *ix;
	struct buf live; /* ids of notes, a line each, once loaded */
	bool loaded;
};

void running_init(struct running *r, const char *state_dir, struct index *ix);
void running_release(struct running *r);
/* The session whose note the item stands in runs now. With more running sessions than can be told apart: all do. */
bool running_has(struct running *r, const struct index_item *it);
/* running_has for callbacks: arg is the struct running. */
bool running_item(const struct index_item *it, void *arg);

#endif
