#include "data/json.h"
#include "base/lanes.h"
#include "base/utf8.h"

/*
 * The reader is a state machine over one text. What may stand at j->at:
 *
 *   VALUE   a value (at the start, after ':', after ',' in an array)
 *   ITEM    a value or ']' (after '[')
 *   FIELD   a key or '}' (after '{')
 *   KEY     a key (after ',' in an object)
 *   COLON   the ':' after a key
 *   AFTER   ',' or the end of the innermost container; at depth 0 only white space
 *
 * MORE and BAD are final: JSON_MORE is returned again as long as the text is the same.
 */
enum { VALUE, ITEM, FIELD, KEY, COLON, AFTER, BAD };

void json_init(struct json *j, str text)
{
	*j = (struct json){.text = text, .state = VALUE};
}

static bool in_object(const struct json *j)
{
	int d = j->depth - 1;

	return d >= 0 && (j->in_obj[d / 64] >> (d % 64) & 1);
}

static enum json_tok bad(struct json *j)
{
	j->state = BAD;
	return JSON_BAD;
}

static enum json_tok open_container(struct json *j, bool object)
{
	int d = j->depth;

	if (d >= JSON_DEPTH_MAX)
		return bad(j);
	if (object)
		j->in_obj[d / 64] |= 1ull << (d % 64);
	else
		j->in_obj[d / 64] &= ~(1ull << (d % 64));
	j->depth++;
	j->at++;
	j->state = object ? FIELD : ITEM;
	return object ? JSON_OBJ : JSON_ARR;
}

static enum json_tok close_container(struct json *j, bool object)
{
	j->depth--;
	j->at++;
	j->state = AFTER;
	return object ? JSON_OBJ_END : JSON_ARR_END;
}

static enum json_tok literal(struct json *j, const char *word, enum json_tok tok)
{
	size_t i;

	for (i = 0; word[i]; i++) {
		if (j->at + i >= j->text.n)
			return JSON_MORE;
		if (j->text.p[j->at + i] != word[i]) {
			j->at += i;
			return bad(j);
		}
	}
	j->at += i;
	j->state = AFTER;
	return tok;
}

static enum json_tok number(struct json *j)
{
	size_t i = j->at;
	int state = 0, next;

	for (; i < j->text.n; i++) {
		next = json_number_step(state, j->text.p[i]);
		if (next < 0)
			break;
		state = next;
	}
	if (!json_number_whole(state)) {
		if (i >= j->text.n)
			return JSON_MORE;
		j->at = i;
		return bad(j);
	}
	j->raw = (str){j->text.p + j->at, i - j->at};
	j->at = i;
	j->state = AFTER;
	return JSON_NUM;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = str_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Offset past the escape at `at`; text.n when it is cut; STR_NPOS, and *at on the wrong byte, when illegal. */
static size_t escape_end(str text, size_t *at)
{
	size_t i = *at + 1, end;

	if (i >= text.n)
		return text.n;
	if (text.p[i] == '\0' || !strchr("\"\\/bfnrtu", text.p[i])) {
		*at = i;
		return STR_NPOS;
	}
	if (text.p[i] != 'u')
		return i + 1;
	end = i + 5;
	for (i++; i < end; i++) {
		if (i >= text.n)
			return text.n;
		if (hex_digit(text.p[i]) < 0) {
			*at = i;
			return STR_NPOS;
		}
	}
	return end;
}

/* s is the beginning of a well-formed character whose end is missing. */
static bool char_is_cut(str s)
{
	unsigned char c = (unsigned char)s.p[0], lo = 0x80, hi = 0xbf;
	size_t need = c < 0xc2 || c > 0xf4 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4, i;

	if (s.n >= need)
		return false;
	/* Unicode, table 3-7: four first bytes narrow the range of the second */
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf4)
		hi = 0x8f;
	for (i = 1; i < s.n; i++) {
		c = (unsigned char)s.p[i];
		if (c < lo || c > hi)
			return false;
		lo = 0x80;
		hi = 0xbf;
	}
	return true;
}

/* j->at is on the opening quote; leaves it past the closing one. */
static enum json_tok string(struct json *j, enum json_tok tok)
{
	str t = j->text;
	size_t i = j->at + 1, n;
	uint32_t cp;

	j->escaped = false;
	while (i < t.n) {
		unsigned char c = (unsigned char)t.p[i];

		if (c == '"') {
			j->raw = (str){t.p + j->at + 1, i - j->at - 1};
			j->at = i + 1;
			return tok;
		}
		if (c == '\\') {
			j->escaped = true;
			n = escape_end(t, &i);
			if (n == STR_NPOS)
				goto wrong;
			i = n;
		} else if (c < 0x20) {
			goto wrong;
		} else if (c < 0x80) {
			i++;
		} else {
			n = utf8_next(str_from(t, i), &cp);
			if (n == 0 && char_is_cut(str_from(t, i)))
				return JSON_MORE;
			if (n == 0)
				goto wrong;
			i += n;
		}
	}
	return JSON_MORE;
wrong:
	j->at = i;
	return bad(j);
}

static enum json_tok key(struct json *j)
{
	enum json_tok tok;

	if (j->text.p[j->at] != '"')
		return bad(j);
	tok = string(j, JSON_KEY);
	if (tok == JSON_KEY)
		j->state = COLON;
	return tok;
}

static enum json_tok value(struct json *j)
{
	char c = j->text.p[j->at];
	enum json_tok tok;

	switch (c) {
	case '{':
		return open_container(j, true);
	case '[':
		return open_container(j, false);
	case '"':
		tok = string(j, JSON_STR);
		if (tok == JSON_STR)
			j->state = AFTER;
		return tok;
	case 't':
		return literal(j, "true", JSON_TRUE);
	case 'f':
		return literal(j, "false", JSON_FALSE);
	case 'n':
		return literal(j, "null", JSON_NULL);
	default:
		return c == '-' || str_is_digit(c) ? number(j) : bad(j);
	}
}

enum json_tok json_next(struct json *j)
{
	bool object;
	char c;

	for (;;) {
		if (j->state == BAD)
			return JSON_BAD;
		while (j->at < j->text.n &&
		       (j->text.p[j->at] == ' ' || j->text.p[j->at] == '\t' ||
			j->text.p[j->at] == '\n' || j->text.p[j->at] == '\r'))
			j->at++;
		if (j->at >= j->text.n)
			return j->state == AFTER && j->depth == 0 ? JSON_END : JSON_MORE;
		c = j->text.p[j->at];
		object = in_object(j);
		switch (j->state) {
		case VALUE:
			return value(j);
		case ITEM:
			return c == ']' ? close_container(j, false) : value(j);
		case FIELD:
			return c == '}' ? close_container(j, true) : key(j);
		case KEY:
			return key(j);
		case COLON:
			if (c != ':')
				return bad(j);
			j->at++;
			j->state = VALUE;
			break;
		default: /* AFTER */
			if (j->depth && c == (object ? '}' : ']'))
				return close_container(j, object);
			if (!j->depth || c != ',')
				return bad(j);
			j->at++;
			j->state = object ? KEY : VALUE;
			break;
		}
	}
}

bool json_skip(struct json *j)
{
	/* after KEY the value is still to come; after OBJ and ARR one level is open already */
	int until = j->state == ITEM || j->state == FIELD ? j->depth - 1 : j->depth;

	do {
		enum json_tok tok = json_next(j);

		if (tok == JSON_BAD || tok == JSON_MORE || tok == JSON_END)
			return false;
	} while (j->depth > until);
	return true;
}

bool json_is(const struct json *j, const char *word)
{
	struct buf b;
	bool is;

	if (!j->escaped)
		return str_eq(j->raw, str_of(word));
	b = BUF_INIT(strlen(word));
	json_unescape(&b, j->raw);
	is = !b.full && str_eq(buf_str(&b), str_of(word));
	buf_release(&b);
	return is;
}

void json_text(const struct json *j, struct buf *out)
{
	json_unescape(out, j->raw);
}

/* The four hex digits at p as a number; -1 when there are fewer. */
static int32_t hex4(str s, size_t at)
{
	int32_t v = 0;
	size_t i;

	if (at > s.n || s.n - at < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		int d = hex_digit(s.p[at + i]);

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* What a backslash and this letter stand for; 0: no escape, or \u. */
static const char named[128] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* Append the escape at `at`; returns the offset past it. */
static size_t unescape_one(struct buf *out, str raw, size_t at)
{
	int32_t hi, lo;
	char utf[4];
	char c;

	if (at + 1 >= raw.n)
		return raw.n;
	c = raw.p[at + 1];
	if (c != 'u') {
		c = c & 0x80 ? 0 : named[(size_t)c];
		if (!c)
			return at + 1; /* no escape: only its backslash goes */
		buf_byte(out, c);
		return at + 2;
	}
	hi = hex4(raw, at + 2);
	if (hi < 0) {
		size_t digits = at + 2;

		while (digits < raw.n && hex_digit(raw.p[digits]) >= 0)
			digits++;
		return digits == raw.n ? raw.n : at + 1;
	}
	at += 6;
	if (hi >= 0xd800 && hi < 0xdc00 && raw.n - at >= 6 && raw.p[at] == '\\' &&
	    raw.p[at + 1] == 'u') {
		lo = hex4(raw, at + 2);
		if (lo >= 0xdc00 && lo < 0xe000) {
			hi = 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
			at += 6;
		}
	}
	buf_add(out, (str){utf, utf8_put(utf, (uint32_t)hi)});
	return at;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Without up to three continuation bytes at the start and a cut character at the end. */
static str whole_chars(str raw)
{
	size_t skip = 0, k;

	while (skip < 3 && skip < raw.n && is_continuation(raw.p[skip]))
		skip++;
	raw = str_from(raw, skip);
	for (k = 1; k <= 3 && k <= raw.n; k++) {
		if (is_continuation(raw.p[raw.n - k]))
			continue;
		if (char_is_cut(str_from(raw, raw.n - k)))
			raw.n -= k;
		break;
	}
	return raw;
}

/* Bytes at the start of s that are ASCII and no backslash. */
static size_t literal_run(str s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] != '\\' && !(s.p[i] & 0x80))
		i++;
	return i;
}

/* Copy CHUNK_BYTES; how many of them, from the first, are ASCII and no backslash. */
#ifdef __SSE2__
#define CHUNK_BYTES 16

static inline size_t copy_chunk(char *to, const char *from)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
	__m128i esc = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
	/* v itself has the high bit set where it is not ASCII */
	int bits = _mm_movemask_epi8(_mm_or_si128(esc, v));

	_mm_storeu_si128((__m128i *)(void *)to, v);
	return bits ? (size_t)__builtin_ctz((unsigned)bits) : CHUNK_BYTES;
}
#else
#define CHUNK_BYTES 8

static inline size_t copy_chunk(char *to, const char *from)
{
	const uint64_t ones = 0x0101010101010101ull, high = ones << 7;
	uint64_t v, esc;

	memcpy(&v, from, CHUNK_BYTES);
	memcpy(to, &v, CHUNK_BYTES);
	esc = v ^ ones * '\\';
	return (v | (esc - ones)) & high ? literal_run((str){from, CHUNK_BYTES})
					 : CHUNK_BYTES;
}
#endif

/*
 * Decode ASCII and short escapes from s to `to`, up to the first byte that is something
 * else; *used is its place. Never gives more than it takes, so s.n bytes of room are enough,
 * also for whole chunks. Returns the bytes given.
 */
static size_t decode_plain(char *to, str s, size_t *used)
{
	size_t i = 0, o = 0, n;

	while (i < s.n) {
		unsigned char c, letter;

		if (s.n - i >= CHUNK_BYTES) {
			n = copy_chunk(to + o, s.p + i);
			i += n;
			o += n;
			if (n == CHUNK_BYTES)
				continue;
		}
		c = (unsigned char)s.p[i];
		if (c & 0x80)
			break;
		if (c != '\\') {
			to[o++] = (char)c;
			i++;
			continue;
		}
		letter = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 'u';
		if (letter & 0x80 || !named[letter])
			break;
		to[o++] = named[letter];
		i += 2;
	}
	*used = i;
	return o;
}

#ifdef LANES_WIDE
/*
 * The same, 64 bytes in a few steps whatever stands where: the letters of escapes become what
 * they stand for, and all but their backslashes is pushed together. Takes LANES bytes more of
 * room.
 */
static LANES_WIDE size_t decode_wide(char *to, str s, size_t *used)
{
	const __m512i low = _mm512_loadu_si512(named);
	const __m512i high = _mm512_loadu_si512(named + LANES);
	const uint64_t odd = 0xaaaaaaaaaaaaaaaaull;
	size_t i = 0, o = 0;

	while (i < s.n) {
		size_t n = s.n - i < LANES ? s.n - i : LANES, end;
		uint64_t valid = _bzhi_u64(~0ull, (unsigned)n);
		__m512i v = _mm512_maskz_loadu_epi8(valid, s.p + i);
		__m512i letter = _mm512_permutex2var_epi8(low, v, high);
		uint64_t back = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\'));
		/* which bytes are escaped, and by which: as in data/skip.c */
		uint64_t code = ((back << 1 | odd) - back) ^ odd;
		uint64_t escaped = code ^ back, by = code & back, wrong, keep;

		wrong = _mm512_movepi8_mask(v) |
			(escaped & _mm512_testn_epi8_mask(letter, letter));
		wrong &= valid;
		/* not half an escape, whether it is wrong or ends with the block */
		end = wrong ? (size_t)_tzcnt_u64(wrong) : n - 1;
		if (wrong)
			end -= escaped >> end & 1;
		else
			end += !(by >> end & 1);
		keep = _bzhi_u64(~by, (unsigned)end);
		v = _mm512_mask_mov_epi8(v, escaped, letter);
		_mm512_storeu_si512(to + o, _mm512_maskz_compress_epi8(keep, v));
		o += (size_t)_mm_popcnt_u64(keep);
		i += end;
		if (wrong || n < LANES)
			break;
	}
	*used = i;
	return o;
}
#endif

/* Append what decode_plain gives, or nothing where there is no room; returns the bytes taken. */
static size_t add_plain(struct buf *out, str s)
{
	size_t used = 0, room = out->max - out->n;

	if (out->full || s.n > room)
		return 0;
#ifdef LANES_WIDE
	if (room - s.n >= LANES && lanes_wide())
		out->n += decode_wide(buf_room(out, s.n + LANES), s, &used);
	else
#endif
		out->n += decode_plain(buf_room(out, s.n), s, &used);
	out->p[out->n] = '\0';
	return used;
}

void json_unescape(struct buf *out, str raw)
{
	size_t at = 0, n;

	raw = whole_chars(raw);
	while (at < raw.n) {
		str rest = str_from(raw, at);

		if (!(rest.p[0] & 0x80)) {
			n = add_plain(out, rest);
			at += n;
			rest = str_from(rest, n);
		}
		if (rest.n == 0) {
			break;
		} else if (rest.p[0] == '\\') {
			at = unescape_one(out, raw, at);
		} else if (rest.p[0] & 0x80) {
			for (n = 1; n < rest.n && rest.p[n] & 0x80;)
				n++;
			utf8_add(out, str_head(rest, n));
			at += n;
		} else {
			n = literal_run(rest);
			buf_add(out, str_head(rest, n));
			at += n;
		}
	}
}

enum {
	NUM_START,
	NUM_MINUS,
	NUM_ZERO,
	NUM_INT,
	NUM_DOT,
	NUM_FRACTION,
	NUM_E,
	NUM_SIGN,
	NUM_EXP
};

int json_number_step(int state, char c)
{
	bool digit = str_is_digit(c), e = c == 'e' || c == 'E';

	switch (state) {
	case NUM_START:
		if (c == '-')
			return NUM_MINUS;
		/* fall through */
	case NUM_MINUS:
		return c == '0' ? NUM_ZERO : digit ? NUM_INT : -1;
	case NUM_INT:
		if (digit)
			return NUM_INT;
		/* fall through */
	case NUM_ZERO:
		return c == '.' ? NUM_DOT : e ? NUM_E : -1;
	case NUM_DOT:
		return digit ? NUM_FRACTION : -1;
	case NUM_FRACTION:
		return digit ? NUM_FRACTION : e ? NUM_E : -1;
	case NUM_E:
		return c == '+' || c == '-' ? NUM_SIGN : digit ? NUM_EXP : -1;
	case NUM_SIGN:
	case NUM_EXP:
		return digit ? NUM_EXP : -1;
	default:
		return -1;
	}
}

bool json_number_whole(int state)
{
	return state == NUM_ZERO || state == NUM_INT || state == NUM_FRACTION ||
	       state == NUM_EXP;
}

bool json_number(str s)
{
	int state = NUM_START;
	size_t i;

	for (i = 0; i < s.n && state >= 0; i++)
		state = json_number_step(state, s.p[i]);
	return state >= 0 && json_number_whole(state);
}

/* Of the LANES bytes at p, those that do not stand for themselves. */
static inline uint64_t special(const char *p)
{
	return ~lanes_within(p, 0x20, 0x7e) | lanes_is(p, '"') | lanes_is(p, '\\');
}

/*
 * Copy printable ASCII, with a backslash before quotes and backslashes, up to the first byte
 * that is something else; returns the bytes taken. `to` has room for twice of s and LANES.
 */
static size_t escape_plain(char *to, str s, size_t *given)
{
	char last[LANES + 16] = {
		0}; /* what is left, when it is less than copying may look at */
	size_t i = 0, o = 0, at, n;
	bool plain = true;

	while (plain && i < s.n) {
		const char *from = s.p + i;
		uint64_t odd;

		n = s.n - i < LANES ? s.n - i : LANES;
		if (s.n - i < sizeof(last))
			from = memcpy(last, from, n);
		odd = special(from) & lanes_first(n);
		for (at = 0; at < n; at++) {
			size_t take = lanes_before(odd >> at);

			take = take < n - at ? take : n - at;
			for (size_t k = 0; k < take; k += 16)
				lanes_copy(to + o + k, from + at + k);
			o += take;
			at += take;
			if (at == n)
				break;
			plain = from[at] == '"' || from[at] == '\\';
			if (!plain)
				break;
			to[o++] = '\\';
			to[o++] = from[at];
		}
		i += at;
	}
	*given = o;
	return i;
}

static void add_u(struct buf *b, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";
	char e[6] = {'\\',
		     'u',
		     hex[unit >> 12 & 15],
		     hex[unit >> 8 & 15],
		     hex[unit >> 4 & 15],
		     hex[unit & 15]};

	buf_add(b, (str){e, sizeof(e)});
}

static void add_escaped(struct buf *b, uint32_t cp)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *short_form = cp && cp < 0x80 ? strchr(from, (int)cp) : NULL;
	char two[2] = {'\\'};

	if (short_form) {
		two[1] = to[short_form - from];
		buf_add(b, (str){two, 2});
	} else if (cp >= 0x10000) {
		cp -= 0x10000;
		add_u(b, 0xd800 + (cp >> 10));
		add_u(b, 0xdc00 + (cp & 0x3ff));
	} else {
		add_u(b, cp);
	}
}

void json_add_str(struct buf *b, str s)
{
	uint32_t cp;
	size_t n;

	buf_byte(b, '"');
	while (s.n && !b->full) {
		n = 0;
		if (!(s.p[0] & 0x80) && b->max - b->n > LANES &&
		    s.n < (b->max - b->n - LANES) / 2) {
			size_t given;

			n = escape_plain(buf_room(b, 2 * s.n + LANES), s, &given);
			b->n += given;
			b->p[b->n] = '\0';
			s = str_from(s, n);
		}
		if (n)
			continue;
		n = utf8_next(s, &cp);
		if (n == 0) {
			/* hand the ill-formed stretch to the one place that repairs */
			for (n = 1; n < s.n && (s.p[n] & 0x80) &&
				    !utf8_next(str_from(s, n), &cp);)
				n++;
			utf8_add(b, str_head(s, n));
		} else if (cp == '"' || cp == '\\' || utf8_unsafe(cp)) {
			add_escaped(b, cp);
		} else {
			buf_add(b, str_head(s, n));
		}
		s = str_from(s, n);
	}
	buf_byte(b, '"');
}

void json_add_sep(struct buf *b)
{
	char last = b->n ? b->p[b->n - 1] : '[';

	if (last != '{' && last != '[')
		buf_byte(b, ',');
}

void json_add_key(struct buf *b, const char *key)
{
	json_add_sep(b);
	buf_byte(b, '"');
	buf_add(b, str_of(key));
	buf_add(b, STR("\":"));
}
