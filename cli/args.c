#include "args.h"

#include <inttypes.h>

#include "base/options.h"
#include "work/identity.h"

#define RETIRE_MAX UINT64_C(1000)
#define LIMIT_MAX  UINT64_C(200) /* hits */
#define BUDGET_MAX 100000        /* tokens */

/* What getopt_long returns: letters where there is a short form. */
enum {
	KEY_ALL = 'a',
	KEY_YES = 'y',
	KEY_HELP = 'h',
	KEY_JSON = 256,
	KEY_SESSION,
	KEY_FOCUS,
	KEY_RECOVERED,
	KEY_ARCHIVE,
	KEY_RETIRE,
	KEY_REASON,
	KEY_PROJECT,
	KEY_NAME,
	KEY_IN,
	KEY_IMPORTANCE,
	KEY_SUPERSEDES,
	KEY_QUERY,
	KEY_LIMIT,
	KEY_TYPE,
	KEY_SINCE,
	KEY_UNTIL,
	KEY_RETIRED,
	KEY_EXPLAIN,
	KEY_BUDGET,
};

static const struct option_row rows[] = {
	{OPT_JSON, KEY_JSON, "json", NULL, "print JSON"},
	{OPT_SESSION, KEY_SESSION, "session", "ID", "the client's session it is about"},
	{OPT_FOCUS, KEY_FOCUS, "focus", "WORDS", "what the document was narrowed to"},
	{OPT_FOCUS, KEY_RECOVERED, "recovered", NULL,
	 "it is of a session that died, made by another one"},
	{OPT_LIST, KEY_ALL, "all", NULL, "documents of all projects"},
	{OPT_LIST, KEY_ARCHIVE, "archive", NULL, "also those that are done with"},
	{OPT_RETIRE, KEY_RETIRE, "retire", "N", "hazard N holds no longer"},
	{OPT_RETIRE, KEY_REASON, "reason", "WORDS", "why; kept in the document"},
	{OPT_PROJECT, KEY_PROJECT, "project", NULL, "only this project"},
	{OPT_IN, KEY_IN, "project", "NAME", "this project, not the one of the directory"},
	{OPT_LOG, KEY_IMPORTANCE, "importance", "N", "1 to 5; 3 where nothing is said"},
	{OPT_LOG, KEY_SUPERSEDES, "supersedes", "ID",
	 "the event that this one replaces; may be repeated"},
	{OPT_LOG, KEY_QUERY, "supersedes-query", "WORDS",
	 "it replaces the event of its type that fits these words best"},
	{OPT_FIND, KEY_ALL, "all", NULL, "in all projects"},
	{OPT_FIND, KEY_LIMIT, "limit", "N",
	 "so many hits at most; 10 where nothing is said"},
	{OPT_FIND, KEY_TYPE, "type", "TYPE",
	 "only events of this type: goal, next_step, decision, deadend, question, file"},
	{OPT_FIND, KEY_SINCE, "since", "TIME",
	 "only what is from then or later: 2026-02-12, or 2026-02-12T18:20:00Z"},
	{OPT_FIND, KEY_UNTIL, "until", "TIME",
	 "only what is from before then; of a date, that day too"},
	{OPT_FIND, KEY_RETIRED, "retired", NULL, "also what has been superseded"},
	{OPT_BUDGET, KEY_BUDGET, "budget", "TOKENS",
	 "so long at most; 0 holds nothing; without, the setting brief_tokens (1200)"},
	{OPT_EXPLAIN, KEY_EXPLAIN, "explain", NULL,
	 "say why each line is there, and what is not"},
	{OPT_NAME, KEY_NAME, "name", "NAME", "the project's name from now on"},
	{OPT_YES, KEY_YES, "yes", NULL, "do it; without, only say what would go"},
	{OPT_ALWAYS, KEY_HELP, "help", NULL, "print this"},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static int number(const char *option, const char *s, uint64_t max, uint64_t *out,
		  struct err *e)
{
	if (str_u64(str_of(s), out) && *out >= 1 && *out <= max)
		return 0;
	return err_set(e, HF_EUSAGE,
		       "--%s needs a number from 1 to %" PRIu64 ", not '%s'", option, max,
		       s);
}

static int budget(const char *s, int64_t *out, struct err *e)
{
	if (str_i64(str_of(s), out) && *out >= 0 && *out <= BUDGET_MAX)
		return 0;
	return err_set(e, HF_EUSAGE, "--budget needs a number from 0 to %d, not '%s'",
		       BUDGET_MAX, s);
}

static int not_empty(const char *option, const char *s, const char **out, struct err *e)
{
	*out = s;
	return s[0] ? 0 : err_set(e, HF_EUSAGE, "--%s is empty", option);
}

static int take(void *arg, int key, const char *value, struct err *e)
{
	struct args *a = arg;

	switch (key) {
	case KEY_JSON:
		a->json = true;
		return 0;
	case KEY_ALL:
		a->all = true;
		return 0;
	case KEY_ARCHIVE:
		a->archive = true;
		return 0;
	case KEY_RECOVERED:
		a->recovered = true;
		return 0;
	case KEY_PROJECT:
		a->project = true;
		return 0;
	case KEY_YES:
		a->yes = true;
		return 0;
	case KEY_HELP:
		a->help = true;
		return 0;
	case KEY_SESSION:
		return not_empty("session", value, &a->session, e);
	case KEY_REASON:
		return not_empty("reason", value, &a->reason, e);
	case KEY_NAME:
		return not_empty("name", value, &a->name, e);
	case KEY_IN:
		a->in = value;
		return identity_name(str_of(value), true, e);
	case KEY_LIMIT:
		return number("limit", value, LIMIT_MAX, &a->limit, e);
	case KEY_BUDGET:
		return budget(value, &a->budget, e);
	case KEY_TYPE:
		return not_empty("type", value, &a->type, e);
	case KEY_SINCE:
		return not_empty("since", value, &a->since, e);
	case KEY_UNTIL:
		return not_empty("until", value, &a->until, e);
	case KEY_RETIRED:
		a->retired = true;
		return 0;
	case KEY_EXPLAIN:
		a->explain = true;
		return 0;
	case KEY_QUERY:
		return not_empty("supersedes-query", value, &a->query, e);
	case KEY_IMPORTANCE:
		return number("importance", value, 5, &a->importance, e);
	case KEY_SUPERSEDES:
		if (a->nsupersedes == ARGS_LIST_MAX)
			return err_set(e, HF_EUSAGE, "--supersedes: over %d times",
				       ARGS_LIST_MAX);
		return not_empty("supersedes", value, &a->supersedes[a->nsupersedes++],
				 e);
	case KEY_FOCUS:
		/* a skill fills in what the user gave, which may be nothing */
		a->focus = value;
		return 0;
	case KEY_RETIRE:
		return number("retire", value, RETIRE_MAX, &a->retire, e);
	}
	return err_set(e, HF_EUSAGE, "unknown option");
}

static int check(const struct args *a, const struct command *c, struct err *e)
{
	if (a->nwords < c->min_words)
		return err_set(e, HF_EUSAGE, "%s: missing argument: %s %s", c->name,
			       c->name, c->operands);
	if (a->nwords > c->max_words)
		return err_set(e, HF_EUSAGE, "%s: unexpected argument '%s'", c->name,
			       a->word[c->max_words]);
	for (int i = 0; !c->empty && i < a->nwords; i++)
		if (!a->word[i][0])
			return err_set(e, HF_EUSAGE, "%s: an argument is empty: %s %s",
				       c->name, c->name, c->operands);
	if (a->all && a->in)
		return err_set(e, HF_EUSAGE, "--all and --project exclude each other");
	return 0;
}

int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *e)
{
	int first, ret;

	*a = (struct args){.budget = -1};
	ret = options_parse(rows, ROWS, c->options | OPT_ALWAYS, argc, argv, take, a,
			    &first, e);
	if (ret)
		return ret;
	a->word = argv + first;
	a->nwords = argc - first;
	return a->help ? 0 : check(a, c, e);
}

const struct option_row *args_rows(size_t *n)
{
	*n = ROWS;
	return rows;
}

void args_help(const struct command *c, struct out *o)
{
	out_printf(o, "Usage: handoff %s [OPTION]...%s%s\n\n%s\n", c->name,
		   c->operands[0] ? " " : "", c->operands, c->text);
	options_help(rows, ROWS, c->options | OPT_ALWAYS, o);
}
