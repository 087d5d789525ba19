/*
 * derive: what a transcript shows, as events in the session's note, for sessions whose agent
 * logs nothing by itself.
 *
 *   derive_run(&vault, state_dir, journal, extract_facts(x, NULL, CLOCK_NONE), 40, &added, &e);
 *
 * Written are the goal (the first request), what was decided or given up with the words that
 * did it, answers to questions, the approved plan, calls that the user refused with a reason,
 * the tasks that are open, files edited and commits. Only from records that are in the file,
 * with `origin=derived` and the record's uuid behind `from=`, each a sentence or a line of at
 * most DERIVE_TEXT_MAX bytes, at most a few of a kind and four in words a turn, below what an
 * agent logs itself (3 unless it says otherwise): files 1, all others 2. docs/extraction.md
 * has the rules.
 *
 * An event's id follows from its record's uuid, type and place, so that what was written is
 * known again: a second run adds nothing, and a copied transcript makes no twins. What the
 * note holds is remembered in STATE/facts/<session>.derived; of a note that is as it was
 * nothing is read, of one that grew what is new. A line that a person took out of the note
 * does not come back. A goal retires the derived goals of the project's newest notes; a next
 * step the one before it in its session, and those of sessions that are over.
 *
 * Will not: touch the index (the next one who asks brings it up to the note), or write
 * anything for a sub-agent's transcript.
 */
#ifndef WORK_DERIVE_H
#define WORK_DERIVE_H

#include "data/journal.h"
#include "data/vault.h"
#include "work/extract.h"

#define DERIVE_TEXT_MAX 300 /* bytes of one event's content */
#define DERIVE_NOTES                                                                     \
	16 /* newest notes of the project that are looked through for what a goal or step retires */

/*
 * Nothing is written, and 0 returned, where there is nothing new, or where the journal does not
 * know the project or the start of the session. *added (may be NULL): events.
 * HF_ETIME: the vault is held for longer than lock_ms. After a failure the next run goes on.
 */
int derive_run(struct vault *v, const char *state_dir, const struct journal *j,
	       const struct facts *f, int lock_ms, size_t *added, struct err *e);
/* Drop what is remembered of a session; nothing there is fine. */
int derive_forget(const char *state_dir, str session, struct err *e);

#endif
