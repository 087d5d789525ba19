/*
 * docecho: has this been said already? Texts compared by their content words.
 *
 *   struct docecho e;
 *   docecho_init(&e);
 *   docecho_add(&e, "the cache is stale");
 *   docecho_has(&e, "Stale cache: the cache is stale.", 70)   true
 *   docecho_release(&e);
 *
 * A text echoes another one when at least that share (in percent) of its distinct content
 * words stands in it. Content words: three letters or digits and more, no stop words, case and
 * endings (-ing, -ed, -es, -s, -e) aside. Fewer than DOCECHO_MIN words echo nothing.
 */
#ifndef WORK_DOCECHO_H
#define WORK_DOCECHO_H

#include "base/str.h"

#define DOCECHO_MIN   4
#define DOCECHO_WORDS 64 /* of one text that are looked at */

struct docecho {
	struct docecho_node *node; /* one per word and text */
	uint32_t *head;            /* by hash: 1 + index of the newest node */
	uint32_t nnodes, cap_nodes, cap_heads, ntexts;
	uint32_t *count; /* words shared with each text, while one is looked up */
	uint32_t cap_count;
};

void docecho_init(struct docecho *e);
void docecho_add(struct docecho *e, str text);
bool docecho_has(struct docecho *e, str text, unsigned percent);
void docecho_release(struct docecho *e);

#endif
