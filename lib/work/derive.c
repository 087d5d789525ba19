/*
 * One run: what the note holds is known from the last run and what was added since; the
 * candidates that are not in it are written under the vault's lock, after a last look at
 * what other programs added meanwhile.
 */
#include "work/derive_impl.h"

#include <stdio.h>

#include "base/clock.h"

#define LINES_MAX  (1u << 20)
#define BATCH_MAX  (256u << 10) /* bytes of lines after which a batch is written */
#define ID_KEY_MAX 256u

struct derive {
	const struct facts *f;
	struct vault *v;
	const char *project, *state_dir;
	struct sessionnote note;
	struct derive_known known;
	struct derive_known other; /* of other sessions' notes; empty unless wanted */
	struct derive_cands cands;
	size_t next; /* candidate that is looked at next */
	size_t added;
};

static const struct fact_source *source_of(const struct facts *f, uint64_t record)
{
	size_t low = 0, high = f->nsource;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->source[mid].record < record)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->nsource && f->source[low].record == record ? &f->source[low]
								   : NULL;
}

static uint32_t id_of(str uuid, const struct derive_cand *c)
{
	struct buf key = BUF_INIT(ID_KEY_MAX);
	uint32_t id;

	buf_printf(&key, "%.*s %.*s %u", STR_ARG(uuid), STR_ARG(event_type_name(c->type)),
		   c->place);
	id = (uint32_t)(str_hash(buf_str(&key)) & UINT32_MAX);
	buf_release(&key);
	return id;
}

/* Candidates without a record's uuid are none; those that are settled are over. */
static bool is_new(struct derive *d, const struct derive_cand *c)
{
	const struct fact_source *from = source_of(d->f, c->record);

	return from && !derive_has_id(&d->known, id_of(from->uuid, c));
}

/* Other notes are read where a goal or a first step retires theirs, and at the first run of a session, whose transcript may be a copy. */
static bool wants_others(struct derive *d)
{
	if (!d->known.id.n)
		return true;
	for (size_t i = 0; i < d->cands.n; i++) {
		const struct derive_cand *c = &d->cands.v[i];

		if ((c->type == EVENT_GOAL ||
		     (c->type == EVENT_NEXT_STEP && !d->known.steps.n)) &&
		    is_new(d, c))
			return true;
	}
	return false;
}

static bool any_new(struct derive *d)
{
	for (size_t i = 0; i < d->cands.n; i++)
		if (is_new(d, &d->cands.v[i]))
			return true;
	return false;
}

/* The same words stand there, or another session's copy of this record has given the event. */
static bool is_told(struct derive *d, const struct derive_cand *c, str content,
		    uint32_t id)
{
	struct derive_known *k = &d->known;

	return derive_has_id(&d->other, id) || (c->once && derive_has_text(k, content)) ||
	       (c->type == EVENT_NEXT_STEP && k->steps.n &&
		str_eq(buf_str(&k->step), content)) ||
	       (c->retires && !k->steps.n);
}

/* Ids that the event retires, without the first comma. */
static str retires(const struct derive *d, const struct derive_cand *c, struct buf *list)
{
	if (c->type == EVENT_GOAL) {
		buf_add(list, buf_str(&d->other.goals));
		buf_add(list, buf_str(&d->known.goals));
	} else if (c->type == EVENT_NEXT_STEP || c->retires) {
		buf_add(list,
			buf_str(d->known.steps.n ? &d->known.steps : &d->other.steps));
	}
	return str_from(buf_str(list), 1);
}

static void render(struct derive *d, const struct derive_cand *c, struct buf *lines)
{
	const struct fact_source *from = source_of(d->f, c->record);
	struct buf list = BUF_INIT(2 * DERIVE_IDS_MAX),
		   content = BUF_INIT(EVENT_CONTENT_MAX);
	struct event ev;
	uint32_t id;
	char name[16];

	if (!is_new(d, c))
		return;
	id = id_of(from->uuid, c);
	derive_clean(&content, c->text);
	if (!content.n || is_told(d, c, buf_str(&content), id)) {
		derive_settle(&d->known, id);
	} else {
		snprintf(name, sizeof name, "ev_d_%08x", id);
		ev = (struct event){
			.type = c->type,
			.origin = EVENT_DERIVED,
			.importance = c->importance,
			.at_us = (from->at != CLOCK_NONE ? from->at : clock_now()) * 1000,
			.id = str_of(name),
			.content = buf_str(&content),
			.supersedes = retires(d, c, &list),
			.from = from->uuid,
		};
		event_render(lines, &ev);
		derive_add_known(&d->known, &ev);
		d->added++;
	}
	buf_release(&list);
	buf_release(&content);
}

/* Up to BATCH_MAX of the candidates that are left, in one write. */
static int write_batch(struct derive *d, int lock_ms, struct err *e)
{
	struct buf lines = BUF_INIT(LINES_MAX), file = BUF_INIT(EVENT_FILE_MAX);
	bool made = false;
	int ret = vault_lock(d->v, lock_ms, e);

	if (!ret)
		ret = derive_know_own(&d->known, d->v, &d->note, str_of(d->project), e);
	while (!ret && d->next < d->cands.n && lines.n < BATCH_MAX)
		render(d, &d->cands.v[d->next++], &lines);
	if (!ret && lines.n)
		ret = sessionnote_add(d->v, &d->note, str_of(d->project), buf_str(&lines),
				      lock_ms, &file, &made, e);
	else
		vault_unlock(d->v);
	if (!ret && lines.n)
		derive_note_grew(&d->known, d->v, &d->note, str_of(d->project),
				 buf_str(&file), lines.n, made);
	buf_release(&lines);
	buf_release(&file);
	return ret;
}

int derive_run(struct vault *v, const char *state_dir, const struct journal *j,
	       const struct facts *f, int lock_ms, size_t *added, struct err *e)
{
	struct derive d = {.f = f, .project = j->project, .state_dir = state_dir, .v = v};
	int ret;

	if (added)
		*added = 0;
	if (f->agent_file || !j->project || j->started_at == CLOCK_NONE)
		return 0;
	sessionnote_of(&d.note, str_of(j->session), j->started_at);
	derive_known_init(&d.known);
	derive_known_init(&d.other);
	derive_cands_of(&d.cands, f);
	derive_state_load(&d.known, state_dir, str_of(j->session));
	ret = derive_know_own(&d.known, v, &d.note, str_of(j->project), e);
	if (!ret && any_new(&d)) {
		if (wants_others(&d))
			derive_know_others(&d.other, v, &d.note, str_of(j->project),
					   state_dir);
		while (!ret && d.next < d.cands.n)
			ret = write_batch(&d, lock_ms, e);
	}
	/* after a failure what was rendered is not in the note */
	if (!ret && d.known.changed)
		derive_state_save(&d.known, state_dir, str_of(j->session), NULL);
	if (!ret && added)
		*added = d.added;
	derive_cands_release(&d.cands);
	derive_known_release(&d.known);
	derive_known_release(&d.other);
	return ret;
}
