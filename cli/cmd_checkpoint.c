/*
 * handoff checkpoint [OPTION]... [TEXT...]
 */
#include "commands.h"
#include "data/json.h"
#include "memory.h"
#include "print.h"
#include "work/redact.h"

#define OUT_MAX  (1u << 20)
#define TEXT_MAX (1u << 20)

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX), text = BUF_INIT(TEXT_MAX),
		   plain = BUF_INIT(OUT_MAX);
	struct store s = {.vault.lock = -1};
	bool closed = false;
	int ret = memory_open(&s, a, e);

	if (!ret)
		ret = memory_text(a, 0, TEXT_MAX, &text, e);
	if (!ret)
		ret = store_checkpoint(&s, STR_NONE, buf_str(&text), &closed, e);
	if (!ret && a->json) {
		buf_add(&out, STR("{\"format\":1"));
		json_add_key(&out, "closed");
		buf_add(&out, closed ? STR("true") : STR("false"));
		memory_json(&out, "session", str_of(s.note.id));
		memory_json(&out, "project", str_of(s.project));
		buf_byte(&out, '}');
	} else if (!ret) {
		buf_printf(&plain,
			   closed ? "Session %s of %s is marked done.\n"
				  : "Nothing was logged in session %s of %s: there is "
				    "nothing to close.\n",
			   s.note.id, s.project);
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

const struct command cmd_checkpoint = {
	.name = "checkpoint",
	.operands = "[TEXT...]",
	.summary = "close this session's note, with a summary",
	.text = "TEXT is the summary; without one, the summary that is there stays. What is logged later\n"
		"still goes to the same note.\n",
	.options = OPT_JSON | OPT_IN | OPT_SESSION,
	.empty = true,
	.min_words = 0,
	.max_words = 10000,
	.run = run,
};
