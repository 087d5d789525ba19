/*
 * Two hooks that find the log full at the same time may both rename it; then the older half
 * is gone early. That costs lines, not correctness, and needs no lock that could be held.
 */
#include "work/hooklog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "work/redact.h"

#define NAME "hook.log"
#define OPEN_FLAGS                                                                       \
	(O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)

void hooklog_path(struct buf *b, const char *state_dir)
{
	if (!state_dir[0])
		return;
	buf_add(b, str_of(state_dir));
	buf_add(b, STR("/" NAME));
}

/* The open log, which has room; -1. */
static int open_log(const char *state_dir, const char *path)
{
	int fd = io.open(path, OPEN_FLAGS, 0600);
	struct buf old = BUF_INIT(PATH_MAX);
	struct stat st;

	if (fd < 0 && errno == ENOENT && fs_mkdirs(state_dir, 0700, NULL) == 0)
		fd = io.open(path, OPEN_FLAGS, 0600);
	if (fd < 0)
		return -1;
	if (io.fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		io.close(fd);
		return -1;
	}
	if (st.st_size >= HOOKLOG_MAX) {
		io.close(fd);
		buf_printf(&old, "%s.1", path);
		fd = io.rename(path, buf_cstr(&old)) < 0
			     ? -1
			     : io.open(path, OPEN_FLAGS, 0600);
		buf_release(&old);
	}
	return fd;
}

void hooklog_add(const char *state_dir, const char *what, const char *fmt, ...)
{
	int keep = errno, fd;
	struct buf path = BUF_INIT(PATH_MAX), line = BUF_INIT(16 * HOOKLOG_LINE_MAX);
	char message[HOOKLOG_LINE_MAX], at[CLOCK_ISO_BYTES];
	va_list ap;

	hooklog_path(&path, state_dir);
	if (!path.n)
		return;
	va_start(ap, fmt);
	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		message[0] = '\0';
	va_end(ap);
	clock_iso(at, clock_now());
	buf_printf(&line, "%s %ld %s: ", at, (long)getpid(), what);
	redact_show(&line, str_of(message), true);
	buf_byte(&line, '\n');
	fd = open_log(state_dir, buf_cstr(&path));
	if (fd >= 0) {
		ssize_t n = io.write(fd, line.p, line.n);

		(void)n; /* see the header */
		io.close(fd);
	}
	buf_release(&path);
	buf_release(&line);
	errno = keep;
}
