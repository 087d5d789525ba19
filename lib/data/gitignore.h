/*
 * gitignore: which untracked paths git leaves out.
 *
 *   struct gitignore g;
 *   gitignore_init(&g, icase);
 *   gitignore_add(&g, 0, text_of_core_excludesfile);     weakest first
 *   gitignore_add(&g, 0, text_of_info_exclude);
 *   gitignore_add(&g, 4, text_of_src_gitignore);         when the walk enters src/
 *   ...gitignore_match(&g, STR("src/a.o"), false)...
 *   gitignore_pop(&g);                                         when it leaves src/
 *   gitignore_release(&g);
 *
 * The rules are those of gitignore(5): the last pattern that fits decides; a pattern with a
 * slash is anchored to the folder of its file; `!` takes back; a trailing slash means
 * folders only. An excluded folder is not entered, so nothing below it can be taken back:
 * that is the caller's walk. Texts are borrowed and must live until their list is popped.
 *
 * Cost: one pass over the patterns a path; matching has no exponential case (two points to
 * go back to, one for `*`, one for `**`).
 */
#ifndef DATA_GITIGNORE_H
#define DATA_GITIGNORE_H

#include "base/str.h"

struct gitignore_pattern {
	str text;       /* without !, leading and trailing slash */
	size_t literal; /* bytes before the first special character */
	bool negated, folders_only, basename, suffix;
};

struct gitignore_list {
	size_t base_n; /* length of its folder's path: 0, or with a slash at the end */
	size_t first;  /* its patterns reach from here to the next list's first */
};

struct gitignore {
	struct gitignore_pattern *pattern;
	size_t npatterns, pattern_cap;
	struct gitignore_list *list;
	size_t nlists, list_cap;
	bool icase; /* core.ignorecase */
};

void gitignore_init(struct gitignore *g, bool icase);
/*
 * Push the patterns of one file. base_n is the length of its folder's path ("dir/" is 4); until
 * it is popped, only paths below that folder are asked for.
 */
void gitignore_add(struct gitignore *g, size_t base_n, str text);
void gitignore_pop(struct gitignore *g);
/* path is relative to the top level, without a trailing slash. */
bool gitignore_match(const struct gitignore *g, str path, bool folder);
void gitignore_release(struct gitignore *g);
/* One glob as git's wildmatch; in a pathname, `*`, `?` and `[` do not match a slash. */
bool gitignore_glob(str pattern, str text, bool pathname, bool icase);

#endif
