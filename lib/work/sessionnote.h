/*
 * sessionnote: the one note of a client session, which its hooks and its server share.
 *
 *   struct sessionnote n;
 *   sessionnote_of(&n, session, started_ms);          s_20260212T182002_7c1e42
 *   sessionnote_add(&v, &n, STR("tollgate"), lines, 200, &e);
 *
 * The name is made of the start of the session, as its journal entry has it, and the first
 * six hex digits of the client's session id: whoever comes first creates the note. It is
 * made with the session's exact start in its front matter, so that a note of the same name
 * that another program made is known as foreign: then a sibling beside it is used, "-2"
 * behind its name. handoff-mcp reads all of them.
 *
 * Project by project: a session that logs to two projects has a note in each.
 */
#ifndef WORK_SESSIONNOTE_H
#define WORK_SESSIONNOTE_H

#include "data/vault.h"

#define SESSIONNOTE_ID_MAX 40
#define SESSIONNOTE_HEX    6 /* digits of the session id in the name */

struct sessionnote {
	char id[SESSIONNOTE_ID_MAX];
	int64_t started_us;
};

/* Of a client session that started at started_ms. An id that is not hexadecimal at its start is hashed. */
void sessionnote_of(struct sessionnote *n, str session, int64_t started_ms);
/* Of a program that belongs to no session: its start, and six random digits. */
void sessionnote_random(struct sessionnote *n, int64_t started_us);
/* The six digits that the names of a session's notes end in. */
void sessionnote_hex(char out[SESSIONNOTE_HEX + 1], str session);
/* `name` (with or without ".md") is a note of the session with these digits, or a sibling of one. */
bool sessionnote_has_hex(str name, const char *hex);
/* The name or id of a note without ".md" and without the "-2" of a sibling. */
str sessionnote_stem(str name);
/* `id`, of a note, is n or a sibling of it. */
bool sessionnote_is(const struct sessionnote *n, str id);

/*
 * Append the file name ("....md") of the session's note in the project: that of the one that
 * there is, else of the one to be made (*exists false). HF_ELIMIT when all names are taken.
 */
int sessionnote_file(const struct vault *v, const struct sessionnote *n, str project,
		     struct buf *name, bool *exists, struct err *e);
/*
 * Add whole lines, durably. The lock is taken for at most wait_ms, and given back. `file`
 * (may be NULL) gets the name of the file. *made (may be NULL): the note is new.
 */
int sessionnote_add(struct vault *v, const struct sessionnote *n, str project, str lines,
		    int wait_ms, struct buf *file, bool *made, struct err *e);

#endif
