#include "fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "data/journal.h"

#define ID "11111111-2222-4333-8444-555555555555"

static struct journal *fill(const char *id)
{
	struct journal *j = journal_open(test_path("state"), str_of(id), NULL);

	assert_non_null(j);
	j->state = JOURNAL_ENDED;
	journal_process_of(&j->process, getpid());
	journal_set(&j->transcript, STR("/home/dev/.claude/projects/-x/" ID ".jsonl"));
	journal_set(&j->dir, STR("/home/dev/\xe6\x97\xa5\xe6\x9c\xac \"q\""));
	journal_set(&j->source, STR("startup"));
	journal_set(&j->last_message, STR("two\nlines\t\x01"));
	journal_list_add(j->offered, STR("a.md"));
	journal_list_add(j->offered, STR("b.md"));
	journal_list_add(j->offered, STR("a.md"));
	j->started_at = 1752576000123;
	j->said_at = 1752576000456;
	j->offset = 4096;
	j->records = 12;
	j->ino = 99;
	j->worked = true;
	return j;
}

static void test_journal__what_is_saved_comes_back(void **state)
{
	struct journal *j, *k;

	(void)state;
	test_dir();
	j = fill(ID);
	assert_true(j->is_new);
	assert_int_equal(journal_save(j, NULL), 0);
	k = journal_open(test_path("state"), STR(ID), NULL);
	assert_false(k->is_new);
	assert_int_equal(k->state, JOURNAL_ENDED);
	assert_string_equal(k->dir, j->dir);
	assert_string_equal(k->last_message, j->last_message);
	assert_string_equal(k->source, "startup");
	assert_null(k->reason);
	assert_string_equal(k->offered[0], "b.md");
	assert_string_equal(k->offered[1], "a.md");
	assert_null(k->offered[2]);
	assert_int_equal(k->started_at, 1752576000123);
	assert_int_equal(k->said_at, 1752576000456);
	assert_true(k->ended_at == CLOCK_NONE);
	assert_int_equal(k->offset, 4096);
	assert_true(k->worked);
	assert_false(k->manual);
	assert_memory_equal(&k->process, &j->process, sizeof(k->process));
	journal_free(j);
	journal_free(k);
}

static void test_journal__ids_are_no_paths(void **state)
{
	static const char *const BAD[] = {"",        ".",   "..",   ".x", "a/b",
					  "../../x", "a b", "\xff", "a\n"};
	char big[80];

	(void)state;
	test_dir();
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		struct err e = ERR_INIT;

		assert_null(journal_open(test_path("state"), str_of(BAD[i]), &e));
		assert_int_equal(e.code, HF_EUSAGE);
	}
	memset(big, 'a', sizeof(big));
	assert_false(journal_id_ok((str){big, 65}));
	assert_true(journal_id_ok((str){big, 64}));
}

static void test_journal__a_damaged_file_counts_as_none_at_every_cut(void **state)
{
	struct journal *j;
	char whole[JOURNAL_FILE_MAX];
	str text;

	(void)state;
	test_dir();
	j = fill(ID);
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	text = test_read("state/journal/" ID ".json");
	memcpy(whole, text.p, text.n);
	for (size_t n = 0; n + 1 < text.n; n++) { /* the last byte is a newline */
		test_write("state/journal/" ID ".json", (str){whole, n});
		j = journal_open(test_path("state"), STR(ID), NULL);
		assert_true(j->is_new);
		assert_int_equal(j->offset, 0);
		journal_free(j);
	}
}

static void test_journal__fields_of_the_wrong_type_are_left_out(void **state)
{
	struct journal *j;

	(void)state;
	test_dir();
	test_write(
		"state/journal/x.json",
		STR("{\"state\":7,\"dir\":[],\"offset\":\"a\",\"offered\":[1,\"ok\",null],\"process\":3,\"new\":{}}"));
	j = journal_open(test_path("state"), STR("x"), NULL);
	assert_false(j->is_new);
	assert_int_equal(j->state, JOURNAL_OPEN);
	assert_null(j->dir);
	assert_string_equal(j->offered[0], "ok");
	assert_null(j->offered[1]);
	journal_free(j);
}

static void test_journal__lists_keep_the_newest(void **state)
{
	char *list[JOURNAL_LIST_MAX] = {0};
	char name[16];

	(void)state;
	for (int i = 0; i < JOURNAL_LIST_MAX + 5; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		journal_list_add(list, str_of(name));
	}
	assert_true(journal_list_has(list, STR("n20")));
	assert_true(journal_list_has(list, STR("n5")));
	assert_false(journal_list_has(list, STR("n4")));
	journal_list_add(list, STR_NONE);
	assert_string_equal(list[0], "n20");
	journal_list_clear(list);
	assert_null(list[0]);
}

static int add_id(struct journal *j, void *arg)
{
	buf_printf(arg, "%s ", j->session);
	return 0;
}

static int stop(struct journal *j, void *arg)
{
	(void)j;
	(void)arg;
	return 5;
}

static void test_journal__each_session_is_met_and_foreign_files_are_not(void **state)
{
	struct buf b = BUF_INIT(1000);

	(void)state;
	test_dir();
	assert_int_equal(journal_each(test_path("state"), add_id, &b, NULL), 0);
	for (const char *id = "ab"; *id; id++) {
		char one[2] = {*id, '\0'};
		struct journal *j = fill(one);

		assert_int_equal(journal_save(j, NULL), 0);
		journal_free(j);
	}
	test_write("state/journal/c.txt", STR("{}"));
	test_write("state/journal/d.json", STR("not json"));
	test_write("state/journal/ e.json", STR("{}"));
	assert_int_equal(journal_each(test_path("state"), add_id, &b, NULL), 0);
	assert_string_equal(buf_cstr(&b), "a b ");
	assert_int_equal(journal_each(test_path("state"), stop, NULL, NULL), 5);
	buf_release(&b);
}

static void test_journal__removing_twice_is_fine(void **state)
{
	struct journal *j;

	(void)state;
	test_dir();
	j = fill(ID);
	assert_int_equal(journal_save(j, NULL), 0);
	assert_int_equal(journal_remove(j, NULL), 0);
	assert_int_equal(journal_remove(j, NULL), 0);
	assert_false(test_exists("state/journal/" ID ".json"));
	journal_free(j);
}

static void test_journal__a_retired_session_is_opened_but_not_listed(void **state)
{
	struct buf hot = BUF_INIT(1000), cold = BUF_INIT(1000);
	struct journal *j;

	(void)state;
	test_dir();
	j = fill(ID);
	assert_int_equal(journal_save(j, NULL), 0);
	assert_int_equal(journal_retire(j, NULL), 0);
	journal_free(j);
	assert_false(test_exists("state/journal/" ID ".json"));
	assert_true(test_exists("state/journal/done/" ID ".json"));
	assert_int_equal(journal_each(test_path("state"), add_id, &hot, NULL), 0);
	assert_int_equal(journal_each_done(test_path("state"), add_id, &cold, NULL), 0);
	assert_int_equal(hot.n, 0);
	assert_string_equal(buf_cstr(&cold), ID " ");
	j = journal_open(test_path("state"), STR(ID), NULL);
	assert_false(j->is_new);
	assert_true(j->done);
	assert_int_equal(j->offset, 4096);
	j->offset = 5000;
	assert_int_equal(journal_save(j, NULL), 0);
	assert_true(test_exists("state/journal/done/" ID ".json"));
	j->done = false;
	assert_int_equal(journal_save(j, NULL), 0);
	assert_true(test_exists("state/journal/" ID ".json"));
	assert_false(test_exists("state/journal/done/" ID ".json"));
	journal_free(j);
	j = journal_open(test_path("state"), STR(ID), NULL);
	assert_false(j->done);
	assert_int_equal(j->offset, 5000);
	journal_free(j);
	buf_release(&hot);
	buf_release(&cold);
}

static void test_journal__what_has_not_changed_is_not_written(void **state)
{
	struct journal *j;

	(void)state;
	test_dir();
	j = fill(ID);
	assert_int_equal(journal_save(j, NULL), 0);
	fault_at(1000);
	assert_int_equal(journal_save(j, NULL), 0);
	assert_int_equal(fault_calls(), 0);
	j->offset++;
	assert_int_equal(journal_save(j, NULL), 0);
	assert_true(fault_calls() > 0);
	fault_off();
	journal_free(j);
}

static void test_journal__retiring_never_loses_a_session(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	test_dir();
	do {
		struct journal *j = fill(ID);
		int ret;

		assert_int_equal(journal_save(j, NULL), 0);
		fault_at(++n);
		ret = journal_retire(j, NULL);
		met = fault_met();
		fault_off();
		journal_free(j);
		j = journal_open(test_path("state"), STR(ID), NULL);
		assert_false(j->is_new);
		if (!ret)
			assert_true(j->done);
		assert_int_equal(journal_remove(j, NULL), 0);
		journal_free(j);
		j = journal_open(test_path("state"), STR(ID), NULL);
		journal_remove(j, NULL);
		journal_free(j);
	} while (met);
	assert_true(n > 3);
}

static void test_journal__every_failing_call_leaves_old_or_new(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	test_dir();
	do {
		struct journal *j = fill(ID), *k;
		int ret;

		j->offset = 1;
		assert_int_equal(journal_save(j, NULL), 0);
		j->offset = 2;
		fault_at(++n);
		ret = journal_save(j, NULL);
		met = fault_met();
		fault_off();
		k = journal_open(test_path("state"), STR(ID), NULL);
		assert_true(k->offset == 1 || k->offset == 2);
		if (!ret)
			assert_int_equal(k->offset, 2);
		assert_int_equal(test_entries("state/journal"), 1);
		journal_free(j);
		journal_free(k);
	} while (met);
	assert_true(n > 3);
}

static void test_journal__tells_a_living_process_from_a_dead_one(void **state)
{
	struct journal_process p;
	int status;
	pid_t child;

	(void)state;
	journal_process_of(&p, getpid());
	assert_true(p.start > 0);
	assert_true(p.boot[0] != '\0');
	assert_int_equal(journal_alive(&p), JOURNAL_ALIVE);
	p.start++;
	assert_int_equal(journal_alive(&p), JOURNAL_GONE);
	p.start--;
	p.boot[0] ^= 1;
	assert_int_equal(journal_alive(&p), JOURNAL_GONE);
	p.boot[0] ^= 1;
	p.host[0] ^= 1;
	assert_int_equal(journal_alive(&p), JOURNAL_UNKNOWN);
	p.host[0] ^= 1;
	p.pidns++;
	assert_int_equal(journal_alive(&p), JOURNAL_UNKNOWN);
	p.pid = 0;
	assert_int_equal(journal_alive(&p), JOURNAL_UNKNOWN);
	child = fork();
	if (child == 0)
		_exit(0);
	journal_process_of(&p, child);
	while (journal_alive(&p) == JOURNAL_ALIVE) /* ended, but not waited for */
		usleep(1000);
	assert_true(waitpid(child, &status, 0) == child);
	assert_int_equal(journal_alive(&p), JOURNAL_GONE);
}

/* An open session of this process, with its last event at that time. */
static void running(const char *session, int64_t at, enum journal_state state)
{
	struct journal *j = journal_open(test_path("state"), str_of(session), NULL);

	assert_non_null(j);
	journal_process_of(&j->process, getpid());
	j->state = state;
	j->last_event_at = at;
	journal_set(&j->vault, STR("/home/dev/vault"));
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
}

static void test_journal__the_session_of_a_process_is_its_open_one(void **state)
{
	struct journal *j;

	(void)state;
	test_dir();
	assert_null(journal_running(test_path("state"), getpid()));
	running("left", 30, JOURNAL_ENDED);
	assert_null(journal_running(test_path("state"), getpid()));
	running("older", 10, JOURNAL_OPEN);
	running("newer", 20, JOURNAL_OPEN);
	j = journal_running(test_path("state"), getpid());
	assert_non_null(j);
	assert_string_equal(j->session, "newer");
	assert_string_equal(j->vault, "/home/dev/vault");
	/* a process of that number that began at another time is another one */
	j->process.start++;
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	j = journal_running(test_path("state"), getpid());
	assert_string_equal(j->session, "older");
	journal_free(j);
	assert_null(journal_running(test_path("state"), getppid()));
	assert_null(journal_running("", getpid()));
	assert_null(journal_running(test_path("state"), 0));
}

#define HOUR 3600

/* Five retired sessions, "done-0" the newest; hour by hour older. */
static void retire_five(int64_t now_s)
{
	char id[24];

	test_dir();
	for (int i = 0; i < 5; i++) {
		struct timespec t[2] = {{.tv_sec = now_s - i * HOUR}, {0}};
		struct journal *j;

		t[1] = t[0];
		snprintf(id, sizeof(id), "done-%d", i);
		j = fill(id);
		assert_int_equal(journal_retire(j, NULL), 0);
		assert_int_equal(utimensat(AT_FDCWD, j->path, t, 0), 0);
		journal_free(j);
	}
	test_write("state/journal/done/notes.txt", STR("mine"));
}

static void add_gone(const char *session, void *arg)
{
	buf_printf(arg, "%s ", session);
}

static void test_journal__prunes_by_number_and_by_age_the_oldest_first(void **state)
{
	struct buf gone = BUF_INIT(1000);
	struct journal_limits o = {.keep = 10, .since = 0};

	(void)state;
	retire_five(1752576000);
	assert_int_equal(journal_prune(test_path("state"), &o, add_gone, &gone, NULL), 0);
	assert_int_equal(gone.n, 0);
	o.keep = 4;
	assert_int_equal(journal_prune(test_path("state"), &o, add_gone, &gone, NULL), 0);
	assert_string_equal(buf_cstr(&gone), "done-4 ");
	o.since = (int64_t)(1752576000 - HOUR) * 1000;
	assert_int_equal(journal_prune(test_path("state"), &o, add_gone, &gone, NULL), 0);
	assert_string_equal(buf_cstr(&gone), "done-4 done-3 done-2 ");
	assert_int_equal(test_entries("state/journal/done"), 3);
	assert_true(test_exists("state/journal/done/notes.txt"));
	assert_true(test_exists("state/journal/done/done-1.json"));
	buf_release(&gone);
}

static void test_journal__prunes_nothing_when_the_time_is_over(void **state)
{
	struct journal_limits o = {.keep = 1, .since = INT64_MAX, .deadline_ns = 1};

	(void)state;
	retire_five(1752576000);
	assert_int_equal(journal_prune(test_path("state"), &o, NULL, NULL, NULL), 0);
	assert_int_equal(test_entries("state/journal/done"), 6);
	o.deadline_ns = 0;
	assert_int_equal(journal_prune(test_path("none"), &o, NULL, NULL, NULL), 0);
	assert_int_equal(journal_prune(test_path("state"), &o, NULL, NULL, NULL), 0);
	assert_int_equal(test_entries("state/journal/done"), 1);
}

static void test_journal__a_failing_call_never_prunes_the_newest(void **state)
{
	struct journal_limits o = {.keep = 2, .since = 0};
	int n = 0;
	bool met;

	(void)state;
	do {
		retire_five(1752576000);
		fault_at(++n);
		journal_prune(test_path("state"), &o, NULL, NULL, NULL);
		met = fault_met();
		fault_off();
		assert_true(test_exists("state/journal/done/done-0.json"));
		assert_true(test_exists("state/journal/done/done-1.json"));
	} while (met);
	assert_int_equal(test_entries("state/journal/done"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_journal__what_is_saved_comes_back),
		cmocka_unit_test(test_journal__ids_are_no_paths),
		cmocka_unit_test(
			test_journal__a_damaged_file_counts_as_none_at_every_cut),
		cmocka_unit_test(test_journal__fields_of_the_wrong_type_are_left_out),
		cmocka_unit_test(test_journal__lists_keep_the_newest),
		cmocka_unit_test(
			test_journal__each_session_is_met_and_foreign_files_are_not),
		cmocka_unit_test(test_journal__removing_twice_is_fine),
		cmocka_unit_test(
			test_journal__a_retired_session_is_opened_but_not_listed),
		cmocka_unit_test(test_journal__what_has_not_changed_is_not_written),
		cmocka_unit_test(test_journal__retiring_never_loses_a_session),
		cmocka_unit_test(test_journal__every_failing_call_leaves_old_or_new),
		cmocka_unit_test(
			test_journal__prunes_by_number_and_by_age_the_oldest_first),
		cmocka_unit_test(test_journal__prunes_nothing_when_the_time_is_over),
		cmocka_unit_test(test_journal__a_failing_call_never_prunes_the_newest),
		cmocka_unit_test(test_journal__tells_a_living_process_from_a_dead_one),
		cmocka_unit_test(test_journal__the_session_of_a_process_is_its_open_one),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
