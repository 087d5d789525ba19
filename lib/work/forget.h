/*
 * forget: take a session or a project out of the vault, the state and the caches.
 *
 *   struct forget f;
 *   ret = forget_plan(&f, &scope, "7c1e42aa", &e);          what would go
 *   if (!ret)
 *           ret = forget_run(&f, &scope, &e);
 *   forget_release(&f);
 *
 * A session is named by its id or a unique beginning of it (8 characters and more), a project
 * by its folder; a session of which no journal and no document are left by its whole id, or by
 * the name of its note. What goes: documents, also archived and packed ones, the session's
 * notes with all events in them, journal entry, stored facts, ledger, what it was told of briefs, and lines of
 * the hooks' log; with a project its whole folder of the vault and all its sessions: those of
 * the journal, and those that its documents name. The caches are derived and are emptied. So
 * are temporary files of writers that were killed, which may hold whole notes.
 *
 * The client's own transcripts are not ours and stay. A session that runs is refused: its
 * hooks would write it anew.
 */
#ifndef WORK_FORGET_H
#define WORK_FORGET_H

#include "work/scope.h"

#define FORGET_PREFIX_MIN 8

struct forget_file {
	enum vault_folder folder;
	char *project, *name;
};

struct forget {
	char *project;            /* of which all goes; NULL: a session */
	struct forget_file *file; /* of the vault */
	size_t nfile;
	char **session; /* ids of which the state goes */
	size_t nsession;
};

/* HF_ENOTFOUND, HF_EAMBIGUOUS, HF_EUSAGE (it runs). f is to be released whatever comes back. */
int forget_plan(struct forget *f, const struct scope *s, const char *what, struct err *e);
int forget_run(const struct forget *f, struct scope *s, struct err *e);
void forget_release(struct forget *f);
/* What it is about: lines, or {"project":...,"files":[...],"sessions":[...],"done":bool}. */
void forget_show(const struct forget *f, bool done, bool json, struct buf *out);

#endif
