/*
 * args: the options of all commands: one table that parses, and prints --help.
 *
 *   struct args a;
 *   ret = args_parse(&a, cmd, argc, argv, &e);
 *
 * Each command names the options it takes (struct command); any other one is a usage error.
 */
#ifndef RECOVER_ARGS_H
#define RECOVER_ARGS_H

#include "base/clock.h"
#include "base/err.h"
#include "base/out.h"
#include "data/config.h"

struct args {
	bool help, json, all, dead, exact, evidence, quiet;
	const char *claude_dir, *project, *output, *focus, *ledger;
	int64_t since; /* CLOCK_NONE */
	uint64_t ends;
	uint64_t limit; /* 0: all */
	uint64_t budget;
	int64_t git_ms;       /* for the repository's state */
	uint64_t first, last; /* 0: all records */
	char **word;          /* operands */
	int nwords;
};

enum {
	OPT_JSON = 1 << 0,
	OPT_PROJECT = 1 << 1, /* --project, --all, --claude-dir */
	OPT_DEAD = 1 << 2,
	OPT_EXACT = 1 << 3,
	OPT_LIMIT = 1 << 4,
	OPT_ENDS = 1 << 5,
	OPT_SINCE = 1 << 6,
	OPT_RANGE = 1 << 7,
	OPT_LEDGER = 1 << 8,
	OPT_BUDGET = 1 << 9,
	OPT_FOCUS = 1 << 10,
	OPT_EVIDENCE = 1 << 11,
	OPT_OUTPUT = 1 << 12,
	OPT_QUIET = 1 << 13,
	OPT_ALWAYS = 1 << 14, /* --help */
};

struct command {
	const char *name;
	const char *operands; /* as in the usage line */
	const char *summary;  /* a line */
	const char *text;     /* what --help says, whole lines */
	unsigned options;     /* OPT_* */
	int min_words, max_words;
	int (*run)(const struct args *a, struct err *e);
};

/* argv[0] is passed over. HF_EUSAGE with the message. */
int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *e);
/* Put the user's settings where no option was given; c outlives a. */
void args_settings(struct args *a, const struct config *c);
/* A record number, or a range "3-9"; both from 1. */
int args_range(const char *s, uint64_t *first, uint64_t *last, struct err *e);
void args_help(const struct command *c, struct out *o);

#endif
