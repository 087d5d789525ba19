/*
 * gitstate_impl: what the files of gitstate share; nobody else includes it.
 *
 * gitstate.c       opens, reads HEAD, branch, upstream; decides who reads
 * gitstate_graph.c ahead and behind
 * gitstate_scan.c  index, work tree and ignore rules: which files differ
 * gitstate_walk.c  untracked files
 * gitstate_rename.c which staged files were renamed
 * gitstate_git.c   the same through the git program, for what libgit2 cannot read
 * gitstate_show.c  text and JSON
 * gitstate_load.c  back from JSON
 */
#ifndef DATA_GITSTATE_IMPL_H
#define DATA_GITSTATE_IMPL_H

#include <git2.h>

#include "base/io.h"
#include "data/gitindex.h"
#include "data/gitstate.h"

#define GITSTATE_MAX_FILES_DEFAULT 200

/* A reading under way. */
struct gitstate_run {
	struct gitstate *g;
	int64_t deadline_ns; /* 0 = none */
	size_t max_files;
	bool untracked_files;
	size_t cap; /* of g->file */
};

/* Where a repository lies, found without libgit2. All are malloc'ed, or NULL. */
struct gitstate_place {
	char *top;       /* folder that holds .git */
	char *gitdir;    /* this work tree's own: HEAD, index, MERGE_HEAD */
	char *commondir; /* shared: refs, config, objects */
};

const char *gitstate_kind_name(enum gitstate_kind kind);
bool gitstate_late(const struct gitstate_run *r);
/* Append "; text" to the note. */
void gitstate_say(struct gitstate *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Count one entry of the status and keep it if there is room. */
void gitstate_file_add(struct gitstate_run *r, str path, str from, char x, char y,
		       bool submodule);
/* Files of an operation in progress, stashes: the same for both readers. */
void gitstate_operation(struct gitstate *g, const char *gitdir);
void gitstate_stashes(struct gitstate *g, const char *commondir);
/* The first line of a small file without its line end; NULL when there is none. */
char *gitstate_line(const char *dir, const char *name);
/* False when a file that libgit2 would open for the repository at top is a FIFO or the like. */
bool gitstate_openable(const char *top);

/*
 * Branch, HEAD and files through the git program, run in dir. HF_ENOTFOUND: no such program;
 * HF_ETIME: it took too long; HF_EFORMAT: it refused, e tells why (r->g->kind is
 * GITSTATE_UNSAFE when it is for the owner). Nothing of the repository's own is run.
 */
int gitstate_git(struct gitstate_run *r, const char *dir, struct err *e);
/* HEAD and its branch from the files alone; GITSTATE_FAILED when they say nothing. */
void gitstate_direct(struct gitstate *g, const struct gitstate_place *p);
/* The branch from HEAD's own file: git says "(null)" of a ref outside refs/heads. */
void gitstate_head_name(struct gitstate *g, const struct gitstate_place *p);

/* --- one repository's index, work tree and what was found --- */

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
	size_t unhashed; /* files too large to read under a deadline */
	size_t unseen;   /* files and folders that could not be looked at */
};

enum gitstate_seen {
	GITSTATE_THERE,
	GITSTATE_ABSENT,
	GITSTATE_UNSEEN, /* the system refused; counted in s->unseen */
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

enum gitstate_seen gitstate_scan_lstat(struct gitstate_scan *s, const char *path,
				       struct stat *st);

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

/* --- what gitstate.c asks of the others --- */

/* Fill g->ahead and g->behind. False when time or COMMITS_MAX ran out: then they stay 0. */
bool gitstate_distance(struct gitstate_run *r, git_repository *repo, const git_oid *ours,
		       const git_oid *theirs);
/*
 * Files of a repository with a work tree. HF_ENOTFOUND: the index is one that only git reads;
 * otherwise a failure leaves r->g without files.
 */
int gitstate_scan(struct gitstate_run *r, git_repository *repo, struct err *e);

#endif
