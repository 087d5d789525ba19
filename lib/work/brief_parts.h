/*
 * What the parts of brief share; nobody else includes it.
 */
#ifndef WORK_BRIEF_PARTS_H
#define WORK_BRIEF_PARTS_H

#include "base/buf.h"

#define BRIEF_SNIPPET 200 /* characters */

/*
 * Append text as one line of at most max characters: white space collapsed; what is longer is
 * cut behind a sentence, else at a semicolon, dash, comma or blank in its second half, and
 * ends in " …". Control characters are escaped.
 */
void brief_snippet(struct buf *b, str text, size_t max);
/* A character of which a token holds one, not four: Han, Kana, Hangul. */
bool brief_whole(uint32_t cp);

#endif
