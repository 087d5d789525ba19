/*
 * derive_impl: what the files of derive share; nobody else includes it.
 *
 *   derive.c       which events there are to be, and the note
 *   derive_note.c  what the notes hold already
 */
#ifndef WORK_DERIVE_IMPL_H
#define WORK_DERIVE_IMPL_H

#include "data/event.h"
#include "work/derive.h"
#include "work/sessionnote.h"

#define DERIVE_IDS_MAX (64u << 10) /* bytes of a list of ids */

/* What stands in notes: ids joined by ',', each behind a ','. */
struct derive_known {
	uint32_t *id; /* of derived events: their eight digits */
	size_t nid;
	uint64_t *text; /* hashes of contents */
	size_t ntext;
	struct buf goals, steps; /* active derived ones: ",ev_d_1,ev_d_2" */
	struct buf step;         /* content of the last active derived step */
};

void derive_known_init(struct derive_known *k);
void derive_known_release(struct derive_known *k);
bool derive_has_id(const struct derive_known *k, uint32_t id);
bool derive_has_text(const struct derive_known *k, str content);
void derive_add_known(struct derive_known *k, const struct event *ev);
/* Add the events of this session's note; none when there is no note yet. */
int derive_know_own(struct derive_known *k, const struct vault *v,
		    const struct sessionnote *n, str project, struct err *e);
/* The same of the project's newest notes but the session's own. */
void derive_know_others(struct derive_known *k, const struct vault *v,
			const struct sessionnote *n, str project, const char *state_dir);

#endif
