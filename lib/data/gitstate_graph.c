/*
 * gitstate_graph: how many commits two branches are apart.
 *
 * Both tips are walked together, newest first; each commit carries whether it was reached
 * from ours, theirs or both. When only commits reached from both are left to visit, those
 * reached from one side are the answer. libgit2's own function walks the same way, but
 * fails where a shallow clone ends and cannot be stopped.
 */
#include <stdlib.h>

#include "base/log.h"
#include "data/gitstate_impl.h"

#define COMMITS_MAX    200000u
#define SLOP           5 /* commits looked at beyond the end, for clocks that went backwards */
#define DEADLINE_EVERY 16

enum { OURS = 1, THEIRS = 2, BOTH = 3 };

struct node {
	git_oid id;
	int64_t time;
	uint8_t sides;
	bool queued;
};

struct graph {
	git_repository *repo;
	struct node *node;
	uint32_t n, cap;
	uint32_t *slot; /* hash table of node number + 1; twice cap, a power of two */
	uint32_t *heap; /* newest on top */
	uint32_t nheap;
	uint32_t open; /* queued nodes not reached from both sides */
};

static void *must(void *p)
{
	if (!p)
		log_oom();
	return p;
}

static uint32_t *slot_of(const struct graph *g, const git_oid *id)
{
	uint32_t mask = g->cap * 2 - 1, i;

	/* an id is a hash already */
	memcpy(&i, id->id, sizeof(i));
	for (i &= mask; g->slot[i]; i = (i + 1) & mask)
		if (git_oid_equal(&g->node[g->slot[i] - 1].id, id))
			break;
	return &g->slot[i];
}

static void graph_grow(struct graph *g)
{
	uint32_t i;

	g->cap = g->cap ? g->cap * 2 : 256;
	g->node = must(reallocarray(g->node, g->cap, sizeof(*g->node)));
	g->heap = must(reallocarray(g->heap, g->cap, sizeof(*g->heap)));
	free(g->slot);
	g->slot = must(calloc((size_t)g->cap * 2, sizeof(*g->slot)));
	for (i = 0; i < g->n; i++)
		*slot_of(g, &g->node[i].id) = i + 1;
}

static bool newer(const struct graph *g, uint32_t a, uint32_t b)
{
	return g->node[g->heap[a]].time > g->node[g->heap[b]].time;
}

static void heap_swap(struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t t = g->heap[a];

	g->heap[a] = g->heap[b];
	g->heap[b] = t;
}

static void heap_push(struct graph *g, uint32_t v)
{
	uint32_t i = g->nheap++;

	g->heap[i] = v;
	for (; i > 0 && newer(g, i, (i - 1) / 2); i = (i - 1) / 2)
		heap_swap(g, i, (i - 1) / 2);
}

static uint32_t heap_pop(struct graph *g)
{
	uint32_t top = g->heap[0], i = 0, child;

	g->heap[0] = g->heap[--g->nheap];
	while ((child = i * 2 + 1) < g->nheap) {
		if (child + 1 < g->nheap && newer(g, child + 1, child))
			child++;
		if (!newer(g, child, i))
			break;
		heap_swap(g, i, child);
		i = child;
	}
	return top;
}

/* Reached `id` from these sides. A commit that is not here (shallow) is an end, not an error. */
static void reach(struct graph *g, const git_oid *id, uint8_t sides)
{
	uint32_t *slot;
	struct node *n;
	git_commit *c = NULL;

	if (g->n == g->cap)
		graph_grow(g);
	slot = slot_of(g, id);
	if (!*slot) {
		if (git_commit_lookup(&c, g->repo, id))
			return;
		n = &g->node[g->n++];
		*n = (struct node){.id = *id, .time = git_commit_time(c)};
		git_commit_free(c);
		*slot = g->n;
	}
	n = &g->node[*slot - 1];
	if ((n->sides | sides) == n->sides)
		return;
	if (n->queued && n->sides != BOTH)
		g->open--;
	n->sides |= sides;
	g->open += n->sides != BOTH;
	if (!n->queued) {
		n->queued = true;
		heap_push(g, *slot - 1);
	}
}

static void visit(struct graph *g)
{
	uint32_t at = heap_pop(g), i, parents;
	uint8_t sides = g->node[at].sides;
	git_commit *c = NULL;

	g->node[at].queued = false;
	g->open -= sides != BOTH;
	if (git_commit_lookup(&c, g->repo, &g->node[at].id))
		return;
	parents = git_commit_parentcount(c);
	for (i = 0; i < parents; i++)
		reach(g, git_commit_parent_id(c, i), sides);
	git_commit_free(c);
}

bool gitstate_distance(struct gitstate_run *r, git_repository *repo, const git_oid *ours,
		       const git_oid *theirs)
{
	struct graph g = {.repo = repo};
	unsigned ticks = 0, slop = SLOP;
	bool done = true;
	uint32_t i;

	if (git_oid_equal(ours, theirs))
		return true;
	reach(&g, ours, OURS);
	reach(&g, theirs, THEIRS);
	while (g.nheap > 0 && done) {
		if (g.open == 0 && slop-- == 0)
			break;
		if (g.open > 0)
			slop = SLOP;
		visit(&g);
		done = g.n <= COMMITS_MAX &&
		       (++ticks % DEADLINE_EVERY || !gitstate_late(r));
	}
	for (i = 0; i < g.n && done; i++) {
		r->g->ahead += g.node[i].sides == OURS;
		r->g->behind += g.node[i].sides == THEIRS;
	}
	free(g.node);
	free(g.slot);
	free(g.heap);
	return done;
}
