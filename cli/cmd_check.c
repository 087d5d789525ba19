/*
 * handoff check [OPTION]... FILE
 *
 * Is a document fit to be handed over?
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/check.h"
#include "work/docs.h"
#include "work/scope.h"

#define MS_NS INT64_C(1000000)

static int report(const struct args *a, const struct check *c, struct err *e)
{
	struct buf out = BUF_INIT(1u << 20);
	int ret = 0;

	if (a->json) {
		buf_add(&out, STR("{\"format\":1"));
		json_add_key(&out, "file");
		json_add_str(&out, str_of(a->word[0]));
		json_add_key(&out, "check");
		check_json(c, &out);
		buf_byte(&out, '}');
	} else if (!c->n) {
		buf_printf(&out, "%s: nothing to mend, %llu tokens\n", a->word[0],
			   (unsigned long long)c->tokens);
	} else {
		for (size_t i = 0; i < c->n; i++)
			buf_printf(&out, "%s: %s\n", c->item[i].kind, c->item[i].text);
		if (c->more)
			buf_printf(&out, "and %zu more\n", c->more);
	}
	ret = print_text(&out, e);
	buf_release(&out);
	if (!ret && c->n)
		ret = err_set(e, HF_EFORMAT, "%s: %zu problem%s", a->word[0],
			      c->n + c->more, c->n + c->more == 1 ? "" : "s");
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct gitstate_options go = {.deadline_ns = clock_mono_ns() +
						     config_int(a->c, "git_ms") * MS_NS};
	struct buf text = BUF_INIT(HANDOFF_DOC_MAX + (64u << 10));
	struct scope s = {.vault.lock = -1};
	struct gitstate git;
	struct check c;
	int ret = scope_open(&s, a->session, NULL, e);

	if (!ret)
		ret = print_read(a->word[0], HANDOFF_DOC_MAX, &text, e);
	if (!ret) {
		struct check_options o = {
			.vault = &s.vault,
			.project = str_of(s.project),
			.worktree = fs_is_dir(s.worktree) ? s.worktree : NULL,
			.git = &git,
			.budget = (uint64_t)config_int(a->c, "budget"),
		};

		gitstate_read(&git, s.worktree, &go);
		check_document(&c, buf_str(&text), &o);
		ret = report(a, &c, e);
		check_release(&c);
		gitstate_release(&git);
	}
	scope_release(&s);
	buf_release(&text);
	return ret;
}

const struct command cmd_check = {
	.name = "check",
	.operands = "FILE",
	.summary = "what is wrong with a handoff document",
	.text = "Looks at front matter, sections, the hazards of earlier documents, the files it names,\n"
		"branch and HEAD, secrets, and the budget. FILE may be - for standard input. The status\n"
		"is 1 when there is something to mend.\n",
	.options = OPT_JSON | OPT_SESSION,
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
