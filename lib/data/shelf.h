/*
 * shelf: the vault's folders that belong to no project: _records and _packets.
 *
 *   shelf_read(&v, SHELF_RECORDS, "listing/482/assessment.md", &text, &e);
 *   shelf_append(&v, SHELF_RECORDS, rel, text, &p, &e);  with the lock held; then shelf_finish
 *   shelf_walk(&v, SHELF_RECORDS, "listing", fn, arg, &e);
 *
 * Paths below a shelf come from data/address or are packet ids: they are checked once more here
 * (no empty part, none that begins with a dot). Folders of a project's own (sessions, entities, ...) are
 * none of a shelf: what strayed there is passed over. Nothing is followed through a symbolic link.
 */
#ifndef DATA_SHELF_H
#define DATA_SHELF_H

#include "base/fs.h"
#include "data/vault.h"

#define SHELF_FILE_MAX (512u << 20) /* bytes of one file that is read whole */

enum shelf { SHELF_RECORDS, SHELF_PACKETS };

/* Append the path. False: rel cannot be one. */
bool shelf_path(const struct vault *v, enum shelf s, str rel, struct buf *b);
/* Open for reading: the descriptor, HF_ENOTFOUND, HF_EFORMAT for links and foreign types, HF_E*. */
int shelf_open(const struct vault *v, enum shelf s, str rel, struct stat *st,
	       struct err *e);
int shelf_read(const struct vault *v, enum shelf s, str rel, struct buf *out,
	       struct err *e);
/* The same for a path that shelf_walk has just given: that its folders are no links need not be asked again. */
int shelf_open_met(const struct vault *v, enum shelf s, str rel, struct stat *st,
		   struct err *e);
int shelf_read_met(const struct vault *v, enum shelf s, str rel, struct buf *out,
		   struct err *e);
/*
 * Append to a file, made with its folders where missing (durably); the lock must be held. The
 * bytes can be read when this returns 0, and are safe when shelf_finish does (fs_finish: 1, 0, HF_E*),
 * which needs no lock.
 */
struct shelf_pending {
	struct fs_pending p;
	char *path;
};
int shelf_append(struct vault *v, enum shelf s, str rel, str text,
		 struct shelf_pending *p, struct err *e);
int shelf_finish(struct shelf_pending *p, struct err *e);
/*
 * Files that end in ".md" in the folder `under` ("" for all) and below, each folder's in byte order, then
 * its folders'. rel is the path below the shelf. fn != 0 stops and is returned. Missing: none. Links
 * and names that begin with a dot are passed over.
 */
int shelf_walk(const struct vault *v, enum shelf s, str under,
	       int (*fn)(const char *rel, const struct stat *st, void *arg), void *arg,
	       struct err *e);

#endif
