/*
 * scan: a byte stream of JSON records to tokens, across damage.
 *
 *   struct scan s;
 *   scan_init(&s, &src, 0);
 *   for (;;) switch (scan_next(&s)) {
 *   case SCAN_KEY:     s.key is the decoded key
 *   case SCAN_STR:     scan_text(&s, &out, 4096, 0);   or nothing: then it is skipped undecoded
 *   case SCAN_RECORD:  a whole record ended: s.rec_off, s.rec_len, s.rec_line; keep what was built
 *   case SCAN_LOSS:    bytes [s.loss_off, s.loss_off + s.loss_len) are no record: drop what was built
 *   case SCAN_END: case SCAN_ERROR: ...
 *   }
 *   scan_release(&s);
 *
 * A record is one JSON object on one line; several may share a line. The tokens of a record
 * are SCAN_OBJ ... SCAN_OBJ_END and then SCAN_RECORD. They are only final at SCAN_RECORD: a
 * record that turns out torn or malformed ends in SCAN_LOSS instead. After damage the scanner
 * looks for the next `{"` in the line that begins a record, going back in the file where the
 * torn record had swallowed it. Such a candidate counts if it is a whole object followed by a
 * line end, the end of the file, a NUL or the next `{`, and, where its place alone does not
 * prove it, if its keys are those of this file's records (else an inner object that happens
 * to stand last would pass for a record). NUL runs between records are losses, as are lines
 * that hold other JSON values than objects. Blank lines, CR before LF and a BOM at the start
 * of the file are neither.
 *
 * The inside of strings: any byte but LF is accepted (raw control characters and ill-formed
 * UTF-8 are repaired when decoded), escapes must be legal; grammar is otherwise RFC 8259.
 * Depth is capped at SCAN_DEPTH_MAX (deeper: a loss).
 *
 * Of a large file whose src->ahead is set a second thread reads the next blocks, and finds
 * out where the strings in them may end (base/readahead). The same tokens come out.
 *
 * Invariants: memory is the SCAN_BUFFER_BYTES read buffer (READAHEAD_BLOCKS of them with that
 * thread), SCAN_TEXT_MAX where texts are longer than that, and some kilobytes, whatever the
 * size of the file, of a line or of a string. Records, losses and white space together are
 * every byte of the file. Work is linear in the bytes, whatever they hold. s.good is the offset
 * just past the last whole record and its line end: where an incremental reader continues. The
 * same tokens come out with every kernel (AVX-512, AVX2, SSE2, NEON, SWAR) and however the
 * bytes arrive.
 */
#ifndef DATA_SCAN_H
#define DATA_SCAN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/readahead.h"
#include "data/source.h"

#define SCAN_BUFFER_BYTES READAHEAD_BLOCK_BYTES
#define SCAN_DEPTH_MAX    512
#define SCAN_KEY_MAX      256 /* bytes of a key that are kept (decoded); the rest is dropped */
#define SCAN_NUM_MAX      64 /* bytes of a number that are kept */
#define SCAN_PLAIN_MAX    47 /* bytes of a string that scan_member may hand out */
#define SCAN_PLAIN_PAD    48

enum scan_tok {
	SCAN_OBJ,
	SCAN_OBJ_END,
	SCAN_ARR,
	SCAN_ARR_END,
	SCAN_KEY,
	SCAN_STR,
	SCAN_NUM,
	SCAN_TRUE,
	SCAN_FALSE,
	SCAN_NULL,
	SCAN_RECORD,
	SCAN_LOSS,
	SCAN_END,
	SCAN_ERROR, /* read failed: s.err */
};

enum scan_why {
	SCAN_WHY_TORN,  /* the line or the file ends inside the record */
	SCAN_WHY_BAD,   /* malformed */
	SCAN_WHY_NUL,   /* a run of NUL bytes */
	SCAN_WHY_VALUE, /* valid JSON, but no object */
	SCAN_WHY_DEEP,  /* deeper than SCAN_DEPTH_MAX */
};

struct scan {
	str key;   /* SCAN_KEY */
	str num;   /* SCAN_NUM: its text (first SCAN_NUM_MAX bytes) */
	str plain; /* scan_member; SCAN_PLAIN_PAD bytes more than it has can be read */
	unsigned name; /* scan_member */
	bool member;   /* scan_member: key and value at once */
	uint64_t
		str_size; /* after scan_text or after the string was skipped: raw bytes between the quotes */
	uint64_t rec_off, rec_len; /* SCAN_RECORD: the object's bytes */
	uint64_t rec_line;         /* SCAN_RECORD, SCAN_LOSS: line number from 1 */
	uint64_t loss_off, loss_len;
	enum scan_why why;
	uint64_t good;
	bool tail_cut; /* at SCAN_END: the file ends inside a record (or in the NULs that replaced its rest) */
	int depth; /* open containers */
	struct err err;
	struct scan_state *st; /* private */
};

/* Keys to look for. Number 0 is any other key. */
#define SCAN_NAMES_MAX      128
#define SCAN_NAME_MAX_BYTES 30
struct scan_names {
	unsigned count;
	uint8_t n[SCAN_NAMES_MAX];
	uint8_t slot[256], next[SCAN_NAMES_MAX]; /* chains of equal hashes; 0 ends one */
	char quoted[SCAN_NAMES_MAX][SCAN_NAME_MAX_BYTES + 2]; /* name":  */
};

void scan_names_init(struct scan_names *n);
/* Names are numbered from 1 in the order they are added. */
void scan_names_add(struct scan_names *n, str name);
/* The number of this key. */
unsigned scan_names_find(const struct scan_names *n, str key);

/* Reads src from its current position, which is offset `at`; line numbers count from there. src stays the caller's. */
void scan_init(struct scan *s, struct source *src, uint64_t at);
enum scan_tok scan_next(struct scan *s);
/*
 * The same in an object, where it saves calls: a key and the token of its value at once, with
 * s.member true, s.key, and s.name its number. A short plain string is handed out in s.plain
 * and consumed; else s.plain.p is NULL. Some members whose value is a string are dealt with
 * here: with swallow[number] set they are passed over; with at[number] not 0 and a short
 * plain value, that is appended to *text and a str of it is put at base + at[number]. It may
 * always answer as scan_next does instead, with s.member false.
 */
struct scan_members {
	const struct scan_names *names;
	const bool *swallow;
	const uint16_t *at;
	char *base;
	struct buf *text;
};
enum scan_tok scan_member(struct scan *s, const struct scan_members *m);
/* Append s.plain (SCAN_PLAIN_PAD bytes are copied, which takes no loop). */
static inline void scan_plain_add(struct buf *b, str plain)
{
	if (b->cap - b->n <= SCAN_PLAIN_PAD) {
		buf_add(b, plain);
		return;
	}
	memcpy(b->p + b->n, plain.p, SCAN_PLAIN_PAD);
	b->n += plain.n;
	b->p[b->n] = '\0';
}
/*
 * After SCAN_STR: consume the string and append its decoded text to out: all of it when its
 * raw size is at most head + tail bytes; else the decoded first `head` raw bytes to out and
 * the decoded last `tail` raw bytes to out_tail (which may be NULL if tail is 0).
 * Returns true when all of it is in out. Cuts fall between characters and escapes, a little
 * inside of the two limits if need be. head + tail <= SCAN_TEXT_MAX. If the input ends or
 * tears inside, nothing is appended, and the next token is SCAN_LOSS.
 */
#define SCAN_TEXT_MAX (128u << 10)
bool scan_text(struct scan *s, struct buf *out, struct buf *out_tail, size_t head,
	       size_t tail);
/* After SCAN_OBJ or SCAN_ARR: read on past its matching end (validating). False: the next token is SCAN_LOSS. */
bool scan_skip(struct scan *s);
void scan_release(struct scan *s);

enum scan_kernel { SCAN_AUTO, SCAN_SWAR, SCAN_SSE2, SCAN_AVX2, SCAN_NEON, SCAN_AVX512 };
/* For tests and benchmarks: force a kernel for scanners made from now on; false if this processor lacks it. */
bool scan_use(enum scan_kernel k);

#endif
