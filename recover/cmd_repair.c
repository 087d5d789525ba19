/*
 * handoff-recover repair [OPTION]... SESSION -o FILE
 *
 * A clean copy of a damaged transcript.
 */
#include <inttypes.h>
#include <unistd.h>

#include "commands.h"
#include "data/json.h"
#include "input.h"
#include "work/repair.h"

static void print(const struct repair_done *d, const struct args *a, struct out *o)
{
	struct buf name = BUF_INIT(4 * ERR_MSG_BYTES);

	if (a->json) {
		json_add_str(&name, str_of(a->output));
		out_printf(o,
			   "{\"format\":1,\"file\":%s,\"records\":%" PRIu64
			   ",\"losses\":%" PRIu64 ",\"lost_bytes\":%" PRIu64
			   ",\"replaced\":%" PRIu64 "}\n",
			   buf_cstr(&name), d->records, d->losses, d->lost_bytes,
			   d->replaced);
	} else {
		out_printf(o,
			   "%" PRIu64 " records copied; %" PRIu64 " losses, %" PRIu64
			   " bytes left out; %" PRIu64 " characters mended\n",
			   d->records, d->losses, d->lost_bytes, d->replaced);
	}
	buf_release(&name);
}

static int run(const struct args *a, struct err *e)
{
	struct repair_done done;
	struct input in;
	struct out o;
	bool piped;
	int ret;

	if (!a->output)
		return err_set(e, HF_EUSAGE, "repair: missing argument: -o FILE");
	piped = strcmp(a->output, "-") == 0;
	ret = input_open(&in, a, a->word[0], false, e);
	if (!ret)
		ret = input_spares(&in, a, e);
	if (!ret)
		ret = glance_check(&in.src, in.pick.path, e);
	if (!ret)
		ret = piped ? repair_write(&in.src, in.pick.path, STDOUT_FILENO,
					   "standard output", &done, e)
			    : repair_copy(&in.src, in.pick.path, a->output, &done, e);
	if (!ret) {
		progress_end(&in.progress);
		/* what was done never mixes with the copy */
		out_init(&o, piped ? STDERR_FILENO : STDOUT_FILENO,
			 piped ? "standard error" : "standard output");
		print(&done, a, &o);
		ret = out_end(&o, e);
	}
	input_release(&in);
	return ret;
}

const struct command cmd_repair = {
	.name = "repair",
	.operands = "SESSION -o FILE",
	.summary = "a clean copy of a damaged transcript",
	.text = "Copy every whole record to FILE, one a line, as it is; what is torn is left out, bytes\n"
		"that are no UTF-8 are replaced. The source is not touched. The copy holds everything,\n"
		"secrets too (mode 0600). FILE may be - for standard output; what was done is then told\n"
		"on standard error.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_OUTPUT | OPT_QUIET,
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
