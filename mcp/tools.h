/*
 * tools: one row each, in the order of tools/list. A new tool is a struct tool in a file of its
 * kind, its name below, and a row in the table of tools.c (docs/HACKING.md).
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "base/out.h"
#include "server.h"
#include "work/params.h"

#define TOOL_PARAMS_MAX 12

enum { /* hints of a tool: none means that it adds something, here, each time anew */
       TOOL_READS = 1 << 0, /* changes nothing */
       TOOL_DESTROYS = 1 << 1,
       TOOL_IDEMPOTENT = 1 << 2,
       TOOL_OUTSIDE = 1 << 3, /* reaches beyond this machine */
};

struct call {
	struct server *s;
	const struct param_value *v; /* in the order of the tool's params */
	struct buf *
		text; /* what the tool says; redacted and made safe to show by the caller */
	struct buf *data; /* the same as a JSON object, for tools with an output schema */
	str token;        /* JSON text of the progress token; empty: none is wanted */
	str called;       /* the name it was called by, which may be an alias */
	str args;         /* the JSON text of the arguments; empty: none were given */
	int64_t told_ns;  /* of progress */
	uint64_t told;
};

struct tool {
	const char *name;
	const char *text; /* when to call it and what comes back */
	const struct param *param;
	size_t nparams;
	unsigned hints;
	const char *output;               /* JSON schema of call.data; NULL: text alone */
	bool (*wanted)(struct server *s); /* listed and run only then; NULL: always */
	/* A failure is told to the model with e's message: what is wrong and what to do. */
	int (*run)(struct call *c, struct err *e);
};

#define TOOL_PARAMS(list) .param = (list), .nparams = sizeof(list) / sizeof((list)[0])

extern const struct tool tool_get_brief, tool_log_event, tool_search_memory,
	tool_note_entity, tool_checkpoint;                        /* tools_memory.c */
extern const struct tool tool_recover_session, tool_recover_read; /* tools_recover.c */

extern const struct tool tool_memory_write, tool_memory_read, tool_memory_search,
	tool_memory_outcome, tool_memory_stats, tool_handoff_create,
	tool_handoff_pickup; /* tools_record.c */

/* For progress members of options: arg is the struct call. */
void tools_progress(void *arg, uint64_t done, uint64_t size);
/* A line for each tool. */
void tools_help(struct out *o);

#endif
