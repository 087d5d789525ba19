/* fuzz_note: parse anything; what is found lies inside the text, and a value written reads back. */
#include <assert.h>
#include <stdlib.h>

#include "data/note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_inside(str s, str text)
{
	assert(s.n == 0 || (s.p >= text.p && s.p + s.n <= text.p + text.n));
}

static void round_trip(str value)
{
	struct buf b = BUF_INIT(1 << 24), back = BUF_INIT(1 << 24);
	struct note n;

	buf_add(&b, STR("---\n"));
	note_add_field(&b, "k", value);
	buf_add(&b, STR("---\n"));
	note_parse(&n, buf_str(&b));
	assert(n.nfields == 1 && n.body.n == 0);
	assert(note_value(&n, "k", &back));
	assert(str_eq(buf_str(&back), value));
	buf_release(&b);
	buf_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = {(const char *)data, size}, heading, body, last = STR_NONE;
	struct buf b = BUF_INIT(1 << 22);
	struct note n;
	size_t it, i;

	note_parse(&n, text);
	assert_inside(n.body, text);
	assert_inside(n.title, text);
	for (i = 0; i < n.nfields; i++) {
		assert_inside(n.field[i].key, text);
		assert_inside(n.field[i].value, text);
		for (it = 0; note_list(n.field[i].value, &it, &b);)
			;
	}
	for (it = 0; note_section(&n, &it, &heading, &body);) {
		assert_inside(heading, text);
		assert_inside(body, text);
		assert(!last.p || body.p >= last.p + last.n);
		last = body;
	}
	if (size < 4096)
		round_trip(text);
	buf_release(&b);
	return 0;
}
