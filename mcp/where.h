/*
 * where: which directory this server works for, and which session runs it.
 *
 *   struct where w;
 *   where_init(&w);
 *   where_root(&w, path);             what the client named as its root, if it was asked
 *   const char *dir = where_dir(&w);  "": none is known
 *
 * The directory is CLAUDE_PROJECT_DIR, else the client's first root, else the current one, as for
 * the commands and for handoff-mcp. Nothing is ever created relative to it. The session is the one that the journal knows of the parent process, looked up
 * at every call (after /clear the id changes under the server), else CLAUDE_CODE_SESSION_ID.
 */
#ifndef MCP_WHERE_H
#define MCP_WHERE_H

#include "base/buf.h"
#include "work/scope.h"

struct where {
	char *state_dir; /* "" when there is no place for it */
	char *root;      /* the client's; NULL */
	char *cwd; /* the current directory, as it was when it was first needed; "" when it is gone */
};

void where_init(struct where *w);
void where_release(struct where *w);
void where_root(struct where *w, const char *path);
/* Never NULL: "" when none is known. */
const char *where_dir(struct where *w);
/* Only the client could still tell: no session, no variable. */
bool where_is_open(const struct where *w);
/* Append the session's id; nothing when none is known. */
void where_session(const struct where *w, struct buf *id);
/* The session, its project and directory, as for a command. */
int where_scope(struct where *w, struct scope *s, struct err *e);
/* The vault of this server is that of the session: noted in its journal, for its hooks. */
void where_note_vault(const struct where *w, const char *vault);

#endif
