/*
 * Shared by phases*.c: texts on their way out, and what an entry of the index looks like.
 */
#ifndef WORK_PHASES_IMPL_H
#define WORK_PHASES_IMPL_H

#include "work/agents.h"
#include "work/phases.h"

#define PHASES_ENDS_DEFAULT 80 /* characters shown of either end of a text */
#define PHASES_ENDS_MAX     4000
#define PHASES_TEXT_MAX     (512u << 10) /* bytes of one text after escaping */

/* A page being written: text or one JSON object. */
struct page {
	struct out *o;
	bool json;
	size_t ends;                 /* characters */
	struct buf head, tail, line; /* scratch */
	bool first;                  /* of the array that is being written */
	int64_t day_at;              /* JSON: beginning of the day of the last entry, */
	char day_iso[11];            /* and "2026-07-15T" */
	char day[11];                /* text: of the last entry */
};

void phases_page_init(struct page *w, struct out *o, const struct phases_options *opt);
void phases_page_release(struct page *w);
/* The reader's caps for this many characters of both ends. */
struct transcript_caps phases_caps(size_t ends);

/* Append the text of an environment file without its values. */
void phases_env(struct buf *b, str s);
/* s redacted, safe to show: replaces the content of b. env: the text is an environment file's. */
void phases_clean(struct buf *b, str s, bool oneline, bool env);
/*
 * Both ends of a text, one line each, redacted: *head and *tail point into w. *tail is empty
 * when head is everything.
 */
void phases_ends(struct page *w, str text, str text_tail, bool cut, bool env, str *head,
		 str *tail);
/* Append "key":value, with a comma before it unless first in its object. */
void phases_key(struct buf *b, const char *key);
void phases_json_str(struct buf *b, const char *key, str s);
void phases_json_u64(struct buf *b, const char *key, uint64_t n);
void phases_json_time(struct buf *b, const char *key, int64_t at);
void phases_json_bool(struct buf *b, const char *key, bool v);
/* "09:41:12", with the day on a line of its own when it changes. */
void phases_time(struct page *w, int64_t at);
/* "12 B", "3.4 kB", "1.2 MB" */
void phases_size(struct buf *b, uint64_t n);
/* "session" from the file name of path; empty for "-". */
str phases_session(const char *path);
/* A call's command names an environment file, or its input does. */
bool phases_reads_env(const struct block *b);
/* One agent as text lines or a JSON object. */
void phases_agent(struct page *w, const struct agent *g, bool whole);
/* The ending as lines of text. */
void phases_ending(struct page *w, const struct ending *end);
/* The exit code that a result's text tells ("Exit code 3"), or -1. */
int phases_exit(str text);

#endif
