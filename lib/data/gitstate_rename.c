/*
 * gitstate_rename: which added file is a deleted one under a new name. Only among staged
 * changes, as `git status` does it, and with git's own measure, so that both say the same:
 *   1. the same content; among several the same file name is preferred
 *   2. a file name that is there once among the deleted and once among the added, and at
 *      least 75 % of the content
 *   3. the best pairs of at least 50 %
 * Content is cut into pieces at newlines and at 64 bytes; alike is the share of pieces that
 * both have. Bounds: as many pairs as git compares (1000 x 1000), CONTENT_MAX_BYTES in all,
 * and the deadline; beyond them a rename stays a D and an A. Unlike git, a file that was
 * removed and came back under a name given to `git add -N` stays a D and an A, too.
 */
#include <stdlib.h>

#include "base/log.h"
#include "data/gitstate_impl.h"

#define PAIRS_MAX         1000000u
#define CONTENT_MAX_BYTES (32ll << 20) /* of all files compared */
#define SCORE_MAX         60000        /* git's unit */
#define SCORE_MIN         30000
#define SCORE_MIN_NAME    45000
#define PIECE_MAX_BYTES   64
#define HASH_BASE         107927u
#define BEST_PER_FILE     4

struct piece {
	uint32_t hash;
	uint32_t bytes;
};

struct file {
	struct gitstate_staged *c;
	struct piece *piece; /* sorted by hash, each hash once */
	size_t npieces;
	uint64_t size;
	bool loaded, usable, taken;
};

struct rename {
	struct gitstate_scan *s;
	struct file *from, *to; /* deleted, added */
	size_t nfrom, nto;
	int64_t left; /* bytes that may still be read */
};

struct pair {
	struct file *from, *to;
	uint32_t score;
	bool same_name;
	size_t order; /* keeps the sort stable */
};

static void *must(void *p)
{
	if (!p)
		log_oom();
	return p;
}

static bool same_name(const struct file *a, const struct file *b)
{
	return str_eq(str_basename(str_of(a->c->path)), str_basename(str_of(b->c->path)));
}

static void join_pair(struct file *from, struct file *to)
{
	from->taken = to->taken = true;
	to->c->x = 'R';
	to->c->from = from->c->path;
	from->c->path = NULL;
}

/* --- pieces --- */

static int by_hash(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Sort and add up equal ones. */
static size_t merge_pieces(struct piece *p, size_t n)
{
	size_t i, k = 0;

	qsort(p, n, sizeof(*p), by_hash);
	for (i = 1; i < n; i++) {
		if (p[i].hash == p[k].hash)
			p[k].bytes += p[i].bytes;
		else
			p[++k] = p[i];
	}
	return n ? k + 1 : 0;
}

static bool is_binary(str s)
{
	return str_chr(str_head(s, 8000), '\0') != STR_NPOS;
}

static size_t cut_pieces(struct piece *out, str s)
{
	uint32_t a = 0, b = 0, old, n = 0;
	bool text = !is_binary(s);
	size_t i, count = 0;

	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (text && c == '\r' && i + 1 < s.n && s.p[i + 1] == '\n')
			continue;
		old = a;
		a = ((a << 7) ^ (b >> 25)) + c;
		b = (b << 7) ^ (old >> 25);
		if (++n < PIECE_MAX_BYTES && c != '\n' && i + 1 < s.n)
			continue;
		out[count++] = (struct piece){(a + b * 0x61) % HASH_BASE, n};
		n = a = b = 0;
	}
	return merge_pieces(out, count);
}

/* Most pieces a text can be cut into: one a newline, and one for each 64 bytes. */
static size_t most_pieces(str s)
{
	size_t i, n = s.n / PIECE_MAX_BYTES + 2;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static bool load(struct rename *r, struct file *f)
{
	git_blob *blob = NULL;
	str s;

	if (f->loaded)
		return f->usable;
	f->loaded = true;
	if ((f->c->mode & GITSTATE_MODE_TYPE) != GITSTATE_MODE_REGULAR ||
	    git_blob_lookup(&blob, r->s->repo, &f->c->id))
		return false;
	s = (str){git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob)};
	r->left -= (int64_t)s.n;
	if (r->left >= 0) {
		f->size = s.n;
		f->piece = must(calloc(most_pieces(s), sizeof(*f->piece)));
		f->npieces = cut_pieces(f->piece, s);
		f->usable = true;
	}
	git_blob_free(blob);
	return f->usable;
}

/* How alike, 0 to SCORE_MAX; 0 also when it cannot reach `least`. */
static uint32_t score_of(struct rename *r, struct file *from, struct file *to,
			 uint32_t least)
{
	uint64_t big, small, copied = 0;
	size_t i = 0, k = 0;

	if (!load(r, from) || !load(r, to))
		return 0;
	big = from->size > to->size ? from->size : to->size;
	small = from->size > to->size ? to->size : from->size;
	if (to->size == 0 || big * (SCORE_MAX - least) < (big - small) * SCORE_MAX)
		return 0;
	while (i < from->npieces && k < to->npieces) {
		const struct piece *a = &from->piece[i], *b = &to->piece[k];

		if (a->hash == b->hash)
			copied += a->bytes < b->bytes ? a->bytes : b->bytes;
		i += a->hash <= b->hash;
		k += b->hash <= a->hash;
	}
	return (uint32_t)(copied * SCORE_MAX / big);
}

/* --- the three steps --- */

static int by_content(const void *a, const void *b)
{
	const struct file *const *x = a, *const *y = b;
	int cmp = git_oid_cmp(&(*x)->c->id, &(*y)->c->id);

	/* of equal ones the first in path order stays first */
	return cmp ? cmp : (*x > *y) - (*x < *y);
}

static bool same_kind(const struct file *a, const struct file *b)
{
	uint32_t x = a->c->mode, y = b->c->mode;

	if ((x & GITSTATE_MODE_TYPE) == GITSTATE_MODE_REGULAR)
		return (y & GITSTATE_MODE_TYPE) == GITSTATE_MODE_REGULAR;
	return x == y;
}

/* First of the sorted files with this content. */
static size_t first_with(struct file *const *sorted, size_t n, const git_oid *id)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (git_oid_cmp(&sorted[mid]->c->id, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void pair_same(struct rename *r)
{
	struct file **sorted = must(calloc(r->nfrom, sizeof(*sorted)));
	size_t i, k;

	for (i = 0; i < r->nfrom; i++)
		sorted[i] = &r->from[i];
	qsort(sorted, r->nfrom, sizeof(*sorted), by_content);
	for (i = 0; i < r->nto; i++) {
		struct file *to = &r->to[i], *best = NULL;

		for (k = first_with(sorted, r->nfrom, &to->c->id);
		     k < r->nfrom && git_oid_equal(&sorted[k]->c->id, &to->c->id); k++) {
			if (sorted[k]->taken || !same_kind(sorted[k], to))
				continue;
			if (!best)
				best = sorted[k];
			if (same_name(sorted[k], to)) {
				best = sorted[k];
				break;
			}
		}
		if (best)
			join_pair(best, to);
	}
	free(sorted);
}

/* The only file not taken with f's name among n, or NULL. */
static struct file *only_with_name(struct file *list, size_t n, const struct file *f)
{
	struct file *found = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		if (list[i].taken || !same_name(&list[i], f))
			continue;
		if (found)
			return NULL;
		found = &list[i];
	}
	return found;
}

static void pair_names(struct rename *r)
{
	size_t i;

	for (i = 0; i < r->nfrom && !gitstate_scan_late(r->s); i++) {
		struct file *from = &r->from[i], *to;

		if (from->taken || only_with_name(r->from, r->nfrom, from) != from)
			continue;
		to = only_with_name(r->to, r->nto, from);
		if (to && score_of(r, from, to, SCORE_MIN_NAME) >= SCORE_MIN_NAME)
			join_pair(from, to);
	}
}

static int by_score(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->same_name != y->same_name)
		return x->same_name ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Put p in place of the worst of the best, if it is better. */
static void keep_best(struct pair *best, const struct pair *p)
{
	struct pair *worst = &best[0];
	size_t i;

	for (i = 1; i < BEST_PER_FILE; i++)
		if (by_score(&best[i], worst) > 0)
			worst = &best[i];
	if (by_score(p, worst) < 0)
		*worst = *p;
}

static void pair_similar(struct rename *r)
{
	struct pair *best = must(calloc(r->nto * BEST_PER_FILE, sizeof(*best)));
	size_t i, k;

	for (i = 0; i < r->nto * BEST_PER_FILE; i++)
		best[i].order = SIZE_MAX - i;
	for (i = 0; i < r->nto; i++) {
		struct file *to = &r->to[i];

		for (k = 0; !to->taken && k < r->nfrom && !gitstate_scan_late(r->s);
		     k++) {
			struct pair p = {&r->from[k], to, 0, false, i * r->nfrom + k};

			if (p.from->taken)
				continue;
			p.score = score_of(r, p.from, to, SCORE_MIN);
			p.same_name = same_name(p.from, to);
			if (p.score)
				keep_best(&best[i * BEST_PER_FILE], &p);
		}
	}
	qsort(best, r->nto * BEST_PER_FILE, sizeof(*best), by_score);
	for (i = 0; i < r->nto * BEST_PER_FILE && best[i].score >= SCORE_MIN; i++)
		if (!best[i].from->taken && !best[i].to->taken)
			join_pair(best[i].from, best[i].to);
	free(best);
}

/* --- */

static void drop_taken(struct gitstate_scan *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->nstaged; i++)
		if (s->staged[i].path)
			s->staged[n++] = s->staged[i];
	s->nstaged = n;
}

static void free_files(struct file *f, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(f[i].piece);
	free(f);
}

static size_t count(const struct gitstate_scan *s, char x)
{
	size_t i, n = 0;

	for (i = 0; i < s->nstaged; i++)
		n += s->staged[i].x == x;
	return n;
}

static size_t left(const struct file *f, size_t n)
{
	size_t i, open = 0;

	for (i = 0; i < n; i++)
		open += !f[i].taken;
	return open;
}

/* status.renames, else diff.renames; both may be a word ("copies"), which is a yes. */
static bool is_wanted(struct gitstate_scan *s)
{
	const char *v = gitstate_scan_text(s, "status.renames");
	int yes;

	if (!v)
		v = gitstate_scan_text(s, "diff.renames");
	return !v || git_config_parse_bool(&yes, v) != 0 || yes;
}

void gitstate_rename(struct gitstate_scan *s)
{
	struct rename r = {.s = s, .left = CONTENT_MAX_BYTES};
	size_t dels = count(s, 'D'), adds = count(s, 'A'), i;

	if (dels == 0 || adds == 0 || !is_wanted(s))
		return;
	r.from = must(calloc(dels, sizeof(*r.from)));
	r.to = must(calloc(adds, sizeof(*r.to)));
	for (i = 0; i < s->nstaged; i++) {
		if (s->staged[i].x == 'D')
			r.from[r.nfrom++].c = &s->staged[i];
		else if (s->staged[i].x == 'A')
			r.to[r.nto++].c = &s->staged[i];
	}
	pair_same(&r);
	/* git counts what is left after the first step, too */
	if (left(r.from, r.nfrom) * left(r.to, r.nto) <= PAIRS_MAX) {
		pair_names(&r);
		pair_similar(&r);
	}
	free_files(r.from, r.nfrom);
	free_files(r.to, r.nto);
	drop_taken(s);
}
