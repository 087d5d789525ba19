/*
 * handoff note [OPTION]... NAME TEXT...
 */
#include "commands.h"
#include "memory.h"
#include "print.h"
#include "work/names.h"
#include "work/redact.h"

#define OUT_MAX  (1u << 20)
#define TEXT_MAX (1u << 20)

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX), text = BUF_INIT(TEXT_MAX),
		   plain = BUF_INIT(OUT_MAX);
	struct store s = {.vault.lock = -1};
	int ret = memory_open(&s, a, e);

	if (!ret)
		ret = memory_text(a, 1, TEXT_MAX, &text, e);
	if (!ret)
		ret = store_note(&s, STR_NONE, str_of(a->word[0]), buf_str(&text), e);
	if (!ret && a->json) {
		buf_add(&out, STR("{\"format\":1"));
		memory_json(&out, "name", str_of(a->word[0]));
		memory_json(&out, "project", str_of(s.project));
		buf_byte(&out, '}');
	} else if (!ret) {
		buf_printf(&plain, "Noted under %s in %s.\n", a->word[0], s.project);
		redact_show(&out, buf_str(&plain), false);
	}
	if (!ret)
		ret = print_text(&out, e);
	store_release(&s);
	buf_release(&out);
	buf_release(&text);
	buf_release(&plain);
	return ret;
}

const struct command cmd_note = {
	.name = "note",
	.operands = "NAME TEXT...",
	.summary = "add a lasting fact to the note of a thing",
	.text = "NAME is what the fact is about (a component, a convention); events link to it as\n"
		"[[NAME]]. TEXT \"-\" is read from standard input; several lines become one item.\n",
	.options = OPT_JSON | OPT_IN,
	.completes = true,
	.names = NAMES_ENTITIES,
	.empty = true,
	.min_words = 2,
	.max_words = 10000,
	.run = run,
};
