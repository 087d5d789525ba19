/*
 * handoff-recover agents [OPTION]... [SESSION]
 *
 * Phase 3: sub-agents and what they returned.
 */
#include "commands.h"
#include "input.h"

static int run(const struct args *a, struct err *e)
{
	return input_phase(a, phases_agents, false, e);
}

const struct command cmd_agents = {
	.name = "agents",
	.operands = "[SESSION]",
	.summary = "sub-agents, and what they returned",
	.text = "Phase 3: each dispatch of a sub-agent with its result, whatever the tool was called.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_SINCE | OPT_RANGE | OPT_QUIET,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
