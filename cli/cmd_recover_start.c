/*
 * handoff recover-start [--session ID] -- [SESSION] [FOCUS...]
 *
 * The beginning of a recovery, for the skill.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/revive.h"

#define TYPED_MAX (64u << 10) /* bytes of words */
#define WORDS_MAX 1000

/* "-": the words stand on standard input, where no shell has taken them apart. */
static int from_input(char **word, int *n, struct err *e)
{
	struct buf text = BUF_INIT(2 * TYPED_MAX);
	int ret = print_read(NULL, TYPED_MAX, &text, e);

	if (!ret)
		*n = revive_words(buf_str(&text), word, WORDS_MAX);
	buf_release(&text);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(1u << 20), json = BUF_INIT(8u << 20);
	const char *claude = config_get(a->c, "claude_dir")->value;
	const char *dir = getenv("CLAUDE_PROJECT_DIR");
	char here[PATH_MAX];
	struct revive_options o = {
		.claude_dir = claude[0] ? claude : NULL,
		.dir = dir && dir[0] == '/'         ? dir
		       : getcwd(here, sizeof(here)) ? here
						    : NULL,
		.current = a->session,
		.budget = (uint64_t)config_int(a->c, "budget"),
		.git_ms = config_int(a->c, "git_ms"),
	};
	bool typed = a->nwords == 1 && strcmp(a->word[0], "-") == 0;
	char *word[WORDS_MAX];
	int n = 0, ret = typed ? from_input(word, &n, e) : 0;

	if (ret)
		return ret;
	revive_show(&o, typed ? word : a->word, typed ? n : a->nwords, &out);
	while (n)
		free(word[--n]);
	if (a->json) {
		buf_add(&json, STR("{\"format\":1"));
		json_add_key(&json, "text");
		json_add_str(&json, buf_str(&out));
		buf_byte(&json, '}');
	}
	ret = print_text(a->json ? &json : &out, e);
	buf_release(&out);
	buf_release(&json);
	return ret;
}

const struct command cmd_recover_start = {
	.name = "recover-start",
	.operands = "[SESSION] [FOCUS...]",
	.summary = "a dead session's last steps and its document, for the skill",
	.text = "The first argument is a session if it resolves to one, all others are a focus; without a\n"
		"session it is the most recent dead one of this project. A lone - takes the words from\n"
		"standard input, as they were typed. --session names the session that asks. The status is always 0, since skills inline it.\n",
	.options = OPT_JSON | OPT_SESSION,
	.gentle = true,
	.empty = true,
	.min_words = 0,
	.max_words = 1000,
	.run = run,
};
