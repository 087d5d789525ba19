/*
 * The git state of a session that has ended, as it was then: what is written into its
 * transcript after SessionEnd is read by the next start, when somebody may have gone on in
 * the repository. STATE/facts/<session>.git:
 *
 *   {"ended_at":1784196026041,"git":{...}}
 *
 * as gitstate_json writes it, redacted. It counts for that end alone: a session that was
 * resumed and ended again has another time.
 */
#include "work/keep_impl.h"

#include <limits.h>

#include "base/fs.h"
#include "data/json.h"
#include "data/jsondoc.h"
#include "work/redact.h"

#define GIT_FILE_MAX (1u << 20)

static void git_path(const char *state_dir, str session, struct buf *b)
{
	keep_path(state_dir, session, ".git", b);
}

const char *keep_git_dir(const struct journal *j)
{
	return j->worktree ? j->worktree : j->dir ? j->dir : "/";
}

void keep_git_store(const char *state_dir, const struct journal *j,
		    const struct gitstate *git)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(GIT_FILE_MAX),
		   clean = BUF_INIT(GIT_FILE_MAX);

	buf_printf(&text, "{\"ended_at\":%lld,\"git\":", (long long)j->ended_at);
	gitstate_json(git, &text);
	buf_add(&text, STR("}\n"));
	redact(&clean, buf_str(&text));
	git_path(state_dir, str_of(j->session), &path);
	if (!text.full && !clean.full)
		fs_write_quick(buf_cstr(&path), buf_str(&clean), 0600, NULL);
	buf_release(&path);
	buf_release(&text);
	buf_release(&clean);
}

bool keep_git_load(const char *state_dir, const struct journal *j, struct gitstate *git)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(GIT_FILE_MAX),
		   state = BUF_INIT(GIT_FILE_MAX);
	struct jsondoc *d = NULL;
	bool ok = false;

	*git = (struct gitstate){.kind = GITSTATE_FAILED};
	git_path(state_dir, str_of(j->session), &path);
	if (fs_read(buf_cstr(&path), &text, NULL) == 0)
		d = jsondoc_parse(buf_str(&text), GIT_FILE_MAX, NULL);
	if (d && jsondoc_int(jsondoc_get(jsondoc_root(d), "ended_at"), CLOCK_NONE) ==
			 j->ended_at) {
		jsondoc_print(jsondoc_get(jsondoc_root(d), "git"), &state);
		ok = gitstate_load(git, buf_str(&state));
	}
	jsondoc_free(d);
	buf_release(&path);
	buf_release(&text);
	buf_release(&state);
	return ok;
}

void keep_note_git(const char *state_dir, const struct journal *j, int64_t deadline_ns)
{
	struct gitstate_options o = {.deadline_ns = deadline_ns};
	struct gitstate git;

	gitstate_read(&git, keep_git_dir(j), &o);
	keep_git_store(state_dir, j, &git);
	gitstate_release(&git);
}

void keep_forget_git(const char *state_dir, str session)
{
	struct buf path = BUF_INIT(PATH_MAX);

	git_path(state_dir, session, &path);
	io.unlink(buf_cstr(&path));
	buf_release(&path);
}
