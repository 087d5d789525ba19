/*
 * docs: the handoff documents of a project, and who has them.
 *
 *   struct docs d;
 *   docs_load(&d, &vault, project, false, &e);         newest first, live part of handoffs/
 *   const struct docs_item *it = docs_offer(&d, worktree);
 *   docs_move(&vault, project, str_of(it->name), DOCS_PENDING, DOCS_CLAIMED, session, &e);
 *   docs_release(&d);
 *
 * Status: live (its session runs) -> pending -> claimed -> consumed; superseded by a newer
 * document of the same line of work; consumed and superseded ones are moved to archive/,
 * the newest DOCS_ARCHIVE_PLAIN plain, older ones as .md.zst. The name is fixed at the
 * first write: <UTC>_<first 8 of the session id>.md. A change of status rewrites the front
 * matter's `status` and `claimed_by` lines and nothing else, under the vault's lock, and is
 * refused when the document is no longer in the state that it was seen in (two sessions:
 * one claims, the other is told).
 *
 * A writer that holds the vault's lock already keeps it; else it is taken and given back.
 *
 * Limits: DOCS_MAX documents of a project, the newest by name; a file over HANDOFF_DOC_MAX,
 * what lies beyond DOCS_BYTES_MAX in all, and a file without `type: handoff` is counted in
 * odd and left out.
 */
#ifndef WORK_DOCS_H
#define WORK_DOCS_H

#include "data/vault.h"
#include "work/handoff.h"

#define DOCS_ARCHIVE_PLAIN 5
#define DOCS_NAME_MAX      64
#define DOCS_MAX           512         /* documents looked at in one project */
#define DOCS_BYTES_MAX     (32u << 20) /* of all texts together */

enum docs_status {
	DOCS_LIVE,
	DOCS_PENDING,
	DOCS_CLAIMED,
	DOCS_CONSUMED,
	DOCS_SUPERSEDED,
	DOCS_ODD, /* a word that we do not know: never offered, never moved */
};

struct docs_item {
	char name[DOCS_NAME_MAX];
	enum docs_status status;
	enum handoff_kind kind; /* without one: MANUAL */
	/* of the front matter, decoded; "" when absent */
	char *session, *claimed_by, *worktree, *branch, *head, *title, *created;
	char *text; /* the whole document */
	size_t size;
	bool archived;
};

struct docs {
	struct docs_item *item; /* by name, newest first */
	size_t n;
	size_t odd; /* files that are no documents */
};

/* archived: also those in archive/ (plain and packed). A missing project has none. */
int docs_load(struct docs *d, const struct vault *v, str project, bool archived,
	      struct err *e);
/* The same for the newest `max` names of handoffs/ alone. */
int docs_load_newest(struct docs *d, const struct vault *v, str project, size_t max,
		     struct err *e);
void docs_release(struct docs *d);
/* The document of a session: the newest that is not archived; NULL. */
const struct docs_item *docs_of_session(const struct docs *d, str session);
/* The pending one of this worktree (or of none) that was made last; NULL: none. */
const struct docs_item *docs_offer(const struct docs *d, str worktree);
/* The same without the documents of this session itself. */
const struct docs_item *docs_offer_to(const struct docs *d, str worktree, str session);
const struct docs_item *docs_named(const struct docs *d, str name);

/* A document that lies elsewhere, also one without front matter: false when text is none. Give back with docs_item_release. */
bool docs_item_of(struct docs_item *it, str name, str text);
void docs_item_release(struct docs_item *it);
/* Append the text of one document by name, wherever it lies: handoffs/, archive/, packed. HF_ENOTFOUND. */
int docs_read(const struct vault *v, str project, str name, struct buf *text,
	      struct err *e);

/* One document by name (".md" may be missing), wherever it lies. To be released when 0; HF_ENOTFOUND, also for a file that is no document. */
int docs_get(const struct vault *v, str project, str name, struct docs_item *it,
	     struct err *e);
/* Names of what lies where documents do, in byte order, unread; archived: those of archive/ instead, as they were before they were packed. fn != 0 stops. */
int docs_names(const struct vault *v, str project, bool archived,
	       int (*fn)(const char *name, void *arg), void *arg, struct err *e);

/*
 * Append a name for a new document: its time and the head of the session's id, and a number
 * where that name is taken, in archive/ too: a session that is resumed after its notes were
 * used must not write over them.
 */
void docs_name(struct buf *b, const struct vault *v, str project, int64_t at,
	       str session);
/* Write or replace a document. An automatic or recovered text never replaces a manual document: HF_EUSAGE.
 * A live automatic one is not forced to disk: it is made again from the transcript. */
int docs_save(struct vault *v, str project, str name, str text, struct err *e);
/*
 * Move a document from one status to another; claimed_by is set to `session` for CLAIMED and
 * cleared for PENDING and LIVE. From CLAIMED only the session that holds it may move it (an
 * empty session: anyone). HF_EAMBIGUOUS when its status is not `from`, or another holds it
 * (who, in the message); HF_ENOTFOUND when it is gone. CONSUMED and SUPERSEDED move it to
 * archive/ and pack old ones.
 */
int docs_move(struct vault *v, str project, str name, enum docs_status from,
	      enum docs_status to, str session, struct err *e);
/* Append text with its status and claimed_by lines replaced (added where they are missing). Text without front matter is left as it is. */
void docs_with_status(struct buf *out, str text, enum docs_status s, str claimed_by);
/* Append text with one field of its front matter replaced; without that field, or without front matter, as it is. */
void docs_with_field(struct buf *out, str text, const char *key, str value);
const char *docs_status_name(enum docs_status s);

#endif
