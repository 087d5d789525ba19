/*
 * ledger: what a recovery has read of its budget (phase 4), enforced.
 *
 *   struct ledger l;
 *   ledger_open(&l, "abc-session", &e);        a new one starts at zero
 *   if (ledger_left(&l).rounds == 0) ...
 *   ledger_take(&l, tokens, &e);               written before the text is printed
 *   ledger_close(&l);
 *
 * One file per ledger id in the state folder (ledgers/<id>.json), 0600, replaced atomically
 * under a lock. Every change reads the file again first, so that two processes, however
 * long each keeps its ledger open, never read more than the budget together. The lock is
 * held for one change, never between calls. A ledger that nobody touched for
 * LEDGER_KEEP_DAYS may be removed when another is opened. Ids are checked:
 * [A-Za-z0-9._-]{1,64}, no leading dot.
 */
#ifndef WORK_LEDGER_H
#define WORK_LEDGER_H

#include "base/buf.h"
#include "base/err.h"

#define LEDGER_ROUNDS    10
#define LEDGER_TOKENS    50000
#define LEDGER_KEEP_DAYS 30

struct ledger {
	char id[65];
	char *path;
	uint32_t rounds; /* used */
	uint64_t tokens; /* used */
	int64_t started,
		touched; /* ms since 1970; equal to the time of opening in a new one */
};

/*
 * HF_EFORMAT when the state file is damaged: nothing is assumed about what was read; the
 * message names the file. ledger_restart and ledger_close may still be called then.
 */
int ledger_open(struct ledger *l, const char *id, struct err *e);
/* One round of `tokens`: recorded durably, or HF_ELIMIT with what is left in the message and nothing recorded. */
int ledger_take(struct ledger *l, uint64_t tokens, struct err *e);
/* Start again from zero. */
int ledger_restart(struct ledger *l, struct err *e);
/* "round 3 of 10, 12,400 of 50,000 tokens read, 37,600 left" */
void ledger_show(const struct ledger *l, struct buf *out);
void ledger_json(const struct ledger *l, struct buf *out);
/* Frees memory; the file stays. Accepts a zeroed struct. */
void ledger_close(struct ledger *l);

struct ledger_left {
	uint32_t rounds;
	uint64_t tokens;
};
/* As of the last open, take or restart. */
struct ledger_left ledger_left(const struct ledger *l);

/* The token estimate used everywhere: bytes of UTF-8 / 4, but CJK and other wide scripts count by character; never less than characters / 4. Documented in docs/formats.md. */
uint64_t ledger_tokens(str text);

#endif
