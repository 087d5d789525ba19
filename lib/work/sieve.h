/*
 * sieve: the few places of a text where a secret may be named or begin, found fast.
 *
 *   struct sieve v;
 *   sieve_init(&v, text);
 *   while ((at = sieve_next(&v, &what)) != STR_NPOS)
 *           ...look closely at text.p[at]; perhaps sieve_skip(&v, end)...
 *
 * Offsets rise strictly. Two kinds of place, a set of bits in `what`:
 *   SIEVE_MARK  '=', ':', the first byte 0xEF of the full-width forms, 0xE6 (of U+662F, "is"),
 *               0xB1 (of U+00F1, n with tilde), the second of two or more dashes, a single
 *               dash after a space, the w of "sw" ("passw")
 *   SIEVE_RUN   the first byte of SIEVE_RUN_MIN or more bytes of [A-Za-z0-9_-]
 * About one byte in thirty of ordinary text; the rest is passed over at some bytes a cycle.
 * Linear whatever the text; allocates nothing.
 */
#ifndef WORK_SIEVE_H
#define WORK_SIEVE_H

#include "base/str.h"

#define SIEVE_RUN_MIN 16

enum { SIEVE_MARK = 1, SIEVE_RUN = 2 };

/* One bit a byte of a block of 64. */
struct sieve_bits {
	uint64_t mark, dash, space, s, w, token;
};

struct sieve {
	str text;
	size_t base;        /* offset of the block whose places are being handed out */
	uint64_t mark, run; /* those not yet handed out */
	struct sieve_bits ahead; /* of the block after it */
	uint64_t dash, space, s,
		token;  /* last byte of the block before `ahead`, as bit 0 */
	uint64_t dash2; /* and of the byte before that one */
};

void sieve_init(struct sieve *v, str text);
/* STR_NPOS at the end. */
size_t sieve_next(struct sieve *v, unsigned *what);
/* Go on at offset `at` (not before the last place), as if the text began there. */
void sieve_skip(struct sieve *v, size_t at);

#endif
