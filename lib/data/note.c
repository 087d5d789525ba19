/*
 * note: the subset of YAML in the header, and headings outside fenced code.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "data/note.h"

/* --- front matter --- */

static bool is_rule(str line)
{
	return str_eq(str_trim_right(line), STR("---"));
}

static bool is_key_char(char c)
{
	return str_is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/* The bytes of a quoted scalar with its quotes, or 0 when it does not close on this line. */
static size_t quoted_length(str s)
{
	char q = s.p[0];
	size_t i;

	for (i = 1; i < s.n; i++) {
		if (q == '"' && s.p[i] == '\\') {
			i++;
		} else if (s.p[i] == q) {
			if (q == '\'' && i + 1 < s.n && s.p[i + 1] == '\'')
				i++; /* '' is one quote */
			else
				return i + 1;
		}
	}
	return 0;
}

static bool is_quoted(str s)
{
	return s.n > 1 && (s.p[0] == '"' || s.p[0] == '\'') && quoted_length(s) == s.n;
}

/* Where a plain value or list ends: before " #" that is not inside a quoted element. */
static str cut_comment(str v)
{
	bool list = v.n && v.p[0] == '[';
	size_t i = 0, q;

	while (i < v.n) {
		if (list && (v.p[i] == '"' || v.p[i] == '\'') &&
		    (v.p[i - 1] == '[' || v.p[i - 1] == ',' || v.p[i - 1] == ' ') &&
		    (q = quoted_length(str_from(v, i))) > 0) {
			i += q;
			continue;
		}
		if (v.p[i] == '#' && (i == 0 || v.p[i - 1] == ' ' || v.p[i - 1] == '\t'))
			break;
		i++;
	}
	return str_trim_right(str_head(v, i));
}

/* The value of a line, without its comment. */
static str value_of(str rest)
{
	str v = str_trim(rest), after;
	size_t q;

	if (v.n && (v.p[0] == '"' || v.p[0] == '\'')) {
		q = quoted_length(v);
		after = str_trim(str_from(v, q));
		if (q && (after.n == 0 || after.p[0] == '#'))
			return str_head(v, q);
	}
	return cut_comment(v);
}

static void add_line(struct note *n, str line)
{
	size_t k = 0;

	while (k < line.n && is_key_char(line.p[k]))
		k++;
	if (k == 0 || k >= line.n || line.p[k] != ':' || n->nfields == NOTE_KEYS_MAX)
		return;
	if (k + 1 < line.n && line.p[k + 1] != ' ' && line.p[k + 1] != '\t')
		return;
	n->field[n->nfields++] =
		(struct note_field){str_head(line, k), value_of(str_from(line, k + 1))};
}

/* Returns the text behind the front matter; the whole text when there is none. */
static str parse_front(struct note *n, str text)
{
	str rest = text, line;

	if (!str_line(&rest, &line) || !is_rule(line))
		return text;
	while (str_line(&rest, &line)) {
		if (is_rule(line))
			return rest;
		add_line(n, line);
	}
	n->nfields = 0;
	return text;
}

/* --- headings --- */

struct fence {
	char mark; /* 0 = outside */
	size_t n;
};

/* Follow fenced code over one line; true while the line is code or a fence. */
static bool in_fence(struct fence *f, str line)
{
	size_t indent = 0, n = 0;
	char c;

	while (indent < line.n && line.p[indent] == ' ')
		indent++;
	line = str_from(line, indent);
	c = line.n ? line.p[0] : 0;
	while (n < line.n && line.p[n] == c)
		n++;
	if (f->mark) {
		if (indent < 4 && c == f->mark && n >= f->n &&
		    str_trim(str_from(line, n)).n == 0)
			f->mark = 0;
		return true;
	}
	if (indent >= 4 || n < 3 || (c != '`' && c != '~'))
		return false;
	/* `x``` y` on one line is no fence */
	if (c == '`' && str_chr(str_from(line, n), '`') != STR_NPOS)
		return false;
	*f = (struct fence){c, n};
	return true;
}

static bool is_heading(str line, str mark, str *text)
{
	if (!str_starts(line, mark))
		return false;
	if (line.n > mark.n && line.p[mark.n] != ' ' && line.p[mark.n] != '\t')
		return false;
	*text = str_trim(str_from(line, mark.n));
	return true;
}

static void find_title(struct note *n)
{
	str rest = n->body, line;
	struct fence f = {0, 0};

	while (str_line(&rest, &line))
		if (!in_fence(&f, line) && is_heading(line, STR("#"), &n->title))
			return;
}

bool note_section(const struct note *n, size_t *it, str *heading, str *body)
{
	str rest = str_from(n->body, *it), line, text;
	struct fence f = {0, 0};
	const char *begin = NULL, *here;

	if (*it >= n->body.n)
		return false;
	for (;;) {
		here = rest.p;
		if (!str_line(&rest, &line)) {
			here = n->body.p + n->body.n;
			break;
		}
		if (in_fence(&f, line) || !is_heading(line, STR("##"), &text))
			continue;
		if (begin)
			break;
		*heading = text;
		begin = rest.n ? rest.p : n->body.p + n->body.n;
	}
	*it = (size_t)(here - n->body.p);
	if (!begin)
		return false;
	*body = (str){begin, (size_t)(here - begin)};
	return true;
}

void note_parse(struct note *n, str text)
{
	n->nfields = 0;
	n->title = STR_NONE;
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_from(text, 3);
	n->body = parse_front(n, text);
	find_title(n);
}

/* --- values --- */

str note_get(const struct note *n, const char *key)
{
	size_t i = n->nfields;

	while (i-- > 0)
		if (str_eq(n->field[i].key, str_of(key)))
			return n->field[i].value;
	return STR_NONE;
}

/* n hexadecimal digits at the start of s, or -1. */
static long hex(str s, size_t n)
{
	long v = 0;
	size_t i;

	if (s.n < n)
		return -1;
	for (i = 0; i < n; i++) {
		char c = str_lower(s.p[i]);

		if (str_is_digit(c))
			v = v * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (c - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* One escape of a double-quoted scalar; s is behind the backslash. Returns bytes used. */
static size_t decode_escape(str s, struct buf *out)
{
	char utf8[4];
	long v;

	switch (s.n ? s.p[0] : 0) {
	case 'n':
		buf_byte(out, '\n');
		return 1;
	case 't':
		buf_byte(out, '\t');
		return 1;
	case 'r':
		buf_byte(out, '\r');
		return 1;
	case '"':
	case '\\':
	case '/':
		buf_byte(out, s.p[0]);
		return 1;
	case 'x':
	case 'u':
		v = hex(str_from(s, 1), s.p[0] == 'x' ? 2 : 4);
		if (v < 0)
			break;
		buf_add(out, (str){utf8, utf8_put(utf8, (uint32_t)v)});
		return s.p[0] == 'x' ? 3 : 5;
	default:
		break;
	}
	/* not ours: it stays as it is */
	buf_byte(out, '\\');
	return 0;
}

static void decode_double(str s, struct buf *out)
{
	while (s.n) {
		size_t at = str_chr(s, '\\');

		buf_add(out, str_head(s, at));
		if (at == STR_NPOS)
			return;
		s = str_from(s, at + 1);
		s = str_from(s, decode_escape(s, out));
	}
}

static void decode_single(str s, struct buf *out)
{
	while (s.n) {
		size_t at = str_chr(s, '\'');

		buf_add(out, str_head(s, at));
		if (at == STR_NPOS)
			return;
		buf_byte(out, '\'');
		s = str_from(s, at + 2);
	}
}

/* False for what stands for nothing. */
static bool decode(str v, struct buf *out)
{
	if (is_quoted(v)) {
		str inner = {v.p + 1, v.n - 2};

		if (v.p[0] == '"')
			decode_double(inner, out);
		else
			decode_single(inner, out);
		return true;
	}
	if (v.n == 0 || str_eq(v, STR("null")) || str_eq(v, STR("~")))
		return false;
	buf_add(out, v);
	return true;
}

bool note_value(const struct note *n, const char *key, struct buf *out)
{
	return decode(note_get(n, key), out);
}

bool note_list(str value, size_t *it, struct buf *out)
{
	str item;
	size_t q, end;

	buf_reset(out);
	if (value.n < 2 || value.p[0] != '[' || value.p[value.n - 1] != ']') {
		/* one value without brackets is a list of one */
		if (*it > 0)
			return false;
		*it = 1;
		return decode(value, out);
	}
	value.n--;
	for (;;) {
		if (*it == 0)
			*it = 1;
		if (*it >= value.n)
			return false;
		item = str_from(value, *it);
		while (item.n && str_is_space(item.p[0])) {
			item = str_from(item, 1);
			++*it;
		}
		q = item.n && (item.p[0] == '"' || item.p[0] == '\'')
			    ? quoted_length(item)
			    : 0;
		end = str_chr(str_from(item, q), ',');
		end = end == STR_NPOS ? item.n : q + end;
		*it += end + 1;
		item = str_head(
			item,
			q && str_trim(str_from(str_head(item, end), q)).n == 0 ? q : end);
		/* an empty place between commas is skipped */
		if (decode(str_trim(item), out))
			return true;
	}
}

/* --- writing --- */

/* Characters that other readers (Python's splitlines) take for the end of a line. */
static bool breaks_line(uint32_t cp)
{
	return cp < 0x20 || cp == 0x7f || cp == 0x85 || cp == 0x2028 || cp == 0x2029;
}

static bool needs_quotes(str v)
{
	static const char first[] = "\"'[]{}>|*&!%#`@-?:,~=<";
	uint32_t cp;
	size_t i;

	if (v.n == 0 || str_trim(v).n != v.n || strchr(first, v.p[0]) ||
	    str_eq(v, STR("null")) || v.p[v.n - 1] == ':')
		return true;
	if (str_find(v, STR(": ")) != STR_NPOS || str_find(v, STR(" #")) != STR_NPOS)
		return true;
	for (i = 0; i < v.n;) {
		size_t n = utf8_next(str_from(v, i), &cp);

		if (n && breaks_line(cp))
			return true;
		i += n ? n : 1;
	}
	return false;
}

static void add_quoted(struct buf *b, str v)
{
	uint32_t cp;

	buf_byte(b, '"');
	while (v.n) {
		size_t n = utf8_next(v, &cp);

		if (n == 0)
			buf_byte(b, v.p[0]); /* ill-formed: kept as it is */
		else if (cp == '"' || cp == '\\')
			buf_printf(b, "\\%c", (char)cp);
		else if (cp == '\n')
			buf_add(b, STR("\\n"));
		else if (cp == '\t')
			buf_add(b, STR("\\t"));
		else if (cp == '\r')
			buf_add(b, STR("\\r"));
		else if (breaks_line(cp))
			buf_printf(b, cp < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)cp);
		else
			buf_add(b, str_head(v, n));
		v = str_from(v, n ? n : 1);
	}
	buf_byte(b, '"');
}

void note_add_field(struct buf *b, const char *key, str value)
{
	buf_add(b, str_of(key));
	buf_add(b, STR(": "));
	if (needs_quotes(value))
		add_quoted(b, value);
	else
		buf_add(b, value);
	buf_byte(b, '\n');
}
