/*
 * A document read back, and as JSON. What is read is what handoff_render, the seed's own
 * skill, and people write: unknown sections and fields are left alone.
 */
#include "work/handoff.h"

#include "data/json.h"
#include "data/note.h"
#include "work/doc.h"

static str *section_of(struct handoff_doc *d, str heading)
{
	static const struct {
		const char *word;
		size_t off;
	} known[] = {
		{"goal", offsetof(struct handoff_doc, goal)},
		{"done", offsetof(struct handoff_doc, done)},
		{"next", offsetof(struct handoff_doc, next)},
		{"hazards", offsetof(struct handoff_doc, hazards)},
		{"key context", offsetof(struct handoff_doc, context)},
		{"environment", offsetof(struct handoff_doc, environment)},
		{"files to read", offsetof(struct handoff_doc, files)},
		{"verify", offsetof(struct handoff_doc, verify)},
		{"known gaps", offsetof(struct handoff_doc, gaps)},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		str w = str_of(known[i].word);

		if (str_istarts(heading, w) &&
		    (heading.n == w.n || heading.p[w.n] == ' ' || heading.p[w.n] == ':'))
			return (str *)(void *)((char *)d + known[i].off);
	}
	return NULL;
}

/* A value without its quotes; "null" is nothing. */
static str plain_field(const struct note *n, const char *key)
{
	str v = str_trim(note_get(n, key));

	if (v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0])
		return (str){v.p + 1, v.n - 2};
	return str_eq(v, STR("null")) || str_eq(v, STR("~")) ? STR_NONE : v;
}

static str without(str s, str prefix)
{
	return str_starts(s, prefix) ? str_trim(str_from(s, prefix.n)) : s;
}

/* The first "> " line before the first section. */
static str banner_of(str body)
{
	str line;

	while (str_line(&body, &line)) {
		if (str_starts(line, STR("## ")))
			break;
		if (str_starts(line, STR("> ")))
			return str_trim(str_from(line, 2));
	}
	return STR_NONE;
}

int handoff_read(struct handoff_doc *d, str text, struct err *e)
{
	struct note n;
	str heading, body;
	size_t it = 0, i;
	struct {
		const char *name;
		const str *s;
	} must[] = {
		{"Goal", &d->goal},           {"Done", &d->done},
		{"Next", &d->next},           {"Hazards", &d->hazards},
		{"Key Context", &d->context}, {"Environment", &d->environment},
		{"Files to Read", &d->files}, {"Verify Before Continuing", &d->verify},
	};

	*d = (struct handoff_doc){.session = STR_NONE};
	note_parse(&n, text);
	if (!str_eq(plain_field(&n, "type"), STR("handoff")))
		return err_set(
			e, HF_EFORMAT,
			"no handoff document: the front matter has no `type: handoff`");
	d->session = plain_field(&n, "source_session");
	d->kind = plain_field(&n, "kind");
	d->status = plain_field(&n, "status");
	d->branch = plain_field(&n, "branch");
	d->head = plain_field(&n, "head");
	d->worktree = plain_field(&n, "worktree");
	d->project = plain_field(&n, "project");
	d->created = plain_field(&n, "created");
	d->confidence = plain_field(&n, "confidence");
	d->focus = plain_field(&n, "focus_filter");
	d->title = without(n.title, STR("Handoff:"));
	d->banner = banner_of(n.body);
	while (note_section(&n, &it, &heading, &body)) {
		str *s = section_of(d, heading);

		/* the first of its name counts; an empty one is still there */
		if (s && !s->p)
			*s = body.p ? body : STR("");
	}
	for (i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (!must[i].s->p)
			return err_set(e, HF_EFORMAT,
				       "the document has no section \"%s\"",
				       must[i].name);
	return 0;
}

bool handoff_next_hazard(str hazards, size_t *it, str *line)
{
	str rest = str_from(hazards, *it), l;

	while (str_line(&rest, &l)) {
		*it = hazards.n - rest.n;
		l = str_trim_right(l);
		if (!str_starts(l, STR("- User: ")) && !str_starts(l, STR("- Plan: ")))
			continue;
		/* without an evidence comment, which belongs to another transcript */
		if (str_ends(l, STR("-->"))) {
			size_t k = str_rfind(l, STR(" <!-- "));

			if (k != STR_NPOS)
				l = str_head(l, k);
		}
		*line = l;
		return true;
	}
	*it = hazards.n;
	return false;
}

/* ---- JSON ---- */

static void json_line(struct buf *out, str line)
{
	str records = STR_NONE, one;
	uint64_t n;

	if (str_ends(line, STR(" -->"))) {
		size_t k = str_rfind(line, STR(" <!-- "));

		/* " <!-- -->" is shorter than both marks together: they share a blank */
		if (k != STR_NPOS && line.n - k >= 10) {
			records = str_trim((str){line.p + k + 6, line.n - k - 10});
			line = str_head(line, k);
		}
	}
	json_add_sep(out);
	buf_byte(out, '{');
	json_add_key(out, "text");
	json_add_str(out, line);
	json_add_key(out, "records");
	buf_byte(out, '[');
	while (str_split(&records, ',', &one)) {
		if (!str_u64(str_trim(one), &n))
			continue;
		json_add_sep(out);
		buf_u64(out, n);
	}
	buf_add(out, STR("]}"));
}

static void json_section(struct buf *out, const char *key, str body)
{
	str line;

	json_add_key(out, key);
	buf_byte(out, '[');
	while (str_line(&body, &line))
		if (str_trim(line).n)
			json_line(out, str_trim_right(line));
	buf_byte(out, ']');
}

static void json_field(struct buf *out, const char *key, str value)
{
	json_add_key(out, key);
	if (value.n)
		json_add_str(out, value);
	else
		buf_add(out, STR("null"));
}

static void json_lineage(struct buf *out, str text)
{
	struct buf one = BUF_INIT(4096);
	struct note n;
	size_t it = 0;
	str list;

	note_parse(&n, text);
	list = note_get(&n, "lineage");
	json_add_key(out, "lineage");
	buf_byte(out, '[');
	while (note_list(list, &it, &one)) {
		json_add_sep(out);
		json_add_str(out, buf_str(&one));
	}
	buf_byte(out, ']');
	buf_release(&one);
}

int handoff_json(str text, struct buf *out, struct err *e)
{
	struct handoff_doc d;
	int ret = handoff_read(&d, text, e);

	if (ret < 0)
		return ret;
	buf_add(out, STR("{\"format\":1"));
	json_field(out, "created", d.created);
	json_field(out, "source_session", d.session);
	json_lineage(out, text);
	json_field(out, "focus_filter", d.focus);
	json_field(out, "confidence", d.confidence);
	json_field(out, "project", d.project);
	json_field(out, "kind", d.kind);
	json_field(out, "status", d.status);
	json_field(out, "branch", d.branch);
	json_field(out, "head", d.head);
	json_field(out, "worktree", d.worktree);
	json_field(out, "title", d.title);
	json_field(out, "banner", d.banner);
	json_add_key(out, "sections");
	buf_byte(out, '{');
	json_section(out, "goal", d.goal);
	json_section(out, "done", d.done);
	json_section(out, "next", d.next);
	json_section(out, "hazards", d.hazards);
	json_section(out, "key_context", d.context);
	json_section(out, "environment", d.environment);
	json_section(out, "files_to_read", d.files);
	json_section(out, "verify", d.verify);
	json_section(out, "known_gaps", d.gaps);
	buf_add(out, STR("}}"));
	return 0;
}
