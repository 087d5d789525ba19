/* Hits for people and models, and for machines. */
#include <stdio.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/redact.h"
#include "work/search.h"

static const char *const KIND[INDEX_KINDS] = {
	[INDEX_EVENT] = "event",     [INDEX_FACT] = "fact",
	[INDEX_SUMMARY] = "summary", [INDEX_DOCUMENT] = "document",
	[INDEX_RECORD] = "record",
};

/* What stands in brackets: the type of an event, else what it is. */
static str label(const struct index_item *it)
{
	return it->kind == INDEX_EVENT ? event_type_name(it->type)
				       : str_of(KIND[it->kind]);
}

static void date(struct buf *b, int64_t at_us)
{
	char iso[CLOCK_ISO_BYTES];

	clock_iso_s(iso, at_us / 1000);
	buf_add(b, str_head(str_of(iso), 10));
}

static void add_text(struct buf *b, const struct search_hit *h, bool explain)
{
	const struct index_item *it = &h->it;

	buf_add(b, STR("- ["));
	utf8_show(b, it->project, UTF8_ONELINE);
	buf_add(b, STR("] ("));
	buf_add(b, label(it));
	buf_add(b, STR(") "));
	/* a record's text begins with its address */
	if (it->kind != INDEX_EVENT && it->kind != INDEX_RECORD && it->name.n) {
		utf8_show(b, it->name, UTF8_ONELINE);
		buf_add(b, STR(": "));
	}
	redact_show(b, it->body, true);
	buf_add(b, STR(" (id: "));
	utf8_show(b, it->id, UTF8_ONELINE);
	buf_byte(b, ')');
	if (it->at_us) {
		buf_byte(b, ' ');
		date(b, it->at_us);
	}
	if (it->session.n) {
		buf_add(b, STR(", session "));
		utf8_show(b, it->session, UTF8_ONELINE);
	}
	if (it->kind == INDEX_EVENT && it->origin != EVENT_LOGGED) {
		buf_add(b, STR(", "));
		buf_add(b, event_origin_name(it->origin));
	}
	if (it->kind == INDEX_RECORD)
		buf_printf(b, ", confidence %d%%", it->percent);
	if (it->retired)
		buf_add(b, STR(", retired"));
	if (explain)
		buf_printf(b, " [score %.2f, importance %d]", h->score, it->importance);
	buf_byte(b, '\n');
}

static void add_nothing(struct buf *b, const struct search *s,
			const struct search_query *q)
{
	buf_add(b, STR("No matching memory found."));
	if (q->offset) {
		buf_byte(b, '\n');
		return;
	}
	if (s->elsewhere == SEARCH_ELSEWHERE_MAX)
		buf_printf(b, " Other projects have %zu items or more that match.",
			   s->elsewhere);
	else if (s->elsewhere)
		buf_printf(b, " Other projects have %zu item%s that match%s.",
			   s->elsewhere, s->elsewhere == 1 ? "" : "s",
			   s->elsewhere == 1 ? "es" : "");
	if (s->near) {
		buf_add(b, STR(" Projects with a name like this one: "));
		utf8_show(b, str_of(s->near), UTF8_ONELINE);
		buf_byte(b, '.');
	}
	buf_byte(b, '\n');
}

void search_text(struct buf *out, const struct search *s, const struct search_query *q,
		 bool explain)
{
	if (!s->n) {
		add_nothing(out, s, q);
		return;
	}
	buf_printf(out, "Found %zu result(s):\n\n", s->n);
	for (size_t i = 0; i < s->n; i++)
		add_text(out, &s->hit[i], explain);
	if (!explain)
		return;
	buf_printf(out, "(%s%zu item%s a word of the question)\n",
		   s->cut ? "at least " : "", s->matched,
		   s->matched == 1 ? " has" : "s have");
	if (s->used < s->asked)
		buf_printf(out,
			   "(of %zu different words the %zu rarest were looked for)\n",
			   s->asked, s->used);
}

/* ---- JSON ---- */

static void member(struct buf *b, const char *key, str value)
{
	buf_printf(b, "\"%s\":", key);
	json_add_str(b, value);
	buf_byte(b, ',');
}

static void add_hit(struct buf *b, const struct search_hit *h)
{
	const struct index_item *it = &h->it;
	struct buf at = BUF_INIT(64);

	buf_byte(b, '{');
	member(b, "id", it->id);
	member(b, "kind", str_of(KIND[it->kind]));
	if (it->kind == INDEX_EVENT) {
		member(b, "type", event_type_name(it->type));
		member(b, "origin", event_origin_name(it->origin));
		buf_printf(b, "\"importance\":%d,", it->importance);
	}
	if (it->kind == INDEX_RECORD)
		buf_printf(b, "\"confidence\":%d.%02d,", it->percent / 100,
			   it->percent % 100);
	member(b, "project", it->project);
	member(b, "session", it->session);
	if (it->name.n)
		member(b, "name", it->name);
	if (it->at_us) {
		event_time(&at, it->at_us);
		member(b, "at", buf_str(&at));
	}
	member(b, "content", it->body);
	buf_printf(b, "\"retired\":%s,\"score\":%.4f}", it->retired ? "true" : "false",
		   h->score);
	buf_release(&at);
}

void search_json(struct buf *out, const struct search *s, const struct search_query *q)
{
	buf_add(out, STR("{\"format\":1,"));
	member(out, "query", q->text);
	member(out, "project", q->project);
	buf_add(out, STR("\"hits\":["));
	for (size_t i = 0; i < s->n; i++) {
		if (i)
			buf_byte(out, ',');
		add_hit(out, &s->hit[i]);
	}
	buf_printf(
		out,
		"],\"offset\":%zu,\"more\":%s,\"matched\":%zu,\"matched_is_lower_bound\":%s,"
		"\"words\":%zu,\"words_used\":%zu,\"elsewhere\":%zu,",
		q->offset, s->more ? "true" : "false", s->matched,
		s->cut ? "true" : "false", s->asked, s->used, s->elsewhere);
	buf_add(out, STR("\"near\":"));
	if (s->near)
		json_add_str(out, str_of(s->near));
	else
		buf_add(out, STR("null"));
	buf_add(out, STR("}\n"));
}
