/* fuzz_canon: the canonical form of anything is a fixed point, in every form. */
#include <assert.h>
#include <stdlib.h>

#include "data/canon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum canon_form forms[] = {CANON_COMPACT, CANON_PRETTY, CANON_ASCII};
	struct buf one = BUF_INIT(1 << 24), two = BUF_INIT(1 << 24),
		   three = BUF_INIT(1 << 24);

	if (canon_json(&one, (str){(const char *)data, size}, CANON_COMPACT, NULL) == 0) {
		for (int i = 0; i < 3; i++) {
			buf_reset(&two);
			buf_reset(&three);
			assert(canon_json(&two, buf_str(&one), forms[i], NULL) == 0);
			assert(canon_json(&three, buf_str(&two), CANON_COMPACT, NULL) ==
			       0);
			assert(str_eq(buf_str(&one), buf_str(&three)));
		}
	} else {
		assert(one.n == 0);
	}
	buf_release(&one);
	buf_release(&two);
	buf_release(&three);
	return 0;
}
