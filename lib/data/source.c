#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/source.h"
#include "data/pack.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"

#define COPY_BYTES (256u << 10)
#define HEAD_BYTES                                                                       \
	(64ull << 20) /* somewhere in them a record begins, or it is no transcript */
#define KEY_BYTES 11 /* of the longest key that tells a record: "sessionId" */

long source_read(struct source *s, char *p, size_t n)
{
	ssize_t got;

	do
		got = io.read(s->fd, p, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? HF_EIO : (long)got;
}

int source_seek(struct source *s, uint64_t off)
{
	if (off > INT64_MAX || io.lseek(s->fd, (off_t)off, SEEK_SET) < 0)
		return HF_EIO;
	return 0;
}

/*
 * Whether more of standard input is wanted: a device or a program that says the same for ever
 * must not fill the disk. Compressed input shows only later what is in it.
 */
static int check_more(uint64_t total, bool begun, struct err *e)
{
	if (total > SOURCE_UNPACKED_MAX)
		return err_set(e, HF_ELIMIT, "standard input: over %llu bytes",
			       (unsigned long long)SOURCE_UNPACKED_MAX);
	if (!begun && total >= HEAD_BYTES)
		return err_set(
			e, HF_EFORMAT,
			"standard input: not a transcript: no record begins in its first %llu bytes",
			(unsigned long long)total);
	return 0;
}

/* A key that every record has one of: an endless noise has braces too. */
static bool has_key(str s)
{
	return str_find(s, STR("\"type\"")) != STR_NPOS ||
	       str_find(s, STR("\"uuid\"")) != STR_NPOS ||
	       str_find(s, STR("\"sessionId\"")) != STR_NPOS;
}

/* All of standard input to fd. */
static int spool(int fd, struct err *e)
{
	struct source in = {.fd = STDIN_FILENO};
	char *p = malloc(KEY_BYTES + COPY_BYTES);
	uint64_t total = 0;
	bool begun = false;
	size_t kept = 0; /* the end of what was read before, in front of what is read now */
	int ret = 0;
	long n = 0;

	if (!p)
		log_oom();
	while (ret == 0 && (n = source_read(&in, p + kept, COPY_BYTES)) > 0) {
		str part = {p + kept, (size_t)n}, seen = {p, kept + (size_t)n};

		begun = begun || has_key(seen) || (!total && pack_is_packed(part));
		total += part.n;
		ret = check_more(total, begun, e);
		if (!ret)
			ret = fs_write_all(fd, part, fs_temp_place(), e);
		kept = seen.n < KEY_BYTES ? seen.n : KEY_BYTES;
		memmove(p, seen.p + seen.n - kept, kept);
	}
	if (n < 0)
		ret = err_sys(e, "standard input: read");
	free(p);
	return ret;
}

/* To the beginning, with the size as it is now. */
static int rewind_to_size(struct source *s, const char *name, struct err *e)
{
	struct stat st;

	if (io.fstat(s->fd, &st) < 0 || source_seek(s, 0) < 0)
		return err_sys(e, "%s: %s", name, fs_temp_place());
	s->size = (uint64_t)st.st_size;
	return 0;
}

static int64_t mtime_ms(const struct stat *st)
{
#ifdef __APPLE__
	const struct timespec *t = &st->st_mtimespec;
#else
	const struct timespec *t = &st->st_mtim;
#endif
	return (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

static int open_stdin(struct source *s, const char *name, struct err *e)
{
	int ret;

	s->fd = fs_temp(e);
	if (s->fd < 0)
		return s->fd;
	ret = spool(s->fd, e);
	return ret ? ret : rewind_to_size(s, name, e);
}

static int open_file(struct source *s, const char *path, struct err *e)
{
	struct stat st;

	s->fd = fs_open(path, &st, e);
	if (s->fd < 0)
		return s->fd;
	s->size = (uint64_t)st.st_size;
	s->mtime_ms = mtime_ms(&st);
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

/*
 * The compressed file in s->fd is replaced by an unlinked temporary one with its content. Of
 * one that is torn or damaged, what comes before that is read, with a word about it.
 */
static int unpack(struct source *s, const char *name, struct err *e)
{
	struct err bad = ERR_INIT;
	int temp = fs_temp(e), ret;

	if (temp < 0)
		return temp;
	ret = pack_unpack(s->fd, temp, SOURCE_UNPACKED_MAX, name, &bad);
	io.close(s->fd);
	s->fd = temp;
	s->packed = true;
	if (ret && ret != HF_EFORMAT)
		return err_set(e, ret, "%s", bad.msg);
	if (rewind_to_size(s, name, e))
		return HF_EIO;
	if (ret && !s->size)
		return err_set(e, ret, "%s", bad.msg);
	if (ret)
		log_warn("%s: what comes before is read", bad.msg);
	return 0;
}

int source_open(struct source *s, const char *path, struct err *e)
{
	bool in = strcmp(path, "-") == 0;
	const char *name = in ? "standard input" : path;
	struct buf head = BUF_INIT(4);
	long got;
	int ret;

	*s = (struct source){.fd = -1, .mtime_ms = CLOCK_NONE};
	ret = in ? open_stdin(s, name, e) : open_file(s, path, e);
	if (ret)
		goto out;
	got = fs_read_at(s->fd, 0, head.max, &head, NULL);
	if (got < 0)
		ret = err_sys(e, "%s: read", name);
	else if (pack_is_packed(buf_str(&head)))
		ret = unpack(s, name, e);
out:
	if (ret)
		source_release(s);
	buf_release(&head);
	return ret;
}

void source_release(struct source *s)
{
	if (s->fd >= 0)
		io.close(s->fd);
	*s = (struct source){.fd = -1};
}

bool source_is(const struct source *s, const struct stat *st)
{
	return st->st_dev == s->dev && st->st_ino == s->ino;
}
