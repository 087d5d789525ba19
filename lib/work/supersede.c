#include "work/supersede.h"

#include <string.h>

#define FEW_WORDS 3  /* of a query, of which one is enough */
#define WORD_MAX  64 /* bytes of a word that is compared */

/* Of one or two letters all words tell nothing, but with a digit in them, or when they are no ASCII. */
static bool is_short(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (str_is_digit(s.p[i]) || (unsigned char)s.p[i] >= 0x80)
			return false;
	return s.n < 3;
}

struct walk {
	struct index *ix;
	char word[SUPERSEDE_WORDS][WORD_MAX];
	size_t len[SUPERSEDE_WORDS], n;
	uint64_t there; /* bits: words that the item at hand has */
	index_fn *fn;
	void *arg;
	int ret; /* what fn said */
};

static size_t place_of(const struct walk *w, str s)
{
	for (size_t i = 0; i < w->n; i++)
		if (str_eq((str){w->word[i], w->len[i]}, s))
			return i;
	return w->n;
}

static int add_word(str token, void *arg)
{
	struct walk *w = arg;

	if (token.n > WORD_MAX || is_short(token) || place_of(w, token) < w->n)
		return 0;
	memcpy(w->word[w->n], token.p, token.n);
	w->len[w->n++] = token.n;
	return w->n == SUPERSEDE_WORDS;
}

static int mark_word(str token, void *arg)
{
	struct walk *w = arg;
	size_t i = place_of(w, token);

	if (i < w->n)
		w->there |= UINT64_C(1) << i;
	return 0;
}

/* A name of code has a digit or a joint in it, and says more than a word. */
static bool is_name(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (str_is_digit(s.p[i]) || s.p[i] == '_' || s.p[i] == '.')
			return true;
	return false;
}

static bool fits(const struct walk *w)
{
	size_t there = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (!(w->there >> i & 1))
			continue;
		there++;
		if (is_name((str){w->word[i], w->len[i]}))
			return true;
	}
	return there && (w->n <= FEW_WORDS || there > 1);
}

static int look(const struct index_item *it, void *arg)
{
	struct walk *w = arg;

	w->there = 0;
	index_words(w->ix, it->body, mark_word, w);
	if (!fits(w))
		return 0;
	w->ret = w->fn(it, w->arg);
	return 1;
}

int supersede_match(struct index *ix, str project, enum event_type type, str query,
		    index_fn *fn, void *arg, struct err *e)
{
	struct walk w = {.ix = ix, .fn = fn, .arg = arg};
	struct index_query q = {.text = query, .project = project, .type = (int)type};
	int ret = index_content_words(ix, project, query, add_word, &w, e);

	if (ret < 0 || !w.n)
		return ret < 0 ? ret : 0;
	ret = index_pick(ix, &q, look, &w, e);
	return ret > 0 ? w.ret : ret;
}
