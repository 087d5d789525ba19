/*
 * history: the last resort: what was typed in a session whose transcript is gone.
 *
 *   struct source src;
 *   history_open(&src, claude_dir, id, &n, &e);      then as any other transcript
 *   source_release(&src);
 *
 * The client deletes transcripts after 30 days by default, but keeps each typed prompt with
 * its session and project in history.jsonl. Those of one session are written as a
 * transcript of prompts into an unlinked private temporary file.
 *
 * Will not: tell how the session ended or what it did. Nobody knows.
 */
#ifndef WORK_HISTORY_H
#define WORK_HISTORY_H

#include "data/source.h"

/* HF_ENOTFOUND when nothing is known of that id (whole, no prefix). *prompts: how many there are. */
int history_open(struct source *src, const char *claude_dir, str session,
		 uint64_t *prompts, struct err *e);

#endif
