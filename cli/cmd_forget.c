/*
 * handoff forget [OPTION]... SESSION|PROJECT
 */
#include "commands.h"
#include "print.h"
#include "work/forget.h"
#include "work/names.h"

#define OUT_MAX (16u << 20)

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	struct scope s = {.vault.lock = -1};
	struct forget f = {.project = NULL};
	int ret = scope_open(&s, NULL, NULL, e);

	if (!ret)
		ret = forget_plan(&f, &s, a->word[0], e);
	if (!ret && a->yes)
		ret = forget_run(&f, &s, e);
	if (!ret) {
		forget_show(&f, a->yes, a->json, &out);
		ret = print_text(&out, e);
	}
	forget_release(&f);
	scope_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_forget = {
	.name = "forget",
	.operands = "SESSION|PROJECT",
	.summary = "remove what is kept of a session or a project",
	.text = "Documents, notes, journal, facts, ledger and log lines of a session (id, or 8 and more\n"
		"characters of it), or all of a project. Without --yes it only says what would go. The\n"
		"client's own transcripts stay.\n",
	.options = OPT_JSON | OPT_YES,
	.completes = true,
	.names = NAMES_PROJECTS,
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
