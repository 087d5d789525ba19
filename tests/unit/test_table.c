#include "fault.h"
#include "work/table.h"

struct leaf {
	str name;
	float weight;
};

struct row {
	uint64_t id;
	uint32_t count;
	bool on;
	str text;
	struct leaf *leaf;
	size_t nleaf;
};

struct box {
	struct row *row;
	size_t nrow;
	struct row memory[8];
};

static const struct field LEAF_FIELDS[] = {FIELD(struct leaf, name, STR),
					   FIELD(struct leaf, weight, FLOAT)};
static const struct table LEAF =
	TABLE("row.leaf", struct row, leaf, nleaf, 20, LEAF_FIELDS);
static const struct field ROW_FIELDS[] = {
	FIELD(struct row, id, U64), FIELD(struct row, count, U32),
	FIELD(struct row, on, BOOL), FIELD(struct row, text, STR), FIELD_LIST(&LEAF)};
static const struct table ROW = TABLE("row", struct box, row, nrow, 8, ROW_FIELDS);

static void box_init(struct box *b)
{
	memset(b, 0, sizeof *b);
	b->row = b->memory;
}

static void fill(struct box *b, struct arena *a, size_t rows, size_t leaves)
{
	static const char *const texts[] = {"one", "", "two\nlines 5:x", "row 1"};

	box_init(b);
	for (size_t i = 0; i < rows; i++) {
		struct row *r = table_push(&ROW, b);

		r->id = i == 0 ? UINT64_MAX : i;
		r->count = (uint32_t)i;
		r->on = i % 2;
		r->text = arena_str(a, str_of(texts[i % 4]));
		for (size_t k = 0; k < leaves; k++) {
			struct leaf *l = table_push_inner(&LEAF, r, a);

			l->name = arena_str(a, STR("leaf"));
			l->weight = (float)k / 3;
		}
	}
}

static str saved(const struct box *b, struct buf *out)
{
	buf_reset(out);
	table_save(&ROW, b, out);
	return buf_str(out);
}

static void test_table__gives_no_row_past_its_maximum(void **state)
{
	struct box b;

	(void)state;
	box_init(&b);
	for (size_t i = 0; i < 8; i++)
		assert_non_null(table_push(&ROW, &b));
	assert_null(table_push(&ROW, &b));
	assert_int_equal(b.nrow, 8);
}

static void test_table__inner_lists_stop_at_their_maximum_or_the_arenas(void **state)
{
	struct arena a;
	struct box b;

	(void)state;
	arena_init(&a, 1 << 16);
	fill(&b, &a, 1, 20);
	assert_int_equal(b.row[0].nleaf, 20);
	assert_null(table_push_inner(&LEAF, &b.row[0], &a));
	for (size_t i = 0; i < 20; i++)
		assert_true(b.row[0].leaf[i].weight == (float)i / 3);
	arena_release(&a);
	arena_init(&a, 8 * sizeof(struct leaf));
	box_init(&b);
	table_push(&ROW, &b);
	for (size_t i = 0; i < 8; i++)
		assert_non_null(table_push_inner(&LEAF, &b.row[0], &a));
	assert_null(table_push_inner(&LEAF, &b.row[0], &a));
	assert_int_equal(b.row[0].nleaf, 8);
	arena_release(&a);
}

static void test_table__drops_and_filters_in_order(void **state)
{
	bool stay[] = {true, false, true, false, true};
	struct arena a;
	struct box b;

	(void)state;
	arena_init(&a, 1 << 16);
	fill(&b, &a, 6, 0);
	table_drop(&ROW, &b, 2);
	assert_int_equal(b.nrow, 5);
	assert_int_equal(b.row[2].id, 3);
	table_filter(&ROW, &b, stay);
	assert_int_equal(b.nrow, 3);
	assert_int_equal(b.row[1].id, 3);
	assert_int_equal(b.row[2].id, 5);
	table_drop(&ROW, &b, 2);
	assert_int_equal(b.nrow, 2);
	arena_release(&a);
}

static double by_on(const void *row, const void *arg)
{
	const struct row *r = row;

	(void)arg;
	return r->on;
}

static void test_table__keeps_the_best_and_of_equal_ones_the_older(void **state)
{
	struct arena a;
	struct box b;

	(void)state;
	arena_init(&a, 1 << 16);
	fill(&b, &a, 8, 0);
	assert_int_equal(table_keep_best(&ROW, &b, 8, by_on, NULL), 0);
	assert_int_equal(table_keep_best(&ROW, &b, 5, by_on, NULL), 3);
	assert_int_equal(b.nrow, 5);
	assert_int_equal(b.row[0].count, 0);
	assert_int_equal(b.row[1].count, 1);
	assert_int_equal(b.row[2].count, 3);
	assert_int_equal(b.row[4].count, 7);
	arena_release(&a);
}

static void
test_table__moved_it_says_the_same_and_needs_the_old_arena_no_more(void **state)
{
	struct buf before = BUF_INIT(SIZE_MAX), after = BUF_INIT(SIZE_MAX);
	struct arena a, other;
	struct box b;

	(void)state;
	arena_init(&a, 1 << 16);
	arena_init(&other, 1 << 16);
	fill(&b, &a, 5, 9);
	saved(&b, &before);
	assert_true(table_move(&ROW, &b, &other));
	arena_release(&a);
	assert_string_equal(buf_cstr(&before), (saved(&b, &after), buf_cstr(&after)));
	arena_release(&other);
	buf_release(&before);
	buf_release(&after);
}

static void test_table__what_does_not_fit_the_other_arena_becomes_empty(void **state)
{
	struct arena a, other;
	struct box b;

	(void)state;
	arena_init(&a, 1 << 16);
	for (size_t room = 0; room < 2000; room += 7) {
		fill(&b, &a, 5, 9);
		arena_init(&other, room);
		table_move(&ROW, &b, &other);
		for (size_t i = 0; i < b.nrow; i++) {
			assert_true(b.row[i].text.n == 0 ||
				    (b.row[i].text.p >= other.base &&
				     b.row[i].text.p < other.base + room));
			assert_true(b.row[i].nleaf == 0 || b.row[i].nleaf == 9);
		}
		arena_release(&other);
		arena_reset(&a);
	}
	arena_release(&a);
}

static void test_table__loaded_it_is_what_was_saved(void **state)
{
	struct buf text = BUF_INIT(SIZE_MAX), again = BUF_INIT(SIZE_MAX);
	struct err e = ERR_INIT;
	struct box b, loaded;
	struct arena a;
	str rest;

	(void)state;
	arena_init(&a, 1 << 16);
	fill(&b, &a, 6, 9);
	rest = saved(&b, &text);
	box_init(&loaded);
	assert_int_equal(table_load(&ROW, &loaded, &rest, &a, &e), 0);
	assert_int_equal(rest.n, 0);
	assert_int_equal(loaded.row[0].id, UINT64_MAX);
	assert_string_equal(buf_cstr(&text), (saved(&loaded, &again), buf_cstr(&again)));
	arena_release(&a);
	buf_release(&text);
	buf_release(&again);
}

/* At every byte: the rows before the cut are read, or the text is refused. */
static void test_table__cut_at_every_byte_it_loads_whole_rows_or_refuses(void **state)
{
	struct buf text = BUF_INIT(SIZE_MAX);
	struct box b, loaded;
	struct arena a;
	str all, rest;
	int ret;

	(void)state;
	arena_init(&a, 1 << 20);
	fill(&b, &a, 3, 3);
	all = saved(&b, &text);
	for (size_t cut = 0; cut < all.n; cut++) {
		struct err e = ERR_INIT;

		rest = str_head(all, cut);
		box_init(&loaded);
		ret = table_load(&ROW, &loaded, &rest, &a, &e);
		assert_true(ret == 0 || ret == HF_EFORMAT);
		if (ret)
			assert_string_equal(e.msg,
					    "saved state: damaged at a \"row\" row");
		else
			assert_true(cut < 5 || all.p[cut - rest.n - 1] == '\n');
	}
	arena_release(&a);
	buf_release(&text);
}

static void test_table__refuses_numbers_and_lengths_that_do_not_fit(void **state)
{
	static const char *const bad[] = {
		"row 18446744073709551616 0 0 0: 0\n",
		"row 1 4294967296 0 0: 0\n",
		"row 1 0 2 0: 0\n",
		"row 1 0 1 99:a 0\n",
		"row 1 0 1 1:a 21\n",
		"row 1 0 1 1:a\n",
		"row 1 0 1 1:a 0 0\n",
		"row 1 0 1 18446744073709551615:a 0\n",
		"row 1 0 1 1:a 1\nrow.leaf 1:a nan\n",
		"row 1 0 1 1:a 1\nrow.leaf 1:a 2139095040\n", /* infinite */
		"row 1 0 1 1:a 1\nrow.leaf 1:a 2143289344\n", /* no number */
		"row 1 0 1 1:a 1\nrow.leaf 1:a 4294967296\n",
		"row 1 0 1 1:a 1\nrow.leaf 1:a \n",
		"row -1 0 0 0: 0\n",
		"row 1 0 1 :a 0\n",
	};
	struct arena a;
	struct box b;

	(void)state;
	arena_init(&a, 1 << 16);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		str rest = str_of(bad[i]);
		struct err e = ERR_INIT;

		box_init(&b);
		assert_int_equal(table_load(&ROW, &b, &rest, &a, &e), HF_EFORMAT);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table__gives_no_row_past_its_maximum),
		cmocka_unit_test(
			test_table__inner_lists_stop_at_their_maximum_or_the_arenas),
		cmocka_unit_test(test_table__drops_and_filters_in_order),
		cmocka_unit_test(test_table__keeps_the_best_and_of_equal_ones_the_older),
		cmocka_unit_test(
			test_table__moved_it_says_the_same_and_needs_the_old_arena_no_more),
		cmocka_unit_test(
			test_table__what_does_not_fit_the_other_arena_becomes_empty),
		cmocka_unit_test(test_table__loaded_it_is_what_was_saved),
		cmocka_unit_test(
			test_table__cut_at_every_byte_it_loads_whole_rows_or_refuses),
		cmocka_unit_test(test_table__refuses_numbers_and_lengths_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
