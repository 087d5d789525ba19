/*
 * Listing and calling. A tool's failure is a result that a model can read, marked as an error;
 * only a call that no tool can be found for is an error of the protocol.
 */
#include "tools.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "memory.h"
#include "work/mcp.h"
#include "work/offswitch.h"
#include "work/page.h"
#include "work/frame.h"

#define TEXT_MAX          (8u << 20)
#define PROGRESS_AFTER_NS INT64_C(200000000) /* between two notifications */

static const struct tool *const table[] = {
	&tool_get_brief,      &tool_log_event,      &tool_search_memory,
	&tool_note_entity,    &tool_checkpoint,     &tool_recover_session,
	&tool_recover_read,   &tool_memory_write,   &tool_memory_read,
	&tool_memory_search,  &tool_memory_outcome, &tool_memory_stats,
	&tool_handoff_create, &tool_handoff_pickup,
};
#define TOOLS (sizeof(table) / sizeof(table[0]))

/* What other servers of records call theirs: answered, never listed. */
static const struct {
	const char *alias, *name;
} aliases[] = {
	{"handoff_write", "handoff_create"},  {"handoff_resume", "handoff_pickup"},
	{"handoff_accept", "handoff_pickup"}, {"record_outcome", "memory_outcome"},
	{"memory_history", "memory_read"},    {"memory_list", "memory_search"},
};

static bool is_wanted(struct server *s, const struct tool *t)
{
	return !t->wanted || t->wanted(s);
}

static const struct tool *find(struct server *s, str name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (str_eq(name, str_of(aliases[i].alias)))
			name = str_of(aliases[i].name);
	for (size_t i = 0; i < TOOLS; i++)
		if (str_eq(name, str_of(table[i]->name)) && is_wanted(s, table[i]))
			return table[i];
	return NULL;
}

void tools_help(struct out *o)
{
	for (size_t i = 0; i < TOOLS; i++) {
		str first = str_head(str_of(table[i]->text),
				     str_find(str_of(table[i]->text), STR(". ")));

		out_printf(o, "  %-16s %.*s\n", table[i]->name, STR_ARG(first));
	}
}

/* --- tools/list --- */

static void add_hint(struct buf *b, const char *name, bool on)
{
	json_add_key(b, name);
	buf_add(b, on ? STR("true") : STR("false"));
}

static void add_tool(const struct tool *t, struct buf *b)
{
	buf_byte(b, '{');
	json_add_key(b, "name");
	json_add_str(b, str_of(t->name));
	json_add_key(b, "description");
	json_add_str(b, str_of(t->text));
	json_add_key(b, "inputSchema");
	params_schema(t->param, t->nparams, b);
	if (t->output) {
		json_add_key(b, "outputSchema");
		buf_add(b, str_of(t->output));
	}
	json_add_key(b, "annotations");
	buf_byte(b, '{');
	add_hint(b, "readOnlyHint", t->hints & TOOL_READS);
	if (!(t->hints & TOOL_READS)) {
		add_hint(b, "destructiveHint", t->hints & TOOL_DESTROYS);
		add_hint(b, "idempotentHint", t->hints & TOOL_IDEMPOTENT);
	}
	add_hint(b, "openWorldHint", t->hints & TOOL_OUTSIDE);
	buf_add(b, STR("}}"));
}

void tools_list(struct server *s, const struct jsonval *params, struct answer *a)
{
	const struct jsonval *cursor = jsondoc_get(params, "cursor");

	if (cursor && !jsondoc_is_null(cursor)) { /* they are one page */
		server_refuse(a, RPC_BAD_PARAMS,
			      "Invalid params: \"cursor\" was never given");
		return;
	}
	buf_add(&a->result, STR("{\"tools\":["));
	for (size_t i = 0; i < TOOLS; i++)
		if (is_wanted(s, table[i])) {
			json_add_sep(&a->result);
			add_tool(table[i], &a->result);
		}
	buf_add(&a->result, STR("]}"));
}

/* --- tools/call --- */

void tools_progress(void *arg, uint64_t done, uint64_t size)
{
	struct call *c = arg;
	int64_t now = clock_mono_ns();
	/* a token is as long as the client likes */
	struct buf params = BUF_INIT(SIZE_MAX), b = BUF_INIT(SIZE_MAX);

	if (!c->token.n || now - c->told_ns < PROGRESS_AFTER_NS || done <= c->told)
		return;
	c->told_ns = now;
	c->told = done;
	buf_add(&params, STR("{\"progressToken\":"));
	buf_add(&params, c->token);
	buf_printf(&params, ",\"progress\":%" PRIu64, done);
	if (size)
		buf_printf(&params, ",\"total\":%" PRIu64, size);
	buf_byte(&params, '}');
	rpc_notify(&b, "notifications/progress", buf_str(&params));
	server_send(c->s, &b);
	buf_release(&params);
	buf_release(&b);
}

/* A token is a string or a number, and goes back as it came. */
static str token_of(const struct rpc *m)
{
	str token;

	if (!rpc_member(m->params, "_meta", &token) ||
	    !rpc_member(token, "progressToken", &token))
		return STR_NONE;
	return token.p[0] == '"' || token.p[0] == '-' || str_is_digit(token.p[0])
		       ? token
		       : STR_NONE;
}

/* {"content":[{"type":"text","text":...}]} */
static void give(struct answer *a, str text, str data, bool failed)
{
	struct buf *r = &a->result;

	buf_add(r, STR("{\"content\":[{\"type\":\"text\",\"text\":"));
	json_add_str(r, text);
	buf_add(r, STR("}]"));
	if (data.n) {
		json_add_key(r, "structuredContent");
		frame_defuse(r, data);
	}
	if (failed)
		buf_add(r, STR(",\"isError\":true"));
	buf_byte(r, '}');
}

static void give_error(struct server *s, struct answer *a, const struct tool *t,
		       const struct err *e)
{
	struct buf b = BUF_INIT(8192), safe = BUF_INIT(8192);

	buf_printf(&b, "Error executing tool %s: %s", t->name, e->msg);
	server_show(&safe, buf_str(&b));
	if (!str_ends(buf_str(&safe), STR(".")))
		buf_byte(&safe, '.');
	give(a, buf_str(&safe), STR_NONE, true);
	server_log(s, "warning", buf_cstr(&safe));
	buf_release(&b);
	buf_release(&safe);
}

static int run(struct call *c, const struct tool *t, const struct jsonval *args,
	       struct err *e)
{
	struct param_value v[TOOL_PARAMS_MAX];
	int ret;

	ret = params_take(t->param, t->nparams, args, &c->s->arena, v, e);
	if (ret)
		return ret;
	c->v = v;
	ret = t->run(c, e);
	c->v = NULL;
	return ret;
}

/* The switch for everything; that of a project is looked at where the project is known. */
static const char *off(struct server *s)
{
	return offswitch_why(s->where.state_dir, STR_NONE);
}

static void call(struct server *s, const struct tool *t, const struct rpc *m,
		 const struct jsonval *params, struct answer *a)
{
	struct buf text = BUF_INIT(TEXT_MAX), data = BUF_INIT(TEXT_MAX),
		   safe = BUF_INIT(TEXT_MAX);
	struct call c = {
		.s = s,
		.text = &text,
		.data = &data,
		.token = token_of(m),
		.called = jsondoc_str(jsondoc_get(params, "name")),
		.told_ns = clock_mono_ns(),
	};
	struct err e = ERR_INIT;

	rpc_member(m->params, "arguments", &c.args);
	if (off(s)) {
		memory_say_off(&safe, off(s));
		give(a, buf_str(&safe), STR_NONE, false);
	} else if (run(&c, t, jsondoc_get(params, "arguments"), &e)) {
		give_error(s, a, t, &e);
	} else {
		server_show(&safe, buf_str(&text));
		if (server_replaced(s))
			buf_add(&safe,
				STR("\n\n(handoff-mcp has been replaced on disk since this server began: reconnect it, or start the client again, to run the new one. What is stored is not affected.)"));
		give(a, buf_str(&safe), buf_str(&data), false);
	}
	buf_release(&text);
	buf_release(&data);
	buf_release(&safe);
}

void tools_call(struct server *s, const struct rpc *m, const struct jsonval *params,
		struct answer *a)
{
	str name = jsondoc_str(jsondoc_get(params, "name"));
	const struct tool *t = find(s, name);
	struct buf b = BUF_INIT(1024), safe = BUF_INIT(4096);

	if (!jsondoc_is_str(jsondoc_get(params, "name"))) {
		server_refuse(a, RPC_BAD_PARAMS,
			      "Invalid params: \"name\" is missing or no string");
	} else if (!t) {
		buf_add(&b, STR("Unknown tool: "));
		utf8_show(&b, utf8_head(name, 80), UTF8_ONELINE);
		server_show(&safe, buf_str(&b));
		give(a, buf_str(&safe), STR_NONE, true);
	} else {
		server_ask_root(s);
		call(s, t, m, params, a);
	}
	buf_release(&b);
	buf_release(&safe);
}
