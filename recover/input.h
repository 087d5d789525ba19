/*
 * input: from the command line to an open transcript, with progress on a terminal.
 *
 *   struct input in;
 *   ret = input_open(&in, &args, args.nwords ? args.word[0] : NULL, false, &e);
 *   ... in.src, in.pick.path ...
 *   input_release(&in);
 */
#ifndef RECOVER_INPUT_H
#define RECOVER_INPUT_H

#include "args.h"
#include "work/catalog.h"
#include "work/phases.h"

/* Silent for the first second, then a line on stderr that is wiped at the end. */
struct progress {
	bool on, shown;
	int64_t started, last; /* ns */
};

void progress_init(struct progress *p, const struct args *a);
/* For the progress members of options: arg is the struct progress. */
void progress_tell(void *arg, uint64_t done, uint64_t size);
void progress_end(struct progress *p);

struct input {
	struct catalog_pick pick;
	struct source src;
	bool open;
	struct progress progress;
};

/* What the options say about where sessions are. The strings live as long as cwd and a. */
int input_options(const struct args *a, struct buf *cwd, struct catalog_options *o,
		  struct err *e);
/*
 * name NULL: the most recent dead session. or_history: what was typed in a session whose
 * transcript is gone will do.
 */
int input_open(struct input *in, const struct args *a, const char *name, bool or_history,
	       struct err *e);
/* One of the phases over the session of the first operand, to standard output. */
typedef int input_phase_fn(struct source *src, const char *path,
			   const struct phases_options *o, struct out *out,
			   struct err *e);
int input_phase(const struct args *a, input_phase_fn *phase, bool or_history,
		struct err *e);
/* 0 when -o names nothing of the client's (catalog_spared), or nothing. */
int input_spares(const struct input *in, const struct args *a, struct err *e);
void input_release(struct input *in);

#endif
