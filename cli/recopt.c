#include "recopt.h"

#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "data/canon.h"
#include "print.h"
#include "work/recplace.h"

enum {
	KEY_HELP = 'h',
	KEY_JSON = 256,
	KEY_AGENT,
	KEY_SESSION,
	KEY_CONFIDENCE,
	KEY_TAG,
	KEY_EXPECT,
	KEY_IF_CHANGED,
	KEY_NOTE,
	KEY_REF,
	KEY_TEXT,
	KEY_VERSION,
	KEY_HISTORY,
	KEY_FLOOR,
	KEY_SCOPE,
	KEY_BY,
	KEY_SUPERSEDED,
	KEY_LIMIT,
	KEY_TO,
	KEY_DONE,
	KEY_NEXT,
	KEY_OPEN,
	KEY_HAZARD,
	KEY_PIN,
	KEY_PARENT,
	KEY_PACKET,
	KEY_FROM,
	KEY_PEEK,
	KEY_CLOSE,
	KEY_ALL,
};

static const struct option_row rows[] = {
	{RECOPT_WRITE, KEY_CONFIDENCE, "confidence", "0..1",
	 "how sure you are; default 0.5"},
	{RECOPT_WRITE, KEY_TAG, "tag", "WORD", "may be given again"},
	{RECOPT_SEARCH, KEY_TAG, "tag", "WORD", "only records with it"},
	{RECOPT_WRITE, KEY_EXPECT, "expect", "N",
	 "only if the current version is N (0: none)"},
	{RECOPT_WRITE, KEY_IF_CHANGED, "if-changed", NULL,
	 "nothing is written when it says that already"},
	{RECOPT_WRITE, KEY_TEXT, "text", NULL,
	 "the value is a string, even where it looks like JSON"},
	{RECOPT_WRITE | RECOPT_OUTCOME, KEY_NOTE, "note", "WORDS", "kept beside it"},
	{RECOPT_WRITE | RECOPT_OUTCOME, KEY_REF, "ref", "WORDS",
	 "a ticket, commit, session"},
	{RECOPT_OUTCOME, KEY_PACKET, "packet", "ID",
	 "the packet in which the version was pinned"},
	{RECOPT_READ | RECOPT_OUTCOME, KEY_VERSION, "version", "N",
	 "that version, not the current one"},
	{RECOPT_READ, KEY_HISTORY, "history", NULL, "all versions, oldest first"},
	{RECOPT_READ | RECOPT_SEARCH, KEY_FLOOR, "min-confidence", "0..1",
	 "nothing below it"},
	{RECOPT_SEARCH, KEY_SCOPE, "scope", "PREFIX", "only addresses that begin so"},
	{RECOPT_SEARCH, KEY_BY, "by", "AGENT", "only versions of that writer"},
	{RECOPT_SEARCH, KEY_SUPERSEDED, "superseded", NULL, "old versions too"},
	{RECOPT_SEARCH, KEY_LIMIT, "limit", "N", "at most so many; default 20"},
	{RECOPT_CREATE, KEY_TO, "to", "AGENT", "whom it waits for; default anyone"},
	{RECOPT_CREATE, KEY_DONE, "done", "WORDS", "what was done; may be given again"},
	{RECOPT_CREATE, KEY_NEXT, "next", "WORDS", "what is next; may be given again"},
	{RECOPT_CREATE, KEY_OPEN, "open", "WORDS",
	 "an open question; may be given again"},
	{RECOPT_CREATE, KEY_HAZARD, "hazard", "WORDS",
	 "what must be heeded; may be given again"},
	{RECOPT_CREATE, KEY_PIN, "pin", "ADDRESS[@N]",
	 "a record version to start from; may be given again"},
	{RECOPT_CREATE, KEY_PARENT, "parent", "ID", "the packet that this one answers"},
	{RECOPT_PICKUP, KEY_FROM, "from", "AGENT", "only packets of that writer"},
	{RECOPT_PICKUP, KEY_PEEK, "peek", NULL, "look, take nothing"},
	{RECOPT_PICKUP, KEY_CLOSE, "close", NULL, "it is done with"},
	{RECOPT_LIST, KEY_ALL, "all", NULL, "closed and cancelled ones too"},
	{RECOPT_ALWAYS, KEY_AGENT, "agent", "NAME",
	 "who you are; default AGENT_ID, else claude-code"},
	{RECOPT_ALWAYS, KEY_SESSION, "session", "ID", "the client's session"},
	{RECOPT_ALWAYS, KEY_JSON, "json", NULL, "print JSON"},
	{RECOPT_ALWAYS, KEY_HELP, "help", NULL, "print this"},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static int number(const char *option, const char *s, uint64_t min, uint64_t max,
		  uint64_t *out, struct err *e)
{
	if (!str_u64(str_of(s), out))
		return err_set(e, HF_EUSAGE, "--%s needs a whole number, not '%s'",
			       option, s);
	if (*out < min)
		return err_set(e, HF_EUSAGE, "--%s is at least %llu", option,
			       (unsigned long long)min);
	if (*out > max)
		return err_set(e, HF_EUSAGE, "--%s is at most %llu", option,
			       (unsigned long long)max);
	return 0;
}

static int fraction(const char *option, const char *s, double *out, struct err *e)
{
	if (canon_double(str_of(s), out) && *out >= 0 && *out <= 1)
		return 0;
	return err_set(e, HF_EUSAGE, "--%s needs a number from 0 to 1, not '%s'", option,
		       s);
}

static const char *option_of(int key)
{
	size_t i = 0;

	while (rows[i].key != key)
		i++;
	return rows[i].name;
}

static int one_more(struct recopt_list *l, const char *s, struct err *e)
{
	if (l->n >= RECOPT_LIST_MAX)
		return err_set(e, HF_EUSAGE, "an option is given over %d times",
			       RECOPT_LIST_MAX);
	l->item[l->n++] = str_of(s);
	return 0;
}

static int take_flag(struct recopt *o, int key, struct err *e)
{
	bool *flag = key == KEY_HELP                           ? &o->help
		     : key == KEY_JSON                         ? &o->json
		     : key == KEY_IF_CHANGED                   ? &o->if_changed
		     : key == KEY_TEXT                         ? &o->text
		     : key == KEY_HISTORY                      ? &o->history
		     : key == KEY_PEEK                         ? &o->peek
		     : key == KEY_CLOSE                        ? &o->close
		     : key == KEY_SUPERSEDED || key == KEY_ALL ? &o->all
							       : NULL;

	if (!flag)
		return err_set(e, HF_EUSAGE, "unknown option");
	*flag = true;
	return 0;
}

/* 1: taken. One that names or limits something says so: of no characters it would mean anybody, or anything. */
static int take_word(struct recopt *o, int key, const char *value, struct err *e)
{
	const struct {
		int key;
		const char **to;
	} word[] = {{KEY_AGENT, &o->agent},   {KEY_SESSION, &o->session},
		    {KEY_NOTE, &o->note},     {KEY_REF, &o->ref},
		    {KEY_SCOPE, &o->scope},   {KEY_BY, &o->by},
		    {KEY_TO, &o->to},         {KEY_FROM, &o->from},
		    {KEY_PARENT, &o->parent}, {KEY_PACKET, &o->packet}};

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++) {
		if (word[i].key != key)
			continue;
		if (!value[0] && key != KEY_NOTE && key != KEY_REF)
			return err_set(e, HF_EUSAGE, "--%s is empty", option_of(key));
		*word[i].to = value;
		return 1;
	}
	return 0;
}

static int take(void *arg, int key, const char *value, struct err *e)
{
	struct recopt *o = arg;
	int taken = value ? take_word(o, key, value, e) : 0;

	if (taken)
		return taken < 0 ? taken : 0;
	switch (key) {
	case KEY_CONFIDENCE:
		return fraction("confidence", value, &o->confidence, e);
	case KEY_FLOOR:
		return fraction("min-confidence", value, &o->min_confidence, e);
	case KEY_EXPECT:
		o->expects = true;
		return number("expect", value, 0, UINT64_MAX, &o->expected, e);
	case KEY_VERSION:
		return number("version", value, 1, UINT64_MAX, &o->version, e);
	case KEY_LIMIT:
		return number("limit", value, 1, RECSEARCH_LIMIT_MAX, &o->limit, e);
	case KEY_TAG:
		return one_more(&o->tags, value, e);
	case KEY_DONE:
		return one_more(&o->done, value, e);
	case KEY_NEXT:
		return one_more(&o->next, value, e);
	case KEY_OPEN:
		return one_more(&o->open, value, e);
	case KEY_HAZARD:
		return one_more(&o->hazards, value, e);
	case KEY_PIN:
		return one_more(&o->refs, value, e);
	default:
		return take_flag(o, key, e);
	}
}

const struct option_row *recopt_rows(size_t *n)
{
	*n = ROWS;
	return rows;
}

static int all_help(const char *command, const struct recopt_verb *verbs, size_t n,
		    struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	out_printf(&o, "Usage: handoff %s VERB [OPTION]... [ARGUMENT]...\n\n", command);
	for (size_t i = 0; i < n; i++)
		out_printf(&o, "  %-9s %-24s %s\n", verbs[i].name, verbs[i].operands,
			   verbs[i].summary);
	out_printf(&o,
		   "\n  --json                  for machines: one JSON object\n"
		   "  -h, --help              print this; after a verb, its options\n"
		   "\n`handoff %s VERB --help` lists the options of a verb.\n",
		   command);
	return out_end(&o, e);
}

static int verb_help(const char *command, const struct recopt_verb *v, struct err *e)
{
	struct out o;

	out_init(&o, STDOUT_FILENO, "standard output");
	out_printf(&o, "Usage: handoff %s %s [OPTION]...%s%s\n\n%s\n\n", command, v->name,
		   v->operands[0] ? " " : "", v->operands, v->summary);
	options_help(rows, ROWS, v->options | RECOPT_ALWAYS, &o);
	return out_end(&o, e);
}

static int run_verb(const struct recopt_verb *v, const struct recopt *o, struct err *e)
{
	struct recplace place;
	struct rectool r;
	int ret, printed;

	rectool_init(&r);
	ret = recplace_open(&place, o->agent, o->session, e);
	if (place.notice)
		log_warn("%s", place.notice);
	if (!ret)
		ret = v->run(o, &place.store, &r, e);
	if (!ret) {
		printed = print_text(o->json ? &r.json : &r.text, e);
		ret = printed;
	}
	if (!ret && r.failed)
		ret = err_set(
			e, HF_EFORMAT,
			"records or packets are not as they were written; see above");
	rectool_release(&r);
	recplace_release(&place);
	return ret;
}

static int check_words(const char *command, const struct recopt_verb *v,
		       const struct recopt *o, struct err *e)
{
	if (o->nwords < v->min_words)
		return err_set(e, HF_EUSAGE, "%s %s: missing argument: %s", command,
			       v->name, v->operands);
	if (o->nwords > v->max_words)
		return err_set(e, HF_EUSAGE, "%s %s: unexpected argument '%s'", command,
			       v->name, o->word[v->max_words]);
	return 0;
}

int recopt_run(const char *command, const struct recopt_verb *verbs, size_t n, int argc,
	       char **argv, struct err *e)
{
	struct recopt o = {.confidence = -1};
	const struct recopt_verb *v = NULL;
	int first, ret;

	if (argc < 2)
		return err_set(e, HF_EUSAGE,
			       "%s: no verb; `handoff %s --help` lists them", command,
			       command);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return all_help(command, verbs, n, e);
	for (size_t i = 0; i < n; i++)
		if (strcmp(verbs[i].name, argv[1]) == 0)
			v = &verbs[i];
	if (!v && argv[1][0] == '-')
		return err_set(e, HF_EUSAGE, "%s: unknown option %s", command, argv[1]);
	if (!v)
		return err_set(e, HF_EUSAGE,
			       "%s: unknown verb '%s'; `handoff %s --help` lists them",
			       command, argv[1], command);
	ret = options_parse(rows, ROWS, v->options | RECOPT_ALWAYS, argc - 1, argv + 1,
			    take, &o, &first, e);
	if (ret)
		return ret;
	o.word = argv + 1 + first;
	o.nwords = argc - 1 - first;
	if (o.help)
		return verb_help(command, v, e);
	ret = check_words(command, v, &o, e);
	return ret ? ret : run_verb(v, &o, e);
}

/* Words are a string. What begins as JSON and is none is as well, but may not be meant so. */
static int json_or_words(const struct recopt *o, str s, struct buf *json, struct err *e)
{
	struct err why = ERR_INIT;
	str first = str_trim(s);
	int ret = o->text ? HF_EFORMAT : canon_json(json, s, CANON_COMPACT, &why);

	if (ret == HF_ELIMIT)
		return err_set(e, ret, "the value: %s", why.msg);
	if (!ret)
		return 0;
	if (!o->text && first.n && strchr("{[\"", first.p[0]))
		log_warn(
			"the value begins as JSON and is none (%s): it is taken as text, as with --text",
			why.msg);
	canon_str(json, s);
	return 0;
}

int recopt_value(const struct recopt *o, const char *word, struct buf *json,
		 struct err *e)
{
	struct buf text = BUF_INIT(8 * RECORD_VALUE_MAX);
	int ret = 0;

	if (strcmp(word, "-") == 0)
		ret = print_read(NULL, 8 * RECORD_VALUE_MAX, &text, e);
	else
		buf_add(&text, str_of(word));
	if (!ret)
		ret = json_or_words(o, str_trim_right(buf_str(&text)), json, e);
	buf_release(&text);
	return ret;
}
