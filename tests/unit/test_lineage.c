#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include "data/lineage.h"

#define CONTENT "1111111111111111111111111111111111111111111111111111111111111111"
#define CHAIN   "2222222222222222222222222222222222222222222222222222222222222222"
#define CHAIN2  "3333333333333333333333333333333333333333333333333333333333333333"

/* Two versions with an outcome between; where the blocks end. */
static void sample(struct buf *b, size_t end[3])
{
	struct lineage_entry v = {.version = 1,
				  .agent = STR("sc\"out"),
				  .at = STR("2026-02-12T18:00:00.000Z"),
				  .content = STR(CONTENT),
				  .chain = STR(CHAIN),
				  .confidence = 0.8,
				  .value = STR("{\n  \"a\": 1\n}"),
				  .tags = STR("[\"x\"]"),
				  .note = STR("a --> b")};
	struct lineage_entry o = {.type = LINEAGE_OUTCOME,
				  .version = 1,
				  .agent = STR("executor"),
				  .at = STR("2026-02-12T18:00:01.000Z"),
				  .kind = STR("success"),
				  .of = STR(CHAIN),
				  .before = 0.8,
				  .after = 0.84,
				  .moved = true};
	char first[65], second[65], third[65];

	lineage_add_header(b, STR("listing/482"), STR("key: odd"));
	lineage_add_version(b, &v, 0, first);
	end[0] = b->n;
	o.head = v.head;
	o.head.confidence = 0.84;
	o.head.successes = 1;
	o.prev[0] = str_of(first);
	o.nprev = 1;
	lineage_add_outcome(b, &o, 0, second);
	end[1] = b->n;
	v.version = 2;
	v.chain = STR(CHAIN2);
	v.parents[0] = STR(CHAIN);
	v.nparents = 1;
	v.prev[0] = str_of(second);
	v.nprev = 1;
	lineage_add_version(b, &v, 0, third);
	end[2] = b->n;
}

static void check_first(const struct lineage *l)
{
	const struct lineage_entry *v = &l->entry[0];

	assert_true(v->sealed && v->whole && v->placed);
	assert_int_equal(v->type, LINEAGE_VERSION);
	assert_int_equal(v->version, 1);
	assert_str(v->agent, STR("sc\"out"));
	assert_str(v->note, STR("a --> b"));
	assert_str(v->tags, STR("[\"x\"]"));
	assert_str(str_trim(v->value), STR("{\n  \"a\": 1\n}"));
	assert_str(v->content, STR(CONTENT));
	assert_true(v->confidence == 0.8);
	assert_int_equal(v->nparents + v->nprev, 0);
}

static void test_lineage__what_is_written_reads_back(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16);
	size_t end[3];

	(void)state;
	sample(&b, end);
	lineage_parse(&l, buf_str(&b));
	assert_str(l.scope, STR("listing/482"));
	assert_str(l.key, STR("key: odd"));
	assert_int_equal(l.n, 3);
	assert_int_equal(l.lost + l.torn + l.torn_tail, 0);
	check_first(&l);
	assert_int_equal(l.entry[1].type, LINEAGE_OUTCOME);
	assert_true(l.entry[1].moved && l.entry[1].whole && l.entry[1].placed);
	assert_true(l.entry[1].head.confidence == 0.84);
	assert_int_equal(l.entry[1].head.successes, 1);
	assert_str(l.entry[1].prev[0], l.entry[0].seal);
	assert_str(l.entry[2].parents[0], STR(CHAIN));
	assert_int_equal(l.entry[2].head.offset, l.entry[2].line);
	lineage_release(&l);
	buf_release(&b);
}

static void
test_lineage__cut_at_every_byte_whole_entries_stay_and_the_rest_is_torn(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16);
	size_t end[3], want;

	(void)state;
	sample(&b, end);
	for (size_t n = 0; n <= b.n; n++) {
		lineage_parse(&l, (str){b.p, n});
		/* without its newline a line is whole */
		want = n + 1 >= end[2]   ? 3
		       : n + 1 >= end[1] ? 2
		       : n + 1 >= end[0] ? 1
					 : 0;
		assert_int_equal(l.n, want);
		assert_int_equal(l.lost, 0);
		if (want)
			check_first(&l);
	}
	lineage_release(&l);
	buf_release(&b);
}

static void test_lineage__the_next_block_after_every_cut_is_read(void **state)
{
	struct buf b = BUF_INIT(1 << 16), all = BUF_INIT(1 << 16);
	struct lineage l = LINEAGE_INIT;
	size_t end[3];

	(void)state;
	sample(&b, end);
	for (size_t n = end[0]; n < end[2]; n++) {
		struct lineage_entry v;
		bool torn;

		lineage_parse(&l, (str){b.p, n});
		torn = l.torn_tail;
		buf_reset(&all);
		buf_add(&all, (str){b.p, n});
		if (b.p[n - 1] != '\n')
			buf_byte(&all, '\n');
		if (torn)
			lineage_add_torn(&all, l.open_fence);
		v = (struct lineage_entry){.version = 7,
					   .agent = STR("a"),
					   .at = STR("t"),
					   .content = STR(CONTENT),
					   .chain = STR(CHAIN),
					   .confidence = 1,
					   .value = STR("7")};
		lineage_add_version(&all, &v, 0, NULL);
		lineage_parse(&l, buf_str(&all));
		assert_int_equal(l.lost, 0);
		assert_int_equal(l.torn, torn);
		assert_false(l.torn_tail);
		assert_int_equal(l.entry[l.n - 1].version, 7);
		assert_str(str_trim(l.entry[l.n - 1].value), STR("7"));
		check_first(&l);
	}
	lineage_release(&l);
	buf_release(&b);
	buf_release(&all);
}

static void test_lineage__the_tail_alone_tells_the_newest_entry(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16);
	size_t end[3];

	(void)state;
	sample(&b, end);
	for (size_t from = 1; from < b.n; from++) {
		str window = str_from(buf_str(&b), from);

		if (!lineage_tail(&l, window, from)) {
			assert_true(from > b.n - 600);
			continue;
		}
		assert_int_equal(l.n, 1);
		assert_int_equal(l.entry[0].version, 2);
		assert_true(l.entry[0].placed && l.entry[0].sealed);
		assert_false(l.torn_tail);
	}
	assert_true(lineage_tail(&l, (str){b.p, end[1]}, 0));
	assert_int_equal(l.entry[0].type, LINEAGE_OUTCOME);
	/* a torn block behind it */
	assert_true(lineage_tail(&l, (str){b.p, end[1] + 40}, 0));
	assert_int_equal(l.entry[0].type, LINEAGE_OUTCOME);
	assert_true(l.torn_tail);
	lineage_release(&l);
	buf_release(&b);
}

static void test_lineage__a_block_of_the_tail_gives_its_value(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16);
	size_t end[3];
	str block;

	(void)state;
	sample(&b, end);
	assert_true(lineage_tail(&l, buf_str(&b), 0));
	block = (str){b.p + l.entry[0].head.offset - l.entry[0].head.size,
		      l.entry[0].head.size};
	assert_str(str_trim(lineage_value(block)), STR("{\n  \"a\": 1\n}"));
	lineage_release(&l);
	buf_release(&b);
}

static void
test_lineage__converted_line_ends_and_a_bom_change_nothing_but_the_places(void **state)
{
	struct buf b = BUF_INIT(1 << 16), crlf = BUF_INIT(1 << 16);
	struct lineage l = LINEAGE_INIT;
	size_t end[3];

	(void)state;
	sample(&b, end);
	buf_add(&crlf, STR("\xef\xbb\xbf"));
	for (size_t i = 0; i < b.n; i++) {
		if (b.p[i] == '\n')
			buf_byte(&crlf, '\r');
		buf_byte(&crlf, b.p[i]);
	}
	lineage_parse(&l, buf_str(&crlf));
	assert_int_equal(l.n, 3);
	assert_str(l.scope, STR("listing/482"));
	assert_true(l.entry[2].sealed && l.entry[2].whole);
	assert_false(l.entry[2].placed);
	lineage_release(&l);
	buf_release(&b);
	buf_release(&crlf);
}

static void test_lineage__damage_in_the_middle_is_counted(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16);
	size_t end[3], at;

	(void)state;
	sample(&b, end);
	/* the line of version 1 is gone: its block hangs in the air */
	at = str_find(buf_str(&b), STR("<!-- version"));
	memset(b.p + at, ' ', end[0] - 1 - at);
	lineage_parse(&l, buf_str(&b));
	assert_int_equal(l.n, 2);
	assert_int_equal(l.lost, 1);
	lineage_release(&l);
	buf_release(&b);
}

static void test_lineage__two_values_in_one_block_are_none(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16), two = BUF_INIT(1 << 16);
	size_t end[3], at;

	(void)state;
	sample(&b, end);
	at = str_find(buf_str(&b), STR("```json"));
	buf_add(&two, str_head(buf_str(&b), at));
	buf_add(&two, STR("```json\n2\n```\n"));
	buf_add(&two, str_from(buf_str(&b), at));
	lineage_parse(&l, buf_str(&two));
	assert_null(l.entry[0].value.p);
	assert_non_null(l.entry[2].value.p);
	lineage_release(&l);
	buf_release(&b);
	buf_release(&two);
}

static void test_lineage__foreign_text_and_markdown_around_are_left_alone(void **state)
{
	struct lineage l = LINEAGE_INIT;
	struct buf b = BUF_INIT(1 << 16);
	size_t end[3];

	(void)state;
	sample(&b, end);
	buf_add(&b, STR("\nA person's remark.\n## vague\n<!-- a comment -->\n"));
	lineage_parse(&l, buf_str(&b));
	assert_int_equal(l.n, 3);
	assert_int_equal(l.lost + l.torn + l.torn_tail, 0);
	assert_true(lineage_tail(&l, buf_str(&b), 0));
	assert_int_equal(l.entry[0].version, 2);
	assert_false(l.torn_tail);
	lineage_release(&l);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lineage__what_is_written_reads_back),
		cmocka_unit_test(
			test_lineage__cut_at_every_byte_whole_entries_stay_and_the_rest_is_torn),
		cmocka_unit_test(test_lineage__the_next_block_after_every_cut_is_read),
		cmocka_unit_test(test_lineage__the_tail_alone_tells_the_newest_entry),
		cmocka_unit_test(test_lineage__a_block_of_the_tail_gives_its_value),
		cmocka_unit_test(
			test_lineage__converted_line_ends_and_a_bom_change_nothing_but_the_places),
		cmocka_unit_test(test_lineage__damage_in_the_middle_is_counted),
		cmocka_unit_test(test_lineage__two_values_in_one_block_are_none),
		cmocka_unit_test(
			test_lineage__foreign_text_and_markdown_around_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
