/*
 * The line that the handler writes is made beforehand, in one of two slots; a new one is
 * made in the other slot and then switched to by one store, so the handler always finds a
 * whole line. Its end, the cause, is picked in the handler from a table of literals.
 */
#include "work/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"

#define LINE_BYTES  256
#define STACK_BYTES (64u << 10)

static char log_file[PATH_MAX];
static char line[2][LINE_BYTES];
static volatile sig_atomic_t slot;
static char stack[STACK_BYTES];
static int64_t armed_at_ns;
static int deadline_ms;
static char offered[GUARD_REPLY_MAX];
static volatile size_t offered_bytes; /* 0: nothing */
static volatile sig_atomic_t offered_fd;

static const struct {
	int sig;
	const char *words;
} CAUSE[] = {
	{SIGALRM, "ended by its own timer\n"},
	{SIGTERM, "told to terminate\n"},
	{SIGHUP, "told to hang up\n"},
	{SIGINT, "interrupted\n"},
	{SIGABRT, "aborted: a condition that must hold did not\n"},
	{SIGSEGV, "bad memory access (SEGV)\n"},
	{SIGBUS, "bad memory access (BUS)\n"},
	{SIGFPE, "bad arithmetic\n"},
	{SIGILL, "bad instruction\n"},
};
#define CAUSES (sizeof(CAUSE) / sizeof(CAUSE[0]))

static void put(int fd, const char *p, size_t n)
{
	ssize_t got = write(fd, p, n);

	(void)got; /* there is nothing left to do about it */
}

static int open_existing(void)
{
	return open(log_file,
		    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
			    O_NOFOLLOW,
		    0600);
}

/* The very first hook of a user may be the one that ends here: nobody has made the folders. */
static int open_log(void)
{
	int fd = log_file[0] ? open_existing() : -1;

	if (fd >= 0 || !log_file[0] || errno != ENOENT)
		return fd;
	for (char *p = log_file + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(log_file, 0700);
			*p = '/';
		}
	return open_existing();
}

/* Calls only what may be called in a signal handler. */
static void on_signal(int sig)
{
	const char *head = line[slot], *words = "ended by a signal\n";
	char text[2 * LINE_BYTES];
	size_t n = strlen(head), k;
	int fd;

	if (offered_bytes)
		put(offered_fd, offered, offered_bytes);
	for (size_t i = 0; i < CAUSES; i++)
		if (CAUSE[i].sig == sig)
			words = CAUSE[i].words;
	k = strlen(words);
	memcpy(text, head, n);
	memcpy(text + n, words, k);
	fd = open_log();
	if (fd >= 0)
		put(fd, text, n + k);
	_exit(0);
}

static bool ours(int sig)
{
#if defined(__SANITIZE_ADDRESS__)
	return sig != SIGSEGV && sig != SIGBUS;
#else
	(void)sig;
	return true;
#endif
}

void guard_name(const char *what)
{
	char at[CLOCK_ISO_BYTES];
	int next = !slot;

	clock_iso(at, clock_now());
	snprintf(line[next], LINE_BYTES, "%s %ld %s: ", at, (long)getpid(), what);
	slot = next;
}

void guard_arm(const char *what, const char *log_path)
{
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	sigset_t blocked;

	armed_at_ns = clock_mono_ns();
	guard_name(what);
	if (strlen(log_path) < sizeof(log_file))
		snprintf(log_file, sizeof(log_file), "%s", log_path);
	sigaltstack(&alt, NULL);
	sigfillset(&sa.sa_mask);
	sigemptyset(&blocked);
	for (size_t i = 0; i < CAUSES; i++)
		if (ours(CAUSE[i].sig)) {
			sigaction(CAUSE[i].sig, &sa, NULL);
			sigaddset(&blocked, CAUSE[i].sig);
		}
	/* a mask is inherited: a client that blocks ALRM must not take our timer away */
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a failed write, no death */
}

static void set_timer(int64_t us)
{
	struct itimerval t = {
		.it_value = {.tv_sec = us / 1000000, .tv_usec = us % 1000000}};

	setitimer(ITIMER_REAL, &t, NULL);
}

void guard_deadline(int ms)
{
	int64_t left_us = (armed_at_ns + (int64_t)ms * 1000000 - clock_mono_ns()) / 1000;

	deadline_ms = ms;
	set_timer(left_us > 0 ? left_us : 1); /* 0 would switch it off */
}

int64_t guard_deadline_ns(int before_ms)
{
	return armed_at_ns + (int64_t)(deadline_ms - before_ms) * 1000000;
}

void guard_offer(int fd, const struct buf *reply)
{
	offered_bytes = 0; /* first: the handler may come in between */
	atomic_signal_fence(memory_order_seq_cst);
	if (!reply || !reply->n || reply->full || reply->n > sizeof(offered))
		return;
	memcpy(offered, reply->p, reply->n);
	offered_fd = fd;
	atomic_signal_fence(memory_order_seq_cst);
	offered_bytes = reply->n;
}

void guard_disarm(void)
{
	offered_bytes = 0;
	set_timer(0);
}
