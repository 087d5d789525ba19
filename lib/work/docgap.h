/*
 * docgap: the lines of Verify Before Continuing and Known Gaps.
 *
 * Verify holds commands: the checks that ran last, each with what it said, when, and whether
 * edits came after it; those that the plan asks for and nobody ran; what git should say. Known
 * Gaps are facts with an edge: what is missing, and the nearest thing that is known.
 */
#ifndef WORK_DOCGAP_H
#define WORK_DOCGAP_H

#include "data/gitstate.h"
#include "work/doc.h"

/* git: live state, NULL when it was not read. */
void docgap_verify(struct doc *d, const struct gitstate *git);

/* What the reader of the file knows about its damage. */
struct docgap_file {
	uint64_t losses, lost_bytes, loss_line, loss_off, loss_len;
	uint64_t foreign; /* records of another program */
	bool tail_cut;
	uint64_t abandoned; /* branches left behind by rewinds */
	int64_t since;      /* what was asked for; CLOCK_NONE = all */
};
/* After the focus filter, whose work is told here. */
void docgap_lines(struct doc *d, const struct docgap_file *file);

#endif
