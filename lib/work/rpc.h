/*
 * rpc: JSON-RPC 2.0 with one message a line: lines in, messages taken apart, replies built.
 *
 *   struct rpc_in in;
 *   rpc_in_init(&in, fd);
 *   while ((got = rpc_read(&in, -1, &line, &e)) == RPC_LINE || got == RPC_LONG) {
 *           struct rpc m;
 *           rpc_parse(&m, line);
 *           if (m.kind == RPC_INVALID) rpc_fail(&out, m.id, m.code, m.why);
 *           else if (m.kind == RPC_REQUEST) ... rpc_reply(&out, m.id, result) ...
 *   }
 *   rpc_in_release(&in);
 *
 * Strict where the standard is: RFC 8259, valid UTF-8, "jsonrpc":"2.0". An id is kept as the
 * text it came as, so that a number of any size or form goes back as it came; ids that are
 * null, a boolean or a container are refused (MCP, base protocol). Params are an object or
 * absent. Of a key that stands twice the last one counts; unknown keys are passed over.
 *
 * Limits: a line of over RPC_LINE_MAX bytes is skipped and told (RPC_LONG); nesting as in
 * data/json. Empty lines are passed over, a carriage return at the end of a line and a BOM
 * at its beginning are dropped. A last line without an end counts as a line.
 * Will not: look into params.
 * Format: https://www.jsonrpc.org/specification; MCP specification, "Base Protocol" and
 * "Transports: stdio".
 */
#ifndef WORK_RPC_H
#define WORK_RPC_H

#include "base/buf.h"
#include "base/err.h"
#include "data/json.h"

#define RPC_LINE_MAX   (16u << 20)
#define RPC_METHOD_MAX 64 /* bytes; no method of ours is as long */
#define RPC_WHY_BYTES  128

enum {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_BAD_PARAMS = -32602,
	RPC_INTERNAL = -32603,
};

/* --- lines --- */

struct rpc_in {
	int fd;
	/* private */
	struct buf b;
	size_t at;     /* bytes of b that were handed out */
	size_t looked; /* bytes of b without a line's end */
	bool skipping, ended;
};

enum rpc_got {
	RPC_LINE,   /* without its end; valid until the next call */
	RPC_LONG,   /* a line over the limit was passed over */
	RPC_WAITED, /* wait_ms went by */
	RPC_END,
	RPC_BROKEN, /* reading failed */
};

/* fd is borrowed. */
void rpc_in_init(struct rpc_in *in, int fd);
void rpc_in_release(struct rpc_in *in);
/* The next line; wait_ms < 0 waits for ever. e is set with RPC_BROKEN. */
enum rpc_got rpc_read(struct rpc_in *in, int wait_ms, str *line, struct err *e);

/* Something has come: rpc_read would not wait for it, or it would find the end. */
bool rpc_ahead(const struct rpc_in *in);

/* --- messages --- */

enum rpc_kind {
	RPC_REQUEST,
	RPC_NOTIFICATION,
	RPC_RESPONSE,
	RPC_BATCH,   /* an array of messages, well-formed JSON: rpc_batch_next */
	RPC_INVALID, /* answer with id, code, why */
};

struct rpc {
	enum rpc_kind kind;
	str id;     /* JSON text; "null" where RPC_INVALID has none to give back */
	str params; /* JSON text of an object; empty when there are none */
	str result; /* of a response: JSON text; empty when it is an error */
	char method[RPC_METHOD_MAX + 1]; /* decoded, cut */
	int code;                        /* RPC_INVALID */
	char why[RPC_WHY_BYTES];
	bool silent; /* RPC_INVALID that was a notification: no answer is due */
};

/* m borrows from line. */
void rpc_parse(struct rpc *m, str line);

struct rpc_batch {
	struct json j;
	bool open;
};

/* line is one of which rpc_parse says RPC_BATCH. */
void rpc_batch_init(struct rpc_batch *b, str line);
/* The text of the next element; false at the end. */
bool rpc_batch_next(struct rpc_batch *b, str *element);
/* The JSON text of a member of an object (the last of that name); false when there is none or the text is no object. */
bool rpc_member(str object, const char *key, str *value);

/* m is a notifications/cancelled: the id of the request that it names, as JSON text. */
bool rpc_cancelled(const struct rpc *m, str *id);

/* --- replies; none appends a line's end --- */

/* result is JSON text. */
void rpc_reply(struct buf *out, str id, str result);
void rpc_fail(struct buf *out, str id, int code, const char *why);
/* params is JSON text, or empty. */
void rpc_notify(struct buf *out, const char *method, str params);
void rpc_request(struct buf *out, const char *id, const char *method, str params);

#endif
