/*
 * recopt: the options of `record` and `packet`, whose verbs take more than the other commands.
 */
#ifndef CLI_RECOPT_H
#define CLI_RECOPT_H

#include "args.h"
#include "work/rectool.h"

#define RECOPT_LIST_MAX 128

struct recopt_list {
	str item[RECOPT_LIST_MAX];
	size_t n;
};

struct recopt {
	bool help, json, history, if_changed, all, text, peek, close, expects;
	const char *agent, *session, *note, *ref, *scope, *by, *to, *from, *parent,
		*packet;
	double confidence, min_confidence; /* confidence negative: not given */
	uint64_t version, expected, limit;
	struct recopt_list tags, done, next, open, hazards, refs;
	char **word;
	int nwords;
};

struct recopt_verb {
	const char *name, *operands, *summary;
	unsigned options;
	int min_words, max_words;
	int (*run)(const struct recopt *o, const struct record_store *s,
		   struct rectool *r, struct err *e);
};

enum {
	RECOPT_WRITE = 1 << 0,
	RECOPT_READ = 1 << 1,
	RECOPT_SEARCH = 1 << 2,
	RECOPT_OUTCOME = 1 << 3,
	RECOPT_CREATE = 1 << 4,
	RECOPT_PICKUP = 1 << 5,
	RECOPT_LIST = 1 << 6,
	RECOPT_ALWAYS = 1 << 14,
};

/* All options of all verbs; those of one have v->options or RECOPT_ALWAYS in their set. */
const struct option_row *recopt_rows(size_t *n);
/* Run one of the verbs: argv[0] is the command's name, argv[1] the verb. What r.failed says is HF_EFORMAT. */
int recopt_run(const char *command, const struct recopt_verb *verbs, size_t n, int argc,
	       char **argv, struct err *e);
/* The operand as JSON text: what is JSON stays, everything else is a string; "-" reads standard input. */
int recopt_value(const struct recopt *o, const char *word, struct buf *json,
		 struct err *e);

#endif
