#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"
#include "base/fs.h"
#include "data/pack.h"

static void made_text(struct buf *b, size_t n)
{
	uint32_t x = 1;

	while (b->n < n) {
		x = x * 1664525 + 1013904223;
		buf_printf(b, "line %u of a text\n", x >> 20);
	}
	buf_cut(b, n);
}

static int put(const char *name, str s)
{
	int fd;

	test_write(name, s);
	fd = open(test_path(name), O_RDWR);
	assert_true(fd >= 0);
	return fd;
}

static void test_pack__texts_of_all_sizes_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 100, 131072, 262145, 3 << 20};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf text = BUF_INIT(8 << 20), packed = BUF_INIT(8 << 20),
			   back = BUF_INIT(sizes[i]);
		struct err e = ERR_INIT;

		made_text(&text, sizes[i]);
		assert_int_equal(pack_pack(buf_str(&text), &packed, &e), 0);
		assert_true(pack_is_packed(buf_str(&packed)));
		assert_true(packed.n < 100 + sizes[i] / 2);
		assert_int_equal(pack_unpack_text(buf_str(&packed), &back, &e), 0);
		assert_str(buf_str(&back), buf_str(&text));
		buf_release(&text);
		buf_release(&packed);
		buf_release(&back);
	}
}

static void test_pack__the_magic_numbers_are_known(void **state)
{
	(void)state;
	assert_true(pack_is_packed(STR("\x28\xb5\x2f\xfd")));
	assert_true(pack_is_packed(STR("\x50\x2a\x4d\x18....")));
	assert_true(pack_is_packed(STR("\x5f\x2a\x4d\x18")));
	assert_false(pack_is_packed(STR("\x60\x2a\x4d\x18")));
	assert_false(pack_is_packed(STR("\x28\xb5\x2f")));
	assert_false(pack_is_packed(STR("\x1f\x8b\x08\x00")));
	assert_false(pack_is_packed(STR("{\"a\":1}")));
	assert_false(pack_is_packed(STR("")));
}

static void test_pack__a_text_over_the_limit_is_refused_and_leaves_nothing(void **state)
{
	struct buf text = BUF_INIT(8 << 20), packed = BUF_INIT(8 << 20),
		   back = BUF_INIT(999999), tiny = BUF_INIT(20);
	struct err e = ERR_INIT;

	(void)state;
	made_text(&text, 1000000);
	assert_int_equal(pack_pack(buf_str(&text), &packed, &e), 0);
	buf_add(&back, STR("old"));
	assert_int_equal(pack_unpack_text(buf_str(&packed), &back, &e), HF_ELIMIT);
	assert_non_null(strstr(e.msg, "999999"));
	assert_str(buf_str(&back), STR("old"));
	assert_int_equal(pack_pack(buf_str(&text), &tiny, NULL), HF_ELIMIT);
	buf_release(&text);
	buf_release(&packed);
	buf_release(&back);
	buf_release(&tiny);
}

static void test_pack__cut_at_every_byte(void **state)
{
	struct buf text = BUF_INIT(1 << 20), packed = BUF_INIT(1 << 20),
		   back = BUF_INIT(1 << 20);
	size_t cut;

	(void)state;
	made_text(&text, 1000);
	assert_int_equal(pack_pack(buf_str(&text), &packed, NULL), 0);
	for (cut = 0; cut < packed.n; cut++) {
		struct err e = ERR_INIT;

		assert_int_equal(
			pack_unpack_text(str_head(buf_str(&packed), cut), &back, &e),
			HF_EFORMAT);
		assert_int_equal(back.n, 0);
		assert_true(e.msg[0] != '\0');
	}
	buf_release(&text);
	buf_release(&packed);
	buf_release(&back);
}

static void test_pack__a_changed_byte_never_gives_another_text(void **state)
{
	struct buf text = BUF_INIT(1 << 20), packed = BUF_INIT(1 << 20),
		   back = BUF_INIT(1 << 20);
	size_t at;

	(void)state;
	made_text(&text, 1000);
	assert_int_equal(pack_pack(buf_str(&text), &packed, NULL), 0);
	for (at = 0; at < packed.n; at++) {
		packed.p[at] ^= 0x20;
		buf_reset(&back);
		if (pack_unpack_text(buf_str(&packed), &back, NULL) == 0)
			assert_str(buf_str(&back), buf_str(&text));
		packed.p[at] ^= 0x20;
	}
	buf_release(&text);
	buf_release(&packed);
	buf_release(&back);
}

static void test_pack__files_are_unpacked_with_frames_one_behind_another(void **state)
{
	struct buf text = BUF_INIT(8 << 20), packed = BUF_INIT(8 << 20);
	struct err e = ERR_INIT;
	int fd, out;

	(void)state;
	test_dir();
	made_text(&text, 700000);
	assert_int_equal(pack_pack(str_head(buf_str(&text), 400000), &packed, &e), 0);
	buf_add(&packed, STR("\x50\x2a\x4d\x18\x03\0\0\0xyz")); /* a skippable frame */
	assert_int_equal(pack_pack(str_from(buf_str(&text), 400000), &packed, &e), 0);
	fd = put("in.zst", buf_str(&packed));
	out = put("out", STR(""));
	fault_short(1000);
	assert_int_equal(pack_unpack(fd, out, text.n, "in.zst", &e), 0);
	fault_off();
	assert_str(test_read("out"), buf_str(&text));
	close(fd);
	close(out);
	buf_release(&text);
	buf_release(&packed);
}

static void test_pack__files_over_the_limit_cut_or_no_zstd_are_refused(void **state)
{
	struct buf text = BUF_INIT(8 << 20), packed = BUF_INIT(8 << 20);
	int fd, out, i;

	(void)state;
	test_dir();
	made_text(&text, 700000);
	assert_int_equal(pack_pack(buf_str(&text), &packed, NULL), 0);
	for (i = 0; i < 4; i++) {
		static const int want[] = {HF_ELIMIT, HF_EFORMAT, HF_EFORMAT, HF_EFORMAT};
		struct err e = ERR_INIT;
		str s = buf_str(&packed);

		s = i == 1   ? str_head(s, s.n - 10)
		    : i == 2 ? STR("{\"a\":1}\n")
		    : i == 3 ? STR("")
			     : s;
		fd = put("in.zst", s);
		out = put("out", STR(""));
		assert_int_equal(
			pack_unpack(fd, out, i == 0 ? text.n - 1 : text.n, "in.zst", &e),
			want[i]);
		assert_true(strncmp(e.msg, "in.zst: ", 8) == 0);
		close(fd);
		close(out);
	}
	buf_release(&text);
	buf_release(&packed);
}

/* Before RFC 8878: 0.5, 0.6 and 0.7 begin with FD2FB525 to 27. Alone, and behind a frame of today. */
static void test_pack__frames_of_old_versions_are_refused(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	for (int second = 0; second < 2; second++)
		for (char v = 0x25; v <= 0x27; v++) {
			struct buf b = BUF_INIT(4096), back = BUF_INIT(4096);
			const char magic[] = {v, '\xb5', '\x2f', '\xfd'};
			int in, out;

			if (second)
				assert_int_equal(pack_pack(STR("today"), &b, &e), 0);
			buf_add(&b, (str){magic, sizeof(magic)});
			buf_add(&b,
				STR("\x0a\x01\x02\x03 and what follows, long enough for a header"));
			buf_add(&back, STR("kept"));
			assert_int_equal(pack_unpack_text(buf_str(&b), &back, NULL),
					 HF_EFORMAT);
			assert_str(buf_str(&back), STR("kept"));
			in = put("old.zst", buf_str(&b));
			out = put("old", STR(""));
			assert_int_equal(pack_unpack(in, out, 4096, "old.zst", NULL),
					 HF_EFORMAT);
			close(in);
			close(out);
			buf_release(&b);
			buf_release(&back);
		}
}

static void test_pack__a_window_over_the_cap_is_refused(void **state)
{
	/* a frame header that asks for a window of 256 MB: descriptor 0, window exponent 18 */
	static const char frame[] = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
	struct buf back = BUF_INIT(100);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(pack_unpack_text(STR(frame), &back, &e), HF_EFORMAT);
	assert_non_null(strstr(e.msg, "emory"));
	buf_release(&back);
}

static void test_pack__each_failing_call_is_reported(void **state)
{
	struct buf text = BUF_INIT(8 << 20), packed = BUF_INIT(8 << 20);
	bool met = true;
	int n;

	(void)state;
	test_dir();
	made_text(&text, 700000);
	assert_int_equal(pack_pack(buf_str(&text), &packed, NULL), 0);
	for (n = 1; met; n++) {
		struct err e = ERR_INIT;
		int fd = put("in.zst", buf_str(&packed)), out = put("out", STR("")), ret;

		fault_at(n);
		ret = pack_unpack(fd, out, text.n, "in.zst", &e);
		met = fault_met();
		fault_off();
		assert_int_equal(ret, met ? HF_EIO : 0);
		assert_int_equal(e.msg[0] != '\0', met);
		close(fd);
		close(out);
	}
	assert_true(n > 4);
	buf_release(&text);
	buf_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pack__texts_of_all_sizes_come_back),
		cmocka_unit_test(test_pack__the_magic_numbers_are_known),
		cmocka_unit_test(
			test_pack__a_text_over_the_limit_is_refused_and_leaves_nothing),
		cmocka_unit_test(test_pack__cut_at_every_byte),
		cmocka_unit_test(test_pack__a_changed_byte_never_gives_another_text),
		cmocka_unit_test(
			test_pack__files_are_unpacked_with_frames_one_behind_another),
		cmocka_unit_test(
			test_pack__files_over_the_limit_cut_or_no_zstd_are_refused),
		cmocka_unit_test(test_pack__frames_of_old_versions_are_refused),
		cmocka_unit_test(test_pack__a_window_over_the_cap_is_refused),
		cmocka_unit_test(test_pack__each_failing_call_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
