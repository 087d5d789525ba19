/*
 * store_impl: what the files of store share; nobody else includes it.
 *
 *   store.c          opening, refreshing, logging
 *   store_index.c    the index beside the vault
 *   store_session.c  whose note it is, which project
 *   store_write.c    checkpoint, entities, undo
 */
#ifndef WORK_STORE_IMPL_H
#define WORK_STORE_IMPL_H

#include "work/store.h"

/* The project that a call names: "" is the session's. HF_EUSAGE (identity_name): to read from, to write to. */
int store_project(const struct store *s, str named, str *project, struct err *e);
int store_project_new(const struct store *s, str named, str *project, struct err *e);
/* When the note of what has this hash began: as it is known, else from now on *started_us. False: it could not be kept. */
bool store_started(const struct store *s, uint64_t key, int64_t *started_us);
/* Set s->project, s->fixed for s->dir. */
int store_find_project(struct store *s, const char *name, struct err *e);
void store_record_project(struct store *s, str project);
/* Open the index unless it is open, or not wanted. */
void store_index_open(struct store *s);
/* Bring the index up to the project, and to all others (all, or when it is time). */
int store_reindex_all(struct store *s, str project, bool all, struct err *e);
/* Bring the index up to one file that was just written; best effort. */
void store_reindex(struct store *s, enum vault_folder f, str project, str name);
/* Append the text as it may be stored: redacted, on one line. */
void store_clean(struct buf *out, str text);
/* The id that `id` is, or is the only beginning of; appended. 0, HF_EAMBIGUOUS, HF_ENOTFOUND. */
int store_resolve(struct store *s, str id, struct buf *out, struct err *e);
/* Make the note of an entity, if there is none; best effort. */
void store_stub(struct store *s, str project, str name);

#endif
