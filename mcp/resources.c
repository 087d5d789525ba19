/*
 * Resources: briefs, entity notes and handoff documents, by URI. session://brief is that of the
 * session's project. Briefs and the documents that are not archived are listed; entity notes and
 * what is archived are found by completion.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/log.h"
#include "memory.h"
#include "work/docs.h"
#include "work/inject.h"
#include "work/mcp.h"
#include "work/redact.h"

#define RPC_NO_RESOURCE (-32002) /* MCP, "Resources: Error Handling" */
#define TEXT_MAX        (16u << 20)
#define NAMES_MAX       100000

/* URIs, in byte order. */
struct names {
	const struct vault *vault;
	str project;
	char **uri;
	size_t n, max;
};

static int add_uri(struct names *l, struct buf *b)
{
	if (l->n == NAMES_MAX) {
		buf_release(b);
		return 1;
	}
	if (l->n == l->max) {
		l->max = l->max ? 2 * l->max : 64;
		l->uri = realloc(l->uri, l->max * sizeof(*l->uri));
		if (!l->uri)
			log_oom();
	}
	l->uri[l->n++] = buf_take(b);
	return 0;
}

static int add_document(const char *name, void *arg)
{
	struct names *l = arg;
	struct buf b = BUF_INIT(8192);

	mcp_uri_document(&b, l->project, str_of(name));
	return add_uri(l, &b);
}

static int add_name(const char *project, void *arg)
{
	struct names *l = arg;
	struct buf b = BUF_INIT(8192);

	mcp_uri_brief(&b, str_of(project));
	l->project = str_of(project);
	if (add_uri(l, &b))
		return 1;
	docs_names(l->vault, l->project, false, add_document, l, NULL);
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_resource(struct buf *r, const char *uri, const char *name,
			 const char *text, bool markdown)
{
	json_add_sep(r);
	buf_byte(r, '{');
	json_add_key(r, "uri");
	json_add_str(r, str_of(uri));
	json_add_key(r, "name");
	json_add_str(r, str_of(name));
	json_add_key(r, "description");
	json_add_str(r, str_of(text));
	json_add_key(r, "mimeType");
	json_add_str(r, markdown ? STR("text/markdown") : STR("text/plain"));
	buf_byte(r, '}');
}

static void add_found(struct buf *r, const char *uri)
{
	struct buf text = BUF_INIT(32768), name = BUF_INIT(32768), safe = BUF_INIT(16384),
		   document = BUF_INIT(16384);
	struct mcp_uri u;

	if (mcp_uri_parse(&u, str_of(uri))) {
		redact_show(&safe, buf_str(&u.project), true);
		redact_show(&document, buf_str(&u.name), true);
		buf_printf(&text,
			   u.kind == MCP_DOCUMENT ? "Handoff document of project %s"
						  : "Hand-off brief of project %s",
			   buf_cstr(&safe));
		if (u.kind == MCP_DOCUMENT)
			buf_printf(&name, "document: %s, %s", buf_cstr(&safe),
				   buf_cstr(&document));
		else
			buf_printf(&name, "brief: %s", buf_cstr(&safe));
		add_resource(r, uri, buf_cstr(&name), buf_cstr(&text),
			     u.kind == MCP_DOCUMENT);
	}
	mcp_uri_release(&u);
	buf_release(&text);
	buf_release(&name);
	buf_release(&safe);
	buf_release(&document);
}

void resources_list(struct server *s, const struct jsonval *params, struct answer *a)
{
	struct names names = {0};
	struct err e = ERR_INIT;
	struct store *st = memory_open(s, STR_NONE, &e);
	struct buf next = BUF_INIT(16384);
	size_t from, to;

	if (st) {
		names.vault = &st->vault;
		vault_projects(&st->vault, add_name, &names, NULL);
	}
	if (names.n)
		qsort(names.uri, names.n, sizeof(*names.uri), by_bytes);
	if (server_page(params, (const char *const *)names.uri, names.n, &from, &to,
			&next, a)) {
		buf_add(&a->result, STR("{\"resources\":["));
		if (from == 0)
			add_resource(&a->result, "session://brief", "brief_resource",
				     "Hand-off brief of this session's project", false);
		for (size_t i = from; i < to; i++)
			add_found(&a->result, names.uri[i]);
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
		    "\"description\":\"Durable note of a project\",\"mimeType\":\"text/markdown\"},"
		    "{\"uriTemplate\":\"handoff://document/{project}/{name}\",\"name\":\"document\","
		    "\"description\":\"Handoff document of a project, waiting or archived\",\"mimeType\":\"text/markdown\"}]}"));
}

/* --- resources/read --- */

static int read_entity(struct store *st, const struct mcp_uri *u, struct buf *out,
		       struct err *e)
{
	struct buf file = BUF_INIT(4096);
	struct err own = ERR_INIT;
	int ret;

	event_entity_file(&file, buf_str(&u->name));
	buf_add(&file, STR(".md"));
	ret = vault_read(&st->vault, VAULT_ENTITIES, buf_str(&u->project), buf_str(&file),
			 out, &own);
	if (ret == HF_ENOTFOUND) /* not where it would lie */
		err_set(e, ret, "no entity %.*s in %.*s", STR_ARG(buf_str(&u->name)),
			STR_ARG(buf_str(&u->project)));
	else if (ret)
		err_set(e, ret, "the note of %.*s cannot be read",
			STR_ARG(buf_str(&u->name)));
	buf_release(&file);
	return ret;
}

static int read_document(struct store *st, const struct mcp_uri *u, struct buf *out,
			 struct err *e)
{
	struct docs_item it;
	int ret = docs_get(&st->vault, buf_str(&u->project), buf_str(&u->name), &it, e);

	if (!ret)
		inject_whole(out, &it);
	docs_item_release(&it);
	return ret;
}

static int read_text(struct server *s, const struct mcp_uri *u, struct buf *out,
		     struct err *e)
{
	struct store *st = memory_open(s, buf_str(&u->project), e);

	if (!st && memory_off(s)) {
		memory_say_off(out, memory_off(s));
		return 0;
	}
	if (!st)
		return e->code;
	switch (u->kind) {
	case MCP_ENTITY:
		return read_entity(st, u, out, e);
	case MCP_DOCUMENT:
		return read_document(st, u, out, e);
	case MCP_BRIEF:
	case MCP_BRIEF_OWN:
		break;
	}
	return memory_brief(st, buf_str(&u->project), -1, out, e);
}

static void give(struct answer *a, str uri, bool markdown, bool framed, str text)
{
	struct buf safe = BUF_INIT(TEXT_MAX), *r = &a->result;

	if (framed) /* by inject_whole: what is inside cannot end it */
		redact_show(&safe, text, false);
	else
		server_show(&safe, text);
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
			give(a, uri, u.kind == MCP_ENTITY || u.kind == MCP_DOCUMENT,
			     u.kind == MCP_DOCUMENT, buf_str(&text));
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
