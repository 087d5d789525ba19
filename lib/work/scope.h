/*
 * scope: what a command is about: the vault, the project, the session.
 *
 *   struct scope s;
 *   ret = scope_open(&s, "38fb3e7a-...", NULL, &e);         session and directory may be NULL
 *   ... s.vault, s.project, s.worktree, s.j ...
 *   scope_release(&s);
 *
 * A session that the journal knows decides where it is: its project and its work tree were
 * frozen at its first event, whatever the current directory is now. Without one, the
 * directory does: the one given, else CLAUDE_PROJECT_DIR, else the current one.
 *
 * Invariants: nothing is written. project is a name that can be a folder of the vault.
 */
#ifndef WORK_SCOPE_H
#define WORK_SCOPE_H

#include "data/journal.h"
#include "data/project.h"
#include "data/vault.h"

struct scope {
	struct vault vault;
	char *state_dir;   /* "" when there is no place for it */
	char *claude_dir;  /* the same */
	char *session;     /* as given, "" when none was */
	char *project;     /* folder in the vault */
	char *dir;         /* where the session was started, or the directory */
	char *worktree;    /* top level of the repository around it, else dir */
	struct journal *j; /* of the session; NULL when the journal does not know it */
};

/* HF_EUSAGE for a session id that is none. s is to be released whatever comes back. */
int scope_open(struct scope *s, const char *session, const char *dir, struct err *e);
void scope_release(struct scope *s);
/* HF_ENOTFOUND when a session was given that neither the journal nor a document of the project knows. */
int scope_known(const struct scope *s, struct err *e);
/* The session runs now, and its hooks with it. */
bool scope_runs(const struct scope *s);
/* Identify the project of s->dir once more, with everything that is known of it. */
int scope_identify(const struct scope *s, struct project *p, struct err *e);

#endif
