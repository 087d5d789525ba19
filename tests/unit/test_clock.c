#include "fault.h"
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

static void test_clock__formats_utc(void **state)
{
	static const struct {
		int64_t ms;
		const char *iso, *iso_s;
	} rows[] = {
		{0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z"},
		{1770920402123, "2026-02-12T18:20:02.123Z", "2026-02-12T18:20:02Z"},
		{951782400000, "2000-02-29T00:00:00.000Z", "2000-02-29T00:00:00Z"},
		{-1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59Z"},
		{-62167219200000, "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00Z"},
		{-62167219200001, "?", "?"},
		{253402300799999, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59Z"},
		{253402300800000, "?", "?"},
		{INT64_MAX, "?", "?"},
		{CLOCK_NONE, "?", "?"},
	};
	char out[CLOCK_ISO_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		clock_iso(out, rows[i].ms);
		assert_string_equal(out, rows[i].iso);
		clock_iso_s(out, rows[i].ms);
		assert_string_equal(out, rows[i].iso_s);
	}
}

static void test_clock__every_day_goes_there_and_back(void **state)
{
	char out[CLOCK_ISO_BYTES];
	int64_t back;

	(void)state;
	for (int64_t ms = -62167219200000; ms < 253402300800000; ms += 86400000 + 1009) {
		clock_iso(out, ms);
		assert_true(clock_parse(str_of(out), &back));
		assert_true(back == ms);
	}
}

/* The C library's conversion is another opinion on the calendar. */
static void test_clock__agrees_with_the_c_library(void **state)
{
	char out[CLOCK_ISO_BYTES], theirs[32];

	(void)state;
	for (int64_t s = -2208988800; s < 7258118400; s += 86400 * 13 + 7) {
		time_t t = (time_t)s;
		struct tm tm;

		assert_non_null(gmtime_r(&t, &tm));
		strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%SZ", &tm);
		clock_iso_s(out, s * 1000);
		assert_string_equal(out, theirs);
	}
}

static void test_clock__parses_rfc_3339(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"1970-01-01", 0},
		{"1970-01-01T00:00:01", 1000},
		{"1970-01-01 00:00:01Z", 1000},
		{"1970-01-01t00:00:01z", 1000},
		{"1970-01-01T00:00:01.5Z", 1500},
		{"1970-01-01T00:00:01.123999999Z", 1123},
		{"1970-01-01T00:00:01,25Z", 1250},
		{"1970-01-01T02:00:00+02:00", 0},
		{"1969-12-31T18:30:00-05:30", 0},
		{"1970-01-01T02:00:00+0200", 0},
		{"1972-06-30T23:59:60Z", 78796800000}, /* leap second */
		{"2000-02-29", 951782400000},
	};
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(clock_parse(str_of(rows[i].text), &ms));
		assert_true(ms == rows[i].ms);
	}
}

static void test_clock__refuses_anything_else(void **state)
{
	static const char *const rows[] = {
		"",
		"1970",
		"1970-1-1",
		"1970-00-01",
		"1970-13-01",
		"1970-01-00",
		"1970-01-32",
		"1970-04-31",
		"1970-02-29",
		"1900-02-29",
		"1970-01-01T",
		"1970-01-01T24:00:00Z",
		"1970-01-01T00:60:00Z",
		"1970-01-01T00:00:61Z",
		"1970-01-01T00:00Z",
		"1970-01-01T00:00:00.Z",
		"1970-01-01T00:00:00Zx",
		"1970-01-01T00:00:00x",
		"1970-01-01T00:00:00+1",
		"1970-01-01T00:00:00+24:00",
		"1970-01-01T00:00:00+00:60",
		"1970-01-01x00:00:00Z",
		" 1970-01-01",
		"+970-01-01",
		"1970-01-01T-1:00:00Z",
	};
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		ms = 5;
		assert_false(clock_parse(str_of(rows[i]), &ms));
		assert_true(ms == CLOCK_NONE);
	}
	assert_false(clock_parse(STR_NONE, &ms));
}

static void test_clock__cut_at_every_byte(void **state)
{
	str text = STR("2026-02-12T18:20:02.123+01:00");
	int64_t ms;

	(void)state;
	for (size_t n = 0; n <= text.n; n++) {
		char *copy = str_dup(str_head(text, n));
		bool whole = n == 10 || n == 19 || (n >= 21 && n <= 23) || n == 29;

		assert_int_equal(clock_parse((str){copy, n}, &ms), whole);
		free(copy);
	}
}

static void test_clock__now_is_pinned_by_the_environment(void **state)
{
	int64_t now;

	(void)state;
	setenv("HANDOFF_NOW", "2026-02-12T18:20:02.123Z", 1);
	assert_true(clock_now() == 1770920402123);
	setenv("HANDOFF_NOW", "1770920402124", 1);
	assert_true(clock_now() == 1770920402124);
	assert_true(clock_now_us() == 1770920402124000);
	setenv("HANDOFF_NOW", "no time", 1); /* not a time: the real one */
	now = clock_now();
	assert_true(now / 1000 >= time(NULL) - 2 && now / 1000 <= time(NULL) + 2);
	unsetenv("HANDOFF_NOW");
	now = clock_now_us() / 1000;
	assert_true(now / 1000 >= time(NULL) - 2 && now / 1000 <= time(NULL) + 2);
	now = clock_now();
	assert_true(now / 1000 >= time(NULL) - 2 && now / 1000 <= time(NULL) + 2);
}

static void test_clock__the_monotonic_clock_moves_on_though_now_is_pinned(void **state)
{
	int64_t start = clock_mono_ns();

	(void)state;
	setenv("HANDOFF_NOW", "0", 1);
	while (clock_mono_ns() == start)
		;
	assert_true(clock_mono_ns() > start);
	unsetenv("HANDOFF_NOW");
}

static void test_clock__spans_are_for_people(void **state)
{
	static const struct {
		int64_t ms;
		const char *want;
	} rows[] = {
		{0, "0s"},
		{-5000, "0s"},
		{999, "0s"},
		{12999, "12s"},
		{60000, "1m0s"},
		{(31 * 60 + 49) * 1000, "31m49s"},
		{(2 * 3600 + 16 * 60 + 24) * 1000, "2h16m24s"},
		{INT64_C(90061000), "1d1h1m"},
		{INT64_MAX, "106751991167d7h12m"},
		{INT64_MIN, "0s"},
	};
	char out[24];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		clock_span(out, rows[i].ms);
		assert_string_equal(out, rows[i].want);
	}
}

static void test_clock__tells_a_pin_that_is_no_time(void **state)
{
	(void)state;
	setenv("HANDOFF_NOW", "garbage", 1);
	assert_false(clock_pin_ok());
	setenv("HANDOFF_NOW", "2026-02-12", 1);
	assert_true(clock_pin_ok());
	setenv("HANDOFF_NOW", "", 1);
	assert_true(clock_pin_ok());
	unsetenv("HANDOFF_NOW");
	assert_true(clock_pin_ok());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock__tells_a_pin_that_is_no_time),
		cmocka_unit_test(test_clock__formats_utc),
		cmocka_unit_test(test_clock__every_day_goes_there_and_back),
		cmocka_unit_test(test_clock__agrees_with_the_c_library),
		cmocka_unit_test(test_clock__parses_rfc_3339),
		cmocka_unit_test(test_clock__refuses_anything_else),
		cmocka_unit_test(test_clock__cut_at_every_byte),
		cmocka_unit_test(test_clock__now_is_pinned_by_the_environment),
		cmocka_unit_test(
			test_clock__the_monotonic_clock_moves_on_though_now_is_pinned),
		cmocka_unit_test(test_clock__spans_are_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
