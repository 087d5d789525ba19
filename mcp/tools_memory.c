/*
 * The tools of handoff-mcp, with its names, parameters and result texts: get_brief, log_event,
 * search_memory, note_entity, checkpoint. docs/compatibility.md tells where they differ and why.
 */
#include "memory.h"
#include "tools.h"
#include "work/answer.h"
#include "work/page.h"
#include "work/search.h"

#define PROJECT_PARAM                                                                    \
	{                                                                                \
		.name = "project", .type = PARAM_TEXT, .help = "default: this one"       \
	}

/* Where it went, when nothing told. */
static void say_default(const struct store *st, str project, struct buf *text)
{
	if (memory_is_default(st, project))
		buf_add(text,
			STR("\n(No project is known here, so this is project `default`. Give `project` to use another.)"));
}

/* --- log_event --- */

enum { TYPE, CONTENT, IMPORTANCE, SUPERSEDES, QUERY, PROJECT };

static const char *const TYPES[] = {"goal",     "decision",  "deadend", "file",
				    "question", "next_step", NULL};

static const struct param log_params[] = {
	[TYPE] = {.name = "type",
		  .type = PARAM_CHOICE,
		  .required = true,
		  .choice = TYPES},
	[CONTENT] =
		{.name = "content",
		 .type = PARAM_TEXT,
		 .required = true,
		 .help = "1-2 sentences with the reason; [[Name]] links a durable note"},
	[IMPORTANCE] = {.name = "importance",
			.type = PARAM_INT,
			.min = 1,
			.max = 5,
			.fallback = 3},
	[SUPERSEDES] = {.name = "supersedes",
			.type = PARAM_TEXTS,
			.help = "ids of events that this one makes obsolete"},
	[QUERY] =
		{.name = "supersedes_query",
		 .type = PARAM_TEXT,
		 .help = "without an id: words of the active event of this type to retire"},
	[PROJECT] = PROJECT_PARAM,
};

static int log_event(struct call *c, struct err *e)
{
	const struct param_value *v = c->v;
	struct store *st = memory_open(c->s, v[PROJECT].text, e);
	struct store_logged done = {0};
	struct store_event in = {
		.content = v[CONTENT].text,
		.importance = (int)v[IMPORTANCE].number,
		.supersedes = v[SUPERSEDES].item,
		.nsupersedes = v[SUPERSEDES].n,
		.query = v[QUERY].text,
		.project = v[PROJECT].text,
	};
	int ret;

	if (!st)
		return e->code;
	event_type_of(v[TYPE].text, &in.type);
	ret = store_log(st, &in, &done, e);
	if (!ret)
		answer_logged(c->text, &done, &in);
	if (!ret)
		say_default(st, v[PROJECT].text, c->text);
	store_logged_release(&done);
	return ret;
}

const struct tool tool_log_event = {
	.name = "log_event",
	.text = "Keep one goal, decision (with why), dead end, file, open question or next step for later sessions. Call it whenever one of these changes; one atomic item a call. Returns the event id.",
	TOOL_PARAMS(log_params),
	.run = log_event,
};

/* --- get_brief --- */

enum { BRIEF_PROJECT, BRIEF_TOKENS };

static const struct param brief_params[] = {
	[BRIEF_PROJECT] = PROJECT_PARAM,
	[BRIEF_TOKENS] = {.name = "token_budget",
			  .type = PARAM_INT,
			  .help = "default 1200"},
};

static int get_brief(struct call *c, struct err *e)
{
	const struct param_value *v = c->v;
	struct store *st = memory_open(c->s, v[BRIEF_PROJECT].text, e);
	int64_t tokens = v[BRIEF_TOKENS].number < 0 ? 0 : v[BRIEF_TOKENS].number;
	int ret;

	if (!st)
		return e->code;
	ret = memory_brief(st, v[BRIEF_PROJECT].text, v[BRIEF_TOKENS].given ? tokens : -1,
			   c->text, e);
	if (!ret)
		say_default(st, v[BRIEF_PROJECT].text, c->text);
	return ret;
}

const struct tool tool_get_brief = {
	.name = "get_brief",
	.text = "Where the last session of this project stopped: goal, next step, decisions, dead ends, open questions. Call it at the start of a session.",
	TOOL_PARAMS(brief_params),
	.hints = TOOL_READS,
	.run = get_brief,
};

/* --- search_memory --- */

enum { SEARCH_QUERY, SEARCH_SCOPE, SEARCH_LIMIT, SEARCH_CURSOR };
enum { SCOPE_CURRENT = 1, SCOPE_ALL };

static const char *const SCOPES[] = {"current", "all", NULL};

static const struct param search_params[] = {
	[SEARCH_QUERY] = {.name = "query", .type = PARAM_TEXT, .required = true},
	[SEARCH_SCOPE] = {.name = "scope",
			  .type = PARAM_CHOICE,
			  .choice = SCOPES,
			  .fallback = SCOPE_ALL,
			  .help = "this project, or all"},
	[SEARCH_LIMIT] =
		{.name = "limit", .type = PARAM_INT, .min = 1, .max = 50, .fallback = 10},
	[SEARCH_CURSOR] = {.name = "cursor",
			   .type = PARAM_TEXT,
			   .help = "given where more follows"},
};

static int search_memory(struct call *c, struct err *e)
{
	const struct param_value *v = c->v;
	bool all = str_eq(v[SEARCH_SCOPE].text, STR("all"));
	struct buf text = BUF_INIT(c->text->max);
	struct store *st = memory_open(c->s, STR_NONE, e);
	struct search_query q = {
		.text = v[SEARCH_QUERY].text,
		.limit = (size_t)v[SEARCH_LIMIT].number,
		.type = -1,
	};
	struct search found = {0};
	struct page page;
	int ret;

	if (!st)
		return e->code;
	ret = page_init(&page, v[SEARCH_CURSOR].text, e);
	if (!ret)
		ret = memory_index(st, STR_NONE, all, e);
	q.project = all ? STR_NONE : memory_project(st, STR_NONE);
	if (!ret)
		do {
			search_release(&found);
			ret = search_run(&found, st->index, &q, e);
		} while (store_again(st, &ret, e));
	if (!ret) {
		search_text(&text, &found, &q, false);
		memory_partial(st, q.project, &text);
		page_add(&page, str_trim_right(buf_str(&text)));
		ret = page_end(&page, "search_memory", c->text, e);
	}
	search_release(&found);
	page_release(&page);
	buf_release(&text);
	return ret;
}

const struct tool tool_search_memory = {
	.name = "search_memory",
	.text = "Find past decisions, dead ends, notes and handoffs by words. Call it when the user mentions past work or another project. Each hit carries the id that supersedes takes.",
	TOOL_PARAMS(search_params),
	.hints = TOOL_READS,
	.run = search_memory,
};

/* --- note_entity --- */

enum { NOTE_NAME, NOTE_CONTENT, NOTE_PROJECT };

static const struct param note_params[] = {
	[NOTE_NAME] = {.name = "name",
		       .type = PARAM_TEXT,
		       .required = true,
		       .help = "e.g. Architecture, Conventions, Plan"},
	[NOTE_CONTENT] = {.name = "content", .type = PARAM_TEXT, .required = true},
	[NOTE_PROJECT] = PROJECT_PARAM,
};

static int note_entity(struct call *c, struct err *e)
{
	const struct param_value *v = c->v;
	struct store *st = memory_open(c->s, v[NOTE_PROJECT].text, e);
	int ret;

	if (!st)
		return e->code;
	ret = store_note(st, v[NOTE_PROJECT].text, v[NOTE_NAME].text,
			 v[NOTE_CONTENT].text, e);
	if (!ret) {
		buf_add(c->text, v[NOTE_NAME].text);
		say_default(st, v[NOTE_PROJECT].text, c->text);
	}
	return ret;
}

const struct tool tool_note_entity = {
	.name = "note_entity",
	.text = "Add a lasting fact to a named note of the project (a component, a convention, the plan). Events link to it as [[Name]].",
	TOOL_PARAMS(note_params),
	.run = note_entity,
};

/* --- checkpoint --- */

enum { CHECK_SUMMARY, CHECK_PROJECT };

static const struct param check_params[] = {
	[CHECK_SUMMARY] = {.name = "summary", .type = PARAM_TEXT},
	[CHECK_PROJECT] = PROJECT_PARAM,
};

static int checkpoint(struct call *c, struct err *e)
{
	const struct param_value *v = c->v;
	struct store *st = memory_open(c->s, v[CHECK_PROJECT].text, e);
	struct err here = ERR_INIT;
	int ret;

	if (!st)
		return e->code;
	ret = store_checkpoint(st, v[CHECK_PROJECT].text, v[CHECK_SUMMARY].text, NULL, e);
	if (ret)
		return ret;
	/* the session is closed, whatever becomes of the brief */
	if (memory_brief(st, v[CHECK_PROJECT].text, -1, c->text, &here)) {
		buf_reset(c->text);
		buf_printf(c->text, "Closed. There is no brief: %s.", here.msg);
	}
	say_default(st, v[CHECK_PROJECT].text, c->text);
	return 0;
}

const struct tool tool_checkpoint = {
	.name = "checkpoint",
	.text = "Close the session: its note is marked done, with a summary of one or two sentences. Call it when the user stops. Returns the brief for the next one.",
	TOOL_PARAMS(check_params),
	.hints = TOOL_IDEMPOTENT,
	.run = checkpoint,
};
