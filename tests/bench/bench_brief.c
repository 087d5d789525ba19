/*
 * bench_brief [EVENTS]: what the brief is worth, and what it costs.
 *
 * Worth: facts that were retracted, with supersession off and on; then a project among noise
 * at a budget of 250 tokens, beside a dump of all its events (reconstruct.h). Cost: the brief of
 * a project of EVENTS (100,000) events in 5,000 notes, from the index alone, where nothing
 * changed; baseline: readdir and a stat of 5,000 files, which asking the vault would take.
 */
#include <dirent.h>
#include <ftw.h>

#include "bench.h"
#include "reconstruct.h"

#define EVENTS 100000
#define NOTES  5000
#define ROUNDS 300

static char top[] = "/tmp/handoff-bench-XXXXXX";

static void die(const struct err *e)
{
	fprintf(stderr, "bench_brief: %s\n", e->msg);
	exit(1);
}

static void worth(struct index *ix)
{
	static const int noise[] = {0, 20, 80, 200};
	size_t leaked, kept;

	for (int on = 0; on < 2; on++) {
		reconstruct_topics(ix, on ? STR("on") : STR("off"), !on, &leaked, &kept);
		printf("supersession %-3s  %zu of 4 stale facts shown, %zu of 4 current ones\n",
		       on ? "on" : "off", leaked, kept);
	}
	printf("events  dump tokens  brief tokens  reduction  needed and kept  stale: dump, brief\n");
	for (size_t i = 0; i < 4; i++) {
		char project[16];
		struct reconstruct_score s;

		snprintf(project, sizeof(project), "noise%d", noise[i]);
		s = reconstruct_project(ix, str_of(project), noise[i]);
		printf("%6zu  %11zu  %12zu  %8.1fx  %9zu of %zu  %12zu, %zu\n", s.events,
		       s.dump_tokens, s.brief_tokens,
		       (double)s.dump_tokens / (double)s.brief_tokens, s.kept, s.wanted,
		       s.dump_stale, s.brief_stale);
	}
}

static void build(struct index *ix, const char *dir, uint32_t n)
{
	struct err e = ERR_INIT;
	struct index_file f = {0};
	struct buf name = BUF_INIT(64), id = BUF_INIT(64), body = BUF_INIT(1024);
	char path[512];

	if (index_begin(ix, &e))
		die(&e);
	for (uint32_t i = 0; i < n; i++) {
		struct index_put p = {.type = (enum event_type)(i % EVENT_TYPES),
				      .importance = (int)(i % 5) + 1,
				      .at_us = RECONSTRUCT_START + (int64_t)i * 1000000};

		if (i % (n / NOTES) == 0) {
			int fd;

			buf_reset(&name);
			buf_printf(&name, "s_20260103T%06u_%06x.md", i / (n / NOTES), i);
			f = (struct index_file){.folder = VAULT_SESSIONS,
						.project = STR("large"),
						.name = buf_str(&name),
						.session = buf_str(&name),
						.started_us = p.at_us};
			if (index_file_put(ix, &f, &e))
				die(&e);
			snprintf(path, sizeof(path), "%s/%s", dir, buf_cstr(&name));
			fd = open(path, O_CREAT | O_WRONLY, 0600);
			if (fd < 0)
				bench_die(path);
			close(fd);
		}
		buf_reset(&id);
		buf_reset(&body);
		buf_printf(&id, "ev_%08x", i);
		buf_printf(&body,
			   "Event %u: what was done about module_%u, see [[Module %u]].",
			   i, i % 977, i % 31);
		p.id = buf_str(&id);
		p.body = buf_str(&body);
		if (index_item_put(ix, &f, &p, &e))
			die(&e);
	}
	if (index_commit(ix, &e))
		die(&e);
	buf_release(&name);
	buf_release(&id);
	buf_release(&body);
}

static void stat_all(const char *dir)
{
	struct dirent *d;
	struct stat st;
	DIR *h = opendir(dir);

	while (h && (d = readdir(h)))
		fstatat(dirfd(h), d->d_name, &st, 0);
	if (h)
		closedir(h);
}

static int by_time(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

static void show(const char *what, double *ms, size_t n)
{
	qsort(ms, n, sizeof(*ms), by_time);
	printf("  %-36s p50 %6.2f ms  p95 %6.2f ms\n", what, ms[n / 2], ms[n * 95 / 100]);
}

static void cost(struct index *ix, uint32_t n)
{
	double ms[ROUNDS];
	struct buf b = BUF_INIT(BRIEF_OUT_MAX);
	char dir[256];
	int64_t start;

	snprintf(dir, sizeof(dir), "%s/notes", top);
	if (mkdir(dir, 0700))
		bench_die(dir);
	build(ix, dir, n);
	printf("%u events in %d notes\n", n, NOTES);
	for (int i = 0; i < ROUNDS; i++) {
		start = clock_mono_ns();
		reconstruct_brief(ix, STR("large"), BRIEF_TOKENS, &b);
		ms[i] = (double)(clock_mono_ns() - start) / 1e6;
	}
	show("brief from the index", ms, ROUNDS);
	for (int i = 0; i < 20; i++) {
		start = clock_mono_ns();
		stat_all(dir);
		ms[i] = (double)(clock_mono_ns() - start) / 1e6;
	}
	show("readdir and stat of the notes", ms, 20);
	buf_release(&b);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS;
	struct err e = ERR_INIT;
	struct vault v;
	struct index *ix;

	if (n < NOTES) {
		fprintf(stderr, "usage: bench_brief [EVENTS], %d or more\n", NOTES);
		return 64;
	}
	if (!mkdtemp(top))
		bench_die(top);
	setenv("XDG_CACHE_HOME", top, 1);
	if (vault_open(&v, top, &e) || index_open(&ix, &v, 1000, &e))
		die(&e);
	worth(ix);
	cost(ix, n);
	index_free(ix);
	vault_release(&v);
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}
