#include "fault.h"
#include "base/clock.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <sys/time.h>
#include <unistd.h>

/* reading */

static void test_fs__reads_a_file_behind_what_the_buf_holds(void **state)
{
	struct buf b = BUF_INIT(100);
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("f", STR("line\n\0end"));
	buf_add(&b, STR("> "));
	assert_int_equal(fs_read(test_path("f"), &b, &e), 0);
	assert_str(buf_str(&b), STR("> line\n\0end"));
	buf_release(&b);
}

static void test_fs__reads_up_to_the_limit_exactly(void **state)
{
	(void)state;
	test_dir();
	test_write("f", STR("12345678"));
	for (size_t max = 0; max < 12; max++) {
		struct buf b = BUF_INIT(max);
		struct err e = ERR_INIT;
		int ret = fs_read(test_path("f"), &b, &e);

		assert_int_equal(ret, max < 8 ? HF_ELIMIT : 0);
		assert_int_equal(b.n, max < 8 ? 0 : 8);
		assert_false(b.full);
		buf_release(&b);
	}
}

/* /proc says 0 bytes for files that have some: the limit holds all the same. */
static void test_fs__reads_files_whose_size_is_not_known(void **state)
{
	struct buf b = BUF_INIT(1 << 20), small = BUF_INIT(10);
	struct err e = ERR_INIT;

	(void)state;
	if (!fs_is_file("/proc/self/status"))
		skip();
	assert_int_equal(fs_read("/proc/self/status", &b, &e), 0);
	assert_true(b.n > 100);
	buf_add(&small, STR("ab"));
	assert_int_equal(fs_read("/proc/self/status", &small, &e), HF_ELIMIT);
	assert_str(buf_str(&small), STR("ab"));
	buf_release(&b);
	buf_release(&small);
}

static void test_fs__a_huge_sparse_file_is_refused_by_its_size(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("f", STR("x"));
	assert_int_equal(truncate(test_path("f"), INT64_C(8) << 30), 0);
	assert_int_equal(fs_read(test_path("f"), &b, &e), HF_ELIMIT);
	assert_null(b.p); /* nothing was even allocated */
	buf_release(&b);
}

static void test_fs__tells_a_missing_file_from_one_it_may_not_read(void **state)
{
	struct buf b = BUF_INIT(100);
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("f", STR("x"));
	assert_int_equal(fs_read(test_path("none"), &b, &e), HF_ENOTFOUND);
	assert_non_null(strstr(e.msg, "/none: No such file"));
	assert_int_equal(fs_read(test_path("f/below"), &b, NULL), HF_ENOTFOUND);
	e = ERR_INIT;
	fault_at(1);
	assert_int_equal(fs_read(test_path("f"), &b, &e), HF_EIO);
	fault_off();
	assert_true(str_ends(str_of(e.msg), STR("/f: Permission denied")));
}

static void test_fs__refuses_what_is_not_a_regular_file(void **state)
{
	const char *kinds[] = {test_dir(), test_path("fifo"), "/dev/zero",
			       test_path("link")};
	struct buf b = BUF_INIT(100);

	(void)state;
	assert_int_equal(mkfifo(kinds[1], 0600), 0);
	assert_int_equal(symlink(kinds[1], kinds[3]), 0);
	for (size_t i = 0; i < 4; i++) {
		struct err e = ERR_INIT;

		assert_int_equal(fs_open(kinds[i], NULL, &e), HF_EFORMAT);
		assert_true(str_ends(str_of(e.msg), STR(": not a regular file")));
		assert_int_equal(fs_read(kinds[i], &b, NULL), HF_EFORMAT);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fs_write_atomic(kinds[i], STR("x"), 0600, NULL),
				 HF_EFORMAT);
	assert_true(fs_append(kinds[0], STR("x"), NULL) < 0);
	assert_true(fs_append(kinds[1], STR("x"), NULL) < 0);
	assert_int_equal(fs_append("/dev/null", STR("x"), NULL), HF_EFORMAT);
	assert_int_equal(fs_lock("/dev/null", 0, NULL), HF_EFORMAT);
	buf_release(&b);
}

static void test_fs__open_gives_the_size_and_leaks_nothing_to_children(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	test_dir();
	test_write("f", STR("1234"));
	fd = fs_open(test_path("f"), &st, NULL);
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 4);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void test_fs__every_failing_read_leaves_the_buf_as_it_was(void **state)
{
	int n = 0, ret;
	bool met;

	(void)state;
	test_dir();
	test_write("f", STR("12345678"));
	do {
		struct buf b = BUF_INIT(100);
		struct err e = ERR_INIT;

		buf_add(&b, STR("> "));
		fault_short(3);
		fault_at(++n);
		ret = fs_read(test_path("f"), &b, &e);
		met = fault_met();
		fault_off();
		assert_int_equal(ret < 0, e.code < 0);
		assert_str(buf_str(&b), ret ? STR("> ") : STR("> 12345678"));
		buf_release(&b);
	} while (met);
	assert_int_equal(ret, 0);
	assert_true(n > 6); /* open, fstat, three reads and more were failed */
}

static void test_fs__read_at_takes_a_piece(void **state)
{
	static const struct {
		uint64_t off;
		size_t n;
		const char *want;
	} rows[] = {
		{0, 3, "012"}, {7, 3, "789"}, {8, 100, "89"},      {10, 5, ""},
		{99, 5, ""},   {0, 0, ""},    {UINT64_MAX, 5, ""}, {0, 900, "0123456789"},
	};
	struct err e = ERR_INIT;
	int fd;

	(void)state;
	test_dir();
	test_write("f", STR("0123456789"));
	fd = fs_open(test_path("f"), NULL, &e);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b = BUF_INIT(1000);

		fault_short(2);
		assert_int_equal(fs_read_at(fd, rows[i].off, rows[i].n, &b, &e),
				 strlen(rows[i].want));
		fault_off();
		assert_string_equal(buf_cstr(&b), rows[i].want);
		buf_release(&b);
	}
	close(fd);
}

static void test_fs__files_larger_than_one_read_come_whole(void **state)
{
	struct buf want = BUF_INIT(1 << 20), whole = BUF_INIT(1 << 20),
		   piece = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;
	int fd;

	(void)state;
	test_dir();
	for (int i = 0; want.n < 600000; i++)
		buf_printf(&want, "%d ", i);
	test_write("f", buf_str(&want));
	assert_int_equal(fs_read(test_path("f"), &whole, &e), 0);
	assert_true(str_eq(buf_str(&whole), buf_str(&want)));
	fd = fs_open(test_path("f"), NULL, &e);
	assert_int_equal(fs_read_at(fd, 1, 900000, &piece, &e), want.n - 1);
	assert_true(str_eq(buf_str(&piece), str_from(buf_str(&want), 1)));
	close(fd);
	buf_release(&want);
	buf_release(&whole);
	buf_release(&piece);
}

static void test_fs__read_at_fails_clean(void **state)
{
	struct buf b = BUF_INIT(10);
	struct err e = ERR_INIT;
	int fd;

	(void)state;
	test_dir();
	test_write("f", STR("0123456789"));
	fd = fs_open(test_path("f"), NULL, &e);
	buf_add(&b, STR(">"));
	assert_int_equal(fs_read_at(fd, 0, 10, &b, &e), HF_ELIMIT);
	assert_int_equal(fs_read_at(fd, 0, SIZE_MAX, &b, NULL), HF_ELIMIT);
	for (int n = 1; n <= 3; n++) {
		fault_short(3);
		fault_at(n);
		assert_int_equal(fs_read_at(fd, 0, 9, &b, NULL), HF_EIO);
		fault_off();
		assert_string_equal(buf_cstr(&b), ">");
	}
	buf_release(&b);
	close(fd);
}

/* writing */

static void test_fs__write_all_goes_on_after_short_writes(void **state)
{
	int fd;

	(void)state;
	test_dir();
	fd = open(test_path("f"), O_WRONLY | O_CREAT, 0600);
	fault_short(1);
	assert_int_equal(fs_write_all(fd, STR("abcdef"), "f", NULL), 0);
	fault_off();
	assert_true(test_is("f", "abcdef"));
	close(fd);
}

static void test_fs__write_all_names_the_failure(void **state)
{
	struct err e = ERR_INIT;
	int fd;

	(void)state;
	test_dir();
	fd = open(test_path("f"), O_WRONLY | O_CREAT, 0600);
	fault_short(4);
	fault_at(2);
	assert_int_equal(fs_write_all(fd, STR("abcdef"), "the name", &e), HF_EIO);
	fault_off();
	assert_string_equal(e.msg, "the name: No space left on device");
	fault_at(1);
	fault_errno(EPIPE);
	assert_int_equal(fs_write_all(fd, STR("abcdef"), "f", NULL), HF_EPIPE);
	fault_off();
	close(fd);
}

static ssize_t write_nothing(int fd, const void *p, size_t n)
{
	(void)fd;
	(void)p;
	(void)n;
	return 0;
}

static void test_fs__a_write_of_nothing_is_not_tried_for_ever(void **state)
{
	(void)state;
	io.write = write_nothing;
	assert_int_equal(fs_write_all(1, STR("x"), "f", NULL), HF_EIO);
	test_dir();
	assert_int_equal(fs_append(test_path("f"), STR("x"), NULL), HF_EIO);
	io_real();
}

/* A parent may hand us a pipe in non-blocking mode: a slow reader still gets everything. */
static void test_fs__write_all_waits_for_a_full_pipe(void **state)
{
	enum { BYTES = 1 << 20 };
	size_t got = 0;
	char chunk[4096];
	int ends[2], status;
	ssize_t n;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct buf b = BUF_INIT(BYTES);

		close(ends[0]);
		buf_fill(&b, 'x', BYTES);
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		_exit(fs_write_all(ends[1], buf_str(&b), "pipe", NULL) ? 1 : 0);
	}
	close(ends[1]);
	while ((n = read(ends[0], chunk, sizeof chunk)) > 0)
		got += (size_t)n;
	close(ends[0]);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(got, BYTES);
}

static void test_fs__write_atomic_replaces_and_creates(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;

	(void)state;
	test_dir();
	mkdir(test_path("d"), 0700);
	umask(022);
	assert_int_equal(fs_write_atomic(test_path("d/f"), STR("one"), 0644, &e), 0);
	assert_true(test_is("d/f", "one"));
	assert_int_equal(stat(test_path("d/f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(fs_write_atomic(test_path("d/f"), STR(""), 0600, &e), 0);
	assert_true(test_is("d/f", ""));
	assert_int_equal(stat(test_path("d/f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(test_entries("d"), 1);
}

static void test_fs__write_atomic_knows_names_without_a_folder(void **state)
{
	char *here = getcwd(NULL, 0);

	(void)state;
	assert_int_equal(chdir(test_dir()), 0);
	assert_int_equal(fs_write_atomic("f", STR("x"), 0600, NULL), 0);
	assert_int_equal(fs_append("g", STR("y"), NULL), 0);
	assert_true(fs_write_atomic("", STR("x"), 0600, NULL) < 0);
	assert_int_equal(chdir(here), 0);
	assert_true(test_is("f", "x"));
	assert_true(test_is("g", "y"));
	assert_int_equal(test_entries("."), 4); /* f, g, home, tmp */
	free(here);
}

static void test_fs__only_files_and_links_to_them_are_replaceable(void **state)
{
	(void)state;
	assert_int_equal(mkdir(test_path("rd"), 0700), 0);
	assert_int_equal(mkfifo(test_path("rp"), 0600), 0);
	assert_int_equal(symlink("rd", test_path("rl1")), 0);
	assert_int_equal(symlink("nowhere", test_path("rl2")), 0);
	assert_int_equal(symlink("/proc/self/fd/0", test_path("rl3")), 0);
	assert_int_equal(fs_replaceable(test_path("missing"), NULL), 0);
	assert_int_equal(fs_replaceable(test_path("rl2"), NULL), 0);
	assert_int_equal(fs_replaceable(test_path("rd"), NULL), HF_EFORMAT);
	assert_int_equal(fs_replaceable(test_path("rp"), NULL), HF_EFORMAT);
	assert_int_equal(fs_replaceable(test_path("rl1"), NULL), HF_EFORMAT);
	assert_int_equal(fs_replaceable(test_path("rl3"), NULL), HF_EFORMAT);
	assert_int_equal(fs_replaceable("/dev/null", NULL), HF_EFORMAT);
}

static void test_fs__write_atomic_replaces_a_link_not_its_target(void **state)
{
	struct stat st;

	(void)state;
	test_dir();
	test_write("target", STR("old"));
	assert_int_equal(symlink(test_path("target"), test_path("link")), 0);
	assert_int_equal(fs_write_atomic(test_path("link"), STR("new"), 0600, NULL), 0);
	assert_int_equal(lstat(test_path("link"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_true(test_is("target", "old"));
	assert_true(test_is("link", "new"));
}

/* Whatever fails: old or new, no temporary file, and "old" unless only the last fsync failed. */
static void test_fs__write_atomic_is_old_or_new_whatever_call_fails(void **state)
{
	int n = 0, ret, news = 0;
	bool met;

	(void)state;
	test_dir();
	do {
		struct err e = ERR_INIT;

		test_write("d/f", STR("old"));
		fault_short(2);
		fault_at(++n);
		ret = fs_write_atomic(test_path("d/f"), STR("brand new"), 0600, &e);
		met = fault_met();
		fault_off();
		assert_int_equal(ret, e.code);
		if (ret && test_is("d/f", "brand new")) {
			assert_non_null(strstr(e.msg, "written, but its folder"));
			news++;
		} else {
			assert_true(test_is("d/f", ret ? "old" : "brand new"));
		}
		assert_int_equal(test_entries("d"), 1);
	} while (met);
	assert_int_equal(ret, 0);
	assert_int_equal(news, 2); /* open of the folder, its fsync */
	assert_true(n >= 13);
}

static void test_fs__write_quick_and_through_are_old_or_new_too(void **state)
{
	(void)state;
	test_dir();
	mkdir(test_path("temp"), 0700);
	for (int through = 0; through < 2; through++) {
		int n = 0, ret;
		bool met;

		do {
			struct err e = ERR_INIT;

			test_write("d/f", STR("old"));
			fault_at(++n);
			ret = through ? fs_write_through(test_path("d/f"),
							 test_path("temp"), STR("new"),
							 0600, &e)
				      : fs_write_quick(test_path("d/f"), STR("new"), 0600,
						       &e);
			met = fault_met();
			fault_off();
			assert_int_equal(ret, e.code);
			assert_true(test_is("d/f", "new") ||
				    (ret && test_is("d/f", "old")));
			assert_int_equal(test_entries("d"), 1);
			assert_int_equal(test_entries("temp"), 0);
		} while (met);
		assert_int_equal(ret, 0);
	}
}

static void test_fs__write_over_leaves_the_new_text_alone_or_tells(void **state)
{
	static const char *const old[] = {"", "old", "an old and longer text"};
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		int n = 0, ret;
		bool met;

		do {
			struct err own = ERR_INIT;

			unlink(test_path("d/f"));
			test_write("d/f", str_of(old[i]));
			fault_short(2);
			fault_at(++n);
			ret = fs_write_over(test_path("d/f"), STR("brand new"), 0600,
					    &own);
			met = fault_met();
			fault_off();
			assert_int_equal(ret, own.code);
			if (!ret)
				assert_true(test_is("d/f", "brand new"));
			assert_int_equal(test_entries("d"), 1);
		} while (met);
		assert_int_equal(ret, 0);
	}
	unlink(test_path("d/f"));
	assert_int_equal(fs_write_over(test_path("d/f"), STR("made"), 0600, NULL), 0);
	assert_true(test_is("d/f", "made"));
	assert_int_equal(symlink(test_path("d/f"), test_path("d/link")), 0);
	assert_true(fs_write_over(test_path("d/link"), STR("x"), 0600, &e) < 0);
	assert_int_equal(mkfifo(test_path("d/fifo"), 0600), 0);
	assert_true(fs_write_over(test_path("d/fifo"), STR("x"), 0600, NULL) < 0);
	assert_true(fs_write_over(test_path("d"), STR("x"), 0600, NULL) < 0);
	assert_true(test_is("d/f", "made"));
}

static void test_fs__rename_keeps_one_of_the_two_names(void **state)
{
	struct err e = ERR_INIT;
	int n = 0, ret;
	bool met;

	(void)state;
	test_dir();
	mkdir(test_path("to"), 0700);
	assert_int_equal(fs_rename(test_path("none"), test_path("to/f"), &e),
			 HF_ENOTFOUND);
	do {
		test_write("from/f", STR("x"));
		unlink(test_path("to/f"));
		fault_at(++n);
		ret = fs_rename(test_path("from/f"), test_path("to/f"), NULL);
		met = fault_met();
		fault_off();
		assert_true(test_exists("from/f") != test_exists("to/f"));
		if (!ret)
			assert_true(test_is("to/f", "x"));
	} while (met);
	assert_int_equal(ret, 0);
}

static void test_fs__interrupted_calls_are_repeated(void **state)
{
	int n = 0;
	bool met;

	(void)state;
	test_dir();
	do {
		struct buf b = BUF_INIT(100);
		struct err e = ERR_INIT;
		int fd;

		fault_short(4);
		fault_at(++n);
		fault_errno(EINTR);
		assert_int_equal(fs_mkdirs(test_path("d"), 0700, &e), 0);
		assert_int_equal(
			fs_write_atomic(test_path("d/f"), STR("one\n"), 0600, &e), 0);
		assert_int_equal(fs_append(test_path("d/f"), STR("two\n"), &e), 0);
		assert_int_equal(fs_read(test_path("d/f"), &b, &e), 0);
		fd = fs_lock(test_path("lock"), 1000, &e);
		assert_true(fd >= 0);
		assert_int_equal(fs_read_at(fd, 0, 5, &b, &e), 0);
		fs_unlock(fd);
		fd = fs_temp(&e);
		assert_true(fd >= 0);
		close(fd);
		assert_true(fs_is_dir(test_path("d")));
		met = fault_met();
		fault_off();
		assert_str(buf_str(&b), STR("one\ntwo\n"));
		buf_release(&b);
	} while (met);
	assert_true(n > 30);
}

static void test_fs__a_taken_temporary_name_is_not_a_failure(void **state)
{
	(void)state;
	test_dir();
	mkdir(test_path("d"), 0700);
	fault_at(2); /* lstat, open */
	fault_errno(EEXIST);
	assert_int_equal(fs_write_atomic(test_path("d/f"), STR("x"), 0600, NULL), 0);
	assert_true(fault_met());
	fault_off();
	assert_true(test_is("d/f", "x"));
}

static void test_fs__a_folder_that_cannot_be_synced_is_no_failure(void **state)
{
	int n = 0, ret;
	bool met, reached = false;

	(void)state;
	test_dir();
	mkdir(test_path("d"), 0700);
	do {
		fault_at(++n);
		fault_errno(EINVAL);
		ret = fs_write_atomic(test_path("d/f"), STR("x"), 0600, NULL);
		met = fault_met();
		reached |= met && ret == 0;
		fault_off();
	} while (met);
	assert_true(reached);
}

/* appending */

static void test_fs__append_adds_and_creates_privately(void **state)
{
	struct stat st;

	(void)state;
	test_dir();
	umask(0);
	assert_int_equal(fs_append(test_path("f"), STR("one\n"), NULL), 0);
	assert_int_equal(fs_append(test_path("f"), STR("two\n"), NULL), 0);
	umask(022);
	assert_true(test_is("f", "one\ntwo\n"));
	assert_int_equal(stat(test_path("f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(fs_append(test_path("none/f"), STR("x"), NULL), HF_EIO);
}

static int folders_synced;

static int count_sync(int fd)
{
	struct stat st;

	folders_synced += fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	return fsync(fd);
}

/* The name of a file that is new has to be on disk too, once; later records need no folder. */
static void test_fs__append_makes_the_folder_of_a_new_file_durable(void **state)
{
	(void)state;
	test_dir();
	folders_synced = 0;
	io.fsync = count_sync;
	assert_int_equal(fs_append(test_path("f"), STR("one\n"), NULL), 0);
	assert_int_equal(folders_synced, 1);
	assert_int_equal(fs_append(test_path("f"), STR("two\n"), NULL), 0);
	assert_int_equal(folders_synced, 1);
	io_real();
}

static void test_fs__append_refuses_a_link(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("target", STR("old"));
	assert_int_equal(symlink(test_path("target"), test_path("link")), 0);
	assert_int_equal(symlink(test_path("nowhere"), test_path("dangling")), 0);
	assert_int_equal(fs_append(test_path("link"), STR("x"), &e), HF_EIO);
	assert_true(fs_append(test_path("dangling"), STR("x"), NULL) < 0);
	assert_true(test_is("target", "old"));
	assert_false(test_exists("nowhere"));
}

static void test_fs__append_leaves_whole_records_whatever_call_fails(void **state)
{
	(void)state;
	test_dir();
	for (int made = 0; made < 2; made++) {
		int n = 0, ret;
		bool met;

		do {
			struct err e = ERR_INIT;
			str now;

			unlink(test_path("f"));
			if (!made)
				test_write("f", STR("one\n"));
			fault_short(3);
			fault_at(++n);
			ret = fs_append(test_path("f"), STR("two two\n"), &e);
			met = fault_met();
			fault_off();
			assert_int_equal(ret, e.code);
			now = test_exists("f") ? test_read("f") : STR_NONE;
			if (!made) {
				assert_true(str_starts(now, STR("one\n")));
				now = str_from(now, 4);
			}
			/* there, or not at all; written and not synced counts as failed */
			assert_true(str_eq(now, STR("two two\n")) || (ret && now.n == 0));
			/* and no empty file in place of one that there was not */
			assert_true(!made || now.n || !test_exists("f"));
		} while (met);
		assert_int_equal(ret, 0);
		assert_true(n > 7);
	}
}

/* What others append between our half record and its removal must not be cut away. */
static int append_fd;
static ssize_t write_half_then_other(int fd, const void *p, size_t n)
{
	static int calls;

	if (calls++ == 0)
		return write(fd, p, n / 2);
	(void)!write(append_fd, "OTHER\n", 6);
	errno = ENOSPC;
	return -1;
}

static void test_fs__append_never_takes_back_what_others_wrote(void **state)
{
	(void)state;
	test_dir();
	test_write("f", STR("one\n"));
	append_fd = open(test_path("f"), O_WRONLY | O_APPEND);
	io.write = write_half_then_other;
	assert_int_equal(fs_append(test_path("f"), STR("12345678"), NULL), HF_EIO);
	io_real();
	close(append_fd);
	assert_true(test_is("f", "one\n1234OTHER\n"));
}

static int replacements;

/* The moment after our write: another program replaces the file by rename. */
static int sync_then_replaced(int fd)
{
	if (replacements > 0) {
		replacements--;
		test_write("new", STR("replaced\n"));
		rename(test_path("new"), test_path("f"));
	}
	return fdatasync(fd);
}

static void test_fs__append_follows_a_rename(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("f", STR("old\n"));
	io.fdatasync = sync_then_replaced;
	replacements = 2;
	assert_int_equal(fs_append(test_path("f"), STR("mine\n"), &e), 0);
	assert_true(test_is("f", "replaced\nmine\n"));
	replacements = 1000; /* and it ends */
	assert_int_equal(fs_append(test_path("f"), STR("mine\n"), &e), HF_EIO);
	assert_non_null(strstr(e.msg, "replaced again and again"));
	replacements = 0;
	io_real();
}

static int sync_then_removed(int fd)
{
	unlink(test_path("f"));
	io.fdatasync = fdatasync;
	return fdatasync(fd);
}

static void test_fs__append_recreates_a_file_removed_meanwhile(void **state)
{
	(void)state;
	test_dir();
	test_write("f", STR("old\n"));
	io.fdatasync = sync_then_removed;
	assert_int_equal(fs_append(test_path("f"), STR("mine\n"), NULL), 0);
	io_real();
	assert_true(test_is("f", "mine\n"));
}

static void test_fs__appends_of_many_processes_are_all_there_and_whole(void **state)
{
	enum { WRITERS = 4, RECORDS = 50 };
	int seen[WRITERS] = {0}, status;
	str text, line;
	uint64_t who;

	(void)state;
	test_dir();
	for (int w = 0; w < WRITERS; w++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			int failed = 0;

			for (int i = 0; i < RECORDS; i++) {
				struct buf b = BUF_INIT(2000);

				buf_printf(&b, "%d %0*d\n", w, 100 * (w + 1), 7);
				failed |= fs_append(test_path("f"), buf_str(&b), NULL);
				buf_release(&b);
			}
			_exit(failed ? 1 : 0);
		}
	}
	for (int w = 0; w < WRITERS; w++) {
		wait(&status);
		assert_int_equal(status, 0);
	}
	text = test_read("f");
	while (str_line(&text, &line)) {
		assert_true(str_u64(str_head(line, 1), &who) && who < WRITERS);
		assert_int_equal(line.n, 2 + 100 * (who + 1));
		seen[who]++;
	}
	for (int w = 0; w < WRITERS; w++)
		assert_int_equal(seen[w], RECORDS);
}

/* folders */

static void test_fs__makes_missing_parents(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;

	(void)state;
	test_dir();
	assert_int_equal(fs_mkdirs(test_path("a/b/c"), 0700, &e), 0);
	assert_int_equal(stat(test_path("a/b/c"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(fs_mkdirs(test_path("a/b/c"), 0700, &e), 0);
	assert_int_equal(fs_mkdirs(test_path("a//b/d//"), 0700, &e), 0);
	assert_true(fs_is_dir(test_path("a/b/d")));
	assert_int_equal(fs_mkdirs("/", 0700, &e), 0);
	assert_int_equal(symlink(test_path("a"), test_path("link")), 0);
	assert_int_equal(fs_mkdirs(test_path("link/e"), 0700, &e), 0);
	assert_true(fs_is_dir(test_path("a/e")));
	assert_int_equal(fs_mkdirs("", 0700, NULL), HF_EIO);
}

static void test_fs__a_file_in_the_way_is_named(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("a", STR("x"));
	assert_int_equal(fs_mkdirs(test_path("a"), 0700, &e), HF_EIO);
	assert_true(str_ends(str_of(e.msg), STR("/a: Not a directory")));
	assert_int_equal(fs_mkdirs(test_path("a/b"), 0700, NULL), HF_EIO);
	assert_true(test_is("a", "x"));
}

static void test_fs__every_failing_mkdir_is_reported(void **state)
{
	int n = 0, ret;
	bool met;

	(void)state;
	do {
		test_dir();
		fault_at(++n);
		ret = fs_mkdirs(test_path("a/b/c"), 0700, NULL);
		met = fault_met();
		fault_off();
		assert_int_equal(fs_is_dir(test_path("a/b/c")), ret == 0);
	} while (met);
	assert_int_equal(ret, 0);
	assert_true(n > 4);
}

struct walk {
	struct buf names;
	const char *stop; /* return 7 here */
};

static int walk_one(const char *dir, const char *name, void *arg)
{
	struct walk *w = arg;

	assert_true(*dir == '/');
	buf_printf(&w->names, "%s ", name);
	if (w->stop && strcmp(name, w->stop) == 0)
		return 7;
	return 0;
}

static void test_fs__each_walks_in_byte_order(void **state)
{
	struct walk w = {.names = BUF_INIT(1000)};
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write("d/b", STR(""));
	test_write("d/\xC3\xA4", STR(""));
	test_write("d/B", STR(""));
	test_write("d/.hidden", STR(""));
	test_write("d/a/x", STR(""));
	assert_int_equal(fs_each(test_path("d"), walk_one, &w, &e), 0);
	assert_string_equal(buf_cstr(&w.names), ".hidden B a b \xC3\xA4 ");
	buf_reset(&w.names);
	w.stop = "B";
	assert_int_equal(fs_each(test_path("d"), walk_one, &w, &e), 7);
	assert_string_equal(buf_cstr(&w.names), ".hidden B ");
	buf_reset(&w.names);
	assert_int_equal(fs_each(test_path("d/a/../../home"), walk_one, &w, &e), 0);
	assert_string_equal(buf_cstr(&w.names), "");
	assert_int_equal(fs_each(test_path("none"), walk_one, &w, &e), HF_ENOTFOUND);
	assert_int_equal(fs_each(test_path("d/b"), walk_one, &w, NULL), HF_ENOTFOUND);
	buf_release(&w.names);
}

static void test_fs__each_calls_nothing_when_the_folder_cannot_be_read(void **state)
{
	int n = 0, ret;
	bool met;

	(void)state;
	test_dir();
	test_write("d/a", STR(""));
	test_write("d/b", STR(""));
	do {
		struct walk w = {.names = BUF_INIT(1000)};
		struct err e = ERR_INIT;

		fault_at(++n);
		ret = fs_each(test_path("d"), walk_one, &w, &e);
		met = fault_met();
		fault_off();
		assert_int_equal(ret, e.code);
		assert_string_equal(buf_cstr(&w.names), ret ? "" : "a b ");
		buf_release(&w.names);
	} while (met);
	assert_true(n >= 7); /* opendir, five readdirs, closedir */
}

static struct dirent *readdir_endless(DIR *d)
{
	static struct dirent entry;

	(void)d;
	memset(entry.d_name, 'x', 255);
	return &entry;
}

static void test_fs__each_has_a_limit(void **state)
{
	struct walk w = {.names = BUF_INIT(1000)};
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	io.readdir = readdir_endless;
	assert_int_equal(fs_each(test_path("home"), walk_one, &w, &e), HF_ELIMIT);
	io_real();
	assert_non_null(strstr(e.msg, "too many entries"));
	assert_null(w.names.p);
}

static void test_fs__join_puts_one_slash(void **state)
{
	static const char *const rows[][3] = {
		{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a/", "//b", "a/b"},
		{"", "b", "b"},    {"", "/b", "/b"},   {"/", "b", "/b"},
		{"a", "", "a/"},
	};
	struct buf b = BUF_INIT(100);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fs_join(&b, str_of(rows[i][0]), str_of(rows[i][1]));
		assert_string_equal(buf_cstr(&b), rows[i][2]);
	}
	buf_release(&b);
}

static void test_fs__tells_kinds_apart(void **state)
{
	(void)state;
	test_dir();
	test_write("f", STR(""));
	assert_true(fs_is_file(test_path("f")));
	assert_false(fs_is_dir(test_path("f")));
	assert_true(fs_is_dir(test_path("home")));
	assert_false(fs_is_file(test_path("home")));
	assert_false(fs_is_file(test_path("none")));
	assert_false(fs_is_file("/dev/null"));
}

/* locks and temporary files */

static void test_fs__a_lock_keeps_others_out_until_it_ends(void **state)
{
	struct err e = ERR_INIT;
	int64_t start;
	int fd;

	(void)state;
	test_dir();
	fd = fs_lock(test_path("l"), 0, &e);
	assert_true(fd >= 0);
	assert_int_equal(fs_lock(test_path("l"), 0, &e), HF_ETIME);
	assert_non_null(strstr(e.msg, "/l: locked by another process"));
	start = clock_mono_ns();
	assert_int_equal(fs_lock(test_path("l"), 20, NULL), HF_ETIME);
	assert_true(clock_mono_ns() - start >= 20 * 1000000);
	fs_unlock(fd);
	fd = fs_lock(test_path("l"), 0, NULL);
	assert_true(fd >= 0);
	fs_unlock(fd);
	assert_int_equal(fs_lock(test_path("none/l"), 0, NULL), HF_EIO);
}

static void test_fs__a_lock_ends_with_its_process(void **state)
{
	int status, fd;
	pid_t child;

	(void)state;
	test_dir();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		fd = fs_lock(test_path("l"), 0, NULL);
		_exit(fd >= 0 ? 0 : 1); /* never unlocked */
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	fd = fs_lock(test_path("l"), 0, NULL);
	assert_true(fd >= 0);
	fs_unlock(fd);
}

static int flock_then_removed(int fd, int op)
{
	unlink(test_path("l"));
	io.flock = flock;
	return flock(fd, op);
}

/* A lock on a file that is gone from the folder would guard nothing. */
static void test_fs__a_lock_file_removed_meanwhile_is_taken_anew(void **state)
{
	struct stat held, named;
	int fd;

	(void)state;
	test_dir();
	io.flock = flock_then_removed;
	fd = fs_lock(test_path("l"), 1000, NULL);
	io_real();
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &held), 0);
	assert_int_equal(stat(test_path("l"), &named), 0);
	assert_int_equal(held.st_ino, named.st_ino);
	fs_unlock(fd);
}

/* Descriptors that are open now. */
static int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int flock_always_removed(int fd, int op)
{
	unlink(test_path("l"));
	return flock(fd, op);
}

static void test_fs__a_lock_file_that_never_stays_ends_in_time(void **state)
{
	int before = descriptors();

	(void)state;
	test_dir();
	io.flock = flock_always_removed;
	assert_int_equal(fs_lock(test_path("l"), 5, NULL), HF_ETIME);
	io_real();
	assert_int_equal(descriptors(), before);
}

static void test_fs__failing_calls_leave_no_descriptor_and_no_file(void **state)
{
	int n = 0, before = descriptors();
	bool met;

	(void)state;
	test_dir();
	do {
		struct buf b = BUF_INIT(100);
		int fd;

		fault_at(++n);
		fd = fs_lock(test_path("l"), 0, NULL);
		if (fd >= 0)
			close(fd);
		fd = fs_temp(NULL);
		if (fd >= 0)
			close(fd);
		fs_read(test_path("l"), &b, NULL);
		fs_append(test_path("f"), STR("x"), NULL);
		fs_write_atomic(test_path("g"), STR("x"), 0600, NULL);
		met = fault_met();
		fault_off();
		assert_int_equal(descriptors(), before);
		buf_release(&b);
		/* one: when the unlink of the temporary file itself fails */
		assert_true(test_entries("tmp") <= 1);
	} while (met);
	assert_true(n > 20);
}

static void test_fs__a_temporary_file_has_no_name(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;
	int fd;

	(void)state;
	test_dir();
	fd = fs_temp(&e);
	assert_true(fd >= 0);
	assert_int_equal(test_entries("tmp"), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(write(fd, "ab", 2), 2);
	close(fd);
	setenv("TMPDIR", test_path("none"), 1);
	assert_int_equal(fs_temp(&e), HF_EIO);
	assert_non_null(strstr(e.msg, "/none: temporary file: No such file"));
	setenv("TMPDIR", "", 1);
	fd = fs_temp(NULL);
	assert_true(fd >= 0);
	close(fd);
}

static void test_fs__a_sweep_takes_old_temporary_files_and_nothing_else(void **state)
{
	static const char *const name[] = {
		"d/.handoff-0123456789abcdef", "d/.handoff-0123456789abcdeF",
		"d/.handoff-0123", "d/note.md", "d/.handoff-00000000000000ab"};
	struct timeval old[2] = {{1000000000, 0}, {1000000000, 0}};

	(void)state;
	test_dir();
	fs_sweep(test_path("d"), 60);
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		test_write(name[i], STR("x"));
		if (i < 4)
			assert_int_equal(utimes(test_path(name[i]), old), 0);
	}
	test_write("d/.handoff-fedcba9876543210/x", STR("x")); /* a folder */
	fs_sweep(test_path("d"), 60);
	assert_false(test_exists(name[0]));
	assert_int_equal(test_entries("d"), 5);
	fs_sweep(test_path("d"), 0);
	assert_false(test_exists(name[4]));
	assert_int_equal(test_entries("d"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_fs__a_sweep_takes_old_temporary_files_and_nothing_else),
		cmocka_unit_test(test_fs__reads_a_file_behind_what_the_buf_holds),
		cmocka_unit_test(test_fs__reads_up_to_the_limit_exactly),
		cmocka_unit_test(test_fs__reads_files_whose_size_is_not_known),
		cmocka_unit_test(test_fs__a_huge_sparse_file_is_refused_by_its_size),
		cmocka_unit_test(test_fs__tells_a_missing_file_from_one_it_may_not_read),
		cmocka_unit_test(test_fs__refuses_what_is_not_a_regular_file),
		cmocka_unit_test(
			test_fs__open_gives_the_size_and_leaks_nothing_to_children),
		cmocka_unit_test(test_fs__every_failing_read_leaves_the_buf_as_it_was),
		cmocka_unit_test(test_fs__read_at_takes_a_piece),
		cmocka_unit_test(test_fs__files_larger_than_one_read_come_whole),
		cmocka_unit_test(test_fs__read_at_fails_clean),
		cmocka_unit_test(test_fs__write_all_goes_on_after_short_writes),
		cmocka_unit_test(test_fs__write_all_names_the_failure),
		cmocka_unit_test(test_fs__a_write_of_nothing_is_not_tried_for_ever),
		cmocka_unit_test(test_fs__write_all_waits_for_a_full_pipe),
		cmocka_unit_test(test_fs__write_atomic_replaces_and_creates),
		cmocka_unit_test(test_fs__write_atomic_knows_names_without_a_folder),
		cmocka_unit_test(test_fs__only_files_and_links_to_them_are_replaceable),
		cmocka_unit_test(test_fs__write_atomic_replaces_a_link_not_its_target),
		cmocka_unit_test(test_fs__write_atomic_is_old_or_new_whatever_call_fails),
		cmocka_unit_test(test_fs__write_quick_and_through_are_old_or_new_too),
		cmocka_unit_test(test_fs__rename_keeps_one_of_the_two_names),
		cmocka_unit_test(test_fs__interrupted_calls_are_repeated),
		cmocka_unit_test(test_fs__a_taken_temporary_name_is_not_a_failure),
		cmocka_unit_test(test_fs__a_folder_that_cannot_be_synced_is_no_failure),
		cmocka_unit_test(test_fs__append_adds_and_creates_privately),
		cmocka_unit_test(test_fs__append_makes_the_folder_of_a_new_file_durable),
		cmocka_unit_test(test_fs__append_refuses_a_link),
		cmocka_unit_test(
			test_fs__append_leaves_whole_records_whatever_call_fails),
		cmocka_unit_test(test_fs__append_never_takes_back_what_others_wrote),
		cmocka_unit_test(test_fs__append_follows_a_rename),
		cmocka_unit_test(test_fs__append_recreates_a_file_removed_meanwhile),
		cmocka_unit_test(
			test_fs__appends_of_many_processes_are_all_there_and_whole),
		cmocka_unit_test(test_fs__makes_missing_parents),
		cmocka_unit_test(test_fs__a_file_in_the_way_is_named),
		cmocka_unit_test(test_fs__every_failing_mkdir_is_reported),
		cmocka_unit_test(test_fs__each_walks_in_byte_order),
		cmocka_unit_test(
			test_fs__each_calls_nothing_when_the_folder_cannot_be_read),
		cmocka_unit_test(test_fs__each_has_a_limit),
		cmocka_unit_test(test_fs__join_puts_one_slash),
		cmocka_unit_test(test_fs__tells_kinds_apart),
		cmocka_unit_test(test_fs__a_lock_keeps_others_out_until_it_ends),
		cmocka_unit_test(test_fs__a_lock_ends_with_its_process),
		cmocka_unit_test(test_fs__a_lock_file_removed_meanwhile_is_taken_anew),
		cmocka_unit_test(test_fs__a_lock_file_that_never_stays_ends_in_time),
		cmocka_unit_test(test_fs__failing_calls_leave_no_descriptor_and_no_file),
		cmocka_unit_test(test_fs__a_temporary_file_has_no_name),
		cmocka_unit_test(test_fs__write_over_leaves_the_new_text_alone_or_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
