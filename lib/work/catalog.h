/*
 * catalog: which sessions there are, and which one is meant.
 *
 *   struct catalog c;
 *   catalog_load(&c, &opt, &e);               newest first
 *   catalog_find(&c, "38fb3e7a", &i, &e);     path, id or unique prefix
 *   catalog_release(&c);
 *
 * From heads and tails: HEAD_BYTES at the start and TAIL_BYTES at the end of each file give
 * id, cwd, branch, title, times and the ending. What was found is kept in a cache file keyed
 * by (path, size, mtime, inode), with exact record counts where a whole pass was made; the
 * cache is derived and may be deleted. A session belongs to the project of the `cwd` in its
 * records; the folder's name is only used to skip folders that cannot match.
 */
#ifndef WORK_CATALOG_H
#define WORK_CATALOG_H

#include "data/claude.h"
#include "work/ending.h"

#define CATALOG_HEAD_BYTES (64u << 10)
#define CATALOG_TAIL_BYTES (256u << 10)

struct catalog_item {
	char *path, *id, *cwd, *branch, *title, *version;
	uint64_t size;
	int64_t started, ended;   /* ms, CLOCK_NONE */
	int64_t mtime_ms;
	int64_t records;          /* -1 unknown */
	int64_t prompts;          /* human prompts; -1 unknown */
	enum ending_kind kind;
	bool dead;
	char *reason, *evidence;
	int64_t running_pid;
};

struct catalog {
	struct catalog_item *item;
	size_t n;
	size_t skipped;           /* files that could not be read */
	char *problem;            /* one line about them, or NULL */
};

struct catalog_options {
	const char *claude_dir;   /* NULL: from the environment */
	const char *project;      /* directory; NULL: no filter */
	bool exact;               /* count records and prompts by reading whole files */
	bool dead_only;
	size_t limit;             /* newest N; 0 = all */
	void (*progress)(void *arg, uint64_t done, uint64_t size);
	void *progress_arg;
};

int catalog_load(struct catalog *c, const struct catalog_options *o, struct err *e);
/*
 * name: a path (has a slash, ends in .jsonl or .zst, or exists), an id, or a unique prefix of
 * one (4 characters or more). HF_EAMBIGUOUS lists up to ten candidates in the message.
 */
int catalog_find(const struct catalog *c, const char *name, size_t *i, struct err *e);
/* The most recent dead session; HF_ENOTFOUND says what there is instead. */
int catalog_dead(const struct catalog *c, size_t *i, struct err *e);
void catalog_release(struct catalog *c);

#endif
