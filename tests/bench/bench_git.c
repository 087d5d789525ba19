/*
 * bench_git: how long the state of a large work tree takes, against `git status`.
 *
 *   bench_git [FILES [MODIFIED]]        20000 and 30; built in a temporary folder
 *   bench_git DIRECTORY                 an existing repository
 *
 * Times are the best and the middle of several rounds in which all three take turns, with the
 * files in the page cache: gitstate_read, `git --no-optional-locks status --porcelain` as a
 * process, and libgit2's own git_status_list_new.
 */
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "data/gitstate.h"

#define FILES            20000
#define MODIFIED         30
#define FILES_PER_FOLDER 50
#define FOLDERS_PER_TOP  20
#define ROUNDS           15
#define OLD_S            1767225600 /* so that no entry is as young as the index */

struct series {
	const char *name;
	double ms[ROUNDS];
};

/* --- programs --- */

static int run(const char *dir, const char *const argv[])
{
	int status = 0, null;
	pid_t pid = fork();

	if (pid == 0) {
		null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		if (chdir(dir) == 0)
			execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void git(const char *dir, const char *a, const char *b, const char *c)
{
	const char *const argv[] = {"git",
				    "-c",
				    "user.name=dev",
				    "-c",
				    "user.email=dev@example.com",
				    "-c",
				    "gc.auto=0",
				    a,
				    b,
				    c,
				    NULL};

	if (run(dir, argv) != 0)
		log_die("git %s failed", a);
}

/* --- the work tree --- */

static void file_path(struct buf *b, const char *dir, unsigned i)
{
	unsigned folder = i / FILES_PER_FOLDER;

	buf_reset(b);
	buf_printf(b, "%s/top%02u/part%02u/file%05u.c", dir, folder / FOLDERS_PER_TOP,
		   folder % FOLDERS_PER_TOP, i);
}

static void write_file(const char *path, unsigned i, bool changed)
{
	struct timespec at[2] = {{.tv_sec = OLD_S}, {.tv_sec = OLD_S}};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), k;

	if (fd < 0)
		log_die("%s: cannot write", path);
	for (k = 0; k < 20; k++)
		dprintf(fd, "int value_%u_%d(void) { return %d; }\n", i, k,
			changed ? k + 1 : k);
	if (!changed)
		futimens(fd, at);
	close(fd);
}

static void make_tree(const char *dir, unsigned files, unsigned modified)
{
	struct buf path = BUF_INIT(4096);
	unsigned i;

	for (i = 0; i < files; i++) {
		file_path(&path, dir, i);
		if (i % FILES_PER_FOLDER == 0) {
			char *slash = strrchr(path.p, '/');

			*slash = '\0';
			if (fs_mkdirs(path.p, 0755, NULL) < 0)
				log_die("%s: cannot create", path.p);
			*slash = '/';
		}
		write_file(path.p, i, false);
	}
	git(dir, "init", "-q", ".");
	git(dir, "add", ".", NULL);
	git(dir, "commit", "-qm", "all files");
	for (i = 0; i < modified; i++) {
		file_path(&path, dir, i * (files / modified));
		write_file(path.p, i, true);
	}
	buf_release(&path);
}

/* --- what is measured --- */

static size_t by_us(const char *dir)
{
	struct gitstate g;
	size_t n;

	gitstate_read(&g, dir, NULL);
	if (g.kind != GITSTATE_REPO || g.partial)
		log_die("%s: %s", dir, g.note ? g.note : "no repository");
	n = g.nfiles_all;
	gitstate_release(&g);
	return n;
}

static size_t by_git(const char *dir)
{
	const char *const argv[] = {"git", "--no-optional-locks", "status", "--porcelain",
				    NULL};

	if (run(dir, argv) != 0)
		log_die("git status failed");
	return 0;
}

static size_t by_libgit2(const char *dir)
{
	git_status_options o = {.version = GIT_STATUS_OPTIONS_VERSION};
	git_status_list *list = NULL;
	git_repository *repo = NULL;
	size_t n;

	git_libgit2_init();
	o.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RENAMES_HEAD_TO_INDEX;
	if (git_repository_open_ext(&repo, dir, 0, NULL) ||
	    git_status_list_new(&list, repo, &o))
		log_die("%s: libgit2 failed", dir);
	n = git_status_list_entrycount(list);
	git_status_list_free(list);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return n;
}

static double time_of(size_t (*fn)(const char *), const char *dir, size_t *found)
{
	int64_t began = clock_mono_ns();

	*found = fn(dir);
	return (double)(clock_mono_ns() - began) / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void show(struct series *s, struct series *base)
{
	printf("%-28s best %7.2f ms  middle %7.2f ms  ratio %.2f\n", s->name, s->ms[0],
	       s->ms[ROUNDS / 2], s->ms[ROUNDS / 2] / base->ms[ROUNDS / 2]);
}

static void measure(const char *dir)
{
	struct series us = {.name = "gitstate_read"},
		      git_ = {.name = "git status --porcelain"},
		      lib = {.name = "git_status_list_new"};
	size_t ours = 0, theirs = 0, none;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		git_.ms[i] = time_of(by_git, dir, &none);
		us.ms[i] = time_of(by_us, dir, &ours);
		lib.ms[i] = time_of(by_libgit2, dir, &theirs);
	}
	qsort(us.ms, ROUNDS, sizeof(double), by_value);
	qsort(git_.ms, ROUNDS, sizeof(double), by_value);
	qsort(lib.ms, ROUNDS, sizeof(double), by_value);
	printf("%zu files differ (libgit2: %zu)\n", ours, theirs);
	show(&git_, &git_);
	show(&us, &git_);
	show(&lib, &git_);
}

static unsigned number(const char *s, unsigned fallback)
{
	uint64_t v;

	if (!s)
		return fallback;
	if (!str_u64(str_of(s), &v) || v == 0 || v > 1000000)
		log_die("usage: bench_git [FILES [MODIFIED]] | DIRECTORY");
	return (unsigned)v;
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	unsigned files, modified;
	char dir[4096];

	log_name("bench_git");
	if (argc > 1 && fs_is_dir(argv[1])) {
		measure(argv[1]);
		return 0;
	}
	files = number(argc > 1 ? argv[1] : NULL, FILES);
	modified = number(argc > 2 ? argv[2] : NULL, MODIFIED < files ? MODIFIED : files);
	if (modified > files)
		modified = files;
	snprintf(dir, sizeof(dir), "%s/bench_git.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		log_die("%s: cannot create", dir);
	make_tree(dir, files, modified);
	measure(dir);
	{
		const char *const rm[] = {"rm", "-rf", dir, NULL};

		run("/", rm);
	}
	return 0;
}
