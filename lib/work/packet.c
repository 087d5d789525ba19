/*
 * The file of a packet, written and read back.
 */
#include "work/packet.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/canon.h"
#include "data/digest.h"
#include "data/json.h"
#include "data/note.h"
#include "data/seal.h"
#include "work/packet_impl.h"
#include "work/record_impl.h"
#include "work/redact.h"

static const char *const STATUS[PACKET_STATES] = {"waiting", "picked_up", "closed",
						  "cancelled"};

const char *packet_status_name(enum packet_status s)
{
	return STATUS[s];
}

bool packet_id_ok(str id)
{
	if (id.n != PACKET_ID_BYTES - 1 || !str_starts(id, STR("h_")))
		return false;
	for (size_t i = 2; i < id.n; i++)
		if (!str_is_digit(id.p[i]) && (id.p[i] < 'a' || id.p[i] > 'f'))
			return false;
	return true;
}

void packet_release(struct packet *p)
{
	jsondoc_free(p->body);
	buf_release(&p->text);
	*p = (struct packet){0};
}

/* Reading. */

static void copy(char *to, size_t room, str s)
{
	s = utf8_head(s, room - 1);
	if (s.n)
		memcpy(to, s.p, s.n);
	to[s.n] = 0;
}

/* The body is there and its hash is the one of its line. */
static void take_body(struct packet *p, const struct seal *line)
{
	str json = lineage_value(
		str_head(buf_str(&p->text), (size_t)(line->json.p - p->text.p)));
	struct buf canonical = BUF_INIT(PACKET_FILE_MAX);
	char hash[65];
	struct jsondoc *d;

	p->corrupt |= !line->fits;
	d = jsondoc_parse(line->json, PACKET_FILE_MAX, NULL);
	p->content = STR_NONE;
	if (d) {
		str content = jsondoc_str(jsondoc_get(jsondoc_root(d), "content"));
		size_t at = content.n ? str_find(line->json, content) : STR_NPOS;

		if (at != STR_NPOS)
			p->content = (str){line->json.p + at, content.n};
	}
	jsondoc_free(d);
	if (json.p && canon_json(&canonical, json, CANON_COMPACT, NULL) == 0) {
		digest_hex(buf_str(&canonical), hash);
		p->corrupt |= !str_eq(p->content, str_of(hash));
		p->body = jsondoc_parse(json, PACKET_FILE_MAX, NULL);
	}
	p->corrupt |= !p->body;
	buf_release(&canonical);
}

static bool status_of(str name, enum packet_status *s)
{
	for (int i = 0; i < PACKET_STATES; i++) {
		if (str_eq(name, str_of(STATUS[i]))) {
			*s = (enum packet_status)i;
			return true;
		}
	}
	return false;
}

/* A first pick-up, or one that another machine made earlier beside the one that is known. */
static void take_pickup(struct packet *p, const struct jsonval *v, str prev)
{
	str at = jsondoc_str(jsondoc_get(v, "at"));
	bool beside = p->status != PACKET_WAITING && !str_eq(prev, str_of(p->tip));

	if (beside) {
		p->contested = true;
		if (str_cmp(at, str_of(p->at)) >= 0)
			return;
	}
	copy(p->by, sizeof(p->by), jsondoc_str(jsondoc_get(v, "agent")));
	copy(p->by_session, sizeof(p->by_session),
	     jsondoc_str(jsondoc_get(v, "session")));
	copy(p->at, sizeof(p->at), at);
}

static bool take_status(struct packet *p, const struct seal *line)
{
	struct jsondoc *d = jsondoc_parse(line->json, PACKET_FILE_MAX, NULL);
	const struct jsonval *v = jsondoc_root(d);
	str prev = jsondoc_str(jsondoc_get(v, "prev"));
	enum packet_status s;
	bool ok = d && status_of(jsondoc_str(jsondoc_get(v, "status")), &s) &&
		  seal_is_hash(prev);

	p->corrupt |= !ok || !line->fits;
	/* every line names one that stands before it */
	if (ok &&
	    str_find(str_head(buf_str(&p->text), (size_t)(line->json.p - p->text.p)),
		     prev) == STR_NPOS)
		p->corrupt = true;
	if (ok && s == PACKET_PICKED_UP)
		take_pickup(p, v, prev);
	else if (ok)
		copy(p->end_at, sizeof(p->end_at), jsondoc_str(jsondoc_get(v, "at")));
	if (ok && s > p->status)
		p->status = s;
	copy(p->tip, sizeof(p->tip), line->hash);
	p->nstatus++;
	jsondoc_free(d);
	return ok;
}

static void take_fields(struct packet *p)
{
	const struct jsonval *v = jsondoc_root(p->body);

	p->from = jsondoc_str(jsondoc_get(v, "from"));
	p->session = jsondoc_str(jsondoc_get(v, "session"));
	p->to = jsondoc_str(jsondoc_get(v, "to"));
	p->summary = jsondoc_str(jsondoc_get(v, "summary"));
	p->parent = jsondoc_str(jsondoc_get(v, "parent"));
	p->created_at = jsondoc_str(jsondoc_get(v, "created_at"));
	/* a copy under another name is not that packet */
	p->corrupt |= !str_eq(jsondoc_str(jsondoc_get(v, "id")), str_of(p->id));
}

static void parse(struct packet *p)
{
	str rest = buf_str(&p->text), line;
	struct seal s;
	bool ours;

	while (str_line(&rest, &line)) {
		ours = str_starts(line, STR("<!-- packet ")) ||
		       str_starts(line, STR("<!-- status "));
		if (!ours)
			continue;
		if (!seal_parse(line, &s)) {
			/* the last line may be one that a crash cut */
			if (rest.n || str_ends(line, STR("-->")))
				p->corrupt = true;
			else
				p->torn = true;
		} else if (str_eq(s.word, STR("packet"))) {
			p->corrupt |= p->body != NULL || p->tip[0];
			if (!p->tip[0])
				take_body(p, &s);
			copy(p->tip, sizeof(p->tip), s.hash);
		} else {
			p->corrupt |= !p->tip[0];
			take_status(p, &s);
		}
	}
	p->torn |= !p->tip[0];
	if (p->body)
		take_fields(p);
}

int packet_read(const struct record_store *s, str id, struct packet *p, struct err *e)
{
	struct err own = ERR_INIT;
	char name[PACKET_ID_BYTES + 4];
	int ret;

	*p = (struct packet){.text = BUF_INIT(PACKET_FILE_MAX)};
	if (!packet_id_ok(id))
		return err_set(e, HF_EUSAGE,
			       "'%.*s' is no id of a packet, like h_1f4089bf",
			       STR_ARG(id));
	copy(p->id, sizeof(p->id), id);
	snprintf(name, sizeof(name), "%s.md", p->id);
	ret = shelf_read(s->vault, SHELF_PACKETS, str_of(name), &p->text, &own);
	if (ret == HF_ENOTFOUND)
		return err_set(e, ret, "no packet %s", p->id);
	if (ret)
		return err_set(e, ret, "%s", own.msg);
	parse(p);
	if (!p->body)
		return err_set(e, HF_EFORMAT, "%s.md: its body cannot be read", p->id);
	return 0;
}

/* Writing. */

int packet_mark(const struct record_store *s, struct packet *p, enum packet_status status,
		struct err *e)
{
	struct buf json = BUF_INIT(SIZE_MAX), line = BUF_INIT(SIZE_MAX);
	char at[CLOCK_ISO_BYTES], name[PACKET_ID_BYTES + 4];
	struct shelf_pending pending;
	int ret;

	clock_iso(at, clock_now());
	buf_add(&json, STR("{\"agent\":"));
	canon_str(&json, str_of(record_agent(s)));
	buf_printf(&json, ",\"at\":\"%s\",\"prev\":\"%s\"", at, p->tip);
	if (s->session && *s->session) {
		buf_add(&json, STR(",\"session\":"));
		canon_str(&json, str_of(s->session));
	}
	buf_printf(&json, ",\"status\":\"%s\"}", STATUS[status]);
	if (p->text.n && p->text.p[p->text.n - 1] != '\n')
		buf_byte(&line, '\n');
	seal_add(&line, STR("status"), buf_str(&json), p->tip);
	snprintf(name, sizeof(name), "%s.md", p->id);
	ret = shelf_append(s->vault, SHELF_PACKETS, str_of(name), buf_str(&line),
			   &pending, e);
	if (!ret)
		ret = shelf_finish(&pending, e);
	if (ret == 0)
		ret = err_set(e, HF_EIO, "%s: replaced by another program meanwhile",
			      p->id);
	if (ret > 0) {
		p->status = status;
		if (status == PACKET_PICKED_UP) {
			copy(p->by, sizeof(p->by), str_of(record_agent(s)));
			copy(p->by_session, sizeof(p->by_session),
			     str_of(s->session ? s->session : ""));
			copy(p->at, sizeof(p->at), str_of(at));
		} else {
			copy(p->end_at, sizeof(p->end_at), str_of(at));
		}
		ret = 0;
	}
	buf_release(&json);
	buf_release(&line);
	return ret;
}

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

	buf_printf(b, "{\"created_at\":\"%s\"", at);
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

static int make_text(struct buf *out, const char *id, str summary, str body,
		     struct err *e)
{
	struct buf json = BUF_INIT(SIZE_MAX), canonical = BUF_INIT(PACKET_FILE_MAX / 4);
	char hash[65];
	int ret;

	buf_add(&json, body);
	buf_printf(&json, ",\"id\":\"%s\"}", id);
	ret = canon_json(&canonical, buf_str(&json), CANON_COMPACT, e);
	if (ret)
		goto out;
	digest_hex(buf_str(&canonical), hash);
	buf_printf(out, "---\nformat: 1\nkind: packet\nid: %s\n---\n\n# ", id);
	utf8_show(out, summary, UTF8_ONELINE);
	buf_printf(out, "\n\n## v1 \xc2\xb7 packet %s\n\n```json\n", id);
	ret = canon_json(out, buf_str(&canonical), CANON_PRETTY, e);
	buf_add(out, STR("\n```\n\n"));
	buf_reset(&json);
	buf_printf(&json, "{\"content\":\"%s\",\"id\":\"%s\"}", hash, id);
	seal_add(out, STR("packet"), buf_str(&json), NULL);
out:
	buf_release(&json);
	buf_release(&canonical);
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
	redact(&title, n->summary);
	if (!ret)
		ret = write_new(s, buf_str(&title), buf_str(&body), p, e);
	if (!ret) {
		parse(p);
		p->secrets = secrets;
		if (n->parent.n)
			ret = close_parent(s, &parent, e);
	}
	packet_release(&parent);
	buf_release(&body);
	buf_release(&title);
	return ret;
}
