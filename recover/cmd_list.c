/*
 * handoff-recover list [OPTION]...
 *
 * Which sessions there are and how they ended, newest activity first.
 */
#include <limits.h>
#include <unistd.h>

#include "base/log.h"
#include "commands.h"
#include "input.h"

static void print(const struct catalog *c, const struct args *a, struct out *o)
{
	if (a->json)
		catalog_list_json(c, o);
	else
		catalog_list(c, a->all, o);
}

static int run(const struct args *a, struct err *e)
{
	struct buf cwd = BUF_INIT(PATH_MAX);
	struct progress progress;
	struct catalog_options opt;
	struct catalog c = {0};
	struct out o;
	int ret;

	progress_init(&progress, a);
	ret = input_options(a, &cwd, &opt, e);
	if (ret)
		goto out;
	opt.progress = progress_tell;
	opt.progress_arg = &progress;
	ret = catalog_load(&c, &opt, e);
	progress_end(&progress);
	if (ret)
		goto out;
	out_init(&o, STDOUT_FILENO, "standard output");
	print(&c, a, &o);
	ret = out_end(&o, e);
	if (c.problem)
		log_warn(
			c.skipped == 1
				? "%zu file or folder could not be read: %s"
				: "%zu files or folders could not be read: the first is %s",
			c.skipped, c.problem);
	if (!ret && !c.n && !a->json)
		log_warn("no %ssession of %s%s", a->dead ? "dead " : "",
			 opt.project ? opt.project : "any project",
			 c.others ? " (--all lists those of other projects)" : "");
out:
	catalog_release(&c);
	buf_release(&cwd);
	return ret;
}

const struct command cmd_list = {
	.name = "list",
	.operands = "",
	.summary = "which sessions there are, and how they ended",
	.text = "List the sessions of this project, newest first: last activity, id, size, messages\n"
		"(blank where unknown), branch, how it ended and why, title.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_DEAD | OPT_LIMIT | OPT_EXACT | OPT_QUIET,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
