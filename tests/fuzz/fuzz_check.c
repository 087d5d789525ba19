/* Any text is checked without harm, and each problem is one safe line. */
#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "work/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct check_options o = {.worktree = "/nonexistent", .budget = 100};
	struct buf out = BUF_INIT(1u << 20);
	struct check c;

	check_document(&c, (str){(const char *)data, size}, &o);
	for (size_t i = 0; i < c.n; i++) {
		str s = str_of(c.item[i].text);

		assert(utf8_valid(s));
		assert(str_chr(s, '\n') == STR_NPOS);
	}
	check_json(&c, &out);
	assert(!out.full);
	check_release(&c);
	buf_release(&out);
	return 0;
}
