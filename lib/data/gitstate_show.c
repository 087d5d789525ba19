/*
 * gitstate_show: a gitstate as the Environment lines of a document, and as JSON.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/json.h"
#include "data/gitstate_impl.h"

#define HEAD_SHOWN_DIGITS 7
#define SEPARATOR         " \xc2\xb7 "

static void show(struct buf *out, const char *s)
{
	utf8_show(out, str_of(s), UTF8_ONELINE);
}

/* A path exactly, on one line: no space is folded, what is not printable is escaped. */
static void show_path(struct buf *out, str path)
{
	while (path.n) {
		size_t i;

		/* utf8_show drops escape sequences whole; of a name nothing may be dropped */
		for (i = 0; i < path.n && (unsigned char)path.p[i] >= ' '; i++)
			;
		utf8_show(out, str_head(path, i), UTF8_TEXT);
		if (i < path.n && path.p[i] == '\n')
			buf_add(out, STR("\\n"));
		else if (i < path.n && path.p[i] == '\t')
			buf_add(out, STR("\\t"));
		else if (i < path.n)
			buf_printf(out, "\\x%02x", (unsigned char)path.p[i]);
		path = str_from(path, i + 1);
	}
}

/* Markdown: a code span needs a fence longer than any run of backticks in it. */
static size_t fence_for(str s)
{
	size_t longest = 0, here = 0, i;

	for (i = 0; i < s.n; i++) {
		here = s.p[i] == '`' ? here + 1 : 0;
		if (here > longest)
			longest = here;
	}
	return longest + 1;
}

static void code_span(struct buf *out, const char *xy, const char *path, const char *from)
{
	struct buf b = BUF_INIT(1u << 20);
	size_t fence;

	if (xy)
		buf_printf(&b, "%s ", xy);
	if (from) {
		show_path(&b, str_of(from));
		buf_add(&b, STR(" -> "));
	}
	show_path(&b, str_of(path));
	fence = fence_for(buf_str(&b));
	buf_fill(out, '`', fence);
	if (fence > 1)
		buf_byte(out, ' ');
	buf_add(out, buf_str(&b));
	if (fence > 1)
		buf_byte(out, ' ');
	buf_fill(out, '`', fence);
	buf_release(&b);
}

static void show_upstream(const struct gitstate *g, struct buf *out)
{
	if (!g->upstream)
		return;
	buf_add(out, STR(SEPARATOR));
	if (g->upstream_gone) {
		buf_add(out, STR("upstream "));
		show(out, g->upstream);
		buf_add(out, STR(" is gone"));
	} else if (g->ahead == 0 && g->behind == 0) {
		buf_add(out, STR("up to date with "));
		show(out, g->upstream);
	} else {
		buf_add(out, g->ahead ? STR("ahead of ") : STR("behind "));
		show(out, g->upstream);
		buf_printf(out, " by %zu", g->ahead ? g->ahead : g->behind);
		if (g->ahead && g->behind)
			buf_printf(out, ", behind by %zu", g->behind);
	}
}

static void show_head(const struct gitstate *g, struct buf *out)
{
	buf_add(out, STR("Branch: "));
	if (g->branch)
		show(out, g->branch);
	else
		buf_add(out, g->detached ? STR("none (detached HEAD)") : STR("unknown"));
	buf_add(out, STR(SEPARATOR "HEAD: "));
	if (g->head)
		buf_add(out, str_head(str_of(g->head), HEAD_SHOWN_DIGITS));
	else
		buf_add(out, g->unborn ? STR("no commit yet") : STR("unknown"));
	if (g->subject && *g->subject) {
		buf_add(out, STR(" \""));
		show(out, g->subject);
		buf_byte(out, '"');
	}
	show_upstream(g, out);
	if (g->stashes)
		buf_printf(out, SEPARATOR "%zu stash%s", g->stashes,
			   g->stashes == 1 ? "" : "es");
	buf_byte(out, '\n');
}

static void show_place(const struct gitstate *g, struct buf *out)
{
	if (g->operation) {
		buf_printf(out, "In progress: %s", g->operation);
		if (g->operation_branch) {
			buf_add(out, STR(" of "));
			code_span(out, NULL, g->operation_branch, NULL);
		}
		buf_byte(out, '\n');
	}
	if (g->linked_worktree && g->common) {
		buf_add(out, STR("Linked worktree; its repository is "));
		code_span(out, NULL, g->common, NULL);
		buf_byte(out, '\n');
	}
}

static void show_files(const struct gitstate *g, struct buf *out, size_t max_files)
{
	size_t n = g->nfiles < max_files ? g->nfiles : max_files, i;

	if (g->nfiles_all == 0) {
		buf_add(out, g->partial ? STR("Dirty files: unknown\n")
					: STR("Dirty files: none\n"));
		return;
	}
	buf_add(out, STR("Dirty files: "));
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_add(out, STR(", "));
		code_span(out, g->file[i].xy, g->file[i].path, g->file[i].from);
	}
	if (g->nfiles_all > n)
		buf_printf(out, n ? " and %zu more" : "%zu", g->nfiles_all - n);
	buf_byte(out, '\n');
}

void gitstate_show(const struct gitstate *g, struct buf *out, size_t max_files)
{
	switch (g->kind) {
	case GITSTATE_NONE:
		buf_add(out, STR("Not a git repository\n"));
		return;
	case GITSTATE_NO_DIR:
	case GITSTATE_UNSAFE:
	case GITSTATE_FAILED:
		buf_add(out, STR("Git state unknown: "));
		show(out, g->note ? g->note : "it could not be read");
		buf_byte(out, '\n');
		return;
	case GITSTATE_BARE:
		show_head(g, out);
		buf_add(out, STR("Bare repository: no work tree\n"));
		break;
	case GITSTATE_REPO:
		show_head(g, out);
		show_place(g, out);
		show_files(g, out, max_files);
		break;
	}
	if (g->note) {
		buf_add(out, STR("Not certain: "));
		show(out, g->note);
		buf_byte(out, '\n');
	}
}

/* --- JSON --- */

static void add_text(struct buf *out, const char *key, const char *value)
{
	json_add_key(out, key);
	if (value)
		json_add_str(out, str_of(value));
	else
		buf_add(out, STR("null"));
}

static void add_number(struct buf *out, const char *key, size_t v)
{
	json_add_key(out, key);
	buf_u64(out, v);
}

static void add_bool(struct buf *out, const char *key, bool v)
{
	json_add_key(out, key);
	buf_add(out, v ? STR("true") : STR("false"));
}

const char *gitstate_kind_name(enum gitstate_kind kind)
{
	switch (kind) {
	case GITSTATE_REPO:
		return "repository";
	case GITSTATE_NONE:
		return "none";
	case GITSTATE_NO_DIR:
		return "no-directory";
	case GITSTATE_BARE:
		return "bare";
	case GITSTATE_UNSAFE:
		return "unsafe";
	case GITSTATE_FAILED:
		break;
	}
	return "failed";
}

static void add_files(struct buf *out, const struct gitstate *g)
{
	size_t i;

	json_add_key(out, "files");
	buf_byte(out, '[');
	for (i = 0; i < g->nfiles; i++) {
		json_add_sep(out);
		buf_byte(out, '{');
		add_text(out, "xy", g->file[i].xy);
		add_text(out, "path", g->file[i].path);
		if (g->file[i].from)
			add_text(out, "from", g->file[i].from);
		buf_byte(out, '}');
	}
	buf_byte(out, ']');
}

void gitstate_json(const struct gitstate *g, struct buf *out)
{
	char at[CLOCK_ISO_BYTES];

	buf_byte(out, '{');
	add_text(out, "kind", gitstate_kind_name(g->kind));
	add_text(out, "top", g->top);
	add_text(out, "common", g->common);
	add_text(out, "branch", g->branch);
	add_text(out, "head", g->head);
	add_text(out, "subject", g->subject);
	if (g->head_at != CLOCK_NONE)
		clock_iso_s(at, g->head_at);
	add_text(out, "head_at", g->head_at != CLOCK_NONE ? at : NULL);
	add_bool(out, "unborn", g->unborn);
	add_bool(out, "detached", g->detached);
	add_bool(out, "linked_worktree", g->linked_worktree);
	add_bool(out, "shallow", g->shallow);
	add_text(out, "upstream", g->upstream);
	add_bool(out, "upstream_gone", g->upstream_gone);
	add_number(out, "ahead", g->ahead);
	add_number(out, "behind", g->behind);
	add_text(out, "operation", g->operation);
	add_text(out, "operation_branch", g->operation_branch);
	add_number(out, "stashes", g->stashes);
	add_number(out, "staged", g->staged);
	add_number(out, "modified", g->modified);
	add_number(out, "untracked", g->untracked);
	add_number(out, "conflicted", g->conflicted);
	add_number(out, "submodules", g->submodules);
	add_number(out, "changed_files", g->nfiles_all);
	add_files(out, g);
	add_bool(out, "partial", g->partial);
	add_bool(out, "by_git", g->by_git);
	add_text(out, "note", g->note);
	buf_byte(out, '}');
}
