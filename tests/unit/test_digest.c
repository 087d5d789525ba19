#include <stdlib.h>

#include "fault.h"
#include "data/digest.h"

static void expect(str s, const char *want)
{
	char hex[DIGEST_HEX_BYTES];

	digest_hex(s, hex);
	assert_string_equal(hex, want);
}

/* the examples of FIPS 180-2, appendix B, and the empty text */
static void test_digest__known_answers(void **state)
{
	char *million = malloc(1000000);

	(void)state;
	assert_non_null(million);
	memset(million, 'a', 1000000);
	expect(STR(""),
	       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect(STR_NONE,
	       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect(STR("abc"),
	       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect((str){million, 1000000},
	       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void test_digest__a_nul_byte_counts(void **state)
{
	char a[DIGEST_HEX_BYTES], b[DIGEST_HEX_BYTES];

	(void)state;
	digest_hex(STR("a\0b"), a);
	digest_hex(STR("a"), b);
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(a), DIGEST_HEX_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest__known_answers),
		cmocka_unit_test(test_digest__a_nul_byte_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
