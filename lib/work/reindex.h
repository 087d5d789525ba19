/*
 * reindex: bring the index up to what the vault holds.
 *
 *   struct reindex r;
 *   reindex_init(&r, ix, &vault, false);
 *   reindex_run(&r, &(struct reindex_options){.project = p}, &e);
 *   if (r.left) ...some files are still to be read: go on next time...
 *   reindex_release(&r);
 *
 * The project named is looked at in full at each call: every file's mtime, size and inode.
 * The others at most every 2 s, and then only what costs little (folders that changed, notes
 * that were written lately); with REINDEX_ALL all of them in full, now. Writers of ours call
 * reindex_file for the file they wrote.
 *
 * Read are session notes (also in archive/: their events are retired, what they supersede
 * counts), entity notes and handoff documents, the compressed ones of archive/ too. A file that changed is replaced in one
 * transaction; of one that only grew, the new lines are read. What is malformed is left out
 * and counted (index_odd); nothing in a file can make this fail. All texts are redacted.
 *
 * With `watch`, for programs that live on: where the system tells of changes (inotify, on
 * local file systems), files are only looked at when it did.
 */
#ifndef WORK_REINDEX_H
#define WORK_REINDEX_H

#include "data/index.h"
#include "data/vault.h"

#define REINDEX_NOTE_MAX     (64u << 20)  /* bytes read of one session note */
#define REINDEX_LINE_MAX     (256u << 10) /* a longer line is left out */
#define REINDEX_WHOLE_MAX    (1u << 20)   /* bytes read of an entity note or a document */
#define REINDEX_TEXT_MAX     (8u << 10)   /* bytes kept of one section or fact */
#define REINDEX_ITEMS_MAX    10000        /* facts of one entity note */
#define REINDEX_OTHERS_MS    2000
#define REINDEX_HIDDEN_BYTES 80

enum reindex_scope {
	REINDEX_PROJECT, /* the one project */
	REINDEX_OTHERS,  /* the others too, when it is time */
	REINDEX_ALL,     /* everything, now */
};

struct reindex_options {
	str project; /* "": none */
	enum reindex_scope scope;
	int64_t deadline_ns; /* on the monotonic clock; 0: none */
};

struct reindex_watch;

struct reindex {
	struct index *ix; /* borrowed, as is the vault */
	const struct vault *vault;
	struct reindex_watch *watch;
	int64_t others_ns; /* when the others were looked at */
	unsigned opened;   /* index_opened, as of then */
	/* of the last run */
	size_t looked, read, dropped; /* files */
	size_t left; /* files that the deadline or another writer left over */
	bool busy;   /* another process was writing */
	char hidden
		[REINDEX_HIDDEN_BYTES]; /* a folder that may not be looked into, from the vault on; "": none. What is known of it stays */
	bool own; /* private: the file being read was written by this program */
};

void reindex_init(struct reindex *r, struct index *ix, const struct vault *v, bool watch);
void reindex_release(struct reindex *r);
/*
 * 0 also when the deadline or another writer cut it short: then r->left is not 0, or
 * r->busy is set. A damaged index is made anew on the way, one that was removed begun again, and one
 * that cannot be written left for a temporary one. HF_E* when there is no index to write to.
 */
int reindex_run(struct reindex *r, const struct reindex_options *o, struct err *e);
/*
 * One file, now: for the writer who has just written it. HF_ETIME: another process is writing,
 * a later run will find it. The next run does not read it again: of a file just changed a run
 * trusts no time, since another change in the same tick of the clock would not show in it;
 * here the size and the inode have to do for that tick.
 */
int reindex_file(struct reindex *r, enum vault_folder folder, str project, str name,
		 struct err *e);

/* What a file looks like before something is added to it; all 0: there is none. */
struct reindex_before {
	int64_t mtime_ns;
	uint64_t size, ino;
};

void reindex_before(const struct reindex *r, enum vault_folder folder, str project,
		    str name, struct reindex_before *before);
/*
 * The same as reindex_file for whole lines that were added since `before`: when nobody else
 * has changed it meanwhile (its size, inode, and row in the index tell), only these are read,
 * however long the note is.
 */
int reindex_added(struct reindex *r, enum vault_folder folder, str project, str name,
		  const struct reindex_before *before, str lines, struct err *e);

#endif
