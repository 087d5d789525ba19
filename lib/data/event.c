/*
 * The grammar, as handoff-mcp writes and reads it:
 *
 *   event-line = "- **[" type "]** (imp:" 1*DIGIT " " U+00B7 " " time ") " content " <!-- id=" meta " -->"
 *   meta       = id [ " supersedes=" id *( "," id ) ] *( " " key "=" value )
 *
 * Nothing is escaped: the comment that counts is the last one on the line, everything before it
 * is content. So a content may hold comments, and one that looks like metadata changes nothing.
 * White space is Python's (str.isspace): cleaning must agree with what Python would have cut.
 */
#include "data/event.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"

#define LINE_HEAD "- **["
#define META_HEAD " <!-- id="
#define META_TAIL " -->"
#define BOM       "\xef\xbb\xbf"

static const struct {
	const char *name;
} TYPE[EVENT_TYPES] = {
	[EVENT_GOAL] = {"goal"},         [EVENT_NEXT_STEP] = {"next_step"},
	[EVENT_DECISION] = {"decision"}, [EVENT_DEADEND] = {"deadend"},
	[EVENT_QUESTION] = {"question"}, [EVENT_FILE] = {"file"},
};

static const char *const ORIGIN[] = {
	[EVENT_LOGGED] = "logged",
	[EVENT_DERIVED] = "derived",
	[EVENT_IMPORTED] = "imported",
};

str event_type_name(enum event_type t)
{
	return t < EVENT_TYPES ? str_of(TYPE[t].name) : STR_NONE;
}

bool event_type_of(str name, enum event_type *t)
{
	for (int i = 0; i < EVENT_TYPES; i++)
		if (str_eq(name, str_of(TYPE[i].name))) {
			*t = (enum event_type)i;
			return true;
		}
	return false;
}

str event_origin_name(enum event_origin o)
{
	return str_of(ORIGIN[o <= EVENT_IMPORTED ? o : EVENT_LOGGED]);
}

/* --- white space as Python has it --- */

static bool is_line_end(uint32_t cp)
{
	return cp == '\n' || cp == '\r' || cp == 0x85 || cp == 0x2028 || cp == 0x2029;
}

static bool is_space(uint32_t cp)
{
	return cp == ' ' || (cp >= 9 && cp <= 13) || (cp >= 0x1c && cp <= 0x1f) ||
	       cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

/* Bytes of the white space at the start of s; whether a line ends in it. */
static size_t space_run(str s, bool *ends_line)
{
	size_t at = 0, n;
	uint32_t cp;

	*ends_line = false;
	while ((n = utf8_next(str_from(s, at), &cp)) > 0 && is_space(cp)) {
		*ends_line |= is_line_end(cp);
		at += n;
	}
	return at;
}

static str trim_start(str s)
{
	bool unused;

	return str_from(s, space_run(s, &unused));
}

static str trim_end(str s)
{
	uint32_t cp;
	size_t k;

	while (s.n) {
		for (k = 1; k < 3 && k < s.n && (s.p[s.n - k] & 0xc0) == 0x80; k++)
			;
		if (utf8_next(str_from(s, s.n - k), &cp) != k || !is_space(cp))
			break;
		s.n -= k;
	}
	return s;
}

static str trim(str s)
{
	return trim_end(trim_start(s));
}

/* --- times --- */

/* "2026-01-03T09:00" and its zone, which the clock wants seconds in. */
static bool parse_minutes(str s, int64_t *ms)
{
	char full[40];
	int n;

	if (s.n < 16 || s.n > 30 || s.p[13] != ':' || (s.n > 16 && s.p[16] == ':'))
		return false;
	n = snprintf(full, sizeof full, "%.16s:00%.*s", s.p, (int)(s.n - 16), s.p + 16);
	return clock_parse((str){full, (size_t)n}, ms);
}

bool event_time_parse(str s, int64_t *us)
{
	int64_t ms, micros = 0;
	size_t dot;

	*us = 0;
	s = trim(s);
	if (!clock_parse(s, &ms) && !parse_minutes(s, &ms))
		return false;
	dot = str_chr(s, '.');
	if (dot == STR_NPOS)
		dot = str_chr(s, ',');
	/* the clock took the first three digits */
	for (size_t k = 1; dot != STR_NPOS && k <= 6; k++) {
		if (dot + k >= s.n || !str_is_digit(s.p[dot + k]))
			break;
		if (k > 3)
			micros += (s.p[dot + k] - '0') * (k == 4 ? 100 : k == 5 ? 10 : 1);
	}
	*us = ms * 1000 + micros;
	return true;
}

void event_time(struct buf *b, int64_t us)
{
	int64_t s = us / 1000000, rest = us % 1000000;
	char at[CLOCK_ISO_BYTES];

	if (rest < 0) {
		s--;
		rest += 1000000;
	}
	clock_iso_s(at, s * 1000);
	buf_add(b, str_head(str_of(at), 19));
	if (rest)
		buf_printf(b, ".%06d", (int)rest);
	buf_add(b, STR("+00:00"));
}

/* --- lines --- */

/* Take `lit` off the front of *s. */
static bool take(str *s, str lit)
{
	if (!str_starts(*s, lit))
		return false;
	*s = str_from(*s, lit.n);
	return true;
}

static int clamped(str digits)
{
	int n = 0;

	for (size_t i = 0; i < digits.n && n <= 5; i++)
		n = n * 10 + (digits.p[i] - '0');
	return n < 1 ? 1 : n > 5 ? 5 : n;
}

/* "- **[goal]** (imp:3 · 2026-...) ": what stands before the content. */
static bool take_head(str *s, struct event *ev)
{
	size_t n;

	if (!take(s, STR(LINE_HEAD)))
		return false;
	n = str_chr(str_head(*s, 16), ']');
	if (n == STR_NPOS || !event_type_of(str_head(*s, n), &ev->type))
		return false;
	*s = str_from(*s, n);
	if (!take(s, STR("]** (imp:")))
		return false;
	for (n = 0; n < s->n && str_is_digit(s->p[n]); n++)
		;
	ev->importance = clamped(str_head(*s, n));
	*s = str_from(*s, n);
	if (n == 0 || !take(s, STR(" \xc2\xb7 ")))
		return false;
	n = str_chr(*s, ')');
	if (n == STR_NPOS || n == 0)
		return false;
	ev->at = str_head(*s, n);
	*s = str_from(*s, n);
	return take(s, STR(") "));
}

/* Next "key=value" of the metadata. */
static bool next_pair(str *s, str *key, str *value)
{
	size_t n, eq;
	str word;

	for (;;) {
		*s = trim_start(*s);
		if (!s->n)
			return false;
		for (n = 0; n < s->n && !str_is_space(s->p[n]); n++)
			;
		word = str_head(*s, n);
		*s = str_from(*s, n);
		eq = str_chr(word, '=');
		if (eq == STR_NPOS)
			continue;
		*key = str_head(word, eq);
		*value = str_from(word, eq + 1);
		return true;
	}
}

/* meta begins at "id=". */
static void read_meta(str meta, struct event *ev)
{
	str key, value;

	while (next_pair(&meta, &key, &value)) {
		if (str_eq(key, STR("id")))
			ev->id = value;
		else if (str_eq(key, STR("supersedes")))
			ev->supersedes = value;
		else if (str_eq(key, STR("from")))
			ev->from = value;
		else if (str_eq(key, STR("origin")))
			for (int i = EVENT_LOGGED; i <= EVENT_IMPORTED; i++)
				if (str_eq(value, str_of(ORIGIN[i])))
					ev->origin = (enum event_origin)i;
	}
}

bool event_parse(str line, struct event *ev)
{
	size_t at;

	*ev = (struct event){0};
	line = trim_end(line);
	if (!str_ends(line, STR(META_TAIL)) || !take_head(&line, ev))
		return false;
	/* the blank before the content may be the one before the comment of an empty content */
	at = str_rfind(line, STR(META_HEAD));
	if (at == STR_NPOS)
		return false;
	ev->content = trim(str_head(line, at));
	if (!ev->content.n)
		return false;
	line = str_from(line, at + sizeof(META_HEAD) - 1 - 3);
	read_meta(str_head(line, line.n - (sizeof(META_TAIL) - 1)), ev);
	event_time_parse(ev->at, &ev->at_us);
	return ev->id.n > 0;
}

/* Where the second of two glued events begins in the line, else its length. */
static size_t glued_at(str line)
{
	static const char mark[] = META_TAIL LINE_HEAD;
	struct event ev;
	size_t from = 0, at;
	str tail;

	while ((at = str_find(str_from(line, from), STR(mark))) != STR_NPOS) {
		at += from + sizeof(META_TAIL) - 1;
		tail = str_from(line, at);
		if (take_head(&tail, &ev) && event_parse(str_head(line, at), &ev))
			return at;
		from = at;
	}
	return line.n;
}

bool event_cut(str *rest, str *line)
{
	const char *lf;
	size_t n, at;

	if (!rest->n)
		return false;
	lf = memchr(rest->p, '\n', rest->n);
	n = lf ? (size_t)(lf - rest->p) : rest->n;
	*line = str_head(*rest, n);
	at = str_starts(*line, STR(LINE_HEAD)) ? glued_at(*line) : n;
	if (at < n) {
		*line = str_head(*line, at);
		*rest = str_from(*rest, at);
		return true;
	}
	*rest = str_from(*rest, lf ? n + 1 : n);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

/* The content, with a blank where its reader would see a second event begin. */
static void add_content(struct buf *b, str content)
{
	static const char mark[] = META_TAIL LINE_HEAD;
	size_t at;

	while ((at = str_find(content, STR(mark))) != STR_NPOS) {
		at += sizeof(META_TAIL) - 1;
		buf_add(b, str_head(content, at));
		buf_byte(b, ' ');
		content = str_from(content, at);
	}
	buf_add(b, content);
}

void event_render(struct buf *b, const struct event *ev)
{
	buf_add(b, STR(LINE_HEAD));
	buf_add(b, event_type_name(ev->type));
	buf_printf(b, "]** (imp:%d \xc2\xb7 ", ev->importance);
	if (ev->at.n)
		buf_add(b, ev->at);
	else
		event_time(b, ev->at_us);
	buf_add(b, STR(") "));
	add_content(b, ev->content);
	buf_add(b, STR(META_HEAD));
	buf_add(b, ev->id);
	if (ev->supersedes.n) {
		buf_add(b, STR(" supersedes="));
		buf_add(b, ev->supersedes);
	}
	if (ev->origin != EVENT_LOGGED) {
		buf_add(b, STR(" origin="));
		buf_add(b, event_origin_name(ev->origin));
	}
	if (ev->from.n) {
		buf_add(b, STR(" from="));
		buf_add(b, ev->from);
	}
	buf_add(b, STR(META_TAIL "\n"));
}

bool event_superseded(str *list, str *id)
{
	size_t n;

	while (list->n) {
		n = str_chr(*list, ',');
		*id = str_head(*list, n == STR_NPOS ? list->n : n);
		*list = str_from(*list, n == STR_NPOS ? list->n : n + 1);
		if (id->n)
			return true;
	}
	return false;
}

/* --- content, ids --- */

static bool is_deleted(uint32_t cp)
{
	return (cp < 0x20 && cp != '\t' && cp != '\n' && cp != '\r') || cp == 0x7f;
}

/* s as valid UTF-8 without the control characters that nobody writes. */
static void add_without_controls(struct buf *b, str s)
{
	size_t n;
	uint32_t cp;

	for (; s.n; s = str_from(s, n)) {
		n = utf8_next(s, &cp);
		if (n == 0) {
			/* one ill-formed part: as utf8_add makes it */
			for (n = 1; n < s.n && !utf8_next(str_from(s, n), &cp); n++)
				;
			utf8_add(b, str_head(s, n));
		} else if (!is_deleted(cp)) {
			buf_add(b, str_head(s, n));
		}
	}
}

/* Only what is written as it stands: printable ASCII. */
static bool is_plain(str s)
{
	unsigned odd = 0;

	for (size_t i = 0; i < s.n; i++)
		odd |= (unsigned char)(s.p[i] - 0x20) >= 0x5f;
	return !odd;
}

void event_normalise(struct buf *b, str content)
{
	struct buf clean = BUF_INIT(SIZE_MAX);
	bool ends_line;
	uint32_t cp;
	size_t n;
	str s;

	if (is_plain(content)) {
		buf_add(b, str_trim(content));
		return;
	}
	add_without_controls(&clean, content);
	for (s = trim(buf_str(&clean)); s.n; s = str_from(s, n)) {
		n = space_run(s, &ends_line);
		if (n && ends_line) {
			buf_byte(b, ' ');
			continue;
		}
		if (!n)
			n = utf8_next(s, &cp);
		buf_add(b, str_head(s, n));
	}
	buf_release(&clean);
}

void event_new_id(struct buf *b)
{
	uint32_t v;

	if (getentropy(&v, sizeof v) < 0)
		v = (uint32_t)clock_mono_ns() ^ (uint32_t)getpid() << 16;
	buf_printf(b, "ev_%08x", v);
}

bool event_id_ok(str id)
{
	if (!id.n || id.n > EVENT_ID_MAX || !utf8_valid(id) ||
	    str_find(id, STR("-->")) != STR_NPOS)
		return false;
	for (str s = id; s.n;) {
		uint32_t cp;
		size_t n = utf8_next(s, &cp);

		if (is_space(cp) || cp == ',' || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			return false;
		s = str_from(s, n);
	}
	return true;
}

/* --- links and entities --- */

bool event_link(str content, size_t *it, struct buf *target)
{
	size_t open, end;
	str s;

	while ((open = str_find(str_from(content, *it), STR("[["))) != STR_NPOS) {
		open += *it + 2;
		end = str_chr(str_from(content, open), ']');
		if (end == STR_NPOS)
			break;
		end += open;
		if (end == open || end + 1 >= content.n || content.p[end + 1] != ']') {
			*it = end; /* a link holds no bracket: none begins before it */
			continue;
		}
		s = (str){content.p + open, end - open};
		*it = end + 2;
		buf_reset(target);
		event_normalise(target, s);
		if (target->n)
			return true;
	}
	*it = content.n;
	return false;
}

static bool is_device(str base)
{
	static const char *const name[] = {"con", "prn", "aux", "nul"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (str_ieq(base, str_of(name[i])))
			return true;
	return base.n == 4 && base.p[3] >= '1' && base.p[3] <= '9' &&
	       (str_istarts(base, STR("com")) || str_istarts(base, STR("lpt")));
}

/* The rule of handoff-mcp, of any length. */
static void sanitise(struct buf *b, str name)
{
	struct buf t = BUF_INIT(SIZE_MAX);
	size_t dots = 0, dot;
	str s;

	utf8_add(&t, name);
	for (size_t i = 0; i < t.n; i++)
		if ((unsigned char)t.p[i] < 0x20 || memchr("<>:\"/\\|?*", t.p[i], 9))
			t.p[i] = '_';
	s = trim(buf_str(&t));
	while (s.n && (s.p[s.n - 1] == '.' || s.p[s.n - 1] == ' '))
		s.n--;
	while (dots < s.n && s.p[dots] == '.')
		dots++;
	if (dots == s.n)
		s = STR("_");
	dot = str_chr(s, '.');
	if (is_device(str_head(s, dot == STR_NPOS ? s.n : dot)))
		buf_byte(b, '_');
	buf_add(b, s);
	buf_release(&t);
}

static void add_apart(struct buf *b, str file, str name)
{
	buf_add(b, trim_end(utf8_head(file, EVENT_FILE_MAX - 9)));
	buf_printf(b, "-%08x", (unsigned)(str_hash(name) & 0xffffffffu));
}

void event_entity_file(struct buf *b, str name)
{
	struct buf t = BUF_INIT(SIZE_MAX);

	sanitise(&t, name);
	if (t.n > EVENT_FILE_MAX)
		add_apart(b, buf_str(&t), buf_str(&t));
	else
		buf_add(b, buf_str(&t));
	buf_release(&t);
}

void event_entity_file_apart(struct buf *b, str name)
{
	struct buf t = BUF_INIT(SIZE_MAX);

	sanitise(&t, name);
	add_apart(b, buf_str(&t), buf_str(&t));
	buf_release(&t);
}

/* --- session notes --- */

static void note_key(struct event_note *n, str key, str value, unsigned *seen)
{
	static const char *const name[] = {"id", "project", "started_at", "status",
					   "summary"};
	size_t i;

	for (i = 0; i < sizeof name / sizeof *name; i++)
		if (str_eq(key, str_of(name[i])))
			break;
	if (i == sizeof name / sizeof *name)
		return;
	n->twice |= (*seen >> i & 1) != 0;
	*seen |= 1u << i;
	if (i == 0)
		n->id = value;
	else if (i == 1)
		n->project = value;
	else if (i == 2)
		n->started = value;
	else if (i == 3)
		n->done = str_eq(value, STR("done"));
	else
		n->summary = value;
}

static bool next_line(str *rest, str *line)
{
	size_t n = str_chr(*rest, '\n');

	if (!rest->n)
		return false;
	*line = str_head(*rest, n == STR_NPOS ? rest->n : n);
	*rest = str_from(*rest, n == STR_NPOS ? rest->n : n + 1);
	return true;
}

void event_note_read(struct event_note *n, str text)
{
	str rest, line;
	unsigned seen = 0;
	size_t colon;

	*n = (struct event_note){0};
	take(&text, STR(BOM));
	n->body = rest = text;
	if (!str_starts(text, STR("---")) || !next_line(&rest, &line))
		return;
	while (next_line(&rest, &line)) {
		if (str_starts(line, STR("---"))) {
			n->front = true;
			n->body = rest;
			event_time_parse(n->started, &n->started_us);
			return;
		}
		colon = str_chr(line, ':');
		if (colon != STR_NPOS)
			note_key(n, trim(str_head(line, colon)),
				 trim(str_from(line, colon + 1)), &seen);
	}
	*n = (struct event_note){.body = text};
}

void event_note_header(struct buf *b, str id, str project, int64_t started_us)
{
	buf_add(b, STR("---\nid: "));
	buf_add(b, id);
	buf_add(b, STR("\nproject: "));
	buf_add(b, project);
	buf_add(b, STR("\nstarted_at: "));
	event_time(b, started_us);
	buf_add(b, STR("\nstatus: active\nsummary: \n---\n\n# Session "));
	buf_add(b, id);
	buf_add(b, STR(" \xe2\x80\x94 "));
	buf_add(b, project);
	buf_add(b, STR("\n\n## Log\n\n"));
}
