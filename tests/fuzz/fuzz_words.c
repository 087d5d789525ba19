/* Any bytes as a text and as a question: no crash, and a text holds every word of itself. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/index_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ignore(str token, void *arg)
{
	assert(token.n && token.n <= INDEX_WORD_MAX);
	++*(size_t *)arg;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct index ix;
	struct index_term t[INDEX_TERMS_MAX];
	struct index_asked a;
	unsigned tf[INDEX_TERMS_MAX];
	str text = {(const char *)data, size < 65536 ? size : 65536};
	size_t n, count = 0;

	if (!ix.db &&
	    (sqlite3_open(":memory:", &ix.db) || index_words_open(ix.db, &ix.words)))
		abort();
	index_words(&ix, text, ignore, &count);
	index_asked(ix.words, text, false, &a);
	assert(a.n <= count && a.n <= INDEX_ASKED_MAX && a.name < (int)a.n);
	for (size_t i = 0; i < a.n; i++) {
		assert(a.word[i].alone >= 0 && a.word[i].nwhole <= INDEX_WHOLES_MAX);
		for (size_t k = 0; k < a.word[i].nwhole; k++)
			assert(a.word[i].whole[k] < a.n && a.word[i].whole[k] != i);
	}
	for (n = 0; n < a.n && n < INDEX_TERMS_MAX; n++)
		t[n] = a.word[n].term;
	index_asked_release(&a);
	index_words_count(ix.words, text, t, n, tf);
	for (size_t i = 0; i < n; i++)
		assert(t[i].n && t[i].nstem && tf[i]);
	return 0;
}
