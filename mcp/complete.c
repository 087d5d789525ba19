/*
 * completion/complete: names of projects, entities and documents for the resource templates.
 */
#include "base/utf8.h"
#include "memory.h"
#include "work/docs.h"
#include "work/mcp.h"

#define VALUES_MAX 100 /* MCP, "Completion" */

struct values {
	struct buf *out;
	str begin;
	size_t n, total;
};

static void offer(struct values *l, str name)
{
	if (!str_istarts(name, l->begin) || !utf8_valid(name))
		return;
	l->total++;
	if (l->n == VALUES_MAX)
		return;
	l->n++;
	json_add_sep(l->out);
	json_add_str(l->out, name);
}

/* What is to be completed is one of our templates, or a URI of one, or the prompt. */
static bool is_ours(const struct jsonval *ref)
{
	str type = jsondoc_str(jsondoc_get(ref, "type"));
	str uri = jsondoc_str(jsondoc_get(ref, "uri"));

	if (str_eq(type, STR("ref/prompt")))
		return str_eq(jsondoc_str(jsondoc_get(ref, "name")), STR("resume"));
	return str_eq(type, STR("ref/resource")) && (str_starts(uri, STR("handoff://")) ||
						     str_eq(uri, STR("session://brief")));
}

/* A name of a document or a project. */
static int offer_name(const char *name, void *arg)
{
	offer(arg, str_of(name));
	return 0;
}

static int offer_entity(const char *file, void *arg)
{
	str name = str_of(file);

	name.n -= strlen(".md");
	offer(arg, name);
	return 0;
}

void complete(struct server *s, const struct jsonval *params, struct answer *a)
{
	const struct jsonval *ref = jsondoc_get(params, "ref");
	const struct jsonval *arg = jsondoc_get(params, "argument");
	const struct jsonval *given =
		jsondoc_get(jsondoc_get(params, "context"), "arguments");
	str uri = jsondoc_str(jsondoc_get(ref, "uri"));
	str name = jsondoc_str(jsondoc_get(arg, "name"));
	str project = jsondoc_str(jsondoc_get(given, "project"));
	struct values l = {.out = &a->result,
			   .begin = jsondoc_str(jsondoc_get(arg, "value"))};
	struct store *st;

	if (!jsondoc_is_obj(ref) || !name.n ||
	    !jsondoc_is_str(jsondoc_get(arg, "value"))) {
		server_refuse(
			a, RPC_BAD_PARAMS,
			"Invalid params: \"ref\" or \"argument\" is missing, or not whole");
		return;
	}
	if (!is_ours(ref)) {
		server_refuse(
			a, RPC_BAD_PARAMS,
			"Invalid params: \"ref\" is no resource template and no prompt of this server");
		return;
	}
	st = memory_open(s, project, NULL);
	buf_add(&a->result, STR("{\"completion\":{\"values\":["));
	if (st && str_starts(uri, STR("handoff://")) && str_eq(name, STR("project")))
		vault_projects(&st->vault, offer_name, &l, NULL);
	else if (st && str_starts(uri, STR("handoff://entity/")) &&
		 str_eq(name, STR("name")))
		vault_each(&st->vault, VAULT_ENTITIES, memory_project(st, project), ".md",
			   offer_entity, &l, NULL);
	else if (st && str_starts(uri, STR("handoff://document/")) &&
		 str_eq(name, STR("name")))
		for (int archived = 0; archived < 2; archived++)
			docs_names(&st->vault, memory_project(st, project), archived,
				   offer_name, &l, NULL);
	buf_printf(&a->result, "],\"total\":%zu,\"hasMore\":%s}}", l.total,
		   l.total > l.n ? "true" : "false");
}
