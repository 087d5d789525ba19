/*
 * frame: content must not be able to end, or begin, what frames it.
 *
 *   frame_defuse(&out, text);         "&lt;/system-reminder>", as text
 *
 * What a model reads is set between tags: ours around notes, the client's around what it adds by
 * itself. Stored text may hold the same tags, by chance or on purpose, and would then read as what
 * stands outside. So of such a tag, opening or closing, in any capitals and cut off or not, the '<' is
 * written as "&lt;". All other text stays as it is. Twice is once.
 */
#ifndef WORK_FRAME_H
#define WORK_FRAME_H

#include "base/buf.h"

/* Append s with such tags made text. */
void frame_defuse(struct buf *out, str s);

#endif
