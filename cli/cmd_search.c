/*
 * handoff search [OPTION]... WORD...
 */
#include "commands.h"
#include "print.h"
#include "work/recall.h"
#include "work/scope.h"
#include "work/search.h"

#define LIMIT_USUAL 10
#define BUSY_MS     200
#define OUT_MAX     (16u << 20)
#define WORDS_MAX   (1 << 20)

static int type_of(const struct args *a, int *type, struct err *e)
{
	enum event_type t;

	*type = -1;
	if (!a->type)
		return 0;
	if (!event_type_of(str_of(a->type), &t))
		return err_set(e, HF_EUSAGE, "--type: there is no '%s'", a->type);
	*type = (int)t;
	return 0;
}

static int times_of(const struct args *a, struct search_query *q, struct err *e)
{
	int ret = 0;

	if (a->since)
		ret = search_time(str_of(a->since), false, &q->since_us, e);
	if (!ret && a->until)
		ret = search_time(str_of(a->until), true, &q->until_us, e);
	return ret;
}

static int find(const struct args *a, struct index *ix, str project, str words,
		struct buf *out, struct err *e)
{
	struct search_query q = {.text = words,
				 .project = project,
				 .limit = a->limit ? (size_t)a->limit : LIMIT_USUAL,
				 .retired_too = a->retired};
	struct search s = {0};
	int ret = type_of(a, &q.type, e);

	if (!ret)
		ret = times_of(a, &q, e);
	if (!ret)
		ret = search_run(&s, ix, &q, e);
	if (!ret && a->json)
		search_json(out, &s, &q);
	else if (!ret)
		search_text(out, &s, &q, a->explain);
	search_release(&s);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX), words = BUF_INIT(WORDS_MAX);
	struct scope s = {.vault.lock = -1};
	struct recall r = {0};
	int ret = scope_open(&s, a->session, NULL, e);
	str project = a->all ? STR_NONE : str_of(a->in ? a->in : s.project);

	for (int i = 0; i < a->nwords; i++)
		buf_printf(&words, "%s%s", i ? " " : "", a->word[i]);
	if (!ret && words.full)
		ret = err_set(e, HF_ELIMIT, "the question is over %d bytes", WORDS_MAX);
	if (!ret && !str_trim(buf_str(&words)).n)
		ret = err_set(e, HF_EUSAGE, "search: the question is empty");
	if (!ret)
		ret = recall_open(&r, &s.vault,
				  &(struct recall_options){.project = project,
							   .all = true,
							   .busy_ms = BUSY_MS},
				  e);
	if (!ret)
		do
			ret = find(a, r.index, project, buf_str(&words), &out, e);
		while (recall_again(&r, &s.vault, &ret, e));
	if (!ret)
		ret = print_recalled(&r, a->json, &out, e);
	recall_release(&r);
	scope_release(&s);
	buf_release(&out);
	buf_release(&words);
	return ret;
}

const struct command cmd_search = {
	.name = "search",
	.operands = "WORD...",
	.summary = "find what was decided, tried and noted, best first",
	.text = "Searches events, facts of entities, summaries and handoff documents of this project. Any\n"
		"of the words will do, more of them are better; nothing in them is syntax.\n",
	.options = OPT_JSON | OPT_SESSION | OPT_IN | OPT_FIND | OPT_EXPLAIN,
	.empty = true,
	.min_words = 1,
	.max_words = 10000,
	.run = run,
};
