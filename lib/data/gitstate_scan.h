/*
 * gitstate_scan: one repository's index, work tree and what was found; shared by the passes
 * gitstate_scan.c, gitstate_walk.c and gitstate_rename.c. Nobody else includes it.
 */
#ifndef DATA_GITSTATE_SCAN_H
#define DATA_GITSTATE_SCAN_H

#include <git2.h>

#include "data/gitindex.h"
#include "data/gitstate_impl.h"

#define GITSTATE_DEADLINE_EVERY 64  /* files between two looks at the clock */
#define GITSTATE_DEPTH_MAX      200 /* folders open at once */

#define GITSTATE_MODE_TYPE    0170000u
#define GITSTATE_MODE_LINK    0120000u
#define GITSTATE_MODE_GITLINK 0160000u
#define GITSTATE_MODE_REGULAR 0100000u

struct gitstate_staged {
	char *path;
	char *from; /* renamed: old path */
	char x;
	git_oid id; /* A: of the new content, else of the old */
	uint32_t mode;
};

struct gitstate_queue;

struct gitstate_scan {
	struct gitstate_run *r;
	struct gitstate_queue *queue;
	size_t owner; /* entry of the outermost repository this submodule belongs to, or STR_NPOS */
	git_repository *repo;
	git_config *config;
	struct buf path; /* "/top/" and behind it what is looked at */
	size_t top_n;
	struct buf bytes; /* the index file */
	struct gitindex x;
	int64_t index_s, index_ns; /* its time */
	char *y;                   /* work tree column, by index entry; 0 = unchanged */
	struct gitstate_staged *staged;
	size_t nstaged, staged_cap;
	struct buf names; /* untracked, each with a NUL */
	size_t nnames;
	unsigned ticks;
	bool filemode, symlinks, sparse, late;
	size_t unhashed;
};

/* Look at the clock now and then; once late, always late. */
static inline bool gitstate_scan_late(struct gitstate_scan *s)
{
	if (!s->late && ++s->ticks % GITSTATE_DEADLINE_EVERY == 0)
		s->late = gitstate_late(s->r);
	return s->late;
}

/* The absolute path of rel, NUL-terminated, valid until the next call; NULL when too long. */
static inline const char *gitstate_scan_full(struct gitstate_scan *s, str rel)
{
	buf_cut(&s->path, s->top_n);
	buf_add(&s->path, rel);
	return s->path.full ? NULL : buf_cstr(&s->path);
}

static inline str gitstate_scan_entry(const struct gitstate_scan *s, size_t i)
{
	return (str){s->x.entry[i].path, s->x.entry[i].path_n};
}

static inline bool gitstate_scan_bool(struct gitstate_scan *s, const char *key,
				      bool fallback)
{
	int v;

	return git_config_get_bool(&v, s->config, key) == 0 ? v != 0 : fallback;
}

/* Borrowed from the config; NULL when it is not set. */
static inline const char *gitstate_scan_text(struct gitstate_scan *s, const char *key)
{
	const char *v = NULL;

	return git_config_get_string(&v, s->config, key) == 0 ? v : NULL;
}

/* Untracked names into s->names. all: the files in untracked folders; first_only: stop at one. */
void gitstate_walk(struct gitstate_scan *s, bool all, bool first_only);
/* Turn pairs of A and D among the staged changes into R. */
void gitstate_rename(struct gitstate_scan *s);

#endif
