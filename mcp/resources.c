/*
 * Resources: briefs and entity notes, by URI. session://brief is that of the session's project.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/log.h"
#include "memory.h"
#include "work/mcp.h"
#include "work/redact.h"

#define RPC_NO_RESOURCE (-32002) /* MCP, "Resources: Error Handling" */
#define TEXT_MAX        (16u << 20)
#define NAMES_MAX       100000

/* Names of projects as URIs, in byte order. */
struct names {
	char **uri;
	size_t n, max;
};

static int add_name(const char *project, void *arg)
{
	struct names *l = arg;
	struct buf b = BUF_INIT(8192);

	if (l->n == NAMES_MAX)
		return 1;
	if (l->n == l->max) {
		l->max = l->max ? 2 * l->max : 64;
		l->uri = realloc(l->uri, l->max * sizeof(*l->uri));
		if (!l->uri)
			log_oom();
	}
	mcp_uri_brief(&b, str_of(project));
	l->uri[l->n++] = buf_take(&b);
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_resource(struct buf *r, const char *uri, const char *name,
			 const char *text)
{
	json_add_sep(r);
	buf_byte(r, '{');
	json_add_key(r, "uri");
	json_add_str(r, str_of(uri));
	json_add_key(r, "name");
	json_add_str(r, str_of(name));
	json_add_key(r, "description");
	json_add_str(r, str_of(text));
	buf_add(r, STR(",\"mimeType\":\"text/plain\"}"));
}

static void add_project(struct buf *r, const char *uri)
{
	struct buf text = BUF_INIT(8192), name = BUF_INIT(8192), safe = BUF_INIT(16384);
	struct mcp_uri u;

	if (mcp_uri_parse(&u, str_of(uri))) {
		redact_show(&safe, buf_str(&u.project), true);
		buf_printf(&text, "Hand-off brief of project %s", buf_cstr(&safe));
		buf_printf(&name, "brief: %s", buf_cstr(&safe));
		add_resource(r, uri, buf_cstr(&name), buf_cstr(&text));
	}
	mcp_uri_release(&u);
	buf_release(&text);
	buf_release(&name);
	buf_release(&safe);
}

void resources_list(struct server *s, const struct jsonval *params, struct answer *a)
{
	struct names names = {0};
	struct err e = ERR_INIT;
	struct store *st = memory_open(s, STR_NONE, &e);
	struct buf next = BUF_INIT(16384);
	size_t from, to;

	if (st)
		vault_projects(&st->vault, add_name, &names, NULL);
	if (names.n)
		qsort(names.uri, names.n, sizeof(*names.uri), by_bytes);
	if (server_page(params, (const char *const *)names.uri, names.n, &from, &to,
			&next, a)) {
		buf_add(&a->result, STR("{\"resources\":["));
		if (from == 0)
			add_resource(&a->result, "session://brief", "brief_resource",
				     "Hand-off brief of this session's project");
		for (size_t i = from; i < to; i++)
			add_project(&a->result, names.uri[i]);
		buf_byte(&a->result, ']');
		buf_add(&a->result, buf_str(&next));
		buf_byte(&a->result, '}');
	}
	for (size_t i = 0; i < names.n; i++)
		free(names.uri[i]);
	free(names.uri);
	buf_release(&next);
}

void resources_templates(struct server *s, const struct jsonval *params, struct answer *a)
{
	const struct jsonval *cursor = jsondoc_get(params, "cursor");

	(void)s;
	if (cursor && !jsondoc_is_null(cursor)) {
		server_refuse(a, RPC_BAD_PARAMS,
			      "Invalid params: \"cursor\" was never given");
		return;
	}
	buf_add(&a->result,
		STR("{\"resourceTemplates\":["
		    "{\"uriTemplate\":\"handoff://brief/{project}\",\"name\":\"brief\","
		    "\"description\":\"Hand-off brief of a project\",\"mimeType\":\"text/plain\"},"
		    "{\"uriTemplate\":\"handoff://entity/{project}/{name}\",\"name\":\"entity\","
		    "\"description\":\"Durable note of a project\",\"mimeType\":\"text/markdown\"}]}"));
}

/* --- resources/read --- */

static int read_entity(struct store *st, const struct mcp_uri *u, struct buf *out,
		       struct err *e)
{
	struct buf file = BUF_INIT(4096);
	int ret;

	event_entity_file(&file, buf_str(&u->name));
	buf_add(&file, STR(".md"));
	ret = vault_read(&st->vault, VAULT_ENTITIES, buf_str(&u->project), buf_str(&file),
			 out, e);
	buf_release(&file);
	return ret;
}

static int read_text(struct server *s, const struct mcp_uri *u, struct buf *out,
		     struct err *e)
{
	struct store *st = memory_open(s, buf_str(&u->project), e);

	if (!st)
		return e->code;
	return u->kind == MCP_ENTITY ? read_entity(st, u, out, e)
				     : memory_brief(st, buf_str(&u->project), -1, out, e);
}

static void give(struct answer *a, str uri, bool markdown, str text)
{
	struct buf safe = BUF_INIT(TEXT_MAX), *r = &a->result;

	redact_show(&safe, text, false);
	buf_add(r, STR("{\"contents\":[{\"uri\":"));
	json_add_str(r, uri);
	json_add_key(r, "mimeType");
	json_add_str(r, markdown ? STR("text/markdown") : STR("text/plain"));
	json_add_key(r, "text");
	json_add_str(r, buf_str(&safe));
	buf_add(r, STR("}]}"));
	buf_release(&safe);
}

void resources_read(struct server *s, const struct jsonval *params, struct answer *a)
{
	str uri = jsondoc_str(jsondoc_get(params, "uri"));
	struct buf text = BUF_INIT(TEXT_MAX);
	struct err e = ERR_INIT;
	struct mcp_uri u;

	if (!mcp_uri_parse(&u, uri)) {
		if (jsondoc_is_str(jsondoc_get(params, "uri")))
			server_refuse(a, RPC_NO_RESOURCE, "Resource not found");
		else
			server_refuse(a, RPC_BAD_PARAMS,
				      "Invalid params: \"uri\" is missing");
	} else {
		server_ask_root(s);
		switch (read_text(s, &u, &text, &e)) {
		case 0:
			give(a, uri, u.kind == MCP_ENTITY, buf_str(&text));
			break;
		case HF_ENOTFOUND:
		case HF_EUSAGE:
			server_refuse(a, RPC_NO_RESOURCE, "Resource not found: %s",
				      e.msg);
			break;
		default:
			server_refuse(a, RPC_INTERNAL, "Internal error: %s", e.msg);
		}
	}
	mcp_uri_release(&u);
	buf_release(&text);
}
