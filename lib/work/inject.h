/*
 * inject: what a session is told when it starts, is resumed, cleared or compacted.
 *
 *   inject_document(&text, item, &git, 8000);
 *
 * Plain factual sentences in a frame that says what this is, where it comes from and when:
 * notes of an earlier session, no instructions. Frame markers inside content are escaped.
 * Cut at line borders to a number of UTF-16 units, the essence first: drift and hazards,
 * Goal, Next, Verify, Known Gaps, then the rest. Same state, same bytes.
 */
#ifndef WORK_INJECT_H
#define WORK_INJECT_H

#include "data/gitstate.h"
#include "work/docs.h"

#define INJECT_UNITS_DEFAULT 8000
#define INJECT_LINE_MAX      200

/* One document in full, with drift against git (may be NULL). */
void inject_document(struct buf *out, const struct docs_item *item, const struct gitstate *git,
		     size_t units);
/* Other documents, one line each. */
void inject_others(struct buf *out, const struct docs *d, const struct docs_item *but, str worktree);
/* What a compaction loses: stated constraints, exact commands with results, paths in flight, errors, the last instruction, fresh git state. */
void inject_compact(struct buf *out, const struct facts *f, const struct gitstate *git, size_t units);
/* What the summarizer must keep word for word (PreCompact, automatic), or at most 300 characters (manual). */
void inject_keep(struct buf *out, const struct facts *f, bool manual);
/* What moved between a document and now, one line each ("- branch: was main, is topic"). */
void inject_drift(struct buf *out, const struct docs_item *item, const struct gitstate *git);

#endif
