/*
 * handoff show [OPTION]... NAME
 */
#include "commands.h"
#include "print.h"
#include "work/names.h"
#include "work/overview.h"

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct scope s = {.vault.lock = -1};
	int ret = scope_open(&s, NULL, NULL, e);

	if (!ret)
		ret = overview_show(&s, a->word[0], a->json, &out, e);
	if (!ret)
		ret = print_text(&out, e);
	scope_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_show = {
	.name = "show",
	.operands = "NAME",
	.summary = "one handoff document",
	.text = "NAME is the name of a document or the id of a session, or a unique beginning of one; it\n"
		"is looked for in this project, then in all others.\n",
	.options = OPT_JSON,
	.completes = true,
	.names = NAMES_DOCUMENTS,
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
