#include "work/save.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "data/digest.h"
#include "data/note.h"
#include "work/carry.h"
#include "work/hazards.h"
#include "work/identity.h"
#include "work/prose.h"
#include "work/redact.h"
#include "work/trust.h"

#define TITLE_BYTES 100
#define ENV_FILES   30
#define GIT_MS      2000
#define HEAD_DIGITS 12
#define MS_NS       INT64_C(1000000)
#define BODY_MAX    (1u << 20)
#define COPY_MODE   0644

/* ---- the text as it came ---- */

/* The model may wrap it all into one fence. */
static str unfenced(str text)
{
	str rest = str_trim(text), line;
	size_t last;

	if (!str_starts(rest, STR("```")) || !str_line(&rest, &line))
		return text;
	rest = str_trim_right(rest);
	last = str_rfind(rest, STR("\n```"));
	if (last == STR_NPOS || last + 4 != rest.n)
		return text;
	return str_head(rest, last + 1);
}

/* From the title, or the front matter, on: what was said before it is no part of it. */
static str document_of(str text)
{
	str rest = text, line;

	if (str_starts(text, STR("---\n")))
		return text;
	while (rest.n) {
		str here = rest;

		if (!str_line(&rest, &line))
			break;
		if (str_starts(line, STR("# ")) || str_starts(line, STR("## ")) ||
		    str_eq(line, STR("---")))
			return here;
	}
	return text;
}

/* Clean text: LF, no control characters, no secrets. */
static size_t take_in(struct buf *out, str text)
{
	struct buf shown = BUF_INIT(BODY_MAX), lf = BUF_INIT(BODY_MAX);
	size_t secrets;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_from(text, 3);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\r' || (i + 1 < text.n && text.p[i + 1] != '\n'))
			buf_byte(&lf, text.p[i]);
	utf8_show(&shown, document_of(unfenced(buf_str(&lf))), UTF8_TEXT);
	secrets = redact(out, buf_str(&shown));
	buf_release(&shown);
	buf_release(&lf);
	return secrets;
}

/* ---- sections ---- */

static const struct {
	const char *word, *heading;
} SECTION[] = {
	{"goal", "Goal"},
	{"done", "Done"},
	{"next", "Next"},
	{"hazards", "Hazards (never filtered)"},
	{"key context", "Key Context"},
	{"environment", "Environment"},
	{"files to read", "Files to Read"},
	{"verify", "Verify Before Continuing"},
	{"known gaps", "Known Gaps"},
};

enum {
	S_GOAL,
	S_HAZARDS = 3,
	S_ENVIRONMENT = 5,
	SECTIONS = sizeof(SECTION) / sizeof(SECTION[0])
};

struct parts {
	str title;
	str body[SECTIONS]; /* p NULL: not there */
	str other;          /* unknown sections are kept behind the others */
};

static size_t section_of(str heading)
{
	for (size_t i = 0; i < SECTIONS; i++) {
		str w = str_of(SECTION[i].word);

		if (str_istarts(heading, w) &&
		    (heading.n == w.n || heading.p[w.n] == ' ' || heading.p[w.n] == ':'))
			return i;
	}
	return SECTIONS;
}

static void take_apart(struct parts *p, const struct note *n, struct buf *other)
{
	str heading, body;
	size_t it = 0, k;

	*p = (struct parts){.title = n->title};
	while (note_section(n, &it, &heading, &body)) {
		k = section_of(heading);
		if (k < SECTIONS && !p->body[k].p)
			p->body[k] = body.p ? body : STR("");
		else if (k == SECTIONS && !str_eq(heading, STR("Since this handoff")))
			buf_printf(other, "\n## %.*s\n%.*s\n", STR_ARG(heading),
				   STR_ARG(str_trim(body)));
	}
	p->other = buf_str(other);
}

#define WHO_BYTES 60 /* of an item before what it quotes */

/* The words before a quotation say no more than whose it is: "The user said (twice): ", "**User:** ". */
static bool names_user(str head)
{
	static const char *const words[] = {
		"the",   "user",     "user's",     "said",  "says", "asked", "wrote",
		"told",  "me",       "us",         "words", "own",  "in",    "stated",
		"twice", "verbatim", "explicitly", "again", "also", NULL};
	bool user = false;
	str w;

	while (str_word(&head, &w)) {
		size_t i;

		while (w.n && !str_is_alpha(w.p[0]))
			w = str_from(w, 1);
		while (w.n && !str_is_alpha(w.p[w.n - 1]))
			w.n--;
		for (i = 0; words[i] && !str_ieq(w, str_of(words[i])); i++)
			;
		if (w.n && !words[i])
			return false;
		user = user || str_istarts(w, STR("user"));
	}
	return user;
}

/* Where a quotation begins, in any kind of marks. */
static size_t quote_at(str s)
{
	static const str marks[] = {STR("\""), STR("\xe2\x80\x9c"), STR("\xc2\xab")};
	size_t at = STR_NPOS;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t k = str_find(s, marks[i]);

		at = k < at ? k : at;
	}
	return at;
}

/* `- The user said: "x"` and kin become `- User: "x"`, so that they are known and carried. */
static void add_hazard_line(struct buf *out, str line)
{
	bool item = str_starts(line, STR("- ")) || str_starts(line, STR("* "));
	str words = item ? str_from(line, 2) : line;
	size_t quote = quote_at(words), colon = str_find(words, STR(": "));

	if (!item || str_starts(line, STR("- User: ")))
		quote = colon = STR_NPOS;
	if (quote <= WHO_BYTES && names_user(str_head(words, quote)))
		words = str_from(words, quote);
	else if (colon <= WHO_BYTES && names_user(str_head(words, colon)))
		words = str_trim(str_from(words, colon + 2));
	else
		words = STR_NONE;
	if (words.n) {
		buf_add(out, STR("- User: "));
		line = words;
	}
	buf_add(out, line);
	buf_byte(out, '\n');
}

static bool stands(str hazards, str line)
{
	struct buf want = BUF_INIT(BODY_MAX), have = BUF_INIT(BODY_MAX);
	bool yes = false;
	size_t it = 0;
	str one;

	check_hazard_key(&want, line);
	while (!yes && handoff_next_hazard(hazards, &it, &one)) {
		buf_reset(&have);
		check_hazard_key(&have, one);
		yes = str_find(buf_str(&have), buf_str(&want)) != STR_NPOS;
	}
	buf_release(&want);
	buf_release(&have);
	return yes;
}

/* "None" and kin say that there is nothing: not so once something is carried. */
static bool says_none(str line)
{
	line = str_trim(line);
	if (str_starts(line, STR("- ")))
		line = str_from(line, 2);
	return str_istarts(line, STR("none")) && line.n <= 16;
}

static void add_hazards(struct buf *out, str body, const struct carry *c,
			struct save_done *done)
{
	struct buf own = BUF_INIT(BODY_MAX);
	str line;

	while (str_line(&body, &line))
		if (str_trim(line).n && !(c->nhazard && says_none(line)))
			add_hazard_line(&own, str_trim_right(line));
	for (size_t i = 0; i < c->nhazard; i++) {
		if (stands(buf_str(&own), c->hazard[i]))
			continue;
		buf_add(out, c->hazard[i]);
		buf_byte(out, '\n');
		*(i < c->nearlier ? &done->carried : &done->kept) += 1;
	}
	buf_add(out, buf_str(&own));
	buf_release(&own);
}

/* ---- putting it together ---- */

static void field(struct buf *b, const char *key, str value)
{
	struct buf shown = BUF_INIT(BODY_MAX);

	redact_show(&shown, value, true);
	if (shown.n)
		note_add_field(b, key, buf_str(&shown));
	else
		buf_printf(b, "%s: null\n", key);
	buf_release(&shown);
}

static void front(struct buf *b, const struct scope *s, const struct save_options *o,
		  const struct carry *c, const struct gitstate *git,
		  const struct save_done *done)
{
	bool repo = git->kind == GITSTATE_REPO;
	char at[CLOCK_ISO_BYTES];

	clock_iso_s(at, clock_now());
	buf_printf(b, "---\ntype: handoff\ncreated: %s\n", at);
	field(b, "source_session", str_of(s->session));
	buf_add(b, STR("lineage: ["));
	for (size_t i = 0, n = 0; i < c->nname; i++)
		if (strcmp(c->name[i], done->name))
			buf_printf(b, "%s%s", n++ ? ", " : "", c->name[i]);
	buf_add(b, STR("]\n"));
	field(b, "focus_filter", o->focus);
	buf_add(b, STR("confidence: high\n"));
	field(b, "project", str_of(s->project));
	buf_printf(b, "kind: %s\nstatus: %s\n", o->recovered ? "recovered" : "manual",
		   docs_status_name(done->status));
	field(b, "branch", str_of(repo && git->branch ? git->branch : ""));
	field(b, "head",
	      str_head(str_of(repo && git->head ? git->head : ""), HEAD_DIGITS));
	field(b, "worktree", str_of(s->worktree));
	field(b, "transcript",
	      str_basename(str_of(s->j && s->j->transcript ? s->j->transcript : "")));
	field(b, "claimed_by",
	      str_of(done->status == DOCS_CLAIMED ? c->taken->claimed_by : ""));
	buf_add(b, STR("---\n\n"));
}

/* Without one, the goal's first words. */
static void title(struct buf *b, const struct parts *p)
{
	struct buf flat = BUF_INIT(BODY_MAX);
	str t = p->title;

	if (str_istarts(t, STR("Handoff:")))
		t = str_trim(str_from(t, 8));
	prose_squeeze(&flat, t.n ? t : p->body[S_GOAL]);
	buf_add(b, STR("# Handoff: "));
	prose_cut(b, buf_str(&flat), TITLE_BYTES);
	buf_byte(b, '\n');
	buf_release(&flat);
}

/* The text of the document whose place this one takes; empty when there is none. */
static str replaced(const struct carry *c, const struct save_done *done)
{
	const struct docs_item *it = docs_named(&c->docs, str_of(done->name));

	return it && !it->archived ? str_of(it->text) : STR_NONE;
}

static void compose(struct buf *out, const struct scope *s, const struct save_options *o,
		    const struct parts *p, const struct carry *c,
		    const struct gitstate *git, struct save_done *done)
{
	front(out, s, o, c, git, done);
	title(out, p);
	for (size_t i = 0; i < SECTIONS; i++) {
		if (i == S_ENVIRONMENT) {
			buf_printf(out, "\n## %s\n", SECTION[i].heading);
			gitstate_show(git, out, ENV_FILES);
		} else if (i == S_HAZARDS && (p->body[i].p || c->nhazard ||
					      hazards_retires(replaced(c, done)))) {
			buf_printf(out, "\n## %s\n", SECTION[i].heading);
			add_hazards(out, p->body[i], c, done);
		} else if (p->body[i].p) {
			str body = str_trim(p->body[i]);

			buf_printf(out, "\n## %s\n%.*s%s", SECTION[i].heading,
				   STR_ARG(body), body.n ? "\n" : "");
		}
	}
	buf_add(out, p->other);
}

/* ---- the copy ---- */

/* Append the path that HANDOFF_DOC means, if it lies inside the work tree and no part of it is a link. */
static int copy_path(const struct scope *s, const char *named, struct buf *path,
		     struct err *e)
{
	str rest = str_of(named), part, top = str_of(s->worktree);
	struct stat st;

	if (rest.p[0] == '/') {
		if (!str_starts(rest, top) || rest.n <= top.n + 1 || rest.p[top.n] != '/')
			return err_set(e, HF_EUSAGE, "HANDOFF_DOC: %s lies outside %s",
				       named, s->worktree);
		rest = str_from(rest, top.n + 1);
	}
	buf_add(path, top);
	while (str_split(&rest, '/', &part)) {
		if (!part.n || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR("..")) || str_ieq(part, STR(".git")))
			return err_set(e, HF_EUSAGE,
				       "HANDOFF_DOC: %s: '%.*s' is not allowed", named,
				       STR_ARG(part));
		buf_byte(path, '/');
		buf_add(path, part);
		if (io.lstat(buf_cstr(path), &st) < 0) {
			if (rest.n && io.mkdir(buf_cstr(path), 0777) < 0)
				return err_sys(e, "HANDOFF_DOC: %s", buf_cstr(path));
		} else if (rest.n ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode)) {
			return err_set(e, HF_EUSAGE,
				       "HANDOFF_DOC: %s is no %s, or a link",
				       buf_cstr(path), rest.n ? "folder" : "file");
		}
	}
	return path->full || path->n == top.n
		       ? err_set(e, HF_EUSAGE, "HANDOFF_DOC: '%s' names no file", named)
		       : 0;
}

/* Only a handoff document, or an empty file, is written over. */
static int is_document(const char *path, struct err *e)
{
	struct buf text = BUF_INIT(HANDOFF_DOC_MAX);
	struct docs_item it;
	struct stat st;
	bool is;

	if (io.lstat(path, &st) < 0 || !st.st_size)
		return 0;
	is = fs_read(path, &text, NULL) == 0 &&
	     docs_item_of(&it, STR("copy"), buf_str(&text));
	if (is)
		docs_item_release(&it);
	buf_release(&text);
	return is ? 0
		  : err_set(e, HF_EUSAGE,
			    "HANDOFF_DOC: %s is no handoff document: it stays as it is",
			    path);
}

static void make_copy(const struct scope *s, str text, struct save_done *done)
{
	const char *named = getenv("HANDOFF_DOC");
	struct buf path = BUF_INIT(PATH_MAX);
	struct err e = ERR_INIT;
	int ret;

	if (!named || !*named)
		return;
	ret = copy_path(s, named, &path, &e);
	if (!ret)
		ret = is_document(buf_cstr(&path), &e);
	if (!ret)
		ret = fs_write_atomic(buf_cstr(&path), text, COPY_MODE, &e);
	if (!ret)
		ret = trust_text(s->state_dir, text, &e);
	if (ret)
		done->copy_problem = str_dup(str_of(e.msg));
	else
		done->copy = str_dup(buf_str(&path));
	buf_release(&path);
}

/* ---- writing ---- */

/*
 * A recovered document stands in the place of the automatic one also when that has been
 * taken up: most likely by the session that has made it better. It would come up again
 * beside it otherwise.
 */
static void choose_name(const struct scope *s, const struct save_options *o,
			const struct carry *c, struct save_done *done)
{
	struct buf name = BUF_INIT(DOCS_NAME_MAX);
	bool taken = o->recovered && c->taken && c->taken->kind != HANDOFF_MANUAL;

	done->status = taken                            ? DOCS_CLAIMED
		       : scope_runs(s) && !o->recovered ? DOCS_LIVE
							: DOCS_PENDING;
	if (taken)
		buf_add(&name, str_of(c->taken->name));
	else if (c->own)
		buf_add(&name, str_of(c->own->name));
	else
		docs_name(&name, &s->vault, str_of(s->project), clock_now(),
			  str_of(s->session));
	snprintf(done->name, sizeof(done->name), "%s", buf_cstr(&name));
	buf_release(&name);
}

/* What the hooks must know of it. The document stands; the next event repairs a lost entry. */
static int note_in_journal(struct scope *s, const struct save_options *o,
			   const struct save_done *done, struct err *e)
{
	struct journal *j = s->j;

	if (!j)
		return 0;
	journal_set(&j->document, str_of(done->name));
	j->manual = true;
	j->worked = true;
	if (o->recovered && j->state == JOURNAL_OPEN && !scope_runs(s))
		j->state = JOURNAL_RECOVERED;
	return journal_save(j, e);
}

static void record_project(struct scope *s)
{
	struct project p;

	/* only names the owner of the folder for later: the document is stored without it */
	if (scope_identify(s, &p, NULL) == 0) {
		identity_record(&s->vault, &p, str_of(s->project), NULL);
		project_release(&p);
	}
}

static int check_and_write(struct scope *s, str text, const struct save_options *o,
			   const struct gitstate *git, struct save_done *done,
			   struct err *e)
{
	struct check_options co = {
		.vault = &s->vault,
		.project = str_of(s->project),
		.worktree = fs_is_dir(s->worktree) ? s->worktree : NULL,
		.git = git,
		.budget = o->budget,
	};
	int ret;

	check_document(&done->check, text, &co);
	if (done->check.n)
		return err_set(e, HF_EFORMAT, "%s",
			       done->check.item[done->check.n - 1].text);
	ret = vault_lock(&s->vault, VAULT_LOCK_LONG_MS, e);
	if (ret)
		return ret;
	ret = docs_save(&s->vault, str_of(s->project), str_of(done->name), text, e);
	vault_unlock(&s->vault);
	if (ret)
		return ret;
	record_project(s);
	make_copy(s, text, done);
	return note_in_journal(s, o, done, e);
}

static int compose_and_write(struct scope *s, str clean, const struct save_options *o,
			     const struct carry *c, struct save_done *done, struct err *e)
{
	struct buf made = BUF_INIT(HANDOFF_DOC_MAX), text = BUF_INIT(HANDOFF_DOC_MAX),
		   other = BUF_INIT(BODY_MAX);
	struct gitstate_options go = {.deadline_ns =
					      clock_mono_ns() +
					      (o->git_ms ? o->git_ms : GIT_MS) * MS_NS};
	struct gitstate git;
	struct parts p;
	struct note n;
	int ret;

	note_parse(&n, clean);
	take_apart(&p, &n, &other);
	choose_name(s, o, c, done);
	gitstate_read(&git, s->worktree, &go);
	compose(&made, s, o, &p, c, &git, done);
	hazards_keep_retired(&text, buf_str(&made), replaced(c, done));
	if (made.full || text.full || other.full)
		ret = err_set(e, HF_ELIMIT, "the document is over %u bytes",
			      HANDOFF_DOC_MAX);
	else
		ret = check_and_write(s, buf_str(&text), o, &git, done, e);
	gitstate_release(&git);
	buf_release(&made);
	buf_release(&text);
	buf_release(&other);
	return ret;
}

int save_document(struct scope *s, str text, const struct save_options *o,
		  struct save_done *done, struct err *e)
{
	struct buf clean = BUF_INIT(BODY_MAX);
	struct carry c = {.nname = 0};
	int ret;

	*done = (struct save_done){.secrets = 0};
	if (!s->session[0])
		return err_set(e, HF_EUSAGE, "a document needs the session it is of");
	if (text.n > SAVE_INPUT_MAX)
		return err_set(e, HF_ELIMIT, "the document is over %u bytes",
			       SAVE_INPUT_MAX);
	done->secrets = take_in(&clean, text);
	if (!str_trim(buf_str(&clean)).n)
		ret = err_set(e, HF_EFORMAT, "the document is empty");
	else
		ret = carry_load(&c, s, e);
	if (!ret)
		ret = compose_and_write(s, buf_str(&clean), o, &c, done, e);
	carry_release(&c);
	buf_release(&clean);
	return ret;
}

void save_release(struct save_done *done)
{
	check_release(&done->check);
	free(done->copy);
	free(done->copy_problem);
	*done = (struct save_done){.secrets = 0};
}

void save_next(const struct scope *s, const struct save_done *done, struct buf *out)
{
	buf_printf(out, "Saved as %s (project %s, %llu tokens).\n", done->name,
		   s->project, (unsigned long long)done->check.tokens);
	if (done->carried)
		buf_printf(out, "Added from earlier sessions: %zu stated hazard%s.\n",
			   done->carried, done->carried == 1 ? "" : "s");
	if (done->kept)
		buf_printf(out,
			   "Kept from this session's own notes: %zu stated hazard%s.\n",
			   done->kept, done->kept == 1 ? "" : "s");
	if (done->secrets)
		buf_printf(out, "Taken out: %zu secret%s.\n", done->secrets,
			   done->secrets == 1 ? "" : "s");
	if (done->copy)
		buf_printf(out, "A copy to read: %s\n", done->copy);
	if (done->copy_problem)
		buf_printf(out, "No copy was made: %s\n", done->copy_problem);
	buf_printf(
		out,
		"\nNext: run /clear (or start a new session in this directory). The document comes back "
		"by itself;\nthe first prompt takes it up.\n"
		"In another client, paste: Run `handoff show %s` and confirm you have context.\n",
		done->name);
	if (done->copy)
		buf_printf(out, "Or: Read %s and confirm you have context.\n",
			   done->copy);
}
