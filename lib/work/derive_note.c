#include "work/derive_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/oom.h"

#define NOTE_MAX  (4u << 20)
#define OTHER_MAX (1u << 20) /* of a note of another session */
#define ID_PREFIX "ev_d_"
#define ID_DIGITS 8

void derive_known_init(struct derive_known *k)
{
	*k = (struct derive_known){.goals = BUF_INIT(DERIVE_IDS_MAX),
				   .steps = BUF_INIT(DERIVE_IDS_MAX),
				   .step = BUF_INIT(EVENT_CONTENT_MAX)};
}

void derive_known_release(struct derive_known *k)
{
	free(k->id);
	free(k->text);
	buf_release(&k->goals);
	buf_release(&k->steps);
	buf_release(&k->step);
}

bool derive_has_id(const struct derive_known *k, uint32_t id)
{
	for (size_t i = 0; i < k->nid; i++)
		if (k->id[i] == id)
			return true;
	return false;
}

bool derive_has_text(const struct derive_known *k, str content)
{
	uint64_t hash = str_hash(content);

	for (size_t i = 0; i < k->ntext; i++)
		if (k->text[i] == hash)
			return true;
	return false;
}

/* Room for one more: the array doubles when its number is a power of two. */
static void *grown(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p;
	p = realloc(p, (n ? 2 * n : 1) * size);
	if (!p)
		oom();
	return p;
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

	if (derived_id(ev->id, &n)) {
		k->id = grown(k->id, k->nid, sizeof(*k->id));
		k->id[k->nid++] = n;
	}
	k->text = grown(k->text, k->ntext, sizeof(*k->text));
	k->text[k->ntext++] = str_hash(ev->content);
	while (event_superseded(&list, &id)) {
		drop_id(&k->goals, id);
		drop_id(&k->steps, id);
	}
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

static void know_text(struct derive_known *k, str text)
{
	struct event_note note;
	struct event ev;
	str rest, line;

	event_note_read(&note, text);
	rest = note.body;
	while (event_cut(&rest, &line))
		if (event_parse(line, &ev))
			derive_add_known(k, &ev);
}

int derive_know_own(struct derive_known *k, const struct vault *v,
		    const struct sessionnote *n, str project, struct err *e)
{
	struct buf name = BUF_INIT(PATH_MAX), text = BUF_INIT(NOTE_MAX);
	bool exists = false;
	int ret = sessionnote_file(v, n, project, &name, &exists, e);

	if (!ret && exists)
		ret = vault_read(v, VAULT_SESSIONS, project, buf_str(&name), &text, e);
	if (!ret)
		know_text(k, buf_str(&text));
	if (!k->steps.n)
		buf_reset(&k->step);
	buf_release(&name);
	buf_release(&text);
	return ret;
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
	size_t steps = k->steps.n;

	know_text(k, text);
	if (k->steps.n > steps && state_dir[0] &&
	    journal_each(state_dir, is_live, &name, NULL) > 0)
		buf_cut(&k->steps, steps);
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
