/*
 * Records: write, read, search, outcome, stats. Packets are in rectool_packet.c.
 */
#include "work/rectool.h"

#include "base/utf8.h"
#include "data/canon.h"
#include "data/json.h"
#include "work/rectool_impl.h"
#include "work/redact.h"

void rectool_init(struct rectool *r)
{
	*r = (struct rectool){.json = BUF_INIT(RECTOOL_MAX),
			      .text = BUF_INIT(RECTOOL_MAX)};
}

void rectool_release(struct rectool *r)
{
	buf_release(&r->json);
	buf_release(&r->text);
}

void rectool_begin(struct rectool *r)
{
	buf_printf(&r->json, "{\"format\":%d", RECTOOL_FORMAT);
}

int rectool_percent(double c)
{
	return (int)(c * 100 + 0.5);
}

void rectool_str(struct buf *b, const char *key, str s)
{
	json_add_key(b, key);
	json_add_str(b, s);
}

void rectool_u64(struct buf *b, const char *key, uint64_t v)
{
	json_add_key(b, key);
	buf_u64(b, v);
}

void rectool_double(struct buf *b, const char *key, double v)
{
	json_add_key(b, key);
	canon_number(b, v);
}

void rectool_bool(struct buf *b, const char *key, bool v)
{
	json_add_key(b, key);
	buf_add(b, v ? STR("true") : STR("false"));
}

int rectool_full(const struct rectool *r, struct err *e)
{
	return r->json.full || r->text.full
		       ? err_set(e, HF_ELIMIT, "the answer is over %u MB; ask for less",
				 RECTOOL_MAX >> 20)
		       : 0;
}

static bool is_there(const struct record_store *s, str text)
{
	struct address a;
	bool there = address_of(&a, text, STR_NONE, NULL) == 0 && record_exists(s, &a);

	address_release(&a);
	return there;
}

int rectool_ref(const struct record_store *s, str text, struct packet_ref *ref,
		struct err *e)
{
	uint64_t version;
	str name;

	*ref = (struct packet_ref){.scope = text};
	if (!address_version(text, &name, &version) || is_there(s, text))
		return 0;
	if (!version)
		return err_set(e, HF_EUSAGE, "'%.*s': versions count from 1",
			       STR_ARG(text));
	ref->scope = name;
	ref->version = version;
	return 0;
}

/* "a/b@3" is written only where it cannot be meant as a version of a/b. */
static int check_name(const struct record_store *s, str text, struct err *e)
{
	uint64_t version;
	str name;

	if (!address_version(text, &name, &version) || is_there(s, text) ||
	    !is_there(s, name))
		return 0;
	return err_set(e, HF_EUSAGE,
		       "'%.*s' names a version of %.*s; a write adds the next one: leave "
		       "the '@' out",
		       STR_ARG(text), STR_ARG(name));
}

void rectool_redacted(struct rectool *r, size_t secrets)
{
	if (!secrets)
		return;
	rectool_u64(&r->json, "redacted", secrets);
	buf_printf(&r->text, "%zu secret%s taken out before it was stored.\n", secrets,
		   secrets == 1 ? " was" : "s were");
}

static void wrote_text(const struct address *a, const struct record_done *d,
		       struct buf *out)
{
	utf8_show(out, str_of(a->text), UTF8_ONELINE);
	if (d->unchanged) {
		buf_printf(out, " v%llu holds this value already: nothing was written.\n",
			   (unsigned long long)d->version);
		return;
	}
	buf_printf(out, " v%llu written", (unsigned long long)d->version);
	if (d->joined)
		buf_add(out, STR(", which ends the contest"));
	else if (d->supersedes)
		buf_printf(out, ", supersedes v%llu", (unsigned long long)d->supersedes);
	buf_printf(out, ", confidence %d%%.\n", rectool_percent(d->confidence));
}

int rectool_write(const struct record_store *s, str scope, str key,
		  const struct record_new *n, struct rectool *r, struct err *e)
{
	struct record_view now = {.lineage = LINEAGE_INIT};
	struct record_done d = {.value = BUF_INIT(0)};
	struct address a;
	int ret = address_of(&a, scope, key, e);

	if (!ret && !key.n)
		ret = check_name(s, scope, e);
	if (!ret)
		ret = record_write(s, &a, n, &d, e);
	if (!ret)
		ret = record_read(s, &a, d.version, str_of(d.chain), &now, e);
	if (!ret) {
		rectool_begin(r);
		json_add_key(&r->json, "record");
		record_json(&now, &r->json);
		json_add_key(&r->json, "supersedes");
		if (d.supersedes && !d.unchanged)
			buf_u64(&r->json, d.supersedes);
		else
			buf_add(&r->json, STR("null"));
		rectool_bool(&r->json, "written", !d.unchanged);
		if (d.joined)
			rectool_bool(&r->json, "contest_ended", true);
		wrote_text(&a, &d, &r->text);
		rectool_redacted(r, d.secrets);
		buf_byte(&r->json, '}');
	}
	record_release(&now);
	record_done_release(&d);
	address_release(&a);
	return ret;
}

static int read_all(const struct record_store *s, const struct address *a,
		    struct rectool *r, struct err *e)
{
	struct record_view rec;
	int ret = record_load(s, a, &rec, e);

	if (!ret) {
		rectool_begin(r);
		json_add_key(&r->json, "versions");
		record_history(&rec, true, &r->json);
		if (rec.chain.nheads > 1)
			rectool_bool(&r->json, "contested", true);
		if (rec.gap)
			record_gap_json(&rec, &r->json);
		buf_byte(&r->json, '}');
		record_history(&rec, false, &r->text);
	}
	record_release(&rec);
	return ret;
}

static void below_floor(const struct record_view *rec, double floor, struct rectool *r)
{
	rectool_begin(r);
	json_add_key(&r->json, "record");
	buf_add(&r->json, STR("null"));
	rectool_double(&r->json, "confidence", rec->state.confidence);
	rectool_double(&r->json, "min_confidence", floor);
	buf_byte(&r->json, '}');
	utf8_show(&r->text, str_of(rec->address.text), UTF8_ONELINE);
	buf_printf(&r->text, " v%llu is at %d%%, below the floor of %d%%.\n",
		   (unsigned long long)rec->v->version,
		   rectool_percent(rec->state.confidence), rectool_percent(floor));
}

int rectool_read(const struct record_store *s, str scope, str key,
		 const struct rectool_read *o, struct rectool *r, struct err *e)
{
	struct record_view rec = {.lineage = LINEAGE_INIT};
	struct address a;
	int ret = address_of(&a, scope, key, e);

	if (!ret && o->history) {
		ret = read_all(s, &a, r, e);
	} else if (!ret) {
		ret = record_read(s, &a, o->version, STR_NONE, &rec, e);
		if (!ret && rec.state.confidence < o->min_confidence) {
			below_floor(&rec, o->min_confidence, r);
		} else if (!ret) {
			rectool_begin(r);
			json_add_key(&r->json, "record");
			record_json(&rec, &r->json);
			buf_byte(&r->json, '}');
			record_text(&rec, &r->text);
		}
	}
	record_release(&rec);
	address_release(&a);
	return ret ? ret : rectool_full(r, e);
}

struct found {
	struct rectool *r;
	size_t n;
};

static int found_one(struct record_view *rec, void *arg)
{
	struct found *f = arg;

	json_add_sep(&f->r->json);
	record_json(rec, &f->r->json);
	if (f->n++)
		buf_byte(&f->r->text, '\n');
	record_text(rec, &f->r->text);
	return 0;
}

int rectool_search(const struct record_store *s, const struct recsearch *q,
		   struct rectool *r, struct err *e)
{
	struct found f = {r, 0};
	size_t more;
	int ret;

	rectool_begin(r);
	json_add_key(&r->json, "records");
	buf_byte(&r->json, '[');
	ret = recsearch_run(s, q, found_one, &f, &more, e);
	if (ret)
		return ret;
	buf_byte(&r->json, ']');
	rectool_u64(&r->json, "more", more);
	buf_byte(&r->json, '}');
	if (!f.n)
		buf_add(&r->text, STR("No record fits.\n"));
	if (more)
		buf_add(&r->text,
			STR("\nThere are more: ask with a larger limit, or for less.\n"));
	return rectool_full(r, e);
}

static int bad_kind(str kind, struct err *e)
{
	struct buf b = BUF_INIT(512);
	int ret;

	for (int i = 0; i < OUTCOME_KINDS; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", outcome_names[i]);
	ret = err_set(e, HF_EUSAGE, "outcome is '%.*s', not one of %s",
		      STR_ARG(str_head(kind, 40)), buf_cstr(&b));
	buf_release(&b);
	return ret;
}

static void outcome_json(const struct address *a, str kind, const struct record_moved *m,
			 struct buf *b)
{
	rectool_str(b, "scope", a->scope);
	rectool_str(b, "key", a->key);
	rectool_u64(b, "version", m->version);
	rectool_str(b, "outcome", kind);
	rectool_bool(b, "moved", m->moved);
	rectool_double(b, "before", m->before);
	rectool_double(b, "after", m->after);
	rectool_u64(b, "successes", m->successes);
	rectool_u64(b, "failures", m->failures);
	if (m->others)
		rectool_u64(b, "others", m->others);
	rectool_u64(b, "newest", m->newest);
	rectool_double(b, "newest_confidence", m->newest_confidence);
}

/* What the report did to the version that it is about, and which one is current. */
static void outcome_text(const struct record_moved *m, struct buf *b)
{
	buf_printf(b, " v%llu: ", (unsigned long long)m->version);
	if (m->moved)
		buf_printf(b, "confidence %d%% -> %d%%\n", rectool_percent(m->before),
			   rectool_percent(m->after));
	else
		buf_printf(
			b,
			"noted; that version is superseded, so nothing moves: it stays at "
			"%d%%. Current is v%llu, at %d%%\n",
			rectool_percent(m->after), (unsigned long long)m->newest,
			rectool_percent(m->newest_confidence));
}

int rectool_outcome(const struct record_store *s, str scope, str key, str kind,
		    const struct record_outcome *o, struct rectool *r, struct err *e)
{
	struct record_outcome with = *o;
	struct record_moved m = {0};
	struct packet from = {0};
	struct address a;
	int ret = address_of(&a, scope, key, e);

	if (!ret && !outcome_of(kind, &with.kind))
		ret = bad_kind(kind, e);
	if (!ret && with.packet.n)
		ret = packet_read(s, with.packet, &from, e);
	if (!ret)
		ret = record_report(s, &a, &with, &m, e);
	if (!ret) {
		rectool_begin(r);
		outcome_json(&a, kind, &m, &r->json);
		buf_printf(&r->text, "%.*s on ", STR_ARG(kind));
		utf8_show(&r->text, str_of(a.text), UTF8_ONELINE);
		outcome_text(&m, &r->text);
		rectool_redacted(r, m.secrets);
		buf_byte(&r->json, '}');
	}
	packet_release(&from);
	address_release(&a);
	return ret;
}

/* Stats. */

#define LIST_MAX 100 /* findings of one kind that are listed */

struct listed {
	struct buf kind[VERIFY_KINDS]; /* JSON objects joined by commas */
	uint64_t n[VERIFY_KINDS];
	struct buf text;
};

static void list_finding(const struct verify_finding *f, void *arg)
{
	struct listed *l = arg;
	struct buf *b = &l->kind[f->kind];

	if (l->n[f->kind]++ >= LIST_MAX)
		return;
	json_add_sep(b);
	buf_byte(b, '{');
	rectool_str(b, "where", str_of(f->where));
	if (f->version)
		rectool_u64(b, "version", f->version);
	rectool_str(b, "what", str_of(f->what));
	buf_byte(b, '}');
	buf_printf(&l->text, "%s: ", verify_kind_name(f->kind));
	redact_show(&l->text, str_of(f->where), true);
	if (f->version)
		buf_printf(&l->text, " v%llu", (unsigned long long)f->version);
	buf_add(&l->text, STR(": "));
	redact_show(&l->text, str_of(f->what), true);
	buf_byte(&l->text, '\n');
}

static void time_or_null(struct buf *b, const char *key, const char *at)
{
	json_add_key(b, key);
	if (*at)
		json_add_str(b, str_of(at));
	else
		buf_add(b, STR("null"));
}

static void counts_json(const struct verify *v, struct buf *b)
{
	rectool_u64(b, "records", v->records);
	rectool_u64(b, "versions", v->versions);
	rectool_u64(b, "superseded", v->superseded);
	json_add_key(b, "agents");
	buf_byte(b, '[');
	for (const char *p = v->agents.p; p && p < v->agents.p + v->agents.n;
	     p += strlen(p) + 1) {
		json_add_sep(b);
		json_add_str(b, str_of(p));
	}
	buf_byte(b, ']');
	json_add_key(b, "packets");
	buf_byte(b, '{');
	for (int i = 0; i < PACKET_STATES; i++)
		rectool_u64(b, packet_status_name((enum packet_status)i), v->states[i]);
	buf_byte(b, '}');
	json_add_key(b, "outcomes");
	buf_byte(b, '{');
	for (int i = 0; i < OUTCOME_KINDS; i++)
		rectool_u64(b, outcome_names[i], v->kinds[i]);
	buf_byte(b, '}');
	rectool_double(b, "mean_confidence", v->confidence);
	time_or_null(b, "oldest", v->oldest);
	time_or_null(b, "newest", v->newest);
	rectool_u64(b, "bytes", v->bytes);
	rectool_str(b, "root", str_of(v->root));
}

static void add_count(struct buf *b, const char *before, uint64_t n, const char *what,
		      const char *after)
{
	buf_printf(b, "%s%llu %s%s%s", before, (unsigned long long)n, what,
		   n == 1 ? "" : "s", after);
}

static void counts_text(const struct verify *v, struct buf *b)
{
	size_t agents = 0;

	for (size_t i = 0; i < v->agents.n; i++)
		agents += !v->agents.p[i];
	add_count(b, "", v->records, "record", ",");
	add_count(b, " ", v->versions, "version", "");
	buf_printf(b, " (%llu superseded)", (unsigned long long)v->superseded);
	add_count(b, " by ", agents, "agent", "");
	if (v->records)
		buf_printf(b, ", mean confidence %d%%", rectool_percent(v->confidence));
	buf_byte(b, '\n');
	add_count(b, "", v->outcomes, "outcome", ":");
	for (int i = 0; i < OUTCOME_KINDS; i++)
		if (v->kinds[i])
			buf_printf(b, " %llu %s", (unsigned long long)v->kinds[i],
				   outcome_names[i]);
	add_count(b, "\n", v->packets, "packet", ":");
	for (int i = 0; i < PACKET_STATES; i++)
		if (v->states[i])
			buf_printf(b, " %llu %s", (unsigned long long)v->states[i],
				   packet_status_name((enum packet_status)i));
	buf_printf(b, "\nroot %s\n", v->root);
}

static const char *const LIST_NAME[VERIFY_KINDS] = {
	[VERIFY_CORRUPT] = "corrupt",
	[VERIFY_CHAIN_BREAK] = "chain_breaks",
	[VERIFY_GAP] = "gaps",
	[VERIFY_DANGLING] = "dangling_refs",
	[VERIFY_HEAD] = "head_mismatches",
	[VERIFY_REPLAY] = "outcome_replay_mismatches",
	[VERIFY_CONTESTED] = "contested",
	[VERIFY_TORN] = "torn",
};

static void findings_json(const struct verify *v, const struct listed *l, struct buf *b)
{
	rectool_u64(b, "checked", v->checked);
	rectool_u64(b, "valid", v->valid);
	rectool_bool(b, "ok", !verify_failed(v));
	for (int k = 0; k < VERIFY_KINDS; k++) {
		json_add_key(b, LIST_NAME[k]);
		buf_byte(b, '[');
		buf_add(b, buf_str(&l->kind[k]));
		buf_byte(b, ']');
		if (l->n[k] > LIST_MAX) {
			buf_printf(b, ",\"%s_not_listed\":%llu", LIST_NAME[k],
				   (unsigned long long)(l->n[k] - LIST_MAX));
		}
	}
}

static void findings_text(const struct verify *v, const struct listed *l, struct buf *b)
{
	buf_printf(b, "%llu checked, %llu valid: ", (unsigned long long)v->checked,
		   (unsigned long long)v->valid);
	buf_add(b, verify_failed(v) ? STR("NOT as they were written\n")
				    : STR("all as they were written\n"));
	buf_add(b, buf_str(&l->text));
	for (int k = 0; k < VERIFY_KINDS; k++)
		if (l->n[k] > LIST_MAX)
			buf_printf(b, "%s: %llu more, not listed\n",
				   verify_kind_name((enum verify_kind)k),
				   (unsigned long long)(l->n[k] - LIST_MAX));
}

int rectool_stats(const struct record_store *s, bool verify, struct rectool *r,
		  struct err *e)
{
	struct listed l = {.text = BUF_INIT(RECTOOL_MAX)};
	struct verify_options o = {.check = verify, .found = list_finding, .arg = &l};
	struct verify v;
	int ret;

	for (int k = 0; k < VERIFY_KINDS; k++)
		l.kind[k] = BUF_INIT(RECTOOL_MAX);
	ret = verify_run(s, &o, &v, e);
	if (!ret) {
		rectool_begin(r);
		counts_json(&v, &r->json);
		counts_text(&v, &r->text);
		if (verify) {
			findings_json(&v, &l, &r->json);
			findings_text(&v, &l, &r->text);
			r->failed = verify_failed(&v);
		} else {
			rectool_u64(&r->json, "contested", v.findings[VERIFY_CONTESTED]);
			rectool_u64(&r->json, "gaps", v.findings[VERIFY_GAP]);
			buf_add(&r->text, buf_str(&l.text));
		}
		buf_byte(&r->json, '}');
	}
	for (int k = 0; k < VERIFY_KINDS; k++)
		buf_release(&l.kind[k]);
	buf_release(&l.text);
	verify_release(&v);
	return ret ? ret : rectool_full(r, e);
}
