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

static int serve(const char *argv0, struct err *e)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	struct server s;

	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(e, "standard output");
	server_init(&s, STDIN_FILENO, out, argv0);
	server_run(&s);
	server_release(&s);
	return 0;
}

/* A configuration made for another server of records names a file: what stands for it is the vault of all tools. */
static void take_memory_db(void)
{
	struct buf dir = BUF_INIT(1u << 16);
	char *notice = NULL;

	if (recplace_memory_db(&dir, &notice))
		setenv("HANDOFF_VAULT", buf_cstr(&dir), 1);
	if (notice)
		log_warn("%s", notice);
	free(notice);
	buf_release(&dir);
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
	take_memory_db();
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
