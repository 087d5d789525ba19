/*
 * bench_record [RECORDS]: versioned records in a store of RECORDS (100,000) records.
 *
 * A durable write beside a bare append and fdatasync; the 8th version of a record beside the
 * 8,000th; verification of everything beside reading the same files; the first search, which
 * reads all records into the index; then searches; picking up one of many packets.
 *
 * A record says some words of ten that stand in a quarter of all records, and a text (turns.h).
 * Questions are of both kinds.
 */
#include <dirent.h>

#include <time.h>

#include "base/fs.h"
#include "bench.h"
#include "data/canon.h"
#include "data/json.h"
#include "data/shelf.h"
#include "turns.h"
#include "work/chain.h"
#include "work/packet.h"
#include "work/record.h"
#include "work/recindex.h"
#include "work/recsearch.h"
#include "work/verify.h"

#define WRITES  300
#define LONG    8000
#define PASSES  60
#define ASKED   300 /* questions of words as people use them */
#define PACKETS 10000

static struct vault vault;
static struct record_store store;
static struct recindex kept; /* as a server has it */

/* Of this process: what a loaded machine does not blur. */
static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void or_die(int ret, const struct err *e)
{
	if (ret < 0) {
		fprintf(stderr, "bench_record: %s\n", e->msg);
		exit(1);
	}
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double ms(int64_t *ns, size_t n, int percent)
{
	qsort(ns, n, sizeof(*ns), by_time);
	return (double)ns[n * (size_t)percent / 100] / 1e6;
}

/* What record `number` says: the same at each call. */
static void text_of(struct buf *text, unsigned number)
{
	uint64_t rng = number * 2654435761u + 1;

	turns_text(text, &rng, 100000);
}

static void value_of(struct buf *value, unsigned number)
{
	static const char *const words[] = {"harbour", "lantern", "orchard", "budget",
					    "retry",   "window",  "copper",  "meadow",
					    "signal",  "ledger"};
	struct buf text = BUF_INIT(1u << 16);

	buf_printf(&text, "%s %s of item %u, %s. ", words[number % 10],
		   words[number / 10 % 10], number, words[number / 100 % 10]);
	text_of(&text, number);
	buf_add(value, STR("{\n  \"note\": "));
	json_add_str(value, buf_str(&text));
	buf_printf(value, ",\n  \"price\": %u\n}", number % 977);
	buf_release(&text);
}

/* One version of a record, as record_write makes it. */
static void add(struct buf *b, const struct address *a, struct lineage_entry *last,
		unsigned number)
{
	char content[65], chain[65];
	static char parent[65], prev[65];
	struct buf value = BUF_INIT(1u << 16);
	struct lineage_entry v = {.version = last->version + 1,
				  .agent = STR("scout"),
				  .at = STR("2026-02-12T18:00:00.000Z"),
				  .confidence = 0.5};

	value_of(&value, number);
	v.value = buf_str(&value);
	chain_content(a->scope, a->key, v.version, v.value, v.agent, v.at, STR_NONE,
		      content, NULL);
	v.content = str_of(content);
	if (last->version) {
		v.parents[v.nparents++] = str_of(parent);
		v.prev[v.nprev++] = str_of(prev);
	}
	chain_hash(v.content, v.parents, v.nparents, chain);
	v.chain = str_of(chain);
	lineage_add_version(b, &v, 0, prev);
	memcpy(parent, chain, sizeof(chain));
	last->version = v.version;
	buf_release(&value);
}

/* The files alone: nothing of it is measured. */
static void make(unsigned number, unsigned versions)
{
	struct buf b = BUF_INIT(64u << 20), rel = BUF_INIT(4096), path = BUF_INIT(4096);
	struct lineage_entry last = {.version = 0};
	char text[64];
	struct address a;
	struct err e = ERR_INIT;
	size_t slash;
	FILE *f;

	snprintf(text, sizeof(text), "area/%u/item-%u", number / 200, number);
	or_die(address_of(&a, str_of(text), STR_NONE, &e), &e);
	lineage_add_header(&b, a.scope, a.key);
	for (unsigned i = 0; i < versions; i++)
		add(&b, &a, &last, number);
	address_path(&rel, &a);
	shelf_path(&vault, SHELF_RECORDS, buf_str(&rel), &path);
	slash = str_rchr(buf_str(&path), '/');
	path.p[slash] = 0;
	or_die(fs_mkdirs(path.p, 0700, &e), &e);
	path.p[slash] = '/';
	f = fopen(buf_cstr(&path), "w");
	if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f))
		bench_die(buf_cstr(&path));
	address_release(&a);
	buf_release(&b);
	buf_release(&rel);
	buf_release(&path);
}

static void write_one(const char *at)
{
	struct record_new n = {.value = STR("{\"note\":\"measured\",\"price\":1}"),
			       .confidence = 0.5};
	struct record_done d;
	struct err e = ERR_INIT;
	struct address a;

	or_die(address_of(&a, str_of(at), STR_NONE, &e), &e);
	or_die(record_write(&store, &a, &n, &d, &e), &e);
	record_done_release(&d);
	address_release(&a);
}

/* The same number of bytes, appended to one file. */
static double bare(void)
{
	struct buf path = BUF_INIT(4096);
	char line[700] = {0};
	int64_t ns[WRITES];
	struct err e = ERR_INIT;

	memset(line, 'x', sizeof(line) - 1);
	fs_join(&path, str_of(vault.root), STR("bare"));
	for (int i = 0; i < WRITES; i++) {
		int64_t t = clock_mono_ns();

		or_die(fs_append(buf_cstr(&path), str_of(line), &e), &e);
		ns[i] = clock_mono_ns() - t;
	}
	buf_release(&path);
	return ms(ns, WRITES, 50);
}

static void writes(unsigned records)
{
	int64_t ns[WRITES], fresh[WRITES];
	double base = bare();
	char at[64];

	for (unsigned i = 0; i < WRITES; i++) {
		int64_t t = clock_mono_ns();

		snprintf(at, sizeof(at), "area/%u/item-%u", i * 7 % (records / 200),
			 i * 7 % (records / 200) * 200);
		write_one(at);
		ns[i] = clock_mono_ns() - t;
		t = clock_mono_ns();
		snprintf(at, sizeof(at), "new/%u/item", i);
		write_one(at);
		fresh[i] = clock_mono_ns() - t;
	}
	printf("write, durable, next version     p50 %7.3f ms  p95 %7.3f ms  %.1f x bare append + fdatasync (%.3f ms)\n",
	       ms(ns, WRITES, 50), ms(ns, WRITES, 95), ms(ns, WRITES, 50) / base, base);
	printf("write, durable, first version    p50 %7.3f ms  p95 %7.3f ms  (its file and folder are made)\n",
	       ms(fresh, WRITES, 50), ms(fresh, WRITES, 95));
}

static double appends(const char *at)
{
	int64_t ns[PASSES];

	for (int i = 0; i < PASSES; i++) {
		int64_t t = clock_mono_ns();

		write_one(at);
		ns[i] = clock_mono_ns() - t;
	}
	return ms(ns, PASSES, 50);
}

static void lengths(unsigned records)
{
	char few[64], many[64];
	double a, b;

	make(records, 8);
	make(records + 200, LONG);
	snprintf(few, sizeof(few), "area/%u/item-%u", records / 200, records);
	snprintf(many, sizeof(many), "area/%u/item-%u", records / 200 + 1, records + 200);
	a = appends(few);
	b = appends(many);
	printf("append to 8,000 versions         p50 %7.3f ms  %.2f x of one to 8 (%.3f ms)\n",
	       b, b / a, a);
}

static int read_one(const char *rel, const struct stat *st, void *arg)
{
	struct buf text = BUF_INIT(64u << 20);

	(void)st;
	shelf_read(&vault, SHELF_RECORDS, str_of(rel), &text, NULL);
	*(uint64_t *)arg += text.n;
	buf_release(&text);
	return 0;
}

static void verification(void)
{
	struct verify_options o = {.check = true};
	uint64_t bytes = 0;
	struct err e = ERR_INIT;
	struct verify v;
	double cpu;
	int64_t t = clock_mono_ns(), base;

	shelf_walk(&vault, SHELF_RECORDS, STR_NONE, read_one, &bytes, NULL);
	base = clock_mono_ns() - t;
	cpu = cpu_ms();
	t = clock_mono_ns();
	or_die(verify_run(&store, &o, &v, &e), &e);
	t = clock_mono_ns() - t;
	cpu = cpu_ms() - cpu;
	printf("verify of %llu records        %10.2f s    %.1f x reading their files (%.2f s); %.2f s of processor%s\n",
	       (unsigned long long)v.records, (double)t / 1e9, (double)t / (double)base,
	       (double)base / 1e9, cpu / 1e3, verify_failed(&v) ? "  FAILED" : "");
	verify_release(&v);
}

static int ignore(struct record_view *r, void *arg)
{
	(void)r;
	(void)arg;
	return 0;
}

static void ask(str words, int64_t *ns)
{
	struct recsearch q = {.words = words};
	int64_t t = clock_mono_ns();
	struct err e = ERR_INIT;
	size_t more;

	or_die(recsearch_run(&store, &q, ignore, NULL, &more, &e), &e);
	*ns = clock_mono_ns() - t;
}

/* A second process asks while the first one reads all records into an index that is not there. */
static void meanwhile(const char *dir)
{
	struct buf cache = BUF_INIT(4096);
	struct timespec pause = {0, 200000000};
	int64_t ns;
	pid_t pid;

	fs_join(&cache, str_of(dir), STR("cache2"));
	setenv("XDG_CACHE_HOME", buf_cstr(&cache), 1);
	buf_release(&cache);
	fflush(stdout);
	recindex_release(&kept);
	pid = fork();
	if (pid == 0) {
		ask(STR("harbour"), &ns);
		_exit(0);
	}
	nanosleep(&pause, NULL);
	ask(STR("harbour"), &ns);
	printf("search, another one is at that   %10.2f s    (it goes over the files)\n",
	       (double)ns / 1e9);
	waitpid(pid, NULL, 0);
	recindex_release(&kept);
	setenv("XDG_CACHE_HOME", dir, 1);
}

static void searched(const char *what, int64_t *ns, size_t n, double cpu)
{
	printf("%-32s p50 %7.3f ms  p95 %7.3f ms  mean %.3f ms of processor\n", what,
	       ms(ns, n, 50), ms(ns, n, 95), (cpu_ms() - cpu) / (double)n);
}

static void searches(unsigned records)
{
	static const char *const common[] = {"harbour lantern", "copper item",
					     "budget retry window", "meadow 5512",
					     "signal ledger of item"};
	int64_t ns[ASKED];
	size_t n = 0;
	double cpu = cpu_ms();
	uint64_t rng = 7;

	/* what made the store is no part of it */
	sync();
	ask(STR("nothing has this word"), ns);
	printf("search, the first one              %8.2f s    %.2f s of processor\n",
	       (double)ns[0] / 1e9, (cpu_ms() - cpu) / 1e3);
	cpu = cpu_ms();
	for (unsigned i = 0; n < ASKED && i < records; i += records / ASKED / 2) {
		struct buf text = BUF_INIT(1u << 16), words = BUF_INIT(1u << 16);

		text_of(&text, i);
		if (turns_question(&words, buf_str(&text), &rng) >= 2)
			ask(buf_str(&words), &ns[n++]);
		buf_release(&text);
		buf_release(&words);
	}
	searched("search, 2 to 5 words", ns, n, cpu);
	cpu = cpu_ms();
	for (n = 0; n < PASSES; n++)
		ask(str_of(common[n % 5]), &ns[n]);
	searched("search, words of every 4th record", ns, n, cpu);
	cpu = cpu_ms();
	for (n = 0; n < PASSES; n++) {
		recindex_release(&kept);
		ask(str_of(common[n % 5]), &ns[n]);
	}
	searched("the same, the index is opened", ns, n, cpu);
}

static int met(const char *rel, const struct stat *st, void *arg)
{
	(void)rel;
	(void)st;
	++*(unsigned *)arg;
	return 0;
}

static double one_pickup(void)
{
	struct packet_ask ask = {.id = STR_NONE};
	struct err e = ERR_INIT;
	struct packet p;
	int64_t t = clock_mono_ns();

	or_die(packet_pickup(&store, &ask, &p, &e), &e);
	packet_release(&p);
	return (double)(clock_mono_ns() - t) / 1e6;
}

/* So many that wait: the worst case, each could be the one that is picked up. */
static void packets(void)
{
	int64_t ns[PASSES];
	struct err e = ERR_INIT;
	struct timespec settle = {0, 100000000};
	unsigned n = 0;
	double first, cpu;
	int64_t t;

	for (unsigned i = 0; i < PACKETS; i++) {
		char summary[64];
		struct packet_new pn = {.summary = STR_NONE};
		struct packet p;

		snprintf(summary, sizeof(summary), "packet number %u", i);
		pn.summary = str_of(summary);
		or_die(packet_create(&store, &pn, &p, &e), &e);
		packet_release(&p);
	}
	nanosleep(&settle, NULL);
	first = one_pickup();
	cpu = cpu_ms();
	for (int i = 0; i < PASSES; i++)
		ns[i] = (int64_t)(one_pickup() * 1e6);
	cpu = (cpu_ms() - cpu) / PASSES;
	t = clock_mono_ns();
	shelf_walk(&vault, SHELF_PACKETS, STR_NONE, met, &n, NULL);
	t = clock_mono_ns() - t;
	printf("pick-up of %d packets, the first  %9.1f ms\n", PACKETS, first);
	printf("pick-up, once they are listed    p50 %7.3f ms  p95 %7.3f ms  mean %.3f ms of processor; readdir and lstat of them %.3f ms\n",
	       ms(ns, PASSES, 50), ms(ns, PASSES, 95), cpu, (double)t / 1e6);
}

int main(int argc, char **argv)
{
	unsigned records = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100000;
	char dir[] = "/tmp/bench_record.XXXXXX", command[64];
	struct err e = ERR_INIT;

	if (records < 2000)
		records = 2000;
	if (!mkdtemp(dir))
		bench_die("mkdtemp");
	setenv("XDG_CACHE_HOME", dir, 1);
	setenv("HOME", dir, 1);
	snprintf(command, sizeof(command), "%s/vault", dir);
	or_die(vault_open(&vault, command, &e), &e);
	store = (struct record_store){.vault = &vault, .agent = "bench", .kept = &kept};
	turns_load();
	for (unsigned i = 0; i < records; i++)
		make(i, 1);
	printf("store: %u records\n", records);
	writes(records);
	lengths(records);
	verification();
	searches(records);
	meanwhile(dir);
	packets();
	turns_unload();
	recindex_release(&kept);
	vault_release(&vault);
	char rm[] = "rm", rf[] = "-rf", *const away[] = {rm, rf, dir, NULL};
	bench_once(away, NULL, NULL);
	return 0;
}
