/*
 * handoff list [OPTION]...
 */
#include "base/log.h"
#include "commands.h"
#include "print.h"
#include "work/overview.h"

static int run(const struct args *a, struct err *e)
{
	struct overview_list o = {.all = a->all, .archive = a->archive, .json = a->json};
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct scope s = {.vault.lock = -1};
	int ret = scope_open(&s, NULL, NULL, e);

	if (!ret)
		ret = overview_list(&s, &o, &out, e);
	if (!ret)
		ret = print_text(&out, e);
	if (!ret && !out.n)
		log_warn("no document of %s", a->all ? "any project" : s.project);
	scope_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_list = {
	.name = "list",
	.operands = "",
	.summary = "handoff documents, newest first",
	.text = "Name, status, kind and title of each document of this project.\n",
	.options = OPT_JSON | OPT_LIST,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
