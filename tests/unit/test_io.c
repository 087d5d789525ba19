/* The table itself, and that the fault helper, on which all failure tests rest, does its job. */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static void *no_work(void *arg)
{
	return arg;
}

/* Goes through every entry of the table with its real meaning; returns how many calls failed. */
static int all_calls(void)
{
	const char *dir = test_path("d"), *a = test_path("d/a"), *b = test_path("d/b");
	int failed = 0, fd;
	struct stat st;
	char byte;
	pthread_t t;
	DIR *d;

	failed += io.mkdir(dir, 0700) < 0;
	mkdir(dir, 0700); /* the rest needs it */
	fd = io.open(a, O_RDWR | O_CREAT, 0600);
	failed += fd < 0;
	if (fd < 0)
		fd = open(a, O_RDWR | O_CREAT, 0600);
	failed += io.write(fd, "x", 1) < 0;
	failed += io.lseek(fd, 0, SEEK_SET) < 0;
	failed += io.ftruncate(fd, 4) < 0;
	failed += io.read(fd, &byte, 1) < 0;
	failed += io.pread(fd, &byte, 1, 0) < 0;
	failed += io.fstat(fd, &st) < 0;
	failed += io.stat(a, &st) < 0;
	failed += io.lstat(a, &st) < 0;
	failed += io.lstatat(AT_FDCWD, a, &st) < 0;
	failed += io.fsync(fd) < 0;
	failed += io.fdatasync(fd) < 0;
	failed += io.flock(fd, LOCK_EX | LOCK_NB) < 0;
	failed += io.close(fd) < 0;
	if (io.rename(a, b) < 0) {
		failed++;
		rename(a, b);
	}
	d = io.opendir(dir);
	failed += !d;
	if (!d)
		d = opendir(dir);
	errno = 0;
	failed += !io.readdir(d) && errno;
	failed += io.closedir(d) < 0;
	failed += io.processors() < 1;
	if (io.thread(&t, no_work, NULL))
		failed++;
	else
		pthread_join(t, NULL);
	failed += io.unlink(b) < 0;
	unlink(b);
	rmdir(dir);
	return failed;
}

static void test_io__the_real_table_reaches_the_system(void **state)
{
	(void)state;
	test_dir();
	io_real();
	assert_int_equal(all_calls(), 0);
}

static void test_io__each_call_can_be_made_to_fail_once(void **state)
{
	int n = 0;
	bool met;

	(void)state;
	test_dir();
	do {
		fault_at(++n);
		assert_int_equal(all_calls(), n <= 22 ? 1 : 0);
		met = fault_met();
		assert_int_equal(fault_calls(), 22);
		fault_off();
	} while (met);
	assert_int_equal(n, 23); /* all 22 entries were failed in turn */
	assert_int_equal(sizeof io / sizeof(void *), 22);
}

static void test_io__the_failure_has_the_wanted_errno(void **state)
{
	struct stat st;

	(void)state;
	fault_at(1);
	assert_int_equal(io.write(1, "", 0), -1);
	assert_int_equal(errno, ENOSPC);
	fault_at(2);
	fault_errno(EINTR);
	assert_int_equal(io.stat("/", &st), 0);
	assert_false(fault_met());
	assert_int_equal(io.stat("/", &st), -1);
	assert_int_equal(errno, EINTR);
	assert_true(fault_met());
	assert_int_equal(io.stat("/", &st), 0);
	fault_off();
}

static void test_io__reads_and_writes_can_be_short(void **state)
{
	char got[8];
	int fd;

	(void)state;
	test_dir();
	fd = open(test_path("f"), O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	fault_short(3);
	assert_int_equal(io.write(fd, "abcdef", 6), 3);
	assert_int_equal(io.pread(fd, got, 8, 0), 3);
	assert_int_equal(io.lseek(fd, 1, SEEK_SET), 1);
	assert_int_equal(io.read(fd, got, 8), 2);
	fault_off();
	assert_int_equal(io.write(fd, "abcdef", 6), 6);
	close(fd);
}

static void test_io__test_dir_is_private_and_empty(void **state)
{
	const char *dir = test_dir();

	(void)state;
	assert_true(str_starts(str_of(getenv("HOME")), str_of(dir)));
	assert_true(str_starts(str_of(getenv("HANDOFF_VAULT")), str_of(dir)));
	assert_int_equal(test_entries("home"), 0);
	setenv("HANDOFF_NOW", "1", 1);
	test_write("x/y/z", STR("text"));
	assert_true(test_is("x/y/z", "text"));
	test_dir();
	assert_null(getenv("HANDOFF_NOW"));
	assert_false(test_exists("x"));
	assert_int_equal(test_entries("x"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io__the_real_table_reaches_the_system),
		cmocka_unit_test(test_io__each_call_can_be_made_to_fail_once),
		cmocka_unit_test(test_io__the_failure_has_the_wanted_errno),
		cmocka_unit_test(test_io__reads_and_writes_can_be_short),
		cmocka_unit_test(test_io__test_dir_is_private_and_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
