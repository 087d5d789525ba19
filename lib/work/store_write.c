/*
 * What replaces a note or adds to one: checkpoint, entities, undo. A note is replaced whole,
 * under the lock, with everything in it that was not to be changed byte for byte as it was;
 * what others add meanwhile waits for the lock, or (handoff-mcp, an editor) has its own note.
 */
#include "work/store_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/utf8.h"
#include "work/redact.h"

#define NOTE_MAX     (64u << 20) /* a note that is rewritten */
#define SUMMARY_MAX  (64u << 10)
#define RAW_NAME_MAX 4096u

/* ---- replacing a note ---- */

/* A note that is to be replaced: the file as it was read. */
struct replaced {
	int fd;
	struct buf text;
};

/* Read it and keep it open, under the lock. */
static int replaced_open(struct replaced *r, const struct store *s, enum vault_folder f,
			 str project, str name, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret = vault_read(&s->vault, f, project, name, &r->text, e);

	if (!ret && vault_path(&s->vault, f, project, name, &path))
		r->fd = fs_open(buf_cstr(&path), NULL, NULL);
	buf_release(&path);
	return ret;
}

static void replaced_release(struct replaced *r)
{
	if (r->fd >= 0)
		io.close(r->fd);
	r->fd = -1;
	buf_release(&r->text);
}

/*
 * Put the new text in its place. Who knows nothing of the lock (handoff-mcp, an editor) may
 * have added to the old file since it was read: that is added to the new one.
 */
static int replaced_write(struct replaced *r, struct store *s, enum vault_folder f,
			  str project, str name, str text, struct err *e)
{
	struct buf late = BUF_INIT(VAULT_NOTE_MAX);
	int ret = vault_write(&s->vault, f, project, name, text, e);
	str tail;

	if (!ret && r->fd >= 0 &&
	    fs_read_at(r->fd, r->text.n, VAULT_NOTE_MAX, &late, NULL) > 0) {
		tail = buf_str(&late);
		if (tail.p[tail.n - 1] != '\n')
			buf_byte(&late, '\n');
		ret = vault_add(&s->vault, f, project, name, STR_NONE, buf_str(&late), e);
	}
	buf_release(&late);
	return ret;
}

/* ---- checkpoint ---- */

/* The line is `key: ...` of the front matter. */
static bool has_key(str line, str key)
{
	size_t colon = str_chr(line, ':');

	return colon != STR_NPOS && str_eq(str_trim(str_head(line, colon)), key);
}

static void add_status(struct buf *out, str summary, bool status, bool put_summary)
{
	if (status)
		buf_add(out, STR("status: done\n"));
	if (put_summary && summary.n)
		buf_printf(out, "summary: %.*s\n", STR_ARG(summary));
}

/*
 * The note with status done and, unless empty, the summary; everything else as it is. Of a
 * key that stands twice the last one counts, so all of them are set.
 */
static void checkpointed(struct buf *out, str text, str summary)
{
	bool inside = false, status = false, summed = false;
	str rest = text;

	for (bool first = true; rest.n; first = false) {
		size_t n = str_chr(rest, '\n');
		str line = str_head(rest, n == STR_NPOS ? rest.n : n + 1);

		rest = str_from(rest, line.n);
		if (first) {
			inside = true;
			buf_add(out, line);
		} else if (inside && str_starts(line, STR("---"))) {
			inside = false;
			add_status(out, summary, !status, !summed);
			buf_add(out, line);
		} else if (inside && has_key(line, STR("status"))) {
			status = true;
			add_status(out, summary, true, false);
		} else if (inside && summary.n && has_key(line, STR("summary"))) {
			summed = true;
			add_status(out, summary, false, true);
		} else {
			buf_add(out, line);
		}
	}
}

/* Replace this session's note, under the lock. */
static int close_note(struct store *s, str project, str summary, struct buf *file,
		      bool *closed, struct err *e)
{
	struct buf new = BUF_INIT(NOTE_MAX + SUMMARY_MAX);
	struct replaced old = {.fd = -1, .text = BUF_INIT(NOTE_MAX)};
	struct event_note note;
	int ret = sessionnote_file(&s->vault, &s->note, project, file, closed, e);

	if (!ret && *closed)
		ret = replaced_open(&old, s, VAULT_SESSIONS, project, buf_str(file), e);
	if (!ret && *closed) {
		event_note_read(&note, buf_str(&old.text));
		checkpointed(&new, buf_str(&old.text), summary);
		if (!note.front || new.full)
			ret = err_set(
				e, HF_EFORMAT,
				"%.*s/sessions/%.*s: no front matter to mark it done",
				STR_ARG(project), STR_ARG(buf_str(file)));
		else if (!str_eq(buf_str(&old.text), buf_str(&new)))
			ret = replaced_write(&old, s, VAULT_SESSIONS, project,
					     buf_str(file), buf_str(&new), e);
	}
	replaced_release(&old);
	buf_release(&new);
	return ret;
}

int store_checkpoint(struct store *s, str project, str summary, bool *closed,
		     struct err *e)
{
	struct buf line = BUF_INIT(SUMMARY_MAX), file = BUF_INIT(PATH_MAX);
	bool there = false;
	int ret;

	store_session(s);
	ret = store_project_new(s, project, &project, e);
	if (!ret) {
		store_clean(&line, summary);
		if (line.full)
			ret = err_set(e, HF_ELIMIT, "the summary is over %u bytes",
				      SUMMARY_MAX);
	}
	/* without a vault there is no note, and none is made */
	if (!ret && vault_exists(&s->vault)) {
		ret = vault_lock(&s->vault, STORE_LOCK_MS, e);
		if (!ret)
			ret = close_note(s, project, buf_str(&line), &file, &there, e);
		vault_unlock(&s->vault);
	}
	if (!ret && there)
		store_reindex(s, VAULT_SESSIONS, project, buf_str(&file));
	if (closed)
		*closed = !ret && there;
	buf_release(&line);
	buf_release(&file);
	return ret;
}

/* ---- entities ---- */

static void heading(struct buf *b, str name)
{
	buf_printf(b, "# %.*s\n\n", STR_ARG(name));
}

/* One bullet: lines after the first are indented, so that none of them is a heading or a bullet of its own. */
static void bullet(struct buf *out, str text)
{
	str rest = text, line;
	bool first = true;

	while (str_line(&rest, &line)) {
		line = str_trim_right(line);
		buf_add(out, first ? STR("- ") : line.n ? STR("  ") : STR_NONE);
		buf_add(out, line);
		buf_byte(out, '\n');
		first = false;
	}
}

/* Line ends of all kinds to LF; control characters but tab and newline gone. */
static void plain_lines(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		str left = str_from(s, i);

		if (c == '\r') {
			if (i + 1 < s.n && s.p[i + 1] == '\n')
				i++;
			buf_byte(out, '\n');
		} else if (str_starts(left, STR("\xc2\x85"))) {
			buf_byte(out, '\n');
			i++;
		} else if (str_starts(left, STR("\xe2\x80\xa8")) ||
			   str_starts(left, STR("\xe2\x80\xa9"))) {
			buf_byte(out, '\n');
			i += 2;
		} else if ((c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n') {
			buf_byte(out, (char)c);
		}
	}
}

static void clean_fact(struct buf *out, str content)
{
	struct buf a = BUF_INIT(out->max), b = BUF_INIT(out->max);

	utf8_add(&a, content);
	plain_lines(&b, buf_str(&a));
	redact(out, str_trim(buf_str(&b)));
	if (a.full || b.full)
		out->full = true;
	buf_release(&a);
	buf_release(&b);
}

int store_note(struct store *s, str project, str name, str content, struct err *e)
{
	struct buf raw = BUF_INIT(RAW_NAME_MAX), fact = BUF_INIT(STORE_ENTITY_MAX),
		   head = BUF_INIT(2 * RAW_NAME_MAX), file = BUF_INIT(PATH_MAX),
		   lines = BUF_INIT(4 * STORE_ENTITY_MAX);
	int ret;

	store_session(s);
	ret = store_project_new(s, project, &project, e);
	store_clean(&raw, name);
	clean_fact(&fact, content);
	if (!ret && (!raw.n || raw.full))
		ret = err_set(e, HF_EUSAGE, "the name is %s",
			      raw.full ? "too long" : "empty");
	if (!ret && fact.full)
		ret = err_set(e, HF_ELIMIT, "the content is over %u bytes",
			      STORE_ENTITY_MAX);
	if (!ret && !fact.n)
		ret = err_set(e, HF_EUSAGE, "the content is empty: nothing was noted");
	if (!ret)
		ret = vault_lock(&s->vault, STORE_LOCK_MS, e);
	if (!ret)
		ret = vault_entity(&s->vault, project, buf_str(&raw), &file, e);
	if (!ret) {
		heading(&head, buf_str(&raw));
		bullet(&lines, buf_str(&fact));
		ret = vault_add(&s->vault, VAULT_ENTITIES, project, buf_str(&file),
				buf_str(&head), buf_str(&lines), e);
	}
	vault_unlock(&s->vault);
	if (!ret)
		store_reindex(s, VAULT_ENTITIES, project, buf_str(&file));
	buf_release(&raw);
	buf_release(&fact);
	buf_release(&head);
	buf_release(&file);
	buf_release(&lines);
	return ret;
}

int store_entity(struct store *s, str project, str name, struct buf *out, struct err *e)
{
	struct buf text = BUF_INIT(VAULT_NOTE_MAX), raw = BUF_INIT(RAW_NAME_MAX),
		   file = BUF_INIT(PATH_MAX);
	int ret;

	store_session(s);
	ret = store_project(s, project, &project, e);
	store_clean(&raw, name);
	if (!ret && (!raw.n || raw.full))
		ret = err_set(e, HF_EUSAGE, "the name is %s",
			      raw.full ? "too long" : "empty");
	if (!ret)
		ret = vault_entity(&s->vault, project, buf_str(&raw), &file, e);
	if (!ret && vault_read(&s->vault, VAULT_ENTITIES, project, buf_str(&file), &text,
			       NULL) == HF_ENOTFOUND)
		ret = err_set(e, HF_ENOTFOUND, "nothing is noted of '%.*s' in %.*s",
			      STR_ARG(buf_str(&raw)), STR_ARG(project));
	if (!ret && !text.n)
		ret = vault_read(&s->vault, VAULT_ENTITIES, project, buf_str(&file),
				 &text, e);
	redact(out, buf_str(&text));
	buf_release(&text);
	buf_release(&raw);
	buf_release(&file);
	return ret;
}

/* The stub, under the lock. */
static void make_stub(struct store *s, str project, str name)
{
	struct buf file = BUF_INIT(PATH_MAX), path = BUF_INIT(PATH_MAX),
		   head = BUF_INIT(EVENT_CONTENT_MAX * 2);
	bool made = false;

	heading(&head, name);
	if (vault_entity(&s->vault, project, name, &file, NULL) == 0 &&
	    vault_path(&s->vault, VAULT_ENTITIES, project, buf_str(&file), &path) &&
	    !fs_is_file(buf_cstr(&path)))
		made = vault_write_quick(&s->vault, VAULT_ENTITIES, project,
					 buf_str(&file), buf_str(&head), NULL) == 0;
	vault_unlock(&s->vault);
	if (made)
		store_reindex(s, VAULT_ENTITIES, project, buf_str(&file));
	buf_release(&file);
	buf_release(&path);
	buf_release(&head);
}

void store_stub(struct store *s, str project, str name)
{
	struct buf file = BUF_INIT(PATH_MAX), path = BUF_INIT(PATH_MAX);

	if (vault_entity(&s->vault, project, name, &file, NULL) == 0 &&
	    vault_path(&s->vault, VAULT_ENTITIES, project, buf_str(&file), &path) &&
	    !fs_is_file(buf_cstr(&path)) &&
	    vault_lock(&s->vault, STORE_LOCK_MS, NULL) == 0)
		make_stub(s, project, name);
	buf_release(&file);
	buf_release(&path);
}

/* ---- undo ---- */

struct place { /* of an event */
	enum vault_folder folder;
	struct buf id, project, file;
};

static int take_place(const struct index_item *it, enum vault_folder folder,
		      str file_name, void *arg)
{
	struct place *p = arg;

	p->folder = folder;
	buf_add(&p->id, it->id);
	buf_add(&p->project, it->project);
	buf_add(&p->file, file_name);
	return 0;
}

static void place_init(struct place *p)
{
	*p = (struct place){.id = BUF_INIT(EVENT_ID_MAX * 4),
			    .project = BUF_INIT(PATH_MAX),
			    .file = BUF_INIT(PATH_MAX)};
}

static void place_release(struct place *p)
{
	buf_release(&p->id);
	buf_release(&p->project);
	buf_release(&p->file);
}

/* Append an id to a list, unless it stands there. */
static void list_add(struct buf *list, str id)
{
	str rest = buf_str(list), other;

	while (event_superseded(&rest, &other))
		if (str_eq(other, id))
			return;
	if (list->n)
		buf_byte(list, ',');
	buf_add(list, id);
}

/* Append the list without `only` (all of it when that is empty) to out, and what went to gone; false when nothing did. */
static bool without(struct buf *out, str list, str only, struct buf *gone)
{
	bool any = false;
	str id;

	while (event_superseded(&list, &id)) {
		if (!only.n || str_eq(id, only)) {
			list_add(gone, id);
			any = true;
			continue;
		}
		if (out->n)
			buf_byte(out, ',');
		buf_add(out, id);
	}
	return any;
}

/*
 * Append the line of the event with another `supersedes=`: the token is cut out, with the
 * blank before it, and put back shorter; the rest of the line stays as it is. `old` is the
 * token's value where it stands in the line.
 */
static void other_token(struct buf *out, str line, str old, str new)
{
	static const char key[] = " supersedes=";
	size_t at = (size_t)(old.p - line.p) - (sizeof(key) - 1);

	buf_add(out, str_head(line, at));
	if (new.n)
		buf_printf(out, "%s%.*s", key, STR_ARG(new));
	buf_add(out, str_from(line, at + sizeof(key) - 1 + old.n));
}

/* The note with the event's token changed in every line that is this event; false when it is in none. */
static bool rewritten(struct buf *out, str text, str id, str only, struct buf *gone)
{
	str rest = text, line;
	bool any = false;

	while (rest.n) {
		const char *start = rest.p;
		struct event ev;
		struct buf list = BUF_INIT(NOTE_MAX);
		bool other = false;

		event_cut(&rest, &line);
		if (event_parse(line, &ev) && str_eq(ev.id, id) && ev.supersedes.n)
			other = without(&list, ev.supersedes, only, gone);
		if (other) {
			other_token(out, line, ev.supersedes, buf_str(&list));
			start += line.n;
		}
		buf_add(out, (str){start, (size_t)(rest.p - start)});
		any = any || other;
		buf_release(&list);
	}
	return any;
}

/* Rewrite the note in which the event stands; the ids that went are appended to gone once it is written. */
static int take_back(struct store *s, const struct place *p, str only, struct buf *gone,
		     struct err *e)
{
	struct replaced old = {.fd = -1, .text = BUF_INIT(NOTE_MAX)};
	struct buf new = BUF_INIT(NOTE_MAX), went = BUF_INIT(NOTE_MAX);
	str project = buf_str(&p->project), file = buf_str(&p->file), rest, id;
	bool other = false;
	int ret = vault_lock(&s->vault, STORE_LOCK_MS, e);

	if (!ret)
		ret = replaced_open(&old, s, p->folder, project, file, e);
	if (!ret) {
		other = rewritten(&new, buf_str(&old.text), buf_str(&p->id), only, &went);
		if (other)
			ret = replaced_write(&old, s, p->folder, project, file,
					     buf_str(&new), e);
	}
	vault_unlock(&s->vault);
	if (!ret && other)
		store_reindex(s, p->folder, project, file);
	for (rest = buf_str(&went); !ret && event_superseded(&rest, &id);)
		list_add(gone, id);
	replaced_release(&old);
	buf_release(&new);
	buf_release(&went);
	return ret;
}

struct bringing {
	struct buf newer; /* ids, a comma behind each */
};

static int add_newer(str newer, void *arg)
{
	struct bringing *b = arg;

	buf_add(&b->newer, newer);
	buf_byte(&b->newer, ',');
	return 0;
}

/* The event retired nothing: what retired it lets go of it. */
static int bring_back(struct store *s, str id, struct buf *gone, struct err *e)
{
	struct bringing b = {.newer = BUF_INIT(NOTE_MAX)};
	int ret = index_retired_by(s->index, id, add_newer, &b, e);
	str list = buf_str(&b.newer), newer;

	while (!ret && event_superseded(&list, &newer)) {
		struct place p;

		place_init(&p);
		ret = index_event(s->index, newer, take_place, &p, e);
		if (!ret && !str_eq(buf_str(&p.id), id))
			ret = take_back(s, &p, id, gone, e);
		place_release(&p);
	}
	buf_release(&b.newer);
	return ret;
}

static int resolve_only(struct store *s, str only, struct buf *out, struct err *e)
{
	struct err own = ERR_INIT;
	struct place p;
	int ret;

	if (!only.n)
		return 0;
	place_init(&p);
	ret = index_event(s->index, only, take_place, &p, &own);
	/* an id that nobody has may still stand in the list */
	buf_add(out, ret == HF_ENOTFOUND ? only : buf_str(&p.id));
	place_release(&p);
	return ret == HF_ENOTFOUND || !ret ? 0 : err_set(e, ret, "%s", own.msg);
}

static int is_retired(const struct index_item *it, enum vault_folder folder, str file,
		      void *arg)
{
	(void)folder;
	(void)file;
	*(bool *)arg = it->retired & INDEX_SUPERSEDED;
	return 0;
}

/* Of the events that were let go of: those that nothing else retires. */
static size_t active_again(struct store *s, str gone)
{
	size_t n = 0;
	str id;

	while (event_superseded(&gone, &id)) {
		bool retired = false;

		index_event(s->index, id, is_retired, &retired, NULL);
		n += !retired;
	}
	return n;
}

static int undo(struct store *s, str id, str only, struct buf *gone, struct err *e)
{
	struct buf one = BUF_INIT(EVENT_ID_MAX * 4);
	struct place p;
	int ret;

	place_init(&p);
	ret = index_event(s->index, id, take_place, &p, e);
	if (!ret)
		ret = resolve_only(s, only, &one, e);
	if (!ret)
		ret = take_back(s, &p, buf_str(&one), gone, e);
	if (!ret && !gone->n && !only.n)
		ret = bring_back(s, buf_str(&p.id), gone, e);
	if (!ret && !gone->n)
		ret = err_set(e, HF_ENOTFOUND, "%.*s has retired nothing%s",
			      STR_ARG(buf_str(&p.id)),
			      only.n ? " of that id" : ", and nothing has retired it");
	place_release(&p);
	buf_release(&one);
	return ret;
}

int store_undo(struct store *s, str id, str only, size_t *restored, struct err *e)
{
	struct buf gone = BUF_INIT(NOTE_MAX);
	int ret;

	*restored = 0;
	id = str_trim(id);
	only = str_trim(only);
	if (!event_id_ok(id) || (only.n && !event_id_ok(only)))
		return err_set(e, HF_EUSAGE, "'%.*s' is no event id",
			       STR_ARG(str_head(event_id_ok(id) ? only : id, 80)));
	ret = store_refresh(s, STR_NONE, true, e);
	if (ret)
		return ret;
	do
		ret = undo(s, id, only, &gone, e);
	while (!gone.n && store_again(s, &ret, e));
	if (!ret)
		*restored = active_again(s, buf_str(&gone));
	buf_release(&gone);
	return ret;
}
