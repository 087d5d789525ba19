#include "fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"

enum { KEY_NAME = 256 };

static const struct option_row ROWS[] = {
	{1, 'a', "all", NULL, "everything"},
	{2, 'n', "count", "N", "how many"},
	{1, KEY_NAME, "name", "NAME", "which one"},
};
#define N (sizeof(ROWS) / sizeof(ROWS[0]))

static int note(void *arg, int key, const char *value, struct err *e)
{
	if (value && strcmp(value, "bad") == 0)
		return err_set(e, HF_EUSAGE, "no good");
	buf_printf(arg, key < 256 ? "%c" : "<%d>", key);
	buf_printf(arg, "=%s ", value ? value : "-");
	return 0;
}

static int parse(char *words, unsigned allowed, struct buf *got, int *first,
		 struct err *e)
{
	static char *argv[16];
	int argc = 0;

	buf_reset(got);
	argv[argc++] = words;
	for (char *p = words; *p && argc < 15; p++)
		if (*p == ' ') {
			*p = '\0';
			argv[argc++] = p + 1;
		}
	argv[argc] = NULL;
	*e = ERR_INIT;
	return options_parse(ROWS, N, allowed, argc, argv, note, got, first, e);
}

static void test_options__each_is_given_with_its_value(void **state)
{
	char words[] = "prog -a x --name=y -n 3 --name z -- -a";
	struct buf got = BUF_INIT(1000);
	struct err e;
	int first;

	(void)state;
	assert_int_equal(parse(words, 3, &got, &first, &e), 0);
	assert_string_equal(buf_cstr(&got), "a=- <256>=y n=3 <256>=z ");
	assert_int_equal(first, 8); /* "x" and what follows "--" are words */
	buf_release(&got);
}

static void test_options__what_is_wrong_is_named_as_it_was_written(void **state)
{
	static const struct {
		const char *words, *says;
		unsigned allowed;
	} BAD[] = {
		{"prog -z", "unknown option -z", 3},
		{"prog --zip", "unknown option --zip", 3},
		{"prog -n", "option -n needs a value", 3},
		{"prog --count", "option --count needs a value", 3},
		{"prog --all=3", "option --all=3 takes no value", 3},
		{"prog -n 3", "unknown option -n", 1},
		{"prog --count 3", "unknown option --count", 1},
		{"prog -n bad", "no good", 3},
	};
	struct buf got = BUF_INIT(1000);

	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		char words[100];
		struct err e;
		int first;

		snprintf(words, sizeof(words), "%s", BAD[i].words);
		assert_int_equal(parse(words, BAD[i].allowed, &got, &first, &e),
				 HF_EUSAGE);
		assert_string_equal(e.msg, BAD[i].says);
	}
	buf_release(&got);
}

static void test_options__help_has_a_line_for_each_that_is_allowed(void **state)
{
	int fd[2];
	char text[1000];
	ssize_t n;
	struct out o;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	out_init(&o, fd[1], "pipe");
	options_help(ROWS, N, 1, &o);
	assert_int_equal(out_end(&o, NULL), 0);
	n = read(fd[0], text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, "  -a, --all               everything\n"
				  "      --name NAME         which one\n");
	close(fd[0]);
	close(fd[1]);
}

/* Exit status of a child that runs fn with standard error in a file. */
static int child(int (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int err = open(test_path("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(err, 2);
		_exit(fn());
	}
	assert_true(waitpid(pid, &status, 0) == pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int good(void)
{
	return options_status(0, &ERR_INIT);
}

static int usage(void)
{
	struct err e = ERR_INIT;

	log_name("prog");
	return options_status(err_set(&e, HF_EUSAGE, "called wrongly"), &e);
}

static int failure(void)
{
	log_name("prog");
	return options_status(HF_EIO, &ERR_INIT);
}

/* A closed descriptor is not taken by the next file, and fails as before. */
static int closed(void)
{
	char c;

	close(0);
	close(1);
	if (!options_begin())
		return 1;
	return open("/dev/null", O_RDONLY) > 2 && read(0, &c, 1) < 0 &&
			       write(1, "x", 1) < 0
		       ? 0
		       : 2;
}

static void test_options__the_status_tells_failures_from_wrong_calls(void **state)
{
	(void)state;
	test_dir();
	assert_int_equal(child(good), 0);
	assert_true(test_is("stderr", ""));
	assert_int_equal(child(usage), 64);
	assert_true(test_is("stderr", "prog: called wrongly\n"));
	assert_int_equal(child(failure), 1);
	assert_true(test_is("stderr", "prog: failed\n"));
}

static void test_options__closed_descriptors_stay_out_of_the_way(void **state)
{
	(void)state;
	test_dir();
	assert_int_equal(child(closed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options__each_is_given_with_its_value),
		cmocka_unit_test(test_options__what_is_wrong_is_named_as_it_was_written),
		cmocka_unit_test(test_options__help_has_a_line_for_each_that_is_allowed),
		cmocka_unit_test(
			test_options__the_status_tells_failures_from_wrong_calls),
		cmocka_unit_test(test_options__closed_descriptors_stay_out_of_the_way),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
