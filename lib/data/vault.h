/*
 * vault: the folder of notes that a person can read, edit and sync.
 *
 *   struct vault v;
 *   vault_open(&v, NULL, &e);                       where config_vault_dir says
 *   vault_document_new(&v, "tollgate", name, text, &e);
 *   vault_documents(&v, "tollgate", fn, arg, &e);
 *   vault_release(&v);
 *
 * Layout (docs/formats.md, "Vault"): <project>/{project.md,sessions/,entities/,handoffs/,archive/},
 * .index.db.handoff.lock, .index.db.handoff.tmp/. Folders 0700, files 0600. Opening creates
 * nothing; the first write does.
 *
 * A new or replaced file is written below the temporary folder, fsynced, renamed, and its
 * folder fsynced; an append is one write of a whole line and fdatasync (fs_append). Writers
 * hold the lock; readers never take it. What a call acknowledged is on disk. No path is
 * followed through a symbolic link below the vault's root: a project, folder or note that
 * is a link is refused.
 */
#ifndef DATA_VAULT_H
#define DATA_VAULT_H

#include "base/buf.h"
#include "base/err.h"

#define VAULT_NOTE_MAX     (4u << 20) /* bytes read of one note or document */
#define VAULT_LOCK_WAIT_MS 200
#define VAULT_LOCK_LONG_MS 2000 /* where a person waits for it, not the client */

struct vault {
	char *root;
	int lock; /* descriptor while held, else -1 */
};

/* root NULL: from the settings, with their failures (config_vault_dir). HF_EFORMAT when it exists and is no folder; HF_ENOTFOUND when there is no home to put it. */
int vault_open(struct vault *v, const char *root, struct err *e);
void vault_release(struct vault *v);
/* Again, for who keeps it open: HF_EFORMAT when something else has taken the folder's place. One that is gone is an empty vault. */
int vault_check(const struct vault *v, struct err *e);
bool vault_exists(const struct vault *v);
/* Take and give back the writer's lock; HF_ETIME when another process holds it for wait_ms. Not recursive. */
int vault_lock(struct vault *v, int wait_ms, struct err *e);
void vault_unlock(struct vault *v);

enum vault_folder {
	VAULT_PROJECT,
	VAULT_SESSIONS,
	VAULT_ENTITIES,
	VAULT_HANDOFFS,
	VAULT_ARCHIVE
};
/* Append the path of a folder, or of a file in it when name is non-empty. Names are checked with project_name_ok, and no project is one of project_name_taken. False (nothing appended) on a bad name. */
bool vault_path(const struct vault *v, enum vault_folder f, str project, str name,
		struct buf *b);
/* Read one file of a folder, at most out's room; HF_ENOTFOUND, HF_EFORMAT for links and foreign types. */
int vault_read(const struct vault *v, enum vault_folder f, str project, str name,
	       struct buf *out, struct err *e);
/* Create or replace one file durably; makes missing folders. The lock must be held. */
int vault_write(struct vault *v, enum vault_folder f, str project, str name, str text,
		struct err *e);
/* The same without forcing it to disk (fs_write_quick): for what can be made again. */
int vault_write_quick(struct vault *v, enum vault_folder f, str project, str name,
		      str text, struct err *e);
/* Append one line to a note that this program created, durably. The lock must be held. */
int vault_append(struct vault *v, enum vault_folder f, str project, str name, str line,
		 struct err *e);
/*
 * Add whole lines to a note, or create it with `head` before them, durably. The lock must
 * be held, and is given back whatever comes: as soon as the bytes are in the file, before
 * the disk is waited for, so that writers wait for each other for microseconds. A last line
 * without its newline gets one first. When a program replaces the note meanwhile (one that
 * knows nothing of the lock), what it wrote is looked through, and the lines are added again
 * unless they are in it.
 */
int vault_add(struct vault *v, enum vault_folder f, str project, str name, str head,
	      str text, struct err *e);
/*
 * Append the file name of an entity's note, with ".md": handoff-mcp's rule (event_entity_file).
 * Where the disk takes another name's file for this one, as those do that know no case or
 * store names normalised, a hash is added. Nothing is created.
 */
int vault_entity(const struct vault *v, str project, str name, struct buf *file,
		 struct err *e);
/* Rename a file between folders of one project, durably (same name). The lock must be held. */
int vault_move(struct vault *v, str project, enum vault_folder from, enum vault_folder to,
	       str name, struct err *e);
/* Remove what killed writers left: temporary files, also in the folders of a project ("" none). The lock must be held: nobody else writes. */
void vault_sweep(struct vault *v, str project);
int vault_remove(struct vault *v, enum vault_folder f, str project, str name,
		 struct err *e);
/* Names of files ending in `suffix`, in byte order; fn != 0 stops. A missing folder has none. */
int vault_each(const struct vault *v, enum vault_folder f, str project,
	       const char *suffix, int (*fn)(const char *name, void *arg), void *arg,
	       struct err *e);
/* Names of projects: folders with a name that is one. */
int vault_projects(const struct vault *v, int (*fn)(const char *name, void *arg),
		   void *arg, struct err *e);

#endif
