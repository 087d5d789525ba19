/*
 * handoff-recover show [OPTION]... SESSION INDEX...
 *
 * Phase 4: records by their numbers, on the recovery's ledger.
 */
#include <unistd.h>

#include "commands.h"
#include "input.h"
#include "work/dive.h"

static int ranges(const struct args *a, struct dive_range *r, size_t *n, struct err *e)
{
	int i, ret;

	for (i = 1; i < a->nwords; i++) {
		ret = args_range(a->word[i], &r[*n].first, &r[*n].last, e);
		if (ret)
			return ret;
		++*n;
	}
	return 0;
}

static int run(const struct args *a, struct err *e)
{
	struct dive_range range[DIVE_RANGES_MAX];
	struct buf text = BUF_INIT(DIVE_TEXT_MAX);
	struct input in;
	struct out o;
	size_t n = 0;
	int ret;

	ret = ranges(a, range, &n, e);
	if (ret)
		return ret;
	ret = input_open(&in, a, a->word[0], false, e);
	if (!ret)
		ret = glance_check(&in.src, in.pick.path, e);
	if (!ret)
		ret = dive_read(&in.src, in.pick.path, a->ledger ? a->ledger : "", range,
				n, a->json, &text, e);
	if (!ret) {
		out_init(&o, STDOUT_FILENO, "standard output");
		out_add(&o, buf_str(&text));
		ret = out_end(&o, e);
	}
	input_release(&in);
	buf_release(&text);
	return ret;
}

const struct command cmd_show = {
	.name = "show",
	.operands = "SESSION INDEX...",
	.summary = "single records by number, within the budget of a recovery",
	.text = "Phase 4: records by their numbers in `index` (7, or 3-9), a call with its result. A\n"
		"recovery may read 10 times and 50,000 tokens in all; each reply says what is left, and\n"
		"text is cut to that. The ledger is the session's unless --ledger names another.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_LEDGER | OPT_QUIET,
	.min_words = 2,
	.max_words = 1 + DIVE_RANGES_MAX,
	.run = run,
};
