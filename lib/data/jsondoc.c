/*
 * jsondoc: cJSON takes C strings and recurses, so the text is prepared first: a copy that is
 * valid UTF-8, in which \u0000 and lone surrogates are \ufffd (of the same length), and whose
 * depth and number of values were counted. What cJSON then refuses is a syntax error.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/json.h"
#include "data/jsondoc.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

struct jsondoc {
	cJSON *root;
};

static void *take_memory(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		log_oom();
	return p;
}

static const cJSON *node(const struct jsonval *v)
{
	return (const cJSON *)(const void *)v;
}

static const struct jsonval *val(const cJSON *c)
{
	return (const struct jsonval *)(const void *)c;
}

/* --- reading --- */

static int hex4(const char *p)
{
	int v = 0, i;

	for (i = 0; i < 4; i++) {
		char c = str_lower(p[i]);

		if (!str_is_digit(c) && !(c >= 'a' && c <= 'f'))
			return -1;
		v = v * 16 + (str_is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	return v;
}

/* The code unit of a \uXXXX at p, or -1. */
static int unit_at(const char *p, const char *end)
{
	return end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2) : -1;
}

/* p is at a backslash. Returns the byte after the escape; NULL for a \u without four digits. */
static char *settle_escape(char *p, char *end)
{
	int u = unit_at(p, end), low;

	if (u < 0 && end - p > 1 && p[1] == 'u')
		return NULL;
	if (u < 0)
		return end - p > 2 ? p + 2 : end;
	if (u >= 0xd800 && u < 0xdc00) {
		low = unit_at(p + 6, end);
		if (low >= 0xdc00 && low < 0xe000)
			return p + 12;
	}
	if (u == 0 || (u >= 0xd800 && u < 0xe000))
		memcpy(p + 2, "fffd", 4);
	return p + 6;
}

/* Look through the copy once: escapes, depth, number of values, bytes that may not be there. */
static int prepare(char *p, size_t n, struct err *e)
{
	char *begin = p, *end = p + n;
	size_t depth = 0, values = 1;
	bool in_string = false;

	while (p < end) {
		if (*p == '\0')
			return err_set(e, HF_EFORMAT, "JSON: a NUL at byte %zu",
				       (size_t)(p - begin));
		if (in_string && *p == '\\') {
			char *next = settle_escape(p, end);

			if (!next)
				return err_set(e, HF_EFORMAT,
					       "JSON: not valid at byte %zu",
					       (size_t)(p - begin));
			p = next;
			continue;
		}
		if (*p == '"')
			in_string = !in_string;
		else if (!in_string && (*p == '{' || *p == '['))
			depth++;
		else if (!in_string && (*p == '}' || *p == ']'))
			depth -= depth > 0;
		if (!in_string && (*p == ',' || *p == '[' || *p == '{'))
			values++;
		if (depth > JSONDOC_DEPTH_MAX)
			return err_set(e, HF_ELIMIT,
				       "JSON: nested deeper than %d at byte %zu",
				       JSONDOC_DEPTH_MAX, (size_t)(p - begin));
		if (values > JSONDOC_VALUES_MAX)
			return err_set(e, HF_ELIMIT, "JSON: more than %d values",
				       JSONDOC_VALUES_MAX);
		p++;
	}
	return 0;
}

static str skip_bom(str text)
{
	return str_starts(text, STR("\xef\xbb\xbf")) ? str_from(text, 3) : text;
}

struct jsondoc *jsondoc_parse(str text, size_t max, struct err *e)
{
	cJSON_Hooks hooks = {take_memory, free};
	/* each ill-formed byte may become three */
	struct buf copy = BUF_INIT(max < SIZE_MAX / 4 ? max * 3 + 1 : max);
	struct jsondoc *d = NULL;
	const char *stop = NULL;
	cJSON *root;

	if (text.n > max) {
		err_set(e, HF_ELIMIT, "JSON: over %zu bytes", max);
		return NULL;
	}
	text = skip_bom(text);
	if (utf8_valid(text))
		buf_add(&copy, text);
	else
		utf8_add(&copy, text);
	if (copy.n == 0) {
		err_set(e, HF_EFORMAT, "JSON: nothing there");
		goto out;
	}
	if (prepare(copy.p, copy.n, e))
		goto out;
	cJSON_InitHooks(&hooks);
	root = cJSON_ParseWithLengthOpts(copy.p, copy.n, &stop, 0);
	while (root && stop < copy.p + copy.n && str_is_space(*stop))
		stop++;
	if (!root || stop != copy.p + copy.n) {
		cJSON_Delete(root);
		err_set(e, HF_EFORMAT, "JSON: not valid at byte %zu",
			stop ? (size_t)(stop - copy.p) : 0);
		goto out;
	}
	d = take_memory(sizeof(*d));
	d->root = root;
out:
	buf_release(&copy);
	return d;
}

void jsondoc_free(struct jsondoc *d)
{
	if (!d)
		return;
	cJSON_Delete(d->root);
	free(d);
}

const struct jsonval *jsondoc_root(const struct jsondoc *d)
{
	return d ? val(d->root) : NULL;
}

/* --- looking --- */

const struct jsonval *jsondoc_get(const struct jsonval *v, const char *key)
{
	const cJSON *c, *found = NULL;

	if (!jsondoc_is_obj(v))
		return NULL;
	for (c = node(v)->child; c; c = c->next)
		if (c->string && strcmp(c->string, key) == 0)
			found = c;
	return val(found);
}

const struct jsonval *jsondoc_first(const struct jsonval *v)
{
	return jsondoc_is_obj(v) || jsondoc_is_arr(v) ? val(node(v)->child) : NULL;
}

const struct jsonval *jsondoc_next(const struct jsonval *v)
{
	return v ? val(node(v)->next) : NULL;
}

str jsondoc_key(const struct jsonval *v)
{
	return v ? str_of(node(v)->string) : STR_NONE;
}

str jsondoc_str(const struct jsonval *v)
{
	return jsondoc_is_str(v) ? str_of(node(v)->valuestring) : STR_NONE;
}

bool jsondoc_is_str(const struct jsonval *v)
{
	return v && cJSON_IsString(node(v));
}

bool jsondoc_is_obj(const struct jsonval *v)
{
	return v && cJSON_IsObject(node(v));
}

bool jsondoc_is_arr(const struct jsonval *v)
{
	return v && cJSON_IsArray(node(v));
}

bool jsondoc_is_null(const struct jsonval *v)
{
	return v && cJSON_IsNull(node(v));
}

bool jsondoc_is_num(const struct jsonval *v)
{
	return v && cJSON_IsNumber(node(v));
}

bool jsondoc_is_bool(const struct jsonval *v)
{
	return v && cJSON_IsBool(node(v));
}

bool jsondoc_bool(const struct jsonval *v, bool fallback)
{
	return v && cJSON_IsBool(node(v)) ? cJSON_IsTrue(node(v)) : fallback;
}

static bool is_exact(double d)
{
	return d >= -EXACT_MAX && d <= EXACT_MAX && floor(d) == d;
}

int64_t jsondoc_int(const struct jsonval *v, int64_t fallback)
{
	if (!v || !cJSON_IsNumber(node(v)) || !is_exact(node(v)->valuedouble))
		return fallback;
	return (int64_t)node(v)->valuedouble;
}

bool jsondoc_whole(const struct jsonval *v, int64_t *n)
{
	double d = v && cJSON_IsNumber(node(v)) ? node(v)->valuedouble : NAN;

	if (!(floor(d) == d))
		return false;
	/* 2^63 is exact, INT64_MAX is not */
	*n = d >= 0x1p63 ? INT64_MAX : d < -0x1p63 ? INT64_MIN : (int64_t)d;
	return true;
}

/* --- printing --- */

static void print_number(double d, struct buf *out)
{
	char text[40];

	if (isnan(d) || isinf(d)) {
		buf_add(out, STR("null"));
	} else if (is_exact(d)) {
		buf_printf(out, "%lld", (long long)d);
	} else {
		/* the shorter form where it reads back the same */
		snprintf(text, sizeof(text), "%.15g", d);
		if (strtod(text, NULL) != d)
			snprintf(text, sizeof(text), "%.17g", d);
		buf_add(out, str_of(text));
	}
}

static void print_scalar(const cJSON *c, struct buf *out)
{
	if (cJSON_IsString(c))
		json_add_str(out, str_of(c->valuestring));
	else if (cJSON_IsNumber(c))
		print_number(c->valuedouble, out);
	else if (cJSON_IsBool(c))
		buf_add(out, cJSON_IsTrue(c) ? STR("true") : STR("false"));
	else
		buf_add(out, STR("null"));
}

void jsondoc_print(const struct jsonval *v, struct buf *out)
{
	/* the parents of c; parsing allowed no more than this depth */
	const cJSON *up[JSONDOC_DEPTH_MAX + 1];
	const cJSON *c = node(v);
	size_t depth = 0;

	if (!c)
		return;
	for (;;) {
		bool object = cJSON_IsObject(c), array = cJSON_IsArray(c);

		if (depth > 0 && cJSON_IsObject(up[depth - 1])) {
			json_add_str(out, str_of(c->string));
			buf_byte(out, ':');
		}
		if (object || array) {
			buf_byte(out, object ? '{' : '[');
			if (c->child) {
				up[depth++] = c;
				c = c->child;
				continue;
			}
			buf_byte(out, object ? '}' : ']');
		} else {
			print_scalar(c, out);
		}
		while (depth > 0 && !c->next) {
			c = up[--depth];
			buf_byte(out, cJSON_IsObject(c) ? '}' : ']');
		}
		if (depth == 0)
			return;
		buf_byte(out, ',');
		c = c->next;
	}
}
