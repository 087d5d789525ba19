/*
 * title: what a session is called, decided in one place for the list, the index and the document.
 *
 *   str words;
 *   enum title_rank rank = title_of(record, &arena, &words);
 *   if (title_beats(rank, had))
 *           ...words are the title so far, rank its rank...
 *   title_show(&out, words, TITLE_CHARS);
 *
 * In this order: the name that the user gave, the one that the client made, a summary of this
 * session (whether it is one only its reader can tell, since its leaf may come later), the first
 * prompt or command that says something, the first prompt at all. Of names the newest counts,
 * of prompts the first. A prompt that hands over a plan is called by the plan's heading.
 */
#ifndef WORK_TITLE_H
#define WORK_TITLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "data/transcript.h"

#define TITLE_CHARS 72 /* more are cut at a word, with an ellipsis */

enum title_rank {
	TITLE_NONE,
	TITLE_WEAK, /* "hi", "continue", "2" */
	TITLE_PROMPT,
	TITLE_SUMMARY,
	TITLE_AI,
	TITLE_CUSTOM,
};

/* What a record offers as title. Borrowed from it, or in a; not redacted, any number of lines. */
enum title_rank title_of(const struct record *r, struct arena *a, str *words);
/* What a prompt offers, where there is nothing but its words. */
enum title_rank title_of_prompt(str text, str *words);
/* Of a later record: it takes the place of the one that is known. */
bool title_beats(enum title_rank rank, enum title_rank known);
/* Append the first `chars` characters as one line, redacted and safe to show. */
void title_show(struct buf *out, str words, size_t chars);

#endif
