/*
 * brief: what the next session should know of a project, within a number of tokens.
 *
 *   struct brief_figures f;
 *   ret = brief_render(&out, ix, &(struct brief_options){.project = p, .tokens = 1200}, &f, &e);
 *
 * handoff-mcp's layout: sections Goal, Next step, Decisions, Dead ends, Open questions, Files
 * touched; inside a section importance first, then the newest; related entities; a line that says
 * how much was left out. The same index, options and clock give the same bytes, and nothing but
 * the index is read: no note, no file.
 *
 * Where it differs on purpose (docs/search.md, "The brief"): the token count is a hard cap on
 * all of the output; each section has a reserve, so that old goals do not starve decisions; a
 * next step is "possibly stale" when a later session went on without it and its own does not run
 * any more, not because that was closed; what was logged ranks above what was derived from a transcript; imported events stay
 * out; entity summaries are shortened to a line.
 *
 * Cost follows what is shown, not what the project holds.
 */
#ifndef WORK_BRIEF_H
#define WORK_BRIEF_H

#include "base/buf.h"
#include "data/index.h"

#define BRIEF_TOKENS     1200
#define BRIEF_TOKENS_MAX 100000
#define BRIEF_OUT_MAX    (1u << 20)
#define BRIEF_SKIP       2

struct brief_options {
	str project;
	int64_t tokens; /* a hard cap; 0 and less: nothing fits */
	/* Client sessions that are told of elsewhere, in a document or the history: their events are left out; "" none. */
	str skip_session[BRIEF_SKIP];
	size_t units_max; /* UTF-16 units, a hard cap too; 0: none */
	/* The session of a next step's note runs now: the step is not stale. NULL: none does. */
	bool (*runs)(const struct index_item *it, void *arg);
	void *runs_arg;
	bool dated;   /* the date behind each line, and whether it was derived */
	bool explain; /* behind each line why it is there, and at the end what is not */
	bool quiet;   /* nothing at all where there is nothing to say */
};

struct brief_figures {
	size_t kept,
		dropped; /* events; imported ones and those of skip_session are not counted */
	size_t tokens; /* of the output, as brief_tokens counts */
};

/* Appends to out. HF_E* of the index. */
int brief_render(struct buf *out, struct index *ix, const struct brief_options *o,
		 struct brief_figures *f, struct err *e);
/* An estimate that is never far below: a quarter of the characters, each Han, Kana or Hangul character counting whole. */
size_t brief_tokens(str text);

#endif
