/*
 * handoff hazards [OPTION]...
 *
 * The stated hazards of the current line of work; one of them ends only on purpose.
 */
#include <stdlib.h>

#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/hazards.h"
#include "work/redact.h"

#define OUT_MAX (8u << 20)

static int show(const struct args *a, const struct scope *s, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	int ret = hazards_show(s, a->json, &out, e);

	if (!ret)
		ret = print_text(&out, e);
	if (!ret && !out.n)
		log_warn("no stated hazard of %s", s->project);
	buf_release(&out);
	return ret;
}

static void said_json(const struct hazards_done *done, const char *line, struct buf *out)
{
	buf_add(out, STR("{\"format\":1"));
	json_add_key(out, "retired");
	json_add_str(out, str_of(line));
	json_add_key(out, "documents");
	buf_u64(out, done->documents);
	buf_byte(out, '}');
}

static int retire(const struct args *a, struct scope *s, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX), line = BUF_INIT(OUT_MAX);
	struct hazards_done done;
	int ret = hazards_retire(s, a->retire, str_of(a->reason), &done, e);

	if (!ret) {
		redact_show(&line, str_of(done.line), true);
		if (a->json) {
			said_json(&done, buf_cstr(&line), &out);
		} else {
			buf_printf(&out, "Retired in %zu document%s: %s\n",
				   done.documents, done.documents == 1 ? "" : "s",
				   buf_cstr(&line));
		}
		ret = print_text(&out, e);
	}
	free(done.line);
	buf_release(&out);
	buf_release(&line);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	const char *session = a->session ? a->session : getenv("CLAUDE_CODE_SESSION_ID");
	struct scope s = {.vault.lock = -1};
	int ret;

	if (!a->retire != !a->reason)
		return err_set(e, HF_EUSAGE,
			       "hazards: --retire N and --reason WORDS go together");
	ret = scope_open(&s, session && *session ? session : NULL, NULL, e);
	if (!ret && a->session)
		ret = scope_known(&s, e);
	if (!ret)
		ret = a->retire ? retire(a, &s, e) : show(a, &s, e);
	scope_release(&s);
	return ret;
}

const struct command cmd_hazards = {
	.name = "hazards",
	.operands = "",
	.summary = "what the user asked to heed; --retire ends one, with a reason",
	.text = "The stated hazards of the session's documents, numbered; without a session, those of\n"
		"the newest document here. A retired one stays in its document with date and reason, and\n"
		"is carried no further.\n",
	.options = OPT_JSON | OPT_SESSION | OPT_RETIRE,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
