/*
 * For each record file: every entry by itself (its hashes), then how it hangs on those before
 * it (prev, parents, number), then what is believed after it (replay).
 */
#include "work/verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "data/digest.h"
#include "data/seal.h"
#include "data/shelf.h"

static const char *const NAME[VERIFY_KINDS] = {
	[VERIFY_CORRUPT] = "corrupt",
	[VERIFY_CHAIN_BREAK] = "chain_break",
	[VERIFY_GAP] = "gap",
	[VERIFY_DANGLING] = "dangling",
	[VERIFY_HEAD] = "head_mismatch",
	[VERIFY_REPLAY] = "replay_mismatch",
	[VERIFY_CONTESTED] = "contested",
	[VERIFY_TORN] = "torn",
};

const char *verify_kind_name(enum verify_kind k)
{
	return NAME[k];
}

bool verify_failed(const struct verify *v)
{
	for (int k = 0; k < VERIFY_CONTESTED; k++)
		if (v->findings[k])
			return true;
	return false;
}

void verify_release(struct verify *v)
{
	buf_release(&v->agents);
	buf_release(&v->heads);
}

struct run {
	const struct record_store *s;
	const struct verify_options *o;
	struct verify *v;
	const char *where;
	struct buf place, text;
	struct lineage lineage;
	struct chain chain;
	struct address address;
	bool bad; /* of the entry that is looked at */
	size_t about;
};

static void found(struct run *r, enum verify_kind kind, uint64_t version,
		  const char *what)
{
	struct verify_finding f = {kind, r->where, version, what};

	r->v->findings[kind]++;
	if (kind < VERIFY_CONTESTED)
		r->bad = true;
	if (r->o->found)
		r->o->found(&f, r->o->arg);
}

static void add_agent(struct verify *v, str agent)
{
	if (!agent.n)
		return;
	for (const char *p = v->agents.p; p && p < v->agents.p + v->agents.n;
	     p += strlen(p) + 1)
		if (str_eq(str_of(p), agent))
			return;
	if (v->agents.n > (64u << 10))
		return;
	buf_add(&v->agents, agent);
	buf_byte(&v->agents, 0);
}

static void note_time(struct verify *v, str at)
{
	if (!at.n || at.n >= sizeof(v->oldest))
		return;
	if (!v->oldest[0] || str_cmp(at, str_of(v->oldest)) < 0)
		snprintf(v->oldest, sizeof(v->oldest), "%.*s", STR_ARG(at));
	if (str_cmp(at, str_of(v->newest)) > 0)
		snprintf(v->newest, sizeof(v->newest), "%.*s", STR_ARG(at));
}

/* Entry i's own hashes. */
static void check_own(struct run *r, const struct lineage_entry *v)
{
	char hash[65];

	if (!v->sealed)
		found(r, VERIFY_CORRUPT, v->version,
		      v->type == LINEAGE_VERSION ? "the line of the version was edited"
						 : "an outcome was edited");
	if (!v->whole) {
		found(r, VERIFY_CORRUPT, v->version, "its line lacks a part");
		return;
	}
	if (v->type != LINEAGE_VERSION)
		return;
	if (!v->value.p)
		found(r, VERIFY_CORRUPT, v->version,
		      "the value is missing, or there are two");
	else if (chain_content(r->address.scope, r->address.key, v->version, v->value,
			       v->agent, v->at, v->tags, hash, NULL))
		found(r, VERIFY_CORRUPT, v->version, "the value is no JSON any more");
	else if (!str_eq(v->content, str_of(hash)))
		found(r, VERIFY_CORRUPT, v->version, "the value was edited");
	chain_hash(v->content, v->parents, v->nparents, hash);
	if (!str_eq(v->chain, str_of(hash)))
		found(r, VERIFY_CHAIN_BREAK, v->version,
		      "its chain hash is not that of its content and parents");
}

/* The entry before i that has this seal; STR_NPOS. */
static size_t seal_before(const struct run *r, size_t i, str seal)
{
	while (i-- > 0)
		if (str_eq(r->lineage.entry[i].seal, seal))
			return i;
	return STR_NPOS;
}

static size_t version_before(const struct run *r, size_t i, str chain)
{
	while (i-- > 0)
		if (r->lineage.entry[i].type == LINEAGE_VERSION &&
		    str_eq(r->lineage.entry[i].chain, chain))
			return i;
	return STR_NPOS;
}

/* What entry i names as before it is there. */
static void check_links(struct run *r, size_t i)
{
	const struct lineage_entry *v = &r->lineage.entry[i];
	uint64_t newest = 0;
	bool missing = false;

	for (size_t k = 0; k < v->nprev; k++)
		missing |= seal_before(r, i, v->prev[k]) == STR_NPOS;
	/* the very first write of each of two machines has nothing before it */
	missing |= !v->nprev && i && !(v->type == LINEAGE_VERSION && v->version == 1);
	for (size_t k = 0; k < v->nparents; k++) {
		size_t p = version_before(r, i, v->parents[k]);

		missing |= p == STR_NPOS;
		if (p != STR_NPOS && r->lineage.entry[p].version > newest)
			newest = r->lineage.entry[p].version;
	}
	if (missing)
		found(r, VERIFY_CHAIN_BREAK, v->version,
		      "what it follows is not in the file before it");
	else if (v->type == LINEAGE_VERSION && v->version != newest + 1)
		found(r, VERIFY_GAP, v->version,
		      "its number does not follow that of its parent");
}

static bool same_state(const struct lineage_state *a, const struct lineage_state *b)
{
	return a->version == b->version && str_eq(a->chain, b->chain) &&
	       memcmp(&a->confidence, &b->confidence, sizeof(a->confidence)) == 0 &&
	       a->successes == b->successes && a->failures == b->failures &&
	       a->others == b->others;
}

static bool same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/* The version that the outcome at i is about; most are about the same one as the last. */
static size_t about(struct run *r, size_t i)
{
	const struct lineage_entry *o = &r->lineage.entry[i];

	if (r->about >= i || r->lineage.entry[r->about].type != LINEAGE_VERSION ||
	    !str_eq(r->lineage.entry[r->about].chain, o->of)) {
		size_t of = version_before(r, i, o->of);

		if (of == STR_NPOS)
			return of;
		r->about = of;
	}
	return r->about;
}

/* The outcome at i gives what it says. */
static void check_replay(struct run *r, size_t i)
{
	const struct lineage_entry *o = &r->lineage.entry[i];
	size_t of = about(r, i);
	struct lineage_state s, old = {.confidence = 0};
	enum outcome_kind kind;
	size_t prev;

	if (of == STR_NPOS || r->lineage.entry[of].version != o->version) {
		found(r, VERIFY_DANGLING, o->version,
		      "an outcome is about a version that is not there");
		return;
	}
	prev = o->nprev == 1 ? seal_before(r, i, o->prev[0]) : STR_NPOS;
	if (prev != STR_NPOS) {
		s = r->lineage.entry[prev].head;
	} else {
		size_t head = version_before(r, i, o->head.chain);

		if (head == STR_NPOS)
			return; /* said already: a line before it is missing */
		chain_replay(&r->chain, head, i, &s);
	}
	if (!o->moved)
		chain_replay(&r->chain, of, i, &old);
	if (!same_double(o->before, o->moved ? s.confidence : old.confidence) ||
	    o->moved != str_eq(o->of, s.chain) || !outcome_of(o->kind, &kind)) {
		found(r, VERIFY_REPLAY, o->version,
		      "the reports before an outcome do not give the confidence it began from");
		return;
	}
	if (o->moved)
		chain_step(&s, o->kind);
	if (!same_double(o->after, o->moved ? s.confidence : o->before) ||
	    !same_state(&o->head, &s))
		found(r, VERIFY_REPLAY, o->version,
		      "an outcome does not give the confidence that is stored");
}

/* Every head goes back to a version that is there, or is a first one. */
static bool has_parents(const struct run *r)
{
	for (size_t i = 0; i < r->chain.nheads && i < LINEAGE_PARENTS_MAX; i++) {
		const struct lineage_entry *v = &r->lineage.entry[r->chain.heads[i]];

		for (size_t k = 0; k < v->nparents; k++)
			if (chain_find(&r->chain, v->parents[k]) == STR_NPOS)
				return false;
	}
	return true;
}

static void check_heads(struct run *r)
{
	const struct chain *c = &r->chain;

	if (!c->nheads) {
		found(r, VERIFY_HEAD, 0,
		      r->lineage.n
			      ? "no version is current"
			      : "no version is in its file: bring it back from a copy, or "
				"take the file away");
		return;
	}
	if (r->lineage.entry[c->heads[0]].version != c->last)
		found(r, VERIFY_HEAD, c->last, "the current version is not the newest");
	if (c->nheads > 1)
		found(r, has_parents(r) ? VERIFY_CONTESTED : VERIFY_HEAD, c->last,
		      has_parents(r)
			      ? "several versions are current, written side by side"
			      : "several versions are current, and what one of them follows is not there");
}

static void check_record(struct run *r)
{
	const struct lineage *l = &r->lineage;

	r->about = 0;
	for (size_t i = 0; i < l->n; i++) {
		r->bad = false;
		if (!r->chain.twice[i]) {
			check_own(r, &l->entry[i]);
			if (l->entry[i].whole)
				check_links(r, i);
			if (l->entry[i].whole && l->entry[i].type == LINEAGE_OUTCOME)
				check_replay(r, i);
		}
		r->v->checked++;
		r->v->valid += !r->bad;
	}
	if (l->lost)
		found(r, VERIFY_CORRUPT, 0,
		      "a block has lost its line, or a line cannot be read");
	check_heads(r);
}

static void missing(uint64_t first, uint64_t last, void *arg)
{
	char what[80];

	if (last > first)
		snprintf(what, sizeof(what), "versions %llu to %llu are missing",
			 (unsigned long long)first, (unsigned long long)last);
	else
		snprintf(what, sizeof(what), "this version is missing");
	found(arg, VERIFY_GAP, first, what);
}

static void count_record(struct run *r)
{
	const struct lineage *l = &r->lineage;
	struct verify *v = r->v;
	enum outcome_kind kind;

	v->records++;
	for (size_t i = 0; i < l->n; i++) {
		const struct lineage_entry *e = &l->entry[i];

		if (r->chain.twice[i])
			continue;
		add_agent(v, e->agent);
		if (e->type == LINEAGE_VERSION) {
			v->versions++;
			v->superseded++;
			note_time(v, e->at);
		} else {
			v->outcomes++;
			if (outcome_of(e->kind, &kind))
				v->kinds[kind]++;
		}
	}
	if (r->chain.nheads) {
		v->superseded -= r->chain.nheads;
		v->sum += r->chain.state.confidence;
		v->current++;
	}
	if (l->torn || l->torn_tail)
		found(r, VERIFY_TORN, 0, "a block that a crash cut short is no version");
	chain_missing(&r->chain, missing, r);
	if (!r->o->check && r->chain.nheads > 1)
		found(r, VERIFY_CONTESTED, r->chain.last,
		      "several versions are current, written side by side");
}

/* "address head,... tip,...\n" */
static void add_head(struct run *r)
{
	const struct chain *c = &r->chain;
	struct buf *b = &r->v->heads;

	buf_add(b, str_of(r->where));
	for (size_t i = 0; i < c->nheads && i < LINEAGE_PARENTS_MAX; i++) {
		buf_byte(b, i ? ',' : ' ');
		buf_add(b, r->lineage.entry[c->heads[i]].chain);
	}
	for (size_t i = 0; i < c->ntips && i < LINEAGE_PARENTS_MAX; i++) {
		buf_byte(b, i ? ',' : ' ');
		buf_add(b, r->lineage.entry[c->tips[i]].seal);
	}
	buf_byte(b, 0);
}

/* The content hash of the first version that has one is that of this address. */
static bool is_of(const struct run *r, const struct address *a)
{
	char hash[65];

	for (size_t i = 0; i < r->lineage.n; i++) {
		const struct lineage_entry *v = &r->lineage.entry[i];

		if (v->type == LINEAGE_VERSION && v->whole && v->value.p)
			return chain_content(a->scope, a->key, v->version, v->value,
					     v->agent, v->at, v->tags, hash, NULL) == 0 &&
			       str_eq(v->content, str_of(hash));
	}
	return false;
}

/* Nothing in it is ours: not even the beginning of what a first write would have begun with. */
static bool is_stray(const struct run *r)
{
	static const str begin = {"---\nformat: 1\nkind: record\n", 28};
	const struct lineage *l = &r->lineage;
	str text = buf_str(&r->text);

	return !l->n && !l->lost && !l->torn_tail && !l->scope.n && !l->key.n &&
	       !str_starts(text, begin) && !str_starts(begin, text);
}

/*
 * The front matter says one address, the place another. The hashes of the values tell which of them
 * was changed; r->address becomes the one that holds.
 */
static void settle_address(struct run *r, struct address *said, struct address *named)
{
	struct buf what = BUF_INIT(SIZE_MAX), path = BUF_INIT(SIZE_MAX);
	bool by_name = named->text && is_of(r, named),
	     by_text = !by_name && said->text && is_of(r, said);

	if (by_name) {
		r->where = named->text;
		buf_printf(
			&what,
			"the front matter of %s was edited and says %.*s/%.*s: set `scope` "
			"and `key` back",
			buf_cstr(&r->place), STR_ARG(r->lineage.scope),
			STR_ARG(r->lineage.key));
	} else if (by_text) {
		address_path(&path, said);
		buf_printf(
			&what,
			"it holds the record %s under another name: move it to _records/%s, or "
			"out of _records",
			said->text, buf_cstr(&path));
	} else {
		buf_printf(
			&what,
			"its front matter says %.*s/%.*s, which is not what its name says: "
			"put back the one that was changed",
			STR_ARG(r->lineage.scope), STR_ARG(r->lineage.key));
	}
	found(r, VERIFY_CORRUPT, 0, buf_cstr(&what));
	if (by_text || !named->text) {
		r->address = *said;
		*said = (struct address){0};
	} else {
		r->address = *named;
		*named = (struct address){0};
	}
	buf_release(&what);
	buf_release(&path);
}

/* Which record the file is of: what it says, if that is its place. < 0: of none. */
static int find_address(struct run *r, const char *rel)
{
	struct address said = {0}, named = {0};
	struct buf path = BUF_INIT(SIZE_MAX);
	bool says = r->lineage.scope.n && r->lineage.key.n;
	int ret = 0;

	if (says && !address_of(&said, r->lineage.scope, r->lineage.key, NULL))
		address_path(&path, &said);
	if (path.n && str_eq(buf_str(&path), str_of(rel))) {
		r->address = said;
		said = (struct address){0};
		goto out;
	}
	address_from_path(&named, str_of(rel), NULL);
	if (is_stray(r) || (!said.text && !named.text)) {
		found(r, VERIFY_CORRUPT, 0,
		      is_stray(r)
			      ? "nothing of a record is in this file: move it out of "
				"_records"
			      : "its name is no record's, and it does not say which one it "
				"holds: move it out of _records");
		ret = HF_EFORMAT;
	} else if (says) {
		settle_address(r, &said, &named);
	} else {
		r->address = named;
		named = (struct address){0};
	}
out:
	address_release(&said);
	address_release(&named);
	buf_release(&path);
	return ret;
}

static int one_record(const char *rel, const struct stat *st, void *arg)
{
	struct run *r = arg;
	struct err own = ERR_INIT;

	buf_reset(&r->place);
	buf_printf(&r->place, "_records/%s", rel);
	r->where = buf_cstr(&r->place);
	buf_reset(&r->text);
	r->v->bytes += (uint64_t)st->st_size;
	if (shelf_read_met(r->s->vault, SHELF_RECORDS, str_of(rel), &r->text, &own)) {
		found(r, VERIFY_CORRUPT, 0, own.msg);
		return 0;
	}
	lineage_parse(&r->lineage, buf_str(&r->text));
	chain_of(&r->chain, &r->lineage);
	if (!find_address(r, rel)) {
		r->where = r->address.text;
		count_record(r);
		if (r->o->check)
			check_record(r);
		add_head(r);
	}
	address_release(&r->address);
	chain_release(&r->chain);
	return 0;
}

static int one_pin(const struct packet_pin *pin, void *arg)
{
	struct run *r = arg;

	if (pin->missing)
		found(r, VERIFY_DANGLING, pin->version,
		      "a packet pins a version that is not there");
	return 0;
}

static int one_packet(struct packet *p, void *arg)
{
	struct run *r = arg;
	struct packet parent = {0};

	r->where = p->id;
	r->bad = false;
	r->v->packets++;
	r->v->checked++;
	r->v->bytes += p->text.n;
	if (!p->body && p->torn) {
		found(r, VERIFY_TORN, 0,
		      "a packet that a crash cut short was never handed over");
		return 0;
	}
	r->v->states[p->status]++;
	add_agent(r->v, p->from);
	if (p->corrupt)
		found(r, VERIFY_CORRUPT, 0, "the packet, or its status, was edited");
	if (p->contested)
		found(r, VERIFY_CONTESTED, 0, "two machines picked it up");
	if (r->o->check && p->body) {
		packet_resolve(r->s, p, one_pin, r, NULL);
		if (p->parent.n && packet_read(r->s, p->parent, &parent, NULL))
			found(r, VERIFY_DANGLING, 0,
			      "the packet it answers is not there");
		packet_release(&parent);
	}
	r->v->valid += !r->bad;
	buf_printf(&r->v->heads, "%s %s", p->id, p->tip);
	buf_byte(&r->v->heads, 0);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void make_root(struct verify *v)
{
	struct buf list = BUF_INIT(SIZE_MAX), all = BUF_INIT(SIZE_MAX);
	const char **line;
	size_t n;

	for (const char *p = v->heads.p; p && p < v->heads.p + v->heads.n;
	     p += strlen(p) + 1)
		buf_add(&list, (str){(const char *)&p, sizeof(p)});
	line = (const char **)(void *)list.p;
	n = list.n / sizeof(*line);
	if (n)
		qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++) {
		buf_add(&all, str_of(line[i]));
		buf_byte(&all, '\n');
	}
	digest_hex(buf_str(&all), v->root);
	buf_release(&list);
	buf_release(&all);
}

int verify_run(const struct record_store *s, const struct verify_options *o,
	       struct verify *v, struct err *e)
{
	struct run r = {.s = s,
			.o = o,
			.v = v,
			.place = BUF_INIT(SIZE_MAX),
			.text = BUF_INIT(SHELF_FILE_MAX),
			.lineage = LINEAGE_INIT};
	int ret;

	*v = (struct verify){.agents = BUF_INIT(1u << 20), .heads = BUF_INIT(SIZE_MAX)};
	ret = shelf_walk(s->vault, SHELF_RECORDS, STR_NONE, one_record, &r, e);
	if (!ret)
		ret = packet_each(s, one_packet, &r, e);
	v->confidence = v->current ? v->sum / (double)v->current : 0;
	if (!ret)
		make_root(v);
	lineage_release(&r.lineage);
	buf_release(&r.place);
	buf_release(&r.text);
	return ret;
}
