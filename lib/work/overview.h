/*
 * overview: what there is, for people: the state of a project, its documents, one of them.
 *
 *   overview_status(&scope, false, &out, &e);
 *   overview_list(&scope, &(struct overview_list){.archive = true}, &out, &e);
 *   overview_show(&scope, "20260715T103000Z_7c1e42aa.md", false, &out, &e);
 *
 * Every text is redacted and safe to show. With json the answer is one object
 * (docs/formats-cli.md), without a newline at its end.
 */
#ifndef WORK_OVERVIEW_H
#define WORK_OVERVIEW_H

#include "work/docs.h"
#include "work/scope.h"

#define OVERVIEW_OUT_MAX (64u << 20)

/* The vault, the switches, documents that wait and why, the last session and how it ended, what the hooks did last. */
int overview_status(const struct scope *s, bool json, struct buf *out, struct err *e);

struct overview_list {
	bool all;     /* projects */
	bool archive; /* also what was consumed or superseded */
	bool json;
};
/* Nothing is appended for no document, unless json. */
int overview_list(const struct scope *s, const struct overview_list *o, struct buf *out,
		  struct err *e);

/*
 * name: a document's name or a unique prefix of one, or a session id or a unique prefix of
 * one (4 characters and more), in the project, then in all others. HF_ENOTFOUND,
 * HF_EAMBIGUOUS (names the first ones).
 */
int overview_show(const struct scope *s, const char *name, bool json, struct buf *out,
		  struct err *e);
/* Find it so, and hand over its project (malloc'ed) and text. */
int overview_find(const struct scope *s, const char *name, char **project,
		  char file[DOCS_NAME_MAX], struct buf *text, struct err *e);

#endif
