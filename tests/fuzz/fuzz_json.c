/*
 * Whatever the bytes: reading ends and stays at its end; what was read whole and written
 * again reads the same; what is written is JSON; a prefix of a whole value is never wrong.
 */
#include "base/utf8.h"
#include "data/json.h"

#include <stdlib.h>

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read all of it; what was read is written to out as a text of our own. */
static enum json_tok copy(str text, struct buf *out)
{
	struct buf word = BUF_INIT(SIZE_MAX);
	enum json_tok tok;
	bool key = false;
	struct json j;

	json_init(&j, text);
	for (;;) {
		tok = json_next(&j);
		MUST(j.at <= text.n);
		if (tok == JSON_END || tok == JSON_MORE || tok == JSON_BAD)
			break;
		if (!key && tok != JSON_OBJ_END && tok != JSON_ARR_END)
			json_add_sep(out);
		key = tok == JSON_KEY;
		switch (tok) {
		case JSON_KEY:
		case JSON_STR:
			buf_reset(&word);
			json_text(&j, &word);
			MUST(utf8_valid(buf_str(&word)));
			MUST(j.escaped || str_eq(buf_str(&word), j.raw));
			MUST(memchr(word.p ? word.p : "", 0, word.n) ||
			     json_is(&j, buf_cstr(&word)));
			json_add_str(out, buf_str(&word));
			if (key)
				buf_byte(out, ':');
			break;
		case JSON_NUM:
			MUST(json_number(j.raw));
			buf_add(out, j.raw);
			break;
		case JSON_TRUE:
			buf_add(out, STR("true"));
			break;
		case JSON_FALSE:
			buf_add(out, STR("false"));
			break;
		case JSON_NULL:
			buf_add(out, STR("null"));
			break;
		default:
			buf_byte(out, "{}[]"[tok - JSON_OBJ]);
		}
	}
	MUST(json_next(&j) == tok);
	buf_release(&word);
	return tok;
}

static enum json_tok judge(str text)
{
	struct json j;
	enum json_tok tok;

	json_init(&j, text);
	do
		tok = json_next(&j);
	while (tok != JSON_END && tok != JSON_MORE && tok != JSON_BAD);
	return tok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size};
	struct buf once = BUF_INIT(SIZE_MAX), twice = BUF_INIT(SIZE_MAX),
		   word = BUF_INIT(SIZE_MAX);
	enum json_tok tok = copy(s, &once);
	struct json j;
	size_t cut;

	if (tok == JSON_END) {
		MUST(copy(buf_str(&once), &twice) == JSON_END);
		MUST(str_eq(buf_str(&once), buf_str(&twice)));
		json_init(&j, s);
		tok = json_next(&j);
		if (tok == JSON_OBJ || tok == JSON_ARR)
			MUST(json_skip(&j) && json_next(&j) == JSON_END);
	}
	if (tok != JSON_BAD)
		for (cut = 0; cut < size && cut < 200; cut++)
			MUST(judge(str_head(s, cut)) != JSON_BAD);
	/* the bytes as the inside of a string, and as a text to be quoted */
	json_unescape(&word, s);
	MUST(utf8_valid(buf_str(&word)));
	buf_reset(&once);
	json_add_str(&once, s);
	json_init(&j, buf_str(&once));
	MUST(json_next(&j) == JSON_STR);
	buf_reset(&word);
	json_text(&j, &word);
	MUST(!utf8_valid(s) || str_eq(buf_str(&word), s));
	MUST(json_next(&j) == JSON_END);
	buf_release(&once);
	buf_release(&twice);
	buf_release(&word);
	return 0;
}
