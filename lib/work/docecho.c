#include "work/docecho.h"

#include <stdlib.h>

#include "base/oom.h"

#define HEADS (1u << 14)

struct docecho_node {
	uint64_t hash;
	uint32_t text;
	uint32_t next; /* 1 + index, 0 = end */
};

/* in the order of their first letters */
/* clang-format off */
static const str stop_words[] = {
	STR("about"), STR("all"), STR("also"), STR("and"), STR("any"), STR("are"),
	STR("been"), STR("being"), STR("but"), STR("can"), STR("could"), STR("did"),
	STR("does"), STR("done"), STR("each"), STR("for"), STR("from"), STR("had"),
	STR("has"), STR("have"), STR("how"), STR("into"), STR("its"), STR("just"),
	STR("may"), STR("more"), STR("most"), STR("must"), STR("not"), STR("now"),
	STR("one"), STR("only"), STR("per"), STR("should"), STR("some"), STR("still"),
	STR("such"), STR("than"), STR("that"), STR("the"), STR("then"), STR("there"),
	STR("they"), STR("this"), STR("user"), STR("via"), STR("was"), STR("were"),
	STR("what"), STR("when"), STR("where"), STR("which"), STR("who"), STR("why"),
	STR("will"), STR("with"), STR("would"), STR("you"), STR("your"),
};
/* clang-format on */

#define STOP_BYTES 6 /* of the longest */

static bool is_stop(str w)
{
	char c = str_lower(w.p[0]);
	size_t i;

	if (w.n > STOP_BYTES)
		return false;
	for (i = 0; i < sizeof(stop_words) / sizeof(stop_words[0]); i++) {
		if (stop_words[i].p[0] < c)
			continue;
		if (stop_words[i].p[0] > c)
			return false;
		if (str_ieq(w, stop_words[i]))
			return true;
	}
	return false;
}

static str stem(str w)
{
	static const char *const ends[] = {"ing", "ed", "es", "s", NULL};
	size_t i;

	for (i = 0; ends[i]; i++) {
		str e = str_of(ends[i]);

		if (w.n >= e.n + 4 && str_ieq(str_from(w, w.n - e.n), e))
			return str_head(w, w.n - e.n);
	}
	/* "create" and "created" are one */
	return w.n > 4 && str_lower(w.p[w.n - 1]) == 'e' ? str_head(w, w.n - 1) : w;
}

static uint64_t hash_lower(str w)
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < w.n; i++)
		h = (h ^ (unsigned char)str_lower(w.p[i])) * 0x100000001b3u;
	return h;
}

static bool is_word_byte(char c)
{
	return str_is_alnum(c) || c == '_' || (c & 0x80) != 0;
}

/* Distinct content words, as hashes. */
static size_t words_of(str s, uint64_t out[DOCECHO_WORDS])
{
	size_t i = 0, n = 0, k;

	while (i < s.n && n < DOCECHO_WORDS) {
		size_t from = i;
		uint64_t h;
		str w;

		while (i < s.n && is_word_byte(s.p[i]))
			i++;
		w = (str){s.p + from, i - from};
		while (i < s.n && !is_word_byte(s.p[i]))
			i++;
		if (w.n < 3 || is_stop(w))
			continue;
		h = hash_lower(stem(w));
		for (k = 0; k < n && out[k] != h; k++)
			;
		if (k == n)
			out[n++] = h;
	}
	return n;
}

void docecho_init(struct docecho *e)
{
	*e = (struct docecho){.cap_heads = HEADS};
	e->head = calloc(HEADS, sizeof(*e->head));
	if (!e->head)
		oom();
}

void docecho_release(struct docecho *e)
{
	free(e->node);
	free(e->head);
	free(e->count);
	*e = (struct docecho){NULL};
}

void docecho_add(struct docecho *e, str text)
{
	uint64_t w[DOCECHO_WORDS];
	size_t n = words_of(text, w), i;

	if (e->nnodes + n > e->cap_nodes) {
		uint32_t cap = e->cap_nodes ? e->cap_nodes * 2 : 4096;
		struct docecho_node *grown = realloc(e->node, cap * sizeof(*grown));

		if (!grown)
			oom();
		e->node = grown;
		e->cap_nodes = cap;
	}
	for (i = 0; i < n; i++) {
		uint32_t *head = &e->head[w[i] & (e->cap_heads - 1)];

		e->node[e->nnodes] = (struct docecho_node){w[i], e->ntexts, *head};
		*head = ++e->nnodes;
	}
	e->ntexts++;
}

bool docecho_has(struct docecho *e, str text, unsigned percent)
{
	uint64_t w[DOCECHO_WORDS];
	size_t n = words_of(text, w), i;
	bool found = false;

	if (n < DOCECHO_MIN || !e->ntexts)
		return false;
	if (e->ntexts > e->cap_count) {
		free(e->count);
		e->cap_count = e->ntexts + 1024;
		e->count = malloc(e->cap_count * sizeof(*e->count));
		if (!e->count)
			oom();
	}
	memset(e->count, 0, e->ntexts * sizeof(*e->count));
	for (i = 0; i < n && !found; i++) {
		uint32_t at = e->head[w[i] & (e->cap_heads - 1)];

		for (; at && !found; at = e->node[at - 1].next)
			if (e->node[at - 1].hash == w[i])
				found = ++e->count[e->node[at - 1].text] * 100 >=
					percent * n;
	}
	return found;
}
