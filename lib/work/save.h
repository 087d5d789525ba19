/*
 * save: a handoff document written by the model (or a person) goes into the vault.
 *
 *   struct save_options o = {.focus = STR("the limiter"), .budget = 4000};
 *   struct save_done done;
 *   ret = save_document(&scope, text, &o, &done, &e);
 *   save_release(&done);
 *
 * The text holds the judging parts: a title and the sections. Secrets are taken out; front
 * matter and Environment are made here (what the text has of them is dropped); lineage and
 * stated hazards of the document that the session claimed and of its own earlier one are
 * added, verbatim, those that it has not already; then it is checked (work/check) and, when
 * there is nothing to mend, written in one step. With problems nothing is written and HF_EFORMAT
 * comes back with the problems in done->check.
 *
 * A second document of a session replaces the first, unless somebody took that one up; a
 * recovered one takes the place of the automatic one also then, and the claim stands. What
 * `handoff hazards` has retired in the first stays retired.
 * HANDOFF_DOC names a place inside the work tree for a copy; it is reached through no
 * symbolic link, and a copy that cannot be made is told in done->copy_problem, since the
 * document itself stands.
 */
#ifndef WORK_SAVE_H
#define WORK_SAVE_H

#include "work/check.h"
#include "work/docs.h"
#include "work/scope.h"

#define SAVE_INPUT_MAX (256u << 10) /* bytes of text taken */

struct save_options {
	str focus;       /* empty: none */
	bool recovered;  /* of a session that died, made by another one */
	uint64_t budget; /* tokens; 0 = none */
	int64_t git_ms;  /* for the repository's state; 0 = 2 s */
};

struct save_done {
	char name[DOCS_NAME_MAX];
	enum docs_status status;
	size_t secrets; /* taken out */
	size_t carried; /* stated hazards of earlier sessions that were added */
	size_t kept; /* the same of the session's own document, which this one replaces */
	struct check check;
	char *copy;         /* path of the copy, NULL */
	char *copy_problem; /* why there is none, NULL */
};

/* done is to be released whatever comes back. HF_EFORMAT: see done->check, or e when that is empty. */
int save_document(struct scope *s, str text, const struct save_options *o,
		  struct save_done *done, struct err *e);
void save_release(struct save_done *done);
/* Append what is printed after it was saved: what to do next, and what to paste in other clients. */
void save_next(const struct scope *s, const struct save_done *done, struct buf *out);

#endif
