#include "work/recall.h"

#include "work/reindex.h"

int recall_open(struct recall *r, const struct vault *v, const struct recall_options *o,
		struct err *e)
{
	struct reindex_options ro = {.project = o->project,
				     .scope = o->all ? REINDEX_ALL : REINDEX_PROJECT,
				     .deadline_ns = o->deadline_ns};
	struct reindex re;
	int ret;

	*r = (struct recall){0};
	ret = index_open(&r->index, v, o->busy_ms, e);
	if (ret)
		return ret;
	reindex_init(&re, r->index, v, false);
	ret = reindex_run(&re, &ro, e);
	r->left = re.left;
	if (!ret && re.busy && !re.left && !index_complete(r->index))
		r->left = SIZE_MAX;
	reindex_release(&re);
	return ret;
}

void recall_release(struct recall *r)
{
	index_free(r->index);
	r->index = NULL;
}

void recall_note(const struct recall *r, struct buf *out)
{
	if (r->left == SIZE_MAX)
		buf_add(out,
			STR("(Another program is reading the notes; some may be missing.)\n"));
	else if (r->left)
		buf_printf(out,
			   "(%zu of the notes are not read yet; they are next time.)\n",
			   r->left);
}
