/*
 * bench_store [EVENTS]: log_event, durable, over a vault of session notes made up here; 100,000
 * events unless told.
 *
 * Each round logs one event and, in the same run on the same disk, does what cannot be
 * spared: append a line of the same length and fdatasync. Rows: twenty events a note; all
 * events in the one note that is written on; a decision that retires by a query; the next
 * refresh after it.
 */
#include "bench.h"

#include <ftw.h>
#include <time.h>

#include "base/fs.h"
#include "work/store.h"

#define EVENTS 100000u
#define A_NOTE 20u
#define WORDS  4000u
#define ROUNDS 400u

static char top[] = "/tmp/handoff-bench-XXXXXX";
static uint64_t seed = 1;

static void add_words(struct buf *b, unsigned n)
{
	while (n--) {
		uint32_t w = bench_rnd(&seed, WORDS);

		w = bench_rnd(&seed, w + 1);
		buf_printf(b, "%c%c%x%s", (char)('a' + w % 26), (char)('a' + w / 26 % 26),
			   w, n ? " " : "");
	}
}

static void add_event(struct buf *b, unsigned id)
{
	struct buf text = BUF_INIT(4096), ids = BUF_INIT(64);
	struct event ev = {
		.type = (enum event_type)bench_rnd(&seed, EVENT_TYPES),
		.importance = (int)bench_rnd(&seed, 5) + 1,
		.at_us = INT64_C(1700000000000000) + (int64_t)id * 60000001,
	};

	if (ev.type == EVENT_NEXT_STEP) /* one is active at a time, the rest is history */
		ev.type = EVENT_FILE;
	add_words(&text, 6 + bench_rnd(&seed, 17));
	buf_printf(&ids, "ev_%08x", id * 2654435761u);
	ev.content = buf_str(&text);
	ev.id = buf_str(&ids);
	event_render(b, &ev);
	buf_release(&text);
	buf_release(&ids);
}

static void write_note(const char *project, const struct sessionnote *n, unsigned first,
		       unsigned events)
{
	struct buf b = BUF_INIT(256u << 20), path = BUF_INIT(512);

	event_note_header(&b, str_of(n->id), str_of(project), n->started_us);
	for (unsigned i = 0; i < events; i++)
		add_event(&b, first + i);
	buf_printf(&path, "%s/vault/%s/sessions", top, project);
	if (fs_mkdirs(buf_cstr(&path), 0700, NULL))
		bench_die("mkdir");
	buf_printf(&path, "/%s.md", n->id);
	if (fs_write_quick(buf_cstr(&path), buf_str(&b), 0600, NULL))
		bench_die("write");
	buf_release(&b);
	buf_release(&path);
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double ms(int64_t *t, size_t n, size_t percent)
{
	qsort(t, n, sizeof *t, by_size);
	return (double)t[(n - 1) * percent / 100] / 1e6;
}

static void open_store(struct store *s, const char *project)
{
	static char state[128];
	struct err e = ERR_INIT;

	snprintf(state, sizeof state, "%s/state", top);
	if (store_open(s,
		       &(struct store_options){.project = project,
					       .dir = top,
					       .state_dir = state,
					       .watch = true},
		       &e) ||
	    !s->index)
		bench_die(e.msg);
}

/* Of this program; unlike time it says something on a busy machine too. */
static int64_t processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The bare thing: a line of so many bytes, then fdatasync. */
static int64_t bare(int fd, size_t n)
{
	static char line[4096];
	int64_t t = clock_mono_ns();

	memset(line, 'x', n);
	if (write(fd, line, n) != (ssize_t)n || fdatasync(fd) < 0)
		bench_die("append");
	return clock_mono_ns() - t;
}

static void rounds(const char *what, struct store *s, bool query)
{
	static int64_t took[ROUNDS], plain[ROUNDS], fresh[ROUNDS], busy[ROUNDS];
	char path[128];
	size_t read = 0;
	int fd;

	snprintf(path, sizeof path, "%s/bare", top);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct buf text = BUF_INIT(4096), words = BUF_INIT(4096);
		struct store_logged done;
		struct err e = ERR_INIT;
		int64_t t, cpu;

		add_words(&text, 15);
		if (query)
			add_words(&words, 3);
		plain[i] = bare(fd, text.n + 90);
		t = clock_mono_ns();
		cpu = processor_ns();
		if (store_log(s,
			      &(struct store_event){.type = EVENT_DECISION,
						    .content = buf_str(&text),
						    .query = buf_str(&words)},
			      &done, &e))
			bench_die(e.msg);
		took[i] = clock_mono_ns() - t;
		busy[i] = processor_ns() - cpu;
		t = clock_mono_ns();
		if (store_refresh(s, STR_NONE, false, &e))
			bench_die(e.msg);
		fresh[i] = clock_mono_ns() - t;
		read += s->reindex.read;
		store_logged_release(&done);
		buf_release(&text);
		buf_release(&words);
	}
	close(fd);
	printf("%-34s p50 %6.3f ms  p99 %6.3f ms  max %6.3f ms, of it processor p50 %.3f p99 %.3f max %.3f ms;"
	       " %5.2f x bare append + fdatasync (p50 %.3f ms)"
	       "; refresh p50 %.3f ms, %zu files read\n",
	       what, ms(took, ROUNDS, 50), ms(took, ROUNDS, 99), ms(took, ROUNDS, 100),
	       ms(busy, ROUNDS, 50), ms(busy, ROUNDS, 99), ms(busy, ROUNDS, 100),
	       ms(took, ROUNDS, 50) / ms(plain, ROUNDS, 50), ms(plain, ROUNDS, 50),
	       ms(fresh, ROUNDS, 50), read);
	fflush(stdout);
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int main(int argc, char **argv)
{
	unsigned events = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : EVENTS;
	struct sessionnote n;
	struct err e = ERR_INIT;
	struct store s;
	char vault[64], cache[64];

	if (!mkdtemp(top))
		bench_die("mkdtemp");
	snprintf(vault, sizeof vault, "%s/vault", top);
	snprintf(cache, sizeof cache, "%s/cache", top);
	setenv("HANDOFF_VAULT", vault, 1);
	setenv("XDG_CACHE_HOME", cache, 1);
	unsetenv("CLAUDE_CODE_SESSION_ID");
	for (unsigned id = 0; id < events; id += A_NOTE) {
		char session[40];

		snprintf(session, sizeof session, "%06x00-0000-4000-8000-000000000000",
			 id / A_NOTE);
		sessionnote_of(&n, str_of(session), INT64_C(1700000000000) + id * 60000);
		write_note("many", &n, id, A_NOTE);
	}
	open_store(&s, "many");
	if (store_refresh(&s, STR_NONE, true, &e))
		bench_die(e.msg);
	printf("%u events in %u notes\n", events, events / A_NOTE);
	rounds("log_event, many notes", &s, false);
	rounds("log_event with a query", &s, true);
	store_release(&s);

	open_store(&s, "one");
	write_note("one", &s.note, events, events);
	if (store_refresh(&s, STR_NONE, true, &e))
		bench_die(e.msg);
	rounds("log_event, all in the one note", &s, false);
	store_release(&s);
	nftw(top, drop, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
