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
#include "base/options.h"
#include "base/out.h"
#include "data/config.h"

#define ARGS_LIST_MAX 64 /* times that an option may be repeated */

struct args {
	bool help, json, all, archive, project, recovered, yes;
	const char *session, *focus, *reason, *name;
	const char *in; /* --project NAME: the one that a command is to work on */
	const char *query;
	bool retired, explain;
	const char *type, *since, *until;
	uint64_t limit; /* 0: not said */
	int64_t budget; /* negative: not said; 0: it holds nothing */
	const char *supersedes[ARGS_LIST_MAX];
	size_t nsupersedes;
	uint64_t importance;    /* 0: not said */
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
	OPT_IN = 1 << 8,    /* --project NAME */
	OPT_LOG = 1 << 9,   /* --importance, --supersedes, --supersedes-query */
	OPT_FIND = 1 << 10, /* --all, --limit, --type, --since, --until, --retired */
	OPT_EXPLAIN = 1 << 11,
	OPT_BUDGET = 1 << 12,
	OPT_ALWAYS = 1 << 14, /* --help */
};

struct recopt_verb;

struct command {
	const char *name;
	const char *operands; /* as in the usage line */
	const char *summary;  /* a line */
	const char *text;     /* what --help says, whole lines */
	unsigned options;     /* OPT_* */
	const char *
		choices; /* what the first operand may be, for completion; NULL: anything */
	bool completes; /* the first operand names something, of the kind: */
	int names;      /* enum names_kind */
	const struct recopt_verb *verbs; /* of a command that has some */
	size_t nverbs;
	bool raw; /* its arguments are not ours: argv goes to run as it is */
	bool empty; /* an operand of no characters means something, or is told by the command itself */
	bool gentle; /* called from within a skill: what is wrong is told on stdout, with status 0 */
	int min_words, max_words;
	int (*run)(const struct args *a, struct err *e);
};

/* argv[0] is passed over. HF_EUSAGE with the message. */
int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *e);
void args_help(const struct command *c, struct out *o);
/* All options of all commands; those of one have c->options or OPT_ALWAYS in their set. */
const struct option_row *args_rows(size_t *n);

#endif
