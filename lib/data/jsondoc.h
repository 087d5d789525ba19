/*
 * jsondoc: cJSON behind safe lookups, for small whole documents: hook input, MCP messages,
 * settings. The only module that includes cJSON.h.
 *
 *   struct jsondoc *d = jsondoc_parse(text, 1 << 20, &e);
 *   str id = jsondoc_str(jsondoc_get(jsondoc_root(d), "session_id"));
 *   jsondoc_free(d);
 *
 * Size limit first; lookups are case-sensitive and NULL-safe; encoded NULs, lone surrogates
 * and ill-formed UTF-8 become U+FFFD; ids are never read as numbers (doubles). Integers are
 * exact to 2^53. A leading BOM is skipped; anything but white space behind the value is an
 * error.
 * Limits: JSONDOC_DEPTH_MAX, JSONDOC_VALUES_MAX (each value costs about 80 bytes).
 */
#ifndef DATA_JSONDOC_H
#define DATA_JSONDOC_H

#include "base/buf.h"
#include "base/err.h"

#define JSONDOC_DEPTH_MAX  128
#define JSONDOC_VALUES_MAX 200000

struct jsondoc;
struct jsonval; /* a node; lives as long as its document */

/* HF_ELIMIT over max bytes, HF_EFORMAT with the offset in the message. Returns NULL on failure. */
struct jsondoc *jsondoc_parse(str text, size_t max, struct err *e);
void jsondoc_free(struct jsondoc *d);
const struct jsonval *jsondoc_root(const struct jsondoc *d);
/* Member of an object (last wins), NULL when absent. */
const struct jsonval *jsondoc_get(const struct jsonval *v, const char *key);
const struct jsonval *
jsondoc_first(const struct jsonval *v); /* first child of an array or object */
const struct jsonval *jsondoc_next(const struct jsonval *v);
str jsondoc_key(const struct jsonval *v);
/* A string's text, else STR_NONE. */
str jsondoc_str(const struct jsonval *v);
bool jsondoc_is_str(const struct jsonval *v);
bool jsondoc_is_obj(const struct jsonval *v);
bool jsondoc_is_arr(const struct jsonval *v);
bool jsondoc_is_null(const struct jsonval *v);
bool jsondoc_is_num(const struct jsonval *v);
bool jsondoc_is_bool(const struct jsonval *v);
bool jsondoc_bool(const struct jsonval *v, bool fallback);
/* A number that is whole and within 2^53, else the fallback. */
int64_t jsondoc_int(const struct jsonval *v, int64_t fallback);
/* A whole number of any size, the nearest that fits (beyond 2^53 the last digits are lost); false for all else. */
bool jsondoc_whole(const struct jsonval *v, int64_t *n);
/* Append the value as compact JSON. */
void jsondoc_print(const struct jsonval *v, struct buf *out);

#endif
