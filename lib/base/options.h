/*
 * options: what every command line program here needs: a table of options that getopt_long
 * parses and --help prints, the first three descriptors, the exit status.
 *
 *   static const struct option_row rows[] = {{OPT_ALL, KEY_ALL, "all", NULL, "all projects"}, ...};
 *   ret = options_parse(rows, ROWS, c->options, argc, argv, take, &args, &first, &e);
 *   ...
 *   return options_status(ret, &e);
 *
 * Errors name the option as it was written. Short options are keys below 256; words that
 * are no options may stand anywhere, "--" ends options.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/err.h"
#include "base/out.h"

#define OPTIONS_MAX        32 /* rows that one command may allow */
#define OPTIONS_EXIT_USAGE 64 /* called wrongly */

struct option_row {
	unsigned set;      /* bits of which one must be allowed */
	int key;           /* a letter, or from 256 on */
	const char *name;  /* without "--" */
	const char *value; /* what --help calls it; NULL: it takes none */
	const char *help;
};

/*
 * Give each option of the allowed rows to take (value NULL where it takes none; what take
 * returns but 0 ends the parsing and is returned). *first is the first operand in argv,
 * which is permuted. 0 or HF_EUSAGE.
 */
int options_parse(const struct option_row *rows, size_t n, unsigned allowed, int argc,
		  char **argv,
		  int (*take)(void *arg, int key, const char *value, struct err *e),
		  void *arg, int *first, struct err *e);
/* One line for each allowed row. */
void options_help(const struct option_row *rows, size_t n, unsigned allowed,
		  struct out *o);

/* For the head of main: a descriptor of the first three that came closed becomes /dev/null, so that no file of ours takes its place; SIGPIPE is ignored. False: it cannot be helped. */
bool options_begin(void);
/* For its end: 0; else one line on stderr, and 1 or OPTIONS_EXIT_USAGE. */
int options_status(int ret, const struct err *e);

#endif
