/*
 * handoff-recover backbone [OPTION]... [SESSION]
 *
 * Phase 2: what was said.
 */
#include "commands.h"
#include "input.h"

static int run(const struct args *a, struct err *e)
{
	return input_phase(a, phases_backbone, true, e);
}

const struct command cmd_backbone = {
	.name = "backbone",
	.operands = "[SESSION]",
	.summary = "what the user and the assistant said",
	.text = "Phase 2: the user's messages and the assistant's texts, without tool calls, tool\n"
		"results, reminders and command noise. Of a session (whole id) whose transcript is gone,\n"
		"what history.jsonl still has of it.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_SINCE | OPT_RANGE | OPT_QUIET,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
