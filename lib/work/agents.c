/*
 * Pairing. A dispatch is entered at its tool_use. What comes later finds it by tool_use id,
 * else by agent id (task id); inline side chains (no agentId) by the prompt that they begin
 * with, then by parent; agent files by toolUseId of their .meta.json, else by agent id, else
 * by their first prompt.
 *
 *   tool_result           final, unless its status is async_launched
 *   <task-notification>   final; of several the first with an answer gives it, the last its status
 *   side chain, file      the last text is the answer while there is no better one
 */
#include "work/agents.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/utf8.h"
#include "data/claude.h"

#define CALLS_MAX                                                                        \
	256          /* of the last calls, for results that tell of an unknown dispatch */
#define SIDE_MAX 512 /* of the last side-chain records, to follow chains */

struct recent_call {
	uint64_t hash, record;
	int64_t at;
	char name[64], id[80];
};

struct side {
	uint64_t uuid;
	uint32_t agent; /* index in item, as counted from the first ever */
};

struct agents_state {
	struct arena a;
	struct recent_call call[CALLS_MAX];
	size_t calls; /* ever */
	struct side side[SIDE_MAX];
	size_t sides; /* ever */
	size_t cap;
};

struct agents *agents_new(void)
{
	struct agents *a = calloc(1, sizeof(*a));

	if (!a || !(a->st = calloc(1, sizeof(*a->st))))
		log_oom();
	arena_init(&a->st->a, (size_t)256 << 10);
	return a;
}

static void agent_release(struct agent *g)
{
	free(g->description.p);
	free(g->prompt.p);
	free(g->answer.p);
	free(g->file);
	free(g->end);
}

void agents_free(struct agents *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		agent_release(&a->item[i]);
	free(a->item);
	arena_release(&a->st->a);
	free(a->st);
	free(a);
}

static void copy(char *to, size_t max, str s)
{
	s = utf8_head(s, max - 1);
	if (s.n)
		memcpy(to, s.p, s.n);
	to[s.n] = 0;
}

static void text_set(struct agent_text *t, str s, uint64_t size)
{
	str head = utf8_head(s, AGENTS_TEXT_MAX);

	free(t->p);
	t->p = head.n ? str_dup(head) : NULL;
	t->n = head.n;
	t->size = size > s.n ? size : s.n;
}

static struct agent *agent_new(struct agents *a)
{
	struct agent *g;

	if (a->n == AGENTS_MAX) {
		agent_release(&a->item[0]);
		memmove(a->item, a->item + 1, (AGENTS_MAX - 1) * sizeof(*a->item));
		a->n--;
		a->dropped++;
	}
	if (a->n == a->st->cap) {
		a->st->cap = a->st->cap ? a->st->cap * 2 : 16;
		a->item = realloc(a->item, a->st->cap * sizeof(*a->item));
		if (!a->item)
			log_oom();
	}
	g = &a->item[a->n++];
	memset(g, 0, sizeof(*g));
	g->started = g->ended = CLOCK_NONE;
	g->tokens = g->tools = g->ms = -1;
	return g;
}

static struct agent *by_id(const struct agents *a, str id)
{
	uint64_t hash = transcript_hash(id);

	for (size_t i = a->n; id.n && i-- > 0;)
		if (a->item[i].id_hash == hash)
			return &a->item[i];
	return NULL;
}

static struct agent *by_agent_id(const struct agents *a, str id)
{
	for (size_t i = a->n; id.n && i-- > 0;)
		if (str_eq(str_of(a->item[i].agent_id),
			   utf8_head(id, sizeof(a->item[i].agent_id) - 1)))
			return &a->item[i];
	return NULL;
}

const struct agent *agents_find(const struct agents *a, str tool_use_id)
{
	return by_id(a, tool_use_id);
}

/* ---- records of the main chain ---- */

static void add_dispatch(struct agents *a, const struct record *r, const struct block *b)
{
	const struct val *prompt = val_get(b->input, "prompt");
	const struct val *description = val_get(b->input, "description");
	struct agent *g = agent_new(a);

	g->call = r->n;
	g->started = r->at;
	g->id_hash = transcript_hash(b->id);
	copy(g->id, sizeof(g->id), b->id);
	copy(g->tool, sizeof(g->tool), b->name);
	copy(g->type, sizeof(g->type), val_get_str(b->input, "subagent_type"));
	g->background = val_bool(val_get(b->input, "run_in_background"));
	if (description)
		text_set(&g->description, val_str(description), description->size);
	if (prompt) {
		text_set(&g->prompt, val_str(prompt), prompt->size);
		g->prompt_hash =
			transcript_hash(utf8_head(val_str(prompt), AGENTS_TEXT_MAX));
	}
}

static void add_calls(struct agents *a, const struct record *r)
{
	struct agents_state *st = a->st;
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		struct recent_call *c;

		if (b.kind != BLOCK_TOOL_USE)
			continue;
		if (record_dispatches(&b)) {
			add_dispatch(a, r, &b);
			continue;
		}
		c = &st->call[st->calls++ % CALLS_MAX];
		c->hash = transcript_hash(b.id);
		c->record = r->n;
		c->at = r->at;
		copy(c->name, sizeof(c->name), b.name);
		copy(c->id, sizeof(c->id), b.id);
	}
}

/* A call that turns out to have dispatched an agent: its result names one. */
static struct agent *late_dispatch(struct agents *a, str id)
{
	uint64_t hash = transcript_hash(id);

	for (size_t i = 0; i < CALLS_MAX && i < a->st->calls; i++) {
		const struct recent_call *c = &a->st->call[i];
		struct agent *g;

		if (c->hash != hash)
			continue;
		g = agent_new(a);
		g->call = c->record;
		g->started = c->at;
		g->id_hash = hash;
		copy(g->id, sizeof(g->id), str_of(c->id));
		copy(g->tool, sizeof(g->tool), str_of(c->name));
		return g;
	}
	return NULL;
}

/* "agentId: xyz (internal ID ..." in a result's text. */
static str agent_id_in(str text)
{
	size_t at = str_find(text, STR("agentId: "));
	size_t n = 0;
	str id;

	if (at == STR_NPOS)
		return STR_NONE;
	id = str_from(text, at + 9);
	while (n < id.n && (str_is_alnum(id.p[n]) || id.p[n] == '-' || id.p[n] == '_'))
		n++;
	return str_head(id, n);
}

/* The agent's words, without the note about its id that the client puts behind them. */
static void answer_set(struct agent *g, const struct block *b)
{
	size_t note = str_find(b->text, STR("\nagentId: "));

	if (note == STR_NPOS)
		text_set(&g->answer, b->text, b->size);
	else
		text_set(&g->answer, str_head(b->text, note), 0);
}

static void add_result(struct agents *a, const struct record *r, const struct block *b)
{
	const struct val *result =
		r->result && r->result->type == VAL_OBJ ? r->result : NULL;
	str agent_id = val_get_str(result, "agentId"),
	    status = val_get_str(result, "status");
	struct agent *g = by_id(a, b->id);

	if (!g && agent_id.n)
		g = late_dispatch(a, b->id);
	if (!g)
		return;
	if (!agent_id.n)
		agent_id = agent_id_in(b->text);
	if (agent_id.n)
		copy(g->agent_id, sizeof(g->agent_id), agent_id);
	if (!g->type[0])
		copy(g->type, sizeof(g->type), val_get_str(result, "agentType"));
	if (!g->description.p)
		text_set(&g->description, val_get_str(result, "description"), 0);
	if (str_eq(status, STR("async_launched"))) {
		g->background = true;
		copy(g->status, sizeof(g->status), status);
		if (g->state == AGENT_OPEN)
			g->state = AGENT_LAUNCHED;
		return;
	}
	if (g->result)
		return;
	g->result = r->n;
	g->ended = r->at;
	g->state = b->is_error ? AGENT_FAILED : AGENT_DONE;
	copy(g->status, sizeof(g->status), status);
	answer_set(g, b);
	g->tokens = val_int(val_get(result, "totalTokens"), -1);
	g->tools = val_int(val_get(result, "totalToolUseCount"), -1);
	g->ms = val_int(val_get(result, "totalDurationMs"), -1);
}

static void add_results(struct agents *a, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b))
		if (b.kind == BLOCK_TOOL_RESULT)
			add_result(a, r, &b);
}

/* The inside of <tag>, also when the text was cut before </tag>. */
static str tag_begun(str s, const char *tag)
{
	str whole = record_tag(s, tag);
	char open[48];
	size_t at, n = strlen(tag);

	if (whole.p || n > sizeof(open) - 3)
		return whole;
	open[0] = '<';
	memcpy(open + 1, tag, n);
	open[n + 1] = '>';
	at = str_find(s, (str){open, n + 2});
	return at == STR_NPOS ? STR_NONE : str_trim(str_from(s, at + n + 2));
}

static int64_t tag_int(str s, const char *tag)
{
	int64_t n;

	return str_i64(record_tag(s, tag), &n) ? n : -1;
}

static void add_notification(struct agents *a, const struct record *r, str text)
{
	str status = record_tag(text, "status"), answer = tag_begun(text, "result");
	str task = record_tag(text, "task-id");
	struct agent *g = by_id(a, record_tag(text, "tool-use-id"));

	if (!g)
		g = by_agent_id(a, task);
	if (!g)
		return; /* of a background command, or of an agent before the window */
	if (!g->agent_id[0])
		copy(g->agent_id, sizeof(g->agent_id), task);
	if (status.n)
		copy(g->status, sizeof(g->status), status);
	g->state = !status.n || str_eq(status, STR("completed")) ? AGENT_DONE
		   : str_eq(status, STR("running"))              ? g->state
								 : AGENT_FAILED;
	if (!g->result || (answer.n && !g->answer.n)) {
		g->result = r->n;
		g->ended = r->at;
		if (answer.n)
			text_set(&g->answer, answer, 0);
		else if (!g->answer.n)
			text_set(&g->answer, record_tag(text, "summary"), 0);
	}
	if (g->tokens < 0)
		g->tokens = tag_int(text, "subagent_tokens");
	if (g->tools < 0)
		g->tools = tag_int(text, "tool_uses");
	if (g->ms < 0)
		g->ms = tag_int(text, "duration_ms");
}

static void add_progress(struct agents *a, const struct record *r)
{
	const struct val *data = val_get(r->root, "data");
	struct agent *g;

	if (!str_eq(val_get_str(data, "type"), STR("agent_progress")))
		return;
	g = by_id(a, val_get_str(r->root, "parentToolUseID"));
	if (!g)
		return;
	if (!g->agent_id[0])
		copy(g->agent_id, sizeof(g->agent_id), val_get_str(data, "agentId"));
	g->records++;
}

/* ---- inline side chains ---- */

static void side_answer(struct agent *g, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b))
		if (b.kind == BLOCK_TEXT && r->type == RECORD_ASSISTANT && !g->result)
			text_set(&g->answer, b.text, b.size);
}

static void add_side(struct agents *a, const struct record *r)
{
	struct agents_state *st = a->st;
	size_t have = st->sides < SIDE_MAX ? st->sides : SIDE_MAX;
	struct agent *g = NULL;

	for (size_t i = 0; i < have && r->parent_hash && !g; i++) {
		const struct side *s = &st->side[(st->sides - 1 - i) % SIDE_MAX];

		if (s->uuid == r->parent_hash && s->agent >= a->dropped)
			g = &a->item[s->agent - a->dropped];
	}
	if (!g && r->type == RECORD_USER) {
		struct block b;
		size_t it = 0;

		if (!record_block(r, &it, &b))
			return;
		for (size_t i = a->n; i-- > 0 && !g;)
			if (!a->item[i].records &&
			    a->item[i].prompt_hash ==
				    transcript_hash(utf8_head(b.text, AGENTS_TEXT_MAX)))
				g = &a->item[i];
	}
	if (!g)
		return;
	g->records++;
	side_answer(g, r);
	if (r->uuid_hash) {
		struct side *s = &st->side[st->sides++ % SIDE_MAX];

		s->uuid = r->uuid_hash;
		s->agent = (uint32_t)((size_t)(g - a->item) + a->dropped);
	}
}

void agents_add(struct agents *a, const struct record *r)
{
	str text;

	if (r->duplicate)
		return;
	if (r->sidechain) {
		if (!r->agent_id.n)
			add_side(a, r);
		return;
	}
	switch (r->type) {
	case RECORD_ASSISTANT:
		add_calls(a, r);
		break;
	case RECORD_USER:
		if (!a->n && !val_get_str(r->result, "agentId").n)
			break; /* nothing was dispatched */
		if (r->result || record_answers(r).p) {
			add_results(a, r);
			break;
		}
		arena_reset(&a->st->a);
		if (record_says(r, &a->st->a, &text) == SAYS_NOTIFICATION)
			add_notification(a, r, text);
		break;
	case RECORD_ATTACHMENT:
		arena_reset(&a->st->a);
		if (a->n && record_says(r, &a->st->a, &text) == SAYS_NOTIFICATION)
			add_notification(a, r, text);
		break;
	case RECORD_QUEUE:
		text = r->content ? val_str(r->content) : STR_NONE;
		if (a->n && str_starts(text, STR("<task-notification>")) &&
		    str_eq(val_get_str(r->root, "operation"), STR("enqueue")))
			add_notification(a, r, text);
		break;
	case RECORD_PROGRESS:
		if (a->n)
			add_progress(a, r);
		break;
	default:
		break;
	}
}

/* ---- their own files ---- */

struct agent_file {
	const char *path;
	str id, tool_use_id, type,
		description; /* from the name and the .meta.json; may be empty */
	str session;         /* non-empty: the records must be of this session */
};

/* The dispatch that a file belongs to; made up when the main file tells of none. */
static struct agent *file_owner(struct agents *a, const struct agent_file *f,
				uint64_t prompt_hash)
{
	struct agent *g = by_id(a, f->tool_use_id);

	if (!g)
		g = by_agent_id(a, f->id);
	for (size_t i = a->n; !g && prompt_hash && i-- > 0;)
		if (a->item[i].prompt_hash == prompt_hash && !a->item[i].file)
			g = &a->item[i];
	return g;
}

/* Read one agent's file: its first prompt, its last text, how it ends. */
static void file_read(struct agents *a, const struct agent_file *f)
{
	struct source src;
	struct transcript *t;
	const struct record *r;
	enum transcript_got got;
	struct ending_state *ending;
	struct agent *g = NULL;
	struct err e = ERR_INIT;
	uint64_t records = 0;
	struct agent_text answer = {NULL, 0, 0};
	struct ending_facts facts;
	bool ours = true;

	if (source_open(&src, f->path, &e) < 0)
		return;
	t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_INDEX);
	ending = ending_new();
	while (ours && (got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS) {
		struct block b;
		size_t it = 0;

		if (got == TRANSCRIPT_LOSS)
			continue;
		if (f->session.n && r->session.n && !str_eq(r->session, f->session)) {
			ours = false;
			break;
		}
		if (r->type == RECORD_USER && !records && record_block(r, &it, &b)) {
			g = file_owner(
				a, f,
				transcript_hash(utf8_head(b.text, AGENTS_TEXT_MAX)));
			if (!g && !f->session.n) {
				g = agent_new(
					a); /* dispatched, and the dispatch not in the file */
				g->started = r->at;
				text_set(&g->prompt, b.text, b.size);
			}
		}
		if (!g) {
			ours = false;
			break;
		}
		records++;
		ending_add(ending, r);
		for (it = 0; r->type == RECORD_ASSISTANT && record_block(r, &it, &b);)
			if (b.kind == BLOCK_TEXT)
				text_set(&answer, b.text, b.size);
	}
	if (ours && g && records > 1 &&
	    !g->file) { /* one record: a warm-up that never ran */
		ending_facts_of(&facts, t);
		g->file = str_dup(str_of(f->path));
		g->records = records;
		g->end = calloc(1, sizeof(*g->end));
		if (!g->end)
			log_oom();
		ending_finish(ending, &facts, g->end);
		if (!g->agent_id[0])
			copy(g->agent_id, sizeof(g->agent_id), f->id);
		if (!g->type[0])
			copy(g->type, sizeof(g->type), f->type);
		if (!g->id[0] && f->tool_use_id.n) {
			copy(g->id, sizeof(g->id), f->tool_use_id);
			g->id_hash = transcript_hash(f->tool_use_id);
		}
		if (!g->description.p)
			text_set(&g->description, f->description, 0);
		if (!g->answer.p && answer.p) {
			g->answer = answer;
			answer.p = NULL;
		}
	}
	free(answer.p);
	ending_free(ending);
	transcript_free(t);
	source_release(&src);
}

struct beside {
	struct agents *a;
	str session;
	size_t read;
};

/* agent-ID.jsonl in the folder of the session: 2.0 kept the files of all sessions there. */
static int beside_one(const char *dir, const char *name, void *arg)
{
	struct beside *w = arg;
	str id = str_of(name);
	struct buf path = BUF_INIT(4096);
	struct agent_file f = {.session = w->session};

	if (!str_starts(id, STR("agent-")) || !str_ends(id, STR(".jsonl")))
		return 0;
	if (w->read++ >= AGENTS_FILES_MAX)
		return 1;
	f.id = (str){id.p + 6, id.n - 6 - 6};
	fs_join(&path, str_of(dir), id);
	f.path = buf_cstr(&path);
	if (!path.full)
		file_read(w->a, &f);
	buf_release(&path);
	return 0;
}

static void read_beside(struct agents *a, const char *session_path)
{
	str path = str_of(session_path), name = str_basename(path);
	struct beside w = {.a = a};
	struct err e = ERR_INIT;
	bool wanted = false;
	char *dir;

	for (size_t i = 0; i < a->n; i++)
		wanted |= !a->item[i].file && !a->item[i].records;
	if (!wanted)
		return;
	w.session = str_ends(name, STR(".jsonl")) ? str_head(name, name.n - 6) : name;
	path.n -= name.n;
	dir = path.n ? str_dup(path) : str_dup(STR("."));
	(void)fs_each(dir, beside_one, &w, &e);
	free(dir);
}

void agents_files(struct agents *a, const char *session_path)
{
	struct claude_agent_file *file = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;

	if (claude_agents(session_path, &file, &n, &e) == 0) {
		for (size_t i = 0; i < n && i < AGENTS_FILES_MAX; i++) {
			struct agent_file f = {
				.path = file[i].path,
				.id = str_of(file[i].id),
				.tool_use_id = str_of(file[i].tool_use_id),
				.type = str_of(file[i].type),
				.description = str_of(file[i].description),
			};

			file_read(a, &f);
		}
		claude_agents_free(file, n);
	}
	if (!n)
		read_beside(a, session_path);
}

const char *agents_state_name(enum agent_state s)
{
	static const char *const names[] = {
		[AGENT_OPEN] = "open",
		[AGENT_DONE] = "done",
		[AGENT_FAILED] = "failed",
		[AGENT_LAUNCHED] = "running",
	};

	return names[s];
}
