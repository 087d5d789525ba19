/*
 * recover_session and recover_read: what a session left behind, as `handoff-recover` shows it.
 */
#include <limits.h>
#include <stdlib.h>

#include "base/clock.h"
#include "data/config.h"
#include "tools.h"
#include "work/catalog.h"
#include "work/dive.h"
#include "work/handoff.h"
#include "work/history.h"
#include "work/page.h"
#include "work/phases.h"

#define DOC_MAX    (4u << 20)
#define BUDGET_MAX 12000 /* tokens: a document is one page */
#define ENDS_MAX   4096
#define NS_PER_MS  INT64_C(1000000)

/* A session that was found, and its transcript, open. */
struct found {
	struct scope scope;
	struct config config;
	struct catalog_pick pick;
	struct source src;
	bool open, history;
};

static void release(struct found *f)
{
	if (f->open)
		source_release(&f->src);
	catalog_pick_release(&f->pick);
	config_release(&f->config);
	scope_release(&f->scope);
}

/* Where we are; what the user set. */
static int begin(struct found *f, struct call *c, struct err *e)
{
	*f = (struct found){0};
	config_load(&f->config, NULL);
	return where_scope(&c->s->where, &f->scope, e);
}

static struct catalog_options options(const struct found *f, struct call *c)
{
	return (struct catalog_options){
		.claude_dir = f->scope.claude_dir,
		.project = f->scope.dir && f->scope.dir[0] ? f->scope.dir : NULL,
		.current = f->scope.session,
		.ids_only = true,
		.progress = tools_progress,
		.progress_arg = c,
	};
}

/* The transcript of a session; what was typed in it where that is gone and will do. */
static int find(struct found *f, struct call *c, str name, bool or_history, struct err *e)
{
	struct catalog_options o = options(f, c);
	struct err gone = ERR_INIT;
	char *id = str_dup(str_trim(name));
	uint64_t prompts;
	int ret;

	/* a name from outside is an id, never a path */
	if (id[0] && !journal_id_ok(str_of(id)))
		ret = err_set(
			&gone, HF_EUSAGE,
			"session: give an id, or the beginning of one (view list shows them)");
	else
		ret = id[0] ? catalog_find(&o, id, &f->pick, &gone)
			    : catalog_dead(&o, &f->pick, &gone);
	if (!ret)
		ret = source_open(&f->src, f->pick.path, e);
	else if (ret == HF_ENOTFOUND && id[0] && or_history &&
		 history_open(&f->src, f->scope.claude_dir, str_of(id), &prompts, NULL) ==
			 0) {
		f->pick.path = str_dup(str_of(id));
		f->history = true;
		ret = 0;
	} else {
		err_set(e, ret, "%s", gone.msg);
	}
	f->open = ret == 0;
	free(id);
	return ret;
}

static void to_page(void *arg, str s)
{
	page_add(arg, s);
}

/* --- recover_session --- */

enum { SESSION, VIEW, FOCUS, BUDGET, CURSOR };
enum { LIST, INDEX, BACKBONE, AGENTS, DOC };

static const char *const VIEWS[] = {"list", "index", "backbone", "agents", "doc", NULL};

static const struct param session_params[] = {
	[SESSION] =
		{.name = "session",
		 .type = PARAM_TEXT,
		 .help = "id or its beginning; default: this project's newest dead one"},
	[VIEW] =
		{.name = "view",
		 .type = PARAM_CHOICE,
		 .choice = VIEWS,
		 .fallback = DOC + 1,
		 .help = "list: sessions and how they ended; index: numbered records; backbone: what was said; agents: sub-agents; doc: handoff document"},
	[FOCUS] = {.name = "focus", .type = PARAM_TEXT, .help = "doc: what matters"},
	[BUDGET] = {.name = "budget",
		    .type = PARAM_INT,
		    .min = 200,
		    .max = BUDGET_MAX,
		    .help = "doc: tokens"},
	[CURSOR] = {.name = "cursor",
		    .type = PARAM_TEXT,
		    .help = "given where more follows"},
};

static int list(struct found *f, struct call *c, struct out *o, struct err *e)
{
	struct catalog_options opt = options(f, c);
	struct catalog cat = {0};
	int ret = catalog_load(&cat, &opt, e);

	if (!ret && cat.n)
		catalog_list(&cat, !opt.project, o);
	else if (!ret)
		out_printf(o, "No session of %s.\n",
			   opt.project ? opt.project : "any project");
	if (!ret && cat.others)
		out_printf(o, "(%zu of other projects %s not listed)\n", cat.others,
			   cat.others == 1 ? "is" : "are");
	if (!ret && cat.problem)
		out_printf(o,
			   "(%zu file%s or folder%s could not be read; the first: %s)\n",
			   cat.skipped, cat.skipped == 1 ? "" : "s",
			   cat.skipped == 1 ? "" : "s", cat.problem);
	catalog_release(&cat);
	return ret;
}

static int phase(struct found *f, struct call *c, int view, struct out *o, struct err *e)
{
	struct phases_options opt = {
		.ends = (size_t)config_int(&f->config, "ends"),
		.since = CLOCK_NONE,
		.running_pid = f->pick.running_pid,
		.claude_dir = f->scope.claude_dir,
		.progress = tools_progress,
		.progress_arg = c,
	};
	int ret = glance_check(&f->src, f->pick.path, e);

	if (ret)
		return ret;
	if (view == INDEX)
		return phases_index(&f->src, f->pick.path, &opt, o, e);
	if (view == AGENTS)
		return phases_agents(&f->src, f->pick.path, &opt, o, e);
	if (f->history)
		out_printf(
			o,
			"(The transcript is gone: this is what was typed, from history.jsonl.)\n");
	return phases_backbone(&f->src, f->pick.path, &opt, o, e);
}

static int document(struct found *f, struct call *c, struct out *o, struct err *e)
{
	int64_t git_ms = config_int(&f->config, "git_ms");
	int64_t budget = c->v[BUDGET].given ? c->v[BUDGET].number
					    : config_int(&f->config, "budget");
	struct buf text = BUF_INIT(DOC_MAX);
	struct handoff_options opt = {
		.budget = (uint64_t)(budget < BUDGET_MAX ? budget : BUDGET_MAX),
		.focus = c->v[FOCUS].text,
		.since = CLOCK_NONE,
		.kind = HANDOFF_RECOVERED,
		.claude_dir = f->scope.claude_dir,
		.deadline_ns = git_ms ? clock_mono_ns() + git_ms * NS_PER_MS : 0,
		.progress = tools_progress,
		.progress_arg = c,
	};
	int ret = glance_known(&f->src, f->pick.path, e);

	if (!ret)
		ret = handoff_recover(&f->src, f->pick.path, &opt, &text, e);
	if (!ret)
		out_add(o, buf_str(&text));
	buf_release(&text);
	return ret;
}

static int view_of(str name)
{
	int i = 0;

	while (VIEWS[i] && !str_eq(name, str_of(VIEWS[i])))
		i++;
	return i;
}

static int recover_session(struct call *c, struct err *e)
{
	int view = view_of(c->v[VIEW].text), ret, end;
	struct found f;
	struct page page;
	struct out o;

	ret = page_init(&page, c->v[CURSOR].text, e);
	out_init_sink(&o, "the result", to_page, &page);
	if (ret)
		return ret;
	ret = begin(&f, c, e);
	if (!ret && view != LIST)
		ret = find(&f, c, c->v[SESSION].text, view == BACKBONE, e);
	if (!ret)
		ret = view == LIST  ? list(&f, c, &o, e)
		      : view == DOC ? document(&f, c, &o, e)
				    : phase(&f, c, view, &o, e);
	end = out_end(&o, e);
	ret = ret ? ret : end;
	if (!ret)
		ret = page_end(&page, "recover_session", c->text, e);
	page_release(&page);
	release(&f);
	return ret;
}

const struct tool tool_recover_session = {
	.name = "recover_session",
	.text = "What a session that died (crash, full context, rate limit) left behind: a handoff document made from its transcript, or one of its views. Call it when the user says a session was lost, or to look into one.",
	TOOL_PARAMS(session_params),
	.hints = TOOL_READS,
	.run = recover_session,
};

/* --- recover_read --- */

enum { READ_SESSION, READ_INDEXES };

static const struct param read_params[] = {
	[READ_SESSION] = {.name = "session", .type = PARAM_TEXT, .required = true},
	[READ_INDEXES] = {.name = "indexes",
			  .type = PARAM_TEXTS,
			  .required = true,
			  .help = "numbers from view index, or ranges like 3-9"},
};

#define INDEX_MAX UINT64_C(1000000000)

static int ranges(const struct param_value *v, struct dive_range *r, size_t *n,
		  struct err *e)
{
	if (!v->n || v->n > DIVE_RANGES_MAX)
		return err_set(e, HF_EUSAGE, "indexes: give 1 to %d numbers or ranges",
			       DIVE_RANGES_MAX);
	for (size_t i = 0; i < v->n; i++) {
		str s = str_trim(v->item[i]), first = str_head(s, str_chr(s, '-'));
		struct dive_range *x = &r[(*n)++];
		bool ok = str_u64(first, &x->first);

		x->last = x->first;
		if (ok && first.n < s.n)
			ok = str_u64(str_from(s, first.n + 1), &x->last);
		if (!ok || !x->first || x->last < x->first || x->last > INDEX_MAX)
			return err_set(
				e, HF_EUSAGE,
				"indexes: '%.*s' is no record number and no range like 3-9",
				STR_ARG(str_head(s, 40)));
	}
	return 0;
}

static int recover_read(struct call *c, struct err *e)
{
	struct dive_range r[DIVE_RANGES_MAX];
	struct buf text = BUF_INIT(PAGE_UNITS); /* bytes, so never more units */
	struct found f;
	size_t n = 0;
	int ret;

	ret = ranges(&c->v[READ_INDEXES], r, &n, e);
	if (ret)
		return ret;
	ret = begin(&f, c, e);
	if (!ret && !str_trim(c->v[READ_SESSION].text).n)
		ret = err_set(e, HF_EUSAGE,
			      "session: give an id, or the beginning of one");
	if (!ret)
		ret = find(&f, c, c->v[READ_SESSION].text, false, e);
	if (!ret)
		ret = glance_check(&f.src, f.pick.path, e);
	if (!ret)
		ret = dive_read(&f.src, f.pick.path, "", r, n, false, &text, e);
	if (!ret)
		buf_add(c->text, buf_str(&text));
	buf_release(&text);
	release(&f);
	return ret;
}

const struct tool tool_recover_read = {
	.name = "recover_read",
	.text = "Single records of a dead session by number, whole: a call with its result. One recovery may read 10 times and 50,000 tokens; each reply says what is left. Use it for what a document of recover_session leaves open.",
	TOOL_PARAMS(read_params),
	/* each reading uses up a round of the session's budget: it is no mere reading */
	.hints = 0,
	.run = recover_read,
};
