/*
 * claude: where the client keeps its sessions.
 *
 *   claude_each_session(dir, NULL, fn, arg, &e);     all projects
 *
 * Layout: DIR/projects/<encoded cwd>/<session>.jsonl (older sub-agent files agent-*.jsonl
 * beside them are no sessions), <session>/subagents/agent-<id>.jsonl and .meta.json,
 * <session>/tool-results/; DIR/sessions/<pid>.json for running clients; DIR/tasks/<session>/
 * <n>.json; DIR/history.jsonl. The folder name is lossy: only `cwd` in the records says
 * which project a session belongs to.
 */
#ifndef DATA_CLAUDE_H
#define DATA_CLAUDE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"

#define CLAUDE_ID_MAX 64

struct claude_file {
	const char *path;   /* whole */
	const char *id;     /* file name without .jsonl (and .zst) */
	const char *folder; /* the encoded project folder's name */
	uint64_t size;
	int64_t mtime_ns;
	ino_t ino;
};

/*
 * Call fn for every session file below DIR/projects (regular files only, links not
 * followed), in no particular order. folder non-NULL: only that project folder. fn != 0
 * stops and is returned. A missing folder is HF_ENOTFOUND.
 */
int claude_each_session(const char *dir, const char *folder,
			int (*fn)(const struct claude_file *f, void *arg), void *arg,
			struct err *e);
/* The same in all projects; unread is called with a line for each project folder that cannot be read. */
int claude_each_told(const char *dir, int (*fn)(const struct claude_file *f, void *arg),
		     void (*unread)(const char *why, void *arg), void *arg,
		     struct err *e);
/* Append the folder name for a working directory (3.2 of the format facts: UTF-16 units outside [A-Za-z0-9] become '-'; over 200 units: hashed). */
void claude_encode(struct buf *b, str cwd);

struct claude_live {
	int64_t pid;
	char session[CLAUDE_ID_MAX];
};
/*
 * The process that runs this session now, from DIR/sessions/<pid>.json: the pid exists and
 * its start time (field 22 of /proc/<pid>/stat) equals procStart. 0 when none is known.
 */
int64_t claude_running(const char *dir, str session);

struct claude_task {
	char *id, *subject, *description,
		*status; /* status: pending, in_progress, completed, ... */
};
/* Tasks of a session (DIR/tasks/<session>/<n>.json), sorted by numeric id. *out is malloc'ed, free with claude_tasks_free. */
int claude_tasks(const char *dir, str session, struct claude_task **out, size_t *n,
		 struct err *e);
void claude_tasks_free(struct claude_task *t, size_t n);

struct claude_agent_file {
	char *path, *id, *type, *description,
		*tool_use_id; /* from the .meta.json beside it; "" when unknown */
	uint64_t size;
};
/* Sub-agent files of the session file: <session>/subagents/agent-*.jsonl, and older agent-*.jsonl in the same folder are not listed (their sessionId decides; see agents in work/session). */
int claude_agents(const char *session_path, struct claude_agent_file **out, size_t *n,
		  struct err *e);
void claude_agents_free(struct claude_agent_file *a, size_t n);
/*
 * Open a file that a transcript names, only if it lies inside the session's own folder
 * (path without .jsonl) after resolving, reached through no symbolic link. Appends at most
 * out's room. HF_ENOTFOUND, HF_EFORMAT (outside, link, no regular file).
 */
int claude_own_file(const char *session_path, str named, struct buf *out, struct err *e);

/* Prompts typed in a session, from DIR/history.jsonl, oldest first: the last resort when the transcript is gone. */
int claude_history(const char *dir, str session,
		   int (*fn)(int64_t at, str project, str display, void *arg), void *arg,
		   struct err *e);

#endif
