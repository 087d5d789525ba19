/*
 * derive_impl: what the files of derive share; nobody else includes it.
 *
 *   derive.c        one run: what is new goes into the note
 *   derive_cand.c   candidates: which events there are to be
 *   derive_note.c   what the notes hold already
 *   derive_state.c  what is remembered of it from one run to the next
 */
#ifndef WORK_DERIVE_IMPL_H
#define WORK_DERIVE_IMPL_H

#include "base/arena.h"
#include "data/event.h"
#include "work/derive.h"
#include "work/sessionnote.h"

#define DERIVE_IDS_MAX (64u << 10) /* bytes of a list of ids */

/* Numbers; what was added last stands behind those that are in order. */
struct derive_set {
	uint64_t *v;
	size_t n, sorted; /* v[0..sorted) is in order */
};

bool derive_set_has(struct derive_set *s, uint64_t v);
void derive_set_add(struct derive_set *s, uint64_t v);
void derive_set_sort(struct derive_set *s);

/* What stands in notes: lists are ids joined by ',', each behind a ','. */
struct derive_known {
	struct derive_set
		id; /* of derived events, as numbers: written, or settled without */
	struct derive_set text;  /* hashes of contents */
	struct buf goals, steps; /* active derived ones: ",ev_d_1,ev_d_2" */
	struct buf step;         /* content of the last active derived step */
	/* the part of the session's note that is in it */
	struct buf file; /* its name; empty: none is known */
	uint64_t ino, size;
	uint64_t tail; /* hash of the bytes before `size` */
	bool changed;  /* since it was loaded */
	struct buf
		loaded; /* the file that was loaded, and in it the hashes of contents */
	str texts;      /* that are not in `text` yet: most runs do not ask for them */
};

void derive_known_init(struct derive_known *k);
void derive_known_release(struct derive_known *k);
bool derive_has_id(struct derive_known *k, uint32_t id);
bool derive_has_text(struct derive_known *k, str content);
/* That event is settled: it is never to be written (again). */
void derive_settle(struct derive_known *k, uint32_t id);
void derive_add_known(struct derive_known *k, const struct event *ev);
/*
 * Add what stands in this session's note and is not known yet; nothing is read of it when it
 * is as it was. A note that was replaced is read from the start, and ids that are gone from
 * it (a person took the line out) stay known.
 */
int derive_know_own(struct derive_known *k, const struct vault *v,
		    const struct sessionnote *n, str project, struct err *e);
/* n bytes were added to the note whose end is known; made: it is new, with its header. */
void derive_note_grew(struct derive_known *k, const struct vault *v,
		      const struct sessionnote *n, str project, str file, size_t bytes,
		      bool made);
/* Into an empty k: the project's newest notes but the session's own. */
void derive_know_others(struct derive_known *k, const struct vault *v,
			const struct sessionnote *n, str project, const char *state_dir);

/* False, and k as it was: nothing is remembered, or nothing that can be read. */
bool derive_state_load(struct derive_known *k, const char *state_dir, str session);
/* Put the hashes of contents that were loaded into k->text. */
void derive_state_texts(struct derive_known *k);
int derive_state_save(struct derive_known *k, const char *state_dir, str session,
		      struct err *e);

/* A candidate: an event that there is to be. */
struct derive_cand {
	uint64_t record;
	unsigned place; /* among those of its record and type */
	enum event_type type;
	int importance;
	bool once;    /* not when the same words stand in the note already */
	bool retires; /* the last open task is done: the step goes */
	str text;     /* in the arena; neither redacted nor cut */
};

struct derive_cands {
	struct arena a;
	struct derive_cand *v; /* by record, those within the bounds of a turn */
	size_t n;
};

/* From the facts alone, whatever the note holds. */
void derive_cands_of(struct derive_cands *c, const struct facts *f);
void derive_cands_release(struct derive_cands *c);
/* The text as it is written: redacted, on one line, at most DERIVE_TEXT_MAX bytes. */
void derive_clean(struct buf *out, str text);

#endif
