/*
 * handoff draft --session ID
 *
 * What a model needs to write the document of its session.
 */
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/draft.h"

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(1u << 20), json = BUF_INIT(8u << 20);
	struct scope s = {.vault.lock = -1};
	int ret = scope_open(&s, a->session, NULL, e);

	if (!ret) {
		draft_show(&s, config_int(a->c, "git_ms"), &out);
		if (a->json) {
			buf_add(&json, STR("{\"format\":1"));
			json_add_key(&json, "draft");
			json_add_str(&json, buf_str(&out));
			buf_byte(&json, '}');
		}
		ret = print_text(a->json ? &json : &out, e);
	}
	scope_release(&s);
	buf_release(&out);
	buf_release(&json);
	return ret;
}

const struct command cmd_draft = {
	.name = "draft",
	.operands = "",
	.summary = "what is needed to write a document: state, hazards, format",
	.text = "Environment, lineage, hazards to keep word for word, what is known of the session so far,\n"
		"and the format. The status is always 0, since skills inline it.\n",
	.options = OPT_JSON | OPT_SESSION,
	.gentle = true,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
