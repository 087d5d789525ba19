/*
 * Durability, and what each step is for:
 *
 *   write_atomic  temporary file, write, fsync (its bytes are on disk before its name is),
 *                 rename (readers see old or new), fsync of the folder (so does a reader
 *                 after a power loss).
 *   append        write, fdatasync, and the folder's fsync if the file is new. A program
 *                 that replaces the file by rename meanwhile takes our record away with the
 *                 old inode; comparing inodes afterwards finds that out.
 *
 * Every call that may be interrupted is repeated; close is not, since on Linux the descriptor
 * is gone whatever it returns.
 */
#include "base/fs.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#define FS_READ_BYTES       (256u << 10)
#define FS_NAME_TRIES       16 /* names of temporary files that may be taken already */
#define FS_APPEND_TRIES     8  /* renames in between before we give up */
#define FS_LOCK_STEP_MAX_NS 10000000
#define FS_NAME_BYTES       40

/* never wait at a FIFO or terminal, never become its session's, never leak into a child */
#define FS_OPEN_FLAGS (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

#define FS_AGAIN(result, call)                                                           \
	do                                                                               \
		(result) = (call);                                                       \
	while ((result) < 0 && errno == EINTR)

static int fs_sys_open(const char *path, int flags, mode_t mode)
{
	int fd;

	FS_AGAIN(fd, io.open(path, flags | FS_OPEN_FLAGS, mode));
	return fd;
}

/* Close after a failure: errno stays what it was. */
static void fs_drop(int fd)
{
	int keep = errno;

	io.close(fd);
	errno = keep;
}

/* fstat, and refuse what is not a regular file. 0 or HF_E*; fd stays open. */
static int fs_check(int fd, struct stat *st, const char *path, struct err *e)
{
	int ret;

	FS_AGAIN(ret, io.fstat(fd, st));
	if (ret < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st->st_mode))
		return err_set(e, HF_EFORMAT, "%s: not a regular file", path);
	return 0;
}

int fs_open(const char *path, struct stat *st, struct err *e)
{
	struct stat own;
	int fd, ret;

	fd = fs_sys_open(path, O_RDONLY, 0);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(e, HF_ENOTFOUND, "%s: No such file or directory", path);
	if (fd < 0)
		return err_sys(e, "%s", path);
	ret = fs_check(fd, st ? st : &own, path, e);
	if (ret) {
		fs_drop(fd);
		return ret;
	}
	return fd;
}

/* Read once into the room of out, at most n bytes: bytes, 0 at the end, -1 with errno. */
static ssize_t fs_read_some(int fd, size_t n, struct buf *out)
{
	char *p = buf_room(out, n);
	ssize_t got;

	FS_AGAIN(got, io.read(fd, p, n));
	if (got > 0)
		out->n += (size_t)got;
	return got;
}

/* Whether fd has another byte: 1, 0, -1 with errno. */
static ssize_t fs_read_probe(int fd)
{
	ssize_t got;
	char byte;

	FS_AGAIN(got, io.read(fd, &byte, 1));
	return got;
}

int fs_read(const char *path, struct buf *out, struct err *e)
{
	size_t start = out->n, left, want;
	struct stat st;
	ssize_t got;
	int fd, ret = 0;

	fd = fs_open(path, &st, e);
	if (fd < 0)
		return fd;
	/* one read more than the size says: files grow, and those of /proc say 0 */
	want = st.st_size > 0 && (uint64_t)st.st_size < FS_READ_BYTES
		       ? (size_t)st.st_size + 1
		       : FS_READ_BYTES;
	if (out->full || (uint64_t)st.st_size > out->max - out->n) {
		ret = err_set(e, HF_ELIMIT, "%s: over the limit of %zu bytes", path,
			      out->max);
		goto out;
	}
	do {
		left = out->max - out->n;
		got = left ? fs_read_some(fd, want < left ? want : left, out)
			   : fs_read_probe(fd);
		if (got < 0)
			ret = err_sys(e, "%s", path);
		else if (got > 0 && left == 0)
			ret = err_set(e, HF_ELIMIT, "%s: over the limit of %zu bytes",
				      path, out->max);
	} while (got > 0 && !ret);
	buf_cut(out, ret ? start : out->n);
out:
	fs_drop(fd);
	return ret;
}

long fs_read_at(int fd, uint64_t off, size_t n, struct buf *out, struct err *e)
{
	size_t start = out->n, want;
	ssize_t got;
	char *p;

	if (out->full || n > out->max - out->n || n > LONG_MAX)
		return err_set(e, HF_ELIMIT, "read of %zu bytes: over the limit of %zu",
			       n, out->max);
	while (out->n - start < n && off <= INT64_MAX) {
		want = n - (out->n - start);
		if (want > FS_READ_BYTES) /* n may be far more than the file has */
			want = FS_READ_BYTES;
		p = buf_room(out, want);
		FS_AGAIN(got, io.pread(fd, p, want, (off_t)off));
		if (got < 0) {
			buf_cut(out, start);
			return err_sys(e, "read at %llu", (unsigned long long)off);
		}
		if (got == 0)
			break;
		out->n += (size_t)got;
		off += (uint64_t)got;
	}
	buf_cut(out, out->n);
	return (long)(out->n - start);
}

int fs_write_all(int fd, str s, const char *name, struct err *e)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	ssize_t n;

	while (s.n) {
		n = io.write(fd, s.p, s.n);
		if (n > 0) {
			s = str_from(s, (size_t)n);
		} else if (n == 0) {
			errno = EIO; /* no file does this; going on might never end */
			return err_sys(e, "%s", name);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			/* a pipe that our parent made non-blocking: wait for its reader */
			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return err_sys(e, "%s", name);
		}
	}
	return 0;
}

/* A name nobody has: ".handoff-" and 16 hexadecimal digits. */
static void fs_temp_name(char out[FS_NAME_BYTES])
{
	static const char hex[] = "0123456789abcdef";
	static const char prefix[] = ".handoff-";
	uint64_t v;

	if (getentropy(&v, sizeof v) < 0)
		v = (uint64_t)clock_mono_ns() ^ (uint64_t)getpid() << 40;
	memcpy(out, prefix, sizeof prefix);
	for (size_t i = sizeof prefix - 1; i < sizeof prefix + 15; i++, v >>= 4)
		out[i] = hex[v & 15];
	out[sizeof prefix + 15] = 0;
}

static bool fs_is_temp_name(str name)
{
	if (name.n != sizeof(".handoff-") + 15 || !str_starts(name, STR(".handoff-")))
		return false;
	for (size_t i = sizeof(".handoff-") - 1; i < name.n; i++)
		if (!str_is_digit(name.p[i]) && (name.p[i] < 'a' || name.p[i] > 'f'))
			return false;
	return true;
}

static int fs_sweep_one(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(SIZE_MAX);
	const time_t *before = arg;
	struct stat st;

	if (!fs_is_temp_name(str_of(name)))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	if (io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_mtime <= *before)
		io.unlink(buf_cstr(&path));
	buf_release(&path);
	return 0;
}

void fs_sweep(const char *dir, int64_t older_s)
{
	/* the files' clock, which HANDOFF_NOW does not pin */
	time_t before = older_s ? time(NULL) - (time_t)older_s : INT64_MAX;

	fs_each(dir, fs_sweep_one, &before, NULL);
}

/* Create a file with a new name in dir; its path is left in `path`. Descriptor, or -1 with errno. */
static int fs_temp_open(str dir, int access, mode_t mode, struct buf *path)
{
	char name[FS_NAME_BYTES];
	int fd = -1;

	for (int i = 0; i < FS_NAME_TRIES; i++) {
		fs_temp_name(name);
		fs_join(path, dir, str_of(name));
		fd = fs_sys_open(buf_cstr(path), access | O_CREAT | O_EXCL | O_NOFOLLOW,
				 mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* The folder that path is in: "" becomes ".". */
static str fs_dirname(const char *path)
{
	str s = str_of(path);
	size_t at = str_rchr(s, '/');

	if (at == STR_NPOS)
		return STR(".");
	return at == 0 ? STR("/") : str_head(s, at);
}

/* Make the names in dir durable. Some file systems cannot, and say EINVAL. */
static int fs_sync_dir(str dir, const char *path, struct err *e)
{
	struct buf name = BUF_INIT(SIZE_MAX);
	int fd, ret;

	buf_add(&name, dir);
	fd = fs_sys_open(buf_cstr(&name), O_RDONLY | O_DIRECTORY, 0);
	buf_release(&name);
	if (fd < 0)
		return err_sys(e, "%s: written, but its folder cannot be opened", path);
	FS_AGAIN(ret, io.fsync(fd));
	if (ret < 0 && errno != EINVAL && errno != ENOTSUP)
		ret = err_sys(e, "%s: written, but its folder cannot be made durable",
			      path);
	else
		ret = 0;
	fs_drop(fd);
	return ret;
}

/* A link into /proc (/dev/stdout is one) names what a program has open, not a place. */
static bool fs_is_magic(const char *path)
{
	static const char proc[] = "/proc/";
	char to[sizeof proc - 1];

	return readlink(path, to, sizeof to) == (ssize_t)sizeof to &&
	       memcmp(to, proc, sizeof to) == 0;
}

int fs_replaceable(const char *path, struct err *e)
{
	struct stat st;
	bool ok;
	int ret;

	FS_AGAIN(ret, io.lstat(path, &st));
	if (ret < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", path);
	ok = S_ISREG(st.st_mode);
	if (S_ISLNK(st.st_mode)) {
		/* a link that leads nowhere may be replaced as well */
		FS_AGAIN(ret, io.stat(path, &st));
		ok = !fs_is_magic(path) && (ret < 0 || S_ISREG(st.st_mode));
	}
	return ok ? 0 : err_set(e, HF_EFORMAT, "%s: not a regular file", path);
}

/* The one way a file is replaced: temporary file in temp_dir, then a rename. */
static int fs_replace(const char *path, str temp_dir, str s, mode_t mode, bool durable,
		      struct err *e)
{
	struct buf temp = BUF_INIT(SIZE_MAX);
	int fd, r, ret;

	ret = fs_replaceable(path, e);
	if (ret)
		return ret;
	fd = fs_temp_open(temp_dir, O_WRONLY, mode, &temp);
	if (fd < 0) {
		ret = err_sys(e, "%s", path);
		goto out;
	}
	ret = fs_write_all(fd, s, path, e);
	if (!ret && durable) {
		FS_AGAIN(r, io.fsync(fd));
		if (r < 0)
			ret = err_sys(e, "%s", path);
	}
	if (io.close(fd) < 0 && errno != EINTR && !ret)
		ret = err_sys(e, "%s", path);
	if (!ret) {
		FS_AGAIN(r, io.rename(buf_cstr(&temp), path));
		if (r < 0)
			ret = err_sys(e, "%s", path);
	}
	if (ret)
		io.unlink(buf_cstr(&temp));
	else if (durable)
		ret = fs_sync_dir(fs_dirname(path), path, e);
out:
	buf_release(&temp);
	return ret;
}

int fs_write_atomic(const char *path, str s, mode_t mode, struct err *e)
{
	return fs_replace(path, fs_dirname(path), s, mode, true, e);
}

int fs_write_through(const char *path, const char *temp_dir, str s, mode_t mode,
		     struct err *e)
{
	return fs_replace(path, str_of(temp_dir), s, mode, true, e);
}

int fs_write_quick(const char *path, str s, mode_t mode, struct err *e)
{
	return fs_replace(path, fs_dirname(path), s, mode, false, e);
}

int fs_write_over(const char *path, str s, mode_t mode, struct err *e)
{
	struct stat st;
	int fd, ret, r;

	ret = fs_replaceable(path, e);
	if (ret)
		return ret;
	fd = fs_sys_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, mode);
	if (fd < 0)
		return err_sys(e, "%s", path);
	if (io.fstat(fd, &st) < 0)
		ret = err_sys(e, "%s", path);
	else if (!S_ISREG(st.st_mode))
		ret = err_set(e, HF_EFORMAT, "%s: not a regular file", path);
	if (!ret)
		ret = fs_write_all(fd, s, path, e);
	if (!ret && st.st_size > (off_t)s.n) {
		FS_AGAIN(r, io.ftruncate(fd, (off_t)s.n));
		if (r < 0)
			ret = err_sys(e, "%s", path);
	}
	if (io.close(fd) < 0 && !ret)
		ret = err_sys(e, "%s", path);
	return ret;
}

int fs_rename(const char *from, const char *to, struct err *e)
{
	int r, ret;

	FS_AGAIN(r, io.rename(from, to));
	if (r < 0)
		return errno == ENOENT
			       ? err_set(e, HF_ENOTFOUND, "%s: no such file", from)
			       : err_sys(e, "%s", from);
	ret = fs_sync_dir(fs_dirname(to), to, e);
	if (!ret && !str_eq(fs_dirname(from), fs_dirname(to)))
		ret = fs_sync_dir(fs_dirname(from), from, e);
	return ret;
}

/* Open for appending; *made tells whether the file is new. Descriptor, or -1 with errno. */
static int fs_append_open(const char *path, bool *made)
{
	int fd = -1;

	/* deleted or created by others between the two opens: look again */
	for (int i = 0; i < FS_APPEND_TRIES; i++) {
		*made = false;
		fd = fs_sys_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0);
		if (fd >= 0 || errno != ENOENT)
			break;
		*made = true;
		fd = fs_sys_open(
			path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CREAT | O_EXCL, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/*
 * Take back the first `done` bytes of a record whose rest was refused, if they still are the
 * end of the file. Where that fails the part stays: readers know torn lines.
 */
static void fs_append_undo(int fd, size_t done)
{
	int keep = errno;
	struct stat st;
	off_t end =
		io.lseek(fd, 0, SEEK_CUR); /* with O_APPEND: the end of what we wrote */

	if (end >= (off_t)done && io.fstat(fd, &st) == 0 && st.st_size == end)
		io.ftruncate(fd, end - (off_t)done);
	errno = keep;
}

/* Write all of s at the end of the file; what a failure let through is taken back. */
static int fs_append_write(int fd, str s, const char *path, struct err *e)
{
	size_t done = 0;
	ssize_t n;

	while (done < s.n) {
		FS_AGAIN(n, io.write(fd, s.p + done, s.n - done));
		if (n == 0)
			errno = EIO;
		if (n <= 0) {
			if (done)
				fs_append_undo(fd, done);
			return err_sys(e, "%s", path);
		}
		done += (size_t)n;
	}
	return 0;
}

/* 1 if path still names the file of st, 0 if not, HF_E*. */
static int fs_same(const char *path, const struct stat *st, struct err *e)
{
	struct stat now;
	int ret;

	FS_AGAIN(ret, io.lstat(path, &now));
	if (ret < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", path);
	return now.st_ino == st->st_ino && now.st_dev == st->st_dev;
}

/* Nothing could be written to a file that was made for it: it goes again, unless others use it by now. */
static void fs_unmake(int fd, const char *path)
{
	struct stat st;

	if (io.fstat(fd, &st) == 0 && st.st_size == 0 && fs_same(path, &st, NULL) == 1)
		io.unlink(path);
}

int fs_begin_append(struct fs_pending *p, const char *path, str s, struct err *e)
{
	int ret;

	*p = (struct fs_pending){.fd = -1};
	p->fd = fs_append_open(path, &p->made);
	if (p->fd < 0)
		return err_sys(e, "%s", path);
	ret = fs_check(p->fd, &p->st, path, e);
	if (!ret)
		ret = fs_append_write(p->fd, s, path, e);
	if (ret && p->made)
		fs_unmake(p->fd, path);
	if (ret)
		fs_drop(p->fd);
	return ret;
}

int fs_begin_create(struct fs_pending *p, const char *path, const char *temp_dir, str s,
		    struct err *e)
{
	struct buf temp = BUF_INIT(SIZE_MAX);
	int r, ret;

	*p = (struct fs_pending){.made = true};
	p->fd = fs_temp_open(str_of(temp_dir), O_WRONLY, 0600, &temp);
	if (p->fd < 0) {
		ret = err_sys(e, "%s", path);
		goto out;
	}
	ret = fs_check(p->fd, &p->st, path, e);
	if (!ret)
		ret = fs_write_all(p->fd, s, path, e);
	if (!ret) {
		FS_AGAIN(r, io.rename(buf_cstr(&temp), path));
		if (r < 0)
			ret = err_sys(e, "%s", path);
	}
	if (ret) {
		io.unlink(buf_cstr(&temp));
		fs_drop(p->fd);
	}
out:
	buf_release(&temp);
	return ret;
}

int fs_finish(struct fs_pending *p, const char *path, struct err *e)
{
	int r, ret = 0;

	FS_AGAIN(r, io.fdatasync(p->fd));
	if (r < 0)
		ret = err_sys(e, "%s", path);
	if (!ret && p->made)
		ret = fs_sync_dir(fs_dirname(path), path, e);
	if (!ret)
		ret = fs_same(path, &p->st, e);
	fs_drop(p->fd);
	return ret;
}

int fs_append(const char *path, str s, struct err *e)
{
	struct fs_pending p;
	int ret;

	for (int i = 0; i < FS_APPEND_TRIES; i++) {
		ret = fs_begin_append(&p, path, s, e);
		if (!ret)
			ret = fs_finish(&p, path, e);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	return err_set(e, HF_EIO, "%s: replaced again and again while appending", path);
}

/* One folder. -1 with errno if it does not exist afterwards. */
static int fs_mkdir(const char *path, mode_t mode)
{
	struct stat st;
	int ret, keep;

	FS_AGAIN(ret, io.mkdir(path, mode));
	if (ret == 0 || errno == ENOENT)
		return ret;
	/* EEXIST, or on a read-only or foreign part of the tree something else: is it there? */
	keep = errno;
	FS_AGAIN(ret, io.stat(path, &st));
	if (ret == 0 && S_ISDIR(st.st_mode))
		return 0;
	errno = keep == EEXIST ? ENOTDIR : keep;
	return -1;
}

int fs_mkdirs(const char *path, mode_t mode, struct err *e)
{
	char *p = str_dup(str_of(path));
	int ret = fs_mkdir(p, mode);

	if (ret < 0 && errno == ENOENT && *p) {
		ret = 0;
		for (char *slash = strchr(p + 1, '/'); slash && !ret;
		     slash = strchr(slash + 1, '/')) {
			*slash = 0;
			ret = fs_mkdir(p, mode);
			*slash = '/';
		}
		if (!ret)
			ret = fs_mkdir(p, mode);
	}
	ret = ret < 0 ? err_sys(e, "%s", path) : 0;
	free(p);
	return ret;
}

/* Wait for an exclusive lock until deadline_ns of the monotonic clock: 0 or HF_E*. */
static int fs_lock_wait(int fd, int64_t deadline_ns, const char *path, struct err *e)
{
	struct timespec step = {0, 250000};
	int64_t left;
	int ret;

	for (;;) {
		FS_AGAIN(ret, io.flock(fd, LOCK_EX | LOCK_NB));
		if (ret == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return err_sys(e, "%s", path);
		left = deadline_ns - clock_mono_ns();
		if (left <= 0)
			return err_set(e, HF_ETIME,
				       "%s: locked by another process: try again", path);
		step.tv_nsec = step.tv_nsec * 2 < FS_LOCK_STEP_MAX_NS
				       ? step.tv_nsec * 2
				       : FS_LOCK_STEP_MAX_NS;
		if (step.tv_nsec > left)
			step.tv_nsec = left;
		nanosleep(&step, NULL);
	}
}

int fs_lock(const char *path, int wait_ms, struct err *e)
{
	int64_t deadline = clock_mono_ns() + (int64_t)wait_ms * 1000000;
	struct stat st;
	int fd, ret;

	for (;;) {
		fd = fs_sys_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
		if (fd < 0)
			return err_sys(e, "%s", path);
		ret = fs_check(fd, &st, path, e);
		if (!ret)
			ret = fs_lock_wait(fd, deadline, path, e);
		if (!ret) {
			/* the file may have been removed while we waited: then it guards nothing */
			ret = fs_same(path, &st, e);
			if (ret == 1)
				return fd;
		}
		fs_drop(fd);
		if (ret)
			return ret;
		if (clock_mono_ns() > deadline)
			return err_set(e, HF_ETIME, "%s: removed again and again", path);
	}
}

void fs_unlock(int fd)
{
	io.close(fd);
}

static int fs_by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Add all names but . and .. to names, each with its NUL. Returns how many, or HF_E*. */
static long fs_names(const char *dir, struct buf *names, struct err *e)
{
	struct dirent *entry;
	long n = 0;
	DIR *d;

	do
		d = io.opendir(dir);
	while (!d && errno == EINTR);
	if (!d && (errno == ENOENT || errno == ENOTDIR))
		return err_set(e, HF_ENOTFOUND, "%s: No such folder", dir);
	if (!d)
		return err_sys(e, "%s", dir);
	for (;;) {
		errno = 0;
		entry = io.readdir(d);
		if (!entry && errno == EINTR)
			continue;
		if (!entry || names->full)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		buf_add(names, (str){entry->d_name, strlen(entry->d_name) + 1});
		n++;
	}
	if (names->full)
		n = err_set(e, HF_ELIMIT, "%s: too many entries", dir);
	else if (errno)
		n = err_sys(e, "%s", dir);
	io.closedir(d);
	return n;
}

int fs_each(const char *dir, int (*fn)(const char *dir, const char *name, void *arg),
	    void *arg, struct err *e)
{
	struct buf names = BUF_INIT(FS_EACH_MAX_BYTES), order = BUF_INIT(SIZE_MAX);
	char **name, *p;
	long n;
	int ret = 0;

	n = fs_names(dir, &names, e);
	if (n <= 0) {
		ret = (int)n;
		goto out;
	}
	name = (char **)(void *)buf_room(&order, (size_t)n * sizeof *name);
	p = names.p;
	for (long i = 0; i < n; i++, p += strlen(p) + 1)
		name[i] = p;
	qsort(name, (size_t)n, sizeof *name, fs_by_bytes);
	for (long i = 0; i < n && !ret; i++)
		ret = fn(dir, name[i], arg);
out:
	buf_release(&order);
	buf_release(&names);
	return ret;
}

void fs_join(struct buf *b, str dir, str name)
{
	buf_reset(b);
	buf_add(b, dir);
	if (dir.n && dir.p[dir.n - 1] != '/')
		buf_byte(b, '/');
	while (dir.n && name.n && name.p[0] == '/')
		name = str_from(name, 1);
	buf_add(b, name);
}

static bool fs_is(const char *path, mode_t type)
{
	struct stat st;
	int ret;

	FS_AGAIN(ret, io.stat(path, &st));
	return ret == 0 && (st.st_mode & S_IFMT) == type;
}

bool fs_is_dir(const char *path)
{
	return fs_is(path, S_IFDIR);
}

bool fs_is_file(const char *path)
{
	return fs_is(path, S_IFREG);
}

static const char *temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

const char *fs_temp_place(void)
{
	static char name[PATH_MAX + 32];

	snprintf(name, sizeof(name), "%.*s: temporary file", PATH_MAX, temp_dir());
	return name;
}

int fs_temp(struct err *e)
{
	const char *dir = temp_dir();
	struct buf path = BUF_INIT(SIZE_MAX);
	int fd, ret;

	fd = fs_temp_open(str_of(dir), O_RDWR, 0600, &path);
	if (fd < 0) {
		fd = err_sys(e, "%s: temporary file", dir);
		goto out;
	}
	FS_AGAIN(ret, io.unlink(buf_cstr(&path)));
	if (ret < 0) {
		fs_drop(fd);
		fd = err_sys(e, "%s", buf_cstr(&path));
	}
out:
	buf_release(&path);
	return fd;
}
