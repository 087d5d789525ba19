/*
 * project.md, written once for each project:
 *
 *   ---
 *   type: project
 *   id: remote:example.com/dev/tollgate
 *   aliases: [path:/home/dev/tollgate]
 *   name: tollgate
 *   ---
 *
 * An id that the note does not know is added to its aliases; nothing else in it is touched,
 * so that a person may add what they like.
 */
#include "work/identity.h"

#include <stdlib.h>

#include "base/fs.h"
#include "base/utf8.h"
#include "data/note.h"
#include "work/redact.h"

#define NOTE_MAX   (64u << 10)
#define NAME_SHOWN 100  /* bytes of a bad name in a message */
#define LIST_MAX   8192 /* bytes of all aliases */

/* Append the text of a folder's project.md; false when there is none. */
static bool read_note(const struct vault *v, str folder, struct buf *text)
{
	return vault_read(v, VAULT_PROJECT, folder, STR(IDENTITY_NOTE), text, NULL) == 0;
}

static bool knows(const struct note *n, const char *id)
{
	struct buf b = BUF_INIT(NOTE_MAX);
	size_t it = 0;
	bool found = note_value(n, "id", &b) && str_eq(buf_str(&b), str_of(id));

	while (!found && note_list(note_get(n, "aliases"), &it, &b))
		found = str_eq(buf_str(&b), str_of(id));
	buf_release(&b);
	return found;
}

/* The owner is known by its path alone, and that path is gone. */
static bool has_moved(const struct note *n)
{
	struct buf b = BUF_INIT(NOTE_MAX);
	bool moved;

	note_value(n, "id", &b);
	moved = str_starts(buf_str(&b), STR("path:/")) && !fs_is_dir(buf_cstr(&b) + 5);
	buf_release(&b);
	return moved;
}

static bool owns(const struct project *p, str text)
{
	struct note n;

	note_parse(&n, text);
	if (!note_get(&n, "id").n)
		return true;
	return knows(&n, p->id) || knows(&n, p->alias) || has_moved(&n);
}

static bool has_secret(str name)
{
	struct buf clean = BUF_INIT(SIZE_MAX);
	bool has = redact(&clean, name) > 0;

	buf_release(&clean);
	return has;
}

int identity_name(str name, bool read, struct err *e)
{
	const char *bad = project_name_bad(name);

	if (name.n && has_secret(name))
		return err_set(e, HF_EUSAGE,
			       "invalid project: a secret is no name for it");
	if (!bad || (read && project_name_ok(name) && !project_name_taken(name)))
		return 0;
	return err_set(e, HF_EUSAGE, "invalid project: '%.*s'%s%s%s",
		       STR_ARG(utf8_head(name, NAME_SHOWN)), bad[0] ? " (" : "", bad,
		       bad[0] ? ")" : "");
}

int identity_folder(const struct vault *v, const struct project *p, struct buf *name,
		    struct err *e)
{
	struct buf text = BUF_INIT(NOTE_MAX);
	str plain = str_of(p->name);
	int ret = 0;

	if (p->source == PROJECT_BY_CALLER || p->source == PROJECT_BY_ENV) {
		ret = identity_name(plain, false, e);
		buf_add(name, plain);
	} else if (has_secret(plain)) {
		project_suffixed(name, STR("project"), str_of(p->id));
	} else if (p->source == PROJECT_BY_NOTHING || !v->root ||
		   !read_note(v, plain, &text) || owns(p, buf_str(&text))) {
		buf_add(name, plain);
	} else {
		project_suffixed(name, plain, str_of(p->id));
	}
	buf_release(&text);
	return ret;
}

static int stop(const char *name, void *arg)
{
	(void)name;
	(void)arg;
	return 1;
}

static bool holds_something(const struct vault *v, str folder)
{
	static const enum vault_folder in[] = {VAULT_SESSIONS, VAULT_ENTITIES,
					       VAULT_HANDOFFS, VAULT_ARCHIVE};

	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		if (vault_each(v, in[i], folder, "", stop, NULL, NULL) == 1)
			return true;
	return false;
}

int identity_may_take(const struct vault *v, const struct project *p, str folder,
		      str name, struct buf *other, struct err *e)
{
	struct buf text = BUF_INIT(NOTE_MAX);
	struct note n;

	if (identity_name(name, false, e))
		return e->code;
	if (str_eq(folder, name))
		return 0;
	if (holds_something(v, folder))
		return err_set(
			e, HF_EUSAGE,
			"%s/%.*s holds notes of this project, which '%.*s' would not have: rename that folder first",
			v->root, STR_ARG(folder), STR_ARG(name));
	if (read_note(v, name, &text) && !owns(p, buf_str(&text))) {
		note_parse(&n, buf_str(&text));
		note_value(&n, "id", other);
	}
	buf_release(&text);
	return 0;
}

static void add_element(struct buf *list, const char *id)
{
	struct buf line = BUF_INIT(LIST_MAX);

	/* the writer of fields quotes where the subset needs it; a list takes the same form */
	note_add_field(&line, "x", str_of(id));
	if (list->n > 1)
		buf_add(list, STR(", "));
	buf_add(list, str_trim(str_from(buf_str(&line), 2)));
	buf_release(&line);
}

static void new_note(const struct project *p, str folder, struct buf *out)
{
	struct buf list = BUF_INIT(LIST_MAX);

	buf_byte(&list, '[');
	if (!str_eq(str_of(p->id), str_of(p->alias)))
		add_element(&list, p->alias);
	buf_byte(&list, ']');
	buf_add(out, STR("---\ntype: project\n"));
	note_add_field(out, "id", str_of(p->id));
	buf_printf(out, "aliases: %s\n", buf_cstr(&list));
	note_add_field(out, "name", folder);
	buf_printf(out, "---\n\n# %.*s\n", STR_ARG(folder));
	buf_release(&list);
}

/* The text with one more alias; its `aliases` line is replaced, or put below the first line. */
static void with_alias(str text, const char *id, struct buf *out)
{
	struct buf list = BUF_INIT(LIST_MAX), element = BUF_INIT(LIST_MAX);
	str rest = text, line;
	bool put = false, had;
	struct note n;
	size_t it = 0;

	note_parse(&n, text);
	had = note_get(&n, "aliases").n > 0;
	buf_byte(&list, '[');
	while (note_list(note_get(&n, "aliases"), &it, &element))
		add_element(&list, buf_cstr(&element));
	add_element(&list, id);
	buf_byte(&list, ']');
	for (bool first = true; str_line(&rest, &line); first = false) {
		bool here = had ? str_starts(line, STR("aliases:")) : first;

		if (!put && here) {
			if (first)
				buf_printf(out, "%.*s\n", STR_ARG(line));
			buf_printf(out, "aliases: %s\n", buf_cstr(&list));
			put = true;
		} else {
			buf_printf(out, "%.*s\n", STR_ARG(line));
		}
	}
	buf_release(&list);
	buf_release(&element);
}

int identity_record(struct vault *v, const struct project *p, str folder, struct err *e)
{
	struct buf old = BUF_INIT(NOTE_MAX), new = BUF_INIT(2 * NOTE_MAX);
	bool mine = v->lock < 0;
	struct note n;
	int ret = 0;

	if (mine)
		ret = vault_lock(v, VAULT_LOCK_WAIT_MS, e);
	if (ret)
		return ret;
	if (!read_note(v, folder, &old)) {
		new_note(p, folder, &new);
	} else {
		note_parse(&n, buf_str(&old));
		if (note_get(&n, "id").n && !knows(&n, p->id))
			with_alias(buf_str(&old), p->id, &new);
	}
	if (new.full)
		ret = err_set(e, HF_ELIMIT, "%.*s/" IDENTITY_NOTE ": over %u bytes",
			      STR_ARG(folder), NOTE_MAX);
	else if (new.n)
		ret = vault_write(v, VAULT_PROJECT, folder, STR(IDENTITY_NOTE),
				  buf_str(&new), e);
	if (mine)
		vault_unlock(v);
	buf_release(&old);
	buf_release(&new);
	return ret;
}
