/*
 * handoff undo [OPTION]... ID [RETIRED]
 */
#include "commands.h"
#include "data/json.h"
#include "memory.h"
#include "print.h"

#define OUT_MAX (1u << 20)

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	struct store s = {.vault.lock = -1};
	size_t restored = 0;
	int ret = memory_open(&s, a, e);

	if (!ret)
		ret = store_undo(&s, str_of(a->word[0]),
				 a->nwords > 1 ? str_of(a->word[1]) : STR_NONE, &restored,
				 e);
	if (!ret && a->json) {
		buf_add(&out, STR("{\"format\":1"));
		json_add_key(&out, "restored");
		buf_u64(&out, restored);
		buf_byte(&out, '}');
	} else if (!ret && !restored) {
		buf_add(&out,
			STR("Taken back; but other events retire it too: nothing is active again.\n"));
	} else if (!ret) {
		buf_printf(&out, "Brought back %zu event%s.\n", restored,
			   restored == 1 ? "" : "s");
	}
	if (!ret)
		ret = print_text(&out, e);
	store_release(&s);
	buf_release(&out);
	return ret;
}

const struct command cmd_undo = {
	.name = "undo",
	.operands = "ID [RETIRED]",
	.summary = "bring back what an event has retired",
	.text = "ID is the event that retired others: all of them are active again, or only RETIRED. An\n"
		"event that has retired none, and was retired itself, is brought back. Beginnings of ids\n"
		"that no other event has will do.\n",
	.options = OPT_JSON | OPT_IN,
	.min_words = 1,
	.max_words = 2,
	.run = run,
};
