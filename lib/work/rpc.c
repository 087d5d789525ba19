/*
 * Messages are taken apart with the pulling reader: it is strict, allocates nothing, and
 * gives every value as the bytes it came as, which is how ids stay what they are.
 */
#include "work/rpc.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/io.h"

#define READ_BYTES (64u << 10)
#define KEEP_BYTES (1u << 20) /* memory that one large line may leave behind */

/* --- lines --- */

void rpc_in_init(struct rpc_in *in, int fd)
{
	*in = (struct rpc_in){.fd = fd, .b = BUF_INIT(RPC_LINE_MAX + READ_BYTES)};
}

void rpc_in_release(struct rpc_in *in)
{
	buf_release(&in->b);
}

/* Forget what was handed out. */
static void settle(struct rpc_in *in)
{
	size_t left = in->b.n - in->at;

	if (!in->at)
		return;
	if (!left && in->b.cap > KEEP_BYTES) {
		size_t max = in->b.max;

		buf_release(&in->b);
		in->b = BUF_INIT(max);
	} else {
		memmove(in->b.p, in->b.p + in->at, left);
		buf_cut(&in->b, left);
	}
	in->at = 0;
}

static enum rpc_got wait_for(int fd, int64_t until_ns, struct err *e)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t left = -1;
	int n;

	do {
		if (until_ns) {
			left = (until_ns - clock_mono_ns()) / 1000000;
			if (left < 0)
				left = 0;
			if (left > INT_MAX)
				left = INT_MAX;
		}
		n = poll(&p, 1, (int)left);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		err_sys(e, "standard input: poll");
		return RPC_BROKEN;
	}
	return n ? RPC_LINE : RPC_WAITED;
}

/* More bytes: RPC_LINE when there are some. */
static enum rpc_got fill(struct rpc_in *in, int64_t until_ns, struct err *e)
{
	enum rpc_got got;
	ssize_t n;

	settle(in);
	do {
		got = until_ns ? wait_for(in->fd, until_ns, e) : RPC_LINE;
		if (got != RPC_LINE)
			return got;
		n = io.read(in->fd, buf_room(&in->b, READ_BYTES), READ_BYTES);
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			got = wait_for(in->fd, until_ns, e);
			if (got != RPC_LINE)
				return got;
			errno = EINTR;
		}
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		err_sys(e, "standard input");
		return RPC_BROKEN;
	}
	if (n == 0)
		in->ended = true;
	in->b.n += (size_t)n;
	return RPC_LINE;
}

/* A line's end in what is there: true, and the line is handed out. */
static bool take(struct rpc_in *in, str *line)
{
	str rest = str_from(buf_str(&in->b), in->at);
	size_t n = str_chr(str_from(rest, in->looked), '\n');
	bool whole = n != STR_NPOS;

	if (!whole && !(in->ended && rest.n)) {
		in->looked = rest.n;
		return false;
	}
	n = whole ? n + in->looked : rest.n;
	*line = str_head(rest, n);
	in->at += n + whole;
	in->looked = 0;
	return true;
}

enum rpc_got rpc_read(struct rpc_in *in, int wait_ms, str *line, struct err *e)
{
	int64_t until = wait_ms < 0 ? 0 : clock_mono_ns() + (int64_t)wait_ms * 1000000;

	for (;;) {
		enum rpc_got got;

		while (take(in, line)) {
			if (in->skipping || line->n > RPC_LINE_MAX) {
				in->skipping = false;
				*line = STR_NONE;
				return RPC_LONG;
			}
			if (str_starts(*line, STR("\xef\xbb\xbf")))
				*line = str_from(*line, 3);
			if (str_ends(*line, STR("\r")))
				line->n--;
			if (str_trim(*line).n)
				return RPC_LINE;
		}
		if (in->ended) {
			got = in->skipping ? RPC_LONG : RPC_END;
			in->skipping = false;
			return got;
		}
		if (in->b.n - in->at > RPC_LINE_MAX || (in->skipping && in->b.n)) {
			in->skipping = true;
			in->at = in->b.n;
			in->looked = 0;
		}
		got = fill(in, until, e);
		if (got != RPC_LINE)
			return got;
	}
}

bool rpc_ahead(const struct rpc_in *in)
{
	struct pollfd p = {.fd = in->fd, .events = POLLIN};

	return in->b.n > in->at || poll(&p, 1, 0) > 0;
}

/* --- messages --- */

/* The value that begins with the next token, as text. */
static bool value(struct json *j, str *text, enum json_tok *tok)
{
	size_t from;

	*tok = json_next(j);
	switch (*tok) {
	case JSON_OBJ:
	case JSON_ARR:
		from = j->at - 1;
		if (!json_skip(j))
			return false;
		*text = (str){j->text.p + from, j->at - from};
		return true;
	case JSON_STR:
		*text = (str){j->raw.p - 1, j->raw.n + 2};
		return true;
	case JSON_NUM:
		*text = j->raw;
		return true;
	case JSON_TRUE:
		*text = STR("true");
		return true;
	case JSON_FALSE:
		*text = STR("false");
		return true;
	case JSON_NULL:
		*text = STR("null");
		return true;
	default:
		return false;
	}
}

static void refuse(struct rpc *m, int code, const char *why)
{
	m->kind = RPC_INVALID;
	m->code = code;
	if (!m->id.n)
		m->id = STR("null");
	snprintf(m->why, sizeof(m->why), "%s", why);
}

static void not_json(struct rpc *m, const struct json *j)
{
	char why[RPC_WHY_BYTES];

	m->id = STR("null");
	snprintf(why, sizeof(why), "Parse error: not JSON at byte %zu of the line",
		 j->at);
	refuse(m, RPC_PARSE_ERROR, why);
}

/* What the members of a message were. */
struct seen {
	str id, method, params, result;
	enum json_tok id_is, method_is, params_is;
	bool version, has_id, has_method, has_params, has_result, has_error;
};

static bool member(struct json *j, struct seen *s)
{
	bool id = json_is(j, "id"), method = json_is(j, "method");
	bool params = json_is(j, "params"), result = json_is(j, "result");
	bool version = json_is(j, "jsonrpc"), error = json_is(j, "error");
	enum json_tok tok;
	str text;

	if (!value(j, &text, &tok))
		return false;
	if (version) {
		s->version = tok == JSON_STR && json_is(j, "2.0");
	} else if (id) {
		s->id = text;
		s->id_is = tok;
		s->has_id = true;
	} else if (method) {
		s->method = text;
		s->method_is = tok;
		s->has_method = true;
	} else if (params) {
		s->params = text;
		s->params_is = tok;
		s->has_params = tok != JSON_NULL;
	} else if (result) {
		s->result = text;
		s->has_result = true;
	} else if (error) {
		s->has_error = true;
	}
	return true;
}

static void take_method(struct rpc *m, str quoted)
{
	struct buf name = BUF_INIT(quoted.n + 1);

	json_unescape(&name, (str){quoted.p + 1, quoted.n - 2});
	/* a NUL in it must not make it another name */
	if (memchr(buf_cstr(&name), 0, name.n))
		buf_reset(&name);
	snprintf(m->method, sizeof(m->method), "%s", buf_cstr(&name));
	buf_release(&name);
}

static void classify(struct rpc *m, const struct seen *s)
{
	bool id_ok = s->has_id && (s->id_is == JSON_STR || s->id_is == JSON_NUM);

	if (id_ok)
		m->id = s->id;
	if (!s->version) {
		refuse(m, RPC_INVALID_REQUEST, "Invalid request: no \"jsonrpc\":\"2.0\"");
	} else if (!s->has_method && (s->has_result || s->has_error)) {
		m->kind = RPC_RESPONSE;
		m->result = s->has_error ? STR_NONE : s->result;
		m->silent = true;
	} else if (!s->has_method || s->method_is != JSON_STR) {
		refuse(m, RPC_INVALID_REQUEST,
		       "Invalid request: \"method\" is missing or no string");
	} else if (s->has_id && !id_ok) {
		refuse(m, RPC_INVALID_REQUEST,
		       "Invalid request: \"id\" is neither a string nor a number");
	} else {
		take_method(m, s->method);
		m->kind = s->has_id ? RPC_REQUEST : RPC_NOTIFICATION;
		if (!s->has_params)
			return;
		if (s->params_is == JSON_OBJ) {
			m->params = s->params;
			return;
		}
		m->silent = !s->has_id;
		refuse(m, RPC_BAD_PARAMS, "Invalid params: \"params\" is no object");
	}
}

void rpc_parse(struct rpc *m, str line)
{
	struct json j;
	struct seen s = {0};
	enum json_tok tok;

	*m = (struct rpc){0};
	json_init(&j, line);
	tok = json_next(&j);
	if (tok == JSON_ARR && json_skip(&j) && json_next(&j) == JSON_END) {
		m->kind = RPC_BATCH;
		return;
	}
	if (tok == JSON_OBJ) {
		while ((tok = json_next(&j)) == JSON_KEY)
			if (!member(&j, &s)) {
				not_json(m, &j);
				return;
			}
		if (tok == JSON_OBJ_END && json_next(&j) == JSON_END)
			classify(m, &s);
		else
			not_json(m, &j);
		return;
	}
	if (tok != JSON_ARR && tok != JSON_BAD && tok != JSON_MORE &&
	    json_next(&j) == JSON_END)
		refuse(m, RPC_INVALID_REQUEST, "Invalid request: no object");
	else
		not_json(m, &j);
}

void rpc_batch_init(struct rpc_batch *b, str line)
{
	json_init(&b->j, line);
	b->open = json_next(&b->j) == JSON_ARR;
}

bool rpc_batch_next(struct rpc_batch *b, str *element)
{
	enum json_tok tok;

	if (b->open && !value(&b->j, element, &tok))
		b->open = false;
	return b->open;
}

bool rpc_member(str object, const char *key, str *found)
{
	struct json j;
	bool any = false;

	json_init(&j, object);
	if (json_next(&j) != JSON_OBJ)
		return false;
	while (json_next(&j) == JSON_KEY) {
		bool wanted = json_is(&j, key);
		enum json_tok tok;
		str text;

		if (!value(&j, &text, &tok))
			return false;
		if (wanted) {
			*found = text;
			any = true;
		}
	}
	return any;
}

bool rpc_cancelled(const struct rpc *m, str *id)
{
	str found = STR_NONE;

	if (m->kind != RPC_NOTIFICATION ||
	    strcmp(m->method, "notifications/cancelled") != 0 ||
	    !rpc_member(m->params, "requestId", &found))
		return false;
	*id = found;
	return true;
}

/* --- replies --- */

static void head(struct buf *out, str id)
{
	buf_add(out, STR("{\"jsonrpc\":\"2.0\",\"id\":"));
	buf_add(out, id);
}

void rpc_reply(struct buf *out, str id, str result)
{
	head(out, id);
	buf_add(out, STR(",\"result\":"));
	buf_add(out, result);
	buf_byte(out, '}');
}

void rpc_fail(struct buf *out, str id, int code, const char *why)
{
	head(out, id);
	buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
	json_add_str(out, str_of(why));
	buf_add(out, STR("}}"));
}

static void call(struct buf *out, const char *method, str params)
{
	json_add_key(out, "method");
	json_add_str(out, str_of(method));
	if (params.n) {
		json_add_key(out, "params");
		buf_add(out, params);
	}
	buf_byte(out, '}');
}

void rpc_notify(struct buf *out, const char *method, str params)
{
	buf_add(out, STR("{\"jsonrpc\":\"2.0\""));
	call(out, method, params);
}

void rpc_request(struct buf *out, const char *id, const char *method, str params)
{
	struct buf quoted = BUF_INIT(256);

	json_add_str(&quoted, str_of(id));
	head(out, buf_str(&quoted));
	call(out, method, params);
	buf_release(&quoted);
}
