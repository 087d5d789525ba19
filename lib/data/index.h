/*
 * index: the SQLite FTS5 index that is derived from the vault; disposable, rebuilt without asking.
 *
 *   struct index *ix;
 *   if (index_open(&ix, &vault, 50, &e) == 0) ...
 *   reindex_run(...);                               work/reindex fills it
 *   index_active(ix, project, EVENT_GOAL, fn, arg, &e);
 *   index_free(ix);
 *
 * Owner of sqlite3. Lies in $XDG_CACHE_HOME/handoff/<vault id>/index.db, and in the vault
 * (.index.db.handoff.db) only where no cache can be written; where neither can, it is a
 * temporary one of this process alone, that is gone with it. WAL: readers never wait for a
 * writer. One handle is for one thread.
 *
 * Errors: HF_ETIME when another process writes for longer than busy_ms (go on without);
 * HF_EFORMAT when the file turns out damaged, in whatever call: index_renew (reindex_run calls it)
 * makes it anew, empty; then ask again (recall_again, store_again). HF_EIO and index_stuck: the
 * file cannot be written; index_detach goes on without it. Callbacks: != 0 stops and is returned;
 * texts in an item are borrowed until the callback returns.
 */
#ifndef DATA_INDEX_H
#define DATA_INDEX_H

#include "base/buf.h"
#include "base/err.h"
#include "data/event.h"
#include "data/vault.h"

struct index;

/* The schema is checked by looking at it: what is damaged, older or newer is made anew, empty. */
int index_open(struct index **ix, const struct vault *v, int busy_ms, struct err *e);
void index_free(struct index *ix);
/* Where it lies (borrowed); "" when in no file. */
const char *index_path(const struct index *ix);
/* Why it lies in no file, a line; NULL: it does. */
const char *index_homeless(const struct index *ix);
/* Grows whenever another database is opened or begun: what was read into it before may not be there. */
unsigned index_opened(const struct index *ix);
/* Append the folder of the cache in which the index of this vault belongs, with what else is derived from it; false when there is none. */
bool index_place(const struct vault *v, struct buf *b);
/* A call met damage: nothing more can be read until index_renew. */
bool index_damaged(const struct index *ix);
/* Take the file away and begin an empty one; another process may have done so already, then its file is opened. */
int index_renew(struct index *ix, struct err *e);
/* The file, its log or its folder was removed or replaced: open what is there, or begin anew. Two stats when nothing happened. */
int index_follow(struct index *ix, struct err *e);
/* No file can be opened or written here: no space, no permission, a file system that is read-only. */
bool index_stuck(const struct index *ix);
/* Leave the file for an empty temporary one; `why` is kept for index_homeless. */
int index_detach(struct index *ix, const char *why, struct err *e);
/* The whole vault has been read once: what it says is not a part only. */
bool index_complete(struct index *ix);

/* --- what is in it --- */

enum index_kind {
	INDEX_EVENT,    /* of a session note */
	INDEX_FACT,     /* a bullet or paragraph of an entity note */
	INDEX_SUMMARY,  /* what a session was checkpointed with */
	INDEX_DOCUMENT, /* a section of a handoff document */
	INDEX_RECORD,   /* a versioned record */
	INDEX_KINDS
};

/* Why an item is not active: bits of `retired`. */
enum {
	INDEX_SUPERSEDED = 1, /* another event names it */
	INDEX_ARCHIVED = 2,   /* its note lies in archive/ */
	INDEX_TWIN = 4,       /* the same line stands in an earlier file of the project */
};

struct index_item {
	int64_t row;
	enum index_kind kind;
	enum event_type type; /* events only */
	enum event_origin origin;
	int importance;
	unsigned retired; /* 0: active */
	int64_t at_us;    /* 0: unknown */
	str id; /* event id; of facts the entity's name, of documents and summaries the file's */
	str project, session;
	str name; /* entity's name, section's heading, record's address */
	str body;
	int percent; /* records only: their confidence */
	int64_t file;
	int pos;   /* neighbours: same file, pos +- 1 */
	bool done; /* its session's note is checkpointed */
};

typedef int index_fn(const struct index_item *it, void *arg);

/* Active events of a project: what was logged, then derived, then imported; in each importance and time falling, then as they stand in their file, then by id. */
int index_active(struct index *ix, str project, enum event_type t, index_fn *fn,
		 void *arg, struct err *e);
/* How many of each type, without reading them; imported ones are not counted. */
int index_counts(struct index *ix, str project, size_t active[EVENT_TYPES],
		 struct err *e);
/* The same, of the session notes in whose names `part` stands. */
int index_session_counts(struct index *ix, str project, str part,
			 size_t active[EVENT_TYPES], struct err *e);
/* When the newest session note of a project began, that of session `but` aside, and whose it is (appended to session, unless NULL); 0: there is none. */
int index_last_session(struct index *ix, str project, str but, int64_t *started_us,
		       struct buf *session, struct err *e);
/* Active next steps of a project in the order of their ids. */
int index_steps(struct index *ix, str project, index_fn *fn, void *arg, struct err *e);
/* First line of an entity's note; nothing appended, HF_ENOTFOUND, when there is no such note. */
int index_entity_summary(struct index *ix, str project, str name, struct buf *out,
			 struct err *e);
/*
 * Records of which an outcome was reported, the newest report first: what title and summary of
 * their files say (struct index_file), and when it was (started_us). fn != 0 stops and is returned.
 */
int index_judged(struct index *ix,
		 int (*fn)(str title, str summary, int64_t at_us, void *arg), void *arg,
		 struct err *e);
/* All projects by name; newest_us of the active events. */
int index_projects(struct index *ix,
		   int (*fn)(str project, size_t active, int64_t newest_us, void *arg),
		   void *arg, struct err *e);
/* Entities of a project by file name. */
int index_entities(struct index *ix, str project,
		   int (*fn)(str name, str summary, size_t facts, void *arg), void *arg,
		   struct err *e);
/* One event by id, or by a unique beginning of it: HF_ENOTFOUND, HF_EAMBIGUOUS. Of several with the same id the first by file name, those in archive/ last. Its file's name for those who edit. */
int index_event(struct index *ix, str id,
		int (*fn)(const struct index_item *it, enum vault_folder folder,
			  str file_name, void *arg),
		void *arg, struct err *e);
/* The ids of the events that name this one, and of those that it names. */
int index_retired_by(struct index *ix, str id, int (*fn)(str newer, void *arg), void *arg,
		     struct err *e);
int index_retires(struct index *ix, str id, int (*fn)(str older, void *arg), void *arg,
		  struct err *e);
/* One item by row; HF_ENOTFOUND. */
int index_row(struct index *ix, int64_t row, index_fn *fn, void *arg, struct err *e);
/* Items of a file with pos from..to. */
int index_span(struct index *ix, int64_t file, int from, int to, index_fn *fn, void *arg,
	       struct err *e);
/* What follows until index_rollback sees one state, whatever others write meanwhile. */
int index_snapshot(struct index *ix, struct err *e);
/*
 * The same for who asks much at once, from wherever: one lock for all statements, not one for each. *mine is
 * false when the caller's caller has a snapshot or writes; index_let_go ends what this began.
 */
int index_hold(struct index *ix, bool *mine, struct err *e);
void index_let_go(struct index *ix, bool mine);

/* --- search (index_match.c, index_pick.c) --- */

struct index_query {
	str text;    /* plain words; nothing in it is syntax */
	str project; /* "": all */
	bool retired_too;
	size_t rows_max; /* rows that the first pass may follow, about; 0: the usual number */
	unsigned kinds; /* bits 1 << INDEX_*; 0: all */
	int type;       /* enum event_type, -1: all */
	int64_t since_us,
		until_us; /* at_us from, and before; 0: open; with either, items without a time are left out */
	size_t limit, offset;
};

struct index_stats {
	size_t matched; /* items in which a word of the question occurs, before filters */
	bool cut;       /* there are more: common words alone were not followed */
	size_t asked,
		used; /* different words of the question; those that were looked for, the rarest of them */
};

/*
 * Hits best first, from offset on; fn != 0 stops and is returned. docs/search.md says how they
 * are ranked. Ties: newer, more important, id. An event whose id, or a beginning of it that no other
 * has, stands in the question comes before all of them, also when it is retired. stats may be NULL.
 */
int index_match(struct index *ix, const struct index_query *q,
		int (*fn)(const struct index_item *it, double score, void *arg),
		void *arg, struct index_stats *stats, struct err *e);
/*
 * Active events of q->type in q->project (both must be given) that have words of q->text, the best
 * first, about a hundred at most; ties: newer. Stop words find nothing. Asks for nothing
 * else, and ranks by an event's own words alone: for who wants one event out of many, fast.
 */
int index_pick(struct index *ix, const struct index_query *q, index_fn *fn, void *arg,
	       struct err *e);
/* Items outside of a project in which a word of text occurs, or whose id stands in it; counts to max. */
int index_elsewhere(struct index *ix, str text, str project, size_t max, size_t *hits,
		    struct err *e);
/* The words of a text as the index holds them: folded, cut, stemmed; fn != 0 stops and is returned. */
int index_words(struct index *ix, str text, int (*fn)(str token, void *arg), void *arg);
/*
 * The same of a question that is asked in a project: each word once, of more than 32 the rarest there, without
 * those that say nothing of what it is about in one of the languages (English, German, French, Spanish, Italian,
 * Portuguese, Dutch, Russian), whatever they mean in another ("die", "plus").
 */
int index_content_words(struct index *ix, str project, str text,
			int (*fn)(str token, void *arg), void *arg, struct err *e);

/* --- the write side (reindex): all between index_begin and index_commit --- */

/* HF_ETIME when another process writes. */
int index_begin(struct index *ix, struct err *e);
int index_commit(struct index *ix, struct err *e);
/* Also ends a snapshot; nothing when there is neither. */
void index_rollback(struct index *ix);

/* What is odd in a file: bits of `odd`. */
enum {
	INDEX_ODD_UTF8 = 1 << 0, /* invalid UTF-8 */
	INDEX_ODD_NUL = 1 << 1,
	INDEX_ODD_TORN = 1 << 2,    /* the last line has no end */
	INDEX_ODD_GLUED = 1 << 3,   /* two events on one line */
	INDEX_ODD_FRONT = 1 << 4,   /* a session note without front matter */
	INDEX_ODD_TWICE = 1 << 5,   /* a key twice */
	INDEX_ODD_NAME = 1 << 6,    /* project or id in it are not those of its path */
	INDEX_ODD_LINE = 1 << 7,    /* looks like an event and is none */
	INDEX_ODD_LONG = 1 << 8,    /* a line over the limit: left out */
	INDEX_ODD_BIG = 1 << 9,     /* the file is over the limit: its rest left out */
	INDEX_ODD_TYPE = 1 << 10,   /* no regular file: a folder, FIFO, link */
	INDEX_ODD_READ = 1 << 11,   /* could not be read */
	INDEX_ODD_EMPTY = 1 << 12,  /* 0 bytes */
	INDEX_ODD_TIME = 1 << 13,   /* a time that is none */
	INDEX_ODD_SECRET = 1 << 14, /* held a secret: left out of the index */
	INDEX_ODD_PACKED = 1 << 15, /* compressed, and damaged */
};
#define INDEX_ODDS 16
/* Those by which something that stands in the file is not in the index; of a file that cannot be read what was known stays. */
#define INDEX_ODD_LACKS                                                                  \
	(INDEX_ODD_LINE | INDEX_ODD_LONG | INDEX_ODD_BIG | INDEX_ODD_TYPE |              \
	 INDEX_ODD_READ | INDEX_ODD_PACKED)

struct index_file {
	int64_t id; /* 0: not in the index yet */
	enum vault_folder folder;
	str project, name;
	int64_t mtime_ns; /* with size and ino: what the file looked like when it was read */
	uint64_t size, ino;
	uint64_t parsed,
		hash; /* the first `parsed` bytes have this hash and are in the index */
	int items;    /* next pos */
	str session;
	int64_t started_us; /* of a record: when it was judged last; 0 never */
	bool done;
	str title, summary;
	unsigned odd;
	uint64_t skipped; /* lines of a session note: INDEX_ODD_LINE, INDEX_ODD_LONG */
};

/* Find a file; 0 with f->id 0 when it is not there. Texts in f are copied into `texts`. */
int index_file_find(struct index *ix, enum vault_folder folder, str project, str name,
		    struct index_file *f, struct buf *texts, struct err *e);
/* Files of a folder in byte order of their names; only id, name, mtime_ns, size, ino and odd are set. */
int index_file_each(struct index *ix, enum vault_folder folder, str project,
		    int (*fn)(const struct index_file *f, void *arg), void *arg,
		    struct err *e);
/* Files with one of the bits of `which`, of a project ("" all), by project, folder, name; no times and no texts are set. */
int index_odd(struct index *ix, str project, unsigned which,
	      int (*fn)(const struct index_file *f, void *arg), void *arg, struct err *e);
/* Write its row; f->id is set. */
int index_file_put(struct index *ix, struct index_file *f, struct err *e);
/* Take its items and edges out; the row stays. */
int index_file_clear(struct index *ix, int64_t file, struct err *e);
/* The row too. */
int index_file_drop(struct index *ix, int64_t file, struct err *e);

struct index_put {
	enum index_kind kind;
	enum event_type type;
	enum event_origin origin;
	int importance;
	int64_t at_us;
	str id; /* "": none of its own */
	str name, body;
	int percent;    /* records only: their confidence, 0 to 100 */
	str supersedes; /* ids joined by ',' */
};

/* Add an item at f->items, which moves on. f->id must be set. */
int index_item_put(struct index *ix, struct index_file *f, const struct index_put *p,
		   struct err *e);
/* When a folder was listed last, its mtime was this; 0: not yet. */
int index_folder_time(struct index *ix, enum vault_folder folder, str project,
		      int64_t *mtime_ns, struct err *e);
int index_folder_put(struct index *ix, enum vault_folder folder, str project,
		     int64_t mtime_ns, struct err *e);
/* Files that were changed after `since_ns`, or too lately to tell, of all projects; no records. */
int index_file_recent(struct index *ix, int64_t since_ns,
		      int (*fn)(const struct index_file *f, void *arg), void *arg,
		      struct err *e);
int index_set_complete(struct index *ix, struct err *e);
/* Much will be written: more memory (32 MB) for it, and the words are put in order only when it is switched off. Outside transactions. */
void index_bulk(struct index *ix, bool on);
/* Projects that have files here, also those that are gone from the vault. */
int index_project_each(struct index *ix, int (*fn)(str project, void *arg), void *arg,
		       struct err *e);
/* Changes whenever another connection has written. */
int64_t index_version(struct index *ix);

#endif
