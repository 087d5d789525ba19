/*
 * Entity notes and handoff documents: markdown cut into items.
 *
 * Of an entity note every "- " bullet at the start of a line is a fact, with the lines below it up
 * to the next bullet, heading or empty line; so is every paragraph. handoff-mcp writes facts of
 * several lines as they are: their later lines may look like anything, and are kept as what
 * they look like.
 */
#include "base/utf8.h"
#include "data/event.h"
#include "data/note.h"
#include "work/reindex_impl.h"

#define SECTIONS_MAX 64

#define PACKED ".md.zst"

bool reindex_is_packed(str name)
{
	return name.n > sizeof(PACKED) - 1 && str_ends(name, STR(PACKED));
}

str reindex_stem(str name)
{
	if (reindex_is_packed(name))
		return str_head(name, name.n - (sizeof(PACKED) - 1));
	return str_ends(name, STR(".md")) ? str_head(name, name.n - 3) : name;
}

/* --- entity notes --- */

struct facts {
	struct index *ix;
	struct index_file *f;
	struct buf fact; /* the one that is being put together */
	struct buf line;
};

static int end_fact(struct facts *s, struct err *e)
{
	str body = str_trim(utf8_head(buf_str(&s->fact), REINDEX_TEXT_MAX));
	int ret = 0;

	if (s->fact.n > REINDEX_TEXT_MAX)
		s->f->odd |= INDEX_ODD_BIG;
	if (body.n && s->f->items < REINDEX_ITEMS_MAX)
		ret = index_item_put(s->ix, s->f,
				     &(struct index_put){.kind = INDEX_FACT,
							 .importance = 3,
							 .name = s->f->title,
							 .body = body},
				     e);
	else if (body.n)
		s->f->odd |= INDEX_ODD_BIG;
	buf_reset(&s->fact);
	return ret;
}

static void add_fact_line(struct facts *s, str line)
{
	buf_reset(&s->line);
	event_normalise(&s->line, line);
	if (s->fact.n)
		buf_byte(&s->fact, '\n');
	buf_add(&s->fact, buf_str(&s->line));
}

static int fact_line(struct facts *s, str line, struct err *e)
{
	str t = str_trim(line);
	int ret = 0;

	if (!t.n || t.p[0] == '#')
		return end_fact(s, e);
	if (str_starts(line, STR("- ")) || str_starts(line, STR("* "))) {
		ret = end_fact(s, e);
		t = str_trim(str_from(line, 2));
	}
	add_fact_line(s, t);
	return ret;
}

/* handoff-mcp's: the first line that is neither blank nor begins with '#', its bullet taken off. */
static str summary_of(str body)
{
	str line, t;

	while (str_line(&body, &line)) {
		t = str_trim(line);
		if (!t.n || t.p[0] == '#')
			continue;
		return str_starts(t, STR("- ")) ? str_from(t, 2) : t;
	}
	return STR_NONE;
}

int reindex_entity(struct index *ix, struct index_file *f, str text, struct err *e)
{
	struct facts s = {.ix = ix,
			  .f = f,
			  .fact = BUF_INIT(REINDEX_WHOLE_MAX * 4),
			  .line = BUF_INIT(REINDEX_WHOLE_MAX * 4)};
	struct buf title = BUF_INIT(SIZE_MAX), summary = BUF_INIT(SIZE_MAX);
	struct note n;
	str rest, line;
	int ret = 0;

	note_parse(&n, text);
	event_normalise(&title, n.title.n ? n.title : reindex_stem(f->name));
	event_normalise(&summary, summary_of(n.body));
	f->title = utf8_head(buf_str(&title), REINDEX_TEXT_MAX);
	f->summary = utf8_head(buf_str(&summary), REINDEX_TEXT_MAX);
	for (rest = n.body; !ret && str_line(&rest, &line);)
		ret = fact_line(&s, line, e);
	if (!ret)
		ret = end_fact(&s, e);
	if (!ret)
		ret = index_file_put(ix, f, e);
	buf_release(&s.fact);
	buf_release(&s.line);
	buf_release(&title);
	buf_release(&summary);
	return ret;
}

/* --- documents --- */

bool reindex_is_document(str text)
{
	struct note n;

	note_parse(&n, text);
	return note_get(&n, "source_session").p != NULL || note_get(&n, "kind").p != NULL;
}

static int put_sections(struct index *ix, struct index_file *f, const struct note *n,
			struct err *e)
{
	struct index_put p = {
		.kind = INDEX_DOCUMENT, .importance = 3, .at_us = f->started_us};
	struct buf name = BUF_INIT(SIZE_MAX);
	str heading, body;
	size_t it = 0;
	int ret = 0;

	while (!ret && note_section(n, &it, &heading, &body)) {
		if (f->items >= SECTIONS_MAX) {
			f->odd |= INDEX_ODD_BIG;
			break;
		}
		p.body = str_trim(utf8_head(str_trim(body), REINDEX_TEXT_MAX));
		if (!p.body.n)
			continue;
		buf_reset(&name);
		event_normalise(&name, heading);
		p.name = utf8_head(buf_str(&name), REINDEX_TEXT_MAX);
		ret = index_item_put(ix, f, &p, e);
	}
	buf_release(&name);
	return ret;
}

int reindex_document(struct index *ix, struct index_file *f, str text, struct err *e)
{
	struct buf session = BUF_INIT(SIZE_MAX), value = BUF_INIT(SIZE_MAX),
		   title = BUF_INIT(SIZE_MAX);
	struct note n;
	int ret;

	note_parse(&n, text);
	if (note_value(&n, "created", &value))
		event_time_parse(buf_str(&value), &f->started_us);
	note_value(&n, "source_session", &session);
	event_normalise(&title, n.title);
	buf_reset(&value);
	event_normalise(&value, buf_str(&session));
	f->session = utf8_head(buf_str(&value), REINDEX_TEXT_MAX);
	f->title = utf8_head(buf_str(&title), REINDEX_TEXT_MAX);
	ret = put_sections(ix, f, &n, e);
	if (!ret)
		ret = index_file_put(ix, f, e);
	buf_release(&session);
	buf_release(&value);
	buf_release(&title);
	return ret;
}
