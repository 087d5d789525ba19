/*
 * gitsaid: what git printed, read back.
 *
 *   struct gitsaid_head h = gitsaid_head(output);      of `git status`
 *   str rest = output;
 *   while (gitsaid_entry(&rest, &mark, &path))
 *           ...
 *
 * `git status` in its long form, its short one (also -b), and the headers of porcelain v2, in
 * English, see git-status(1). Texts are borrowed from the output. What is not known is passed over.
 */
#ifndef WORK_GITSAID_H
#define WORK_GITSAID_H

#include "base/str.h"

struct gitsaid_head {
	str branch;     /* empty: not told, or none */
	str detached;   /* what HEAD was set to; empty: it is on a branch, or not told */
	bool no_branch; /* HEAD is on none */
	str upstream;
	bool gone;  /* the upstream was deleted */
	bool apart; /* the two numbers are told */
	uint64_t ahead, behind;
};

struct gitsaid_head gitsaid_head(str status);
/* The next entry: its letter ('M', 'A', 'D', 'R', 'C', 'T', 'U' in conflict, '?' untracked) and path. */
bool gitsaid_entry(str *rest, char *mark, str *path);
/* A whole `git status` that lists nothing. */
bool gitsaid_clean(str status);
/*
 * What the output begins with, of several commands that printed one after the other: the lines of a
 * status (brief: in its short form), of `git log --oneline`, of a `git diff` (or its --stat).
 */
str gitsaid_head_status(str output, bool brief);
str gitsaid_head_log(str output);
str gitsaid_head_diff(str output);
/* Nothing, but for what the client itself adds to an output. */
bool gitsaid_silent(str output);

#endif
