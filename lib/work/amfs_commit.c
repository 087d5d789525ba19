/*
 * Commits. There is no log of them: each version says which commit it belongs to, and what that
 * commit's parents are, so that the log is read from the records and survives every merge. The
 * parents of a commit are those that no other one named when this process began, then its own last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/oom.h"
#include "data/canon.h"
#include "data/digest.h"
#include "data/json.h"
#include "data/shelf.h"
#include "work/amfs_impl.h"

struct item {
	char id[AMFS_HASH];
	char *parents, *message, *agent, *session; /* parents: JSON array */
	char at[32];
	struct buf entries; /* JSON objects joined by commas */
	uint64_t depth;     /* longest way to one without parents */
};

struct log {
	struct amfs *a;
	struct item *item;
	size_t n, cap;
};

static void log_release(struct log *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->item[i].parents);
		free(l->item[i].message);
		free(l->item[i].agent);
		free(l->item[i].session);
		buf_release(&l->item[i].entries);
	}
	free(l->item);
}

static struct item *find(struct log *l, str id)
{
	for (size_t i = l->n; i-- > 0;)
		if (str_eq(str_of(l->item[i].id), id))
			return &l->item[i];
	return NULL;
}

static struct item *add(struct log *l, const struct record_view *r,
			const struct jsonval *c, str id)
{
	struct buf parents = BUF_INIT(SIZE_MAX);
	struct item *it;

	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->item = realloc(l->item, l->cap * sizeof(*l->item));
		if (!l->item)
			oom();
	}
	it = &l->item[l->n++];
	*it = (struct item){.entries = BUF_INIT(SIZE_MAX)};
	snprintf(it->id, sizeof(it->id), "%.*s", STR_ARG(id));
	snprintf(it->at, sizeof(it->at), "%.*s",
		 STR_ARG(jsondoc_str(jsondoc_get(c, "at"))));
	if (jsondoc_get(c, "parents"))
		jsondoc_print(jsondoc_get(c, "parents"), &parents);
	else
		buf_add(&parents, STR("[]"));
	it->parents = buf_take(&parents);
	it->message = str_dup(jsondoc_str(jsondoc_get(c, "message")));
	it->agent = str_dup(r->v->agent);
	it->session = str_dup(r->v->session);
	return it;
}

static void add_version(struct log *l, const struct record_view *r)
{
	struct jsondoc *d;
	const struct jsonval *x = amfs_extra(r, &d), *c = jsondoc_get(x, "commit");
	str id = jsondoc_str(jsondoc_get(c, "id")), path, key;
	struct item *it;

	if (id.n && id.n < AMFS_HASH) {
		it = find(l, id);
		if (!it)
			it = add(l, r, c, id);
		json_add_sep(&it->entries);
		if (it->entries.n && it->entries.p[it->entries.n - 1] == '}')
			buf_byte(&it->entries, ',');
		amfs_name(r, x, &path, &key);
		buf_add(&it->entries, STR("{\"entityPath\":"));
		canon_str(&it->entries, path);
		buf_add(&it->entries, STR(",\"key\":"));
		canon_str(&it->entries, key);
		buf_printf(&it->entries, ",\"version\":%llu,\"contentHash\":",
			   (unsigned long long)r->v->version);
		canon_str(&it->entries, jsondoc_str(jsondoc_get(x, "contentHash")));
		buf_byte(&it->entries, '}');
	}
	jsondoc_free(d);
}

static int look(const char *rel, const struct stat *st, void *arg)
{
	struct log *l = arg;
	struct record_view r;

	(void)st;
	if (record_load_path(l->a->store, str_of(rel), &r, NULL) == 0) {
		for (size_t i = 0; i < r.lineage.n; i++) {
			const struct lineage_entry *v = &r.lineage.entry[i];

			if (v->type != LINEAGE_VERSION || !v->extra.n || r.chain.twice[i])
				continue;
			r.v = v;
			add_version(l, &r);
		}
	}
	record_release(&r);
	return 0;
}

/* Depths, by going over the list until nothing changes: it is nearly in order. */
static void find_depths(struct log *l)
{
	bool changed = true;

	for (size_t round = 0; changed && round <= l->n; round++) {
		changed = false;
		for (size_t i = 0; i < l->n; i++) {
			struct jsondoc *d = jsondoc_parse(str_of(l->item[i].parents),
							  AMFS_LINE_MAX, NULL);
			uint64_t depth = 0;

			for (const struct jsonval *v = jsondoc_first(jsondoc_root(d)); v;
			     v = jsondoc_next(v)) {
				struct item *up = find(l, jsondoc_str(v));

				if (up && up->depth + 1 > depth)
					depth = up->depth + 1;
			}
			changed |= depth > l->item[i].depth;
			if (depth > l->item[i].depth && depth <= l->n)
				l->item[i].depth = depth;
			jsondoc_free(d);
		}
	}
}

static int by_newest(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int c;

	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	c = strcmp(b->at, a->at);
	return c ? c : strcmp(a->id, b->id);
}

static int by_time(const void *x, const void *y)
{
	return strcmp(((const struct item *)x)->at, ((const struct item *)y)->at);
}

static int read_log(struct amfs *a, struct log *l, struct err *e)
{
	int ret;

	*l = (struct log){.a = a};
	ret = shelf_walk(a->store->vault, SHELF_RECORDS, STR_NONE, look, l, e);
	if (ret || !l->n)
		return ret;
	qsort(l->item, l->n, sizeof(*l->item), by_time);
	find_depths(l);
	qsort(l->item, l->n, sizeof(*l->item), by_newest);
	return 0;
}

static bool is_named(struct log *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (strstr(l->item[i].parents, id))
			return true;
	return false;
}

/* Which commits have no child. */
static int know_heads(struct amfs *a, struct err *e)
{
	struct log l;
	int ret;

	if (a->knows_heads)
		return 0;
	ret = read_log(a, &l, e);
	for (size_t i = 0; i < l.n && !ret; i++)
		if (!is_named(&l, l.item[i].id))
			buf_add(&a->heads, (str){l.item[i].id, strlen(l.item[i].id) + 1});
	a->knows_heads = !ret;
	log_release(&l);
	return ret;
}

int amfs_commit_begin(struct amfs *a, struct amfs_commit *c, str agent, str message,
		      struct err *e)
{
	struct buf seed = BUF_INIT(SIZE_MAX);
	int ret = know_heads(a, e);

	*c = (struct amfs_commit){.parents = BUF_INIT(SIZE_MAX),
				  .message = BUF_INIT(SIZE_MAX)};
	clock_iso(c->at, clock_now());
	buf_byte(&c->parents, '[');
	for (const char *p = a->heads.p; p && p < a->heads.p + a->heads.n;
	     p += strlen(p) + 1) {
		json_add_sep(&c->parents);
		canon_str(&c->parents, str_of(p));
	}
	buf_byte(&c->parents, ']');
	buf_add(&c->message, message);
	buf_add(&seed, agent);
	buf_add(&seed, message);
	buf_add(&seed, buf_str(&c->parents));
	buf_printf(&seed, "%s %ld %lld %llu", c->at, (long)getpid(),
		   (long long)clock_mono_ns(), (unsigned long long)a->commits++);
	digest_hex(buf_str(&seed), c->id);
	buf_release(&seed);
	return ret;
}

void amfs_commit_done(struct amfs *a, const struct amfs_commit *c)
{
	buf_reset(&a->heads);
	buf_add(&a->heads, (str){c->id, sizeof(c->id)});
}

void amfs_commit_release(struct amfs_commit *c)
{
	buf_release(&c->parents);
	buf_release(&c->message);
}

static void commit_json(const struct item *it, struct buf *b)
{
	char tree[AMFS_HASH];

	digest_hex(buf_str(&it->entries), tree);
	buf_add(b, STR("{\"id\":"));
	json_add_str(b, str_of(it->id));
	json_add_key(b, "message");
	json_add_str(b, str_of(it->message));
	json_add_key(b, "authorAgentId");
	json_add_str(b, str_of(it->agent));
	json_add_key(b, "sessionId");
	json_add_str(b, str_of(it->session));
	json_add_key(b, "entries");
	buf_byte(b, '[');
	buf_add(b, buf_str(&it->entries));
	buf_byte(b, ']');
	json_add_key(b, "treeHash");
	json_add_str(b, str_of(tree));
	json_add_key(b, "parentIds");
	buf_add(b, str_of(it->parents));
	buf_add(b, STR(",\"branch\":\"main\",\"createdAt\":"));
	json_add_str(b, str_of(it->at));
	buf_add(b, STR(",\"namespace\":\"default\"}"));
}

int amfs_commits(struct amfs *a, size_t limit, struct buf *out, struct err *e)
{
	struct log l;
	int ret = read_log(a, &l, e);

	buf_byte(out, '[');
	for (size_t i = 0; i < l.n && i < limit && !ret; i++) {
		json_add_sep(out);
		commit_json(&l.item[i], out);
	}
	buf_byte(out, ']');
	log_release(&l);
	return ret;
}

int amfs_one_commit(struct amfs *a, str id, struct buf *out, struct err *e)
{
	struct log l;
	struct item *it;
	int ret = read_log(a, &l, e);

	it = ret ? NULL : find(&l, id);
	if (it)
		commit_json(it, out);
	else
		buf_add(out, STR("null"));
	log_release(&l);
	return ret;
}
