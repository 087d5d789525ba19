#include "fault.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "data/config.h"
#include "work/dive.h"

#include <stdio.h>
#include <stdlib.h>

#define RECORDS 6

/* Six prompts, the i-th with i times `size` bytes of `unit`. */
static void transcript(size_t size, const char *unit)
{
	struct buf b = BUF_INIT(16u << 20);
	int i;

	test_dir();
	for (i = 1; i <= RECORDS; i++) {
		size_t n = size * (size_t)i / strlen(unit);

		buf_printf(
			&b,
			"{\"type\":\"user\",\"uuid\":\"u%d\",\"parentUuid\":null,\"sessionId\":\"mill-7\","
			"\"timestamp\":\"2026-03-01T09:00:0%d.000Z\",\"message\":{\"role\":\"user\",\"content\":\"#%d ",
			i, i, i);
		while (n--)
			buf_add(&b, str_of(unit));
		buf_add(&b, STR("\"}}\n"));
	}
	test_write("s.jsonl", buf_str(&b));
	buf_release(&b);
}

static int dive(const char *ledger, uint64_t first, uint64_t last, bool json,
		struct buf *out, struct err *e)
{
	struct dive_range r = {first, last};
	char path[4096];
	struct source src;
	int ret;

	*e = ERR_INIT;
	snprintf(path, sizeof(path), "%s", test_path("s.jsonl"));
	ret = source_open(&src, path, e);
	if (ret < 0)
		return ret;
	buf_reset(out);
	ret = dive_read(&src, path, ledger, &r, 1, json, out, e);
	source_release(&src);
	return ret;
}

static struct ledger_left left(const char *id)
{
	struct ledger_left l;
	struct ledger led;
	struct err e = ERR_INIT;

	if (ledger_open(&led, id, &e) < 0)
		fail_msg("%s", e.msg);
	l = ledger_left(&led);
	ledger_close(&led);
	return l;
}

static bool has(const struct buf *b, const char *s)
{
	return str_find(buf_str(b), str_of(s)) != STR_NPOS;
}

static void test_dive__ten_rounds_and_no_more(void **state)
{
	struct buf out = BUF_INIT(DIVE_TEXT_MAX);
	struct err e;

	(void)state;
	transcript(10, "corn ");
	for (int i = 0; i < LEDGER_ROUNDS; i++) {
		assert_int_equal(dive("a", 1, 1, false, &out, &e), 0);
		assert_true(has(&out, "#1 corn"));
	}
	assert_int_equal(dive("a", 1, 1, false, &out, &e), HF_ELIMIT);
	assert_int_equal(out.n, 0);
	assert_true(e.msg[0] != '\0');
	assert_int_equal(dive("b", 1, 1, false, &out, &e), 0);
	buf_release(&out);
}

static void test_dive__a_range_is_one_round_and_ends_with_the_file(void **state)
{
	struct buf out = BUF_INIT(DIVE_TEXT_MAX);
	struct err e;

	(void)state;
	transcript(10, "corn ");
	assert_int_equal(dive("a", 4, 900, false, &out, &e), 0);
	assert_false(has(&out, "#3 corn"));
	assert_true(has(&out, "#4 corn"));
	assert_true(has(&out, "#6 corn"));
	assert_int_equal(left("a").rounds, LEDGER_ROUNDS - 1);
	buf_release(&out);
}

static void test_dive__a_record_that_is_not_there_costs_nothing(void **state)
{
	struct buf out = BUF_INIT(DIVE_TEXT_MAX);
	struct err e;

	(void)state;
	transcript(10, "corn ");
	assert_int_equal(dive("a", RECORDS + 1, RECORDS + 9, false, &out, &e),
			 HF_ENOTFOUND);
	assert_int_equal(out.n, 0);
	assert_int_equal(left("a").rounds, LEDGER_ROUNDS);
	buf_release(&out);
}

/* What is handed out and what the ledger says agree, until nothing is left, for wide text too. */
static void test_dive__never_more_tokens_than_the_ledger_has(void **state)
{
	static const char *const units[] = {"corn ", "\xe6\xa2\xa8", "\xd0\xba"};

	(void)state;
	for (size_t u = 0; u < sizeof(units) / sizeof(*units); u++)
		for (int json = 0; json < 2; json++) {
			struct buf out = BUF_INIT(DIVE_TEXT_MAX);
			uint64_t sum = 0;
			struct err e;
			int rounds = 0, ret;

			transcript(30000, units[u]);
			while ((ret = dive("a", 1, RECORDS, json, &out, &e)) == 0) {
				assert_true(utf8_valid(buf_str(&out)));
				sum += ledger_tokens(buf_str(&out));
				assert_true(++rounds <= LEDGER_ROUNDS);
			}
			assert_int_equal(ret, HF_ELIMIT);
			/* the line about the ledger itself is not counted */
			assert_true(sum <= LEDGER_TOKENS + 100u * LEDGER_ROUNDS);
			assert_true(sum > LEDGER_TOKENS * 9 / 10);
			buf_release(&out);
		}
}

static void test_dive__a_result_fits_where_it_goes_and_costs_what_it_holds(void **state)
{
	struct buf out = BUF_INIT(20000);
	struct err e;

	(void)state;
	transcript(30000, "corn ");
	for (int json = 0; json < 2; json++) {
		uint64_t before = left("f").tokens;

		assert_int_equal(dive("f", 4, 6, json, &out, &e), 0);
		assert_false(out.full);
		assert_true(out.n > 15000 && out.n <= 20000);
		assert_true(has(&out, "#4 corn"));
		assert_true(before - left("f").tokens <= 20000 / 4);
		assert_true(before - left("f").tokens > 15000 / 4);
	}
	buf_release(&out);
}

static void test_dive__no_name_is_the_session_in_the_records(void **state)
{
	struct buf out = BUF_INIT(DIVE_TEXT_MAX);
	struct err e;

	(void)state;
	transcript(10, "corn ");
	assert_int_equal(dive("", 1, 1, false, &out, &e), 0);
	assert_int_equal(left("mill-7").rounds, LEDGER_ROUNDS - 1);
	test_write(
		"s.jsonl",
		STR("{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"grind\"}}\n"));
	assert_int_equal(dive("", 1, 1, false, &out, &e), 0);
	assert_int_equal(left("s").rounds, LEDGER_ROUNDS - 1);
	buf_release(&out);
}

static void test_dive__a_hostile_name_is_refused_and_that_of_records_tamed(void **state)
{
	struct buf out = BUF_INIT(DIVE_TEXT_MAX);
	struct err e;

	(void)state;
	transcript(10, "corn ");
	assert_int_equal(dive("a/b c\xff", 1, 1, false, &out, &e), HF_EUSAGE);
	assert_int_equal(out.n, 0);
	assert_int_equal(left("a-b-c-").rounds, LEDGER_ROUNDS);
	test_write(
		"s.jsonl",
		STR("{\"type\":\"user\",\"sessionId\":\"../b c\",\"message\":{\"content\":\"grind\"}}\n"));
	assert_int_equal(dive("", 1, 1, false, &out, &e), 0);
	assert_int_equal(left("-.-b-c").rounds, LEDGER_ROUNDS - 1);
	buf_release(&out);
}

/* Text is never handed out without being in the ledger. */
static void test_dive__every_failing_call(void **state)
{
	struct buf out = BUF_INIT(DIVE_TEXT_MAX);
	bool met;
	int n = 0, failed = 0;

	(void)state;
	do {
		struct err e;
		int ret;

		transcript(10, "corn "); /* a state folder of its own, too */
		fault_at(++n);
		ret = dive("a", 2, 3, false, &out, &e);
		met = fault_met();
		fault_off();
		if (ret == 0) {
			assert_int_equal(left("a").rounds, LEDGER_ROUNDS - 1);
			assert_true(has(&out, "#2 corn"));
		} else {
			failed++;
			assert_int_equal(out.n, 0);
			assert_true(e.msg[0] != '\0');
		}
	} while (met);
	assert_true(failed > 3);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dive__ten_rounds_and_no_more),
		cmocka_unit_test(test_dive__a_range_is_one_round_and_ends_with_the_file),
		cmocka_unit_test(test_dive__a_record_that_is_not_there_costs_nothing),
		cmocka_unit_test(test_dive__never_more_tokens_than_the_ledger_has),
		cmocka_unit_test(
			test_dive__a_result_fits_where_it_goes_and_costs_what_it_holds),
		cmocka_unit_test(test_dive__no_name_is_the_session_in_the_records),
		cmocka_unit_test(
			test_dive__a_hostile_name_is_refused_and_that_of_records_tamed),
		cmocka_unit_test(test_dive__every_failing_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
