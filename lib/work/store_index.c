/*
 * The index beside the vault: brought up to it before somebody asks, and to a file that was
 * just written. Both are for speed alone: what is not done here is done at the next refresh.
 */
#include "work/store_impl.h"

#include "work/reindex.h"

int store_reindex_all(struct store *s, str project, bool all, struct err *e)
{
	struct reindex_options o = {
		.project = project,
		.scope = all ? REINDEX_ALL : REINDEX_OTHERS,
	};

	return reindex_run(&s->reindex, &o, e);
}

void store_reindex(struct store *s, enum vault_folder f, str project, str name)
{
	if (s->index)
		reindex_file(&s->reindex, f, project, name, NULL);
}
