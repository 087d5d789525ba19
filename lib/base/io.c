/* The table, and thin wrappers where the system's function has another shape. */
#include "base/io.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int io_open(const char *path, int flags, mode_t mode)
{
	return open(path, flags, mode);
}

static int io_fstat(int fd, struct stat *st)
{
	return fstat(fd, st);
}

static int io_stat(const char *path, struct stat *st)
{
	return stat(path, st);
}

static int io_lstat(const char *path, struct stat *st)
{
	return lstat(path, st);
}

static int io_lstatat(int dir, const char *name, struct stat *st)
{
	return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
}

static int io_fdatasync(int fd)
{
#ifdef __APPLE__
	return fsync(fd);
#else
	return fdatasync(fd);
#endif
}

static int io_processors(void)
{
#ifdef __linux__
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? -1 : CPU_COUNT(&set);
#else
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

static int io_thread(pthread_t *t, void *(*run)(void *), void *arg)
{
	return pthread_create(t, NULL, run, arg);
}

#define IO_REAL                                                                          \
	{                                                                                \
		.open = io_open, .close = close, .read = read, .pread = pread,           \
		.write = write, .lseek = lseek, .fstat = io_fstat, .stat = io_stat,      \
		.lstat = io_lstat, .lstatat = io_lstatat, .fsync = fsync,                \
		.fdatasync = io_fdatasync, .ftruncate = ftruncate, .rename = rename,     \
		.unlink = unlink, .mkdir = mkdir, .flock = flock, .opendir = opendir,    \
		.readdir = readdir, .closedir = closedir, .processors = io_processors,   \
		.thread = io_thread,                                                     \
	}

struct io io = IO_REAL;

void io_real(void)
{
	io = (struct io)IO_REAL;
}
