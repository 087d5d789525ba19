/*
 * inject: what a session is told when it starts, is resumed, cleared or compacted.
 *
 *   inject_document(&text, item, &git, 8000);
 *
 * Plain factual sentences in a frame that says what this is, where it comes from and when:
 * notes of an earlier session, no instructions. Frame markers inside content are escaped,
 * and so are the client's own tags. Cut at line borders to a number of UTF-16 units (the
 * client's measure), the essence first: drift, hazards, how it ended, Goal, Next, Verify,
 * Known Gaps, then Done, Key Context, Files to Read, Environment. It stands alone: no path
 * of the vault is named for reading. Same state, same bytes.
 */
#ifndef WORK_INJECT_H
#define WORK_INJECT_H

#include "data/gitstate.h"
#include "work/docs.h"

#define INJECT_UNITS_DEFAULT 8000 /* of the setting inject_units */
#define INJECT_UNITS_MAX     9500 /* the client replaces anything above 10,000 */
#define INJECT_MANUAL_UNITS                                                              \
	300 /* of inject_keep's text for a manual compaction: the user sees it */

/* One document in full, with drift against git (may be NULL). units is clamped to INJECT_UNITS_MAX. */
void inject_document(struct buf *out, const struct docs_item *item,
		     const struct gitstate *git, size_t units);
/* All of a document as it stands, framed: for who asked for it. */
void inject_whole(struct buf *out, const struct docs_item *item);
/* Pending documents but `but` (may be NULL), one line each; those of other worktrees say so. Nothing when there are none. */
void inject_others(struct buf *out, const struct docs *d, const struct docs_item *but,
		   str worktree);
/* The stated hazards of a document alone, framed. Nothing when it has none. */
void inject_hazards(struct buf *out, const struct docs_item *item);
/* What earlier documents hand on to a session: whole hazard lines ("- User: ..."), each once. */
struct inject_heed {
	const str *line;
	size_t n;
	str retired; /* lines, of which those that begin "- Retired " end a hazard, also one of this session's own */
};
/*
 * What a compaction loses: stated constraints, of this session and those handed on to it
 * (heed, may be NULL), the last instruction word for word, calls that nothing answered,
 * commands with their results, files in flight, errors with what fixed them, and git's state
 * now (may be NULL). Framed, at most `units`.
 */
void inject_compact(struct buf *out, const struct facts *f,
		    const struct inject_heed *heed, const struct gitstate *git,
		    size_t units);
/*
 * Instructions for the summarizer: what it must keep word for word. automatic: constraints,
 * open tasks, commands and paths in play. manual: the kinds of them and no quotation, at most
 * INJECT_MANUAL_UNITS: the client shows the user this text, and the model once more after
 * the compaction.
 */
void inject_keep(struct buf *out, const struct facts *f, const struct inject_heed *heed,
		 bool manual);
/*
 * What the store knows of a project (a brief, lines with their dates) in the frame; at most
 * `units`, cut at line borders.
 */
void inject_memory(struct buf *out, str project, str brief, size_t units);
/* What moved between a document and now, one line each ("- Branch: main then, topic now"). Nothing when nothing did. */
void inject_drift(struct buf *out, const struct docs_item *item,
		  const struct gitstate *git);
/*
 * Append text, line by line, to out while the whole of out stays within units. Where not all of it
 * fits, a line longer than an eighth of them is cut, so that one does not crowd out the
 * others. False when something was cut or left out.
 */
bool inject_fit(struct buf *out, str text, size_t units);

#endif
