/*
 * note: a markdown note: front matter, headings, body.
 *
 *   struct note n;
 *   note_parse(&n, text);                          never fails: what is odd is body
 *   str id = note_get(&n, "source_session");
 *   while (note_section(&n, &it, &heading, &body)) ...
 *
 * Front matter is a small stated subset of YAML: a first line "---", `key: value` lines,
 * a closing "---". Values are plain, or in single or double quotes (with \" and \\ and \n
 * in double ones), or a one-line list [a, b]. A trailing ` # comment` is cut off plain
 * values. CRLF, BOM, a missing closing line (then there is no front matter) are tolerated.
 * Everything is borrowed from the text.
 */
#ifndef DATA_NOTE_H
#define DATA_NOTE_H

#include "base/buf.h"

#define NOTE_KEYS_MAX 64

struct note_field {
	str key, value; /* value undecoded, comment cut off, trimmed */
};

struct note {
	struct note_field field[NOTE_KEYS_MAX];
	size_t nfields;
	str body;  /* after the front matter */
	str title; /* text of the first "# " heading, or none */
};

void note_parse(struct note *n, str text);
/* The raw value of a key (last wins), STR_NONE when absent. */
str note_get(const struct note *n, const char *key);
/* Append the value decoded (quotes taken off). "null" and "~" decode to nothing; false then and when absent. */
bool note_value(const struct note *n, const char *key, struct buf *out);
/* Next element of a list value "[a, b]", decoded into out (reset first). Start with *it = 0. */
bool note_list(str value, size_t *it, struct buf *out);
/* Next "## " section from *it (start 0): heading text and the body up to the next "## ". Fenced code is respected. */
bool note_section(const struct note *n, size_t *it, str *heading, str *body);
/* Append `key: value\n`, quoting the value where the subset needs it. */
void note_add_field(struct buf *b, const char *key, str value);

#endif
