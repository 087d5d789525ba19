/*
 * outcome: what happened when somebody relied on a record, and what that does to confidence.
 *
 *   enum outcome_kind k;
 *   if (outcome_of(STR("success"), &k))
 *           c = outcome_apply(k, c);               0.80 becomes 0.84
 *
 * One table (outcome_table): a success closes a part of the gap to 1, a failure scales down.
 * For 0 < c < 1 the result stays inside, however often it is applied: it goes no further than
 * OUTCOME_LEAST and OUTCOME_MOST. 0 and 1 are reached only by a writer who says so, and even
 * then the next success or failure moves off them. Results are rounded to twelve decimal
 * places, so that they can be read, and are the same bits on every machine.
 */
#ifndef WORK_OUTCOME_H
#define WORK_OUTCOME_H

#include "base/str.h"

#define OUTCOME_LEAST 0.001
#define OUTCOME_MOST  0.999

enum outcome_kind {
	OUTCOME_SUCCESS,
	OUTCOME_PARTIAL,
	OUTCOME_MINOR_FAILURE,
	OUTCOME_FAILURE,
	OUTCOME_CRITICAL_FAILURE,
	OUTCOME_UNKNOWN,
	OUTCOME_KINDS
};

enum outcome_rule { OUTCOME_CLOSES, OUTCOME_SCALES, OUTCOME_KEEPS };

struct outcome_row {
	enum outcome_rule rule;
	double by;
};

extern const char *const outcome_names[OUTCOME_KINDS + 1]; /* the last is NULL */
extern const struct outcome_row outcome_table[OUTCOME_KINDS];

bool outcome_of(str name, enum outcome_kind *k);
/* c is within 0..1. */
double outcome_apply(enum outcome_kind k, double c);
/* A success counts as one, a failure as one; OUTCOME_KEEPS as neither. */
bool outcome_is_success(enum outcome_kind k);
bool outcome_is_failure(enum outcome_kind k);

#endif
