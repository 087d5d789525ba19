/*
 * The wrappers below count the calls and fail one of them; all else goes to the real table,
 * which is kept in fault_real. The helpers call the system directly, so that they never
 * count and never fail by injection.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static struct io fault_real;
static bool fault_on;
static int fault_left;  /* calls until the one that fails; 0: none */
static int fault_count; /* calls so far */
static bool fault_hit;
static int fault_code;
static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER; /* of the four above */
static size_t fault_max; /* bytes a read or write may move; 0: no limit */

/* True if this call has to fail; errno is set. */
static bool fault_now(int natural)
{
	bool now;

	pthread_mutex_lock(&fault_lock);
	fault_count++;
	now = fault_left && --fault_left == 0;
	fault_hit |= now;
	pthread_mutex_unlock(&fault_lock);
	if (now)
		errno = fault_code ? fault_code : natural;
	return now;
}

static size_t fault_cap(size_t n)
{
	return fault_max && n > fault_max ? fault_max : n;
}

static int fault_open(const char *path, int flags, mode_t mode)
{
	return fault_now(EACCES) ? -1 : fault_real.open(path, flags, mode);
}

static int fault_close(int fd)
{
	int code;

	if (!fault_now(EIO))
		return fault_real.close(fd);
	code = errno;
	fault_real.close(fd);
	errno = code;
	return -1;
}

static ssize_t fault_read(int fd, void *p, size_t n)
{
	return fault_now(EIO) ? -1 : fault_real.read(fd, p, fault_cap(n));
}

static ssize_t fault_pread(int fd, void *p, size_t n, off_t off)
{
	return fault_now(EIO) ? -1 : fault_real.pread(fd, p, fault_cap(n), off);
}

static ssize_t fault_write(int fd, const void *p, size_t n)
{
	return fault_now(ENOSPC) ? -1 : fault_real.write(fd, p, fault_cap(n));
}

static off_t fault_lseek(int fd, off_t off, int whence)
{
	return fault_now(EIO) ? -1 : fault_real.lseek(fd, off, whence);
}

static int fault_fstat(int fd, struct stat *st)
{
	return fault_now(EIO) ? -1 : fault_real.fstat(fd, st);
}

static int fault_stat(const char *path, struct stat *st)
{
	return fault_now(EIO) ? -1 : fault_real.stat(path, st);
}

static int fault_lstat(const char *path, struct stat *st)
{
	return fault_now(EIO) ? -1 : fault_real.lstat(path, st);
}

static int fault_lstatat(int dir, const char *name, struct stat *st)
{
	return fault_now(EIO) ? -1 : fault_real.lstatat(dir, name, st);
}

static int fault_fsync(int fd)
{
	return fault_now(ENOSPC) ? -1 : fault_real.fsync(fd);
}

static int fault_fdatasync(int fd)
{
	return fault_now(ENOSPC) ? -1 : fault_real.fdatasync(fd);
}

static int fault_ftruncate(int fd, off_t n)
{
	return fault_now(EIO) ? -1 : fault_real.ftruncate(fd, n);
}

static int fault_rename(const char *from, const char *to)
{
	return fault_now(EIO) ? -1 : fault_real.rename(from, to);
}

static int fault_unlink(const char *path)
{
	return fault_now(EIO) ? -1 : fault_real.unlink(path);
}

static int fault_mkdir(const char *path, mode_t mode)
{
	return fault_now(ENOSPC) ? -1 : fault_real.mkdir(path, mode);
}

static int fault_flock(int fd, int op)
{
	return fault_now(EIO) ? -1 : fault_real.flock(fd, op);
}

static DIR *fault_opendir(const char *path)
{
	return fault_now(EACCES) ? NULL : fault_real.opendir(path);
}

static struct dirent *fault_readdir(DIR *d)
{
	return fault_now(EIO) ? NULL : fault_real.readdir(d);
}

static int fault_closedir(DIR *d)
{
	int code;

	if (!fault_now(EIO))
		return fault_real.closedir(d);
	code = errno;
	fault_real.closedir(d);
	errno = code;
	return -1;
}

static int fault_processors(void)
{
	return fault_now(EIO) ? -1 : fault_real.processors();
}

static int fault_thread(pthread_t *t, void *(*run)(void *), void *arg)
{
	return fault_now(EAGAIN) ? errno : fault_real.thread(t, run, arg);
}

static void fault_install(void)
{
	fault_count = 0;
	fault_hit = false;
	if (fault_on)
		return;
	fault_on = true;
	io_real();
	fault_real = io;
	io = (struct io){
		.open = fault_open,
		.close = fault_close,
		.read = fault_read,
		.pread = fault_pread,
		.write = fault_write,
		.lseek = fault_lseek,
		.fstat = fault_fstat,
		.stat = fault_stat,
		.lstat = fault_lstat,
		.lstatat = fault_lstatat,
		.fsync = fault_fsync,
		.fdatasync = fault_fdatasync,
		.ftruncate = fault_ftruncate,
		.rename = fault_rename,
		.unlink = fault_unlink,
		.mkdir = fault_mkdir,
		.flock = fault_flock,
		.opendir = fault_opendir,
		.readdir = fault_readdir,
		.closedir = fault_closedir,
		.processors = fault_processors,
		.thread = fault_thread,
	};
}

void fault_at(int n)
{
	fault_install();
	fault_left = n;
}

void fault_errno(int code)
{
	fault_code = code;
}

void fault_short(size_t n)
{
	fault_install();
	fault_max = n;
}

bool fault_met(void)
{
	return fault_hit;
}

int fault_calls(void)
{
	return fault_count;
}

void fault_off(void)
{
	io_real();
	fault_on = false;
	fault_left = 0;
	fault_code = 0;
	fault_max = 0;
}

/* the private folder */

#define TEST_PATHS 16

static char test_root[PATH_MAX / 4]; /* made once for the process, holds all test_dirs */
static char test_now[PATH_MAX / 2];  /* folder of the last test_dir */
static pid_t test_owner;             /* a forked child must not remove the folder */

/* what test_read handed out, so that it is reachable until exit */
struct test_text {
	struct test_text *next;
	char text[];
};
static struct test_text *test_texts;

static int test_remove_one(const char *path, const struct stat *st, int type,
			   struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DNR) /* a test took its own rights away */
		chmod(path, 0700);
	remove(path); /* what stays behind makes the folder's own removal fail, which is told */
	return 0;
}

static void test_remove(void)
{
	struct test_text *next;

	if (getpid() != test_owner)
		return;
	if (nftw(test_root, test_remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		fprintf(stderr, "cannot remove %s: %s\n", test_root, strerror(errno));
	for (; test_texts; test_texts = next) {
		next = test_texts->next;
		free(test_texts);
	}
}

static void test_start(void)
{
	const char *tmp = getenv("TMPDIR");

	if (*test_root)
		return;
	snprintf(test_root, sizeof test_root, "%s/handoff-test-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(test_root)) {
		fprintf(stderr, "cannot make %s: %s\n", test_root, strerror(errno));
		exit(1);
	}
	test_owner = getpid();
	atexit(test_remove);
}

static void test_clean_environment(void)
{
	static const char *const prefixes[] = {"HANDOFF_", "CLAUDE", "GIT_", "XDG_"};
	static const char *const kept[] = {"HANDOFF_BIN", "HANDOFF_TEST"};
	static const char *const others[] = {"AGENT_ID", "MEMORY_DB", "NO_COLOR",
					     "COLUMNS"};
	bool again = true;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		unsetenv(others[i]);
	while (again) {
		again = false;
		for (char **v = environ; *v && !again; v++) {
			str name = str_of(*v);

			name = str_head(name, str_chr(name, '='));
			for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
				again |= str_starts(name, str_of(prefixes[i]));
			for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
				again &= !str_eq(name, str_of(kept[i]));
			if (again) {
				char *copy = strndup(name.p, name.n);

				unsetenv(copy);
				free(copy);
			}
		}
	}
}

const char *test_dir(void)
{
	static const char *const places[][2] = {
		{"HOME", "home"},
		{"TMPDIR", "tmp"},
		{"XDG_CACHE_HOME", "home/.cache"},
		{"XDG_STATE_HOME", "home/.local/state"},
		{"XDG_CONFIG_HOME", "home/.config"},
		{"XDG_DATA_HOME", "home/.local/share"},
		{"XDG_RUNTIME_DIR", "run"},
		{"CLAUDE_CONFIG_DIR", "home/.claude"},
		{"HANDOFF_VAULT", "vault"},
		{"GIT_CONFIG_NOSYSTEM", NULL},
	};
	static int number;

	test_start();
	test_clean_environment();
	snprintf(test_now, sizeof test_now, "%s/%d", test_root, ++number);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		setenv(places[i][0], places[i][1] ? test_path(places[i][1]) : "1", 1);
	if (mkdir(test_now, 0700) < 0 || mkdir(test_path("home"), 0700) < 0 ||
	    mkdir(test_path("tmp"), 0700) < 0)
		fail_msg("cannot make %s: %s", test_now, strerror(errno));
	return test_now;
}

const char *test_path(const char *rel)
{
	static char paths[TEST_PATHS][PATH_MAX];
	static unsigned turn;
	char *p = paths[turn++ % TEST_PATHS];

	if (rel[0] == '/') {
		snprintf(p, PATH_MAX, "%s", rel);
		return p;
	}
	assert_true(*test_now); /* test_dir comes first */
	snprintf(p, PATH_MAX, "%s/%s", test_now, rel);
	return p;
}

void test_write(const char *path, str s)
{
	char p[PATH_MAX];
	size_t done = 0;
	int fd;

	snprintf(p, sizeof p, "%s", test_path(path));
	for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(p, 0700) < 0 && errno != EEXIST && errno != EACCES &&
		    errno != EROFS)
			fail_msg("mkdir %s: %s", p, strerror(errno));
		*slash = '/';
	}
	fd = open(p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		fail_msg("open %s: %s", p, strerror(errno));
	while (done < s.n) {
		ssize_t n = write(fd, s.p + done, s.n - done);

		if (n < 0)
			fail_msg("write %s: %s", p, strerror(errno));
		done += (size_t)n;
	}
	if (close(fd) < 0)
		fail_msg("close %s: %s", p, strerror(errno));
}

str test_read(const char *path)
{
	const char *p = test_path(path);
	struct test_text *t;
	struct stat st;
	size_t done = 0;
	int fd = open(p, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		fail_msg("open %s: %s", p, strerror(errno));
	t = malloc(sizeof *t + (size_t)st.st_size + 1);
	assert_non_null(t);
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, t->text + done, (size_t)st.st_size - done);

		if (n <= 0)
			fail_msg("read %s: %s", p, n ? strerror(errno) : "it shrank");
		done += (size_t)n;
	}
	close(fd);
	t->text[done] = 0;
	t->next = test_texts;
	test_texts = t;
	return (str){t->text, done};
}

bool test_exists(const char *path)
{
	struct stat st;

	return lstat(test_path(path), &st) == 0;
}

bool test_is(const char *path, const char *text)
{
	return test_exists(path) && str_eq(test_read(path), str_of(text));
}

int test_entries(const char *path)
{
	DIR *d = opendir(test_path(path));
	int n = 0;

	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

void test_assert_str(str a, str b, const char *file, int line)
{
	if (str_eq(a, b))
		return;
	print_error("\"%.*s\"\n!=\n\"%.*s\"\n", STR_ARG(a), STR_ARG(b));
	_fail(file, line);
}
