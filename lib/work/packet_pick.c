/*
 * Picking up, and what has become of the pinned versions since.
 */
#include "work/packet.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/canon.h"
#include "work/packet_impl.h"
#include "work/record_impl.h"
#include "work/redact.h"

#define OFFER_SUMMARY 160 /* bytes shown of one */

struct each {
	const struct record_store *s;
	int (*fn)(struct packet *p, void *arg);
	void *arg;
};

static int each_file(const char *rel, const struct stat *st, void *arg)
{
	struct each *each = arg;
	str id = str_of(rel);
	struct packet p;
	int ret;

	(void)st;
	id.n -= 3; /* ".md" */
	if (!packet_id_ok(id))
		return 0;
	if (packet_read(each->s, id, &p, NULL) < 0)
		p.corrupt = true;
	ret = each->fn(&p, each->arg);
	packet_release(&p);
	return ret;
}

int packet_each(const struct record_store *s, int (*fn)(struct packet *p, void *arg),
		void *arg, struct err *e)
{
	struct each each = {s, fn, arg};

	return shelf_walk(s->vault, SHELF_PACKETS, STR_NONE, each_file, &each, e);
}

/* One that may be picked up. */
struct waits {
	char id[PACKET_ID_BYTES];
	char at[32];
	bool mine; /* addressed to this agent */
};

struct search {
	const struct record_store *s;
	str from;
	struct buf list; /* of struct waits */
	size_t corrupt;
	char again
		[PACKET_ID_BYTES]; /* picked up by this agent and session, not closed; the newest */
	char again_at[32];
	char lost[PACKET_ID_BYTES]; /* the same in another session */
};

static void copy_time(char to[32], str at)
{
	snprintf(to, 32, "%.*s", STR_ARG(str_head(at, 31)));
}

static void look_again(struct search *f, const struct packet_head *h)
{
	bool here = f->s->session && *f->s->session &&
		    str_eq(h->by_session, str_of(f->s->session));

	if (h->status != PACKET_PICKED_UP || !str_eq(h->by, str_of(record_agent(f->s))))
		return;
	if (!here) {
		memcpy(f->lost, h->id, sizeof(h->id));
	} else if (str_cmp(h->at, str_of(f->again_at)) >= 0) {
		memcpy(f->again, h->id, sizeof(h->id));
		copy_time(f->again_at, h->at);
	}
}

static int look(const struct packet_head *h, void *arg)
{
	struct search *f = arg;
	struct waits w = {.mine = h->to.n > 0};

	if (h->corrupt) {
		f->corrupt++;
		return 0;
	}
	if (f->from.n && !str_eq(h->from, f->from))
		return 0;
	look_again(f, h);
	if (!packet_head_is_for(h, f->s))
		return 0;
	memcpy(w.id, h->id, sizeof(w.id));
	copy_time(w.at, h->created_at);
	buf_add(&f->list, (str){(const char *)&w, sizeof(w)});
	return 0;
}

static int by_turn(const void *a, const void *b)
{
	const struct waits *x = a, *y = b;
	int c;

	if (x->mine != y->mine)
		return x->mine ? -1 : 1;
	c = strcmp(x->at, y->at);
	return c ? c : strcmp(x->id, y->id);
}

/* The lock is held: read it as it is now and take it. */
static int take_locked(const struct record_store *s, const struct packet_ask *ask, str id,
		       struct packet *p, struct err *e)
{
	bool mine;
	int ret = packet_read(s, id, p, e);

	if (ret || p->corrupt)
		return ret;
	mine = strcmp(p->by, record_agent(s)) == 0;
	if (p->status == PACKET_PICKED_UP) {
		p->again = mine;
		p->taken = !mine;
	}
	if (p->status == PACKET_WAITING && p->to.n &&
	    !str_eq(p->to, str_of(record_agent(s))))
		return err_set(e, HF_EUSAGE, "%s waits for %.*s, not for %s", p->id,
			       STR_ARG(p->to), record_agent(s));
	if (p->status == PACKET_WAITING)
		ret = packet_mark(s, p, PACKET_PICKED_UP, e);
	if (!ret && ask->close && p->taken)
		return err_set(e, HF_EUSAGE,
			       "%s was picked up by %s: only %s can close it", p->id,
			       p->by, p->by);
	if (!ret && ask->close && p->status == PACKET_PICKED_UP)
		ret = packet_mark(s, p, PACKET_CLOSED, e);
	return ret;
}

static int take(const struct record_store *s, const struct packet_ask *ask, str id,
		struct packet *p, struct err *e)
{
	int ret;

	if (ask->peek && !ask->close)
		return packet_read(s, id, p, e);
	ret = vault_lock(s->vault, RECORD_WAIT_MS, e);
	if (ret)
		return ret;
	ret = take_locked(s, ask, id, p, e);
	vault_unlock(s->vault);
	return ret;
}

static int nothing(const struct search *f, struct err *e)
{
	const char *me = record_agent(f->s);

	if (f->lost[0])
		return err_set(
			e, HF_ENOTFOUND,
			"no packet waits for %s; %s was picked up by %s in another session "
			"and is not closed: pick it up again by its id",
			me, f->lost, me);
	if (f->corrupt)
		return err_set(
			e, HF_ENOTFOUND,
			"no packet waits for %s; %zu cannot be trusted, see `handoff record "
			"verify`",
			me, f->corrupt);
	return err_set(e, HF_ENOTFOUND, "no packet waits for %s", me);
}

/* In turn, until one is ours: others may be quicker. */
static int take_next(const struct record_store *s, const struct packet_ask *ask,
		     struct search *f, struct packet *p, struct err *e)
{
	struct waits *w = (struct waits *)(void *)f->list.p;
	size_t n = f->list.n / sizeof(*w);

	if (n)
		qsort(w, n, sizeof(*w), by_turn);
	for (size_t i = 0; i < n; i++) {
		int ret = take(s, ask, str_of(w[i].id), p, e);

		if (ret || (!p->again && !p->taken && p->status <= PACKET_PICKED_UP) ||
		    (ask->close && p->status == PACKET_CLOSED && !p->taken))
			return ret;
		packet_release(p);
	}
	if (f->again[0])
		return take(s, ask, str_of(f->again), p, e);
	return nothing(f, e);
}

int packet_pickup(const struct record_store *s, const struct packet_ask *ask,
		  struct packet *p, struct err *e)
{
	struct search f = {.s = s, .from = ask->from, .list = BUF_INIT(SIZE_MAX)};
	int ret;

	*p = (struct packet){0};
	if (ask->id.n)
		return take(s, ask, ask->id, p, e);
	ret = packet_heads(s, 0, look, &f, e);
	if (!ret)
		ret = take_next(s, ask, &f, p, e);
	buf_release(&f.list);
	return ret;
}

int packet_cancel(const struct record_store *s, str id, struct packet *p, struct err *e)
{
	int ret = vault_lock(s->vault, RECORD_WAIT_MS, e);

	*p = (struct packet){0};
	if (ret)
		return ret;
	ret = packet_read(s, id, p, e);
	if (!ret && p->status != PACKET_WAITING)
		ret = err_set(e, HF_EUSAGE,
			      "%s is %s: only a waiting packet is cancelled", p->id,
			      packet_status_name(p->status));
	if (!ret && !str_eq(p->from, str_of(record_agent(s))))
		ret = err_set(e, HF_EUSAGE, "%s is from %.*s: only they can cancel it",
			      p->id, STR_ARG(p->from));
	if (!ret)
		ret = packet_mark(s, p, PACKET_CANCELLED, e);
	vault_unlock(s->vault);
	return ret;
}

/* What waits, for the start of a session. */

static void offer_line(const struct record_store *s, const struct waits *w,
		       struct buf *out)
{
	struct packet p;

	if (packet_read(s, str_of(w->id), &p, NULL) == 0 && !p.corrupt) {
		buf_printf(out, "- %s from ", p.id);
		redact_show(out, p.from, true);
		buf_add(out, STR(", "));
		utf8_show(out, str_head(p.created_at, 10), UTF8_ONELINE);
		buf_add(out, STR(": "));
		redact_show(out, utf8_head(p.summary, OFFER_SUMMARY), true);
		buf_byte(out, '\n');
	}
	packet_release(&p);
}

size_t packet_offer(const struct record_store *s, int64_t deadline_ns, struct buf *out)
{
	struct search f = {.s = s, .list = BUF_INIT(SIZE_MAX)};
	struct waits *w;
	size_t n;

	packet_heads(s, deadline_ns, look, &f, NULL);
	w = (struct waits *)(void *)f.list.p;
	n = f.list.n / sizeof(*w);
	if (n)
		qsort(w, n, sizeof(*w), by_turn);
	for (size_t i = 0; i < n && i < PACKET_OFFERS_MAX; i++)
		offer_line(s, &w[i], out);
	buf_release(&f.list);
	return n;
}

/* Pinned versions. */

static double number(const struct jsonval *v)
{
	struct buf b = BUF_INIT(64);
	double d = 0;

	if (v)
		jsondoc_print(v, &b);
	if (!canon_double(buf_str(&b), &d))
		d = 0;
	buf_release(&b);
	return d;
}

static int resolve_one(const struct record_store *s, const struct jsonval *ref,
		       int (*fn)(const struct packet_pin *pin, void *arg), void *arg)
{
	struct packet_pin pin = {.scope = jsondoc_str(jsondoc_get(ref, "scope")),
				 .key = jsondoc_str(jsondoc_get(ref, "key")),
				 .chain = jsondoc_str(jsondoc_get(ref, "chain")),
				 .confidence = number(jsondoc_get(ref, "confidence")),
				 .r = {.lineage = LINEAGE_INIT}};
	int64_t version = jsondoc_int(jsondoc_get(ref, "version"), 0);
	struct address a = {0};
	int ret;

	pin.version = version > 0 ? (uint64_t)version : 0;
	pin.missing = address_of(&a, pin.scope, pin.key, NULL) < 0 || !pin.version ||
		      record_read(s, &a, pin.version, pin.chain, &pin.r, NULL) < 0;
	ret = fn(&pin, arg);
	record_release(&pin.r);
	address_release(&a);
	return ret;
}

int packet_resolve(const struct record_store *s, const struct packet *p,
		   int (*fn)(const struct packet_pin *pin, void *arg), void *arg,
		   struct err *e)
{
	const struct jsonval *refs = jsondoc_get(jsondoc_root(p->body), "refs");
	int ret = 0;

	(void)e;
	for (const struct jsonval *v = jsondoc_first(refs); v && !ret;
	     v = jsondoc_next(v))
		ret = resolve_one(s, v, fn, arg);
	return ret;
}

static int percent(double c)
{
	return (int)(c * 100 + 0.5);
}

size_t packet_stale(const struct packet_pin *pin, struct buf *out)
{
	struct buf name = BUF_INIT(4 * ADDRESS_MAX);
	size_t n = 0;

	utf8_show(&name, pin->scope, UTF8_ONELINE);
	buf_byte(&name, '/');
	utf8_show(&name, pin->key, UTF8_ONELINE);
	if (pin->missing) {
		buf_printf(out, "%s v%llu does not exist (any more)\n", buf_cstr(&name),
			   (unsigned long long)pin->version);
		n++;
		goto out;
	}
	if (pin->r.last > pin->version) {
		buf_printf(out, "%s was pinned at v%llu, now at v%llu\n", buf_cstr(&name),
			   (unsigned long long)pin->version,
			   (unsigned long long)pin->r.last);
		n++;
	}
	if (pin->r.contested) {
		buf_printf(out, "%s is contested: %zu versions are current",
			   buf_cstr(&name), pin->r.chain.nheads);
		if (pin->r.current) {
			buf_printf(out, ", one of them is the pinned v%llu by ",
				   (unsigned long long)pin->version);
			redact_show(out, pin->r.v->agent, true);
		}
		buf_byte(out, '\n');
		n++;
	}
	if (pin->r.gap) {
		buf_printf(out, "%s has a gap: ", buf_cstr(&name));
		record_gap(&pin->r, out);
		buf_byte(out, '\n');
		n++;
	}
	if (pin->r.corrupt) {
		buf_printf(out, "%s v%llu is corrupt: its hashes do not fit\n",
			   buf_cstr(&name), (unsigned long long)pin->version);
		n++;
	}
	if (pin->r.state.confidence < pin->confidence) {
		buf_printf(
			out,
			"confidence of %s v%llu fell since it was pinned: %d%% -> %d%%\n",
			buf_cstr(&name), (unsigned long long)pin->version,
			percent(pin->confidence), percent(pin->r.state.confidence));
		n++;
	}
out:
	buf_release(&name);
	return n;
}
