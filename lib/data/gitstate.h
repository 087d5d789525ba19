/*
 * gitstate: what git says about a directory, read-only. The only module that includes git2.h.
 *
 *   struct gitstate g;
 *   gitstate_read(&g, "/home/dev/project", &opt);     never fails: g.kind and g.note tell
 *   ...
 *   gitstate_release(&g);
 *
 * The files are those of `git status --porcelain`, renames included, also where the user's
 * own config or ignore rules matter. Nothing is written (no index refresh, no lock) and
 * nothing of the repository's own is run: no hook, filter, fsmonitor, pager or transport.
 * Repositories that libgit2 cannot read (SHA-256 objects, reftable, partial clone, split
 * index, unknown extensions) go through the git program within the deadline; failing that,
 * HEAD and its branch come from their files and g.note says in one line what is missing.
 * safe.directory is honoured: a repository of another owner is GITSTATE_UNSAFE, HEAD unread.
 *
 * Invariant: what could not be looked at is never told as unchanged: then g.partial is set
 * and g.note says what.
 * Will not: run filter drivers (a file behind git-lfs that was touched counts as modified);
 * look into submodules when the git program reads; follow core.worktree to another folder.
 */
#ifndef DATA_GITSTATE_H
#define DATA_GITSTATE_H

#include "base/buf.h"
#include "base/err.h"

enum gitstate_kind {
	GITSTATE_REPO,
	GITSTATE_NONE,   /* not inside a repository */
	GITSTATE_NO_DIR, /* the directory does not exist */
	GITSTATE_BARE,
	GITSTATE_UNSAFE, /* owned by someone else */
	GITSTATE_FAILED, /* could not be read: note says why */
};

enum gitstate_flag {
	GITSTATE_STAGED = 1,
	GITSTATE_MODIFIED = 2, /* changed in the work tree, not staged */
	GITSTATE_UNTRACKED = 4,
	GITSTATE_CONFLICTED = 8,
	GITSTATE_DELETED = 16,
	GITSTATE_RENAMED = 32,
	GITSTATE_SUBMODULE = 64, /* a submodule whose HEAD or content moved */
};

struct gitstate_file {
	char *path; /* relative to the top level; a folder of untracked files ends in '/' */
	char *from;     /* renamed: the old path; else NULL */
	unsigned flags; /* gitstate_flag */
	char xy[3];     /* as `git status --porcelain`: "M ", " M", "??", "UU" */
};

struct gitstate {
	enum gitstate_kind kind;
	bool unborn; /* no commit yet */
	bool detached;
	bool linked_worktree;
	bool shallow;
	bool by_git;     /* read through the git program */
	bool partial;    /* the deadline cut it short: note says what was left out */
	char *top;       /* work tree's top level, real path; NULL when bare */
	char *common;    /* the git directory that linked worktrees share, real path */
	char *branch;    /* short name; NULL when detached */
	char *head;      /* full hex id; NULL when unborn */
	char *subject;   /* first line of HEAD's message */
	int64_t head_at; /* committer time, ms; CLOCK_NONE */
	char *upstream;  /* short name; NULL */
	bool upstream_gone;
	size_t ahead, behind;
	size_t staged, modified, untracked, conflicted, stashes, submodules;
	const char *
		operation; /* "merge", "rebase", "cherry-pick", "revert", "bisect", "am" or NULL */
	char *operation_branch; /* the branch a rebase or bisect goes back to; NULL */
	struct gitstate_file *
		file; /* conflicts, other changes, untracked, each by path; at most max_files */
	size_t nfiles, nfiles_all;
	char *note; /* one clear line, or NULL */
};

struct gitstate_options {
	int64_t deadline_ns; /* clock_mono_ns() time to stop at; 0 = none */
	size_t max_files;    /* paths to keep; counts go on. 0 = 200 */
	bool untracked_files; /* list files inside untracked folders (as --untracked-files=all) */
};

/*
 * Never fails and never blocks past the deadline by more than one file's work. o may be NULL:
 * no deadline, 200 files.
 */
void gitstate_read(struct gitstate *g, const char *dir, const struct gitstate_options *o);
void gitstate_release(struct gitstate *g);
/*
 * Append the Environment lines of a handoff document, for a repository
 *   Branch: main · HEAD: abc1234 "subject" · ahead of origin/main by 2 · 1 stash
 *   In progress: rebase of `feature/x`
 *   Linked worktree; its repository is `/home/dev/project/.git`
 *   Dirty files: `M  a.c`, `?? b/` and 3 more
 *   Not certain: the note
 * where the second, third and last stand only when they apply; else one line that says why
 * not. Every text in it is shown safely (utf8_show); paths are exact.
 */
void gitstate_show(const struct gitstate *g, struct buf *out, size_t max_files);
/* The same as a JSON object. */
void gitstate_json(const struct gitstate *g, struct buf *out);
/*
 * What gitstate_json has written, for a state that is to be shown again later: at most 200
 * files, and none of them told to be a submodule. False (and GITSTATE_FAILED) when it is
 * something else. To be released whatever comes back.
 */
bool gitstate_load(struct gitstate *g, str json);

#endif
