/* Whatever the bytes: results are valid, cuts are borders, what is valid stays as it is. */
#include "base/utf8.h"

#include <stdlib.h>

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No character that could reach a terminal as a control is left, but newline and tab in TEXT. */
static void check_safe(str s, enum utf8_show how)
{
	uint32_t cp;
	size_t n;

	for (; s.n; s = str_from(s, n)) {
		n = utf8_next(s, &cp);
		MUST(n > 0);
		MUST(!utf8_unsafe(cp) ||
		     (how == UTF8_TEXT && (cp == '\n' || cp == '\t')));
	}
}

static void check_show(str s, enum utf8_show how)
{
	struct buf b = BUF_INIT(SIZE_MAX), again = BUF_INIT(SIZE_MAX);

	utf8_show(&b, s, how);
	check_safe(buf_str(&b), how);
	utf8_show(&again, buf_str(&b), how);
	MUST(str_eq(buf_str(&again), buf_str(&b)));
	buf_release(&again);
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size};
	struct buf b = BUF_INIT(SIZE_MAX);
	bool valid = utf8_valid(s);

	utf8_add(&b, s);
	MUST(utf8_valid(buf_str(&b)));
	MUST(!valid || str_eq(buf_str(&b), s));
	for (size_t max = 0; max <= size && max < 300; max++) {
		str head = utf8_head(s, max), tail = utf8_tail(s, max);

		MUST(head.n <= max && tail.n <= max);
		MUST(head.n + 3 >= max && tail.n + 3 >= max);
		MUST(!valid || (utf8_valid(head) && utf8_valid(tail)));
	}
	MUST(utf8_count(s) <= size && utf8_units16(s) <= size);
	check_show(s, UTF8_TEXT);
	check_show(s, UTF8_ONELINE);
	buf_release(&b);
	return 0;
}
