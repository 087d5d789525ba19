/*
 * catalog: which sessions there are, and which one is meant.
 *
 *   struct catalog c;
 *   catalog_load(&c, &opt, &e);                  newest activity first
 *   catalog_release(&c);
 *
 *   struct catalog_pick p;
 *   catalog_find(&opt, "38fb3e7a", &p, &e);      path, "-", id or unique prefix
 *   catalog_dead(&opt, &p, &e);                  nothing named: the most recent dead one
 *   catalog_pick_release(&p);
 *
 * What a session is comes from its head and tail (work/glance) and is kept in a cache file
 * keyed by path, size, mtime and inode, exact counts too where a whole pass was made. The
 * cache is derived: a missing, damaged or foreign one is ignored and written anew, and one
 * that cannot be written is done without. Whether a process still runs is never cached.
 *
 * A session belongs to the project of the first `cwd` in its records (data/project); only
 * where no record has one does the folder's name decide.
 *
 * Invariants: as in glance, what is to be shown is redacted and safe, in the cache too;
 * path, id and cwd are raw. Files that cannot be read are counted, not listed; so are files
 * without a conversation, which the client cannot open either.
 * Limits: about 1 KB of memory a session; CATALOG_CACHE_MAX bytes of cache.
 */
#ifndef WORK_CATALOG_H
#define WORK_CATALOG_H

#include "base/out.h"
#include "data/claude.h"
#include "work/glance.h"

#define CATALOG_CACHE_MAX  (32u << 20)
#define CATALOG_PREFIX_MIN 4  /* characters of an id that may name a session */
#define CATALOG_SHOWN_MAX  10 /* candidates named when a prefix is ambiguous */
#define CATALOG_ID_CHARS   8  /* of an id in tables, more where they would be equal */

struct catalog_item {
	char *path, *id;
	uint64_t size; /* bytes on disk */
	int64_t mtime_ns;
	ino_t ino;
	struct glance g;
	int64_t running_pid; /* 0: not known to run; else g.kind is ENDING_RUNNING */
};

struct catalog {
	struct catalog_item *item;
	size_t n;
	size_t others;  /* sessions of other projects */
	size_t alive;   /* sessions left out by dead_only */
	size_t empty;   /* files without a conversation */
	size_t skipped; /* files and project folders that could not be read */
	char *problem;  /* one line about the first of them, or NULL */
};

struct catalog_options {
	const char *claude_dir; /* NULL: from the environment */
	const char *
		project; /* a directory, which need not exist any more; NULL: all projects */
	const char *
		current; /* id of the session that asks: never the dead one; may be NULL */
	bool exact;      /* count by reading whole files */
	bool dead_only;
	bool ids_only; /* a name from outside: never a path, never standard input */
	size_t limit;  /* newest N; 0 = all */
	void (*progress)(void *arg, uint64_t done, uint64_t size);
	void *progress_arg;
};

/* HF_ENOTFOUND when there is no folder of sessions. c may be released after a failure. */
int catalog_load(struct catalog *c, const struct catalog_options *o, struct err *e);
void catalog_release(struct catalog *c);
/* Shortest length, at least CATALOG_ID_CHARS, at which the ids of all items differ. */
size_t catalog_id_chars(const struct catalog *c);
/* A table for people, times in UTC; with the directory of each session if `places`. Nothing for no session. */
void catalog_list(const struct catalog *c, bool places, struct out *o);
/* {"format":1,"sessions":[...],"others":n,"empty":n,"skipped":n} */
void catalog_list_json(const struct catalog *c, struct out *o);

struct catalog_pick {
	char *path; /* "-" for standard input */
	char *id;   /* file name without its suffixes; "" for standard input */
	int64_t running_pid;
};

/*
 * name: "-", a path (has a slash, ends in .jsonl or .zst, or exists as a file), an id, or a
 * unique prefix of one, looked for in all projects; with ids_only the last two alone. HF_ENOTFOUND; HF_EAMBIGUOUS names up to
 * CATALOG_SHOWN_MAX candidates. The file behind a path is not opened: source_open tells.
 */
int catalog_find(const struct catalog_options *o, const char *name,
		 struct catalog_pick *p, struct err *e);
/* The most recent dead session of the project; HF_ENOTFOUND says what there is instead. */
int catalog_dead(const struct catalog_options *o, struct catalog_pick *p, struct err *e);
/*
 * The rule of `/recover X`: true when X is meant as a session (it resolves to one, or is
 * written like one: an id, CATALOG_PREFIX_MIN or more hexadecimal digits of which one is 0 to 9, a transcript's file name, the full
 * path of anything), false when it is words to focus on.
 */
bool catalog_is_session(const struct catalog_options *o, const char *x);
/* The same, and whatever there is a file or folder of, however its path is spelled: opening it says what is wrong with it. */
bool catalog_is_named(const struct catalog_options *o, const char *x);
/*
 * 0 when `path` may be written: it is not the transcript that src reads, and does not lie in
 * the client's folder, where nothing is ours. Else HF_EUSAGE. "-" is no file.
 */
int catalog_spared(const struct catalog_options *o, const struct source *src,
		   const char *path, struct err *e);
void catalog_pick_release(struct catalog_pick *p);

#endif
