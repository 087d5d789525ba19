/*
 * The index beside the vault: brought up to it before somebody asks, and to a file that was
 * just written. Both are for speed alone: what is not done here is done at the next refresh.
 */
#include "work/store_impl.h"

#include "work/reindex.h"

void store_index_open(struct store *s)
{
	if (s->index || s->no_index)
		return;
	s->index_err = ERR_INIT;
	if (index_open(&s->index, &s->vault, s->busy_ms, &s->index_err) == 0)
		reindex_init(&s->reindex, s->index, &s->vault, s->watch);
}

static int read_vault(struct store *s, struct err *e)
{
	struct reindex_options o = {
		.scope = s->asked_all ? REINDEX_ALL : REINDEX_OTHERS,
	};
	int ret = store_project(s, s->asked, &o.project, e);

	return ret ? ret : reindex_run(&s->reindex, &o, e);
}

int store_reindex_all(struct store *s, str project, bool all, struct err *e)
{
	s->asked = project;
	s->asked_all = all;
	s->again = false;
	store_index_open(s); /* what stood in the way of it may be over */
	if (!s->index)
		return err_set(e, s->index_err.code ? s->index_err.code : HF_EIO, "%s",
			       s->index_err.msg[0] ? s->index_err.msg : "no index");
	return read_vault(s, e);
}

bool store_again(struct store *s, int *ret, struct err *e)
{
	if (!s->index || s->again || !index_damaged(s->index))
		return false;
	s->again = true;
	if (read_vault(s, NULL))
		return false;
	*ret = 0;
	if (e)
		*e = ERR_INIT;
	return true;
}

bool store_partial(const struct store *s)
{
	return s->index && s->reindex.busy && !index_complete(s->index);
}

void store_reindex(struct store *s, enum vault_folder f, str project, str name)
{
	if (s->index)
		reindex_file(&s->reindex, f, project, name, NULL);
}
