#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "data/journal.h"
#include "work/recall.h"
#include "work/running.h"
#include "work/sessionnote.h"

#define NOW    "2026-02-01T10:00:00Z"
#define NOTE   "s_20260103T084640_7c1e42"
#define A_ID   "7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47"
#define MINUTE (60 * INT64_C(1000000))
#define HOUR   (60 * MINUTE)

static struct vault vault;
static struct recall recall;

static int setup(void **state)
{
	(void)state;
	test_dir();
	setenv("HANDOFF_NOW", NOW, 1);
	/* its newest event is of 9:45 */
	test_write("vault/p/sessions/s_note.md",
		   STR("- **[next_step]** (imp:3 \xc2\xb7 2026-01-31T21:59:00+00:00) a "
		       "<!-- id=ev_1 -->\n"
		       "- **[file]** (imp:3 \xc2\xb7 2026-02-01T09:45:00+00:00) b "
		       "<!-- id=ev_2 -->\n"
		       "- **[file]** (imp:3 \xc2\xb7 2026-02-01T09:44:00+00:00) c "
		       "<!-- id=ev_3 -->\n"));
	return vault_open(&vault, test_path("vault"), NULL) ||
	       recall_open(&recall, &vault, &(struct recall_options){.project = STR("p")},
			   NULL);
}

static int teardown(void **state)
{
	(void)state;
	recall_release(&recall);
	vault_release(&vault);
	return 0;
}

static int64_t ago(int64_t us)
{
	return clock_now_us() - us;
}

/* Of a note that is not in the index, unless `file` is. */
static bool has(struct index_item it, const char *note)
{
	struct running r;
	bool yes;

	it.session = str_of(note);
	running_init(&r, test_path("state"), recall.index);
	yes = running_item(&it, &r);
	running_release(&r);
	return yes;
}

static void journal(int64_t pid, enum journal_state state)
{
	struct journal *j = journal_open(test_path("state"), STR(A_ID), NULL);

	journal_process_of(&j->process, pid);
	j->state = state;
	j->started_at = INT64_C(1767430000000);
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
}

static void record(const char *text)
{
	test_write("state/running/" NOTE, str_of(text));
}

/* A record of another process on this machine. */
static void record_of(const char *kind, int64_t pid)
{
	struct journal_process p;
	char line[512];

	journal_process_of(&p, pid);
	snprintf(line, sizeof line, "%s %lld %llu %s %llu %s\n", kind, (long long)pid,
		 (unsigned long long)p.start, p.boot, (unsigned long long)p.pidns,
		 p.host);
	record(line);
}

static void
test_running__a_session_of_the_journal_runs_while_its_client_lives(void **state)
{
	const struct index_item old = {.at_us = ago(100 * HOUR), .done = true};

	(void)state;
	journal(getpid(), JOURNAL_OPEN);
	assert_true(has(old, NOTE));
	assert_true(has(old, NOTE "-2"));
	assert_false(has(old, "s_20260103T084640_7c1e43"));
	journal(0x3ffffff, JOURNAL_OPEN);
	assert_false(has(old, NOTE));
}

static void test_running__a_session_that_the_journal_closed_is_over_at_once(void **state)
{
	const struct index_item fresh = {.at_us = ago(MINUTE)};

	(void)state;
	journal(getpid(), JOURNAL_ENDED);
	running_record(test_path("state"), NOTE, RUNNING_SESSION);
	assert_false(has(fresh, NOTE));
	assert_false(has(fresh, NOTE "-3"));
}

static void
test_running__a_process_keeps_its_session_running_until_it_is_done(void **state)
{
	struct index_item old = {.at_us = ago(100 * HOUR)};

	(void)state;
	running_record(test_path("state"), NOTE, RUNNING_PROCESS);
	assert_true(has(old, NOTE));
	assert_true(has(old, NOTE "-2"));
	old.done = true;
	assert_false(has(old, NOTE));
	old.done = false;
	old.origin = EVENT_DERIVED;
	assert_false(has(old, NOTE));
	record_of("process", 0x3ffffff);
	old = (struct index_item){.at_us = ago(MINUTE)};
	assert_false(has(old, NOTE));
}

static void test_running__a_terminal_is_over_when_nothing_came_for_long(void **state)
{
	(void)state;
	record_of("terminal", getpid());
	assert_true(has((struct index_item){.at_us = ago(11 * HOUR)}, NOTE));
	assert_false(has((struct index_item){.at_us = ago(13 * HOUR)}, NOTE));
	/* the newest event of the note counts, not the step's own time */
	assert_true(has((struct index_item){.at_us = ago(13 * HOUR), .file = 1}, NOTE));
	record_of("terminal", 0x3ffffff);
	assert_false(has((struct index_item){.at_us = ago(MINUTE)}, NOTE));
}

static void test_running__a_note_of_unknown_writers_runs_while_it_is_young(void **state)
{
	struct index_item it = {.at_us = ago(29 * MINUTE)};

	(void)state;
	assert_true(has(it, NOTE));
	assert_true(has(it, "any name at all"));
	it.done = true;
	assert_false(has(it, NOTE));
	it = (struct index_item){.at_us = ago(29 * MINUTE), .origin = EVENT_DERIVED};
	assert_false(has(it, NOTE));
	it = (struct index_item){.at_us = ago(31 * MINUTE)};
	assert_false(has(it, NOTE));
	it.file = 1;
	assert_true(has(it, NOTE));
}

static void test_running__a_record_of_elsewhere_or_damaged_says_nothing(void **state)
{
	static const char *const BAD[] = {"",
					  "process",
					  "process 1 2 b 3",
					  "process x 2 b 3 h\n",
					  "other\n",
					  "process 1 2 b 3 host\n"};
	const struct index_item fresh = {.at_us = ago(MINUTE)},
				old = {.at_us = ago(HOUR)};

	(void)state;
	for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
		record(BAD[i]);
		assert_true(has(fresh, NOTE));
		assert_false(has(old, NOTE));
	}
}

static void test_running__an_id_is_never_a_path(void **state)
{
	(void)state;
	test_write("state/x", STR("session\n"));
	assert_true(has((struct index_item){.at_us = ago(MINUTE)}, "../x"));
	running_record(test_path("state"), "s_/../../y", RUNNING_SESSION);
	assert_false(test_exists("state/y"));
	running_forget(test_path("state"), STR("s_/../../x.md"));
	assert_true(test_exists("state/x"));
}

static void test_running__records_go_with_their_note_or_when_they_are_old(void **state)
{
	(void)state;
	running_record(test_path("state"), NOTE, RUNNING_NOBODY);
	assert_false(test_exists("state/running"));
	running_record(test_path("state"), NOTE, RUNNING_TERMINAL);
	running_forget(test_path("state"), STR(NOTE ".md"));
	assert_int_equal(test_entries("state/running"), 0);
	running_record(test_path("state"), "s_session", RUNNING_SESSION);
	running_record(test_path("state"), "s_lives", RUNNING_PROCESS);
	record_of("process", 0x3ffffff);
	assert_int_equal(test_entries("state/running"), 3);
	/* the files are of today: two days on they are old */
	unsetenv("HANDOFF_NOW");
	{
		char iso[CLOCK_ISO_BYTES];

		clock_iso_s(iso, clock_now() + 48 * HOUR / 1000);
		setenv("HANDOFF_NOW", iso, 1);
	}
	running_record(test_path("state"), "s_new", RUNNING_SESSION);
	assert_int_equal(test_entries("state/running"), 2);
	assert_true(test_exists("state/running/s_lives"));
}

static void test_running__a_failing_record_is_whole_or_none(void **state)
{
	int n = 0;
	bool met;

	(void)state;
	do {
		running_forget(test_path("state"), STR(NOTE));
		fault_at(++n);
		running_record(test_path("state"), NOTE, RUNNING_SESSION);
		met = fault_met();
		fault_off();
		assert_true(!test_exists("state/running/" NOTE) ||
			    str_eq(test_read("state/running/" NOTE), STR("session\n")));
	} while (met);
	assert_true(test_exists("state/running/" NOTE));
}

static void test_running__what_cannot_be_read_is_not_known(void **state)
{
	int n = 0;
	bool met;

	(void)state;
	running_record(test_path("state"), NOTE, RUNNING_PROCESS);
	do {
		fault_at(++n);
		has((struct index_item){.at_us = ago(HOUR)}, NOTE);
		met = fault_met();
		fault_off();
	} while (met);
	assert_true(has((struct index_item){.at_us = ago(HOUR)}, NOTE));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_running__a_session_of_the_journal_runs_while_its_client_lives),
		T(test_running__a_session_that_the_journal_closed_is_over_at_once),
		T(test_running__a_process_keeps_its_session_running_until_it_is_done),
		T(test_running__a_terminal_is_over_when_nothing_came_for_long),
		T(test_running__a_note_of_unknown_writers_runs_while_it_is_young),
		T(test_running__a_record_of_elsewhere_or_damaged_says_nothing),
		T(test_running__an_id_is_never_a_path),
		T(test_running__records_go_with_their_note_or_when_they_are_old),
		T(test_running__a_failing_record_is_whole_or_none),
		T(test_running__what_cannot_be_read_is_not_known),
	};

	return cmocka_run_group_tests_name("running", tests, NULL, NULL);
}
