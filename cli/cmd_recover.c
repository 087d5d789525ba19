/*
 * handoff recover [ARGUMENT]...
 *
 * Runs handoff-recover, which lies beside this program, with the same arguments.
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/fs.h"
#include "commands.h"

#define SIBLING "handoff-recover"

static int sibling(struct buf *path, struct err *e)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	size_t cut;

	/* where there is no /proc the shell's search path has to do */
	if (n <= 0 || (size_t)n >= sizeof(self)) {
		buf_add(path, STR(SIBLING));
		return 0;
	}
	cut = str_rchr((str){self, (size_t)n}, '/');
	buf_add(path, str_head((str){self, (size_t)n}, cut == STR_NPOS ? 0 : cut + 1));
	buf_add(path, STR(SIBLING));
	return fs_is_file(buf_cstr(path))
		       ? 0
		       : err_set(e, HF_ENOTFOUND, "%s: not installed", buf_cstr(path));
}

static int run(const struct args *a, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX + sizeof(SIBLING));
	int ret = sibling(&path, e);

	if (!ret) {
		/* word[-1] is our own command's name: the sibling's argv[0] */
		a->word[-1] = (char *)(uintptr_t)SIBLING;
		execvp(buf_cstr(&path), a->word - 1);
		ret = err_sys(e, "%s", buf_cstr(&path));
	}
	buf_release(&path);
	return ret;
}

const struct command cmd_recover = {
	.name = "recover",
	.operands = "[ARGUMENT]...",
	.summary = "what a dead session left behind: runs handoff-recover",
	.text = "Everything behind it is for handoff-recover; `handoff recover --help` is its help.\n",
	.choices = "list index backbone agents show doc repair",
	.raw = true,
	.max_words = 1000,
	.run = run,
};
