/*
 * frame: content must not be able to end, or begin, what frames it.
 *
 *   frame_defuse(&out, text);         "&lt;/system-reminder>", as text
 *   frame_line(&out, words);          the same, of one safe line
 *
 * What a model reads is set between tags: ours around notes, the client's around what it adds by
 * itself. Stored text may hold the same tags, by chance or on purpose, and would then read as what
 * stands outside. So of such a tag, opening or closing, in any capitals and cut off or not, the '<' is
 * written as "&lt;". All other text stays as it is. Twice is once.
 */
#ifndef WORK_FRAME_H
#define WORK_FRAME_H

#include "base/buf.h"

/* Around notes of another session, each on a line of its own. */
#define FRAME_OPEN  "<handoff-notes>\n"
#define FRAME_CLOSE "</handoff-notes>\n"

/* Append s with such tags made text. */
void frame_defuse(struct buf *out, str s);
/* The same as one line that is safe to show: for words that stand in a sentence of ours. */
void frame_line(struct buf *out, str s);

#endif
