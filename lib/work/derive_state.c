/*
 * What a run knows of the session's note, for the next one: STATE/facts/<session>.derived.
 *
 *   handoff-derived 1 <hash of the rest, hex>\n
 *   note <inode> <size> <hash of the bytes before size, hex> <file name>\n
 *   goals ,<id>,<id>\n   steps ,<id>,<id>\n   step <content>\n     where there are any
 *   id <8 hex digits each>\n   text <16 hex digits each>\n
 *
 * Derived: where it is missing or damaged the note is read, so it is written over in place.
 */
#include "work/derive_impl.h"

#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"

#define FOLDER      "facts"
#define ENDING      ".derived"
#define MAGIC       "handoff-derived 1 "
#define STATE_MAX   (8u << 20)
#define ID_DIGITS   8
#define HASH_DIGITS 16

static void state_path(const char *state_dir, str session, struct buf *b)
{
	fs_join(b, str_of(state_dir), STR(FOLDER));
	buf_byte(b, '/');
	buf_add(b, session);
	buf_add(b, STR(ENDING));
}

static bool read_hex(str s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.n || s.n > HASH_DIGITS)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!str_is_digit(c) && (c < 'a' || c > 'f'))
			return false;
		v = v << 4 | (uint64_t)(str_is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	*out = v;
	return true;
}

static void add_hex(struct buf *b, uint64_t v, size_t digits)
{
	char *p = buf_room(b, digits);

	for (size_t i = 0; p && i < digits; i++)
		p[i] = "0123456789abcdef"[v >> 4 * (digits - 1 - i) & 15];
	if (p)
		b->n += digits;
}

/* Numbers of so many digits each, written side by side. */
static bool load_set(struct derive_set *s, str hex, size_t digits)
{
	uint64_t v;

	for (; hex.n; hex = str_from(hex, digits)) {
		if (hex.n < digits || !read_hex(str_head(hex, digits), &v))
			return false;
		derive_set_add(s, v);
	}
	return true;
}

void derive_state_texts(struct derive_known *k)
{
	struct derive_set all = {NULL, 0, 0};

	if (!k->texts.n)
		return;
	load_set(&all, k->texts, HASH_DIGITS);
	all.sorted = all.n; /* as they were written */
	for (size_t i = 0; i < k->text.n; i++)
		derive_set_add(&all, k->text.v[i]);
	free(k->text.v);
	k->text = all;
	k->texts = STR_NONE;
}

static bool load_note(struct derive_known *k, str rest)
{
	str word;

	if (!str_word(&rest, &word) || !str_u64(word, &k->ino) ||
	    !str_word(&rest, &word) || !str_u64(word, &k->size) ||
	    !str_word(&rest, &word) || !read_hex(word, &k->tail))
		return false;
	buf_add(&k->file, str_trim(rest));
	return true;
}

static bool load_line(struct derive_known *k, str line)
{
	str rest = line, key, value;

	if (!str_word(&rest, &key))
		return false;
	value = str_from(rest, 1);
	if (str_eq(key, STR("note")))
		return load_note(k, rest);
	if (str_eq(key, STR("goals")))
		buf_add(&k->goals, value);
	else if (str_eq(key, STR("steps")))
		buf_add(&k->steps, value);
	else if (str_eq(key, STR("step")))
		buf_add(&k->step, value);
	else if (str_eq(key, STR("text")))
		k->texts = value;
	else
		return str_eq(key, STR("id")) && load_set(&k->id, value, ID_DIGITS);
	return true;
}

/* The lines behind a header that fits them. */
static bool whole(str text, str *lines)
{
	uint64_t hash;
	str head;

	if (!str_line(&text, &head) || !str_starts(head, STR(MAGIC)) ||
	    !read_hex(str_from(head, sizeof(MAGIC) - 1), &hash) || hash != str_hash(text))
		return false;
	*lines = text;
	return true;
}

bool derive_state_load(struct derive_known *k, const char *state_dir, str session)
{
	struct buf path = BUF_INIT(PATH_MAX);
	str lines = STR_NONE, line;
	bool ok;

	k->loaded = BUF_INIT(STATE_MAX);
	state_path(state_dir, session, &path);
	ok = fs_read(buf_cstr(&path), &k->loaded, NULL) == 0 &&
	     whole(buf_str(&k->loaded), &lines);
	while (ok && str_line(&lines, &line))
		ok = load_line(k, line);
	if (!ok) {
		derive_known_release(k);
		derive_known_init(k);
	}
	k->id.sorted = k->id.n;
	k->changed = false;
	buf_release(&path);
	return ok;
}

static void add_list(struct buf *b, const char *key, str list)
{
	if (list.n)
		buf_printf(b, "%s %.*s\n", key, STR_ARG(list));
}

/* Each value once. */
static void add_set(struct buf *b, const char *key, struct derive_set *s, size_t digits)
{
	derive_set_sort(s);
	buf_printf(b, "%s ", key);
	for (size_t i = 0; i < s->n; i++)
		if (!i || s->v[i] != s->v[i - 1])
			add_hex(b, s->v[i], digits);
	buf_byte(b, '\n');
}

int derive_state_save(struct derive_known *k, const char *state_dir, str session,
		      struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), lines = BUF_INIT(STATE_MAX),
		   text = BUF_INIT(STATE_MAX);
	int ret;

	if (k->file.n) {
		buf_printf(&lines, "note %llu %llu ", (unsigned long long)k->ino,
			   (unsigned long long)k->size);
		add_hex(&lines, k->tail, HASH_DIGITS);
		buf_printf(&lines, " %s\n", buf_cstr(&k->file));
	}
	add_list(&lines, "goals", buf_str(&k->goals));
	add_list(&lines, "steps", buf_str(&k->steps));
	add_list(&lines, "step", buf_str(&k->step));
	add_set(&lines, "id", &k->id, ID_DIGITS);
	derive_state_texts(k);
	add_set(&lines, "text", &k->text, HASH_DIGITS);
	buf_add(&text, STR(MAGIC));
	add_hex(&text, str_hash(buf_str(&lines)), HASH_DIGITS);
	buf_byte(&text, '\n');
	buf_add(&text, buf_str(&lines));
	fs_join(&path, str_of(state_dir), STR(FOLDER));
	ret = fs_is_dir(buf_cstr(&path)) ? 0 : fs_mkdirs(buf_cstr(&path), 0700, e);
	state_path(state_dir, session, &path);
	if (!ret && (lines.full || text.full))
		ret = err_set(e, HF_ELIMIT, "%s: over %u bytes", buf_cstr(&path),
			      STATE_MAX);
	if (!ret)
		ret = fs_write_over(buf_cstr(&path), buf_str(&text), 0600, e);
	if (!ret)
		k->changed = false;
	buf_release(&path);
	buf_release(&lines);
	buf_release(&text);
	return ret;
}

int derive_forget(const char *state_dir, str session, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret = 0;

	state_path(state_dir, session, &path);
	if (fs_is_file(buf_cstr(&path)) && io.unlink(buf_cstr(&path)) < 0)
		ret = err_sys(e, "%s: unlink", buf_cstr(&path));
	buf_release(&path);
	return ret;
}
