/*
 * lifecycle: what each hook event does.
 *
 *   struct lifecycle l;
 *   if (lifecycle_open(&l, &in, &options, &e) == LIFECYCLE_GO)
 *           lifecycle_stop(&l, &reply, &e);
 *   lifecycle_close(&l);
 *
 * The journal says which sessions there are and who runs them, docs who has which handoff
 * document, keep makes the documents, inject words them. This module decides: which
 * sessions died, what is topped up, offered, claimed, consumed, returned, and what a session
 * is told, once. docs/formats.md, "Life cycle", has the table.
 *
 * Invariants: nothing is said twice to a session with the same words, until a compaction
 * has taken them from it. At most one document is given in full. A store that cannot be
 * read or written changes what is said, never whether the hook succeeds.
 *
 * Will not: wait for anybody. A lock that is held, time that is over, a file that cannot be
 * read is logged, and the next event goes on from there.
 */
#ifndef WORK_LIFECYCLE_H
#define WORK_LIFECYCLE_H

#include "data/journal.h"
#include "data/vault.h"
#include "work/hookio.h"

struct lifecycle_options {
	int64_t pid;         /* of the client: the parent of the hook; 0: it has ended */
	int64_t deadline_ns; /* when to come to an end by oneself; 0 = never */
	void (*early)(
		const struct buf *
			reply); /* told of a reply that could be given now; may be NULL */
};

enum lifecycle_go {
	LIFECYCLE_GO,
	LIFECYCLE_OFF, /* switched off, or the event of a sub-agent: nothing is to be done */
};

struct lifecycle {
	/* all of it private */
	const struct hookio *in;
	struct lifecycle_options o;
	char *state_dir, *claude_dir; /* "" when there is no place for them */
	char what[64];                /* event and session, for the log */
	struct vault vault;
	bool vault_ok;
	struct err vault_err;
	struct journal *j;
	struct journal_process process; /* the client, now */
	struct journal_process before;  /* who ran this session until this event */
	enum journal_state was;         /* its state until this event */
	bool spoken; /* the event brought a message that was not known before */
	bool quiet;  /* a headless run: journal only */
};

/* LIFECYCLE_GO, LIFECYCLE_OFF or HF_E* (no session id, no place for the state). l is to be closed whatever comes back. */
int lifecycle_open(struct lifecycle *l, const struct hookio *in,
		   const struct lifecycle_options *o, struct err *e);
void lifecycle_close(struct lifecycle *l);

/* Each appends its reply, if any; a failure has been met with less, and is there to be logged. */
int lifecycle_session_start(struct lifecycle *l, struct buf *reply, struct err *e);
/* The second entry of SessionStart; it runs beside the first, and leaves the journal alone. */
int lifecycle_brief(struct lifecycle *l, struct buf *reply, struct err *e);
int lifecycle_user_prompt(struct lifecycle *l, struct buf *reply, struct err *e);
int lifecycle_pre_compact(struct lifecycle *l, struct buf *reply, struct err *e);
int lifecycle_stop(struct lifecycle *l, struct buf *reply, struct err *e);
int lifecycle_stop_failure(struct lifecycle *l, struct buf *reply, struct err *e);
int lifecycle_subagent_stop(struct lifecycle *l, struct buf *reply, struct err *e);
int lifecycle_session_end(struct lifecycle *l, struct buf *reply, struct err *e);

/* HANDOFF_OFF, the setting `off`, STATE/off, or STATE/off.d/<project>. An empty project asks for the first two. */
bool lifecycle_is_off(const char *state_dir, str project);
/* Append the path of the file that switches off a project, or everything (empty project). */
void lifecycle_off_path(struct buf *b, const char *state_dir, str project);

#endif
