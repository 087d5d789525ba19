/*
 * Phase 3: sub-agents, each with its dispatch, its result and what its own file tells.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/phases_impl.h"

#define AGENT_ENDS                                                                       \
	400 /* characters of prompt and answer, where the caller does not say */

static void json_clean(struct page *w, const char *key, str s)
{
	phases_clean(&w->head, s, true, false);
	phases_json_str(&w->o->b, key, buf_str(&w->head));
}

static void json_ends(struct page *w, const char *key, const struct agent_text *t)
{
	struct buf *b = &w->o->b;
	str head, tail;

	phases_key(b, key);
	if (!t->p) {
		buf_add(b, STR("null"));
		return;
	}
	phases_ends(w, (str){t->p, t->n}, STR_NONE, t->size > t->n, false, &head, &tail);
	buf_add(b, STR("{\"size\":"));
	buf_u64(b, t->size);
	phases_json_str(b, "head", head);
	if (tail.n)
		phases_json_str(b, "tail", tail);
	buf_byte(b, '}');
}

static void json_int(struct buf *b, const char *key, int64_t n)
{
	phases_key(b, key);
	if (n < 0)
		buf_add(b, STR("null"));
	else
		buf_u64(b, (uint64_t)n);
}

static void json_record(struct buf *b, const char *key, uint64_t n)
{
	json_int(b, key, n ? (int64_t)n : -1);
}

static void agent_json(struct page *w, const struct agent *g)
{
	struct buf *b = &w->o->b;

	buf_add(b, w->first ? STR("\n{") : STR(",\n{"));
	w->first = false;
	json_record(b, "call", g->call);
	json_record(b, "result", g->result);
	phases_json_str(b, "state", str_of(agents_state_name(g->state)));
	json_clean(w, "status", str_of(g->status));
	phases_json_bool(b, "background", g->background);
	json_clean(w, "tool", str_of(g->tool));
	json_clean(w, "id", str_of(g->id));
	json_clean(w, "agent_id", str_of(g->agent_id));
	json_clean(w, "type", str_of(g->type));
	json_clean(w, "description", (str){g->description.p, g->description.n});
	phases_json_time(b, "started", g->started);
	phases_json_time(b, "ended", g->ended);
	json_ends(w, "prompt", &g->prompt);
	json_ends(w, "answer", &g->answer);
	json_int(b, "tokens", g->tokens);
	json_int(b, "tool_uses", g->tools);
	json_int(b, "duration_ms", g->ms);
	phases_json_u64(b, "records", g->records);
	phases_key(b, "file");
	if (g->file) {
		phases_clean(&w->head, str_of(g->file), true, false);
		json_add_str(b, buf_str(&w->head));
	} else {
		buf_add(b, STR("null"));
	}
	phases_key(b, "file_ended");
	if (g->end)
		ending_json(g->end, b);
	else
		buf_add(b, STR("null"));
	buf_byte(b, '}');
}

static void text_line(struct page *w, const char *name, const struct agent_text *t)
{
	struct buf *b = &w->o->b;
	str head, tail;

	if (!t->p)
		return;
	buf_printf(b, "           %s (", name);
	phases_size(b, t->size);
	buf_add(b, STR(") "));
	phases_ends(w, (str){t->p, t->n}, STR_NONE, t->size > t->n, false, &head, &tail);
	buf_add(b, head);
	if (tail.n) {
		buf_add(b, STR(" ... "));
		buf_add(b, tail);
	}
	buf_byte(b, '\n');
}

static void add_clean(struct page *w, const char *before, str s)
{
	if (!s.n)
		return;
	phases_clean(&w->head, s, true, false);
	buf_add(&w->o->b, str_of(before));
	buf_add(&w->o->b, buf_str(&w->head));
}

static void agent_text(struct page *w, const struct agent *g, bool whole)
{
	struct buf *b = &w->o->b;
	char span[24];

	buf_add(b, STR("agent      "));
	if (g->call)
		buf_printf(b, "record %llu", (unsigned long long)g->call);
	else
		buf_add(b, STR("no dispatch in the file"));
	add_clean(w, "  ", str_of(g->tool));
	add_clean(w, " ", str_of(g->type));
	add_clean(w, ": ", (str){g->description.p, g->description.n});
	buf_printf(b, "  (%s", agents_state_name(g->state));
	if (g->status[0] && g->state != AGENT_DONE)
		add_clean(w, ", ", str_of(g->status));
	if (g->result)
		buf_printf(b, ", record %llu", (unsigned long long)g->result);
	if (g->started != CLOCK_NONE && g->ended != CLOCK_NONE &&
	    g->ended >= g->started) {
		clock_span(span, g->ended - g->started);
		buf_printf(b, ", %s", span);
	}
	buf_add(b, STR(")\n"));
	if (!whole) {
		for (size_t i = 0; g->end && i < g->end->nopen; i++)
			buf_printf(b, "           in it: %s  %s\n", g->end->open[i].name,
				   g->end->open[i].what);
		return;
	}
	text_line(w, "prompt", &g->prompt);
	text_line(w, "answer", &g->answer);
	if (g->tokens >= 0 || g->tools >= 0)
		buf_printf(b, "           %lld tokens, %lld tool uses\n",
			   (long long)(g->tokens < 0 ? 0 : g->tokens),
			   (long long)(g->tools < 0 ? 0 : g->tools));
	if (g->file) {
		add_clean(w, "           file ", str_of(g->file));
		buf_printf(b, ", %llu records\n", (unsigned long long)g->records);
	} else if (g->records) {
		buf_printf(b, "           %llu records inline\n",
			   (unsigned long long)g->records);
	}
	if (g->end) {
		buf_printf(b, "           ended: %s. %s\n", g->end->reason,
			   g->end->evidence);
		for (size_t i = 0; i < g->end->nopen; i++)
			buf_printf(b, "           open: record %llu  %s  %s\n",
				   (unsigned long long)g->end->open[i].record,
				   g->end->open[i].name, g->end->open[i].what);
	}
}

void phases_agent(struct page *w, const struct agent *g, bool whole)
{
	if (w->json)
		agent_json(w, g);
	else
		agent_text(w, g, whole);
	out_step(w->o);
}

/* Not asked for: by its record, or because it was over before. */
static bool left_out(const struct phases_options *o, const struct agent *it)
{
	int64_t at = it->ended != CLOCK_NONE ? it->ended : it->started;

	return (o->first && it->call < o->first) || (o->last && it->call > o->last) ||
	       (o->since != CLOCK_NONE && at != CLOCK_NONE && at < o->since);
}

int phases_agents(struct source *src, const char *path, const struct phases_options *o,
		  struct out *out, struct err *e)
{
	struct phases_options opt = *o;
	struct transcript_caps caps;
	struct transcript *t;
	const struct record *r;
	struct agents *a = agents_new();
	struct page w;
	enum transcript_got got;
	size_t shown = 0;
	int ret = 0;

	if (!opt.ends)
		opt.ends = AGENT_ENDS;
	phases_page_init(&w, out, &opt);
	caps = phases_caps(w.ends);
	caps.lean = false; /* agent_progress records */
	if (caps.input_head < AGENTS_TEXT_MAX)
		caps.input_head = AGENTS_TEXT_MAX;
	if (caps.text_head < AGENTS_TEXT_MAX)
		caps.text_head = AGENTS_TEXT_MAX;
	if (caps.result_head < AGENTS_TEXT_MAX)
		caps.result_head = AGENTS_TEXT_MAX;
	t = transcript_new(src, 0, &caps);
	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD)
			agents_add(a, r);
	if (got == TRANSCRIPT_ERROR) {
		ret = err_set(e, t->err.code, "%s: %s", path, t->err.msg);
		goto out;
	}
	if (strcmp(path, "-") != 0)
		agents_files(a, path);
	if (w.json)
		buf_add(&out->b, STR("{\"format\":1,\"agents\":["));
	for (size_t i = 0; i < a->n && !out_failed(out); i++) {
		if (left_out(&opt, &a->item[i]))
			continue;
		phases_agent(&w, &a->item[i], true);
		shown++;
	}
	if (w.json)
		buf_printf(&out->b, "],\n\"dropped\":%llu}\n",
			   (unsigned long long)a->dropped);
	else if (!shown)
		buf_add(&out->b, STR("no sub-agents\n"));
	else if (a->dropped)
		buf_printf(&out->b, "%llu older dispatches are not shown\n",
			   (unsigned long long)a->dropped);
	out_step(out);
out:
	phases_page_release(&w);
	transcript_free(t);
	agents_free(a);
	return ret;
}
