/*
 * One pass over the records; every record adds to bounded tables.
 *
 * Memory: the rows of the tables are one block. Texts live in the arena `kept`. The arena
 * `other` is scratch while a block is looked at, and the place to which the texts that are
 * still in use move when `kept` runs full: then the two change roles. Whatever is still too
 * much goes by the rules in make_room.
 *
 * Redaction: texts come in through door() alone, whole, before anything is cut or matched;
 * from there on only scratch copies are looked at.
 *
 * A call stays open with what its result will need (struct call) until the result comes.
 * Facts that need both halves, such as an edit, exist only from then on.
 */
#include "work/extract.h"
#include "base/log.h"
#include "base/utf8.h"
#include "work/prose.h"
#include "work/redact.h"
#include "work/table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define ARENA_BYTES     ((size_t)2560 << 10) /* two of them */
#define RESERVE_BYTES   ((size_t)512 << 10) /* free in `kept` before a block is looked at */
#define LIVE_BYTES      (ARENA_BYTES - 2 * RESERVE_BYTES) /* kept after a move */
#define DOOR_BYTES      ((size_t)256 << 10)               /* of one redacted text */
#define HALF_TEXT_BYTES (EXTRACT_TEXT_BYTES / 2)

/* rows */
#define PROMPTS_MAX     400
#define SENTENCES_MAX   1500
#define SENTENCES_CUT   1125 /* kept when they are more */
#define TEXT_SENTENCES  80   /* of one text */
#define THOUGHTS_MAX    300
#define THOUGHTS_CUT    200
#define THINK_SENTENCES 200
#define ERRORS_MAX      120
#define COMMANDS_MAX    600
#define FILES_MAX       400 /* edited, and as many read */
#define EDIT_NAMES_MAX  300
#define EDIT_NAMES_CUT  150 /* dropped when they are more */
#define READ_NAMES_MAX  80
#define IDENTS_MAX      8192
#define NAMED_MAX       2048
#define TRACKED_MAX     200
#define OPEN_MAX        64
#define RECENT_MAX      5
#define TODOS_MAX       200
#define ANSWERS_MAX     100
#define AGENTS_MAX      64
#define COMMITS_MAX     200
#define PUSHES_MAX      64
#define BACKGROUND_MAX  100
#define REFUSED_MAX     100
#define PRS_MAX         32
#define TOOLS_MAX       64
#define WAITS_MAX       16
#define SUMMARIES_MAX   32
#define UUIDS_MAX       2048
#define SEEN_MARKS      (8 * UUIDS_MAX)

/* bytes of one kept text */
#define ID_BYTES       200
#define PATH_BYTES     1024
#define LINE_BYTES     1000
#define COMMAND_BYTES  400  /* the key of a command */
#define NORM_BYTES     2000 /* a normalised command while its call is open */
#define RAW_BYTES      ((size_t)4 << 10)
#define LABEL_BYTES    600
#define SENTENCE_CUT   420
#define PROMPT_HEAD    ((size_t)12 << 10)
#define PROMPT_TAIL    ((size_t)4 << 10)
#define PROMPTS_BYTES  ((size_t)512 << 10) /* all prompts */
#define AGENT_BYTES    ((size_t)8 << 10)
#define PAYLOAD_BYTES  ((size_t)48 << 10)  /* of one open call */
#define PAYLOADS_BYTES ((size_t)256 << 10) /* of all */
#define OUTPUT_HEAD    4000                /* of the last result */
#define OUTPUT_TAIL    2000

/* distances in records */
#define REPEAT_RECORDS    60 /* a prompt said twice */
#define DIAGNOSIS_RECORDS 12
#define REPAIR_RECORDS    60
#define WAIT_MS           60000

/* weights of identifiers and named paths */
#define WEIGHT_PROMPT  3.0f
#define WEIGHT_EVENT   1.0f
#define WEIGHT_TEXT    2.0f
#define WEIGHT_META    2.0f
#define WEIGHT_COMMAND 0.7f
#define WEIGHT_INPUT   0.5f
#define WEIGHT_EDIT    0.3f

#define COUNT(a) (sizeof(a) / sizeof *(a))

const struct transcript_caps extract_caps = {
	48 << 10, 16 << 10, 16 << 10, 16 << 10, 32 << 10, 4 << 10, false,
};

/* A call whose result has not come. payload: key, NUL, text, NUL, ... of what it will need. */
struct call {
	uint64_t record;
	int64_t at;
	str id, name, label, description, command, raw, path, payload;
	bool agent;
};

struct leaf { /* a summary record and the uuid that it is about */
	uint64_t hash;
	str text;
};

struct seen {
	uint64_t hash;
};

struct wait {
	uint64_t ms;
};

enum title_rank { TITLE_NONE, TITLE_SUMMARY, TITLE_AI, TITLE_CUSTOM };

struct privates {
	uint32_t texts; /* assistant texts so far */
	uint32_t title_rank;
	uint64_t seen_next; /* slot of the ring of uuids */
	bool any_uuid;
	bool output_known, output_shell, output_error;
	str output_head, output_tail; /* of the last result */
};

/* i + 1 by hash, open addressing; size is a power of two above twice the rows. */
struct index {
	uint16_t *slot;
	size_t size;
};

struct extract {
	char *rows; /* of all tables */
	struct facts f;
	struct facts *self; /* &f, as the only row of a table; so for private */
	size_t nself;
	struct privates *private;
	size_t nprivate;
	struct call *call;
	size_t ncall;
	struct leaf *leaf;
	size_t nleaf;
	struct seen *seen;
	size_t nseen;
	struct wait *wait;
	size_t nwait;
	struct privates private_row;
	struct facts view;
	struct arena kept, other;
	struct buf text; /* of door() */
	struct index ident, named;
	uint32_t seen_mark[SEEN_MARKS]; /* how many of the ring have these low bits */
	int64_t now;                    /* time of the record at hand */
};

/* ---- tables ---- */

#define F(member, k) FIELD(FIELD_TYPE, member, k)

#define FIELD_TYPE struct fact_name
static const struct field NAME_FIELDS[] = {F(text, STR), F(weight, FLOAT),
					   F(record, U64)};
#undef FIELD_TYPE
static const struct table EDIT_NAME = TABLE("edit.name", struct fact_edit, name, nnames,
					    2 * EDIT_NAMES_MAX, NAME_FIELDS);
static const struct table READ_NAME =
	TABLE("read.name", struct fact_read, name, nnames, READ_NAMES_MAX, NAME_FIELDS);

#define FIELD_TYPE struct fact_prompt
static const struct field PROMPT_FIELDS[] = {F(record, U64), F(at, U64),
					     F(kind, U32),   F(after_interrupt, BOOL),
					     F(text, STR),   F(asked, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_sentence
static const struct field SENTENCE_FIELDS[] = {
	F(record, U64), F(at, U64),      F(text_id, U32), F(k, U32),
	F(of, U32),     F(value, FLOAT), F(text, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_edit
static const struct field EDIT_FIELDS[] = {
	F(first, U64), F(last, U64),     F(at, U64),
	F(path, STR),  F(count, U32),    F(plus, U32),
	F(minus, U32), F(created, BOOL), FIELD_LIST(&EDIT_NAME)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_read
static const struct field READ_FIELDS[] = {F(record, U64), F(path, STR), F(count, U32),
					   FIELD_LIST(&READ_NAME)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_command
static const struct field COMMAND_FIELDS[] = {
	F(record, U64),  F(first, U64),       F(at, U64),    F(text, STR),
	F(family, STR),  F(description, STR), F(tally, STR), F(count, U32),
	F(failed, BOOL), F(check, BOOL)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_error
static const struct field ERROR_FIELDS[] = {
	F(record, U64),       F(at, U64),
	F(command, STR),      F(family, STR),
	F(line[0], STR),      F(line[1], STR),
	F(nlines, SIZE),      F(diagnosis[0], STR),
	F(diagnosis[1], STR), F(diagnosis_record, U64),
	F(edited[0], STR),    F(edited[1], STR),
	F(edited[2], STR),    F(edited[3], STR),
	F(nedited, SIZE),     F(fixed, U64),
	F(hard, BOOL),        F(tool, BOOL)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_call
static const struct field RECENT_FIELDS[] = {
	F(record, U64), F(at, U64),          F(id, STR),    F(name, STR),
	F(label, STR),  F(description, STR), F(agent, BOOL)};
#undef FIELD_TYPE
#define FIELD_TYPE struct call
static const struct field CALL_FIELDS[] = {
	F(record, U64), F(at, U64),          F(id, STR),      F(name, STR),
	F(label, STR),  F(description, STR), F(command, STR), F(raw, STR),
	F(path, STR),   F(payload, STR),     F(agent, BOOL)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_todo
static const struct field TODO_FIELDS[] = {F(record, U64), F(id, STR), F(subject, STR),
					   F(status, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_answer
static const struct field ANSWER_FIELDS[] = {
	F(record, U64), F(header, STR),      F(question, STR), F(answer, STR),
	F(note, STR),   F(description, STR), F(own, BOOL)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_agent
static const struct field AGENT_FIELDS[] = {F(record, U64), F(id, STR),
					    F(description, STR), F(result, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_commit
static const struct field COMMIT_FIELDS[] = {F(record, U64), F(sha, STR), F(subject, STR),
					     F(branch, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_background
static const struct field BACKGROUND_FIELDS[] = {
	F(record, U64), F(id, STR), F(command, STR), F(ended, STR), F(event, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_refused
static const struct field REFUSED_FIELDS[] = {F(record, U64), F(tool, STR), F(label, STR),
					      F(words, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_pr
static const struct field PR_FIELDS[] = {F(record, U64), F(url, STR), F(action, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_tool
static const struct field TOOL_FIELDS[] = {F(name, STR), F(count, U32), F(failed, U32)};
#undef FIELD_TYPE
#define FIELD_TYPE struct leaf
static const struct field LEAF_FIELDS[] = {F(hash, U64), F(text, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct seen
static const struct field SEEN_FIELDS[] = {F(hash, U64)};
#undef FIELD_TYPE
#define FIELD_TYPE struct wait
static const struct field WAIT_FIELDS[] = {F(ms, U64)};
#undef FIELD_TYPE
#define FIELD_TYPE struct facts
static const struct field SELF_FIELDS[] = {F(records, U64),
					   F(session, STR),
					   F(dir, STR),
					   F(last_dir, STR),
					   F(branch, STR),
					   F(version, STR),
					   F(title, STR),
					   F(mode, STR),
					   F(first_at, U64),
					   F(last_at, U64),
					   F(plan, STR),
					   F(plan_record, U64),
					   F(summary, STR),
					   F(summary_record, U64),
					   F(compactions, U32),
					   F(interrupts, U32),
					   F(last_text, STR),
					   F(last_text_record, U64),
					   F(last_edit_record, U64),
					   F(last_edit_at, U64),
					   F(git_status, STR),
					   F(git_status_record, U64),
					   F(git_status_at, U64),
					   F(api_error, STR),
					   F(last, U32),
					   F(agent_file, BOOL),
					   F(dropped, U64)};
#undef FIELD_TYPE
#define FIELD_TYPE struct privates
static const struct field PRIVATE_FIELDS[] = {
	F(texts, U32),         F(title_rank, U32),    F(seen_next, U64),
	F(any_uuid, BOOL),     F(output_known, BOOL), F(output_shell, BOOL),
	F(output_error, BOOL), F(output_head, STR),   F(output_tail, STR)};
#undef FIELD_TYPE

enum {
	T_SELF,
	T_PRIVATE,
	T_PROMPT,
	T_SENTENCE,
	T_THOUGHT,
	T_LAST_THOUGHT,
	T_EDIT,
	T_READ,
	T_NAMED,
	T_IDENT,
	T_TRACKED,
	T_COMMAND,
	T_ERROR,
	T_CALL,
	T_RECENT,
	T_TODO,
	T_ANSWER,
	T_AGENT,
	T_COMMIT,
	T_PUSH,
	T_BACKGROUND,
	T_REFUSED,
	T_PR,
	T_TOOL,
	T_LEAF,
	T_SEEN,
	T_WAIT,
	T_COUNT,
};

#define FACT(tag, name, max, fields)                                                     \
	TABLE(tag, struct extract, f.name, f.n##name, max, fields)
#define OWN(tag, name, max, fields) TABLE(tag, struct extract, name, n##name, max, fields)

/* The order is that of the saved state. One text or thought may overshoot its table's maximum before it is cut. */
static const struct table TABLES[T_COUNT] = {
	[T_SELF] = OWN("facts", self, 1, SELF_FIELDS),
	[T_PRIVATE] = OWN("private", private, 1, PRIVATE_FIELDS),
	[T_PROMPT] = FACT("prompt", prompt, PROMPTS_MAX + 1, PROMPT_FIELDS),
	[T_SENTENCE] = FACT("sentence", sentence, SENTENCES_MAX + TEXT_SENTENCES,
			    SENTENCE_FIELDS),
	[T_THOUGHT] =
		FACT("thought", thought, THOUGHTS_MAX + THINK_SENTENCES, SENTENCE_FIELDS),
	[T_LAST_THOUGHT] = FACT("lastthought", last_thought, 1, SENTENCE_FIELDS),
	[T_EDIT] = FACT("edit", edit, FILES_MAX, EDIT_FIELDS),
	[T_READ] = FACT("read", read, FILES_MAX, READ_FIELDS),
	[T_NAMED] = FACT("named", named, NAMED_MAX, NAME_FIELDS),
	[T_IDENT] = FACT("ident", ident, IDENTS_MAX, NAME_FIELDS),
	[T_TRACKED] = FACT("tracked", tracked, TRACKED_MAX, NAME_FIELDS),
	[T_COMMAND] = FACT("command", command, COMMANDS_MAX, COMMAND_FIELDS),
	[T_ERROR] = FACT("error", error, ERRORS_MAX, ERROR_FIELDS),
	[T_CALL] = OWN("call", call, OPEN_MAX, CALL_FIELDS),
	[T_RECENT] = FACT("recent", recent, RECENT_MAX, RECENT_FIELDS),
	[T_TODO] = FACT("todo", todo, TODOS_MAX, TODO_FIELDS),
	[T_ANSWER] = FACT("answer", answer, ANSWERS_MAX, ANSWER_FIELDS),
	[T_AGENT] = FACT("agent", agent, AGENTS_MAX, AGENT_FIELDS),
	[T_COMMIT] = FACT("commit", commit, COMMITS_MAX, COMMIT_FIELDS),
	[T_PUSH] = FACT("push", push, PUSHES_MAX, COMMIT_FIELDS),
	[T_BACKGROUND] =
		FACT("background", background, BACKGROUND_MAX, BACKGROUND_FIELDS),
	[T_REFUSED] = FACT("refused", refused, REFUSED_MAX, REFUSED_FIELDS),
	[T_PR] = FACT("pr", pr, PRS_MAX, PR_FIELDS),
	[T_TOOL] = FACT("tool", tool, TOOLS_MAX, TOOL_FIELDS),
	[T_LEAF] = OWN("leaf", leaf, SUMMARIES_MAX, LEAF_FIELDS),
	[T_SEEN] = OWN("seen", seen, UUIDS_MAX, SEEN_FIELDS),
	[T_WAIT] = OWN("wait", wait, WAITS_MAX, WAIT_FIELDS),
};

/* A new row; the oldest goes when the table is full. */
static void *push_newest(struct extract *x, const struct table *t)
{
	if (table_count(t, x) == t->max) {
		table_drop(t, x, 0);
		x->f.dropped++;
	}
	return table_push(t, x);
}

/* ---- memory ---- */

static str kept_str(struct extract *x, str s)
{
	str k = s.n ? arena_str(&x->kept, s) : STR_NONE;

	if (k.n < s.n)
		x->f.dropped++;
	return k;
}

/* At most max bytes of s, which came through door(). */
static str keep(struct extract *x, str s, size_t max)
{
	return kept_str(x, utf8_head(s, max));
}

/* Its first and last bytes, a newline between, when it is longer than both. */
static str keep_ends(struct extract *x, str s, size_t head, size_t tail)
{
	str a = utf8_head(s, head), b = utf8_tail(s, tail);
	char *p;

	if (s.n <= head + tail)
		return kept_str(x, s);
	p = arena_alloc(&x->kept, 1, 1, a.n + 1 + b.n);
	if (!p) {
		x->f.dropped++;
		return STR_NONE;
	}
	memcpy(p, a.p, a.n);
	p[a.n] = '\n';
	memcpy(p + a.n + 1, b.p, b.n);
	return (str){p, a.n + 1 + b.n};
}

static str scratch(struct extract *x, str s)
{
	return s.n ? arena_str(&x->other, s) : STR_NONE;
}

#define TORN_BYTES 512

/* The head of a cut text without the word that the cut went through: it might be half a key. */
static str whole_words_head(str s)
{
	for (size_t i = s.n; i > 0 && s.n - i < TORN_BYTES; i--) {
		if (str_is_space(s.p[i - 1]))
			return str_head(s, i - 1);
	}
	return utf8_head(s, s.n > TORN_BYTES ? s.n - TORN_BYTES : 0);
}

static str whole_words_tail(str s)
{
	for (size_t i = 0; i < s.n && i < TORN_BYTES; i++) {
		if (str_is_space(s.p[i]))
			return str_from(s, i + 1);
	}
	return utf8_tail(s, s.n > TORN_BYTES ? s.n - TORN_BYTES : 0);
}

/*
 * The one door: a text from a record, redacted, in scratch memory. path: of the file whose
 * content it is, or empty. tail: its end, if it was cut.
 */
static str door_text(struct extract *x, str path, str text, str tail, bool cut)
{
	buf_reset(&x->text);
	if (cut)
		text = whole_words_head(text);
	if (path.n)
		redact_file(&x->text, path, text);
	else
		redact(&x->text, text);
	if (cut && tail.n) {
		buf_byte(&x->text, '\n');
		tail = whole_words_tail(tail);
		if (path.n)
			redact_file(&x->text, path, tail);
		else
			redact(&x->text, tail);
	}
	return scratch(x, buf_str(&x->text));
}

static str door(struct extract *x, str s)
{
	return s.n ? door_text(x, STR_NONE, s, STR_NONE, false) : STR_NONE;
}

static str door_val(struct extract *x, const struct val *v)
{
	if (!v || v->type != VAL_STR)
		return door(x, val_str(v));
	return door_text(x, STR_NONE, v->text, v->tail, v->cut);
}

static str door_get(struct extract *x, const struct val *v, const char *key)
{
	return door_val(x, val_get(v, key));
}

static str squeezed(struct extract *x, str s)
{
	buf_reset(&x->text);
	prose_squeeze(&x->text, s);
	return scratch(x, buf_str(&x->text));
}

static str cut_text(struct extract *x, str s, size_t n)
{
	buf_reset(&x->text);
	prose_cut(&x->text, s, n);
	return scratch(x, buf_str(&x->text));
}

static void index_add(struct index *in, str s, size_t i)
{
	size_t k = str_hash(s) & (in->size - 1);

	while (in->slot[k])
		k = (k + 1) & (in->size - 1);
	in->slot[k] = (uint16_t)(i + 1);
}

static void index_build(struct index *in, const struct fact_name *name, size_t n)
{
	memset(in->slot, 0, in->size * sizeof *in->slot);
	for (size_t i = 0; i < n; i++)
		index_add(in, name[i].text, i);
}

static struct fact_name *index_find(const struct index *in, struct fact_name *name, str s)
{
	size_t k = str_hash(s) & (in->size - 1);

	for (; in->slot[k]; k = (k + 1) & (in->size - 1)) {
		if (str_eq(name[in->slot[k] - 1].text, s))
			return &name[in->slot[k] - 1];
	}
	return NULL;
}

static double name_weight(const void *row, const void *arg)
{
	const struct fact_name *n = row;

	(void)arg;
	return (double)n->weight;
}

/* Entries below a weight go, from 1 upwards, until a quarter of the room is free; if nearly all would go, the oldest half. */
static void thin_names(struct extract *x, const struct table *t, struct index *in,
		       size_t want)
{
	bool stay[IDENTS_MAX];
	size_t n = table_count(t, x), left = n;
	const struct fact_name *name = n ? table_row(t, x, 0) : NULL;

	for (float low = 1; left > want; low *= 2) {
		left = 0;
		for (size_t i = 0; i < n; i++)
			left += stay[i] = name[i].weight >= low;
		if (left >= want / 4)
			continue;
		left = want / 2;
		for (size_t i = 0; i < n; i++)
			stay[i] = i >= n - left;
	}
	if (left == n)
		return;
	x->f.dropped += n - left;
	table_filter(t, x, stay);
	index_build(in, left ? table_row(t, x, 0) : NULL, left);
}

static void add_name(struct extract *x, const struct table *t, struct index *in, str s,
		     float weight)
{
	size_t n = table_count(t, x);
	struct fact_name *name = n ? index_find(in, table_row(t, x, 0), s) : NULL;
	str text;

	if (!name) {
		if (n == t->max) {
			thin_names(x, t, in, t->max - t->max / 4);
			n = table_count(t, x);
		}
		text = kept_str(x, s);
		if (text.n == 0)
			return;
		name = table_push(t, x);
		name->text = text;
		index_add(in, text, n);
	}
	name->weight += weight;
	name->record = x->f.records;
}

static void add_ident(struct extract *x, str s, float weight)
{
	if (!str_starts(s, STR("redacted:")))
		add_name(x, &TABLES[T_IDENT], &x->ident, s, weight);
}

static void add_named(struct extract *x, str s, float weight)
{
	add_name(x, &TABLES[T_NAMED], &x->named, s, weight);
}

/* Identifiers and paths of a text. */
static void count_names(struct extract *x, str s, float weight)
{
	struct prose_token t;
	bool tick = false;
	size_t it = 0;

	while (prose_token(s, &it, &tick, &t)) {
		if (t.kind == PROSE_PATH)
			add_named(x, t.text, weight);
		else if (t.kind == PROSE_IDENT || t.kind == PROSE_TICKED)
			add_ident(x, t.text, weight);
	}
}

/* ---- making room ---- */

static double sentence_worth(const void *row, const void *arg)
{
	const struct fact_sentence *s = row;
	const struct extract *x = arg;

	return (double)s->value +
	       (double)s->record * 4 / (double)(x->f.records ? x->f.records : 1);
}

static double thought_worth(const void *row, const void *arg)
{
	const struct fact_sentence *s = row;

	(void)arg;
	return (double)s->value;
}

static void thin_sentences(struct extract *x, const struct table *t, size_t n,
			   double (*worth)(const void *, const void *))
{
	x->f.dropped += table_keep_best(t, x, n, worth, x);
}

static void drop_prompt(struct extract *x)
{
	table_drop(&TABLES[T_PROMPT], x, x->f.nprompt / 2);
	x->f.dropped++;
}

static void thin_prompts(struct extract *x, size_t max_bytes)
{
	size_t bytes = 0;

	for (size_t i = 0; i < x->f.nprompt; i++)
		bytes += x->f.prompt[i].text.n;
	while (x->f.nprompt > 2 && bytes > max_bytes) {
		bytes -= x->f.prompt[x->f.nprompt / 2].text.n;
		drop_prompt(x);
	}
}

/* The oldest command that ran once, else the oldest. */
static void drop_command(struct extract *x)
{
	size_t at = 0;
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < x->f.ncommand; i++) {
		const struct fact_command *c = &x->f.command[i];

		if (c->count == 1 && c->record < oldest) {
			oldest = c->record;
			at = i;
		}
	}
	table_drop(&TABLES[T_COMMAND], x, at);
	x->f.dropped++;
}

static void drop_oldest_file(struct extract *x)
{
	size_t at = 0;

	for (size_t i = 1; i < x->f.nedit; i++) {
		if (x->f.edit[i].last < x->f.edit[at].last)
			at = i;
	}
	table_drop(&TABLES[T_EDIT], x, at);
	x->f.dropped++;
}

static void drop_oldest_read(struct extract *x)
{
	size_t at = 0;

	for (size_t i = 1; i < x->f.nread; i++) {
		if (x->f.read[i].record < x->f.read[at].record)
			at = i;
	}
	table_drop(&TABLES[T_READ], x, at);
	x->f.dropped++;
}

static void shorten(struct extract *x, str *s, size_t max)
{
	if (s->n > max) {
		*s = utf8_head(*s, max);
		x->f.dropped++;
	}
}

#define FEW_NAMES  16
#define LONG_BYTES ((size_t)8 << 10)

/* Everything that is not the newest or the best gives up a part. */
static void squeeze_tables(struct extract *x)
{
	struct facts *f = &x->f;

	for (size_t i = 0; i < f->nread; i++)
		x->f.dropped += table_keep_best(&READ_NAME, &f->read[i], FEW_NAMES,
						name_weight, NULL);
	for (size_t i = 0; i < f->nedit; i++)
		x->f.dropped += table_keep_best(&EDIT_NAME, &f->edit[i],
						f->edit[i].nnames / 2 + FEW_NAMES / 2,
						name_weight, NULL);
	thin_sentences(x, &TABLES[T_SENTENCE], f->nsentence * 3 / 4, sentence_worth);
	thin_sentences(x, &TABLES[T_THOUGHT], f->nthought / 2, thought_worth);
	thin_prompts(x, PROMPTS_BYTES / 4);
	thin_names(x, &TABLES[T_IDENT], &x->ident, f->nident / 2);
	thin_names(x, &TABLES[T_NAMED], &x->named, f->nnamed / 2);
	for (size_t i = f->ncommand / 4; i > 0; i--)
		drop_command(x);
	for (size_t i = f->nedit > FILES_MAX / 4 ? f->nedit / 4 : 0; i > 0; i--)
		drop_oldest_file(x);
	for (size_t i = f->nread > FILES_MAX / 4 ? f->nread / 4 : 0; i > 0; i--)
		drop_oldest_read(x);
	for (size_t i = 0; i < x->ncall; i++)
		shorten(x, &x->call[i].payload, 0);
	for (size_t i = 0; i < f->nagent; i++)
		shorten(x, &f->agent[i].result, AGENT_BYTES / 4);
	shorten(x, &f->plan, LONG_BYTES);
	shorten(x, &f->summary, 2 * LONG_BYTES);
	shorten(x, &f->git_status, LONG_BYTES / 2);
}

/* Copy what is in use to the other arena, which becomes the one in use. */
static void move_texts(struct extract *x)
{
	struct arena old;
	bool all = true;

	arena_reset(&x->other);
	for (size_t i = 0; i < T_COUNT; i++)
		all &= table_move(&TABLES[i], x, &x->other);
	if (!all)
		x->f.dropped++; /* padding, in an arena that was full to the brim */
	old = x->kept;
	x->kept = x->other;
	x->other = old;
	arena_reset(&x->other);
}

#define SQUEEZES_MAX 12

/* Called between blocks: afterwards RESERVE_BYTES are free, and scratch memory is empty. */
static void make_room(struct extract *x)
{
	arena_reset(&x->other);
	if (arena_left(&x->kept) >= RESERVE_BYTES)
		return;
	move_texts(x);
	for (size_t i = 0; x->kept.used > LIVE_BYTES && i < SQUEEZES_MAX; i++) {
		squeeze_tables(x);
		move_texts(x);
	}
}

/* ---- small things about records ---- */

static bool is_shell(str name)
{
	return str_eq(name, STR("Bash")) || str_eq(name, STR("PowerShell"));
}

static bool is_editor(str name)
{
	return str_eq(name, STR("Edit")) || str_eq(name, STR("Write")) ||
	       str_eq(name, STR("MultiEdit")) || str_eq(name, STR("NotebookEdit")) ||
	       str_eq(name, STR("Update"));
}

static bool in_list(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(s, list[i]))
			return true;
	}
	return false;
}

/* Tools whose use needs no mention. */
static bool is_everyday(str name)
{
	static const str tools[] = {
		STR("Bash"),         STR("PowerShell"),    STR("Read"),
		STR("Edit"),         STR("Write"),         STR("MultiEdit"),
		STR("NotebookEdit"), STR("Grep"),          STR("Glob"),
		STR("LS"),           STR("TodoWrite"),     STR("TaskCreate"),
		STR("TaskUpdate"),   STR("TaskList"),      STR("TaskGet"),
		STR("Task"),         STR("Agent"),         STR("AskUserQuestion"),
		STR("ExitPlanMode"), STR("EnterPlanMode"), STR("ToolSearch"),
		STR("BashOutput"),   STR("TaskOutput"),
	};

	return in_list(name, tools, COUNT(tools));
}

void extract_relative(const struct facts *f, str path, struct buf *out)
{
	str dir = f->dir;
	bool slashes = str_chr(path, '\\') == STR_NPOS;

	while (dir.n && (dir.p[dir.n - 1] == '/' || dir.p[dir.n - 1] == '\\'))
		dir.n--;
	if (dir.n && str_eq(path, f->dir)) {
		buf_byte(out, '.');
		return;
	}
	if (dir.n && str_starts(path, dir) && path.n > dir.n + 1 &&
	    (path.p[dir.n] == '/' || path.p[dir.n] == '\\'))
		path = str_from(path, dir.n + 1);
	else if (path.n > 1 && path.p[1] == ':')
		slashes = true; /* C:\ elsewhere: as it stands */
	for (size_t i = 0; i < path.n; i++)
		buf_byte(out, !slashes && path.p[i] == '\\' ? '/' : path.p[i]);
}

/* Look a key up in what pack() made. */
static str packed(str payload, const char *key)
{
	str rest = payload, k, v;

	while (str_split(&rest, 0, &k) && str_split(&rest, 0, &v)) {
		if (str_eq(k, str_of(key)))
			return v;
	}
	return STR_NONE;
}

static void pack(struct buf *out, const char *key, str v)
{
	buf_add(out, str_of(key));
	buf_byte(out, 0);
	for (size_t i = 0; i < v.n; i++)
		buf_byte(out, v.p[i] ? v.p[i] : ' ');
	buf_byte(out, 0);
}

static str record_str(const struct record *r, const char *key)
{
	return val_get_str(r->root, key);
}

/* ---- what people say ---- */

static bool same_start(struct extract *x, str a, str key)
{
	str s = squeezed(x, utf8_head(a, 1000));

	return str_eq(utf8_head(s, 200), key);
}

/* The same words again: a queued prompt that was then sent, or a record written twice. */
static bool is_repeat(struct extract *x, str text)
{
	const struct facts *f = &x->f;
	str key = utf8_head(squeezed(x, utf8_head(text, 1000)), 200);

	for (size_t i = f->nprompt > 6 ? f->nprompt - 6 : 0; i < f->nprompt; i++) {
		const struct fact_prompt *p = &f->prompt[i];

		if ((p->kind == FACT_QUEUED || f->records - p->record < REPEAT_RECORDS) &&
		    same_start(x, p->text, key))
			return true;
	}
	return false;
}

#define SENTENCES_ALL 4096

/* All sentences of a text in scratch memory. */
static str *all_sentences(struct extract *x, str text, size_t *n)
{
	str *s = arena_new(&x->other, str, SENTENCES_ALL);

	*n = s ? prose_sentences(&x->other, text, false, s, SENTENCES_ALL) : 0;
	return s;
}

#define SHORT_PROMPT 160

/* The question that a short prompt answers: the last sentence before it. */
static str question_before(struct extract *x, str text, enum fact_prompt_kind kind)
{
	const struct facts *f = &x->f;
	size_t n;
	str *s;

	if ((kind != FACT_PROMPT && kind != FACT_QUEUED) || text.n >= SHORT_PROMPT ||
	    f->last_text.n == 0 ||
	    (f->nprompt && f->last_text_record <= f->prompt[f->nprompt - 1].record))
		return STR_NONE;
	s = all_sentences(x, f->last_text, &n);
	return n && str_ends(s[n - 1], STR("?")) ? s[n - 1] : STR_NONE;
}

static void add_prompt(struct extract *x, str text, enum fact_prompt_kind kind)
{
	struct fact_prompt *p;
	str asked;

	text = str_trim(text);
	if (text.n == 0 || (kind != FACT_BANG && is_repeat(x, text)))
		return;
	asked = question_before(x, text, kind);
	p = table_push(&TABLES[T_PROMPT], x);
	p->record = x->f.records;
	p->at = x->now;
	p->kind = kind;
	p->after_interrupt = x->f.last == FACT_LAST_INTERRUPT;
	p->text = keep_ends(x, text, PROMPT_HEAD, PROMPT_TAIL);
	p->asked = keep(x, asked, LINE_BYTES);
	if (kind == FACT_EVENT)
		count_names(x, utf8_head(text, 2000), WEIGHT_EVENT);
	else if (kind != FACT_BANG)
		count_names(x, utf8_head(text, 4000), WEIGHT_PROMPT);
	if (x->f.nprompt > PROMPTS_MAX)
		drop_prompt(x);
	thin_prompts(x, PROMPTS_BYTES);
}

static struct fact_background *find_background(struct extract *x, str id)
{
	for (size_t i = 0; i < x->f.nbackground; i++) {
		if (str_eq(x->f.background[i].id, id))
			return &x->f.background[i];
	}
	return NULL;
}

/* The background task, added if it is new; when there are too many, the first one that has ended goes. */
static struct fact_background *background(struct extract *x, str id, str command)
{
	struct fact_background *b = find_background(x, id);
	size_t old = 0;

	if (b)
		return b;
	if (x->f.nbackground == BACKGROUND_MAX) {
		while (old < x->f.nbackground && x->f.background[old].ended.n == 0)
			old++;
		table_drop(&TABLES[T_BACKGROUND], x, old < x->f.nbackground ? old : 0);
		x->f.dropped++;
	}
	b = table_push(&TABLES[T_BACKGROUND], x);
	b->record = x->f.records;
	b->id = keep(x, id, ID_BYTES);
	b->command = keep(x, command, LABEL_BYTES);
	return b;
}

static struct fact_agent *find_agent(struct extract *x, str id)
{
	for (size_t i = 0; i < x->f.nagent; i++) {
		if (str_eq(x->f.agent[i].id, id))
			return &x->f.agent[i];
	}
	return NULL;
}

static struct fact_agent *agent(struct extract *x, str id, str description)
{
	struct fact_agent *a = find_agent(x, id);

	if (!a) {
		a = push_newest(x, &TABLES[T_AGENT]);
		a->record = x->f.records;
		a->id = keep(x, id, ID_BYTES);
	}
	if (a->description.n == 0)
		a->description = keep(x, description, LABEL_BYTES);
	return a;
}

/* Without the lines that the client appends for itself. */
static str agent_words(struct extract *x, str s)
{
	static const str own[] = {
		STR("agentId:"),  STR("<usage"),      STR("subagent_tokens"),
		STR("tool_uses"), STR("duration_ms"), STR("total_tokens"),
	};
	bool client;
	str line;

	buf_reset(&x->text);
	while (str_split(&s, '\n', &line)) {
		client = false;
		for (size_t i = 0; i < COUNT(own); i++)
			client |= str_starts(line, own[i]);
		if (client)
			continue;
		if (x->text.n)
			buf_byte(&x->text, '\n');
		buf_add(&x->text, line);
	}
	return scratch(x, buf_str(&x->text));
}

static void agent_result(struct extract *x, struct fact_agent *a, str result)
{
	a->result = keep(x, agent_words(x, result), AGENT_BYTES);
	a->record = x->f.records;
}

static void on_notification(struct extract *x, str s)
{
	str id = record_tag(s, "task-id"), status = record_tag(s, "status");
	str summary = record_tag(s, "summary"), result = record_tag(s, "result");
	str event = record_tag(s, "event");

	if (id.n == 0)
		return;
	if (status.n)
		background(x, id, summary)->ended = keep(x, status, ID_BYTES);
	if (event.n)
		background(x, id, summary)->event =
			keep(x, squeezed(x, event), LINE_BYTES);
	if (result.n)
		agent_result(x, agent(x, id, summary), result);
}

/* Client markup that is no word of the user. */
static bool is_noise(str tag)
{
	static const str noise[] = {
		STR("local-command"),    STR("bash-"),
		STR("system-reminder"),  STR("user-memory"),
		STR("persisted-output"), STR("tool_use_error"),
	};

	for (size_t i = 0; i < COUNT(noise); i++) {
		if (str_starts(tag, noise[i]))
			return true;
	}
	return false;
}

static void on_slash(struct extract *x, str s)
{
	str name = record_tag(s, "command-name"), args = record_tag(s, "command-args");
	struct buf b = BUF_INIT(DOOR_BYTES);

	if (name.n) {
		buf_add(&b, name);
		buf_byte(&b, ' ');
		buf_add(&b, args);
		add_prompt(x, scratch(x, buf_str(&b)), FACT_SLASH);
		x->f.last = FACT_LAST_SLASH;
	}
	buf_release(&b);
}

static void on_bang(struct extract *x, str s)
{
	struct buf b = BUF_INIT(DOOR_BYTES);

	buf_add(&b, STR("! "));
	buf_add(&b, record_tag(s, "bash-input"));
	add_prompt(x, scratch(x, buf_str(&b)), FACT_BANG);
	buf_release(&b);
}

static void on_user_text(struct extract *x, str s)
{
	str tag = prose_tag(s), rest;

	s = str_trim(s);
	if (str_starts(s, STR("[Request interrupted"))) {
		x->f.interrupts++;
		x->f.last = FACT_LAST_INTERRUPT;
		return;
	}
	if (str_starts(s, STR("Caveat: The messages below")))
		return;
	if (str_starts(tag, STR("command-"))) {
		on_slash(x, s);
	} else if (str_eq(tag, STR("task-notification"))) {
		on_notification(x, s);
	} else if (str_eq(tag, STR("bash-input"))) {
		on_bang(x, s);
	} else if (str_starts(tag, STR("ide_"))) {
		rest = str_trim(str_from(s, str_rchr(s, '>') + 1));
		if (rest.n > 3) {
			add_prompt(x, rest, FACT_PROMPT);
			x->f.last = FACT_LAST_PROMPT;
		}
	} else if (!is_noise(tag)) {
		add_prompt(x, s, tag.n ? FACT_EVENT : FACT_PROMPT);
		x->f.last = FACT_LAST_PROMPT;
	}
}

/* Files that a command's page pulls in: `@path`. */
static void on_meta_text(struct extract *x, str s)
{
	str word;

	while (str_word(&s, &word)) {
		if (word.p[0] != '@')
			continue;
		word = str_from(word, 1);
		while (word.n && strchr(".,;:", word.p[word.n - 1]))
			word.n--;
		if (prose_is_path(word))
			add_named(x, word, WEIGHT_META);
	}
}

/* ---- what the model says ---- */

static bool passes(str s, float least)
{
	return prose_value(s) >= least;
}

#define DIAGNOSIS_SENTENCES 6

/* The two best of the first sentences, as places in s; -1: none. */
static void best_two(const str *s, size_t n, int best[2])
{
	float value[2] = {0, 0};

	best[0] = best[1] = -1;
	for (size_t i = 0; i < n && i < DIAGNOSIS_SENTENCES; i++) {
		float v = prose_value(s[i]);

		if (v < 1)
			continue;
		if (best[0] < 0 || v > value[0]) {
			best[1] = best[0];
			value[1] = value[0];
			best[0] = (int)i;
			value[0] = v;
		} else if (best[1] < 0 || v > value[1]) {
			best[1] = (int)i;
			value[1] = v;
		}
	}
	if (best[1] >= 0 && best[1] < best[0]) {
		int first = best[1];

		best[1] = best[0];
		best[0] = first;
	}
}

static str bare(str s)
{
	while (s.n && (s.p[0] == '-' || s.p[0] == ' '))
		s = str_from(s, 1);
	return s;
}

/* What the model says first after an error is about the error. */
static void diagnose(struct extract *x, const str *s, size_t n)
{
	int best[2];

	best_two(s, n, best);
	for (size_t i = 0; i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];
		size_t put = 0;

		if (e->diagnosis_record || x->f.records - e->record >= DIAGNOSIS_RECORDS)
			continue;
		e->diagnosis_record = x->f.records;
		for (size_t k = 0; k < 2; k++) {
			if (best[k] >= 0)
				e->diagnosis[put++] =
					keep(x,
					     cut_text(x, bare(squeezed(x, s[best[k]])),
						      SENTENCE_CUT),
					     LINE_BYTES);
		}
	}
}

static struct fact_sentence *add_sentence(struct extract *x, const struct table *t, str s)
{
	struct fact_sentence *row = table_push(t, x);

	if (!row)
		return NULL;
	row->record = x->f.records;
	row->at = x->now;
	row->value = prose_value(s);
	row->text = keep(x, cut_text(x, squeezed(x, s), SENTENCE_CUT), LINE_BYTES);
	return row;
}

static void on_text(struct extract *x, const struct record *r, str s)
{
	struct facts *f = &x->f;
	struct fact_sentence *row;
	str bare_text = str_trim(s), *all;
	size_t n;

	if (bare_text.n == 0)
		return;
	if (r->api_error) {
		f->api_error = keep(x, squeezed(x, s), 200);
		f->last = FACT_LAST_API_ERROR;
		return;
	}
	if (str_eq(bare_text, STR("No response requested.")) ||
	    str_eq(bare_text, STR("(no content)")))
		return;
	x->private->texts++;
	f->last_text = keep_ends(x, s, HALF_TEXT_BYTES, HALF_TEXT_BYTES);
	f->last_text_record = f->records;
	f->last = FACT_LAST_TEXT;
	count_names(x, utf8_head(s, 8000), WEIGHT_TEXT);
	all = all_sentences(x, s, &n);
	diagnose(x, all, n);
	for (size_t k = 0; k < n && k < TEXT_SENTENCES; k++) {
		row = add_sentence(x, &TABLES[T_SENTENCE], all[k]);
		if (!row)
			break;
		row->text_id = x->private->texts;
		row->k = (uint32_t)k;
		row->of = (uint32_t)n;
	}
	if (f->nsentence > SENTENCES_MAX)
		thin_sentences(x, &TABLES[T_SENTENCE], SENTENCES_CUT, sentence_worth);
}

#define THOUGHT_VALUE 5.0f
#define THOUGHT_BYTES 400

static void set_last_thought(struct extract *x, const str *all, size_t n)
{
	struct fact_sentence *last;
	struct buf b = BUF_INIT(DOOR_BYTES);

	x->f.nlast_thought = 0;
	last = table_push(&TABLES[T_LAST_THOUGHT], x);
	last->record = x->f.records;
	last->at = x->now;
	if (n > 1) {
		buf_add(&b, all[n - 2]);
		buf_byte(&b, ' ');
	}
	if (n)
		buf_add(&b, all[n - 1]);
	last->text = keep(x, squeezed(x, buf_str(&b)), LINE_BYTES);
	buf_release(&b);
}

static void on_thinking(struct extract *x, str s)
{
	size_t n;
	str *all;

	if (str_trim(s).n == 0)
		return;
	all = all_sentences(x, s, &n);
	set_last_thought(x, all, n);
	for (size_t k = 0; k < n && k < THINK_SENTENCES; k++) {
		if (all[k].n < THOUGHT_BYTES && passes(all[k], THOUGHT_VALUE))
			add_sentence(x, &TABLES[T_THOUGHT], all[k]);
	}
	if (x->f.nthought > THOUGHTS_MAX)
		thin_sentences(x, &TABLES[T_THOUGHT], THOUGHTS_CUT, thought_worth);
}

/* ---- calls ---- */

/* The input that says most about a call. */
static str gist(struct extract *x, const struct val *input)
{
	static const char *const keys[] = {"command",     "file_path", "notebook_path",
					   "description", "pattern",   "url",
					   "prompt",      "query"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct val *v = val_get(input, keys[i]);

		if (v && v->type == VAL_STR && v->text.n)
			return door_val(x, v);
	}
	return STR_NONE;
}

static str normalised(struct extract *x, str command)
{
	buf_reset(&x->text);
	prose_command(&x->text, command);
	return scratch(x, buf_str(&x->text));
}

static str relative(struct extract *x, str path)
{
	buf_reset(&x->text);
	extract_relative(&x->f, path, &x->text);
	return scratch(x, buf_str(&x->text));
}

/* "Bash": the command; others: the tool's name and what it was about. */
static str call_label(struct extract *x, str name, const struct val *input)
{
	str about = normalised(x, gist(x, input));

	if (is_shell(name))
		return about;
	about = relative(x, about);
	buf_reset(&x->text);
	buf_add(&x->text, name);
	if (about.n) {
		buf_byte(&x->text, ' ');
		buf_add(&x->text, about);
	}
	return scratch(x, buf_str(&x->text));
}

static void pack_pair(struct extract *x, struct buf *out, str path, const struct val *v)
{
	static const char *const olds[] = {"old_string"};
	static const char *const news[] = {"new_string", "new_source", "content"};
	const struct val *old = val_get(v, olds[0]), *new = NULL;

	for (size_t i = 0; i < COUNT(news) && !new; i++)
		new = val_get(v, news[i]);
	pack(out, "old",
	     old ? door_text(x, path, old->text, old->tail, old->cut) : STR_NONE);
	pack(out, "new",
	     new ? door_text(x, path, new->text, new->tail, new->cut) : STR_NONE);
}

/* The texts of an edit: old, new, old, new, ... */
static void pack_edit(struct extract *x, struct buf *out, str path,
		      const struct val *input)
{
	const struct val *edits = val_get(input, "edits"),
			 *content = val_get(input, "content");

	if (content && content->cut)
		pack(out, "cut", STR("1"));
	if (!edits || edits->type != VAL_ARR) {
		pack_pair(x, out, path, input);
		return;
	}
	for (const struct val *v = edits->child; v; v = v->next)
		pack_pair(x, out, path, v);
}

static void pack_todos(struct extract *x, struct buf *out, const struct val *todos)
{
	for (const struct val *v = todos ? todos->child : NULL; v; v = v->next) {
		if (v->type != VAL_OBJ)
			continue;
		pack(out, "todo", door_get(x, v, "content"));
		pack(out, "status", door_get(x, v, "status"));
	}
}

/* What the result of the call will need of its input. */
static void pack_input(struct extract *x, struct buf *out, str name, str path,
		       const struct val *input)
{
	static const char *const keys[] = {"taskId",  "status",   "subject",
					   "plan",    "task_id",  "agentId",
					   "bash_id", "shell_id", "subagent_type"};

	if (is_editor(name)) {
		pack_edit(x, out, path, input);
		return;
	}
	if (str_eq(name, STR("TodoWrite"))) {
		pack_todos(x, out, val_get(input, "todos"));
		return;
	}
	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct val *v = val_get(input, keys[i]);

		if (v && (v->type == VAL_STR || v->type == VAL_NUM))
			pack(out, keys[i], door_val(x, v));
	}
}

static size_t payload_bytes(const struct extract *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->ncall; i++)
		n += x->call[i].payload.n;
	return n;
}

static void keep_payload(struct extract *x, struct call *c, str name, str path,
			 const struct val *input)
{
	struct buf b = BUF_INIT(PAYLOAD_BYTES);

	pack_input(x, &b, name, path, input);
	if (b.full || payload_bytes(x) + b.n > PAYLOADS_BYTES)
		x->f.dropped++;
	else
		c->payload = kept_str(x, buf_str(&b));
	buf_release(&b);
}

static void count_inputs(struct extract *x, const struct val *input)
{
	static const char *const keys[] = {"path", "pattern", "glob", "prompt",
					   "notebook_path"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct val *v = val_get(input, keys[i]);

		if (v && v->type == VAL_STR)
			count_names(x, utf8_head(door_val(x, v), 3000), WEIGHT_INPUT);
	}
}

static void on_call(struct extract *x, const struct block *b)
{
	str name = door(x, b->name), path = door_get(x, b->input, "file_path"), command;
	struct call *c = push_newest(x, &TABLES[T_CALL]);

	if (name.n == 0)
		name = STR("?");
	if (path.n == 0)
		path = door_get(x, b->input, "notebook_path");
	c->record = x->f.records;
	c->at = x->now;
	c->id = keep(x, b->id, ID_BYTES);
	c->name = keep(x, name, ID_BYTES);
	c->label = keep(x, call_label(x, name, b->input), LABEL_BYTES);
	c->description =
		keep(x, squeezed(x, door_get(x, b->input, "description")), LABEL_BYTES);
	c->path = keep(x, path, PATH_BYTES);
	c->agent = record_dispatches(b);
	if (is_shell(name)) {
		command = door_get(x, b->input, "command");
		c->raw = keep(x, command, RAW_BYTES);
		c->command = keep(x, normalised(x, command), NORM_BYTES);
	} else {
		keep_payload(x, c, name, path, b->input);
		count_inputs(x, b->input);
	}
	x->f.last = FACT_LAST_CALL;
}

static size_t find_call(const struct extract *x, str id)
{
	for (size_t i = x->ncall; i-- > 0;) {
		if (str_eq(x->call[i].id, utf8_head(id, ID_BYTES)))
			return i;
	}
	return STR_NPOS;
}

/* ---- results: edits and reads ---- */

static void add_inner_name(struct extract *x, const struct table *t, void *owner,
			   struct fact_name *list, size_t n, str s, float weight)
{
	struct fact_name *name = NULL;

	for (size_t i = 0; i < n && !name; i++) {
		if (str_eq(list[i].text, s))
			name = &list[i];
	}
	if (!name) {
		name = table_push_inner(t, owner, &x->kept);
		if (!name) {
			x->f.dropped++;
			return;
		}
		name->text = kept_str(x, s);
	}
	name->weight += weight;
	name->record = x->f.records;
}

static void edit_name(struct extract *x, struct fact_edit *e, str s, float weight)
{
	if (!str_starts(s, STR("redacted:")))
		add_inner_name(x, &EDIT_NAME, e, e->name, e->nnames, s, weight);
}

static struct fact_edit *find_edit(struct extract *x, str path)
{
	struct fact_edit *e;

	for (size_t i = 0; i < x->f.nedit; i++) {
		if (str_eq(x->f.edit[i].path, path))
			return &x->f.edit[i];
	}
	if (x->f.nedit == FILES_MAX)
		drop_oldest_file(x);
	e = table_push(&TABLES[T_EDIT], x);
	e->first = x->f.records;
	e->path = keep(x, path, PATH_BYTES);
	return e;
}

#define OLD_TOKENS_MAX 2048
#define EDIT_LINES_MAX 1500

/* The tokens of the text that an edit replaces: open addressing, by place in token[] + 1. */
struct tokens {
	str token[OLD_TOKENS_MAX];
	size_t n;
	uint16_t slot[2 * OLD_TOKENS_MAX];
};

static bool tokens_have(const struct tokens *t, str s)
{
	size_t k = str_hash(s) % COUNT(t->slot);

	for (; t && t->slot[k]; k = (k + 1) % COUNT(t->slot)) {
		if (str_eq(t->token[t->slot[k] - 1], s))
			return true;
	}
	return false;
}

static struct tokens *old_tokens(struct extract *x, str old)
{
	struct tokens *t = arena_new(&x->other, struct tokens, 1);
	struct prose_token p;
	bool tick = false;
	size_t it = 0, k;

	while (t && t->n < OLD_TOKENS_MAX && prose_token(old, &it, &tick, &p)) {
		if (tokens_have(t, p.text))
			continue;
		k = str_hash(p.text) % COUNT(t->slot);
		while (t->slot[k])
			k = (k + 1) % COUNT(t->slot);
		t->token[t->n++] = p.text;
		t->slot[k] = (uint16_t)t->n;
	}
	return t;
}

static bool is_prose_file(str path)
{
	return str_ends(path, STR(".md")) || str_ends(path, STR(".txt")) ||
	       str_ends(path, STR(".mdx")) || str_ends(path, STR(".rst"));
}

static void edit_definitions(struct extract *x, struct fact_edit *e,
			     const struct tokens *old, str text)
{
	str line, name;

	for (size_t i = 0; i < EDIT_LINES_MAX && str_split(&text, '\n', &line); i++) {
		name = prose_defines(line);
		if (name.n)
			edit_name(x, e, name, old && tokens_have(old, name) ? 1 : 3);
	}
}

/* One replaced text: names it defines, identifiers and paths it has. */
static void edit_pair(struct extract *x, struct fact_edit *e, str old_text, str new_text)
{
	struct tokens *old = old_text.n ? old_tokens(x, old_text) : NULL;
	bool prose = is_prose_file(e->path), tick = false, known;
	struct prose_token t;
	size_t it = 0;

	if (!prose)
		edit_definitions(x, e, old, new_text);
	while (prose_token(new_text, &it, &tick, &t)) {
		known = old && tokens_have(old, t.text);
		if (t.kind == PROSE_PATH && (str_chr(t.text, '/') != STR_NPOS || known))
			add_named(x, t.text, WEIGHT_EDIT);
		if (t.kind != PROSE_IDENT || str_chr(t.text, '/') != STR_NPOS)
			continue;
		if (prose && !index_find(&x->ident, x->f.ident, t.text))
			continue;
		edit_name(x, e, t.text, known ? 0.2f : 1);
	}
	if (e->nnames > EDIT_NAMES_MAX)
		x->f.dropped += table_keep_best(&EDIT_NAME, e, e->nnames - EDIT_NAMES_CUT,
						name_weight, NULL);
}

/* Counts, and the names that the patch's lines define, from toolUseResult. */
static void edit_patch(struct extract *x, struct fact_edit *e, const struct val *patch)
{
	for (const struct val *h = patch ? patch->child : NULL; h; h = h->next) {
		const struct val *lines = val_get(h, "lines");

		if (!lines || lines->type != VAL_ARR)
			continue;
		e->plus += lines->plus;
		e->minus += lines->minus;
		for (const struct val *l = lines->child; l; l = l->next) {
			str name = prose_defines(str_from(val_str(l), 1));

			if (name.n)
				edit_name(x, e, door(x, name), 1);
		}
	}
}

static uint32_t lines_of(str s)
{
	size_t n = 1;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return (uint32_t)n;
}

static void on_edit(struct extract *x, const struct call *c, const struct val *result)
{
	struct fact_edit *e;
	str rest = c->payload, key, text, old = STR_NONE;
	bool created = str_eq(val_get_str(result, "type"), STR("create"));

	if (c->path.n == 0)
		return;
	e = find_edit(x, c->path);
	e->last = x->f.records;
	e->at = x->f.last_at;
	e->count++;
	x->f.last_edit_record = x->f.records;
	x->f.last_edit_at = x->f.last_at;
	edit_patch(x, e, val_get(result, "structuredPatch"));
	if (created && str_eq(c->name, STR("Write"))) {
		e->created = true;
		if (packed(c->payload, "cut").n == 0)
			e->plus += lines_of(packed(c->payload, "new"));
	}
	while (str_split(&rest, 0, &key) && str_split(&rest, 0, &text)) {
		if (str_eq(key, STR("old")))
			old = text;
		else if (str_eq(key, STR("new")))
			edit_pair(x, e, old, text);
	}
}

/* Which errors the file was edited after. */
static void note_repair(struct extract *x, str path)
{
	for (size_t i = 0; i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];

		if (e->fixed || x->f.records - e->record >= REPAIR_RECORDS ||
		    e->nedited == FACT_ERROR_EDITS ||
		    in_list(path, e->edited, e->nedited))
			continue;
		e->edited[e->nedited++] = keep(x, path, PATH_BYTES);
	}
}

/* What the line of a Read result says, behind its number. */
static str numbered_line(str line)
{
	size_t k = str_find(str_head(line, 16), STR("\xE2\x86\x92"));

	if (k != STR_NPOS && k <= 8)
		return str_from(line, k + 3);
	k = str_chr(str_head(line, 9), '\t');
	return k == STR_NPOS ? STR_NONE : str_from(line, k + 1);
}

static struct fact_read *find_read(struct extract *x, str path)
{
	struct fact_read *r;

	for (size_t i = 0; i < x->f.nread; i++) {
		if (str_eq(x->f.read[i].path, path))
			return &x->f.read[i];
	}
	if (x->f.nread == FILES_MAX)
		drop_oldest_read(x);
	r = table_push(&TABLES[T_READ], x);
	r->path = keep(x, path, PATH_BYTES);
	return r;
}

static void on_read(struct extract *x, const struct call *c, str text)
{
	struct fact_read *r;
	str line, name;

	if (c->path.n == 0)
		return;
	r = find_read(x, c->path);
	r->record = x->f.records;
	r->count++;
	for (size_t i = 0; i < EDIT_LINES_MAX && str_split(&text, '\n', &line); i++) {
		name = prose_defines(numbered_line(line));
		if (name.n == 0)
			continue;
		if (r->nnames == READ_NAMES_MAX)
			break;
		add_inner_name(x, &READ_NAME, r, r->name, r->nnames, door(x, name), 0);
	}
}

/* " lines 10-59 (nameOne, nameTwo)" for the label of a Read. */
static void read_range(struct buf *out, const struct val *file, str text)
{
	int64_t first = val_int(val_get(file, "startLine"), 1);
	int64_t lines = val_int(val_get(file, "numLines"), 0);
	int64_t total = val_int(val_get(file, "totalLines"), -1);
	str line, name, seen[3];
	size_t n = 0;

	if (lines > 0 && lines != total && first < INT64_MAX - lines)
		buf_printf(out, " lines %lld-%lld", (long long)first,
			   (long long)(first + lines - 1));
	for (size_t i = 0; i < 400 && n < 3 && lines < 200; i++) {
		if (!str_split(&text, '\n', &line))
			break;
		name = prose_defines(numbered_line(line));
		if (name.n == 0 || in_list(name, seen, n))
			continue;
		buf_add(out, n ? STR(", ") : STR(" ("));
		buf_add(out, name);
		seen[n++] = name;
	}
	if (n)
		buf_byte(out, ')');
}

/* ---- results: commands ---- */

static str keep_line(struct extract *x, str s)
{
	return keep(x, s, LINE_BYTES);
}

static struct fact_command *find_command(struct extract *x, str command)
{
	struct fact_command *c;
	str key = utf8_head(prose_command_core(command), COMMAND_BYTES);

	for (size_t i = 0; i < x->f.ncommand; i++) {
		if (str_eq(x->f.command[i].text, key))
			return &x->f.command[i];
	}
	if (x->f.ncommand == COMMANDS_MAX)
		drop_command(x);
	c = table_push(&TABLES[T_COMMAND], x);
	c->first = x->f.records;
	c->text = keep(x, key, COMMAND_BYTES);
	buf_reset(&x->text);
	prose_family(&x->text, prose_command_core(command));
	c->family = keep(x, scratch(x, buf_str(&x->text)), ID_BYTES);
	c->check = prose_is_check(command);
	return c;
}

/* The last line of an output that says more than its exit code. */
static str last_line(struct extract *x, str command, str text)
{
	str line, last = STR_NONE;

	buf_reset(&x->text);
	prose_plain(&x->text, text);
	text = scratch(x, buf_str(&x->text));
	while (str_split(&text, '\n', &line)) {
		if (str_trim(line).n > 8 && !str_starts(line, STR("Exit code")))
			last = line;
	}
	last = squeezed(x, last);
	return str_find(command, last) == STR_NPOS ? cut_text(x, last, 160) : STR_NONE;
}

static str first_line_with(str text, str word)
{
	str line;

	while (str_split(&text, '\n', &line)) {
		if (str_find(line, word) != STR_NPOS)
			return line;
	}
	return STR_NONE;
}

/* A guard of the user's blocked the command: its line, and its rule. */
static size_t blocked_lines(struct extract *x, str text, str out[2])
{
	size_t rule = str_find(text, STR("Rule: "));

	if (rule == STR_NPOS || rule == 0 ||
	    str_find(str_head(text, 400), STR("BLOCKED")) == STR_NPOS)
		return 0;
	out[0] = cut_text(x, squeezed(x, first_line_with(text, STR("BLOCKED"))), 160);
	text = str_from(text, rule);
	out[1] = cut_text(x, str_head(text, str_chr(text, '\n')), 80);
	return 2;
}

/* Programs whose output is other people's text. */
static bool prints_texts(str command)
{
	static const str programs[] = {STR("grep"), STR("rg"),  STR("cat"), STR("ls"),
				       STR("find"), STR("git"), STR("sed"), STR("head"),
				       STR("tail"), STR("awk")};

	return in_list(str_head(command, str_chr(command, ' ')), programs,
		       COUNT(programs));
}

#define SHORT_OUTPUT 300

/* Error lines of a command that the client did not flag: pipes and `|| true` hide failure. */
static size_t soft_errors(struct extract *x, const struct fact_command *d, str command,
			  str text, str out[2])
{
	size_t n, kept = 0;

	if (!d->check && !str_starts(command, STR("gh ")) &&
	    str_find(command, STR("| ")) == STR_NPOS && !str_ends(command, STR("2>&1")) &&
	    text.n >= SHORT_OUTPUT)
		return 0;
	if (prints_texts(command) || (d->tally.n && !prose_tally_fails(d->tally)))
		return 0;
	n = prose_error_lines(&x->other, text, command, false, out);
	for (size_t i = 0; i < n; i++) {
		if (prose_error_score(out[i], false) >= (text.n < SHORT_OUTPUT ? 3 : 5))
			out[kept++] = out[i];
	}
	return kept;
}

static size_t hard_errors(struct extract *x, str command, str text, str out[2],
			  bool *weak)
{
	size_t n = blocked_lines(x, text, out);

	if (!n)
		n = prose_error_lines(&x->other, text, command, true, out);
	if (n)
		return n;
	*weak = true;
	out[0] = last_line(x, command, text);
	return out[0].n > 0;
}

static struct fact_error *add_error(struct extract *x, str command, str family,
				    const str *line, size_t n)
{
	struct fact_error *e = push_newest(x, &TABLES[T_ERROR]);

	e->record = x->f.records;
	e->at = x->now;
	e->command = keep(x, command, LABEL_BYTES);
	e->family = keep(x, family, ID_BYTES);
	for (size_t i = 0; i < n; i++)
		e->line[i] = keep_line(x, line[i]);
	e->nlines = n;
	return e;
}

static void mark_fixed(struct extract *x, str family)
{
	for (size_t i = 0; family.n && i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];

		if (!e->fixed && str_eq(e->family, family))
			e->fixed = x->f.records;
	}
}

static void command_errors(struct extract *x, const struct fact_command *d, str command,
			   str text, bool failed)
{
	struct fact_error *e;
	bool weak = false;
	str line[2];
	size_t n;

	if (failed)
		n = hard_errors(x, command, text, line, &weak);
	else
		n = soft_errors(x, d, command, text, line);
	if (n) {
		e = add_error(x, command, d->family, line, n);
		e->hard = failed;
		e->tool = weak;
	} else if (!failed) {
		mark_fixed(x, d->family);
	}
}

static bool is_sha(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!str_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
	}
	return s.n >= 7 && s.n <= 64;
}

static void add_commit(struct extract *x, str sha, str subject, str branch)
{
	struct fact_commit *c = push_newest(x, &TABLES[T_COMMIT]);

	c->record = x->f.records;
	c->sha = keep(x, sha, ID_BYTES);
	c->subject = keep(x, subject, 300);
	c->branch = keep(x, branch, ID_BYTES);
}

/* "[main 1f2e3d4] subject", as git prints it after a commit. */
static void commit_line(struct extract *x, str line)
{
	size_t end = str_chr(line, ']');
	str rest = {line.p + 1, end - 1}, word, branch = STR_NONE, sha = STR_NONE;
	size_t words = 0;

	while (str_word(&rest, &word)) {
		if (words++ == 0)
			branch = word;
		sha = word;
	}
	if (words >= 2 && is_sha(sha))
		add_commit(x, sha, str_trim(str_from(line, end + 1)), branch);
}

static void git_lines(struct extract *x, str text)
{
	struct fact_commit *push;
	str line;

	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		if (str_starts(line, STR("[")) && str_chr(line, ']') != STR_NPOS &&
		    line.n < 300) {
			commit_line(x, line);
		} else if ((str_find(line, STR("->")) != STR_NPOS &&
			    str_find(str_head(line, str_chr(line, ' ')), STR("..")) !=
				    STR_NPOS) ||
			   str_starts(line, STR("* [new branch]"))) {
			push = push_newest(x, &TABLES[T_PUSH]);
			push->record = x->f.records;
			push->subject = keep(x, squeezed(x, line), 300);
		}
	}
}

/* The first line of the message that a `git commit -m` gave. */
static str commit_subject(str raw)
{
	size_t k = str_find(raw, STR("-m"));
	str m = k == STR_NPOS ? STR_NONE : str_trim(str_from(raw, k + 2));

	while (m.n && (m.p[0] == '"' || m.p[0] == '\''))
		m = str_from(m, 1);
	if (str_starts(m, STR("$(cat <<")) || str_starts(m, STR("@"))) {
		k = str_chr(m, '\n');
		m = k == STR_NPOS ? STR_NONE : str_from(m, k + 1);
	}
	m = str_trim(m);
	if (m.n <= 3)
		return STR_NONE;
	m = str_head(m, str_chr(m, '\n'));
	while (m.n && (m.p[m.n - 1] == '"' || m.p[m.n - 1] == '\''))
		m.n--;
	return utf8_head(m, 110);
}

static bool committed_now(const struct extract *x)
{
	return x->f.ncommit && x->f.commit[x->f.ncommit - 1].record == x->f.records;
}

static void on_pr(struct extract *x, str url, str action)
{
	struct fact_pr *p = NULL;

	for (size_t i = 0; i < x->f.npr && !p; i++) {
		if (str_eq(x->f.pr[i].url, url))
			p = &x->f.pr[i];
	}
	if (!p) {
		p = push_newest(x, &TABLES[T_PR]);
		p->url = keep(x, url, PATH_BYTES);
	} else if (action.n == 0) {
		return;
	}
	p->record = x->f.records;
	p->action = keep(x, action, ID_BYTES);
}

static void git_facts(struct extract *x, const struct call *c, const struct val *result,
		      str text, bool failed)
{
	const struct val *op = val_get(result, "gitOperation"),
			 *commit = val_get(op, "commit");
	const struct val *pr = val_get(op, "pr");
	str subject = commit_subject(c->raw), url;

	if (!failed && str_find(c->command, STR("git")) != STR_NPOS)
		git_lines(x, text);
	if (commit && !committed_now(x))
		add_commit(x, utf8_head(door_get(x, commit, "sha"), 9), subject,
			   STR_NONE);
	else if (!failed && !committed_now(x) && subject.n &&
		 str_find(c->command, STR("git commit")) != STR_NPOS &&
		 str_find(text, STR("nothing to commit")) == STR_NPOS)
		add_commit(x, STR_NONE, subject, STR_NONE);
	if (pr) {
		url = door_get(x, pr, "url");
		on_pr(x, url.n ? url : door_get(x, pr, "number"),
		      door_get(x, pr, "action"));
	}
	if (!failed && str_starts(c->command, STR("git status")) &&
	    str_chr(c->command, ';') == STR_NPOS &&
	    str_find(c->command, STR("&&")) == STR_NPOS) {
		x->f.git_status =
			keep_ends(x, text, HALF_TEXT_BYTES / 2, HALF_TEXT_BYTES / 2);
		x->f.git_status_record = x->f.records;
		x->f.git_status_at = x->f.last_at;
	}
}

static void on_shell(struct extract *x, const struct call *c, const struct val *result,
		     str text, bool failed)
{
	struct fact_command *d;
	str id = door_get(x, result, "backgroundTaskId");

	if (c->command.n == 0)
		return;
	d = find_command(x, c->command);
	d->record = x->f.records;
	d->at = x->f.last_at;
	d->count++;
	d->failed = failed;
	if (c->description.n)
		d->description = keep(x, c->description, LABEL_BYTES);
	buf_reset(&x->text);
	if (d->check)
		prose_tally(&x->text, text, c->command);
	d->tally = keep_line(x, scratch(x, buf_str(&x->text)));
	count_names(x, utf8_head(c->command, 600), WEIGHT_COMMAND);
	if (failed && str_starts(text, STR("<tool_use_error>")))
		return;
	command_errors(x, d, c->command, text, failed);
	git_facts(x, c, result, text, failed);
	if (id.n)
		background(x, id, c->command);
}

/* ---- results: the rest ---- */

static void on_agent_result(struct extract *x, const struct call *c,
			    const struct val *result, str text)
{
	str id = door_get(x, result, "agentId");
	struct fact_agent *a = agent(x, id.n ? id : c->id, c->description);
	struct buf b = BUF_INIT(DOOR_BYTES);

	if (val_bool(val_get(result, "isAsync")) ||
	    str_eq(val_get_str(result, "status"), STR("async_launched"))) {
		buf_add(&b, STR("agent: "));
		buf_add(&b, a->description);
		background(x, id.n ? id : c->id, scratch(x, buf_str(&b)));
	} else {
		agent_result(x, a, text);
	}
	buf_release(&b);
}

/* A key is the question itself, of which the reader keeps only so much. */
static bool same_question(str q, str key)
{
	return key.n >= SCAN_KEY_MAX - 4 ? str_starts(q, key) : str_eq(q, key);
}

static void answer_option(struct extract *x, struct fact_answer *a,
			  const struct val *result, const struct val *given)
{
	const struct val *questions = val_get(result, "questions");
	str label = val_str(given);

	a->own = true;
	for (const struct val *q = questions ? questions->child : NULL; q; q = q->next) {
		const struct val *options = val_get(q, "options");

		if (!same_question(val_get_str(q, "question"), given->key))
			continue;
		a->header = keep(x, door_get(x, q, "header"), LINE_BYTES);
		a->question = keep(x, door_get(x, q, "question"), LINE_BYTES);
		for (const struct val *o = options ? options->child : NULL; o;
		     o = o->next) {
			if (!str_eq(val_get_str(o, "label"), label))
				continue;
			a->own = false;
			a->description =
				keep(x, door_get(x, o, "description"), LINE_BYTES);
		}
	}
}

static void on_answers(struct extract *x, const struct val *result)
{
	const struct val *answers = val_get(result, "answers");
	const struct val *notes = val_get(result, "annotations");
	struct fact_answer *a;
	str text;

	if (!answers || answers->type != VAL_OBJ)
		return;
	for (const struct val *v = answers->child; v; v = v->next) {
		text = squeezed(x, door_val(x, v));
		a = push_newest(x, &TABLES[T_ANSWER]);
		a->record = x->f.records;
		a->answer = keep_line(x, text);
		answer_option(x, a, result, v);
		if (a->question.n == 0)
			a->question = keep_line(x, door(x, v->key));
		if (a->header.n == 0)
			a->header = keep_line(x, cut_text(x, a->question, 60));
		for (const struct val *n = notes && notes->type == VAL_OBJ ? notes->child
									   : NULL;
		     n; n = n->next) {
			if (str_eq(n->key, v->key))
				a->note = keep_line(x, door_get(x, n, "notes"));
		}
		count_names(x, text, WEIGHT_PROMPT);
	}
}

static void add_todo(struct extract *x, str id, str subject, str status)
{
	struct fact_todo *t = push_newest(x, &TABLES[T_TODO]);

	t->record = x->f.records;
	t->id = keep(x, id, ID_BYTES);
	t->subject = keep(x, subject, LINE_BYTES);
	t->status = keep(x, status, ID_BYTES);
}

static void on_todo_list(struct extract *x, str payload)
{
	str rest = payload, key, text, subject = STR_NONE;
	char id[24];
	size_t n = 0;

	x->f.ntodo = 0;
	while (str_split(&rest, 0, &key) && str_split(&rest, 0, &text)) {
		if (str_eq(key, STR("todo"))) {
			subject = text;
			continue;
		}
		id[0] = 0;
		(void)snprintf(id, sizeof id, "%zu", n++);
		add_todo(x, str_of(id), subject, text);
	}
}

static str task_key(struct extract *x, str id)
{
	struct buf b = BUF_INIT(ID_BYTES);
	str key;

	buf_byte(&b, '#');
	buf_add(&b, id);
	key = scratch(x, buf_str(&b));
	buf_release(&b);
	return key;
}

static void on_task_create(struct extract *x, const struct call *c,
			   const struct val *result)
{
	const struct val *task = val_get(result, "task");
	str subject = packed(c->payload, "subject");

	if (!task)
		return;
	if (subject.n == 0)
		subject = door_get(x, task, "subject");
	add_todo(x, task_key(x, door_get(x, task, "id")), subject, STR("pending"));
}

static void on_task_update(struct extract *x, const struct call *c)
{
	str id = task_key(x, packed(c->payload, "taskId"));
	str status = packed(c->payload, "status"),
	    subject = packed(c->payload, "subject");

	for (size_t i = 0; i < x->f.ntodo; i++) {
		struct fact_todo *t = &x->f.todo[i];

		if (!str_eq(t->id, id))
			continue;
		if (status.n)
			t->status = keep(x, status, ID_BYTES);
		if (subject.n)
			t->subject = keep(x, subject, LINE_BYTES);
		t->record = x->f.records;
	}
}

/* What became of a background task. */
static void on_task_output(struct extract *x, const struct call *c, str text)
{
	static const char *const keys[] = {"task_id", "agentId", "bash_id", "shell_id"};
	str id = STR_NONE, status = record_tag(text, "status"), output;
	struct fact_background *b;
	struct fact_agent *a;

	for (size_t i = 0; i < COUNT(keys) && id.n == 0; i++)
		id = packed(c->payload, keys[i]);
	if (str_eq(c->name, STR("TaskStop")) || str_eq(c->name, STR("KillShell")) ||
	    str_eq(c->name, STR("KillBash")))
		status = STR("stopped");
	if (id.n == 0 || status.n == 0 || str_eq(status, STR("running")) ||
	    str_eq(status, STR("pending")))
		return;
	b = find_background(x, id);
	if (b)
		b->ended = keep(x, status, ID_BYTES);
	a = find_agent(x, id);
	output = record_tag(text, "output");
	if (a && output.n)
		agent_result(x, a, output);
}

static void set_plan(struct extract *x, str plan)
{
	if (plan.n == 0)
		return;
	x->f.plan = keep_ends(x, plan, HALF_TEXT_BYTES, HALF_TEXT_BYTES);
	x->f.plan_record = x->f.records;
}

static bool is_task_output(str name)
{
	static const str tools[] = {STR("TaskOutput"), STR("AgentOutputTool"),
				    STR("BashOutput"), STR("TaskStop"),
				    STR("KillShell"),  STR("KillBash")};

	return in_list(name, tools, COUNT(tools));
}

static void on_success(struct extract *x, const struct call *c, const struct val *result,
		       str text)
{
	str plan;

	if (is_editor(c->name)) {
		on_edit(x, c, result);
		note_repair(x, c->path);
	} else if (str_eq(c->name, STR("Read"))) {
		on_read(x, c, text);
	} else if (c->agent) {
		on_agent_result(x, c, result, text);
	} else if (str_eq(c->name, STR("AskUserQuestion"))) {
		on_answers(x, result);
	} else if (str_eq(c->name, STR("TodoWrite"))) {
		on_todo_list(x, c->payload);
	} else if (str_eq(c->name, STR("TaskCreate"))) {
		on_task_create(x, c, result);
	} else if (str_eq(c->name, STR("TaskUpdate"))) {
		on_task_update(x, c);
	} else if (is_task_output(c->name)) {
		on_task_output(x, c, text);
	} else if (str_eq(c->name, STR("ExitPlanMode"))) {
		plan = packed(c->payload, "plan");
		set_plan(x, plan.n ? plan : door_get(x, result, "plan"));
	}
}

static void on_tool_error(struct extract *x, const struct call *c, str text)
{
	struct fact_error *e;
	str line[2];
	size_t n;

	if (str_find(str_head(text, 20), STR("<tool_use_error>")) != STR_NPOS ||
	    str_eq(c->name, STR("Read")) || text.n <= 10)
		return;
	n = prose_error_lines(&x->other, text, STR_NONE, false, line);
	if (n == 0) {
		buf_reset(&x->text);
		prose_plain(&x->text, text);
		line[n++] = cut_text(x, squeezed(x, scratch(x, buf_str(&x->text))), 200);
	}
	e = add_error(x, c->label, c->name, line, n);
	e->hard = true;
	e->tool = !str_starts(c->name, STR("mcp__"));
	e->diagnosis_record = x->f.records;
}

/* What the user said when refusing a call, if it was in words. */
static str refusal_words(struct extract *x, str text)
{
	size_t k = str_find(text, STR("the user said:"));
	str words;

	if (k == STR_NPOS || str_find(text, STR("The user wants to clarify")) != STR_NPOS)
		return STR_NONE;
	words = squeezed(x, str_from(text, k + 14));
	return str_head(words, str_find(words, STR(" Note: The user")));
}

static bool is_refusal(const struct val *result, str text)
{
	return str_starts(text, STR("The user doesn't want")) ||
	       str_eq(val_str(result), STR("User rejected tool use"));
}

static void on_refusal(struct extract *x, const struct call *c, str text)
{
	struct fact_refused *r = push_newest(x, &TABLES[T_REFUSED]);

	r->record = x->f.records;
	r->tool = keep(x, c->name, ID_BYTES);
	r->label = keep(x, c->label, LABEL_BYTES);
	r->words = keep_line(x, refusal_words(x, text));
}

/* The longest waits stay. */
static void on_wait(struct extract *x, uint64_t ms)
{
	struct wait *w;
	size_t least = 0;

	if (x->nwait == WAITS_MAX) {
		for (size_t i = 1; i < x->nwait; i++) {
			if (x->wait[i].ms < x->wait[least].ms)
				least = i;
		}
		if (x->wait[least].ms >= ms)
			return;
		table_drop(&TABLES[T_WAIT], x, least);
	}
	w = table_push(&TABLES[T_WAIT], x);
	w->ms = ms;
}

static void count_tool(struct extract *x, str name, bool failed)
{
	struct fact_tool *t = NULL;

	for (size_t i = 0; i < x->f.ntool && !t; i++) {
		if (str_eq(x->f.tool[i].name, name))
			t = &x->f.tool[i];
	}
	if (!t) {
		t = table_push(&TABLES[T_TOOL], x);
		if (!t) {
			x->f.dropped++;
			return;
		}
		t->name = keep(x, name, ID_BYTES);
	}
	t->count++;
	t->failed += failed;
}

/* The ring of last calls, and what the last one printed. */
static void on_recent(struct extract *x, const struct call *c, const struct val *result,
		      str text, bool failed)
{
	struct privates *p = x->private;
	struct fact_call *row;

	p->output_known = !str_eq(c->name, STR("Read")) &&
			  !str_eq(c->name, STR("Edit")) && !str_eq(c->name, STR("Write"));
	p->output_shell = is_shell(c->name);
	p->output_error = failed;
	p->output_head = p->output_shell ? keep(x, text, OUTPUT_HEAD) : STR_NONE;
	p->output_tail = kept_str(x, utf8_tail(text, OUTPUT_TAIL));
	if (str_starts(c->name, STR("Todo")) || str_eq(c->name, STR("TaskUpdate")) ||
	    str_eq(c->name, STR("TaskCreate")))
		return;
	buf_reset(&x->text);
	buf_add(&x->text, c->label);
	if (str_eq(c->name, STR("Read")) && val_get(result, "file"))
		read_range(&x->text, val_get(result, "file"), text);
	if (x->f.nrecent == RECENT_MAX)
		table_drop(&TABLES[T_RECENT], x, 0);
	row = table_push(&TABLES[T_RECENT], x);
	row->record = x->f.records;
	row->at = x->now;
	row->id = keep(x, c->id, ID_BYTES);
	row->name = keep(x, c->name, ID_BYTES);
	row->label = keep(x, scratch(x, buf_str(&x->text)), LABEL_BYTES);
	row->description = keep(x, c->description, LABEL_BYTES);
	row->agent = c->agent;
}

static void on_result(struct extract *x, const struct record *r, const struct block *b)
{
	size_t at = find_call(x, b->id);
	struct call call;
	str text, path;

	if (at == STR_NPOS)
		return;
	call = x->call[at];
	table_drop(&TABLES[T_CALL], x, at);
	path = str_eq(call.name, STR("Read")) ? call.path : STR_NONE;
	text = door_text(x, path, b->text, b->tail, b->cut);
	if (call.at != CLOCK_NONE && x->now != CLOCK_NONE && !call.agent &&
	    x->now - WAIT_MS > call.at)
		on_wait(x, (uint64_t)x->now - (uint64_t)call.at);
	if (!is_everyday(call.name) && !call.agent)
		count_tool(x, call.name, b->is_error);
	on_recent(x, &call, r->result, text, b->is_error);
	x->f.last = FACT_LAST_RESULT;
	if (b->is_error && is_refusal(r->result, text))
		on_refusal(x, &call, text);
	else if (is_shell(call.name))
		on_shell(x, &call, r->result, text, b->is_error);
	else if (b->is_error)
		on_tool_error(x, &call, text);
	else
		on_success(x, &call, r->result, text);
}

/* ---- records ---- */

static bool seen_before(struct extract *x, uint64_t hash)
{
	if (!x->seen_mark[hash % SEEN_MARKS])
		return false;
	for (size_t i = x->nseen; i-- > 0;) {
		if (x->seen[i].hash == hash)
			return true;
	}
	return false;
}

static void remember(struct extract *x, uint64_t hash)
{
	struct seen *s;

	x->seen_mark[hash % SEEN_MARKS]++;
	if (x->nseen < UUIDS_MAX) {
		s = table_push(&TABLES[T_SEEN], x);
	} else {
		s = &x->seen[x->private->seen_next++ % UUIDS_MAX];
		x->seen_mark[s->hash % SEEN_MARKS]--;
	}
	s->hash = hash;
}

static void set_title(struct extract *x, str title, enum title_rank rank)
{
	title = squeezed(x, title);
	if (title.n == 0 || rank < x->private->title_rank)
		return;
	x->f.title = keep(x, title, LINE_BYTES);
	x->private->title_rank = rank;
}

/* A summary is this session's title if the record that it is about is in the file, before or after it. */
static void on_summary_record(struct extract *x, const struct record *r)
{
	uint64_t hash = str_hash(record_str(r, "leafUuid"));
	str title = door_get(x, r->root, "summary");
	struct leaf *leaf;

	if (seen_before(x, hash)) {
		set_title(x, title, TITLE_SUMMARY);
		return;
	}
	leaf = push_newest(x, &TABLES[T_LEAF]);
	leaf->hash = hash;
	leaf->text = keep(x, title, LINE_BYTES);
}

static void leaf_found(struct extract *x, uint64_t hash)
{
	for (size_t i = 0; i < x->nleaf; i++) {
		if (x->leaf[i].hash == hash)
			set_title(x, x->leaf[i].text, TITLE_SUMMARY);
	}
}

static void set_str(struct extract *x, str *at, str s, size_t max)
{
	if (s.n && !str_eq(*at, utf8_head(s, max)))
		*at = keep(x, door(x, s), max);
}

static void on_header(struct extract *x, const struct record *r)
{
	struct facts *f = &x->f;

	if (r->at != CLOCK_NONE &&
	    (r->type == RECORD_USER || r->type == RECORD_ASSISTANT ||
	     r->type == RECORD_SYSTEM || r->type == RECORD_ATTACHMENT)) {
		if (f->last_at == CLOCK_NONE || r->at > f->last_at)
			f->last_at = r->at;
		if (f->first_at == CLOCK_NONE)
			f->first_at = r->at;
	}
	set_str(x, &f->session, r->session, ID_BYTES);
	if (f->dir.n == 0)
		set_str(x, &f->dir, r->cwd, PATH_BYTES);
	set_str(x, &f->last_dir, r->cwd, PATH_BYTES);
	set_str(x, &f->branch, r->branch, ID_BYTES);
	set_str(x, &f->version, r->version, ID_BYTES);
	set_str(x, &f->mode, record_str(r, "permissionMode"), ID_BYTES);
}

static void on_user(struct extract *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	if (val_get(r->root, "planContent"))
		set_plan(x, door_get(x, r->root, "planContent"));
	while (record_block(r, &it, &b)) {
		make_room(x);
		if (b.kind == BLOCK_TOOL_RESULT)
			on_result(x, r, &b);
		else if (b.kind == BLOCK_TEXT && r->meta)
			on_meta_text(x, door_text(x, STR_NONE, b.text, b.tail, b.cut));
		else if (b.kind == BLOCK_TEXT)
			on_user_text(x, door_text(x, STR_NONE, b.text, b.tail, b.cut));
	}
}

static void on_compaction(struct extract *x, const struct record *r)
{
	struct buf all = BUF_INIT(DOOR_BYTES);
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		if (b.kind != BLOCK_TEXT)
			continue;
		if (all.n)
			buf_byte(&all, '\n');
		buf_add(&all, door_text(x, STR_NONE, b.text, b.tail, b.cut));
	}
	x->f.summary = keep_ends(x, buf_str(&all), HALF_TEXT_BYTES, HALF_TEXT_BYTES);
	x->f.summary_record = x->f.records;
	x->f.compactions++;
	buf_release(&all);
}

static void on_assistant(struct extract *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		make_room(x);
		if (b.kind == BLOCK_TEXT)
			on_text(x, r, door_text(x, STR_NONE, b.text, b.tail, b.cut));
		else if (b.kind == BLOCK_THINKING)
			on_thinking(x, door_text(x, STR_NONE, b.text, b.tail, b.cut));
		else if (b.kind == BLOCK_TOOL_USE)
			on_call(x, &b);
	}
}

/* Words that were typed while the model worked, or a task's notification. */
static void on_queued(struct extract *x, str s, bool checked)
{
	str tag = prose_tag(s);

	s = str_trim(s);
	if (str_eq(tag, STR("task-notification")))
		on_notification(x, s);
	else if (checked || (s.n && tag.n == 0 && !strchr("{[/", s.p[0])))
		add_prompt(x, s, FACT_QUEUED);
}

static void on_attachment(struct extract *x, const struct record *r)
{
	const struct val *a = val_get(r->root, "attachment");
	const struct val *prompt = val_get(a, "prompt");

	if (str_eq(val_get_str(a, "type"), STR("queued_command")) && prompt &&
	    prompt->type == VAL_STR)
		on_queued(x, door_val(x, prompt), true);
}

static void on_queue(struct extract *x, const struct record *r)
{
	const struct val *content = val_get(r->root, "content");

	if (str_eq(record_str(r, "operation"), STR("enqueue")) && content &&
	    content->type == VAL_STR)
		on_queued(x, door_val(x, content), false);
}

static void on_snapshot(struct extract *x, const struct record *r)
{
	const struct val *files = val_at(r->root, "snapshot.trackedFileBackups");
	struct fact_name *name;
	bool known;

	if (!files || files->type != VAL_OBJ)
		return;
	for (const struct val *v = files->child; v; v = v->next) {
		known = false;
		for (size_t i = 0; i < x->f.ntracked && !known; i++)
			known = str_eq(x->f.tracked[i].text, v->key);
		if (known || v->key.n == 0)
			continue;
		name = table_push(&TABLES[T_TRACKED], x);
		if (!name)
			return;
		name->text = keep(x, door(x, v->key), PATH_BYTES);
		name->record = x->f.records;
		name->weight = 1;
	}
}

static void on_record(struct extract *x, const struct record *r)
{
	switch (r->type) {
	case RECORD_USER:
		if (r->compact_summary)
			on_compaction(x, r);
		else
			on_user(x, r);
		break;
	case RECORD_ASSISTANT:
		on_assistant(x, r);
		break;
	case RECORD_ATTACHMENT:
		on_attachment(x, r);
		break;
	case RECORD_QUEUE:
		on_queue(x, r);
		break;
	case RECORD_SNAPSHOT:
		on_snapshot(x, r);
		break;
	case RECORD_SUMMARY:
		on_summary_record(x, r);
		break;
	case RECORD_TITLE:
		set_title(x, door_get(x, r->root, "customTitle"), TITLE_CUSTOM);
		set_title(x, door_get(x, r->root, "aiTitle"), TITLE_AI);
		break;
	case RECORD_META:
		if (val_get(r->root, "prUrl"))
			on_pr(x, door_get(x, r->root, "prUrl"), STR_NONE);
		set_str(x, &x->f.mode, record_str(r, "permissionMode"), ID_BYTES);
		break;
	default:
		break;
	}
}

void extract_add(struct extract *x, const struct record *r)
{
	uint64_t hash = r->uuid.n ? str_hash(r->uuid) : 0;

	make_room(x);
	x->f.records++;
	x->now = r->at;
	if (r->type == RECORD_FOREIGN)
		return;
	if (r->uuid.n) {
		if (r->duplicate || seen_before(x, hash))
			return;
		remember(x, hash);
		leaf_found(x, hash);
		if (!x->private->any_uuid)
			x->f.agent_file = r->sidechain;
		x->private->any_uuid = true;
	}
	if (r->sidechain && !x->f.agent_file)
		return;
	on_header(x, r);
	on_record(x, r);
}

/* ---- facts ---- */

struct sieve {
	const struct tree *tree;
	int64_t since;
};

static bool abandoned(const struct sieve *s, uint64_t record)
{
	return s->tree && tree_abandoned(s->tree, record);
}

static bool before(const struct sieve *s, int64_t at)
{
	return s->since != CLOCK_NONE && at != CLOCK_NONE && at < s->since;
}

/* All rows below begin with their record's number. */
static bool off_record(const void *row, const struct sieve *s)
{
	uint64_t record;

	memcpy(&record, row, sizeof record);
	return abandoned(s, record);
}

static bool off_prompt(const void *row, const struct sieve *s)
{
	const struct fact_prompt *p = row;

	return abandoned(s, p->record) || before(s, p->at);
}

static bool off_sentence(const void *row, const struct sieve *s)
{
	const struct fact_sentence *p = row;

	return abandoned(s, p->record) || before(s, p->at);
}

static bool off_error(const void *row, const struct sieve *s)
{
	const struct fact_error *e = row;

	return abandoned(s, e->record) || before(s, e->at);
}

static bool off_command(const void *row, const struct sieve *s)
{
	const struct fact_command *c = row;

	return (abandoned(s, c->record) && abandoned(s, c->first)) || before(s, c->at);
}

static bool off_edit(const void *row, const struct sieve *s)
{
	const struct fact_edit *e = row;

	return abandoned(s, e->last) && abandoned(s, e->first);
}

static bool off_read(const void *row, const struct sieve *s)
{
	const struct fact_read *r = row;

	return r->count == 1 && abandoned(s, r->record);
}

/* Copy the rows that the sieve lets through to scratch memory and point the view at them. */
static void show_rows(struct extract *x, size_t id,
		      bool (*off)(const void *row, const struct sieve *s),
		      const struct sieve *s)
{
	const struct table *t = &TABLES[id];
	size_t n = table_count(t, x), kept = 0;
	size_t shift = offsetof(struct extract, view) - offsetof(struct extract, f);
	char *rows = arena_alloc(&x->other, t->size, alignof(max_align_t), n ? n : 1);

	for (size_t i = 0; rows && i < n; i++) {
		const void *row = table_row(t, x, i);

		if (off && off(row, s)) {
			x->view.dropped++;
			continue;
		}
		memcpy(rows + kept++ * t->size, row, t->size);
	}
	memcpy((char *)x + t->rows + shift, &rows, sizeof rows);
	memcpy((char *)x + t->count + shift, &kept, sizeof kept);
}

static int by_text(const void *a, const void *b)
{
	const struct fact_name *x = a, *y = b;

	return str_cmp(x->text, y->text);
}

static int by_last_edit(const void *a, const void *b)
{
	const struct fact_edit *x = a, *y = b;

	if (x->last != y->last)
		return x->last < y->last ? -1 : 1;
	return str_cmp(x->path, y->path);
}

static int by_read(const void *a, const void *b)
{
	const struct fact_read *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	return str_cmp(x->path, y->path);
}

static void show_open(struct extract *x, const struct sieve *s)
{
	struct fact_call *open = arena_new(&x->other, struct fact_call, OPEN_MAX);

	x->view.open = open;
	x->view.nopen = 0;
	for (size_t i = 0; open && i < x->ncall; i++) {
		const struct call *c = &x->call[i];

		if (abandoned(s, c->record))
			continue;
		open[x->view.nopen++] =
			(struct fact_call){c->record, c->at,          c->id,   c->name,
					   c->label,  c->description, c->agent};
	}
}

static void show_waits(struct extract *x)
{
	int64_t *wait = arena_new(&x->other, int64_t, WAITS_MAX);

	x->view.wait = wait;
	x->view.nwait = wait ? x->nwait : 0;
	for (size_t i = 0; i < x->view.nwait; i++)
		wait[i] = (int64_t)x->wait[i].ms;
}

/* One line of what the last call printed: its error, else its last line. */
static void show_last_result(struct extract *x)
{
	const struct privates *p = x->private;
	str line, rest, two[2];

	x->view.last_result = STR_NONE;
	if (!p->output_known)
		return;
	if (p->output_shell && prose_error_lines(&x->other, p->output_head, STR_NONE,
						 p->output_error, two)) {
		x->view.last_result = two[0];
		return;
	}
	buf_reset(&x->text);
	prose_plain(&x->text, p->output_tail);
	rest = scratch(x, buf_str(&x->text));
	while (str_split(&rest, '\n', &line)) {
		if (str_trim(line).n > 5)
			x->view.last_result = line;
	}
	x->view.last_result = squeezed(x, x->view.last_result);
}

/* When the last text was left behind, the newest one that was not, of its sentences. */
static void show_last_text(struct extract *x, const struct sieve *s)
{
	struct facts *v = &x->view;
	struct buf b = BUF_INIT(EXTRACT_TEXT_BYTES);
	uint32_t id;

	if (!abandoned(s, v->last_text_record))
		return;
	v->last_text = STR_NONE;
	v->last_text_record = v->nsentence ? v->sentence[v->nsentence - 1].record : 0;
	id = v->nsentence ? v->sentence[v->nsentence - 1].text_id : 0;
	for (size_t i = 0; i < v->nsentence; i++) {
		if (v->sentence[i].text_id != id)
			continue;
		buf_add(&b, v->sentence[i].text);
		buf_byte(&b, '\n');
	}
	v->last_text = scratch(x, str_trim(buf_str(&b)));
	buf_release(&b);
}

const struct facts *extract_facts(struct extract *x, const struct tree *t, int64_t since)
{
	static bool (*const off[T_COUNT])(const void *, const struct sieve *) = {
		[T_PROMPT] = off_prompt,    [T_SENTENCE] = off_sentence,
		[T_THOUGHT] = off_sentence, [T_LAST_THOUGHT] = off_record,
		[T_EDIT] = off_edit,        [T_READ] = off_read,
		[T_COMMAND] = off_command,  [T_ERROR] = off_error,
		[T_RECENT] = off_record,    [T_TODO] = off_record,
		[T_ANSWER] = off_record,    [T_AGENT] = off_record,
		[T_REFUSED] = off_record,
	};
	struct sieve s = {t, since};
	struct facts *v = &x->view;

	arena_reset(&x->other);
	*v = x->f;
	for (size_t i = 0; i < T_COUNT; i++) {
		if (TABLES[i].rows >= offsetof(struct extract, f) &&
		    TABLES[i].rows < offsetof(struct extract, f) + sizeof x->f)
			show_rows(x, i, off[i], &s);
	}
	show_open(x, &s);
	show_waits(x);
	show_last_result(x);
	show_last_text(x, &s);
	if (v->nedit)
		qsort(v->edit, v->nedit, sizeof *v->edit, by_last_edit);
	if (v->nread)
		qsort(v->read, v->nread, sizeof *v->read, by_read);
	if (v->nident)
		qsort(v->ident, v->nident, sizeof *v->ident, by_text);
	return v;
}

/* ---- making, saving, loading ---- */

static void *allocated(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		log_oom();
	return p;
}

static size_t table_bytes(const struct table *t)
{
	return (t->size * t->max + 15) & ~(size_t)15;
}

/* Give every table its part of the rows, but those two that are rows themselves. */
static void place_rows(struct extract *x)
{
	char *rows = x->rows;

	for (size_t i = T_PRIVATE + 1; i < T_COUNT; i++) {
		memcpy((char *)x + TABLES[i].rows, &rows, sizeof rows);
		rows += table_bytes(&TABLES[i]);
	}
}

struct extract *extract_new(void)
{
	struct extract *x = allocated(1, sizeof *x);
	size_t bytes = 0;

	arena_init(&x->kept, ARENA_BYTES);
	arena_init(&x->other, ARENA_BYTES);
	x->text = BUF_INIT(DOOR_BYTES);
	for (size_t i = T_PRIVATE + 1; i < T_COUNT; i++)
		bytes += table_bytes(&TABLES[i]);
	assert(bytes + 2 * ARENA_BYTES <= EXTRACT_BYTES);
	x->rows = allocated(1, bytes);
	place_rows(x);
	x->self = &x->f;
	x->private = &x->private_row;
	x->nself = x->nprivate = 1;
	x->ident.size = 2 * IDENTS_MAX;
	x->named.size = 2 * NAMED_MAX;
	x->ident.slot = allocated(x->ident.size, sizeof *x->ident.slot);
	x->named.slot = allocated(x->named.size, sizeof *x->named.slot);
	x->f.first_at = x->f.last_at = x->f.last_edit_at = x->f.git_status_at =
		CLOCK_NONE;
	return x;
}

void extract_free(struct extract *x)
{
	if (!x)
		return;
	arena_release(&x->kept);
	arena_release(&x->other);
	buf_release(&x->text);
	free(x->rows);
	free(x->ident.slot);
	free(x->named.slot);
	free(x);
}

#define SAVED_FIRST "handoff-extract 1\n"
#define SAVED_LAST  "end "

void extract_save(const struct extract *x, struct buf *out)
{
	size_t start = out->n;

	buf_add(out, STR(SAVED_FIRST));
	for (size_t i = 0; i < T_COUNT; i++)
		table_save(&TABLES[i], x, out);
	buf_add(out, STR(SAVED_LAST));
	buf_printf(out, "%016llx\n",
		   (unsigned long long)str_hash(str_from(buf_str(out), start)));
}

/* The text between the first line and the last, which holds the hash of what is before it. */
static int saved_body(str *text, struct err *e)
{
	char want[24];
	str all = *text, last = str_from(all, all.n > 17 ? all.n - 17 : 0);

	if (!str_starts(all, STR(SAVED_FIRST)))
		return err_set(e, HF_EFORMAT, "saved state: of another version");
	if (all.n < sizeof SAVED_FIRST + sizeof SAVED_LAST + 16)
		return err_set(e, HF_EFORMAT, "saved state: cut off");
	all.n -= 17;
	(void)snprintf(want, sizeof want, "%016llx\n", (unsigned long long)str_hash(all));
	if (!str_eq(last, str_of(want)) || !str_ends(all, STR(SAVED_LAST)))
		return err_set(e, HF_EFORMAT, "saved state: damaged");
	all.n -= sizeof SAVED_LAST - 1;
	*text = str_from(all, sizeof SAVED_FIRST - 1);
	return 0;
}

/* Numbers that index something must be within what they index. */
static bool plausible(const struct extract *x)
{
	for (size_t i = 0; i < x->f.nerror; i++) {
		if (x->f.error[i].nlines > FACT_ERROR_LINES ||
		    x->f.error[i].nedited > FACT_ERROR_EDITS)
			return false;
	}
	return x->nself == 1 && x->nprivate == 1 && x->f.last <= FACT_LAST_API_ERROR &&
	       x->f.nprompt <= PROMPTS_MAX && x->f.nsentence <= SENTENCES_MAX &&
	       x->f.nthought <= THOUGHTS_MAX;
}

struct extract *extract_load(str text, struct err *e)
{
	struct extract *x;
	int ret;

	ret = saved_body(&text, e);
	if (ret)
		return NULL;
	x = extract_new();
	x->nself = x->nprivate = 0;
	for (size_t i = 0; i < T_COUNT && !ret; i++) {
		ret = table_load(&TABLES[i], x, &text, &x->kept, e);
		if (i == T_SELF)
			place_rows(x); /* that row has the pointers in it */
	}
	if (!ret && (text.n || !plausible(x)))
		ret = err_set(e, HF_EFORMAT, "saved state: damaged");
	if (ret) {
		extract_free(x);
		return NULL;
	}
	index_build(&x->ident, x->f.ident, x->f.nident);
	index_build(&x->named, x->f.named, x->f.nnamed);
	for (size_t i = 0; i < x->nseen; i++)
		x->seen_mark[x->seen[i].hash % SEEN_MARKS]++;
	return x;
}
