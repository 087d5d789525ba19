/*
 * Making a packet: its body from what the caller says, its pins, its file.
 *
 * The body begins with the time and ends with the id: what is between is the same when the same
 * is handed over again.
 */
#include "work/packet.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/canon.h"
#include "data/digest.h"
#include "data/json.h"
#include "data/seal.h"
#include "work/packet_impl.h"
#include "work/record_impl.h"
#include "work/redact.h"

#define CREATED STR("{\"created_at\":\"")

static int add_words(struct buf *b, const char *key, const char *what, str s, size_t max,
		     size_t *secrets, struct err *e)
{
	struct buf clean = BUF_INIT(4 * (max + 1));
	int ret = record_redact_text(&clean, what, s, max, secrets, e);

	if (!ret && clean.n) {
		json_add_key(b, key);
		canon_str(b, buf_str(&clean));
	}
	buf_release(&clean);
	return ret;
}

static bool in_list(const struct jsonval *list, str s)
{
	for (const struct jsonval *v = jsondoc_first(list); v; v = jsondoc_next(v))
		if (str_eq(jsondoc_str(v), s))
			return true;
	return false;
}

/* A list of texts; blank ones are left out. `carried` is a list that goes before it, word for word. */
static int add_list(struct buf *b, const char *key, const str *item, size_t n, size_t max,
		    const struct jsonval *carried, size_t *secrets, struct err *e)
{
	struct buf clean = BUF_INIT(4 * PACKET_ITEM_MAX);
	size_t many = n;
	int ret = 0;

	json_add_key(b, key);
	buf_byte(b, '[');
	for (const struct jsonval *v = jsondoc_first(carried); v;
	     v = jsondoc_next(v), many++) {
		json_add_sep(b);
		canon_str(b, jsondoc_str(v));
	}
	if (many > max)
		ret = err_set(e, HF_ELIMIT, "over %zu items in %s", max, key);
	for (size_t i = 0; i < n && !ret; i++) {
		buf_reset(&clean);
		ret = record_redact_text(&clean, key, item[i], PACKET_ITEM_MAX, secrets,
					 e);
		if (ret || !clean.n || in_list(carried, buf_str(&clean)))
			continue;
		json_add_sep(b);
		canon_str(b, buf_str(&clean));
	}
	buf_byte(b, ']');
	buf_release(&clean);
	return ret;
}

/* Pin one version: it must exist. */
static int add_ref(struct buf *b, const struct record_store *s,
		   const struct packet_ref *ref, struct err *e)
{
	struct record_view r = {.lineage = LINEAGE_INIT};
	struct address a = {0};
	int ret = address_of(&a, ref->scope, ref->key, e);

	if (!ret)
		ret = record_read(s, &a, ref->version, STR_NONE, &r, e);
	if (!ret && r.corrupt)
		ret = err_set(e, HF_EFORMAT, "%s v%llu is corrupt: it cannot be pinned",
			      a.text, (unsigned long long)r.v->version);
	if (!ret) {
		json_add_sep(b);
		buf_add(b, STR("{\"chain\":"));
		canon_str(b, r.v->chain);
		buf_add(b, STR(",\"confidence\":"));
		canon_number(b, r.state.confidence);
		buf_add(b, STR(",\"key\":"));
		canon_str(b, a.key);
		buf_add(b, STR(",\"scope\":"));
		canon_str(b, a.scope);
		buf_printf(b, ",\"version\":%llu}", (unsigned long long)r.v->version);
	}
	record_release(&r);
	address_release(&a);
	return ret;
}

static int add_refs(struct buf *b, const struct record_store *s,
		    const struct packet_new *n, struct err *e)
{
	int ret = 0;

	if (n->nrefs > PACKET_LIST_MAX)
		return err_set(e, HF_ELIMIT, "over %d items in refs", PACKET_LIST_MAX);
	json_add_key(b, "refs");
	buf_byte(b, '[');
	for (size_t i = 0; i < n->nrefs && !ret; i++)
		ret = add_ref(b, s, &n->refs[i], e);
	buf_byte(b, ']');
	return ret;
}

/* All of the body but its id, which is the last that is decided; without the closing brace. */
static int make_body(struct buf *b, const struct record_store *s,
		     const struct packet_new *n, const struct packet *parent,
		     const char *at, size_t *secrets, struct err *e)
{
	const struct jsonval *hazards =
		jsondoc_get(jsondoc_root(parent->body), "hazards");
	int ret;

	buf_add(b, CREATED);
	buf_printf(b, "%s\"", at);
	ret = add_list(b, "done", n->done, n->ndone, PACKET_LIST_MAX, NULL, secrets, e);
	if (!ret)
		ret = add_words(b, "from", "the agent's name", str_of(record_agent(s)),
				RECORD_AGENT_MAX, secrets, e);
	if (!ret)
		ret = add_list(b, "hazards", n->hazards, n->nhazards, PACKET_HAZARDS_MAX,
			       hazards, secrets, e);
	if (!ret)
		ret = add_list(b, "next", n->next, n->nnext, PACKET_LIST_MAX, NULL,
			       secrets, e);
	if (!ret)
		ret = add_list(b, "open", n->open, n->nopen, PACKET_LIST_MAX, NULL,
			       secrets, e);
	if (!ret && n->parent.n)
		ret = add_words(b, "parent", "parent", n->parent, PACKET_ITEM_MAX,
				secrets, e);
	if (!ret)
		ret = add_refs(b, s, n, e);
	if (!ret && s->session && *s->session)
		ret = add_words(b, "session", "the session's id", str_of(s->session),
				RECORD_AGENT_MAX, secrets, e);
	if (!ret)
		ret = add_words(b, "summary", "summary", n->summary, PACKET_SUMMARY_MAX,
				secrets, e);
	if (!ret && n->to.n)
		ret = add_words(b, "to", "to", n->to, RECORD_AGENT_MAX, secrets, e);
	return ret;
}

/* An id that no packet has; the lock is held. */
static void new_id(const struct record_store *s, str body, char id[PACKET_ID_BYTES])
{
	struct buf seed = BUF_INIT(SIZE_MAX), path = BUF_INIT(4096);
	char hex[DIGEST_HEX_BYTES], name[PACKET_ID_BYTES + 4];
	struct stat st;

	buf_add(&seed, body);
	buf_printf(&seed, "%ld %lld", (long)getpid(), (long long)clock_mono_ns());
	for (;;) {
		digest_hex(buf_str(&seed), hex);
		snprintf(id, PACKET_ID_BYTES, "h_%.8s", hex);
		snprintf(name, sizeof(name), "%s.md", id);
		if (!shelf_path(s->vault, SHELF_PACKETS, str_of(name), &path) ||
		    io.lstat(buf_cstr(&path), &st) < 0)
			break;
		buf_byte(&seed, '+');
	}
	buf_release(&seed);
	buf_release(&path);
}

/* The whole body, canonical, and its hash. */
static int finish_body(const char *id, str body, struct buf *out, char hash[65],
		       struct err *e)
{
	struct buf json = BUF_INIT(SIZE_MAX);
	int ret;

	buf_add(&json, body);
	buf_printf(&json, ",\"id\":\"%s\"}", id);
	ret = canon_json(out, buf_str(&json), CANON_COMPACT, e);
	digest_hex(buf_str(out), hash);
	buf_release(&json);
	return ret;
}

static int make_text(struct buf *out, const char *id, str summary, str body,
		     struct err *e)
{
	struct buf canonical = BUF_INIT(PACKET_FILE_MAX / 4), seal = BUF_INIT(SIZE_MAX);
	char hash[65];
	int ret = finish_body(id, body, &canonical, hash, e);

	if (ret)
		goto out;
	buf_printf(out, "---\nformat: 1\nkind: packet\nid: %s\n---\n\n# ", id);
	utf8_show(out, summary, UTF8_ONELINE);
	buf_printf(out, "\n\n## v1 \xc2\xb7 packet %s\n\n```json\n", id);
	ret = canon_json(out, buf_str(&canonical), CANON_PRETTY, e);
	buf_add(out, STR("\n```\n\n"));
	buf_printf(&seal, "{\"content\":\"%s\",\"id\":\"%s\"}", hash, id);
	seal_add(out, STR("packet"), buf_str(&seal), NULL);
out:
	buf_release(&canonical);
	buf_release(&seal);
	return ret;
}

static int write_new(const struct record_store *s, str summary, str body,
		     struct packet *p, struct err *e)
{
	char name[PACKET_ID_BYTES + 4];
	struct shelf_pending pending;
	int ret = vault_lock(s->vault, RECORD_WAIT_MS, e);

	if (ret)
		return ret;
	new_id(s, body, p->id);
	snprintf(name, sizeof(name), "%s.md", p->id);
	ret = make_text(&p->text, p->id, summary, body, e);
	if (!ret)
		ret = shelf_append(s->vault, SHELF_PACKETS, str_of(name),
				   buf_str(&p->text), &pending, e);
	vault_unlock(s->vault);
	if (ret)
		return ret;
	ret = shelf_finish(&pending, e);
	if (ret == 0)
		return err_set(e, HF_EIO, "%s: replaced by another program meanwhile",
			       p->id);
	return ret < 0 ? ret : 0;
}

/* Packets of this agent and session that wait and have this summary. */
struct same {
	const struct record_store *s;
	uint64_t summary;
	str body;                 /* of the new one */
	char id[PACKET_ID_BYTES]; /* found: it says the same; "" */
};

/* Its body with that one's time and id has that one's hash. */
static bool says_the_same(const struct same *f, const struct packet *p)
{
	struct buf body = BUF_INIT(PACKET_FILE_MAX), out = BUF_INIT(PACKET_FILE_MAX);
	str rest = str_from(f->body, CREATED.n);
	char hash[65];
	bool same;

	buf_add(&body, CREATED);
	buf_add(&body, p->created_at);
	buf_add(&body, str_from(rest, str_chr(rest, '"')));
	same = finish_body(p->id, buf_str(&body), &out, hash, NULL) == 0 &&
	       str_eq(p->content, str_of(hash));
	buf_release(&body);
	buf_release(&out);
	return same;
}

static int look_same(const struct packet_head *h, void *arg)
{
	struct same *f = arg;
	struct packet p;
	bool same;

	if (h->status != PACKET_WAITING || h->corrupt || h->summary != f->summary ||
	    !str_eq(h->from, str_of(record_agent(f->s))) ||
	    !str_eq(h->session, str_of(f->s->session)))
		return 0;
	same = packet_read(f->s, str_of(h->id), &p, NULL) == 0 && !p.corrupt &&
	       p.status == PACKET_WAITING && says_the_same(f, &p);
	if (same)
		memcpy(f->id, h->id, sizeof(f->id));
	packet_release(&p);
	return same;
}

/* A client that lost the reply asks again: the packet that it has made already. 1: found. */
static int find_same(const struct record_store *s, str summary, str body,
		     struct packet *p, struct err *e)
{
	struct same f = {.s = s, .body = body};
	struct buf clean = BUF_INIT(4 * (PACKET_SUMMARY_MAX + 1));
	size_t secrets = 0;
	int ret;

	/* who is in no known session may be somebody else */
	if (!s->session || !*s->session)
		return 0;
	ret = record_redact_text(&clean, "summary", summary, PACKET_SUMMARY_MAX, &secrets,
				 e);
	f.summary = str_hash(buf_str(&clean));
	buf_release(&clean);
	if (!ret)
		ret = packet_heads(s, 0, look_same, &f, e);
	if (ret <= 0)
		return ret;
	packet_release(p);
	ret = packet_read(s, str_of(f.id), p, e);
	p->repeated = true;
	return ret ? ret : 1;
}

/* The packet that this one answers is done with, if this agent had picked it up. */
static int close_parent(const struct record_store *s, struct packet *parent,
			struct err *e)
{
	struct packet now = {0};
	int ret;

	if (strcmp(parent->by, record_agent(s)) != 0 ||
	    parent->status != PACKET_PICKED_UP)
		return 0;
	ret = vault_lock(s->vault, RECORD_WAIT_MS, e);
	if (ret)
		return ret;
	ret = packet_read(s, str_of(parent->id), &now, e);
	if (!ret && now.status == PACKET_PICKED_UP)
		ret = packet_mark(s, &now, PACKET_CLOSED, e);
	vault_unlock(s->vault);
	packet_release(&now);
	return ret;
}

int packet_create(const struct record_store *s, const struct packet_new *n,
		  struct packet *p, struct err *e)
{
	struct packet parent = {0};
	struct buf body = BUF_INIT(PACKET_FILE_MAX / 4), title = BUF_INIT(SIZE_MAX);
	char at[CLOCK_ISO_BYTES];
	size_t secrets = 0;
	int ret = 0;

	*p = (struct packet){.text = BUF_INIT(PACKET_FILE_MAX)};
	if (!str_trim(n->summary).n)
		return err_set(e, HF_EUSAGE, "summary is blank");
	clock_iso(at, clock_now());
	if (n->parent.n)
		ret = packet_read(s, n->parent, &parent, e);
	if (!ret)
		ret = make_body(&body, s, n, &parent, at, &secrets, e);
	if (!ret && body.full)
		ret = err_set(e, HF_ELIMIT, "the packet is over %u KB",
			      PACKET_FILE_MAX >> 12);
	if (!ret)
		ret = find_same(s, n->summary, buf_str(&body), p, e);
	redact(&title, n->summary);
	if (!ret) {
		ret = write_new(s, buf_str(&title), buf_str(&body), p, e);
		if (!ret)
			packet_parse(p);
	}
	if (ret >= 0) {
		p->secrets = secrets;
		ret = n->parent.n ? close_parent(s, &parent, e) : 0;
	}
	packet_release(&parent);
	buf_release(&body);
	buf_release(&title);
	return ret;
}
