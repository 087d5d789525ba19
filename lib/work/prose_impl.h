/*
 * prose_impl: what the files of prose share; nobody else includes it.
 *
 *   prose.c           tokens, definitions, cutting
 *   prose_sentence.c  sentences, their value, fillers
 *   prose_wrap.c      lines that are one sentence
 *   prose_order.c     orders: what is forbidden or demanded, what is to be written
 *   prose_tongues.c   the same in other languages than English
 *   prose_command.c   commands: one line, family, kind
 *   prose_error.c     error lines and counts in outputs
 *   prose_verdict.c   decisions and dead ends
 *   prose_verdict_other.c  the same in other languages
 *   prose_report.c    what a person tells of how something went
 */
#ifndef WORK_PROSE_IMPL_H
#define WORK_PROSE_IMPL_H

#include "work/prose.h"

#define PROSE_ELLIPSIS " …"
#define PROSE_SET_MAX  64 /* words of a list that is looked for in one pass */

#define COUNT(a)        (sizeof(a) / sizeof *(a))
#define IN(s, list)     prose_in_list((s), (list), COUNT(list))
#define STARTS(s, list) prose_starts_with_any((s), (list), COUNT(list))
#define HAS(s, list)    (prose_find_set((s), (list), COUNT(list), NULL) != 0)

bool prose_in_list(str s, const str *list, size_t n);
bool prose_starts_with_any(str s, const str *list, size_t n);
bool prose_has(str s, str word);
/* The first n bytes of s, small letters (Latin and Cyrillic), into out. */
str prose_lower_head(str s, char *out, size_t n);
/*
 * Which words stand in s, as bits, and where each stands first (at may be NULL): one pass,
 * since words are tried only where their first byte (its low five bits) is met.
 */
uint64_t prose_find_set(str s, const str *word, size_t n, size_t *at);
/* Without the characters of set at both ends, at the end. */
str prose_strip_chars(str s, const char *set);
str prose_strip_right(str s, const char *set);
bool prose_all_digits(str s);
size_t prose_count_byte(str s, char c);
/* Output that was pasted, not said: a time stamp, a log's tag, a frame of a stack, a prompt. */
bool prose_is_pasted(str s);

enum prose_tongue { PROSE_NEITHER, PROSE_ORDER, PROSE_NO_ORDER };
/* A clause in small letters, without lead-ins: an order to heed in another language than English; NO_ORDER: it only looks like one, in English eyes too. */
enum prose_tongue prose_order_abroad(str clause);

/* prose_verdict of small letters in languages other than English. */
enum prose_verdict prose_verdict_other(str low);

#endif
