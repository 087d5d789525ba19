/*
 * gitindex: the entries and the cached trees of a git index file (.git/index).
 *
 *   struct gitindex x;
 *   if (gitindex_parse(&x, bytes, &e) == 0)
 *           for (i = 0; i < x.n; i++)
 *                   ...x.entry[i].path, gitindex_stat(&x.entry[i], &st)...
 *   gitindex_release(&x);
 *
 * Why not libgit2's own reader: it hides the cached trees (with which an unchanged folder
 * is known as unchanged without reading one tree object) and takes five times as long.
 *
 * Invariants: entries are in strict order of path, then stage; every path is relative,
 * without empty, ".", ".." or ".git" parts, so it may be joined to the top level. Paths end
 * in NUL. Everything points into `bytes` or into memory of the index.
 * Limits: versions 2 to 4, SHA-1 ids. A split or sparse index, or any other extension that
 * must be understood, is HF_ENOTFOUND (ask git); damage is HF_EFORMAT.
 * Will not: check the checksum at the end (nor does git when it reads).
 */
#ifndef DATA_GITINDEX_H
#define DATA_GITINDEX_H

#include "base/buf.h"
#include "base/err.h"

#define GITINDEX_MAX_BYTES (256u << 20)
#define GITINDEX_PATH_MAX  4096
#define GITINDEX_ID_BYTES  20
#define GITINDEX_PATHS_MAX (128u << 20) /* all paths of a version 4 index, unpacked */

struct gitindex_entry {
	const unsigned char *raw; /* the fixed part on disk */
	const char *path;
	uint32_t path_n;
	uint8_t stage;      /* 0, or 1 to 3 in a conflict */
	bool assume_valid;  /* do not look at the file */
	bool skip_worktree; /* outside the sparse checkout */
	bool intent_to_add; /* git add -N */
};

/* The recorded stat data; seconds and nanoseconds are cut to 32 bits, as on disk. */
struct gitindex_stat {
	uint32_t ctime_s, ctime_ns, mtime_s, mtime_ns, ino, mode, uid, gid, size;
};

struct gitindex_tree {
	str name; /* last part of the path; the root's is empty */
	const unsigned char
		*id; /* of the tree object, NULL when something below changed */
	uint32_t self,
		parent;   /* numbers of it and of the tree around it; the root is 0, 0 */
	uint32_t entries; /* index entries below, when id is set */
};

struct gitindex {
	struct gitindex_entry *entry;
	size_t n;
	struct gitindex_tree
		*tree; /* sorted by parent, then name; the first is the root */
	size_t ntrees;
	struct buf paths; /* version 4 */
};

/* On failure x is empty. An empty text is an empty index. */
int gitindex_parse(struct gitindex *x, str bytes, struct err *e);
void gitindex_release(struct gitindex *x);
void gitindex_stat(const struct gitindex_entry *en, struct gitindex_stat *st);
uint32_t gitindex_mode(const struct gitindex_entry *en);
const unsigned char *gitindex_id(const struct gitindex_entry *en);
/* First entry in [from, to) whose path does not sort before `path`. */
size_t gitindex_lower(const struct gitindex *x, size_t from, size_t to, str path);
/* End of the run of entries that start with prefix; the entry at `from` is the first of it. */
size_t gitindex_prefix_end(const struct gitindex *x, size_t from, size_t to, str prefix);
/* The cached tree `name` in tree number `parent`, or NULL. */
const struct gitindex_tree *gitindex_child(const struct gitindex *x, uint32_t parent,
					   str name);

#endif
