/*
 * readahead: a file in blocks; of a large one the next are read while the caller works on one.
 *
 *   struct readahead *r = readahead_new(fd, 0, &(struct readahead_thread){0});
 *   while ((n = readahead_next(r, keep, &p)) > 0)
 *           p[0 .. keep.n) are the kept bytes, p[keep.n .. keep.n + n) the new ones
 *   readahead_free(r);
 *
 * keep is what the caller still needs of the block before, at most READAHEAD_KEEP_BYTES, and
 * stands anywhere in it: so what runs across blocks is not taken apart. A block belongs to
 * the caller, who may write into it and into READAHEAD_PAD_BYTES behind it, until the next call.
 *
 * The first READAHEAD_ALONE blocks are read in the caller's thread: many want only the
 * beginning of a file. From then on, when asked to, a second thread fills up to
 * READAHEAD_BLOCKS blocks ahead, and may look at each while it is in its processor's cache. It
 * reads by pread of the io table as that was when the thread was made: the table may be swapped
 * meanwhile. All signals are blocked in it. Where no thread can be made, or this process has
 * one processor only, the caller's thread goes on alone. Nothing else differs: the same bytes,
 * and an error comes where it occurs, behind all bytes that stand before it. A file that grows
 * is read as far as it reaches when its end is met, one that shrinks ends where it then ends.
 *
 * Limits: one caller. No fork while a reader is open, unless the child does nothing but exec.
 */
#ifndef BASE_READAHEAD_H
#define BASE_READAHEAD_H

#include "base/str.h"

#define READAHEAD_BLOCK_BYTES (256u << 10)
#define READAHEAD_BLOCKS      8
#define READAHEAD_ALONE       4
#define READAHEAD_KEEP_BYTES  4096
#define READAHEAD_PAD_BYTES   128

struct readahead;

struct readahead_thread {
	/*
	 * NULL, or called by the thread for each block with bytes: n new ones at data, which is
	 * aligned to 4096; it may write into the READAHEAD_PAD_BYTES behind them, and into
	 * notes, which has note_bytes.
	 */
	void (*look)(const void *arg, char *data, size_t n, void *notes);
	const void *arg; /* must live as long as the reader */
	size_t note_bytes;
};

/*
 * fd stands at offset `at` and stays the caller's. how NULL: no thread. Ends the process when
 * out of memory.
 */
struct readahead *readahead_new(int fd, uint64_t at, const struct readahead_thread *how);
/*
 * The kept bytes are at *p now, and so many new ones behind them; 0 at the end of the file, -1
 * (errno) when reading failed, and again when asked again. What else was at hand is gone.
 */
long readahead_next(struct readahead *r, str keep, char **p);
/* The next bytes are those at `off`, nothing is at hand. False (errno) when that fails. */
bool readahead_seek(struct readahead *r, uint64_t off);
/* Of the block at hand; NULL where the caller's thread has read it. */
const void *readahead_notes(const struct readahead *r);
/* A second thread reads now. */
bool readahead_threaded(const struct readahead *r);
/* Waits for a read that is under way. NULL is fine. */
void readahead_free(struct readahead *r);

#endif
