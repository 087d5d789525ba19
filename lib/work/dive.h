/*
 * dive: phase 4, single records by number, on the ledger of a recovery.
 *
 *   struct dive_range r = {.first = 41, .last = 41};
 *   struct buf text = BUF_INIT(DIVE_TEXT_MAX);
 *   dive_read(&src, path, "38fb3e7a-...", &r, 1, false, &text, &e);
 *
 * One call is one round, however many records it names. What it costs is written to the
 * ledger before the text is handed out; the text is cut to what is left, and ends with a
 * line (or a member) that says what is left after it. A refused call costs nothing. An out
 * with less room than DIVE_TEXT_MAX gets, and pays for, what fits into it.
 */
#ifndef WORK_DIVE_H
#define WORK_DIVE_H

#include "data/source.h"
#include "work/ledger.h"

#define DIVE_RANGES_MAX 64
#define DIVE_TEXT_MAX                                                                    \
	(8 * LEDGER_TOKENS) /* bytes: four a token, and room for JSON around it */

struct dive_range {
	uint64_t first, last; /* record numbers, from 1, both included */
};

/*
 * ledger: its id, HF_EUSAGE if it is none. Empty: the session id in the records, else the
 * file's name; in them, what is no letter, digit, '.', '_' or '-', and a first '.', becomes
 * '-'. HF_ELIMIT: nothing is left of the rounds or tokens. HF_ENOTFOUND: there is no such
 * record (a range may end past the last one).
 */
int dive_read(struct source *src, const char *path, const char *ledger,
	      const struct dive_range *r, size_t n, bool json, struct buf *out,
	      struct err *e);

#endif
