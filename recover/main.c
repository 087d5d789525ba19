/*
 * handoff-recover: what a Claude Code session left behind, from its transcript.
 *
 * One table drives dispatch, --help and the tests. Exit status: 0; 1 when it failed (one
 * line on stderr; a reader of the output that goes away counts); 64 when it was called wrongly.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "commands.h"
#include "input.h"

static const struct command *const commands[] = {
	&cmd_list, &cmd_index, &cmd_backbone, &cmd_agents,
	&cmd_show, &cmd_doc,   &cmd_repair,
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static void program_help(struct out *o)
{
	size_t i;

	out_printf(o, "Usage: handoff-recover [COMMAND] [OPTION]... [SESSION]\n"
		      "\n"
		      "What a Claude Code session left behind, from its transcript.\n"
		      "\n");
	for (i = 0; i < COMMANDS; i++)
		out_printf(o, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	out_printf(
		o,
		"\n"
		"A SESSION is a path, an id, a unique prefix of one, or - for standard input; left\n"
		"out, it is the most recent dead session of this project. Without a COMMAND: doc.\n"
		"`handoff-recover COMMAND --help` lists the options of a command.\n");
}

static int print(void (*help)(struct out *o), const struct command *c, struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	if (c)
		args_help(c, &o);
	else if (help)
		help(&o);
	else
		out_printf(&o, "handoff-recover %s\n", HANDOFF_VERSION);
	return out_end(&o, e);
}

/* No command: a document of the session, if that is what the first word names. */
static int check_default(const struct args *a, struct err *e)
{
	struct catalog_options o = {.claude_dir = a->claude_dir};

	if (!a->nwords || a->help)
		return 0;
	if (find(a->word[0]))
		return err_set(e, HF_EUSAGE,
			       "the command comes first: handoff-recover %s ...",
			       a->word[0]);
	if (!catalog_is_named(&o, a->word[0]))
		return err_set(e, HF_EUSAGE, "'%s' is no command and no session",
			       a->word[0]);
	return 0;
}

static int parse(struct args *a, const struct command **c, int argc, char **argv,
		 struct err *e)
{
	int ret;

	*c = argc > 1 ? find(argv[1]) : NULL;
	if (*c)
		return args_parse(a, *c, argc - 1, argv + 1, e);
	*c = &cmd_doc;
	ret = args_parse(a, *c, argc, argv, e);
	return ret ? ret : check_default(a, e);
}

/* Settings that are no good are said and passed over. */
static int run_with_settings(const struct command *c, struct args *a, struct err *e)
{
	struct err bad = ERR_INIT;
	struct config config;
	int ret;

	if (config_load(&config, &bad) < 0)
		log_warn("%s", bad.msg);
	else if (config.problem)
		log_warn("%s", config.problem);
	args_settings(a, &config);
	ret = c->run(a, e);
	config_release(&config);
	return ret;
}

static int run(int argc, char **argv, struct err *e)
{
	const struct command *c;
	struct args a;
	int ret;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return print(program_help, NULL, e);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
		return print(NULL, NULL, e);
	ret = parse(&a, &c, argc, argv, e);
	if (ret)
		return ret;
	return a.help ? print(NULL, c, e) : run_with_settings(c, &a, e);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;

	if (!options_begin())
		return EXIT_FAILURE;
	log_name("handoff-recover");
	if (!clock_pin_ok())
		log_warn("HANDOFF_NOW is no time like 2026-02-12T18:20:00Z: passed over");
	return options_status(run(argc, argv, &e), &e);
}
