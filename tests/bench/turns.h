/*
 * turns: texts as people write them, for benchmarks of search.
 *
 *   turns_load();
 *   turns_text(&b, &rng, n);             6 to 22 words, a seventh of them names of code
 *   n = turns_question(&b, text, &rng);  2 to 5 words of it; n < 2: it has not enough
 *   turns_unload();
 *
 * The words come from the conversations in HANDOFF_BENCH (as in bench_retrieval) where they are
 * there, else they are made up: few are frequent.
 */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/fs.h"
#include "bench.h"
#include "data/jsondoc.h"

#define TURNS_MAX   8192
#define TURNS_WORDS 64

static struct arena turns_words;
static struct turns_turn {
	str word[TURNS_WORDS];
	uint32_t n;
} * turns_turn;
static uint32_t turns_n;

static inline double turns_chance(uint64_t *rng)
{
	return bench_rnd(rng, 1u << 30) / (double)(1u << 30);
}

static inline void turns_add(str text)
{
	struct turns_turn *t = &turns_turn[turns_n];
	str w;

	t->n = 0;
	while (t->n < TURNS_WORDS && str_word(&text, &w)) {
		while (w.n && !str_is_alnum(w.p[w.n - 1]))
			w.n--;
		while (w.n && !str_is_alnum(w.p[0]))
			w = str_from(w, 1);
		if (w.n)
			t->word[t->n++] = arena_str(&turns_words, w);
	}
	if (t->n >= 6)
		turns_n++;
}

static inline bool turns_read(const char *dir)
{
	struct buf path = BUF_INIT(4096), text = BUF_INIT(64u << 20);
	str rest, line;
	bool ok;

	ok = bench_data(dir, &path);
	buf_add(&path, STR("/locomo.corpus.jsonl"));
	ok = ok && fs_read(buf_cstr(&path), &text, NULL) == 0;
	rest = buf_str(&text);
	while (ok && turns_n < TURNS_MAX && str_line(&rest, &line)) {
		struct jsondoc *d = jsondoc_parse(line, 1u << 20, NULL);

		if (d)
			turns_add(jsondoc_str(jsondoc_get(jsondoc_root(d), "text")));
		jsondoc_free(d);
	}
	buf_release(&path);
	buf_release(&text);
	return turns_n > 0;
}

static inline void turns_make(void)
{
	uint64_t rng = 5;

	while (turns_n < 4096) {
		struct buf b = BUF_INIT(4096);

		for (uint32_t n = 8 + bench_rnd(&rng, 24); n; n--) {
			uint32_t w = bench_rnd(
				&rng, bench_rnd(&rng, bench_rnd(&rng, 6000) + 1) + 1);

			buf_printf(&b, "%c%c%x ", (char)('a' + w % 26),
				   (char)('a' + w / 26 % 26), w);
		}
		turns_add(buf_str(&b));
		buf_release(&b);
	}
}

static inline void turns_add_name(struct buf *b, uint64_t *rng, uint32_t n)
{
	static const char *const ext[] = {"c", "h", "py", "md", "sql", "json", "ts"};
	double u = turns_chance(rng);
	uint32_t i = (uint32_t)((pow(n, 0.75) + 50) * u * u);

	switch (i % 4) {
	case 0:
		buf_printf(b, "mod%u_%s", i, i % 8 ? "init" : "free");
		break;
	case 1:
		buf_printf(b, "file%u.%s", i, ext[i % 7]);
		break;
	default:
		buf_printf(b, i % 4 == 2 ? "E%u" : "svc%u", i);
	}
}

static inline void turns_text(struct buf *b, uint64_t *rng, uint32_t n)
{
	const struct turns_turn *t = &turns_turn[bench_rnd(rng, turns_n)];
	uint32_t k = 6 + bench_rnd(rng, 17), from;

	if (k > t->n)
		k = t->n;
	from = bench_rnd(rng, t->n - k + 1);
	for (uint32_t i = 0; i < k; i++) {
		if (i)
			buf_byte(b, ' ');
		if (turns_chance(rng) < .15)
			turns_add_name(b, rng, n);
		else
			buf_add(b, t->word[from + i]);
	}
}

/* Words of a text that are longer than three letters. */
static inline uint32_t turns_question(struct buf *b, str text, uint64_t *rng)
{
	uint32_t want = 2 + bench_rnd(rng, 4), n = 0;
	str w;

	while (n < want && str_word(&text, &w)) {
		if (w.n < 4 || bench_rnd(rng, 3) == 0)
			continue;
		buf_printf(b, "%s%.*s", n++ ? " " : "", STR_ARG(w));
	}
	return n;
}

static inline void turns_load(void)
{
	const char *dir = getenv("HANDOFF_BENCH");

	arena_init(&turns_words, 64u << 20);
	turns_turn = calloc(TURNS_MAX, sizeof(*turns_turn));
	if (!turns_turn)
		bench_die("turns");
	if (!turns_read(dir))
		turns_make();
}

static inline void turns_unload(void)
{
	free(turns_turn);
	arena_release(&turns_words);
}

#endif
