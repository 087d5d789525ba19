/*
 * names: what there is to name, one after the other, for who completes a word.
 *
 *   ret = names_each(NAMES_ENTITIES, &scope, fn, arg, &e);
 *
 * Looks at folders alone (of settings, at their table): nothing is opened, the index is not asked, nothing is written. At most
 * NAMES_MAX; in the order of the folders. A name with a secret in it, or with what a terminal would
 * obey, is passed over: a shell puts it into the command line.
 */
#ifndef WORK_NAMES_H
#define WORK_NAMES_H

#include "work/scope.h"

#define NAMES_MAX 5000

enum names_kind {
	NAMES_PROJECTS,
	NAMES_ENTITIES,  /* of the scope's project */
	NAMES_DOCUMENTS, /* the same */
	NAMES_RECORDS,
	NAMES_PACKETS,
	NAMES_SETTINGS, /* keys of config.json */
	NAMES_KINDS
};

/* "projects", ... */
const char *names_word(enum names_kind k);
bool names_kind_of(str word, enum names_kind *k);
/* fn != 0 stops and is returned. */
int names_each(enum names_kind k, const struct scope *s, int (*fn)(str name, void *arg),
	       void *arg, struct err *e);

#endif
