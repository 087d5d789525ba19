/*
 * supersede: which event a new one retires when it names none by id.
 *
 *   supersede_match(ix, project, EVENT_DECISION, STR("csv for readings"), take, &found, &e);
 *
 * The best match by keyword among the active events of that type in that project, however
 * many retired ones or ones of other types fit better. A match has to be about the same
 * thing: words that say nothing ("the", "dans", "это") do not count, of four words or more two have
 * to be there, unless the one that is there is a name (`v1.2`, `utf8`).
 */
#ifndef WORK_SUPERSEDE_H
#define WORK_SUPERSEDE_H

#include "data/index.h"

#define SUPERSEDE_WORDS 32 /* of a query; the rest is passed over */

/* fn is called for the match, once, or not at all. 0, or what the index says. */
int supersede_match(struct index *ix, str project, enum event_type type, str query,
		    index_fn *fn, void *arg, struct err *e);

#endif
