/*
 * bench: whole processes, measured: wall time, processor time of all threads, peak memory, and
 * ratios of wall times to a named baseline.
 *
 *   struct bench_run a = bench_best(argv, 5), b = bench_call(count_lines, path, 5);
 *   bench_row("index --json", a, "memchr line count", b);
 *
 * A baseline in C runs in a child of its own, as the programs do, so that its memory is its
 * own too. The runner stays small: on Linux a child's peak begins with its parent's.
 */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

struct bench_run {
	double s;     /* wall, best of the passes; < 0: it is not there, or failed */
	double cpu_s; /* user and system, of that pass */
	long rss_kb;
};

static inline void bench_die(const char *what)
{
	perror(what);
	exit(1);
}

static inline struct bench_run bench_wait(pid_t pid, int64_t start)
{
	struct bench_run r = {.s = -1};
	struct rusage use;
	int status;

	while (wait4(pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			bench_die("wait4");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		r.s = (double)(clock_mono_ns() - start) / 1e9;
		r.cpu_s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
			  (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
		r.rss_kb = use.ru_maxrss;
	}
	return r;
}

/* argv with its output thrown away, or fn(arg) in a child. */
static inline struct bench_run bench_once(char *const argv[], void (*fn)(const char *),
					  const char *arg)
{
	int64_t start = clock_mono_ns();
	pid_t pid = fork();

	if (pid < 0)
		bench_die("fork");
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		if (null < 0 || dup2(null, 1) < 0 || (argv && dup2(null, 2) < 0))
			_exit(1);
		if (!argv) {
			fn(arg);
			_exit(0);
		}
		execvp(argv[0], argv);
		_exit(127);
	}
	return bench_wait(pid, start);
}

static inline struct bench_run bench_passes(char *const argv[], void (*fn)(const char *),
					    const char *arg, int passes)
{
	struct bench_run best = {.s = -1};

	while (passes--) {
		struct bench_run r = bench_once(argv, fn, arg);

		if (r.s < 0)
			return r;
		if (best.s < 0 || r.s < best.s) {
			best.s = r.s;
			best.cpu_s = r.cpu_s;
		}
		if (r.rss_kb > best.rss_kb)
			best.rss_kb = r.rss_kb;
	}
	return best;
}

static inline struct bench_run bench_best(char *const argv[], int passes)
{
	return bench_passes(argv, NULL, NULL, passes);
}

static inline struct bench_run bench_call(void (*fn)(const char *), const char *arg,
					  int passes)
{
	return bench_passes(NULL, fn, arg, passes);
}

/* what, its times and memory; how many times slower (x) or faster (1/x) the baseline is. */
static inline void bench_row(const char *what, struct bench_run r, const char *baseline,
			     struct bench_run b)
{
	if (r.s < 0) {
		printf("%-34s failed\n", what);
		return;
	}
	printf("%-34s %8.4f s wall %8.4f s cpu %6.1f MB", what, r.s, r.cpu_s,
	       (double)r.rss_kb / 1024);
	if (baseline && b.s >= 0)
		printf("   %6.2f x the time of: %s (%.4f s)", r.s / b.s, baseline, b.s);
	else if (baseline)
		printf("   not to be had here: %s", baseline);
	printf("\n");
	fflush(stdout);
}

#define BENCH_NO_DATA                                                                    \
	"HANDOFF_BENCH (%s) has no data/locomo.corpus.jsonl, nor retrieval/data/locomo.corpus.jsonl"

/* Append the folder of the retrieval data: top/data, or top/retrieval/data. top may be NULL. */
static inline bool bench_data(const char *top, struct buf *b)
{
	static const char *const below[] = {"data", "retrieval/data"};
	struct stat st;

	for (size_t i = 0; top && i < 2; i++) {
		struct buf file = BUF_INIT(4096);
		bool there;

		buf_reset(b);
		buf_printf(b, "%s/%s", top, below[i]);
		buf_printf(&file, "%s/locomo.corpus.jsonl", buf_cstr(b));
		there = stat(buf_cstr(&file), &st) == 0 && S_ISREG(st.st_mode);
		buf_release(&file);
		if (there)
			return true;
	}
	return false;
}

static inline uint32_t bench_rnd(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33) % n;
}

#endif
