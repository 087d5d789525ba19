/*
 * memory: the store of a server, opened when something first needs it.
 *
 *   struct store *st = memory_open(s, project, &e);        project "": the session's
 *   if (!st) return e.code;
 *   ret = memory_brief(st, project, tokens, &text, &e);
 *
 * Opened anew when the client's root has become known since. Each opening of a call brings the
 * index up to what the vault holds.
 */
#ifndef MCP_MEMORY_H
#define MCP_MEMORY_H

#include "server.h"
#include "work/store.h"

struct memory {
	struct store store;
	char *dir;       /* what it was opened for; NULL: not open */
	const char *off; /* by what it was switched off at the last memory_open, NULL */
};

/*
 * The store, with the session looked up. NULL when it cannot be opened, or is switched off for this
 * project; the message says which. Borrowed.
 */
struct store *memory_open(struct server *s, str project, struct err *e);
/* The last memory_open gave nothing because it is switched off: by what. Else NULL. */
const char *memory_off(const struct server *s);
/* Append that, in one sentence, for who asked. */
void memory_say_off(struct buf *out, const char *off);
/* The project that "" stands for, or the one given; valid until the next call about the store. */
str memory_project(const struct store *st, str project);
/* Nothing told which project this is: "default" is used. */
bool memory_is_default(const struct store *st, str project);
/* Fails when there is no index: what only the index can tell cannot be told. */
int memory_index(struct store *st, str project, bool all, struct err *e);
/* Append a line when not all could be asked: another program is reading the notes into the index, or some may not be read. project "": all. */
void memory_partial(const struct store *st, str project, struct buf *out);
/* tokens < 0: the usual number. */
int memory_brief(struct store *st, str project, int64_t tokens, struct buf *out,
		 struct err *e);
void memory_release(struct server *s);

#endif
