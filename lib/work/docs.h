/*
 * docs: the handoff documents of a project, and who has them.
 *
 *   struct docs d;
 *   docs_load(&d, &vault, project, &e);                newest first, live part of handoffs/
 *   const struct docs_item *it = docs_offer(&d, worktree, branch);
 *   docs_claim(&vault, project, it->name, session, &e);
 *   docs_release(&d);
 *
 * Status: live (its session runs) -> pending -> claimed -> consumed; superseded by a newer
 * document of the same line of work; consumed and superseded ones are moved to archive/,
 * the newest DOCS_ARCHIVE_PLAIN plain, older ones as .md.zst. The name is fixed at the
 * first write: <UTC>_<first 8 of the session id>.md. A change of status rewrites the front
 * matter's `status` and `claimed_by` lines and nothing else, under the vault's lock, and is
 * refused when the document is no longer in the state that it was seen in (two sessions:
 * one claims, the other is told).
 */
#ifndef WORK_DOCS_H
#define WORK_DOCS_H

#include "data/vault.h"
#include "work/handoff.h"

#define DOCS_ARCHIVE_PLAIN 5
#define DOCS_NAME_MAX      64
#define DOCS_MAX           512 /* documents looked at in one project */

enum docs_status { DOCS_LIVE, DOCS_PENDING, DOCS_CLAIMED, DOCS_CONSUMED, DOCS_SUPERSEDED, DOCS_ODD };

struct docs_item {
	char name[DOCS_NAME_MAX];
	enum docs_status status;
	enum handoff_kind kind;
	char *session, *claimed_by, *worktree, *branch, *head, *title, *created;
	char *text;    /* the whole document */
	size_t size;
	bool archived;
};

struct docs {
	struct docs_item *item; /* by name, newest first */
	size_t n;
	size_t odd;             /* files that are no documents */
};

/* archived: also those in archive/ (plain and packed). A missing project has none. */
int docs_load(struct docs *d, const struct vault *v, str project, bool archived, struct err *e);
void docs_release(struct docs *d);
/* The document of a session: the newest that is not archived; NULL. */
const struct docs_item *docs_of_session(const struct docs *d, str session);
/* The newest pending one of this worktree (NULL: none). */
const struct docs_item *docs_offer(const struct docs *d, str worktree);
const struct docs_item *docs_named(const struct docs *d, str name);

/* Append the name for a session's first document. */
void docs_name(struct buf *b, int64_t at, str session);
/* Write or replace a document (takes and gives back the lock). An automatic text never replaces a manual document: HF_EUSAGE. */
int docs_save(struct vault *v, str project, str name, str text, struct err *e);
/*
 * Move a document from one status to another; claimed_by is set to `session` for CLAIMED and
 * cleared for PENDING and LIVE. HF_EAMBIGUOUS when its status is not `from` (claimed_by of
 * the other in the message). CONSUMED and SUPERSEDED move it to archive/ and pack old ones.
 */
int docs_move(struct vault *v, str project, str name, enum docs_status from, enum docs_status to,
	      str session, struct err *e);
/* Text with its status and claimed_by lines replaced. */
void docs_with_status(struct buf *out, str text, enum docs_status s, str claimed_by);
const char *docs_status_name(enum docs_status s);

#endif
