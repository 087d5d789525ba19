#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"
#include "base/clock.h"
#include "base/fs.h"
#include "data/pack.h"
#include "data/source.h"

/* All bytes from where s stands. */
static void drain(struct source *s, struct buf *b)
{
	char room[777];
	long n;

	while ((n = source_read(s, room, sizeof(room))) > 0)
		buf_add(b, (str){room, (size_t)n});
	assert_int_equal(n, 0);
}

/* Run with standard input from this file. */
static int stdin_from(const char *path)
{
	int saved = dup(STDIN_FILENO), fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
	return saved;
}

static void stdin_back(int saved)
{
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
}

static void test_source__a_file_is_read_in_place(void **state)
{
	struct buf b = BUF_INIT(1000);
	struct source s;
	struct stat st;

	(void)state;
	test_dir();
	test_write("t.jsonl", STR("{\"a\":1}\n{\"b\":2}\n"));
	assert_int_equal(source_open(&s, test_path("t.jsonl"), NULL), 0);
	assert_int_equal(stat(test_path("t.jsonl"), &st), 0);
	assert_int_equal(s.size, 16);
	assert_true(s.ino == st.st_ino && s.dev == st.st_dev && !s.packed);
	assert_int_equal(s.mtime_ms / 1000, st.st_mtime);
	drain(&s, &b);
	assert_str(buf_str(&b), STR("{\"a\":1}\n{\"b\":2}\n"));
	assert_int_equal(source_seek(&s, 8), 0);
	buf_reset(&b);
	drain(&s, &b);
	assert_str(buf_str(&b), STR("{\"b\":2}\n"));
	assert_int_equal(source_seek(&s, UINT64_MAX), HF_EIO);
	source_release(&s);
	source_release(&s);
	buf_release(&b);
}

static void test_source__short_and_empty_files_are_no_zstd(void **state)
{
	static const char *const text[] = {"", "{", "{}\n", "\x28\xb5\x2f"};
	struct buf b = BUF_INIT(1000);
	size_t i;

	(void)state;
	test_dir();
	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct source s;

		test_write("t.jsonl", str_of(text[i]));
		assert_int_equal(source_open(&s, test_path("t.jsonl"), NULL), 0);
		buf_reset(&b);
		drain(&s, &b);
		assert_str(buf_str(&b), str_of(text[i]));
		source_release(&s);
	}
	buf_release(&b);
}

static void test_source__a_compressed_file_is_known_by_its_bytes(void **state)
{
	struct buf b = BUF_INIT(1000), packed = BUF_INIT(1000);
	struct source s;

	(void)state;
	test_dir();
	assert_int_equal(pack_pack(STR("{\"a\":1}\n"), &packed, NULL), 0);
	test_write("t.jsonl", buf_str(&packed));
	assert_int_equal(source_open(&s, test_path("t.jsonl"), NULL), 0);
	assert_true(s.packed && s.size == 8 && s.mtime_ms != CLOCK_NONE);
	drain(&s, &b);
	assert_str(buf_str(&b), STR("{\"a\":1}\n"));
	assert_int_equal(source_seek(&s, 0), 0);
	source_release(&s);
	assert_int_equal(test_entries(getenv("TMPDIR")), 0);
	buf_release(&b);
	buf_release(&packed);
}

static void test_source__standard_input_is_spooled_so_that_it_can_go_back(void **state)
{
	struct buf b = BUF_INIT(1 << 20), packed = BUF_INIT(1 << 20),
		   text = BUF_INIT(1 << 20);
	int round, saved;

	(void)state;
	test_dir();
	buf_fill(&text, 'x', 600000);
	assert_int_equal(pack_pack(buf_str(&text), &packed, NULL), 0);
	for (round = 0; round < 2; round++) {
		struct source s;

		test_write("in", round ? buf_str(&packed) : buf_str(&text));
		saved = stdin_from(test_path("in"));
		assert_int_equal(source_open(&s, "-", NULL), 0);
		stdin_back(saved);
		assert_int_equal(s.mtime_ms, CLOCK_NONE);
		assert_int_equal(s.size, 600000);
		assert_int_equal(s.packed, round == 1);
		buf_reset(&b);
		drain(&s, &b);
		assert_true(str_eq(buf_str(&b), buf_str(&text)));
		assert_int_equal(source_seek(&s, 599999), 0);
		buf_reset(&b);
		drain(&s, &b);
		assert_str(buf_str(&b), STR("x"));
		source_release(&s);
	}
	assert_int_equal(test_entries(getenv("TMPDIR")), 0);
	buf_release(&b);
	buf_release(&packed);
	buf_release(&text);
}

static void test_source__a_pipe_is_spooled_too(void **state)
{
	struct buf b = BUF_INIT(1000);
	int saved = dup(STDIN_FILENO), ends[2];
	struct source s;

	(void)state;
	test_dir();
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "{}\n", 3), 3);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(source_open(&s, "-", NULL), 0);
	stdin_back(saved);
	drain(&s, &b);
	assert_str(buf_str(&b), STR("{}\n"));
	source_release(&s);
	buf_release(&b);
}

static void test_source__what_is_no_file_is_refused_by_name(void **state)
{
	struct err e = ERR_INIT;
	struct source s;

	(void)state;
	test_dir();
	assert_int_equal(source_open(&s, test_path("none"), &e), HF_ENOTFOUND);
	assert_non_null(strstr(e.msg, "none"));
	assert_int_equal(s.fd, -1);
	e = ERR_INIT;
	assert_int_equal(source_open(&s, test_path("."), &e), HF_EFORMAT);
	e = ERR_INIT;
	assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
	assert_int_equal(source_open(&s, test_path("fifo"), &e), HF_EFORMAT);
	assert_non_null(strstr(e.msg, "fifo"));
	e = ERR_INIT;
	assert_int_equal(source_open(&s, "/dev/null", &e), HF_EFORMAT);
	source_release(&s);
}

static void test_source__broken_zstd_is_named(void **state)
{
	struct err e = ERR_INIT;
	struct source s;

	(void)state;
	test_dir();
	test_write("t.zst", STR("\x28\xb5\x2f\xfdno frame at all"));
	assert_int_equal(source_open(&s, test_path("t.zst"), &e), HF_EFORMAT);
	assert_non_null(strstr(e.msg, "t.zst: "));
	assert_int_equal(s.fd, -1);
	assert_int_equal(test_entries(getenv("TMPDIR")), 0);
}

/* Compressed text of some blocks, cut or with one byte changed at half its length. */
static void test_source__of_torn_zstd_what_comes_before_is_read(void **state)
{
	struct buf text = BUF_INIT(2u << 20), packed = BUF_INIT(2u << 20),
		   b = BUF_INIT(2u << 20);
	uint64_t x = 1;

	(void)state;
	test_dir();
	while (text.n < 1u << 20) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
		buf_printf(&text, "{\"n\":%llu}\n", (unsigned long long)(x >> 20));
	}
	assert_int_equal(pack_pack(buf_str(&text), &packed, NULL), 0);
	for (int damaged = 0; damaged < 2; damaged++) {
		size_t half = packed.n / 2;
		struct source s;

		packed.p[half] ^= (char)(damaged ? 0x55 : 0);
		test_write("t.zst",
			   damaged ? buf_str(&packed) : str_head(buf_str(&packed), half));
		assert_int_equal(source_open(&s, test_path("t.zst"), NULL), 0);
		assert_true(s.size > text.n / 8 && s.size < text.n);
		buf_reset(&b);
		drain(&s, &b);
		assert_int_equal(b.n, s.size);
		assert_str(buf_str(&b), str_head(buf_str(&text), b.n));
		source_release(&s);
	}
	buf_release(&text);
	buf_release(&packed);
	buf_release(&b);
}

static int open_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Plain file, compressed file, standard input, compressed standard input. */
static void test_source__each_failing_call_is_reported_and_leaves_nothing(void **state)
{
	struct buf packed = BUF_INIT(1000);
	int kind, n, before, unlinked = 0;

	(void)state;
	assert_int_equal(pack_pack(STR("{\"a\":1}\n"), &packed, NULL), 0);
	for (kind = 0; kind < 4; kind++) {
		bool met = true;

		for (n = 1; met; n++) {
			struct err e = ERR_INIT;
			const char *path;
			struct source s;
			int saved, ret, left;

			test_dir();
			test_write("t", kind % 2 ? buf_str(&packed) : STR("{\"a\":1}\n"));
			path = test_path("t");
			saved = stdin_from(path);
			before = open_fds();
			fault_at(n);
			ret = source_open(&s, kind < 2 ? path : "-", &e);
			met = fault_met();
			fault_off();
			stdin_back(saved);
			/* closing what was only read may fail without harm */
			assert_true(ret == 0 || (met && ret == HF_EIO));
			assert_int_equal(e.msg[0] != '\0', ret != 0);
			if (ret == 0) {
				assert_int_equal(s.size, 8);
				source_release(&s);
			}
			assert_int_equal(s.fd, -1);
			assert_int_equal(open_fds(), before - (saved >= 0));
			/* a temporary file that could not be unlinked stays; nothing else does */
			left = test_entries(getenv("TMPDIR"));
			assert_true(left == 0 || (left == 1 && ret == HF_EIO));
			unlinked += left == 0;
		}
		assert_true(n > 3 && unlinked >= n - 3);
		unlinked = 0;
	}
	buf_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source__a_file_is_read_in_place),
		cmocka_unit_test(test_source__short_and_empty_files_are_no_zstd),
		cmocka_unit_test(test_source__a_compressed_file_is_known_by_its_bytes),
		cmocka_unit_test(
			test_source__standard_input_is_spooled_so_that_it_can_go_back),
		cmocka_unit_test(test_source__a_pipe_is_spooled_too),
		cmocka_unit_test(test_source__what_is_no_file_is_refused_by_name),
		cmocka_unit_test(test_source__broken_zstd_is_named),
		cmocka_unit_test(test_source__of_torn_zstd_what_comes_before_is_read),
		cmocka_unit_test(
			test_source__each_failing_call_is_reported_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
