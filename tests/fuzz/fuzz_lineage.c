/* fuzz_lineage: parse anything; what is found lies inside the text, the tail agrees with the whole, and what is appended is read. */
#include <assert.h>
#include <stdlib.h>

#include "work/chain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(str s, str text)
{
	assert(s.n == 0 || (s.p >= text.p && s.p + s.n <= text.p + text.n));
}

static void whole(str text, struct lineage *l)
{
	struct chain c;

	lineage_parse(l, text);
	for (size_t i = 0; i < l->n; i++) {
		inside(l->entry[i].seal, text);
		inside(l->entry[i].json, text);
		inside(l->entry[i].value, text);
		assert(l->entry[i].line < text.n &&
		       l->entry[i].begin <= l->entry[i].line);
	}
	chain_of(&c, l);
	assert(!c.nheads || c.last);
	chain_release(&c);
}

static void append(str text, struct lineage *l)
{
	struct lineage_entry v = {.version = 3,
				  .agent = STR("a"),
				  .at = STR("t"),
				  .confidence = 1,
				  .content = {NULL, 64},
				  .value = STR("3")};
	static const char hash[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct buf b = BUF_INIT(1 << 24);
	size_t n = l->n;

	v.content.p = hash;
	v.chain = v.content;
	buf_add(&b, text);
	if (text.n && text.p[text.n - 1] != '\n')
		buf_byte(&b, '\n');
	if (l->torn_tail)
		lineage_add_torn(&b, l->open_fence);
	lineage_add_version(&b, &v, 0, NULL);
	lineage_parse(l, buf_str(&b));
	assert(l->n >= 1 && l->n <= n + 1 && !l->torn_tail);
	assert(l->entry[l->n - 1].version == 3 && l->entry[l->n - 1].placed);
	assert(str_eq(str_trim(l->entry[l->n - 1].value), STR("3")));
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = {(const char *)data, size};
	struct lineage l = LINEAGE_INIT, tail = LINEAGE_INIT;

	whole(text, &l);
	if (lineage_tail(&tail, text, 0)) {
		assert(l.n && l.entry[l.n - 1].line == tail.entry[0].line);
		inside(tail.entry[0].json, text);
	}
	append(text, &l);
	lineage_value(text);
	lineage_release(&l);
	lineage_release(&tail);
	return 0;
}
