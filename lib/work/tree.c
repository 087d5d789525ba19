/*
 * Nodes are kept in a ring of 32 bytes a record; ids are compared by 64-bit hash. All walks
 * are loops over indices with marks on the nodes, so that links in a circle, which no client
 * writes, end: a walk that meets itself goes on before the oldest node it has seen.
 *
 *   finish: take the leaf (the last conversation record without one below
 *   it); mark its chain live; ask last-prompt; decide for every other node by its nearest
 *   decided ancestor.
 */
#include "work/tree.h"

#include <stdlib.h>

#include "base/log.h"

#define NONE UINT32_MAX

enum {
	NODE_CONV = 1 << 0,   /* user or assistant of the main chain */
	NODE_MAIN = 1 << 1,   /* no side chain */
	NODE_PROMPT = 1 << 2, /* a human prompt of its own record */
	NODE_PARENT = 1 << 3, /* has a conversation record below it */
	NODE_LIVE = 1 << 4,
	NODE_OTHER = 1 << 5, /* on the chain of last-prompt's leaf */
	NODE_GONE = 1 << 6,  /* abandoned */
	NODE_KNOWN = 1 << 7, /* decided */
	NODE_OPEN = 1 << 8,  /* being decided */
};

struct node {
	uint64_t id, parent, logical; /* hashes, 0 = none */
	uint64_t n : 48;
	uint64_t flags : 16;
};

struct tree_state {
	struct node *node;
	uint32_t used, first; /* first: the oldest, once the ring is full */
	uint32_t *map;        /* by id: index + 1; made when it is first needed */
	uint32_t slots;
	uint64_t
		prompt_leaf; /* leafUuid of a last-prompt after the last conversation record */
};

struct tree *tree_new(void)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t || !(t->st = calloc(1, sizeof(*t->st))))
		log_oom();
	/* the whole ring: memory is only taken up as far as it gets filled, and never moved */
	t->st->node = malloc(TREE_RECORDS_MAX * sizeof(*t->st->node));
	if (!t->st->node)
		log_oom();
	return t;
}

static struct node *node_new(struct tree *t)
{
	struct tree_state *st = t->st;

	if (st->used == TREE_RECORDS_MAX) {
		struct node *n = &st->node[st->first];

		st->first = (st->first + 1) % TREE_RECORDS_MAX;
		t->forgotten++;
		return n;
	}
	return &st->node[st->used++];
}

/* The i-th node, oldest first. */
static struct node *node_at(const struct tree_state *st, uint32_t i)
{
	return &st->node[st->first ? (st->first + i) % TREE_RECORDS_MAX : i];
}

void tree_add(struct tree *t, const struct record *r)
{
	struct node *n;
	unsigned flags = 0;

	if (r->type == RECORD_LAST_PROMPT)
		t->st->prompt_leaf = transcript_hash(val_get_str(r->root, "leafUuid"));
	if (!r->uuid_hash || r->duplicate)
		return;
	if (!r->sidechain) {
		flags |= NODE_MAIN;
		if (r->type == RECORD_USER || r->type == RECORD_ASSISTANT) {
			flags |= NODE_CONV;
			t->st->prompt_leaf = 0;
		}
		if (r->type == RECORD_USER && !r->result &&
		    record_says(r, NULL, NULL) == SAYS_PROMPT)
			flags |= NODE_PROMPT;
	}
	n = node_new(t);
	*n = (struct node){.id = r->uuid_hash,
			   .parent = r->parent_hash,
			   .logical = r->logical_hash,
			   .n = r->n & 0xffffffffffffu,
			   .flags = flags & 0xffffu};
}

static void map_build(struct tree_state *st)
{
	uint32_t i, at;

	st->slots = 2;
	while (st->slots < st->used * 2)
		st->slots *= 2;
	st->map = calloc(st->slots, sizeof(*st->map));
	if (!st->map)
		log_oom();
	for (i = 0; i < st->used; i++) {
		at = (uint32_t)node_at(st, i)->id & (st->slots - 1);
		while (st->map[at])
			at = (at + 1) & (st->slots - 1);
		st->map[at] = i + 1;
	}
}

static uint32_t node_find(struct tree_state *st, uint64_t id)
{
	uint32_t at;

	if (!id)
		return NONE;
	if (!st->map)
		map_build(st);
	at = (uint32_t)id & (st->slots - 1);
	for (; st->map[at]; at = (at + 1) & (st->slots - 1))
		if (node_at(st, st->map[at] - 1)->id == id)
			return st->map[at] - 1;
	return NONE;
}

/* The parent of node i: most often the node before it. */
static uint32_t node_parent(struct tree_state *st, uint32_t i)
{
	uint64_t id = node_at(st, i)->parent;

	if (i && id && node_at(st, i - 1)->id == id)
		return i - 1;
	return node_find(st, id);
}

/* The node before i in the file that is on no side chain. */
static uint32_t node_before(const struct tree_state *st, uint32_t i)
{
	while (i-- > 0)
		if (node_at(st, i)->flags & NODE_MAIN)
			return i;
	return NONE;
}

/* Where the chain goes on above i. */
static uint32_t node_above(struct tree_state *st, uint32_t i)
{
	uint32_t up = node_parent(st, i);

	if (up == NONE || up == i)
		up = node_find(st, node_at(st, i)->logical);
	if (up == NONE || up == i)
		up = node_before(st, i);
	return up;
}

/* Set `mark` on the chain from i upwards. */
static void chain_mark(struct tree_state *st, uint32_t i, unsigned mark)
{
	uint32_t oldest = i;

	while (i != NONE) {
		struct node *n = node_at(st, i);

		if (n->flags & mark) {
			i = node_before(st, oldest);
			if (i != NONE)
				oldest = i;
			continue;
		}
		n->flags |= mark & 0xffffu;
		oldest = i < oldest ? i : oldest;
		i = node_above(st, i);
	}
}

/*
 * Mark what has a conversation record below it, across other records. Each step goes to a
 * node that was not marked yet, so all walks together are one pass.
 */
static void parents_mark(struct tree_state *st)
{
	for (uint32_t i = 0; i < st->used; i++) {
		uint32_t up = i;

		if (!(node_at(st, i)->flags & NODE_CONV))
			continue;
		while ((up = node_parent(st, up)) != NONE) {
			struct node *n = node_at(st, up);

			if (n->flags & NODE_PARENT)
				break;
			n->flags |= NODE_PARENT;
			if (n->flags & NODE_CONV)
				break;
		}
	}
}

static uint32_t leaf_find(const struct tree_state *st)
{
	uint32_t last = NONE;

	for (uint32_t i = st->used; i-- > 0;) {
		unsigned flags = node_at(st, i)->flags;

		if (!(flags & NODE_CONV))
			continue;
		if (!(flags & NODE_PARENT))
			return i;
		if (last == NONE)
			last = i;
	}
	return last; /* all in circles */
}

/* The nearest conversation record at or above i. */
static uint32_t conv_above(struct tree_state *st, uint32_t i)
{
	for (uint32_t steps = 0; i != NONE && steps <= st->used; steps++) {
		if (node_at(st, i)->flags & NODE_CONV)
			return i;
		i = node_above(st, i);
	}
	return NONE;
}

/* The client's own leaf, if a human prompt of the live chain is not on its chain. */
static uint32_t rewound_leaf(struct tree_state *st)
{
	uint32_t leaf = conv_above(st, node_find(st, st->prompt_leaf));

	if (leaf == NONE)
		return NONE;
	chain_mark(st, leaf, NODE_OTHER);
	for (uint32_t i = 0; i < st->used; i++) {
		unsigned flags = node_at(st, i)->flags;

		if ((flags & (NODE_LIVE | NODE_PROMPT)) == (NODE_LIVE | NODE_PROMPT) &&
		    !(flags & NODE_OTHER))
			return leaf;
	}
	return NONE;
}

static bool decided(const struct node *n, bool *gone)
{
	if (n->flags & NODE_KNOWN) {
		*gone = n->flags & NODE_GONE;
		return true;
	}
	*gone = n->flags & NODE_PROMPT;
	return *gone || n->flags & NODE_OPEN;
}

/* Abandoned or not: what the nearest decided node at or above i says. */
static void decide(struct tree_state *st, uint32_t i)
{
	bool gone = false;
	uint32_t up = i;

	while (up != NONE && !decided(node_at(st, up), &gone)) {
		node_at(st, up)->flags |= NODE_OPEN;
		up = node_above(st, up);
	}
	for (;;) {
		struct node *n = node_at(st, i);

		if (n->flags & NODE_KNOWN)
			break;
		n->flags |= NODE_KNOWN;
		n->flags &= 0xffffu & ~(unsigned)NODE_OPEN;
		if (gone)
			n->flags |= NODE_GONE;
		if (i == up)
			break;
		i = node_above(st, i);
		if (i == NONE)
			break;
	}
}

void tree_finish(struct tree *t)
{
	struct tree_state *st = t->st;
	uint32_t leaf, other;

	if (!st->used)
		return;
	parents_mark(st);
	leaf = leaf_find(st);
	if (leaf == NONE)
		return;
	chain_mark(st, leaf, NODE_LIVE);
	other = rewound_leaf(st);
	if (other != NONE) {
		leaf = other;
		for (uint32_t i = 0; i < st->used; i++)
			if (!(node_at(st, i)->flags & NODE_OTHER))
				node_at(st, i)->flags &= 0xffffu & ~(unsigned)NODE_LIVE;
	}
	t->leaf = node_at(st, leaf)->n;
	for (uint32_t i = 0; i < st->used; i++) {
		struct node *n = node_at(st, i);

		if (n->flags & NODE_LIVE || !(n->flags & NODE_MAIN))
			n->flags |= NODE_KNOWN;
	}
	for (uint32_t i = 0; i < st->used; i++) {
		struct node *n = node_at(st, i);

		if (n->parent && !t->forgotten && node_parent(st, i) == NONE)
			t->phantoms++;
		decide(st, i);
	}
	for (uint32_t i = 0; i < st->used; i++) {
		const struct node *n = node_at(st, i);
		uint32_t up;

		if (!(n->flags & NODE_GONE) || !(n->flags & NODE_PROMPT))
			continue;
		up = node_above(st, i);
		t->branches += up == NONE || !(node_at(st, up)->flags & NODE_GONE);
	}
}

static const struct node *node_numbered(const struct tree *t, uint64_t record)
{
	uint32_t low = 0, high = t->st->used;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct node *n = node_at(t->st, mid);

		if (n->n == record)
			return n;
		if (n->n < record)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

bool tree_abandoned(const struct tree *t, uint64_t record)
{
	const struct node *n = node_numbered(t, record);

	return n && n->flags & NODE_GONE;
}

bool tree_live(const struct tree *t, uint64_t record)
{
	const struct node *n = node_numbered(t, record);

	return n && n->flags & NODE_LIVE;
}

bool tree_range(const struct tree *t, size_t i, uint64_t *first, uint64_t *last)
{
	bool inside = false;
	size_t at = 0;

	for (uint32_t j = 0; j < t->st->used; j++) {
		const struct node *n = node_at(t->st, j);

		if (!(n->flags & NODE_GONE)) {
			if (inside && at++ == i)
				return true;
			inside = false;
			continue;
		}
		if (!inside)
			*first = n->n;
		*last = n->n;
		inside = true;
	}
	return inside && at == i;
}

bool tree_has(const struct tree *t, uint64_t uuid_hash)
{
	return node_find(t->st, uuid_hash) != NONE;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->st->node);
	free(t->st->map);
	free(t->st);
	free(t);
}
