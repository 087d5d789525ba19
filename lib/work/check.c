#include "work/check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "data/json.h"
#include "data/note.h"
#include "work/docs.h"
#include "work/ledger.h"
#include "work/prose.h"
#include "work/redact.h"

#define ITEM_BYTES  300 /* of one problem */
#define FILES_MAX   200 /* names looked at */
#define HEAD_DIGITS 7   /* as many must agree */

/* ---- problems ---- */

static void problem(struct check *c, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void problem(struct check *c, const char *kind, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(HANDOFF_DOC_MAX), shown = BUF_INIT(2 * HANDOFF_DOC_MAX);
	va_list ap;

	if (c->n == CHECK_MAX) {
		c->more++;
		return;
	}
	va_start(ap, fmt);
	buf_vprintf(&raw, fmt, ap);
	va_end(ap);
	redact_show(&shown, buf_str(&raw), true);
	c->item[c->n].kind = kind;
	buf_reset(&raw);
	prose_cut(&raw, buf_str(&shown), ITEM_BYTES);
	c->item[c->n++].text = buf_take(&raw);
	buf_release(&shown);
}

void check_release(struct check *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->item[i].text);
	*c = (struct check){.n = 0};
}

/* ---- front matter and sections ---- */

static void front(struct check *c, const struct note *n)
{
	static const char *const must[] = {"type", "created", "source_session", "lineage",
					   "confidence"};
	struct buf v = BUF_INIT(HANDOFF_DOC_MAX);

	if (!n->nfields) {
		problem(c, "front", "there is no front matter");
		return;
	}
	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (!note_get(n, must[i]).p)
			problem(c, "front", "the front matter has no `%s`", must[i]);
	if (note_value(n, "type", &v) && !str_eq(buf_str(&v), STR("handoff")))
		problem(c, "front", "`type` is %s, not handoff", buf_cstr(&v));
	if (!n->title.n)
		problem(c, "front", "there is no title line (# Handoff: ...)");
	buf_release(&v);
}

struct wanted {
	const char *name;
	bool filled; /* must not be empty */
	size_t at;   /* in struct handoff_doc */
};

static const struct wanted WANTED[] = {
	{"Goal", true, offsetof(struct handoff_doc, goal)},
	{"Done", false, offsetof(struct handoff_doc, done)},
	{"Next", true, offsetof(struct handoff_doc, next)},
	{"Hazards", false, offsetof(struct handoff_doc, hazards)},
	{"Key Context", false, offsetof(struct handoff_doc, context)},
	{"Environment", false, offsetof(struct handoff_doc, environment)},
	{"Files to Read", false, offsetof(struct handoff_doc, files)},
	{"Verify Before Continuing", false, offsetof(struct handoff_doc, verify)},
};

/* Read it whatever it lacks. */
static void read_anyway(struct handoff_doc *d, str text, struct buf *with_front)
{
	struct note n;

	if (handoff_read(d, text, NULL) == 0 || d->goal.p || d->next.p || d->hazards.p)
		return;
	note_parse(&n, text);
	buf_add(with_front, STR("---\ntype: handoff\n---\n"));
	buf_add(with_front, n.body);
	handoff_read(d, buf_str(with_front), NULL);
}

static void sections(struct check *c, const struct handoff_doc *d)
{
	for (size_t i = 0; i < sizeof(WANTED) / sizeof(WANTED[0]); i++) {
		const str *s =
			(const str *)(const void *)((const char *)d + WANTED[i].at);

		if (!s->p)
			problem(c, "section", "there is no section \"## %s\"",
				WANTED[i].name);
		else if (WANTED[i].filled && !str_trim(*s).n)
			problem(c, "section", "the section \"## %s\" is empty",
				WANTED[i].name);
	}
}

/* A line that is nothing but "<...>" is the template's. */
static void template_left(struct check *c, str body)
{
	bool fenced = false;
	str line;

	while (str_line(&body, &line)) {
		line = str_trim(line);
		if (str_starts(line, STR("```")))
			fenced = !fenced;
		if (fenced || line.n < 12 || line.p[0] != '<' ||
		    !str_ends(line, STR(">")) || str_chr(line, ' ') == STR_NPOS ||
		    line.p[1] == '/' || line.p[1] == '!' ||
		    str_chr(str_head(line, line.n - 1), '>') != STR_NPOS)
			continue;
		problem(c, "template", "left from the template: %.*s", STR_ARG(line));
	}
}

/* ---- hazards ---- */

static str without(str s, str prefix)
{
	return str_starts(s, prefix) ? str_trim(str_from(s, prefix.n)) : s;
}

/* Bytes of a mark that s begins with and that says nothing: quotes of any kind, backticks, bold. */
static size_t mark_bytes(str s)
{
	static const str marks[] = {
		STR("\""),
		STR("'"),
		STR("`"),
		STR("*"),
		STR("\xe2\x80\x9c"),
		STR("\xe2\x80\x9d"),
		STR("\xe2\x80\x98"),
		STR("\xe2\x80\x99"),
		STR("\xc2\xab"),
		STR("\xc2\xbb"),
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (str_starts(s, marks[i]))
			return marks[i].n;
	return 0;
}

/* The words alone, in small letters; what a frame made text of is read back. */
static void add_key(struct buf *out, str s)
{
	size_t n;

	while (s.n) {
		if ((n = mark_bytes(s)) != 0) {
			s = str_from(s, n);
		} else if (str_starts(s, STR("&lt;"))) {
			buf_byte(out, '<');
			s = str_from(s, 4);
		} else {
			buf_byte(out, str_lower(s.p[0]));
			s = str_from(s, 1);
		}
	}
}

void check_hazard_key(struct buf *out, str line)
{
	struct buf flat = BUF_INIT(HANDOFF_DOC_MAX), words = BUF_INIT(HANDOFF_DOC_MAX);

	line = without(without(without(str_trim(line), STR("- ")), STR("User: ")),
		       STR("Plan: "));
	prose_squeeze(&flat, line);
	add_key(&words, buf_str(&flat));
	line = buf_str(&words);
	while (line.n && str_chr(STR(".! "), line.p[line.n - 1]) != STR_NPOS)
		line.n--;
	buf_add(out, line);
	buf_release(&flat);
	buf_release(&words);
}

bool check_retires(str line, str key)
{
	struct buf b = BUF_INIT(HANDOFF_DOC_MAX);
	bool yes;

	if (!str_starts(line, STR(CHECK_RETIRED)))
		return false;
	check_hazard_key(&b, line);
	yes = key.n && str_ends(buf_str(&b), key);
	buf_release(&b);
	return yes;
}

static bool retired_in(str hazards, str key)
{
	str line;

	while (str_line(&hazards, &line))
		if (check_retires(str_trim(line), key))
			return true;
	return false;
}

static bool stated_in(str hazards, str key)
{
	struct buf b = BUF_INIT(HANDOFF_DOC_MAX);
	bool yes = false;
	size_t it = 0;
	str line;

	while (!yes && handoff_next_hazard(hazards, &it, &line)) {
		buf_reset(&b);
		check_hazard_key(&b, line);
		yes = str_find(buf_str(&b), key) != STR_NPOS;
	}
	buf_release(&b);
	return yes;
}

struct chain {
	struct buf text[CHECK_LINEAGE_MAX];
	str hazards[CHECK_LINEAGE_MAX]; /* the oldest first */
	size_t n;
};

static void read_chain(struct chain *ch, str text, const struct check_options *o)
{
	struct buf name = BUF_INIT(DOCS_NAME_MAX * 2);
	struct note n;
	size_t it = 0;
	str list;

	note_parse(&n, text);
	list = note_get(&n, "lineage");
	while (ch->n < CHECK_LINEAGE_MAX && note_list(list, &it, &name)) {
		struct buf *b = &ch->text[ch->n];
		struct handoff_doc d = {.session = STR_NONE};

		*b = BUF_INIT(HANDOFF_DOC_MAX);
		ch->hazards[ch->n] = STR_NONE;
		if (docs_read(o->vault, o->project, buf_str(&name), b, NULL) == 0) {
			handoff_read(&d, buf_str(b), NULL);
			ch->hazards[ch->n] = d.hazards;
		}
		ch->n++;
	}
	buf_release(&name);
}

/* Was it retired after document i, which states it? */
static bool retired_later(const struct chain *ch, size_t i, str own, str key)
{
	if (retired_in(own, key))
		return true;
	for (; i < ch->n; i++)
		if (retired_in(ch->hazards[i], key))
			return true;
	return false;
}

static void lineage(struct check *c, str text, str own, const struct check_options *o)
{
	struct chain ch = {.n = 0};
	struct buf key = BUF_INIT(HANDOFF_DOC_MAX), seen = BUF_INIT(4 * HANDOFF_DOC_MAX);

	read_chain(&ch, text, o);
	for (size_t i = 0; i < ch.n; i++) {
		size_t it = 0;
		str line;

		while (handoff_next_hazard(ch.hazards[i], &it, &line)) {
			buf_reset(&key);
			check_hazard_key(&key, line);
			if (!key.n || stated_in(own, buf_str(&key)) ||
			    retired_later(&ch, i, own, buf_str(&key)) ||
			    str_find(buf_str(&seen), buf_str(&key)) != STR_NPOS)
				continue;
			buf_add(&seen, buf_str(&key));
			buf_byte(&seen, '\n');
			problem(c, "hazard",
				"a hazard of an earlier session is missing: %.*s",
				STR_ARG(line));
		}
	}
	for (size_t i = 0; i < ch.n; i++)
		buf_release(&ch.text[i]);
	buf_release(&key);
	buf_release(&seen);
}

/* ---- files ---- */

/* The name without a line number (":12", ":12-40") and a slash at its end. */
static str bare(str s)
{
	size_t n = s.n;

	while (n && (str_is_digit(s.p[n - 1]) || s.p[n - 1] == '-' || s.p[n - 1] == ':'))
		n--;
	if (n < s.n && s.p[n] == ':')
		s.n = n;
	return s;
}

/* Something that stands for a file or a folder: no address, no pattern, nothing of home. */
static bool is_file_name(str s)
{
	static const char odd[] = "*?[]{}<>$|\"'`";

	if (!s.n || s.n >= PATH_MAX || s.p[0] == '~' || s.p[0] == '-' ||
	    str_find(s, STR("://")) != STR_NPOS || str_chr(s, ' ') != STR_NPOS)
		return false;
	for (const char *p = odd; *p; p++)
		if (str_chr(s, *p) != STR_NPOS)
			return false;
	return str_chr(s, '/') != STR_NPOS || prose_is_path(s);
}

static bool exists(const char *worktree, str name)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	bool yes;

	if (name.p[0] == '/')
		buf_add(&path, name);
	else
		fs_join(&path, str_of(worktree), name);
	yes = path.full || io.lstat(buf_cstr(&path), &st) == 0;
	buf_release(&path);
	return yes;
}

static bool is_deleted(const struct gitstate *git, str name)
{
	for (size_t i = 0; git && i < git->nfiles; i++)
		if (git->file[i].flags & GITSTATE_DELETED &&
		    str_eq(str_of(git->file[i].path), name))
			return true;
	return false;
}

/* Backticked names of one line that are not there. */
static void files_of(struct check *c, str line, const struct check_options *o,
		     size_t *left)
{
	str rest = line, part;
	bool inside = false;

	while (*left && str_split(&rest, '`', &part)) {
		str name = bare(str_trim(part));
		bool new_one = str_istarts(str_trim(rest), STR("(to create)"));

		if (inside && is_file_name(name)) {
			--*left;
			if (!new_one && !is_deleted(o->git, name) &&
			    !exists(o->worktree, name))
				problem(c, "file",
					"Files to Read: `%.*s` does not exist in %s; write \"(to create)\" behind "
					"it if it is to be made",
					STR_ARG(name), o->worktree);
		}
		inside = !inside;
	}
}

static void files(struct check *c, str body, const struct check_options *o)
{
	size_t left = FILES_MAX;
	str line;

	while (str_line(&body, &line))
		if (!str_starts(str_trim(line), STR("**Named")))
			files_of(c, line, o, &left);
}

/* ---- branch and head ---- */

static void place(struct check *c, const struct handoff_doc *d,
		  const struct gitstate *git)
{
	str head = str_of(git->head ? git->head : "");

	if (git->kind != GITSTATE_REPO)
		return;
	if (d->branch.n && (!git->branch || !str_eq(d->branch, str_of(git->branch))))
		problem(c, "branch", "the document says branch %.*s; it is %s now",
			STR_ARG(d->branch),
			git->branch ? git->branch : "a detached HEAD");
	if (d->head.n && (d->head.n < HEAD_DIGITS || !str_starts(head, d->head)))
		problem(c, "head", "the document says HEAD %.*s; it is %.*s now",
			STR_ARG(d->head), 12, head.n ? head.p : "no commit");
}

void check_document(struct check *c, str text, const struct check_options *o)
{
	struct buf with_front = BUF_INIT(2 * HANDOFF_DOC_MAX),
		   clean = BUF_INIT(4 * HANDOFF_DOC_MAX);
	struct handoff_doc d;
	struct note n;
	size_t secrets;

	*c = (struct check){.tokens = ledger_tokens(text)};
	note_parse(&n, text);
	front(c, &n);
	read_anyway(&d, text, &with_front);
	sections(c, &d);
	template_left(c, n.body);
	if (o->vault)
		lineage(c, text, d.hazards, o);
	if (o->worktree)
		files(c, d.files, o);
	if (o->git)
		place(c, &d, o->git);
	secrets = redact(&clean, text);
	if (secrets)
		problem(c, "secret", "%zu secret%s in it", secrets,
			secrets == 1 ? " is" : "s are");
	if (o->budget && c->tokens > o->budget)
		problem(c, "budget", "%llu tokens; the budget is %llu",
			(unsigned long long)c->tokens, (unsigned long long)o->budget);
	buf_release(&with_front);
	buf_release(&clean);
}

void check_json(const struct check *c, struct buf *out)
{
	buf_byte(out, '{');
	json_add_key(out, "ok");
	buf_add(out, c->n ? STR("false") : STR("true"));
	json_add_key(out, "tokens");
	buf_u64(out, c->tokens);
	json_add_key(out, "problems");
	buf_byte(out, '[');
	for (size_t i = 0; i < c->n; i++) {
		json_add_sep(out);
		buf_byte(out, '{');
		json_add_key(out, "kind");
		json_add_str(out, str_of(c->item[i].kind));
		json_add_key(out, "text");
		json_add_str(out, str_of(c->item[i].text));
		buf_byte(out, '}');
	}
	buf_byte(out, ']');
	json_add_key(out, "more");
	buf_u64(out, c->more);
	buf_byte(out, '}');
}
