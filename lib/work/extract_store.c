/*
 * Tables, their memory, and the door. See extract.c for how the two arenas take turns.
 */
#include "work/extract_impl.h"
#include "base/log.h"
#include "base/utf8.h"
#include "work/prose.h"
#include "work/redact.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define F(member, k) FIELD(FIELD_TYPE, member, k)

#define FIELD_TYPE struct fact_name
static const struct field NAME_FIELDS[] = {F(text, STR), F(weight, FLOAT),
					   F(record, U64)};
#undef FIELD_TYPE
const struct table extract_edit_name = TABLE("edit.name", struct fact_edit, name, nnames,
					     2 * EDIT_NAMES_MAX, NAME_FIELDS);
const struct table extract_read_name =
	TABLE("read.name", struct fact_read, name, nnames, READ_NAMES_MAX, NAME_FIELDS);

#define FIELD_TYPE struct fact_prompt
static const struct field PROMPT_FIELDS[] = {
	F(record, U64), F(at, U64),   F(same_as, U64),
	F(sent, U64),   F(kind, U32), F(after_interrupt, BOOL),
	F(plain, U64),  F(text, STR), F(asked, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_sentence
static const struct field SENTENCE_FIELDS[] = {
	F(record, U64), F(at, U64),      F(text_id, U32), F(k, U32),
	F(of, U32),     F(value, FLOAT), F(hole, BOOL),   F(text, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_edit
static const struct field EDIT_FIELDS[] = {
	F(first, U64), F(last, U64),     F(at, U64),
	F(path, STR),  F(count, U32),    F(plus, U32),
	F(minus, U32), F(created, BOOL), FIELD_LIST(&extract_edit_name)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_read
static const struct field READ_FIELDS[] = {F(record, U64), F(path, STR), F(count, U32),
					   F(shell, BOOL),
					   FIELD_LIST(&extract_read_name)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_command
static const struct field COMMAND_FIELDS[] = {
	F(record, U64),  F(first, U64),       F(at, U64),    F(text, STR),
	F(family, STR),  F(description, STR), F(tally, STR), F(count, U32),
	F(failed, BOOL), F(check, BOOL),      F(piped, BOOL)};
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
	F(record, U64), F(at, U64),          F(id, STR),     F(name, STR),
	F(label, STR),  F(description, STR), F(agent, BOOL), F(stopped, BOOL)};
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
#define FIELD_TYPE struct fact_interrupt
static const struct field INTERRUPT_FIELDS[] = {F(record, U64), F(call, STR),
						F(calls, U32), F(text, STR)};
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
#define FIELD_TYPE struct fact_finding
static const struct field FINDING_FIELDS[] = {F(record, U64), F(text, STR),
					      F(subject, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_shelled
static const struct field SHELLED_FIELDS[] = {F(record, U64), F(at, U64), F(path, STR),
					      F(how, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_verdict
static const struct field VERDICT_FIELDS[] = {F(record, U64), F(at, U64),
					      F(k, U32),      F(deadend, BOOL),
					      F(user, BOOL),  F(text, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_unchanged
static const struct field UNCHANGED_FIELDS[] = {F(record, U64), F(at, U64), F(path, STR),
						F(how, STR)};
#undef FIELD_TYPE
#define FIELD_TYPE struct fact_source
static const struct field SOURCE_FIELDS[] = {F(record, U64), F(at, U64), F(uuid, STR)};
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
					   F(last_text, STR),
					   F(last_text_record, U64),
					   F(stop_hook_record, U64),
					   F(last_edit_record, U64),
					   F(last_edit_at, U64),
					   F(git_status, STR),
					   F(git_status_record, U64),
					   F(git_status_at, U64),
					   F(head_sha, STR),
					   F(head_subject, STR),
					   F(head_record, U64),
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

#define FACT(tag, name, max, fields)                                                     \
	TABLE(tag, struct extract, f.name, f.n##name, max, fields)
#define OWN(tag, name, max, fields) TABLE(tag, struct extract, name, n##name, max, fields)

/* The order is that of the saved state. One text or thought may overshoot its table's maximum before it is cut. */
const struct table extract_table[T_COUNT] = {
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
	[T_FINDING] = OWN("finding", finding, FINDINGS_MAX, FINDING_FIELDS),
	[T_SHELLED] = FACT("shelled", shelled, SHELLED_MAX, SHELLED_FIELDS),
	[T_VERDICT] = FACT("verdict", verdict, VERDICTS_MAX, VERDICT_FIELDS),
	[T_SOURCE] = FACT("source", source, SOURCES_MAX, SOURCE_FIELDS),
	[T_UNCHANGED] = FACT("unchanged", unchanged, UNCHANGED_MAX, UNCHANGED_FIELDS),
	[T_INTERRUPT] = FACT("interrupt", interrupt, INTERRUPTS_MAX, INTERRUPT_FIELDS),
};

/* A new row; the oldest goes when the table is full. */
void *extract_push_newest(struct extract *x, const struct table *t)
{
	if (table_count(t, x) == t->max) {
		table_drop(t, x, 0);
		x->f.dropped++;
	}
	return table_push(t, x);
}

/* ---- memory ---- */

str extract_kept_str(struct extract *x, str s)
{
	str k = s.n ? arena_str(&x->kept, s) : STR_NONE;

	if (k.n < s.n)
		x->f.dropped++;
	return k;
}

/* At most max bytes of s, which came through extract_door(). */
str extract_keep(struct extract *x, str s, size_t max)
{
	return extract_kept_str(x, utf8_head(s, max));
}

/* Its first and last bytes, a newline between, when it is longer than both. */
str extract_keep_ends(struct extract *x, str s, size_t head, size_t tail, str mark)
{
	str a = utf8_head(s, head), b = utf8_tail(s, tail);
	char *p;

	if (s.n <= head + tail)
		return extract_kept_str(x, s);
	p = arena_alloc(&x->kept, 1, 1, a.n + mark.n + b.n);
	if (!p) {
		x->f.dropped++;
		return STR_NONE;
	}
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, mark.p, mark.n);
	memcpy(p + a.n + mark.n, b.p, b.n);
	return (str){p, a.n + mark.n + b.n};
}

str extract_scratch(struct extract *x, str s)
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
str extract_door_text(struct extract *x, str path, str text, str tail, bool cut)
{
	buf_reset(&x->text);
	if (cut)
		text = whole_words_head(text);
	if (path.n)
		redact_file(&x->text, path, text);
	else
		redact(&x->text, text);
	if (cut && tail.n) {
		buf_add(&x->text, STR(EXTRACT_CUT));
		tail = whole_words_tail(tail);
		if (path.n)
			redact_file(&x->text, path, tail);
		else
			redact(&x->text, tail);
	}
	return extract_scratch(x, buf_str(&x->text));
}

str extract_door(struct extract *x, str s)
{
	return s.n ? extract_door_text(x, STR_NONE, s, STR_NONE, false) : STR_NONE;
}

str extract_door_val(struct extract *x, const struct val *v)
{
	if (!v || v->type != VAL_STR)
		return extract_door(x, val_str(v));
	return extract_door_text(x, STR_NONE, v->text, v->tail, v->cut);
}

str extract_door_get(struct extract *x, const struct val *v, const char *key)
{
	return extract_door_val(x, val_get(v, key));
}

str extract_squeezed(struct extract *x, str s)
{
	buf_reset(&x->text);
	prose_squeeze(&x->text, s);
	return extract_scratch(x, buf_str(&x->text));
}

str extract_cut_text(struct extract *x, str s, size_t n)
{
	buf_reset(&x->text);
	prose_cut(&x->text, s, n);
	return extract_scratch(x, buf_str(&x->text));
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

struct fact_name *extract_index_find(const struct index *in, struct fact_name *name,
				     str s)
{
	size_t k = str_hash(s) & (in->size - 1);

	for (; in->slot[k]; k = (k + 1) & (in->size - 1)) {
		if (str_eq(name[in->slot[k] - 1].text, s))
			return &name[in->slot[k] - 1];
	}
	return NULL;
}

double extract_name_weight(const void *row, const void *arg)
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
	struct fact_name *name = n ? extract_index_find(in, table_row(t, x, 0), s) : NULL;
	str text;

	if (!name) {
		if (n == t->max) {
			thin_names(x, t, in, t->max - t->max / 4);
			n = table_count(t, x);
		}
		text = extract_kept_str(x, s);
		if (text.n == 0)
			return;
		name = table_push(t, x);
		name->text = text;
		index_add(in, text, n);
	}
	name->weight += weight;
	name->record = x->f.records;
}

void extract_add_ident(struct extract *x, str s, float weight)
{
	if (!str_starts(s, STR("redacted:")))
		add_name(x, &extract_table[T_IDENT], &x->ident, s, weight);
}

void extract_add_named(struct extract *x, str s, float weight)
{
	add_name(x, &extract_table[T_NAMED], &x->named, s, weight);
}

/* Identifiers and paths of a text. */
void extract_count_names(struct extract *x, str s, float weight)
{
	struct prose_token t;
	bool tick = false;
	size_t it = 0;

	while (prose_token(s, &it, &tick, &t)) {
		if (t.kind == PROSE_PATH)
			extract_add_named(x, t.text, weight);
		else if (t.kind == PROSE_IDENT || t.kind == PROSE_TICKED)
			extract_add_ident(x, t.text, weight);
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
	table_drop(&extract_table[T_PROMPT], x, x->f.nprompt / 2);
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
void extract_drop_command(struct extract *x)
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
	table_drop(&extract_table[T_COMMAND], x, at);
	x->f.dropped++;
}

void extract_drop_oldest_file(struct extract *x)
{
	size_t at = 0;

	for (size_t i = 1; i < x->f.nedit; i++) {
		if (x->f.edit[i].last < x->f.edit[at].last)
			at = i;
	}
	table_drop(&extract_table[T_EDIT], x, at);
	x->f.dropped++;
}

void extract_drop_oldest_read(struct extract *x)
{
	size_t at = 0;

	for (size_t i = 1; i < x->f.nread; i++) {
		if (x->f.read[i].record < x->f.read[at].record)
			at = i;
	}
	table_drop(&extract_table[T_READ], x, at);
	x->f.dropped++;
}

void extract_trim_prompts(struct extract *x)
{
	if (x->f.nprompt > PROMPTS_MAX)
		drop_prompt(x);
	thin_prompts(x, PROMPTS_BYTES);
}

void extract_trim_sentences(struct extract *x)
{
	if (x->f.nsentence > SENTENCES_MAX)
		thin_sentences(x, &extract_table[T_SENTENCE], SENTENCES_CUT,
			       sentence_worth);
	if (x->f.nthought > THOUGHTS_MAX)
		thin_sentences(x, &extract_table[T_THOUGHT], THOUGHTS_CUT, thought_worth);
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
		x->f.dropped += table_keep_best(&extract_read_name, &f->read[i],
						FEW_NAMES, extract_name_weight, NULL);
	for (size_t i = 0; i < f->nedit; i++)
		x->f.dropped += table_keep_best(&extract_edit_name, &f->edit[i],
						f->edit[i].nnames / 2 + FEW_NAMES / 2,
						extract_name_weight, NULL);
	thin_sentences(x, &extract_table[T_SENTENCE], f->nsentence * 3 / 4,
		       sentence_worth);
	thin_sentences(x, &extract_table[T_THOUGHT], f->nthought / 2, thought_worth);
	thin_prompts(x, PROMPTS_BYTES / 4);
	thin_names(x, &extract_table[T_IDENT], &x->ident, f->nident / 2);
	thin_names(x, &extract_table[T_NAMED], &x->named, f->nnamed / 2);
	for (size_t i = f->ncommand / 4; i > 0; i--)
		extract_drop_command(x);
	for (size_t i = f->nedit > FILES_MAX / 4 ? f->nedit / 4 : 0; i > 0; i--)
		extract_drop_oldest_file(x);
	for (size_t i = f->nread > FILES_MAX / 4 ? f->nread / 4 : 0; i > 0; i--)
		extract_drop_oldest_read(x);
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
		all &= table_move(&extract_table[i], x, &x->other);
	if (!all)
		x->f.dropped++; /* padding, in an arena that was full to the brim */
	old = x->kept;
	x->kept = x->other;
	x->other = old;
	arena_reset(&x->other);
}

#define SQUEEZES_MAX 12

/* Called between blocks: afterwards RESERVE_BYTES are free, and scratch memory is empty. */
void extract_make_room(struct extract *x)
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
		memcpy((char *)x + extract_table[i].rows, &rows, sizeof rows);
		rows += table_bytes(&extract_table[i]);
	}
}

struct extract *extract_new(void)
{
	struct extract *x = allocated(1, sizeof *x);
	size_t bytes = 0;

	arena_init(&x->kept, ARENA_BYTES);
	arena_init(&x->other, ARENA_BYTES);
	x->text = BUF_INIT(DOOR_BYTES);
	x->late_text = x->late_tail = BUF_INIT(DOOR_BYTES);
	for (size_t i = T_PRIVATE + 1; i < T_COUNT; i++)
		bytes += table_bytes(&extract_table[i]);
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
	buf_release(&x->late_text);
	buf_release(&x->late_tail);
	free(x->rows);
	free(x->ident.slot);
	free(x->named.slot);
	free(x);
}

#define SAVED_FIRST "handoff-extract 8\n"
#define SAVED_LAST  "end "

/* Eight bytes at a time: it is much text, and often. */
uint64_t extract_checksum(str s)
{
	uint64_t h = s.n, word;

	for (; s.n >= sizeof word; s = str_from(s, sizeof word)) {
		memcpy(&word, s.p, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h ^ str_hash(s);
}

void extract_save(struct extract *x, struct buf *out)
{
	size_t start = out->n;

	extract_settle(x);

	buf_add(out, STR(SAVED_FIRST));
	for (size_t i = 0; i < T_COUNT; i++)
		table_save(&extract_table[i], x, out);
	buf_add(out, STR(SAVED_LAST));
	buf_printf(out, "%016llx\n",
		   (unsigned long long)extract_checksum(str_from(buf_str(out), start)));
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
	(void)snprintf(want, sizeof want, "%016llx\n",
		       (unsigned long long)extract_checksum(all));
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
	for (size_t i = 0; i < x->f.nprompt; i++) {
		if (x->f.prompt[i].kind > FACT_EVENT)
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
		ret = table_load(&extract_table[i], x, &text, &x->kept, e);
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
