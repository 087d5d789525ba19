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
	unsigned tf[INDEX_TERMS_MAX];
	str text = {(const char *)data, size < 65536 ? size : 65536};
	size_t n, count = 0;

	if (!ix.db &&
	    (sqlite3_open(":memory:", &ix.db) || index_words_open(ix.db, &ix.words)))
		abort();
	index_words(&ix, text, ignore, &count);
	n = index_words_query(ix.words, text, false, t, INDEX_TERMS_MAX);
	assert(n <= count);
	index_words_count(ix.words, text, t, n, tf);
	for (size_t i = 0; i < n; i++)
		assert(t[i].n && t[i].nstem && tf[i]);
	return 0;
}
