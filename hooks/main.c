/*
 * handoff-hook [EVENT [ENTRY]]: one client event in, at most one reply out.
 *
 * The event's name in the input decides; EVENT only says how long to wait for it, and ENTRY
 * which of the two entries of SessionStart this is. Whatever happens, the exit status is 0,
 * standard error stays silent, and standard output has the reply or nothing. --help and
 * --version alone are for people.
 *
 * For tests (docs/HACKING.md, "Hooks"): HANDOFF_TEST_SLEEP_MS=n sleeps and
 * HANDOFF_TEST_ABORT=1 aborts, once the event is read; HANDOFF_TEST_PATIENCE=n makes all
 * deadlines n times as long, for slow builds on busy machines.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "data/config.h"
#include "hook.h"
#include "work/guard.h"
#include "work/hooklog.h"

#define REPLY_MAX    (1u << 20)
#define DEFAULT_MS   300
#define PATIENCE_MAX 1000

static const struct event {
	enum hook_kind kind;
	const char *name;  /* as an argument */
	const char *entry; /* NULL: the first one of its event */
	int deadline_ms;   /* the process ends */
	int spare_ms;      /* work stops so long before that */
	int (*run)(struct lifecycle *l, struct buf *reply, struct err *e);
} EVENT[] = {
	{HOOK_SESSION_START, "session-start", NULL, 300, 100, hook_session_start},
	{HOOK_SESSION_START, "session-start", "brief", 300, 100, hook_brief},
	{HOOK_USER_PROMPT, "user-prompt-submit", NULL, 100, 30, hook_user_prompt},
	{HOOK_PRE_COMPACT, "pre-compact", NULL, 2000, 300, hook_pre_compact},
	{HOOK_STOP, "stop", NULL, 150, 30, hook_stop},
	{HOOK_STOP_FAILURE, "stop-failure", NULL, 150, 30, hook_stop_failure},
	{HOOK_SUBAGENT_STOP, "subagent-stop", NULL, 150, 30, hook_subagent_stop},
	{HOOK_SESSION_END, "session-end", NULL, 500, 150, hook_session_end},
};
#define EVENTS (sizeof(EVENT) / sizeof(EVENT[0]))

static bool is_entry(const struct event *ev, const char *entry)
{
	return ev->entry ? entry && strcmp(ev->entry, entry) == 0
			 : !entry || strcmp(entry, "brief") != 0;
}

static const struct event *event_of(enum hook_kind kind, const char *entry)
{
	for (size_t i = 0; i < EVENTS; i++)
		if (EVENT[i].kind == kind && is_entry(&EVENT[i], entry))
			return &EVENT[i];
	return NULL;
}

static int patience(void)
{
	const char *v = getenv("HANDOFF_TEST_PATIENCE");
	uint64_t n;

	return v && str_u64(str_of(v), &n) && n && n <= PATIENCE_MAX ? (int)n : 1;
}

static int deadline_by_name(const char *name)
{
	for (size_t i = 0; name && i < EVENTS; i++)
		if (strcmp(EVENT[i].name, name) == 0)
			return EVENT[i].deadline_ms;
	return DEFAULT_MS;
}

/* What tests ask for. */
static void test_hooks(void)
{
	const char *sleep_ms = getenv("HANDOFF_TEST_SLEEP_MS");
	uint64_t ms;

	if (getenv("HANDOFF_TEST_ABORT"))
		abort();
	if (sleep_ms && str_u64(str_of(sleep_ms), &ms)) {
		struct timespec t = {.tv_sec = (time_t)(ms / 1000),
				     .tv_nsec = (long)(ms % 1000) * 1000000};

		nanosleep(&t, NULL);
	}
}

static void early(const struct buf *reply)
{
	guard_offer(STDOUT_FILENO, reply);
}

static void answer(const struct event *ev, const struct hookio *in, const char *state_dir)
{
	pid_t client =
		getppid(); /* asked first: whoever it is, it was there when its end of the pipe is */
	struct lifecycle_options o = {
		.pid = hookio_heard(STDOUT_FILENO) ? client : 0,
		.deadline_ns = guard_deadline_ns(ev->spare_ms * patience()),
		.early = early,
	};
	struct buf reply = BUF_INIT(REPLY_MAX);
	struct err e = ERR_INIT;
	struct lifecycle l;
	int ret = lifecycle_open(&l, in, &o, &e);

	if (ret == LIFECYCLE_GO)
		ret = ev->run(&l, &reply, &e);
	guard_disarm();
	hookio_write(STDOUT_FILENO, &reply);
	if (ret < 0 && e.msg[0])
		hooklog_add(state_dir, l.what, "%s", e.msg);
	lifecycle_close(&l);
	buf_release(&reply);
}

static void run(const char *entry, const char *state_dir)
{
	const struct event *ev;
	struct err e = ERR_INIT;
	struct hookio in;
	char what[80];

	if (hookio_read(&in, STDIN_FILENO, guard_deadline_ns(20), &e)) {
		hooklog_add(state_dir, "event", "%s", e.msg);
		return;
	}
	ev = event_of(in.kind, entry);
	if (ev) {
		snprintf(what, sizeof(what), "%s %.*s", hookio_name(in.kind),
			 STR_ARG(str_head(in.session, 8)));
		guard_name(what);
		guard_deadline(ev->deadline_ms * patience());
		test_hooks();
		answer(ev, &in, state_dir);
	} else {
		hooklog_add(state_dir, "event", "no event that is known here");
	}
	hookio_release(&in);
}

/* Standard error is the user's screen: nothing of ours belongs there. */
static void silence_stderr(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static bool for_people(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		puts("handoff-hook " HANDOFF_VERSION);
	else if (argc == 2 && strcmp(argv[1], "--help") == 0)
		puts("Usage: handoff-hook [EVENT [ENTRY]]\n"
		     "\n"
		     "Serves one hook event of Claude Code: a JSON object on standard input, at most one\n"
		     "reply on standard output. The plugin calls it; `man handoff-hook` says what it does.");
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct buf state = BUF_INIT(PATH_MAX), log = BUF_INIT(PATH_MAX);

	if (for_people(argc, argv))
		return 0;
	config_state_dir(&state);
	hooklog_path(&log, buf_cstr(&state));
	guard_arm(argc > 1 ? argv[1] : "event", buf_cstr(&log));
	guard_deadline(deadline_by_name(argc > 1 ? argv[1] : NULL) * patience());
	oom_status = 0;
	log_name("handoff-hook");
	silence_stderr();
	run(argc > 2 ? argv[2] : NULL, buf_cstr(&state));
	buf_release(&state);
	buf_release(&log);
	return 0;
}
