/*
 * keep: keep the automatic handoff document of a session current.
 *
 *   keep_update(&vault, journal, KEEP_STOP, deadline_ns, &e);
 *
 * Incremental: the facts of what was read so far (extract_save) lie in the state folder,
 * facts/<session>.facts, with the transcript's offset, size, inode and a hash of the last
 * bytes before the offset; new records are added to them. When the transcript was cut or
 * replaced (the hash differs) it is read from the start. When the deadline comes in
 * between, what was read is stored and the next call goes on from there.
 *
 * Far behind, the time goes to reading, and what was read is stored now and then, so that
 * a hook that is killed has not read for nothing.
 *
 * What the journal knows of the session (id, project, work tree) stands in the document,
 * whatever directory its transcript begins in.
 *
 * A session without an edit, commit, open task, failing command or stated constraint
 * leaves no document. A manual document of the session is never overwritten: what happened
 * after it is added as a section "## Since this handoff" (KEEP_DELTA_MAX tokens).
 */
#ifndef WORK_KEEP_H
#define WORK_KEEP_H

#include "data/journal.h"
#include "data/vault.h"
#include "work/docs.h"
#include "work/extract.h"

#define KEEP_DELTA_MAX 400 /* tokens */

struct keep_done {
	bool current;          /* everything in the transcript is in the document */
	bool written;          /* a document was written */
	bool trivial;          /* nothing worth one */
	bool worked;           /* an edit, a commit or a finished task was seen */
	size_t derived;        /* events written */
	bool underived;        /* wanted, and yet to be written: no time, or no store */
	struct err derive_err; /* why they could not be */
	char name[DOCS_NAME_MAX];
};

struct keep_options {
	enum docs_status
		status; /* of the document to write: LIVE while it runs, else PENDING */
	enum handoff_kind kind; /* AUTO, or RECOVERED for a dead session */
	bool render;            /* false: only read on; no document is written */
	bool no_git;
	bool derive; /* what the records show goes into the session's note, see derive */
	bool ended;  /* SessionEnd came: the git state that was noted then stands */
	int64_t deadline_ns;
};

/*
 * Reads on, writes the document, and derives, as far as wanted; j tells afterwards how far each
 * has come. HF_ETIME: stored what there is, not current.
 */
int keep_update(struct vault *v, const char *state_dir, struct journal *j,
		const struct keep_options *o, struct keep_done *done, struct err *e);
/* The facts that are stored of a session so far (none read: an empty one); NULL without a transcript. The caller frees it. */
struct extract *keep_facts(const char *state_dir, const struct journal *j);
/*
 * Note the git state of a session that ends now (j->ended_at), when its document needs no
 * writing; keep_update with PENDING notes it by itself.
 */
void keep_note_git(const char *state_dir, const struct journal *j, int64_t deadline_ns);
/* Drop that note: nothing will be added to its document any more. */
void keep_forget_git(const char *state_dir, str session);
/* A turn is over: of what sub-agents gave back only what the transcript has yet to be told stays in the journal. */
void keep_agents_settle(const char *state_dir, struct journal *j);
/* Drop the stored facts of a session. */
int keep_forget(const char *state_dir, str session, struct err *e);

#endif
