/*
 * bench_hook BIN [RUNS]: handoff-hook as the client starts it, whole processes.
 *
 * A small git repository, 500 past sessions of it in the journal, twenty of which left a
 * document; a session of 200 MB, to which 1 MB is appended before each Stop. Beside each
 * figure the time of an empty program, and of an empty python, measured in the same run.
 */
#include "transcript.h"

#define RUNS      100
#define STOPS     25
#define AT_ONCE   50
#define PAST      500
#define EVERY     25 /* one in so many past sessions left a document */
#define BIG_BYTES 200000000u
#define ADD_BYTES 1000000u
#define SMALL     20000u
#define BIG_ID    "b0000000-2222-4333-8444-555555555555"

static char top[] = "/tmp/handoff-bench-XXXXXX";
static char *hook;

static void path_of(char out[256], const char *rel)
{
	snprintf(out, 256, "%s/%s", top, rel);
}

static void event_file(const char *path, const char *id, const char *event,
		       const char *more)
{
	FILE *f = fopen(path, "w");

	if (!f ||
	    fprintf(f,
		    "{\"session_id\":\"%s\",\"transcript_path\":\"%s/%s.jsonl\","
		    "\"cwd\":\"%s/project\",\"hook_event_name\":\"%s\"%s}\n",
		    id, top, id, top, event, more) < 0 ||
	    fclose(f))
		bench_die(path);
}

static pid_t start(const char *program, const char *input)
{
	pid_t pid = fork();

	if (pid == 0) {
		char *argv[] = {hook, NULL};
		int in = open(input, O_RDONLY), out = open("/dev/null", O_WRONLY);

		if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0)
			_exit(127);
		execv(program, argv);
		_exit(127);
	}
	if (pid < 0)
		bench_die("fork");
	return pid;
}

static double cpu_ms; /* of the last event: what it costs where the machine is busy */

static double wait_for(pid_t pid, int64_t begin)
{
	struct rusage use;
	int status;

	while (wait4(pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			bench_die("wait4");
	cpu_ms = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
		 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0
		       ? (double)(clock_mono_ns() - begin) / 1e6
		       : -1;
}

/* One event, in milliseconds. */
static double fire(const char *id, const char *event, const char *more)
{
	char input[256];
	int64_t begin;
	double ms;

	path_of(input, "event");
	event_file(input, id, event, more);
	begin = clock_mono_ns();
	ms = wait_for(start(hook, input), begin);
	if (ms < 0) {
		fprintf(stderr, "bench_hook: %s did not end with 0\n", event);
		exit(1);
	}
	return ms;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double at(double *ms, size_t n, double share)
{
	size_t i = (size_t)(share * (double)n);

	qsort(ms, n, sizeof(*ms), by_value);
	return ms[i < n ? i : n - 1];
}

struct times {
	double *ms, *cpu;
	size_t n;
};

static void add(struct times *t, double ms)
{
	t->ms[t->n] = ms;
	t->cpu[t->n++] = cpu_ms;
}

static void row(const char *what, struct times *t, double empty, const char *target)
{
	double half = at(t->ms, t->n, .5), most = at(t->ms, t->n, .99);

	printf("%-30s p50 %6.2f ms  p99 %6.2f ms  processor %5.2f ms  %5.1f x an empty program",
	       what, half, most, at(t->cpu, t->n, .5), half / empty);
	printf("  target %s\n", target);
	fflush(stdout);
	t->n = 0;
}

static double baseline(char *const argv[], int n)
{
	double ms[100];

	for (int i = 0; i < n; i++) {
		struct bench_run r = bench_best(argv, 1);

		if (r.s < 0)
			return -1;
		ms[i] = r.s * 1e3;
	}
	return at(ms, (size_t)n, .5);
}

static void repository(void)
{
	char command[1200];

	snprintf(
		command, sizeof(command),
		"mkdir -p %s/project && cd %s/project && git init -q . && echo x >a.c && git add -A && "
		"git -c user.name=Dev -c user.email=dev@example.com commit -q -m first && echo y >>a.c",
		top, top);
	{
		char sh[] = "sh", c[] = "-c", *argv[] = {sh, c, command, NULL};

		if (bench_best(argv, 1).s < 0) {
			fprintf(stderr, "bench_hook: git is needed\n");
			exit(1);
		}
	}
}

static void past_sessions(void)
{
	char id[64], path[256], cwd[256];

	path_of(cwd, "project");
	for (unsigned i = 0; i < PAST; i++) {
		snprintf(id, sizeof(id), "a%07x-2222-4333-8444-555555555555", i);
		fire(id, "SessionStart", ",\"source\":\"startup\"");
		if (i % EVERY == 0) {
			snprintf(path, sizeof(path), "%s/%s.jsonl", top, id);
			bench_session(path, id, cwd, i, SMALL);
		}
		fire(id, "SessionEnd", ",\"reason\":\"other\"");
	}
}

/* Append 1 MB of records that the session did not have. */
static void grow(unsigned i)
{
	char id[64], more[256], big[256], command[700], cwd[256];

	path_of(cwd, "project");
	path_of(more, "more.jsonl");
	path_of(big, BIG_ID ".jsonl");
	snprintf(id, sizeof(id), "c%07x-2222-4333-8444-555555555555", i);
	bench_session(more, id, cwd, i, ADD_BYTES);
	snprintf(command, sizeof(command), "cat %s >>%s", more, big);
	{
		char sh[] = "sh", c[] = "-c", *argv[] = {sh, c, command, NULL};

		bench_best(argv, 1);
	}
}

static void at_once(double empty)
{
	char path[AT_ONCE][256], id[64];
	pid_t pid[AT_ONCE];
	int64_t begin;
	double ms;

	for (unsigned i = 0; i < AT_ONCE; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/start%u", top, i);
		snprintf(id, sizeof(id), "d%07x-2222-4333-8444-555555555555", i);
		event_file(path[i], id, "SessionStart", ",\"source\":\"startup\"");
	}
	begin = clock_mono_ns();
	for (unsigned i = 0; i < AT_ONCE; i++)
		pid[i] = start(hook, path[i]);
	for (unsigned i = 0; i < AT_ONCE; i++)
		if (wait_for(pid[i], begin) < 0)
			printf("one of %d starts did not end with 0\n", AT_ONCE);
	ms = (double)(clock_mono_ns() - begin) / 1e6;
	printf("%-30s all %6.0f ms  %5.1f x an empty program  target < 1000 ms\n",
	       "50 SessionStart at once", ms, ms / empty);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	size_t runs = argc > 2 ? strtoul(argv[2], NULL, 10) : RUNS;
	char yes[] = "true", py[] = "python3", c[] = "-c", pass[] = "pass";
	char *nothing[] = {yes, NULL}, *python[] = {py, c, pass, NULL};
	char rm[] = "rm", rf[] = "-rf", dir[256], big[256];
	struct times t = {calloc(runs + STOPS, sizeof(double)),
			  calloc(runs + STOPS, sizeof(double)), 0};
	double empty, start_python;

	if (argc < 2 || !runs || !t.ms || !t.cpu) {
		fprintf(stderr, "usage: bench_hook BIN [RUNS]\n");
		return 64;
	}
	if (asprintf(&hook, "%s/handoff-hook", argv[1]) < 0 || !mkdtemp(top))
		bench_die(top);
	setenv("HOME", top, 1);
	path_of(dir, "vault");
	setenv("HANDOFF_VAULT", dir, 1);
	path_of(dir, "project");
	setenv("CLAUDE_PROJECT_DIR", dir, 1);
	setenv("CLAUDE_CODE_ENTRYPOINT", "cli", 1);
	unsetenv("XDG_STATE_HOME");
	repository();
	past_sessions();
	empty = baseline(nothing, 50);
	start_python = baseline(python, 10);
	printf("an empty program %.2f ms, an empty python %.1f ms\n", empty,
	       start_python);
	for (size_t i = 0; i < runs; i++)
		add(&t, fire("e0000000-2222-4333-8444-555555555555", "SessionStart",
			     ",\"source\":\"startup\""));
	row("SessionStart, 500 past sessions", &t, empty, "p50 <= 5, p99 <= 20");
	for (size_t i = 0; i < runs; i++)
		add(&t, fire("e0000000-2222-4333-8444-555555555555", "UserPromptSubmit",
			     ",\"prompt\":\"go on with the parser\""));
	row("UserPromptSubmit", &t, empty, "p50 <= 3");
	path_of(big, BIG_ID ".jsonl");
	bench_session(big, BIG_ID, dir, 1, BIG_BYTES);
	for (int i = 0; i < 5; i++) /* its deadline is the longest: reads all of it */
		fire(BIG_ID, "PreCompact", ",\"trigger\":\"auto\"");
	for (unsigned i = 0; i < STOPS; i++) {
		grow(i);
		add(&t, fire(BIG_ID, "Stop", ",\"stop_hook_active\":false"));
	}
	row("Stop, 1 MB more in 200 MB", &t, empty, "p50 <= 10");
	for (unsigned i = 0; i < STOPS; i++)
		add(&t, fire(BIG_ID, "SessionEnd", ",\"reason\":\"other\""));
	row("SessionEnd", &t, empty, "p50 <= 10");
	at_once(empty);
	execlp(rm, rm, rf, top, (char *)NULL);
	return 1;
}
