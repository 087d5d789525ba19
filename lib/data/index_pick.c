/*
 * The event of one type and project that fits some words best: for who retires it.
 *
 * Each word is followed through the rows that have it, newest first, PICK_ROWS at most. What
 * is found is looked at in the order of what its words say, until nothing better can come:
 * so the cost follows the words, not the vault, and of thousands of rows only some dozen
 * are read. For common words, of which there are more rows: an old event that has all of them
 * is asked for too; and when too little was found, because the newest rows are of other projects
 * or types, they are asked for again in those of this one.
 *
 * The score is BM25 with each word counted once: how often a sentence repeats a word says
 * nothing here. Neighbours do not count either: this event is meant, or another.
 */
#include <math.h>
#include <stdlib.h>

#include "base/oom.h"
#include "data/index_impl.h"

#define PICK_ROWS 1000 /* of a word */
#define PICK_READ 16   /* events that are read and compared */
#define EXPR_MAX  (16u << 10)
#define NORM      0.5
#define LENGTH    16.0 /* words of a usual event */

struct pick_row {
	int64_t row;
	uint32_t terms; /* bits: those known to stand in it */
	double score;   /* what they say; of those that were read: the score */
};

struct pick {
	struct index *ix;
	const struct index_query *q;
	struct index_terms t;
	double idf[INDEX_TERMS_MAX];
	uint32_t common; /* terms that have more rows than were followed */
	int64_t project, rows;
	struct pick_row *row;
	size_t n, cap;
	struct pick_row best[PICK_READ];
	size_t nbest;
	bool enough; /* what was not read is no better */
};

static void add_row(struct pick *p, int64_t row, uint32_t terms)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 1024;
		p->row = realloc(p->row, p->cap * sizeof(*p->row));
		if (!p->row)
			oom();
	}
	p->row[p->n++] = (struct pick_row){.row = row, .terms = terms};
}

/* ---- what is asked of FTS5 ---- */

/* All of the terms. */
static void expression(const struct pick *p, uint32_t terms, struct buf *b)
{
	for (size_t i = 0; i < p->t.n; i++) {
		if (!(terms >> i & 1))
			continue;
		buf_add(b, b->n ? STR(" AND body : ") : STR("body : "));
		index_match_term(b, &p->t.term[i]);
	}
}

/* In rows of the type and the project alone: both are words of a row. */
static void narrow(const struct pick *p, struct buf *b)
{
	struct index_asked type;

	index_asked(p->ix->words, event_type_name((enum event_type)p->q->type), false,
		    &type);
	buf_printf(b, " AND proj : \"%lld\"", (long long)p->project);
	for (size_t i = 0; i < type.n; i++) {
		buf_add(b, STR(" AND extra : "));
		index_match_term(b, &type.word[i].term);
	}
	index_asked_release(&type);
}

/*
 * Each row once, newest first: those from `first` on came newest first, and so did those before them.
 */
static void merge(struct pick *p, size_t first)
{
	size_t n = p->n - first, a = first, b = n, to = p->n;
	struct pick_row *tail;

	if (!first || !n)
		return;
	tail = malloc(n * sizeof(*tail));
	if (!tail)
		oom();
	memcpy(tail, p->row + first, n * sizeof(*tail));
	/* from the end: what is written never reaches what is still to be read */
	while (b) {
		if (a && p->row[a - 1].row < tail[b - 1].row) {
			p->row[--to] = p->row[--a];
		} else if (a && p->row[a - 1].row == tail[b - 1].row) {
			p->row[--to] = p->row[--a];
			p->row[to].terms |= tail[--b].terms;
		} else {
			p->row[--to] = tail[--b];
		}
	}
	free(tail);
	memmove(p->row + a, p->row + to, (p->n - to) * sizeof(*p->row));
	p->n = a + (p->n - to);
}

/* The newest rows that have the terms; how many, or HF_E*. */
static int walk(struct pick *p, uint32_t terms, bool own, struct err *e)
{
	static const char sql[] = "SELECT rowid FROM words WHERE words MATCH ?1 "
				  "ORDER BY rowid DESC LIMIT ?2";
	struct buf b = BUF_INIT(EXPR_MAX);
	sqlite3_stmt *st;
	size_t first = p->n;
	int n = 0, ret = index_stmt(p->ix, sql, &st, e);

	if (!ret) {
		expression(p, terms, &b);
		if (own)
			narrow(p, &b);
		index_bind(st, 1, buf_str(&b));
		sqlite3_bind_int(st, 2, PICK_ROWS);
		for (; (ret = index_step(p->ix, st, e)) > 0; n++)
			add_row(p, sqlite3_column_int64(st, 0), terms);
		sqlite3_reset(st);
		merge(p, first);
	}
	buf_release(&b);
	return ret < 0 ? ret : n;
}

static int collect(struct pick *p, struct err *e)
{
	int ret = index_last_row(p->ix, &p->rows, e);
	uint32_t there = 0;

	for (size_t i = 0; i < p->t.n && !ret; i++) {
		int n = walk(p, UINT32_C(1) << i, false, e);

		if (n == PICK_ROWS)
			p->common |= UINT32_C(1) << i;
		p->idf[i] = p->t.term[i].weight *
			    log(1 + ((double)p->rows + 0.5) / (n + 0.5));
		ret = n < 0 ? n : 0;
		if (n > 0)
			there |= UINT32_C(1) << i;
	}
	for (size_t i = 0; i < p->t.n; i++) /* what is no name here has no parts */
		p->t.term[i].wholes &= there;
	if (!ret && (p->common & (p->common - 1)))
		ret = walk(p, p->common, false, e);
	return ret < 0 ? ret : 0;
}

static int collect_own(struct pick *p, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < p->t.n && ret >= 0; i++)
		if (p->common >> i & 1)
			ret = walk(p, UINT32_C(1) << i, true, e);
	return ret < 0 ? ret : 0;
}

/* ---- what was found ---- */

static int by_row(const struct pick_row *a, const struct pick_row *b)
{
	return a->row > b->row ? -1 : a->row < b->row;
}

static int by_score(const void *pa, const void *pb)
{
	const struct pick_row *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return by_row(a, b);
}

/* What these words say at most, whatever others stand beside them. */
static double worth(const struct pick *p, uint32_t terms)
{
	double sum = 0;

	for (size_t i = 0; i < p->t.n; i++)
		if (terms >> i & 1)
			sum += p->idf[i];
	return sum;
}

/* The same of a text that has no others: parts of a name say less without it. */
static double worth_alone(const struct pick *p, uint32_t terms)
{
	double sum = 0;

	for (size_t i = 0; i < p->t.n; i++)
		if (terms >> i & 1)
			sum += index_apart(&p->t.term[i], terms) * p->idf[i];
	return sum;
}

/* The row at i sinks in the heap of n rows: those whose words say most are on top. */
static void sink(struct pick_row *row, size_t i, size_t n)
{
	struct pick_row r = row[i];

	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && by_score(&row[k + 1], &row[k]) < 0)
			k++;
		if (by_score(&r, &row[k]) <= 0)
			break;
		row[i] = row[k];
	}
	row[i] = r;
}

/* A heap of all rows: of thousands only the first some dozen are wanted in their order. */
static struct pick_row *heap(struct pick *p)
{
	struct pick_row *h = malloc((p->n + 1) * sizeof(*h));

	if (!h)
		oom();
	for (size_t i = 0; i < p->n; i++) {
		h[i] = p->row[i];
		h[i].score = worth(p, h[i].terms);
	}
	for (size_t i = p->n / 2; i--;)
		sink(h, i, p->n);
	return h;
}

/* What one word adds to the score of a text of so many words, as a part of its idf. */
static double part(unsigned length)
{
	return (INDEX_RANK_K1 + 1) /
	       (1 + INDEX_RANK_K1 * (1 - NORM + NORM * length / LENGTH));
}

/* Read a row, if it is an active event of the type and project. */
static int read_row(struct pick *p, int64_t row, struct err *e)
{
	static const char sql[] =
		"SELECT body FROM item WHERE id = ?1 AND project = ?2 AND type = ?3 "
		"AND kind = 0 AND retired = 0";
	unsigned tf[INDEX_TERMS_MAX], length;
	struct pick_row *best = &p->best[p->nbest];
	sqlite3_stmt *st;
	int ret = index_stmt(p->ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, row);
	sqlite3_bind_int64(st, 2, p->project);
	sqlite3_bind_int(st, 3, p->q->type);
	ret = index_step(p->ix, st, e);
	if (ret > 0) {
		*best = (struct pick_row){.row = row};
		length = index_words_count(p->ix->words, index_column(st, 0), p->t.term,
					   p->t.n, tf);
		for (size_t i = 0; i < p->t.n; i++)
			if (tf[i])
				best->terms |= UINT32_C(1) << i;
		best->score = worth_alone(p, best->terms) * part(length);
		p->nbest++;
	}
	sqlite3_reset(st);
	return ret < 0 ? ret : 0;
}

/* Read the best of those that are wanted, until all others are worse. */
static int read_best(struct pick *p, struct err *e)
{
	double common = worth(p, p->common), best = 0;
	struct pick_row *h = heap(p);
	int ret = 0;

	p->nbest = 0;
	for (size_t n = p->n; n && !p->enough && !ret;) {
		ret = read_row(p, h[0].row, e);
		h[0] = h[--n];
		sink(h, 0, n);
		if (p->nbest)
			best = fmax(best, p->best[p->nbest - 1].score);
		p->enough = p->nbest == PICK_READ ||
			    (n && (h[0].score + common) * part(0) < best);
	}
	if (p->nbest)
		qsort(p->best, p->nbest, sizeof(*p->best), by_score);
	free(h);
	return ret;
}

int index_pick(struct index *ix, const struct index_query *q, index_fn *fn, void *arg,
	       struct err *e)
{
	struct pick p = {.ix = ix, .q = q};
	bool mine;
	int ret = index_hold(ix, &mine, e);

	if (!ret)
		ret = index_project_id(ix, q->project, false, &p.project, e);
	if (!ret && p.project)
		ret = index_terms_of(ix, q->text, true, p.project, &p.t, e);
	if (!ret && p.t.n)
		ret = collect(&p, e);
	if (!ret)
		ret = read_best(&p, e);
	if (!ret && p.common && !p.enough) {
		ret = collect_own(&p, e);
		if (!ret)
			ret = read_best(&p, e);
	}
	for (size_t i = 0; i < p.nbest && !ret; i++)
		ret = index_row(ix, p.best[i].row, fn, arg, e);
	index_let_go(ix, mine);
	free(p.row);
	return ret;
}
