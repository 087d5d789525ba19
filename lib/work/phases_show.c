/*
 * Phase 4: one record, whole, with its other side: a call with its results, a result with
 * its call. A pass over the file finds where they stand; then only those records are read
 * with wide caps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/claude.h"
#include "data/json.h"
#include "work/phases_impl.h"
#include "work/redact.h"

#define CALLS_MAX    4096          /* calls before the record that a result may answer */
#define SIDES_MAX    32            /* other sides of one record */
#define OVERFLOW_MAX (4u << 20)    /* bytes of an overflow file that are read */
#define TEXT_MAX     SCAN_TEXT_MAX /* bytes of one text, head and tail */
#define TEXT_MIN     64

struct place {
	uint64_t hash, n, line, off;
	bool env;
};

struct show {
	const char *path;
	bool json;
	struct buf *out;
	struct buf clean, line;
	struct place want;            /* the record asked for */
	struct place call[CALLS_MAX]; /* a ring */
	size_t calls;                 /* ever */
	struct place side[SIDES_MAX];
	size_t sides;
	uint64_t open[SIDES_MAX]; /* hashes of calls of the record without a result yet */
	bool open_env[SIDES_MAX];
	size_t opens;
	bool env; /* its result is an environment file's text */
	bool first;
	uint32_t text_max; /* bytes kept of each text */
};

/* ---- finding ---- */

static void note_calls(struct show *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		struct place *p;

		if (b.kind != BLOCK_TOOL_USE)
			continue;
		p = &x->call[x->calls++ % CALLS_MAX];
		*p = (struct place){transcript_hash(b.id), r->n, r->line, r->off,
				    phases_reads_env(&b)};
	}
}

static void find_call(struct show *x, str id)
{
	uint64_t hash = transcript_hash(id);

	for (size_t i = 0; i < CALLS_MAX && i < x->calls; i++) {
		const struct place *p = &x->call[(x->calls - 1 - i) % CALLS_MAX];

		if (p->hash != hash)
			continue;
		x->env |= p->env;
		for (size_t j = 0; j < x->sides; j++)
			if (x->side[j].n == p->n)
				return;
		if (x->sides < SIDES_MAX)
			x->side[x->sides++] = *p;
		return;
	}
}

static void found(struct show *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	x->want = (struct place){0, r->n, r->line, r->off, false};
	while (record_block(r, &it, &b)) {
		if (b.kind == BLOCK_TOOL_RESULT) {
			find_call(x, b.id);
		} else if (b.kind == BLOCK_TOOL_USE && x->opens < SIDES_MAX) {
			x->open_env[x->opens] = phases_reads_env(&b);
			x->open[x->opens++] = transcript_hash(b.id);
		}
	}
}

static void find_results(struct show *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		uint64_t hash = transcript_hash(b.id);
		size_t i = 0;

		if (b.kind != BLOCK_TOOL_RESULT)
			continue;
		while (i < x->opens && x->open[i] != hash)
			i++;
		if (i == x->opens)
			continue;
		if (x->sides < SIDES_MAX)
			x->side[x->sides++] = (struct place){hash, r->n, r->line, r->off,
							     x->open_env[i]};
		x->opens--;
		x->open[i] = x->open[x->opens];
		x->open_env[i] = x->open_env[x->opens];
	}
}

static int find(struct show *x, struct source *src, uint64_t number, struct err *e)
{
	struct transcript_caps caps = TRANSCRIPT_CAPS_TREE;
	struct transcript *t;
	const struct record *r;
	enum transcript_got got = TRANSCRIPT_END;
	uint64_t records;
	int ret = 0;

	caps.input_head = 4096; /* commands, for files that they name */
	t = transcript_new(src, 0, &caps);
	while ((!x->want.n || x->opens) &&
	       (got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS) {
		if (got == TRANSCRIPT_LOSS)
			continue;
		if (r->n == number)
			found(x, r);
		else if (!x->want.n && r->type == RECORD_ASSISTANT)
			note_calls(x, r);
		else if (x->want.n && r->type == RECORD_USER)
			find_results(x, r);
	}
	records = t->records;
	if (got == TRANSCRIPT_ERROR)
		ret = err_set(e, t->err.code, "%s: %s", x->path, t->err.msg);
	else if (!x->want.n)
		ret = err_set(e, HF_ENOTFOUND, "%s: no record %llu: it has %llu", x->path,
			      (unsigned long long)number, (unsigned long long)records);
	transcript_free(t);
	return ret;
}

/* ---- writing ---- */

/*
 * One member of an input as text. Its name is redacted with it ("password: ..."), since a
 * secret may be known by its name alone.
 */
static str member_text(struct show *x, str key, str value, bool env)
{
	struct buf pair = BUF_INIT(PHASES_TEXT_MAX);
	struct buf values = BUF_INIT(PHASES_TEXT_MAX);
	str done;

	buf_reset(&x->clean);
	if (env)
		phases_env(&values, value);
	buf_add(&pair, key);
	buf_add(&pair, STR(": "));
	buf_add(&pair, env ? buf_str(&values) : value);
	redact_show(&x->clean, buf_str(&pair), false);
	done = buf_str(&x->clean);
	if (done.n >= key.n + 2 && str_starts(done, key))
		done = str_from(done, key.n + 2);
	buf_release(&pair);
	buf_release(&values);
	return done;
}

static void json_scalar(struct show *x, const struct val *v, bool env)
{
	struct buf *b = x->out;

	switch (v->type) {
	case VAL_STR:
		json_add_str(b, member_text(x, v->key, v->text, env));
		break;
	case VAL_NUM:
		if (v->cut || !json_number(v->text))
			json_add_str(b, v->text);
		else
			buf_add(b, v->text);
		break;
	case VAL_TRUE:
		buf_add(b, STR("true"));
		break;
	case VAL_FALSE:
		buf_add(b, STR("false"));
		break;
	default:
		buf_add(b, STR("null"));
		break;
	}
}

static void json_member_key(struct show *x, const struct val *v, bool first, bool in_obj)
{
	if (!first)
		buf_byte(x->out, ',');
	if (!in_obj)
		return;
	phases_clean(&x->line, v->key, true, false);
	json_add_str(x->out, buf_str(&x->line));
	buf_byte(x->out, ':');
}

/* A value as JSON: a loop with a stack of what is open, since depth comes from the file. */
static void json_value(struct show *x, const struct val *top, bool env)
{
	const struct val *stack[SCAN_DEPTH_MAX];
	const struct val *v = top;
	size_t depth = 0;
	bool first = true;

	for (;;) {
		if (v != top)
			json_member_key(x, v, first, stack[depth - 1]->type == VAL_OBJ);
		first = false;
		if ((v->type == VAL_OBJ || v->type == VAL_ARR) &&
		    depth < SCAN_DEPTH_MAX) {
			buf_byte(x->out, v->type == VAL_OBJ ? '{' : '[');
			if (v->child) {
				stack[depth++] = v;
				v = v->child;
				first = true;
				continue;
			}
			buf_byte(x->out, v->type == VAL_OBJ ? '}' : ']');
		} else {
			json_scalar(x, v, env);
		}
		while (depth && !v->next) {
			v = stack[--depth];
			buf_byte(x->out, v->type == VAL_OBJ ? '}' : ']');
		}
		if (!depth)
			return;
		v = v->next;
	}
}

static void text_indented(struct buf *b, str s)
{
	str line;

	while (str_line(&s, &line)) {
		buf_add(b, STR("    "));
		buf_add(b, line);
		buf_byte(b, '\n');
	}
}

static void left_out_note(struct buf *b, uint64_t size, uint64_t kept)
{
	buf_printf(b, "\n[... %llu of %llu bytes left out ...]",
		   (unsigned long long)(size > kept ? size - kept : 0),
		   (unsigned long long)size);
}

/* A cut text's missing middle, on a line of its own. */
static void left_out(struct buf *b, uint64_t size, size_t head, size_t tail)
{
	uint64_t kept = (uint64_t)head + tail;

	buf_printf(b, "[... %llu of %llu bytes left out ...]\n",
		   (unsigned long long)(size > kept ? size - kept : 0),
		   (unsigned long long)size);
}

static void input_text(struct show *x, const struct val *input, bool env)
{
	struct buf *b = x->out;

	for (const struct val *c = input->child; c; c = c->next) {
		str text;

		phases_clean(&x->line, c->key, true, false);
		buf_printf(b, "  %.*s:", STR_ARG(buf_str(&x->line)));
		if (c->type != VAL_STR) {
			buf_byte(b, ' ');
			json_value(x, c, env);
			buf_byte(b, '\n');
			continue;
		}
		text = member_text(x, c->key, c->text, env);
		if (str_chr(text, '\n') == STR_NPOS && text.n < 200) {
			buf_byte(b, ' ');
			buf_add(b, text);
			buf_byte(b, '\n');
		} else {
			buf_byte(b, '\n');
			text_indented(b, text);
		}
		if (c->cut) {
			left_out(b, c->size, c->text.n, c->tail.n);
			text_indented(b, member_text(x, c->key, c->tail, env));
		}
	}
	if (input->cut)
		buf_add(b, STR("  [... more members left out ...]\n"));
}

static bool writes_env(const struct block *b)
{
	str path = val_get_str(b->input, "file_path");

	return path.n && redact_is_env_file(path);
}

static const char *block_kind(const struct block *b)
{
	switch (b->kind) {
	case BLOCK_TEXT:
		return "text";
	case BLOCK_THINKING:
		return "thinking";
	case BLOCK_TOOL_USE:
		return "call";
	case BLOCK_TOOL_RESULT:
		return "result";
	case BLOCK_IMAGE:
		return "image";
	case BLOCK_OTHER:
		break;
	}
	return "other";
}

/* The path that a <persisted-output> text names, or STR_NONE. */
static str overflow_path(str text)
{
	static const str mark = {"saved to: ", 10};
	size_t at;
	str path;

	if (!str_starts(str_trim(text), STR("<persisted-output>")))
		return STR_NONE;
	at = str_find(text, mark);
	if (at == STR_NPOS)
		return STR_NONE;
	text = str_from(text, at + mark.n);
	return str_line(&text, &path) ? str_trim(path) : STR_NONE;
}

/* The overflow file's text, redacted; false when there is none that may be read. */
static bool overflow_read(struct show *x, str text, bool env, struct buf *clean,
			  uint64_t *size)
{
	struct buf raw = BUF_INIT(OVERFLOW_MAX);
	struct err e = ERR_INIT;
	str path = overflow_path(text);
	struct buf all = BUF_INIT(4 * OVERFLOW_MAX);
	bool ok = false;

	if (!path.n || strcmp(x->path, "-") == 0)
		return false;
	if (claude_own_file(x->path, path, &raw, &e) == 0) {
		*size = raw.n;
		phases_clean(&all, buf_str(&raw), false, env);
		buf_add(clean, utf8_head(buf_str(&all), x->text_max));
		if (all.n > x->text_max)
			left_out_note(clean, all.n, x->text_max);
		ok = true;
	}
	buf_release(&all);
	buf_release(&raw);
	return ok;
}

static void block_json(struct show *x, const struct block *b, bool env)
{
	struct buf *o = x->out;
	struct buf over = BUF_INIT(4 * OVERFLOW_MAX);
	uint64_t size;

	buf_add(o, x->first ? STR("{") : STR(",{"));
	x->first = false;
	phases_json_str(o, "kind", str_of(block_kind(b)));
	if (b->name.n) {
		phases_clean(&x->clean, b->name, true, false);
		phases_json_str(o, "tool", buf_str(&x->clean));
	}
	if (b->id.n) {
		phases_clean(&x->clean, b->id, true, false);
		phases_json_str(o, "id", buf_str(&x->clean));
	}
	if (b->kind == BLOCK_TOOL_RESULT)
		phases_json_bool(o, "error", b->is_error);
	if (b->images)
		phases_json_u64(o, "images", b->images);
	phases_json_u64(o, "size", b->size);
	if (b->input) {
		phases_key(o, "input");
		json_value(x, b->input, writes_env(b));
	}
	if (b->text.n) {
		phases_clean(&x->clean, b->text, false, env);
		phases_json_str(o, "text", buf_str(&x->clean));
	}
	if (b->cut) {
		phases_json_bool(o, "cut", true);
		phases_clean(&x->clean, b->tail, false, env);
		phases_json_str(o, "tail", buf_str(&x->clean));
	}
	if (b->kind == BLOCK_TOOL_RESULT &&
	    overflow_read(x, b->text, env, &over, &size)) {
		phases_key(o, "full");
		json_add_str(o, buf_str(&over));
	}
	buf_byte(o, '}');
	buf_release(&over);
}

static void block_text(struct show *x, const struct block *b, bool env)
{
	struct buf *o = x->out;
	struct buf over = BUF_INIT(4 * OVERFLOW_MAX);
	uint64_t size;

	buf_add(o, str_of(block_kind(b)));
	if (b->name.n) {
		phases_clean(&x->clean, b->name, true, false);
		buf_printf(o, " %.*s", STR_ARG(buf_str(&x->clean)));
	}
	if (b->is_error)
		buf_add(o, STR(", error"));
	if (b->images)
		buf_printf(o, ", %u images", b->images);
	if (b->size) {
		buf_add(o, STR(", "));
		phases_size(o, b->size);
	}
	buf_byte(o, '\n');
	if (b->input && b->input->type == VAL_OBJ)
		input_text(x, b->input, writes_env(b));
	if (b->text.n) {
		phases_clean(&x->clean, b->text, false, env);
		buf_add(o, buf_str(&x->clean));
		buf_byte(o, '\n');
	}
	if (b->cut) {
		left_out(o, b->size, b->text.n, b->tail.n);
		phases_clean(&x->clean, b->tail, false, env);
		buf_add(o, buf_str(&x->clean));
		buf_byte(o, '\n');
	}
	if (b->kind == BLOCK_TOOL_RESULT &&
	    overflow_read(x, b->text, env, &over, &size)) {
		buf_printf(o, "full output, %llu bytes:\n", (unsigned long long)size);
		buf_add(o, buf_str(&over));
		buf_byte(o, '\n');
	}
	buf_release(&over);
}

/* A record without content blocks: what else it says. */
static void record_rest(struct show *x, const struct record *r)
{
	if (x->json) {
		phases_key(x->out, "value");
		json_value(x, r->root, false);
	} else {
		json_value(x, r->root, false);
		buf_byte(x->out, '\n');
	}
}

static void record_write(struct show *x, const struct record *r, const struct place *p)
{
	struct buf *o = x->out;
	char iso[CLOCK_ISO_BYTES] = "";
	struct block b;
	size_t it = 0;
	bool any = false;

	if (r->at != CLOCK_NONE)
		clock_iso_s(iso, r->at);
	if (x->json) {
		phases_json_u64(o, "n", p->n);
		phases_json_u64(o, "line", p->line);
		phases_json_time(o, "at", r->at);
		phases_json_str(o, "type", str_of(record_type_name(r->type)));
		phases_key(o, "blocks");
		buf_byte(o, '[');
		x->first = true;
	} else {
		buf_printf(o, "record %llu, line %llu, %s%s%s\n",
			   (unsigned long long)p->n, (unsigned long long)p->line,
			   record_type_name(r->type), iso[0] ? ", " : "", iso);
	}
	while (record_block(r, &it, &b)) {
		any = true;
		if (x->json)
			block_json(x, &b, p->env && b.kind == BLOCK_TOOL_RESULT);
		else
			block_text(x, &b, p->env && b.kind == BLOCK_TOOL_RESULT);
	}
	if (x->json)
		buf_byte(o, ']');
	if (!any)
		record_rest(x, r);
}

static int record_read(struct show *x, struct source *src, const struct place *p,
		       struct err *e)
{
	uint32_t tail = x->text_max / 4, head = x->text_max - tail;
	const struct transcript_caps caps = {head, tail, head, tail, head, tail, false};
	struct transcript *t;
	const struct record *r;
	int ret = 0;

	if (source_seek(src, p->off) < 0)
		return err_set(e, HF_EIO, "%s: cannot go to record %llu", x->path,
			       (unsigned long long)p->n);
	t = transcript_new(src, p->off, &caps);
	if (transcript_next(t, &r) == TRANSCRIPT_RECORD)
		record_write(x, r, p);
	else
		ret = err_set(e, HF_EIO, "%s: record %llu changed while it was read",
			      x->path, (unsigned long long)p->n);
	transcript_free(t);
	return ret;
}

/* The sides that stand before (or after) the record, in file order. */
static int sides_read(struct show *x, struct source *src, bool before, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < x->sides && !ret; i++) {
		const struct place *p = &x->side[i];

		if ((p->n < x->want.n) != before)
			continue;
		if (x->json)
			buf_add(x->out, before ? STR("{") : STR(",{"));
		ret = record_read(x, src, p, e);
		if (x->json)
			buf_add(x->out, before ? STR("},") : STR("}"));
	}
	return ret;
}

static int render(struct show *x, struct source *src, struct err *e)
{
	struct buf *o = x->out;
	unsigned long long n = x->want.n;
	int ret;

	buf_reset(o);
	if (x->json)
		buf_printf(o, "{\"record\":%llu,\"records\":[", n);
	ret = sides_read(x, src, true, e);
	if (ret)
		return ret;
	if (x->json)
		buf_byte(o, '{');
	ret = record_read(x, src, &x->want, e);
	if (ret)
		return ret;
	if (x->json)
		buf_byte(o, '}');
	ret = sides_read(x, src, false, e);
	if (ret)
		return ret;
	if (x->json)
		buf_printf(o, "],\"unanswered\":%zu}", x->opens);
	else if (x->opens == 1)
		buf_printf(o, "no result: a call of record %llu was never answered\n", n);
	else if (x->opens)
		buf_printf(o, "no result: %zu calls of record %llu were never answered\n",
			   x->opens, n);
	return 0;
}

int phases_show(struct source *src, const char *path, uint64_t record, bool json,
		struct buf *out, struct err *e)
{
	struct show *x = calloc(1, sizeof(*x));
	struct buf whole = BUF_INIT(8 * OVERFLOW_MAX);
	size_t room = out->max - out->n;
	uint64_t size = 0;
	int ret;

	if (!x)
		log_oom();
	x->path = path;
	x->json = json;
	x->out = &whole;
	x->clean = BUF_INIT(4 * OVERFLOW_MAX);
	x->line = BUF_INIT(64u << 10);
	ret = find(x, src, record, e);
	if (ret)
		goto out;
	x->want.env = x->env;
	/* less of each text, until it fits */
	for (x->text_max = TEXT_MAX; x->text_max >= TEXT_MIN; x->text_max /= 2) {
		ret = render(x, src, e);
		if (ret)
			goto out;
		size = size ? size : whole.n;
		if (!whole.full && whole.n <= room)
			break;
	}
	if (x->text_max >= TEXT_MIN) {
		buf_add(out, buf_str(&whole));
	} else {
		buf_reset(&whole);
		buf_printf(&whole,
			   json ? "{\"record\":%llu,\"cut\":true,\"bytes\":%llu}"
				: "record %llu: %llu bytes do not fit\n",
			   (unsigned long long)record, (unsigned long long)size);
		buf_add(out, buf_str(&whole));
	}
out:
	buf_release(&x->clean);
	buf_release(&x->line);
	buf_release(&whole);
	free(x);
	return ret;
}
