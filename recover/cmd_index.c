/*
 * handoff-recover index [OPTION]... [SESSION]
 *
 * Phase 1: all records, numbered, and how the session ended.
 */
#include "commands.h"
#include "input.h"

static int run(const struct args *a, struct err *e)
{
	return input_phase(a, phases_index, false, e);
}

const struct command cmd_index = {
	.name = "index",
	.operands = "[SESSION]",
	.summary = "all records, numbered, and how the session ended",
	.text = "Phase 1: every record with its number, time, role, tool, size, first and last\n"
		"characters, exit status, files and commands; then compactions, losses, abandoned\n"
		"branches, and how the session ended. The numbers are those that `show` takes.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_ENDS | OPT_SINCE | OPT_RANGE | OPT_QUIET,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
