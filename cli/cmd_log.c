/*
 * handoff log [OPTION]... TYPE TEXT...
 */
#include "commands.h"
#include "data/json.h"
#include "memory.h"
#include "print.h"
#include "work/redact.h"

#define OUT_MAX  (8u << 20)
#define TEXT_MAX (1u << 20)

static const char *const HOW[] = {
	[STORE_GIVEN] = "given",
	[STORE_UNKNOWN] = "unknown",
	[STORE_MATCH] = "match",
	[STORE_AUTO] = "auto",
};

static bool has_match(const struct store_logged *done)
{
	for (size_t i = 0; i < done->nretired; i++)
		if (done->retired[i].how == STORE_MATCH)
			return true;
	return false;
}

static void as_json(const struct store *s, const struct args *a,
		    const struct store_logged *done, struct buf *out)
{
	buf_add(out, STR("{\"format\":1"));
	memory_json(out, "id", str_of(done->id));
	memory_json(out, "project", str_of(a->in ? a->in : s->project));
	memory_json(out, "session", str_of(s->note.id));
	json_add_key(out, "retired");
	buf_byte(out, '[');
	for (size_t i = 0; i < done->nretired; i++) {
		const struct store_retired *r = &done->retired[i];

		json_add_sep(out);
		buf_byte(out, '{');
		memory_json(out, "id", str_of(r->id));
		memory_json(out, "how", str_of(HOW[r->how]));
		memory_json(out, "content", str_of(r->label));
		buf_byte(out, '}');
	}
	buf_add(out, STR("]"));
	if (a->query) {
		json_add_key(out, "matched");
		buf_add(out, has_match(done) ? STR("true") : STR("false"));
	}
	buf_byte(out, '}');
}

static void as_text(const struct store *s, const struct args *a,
		    const struct store_logged *done, struct buf *out)
{
	buf_printf(out, "Logged %s in %s: %s\n", a->word[0], a->in ? a->in : s->project,
		   done->id);
	for (size_t i = 0; i < done->nretired; i++) {
		const struct store_retired *r = &done->retired[i];

		if (r->how == STORE_UNKNOWN)
			buf_printf(out, "No event %s is known; noted all the same.\n",
				   r->id);
		else
			buf_printf(out, "Retired %s: %s\n", r->id, r->label);
	}
	if (a->query && !has_match(done))
		buf_printf(out, "No active %s fits '%s'; nothing was retired by it.\n",
			   a->word[0], a->query);
	if (done->blind)
		buf_printf(out,
			   "The index could not be read (%s): no event was looked "
			   "for to retire.\n",
			   s->index_err.msg[0] ? s->index_err.msg : "it is in use");
}

static int log_it(const struct args *a, enum event_type type, struct store *s,
		  struct buf *out, struct err *e)
{
	struct buf text = BUF_INIT(TEXT_MAX), plain = BUF_INIT(OUT_MAX);
	struct store_logged done = {0};
	str ids[ARGS_LIST_MAX];
	int ret = memory_text(a, 1, TEXT_MAX, &text, e);

	for (size_t i = 0; i < a->nsupersedes; i++)
		ids[i] = str_of(a->supersedes[i]);
	if (!ret)
		ret = store_log(s,
				&(struct store_event){.type = type,
						      .content = buf_str(&text),
						      .importance = (int)a->importance,
						      .supersedes = ids,
						      .nsupersedes = a->nsupersedes,
						      .beginnings = true,
						      .query = str_of(a->query)},
				&done, e);
	if (!ret && a->json)
		as_json(s, a, &done, out);
	else if (!ret) {
		as_text(s, a, &done, &plain);
		redact_show(out, buf_str(&plain), false);
	}
	store_logged_release(&done);
	buf_release(&text);
	buf_release(&plain);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	struct store s = {.vault.lock = -1};
	enum event_type type;
	int ret;

	if (!event_type_of(str_of(a->word[0]), &type))
		return err_set(e, HF_EUSAGE,
			       "'%s' is no type of event: goal, decision, deadend, file, "
			       "question or next_step",
			       a->word[0]);
	ret = memory_open(&s, a, e);
	if (!ret)
		ret = log_it(a, type, &s, &out, e);
	if (!ret)
		ret = print_text(&out, e);
	store_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_log = {
	.name = "log",
	.operands = "TYPE TEXT...",
	.summary = "remember a goal, decision, dead end, question, next step",
	.text = "One thing in a sentence or two, with its reason. TYPE is goal, decision, deadend, file,\n"
		"question or next_step; TEXT \"-\" is read from standard input. A new next_step retires those\n"
		"of sessions that are over. ID is an event's id or a beginning of it that no other has.\n",
	.options = OPT_JSON | OPT_IN | OPT_LOG | OPT_SESSION,
	.choices = "goal decision deadend file question next_step",
	.empty = true,
	.min_words = 2,
	.max_words = 10000,
	.run = run,
};
