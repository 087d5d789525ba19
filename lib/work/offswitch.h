/*
 * offswitch: switch the hooks off and on, everywhere or for a project.
 *
 *   offswitch_set(state_dir, STR("tollgate"), true, &e);
 *   if (offswitch_is_off(state_dir, STR("tollgate"))) ... offswitch_why(...)
 *
 * The hooks look for the same files (lifecycle_off_path), and at HANDOFF_OFF.
 */
#ifndef WORK_OFFSWITCH_H
#define WORK_OFFSWITCH_H

#include "base/err.h"
#include "base/str.h"

/* An empty project means all of them. Switching twice is no failure. */
int offswitch_set(const char *state_dir, str project, bool off, struct err *e);
bool offswitch_is_off(const char *state_dir, str project);
/* By what: "by HANDOFF_OFF", ...; NULL when it is on. */
const char *offswitch_why(const char *state_dir, str project);

#endif
