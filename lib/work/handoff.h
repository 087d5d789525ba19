/*
 * handoff: the handoff document: model, budget, rendering, reading back.
 *
 *   struct handoff_options o = {.budget = 4000};
 *   handoff_recover(&src, path, &o, &out, &e);          a session file to a document
 *
 * The format is the seed's: front matter, title, a banner line, and the sections Goal, Done,
 * Next, Hazards (never filtered), Key Context, Environment, Files to Read, Verify Before
 * Continuing, Known Gaps (docs/formats.md, "Handoff document"). Facts become lines made of
 * units; a unit has a value, and the budget is filled by value per byte after what must
 * stand (docs/extraction.md). Same transcript, same repository state, same options: same bytes.
 *
 * The budget is a hard cap in tokens (ledger_tokens, and never more than 4 bytes a token). A budget
 * below what must stand (stated hazards, banner, headings) is HF_ELIMIT with the minimum.
 */
#ifndef WORK_HANDOFF_H
#define WORK_HANDOFF_H

#include "data/gitstate.h"
#include "data/source.h"
#include "work/ending.h"
#include "work/extract.h"

#define HANDOFF_BUDGET_DEFAULT 4000       /* tokens */
#define HANDOFF_DOC_MAX        (1u << 20) /* bytes */

enum handoff_kind { HANDOFF_RECOVERED, HANDOFF_AUTO, HANDOFF_MANUAL };

struct handoff_options {
	uint64_t budget; /* tokens; 0 = default */
	str focus;       /* empty = none */
	int64_t since;   /* CLOCK_NONE = all */
	bool evidence;   /* record numbers behind each line, as <!-- 12,45 --> */
	bool no_git;     /* do not look at the repository */
	enum handoff_kind kind;
	const char
		*claude_dir; /* for running state and tasks; NULL: from the environment */
	const char *status;  /* NULL = "pending" */
	const str *lineage;  /* names of earlier documents */
	size_t nlineage;
	const str *hazards; /* stated hazards carried from earlier documents, verbatim */
	size_t nhazards;
	int64_t deadline_ns; /* clock_mono_ns() time for git state; 0 = none */
	void (*progress)(void *arg, uint64_t done, uint64_t size);
	void *progress_arg;
};

#define HANDOFF_KILLED_MAX 4
#define HANDOFF_ID_BYTES   64

/* Ids of calls that a signal ended, since the last call was made. */
struct handoff_killed {
	char id[HANDOFF_KILLED_MAX][HANDOFF_ID_BYTES];
	size_t n;
};

/* What a document is rendered from. */
struct handoff_input {
	const struct facts *facts;
	const struct ending *ending;
	const struct tree *tree;    /* may be NULL */
	const struct gitstate *git; /* may be NULL */
	const char *transcript;     /* file name or path for the front matter */
	uint64_t foreign;           /* records of another program */
	uint64_t losses, lost_bytes;
	uint64_t loss_line;          /* of the first one */
	uint64_t loss_off, loss_len; /* its bytes; len 0 = not known */
	bool tail_cut;               /* the file ends inside a record */
	/* calls whose results say that a signal ended them: the last ones of the file */
	const struct handoff_killed *killed; /* may be NULL */
	const struct fact_todo *
		todo; /* fresher than the facts' (the client's tasks folder); NULL = take those */
	size_t ntodo;
	/* the model's last message, from a Stop hook's input; told when the records end before it */
	str said;
	int64_t said_at;
};

/* The message, said at that time, stands in no record: the client died before it wrote it. */
bool handoff_unwritten(const struct facts *f, str said, int64_t at);

/* Append the document. HF_ELIMIT when the budget is below the minimum. */
int handoff_render(const struct handoff_input *in, const struct handoff_options *o,
		   struct buf *out, struct err *e);
/*
 * Phases 1 to 5 over one session file: scan, extract, classify, look at the repository in
 * the session's recorded directory, render. A file without a single record gives the
 * fallback document (NEEDS HUMAN TRIAGE: its last 10 %, redacted and cut, and git state of
 * `dir` where known) and 0. HF_ENOTFOUND and kin only when the file cannot be read at all.
 */
int handoff_recover(struct source *src, const char *path, const struct handoff_options *o,
		    struct buf *out, struct err *e);
/* The same as one JSON object: front matter fields, and sections as arrays of {text, records}. */
int handoff_recover_json(struct source *src, const char *path,
			 const struct handoff_options *o, struct buf *out, struct err *e);

/* A document read back (borrowed from text). */
struct handoff_doc {
	str session, kind, status, branch, head, worktree, project, created, confidence,
		focus;
	str title, banner;
	str goal, done, next, hazards, context, environment, files, verify,
		gaps; /* section bodies */
};
/* HF_EFORMAT with the first thing that is missing (front matter type, a section). */
int handoff_read(struct handoff_doc *d, str text, struct err *e);
/* A document's text as one JSON object: front matter fields, and sections as arrays of {text, records}. */
int handoff_json(str text, struct buf *out, struct err *e);
/* Next stated hazard ("- User: ...", "- Plan: ..." lines) of a hazards section, from *it. */
bool handoff_next_hazard(str hazards, size_t *it, str *line);

#endif
