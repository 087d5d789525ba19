/*
 * bench_mcp BIN [EVENTS]: handoff-mcp as a client uses it, over pipes, from outside.
 *
 * Start to the reply to initialize, what tools/list costs a model, and calls on a vault of
 * 100,000 events in 5,000 session notes of one project: log_event beside a bare append with
 * fdatasync, search_memory, get_brief. The first call of a server that finds no index is shown
 * too. Beside the start: an empty program, and the reference memory server on node, when
 * HANDOFF_BENCH_NODE_SERVER names its script (scripts/bench fetches it where npm is reachable).
 * With HANDOFF_BENCH_PY_SERVER, the handoff-mcp of PyPI, both servers get the same calls on a vault of
 * PEER_EVENTS events, which is what that one bears: it reads all notes at each get_brief.
 */
#include "bench.h"

#include "base/fs.h"
#include "data/event.h"
#include "data/json.h"

#define EVENTS         100000u
#define A_NOTE         20u
#define WORDS          4000u
#define STARTS         100
#define CALLS          400
#define PEER_EVENTS    2000u
#define PEER_CALLS     40
#define PEER_STARTS    5
#define TOOLS          7 /* those that the target is about */
#define LINE_MAX_BYTES (4u << 20)

static char top[] = "/tmp/handoff-bench-XXXXXX";
static uint64_t seed = 1;
static char *server_path;

struct peer {
	pid_t pid;
	int in;
	FILE *out;
	unsigned id;
};

static void peer_start(struct peer *p, char *const argv[])
{
	int in[2], out[2];

	if (pipe(in) < 0 || pipe(out) < 0)
		bench_die("pipe");
	p->pid = fork();
	if (p->pid < 0)
		bench_die("fork");
	if (p->pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(null, 2) < 0)
			_exit(127);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = fdopen(out[0], "r");
	p->id = 0;
	if (!p->out)
		bench_die("fdopen");
}

static long peer_end(struct peer *p)
{
	struct rusage use = {0};
	int status;

	close(p->in);
	fclose(p->out);
	while (wait4(p->pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			bench_die("wait4");
	return use.ru_maxrss;
}

/* A request and its answer: how long it took, in milliseconds; < 0: none, or an error. */
static double ask(struct peer *p, const char *method, const char *params,
		  struct buf *reply)
{
	static char line[LINE_MAX_BYTES];
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	int64_t begin;
	double ms = -1;

	buf_printf(&b,
		   "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":%s}\n",
		   ++p->id, method, params);
	begin = clock_mono_ns();
	if (fs_write_all(p->in, buf_str(&b), "a pipe", NULL) == 0 &&
	    fgets(line, sizeof(line), p->out))
		ms = (double)(clock_mono_ns() - begin) / 1e6;
	if (strstr(line, "\"error\":{") || strstr(line, "\"isError\":true"))
		ms = -1;
	if (reply) {
		buf_reset(reply);
		buf_add(reply, str_of(line));
	}
	buf_release(&b);
	return ms;
}

#define HELLO                                                                            \
	"{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"b\",\"version\":\"1\"}}"

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

static void row(const char *what, double *ms, size_t n, const char *beside)
{
	printf("%-34s p50 %8.3f ms  p95 %8.3f ms  max %8.3f ms  %s\n", what,
	       at(ms, n, .5), at(ms, n, .95), at(ms, n, 1), beside);
	fflush(stdout);
}

/* --- start --- */

static double starts(char *const argv[], int n, long *rss_kb, double *worst)
{
	double ms[STARTS];

	for (int i = 0; i < n; i++) {
		int64_t begin = clock_mono_ns();
		struct peer p;

		peer_start(&p, argv);
		if (ask(&p, "initialize", HELLO, NULL) < 0) {
			peer_end(&p);
			return -1;
		}
		ms[i] = (double)(clock_mono_ns() - begin) / 1e6;
		*rss_kb = peer_end(&p);
	}
	*worst = at(ms, (size_t)n, 1);
	return at(ms, (size_t)n, .5);
}

static void bench_start(void)
{
	char yes[] = "true", node[] = "node",
	     *script = getenv("HANDOFF_BENCH_NODE_SERVER");
	char *ours[] = {server_path, NULL}, *nothing[] = {yes, NULL},
	     *theirs[] = {node, script, NULL};
	struct bench_run empty = bench_best(nothing, 50);
	double half, most, other;
	long kb = 0, other_kb = 0;

	half = starts(ours, STARTS, &kb, &most);
	if (half < 0) {
		fprintf(stderr, "bench_mcp: %s does not answer\n", server_path);
		exit(1);
	}
	printf("%-34s p50 %8.3f ms  max %8.3f ms  %.1f MB  %.1f x an empty program (%.2f ms)  target <= 5 ms, 12 MB\n",
	       "start to initialize", half, most, (double)kb / 1024,
	       half / (empty.s * 1e3), empty.s * 1e3);
	other = script && *script ? starts(theirs, 7, &other_kb, &most) : -1;
	if (other > 0)
		printf("%-34s p50 %8.3f ms  max %8.3f ms  %.1f MB  %.0f x ours\n",
		       "  the reference memory server", other, most,
		       (double)other_kb / 1024, other / half);
	else
		printf("  the reference memory server: not to be had here\n");
	fflush(stdout);
}

/* What a model pays for the tools: name, description and schema of each, four bytes a token. */
static void bench_list(struct peer *p)
{
	struct buf reply = BUF_INIT(LINE_MAX_BYTES);
	size_t bytes = 0, tools = 0, at_ = 0, n;
	double ms = ask(p, "tools/list", "{}", &reply);
	str text = buf_str(&reply), rest;

	while (tools < TOOLS && (n = str_find(rest = str_from(text, at_),
					      STR("{\"name\":"))) != STR_NPOS) {
		size_t end = str_find(str_from(rest, n), STR(",\"annotations\":"));

		if (end == STR_NPOS)
			break;
		bytes += end;
		at_ += n + end;
		tools++;
	}
	printf("%-34s %zu tools: %zu bytes, %zu tokens, in %.3f ms  target <= 2000\n",
	       "tools/list", tools, bytes, bytes / 4, ms);
	buf_release(&reply);
}

/* --- the vault --- */

static void add_words(struct buf *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t w = bench_rnd(&seed, bench_rnd(&seed, WORDS) +
						      1); /* few are frequent */

		buf_printf(b, "%s%c%c%x", i ? " " : "", (char)('a' + w % 26),
			   (char)('a' + w / 26 % 26), w);
	}
}

static void write_note(const char *folder, unsigned note, unsigned events)
{
	struct buf b = BUF_INIT(1u << 20), path = BUF_INIT(512), id = BUF_INIT(64);

	buf_printf(&id, "s_2026%02u%02uT%02u%02u00_%06x", 1 + note / 700,
		   1 + note / 25 % 28, note % 24, note % 60, note);
	event_note_header(&b, buf_str(&id), STR("gate"), INT64_C(1767225600000000));
	for (unsigned i = 0; i < events; i++) {
		struct buf text = BUF_INIT(4096), name = BUF_INIT(64);
		struct event ev = {
			.type = (enum event_type)bench_rnd(&seed, EVENT_TYPES),
			.importance = (int)bench_rnd(&seed, 5) + 1,
			.at_us = INT64_C(1767225600000000) +
				 (int64_t)(note * events + i) * 61000000,
		};

		add_words(&text, 6 + bench_rnd(&seed, 17));
		buf_printf(&name, "ev_%08x", (note * events + i) * 2654435761u);
		ev.content = buf_str(&text);
		ev.id = buf_str(&name);
		event_render(&b, &ev);
		buf_release(&text);
		buf_release(&name);
	}
	buf_printf(&path, "%s/%s.md", folder, buf_cstr(&id));
	if (fs_write_quick(buf_cstr(&path), buf_str(&b), 0600, NULL))
		bench_die(buf_cstr(&path));
	buf_release(&b);
	buf_release(&path);
	buf_release(&id);
}

static void make_vault(unsigned events)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/vault/gate/sessions", top);
	if (fs_mkdirs(folder, 0700, NULL))
		bench_die(folder);
	for (unsigned n = 0; n < events / A_NOTE; n++)
		write_note(folder, n, A_NOTE);
}

/* --- calls --- */

static double call(struct peer *p, const char *tool, const char *arguments)
{
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	double ms;

	buf_printf(&b, "{\"name\":\"%s\",\"arguments\":%s}", tool, arguments);
	ms = ask(p, "tools/call", buf_cstr(&b), NULL);
	if (ms < 0) {
		fprintf(stderr, "bench_mcp: %s failed: %s\n", tool, arguments);
		exit(1);
	}
	buf_release(&b);
	return ms;
}

static void bench_append(double *ms)
{
	char path[256], line[120];
	int fd;

	snprintf(path, sizeof(path), "%s/append", top);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	memset(line, 'x', sizeof(line));
	for (int i = 0; i < CALLS; i++) {
		int64_t begin = clock_mono_ns();

		if (fd < 0 || write(fd, line, sizeof(line)) < 0 || fdatasync(fd) < 0)
			bench_die(path);
		ms[i] = (double)(clock_mono_ns() - begin) / 1e6;
	}
	close(fd);
}

static void bench_log(struct peer *p)
{
	static double bare[CALLS], ms[CALLS];
	struct buf b = BUF_INIT(8192), text = BUF_INIT(4096);
	char beside[160];

	bench_append(bare);
	for (int i = 0; i < CALLS; i++) {
		buf_reset(&b);
		buf_reset(&text);
		add_words(&text, 14);
		buf_printf(&b, "{\"type\":\"decision\",\"content\":\"%s\"}",
			   buf_cstr(&text));
		ms[i] = call(p, "log_event", buf_cstr(&b));
	}
	snprintf(beside, sizeof(beside),
		 "%.1f x a bare append and fdatasync (%.3f ms)  target <= 3 ms",
		 at(ms, CALLS, .5) / at(bare, CALLS, .5), at(bare, CALLS, .5));
	row("log_event, durable", ms, CALLS, beside);
	buf_release(&b);
	buf_release(&text);
}

static void bench_search(struct peer *p, const char *scope, const char *target)
{
	static double ms[CALLS];
	struct buf b = BUF_INIT(8192), text = BUF_INIT(4096);
	char what[64];

	for (int i = 0; i < CALLS; i++) {
		buf_reset(&b);
		buf_reset(&text);
		add_words(&text, 2 + bench_rnd(&seed, 4));
		buf_printf(&b, "{\"query\":\"%s\",\"scope\":\"%s\"}", buf_cstr(&text),
			   scope);
		ms[i] = call(p, "search_memory", buf_cstr(&b));
	}
	snprintf(what, sizeof(what), "search_memory, 2-5 words, %s", scope);
	row(what, ms, CALLS, target);
	buf_release(&b);
	buf_release(&text);
}

static void bench_brief(struct peer *p)
{
	static double ms[CALLS];

	for (int i = 0; i < CALLS; i++)
		ms[i] = call(p, "get_brief", "{}");
	row("get_brief", ms, CALLS, "target p95 <= 5 ms");
}

static void peer_row(struct peer *p, const char *tool, const char *arguments)
{
	double ms[PEER_CALLS];

	for (int i = 0; i < PEER_CALLS; i++)
		ms[i] = call(p, tool, arguments);
	printf(", %s %.2f", tool, at(ms, PEER_CALLS, .5));
}

static void peer_calls(const char *name, char *program)
{
	static const char ready[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
	char *argv[] = {program, NULL};
	struct peer p;
	double worst, start;
	long kb = 0;

	start = starts(argv, PEER_STARTS, &kb, &worst);
	if (start < 0) {
		printf("  %s: does not answer\n", name);
		return;
	}
	peer_start(&p, argv);
	ask(&p, "initialize", HELLO, NULL);
	if (fs_write_all(p.in, str_of(ready), "a pipe", NULL) < 0)
		bench_die("a pipe");
	printf("  %-26s p50 in ms: start %.1f", name, start);
	call(&p, "get_brief", "{}");
	peer_row(&p, "log_event",
		 "{\"type\":\"decision\",\"content\":\"Keep readings in one file\"}");
	peer_row(&p, "search_memory", "{\"query\":\"readings file\"}");
	peer_row(&p, "get_brief", "{}");
	kb = peer_end(&p);
	printf("; %.1f MB\n", (double)kb / 1024);
	fflush(stdout);
}

static void bench_peer(void)
{
	char *theirs = getenv("HANDOFF_BENCH_PY_SERVER");
	char rm[] = "rm", rf[] = "-rf", vault[256];
	char *argv[] = {rm, rf, vault, NULL};

	if (!theirs || !*theirs) {
		printf("handoff-mcp of PyPI: not to be had here\n");
		return;
	}
	printf("beside handoff-mcp of PyPI, on a vault of %u events in %u session notes:\n",
	       PEER_EVENTS, PEER_EVENTS / A_NOTE);
	make_vault(PEER_EVENTS);
	peer_calls("that one", theirs);
	peer_calls("this one", server_path);
	snprintf(vault, sizeof(vault), "%s/vault", top);
	bench_best(argv, 1);
}

static void bench_calls(unsigned events)
{
	char *argv[] = {server_path, NULL};
	struct peer p;
	double first;
	long kb;

	make_vault(events);
	for (int again = 0; again < 2; again++) {
		peer_start(&p, argv);
		ask(&p, "initialize", HELLO, NULL);
		if (!again)
			bench_list(&p);
		first = call(&p, "get_brief", "{}");
		printf("%-34s %.1f ms\n",
		       again ? "first get_brief of a server"
			     : "first get_brief, the index not there",
		       first);
		if (!again)
			peer_end(&p);
	}
	bench_log(&p);
	bench_search(&p, "current", "target p95 <= 8 ms");
	bench_search(&p, "all", "target p95 <= 15 ms");
	bench_brief(&p);
	kb = peer_end(&p);
	printf("%-34s %.1f MB\n", "peak memory of the server", (double)kb / 1024);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned events = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : EVENTS;
	char rm[] = "rm", rf[] = "-rf", dir[256];

	if (argc < 2 || events < A_NOTE) {
		fprintf(stderr, "usage: bench_mcp BIN [EVENTS]\n");
		return 64;
	}
	if (asprintf(&server_path, "%s/handoff-mcp", argv[1]) < 0 || !mkdtemp(top))
		bench_die(top);
	setenv("HOME", top, 1);
	snprintf(dir, sizeof(dir), "%s/vault", top);
	setenv("HANDOFF_VAULT", dir, 1);
	setenv("HANDOFF_PROJECT", "gate", 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("CLAUDE_PROJECT_DIR");
	unsetenv("CLAUDE_CODE_SESSION_ID");
	bench_start();
	bench_peer();
	printf("a vault of %u events in %u session notes:\n", events, events / A_NOTE);
	bench_calls(events);
	execlp(rm, rm, rf, top, (char *)NULL);
	return 1;
}
