#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "work/hooklog.h"

static void test_hooklog__a_line_is_one_line_and_holds_no_secret(void **state)
{
	str log;

	(void)state;
	test_dir();
	hooklog_add(test_path("state"), "Stop 1a2b", "two\nlines \x1b[31m %s",
		    "ghp_abcdefghijklmnopqrstuvwxyz0123456789");
	hooklog_add(test_path("state"), "Stop 1a2b", "again");
	log = test_read("state/hook.log");
	assert_int_equal(str_chr(str_from(log, str_chr(log, '\n') + 1), '\n') + 1 +
				 str_chr(log, '\n') + 1,
			 log.n); /* two lines */
	assert_true(str_find(log, STR("two lines")) != STR_NPOS);
	assert_true(str_find(log, STR("ghp_abc")) == STR_NPOS);
	assert_true(str_find(log, STR("[redacted:")) != STR_NPOS);
	assert_true(str_chr(log, '\x1b') == STR_NPOS);
	assert_true(str_ends(log, STR("Stop 1a2b: again\n")));
}

static void test_hooklog__a_full_log_is_put_aside_once(void **state)
{
	struct stat st;
	char big[1000];

	(void)state;
	test_dir();
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (int i = 0; i < 900; i++)
		hooklog_add(test_path("state"), "Stop", "%s", big);
	assert_int_equal(stat(test_path("state/hook.log"), &st), 0);
	assert_true(st.st_size <= HOOKLOG_MAX + 2000);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(test_path("state/hook.log.1"), &st), 0);
	assert_true(st.st_size <= HOOKLOG_MAX + 2000);
	assert_int_equal(test_entries("state"), 2);
}

static void test_hooklog__a_log_that_cannot_be_written_is_no_failure(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	test_dir();
	hooklog_add("", "Stop", "nowhere to go");
	assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
	assert_int_equal(mkdir(test_path("state"), 0700), 0);
	assert_int_equal(mkfifo(test_path("state/hook.log"), 0600), 0);
	hooklog_add(test_path("state"), "Stop", "a FIFO does not hang it");
	assert_int_equal(unlink(test_path("state/hook.log")), 0);
	do {
		fault_at(++n);
		hooklog_add(test_path("state/deep/er"), "Stop", "x");
		met = fault_met();
		fault_off();
	} while (met);
	assert_true(n > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hooklog__a_line_is_one_line_and_holds_no_secret),
		cmocka_unit_test(test_hooklog__a_full_log_is_put_aside_once),
		cmocka_unit_test(
			test_hooklog__a_log_that_cannot_be_written_is_no_failure),
	};

	return cmocka_run_group_tests_name("hooklog", tests, NULL, NULL);
}
