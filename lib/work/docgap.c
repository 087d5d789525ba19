#include "work/docgap.h"

#include <stdlib.h>

#include "work/dochazard.h"
#include "work/prose.h"

#define CHECKS_SHOWN     6
#define WAITS_SHOWN      3
#define NAMED_PROMPTS    12 /* prompts looked at for files that nobody touched */
#define NAMED_BYTES      1500
#define BY_HAND_SHOWN    4
#define INTERRUPTS_SHOWN 4
#define INTERRUPT_BYTES  110 /* of a call that one stopped */
#define BY_HAND_BYTES    15  /* of an item that says something */

/* ---- Verify ---- */

static void verify_check(struct doc *d, const struct fact_command *c, size_t i)
{
	struct doc_line *l = doc_line(d, DOC_VERIFY, DOC_B_VERIFY, (double)i, "- [ ] ");
	struct buf *b = doc_text(d);

	doc_command(d, b, prose_command_core(c->text), 200);
	if (dochazard_failing(d->f, c)) {
		buf_add(b, STR(" failed"));
		if (c->tally.n) {
			buf_add(b, STR(": "));
			doc_quote(d, b, c->tally, 150);
		}
	} else if (c->tally.n) {
		buf_add(b, STR(": was "));
		doc_quote(d, b, c->tally, 150);
	} else {
		buf_add(b, str_chr(c->text, '|') != STR_NPOS ? STR(": printed no error")
							     : STR(" passed"));
	}
	buf_add(b, STR(" at "));
	doc_time(d, b, c->at);
	if (c->record < d->f->last_edit_record) {
		buf_add(b, STR("; edits came after it ("));
		doc_time(d, b, d->f->last_edit_at);
		buf_byte(b, ')');
	}
	doc_add(d, l, 12 - (double)i, c->record)->must = i < 2;
}

static int newest_first(const void *x, const void *y)
{
	const struct fact_command *a = *(const struct fact_command *const *)x;
	const struct fact_command *b = *(const struct fact_command *const *)y;

	return a->record > b->record ? -1 : a->record < b->record;
}

static void verify_checks(struct doc *d)
{
	const struct facts *f = d->f;
	const struct fact_command **c = malloc((f->ncommand + 1) * sizeof(*c));
	size_t n = 0, i;

	if (!c)
		return;
	for (i = 0; i < f->ncommand; i++)
		if (f->command[i].check && dochazard_newest(f, &f->command[i]))
			c[n++] = &f->command[i];
	qsort(c, n, sizeof(*c), newest_first);
	for (i = 0; i < n && i < CHECKS_SHOWN; i++)
		verify_check(d, c[i], i);
	free(c);
}

static bool has_run(const struct facts *f, str command)
{
	size_t i;

	for (i = 0; i < f->ncommand; i++)
		if (str_find(f->command[i].text, command) != STR_NPOS)
			return true;
	return false;
}

/* Commands that the plan asks for under its verification heading, and nobody ran. */
static void verify_plan(struct doc *d)
{
	str rest = d->f->plan, line;
	bool on = false;
	size_t n = 0;

	while (str_line(&rest, &line) && n < CHECKS_SHOWN) {
		str part;
		size_t i = 0;

		if (str_starts(line, STR("#"))) {
			on = str_ifind(line, STR("verif")) != STR_NPOS ||
			     str_ifind(line, STR("test")) != STR_NPOS;
			continue;
		}
		while (on && str_split(&line, '`', &part)) {
			struct doc_line *l;
			struct buf *b;

			if (i++ % 2 == 0 || !part.n || part.p[0] < 'a' ||
			    part.p[0] > 'z' || str_chr(part, ' ') == STR_NPOS ||
			    has_run(d->f, part))
				continue;
			l = doc_line(d, DOC_VERIFY, DOC_B_VERIFY, 10 + (double)n++ * 0.1,
				     "- [ ] ");
			b = doc_text(d);
			doc_code(d, b, part, 160);
			buf_add(b, STR(": the plan asks for it; never run"));
			doc_add(d, l, 8, d->f->plan_record);
		}
	}
}

/* A list item's words, without its mark or number. */
static bool is_item(str line, str *words)
{
	str t = str_trim(line);
	size_t k = 0;

	while (k < t.n && str_is_digit(t.p[k]))
		k++;
	if (k && k + 1 < t.n && (t.p[k] == '.' || t.p[k] == ')') && t.p[k + 1] == ' ')
		*words = str_trim(str_from(t, k + 1));
	else if (t.n > 2 && str_chr(STR("-*+"), t.p[0]) != STR_NPOS && t.p[1] == ' ')
		*words = str_trim(str_from(t, 2));
	else
		return false;
	if (str_starts(*words, STR("[ ] ")) || str_starts(*words, STR("[x] ")))
		*words = str_trim(str_from(*words, 4));
	return true;
}

/* It names a command, which other lines tell about. */
static bool names_command(const struct facts *f, str s)
{
	str part;
	size_t i = 0;

	while (str_split(&s, '`', &part))
		if (i++ % 2 && part.n && str_is_alpha(part.p[0]) &&
		    (str_chr(part, ' ') != STR_NPOS || has_run(f, part)))
			return true;
	return false;
}

/* What the plan wants to be looked at: items under its verification heading that are no commands. */
static void verify_by_hand(struct doc *d)
{
	str rest = d->f->plan, line, item;
	bool on = false;
	size_t n = 0;

	while (str_line(&rest, &line) && n < BY_HAND_SHOWN) {
		struct doc_line *l;
		struct buf *b;

		if (str_starts(line, STR("#"))) {
			on = str_ifind(line, STR("verif")) != STR_NPOS;
			continue;
		}
		if (!on || !is_item(line, &item) || item.n < BY_HAND_BYTES ||
		    str_ends(item, STR(":")) || names_command(d->f, item))
			continue;
		l = doc_line(d, DOC_VERIFY, DOC_B_VERIFY, 12 + (double)n++ * 0.1,
			     "- [ ] ");
		b = doc_text(d);
		doc_quote_plain(d, b, item, 240);
		buf_add(b, STR(": the plan asks for it; no record tells"));
		doc_add(d, l, 7, d->f->plan_record);
	}
}

/* What shows whether a verb of git was carried out. */
static const struct {
	const char *verb, *look, *ask;
} LOOKS[] = {
	{"commit", "git log --oneline -3", "did the call commit?"},
	{"push", "git fetch && git status -sb", "did the call push?"},
	{"add", "git status -s", "did the call stage its files?"},
	{"merge", "git status", "did the call merge?"},
	{"rebase", "git status", "is a rebase half done?"},
	{"stash", "git stash list", "did the call stash or restore changes?"},
	{"tag", "git tag --points-at HEAD", "did the call tag?"},
	{"checkout", "git status -sb", "did the call switch or restore?"},
	{"switch", "git status -sb", "did the call switch branches?"},
	{"reset", "git reflog -3", "did the call reset?"},
	{"restore", "git status -s", "did the call restore files?"},
	{"pull", "git log --oneline -3", "did the call pull?"},
};
#define LOOKS_COUNT (sizeof(LOOKS) / sizeof(LOOKS[0]))

/* One line for each kind of effect that calls without a result may have had. */
static void verify_effects(struct doc *d, const struct fact_call *c,
			   bool told[LOOKS_COUNT])
{
	size_t it = 0, i;
	str part, verb;

	while (prose_command_part(c->label, false, &it, &part)) {
		struct doc_line *l;
		struct buf *b;

		verb = prose_git_verb(part);
		for (i = 0; i < LOOKS_COUNT && !str_eq(verb, str_of(LOOKS[i].verb)); i++)
			;
		if (i == LOOKS_COUNT || told[i])
			continue;
		told[i] = true;
		l = doc_line(d, DOC_VERIFY, DOC_B_VERIFY, 20 + (double)i * 0.01,
			     "- [ ] ");
		b = doc_text(d);
		doc_code(d, b, str_of(LOOKS[i].look), 0);
		buf_printf(b, ": %s", LOOKS[i].ask);
		doc_must(d, l, 11, c->record);
	}
}

static void verify_calls(struct doc *d)
{
	const struct facts *f = d->f;
	bool told[LOOKS_COUNT] = {false};
	size_t i;

	for (i = 0; i < f->nopen + f->nlost; i++) {
		const struct fact_call *c =
			i < f->nopen ? &f->open[i] : &f->lost[i - f->nopen];

		if (str_eq(c->name, STR("Bash")) || str_eq(c->name, STR("PowerShell")))
			verify_effects(d, c, told);
	}
}

/* Without the repository: what git should say if the records are the last word. */
static void verify_git(struct doc *d)
{
	const struct facts *f = d->f;
	const struct fact_commit *c = f->ncommit ? &f->commit[f->ncommit - 1] : NULL;
	struct doc_line *l;
	struct buf *b;

	if (!c || !c->sha.n)
		return;
	l = doc_line(d, DOC_VERIFY, DOC_B_VERIFY, 21, "- [ ] ");
	b = doc_text(d);
	buf_add(b, STR("`git log --oneline -1` is "));
	doc_code(d, b, c->sha, 40);
	buf_add(b, STR(", the last commit recorded"));
	doc_add(d, l, 7, c->record);
}

void docgap_verify(struct doc *d, const struct gitstate *git)
{
	verify_checks(d);
	verify_plan(d);
	verify_by_hand(d);
	verify_calls(d);
	if (!git || git->kind != GITSTATE_REPO)
		verify_git(d);
}

/* ---- Known Gaps ---- */

static struct doc_line *gap(struct doc *d, double order)
{
	return doc_line(d, DOC_GAPS, DOC_B_GAP, order, "- ");
}

static int by_time(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

static void gap_open(struct doc *d)
{
	const struct facts *f = d->f;
	struct buf *b;
	char span[WAITS_SHOWN][24];
	size_t i, n = 0;
	int64_t *w;

	if (f->nlost) {
		buf_printf(doc_text(d), "The outcome of %s: no record answers %s.",
			   f->nlost > 1 ? "the calls that the session went on without"
					: "the call that the session went on without",
			   f->nlost > 1 ? "them" : "it");
		doc_must(d, gap(d, 0.1), 19, f->lost[f->nlost - 1].record);
	}
	if (!f->nopen)
		return;
	b = doc_text(d);
	buf_add(b, f->nopen > 1 ? STR("The outcome of the open calls.")
				: STR("The outcome of the open call."));
	w = f->nwait ? malloc(f->nwait * sizeof(*w)) : NULL;
	if (w) {
		memcpy(w, f->wait, f->nwait * sizeof(*w));
		qsort(w, f->nwait, sizeof(*w), by_time);
		buf_add(b, STR(" Earlier results came up to "));
		for (i = f->nwait; i > 0; i--) {
			/* from the longest back, so that equal ones count once */
			if (n < WAITS_SHOWN) {
				clock_span(span[n], w[i - 1]);
				n += n == 0 || strcmp(span[n], span[n - 1]) != 0;
			}
		}
		for (i = n; i-- > 0;)
			buf_printf(b, "%s%s",
				   i + 1 == n ? ""
				   : i == 0   ? " and "
					      : ", ",
				   span[i]);
		buf_add(b, STR(" after their calls"));
		if (f->mode.n) {
			buf_add(b, STR(" (mode "));
			doc_code(d, b, f->mode, 40);
			buf_byte(b, ')');
		}
		buf_add(b, STR(", so it may have been waiting for approval."));
		free(w);
	}
	doc_must(d, gap(d, 0), 20, f->open[f->nopen - 1].record);
}

/* "Run the tests": it was sent for a check, and reported. */
static bool has_checked(const struct fact_agent *g)
{
	static const char *const words[] = {"test",      "lint",       " ci", "-ci",
					    "typecheck", "type-check", NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (str_ifind(g->description, str_of(words[i])) != STR_NPOS)
			return g->result.n > 0;
	return false;
}

static void gap_checks(struct doc *d)
{
	const struct facts *f = d->f;
	bool any = false, after = false;
	size_t i;

	for (i = 0; i < f->ncommand; i++) {
		any = any || f->command[i].check;
		after = after || (f->command[i].check &&
				  f->command[i].record > f->last_edit_record);
	}
	for (i = 0; i < f->nagent; i++) {
		any = any || has_checked(&f->agent[i]);
		after = after || (f->agent[i].record > f->last_edit_record &&
				  has_checked(&f->agent[i]));
	}
	if (!f->nedit || after)
		return;
	buf_add(doc_text(d),
		any ? STR("No test, lint or build command ran after the last edit.")
		    : STR("No test, lint or build command was run."));
	doc_must(d, gap(d, 1), 12, f->last_edit_record);
}

static void gap_compaction(struct doc *d)
{
	const struct facts *f = d->f;
	struct buf *b = doc_text(d);

	if (!f->summary.n)
		return;
	if (f->summary_record < 5)
		buf_printf(
			b,
			"What came before the compaction (record %llu) is told by its summary only.",
			(unsigned long long)f->summary_record);
	else
		buf_add(b,
			STR("Compacted: what the records hold is quoted from them, the rest from the summary."));
	doc_must(d, gap(d, 2), 6, f->summary_record);
}

/* Case aside: people write names as they come. */
static bool ends_in(str path, str name)
{
	return path.n >= name.n && str_ieq(str_from(path, path.n - name.n), name);
}

static bool touched(const struct facts *f, str name)
{
	size_t i;

	for (i = 0; i < f->nedit; i++)
		if (ends_in(f->edit[i].path, name))
			return true;
	for (i = 0; i < f->nread; i++)
		if (ends_in(f->read[i].path, name))
			return true;
	for (i = 0; i < f->ncommand; i++)
		if (str_ifind(f->command[i].text, name) != STR_NPOS)
			return true;
	for (i = 0; i < f->nagent; i++)
		if (str_ifind(f->agent[i].result, name) != STR_NPOS)
			return true;
	for (i = 0; i < f->nopen; i++)
		if (str_ifind(f->open[i].label, name) != STR_NPOS)
			return true;
	for (i = 0; i < f->nlost; i++)
		if (str_ifind(f->lost[i].label, name) != STR_NPOS)
			return true;
	return false;
}

/* "never touch config/prod.yaml": that nobody did is as it should be. */
static bool is_stated(const struct doc *d, str name)
{
	const struct doc_line *l;
	const struct doc_unit *u;

	for (l = d->first; l; l = l->next)
		for (u = l->block == DOC_B_STATED ? l->first : NULL; u; u = u->next)
			if (str_find(u->text, name) != STR_NPOS)
				return true;
	return false;
}

static bool is_unmet(const struct facts *f, str name)
{
	size_t i;

	for (i = 0; i < f->nunmet; i++)
		if (str_eq(f->unmet[i].text, name))
			return true;
	return false;
}

/* A file in the user's words that no call ever touched: perhaps an obligation nobody met. */
static void gap_named(struct doc *d)
{
	const struct facts *f = d->f;
	size_t from = f->nprompt > NAMED_PROMPTS ? f->nprompt - NAMED_PROMPTS : 0, i,
	       n = 0;
	struct doc_line *l =
		doc_line(d, DOC_GAPS, DOC_B_GAP, 5,
			 "- Named by the user, and no call opened or wrote it: ");

	l->sep = ", ";
	for (i = from; i < f->nprompt && n < 8; i++) {
		const struct fact_prompt *p = &f->prompt[i];
		struct prose_token t;
		size_t it = 0;
		bool tick = false;

		if ((p->kind != FACT_PROMPT && p->kind != FACT_QUEUED) ||
		    p->text.n > NAMED_BYTES)
			continue;
		while (prose_token(p->text, &it, &tick, &t)) {
			const struct doc_unit *u;

			if (t.kind != PROSE_PATH ||
			    str_chr(str_basename(t.text), '.') == STR_NPOS ||
			    touched(f, str_basename(t.text)) || is_unmet(f, t.text) ||
			    is_stated(d, t.text))
				continue;
			doc_code(d, doc_text(d), t.text, 0);
			for (u = l->first; u && !str_eq(u->text, buf_str(&d->text));
			     u = u->next)
				;
			if (!u) {
				doc_add(d, l, 5, p->record);
				n++;
			}
		}
	}
}

/* What the user ordered to write, and no call wrote. */
static void gap_unmet(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < f->nunmet; i++) {
		struct doc_line *l = gap(d, 4);

		buf_add(doc_text(d),
			STR("Ordered to be written, and no call wrote it: "));
		doc_code(d, &d->text, f->unmet[i].text, 0);
		doc_add(d, l, 7, f->unmet[i].record);
	}
}

/* "found 2 issues" in a commit or file that no later record names. */
static void gap_unfollowed(struct doc *d)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < f->nunfollowed; i++) {
		struct doc_line *l = gap(d, 4.5);
		struct buf *b = doc_text(d);

		doc_quote(d, b, f->unfollowed[i].text, 200);
		buf_add(b, STR(": nothing later names "));
		doc_code(d, b, f->unfollowed[i].subject, 0);
		buf_byte(b, '.');
		doc_add(d, l, 7, f->unfollowed[i].record);
	}
}

static void gap_file(struct doc *d, const struct docgap_file *file)
{
	struct buf *b = doc_text(d);

	if (file->losses) {
		buf_printf(
			b,
			"%llu piece%s of the transcript could not be read, %llu bytes in all; the first is at line %llu",
			(unsigned long long)file->losses, file->losses == 1 ? "" : "s",
			(unsigned long long)file->lost_bytes,
			(unsigned long long)file->loss_line);
		if (file->loss_len)
			buf_printf(b, ", bytes %llu to %llu",
				   (unsigned long long)file->loss_off,
				   (unsigned long long)(file->loss_off + file->loss_len));
		buf_byte(b, '.');
		doc_must(d, gap(d, 0.5), 18, 0);
	}
	b = doc_text(d);
	if (file->foreign) {
		buf_printf(b, "A Codex rollout: its %llu record%s not read.",
			   (unsigned long long)file->foreign,
			   file->foreign == 1 ? " was" : "s were");
		doc_must(d, gap(d, 0.4), 18, 0);
	}
	b = doc_text(d);
	if (file->tail_cut) {
		buf_add(b,
			STR("The transcript ends inside a record: what it said is lost."));
		doc_must(d, gap(d, 0.6), 17, 0);
	}
	b = doc_text(d);
	if (file->since != CLOCK_NONE) {
		buf_add(b,
			STR("Not looked at, because of --since: prompts, texts, errors and commands from before "));
		doc_time(d, b, file->since);
		buf_add(b,
			STR(" (what is open, forbidden or was run is judged on all records)."));
		doc_must(d, gap(d, 0.7), 16, 0);
	}
	b = doc_text(d);
	if (file->abandoned) {
		buf_printf(
			b,
			"Left out: %llu branch%s of the conversation that a rewind left behind.",
			(unsigned long long)file->abandoned,
			file->abandoned == 1 ? "" : "es");
		doc_add(d, gap(d, 3.5), 4, 0);
	}
}

/* "; what ..." of the interrupts at which neither a call nor a text was open. */
static void cut_unknown(struct buf *b, size_t n, size_t all)
{
	if (n == all)
		buf_add(b, STR("; what was cut off there is not recorded."));
	else if (n)
		buf_printf(b, "; what was cut off the other %s is not recorded.",
			   n == 1 ? "time" : "times");
	else
		buf_byte(b, '.');
}

/* The calls that interrupts stopped, newest first, each once. */
static void stopped_calls(struct doc *d, struct buf *b)
{
	const struct facts *f = d->f;
	size_t i, k, shown = 0, left = 0;

	for (i = f->ninterrupt; i-- > 0;) {
		const struct fact_interrupt *t = &f->interrupt[i];

		for (k = i + 1;
		     k < f->ninterrupt && !str_eq(f->interrupt[k].call, t->call); k++)
			;
		if (!t->calls || k < f->ninterrupt)
			continue;
		if (shown == INTERRUPTS_SHOWN) {
			left++;
			continue;
		}
		buf_add(b, shown++ ? STR(", ") : STR("; stopped or refused: "));
		doc_command(d, b, t->call, INTERRUPT_BYTES);
		if (t->calls > 1)
			buf_printf(b, " (and %u more beside it)", t->calls - 1);
	}
	if (left)
		buf_printf(b, " and %zu more", left);
}

/* How often the user interrupted, and what of it the records name: calls, the newest answer that broke off. */
static void gap_interrupts(struct doc *d)
{
	const struct facts *f = d->f;
	const struct fact_interrupt *text = NULL;
	struct buf *b = doc_text(d);
	size_t i, unknown = 0;

	if (!f->ninterrupt)
		return;
	buf_printf(b, "The user interrupted %zu time%s", f->ninterrupt,
		   f->ninterrupt == 1 ? "" : "s");
	stopped_calls(d, b);
	for (i = 0; i < f->ninterrupt; i++) {
		unknown += !f->interrupt[i].calls && !f->interrupt[i].text.n;
		text = f->interrupt[i].text.n ? &f->interrupt[i] : text;
	}
	if (text) {
		buf_add(b, STR("; broken off: the answer that ends in "));
		doc_quote(d, b, text->text, 0);
	}
	cut_unknown(b, unknown, f->ninterrupt);
	doc_add(d, gap(d, 3), 4, f->interrupt[f->ninterrupt - 1].record);
}

void docgap_lines(struct doc *d, const struct docgap_file *file)
{
	const struct facts *f = d->f;
	struct buf *b;

	gap_open(d);
	gap_file(d, file);
	gap_checks(d);
	gap_compaction(d);
	gap_unmet(d);
	gap_unfollowed(d);
	gap_named(d);
	gap_interrupts(d);
	b = doc_text(d);
	if (f->dropped) {
		buf_printf(
			b,
			"Left out: %llu fact%s of rewound branches, or beyond the bounds of memory.",
			(unsigned long long)f->dropped, f->dropped == 1 ? "" : "s");
		doc_add(d, gap(d, 6), 3, 0);
	}
	b = doc_text(d);
	if (d->left_by_focus) {
		buf_printf(
			b,
			"The focus left out %llu item%s of Done, Next, Key Context and Files to Read.",
			(unsigned long long)d->left_by_focus,
			d->left_by_focus == 1 ? "" : "s");
		doc_must(d, gap(d, 7), 10, 0);
	}
}
