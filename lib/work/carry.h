/*
 * carry: what earlier documents hand on to the one of this session: lineage and stated hazards.
 *
 *   struct carry c;
 *   carry_load(&c, &scope, &e);
 *   ... c.name[0..nname), c.hazard[0..nhazard), c.own ...
 *   carry_release(&c);
 *
 * The sources are the document that the session claimed and the one that it has itself; of the
 * session that /clear or a fork left only the hazards.
 * Hazards are whole lines ("- User: ..."), verbatim, each once, the oldest first; a retired one
 * is none. The session's own document is replaced by its next one, so it hands on its
 * lineage and not its name, unless somebody else has taken it up already.
 */
#ifndef WORK_CARRY_H
#define WORK_CARRY_H

#include "work/docs.h"
#include "work/scope.h"

#define CARRY_NAMES_MAX   64
#define CARRY_HAZARDS_MAX 4096 /* more than any budget allows */

struct carry {
	struct docs
		docs; /* all of the project, the archive too; backing of what follows */
	const struct docs_item
		*own; /* the session's document that may be replaced; NULL */
	const struct docs_item
		*taken; /* the session's document that another one has claimed; NULL */
	const struct docs_item *claimed; /* NULL */
	char *name[CARRY_NAMES_MAX];
	size_t nname;
	str hazard[CARRY_HAZARDS_MAX];
	uint64_t key[CARRY_HAZARDS_MAX]; /* private: hash of what makes it the same */
	size_t nhazard;
	size_t nearlier; /* the first ones: stated before this session's own document */
};

int carry_load(struct carry *c, const struct scope *s, struct err *e);
void carry_release(struct carry *c);
/*
 * The document whose hazards hold now: the session's own, else the claimed one, else, where no
 * session is given, the newest of this work tree that is not archived, else NULL.
 */
const struct docs_item *carry_current(const struct carry *c, const struct scope *s);

#endif
