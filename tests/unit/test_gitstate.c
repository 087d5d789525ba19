#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/gitstate.h"

#define FILES_SHOWN 40

/*
 * libgit2 1.5 forgets a match block for each config entry that its check for extensions
 * passes over (git_regexp_match, in repositories of format version 1). Not ours to mend.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2";
}

/* --- running programs --- */

/* argv[0] along PATH in dir; its stdout into out (may be NULL). Returns the exit status. */
static int run_in(const char *dir, const char *const argv[], struct buf *out)
{
	int p[2], status = 0;
	char piece[4096];
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(p[1], 1);
		dup2(null, 2);
		close(p[0]);
		close(p[1]);
		setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
		setenv("LC_ALL", "C", 1);
		if (chdir(dir) == 0)
			execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(p[1]);
	while ((n = read(p[0], piece, sizeof(piece))) > 0)
		if (out)
			buf_add(out, (str){piece, (size_t)n});
	close(p[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool have_git(void)
{
	const char *const argv[] = {"git", "--version", NULL};

	return run_in("/", argv, NULL) == 0;
}

/* Build fixtures/repos/NAME.sh in a fresh folder; returns the path of sub in it. */
static const char *build(const char *name, const char *sub)
{
	char script[256], cwd[1024];
	const char *argv[] = {"sh", script, test_dir(), NULL};

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(script, sizeof(script), "fixtures/repos/%s.sh", name);
	if (run_in(cwd, argv, NULL) != 0)
		fail_msg("%s failed", script);
	return test_path(sub);
}

/* --- looking at results --- */

/* text with each place of the test's folder replaced by DIR. */
static char *without_folder(str text)
{
	struct buf b = BUF_INIT(1 << 20);
	char real[4096];
	str root;

	assert_non_null(realpath(test_path(""), real));
	root = str_of(real);
	while (text.n) {
		size_t at = str_find(text, root);

		buf_add(&b, str_head(text, at));
		if (at == STR_NPOS)
			break;
		buf_add(&b, STR("DIR"));
		text = str_from(text, at + root.n);
	}
	return buf_take(&b);
}

static void assert_shown(const struct gitstate *g, const char *want)
{
	struct buf b = BUF_INIT(1 << 20);
	char *got;

	gitstate_show(g, &b, FILES_SHOWN);
	got = without_folder(buf_str(&b));
	assert_str(str_of(got), str_of(want));
	free(got);
	buf_release(&b);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines sorted, so that two programs' orders do not matter. Lines end in NUL. */
static void sort_lines(struct buf *b)
{
	const char *line[20000];
	struct buf out = BUF_INIT(8 << 20);
	size_t n = 0, i;
	const char *p = buf_cstr(b), *end = p + b->n;

	for (; p < end && n < 20000; p += strlen(p) + 1)
		line[n++] = p;
	qsort(line, n, sizeof(*line), by_text);
	for (i = 0; i < n; i++) {
		buf_add(&out, str_of(line[i]));
		buf_byte(&out, '\n');
	}
	buf_release(b);
	*b = out;
}

/* `git status --porcelain -z`, one entry a line; for a rename the old path follows. */
static void ask_git(const char *dir, bool all, struct buf *out)
{
	const char *const argv[] = {
		"git",    "--no-optional-locks",
		"status", "--porcelain=v1",
		"-z",     all ? "--untracked-files=all" : "--ignored=no",
		NULL};

	*out = BUF_INIT(8 << 20);
	assert_int_equal(run_in(dir, argv, out), 0);
	sort_lines(out);
}

static void as_git_does(const struct gitstate *g, struct buf *out)
{
	size_t i;

	*out = BUF_INIT(8 << 20);
	for (i = 0; i < g->nfiles; i++) {
		buf_printf(out, "%s %s", g->file[i].xy, g->file[i].path);
		buf_byte(out, '\0');
		if (g->file[i].from) {
			buf_add(out, str_of(g->file[i].from));
			buf_byte(out, '\0');
		}
	}
	sort_lines(out);
}

/* What a reader could have changed in the git directory, in one number. */
static uint64_t fingerprint(const char *dir)
{
	static const char *const names[] = {".git", ".git/index", ".git/HEAD",
					    ".git/config"};
	struct buf b = BUF_INIT(4096), path = BUF_INIT(4096);
	uint64_t h;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct stat st;

		buf_reset(&path);
		fs_join(&path, str_of(dir), str_of(names[i]));
		if (lstat(buf_cstr(&path), &st) == 0)
			buf_printf(&b, "%lld.%ld %llu %lld\n",
				   (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
				   (unsigned long long)st.st_ino, (long long)st.st_size);
	}
	h = str_hash(buf_str(&b));
	buf_release(&b);
	buf_release(&path);
	return h;
}

static void assert_same_as_git(const char *dir, bool all)
{
	struct gitstate_options o = {.max_files = 20000, .untracked_files = all};
	struct gitstate g;
	struct buf ours, theirs;

	gitstate_read(&g, dir, &o);
	as_git_does(&g, &ours);
	ask_git(dir, all, &theirs);
	assert_str(buf_str(&ours), buf_str(&theirs));
	assert_int_equal(g.nfiles, g.nfiles_all);
	buf_release(&ours);
	buf_release(&theirs);
	gitstate_release(&g);
}

/* --- the table --- */

struct row {
	const char *script, *sub;
	bool oracle; /* git agrees on the files */
	const char *text;
};

static const struct row rows[] = {
	/* clang-format off */
	{"clean", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: none\n"},
	{"dirty", "repo", true,
	 "Branch: main · HEAD: 41ca914 \"more files\"\n"
	 "Dirty files: `MM a.txt`, ` M b.txt`, ` A intent.txt`, ` M mode.sh`, `R  move-me.txt -> moved.txt`, `A  new.txt`, `D  rm-cached.txt`, `D  rm.txt`, ` D src/main.c`, `T  staged-type.txt`, ` T type.txt`, `?? folder/`, `?? rm-cached.txt`, `?? untracked file`\n"},
	{"unborn", "repo", true,
	 "Branch: main · HEAD: no commit yet\n"
	 "Dirty files: `A  a.txt`, `?? b.txt`\n"},
	{"detached", "repo", true,
	 "Branch: none (detached HEAD) · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: none\n"},
	{"ahead-behind", "repo", true,
	 "Branch: main · HEAD: 2a6d2ba \"ours two\" · ahead of origin/main by 2, behind by 1\n"
	 "Dirty files: none\n"},
	{"upstream-gone", "repo", true,
	 "Branch: feature · HEAD: 9673671 \"add the lantern\" · upstream origin/feature is gone\n"
	 "Dirty files: none\n"},
	{"upstream-local", "repo", true,
	 "Branch: feature/two · HEAD: f60a492 \"on top\" · ahead of main by 1\n"
	 "Dirty files: none\n"},
	{"stashes", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\" · 2 stashes\n"
	 "Dirty files: none\n"},
	{"merge", "repo", true,
	 "Branch: main · HEAD: 60a1b9f \"ours\"\n"
	 "In progress: merge\n"
	 "Dirty files: `AA added.txt`, `UU both.txt`, `UD they-delete.txt`, `DU we-delete.txt`\n"},
	{"rebase", "repo", true,
	 "Branch: none (detached HEAD) · HEAD: 3846a5b \"on main\"\n"
	 "In progress: rebase of `feature/x`\n"
	 "Dirty files: `UU a.txt`\n"},
	{"rebase-apply", "repo", true,
	 "Branch: none (detached HEAD) · HEAD: 3846a5b \"on main\"\n"
	 "In progress: rebase of `feature/x`\n"
	 "Dirty files: `UU a.txt`\n"},
	{"cherry-pick", "repo", true,
	 "Branch: main · HEAD: 3846a5b \"on main\"\n"
	 "In progress: cherry-pick\n"
	 "Dirty files: `UU a.txt`\n"},
	{"cherry-pick-between", "repo", true,
	 "Branch: main · HEAD: 527bdc5 \"first, settled\"\n"
	 "In progress: cherry-pick\n"
	 "Dirty files: none\n"},
	{"revert", "repo", true,
	 "Branch: main · HEAD: b92fdba \"three\"\n"
	 "In progress: revert\n"
	 "Dirty files: `UU a.txt`\n"},
	{"bisect", "repo", true,
	 "Branch: none (detached HEAD) · HEAD: ea8b952 \"three\"\n"
	 "In progress: bisect of `main`\n"
	 "Dirty files: none\n"},
	{"am", "repo", true,
	 "Branch: main · HEAD: d819d41 \"other\"\n"
	 "In progress: am\n"
	 "Dirty files: none\n"},
	{"submodule", "repo", true,
	 "Branch: main · HEAD: d6ae093 \"submodules\"\n"
	 "Dirty files: ` M sub/changed`, ` M sub/moved`, ` M sub/nested`, ` M sub/untracked`\n"},
	{"worktree", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: none\n"},
	{"worktree", "tree", true,
	 "Branch: feature/tree · HEAD: 9673671 \"add the lantern\"\n"
	 "Linked worktree; its repository is `DIR/repo/.git`\n"
	 "Dirty files: ` M a.txt`\n"},
	{"relative-gitdir", "new/tree", true,
	 "Branch: feature/tree · HEAD: 9673671 \"add the lantern\"\n"
	 "Linked worktree; its repository is `DIR/new/repo/.git`\n"
	 "Dirty files: none\n"},
	{"bare", "repo.git", false,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Bare repository: no work tree\n"},
	{"bare", "tree", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Linked worktree; its repository is `DIR/repo.git`\n"
	 "Dirty files: none\n"},
	{"shallow", "repo", true,
	 "Branch: main · HEAD: 64e97a6 \"on top\" · ahead of origin/main by 1\n"
	 "Dirty files: none\n"},
	{"partial", "repo", true,
	 "Branch: main · HEAD: a1062ff \"two\" · up to date with origin/main\n"
	 "Dirty files: ` M b.txt`, `R  a.txt -> c.txt`\n"},
	{"sha256", "repo", true,
	 "Branch: main · HEAD: cb2f046 \"first\"\n"
	 "Dirty files: ` M a.txt`, `R  old.txt -> new.txt`\n"},
	{"split-index", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: ` M b.txt`, `A  new.txt`\n"},
	{"reftable", "repo", false,
	 "Git state unknown: git cannot read it: unknown repository extension found: refstorage\n"},
	{"names", "with space", true,
	 "Branch: größe/neu · HEAD: 0e5b379 \"subject with escape and \"quotes\" in two lines\"\n"
	 "Dirty files: ` M \"quoted\"`, ` M \\back`, ` M a b.txt`, ``  M back`tick ``, ` M esc\\x1b[31mred`, ` M grün/日本.txt`, ` M new\\nline`, ` M tab\\there`, `?? -dash`, `?? bad�byte`\n"},
	{"crlf", "repo", true,
	 "Branch: main · HEAD: b988ae3 \"line ends\"\n"
	 "Dirty files: ` M changed.txt`\n"},
	{"ignored", "repo", true,
	 "Branch: main · HEAD: 2a5ccbf \"rules\"\n"
	 "Dirty files: ` M vendor/lib/tracked.c`, `?? ccd.x`, `?? deep/`, `?? doc/`, `?? important.log`, `?? logs/keep/`, `?? logs/y.log`\n"},
	{"corrupt-index", "repo", false,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: unknown\n"
	 "Not certain: files not looked at: git index is damaged at byte 8: it is too short for its entries\n"},
	{"corrupt-head", "repo", false,
	 "Git state unknown: HEAD cannot be read: corrupted loose reference file: HEAD\n"},
	{"missing-objects", "repo", false,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: `?? a.txt`, `?? b.txt`, `?? src/`\n"
	 "Not certain: a tree of HEAD cannot be read, staged changes are incomplete\n"},
	{"gitfile-nowhere", "repo/sub", false,
	 "Git state unknown: DIR/repo/.git: points to DIR/repo/../gone/.git/worktrees/repo, which is not there\n"},
	{"none", "repo", false,
	 "Not a git repository\n"},
	{"empty-git", "repo/inner", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: `?? inner/`\n"},
	{"sparse", "repo", true,
	 "Branch: main · HEAD: 032e0b2 \"folders\"\n"
	 "Dirty files: ` M one/file`, ` M two/file`\n"},
	{"sparse-index", "repo", true,
	 "Branch: main · HEAD: 032e0b2 \"folders\"\n"
	 "Dirty files: ` M one/file`, `?? one/new`\n"},
	{"flags", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: none\n"},
	{"replaced", "repo", true,
	 "Branch: main · HEAD: 5669f99 \"shapes\"\n"
	 "Dirty files: ` D dir/one`, ` D dir/two`, ` D link/sub/file`, ` D plain`, `?? dir`, `?? link`\n"},
	{"nested", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: `?? deep/`, `?? inner/`, `?? odd/`\n"},
	{"index-v4", "repo", true,
	 "Branch: main · HEAD: d30ac87 \"paths\"\n"
	 "Dirty files: `D  some/long/path/file3`, ` M some/long/path/file4`, `?? some/long/path/file3`\n"},
	{"subdir", "repo/src", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: ` M src/main.c`\n"},
	{"elsewhere", "repo", false,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: unknown\n"
	 "Not certain: files not looked at: core.worktree names DIR/other\n"},
	{"hostile", "repo", false,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: ` M a.txt`, ` M src/main.c`, `?? .gitattributes`\n"},
	{"hostile", "by-git", false,
	 "Branch: main · HEAD: e71a764 \"add the lantern\"\n"
	 "Dirty files: ` M a.txt`, ` M src/main.c`, `?? .gitattributes`\n"},
	{"hostile-partial", "repo", false,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: `D  a.txt`, `A  c.txt`\n"},
	{"hostile-fifo", "repo", false,
	 "Git state unknown: DIR/repo/.git/info/attributes: not a regular file\n"},
	{"hostile-fifo", "ignore", false,
	 "Branch: main · HEAD: e71a764 \"add the lantern\"\n"
	 "Dirty files: `?? sub/`\n"},
		{"bare-sha256", "repo.git", false,
	 "Branch: main · HEAD: 87ff920\n"
	 "Bare repository: no work tree\n"},
	{"fifo-ref", "repo", false,
	 "Git state unknown: DIR/repo/.git/refs/heads/main: not a regular file\n"},
	{"link", "link/repo/src", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: ` M a.txt`\n"},
	{"fifo-submodule", "repo", false,
	 "Branch: main · HEAD: 737b690 \"submodule\"\n"
	 "Dirty files: unknown\n"
	 "Not certain: 1 file or folder could not be looked at\n"},
		{"hostile-name", "repo", false,
	 "Branch: main · HEAD: 9673671\n"
	 "Dirty files: unknown\n"
	 "Not certain: git not run: its filters cannot be switched off\n"},
	{"links", "repo", true,
	 "Branch: main · HEAD: 3ad2dee \"links\"\n"
	 "Dirty files: ` M other`\n"},
	{"submodule-ignore", "repo", true,
	 "Branch: main · HEAD: 67055e3 \"submodules\"\n"
	 "Dirty files: ` T file`, ` D gone`, ` M moved`\n"},
	{"revert-between", "repo", true,
	 "Branch: main · HEAD: d01a099 \"settled\"\n"
	 "In progress: revert\n"
	 "Dirty files: none\n"},
	{"other-ref", "repo", true,
	 "Branch: refs/topics/one · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: none\n"},
	{"lost-commit", "repo", false,
	 "Branch: main · HEAD: 9673671\n"
	 "Dirty files: unknown\n"
	 "Not certain: HEAD's commit cannot be read: object not found - no match for id (96736712841bc6369636dd692be34f54e84c2715); HEAD's tree cannot be read, staged changes are unknown\n"},
	{"worktree-inside", "repo", true,
	 "Branch: main · HEAD: 9673671 \"add the lantern\"\n"
	 "Dirty files: `?? inner/`, `?? odd/`\n"},
	{"worktree-inside", "repo/inner", true,
	 "Branch: side · HEAD: 9673671 \"add the lantern\"\n"
	 "Linked worktree; its repository is `DIR/repo/.git`\n"
	 "Dirty files: none\n"},
	{"paragraph", "repo", true,
	 "Branch: main · HEAD: b450c8f \"first line second line\"\n"
	 "Dirty files: none\n"},
	/* clang-format on */
};

/* Written as JSON and loaded, it says the same. */
static void assert_kept(const struct gitstate *g)
{
	struct buf json = BUF_INIT(1 << 20), again = BUF_INIT(1 << 20);
	struct buf shown = BUF_INIT(1 << 20), other = BUF_INIT(1 << 20);
	struct gitstate kept;

	gitstate_json(g, &json);
	assert_true(gitstate_load(&kept, buf_str(&json)));
	gitstate_json(&kept, &again);
	assert_str(buf_str(&again), buf_str(&json));
	gitstate_show(g, &shown, 30);
	gitstate_show(&kept, &other, 30);
	assert_str(buf_str(&other), buf_str(&shown));
	assert_int_equal(kept.nfiles, g->nfiles);
	for (size_t i = 0; i < kept.nfiles; i++)
		assert_int_equal(kept.file[i].flags,
				 g->file[i].flags & ~(unsigned)GITSTATE_SUBMODULE);
	gitstate_release(&kept);
	/* cut anywhere, it is either whole or nothing */
	for (size_t n = 0; n < json.n; n++) {
		assert_false(gitstate_load(&kept, str_head(buf_str(&json), n)));
		gitstate_release(&kept);
	}
	buf_release(&json);
	buf_release(&again);
	buf_release(&shown);
	buf_release(&other);
}

static void check_row(const struct row *r)
{
	const char *dir = build(r->script, r->sub);
	struct gitstate g;
	uint64_t before = fingerprint(dir);

	print_message("# %s\n", r->script);
	gitstate_read(&g, dir, NULL);
	assert_shown(&g, r->text);
	assert_kept(&g);
	gitstate_release(&g);
	assert_true(before == fingerprint(dir));
	assert_false(test_exists("ran"));
	if (r->oracle) {
		assert_same_as_git(dir, false);
		assert_same_as_git(dir, true);
	}
}

static void test_gitstate__reads_every_kind_of_repository(void **state)
{
	size_t i;

	(void)state;
	if (!have_git())
		skip();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

/* Make only git able to read it: an extension that libgit2 does not know. */
static void hide_from_libgit2(const char *dir)
{
	const char *const version[] = {"git", "config", "core.repositoryformatversion",
				       "1", NULL};
	const char *const unknown[] = {"git", "config", "extensions.preciousObjects",
				       "true", NULL};

	assert_int_equal(run_in(dir, version, NULL), 0);
	assert_int_equal(run_in(dir, unknown, NULL), 0);
}

static void test_gitstate__both_readers_tell_the_same(void **state)
{
	static const char *const left_out[] = {"submodule", "submodule-ignore",
					       "partial"};
	struct gitstate g;
	size_t i, k;

	(void)state;
	if (!have_git())
		skip();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *dir;
		bool skipped = !rows[i].oracle;

		/* git's own list of submodules is another one on purpose */
		for (k = 0; k < sizeof(left_out) / sizeof(left_out[0]); k++)
			skipped |= strcmp(rows[i].script, left_out[k]) == 0;
		if (skipped)
			continue;
		dir = build(rows[i].script, rows[i].sub);
		print_message("# %s by git\n", rows[i].script);
		hide_from_libgit2(dir);
		gitstate_read(&g, dir, NULL);
		assert_true(g.by_git);
		assert_shown(&g, rows[i].text);
		gitstate_release(&g);
	}
}

static void test_gitstate__git_is_not_let_into_submodules(void **state)
{
	struct gitstate g;
	const char *dir;

	(void)state;
	if (!have_git())
		skip();
	dir = build("submodule", "repo");
	hide_from_libgit2(dir);
	gitstate_read(&g, dir, NULL);
	assert_true(g.by_git);
	assert_int_equal(g.nfiles, 1);
	assert_string_equal(g.file[0].path, "sub/moved");
	assert_true(g.file[0].flags & GITSTATE_SUBMODULE);
	assert_string_equal(g.note, "changes inside submodules not looked at");
	gitstate_release(&g);
}

static void test_gitstate__names_the_old_path_of_a_rename(void **state)
{
	struct gitstate g;
	size_t i, seen = 0;

	(void)state;
	if (!have_git())
		skip();
	gitstate_read(&g, build("dirty", "repo"), NULL);
	for (i = 0; i < g.nfiles; i++) {
		if (!(g.file[i].flags & GITSTATE_RENAMED))
			continue;
		assert_string_equal(g.file[i].path, "moved.txt");
		assert_string_equal(g.file[i].from, "move-me.txt");
		seen++;
	}
	assert_int_equal(seen, 1);
	assert_int_equal(g.staged, 6);
	assert_int_equal(g.modified, 6);
	assert_int_equal(g.untracked, 3);
	assert_int_equal(g.nfiles_all, 14);
	assert_true(g.head_at == 1767225720000);
	gitstate_release(&g);
}

static void test_gitstate__counts_go_on_beyond_the_files_kept(void **state)
{
	struct gitstate_options o = {.max_files = 3};
	struct gitstate g;
	struct buf b = BUF_INIT(4096);

	(void)state;
	if (!have_git())
		skip();
	gitstate_read(&g, build("dirty", "repo"), &o);
	assert_int_equal(g.nfiles, 3);
	assert_int_equal(g.nfiles_all, 14);
	gitstate_show(&g, &b, 2);
	assert_true(str_ends(buf_str(&b),
			     STR("Dirty files: `MM a.txt`, ` M b.txt` and 12 more\n")));
	buf_reset(&b);
	gitstate_show(&g, &b, 0);
	assert_true(str_ends(buf_str(&b), STR("Dirty files: 14\n")));
	buf_release(&b);
	gitstate_release(&g);
}

static void test_gitstate__says_what_it_left_out_at_the_deadline(void **state)
{
	struct gitstate_options o = {.deadline_ns = 1};
	struct gitstate g;

	(void)state;
	if (!have_git())
		skip();
	gitstate_read(&g, build("dirty", "repo"), &o);
	assert_int_equal(g.kind, GITSTATE_REPO);
	assert_true(g.partial);
	assert_string_equal(g.branch, "main");
	assert_non_null(g.note);
	assert_true(str_find(str_of(g.note), STR("0 of 10 tracked files compared")) !=
		    STR_NPOS);
	gitstate_release(&g);
	/* and where git would be run, it is not started */
	gitstate_read(&g, build("sha256", "repo"), &o);
	assert_int_equal(g.kind, GITSTATE_REPO);
	assert_string_equal(g.branch, "main");
	assert_true(g.partial);
	assert_string_equal(g.note, "no time left for git");
	gitstate_release(&g);
}

static void test_gitstate__a_missing_or_removed_folder_is_told(void **state)
{
	struct gitstate g;
	char cwd[4096];

	(void)state;
	test_dir();
	gitstate_read(&g, test_path("nowhere"), NULL);
	assert_int_equal(g.kind, GITSTATE_NO_DIR);
	assert_shown(&g, "Git state unknown: DIR/nowhere: no such directory\n");
	gitstate_release(&g);
	test_write("file", STR("x"));
	gitstate_read(&g, test_path("file"), NULL);
	assert_int_equal(g.kind, GITSTATE_NO_DIR);
	gitstate_release(&g);

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(fs_mkdirs(test_path("a/b"), 0700, NULL), 0);
	assert_int_equal(chdir(test_path("a/b")), 0);
	assert_int_equal(rmdir(test_path("a/b")), 0);
	assert_int_equal(rmdir(test_path("a")), 0);
	gitstate_read(&g, ".", NULL);
	assert_int_equal(chdir(cwd), 0);
	assert_int_equal(g.kind, GITSTATE_NO_DIR);
	gitstate_release(&g);
}

static void chown_all(const char *dir, const char *who)
{
	const char *const argv[] = {"chown", "-R", who, dir, NULL};

	assert_int_equal(run_in("/", argv, NULL), 0);
}

static void test_gitstate__a_repository_of_someone_else_is_unsafe(void **state)
{
	static const char *const scripts[] = {"clean", "sha256"};
	struct gitstate g;
	const char *dir;
	size_t i;

	(void)state;
	if (!have_git())
		skip();
	if (geteuid() != 0) {
		print_message("# needs root to give a folder away\n");
		skip();
	}
	for (i = 0; i < 2; i++) {
		dir = build(scripts[i], "repo");
		chown_all(dir, "12345:12345");
		gitstate_read(&g, dir, NULL);
		assert_int_equal(g.kind, GITSTATE_UNSAFE);
		assert_null(g.head);
		assert_null(g.branch);
		assert_int_equal(g.nfiles_all, 0);
		assert_non_null(g.note);
		gitstate_release(&g);
		/* the user's own word is taken */
		test_write("home/.gitconfig", STR("[safe]\n\tdirectory = *\n"));
		gitstate_read(&g, dir, NULL);
		assert_int_equal(g.kind, GITSTATE_REPO);
		assert_string_equal(g.branch, "main");
		gitstate_release(&g);
		unlink(test_path("home/.gitconfig"));
	}
}

static void test_gitstate__the_users_own_settings_count(void **state)
{
	struct gitstate g;
	const char *dir;

	(void)state;
	if (!have_git())
		skip();
	dir = build("dirty", "repo");
	test_write("home/.config/git/ignore", STR("folder\n"));
	gitstate_read(&g, dir, NULL);
	assert_int_equal(g.untracked, 2);
	gitstate_release(&g);
	test_write("home/.gitconfig", STR("[status]\n\tshowUntrackedFiles = no\n"));
	gitstate_read(&g, dir, NULL);
	assert_int_equal(g.untracked, 0);
	assert_string_equal(
		g.note, "untracked files not looked at (status.showUntrackedFiles=no)");
	gitstate_release(&g);
	unsetenv("HOME");
	unsetenv("XDG_CONFIG_HOME");
	gitstate_read(&g, dir, NULL);
	assert_int_equal(g.untracked, 3);
	gitstate_release(&g);
}

static void test_gitstate__without_git_head_is_read_from_its_file(void **state)
{
	char path[4096];
	struct gitstate g;
	const char *dir;

	(void)state;
	if (!have_git())
		skip();
	dir = build("sha256", "repo");
	snprintf(path, sizeof(path), "%s", getenv("PATH"));
	setenv("PATH", ".:relative:/nonexistent", 1);
	gitstate_read(&g, dir, NULL);
	setenv("PATH", path, 1);
	assert_int_equal(g.kind, GITSTATE_REPO);
	assert_true(g.partial);
	assert_false(g.by_git);
	assert_string_equal(g.branch, "main");
	assert_int_equal(strlen(g.head), 64);
	assert_string_equal(g.note, "files not looked at: there is no git program");
	gitstate_release(&g);
}

static void test_gitstate__without_git_a_detached_head_is_an_id(void **state)
{
	char path[4096];
	struct gitstate g;
	const char *dir;

	(void)state;
	if (!have_git())
		skip();
	dir = build("detached", "repo");
	hide_from_libgit2(dir);
	snprintf(path, sizeof(path), "%s", getenv("PATH"));
	setenv("PATH", "", 1);
	gitstate_read(&g, dir, NULL);
	gitstate_release(&g);
	test_write("repo/.git/packed-refs",
		   STR("# pack-refs with: peeled\n"
		       "1111111111111111111111111111111111111111 refs/heads/far\n"));
	gitstate_read(&g, dir, NULL);
	assert_true(g.detached && g.partial);
	assert_null(g.branch);
	assert_int_equal(strlen(g.head), 40);
	gitstate_release(&g);
	test_write("repo/.git/HEAD", STR("ref: refs/heads/far\n"));
	gitstate_read(&g, dir, NULL);
	assert_string_equal(g.branch, "far");
	assert_string_equal(g.head, "1111111111111111111111111111111111111111");
	gitstate_release(&g);
	test_write("repo/.git/HEAD", STR("ref: refs/heads/none\n"));
	gitstate_read(&g, dir, NULL);
	assert_string_equal(g.branch, "none");
	assert_null(g.head);
	assert_true(g.unborn);
	gitstate_release(&g);
	test_write("repo/.git/HEAD", STR("ref: refs/../../../outside\n"));
	gitstate_read(&g, dir, NULL);
	assert_int_equal(g.kind, GITSTATE_FAILED);
	gitstate_release(&g);
	setenv("PATH", path, 1);
}

static void
test_gitstate__a_program_of_that_name_in_the_work_tree_is_not_run(void **state)
{
	char path[8192], cwd[4096];
	struct gitstate g;
	const char *dir;

	(void)state;
	if (!have_git())
		skip();
	dir = build("sha256", "repo");
	test_write("repo/git", STR("#!/bin/sh\ntouch ../ran\n"));
	assert_int_equal(chmod(test_path("repo/git"), 0755), 0);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(path, sizeof(path), "%s", getenv("PATH"));
	assert_int_equal(chdir(dir), 0);
	setenv("PATH", ".::", 1);
	gitstate_read(&g, ".", NULL);
	setenv("PATH", path, 1);
	assert_int_equal(chdir(cwd), 0);
	assert_false(test_exists("ran"));
	assert_false(g.by_git);
	gitstate_release(&g);
}

static void test_gitstate__a_large_file_is_not_read_under_a_deadline(void **state)
{
	struct gitstate_options o = {0};
	struct gitstate g;
	const char *dir;
	char big[4096];
	int fd;

	(void)state;
	if (!have_git())
		skip();
	dir = build("clean", "repo");
	snprintf(big, sizeof(big), "%s/big", dir);
	fd = open(big, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (65 << 20)), 0);
	{
		const char *const add[] = {"git", "add", "big", NULL};

		assert_int_equal(run_in(dir, add, NULL), 0);
	}
	assert_int_equal(futimens(fd, (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}),
			 0);
	close(fd);
	o.deadline_ns = clock_mono_ns() + INT64_C(600000000000);
	gitstate_read(&g, dir, &o);
	assert_true(g.partial);
	assert_string_equal(g.note, "1 large file not compared");
	assert_int_equal(g.nfiles_all, 1); /* staged */
	gitstate_release(&g);
	gitstate_read(&g, dir, NULL);
	assert_false(g.partial);
	assert_string_equal(g.file[0].xy, "A ");
	gitstate_release(&g);
}

static void test_gitstate__folders_without_end_are_left_out(void **state)
{
	struct buf rel = BUF_INIT(4096);
	struct gitstate_options o = {.untracked_files = true};
	struct gitstate g;
	int i;

	(void)state;
	if (!have_git())
		skip();
	build("clean", "repo");
	buf_add(&rel, STR("repo"));
	for (i = 0; i < 300; i++)
		buf_add(&rel, STR("/d"));
	buf_add(&rel, STR("/file"));
	test_write(buf_cstr(&rel), STR("x"));
	gitstate_read(&g, test_path("repo"), &o);
	assert_int_equal(g.nfiles_all, 0);
	assert_true(g.partial);
	assert_string_equal(g.note, "folders deeper than 200 are left out");
	gitstate_release(&g);
	buf_release(&rel);
}

static void test_gitstate__a_git_that_hangs_is_killed(void **state)
{
	struct gitstate_options o = {0};
	char path[8192];
	struct gitstate g;
	const char *dir;
	int64_t began;

	(void)state;
	if (!have_git())
		skip();
	dir = build("sha256", "repo");
	test_write("bin/git", STR("#!/bin/sh\nwhile :; do sleep 5; done\n"));
	assert_int_equal(chmod(test_path("bin/git"), 0755), 0);
	snprintf(path, sizeof(path), "%s", getenv("PATH"));
	setenv("PATH", test_path("bin"), 1);
	began = clock_mono_ns();
	o.deadline_ns = began + 400000000;
	gitstate_read(&g, dir, &o);
	setenv("PATH", path, 1);
	assert_true(clock_mono_ns() - began < 5000000000);
	assert_string_equal(g.note, "git took too long");
	assert_string_equal(g.branch, "main");
	gitstate_release(&g);
}

/* --- calls that fail --- */

/* Whatever call fails: the same answer, or one that says it is not sure. */
static void fail_every_call(const char *name, int code)
{
	struct buf want, got;
	struct gitstate g;
	const char *dir = build(name, "repo");
	int n = 0;
	bool met;

	gitstate_read(&g, dir, NULL);
	as_git_does(&g, &want);
	gitstate_release(&g);
	do {
		fault_errno(code);
		fault_at(++n);
		gitstate_read(&g, dir, NULL);
		met = fault_met();
		fault_off();
		as_git_does(&g, &got);
		if (g.kind == GITSTATE_REPO && !g.partial &&
		    !str_eq(buf_str(&got), buf_str(&want)))
			fail_msg("%s: call %d fails, and nothing is said", name, n);
		assert_true(!g.partial || g.note);
		assert_true(g.kind == GITSTATE_REPO || g.note);
		buf_release(&got);
		gitstate_release(&g);
	} while (met);
	assert_true(n > 20);
	buf_release(&want);
}

static void test_gitstate__a_failing_call_is_never_taken_for_an_answer(void **state)
{
	(void)state;
	if (!have_git())
		skip();
	fail_every_call("dirty", EIO);
	fail_every_call("dirty", EACCES);
	fail_every_call("ignored", EIO);
	fail_every_call("nested", EIO);
	fail_every_call("submodule", EIO);
	fail_every_call("split-index", EIO);
}

/* --- random repositories --- */

#define RANDOM_REPOSITORIES 8

static uint64_t seed;

static size_t dice(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t)((seed >> 11) % n);
}

/* A path of one to three parts from a small stock, so that names meet each other. */
static const char *random_path(void)
{
	static const char *const part[] = {"a",        "b",    "ab",    "a.o",
					   "x.txt",    "dir",  "build", "a b",
					   "\xc3\xb6", ".hid", "a-b",   "a0"};
	static char path[200];
	size_t n = 1 + dice(3), at = 0;

	path[0] = '\0';
	while (n-- > 0)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%s%s",
				       at ? "/" : "", part[dice(12)]);
	return path;
}

/* Some lines out of few, so that contents resemble each other. */
static void random_text(struct buf *b)
{
	size_t n = dice(12);

	buf_reset(b);
	while (n-- > 0)
		buf_printf(b, "line %zu of the harbour log\n", dice(6));
}

static void random_rules(struct buf *b)
{
	static const char *const rule[] = {
		"a",    "*.o",    "b/",       "/a",    "dir/a", "**/ab",
		"a/**", "a/**/b", "!a",       "!*.o",  "*",     "!*/",
		"[ab]", "?",      "a*",       "*b",    "/*/b",  "# a",
		"\\!a", "a b",    "a ",       ".*",    "x.t?t", "build",
		"!b/",  "/dir/*", "!/dir/ab", "[!a]*", "a\\b",  "**/",
		"**",   "/**/a",  "dir/**",   "a**b",  "*/a",   "[[:digit:]]",
	};
	size_t n = 1 + dice(4);

	buf_reset(b);
	while (n-- > 0)
		buf_printf(b, "%s\n", rule[dice(sizeof(rule) / sizeof(rule[0]))]);
}

static void git(const char *dir, const char *a, const char *b, const char *c)
{
	const char *const argv[] = {"git",
				    "-c",
				    "user.name=dev",
				    "-c",
				    "user.email=dev@example.com",
				    "-c",
				    "core.hooksPath=/dev/null",
				    a,
				    b,
				    c,
				    NULL};

	run_in(dir, argv, NULL);
}

static void try_write(const char *path, const struct buf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);

	if (fd < 0)
		return;
	if (text->n)
		assert_int_equal(write(fd, text->p, text->n), text->n);
	close(fd);
}

/* Any of these may fail (a folder in the place of a file): the next is tried all the same. */
static void random_step(const char *dir, struct buf *text)
{
	char path[2000], other[4096];
	const char *const move[] = {"mv", path, other, NULL};

	snprintf(path, sizeof(path), "%s/%s", dir, random_path());
	snprintf(other, sizeof(other), "%s/%s", dir, random_path());
	random_text(text);
	switch (dice(40)) {
	case 0:
		unlink(path);
		break;
	case 1:
		chmod(path, dice(2) ? 0755 : 0644);
		break;
	case 2:
		unlink(path);
		if (symlink(dice(2) ? "a" : "dir", path) < 0)
			break; /* its folder is not there */
		break;
	case 3:
		fs_mkdirs(path, 0755, NULL);
		break;
	case 4:
		run_in(dir, move, NULL);
		break;
	case 5:
		git(dir, "add", "-f", path);
		break;
	case 6:
		git(dir, "rm", "-rq", path);
		break;
	case 7:
		git(dir, "mv", path, other);
		break;
	case 8:
		git(dir, "add", path, other);
		break;
	case 9:
		git(dir, "add", "-A", NULL);
		break;
	case 10:
	case 11:
	case 12:
		random_rules(text);
		snprintf(other, sizeof(other), "%s/.gitignore", dice(2) ? dir : path);
		try_write(other, text);
		break;
	default:
		*strrchr(path, '/') = '\0';
		fs_mkdirs(path, 0755, NULL);
		path[strlen(path)] = '/';
		try_write(path, text);
	}
}

static void random_repository(uint64_t number)
{
	struct buf text = BUF_INIT(1 << 16);
	char dir[1024];
	size_t i;

	seed = number * 0x9e3779b97f4a7c15ULL + 1;
	test_dir();
	snprintf(dir, sizeof(dir), "%s", test_path("repo"));
	assert_int_equal(fs_mkdirs(dir, 0755, NULL), 0);
	git(dir, "init", "-q", ".");
	random_rules(&text);
	if (dice(2))
		test_write(dice(2) ? "home/.config/git/ignore" : "repo/.git/info/exclude",
			   buf_str(&text));
	for (i = 0; i < 60; i++)
		random_step(dir, &text);
	git(dir, "add", "-A", NULL);
	if (dice(5))
		git(dir, "commit", "-qm", "one");
	for (i = 0; i < 60; i++)
		random_step(dir, &text);
	print_message("# seed %llu\n", (unsigned long long)number);
	assert_same_as_git(dir, false);
	assert_same_as_git(dir, true);
	buf_release(&text);
}

static void test_gitstate__random_repositories_read_as_git_reads_them(void **state)
{
	const char *more = getenv("GITSTATE_RANDOM"), *from = getenv("GITSTATE_SEED");
	uint64_t i = from ? strtoull(from, NULL, 10) : 1, n;

	(void)state;
	if (!have_git())
		skip();
	for (n = more ? strtoull(more, NULL, 10) : RANDOM_REPOSITORIES; n > 0; n--)
		random_repository(i++);
}

/* --- history --- */

#define COMMITS 400

/* A history in which each commit has one or two parents among the last few before it. */
static void random_history(struct buf *b)
{
	int i;

	for (i = 1; i <= COMMITS; i++) {
		/* times mostly go forward; now and then a clock was wrong by a little */
		long when = 1767225600 + i * 60 - (dice(10) == 0 ? (long)dice(200) : 0);

		buf_printf(
			b,
			"commit refs/heads/c%d\nmark :%d\ncommitter dev <dev@example.com> %ld +0000\n"
			"data 1\nx\n",
			i % 7, i, when);
		if (i > 1)
			buf_printf(b, "from :%zu\n",
				   (size_t)i - 1 - dice(i > 6 ? 6 : (size_t)i - 1));
		if (i > 2 && dice(3) == 0)
			buf_printf(b, "merge :%zu\n",
				   (size_t)i - 1 - dice(i > 12 ? 12 : (size_t)i - 1));
		buf_byte(b, '\n');
	}
}

static void set_branch(const char *dir, const char *name, const char *id)
{
	const char *const argv[] = {"git", "update-ref", name, id, NULL};

	assert_int_equal(run_in(dir, argv, NULL), 0);
}

static void test_gitstate__distances_are_those_that_git_counts(void **state)
{
	const char *const import[] = {"sh", "-c",
				      "git fast-import --quiet --force "
				      "--export-marks=../marks <../history",
				      NULL};
	struct buf b = BUF_INIT(1 << 20), out = BUF_INIT(4096);
	char dir[1024], mark[COMMITS + 1][41];
	str rest, line, word;
	int i;

	(void)state;
	if (!have_git())
		skip();
	test_dir();
	seed = 77;
	snprintf(dir, sizeof(dir), "%s", test_path("repo"));
	assert_int_equal(fs_mkdirs(dir, 0755, NULL), 0);
	git(dir, "init", "-q", ".");
	random_history(&b);
	test_write("history", buf_str(&b));
	assert_int_equal(run_in(dir, import, NULL), 0);
	for (rest = test_read("marks"); str_line(&rest, &line);) {
		uint64_t n;

		assert_true(str_word(&line, &word) && str_u64(str_from(word, 1), &n));
		assert_true(n <= COMMITS && str_word(&line, &word) && word.n == 40);
		memcpy(mark[n], word.p, 40);
		mark[n][40] = '\0';
	}
	git(dir, "config", "branch.main.remote", ".");
	git(dir, "config", "branch.main.merge", "refs/heads/theirs");
	git(dir, "symbolic-ref", "HEAD", "refs/heads/main");
	for (i = 0; i < 30; i++) {
		const char *const count[] = {"git",     "rev-list",      "--left-right",
					     "--count", "main...theirs", NULL};
		struct gitstate g;
		char want[64];

		set_branch(dir, "refs/heads/main", mark[1 + dice(COMMITS)]);
		set_branch(dir, "refs/heads/theirs", mark[1 + dice(COMMITS)]);
		buf_reset(&out);
		assert_int_equal(run_in(dir, count, &out), 0);
		gitstate_read(&g, dir, NULL);
		snprintf(want, sizeof(want), "%zu\t%zu\n", g.ahead, g.behind);
		assert_str(buf_str(&out), str_of(want));
		gitstate_release(&g);
	}
	buf_release(&b);
	buf_release(&out);
}

static void test_gitstate__json_names_every_kind(void **state)
{
	static const struct {
		enum gitstate_kind kind;
		const char *name;
	} kinds[] = {{GITSTATE_REPO, "repository"},     {GITSTATE_NONE, "none"},
		     {GITSTATE_NO_DIR, "no-directory"}, {GITSTATE_BARE, "bare"},
		     {GITSTATE_UNSAFE, "unsafe"},       {GITSTATE_FAILED, "failed"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char path[] = "new\n", from[] = "old\"";
		struct gitstate_file f = {path, from, GITSTATE_RENAMED, "R "};
		struct gitstate g = {.kind = kinds[i].kind,
				     .head_at = CLOCK_NONE,
				     .file = &f,
				     .nfiles = 1};
		struct buf b = BUF_INIT(4096), want = BUF_INIT(100);

		gitstate_json(&g, &b);
		buf_printf(&want, "{\"kind\":\"%s\",\"top\":null,", kinds[i].name);
		assert_true(str_starts(buf_str(&b), buf_str(&want)));
		assert_true(str_find(buf_str(&b),
				     STR("\"files\":[{\"xy\":\"R \",\"path\":\"new\\n\","
					 "\"from\":\"old\\\"\"}]")) != STR_NPOS);
		buf_release(&b);
		buf_release(&want);
	}
}

static void test_gitstate__json_holds_the_same_facts(void **state)
{
	struct gitstate g;
	struct buf b = BUF_INIT(1 << 16);

	(void)state;
	if (!have_git())
		skip();
	gitstate_read(&g, build("stashes", "repo"), NULL);
	gitstate_json(&g, &b);
	assert_true(str_starts(buf_str(&b), STR("{\"kind\":\"repository\",\"top\":\"/")));
	assert_true(str_find(buf_str(&b), STR("\"branch\":\"main\",")) != STR_NPOS);
	assert_true(str_find(buf_str(&b), STR("\"head_at\":\"2026-01-01T00:01:00Z\",")) !=
		    STR_NPOS);
	assert_true(str_find(buf_str(&b), STR("\"stashes\":2,")) != STR_NPOS);
	assert_true(str_ends(
		buf_str(&b),
		STR("\"files\":[],\"partial\":false,\"by_git\":false,\"note\":null}")));
	buf_release(&b);
	gitstate_release(&g);
	gitstate_read(&g, build("unborn", "repo"), NULL);
	gitstate_json(&g, &b);
	assert_true(
		str_find(
			buf_str(&b),
			STR("\"files\":[{\"xy\":\"A \",\"path\":\"a.txt\"},{\"xy\":\"??\",")) !=
		STR_NPOS);
	buf_release(&b);
	gitstate_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gitstate__reads_every_kind_of_repository),
		cmocka_unit_test(test_gitstate__both_readers_tell_the_same),
		cmocka_unit_test(test_gitstate__git_is_not_let_into_submodules),
		cmocka_unit_test(test_gitstate__names_the_old_path_of_a_rename),
		cmocka_unit_test(test_gitstate__counts_go_on_beyond_the_files_kept),
		cmocka_unit_test(test_gitstate__says_what_it_left_out_at_the_deadline),
		cmocka_unit_test(test_gitstate__a_missing_or_removed_folder_is_told),
		cmocka_unit_test(test_gitstate__a_repository_of_someone_else_is_unsafe),
		cmocka_unit_test(test_gitstate__the_users_own_settings_count),
		cmocka_unit_test(test_gitstate__without_git_head_is_read_from_its_file),
		cmocka_unit_test(test_gitstate__without_git_a_detached_head_is_an_id),
		cmocka_unit_test(
			test_gitstate__a_program_of_that_name_in_the_work_tree_is_not_run),
		cmocka_unit_test(
			test_gitstate__a_large_file_is_not_read_under_a_deadline),
		cmocka_unit_test(test_gitstate__folders_without_end_are_left_out),
		cmocka_unit_test(test_gitstate__a_git_that_hangs_is_killed),
		cmocka_unit_test(
			test_gitstate__a_failing_call_is_never_taken_for_an_answer),
		cmocka_unit_test(
			test_gitstate__random_repositories_read_as_git_reads_them),
		cmocka_unit_test(test_gitstate__distances_are_those_that_git_counts),
		cmocka_unit_test(test_gitstate__json_names_every_kind),
		cmocka_unit_test(test_gitstate__json_holds_the_same_facts),
	};

	return cmocka_run_group_tests_name("gitstate", tests, NULL, NULL);
}
