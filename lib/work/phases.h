/*
 * phases: what recovery shows of a transcript: index, backbone, agents, single records.
 *
 *   phases_index(&src, path, &opt, &o, &e);
 *
 * Phase 1 (index): one entry a line, numbered by record: time, role, tool, size, first and
 * last characters, exit status, files and commands; then compactions, losses, abandoned
 * branches and how the session ended. Phase 2 (backbone): prompts and assistant texts.
 * Phase 3 (agents): each dispatch with its result, whatever the tool is called, from
 * tool results, <task-notification> texts, inline side chains and sub-agent files.
 * Phase 4 (show): records by number: a call with its result, a text whole.
 * All output goes through redact_show. Memory is bounded whatever the file's size; entries
 * are written as they are read.
 */
#ifndef WORK_PHASES_H
#define WORK_PHASES_H

#include "base/out.h"
#include "data/source.h"

struct phases_options {
	bool json;
	size_t ends; /* first/last characters shown of each text; 0 = default 80 */
	uint64_t first, last;   /* record range; 0 = all */
	int64_t since;          /* only records at or after; CLOCK_NONE = all */
	int64_t running_pid;    /* from claude_running */
	const char *claude_dir; /* for tasks and running state; may be NULL */
	void (*progress)(void *arg, uint64_t done,
			 uint64_t size); /* may be NULL; called now and then */
	void *progress_arg;
};

/* `path` names the session for messages, its id and its own folder; "-" for standard input. */
int phases_index(struct source *src, const char *path, const struct phases_options *o,
		 struct out *out, struct err *e);
int phases_backbone(struct source *src, const char *path, const struct phases_options *o,
		    struct out *out, struct err *e);
int phases_agents(struct source *src, const char *path, const struct phases_options *o,
		  struct out *out, struct err *e);
/*
 * Append the text of one record (both sides of a call) to out, at most out's room: what does
 * not fit is left out of the middle of its texts, and said. Overflow files in the session's
 * own folder (<persisted-output>) are followed. src is at its beginning; one JSON object
 * without a line end for json. HF_ENOTFOUND when there is no such record.
 */
int phases_show(struct source *src, const char *path, uint64_t record, bool json,
		struct buf *out, struct err *e);

#endif
