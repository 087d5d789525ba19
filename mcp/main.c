/*
 * handoff-mcp: memory and recovery for any client of the Model Context Protocol, over stdio.
 *
 * Exit status: 0, also when the client goes away or a signal ends it; 1 when it cannot begin;
 * 64 when it was called wrongly. Standard output carries messages of the protocol and nothing
 * else: it is moved away from descriptor 1 first, which then leads where standard error does.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "data/config.h"
#include "server.h"
#include "tools.h"
#include "work/recplace.h"

#define FIRST_FREE_FD 3

static void help(struct out *o)
{
	out_printf(
		o,
		"Usage: handoff-mcp\n"
		"\n"
		"A server of the Model Context Protocol on standard input and output: memory between\n"
		"sessions, and what a session that died left behind. Clients start it; for people\n"
		"there is `handoff`. Tools:\n"
		"\n");
	tools_help(o);
	out_printf(
		o,
		"\n"
		"Settings are variables: HANDOFF_VAULT, HANDOFF_PROJECT, HANDOFF_TOKEN_BUDGET,\n"
		"HANDOFF_OFF, HANDOFF_TOOLS, AGENT_ID, MEMORY_DB; see the man page.\n");
}

static int print(bool version, struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	if (version)
		out_printf(&o, "handoff-mcp %s\n", HANDOFF_VERSION);
	else
		help(&o);
	return out_end(&o, e);
}

/* A client keeps what a server says at its start: also that every call will fail, and why. */
static void say_place(void)
{
	struct buf vault = BUF_INIT(1u << 16);
	char *notice = recplace_notice();
	struct err e = ERR_INIT;

	if (config_vault_dir(&vault, &e))
		log_warn("%s", e.msg);
	else if (notice)
		log_warn("%s", notice);
	free(notice);
	buf_release(&vault);
}

static int serve(const char *argv0, struct err *e)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	struct server s;

	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(e, "standard output");
	say_place();
	server_init(&s, STDIN_FILENO, out, argv0);
	server_run(&s);
	server_release(&s);
	return 0;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	int ret;

	if (!options_begin())
		return EXIT_FAILURE;
	log_name("handoff-mcp");
	if (!clock_pin_ok())
		log_warn("HANDOFF_NOW is no time like 2026-02-12T18:20:00Z: passed over");
	if (argc == 1)
		ret = serve(argv[0], &e);
	else if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		ret = print(false, &e);
	else if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		ret = print(true, &e);
	else
		ret = err_set(&e, HF_EUSAGE, "unexpected argument '%s' (--help)",
			      argv[1]);
	return options_status(ret, &e);
}
