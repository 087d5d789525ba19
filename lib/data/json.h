/*
 * json: pull tokens out of one text in memory; and write JSON text.
 *
 *   struct json j;
 *   json_init(&j, text);
 *   if (json_next(&j) != JSON_OBJ) ...
 *   while (json_next(&j) == JSON_KEY) {
 *           if (json_is(&j, "uuid"))  { json_next(&j); json_text(&j, &buf); }
 *           else                      json_skip(&j);
 *   }
 *
 * Strict RFC 8259: one value, white space around it, nothing else. Pulling allocates nothing;
 * nesting is a bit stack of JSON_DEPTH_MAX. Numbers stay text. Lone surrogate escapes
 * decode to U+FFFD; ill-formed UTF-8 in a string is an error here (scan is the tolerant
 * one). Duplicate keys are all reported; callers let the last one win.
 */
#ifndef DATA_JSON_H
#define DATA_JSON_H

#include "base/buf.h"

#define JSON_DEPTH_MAX 512

enum json_tok {
	JSON_END,     /* the value is complete and only white space followed */
	JSON_OBJ,     /* { */
	JSON_OBJ_END, /* } */
	JSON_ARR,
	JSON_ARR_END,
	JSON_KEY, /* raw: between the quotes */
	JSON_STR, /* raw: between the quotes */
	JSON_NUM, /* raw: the number's text */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
	JSON_MORE, /* the text ends inside the value: cut here */
	JSON_BAD,  /* malformed at j->at; every later call returns it too */
};

struct json {
	str text;
	size_t at;    /* offset of the next byte */
	str raw;      /* of KEY, STR, NUM: undecoded, borrowed from text */
	bool escaped; /* raw holds a backslash */
	/* private */
	int depth;
	int state;
	uint64_t in_obj[JSON_DEPTH_MAX / 64];
};

void json_init(struct json *j, str text);
enum json_tok json_next(struct json *j);
/* After KEY: read past its value, whatever it is. After OBJ or ARR: past its end. False on BAD or MORE. */
bool json_skip(struct json *j);
/* The current KEY or STR, decoded, equals the (plain ASCII, unescaped) word. */
bool json_is(const struct json *j, const char *word);
/* Append the current KEY or STR, decoded. */
void json_text(const struct json *j, struct buf *out);

/*
 * Decode the inside of a JSON string: escapes resolved, surrogate pairs joined, lone ones
 * and ill-formed UTF-8 to U+FFFD, raw control characters kept. A raw that was cut at
 * either end (inside an escape or a character) decodes without the incomplete part.
 */
void json_unescape(struct buf *out, str raw);
/* s is a JSON number by RFC 8259. */
bool json_number(str s);
/*
 * The same grammar one byte at a time, for numbers that arrive in pieces: start with state
 * 0; the result is the next state, or -1 when c does not continue the number.
 */
int json_number_step(int state, char c);
/* A number may end in this state. */
bool json_number_whole(int state);

/* Append s as a JSON string with quotes. Valid UTF-8 comes out whatever s holds; control
 * characters, DEL, bidi marks, U+2028 and U+2029 are \u-escaped; escapes are always paired. */
void json_add_str(struct buf *b, str s);
/* Append `"key":` with a comma before it unless the buf ends in '{' or '['. key is plain ASCII. */
void json_add_key(struct buf *b, const char *key);
/* Comma unless the buf ends in '{', '[' or is empty: before each array element. */
void json_add_sep(struct buf *b);

#endif
