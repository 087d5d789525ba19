/*
 * bench_recover BIN [FILE]: the program from outside, over one large transcript.
 *
 * FILE, else a made-up one of 200 MB in the page cache. Each row is a whole process, from
 * fork to exit; the baselines run over the same file in the same run. Ours read ahead in a
 * second thread where there are two processors, so their wall time may be shorter than their
 * processor time; the last row is on one processor.
 */
#include <cjson/cJSON.h>
#include <sched.h>

#include "transcript.h"

#define MADE_BYTES  (200u * 1000 * 1000)
#define CHUNK_BYTES (256u << 10)
#define ID          "2db3997f-6f15-ca04-a2c6-1635551fd8f9"
#define PASSES      5
#define SLOW_PASSES 2

static void count_lines(const char *path)
{
	static char chunk[CHUNK_BYTES];
	volatile unsigned long lines = 0;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		_exit(1);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		const char *p = chunk, *end = chunk + n;

		while ((p = memchr(p, '\n', (size_t)(end - p)))) {
			lines++;
			p++;
		}
	}
	close(fd);
}

static void cjson_lines(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!f)
		_exit(1);
	while ((n = getline(&line, &cap, f)) > 0)
		cJSON_Delete(cJSON_ParseWithLength(line, (size_t)n));
	free(line);
	fclose(f);
}

/* From now on, for what is started too. */
static bool one_processor(void)
{
#ifdef __linux__
	cpu_set_t all, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return false;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
#else
	return false;
#endif
}

static char *join(const char *a, const char *b)
{
	char *s = NULL;

	if (asprintf(&s, "%s%s", a, b) < 0)
		bench_die("asprintf");
	return s;
}

static struct bench_run ours(char *program, const char *command, char *path,
			     const char *option)
{
	char *argv[] = {program, join(command, ""), path, join(option, ""), NULL};
	struct bench_run r = bench_best(argv, PASSES);

	free(argv[1]);
	free(argv[3]);
	return r;
}

int main(int argc, char **argv)
{
	static char py_code[] = "import json,sys\n"
				"for l in open(sys.argv[1],'rb'): json.loads(l)\n";
	char dir[] = "/tmp/handoff-bench-XXXXXX";
	char *made = NULL, *path, *program;
	struct bench_run lines, cjson, python, jq, r;
	struct stat st;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_recover BIN [FILE]\n");
		return 64;
	}
	program = join(argv[1], "/handoff-recover");
	if (!mkdtemp(dir))
		bench_die(dir);
	setenv("HOME", dir, 1);
	setenv("XDG_CACHE_HOME", dir, 1);
	setenv("XDG_STATE_HOME", dir, 1);
	if (argc < 3) {
		made = join(dir, "/" ID ".jsonl");
		bench_session(made, ID, "/home/dev/project", 3, MADE_BYTES);
	}
	path = made ? made : argv[2];
	if (stat(path, &st) < 0)
		bench_die(path);
	lines = bench_call(count_lines, path, PASSES);
	cjson = bench_call(cjson_lines, path, SLOW_PASSES);
	{
		char py[] = "python3", c[] = "-c", j[] = "jq", f[] = "-c",
		     type[] = ".type";
		char *py_argv[] = {py, c, py_code, path, NULL},
		     *jq_argv[] = {j, f, type, path, NULL};

		python = bench_best(py_argv, SLOW_PASSES);
		jq = bench_best(jq_argv, SLOW_PASSES);
	}
	printf("one transcript of %.0f MB; wall: two processors where there are two\n",
	       (double)st.st_size / 1e6);
	r = ours(program, "index", path, "--json");
	bench_row("index --json", r, "memchr line count", lines);
	bench_row("", r, "cJSON on each line", cjson);
	bench_row("", r, "python3 json on each line", python);
	bench_row("", r, "jq -c .type", jq);
	bench_row("index", ours(program, "index", path, "--quiet"), "memchr line count",
		  lines);
	bench_row("backbone", ours(program, "backbone", path, "--quiet"),
		  "memchr line count", lines);
	bench_row("agents", ours(program, "agents", path, "--quiet"), "memchr line count",
		  lines);
	bench_row("doc", ours(program, "doc", path, "--quiet"), "memchr line count",
		  lines);
	if (one_processor()) {
		r = ours(program, "index", path, "--json");
		bench_row("index --json, one processor", r, "python3 json on each line",
			  python);
	}
	if (made)
		unlink(made);
	execlp("rm", "rm", "-rf", dir, (char *)NULL);
	return 1;
}
