/*
 * How many of the decisions and dead ends that extract tells apart are ones, and how many of
 * those that there are it tells, against labels set by hand (fixtures/derive/labels.txt).
 *
 *   HANDOFF_CORPUS=... bench_derive          precision and recall over the labelled sessions
 *   bench_derive --list FILE                 what it tells of one session
 *
 * A label names the record, not the words: one hit for each record and kind, however many of
 * its sentences were taken. Without the corpus only the labelled fixtures are read.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "data/source.h"
#include "work/extract.h"

#define LABELS "fixtures/derive/labels.txt"

struct score {
	size_t hit, wrong, missed;
};

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

static int list(const char *path)
{
	struct extract *x = facts_of(path);
	const struct facts *f;

	if (!x)
		return 1;
	f = extract_facts(x, NULL, CLOCK_NONE);
	for (size_t i = 0; i < f->nverdict; i++) {
		const struct fact_verdict *v = &f->verdict[i];

		printf("%llu %s%s: %.*s\n", (unsigned long long)v->record,
		       v->user ? "user " : "", v->deadend ? "deadend" : "decision",
		       STR_ARG(v->text));
	}
	extract_free(x);
	return 0;
}

#define MARKS_MAX 400

struct mark {
	uint64_t record;
	bool deadend;
};

struct marks {
	struct mark m[MARKS_MAX];
	size_t n;
};

static bool has(const struct marks *s, struct mark m)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->m[i].record == m.record && s->m[i].deadend == m.deadend)
			return true;
	return false;
}

static void add(struct marks *s, struct mark m)
{
	if (s->n < MARKS_MAX && !has(s, m))
		s->m[s->n++] = m;
}

static void compare(const char *path, const struct marks *want, struct score s[2])
{
	struct extract *x = facts_of(path);
	const struct facts *f = x ? extract_facts(x, NULL, CLOCK_NONE) : NULL;
	struct marks got = {.n = 0};

	for (size_t i = 0; f && i < f->nverdict; i++)
		add(&got, (struct mark){f->verdict[i].record, f->verdict[i].deadend});
	for (size_t i = 0; i < got.n; i++) {
		if (has(want, got.m[i]))
			s[got.m[i].deadend].hit++;
		else
			s[got.m[i].deadend].wrong++;
	}
	for (size_t i = 0; i < want->n; i++)
		if (!has(&got, want->m[i]))
			s[want->m[i].deadend].missed++;
	extract_free(x);
}

static double share(size_t part, size_t other)
{
	return part + other ? (double)part / (double)(part + other) : 1;
}

static void row(const char *name, const struct score *s)
{
	printf("%-10s precision %.3f (%zu of %zu)  recall %.3f (%zu of %zu)\n", name,
	       share(s->hit, s->wrong), s->hit, s->hit + s->wrong,
	       share(s->hit, s->missed), s->hit, s->hit + s->missed);
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

int main(int argc, char **argv)
{
	struct buf text = BUF_INIT(1u << 20), path = BUF_INIT(PATH_MAX);
	struct score s[2] = {{0}};
	struct marks want = {.n = 0};
	size_t files = 0, left_out = 0;
	bool open = false;
	str rest, line, word;

	if (argc == 3 && strcmp(argv[1], "--list") == 0)
		return list(argv[2]);
	if (fs_read(LABELS, &text, NULL)) {
		fprintf(stderr, "bench_derive: %s cannot be read\n", LABELS);
		return 1;
	}
	rest = buf_str(&text);
	while (str_line(&rest, &line)) {
		uint64_t record;

		if (!str_word(&line, &word) || word.p[0] == '#')
			continue;
		if (str_eq(word, STR("session"))) {
			if (open)
				compare(buf_cstr(&path), &want, s);
			want.n = 0;
			open = str_word(&line, &word) && place(word, &path);
			files += open;
			left_out += !open;
		} else if (open && str_u64(word, &record) && str_word(&line, &word)) {
			add(&want, (struct mark){record, str_eq(word, STR("deadend"))});
		}
	}
	if (open)
		compare(buf_cstr(&path), &want, s);
	printf("%zu labelled sessions, %zu more are not to be had\n", files, left_out);
	row("decision", &s[0]);
	row("deadend", &s[1]);
	buf_release(&text);
	buf_release(&path);
	return 0;
}
