#include "args.h"

#include <inttypes.h>

#include "base/options.h"

#define INDEX_MAX  UINT64_C(1000000000)
#define ENDS_MAX   UINT64_C(4096)
#define LIMIT_MAX  UINT64_C(1000000)
#define BUDGET_MAX UINT64_C(1000000)
#define MS_MINUTE  INT64_C(60000)

/* What getopt_long returns: letters where there is a short form. */
enum {
	KEY_ALL = 'a',
	KEY_LIMIT = 'n',
	KEY_OUTPUT = 'o',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_JSON = 256,
	KEY_PROJECT,
	KEY_CLAUDE_DIR,
	KEY_DEAD,
	KEY_EXACT,
	KEY_ENDS,
	KEY_SINCE,
	KEY_RANGE,
	KEY_LEDGER,
	KEY_BUDGET,
	KEY_FOCUS,
	KEY_EVIDENCE,
};

static const struct option_row rows[] = {
	{OPT_JSON, KEY_JSON, "json", NULL, "print JSON"},
	{OPT_PROJECT, KEY_PROJECT, "project", "DIR",
	 "sessions of this directory's project, not of the current one's"},
	{OPT_PROJECT, KEY_ALL, "all", NULL, "sessions of all projects"},
	{OPT_PROJECT, KEY_CLAUDE_DIR, "claude-dir", "DIR",
	 "the client's folder, not CLAUDE_CONFIG_DIR or ~/.claude"},
	{OPT_DEAD, KEY_DEAD, "dead", NULL, "only sessions that ended with work left"},
	{OPT_LIMIT, KEY_LIMIT, "limit", "N", "only the newest N"},
	{OPT_EXACT, KEY_EXACT, "exact", NULL, "count messages by reading whole files"},
	{OPT_ENDS, KEY_ENDS, "ends", "N",
	 "first and last N characters of each text (80)"},
	{OPT_SINCE, KEY_SINCE, "since", "TIME",
	 "only what came later: 2026-02-12T18:20:00Z, 2026-02-12, 90m, 2h, 3d"},
	{OPT_RANGE, KEY_RANGE, "range", "A-B", "only records A to B"},
	{OPT_LEDGER, KEY_LEDGER, "ledger", "ID",
	 "the ledger to read on, not the session's"},
	{OPT_BUDGET, KEY_BUDGET, "budget", "N", "tokens the document may have (4000)"},
	{OPT_FOCUS, KEY_FOCUS, "focus", "WORDS",
	 "keep what serves this; hazards are never left out"},
	{OPT_EVIDENCE, KEY_EVIDENCE, "evidence", NULL,
	 "say from which records each line comes"},
	{OPT_OUTPUT, KEY_OUTPUT, "output", "FILE", "write there, whole or not at all"},
	{OPT_QUIET, KEY_QUIET, "quiet", NULL, "no progress on the terminal"},
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

int args_range(const char *s, uint64_t *first, uint64_t *last, struct err *e)
{
	str rest = str_of(s), a, b;
	bool ok = str_split(&rest, '-', &a) && str_u64(a, first);

	*last = *first;
	if (ok && memchr(s, '-', strlen(s)))
		ok = str_split(&rest, '-', &b) && !rest.n && str_u64(b, last);
	if (ok && *first >= 1 && *first <= *last && *last <= INDEX_MAX)
		return 0;
	return err_set(e, HF_EUSAGE, "'%s' is no record number and no range like 3-9", s);
}

/* A point in time, or how long ago: 90m, 2h, 3d. */
static int since(const char *s, int64_t *ms, struct err *e)
{
	str text = str_of(s);
	int64_t unit = 0;
	uint64_t n;

	if (clock_parse(text, ms))
		return 0;
	if (text.n > 1)
		switch (text.p[text.n - 1]) {
		case 'm':
			unit = MS_MINUTE;
			break;
		case 'h':
			unit = 60 * MS_MINUTE;
			break;
		case 'd':
			unit = 24 * 60 * MS_MINUTE;
			break;
		}
	if (!unit || !str_u64(str_head(text, text.n - 1), &n) || n > 1000000)
		return err_set(
			e, HF_EUSAGE,
			"--since: '%s' is no time like 2026-02-12T18:20:00Z, 2026-02-12 or 2h",
			s);
	*ms = clock_now() - (int64_t)n * unit;
	return 0;
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
	case KEY_DEAD:
		a->dead = true;
		return 0;
	case KEY_EXACT:
		a->exact = true;
		return 0;
	case KEY_EVIDENCE:
		a->evidence = true;
		return 0;
	case KEY_QUIET:
		a->quiet = true;
		return 0;
	case KEY_HELP:
		a->help = true;
		return 0;
	case KEY_PROJECT:
		return not_empty("project", value, &a->project, e);
	case KEY_CLAUDE_DIR:
		return not_empty("claude-dir", value, &a->claude_dir, e);
	case KEY_FOCUS:
		return not_empty("focus", value, &a->focus, e);
	case KEY_LEDGER:
		return not_empty("ledger", value, &a->ledger, e);
	case KEY_OUTPUT:
		return not_empty("output", value, &a->output, e);
	case KEY_LIMIT:
		return number("limit", value, LIMIT_MAX, &a->limit, e);
	case KEY_ENDS:
		return number("ends", value, ENDS_MAX, &a->ends, e);
	case KEY_BUDGET:
		return number("budget", value, BUDGET_MAX, &a->budget, e);
	case KEY_RANGE:
		return args_range(value, &a->first, &a->last, e);
	case KEY_SINCE:
		return since(value, &a->since, e);
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
	if (a->all && a->project)
		return err_set(e, HF_EUSAGE, "--all and --project exclude each other");
	return 0;
}

int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *e)
{
	int first, ret;

	*a = (struct args){.since = CLOCK_NONE};
	ret = options_parse(rows, ROWS, c->options | OPT_ALWAYS, argc, argv, take, a,
			    &first, e);
	if (ret)
		return ret;
	a->word = argv + first;
	a->nwords = argc - first;
	return a->help ? 0 : check(a, c, e);
}

void args_settings(struct args *a, const struct config *c)
{
	if (!a->budget)
		a->budget = (uint64_t)config_int(c, "budget");
	if (!a->ends)
		a->ends = (uint64_t)config_int(c, "ends");
	if (!a->claude_dir && config_get(c, "claude_dir")->value[0])
		a->claude_dir = config_get(c, "claude_dir")->value;
	a->git_ms = config_int(c, "git_ms");
}

void args_help(const struct command *c, struct out *o)
{
	out_printf(o, "Usage: handoff-recover %s [OPTION]...%s%s\n\n%s\n", c->name,
		   c->operands[0] ? " " : "", c->operands, c->text);
	options_help(rows, ROWS, c->options | OPT_ALWAYS, o);
}
