#include "fault.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "work/guard.h"

struct child {
	int status;
	char out[100];
	int64_t ms;
};

/* Run fn in a process of its own that is guarded; what it wrote to its standard output. */
static struct child run(void (*fn)(void))
{
	struct child c = {0};
	int64_t start = clock_mono_ns();
	int fd[2];
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDOUT_FILENO);
		guard_arm("Stop test", test_path("hook.log"));
		guard_deadline(5000);
		fn();
		_exit(7);
	}
	close(fd[1]);
	n = read(fd[0], c.out, sizeof(c.out) - 1);
	c.out[n > 0 ? n : 0] = '\0';
	assert_int_equal(waitpid(pid, &c.status, 0), pid);
	close(fd[0]);
	c.ms = (clock_mono_ns() - start) / 1000000;
	return c;
}

static bool logged(const char *words)
{
	return test_exists("hook.log") &&
	       str_find(test_read("hook.log"), str_of(words)) != STR_NPOS;
}

static void hang(void)
{
	guard_deadline(20);
	for (;;)
		pause();
}

static void test_guard__the_timer_ends_what_hangs(void **state)
{
	struct child c;

	(void)state;
	test_dir();
	c = run(hang);
	assert_true(WIFEXITED(c.status) && WEXITSTATUS(c.status) == 0);
	assert_true(c.ms < 4000);
	assert_string_equal(c.out, "");
	assert_true(logged("Stop test: ended by its own timer\n"));
}

static void late(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	guard_arm("Stop test", test_path("hook.log"));
	guard_deadline(-5);
	for (;;)
		pause();
}

static void test_guard__a_blocked_alarm_and_a_past_deadline_end_it_too(void **state)
{
	struct child c;

	(void)state;
	test_dir();
	c = run(late);
	assert_true(WIFEXITED(c.status) && WEXITSTATUS(c.status) == 0);
}

static void hang_with_reply(void)
{
	static struct buf b = BUF_INIT(100);

	buf_add(&b, STR("{\"systemMessage\":\"x\"}\n"));
	guard_offer(STDOUT_FILENO, &b);
	memset(b.p, 'x', b.n); /* it is a copy */
	buf_release(&b);
	hang();
}

static void test_guard__what_was_offered_is_said_when_the_end_comes_early(void **state)
{
	struct child c;

	(void)state;
	test_dir();
	c = run(hang_with_reply);
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "{\"systemMessage\":\"x\"}\n");
}

static void taken_back(void)
{
	static struct buf b = BUF_INIT(100);

	buf_add(&b, STR("no\n"));
	guard_offer(STDOUT_FILENO, &b);
	guard_offer(STDOUT_FILENO, NULL);
	hang();
}

static void test_guard__an_offer_can_be_taken_back(void **state)
{
	(void)state;
	test_dir();
	assert_string_equal(run(taken_back).out, "");
}

static void do_abort(void)
{
	guard_name("SessionEnd test");
	abort();
}

static void do_term(void)
{
	raise(SIGTERM);
}

static void do_pipe(void)
{
	raise(SIGPIPE);
	_exit(0);
}

static void test_guard__signals_end_with_status_0_and_a_line(void **state)
{
	struct child c;

	(void)state;
	test_dir();
	c = run(do_abort);
	assert_int_equal(c.status, 0);
	assert_true(logged("SessionEnd test: aborted"));
	c = run(do_term);
	assert_int_equal(c.status, 0);
	assert_true(logged("Stop test: told to terminate"));
	c = run(do_pipe);
	assert_int_equal(c.status, 0);
}

#if !defined(__SANITIZE_ADDRESS__)
static int deeper(int n)
{
	volatile char page[4096];

	page[0] = (char)n;
	return n ? deeper(n - 1) + page[0] : 0;
}

static void overflow(void)
{
	deeper(1 << 24);
}

static void test_guard__a_stack_that_ran_out_is_survived(void **state)
{
	struct child c;

	(void)state;
	test_dir();
	c = run(overflow);
	assert_int_equal(c.status, 0);
	assert_true(logged("SEGV"));
}
#endif

static void finish(void)
{
	guard_deadline(30);
	guard_disarm();
	usleep(60000);
	_exit(3);
}

static void test_guard__disarmed_it_lets_the_program_go_on(void **state)
{
	(void)state;
	test_dir();
	assert_int_equal(WEXITSTATUS(run(finish).status), 3);
	assert_false(test_exists("hook.log"));
}

int main(void)
{
	const struct CMUnitTest tests[] =
	{ cmocka_unit_test(test_guard__the_timer_ends_what_hangs),
	  cmocka_unit_test(test_guard__a_blocked_alarm_and_a_past_deadline_end_it_too),
	  cmocka_unit_test(test_guard__what_was_offered_is_said_when_the_end_comes_early),
	  cmocka_unit_test(test_guard__an_offer_can_be_taken_back),
	  cmocka_unit_test(test_guard__signals_end_with_status_0_and_a_line),
#if !defined(__SANITIZE_ADDRESS__)
	  cmocka_unit_test(test_guard__a_stack_that_ran_out_is_survived),
#endif
	  cmocka_unit_test(test_guard__disarmed_it_lets_the_program_go_on),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
