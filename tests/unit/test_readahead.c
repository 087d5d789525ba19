#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"
#include "base/buf.h"
#include "base/readahead.h"

#define BLOCK ((size_t)READAHEAD_BLOCK_BYTES)
/* more than is read alone and the ring together, and no whole number of blocks */
#define FILE_BYTES ((READAHEAD_ALONE + 3 * READAHEAD_BLOCKS) * BLOCK + 12345)

static const struct readahead_thread plain_thread = {0};

static int two(void)
{
	return 2;
}

/* As if there were two processors, whatever this machine has. */
static void table(void)
{
	io_real();
	io.processors = two;
}

static char byte_at(size_t i)
{
	return (char)(i * 7 + i / 251 + i / 65536);
}

static int make(size_t n)
{
	struct buf b = BUF_INIT(FILE_BYTES + BLOCK);
	char *p = buf_room(&b, n);
	int fd;

	for (size_t i = 0; i < n; i++)
		p[i] = byte_at(i);
	b.n = n;
	test_dir();
	test_write("f", buf_str(&b));
	buf_release(&b);
	fd = open(test_path("f"), O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

struct walk {
	size_t n; /* bytes seen */
	size_t blocks;
	bool threaded; /* at any time */
	long last;
};

/* To the end or a failure, or for some blocks, with kept bytes of many lengths; each byte is looked at. */
static struct walk walk(struct readahead *r, size_t from, size_t blocks)
{
	struct walk w = {.n = from};
	str keep = STR_NONE;
	char *p;

	while (w.blocks < blocks && (w.last = readahead_next(r, keep, &p)) > 0) {
		size_t n = keep.n + (size_t)w.last, at = w.n - keep.n;

		for (size_t i = 0; i < n; i++)
			if (p[i] != byte_at(at + i))
				fail_msg("byte %zu of block %zu", i, w.blocks);
		memset(p + n, '!', READAHEAD_PAD_BYTES);
		w.n += (size_t)w.last;
		w.blocks++;
		w.threaded |= readahead_threaded(r);
		keep.n = w.blocks * 977 % (READAHEAD_KEEP_BYTES + 1);
		if (keep.n > n)
			keep.n = n;
		keep.p = p + n - keep.n;
	}
	return w;
}

static void test_readahead__the_bytes_are_the_same_with_a_thread_and_without(void **state)
{
	static const size_t sizes[] = {0, 1, BLOCK, READAHEAD_ALONE * BLOCK, FILE_BYTES};

	(void)state;
	table();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (int how = 0; how < 2; how++) {
			int fd = make(sizes[i]);
			struct readahead *r =
				readahead_new(fd, 0, how ? &plain_thread : NULL);
			struct walk w = walk(r, 0, SIZE_MAX);
			char *p;

			assert_int_equal(w.n, sizes[i]);
			assert_int_equal(w.last, 0);
			assert_int_equal(readahead_next(r, STR_NONE, &p), 0);
			assert_int_equal(w.threaded, how && sizes[i] == FILE_BYTES);
			readahead_free(r);
			close(fd);
		}
	io_real();
}

static void test_readahead__the_kept_bytes_stay_at_the_end_too(void **state)
{
	int fd = make(FILE_BYTES);

	(void)state;
	table();
	for (int how = 0; how < 2; how++) {
		struct readahead *r = readahead_new(fd, 0, how ? &plain_thread : NULL);
		char *p = NULL;
		str keep = STR_NONE;
		long n;

		assert_true(lseek(fd, 0, SEEK_SET) == 0);
		while ((n = readahead_next(r, keep, &p)) > 0)
			keep = (str){p + keep.n + n - 100, 100};
		for (size_t i = 0; i < 2; i++) {
			for (size_t k = 0; k < 100; k++)
				assert_true(p[k] == byte_at(FILE_BYTES - 100 + k));
			keep.p = p;
			assert_int_equal(readahead_next(r, keep, &p), 0);
		}
		readahead_free(r);
	}
	close(fd);
	io_real();
}

/* ---- where there is no thread ---- */

static int one(void)
{
	return 1;
}

static int not_known(void)
{
	return -1;
}

static int no_thread(pthread_t *t, void *(*run)(void *), void *arg)
{
	(void)t;
	(void)run;
	(void)arg;
	return EAGAIN;
}

static void test_readahead__without_a_thread_the_caller_reads_on(void **state)
{
	int fd = make(FILE_BYTES);

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct readahead *r = readahead_new(fd, 0, &plain_thread);
		struct walk w;

		table();
		if (i == 2)
			io.thread = no_thread;
		else
			io.processors = i ? one : not_known;
		assert_true(lseek(fd, 0, SEEK_SET) == 0);
		w = walk(r, 0, SIZE_MAX);
		assert_int_equal(w.n, FILE_BYTES);
		assert_false(w.threaded);
		readahead_free(r);
	}
	close(fd);
	io_real();
}

static void test_readahead__who_wants_the_beginning_makes_no_thread(void **state)
{
	int fd = make(FILE_BYTES);
	struct readahead *r = readahead_new(fd, 0, &plain_thread);

	(void)state;
	table();
	assert_false(walk(r, 0, READAHEAD_ALONE).threaded);
	readahead_free(r);
	close(fd);
	io_real();
}

/* ---- failures ---- */

static void test_readahead__each_failing_call_is_met_where_it_occurs(void **state)
{
	int fd = make(FILE_BYTES), n;
	bool met = true, with_thread = false;

	(void)state;
	for (n = 1; met; n++) {
		struct readahead *r = readahead_new(fd, 0, &plain_thread);
		struct walk w;
		char *p;

		assert_true(lseek(fd, 0, SEEK_SET) == 0);
		fault_at(n);
		w = walk(r, 0, SIZE_MAX);
		if (w.last < 0) {
			assert_int_equal(errno, EIO);
			assert_true(w.n % BLOCK == 0 || w.n == FILE_BYTES);
			if (readahead_threaded(r)) {
				with_thread = true;
				/* it stays so */
				errno = 0;
				assert_int_equal(readahead_next(r, STR_NONE, &p), -1);
				assert_int_equal(errno, EIO);
			}
		} else {
			/* no thread, then */
			assert_int_equal(w.n, FILE_BYTES);
		}
		readahead_free(r);
		met = fault_met();
		fault_off();
	}
	assert_true(n > (int)(FILE_BYTES / BLOCK));
	assert_true(with_thread || sysconf(_SC_NPROCESSORS_ONLN) < 2);
	close(fd);
}

static _Atomic(int) calls;

static ssize_t pread_often_stopped(int fd, void *p, size_t n, off_t off)
{
	if (atomic_fetch_add(&calls, 1) % 3) {
		errno = EINTR;
		return -1;
	}
	return pread(fd, p, n < 60000 ? n : 60000, off);
}

static void test_readahead__short_and_interrupted_reads_lose_nothing(void **state)
{
	int fd = make(FILE_BYTES);
	struct readahead *r = readahead_new(fd, 0, &plain_thread);
	struct walk w;

	(void)state;
	table();
	io.pread = pread_often_stopped;
	w = walk(r, 0, SIZE_MAX);
	assert_int_equal(w.n, FILE_BYTES);
	assert_true(w.threaded);
	assert_true(w.blocks > FILE_BYTES / 60000 - 20);
	readahead_free(r);
	close(fd);
	io_real();
}

static void test_readahead__the_table_may_be_swapped_while_the_thread_reads(void **state)
{
	int fd = make(FILE_BYTES);
	struct readahead *r = readahead_new(fd, 0, &plain_thread);
	struct walk w;

	(void)state;
	table();
	w = walk(r, 0, READAHEAD_ALONE + 1);
	assert_true(w.threaded);
	memset(&io, 0, sizeof(io)); /* whoever calls through it now crashes */
	readahead_free(r);
	io_real();
	close(fd);
}

/* ---- files that change ---- */

static void test_readahead__a_file_that_shrinks_or_grows_ends_where_it_ends(void **state)
{
	(void)state;
	table();
	for (int i = 0; i < 3; i++) {
		int fd = make(FILE_BYTES);
		struct readahead *r = readahead_new(fd, 0, &plain_thread);
		struct walk w;
		char more[1000];

		for (size_t k = 0; k < sizeof(more); k++)
			more[k] = byte_at(FILE_BYTES + k);
		w = walk(r, 0, READAHEAD_ALONE + 1);
		assert_true(w.threaded);
		if (i == 0)
			assert_int_equal(pwrite(fd, more, sizeof(more), FILE_BYTES),
					 sizeof(more));
		else
			assert_int_equal(ftruncate(fd, i == 1 ? FILE_BYTES / 2 : 5), 0);
		w = walk(r, w.n, SIZE_MAX);
		assert_int_equal(w.last, 0);
		if (i == 0)
			assert_int_equal(w.n, FILE_BYTES + sizeof(more));
		else if (i == 1)
			assert_int_equal(w.n, FILE_BYTES / 2);
		else /* what had been read is given out */
			assert_true(w.n <=
				    (READAHEAD_ALONE + READAHEAD_BLOCKS + 1) * BLOCK);
		readahead_free(r);
		close(fd);
	}
	io_real();
}

/* ---- ending early, going elsewhere ---- */

static void test_readahead__it_may_be_freed_at_any_time(void **state)
{
	int fd = make(FILE_BYTES);

	(void)state;
	table();
	readahead_free(NULL);
	for (size_t n = 0; n <= FILE_BYTES / BLOCK + 1; n++)
		for (int idle = 0; idle < 2; idle++) {
			struct readahead *r = readahead_new(fd, 0, &plain_thread);

			assert_true(lseek(fd, 0, SEEK_SET) == 0);
			walk(r, 0, n);
			if (idle) /* let the thread fill its ring and fall asleep, or end */
				usleep(1000);
			readahead_free(r);
		}
	close(fd);
	io_real();
}

static off_t no_lseek(int fd, off_t off, int whence)
{
	(void)fd;
	(void)off;
	(void)whence;
	errno = EIO;
	return -1;
}

static void test_readahead__after_a_seek_it_begins_as_at_first(void **state)
{
	int fd = make(FILE_BYTES);
	struct readahead *r = readahead_new(fd, 0, &plain_thread);
	static const size_t places[] = {FILE_BYTES - 5, 0, 3 * BLOCK + 17, FILE_BYTES};
	struct walk w;

	(void)state;
	table();
	assert_true(walk(r, 0, READAHEAD_ALONE + 2).threaded);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		assert_true(readahead_seek(r, places[i]));
		assert_false(readahead_threaded(r));
		assert_null(readahead_notes(r));
		w = walk(r, places[i], READAHEAD_ALONE);
		assert_false(w.threaded);
		w = walk(r, w.n, SIZE_MAX);
		assert_int_equal(w.n, FILE_BYTES);
		assert_int_equal(w.threaded, i == 1 || i == 2);
	}
	assert_false(readahead_seek(r, UINT64_MAX));
	io.lseek = no_lseek;
	assert_false(readahead_seek(r, 0));
	assert_int_equal(errno, EIO);
	readahead_free(r);
	close(fd);
	io_real();
}

/* ---- looking at blocks ---- */

static sigset_t blocked; /* in the thread */

static void look(const void *arg, char *data, size_t n, void *notes)
{
	size_t *note = notes;

	assert_true((uintptr_t)data % 4096 == 0);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	*note = n + *(const size_t *)arg;
	data[n] = '#';
}

static void test_readahead__notes_go_with_their_block(void **state)
{
	const size_t arg = 7;
	const struct readahead_thread how = {look, &arg, sizeof(size_t)};
	int fd = make(FILE_BYTES);
	struct readahead *r = readahead_new(fd, 0, &how);
	size_t blocks = 0;
	char *p;
	long n;

	(void)state;
	table();
	assert_null(readahead_notes(r));
	while ((n = readahead_next(r, STR_NONE, &p)) > 0) {
		const size_t *note = readahead_notes(r);

		if (blocks++ < READAHEAD_ALONE) {
			assert_null(note);
			continue;
		}
		assert_int_equal(*note, n + 7);
		assert_int_equal(p[n], '#');
	}
	assert_int_equal(blocks, FILE_BYTES / BLOCK + 1);
	readahead_free(r);
	close(fd);
	io_real();
}

/* ---- the process around it ---- */

static void test_readahead__no_signal_is_handled_in_the_thread(void **state)
{
	static const int some[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGUSR1, SIGCHLD};
	const size_t arg = 0;
	const struct readahead_thread how = {look, &arg, sizeof(size_t)};
	int fd = make(FILE_BYTES);
	struct readahead *r = readahead_new(fd, 0, &how);
	sigset_t before, after;

	(void)state;
	table();
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	walk(r, 0, READAHEAD_ALONE + 1);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	assert_true(readahead_threaded(r));
	readahead_free(r);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
		assert_int_equal(sigismember(&blocked, some[i]), 1);
		assert_int_equal(sigismember(&after, some[i]),
				 sigismember(&before, some[i]));
	}
	close(fd);
	io_real();
}

static void test_readahead__a_child_that_execs_disturbs_nothing(void **state)
{
	char name[] = "true";
	char *argv[] = {name, NULL};
	int fd = make(FILE_BYTES), status;
	struct readahead *r = readahead_new(fd, 0, &plain_thread);
	struct walk w;
	pid_t pid;

	(void)state;
	table();
	w = walk(r, 0, READAHEAD_ALONE + 1);
	assert_true(w.threaded);
	pid = fork();
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	assert_true(pid > 0);
	w = walk(r, w.n, SIZE_MAX);
	assert_int_equal(w.n, FILE_BYTES);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	readahead_free(r);
	close(fd);
	io_real();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_readahead__the_bytes_are_the_same_with_a_thread_and_without),
		cmocka_unit_test(test_readahead__the_kept_bytes_stay_at_the_end_too),
		cmocka_unit_test(test_readahead__without_a_thread_the_caller_reads_on),
		cmocka_unit_test(test_readahead__who_wants_the_beginning_makes_no_thread),
		cmocka_unit_test(
			test_readahead__each_failing_call_is_met_where_it_occurs),
		cmocka_unit_test(
			test_readahead__short_and_interrupted_reads_lose_nothing),
		cmocka_unit_test(
			test_readahead__the_table_may_be_swapped_while_the_thread_reads),
		cmocka_unit_test(
			test_readahead__a_file_that_shrinks_or_grows_ends_where_it_ends),
		cmocka_unit_test(test_readahead__it_may_be_freed_at_any_time),
		cmocka_unit_test(test_readahead__after_a_seek_it_begins_as_at_first),
		cmocka_unit_test(test_readahead__notes_go_with_their_block),
		cmocka_unit_test(test_readahead__no_signal_is_handled_in_the_thread),
		cmocka_unit_test(test_readahead__a_child_that_execs_disturbs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
