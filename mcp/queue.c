#include "queue.h"

#include <stdlib.h>

#include "base/log.h"

bool queue_is_full(const struct queue *q)
{
	return q->lines >= QUEUE_LINES_MAX || q->bytes >= QUEUE_BYTES_MAX;
}

void queue_add(struct queue *q, enum rpc_got got, str line)
{
	struct queued *l = malloc(sizeof(*l) + line.n);
	struct rpc m;

	if (!l)
		log_oom();
	*l = (struct queued){.got = got, .line = {l->text, line.n}};
	if (line.n)
		memcpy(l->text, line.p, line.n);
	if (got == RPC_LINE) {
		rpc_parse(&m, l->line);
		rpc_cancelled(&m, &l->cancels);
		l->batch = m.kind == RPC_BATCH &&
			   str_find(l->line, STR("cancelled")) != STR_NPOS;
	}
	if (q->last)
		q->last->next = l;
	else
		q->first = l;
	q->last = l;
	q->lines++;
	q->bytes += line.n;
}

struct queued *queue_take(struct queue *q)
{
	struct queued *l = q->first;

	if (!l)
		return NULL;
	q->first = l->next;
	if (!q->first)
		q->last = NULL;
	q->lines--;
	q->bytes -= l->line.n;
	return l;
}

static bool batch_cancels(str line, str id)
{
	struct rpc_batch b;
	str element, cancelled;

	rpc_batch_init(&b, line);
	while (rpc_batch_next(&b, &element)) {
		struct rpc m;

		rpc_parse(&m, element);
		if (rpc_cancelled(&m, &cancelled) && str_eq(cancelled, id))
			return true;
	}
	return false;
}

bool queue_cancels(const struct queue *q, str id)
{
	for (const struct queued *l = q->first; l; l = l->next)
		if (l->batch ? batch_cancels(l->line, id)
			     : l->cancels.n && str_eq(l->cancels, id))
			return true;
	return false;
}

void queue_release(struct queue *q)
{
	struct queued *l;

	while ((l = queue_take(q)))
		free(l);
}
