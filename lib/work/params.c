/*
 * Messages are worded as the validator of handoff-mcp words them ("Input should be ..."), in one
 * line that names the argument, since what reads them is a model that shall do better at once.
 */
#include "work/params.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "data/canon.h"
#include "data/json.h"

#define SHOWN_BYTES 60 /* of a wrong value in a message */
#define INT_TEXT    24

/* " (it was ...)" */
static void add_value(struct buf *b, const struct jsonval *v)
{
	struct buf text = BUF_INIT(64u << 10);

	jsondoc_print(v, &text);
	if (jsondoc_is_num(v) && str_eq(buf_str(&text), STR("null"))) {
		/* 1e400 */
		buf_reset(&text);
		buf_add(&text, STR("so large a number"));
	}
	buf_add(b, STR(", not "));
	utf8_show(b, utf8_head(buf_str(&text), SHOWN_BYTES), UTF8_ONELINE);
	if (text.full || text.n > SHOWN_BYTES)
		buf_add(b, STR("..."));
	buf_release(&text);
}

static int wrong(const struct param *p, const char *what, const struct jsonval *v,
		 struct err *e)
{
	struct buf b = BUF_INIT(4u << 10);
	int ret;

	if (v)
		add_value(&b, v);
	ret = err_set(e, HF_EUSAGE, "%s: %s%s", p->name, what, buf_cstr(&b));
	buf_release(&b);
	return ret;
}

/* --- coercion --- */

/* Digits of any length, perhaps behind a minus: what does not fit is the nearest that does. */
static bool any_i64(str s, int64_t *n)
{
	str digits = str_from(s, s.n && s.p[0] == '-');

	if (str_i64(s, n))
		return true;
	for (size_t i = 0; i < digits.n; i++)
		if (!str_is_digit(digits.p[i]))
			return false;
	*n = digits.n < s.n ? INT64_MIN : INT64_MAX;
	return digits.n > 0;
}

/* "4", "+4", "4.0" */
static bool whole_number(str s, int64_t *n)
{
	size_t dot;

	s = str_trim(s);
	dot = str_chr(s, '.');
	if (dot != STR_NPOS) {
		str zeros = str_from(s, dot + 1);

		for (size_t i = 0; i < zeros.n; i++)
			if (zeros.p[i] != '0')
				return false;
		s = str_head(s, dot);
	}
	if (s.n > 1 && s.p[0] == '+' && str_is_digit(s.p[1]))
		s = str_from(s, 1);
	return any_i64(s, n);
}

static int take_int(const struct param *p, const struct jsonval *v,
		    struct param_value *out, struct err *e)
{
	char what[80];
	int64_t n = 0;

	if (jsondoc_is_bool(v))
		n = jsondoc_bool(v, false);
	else if (jsondoc_is_str(v) ? !whole_number(jsondoc_str(v), &n)
				   : !jsondoc_whole(v, &n))
		return wrong(p, "Input should be a whole number", v, e);
	out->number = n;
	if ((p->min || p->max) && n < p->min) {
		snprintf(what, sizeof(what),
			 "Input should be greater than or equal to %" PRId64, p->min);
		return wrong(p, what, v, e);
	}
	if ((p->min || p->max) && n > p->max) {
		snprintf(what, sizeof(what),
			 "Input should be less than or equal to %" PRId64, p->max);
		return wrong(p, what, v, e);
	}
	return 0;
}

static int take_number(const struct param *p, const struct jsonval *v,
		       struct param_value *out, struct err *e)
{
	struct buf b = BUF_INIT(CANON_DIGITS_MAX);
	char what[80];
	bool ok;

	if (jsondoc_is_num(v))
		jsondoc_print(v, &b);
	else
		buf_add(&b, str_trim(jsondoc_str(v)));
	ok = canon_double(buf_str(&b), &out->real);
	buf_release(&b);
	if (!ok)
		return wrong(p, "Input should be a number", v, e);
	if ((p->min || p->max) &&
	    (out->real < (double)p->min || out->real > (double)p->max)) {
		snprintf(what, sizeof(what),
			 "Input should be from %" PRId64 " to %" PRId64, p->min, p->max);
		return wrong(p, what, v, e);
	}
	return 0;
}

static int take_bool(const struct param *p, const struct jsonval *v,
		     struct param_value *out, struct err *e)
{
	str s = str_trim(jsondoc_str(v));
	int64_t n = jsondoc_int(v, -1);

	out->yes =
		jsondoc_bool(v, n == 1 || str_ieq(s, STR("true")) || str_eq(s, STR("1")));
	if (out->yes || jsondoc_is_bool(v) || n == 0 || str_ieq(s, STR("false")) ||
	    str_eq(s, STR("0")))
		return 0;
	return wrong(p, "Input should be true or false", v, e);
}

static int take_choice(const struct param *p, const struct jsonval *v,
		       struct param_value *out, struct err *e)
{
	struct buf what = BUF_INIT(1u << 10);
	int ret;

	for (size_t i = 0; p->choice[i]; i++)
		if (str_eq(jsondoc_str(v), str_of(p->choice[i]))) {
			out->text = str_of(p->choice[i]);
			return 0;
		}
	buf_add(&what, STR("Input should be "));
	for (size_t i = 0; p->choice[i]; i++)
		buf_printf(&what, "%s'%s'",
			   i == 0             ? ""
			   : p->choice[i + 1] ? ", "
					      : " or ",
			   p->choice[i]);
	ret = wrong(p, buf_cstr(&what), v, e);
	buf_release(&what);
	return ret;
}

static str item_text(const struct jsonval *v, struct arena *a, bool *ok)
{
	struct buf b = BUF_INIT(INT_TEXT);
	str s = jsondoc_str(v), copy;

	if (jsondoc_is_num(v)) {
		jsondoc_print(v, &b);
		s = buf_str(&b);
	}
	copy = arena_str(a, s);
	*ok = (jsondoc_is_str(v) || jsondoc_is_num(v)) && copy.n == s.n;
	buf_release(&b);
	return copy;
}

static int take_list(const struct param *p, const struct jsonval *list,
		     const struct jsonval *whole, struct arena *a,
		     struct param_value *out, struct err *e)
{
	str *item = arena_new(a, str, PARAMS_LIST_MAX);
	size_t n = 0;
	bool ok = true;

	if (!item)
		return wrong(p, "too much to keep", NULL, e);
	for (const struct jsonval *v = list; v && ok; v = jsondoc_next(v)) {
		if (n == PARAMS_LIST_MAX) {
			char what[48];

			snprintf(what, sizeof(what), "Input should have at most %d items",
				 PARAMS_LIST_MAX);
			return wrong(p, what, NULL, e);
		}
		item[n++] = item_text(v, a, &ok);
	}
	if (!ok)
		return wrong(p, "Input should be a list of texts", whole, e);
	out->item = item;
	out->n = n;
	return 0;
}

/* A text for a list: the JSON of one, or its only item. */
static int take_list_text(const struct param *p, const struct jsonval *v, struct arena *a,
			  struct param_value *out, struct err *e)
{
	str s = str_trim(jsondoc_str(v));
	struct jsondoc *d = NULL;
	str *item;
	int ret = 0;

	if (str_starts(s, STR("[")))
		d = jsondoc_parse(s, s.n, NULL);
	if (d && jsondoc_is_arr(jsondoc_root(d))) {
		ret = take_list(p, jsondoc_first(jsondoc_root(d)), jsondoc_root(d), a,
				out, e);
	} else {
		item = arena_new(a, str, 1);
		if (item)
			*item = arena_str(a, s);
		out->item = item;
		out->n = item && s.n ? 1 : 0;
	}
	jsondoc_free(d);
	return ret;
}

/* null, and the text "null" for what is optional. Where any value will do, null is one if it is required. */
static bool is_null(const struct param *p, const struct jsonval *v)
{
	if (p->type == PARAM_JSON)
		return jsondoc_is_null(v) && !p->required;
	return jsondoc_is_null(v) ||
	       (!p->required && str_eq(str_trim(jsondoc_str(v)), STR("null")));
}

static int take_one(const struct param *p, const struct jsonval *v, struct arena *a,
		    struct param_value *out, struct err *e)
{
	*out = (struct param_value){0};
	if (p->type == PARAM_INT)
		out->number = p->fallback;
	if (p->type == PARAM_CHOICE && p->fallback)
		out->text = str_of(p->choice[p->fallback - 1]);
	if (!v || is_null(p, v))
		return p->required ? wrong(p, "Field required", NULL, e) : 0;
	out->given = true;
	switch (p->type) {
	case PARAM_INT:
		return take_int(p, v, out, e);
	case PARAM_CHOICE:
		return take_choice(p, v, out, e);
	case PARAM_TEXTS:
		if (jsondoc_is_str(v))
			return take_list_text(p, v, a, out, e);
		return jsondoc_is_arr(v)
			       ? take_list(p, jsondoc_first(v), v, a, out, e)
			       : wrong(p, "Input should be a list of texts", v, e);
	case PARAM_NUMBER:
		return take_number(p, v, out, e);
	case PARAM_BOOL:
		return take_bool(p, v, out, e);
	case PARAM_JSON:
		out->json = v;
		return 0;
	case PARAM_TEXT:
		break;
	}
	out->text = jsondoc_str(v);
	return jsondoc_is_str(v) ? 0 : wrong(p, "Input should be a text", v, e);
}

int params_take(const struct param *p, size_t n, const struct jsonval *args,
		struct arena *a, struct param_value *v, struct err *e)
{
	int ret = 0;

	if (args && !jsondoc_is_obj(args) && !jsondoc_is_null(args))
		return err_set(e, HF_EUSAGE, "arguments: Input should be an object");
	for (size_t i = 0; i < n && !ret; i++)
		ret = take_one(&p[i], jsondoc_get(args, p[i].name), a, &v[i], e);
	return ret;
}

/* --- schema --- */

static void schema_one(const struct param *p, struct buf *b)
{
	static const char *const TYPE[] = {
		[PARAM_TEXT] = "string",   [PARAM_INT] = "integer",
		[PARAM_CHOICE] = "string", [PARAM_TEXTS] = "array",
		[PARAM_NUMBER] = "number", [PARAM_BOOL] = "boolean",
	};

	if (p->type == PARAM_JSON) {
		/* no type: any */
		buf_byte(b, '{');
		if (p->help) {
			json_add_key(b, "description");
			json_add_str(b, str_of(p->help));
		}
		buf_byte(b, '}');
		return;
	}
	buf_printf(b, "{\"type\":\"%s\"", TYPE[p->type]);
	if (p->type == PARAM_TEXTS)
		buf_add(b, STR(",\"items\":{\"type\":\"string\"}"));
	if (p->type == PARAM_CHOICE) {
		buf_add(b, STR(",\"enum\":["));
		for (size_t i = 0; p->choice[i]; i++) {
			json_add_sep(b);
			json_add_str(b, str_of(p->choice[i]));
		}
		buf_byte(b, ']');
		if (p->fallback)
			buf_printf(b, ",\"default\":\"%s\"", p->choice[p->fallback - 1]);
	}
	if ((p->type == PARAM_INT || p->type == PARAM_NUMBER) && (p->min || p->max))
		buf_printf(b, ",\"minimum\":%" PRId64 ",\"maximum\":%" PRId64, p->min,
			   p->max);
	if (p->type == PARAM_INT && p->fallback)
		buf_printf(b, ",\"default\":%" PRId64, p->fallback);
	if (p->help) {
		json_add_key(b, "description");
		json_add_str(b, str_of(p->help));
	}
	buf_byte(b, '}');
}

void params_schema(const struct param *p, size_t n, struct buf *out)
{
	bool any = false;

	buf_add(out, STR("{\"type\":\"object\",\"properties\":{"));
	for (size_t i = 0; i < n; i++) {
		json_add_key(out, p[i].name);
		schema_one(&p[i], out);
		any = any || p[i].required;
	}
	buf_byte(out, '}');
	if (any) {
		buf_add(out, STR(",\"required\":["));
		for (size_t i = 0; i < n; i++)
			if (p[i].required) {
				json_add_sep(out);
				json_add_str(out, str_of(p[i].name));
			}
		buf_byte(out, ']');
	}
	buf_byte(out, '}');
}
