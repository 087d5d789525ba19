/*
 * amfs_impl: what the parts of amfs share.
 */
#ifndef WORK_AMFS_IMPL_H
#define WORK_AMFS_IMPL_H

#include "data/jsondoc.h"
#include "work/amfs.h"

#define AMFS_WATCHES_MAX 64
#define AMFS_HASH        65

struct amfs_watch {
	int id;
	char *path; /* NULL: cancelled */
};

struct amfs {
	const struct record_store *store;
	int table;
	struct amfs_watch watch[AMFS_WATCHES_MAX];
	size_t nwatches;
	struct buf heads; /* ids of commits that have no child yet, each with its NUL */
	bool knows_heads;
	uint64_t commits; /* made by this process */
};

/* Where an entry says it is from; empty parts: as the version that it lies in says. */
struct amfs_by {
	str agent, session, at;
};

/* An entry that is to be written. */
struct amfs_new {
	str path, key; /* key may hold '/' */
	str value;     /* JSON text */
	double confidence;
	uint64_t outcomes;
	str agent, session; /* who writes it; empty: ours */
	struct amfs_by by;  /* what the entry says, where that is something else */
	str patterns, artifacts, ttl; /* JSON text; empty: none */
	str format;                   /* amfsVersion; empty: ours */
	bool shared;
};

/* What goes with one change: a commit. */
struct amfs_commit {
	char id[AMFS_HASH];
	struct buf parents; /* JSON array */
	struct buf message;
	char at[32];
};

/* Write the entry as part of the commit; appends it as JSON. */
int amfs_write(struct amfs *a, const struct amfs_new *n, const struct amfs_commit *c,
	       struct buf *entry, struct err *e);
/* Append the version of r as an entry. */
void amfs_entry(const struct record_view *r, struct buf *out);
/* Its path and key as they were written: AMFS takes a/b with c and a with b/c for one entry, too. */
void amfs_name(const struct record_view *r, const struct jsonval *extra, str *path,
	       str *key);
/* What its provenance says. */
struct amfs_by amfs_provenance(const struct record_view *r, const struct jsonval *extra);
/* Members of the extra of a version: the document (to be freed) and the object, NULL when there is none. */
const struct jsonval *amfs_extra(const struct record_view *r, struct jsondoc **d);
/* Confidence and outcomes of a version, by its extra, else by our own reports. */
void amfs_believed(const struct record_view *r, double *confidence, uint64_t *outcomes);
double amfs_number(const struct jsonval *v, double fallback);

int amfs_commit_begin(struct amfs *a, struct amfs_commit *c, str agent, str message,
		      struct err *e);
/* It was written: later ones have it as their parent. */
void amfs_commit_done(struct amfs *a, const struct amfs_commit *c);
void amfs_commit_release(struct amfs_commit *c);
/* Append the array of commits, newest first; or the one with this id, or null. */
int amfs_commits(struct amfs *a, size_t limit, struct buf *out, struct err *e);
int amfs_one_commit(struct amfs *a, str id, struct buf *out, struct err *e);

#endif
