/*
 * The index ranks; what is decided here is what to ask it for, whether age counts, and what to
 * say when nothing is found.
 */
#include "work/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "work/near.h"

#define ARENA_BYTES    (64u << 20)
#define FETCH_FACTOR   3 /* hits that recency chooses from, for each one that is given */
#define DAY_US         86400e6
#define DATE_BYTES     10 /* 2026-02-12 */
#define HALF_LIFE_DAYS 30.0
#define LINE_MAX_BYTES (256u << 10)

/* ---- taking hits ---- */

struct take {
	struct search *s;
	size_t max;
};

static int on_hit(const struct index_item *it, double score, void *arg)
{
	struct take *t = arg;
	struct search *s = t->s;
	struct search_hit *h = &s->hit[s->n];

	if (s->n == t->max) {
		s->more = true;
		return 1;
	}
	h->it = *it;
	h->score = score;
	h->it.id = arena_str(&s->arena, it->id);
	h->it.project = arena_str(&s->arena, it->project);
	h->it.session = arena_str(&s->arena, it->session);
	h->it.name = arena_str(&s->arena, it->name);
	h->it.body = arena_str(&s->arena, it->body);
	if (it->body.n && !h->it.body.p) { /* full: what is there so far is given */
		s->more = true;
		return 1;
	}
	s->n++;
	return 0;
}

/* ---- recency ---- */

static bool by_recency(void)
{
	const char *v = getenv("HANDOFF_RANK");

	return v && str_ieq(str_of(v), STR("recency"));
}

static int by_score(const void *pa, const void *pb)
{
	const struct search_hit *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return str_cmp(a->it.id, b->it.id);
}

static void blend(struct search *s)
{
	double now = (double)clock_now() * 1000, low, high;

	if (s->n < 2)
		return;
	low = high = s->hit[0].score;
	for (size_t i = 1; i < s->n; i++) {
		low = fmin(low, s->hit[i].score);
		high = fmax(high, s->hit[i].score);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct search_hit *h = &s->hit[i];
		double days = fmax(now - (double)h->it.at_us, 0) / DAY_US;
		double rel = high > low ? (h->score - low) / (high - low) : 0.5;

		h->score = 0.60 * rel + 0.25 * pow(0.5, days / HALF_LIFE_DAYS) +
			   0.15 * (h->it.importance - 1) / 4;
	}
	qsort(s->hit, s->n, sizeof(*s->hit), by_score);
}

static void page(struct search *s, size_t offset, size_t limit)
{
	s->hit += offset < s->n ? offset : s->n;
	s->n -= offset < s->n ? offset : s->n;
	if (s->n > limit) {
		s->n = limit;
		s->more = true;
	}
}

/* ---- nothing found ---- */

static int look_around(struct search *s, struct index *ix, const struct search_query *q,
		       struct err *e)
{
	int ret = index_elsewhere(ix, q->text, q->project, SEARCH_ELSEWHERE_MAX,
				  &s->elsewhere, e);

	return ret ? ret : near_projects(ix, q->project, &s->near, e);
}

/* ---- the search ---- */

int search_time(str text, bool end, int64_t *us, struct err *e)
{
	int64_t ms;

	text = str_trim(text);
	if (!clock_parse(text, &ms))
		return err_set(
			e, HF_EUSAGE,
			"'%.*s' is no time like 2026-02-12 or 2026-02-12T18:20:00Z",
			STR_ARG(str_head(text, 80)));
	*us = ms * 1000;
	if (end && text.n == DATE_BYTES)
		*us += (int64_t)DAY_US;
	if (*us < 1) /* 0 stands for open */
		*us = 1;
	return 0;
}

int search_run(struct search *s, struct index *ix, const struct search_query *q,
	       struct err *e)
{
	bool recency = by_recency();
	size_t limit = q->limit < SEARCH_LIMIT_MAX ? q->limit : SEARCH_LIMIT_MAX;
	size_t want = recency ? (limit + q->offset) * FETCH_FACTOR : limit;
	struct index_query iq = {
		.text = q->text,
		.project = q->project,
		.retired_too = q->retired_too,
		.kinds = q->kinds,
		.type = q->type,
		.since_us = q->since_us,
		.until_us = q->until_us,
		.limit = want + 1,
		.offset = recency ? 0 : q->offset,
	};
	struct take t = {.s = s, .max = want};
	struct index_stats stats = {0};
	int ret;

	*s = (struct search){0};
	arena_init(&s->arena, ARENA_BYTES);
	s->hit = arena_new(&s->arena, struct search_hit, want ? want : 1);
	if (!s->hit)
		return err_set(e, HF_ELIMIT, "search: offset %zu is too far", q->offset);
	ret = index_match(ix, &iq, on_hit, &t, &stats, e);
	if (ret < 0)
		return ret;
	s->matched = stats.matched;
	s->cut = stats.cut;
	s->asked = stats.asked;
	s->used = stats.used;
	if (recency) {
		blend(s);
		page(s, q->offset, limit);
	}
	return s->n || q->offset || !q->project.n ? 0 : look_around(s, ix, q, e);
}

void search_release(struct search *s)
{
	free(s->near);
	arena_release(&s->arena);
	*s = (struct search){0};
}
