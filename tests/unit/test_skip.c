#include <stdlib.h>

#include "fault.h"
#include "data/skip.h"

static const char *const kernel_name[SKIP_COUNT] = {"auto", "swar", "sse2",
						    "avx2", "neon", "avx512"};

/* What a kernel does, said plainly. */
static size_t plain_skip(const char *p, size_t end)
{
	size_t i = 0;

	while (i < end && p[i] != '"' && p[i] != '\n') {
		size_t need = 2, k;

		if (p[i] != '\\') {
			i++;
			continue;
		}
		if (i + 1 >= end || !p[i + 1] || !strchr("\"\\/bfnrtu", p[i + 1]))
			return i;
		if (p[i + 1] == 'u') {
			need = 6;
			for (k = 2; k < 6; k++)
				if (i + k >= end || !p[i + k] ||
				    !strchr("0123456789abcdefABCDEF", p[i + k]))
					return i;
		}
		i += need;
	}
	return i;
}

/* What the map of all the bytes answers where a string may begin, and at some other places. */
static void check_map(const char *room, size_t n, enum skip_which k)
{
	uint64_t *map = malloc((n / 64 + 1) * sizeof(*map));

	assert_non_null(map);
	memset(map, 0xa5, (n / 64 + 1) * sizeof(*map));
	skip_mapper(k)(room, n, map);
	assert_int_equal(map[n / 64] >> n % 64, 1);
	for (size_t i = 0; i <= n; i++) {
		const char *want;

		if (i && (room[i - 1] == '\\' || (room[i - 1] != '"' && i % 19)))
			continue;
		want = skip_kernel(k)(room + i);
		if (skip_mapped(room + i, room, map) != want)
			fail_msg("%s, mapped: %zu, not %zu, from %zu in %.*s",
				 kernel_name[k], skip_mapped(room + i, room, map) - room,
				 want - room, i, (int)n, room);
	}
	free(map);
}

/* Every kernel on these bytes, with a line feed and garbage behind them. */
static void check(const char *bytes, size_t n)
{
	char *room = malloc(n + 1 + SKIP_PAD_BYTES);
	size_t want = plain_skip(bytes, n), i;
	int k;

	assert_non_null(room);
	memcpy(room, bytes, n);
	room[n] = '\n';
	for (i = 0; i < SKIP_PAD_BYTES; i++)
		room[n + 1 + i] = "\"\\u\n"[i % 4];
	for (k = SKIP_AUTO; k < SKIP_COUNT; k++) {
		skip_fn *kernel = skip_kernel((enum skip_which)k);
		size_t got;

		if (!kernel)
			continue;
		got = (size_t)(kernel(room) - room);
		if (got != want)
			fail_msg("%s: %zu, not %zu, in %.*s", kernel_name[k], got, want,
				 (int)n, bytes);
		check_map(room, n, (enum skip_which)k);
	}
	free(room);
}

static void test_skip__there_is_a_kernel_for_every_processor(void **state)
{
	(void)state;
	assert_non_null(skip_kernel(SKIP_AUTO));
	assert_non_null(skip_kernel(SKIP_SWAR));
#ifdef __x86_64__
	assert_non_null(skip_kernel(SKIP_SSE2));
	assert_null(skip_kernel(SKIP_NEON));
#endif
	assert_null(skip_kernel(SKIP_COUNT));
	for (int k = SKIP_AUTO; k <= SKIP_COUNT; k++)
		assert_int_equal(!skip_kernel((enum skip_which)k),
				 !skip_mapper((enum skip_which)k));
}

static void test_skip__each_stop_is_found_at_every_place_of_a_step(void **state)
{
	static const char *const stop[] = {"\"",    "\n",   "\\q", "\\",     "\\u12g4",
					   "\\u12", "\\\n", "\\u", "\\\xff", ""};
	char text[300];
	size_t at, i, n;

	(void)state;
	for (i = 0; i < sizeof(stop) / sizeof(stop[0]); i++) {
		for (at = 0; at < 200; at++) {
			memset(text, 'a', sizeof(text));
			n = strlen(stop[i]);
			memcpy(text + at, stop[i], n);
			check(text, at + n);
			check(text, at + n + 40);
		}
	}
}

static void test_skip__escapes_are_crossed_at_every_place_of_a_step(void **state)
{
	static const char *const esc[] = {"\\\"", "\\\\", "\\/", "\\b",     "\\f",
					  "\\n",  "\\r",  "\\t", "\\u00e9", "\\uFFFF"};
	char text[300];
	size_t at, i;

	(void)state;
	for (i = 0; i < sizeof(esc) / sizeof(esc[0]); i++) {
		for (at = 0; at < 200; at++) {
			memset(text, 'a', sizeof(text));
			memcpy(text + at, esc[i], strlen(esc[i]));
			text[at + strlen(esc[i])] = '"';
			check(text, 260);
			/* behind other escapes that carry over the border of the step */
			if (at >= 64) {
				memcpy(text + 62, "\\n\\t", 4);
				check(text, 260);
			}
		}
	}
}

static void test_skip__runs_of_backslashes_of_every_length_and_place(void **state)
{
	char text[400];
	size_t at, run;

	(void)state;
	for (run = 1; run < 200; run++) {
		for (at = 0; at < 130; at += 1 + at % 3) {
			memset(text, 'a', sizeof(text));
			memset(text + at, '\\', run);
			text[at + run] = '"';
			text[at + run + 1] = '"';
			check(text, at + run + 10);
			check(text, at + run);
			text[at + run] = 'q';
			check(text, at + run + 10);
		}
	}
}

static void test_skip__kernels_agree_on_random_bytes(void **state)
{
	static const char spice[] = "\\\\\\\\\\\\nntu\"\"00aF\nx/qb\xff";
	uint64_t rng = 5;
	char text[260];
	int round;
	size_t i, n;

	(void)state;
	for (round = 0; round < 60000; round++) {
		for (n = 0; n < sizeof(text); n++) {
			rng = rng * 6364136223846793005ull + 1442695040888963407ull;
			i = (size_t)(rng >> 33);
			/* quotes and line feeds are rare, or all would be over at once */
			text[n] = spice[i % (sizeof(spice) - 1)];
			if ((text[n] == '"' || text[n] == '\n' || text[n] == 'q') &&
			    i / 64 % 16)
				text[n] = 'x';
		}
		check(text, sizeof(text) - (size_t)(round % 70));
	}
}

static void test_skip__escape_names_the_wrong_byte(void **state)
{
	const char *bad = NULL, *p;

	(void)state;
	assert_int_equal(skip_escape("\\n", &bad), 2);
	assert_int_equal(skip_escape("\\u00eF", &bad), 6);
	p = "\\q";
	assert_int_equal(skip_escape(p, &bad), 0);
	assert_ptr_equal(bad, p + 1);
	p = "\\u00{";
	assert_int_equal(skip_escape(p, &bad), 0);
	assert_ptr_equal(bad, p + 4);
}

static void test_skip__plain_finds_short_ascii_strings_only(void **state)
{
	char room[1024];
	size_t n;

	(void)state;
	for (n = 0; n < 80; n++) {
		const char *q;

		memset(room, 'k', sizeof(room));
		room[n] = '"';
		q = skip_plain(room);
		if (n < 48)
			assert_ptr_equal(q, room + n);
		else
			assert_null(q);
		if (n == 0)
			continue;
		room[n - 1] = '\\';
		assert_null(skip_plain(room));
		room[n - 1] = '\n';
		assert_null(skip_plain(room));
		room[n - 1] = '\xc3';
		assert_null(skip_plain(room));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skip__there_is_a_kernel_for_every_processor),
		cmocka_unit_test(test_skip__each_stop_is_found_at_every_place_of_a_step),
		cmocka_unit_test(test_skip__escapes_are_crossed_at_every_place_of_a_step),
		cmocka_unit_test(
			test_skip__runs_of_backslashes_of_every_length_and_place),
		cmocka_unit_test(test_skip__kernels_agree_on_random_bytes),
		cmocka_unit_test(test_skip__escape_names_the_wrong_byte),
		cmocka_unit_test(test_skip__plain_finds_short_ascii_strings_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
