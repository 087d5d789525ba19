/*
 * extract: records to facts: what a handoff document is made of.
 *
 *   struct extract *x = extract_new();
 *   extract_add(x, rec);                       all records, file order
 *   extract_finish(x, &facts);
 *   ... x->... (see below), handoff_from_facts
 *   extract_free(x);
 *
 * Every fact carries the record numbers it comes from. Memory is bounded by
 * EXTRACT_BYTES: when it runs short, old low-value facts are dropped first and counted.
 * The algorithms stand in docs/extraction.md.
 */
#ifndef WORK_EXTRACT_H
#define WORK_EXTRACT_H

#include "data/transcript.h"

#define EXTRACT_BYTES (6u << 20)

struct extract;
/* The facts are defined by the module that builds them; see extract.c's header part. */

#endif
