/*
 * address: the name of a record, and the file that it lies in.
 *
 *   struct address a;
 *   ret = address_of(&a, STR("listing/482"), STR("assessment"), &e);
 *   ... a.text "listing/482/assessment", a.scope, a.key ...
 *   address_path(&b, &a);                       "listing/482/assessment.md"
 *   address_from_path(&a, path, &e);            and back
 *   address_release(&a);
 *
 * An address is segments of UTF-8 joined by '/'; the last one is the key, the others are the
 * scope, so scope "a" with key "b/c" is the record a/b/c as well. No segment is empty, "." or
 * ".."; no control or invisible characters.
 *
 * The path can be turned back, and keeps two addresses apart on every disk, also on those that
 * fold case or normalise (docs/formats-records.md, "Names of record files"):
 * - %XX stands for <>:"\|?*%, for a dot or blank at either end, for the dot of a last ".md", and for
 *   the first letter of a name that has a meaning of its own (sessions, entities, archive,
 *   handoffs, device names);
 * - a segment with a capital or a character beyond ASCII ends in %~ and eight digits of its hash;
 * - one of over ADDRESS_NAME_MAX bytes is cut into folders that end in %+.
 */
#ifndef DATA_ADDRESS_H
#define DATA_ADDRESS_H

#include "base/buf.h"
#include "base/err.h"

#define ADDRESS_MAX      800 /* bytes of scope/key */
#define ADDRESS_NAME_MAX 200 /* bytes of one name on the disk */

struct address {
	char *text;     /* scope/key */
	str scope, key; /* parts of text */
};

/* key may be empty: then the scope's last segment is it. HF_EUSAGE says what is wrong. */
int address_of(struct address *a, str scope, str key, struct err *e);
void address_release(struct address *a);
/* "a/b@3" or "a/b@v3": its name and number. False: nothing like it is at the end. */
bool address_version(str text, str *name, uint64_t *version);
/* Append the path below the folder of records. */
void address_path(struct buf *b, const struct address *a);
/* The same for the folder of a scope ("" stands for all: nothing is appended). */
void address_folder(struct buf *b, str scope);
/* HF_EFORMAT when no address has this path. */
int address_from_path(struct address *a, str path, struct err *e);
/* The name of a folder of the vault's projects (sessions, entities, archive, handoffs), in which no record lies: its name would be escaped. */
bool address_strayed(str name);
/* A part of a scope's path as people wrote it: "a/b" for the folder of a/b. False: none. */
bool address_segment_ok(str segment);

#endif
