#include "work/recall.h"

static int refresh(struct recall *r, const struct vault *v, struct err *e)
{
	struct reindex re;
	int ret;

	reindex_init(&re, r->index, v, false);
	ret = reindex_run(&re, &r->o, e);
	r->left = re.left;
	if (!ret && re.busy && !re.left && !index_complete(r->index))
		r->left = SIZE_MAX;
	reindex_release(&re);
	return ret;
}

int recall_open(struct recall *r, const struct vault *v, const struct recall_options *o,
		struct err *e)
{
	int ret;

	*r = (struct recall){
		.o = {.project = o->project,
		      .scope = o->all ? REINDEX_ALL : REINDEX_PROJECT,
		      .deadline_ns = o->deadline_ns},
	};
	ret = index_open(&r->index, v, o->busy_ms, e);
	return ret ? ret : refresh(r, v, e);
}

bool recall_again(struct recall *r, const struct vault *v, int *ret, struct err *e)
{
	if (r->again || !index_damaged(r->index))
		return false;
	r->again = true;
	if (refresh(r, v, NULL))
		return false;
	*ret = 0;
	if (e)
		*e = ERR_INIT;
	return true;
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
	if (r->index && index_homeless(r->index))
		buf_printf(
			out,
			"(The index of the notes cannot be kept: %s. All notes are read at "
			"each call; set XDG_CACHE_HOME to a folder that can be written.)\n",
			index_homeless(r->index));
}
