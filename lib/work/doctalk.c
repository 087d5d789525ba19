#include "work/doctalk.h"

#include "work/docecho.h"
#include "work/docsum.h"
#include "work/docwords.h"
#include "work/prose.h"

#define ANSWERS_ON_LINE 4
#define SHORT_ANSWER    60
#define PIECE_FIRST     200 /* bytes of a prompt's first piece; whole if a little over */
#define PIECE_NEXT      180
#define PIECES_END      900 /* what is beyond: only the tail */
#define PIECE_TAIL      200
#define SENTENCE_MIN    1.4
#define SENTENCE_MAX    560 /* bytes */
#define THIN_BYTES      64
#define THIN_VALUE      1.9
#define SUMMARY_ITEMS   40
#define ECHO_PERCENT    65
#define THOUGHT_RECORDS 20 /* in which a thought may be taken back */

/* Groups, in their order. */
enum { ANSWERS = 0, WORDS = 1, ERRORS = 2, SAID = 3, SUMMARY = 4, THOUGHTS = 5 };

static const char *const labels[] = {
	"**Answers to questions:**",
	"**The user's words, in order:**",
	"**Errors, and what became of them:**",
	"**Said by the assistant, in order (claims, not results):**",
	"**Only in the compaction summary:**",
	"**From its thinking:**",
};

static struct doc_line *line_in(struct doc *d, int group, double order, enum doc_block b,
				const char *prefix)
{
	struct doc_line *l = doc_line(d, DOC_CONTEXT, b, group * 10 + order, prefix);

	l->group = str_of(labels[group]);
	return l;
}

/* ---- answers ---- */

static double answer_value(const struct fact_answer *a)
{
	static const char *const steers[] = {"next", "done",    "continue",
					     "more", "proceed", NULL};
	size_t i;

	for (i = 0; steers[i]; i++)
		if (!a->own && str_istarts(a->answer, str_of(steers[i])))
			return 1; /* steers the dialogue */
	if (str_ends(a->answer, STR("?")) || str_istarts(a->answer, STR("you decide")))
		return 4;
	return 10;
}

static void answer_head(struct doc *d, struct buf *b, const struct fact_answer *a)
{
	doc_say(d, b, a->header.n ? a->header : a->question, 60);
	buf_add(b, STR(" \xe2\x86\x92 "));
}

static void answer_alone(struct doc *d, const struct fact_answer *a, double order,
			 double value)
{
	struct doc_line *l = line_in(d, ANSWERS, order, DOC_B_ANSWER, "- ");
	struct buf *b = doc_text(d);

	l->lead = l->sep;
	answer_head(d, b, a);
	doc_quote(d, b, a->answer, 420);
	doc_add(d, l, value, a->record);
	if (a->description.n && value > 1) {
		b = doc_text(d);
		buf_byte(b, '(');
		doc_quote(d, b, a->description, 130);
		buf_byte(b, ')');
		doc_add(d, l, 2, 0);
	}
	if (a->note.n && !str_eq(str_head(a->note, 60), str_head(a->answer, 60))) {
		b = doc_text(d);
		buf_add(b, STR("note: "));
		doc_quote(d, b, a->note, 200);
		doc_add(d, l, 6, 0);
	}
}

static void answers(struct doc *d)
{
	const struct facts *f = d->f;
	struct doc_line *open = NULL, *yours = NULL;
	size_t i, on = 0;

	for (i = 0; i < f->nanswer; i++) {
		const struct fact_answer *a = &f->answer[i];
		double v = answer_value(a), order = (double)i * 0.01;
		struct buf *b;

		if (v <= 1)
			continue;
		if (str_istarts(a->answer, STR("you decide"))) {
			if (!yours) {
				yours = line_in(d, ANSWERS, 9, DOC_B_ANSWER,
						"- \"You decide\": ");
				yours->sep = ", ";
			}
			doc_say(d, doc_text(d), a->header.n ? a->header : a->question,
				60);
			doc_add(d, yours, v, a->record);
			continue;
		}
		if (a->answer.n > SHORT_ANSWER || a->note.n ||
		    (a->description.n && v > 1)) {
			answer_alone(d, a, order, v);
			open = NULL;
			continue;
		}
		if (!open || on == ANSWERS_ON_LINE) {
			open = line_in(d, ANSWERS, order, DOC_B_ANSWER, "- ");
			open->sep = "; ";
			on = 0;
		}
		b = doc_text(d);
		answer_head(d, b, a);
		doc_quote(d, b, a->answer, 0);
		doc_add(d, open, v, a->record);
		on++;
	}
}

/* ---- prompts ---- */

/* The last border (sentence, else blank) of s within (from, to), or to. */
static size_t border(str s, size_t from, size_t to)
{
	size_t i, blank = 0;

	for (i = to - 1; i > from; i--) {
		if (s.p[i] != ' ')
			continue;
		if (!blank)
			blank = i;
		if (str_chr(STR(".;?!:"), s.p[i - 1]) != STR_NPOS)
			return i;
	}
	if (blank)
		return blank;
	while (to > from && (s.p[to] & 0xc0) == 0x80) /* inside a character */
		to--;
	return to;
}

/* A long prompt in pieces: the first one, more up to PIECES_END, then its tail. */
static void add_pieces(struct doc *d, struct doc_line *l, str s, double value,
		       uint64_t record)
{
	size_t i = 0, n = PIECE_FIRST;

	if (s.n <= PIECE_FIRST + 60)
		n = s.n;
	while (i < s.n && i < PIECES_END) {
		size_t end = s.n - i <= n + 60 ? s.n : border(s, i + n / 2, i + n);

		buf_add(doc_text(d), str_trim((str){s.p + i, end - i}));
		doc_add(d, l, i == 0 ? value : value * 0.45, record);
		i = end;
		n = PIECE_NEXT;
	}
	if (i < s.n) {
		struct buf tail = BUF_INIT(4096);
		bool hole;
		str t;

		prose_tail(&tail, str_from(s, i), PIECE_TAIL);
		t = buf_str(&tail);
		hole = str_starts(t, STR("\xe2\x80\xa6 "));
		buf_add(doc_text(d), hole ? str_from(t, 4) : t);
		doc_add(d, l, value * 0.45, record)->hole = hole;
		buf_release(&tail);
	}
}

static void event_line(struct doc *d, const struct doctask *t,
		       const struct fact_prompt *p, str text)
{
	const struct facts *f = d->f;
	size_t k = str_chr(text, '>');
	double age = doc_age(d, p->record), value = 4 + 3 * age;
	str tag = prose_tag(text);
	struct doc_line *l;
	struct buf *b;

	if (t->last && p == &f->prompt[f->nprompt - 1]) {
		l = doc_line(d, DOC_NEXT, DOC_B_NEXT, 7, "");
		value = 12;
	} else {
		l = line_in(d, WORDS, age, DOC_B_PROMPT, "");
	}
	b = doc_text(d);
	buf_add(b, STR("- Client event "));
	doc_code(d, b, tag, 40);
	buf_add(b, STR(": "));
	doc_set_prefix(d, l);
	l->quote = true;
	if (k != STR_NPOS && k < 60)
		text = str_trim(str_from(text, k + 1));
	add_pieces(d, l, text, value, p->record);
}

static bool is_quoted_already(const struct doc *d, str text)
{
	const struct doc_line *l;
	const struct doc_unit *u;

	for (l = d->first; l; l = l->next) {
		if (l->section != DOC_HAZARDS || l->block != DOC_B_STATED)
			continue;
		for (u = l->first; u; u = u->next)
			if (u->text.n == text.n + 2 && str_find(u->text, text) == 1)
				return true;
	}
	return false;
}

/* "! git pull" ran; nobody said it. */
static void bang_line(struct doc *d, str text, double age, uint64_t record)
{
	struct doc_line *l;

	if (str_starts(text, STR("!")))
		text = str_trim(str_from(text, 1));
	if (!text.n)
		return;
	l = line_in(d, WORDS, age, DOC_B_PROMPT, "- Run by the user: ");
	doc_code(d, doc_text(d), text, 190);
	doc_add(d, l, 2, record);
}

static void prompt_line(struct doc *d, const struct doctask *t,
			const struct fact_prompt *p)
{
	bool filler = prose_is_filler(p->text) || docwords_goes_on(p->text);
	double age = doc_age(d, p->record), value = 9 + 6 * age;
	struct buf all = BUF_INIT(1u << 20);
	struct doc_line *l;
	struct buf *b;
	str text;

	doc_say(d, &all, p->text, 0);
	text = buf_str(&all);
	if (p->kind == FACT_EVENT || docwords_is_markup(p->text)) {
		event_line(d, t, p, text);
		goto out;
	}
	if (p->kind == FACT_BANG) {
		bang_line(d, text, age, p->record);
		goto out;
	}
	if (str_starts(text, STR("/")) && docwords_is_client_command(text)) {
		if (str_chr(text, ' ') == STR_NPOS)
			goto out;
		value = 2;
	} else if (filler) {
		if (!p->asked.n)
			goto out;
		value = 5;
	} else if (is_quoted_already(d, text)) {
		goto out;
	}
	l = line_in(d, WORDS, age, DOC_B_PROMPT, "- ");
	l->quote = true;
	b = doc_text(d);
	if (p->asked.n) {
		buf_add(b, STR("- Asked "));
		doc_quote(d, b, doc_unmarked(p->asked), 160);
		buf_add(b, STR(": "));
		doc_set_prefix(d, l);
	} else if (p->after_interrupt) {
		buf_add(b, STR("- After an interrupt: "));
		doc_set_prefix(d, l);
		value += 3;
	}
	add_pieces(d, l, text, value, p->record);
out:
	buf_release(&all);
}

/* ---- errors ---- */

static bool is_env_trouble(str line)
{
	return str_find(line, STR("BLOCKED")) != STR_NPOS ||
	       str_find(line, STR("locked by")) != STR_NPOS ||
	       str_find(line, STR("InputValidation")) != STR_NPOS;
}

/* The end of an error's line without digits: the same error at another place is the same. */
static size_t error_key(str line, char key[60])
{
	size_t i, n = 0;

	for (i = line.n; i-- > 0 && n < 60;)
		if (!str_is_digit(line.p[i]))
			key[n++] = line.p[i];
	return n;
}

/* A newer one with the same key has been told. */
static bool error_told(const struct facts *f, size_t i)
{
	char mine[60], other[60];
	size_t n = error_key(f->error[i].line[0], mine), k;

	for (k = i + 1; k < f->nerror; k++)
		if (f->error[k].nlines && error_key(f->error[k].line[0], other) == n &&
		    memcmp(mine, other, n) == 0)
			return true;
	return false;
}

/* The last line of an output that is no heading, path or count: where no better line was found, only such a one may be the error. */
static bool says_something(str line)
{
	size_t i, words = 0;

	if (str_starts(line, STR("==")) || str_starts(line, STR("--")) ||
	    str_starts(line, STR("/")))
		return false;
	for (i = 0; i < line.n; i++)
		words += str_is_alpha(line.p[i]) && (i == 0 || line.p[i - 1] == ' ');
	return words >= 3;
}

static void error_outcome(struct doc *d, struct doc_line *l, const struct fact_error *e)
{
	bool check = prose_is_check(e->command);
	struct buf *b = doc_text(d);
	size_t i;

	if ((e->fixed || check) && e->nedited) {
		buf_add(b, STR("edited "));
		for (i = 0; i < e->nedited; i++) {
			if (i)
				buf_add(b, STR(", "));
			doc_code(d, b, str_basename(e->edited[i]), 80);
		}
	}
	if (check) {
		buf_add(b, b->n ? STR("; ") : STR(""));
		buf_add(b,
			e->fixed ? STR("passed later") : STR("not seen to pass later"));
	} else if (e->fixed && e->hard && e->family.n && !prose_is_explore(e->command)) {
		buf_add(b, b->n ? STR("; a later ") : STR("a later "));
		doc_code(d, b, e->family, 40);
		buf_add(b, STR(" worked"));
	}
	if (b->n) {
		str how = doc_keep(d, buf_str(b));

		b = doc_text(d);
		buf_add(b, STR(" \xe2\x86\x92 "));
		buf_add(b, how);
		buf_byte(b, '.');
		doc_set_suffix(d, l);
	}
}

static void error_line(struct doc *d, size_t i)
{
	const struct fact_error *e = &d->f->error[i];
	double fresh = 0.7 + 0.5 * doc_age(d, e->record), value;
	struct doc_line *l;
	struct buf *b;
	size_t k;

	if (!e->nlines || is_env_trouble(e->line[0]) || error_told(d->f, i) ||
	    (e->tool && !says_something(e->line[0])))
		return;
	value = prose_is_explore(e->command) ? 2 : e->tool ? 3 : e->hard ? 8 : 6.5;
	l = line_in(d, ERRORS, (double)i * 0.01, DOC_B_ERROR, "");
	l->lead = l->sep;
	b = doc_text(d);
	buf_add(b, STR("- "));
	doc_command(d, b, prose_command_core(e->command), 76);
	buf_add(b, STR(": "));
	doc_set_prefix(d, l);
	for (k = 0; k < e->nlines; k++) {
		b = doc_text(d);
		buf_add(b, k ? STR("/ ") : STR(""));
		doc_quote(d, b, e->line[k], 0);
		doc_add(d, l, k ? 2 : value * fresh, e->record);
	}
	for (k = 0; k < 2; k++) {
		if (!e->diagnosis[k].n)
			continue;
		b = doc_text(d);
		buf_add(b, STR("\xe2\x86\x92 "));
		doc_quote(d, b, doc_unmarked(e->diagnosis[k]), 260);
		doc_add(d, l, 5 * fresh, e->diagnosis_record);
	}
	error_outcome(d, l, e);
}

/* ---- sentences ---- */

static bool is_diagnosis(const struct facts *f, str s)
{
	size_t i;

	for (i = 0; i < f->nerror; i++)
		if (str_eq(f->error[i].diagnosis[0], s) ||
		    str_eq(f->error[i].diagnosis[1], s))
			return true;
	return false;
}

/* A prompt stands between this text and the next one: it was the last word of a turn. */
static bool is_final(const struct facts *f, size_t i)
{
	uint64_t from = f->sentence[i].record, to = UINT64_MAX;
	size_t k;

	for (k = i; k < f->nsentence; k++) {
		if (f->sentence[k].record != from) {
			to = f->sentence[k].record;
			break;
		}
	}
	for (k = 0; k < f->nprompt; k++)
		if (f->prompt[k].record > from && f->prompt[k].record <= to)
			return true;
	return false;
}

/* Short, and no name, path or number in it: "There is a test failure." */
static bool is_thin(const struct fact_sentence *s)
{
	size_t i;

	if (s->text.n >= THIN_BYTES || (double)s->value >= THIN_VALUE)
		return false;
	for (i = 0; i < s->text.n; i++)
		if (s->text.p[i] == '`' || s->text.p[i] == '"' ||
		    str_is_digit(s->text.p[i]))
			return false;
	return true;
}

static void sentences(struct doc *d, struct docecho *echo)
{
	const struct facts *f = d->f;
	struct doc_line *l = NULL;
	uint32_t text_id = UINT32_MAX, next = 0;
	bool final = false;
	size_t i;

	for (i = 0; i < f->nsentence; i++) {
		const struct fact_sentence *s = &f->sentence[i];
		double age = doc_age(d, s->record);
		struct doc_unit *u;
		str text = l && l->first ? s->text : doc_unmarked(s->text);

		if (s->record == f->last_text_record || (double)s->value < SENTENCE_MIN)
			continue;
		if (s->text_id != text_id) {
			text_id = s->text_id;
			final = is_final(f, i);
			l = line_in(d, SAID, age, DOC_B_SENT, "- ");
			l->quote = true;
			text = doc_unmarked(s->text);
		}
		if (doc_is_row(text) || is_thin(s) ||
		    is_diagnosis(f, doc_unmarked(text)) || docecho_has(echo, text, 90))
			continue;
		docecho_add(echo, text);
		doc_say_plain(d, doc_text(d), text, SENTENCE_MAX);
		u = doc_add(d, l,
			    (double)s->value * (0.7 + 0.5 * age) * (final ? 1.25 : 1),
			    s->record);
		u->hole = s->hole || s->k != next;
		next = s->k + 1;
	}
}

/* A later thought, not long after, turned away from it. */
static bool thought_over(const struct facts *f, size_t i)
{
	size_t k;

	for (k = i + 1; k < f->nthought &&
			f->thought[k].record - f->thought[i].record <= THOUGHT_RECORDS;
	     k++)
		if (prose_takes_back(f->thought[k].text, f->thought[i].text))
			return true;
	return false;
}

static void thoughts(struct doc *d, struct docecho *echo)
{
	const struct facts *f = d->f;
	size_t i;

	for (i = 0; i < f->nthought; i++) {
		const struct fact_sentence *s = &f->thought[i];
		struct doc_line *l;

		if (doc_is_row(s->text) || docecho_has(echo, s->text, 75) ||
		    thought_over(f, i))
			continue;
		docecho_add(echo, s->text);
		l = line_in(d, THOUGHTS, doc_age(d, s->record), DOC_B_THOUGHT, "- ");
		doc_quote(d, doc_text(d), doc_unmarked(s->text), 0);
		doc_add(d, l, (double)s->value * 0.35, s->record);
	}
}

/* ---- summary ---- */

static void echo_records(const struct facts *f, struct docecho *e)
{
	size_t i, k;

	for (i = 0; i < f->nprompt; i++)
		docecho_add(e, f->prompt[i].text);
	for (i = 0; i < f->nanswer; i++) {
		docecho_add(e, f->answer[i].answer);
		docecho_add(e, f->answer[i].question);
	}
	for (i = 0; i < f->nerror; i++) {
		for (k = 0; k < f->error[i].nlines; k++)
			docecho_add(e, f->error[i].line[k]);
		docecho_add(e, f->error[i].diagnosis[0]);
		docecho_add(e, f->error[i].diagnosis[1]);
	}
	for (i = 0; i < f->ncommit; i++)
		docecho_add(e, f->commit[i].subject);
	for (i = 0; i < f->ntodo; i++)
		docecho_add(e, f->todo[i].subject);
}

/* The summary's user messages that a recorded prompt begins like. */
static bool is_recorded(const struct facts *f, str line)
{
	size_t i;

	for (i = 0; i < f->nprompt; i++) {
		const struct fact_prompt *p = &f->prompt[i];

		if (p->record < f->summary_record && p->text.n > 8 &&
		    str_ifind(line, str_head(p->text, 28)) != STR_NPOS)
			return true;
	}
	for (i = 0; i < f->nanswer; i++)
		if (f->answer[i].answer.n > 3 &&
		    str_ifind(line, f->answer[i].answer) != STR_NPOS)
			return true;
	return false;
}

static bool is_item(str line)
{
	str t = str_trim(line);

	return t.n > 1 && (t.p[0] == '-' || t.p[0] == '*') &&
	       line.n - str_trim_right(t).n < 8;
}

static void summary_items(struct doc *d, struct docecho *echo, const char *word,
			  const char *other, double order, double value, size_t max_bytes,
			  bool code_only)
{
	const struct facts *f = d->f;
	struct docsum sum;
	size_t i = 0;
	str line;

	docsum_init(&sum, f->summary, word, other);
	while (i < SUMMARY_ITEMS && docsum_next(&sum, &line)) {
		str t = doc_unmarked(line);
		bool quotes_user = word[0] == 'a';
		struct doc_line *l;

		while (str_ends(t, STR("*")))
			t = str_head(t, t.n - 1);
		if (t.n <= (quotes_user ? 8u : 20u) || str_ends(t, STR(":")) ||
		    doc_is_row(t) ||
		    (code_only && (!is_item(line) || str_chr(t, '`') == STR_NPOS)) ||
		    /* in brackets the summary speaks itself */
		    (quotes_user && (t.p[0] == '(' || is_recorded(f, t))) ||
		    docecho_has(echo, t, ECHO_PERCENT))
			continue;
		docecho_add(echo, t);
		l = line_in(d, SUMMARY, order + (double)i++ * 0.01,
			    quotes_user ? DOC_B_PROMPT : DOC_B_SUMMARY,
			    quotes_user ? "- The user earlier: " : "- ");
		doc_quote_plain(d, doc_text(d), t, max_bytes);
		doc_add(d, l, value, f->summary_record);
	}
}

static bool is_in_goal(const struct doctask *t, const struct fact_prompt *p)
{
	return (t->last && t->last->record == p->record) ||
	       (t->before && t->before->record == p->record) ||
	       (t->first && t->first->record == p->record) ||
	       (t->reply && t->reply->record == p->record && docwords_runs(p->text));
}

static bool same_text(const struct fact_prompt *a, const struct fact_prompt *p)
{
	return a && str_eq(a->text, p->text);
}

/* The same words stand in the goal, or come again later: once is enough. */
static bool said_again(const struct facts *f, const struct doctask *t, size_t i)
{
	const struct fact_prompt *p = &f->prompt[i];
	size_t k;

	if (p->asked.n)
		return false;
	if (same_text(t->last, p) || same_text(t->before, p) || same_text(t->first, p))
		return true;
	for (k = i + 1; k < f->nprompt; k++)
		if (f->prompt[k].kind == p->kind && same_text(&f->prompt[k], p))
			return true;
	return false;
}

void doctalk_lines(struct doc *d, const struct doctask *t)
{
	const struct facts *f = d->f;
	struct docecho echo;
	size_t i;

	docecho_init(&echo);
	echo_records(f, &echo);
	answers(d);
	for (i = 0; i < f->nprompt; i++)
		if (!is_in_goal(t, &f->prompt[i]) && !said_again(f, t, i))
			prompt_line(d, t, &f->prompt[i]);
	for (i = 0; i < f->nerror; i++)
		error_line(d, i);
	sentences(d, &echo);
	if (f->summary.n) {
		summary_items(d, &echo, "all user", NULL, 0, 6, 240, false);
		summary_items(d, &echo, "errors", "problem", 1, 6, 300, false);
		summary_items(d, &echo, "files", NULL, 2, 3, 200, true);
	}
	thoughts(d, &echo);
	docecho_release(&echo);
}
