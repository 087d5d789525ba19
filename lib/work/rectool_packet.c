/*
 * Packets: create, pick up, list.
 */
#include "base/utf8.h"
#include "data/canon.h"
#include "data/json.h"
#include "work/rectool_impl.h"
#include "work/redact.h"

/* A list of the body, without secrets that may have come in past us. */
static void add_list(struct buf *b, const char *key, const struct jsonval *list)
{
	struct buf json = BUF_INIT(SIZE_MAX), clean = BUF_INIT(SIZE_MAX);
	size_t secrets = 0;

	json_add_key(b, key);
	if (list)
		jsondoc_print(list, &json);
	if (json.n && record_redact_json(&clean, buf_str(&json), &secrets, NULL) == 0)
		buf_add(b, buf_str(&clean));
	else
		buf_add(b, STR("[]"));
	buf_release(&json);
	buf_release(&clean);
}

static void add_said(struct buf *b, const char *key, str s)
{
	struct buf clean = BUF_INIT(SIZE_MAX);

	if (!s.n)
		return;
	redact(&clean, s);
	rectool_str(b, key, buf_str(&clean));
	buf_release(&clean);
}

static void packet_json(const struct packet *p, struct buf *b)
{
	static const char *const lists[] = {"done", "next", "open", "hazards", "refs"};
	const struct jsonval *v = jsondoc_root(p->body);

	buf_byte(b, '{');
	rectool_str(b, "id", str_of(p->id));
	rectool_str(b, "status", str_of(packet_status_name(p->status)));
	add_said(b, "summary", p->summary);
	add_said(b, "from", p->from);
	add_said(b, "to", p->to);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		add_list(b, lists[i], jsondoc_get(v, lists[i]));
	add_said(b, "parent", p->parent);
	add_said(b, "session", p->session);
	rectool_str(b, "created_at", p->created_at);
	if (p->by[0]) {
		add_said(b, "picked_up_by", str_of(p->by));
		rectool_str(b, "picked_up_at", str_of(p->at));
	}
	if (p->end_at[0])
		rectool_str(b,
			    p->status == PACKET_CANCELLED ? "cancelled_at" : "closed_at",
			    str_of(p->end_at));
	if (p->contested)
		rectool_bool(b, "contested", true);
	if (p->corrupt)
		rectool_str(b, "warning", STR("corrupt: it is not what was handed over"));
	rectool_str(b, "content_hash", p->content);
	buf_byte(b, '}');
}

static void list_text(const struct packet *p, const char *key, const char *label,
		      struct buf *b)
{
	const struct jsonval *list = jsondoc_get(jsondoc_root(p->body), key);

	for (const struct jsonval *v = jsondoc_first(list); v; v = jsondoc_next(v)) {
		buf_printf(b, "%s: ", label);
		redact_show(b, jsondoc_str(v), true);
		buf_byte(b, '\n');
	}
}

static void status_text(const struct packet *p, struct buf *b)
{
	if (p->corrupt)
		buf_add(b,
			STR("CORRUPT: it is not what was handed over; nothing was taken\n"));
	if (p->taken) {
		buf_add(b, STR("already picked up by "));
		redact_show(b, str_of(p->by), true);
		buf_add(b, STR(" at "));
		utf8_show(b, str_of(p->at), UTF8_ONELINE);
		buf_add(b, STR(": not yours\n"));
	} else if (p->again) {
		buf_add(b, STR("picked up again; first at "));
		utf8_show(b, str_of(p->at), UTF8_ONELINE);
		buf_byte(b, '\n');
	}
	if (p->contested)
		buf_add(b,
			STR("CONTESTED: two machines picked it up; the earlier one has it\n"));
}

static void packet_text(const struct packet *p, struct buf *b)
{
	buf_printf(b, "packet %s from ", p->id);
	redact_show(b, p->from, true);
	if (p->to.n) {
		buf_add(b, STR(" to "));
		redact_show(b, p->to, true);
	}
	buf_add(b, STR(": "));
	redact_show(b, p->summary, true);
	buf_printf(b, " (%s)\n", packet_status_name(p->status));
	status_text(p, b);
	if (p->parent.n) {
		buf_add(b, STR("answers: "));
		redact_show(b, p->parent, true);
		buf_byte(b, '\n');
	}
	list_text(p, "hazards", "hazard", b);
	list_text(p, "done", "done", b);
	list_text(p, "next", "next", b);
	list_text(p, "open", "open", b);
}

struct pins {
	struct rectool *r;
	bool values; /* what is pinned is wanted as well */
	struct buf stale, stale_text, records;
	size_t n;
};

static void pin_stale(const struct packet_pin *pin, str line, struct buf *b)
{
	json_add_sep(b);
	buf_byte(b, '{');
	rectool_str(b, "scope", pin->scope);
	rectool_str(b, "key", pin->key);
	rectool_u64(b, "pinned", pin->version);
	if (!pin->missing)
		rectool_u64(b, "now", pin->r.last);
	rectool_str(b, "warning", line);
	buf_byte(b, '}');
}

static int one_pin(const struct packet_pin *pin, void *arg)
{
	struct buf lines = BUF_INIT(SIZE_MAX);
	struct pins *p = arg;
	str rest, line;

	p->n++;
	if (p->values && !pin->missing) {
		json_add_sep(&p->r->json);
		record_json(&pin->r, &p->r->json);
		buf_byte(&p->records, '\n');
		record_text(&pin->r, &p->records);
	}
	packet_stale(pin, &lines);
	for (rest = buf_str(&lines); str_line(&rest, &line);) {
		pin_stale(pin, line, &p->stale);
		buf_printf(&p->stale_text, "stale: %.*s\n", STR_ARG(line));
	}
	buf_release(&lines);
	return 0;
}

static void add_stale(const struct pins *p)
{
	json_add_key(&p->r->json, "stale");
	buf_byte(&p->r->json, '[');
	buf_add(&p->r->json, buf_str(&p->stale));
	buf_byte(&p->r->json, ']');
	buf_add(&p->r->text, buf_str(&p->stale_text));
}

static int with_pins(const struct record_store *s, const struct packet *p,
		     struct rectool *r, struct err *e)
{
	struct pins pins = {.r = r,
			    .values = true,
			    .stale = BUF_INIT(RECTOOL_MAX),
			    .stale_text = BUF_INIT(RECTOOL_MAX),
			    .records = BUF_INIT(RECTOOL_MAX)};
	int ret;

	rectool_begin(r);
	json_add_key(&r->json, "packet");
	packet_json(p, &r->json);
	rectool_bool(&r->json, "again", p->again);
	rectool_bool(&r->json, "taken_by_other", p->taken);
	json_add_key(&r->json, "records");
	buf_byte(&r->json, '[');
	packet_text(p, &r->text);
	ret = packet_resolve(s, p, one_pin, &pins, e);
	buf_byte(&r->json, ']');
	buf_printf(&r->text, "%zu pinned record version%s arrived with the packet\n",
		   pins.n, pins.n == 1 ? "" : "s");
	add_stale(&pins);
	buf_byte(&r->json, '}');
	buf_add(&r->text, buf_str(&pins.records));
	buf_release(&pins.stale);
	buf_release(&pins.stale_text);
	buf_release(&pins.records);
	return ret ? ret : rectool_full(r, e);
}

/* What is to be known of the pins at once: contested, not the newest. */
static int create_stale(const struct record_store *s, const struct packet *p,
			struct rectool *r, struct err *e)
{
	struct pins pins = {.r = r,
			    .stale = BUF_INIT(RECTOOL_MAX),
			    .stale_text = BUF_INIT(RECTOOL_MAX)};
	int ret = packet_resolve(s, p, one_pin, &pins, e);

	if (pins.stale.n)
		add_stale(&pins);
	buf_release(&pins.stale);
	buf_release(&pins.stale_text);
	return ret;
}

int rectool_create(const struct record_store *s, const struct packet_new *n,
		   struct rectool *r, struct err *e)
{
	struct packet p;
	int ret = packet_create(s, n, &p, e);

	if (!ret) {
		rectool_begin(r);
		json_add_key(&r->json, "packet");
		packet_json(&p, &r->json);
		if (p.repeated)
			rectool_bool(&r->json, "repeated", true);
		buf_printf(&r->text, "Handed over%s as %s, waits for ",
			   p.repeated ? " already" : "", p.id);
		if (p.to.n)
			redact_show(&r->text, p.to, true);
		else
			buf_add(&r->text, STR("anyone"));
		buf_add(&r->text, STR(".\n"));
		rectool_redacted(r, p.secrets);
		ret = create_stale(s, &p, r, e);
		buf_byte(&r->json, '}');
	}
	packet_release(&p);
	return ret;
}

int rectool_pickup(const struct record_store *s, const struct packet_ask *ask,
		   struct rectool *r, struct err *e)
{
	struct packet p;
	int ret = packet_pickup(s, ask, &p, e);

	if (!ret)
		ret = with_pins(s, &p, r, e);
	packet_release(&p);
	return ret;
}

int rectool_cancel(const struct record_store *s, str id, struct rectool *r, struct err *e)
{
	struct packet p;
	int ret = packet_cancel(s, id, &p, e);

	if (!ret) {
		rectool_begin(r);
		rectool_str(&r->json, "cancelled", str_of(p.id));
		buf_byte(&r->json, '}');
		buf_printf(&r->text, "%s is cancelled.\n", p.id);
	}
	packet_release(&p);
	return ret;
}

struct list {
	const struct record_store *s;
	struct rectool *r;
	bool all;
	size_t n;
};

static int list_one(struct packet *p, void *arg)
{
	struct list *l = arg;
	struct buf *b = &l->r->text;

	if (!p->body || (!l->all && p->status > PACKET_PICKED_UP))
		return 0;
	l->n++;
	json_add_sep(&l->r->json);
	packet_json(p, &l->r->json);
	buf_printf(b, "%s  %-9s  ", p->id, packet_status_name(p->status));
	utf8_show(b, str_head(p->created_at, 19), UTF8_ONELINE);
	buf_add(b, STR("  "));
	redact_show(b, p->from, true);
	buf_add(b, STR(" -> "));
	if (p->to.n)
		redact_show(b, p->to, true);
	else
		buf_add(b, STR("anyone"));
	if (p->by[0]) {
		buf_add(b, STR(" (has it: "));
		redact_show(b, str_of(p->by), true);
		buf_byte(b, ')');
	}
	buf_add(b, STR(": "));
	redact_show(b, p->summary, true);
	buf_add(b, p->corrupt ? STR("  CORRUPT\n") : STR("\n"));
	return 0;
}

int rectool_packets(const struct record_store *s, bool all, struct rectool *r,
		    struct err *e)
{
	struct list l = {s, r, all, 0};
	int ret;

	rectool_begin(r);
	json_add_key(&r->json, "packets");
	buf_byte(&r->json, '[');
	ret = packet_each(s, list_one, &l, e);
	buf_add(&r->json, STR("]}"));
	if (!l.n)
		buf_add(&r->text, all ? STR("No packets.\n")
				      : STR("No packet waits, none is open.\n"));
	return ret ? ret : rectool_full(r, e);
}
