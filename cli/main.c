/*
 * handoff: what one session of Claude Code leaves to the next, for people and skills.
 *
 * One table drives dispatch, --help and the tests. Exit status: 0; 1 when it failed (one
 * line on stderr); 64 when it was called wrongly. What skills inline (draft, recover-start)
 * exits 0 always and says what is wrong on standard output: the client would drop the whole skill
 * otherwise.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "commands.h"

const struct command *const commands_all[] = {
	&cmd_status,     &cmd_list,     &cmd_show,          &cmd_check,   &cmd_hazards,
	&cmd_save,       &cmd_draft,    &cmd_recover_start, &cmd_recover, &cmd_config,
	&cmd_off,        &cmd_on,       &cmd_forget,        &cmd_trust,   &cmd_record,
	&cmd_log,        &cmd_note,     &cmd_checkpoint,    &cmd_undo,    &cmd_brief,
	&cmd_search,     &cmd_projects, &cmd_entities,      &cmd_packet,  &cmd_amfs,
	&cmd_completion, NULL,
};

static const struct command *find(const char *name)
{
	for (const struct command *const *c = commands_all; *c; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

static void program_help(struct out *o)
{
	out_printf(o, "Usage: handoff COMMAND [OPTION]... [ARGUMENT]...\n"
		      "\n"
		      "What one session of Claude Code leaves to the next.\n"
		      "\n");
	for (const struct command *const *c = commands_all; *c; c++)
		out_printf(o, "  %-13s %s\n", (*c)->name, (*c)->summary);
	out_printf(o, "\n"
		      "`handoff COMMAND --help` lists the options of a command.\n");
}

static int print_help(const struct command *c, struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	if (c)
		args_help(c, &o);
	else
		program_help(&o);
	return out_end(&o, e);
}

static int print_version(struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	out_printf(&o, "handoff %s\n", HANDOFF_VERSION);
	return out_end(&o, e);
}

/* Settings that are no good are said and passed over; once, where the command fails for them. */
static int run_with_settings(const struct command *c, struct args *a, struct err *e)
{
	struct err bad = ERR_INIT;
	struct config config;
	const char *why;
	int ret;

	why = config_load(&config, &bad) < 0 ? bad.msg : config.problem;
	a->c = &config;
	ret = c->run(a, e);
	if (why && !(ret && strstr(e->msg, why)))
		log_warn("%s", why);
	config_release(&config);
	return ret;
}

static int run_command(const struct command *c, int argc, char **argv, struct err *e)
{
	struct args a = {.word = argv + 1, .nwords = argc - 1};
	int ret;

	if (c->raw)
		return c->run(&a, e);
	ret = args_parse(&a, c, argc, argv, e);
	if (ret)
		return ret;
	return a.help ? print_help(c, e) : run_with_settings(c, &a, e);
}

/* What went wrong becomes the answer. */
static int say(const struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	out_printf(&o, "handoff: %s\n", e->msg[0] ? e->msg : "failed");
	out_end(&o, NULL);
	return 0;
}

static int run(int argc, char **argv, struct err *e)
{
	const struct command *c;
	int ret;

	if (argc < 2)
		return err_set(e, HF_EUSAGE, "no command; `handoff --help` lists them");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help(NULL, e);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return print_version(e);
	c = find(argv[1]);
	if (!c && argv[1][0] == '-')
		return err_set(e, HF_EUSAGE, "unknown option %s", argv[1]);
	if (!c)
		return err_set(e, HF_EUSAGE,
			       "unknown command '%s'; `handoff --help` lists them",
			       argv[1]);
	ret = run_command(c, argc - 1, argv + 1, e);
	return ret && ret != HF_EPIPE && c->gentle ? say(e) : ret;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;

	if (!options_begin())
		return EXIT_FAILURE;
	log_name("handoff");
	if (!clock_pin_ok())
		log_warn("HANDOFF_NOW is no time like 2026-02-12T18:20:00Z: passed over");
	return options_status(run(argc, argv, &e), &e);
}
