/*
 * skipped: what stands in the notes of a project and is not in its memory, for people.
 *
 *   struct skipped s;
 *   skipped_find(&s, &vault, STR("tollgate"));
 *   skipped_text(&s, &out);           or skipped_json; nothing is appended when all is there
 *   skipped_release(&s);
 *
 * Lines that begin as an event does and are none, lines over the limit, files that are longer than is
 * read, or that are no files. Everything else in these notes is read. The index knows which
 * notes they are; it is brought up to the vault first.
 */
#ifndef WORK_SKIPPED_H
#define WORK_SKIPPED_H

#include "base/buf.h"
#include "data/vault.h"

#define SKIPPED_FILES_MAX 100 /* that are kept; all are counted */

struct skipped_file {
	char *place; /* from the vault on */
	unsigned odd;
	uint64_t lines;
};

struct skipped {
	struct skipped_file *file; /* by folder and name */
	size_t n;                  /* kept */
	size_t files;
	uint64_t lines;  /* of all of them */
	struct buf note; /* what recall_note says; or why nobody can tell */
};

/* Never fails: where there is no index, that is what is told. A vault that is not there has nothing. */
void skipped_find(struct skipped *s, const struct vault *v, str project);
void skipped_release(struct skipped *s);
/* A line that counts, one for each of the first few files, each with its newline. */
void skipped_text(const struct skipped *s, struct buf *out);
/* {"files":N,"lines":N,"first":[{"file":...,"lines":N,"why":[...]}],"note":...} */
void skipped_json(const struct skipped *s, struct buf *out);

#endif
