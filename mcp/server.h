/*
 * server: one client on standard input and output.
 *
 *   struct server s;
 *   server_init(&s, in, out, argv0);
 *   server_run(&s);                    until the client goes away or a signal comes
 *   server_release(&s);
 *
 * Messages are answered in the order in which they come, one at a time. A request that the client
 * has cancelled before its turn is neither run nor answered, as the specification has it; one
 * that is being run is finished and answered. Nothing of the vault or the index is opened before a
 * tool or a resource asks for it.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <signal.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "data/jsondoc.h"
#include "queue.h"
#include "where.h"
#include "work/recindex.h"
#include "work/rpc.h"

struct memory; /* the store, once it was needed (memory.h) */

struct server {
	struct rpc_in in;
	int out;
	bool ended;
	const char *version; /* agreed on; NULL before initialize */
	int level;           /* of log messages that are wanted; -1: none */
	struct queue ahead;  /* lines that came while an earlier one was dealt with */
	bool can_list_roots;
	enum { ROOTS_UNKNOWN, ROOTS_ASKED, ROOTS_KNOWN } roots;
	unsigned roots_asked; /* how often: each request has its own id */
	struct where where;
	struct memory *memory;
	struct recindex records; /* the index that searches of records ask */
	/* the program's own file, as it was at the start */
	char *self;
	struct stat self_st;
	bool self_told;
	struct arena arena; /* of the request that is being answered */
};

void server_init(struct server *s, int in, int out, const char *argv0);
/* SIGINT and SIGTERM end the process with status 0: at once while it waits, else after the answer, or a second later when nobody reads that. */
void server_run(struct server *s);
void server_release(struct server *s);

/* One message, given a line's end; a client that does not read any more ends the server. */
void server_send(struct server *s, struct buf *message);
/* notifications/message, if that level is wanted. */
void server_log(struct server *s, const char *level, const char *text);
/* The client's first root, if it has to be asked for and answers in time. */
void server_ask_root(struct server *s);
/* The file of this program is another one now than when it began; true once. */
bool server_replaced(struct server *s);

/* --- methods.c --- */

struct answer {
	int code; /* 0, or an error of JSON-RPC */
	char why[256];
	struct buf result; /* JSON */
};

void server_refuse(struct answer *a, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Answer a request; params are those of m, parsed (NULL: none). */
void server_answer(struct server *s, const struct rpc *m, const struct jsonval *params,
		   struct answer *a);
void server_notified(struct server *s, const struct rpc *m);
/*
 * A page of a list of n URIs in byte order that begins behind the cursor of params: *from to
 * *to, and the cursor of the rest is put into the result. False: the cursor is none of ours.
 */
bool server_page(const struct jsonval *params, const char *const *name, size_t n,
		 size_t *from, size_t *to, struct buf *next, struct answer *a);

/* The methods that have a file of their own. */
void tools_list(struct server *s, const struct jsonval *params, struct answer *a);
void tools_call(struct server *s, const struct rpc *m, const struct jsonval *params,
		struct answer *a);
void resources_list(struct server *s, const struct jsonval *params, struct answer *a);
void resources_templates(struct server *s, const struct jsonval *params,
			 struct answer *a);
void resources_read(struct server *s, const struct jsonval *params, struct answer *a);
void prompts_list(struct server *s, const struct jsonval *params, struct answer *a);
void prompts_get(struct server *s, const struct jsonval *params, struct answer *a);
void complete(struct server *s, const struct jsonval *params, struct answer *a);

/* Append a text as a model may read it: redacted, nothing invisible, no tag that frames what it is given. All answers go through here. */
void server_show(struct buf *out, str text);

#endif
