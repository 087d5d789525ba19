/*
 * commands: one per file cmd_NAME.c; main.c has the table.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

extern const struct command cmd_save, cmd_draft, cmd_recover_start, cmd_check,
	cmd_hazards, cmd_status, cmd_list, cmd_show, cmd_config, cmd_off, cmd_on,
	cmd_forget, cmd_trust, cmd_recover, cmd_log, cmd_note, cmd_checkpoint, cmd_undo,
	cmd_projects, cmd_entities, cmd_completion, cmd_search, cmd_brief, cmd_record,
	cmd_packet, cmd_amfs;

/* The table, in the order of --help; ends with NULL. */
extern const struct command *const commands_all[];

#endif
