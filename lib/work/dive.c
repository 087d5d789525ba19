/*
 * Tokens are not bytes: text in wide scripts costs more of them. So the records are rendered
 * into as many bytes as the tokens left would be worth in ASCII, counted, and if they cost
 * more, rendered again into proportionally less room; each time less, so it ends.
 */
#include "work/dive.h"

#include "base/utf8.h"
#include "data/json.h"
#include "work/glance.h"
#include "work/phases.h"

#define BYTES_PER_TOKEN 4
#define STEP_PART       64
#define LEDGER_LINE     512 /* bytes around the records: what is left, JSON */
#define ROOM_MIN        256 /* bytes: below that a record cannot even say that it was cut */

static bool in_id(char c)
{
	return str_is_alnum(c) || c == '.' || c == '_' || c == '-';
}

/* The file's name without its suffixes; "-" is none. */
static str name_of(const char *path)
{
	str name = str_basename(str_of(path));

	if (str_ends(name, STR(".zst")))
		name.n -= strlen(".zst");
	if (str_ends(name, STR(".jsonl")))
		name.n -= strlen(".jsonl");
	return str_eq(name, STR("-")) ? STR_NONE : name;
}

/* The session's: two files of one name are two sessions, two names of one session are one. */
static int ledger_id(struct source *src, const char *path, struct buf *id, struct err *e)
{
	int ret = glance_session_id(src, id, e);
	size_t i;

	if (ret)
		return ret;
	if (!id->n)
		buf_add(id, str_head(name_of(path), id->max));
	if (!id->n)
		return err_set(e, HF_ENOTFOUND,
			       "no record in it names a session: use --ledger");
	for (i = 0; i < id->n; i++)
		if (!in_id(id->p[i]) || (i == 0 && id->p[i] == '.'))
			id->p[i] = '-';
	return 0;
}

/* All records into at most `room` bytes; HF_ENOTFOUND if one is not there. */
static int render(struct source *src, const char *path, const struct dive_range *r,
		  size_t n, bool json, size_t room, struct buf *text, struct err *e)
{
	size_t i;

	buf_reset(text);
	text->max = room;
	for (i = 0; i < n; i++) {
		uint64_t rec;

		for (rec = r[i].first; rec <= r[i].last; rec++) {
			struct err here = ERR_INIT;
			int ret;

			if (room - text->n < ROOM_MIN)
				return 0; /* the ledger line says that nothing is left */
			if (source_seek(src, 0) < 0)
				return err_sys(e, "%s", path);
			if (json)
				json_add_sep(text);
			ret = phases_show(src, path, rec, json, text, &here);
			if (ret == HF_ENOTFOUND && rec > r[i].first) {
				if (json && text->n && text->p[text->n - 1] == ',')
					buf_cut(text, text->n - 1);
				break;
			}
			if (ret)
				return err_set(e, ret, "%s", here.msg);
		}
	}
	return 0;
}

static int render_within(struct source *src, const char *path, const struct dive_range *r,
			 size_t n, bool json, uint64_t tokens_left, struct buf *text,
			 uint64_t *tokens, struct err *e)
{
	size_t room = (size_t)tokens_left * BYTES_PER_TOKEN;
	int ret;

	for (;;) {
		ret = render(src, path, r, n, json, room, text, e);
		if (ret)
			return ret;
		*tokens = ledger_tokens(buf_str(text));
		if (*tokens <= tokens_left)
			return 0;
		/* a little less than in proportion, so that it is found in a few steps */
		room = (size_t)((uint64_t)room * tokens_left / *tokens);
		room -= room / STEP_PART;
	}
}

static void finish(const struct ledger *l, const struct buf *text, bool json,
		   struct buf *out)
{
	if (json) {
		buf_add(out, STR("{\"format\":1,\"records\":["));
		buf_add(out, buf_str(text));
		buf_add(out, STR("],\"ledger\":"));
		ledger_json(l, out);
		buf_add(out, STR("}\n"));
		return;
	}
	buf_add(out, buf_str(text));
	if (text->n && text->p[text->n - 1] != '\n')
		buf_byte(out, '\n');
	buf_add(out, STR("-- "));
	ledger_show(l, out);
	buf_byte(out, '\n');
}

/* What is left, but no more than `out` has room for. */
static uint64_t tokens_for(const struct ledger *l, const struct buf *out)
{
	size_t room = out->max - out->n;
	uint64_t left = ledger_left(l).tokens;

	room = room > LEDGER_LINE ? (room - LEDGER_LINE) / BYTES_PER_TOKEN : 0;
	return left < room ? left : room;
}

/*
 * Render what fits, then take it from the ledger; if another process took its part between
 * the two, once more with what that left.
 */
static int read_within(struct source *src, const char *path, struct ledger *l,
		       const struct dive_range *r, size_t n, bool json,
		       const struct buf *out, struct buf *text, struct err *e)
{
	for (;;) {
		struct ledger_left left = ledger_left(l);
		struct err here = ERR_INIT;
		uint64_t tokens;
		int ret;

		if (!left.rounds || left.tokens < ROOM_MIN / BYTES_PER_TOKEN)
			/* refused, with what is left */
			return ledger_take(l, ROOM_MIN / BYTES_PER_TOKEN, e);
		ret = render_within(src, path, r, n, json, tokens_for(l, out), text,
				    &tokens, e);
		if (ret)
			return ret;
		ret = ledger_take(l, tokens, &here);
		if (ret != HF_ELIMIT || ledger_left(l).tokens >= tokens)
			return ret ? err_set(e, ret, "%s", here.msg) : 0;
	}
}

int dive_read(struct source *src, const char *path, const char *ledger,
	      const struct dive_range *r, size_t n, bool json, struct buf *out,
	      struct err *e)
{
	struct buf id = BUF_INIT(sizeof(((struct ledger *)0)->id) - 1);
	struct buf text = BUF_INIT(0);
	struct ledger l = {0};
	int ret;

	ret = ledger[0] ? 0 : ledger_id(src, path, &id, e);
	if (!ret)
		ret = ledger_open(&l, ledger[0] ? ledger : buf_cstr(&id), e);
	if (!ret)
		ret = read_within(src, path, &l, r, n, json, out, &text, e);
	if (!ret)
		finish(&l, &text, json, out);
	ledger_close(&l);
	buf_release(&text);
	buf_release(&id);
	return ret;
}
