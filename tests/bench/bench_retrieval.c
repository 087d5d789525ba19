/*
 * bench_retrieval [DATA [PROJECT...]]: how well search finds what was asked for.
 *
 * DATA (default HANDOFF_BENCH; without either it is skipped), or its folder retrieval, holds
 * data/NAME.corpus.jsonl and data/NAME.queries.jsonl: one memory or question a line, with the ids of the memories that
 * answer it. Each memory goes into an index as an event "Speaker: text" of its session's
 * note; each question is asked within its project, 50 hits. Recall at k is the share of the
 * evidence found, MRR that of the first piece; conversations by turn, coding sessions by session.
 */
#include <stdbool.h>

#include "base/arena.h"
#include "base/fs.h"
#include "bench.h"
#include "data/index.h"
#include "data/jsondoc.h"

#define MEMORIES  16384
#define EVIDENCE  64
#define LIMIT     50
#define LINE_MAX_ (1u << 20)
#define FILE_MAX_ (64u << 20)

static struct memory {
	str id, session;
} memory[MEMORIES];
static size_t nmemory;
static struct arena names;
static char **only;
static int nonly;

static bool taken(str project)
{
	for (int i = 0; i < nonly; i++)
		if (str_eq(project, str_of(only[i])))
			return true;
	return nonly == 0;
}

static void die(const struct err *e)
{
	fprintf(stderr, "bench_retrieval: %s\n", e->msg);
	exit(1);
}

static void lines(const char *dir, const char *name, const char *what,
		  void (*fn)(struct index *ix, const struct jsonval *v), struct index *ix)
{
	struct buf path = BUF_INIT(4096), text = BUF_INIT(FILE_MAX_);
	struct err e = ERR_INIT;
	str rest, line;

	buf_printf(&path, "%s/%s.%s.jsonl", dir, name, what);
	if (fs_read(buf_cstr(&path), &text, &e))
		die(&e);
	rest = buf_str(&text);
	while (str_line(&rest, &line)) {
		struct jsondoc *d = jsondoc_parse(line, LINE_MAX_, &e);

		if (!d)
			die(&e);
		if (taken(jsondoc_str(jsondoc_get(jsondoc_root(d), "project"))))
			fn(ix, jsondoc_root(d));
		jsondoc_free(d);
	}
	buf_release(&path);
	buf_release(&text);
}

static struct index_file file;
static struct buf file_name = BUF_INIT(64);

static void add_memory(struct index *ix, const struct jsonval *v)
{
	str session = jsondoc_str(jsondoc_get(v, "session"));
	struct buf body = BUF_INIT(LINE_MAX_), id = BUF_INIT(32);
	struct index_put p = {
		.kind = INDEX_EVENT, .type = EVENT_DECISION, .importance = 3};
	struct err e = ERR_INIT;
	str who = jsondoc_str(jsondoc_get(v, "speaker"));
	str said = jsondoc_str(jsondoc_get(v, "text"));

	if (nmemory == MEMORIES)
		return;
	if (!str_eq(session, file.session)) {
		file = (struct index_file){
			.folder = VAULT_SESSIONS,
			.project =
				arena_str(&names, jsondoc_str(jsondoc_get(v, "project"))),
			.session = arena_str(&names, session)};
		buf_reset(&file_name);
		buf_printf(&file_name, "s_%zu.md", nmemory);
		file.name = buf_str(&file_name);
		if (index_file_put(ix, &file, &e))
			die(&e);
	}
	memory[nmemory] = (struct memory){
		arena_str(&names, jsondoc_str(jsondoc_get(v, "id"))), file.session};
	buf_printf(&body, "%.*s: ", STR_ARG(who));
	event_normalise(&body, said);
	buf_printf(&id, "%zu", nmemory++);
	p.body = buf_str(&body);
	p.id = buf_str(&id);
	event_time_parse(jsondoc_str(jsondoc_get(v, "ts")), &p.at_us);
	if (index_item_put(ix, &file, &p, &e))
		die(&e);
	buf_release(&body);
	buf_release(&id);
}

static struct ranked {
	size_t n;
	size_t hit[LIMIT];
} ranked;
static struct score {
	size_t n;
	double r1, r5, r10, r50, mrr;
} score;
static bool by_session;

static int on_hit(const struct index_item *it, double s, void *arg)
{
	uint64_t i;

	(void)arg;
	(void)s;
	if (ranked.n < LIMIT && str_u64(it->id, &i))
		ranked.hit[ranked.n++] = (size_t)i;
	return 0;
}

static str key(size_t i)
{
	return by_session ? memory[i].session : memory[i].id;
}

static bool in(const str *set, size_t n, str s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(set[i], s))
			return true;
	return false;
}

static void count_hits(const str *want, size_t nwant)
{
	str seen[LIMIT];
	size_t nseen = 0, found = 0;
	double first = 0;

	for (size_t i = 0; i < ranked.n; i++) {
		str k = key(ranked.hit[i]);

		if (in(seen, nseen, k))
			continue;
		seen[nseen++] = k;
		if (!in(want, nwant, k))
			continue;
		found++;
		if (!first)
			first = 1.0 / (double)nseen;
		score.r1 += nseen <= 1 ? 1.0 / (double)nwant : 0;
		score.r5 += nseen <= 5 ? 1.0 / (double)nwant : 0;
		score.r10 += nseen <= 10 ? 1.0 / (double)nwant : 0;
	}
	score.r50 += (double)found / (double)nwant;
	score.mrr += first;
	score.n++;
}

static void ask(struct index *ix, const struct jsonval *v)
{
	const struct jsonval *w = jsondoc_get(v, by_session ? "evidence_sessions"
							    : "evidence"),
			     *c;
	struct index_query q = {.text = jsondoc_str(jsondoc_get(v, "query")),
				.project = jsondoc_str(jsondoc_get(v, "project")),
				.type = -1,
				.limit = LIMIT};
	str category = jsondoc_str(jsondoc_get(v, "category")), want[EVIDENCE];
	struct err e = ERR_INIT;
	size_t n = 0;

	for (c = jsondoc_first(w); c && n < EVIDENCE; c = jsondoc_next(c))
		if (!in(want, n, jsondoc_str(c)))
			want[n++] = jsondoc_str(c);
	if (!n || str_eq(category, STR("adversarial")) ||
	    str_eq(category, STR("abstention")))
		return;
	ranked.n = 0;
	if (index_match(ix, &q, on_hit, NULL, NULL, &e))
		die(&e);
	count_hits(want, n);
}

static void run(const char *dir, const char *name, bool sessions)
{
	char top[] = "/tmp/handoff-bench-XXXXXX", rm[] = "rm", rf[] = "-rf";
	char *forget[] = {rm, rf, top, NULL};
	struct vault v;
	struct index *ix;
	struct err e = ERR_INIT;
	double n;

	if (!mkdtemp(top))
		bench_die(top);
	setenv("XDG_CACHE_HOME", top, 1);
	nmemory = 0;
	file = (struct index_file){0};
	score = (struct score){0};
	by_session = sessions;
	if (vault_open(&v, top, &e) || index_open(&ix, &v, 1000, &e) ||
	    index_begin(ix, &e))
		die(&e);
	lines(dir, name, "corpus", add_memory, ix);
	if (index_commit(ix, &e))
		die(&e);
	lines(dir, name, "queries", ask, ix);
	n = score.n ? (double)score.n : 1;
	if (score.n)
		printf("%-8s %6zu memories %5zu questions by %s: R@1 %.3f R@5 %.3f R@10 %.3f R@50 %.3f MRR %.3f\n",
		       name, nmemory, score.n, sessions ? "session" : "turn",
		       score.r1 / n, score.r5 / n, score.r10 / n, score.r50 / n,
		       score.mrr / n);
	index_free(ix);
	vault_release(&v);
	bench_best(forget, 1);
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 && argv[1][0] ? argv[1] : getenv("HANDOFF_BENCH");
	struct buf data = BUF_INIT(4096);

	if (!bench_data(dir, &data)) {
		printf("skipped: " BENCH_NO_DATA "\n", dir ? dir : "not set");
		return 0;
	}
	arena_init(&names, 64u << 20);
	if (argc > 2) {
		only = argv + 2;
		nonly = argc - 2;
	}
	run(buf_cstr(&data), "locomo", false);
	run(buf_cstr(&data), "devmem", true);
	arena_release(&names);
	buf_release(&data);
	buf_release(&file_name);
	return 0;
}
