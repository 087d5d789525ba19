/*
 * args: the options of all commands: one table that parses, and prints --help.
 *
 *   struct args a;
 *   ret = args_parse(&a, cmd, argc, argv, &e);
 *
 * Each command names the options it takes (struct command); any other one is a usage error.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "base/err.h"
#include "base/out.h"
#include "data/config.h"

struct args {
	bool help, json, all, archive, project, recovered, yes;
	const char *session, *focus, *reason, *name;
	uint64_t retire;        /* 0: none */
	const struct config *c; /* the user's settings */
	char **word;            /* operands */
	int nwords;
};

enum {
	OPT_JSON = 1 << 0,
	OPT_SESSION = 1 << 1,
	OPT_FOCUS = 1 << 2,  /* --focus, --recovered */
	OPT_LIST = 1 << 3,   /* --all, --archive */
	OPT_RETIRE = 1 << 4, /* --retire, --reason */
	OPT_PROJECT = 1 << 5,
	OPT_YES = 1 << 6,
	OPT_NAME = 1 << 7,
	OPT_ALWAYS = 1 << 14, /* --help */
};

struct command {
	const char *name;
	const char *operands; /* as in the usage line */
	const char *summary;  /* a line */
	const char *text;     /* what --help says, whole lines */
	unsigned options;     /* OPT_* */
	bool raw;             /* its arguments are not ours: argv goes to run as it is */
	bool gentle; /* called from within a skill: what is wrong is told on stdout, with status 0 */
	int min_words, max_words;
	int (*run)(const struct args *a, struct err *e);
};

/* argv[0] is passed over. HF_EUSAGE with the message. */
int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *e);
void args_help(const struct command *c, struct out *o);

#endif
