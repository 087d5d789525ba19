/*
 * Calls that the client left behind. A client that is killed during a call and started again
 * drops the call without a word: the records go on with the next prompt, and neither they
 * nor the model tell whether it ran. Such a call is told until something shows what became
 * of it: it was made again, a command looked at what it would have changed, or the user
 * said so. What the model says is a claim, and shows nothing.
 */
#include "work/extract_impl.h"
#include "work/prose.h"

#define SUBJECT_BYTES 4 /* shorter names stand in too many commands */

static bool is_editor(str name)
{
	static const str tools[] = {STR("Edit"), STR("Write"), STR("MultiEdit"),
				    STR("NotebookEdit")};

	return extract_in_list(name, tools, COUNT(tools));
}

static bool ends_in(str path, str name)
{
	return str_ends(path, name) &&
	       (path.n == name.n || path.p[path.n - name.n - 1] == '/' ||
		path.p[path.n - name.n - 1] == '\\');
}

/* text holds the name, not as a part of a longer one. */
static bool holds_name(str text, str name)
{
	size_t from = 0, k;

	while ((k = str_find(str_from(text, from), name)) != STR_NPOS) {
		size_t at = from + k, end = at + name.n;

		if ((at == 0 || !str_is_alnum(text.p[at - 1])) &&
		    (end == text.n || (!str_is_alnum(text.p[end]) && text.p[end] != '_')))
			return true;
		from = at + 1;
	}
	return false;
}

/* A command, an edit or a read after that record was about the file. */
static bool file_met(const struct facts *f, str name, uint64_t record)
{
	for (size_t i = 0; i < f->ncommand; i++) {
		if (f->command[i].record > record && holds_name(f->command[i].text, name))
			return true;
	}
	for (size_t i = 0; i < f->nedit; i++) {
		if (f->edit[i].last > record && ends_in(f->edit[i].path, name))
			return true;
	}
	for (size_t i = 0; i < f->nread; i++) {
		if (f->read[i].record > record && ends_in(f->read[i].path, name))
			return true;
	}
	return false;
}

/* Next word of a command that names a script or a file; its last part. */
static bool next_subject(str *rest, str *subject)
{
	str w;

	while (str_word(rest, &w)) {
		while (w.n && strchr("\"'();", w.p[0]))
			w = str_from(w, 1);
		while (w.n && strchr("\"'();,", w.p[w.n - 1]))
			w.n--;
		if (w.n == 0 || strchr("-$|&>", w.p[0]))
			continue;
		*subject = str_basename(w);
		if (subject->n >= SUBJECT_BYTES &&
		    (subject->n < w.n || prose_is_path(w)) && str_is_alpha(subject->p[0]))
			return true;
	}
	return false;
}

static bool names_subject(str part, str text)
{
	str rest = part, subject;

	while (next_subject(&rest, &subject)) {
		if (holds_name(text, subject))
			return true;
	}
	return false;
}

/* What git said after that record that shows whether the verb was carried out. */
static bool git_met(const struct facts *f, str verb, uint64_t record)
{
	static const str here[] = {STR("status"), STR("log"),  STR("show"),
				   STR("reflog"), STR("diff"), STR("commit")};
	static const str there[] = {STR("status"), STR("log"),  STR("push"),
				    STR("fetch"),  STR("pull"), STR("ls-remote")};
	bool push = str_eq(verb, STR("push"));

	if (!push && f->ncommit && f->commit[f->ncommit - 1].record > record)
		return true;
	if (push && f->npush && f->push[f->npush - 1].record > record)
		return true;
	for (size_t i = 0; i < f->ncommand; i++) {
		size_t it = 0;
		str part, v;

		while (f->command[i].record > record &&
		       prose_command_part(f->command[i].text, true, &it, &part)) {
			v = prose_git_verb(part);
			if (str_eq(v, verb) ||
			    (push ? extract_in_list(v, there, COUNT(there))
				  : extract_in_list(v, here, COUNT(here))))
				return true;
		}
	}
	return false;
}

static size_t words_of(str s)
{
	size_t n = 0;
	str w;

	while (str_word(&s, &w))
		n++;
	return n;
}

/* The same program with the same verb ran after that record, or one about a file that it names. */
static bool run_met(const struct facts *f, str part, uint64_t record)
{
	struct buf mine = BUF_INIT(NORM_BYTES), other = BUF_INIT(NORM_BYTES);
	bool met = false;
	str rest = part, subject;

	prose_family(&mine, part);
	for (size_t i = 0; i < f->ncommand && !met; i++) {
		size_t it = 0;
		str p;

		while (f->command[i].record > record && !met &&
		       prose_command_part(f->command[i].text, true, &it, &p)) {
			buf_reset(&other);
			prose_family(&other, p);
			met = str_eq(p, part) ||
			      (words_of(buf_str(&mine)) > 1 &&
			       str_eq(buf_str(&mine), buf_str(&other)));
		}
	}
	while (!met && next_subject(&rest, &subject))
		met = file_met(f, subject, record);
	buf_release(&mine);
	buf_release(&other);
	return met;
}

/* All of its commands that change something; of one that only looks, all. */
static bool shell_met(const struct facts *f, const struct fact_call *c)
{
	bool looks = prose_only_reads(c->label), any = false;
	size_t it = 0;
	str part, verb;

	while (prose_command_part(c->label, true, &it, &part)) {
		if (!looks && prose_only_reads(part))
			continue;
		any = true;
		verb = prose_git_verb(part);
		if (verb.n ? !git_met(f, verb, c->record) : !run_met(f, part, c->record))
			return false;
	}
	return any;
}

/* The user told how it went: by the name of what it runs, or as "it" right afterwards. */
static bool user_told(const struct facts *f, const struct fact_call *c)
{
	size_t after = 0;

	for (size_t i = 0; i < f->nprompt && after < 2; i++) {
		const struct fact_prompt *p = &f->prompt[i];

		if (p->record <= c->record ||
		    (p->kind != FACT_PROMPT && p->kind != FACT_QUEUED))
			continue;
		after++;
		if (prose_reports(p->text) == PROSE_REPORT_IT ||
		    (prose_reports(p->text) && names_subject(c->label, p->text)))
			return true;
	}
	return false;
}

static bool agent_met(const struct facts *f, const struct fact_call *c)
{
	for (size_t i = 0; i < f->nagent; i++) {
		if (f->agent[i].record > c->record && c->description.n &&
		    str_eq(f->agent[i].description, c->description))
			return true;
	}
	return false;
}

static bool is_met(const struct facts *f, const struct fact_call *c)
{
	if (user_told(f, c))
		return true;
	if (c->agent)
		return agent_met(f, c);
	if (extract_is_shell(c->name))
		return shell_met(f, c);
	if (is_editor(c->name))
		return file_met(f, str_basename(c->label), c->record);
	/* other tools of the client look, and those of servers are known by nobody */
	return !str_starts(c->name, STR("mcp__"));
}

void extract_show_lost(struct extract *x)
{
	struct facts *v = &x->view;
	size_t kept = 0;

	for (size_t i = 0; i < v->nlost; i++) {
		if (!is_met(v, &v->lost[i]))
			v->lost[kept++] = v->lost[i];
	}
	v->nlost = kept;
}
