/*
 * Records on their way out: as JSON and as text.
 */
#include "work/record.h"

#include "base/utf8.h"
#include "data/canon.h"
#include "data/json.h"
#include "work/redact.h"

#define GAP_BYTES 200 /* of the list of what is missing */

static void add_str(struct buf *out, const char *key, str s)
{
	json_add_key(out, key);
	json_add_str(out, s);
}

static void add_u64(struct buf *out, const char *key, uint64_t v)
{
	json_add_key(out, key);
	buf_u64(out, v);
}

static void add_bool(struct buf *out, const char *key, bool v)
{
	json_add_key(out, key);
	buf_add(out, v ? STR("true") : STR("false"));
}

/* A part of the file that may have been written past us: no secret gets out. null when it is no JSON. */
static void add_json(struct buf *out, const char *key, str json)
{
	struct buf clean = BUF_INIT(8 * RECORD_VALUE_MAX);
	size_t secrets = 0;

	json_add_key(out, key);
	if (json.n && record_redact_json(&clean, json, &secrets, NULL) == 0)
		buf_add(out, buf_str(&clean));
	else
		buf_add(out, STR("null"));
	buf_release(&clean);
}

static void add_heads(struct buf *out, const struct record_view *r)
{
	json_add_key(out, "heads");
	buf_byte(out, '[');
	for (size_t i = 0; i < r->chain.nheads && i < LINEAGE_PARENTS_MAX; i++) {
		const struct lineage_entry *v = &r->lineage.entry[r->chain.heads[i]];

		json_add_sep(out);
		buf_byte(out, '{');
		add_u64(out, "version", v->version);
		add_str(out, "agent", v->agent);
		add_str(out, "created_at", v->at);
		add_str(out, "chain_hash", v->chain);
		add_json(out, "value", v->value);
		buf_byte(out, '}');
	}
	buf_byte(out, ']');
}

static void add_run(uint64_t first, uint64_t last, void *arg)
{
	struct buf *b = arg;
	const char *sep = b->n ? ", " : "";

	if (last > first)
		buf_printf(b, "%sv%llu to v%llu", sep, (unsigned long long)first,
			   (unsigned long long)last);
	else
		buf_printf(b, "%sv%llu", sep, (unsigned long long)first);
}

void record_gap(const struct record_view *r, struct buf *out)
{
	struct buf runs = BUF_INIT(GAP_BYTES);

	chain_missing(&r->chain, add_run, &runs);
	if (!runs.n)
		buf_add(&runs, STR("a version that a later one follows"));
	buf_add(out, buf_str(&runs));
	if (runs.full)
		buf_add(out, STR(" and more"));
	buf_add(out, STR(" missing from its file"));
	buf_release(&runs);
}

void record_gap_json(const struct record_view *r, struct buf *out)
{
	struct buf gap = BUF_INIT(SIZE_MAX);

	record_gap(r, &gap);
	add_str(out, "gap", buf_str(&gap));
	buf_release(&gap);
}

void record_json(const struct record_view *r, struct buf *out)
{
	const struct lineage_entry *v = r->v;

	buf_byte(out, '{');
	add_str(out, "scope", r->address.scope);
	add_str(out, "key", r->address.key);
	add_u64(out, "version", v->version);
	add_json(out, "value", v->value);
	json_add_key(out, "confidence");
	canon_number(out, r->state.confidence);
	add_u64(out, "successes", r->state.successes);
	add_u64(out, "failures", r->state.failures);
	if (r->state.others)
		add_u64(out, "others", r->state.others);
	add_str(out, "agent", v->agent);
	if (v->session.n)
		add_str(out, "session", v->session);
	add_str(out, "created_at", v->at);
	if (v->tags.n)
		add_json(out, "tags", v->tags);
	if (v->note.n)
		add_str(out, "note", v->note);
	if (v->ref.n)
		add_str(out, "ref", v->ref);
	add_bool(out, "current", r->current);
	add_u64(out, "newest", r->last);
	if (r->contested && r->current) {
		add_bool(out, "contested", true);
		add_heads(out, r);
	}
	if (r->gap)
		record_gap_json(r, out);
	if (r->corrupt)
		add_str(out, "warning",
			STR("corrupt: its hashes do not fit, it was changed outside"));
	add_str(out, "content_hash", v->content);
	add_str(out, "chain_hash", v->chain);
	buf_byte(out, '}');
}

static void quote(struct buf *out, str json)
{
	struct buf pretty = BUF_INIT(SIZE_MAX), clean = BUF_INIT(SIZE_MAX);
	size_t secrets = 0;
	str rest, line;

	if (!json.p || record_redact_json(&clean, json, &secrets, NULL) ||
	    canon_json(&pretty, buf_str(&clean), CANON_PRETTY, NULL))
		buf_add(&pretty, STR("(no JSON)"));
	for (rest = buf_str(&pretty); str_line(&rest, &line);) {
		buf_add(out, STR("> "));
		utf8_show(out, line, UTF8_TEXT);
		buf_byte(out, '\n');
	}
	buf_release(&pretty);
	buf_release(&clean);
}

static void line_of(struct buf *out, const char *what, str s)
{
	if (!s.n)
		return;
	buf_printf(out, "%s: ", what);
	redact_show(out, s, true);
	buf_byte(out, '\n');
}

static void add_tags(struct buf *out, str tags)
{
	struct buf tag = BUF_INIT(SIZE_MAX);
	const char *sep = "tags: ";
	enum json_tok tok;
	struct json j;

	json_init(&j, tags);
	while (tags.n && (tok = json_next(&j)) != JSON_END && tok != JSON_BAD &&
	       tok != JSON_MORE) {
		if (tok != JSON_STR)
			continue;
		buf_reset(&tag);
		json_text(&j, &tag);
		buf_add(out, str_of(sep));
		redact_show(out, buf_str(&tag), true);
		sep = ", ";
	}
	if (*sep == ',')
		buf_byte(out, '\n');
	buf_release(&tag);
}

static void add_contest(struct buf *out, const struct record_view *r)
{
	buf_printf(out, "CONTESTED: %zu versions are current, written side by side:\n",
		   r->chain.nheads);
	for (size_t i = 0; i < r->chain.nheads && i < LINEAGE_PARENTS_MAX; i++) {
		const struct lineage_entry *v = &r->lineage.entry[r->chain.heads[i]];

		if (v == r->v)
			continue;
		buf_printf(out, "also v%llu by ", (unsigned long long)v->version);
		redact_show(out, v->agent, true);
		buf_add(out, STR(", "));
		utf8_show(out, v->at, UTF8_ONELINE);
		buf_byte(out, '\n');
		quote(out, v->value);
	}
	buf_add(out, STR("Write the version that holds; it ends the contest.\n"));
}

static void gap_text(const struct record_view *r, struct buf *out)
{
	buf_add(out, STR("GAP: "));
	record_gap(r, out);
	buf_byte(out, '\n');
}

void record_text(const struct record_view *r, struct buf *out)
{
	const struct lineage_entry *v = r->v;

	utf8_show(out, str_of(r->address.text), UTF8_ONELINE);
	buf_printf(out, " v%llu (", (unsigned long long)v->version);
	if (r->current)
		buf_add(out, STR("current"));
	else
		buf_printf(out, "superseded, now at v%llu", (unsigned long long)r->last);
	buf_printf(out, "), confidence %d%%, %llu success%s, %llu failure%s, by ",
		   (int)(r->state.confidence * 100 + 0.5),
		   (unsigned long long)r->state.successes,
		   r->state.successes == 1 ? "" : "es",
		   (unsigned long long)r->state.failures,
		   r->state.failures == 1 ? "" : "s");
	redact_show(out, v->agent, true);
	buf_add(out, STR(", "));
	utf8_show(out, v->at, UTF8_ONELINE);
	buf_byte(out, '\n');
	if (r->corrupt)
		buf_add(out,
			STR("CORRUPT: its hashes do not fit, it was changed outside: do not "
			    "rely on it\n"));
	if (r->gap)
		gap_text(r, out);
	add_tags(out, v->tags);
	line_of(out, "note", v->note);
	line_of(out, "ref", v->ref);
	quote(out, v->value);
	if (r->contested && r->current)
		add_contest(out, r);
}

void record_history(struct record_view *r, bool json, struct buf *out)
{
	bool contested = r->contested, gap = r->gap;
	size_t n = 0;

	if (json)
		buf_byte(out, '[');
	for (size_t i = 0; i < r->lineage.n; i++) {
		if (r->lineage.entry[i].type != LINEAGE_VERSION || r->chain.twice[i] ||
		    !r->lineage.entry[i].whole)
			continue;
		record_pick(r, i);
		r->contested = r->gap = false; /* said once, of the whole list */
		if (json)
			json_add_sep(out);
		else if (n)
			buf_byte(out, '\n');
		n++;
		if (json)
			record_json(r, out);
		else
			record_text(r, out);
	}
	if (json)
		buf_byte(out, ']');
	if (contested && !json)
		buf_printf(out, "\nCONTESTED: %zu versions are current\n",
			   r->chain.nheads);
	if (gap && !json) {
		buf_byte(out, '\n');
		gap_text(r, out);
	}
	if (r->chain.nheads)
		record_pick(r, r->chain.heads[0]);
}
