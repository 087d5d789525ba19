/*
 * gitstate: see gitstate_impl.h for which file does what.
 *
 * Facts that shape this code:
 *  - libgit2 1.5 refuses repositories with an extension it does not know (partial clone,
 *    SHA-256, reftable, per-worktree config) and an index with a mandatory extension (split,
 *    sparse). Those go to the git program.
 *  - A path inside .git may be anything in a repository that someone handed over: a FIFO
 *    there would block libgit2 for ever, so the places it opens are looked at first.
 *  - libgit2 takes HOME at git_libgit2_init; init and shutdown stand around each reading, so
 *    that nothing global outlives it.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"
#include "data/gitstate_impl.h"

#define LINE_MAX_BYTES      4096
#define NOTE_MAX_BYTES      400
#define STASH_LOG_MAX_BYTES (4u << 20)

int gitstate_nonet(void);
int gitstate_regex(void);

bool gitstate_late(const struct gitstate_run *r)
{
	return r->deadline_ns != 0 && clock_mono_ns() >= r->deadline_ns;
}

void gitstate_say(struct gitstate *g, const char *fmt, ...)
{
	struct buf b = BUF_INIT(NOTE_MAX_BYTES);
	va_list ap;

	if (g->note) {
		buf_add(&b, str_of(g->note));
		buf_add(&b, STR("; "));
	}
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	/* an addition that does not fit is left out, never half written */
	if (!b.full) {
		free(g->note);
		g->note = buf_take(&b);
	}
	buf_release(&b);
}

static bool is_conflict(char x, char y)
{
	return x == 'U' || y == 'U' || (x == 'A' && y == 'A') || (x == 'D' && y == 'D');
}

void gitstate_file_add(struct gitstate_run *r, str path, str from, char x, char y,
		       bool submodule)
{
	struct gitstate *g = r->g;
	struct gitstate_file *f;
	unsigned flags = submodule ? GITSTATE_SUBMODULE : 0;

	if (x == '?') {
		flags |= GITSTATE_UNTRACKED;
		g->untracked++;
	} else if (is_conflict(x, y)) {
		flags |= GITSTATE_CONFLICTED;
		g->conflicted++;
	} else {
		if (x != ' ') {
			flags |= GITSTATE_STAGED;
			g->staged++;
		}
		if (y != ' ') {
			flags |= GITSTATE_MODIFIED;
			g->modified++;
		}
		if (x == 'R')
			flags |= GITSTATE_RENAMED;
	}
	if (x == 'D' || y == 'D')
		flags |= GITSTATE_DELETED;
	if (submodule)
		g->submodules++;
	g->nfiles_all++;
	if (g->nfiles >= r->max_files)
		return;
	if (g->nfiles == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 32;
		void *p = reallocarray(g->file, cap, sizeof(*g->file));

		if (!p)
			log_oom();
		g->file = p;
		r->cap = cap;
	}
	f = &g->file[g->nfiles++];
	*f = (struct gitstate_file){
		.path = str_dup(path), .flags = flags, .xy = {x, y, 0}};
	if (from.n)
		f->from = str_dup(from);
}

void gitstate_release(struct gitstate *g)
{
	size_t i;

	for (i = 0; i < g->nfiles; i++) {
		free(g->file[i].path);
		free(g->file[i].from);
	}
	free(g->file);
	free(g->top);
	free(g->common);
	free(g->branch);
	free(g->head);
	free(g->subject);
	free(g->upstream);
	free(g->operation_branch);
	free(g->note);
	*g = (struct gitstate){.head_at = CLOCK_NONE};
}

/* --- small files of a git directory --- */

static char *join(const char *dir, const char *name)
{
	struct buf b = BUF_INIT(PATH_MAX);

	fs_join(&b, str_of(dir), str_of(name));
	return buf_take(&b);
}

static bool exists(const char *dir, const char *name)
{
	char *path = join(dir, name);
	struct stat st;
	bool there = io.stat(path, &st) == 0;

	free(path);
	return there;
}

char *gitstate_line(const char *dir, const char *name)
{
	char *path = join(dir, name), *out = NULL;
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	str rest, line;

	if (fs_read(path, &b, NULL) >= 0) {
		rest = buf_str(&b);
		if (str_line(&rest, &line))
			out = str_dup(str_trim(line));
	}
	buf_release(&b);
	free(path);
	return out;
}

static char *branch_of(char *ref)
{
	static const char heads[] = "refs/heads/";
	char *out = NULL;

	if (ref && str_starts(str_of(ref), STR("refs/heads/")) && ref[sizeof(heads) - 1])
		out = str_dup(str_of(ref + sizeof(heads) - 1));
	free(ref);
	return out;
}

/* With the todo list alone (between two picks) its first word tells which it is. */
static const char *sequencer(const char *gitdir)
{
	char *line = gitstate_line(gitdir, "sequencer/todo");
	const char *op = NULL;

	if (line && str_starts(str_of(line), STR("pick")))
		op = "cherry-pick";
	else if (line && str_starts(str_of(line), STR("revert")))
		op = "revert";
	free(line);
	return op;
}

void gitstate_operation(struct gitstate *g, const char *gitdir)
{
	if (exists(gitdir, "rebase-merge")) {
		g->operation = "rebase";
		g->operation_branch =
			branch_of(gitstate_line(gitdir, "rebase-merge/head-name"));
	} else if (exists(gitdir, "rebase-apply")) {
		g->operation = exists(gitdir, "rebase-apply/applying") ? "am" : "rebase";
		g->operation_branch =
			branch_of(gitstate_line(gitdir, "rebase-apply/head-name"));
	} else if (exists(gitdir, "MERGE_HEAD")) {
		g->operation = "merge";
	} else if (exists(gitdir, "CHERRY_PICK_HEAD")) {
		g->operation = "cherry-pick";
	} else if (exists(gitdir, "REVERT_HEAD")) {
		g->operation = "revert";
	} else if ((g->operation = sequencer(gitdir)) == NULL &&
		   exists(gitdir, "BISECT_LOG")) {
		g->operation = "bisect";
		/* a plain branch name, or an id when the bisect began on a detached HEAD */
		g->operation_branch = gitstate_line(gitdir, "BISECT_START");
	}
}

/* Each stash is one line of the reflog; the ref itself only names the newest. */
void gitstate_stashes(struct gitstate *g, const char *commondir)
{
	char *path = join(commondir, "logs/refs/stash");
	struct buf b = BUF_INIT(STASH_LOG_MAX_BYTES);
	str rest, line;
	int ret;

	g->stashes = 0;
	ret = fs_read(path, &b, NULL);
	rest = buf_str(&b);
	while (ret >= 0 && str_line(&rest, &line))
		g->stashes += line.n > 0;
	if (ret < 0 && ret != HF_ENOTFOUND)
		gitstate_say(g, "stashes could not be counted");
	buf_release(&b);
	free(path);
}

/* --- through libgit2 --- */

static const char *last_error(void)
{
	const git_error *e = git_error_last();

	return e && e->message ? e->message : "unknown reason";
}

static char *without_slash(const char *path)
{
	str s = str_of(path);

	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	return s.n ? str_dup(s) : NULL;
}

static void read_commit(struct gitstate *g, git_repository *repo, const git_oid *id)
{
	char hex[GIT_OID_HEXSZ + 1];
	git_commit *c = NULL;
	const char *s;
	git_time_t at;

	git_oid_tostr(hex, sizeof(hex), id);
	g->head = str_dup(str_of(hex));
	if (git_commit_lookup(&c, repo, id)) {
		gitstate_say(g, "HEAD's commit cannot be read: %s", last_error());
		return;
	}
	s = git_commit_summary(c);
	g->subject = str_dup(str_of(s ? s : ""));
	at = git_commit_time(c);
	if (at > INT64_MIN / 1000 && at < INT64_MAX / 1000)
		g->head_at = at * 1000;
	git_commit_free(c);
}

static void read_upstream(struct gitstate_run *r, git_repository *repo, const char *ref,
			  const git_oid *head)
{
	struct gitstate *g = r->g;
	git_buf name = GIT_BUF_INIT;
	git_oid theirs;
	str s;

	if (git_branch_upstream_name(&name, repo, ref))
		return;
	s = str_of(name.ptr);
	if (str_starts(s, STR("refs/remotes/")))
		s = str_from(s, sizeof("refs/remotes/") - 1);
	else if (str_starts(s, STR("refs/heads/")))
		s = str_from(s, sizeof("refs/heads/") - 1);
	g->upstream = str_dup(s);
	if (git_reference_name_to_id(&theirs, repo, name.ptr))
		g->upstream_gone = true;
	else if (head && !gitstate_distance(r, repo, head, &theirs))
		gitstate_say(g, "distance from %s unknown: too many commits for the time",
			     g->upstream);
	git_buf_dispose(&name);
}

/* 0, or -1 when HEAD makes no sense. */
static int read_head(struct gitstate_run *r, git_repository *repo)
{
	struct gitstate *g = r->g;
	git_reference *head = NULL;
	const char *target;
	git_oid id;
	int ret, got;

	ret = git_reference_lookup(&head, repo, "HEAD");
	if (ret) {
		gitstate_say(g, "HEAD cannot be read: %s", last_error());
		return -1;
	}
	if (git_reference_type(head) == GIT_REFERENCE_DIRECT) {
		g->detached = true;
		read_commit(g, repo, git_reference_target(head));
		goto out;
	}
	target = git_reference_symbolic_target(head);
	g->branch = branch_of(str_dup(str_of(target)));
	if (!g->branch)
		g->branch = str_dup(str_of(target));
	got = git_reference_name_to_id(&id, repo, "HEAD");
	if (got == GIT_ENOTFOUND) {
		g->unborn = true;
	} else if (got) {
		gitstate_say(g, "HEAD cannot be resolved: %s", last_error());
		ret = -1;
		goto out;
	} else {
		read_commit(g, repo, &id);
	}
	read_upstream(r, repo, target, g->unborn ? NULL : &id);
out:
	git_reference_free(head);
	return ret;
}

/*
 * core.worktree may name any folder. Then the folder we were asked about is not in it, and
 * what lies there (perhaps the whole disk) is none of our business.
 */
static bool is_inside(const char *dir, const char *top)
{
	char *real = realpath(dir, NULL);
	str s = str_of(real), t = str_of(top);
	bool inside =
		real && str_starts(s, t) && (s.n == t.n || t.n == 1 || s.p[t.n] == '/');

	free(real);
	return inside;
}

/* 0; HF_ENOTFOUND when only git can read it; HF_EFORMAT, HF_EIO with a note. */
static int read_repository(struct gitstate_run *r, git_repository *repo, const char *dir,
			   bool can_ask_git)
{
	struct gitstate *g = r->g;
	struct err e = ERR_INIT;
	int ret = 0;

	g->common = without_slash(git_repository_commondir(repo));
	g->linked_worktree = git_repository_is_worktree(repo) == 1;
	g->shallow = git_repository_is_shallow(repo) == 1;
	g->kind = git_repository_is_bare(repo) ? GITSTATE_BARE : GITSTATE_REPO;
	if (read_head(r, repo)) {
		g->kind = GITSTATE_FAILED;
		return HF_EFORMAT;
	}
	gitstate_operation(g, git_repository_path(repo));
	gitstate_stashes(g, g->common);
	if (g->kind == GITSTATE_BARE)
		return 0;
	g->top = without_slash(git_repository_workdir(repo));
	if (!is_inside(dir, g->top)) {
		gitstate_say(g, "files not looked at: core.worktree names %s", g->top);
		g->partial = true;
		return 0;
	}
	ret = gitstate_scan(r, repo, &e);
	if (ret && (ret != HF_ENOTFOUND || !can_ask_git)) {
		gitstate_say(g, "files not looked at: %s", e.msg);
		g->partial = true;
	}
	return ret;
}

/* --- finding it --- */

/* path is a file, or not there at all. g may be NULL. */
static bool is_regular(struct gitstate *g, const char *path)
{
	struct stat st;

	if (io.stat(path, &st) == 0 ? S_ISREG(st.st_mode)
				    : errno == ENOENT || errno == ENOTDIR)
		return true;
	if (g)
		gitstate_say(g, "%s: not a regular file", path);
	return false;
}

static bool ref_is_regular(struct gitstate *g, const struct gitstate_place *p)
{
	char *line = gitstate_line(p->gitdir, "HEAD"), *path;
	str ref = str_of(line);
	bool ok = true;

	if (str_starts(ref, STR("ref:"))) {
		path = join(p->commondir, str_trim(str_from(ref, sizeof("ref:") - 1)).p);
		ok = is_regular(g, path) || fs_is_dir(path);
		free(path);
	}
	free(line);
	return ok;
}

/* True when every file that a reader opens there is a file: a FIFO would block it for ever. */
static bool all_regular(struct gitstate *g, const struct gitstate_place *p)
{
	static const char *const own[] = {"HEAD", "config.worktree", "commondir",
					  "gitdir", "index"};
	static const char *const shared[] = {
		"config",      "packed-refs", "info/attributes",        "info/exclude",
		"info/grafts", "shallow",     "objects/info/alternates"};
	size_t i;
	bool ok = true;

	for (i = 0; i < sizeof(own) / sizeof(own[0]) && ok; i++) {
		char *path = join(p->gitdir, own[i]);

		ok = is_regular(g, path);
		free(path);
	}
	for (i = 0; i < sizeof(shared) / sizeof(shared[0]) && ok; i++) {
		char *path = join(p->commondir, shared[i]);

		ok = is_regular(g, path);
		free(path);
	}
	return ok && ref_is_regular(g, p);
}

/* name as seen from dir: absolute stays, the rest is joined. Consumes name. */
static char *relative_to(const char *dir, char *name)
{
	char *out;

	if (!name || name[0] == '/')
		return name;
	out = join(dir, name);
	free(name);
	return out;
}

static void place_release(struct gitstate_place *p)
{
	free(p->top);
	free(p->gitdir);
	free(p->commondir);
	*p = (struct gitstate_place){0};
}

/* What top/.git is: a folder, or a file "gitdir: X" with X relative to top. */
static bool place_at(struct gitstate_place *p, const char *top)
{
	char *dotgit = join(top, ".git");
	char *line;
	struct stat st;

	if (io.stat(dotgit, &st) != 0) {
		free(dotgit);
		return false;
	}
	p->top = str_dup(str_of(top));
	if (S_ISDIR(st.st_mode)) {
		p->gitdir = dotgit;
	} else {
		free(dotgit);
		line = gitstate_line(top, ".git");
		if (line && str_starts(str_of(line), STR("gitdir:")))
			p->gitdir = relative_to(
				top, str_dup(str_trim(str_from(str_of(line),
							       sizeof("gitdir:") - 1))));
		free(line);
	}
	if (p->gitdir)
		p->commondir =
			relative_to(p->gitdir, gitstate_line(p->gitdir, "commondir"));
	if (p->gitdir && !p->commondir)
		p->commondir = str_dup(str_of(p->gitdir));
	return true;
}

bool gitstate_openable(const char *top)
{
	struct gitstate_place p = {0};
	bool ok = !place_at(&p, top) || (p.gitdir && all_regular(NULL, &p));

	place_release(&p);
	return ok;
}

/*
 * The repository around dir: the nearest .git with a HEAD, else the nearest .git that is not
 * one (a pointer to nowhere, an emptied folder). Without any, dir itself when it looks like a
 * bare one: then there is no top. Like git it stays on one file system.
 */
static bool place_find(struct gitstate_place *p, const char *dir)
{
	char *at = realpath(dir, NULL), *slash;
	struct gitstate_place here = {0};
	struct stat st;
	bool found = false;
	dev_t dev;

	*p = (struct gitstate_place){0};
	if (!at || io.stat(at, &st) != 0)
		goto out;
	dev = st.st_dev;
	for (;;) {
		if (place_at(&here, *at ? at : "/")) {
			bool good = here.gitdir && exists(here.gitdir, "HEAD");

			if (good || !found) {
				place_release(p);
				*p = here;
				here = (struct gitstate_place){0};
			}
			place_release(&here);
			found = true;
			if (good)
				break;
		}
		slash = strrchr(at, '/');
		if (!slash || !*at)
			break;
		*slash = '\0';
		if (io.stat(*at ? at : "/", &st) != 0 || st.st_dev != dev)
			break;
	}
	if (!found && exists(dir, "HEAD") && exists(dir, "objects") &&
	    exists(dir, "refs")) {
		p->gitdir = realpath(dir, NULL);
		p->commondir = realpath(dir, NULL);
		found = p->gitdir && p->commondir;
	}
out:
	free(at);
	return found;
}

/*
 * 0; HF_ENOTFOUND when there is no such folder (one that was removed while someone stands in
 * it still has an inode, but no link); HF_EIO with errno when that cannot be told.
 */
static int dir_is_there(const char *dir)
{
	struct stat st;

	if (io.stat(dir, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? HF_ENOTFOUND : HF_EIO;
	return S_ISDIR(st.st_mode) && st.st_nlink > 0 ? 0 : HF_ENOTFOUND;
}

/* libgit2 cannot read it: let git, and failing that take HEAD from its file. */
static void read_by_git(struct gitstate_run *r, const char *dir,
			const struct gitstate_place *p)
{
	struct gitstate *g = r->g;
	struct err e = ERR_INIT;
	int ret;

	gitstate_release(g);
	r->cap = 0;
	g->kind = GITSTATE_REPO;
	if (!p->top) {
		gitstate_direct(g, p);
		if (g->kind == GITSTATE_REPO)
			g->kind = GITSTATE_BARE;
		return;
	}
	g->by_git = true;
	g->top = str_dup(str_of(p->top));
	g->common = realpath(p->commondir, NULL);
	g->linked_worktree =
		strcmp(p->gitdir, p->commondir) != 0 && exists(p->gitdir, "gitdir");
	g->shallow = exists(p->commondir, "shallow");
	ret = gitstate_git(r, dir, &e);
	if (ret) {
		g->by_git = false;
		gitstate_say(g, "%s", e.msg);
		if (g->kind == GITSTATE_UNSAFE)
			return;
		g->partial = true;
		gitstate_direct(g, p);
	} else {
		gitstate_head_name(g, p);
	}
	if (g->kind != GITSTATE_REPO)
		return;
	gitstate_operation(g, p->gitdir);
	gitstate_stashes(g, p->commondir);
}

/* libgit2 1.5 says "not found" for a foreign repository when safe.directory is not set at all. */
static bool is_foreign(const struct gitstate_place *p)
{
	struct stat st;

	return p->gitdir &&
	       ((p->top && io.stat(p->top, &st) == 0 && st.st_uid != geteuid()) ||
		(io.stat(p->gitdir, &st) == 0 && st.st_uid != geteuid()));
}

static int safe_value(const git_config_entry *entry, void *arg)
{
	bool *all = arg;

	if (*entry->value == '\0')
		*all = false; /* an empty value takes back what stood before */
	else if (strcmp(entry->value, "*") == 0)
		*all = true;
	return 0;
}

/* The user's own config says safe.directory=*, which libgit2 1.5 does not know. */
static bool all_are_safe(void)
{
	git_config *c = NULL;
	bool all = false;

	if (git_config_open_default(&c) == 0)
		git_config_get_multivar_foreach(c, "safe.directory", NULL, safe_value,
						&all);
	git_config_free(c);
	return all;
}

static void read_found(struct gitstate_run *r, const char *dir,
		       const struct gitstate_place *p)
{
	struct gitstate *g = r->g;
	git_repository *repo = NULL;
	int ret;

	ret = git_repository_open_ext(&repo, dir, 0, getenv("GIT_CEILING_DIRECTORIES"));
	if (ret == 0) {
		ret = read_repository(r, repo, dir, p->gitdir != NULL);
		if (ret == HF_ENOTFOUND && p->gitdir)
			read_by_git(r, dir, p);
	} else if (ret == GIT_EOWNER || (ret == GIT_ENOTFOUND && is_foreign(p))) {
		g->kind = GITSTATE_UNSAFE;
		gitstate_say(g, "%s: owned by someone else (git config safe.directory)",
			     p->top ? p->top : dir);
	} else if (ret == GIT_ENOTFOUND && !p->top) {
		g->kind = GITSTATE_NONE;
	} else if (ret == GIT_ENOTFOUND) {
		g->kind = GITSTATE_FAILED;
		gitstate_say(g, "%s/.git: not a valid repository", p->top);
	} else {
		read_by_git(r, dir, p);
	}
	git_repository_free(repo);
}

void gitstate_read(struct gitstate *g, const char *dir, const struct gitstate_options *o)
{
	struct gitstate_run r = {.g = g};
	struct gitstate_place place = {0};

	*g = (struct gitstate){.kind = GITSTATE_FAILED, .head_at = CLOCK_NONE};
	r.deadline_ns = o ? o->deadline_ns : 0;
	r.max_files = o && o->max_files ? o->max_files : GITSTATE_MAX_FILES_DEFAULT;
	r.untracked_files = o && o->untracked_files;
	switch (dir_is_there(dir)) {
	case 0:
		break;
	case HF_ENOTFOUND:
		g->kind = GITSTATE_NO_DIR;
		gitstate_say(g, "%s: no such directory", dir);
		return;
	default:
		gitstate_say(g, "%s: %s", dir, strerror(errno));
		return;
	}
	if (place_find(&place, dir)) {
		if (!place.gitdir || dir_is_there(place.gitdir) != 0) {
			gitstate_say(g, "%s/.git: points to %s, which is not there",
				     place.top, place.gitdir ? place.gitdir : "nothing");
			goto out;
		}
		if (!all_regular(g, &place))
			goto out;
	}
	gitstate_nonet();
	gitstate_regex();
	if (git_libgit2_init() < 0) {
		gitstate_say(g, "libgit2: %s", last_error());
		goto out;
	}
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION,
			 !is_foreign(&place) || !all_are_safe());
	read_found(&r, dir, &place);
	git_libgit2_shutdown();
out:
	place_release(&place);
}
