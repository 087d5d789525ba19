/*
 * handoff brief [OPTION]...
 */
#include "base/utf8.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/brief.h"
#include "work/recall.h"
#include "work/running.h"
#include "work/scope.h"

#define BUSY_MS 200

static void as_json(struct buf *out, const struct brief_options *o, str text,
		    const struct brief_figures *f)
{
	buf_add(out, STR("{\"format\":1"));
	json_add_key(out, "project");
	json_add_str(out, o->project);
	json_add_key(out, "brief");
	json_add_str(out, text);
	buf_printf(out, ",\"tokens\":%zu,\"budget\":%lld,\"kept\":%zu,\"dropped\":%zu}\n",
		   f->tokens, (long long)o->tokens, f->kept, f->dropped);
}

/* all: with the notes of all projects read, of which only names are told. */
static int render(struct recall *r, const struct scope *s, bool all,
		  struct brief_options *o, struct buf *text, struct brief_figures *f,
		  struct err *e)
{
	struct running *running = o->runs_arg;
	int ret = recall_open(r, &s->vault,
			      &(struct recall_options){.project = o->project,
						       .all = all,
						       .busy_ms = BUSY_MS},
			      e);

	if (!ret)
		do {
			buf_reset(text);
			running_init(running, s->state_dir, r->index);
			ret = brief_render(text, r->index, o, f, e);
			running_release(running);
		} while (recall_again(r, &s->vault, &ret, e));
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct buf text = BUF_INIT(BRIEF_OUT_MAX), out = BUF_INIT(BRIEF_OUT_MAX * 6);
	struct scope s = {.vault.lock = -1};
	struct recall r = {0};
	struct brief_figures f = {0};
	struct running running;
	int ret = scope_open(&s, a->session, NULL, e);
	struct brief_options o = {
		.project = str_of(a->in ? a->in : s.project),
		.tokens = a->budget < 0 ? config_int(a->c, "brief_tokens") : a->budget,
		.explain = a->explain,
		.runs = running_item,
		.runs_arg = &running};

	if (!ret)
		ret = render(&r, &s, false, &o, &text, &f, e);
	if (!ret && !f.kept && !f.dropped) {
		recall_release(&r);
		ret = render(&r, &s, true, &o, &text, &f, e);
	}
	if (!ret && a->json)
		as_json(&out, &o, buf_str(&text), &f);
	else
		buf_add(&out, buf_str(&text));
	if (!ret)
		ret = print_recalled(&r, a->json, &out, e);
	recall_release(&r);
	scope_release(&s);
	buf_release(&text);
	buf_release(&out);
	return ret;
}

const struct command cmd_brief = {
	.name = "brief",
	.operands = "",
	.summary =
		"this project in short: goal, next step, decisions, dead ends, open questions",
	.text = "What a session is told when it starts. Everything in it counts towards the budget, an\n"
		"estimate: a quarter of a token a character.\n",
	.options = OPT_JSON | OPT_SESSION | OPT_IN | OPT_EXPLAIN | OPT_BUDGET,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
