/*
 * One pass over the records; every record adds to bounded tables.
 *
 * Memory: the rows of the tables are one block. Texts live in the arena `kept`. The arena
 * `other` is scratch while a block is looked at, and the place to which the texts that are
 * still in use move when `kept` runs full: then the two change roles. Whatever is still too
 * much goes by the rules of docs/extraction.md, "Bounds".
 *
 * Redaction: texts come in through extract_door_text alone, whole, before anything is cut or matched;
 * from there on only scratch copies are looked at.
 *
 * A call stays open with what its result will need (struct call) until the result comes.
 * Facts that need both halves, such as an edit, exist only from then on.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/prose.h"

#include <stdlib.h>

const struct transcript_caps extract_caps = {
	48 << 10, 16 << 10, 16 << 10, 16 << 10, 32 << 10, 4 << 10, false,
};

static str record_str(const struct record *r, const char *key)
{
	return val_get_str(r->root, key);
}

static bool seen_before(struct extract *x, uint64_t hash)
{
	if (!x->seen_mark[hash % SEEN_MARKS])
		return false;
	for (size_t i = x->nseen; i-- > 0;) {
		if (x->seen[i].hash == hash)
			return true;
	}
	return false;
}

static void remember(struct extract *x, uint64_t hash)
{
	struct seen *s;

	x->seen_mark[hash % SEEN_MARKS]++;
	if (x->nseen < UUIDS_MAX) {
		s = table_push(&extract_table[T_SEEN], x);
	} else {
		s = &x->seen[x->private->seen_next++ % UUIDS_MAX];
		x->seen_mark[s->hash % SEEN_MARKS]--;
	}
	s->hash = hash;
}

static void set_title(struct extract *x, str title, enum title_rank rank)
{
	title = extract_squeezed(x, title);
	if (title.n == 0 || !title_beats(rank, (enum title_rank)x->private->title_rank))
		return;
	x->f.title = extract_keep(x, title, LINE_BYTES);
	x->private->title_rank = rank;
}

/* A summary is this session's title if the record that it is about is in the file, before or after it. */
static void on_summary_record(struct extract *x, const struct record *r)
{
	uint64_t hash = str_hash(record_str(r, "leafUuid"));
	str title = extract_door_get(x, r->root, "summary");
	struct leaf *leaf;

	if (seen_before(x, hash)) {
		set_title(x, title, TITLE_SUMMARY);
		return;
	}
	leaf = extract_push_newest(x, &extract_table[T_LEAF]);
	leaf->hash = hash;
	leaf->text = extract_keep(x, title, LINE_BYTES);
}

static void leaf_found(struct extract *x, uint64_t hash)
{
	for (size_t i = 0; i < x->nleaf; i++) {
		if (x->leaf[i].hash == hash)
			set_title(x, x->leaf[i].text, TITLE_SUMMARY);
	}
}

/* Names, and until one is known the first prompt that says something. */
static void on_title(struct extract *x, const struct record *r)
{
	enum title_rank rank;
	struct arena scratch = x->other;
	str words;

	if (r->type == RECORD_SUMMARY)
		return; /* see on_summary_record */
	if (r->type != RECORD_TITLE && x->private->title_rank >= TITLE_PROMPT)
		return;
	rank = title_of(r, &scratch, &words);
	if (title_beats(rank, (enum title_rank)x->private->title_rank))
		set_title(x, extract_door(x, words), rank);
}

static void set_str(struct extract *x, str *at, str s, size_t max)
{
	if (s.n && !str_eq(*at, utf8_head(s, max)))
		*at = extract_keep(x, extract_door(x, s), max);
}

static void on_header(struct extract *x, const struct record *r)
{
	struct facts *f = &x->f;

	if (r->at != CLOCK_NONE &&
	    (r->type == RECORD_USER || r->type == RECORD_ASSISTANT ||
	     r->type == RECORD_SYSTEM || r->type == RECORD_ATTACHMENT)) {
		if (f->last_at == CLOCK_NONE || r->at > f->last_at)
			f->last_at = r->at;
		if (f->first_at == CLOCK_NONE)
			f->first_at = r->at;
	}
	set_str(x, &f->session, r->session, ID_BYTES);
	if (f->dir.n == 0)
		set_str(x, &f->dir, r->cwd, PATH_BYTES);
	set_str(x, &f->last_dir, r->cwd, PATH_BYTES);
	set_str(x, &f->branch, r->branch, ID_BYTES);
	set_str(x, &f->version, r->version, ID_BYTES);
	set_str(x, &f->mode, record_str(r, "permissionMode"), ID_BYTES);
}

static void on_user(struct extract *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	if (val_get(r->root, "planContent"))
		extract_set_plan(x, extract_door_get(x, r->root, "planContent"));
	while (record_block(r, &it, &b)) {
		extract_make_room(x);
		if (b.kind == BLOCK_TOOL_RESULT)
			extract_on_result(x, r, &b);
		else if (b.kind == BLOCK_TEXT && r->meta)
			extract_on_meta_text(
				x, extract_door_text(x, STR_NONE, b.text, b.tail, b.cut));
		else if (b.kind == BLOCK_TEXT)
			extract_on_user_text(
				x, extract_door_text(x, STR_NONE, b.text, b.tail, b.cut));
	}
}

static void on_compaction(struct extract *x, const struct record *r)
{
	struct buf all = BUF_INIT(DOOR_BYTES);
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		if (b.kind != BLOCK_TEXT)
			continue;
		if (all.n)
			buf_byte(&all, '\n');
		buf_add(&all, extract_door_text(x, STR_NONE, b.text, b.tail, b.cut));
	}
	x->f.summary = extract_keep_ends(x, buf_str(&all), HALF_TEXT_BYTES,
					 HALF_TEXT_BYTES, STR(EXTRACT_CUT));
	x->f.summary_record = x->f.records;
	x->f.compactions++;
	buf_release(&all);
}

static void on_assistant(struct extract *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		extract_make_room(x);
		if (b.kind == BLOCK_TEXT)
			extract_on_text(
				x, r,
				extract_door_text(x, STR_NONE, b.text, b.tail, b.cut));
		else if (b.kind == BLOCK_THINKING)
			extract_on_thinking(
				x, extract_door_text(x, STR_NONE, b.text, b.tail, b.cut));
		else if (b.kind == BLOCK_TOOL_USE)
			extract_on_call(x, &b);
	}
}

/* Words that were typed while the model worked, or a task's notification. */
static void on_queued(struct extract *x, str s, bool checked)
{
	str tag = prose_tag(s);

	s = str_trim(s);
	if (str_eq(tag, STR("task-notification")))
		extract_on_notification(x, s);
	else if (checked || (s.n && tag.n == 0 && !strchr("{[/", s.p[0])))
		extract_add_prompt(x, s, FACT_QUEUED);
}

static void on_attachment(struct extract *x, const struct record *r)
{
	const struct val *a = val_get(r->root, "attachment");
	const struct val *prompt = val_get(a, "prompt");

	if (str_eq(val_get_str(a, "type"), STR("queued_command")) && prompt &&
	    prompt->type == VAL_STR)
		on_queued(x, extract_door_val(x, prompt), true);
}

static void on_queue(struct extract *x, const struct record *r)
{
	const struct val *content = val_get(r->root, "content");

	if (str_eq(record_str(r, "operation"), STR("enqueue")) && content &&
	    content->type == VAL_STR)
		on_queued(x, extract_door_val(x, content), false);
}

static void on_snapshot(struct extract *x, const struct record *r)
{
	const struct val *files = val_at(r->root, "snapshot.trackedFileBackups");
	struct fact_name *name;
	bool known;

	if (!files || files->type != VAL_OBJ)
		return;
	for (const struct val *v = files->child; v; v = v->next) {
		known = false;
		for (size_t i = 0; i < x->f.ntracked && !known; i++)
			known = str_eq(x->f.tracked[i].text, v->key);
		if (known || v->key.n == 0)
			continue;
		name = table_push(&extract_table[T_TRACKED], x);
		if (!name)
			return;
		name->text = extract_keep(x, extract_door(x, v->key), PATH_BYTES);
		name->record = x->f.records;
		name->weight = 1;
	}
}

/* The oldest form of a result: a record of its own, which names the call at its root. */
static void on_bare_result(struct extract *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	if (!str_eq(r->type_name, STR("tool_result")) || !record_block(r, &it, &b) ||
	    b.kind != BLOCK_TEXT)
		return;
	b.kind = BLOCK_TOOL_RESULT;
	b.id = record_str(r, "tool_use_id");
	b.is_error = val_bool(val_get(r->root, "is_error"));
	extract_on_result(x, r, &b);
}

static void on_record(struct extract *x, const struct record *r)
{
	switch (r->type) {
	case RECORD_USER:
		if (r->compact_summary)
			on_compaction(x, r);
		else
			on_user(x, r);
		break;
	case RECORD_ASSISTANT:
		on_assistant(x, r);
		break;
	case RECORD_ATTACHMENT:
		on_attachment(x, r);
		break;
	case RECORD_QUEUE:
		on_queue(x, r);
		break;
	case RECORD_SNAPSHOT:
		on_snapshot(x, r);
		break;
	case RECORD_SUMMARY:
		on_summary_record(x, r);
		break;
	case RECORD_META:
		if (val_get(r->root, "prUrl"))
			extract_on_pr(x, extract_door_get(x, r->root, "prUrl"), STR_NONE);
		set_str(x, &x->f.mode, record_str(r, "permissionMode"), ID_BYTES);
		break;
	case RECORD_UNKNOWN:
		on_bare_result(x, r);
		break;
	default:
		break;
	}
}

/* Remember where facts of the record at hand come from; a uuid is letters, digits and dashes. */
static void add_source(struct extract *x, const struct record *r)
{
	struct fact_source *s;

	if (!r->uuid.n || r->uuid.n > UUID_BYTES)
		return;
	for (size_t i = 0; i < r->uuid.n; i++)
		if (!str_is_alnum(r->uuid.p[i]) && r->uuid.p[i] != '-')
			return;
	s = extract_push_newest(x, &extract_table[T_SOURCE]);
	s->record = x->f.records;
	s->at = x->now;
	s->uuid = extract_kept_str(x, r->uuid);
}

void extract_add(struct extract *x, const struct record *r)
{
	uint64_t hash = r->uuid.n ? str_hash(r->uuid) : 0;

	extract_make_room(x);
	x->f.records++;
	x->now = r->at;
	x->source = false;
	if (r->type == RECORD_FOREIGN)
		return;
	if (r->uuid.n) {
		if (r->duplicate || seen_before(x, hash))
			return;
		remember(x, hash);
		leaf_found(x, hash);
		if (!x->private->any_uuid)
			x->f.agent_file = r->sidechain;
		x->private->any_uuid = true;
	}
	if (r->sidechain && !x->f.agent_file)
		return;
	on_header(x, r);
	on_title(x, r);
	on_record(x, r);
	if (x->source)
		add_source(x, r);
}

/* ---- facts ---- */

struct sieve {
	const struct tree *tree;
	int64_t since;
};

static bool abandoned(const struct sieve *s, uint64_t record)
{
	return s->tree && tree_abandoned(s->tree, record);
}

static bool before(const struct sieve *s, int64_t at)
{
	return s->since != CLOCK_NONE && at != CLOCK_NONE && at < s->since;
}

/* All rows below begin with their record's number. */
static bool off_record(const void *row, const struct sieve *s)
{
	uint64_t record;

	memcpy(&record, row, sizeof record);
	return abandoned(s, record);
}

static bool off_prompt(const void *row, const struct sieve *s)
{
	const struct fact_prompt *p = row;

	return abandoned(s, p->record) || before(s, p->at);
}

static bool off_sentence(const void *row, const struct sieve *s)
{
	const struct fact_sentence *p = row;

	return abandoned(s, p->record) || before(s, p->at);
}

static bool off_verdict(const void *row, const struct sieve *s)
{
	const struct fact_verdict *p = row;

	return abandoned(s, p->record) || before(s, p->at);
}

static bool off_error(const void *row, const struct sieve *s)
{
	const struct fact_error *e = row;

	return abandoned(s, e->record) || before(s, e->at);
}

static bool off_command(const void *row, const struct sieve *s)
{
	const struct fact_command *c = row;

	return (abandoned(s, c->record) && abandoned(s, c->first)) || before(s, c->at);
}

static bool off_edit(const void *row, const struct sieve *s)
{
	const struct fact_edit *e = row;

	return abandoned(s, e->last) && abandoned(s, e->first);
}

static bool off_read(const void *row, const struct sieve *s)
{
	const struct fact_read *r = row;

	return r->count == 1 && abandoned(s, r->record);
}

/* Copy the rows that the sieve lets through to scratch memory and point the view at them. */
static void show_rows(struct extract *x, size_t id,
		      bool (*off)(const void *row, const struct sieve *s),
		      const struct sieve *s)
{
	const struct table *t = &extract_table[id];
	size_t n = table_count(t, x), kept = 0;
	size_t shift = offsetof(struct extract, view) - offsetof(struct extract, f);
	char *rows = arena_alloc(&x->other, t->size, alignof(max_align_t), n ? n : 1);

	for (size_t i = 0; rows && i < n; i++) {
		const void *row = table_row(t, x, i);

		if (off && off(row, s)) {
			x->view.dropped++;
			continue;
		}
		memcpy(rows + kept++ * t->size, row, t->size);
	}
	memcpy((char *)x + t->rows + shift, &rows, sizeof rows);
	memcpy((char *)x + t->count + shift, &kept, sizeof kept);
}

static int by_text(const void *a, const void *b)
{
	const struct fact_name *x = a, *y = b;

	return str_cmp(x->text, y->text);
}

static int by_last_edit(const void *a, const void *b)
{
	const struct fact_edit *x = a, *y = b;

	if (x->last != y->last)
		return x->last < y->last ? -1 : 1;
	return str_cmp(x->path, y->path);
}

static int by_read(const void *a, const void *b)
{
	const struct fact_read *x = a, *y = b;

	if (x->record != y->record)
		return x->record < y->record ? -1 : 1;
	return str_cmp(x->path, y->path);
}

static bool is_shown(const struct fact_prompt *p, size_t n, uint64_t record)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].record == record)
			return true;
	}
	return false;
}

/* Of a prompt with the same words twice, the later goes unless the first was left behind. */
static void show_once(struct extract *x)
{
	struct fact_prompt *p = x->view.prompt;
	bool stay[PROMPTS_MAX + 1];
	size_t n = x->view.nprompt, kept = 0;

	for (size_t i = 0; i < n; i++)
		stay[i] = !p[i].same_as || !is_shown(p, n, p[i].same_as);
	for (size_t i = 0; i < n; i++) {
		if (stay[i])
			p[kept++] = p[i];
	}
	x->view.nprompt = kept;
}

/* The last prompt that began a turn, typed while none ran or sent from the queue: calls before it are over. */
static uint64_t last_typed(const struct facts *v, const struct sieve *s)
{
	uint64_t last = 0;

	for (size_t i = 0; i < v->nprompt; i++) {
		const struct fact_prompt *p = &v->prompt[i];
		uint64_t at = p->kind == FACT_PROMPT ? p->record : p->sent;

		if (at > last && !abandoned(s, at))
			last = at;
	}
	return last;
}

/* A shell's call by its whole command: what it would change may stand at its end. */
static struct fact_call shown_call(const struct call *c)
{
	return (struct fact_call){c->record,
				  c->at,
				  c->id,
				  c->name,
				  extract_is_shell(c->name) && c->command.n ? c->command
									    : c->label,
				  c->description,
				  c->agent,
				  false,
				  false};
}

static void show_open(struct extract *x, const struct sieve *s)
{
	struct fact_call *open = arena_new(&x->other, struct fact_call, OPEN_MAX);
	struct fact_call *lost = arena_new(&x->other, struct fact_call, OPEN_MAX);
	uint64_t typed = last_typed(&x->view, s);
	struct facts *v = &x->view;

	v->open = open;
	v->lost = lost;
	v->nopen = v->nlost = 0;
	for (size_t i = 0; open && lost && i < x->ncall; i++) {
		const struct call *c = &x->call[i];

		if (abandoned(s, c->record))
			continue;
		if (c->record < typed)
			lost[v->nlost++] = shown_call(c);
		else
			open[v->nopen++] = shown_call(c);
	}
}

static void show_waits(struct extract *x)
{
	int64_t *wait = arena_new(&x->other, int64_t, WAITS_MAX);

	x->view.wait = wait;
	x->view.nwait = wait ? x->nwait : 0;
	for (size_t i = 0; i < x->view.nwait; i++)
		wait[i] = (int64_t)x->wait[i].ms;
}

/* One line of what the last call printed: its error, else its last line. */
static void show_last_result(struct extract *x)
{
	const struct privates *p = x->private;
	str line, rest, two[2];

	x->view.last_result = STR_NONE;
	if (!p->output_known)
		return;
	if (p->output_shell && prose_error_lines(&x->other, p->output_head, STR_NONE,
						 p->output_error, two)) {
		x->view.last_result = two[0];
		return;
	}
	buf_reset(&x->text);
	prose_plain(&x->text, p->output_tail);
	rest = extract_scratch(x, buf_str(&x->text));
	while (str_split(&rest, '\n', &line)) {
		if (str_trim(line).n > 5)
			x->view.last_result = line;
	}
	x->view.last_result = extract_squeezed(x, x->view.last_result);
}

/* When the last text was left behind, the newest one that was not, of its sentences. */
static void show_last_text(struct extract *x, const struct sieve *s)
{
	struct facts *v = &x->view;
	struct buf b = BUF_INIT(EXTRACT_TEXT_BYTES);
	uint32_t id;

	if (!abandoned(s, v->last_text_record))
		return;
	v->last_text = STR_NONE;
	v->last_text_record = v->nsentence ? v->sentence[v->nsentence - 1].record : 0;
	id = v->nsentence ? v->sentence[v->nsentence - 1].text_id : 0;
	for (size_t i = 0; i < v->nsentence; i++) {
		if (v->sentence[i].text_id != id)
			continue;
		buf_add(&b, v->sentence[i].text);
		buf_byte(&b, '\n');
	}
	v->last_text = extract_scratch(x, str_trim(buf_str(&b)));
	buf_release(&b);
}

const struct facts *extract_facts(struct extract *x, const struct tree *t, int64_t since)
{
	static bool (*const off[T_COUNT])(const void *, const struct sieve *) = {
		[T_PROMPT] = off_prompt,    [T_SENTENCE] = off_sentence,
		[T_THOUGHT] = off_sentence, [T_LAST_THOUGHT] = off_record,
		[T_EDIT] = off_edit,        [T_READ] = off_read,
		[T_COMMAND] = off_command,  [T_ERROR] = off_error,
		[T_RECENT] = off_record,    [T_TODO] = off_record,
		[T_ANSWER] = off_record,    [T_AGENT] = off_record,
		[T_REFUSED] = off_record,   [T_SHELLED] = off_record,
		[T_VERDICT] = off_verdict,  [T_UNCHANGED] = off_record,
		[T_INTERRUPT] = off_record,
	};
	struct sieve s = {t, since};
	struct facts *v = &x->view;

	extract_settle(x);
	arena_reset(&x->other);
	*v = x->f;
	for (size_t i = 0; i < T_COUNT; i++) {
		if (extract_table[i].rows >= offsetof(struct extract, f) &&
		    extract_table[i].rows < offsetof(struct extract, f) + sizeof x->f)
			show_rows(x, i, off[i], &s);
	}
	show_open(x, &s);
	show_once(x);
	show_waits(x);
	show_last_result(x);
	show_last_text(x, &s);
	extract_show_lost(x);
	extract_compare(x);
	if (v->nedit)
		qsort(v->edit, v->nedit, sizeof *v->edit, by_last_edit);
	if (v->nread)
		qsort(v->read, v->nread, sizeof *v->read, by_read);
	if (v->nident)
		qsort(v->ident, v->nident, sizeof *v->ident, by_text);
	return v;
}

bool extract_same_file(str a, str b)
{
	bool drive = a.n > 1 && a.p[1] == ':';

	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		if (a.p[i] != b.p[i] && !(drive && strchr("/\\", a.p[i]) && a.p[i] &&
					  strchr("/\\", b.p[i]) && b.p[i]))
			return false;
	}
	return true;
}

void extract_relative(const struct facts *f, str path, struct buf *out)
{
	str dir = f->dir;
	bool slashes = str_chr(path, '\\') == STR_NPOS;

	while (dir.n && (dir.p[dir.n - 1] == '/' || dir.p[dir.n - 1] == '\\'))
		dir.n--;
	if (dir.n && str_eq(path, f->dir)) {
		buf_byte(out, '.');
		return;
	}
	if (dir.n && path.n > dir.n + 1 &&
	    extract_same_file(str_head(path, dir.n), dir) &&
	    (path.p[dir.n] == '/' || path.p[dir.n] == '\\'))
		path = str_from(path, dir.n + 1);
	else if (path.n > 1 && path.p[1] == ':')
		slashes = true; /* C:\ elsewhere: as it stands */
	for (size_t i = 0; i < path.n; i++)
		buf_byte(out, !slashes && path.p[i] == '\\' ? '/' : path.p[i]);
}
