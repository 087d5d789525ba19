#include "args.h"

#include <getopt.h>
#include <inttypes.h>

#define RETIRE_MAX  UINT64_C(1000)
#define HELP_COLUMN 24
#define OPTIONS_MAX 16

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
};

static const struct option_row {
	unsigned set; /* OPT_* that allows it */
	int key;
	const char *name;
	const char *value; /* NULL: takes none */
	const char *help;
} rows[] = {
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
	{OPT_NAME, KEY_NAME, "name", "NAME", "the project's name from now on"},
	{OPT_YES, KEY_YES, "yes", NULL, "do it; without, only say what would go"},
	{OPT_ALWAYS, KEY_HELP, "help", NULL, "print this"},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static bool allowed(const struct command *c, const struct option_row *r)
{
	return (c->options | OPT_ALWAYS) & r->set;
}

static bool has_letter(const struct option_row *r)
{
	return r->key < 256;
}

static int number(const char *option, const char *s, uint64_t max, uint64_t *out,
		  struct err *e)
{
	if (str_u64(str_of(s), out) && *out >= 1 && *out <= max)
		return 0;
	return err_set(e, HF_EUSAGE,
		       "--%s needs a number from 1 to %" PRIu64 ", not '%s'", option, max,
		       s);
}

static int not_empty(const char *option, const char *s, const char **out, struct err *e)
{
	*out = s;
	return s[0] ? 0 : err_set(e, HF_EUSAGE, "--%s is empty", option);
}

static int take(struct args *a, int key, const char *value, struct err *e)
{
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
	case KEY_FOCUS:
		/* a skill fills in what the user gave, which may be nothing */
		a->focus = value;
		return 0;
	case KEY_RETIRE:
		return number("retire", value, RETIRE_MAX, &a->retire, e);
	}
	return err_set(e, HF_EUSAGE, "unknown option");
}

/* getopt has seen something wrong: say what, as it was written. */
static int wrong(char **argv, bool missing, struct err *e)
{
	const char *last = argv[optind - 1];
	bool is_long =
		strncmp(last, "--", 2) == 0 && (missing || !optopt || strchr(last, '='));

	if (!is_long)
		return err_set(e, HF_EUSAGE,
			       missing ? "option -%c needs a value"
				       : "unknown option -%c",
			       optopt);
	if (missing)
		return err_set(e, HF_EUSAGE, "option %s needs a value", last);
	return err_set(e, HF_EUSAGE,
		       optopt ? "option %s takes no value" : "unknown option %s", last);
}

static int check(const struct args *a, const struct command *c, struct err *e)
{
	if (a->nwords < c->min_words)
		return err_set(e, HF_EUSAGE, "%s: missing argument: %s %s", c->name,
			       c->name, c->operands);
	if (a->nwords > c->max_words)
		return err_set(e, HF_EUSAGE, "%s: unexpected argument '%s'", c->name,
			       a->word[c->max_words]);
	return 0;
}

int args_parse(struct args *a, const struct command *c, int argc, char **argv,
	       struct err *e)
{
	struct option longs[OPTIONS_MAX] = {{0}};
	char shorts[2 * OPTIONS_MAX + 2] = ":";
	size_t i, n = 0, s = 1;
	int key, ret;

	*a = (struct args){.c = NULL};
	for (i = 0; i < ROWS; i++) {
		const struct option_row *r = &rows[i];

		if (!allowed(c, r))
			continue;
		longs[n++] = (struct option){r->name,
					     r->value ? required_argument : no_argument,
					     NULL, r->key};
		if (has_letter(r)) {
			shorts[s++] = (char)r->key;
			if (r->value)
				shorts[s++] = ':';
		}
	}
	opterr = 0;
	optind = 1;
	while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (key == '?' || key == ':')
			return wrong(argv, key == ':', e);
		ret = take(a, key, optarg, e);
		if (ret)
			return ret;
	}
	a->word = argv + optind;
	a->nwords = argc - optind;
	return a->help ? 0 : check(a, c, e);
}

void args_help(const struct command *c, struct out *o)
{
	size_t i;

	out_printf(o, "Usage: handoff %s [OPTION]...%s%s\n\n%s\n", c->name,
		   c->operands[0] ? " " : "", c->operands, c->text);
	for (i = 0; i < ROWS; i++) {
		const struct option_row *r = &rows[i];
		struct buf left = BUF_INIT(128);

		if (!allowed(c, r))
			continue;
		if (has_letter(r))
			buf_printf(&left, "  -%c, ", r->key);
		else
			buf_add(&left, STR("      "));
		buf_printf(&left, "--%s%s%s", r->name, r->value ? " " : "",
			   r->value ? r->value : "");
		out_printf(o, "%-*s  %s\n", HELP_COLUMN, buf_cstr(&left), r->help);
		buf_release(&left);
	}
}
