/*
 * seal: one line of a note that says what was recorded, and can tell if it was changed.
 *
 *   seal_add(&b, STR("outcome"), json);      <!-- outcome {"kind":"success"} 9f86d0... -->
 *   if (seal_parse(line, &s) && s.fits) ...
 *
 * The 64 hexadecimal digits are the SHA-256 of the bytes of the JSON object as they stand in the
 * line. An HTML comment: markdown readers do not show it. No line end and no '>' is in the object
 * (inside strings it is \u003e), so that nothing ends the comment early and a converted line end
 * changes nothing. Format: docs/formats-records.md, "Sealed lines".
 */
#ifndef DATA_SEAL_H
#define DATA_SEAL_H

#include "base/buf.h"
#include "data/digest.h"

#define SEAL_HEX 64

struct seal {
	str word, json, hash; /* borrowed from the line */
	bool fits;            /* the hash is that of the object */
};

/* Append the line with its \n; hash (may be NULL) gets the digits and NUL. json is one line. */
void seal_add(struct buf *b, str word, str json, char hash[DIGEST_HEX_BYTES]);
/* False when the line is no sealed one. json is not looked into. */
bool seal_parse(str line, struct seal *s);
/* The same without computing the hash: s->fits stays false. */
bool seal_cut(str line, struct seal *s);
/* 64 lower-case hexadecimal digits. */
bool seal_is_hash(str s);

#endif
