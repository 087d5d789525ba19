#include "fault.h"

#include <stdlib.h>

#include "base/lanes.h"

static void fill(char *p)
{
	for (size_t i = 0; i < LANES; i++)
		p[i] = (char)(rand() % 256);
}

static bool bit(uint64_t bits, size_t i)
{
	return bits >> i & 1;
}

static void test_lanes__bits_say_what_the_bytes_say(void **state)
{
	char *p = malloc(LANES + 1); /* of exactly its size, and not aligned */

	(void)state;
	srand(3);
	for (int round = 0; round < 20000; round++) {
		unsigned char low = (unsigned char)(rand() % 256);
		unsigned char high = (unsigned char)(low + rand() % (256 - low));
		uint64_t within, is, tops;

		fill(p + 1);
		p[1 + rand() % LANES] = (char)low;
		p[1 + rand() % LANES] = (char)high;
		within = lanes_within(p + 1, low, high);
		is = lanes_is(p + 1, (char)low);
		tops = lanes_high(p + 1);
		for (size_t i = 0; i < LANES; i++) {
			unsigned char c = (unsigned char)p[1 + i];

			assert_int_equal(bit(within, i), c >= low && c <= high);
			assert_int_equal(bit(is, i), c == low);
			assert_int_equal(bit(tops, i), c >= 0x80);
		}
	}
	free(p);
}

static void test_lanes__every_byte_is_in_every_range_it_belongs_to(void **state)
{
	static const unsigned char edge[] = {0,    1,    0x1f, 0x20, 0x7e, 0x7f,
					     0x80, 0x81, 0xbf, 0xfe, 0xff};
	char p[LANES];

	(void)state;
	for (size_t a = 0; a < sizeof(edge); a++)
		for (size_t b = a; b < sizeof(edge); b++)
			for (unsigned c = 0; c < 256; c++) {
				memset(p, (char)c, LANES);
				assert_int_equal(lanes_within(p, edge[a], edge[b]),
						 c >= edge[a] && c <= edge[b] ? ~0ull
									      : 0);
			}
}

static void test_lanes__counts_and_masks_at_both_ends(void **state)
{
	char from[16], to[16];

	(void)state;
	assert_int_equal(lanes_before(0), LANES);
	assert_int_equal(lanes_before(1), 0);
	assert_int_equal(lanes_before(1ull << 63), 63);
	assert_int_equal(lanes_first(0), 0);
	assert_int_equal(lanes_first(1), 1);
	assert_int_equal(lanes_first(63), ~0ull >> 1);
	assert_int_equal(lanes_first(64), ~0ull);
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 17);
	lanes_copy(to, from);
	assert_memory_equal(to, from, sizeof(to));
}

static void test_lanes__the_wide_ways_can_be_switched_off(void **state)
{
	bool have = lanes_wide_use(true);

	(void)state;
	assert_int_equal(lanes_wide(), have);
	assert_int_equal(lanes_wide_use(false), have);
	assert_false(lanes_wide());
	lanes_wide_use(true);
	assert_int_equal(lanes_wide(), have);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes__bits_say_what_the_bytes_say),
		cmocka_unit_test(test_lanes__every_byte_is_in_every_range_it_belongs_to),
		cmocka_unit_test(test_lanes__counts_and_masks_at_both_ends),
		cmocka_unit_test(test_lanes__the_wide_ways_can_be_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
