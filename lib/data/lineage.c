/*
 * The reader goes over lines. What it may be in:
 *
 *   TEXT     nothing of ours is open
 *   BLOCK    a heading was seen: a fence or a sealed line follows
 *   VALUE    inside the fence
 *   CLOSED   behind it: the sealed line follows
 *   CUT      behind a sealed line without its end
 *
 * A heading in any but the first means that the block before was left unfinished: torn, if the
 * next writer said so, else lost. JSON has no line that begins with '#' or '<', so neither can be
 * part of a value.
 */
#include "data/lineage.h"

#include "base/utf8.h"
#include "data/canon.h"
#include "data/json.h"
#include "data/note.h"
#include "data/seal.h"

static const str HEADING = {"## v", 4}, FENCE = {"```json", 7}, FENCE_END = {"```", 3},
		 SEALED = {"<!-- ", 5}, TORN = {"<!-- torn -->", 13};

/* The current string token, decoded; borrowed from the text where it has no escapes. */
static str take_text(struct lineage *l, const struct json *j, size_t room)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	str s;

	if (!j->escaped)
		return j->raw;
	if (!l->has_arena) {
		arena_init(&l->arena, room);
		l->has_arena = true;
	}
	json_text(j, &b);
	s = arena_str(&l->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

/* One value of an object in the text that its own parser may read: its bytes. */
static str take_span(struct json *j)
{
	enum json_tok tok = json_next(j);
	size_t from = j->at - 1;

	if (tok != JSON_OBJ && tok != JSON_ARR)
		return STR_NONE;
	json_skip(j);
	return (str){j->text.p + from, j->at - from};
}

static uint64_t take_u64(struct json *j)
{
	uint64_t v = 0;

	return json_next(j) == JSON_NUM && str_u64(j->raw, &v) ? v : 0;
}

static double take_double(struct json *j)
{
	double v;

	return json_next(j) == JSON_NUM && canon_double(j->raw, &v) ? v : -1;
}

static size_t take_hashes(struct json *j, str hash[LINEAGE_PARENTS_MAX])
{
	size_t n = 0;

	if (json_next(j) != JSON_ARR)
		return 0;
	while (json_next(j) == JSON_STR)
		if (n < LINEAGE_PARENTS_MAX)
			hash[n++] = j->raw;
	return n;
}

static void take_state(struct json *j, struct lineage_state *s)
{
	if (json_next(j) != JSON_OBJ)
		return;
	while (json_next(j) == JSON_KEY) {
		if (json_is(j, "version"))
			s->version = take_u64(j);
		else if (json_is(j, "chain"))
			s->chain = json_next(j) == JSON_STR ? j->raw : STR_NONE;
		else if (json_is(j, "confidence"))
			s->confidence = take_double(j);
		else if (json_is(j, "successes"))
			s->successes = take_u64(j);
		else if (json_is(j, "failures"))
			s->failures = take_u64(j);
		else if (json_is(j, "others"))
			s->others = take_u64(j);
		else if (json_is(j, "offset"))
			s->offset = take_u64(j);
		else if (json_is(j, "size"))
			s->size = take_u64(j);
		else
			json_skip(j);
	}
}

enum member {
	AGENT,
	SESSION,
	AT,
	NOTE,
	REF,
	CONTENT,
	CHAIN,
	KIND,
	PACKET,
	OF,
	VERSION,
	OFFSET,
	SIZE,
	CONFIDENCE,
	BEFORE,
	AFTER,
	MOVED,
	PREV,
	PARENTS,
	TAGS,
	EXTRA,
	HEAD,
	MEMBERS
};

static const str MEMBER[MEMBERS] = {
	[AGENT] = {"agent", 5},     [SESSION] = {"session", 7},
	[AT] = {"at", 2},           [NOTE] = {"note", 4},
	[REF] = {"ref", 3},         [CONTENT] = {"content", 7},
	[CHAIN] = {"chain", 5},     [KIND] = {"kind", 4},
	[PACKET] = {"packet", 6},   [OF] = {"of", 2},
	[VERSION] = {"version", 7}, [OFFSET] = {"offset", 6},
	[SIZE] = {"size", 4},       [CONFIDENCE] = {"confidence", 10},
	[BEFORE] = {"before", 6},   [AFTER] = {"after", 5},
	[MOVED] = {"moved", 5},     [PREV] = {"prev", 4},
	[PARENTS] = {"parents", 7}, [TAGS] = {"tags", 4},
	[EXTRA] = {"extra", 5},     [HEAD] = {"head", 4},
};

/* A search goes over the lines of all records: names are compared once, and by their length first. */
static enum member member_of(const struct json *j)
{
	int m = 0;

	while (m < MEMBERS &&
	       !(j->escaped ? json_is(j, MEMBER[m].p) : str_eq(j->raw, MEMBER[m])))
		m++;
	return (enum member)m;
}

static void take_text_field(struct lineage *l, struct lineage_entry *v, struct json *j,
			    str *to)
{
	if (json_next(j) == JSON_STR)
		*to = take_text(l, j, v->json.n * 2 + 4096);
}

static void take_field(struct lineage *l, struct lineage_entry *v, struct json *j)
{
	str *const text[] = {&v->agent,   &v->session, &v->at,   &v->note,   &v->ref,
			     &v->content, &v->chain,   &v->kind, &v->packet, &v->of};
	enum member m = member_of(j);

	switch (m) {
	case VERSION:
		v->version = take_u64(j);
		break;
	case OFFSET:
		v->offset = take_u64(j);
		break;
	case SIZE:
		v->size = take_u64(j);
		break;
	case CONFIDENCE:
		v->confidence = take_double(j);
		break;
	case BEFORE:
		v->before = take_double(j);
		break;
	case AFTER:
		v->after = take_double(j);
		break;
	case MOVED:
		v->moved = json_next(j) == JSON_TRUE;
		break;
	case PREV:
		v->nprev = take_hashes(j, v->prev);
		break;
	case PARENTS:
		v->nparents = take_hashes(j, v->parents);
		break;
	case TAGS:
		v->tags = take_span(j);
		break;
	case EXTRA:
		v->extra = take_span(j);
		break;
	case HEAD:
		take_state(j, &v->head);
		break;
	case MEMBERS:
		json_skip(j);
		break;
	default:
		take_text_field(l, v, j, text[m]);
	}
}

static bool is_confidence(double c)
{
	return c >= 0 && c <= 1;
}

static bool has_all(const struct lineage_entry *v)
{
	if (!v->agent.n || !v->at.n || !v->version)
		return false;
	if (v->type == LINEAGE_VERSION)
		return seal_is_hash(v->content) && seal_is_hash(v->chain) &&
		       is_confidence(v->confidence);
	return v->kind.n && seal_is_hash(v->of) && is_confidence(v->before) &&
	       is_confidence(v->after) && seal_is_hash(v->head.chain) &&
	       v->head.version && is_confidence(v->head.confidence);
}

/* The entry of one sealed line. False: it is none that we know. */
static bool take_entry(struct lineage *l, str line, struct lineage_entry *v)
{
	struct seal s;
	struct json j;

	if (!(l->unchecked ? seal_cut : seal_parse)(line, &s))
		return false;
	*v = (struct lineage_entry){.sealed = s.fits,
				    .seal = s.hash,
				    .json = s.json,
				    .confidence = -1,
				    .before = -1,
				    .after = -1};
	if (str_eq(s.word, STR("outcome")))
		v->type = LINEAGE_OUTCOME;
	else if (!str_eq(s.word, STR("version")))
		return false;
	json_init(&j, s.json);
	if (json_next(&j) == JSON_OBJ)
		while (json_next(&j) == JSON_KEY)
			take_field(l, v, &j);
	v->whole = json_next(&j) == JSON_END && has_all(v);
	if (v->type == LINEAGE_VERSION)
		v->head = (struct lineage_state){
			v->version, v->chain, v->confidence, 0, 0, 0, v->offset, v->size};
	return true;
}

enum place { TEXT, BLOCK, VALUE, CLOSED, CUT };

struct reader {
	struct lineage *l;
	str text;
	enum place in;
	size_t begin; /* of the block */
	size_t fence; /* where its JSON begins */
	str value;
	bool twice; /* two fences in one block */
};

static void add_entry(struct reader *r, struct lineage_entry *v, size_t at)
{
	struct lineage *l = r->l;

	v->line = at;
	v->placed = v->offset == at;
	v->begin = at;
	if (v->type == LINEAGE_VERSION) {
		v->begin = r->in == TEXT ? at : r->begin;
		v->value = r->in == CLOSED && !r->twice ? r->value : STR_NONE;
	}
	buf_add(&l->entries, (str){(const char *)v, sizeof(*v)});
	l->entry = (struct lineage_entry *)(void *)l->entries.p;
	l->n++;
}

/* Ours once, whatever was done to it. */
static bool looks_sealed(str line)
{
	size_t n = line.n, hash = SEAL_HEX + 4;

	return str_starts(line, STR("<!-- version ")) ||
	       str_starts(line, STR("<!-- outcome ")) ||
	       (n > hash && str_chr(line, '{') != STR_NPOS &&
		seal_is_hash((str){line.p + n - hash, SEAL_HEX}));
}

static void sealed_line(struct reader *r, str line, size_t at)
{
	struct lineage_entry v;

	if (str_eq(line, TORN)) {
		r->l->torn++;
		r->in = TEXT;
	} else if (take_entry(r->l, line, &v)) {
		r->l->lost +=
			r->in == CUT || (r->in != TEXT && v.type == LINEAGE_OUTCOME);
		add_entry(r, &v, at);
		r->in = TEXT;
	} else {
		bool ended = str_ends(line, STR("-->"));

		r->l->lost += ended || r->in == CUT;
		r->in = ended ? TEXT : CUT;
	}
}

static void one_line(struct reader *r, str line, size_t at, size_t next)
{
	if (str_starts(line, HEADING) && line.n > HEADING.n &&
	    str_is_digit(line.p[HEADING.n])) {
		r->l->lost += r->in != TEXT;
		*r = (struct reader){
			.l = r->l, .text = r->text, .in = BLOCK, .begin = at};
	} else if (str_eq(line, TORN) || looks_sealed(line)) {
		sealed_line(r, line, at);
	} else if (r->in == VALUE && str_eq(line, FENCE_END)) {
		r->value = (str){r->text.p + r->fence, at - r->fence};
		r->in = CLOSED;
	} else if ((r->in == BLOCK || r->in == CLOSED) && str_eq(line, FENCE)) {
		r->twice = r->in == CLOSED;
		r->fence = next;
		r->in = VALUE;
	}
}

/* The text ends. A crash leaves no line end behind: with one, a line that lacks its end was changed. */
static void at_end(struct reader *r, bool newline)
{
	bool changed = r->in == CUT && newline;

	r->l->lost += changed;
	r->l->torn_tail = r->in != TEXT && !changed;
	r->l->open_fence = r->in == VALUE;
}

static str front_value(struct lineage *l, const struct note *n, const char *key,
		       size_t room)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	str raw = note_get(n, key), s = raw;

	/* a plain value is itself: no copy for the common case */
	if (raw.n && (raw.p[0] == '"' || raw.p[0] == '\'')) {
		if (!l->has_arena) {
			arena_init(&l->arena, room);
			l->has_arena = true;
		}
		note_value(n, key, &b);
		s = arena_str(&l->arena, buf_str(&b));
		buf_release(&b);
	}
	return s;
}

static void front_matter(struct lineage *l, str text)
{
	struct note n;

	note_parse(&n, str_head(text, 8192));
	l->scope = front_value(l, &n, "scope", text.n * 2 + 16384);
	l->key = front_value(l, &n, "key", text.n * 2 + 16384);
}

void lineage_reset(struct lineage *l)
{
	struct buf keep = l->entries;
	struct arena arena = l->arena;
	bool has = l->has_arena, unchecked = l->unchecked;

	buf_reset(&keep);
	/* a larger text may follow, and its strings may need more room than the last one's */
	if (has)
		arena_release(&arena);
	*l = (struct lineage){.entries = keep, .unchecked = unchecked};
}

void lineage_release(struct lineage *l)
{
	lineage_reset(l);
	buf_release(&l->entries);
	*l = LINEAGE_INIT;
}

void lineage_parse(struct lineage *l, str text)
{
	struct reader r = {.l = l, .text = text};
	str rest = text, line;

	lineage_reset(l);
	if (!l->unchecked)
		front_matter(l, text);
	while (str_line(&rest, &line)) {
		size_t at = (size_t)(line.p - text.p);

		one_line(&r, line, at, text.n - rest.n);
	}
	at_end(&r, text.n && text.p[text.n - 1] == '\n');
}

/* Offset of the last line in s that begins with `start`; STR_NPOS. */
static size_t last_line(str s, str start)
{
	while (s.n) {
		size_t at = str_rfind(s, start);

		if (at == STR_NPOS || at == 0 || s.p[at - 1] == '\n')
			return at;
		s = str_head(s, at);
	}
	return STR_NPOS;
}

bool lineage_tail(struct lineage *l, str window, uint64_t at)
{
	struct reader r = {.l = l};
	struct lineage_entry v;
	str line, rest;
	size_t from;

	lineage_reset(l);
	for (str s = window;; s = str_head(s, from)) {
		from = last_line(s, SEALED);
		/* at the window's edge it may be the middle of a line */
		if (from == STR_NPOS || (from == 0 && at))
			return false;
		rest = str_from(window, from);
		str_line(&rest, &line);
		if (str_eq(line, TORN) || !take_entry(l, line, &v))
			continue;
		break;
	}
	add_entry(&r, &v, from + (size_t)at);
	for (r.text = rest; str_line(&rest, &line);)
		one_line(&r, line, (size_t)(line.p - window.p), 0);
	at_end(&r, window.p[window.n - 1] == '\n');
	return true;
}

str lineage_value(str block)
{
	struct lineage l = LINEAGE_INIT;
	struct reader r = {.l = &l, .text = block};
	str rest = block, line;

	while (str_line(&rest, &line))
		one_line(&r, line, (size_t)(line.p - block.p), block.n - rest.n);
	lineage_release(&l);
	return r.in == CLOSED && !r.twice ? r.value : STR_NONE;
}

/* Writing. */

void lineage_add_header(struct buf *b, str scope, str key)
{
	buf_add(b, STR("---\nformat: 1\nkind: record\n"));
	note_add_field(b, "scope", scope);
	note_add_field(b, "key", key);
	buf_add(b, STR("---\n\n# "));
	utf8_show(b, scope, UTF8_ONELINE);
	buf_byte(b, '/');
	utf8_show(b, key, UTF8_ONELINE);
	buf_byte(b, '\n');
}

void lineage_add_torn(struct buf *b, bool open_fence)
{
	if (open_fence)
		buf_add(b, STR("\n```\n"));
	buf_add(b, STR("\n"));
	buf_add(b, TORN);
	buf_byte(b, '\n');
}

static void add_text(struct buf *b, const char *key, str s)
{
	if (!s.n)
		return;
	json_add_key(b, key);
	canon_str(b, s);
}

static void add_u64(struct buf *b, const char *key, uint64_t v)
{
	json_add_key(b, key);
	buf_u64(b, v);
}

static void add_double(struct buf *b, const char *key, double v)
{
	json_add_key(b, key);
	canon_number(b, v);
}

static void add_hashes(struct buf *b, const char *key, const str *hash, size_t n)
{
	json_add_key(b, key);
	buf_byte(b, '[');
	for (size_t i = 0; i < n; i++) {
		json_add_sep(b);
		canon_str(b, hash[i]);
	}
	buf_byte(b, ']');
}

static void add_state(struct buf *b, const struct lineage_state *s)
{
	json_add_key(b, "head");
	buf_byte(b, '{');
	add_text(b, "chain", s->chain);
	add_double(b, "confidence", s->confidence);
	add_u64(b, "failures", s->failures);
	add_u64(b, "offset", s->offset);
	add_u64(b, "others", s->others);
	add_u64(b, "size", s->size);
	add_u64(b, "successes", s->successes);
	add_u64(b, "version", s->version);
	buf_byte(b, '}');
}

static void version_json(struct buf *b, const struct lineage_entry *v)
{
	buf_byte(b, '{');
	add_text(b, "agent", v->agent);
	add_text(b, "at", v->at);
	add_text(b, "chain", v->chain);
	add_double(b, "confidence", v->confidence);
	add_text(b, "content", v->content);
	if (v->extra.n) {
		json_add_key(b, "extra");
		buf_add(b, v->extra);
	}
	add_text(b, "note", v->note);
	add_u64(b, "offset", v->offset);
	add_hashes(b, "parents", v->parents, v->nparents);
	add_hashes(b, "prev", v->prev, v->nprev);
	add_text(b, "ref", v->ref);
	add_text(b, "session", v->session);
	add_u64(b, "size", v->size);
	if (v->tags.n) {
		json_add_key(b, "tags");
		buf_add(b, v->tags);
	}
	add_u64(b, "version", v->version);
	buf_byte(b, '}');
}

void lineage_add_version(struct buf *b, struct lineage_entry *v, uint64_t base,
			 char hash[65])
{
	struct buf json = BUF_INIT(SIZE_MAX);
	size_t begin;

	buf_byte(b, '\n');
	begin = b->n;
	buf_printf(b, "## v%llu \xc2\xb7 %.*s \xc2\xb7 ", (unsigned long long)v->version,
		   STR_ARG(v->at));
	utf8_show(b, v->agent, UTF8_ONELINE);
	buf_add(b, STR("\n\n"));
	buf_add(b, FENCE);
	buf_byte(b, '\n');
	buf_add(b, v->value);
	buf_byte(b, '\n');
	buf_add(b, FENCE_END);
	buf_add(b, STR("\n\n"));
	v->begin = (size_t)base + begin;
	v->offset = base + b->n;
	v->line = (size_t)v->offset;
	v->size = b->n - begin;
	v->head = (struct lineage_state){v->version, v->chain, v->confidence, 0,
					 0,          0,        v->offset,     v->size};
	version_json(&json, v);
	seal_add(b, STR("version"), buf_str(&json), hash);
	buf_release(&json);
}

void lineage_add_outcome(struct buf *b, struct lineage_entry *o, uint64_t base,
			 char hash[65])
{
	struct buf json = BUF_INIT(SIZE_MAX);

	o->offset = base + b->n;
	buf_byte(&json, '{');
	add_double(&json, "after", o->after);
	add_text(&json, "agent", o->agent);
	add_text(&json, "at", o->at);
	add_double(&json, "before", o->before);
	add_state(&json, &o->head);
	add_text(&json, "kind", o->kind);
	json_add_key(&json, "moved");
	buf_add(&json, o->moved ? STR("true") : STR("false"));
	add_text(&json, "note", o->note);
	add_text(&json, "of", o->of);
	add_u64(&json, "offset", o->offset);
	add_text(&json, "packet", o->packet);
	add_hashes(&json, "prev", o->prev, o->nprev);
	add_text(&json, "ref", o->ref);
	add_text(&json, "session", o->session);
	add_u64(&json, "version", o->version);
	buf_byte(&json, '}');
	seal_add(b, STR("outcome"), buf_str(&json), hash);
	buf_release(&json);
}
