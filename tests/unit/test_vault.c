#include "fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fs.h"
#include "data/vault.h"

static struct vault open_vault(void)
{
	struct vault v;

	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	assert_int_equal(vault_open(&v, NULL, NULL), 0);
	return v;
}

static void test_vault__opening_creates_nothing(void **state)
{
	struct vault v = open_vault();

	(void)state;
	assert_false(vault_exists(&v));
	assert_false(test_exists("vault"));
	vault_release(&v);
}

static void test_vault__without_a_place_or_with_a_file_there_it_says_so(void **state)
{
	struct vault v;
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	unsetenv("HANDOFF_VAULT");
	unsetenv("HOME");
	assert_int_equal(vault_open(&v, NULL, &e), HF_ENOTFOUND);
	assert_string_equal(e.msg, "no place for the vault: set HANDOFF_VAULT or HOME");
	test_write("file", STR("x"));
	e = ERR_INIT;
	assert_int_equal(vault_open(&v, test_path("file"), &e), HF_EFORMAT);
	assert_non_null(strstr(e.msg, "the vault must be a folder"));
}

static void test_vault__a_note_is_written_read_appended_moved_and_removed(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(VAULT_NOTE_MAX);
	struct stat st;

	(void)state;
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	assert_int_equal(vault_write(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"),
				     STR("one\n"), NULL),
			 0);
	assert_true(test_is("vault/p/handoffs/a.md", "one\n"));
	assert_int_equal(stat(test_path("vault/p/handoffs/a.md"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(test_path("vault/p/handoffs"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(
		vault_append(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"), STR("two"), NULL),
		0);
	assert_int_equal(vault_read(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"), &b, NULL),
			 0);
	assert_string_equal(buf_cstr(&b), "one\ntwo\n");
	assert_int_equal(vault_move(&v, STR("p"), VAULT_HANDOFFS, VAULT_ARCHIVE,
				    STR("a.md"), NULL),
			 0);
	assert_false(test_exists("vault/p/handoffs/a.md"));
	assert_true(test_is("vault/p/archive/a.md", "one\ntwo\n"));
	assert_int_equal(vault_remove(&v, VAULT_ARCHIVE, STR("p"), STR("a.md"), NULL), 0);
	assert_int_equal(vault_remove(&v, VAULT_ARCHIVE, STR("p"), STR("a.md"), NULL),
			 HF_ENOTFOUND);
	assert_int_equal(vault_move(&v, STR("p"), VAULT_HANDOFFS, VAULT_ARCHIVE,
				    STR("a.md"), NULL),
			 HF_ENOTFOUND);
	assert_int_equal(test_entries("vault/.index.db.handoff.tmp"), 0);
	buf_release(&b);
	vault_release(&v);
}

static void test_vault__an_appended_line_is_one_line(void **state)
{
	struct vault v = open_vault();
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	assert_int_equal(
		vault_append(&v, VAULT_SESSIONS, STR("p"), STR("s.md"), STR("a\nb"), &e),
		HF_ELIMIT);
	assert_false(test_exists("vault/p/sessions/s.md"));
	vault_release(&v);
}

static void test_vault__names_are_no_paths_and_links_are_not_followed(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(4096);
	struct err e = ERR_INIT;

	(void)state;
	assert_false(vault_path(&v, VAULT_HANDOFFS, STR(".."), STR("x"), &b));
	assert_false(vault_path(&v, VAULT_HANDOFFS, STR("p"), STR("../x"), &b));
	assert_false(vault_path(&v, VAULT_HANDOFFS, STR("p"), STR("a/b"), &b));
	assert_int_equal(b.n, 0);
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	assert_int_equal(
		vault_write(&v, VAULT_HANDOFFS, STR("p"), STR("../x"), STR("t"), &e),
		HF_EUSAGE);
	test_write("outside/handoffs/a.md", STR("secret"));
	assert_int_equal(symlink(test_path("outside"), test_path("vault/link")), 0);
	e = ERR_INIT;
	assert_int_equal(vault_read(&v, VAULT_HANDOFFS, STR("link"), STR("a.md"), &b, &e),
			 HF_EFORMAT);
	assert_non_null(strstr(e.msg, "symbolic link"));
	assert_int_equal(
		vault_write(&v, VAULT_HANDOFFS, STR("link"), STR("a.md"), STR("t"), NULL),
		HF_EFORMAT);
	assert_true(test_is("outside/handoffs/a.md", "secret"));
	assert_int_equal(fs_mkdirs(test_path("vault/p/handoffs"), 0700, NULL), 0);
	assert_int_equal(symlink(test_path("outside/handoffs/a.md"),
				 test_path("vault/p/handoffs/a.md")),
			 0);
	assert_int_equal(vault_read(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"), &b, NULL),
			 HF_EFORMAT);
	assert_int_equal(
		vault_append(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"), STR("t"), NULL),
		HF_EFORMAT);
	assert_int_equal(symlink(test_path("outside"), test_path("vault/p/entities")), 0);
	assert_int_equal(
		vault_write(&v, VAULT_ENTITIES, STR("p"), STR("a.md"), STR("t"), NULL),
		HF_EFORMAT);
	assert_true(test_is("outside/handoffs/a.md", "secret"));
	buf_release(&b);
	vault_release(&v);
}

static int count_names(const char *name, void *arg)
{
	struct buf *b = arg;

	buf_printf(b, "%s ", name);
	return 0;
}

static int stop_at_once(const char *name, void *arg)
{
	(void)name;
	(void)arg;
	return 7;
}

static void test_vault__lists_notes_and_projects_in_order(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_int_equal(
		vault_each(&v, VAULT_HANDOFFS, STR("p"), ".md", count_names, &b, NULL),
		0);
	assert_int_equal(vault_projects(&v, count_names, &b, NULL), 0);
	assert_int_equal(b.n, 0);
	test_write("vault/p/handoffs/b.md", STR(""));
	test_write("vault/p/handoffs/a.md", STR(""));
	test_write("vault/p/handoffs/a.txt", STR(""));
	test_write("vault/p/handoffs/.hidden.md", STR(""));
	test_write("vault/q q/sessions/s.md", STR(""));
	test_write("vault/file.md", STR(""));
	test_write("vault/.obsidian/x", STR(""));
	assert_int_equal(fs_mkdirs(test_path("vault/p/handoffs/dir.md"), 0700, NULL), 0);
	assert_int_equal(
		vault_each(&v, VAULT_HANDOFFS, STR("p"), ".md", count_names, &b, NULL),
		0);
	assert_string_equal(buf_cstr(&b), "a.md b.md ");
	buf_reset(&b);
	assert_int_equal(vault_projects(&v, count_names, &b, NULL), 0);
	assert_string_equal(buf_cstr(&b), "p q q ");
	assert_int_equal(vault_projects(&v, stop_at_once, &b, NULL), 7);
	buf_release(&b);
	vault_release(&v);
}

static void test_vault__one_writer_at_a_time(void **state)
{
	struct vault v = open_vault(), w;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(vault_open(&w, NULL, NULL), 0);
	assert_int_equal(vault_lock(&v, 0, NULL), 0);
	assert_int_equal(vault_lock(&w, 0, &e), HF_ETIME);
	vault_unlock(&v);
	assert_int_equal(vault_lock(&w, 0, NULL), 0);
	vault_release(&v);
	vault_release(&w);
}

static void test_vault__every_failing_call_leaves_old_or_new(void **state)
{
	struct vault v = open_vault();
	bool met;
	int n = 0;

	(void)state;
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	assert_int_equal(
		vault_write(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"), STR("old"), NULL),
		0);
	do {
		struct err e = ERR_INIT;
		int ret;

		fault_at(++n);
		ret = vault_write(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"), STR("new"),
				  &e);
		met = fault_met();
		fault_off();
		assert_true(test_is("vault/p/handoffs/a.md", "old") ||
			    test_is("vault/p/handoffs/a.md", "new"));
		if (!ret)
			assert_true(test_is("vault/p/handoffs/a.md", "new"));
		else
			assert_true(e.msg[0] != '\0');
		assert_int_equal(test_entries("vault/.index.db.handoff.tmp"), 0);
		assert_int_equal(vault_write(&v, VAULT_HANDOFFS, STR("p"), STR("a.md"),
					     STR("old"), NULL),
				 0);
	} while (met);
	assert_true(n > 8);
	vault_release(&v);
}

static void test_vault__every_failing_call_of_a_move_keeps_the_note(void **state)
{
	struct vault v = open_vault();
	bool met;
	int n = 0;

	(void)state;
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	do {
		test_write("vault/p/handoffs/a.md", STR("text"));
		unlink(test_path("vault/p/archive/a.md"));
		fault_at(++n);
		vault_move(&v, STR("p"), VAULT_HANDOFFS, VAULT_ARCHIVE, STR("a.md"),
			   NULL);
		met = fault_met();
		fault_off();
		assert_true(test_exists("vault/p/handoffs/a.md") !=
			    test_exists("vault/p/archive/a.md"));
	} while (met);
	vault_release(&v);
}

/* ---- adding lines ---- */

#define NOTE "vault/p/sessions/s.md"

static int add(struct vault *v, const char *text, struct err *e)
{
	int ret = vault_lock(v, 100, e);

	return ret ? ret
		   : vault_add(v, VAULT_SESSIONS, STR("p"), STR("s.md"), STR("head\n"),
			       str_of(text), e);
}

static void test_vault__a_note_is_made_with_its_head_and_then_added_to(void **state)
{
	struct vault v = open_vault();
	struct stat st;

	(void)state;
	assert_int_equal(add(&v, "one\n", NULL), 0);
	assert_int_equal(v.lock, -1);
	assert_true(test_is(NOTE, "head\none\n"));
	assert_int_equal(stat(test_path(NOTE), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(add(&v, "two\nthree\n", NULL), 0);
	assert_true(test_is(NOTE, "head\none\ntwo\nthree\n"));
	assert_int_equal(test_entries("vault/.index.db.handoff.tmp"), 0);
	vault_release(&v);
}

static void test_vault__a_torn_last_line_is_ended_before_the_next(void **state)
{
	struct vault v = open_vault();
	struct err e = ERR_INIT;

	(void)state;
	test_write(NOTE, STR("head\nhalf a li"));
	assert_int_equal(add(&v, "one\n", NULL), 0);
	assert_true(test_is(NOTE, "head\nhalf a li\none\n"));
	test_write(NOTE, STR(""));
	assert_int_equal(add(&v, "one\n", NULL), 0);
	assert_true(test_is(NOTE, "one\n"));
	assert_int_equal(add(&v, "no end", &e), HF_ELIMIT);
	assert_int_equal(v.lock, -1);
	assert_true(test_is(NOTE, "one\n"));
	vault_release(&v);
}

/* The disk is waited for: does anybody else get the lock? And what another program does now. */
static int locked_meanwhile, replaced;
static const char *replacement;

static int sync_looking(int fd)
{
	struct vault other;

	if (vault_open(&other, NULL, NULL) || vault_lock(&other, 0, NULL))
		locked_meanwhile++;
	vault_release(&other);
	if (replaced > 0) {
		replaced--;
		test_write("new", str_of(replacement));
		rename(test_path("new"), test_path(NOTE));
	}
	return fdatasync(fd);
}

static void test_vault__the_lock_is_free_while_the_disk_works(void **state)
{
	struct vault v = open_vault();

	(void)state;
	locked_meanwhile = 0;
	io.fdatasync = sync_looking;
	assert_int_equal(add(&v, "one\n", NULL), 0);
	assert_int_equal(add(&v, "two\n", NULL), 0);
	io_real();
	assert_int_equal(locked_meanwhile, 0);
	vault_release(&v);
}

static void test_vault__what_a_replacement_lost_is_added_again_and_only_that(void **state)
{
	struct vault v = open_vault();
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(add(&v, "one\n", NULL), 0);
	io.fdatasync = sync_looking;
	/* read before our line: lost, and added again */
	replaced = 1;
	replacement = "rewritten\none\n";
	assert_int_equal(add(&v, "two\n", NULL), 0);
	assert_true(test_is(NOTE, "rewritten\none\ntwo\n"));
	/* read after it: it is there */
	replaced = 1;
	replacement = "rewritten\none\ntwo\nthree\n";
	assert_int_equal(add(&v, "three\n", NULL), 0);
	assert_true(test_is(NOTE, "rewritten\none\ntwo\nthree\n"));
	replaced = 1000; /* and it ends */
	replacement = "rewritten\n";
	assert_int_equal(add(&v, "four\n", &e), HF_EIO);
	assert_non_null(strstr(e.msg, "replaced again and again"));
	assert_int_equal(v.lock, -1);
	replaced = 0;
	io_real();
	vault_release(&v);
}

static void test_vault__every_failing_call_of_an_addition_leaves_whole_lines(void **state)
{
	struct vault v = open_vault();

	(void)state;
	for (int made = 0; made < 2; made++) {
		const char *old = "head\none\n", *both = "head\none\ntwo\n";
		int n = 0, ret;
		bool met;

		if (made)
			both = "head\ntwo\n";
		do {
			struct err e = ERR_INIT;

			unlink(test_path(NOTE));
			if (!made)
				test_write(NOTE, str_of(old));
			fault_at(++n);
			ret = add(&v, "two\n", &e);
			met = fault_met();
			fault_off();
			assert_int_equal(v.lock, -1);
			assert_true(test_is(NOTE, both) ||
				    (ret &&
				     (made ? !test_exists(NOTE) : test_is(NOTE, old))));
			assert_true(!ret || e.msg[0]);
		} while (met);
		assert_int_equal(ret, 0);
		assert_true(n > 10);
		assert_true(test_entries("vault/.index.db.handoff.tmp") <= 0);
	}
	vault_release(&v);
}

/* A disk that knows no case: a path that ends in auth.md leads to Auth.md. */
static char other_case[4096];

static const char *any_case(const char *path)
{
	size_t n = strlen(path);

	if (n < 7 || n >= sizeof other_case || strcmp(path + n - 7, "auth.md") != 0)
		return path;
	memcpy(other_case, path, n + 1);
	other_case[n - 7] = 'A';
	return other_case;
}

static int any_case_lstat(const char *path, struct stat *st)
{
	return lstat(any_case(path), st);
}

static int any_case_open(const char *path, int flags, mode_t mode)
{
	return open(any_case(path), flags, mode);
}

static void entity_is(struct vault *v, const char *name, const char *want)
{
	struct buf b = BUF_INIT(4096);

	assert_int_equal(vault_entity(v, STR("p"), str_of(name), &b, NULL), 0);
	assert_true(str_starts(buf_str(&b), str_of(want)));
	assert_true(str_ends(buf_str(&b), STR(".md")));
	buf_release(&b);
}

static void
test_vault__entities_whose_files_the_disk_mixes_up_are_kept_apart(void **state)
{
	struct vault v = open_vault();
	struct buf b = BUF_INIT(64);

	(void)state;
	entity_is(&v, "auth", "auth.md");
	test_write("vault/p/entities/Auth.md", STR("# Auth\n\n"));
	entity_is(&v, "Auth", "Auth.md");
	entity_is(&v, "auth", "auth.md");
	io.lstat = any_case_lstat;
	io.open = any_case_open;
	entity_is(&v, "auth", "auth-");
	entity_is(&v, "Auth", "Auth.md");
	/* the same note under another spelling of its name */
	test_write("vault/p/entities/Auth.md", STR("# auth\n\n"));
	entity_is(&v, "auth", "auth.md");
	io_real();
	assert_int_equal(vault_entity(&v, STR(".."), STR("x"), &b, NULL), HF_EUSAGE);
	vault_release(&v);
}

static int name_project(const char *name, void *arg)
{
	buf_printf(arg, "%s ", name);
	return 0;
}

static void test_vault__what_it_keeps_beside_the_projects_is_none(void **state)
{
	static const char *const taken[] = {"_records", "_packets", ".git", "_Packets",
					    ".index.db.handoff.tmp"};
	struct vault v = open_vault();
	struct buf b = BUF_INIT(4096);

	(void)state;
	test_write("vault/p/sessions/a.md", STR("x"));
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		buf_reset(&b);
		buf_printf(&b, "vault/%s/sessions/a.md", taken[i]);
		test_write(buf_cstr(&b), STR("stray"));
		assert_int_equal(vault_write(&v, VAULT_SESSIONS, str_of(taken[i]),
					     STR("b.md"), STR("x"), NULL),
				 HF_EUSAGE);
		assert_int_equal(vault_read(&v, VAULT_SESSIONS, str_of(taken[i]),
					    STR("a.md"), &b, NULL),
				 HF_EUSAGE);
	}
	vault_unlock(&v);
	buf_reset(&b);
	assert_int_equal(vault_projects(&v, name_project, &b, NULL), 0);
	assert_str(buf_str(&b), STR("p "));
	vault_release(&v);
	buf_release(&b);
}

static void test_vault__what_a_killed_writer_left_goes_with_a_later_write(void **state)
{
	static const char left[] =
		"vault/.index.db.handoff.tmp/.handoff-0123456789abcdef",
			  young[] =
				  "vault/.index.db.handoff.tmp/.handoff-0123456789abcde0";
	struct timeval old[2] = {{1000000000, 0}, {1000000000, 0}};
	struct vault v = open_vault();

	(void)state;
	for (int i = 0; i < 2; i++) {
		test_write(left, STR("a whole note"));
		test_write(young, STR("another"));
		assert_int_equal(utimes(test_path(left), old), 0);
		assert_int_equal(vault_lock(&v, 100, NULL), 0);
		if (i)
			assert_int_equal(vault_write(&v, VAULT_HANDOFFS, STR("p"),
						     STR("a.md"), STR("one\n"), NULL),
					 0);
		else
			assert_int_equal(vault_add(&v, VAULT_SESSIONS, STR("p"),
						   STR("a.md"), STR("head\n"),
						   STR("one\n"), NULL),
					 0);
		vault_unlock(&v);
		assert_false(test_exists(left));
		assert_true(test_exists(young));
	}
	test_write("vault/p/entities/.handoff-0123456789abcdef", STR("# A"));
	assert_int_equal(vault_lock(&v, 100, NULL), 0);
	vault_sweep(&v, STR("p"));
	vault_unlock(&v);
	assert_false(test_exists(young));
	assert_int_equal(test_entries("vault/p/entities"), 0);
	vault_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_vault__what_a_killed_writer_left_goes_with_a_later_write),
		cmocka_unit_test(test_vault__opening_creates_nothing),
		cmocka_unit_test(
			test_vault__without_a_place_or_with_a_file_there_it_says_so),
		cmocka_unit_test(
			test_vault__a_note_is_written_read_appended_moved_and_removed),
		cmocka_unit_test(test_vault__an_appended_line_is_one_line),
		cmocka_unit_test(
			test_vault__names_are_no_paths_and_links_are_not_followed),
		cmocka_unit_test(test_vault__what_it_keeps_beside_the_projects_is_none),
		cmocka_unit_test(test_vault__lists_notes_and_projects_in_order),
		cmocka_unit_test(test_vault__one_writer_at_a_time),
		cmocka_unit_test(test_vault__every_failing_call_leaves_old_or_new),
		cmocka_unit_test(test_vault__every_failing_call_of_a_move_keeps_the_note),
		cmocka_unit_test(
			test_vault__a_note_is_made_with_its_head_and_then_added_to),
		cmocka_unit_test(test_vault__a_torn_last_line_is_ended_before_the_next),
		cmocka_unit_test(test_vault__the_lock_is_free_while_the_disk_works),
		cmocka_unit_test(
			test_vault__what_a_replacement_lost_is_added_again_and_only_that),
		cmocka_unit_test(
			test_vault__entities_whose_files_the_disk_mixes_up_are_kept_apart),
		cmocka_unit_test(
			test_vault__every_failing_call_of_an_addition_leaves_whole_lines),
	};

	return cmocka_run_group_tests_name("vault", tests, NULL, NULL);
}
