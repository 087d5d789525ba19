/*
 * page: the part of a long text that one tool result shows, and the cursor of the rest.
 *
 *   struct page p;
 *   ret = page_init(&p, cursor, &e);                 empty: from the beginning
 *   page_add(&p, text); ...                          the whole text, in any pieces
 *   ret = page_end(&p, "recover_session", &out, &e);
 *   page_release(&p);
 *
 * A result is at most PAGE_UNITS long (the client shows a model only a preview of what is longer);
 * what is more is told in a last line with the cursor to call with. A cursor names an offset and a
 * hash of what came before it: text that was appended to since goes on, text that has changed is
 * refused. Cut at the ends of lines; between characters where a long line would leave half of the page empty.
 * Memory: a page, however long the text.
 */
#ifndef WORK_PAGE_H
#define WORK_PAGE_H

#include "base/buf.h"
#include "base/err.h"

#define PAGE_UNITS 50000 /* UTF-16 units */

struct page {
	/* private */
	uint64_t from, seen; /* bytes */
	uint64_t hash, want; /* of what came before `from` */
	struct buf text;     /* from there */
};

/* HF_EUSAGE when the cursor is none of ours. */
int page_init(struct page *p, str cursor, struct err *e);
void page_add(struct page *p, str s);
/* The page, appended; tool is named in the line about the rest. HF_EUSAGE: the text is not the one that the cursor was given for. */
int page_end(struct page *p, const char *tool, struct buf *out, struct err *e);
void page_release(struct page *p);

#endif
