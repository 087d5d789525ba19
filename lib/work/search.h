/*
 * search: a question to ranked hits, over events, facts, summaries and handoff documents.
 *
 *   struct search s;
 *   ret = search_run(&s, ix, &(struct search_query){.text = q, .project = p, .type = -1,
 *                                                  .limit = 10}, &e);
 *   for (i = 0; i < s.n; i++) ...s.hit[i].it.body...
 *   search_release(&s);                          whatever came back
 *
 * Nothing in a question is syntax: quotes, hyphens, colons and NEAR are what they look like.
 * Ranking: docs/search.md. HANDOFF_RANK=recency blends in age and importance as handoff-mcp
 * does (reference: 0.6 relevance, 0.25 recency with a half-life of 30 days, 0.15 importance).
 *
 * Retired events are left out unless asked for. A question that finds nothing in its project
 * says how many items of other projects it fits, and which projects have a name like it.
 * Limits: SEARCH_LIMIT_MAX hits at a time; the index's limits on words (the 32 rarest of a question).
 */
#ifndef WORK_SEARCH_H
#define WORK_SEARCH_H

#include "base/arena.h"
#include "data/index.h"

#define SEARCH_LIMIT_MAX     200
#define SEARCH_ELSEWHERE_MAX 1000 /* hits of other projects are counted up to here */

struct search_query {
	str text;
	str project; /* "": all */
	size_t limit, offset;
	int type;       /* enum event_type, -1: all */
	unsigned kinds; /* bits 1 << INDEX_*; 0: all */
	bool retired_too;
	int64_t since_us, until_us; /* from, and before; 0: open; see data/index */
};

struct search_hit {
	struct index_item it; /* its texts live in the arena */
	double score;
};

struct search {
	struct search_hit *hit; /* best first */
	size_t n;
	bool more;      /* further hits at offset + n */
	size_t matched; /* items in which a word of the question occurs, before filters */
	bool cut; /* matched is a lower bound: common words alone were not followed */
	size_t asked,
		used; /* different words of the question; those that were followed */
	size_t elsewhere; /* nothing here: items of other projects that fit, up to SEARCH_ELSEWHERE_MAX */
	char *near; /* the same: names of projects like this one, "a, b"; or NULL */
	struct arena arena; /* private */
};

/*
 * A date or a time (base/clock: RFC 3339, UTC unless it says otherwise) as since_us, or with `end`
 * as until_us, where a date means all of that day. HF_EUSAGE.
 */
int search_time(str text, bool end, int64_t *us, struct err *e);
int search_run(struct search *s, struct index *ix, const struct search_query *q,
	       struct err *e);
void search_release(struct search *s);

/*
 * Append the hits as text, handoff-mcp's lines with date and session added:
 *
 *   Found 2 result(s):
 *
 *   - [tollgate] (decision) Keep readings in SQLite. (id: ev_00000005) 2026-01-04, session s_2026...
 *
 * or that there are none, with what s knows of other projects. explain: score, importance and
 * what is retired as well. Control characters are escaped.
 */
void search_text(struct buf *out, const struct search *s, const struct search_query *q,
		 bool explain);
/* The same as one JSON object (docs/formats.md, "handoff search --json"). */
void search_json(struct buf *out, const struct search *s, const struct search_query *q);

#endif
