/*
 * bench_list BIN [SESSIONS [MB]]: `list` over many sessions: 1,000, 2 GB in all.
 *
 * All files are in the page cache. First without a cache of its own, then with one, then
 * with one session changed. The baselines read the same windows of the same files, and the
 * names alone.
 */
#include <dirent.h>

#include "transcript.h"

#define SESSIONS   1000
#define TOTAL_MB   2000
#define PROJECTS   8
#define HEAD_BYTES (64u << 10)
#define TAIL_BYTES (256u << 10)
#define PASSES     5

static void each_file(const char *top, void (*fn)(const char *path))
{
	char path[4096];
	int i;

	for (i = 0; i < PROJECTS; i++) {
		struct dirent *e;
		DIR *d;

		snprintf(path, sizeof(path), "%s/claude/projects/p%d", top, i);
		d = opendir(path);
		while (d && (e = readdir(d)))
			if (e->d_name[0] != '.') {
				snprintf(path, sizeof(path), "%s/claude/projects/p%d/%s",
					 top, i, e->d_name);
				fn(path);
			}
		if (d)
			closedir(d);
	}
}

static void read_windows(const char *path)
{
	static char chunk[TAIL_BYTES];
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st) < 0)
		_exit(1);
	if (pread(fd, chunk, HEAD_BYTES, 0) < 0 ||
	    pread(fd, chunk, TAIL_BYTES,
		  st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0) < 0)
		_exit(1);
	close(fd);
}

static void stat_one(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		_exit(1);
}

static void all_windows(const char *top)
{
	each_file(top, read_windows);
}

static void all_names(const char *top)
{
	each_file(top, stat_one);
}

static void make(const char *top, unsigned sessions, uint64_t bytes)
{
	uint64_t rng = 1;
	char path[4096], id[64];
	unsigned i;

	for (i = 0; i < PROJECTS; i++) {
		snprintf(path, sizeof(path), "%s/claude/projects/p%u", top, i);
		if (mkdir(path, 0700) < 0)
			bench_die(path);
	}
	for (i = 0; i < sessions; i++) {
		/* half of them small, few large: sizes spread over two decades around the mean */
		uint64_t mean = bytes / sessions,
			 size = mean / 10 + bench_rnd(&rng, (uint32_t)(mean * 18 / 10));

		snprintf(id, sizeof(id), "%08x-6f15-4a04-a2c6-%012u",
			 bench_rnd(&rng, UINT32_MAX), i);
		snprintf(path, sizeof(path), "%s/claude/projects/p%u/%s.jsonl", top,
			 i % PROJECTS, id);
		bench_session(path, id, "/home/dev/project", i, size);
	}
}

int main(int argc, char **argv)
{
	unsigned sessions = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : SESSIONS;
	uint64_t mb = argc > 3 ? strtoull(argv[3], NULL, 10) : TOTAL_MB;
	char top[] = "/tmp/handoff-bench-XXXXXX", claude[64], cache[64], one[128];
	char list[] = "list", all[] = "--all", json[] = "--json", *program = NULL;
	char rm[] = "rm", rf[] = "-rf";
	struct bench_run windows, names;

	if (argc < 2 || !sessions) {
		fprintf(stderr, "usage: bench_list BIN [SESSIONS [MB]]\n");
		return 64;
	}
	if (asprintf(&program, "%s/handoff-recover", argv[1]) < 0 || !mkdtemp(top))
		bench_die(top);
	snprintf(claude, sizeof(claude), "%s/claude", top);
	snprintf(cache, sizeof(cache), "%s/cache", top);
	snprintf(one, sizeof(one), "%s/projects", claude);
	if (mkdir(claude, 0700) < 0 || mkdir(one, 0700) < 0)
		bench_die(one);
	setenv("HOME", top, 1);
	setenv("CLAUDE_CONFIG_DIR", claude, 1);
	setenv("XDG_CACHE_HOME", cache, 1);
	make(top, sessions, mb * 1000000);
	windows = bench_call(all_windows, top, PASSES);
	names = bench_call(all_names, top, PASSES);
	printf("%u sessions, %llu MB in all\n", sessions, (unsigned long long)mb);
	{
		char *ours[] = {program, list, all, NULL},
		     *ours_json[] = {program, list, all, json, NULL};
		char *forget[] = {rm, rf, cache, NULL};
		struct bench_run cold = {.s = -1}, r;
		int i;

		for (i = 0; i < PASSES; i++) {
			bench_best(forget, 1);
			r = bench_best(ours, 1);
			if (i == 0 || r.s < cold.s)
				cold = r;
		}
		bench_row("list, no cache yet", cold, "pread of the same heads and tails",
			  windows);
		bench_row("list", bench_best(ours, PASSES), "stat of all files", names);
		bench_row("list --json", bench_best(ours_json, PASSES),
			  "stat of all files", names);
	}
	execlp(rm, rm, rf, top, (char *)NULL);
	return 1;
}
