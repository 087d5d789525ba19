/*
 * Requests and replies.
 */
#include "work/amfs.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/oom.h"
#include "data/canon.h"
#include "data/json.h"
#include "data/shelf.h"
#include "work/amfs_impl.h"
#include "work/rpc.h"

#define COMMITS_LIMIT 50

/*
 * What an outcome multiplies confidence with. The older table ranks what failed highest, which its
 * makers call inverted; it is here because clients of that age expect it.
 */
static const struct {
	const char *name;
	bool clamped;
	double success, minor, failure, critical;
} TABLE[] = {
	{"amfs-legacy", false, 0.97, 1.08, 1.10, 1.15},
	{"amfs-235", true, 1.03, 0.92, 0.90, 0.85},
};
#define TABLES (sizeof(TABLE) / sizeof(*TABLE))

struct amfs *amfs_open(const struct record_store *store, const char *table, struct err *e)
{
	struct amfs *a;

	for (size_t i = 0; i < TABLES; i++) {
		if (strcmp(TABLE[i].name, table) != 0)
			continue;
		a = calloc(1, sizeof(*a));
		if (!a)
			oom();
		a->store = store;
		a->table = (int)i;
		a->heads = BUF_INIT(SIZE_MAX);
		return a;
	}
	err_set(e, HF_EUSAGE, "no table '%s': amfs-legacy or amfs-235", table);
	return NULL;
}

void amfs_free(struct amfs *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->nwatches; i++)
		free(a->watch[i].path);
	buf_release(&a->heads);
	free(a);
}

bool amfs_apply(const struct amfs *a, str type, double causal, double *confidence)
{
	double by;

	if (str_ieq(type, STR("success")))
		by = TABLE[a->table].success;
	else if (str_ieq(type, STR("minor_failure")))
		by = TABLE[a->table].minor;
	else if (str_ieq(type, STR("failure")))
		by = TABLE[a->table].failure;
	else if (str_ieq(type, STR("critical_failure")))
		by = TABLE[a->table].critical;
	else
		return false;
	*confidence = *confidence * by * causal;
	if (TABLE[a->table].clamped)
		*confidence = *confidence < 0 ? 0 : *confidence > 1 ? 1 : *confidence;
	return true;
}

/* --- what requests may hold --- */

enum kind { TEXT, NUMBER, CONFIDENCE, COUNT, FLAG, LIST, TIME, OBJECT };

struct field {
	const char *name;
	enum kind kind;
	bool required;
};

static const struct field READ[] = {{"entityPath", TEXT, true},
				    {"key", TEXT, true},
				    {"minConfidence", NUMBER, false},
				    {NULL, TEXT, false}},
			  LISTS[] = {{"entityPath", TEXT, false},
				     {"includeSuperseded", FLAG, false},
				     {NULL, TEXT, false}},
			  ENTRY[] = {{"amfsVersion", TEXT, false},
				     {"entityPath", TEXT, true},
				     {"key", TEXT, true},
				     {"provenance", OBJECT, false},
				     {"confidence", CONFIDENCE, false},
				     {"outcomeCount", COUNT, false},
				     {"ttlAt", TIME, false},
				     {"artifactRefs", LIST, false},
				     {"shared", FLAG, false},
				     {NULL, TEXT, false}},
			  PROVENANCE[] = {{"agentId", TEXT, false},
					  {"sessionId", TEXT, false},
					  {"writtenAt", TIME, false},
					  {"patternRefs", LIST, false},
					  {NULL, TEXT, false}},
			  OUTCOME[] = {{"outcomeRef", TEXT, false},
				       {"outcomeType", TEXT, true},
				       {"causalConfidence", CONFIDENCE, false},
				       {"committedAt", TIME, false},
				       {"causalEntryKeys", LIST, true},
				       {"agentId", TEXT, false},
				       {NULL, TEXT, false}},
			  WATCH[] = {{"entityPath", TEXT, false}, {NULL, TEXT, false}},
			  COMMITS[] = {{"limit", COUNT, false}, {NULL, TEXT, false}},
			  COMMIT[] = {{"id", TEXT, true}, {NULL, TEXT, false}};

/* NULL: it fits, else what it should be. */
static const char *misfit(const struct amfs *a, enum kind kind, const struct jsonval *v)
{
	double d;
	int64_t ms;

	switch (kind) {
	case TEXT:
		return jsondoc_is_str(v) ? NULL : "a string";
	case NUMBER:
		return jsondoc_is_num(v) ? NULL : "a number";
	case CONFIDENCE:
		d = amfs_number(v, -1);
		if (TABLE[a->table].clamped)
			return d >= 0 && d <= 1 ? NULL : "a number from 0 to 1";
		return d >= 0 ? NULL : "a number from 0";
	case COUNT:
		return jsondoc_int(v, -1) >= 0 ? NULL : "a whole number from 0";
	case FLAG:
		return jsondoc_is_bool(v) ? NULL : "true or false";
	case LIST:
		return jsondoc_is_arr(v) ? NULL : "a list";
	case TIME:
		return clock_parse(jsondoc_str(v), &ms)
			       ? NULL
			       : "a time like 2026-02-12T18:20:00Z";
	default:
		return jsondoc_is_obj(v) ? NULL : "an object";
	}
}

/* What is null counts as left out, and a text that there must be is not empty; names that are not known are passed over. */
static int check_fields(const struct amfs *a, const char *of, const struct field *f,
			const struct jsonval *v, struct err *e)
{
	const char *want;

	for (; f->name; f++) {
		const struct jsonval *m = jsondoc_get(v, f->name);

		if (m && jsondoc_is_null(m))
			m = NULL;
		if (!m && f->required)
			return err_set(e, HF_EUSAGE, "%s%s is missing", of, f->name);
		if (f->required && f->kind == TEXT && jsondoc_is_str(m) &&
		    !jsondoc_str(m).n)
			return err_set(e, HF_EUSAGE, "%s%s is empty", of, f->name);
		want = m ? misfit(a, f->kind, m) : NULL;
		if (want)
			return err_set(e, HF_EUSAGE, "%s%s is not %s", of, f->name, want);
	}
	return 0;
}

/* --- watches --- */

/* path is the address, or begins it at a '/'. */
static bool covers(str path, str address)
{
	return !path.n || (str_starts(address, path) &&
			   (address.n == path.n || address.p[path.n] == '/'));
}

static void tell_watches(const struct amfs *a, str path, str entry, struct buf *out)
{
	for (size_t i = 0; i < a->nwatches; i++) {
		if (!a->watch[i].path || !covers(str_of(a->watch[i].path), path))
			continue;
		buf_printf(out, "{\"watch\":%d,\"entry\":", a->watch[i].id);
		buf_add(out, entry);
		buf_add(out, STR("}\n"));
	}
}

static int do_watch(struct amfs *a, const struct jsonval *q, struct buf *result,
		    struct err *e)
{
	struct amfs_watch *w = &a->watch[a->nwatches];
	int ret = check_fields(a, "", WATCH, q, e);

	if (ret)
		return ret;
	if (a->nwatches == AMFS_WATCHES_MAX)
		return err_set(e, HF_ELIMIT, "over %d watches", AMFS_WATCHES_MAX);
	w->id = (int)++a->nwatches;
	w->path = str_dup(jsondoc_str(jsondoc_get(q, "entityPath")));
	buf_printf(result, "{\"watch\":%d,\"cancelled\":false}", w->id);
	return 0;
}

static int do_cancel(struct amfs *a, const struct jsonval *q, struct buf *result,
		     struct err *e)
{
	int64_t id = jsondoc_int(jsondoc_get(q, "watch"), 0);

	if (id < 1 || id > (int64_t)a->nwatches)
		return err_set(e, HF_ENOTFOUND, "no such watch");
	free(a->watch[id - 1].path);
	a->watch[id - 1].path = NULL;
	buf_printf(result, "{\"watch\":%lld,\"cancelled\":true}", (long long)id);
	return 0;
}

/* --- read, list --- */

static int do_read(struct amfs *a, const struct jsonval *q, struct buf *result,
		   struct err *e)
{
	double floor = amfs_number(jsondoc_get(q, "minConfidence"), 0), confidence;
	struct record_view r = {.lineage = LINEAGE_INIT};
	struct address at = {0};
	uint64_t outcomes;
	int ret = check_fields(a, "", READ, q, e);

	if (!ret)
		ret = address_of(&at, jsondoc_str(jsondoc_get(q, "entityPath")),
				 jsondoc_str(jsondoc_get(q, "key")), e);
	if (!ret)
		ret = record_read(a->store, &at, 0, STR_NONE, &r, NULL);
	if (!ret)
		amfs_believed(&r, &confidence, &outcomes);
	/* a floor of 0 is none */
	if (ret == HF_ENOTFOUND || (!ret && floor > 0 && confidence < floor)) {
		buf_add(result, STR("null"));
		ret = 0;
	} else if (!ret) {
		amfs_entry(&r, result);
	} else {
		err_set(e, ret, "%s cannot be read", at.text ? at.text : "the entry");
	}
	record_release(&r);
	address_release(&at);
	return ret;
}

struct listing {
	struct amfs *a;
	str path;
	bool old;
	struct buf *out;
};

static int list_one(const char *rel, const struct stat *st, void *arg)
{
	struct listing *l = arg;
	struct record_view r;
	int ret = record_load_path(l->a->store, str_of(rel), &r, NULL);

	(void)st;
	/* the path and what is below it, not what merely begins so */
	if (!ret && (!l->path.n || (covers(l->path, str_of(r.address.text)) &&
				    r.address.scope.n >= l->path.n))) {
		for (size_t i = 0; i < r.lineage.n; i++) {
			if (r.lineage.entry[i].type != LINEAGE_VERSION ||
			    r.chain.twice[i] || !r.lineage.entry[i].whole)
				continue;
			record_pick(&r, i);
			if (!l->old && !r.current)
				continue;
			json_add_sep(l->out);
			amfs_entry(&r, l->out);
		}
	}
	record_release(&r);
	return 0;
}

static int do_list(struct amfs *a, const struct jsonval *q, struct buf *result,
		   struct err *e)
{
	struct listing l = {a, jsondoc_str(jsondoc_get(q, "entityPath")),
			    jsondoc_bool(jsondoc_get(q, "includeSuperseded"), false),
			    result};
	struct buf folder = BUF_INIT(SIZE_MAX);
	int ret = check_fields(a, "", LISTS, q, e);

	if (ret)
		return ret;
	while (str_ends(l.path, STR("/")))
		l.path.n--;
	address_folder(&folder, l.path);
	buf_byte(result, '[');
	ret = shelf_walk(a->store->vault, SHELF_RECORDS, buf_str(&folder), list_one, &l,
			 e);
	buf_byte(result, ']');
	buf_release(&folder);
	return ret;
}

/* --- write, commitOutcome --- */

static str member(str json, const char *key)
{
	str s;

	return rpc_member(json, key, &s) ? str_trim(s) : STR_NONE;
}

static str member_or_none(str json, const char *key)
{
	str s = member(json, key);

	return str_eq(s, STR("null")) ? STR_NONE : s;
}

static int write_entry(struct amfs *a, const struct amfs_new *n,
		       const struct amfs_commit *c, struct buf *result,
		       struct buf *events, struct err *e)
{
	struct buf entry = BUF_INIT(AMFS_LINE_MAX * 2);
	int ret = amfs_write(a, n, c, &entry, e);

	if (!ret) {
		json_add_sep(result);
		buf_add(result, buf_str(&entry));
		tell_watches(a, n->path, buf_str(&entry), events);
	}
	buf_release(&entry);
	return ret;
}

static int do_write(struct amfs *a, const struct jsonval *q, str line, struct buf *result,
		    struct buf *events, struct err *e)
{
	const struct jsonval *v = jsondoc_get(q, "entry"),
			     *by = jsondoc_get(v, "provenance");
	str raw = member(line, "entry");
	int64_t outcomes = jsondoc_int(jsondoc_get(v, "outcomeCount"), 0);
	struct amfs_new n = {
		.path = jsondoc_str(jsondoc_get(v, "entityPath")),
		.key = jsondoc_str(jsondoc_get(v, "key")),
		.value = member(raw, "value"),
		.format = jsondoc_str(jsondoc_get(v, "amfsVersion")),
		.by = {.at = jsondoc_str(jsondoc_get(by, "writtenAt"))},
		.confidence = amfs_number(jsondoc_get(v, "confidence"), 1.0),
		.outcomes = outcomes > 0 ? (uint64_t)outcomes : 0,
		.agent = jsondoc_str(jsondoc_get(by, "agentId")),
		.session = jsondoc_str(jsondoc_get(by, "sessionId")),
		.patterns = member_or_none(member(raw, "provenance"), "patternRefs"),
		.artifacts = member_or_none(raw, "artifactRefs"),
		.ttl = member_or_none(raw, "ttlAt"),
		.shared = jsondoc_bool(jsondoc_get(v, "shared"), true)};
	struct amfs_commit c;
	struct buf message = BUF_INIT(SIZE_MAX), list = BUF_INIT(SIZE_MAX);
	int ret = check_fields(a, "entry.", ENTRY, v, e);

	if (!ret)
		ret = check_fields(a, "entry.provenance.", PROVENANCE, by, e);
	if (!ret && !n.value.n)
		ret = err_set(e, HF_EUSAGE, "entry.value is missing");
	if (ret)
		return ret;
	buf_printf(&message, "write %.*s/%.*s", STR_ARG(n.path), STR_ARG(n.key));
	ret = amfs_commit_begin(a, &c, n.agent, buf_str(&message), e);
	if (!ret)
		ret = write_entry(a, &n, &c, &list, events, e);
	if (!ret) {
		amfs_commit_done(a, &c);
		buf_add(result, buf_str(&list));
	}
	amfs_commit_release(&c);
	buf_release(&message);
	buf_release(&list);
	return ret;
}

/* One key of an outcome; what is malformed or not there is passed over. */
static int outcome_on(struct amfs *a, str spec, const struct jsonval *o,
		      const struct amfs_commit *c, struct buf *result, struct buf *events,
		      struct err *e)
{
	double causal = amfs_number(jsondoc_get(o, "causalConfidence"), 1.0);
	struct amfs_new n = {.agent = jsondoc_str(jsondoc_get(o, "agentId"))};
	struct buf patterns = BUF_INIT(SIZE_MAX), artifacts = BUF_INIT(SIZE_MAX),
		   ttl = BUF_INIT(SIZE_MAX);
	struct record_view r = {.lineage = LINEAGE_INIT};
	const struct jsonval *x;
	struct jsondoc *d = NULL;
	struct address at;
	int ret = 0;

	if (address_of(&at, spec, STR_NONE, NULL) ||
	    record_read(a->store, &at, 0, STR_NONE, &r, NULL))
		goto out;
	x = amfs_extra(&r, &d);
	amfs_name(&r, x, &n.path, &n.key);
	n.by = amfs_provenance(&r, x);
	n.format = jsondoc_str(jsondoc_get(x, "amfsVersion"));
	n.value = r.v->value;
	amfs_believed(&r, &n.confidence, &n.outcomes);
	n.outcomes++;
	amfs_apply(a, jsondoc_str(jsondoc_get(o, "outcomeType")), causal, &n.confidence);
	if (jsondoc_get(x, "patternRefs"))
		jsondoc_print(jsondoc_get(x, "patternRefs"), &patterns);
	if (jsondoc_get(x, "artifactRefs"))
		jsondoc_print(jsondoc_get(x, "artifactRefs"), &artifacts);
	if (jsondoc_get(x, "ttlAt"))
		jsondoc_print(jsondoc_get(x, "ttlAt"), &ttl);
	n.patterns = buf_str(&patterns);
	n.artifacts = buf_str(&artifacts);
	n.ttl = buf_str(&ttl);
	n.shared = jsondoc_bool(jsondoc_get(x, "shared"), true);
	ret = write_entry(a, &n, c, result, events, e);
out:
	jsondoc_free(d);
	record_release(&r);
	address_release(&at);
	buf_release(&patterns);
	buf_release(&artifacts);
	buf_release(&ttl);
	return ret;
}

static int do_outcome(struct amfs *a, const struct jsonval *q, struct buf *result,
		      struct buf *events, struct err *e)
{
	const struct jsonval *o = jsondoc_get(q, "outcome");
	str type = jsondoc_str(jsondoc_get(o, "outcomeType"));
	struct buf message = BUF_INIT(SIZE_MAX);
	struct amfs_commit c;
	double ignored = 1;
	size_t empty;
	int ret = check_fields(a, "outcome.", OUTCOME, o, e);

	if (ret)
		return ret;
	if (!amfs_apply(a, type, 1, &ignored))
		return err_set(e, HF_EUSAGE,
			       "outcomeType '%.*s': success, minor_failure, failure or "
			       "critical_failure",
			       STR_ARG(str_head(type, 40)));
	buf_printf(&message, "outcome %.*s %.*s", STR_ARG(type),
		   STR_ARG(jsondoc_str(jsondoc_get(o, "outcomeRef"))));
	ret = amfs_commit_begin(a, &c, jsondoc_str(jsondoc_get(o, "agentId")),
				buf_str(&message), e);
	buf_byte(result, '[');
	empty = result->n;
	for (const struct jsonval *k = jsondoc_first(jsondoc_get(o, "causalEntryKeys"));
	     k && !ret; k = jsondoc_next(k))
		ret = outcome_on(a, jsondoc_str(k), o, &c, result, events, e);
	if (result->n > empty)
		amfs_commit_done(a, &c);
	buf_byte(result, ']');
	amfs_commit_release(&c);
	buf_release(&message);
	return ret;
}

/* --- requests --- */

static int run(struct amfs *a, const struct jsonval *q, str line, struct buf *result,
	       struct buf *events, struct err *e)
{
	str op = jsondoc_str(jsondoc_get(q, "op"));
	int64_t limit = jsondoc_int(jsondoc_get(q, "limit"), COMMITS_LIMIT);
	int ret = 0;

	if (str_eq(op, STR("read")))
		return do_read(a, q, result, e);
	if (str_eq(op, STR("write")))
		return do_write(a, q, line, result, events, e);
	if (str_eq(op, STR("list")))
		return do_list(a, q, result, e);
	if (str_eq(op, STR("watch")))
		return do_watch(a, q, result, e);
	if (str_eq(op, STR("cancel")))
		return do_cancel(a, q, result, e);
	if (str_eq(op, STR("commitOutcome")))
		return do_outcome(a, q, result, events, e);
	if (str_eq(op, STR("listCommits"))) {
		ret = check_fields(a, "", COMMITS, q, e);
		return ret ? ret : amfs_commits(a, (size_t)limit, result, e);
	}
	if (str_eq(op, STR("getCommit"))) {
		ret = check_fields(a, "", COMMIT, q, e);
		return ret ? ret
			   : amfs_one_commit(a, jsondoc_str(jsondoc_get(q, "id")), result,
					     e);
	}
	return err_set(e, HF_EUSAGE, "no op '%.*s'", STR_ARG(str_head(op, 40)));
}

void amfs_request(struct amfs *a, str line, struct buf *out)
{
	struct buf result = BUF_INIT(64u << 20), events = BUF_INIT(64u << 20);
	struct err e = ERR_INIT;
	struct jsondoc *d = jsondoc_parse(line, AMFS_LINE_MAX, &e);
	/* getCommit names the commit "id": there the request's own is "request" */
	str id = d ? member(line, "request") : STR_NONE;
	int ret = e.code;

	if (d && !id.n &&
	    !str_eq(jsondoc_str(jsondoc_get(jsondoc_root(d), "op")), STR("getCommit")))
		id = member(line, "id");
	if (d)
		ret = run(a, jsondoc_root(d), line, &result, &events, &e);
	if (!ret && result.full)
		ret = err_set(&e, HF_ELIMIT, "the answer is too large");
	buf_add(out, buf_str(&events));
	buf_byte(out, '{');
	if (id.n) {
		json_add_key(out, "id");
		buf_add(out, id);
	}
	json_add_key(out, "ok");
	buf_add(out, ret ? STR("false") : STR("true"));
	json_add_key(out, ret ? "error" : "result");
	if (ret)
		json_add_str(out, str_of(e.msg));
	else
		buf_add(out, buf_str(&result));
	buf_add(out, STR("}\n"));
	jsondoc_free(d);
	buf_release(&result);
	buf_release(&events);
}
