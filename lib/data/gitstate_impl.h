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
 */
#ifndef DATA_GITSTATE_IMPL_H
#define DATA_GITSTATE_IMPL_H

#include "base/str.h"
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

/*
 * Branch, HEAD and files through the git program, run in dir. HF_ENOTFOUND: no such program;
 * HF_ETIME: it took too long; HF_EFORMAT: it refused, e tells why (r->g->kind is
 * GITSTATE_UNSAFE when it is for the owner). Nothing of the repository's own is run.
 */
int gitstate_git(struct gitstate_run *r, const char *dir, struct err *e);
/* HEAD and its branch from the files alone; GITSTATE_FAILED when they say nothing. */
void gitstate_direct(struct gitstate *g, const struct gitstate_place *p);

struct git_repository;
struct git_oid;
/* Fill g->ahead and g->behind. False when time or COMMITS_MAX ran out: then they stay 0. */
bool gitstate_distance(struct gitstate_run *r, struct git_repository *repo,
		       const struct git_oid *ours, const struct git_oid *theirs);
/*
 * Files of a repository with a work tree. HF_ENOTFOUND: the index is one that only git reads;
 * otherwise a failure leaves r->g without files.
 */
int gitstate_scan(struct gitstate_run *r, struct git_repository *repo, struct err *e);

#endif
