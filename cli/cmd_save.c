/*
 * handoff save [OPTION]... [FILE]
 *
 * The document of a session into the vault.
 */
#include <stdlib.h>

#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/save.h"

#define READ_STEP (64u << 10)

/* What is to be mended: a line each on stderr, the last one by main. */
static void problems(const struct check *c)
{
	for (size_t i = 0; i + 1 < c->n; i++)
		log_warn("%s", c->item[i].text);
	if (c->more)
		log_warn("and %zu more, not listed", c->more);
}

static void answer_json(const struct scope *s, const struct save_done *d, struct buf *out)
{
	buf_add(out, STR("{\"format\":1"));
	json_add_key(out, "saved");
	buf_add(out, d->check.n ? STR("false") : STR("true"));
	json_add_key(out, "name");
	json_add_str(out, str_of(d->name));
	json_add_key(out, "project");
	json_add_str(out, str_of(s->project));
	json_add_key(out, "status");
	json_add_str(out, str_of(docs_status_name(d->status)));
	json_add_key(out, "secrets");
	buf_u64(out, d->secrets);
	json_add_key(out, "carried");
	buf_u64(out, d->carried);
	json_add_key(out, "kept");
	buf_u64(out, d->kept);
	json_add_key(out, "copy");
	if (d->copy)
		json_add_str(out, str_of(d->copy));
	else
		buf_add(out, STR("null"));
	json_add_key(out, "check");
	check_json(&d->check, out);
	buf_byte(out, '}');
}

static int answer(const struct args *a, const struct scope *s, const struct save_done *d,
		  struct err *e)
{
	struct buf out = BUF_INIT(1u << 20);
	int ret;

	if (a->json)
		answer_json(s, d, &out);
	else
		save_next(s, d, &out);
	ret = print_text(&out, e);
	buf_release(&out);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct save_options o = {.focus = str_trim(str_of(a->focus ? a->focus : "")),
				 .recovered = a->recovered,
				 .budget = (uint64_t)config_int(a->c, "budget"),
				 .git_ms = config_int(a->c, "git_ms")};
	struct buf text = BUF_INIT(SAVE_INPUT_MAX + READ_STEP);
	struct save_done done = {.secrets = 0};
	struct scope s = {.vault.lock = -1};
	int ret;

	if (!a->session)
		return err_set(e, HF_EUSAGE, "save: --session ID is needed");
	ret = scope_open(&s, a->session, NULL, e);
	if (!ret)
		ret = print_read(a->nwords ? a->word[0] : NULL, SAVE_INPUT_MAX, &text, e);
	if (!ret)
		ret = save_document(&s, buf_str(&text), &o, &done, e);
	if (!ret || (a->json && done.check.n)) {
		int printed = answer(a, &s, &done, e);

		ret = ret ? ret : printed;
	} else if (done.check.n) {
		problems(&done.check);
	}
	save_release(&done);
	scope_release(&s);
	buf_release(&text);
	return ret;
}

const struct command cmd_save = {
	.name = "save",
	.operands = "[FILE]",
	.summary = "store the handoff document of a session (standard input, or FILE)",
	.text = "The text has a title and the sections that `handoff draft` shows. Secrets are taken out;\n"
		"front matter, Environment, lineage and the stated hazards of earlier documents are\n"
		"added; then it is checked. With a problem nothing is stored: each is a line on standard\n"
		"error, and the status is 1. HANDOFF_DOC names a place in the project for a copy.\n",
	.options = OPT_JSON | OPT_SESSION | OPT_FOCUS,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
