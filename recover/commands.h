/* commands: one table row each, in the order of --help; `doc` is what runs without a command. */
#ifndef RECOVER_COMMANDS_H
#define RECOVER_COMMANDS_H

#include "args.h"

extern const struct command cmd_list, cmd_index, cmd_backbone, cmd_agents, cmd_show,
	cmd_doc, cmd_repair;

#endif
