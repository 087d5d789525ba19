/*
 * gitstate_regex: the regular expressions of libgit2, by those of libc.
 *
 * libgit2's static archive brings pcre2 along, a tenth of each program, for a handful of patterns:
 * keys of the configuration ("submodule\..*\.path") and function names of its diff drivers, all of which
 * are extended expressions of POSIX. So its four functions are defined here over regcomp, as
 * libgit2 itself does when it is built so (GIT_REGEX_REGCOMP). Names, values and struct as in
 * libgit2 1.5, src/util/regexp.h and the build with pcre2, where a git_regexp is a pointer.
 * Linked statically only; a shared libgit2 brings its own.
 */
#include <regex.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/oom.h"

#define ICASE         1    /* GIT_REGEXP_ICASE */
#define NO_MATCH      (-3) /* GIT_ENOTFOUND */
#define INVALID       (-1)
#define SEARCH_GROUPS 10

struct git_regmatch {
	ssize_t start, end;
};

int git_regexp_compile(void **re, const char *pattern, int flags);
void git_regexp_dispose(void **re);
int git_regexp_match(void *const *re, const char *string);
int git_regexp_search(void *const *re, const char *string, size_t n,
		      struct git_regmatch *match);
/* gitstate.c refers to this, so that the linker takes this object before libgit2's own. */
int gitstate_regex(void);

int gitstate_regex(void)
{
	return 0;
}

int git_regexp_compile(void **re, const char *pattern, int flags)
{
	regex_t *r = calloc(1, sizeof(*r));

	if (!r)
		oom();
	*re = NULL;
	if (regcomp(r, pattern, REG_EXTENDED | (flags & ICASE ? REG_ICASE : 0))) {
		free(r);
		return INVALID;
	}
	*re = r;
	return 0;
}

void git_regexp_dispose(void **re)
{
	if (*re)
		regfree(*re);
	free(*re);
	*re = NULL;
}

int git_regexp_match(void *const *re, const char *string)
{
	return regexec(*re, string, 0, NULL, 0) ? NO_MATCH : 0;
}

int git_regexp_search(void *const *re, const char *string, size_t n,
		      struct git_regmatch *match)
{
	regmatch_t m[SEARCH_GROUPS];
	size_t got = n < SEARCH_GROUPS ? n : SEARCH_GROUPS;

	if (regexec(*re, string, got, m, 0))
		return NO_MATCH;
	for (size_t i = 0; i < n; i++)
		match[i] = i < got ? (struct git_regmatch){m[i].rm_so, m[i].rm_eo}
				   : (struct git_regmatch){-1, -1};
	return 0;
}
