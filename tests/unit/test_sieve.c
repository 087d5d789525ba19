#include "fault.h"

#include <stdlib.h>

#include "base/lanes.h"
#include "work/sieve.h"

#define TEXT_BYTES 400

static bool token(char c)
{
	return str_is_alnum(c) || c == '_' || c == '-';
}

static char get(str s, size_t i)
{
	return i < s.n ? s.p[i] : '\0';
}

/* What the header promises, one byte at a time. */
static unsigned slow(str s, size_t from, size_t i)
{
	unsigned what = 0;
	char c = s.p[i];
	char one = i > from ? s.p[i - 1] : '\0', two = i > from + 1 ? s.p[i - 2] : '\0';
	size_t run = i;

	if (c == '=' || c == ':' || c == '\xef' || c == '\xe6' || c == '\xb1')
		what |= SIEVE_MARK;
	if (c == '-' && one == '-' && two != '-')
		what |= SIEVE_MARK;
	if (c == '-' && one == ' ' && get(s, i + 1) != '-')
		what |= SIEVE_MARK;
	if ((c == 'w' || c == 'W') && (one == 's' || one == 'S'))
		what |= SIEVE_MARK;
	while (token(get(s, run)))
		run++;
	if (!token(one) && run - i >= SIEVE_RUN_MIN)
		what |= SIEVE_RUN;
	return what;
}

static void check(struct sieve *v, str s, size_t from)
{
	unsigned what;
	size_t at;

	for (size_t i = from; i < s.n; i++) {
		if (!slow(s, from, i))
			continue;
		at = sieve_next(v, &what);
		assert_int_equal(at, i);
		assert_int_equal(what, slow(s, from, i));
	}
	assert_int_equal(sieve_next(v, &what), STR_NPOS);
	assert_int_equal(sieve_next(v, &what), STR_NPOS);
}

static void test_sieve__finds_what_a_byte_by_byte_search_finds(void **state)
{
	static const char set[] = "aZ09_-=:swSW \n.\xef\xbc\x9a\xe6\xb1";
	struct sieve v;

	(void)state;
	srand(7);
	for (int round = 0; round < 4000; round++) {
		lanes_wide_use(round % 2);
		/* of exactly its size, so that a sanitizer sees a read past the end */
		size_t n = (size_t)rand() % TEXT_BYTES;
		char *p = malloc(n + 1);
		int letters = rand() % 3 ? 4 : (int)sizeof(set) - 1;

		for (size_t i = 0; i < n; i++)
			p[i] = rand() % 12 ? set[rand() % letters]
					   : set[rand() % ((int)sizeof(set) - 1)];
		p = realloc(p, n ? n : 1);
		sieve_init(&v, (str){p, n});
		check(&v, (str){p, n}, 0);
		for (int k = 0; k < 4 && n; k++) {
			size_t from = (size_t)rand() % n;

			sieve_skip(&v, from);
			check(&v, (str){p, n}, from);
		}
		free(p);
	}
	lanes_wide_use(true);
}

static void test_sieve__runs_count_across_block_borders(void **state)
{
	char text[300];
	struct sieve v;
	unsigned what;

	(void)state;
	for (size_t at = 0; at < 200; at++)
		for (size_t n = SIEVE_RUN_MIN - 1; n <= SIEVE_RUN_MIN; n++) {
			memset(text, '.', sizeof(text));
			memset(text + at, 'a', n);
			sieve_init(&v, (str){text, sizeof(text)});
			if (n < SIEVE_RUN_MIN) {
				assert_int_equal(sieve_next(&v, &what), STR_NPOS);
			} else {
				assert_int_equal(sieve_next(&v, &what), at);
				assert_int_equal(what, SIEVE_RUN);
			}
		}
}

static void test_sieve__an_empty_text_has_no_places(void **state)
{
	struct sieve v;
	unsigned what;

	(void)state;
	sieve_init(&v, STR_NONE);
	assert_int_equal(sieve_next(&v, &what), STR_NPOS);
	sieve_init(&v, STR("a=b"));
	sieve_skip(&v, 3);
	assert_int_equal(sieve_next(&v, &what), STR_NPOS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sieve__finds_what_a_byte_by_byte_search_finds),
		cmocka_unit_test(test_sieve__runs_count_across_block_borders),
		cmocka_unit_test(test_sieve__an_empty_text_has_no_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
