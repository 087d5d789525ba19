/*
 * What the last records say (reference: transcripts, 3.8). The state is where the turn
 * stands; calls that nobody answered are kept beside it, and so is whether a last-prompt
 * record, the mark of an orderly shutdown, stands behind the last word.
 *
 *   state    set by                                    without last-prompt    with it
 *   NONE     (nothing said)                            empty                  empty
 *   ASKED    prompt, task notification, skill body     killed-turn            interrupted, terminated (-p)
 *   RESULT   tool result                               killed-turn            terminated
 *   MID      thinking or text before a call            killed-turn            terminated
 *   CALL     tool_use without result                   killed-tool or -agent  terminated
 *   DONE     assistant text                            killed-idle or clean   clean
 *   STOPPED  [Request interrupted ...                  interrupted            interrupted
 *   ERROR    isApiErrorMessage, refusal, max_tokens    by its kind            by its kind
 *   RETRY    system/api_error                          api-error              api-error
 *   COMPACT  PreCompact hook, /compact, boundary,      compacting             compacting
 *            summary with nothing after it
 *
 * Slash commands, their output, reminders and bookkeeping leave the state alone. A new
 * prompt or a new message of the model closes what was open before: the client drops it. A
 * result that came after last-prompt and says that its command was killed or refused is a
 * shutdown by a signal.
 *
 * Last-prompt is written at other times too, with mode and kin behind it, for readers of
 * the tail: then it means nothing. Newer clients (seen in 2.1.332) end with cost-state
 * in its place, which a kill leaves out.
 *
 * When a Stop hook asks for a skill after the last answer, and the skill's result is the last
 * word, the turn was finished all the same: nobody waits for what the model says of it.
 *
 * A finished turn without last-prompt is a kill while idle, or a /clear: the file alone does
 * not tell them apart (a later session that begins with /clear does: facts.cleared). Clients
 * before LAST_PROMPT_SINCE and clients other than the terminal's write no such mark; for
 * them a finished turn is a clean end.
 */
#include "work/ending.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/redact.h"
#include "work/tree.h"

#define ARENA_BYTES (256u << 10)
#define CALLS_MAX   64   /* open calls followed; the newest ENDING_OPEN_MAX are told */
#define RECENT_MAX  64   /* uuids of the last records */
#define GIST_MAX    1024 /* bytes of a call's input kept until the end */

/* The first client in which a last-prompt record was seen at the end of sessions. */
static const unsigned LAST_PROMPT_SINCE[3] = {2, 1, 123};

enum turn { NONE, ASKED, RESULT, MID, DONE, STOPPED, ERROR, RETRY, COMPACT };

struct call {
	uint64_t hash, record, message; /* message: hash of message.id */
	int64_t at;
	char id[64], name[64];
	char gist[GIST_MAX];
	size_t gist_n;
	bool agent;
};

struct ending_state {
	struct arena a; /* for one record's text */
	enum turn turn;
	uint64_t turn_record; /* that set it */
	uint64_t records;
	uint64_t said; /* records of the conversation */
	bool side;     /* the file is a sub-agent's: its side chain is the conversation */
	int64_t at;
	struct call call[CALLS_MAX];
	size_t ncalls;
	char answered[64];     /* tool of the last result */
	bool last_prompt;      /* stands behind the last word */
	bool last_prompt_open; /* it came while calls were open */
	uint64_t last_prompt_record;
	const char *mark; /* what was taken for it: last-prompt or cost-state */
	uint64_t struck;  /* result of a call that a signal ended */
	uint64_t
		hooked; /* the answer after which a Stop hook asked for a skill; 0: no, or for more */
	bool command;     /* the last word was a slash command */
	bool cleared;     /* it was /clear */
	bool left;        /* it was /exit */
	uint64_t compact; /* record that began a compaction, 0 = none */
	char compact_how[48];
	bool notes,
		headless; /* the client writes last-prompt; it runs without a person */
	uint64_t recent[RECENT_MAX]; /* a ring of uuid hashes */
	size_t recents;              /* ever */
	uint64_t early;        /* parent of an answer that stands before it, 0 = none */
	uint64_t early_record; /* the answer, or what ended its turn */
	char client[96];
	char version[48], entrypoint[48]; /* that it was made of */
	size_t version_n, entrypoint_n;
	char error_kind[64], error_text[ENDING_TEXT_MAX * 2];
	enum ending_kind error_ending;
};

struct ending_state *ending_new(void)
{
	struct ending_state *s = calloc(1, sizeof(*s));

	if (!s)
		log_oom();
	arena_init(&s->a, ARENA_BYTES);
	s->at = CLOCK_NONE;
	s->side = true;
	return s;
}

void ending_free(struct ending_state *s)
{
	if (!s)
		return;
	arena_release(&s->a);
	free(s);
}

static void copy(char *to, size_t max, str s)
{
	s = utf8_head(s, max - 1);
	if (s.n)
		memcpy(to, s.p, s.n);
	to[s.n] = 0;
}

/* A text from the file, safe to show in one line. */
static void show(char *to, size_t max, str s)
{
	struct buf b = BUF_INIT(8 * ENDING_TEXT_MAX);

	redact_show(&b, s, true);
	copy(to, max, buf_str(&b));
	buf_release(&b);
}

/* ---- what a record does ---- */

static void turn_set(struct ending_state *s, enum turn turn, const struct record *r)
{
	s->turn = turn;
	s->turn_record = r->n;
	if (turn != STOPPED && turn != COMPACT)
		s->compact = 0;
}

/* A word was said: a last-prompt before it is no end. */
static void said(struct ending_state *s)
{
	s->said++;
	s->last_prompt = false;
	s->command = s->cleared = s->left = false;
}

static void call_open(struct ending_state *s, const struct record *r,
		      const struct block *b)
{
	const struct val *gist = record_gist(b);
	struct call *c;

	if (s->ncalls == CALLS_MAX) {
		memmove(s->call, s->call + 1, (CALLS_MAX - 1) * sizeof(s->call[0]));
		s->ncalls--;
	}
	c = &s->call[s->ncalls++];
	c->hash = transcript_hash(b->id);
	c->record = r->n;
	c->message = transcript_hash(r->message_id);
	c->at = r->at;
	c->agent = record_dispatches(b);
	if (!str_eq(b->name, STR("Skill")))
		s->hooked = 0;
	copy(c->id, sizeof(c->id), b->id);
	copy(c->name, sizeof(c->name), b->name);
	c->gist_n = gist ? utf8_head(gist->text, GIST_MAX).n : 0;
	if (c->gist_n)
		memcpy(c->gist, gist->text.p, c->gist_n);
}

static bool call_close(struct ending_state *s, str id)
{
	uint64_t hash = transcript_hash(id);

	for (size_t i = s->ncalls; i-- > 0;) {
		if (s->call[i].hash != hash)
			continue;
		memcpy(s->answered, s->call[i].name, sizeof(s->answered));
		memmove(s->call + i, s->call + i + 1,
			(s->ncalls - i - 1) * sizeof(s->call[0]));
		s->ncalls--;
		return true;
	}
	return false;
}

/* Calls of earlier messages that are still open were dropped by the client. */
static void calls_drop(struct ending_state *s, uint64_t message)
{
	size_t kept = 0;

	if (!s->ncalls)
		return;
	for (size_t i = 0; i < s->ncalls; i++) {
		if (!message || s->call[i].message != message)
			continue;
		if (kept != i)
			s->call[kept] = s->call[i];
		kept++;
	}
	s->ncalls = kept;
}

/* The text of a result whose command a signal ended. */
static bool was_struck(str text)
{
	if (str_starts(text, STR("Exit code 137")) ||
	    str_starts(text, STR("Exit code 143")))
		return str_find(text, STR("timed out")) == STR_NPOS;
	return str_starts(text,
			  STR("The user doesn't want to proceed with this tool use"));
}

static void add_results(struct ending_state *s, const struct record *r)
{
	bool end = s->last_prompt, open = s->last_prompt_open, struck = s->struck != 0;
	struct block b;
	size_t it = 0;

	s->answered[0] = 0;
	while (record_block(r, &it, &b)) {
		if (b.kind != BLOCK_TOOL_RESULT)
			continue;
		call_close(s, b.id);
		struck |= end && open && was_struck(b.text);
	}
	said(s);
	turn_set(s, RESULT, r);
	if (s->hooked && !s->ncalls) {
		s->turn = DONE;
		s->turn_record = s->hooked;
	}
	if (struck && !s->struck)
		s->struck = r->n;
}

static void add_prompt(struct ending_state *s, const struct record *r)
{
	said(s);
	s->struck = s->hooked = 0;
	calls_drop(s, 0);
	turn_set(s, ASKED, r);
}

/* Client text that the model goes on from. */
static void add_body(struct ending_state *s, const struct record *r, str text)
{
	if (s->command && s->turn == DONE) {
		add_prompt(s, r);
	} else if (r->meta) {
		s->hooked =
			s->turn == DONE && str_starts(text, STR("Stop hook feedback:"))
				? s->turn_record
				: 0;
		said(s);
		turn_set(s, ASKED, r);
	}
}

static void add_command(struct ending_state *s, const struct record *r, str text)
{
	bool end = s->last_prompt;
	str name = text;

	str_word(&text, &name);
	said(s);
	s->last_prompt = end; /* /exit may stand behind it */
	s->command = true;
	s->cleared = str_eq(name, STR("/clear"));
	s->left = str_eq(name, STR("/exit")) || str_eq(name, STR("/quit"));
	if (str_eq(name, STR("/compact")) && s->turn != COMPACT) {
		s->compact = r->n;
		copy(s->compact_how, sizeof(s->compact_how), STR("asks for /compact"));
	}
}

/* Client text after which the model goes on: skill bodies, stop hook feedback, "continue". */
static bool is_body(str s)
{
	return !str_starts(s, STR("<")) && !str_starts(s, STR("Caveat:")) &&
	       !str_starts(s, STR("[Image"));
}

static void add_user(struct ending_state *s, const struct record *r)
{
	str text;

	arena_reset(&s->a);
	switch (record_says(r, &s->a, &text)) {
	case SAYS_PROMPT:
	case SAYS_NOTIFICATION:
		add_prompt(s, r);
		break;
	case SAYS_COMMAND:
		add_command(s, r, text);
		break;
	case SAYS_LOCAL_OUTPUT: {
		bool end = s->last_prompt, left = s->left, cleared = s->cleared;

		if (s->turn == COMPACT || s->compact)
			turn_set(s, DONE, r);
		said(s);
		s->last_prompt = end;
		s->left = left;
		s->cleared = cleared;
		break;
	}
	case SAYS_INTERRUPT:
		said(s);
		calls_drop(s, 0);
		turn_set(s, STOPPED, r);
		break;
	case SAYS_SUMMARY:
		said(s);
		s->struck = 0;
		calls_drop(s, 0);
		turn_set(s, COMPACT, r);
		s->compact = r->n;
		copy(s->compact_how, sizeof(s->compact_how),
		     STR("is the summary of a compaction"));
		break;
	case SAYS_HOOK:
		if (is_body(text))
			add_body(s, r, text);
		break;
	case SAYS_BASH:
		said(s);
		break;
	case SAYS_NOTHING:
		if (r->result || record_answers(r).p) {
			add_results(s, r);
		} else if (r->sidechain && s->side && r->agent_id.n) {
			add_prompt(s, r); /* the dispatch's own prompt */
		}
		break;
	}
}

static void error_set(struct ending_state *s, enum ending_kind kind, str name, str text)
{
	s->error_ending = kind;
	copy(s->error_kind, sizeof(s->error_kind), name);
	copy(s->error_text, sizeof(s->error_text), text);
}

static void add_error(struct ending_state *s, const struct record *r, str text)
{
	str kind = val_get_str(r->root, "error");
	str status = val_get_str(r->root, "apiErrorStatus");
	enum ending_kind ending = ENDING_API_ERROR;

	if (str_eq(r->stop_reason, STR("refusal"))) {
		ending = ENDING_REFUSED;
		kind = STR("refusal");
	} else if (str_eq(kind, STR("max_output_tokens")) ||
		   str_eq(r->stop_reason, STR("max_tokens")) ||
		   str_ifind(text, STR("output token maximum")) != STR_NPOS) {
		ending = ENDING_OUTPUT_LIMIT;
		kind = STR("max_output_tokens");
	} else if (str_ifind(text, STR("prompt is too long")) != STR_NPOS ||
		   str_ifind(text, STR("input length and `max_tokens` exceed")) !=
			   STR_NPOS) {
		ending = ENDING_CONTEXT_FULL;
		kind = STR("context_full");
	} else if (str_eq(kind, STR("rate_limit")) || str_eq(status, STR("429")) ||
		   str_ifind(text, STR("rate_limit_error")) != STR_NPOS ||
		   str_ifind(text, STR("API Error: 429")) != STR_NPOS ||
		   str_ifind(text, STR("usage limit reached")) != STR_NPOS ||
		   str_ifind(text, STR("limit reached")) != STR_NPOS) {
		ending = ENDING_RATE_LIMIT;
		kind = STR("rate_limit");
	}
	error_set(s, ending, kind.n ? kind : STR("unknown"), text);
	said(s);
	calls_drop(s, 0);
	turn_set(s, ERROR, r);
}

static bool is_recent(const struct ending_state *s, uint64_t uuid)
{
	for (size_t i = 0; i < RECENT_MAX && i < s->recents; i++)
		if (s->recent[(s->recents - 1 - i) % RECENT_MAX] == uuid)
			return true;
	return false;
}

/*
 * With an instant reply the answer stands before its prompt in the file. When what it
 * answers comes after all, the prompt is no open one.
 */
static void follow(struct ending_state *s, const struct record *r)
{
	if (!r->uuid_hash)
		return;
	if (s->early && r->uuid_hash == s->early) {
		s->early = 0;
		if (s->turn == ASKED) {
			s->turn = DONE;
			s->turn_record = s->early_record;
		}
	}
	if (r->type == RECORD_ASSISTANT && s->turn == DONE && r->parent_hash &&
	    !is_recent(s, r->parent_hash)) {
		s->early = r->parent_hash;
		s->early_record = r->n;
	} else if (s->early && s->turn == DONE) {
		s->early_record = s->turn_record;
	}
	s->recent[s->recents++ % RECENT_MAX] = r->uuid_hash;
}

static void add_assistant(struct ending_state *s, const struct record *r)
{
	uint64_t struck = s->struck, message = transcript_hash(r->message_id);
	enum turn turn = MID;
	struct block b;
	str text = STR_NONE;
	size_t it = 0;
	bool any = false, called = false;

	if (str_eq(r->model, STR("<synthetic>")) && !r->api_error)
		return; /* "No response requested.", or partial text before an interrupt */
	if (!r->api_error)
		calls_drop(s, message);
	while (record_block(r, &it, &b)) {
		any = true;
		if (b.kind == BLOCK_TOOL_USE &&
		    !str_eq(val_get_str(b.v, "type"), STR("server_tool_use"))) {
			call_open(s, r, &b);
			called = true;
			turn = MID;
		} else if (b.kind == BLOCK_TEXT) {
			text = b.text;
			turn = called ? turn : DONE;
		} else {
			turn = MID;
		}
	}
	if (r->api_error) {
		add_error(s, r, text);
		return;
	}
	if (!any)
		return;
	if (str_eq(r->stop_reason, STR("refusal"))) {
		add_error(s, r, text);
		return;
	}
	if (str_eq(r->stop_reason, STR("tool_use")) ||
	    str_eq(r->stop_reason, STR("pause_turn")))
		turn = MID;
	said(s);
	s->struck = called ? 0 : struck;
	turn_set(s, turn, r);
	if (str_eq(r->stop_reason, STR("max_tokens"))) {
		error_set(s, ENDING_OUTPUT_LIMIT, STR("max_tokens"), text);
		turn_set(s, ERROR, r);
	}
}

static void add_system(struct ending_state *s, const struct record *r)
{
	if (r->compact_boundary) {
		said(s);
		s->struck = 0;
		calls_drop(s, 0);
		turn_set(s, COMPACT, r);
		s->compact = r->n;
		copy(s->compact_how, sizeof(s->compact_how),
		     STR("is a compaction boundary"));
	} else if (str_eq(r->subtype, STR("turn_duration"))) {
		if (s->turn == MID && !s->ncalls)
			turn_set(s, DONE, r);
		if (s->turn == DONE)
			s->turn_record = r->n;
	} else if (str_eq(r->subtype, STR("api_error"))) {
		if (s->turn == ASKED || s->turn == RESULT || s->turn == MID ||
		    s->turn == RETRY) {
			str text = val_str(val_at(r->root, "error.error.error.message"));

			if (!text.n)
				text = val_str(val_at(r->root, "error.message"));
			error_set(s, ENDING_API_ERROR, STR("retrying"), text);
			said(s);
			turn_set(s, RETRY, r);
		}
	} else if (str_eq(r->subtype, STR("local_command")) && r->content) {
		add_user(s, r);
	}
}

static void add_attachment(struct ending_state *s, const struct record *r)
{
	const struct val *att = val_get(r->root, "attachment");
	enum record_says says;

	if (str_eq(val_get_str(att, "hookEvent"), STR("PreCompact"))) {
		s->compact = r->n;
		copy(s->compact_how, sizeof(s->compact_how), STR("is a PreCompact hook"));
		return;
	}
	if (!str_eq(val_get_str(att, "type"), STR("queued_command")))
		return;
	says = record_says(r, NULL, NULL);
	if ((says == SAYS_PROMPT || says == SAYS_NOTIFICATION) && s->turn != RESULT &&
	    !s->ncalls) {
		said(s);
		turn_set(s, ASKED, r);
	}
}

/* version is at least LAST_PROMPT_SINCE. */
static bool is_since(str version)
{
	str part;
	uint64_t n;

	for (int i = 0; i < 3; i++) {
		if (!str_split(&version, '.', &part) || !str_u64(part, &n))
			return false;
		if (n != LAST_PROMPT_SINCE[i])
			return n > LAST_PROMPT_SINCE[i];
	}
	return true;
}

static size_t note(char *to, size_t max, str s)
{
	s = str_head(s, max);
	if (s.n)
		memcpy(to, s.p, s.n);
	return s.n;
}

/* Which client wrote it; told from the newest record. */
static void client_note(struct ending_state *s, const struct record *r)
{
	bool known;

	if (str_eq(r->version, (str){s->version, s->version_n}) &&
	    str_eq(r->entrypoint, (str){s->entrypoint, s->entrypoint_n}))
		return;
	s->version_n = note(s->version, sizeof(s->version), r->version);
	s->entrypoint_n = note(s->entrypoint, sizeof(s->entrypoint), r->entrypoint);
	known = str_eq(r->entrypoint, STR("cli")) ||
		str_eq(r->entrypoint, STR("sdk-cli"));
	s->headless = str_starts(r->entrypoint, STR("sdk"));
	s->notes = known && is_since(r->version);
	if (known || !r->entrypoint.n)
		snprintf(s->client, sizeof(s->client), "client %.*s",
			 STR_ARG(str_head(r->version, 40)));
	else
		snprintf(s->client, sizeof(s->client), "%.*s",
			 STR_ARG(str_head(r->entrypoint, 40)));
}

static void end_mark(struct ending_state *s, const struct record *r, const char *what)
{
	s->last_prompt = true;
	s->last_prompt_open = s->ncalls > 0;
	s->last_prompt_record = r->n;
	s->mark = what;
}

void ending_add(struct ending_state *s, const struct record *r)
{
	s->records++;
	if (r->at != CLOCK_NONE && (s->at == CLOCK_NONE || r->at > s->at))
		s->at = r->at;
	if (r->duplicate)
		return;
	if (r->sidechain) {
		if (!s->side || !r->agent_id.n)
			return;
	} else if (s->side && (r->type == RECORD_USER || r->type == RECORD_ASSISTANT)) {
		s->side = false; /* what was gathered before came from a side chain */
		if (s->said) {
			s->turn = NONE;
			s->said = 0;
			s->ncalls = 0;
			s->struck = 0;
		}
	}
	switch (r->type) {
	case RECORD_USER:
		client_note(s, r);
		add_user(s, r);
		break;
	case RECORD_ASSISTANT:
		client_note(s, r);
		add_assistant(s, r);
		break;
	case RECORD_SYSTEM:
		add_system(s, r);
		break;
	case RECORD_ATTACHMENT:
		add_attachment(s, r);
		break;
	case RECORD_QUEUE:
		if (str_starts(r->content ? val_str(r->content) : STR_NONE,
			       STR("/compact"))) {
			s->compact = r->n;
			copy(s->compact_how, sizeof(s->compact_how),
			     STR("queues /compact"));
		}
		break;
	case RECORD_LAST_PROMPT:
		end_mark(s, r, "last-prompt");
		s->struck = 0;
		break;
	case RECORD_META:
		/* the block that is repeated for readers of the tail: no end of anything */
		if (str_eq(r->type_name, STR("mode")))
			s->last_prompt = false;
		break;
	case RECORD_UNKNOWN:
		if (str_eq(r->type_name, STR("cost-state")))
			end_mark(s, r, "cost-state");
		break;
	default:
		break;
	}
	follow(s, r);
}

/* ---- the verdict ---- */

void ending_facts_of(struct ending_facts *f, const struct transcript *t)
{
	*f = (struct ending_facts){
		.tail_torn = t->tail_cut || t->tail_torn,
		.nul_tail = t->tail_lost && t->last_loss.why == SCAN_WHY_NUL,
		.losses = t->losses,
		.foreign = t->foreign,
	};
}

static void calls_tell(const struct ending_state *s, const struct ending_facts *f,
		       struct ending *out)
{
	size_t first = s->ncalls > ENDING_OPEN_MAX ? s->ncalls - ENDING_OPEN_MAX : 0;

	for (size_t i = first; i < s->ncalls; i++) {
		const struct call *c = &s->call[i];
		struct ending_call *to = &out->open[out->nopen];

		if (f->tree && tree_abandoned(f->tree, c->record))
			continue;
		to->record = c->record;
		to->at = c->at;
		to->is_agent = c->agent;
		show(to->id, sizeof(to->id), str_of(c->id));
		show(to->name, sizeof(to->name), str_of(c->name));
		show(to->what, sizeof(to->what), (str){c->gist, c->gist_n});
		out->nopen++;
	}
}

static __attribute__((format(printf, 4, 5))) void
verdict(struct ending *out, enum ending_kind kind, uint64_t record, const char *fmt, ...)
{
	va_list ap;

	out->kind = kind;
	out->evidence_record = record;
	va_start(ap, fmt);
	vsnprintf(out->evidence, sizeof(out->evidence), fmt, ap);
	va_end(ap);
	copy(out->evidence, sizeof(out->evidence), str_of(out->evidence));
}

#define N(n) ((unsigned long long)(n))

/* Open calls: which one, and whether the client still shut down in order. */
static void verdict_open(const struct ending_state *s, struct ending *out)
{
	const struct ending_call *c = &out->open[out->nopen - 1];
	enum ending_kind kind = ENDING_KILLED_TOOL;
	char more[48] = "";

	for (size_t i = 0; i < out->nopen; i++)
		if (out->open[i].is_agent)
			kind = ENDING_KILLED_AGENT;
	if (out->nopen > 1)
		snprintf(more, sizeof(more), " (and %zu more call%s)", out->nopen - 1,
			 out->nopen > 2 ? "s" : "");
	if (s->last_prompt)
		verdict(out, ENDING_TERMINATED, s->last_prompt_record,
			"Record %llu calls %s%s, no record answers it, and %s (record %llu) "
			"ends the file: the client was told to stop while it ran.",
			N(c->record), c->name, more, s->mark, N(s->last_prompt_record));
	else
		verdict(out, kind, c->record,
			"Record %llu calls %s%s; no record answers it, and no last-prompt ends the file.",
			N(c->record), c->name, more);
}

/* The model had the word. */
static void verdict_turn(const struct ending_state *s, struct ending *out)
{
	const char *what = s->turn == ASKED    ? "is a prompt"
			   : s->turn == RESULT ? "is a tool result"
					       : "announces more";
	unsigned long long n = N(s->turn_record);

	if (s->turn == RESULT && s->answered[0])
		what = "is the result of a call";
	if (!s->last_prompt) {
		verdict(out, ENDING_KILLED_TURN, n,
			"Record %llu %s and the model's next message is not in the file; no "
			"last-prompt ends it.",
			n, what);
		return;
	}
	if (s->turn == ASKED && !s->headless) {
		verdict(out, ENDING_INTERRUPTED, n,
			"Record %llu is a prompt without an answer, and %s (record %llu) "
			"ends the file: interrupted before a reply.",
			n, s->mark, N(s->last_prompt_record));
		return;
	}
	verdict(out, ENDING_TERMINATED, s->last_prompt_record,
		"Record %llu %s without an answer, and %s (record %llu) ends the file: the "
		"client was told to stop while the model worked.",
		n, what, s->mark, N(s->last_prompt_record));
}

static void verdict_done(const struct ending_state *s, const struct ending_facts *f,
			 struct ending *out)
{
	unsigned long long n = N(s->turn_record);
	char client[sizeof(s->client)];

	show(client, sizeof(client), str_of(s->client));
	if (s->side)
		verdict(out, ENDING_CLEAN, n,
			"The sub-agent's turn ended with record %llu.", n);
	else if (s->struck)
		verdict(out, ENDING_TERMINATED, s->struck,
			"Last-prompt (record %llu) was written while a call ran, and its result "
			"(record %llu) says that it was killed: the client was told to stop.",
			N(s->last_prompt_record), N(s->struck));
	else if (s->cleared || f->cleared)
		verdict(out, ENDING_CLEARED, n, "The turn ended with record %llu and %s.",
			n,
			s->cleared ? "/clear is the last command"
				   : "a later session begins with /clear");
	else if (s->last_prompt)
		verdict(out, ENDING_CLEAN, s->last_prompt_record,
			"The turn ended with record %llu and %s (record %llu) ends the file.",
			n, s->mark, N(s->last_prompt_record));
	else if (s->left)
		verdict(out, ENDING_CLEAN, n,
			"The turn ended with record %llu and /exit is the last command.",
			n);
	else if (s->notes)
		verdict(out, ENDING_KILLED_IDLE, n,
			"The turn ended with record %llu and no last-prompt ends the file: killed while "
			"waiting for the user, or left by /clear, which looks the same.",
			n);
	else
		verdict(out, ENDING_CLEAN, n,
			"The turn ended with record %llu; %s writes no mark of an orderly exit, so a kill "
			"while idle would look the same.",
			n, client[0] ? client : "this client");
}

static void verdict_error(const struct ending_state *s, struct ending *out)
{
	show(out->error_kind, sizeof(out->error_kind), str_of(s->error_kind));
	show(out->error_text, sizeof(out->error_text), str_of(s->error_text));
	if (s->turn == RETRY)
		verdict(out, ENDING_API_ERROR, s->turn_record,
			"Record %llu is a failed request to the API that was to be repeated; nothing "
			"follows.",
			N(s->turn_record));
	else
		verdict(out, s->error_ending, s->turn_record,
			"Record %llu ends the turn with %s: %.200s", N(s->turn_record),
			out->error_kind, out->error_text);
}

static void verdict_of(const struct ending_state *s, const struct ending_facts *f,
		       struct ending *out)
{
	if (f->running_pid)
		verdict(out, ENDING_RUNNING, s->turn_record,
			"Process %lld runs this session now.", (long long)f->running_pid);
	else if (!s->records && f->losses)
		verdict(out, ENDING_UNREADABLE, 0, "Nothing in the file is a record.");
	else if (f->tail_torn || (f->nul_tail && !out->nopen && s->turn == DONE))
		verdict(out, ENDING_TORN, s->turn_record,
			"The file ends in %s after record %llu: the last write was cut short.",
			!f->tail_torn ? "NUL bytes"
			: f->nul_tail ? "a torn record and NUL bytes"
				      : "a torn record",
			N(s->turn_record));
	else if (!s->said && f->foreign)
		verdict(out, ENDING_EMPTY, 0,
			"The records are those of another program (Codex); there is no Claude Code "
			"conversation in the file.");
	else if (!s->said || (s->turn == NONE && !out->nopen))
		verdict(out, ENDING_EMPTY, 0, "The file holds no prompt and no answer.");
	else if (out->nopen)
		verdict_open(s, out);
	else if (s->struck)
		verdict_done(s, f, out);
	else if (s->turn == COMPACT || (s->compact && !s->last_prompt))
		verdict(out, ENDING_COMPACTING, s->compact,
			"Record %llu %s and the session does not go on.", N(s->compact),
			s->compact_how);
	else if (s->turn == DONE)
		verdict_done(s, f, out);
	else if (s->turn == ERROR || s->turn == RETRY)
		verdict_error(s, out);
	else if (s->turn == STOPPED)
		verdict(out, ENDING_INTERRUPTED, s->turn_record,
			"Record %llu says that the user interrupted%s.",
			N(s->turn_record),
			s->last_prompt ? ", and last-prompt ends the file"
			: s->notes     ? ", and no last-prompt ends the file"
				       : "");
	else
		verdict_turn(s, out);
}

static bool is_dead(const struct ending_state *s, enum ending_kind kind)
{
	switch (kind) {
	case ENDING_EMPTY:
	case ENDING_RUNNING:
	case ENDING_CLEAN:
	case ENDING_CLEARED:
		return false;
	case ENDING_INTERRUPTED:
		return s->notes && !s->last_prompt;
	default:
		return true;
	}
}

static void reason_of(struct ending *out)
{
	const char *words = ending_words(out->kind);
	const struct ending_call *c = out->nopen ? &out->open[out->nopen - 1] : NULL;

	if (out->kind == ENDING_TERMINATED && c)
		snprintf(out->reason, sizeof(out->reason), "told to stop mid-tool (%s)",
			 c->name);
	else if (out->kind == ENDING_KILLED_TOOL || out->kind == ENDING_KILLED_AGENT)
		snprintf(out->reason, sizeof(out->reason), "%s (%s)", words,
			 c ? c->name : "?");
	else if (out->kind == ENDING_API_ERROR)
		snprintf(out->reason, sizeof(out->reason), "%s: %s", words,
			 out->error_kind);
	else
		snprintf(out->reason, sizeof(out->reason), "%s", words);
}

void ending_finish(struct ending_state *s, const struct ending_facts *f,
		   struct ending *out)
{
	memset(out, 0, sizeof(*out));
	out->at = s->at;
	calls_tell(s, f, out);
	verdict_of(s, f, out);
	out->dead = is_dead(s, out->kind);
	reason_of(out);
}

static const struct {
	const char *name, *words;
} KINDS[ENDING_COUNT] = {
	[ENDING_EMPTY] = {"empty", "no conversation"},
	[ENDING_RUNNING] = {"running", "still running"},
	[ENDING_CLEAN] = {"clean", "clean exit"},
	[ENDING_CLEARED] = {"cleared", "left by /clear"},
	[ENDING_INTERRUPTED] = {"interrupted", "interrupted by the user"},
	[ENDING_TERMINATED] = {"terminated", "told to stop mid-turn"},
	[ENDING_KILLED_TOOL] = {"killed-tool", "killed mid-tool"},
	[ENDING_KILLED_AGENT] = {"killed-agent", "killed while a sub-agent ran"},
	[ENDING_KILLED_TURN] = {"killed-turn", "killed while the model worked"},
	[ENDING_KILLED_IDLE] = {"killed-idle", "killed while idle"},
	[ENDING_COMPACTING] = {"compacting", "ended while compacting"},
	[ENDING_API_ERROR] = {"api-error", "API error"},
	[ENDING_RATE_LIMIT] = {"rate-limit", "rate or usage limit"},
	[ENDING_CONTEXT_FULL] = {"context-full", "context full"},
	[ENDING_OUTPUT_LIMIT] = {"output-limit", "output limit"},
	[ENDING_REFUSED] = {"refused", "refused by the model"},
	[ENDING_TORN] = {"torn", "torn last record"},
	[ENDING_UNREADABLE] = {"unreadable", "unreadable"},
};

const char *ending_name(enum ending_kind k)
{
	return k >= 0 && k < ENDING_COUNT ? KINDS[k].name : "?";
}

const char *ending_words(enum ending_kind k)
{
	return k >= 0 && k < ENDING_COUNT ? KINDS[k].words : "?";
}

static void json_time(struct buf *out, const char *key, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	json_add_key(out, key);
	if (at == CLOCK_NONE) {
		buf_add(out, STR("null"));
		return;
	}
	clock_iso(iso, at);
	json_add_str(out, str_of(iso));
}

static void json_text_of(struct buf *out, const char *key, const char *text)
{
	json_add_key(out, key);
	json_add_str(out, str_of(text));
}

void ending_json(const struct ending *e, struct buf *out)
{
	buf_byte(out, '{');
	json_text_of(out, "kind", ending_name(e->kind));
	json_add_key(out, "dead");
	buf_add(out, e->dead ? STR("true") : STR("false"));
	json_text_of(out, "reason", e->reason);
	json_text_of(out, "evidence", e->evidence);
	json_add_key(out, "evidence_record");
	buf_u64(out, e->evidence_record);
	json_time(out, "at", e->at);
	json_add_key(out, "open");
	buf_byte(out, '[');
	for (size_t i = 0; i < e->nopen; i++) {
		const struct ending_call *c = &e->open[i];

		json_add_sep(out);
		buf_byte(out, '{');
		json_add_key(out, "record");
		buf_u64(out, c->record);
		json_time(out, "at", c->at);
		json_text_of(out, "id", c->id);
		json_text_of(out, "tool", c->name);
		json_text_of(out, "what", c->what);
		json_add_key(out, "agent");
		buf_add(out, c->is_agent ? STR("true") : STR("false"));
		buf_byte(out, '}');
	}
	buf_byte(out, ']');
	json_add_key(out, "error");
	if (e->error_kind[0]) {
		buf_byte(out, '{');
		json_text_of(out, "kind", e->error_kind);
		json_text_of(out, "text", e->error_text);
		buf_byte(out, '}');
	} else {
		buf_add(out, STR("null"));
	}
	buf_byte(out, '}');
}
