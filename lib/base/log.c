/*
 * Each line is formatted into a fixed buffer, made safe for a terminal (paths and words from
 * outside are in it), and written with one call, so that lines of several processes do not
 * mix. A log that cannot be written is not worth a failure: errors here are dropped.
 */
#include "base/log.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_LINE_BYTES 2048

#define LOG_TRACE_UNKNOWN (-2)
#define LOG_TRACE_OFF     (-1)

static const char *log_program = "handoff";
static int log_trace_fd = LOG_TRACE_UNKNOWN;

void log_name(const char *name)
{
	log_program = name;
	oom_name(name);
	if (log_trace_fd >= 0)
		io.close(log_trace_fd);
	log_trace_fd = LOG_TRACE_UNKNOWN;
}

/* "head message\n" in one write. */
static void __attribute__((format(printf, 3, 0)))
log_line(int fd, const char *head, const char *fmt, va_list ap)
{
	int keep = errno;
	char raw[LOG_LINE_BYTES];
	struct buf line =
		BUF_INIT(8 * LOG_LINE_BYTES); /* an escape is at most 8 times as long */
	ssize_t n;

	if (vsnprintf(raw, sizeof raw, fmt, ap) < 0)
		raw[0] = 0;
	buf_add(&line, str_of(head));
	utf8_show(&line, str_of(raw), UTF8_ONELINE);
	buf_byte(&line, '\n');
	do
		n = io.write(fd, line.p, line.n);
	while (n < 0 && errno == EINTR);
	buf_release(&line);
	errno = keep;
}

static void __attribute__((format(printf, 1, 0))) log_stderr(const char *fmt, va_list ap)
{
	char head[64];

	snprintf(head, sizeof head, "%s: ", log_program);
	log_line(STDERR_FILENO, head, fmt, ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_stderr(fmt, ap);
	va_end(ap);
}

void log_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_stderr(fmt, ap);
	va_end(ap);
	exit(1);
}

/* A regular file, opened once; anything else would block or repeat the open at each line. */
static int log_trace_open(void)
{
	const char *path = getenv("HANDOFF_TRACE");
	struct stat st;
	int fd;

	if (!path || !*path)
		return LOG_TRACE_OFF;
	fd = io.open(path,
		     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		     0600);
	if (fd < 0)
		return LOG_TRACE_OFF;
	if (io.fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		io.close(fd);
		return LOG_TRACE_OFF;
	}
	return fd;
}

void log_trace(const char *fmt, ...)
{
	char head[64], at[CLOCK_ISO_BYTES];
	va_list ap;

	if (log_trace_fd == LOG_TRACE_OFF)
		return;
	if (log_trace_fd == LOG_TRACE_UNKNOWN) {
		log_trace_fd = log_trace_open();
		if (log_trace_fd < 0)
			return;
	}
	clock_iso(at, clock_now());
	snprintf(head, sizeof head, "%s %ld ", at, (long)getpid());
	va_start(ap, fmt);
	log_line(log_trace_fd, head, fmt, ap);
	va_end(ap);
}
