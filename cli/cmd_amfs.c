/*
 * handoff amfs [TABLE]
 *
 * The store for an adapter of AMFS: JSON requests on standard input, a line each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "commands.h"
#include "work/amfs.h"
#include "work/recplace.h"

/* Requests until the other side closes. A line that is too long is one error, not the end. */
static int serve(struct amfs *a, struct err *e)
{
	struct buf out = BUF_INIT(SIZE_MAX);
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = getline(&line, &cap, stdin)) >= 0) {
		str s = str_trim((str){line, (size_t)n});

		if (!s.n)
			continue;
		buf_reset(&out);
		amfs_request(a, s, &out);
		ret = fs_write_all(STDOUT_FILENO, buf_str(&out), "standard output", e);
	}
	if (!ret && ferror(stdin))
		ret = err_sys(e, "standard input");
	free(line);
	buf_release(&out);
	return ret;
}

static int run(const struct args *args, struct err *e)
{
	const char *table = args->nwords ? args->word[0] : getenv("HANDOFF_AMFS_TABLE");
	struct recplace place;
	struct amfs *a = NULL;
	int ret = recplace_open(&place, NULL, NULL, e);

	if (place.notice)
		log_warn("%s", place.notice);
	if (!ret) {
		a = amfs_open(&place.store, table && *table ? table : "amfs-235", e);
		ret = a ? serve(a, e) : HF_EUSAGE;
	}
	amfs_free(a);
	recplace_release(&place);
	return ret;
}

const struct command cmd_amfs = {
	.name = "amfs",
	.operands = "[TABLE]",
	.summary = "the records for an adapter of AMFS: JSON requests on standard input",
	.text = "One JSON request a line:\n"
		"  {\"op\":\"read\",\"entityPath\":P,\"key\":K,\"minConfidence\":C}\n"
		"  {\"op\":\"write\",\"entry\":{\"entityPath\":P,\"key\":K,\"value\":V}}\n"
		"  {\"op\":\"list\",\"entityPath\":P,\"includeSuperseded\":true}\n"
		"  {\"op\":\"watch\",\"entityPath\":P}   {\"op\":\"cancel\",\"watch\":N}\n"
		"  {\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":T,\"causalEntryKeys\":[\"P/K\"]}}\n"
		"  {\"op\":\"listCommits\",\"limit\":N}   {\"op\":\"getCommit\",\"id\":ID}\n"
		"and one reply a line: {\"ok\":true,\"result\":...} or {\"ok\":false,\"error\":\"...\"}.\n"
		"All members: docs/formats-records.md. TABLE says what an outcome does to confidence:\n"
		"amfs-235 (a success raises it; the default) or amfs-legacy (as SDKs up to 0.3 have it).\n",
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
