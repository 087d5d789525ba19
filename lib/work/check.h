/*
 * check: is a handoff document fit to be handed over?
 *
 *   struct check c;
 *   struct check_options o = {.vault = &v, .project = STR("tollgate"), .worktree = "/home/dev/tollgate"};
 *   check_document(&c, text, &o);
 *   for (i = 0; i < c.n; i++) ... c.item[i].kind, c.item[i].text ...
 *   check_release(&c);
 *
 * What is looked at: front matter; sections, each there once and Goal and Next not empty;
 * no part of the template left standing; the stated hazards of every document of its
 * lineage that the vault still has, except those that were retired; the files that Files to
 * Read names ("(to create)" behind one says that it is to be made); branch and HEAD as
 * stated; no secrets; the budget.
 *
 * Invariants: every text is one line, redacted and safe to show. At most CHECK_MAX are
 * kept, more are counted in `more`.
 */
#ifndef WORK_CHECK_H
#define WORK_CHECK_H

#include "data/gitstate.h"
#include "data/vault.h"

#define CHECK_MAX 64
#define CHECK_RETIRED                                                                    \
	"- Retired " /* how a line of a stated hazard begins that is no longer carried */
#define CHECK_LINEAGE_MAX 64

struct check_item {
	const char *
		kind; /* "front", "section", "template", "hazard", "file", "branch", "head", "secret", "budget" */
	char *text;
};

struct check {
	struct check_item item[CHECK_MAX];
	size_t n, more;
	uint64_t tokens;
};

struct check_options {
	const struct vault *vault;  /* NULL: the lineage is not looked at */
	str project;                /* folder of the vault */
	const char *worktree;       /* NULL: files are not looked for */
	const struct gitstate *git; /* NULL: branch and HEAD are not compared */
	uint64_t budget;            /* tokens; 0 = none */
};

void check_document(struct check *c, str text, const struct check_options *o);
void check_release(struct check *c);
/* {"ok":false,"tokens":n,"problems":[{"kind":"section","text":"..."}],"more":n} */
void check_json(const struct check *c, struct buf *out);

/*
 * The words of a stated hazard line without "- User: ", quotes and marks of any kind, white space and a
 * last stop: what makes two of them the same.
 */
void check_hazard_key(struct buf *out, str line);
/* The line says that this hazard (a key) was retired. */
bool check_retires(str line, str key);

#endif
