/*
 * gitstate_load: a gitstate from the JSON that gitstate_json made of it.
 */
#include <string.h>

#include "base/clock.h"
#include "data/gitstate_impl.h"
#include "data/jsondoc.h"

#define LOAD_MAX (8u << 20)

static char *text_of(const struct jsonval *v, const char *key)
{
	const struct jsonval *t = jsondoc_get(v, key);

	return jsondoc_is_str(t) ? str_dup(jsondoc_str(t)) : NULL;
}

static size_t number_of(const struct jsonval *v, const char *key)
{
	int64_t n = jsondoc_int(jsondoc_get(v, key), 0);

	return n > 0 ? (size_t)n : 0;
}

static bool flag_of(const struct jsonval *v, const char *key)
{
	return jsondoc_bool(jsondoc_get(v, key), false);
}

/* These words are compared and printed, never freed. */
static const char *operation_of(const struct jsonval *v)
{
	static const char *const words[] = {"merge",  "rebase", "cherry-pick",
					    "revert", "bisect", "am"};
	str word = jsondoc_str(jsondoc_get(v, "operation"));

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(word, str_of(words[i])))
			return words[i];
	return NULL;
}

static void load_files(struct gitstate *g, const struct jsonval *files)
{
	struct gitstate_run r = {.g = g, .max_files = GITSTATE_MAX_FILES_DEFAULT};

	for (const struct jsonval *f = jsondoc_first(files); f; f = jsondoc_next(f)) {
		str xy = jsondoc_str(jsondoc_get(f, "xy"));
		str path = jsondoc_str(jsondoc_get(f, "path"));

		if (xy.n == 2 && path.n)
			gitstate_file_add(&r, path, jsondoc_str(jsondoc_get(f, "from")),
					  xy.p[0], xy.p[1], false);
	}
}

static void load_counts(struct gitstate *g, const struct jsonval *v)
{
	g->ahead = number_of(v, "ahead");
	g->behind = number_of(v, "behind");
	g->stashes = number_of(v, "stashes");
	g->staged = number_of(v, "staged");
	g->modified = number_of(v, "modified");
	g->untracked = number_of(v, "untracked");
	g->conflicted = number_of(v, "conflicted");
	g->submodules = number_of(v, "submodules");
	g->nfiles_all = number_of(v, "changed_files");
	if (g->nfiles_all < g->nfiles)
		g->nfiles_all = g->nfiles;
}

static void load_fields(struct gitstate *g, const struct jsonval *v)
{
	g->top = text_of(v, "top");
	g->common = text_of(v, "common");
	g->branch = text_of(v, "branch");
	g->head = text_of(v, "head");
	g->subject = text_of(v, "subject");
	g->upstream = text_of(v, "upstream");
	g->operation_branch = text_of(v, "operation_branch");
	g->note = text_of(v, "note");
	g->operation = operation_of(v);
	if (!clock_parse(jsondoc_str(jsondoc_get(v, "head_at")), &g->head_at))
		g->head_at = CLOCK_NONE;
	g->unborn = flag_of(v, "unborn");
	g->detached = flag_of(v, "detached");
	g->linked_worktree = flag_of(v, "linked_worktree");
	g->shallow = flag_of(v, "shallow");
	g->upstream_gone = flag_of(v, "upstream_gone");
	g->partial = flag_of(v, "partial");
	g->by_git = flag_of(v, "by_git");
}

bool gitstate_load(struct gitstate *g, str json)
{
	struct jsondoc *d = jsondoc_parse(json, LOAD_MAX, NULL);
	const struct jsonval *v = d ? jsondoc_root(d) : NULL;
	str kind = jsondoc_str(jsondoc_get(v, "kind"));
	bool ok = false;

	*g = (struct gitstate){.kind = GITSTATE_FAILED, .head_at = CLOCK_NONE};
	for (int k = GITSTATE_REPO; k <= GITSTATE_FAILED && !ok; k++) {
		ok = str_eq(kind, str_of(gitstate_kind_name((enum gitstate_kind)k)));
		if (ok)
			g->kind = (enum gitstate_kind)k;
	}
	if (ok) {
		load_files(g, jsondoc_get(v, "files"));
		load_counts(g, v);
		load_fields(g, v);
	}
	jsondoc_free(d);
	return ok;
}
