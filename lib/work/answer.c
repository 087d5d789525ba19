#include "work/answer.h"

#include "base/utf8.h"

#define LABEL_CHARS 60
#define QUERY_CHARS 300 /* of a query that is said again */

/* --- log_event --- */

static str head_chars(str s, size_t n)
{
	size_t at = 0;
	uint32_t cp;

	for (; n && at < s.n; n--) {
		size_t k = utf8_next(str_from(s, at), &cp);

		at += k ? k : 1;
	}
	return str_head(s, at);
}

/* The ids in the list that the caller did not name himself. */
static size_t add_matches(struct buf *b, const struct store_logged *done)
{
	size_t n = 0;

	for (size_t i = 0; i < done->nretired; i++) {
		const struct store_retired *r = &done->retired[i];

		if (r->how != STORE_MATCH && r->how != STORE_AUTO)
			continue;
		buf_add(b, n++ ? STR("; ") : STR("\nSuperseded by best match: "));
		buf_add(b, str_of(r->id));
		if (r->label && r->label[0]) {
			buf_add(b, STR(" \xc2\xab"));
			buf_add(b, head_chars(str_of(r->label), LABEL_CHARS));
			buf_add(b, STR("\xc2\xbb"));
		}
	}
	return n;
}

static void add_unknown(struct buf *b, const struct store_logged *done)
{
	size_t unknown = 0, n = 0;

	for (size_t i = 0; i < done->nretired; i++)
		unknown += done->retired[i].how == STORE_UNKNOWN;
	if (!unknown)
		return;
	buf_add(b,
		unknown == 1
			? STR("\nNo event is known by this id, which was kept all the same: ")
			: STR("\nNo event is known by these ids, which were kept all the same: "));
	for (size_t i = 0; i < done->nretired; i++)
		if (done->retired[i].how == STORE_UNKNOWN)
			buf_printf(b, "%s%s", n++ ? ", " : "", done->retired[i].id);
}

void answer_logged(struct buf *b, const struct store_logged *done,
		   const struct store_event *in)
{
	buf_add(b, str_of(done->id));
	if (in->query.n && add_matches(b, done)) {
		buf_printf(b, "\nIf that is wrong, `handoff undo %s` brings it back.",
			   done->id);
	} else if (in->query.n) {
		str said = head_chars(in->query, QUERY_CHARS);

		buf_printf(b, "\n(no active %.*s matched ",
			   STR_ARG(event_type_name(in->type)));
		answer_repr(b, said);
		buf_add(b, said.n < in->query.n ? STR("... to supersede)")
						: STR(" to supersede)"));
	}
	if (in->query.n && done->blind)
		buf_add(b,
			STR("\n(The index cannot be read now, so nothing was looked for.)"));
	add_unknown(b, done);
}

/* --- repr --- */

/* What str.isprintable() denies: categories C and Z but the space, the ranges that are common. */
static bool printable(uint32_t cp)
{
	static const struct {
		uint32_t from, to;
	} NOT[] = {
		{0x00, 0x1f},     {0x7f, 0xa0},        {0xad, 0xad},     {0x600, 0x605},
		{0x61c, 0x61c},   {0x6dd, 0x6dd},      {0x70f, 0x70f},   {0x1680, 0x1680},
		{0x180e, 0x180e}, {0x2000, 0x200f},    {0x2028, 0x202f}, {0x205f, 0x206f},
		{0x3000, 0x3000}, {0xd800, 0xf8ff},    {0xfeff, 0xfeff}, {0xfff0, 0xfffb},
		{0xfffe, 0xffff}, {0xe0000, 0x10ffff},
	};

	for (size_t i = 0; i < sizeof(NOT) / sizeof(NOT[0]); i++)
		if (cp >= NOT[i].from && cp <= NOT[i].to)
			return false;
	return true;
}

static void repr_char(struct buf *b, str c, uint32_t cp, char quote)
{
	if (cp == (unsigned char)quote || cp == '\\') {
		buf_byte(b, '\\');
		buf_byte(b, (char)cp);
	} else if (cp == '\n' || cp == '\r' || cp == '\t') {
		buf_add(b, cp == '\n'   ? STR("\\n")
			   : cp == '\r' ? STR("\\r")
					: STR("\\t"));
	} else if (printable(cp)) {
		buf_add(b, c);
	} else {
		buf_printf(b,
			   cp < 0x100     ? "\\x%02x"
			   : cp < 0x10000 ? "\\u%04x"
					  : "\\U%08x",
			   cp);
	}
}

void answer_repr(struct buf *b, str s)
{
	char quote =
		str_chr(s, '\'') != STR_NPOS && str_chr(s, '"') == STR_NPOS ? '"' : '\'';

	buf_byte(b, quote);
	for (size_t at = 0; at < s.n;) {
		uint32_t cp;
		size_t n = utf8_next(str_from(s, at), &cp);

		if (n)
			repr_char(b, str_head(str_from(s, at), n), cp, quote);
		else
			buf_add(b, STR("\xef\xbf\xbd"));
		at += n ? n : 1;
	}
	buf_byte(b, quote);
}
