/*
 * bench_search [EVENTS...]: how long a question takes, by size: 1k, 10k, 100k events unless
 * told (1000000 takes some minutes and 600 MB below TMPDIR).
 *
 * Events are 6 to 22 words, a seventh of them names of code, in 40 projects of uneven size; the
 * words come from the conversations in HANDOFF_BENCH (as in bench_retrieval) where they are
 * there, else they are made up. Questions are two to five content words of one event, asked
 * in its project and in all. Baseline, up to 100k: plain FTS5, words ORed, ordered by bm25, on
 * the same texts. Wall time, and processor time beside it, which what else the machine does moves
 * little: all pages are in memory, so both are the same on a quiet one. Where the work limit was met, the share of the ten best hits without it
 * that are found with it.
 */
#include <ftw.h>
#include <sqlite3.h>
#include <time.h>

#include "bench.h"
#include "data/index.h"
#include "turns.h"

#define PROJECTS     40
#define QUESTIONS    300
#define BEST         10
#define BASELINE_MAX 100000u
#define A_NOTE       20

static char top[64];
static struct question {
	str text;
	char project[8];
} question[QUESTIONS];
static uint32_t nquestions;

static void make_question(str event, uint32_t project, uint64_t *rng)
{
	struct question *q = &question[nquestions];
	struct buf b = BUF_INIT(4096);

	if (turns_question(&b, event, rng) >= 2) {
		q->text = arena_str(&turns_words, buf_str(&b));
		snprintf(q->project, sizeof(q->project), "p%u", project);
		nquestions++;
	}
	buf_release(&b);
}

/* ---- building ---- */

static void die(const struct err *e)
{
	fprintf(stderr, "bench_search: %s\n", e->msg);
	exit(1);
}

static void plain_add(sqlite3_stmt *plain, uint32_t i, str text)
{
	if (!plain)
		return;
	sqlite3_bind_int64(plain, 1, i + 1);
	sqlite3_bind_text(plain, 2, text.p, (int)text.n, SQLITE_STATIC);
	sqlite3_step(plain);
	sqlite3_reset(plain);
}

static void build(struct index *ix, uint32_t n, sqlite3_stmt *plain)
{
	static struct index_file file[PROJECTS];
	static char project[PROJECTS][8];
	uint64_t rng = 1, qrng = 9;
	struct buf text = BUF_INIT(1u << 16), id = BUF_INIT(32), name = BUF_INIT(64);
	struct err e = ERR_INIT;

	memset(file, 0, sizeof(file));
	nquestions = 0;
	if (index_begin(ix, &e))
		die(&e);
	for (uint32_t i = 0; i < n; i++) {
		double u = turns_chance(&rng);
		uint32_t p = (uint32_t)(PROJECTS * u * u);
		struct index_file *f = &file[p];
		struct index_put put = {.type = EVENT_DECISION,
					.importance = 3,
					.at_us = INT64_C(1700000000000000) +
						 (int64_t)i * 60000000};

		snprintf(project[p], sizeof(project[p]), "p%u", p);
		buf_reset(&text);
		buf_reset(&id);
		turns_text(&text, &rng, n);
		buf_printf(&id, "%u", i);
		if (f->items % A_NOTE == 0) {
			buf_reset(&name);
			buf_printf(&name, "s_%u.md", i);
			*f = (struct index_file){.folder = VAULT_SESSIONS,
						 .project = str_of(project[p]),
						 .name = buf_str(&name)};
			if (index_file_put(ix, f, &e))
				die(&e);
		}
		put.id = buf_str(&id);
		put.body = buf_str(&text);
		if (index_item_put(ix, f, &put, &e))
			die(&e);
		plain_add(plain, i, put.body);
		if (nquestions < QUESTIONS &&
		    i % (n / (QUESTIONS + QUESTIONS / 2) + 1) == 0)
			make_question(put.body, p, &qrng);
	}
	if (index_commit(ix, &e))
		die(&e);
	buf_release(&text);
	buf_release(&id);
	buf_release(&name);
}

/* ---- asking ---- */

struct best {
	size_t n;
	int64_t row[BEST];
};

static int on_hit(const struct index_item *it, double score, void *arg)
{
	struct best *b = arg;

	(void)score;
	b->row[b->n++] = it->row;
	return b->n == BEST;
}

static int by_time(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

static double processor_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void show(const char *what, double *ms, double *busy, uint32_t n)
{
	qsort(ms, n, sizeof(*ms), by_time);
	qsort(busy, n, sizeof(*busy), by_time);
	printf("  %-24s p50 %7.2f ms  p95 %7.2f ms  max %7.2f ms, of it processor p50 %6.2f  p95 %6.2f\n",
	       what, ms[n / 2], ms[n * 95 / 100], ms[n - 1], busy[n / 2],
	       busy[n * 95 / 100]);
}

static double shared(const struct best *a, const struct best *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			n += a->row[i] == b->row[k];
	return a->n ? (double)n / (double)a->n : 1;
}

static void ask_all(struct index *ix, bool current)
{
	double ms[QUESTIONS], busy[QUESTIONS], found = 0;
	uint32_t cut = 0;
	struct err e = ERR_INIT;

	for (int pass = 0; pass < 2; pass++) /* the first one warms the caches */
		for (uint32_t i = 0; i < nquestions; i++) {
			struct index_query q = {
				.text = question[i].text,
				.project =
					current ? str_of(question[i].project) : STR_NONE,
				.type = -1,
				.limit = BEST};
			struct best b = {0}, full = {0};
			struct index_stats stats;
			double cpu = processor_ms();
			int64_t start = clock_mono_ns();

			if (index_match(ix, &q, on_hit, &b, &stats, &e) < 0)
				die(&e);
			ms[i] = (double)(clock_mono_ns() - start) / 1e6;
			busy[i] = processor_ms() - cpu;
			if (!pass || !stats.cut)
				continue;
			q.rows_max = SIZE_MAX / 8;
			if (index_match(ix, &q, on_hit, &full, NULL, &e) < 0)
				die(&e);
			cut++;
			found += shared(&full, &b);
		}
	show(current ? "in the project" : "in all projects", ms, busy, nquestions);
	if (cut)
		printf("    work limit met by %u of %u, %.0f %% of their ten best found all the same\n",
		       cut, nquestions, 100 * found / cut);
}

static void ask_plain(sqlite3 *db)
{
	double ms[QUESTIONS], busy[QUESTIONS], cpu;
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(
		    db,
		    "SELECT rowid, bm25(f) s FROM f WHERE f MATCH ?1 ORDER BY s LIMIT 10",
		    -1, &st, NULL))
		return;
	for (uint32_t i = 0; i < nquestions; i++) {
		struct buf b = BUF_INIT(1u << 16);
		str rest = question[i].text, w;
		int64_t start;

		while (str_word(&rest, &w))
			buf_printf(&b, "%s\"%.*s\"", b.n ? " OR " : "", STR_ARG(w));
		sqlite3_bind_text(st, 1, buf_cstr(&b), (int)b.n, SQLITE_TRANSIENT);
		cpu = processor_ms();
		start = clock_mono_ns();
		while (sqlite3_step(st) == SQLITE_ROW)
			;
		ms[i] = (double)(clock_mono_ns() - start) / 1e6;
		busy[i] = processor_ms() - cpu;
		sqlite3_reset(st);
		buf_release(&b);
	}
	show("plain FTS5, OR, bm25", ms, busy, nquestions);
	sqlite3_finalize(st);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void run(uint32_t n)
{
	struct vault v;
	struct index *ix;
	struct stat st;
	struct rusage use;
	struct err e = ERR_INIT;
	sqlite3 *db = NULL;
	sqlite3_stmt *plain = NULL;
	int64_t start;
	char *path;

	snprintf(top, sizeof(top), "/tmp/handoff-bench-XXXXXX");
	if (!mkdtemp(top))
		bench_die(top);
	setenv("XDG_CACHE_HOME", top, 1);
	if (vault_open(&v, top, &e) || index_open(&ix, &v, 1000, &e))
		die(&e);
	if (n <= BASELINE_MAX && !sqlite3_open(":memory:", &db)) {
		sqlite3_exec(
			db,
			"CREATE VIRTUAL TABLE f USING fts5(body, tokenize='porter unicode61'); "
			"BEGIN",
			NULL, NULL, NULL);
		sqlite3_prepare_v2(db, "INSERT INTO f(rowid, body) VALUES(?1, ?2)", -1,
				   &plain, NULL);
	}
	start = clock_mono_ns();
	index_bulk(ix, true);
	build(ix, n, plain);
	index_bulk(ix, false);
	printf("%u events, %u questions of 2 to 5 words; built in %.1f s", n, nquestions,
	       (double)(clock_mono_ns() - start) / 1e9);
	sqlite3_finalize(plain);
	path = str_dup(str_of(index_path(ix)));
	index_free(ix); /* what was written is in the file only then */
	if (stat(path, &st) == 0)
		printf(", %.0f bytes an event", (double)st.st_size / n);
	printf("\n");
	free(path);
	if (index_open(&ix, &v, 1000, &e))
		die(&e);
	ask_all(ix, true);
	ask_all(ix, false);
	if (db)
		ask_plain(db);
	sqlite3_close(db);
	getrusage(RUSAGE_SELF, &use);
	printf("  memory, peak of this program   %ld MB\n", use.ru_maxrss / 1024);
	index_free(ix);
	vault_release(&v);
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
	static const uint32_t usual[] = {1000, 10000, 100000};

	turns_load();
	for (int i = 1; i < argc; i++)
		run((uint32_t)strtoul(argv[i], NULL, 10));
	for (size_t i = 0; argc < 2 && i < sizeof(usual) / sizeof(*usual); i++)
		run(usual[i]);
	turns_unload();
	return 0;
}
