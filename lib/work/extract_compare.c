/*
 * Comparisons of records: what the user ordered and no call did, what an output found and
 * nothing named again. Only what can be told from the tables; a fact that was dropped from
 * them can make either of the two wrong, which is why a document says "in what is recorded".
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/prose.h"

#define UNMET_MAX     16
#define ORDERS_MAX    40   /* newest prompts looked at */
#define ORDER_BYTES   1500 /* longer ones are mostly pasted */
#define CLAUSES_MAX   64
#define SUBJECT_BYTES 7 /* of a commit are how it is named */

#define FINDINGS_OF_ONE 4

void extract_note_finding(struct extract *x, str text)
{
	struct fact_finding *f;
	str clause, subject;
	size_t it = 0;

	for (size_t i = 0; i < FINDINGS_OF_ONE; i++) {
		if (!prose_finding(text, &it, &clause, &subject))
			return;
		f = extract_push_newest(x, &extract_table[T_FINDING]);
		f->record = x->f.records;
		f->text = extract_keep_line(x, extract_squeezed(x, clause));
		f->subject = extract_keep_line(x, subject);
	}
}

/* The path ends in the name, at a border between parts. */
static bool ends_in(str path, str name)
{
	char before;

	if (!str_ends(path, name))
		return false;
	before = path.n > name.n ? path.p[path.n - name.n - 1] : '/';
	return before == '/' || before == '\\';
}

/* Since that record a call wrote the file, or might have: an edit, a command, an agent's report. */
static bool written_since(const struct facts *f, str path, uint64_t record)
{
	str name = str_basename(path);

	for (size_t i = 0; i < f->nedit; i++) {
		if (f->edit[i].last > record && ends_in(f->edit[i].path, name))
			return true;
	}
	for (size_t i = 0; i < f->ncommand; i++) {
		if (f->command[i].record > record &&
		    str_find(f->command[i].text, name) != STR_NPOS)
			return true;
	}
	for (size_t i = 0; i < f->nopen; i++) {
		if (str_find(f->open[i].label, name) != STR_NPOS)
			return true;
	}
	for (size_t i = 0; i < f->nlost; i++) {
		if (f->lost[i].record > record &&
		    str_find(f->lost[i].label, name) != STR_NPOS)
			return true;
	}
	for (size_t i = 0; i < f->nagent; i++) {
		if (f->agent[i].record > record &&
		    str_find(f->agent[i].result, name) != STR_NPOS)
			return true;
	}
	return false;
}

static void add_unmet(struct facts *v, str path, uint64_t record)
{
	for (size_t i = 0; i < v->nunmet; i++) {
		if (str_eq(v->unmet[i].text, path))
			return;
	}
	if (v->nunmet < UNMET_MAX)
		v->unmet[v->nunmet++] = (struct fact_name){path, 1, record};
}

/* The word before the file says that it is a means or a pattern: "run x.sh", "as in a.c". */
static bool is_means(str text, str path)
{
	static const str words[] = {
		STR("with"),    STR("via"),     STR("using"), STR("by"),      STR("like"),
		STR("from"),    STR("see"),     STR("than"),  STR("per"),     STR("run"),
		STR("runs"),    STR("running"), STR("call"),  STR("calling"), STR("read"),
		STR("execute"), STR("reading"), STR("source")};
	str before = str_head(text, (size_t)(path.p - text.p)), word;
	size_t k;

	while (before.n && strchr("`\"'(@ ", before.p[before.n - 1]))
		before.n--;
	k = str_rchr(before, ' ');
	word = k == STR_NPOS ? before : str_from(before, k + 1);

	for (size_t i = 0; i < COUNT(words); i++) {
		if (str_ieq(word, words[i]))
			return true;
	}
	return false;
}

/* How many files the text names; the first one in *first. *written: something wrote one of them since. */
static size_t named_files(const struct facts *v, str text, uint64_t record, str *first,
			  bool *written)
{
	struct prose_token t;
	bool tick = false;
	size_t it = 0, n = 0;

	*written = false;
	while (prose_token(text, &it, &tick, &t)) {
		if (t.kind != PROSE_PATH || t.text.p[t.text.n - 1] == '/' ||
		    is_means(text, t.text))
			continue;
		if (n++ == 0)
			*first = t.text;
		*written |= written_since(v, t.text, record);
	}
	return n;
}

/*
 * An order that names several files is met when one of them was written: "move it from a.c
 * to b.c". One without a file is about the prompt's only one: "append it to the file above".
 */
static void unmet_clause(struct facts *v, str clause, const struct fact_prompt *p)
{
	size_t it = 0, n;
	str what, first;
	bool written;

	if (!prose_orders_write(clause, &it, &what) || prose_constraint(clause) > 1)
		return;
	do {
		n = named_files(v, what, p->record, &first, &written);
		if (n == 0 && str_find(what, STR(" file")) != STR_NPOS)
			n = named_files(v, p->text, p->record, &first, &written) == 1;
		if (n && !written)
			add_unmet(v, first, p->record);
	} while (prose_orders_write(clause, &it, &what));
}

/* An order that nothing followed yet is no broken one: the model must have answered after it. */
static void show_unmet(struct extract *x)
{
	struct facts *v = &x->view;
	str clause[CLAUSES_MAX];
	size_t n, from = v->nprompt > ORDERS_MAX ? v->nprompt - ORDERS_MAX : 0;

	v->unmet = arena_new(&x->other, struct fact_name, UNMET_MAX);
	v->nunmet = 0;
	for (size_t i = from; v->unmet && i < v->nprompt; i++) {
		const struct fact_prompt *p = &v->prompt[i];

		if ((p->kind != FACT_PROMPT && p->kind != FACT_QUEUED) ||
		    p->text.n > ORDER_BYTES || p->record >= v->last_text_record)
			continue;
		n = prose_sentences(&x->other, p->text, true, clause, CLAUSES_MAX);
		for (size_t k = 0; k < n; k++)
			unmet_clause(v, clause[k], p);
	}
}

/* Words, commands or edits after that record name it. */
static bool named_since(const struct facts *f, str subject, uint64_t record)
{
	str name = str_chr(subject, '/') == STR_NPOS ? utf8_head(subject, 40)
						     : str_basename(subject);

	if (str_chr(name, '.') == STR_NPOS && str_chr(name, '_') == STR_NPOS)
		name = str_head(name, name.n > SUBJECT_BYTES ? SUBJECT_BYTES : name.n);
	for (size_t i = 0; i < f->nprompt; i++) {
		if (f->prompt[i].record > record &&
		    str_find(f->prompt[i].text, name) != STR_NPOS)
			return true;
	}
	for (size_t i = 0; i < f->nsentence; i++) {
		if (f->sentence[i].record > record &&
		    str_find(f->sentence[i].text, name) != STR_NPOS)
			return true;
	}
	return written_since(f, subject, record) ||
	       str_find(f->last_text, name) != STR_NPOS;
}

/* The count of a finding and what was counted: "found 2 potential issues" gives 2 and "issue". */
static bool counted(str clause, uint64_t *count, str *what)
{
	str w;

	*what = STR_NONE;
	*count = 0;
	while (str_word(&clause, &w)) {
		while (w.n && !str_is_alnum(w.p[w.n - 1]))
			w.n--;
		if (!*count)
			str_u64(w, count);
		else if (w.n > 4)
			*what = w;
	}
	if (str_ends(*what, STR("s")))
		what->n--;
	return *count && what->n >= 3;
}

/* "both review issues", "all 3 problems", "the two bugs", "neither issue": the sentence is about all of them. */
static bool speaks_of_all(str sentence, uint64_t count, str what)
{
	static const char *const words[] = {"zero",  "one",  "two", "three",
					    "four",  "five", "six", "seven",
					    "eight", "nine", "ten"};
	str w;

	if (str_ifind(sentence, what) == STR_NPOS)
		return false;
	while (str_word(&sentence, &w)) {
		uint64_t n;

		while (w.n && !str_is_alnum(w.p[0]))
			w = str_from(w, 1);
		while (w.n && !str_is_alnum(w.p[w.n - 1]))
			w.n--;
		if ((str_u64(w, &n) && n == count) ||
		    (count < COUNT(words) && str_ieq(w, str_of(words[count]))) ||
		    (count == 2 &&
		     (str_ieq(w, STR("both")) || str_ieq(w, STR("neither")))) ||
		    (count > 2 && (str_ieq(w, STR("all")) || str_ieq(w, STR("none")))))
			return true;
	}
	return false;
}

/* What the model said after it was about the findings, by their number. */
static bool answered_since(const struct facts *f, const struct fact_finding *found)
{
	uint64_t count;
	str what;

	if (!counted(found->text, &count, &what))
		return false;
	for (size_t i = 0; i < f->nsentence; i++) {
		if (f->sentence[i].record > found->record &&
		    speaks_of_all(f->sentence[i].text, count, what))
			return true;
	}
	return false;
}

static void show_unfollowed(struct extract *x)
{
	struct facts *v = &x->view;

	v->unfollowed = arena_new(&x->other, struct fact_finding, FINDINGS_MAX);
	v->nunfollowed = 0;
	for (size_t i = 0; v->unfollowed && i < x->nfinding; i++) {
		const struct fact_finding *f = &x->finding[i];

		if (!named_since(v, f->subject, f->record) && !answered_since(v, f))
			v->unfollowed[v->nunfollowed++] = *f;
	}
}

void extract_compare(struct extract *x)
{
	show_unmet(x);
	show_unfollowed(x);
}
