/* fuzz_gitindex: any bytes parse or are refused; what is found is in order and inside. */
#include <assert.h>
#include <string.h>

#include "data/gitindex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct gitindex *x)
{
	struct gitindex_stat st;
	size_t i;

	for (i = 0; i < x->n; i++) {
		const struct gitindex_entry *en = &x->entry[i];
		str path = {en->path, en->path_n};

		assert(strlen(en->path) == en->path_n && en->path[0] != '/');
		assert(strstr(en->path, "//") == NULL && !str_starts(path, STR("../")));
		gitindex_stat(en, &st);
		assert(st.mode == gitindex_mode(en) && gitindex_id(en)[0] <= 255);
		assert(gitindex_lower(x, 0, x->n, path) <= i);
		assert(gitindex_prefix_end(x, i, x->n, path) > i);
	}
	for (i = 1; i < x->ntrees; i++)
		assert(gitindex_child(x, x->tree[i].parent, x->tree[i].name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct gitindex x;

	if (gitindex_parse(&x, (str){(const char *)data, size}, &e) == 0)
		look(&x);
	else
		assert(e.code < 0 && e.msg[0]);
	gitindex_release(&x);
	return 0;
}
