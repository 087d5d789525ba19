#include "fault.h"
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int out_file(void)
{
	int fd = open(test_path("f"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void test_out__writes_everything_in_order(void **state)
{
	struct buf want = BUF_INIT(10 << 20);
	struct err e = ERR_INIT;
	struct out o;
	int fd;

	(void)state;
	test_dir();
	fd = out_file();
	out_init(&o, fd, "f");
	fault_short(1000);
	for (int i = 0; i < 20000; i++) {
		out_add(&o, STR("line "));
		out_printf(&o, "%d\n", i);
		buf_printf(&want, "line %d\n", i);
		if (i % 5000 == 0) { /* larger than the buffer */
			struct buf big = BUF_INIT(SIZE_MAX);

			buf_fill(&big, 'x', OUT_BUFFER_BYTES + 1);
			out_add(&o, buf_str(&big));
			buf_add(&want, buf_str(&big));
			buf_release(&big);
		}
	}
	fault_off();
	assert_int_equal(out_end(&o, &e), 0);
	close(fd);
	assert_true(str_eq(test_read("f"), buf_str(&want)));
	assert_null(o.b.p);
	buf_release(&want);
}

static void test_out__items_built_in_its_buf_are_written_at_a_step(void **state)
{
	struct out o;
	int fd;

	(void)state;
	test_dir();
	fd = out_file();
	out_init(&o, fd, "f");
	buf_add(&o.b, STR("small"));
	out_step(&o);
	assert_true(test_is("f", "")); /* not yet worth a write */
	buf_fill(&o.b, 'x', 2 << 20);
	out_step(&o);
	assert_int_equal(test_read("f").n, 5 + (2 << 20));
	assert_true(o.b.cap <=
		    4 * OUT_BUFFER_BYTES); /* the memory of a large item is given back */
	assert_int_equal(out_end(&o, NULL), 0);
	close(fd);
}

static void collect(void *arg, str s)
{
	buf_add(arg, s);
}

static void test_out__a_sink_gets_all_bytes_in_order(void **state)
{
	struct buf got = BUF_INIT(SIZE_MAX), want = BUF_INIT(SIZE_MAX);
	struct err e = ERR_INIT;
	struct out o;

	(void)state;
	out_init_sink(&o, "a sink", collect, &got);
	for (int i = 0; i < 5000; i++) {
		out_printf(&o, "line %d\n", i);
		buf_printf(&want, "line %d\n", i);
		if (i == 100) {
			struct buf big = BUF_INIT(SIZE_MAX);

			buf_fill(&big, 'x', OUT_BUFFER_BYTES);
			out_add(&o, buf_str(&big));
			buf_add(&want, buf_str(&big));
			buf_release(&big);
		}
	}
	assert_int_equal(out_end(&o, &e), 0);
	assert_true(str_eq(buf_str(&got), buf_str(&want)));
	buf_release(&got);
	buf_release(&want);
}

static void test_out__nothing_is_written_for_nothing(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1, "f");
	assert_int_equal(out_end(&o, NULL), 0);
}

static void test_out__the_first_failure_stays_and_ends_the_writing(void **state)
{
	struct err e = ERR_INIT;
	struct out o;
	int fd;

	(void)state;
	test_dir();
	fd = out_file();
	out_init(&o, fd, "standard output");
	fault_at(1);
	buf_fill(&o.b, 'x', OUT_BUFFER_BYTES);
	out_step(&o);
	assert_true(fault_met());
	assert_true(out_failed(&o));
	fault_at(1);
	fault_errno(EIO);
	out_printf(&o, "more");
	buf_fill(&o.b, 'x', OUT_BUFFER_BYTES);
	out_step(&o);
	out_add(&o, buf_str(&o.b));
	assert_int_equal(out_end(&o, &e), HF_EIO);
	assert_int_equal(fault_calls(), 0); /* not tried again */
	fault_off();
	assert_string_equal(e.msg, "standard output: No space left on device");
	close(fd);
	assert_true(test_is("f", ""));
}

static void test_out__a_failure_at_the_very_end_is_reported(void **state)
{
	struct out o;
	int fd;

	(void)state;
	test_dir();
	fd = out_file();
	out_init(&o, fd, "f");
	out_add(&o, STR("x"));
	assert_false(out_failed(&o));
	fault_at(1);
	assert_int_equal(out_end(&o, NULL), HF_EIO);
	fault_off();
	close(fd);
}

static void test_out__a_reader_that_went_away_is_told_apart(void **state)
{
	struct err e = ERR_INIT;
	struct out o;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	out_init(&o, ends[1], "f");
	out_add(&o, STR("x"));
	assert_int_equal(out_end(&o, &e), HF_EPIPE);
	close(ends[1]);
}

static void test_out__an_endless_item_is_an_error(void **state)
{
	struct err e = ERR_INIT;
	struct out o;
	int fd;

	(void)state;
	test_dir();
	fd = out_file();
	out_init(&o, fd, "f");
	out_add(&o, STR("x"));
	assert_null(buf_room(&o.b, OUT_ITEM_MAX_BYTES)); /* sets full */
	out_step(&o);
	out_add(&o, STR("y"));
	assert_int_equal(out_end(&o, &e), HF_ELIMIT);
	assert_string_equal(e.msg, "f: one item is over 268435456 bytes");
	close(fd);
	assert_true(test_is("f", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_out__writes_everything_in_order),
		cmocka_unit_test(test_out__items_built_in_its_buf_are_written_at_a_step),
		cmocka_unit_test(test_out__a_sink_gets_all_bytes_in_order),
		cmocka_unit_test(test_out__nothing_is_written_for_nothing),
		cmocka_unit_test(test_out__the_first_failure_stays_and_ends_the_writing),
		cmocka_unit_test(test_out__a_failure_at_the_very_end_is_reported),
		cmocka_unit_test(test_out__a_reader_that_went_away_is_told_apart),
		cmocka_unit_test(test_out__an_endless_item_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
