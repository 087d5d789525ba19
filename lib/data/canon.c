/*
 * A value is read into a table of nodes (parent, next, first child as indices), the children of
 * every object are sorted, and the table is walked along those links. Names and strings are
 * decoded once and written anew, so that "\u0041" and "A" are the same text.
 */
#include "data/canon.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "data/json.h"

#define NONE UINT32_MAX

struct node {
	enum json_tok tok;
	str raw;    /* of numbers: the text; of strings: undecoded */
	size_t key; /* where its decoded name begins in names */
	size_t key_n;
	uint32_t parent, next, first, last, n;
};

struct tree {
	struct buf nodes, names, order;
	uint32_t n;
	int depth;
};

static struct node *node_at(const struct tree *t, uint32_t i)
{
	return (struct node *)(void *)t->nodes.p + i;
}

static str name_of(const struct tree *t, const struct node *n)
{
	return n->key_n ? (str){t->names.p + n->key, n->key_n} : STR_NONE;
}

static void tree_release(struct tree *t)
{
	buf_release(&t->nodes);
	buf_release(&t->names);
	buf_release(&t->order);
}

/* A new last child of parent. */
static uint32_t add_node(struct tree *t, uint32_t parent, enum json_tok tok, str raw)
{
	struct node made = {.tok = tok,
			    .raw = raw,
			    .parent = parent,
			    .next = NONE,
			    .first = NONE,
			    .last = NONE};
	struct node *up;
	uint32_t i = t->n++;

	buf_add(&t->nodes, (str){(const char *)&made, sizeof(made)});
	if (parent == NONE)
		return i;
	up = node_at(t, parent);
	if (up->last == NONE)
		up->first = i;
	else
		node_at(t, up->last)->next = i;
	up->last = i;
	up->n++;
	return i;
}

static int bad_json(const struct json *j, enum json_tok tok, struct err *e)
{
	return err_set(e, HF_EFORMAT,
		       tok == JSON_MORE ? "JSON ends inside a value at byte %zu"
					: "no JSON at byte %zu",
		       j->at);
}

static int check_number(str raw, struct err *e)
{
	double v;

	if (raw.n > CANON_DIGITS_MAX)
		return err_set(e, HF_ELIMIT, "a number of over %d digits",
			       CANON_DIGITS_MAX);
	if (!canon_double(raw, &v))
		return err_set(e, HF_EFORMAT, "number out of range: %.*s", STR_ARG(raw));
	return 0;
}

/* One token that begins or is a value. */
static int take_value(struct tree *t, struct json *j, enum json_tok tok, uint32_t *at,
		      size_t key, struct err *e)
{
	struct node *made;
	uint32_t i;
	int ret = tok == JSON_NUM ? check_number(j->raw, e) : 0;

	if (ret)
		return ret;
	if (t->n >= CANON_VALUES_MAX)
		return err_set(e, HF_ELIMIT, "over %d JSON values", CANON_VALUES_MAX);
	i = add_node(t, *at, tok, tok == JSON_STR || tok == JSON_NUM ? j->raw : STR_NONE);
	made = node_at(t, i);
	made->key = key;
	made->key_n = t->names.n - key;
	if (tok != JSON_OBJ && tok != JSON_ARR)
		return 0;
	*at = i;
	if (++t->depth > CANON_DEPTH_MAX)
		return err_set(e, HF_ELIMIT, "JSON nested deeper than %d",
			       CANON_DEPTH_MAX);
	return 0;
}

static int tree_read(struct tree *t, str text, struct err *e)
{
	struct json j;
	uint32_t at = NONE;
	size_t key = 0;
	int ret = 0;

	json_init(&j, text);
	for (;;) {
		enum json_tok tok = json_next(&j);

		if (tok == JSON_END)
			return 0;
		if (tok == JSON_BAD || tok == JSON_MORE)
			return bad_json(&j, tok, e);
		if (tok == JSON_OBJ_END || tok == JSON_ARR_END) {
			at = node_at(t, at)->parent;
			t->depth--;
			key = t->names.n;
		} else if (tok == JSON_KEY) {
			key = t->names.n;
			json_text(&j, &t->names);
		} else {
			ret = take_value(t, &j, tok, &at, key, e);
			if (ret)
				return ret;
			key = t->names.n;
		}
	}
}

struct member {
	str key;
	uint32_t node;
};

static int by_key(const void *a, const void *b)
{
	return str_cmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

/* Put the members of object i in order. */
static int sort_object(struct tree *t, uint32_t i, struct err *e)
{
	struct node *up = node_at(t, i);
	struct member *m;
	uint32_t n = 0;

	if (!up->n)
		return 0;
	buf_reset(&t->order);
	m = (struct member *)(void *)buf_room(&t->order, up->n * sizeof(*m));
	for (uint32_t c = up->first; c != NONE; c = node_at(t, c)->next) {
		struct node *child = node_at(t, c);

		m[n++] = (struct member){name_of(t, child), c};
	}
	qsort(m, n, sizeof(*m), by_key);
	for (uint32_t k = 0; k < n; k++) {
		if (k && str_eq(m[k].key, m[k - 1].key))
			return err_set(e, HF_EFORMAT,
				       "the name '%.*s' twice in one object",
				       STR_ARG(str_head(m[k].key, 80)));
		node_at(t, m[k].node)->next = k + 1 < n ? m[k + 1].node : NONE;
	}
	up->first = m[0].node;
	up->last = m[n - 1].node;
	return 0;
}

static int tree_sort(struct tree *t, struct err *e)
{
	int ret = 0;

	for (uint32_t i = 0; i < t->n && !ret; i++)
		if (node_at(t, i)->tok == JSON_OBJ)
			ret = sort_object(t, i, e);
	return ret;
}

static void add_unit(struct buf *out, uint32_t unit)
{
	buf_printf(out, "\\u%04x", (unsigned)unit);
}

/* Everything beyond ASCII as UTF-16 units. */
static void add_ascii(struct buf *out, uint32_t cp)
{
	if (cp >= 0x10000) {
		cp -= 0x10000;
		add_unit(out, 0xd800 + (cp >> 10));
		add_unit(out, 0xdc00 + (cp & 0x3ff));
	} else {
		add_unit(out, cp);
	}
}

static void add_control(struct buf *out, char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *known = c ? strchr(from, c) : NULL;

	if (!known) {
		add_unit(out, (unsigned char)c);
		return;
	}
	buf_byte(out, '\\');
	buf_byte(out, to[known - from]);
}

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && c != '"' && c != '\\' && !(c & 0x80) &&
	       c != 0x7f;
}

/* s is valid UTF-8. */
static void add_string(struct buf *out, str s, bool ascii)
{
	uint32_t cp;
	size_t n;

	buf_byte(out, '"');
	while (s.n) {
		for (n = 0; n < s.n && is_plain(s.p[n]);)
			n++;
		buf_add(out, str_head(s, n));
		s = str_from(s, n);
		if (!s.n)
			break;
		n = utf8_next(s, &cp);
		if (!n) {
			buf_add(out, STR("\xef\xbf\xbd"));
			n = 1;
		} else if (cp == 0x7f && ascii) {
			buf_byte(out, 0x7f);
		} else if (cp < 0x80) {
			add_control(out, s.p[0]);
		} else if (ascii) {
			add_ascii(out, cp);
		} else {
			buf_add(out, str_head(s, n));
		}
		s = str_from(s, n);
	}
	buf_byte(out, '"');
}

void canon_str(struct buf *out, str s)
{
	struct buf clean = BUF_INIT(SIZE_MAX);

	if (utf8_valid(s)) {
		add_string(out, s, false);
		return;
	}
	utf8_add(&clean, s);
	add_string(out, buf_str(&clean), false);
	buf_release(&clean);
}

bool canon_double(str s, double *v)
{
	char text[CANON_DIGITS_MAX + 1];

	if (!json_number(s) || s.n > CANON_DIGITS_MAX)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	*v = strtod(text, NULL);
	return isfinite(*v);
}

/* The fewest significant digits that read back as v, with the exponent of d.ddd. */
static void shortest(double v, char digits[24], int *exponent)
{
	char text[40];
	size_t n = 0;

	/* 15 digits always survive, but for subnormal numbers, which have fewer */
	for (int precision = v < DBL_MIN ? 0 : 14; precision <= 16; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	for (const char *p = text; *p != 'e'; p++)
		if (str_is_digit(*p))
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = 0;
	*exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

void canon_number(struct buf *out, double v)
{
	char digits[24];
	int exponent, n, point;

	if (v == 0) {
		buf_byte(out, '0');
		return;
	}
	if (v < 0)
		buf_byte(out, '-');
	shortest(fabs(v), digits, &exponent);
	n = (int)strlen(digits);
	point = exponent + 1; /* the decimal point stands behind so many digits */
	if (point <= -4 || point > n + 15) {
		buf_byte(out, digits[0]);
		if (n > 1)
			buf_printf(out, ".%s", digits + 1);
		buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
	} else if (point <= 0) {
		buf_add(out, STR("0."));
		buf_fill(out, '0', (size_t)-point);
		buf_add(out, str_of(digits));
	} else if (point >= n) {
		buf_add(out, str_of(digits));
		buf_fill(out, '0', (size_t)(point - n));
	} else {
		buf_printf(out, "%.*s.%s", point, digits, digits + point);
	}
}

static void add_number(struct buf *out, str raw)
{
	double v = 0;

	if (str_eq(raw, STR("-0"))) {
		buf_byte(out, '0');
	} else if (str_chr(raw, '.') == STR_NPOS && str_chr(raw, 'e') == STR_NPOS &&
		   str_chr(raw, 'E') == STR_NPOS) {
		buf_add(out, raw);
	} else {
		canon_double(raw, &v);
		canon_number(out, v);
	}
}

static void add_leaf(struct buf *out, const struct node *n, enum canon_form form)
{
	struct buf text = BUF_INIT(SIZE_MAX);

	switch (n->tok) {
	case JSON_STR:
		json_unescape(&text, n->raw);
		add_string(out, buf_str(&text), form == CANON_ASCII);
		break;
	case JSON_NUM:
		add_number(out, n->raw);
		break;
	case JSON_TRUE:
		buf_add(out, STR("true"));
		break;
	case JSON_FALSE:
		buf_add(out, STR("false"));
		break;
	case JSON_OBJ:
		buf_add(out, STR("{}"));
		break;
	case JSON_ARR:
		buf_add(out, STR("[]"));
		break;
	default:
		buf_add(out, STR("null"));
	}
	buf_release(&text);
}

static void new_line(struct buf *out, int depth, enum canon_form form)
{
	if (form != CANON_PRETTY)
		return;
	buf_byte(out, '\n');
	buf_fill(out, ' ', 2 * (size_t)depth);
}

static void add_name(struct buf *out, const struct tree *t, const struct node *n,
		     enum canon_form form)
{
	if (n->parent == NONE || node_at(t, n->parent)->tok != JSON_OBJ)
		return;
	add_string(out, name_of(t, n), form == CANON_ASCII);
	buf_byte(out, ':');
	if (form == CANON_PRETTY)
		buf_byte(out, ' ');
}

static void tree_print(const struct tree *t, struct buf *out, enum canon_form form)
{
	uint32_t at = 0;
	int depth = 0;

	for (;;) {
		const struct node *n = node_at(t, at);

		add_name(out, t, n, form);
		if (n->first != NONE) {
			buf_byte(out, n->tok == JSON_OBJ ? '{' : '[');
			new_line(out, ++depth, form);
			at = n->first;
			continue;
		}
		add_leaf(out, n, form);
		while (n->next == NONE) {
			if (n->parent == NONE)
				return;
			n = node_at(t, n->parent);
			new_line(out, --depth, form);
			buf_byte(out, n->tok == JSON_OBJ ? '}' : ']');
		}
		buf_byte(out, ',');
		new_line(out, depth, form);
		at = n->next;
	}
}

int canon_json(struct buf *out, str text, enum canon_form form, struct err *e)
{
	struct tree t = {.nodes = BUF_INIT(SIZE_MAX),
			 .names = BUF_INIT(SIZE_MAX),
			 .order = BUF_INIT(SIZE_MAX)};
	size_t before = out->n;
	int ret = tree_read(&t, text, e);

	if (!ret)
		ret = tree_sort(&t, e);
	if (!ret)
		tree_print(&t, out, form);
	if (!ret && out->full) {
		buf_cut(out, before);
		ret = err_set(e, HF_ELIMIT, "JSON over %zu bytes", out->max);
	}
	tree_release(&t);
	return ret;
}
