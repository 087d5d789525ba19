/*
 * alldoc: print a section of a document as if its budget had no end.
 *
 *   assert_string_equal(alldoc(&d, DOC_NEXT), "1. ...\n");       valid until the next call
 */
#ifndef UNIT_ALLDOC_H
#define UNIT_ALLDOC_H

#include "base/buf.h"
#include "work/doc.h"

static inline const char *alldoc(struct doc *d, enum doc_section s)
{
	static char text[64 << 10];
	struct buf b = BUF_INIT(sizeof(text) - 1);
	struct doc_line *l;
	struct doc_unit *u;

	for (l = d->first; l; l = l->next) {
		l->nin = 0;
		for (u = l->first; u; u = u->next) {
			u->in = !u->out;
			l->nin += u->in;
		}
	}
	doc_print(d, s, false, &b);
	memcpy(text, buf_cstr(&b), b.n + 1);
	buf_release(&b);
	return text;
}

/* Does the section hold this text? */
static inline bool alldoc_has(struct doc *d, enum doc_section s, const char *part)
{
	return strstr(alldoc(d, s), part) != NULL;
}

#endif
