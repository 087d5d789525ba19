/* fuzz_gitignore: rules, a NUL, then paths to ask for, one a line. */
#include <assert.h>

#include "data/gitignore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = {(const char *)data, size}, rules, paths, path;
	size_t nul = str_chr(text, '\0');
	struct gitignore g;

	rules = str_head(text, nul);
	paths = nul == STR_NPOS ? STR("a/b.o\n") : str_from(text, nul + 1);
	gitignore_init(&g, size % 2);
	gitignore_add(&g, 0, rules);
	while (str_line(&paths, &path)) {
		bool was = gitignore_match(&g, path, true);

		/* an empty file on top changes nothing, and neither does taking it away */
		gitignore_add(&g, 0, STR("# nothing\n"));
		assert(gitignore_match(&g, path, true) == was);
		gitignore_pop(&g);
		gitignore_match(&g, path, false);
	}
	gitignore_pop(&g);
	assert(g.npatterns == 0 && g.nlists == 0);
	gitignore_release(&g);
	return 0;
}
