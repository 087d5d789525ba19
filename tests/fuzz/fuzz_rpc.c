/*
 * Any bytes as what a client sends: cut into lines, taken apart, and the arguments of calls
 * coerced. Every answer is one JSON message that carries the id as it came; an element of a batch
 * is a message of its own; no URI and no cursor from outside is a path or a part of one.
 */
#include <stdlib.h>
#include <unistd.h>

#include "data/jsondoc.h"
#include "work/mcp.h"
#include "work/page.h"
#include "work/params.h"
#include "work/rpc.h"

#define PIPE_BYTES 60000 /* what a pipe takes without a reader */

static const char *const CHOICE[] = {"goal", "decision", NULL};
static const struct param P[] = {
	{.name = "content", .type = PARAM_TEXT, .required = true},
	{.name = "type", .type = PARAM_CHOICE, .choice = CHOICE},
	{.name = "limit", .type = PARAM_INT, .min = 1, .max = 50, .fallback = 10},
	{.name = "supersedes", .type = PARAM_TEXTS},
};
#define N (sizeof(P) / sizeof(P[0]))

static void must(int yes)
{
	if (!yes)
		abort();
}

static void check_arguments(str params)
{
	struct jsondoc *d = jsondoc_parse(params, params.n, NULL);
	struct param_value v[N];
	struct err e = ERR_INIT;
	struct arena a;

	if (!d)
		return;
	arena_init(&a, 1 << 20);
	if (params_take(P, N, jsondoc_root(d), &a, v, &e) == 0) {
		must(v[0].given && v[2].number >= 1 && v[2].number <= 50);
		for (size_t i = 0; i < v[3].n; i++)
			must(!v[3].item[i].n || v[3].item[i].p != NULL);
	} else {
		must(e.msg[0] != '\0');
	}
	arena_release(&a);
	jsondoc_free(d);
}

/* Names that came in are looked at as URIs and cursors too. */
static void check_name(str s)
{
	struct mcp_uri u;
	struct page p;
	struct buf path = BUF_INIT(8192);

	if (mcp_uri_parse(&u, s) && u.kind != MCP_BRIEF_OWN)
		must(u.project.n > 0 && !memchr(u.project.p, 0, u.project.n));
	mcp_uri_release(&u);
	if (mcp_uri_path(&path, s))
		must(path.p[0] == '/' && strlen(buf_cstr(&path)) == path.n);
	buf_reset(&path);
	if (mcp_cursor_read(&path, s))
		must(strlen(buf_cstr(&path)) == path.n);
	if (page_init(&p, s, NULL) == 0)
		must(p.from == 0 || s.n > 17);
	page_release(&p);
	buf_release(&path);
}

static void check_answer(const struct rpc *m)
{
	struct buf b = BUF_INIT(4u << 20);
	struct rpc again;

	rpc_fail(&b, m->id, RPC_INTERNAL, m->why[0] ? m->why : m->method);
	rpc_parse(&again, buf_str(&b));
	if (!str_eq(m->id, STR("null"))) {
		must(again.kind == RPC_RESPONSE);
		must(str_eq(again.id, m->id));
	}
	buf_release(&b);
}

static void check(str line, int depth)
{
	struct rpc_batch b;
	struct rpc m;
	str s;

	rpc_parse(&m, line);
	switch (m.kind) {
	case RPC_REQUEST:
		check_answer(&m);
		check_arguments(m.params);
		if (rpc_member(m.params, "name", &s) && s.n > 1)
			check_name(s.p[0] == '"' ? (str){s.p + 1, s.n - 2} : s);
		break;
	case RPC_INVALID:
		must(m.code != 0 && m.why[0]);
		check_answer(&m);
		break;
	case RPC_BATCH:
		rpc_batch_init(&b, line);
		while (depth < 2 && rpc_batch_next(&b, &s))
			check(s, depth + 1);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpc_in in;
	int fd[2];
	str line;

	if (size > PIPE_BYTES || pipe(fd) < 0)
		return 0;
	if (write(fd[1], data, size) == (ssize_t)size) {
		close(fd[1]);
		rpc_in_init(&in, fd[0]);
		while (rpc_read(&in, 0, &line, NULL) == RPC_LINE)
			check(line, 0);
		rpc_in_release(&in);
	} else {
		close(fd[1]);
	}
	close(fd[0]);
	return 0;
}
