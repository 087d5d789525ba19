/*
 * utf8: validate, repair, cut between characters, and make safe to show.
 *
 * Bytes from outside may hold anything. What is stored or printed is valid UTF-8 (RFC 3629:
 * no surrogates, no overlong forms, nothing above U+10FFFF); each ill-formed maximal
 * subpart becomes one U+FFFD (Unicode 15, section 3.9).
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

/* Bytes (1-4) of the valid character at the start of s and its code point; 0 if ill-formed or empty. */
size_t utf8_next(str s, uint32_t *cp);
/* Encode cp (surrogates and out of range become U+FFFD); returns bytes written. */
size_t utf8_put(char out[4], uint32_t cp);
bool utf8_valid(str s);
/* Append s with ill-formed parts replaced by U+FFFD. */
void utf8_add(struct buf *b, str s);
/* The longest prefix of at most max bytes that does not end inside a character. */
str utf8_head(str s, size_t max);
/* The longest suffix of at most max bytes that does not begin inside a character. */
str utf8_tail(str s, size_t max);
/* Code points; ill-formed bytes count as one each. */
size_t utf8_count(str s);
/* UTF-16 code units, the unit in which the client measures injected text; ill-formed bytes count one each. */
size_t utf8_units16(str s);
/* The longest prefix of at most that many of them that does not end inside a character. */
str utf8_head16(str s, size_t units);

/* A character that utf8_show escapes in UTF8_ONELINE: a control, a bidi mark, ... (list below). */
bool utf8_unsafe(uint32_t cp);

enum utf8_show {
	UTF8_TEXT, /* newlines and tabs stay */
	UTF8_ONELINE, /* runs of white space, newlines and tabs become one space; ends trimmed */
};
/*
 * Append s safe for a terminal and a document: valid UTF-8; ANSI escape sequences dropped;
 * other control characters (C0 but the ones above, DEL, C1), bidi marks and overrides
 * (U+061C, U+200E, U+200F, U+202A-202E, U+2066-2069), U+2028, U+2029, U+200B, U+2060,
 * U+FEFF and lone tag characters (U+E0000-E007F) escaped as \xNN (below U+0100) or \u{N}.
 * The zero-width joiners U+200C and U+200D stay: scripts and emoji need them. An escape
 * sequence that never ends hides nothing: its ESC is escaped and the rest shown.
 */
void utf8_show(struct buf *b, str s, enum utf8_show how);

#endif
