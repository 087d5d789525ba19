/*
 * ledger: what a recovery has read of its budget (phase 4), enforced.
 *
 *   struct ledger l;
 *   ledger_open(&l, "abc-session", &e);        state file, locked
 *   if (ledger_left(&l).rounds == 0) ...
 *   ledger_take(&l, tokens, &e);               written before the text is printed
 *   ledger_close(&l);
 *
 * One file per ledger id in the state folder (ledgers/<id>.json), 0600, replaced atomically
 * under a lock, so that two processes never read more than the budget together. A ledger
 * that nobody touched for 30 days may be removed. Ids are checked: [A-Za-z0-9._-]{1,64}.
 */
#ifndef WORK_LEDGER_H
#define WORK_LEDGER_H

#include "base/buf.h"
#include "base/err.h"

#define LEDGER_ROUNDS 10
#define LEDGER_TOKENS 50000

struct ledger {
	char id[65];
	char *path;
	int lock;
	uint32_t rounds; /* used */
	uint64_t tokens; /* used */
	int64_t started, touched;
};

int ledger_open(struct ledger *l, const char *id, struct err *e);
/* One round of `tokens`: recorded durably, or HF_ELIMIT with what is left in the message and nothing recorded. */
int ledger_take(struct ledger *l, uint64_t tokens, struct err *e);
/* Start again from zero. */
int ledger_restart(struct ledger *l, struct err *e);
/* "round 3 of 10, 12,400 of 50,000 tokens read, 37,600 left" */
void ledger_show(const struct ledger *l, struct buf *out);
void ledger_json(const struct ledger *l, struct buf *out);
void ledger_close(struct ledger *l);

/* The token estimate used everywhere: bytes of UTF-8 / 4, but CJK and other wide scripts count by character; never less than characters / 4. Documented in docs/formats.md. */
uint64_t ledger_tokens(str text);

#endif
