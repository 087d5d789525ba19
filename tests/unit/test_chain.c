#include "fault.h"

#include <string.h>

#include "work/chain.h"

#define H(c)                                                                             \
	c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c  \
		c c c c c c c c c c c c c c c c c c c c c c c c

static struct lineage_entry version(uint64_t n, str chain, str parent, str seal, str prev)
{
	struct lineage_entry v = {.whole = true,
				  .sealed = true,
				  .version = n,
				  .chain = chain,
				  .seal = seal,
				  .at = STR("2026"),
				  .confidence = 0.5};

	if (parent.n)
		v.parents[v.nparents++] = parent;
	if (prev.n)
		v.prev[v.nprev++] = prev;
	v.head = (struct lineage_state){.version = n, .chain = chain, .confidence = 0.5};
	return v;
}

static void test_chain__a_line_has_one_head_and_the_state_of_its_last_entry(void **state)
{
	struct lineage_entry e[] = {
		version(1, STR(H("a")), STR_NONE, STR(H("1")), STR_NONE),
		version(2, STR(H("b")), STR(H("a")), STR(H("2")), STR(H("1"))),
	};
	struct lineage l = {.entry = e, .n = 2};
	struct chain c;

	(void)state;
	chain_of(&c, &l);
	assert_int_equal(c.nheads, 1);
	assert_int_equal(c.heads[0], 1);
	assert_int_equal(c.ntips, 1);
	assert_int_equal(c.last, 2);
	assert_int_equal(c.state.version, 2);
	assert_int_equal(chain_find(&c, STR(H("a"))), 0);
	assert_true(chain_find(&c, STR(H("f"))) == STR_NPOS);
	chain_release(&c);
}

static void test_chain__a_fork_has_two_heads_until_one_names_both(void **state)
{
	struct lineage_entry e[] = {
		version(1, STR(H("a")), STR_NONE, STR(H("1")), STR_NONE),
		version(2, STR(H("b")), STR(H("a")), STR(H("2")), STR(H("1"))),
		version(2, STR(H("c")), STR(H("a")), STR(H("3")), STR(H("1"))),
		version(3, STR(H("d")), STR(H("b")), STR(H("4")), STR(H("2"))),
	};
	struct lineage l = {.entry = e, .n = 3};
	struct chain c;

	(void)state;
	chain_of(&c, &l);
	assert_int_equal(c.nheads, 2);
	assert_int_equal(c.ntips, 2);
	/* equal in number and time: by hash */
	assert_int_equal(c.heads[0], 1);
	chain_release(&c);
	e[3].parents[e[3].nparents++] = STR(H("c"));
	e[3].prev[e[3].nprev++] = STR(H("3"));
	l.n = 4;
	chain_of(&c, &l);
	assert_int_equal(c.nheads, 1);
	assert_int_equal(c.heads[0], 3);
	assert_int_equal(c.ntips, 1);
	chain_release(&c);
}

static void missing(uint64_t first, uint64_t last, void *arg)
{
	buf_printf(arg, "%d-%d ", (int)first, (int)last);
}

static void test_chain__what_came_before_a_gap_is_no_head(void **state)
{
	struct lineage_entry e[] = {
		version(2, STR(H("a")), STR(H("0")), STR(H("1")), STR_NONE),
		version(4, STR(H("b")), STR(H("f")), STR(H("2")), STR(H("1"))),
		version(7, STR(H("c")), STR(H("e")), STR(H("3")), STR(H("2"))),
		version(7, STR(H("d")), STR(H("b")), STR(H("4")), STR(H("2"))),
	};
	struct lineage l = {.entry = e, .n = 3};
	struct buf b = BUF_INIT(256);
	struct chain c;

	(void)state;
	chain_of(&c, &l);
	assert_int_equal(c.gone, 3);
	assert_int_equal(c.nheads, 1);
	assert_int_equal(c.heads[0], 2);
	chain_missing(&c, missing, &b);
	assert_string_equal(buf_cstr(&b), "1-1 3-3 5-6 ");
	chain_release(&c);
	/* one of the same number is a head of its own */
	l.n = 4;
	chain_of(&c, &l);
	assert_int_equal(c.nheads, 2);
	chain_release(&c);
	/* more ends than are gone: one of them was written beside, which one cannot be told */
	l.n = 3;
	e[0].nparents = 0;
	e[1].nparents = 0;
	chain_of(&c, &l);
	assert_int_equal(c.gone, 1);
	assert_int_equal(c.nheads, 3);
	chain_release(&c);
	/* a number that was changed leaves no record without a head */
	e[0] = version(9, STR(H("a")), STR(H("0")), STR(H("1")), STR_NONE);
	e[1] = version(2, STR(H("b")), STR(H("a")), STR(H("2")), STR(H("1")));
	l.n = 2;
	chain_of(&c, &l);
	assert_int_equal(c.gone, 1);
	assert_int_equal(c.nheads, 1);
	assert_int_equal(c.heads[0], 1);
	chain_release(&c);
	/* the first that is there is no first one */
	l = (struct lineage){.entry = e + 2, .n = 1};
	chain_of(&c, &l);
	assert_int_equal(c.gone, 1);
	assert_int_equal(c.nheads, 1);
	chain_release(&c);
	buf_release(&b);
}

static void test_chain__a_copy_counts_once_and_what_lacks_a_part_not_at_all(void **state)
{
	struct lineage_entry e[] = {
		version(1, STR(H("a")), STR_NONE, STR(H("1")), STR_NONE),
		version(2, STR(H("b")), STR(H("a")), STR(H("2")), STR(H("1"))),
		version(2, STR(H("b")), STR(H("a")), STR(H("2")), STR(H("1"))),
		version(3, STR(H("c")), STR(H("b")), STR(H("3")), STR(H("2"))),
	};
	struct lineage l = {.entry = e, .n = 4};
	struct chain c;

	(void)state;
	e[3].whole = false;
	chain_of(&c, &l);
	assert_true(c.twice[2]);
	assert_int_equal(c.nheads, 1);
	assert_int_equal(c.heads[0], 1);
	assert_int_equal(c.last, 2);
	chain_release(&c);
}

static void test_chain__the_hash_is_of_the_content_and_the_parents_in_order(void **state)
{
	str ab[] = {STR("bb"), STR("aa")}, ba[] = {STR("aa"), STR("bb")};
	char x[65], y[65];

	(void)state;
	chain_hash(STR("c"), ab, 2, x);
	chain_hash(STR("c"), ba, 2, y);
	assert_string_equal(x, y);
	/* printf caabb | sha256sum */
	assert_string_equal(
		x, "1b316b57efc531668663bc8049a2578f46611c88989cf60b0c718e32e921104a");
	/* printf abc | sha256sum */
	chain_hash(STR("abc"), NULL, 0, x);
	assert_string_equal(
		x, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_chain__the_body_of_a_version_is_canonical(void **state)
{
	char x[65], y[65];

	(void)state;
	assert_int_equal(chain_content(STR("s"), STR("k"), 1, STR("{\"b\":1.0,\"a\":2}"),
				       STR("me"), STR("now"), STR_NONE, x, NULL),
			 0);
	assert_int_equal(chain_content(STR("s"), STR("k"), 1,
				       STR(" {\n\"a\" : 2, \"b\":1}"), STR("me"),
				       STR("now"), STR_NONE, y, NULL),
			 0);
	assert_string_equal(x, y);
	assert_int_equal(chain_content(STR("s"), STR("k"), 2, STR("{\"a\":2,\"b\":1}"),
				       STR("me"), STR("now"), STR_NONE, y, NULL),
			 0);
	assert_string_not_equal(x, y);
	assert_int_equal(chain_content(STR("s"), STR("k"), 1, STR("{"), STR("me"),
				       STR("now"), STR_NONE, y, NULL),
			 HF_EFORMAT);
}

static void test_chain__a_step_counts_and_moves(void **state)
{
	struct lineage_state s = {.confidence = 0.8};

	(void)state;
	chain_step(&s, STR("success"));
	assert_true(s.confidence == 0.84);
	chain_step(&s, STR("minor_failure"));
	chain_step(&s, STR("unknown"));
	chain_step(&s, STR("no such kind"));
	assert_int_equal(s.successes, 1);
	assert_int_equal(s.failures, 1);
	assert_int_equal(s.others, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_chain__a_line_has_one_head_and_the_state_of_its_last_entry),
		cmocka_unit_test(test_chain__a_fork_has_two_heads_until_one_names_both),
		cmocka_unit_test(test_chain__what_came_before_a_gap_is_no_head),
		cmocka_unit_test(
			test_chain__a_copy_counts_once_and_what_lacks_a_part_not_at_all),
		cmocka_unit_test(
			test_chain__the_hash_is_of_the_content_and_the_parents_in_order),
		cmocka_unit_test(test_chain__the_body_of_a_version_is_canonical),
		cmocka_unit_test(test_chain__a_step_counts_and_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
