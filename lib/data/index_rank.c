/*
 * The second pass: what the best rows of the first say, word by word, and what stands beside
 * them. All of it is read again from the text, so nothing but FTS5's postings is stored for it.
 *
 * Score of an item: BM25 over its text (weight 1), the name it begins with (NAME_WEIGHT), what
 * it is and its date (EXTRA_WEIGHT), and the texts of REACH items on each side in its note
 * (SIDE_WEIGHT), as one text: an answer need not repeat the question's words when the line
 * before it does. Then a part of what the best other hits of the note score (NOTE_PART).
 * Weights and their effects: docs/search.md.
 */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "data/index_impl.h"

#define HEAD_ROWS   64    /* best rows of the first pass that are read */
#define WALK_ROWS   20000 /* rows looked at to find them, where a filter refuses many */
#define REACH       2
#define DOCS_MAX    (HEAD_ROWS * (2 * REACH + 1))
#define ARENA_BYTES (1u << 20)
#define CHUNK       256
#define OTHERS      3 /* best other hits of a note */

#define NAME_WEIGHT  3.0
#define EXTRA_WEIGHT 0.5
#define BESIDE_TERMS                                                                     \
	2 /* words beside an item that has none of its own, for it to be a hit */
#define SIDE_WEIGHT  0.25
#define NOTE_PART    0.1
#define NORM         0.5
#define EXTRA_LENGTH 5.0 /* words that name and date add to a text */

struct doc {
	int64_t row, file, at_us;
	int pos, importance;
	str id;
	bool wanted; /* passes the filters of the query */
	bool scored;
	float *tf; /* own words, name and extra weighted; then words of the text alone */
	double length, score, boosted;
	uint32_t there; /* bits: the terms that it has itself */
};

struct rank {
	struct index *ix;
	struct index_match *m;
	struct arena arena;
	struct doc doc[DOCS_MAX];
	size_t n;
	struct err *e;
};

/* ---- order of the first pass ---- */

static int by_score(const void *pa, const void *pb)
{
	const struct index_match_row *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->row > b->row ? -1 : a->row < b->row;
}

static void swap(struct index_match_row *a, struct index_match_row *b)
{
	struct index_match_row t = *a;

	*a = *b;
	*b = t;
}

/* Put the best k of n rows in front (Hoare's selection). */
static void select_best(struct index_match_row *r, size_t n, size_t k)
{
	while (n > k && n > 1) {
		struct index_match_row pivot = r[n / 2];
		size_t i = 0, j = n - 1;

		for (;;) {
			while (by_score(&r[i], &pivot) < 0)
				i++;
			while (by_score(&r[j], &pivot) > 0)
				j--;
			if (i >= j)
				break;
			swap(&r[i++], &r[j--]);
		}
		/* r[0..j] are not worse than the rest */
		if (j + 1 == n) {
			n--; /* the pivot, worst of all, came last */
		} else if (j + 1 >= k) {
			n = j + 1;
		} else {
			k -= j + 1;
			r += j + 1;
			n -= j + 1;
		}
	}
}

/* Rows up to `upto` (clamped) stand in their order. */
static void sort_upto(struct index_match *m, size_t upto)
{
	while (m->sorted < m->n && m->sorted < upto) {
		size_t left = m->n - m->sorted, k = m->sorted < CHUNK ? CHUNK : m->sorted;

		if (k > left)
			k = left;
		select_best(m->row + m->sorted, left, k);
		qsort(m->row + m->sorted, k, sizeof(*m->row), by_score);
		m->sorted += k;
	}
}

/* ---- reading ---- */

static bool wanted(const struct index_query *q, const struct index_item *it)
{
	if (it->retired && !q->retired_too)
		return false;
	if (q->kinds && !(q->kinds & 1u << it->kind))
		return false;
	if (q->type >= 0 && (it->kind != INDEX_EVENT || (int)it->type != q->type))
		return false;
	if (q->project.n && !str_eq(q->project, it->project))
		return false;
	if ((q->since_us || q->until_us) && !it->at_us)
		return false;
	if (q->since_us && it->at_us < q->since_us)
		return false;
	return !q->until_us || it->at_us < q->until_us;
}

static struct doc *find(struct rank *r, int64_t row)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->doc[i].row == row)
			return &r->doc[i];
	return NULL;
}

static void count(struct rank *r, const struct index_item *it, struct doc *d)
{
	struct index_match *m = r->m;
	struct buf extra = BUF_INIT(4096);
	size_t head = it->kind == INDEX_EVENT ? index_words_name(it->body) : 0;
	unsigned tf[INDEX_TERMS_MAX];

	d->tf = arena_new(&r->arena, float, m->t.n * 2);
	if (!d->tf)
		return;
	index_words_count(r->ix->words, str_head(it->body, head), m->t.term, m->t.n, tf);
	for (size_t i = 0; i < m->t.n; i++)
		d->tf[i] = (float)(NAME_WEIGHT * tf[i]);
	d->length = index_words_count(r->ix->words, str_from(it->body, head), m->t.term,
				      m->t.n, tf);
	for (size_t i = 0; i < m->t.n; i++) {
		d->tf[i] += (float)tf[i];
		d->tf[m->t.n + i] = (float)tf[i];
	}
	index_extra(&extra, it->kind, (int)it->type, it->at_us, it->name);
	index_words_count(r->ix->words, buf_str(&extra), m->t.term, m->t.n, tf);
	for (size_t i = 0; i < m->t.n; i++) {
		d->tf[i] += (float)(EXTRA_WEIGHT * tf[i]);
		if (d->tf[i] > 0)
			d->there |= UINT32_C(1) << i;
	}
	buf_release(&extra);
}

static int on_item(const struct index_item *it, void *arg)
{
	struct rank *r = arg;
	struct doc *d = find(r, it->row);

	if (d || r->n == DOCS_MAX)
		return 0;
	d = &r->doc[r->n];
	*d = (struct doc){.row = it->row,
			  .file = it->file,
			  .at_us = it->at_us,
			  .pos = it->pos,
			  .importance = it->importance,
			  .id = arena_str(&r->arena, it->id),
			  .wanted = wanted(r->m->q, it)};
	count(r, it, d);
	if (d->tf)
		r->n++;
	return 0;
}

struct place {
	const struct index_query *q;
	int64_t file;
	int pos;
	bool wanted;
};

static int on_place(const struct index_item *it, void *arg)
{
	struct place *p = arg;

	p->file = it->file;
	p->pos = it->pos;
	p->wanted = wanted(p->q, it);
	return 0;
}

/* Read the best rows that the query wants, and their neighbours. */
static int read_head(struct rank *r)
{
	struct index_match *m = r->m;
	size_t got = 0;
	int ret = 0;

	for (size_t i = 0; i < m->n && i < WALK_ROWS && got < HEAD_ROWS && !ret; i++) {
		struct place p = {.q = m->q};

		sort_upto(m, i + 1);
		ret = index_row(r->ix, m->row[i].row, on_place, &p, r->e);
		if (ret ==
		    HF_ENOTFOUND) /* the words outlived their item: nothing to show */
			ret = 0;
		if (ret || !p.wanted)
			continue;
		got++;
		ret = index_span(r->ix, p.file, p.pos - REACH, p.pos + REACH, on_item, r,
				 r->e);
	}
	return ret;
}

/* ---- scoring ---- */

static int by_place(const void *pa, const void *pb)
{
	const struct doc *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static const struct doc *beside(const struct rank *r, size_t i, int by)
{
	const struct doc *d = &r->doc[i];

	for (size_t k = i; by < 0 ? k-- > 0 : ++k < r->n;) {
		if (r->doc[k].file != d->file || abs(r->doc[k].pos - d->pos) > REACH)
			return NULL;
		if (r->doc[k].pos == d->pos + by)
			return &r->doc[k];
	}
	return NULL;
}

/* Frequencies of the words in an item and beside it; false when too few are there. The parts of a name are one thing: what stands beside it is not meant. */
static bool gather(const struct rank *r, size_t i, double *tf, double *length)
{
	const struct doc *d = &r->doc[i];
	size_t n = r->m->t.n, own = 0, all = 0;

	*length = d->length + EXTRA_LENGTH;
	for (size_t t = 0; t < n; t++) {
		tf[t] = d->tf[t];
		own += tf[t] > 0;
	}
	for (int by = -REACH; by <= REACH; by++) {
		const struct doc *o = by ? beside(r, i, by) : NULL;

		if (!o)
			continue;
		*length += o->length;
		for (size_t t = 0; t < n; t++)
			tf[t] += SIDE_WEIGHT * o->tf[n + t];
	}
	for (size_t t = 0; t < n; t++)
		all += tf[t] > 0;
	return own || (r->m->t.name < 0 && all >= BESIDE_TERMS);
}

static void score(struct rank *r, size_t i)
{
	const struct index_match *m = r->m;
	double average = m->average * (2 * REACH + 1) + EXTRA_LENGTH, length, norm;
	double tf[INDEX_TERMS_MAX];

	r->doc[i].score = 0;
	if (!gather(r, i, tf, &length))
		return;
	norm = INDEX_RANK_K1 * (1 - NORM + NORM * length / average);
	for (size_t t = 0; t < m->t.n; t++)
		if (tf[t] > 0)
			r->doc[i].score += index_apart(&m->t.term[t], r->doc[i].there) *
					   m->idf[t] * tf[t] * (INDEX_RANK_K1 + 1) /
					   (tf[t] + norm);
}

/* A part of the best other hits of the same note. */
static double others(const struct rank *r, size_t first, size_t end, size_t i)
{
	double best[OTHERS] = {0}, sum = 0;

	for (size_t k = first; k < end; k++) {
		double s = r->doc[k].score;

		if (k == i || !r->doc[k].wanted)
			continue;
		for (size_t b = 0; b < OTHERS; b++)
			if (s > best[b]) {
				double t = best[b];

				best[b] = s;
				s = t;
			}
	}
	for (size_t b = 0; b < OTHERS; b++)
		sum += best[b];
	return sum;
}

static int by_rank(const void *pa, const void *pb)
{
	const struct doc *a = pa, *b = pb;

	if (a->boosted != b->boosted)
		return a->boosted > b->boosted ? -1 : 1;
	if (a->at_us != b->at_us)
		return a->at_us > b->at_us ? -1 : 1;
	if (a->importance != b->importance)
		return a->importance > b->importance ? -1 : 1;
	return str_cmp(a->id, b->id);
}

/* The question is one name, and this has it whole. */
static bool exact(const struct rank *r, const struct doc *d)
{
	return r->m->t.name >= 0 && d->there >> r->m->t.name & 1;
}

/* Those that have the name above all that have its parts alone. */
static void lift_exact(struct rank *r)
{
	double top = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!exact(r, &r->doc[i]))
			top = fmax(top, r->doc[i].boosted);
	for (size_t i = 0; i < r->n; i++)
		if (exact(r, &r->doc[i]))
			r->doc[i].boosted += top;
}

static void score_all(struct rank *r)
{
	size_t end;

	qsort(r->doc, r->n, sizeof(*r->doc), by_place);
	for (size_t i = 0; i < r->n; i++)
		score(r, i);
	for (size_t first = 0; first < r->n; first = end) {
		for (end = first; end < r->n && r->doc[end].file == r->doc[first].file;
		     end++)
			;
		for (size_t i = first; i < end; i++)
			r->doc[i].boosted =
				r->doc[i].score + NOTE_PART * others(r, first, end, i);
	}
	lift_exact(r);
	qsort(r->doc, r->n, sizeof(*r->doc), by_rank);
}

/* ---- giving ---- */

struct give {
	const struct index_query *q;
	int (*fn)(const struct index_item *it, double score, void *arg);
	void *arg;
	double score;
	size_t skip, left;
	bool named; /* its id was asked for: retired or not */
};

static int on_give(const struct index_item *it, void *arg)
{
	struct give *g = arg;
	struct index_query q = *g->q;

	q.retired_too = q.retired_too || g->named;
	if (!wanted(&q, it))
		return 0;
	if (g->skip) {
		g->skip--;
		return 0;
	}
	g->left--;
	return g->fn(it, g->score, g->arg);
}

static int give_row(struct rank *r, struct give *g, int64_t row, double score)
{
	int ret;

	g->score = score;
	ret = index_row(r->ix, row, on_give, g, r->e);
	return ret == HF_ENOTFOUND ? 0 : ret;
}

static bool is_named(const struct index_match *m, int64_t row)
{
	for (size_t i = 0; i < m->nnamed; i++)
		if (m->named[i] == row)
			return true;
	return false;
}

static int give_named(struct rank *r, struct give *g)
{
	double top = r->n ? fmax(r->doc[0].boosted, 1) : 1;
	int ret = 0;

	g->named = true;
	for (size_t i = 0; i < r->m->nnamed && g->left && !ret; i++)
		ret = give_row(r, g, r->m->named[i], top);
	g->named = false;
	return ret;
}

/* First what was read, then what the first pass found beyond it, in its order; *low: the score of the last one. */
static int give_some(struct rank *r, struct give *g, bool with_name, double *low)
{
	struct index_match *m = r->m;
	int ret = 0;

	for (size_t i = 0; i < r->n && g->left && !ret; i++) {
		const struct doc *d = &r->doc[i];

		if (!d->wanted || d->score <= 0 || is_named(m, d->row) ||
		    exact(r, d) != with_name)
			continue;
		*low = d->boosted;
		ret = give_row(r, g, d->row, *low);
	}
	for (size_t i = 0; i < m->n && g->left && !ret; i++) {
		bool has_name;

		sort_upto(m, i + 1);
		has_name = m->row[i].score >= INDEX_NAME_BONUS;
		if (with_name && !has_name)
			break; /* the rest has none */
		if (has_name == with_name && !find(r, m->row[i].row) &&
		    !is_named(m, m->row[i].row))
			ret = give_row(r, g, m->row[i].row, fmin(*low, m->row[i].score));
	}
	return ret;
}

/* What was named, then what has the name that was asked for, then the rest. */
static int give_all(struct rank *r, struct give *g)
{
	double low = 0;
	int ret = give_named(r, g);

	if (!ret && r->m->t.name >= 0)
		ret = give_some(r, g, true, &low);
	if (!ret)
		ret = give_some(r, g, false, &low);
	return ret;
}

int index_rank(struct index *ix, struct index_match *m,
	       int (*fn)(const struct index_item *it, double score, void *arg), void *arg,
	       struct err *e)
{
	struct rank r = {.ix = ix, .m = m, .e = e};
	struct give g = {.q = m->q,
			 .fn = fn,
			 .arg = arg,
			 .skip = m->q->offset,
			 .left = m->q->limit};
	int ret;

	arena_init(&r.arena, ARENA_BYTES);
	ret = read_head(&r);
	if (!ret) {
		score_all(&r);
		ret = give_all(&r, &g);
	}
	arena_release(&r.arena);
	return ret;
}
