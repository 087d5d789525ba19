/*
 * What the parts of lifecycle share; nobody else includes it.
 */
#ifndef WORK_LIFECYCLE_PARTS_H
#define WORK_LIFECYCLE_PARTS_H

#include "work/docs.h"
#include "work/inject.h"
#include "work/keep.h"
#include "work/lifecycle.h"

#define LIFECYCLE_DOCS 64 /* newest documents looked at in a hook */
#define LIFECYCLE_PENDING                                                                \
	48 /* documents that wait; older ones are archived as superseded */
#define LIFECYCLE_LOCK_MS  40 /* how long a hook waits for a writer */
#define LIFECYCLE_SHORT_ID 8  /* characters of a session id that are shown */

/* Log one line about this event. */
void lifecycle_log(const struct lifecycle *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* This session is the one that its process runs now. open: a session that had ended begins again. */
void lifecycle_touch(struct lifecycle *l, bool open);
int lifecycle_save(struct lifecycle *l, struct err *e);
/*
 * keep_update for a session, and what came of it into its journal (not saved). A failure of
 * the store is remembered, to be told at the next start.
 */
int lifecycle_keep(struct lifecycle *l, struct journal *k, const struct keep_options *o,
		   struct keep_done *done, struct err *e);
/*
 * Bring this session's own document up to date, and where a turn is over its events, unless
 * they are; 0 also when there is no transcript.
 */
int lifecycle_current(struct lifecycle *l, struct err *e);
/* The text is new to this session: remember it. False: it has been told so before. */
bool lifecycle_once(struct journal *j, str text);
/* The setting `derive`. */
bool lifecycle_derives(void);
/* A number of the user's settings. */
int64_t lifecycle_setting(const char *key);
/* "7c1e42aa": short and safe to show. */
str lifecycle_short(const char *session);
/* Append a time as "2026-07-15 10:30 UTC". */
void lifecycle_time(struct buf *b, int64_t at);
/* A store failure that nobody has been told of; appended. */
bool lifecycle_problem(const struct lifecycle *l, struct buf *b);
/* What a start tells: document, others, what died. Also for a client that sends no SessionStart. */
int lifecycle_tell_start(struct lifecycle *l, struct buf *text, struct buf *user,
			 struct err *e);
/* What a compaction has taken away. */
int lifecycle_tell_compact(struct lifecycle *l, struct buf *text, struct err *e);
/*
 * Claim what was offered, once a real prompt has come. A second claimer is told; without a
 * text to tell it in, that waits for the next prompt, and so does a lock that is held.
 */
void lifecycle_claim(struct lifecycle *l, struct buf *text);

/* ---- lifecycle_settle.c: sessions that are over ---- */

struct lifecycle_found; /* one session to settle */
struct lifecycle_scan {
	struct lifecycle_found *found;
	size_t n;
	char cleared[JOURNAL_ID_MAX + 1]; /* session that /clear left in this process */
};
/*
 * Read the journal: sessions of this process that another one has taken over are closed,
 * those of this project that are over are found.
 */
void lifecycle_scan(struct lifecycle *l, struct lifecycle_scan *s);
/* Top up, recover and retire what was found, newest first, until the time is over; what could not be finished is announced. */
void lifecycle_settle(struct lifecycle *l, struct lifecycle_scan *s, struct buf *text,
		      struct buf *user);
void lifecycle_scan_release(struct lifecycle_scan *s);
/* The transcript begins as the copy of another session's; parent: its id, "" where that is not known. */
bool lifecycle_forked(const struct lifecycle *l, struct buf *parent);
/* A session is over: its document is pending; what it had claimed is consumed, or pending again. */
void lifecycle_finish(struct lifecycle *l, struct journal *k);
/* Live documents whose session nobody runs, and of which the journal knows nothing any more, are pending. True when there were any. */
bool lifecycle_adopt(struct lifecycle *l, const struct docs *d);

/* ---- lifecycle_carry.c ---- */

/* Append the text of a session's own document with the items of Next that it took over from `from` and has not done. False: nothing to add. */
bool lifecycle_carry(struct buf *out, str own, str from, str from_name);

/* ---- lifecycle_heed.c ---- */

#define LIFECYCLE_HEED_MAX                                                               \
	256 /* stated hazards that are handed on; further ones stand in the documents */

struct lifecycle_heed;
/* The stated hazards that hold for this session by the documents; never NULL. */
struct lifecycle_heed *lifecycle_heed(const struct lifecycle *l);
/* Borrowed until it is freed. */
const struct inject_heed *lifecycle_heeds(const struct lifecycle_heed *h);
void lifecycle_heed_free(struct lifecycle_heed *h);

/* ---- lifecycle_shipped.c ---- */

/*
 * A handoff.md that lies in the work tree. One that the user has accepted, and of which the
 * vault knows nothing, is given in full where there is no other document (`given` false); a
 * foreign one is named to the user, once for each content, and never read aloud.
 */
void lifecycle_shipped(struct lifecycle *l, const struct docs *d, bool given,
		       struct buf *text, struct buf *user);

/* ---- lifecycle_left.c: what a killed session left behind ---- */

/* Append what is known of how the session ended before it was resumed: calls without a result, processes that still run. Nothing when it ended in order. */
void lifecycle_left(struct lifecycle *l, struct buf *text);
/* Append the processes of this user that belong to the session and not to the client: "4242 (`make test`)". Returns how many. */
size_t lifecycle_orphans(str session, int64_t client, struct buf *b);
/* A compaction stands in the transcript after offset. */
bool lifecycle_compacted(const char *transcript, uint64_t offset);

#endif
