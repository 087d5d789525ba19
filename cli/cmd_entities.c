/*
 * handoff entities [OPTION]... [NAME]
 */
#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "memory.h"
#include "print.h"
#include "work/names.h"
#include "work/redact.h"

#define OUT_MAX (8u << 20)

struct list {
	bool json;
	struct buf *out;
	size_t n;
};

static int row(str name, str summary, size_t facts, void *arg)
{
	struct list *l = arg;

	l->n++;
	if (l->json) {
		json_add_sep(l->out);
		buf_byte(l->out, '{');
		memory_json(l->out, "name", name);
		memory_json(l->out, "summary", summary);
		json_add_key(l->out, "facts");
		buf_u64(l->out, facts);
		buf_byte(l->out, '}');
		return 0;
	}
	buf_printf(l->out, "%.*s (%zu)%s%.*s\n", STR_ARG(name), facts,
		   summary.n ? ": " : "", STR_ARG(summary));
	return 0;
}

static void begin_json(const struct store *s, struct buf *out)
{
	buf_add(out, STR("{\"format\":1"));
	memory_json(out, "project", str_of(s->project));
	json_add_key(out, "entities");
	buf_byte(out, '[');
}

static int list(const struct args *a, struct store *s, struct buf *out, struct err *e)
{
	struct buf plain = BUF_INIT(OUT_MAX);
	struct list l = {.json = a->json, .out = a->json ? out : &plain};
	int ret = store_refresh(s, STR_NONE, false, e);

	if (!ret)
		do {
			l.n = 0;
			buf_reset(l.out);
			if (a->json)
				begin_json(s, out);
			ret = index_entities(s->index, str_of(s->project), row, &l, e);
		} while (store_again(s, &ret, e));
	if (a->json)
		buf_add(out, STR("]}"));
	else
		redact_show(out, buf_str(&plain), false);
	if (!ret && !l.n && !a->json)
		log_warn("no entity is noted in %s", s->project);
	buf_release(&plain);
	return ret;
}

static int show(const struct args *a, struct store *s, struct buf *out, struct err *e)
{
	struct buf text = BUF_INIT(OUT_MAX);
	int ret = store_entity(s, STR_NONE, str_of(a->word[0]), &text, e);

	if (!ret && a->json) {
		buf_add(out, STR("{\"format\":1"));
		memory_json(out, "project", str_of(s->project));
		memory_json(out, "name", str_of(a->word[0]));
		memory_json(out, "text", buf_str(&text));
		buf_byte(out, '}');
	} else if (!ret) {
		redact_show(out, buf_str(&text), false);
	}
	buf_release(&text);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	struct store s = {.vault.lock = -1};
	int ret = memory_open(&s, a, e);

	if (!ret)
		ret = a->nwords ? show(a, &s, &out, e) : list(a, &s, &out, e);
	if (!ret && out.n)
		ret = print_text(&out, e);
	store_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_entities = {
	.name = "entities",
	.operands = "[NAME]",
	.summary = "the things that have notes; with NAME, the note",
	.text = "Names with the number of their facts and the first one, or the whole note of one.\n",
	.options = OPT_JSON | OPT_IN,
	.completes = true,
	.names = NAMES_ENTITIES,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
