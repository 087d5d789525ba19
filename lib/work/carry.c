#include "work/carry.h"

#include <stdlib.h>

#include "data/note.h"
#include "work/check.h"

static void add_name(struct carry *c, str name)
{
	for (size_t i = 0; i < c->nname; i++)
		if (str_eq(str_of(c->name[i]), name))
			return;
	if (c->nname == CARRY_NAMES_MAX) {
		free(c->name[0]);
		memmove(c->name, c->name + 1, (CARRY_NAMES_MAX - 1) * sizeof(c->name[0]));
		c->nname--;
	}
	c->name[c->nname++] = str_dup(name);
}

static uint64_t key_of(str line)
{
	struct buf key = BUF_INIT(HANDOFF_DOC_MAX);
	uint64_t hash;

	check_hazard_key(&key, line);
	hash = str_hash(buf_str(&key));
	buf_release(&key);
	return hash;
}

static void add_hazard(struct carry *c, str line)
{
	uint64_t key = key_of(line);

	for (size_t i = 0; i < c->nhazard; i++)
		if (c->key[i] == key)
			return;
	c->key[c->nhazard] = key;
	c->hazard[c->nhazard++] = line;
}

static void add_lineage(struct carry *c, const struct docs_item *it)
{
	struct buf one = BUF_INIT(DOCS_NAME_MAX * 2);
	struct note n;
	size_t at = 0;

	note_parse(&n, str_of(it->text));
	while (note_list(note_get(&n, "lineage"), &at, &one))
		if (one.n && one.n < DOCS_NAME_MAX)
			add_name(c, buf_str(&one));
	buf_release(&one);
}

static void add_hazards(struct carry *c, const struct docs_item *it)
{
	struct handoff_doc d = {.session = STR_NONE};
	size_t at = 0;
	str line;

	handoff_read(&d, str_of(it->text), NULL);
	while (c->nhazard < CARRY_HAZARDS_MAX &&
	       handoff_next_hazard(d.hazards, &at, &line))
		add_hazard(c, line);
}

static void take(struct carry *c, const struct docs_item *it, bool named)
{
	add_lineage(c, it);
	if (named)
		add_name(c, str_of(it->name));
	add_hazards(c, it);
}

/* Nobody but its session has it. */
static bool is_free(const struct docs_item *it)
{
	return !it->archived && (it->status == DOCS_LIVE || it->status == DOCS_PENDING);
}

/* The newest of the session, the archive too. */
static const struct docs_item *newest_of(const struct docs *d, const struct scope *s)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(str_of(d->item[i].session), str_of(s->session)))
			return &d->item[i];
	return NULL;
}

int carry_load(struct carry *c, const struct scope *s, struct err *e)
{
	const struct docs_item *own = NULL, *left = NULL;
	int ret;

	*c = (struct carry){.nname = 0};
	ret = docs_load(&c->docs, &s->vault, str_of(s->project), true, e);
	if (ret)
		return ret;
	if (s->j && s->j->claimed)
		c->claimed = docs_named(&c->docs, str_of(s->j->claimed));
	if (s->session[0])
		own = newest_of(&c->docs, s);
	if (s->j && s->j->previous)
		left = docs_of_session(&c->docs, str_of(s->j->previous));
	if (left)
		add_hazards(c, left);
	if (c->claimed)
		take(c, c->claimed, true);
	c->nearlier = c->nhazard;
	if (own && own != c->claimed)
		take(c, own, !is_free(own));
	if (own && is_free(own))
		c->own = own;
	else if (own && !own->archived && own->status == DOCS_CLAIMED)
		c->taken = own;
	return 0;
}

void carry_release(struct carry *c)
{
	for (size_t i = 0; i < c->nname; i++)
		free(c->name[i]);
	docs_release(&c->docs);
	*c = (struct carry){.nname = 0};
}

const struct docs_item *carry_current(const struct carry *c, const struct scope *s)
{
	const struct docs_item *it;

	if (c->own)
		return c->own;
	if (s->session[0])
		return c->claimed;
	for (size_t i = 0; i < c->docs.n; i++) {
		it = &c->docs.item[i];
		if (!it->archived && it->status != DOCS_ODD &&
		    (!it->worktree[0] || strcmp(it->worktree, s->worktree) == 0))
			return it;
	}
	return NULL;
}
