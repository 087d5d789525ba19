/*
 * store: what programs do with the memory: log, checkpoint, note, undo.
 *
 *   struct store s;
 *   ret = store_open(&s, &(struct store_options){.dir = dir}, &e);
 *   ret = store_log(&s, &(struct store_event){.type = EVENT_DECISION, .content = text}, &done, &e);
 *   ...done.id...                                  it is on disk when store_log returned 0
 *   store_logged_release(&done);
 *   ret = store_refresh(&s, STR_NONE, false, &e);
 *   if (!ret)
 *           do ret = brief_render(&text, s.index, ...);      or search_run
 *           while (store_again(&s, &ret, &e));
 *   store_release(&s);
 *
 * One struct per process. There is no process-wide project: each call names its own, "" is
 * that of the session. The session is looked up at every call (the client's id changes under
 * a server after /clear): by the processes above this one in the journal, else by
 * CLAUDE_CODE_SESSION_ID; without one, events go to a note of this program alone.
 *
 * Invariants: what a call acknowledged is on disk, in the vault; the index is brought up to
 * it when that can be done at once, else by the next store_refresh; once the vault has it, no
 * call fails. A failing call has changed nothing, or has left whole lines that it did not
 * acknowledge. All texts are redacted and put into their one-line form here.
 *
 * Will not: wait for the index's other writers longer than busy_ms, or for the vault's
 * longer than STORE_LOCK_MS (HF_ETIME then).
 */
#ifndef WORK_STORE_H
#define WORK_STORE_H

#include "data/event.h"
#include "data/index.h"
#include "data/vault.h"
#include "work/reindex.h"
#include "work/running.h"
#include "work/sessionnote.h"

#define STORE_LOCK_MS                                                                    \
	2000 /* a writer holds the lock for microseconds, unless the disk is full of work */
#define STORE_BUSY_MS       100
#define STORE_ENTITY_MAX    (32u << 10) /* bytes of one fact of an entity */
#define STORE_STUBS_MAX     100         /* links of one event whose entities get a note */
#define STORE_SUPERSEDE_MAX 1000        /* ids that one event may retire */

struct store_options {
	const char *vault; /* NULL: the usual place */
	const char *
		project; /* by name; NULL: HANDOFF_PROJECT, else that of the session, else of dir */
	const char *dir;     /* NULL: CLAUDE_PROJECT_DIR, else the current one */
	const char *session; /* the client's session id; NULL: looked up at every call */
	const char *state_dir; /* NULL: the usual place */
	int busy_ms;           /* 0: STORE_BUSY_MS */
	bool terminal; /* typed by a person: without a session, one note for all commands of a terminal */
	bool no_index; /* only the vault: s.index stays NULL */
	bool watch;    /* a program that lives on: see work/reindex */
};

struct store {
	struct vault vault;
	struct index *index;  /* NULL when none could be opened: writes still work */
	struct err index_err; /* why */
	char *project;        /* folder of the session's project */
	char *dir;
	struct sessionnote note; /* of this session, now */
	char *state_dir;         /* "" when there is no place for it */
	/* private */
	char *named; /* client session id given by the caller, or NULL */
	char session
		[72]; /* client session id, as last looked up; "" when there is none */
	struct sessionnote
		own;   /* note of this program, for when it belongs to no session */
	bool fixed;    /* the project was named: no session changes it */
	bool recorded; /* project.md was looked at */
	bool terminal, watch, no_index;
	enum running_kind keeper, own_keeper; /* of note, of own */
	int busy_ms;
	struct reindex reindex;
	str asked;             /* of the last store_refresh: its project, */
	bool asked_all, again; /* whether all of them, whether asked again since */
};

/* HF_EUSAGE (bad project name or session id), or what the vault says. s is to be released whatever comes back. */
int store_open(struct store *s, const struct store_options *o, struct err *e);
void store_release(struct store *s);
/* Look the session up again: s->project and s->note are right afterwards. Every other call does this itself. */
void store_session(struct store *s);
/* Bring the index up to what the vault holds: this project ("" the session's) now; all others at most every 2 s, or now with all. project is borrowed until the next call. */
int store_refresh(struct store *s, str project, bool all, struct err *e);
/*
 * After a question to s->index that followed store_refresh: true, once, when it met damage, and the
 * index has been read anew: ask again, from the beginning. *ret is 0 then, and e empty (may be NULL).
 * False: both stand.
 */
bool store_again(struct store *s, int *ret, struct err *e);

/* The last refresh left something out that another program is reading just now. */
bool store_partial(const struct store *s);

struct store_event {
	enum event_type type;
	str content;
	int importance; /* 1 to 5; 0: 3 */
	const str *supersedes;
	size_t nsupersedes; /* ids */
	bool beginnings; /* in place of an id a beginning that no other event has will do */
	str query;       /* retire the event that fits best; "" none */
	str project;
	enum event_origin origin;
	str id;        /* "": new */
	int64_t at_us; /* 0: now */
	str from;
};

enum store_how {
	STORE_GIVEN, /* named by the caller */
	STORE_UNKNOWN, /* named by the caller, but no event that is known: written down all the same */
	STORE_MATCH, /* found by the query */
	STORE_AUTO,  /* next step of a session that is over */
};

struct store_retired {
	char *id;
	char *label; /* its content; "" when it is not known */
	enum store_how how;
};

struct store_logged {
	char *id;
	struct store_retired
		*retired; /* given, match, auto: the order in which they were written */
	size_t nretired;
	bool blind; /* the index could not be asked: no query, no automatic retirement, no prefix of an id */
};

/* HF_EUSAGE: content empty once cleaned, bad id, bad project; HF_EAMBIGUOUS: a beginning fits several; HF_ELIMIT; HF_ETIME; HF_EIO. */
int store_log(struct store *s, const struct store_event *in, struct store_logged *out,
	      struct err *e);
void store_logged_release(struct store_logged *out);

/* This session's note in the project is done; a summary (unless empty) replaces the one it has. *closed (may be NULL): there is such a note; without one nothing is written. */
int store_checkpoint(struct store *s, str project, str summary, bool *closed,
		     struct err *e);
/* Add a fact to an entity's note; several lines become one bullet. HF_EUSAGE: no name, or nothing to note. */
int store_note(struct store *s, str project, str name, str content, struct err *e);
/* Append the note of an entity, redacted; HF_ENOTFOUND; HF_EUSAGE: no name. */
int store_entity(struct store *s, str project, str name, struct buf *out, struct err *e);
/*
 * Take back what event `id` (or a unique beginning of it) retired: all, or `only` one. Where
 * the event retired nothing but is retired itself, it is brought back. *restored: how many events
 * nothing retires any more; 0 where others still do.
 * HF_ENOTFOUND: no such event, or nothing to take back.
 */
int store_undo(struct store *s, str id, str only, size_t *restored, struct err *e);

#endif
