/*
 * handoff projects [OPTION]...
 */
#include "base/clock.h"
#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "memory.h"
#include "print.h"
#include "work/redact.h"

#define OUT_MAX (8u << 20)

struct list {
	struct store *s;
	bool json;
	struct buf *out;
	size_t n;
};

static int count(const char *name, void *arg)
{
	(void)name;
	++*(size_t *)arg;
	return 0;
}

static void newest(char out[CLOCK_ISO_BYTES], int64_t us)
{
	clock_iso_s(out, us / 1000);
}

static void row_json(struct list *l, str project, size_t active, int64_t newest_us,
		     size_t sessions)
{
	char at[CLOCK_ISO_BYTES];

	json_add_sep(l->out);
	buf_byte(l->out, '{');
	memory_json(l->out, "project", project);
	json_add_key(l->out, "events");
	buf_u64(l->out, active);
	json_add_key(l->out, "sessions");
	buf_u64(l->out, sessions);
	json_add_key(l->out, "newest");
	newest(at, newest_us);
	if (newest_us)
		json_add_str(l->out, str_of(at));
	else
		buf_add(l->out, STR("null"));
	buf_byte(l->out, '}');
}

static int row(str project, size_t active, int64_t newest_us, void *arg)
{
	struct list *l = arg;
	struct err e = ERR_INIT;
	char at[CLOCK_ISO_BYTES];
	size_t sessions = 0;

	vault_each(&l->s->vault, VAULT_SESSIONS, project, ".md", count, &sessions, &e);
	l->n++;
	if (l->json) {
		row_json(l, project, active, newest_us, sessions);
		return 0;
	}
	newest(at, newest_us);
	buf_printf(l->out, "%-24.*s %6zu event%s %5zu session%s  %.10s\n",
		   STR_ARG(project), active, active == 1 ? " " : "s", sessions,
		   sessions == 1 ? " " : "s", newest_us ? at : "");
	return 0;
}

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX), plain = BUF_INIT(OUT_MAX);
	struct store s = {.vault.lock = -1};
	struct list l = {.s = &s, .json = a->json, .out = a->json ? &out : &plain};
	int ret = memory_open(&s, a, e);

	if (!ret)
		ret = store_refresh(&s, STR_NONE, true, e);
	if (!ret)
		do {
			l.n = 0;
			buf_reset(l.out);
			if (a->json)
				buf_add(&out, STR("{\"format\":1,\"projects\":["));
			ret = index_projects(s.index, row, &l, e);
		} while (store_again(&s, &ret, e));
	if (a->json)
		buf_add(&out, STR("]}"));
	else
		redact_show(&out, buf_str(&plain), false);
	if (!ret)
		ret = print_text(&out, e);
	if (!ret && !l.n && !a->json)
		log_warn("nothing is remembered yet");
	store_release(&s);
	buf_release(&out);
	buf_release(&plain);
	return ret;
}

const struct command cmd_projects = {
	.name = "projects",
	.operands = "",
	.summary = "what is remembered of which project",
	.text = "Name, active events, sessions, and the day of the newest event of each project.\n",
	.options = OPT_JSON,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
