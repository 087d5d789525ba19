/*
 * A signal that comes while the next message is waited for ends the process in its handler:
 * nothing is half done then. One that comes during a message is noted and obeyed after the
 * answer, which a client that does not read has END_WAIT_S seconds to take; a second one does
 * not wait.
 */
#include "server.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "memory.h"
#include "work/frame.h"
#include "work/mcp.h"
#include "work/redact.h"

#define ARENA_MAX   (32u << 20)
#define MESSAGE_MAX (64u << 20)
#define BATCH_MAX   10000 /* messages */
/* ids come back as they came, and each message of a batch has at least an error */
#define REPLY_MAX     (MESSAGE_MAX + RPC_LINE_MAX + BATCH_MAX * 2048u)
#define ROOTS_WAIT_MS 1000
#define ROOTS_ID      "handoff-roots-%u"
#define ID_MAX        32
#define END_WAIT_S    1

static volatile sig_atomic_t busy, sending, stop;

/* Also of the alarm. */
static void on_signal(int sig)
{
	(void)sig;
	if (!busy || stop)
		_exit(EXIT_SUCCESS);
	stop = 1;
	if (sending)
		alarm(END_WAIT_S);
}

static void catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};
	sigset_t set;

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a failed write */
	/* a mask is inherited: a client that blocks them must still be able to end us */
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The path by which this program was found: through links, so that a new target is seen. */
static char *own_path(const char *argv0)
{
	const char *path = getenv("PATH");
	struct buf b = BUF_INIT(PATH_MAX);
	str rest = str_of(path), dir;

	if (!argv0 || strchr(argv0, '/'))
		return argv0 ? str_dup(str_of(argv0)) : NULL;
	while (str_split(&rest, ':', &dir)) {
		fs_join(&b, dir, str_of(argv0));
		if (access(buf_cstr(&b), X_OK) == 0)
			return buf_take(&b);
	}
	buf_release(&b);
	return NULL;
}

void server_init(struct server *s, int in, int out, const char *argv0)
{
	*s = (struct server){.out = out, .level = -1, .self = own_path(argv0)};
	rpc_in_init(&s->in, in);
	arena_init(&s->arena, ARENA_MAX);
	where_init(&s->where);
	if (s->self && io.stat(s->self, &s->self_st) < 0) {
		free(s->self);
		s->self = NULL;
	}
}

void server_release(struct server *s)
{
	queue_release(&s->ahead);
	memory_release(s);
	recindex_release(&s->records);
	rpc_in_release(&s->in);
	arena_release(&s->arena);
	where_release(&s->where);
	free(s->self);
	io.close(s->out);
}

bool server_replaced(struct server *s)
{
	struct stat st;

	if (!s->self || s->self_told)
		return false;
	if (io.stat(s->self, &st) == 0 && st.st_ino == s->self_st.st_ino &&
	    st.st_dev == s->self_st.st_dev && st.st_size == s->self_st.st_size &&
	    st.st_mtime == s->self_st.st_mtime)
		return false;
	s->self_told = true;
	return true;
}

/* --- out --- */

void server_send(struct server *s, struct buf *message)
{
	struct err e = ERR_INIT;

	if (s->ended || !message->n)
		return;
	buf_byte(message, '\n');
	if (message->full) {
		log_warn("a message of over %zu bytes was not sent", message->max);
		return;
	}
	sending = 1;
	if (stop)
		alarm(END_WAIT_S);
	if (fs_write_all(s->out, buf_str(message), "standard output", &e) < 0) {
		if (e.code != HF_EPIPE)
			log_warn("%s", e.msg);
		s->ended = true;
	}
	sending = 0;
}

void server_log(struct server *s, const char *level, const char *text)
{
	struct buf params = BUF_INIT(64u << 10), b = BUF_INIT(64u << 10);

	if (s->level >= 0 && mcp_level(str_of(level)) >= s->level) {
		buf_printf(&params,
			   "{\"level\":\"%s\",\"logger\":\"handoff\",\"data\":", level);
		json_add_str(&params, str_of(text));
		buf_byte(&params, '}');
		rpc_notify(&b, "notifications/message", buf_str(&params));
		server_send(s, &b);
	}
	buf_release(&params);
	buf_release(&b);
}

void server_show(struct buf *out, str text)
{
	struct buf plain = BUF_INIT(SIZE_MAX);

	redact_show(&plain, text, false);
	frame_defuse(out, buf_str(&plain));
	buf_release(&plain);
}

/* --- in --- */

/* The next line: one that came already, else one from the client; *hold is what to free after it. */
static enum rpc_got next_line(struct server *s, str *line, struct queued **hold)
{
	struct err e = ERR_INIT;
	enum rpc_got got;

	*hold = queue_take(&s->ahead);
	if (*hold) {
		*line = (*hold)->line;
		return (*hold)->got;
	}
	got = rpc_read(&s->in, -1, line, &e);
	if (got == RPC_BROKEN)
		log_warn("%s", e.msg);
	return got;
}

/* Take in what has come already: a request may be cancelled by what stands behind it. */
static void look_ahead(struct server *s)
{
	enum rpc_got got;
	str line;

	while (!queue_is_full(&s->ahead)) {
		got = rpc_read(&s->in, 0, &line, NULL);
		if (got != RPC_LINE && got != RPC_LONG)
			return;
		queue_add(&s->ahead, got, line);
	}
}

static bool is_object(str s)
{
	return s.n && s.p[0] == '{';
}

/* What the client said to roots/list. */
static void take_roots(struct server *s, const struct rpc *m)
{
	struct jsondoc *d =
		is_object(m->result) ? jsondoc_parse(m->result, m->result.n, NULL) : NULL;
	struct buf path = BUF_INIT(PATH_MAX);
	const struct jsonval *v = jsondoc_first(jsondoc_get(jsondoc_root(d), "roots"));

	for (; v && !path.n; v = jsondoc_next(v))
		mcp_uri_path(&path, jsondoc_str(jsondoc_get(v, "uri")));
	where_root(&s->where, path.n ? buf_cstr(&path) : NULL);
	s->roots = ROOTS_KNOWN;
	buf_release(&path);
	jsondoc_free(d);
}

/* The version that was agreed on has batches. */
static bool batches(const struct server *s)
{
	return s->version && mcp_version_batches(s->version);
}

/* The answer to the newest of our requests: what an older one would tell has changed since. */
static bool is_roots(const struct server *s, const struct rpc *m)
{
	char id[ID_MAX];

	snprintf(id, sizeof(id), "\"" ROOTS_ID "\"", s->roots_asked);
	return m->kind == RPC_RESPONSE && str_eq(m->id, str_of(id));
}

/* The same in a batch, which is dealt with as a whole when its turn comes. */
static void look_for_roots(struct server *s, str line)
{
	struct rpc_batch b;
	str element;

	rpc_batch_init(&b, line);
	while (batches(s) && rpc_batch_next(&b, &element)) {
		struct rpc m;

		rpc_parse(&m, element);
		if (is_roots(s, &m))
			take_roots(s, &m);
	}
}

void server_ask_root(struct server *s)
{
	int64_t until = clock_mono_ns() + ROOTS_WAIT_MS * INT64_C(1000000);
	struct buf b = BUF_INIT(1024);
	char id[ID_MAX];

	if (!s->can_list_roots || s->roots != ROOTS_UNKNOWN || !where_is_open(&s->where))
		return;
	snprintf(id, sizeof(id), ROOTS_ID, ++s->roots_asked);
	rpc_request(&b, id, "roots/list", STR_NONE);
	server_send(s, &b);
	buf_release(&b);
	s->roots = ROOTS_ASKED;
	while (s->roots == ROOTS_ASKED && !s->ended && !queue_is_full(&s->ahead)) {
		int64_t left = (until - clock_mono_ns()) / 1000000;
		enum rpc_got got;
		struct rpc m;
		str line;

		got = left > 0 ? rpc_read(&s->in, (int)left, &line, NULL) : RPC_WAITED;
		if (got != RPC_LINE && got != RPC_LONG)
			return; /* a late answer is taken when it comes */
		rpc_parse(&m, line);
		if (got == RPC_LINE && is_roots(s, &m)) {
			take_roots(s, &m);
			continue;
		}
		if (got == RPC_LINE && m.kind == RPC_BATCH)
			look_for_roots(s, line);
		queue_add(&s->ahead, got, line);
	}
}

/* --- messages --- */

static void answer_request(struct server *s, const struct rpc *m, struct buf *reply)
{
	struct answer a = {.result = BUF_INIT(MESSAGE_MAX)};
	struct err e = ERR_INIT;
	struct jsondoc *d =
		m->params.n ? jsondoc_parse(m->params, m->params.n, &e) : NULL;

	if (m->params.n && !d)
		server_refuse(&a, RPC_BAD_PARAMS, "Invalid params: %s", e.msg);
	else
		server_answer(s, m, jsondoc_root(d), &a);
	if (a.code)
		rpc_fail(reply, m->id, a.code, a.why);
	else if (a.result.full || a.result.n + reply->n > MESSAGE_MAX)
		rpc_fail(reply, m->id, RPC_INTERNAL,
			 "Internal error: the answer is too long");
	else
		rpc_reply(reply, m->id, buf_str(&a.result));
	buf_release(&a.result);
	jsondoc_free(d);
	arena_reset(&s->arena);
}

/* The client has called it back before its turn: no answer is due. initialize cannot be. */
static bool is_cancelled(const struct server *s, const struct rpc *m)
{
	return strcmp(m->method, "initialize") != 0 && queue_cancels(&s->ahead, m->id);
}

static void answer_message(struct server *s, const struct rpc *m, struct buf *reply)
{
	switch (m->kind) {
	case RPC_REQUEST:
		if (!is_cancelled(s, m))
			answer_request(s, m, reply);
		break;
	case RPC_NOTIFICATION:
		server_notified(s, m);
		break;
	case RPC_RESPONSE:
		if (is_roots(s, m))
			take_roots(s, m);
		break;
	case RPC_BATCH:
		rpc_fail(reply, STR("null"), RPC_INVALID_REQUEST,
			 "Invalid request: a list, and no message");
		break;
	case RPC_INVALID:
		if (!m->silent)
			rpc_fail(reply, m->id, m->code, m->why);
		break;
	}
}

/* A batch: the answers in one list; nothing when none is due. */
static void answer_batch(struct server *s, str line, struct buf *reply)
{
	struct rpc_batch b;
	size_t n = 0;
	str element;

	if (!batches(s)) {
		rpc_fail(reply, STR("null"), RPC_INVALID_REQUEST,
			 "Invalid request: this version of the protocol has no batches");
		return;
	}
	rpc_batch_init(&b, line);
	while (n <= BATCH_MAX && rpc_batch_next(&b, &element))
		n++;
	if (!n || n > BATCH_MAX) {
		rpc_fail(reply, STR("null"), RPC_INVALID_REQUEST,
			 n ? "Invalid request: a batch of over 10000 messages"
			   : "Invalid request: an empty batch");
		return;
	}
	buf_byte(reply, '[');
	rpc_batch_init(&b, line);
	while (rpc_batch_next(&b, &element)) {
		struct rpc m;

		json_add_sep(reply);
		rpc_parse(&m, element);
		if (m.kind == RPC_REQUEST && strcmp(m.method, "initialize") == 0)
			rpc_fail(reply, m.id, RPC_INVALID_REQUEST,
				 "Invalid request: initialize is no part of a batch");
		else
			answer_message(s, &m, reply);
		if (reply->n && reply->p[reply->n - 1] == ',')
			buf_cut(reply, reply->n - 1);
	}
	buf_byte(reply, ']');
	if (reply->n == strlen("[]")) /* none is due */
		buf_reset(reply);
}

static void take_line(struct server *s, enum rpc_got got, str line)
{
	/* what is read from here on takes the place of this line */
	bool copied =
		rpc_ahead(&s->in) || (s->can_list_roots && s->roots == ROOTS_UNKNOWN);
	char *copy = copied ? str_dup(line) : NULL;
	struct buf reply = BUF_INIT(REPLY_MAX);
	struct rpc m;

	if (copied) {
		line.p = copy;
		look_ahead(s);
	}
	if (got == RPC_LONG) {
		char why[80];

		snprintf(why, sizeof(why), "Invalid request: a line of over %u bytes",
			 RPC_LINE_MAX);
		rpc_fail(&reply, STR("null"), RPC_INVALID_REQUEST, why);
	} else {
		rpc_parse(&m, line);
		if (m.kind == RPC_BATCH)
			answer_batch(s, line, &reply);
		else
			answer_message(s, &m, &reply);
	}
	server_send(s, &reply);
	buf_release(&reply);
	free(copy);
}

void server_run(struct server *s)
{
	catch_signals();
	while (!s->ended && !stop) {
		struct queued *hold;
		enum rpc_got got;
		str line;

		got = next_line(s, &line, &hold);
		busy = 1;
		if (got == RPC_LINE || got == RPC_LONG)
			take_line(s, got, line);
		else
			s->ended = true;
		queued_free(hold);
		busy = 0;
	}
}
