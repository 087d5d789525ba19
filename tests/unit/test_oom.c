#include "fault.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(void)
{
	oom();
}

static void call_as_a_hook(void)
{
	oom_status = 0;
	oom();
}

static void call_interrupted(void)
{
	fault_at(1);
	fault_errno(EINTR);
	oom();
}

static void map_too_much(void)
{
	struct arena a;

	arena_init(&a, SIZE_MAX / 2);
}

static void grow_too_much(void)
{
	struct buf b = BUF_INIT(SIZE_MAX);

	buf_room(&b, SIZE_MAX / 2);
}

/* Run it in a child; returns the exit status, its stderr is in the file "err". */
static int in_child(void (*fn)(void))
{
	int status, fd;
	pid_t child;

	test_dir();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		fd = open(test_path("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, STDERR_FILENO);
		oom_name("prog");
		fn();
		_exit(42);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_oom__ends_with_one_line(void **state)
{
	(void)state;
	assert_int_equal(in_child(call), 1);
	assert_true(test_is("err", "prog: out of memory\n"));
	assert_int_equal(in_child(call_interrupted), 1);
	assert_true(test_is("err", "prog: out of memory\n"));
}

static void test_oom__ends_with_0_in_a_hook(void **state)
{
	(void)state;
	assert_int_equal(in_child(call_as_a_hook), 0);
	assert_true(test_is("err", "prog: out of memory\n"));
}

static void test_oom__is_where_an_allocation_that_fails_ends(void **state)
{
	(void)state;
	assert_int_equal(in_child(map_too_much), 1);
	assert_true(test_is("err", "prog: out of memory\n"));
#ifndef __SANITIZE_ADDRESS__ /* which ends the process itself */
	assert_int_equal(in_child(grow_too_much), 1);
	assert_true(test_is("err", "prog: out of memory\n"));
#else
	(void)grow_too_much;
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oom__ends_with_one_line),
		cmocka_unit_test(test_oom__ends_with_0_in_a_hook),
		cmocka_unit_test(test_oom__is_where_an_allocation_that_fails_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
