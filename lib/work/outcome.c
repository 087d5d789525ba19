#include "work/outcome.h"

#include <math.h>

#define PLACES 1e12 /* confidence is kept to twelve decimal places */

const char *const outcome_names[OUTCOME_KINDS + 1] = {
	[OUTCOME_SUCCESS] = "success",
	[OUTCOME_PARTIAL] = "partial",
	[OUTCOME_MINOR_FAILURE] = "minor_failure",
	[OUTCOME_FAILURE] = "failure",
	[OUTCOME_CRITICAL_FAILURE] = "critical_failure",
	[OUTCOME_UNKNOWN] = "unknown",
};

const struct outcome_row outcome_table[OUTCOME_KINDS] = {
	[OUTCOME_SUCCESS] = {OUTCOME_CLOSES, 0.20},
	[OUTCOME_PARTIAL] = {OUTCOME_CLOSES, 0.08},
	[OUTCOME_MINOR_FAILURE] = {OUTCOME_SCALES, 0.85},
	[OUTCOME_FAILURE] = {OUTCOME_SCALES, 0.65},
	[OUTCOME_CRITICAL_FAILURE] = {OUTCOME_SCALES, 0.40},
	[OUTCOME_UNKNOWN] = {OUTCOME_KEEPS, 0},
};

bool outcome_of(str name, enum outcome_kind *k)
{
	for (int i = 0; i < OUTCOME_KINDS; i++) {
		if (str_eq(name, str_of(outcome_names[i]))) {
			*k = (enum outcome_kind)i;
			return true;
		}
	}
	return false;
}

static double rounded(double c)
{
	volatile double scaled = c * PLACES, whole = floor(scaled + 0.5);

	return whole / PLACES;
}

/* Each step is rounded to a double by itself: no compiler may join two into one. */
double outcome_apply(enum outcome_kind k, double c)
{
	const struct outcome_row *row = &outcome_table[k];
	volatile double gap, part, next;

	switch (row->rule) {
	case OUTCOME_CLOSES:
		gap = 1 - c;
		part = gap * row->by;
		next = c + part;
		next = rounded(next);
		/* where it began above the edge it stays there */
		return next > OUTCOME_MOST ? (c > OUTCOME_MOST ? c : OUTCOME_MOST) : next;
	case OUTCOME_SCALES:
		next = c * row->by;
		next = rounded(next);
		return next < OUTCOME_LEAST ? (c < OUTCOME_LEAST ? c : OUTCOME_LEAST)
					    : next;
	default:
		return c;
	}
}

bool outcome_is_success(enum outcome_kind k)
{
	return outcome_table[k].rule == OUTCOME_CLOSES;
}

bool outcome_is_failure(enum outcome_kind k)
{
	return outcome_table[k].rule == OUTCOME_SCALES;
}
