/*
 * answer: what log_event says, in handoff-mcp's words.
 *
 *   answer_logged(&text, &done, &in);         "ev_1a2b3c4d", and what it retired if that was asked
 *
 * Hits are worded by search_text. docs/compatibility.md has the differences.
 */
#ifndef WORK_ANSWER_H
#define WORK_ANSWER_H

#include "work/store.h"

void answer_logged(struct buf *b, const struct store_logged *done,
		   const struct store_event *in);
/* s as Python's repr() shows a text. */
void answer_repr(struct buf *b, str s);

#endif
