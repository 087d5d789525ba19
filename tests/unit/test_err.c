#include "fault.h"
#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>

static void test_err__keeps_the_first_message(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&e, HF_ELIMIT, "%s: over %d bytes", "x", 5), HF_ELIMIT);
	assert_int_equal(err_set(&e, HF_EFORMAT, "later"), HF_EFORMAT);
	errno = EIO;
	assert_int_equal(err_sys(&e, "later"), HF_EIO);
	assert_int_equal(e.code, HF_ELIMIT);
	assert_string_equal(e.msg, "x: over 5 bytes");
}

static void test_err__works_without_a_place_for_the_message(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, HF_EUSAGE, "x"), HF_EUSAGE);
	errno = ENOENT;
	assert_int_equal(err_sys(NULL, "x"), HF_EIO);
	errno = EPIPE;
	assert_int_equal(err_sys(NULL, "x"), HF_EPIPE);
}

static void test_err__sys_adds_the_reason(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	errno = ENOSPC;
	assert_int_equal(err_sys(&e, "write %s", "a"), HF_EIO);
	assert_string_equal(e.msg, "write a: No space left on device");
	e = ERR_INIT;
	errno = EPIPE;
	assert_int_equal(err_sys(&e, "write %s", "a"), HF_EPIPE);
	assert_int_equal(e.code, HF_EPIPE);
}

static void test_err__is_one_safe_line(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, HF_EIO, "%s", "a\nb\t\x1b[31mc\xff\xe2\x80\xae\xc3\xa4");
	assert_string_equal(e.msg, "a?b??[31mc??\xc3\xa4");
}

static void test_err__cuts_between_characters_and_keeps_the_reason(void **state)
{
	char path[4 * ERR_MSG_BYTES];
	struct err e = ERR_INIT;
	const char *reason = ": Permission denied";

	(void)state;
	for (size_t n = 0; n < sizeof path - 1; n++)
		path[n] = "\xe2\x82\xac"[n % 3];
	path[sizeof path - 1] = 0;
	for (size_t skip = 0; skip < 3; skip++) {
		e = ERR_INIT;
		errno = EACCES;
		err_sys(&e, "%.*s%s", (int)skip, "xy", path);
		assert_true(utf8_valid(str_of(e.msg)));
		assert_true(str_ends(str_of(e.msg), str_of(reason)));
		assert_true(strlen(e.msg) > ERR_MSG_BYTES - 5);
		assert_true(strlen(e.msg) < ERR_MSG_BYTES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err__keeps_the_first_message),
		cmocka_unit_test(test_err__works_without_a_place_for_the_message),
		cmocka_unit_test(test_err__sys_adds_the_reason),
		cmocka_unit_test(test_err__is_one_safe_line),
		cmocka_unit_test(test_err__cuts_between_characters_and_keeps_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
