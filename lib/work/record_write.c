/*
 * Writing. Everything that may take time (canonical form, redaction) is done before the lock is
 * taken; under it the end of the file is looked at and the bytes are appended; the disk is waited
 * for without it. When another program has put a new file in the place of ours in between, what we
 * wrote is looked for there, and written again unless it is in it.
 */
#include "work/record.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/canon.h"
#include "data/json.h"
#include "data/recnews.h"
#include "work/record_impl.h"
#include "work/redact.h"

#define TRIES 8 /* replacements in between before we give up */

int record_redact_text(struct buf *out, const char *what, str s, size_t max,
		       size_t *secrets, struct err *e)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	int ret = 0;

	if (s.n > max)
		return err_set(e, HF_ELIMIT, "%s over %zu bytes", what, max);
	*secrets += redact(&b, s);
	utf8_show(out, buf_str(&b), UTF8_ONELINE);
	if (out->full)
		ret = err_set(e, HF_ELIMIT, "%s over %zu bytes", what, max);
	buf_release(&b);
	return ret;
}

/* Strings and names one by one: a secret may hide behind escapes. */
static size_t redact_strings(struct buf *out, str json)
{
	struct buf text = BUF_INIT(SIZE_MAX), clean = BUF_INIT(SIZE_MAX);
	size_t done = 0, n = 0;
	enum json_tok tok;
	struct json j;

	json_init(&j, json);
	while ((tok = json_next(&j)) != JSON_END && tok != JSON_BAD && tok != JSON_MORE) {
		if (tok != JSON_STR && tok != JSON_KEY)
			continue;
		buf_reset(&text);
		buf_reset(&clean);
		json_text(&j, &text);
		n += redact(&clean, buf_str(&text));
		buf_add(out, (str){json.p + done, (size_t)(j.raw.p - json.p) - 1 - done});
		canon_str(out, buf_str(&clean));
		done = j.at;
	}
	buf_add(out, str_from(json, done));
	buf_release(&text);
	buf_release(&clean);
	return n;
}

int record_redact_json(struct buf *out, str json, size_t *secrets, struct err *e)
{
	struct buf one = BUF_INIT(SIZE_MAX), all = BUF_INIT(SIZE_MAX);
	struct err own = ERR_INIT;
	int ret = 0;

	*secrets += redact_strings(&one, json);
	*secrets += redact(&all, buf_str(&one));
	ret = canon_json(out, buf_str(&all), CANON_COMPACT, &own);
	if (ret)
		ret = err_set(
			e, ret,
			*secrets
				? "the value holds what looks like a secret, and cannot be "
				  "stored without it: %s"
				: "%s",
			own.msg);
	buf_release(&one);
	buf_release(&all);
	return ret;
}

/* What a write needs, ready before the lock is taken. */
struct draft {
	struct lineage_entry v;
	struct lineage_state
		of; /* an outcome: the version that it is about, as it is after it */
	struct buf agent, session, note, ref, tags, pretty, extra, body;
	char at[CLOCK_ISO_BYTES], content[65], chain[65];
};

static void draft_begin(struct draft *d)
{
	*d = (struct draft){.agent = BUF_INIT(4096),
			    .session = BUF_INIT(4096),
			    .note = BUF_INIT(3 * RECORD_NOTE_MAX),
			    .ref = BUF_INIT(3 * RECORD_NOTE_MAX),
			    .tags = BUF_INIT(SIZE_MAX),
			    .pretty = BUF_INIT(SIZE_MAX),
			    .extra = BUF_INIT(SIZE_MAX),
			    .body = BUF_INIT(SIZE_MAX)};
	clock_iso(d->at, clock_now());
	d->v.at = str_of(d->at);
}

static void draft_release(struct draft *d)
{
	buf_release(&d->agent);
	buf_release(&d->session);
	buf_release(&d->note);
	buf_release(&d->ref);
	buf_release(&d->tags);
	buf_release(&d->pretty);
	buf_release(&d->extra);
	buf_release(&d->body);
}

/* Who and when, and the words that go with it. */
static int draft_words(struct draft *d, const struct record_store *s, str note, str ref,
		       size_t *secrets, struct err *e)
{
	int ret =
		record_redact_text(&d->agent, "the agent's name", str_of(record_agent(s)),
				   RECORD_AGENT_MAX, secrets, e);

	if (!ret && !d->agent.n)
		ret = err_set(e, HF_EUSAGE, "the agent's name is blank");
	if (!ret)
		ret = record_redact_text(&d->session, "the session's id",
					 str_of(s->session ? s->session : ""),
					 RECORD_AGENT_MAX, secrets, e);
	if (!ret)
		ret = record_redact_text(&d->note, "note", note, RECORD_NOTE_MAX, secrets,
					 e);
	if (!ret)
		ret = record_redact_text(&d->ref, "ref", ref, RECORD_NOTE_MAX, secrets,
					 e);
	d->v.agent = buf_str(&d->agent);
	d->v.session = buf_str(&d->session);
	d->v.note = buf_str(&d->note);
	d->v.ref = buf_str(&d->ref);
	return ret;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One tag as it is stored: lower case, blanks as one. */
static int clean_tag(str tag, char **out, size_t *secrets, struct err *e)
{
	struct buf b = BUF_INIT(4 * RECORD_TAG_MAX);
	int ret = record_redact_text(&b, "a tag", tag, RECORD_TAG_MAX, secrets, e);

	if (!ret && !b.n)
		ret = err_set(e, HF_EUSAGE, "a tag is blank");
	for (size_t i = 0; i < b.n; i++)
		b.p[i] = str_lower(b.p[i]);
	if (!ret)
		*out = buf_take(&b);
	buf_release(&b);
	return ret;
}

static int draft_tags(struct draft *d, const struct record_new *n, size_t *secrets,
		      struct err *e)
{
	char *tag[RECORD_TAGS_MAX];
	size_t got = 0;
	int ret = 0;

	if (n->ntags > RECORD_TAGS_MAX)
		return err_set(e, HF_ELIMIT, "over %d tags", RECORD_TAGS_MAX);
	for (; got < n->ntags && !ret; got += !ret)
		ret = clean_tag(n->tags[got], &tag[got], secrets, e);
	if (got && !ret) {
		qsort(tag, got, sizeof(*tag), by_text);
		buf_byte(&d->tags, '[');
		for (size_t i = 0; i < got; i++) {
			if (i && strcmp(tag[i], tag[i - 1]) == 0)
				continue;
			json_add_sep(&d->tags);
			canon_str(&d->tags, str_of(tag[i]));
		}
		buf_byte(&d->tags, ']');
	}
	for (size_t i = 0; i < got; i++)
		free(tag[i]);
	d->v.tags = buf_str(&d->tags);
	return ret;
}

static int draft_value(struct draft *d, const struct record_new *n,
		       struct record_done *done, struct err *e)
{
	int ret;

	if (!n->value.n)
		return err_set(e, HF_EUSAGE, "value is missing");
	if (n->value.n > 8 * RECORD_VALUE_MAX)
		return err_set(e, HF_ELIMIT, "value over %u KB", RECORD_VALUE_MAX >> 10);
	ret = record_redact_json(&done->value, n->value, &done->secrets, e);
	if (!ret && done->value.n > RECORD_VALUE_MAX)
		ret = err_set(
			e, HF_ELIMIT,
			"value is %zu bytes; at most %u: keep large things in a file and "
			"name it here",
			done->value.n, RECORD_VALUE_MAX);
	if (!ret)
		ret = canon_json(&d->pretty, buf_str(&done->value), CANON_PRETTY, e);
	if (!ret && n->extra.n)
		ret = canon_json(&d->extra, n->extra, CANON_COMPACT, e);
	d->v.value = buf_str(&d->pretty);
	d->v.extra = buf_str(&d->extra);
	return ret;
}

static int draft_version(struct draft *d, const struct record_store *s,
			 const struct record_new *n, struct record_done *done,
			 struct err *e)
{
	int ret = draft_words(d, s, n->note, n->ref, &done->secrets, e);

	if (!(n->confidence <= 1))
		return err_set(e, HF_EUSAGE, "confidence is a number from 0 to 1");
	d->v.confidence = n->confidence < 0 ? RECORD_CONFIDENCE : n->confidence;
	if (!ret)
		ret = draft_value(d, n, done, e);
	if (!ret)
		ret = draft_tags(d, n, &done->secrets, e);
	return ret;
}

/* The record is as the writer expects. 1: nothing is to be written. */
static int check_now(const struct record_store *s, const struct address *a,
		     const struct record_new *n, const struct record_end *end,
		     struct record_done *done, struct err *e)
{
	struct buf now = BUF_INIT(SIZE_MAX);
	struct record_view r;
	int ret = 0;

	if (n->expects && n->expected != end->last) {
		done->conflict = true;
		done->version = end->last;
		return err_set(
			e, HF_EFORMAT,
			"%s: expected version %llu, but it is at %llu; nothing was written",
			a->text, (unsigned long long)n->expected,
			(unsigned long long)end->last);
	}
	if (!n->if_changed || end->nheads != 1)
		return 0;
	if (record_read(s, a, 0, STR_NONE, &r, NULL) == 0 && !r.corrupt &&
	    canon_json(&now, r.v->value, CANON_COMPACT, NULL) == 0 &&
	    str_eq(buf_str(&now), buf_str(&done->value))) {
		done->unchanged = true;
		done->version = end->last;
		done->confidence = r.state.confidence;
		ret = 1;
	}
	record_release(&r);
	buf_release(&now);
	return ret;
}

static int fill_version(struct draft *d, const struct address *a,
			const struct record_end *end, struct record_done *done,
			struct err *e)
{
	struct lineage_entry *v = &d->v;
	int ret;

	v->version = end->last + 1;
	v->nparents = end->nheads;
	for (size_t i = 0; i < end->nheads; i++)
		v->parents[i] = str_of(end->head[i]);
	record_set_prev(v, end);
	ret = chain_content(a->scope, a->key, v->version, v->value, v->agent, v->at,
			    v->tags, d->content, e);
	v->content = str_of(d->content);
	chain_hash(v->content, v->parents, v->nparents, d->chain);
	v->chain = str_of(d->chain);
	done->version = v->version;
	done->supersedes = end->last;
	done->joined = end->nheads > 1;
	done->confidence = v->confidence;
	memcpy(done->at, d->at, sizeof(d->at));
	memcpy(done->content, d->content, sizeof(d->content));
	memcpy(done->chain, d->chain, sizeof(d->chain));
	return ret;
}

/* The sealed line is in the file that now has this name. */
static bool has_line(const struct record_store *s, str rel, const char *hash)
{
	struct buf text = BUF_INIT(SHELF_FILE_MAX);
	bool found = shelf_read(s->vault, SHELF_RECORDS, rel, &text, NULL) == 0 &&
		     str_find(buf_str(&text), str_of(hash)) != STR_NPOS;

	buf_release(&text);
	return found;
}

/*
 * Put body at the end of the file and wait for the disk; gives the lock back. 1: done; 0: the file
 * was replaced and does not hold it: begin again.
 */
static int put(const struct record_store *s, str rel, const struct record_end *end,
	       str body, const char *hash, struct err *e)
{
	struct shelf_pending p;
	int ret;

	if (end->size + body.n > SHELF_FILE_MAX)
		ret = err_set(e, HF_ELIMIT, "%.*s: over %u MB; go on under a new key",
			      STR_ARG(rel), SHELF_FILE_MAX >> 20);
	else
		ret = shelf_append(s->vault, SHELF_RECORDS, rel, body, &p, e);
	vault_unlock(s->vault);
	if (ret)
		return ret;
	ret = shelf_finish(&p, e);
	if (ret == 0 && has_line(s, rel, hash))
		ret = 1;
	if (ret > 0)
		recnews_add(s->vault, rel);
	return ret;
}

/* One try: 1 written or nothing to write, 0 begin again, HF_E*. The lock is held on entry, and given back. */
static int try_write(const struct record_store *s, const struct address *a, str rel,
		     const struct record_new *n, struct draft *d,
		     struct record_done *done, struct err *e)
{
	struct record_end end;
	char hash[65];
	int ret = record_find_end(s, rel, &end, e);

	if (!ret)
		ret = check_now(s, a, n, &end, done, e);
	if (!ret)
		ret = fill_version(d, a, &end, done, e);
	if (ret) {
		vault_unlock(s->vault);
		return ret;
	}
	buf_reset(&d->body);
	record_add_start(&d->body, &end, a);
	lineage_add_version(&d->body, &d->v, end.size, hash);
	return put(s, rel, &end, buf_str(&d->body), hash, e);
}

/* A name cannot be written without its secret: there would be another record. */
static int check_address(const struct address *a, struct err *e)
{
	struct buf clean = BUF_INIT(SIZE_MAX);
	bool secret = redact(&clean, str_of(a->text)) > 0;

	buf_release(&clean);
	return secret ? err_set(e, HF_EUSAGE,
				"scope and key hold a secret, which is no name for a "
				"record: nothing was written")
		      : 0;
}

int record_write(const struct record_store *s, const struct address *a,
		 const struct record_new *n, struct record_done *done, struct err *e)
{
	struct buf rel = BUF_INIT(SIZE_MAX);
	struct draft d;
	int ret;

	*done = (struct record_done){.value = BUF_INIT(8 * RECORD_VALUE_MAX)};
	draft_begin(&d);
	ret = check_address(a, e);
	if (!ret)
		ret = draft_version(&d, s, n, done, e);
	address_path(&rel, a);
	for (int i = 0; !ret && i < TRIES; i++) {
		ret = vault_lock(s->vault, RECORD_WAIT_MS, e);
		if (!ret)
			ret = try_write(s, a, buf_str(&rel), n, &d, done, e);
	}
	if (!ret)
		ret = err_set(e, HF_EIO, "%s: replaced again and again while writing",
			      a->text);
	draft_release(&d);
	buf_release(&rel);
	return ret < 0 ? ret : 0;
}

void record_done_release(struct record_done *done)
{
	buf_release(&done->value);
}

/* Outcomes. */

/* What is reported is about an earlier version: its own state, by all that was reported of it. */
static int old_version(const struct record_store *s, const struct address *a,
		       uint64_t version, struct lineage_state *state, char chain[65],
		       struct err *e)
{
	struct record_view r;
	int ret = record_read(s, a, version, STR_NONE, &r, e);

	if (!ret) {
		*state = r.state;
		state->chain = STR_NONE; /* it lies in r */
		memcpy(chain, r.v->chain.p, r.v->chain.n < 64 ? r.v->chain.n : 64);
		chain[64] = 0;
	}
	record_release(&r);
	return ret;
}

static int fill_outcome(struct draft *d, const struct record_store *s,
			const struct address *a, const struct record_outcome *o,
			const struct record_end *end, struct err *e)
{
	struct lineage_entry *v = &d->v;
	int ret = 0;

	v->type = LINEAGE_OUTCOME;
	v->version = o->version ? o->version : end->last;
	v->moved = v->version == end->last;
	v->of = end->state.chain;
	v->head = end->state;
	v->kind = str_of(outcome_names[o->kind]);
	record_set_prev(v, end);
	d->of = end->state;
	if (!v->moved) {
		ret = old_version(s, a, v->version, &d->of, d->chain, e);
		v->of = str_of(d->chain);
	}
	v->before = d->of.confidence;
	if (v->moved) {
		chain_step(&v->head, v->kind);
		d->of = v->head;
	}
	v->after = d->of.confidence;
	return ret;
}

static int try_report(const struct record_store *s, const struct address *a, str rel,
		      const struct record_outcome *o, struct draft *d, struct err *e)
{
	struct record_end end;
	char hash[65];
	int ret = record_find_end(s, rel, &end, e);

	if (!ret && !end.nheads)
		ret = err_set(e, HF_ENOTFOUND, "no record %s", a->text);
	if (!ret && end.nheads > 1)
		ret = err_set(
			e, HF_EAMBIGUOUS,
			"%s is contested: %zu versions are current; write the one that holds "
			"first",
			a->text, end.nheads);
	if (!ret)
		ret = fill_outcome(d, s, a, o, &end, e);
	if (ret) {
		vault_unlock(s->vault);
		return ret;
	}
	buf_reset(&d->body);
	record_add_start(&d->body, &end, a);
	lineage_add_outcome(&d->body, &d->v, end.size, hash);
	return put(s, rel, &end, buf_str(&d->body), hash, e);
}

static void fill_moved(struct record_moved *m, const struct draft *d)
{
	m->version = d->v.version;
	m->moved = d->v.moved;
	m->before = d->v.before;
	m->after = d->v.after;
	m->successes = d->of.successes;
	m->failures = d->of.failures;
	m->others = d->of.others;
	m->newest = d->v.head.version;
	m->newest_confidence = d->v.head.confidence;
	memcpy(m->at, d->at, sizeof(d->at));
}

int record_report(const struct record_store *s, const struct address *a,
		  const struct record_outcome *o, struct record_moved *m, struct err *e)
{
	struct buf rel = BUF_INIT(SIZE_MAX);
	struct draft d;
	int ret;

	*m = (struct record_moved){0};
	draft_begin(&d);
	ret = draft_words(&d, s, o->note, o->ref, &m->secrets, e);
	d.v.packet = o->packet;
	address_path(&rel, a);
	for (int i = 0; !ret && i < TRIES; i++) {
		ret = vault_lock(s->vault, RECORD_WAIT_MS, e);
		if (!ret)
			ret = try_report(s, a, buf_str(&rel), o, &d, e);
	}
	if (!ret)
		ret = err_set(e, HF_EIO, "%s: replaced again and again while writing",
			      a->text);
	if (ret > 0)
		fill_moved(m, &d);
	draft_release(&d);
	buf_release(&rel);
	return ret < 0 ? ret : 0;
}
