/*
 * handoff-recover [doc] [OPTION]... [SESSION] [FOCUS...]
 *
 * Phase 5: the handoff document. The first word is a session if it names one or a file, else
 * it belongs to the focus, unless it is written like a path.
 */
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "commands.h"
#include "input.h"
#include "work/handoff.h"

#define FOCUS_MAX (4u << 10)
#define DOC_MAX   (4u << 20) /* bytes of Markdown or JSON */
#define NS_PER_MS INT64_C(1000000)

/* What is left of the operands are words of one focus, quoted or not. */
static int focus_of(const struct args *a, int from, struct buf *focus, struct err *e)
{
	int i;

	if (a->focus && from < a->nwords)
		return err_set(e, HF_EUSAGE,
			       "doc: unexpected argument '%s' beside --focus",
			       a->word[from]);
	if (a->focus)
		buf_add(focus, str_of(a->focus));
	for (i = from; i < a->nwords; i++) {
		if (focus->n)
			buf_byte(focus, ' ');
		buf_add(focus, str_of(a->word[i]));
	}
	if (focus->full)
		return err_set(e, HF_EUSAGE, "doc: the focus is over %u bytes",
			       FOCUS_MAX);
	return 0;
}

static int put(const struct args *a, const struct buf *doc, struct err *e)
{
	struct out o;

	if (a->output && strcmp(a->output, "-") != 0)
		return fs_write_atomic(a->output, buf_str(doc), 0600, e);
	out_init(&o, STDOUT_FILENO, "standard output");
	out_add(&o, buf_str(doc));
	return out_end(&o, e);
}

static bool one_word(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (str_is_space(s.p[i]))
			return false;
	return true;
}

/* A word that is written like a path and leads to no file is a slip, not a focus. */
static int not_a_slip(const char *word, struct err *e)
{
	str s = str_of(word);

	if (str_chr(s, '/') == STR_NPOS || !one_word(s))
		return 0; /* words, or a sentence with a path in it */
	return err_set(e, HF_ENOTFOUND, "%s: no such file (--focus takes words)", word);
}

/* *name is the first word if that is a session, else NULL. */
static int session_of(const struct args *a, const char **name, struct err *e)
{
	struct catalog_options where = {.claude_dir = a->claude_dir};

	*name = NULL;
	if (!a->nwords)
		return 0;
	if (!a->word[0][0])
		return err_set(e, HF_EUSAGE, "doc: the session's name is empty");
	if (!catalog_is_named(&where, a->word[0]))
		return not_a_slip(a->word[0], e);
	*name = a->word[0];
	return 0;
}

/* The session; a single word that was taken as a focus may have been meant to name it. */
static int open_it(struct input *in, const struct args *a, const char *name,
		   struct err *e)
{
	bool doubt = !name && a->nwords && !a->focus && one_word(str_of(a->word[0]));
	struct err why = ERR_INIT;
	int ret = input_open(in, a, name, false, &why);

	if (ret && doubt)
		return err_set(e, ret, "'%.60s' names no session, and as a focus: %s",
			       a->word[0], why.msg);
	if (ret)
		return err_set(e, ret, "%s", why.msg);
	if (doubt)
		log_warn("'%.60s' names no session: taken as what to focus on",
			 a->word[0]);
	return 0;
}

static int run(const struct args *a, struct err *e)
{
	struct buf focus = BUF_INIT(FOCUS_MAX), doc = BUF_INIT(DOC_MAX);
	const char *name = NULL;
	struct input in = {0};
	int ret;

	ret = session_of(a, &name, e);
	if (!ret)
		ret = focus_of(a, name ? 1 : 0, &focus, e);
	if (!ret)
		ret = open_it(&in, a, name, e);
	if (!ret)
		ret = input_spares(&in, a, e);
	if (!ret)
		ret = glance_known(&in.src, in.pick.path, e);
	if (!ret) {
		struct handoff_options o = {
			.budget = a->budget,
			.focus = buf_str(&focus),
			.since = a->since,
			.evidence = a->evidence,
			.kind = HANDOFF_RECOVERED,
			.claude_dir = a->claude_dir,
			.deadline_ns =
				a->git_ms ? clock_mono_ns() + a->git_ms * NS_PER_MS : 0,
			.progress = progress_tell,
			.progress_arg = &in.progress,
		};

		ret = (a->json ? handoff_recover_json
			       : handoff_recover)(&in.src, in.pick.path, &o, &doc, e);
	}
	progress_end(&in.progress);
	if (!ret)
		ret = put(a, &doc, e);
	input_release(&in);
	buf_release(&doc);
	buf_release(&focus);
	return ret;
}

const struct command cmd_doc = {
	.name = "doc",
	.operands = "[SESSION] [FOCUS...]",
	.summary = "the handoff document (what runs when no command is named)",
	.text = "Phase 5: the handoff document: goal, done, next, hazards, context, environment, files,\n"
		"checks, and what is not known, within a budget of tokens. The first word is a session\n"
		"if it names one; the others are the focus.\n",
	.options = OPT_JSON | OPT_PROJECT | OPT_BUDGET | OPT_FOCUS | OPT_SINCE |
		   OPT_EVIDENCE | OPT_OUTPUT | OPT_QUIET,
	.min_words = 0,
	.max_words = 1024,
	.run = run,
};
