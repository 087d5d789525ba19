/*
 * bench_index [EVENTS]: the derived index over a vault of session notes made up here, twenty
 * events a note, nine tenths of them in one project.
 *
 * Building it anew, its size, looking for changes when there are none, and the questions of the
 * brief. Baselines in the same run: reading the same files once, and readdir with one stat a
 * note. 100,000 events unless told; 1,000,000 takes a minute and 2 GB below TMPDIR.
 */
#include "bench.h"

#include <dirent.h>
#include <ftw.h>

#include "base/fs.h"
#include "data/index.h"
#include "work/reindex.h"

#define EVENTS 100000u
#define A_NOTE 20u
#define WORDS  4000u
#define ROUNDS 200u
#define TAKE   40u /* events of a type that a brief reads */
#define OTHERS 9u

static char top[] = "/tmp/handoff-bench-XXXXXX";
static uint64_t seed = 1;

static void add_words(struct buf *b, unsigned n)
{
	while (n--) {
		/* few words are frequent */
		uint32_t w = bench_rnd(&seed, WORDS);

		w = bench_rnd(&seed, w + 1);
		buf_printf(b, "%s%c%c%x", b->p[b->n - 1] == ' ' ? "" : " ",
			   (char)('a' + w % 26), (char)('a' + w / 26 % 26), w);
	}
}

static void add_event(struct buf *b, unsigned id)
{
	static const enum event_type types[] = {EVENT_GOAL,     EVENT_NEXT_STEP,
						EVENT_DECISION, EVENT_DEADEND,
						EVENT_QUESTION, EVENT_FILE};
	struct buf text = BUF_INIT(4096), ids = BUF_INIT(64), old = BUF_INIT(64);
	struct event ev = {
		.type = types[bench_rnd(&seed, 6)],
		.importance = (int)bench_rnd(&seed, 5) + 1,
		.at_us = INT64_C(1700000000000000) + (int64_t)id * 60000001,
	};

	buf_byte(&text, ' ');
	add_words(&text, 6 + bench_rnd(&seed, 17));
	buf_printf(&ids, "ev_%08x", id * 2654435761u);
	if (id > 100 && bench_rnd(&seed, 5) == 0)
		buf_printf(&old, "ev_%08x", (id - bench_rnd(&seed, 100)) * 2654435761u);
	ev.content = str_trim(buf_str(&text));
	ev.id = buf_str(&ids);
	ev.supersedes = buf_str(&old);
	event_render(b, &ev);
	buf_release(&text);
	buf_release(&ids);
	buf_release(&old);
}

static void project_name(char out[16], unsigned note)
{
	unsigned p = note % 10 ? 0 : 1 + note / 10 % OTHERS;

	snprintf(out, 16, "p%u", p);
}

static void make_vault(unsigned events)
{
	struct buf b = BUF_INIT(1 << 20), path = BUF_INIT(256);

	for (unsigned note = 0, id = 0; id < events; note++) {
		char project[16], name[64];
		FILE *f;

		project_name(project, note);
		snprintf(name, sizeof name, "s_20260101T%06u_%06x", note % 1000000, note);
		buf_reset(&path);
		buf_printf(&path, "%s/vault/%s/sessions", top, project);
		if (fs_mkdirs(buf_cstr(&path), 0700, NULL))
			bench_die(buf_cstr(&path));
		buf_printf(&path, "/%s.md", name);
		buf_reset(&b);
		event_note_header(&b, str_of(name), str_of(project),
				  INT64_C(1700000000000000));
		for (unsigned i = 0; i < A_NOTE && id < events; i++)
			add_event(&b, id++);
		f = fopen(buf_cstr(&path), "w");
		if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f))
			bench_die(buf_cstr(&path));
	}
	buf_release(&b);
	buf_release(&path);
}

/* --- what is measured --- */

static void open_all(struct vault *v, struct index **ix, struct reindex *r, bool watch)
{
	struct err e = ERR_INIT;

	if (vault_open(v, NULL, &e) || index_open(ix, v, 100, &e)) {
		fprintf(stderr, "bench_index: %s\n", e.msg);
		exit(1);
	}
	reindex_init(r, *ix, v, watch);
}

static void close_all(struct vault *v, struct index *ix, struct reindex *r)
{
	reindex_release(r);
	index_free(ix);
	vault_release(v);
}

static void refresh(struct reindex *r, enum reindex_scope scope)
{
	struct err e = ERR_INIT;

	if (reindex_run(r,
			&(struct reindex_options){.project = STR("p0"), .scope = scope},
			&e) ||
	    r->left) {
		fprintf(stderr, "bench_index: %s\n", e.msg);
		exit(1);
	}
}

static void rebuild(const char *arg)
{
	struct vault v;
	struct index *ix;
	struct reindex r;

	(void)arg;
	open_all(&v, &ix, &r, false);
	if (index_renew(ix, NULL))
		exit(1);
	refresh(&r, REINDEX_ALL);
	close_all(&v, ix, &r);
}

static void one_shot(const char *arg)
{
	struct vault v;
	struct index *ix;
	struct reindex r;

	(void)arg;
	open_all(&v, &ix, &r, false);
	refresh(&r, REINDEX_PROJECT);
	if (r.read)
		exit(1);
	close_all(&v, ix, &r);
}

static size_t sum;

static int read_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static char bytes[1 << 20];
	int fd;
	ssize_t n;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	fd = open(path, O_RDONLY);
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		sum += (size_t)n;
	close(fd);
	return 0;
}

static void read_all(const char *arg)
{
	char path[256];

	(void)arg;
	snprintf(path, sizeof path, "%s/vault", top);
	nftw(path, read_file, 16, FTW_PHYS);
}

static void stat_all(const char *arg)
{
	char path[256];
	struct dirent *d;
	struct stat st;
	DIR *dir;

	(void)arg;
	snprintf(path, sizeof path, "%s/vault/p0/sessions", top);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (size_t)st.st_size;
	if (dir)
		closedir(dir);
}

static int take(const struct index_item *it, void *arg)
{
	size_t *n = arg;

	sum += it->body.n;
	return ++*n == TAKE;
}

/* What a brief asks. */
static void questions(struct index *ix)
{
	size_t active[EVENT_TYPES];

	for (int t = 0; t < EVENT_TYPES; t++) {
		size_t n = 0;

		if (index_active(ix, STR("p0"), (enum event_type)t, take, &n, NULL) < 0)
			exit(1);
	}
	if (index_counts(ix, STR("p0"), active, NULL))
		exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void row(const char *what, double ms[ROUNDS])
{
	qsort(ms, ROUNDS, sizeof *ms, by_value);
	printf("%-34s %8.3f ms p50 %8.3f ms p95\n", what, ms[ROUNDS / 2],
	       ms[ROUNDS * 95 / 100]);
}

static void latencies(void)
{
	double look[ROUNDS], told[ROUNDS], ask[ROUNDS], bare[ROUNDS];
	struct vault v;
	struct index *ix;
	struct reindex r, w;
	int64_t t;

	open_all(&v, &ix, &r, false);
	reindex_init(&w, ix, &v, true);
	refresh(&w, REINDEX_ALL);
	for (unsigned i = 0; i < ROUNDS; i++) {
		t = clock_mono_ns();
		stat_all(NULL);
		bare[i] = (double)(clock_mono_ns() - t) / 1e6;
		t = clock_mono_ns();
		refresh(&r, REINDEX_PROJECT);
		look[i] = (double)(clock_mono_ns() - t) / 1e6;
		t = clock_mono_ns();
		refresh(&w, REINDEX_ALL);
		told[i] = (double)(clock_mono_ns() - t) / 1e6;
		t = clock_mono_ns();
		questions(ix);
		ask[i] = (double)(clock_mono_ns() - t) / 1e6;
	}
	row("readdir and stat of the notes", bare);
	row("nothing changed, files looked at", look);
	row("nothing changed, told by system", told);
	row("questions of a brief", ask);
	reindex_release(&w);
	close_all(&v, ix, &r);
}

static void size(unsigned events)
{
	struct vault v;
	struct index *ix;
	struct reindex r;
	struct stat st;

	open_all(&v, &ix, &r, false);
	if (stat(index_path(ix), &st) < 0)
		bench_die(index_path(ix));
	printf("%-34s %8.1f MB %6.0f bytes an event\n", "size", (double)st.st_size / 1e6,
	       (double)st.st_size / events);
	close_all(&v, ix, &r);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int main(int argc, char **argv)
{
	unsigned events = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : EVENTS;
	int passes = events > EVENTS ? 1 : 3;
	char path[256];

	if (!mkdtemp(top))
		bench_die(top);
	snprintf(path, sizeof path, "%s/vault", top);
	setenv("HANDOFF_VAULT", path, 1);
	snprintf(path, sizeof path, "%s/cache", top);
	setenv("XDG_CACHE_HOME", path, 1);
	make_vault(events);
	printf("%u events, %u notes\n", events, (events + A_NOTE - 1) / A_NOTE);
	bench_row("rebuild", bench_call(rebuild, NULL, passes), "reading the files once",
		  bench_call(read_all, NULL, passes));
	size(events);
	bench_row("open, nothing changed, close", bench_call(one_shot, NULL, 5),
		  "readdir and stat of the notes", bench_call(stat_all, NULL, 5));
	latencies();
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
