#include "fault.h"

#include <string.h>

#include "data/seal.h"

static void test_seal__a_line_reads_back(void **state)
{
	struct buf b = BUF_INIT(1 << 12);
	char hash[DIGEST_HEX_BYTES];
	struct seal s;

	(void)state;
	seal_add(&b, STR("outcome"), STR("{\"kind\":\"success\"}"), hash);
	assert_true(seal_parse(buf_str(&b), &s));
	assert_true(s.fits);
	assert_str(s.word, STR("outcome"));
	assert_str(s.json, STR("{\"kind\":\"success\"}"));
	assert_str(s.hash, str_of(hash));
	buf_release(&b);
}

static void test_seal__the_hash_is_that_of_the_bytes_in_the_line(void **state)
{
	struct buf b = BUF_INIT(1 << 12);
	char hash[DIGEST_HEX_BYTES], own[DIGEST_HEX_BYTES];
	struct seal s;

	(void)state;
	/* nothing in a string ends the comment early */
	seal_add(&b, STR("version"), STR("{\"a\":\"--> x > y\"}"), hash);
	assert_true(str_find(buf_str(&b), STR("{\"a\":\"--\\u003e x \\u003e y\"}")) !=
		    STR_NPOS);
	assert_true(seal_parse(buf_str(&b), &s));
	digest_hex(s.json, own);
	assert_string_equal(own, hash);
	buf_release(&b);
}

static void test_seal__a_changed_byte_does_not_fit(void **state)
{
	struct buf b = BUF_INIT(1 << 12);
	size_t from, to;
	struct seal s;

	(void)state;
	seal_add(&b, STR("v"), STR("{\"n\":1,\"x\":\"abc\"}"), NULL);
	from = str_chr(buf_str(&b), '{') + 1;
	to = str_chr(buf_str(&b), '}');
	for (size_t i = from; i < to; i++) {
		b.p[i] ^= 1;
		assert_true(seal_parse(buf_str(&b), &s));
		assert_false(s.fits);
		/* who only takes it apart is not told either way */
		assert_true(seal_cut(buf_str(&b), &s));
		assert_false(s.fits);
		b.p[i] ^= 1;
	}
	buf_release(&b);
}

static void test_seal__line_ends_do_not_matter(void **state)
{
	struct buf b = BUF_INIT(1 << 12);
	struct seal s;

	(void)state;
	seal_add(&b, STR("v"), STR("{}"), NULL);
	buf_cut(&b, b.n - 1);
	buf_add(&b, STR("\r\n"));
	assert_true(seal_parse(buf_str(&b), &s));
	assert_true(s.fits);
	buf_release(&b);
}

static void test_seal__cut_at_every_byte_it_is_none(void **state)
{
	struct buf b = BUF_INIT(1 << 12);
	struct seal s;

	(void)state;
	seal_add(&b, STR("version"), STR("{\"a\":1}"), NULL);
	for (size_t n = 0; n + 1 < b.n; n++)
		assert_false(seal_parse((str){b.p, n}, &s));
	buf_release(&b);
}

static void test_seal__other_lines_are_none(void **state)
{
	struct seal s;

	(void)state;
	assert_false(seal_parse(STR_NONE, &s));
	assert_false(seal_parse(STR("<!-- torn -->"), &s));
	assert_false(seal_parse(STR("<!-- id=ev_1 -->"), &s));
	assert_false(seal_is_hash(STR("ABCDEF")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seal__a_line_reads_back),
		cmocka_unit_test(test_seal__the_hash_is_that_of_the_bytes_in_the_line),
		cmocka_unit_test(test_seal__a_changed_byte_does_not_fit),
		cmocka_unit_test(test_seal__line_ends_do_not_matter),
		cmocka_unit_test(test_seal__cut_at_every_byte_it_is_none),
		cmocka_unit_test(test_seal__other_lines_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
