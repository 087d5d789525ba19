/*
 * Files that were edited or read, and the names that stand in them.
 */
#include "work/extract_impl.h"
#include "work/prose.h"

static void add_inner_name(struct extract *x, const struct table *t, void *owner,
			   struct fact_name *list, size_t n, str s, float weight)
{
	struct fact_name *name = NULL;

	for (size_t i = 0; i < n && !name; i++) {
		if (str_eq(list[i].text, s))
			name = &list[i];
	}
	if (!name) {
		name = table_push_inner(t, owner, &x->kept);
		if (!name) {
			x->f.dropped++;
			return;
		}
		name->text = extract_kept_str(x, s);
	}
	name->weight += weight;
	name->record = x->f.records;
}

static void edit_name(struct extract *x, struct fact_edit *e, str s, float weight)
{
	if (!str_starts(s, STR("redacted:")))
		add_inner_name(x, &extract_edit_name, e, e->name, e->nnames, s, weight);
}

static struct fact_edit *find_edit(struct extract *x, str path)
{
	struct fact_edit *e;

	for (size_t i = 0; i < x->f.nedit; i++) {
		if (str_eq(x->f.edit[i].path, path))
			return &x->f.edit[i];
	}
	if (x->f.nedit == FILES_MAX)
		extract_drop_oldest_file(x);
	e = table_push(&extract_table[T_EDIT], x);
	e->first = x->f.records;
	x->source = true;
	e->path = extract_keep(x, path, PATH_BYTES);
	return e;
}

#define OLD_TOKENS_MAX 2048
#define EDIT_LINES_MAX 1500

/* The tokens of the text that an edit replaces: open addressing, by place in token[] + 1. */
struct tokens {
	str token[OLD_TOKENS_MAX];
	size_t n;
	uint16_t slot[2 * OLD_TOKENS_MAX];
};

static bool tokens_have(const struct tokens *t, str s)
{
	size_t k = str_hash(s) % COUNT(t->slot);

	for (; t && t->slot[k]; k = (k + 1) % COUNT(t->slot)) {
		if (str_eq(t->token[t->slot[k] - 1], s))
			return true;
	}
	return false;
}

static struct tokens *old_tokens(struct extract *x, str old)
{
	struct tokens *t = arena_new(&x->other, struct tokens, 1);
	struct prose_token p;
	bool tick = false;
	size_t it = 0, k;

	while (t && t->n < OLD_TOKENS_MAX && prose_token(old, &it, &tick, &p)) {
		if (tokens_have(t, p.text))
			continue;
		k = str_hash(p.text) % COUNT(t->slot);
		while (t->slot[k])
			k = (k + 1) % COUNT(t->slot);
		t->token[t->n++] = p.text;
		t->slot[k] = (uint16_t)t->n;
	}
	return t;
}

static bool is_prose_file(str path)
{
	return str_ends(path, STR(".md")) || str_ends(path, STR(".txt")) ||
	       str_ends(path, STR(".mdx")) || str_ends(path, STR(".rst"));
}

static void edit_definitions(struct extract *x, struct fact_edit *e,
			     const struct tokens *old, str text)
{
	str line, name;

	for (size_t i = 0; i < EDIT_LINES_MAX && str_split(&text, '\n', &line); i++) {
		name = prose_defines(line);
		if (name.n)
			edit_name(x, e, name, old && tokens_have(old, name) ? 1 : 3);
	}
}

/* One replaced text: names it defines, identifiers and paths it has. */
static void edit_pair(struct extract *x, struct fact_edit *e, str old_text, str new_text)
{
	struct tokens *old = old_text.n ? old_tokens(x, old_text) : NULL;
	bool prose = is_prose_file(e->path), tick = false, known;
	struct prose_token t;
	size_t it = 0;

	if (!prose)
		edit_definitions(x, e, old, new_text);
	while (prose_token(new_text, &it, &tick, &t)) {
		known = old && tokens_have(old, t.text);
		if (t.kind == PROSE_PATH && (str_chr(t.text, '/') != STR_NPOS || known))
			extract_add_named(x, t.text, WEIGHT_EDIT);
		if (t.kind != PROSE_IDENT || str_chr(t.text, '/') != STR_NPOS)
			continue;
		if (prose && !extract_index_find(&x->ident, x->f.ident, t.text))
			continue;
		edit_name(x, e, t.text, known ? 0.2f : 1);
	}
	if (e->nnames > EDIT_NAMES_MAX)
		x->f.dropped +=
			table_keep_best(&extract_edit_name, e, e->nnames - EDIT_NAMES_CUT,
					extract_name_weight, NULL);
}

/* Counts, and the names that the patch's lines define, from toolUseResult. */
static void edit_patch(struct extract *x, struct fact_edit *e, const struct val *patch)
{
	for (const struct val *h = patch ? patch->child : NULL; h; h = h->next) {
		const struct val *lines = val_get(h, "lines");

		if (!lines || lines->type != VAL_ARR)
			continue;
		e->plus += lines->plus;
		e->minus += lines->minus;
		for (const struct val *l = lines->child; l; l = l->next) {
			str name = prose_defines(str_from(val_str(l), 1));

			if (name.n)
				edit_name(x, e, extract_door(x, name), 1);
		}
	}
}

static uint32_t lines_of(str s)
{
	size_t n = 1;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return (uint32_t)n;
}

void extract_on_edit(struct extract *x, const struct call *c, const struct val *result)
{
	struct fact_edit *e;
	str rest = c->payload, key, text, old = STR_NONE;
	bool created = str_eq(val_get_str(result, "type"), STR("create"));

	if (c->path.n == 0)
		return;
	e = find_edit(x, c->path);
	e->last = x->f.records;
	e->at = x->f.last_at;
	e->count++;
	x->f.last_edit_record = x->f.records;
	x->f.last_edit_at = x->f.last_at;
	edit_patch(x, e, val_get(result, "structuredPatch"));
	if (created && str_eq(c->name, STR("Write"))) {
		e->created = true;
		if (extract_packed(c->payload, "cut").n == 0)
			e->plus += lines_of(extract_packed(c->payload, "new"));
	}
	while (str_split(&rest, 0, &key) && str_split(&rest, 0, &text)) {
		if (str_eq(key, STR("old")))
			old = text;
		else if (str_eq(key, STR("new")))
			edit_pair(x, e, old, text);
	}
}

/* Which errors the file was edited after. */
void extract_note_repair(struct extract *x, str path)
{
	for (size_t i = 0; i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];

		if (e->fixed || x->f.records - e->record >= REPAIR_RECORDS ||
		    e->nedited == FACT_ERROR_EDITS ||
		    extract_in_list(path, e->edited, e->nedited))
			continue;
		e->edited[e->nedited++] = extract_keep(x, path, PATH_BYTES);
	}
}

/* What the line of a Read result says, behind its number. */
static str numbered_line(str line)
{
	size_t k = str_find(str_head(line, 16), STR("\xE2\x86\x92"));

	if (k != STR_NPOS && k <= 8)
		return str_from(line, k + 3);
	k = str_chr(str_head(line, 9), '\t');
	return k == STR_NPOS ? STR_NONE : str_from(line, k + 1);
}

static struct fact_read *find_read(struct extract *x, str path)
{
	struct fact_read *r;

	for (size_t i = 0; i < x->f.nread; i++) {
		if (str_eq(x->f.read[i].path, path))
			return &x->f.read[i];
	}
	if (x->f.nread == FILES_MAX)
		extract_drop_oldest_read(x);
	r = table_push(&extract_table[T_READ], x);
	r->path = extract_keep(x, path, PATH_BYTES);
	return r;
}

void extract_note_read(struct extract *x, str path)
{
	struct fact_read *r = find_read(x, path);

	r->record = x->f.records;
	r->shell = r->count == 0 || r->shell;
	r->count++;
}

void extract_on_read(struct extract *x, const struct call *c, str text)
{
	struct fact_read *r;
	str line, name;

	if (c->path.n == 0)
		return;
	r = find_read(x, c->path);
	r->record = x->f.records;
	r->shell = false;
	r->count++;
	for (size_t i = 0; i < EDIT_LINES_MAX && str_split(&text, '\n', &line); i++) {
		name = prose_defines(numbered_line(line));
		if (name.n == 0)
			continue;
		if (r->nnames == READ_NAMES_MAX)
			break;
		add_inner_name(x, &extract_read_name, r, r->name, r->nnames,
			       extract_door(x, name), 0);
	}
}

/* " lines 10-59 (nameOne, nameTwo)" for the label of a Read. */
void extract_read_range(struct buf *out, const struct val *file, str text)
{
	int64_t first = val_int(val_get(file, "startLine"), 1);
	int64_t lines = val_int(val_get(file, "numLines"), 0);
	int64_t total = val_int(val_get(file, "totalLines"), -1);
	str line, name, seen[3];
	size_t n = 0;

	if (lines > 0 && lines != total && first < INT64_MAX - lines)
		buf_printf(out, " lines %lld-%lld", (long long)first,
			   (long long)(first + lines - 1));
	for (size_t i = 0; i < 400 && n < 3 && lines < 200; i++) {
		if (!str_split(&text, '\n', &line))
			break;
		name = prose_defines(numbered_line(line));
		if (name.n == 0 || extract_in_list(name, seen, n))
			continue;
		buf_add(out, n ? STR(", ") : STR(" ("));
		buf_add(out, name);
		seen[n++] = name;
	}
	if (n)
		buf_byte(out, ')');
}
