/*
 * Entries. Beside a version lies, in its `extra`, what AMFS knows and we do not:
 *
 *   {"amfs":{"amfsVersion","artifactRefs":[],"commit":{"at","id","message","parents"},
 *            "confidence":1.03,"contentHash","integrityChain","key","outcomeCount":1,
 *            "patternRefs":[],"provenance":{"agentId","sessionId","writtenAt"},"shared":true,
 *            "ttlAt":null}}
 *
 * amfsVersion where it was given, key where it holds a '/', provenance where it is not that of the version:
 * the writer gave a time of its own, or an outcome carried the entry on.
 *
 * contentHash is the SHA-256 of the value alone, canonical and ASCII; integrityChain that of
 * contentHash and the integrityChain before it. A version that the record tools wrote has
 * none of this: its entry is made up from what it has.
 */
#include <stdlib.h>

#include "data/canon.h"
#include "data/digest.h"
#include "data/json.h"
#include "work/amfs_impl.h"

#define TRIES 16

double amfs_number(const struct jsonval *v, double fallback)
{
	struct buf b = BUF_INIT(CANON_DIGITS_MAX);
	double d = fallback;

	if (jsondoc_is_num(v))
		jsondoc_print(v, &b);
	if (!b.n || !canon_double(buf_str(&b), &d))
		d = fallback;
	buf_release(&b);
	return d;
}

const struct jsonval *amfs_extra(const struct record_view *r, struct jsondoc **d)
{
	*d = r->v->extra.n ? jsondoc_parse(r->v->extra, AMFS_LINE_MAX, NULL) : NULL;
	return jsondoc_get(jsondoc_root(*d), "amfs");
}

void amfs_believed(const struct record_view *r, double *confidence, uint64_t *outcomes)
{
	struct jsondoc *d;
	const struct jsonval *x = amfs_extra(r, &d);
	int64_t n = jsondoc_int(jsondoc_get(x, "outcomeCount"), 0);

	*confidence = amfs_number(jsondoc_get(x, "confidence"), r->state.confidence);
	*outcomes = x && n > 0 ? (uint64_t)n
			       : r->state.successes + r->state.failures + r->state.others;
	jsondoc_free(d);
}

static void content_hash(str value, char out[AMFS_HASH])
{
	struct buf b = BUF_INIT(SIZE_MAX);

	canon_json(&b, value, CANON_ASCII, NULL);
	digest_hex(buf_str(&b), out);
	buf_release(&b);
}

static void add_or(struct buf *b, const char *key, const struct jsonval *v, str fallback)
{
	json_add_key(b, key);
	if (v)
		jsondoc_print(v, b);
	else
		buf_add(b, fallback);
}

static void add_str(struct buf *b, const char *key, str s)
{
	json_add_key(b, key);
	json_add_str(b, s);
}

void amfs_name(const struct record_view *r, const struct jsonval *extra, str *path,
	       str *key)
{
	str text = str_of(r->address.text), said = jsondoc_str(jsondoc_get(extra, "key"));

	*path = r->address.scope;
	*key = r->address.key;
	if (said.n && said.n + 1 < text.n && str_ends(text, said) &&
	    text.p[text.n - said.n - 1] == '/') {
		*path = str_head(text, text.n - said.n - 1);
		*key = str_from(text, text.n - said.n);
	}
}

struct amfs_by amfs_provenance(const struct record_view *r, const struct jsonval *extra)
{
	const struct jsonval *p = jsondoc_get(extra, "provenance");
	struct amfs_by by = {.agent = jsondoc_str(jsondoc_get(p, "agentId")),
			     .session = jsondoc_str(jsondoc_get(p, "sessionId")),
			     .at = jsondoc_str(jsondoc_get(p, "writtenAt"))};

	if (!by.agent.n)
		by.agent = r->v->agent;
	if (!jsondoc_get(p, "sessionId"))
		by.session = r->v->session;
	if (!by.at.n)
		by.at = r->v->at;
	return by;
}

void amfs_entry(const struct record_view *r, struct buf *out)
{
	struct buf value = BUF_INIT(SIZE_MAX);
	struct jsondoc *d;
	const struct jsonval *x = amfs_extra(r, &d);
	struct amfs_by by = amfs_provenance(r, x);
	str path, key;
	char hash[AMFS_HASH];
	uint64_t outcomes;
	double confidence;
	size_t secrets = 0;

	amfs_believed(r, &confidence, &outcomes);
	content_hash(r->v->value, hash);
	if (record_redact_json(&value, r->v->value, &secrets, NULL))
		buf_add(&value, STR("null"));
	amfs_name(r, x, &path, &key);
	buf_byte(out, '{');
	add_or(out, "amfsVersion", jsondoc_get(x, "amfsVersion"), STR("\"1\""));
	add_str(out, "entityPath", path);
	add_str(out, "key", key);
	json_add_key(out, "version");
	buf_u64(out, r->v->version);
	json_add_key(out, "value");
	buf_add(out, buf_str(&value));
	buf_add(out, STR(",\"provenance\":{"));
	add_str(out, "agentId", by.agent);
	add_str(out, "sessionId", by.session);
	add_str(out, "writtenAt", by.at);
	add_or(out, "patternRefs", jsondoc_get(x, "patternRefs"), STR("[]"));
	buf_byte(out, '}');
	json_add_key(out, "confidence");
	canon_number(out, confidence);
	json_add_key(out, "outcomeCount");
	buf_u64(out, outcomes);
	add_or(out, "ttlAt", jsondoc_get(x, "ttlAt"), STR("null"));
	add_or(out, "artifactRefs", jsondoc_get(x, "artifactRefs"), STR("[]"));
	add_or(out, "shared", jsondoc_get(x, "shared"), STR("true"));
	add_str(out, "contentHash", str_of(hash));
	add_or(out, "integrityChain", jsondoc_get(x, "integrityChain"), STR("null"));
	add_or(out, "commitId", jsondoc_get(jsondoc_get(x, "commit"), "id"), STR("null"));
	buf_byte(out, '}');
	buf_release(&value);
	jsondoc_free(d);
}

/* The integrityChain of the version that is current now, or nothing; its number, 0 for none. */
static uint64_t chain_before(struct amfs *a, const struct address *at, struct buf *chain)
{
	struct jsondoc *d = NULL;
	struct record_view r;
	uint64_t version = 0;

	if (record_read(a->store, at, 0, STR_NONE, &r, NULL) == 0) {
		version = r.last;
		buf_add(chain,
			jsondoc_str(jsondoc_get(amfs_extra(&r, &d), "integrityChain")));
	}
	jsondoc_free(d);
	record_release(&r);
	return version;
}

static void provenance_json(const struct amfs_by *by, struct buf *b)
{
	json_add_key(b, "provenance");
	buf_byte(b, '{');
	if (by->agent.n) {
		add_str(b, "agentId", by->agent);
		add_str(b, "sessionId", by->session);
	}
	add_str(b, "writtenAt", by->at);
	buf_byte(b, '}');
}

static void extra_json(const struct amfs_new *n, const struct amfs_commit *c, str value,
		       str before, struct buf *b)
{
	char hash[AMFS_HASH], chain[AMFS_HASH];
	struct buf both = BUF_INIT(1024);

	content_hash(value, hash);
	buf_add(&both, str_of(hash));
	buf_add(&both, before);
	digest_hex(buf_str(&both), chain);
	buf_add(b, STR("{\"amfs\":{"));
	if (n->format.n)
		add_str(b, "amfsVersion", n->format);
	json_add_key(b, "artifactRefs");
	buf_add(b, n->artifacts.n ? n->artifacts : STR("[]"));
	buf_add(b, STR(",\"commit\":{"));
	add_str(b, "at", str_of(c->at));
	add_str(b, "id", str_of(c->id));
	add_str(b, "message", buf_str(&c->message));
	json_add_key(b, "parents");
	buf_add(b, buf_str(&c->parents));
	buf_byte(b, '}');
	json_add_key(b, "confidence");
	canon_number(b, n->confidence);
	add_str(b, "contentHash", str_of(hash));
	add_str(b, "integrityChain", str_of(chain));
	if (str_chr(n->key, '/') != STR_NPOS)
		add_str(b, "key", n->key);
	json_add_key(b, "outcomeCount");
	buf_u64(b, n->outcomes);
	json_add_key(b, "patternRefs");
	buf_add(b, n->patterns.n ? n->patterns : STR("[]"));
	if (n->by.at.n)
		provenance_json(&n->by, b);
	json_add_key(b, "shared");
	buf_add(b, n->shared ? STR("true") : STR("false"));
	json_add_key(b, "ttlAt");
	buf_add(b, n->ttl.n ? n->ttl : STR("null"));
	buf_add(b, STR("}}"));
	buf_release(&both);
}

/* 1: another writer came in between. */
static int write_once(struct amfs *a, const struct record_store *as,
		      const struct address *at, const struct amfs_new *n,
		      const struct amfs_commit *c, str value, struct record_done *done,
		      struct err *e)
{
	struct buf extra = BUF_INIT(AMFS_LINE_MAX), before = BUF_INIT(128),
		   clean = BUF_INIT(AMFS_LINE_MAX);
	struct record_new w = {.value = value, .expects = true};
	struct err own = ERR_INIT;
	size_t secrets = 0;
	int ret;

	w.confidence = n->confidence < 0 ? 0 : n->confidence > 1 ? 1 : n->confidence;
	w.expected = chain_before(a, at, &before);
	extra_json(n, c, value, buf_str(&before), &extra);
	ret = record_redact_json(&clean, buf_str(&extra), &secrets, &own);
	w.extra = buf_str(&clean);
	if (!ret)
		ret = record_write(as, at, &w, done, &own);
	if (ret && done->conflict)
		ret = 1;
	else if (ret)
		err_set(e, ret, "%s", own.msg);
	buf_release(&extra);
	buf_release(&before);
	buf_release(&clean);
	return ret;
}

int amfs_write(struct amfs *a, const struct amfs_new *n, const struct amfs_commit *c,
	       struct buf *entry, struct err *e)
{
	char *agent = str_dup(n->agent), *session = str_dup(n->session);
	struct record_store as = *a->store;
	struct buf value = BUF_INIT(AMFS_LINE_MAX);
	struct record_done done = {.value = BUF_INIT(0)};
	struct record_view now = {.lineage = LINEAGE_INIT};
	struct address at;
	size_t secrets = 0;
	int ret = address_of(&at, n->path, n->key, e);

	if (n->agent.n)
		as.agent = agent;
	if (n->session.n)
		as.session = session;
	if (!ret)
		ret = record_redact_json(&value, n->value, &secrets, e);
	for (int i = 0; !ret; i++) {
		record_done_release(&done);
		ret = write_once(a, &as, &at, n, c, buf_str(&value), &done, e);
		if (ret <= 0)
			break;
		ret = i < TRIES ? 0
				: err_set(e, HF_ETIME, "%s: others write all the time",
					  at.text);
	}
	if (!ret)
		ret = record_read(a->store, &at, done.version, str_of(done.chain), &now,
				  e);
	if (!ret)
		amfs_entry(&now, entry);
	record_release(&now);
	record_done_release(&done);
	address_release(&at);
	buf_release(&value);
	free(agent);
	free(session);
	return ret;
}
