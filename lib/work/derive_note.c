#include "work/derive_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/oom.h"

#define OTHER_MAX  (1u << 20) /* of a note of another session */
#define HEADER_MAX 4096u
#define TAIL_BYTES 4096u /* before the known end, by which a note is known again */
#define ID_PREFIX  "ev_d_"
#define ID_DIGITS  8

/* ---- sets ---- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

#define TAIL_MAX 64 /* values behind the sorted ones that are looked through one by one */

/* Where v is, or is to be, among the sorted ones. */
static size_t place_of(const struct derive_set *s, uint64_t v)
{
	size_t low = 0, high = s->sorted;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid] < v)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void derive_set_sort(struct derive_set *s)
{
	if (s->n - s->sorted > TAIL_MAX) {
		qsort(s->v, s->n, sizeof(*s->v), by_value);
		s->sorted = s->n;
	}
	for (; s->sorted < s->n; s->sorted++) {
		uint64_t v = s->v[s->sorted];
		size_t at = place_of(s, v);

		memmove(s->v + at + 1, s->v + at, (s->sorted - at) * sizeof(*s->v));
		s->v[at] = v;
	}
}

bool derive_set_has(struct derive_set *s, uint64_t v)
{
	size_t at;

	if (s->n - s->sorted > TAIL_MAX)
		derive_set_sort(s);
	for (size_t i = s->sorted; i < s->n; i++)
		if (s->v[i] == v)
			return true;
	at = place_of(s, v);
	return at < s->sorted && s->v[at] == v;
}

void derive_set_add(struct derive_set *s, uint64_t v)
{
	if (!(s->n & (s->n - 1))) { /* full: the room doubles */
		s->v = realloc(s->v, (s->n ? 2 * s->n : 1) * sizeof(*s->v));
		if (!s->v)
			oom();
	}
	s->v[s->n++] = v;
}

static void set_release(struct derive_set *s)
{
	free(s->v);
	*s = (struct derive_set){NULL, 0, 0};
}

/* ---- what is known ---- */

void derive_known_init(struct derive_known *k)
{
	*k = (struct derive_known){.goals = BUF_INIT(DERIVE_IDS_MAX),
				   .steps = BUF_INIT(DERIVE_IDS_MAX),
				   .step = BUF_INIT(EVENT_CONTENT_MAX),
				   .file = BUF_INIT(PATH_MAX)};
}

void derive_known_release(struct derive_known *k)
{
	set_release(&k->id);
	set_release(&k->text);
	buf_release(&k->goals);
	buf_release(&k->steps);
	buf_release(&k->step);
	buf_release(&k->file);
	buf_release(&k->loaded);
}

bool derive_has_id(struct derive_known *k, uint32_t id)
{
	return derive_set_has(&k->id, id);
}

bool derive_has_text(struct derive_known *k, str content)
{
	derive_state_texts(k);
	return derive_set_has(&k->text, str_hash(content));
}

void derive_settle(struct derive_known *k, uint32_t id)
{
	if (derive_has_id(k, id))
		return;
	derive_set_add(&k->id, id);
	k->changed = true;
}

static bool derived_id(str id, uint32_t *out)
{
	uint32_t v = 0;

	if (id.n != sizeof(ID_PREFIX) - 1 + ID_DIGITS || !str_starts(id, STR(ID_PREFIX)))
		return false;
	for (size_t i = sizeof(ID_PREFIX) - 1; i < id.n; i++) {
		char c = id.p[i];

		if (!str_is_digit(c) && (c < 'a' || c > 'f'))
			return false;
		v = v << 4 | (uint32_t)(str_is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	*out = v;
	return true;
}

/* Take an id out of ",a,b,c". */
static void drop_id(struct buf *list, str id)
{
	struct buf rest = BUF_INIT(list->max);
	str all = buf_str(list), one;

	if (str_find(all, id) == STR_NPOS)
		return;
	while (event_superseded(&all, &one)) {
		if (str_eq(one, id))
			continue;
		buf_byte(&rest, ',');
		buf_add(&rest, one);
	}
	buf_release(list);
	*list = rest;
}

void derive_add_known(struct derive_known *k, const struct event *ev)
{
	str list = ev->supersedes, id;
	uint32_t n;

	k->changed = true;
	if (derived_id(ev->id, &n))
		derive_set_add(&k->id, n);
	derive_set_add(&k->text, str_hash(ev->content));
	while (event_superseded(&list, &id)) {
		drop_id(&k->goals, id);
		drop_id(&k->steps, id);
	}
	if (!k->steps.n)
		buf_reset(&k->step);
	if (ev->origin != EVENT_DERIVED ||
	    (ev->type != EVENT_GOAL && ev->type != EVENT_NEXT_STEP))
		return;
	if (ev->type == EVENT_NEXT_STEP) {
		buf_reset(&k->step);
		buf_add(&k->step, ev->content);
	}
	buf_byte(ev->type == EVENT_GOAL ? &k->goals : &k->steps, ',');
	buf_add(ev->type == EVENT_GOAL ? &k->goals : &k->steps, ev->id);
}

/* live: without the steps. */
static void know_lines(struct derive_known *k, str text, bool live)
{
	struct event ev;
	str line;

	while (event_cut(&text, &line)) {
		if (!event_parse(line, &ev))
			continue;
		if (live && ev.type == EVENT_NEXT_STEP)
			ev.origin = EVENT_LOGGED;
		derive_add_known(k, &ev);
	}
}

/* ---- the session's own note ---- */

static uint64_t tail_hash(int fd, uint64_t size)
{
	struct buf b = BUF_INIT(TAIL_BYTES);
	uint64_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0, h;

	fs_read_at(fd, from, (size_t)(size - from), &b, NULL);
	h = str_hash(buf_str(&b));
	buf_release(&b);
	return h;
}

/* The note is as it was when it was looked at last. */
static bool is_unchanged(const struct derive_known *k, const struct vault *v, str project)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	bool same = k->file.n && k->ino &&
		    vault_path(v, VAULT_SESSIONS, project, buf_str(&k->file), &path) &&
		    io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
		    (uint64_t)st.st_ino == k->ino && (uint64_t)st.st_size == k->size;

	buf_release(&path);
	return same;
}

/* Nothing of the note is known but the ids that are settled. */
static void unknow(struct derive_known *k)
{
	set_release(&k->text);
	k->texts = STR_NONE;
	buf_reset(&k->goals);
	buf_reset(&k->steps);
	buf_reset(&k->step);
	k->ino = k->size = k->tail = 0;
	k->changed = true;
}

/* Read from where it is known up to, or from the start when it is another one. */
static int read_on(struct derive_known *k, int fd, const struct stat *st, struct err *e)
{
	struct buf text = BUF_INIT(VAULT_NOTE_MAX);
	struct event_note note;
	uint64_t size = (uint64_t)st->st_size;
	long got;

	if (k->ino != (uint64_t)st->st_ino || k->size > size ||
	    k->tail != tail_hash(fd, k->size))
		unknow(k);
	if (size - k->size > VAULT_NOTE_MAX)
		return err_set(e, HF_ELIMIT, "%s: over %u bytes", buf_cstr(&k->file),
			       VAULT_NOTE_MAX);
	got = fs_read_at(fd, k->size, (size_t)(size - k->size), &text, e);
	if (got >= 0) {
		event_note_read(&note, buf_str(&text));
		know_lines(k, k->size ? buf_str(&text) : note.body, false);
		k->size += (uint64_t)got;
		k->tail = tail_hash(fd, k->size);
		/* a line that is not whole is read again */
		k->ino = text.n && text.p[text.n - 1] == '\n' ? (uint64_t)st->st_ino : 0;
		k->changed = true;
	}
	buf_release(&text);
	return got < 0 ? (int)got : 0;
}

int derive_know_own(struct derive_known *k, const struct vault *v,
		    const struct sessionnote *n, str project, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	bool exists = false;
	struct stat st;
	int ret, fd;

	if (is_unchanged(k, v, project))
		return 0;
	buf_reset(&k->file);
	ret = sessionnote_file(v, n, project, &k->file, &exists, e);
	if (ret || !exists) {
		buf_reset(&k->file);
		if (!ret && k->size)
			unknow(k);
		return ret;
	}
	if (!vault_path(v, VAULT_SESSIONS, project, buf_str(&k->file), &path))
		ret = err_set(e, HF_EUSAGE, "invalid project: '%.*s'", STR_ARG(project));
	fd = ret ? ret : fs_open(buf_cstr(&path), &st, e);
	if (fd >= 0) {
		ret = read_on(k, fd, &st, e);
		io.close(fd);
	} else {
		ret = fd;
	}
	buf_release(&path);
	return ret;
}

void derive_note_grew(struct derive_known *k, const struct vault *v,
		      const struct sessionnote *n, str project, str file, size_t bytes,
		      bool made)
{
	struct buf path = BUF_INIT(PATH_MAX), header = BUF_INIT(HEADER_MAX);
	struct stat st;
	int fd;

	if (made)
		event_note_header(&header, str_head(file, file.n - 3), project,
				  n->started_us);
	buf_reset(&k->file);
	buf_add(&k->file, file);
	fd = vault_path(v, VAULT_SESSIONS, project, file, &path)
		     ? fs_open(buf_cstr(&path), &st, NULL)
		     : HF_EUSAGE;
	if (fd >= 0) {
		/* longer: somebody else has written too, and that is yet to be read */
		if ((made || (uint64_t)st.st_ino == k->ino) &&
		    (uint64_t)st.st_size == k->size + header.n + bytes) {
			k->ino = (uint64_t)st.st_ino;
			k->size = (uint64_t)st.st_size;
			k->tail = tail_hash(fd, k->size);
		}
		io.close(fd);
	}
	k->changed = true;
	buf_release(&path);
	buf_release(&header);
}

/* ---- other sessions ---- */

struct newest {
	const struct sessionnote *own;
	char *name[DERIVE_NOTES]; /* a ring: at[n % DERIVE_NOTES] is the oldest */
	size_t n;
};

static int take_newest(const char *name, void *arg)
{
	struct newest *w = arg;
	str id = str_of(name);

	id.n -= 3; /* ".md" */
	if (!str_starts(id, STR("s_2")) || sessionnote_is(w->own, id))
		return 0;
	free(w->name[w->n % DERIVE_NOTES]);
	w->name[w->n++ % DERIVE_NOTES] = str_dup(str_of(name));
	return 0;
}

static int is_live(struct journal *j, void *arg)
{
	const str *name = arg;
	struct sessionnote n;

	if (j->state != JOURNAL_OPEN || journal_alive(&j->process) != JOURNAL_ALIVE)
		return 0;
	sessionnote_of(&n, str_of(j->session), j->started_at);
	return sessionnote_is(&n, str_head(*name, name->n - 3));
}

/* Steps of a session that runs are its own business: they are not to be retired. */
static void know_other(struct derive_known *k, str text, str name, const char *state_dir)
{
	bool live = state_dir[0] && str_find(text, STR("**[next_step]**")) != STR_NPOS &&
		    journal_each(state_dir, is_live, &name, NULL) > 0;
	struct event_note note;

	event_note_read(&note, text);
	know_lines(k, note.body, live);
}

void derive_know_others(struct derive_known *k, const struct vault *v,
			const struct sessionnote *n, str project, const char *state_dir)
{
	struct newest w = {.own = n};
	struct buf text = BUF_INIT(OTHER_MAX);

	vault_each(v, VAULT_SESSIONS, project, ".md", take_newest, &w, NULL);
	for (size_t i = 0; i < DERIVE_NOTES; i++) {
		char *name = w.name[(w.n + i) % DERIVE_NOTES];

		buf_reset(&text);
		if (name && vault_read(v, VAULT_SESSIONS, project, str_of(name), &text,
				       NULL) == 0)
			know_other(k, buf_str(&text), str_of(name), state_dir);
	}
	for (size_t i = 0; i < DERIVE_NOTES; i++)
		free(w.name[i]);
	buf_release(&text);
}
