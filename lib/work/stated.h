/*
 * stated: what the user forbids or demands, in the user's own words.
 *
 *   struct stated *s = stated_of(facts);
 *   for (size_t i = 0; i < s->n; i++)
 *           ... s->item[i].text, s->item[i].strength ...
 *   stated_free(s);
 *
 * Clauses of prompts, of answers that are none of the options, and the words with which a call
 * was refused; oldest first, each once, on one line, whole, also where a wrap had parted it. What was pasted is nobody's word
 * and left out, also where a prompt is too long to have been typed: of such a one only its
 * ends are looked at. A strength is that of docwords_constraint.
 *
 * Limits: the newest STATED_MAX.
 */
#ifndef WORK_STATED_H
#define WORK_STATED_H

#include "work/extract.h"

#define STATED_MAX 400
#define STATED_STRONG                                                                    \
	2 /* from here on it is to be heeded; below it is a reserve ("for now") */

struct stated_item {
	str text;
	uint64_t record;
	int strength; /* 1 to 3 */
};

struct stated {
	struct stated_item item[STATED_MAX];
	size_t n;
	/* private */
	str clause[STATED_MAX];
	struct arena kept, tmp;
};

struct stated *stated_of(const struct facts *f);
void stated_free(struct stated *s);
/*
 * The clauses of a prompt in which nothing is stated, a bit each (the last bit: all from the 64th
 * on). Worked out once, when a prompt is noted, so that a long session's are not looked through
 * at each of its turns: stated_of passes over what p->plain has.
 */
uint64_t stated_plain(const struct fact_prompt *p);
/* One of them is strong. */
bool stated_any(const struct facts *f);
/* Letters and digits only: "Don't touch X." and "don't touch x" are one. */
bool stated_same(str a, str b);

#endif
