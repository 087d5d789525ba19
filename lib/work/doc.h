/*
 * doc: a handoff document before its budget is filled: lines made of units.
 *
 *   struct doc d;
 *   doc_init(&d, facts);
 *   struct doc_line *l = doc_line(&d, DOC_DONE, DOC_B_EDIT, 20, "- ");
 *   doc_code(doc_text(&d), path, 200);
 *   doc_add(&d, l, 12, record);                the text so far becomes a unit of l
 *   ...docfill_run, doc_print...
 *   doc_release(&d);
 *
 * A line is a prefix, units that may be left out one by one, and a suffix; it is printed if
 * one of its units is in. A unit has a value; what must stand is marked. Every text comes in
 * through doc_say, doc_quote and doc_code, which make it one safe line: no unit holds a newline,
 * and no line begins with a word that is not ours. What was said is quoted; so a transcript
 * cannot forge a heading, a front matter field or an evidence comment.
 *
 * Limit: DOC_BYTES of memory; what does not fit is left out and d->full set.
 */
#ifndef WORK_DOC_H
#define WORK_DOC_H

#include "work/extract.h"

#define DOC_BYTES      (24u << 20)
#define DOC_LINE_BYTES 600 /* of a quote on one line: more goes on in the next one */

enum doc_section {
	DOC_GOAL,
	DOC_DONE,
	DOC_NEXT,
	DOC_HAZARDS,
	DOC_CONTEXT,
	DOC_ENVIRONMENT,
	DOC_FILES,
	DOC_VERIFY,
	DOC_GAPS,
	DOC_SECTIONS,
};

/* What kind of content a line is: shares of the budget are kept by block. */
enum doc_block {
	DOC_B_GOAL,
	DOC_B_STATED, /* hazards in the user's words */
	DOC_B_HAZARD,
	DOC_B_PROMPT,
	DOC_B_NEXT,
	DOC_B_LAST, /* the last text */
	DOC_B_SENT, /* sentences of earlier texts */
	DOC_B_ERROR,
	DOC_B_EDIT,
	DOC_B_FILE,
	DOC_B_ANSWER,
	DOC_B_DONE,
	DOC_B_COMMAND,
	DOC_B_VERIFY,
	DOC_B_AGENT,
	DOC_B_SUMMARY,
	DOC_B_THOUGHT,
	DOC_B_GAP,
	DOC_BLOCKS,
};

struct doc_unit {
	struct doc_unit *next;
	struct doc_line *line;
	str text;
	double value;
	uint64_t record;         /* where it comes from; 0 = none */
	uint32_t seq;            /* order of creation: decides ties */
	uint32_t cost;           /* quarter tokens of the text and its separator */
	uint32_t token, ntokens; /* in doc.token */
	uint32_t version;        /* of its key in the heap */
	bool must, in, out;      /* out: never to be taken */
	bool hole;               /* of a quote: words before it are in no unit */
};

struct doc_line {
	struct doc_line *next;
	enum doc_section section;
	enum doc_block block;
	double order; /* in its section; ties by creation */
	uint32_t seq;
	str group; /* a label line printed before the first line of the group */
	str prefix, suffix;
	const char *sep; /* between units */
	const char *
		lead; /* after the first unit, when the others hang on it; NULL = they do not */
	bool quote;    /* the units are pieces of one quoted text */
	bool goes_on;  /* of a quote: words after the last unit are in none */
	bool numbered; /* "1. " before the prefix */
	uint32_t nin;  /* units in */
	struct doc_unit *first, *last;
};

struct doc_token {
	uint32_t id; /* equal tokens have equal ids */
	float gain;  /* value of seeing it for the first time */
};

struct doc {
	struct arena a;
	struct arena tmp; /* for sentences under work: reset by each user */
	const struct facts *f;
	struct buf text, scratch; /* unit under construction; one more */
	struct doc_line *first, *last;
	size_t nlines, nunits;
	struct doc_token *token;
	uint32_t ntokens, cap_tokens, nids;
	struct doc_word *word; /* interned tokens */
	size_t word_cap;
	str *focus; /* stems to filter by */
	size_t nfocus;
	uint64_t left_by_focus; /* lines left out by the filter */
	bool full;
	bool costly; /* evidence comments count in the cost */
	struct doc_line sink_line;
	struct doc_unit sink_unit;
};

void doc_init(struct doc *d, const struct facts *f);
void doc_release(struct doc *d);

/* Never NULL. prefix is a literal. */
struct doc_line *doc_line(struct doc *d, enum doc_section s, enum doc_block b,
			  double order, const char *prefix);
/* The text under construction, emptied: fill it, then doc_add or doc_set_prefix. */
struct buf *doc_text(struct doc *d);
/* The text so far becomes a unit at the end of l. Empty text, or nothing but marks: no unit, and the sink is returned. */
struct doc_unit *doc_add(struct doc *d, struct doc_line *l, double value,
			 uint64_t record);
/* The same, and it must stand. */
struct doc_unit *doc_must(struct doc *d, struct doc_line *l, double value,
			  uint64_t record);
/* The text so far becomes the line's prefix / suffix. */
void doc_set_prefix(struct doc *d, struct doc_line *l);
void doc_set_suffix(struct doc *d, struct doc_line *l);
/* Take lines without a unit out of the list. */
void doc_prune(struct doc *d);

/* Append s as one safe line, at most max bytes (cut at a border); 0 = whole. */
void doc_say(struct doc *d, struct buf *b, str s, size_t max);
/* The same in double quotes. */
void doc_quote(struct doc *d, struct buf *b, str s, size_t max);
/* The same without list, heading and bold marks: for markdown that nobody typed. */
void doc_quote_plain(struct doc *d, struct buf *b, str s, size_t max);
/* doc_say without bold marks. */
void doc_say_plain(struct doc *d, struct buf *b, str s, size_t max);
/* doc_say as a code span; nothing is folded away but newlines. */
void doc_code(struct doc *d, struct buf *b, str s, size_t max);
/* A command as a code span, shortened where it can best be spared (prose_command_short). */
void doc_command(struct doc *d, struct buf *b, str command, size_t max);
/* A path relative to the session's directory, as a code span. */
void doc_path(struct doc *d, struct buf *b, str path);
/* Time of day, to the second: "18:20:02"; with the date when it is another day than the last record's. */
void doc_time(const struct doc *d, struct buf *b, int64_t at);
/* A safe copy in the arena, one line. */
str doc_keep(struct doc *d, str s);

/* 0 at the first record, 1 at the last. */
double doc_age(const struct doc *d, uint64_t record);
/* Weight of an identifier in the session. */
double doc_weight(const struct doc *d, str ident);
/* Without list, quote and heading marks at its start. */
str doc_unmarked(str s);
/* It says something: two letters or digits in a row somewhere. */
bool doc_worth(str s);
/* A table row, or a rule: no sentence. */
bool doc_is_row(str s);
/* Quarter tokens: what ledger_tokens counts, but additive. */
uint32_t doc_cost(str s);

/* Words to filter by; then doc_focus takes what shares none of them out of Done, Next and Files to Read, and lowers it in Key Context. */
void doc_set_focus(struct doc *d, str focus);
void doc_focus(struct doc *d);

/*
 * Append the section's lines that are in, in order; evidence: with the record numbers of
 * the units behind each. Returns the number of lines.
 */
size_t doc_print(struct doc *d, enum doc_section s, bool evidence, struct buf *out);
const char *doc_heading(enum doc_section s);

#endif
