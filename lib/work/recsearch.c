/*
 * With words: the index names the records that fit best, their files are read, and what
 * does not fit otherwise is left out. Without words, of old versions, and where there is no index: by
 * going over the files, in which every word is looked for in the address, the value, the
 * tags, the agent and the note, whatever the case.
 */
#include "work/recsearch.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/json.h"
#include "data/shelf.h"
#include "work/recindex.h"
#include "work/record_impl.h"

#define WORDS_MAX 32
#define LOOKED    5000 /* files that are read at most to find what fits */

struct hit {
	char *rel;
	size_t entry; /* of the full record; STR_NPOS: the current version */
	unsigned words;
	char at[32];
};

struct search {
	const struct record_store *s;
	const struct recsearch *q;
	str word[WORDS_MAX];
	size_t nwords;
	struct buf hits;
};

static unsigned count_words(const struct search *f, const struct record_view *r)
{
	const struct lineage_entry *v = r->v;
	const str in[] = {str_of(r->address.text), v->value, v->tags, v->agent, v->note};
	unsigned n = 0;

	for (size_t w = 0; w < f->nwords; w++) {
		for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++) {
			if (str_ifind(in[i], f->word[w]) != STR_NPOS) {
				n++;
				break;
			}
		}
	}
	return n;
}

static bool has_tag(str tags, str want)
{
	struct buf tag = BUF_INIT(SIZE_MAX);
	enum json_tok tok;
	bool found = false;
	struct json j;

	json_init(&j, tags);
	while (tags.n && !found && (tok = json_next(&j)) != JSON_END && tok != JSON_BAD &&
	       tok != JSON_MORE) {
		if (tok != JSON_STR)
			continue;
		buf_reset(&tag);
		json_text(&j, &tag);
		found = str_ieq(buf_str(&tag), want);
	}
	buf_release(&tag);
	return found;
}

/* All but the words. */
static bool may_have(const struct search *f, const struct record_view *r)
{
	const struct recsearch *q = f->q;

	return (!q->tag.n || has_tag(r->v->tags, q->tag)) &&
	       (!q->agent.n || str_eq(r->v->agent, q->agent)) &&
	       r->state.confidence >= q->min_confidence;
}

static bool fits(const struct search *f, const struct record_view *r, unsigned *words)
{
	if (!may_have(f, r))
		return false;
	*words = count_words(f, r);
	return !f->nwords || *words;
}

static void add_hit(struct search *f, const char *rel, const struct record_view *r,
		    size_t entry, unsigned words)
{
	struct hit h = {.rel = str_dup(str_of(rel)), .entry = entry, .words = words};

	snprintf(h.at, sizeof(h.at), "%.*s", STR_ARG(r->v->at));
	buf_add(&f->hits, (str){(const char *)&h, sizeof(h)});
}

/* The current version: of a long file only the end is read. */
static void look_current(struct search *f, const char *rel)
{
	struct record_view r = {.lineage = LINEAGE_INIT};
	struct stat st;
	unsigned words;
	int fd = shelf_open_met(f->s->vault, SHELF_RECORDS, str_of(rel), &st, NULL);

	if (fd < 0)
		return;
	if (record_skim(str_of(rel), fd, (uint64_t)st.st_size, &r, NULL) == 0 &&
	    str_starts(str_of(r.address.text), f->q->scope_prefix) && fits(f, &r, &words))
		add_hit(f, rel, &r, STR_NPOS, words);
	record_release(&r);
	io.close(fd);
}

static void look_old(struct search *f, const char *rel)
{
	struct record_view r;
	unsigned words;

	if (record_load_path(f->s, str_of(rel), &r, NULL) == 0 &&
	    str_starts(str_of(r.address.text), f->q->scope_prefix)) {
		for (size_t i = 0; i < r.lineage.n; i++) {
			if (r.lineage.entry[i].type != LINEAGE_VERSION ||
			    !r.lineage.entry[i].whole || i == r.chain.heads[0])
				continue;
			record_pick(&r, i);
			if (fits(f, &r, &words))
				add_hit(f, rel, &r, i, words);
		}
	}
	record_release(&r);
}

static int look(const char *rel, const struct stat *st, void *arg)
{
	struct search *f = arg;

	(void)st;
	look_current(f, rel);
	if (f->q->superseded)
		look_old(f, rel);
	return 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	int c;

	if (x->words != y->words)
		return x->words > y->words ? -1 : 1;
	c = strcmp(y->at, x->at);
	if (!c)
		c = strcmp(x->rel, y->rel);
	return c ? c : (x->entry > y->entry) - (x->entry < y->entry);
}

/* The folder in which everything that begins with the prefix lies. */
static void folder_of(const struct recsearch *q, struct buf *b)
{
	size_t slash = str_rchr(q->scope_prefix, '/');

	if (slash != STR_NPOS)
		address_folder(b, str_head(q->scope_prefix, slash));
}

static int give(struct search *f, int (*fn)(struct record_view *r, void *arg), void *arg,
		size_t *more)
{
	struct hit *h = (struct hit *)(void *)f->hits.p;
	size_t n = f->hits.n / sizeof(*h),
	       limit = f->q->limit ? f->q->limit : RECSEARCH_LIMIT;
	int ret = 0;

	if (n)
		qsort(h, n, sizeof(*h), by_rank);
	*more = n > limit ? n - limit : 0;
	for (size_t i = 0; i < n && i < limit && !ret; i++) {
		struct record_view r;

		/* it may have gone since */
		if (record_load_path(f->s, str_of(h[i].rel), &r, NULL) == 0) {
			if (h[i].entry != STR_NPOS && h[i].entry < r.lineage.n)
				record_pick(&r, h[i].entry);
			ret = fn(&r, arg);
		}
		record_release(&r);
	}
	return ret;
}

/* What the index names, in its order, until there are enough. */
struct ranked {
	struct search *f;
	int (*fn)(struct record_view *r, void *arg);
	void *arg;
	size_t given, limit, more, read;
	int ret;
};

/* Read it, and look at what the index does not know. 1: enough. */
static int follow(str address, int percent, void *arg)
{
	struct ranked *k = arg;
	const struct recsearch *q = k->f->q;
	struct record_view r = {.lineage = LINEAGE_INIT};
	struct address a = {0};

	/* the index has whole percents */
	if (!str_starts(address, q->scope_prefix) ||
	    percent + 1 < q->min_confidence * 100)
		return 0;
	if (address_of(&a, address, STR_NONE, NULL) == 0 &&
	    record_read(k->f->s, &a, 0, STR_NONE, &r, NULL) == 0 && may_have(k->f, &r)) {
		if (k->given < k->limit) {
			k->given++;
			k->ret = k->fn(&r, k->arg);
		} else {
			k->more++;
		}
	}
	record_release(&r);
	address_release(&a);
	return k->ret || k->more || ++k->read >= LOOKED;
}

/* < 0 before anything was given: go over the files. */
static int by_index(struct search *f, int (*fn)(struct record_view *r, void *arg),
		    void *arg, size_t *more)
{
	struct ranked k = {.f = f,
			   .fn = fn,
			   .arg = arg,
			   .limit = f->q->limit ? f->q->limit : RECSEARCH_LIMIT};
	int ret = recindex_match(f->s->vault, f->s->kept, f->q->words, follow, &k, NULL);

	*more = k.more;
	if (k.ret)
		return k.ret;
	return ret < 0 && !k.given ? ret : 0;
}

int recsearch_run(const struct record_store *s, const struct recsearch *q,
		  int (*fn)(struct record_view *r, void *arg), void *arg, size_t *more,
		  struct err *e)
{
	struct search f = {.s = s, .q = q, .hits = BUF_INIT(SIZE_MAX)};
	struct buf folder = BUF_INIT(SIZE_MAX);
	str rest = q->words, word;
	struct hit *h;
	int ret;

	*more = 0;
	while (f.nwords < WORDS_MAX && str_word(&rest, &word))
		f.word[f.nwords++] = word;
	if (f.nwords && !q->superseded) {
		ret = by_index(&f, fn, arg, more);
		if (ret >= 0)
			return ret;
	}
	folder_of(q, &folder);
	ret = shelf_walk(s->vault, SHELF_RECORDS, buf_str(&folder), look, &f, e);
	if (!ret)
		ret = give(&f, fn, arg, more);
	h = (struct hit *)(void *)f.hits.p;
	for (size_t i = 0; i < f.hits.n / sizeof(*h); i++)
		free(h[i].rel);
	buf_release(&f.hits);
	buf_release(&folder);
	return ret;
}
