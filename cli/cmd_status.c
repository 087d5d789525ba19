/*
 * handoff status [OPTION]...
 */
#include <stdlib.h>

#include "commands.h"
#include "print.h"
#include "work/overview.h"

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct scope s = {.vault.lock = -1};
	int ret = scope_open(&s, a->session, NULL, e);

	if (!ret && a->session)
		ret = scope_known(&s, e);
	if (!ret)
		ret = overview_status(&s, a->json, &out, e);
	if (!ret)
		ret = print_text(&out, e);
	scope_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_status = {
	.name = "status",
	.operands = "",
	.summary =
		"this project: what waits, how the last session ended, what the hooks did",
	.text = "Documents and why one of them is not offered, the last session and how it ended, the\n"
		"vault, the off switch, what the hooks did last, and notes with lines that were\n"
		"passed over.\n",
	.options = OPT_JSON | OPT_SESSION,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
