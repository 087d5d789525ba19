/* reindex_impl: what the parts of reindex share. */
#ifndef WORK_REINDEX_IMPL_H
#define WORK_REINDEX_IMPL_H

#include <sys/stat.h>

#include "work/reindex.h"

/* What a file looked like: another look means that it has to be read. */
struct reindex_look {
	int64_t mtime_ns;
	uint64_t size, ino;
	bool odd; /* no regular file */
};

void reindex_look_of(struct reindex_look *l, const struct stat *st);

/*
 * Read one file into the index, inside a transaction: items added, or all of them replaced.
 * A file that is gone is dropped. *changed: anything was written.
 */
int reindex_read(struct reindex *r, enum vault_folder folder, str project, str name,
		 bool *changed, struct err *e);
/* The same for a file that this program has just written. before NULL: replaced or made; else `lines` were added since. */
int reindex_read_own(struct reindex *r, enum vault_folder folder, str project, str name,
		     const struct reindex_before *before, str lines, struct err *e);
/* The items of an entity note, of a document; the whole text is redacted already. */
int reindex_entity(struct index *ix, struct index_file *f, str text, struct err *e);
int reindex_document(struct index *ix, struct index_file *f, str text, struct err *e);
/* The name is that of a compressed document: archive/ keeps old ones so. */
bool reindex_is_packed(str name);
/* The name of a file without .md, or .md.zst. */
str reindex_stem(str name);
/* A note of archive/ that is a document. */
bool reindex_is_document(str text);

/* The mtime to remember for a file or folder just looked at; 0 when a change in the same tick of the clock would not show. */
int64_t reindex_settled(int64_t mtime_ns);

/* --- changes that the system tells of (reindex_watch.c) --- */

enum reindex_news {
	REINDEX_QUIET, /* nothing happened since the last call */
	REINDEX_NAMED, /* only to the files in `names` */
	REINDEX_UNKNOWN, /* all has to be looked at; what happens from now on will be told */
};

/* NULL: not to be had here. */
struct reindex_watch *reindex_watch_new(void);
void reindex_watch_free(struct reindex_watch *w);
/* News of a folder. names: NUL-terminated, one after the other. w NULL: always unknown. */
enum reindex_news reindex_watch_news(struct reindex_watch *w, const char *path,
				     struct buf *names);
/* What was told could not be dealt with: the next news of the folder is REINDEX_UNKNOWN. */
void reindex_watch_doubt(struct reindex_watch *w, const char *path);
/* The same of all folders. */
void reindex_watch_doubt_all(struct reindex_watch *w);

#endif
