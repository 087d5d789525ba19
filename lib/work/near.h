/*
 * near: the projects whose names are like one of which nothing is known.
 *
 *   char *names = NULL;
 *   ret = near_projects(ix, STR("lantrn"), &names, &e);
 *   if (names) ...                               "lantern, lantern-web"; to be freed
 *
 * Alike are names of which one stands in the other, whatever is no letter or digit left out,
 * or that differ in two letters. At most five, in the order of the index.
 */
#ifndef WORK_NEAR_H
#define WORK_NEAR_H

#include "base/err.h"
#include "data/index.h"

/* *names stays what it was when there is none. */
int near_projects(struct index *ix, str project, char **names, struct err *e);

#endif
