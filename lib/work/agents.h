/*
 * agents: sub-agents of a session: each dispatch paired with its result, in every shape.
 *
 *   struct agents *a = agents_new();
 *   agents_add(a, rec);                     all records, file order
 *   agents_files(a, "projects/x/ID.jsonl"); what their own files tell (optional)
 *   for (i = 0; i < a->n; i++) ... a->item[i]
 *   agents_free(a);
 *
 * A dispatch is known by the tool's name (Task, Agent), by a subagent_type in its input, or
 * by an agentId in its result. Its result comes as tool_result, as <task-notification>
 * (prompt, queued_command or queue-operation; by tool-use-id or task-id; repeated ones are
 * one), from an inline side chain (clients up to 1.0), from agent_progress records, or from
 * the agent's own file: <session>/subagents/agent-ID.jsonl, or agent-ID.jsonl beside the
 * session (2.0). An agent file that ends in a call of its own says what ran at death.
 *
 * Limits: the newest AGENTS_MAX dispatches are kept, a->dropped counts the rest; texts are
 * what the reader's caps leave, cut to AGENTS_TEXT_MAX. All strings are raw: redact them.
 */
#ifndef WORK_AGENTS_H
#define WORK_AGENTS_H

#include "data/transcript.h"
#include "work/ending.h"

#define AGENTS_MAX       512
#define AGENTS_TEXT_MAX  2048
#define AGENTS_FILES_MAX 256 /* files of agents that are read */

enum agent_state {
	AGENT_OPEN, /* no result: it ran when the session ended, or still runs */
	AGENT_DONE,
	AGENT_FAILED, /* an error result, or a notification that says failed, killed, stopped */
	AGENT_LAUNCHED, /* in the background, no notification seen */
};

struct agent_text {
	char *p; /* malloc'ed, NULL when empty */
	size_t n;
	uint64_t size; /* bytes in the file */
};

struct agent {
	uint64_t
		call; /* record of the dispatch; 0: only its result or side chain was seen */
	uint64_t
		result; /* record of the result or the first final notification, 0 = none */
	int64_t started, ended; /* CLOCK_NONE */
	enum agent_state state;
	bool background;
	char tool[64], id[80]; /* the dispatch's name and tool_use id */
	char agent_id[80], type[64], status[32];
	struct agent_text description, prompt, answer;
	int64_t tokens, tools, ms; /* as the client counted them; -1 unknown */
	/* its own records */
	char *file;         /* path, NULL = none found */
	uint64_t records;   /* in its file, or inline */
	struct ending *end; /* how its file ends; NULL without a file */
	/* private */
	uint64_t id_hash, prompt_hash, side_hash;
};

struct agents {
	struct agent *item; /* in order of dispatch */
	size_t n;
	uint64_t dropped;
	struct agents_state *st;
};

struct agents *agents_new(void);
void agents_add(struct agents *a, const struct record *r);
/* Find and read agent files of the session file; unreadable ones are passed over. */
void agents_files(struct agents *a, const char *session_path);
/* The agent that this tool_use id dispatched, or NULL. */
const struct agent *agents_find(const struct agents *a, str tool_use_id);
const char *agents_state_name(enum agent_state s);
void agents_free(struct agents *a);

#endif
