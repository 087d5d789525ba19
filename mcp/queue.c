#include "queue.h"

#include <stdlib.h>

#include "base/log.h"

bool queue_is_full(const struct queue *q)
{
	return q->lines >= QUEUE_LINES_MAX || q->bytes >= QUEUE_BYTES_MAX;
}

static void add_cancel(struct queued *l, const struct rpc *m)
{
	str id;

	if (!rpc_cancelled(m, &id))
		return;
	/* a power of two is full */
	if (!(l->ncancels & (l->ncancels - 1))) {
		l->cancels = realloc(l->cancels, (l->ncancels ? 2 * l->ncancels : 1) *
							 sizeof(*l->cancels));
		if (!l->cancels)
			log_oom();
	}
	l->cancels[l->ncancels++] = id;
}

/* What the line, or a message of the batch that it is, calls back. */
static void find_cancels(struct queued *l)
{
	struct rpc_batch b;
	struct rpc m;
	str element;

	rpc_parse(&m, l->line);
	add_cancel(l, &m);
	if (m.kind != RPC_BATCH)
		return;
	rpc_batch_init(&b, l->line);
	while (rpc_batch_next(&b, &element)) {
		rpc_parse(&m, element);
		add_cancel(l, &m);
	}
}

void queue_add(struct queue *q, enum rpc_got got, str line)
{
	struct queued *l = malloc(sizeof(*l) + line.n);

	if (!l)
		log_oom();
	*l = (struct queued){.got = got, .line = {l->text, line.n}};
	if (line.n)
		memcpy(l->text, line.p, line.n);
	if (got == RPC_LINE)
		find_cancels(l);
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

bool queue_cancels(const struct queue *q, str id)
{
	for (const struct queued *l = q->first; l; l = l->next)
		for (size_t i = 0; i < l->ncancels; i++)
			if (str_eq(l->cancels[i], id))
				return true;
	return false;
}

void queued_free(struct queued *l)
{
	if (l)
		free(l->cancels);
	free(l);
}

void queue_release(struct queue *q)
{
	struct queued *l;

	while ((l = queue_take(q)))
		queued_free(l);
}
