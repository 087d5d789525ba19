/*
 * Almost all text is ASCII, so each loop here first takes a run of plain bytes at once,
 * eight at a time where it can, and looks at single characters only between runs.
 */
#include "base/utf8.h"
#include "base/lanes.h"

#define UTF8_REPLACEMENT "\xEF\xBF\xBD"

#define UTF8_ONES UINT64_C(0x0101010101010101)
#define UTF8_HIGH UINT64_C(0x8080808080808080)

/*
 * The bytes that a lead byte announces (0: no lead byte), and the range of the second byte,
 * which is where overlong forms, surrogates and values above U+10FFFF show (Unicode 15,
 * table 3-7). Every later byte is 80..BF.
 */
static size_t utf8_lead(unsigned char c, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xBF;
	if (c < 0x80)
		return 1;
	if (c < 0xC2)
		return 0;
	if (c < 0xE0)
		return 2;
	if (c < 0xF0) {
		if (c == 0xE0)
			*low = 0xA0;
		else if (c == 0xED)
			*high = 0x9F;
		return 3;
	}
	if (c > 0xF4)
		return 0;
	if (c == 0xF0)
		*low = 0x90;
	else if (c == 0xF4)
		*high = 0x8F;
	return 4;
}

/*
 * Look at the character at the start of s (not empty). True: it is whole, *n bytes long.
 * False: *n is the length of the ill-formed maximal subpart, at least 1.
 */
static bool utf8_step(str s, size_t *n)
{
	unsigned char low, high;
	size_t want = utf8_lead((unsigned char)s.p[0], &low, &high);
	size_t got = 1;

	for (; got < want && got < s.n; got++) {
		unsigned char c = (unsigned char)s.p[got];

		if (c < low || c > high)
			break;
		low = 0x80;
		high = 0xBF;
	}
	*n = got;
	return got == want;
}

size_t utf8_next(str s, uint32_t *cp)
{
	static const unsigned char mask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint32_t v;
	size_t n;

	*cp = 0;
	if (s.n == 0 || !utf8_step(s, &n))
		return 0;
	v = (unsigned char)s.p[0] & mask[n];
	for (size_t i = 1; i < n; i++)
		v = v << 6 | ((unsigned char)s.p[i] & 0x3F);
	*cp = v;
	return n;
}

size_t utf8_put(char out[4], uint32_t cp)
{
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = 0xFFFD;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xC0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xE0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		out[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	out[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

static uint64_t utf8_load(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* Bytes at the start of s that are ASCII. */
static size_t utf8_ascii_run(str s)
{
	size_t n = 0;

	while (s.n - n >= 8 && !(utf8_load(s.p + n) & UTF8_HIGH))
		n += 8;
	while (n < s.n && !(s.p[n] & 0x80))
		n++;
	return n;
}

/* Bytes at the start of s that are well-formed. */
static size_t utf8_valid_run(str s)
{
	size_t n = 0, step;

	for (;;) {
		n += utf8_ascii_run(str_from(s, n));
		if (n == s.n || !utf8_step(str_from(s, n), &step))
			return n;
		n += step;
	}
}

bool utf8_valid(str s)
{
	return utf8_valid_run(s) == s.n;
}

void utf8_add(struct buf *b, str s)
{
	size_t n;

	while (s.n && !b->full) {
		n = utf8_valid_run(s);
		buf_add(b, str_head(s, n));
		s = str_from(s, n);
		if (s.n && !utf8_step(s, &n)) {
			buf_add(b, STR(UTF8_REPLACEMENT));
			s = str_from(s, n);
		}
	}
}

/* Where the character that covers the border at `at` begins and ends; both `at` if none does. */
static void utf8_border(str s, size_t at, size_t *begin, size_t *end)
{
	size_t n;

	*begin = *end = at;
	for (size_t back = 1; back <= 3 && back <= at; back++) {
		if ((s.p[at - back] & 0xC0) == 0x80)
			continue;
		if (utf8_step(str_from(s, at - back), &n) && n > back) {
			*begin = at - back;
			*end = at - back + n;
		}
		return;
	}
}

str utf8_head(str s, size_t max)
{
	size_t begin, end;

	if (s.n <= max)
		return s;
	utf8_border(s, max, &begin, &end);
	return str_head(s, begin);
}

str utf8_tail(str s, size_t max)
{
	size_t begin, end;

	if (s.n <= max)
		return s;
	utf8_border(s, s.n - max, &begin, &end);
	return str_from(s, end);
}

/* Characters, where one of four bytes counts `wide` and each ill-formed byte one. */
static size_t utf8_measure(str s, size_t wide)
{
	size_t total = 0, n;

	while (s.n) {
		n = utf8_ascii_run(s);
		total += n;
		s = str_from(s, n);
		if (s.n == 0)
			break;
		if (utf8_step(s, &n))
			total += n == 4 ? wide : 1;
		else
			total += n;
		s = str_from(s, n);
	}
	return total;
}

size_t utf8_count(str s)
{
	return utf8_measure(s, 1);
}

size_t utf8_units16(str s)
{
	return utf8_measure(s, 2);
}

str utf8_head16(str s, size_t units)
{
	size_t at = 0, used = 0;

	while (at < s.n) {
		uint32_t cp;
		size_t n = utf8_next(str_from(s, at), &cp);

		used += n == 4 ? 2 : 1;
		if (used > units)
			break;
		at += n ? n : 1;
	}
	return str_head(s, at);
}

bool utf8_unsafe(uint32_t cp)
{
	if (cp < 0xA0)
		return cp < 0x20 || cp >= 0x7F;
	switch (cp) {
	case 0x061C: /* Arabic letter mark */
	case 0x200B: /* zero width space */
	case 0x200E: /* left-to-right mark */
	case 0x200F:
	case 0x2028: /* line and paragraph separator */
	case 0x2029:
	case 0x2060: /* word joiner */
	case 0xFEFF: /* byte order mark */
		return true;
	default:
		return (cp >= 0x202A && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069) ||
		       (cp >= 0xE0000 && cp <= 0xE007F);
	}
}

/*
 * Length of the string of an OSC, DCS, SOS, PM or APC sequence with its terminator (BEL or
 * ESC \), from after its introducer; 0 if it does not end. Terminals give up at any other
 * ESC, and so does this, which also keeps a flood of introducers from costing a look at
 * the whole rest each.
 */
static size_t utf8_escape_string(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\a')
			return i + 1;
		if (s.p[i] == '\n')
			return 0;
		if (s.p[i] == '\033')
			return i + 1 < s.n && s.p[i + 1] == '\\' ? i + 2 : 0;
	}
	return 0;
}

/* Length of the escape sequence (ECMA-48) that s, which begins with ESC, starts with; 0 if none. */
static size_t utf8_escape(str s)
{
	size_t n = 2, len;

	if (s.n < 2)
		return 0;
	switch (s.p[1]) {
	case '[':
		while (n < s.n && s.p[n] >= 0x30 && s.p[n] <= 0x3F)
			n++;
		while (n < s.n && s.p[n] >= 0x20 && s.p[n] <= 0x2F)
			n++;
		return n < s.n && s.p[n] >= 0x40 && s.p[n] <= 0x7E ? n + 1 : 0;
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		len = utf8_escape_string(str_from(s, 2));
		return len ? 2 + len : 0;
	default:
		n = 1;
		while (n < s.n && s.p[n] >= 0x20 && s.p[n] <= 0x2F)
			n++;
		return n < s.n && s.p[n] >= 0x30 && s.p[n] <= 0x7E ? n + 1 : 0;
	}
}

/*
 * True if one of eight bytes is not 20..7E: a subtraction that borrows marks those below, an
 * equality test those that are 7F, and those above mark themselves.
 */
static bool utf8_odd8(uint64_t v)
{
	uint64_t del = v ^ UTF8_ONES * 0x7F;

	return ((v - UTF8_ONES * 0x20) | (del - UTF8_ONES) | v) & UTF8_HIGH;
}

/* Bytes at the start of s that are 20..7E. */
static size_t utf8_plain_run(str s)
{
	size_t n = 0;

	while (s.n - n >= 8 && !utf8_odd8(utf8_load(s.p + n)))
		n += 8;
	while (n < s.n && s.p[n] >= 0x20 && s.p[n] <= 0x7E)
		n++;
	return n;
}

/* Where utf8_show_oneline stands. */
struct utf8_line {
	struct buf *b;
	size_t start; /* of the line in b */
	bool space;   /* white space was met since the last character */
};

/*
 * Of the n bytes at `from`, at most LANES, those before the first that is neither white space
 * nor 20..7E, which *stop tells: to `to`, which has room for more than that. Runs of graphic
 * bytes with single spaces between them are copied as they are, 16 bytes at a time.
 */
static size_t utf8_oneline_block(struct utf8_line *l, char *to, const char *from,
				 size_t n, size_t *stop)
{
	uint64_t graphic = lanes_within(from, 0x21, 0x7E) & lanes_first(n);
	uint64_t blank = lanes_is(from, ' ') & lanes_first(n);
	uint64_t white = (blank | lanes_within(from, '\t', '\r')) & lanes_first(n);
	uint64_t run = graphic | (blank & graphic >> 1);
	size_t end = lanes_before(~(graphic | white)), at = 0, o = 0;

	while (at < end) {
		size_t skip = lanes_before(~(white >> at)), take;

		if (skip) {
			l->space = true;
			at += skip;
			if (at >= end)
				break;
		}
		if (l->space && l->b->n + o > l->start)
			to[o++] = ' ';
		l->space = false;
		take = lanes_before(~(run >> at));
		if (take > end - at)
			take = end - at;
		for (size_t i = 0; i < take; i += 16)
			lanes_copy(to + o + i, from + at + i);
		o += take;
		at += take;
	}
	*stop = end;
	return o;
}

#ifdef LANES_WIDE
/*
 * The same in a few steps whatever stands where: white space becomes spaces, of each run of
 * them the first is kept, and the kept bytes are pushed together. The space of a run that
 * ends the block waits, as above.
 */
static LANES_WIDE size_t utf8_oneline_wide(struct utf8_line *l, char *to,
					   const char *from, size_t n, size_t *stop)
{
	bool begun = l->b->n > l->start, waits = l->space && begun;
	__m512i v = _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, (unsigned)n), from);
	__m512i space = _mm512_set1_epi8(' ');
	uint64_t graphic = _mm512_cmple_epu8_mask(
		_mm512_sub_epi8(v, _mm512_set1_epi8(0x21)), _mm512_set1_epi8(0x5D));
	uint64_t white =
		_mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('\t')),
				       _mm512_set1_epi8('\r' - '\t')) |
		_mm512_cmpeq_epi8_mask(v, space);
	uint64_t keep, end = _tzcnt_u64(~(graphic | white));

	*stop = (size_t)end;
	graphic = _bzhi_u64(graphic, (unsigned)end);
	white = _bzhi_u64(white, (unsigned)end);
	keep = graphic | (white & ~(white << 1 | (l->space || !begun)));
	if (!graphic) {
		l->space |= white != 0;
		return 0;
	}
	v = _mm512_mask_mov_epi8(v, white, space);
	*to = ' ';
	_mm512_storeu_si512(to + waits, _mm512_maskz_compress_epi8(keep, v));
	n = waits + (size_t)_mm_popcnt_u64(keep);
	l->space = white >> (end - 1) & 1;
	return l->space ? n - 1 : n;
}
#endif

/* As much of s as is plain; 0 when its first character is not, or there is no room for all of s. */
static size_t utf8_oneline_plain(struct utf8_line *l, str s)
{
	struct buf *b = l->b;
	char last[LANES +
		  16]; /* what is left, when it is less than copying may look at */
	size_t at = 0, stop, n;
	char *to;

	if (b->full || s.n > b->max - b->n || b->max - b->n - s.n <= LANES)
		return 0;
	to = buf_room(b, s.n + LANES + 1);
#ifdef LANES_WIDE
	if (lanes_wide()) {
		do {
			n = s.n - at < LANES ? s.n - at : LANES;
			n = utf8_oneline_wide(l, to, s.p + at, n, &stop);
			b->n += n;
			to += n;
			at += stop;
		} while (stop == LANES && at < s.n);
		b->p[b->n] = '\0';
		return at;
	}
#endif
	do {
		const char *from = s.p + at;

		n = s.n - at < LANES ? s.n - at : LANES;
		if (s.n - at < sizeof(last)) {
			memcpy(last, from, n);
			from = last;
		}
		n = utf8_oneline_block(l, to, from, n, &stop);
		b->n += n;
		to += n;
		at += stop;
	} while (stop == LANES && at < s.n);
	b->p[b->n] = '\0';
	return at;
}

/* Append the character or sequence at the start of s, which no run takes; returns its length. */
static size_t utf8_show_one(struct buf *b, str s)
{
	uint32_t cp;
	size_t n;

	if (s.p[0] == '\033' && (n = utf8_escape(s)))
		return n;
	n = utf8_next(s, &cp);
	if (n == 0) {
		buf_add(b, STR(UTF8_REPLACEMENT));
		utf8_step(s, &n);
	} else if (!utf8_unsafe(cp)) {
		buf_add(b, str_head(s, n));
	} else if (cp < 0x100) {
		buf_printf(b, "\\x%02x", (unsigned)cp);
	} else {
		buf_printf(b, "\\u{%x}", (unsigned)cp);
	}
	return n;
}

static void utf8_show_text(struct buf *b, str s)
{
	size_t n;

	while (s.n && !b->full) {
		n = utf8_plain_run(s);
		while (n < s.n && (s.p[n] == '\n' || s.p[n] == '\t'))
			n += 1 + utf8_plain_run(str_from(s, n + 1));
		buf_add(b, str_head(s, n));
		s = str_from(s, n);
		if (s.n)
			s = str_from(s, utf8_show_one(b, s));
	}
}

static void utf8_show_oneline(struct buf *b, str s)
{
	struct utf8_line l = {.b = b, .start = b->n};

	while (s.n && !b->full) {
		size_t before, shown, n;

		if (!(s.p[0] & 0x80))
			s = str_from(s, utf8_oneline_plain(&l, s));
		if (!s.n)
			break;
		if (str_is_space(s.p[0])) {
			l.space = true;
			s = str_from(s, 1);
			continue;
		}
		before = b->n;
		if (l.space && before > l.start)
			buf_byte(b, ' ');
		shown = b->n;
		n = utf8_show_one(b, s);
		if (b->n == shown && !b->full)
			buf_cut(b, before); /* a dropped sequence: the space waits */
		else
			l.space = false;
		s = str_from(s, n);
	}
}

void utf8_show(struct buf *b, str s, enum utf8_show how)
{
	if (how == UTF8_ONELINE)
		utf8_show_oneline(b, s);
	else
		utf8_show_text(b, s);
}
