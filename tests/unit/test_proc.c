/* proc: this process, its child before and after its end, and none at all. */
#include "fault.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"

static void test_proc__this_process_and_its_parent(void **state)
{
	struct buf b = BUF_INIT(1u << 16);
	struct proc p, again;

	(void)state;
	assert_true(proc_stat(getpid(), &p));
	assert_int_equal(p.parent, getppid());
	assert_true(p.start > 0);
	assert_false(p.ended);
	assert_true(proc_stat(getpid(), &again));
	assert_true(again.start == p.start);
	assert_true(proc_read(getpid(), "comm", &b));
	assert_true(b.n > 1);
	buf_release(&b);
}

static void test_proc__a_child_that_was_not_waited_for_has_ended(void **state)
{
	pid_t child = fork();
	struct proc p;
	siginfo_t info;

	(void)state;
	if (child == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(proc_stat(child, &p));
	assert_true(p.ended);
	waitpid(child, NULL, 0);
	assert_false(proc_stat(child, &p));
}

static void test_proc__what_cannot_be_read_is_not_known(void **state)
{
	struct buf b = BUF_INIT(64), cut = BUF_INIT(3);
	struct proc p;

	(void)state;
	for (int n = 1; n <= 2; n++) { /* open, read */
		fault_at(n);
		assert_false(proc_stat(getpid(), &p));
		assert_true(fault_met());
		fault_at(n);
		assert_false(proc_read(getpid(), "stat", &b));
		fault_off();
	}
	fault_short(1);
	assert_true(proc_stat(getpid(), &p));
	assert_int_equal(p.parent, getppid());
	fault_off();
	assert_false(proc_stat(0, &p));
	assert_false(proc_stat(-1, &p));
	assert_true(proc_read(getpid(), "comm", &cut));
	assert_int_equal(cut.n, 3);
	buf_release(&b);
	buf_release(&cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc__this_process_and_its_parent),
		cmocka_unit_test(test_proc__a_child_that_was_not_waited_for_has_ended),
		cmocka_unit_test(test_proc__what_cannot_be_read_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
