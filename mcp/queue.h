/*
 * queue: lines of the client that came while another one was dealt with, in their order.
 *
 *   queue_add(&q, RPC_LINE, line);
 *   if (queue_cancels(&q, m.id)) ...the client has called the request back meanwhile...
 *   struct queued *l = queue_take(&q);         NULL: none
 *   queued_free(l);                            l->line is valid until then
 *
 * A zeroed struct is an empty queue.
 */
#ifndef MCP_QUEUE_H
#define MCP_QUEUE_H

#include "work/rpc.h"

#define QUEUE_LINES_MAX 1000
#define QUEUE_BYTES_MAX (64u << 20)

struct queued {
	struct queued *next;
	enum rpc_got got; /* RPC_LINE, RPC_LONG */
	str line;
	str *cancels; /* ids of requests as JSON text */
	size_t ncancels;
	char text[];
};

struct queue {
	struct queued *first, *last;
	size_t lines, bytes;
};

/* Nothing more should be added: what else comes can stay in the pipe. */
bool queue_is_full(const struct queue *q);
/* A copy of the line. */
void queue_add(struct queue *q, enum rpc_got got, str line);
/* The first line, to be freed by the caller. */
struct queued *queue_take(struct queue *q);
/* NULL is accepted. */
void queued_free(struct queued *l);
/* One of the lines, or a message of a batch, is a notifications/cancelled for this request. */
bool queue_cancels(const struct queue *q, str id);
void queue_release(struct queue *q);

#endif
