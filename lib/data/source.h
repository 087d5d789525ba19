/*
 * source: the bytes of a transcript, wherever they are.
 *
 *   struct source src;
 *   if (source_open(&src, "-", &e) < 0) ...
 *   n = source_read(&src, p, len);            sequential
 *   source_seek(&src, off);                   only after damage
 *   source_release(&src);
 *
 * A regular file is read in place. Standard input ("-") and .zst files (recognised by their
 * magic number, not their name) go through an unlinked temporary file, because going back
 * after damage needs a seek. Of a .zst file that is torn, what can be unpacked is read, and log_warn
 * says so. A FIFO, device or folder given by name is refused by type.
 * Limits: SOURCE_UNPACKED_MAX bytes of decompressed data and of standard input, of which reading stops
 * after 64 MB in which no record begins; zstd windows up to 128 MB.
 */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include "base/err.h"
#include "base/io.h"
#include "base/str.h"

#define SOURCE_UNPACKED_MAX (64ull << 30)

struct source {
	int fd;
	uint64_t size;    /* bytes when opened; for progress and tails */
	int64_t mtime_ms; /* of the named file; CLOCK_NONE for "-" */
	dev_t dev;
	ino_t ino;
	bool packed; /* came out of a .zst */
	bool ahead;  /* set by the caller: scanners may read ahead in a second thread */
};

/* 0, HF_ENOTFOUND, HF_EFORMAT (not a regular file, bad zstd), HF_ELIMIT, HF_EIO. */
int source_open(struct source *s, const char *path, struct err *e);
/* Bytes read, 0 at the end, HF_EIO. */
long source_read(struct source *s, char *p, size_t n);
int source_seek(struct source *s, uint64_t off);
/* Whether st is the file that s reads: what must never be written over. */
bool source_is(const struct source *s, const struct stat *st);
void source_release(struct source *s);

#endif
