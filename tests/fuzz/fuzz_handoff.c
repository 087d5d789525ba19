/* Whatever the bytes: reading a document ends, borrows from the text, and its JSON form is JSON. */
#include "work/handoff.h"

#include <stdlib.h>

#include "data/json.h"

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(str part, str text)
{
	MUST(!part.n || (part.p >= text.p && part.p + part.n <= text.p + text.n));
}

static void check_json(str text)
{
	struct buf out = BUF_INIT(SIZE_MAX);
	enum json_tok t;
	struct json j;

	MUST(handoff_json(text, &out, NULL) == 0);
	json_init(&j, buf_str(&out));
	while ((t = json_next(&j)) != JSON_END)
		MUST(t != JSON_BAD && t != JSON_MORE);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = {(const char *)data, size}, line;
	struct handoff_doc d;
	size_t it = 0, before = 0;

	if (handoff_read(&d, text, NULL) == 0) {
		check_inside(d.title, text);
		check_inside(d.banner, text);
		check_inside(d.goal, text);
		check_inside(d.gaps, text);
		check_json(text);
	}
	while (handoff_next_hazard(text, &it, &line)) {
		MUST(it > before);
		before = it;
		check_inside(line, text);
	}
	return 0;
}
