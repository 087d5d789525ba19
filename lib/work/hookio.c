/*
 * What the client sends: one line of JSON, ended by a newline, then end of file. Neither
 * the newline nor the end is relied upon: the object is whole when its last brace is read.
 * Common keys: session_id, transcript_path, cwd, hook_event_name; the others belong to one
 * event each. Keys that we do not know are skipped.
 */
#include "work/hookio.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/utf8.h"
#include "data/journal.h"
#include "data/json.h"
#include "data/jsondoc.h"

#define READ_BYTES (64u << 10)

static const char *const NAME[HOOK_KINDS] = {
	[HOOK_UNKNOWN] = "",
	[HOOK_SESSION_START] = "SessionStart",
	[HOOK_USER_PROMPT] = "UserPromptSubmit",
	[HOOK_PRE_COMPACT] = "PreCompact",
	[HOOK_STOP] = "Stop",
	[HOOK_STOP_FAILURE] = "StopFailure",
	[HOOK_SUBAGENT_STOP] = "SubagentStop",
	[HOOK_SESSION_END] = "SessionEnd",
};

const char *hookio_name(enum hook_kind kind)
{
	return NAME[kind];
}

enum hook_kind hookio_kind(str name)
{
	for (int k = HOOK_UNKNOWN + 1; k < HOOK_KINDS; k++)
		if (str_eq(name, str_of(NAME[k])))
			return (enum hook_kind)k;
	return HOOK_UNKNOWN;
}

/* ---- in ---- */

/* Finds the brace that ends the object, as bytes arrive. */
struct whole {
	size_t at;    /* bytes looked at */
	size_t depth; /* open braces and brackets */
	bool in_string, escaped;
};

enum whole_got { WHOLE_MORE, WHOLE_YES, WHOLE_NO };

static enum whole_got whole_step(struct whole *w, char c)
{
	if (w->in_string) {
		if (w->escaped)
			w->escaped = false;
		else if (c == '\\')
			w->escaped = true;
		else if (c == '"')
			w->in_string = false;
		return WHOLE_MORE;
	}
	if (!w->depth)
		return str_is_space(c) ? WHOLE_MORE
		       : c == '{'      ? (w->depth = 1, WHOLE_MORE)
				       : WHOLE_NO;
	if (c == '"')
		w->in_string = true;
	else if (c == '{' || c == '[')
		w->depth++;
	else if (c == '}' || c == ']')
		return --w->depth ? WHOLE_MORE : WHOLE_YES;
	return WHOLE_MORE;
}

static enum whole_got whole_look(struct whole *w, str s)
{
	while (w->at < s.n) {
		enum whole_got got = whole_step(w, s.p[w->at++]);

		if (got != WHOLE_MORE)
			return got;
	}
	return WHOLE_MORE;
}

/* Wait until fd can be read: 0, HF_ETIME, HF_EIO. */
static int wait_for(int fd, int64_t deadline_ns, struct err *e)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t left_ms = -1;
	int n;

	do {
		if (deadline_ns) {
			left_ms = (deadline_ns - clock_mono_ns()) / 1000000;
			if (left_ms <= 0)
				return err_set(
					e, HF_ETIME,
					"standard input: the event did not arrive in time");
			if (left_ms > INT_MAX)
				left_ms = INT_MAX;
		}
		n = poll(&p, 1, (int)left_ms);
	} while (n == 0 || (n < 0 && errno == EINTR));
	return n < 0 ? err_sys(e, "standard input: poll") : 0;
}

/* Read what there is: bytes, 0 at the end, HF_E*. */
static long read_some(int fd, struct buf *b, int64_t deadline_ns, struct err *e)
{
	size_t left = b->max - b->n;
	ssize_t got;

	if (!left)
		return err_set(e, HF_ELIMIT, "standard input: over %zu bytes", b->max);
	for (;;) {
		int ret = wait_for(fd, deadline_ns, e);

		if (ret)
			return ret;
		got = io.read(fd, buf_room(b, left < READ_BYTES ? left : READ_BYTES),
			      left < READ_BYTES ? left : READ_BYTES);
		if (got >= 0)
			break;
		if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
			return err_sys(e, "standard input");
	}
	b->n += (size_t)got;
	return got;
}

int hookio_read(struct hookio *h, int fd, int64_t deadline_ns, struct err *e)
{
	struct buf b = BUF_INIT(HOOKIO_INPUT_MAX);
	struct whole w = {0};
	enum whole_got got;
	int ret = 0;

	*h = (struct hookio){0};
	while ((got = whole_look(&w, buf_str(&b))) == WHOLE_MORE) {
		long n = read_some(fd, &b, deadline_ns, e);

		if (n == 0)
			ret = err_set(e, HF_EFORMAT, "standard input: %s",
				      w.depth ? "ends inside the event" : "no event");
		else if (n < 0)
			ret = (int)n;
		if (ret)
			goto out;
	}
	if (got == WHOLE_NO)
		ret = err_set(e, HF_EFORMAT, "standard input: not a JSON object");
	else
		ret = hookio_parse(h, str_head(buf_str(&b), w.at), e);
out:
	buf_release(&b);
	return ret;
}

static bool path_ok(str s)
{
	if (!s.n || s.n >= PATH_MAX || s.p[0] != '/')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
	return true;
}

static str path_of(const struct jsonval *root, const char *key)
{
	str s = jsondoc_str(jsondoc_get(root, key));

	return path_ok(s) ? s : STR_NONE;
}

/* A word of the client's. What is longer is none of those that are documented. */
static str word_of(const struct jsonval *root, const char *key)
{
	return utf8_head(jsondoc_str(jsondoc_get(root, key)), HOOKIO_WORD_MAX);
}

int hookio_parse(struct hookio *h, str text, struct err *e)
{
	const struct jsonval *root;

	*h = (struct hookio){0};
	h->doc = jsondoc_parse(text, HOOKIO_INPUT_MAX, e);
	if (!h->doc)
		return text.n > HOOKIO_INPUT_MAX ? HF_ELIMIT : HF_EFORMAT;
	root = jsondoc_root(h->doc);
	if (!jsondoc_is_obj(root)) {
		hookio_release(h);
		return err_set(e, HF_EFORMAT, "standard input: not a JSON object");
	}
	h->kind = hookio_kind(jsondoc_str(jsondoc_get(root, "hook_event_name")));
	h->session = jsondoc_str(jsondoc_get(root, "session_id"));
	if (!journal_id_ok(h->session))
		h->session = STR_NONE;
	h->transcript = path_of(root, "transcript_path");
	h->cwd = path_of(root, "cwd");
	h->agent_transcript = path_of(root, "agent_transcript_path");
	h->source = word_of(root, "source");
	h->reason = word_of(root, "reason");
	h->trigger = word_of(root, "trigger");
	h->prompt = jsondoc_str(jsondoc_get(root, "prompt"));
	h->last_message = jsondoc_str(jsondoc_get(root, "last_assistant_message"));
	h->error = jsondoc_str(jsondoc_get(root, "error"));
	h->error_details = jsondoc_str(jsondoc_get(root, "error_details"));
	h->agent_id = word_of(root, "agent_id");
	h->agent_type = word_of(root, "agent_type");
	h->custom_instructions = jsondoc_str(jsondoc_get(root, "custom_instructions"));
	h->stop_hook_active = jsondoc_bool(jsondoc_get(root, "stop_hook_active"), false);
	return 0;
}

void hookio_release(struct hookio *h)
{
	jsondoc_free(h->doc);
	*h = (struct hookio){0};
}

/* ---- out ---- */

str hookio_fit(str s, size_t units)
{
	str rest = s, line;
	size_t used = 0, at = 0;

	if (utf8_units16(s) <= units)
		return s;
	while (str_line(&rest, &line)) {
		size_t end = s.n - rest.n; /* with the line's newline */
		size_t cost = utf8_units16((str){s.p + at, end - at});

		if (used + cost > units)
			break;
		used += cost;
		at = end;
	}
	return at ? str_trim_right(str_head(s, at)) : utf8_head16(s, units);
}

void hookio_context(struct buf *reply, enum hook_kind kind, str text, str user)
{
	text = hookio_fit(str_trim(text), HOOKIO_UNITS_MAX);
	user = utf8_head(str_trim(user), HOOKIO_USER_MAX);
	if (!text.n && !user.n)
		return;
	buf_byte(reply, '{');
	if (text.n) {
		json_add_key(reply, "hookSpecificOutput");
		buf_byte(reply, '{');
		json_add_key(reply, "hookEventName");
		json_add_str(reply, str_of(NAME[kind]));
		json_add_key(reply, "additionalContext");
		json_add_str(reply, text);
		buf_byte(reply, '}');
	}
	if (user.n) {
		json_add_key(reply, "systemMessage");
		json_add_str(reply, user);
	}
	buf_add(reply, STR("}\n"));
}

bool hookio_heard(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) <= 0 || !(p.revents & (POLLERR | POLLHUP));
}

void hookio_write(int fd, const struct buf *reply)
{
	ssize_t n;

	if (!reply->n || reply->full)
		return;
	do
		n = io.write(fd, reply->p, reply->n);
	while (n < 0 && errno == EINTR);
}
