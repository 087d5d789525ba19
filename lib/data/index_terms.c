/*
 * The words that a question is followed by: all of them, or of more than INDEX_TERMS_MAX those that
 * say most, which are the rarest that occur at all.
 *
 * How rare a word is, is counted in rounds: all words up to a few rows, those that have more up to
 * some more, until enough are known to be rarer than the rest. Rows are counted, not time, so that
 * the same index and question give the same words; once WORK rows were looked at, the words that
 * are still open count as equally common, and the first of them are taken. Words that do not
 * occur in the project are worth nothing, however rare they are elsewhere.
 */
#include <stdlib.h>

#include "base/oom.h"
#include "data/index_impl.h"

#define WORK      400000 /* rows that may be looked at */
#define WORK_EACH 50     /* what asking for a word costs, in rows */
#define EXPR_MAX  4096

static const int ROUND[] = {16, 256, 4096};
#define ROUNDS (sizeof(ROUND) / sizeof(*ROUND))

/* ---- expressions ---- */

void index_match_term(struct buf *b, const struct index_term *t)
{
	buf_byte(b, '"');
	for (size_t i = 0; i < t->n; i++) {
		if (t->word[i] == '"')
			buf_byte(b, '"');
		buf_byte(b, t->word[i]);
	}
	buf_byte(b, '"');
	if (t->prefix)
		buf_byte(b, '*');
}

/* The column proj holds numbers alone: only a number has to be kept out of it, which costs a copy of each place. */
static bool may_be_project(const struct index_term *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!str_is_digit(t->word[i]))
			return false;
	return true;
}

void index_terms_word(struct buf *b, const struct index_term *t)
{
	if (may_be_project(t))
		buf_add(b, STR("{body extra} : "));
	index_match_term(b, t);
}

int index_probe(struct index *ix, str match, int64_t first, int64_t last, int max,
		int *hits, int64_t *seen, struct err *e)
{
	static const char sql[] = "SELECT rowid FROM words WHERE words MATCH ?1 AND "
				  "rowid BETWEEN ?2 AND ?3 ORDER BY rowid LIMIT ?4";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*hits = 0;
	*seen = last;
	if (ret)
		return ret;
	index_bind(st, 1, match);
	sqlite3_bind_int64(st, 2, first);
	sqlite3_bind_int64(st, 3, last);
	sqlite3_bind_int(st, 4, max);
	while ((ret = index_step(ix, st, e)) > 0) {
		++*hits;
		*seen = sqlite3_column_int64(st, 0);
	}
	sqlite3_reset(st);
	if (*hits < max)
		*seen = last;
	return ret;
}

/* ---- which words are rare ---- */

struct rare {
	uint16_t word;
	int rows;  /* in which it occurs, as far as they were counted */
	bool open; /* there are more */
};

struct choice {
	struct index *ix;
	const struct index_asked *a;
	int64_t project, last;
	struct rare *rare;
	size_t n;
	int64_t work;
	struct err *e;
};

static int by_rows(const void *pa, const void *pb)
{
	const struct rare *a = pa, *b = pb;

	if (a->open != b->open)
		return a->open ? 1 : -1;
	if (a->rows != b->rows)
		return a->rows < b->rows ? -1 : 1;
	return a->word < b->word ? -1 : a->word > b->word;
}

static int by_place(const void *pa, const void *pb)
{
	const struct rare *a = pa, *b = pb;

	return a->word < b->word ? -1 : a->word > b->word;
}

/* Count the rows of a word up to max. */
static int count(struct choice *c, struct rare *r, int max)
{
	struct buf b = BUF_INIT(EXPR_MAX);
	int64_t seen;
	int ret;

	buf_byte(&b, '(');
	index_terms_word(&b, &c->a->word[r->word].term);
	buf_byte(&b, ')');
	if (c->project)
		buf_printf(&b, " AND proj : \"%lld\"", (long long)c->project);
	ret = index_probe(c->ix, buf_str(&b), 0, c->last, max, &r->rows, &seen, c->e);
	r->open = r->rows == max;
	c->work += r->rows + WORK_EACH;
	buf_release(&b);
	return ret;
}

/* Forget the words that do not occur; *known: how many are known to be rarer than the rest. */
static void settle(struct choice *c, size_t *known)
{
	size_t n = 0;

	*known = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (!c->rare[i].rows)
			continue;
		*known += !c->rare[i].open;
		c->rare[n++] = c->rare[i];
	}
	c->n = n;
}

static int count_all(struct choice *c)
{
	size_t known = 0;
	int ret = 0;

	for (size_t k = 0; k < ROUNDS && known < INDEX_TERMS_MAX; k++) {
		for (size_t i = 0; i < c->n && !ret && c->work < WORK; i++)
			if (c->rare[i].open)
				ret = count(c, &c->rare[i], ROUND[k]);
		if (ret)
			return ret;
		settle(c, &known);
	}
	return 0;
}

/* The rarest words, in the order of the question. */
static int choose(struct choice *c)
{
	int ret;

	c->rare = malloc(c->a->n * sizeof(*c->rare));
	if (!c->rare)
		oom();
	for (c->n = 0; c->n < c->a->n; c->n++)
		c->rare[c->n] = (struct rare){(uint16_t)c->n, 1, true};
	ret = index_last_row(c->ix, &c->last, c->e);
	if (!ret)
		ret = count_all(c);
	qsort(c->rare, c->n, sizeof(*c->rare), by_rows);
	if (c->n > INDEX_TERMS_MAX)
		c->n = INDEX_TERMS_MAX;
	qsort(c->rare, c->n, sizeof(*c->rare), by_place);
	return ret;
}

/* ---- the terms ---- */

static void add(struct index_terms *t, const struct index_asked *a, size_t word,
		unsigned char place[INDEX_ASKED_MAX])
{
	place[word] = (unsigned char)(t->n + 1);
	t->term[t->n++] = a->word[word].term;
}

/*
 * Parts know the name that they stand for, where that is what was asked for: in a question of
 * bare words, or in quotes. In a sentence a name is rather what it is about, and its parts are
 * worth as much as other words (docs/search.md).
 */
static void link_names(struct index_terms *t, const struct index_asked *a,
		       const unsigned char place[INDEX_ASKED_MAX])
{
	for (size_t i = 0; i < a->n; i++) {
		const struct index_asked_word *w = &a->word[i];

		if (!place[i] || w->alone > 0)
			continue;
		for (size_t k = 0; k < w->nwhole; k++)
			if (place[w->whole[k]] &&
			    (!a->sentence || a->word[w->whole[k]].quoted))
				t->term[place[i] - 1].wholes |=
					UINT32_C(1) << (place[w->whole[k]] - 1);
	}
	if (a->name >= 0 && place[a->name])
		t->name = place[a->name] - 1;
}

int index_terms_of(struct index *ix, str text, bool words_only, int64_t project,
		   struct index_terms *t, struct err *e)
{
	unsigned char place[INDEX_ASKED_MAX] = {0}; /* of each word: its term and 1 */
	struct index_asked a;
	struct choice c = {.ix = ix, .a = &a, .project = project, .e = e};
	int ret = 0;

	*t = (struct index_terms){.name = -1};
	index_asked(ix->words, text, words_only, &a);
	t->asked = a.n;
	if (a.n <= INDEX_TERMS_MAX) {
		for (size_t i = 0; i < a.n; i++)
			add(t, &a, i, place);
	} else {
		ret = choose(&c);
		for (size_t i = 0; i < c.n && !ret; i++)
			add(t, &a, c.rare[i].word, place);
	}
	link_names(t, &a, place);
	free(c.rare);
	index_asked_release(&a);
	return ret;
}

int index_content_words(struct index *ix, str project, str text,
			int (*fn)(str token, void *arg), void *arg, struct err *e)
{
	struct index_terms t;
	int64_t id = 0;
	int ret;

	if (!ix->words)
		return 0;
	ret = index_project_id(ix, project, false, &id, e);
	if (!ret)
		ret = index_terms_of(ix, text, true, id, &t, e);
	for (size_t i = 0; !ret && i < t.n; i++)
		ret = fn((str){t.term[i].stem, t.term[i].nstem}, arg);
	return ret;
}
