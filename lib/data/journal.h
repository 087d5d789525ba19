/*
 * journal: which sessions opened, closed, died.
 *
 *   struct journal *j = journal_open(state_dir, session_id, &e);      found or new
 *   j->last_event_at = clock_now();
 *   journal_save(j, &e);
 *   journal_free(j);
 *
 * One small JSON file a session, STATE/journal/<session id>.json (0600), replaced
 * atomically. A session that is over and of which nothing is left to do is retired: its file
 * lies in journal/done/, where only journal_open and journal_each_done look, so that what
 * every start of a session has to read stays small however many there have been. It is disposable: without it a session's end is judged by its transcript
 * alone. Unknown keys of a newer version are dropped when an older one saves; nothing
 * depends on them. Session ids are checked ([A-Za-z0-9._-]{1,64}, no leading dot), so that
 * an id from outside is never a path.
 *
 * A session *died* when it has no end, its process is gone (pid, start time, boot id, host
 * and pid namespace are those of this machine), see journal_process.
 */
#ifndef DATA_JOURNAL_H
#define DATA_JOURNAL_H

#include "base/buf.h"
#include "base/err.h"

#define JOURNAL_ID_MAX 64
#define JOURNAL_LIST_MAX                                                                 \
	16 /* names kept of each list: offered documents, what was shown */
#define JOURNAL_FILE_MAX (64u << 10)

enum journal_state {
	JOURNAL_OPEN,
	JOURNAL_ENDED,  /* SessionEnd came */
	JOURNAL_FORKED, /* another session id appeared in its process */
	JOURNAL_SWITCHED,
	JOURNAL_RECOVERED, /* died, and its document is made */
};

struct journal_process {
	int64_t pid;    /* the client */
	uint64_t start; /* field 22 of /proc/<pid>/stat; 0 where there is no /proc */
	char boot[40];  /* /proc/sys/kernel/random/boot_id */
	char host[72];
	uint64_t pidns; /* inode of /proc/self/ns/pid; 0 unknown */
};

struct journal {
	char session[JOURNAL_ID_MAX + 1];
	enum journal_state state;
	struct journal_process process;
	char *transcript; /* path as the client gave it */
	char *dir;        /* directory of its first event, frozen */
	char *project, *project_id, *worktree;
	char *source;  /* of SessionStart: startup, resume, clear, compact, fork, ... */
	char *reason;  /* of SessionEnd; of StopFailure in failure */
	char *failure; /* last StopFailure's error, cleared by the next Stop */
	char *last_message; /* last assistant message, from Stop's input; redacted, cut */
	char *previous;     /* session that /clear, fork or resume came from */
	char *document;     /* name of its own handoff document, once it has one */
	char *claimed;      /* name of the document it claimed */
	char *vault;        /* where its MCP server keeps the memory, when it said so */
	char *offered
		[JOURNAL_LIST_MAX]; /* names of documents offered to it, NULL-terminated unless full */
	char *shown
		[JOURNAL_LIST_MAX]; /* hashes of texts injected since the last compaction */
	char *agents
		[JOURNAL_LIST_MAX]; /* what sub-agents gave back, "TYPE ID: words", until the transcript has it; redacted, cut */
	int64_t started_at, last_event_at, ended_at;
	int64_t said_at;  /* when last_message was said; CLOCK_NONE */
	uint64_t offset;  /* of the transcript: what its document covers */
	uint64_t records; /* record number at that offset */
	uint64_t derived; /* offset up to which its events are in its session's note */
	uint64_t ino;     /* of the transcript at that time */
	bool headless, worked, manual,
		noticed; /* worked: an edit, a commit, a finished task; manual: its document was written, not made */
	bool compacting; /* PreCompact came, and no start from the summary since */
	bool prompted;   /* a real prompt came since a document was offered */
	bool is_new;     /* journal_open found no file */
	bool done;       /* its file lies, or is to lie, in journal/done/ */
	char *path;      /* of the file */
	uint64_t saved;  /* private: hash of what the file holds */
};

bool journal_id_ok(str session);
/* NULL and HF_EUSAGE for a bad id. A damaged file is taken as none (is_new). Never NULL otherwise. */
struct journal *journal_open(const char *state_dir, str session, struct err *e);
/* Nothing is written when the file holds the same already. */
int journal_save(struct journal *j, struct err *e);
/* Save it in journal/done/. Clearing j->done and saving brings it back. */
int journal_retire(struct journal *j, struct err *e);
int journal_remove(struct journal *j, struct err *e);
void journal_free(struct journal *j);
/* Replace an owned string field (NULL or empty clears it). */
void journal_set(char **field, str value);
/* Put name at the front of a list, once; the oldest falls out. */
void journal_list_add(char *list[JOURNAL_LIST_MAX], str name);
bool journal_list_has(char *const list[JOURNAL_LIST_MAX], str name);
void journal_list_clear(char *list[JOURNAL_LIST_MAX]);

/* Call fn for every session of the journal that is not retired, newest last_event first is NOT promised; fn owns nothing. fn != 0 stops. */
int journal_each(const char *state_dir, int (*fn)(struct journal *j, void *arg),
		 void *arg, struct err *e);
/* The same for those that are. */
int journal_each_done(const char *state_dir, int (*fn)(struct journal *j, void *arg),
		      void *arg, struct err *e);

/*
 * The entry of the open session that process `pid` of this machine runs, the one with the
 * newest event if there are several; NULL when there is none. The caller frees it.
 */
struct journal *journal_running(const char *state_dir, int64_t pid);

#define JOURNAL_PRUNE_MAX 200 /* entries removed by one call */

struct journal_limits {
	size_t keep;         /* retired entries that stay: the newest */
	int64_t since;       /* and of these, those that were retired since (ms) */
	int64_t deadline_ns; /* on clock_mono_ns, 0 = none: the rest is left to the next call */
};

/* Remove retired entries beyond the limits, the oldest first. gone (may be NULL) hears of each. */
int journal_prune(const char *state_dir, const struct journal_limits *o,
		  void (*gone)(const char *session, void *arg), void *arg, struct err *e);

/* This machine, and the process `pid` on it (start 0 when it is gone). */
void journal_process_of(struct journal_process *p, int64_t pid);
enum journal_alive { JOURNAL_ALIVE, JOURNAL_GONE, JOURNAL_UNKNOWN };
/* Is that process still the one that runs here? UNKNOWN on another host or in another pid namespace; GONE after a reboot. */
enum journal_alive journal_alive(const struct journal_process *p);

#endif
