#include "fault.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum act { WARN, DIE };

/* Do it in a child whose stderr is the file "err"; returns the exit status. */
static int in_child(enum act act)
{
	int status, fd;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		fd = open(test_path("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, STDERR_FILENO);
		log_name("prog");
		if (act == WARN)
			log_warn("%s: %d", "a\nb\x1b[31m\xff", 7);
		if (act == DIE)
			log_die("%s", "gone");
		_exit(42);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_log__warns_in_one_safe_line(void **state)
{
	(void)state;
	test_dir();
	assert_int_equal(in_child(WARN), 42);
	assert_true(test_is("err", "prog: a b\xEF\xBF\xBD: 7\n"));
}

static void test_log__die_ends_with_1(void **state)
{
	(void)state;
	test_dir();
	assert_int_equal(in_child(DIE), 1);
	assert_true(test_is("err", "prog: gone\n"));
}

static void test_log__traces_only_when_asked(void **state)
{
	str text, line;

	(void)state;
	test_dir();
	log_name("prog");
	log_trace("nowhere %d", 1);
	assert_int_equal(test_entries("."), 2); /* home, tmp */
	setenv("HANDOFF_TRACE", test_path("trace"), 1);
	setenv("HANDOFF_NOW", "2026-02-12T18:20:02.123Z", 1);
	log_trace("still nowhere"); /* the environment is read once */
	assert_false(test_exists("trace"));
	log_name("prog");
	log_trace("one %d", 1);
	log_trace("two\nlines");
	unsetenv("HANDOFF_TRACE");
	log_name("prog");
	log_trace("three");
	text = test_read("trace");
	assert_true(str_line(&text, &line));
	assert_true(str_starts(line, STR("2026-02-12T18:20:02.123Z ")));
	assert_true(str_ends(line, STR(" one 1")));
	assert_true(str_line(&text, &line));
	assert_true(str_ends(line, STR(" two lines")));
	assert_false(str_line(&text, &line));
}

static void test_log__a_trace_that_cannot_be_written_is_no_failure(void **state)
{
	const char *bad[] = {test_dir(), test_path("fifo"), test_path("none/x"),
			     "/dev/null"};

	(void)state;
	assert_int_equal(mkfifo(bad[1], 0600), 0);
	for (size_t i = 0; i < 4; i++) {
		setenv("HANDOFF_TRACE", bad[i], 1);
		log_name("prog");
		errno = 77;
		log_trace("x");
		log_trace("y");
	}
	setenv("HANDOFF_TRACE", test_path("trace"), 1);
	for (int n = 1; n <= 3; n++) { /* open, fstat, write */
		log_name("prog");
		fault_at(n);
		log_trace("lost");
		assert_true(fault_met());
		fault_off();
	}
	log_trace("kept");
	assert_true(str_ends(test_read("trace"), STR(" kept\n")));
	assert_int_equal(str_find(test_read("trace"), STR("lost")), STR_NPOS);
	unsetenv("HANDOFF_TRACE");
	log_name("prog");
}

static void test_log__keeps_errno(void **state)
{
	(void)state;
	test_dir();
	setenv("HANDOFF_TRACE", test_path("trace"), 1);
	log_name("prog");
	log_trace("opens");
	fault_at(1);
	errno = 77;
	log_trace("x");
	assert_int_equal(errno, 77);
	assert_true(fault_met());
	fault_off();
	unsetenv("HANDOFF_TRACE");
	log_name("prog");
}

static void test_log__a_long_message_is_cut(void **state)
{
	str text;

	(void)state;
	test_dir();
	setenv("HANDOFF_TRACE", test_path("trace"), 1);
	log_name("prog");
	log_trace("%05000d", 1);
	unsetenv("HANDOFF_TRACE");
	log_name("prog");
	text = test_read("trace");
	assert_true(text.n > 2000 && text.n < 2200);
	assert_int_equal(str_chr(text, '\n'), text.n - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log__warns_in_one_safe_line),
		cmocka_unit_test(test_log__die_ends_with_1),
		cmocka_unit_test(test_log__traces_only_when_asked),
		cmocka_unit_test(test_log__a_trace_that_cannot_be_written_is_no_failure),
		cmocka_unit_test(test_log__keeps_errno),
		cmocka_unit_test(test_log__a_long_message_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
