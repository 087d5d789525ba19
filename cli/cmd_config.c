/*
 * handoff config [OPTION]... [KEY [VALUE]]
 */
#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/names.h"
#include "work/redact.h"

#define OUT_MAX (1u << 20)

static const struct config_item *find(const struct config *c, const char *key)
{
	for (const struct config_item *it = c->item; it->key; it++)
		if (strcmp(it->key, key) == 0)
			return it;
	return NULL;
}

static void one_json(const struct config_item *it, struct buf *out)
{
	json_add_sep(out);
	buf_byte(out, '{');
	json_add_key(out, "key");
	json_add_str(out, str_of(it->key));
	json_add_key(out, "value");
	json_add_str(out, str_of(it->value));
	json_add_key(out, "source");
	json_add_str(out, str_of(config_source_name(it->source)));
	json_add_key(out, "variable");
	if (it->env)
		json_add_str(out, str_of(it->env));
	else
		buf_add(out, STR("null"));
	json_add_key(out, "help");
	json_add_str(out, str_of(it->help));
	buf_byte(out, '}');
}

static void one(const struct config_item *it, struct buf *out)
{
	struct buf value = BUF_INIT(OUT_MAX);

	redact_show(&value, str_of(it->value), true);
	buf_printf(out, "%-16s  %-20s  %-11s  %s%s%s%s\n", it->key,
		   value.n ? buf_cstr(&value) : "-", config_source_name(it->source),
		   it->help, it->env ? " (" : "", it->env ? it->env : "",
		   it->env ? ")" : "");
	buf_release(&value);
}

static int show(const struct args *a, const struct config *c, struct err *e)
{
	const struct config_item *only = a->nwords ? find(c, a->word[0]) : NULL;
	struct buf out = BUF_INIT(OUT_MAX);
	int ret;

	if (a->json) {
		buf_add(&out, STR("{\"format\":1"));
		json_add_key(&out, "file");
		json_add_str(&out, str_of(c->path));
		json_add_key(&out, "settings");
		buf_byte(&out, '[');
	}
	for (const struct config_item *it = c->item; it->key; it++) {
		if (only && it != only)
			continue;
		if (a->json)
			one_json(it, &out);
		else
			one(it, &out);
		if (it->bad)
			log_warn("%s", it->bad);
	}
	if (a->json)
		buf_add(&out, STR("]}"));
	ret = print_text(&out, e);
	buf_release(&out);
	return ret;
}

/* What is there afterwards is the answer for machines: a variable may be stronger than the file. */
static int set(const struct args *a, struct err *e)
{
	struct config now;
	int ret = config_set(a->c, a->word[0], a->word[1][0] ? a->word[1] : NULL, e);

	if (ret || !a->json)
		return ret;
	ret = config_load(&now, e);
	if (!ret)
		ret = show(a, &now, e);
	config_release(&now);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	if (a->nwords && !find(a->c, a->word[0]))
		return err_set(e, HF_EUSAGE,
			       "config: no setting '%s'; `handoff config` lists them",
			       a->word[0]);
	if (a->nwords == 2)
		return set(a, e);
	return show(a, a->c, e);
}

const struct command cmd_config = {
	.name = "config",
	.operands = "[KEY [VALUE]]",
	.completes = true,
	.names = NAMES_SETTINGS,
	.summary = "the settings and where each comes from; set one",
	.text = "Key, value, source (default, file, environment) and meaning of each setting, or of KEY.\n"
		"With VALUE it is written to the user's config.json; an empty VALUE takes it out.\n",
	.options = OPT_JSON,
	.empty = true,
	.min_words = 0,
	.max_words = 2,
	.run = run,
};
