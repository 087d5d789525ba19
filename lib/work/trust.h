/*
 * trust: what the user, or this program, stands for: texts by their hash, names of projects.
 *
 *   trust_text(state_dir, text, &e);              a text that we wrote, or that the user accepted
 *   if (trust_knows(state_dir, text)) ...         a shipped handoff.md is one of them
 *   trust_name(state_dir, project_id, STR("gate"), &e);
 *   trust_named(state_dir, project_id, &name);    false: none is bound
 *
 * STATE/trusted/<sha-256> are empty files; STATE/names/<sha-256 of the project's id> holds a
 * name. Nothing from a work tree can write them.
 */
#ifndef WORK_TRUST_H
#define WORK_TRUST_H

#include "base/buf.h"
#include "base/err.h"

int trust_text(const char *state_dir, str text, struct err *e);
bool trust_knows(const char *state_dir, str text);
/* HF_EUSAGE when it is no name of a project; an empty one takes the binding away. */
int trust_name(const char *state_dir, const char *project_id, str name, struct err *e);
/* Append the name that is bound to this project. */
bool trust_named(const char *state_dir, const char *project_id, struct buf *name);

#endif
