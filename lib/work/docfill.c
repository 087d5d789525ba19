#include "work/docfill.h"

#include <stdlib.h>

#include "base/oom.h"
#include "work/prose.h"

/* Bytes added to every cost, so that very short units do not win by their length alone. */
#define COST_FLOOR 25

/* Shares of the budget kept for a block, in thousandths, taken in this order. */
static const struct {
	enum doc_block block;
	int64_t share;
} reserves[] = {
	{DOC_B_HAZARD, 80}, {DOC_B_PROMPT, 140}, {DOC_B_NEXT, 50},    {DOC_B_LAST, 100},
	{DOC_B_SENT, 140},  {DOC_B_ERROR, 80},   {DOC_B_EDIT, 70},    {DOC_B_FILE, 65},
	{DOC_B_ANSWER, 50}, {DOC_B_DONE, 50},    {DOC_B_COMMAND, 50}, {DOC_B_VERIFY, 30},
};

struct doc_word {
	str text;
	uint32_t id;
};

struct entry {
	double key;
	struct doc_unit *u;
	uint32_t version;
};

struct fill {
	struct doc *d;
	struct entry *heap;
	size_t n, cap;
	bool *seen; /* by token id */
	int64_t room;
	int64_t used[DOC_BLOCKS];
};

/* ---- tokens ---- */

static void words_grow(struct doc *d)
{
	size_t cap = d->word_cap ? d->word_cap * 2 : 4096, i;
	struct doc_word *w = calloc(cap, sizeof(*w));

	if (!w)
		oom();
	for (i = 0; i < d->word_cap; i++) {
		size_t k;

		if (!d->word[i].text.p)
			continue;
		k = str_hash(d->word[i].text) & (cap - 1);
		while (w[k].text.p)
			k = (k + 1) & (cap - 1);
		w[k] = d->word[i];
	}
	free(d->word);
	d->word = w;
	d->word_cap = cap;
}

static uint32_t intern(struct doc *d, str text)
{
	size_t k;

	if (d->nids * 2 >= d->word_cap)
		words_grow(d);
	k = str_hash(text) & (d->word_cap - 1);
	while (d->word[k].text.p) {
		if (str_eq(d->word[k].text, text))
			return d->word[k].id;
		k = (k + 1) & (d->word_cap - 1);
	}
	d->word[k] = (struct doc_word){text, d->nids++};
	return d->word[k].id;
}

static double kind_gain(enum prose_kind kind)
{
	switch (kind) {
	case PROSE_PATH:
		return 0.8;
	case PROSE_IDENT:
		return 0.35;
	case PROSE_TICKED:
		return 0.5;
	case PROSE_NUMBER:
		return 0.1;
	}
	return 0;
}

static void token_add(struct doc *d, struct doc_unit *u, const struct prose_token *t)
{
	double w = doc_weight(d, t->text);

	if (d->ntokens == d->cap_tokens) {
		uint32_t cap = d->cap_tokens ? d->cap_tokens * 2 : 4096;
		struct doc_token *grown = realloc(d->token, cap * sizeof(*grown));

		if (!grown)
			oom();
		d->token = grown;
		d->cap_tokens = cap;
	}
	d->token[d->ntokens++] = (struct doc_token){
		intern(d, t->text),
		(float)(kind_gain(t->kind) * (1 + (w < 10 ? w : 10) * 0.2)),
	};
	u->ntokens++;
}

void docfill_tokens(struct doc *d)
{
	struct doc_line *l;
	struct doc_unit *u;

	d->ntokens = 0;
	for (l = d->first; l; l = l->next) {
		for (u = l->first; u; u = u->next) {
			struct prose_token t;
			size_t it = 0;
			bool tick = false;

			u->token = d->ntokens;
			u->ntokens = 0;
			while (prose_token(u->text, &it, &tick, &t))
				token_add(d, u, &t);
		}
	}
}

/* ---- keys ---- */

static int64_t digits(uint64_t n)
{
	int64_t k = 1;

	while (n >= 10) {
		n /= 10;
		k++;
	}
	return k;
}

/* What the unit adds to the document now, in quarter tokens. */
static int64_t cost_of(const struct doc *d, const struct doc_unit *u)
{
	const struct doc_line *l = u->line;
	int64_t cost = u->cost;

	if (!l->nin)
		cost += doc_cost(l->prefix) + doc_cost(l->suffix) + 1 +
			(l->quote ? 2 + 4 : 0) + (l->numbered ? 3 : 0);
	if (d->costly && u->record)
		cost += digits(u->record) + (l->nin ? 1 : 9);
	return cost;
}

static double novelty(const struct fill *f, const struct doc_unit *u)
{
	double sum = 0;
	uint32_t i;

	for (i = u->token; i < u->token + u->ntokens; i++)
		if (!f->seen[f->d->token[i].id])
			sum += (double)f->d->token[i].gain;
	return sum;
}

static double key_of(const struct fill *f, const struct doc_unit *u)
{
	return (u->value + novelty(f, u)) / (double)(cost_of(f->d, u) + COST_FLOOR);
}

/* ---- heap, the greatest key on top ---- */

static bool before(const struct entry *a, const struct entry *b)
{
	if (a->key != b->key)
		return a->key > b->key;
	return a->u->seq < b->u->seq;
}

static void heap_up(struct fill *f, size_t i)
{
	while (i && before(&f->heap[i], &f->heap[(i - 1) / 2])) {
		struct entry t = f->heap[i];

		f->heap[i] = f->heap[(i - 1) / 2];
		f->heap[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
}

static void heap_down(struct fill *f, size_t i)
{
	for (;;) {
		size_t best = i, c = 2 * i + 1;
		struct entry t;

		if (c < f->n && before(&f->heap[c], &f->heap[best]))
			best = c;
		if (c + 1 < f->n && before(&f->heap[c + 1], &f->heap[best]))
			best = c + 1;
		if (best == i)
			return;
		t = f->heap[i];
		f->heap[i] = f->heap[best];
		f->heap[best] = t;
		i = best;
	}
}

static void heap_push(struct fill *f, struct doc_unit *u)
{
	if (u->in || u->out ||
	    (u->line->lead && u != u->line->first && !u->line->first->in))
		return;
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 1024;
		struct entry *grown = realloc(f->heap, cap * sizeof(*grown));

		if (!grown)
			oom();
		f->heap = grown;
		f->cap = cap;
	}
	f->heap[f->n] = (struct entry){key_of(f, u), u, ++u->version};
	heap_up(f, f->n++);
}

static struct entry heap_pop(struct fill *f)
{
	struct entry top = f->heap[0];

	f->heap[0] = f->heap[--f->n];
	heap_down(f, 0);
	return top;
}

/* ---- filling ---- */

static void take(struct fill *f, struct doc_unit *u)
{
	int64_t cost = cost_of(f->d, u);
	uint32_t i;

	u->in = true;
	u->line->nin++;
	f->room -= cost;
	f->used[u->line->block] += cost;
	for (i = u->token; i < u->token + u->ntokens; i++)
		f->seen[f->d->token[i].id] = true;
}

#define ALL_BLOCKS (-1)

static void fill_block(struct fill *f, int block, int64_t limit)
{
	struct doc_line *l;
	struct doc_unit *u;

	f->n = 0;
	for (l = f->d->first; l; l = l->next)
		if (block == ALL_BLOCKS || (int)l->block == block)
			for (u = l->first; u; u = u->next)
				heap_push(f, u);
	while (f->n) {
		struct entry e = heap_pop(f);
		int64_t cost;
		bool first;

		u = e.u;
		if (u->in || e.version != u->version)
			continue;
		if (key_of(f, u) < e.key) {
			heap_push(f, u);
			continue;
		}
		cost = cost_of(f->d, u);
		/* what does not fit now fits later only if its line gets a first unit: it is pushed again then */
		if (cost > f->room ||
		    (block != ALL_BLOCKS && f->used[block] + cost > limit))
			continue;
		first = u->line->nin == 0;
		take(f, u);
		if (!first)
			continue;
		for (u = u->line->first; u; u = u->next)
			heap_push(f, u);
	}
}

static bool is_stated(const struct doc_unit *u)
{
	return u->must && u->line->block == DOC_B_STATED;
}

static int by_value(const void *x, const void *y)
{
	const struct doc_unit *a = *(struct doc_unit *const *)x,
			      *b = *(struct doc_unit *const *)y;

	if (is_stated(a) != is_stated(b))
		return is_stated(a) ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void fill_musts(struct fill *f)
{
	struct doc_unit **must = malloc((f->d->nunits + 1) * sizeof(struct doc_unit *)),
			*u;
	struct doc_line *l;
	size_t n = 0, i;

	if (!must)
		oom();
	for (l = f->d->first; l; l = l->next)
		for (u = l->first; u; u = u->next)
			if (u->must && !u->out)
				must[n++] = u;
	qsort(must, n, sizeof(must[0]), by_value);
	for (i = 0; i < n; i++)
		if (is_stated(must[i]) || cost_of(f->d, must[i]) <= f->room)
			take(f, must[i]);
	free(must);
}

int64_t docfill_run(struct doc *d, int64_t room, int64_t budget)
{
	struct fill f = {.d = d, .room = room};
	struct doc_line *l;
	struct doc_unit *u;
	size_t i;

	f.seen = calloc((size_t)d->nids + 1, sizeof(bool));
	if (!f.seen)
		oom();
	for (l = d->first; l; l = l->next) {
		l->nin = 0;
		for (u = l->first; u; u = u->next)
			u->in = false;
	}
	fill_musts(&f);
	for (i = 0; i < sizeof(reserves) / sizeof(reserves[0]); i++)
		fill_block(&f, (int)reserves[i].block, budget * reserves[i].share / 1000);
	fill_block(&f, ALL_BLOCKS, 0);
	free(f.heap);
	free(f.seen);
	return f.room;
}

int64_t docfill_stated(struct doc *d)
{
	struct doc_line *l;
	struct doc_unit *u;
	int64_t sum = 0;

	for (l = d->first; l; l = l->next) {
		l->nin = 0;
		for (u = l->first; u; u = u->next) {
			if (!is_stated(u))
				continue;
			sum += cost_of(d, u);
			l->nin++;
		}
		l->nin = 0;
	}
	return sum;
}

bool docfill_drop(struct doc *d)
{
	struct doc_unit *worst = NULL, *u;
	struct doc_line *l;
	double low = 0;

	for (l = d->first; l; l = l->next) {
		for (u = l->first; u; u = u->next) {
			double key = u->value / (double)(u->cost + COST_FLOOR) +
				     (u->must ? 1000 : 0);

			if (!u->in || is_stated(u) ||
			    (l->lead && u == l->first && l->nin > 1))
				continue;
			if (!worst || key < low) {
				worst = u;
				low = key;
			}
		}
	}
	if (!worst)
		return false;
	worst->in = false;
	worst->line->nin--;
	return true;
}
