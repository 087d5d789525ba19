/*
 * How many of the decisions and dead ends that derive notes are ones, and how many of those
 * that there are it notes, against labels set by hand (fixtures/derive/labels.txt); and what
 * it costs beside a long note.
 *
 *   HANDOFF_CORPUS=... bench_derive          precision and recall, of the sets apart
 *   HANDOFF_CORPUS=... bench_derive --detail and what was wrong or missed, by record
 *   bench_derive --list FILE                 what it notes of one session
 *
 * What is compared is what stands in the session's note after a run, so bounds of a turn and
 * all. Precision counts events, recall labels: a label is found when one of the records that
 * tell it is.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/event.h"
#include "data/source.h"
#include "work/derive.h"

#define LABELS     "fixtures/derive/labels.txt"
#define NOTE_MAX   (8u << 20)
#define NOTE_BYTES 3000000u
#define RUNS       21
#define SESSION    "7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47"
#define STARTED    INT64_C(1770920402123)
#define SESSIONS   "/vault/p/sessions"

enum { DECISION, DEADEND, KINDS };
enum { SEEN, HELD_OUT, SETS };
static const char *const SET[] = {"seen", "held-out"};
static const char *const KIND[] = {"decision", "deadend"};

struct score {
	size_t right, wrong, found, missed;
};

/* ---- one session, derived into a vault of its own ---- */

static char top[] = "/tmp/handoff-bench-XXXXXX";

static void path_of(struct buf *b, const char *rel)
{
	buf_reset(b);
	buf_printf(b, "%s%s", top, rel);
}

static struct extract *facts_of(const char *path)
{
	struct source src;
	struct transcript *t;
	const struct record *r;
	enum transcript_got got;
	struct extract *x;

	if (source_open(&src, path, NULL))
		return NULL;
	x = extract_new();
	t = transcript_new(&src, 0, &extract_caps);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD)
			extract_add(x, r);
	transcript_free(t);
	source_release(&src);
	return x;
}

static int drop(const char *dir, const char *name, void *arg)
{
	struct buf b = BUF_INIT(PATH_MAX);

	(void)arg;
	fs_join(&b, str_of(dir), str_of(name));
	unlink(buf_cstr(&b));
	buf_release(&b);
	return 0;
}

static void forget(void)
{
	struct buf b = BUF_INIT(PATH_MAX);

	path_of(&b, SESSIONS);
	fs_each(buf_cstr(&b), drop, NULL, NULL);
	path_of(&b, "/state/facts");
	fs_each(buf_cstr(&b), drop, NULL, NULL);
	buf_release(&b);
}

static size_t derive(const struct facts *f)
{
	struct buf state = BUF_INIT(PATH_MAX), root = BUF_INIT(PATH_MAX);
	struct err e = ERR_INIT;
	struct journal *j;
	struct vault v;
	size_t added = 0;

	path_of(&root, "/vault");
	path_of(&state, "/state");
	j = journal_open(buf_cstr(&state), STR(SESSION), NULL);
	j->started_at = STARTED;
	journal_set(&j->project, STR("p"));
	if (vault_open(&v, buf_cstr(&root), &e) ||
	    derive_run(&v, buf_cstr(&state), j, f, 100, &added, &e)) {
		fprintf(stderr, "bench_derive: %s\n", e.msg);
		exit(1);
	}
	vault_release(&v);
	journal_free(j);
	buf_release(&state);
	buf_release(&root);
	return added;
}

static int read_note(const char *dir, const char *name, void *arg)
{
	struct buf b = BUF_INIT(PATH_MAX);

	fs_join(&b, str_of(dir), str_of(name));
	fs_read(buf_cstr(&b), arg, NULL);
	buf_release(&b);
	return 0;
}

static void note_of(struct buf *note)
{
	struct buf b = BUF_INIT(PATH_MAX);

	path_of(&b, SESSIONS);
	if (fs_is_dir(buf_cstr(&b)))
		fs_each(buf_cstr(&b), read_note, note, NULL);
	buf_release(&b);
}

static uint64_t record_of(const struct facts *f, str uuid)
{
	for (size_t i = 0; i < f->nsource; i++)
		if (str_eq(f->source[i].uuid, uuid))
			return f->source[i].record;
	return 0;
}

static int list(const char *path)
{
	struct extract *x = facts_of(path);
	struct buf note = BUF_INIT(NOTE_MAX);
	const struct facts *f;
	struct event ev;
	str rest, line;

	if (!x)
		return 1;
	f = extract_facts(x, NULL, CLOCK_NONE);
	derive(f);
	note_of(&note);
	rest = buf_str(&note);
	while (event_cut(&rest, &line))
		if (event_parse(line, &ev))
			printf("%llu %.*s: %.*s\n",
			       (unsigned long long)record_of(f, ev.from),
			       STR_ARG(event_type_name(ev.type)), STR_ARG(ev.content));
	extract_free(x);
	buf_release(&note);
	return 0;
}

/* ---- labels ---- */

#define MARKS_MAX   400
#define RECORDS_MAX 8

/* One decision or dead end, and the records that tell it. */
struct mark {
	uint64_t record[RECORDS_MAX];
	size_t n;
	int kind;
	bool found;
};

struct marks {
	struct mark m[MARKS_MAX];
	size_t n;
};

static bool tells(const struct mark *m, uint64_t record)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->record[i] == record)
			return true;
	return false;
}

static bool find(struct marks *s, uint64_t record, int kind)
{
	bool found = false;

	for (size_t i = 0; i < s->n; i++)
		if (s->m[i].kind == kind && tells(&s->m[i], record))
			found = s->m[i].found = true;
	return found;
}

static void look(struct marks *want, const struct event *ev, uint64_t record,
		 struct score s[KINDS], bool detail)
{
	int kind = ev->type == EVENT_DEADEND ? DEADEND : DECISION;

	if (ev->type != EVENT_DECISION && ev->type != EVENT_DEADEND)
		return;
	if (find(want, record, kind)) {
		s[kind].right++;
		return;
	}
	s[kind].wrong++;
	if (detail)
		printf("  wrong  %llu %s: %.*s\n", (unsigned long long)record, KIND[kind],
		       STR_ARG(ev->content));
}

static void compare(const char *path, struct marks *want, struct score s[KINDS],
		    bool detail)
{
	struct extract *x = facts_of(path);
	const struct facts *f = x ? extract_facts(x, NULL, CLOCK_NONE) : NULL;
	struct buf note = BUF_INIT(NOTE_MAX);
	struct event ev;
	str rest, line;

	if (detail)
		printf("%s\n", path);
	if (f) {
		derive(f);
		note_of(&note);
	}
	rest = buf_str(&note);
	while (event_cut(&rest, &line))
		if (event_parse(line, &ev))
			look(want, &ev, record_of(f, ev.from), s, detail);
	for (size_t i = 0; i < want->n; i++) {
		const struct mark *m = &want->m[i];

		s[m->kind].found += m->found;
		s[m->kind].missed += !m->found;
		if (detail && !m->found)
			printf("  missed %llu %s\n", (unsigned long long)m->record[0],
			       KIND[m->kind]);
	}
	forget();
	extract_free(x);
	buf_release(&note);
}

/* "12,14 decision" */
static void add_mark(struct marks *s, str records, str kind)
{
	struct mark m = {.kind = str_eq(kind, STR("deadend")) ? DEADEND : DECISION};
	str one;

	while (m.n < RECORDS_MAX && str_split(&records, ',', &one))
		m.n += str_u64(one, &m.record[m.n]);
	if (m.n && s->n < MARKS_MAX)
		s->m[s->n++] = m;
}

/* "generated/x.jsonl" lies in the corpus, "fixtures/x.jsonl" here. False: not to be had. */
static bool place(str name, struct buf *path)
{
	const char *corpus = getenv("HANDOFF_CORPUS");

	buf_reset(path);
	if (!str_starts(name, STR("fixtures/"))) {
		if (!corpus || !*corpus)
			return false;
		buf_printf(path, "%s/", corpus);
	}
	buf_add(path, name);
	return fs_is_file(buf_cstr(path));
}

static void share(const char *what, size_t part, size_t all)
{
	if (all)
		printf("  %s %.3f (%zu of %zu)", what, (double)part / (double)all, part,
		       all);
	else
		printf("  %s: none to measure", what);
}

static void row(const char *name, const struct score *s)
{
	printf("  %-9s", name);
	share("precision", s->right, s->right + s->wrong);
	share("recall", s->found, s->found + s->missed);
	printf("\n");
}

struct labelled {
	struct buf path;
	struct marks want;
	struct score score[SETS][KINDS];
	size_t files[SETS];
	size_t left_out;
	int set;
	bool open, detail;
};

static void finish(struct labelled *l)
{
	if (l->open)
		compare(buf_cstr(&l->path), &l->want, l->score[l->set], l->detail);
	l->want.n = 0;
	l->open = false;
}

static void read_label(struct labelled *l, str line)
{
	str word, rest = line;

	if (!str_word(&rest, &word) || word.p[0] == '#')
		return;
	if (str_eq(word, STR("set"))) {
		finish(l);
		l->set = str_eq(str_trim(rest), STR("held-out")) ? HELD_OUT : SEEN;
	} else if (str_eq(word, STR("session"))) {
		finish(l);
		l->open = place(str_trim(rest), &l->path);
		l->files[l->set] += l->open;
		l->left_out += !l->open;
	} else if (l->open) {
		add_mark(&l->want, word, str_trim(rest));
	}
}

static int labelled(bool detail)
{
	struct labelled l = {.path = BUF_INIT(PATH_MAX), .detail = detail};
	struct buf text = BUF_INIT(1u << 20);
	str rest, line;

	if (fs_read(LABELS, &text, NULL)) {
		fprintf(stderr, "bench_derive: %s cannot be read\n", LABELS);
		return 1;
	}
	rest = buf_str(&text);
	while (str_line(&rest, &line))
		read_label(&l, line);
	finish(&l);
	if (!l.files[SEEN] && !l.files[HELD_OUT])
		printf("precision and recall: nothing to measure, none of the %zu labelled "
		       "sessions is there (HANDOFF_CORPUS)\n",
		       l.left_out);
	for (int i = 0; i < SETS; i++) {
		if (!l.files[i])
			continue;
		printf("%s: %zu sessions\n", SET[i], l.files[i]);
		row("decision", &l.score[i][DECISION]);
		row("deadend", &l.score[i][DEADEND]);
	}
	if (l.left_out && (l.files[SEEN] || l.files[HELD_OUT]))
		printf("%zu labelled sessions are not there\n", l.left_out);
	buf_release(&text);
	buf_release(&l.path);
	return 0;
}

/* ---- what a run costs ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double processor_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int lengthen(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(2 * NOTE_BYTES);

	(void)arg;
	fs_join(&path, str_of(dir), str_of(name));
	for (unsigned i = 0; text.n < NOTE_BYTES; i++)
		buf_printf(
			&text,
			"- **[decision]** (imp:3 \xc2\xb7 2026-02-12T18:30:00+00:00) "
			"Counter %u of the gate stands in a file of its own, since "
			"lorries and trailers are counted apart. <!-- id=ev_%08x -->\n",
			i, i);
	fs_append(buf_cstr(&path), buf_str(&text), NULL);
	buf_release(&path);
	buf_release(&text);
	return 0;
}

/* Processor time of one run that finds nothing new; anew: nothing is remembered. */
static double median_ms(const struct facts *f, bool anew)
{
	struct buf state = BUF_INIT(PATH_MAX);
	double ms[RUNS];

	path_of(&state, "/state");
	for (int i = 0; i < RUNS; i++) {
		double begin;

		if (anew)
			derive_forget(buf_cstr(&state), STR(SESSION), NULL);
		begin = processor_ms();
		derive(f);
		ms[i] = processor_ms() - begin;
	}
	buf_release(&state);
	qsort(ms, RUNS, sizeof(ms[0]), by_value);
	return ms[RUNS / 2];
}

static void cost(void)
{
	static struct fact_prompt prompt[] = {
		{.record = 1, .text = {"Count the lorries at the gate.", 30}}};
	static struct fact_source source[] = {{1, STARTED, {"aaaaaaaa", 8}}};
	struct facts f = {.dir = STR("/p"),
			  .records = 1,
			  .prompt = prompt,
			  .nprompt = 1,
			  .source = source,
			  .nsource = 1};
	struct buf b = BUF_INIT(PATH_MAX);
	double empty, anew, remembered;

	derive(&f);
	empty = median_ms(&f, false);
	path_of(&b, SESSIONS);
	fs_each(buf_cstr(&b), lengthen, NULL, NULL);
	anew = median_ms(&f, true);
	remembered = median_ms(&f, false);
	printf("a run with nothing new: note of 3 MB read %.2f ms, remembered %.2f ms, a "
	       "short note %.2f ms; read / remembered %.1f\n",
	       anew, remembered, empty, remembered > 0 ? anew / remembered : 0);
	forget();
	buf_release(&b);
}

static void clean_up(void)
{
	char rm[] = "rm", rf[] = "-rf";

	execlp(rm, rm, rf, top, (char *)NULL);
}

int main(int argc, char **argv)
{
	bool detail = argc == 2 && strcmp(argv[1], "--detail") == 0;
	int ret;

	if (!mkdtemp(top))
		return 1;
	setenv("HOME", top, 1);
	if (argc == 3 && strcmp(argv[1], "--list") == 0) {
		ret = list(argv[2]);
	} else {
		ret = labelled(detail);
		if (!detail)
			cost();
	}
	fflush(stdout);
	if (!ret)
		clean_up();
	return ret;
}
