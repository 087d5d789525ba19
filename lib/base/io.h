/*
 * io: the system calls that can fail, in a table that tests may swap.
 *
 *   ssize_t n = io.read(fd, p, len);
 *
 * All code below calls these through the table, so that a test can make the n-th call
 * fail (tests/unit/fault.h) and look at what is left behind. io_real() restores it.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>

struct io {
	int (*open)(const char *path, int flags, mode_t mode);
	int (*close)(int fd);
	ssize_t (*read)(int fd, void *p, size_t n);
	ssize_t (*pread)(int fd, void *p, size_t n, off_t off);
	ssize_t (*write)(int fd, const void *p, size_t n);
	off_t (*lseek)(int fd, off_t off, int whence);
	int (*fstat)(int fd, struct stat *st);
	int (*stat)(const char *path, struct stat *st);
	int (*lstat)(const char *path, struct stat *st);
	int (*lstatat)(int dir, const char *name,
		       struct stat *st); /* fstatat, no link followed */
	int (*fsync)(int fd);
	int (*fdatasync)(int fd);
	int (*ftruncate)(int fd, off_t n);
	int (*rename)(const char *from, const char *to);
	int (*unlink)(const char *path);
	int (*mkdir)(const char *path, mode_t mode);
	int (*flock)(int fd, int op);
	DIR *(*opendir)(const char *path);
	struct dirent *(*readdir)(DIR *d);
	int (*closedir)(DIR *d);
	int (*processors)(void); /* that this process may use; -1: not known */
	int (*thread)(pthread_t *t, void *(*run)(void *), void *arg); /* 0, or an errno */
};

extern struct io io;
void io_real(void);

#endif
