#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "work/ledger.h"

#define NOW "2026-02-12T10:00:00.000Z"

static const char *state_file(const char *name)
{
	struct buf b = BUF_INIT(4096);
	static char path[4096];

	buf_printf(&b, "%s/handoff/ledgers/%s", getenv("XDG_STATE_HOME"), name);
	snprintf(path, sizeof(path), "%s", buf_cstr(&b));
	buf_release(&b);
	return path;
}

static void fresh(void)
{
	test_dir();
	setenv("HANDOFF_NOW", NOW, 1);
}

static void test_ledger__a_new_one_starts_at_zero(void **state)
{
	struct err e = ERR_INIT;
	struct ledger l;

	(void)state;
	fresh();
	assert_int_equal(ledger_open(&l, "abc", &e), 0);
	assert_int_equal(ledger_left(&l).rounds, LEDGER_ROUNDS);
	assert_int_equal(ledger_left(&l).tokens, LEDGER_TOKENS);
	assert_int_equal(l.started, clock_now());
	assert_false(test_exists(state_file("abc.json"))); /* looking costs nothing */
	ledger_close(&l);
	ledger_close(&l);
}

static void test_ledger__takes_are_kept_across_opens(void **state)
{
	struct err e = ERR_INIT;
	struct ledger l;
	struct stat st;
	struct buf b = BUF_INIT(4096);

	(void)state;
	fresh();
	assert_int_equal(ledger_open(&l, "abc", &e), 0);
	assert_int_equal(ledger_take(&l, 12000, &e), 0);
	setenv("HANDOFF_NOW", "2026-02-12T10:05:00.000Z", 1);
	assert_int_equal(ledger_take(&l, 0, &e), 0);
	assert_int_equal(ledger_take(&l, 400, &e), 0);
	ledger_close(&l);
	assert_int_equal(stat(state_file("abc.json"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(test_is(state_file("abc.json"),
			    "{\"v\":1,\"id\":\"abc\",\"rounds\":3,\"tokens\":12400,"
			    "\"started\":\"" NOW
			    "\",\"touched\":\"2026-02-12T10:05:00.000Z\"}\n"));

	assert_int_equal(ledger_open(&l, "abc", &e), 0);
	ledger_show(&l, &b);
	assert_string_equal(buf_cstr(&b),
			    "round 3 of 10, 12,400 of 50,000 tokens read, 37,600 left");
	buf_reset(&b);
	ledger_json(&l, &b);
	assert_string_equal(
		buf_cstr(&b),
		"{\"id\":\"abc\",\"rounds\":3,\"tokens\":12400,\"started\":\"" NOW
		"\",\"touched\":\"2026-02-12T10:05:00.000Z\",\"rounds_max\":10,"
		"\"tokens_max\":50000,\"rounds_left\":7,\"tokens_left\":37600}");
	ledger_close(&l);
	buf_release(&b);
}

static void
test_ledger__refuses_what_exceeds_the_tokens_and_says_what_is_left(void **state)
{
	struct err e = ERR_INIT;
	struct ledger l;

	(void)state;
	fresh();
	assert_int_equal(ledger_open(&l, "abc", &e), 0);
	assert_int_equal(ledger_take(&l, 48000, &e), 0);
	assert_int_equal(ledger_take(&l, 2001, &e), HF_ELIMIT);
	assert_string_equal(
		e.msg, "abc: this needs 2,001 tokens, but the reading budget has 2,000 "
		       "and 9 rounds left");
	assert_int_equal(ledger_take(&l, UINT64_MAX, NULL), HF_ELIMIT);
	assert_int_equal(ledger_left(&l).rounds, 9); /* nothing was recorded */
	assert_int_equal(ledger_left(&l).tokens, 2000);
	assert_int_equal(ledger_take(&l, 2000, NULL), 0);
	assert_int_equal(ledger_left(&l).tokens, 0);
	assert_int_equal(ledger_take(&l, 1, NULL), HF_ELIMIT);
	ledger_close(&l);
}

static void test_ledger__refuses_the_eleventh_round(void **state)
{
	struct err e = ERR_INIT;
	struct ledger l;

	(void)state;
	fresh();
	assert_int_equal(ledger_open(&l, "abc", &e), 0);
	for (int i = 0; i < LEDGER_ROUNDS; i++)
		assert_int_equal(ledger_take(&l, 10, &e), 0);
	assert_int_equal(ledger_take(&l, 10, &e), HF_ELIMIT);
	assert_string_equal(
		e.msg,
		"abc: all 10 rounds of the reading budget are used; 49,900 tokens were left");
	assert_int_equal(ledger_restart(&l, NULL), 0);
	assert_int_equal(ledger_left(&l).rounds, LEDGER_ROUNDS);
	assert_int_equal(ledger_take(&l, 10, NULL), 0);
	ledger_close(&l);
}

static void test_ledger__ids_are_never_paths(void **state)
{
	const char *const bad[] = {
		"",
		".",
		"..",
		".x",
		"a/b",
		"../x",
		"a b",
		"a\n",
		"\xc3\xa9",
		"01234567890123456789012345678901234567890123456789012345678901234"};
	struct ledger l;

	(void)state;
	fresh();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(ledger_open(&l, bad[i], &e), HF_EUSAGE);
		assert_true(e.msg[0]);
		ledger_close(&l);
	}
	assert_int_equal(
		ledger_open(
			&l,
			"0123456789012345678901234567890123456789012345678901234567890123",
			NULL),
		0);
	ledger_close(&l);
}

static void test_ledger__a_damaged_file_is_refused_until_restarted(void **state)
{
	static const char good[] =
		"{\"v\":1,\"id\":\"abc\",\"rounds\":3,\"tokens\":12400,"
		"\"started\":\"" NOW "\",\"touched\":\"" NOW "\"}\n";
	static const char *const bad[] = {
		"[]",
		"{}",
		"null",
		"{\"v\":2,\"id\":\"abc\",\"rounds\":3,\"tokens\":1,\"started\":\"" NOW
		"\",\"touched\":\"" NOW "\"}",
		"{\"v\":1,\"id\":\"xyz\",\"rounds\":3,\"tokens\":1,\"started\":\"" NOW
		"\",\"touched\":\"" NOW "\"}",
		"{\"v\":1,\"id\":\"abc\",\"rounds\":-3,\"tokens\":1,\"started\":\"" NOW
		"\",\"touched\":\"" NOW "\"}",
		"{\"v\":1,\"id\":\"abc\",\"rounds\":\"3\",\"tokens\":1,\"started\":\"" NOW
		"\",\"touched\":\"" NOW "\"}",
		"{\"v\":1,\"id\":\"abc\",\"rounds\":3,\"tokens\":99999999999999,\"started\":\"" NOW
		"\",\"touched\":\"" NOW "\"}",
		"{\"v\":1,\"id\":\"abc\",\"rounds\":3,\"tokens\":1,\"started\":\"yesterday\","
		"\"touched\":\"" NOW "\"}",
	};
	struct ledger l;

	(void)state;
	fresh();
	assert_int_equal(ledger_open(&l, "abc", NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad) + sizeof(good) - 2; i++) {
		size_t cut =
			i -
			sizeof(bad) /
				sizeof(*bad); /* then the good one, cut at every byte */
		struct err e = ERR_INIT;
		struct ledger other;

		test_write(state_file("abc.json"), i < sizeof(bad) / sizeof(*bad)
							   ? str_of(bad[i])
							   : (str){good, cut});
		assert_int_equal(ledger_open(&other, "abc", &e), HF_EFORMAT);
		assert_non_null(strstr(e.msg, state_file("abc.json")));
		assert_non_null(strstr(e.msg, "remove this file to start again"));
		assert_int_equal(ledger_take(&l, 1, NULL),
				 HF_EFORMAT); /* one that is open as well */
		assert_int_equal(ledger_restart(&other, NULL), 0);
		assert_int_equal(ledger_take(&other, 1, NULL), 0);
		ledger_close(&other);
	}
	test_write(state_file("abc.json"), STR(good));
	assert_int_equal(ledger_take(&l, 1, NULL), 0);
	assert_int_equal(l.tokens, 12401);
	test_write(
		state_file("abc.json"),
		STR("{\"new\":{\"a\":[1]},\"v\":1,\"id\":\"abc\",\"rounds\":30,\"tokens\":70000,"
		    "\"started\":\"" NOW "\",\"touched\":\"" NOW "\"}"));
	assert_int_equal(ledger_take(&l, 0, NULL),
			 HF_ELIMIT); /* more than there ever was: none left */
	assert_int_equal(ledger_left(&l).rounds, 0);
	assert_int_equal(ledger_left(&l).tokens, 0);
	ledger_close(&l);
}

/* Each child takes what it gets; the sum of what they got is what the file says. */
static void test_ledger__processes_never_exceed_the_budget_together(void **state)
{
	enum { CHILDREN = 4, TRIES = 10, TOKENS = 9000 };
	struct ledger l;
	uint32_t rounds = 0;

	(void)state;
	fresh();
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid)
			continue;
		int got = 0;

		if (ledger_open(&l, "abc", NULL) != 0)
			_exit(99);
		for (int k = 0; k < TRIES; k++) {
			int ret = ledger_take(&l, TOKENS, NULL);

			if (ret != 0 && ret != HF_ELIMIT)
				_exit(99);
			got += ret == 0;
		}
		_exit(got);
	}
	for (int i = 0; i < CHILDREN; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 99);
		rounds += (uint32_t)WEXITSTATUS(status);
	}
	assert_int_equal(rounds, LEDGER_TOKENS / TOKENS);
	assert_int_equal(ledger_open(&l, "abc", NULL), 0);
	assert_int_equal(l.rounds, rounds);
	assert_int_equal(l.tokens, rounds * TOKENS);
	ledger_close(&l);
}

static void test_ledger__every_failing_call_leaves_old_or_new(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	fresh();
	do {
		struct err e = ERR_INIT;
		struct ledger l;
		int opened, took = -1;

		unlink(state_file("abc.json"));
		fault_at(++n);
		opened = ledger_open(&l, "abc", &e);
		if (!opened)
			took = ledger_take(&l, 10, &e);
		met = fault_met();
		fault_off();
		if (opened || took) {
			assert_true(e.msg[0]);
			assert_int_equal(l.rounds, 0);
		}
		ledger_close(&l);
		assert_int_equal(ledger_open(&l, "abc", NULL), 0);
		/* what was refused may stand in the file (a sync of the folder failed), what was granted must */
		assert_true(took == 0 ? l.rounds == 1 : l.rounds <= 1);
		ledger_close(&l);
		assert_true(test_entries(state_file(".")) <=
			    2); /* no temporary file stays */
	} while (met);
	assert_true(n > 10);
}

static void test_ledger__restart_fails_without_a_change_or_succeeds(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	fresh();
	do {
		struct err e = ERR_INIT;
		struct ledger l;

		assert_int_equal(ledger_open(&l, "abc", NULL), 0);
		if (l.rounds == 0)
			assert_int_equal(ledger_take(&l, 10, NULL), 0);
		fault_at(++n);
		int ret = ledger_restart(&l, &e);
		met = fault_met();
		fault_off();
		assert_int_equal(l.rounds, ret ? 1 : 0);
		assert_true(!ret == !e.msg[0]);
		ledger_close(&l);
	} while (met);
	struct ledger none = {0};
	assert_int_equal(ledger_restart(&none, NULL), HF_EUSAGE);
}

static void age(const char *name, int days)
{
	struct utimbuf t;

	t.actime = t.modtime = (time_t)(clock_now() / 1000) - days * 24 * 60 * 60;
	assert_int_equal(utime(state_file(name), &t), 0);
}

static void test_ledger__old_ones_go_when_another_is_opened(void **state)
{
	struct ledger l;

	(void)state;
	fresh();
	assert_int_equal(ledger_open(&l, "old", NULL), 0);
	assert_int_equal(ledger_take(&l, 1, NULL), 0);
	ledger_close(&l);
	assert_int_equal(ledger_open(&l, "young", NULL), 0);
	assert_int_equal(ledger_take(&l, 1, NULL), 0);
	ledger_close(&l);
	test_write(state_file("note.txt"), STR("x"));
	age("old.json", 31);
	age("note.txt", 31);
	age("young.json", 29);
	assert_int_equal(ledger_open(&l, "old", NULL),
			 0); /* its own age does not matter */
	assert_int_equal(l.rounds, 1);
	ledger_close(&l);
	assert_int_equal(ledger_open(&l, "third", NULL), 0);
	ledger_close(&l);
	assert_false(test_exists(state_file("old.json")));
	assert_true(test_exists(state_file("young.json")));
	assert_true(test_exists(state_file("note.txt")));
}

static void test_ledger__without_a_home_there_is_a_clear_message(void **state)
{
	struct err e = ERR_INIT;
	struct ledger l;

	(void)state;
	fresh();
	unsetenv("HOME");
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(ledger_open(&l, "abc", &e), HF_ENOTFOUND);
	assert_string_equal(e.msg, "no state folder: set HOME or XDG_STATE_HOME");
	ledger_close(&l);
	fresh();
}

static void test_ledger__tokens_are_bytes_by_four_and_wide_characters(void **state)
{
	static const struct {
		const char *text;
		uint64_t tokens;
	} table[] = {
		{"", 0},
		{"a", 1},
		{"abcd", 1},
		{"abcde", 2},
		{"\xc3\xa9\xc3\xa9", 1},
		{"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 3},
		{"ab\xe6\x97\xa5", 2},
		{"\xf0\x9f\x98\x80", 1},
		{"\xed\x95\x9c\xea\xb8\x80", 2},
		{"\xff\xfe\xfd\xfc", 1},
		{"\xe2\x86\x92\xe2\x86\x92\xe2\x86\x92\xe2\x86\x92", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_int_equal(ledger_tokens(str_of(table[i].text)), table[i].tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ledger__a_new_one_starts_at_zero),
		cmocka_unit_test(test_ledger__takes_are_kept_across_opens),
		cmocka_unit_test(
			test_ledger__refuses_what_exceeds_the_tokens_and_says_what_is_left),
		cmocka_unit_test(test_ledger__refuses_the_eleventh_round),
		cmocka_unit_test(test_ledger__ids_are_never_paths),
		cmocka_unit_test(test_ledger__a_damaged_file_is_refused_until_restarted),
		cmocka_unit_test(test_ledger__processes_never_exceed_the_budget_together),
		cmocka_unit_test(test_ledger__every_failing_call_leaves_old_or_new),
		cmocka_unit_test(test_ledger__restart_fails_without_a_change_or_succeeds),
		cmocka_unit_test(test_ledger__old_ones_go_when_another_is_opened),
		cmocka_unit_test(test_ledger__without_a_home_there_is_a_clear_message),
		cmocka_unit_test(
			test_ledger__tokens_are_bytes_by_four_and_wide_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
