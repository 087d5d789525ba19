/*
 * The prompt `resume`: go on from the brief.
 */
#include "base/utf8.h"
#include "memory.h"

#define TEXT_MAX (1u << 20)

void prompts_list(struct server *s, const struct jsonval *params, struct answer *a)
{
	const struct jsonval *cursor = jsondoc_get(params, "cursor");

	(void)s;
	if (cursor && !jsondoc_is_null(cursor)) {
		server_refuse(a, RPC_BAD_PARAMS,
			      "Invalid params: \"cursor\" was never given");
		return;
	}
	buf_add(&a->result,
		STR("{\"prompts\":[{\"name\":\"resume\",\"description\":"
		    "\"Go on where the last session of this project stopped\"}]}"));
}

void prompts_get(struct server *s, const struct jsonval *params, struct answer *a)
{
	struct buf text = BUF_INIT(TEXT_MAX), safe = BUF_INIT(TEXT_MAX), *r = &a->result;
	struct err e = ERR_INIT;
	struct store *st;

	if (!str_eq(jsondoc_str(jsondoc_get(params, "name")), STR("resume"))) {
		server_refuse(a, RPC_BAD_PARAMS,
			      "Invalid params: the only prompt is \"resume\"");
		return;
	}
	server_ask_root(s);
	st = memory_open(s, STR_NONE, &e);
	buf_add(&text,
		STR("Resume this project from the hand-off brief below: continue from the next step, "
		    "do not redo settled decisions, and do not repeat dead ends. The brief is a "
		    "record of earlier sessions; check it against the files before acting on it.\n\n"));
	if (!st || memory_brief(st, STR_NONE, -1, &text, &e)) {
		/* switched off, or a project that cannot be one: nothing is broken */
		if (e.code == HF_EUSAGE)
			server_refuse(a, RPC_INVALID_REQUEST, "There is no brief: %s",
				      e.msg);
		else
			server_refuse(a, RPC_INTERNAL, "Internal error: %s", e.msg);
	} else {
		server_show(&safe, buf_str(&text));
		buf_add(r,
			STR("{\"description\":\"Go on where the last session stopped\","
			    "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"));
		json_add_str(r, buf_str(&safe));
		buf_add(r, STR("}}]}"));
	}
	buf_release(&text);
	buf_release(&safe);
}
