/*
 * Tokens to records.
 *
 * The tree is built from the scanner's tokens with a stack of open containers. What a
 * string is kept as depends on its key and on where it stands ("place"): `content` is a
 * message text in a message, a tool result in a block, and a file to be written in a tool's
 * input. The table RULES knows the keys, place_below() the places. Key order never matters:
 * a block's `type` may come last.
 *
 * Memory of a record is three regions that are reserved once and touched as far as records
 * need: values, texts, tails. Nothing is allocated per record. A part of the texts is kept
 * back for ids and types, which often stand behind a huge message.
 *
 * Duplicates by uuid: a set of 64-bit hashes in two generations; when the young one is
 * full, the old one is forgotten. A collision (1 in 10^9 for a million records) would mark a
 * record as duplicate: readers only leave duplicates out of listings.
 */
#include "data/transcript.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

#define VALS_MAX      ((size_t)(TRANSCRIPT_RECORD_BYTES * 3 / 8 / sizeof(struct val)))
#define TEXT_BYTES    ((size_t)TRANSCRIPT_RECORD_BYTES * 3 / 8)
#define TAIL_BYTES    ((size_t)TRANSCRIPT_RECORD_BYTES / 4)
#define RESERVE_BYTES ((size_t)128 << 10) /* of TEXT_BYTES, for ids */
#define IDENT_BYTES   4096                /* of one id or path */
#define PATCH_BYTES   160                 /* of one line of a diff */
#define JOIN_BYTES                                                                       \
	((size_t)64 << 10) /* a tool result's text parts are joined up to this */
#define DAY_BYTES  11
#define SEEN_FIRST 1024 /* slots of the first set of uuids, at least, */
#define SEEN_EVERY 2048 /* else one for so many bytes: few files outgrow that */

const struct transcript_caps TRANSCRIPT_CAPS_INDEX = {512, 512, 512, 512, 512, 256, true};
const struct transcript_caps TRANSCRIPT_CAPS_DOC = {
	48 << 10, 16 << 10, 16 << 10, 16 << 10, 8 << 10, 2 << 10, false,
};
const struct transcript_caps TRANSCRIPT_CAPS_TREE = {256, 128, 128, 0, 128, 0, true};

/* Keys that the code below asks for. */
enum key {
	K_OTHER,
	K_TYPE,
	K_TIMESTAMP,
	K_SIDECHAIN,
	K_META,
	K_SUMMARY_FLAG,
	K_API_ERROR,
	K_FORKED,
	K_MESSAGE,
	K_CONTENT,
	K_RESULT,
	K_INPUT,
	K_OUTPUT,
	K_ID,
	K_TOOL_USE_ID,
	K_NAME,
	K_TEXT,
	K_THINKING,
	K_DATA,
	K_SOURCE,
	K_IS_ERROR,
	K_PAYLOAD,
};

/* How a string is kept. */
enum keep {
	KEEP_PLAIN,  /* caps.input */
	KEEP_IDENT,  /* whole, to IDENT_BYTES */
	KEEP_TEXT,   /* caps.text */
	KEEP_RESULT, /* caps.result */
	KEEP_PATCH,  /* PATCH_BYTES */
	KEEP_SIZE,   /* nothing but its size */
};

/* Where a value stands. */
enum place {
	AT_ROOT,    /* of the record */
	AT_MESSAGE, /* in message */
	AT_CONTENT, /* in an array of content blocks */
	AT_BLOCK,   /* in a content block */
	AT_INPUT,   /* anywhere in a tool's input */
	AT_RESULT,  /* anywhere in a result block or in toolUseResult */
	AT_ELSE,
	PLACES,
};

#define LEAN 1 /* not kept for listings */

struct rule {
	char name[32];
	uint8_t n, k, lean;
	uint8_t keep[AT_ELSE + 1]; /* by place */
	uint16_t field;         /* of struct record, for strings at the root; 0 = none */
	uint16_t message_field; /* the same for strings in message */
};

#define RULE_AT(name, k, outside, block, input, result, lean, field, in_message)         \
	{                                                                                \
		name, sizeof(name) - 1, k, lean,                                         \
			{KEEP_##outside, KEEP_##outside, KEEP_##outside, KEEP_##block,   \
			 KEEP_##input,   KEEP_##result,  KEEP_##outside},                \
			field, in_message                                                \
	}
#define RULE(name, k, outside, input, result, lean)                                      \
	RULE_AT(name, k, outside, outside, input, result, lean, 0, 0)
/* a string that struct record holds */
#define FIELD(name, k, member)                                                           \
	RULE_AT(name, k, IDENT, IDENT, PLAIN, IDENT, 0, offsetof(struct record, member), \
		0)
#define FIELD_IN(name, k, member)                                                        \
	RULE_AT(name, k, IDENT, IDENT, PLAIN, IDENT, 0, 0,                               \
		offsetof(struct record, member))

static const struct rule RULES[] = {
	RULE("", K_OTHER, PLAIN, PLAIN, PLAIN, 0), /* any other key */
	FIELD("uuid", K_OTHER, uuid),
	FIELD("parentUuid", K_OTHER, parent),
	FIELD("logicalParentUuid", K_OTHER, logical_parent),
	FIELD("sessionId", K_OTHER, session),
	RULE_AT("cwd", K_OTHER, IDENT, IDENT, IDENT, IDENT, 0,
		offsetof(struct record, cwd), 0),
	FIELD("gitBranch", K_OTHER, branch),
	FIELD("version", K_OTHER, version),
	FIELD("entrypoint", K_OTHER, entrypoint),
	FIELD("agentId", K_OTHER, agent_id),
	FIELD("type", K_TYPE, type_name),
	FIELD("subtype", K_OTHER, subtype),
	RULE("timestamp", K_TIMESTAMP, IDENT, PLAIN, IDENT, 0),
	RULE("isSidechain", K_SIDECHAIN, PLAIN, PLAIN, PLAIN, 0),
	RULE("isMeta", K_META, PLAIN, PLAIN, PLAIN, 0),
	RULE("isCompactSummary", K_SUMMARY_FLAG, PLAIN, PLAIN, PLAIN, 0),
	RULE("isApiErrorMessage", K_API_ERROR, PLAIN, PLAIN, PLAIN, 0),
	RULE("forkedFrom", K_FORKED, PLAIN, PLAIN, PLAIN, 0),
	RULE("message", K_MESSAGE, PLAIN, PLAIN, PLAIN, 0),
	RULE_AT("content", K_CONTENT, TEXT, RESULT, PLAIN, RESULT, 0, 0, 0),
	RULE("toolUseResult", K_RESULT, RESULT, PLAIN, RESULT, 0),
	RULE("input", K_INPUT, PLAIN, PLAIN, PLAIN, 0),
	RULE("output", K_OUTPUT, RESULT, PLAIN, RESULT, 0),
	FIELD_IN("id", K_ID, message_id),
	RULE("tool_use_id", K_TOOL_USE_ID, IDENT, PLAIN, IDENT, 0),
	RULE("name", K_NAME, IDENT, PLAIN, IDENT, 0),
	FIELD_IN("model", K_OTHER, model),
	FIELD_IN("stop_reason", K_OTHER, stop_reason),
	RULE("text", K_TEXT, TEXT, PLAIN, RESULT, 0),
	RULE("thinking", K_THINKING, TEXT, PLAIN, RESULT, 0),
	RULE("data", K_DATA, SIZE, PLAIN, SIZE, 0),
	RULE("source", K_SOURCE, PLAIN, PLAIN, PLAIN, 0),
	RULE("is_error", K_IS_ERROR, PLAIN, PLAIN, PLAIN, 0),
	RULE("payload", K_PAYLOAD, PLAIN, PLAIN, PLAIN, 0),
	RULE("record_type", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("lines", K_OTHER, PLAIN, PLAIN, PATCH, 0),
	/* ids, paths and names */
	RULE("toolUseID", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("parentToolUseID", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("leafUuid", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("taskId", K_OTHER, IDENT, IDENT, IDENT, 0),
	RULE("backgroundTaskId", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("file_path", K_OTHER, IDENT, IDENT, IDENT, 0),
	RULE("filePath", K_OTHER, IDENT, IDENT, IDENT, 0),
	RULE("notebook_path", K_OTHER, IDENT, IDENT, IDENT, 0),
	RULE("path", K_OTHER, IDENT, IDENT, IDENT, 0),
	RULE("subagent_type", K_OTHER, IDENT, IDENT, IDENT, 0),
	RULE("agentType", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("outputFile", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("commandMode", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("operation", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("status", K_OTHER, IDENT, PLAIN, IDENT, 0),
	RULE("error", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("role", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	/* what people and models say */
	RULE("summary", K_OTHER, TEXT, PLAIN, TEXT, 0),
	RULE("prompt", K_OTHER, TEXT, TEXT, TEXT, 0),
	RULE("plan", K_OTHER, TEXT, TEXT, TEXT, 0),
	RULE("planContent", K_OTHER, TEXT, PLAIN, TEXT, 0),
	RULE("lastPrompt", K_OTHER, TEXT, PLAIN, TEXT, 0),
	/* what tools print */
	RULE("stdout", K_OTHER, RESULT, PLAIN, RESULT, LEAN),
	RULE("stderr", K_OTHER, RESULT, PLAIN, RESULT, LEAN),
	RULE("result", K_OTHER, RESULT, PLAIN, RESULT, 0),
	/* never kept */
	RULE("originalFile", K_OTHER, SIZE, PLAIN, SIZE, LEAN),
	RULE("base64", K_OTHER, SIZE, PLAIN, SIZE, LEAN),
	RULE("signature", K_OTHER, SIZE, PLAIN, SIZE, LEAN),
	RULE("encrypted_content", K_OTHER, SIZE, PLAIN, SIZE, LEAN),
	RULE("encrypted", K_OTHER, SIZE, PLAIN, SIZE, LEAN),
	/* nothing special, but met so often that their names need not be kept each time */
	RULE("command", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("description", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("pattern", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("old_string", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("new_string", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("replace_all", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("interrupted", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	RULE("structuredPatch", K_OTHER, PLAIN, PLAIN, PLAIN, 0),
	/* not for listings */
	RULE("usage", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("requestId", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	RULE("userType", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("slug", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	RULE("promptId", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	RULE("session_id", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	RULE("stop_sequence", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("stop_details", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("context_management", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("diagnostics", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("sourceToolAssistantUUID", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	RULE("messageId", K_OTHER, IDENT, PLAIN, IDENT, LEAN),
	RULE("snapshot", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("hookInfos", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("isImage", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("noOutputExpected", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("userModified", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
	RULE("replacement_history", K_OTHER, PLAIN, PLAIN, PLAIN, LEAN),
};
#define RULES_COUNT (sizeof(RULES) / sizeof(RULES[0]))

struct frame {
	struct val *v; /* NULL: the container is not kept, only counted through */
	const struct scan_members *members; /* of an object */
	uint8_t place;
	uint8_t keep; /* of strings in an array */
	bool obj;
};

struct seen {
	uint8_t *tag; /* 0: free */
	uint64_t *hash;
	size_t slots, used; /* slots is a power of two */
};

struct transcript_state {
	struct scan scan;
	struct {
		uint32_t head, tail;
	} cap[KEEP_SIZE + 1];
	bool lean;
	struct val *vals; /* VALS_MAX */
	size_t nvals;
	struct buf text, tail;
	char *text_base, *tail_base; /* must not move: values point in */
	struct frame frame[SCAN_DEPTH_MAX + 1];
	int depth;
	const struct rule *rule; /* of the pending key */
	str key;
	struct record rec;
	char day[DAY_BYTES]; /* "2026-07-15T" of the last time, */
	int64_t day_at;      /* and its beginning */
	bool has_message, foreign_key;
	const struct val *root_content, *message_content;
	struct block block; /* made last, of block.v; readers ask for the same again */
	str hashed;         /* the uuid that rec.uuid_hash is of */
	struct seen young, old;
	size_t seen_first;                 /* slots of the first set */
	struct scan_names names;           /* the keys of RULES */
	bool swallow[PLACES][RULES_COUNT]; /* what listings need not see */
	uint16_t root_at[RULES_COUNT], message_at[RULES_COUNT], no_at[RULES_COUNT];
	struct scan_members members[PLACES], root,
		message; /* by place, and of the record */
};

static void *take_memory(size_t n)
{
	void *p = malloc(n);

	if (!p)
		log_oom();
	return p;
}

/* ---- ids ---- */

static uint64_t mix(uint64_t h, uint64_t w)
{
	h = (h ^ w) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 32);
}

uint64_t transcript_hash(str s)
{
	uint64_t h = s.n, w;
	size_t i = 0;

	if (!s.n)
		return 0;
	for (; s.n - i >= 8; i += 8) {
		memcpy(&w, s.p + i, 8);
		h = mix(h, w);
	}
	w = 0;
	if (s.n >= 8)
		memcpy(&w, s.p + s.n - 8, 8);
	else
		memcpy(&w, s.p, s.n);
	h = mix(mix(h, w), 0x2545f4914f6cdd1du);
	return h ? h : 1;
}

/*
 * A slot is looked for in the bytes of `tag` alone, which stay in the cache where the hashes
 * do not: those are read when a tag is met again (1 in 255 by chance), and else only written.
 */
static uint8_t seen_tag(uint64_t h)
{
	return (uint8_t)(h >> 56 ? h >> 56 : 1);
}

static bool seen_has(const struct seen *s, uint64_t h)
{
	uint8_t tag = seen_tag(h);

	if (!s->slots)
		return false;
	for (size_t i = h & (s->slots - 1); s->tag[i]; i = (i + 1) & (s->slots - 1))
		if (s->tag[i] == tag && s->hash[i] == h)
			return true;
	return false;
}

static void seen_put(struct seen *s, uint64_t h)
{
	size_t i = h & (s->slots - 1);

	while (s->tag[i])
		i = (i + 1) & (s->slots - 1);
	s->tag[i] = seen_tag(h);
	s->hash[i] = h;
	s->used++;
}

static void seen_release(struct seen *s)
{
	free(s->tag);
	free(s->hash);
	*s = (struct seen){0};
}

static void seen_make(struct seen *s, size_t slots)
{
	*s = (struct seen){.slots = slots};
	s->tag = calloc(slots, sizeof(*s->tag));
	s->hash = malloc(slots * sizeof(*s->hash));
	if (!s->tag || !s->hash)
		log_oom();
}

static void seen_grow(struct seen *s, size_t first)
{
	struct seen big;

	seen_make(&big, s->slots ? s->slots * 2 : first);
	for (size_t i = 0; i < s->slots; i++)
		if (s->tag[i])
			seen_put(&big, s->hash[i]);
	seen_release(s);
	*s = big;
}

/* Add h; true if it was there. */
static bool seen_before(struct transcript_state *st, uint64_t h)
{
	if (seen_has(&st->young, h) || seen_has(&st->old, h))
		return true;
	if (st->young.used >= TRANSCRIPT_UUIDS_MAX) {
		seen_release(&st->old);
		st->old = st->young;
		st->young = (struct seen){0};
	}
	if (st->young.used * 2 >= st->young.slots)
		seen_grow(&st->young, st->seen_first);
	seen_put(&st->young, h);
	return false;
}

/* The hash of the record's uuid, early: the set's memory is far from the processor. */
static void uuid_hash(struct transcript_state *st)
{
	struct record *r = &st->rec;

	if (st->hashed.p == r->uuid.p && st->hashed.n == r->uuid.n)
		return;
	st->hashed = r->uuid;
	r->uuid_hash = transcript_hash(r->uuid);
	if (st->young.slots)
		__builtin_prefetch(&st->young.tag[r->uuid_hash & (st->young.slots - 1)]);
}

/* ---- keys ---- */

/* Strings of these keys are left out of listings. */
static bool is_lean(enum place p, const struct rule *r)
{
	return r->lean || (p == AT_MESSAGE && r->k == K_TYPE);
}

static void rules_index(struct transcript_state *st)
{
	scan_names_init(&st->names);
	for (size_t i = 1; i < RULES_COUNT; i++)
		scan_names_add(&st->names, (str){RULES[i].name, RULES[i].n});
	for (size_t p = 0; st->lean && p < PLACES; p++)
		for (size_t i = 1; i < RULES_COUNT; i++)
			if (is_lean((enum place)p, &RULES[i]))
				st->swallow[p][i] = true;
	for (size_t i = 1; st->lean && i < RULES_COUNT; i++) {
		st->root_at[i] = RULES[i].field;
		st->message_at[i] = RULES[i].message_field;
	}
	for (size_t p = 0; p < PLACES; p++)
		st->members[p] = (struct scan_members){.names = &st->names,
						       .swallow = st->swallow[p],
						       .at = st->no_at,
						       .base = (char *)&st->rec,
						       .text = &st->text};
	st->root = st->members[AT_ROOT];
	st->root.at = st->root_at;
	st->message = st->members[AT_MESSAGE];
	st->message.at = st->message_at;
}

static enum place place_below(enum place p, unsigned k)
{
	switch (p) {
	case AT_INPUT:
	case AT_RESULT:
		return p;
	case AT_CONTENT:
		return AT_BLOCK;
	case AT_BLOCK:
		return k == K_INPUT                      ? AT_INPUT
		       : k == K_CONTENT || k == K_OUTPUT ? AT_RESULT
							 : AT_ELSE;
	case AT_MESSAGE:
		if (k == K_CONTENT)
			return AT_CONTENT;
		return k == K_MESSAGE ? AT_MESSAGE : AT_ELSE;
	case AT_ROOT:
	case AT_ELSE:
	case PLACES:
		break;
	}
	switch (k) {
	case K_MESSAGE:
		return AT_MESSAGE;
	case K_CONTENT:
		return AT_CONTENT;
	case K_INPUT:
		return AT_INPUT;
	case K_RESULT:
		return AT_RESULT;
	default:
		return AT_ELSE;
	}
}

/* ---- the tree ---- */

static void record_start(struct transcript_state *st)
{
	memset(&st->rec, 0, sizeof(st->rec));
	st->rec.at = CLOCK_NONE;
	st->rec.st = st;
	st->nvals = 0;
	st->depth = 0;
	st->rule = &RULES[0];
	st->key = STR_NONE;
	st->has_message = st->foreign_key = false;
	st->root_content = st->message_content = NULL;
	st->block.v = NULL;
	st->hashed = STR_NONE;
	buf_reset(&st->text);
	buf_reset(&st->tail);
}

/* The pending key: a known one is borrowed from the table. */
static inline str key_of(const struct transcript_state *st)
{
	if (st->rule != &RULES[0])
		return (str){st->rule->name, st->rule->n};
	return st->key;
}

/* A new value below the open container; NULL when it is not kept. */
static struct val *val_new(struct transcript_state *st, enum val_type type)
{
	struct val *parent = st->depth ? st->frame[st->depth - 1].v : NULL;
	struct val *v;

	if (st->depth) {
		if (!parent)
			return NULL;
		if (parent->size >= TRANSCRIPT_CHILDREN_MAX || st->nvals >= VALS_MAX) {
			parent->size++;
			parent->cut = true;
			return NULL;
		}
		parent->size++;
	}
	v = &st->vals[st->nvals++];
	*v = (struct val){.type = type, .k = st->rule->k, .key = key_of(st)};
	if (parent) {
		if (parent->last)
			parent->last->next = v;
		else
			parent->child = v;
		parent->last = v;
	}
	return v;
}

/* A key that is in no rule stays with its value. */
static void key_keep(struct transcript_state *st)
{
	str key = st->scan.key;
	size_t at = st->text.n;

	st->key = STR_NONE;
	if (st->frame[st->depth - 1].v && st->text.max - at >= key.n + RESERVE_BYTES) {
		buf_add(&st->text, key);
		st->key = (str){st->text.p + at, key.n};
	}
}

static inline void key_take(struct transcript_state *st, unsigned number)
{
	st->rule = &RULES[number];
	if (!number)
		key_keep(st);
}

/* Where to put a string of the record itself, NULL for others. */
static inline str *field_of(struct transcript_state *st)
{
	uint16_t at = 0;

	if (st->depth == 1)
		at = st->rule->field;
	else if (st->depth == 2 && st->frame[1].place == AT_MESSAGE)
		at = st->rule->message_field;
	return at ? (str *)(void *)((char *)&st->rec + at) : NULL;
}

/* A string that the scanner has handed out, within these caps: all of it is in the text. */
static bool plain_take(struct transcript_state *st, str s, size_t head, size_t tail)
{
	bool whole = s.n <= head + tail;

	scan_plain_add(&st->text, whole ? s : str_head(s, head));
	if (!whole)
		buf_add(&st->tail, str_from(s, s.n - tail));
	return whole;
}

/* Consume the string at hand within the caps; what was taken is in *text and *tail. */
static inline __attribute__((always_inline)) bool
text_take(struct transcript_state *st, unsigned keep, str *text, str *tail)
{
	size_t at = st->text.n, tail_at = st->tail.n;
	size_t head = st->cap[keep].head, end = st->cap[keep].tail;
	size_t left = st->text.max - at, tail_left = st->tail.max - tail_at;
	str plain = st->scan.member ? st->scan.plain : STR_NONE;
	bool whole;

	if (keep != KEEP_IDENT && left < head + end + RESERVE_BYTES)
		head = end = 0;
	if (end > tail_left)
		end = 0;
	whole = plain.p ? plain_take(st, plain, head, end)
			: scan_text(&st->scan, &st->text, end ? &st->tail : NULL, head,
				    end);
	if (st->text.full || st->tail.full) {
		buf_cut(&st->text, at);
		buf_cut(&st->tail, tail_at);
		whole = false;
	}
	*text = (str){st->text.p + at, st->text.n - at};
	*tail = (str){st->tail.p + tail_at, st->tail.n - tail_at};
	return whole;
}

/* Eight bytes are digits where `shape` has a zero, and what it has elsewhere. */
static inline bool shaped(const char *p, const char *shape)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t v, want, digit, odd;

	memcpy(&v, p, 8);
	memcpy(&want, shape, 8);
	/* digits and zero share their high four bits, and nothing else that is wanted does */
	digit = ~(want ^ ones * '0');
	digit &= digit >> 4;
	digit &= digit >> 2;
	digit &= digit >> 1;
	digit = (digit & ones) * 0xff;
	odd = (v ^ want) & ~(digit & ones * 0x0f);
	return !(odd | (((v & ones * 0x0f) + ones * 6) & ones * 0x10 & digit));
}

static inline unsigned digits2(const char *p)
{
	return (unsigned)(unsigned char)p[0] * 10 + (unsigned char)p[1] - '0' * 11u;
}

/*
 * The record's time. Within a day only the part behind the date changes: what clock_parse
 * made of the last one is the base.
 */
static void time_take(struct transcript_state *st, str s)
{
	const char *p = s.p + DAY_BYTES;
	unsigned h, m, sec, ms;

	if (s.n != DAY_BYTES + 13 || !shaped(p, "00:00:00") ||
	    !shaped(p + 5, ":00.000Z")) {
		clock_parse(s, &st->rec.at);
		return;
	}
	h = digits2(p);
	m = digits2(p + 3);
	sec = digits2(p + 6);
	ms = digits2(p + 9) * 10 + (unsigned char)p[11] - '0';
	ms += ((h * 60 + m) * 60 + sec) * 1000;
	if (h > 23 || m > 59 || sec > 59) {
		clock_parse(s, &st->rec.at);
	} else if (memcmp(s.p, st->day, DAY_BYTES) == 0) {
		st->rec.at = st->day_at + ms;
	} else if (clock_parse(s, &st->rec.at)) {
		memcpy(st->day, s.p, DAY_BYTES);
		st->day_at = st->rec.at - ms;
	}
}

static void string_take(struct transcript_state *st)
{
	struct frame *f = st->depth ? &st->frame[st->depth - 1] : NULL;
	str *field, text, tail;
	unsigned keep;
	struct val *v;
	bool whole;

	if (!f)
		return;
	keep = f->obj ? st->rule->keep[f->place] : f->keep;
	field = f->obj ? field_of(st) : NULL;
	if (field || (st->depth == 1 && st->rule->k == K_TIMESTAMP)) {
		text_take(st, KEEP_IDENT, &text, &tail);
		if (field) {
			*field = text;
		} else {
			time_take(st, text);
			uuid_hash(st); /* most often it has just been met */
		}
		if (!st->lean && (v = val_new(st, VAL_STR))) {
			v->text = text;
			v->size = st->scan.str_size;
		}
		return;
	}
	if (st->lean && f->obj && is_lean((enum place)f->place, st->rule))
		return;
	if (!f->v)
		return;
	v = val_new(st, VAL_STR);
	if (!v && f->obj)
		return;
	if (!v)
		keep = KEEP_PATCH; /* beyond the cap, still counted as + or - */
	whole = text_take(st, keep, &text, &tail);
	if (v) {
		v->text = text;
		v->tail = tail;
		v->cut = !whole;
		v->size = st->scan.str_size;
		if (st->depth == 1 && v->k == K_CONTENT)
			st->root_content = v;
		if (st->depth == 2 && f->place == AT_MESSAGE && v->k == K_CONTENT)
			st->message_content = v;
		if (st->depth == 1 && v->k == K_RESULT)
			st->rec.result = v;
	}
	if (!f->obj && text.n) {
		f->v->plus += text.p[0] == '+';
		f->v->minus += text.p[0] == '-';
	}
}

/* A record's own flag, or a string field that is none here: of duplicate keys the last wins. */
static void flag_take(struct transcript_state *st, bool on)
{
	struct record *r = &st->rec;
	str *field = field_of(st);

	if (field)
		*field = STR_NONE;
	if (st->depth != 1)
		return;
	switch (st->rule->k) {
	case K_SIDECHAIN:
		r->sidechain = on;
		break;
	case K_META:
		r->meta = on;
		break;
	case K_SUMMARY_FLAG:
		r->compact_summary = on;
		break;
	case K_API_ERROR:
		r->api_error = on;
		break;
	case K_FORKED:
		r->forked = false;
		break;
	case K_MESSAGE:
		st->has_message = false;
		break;
	case K_RESULT:
		r->result = NULL;
		break;
	case K_TIMESTAMP:
		r->at = CLOCK_NONE;
		break;
	default:
		break;
	}
}

static void scalar_take(struct transcript_state *st, enum val_type type)
{
	struct frame *f = st->depth ? &st->frame[st->depth - 1] : NULL;
	struct val *v;

	if (!f)
		return;
	if (f->obj)
		flag_take(st, type == VAL_TRUE);
	if (!f->v)
		return;
	if (st->lean && f->obj &&
	    (st->rule->lean || type == VAL_NULL || type == VAL_FALSE)) {
		f->v->size++;
		return;
	}
	v = val_new(st, type);
	if (v && type == VAL_NUM) {
		size_t at = st->text.n;

		v->size = st->scan.num.n;
		if (st->text.max - at < st->scan.num.n + RESERVE_BYTES) {
			v->cut = true;
			return;
		}
		buf_add(&st->text, st->scan.num);
		v->text = (str){st->text.p + at, st->text.n - at};
	}
}

static void container_open(struct transcript_state *st, bool obj)
{
	struct frame *f = st->depth ? &st->frame[st->depth - 1] : NULL;
	struct frame *top;
	struct val *v = NULL;
	enum place place;

	if (f && f->obj && f->place == AT_ROOT)
		st->foreign_key |= st->rule->k == K_PAYLOAD && obj;
	if (f && st->lean && f->obj &&
	    (st->rule->lean || (st->depth == 1 && st->rule->k == K_DATA))) {
		scan_skip(&st->scan);
		return;
	}
	if (f && f->v)
		v = val_new(st, obj ? VAL_OBJ : VAL_ARR);
	else if (!f)
		v = val_new(st, VAL_OBJ);
	if (f && !v) { /* nothing of it would be kept */
		scan_skip(&st->scan);
		return;
	}
	place = !f       ? AT_ROOT
		: f->obj ? place_below((enum place)f->place, st->rule->k)
			 : place_below((enum place)f->place, K_OTHER);
	/* an array keeps the place for its elements; a block is an object in the array */
	if (f && !f->obj && f->place != AT_CONTENT)
		place = (enum place)f->place;
	if (place == AT_CONTENT && obj)
		place = AT_ELSE; /* `content` that is an object: no list of blocks */
	if (st->depth == 1 && f) {
		if (st->rule->k == K_MESSAGE && obj) {
			st->has_message = true; /* of duplicate keys the last wins */
			st->message_content = NULL;
			st->rec.message_id = st->rec.model = st->rec.stop_reason =
				STR_NONE;
		} else if (st->rule->k == K_CONTENT) {
			st->root_content = v;
		} else if (st->rule->k == K_RESULT) {
			st->rec.result = v;
		} else if (st->rule->k == K_FORKED) {
			st->rec.forked = true;
		}
	}
	if (st->depth == 2 && f && f->obj && f->place == AT_MESSAGE &&
	    st->rule->k == K_CONTENT)
		st->message_content = v;
	assert(st->depth <= SCAN_DEPTH_MAX);
	top = &st->frame[st->depth++];
	top->v = v;
	top->obj = obj;
	top->place = (uint8_t)place;
	top->members = st->depth == 1                          ? &st->root
		       : st->depth == 2 && place == AT_MESSAGE ? &st->message
							       : &st->members[place];
	top->keep = (uint8_t)(!f       ? KEEP_PLAIN
			      : f->obj ? st->rule->keep[f->place]
				       : f->keep);
	if (!obj) {
		st->key = STR_NONE;
		st->rule = &RULES[0];
	}
}

static void container_close(struct transcript_state *st)
{
	st->depth--;
	if (st->depth && !st->frame[st->depth - 1].obj) {
		st->key = STR_NONE;
		st->rule = &RULES[0];
	}
}

/* ---- records ---- */

static const struct {
	str name;
	enum record_type type;
} TYPES[] = {
	{{"user", 4}, RECORD_USER},
	{{"assistant", 9}, RECORD_ASSISTANT},
	{{"attachment", 10}, RECORD_ATTACHMENT},
	{{"system", 6}, RECORD_SYSTEM},
	{{"progress", 8}, RECORD_PROGRESS},
	{{"summary", 7}, RECORD_SUMMARY},
	{{"queue-operation", 15}, RECORD_QUEUE},
	{{"file-history-snapshot", 21}, RECORD_SNAPSHOT},
	{{"file-history-delta", 18}, RECORD_SNAPSHOT},
	{{"last-prompt", 11}, RECORD_LAST_PROMPT},
	{{"ai-title", 8}, RECORD_TITLE},
	{{"custom-title", 12}, RECORD_TITLE},
	{{"agent-name", 10}, RECORD_TITLE},
	{{"mode", 4}, RECORD_META},
	{{"permission-mode", 15}, RECORD_META},
	{{"agent-setting", 13}, RECORD_META},
	{{"agent-color", 11}, RECORD_META},
	{{"pr-link", 7}, RECORD_META},
	{{"frame-link", 10}, RECORD_META},
	{{"tag", 3}, RECORD_META},
	{{"worktree-state", 14}, RECORD_META},
	{{"content-replacement", 19}, RECORD_META},
	{{"attribution-snapshot", 20}, RECORD_META},
	{{"bridge-session", 14}, RECORD_META},
	{{"speculation-accept", 18}, RECORD_META},
	{{"task-summary", 12}, RECORD_META},
};

/* Record types of Codex rollouts; all carry a `payload` object. */
static const str FOREIGN[] = {
	{"session_meta", 12},
	{"turn_context", 12},
	{"event_msg", 9},
	{"response_item", 13},
	{"compacted", 9},
	{"world_state", 11},
	{"inter_agent_communication", 25},
};

static enum record_type type_of(const struct transcript_state *st)
{
	str name = st->rec.type_name;

	for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
		if (str_eq(name, TYPES[i].name))
			return TYPES[i].type;
	if (st->foreign_key)
		for (size_t i = 0; i < sizeof(FOREIGN) / sizeof(FOREIGN[0]); i++)
			if (str_eq(name, FOREIGN[i]))
				return RECORD_FOREIGN;
	if (!name.n && val_get_str(st->rec.root, "record_type").n)
		return RECORD_FOREIGN; /* Codex before `payload` */
	return RECORD_UNKNOWN;
}

const char *record_type_name(enum record_type t)
{
	static const char *const names[] = {
		[RECORD_USER] = "user",
		[RECORD_ASSISTANT] = "assistant",
		[RECORD_SYSTEM] = "system",
		[RECORD_ATTACHMENT] = "attachment",
		[RECORD_SUMMARY] = "summary",
		[RECORD_PROGRESS] = "progress",
		[RECORD_QUEUE] = "queue",
		[RECORD_SNAPSHOT] = "snapshot",
		[RECORD_LAST_PROMPT] = "last-prompt",
		[RECORD_TITLE] = "title",
		[RECORD_META] = "meta",
		[RECORD_FOREIGN] = "foreign",
		[RECORD_UNKNOWN] = "unknown",
	};

	return names[t];
}

static void block_fill(const struct record *r, const struct val *v, struct block *b);

static void record_finish(struct transcript *t)
{
	struct transcript_state *st = t->st;
	struct record *r = &st->rec;

	assert(st->text.p == st->text_base && st->tail.p == st->tail_base);
	uuid_hash(st);
	r->n = ++t->records;
	r->line = st->scan.rec_line;
	r->off = st->scan.rec_off;
	r->len = st->scan.rec_len;
	r->root = st->vals;
	r->content = st->has_message ? st->message_content : st->root_content;
	r->type = type_of(st);
	/* the first block while it is at hand: every reader asks for it */
	if (r->content && r->content->type == VAL_ARR && r->content->child)
		block_fill(r, r->content->child, &st->block);
	r->compact_boundary =
		r->type == RECORD_SYSTEM && str_eq(r->subtype, STR("compact_boundary"));
	r->parent_hash = transcript_hash(r->parent);
	r->logical_hash = transcript_hash(r->logical_parent);
	if (r->uuid_hash && seen_before(st, r->uuid_hash)) {
		r->duplicate = true;
		t->duplicates++;
	}
	t->unknown += r->type == RECORD_UNKNOWN;
	t->foreign += r->type == RECORD_FOREIGN;
	t->good = st->scan.good;
	t->tail_lost = t->tail_torn = false;
}

static void loss_note(struct transcript *t)
{
	const struct scan *s = &t->st->scan;

	t->last_loss =
		(struct transcript_loss){s->loss_off, s->loss_len, s->rec_line, s->why};
	if (t->losses < TRANSCRIPT_LOSSES_KEPT)
		t->loss[t->losses] = t->last_loss;
	t->losses++;
	t->lost_bytes += s->loss_len;
	t->tail_lost = true;
	t->tail_torn |= s->why != SCAN_WHY_NUL;
}

static void caps_set(struct transcript_state *st, const struct transcript_caps *c)
{
	st->lean = c->lean;
	st->cap[KEEP_PLAIN].head = c->input_head;
	st->cap[KEEP_PLAIN].tail = c->input_tail;
	st->cap[KEEP_IDENT].head = IDENT_BYTES;
	st->cap[KEEP_TEXT].head = c->text_head;
	st->cap[KEEP_TEXT].tail = c->text_tail;
	st->cap[KEEP_RESULT].head = c->result_head;
	st->cap[KEEP_RESULT].tail = c->result_tail;
	st->cap[KEEP_PATCH].head = PATCH_BYTES;
}

struct transcript *transcript_new(struct source *src, uint64_t at,
				  const struct transcript_caps *caps)
{
	struct transcript *t = calloc(1, sizeof(*t));
	struct transcript_state *st = calloc(1, sizeof(*st));

	if (!t || !st)
		log_oom();
	t->st = st;
	t->good = at;
	caps_set(st, caps);
	st->vals = take_memory(VALS_MAX * sizeof(struct val));
	st->text = BUF_INIT(TEXT_BYTES);
	st->tail = BUF_INIT(TAIL_BYTES);
	if (!buf_room(&st->text, TEXT_BYTES) || !buf_room(&st->tail, TAIL_BYTES))
		log_oom();
	st->text_base = st->text.p;
	st->tail_base = st->tail.p;
	rules_index(st);
	for (st->seen_first = SEEN_FIRST; st->seen_first < 2 * TRANSCRIPT_UUIDS_MAX &&
					  src->size > st->seen_first * SEEN_EVERY;)
		st->seen_first *= 2;
	scan_init(&st->scan, src, at);
	record_start(st);
	return t;
}

static inline enum scan_tok token_next(struct transcript_state *st)
{
	const struct frame *f = &st->frame[st->depth ? st->depth - 1 : 0];

	if (st->depth && f->obj)
		return scan_member(&st->scan, f->members);
	st->scan.member = false;
	return scan_next(&st->scan);
}

enum transcript_got transcript_next(struct transcript *t, const struct record **rec)
{
	struct transcript_state *st = t->st;
	enum scan_tok tok;

	record_start(st);
	for (;;) {
		tok = token_next(st);
		if (st->scan.member)
			key_take(st, st->scan.name);
		switch (tok) {
		case SCAN_OBJ:
			container_open(st, true);
			break;
		case SCAN_ARR:
			container_open(st, false);
			break;
		case SCAN_OBJ_END:
		case SCAN_ARR_END:
			container_close(st);
			break;
		case SCAN_KEY:
			key_take(st, scan_names_find(&st->names, st->scan.key));
			break;
		case SCAN_STR:
			string_take(st);
			break;
		case SCAN_NUM:
			scalar_take(st, VAL_NUM);
			break;
		case SCAN_TRUE:
			scalar_take(st, VAL_TRUE);
			break;
		case SCAN_FALSE:
			scalar_take(st, VAL_FALSE);
			break;
		case SCAN_NULL:
			scalar_take(st, VAL_NULL);
			break;
		case SCAN_RECORD:
			record_finish(t);
			*rec = &st->rec;
			return TRANSCRIPT_RECORD;
		case SCAN_LOSS:
			loss_note(t);
			return TRANSCRIPT_LOSS;
		case SCAN_END:
			t->good = st->scan.good;
			t->tail_cut = st->scan.tail_cut;
			return TRANSCRIPT_END;
		case SCAN_ERROR:
			t->good = st->scan.good;
			t->err = st->scan.err;
			return TRANSCRIPT_ERROR;
		}
	}
}

void transcript_free(struct transcript *t)
{
	if (!t)
		return;
	scan_release(&t->st->scan);
	free(t->st->vals);
	buf_release(&t->st->text);
	buf_release(&t->st->tail);
	seen_release(&t->st->young);
	seen_release(&t->st->old);
	free(t->st);
	free(t);
}

/* ---- looking at values ---- */

const struct val *val_find(const struct val *v, str key)
{
	const struct val *found = NULL;

	if (!v || v->type != VAL_OBJ)
		return NULL;
	for (const struct val *c = v->child; c; c = c->next)
		if (str_eq(c->key, key))
			found = c;
	return found;
}

const struct val *val_at(const struct val *v, const char *path)
{
	char part[64];

	while (v && *path) {
		size_t n = strcspn(path, ".");

		if (n >= sizeof(part))
			return NULL;
		memcpy(part, path, n);
		part[n] = 0;
		v = val_get(v, part);
		path += n;
		path += *path == '.';
	}
	return v;
}

str val_str(const struct val *v)
{
	if (!v || (v->type != VAL_STR && v->type != VAL_NUM))
		return STR_NONE;
	return v->text;
}

bool val_bool(const struct val *v)
{
	return v && v->type == VAL_TRUE;
}

int64_t val_int(const struct val *v, int64_t fallback)
{
	int64_t n;

	if (!v || v->type != VAL_NUM || v->cut || !str_i64(v->text, &n))
		return fallback;
	return n;
}

/* The last child with a key of the table. */
static const struct val *get(const struct val *v, enum key k)
{
	const struct val *found = NULL;

	if (!v || v->type != VAL_OBJ)
		return NULL;
	for (const struct val *c = v->child; c; c = c->next)
		if (c->k == k)
			found = c;
	return found;
}

/* ---- blocks ---- */

static bool is_text(const struct val *v)
{
	return v->type == VAL_OBJ && str_eq(val_str(get(v, K_TYPE)), STR("text"));
}

static void text_set(struct block *b, const struct val *v)
{
	if (!v || v->type != VAL_STR)
		return;
	b->text = v->text;
	b->tail = v->tail;
	b->cut = v->cut;
	b->size = v->size;
}

/* Text parts of a result: one alone, or several joined by newlines while they are small. */
static void result_text(struct transcript_state *st, const struct val *content,
			struct block *b)
{
	size_t at = st->text.n, parts = 0, want = 0;

	if (!content)
		return;
	if (content->type == VAL_STR) {
		text_set(b, content);
		return;
	}
	for (const struct val *c = content->child; c; c = c->next) {
		const struct val *text = is_text(c) ? get(c, K_TEXT) : NULL;

		if (c->type == VAL_OBJ && str_eq(val_str(get(c, K_TYPE)), STR("image")))
			b->images++;
		if (c->type == VAL_STR)
			text = c;
		if (!text || text->type != VAL_STR)
			continue;
		if (!parts++) {
			text_set(b, text);
		} else {
			b->size += text->size;
			b->cut |= text->cut;
		}
		want += text->text.n + 1;
	}
	b->cut |= content->cut;
	if (parts < 2)
		return;
	if (want > JOIN_BYTES || st->text.max - at < want) {
		b->cut = true;
		return;
	}
	for (const struct val *c = content->child; c; c = c->next) {
		const struct val *text = c->type == VAL_STR ? c
					 : is_text(c)       ? get(c, K_TEXT)
							    : NULL;

		if (!text || text->type != VAL_STR)
			continue;
		if (st->text.n > at)
			buf_byte(&st->text, '\n');
		buf_add(&st->text, text->text);
		b->tail = text->tail;
	}
	b->text = (str){st->text.p + at, st->text.n - at};
}

/* s is this literal; ends: it ends in it. Both come to a few comparisons. */
#define IS(s, word)                                                                      \
	((s).n == sizeof(word) - 1 && memcmp((s).p, (word), sizeof(word) - 1) == 0)
#define ENDS(s, word)                                                                    \
	((s).n >= sizeof(word) - 1 &&                                                    \
	 memcmp((s).p + (s).n - (sizeof(word) - 1), (word), sizeof(word) - 1) == 0)

static void block_fill(const struct record *r, const struct val *v, struct block *b)
{
	const struct val *part[K_PAYLOAD + 1] = {NULL}; /* the last child of each key */
	str type;

	*b = (struct block){.kind = BLOCK_OTHER, .v = v};
	if (v->type == VAL_STR) {
		b->kind = BLOCK_TEXT;
		text_set(b, v);
		return;
	}
	if (v->type != VAL_OBJ)
		return;
	for (const struct val *c = v->child; c; c = c->next)
		part[c->k] = c;
	type = val_str(part[K_TYPE]);
	if (IS(type, "text")) {
		b->kind = BLOCK_TEXT;
		text_set(b, part[K_TEXT]);
	} else if (ENDS(type, "tool_use")) {
		b->kind = BLOCK_TOOL_USE;
		b->id = val_str(part[K_ID]);
		b->name = val_str(part[K_NAME]);
		b->input = part[K_INPUT];
	} else if (ENDS(type, "tool_result")) {
		b->kind = BLOCK_TOOL_RESULT;
		b->id = val_str(part[K_TOOL_USE_ID]);
		b->is_error = val_bool(part[K_IS_ERROR]);
		result_text(r->st, part[K_CONTENT], b);
	} else if (IS(type, "thinking")) {
		b->kind = BLOCK_THINKING;
		text_set(b, part[K_THINKING]);
	} else if (IS(type, "redacted_thinking")) {
		b->kind = BLOCK_THINKING;
	} else if (IS(type, "image")) {
		const struct val *data = get(part[K_SOURCE], K_DATA);

		b->kind = BLOCK_IMAGE;
		b->size = data ? data->size : 0;
	}
}

bool record_block(const struct record *r, size_t *it, struct block *out)
{
	const struct val *v;

	/* *it: 0 at the start, 1 at the end, else the next block's address */
	if (*it == 1)
		return false;
	v = *it ? (const struct val *)*it : r->content;
	if (!*it && v && v->type != VAL_STR)
		v = v->type == VAL_ARR ? v->child : NULL;
	if (!v) {
		*it = 1;
		return false;
	}
	*it = v->next && v != r->content ? (size_t)v->next : 1;
	if (r->st->block.v != v)
		block_fill(r, v, &r->st->block);
	*out = r->st->block;
	return true;
}

str record_answers(const struct record *r)
{
	const struct val *v = r->content;

	if (r->type != RECORD_USER || !v || v->type != VAL_ARR)
		return STR_NONE;
	for (v = v->child; v; v = v->next) {
		str type = val_str(get(v, K_TYPE));

		if (ENDS(type, "tool_result"))
			return val_str(get(v, K_TOOL_USE_ID));
	}
	return STR_NONE;
}

bool record_dispatches(const struct block *b)
{
	if (b->kind != BLOCK_TOOL_USE)
		return false;
	return str_eq(b->name, STR("Task")) || str_eq(b->name, STR("Agent")) ||
	       val_get_str(b->input, "subagent_type").p;
}

/* The best string among the members of v by the order of keys; *rank is the best so far. */
static const struct val *gist_among(const struct val *v, bool agent, size_t *rank)
{
	static const str order[] = {
		{"command", 7}, {"file_path", 9}, {"notebook_path", 13}, {"pattern", 7},
		{"path", 4},    {"url", 3},       {"query", 5},          {"skill", 5},
		{"subject", 7}, {"question", 8},  {"description", 11},   {"prompt", 6},
		{"plan", 4},    {"content", 7},
	};
	const size_t n = sizeof(order) / sizeof(order[0]), description = 10;
	const struct val *best = NULL;

	for (const struct val *c = v->child; c; c = c->next) {
		size_t i = 0;

		if (c->type != VAL_STR || !c->text.n)
			continue;
		while (i < n && !str_eq(order[i], c->key))
			i++;
		if (agent && i == description)
			i = 0; /* of a sub-agent its description */
		if (i < *rank) {
			*rank = i;
			best = c;
		}
	}
	return best;
}

const struct val *record_gist(const struct block *b)
{
	size_t rank = SIZE_MAX;
	const struct val *best, *list;

	if (!b->input || b->input->type != VAL_OBJ)
		return NULL;
	best = gist_among(b->input, record_dispatches(b), &rank);
	/* nothing but lists: questions, todos; the first item speaks */
	for (list = b->input->child; list && !best; list = list->next)
		if (list->type == VAL_ARR && list->child && list->child->type == VAL_OBJ)
			best = gist_among(list->child, false, &rank);
	return best;
}

str record_refusal(const struct block *b)
{
	static const str mark = {"the user said:\n", 15};
	size_t at;

	if (b->kind != BLOCK_TOOL_RESULT ||
	    !str_starts(b->text, STR("The user doesn't want to")))
		return STR_NONE;
	at = str_find(b->text, mark);
	if (at == STR_NPOS)
		return STR_NONE;
	return str_trim(str_from(b->text, at + mark.n));
}

/* ---- what a record says ---- */

str record_tag(str s, const char *tag)
{
	char open[48], close[48];
	size_t from, to, n = strlen(tag);

	if (n > sizeof(open) - 4)
		return STR_NONE;
	open[0] = close[0] = '<';
	memcpy(open + 1, tag, n);
	open[n + 1] = '>';
	close[1] = '/';
	memcpy(close + 2, tag, n);
	close[n + 2] = '>';
	from = str_find(s, (str){open, n + 2});
	if (from == STR_NPOS)
		return STR_NONE;
	s = str_from(s, from + n + 2);
	to = str_find(s, (str){close, n + 3});
	return to == STR_NPOS ? STR_NONE : str_trim(str_head(s, to));
}

/* Text that begins with one of these is the client's, in the given kind. */
static const struct {
	str mark;
	enum record_says says;
} MARKS[] = {
	{{"<command-name>", 14}, SAYS_COMMAND},
	{{"<command-message>", 17}, SAYS_COMMAND},
	{{"<command-args>", 14}, SAYS_COMMAND},
	{{"<local-command-stdout>", 22}, SAYS_LOCAL_OUTPUT},
	{{"<local-command-stderr>", 22}, SAYS_LOCAL_OUTPUT},
	{{"<local-command-caveat>", 22}, SAYS_HOOK},
	{{"<bash-input>", 12}, SAYS_BASH},
	{{"<bash-stdout>", 13}, SAYS_LOCAL_OUTPUT},
	{{"<bash-stderr>", 13}, SAYS_LOCAL_OUTPUT},
	{{"<user-memory-input>", 19}, SAYS_COMMAND},
	{{"<task-notification>", 19}, SAYS_NOTIFICATION},
	{{"<system-reminder>", 17}, SAYS_HOOK},
	{{"<user-prompt-submit-hook>", 25}, SAYS_HOOK},
	{{"<session-start-hook>", 20}, SAYS_HOOK},
	{{"<ide_opened_file>", 17}, SAYS_HOOK},
	{{"<ide_selection>", 15}, SAYS_HOOK},
	{{"<ide_diagnostics>", 17}, SAYS_HOOK},
	{{"<ci-monitor-event>", 18}, SAYS_HOOK},
	{{"<teammate-message", 17}, SAYS_HOOK},
	{{"<persisted-output>", 18}, SAYS_HOOK},
	{{"<tool_use_error>", 16}, SAYS_HOOK},
	{{"[Request interrupted by user", 28}, SAYS_INTERRUPT},
	{{"This session is being continued from a previous conversation", 60},
	 SAYS_SUMMARY},
	{{"Caveat: The messages below were generated by the user while running local commands",
	  82},
	 SAYS_HOOK},
	{{"Stop hook feedback:", 19}, SAYS_HOOK},
	{{"Base directory for this skill:", 30}, SAYS_HOOK},
	{{"[Image: source: ", 16}, SAYS_HOOK},
};

/* What stands beside a prompt in the same text: <name>...</name> of these, at its start. */
static const char *const BESIDE[] = {
	"system-reminder", "ide_opened_file",         "ide_selection",
	"ide_diagnostics", "user-prompt-submit-hook", "session-start-hook",
};

/* s begins with <name>; close becomes its end tag. */
static bool beside_open(str s, size_t i, str *close, char room[40])
{
	size_t n = strlen(BESIDE[i]);

	if (s.n < n + 2 || s.p[0] != '<' || memcmp(s.p + 1, BESIDE[i], n) ||
	    s.p[n + 1] != '>')
		return false;
	memcpy(room, "</", 2);
	memcpy(room + 2, BESIDE[i], n);
	room[n + 2] = '>';
	*close = (str){room, n + 3};
	return true;
}

/*
 * A text without client parts in front of a person's words; the whole when nothing is left
 * then. Where the end of such a part was cut out, the words may stand in the tail.
 */
static str beside_strip(str s, str tail)
{
	str rest = s = str_trim(s), close;
	char room[40];

	for (size_t i = 0; i < sizeof(BESIDE) / sizeof(BESIDE[0]); i++) {
		size_t end;

		if (!beside_open(rest, i, &close, room))
			continue;
		end = str_find(rest, close);
		if (end == STR_NPOS) {
			end = str_rfind(tail, close);
			rest = end == STR_NPOS ? STR_NONE
					       : str_trim(str_from(tail, end + close.n));
			return rest.n ? rest : s;
		}
		rest = str_trim(str_from(rest, end + close.n));
		i = SIZE_MAX; /* again, for what follows */
	}
	return rest.n ? rest : s;
}

static enum record_says text_says(str s)
{
	s = str_trim(s);
	if (!s.n)
		return SAYS_NOTHING;
	if (s.p[0] != '<' && s.p[0] != '[' && s.p[0] != 'T' && s.p[0] != 'C' &&
	    s.p[0] != 'S' && s.p[0] != 'B')
		return SAYS_PROMPT;
	for (size_t i = 0; i < sizeof(MARKS) / sizeof(MARKS[0]); i++)
		if (str_starts(s, MARKS[i].mark))
			return MARKS[i].says;
	return SAYS_PROMPT;
}

/* The parts joined in a, or what fits of them. */
static str compose(struct arena *a, const str *part, size_t parts)
{
	size_t n = 0;
	char *p;

	for (size_t i = 0; i < parts; i++)
		n += part[i].n;
	p = n ? arena_new(a, char, n) : NULL;
	if (!p)
		return parts ? part[0] : STR_NONE;
	for (size_t i = 0, at = 0; i < parts; i++) {
		if (part[i].n)
			memcpy(p + at, part[i].p, part[i].n);
		at += part[i].n;
	}
	return (str){p, n};
}

static str command_text(struct arena *a, str s)
{
	str name = record_tag(s, "command-name"), args = record_tag(s, "command-args");
	str memory = record_tag(s, "user-memory-input");

	if (memory.p)
		return compose(a, (str[]){STR("# "), memory}, 2);
	if (!name.n)
		name = record_tag(s, "command-message");
	if (!name.n)
		return STR_NONE;
	return compose(a,
		       (str[]){str_starts(name, STR("/")) ? STR("") : STR("/"), name,
			       args.n ? STR(" ") : STR(""), args},
		       4);
}

/* A text over the cap: head, a line about the rest, tail. */
static str whole_text(struct arena *a, str head, str tail, bool cut, uint64_t size)
{
	char line[80];
	uint64_t kept = head.n + tail.n;
	int n;

	if (!cut || !tail.n)
		return head;
	n = snprintf(line, sizeof(line), "\n[... %llu bytes left out ...]\n",
		     (unsigned long long)(size > kept ? size - kept : 0));
	return compose(a, (str[]){head, {line, (size_t)n}, tail}, 3);
}

/* "/name" or "/name args", as typed; a path is none. */
static bool typed_command(str s)
{
	size_t i = 1;

	if (s.n < 2 || s.p[0] != '/' || !str_is_alpha(s.p[1]))
		return false;
	while (i < s.n && (str_is_alnum(s.p[i]) || memchr("-_:.", s.p[i], 4)))
		i++;
	return i == s.n || str_is_space(s.p[i]);
}

static enum record_says attachment_says(const struct record *r, struct arena *a,
					str *text)
{
	const struct val *att = val_get(r->root, "attachment"), *prompt;
	str type = val_get_str(att, "type"), mode, all = STR_NONE;
	enum record_says says;

	if (str_starts(type, STR("hook_")) || str_starts(type, STR("async_hook")))
		return SAYS_HOOK;
	if (!str_eq(type, STR("queued_command")))
		return SAYS_NOTHING;
	mode = val_get_str(att, "commandMode");
	prompt = val_get(att, "prompt");
	if (prompt && prompt->type == VAL_STR) {
		all = whole_text(a, prompt->text, prompt->tail, prompt->cut,
				 prompt->size);
	} else if (prompt && prompt->type == VAL_ARR) {
		for (const struct val *c = prompt->child; c; c = c->next) {
			const struct val *t = is_text(c) ? get(c, K_TEXT) : NULL;

			if (t)
				all = all.n ? compose(a,
						      (str[]){all, STR("\n"), val_str(t)},
						      3)
					    : val_str(t);
		}
	}
	*text = all = beside_strip(all, STR_NONE);
	if (!all.n)
		return SAYS_NOTHING;
	if (str_eq(mode, STR("task-notification")))
		return SAYS_NOTIFICATION;
	if (str_eq(mode, STR("bash")))
		return SAYS_BASH;
	if (val_bool(val_get(att, "isMeta")) || r->meta)
		return SAYS_HOOK;
	says = text_says(all);
	if (says == SAYS_COMMAND)
		*text = command_text(a, all);
	else if (says == SAYS_BASH)
		*text = record_tag(all, "bash-input");
	else if (says == SAYS_PROMPT && typed_command(all))
		says = SAYS_COMMAND;
	return says;
}

/* Texts of a user record: the words of a person if there are any, else what the first text is. */
static enum record_says user_says(const struct record *r, struct arena *a, str *text)
{
	enum record_says says = SAYS_NOTHING;
	struct block b;
	size_t it = 0;
	bool answers = r->result != NULL, image = false;

	*text = STR_NONE;
	while (record_block(r, &it, &b)) {
		enum record_says one;
		str s;

		answers |= b.kind == BLOCK_TOOL_RESULT;
		image |= b.kind == BLOCK_IMAGE;
		if (b.kind != BLOCK_TEXT)
			continue;
		s = beside_strip(b.text, b.tail);
		one = text_says(s);
		if (one == SAYS_PROMPT) {
			if (s.p >= b.text.p &&
			    s.p < b.text.p + b.text.n) /* else out of the tail */
				s = whole_text(a, s, b.tail, b.cut, b.size);
			*text = says == SAYS_PROMPT
					? compose(a, (str[]){*text, STR("\n"), s}, 3)
					: s;
			says = SAYS_PROMPT;
		} else if (one != SAYS_NOTHING &&
			   (says == SAYS_NOTHING || one == SAYS_INTERRUPT)) {
			*text = s;
			says = one;
		}
	}
	if (answers)
		return says == SAYS_INTERRUPT ? SAYS_INTERRUPT : SAYS_NOTHING;
	if (says == SAYS_NOTHING && image && !r->meta) {
		*text = STR("[image]");
		return SAYS_PROMPT;
	}
	return says;
}

enum record_says record_says(const struct record *r, struct arena *a, str *text)
{
	struct arena none = {0};
	enum record_says says;
	str unused, kind;

	if (!text)
		text = &unused;
	if (!a)
		a = &none;
	*text = STR_NONE;
	if (r->sidechain)
		return SAYS_NOTHING;
	if (r->type == RECORD_ATTACHMENT)
		return attachment_says(r, a, text);
	if (r->type == RECORD_SYSTEM) {
		str s = r->content ? str_trim(val_str(r->content)) : STR_NONE;

		says = text_says(s);
		*text = s;
		if (says == SAYS_COMMAND)
			*text = command_text(a, s);
		else if (says == SAYS_PROMPT)
			says = str_eq(r->subtype, STR("away_summary")) ? SAYS_NOTHING
								       : SAYS_HOOK;
		return says;
	}
	if (r->type != RECORD_USER)
		return SAYS_NOTHING;
	says = user_says(r, a, text);
	if (says == SAYS_NOTHING)
		return says;
	if (r->compact_summary)
		return SAYS_SUMMARY;
	if (says == SAYS_INTERRUPT)
		return says;
	if (val_get_str(r->root, "planContent").n)
		return SAYS_PROMPT;
	if (says == SAYS_COMMAND)
		*text = command_text(a, *text);
	else if (says == SAYS_BASH)
		*text = record_tag(*text, "bash-input");
	if (says == SAYS_PROMPT && r->meta)
		return SAYS_HOOK;
	kind = val_str(val_at(r->root, "origin.kind"));
	if (says == SAYS_PROMPT && kind.n && !str_eq(kind, STR("human")))
		return str_eq(kind, STR("task-notification")) ? SAYS_NOTIFICATION
							      : SAYS_HOOK;
	return says;
}
