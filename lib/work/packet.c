/*
 * The file of a packet, read back, and its status lines. What makes a new one is in packet_create.c.
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

void packet_parse(struct packet *p)
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
	packet_parse(p);
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
