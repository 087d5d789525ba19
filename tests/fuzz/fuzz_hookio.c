/*
 * Any bytes as a hook's standard input: read, and answered in the envelope of its event.
 * What comes out is JSON again, and holds no more text than the client takes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "data/jsondoc.h"
#include "work/hookio.h"

#define PIPE_BYTES 60000 /* what a pipe takes without a reader */

static void check(const struct hookio *h)
{
	struct buf reply = BUF_INIT(4u << 20);
	struct jsondoc *d;
	str text;

	hookio_context(&reply, h->kind, h->prompt, h->last_message);
	if (reply.n) {
		d = jsondoc_parse(buf_str(&reply), reply.n, NULL);
		if (!d)
			abort();
		text = jsondoc_str(
			jsondoc_get(jsondoc_get(jsondoc_root(d), "hookSpecificOutput"),
				    "additionalContext"));
		if (!utf8_valid(text) || utf8_units16(text) > HOOKIO_UNITS_MAX)
			abort();
		jsondoc_free(d);
	}
	buf_release(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hookio h;
	int fd[2];

	if (size > PIPE_BYTES || pipe(fd) < 0)
		return 0;
	if (write(fd[1], data, size) == (ssize_t)size) {
		close(fd[1]);
		if (hookio_read(&h, fd[0], 0, NULL) == 0)
			check(&h);
		hookio_release(&h);
	} else {
		close(fd[1]);
	}
	close(fd[0]);
	return 0;
}
