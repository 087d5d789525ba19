/*
 * fault: make the n-th system call fail, and what every unit test needs around it.
 *
 *   int n = 0;
 *   do {
 *           fault_at(++n);                       the n-th call in the io table fails
 *           ret = fs_write_atomic(path, STR("new"), 0600, &e);
 *           met = fault_met();                   false: it ran through, nothing is left to fail
 *           fault_off();
 *           ...look at what is left behind...
 *   } while (met);
 *
 * Includes what cmocka.h wants before it, and cmocka.h.
 */
#ifndef UNIT_FAULT_H
#define UNIT_FAULT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Leave a test that cannot be run here. cmocka's own says "not ok", which prove takes for a failure. */
#undef skip
#define skip()                                                                           \
	do {                                                                             \
		print_message("# skipped: %s\n", __func__);                              \
		return;                                                                  \
	} while (0)

#include "base/io.h"
#include "base/str.h"

/* From now on the n-th call (1 is the next one) through the io table fails, once. */
void fault_at(int n);
/*
 * errno of the failure: 0 (the default) is one that fits the call: ENOSPC for write, fsync
 * and their kin, EACCES for open and opendir, EIO else. A close that fails has closed.
 */
void fault_errno(int code);
/* Reads and writes move at most n bytes each; 0 ends it. May be joined with fault_at. */
void fault_short(size_t n);
/* The failing call was reached. */
bool fault_met(void);
/* Calls through the table since fault_at or fault_short. */
int fault_calls(void);
/* The real table again; errno and short reads back to their defaults. */
void fault_off(void);

/*
 * A fresh private folder, removed at exit. HOME, TMPDIR, XDG_*, CLAUDE_CONFIG_DIR and
 * HANDOFF_VAULT point into it (nothing of theirs exists yet but HOME and TMPDIR); every
 * other HANDOFF_*, CLAUDE*, GIT_* variable that would change a result is unset.
 */
const char *test_dir(void);
/* rel below the folder of the last test_dir; an absolute path as it is. Valid for the next 15 calls. */
const char *test_path(const char *rel);
/* Write a file (path as in test_path), with its missing folders; fails the test if that fails. */
void test_write(const char *path, str s);
/* The whole file, valid until exit and NUL-terminated; fails the test if it cannot be read. */
str test_read(const char *path);
bool test_exists(const char *path);
/* The file holds exactly this text. */
bool test_is(const char *path, const char *text);
/* Entries in a folder, without . and .. ; -1 if there is no such folder. */
int test_entries(const char *path);

/* Both have the same bytes; on failure the test ends with both shown. */
#define assert_str(a, b) test_assert_str((a), (b), __FILE__, __LINE__)
void test_assert_str(str a, str b, const char *file, int line);

#endif
