/*
 * docplace: the lines of Environment and Files to Read.
 *
 * Environment begins with git: read now where the session's directory exists (with what
 * moved since it was recorded), else as recorded and said to be so. Then the commands that
 * ran, by program, failed ones marked, and the tools outside the everyday ones. Files to Read:
 * read for context, edited last, named but never opened.
 */
#ifndef WORK_DOCPLACE_H
#define WORK_DOCPLACE_H

#include "data/gitstate.h"
#include "work/doc.h"

/* Append the fixed lines about git (NULL: not read); brief: branch and HEAD only. */
void docplace_git(struct doc *d, const struct gitstate *git, bool brief, struct buf *out);
/* The branch as recorded: by the client, by git's own words, by the last commit; empty: on none, or not known. */
str docplace_branch(const struct facts *f);
void docplace_commands(struct doc *d);
void docplace_files(struct doc *d);

/* Shell commands changed files by their names. */
bool docplace_shelled(const struct facts *f);

#endif
