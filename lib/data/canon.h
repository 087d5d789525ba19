/*
 * canon: one text for one JSON value, so that a hash of it means the value.
 *
 *   canon_json(&out, text, CANON_COMPACT, &e);      {"a":1,"b":[true,"x"]}
 *   canon_str(&out, STR("a \"b\""));                "a \"b\""
 *   canon_number(&out, 0.84);
 *
 * The canonical form (docs/formats-records.md, "Canonical JSON"): UTF-8; members sorted by code
 * point; no white space; in strings only the escapes that JSON requires, and \u007f; whole
 * numbers digit for digit as they were written (-0 is 0), others the shortest decimal that
 * reads back as the same double. `jq -cjS` prints the same, whole numbers above 2^53 excepted.
 *
 * Strict: one value and nothing else, ill-formed UTF-8 and a name twice in one object are
 * errors, since a value that is kept for ever must not lose a part in silence. A lone surrogate
 * becomes U+FFFD. Nothing recurses; limits below.
 */
#ifndef DATA_CANON_H
#define DATA_CANON_H

#include "base/buf.h"
#include "base/err.h"

#define CANON_DEPTH_MAX  64
#define CANON_VALUES_MAX 100000
#define CANON_DIGITS_MAX 400 /* of one number */

enum canon_form {
	CANON_COMPACT, /* what is hashed */
	CANON_PRETTY,  /* the same with line ends and two blanks a level, for people */
	CANON_ASCII,   /* compact, all beyond ASCII as \u escapes: what AMFS hashes */
};

/* Append the value of text. HF_EFORMAT with the place, HF_ELIMIT; out is as before then. */
int canon_json(struct buf *out, str text, enum canon_form form, struct err *e);
/* Append a decoded string as JSON text; ill-formed UTF-8 becomes U+FFFD. */
void canon_str(struct buf *out, str s);
/* Append a finite number. */
void canon_number(struct buf *out, double v);
/* The double that a JSON number means; false when s is none or too large. */
bool canon_double(str s, double *v);

#endif
