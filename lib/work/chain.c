#include "work/chain.h"

#include <stdlib.h>

#include "base/oom.h"
#include "data/canon.h"
#include "data/digest.h"
#include "data/json.h"
#include "work/outcome.h"

/* A hash that somebody names, or has. */
struct named {
	str hash;
	size_t entry;
};

static int by_hash(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = str_cmp(x->hash, y->hash);

	return c ? c : (x->entry > y->entry) - (x->entry < y->entry);
}

static void add_named(struct buf *b, str hash, size_t entry)
{
	struct named n = {hash, entry};

	buf_add(b, (str){(const char *)&n, sizeof(n)});
}

static struct named *sort_named(struct buf *b, size_t *n)
{
	struct named *list = (struct named *)(void *)b->p;

	*n = b->n / sizeof(*list);
	if (*n)
		qsort(list, *n, sizeof(*list), by_hash);
	return list;
}

static bool has(const struct named *list, size_t n, str hash)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = str_cmp(list[mid].hash, hash);

		if (!c)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static void mark_twice(struct chain *c)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	struct named *list;
	size_t n;

	for (size_t i = 0; i < c->l->n; i++)
		add_named(&b, c->l->entry[i].seal, i);
	list = sort_named(&b, &n);
	for (size_t i = 1; i < n; i++)
		if (str_eq(list[i].hash, list[i - 1].hash))
			c->twice[list[i].entry] = true;
	buf_release(&b);
}

/* Every entry follows the one before it and none is a copy: what almost every file is. */
static bool is_line(const struct lineage *l)
{
	str chain = STR_NONE;

	for (size_t i = 0; i < l->n; i++) {
		const struct lineage_entry *v = &l->entry[i];

		if (!v->whole)
			return false;
		if (i && (v->nprev != 1 || !str_eq(v->prev[0], l->entry[i - 1].seal) ||
			  str_eq(v->seal, l->entry[i - 1].seal)))
			return false;
		if (v->type != LINEAGE_VERSION)
			continue;
		if (chain.n ? v->nparents != 1 || !str_eq(v->parents[0], chain)
			    : v->nparents != 0)
			return false;
		chain = v->chain;
	}
	return true;
}

static void line_ends(struct chain *c)
{
	for (size_t i = c->l->n; i-- > 0 && !c->nheads;) {
		if (c->l->entry[i].type != LINEAGE_VERSION)
			continue;
		c->heads[c->nheads++] = i;
		c->last = c->l->entry[i].version;
	}
	if (c->l->n)
		c->tips[c->ntips++] = c->l->n - 1;
}

static void add_end(size_t list[LINEAGE_PARENTS_MAX], size_t *n, size_t i)
{
	if (*n < LINEAGE_PARENTS_MAX)
		list[*n] = i;
	++*n;
}

/* What all entries name, and what they are. */
struct names {
	struct buf parents, prevs, versions;
	struct named *parent, *prev, *version;
	size_t nparent, nprev, nversion;
};

static void names_of(struct names *n, const struct lineage *l)
{
	*n = (struct names){.parents = BUF_INIT(SIZE_MAX),
			    .prevs = BUF_INIT(SIZE_MAX),
			    .versions = BUF_INIT(SIZE_MAX)};
	for (size_t i = 0; i < l->n; i++) {
		const struct lineage_entry *v = &l->entry[i];

		if (!v->whole)
			continue;
		for (size_t k = 0; k < v->nparents; k++)
			add_named(&n->parents, v->parents[k], i);
		for (size_t k = 0; k < v->nprev; k++)
			add_named(&n->prevs, v->prev[k], i);
		if (v->type == LINEAGE_VERSION)
			add_named(&n->versions, v->chain, i);
	}
	n->parent = sort_named(&n->parents, &n->nparent);
	n->prev = sort_named(&n->prevs, &n->nprev);
	n->version = sort_named(&n->versions, &n->nversion);
}

static void names_release(struct names *n)
{
	buf_release(&n->parents);
	buf_release(&n->prevs);
	buf_release(&n->versions);
}

/* Count the parents that are gone; the number of the newest version that names one. */
static uint64_t find_gone(struct chain *c, const struct names *n)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < n->nparent; i++) {
		const struct named *p = &n->parent[i];

		if (has(n->version, n->nversion, p->hash))
			continue;
		c->gone += !i || !str_eq(p->hash, n->parent[i - 1].hash);
		if (c->l->entry[p->entry].version > newest)
			newest = c->l->entry[p->entry].version;
	}
	return newest;
}

static bool is_unnamed(const struct chain *c, const struct names *n, size_t i)
{
	const struct lineage_entry *v = &c->l->entry[i];

	return v->whole && v->type == LINEAGE_VERSION && !c->twice[i] &&
	       !has(n->parent, n->nparent, v->chain);
}

static void find_ends(struct chain *c)
{
	struct names n;
	uint64_t after; /* what is older by more than one may lead to what is gone */
	size_t ends = 0, older = 0;

	names_of(&n, c->l);
	after = find_gone(c, &n);
	for (size_t i = 0; c->gone && i < c->l->n; i++) {
		bool end = is_unnamed(c, &n, i);

		ends += end;
		older += end && c->l->entry[i].version + 1 < after;
	}
	/* numbers that were changed may say so of every end: one of them is the newest all the same */
	if (older > c->gone || older == ends)
		after = 0;
	for (size_t i = 0; i < c->l->n; i++) {
		const struct lineage_entry *v = &c->l->entry[i];

		if (c->twice[i] || !v->whole)
			continue;
		if (!has(n.prev, n.nprev, v->seal))
			add_end(c->tips, &c->ntips, i);
		if (v->type == LINEAGE_VERSION && v->version > c->last)
			c->last = v->version;
		if (is_unnamed(c, &n, i) && v->version + 1 >= after)
			add_end(c->heads, &c->nheads, i);
	}
	names_release(&n);
}

/* Newest first: version, then time, then hash, so that every machine sees the same order. */
static bool before(const struct lineage_entry *a, const struct lineage_entry *b)
{
	int c;

	if (a->version != b->version)
		return a->version > b->version;
	c = str_cmp(b->at, a->at);
	return c ? c < 0 : str_cmp(a->chain, b->chain) < 0;
}

static void order_heads(struct chain *c)
{
	size_t n = c->nheads < LINEAGE_PARENTS_MAX ? c->nheads : LINEAGE_PARENTS_MAX;

	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k; k--) {
			size_t a = c->heads[k - 1], b = c->heads[k];

			if (!before(&c->l->entry[b], &c->l->entry[a]))
				break;
			c->heads[k - 1] = b;
			c->heads[k] = a;
		}
	}
}

void chain_of(struct chain *c, const struct lineage *l)
{
	*c = (struct chain){.l = l, .twice = calloc(l->n + 1, sizeof(bool))};
	if (!c->twice)
		oom();
	if (is_line(l)) {
		line_ends(c);
	} else {
		mark_twice(c);
		find_ends(c);
		order_heads(c);
	}
	if (!c->nheads)
		return;
	if (c->ntips == 1 && c->nheads == 1)
		c->state = l->entry[c->tips[0]].head;
	else
		chain_replay(c, c->heads[0], l->n, &c->state);
}

void chain_release(struct chain *c)
{
	free(c->twice);
	*c = (struct chain){0};
}

void chain_step(struct lineage_state *s, str kind)
{
	enum outcome_kind k;

	if (!outcome_of(kind, &k))
		return;
	s->confidence = outcome_apply(k, s->confidence);
	if (outcome_is_success(k))
		s->successes++;
	else if (outcome_is_failure(k))
		s->failures++;
	else
		s->others++;
}

void chain_replay(const struct chain *c, size_t v, size_t until, struct lineage_state *s)
{
	const struct lineage_entry *of = &c->l->entry[v];

	*s = (struct lineage_state){of->version, of->chain, of->confidence, 0,
				    0,           0,         of->line,       of->size};
	for (size_t i = 0; i < until; i++) {
		const struct lineage_entry *o = &c->l->entry[i];

		if (o->type == LINEAGE_OUTCOME && o->moved && !c->twice[i] &&
		    str_eq(o->of, of->chain))
			chain_step(s, o->kind);
	}
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void chain_missing(const struct chain *c,
		   void (*fn)(uint64_t first, uint64_t last, void *arg), void *arg)
{
	uint64_t *have = malloc((c->l->n + 1) * sizeof(*have)), next = 1;
	size_t n = 0;

	if (!have)
		oom();
	for (size_t i = 0; i < c->l->n; i++)
		if (c->l->entry[i].type == LINEAGE_VERSION)
			have[n++] = c->l->entry[i].version;
	qsort(have, n, sizeof(*have), by_number);
	for (size_t i = 0; i < n && have[i] <= c->last; i++) {
		if (have[i] > next)
			fn(next, have[i] - 1, arg);
		if (have[i] >= next)
			next = have[i] + 1;
	}
	free(have);
}

size_t chain_find(const struct chain *c, str hash)
{
	for (size_t i = 0; i < c->l->n; i++)
		if (c->l->entry[i].type == LINEAGE_VERSION &&
		    str_eq(c->l->entry[i].chain, hash))
			return i;
	return STR_NPOS;
}

void chain_hash(str content, const str *parents, size_t n, char out[CHAIN_HASH_BYTES])
{
	struct buf b = BUF_INIT(SIZE_MAX);
	str sorted[LINEAGE_PARENTS_MAX];

	if (n > LINEAGE_PARENTS_MAX)
		n = LINEAGE_PARENTS_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		for (; k && str_cmp(parents[i], sorted[k - 1]) < 0; k--)
			sorted[k] = sorted[k - 1];
		sorted[k] = parents[i];
	}
	buf_add(&b, content);
	for (size_t i = 0; i < n; i++)
		buf_add(&b, sorted[i]);
	digest_hex(buf_str(&b), out);
	buf_release(&b);
}

int chain_content(str scope, str key, uint64_t version, str value, str agent, str at,
		  str tags, char out[CHAIN_HASH_BYTES], struct err *e)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	int ret = 0;

	buf_add(&b, STR("{\"agent\":"));
	canon_str(&b, agent);
	buf_add(&b, STR(",\"created_at\":"));
	canon_str(&b, at);
	buf_add(&b, STR(",\"key\":"));
	canon_str(&b, key);
	buf_add(&b, STR(",\"scope\":"));
	canon_str(&b, scope);
	if (tags.n) {
		buf_add(&b, STR(",\"tags\":"));
		ret = canon_json(&b, tags, CANON_COMPACT, e);
	}
	buf_add(&b, STR(",\"value\":"));
	if (!ret)
		ret = canon_json(&b, value, CANON_COMPACT, e);
	buf_printf(&b, ",\"version\":%llu}", (unsigned long long)version);
	digest_hex(buf_str(&b), out);
	buf_release(&b);
	return ret;
}
