#include "fault.h"
#include "base/arena.h"

#include <stdio.h>
#include <unistd.h>

static bool all_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static void test_arena__hands_out_zeroed_aligned_items(void **state)
{
	struct arena a;
	char *c;
	uint64_t *u;

	(void)state;
	arena_init(&a, 4096);
	c = arena_new(&a, char, 3);
	u = arena_new(&a, uint64_t, 2);
	assert_non_null(c);
	assert_int_equal((uintptr_t)u % alignof(uint64_t), 0);
	assert_true((char *)u >= c + 3);
	assert_true(u[0] == 0 && u[1] == 0);
	assert_int_equal(arena_left(&a), 4096 - 8 - 16);
	arena_release(&a);
	assert_null(a.base);
	arena_release(&a);
}

static void test_arena__is_null_when_full(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 100);
	assert_non_null(arena_new(&a, char, 99));
	assert_null(arena_new(&a, uint16_t, 1)); /* the padding does not fit either */
	assert_null(arena_new(&a, char, 2));
	assert_null(arena_new(&a, uint64_t, SIZE_MAX / 4)); /* wraps */
	assert_null(arena_alloc(&a, SIZE_MAX, 1, 1));
	assert_int_equal(arena_left(&a), 1); /* failures took nothing */
	assert_non_null(arena_new(&a, char, 1));
	assert_int_equal(arena_left(&a), 0);
	arena_release(&a);
}

static void test_arena__of_0_bytes_is_always_full(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 0);
	assert_null(arena_new(&a, char, 1));
	assert_null(arena_str(&a, STR("")).p);
	arena_reset(&a);
	arena_release(&a);
}

static void test_arena__copies_text_with_a_nul(void **state)
{
	struct arena a;
	str s;

	(void)state;
	arena_init(&a, 8);
	s = arena_str(&a, STR("abc"));
	assert_str(s, STR("abc"));
	assert_int_equal(s.p[3], 0);
	assert_null(arena_str(&a, STR("abcd")).p);
	s = arena_str(&a, STR_NONE);
	assert_non_null(s.p);
	assert_int_equal(s.n, 0);
	assert_null(arena_str(&a, (str){"", SIZE_MAX}).p);
	arena_release(&a);
}

static void test_arena__what_a_scratch_copy_took_is_zeroed_again(void **state)
{
	struct arena a, scratch;
	char *p;

	(void)state;
	arena_init(&a, 4096);
	scratch = a;
	p = arena_new(&scratch, char, 1000);
	memset(p, 'x', 1000);
	p = arena_new(&a, char, 2000);
	assert_true(all_zero(p, 2000));
	arena_release(&a);
}

static void test_arena__reset_gives_zeroed_memory_again(void **state)
{
	struct arena a;
	size_t n = ARENA_KEEP_BYTES + 100000;
	char *p;

	(void)state;
	arena_init(&a, 4u << 20);
	for (int round = 0; round < 3; round++) {
		p = arena_new(&a, char, n);
		assert_non_null(p);
		assert_true(all_zero(p, n));
		memset(p, 'x', n);
		arena_reset(&a);
		assert_int_equal(a.used, 0);
	}
	arena_release(&a);
}

#ifdef __linux__
/* Pages of ours in memory, from /proc. */
static long resident(void)
{
	long pages = -1;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
	return pages;
}

static void test_arena__memory_follows_use_and_reset_gives_it_back(void **state)
{
	size_t n = 64u << 20;
	long page = sysconf(_SC_PAGESIZE), before, unused, used, after;
	struct arena a;
	char *p;

	(void)state;
	before = resident();
	arena_init(&a, n);
	unused = resident();
	p = arena_new(&a, char, n);
	memset(p, 'x', n);
	used = resident();
	arena_reset(&a);
	after = resident();
	assert_true((unused - before) * page < (1 << 20));
	assert_true((used - before) * page > (60 << 20));
	assert_true((after - before) * page < (3 << 20));
	arena_release(&a);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena__hands_out_zeroed_aligned_items),
		cmocka_unit_test(test_arena__is_null_when_full),
		cmocka_unit_test(test_arena__of_0_bytes_is_always_full),
		cmocka_unit_test(test_arena__copies_text_with_a_nul),
		cmocka_unit_test(test_arena__what_a_scratch_copy_took_is_zeroed_again),
		cmocka_unit_test(test_arena__reset_gives_zeroed_memory_again),
#ifdef __linux__
		cmocka_unit_test(test_arena__memory_follows_use_and_reset_gives_it_back),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
