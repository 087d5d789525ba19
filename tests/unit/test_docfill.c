#include "fault.h"

#include <stdio.h>

#include "work/docfill.h"

static const struct facts none = {.records = 10};

static struct doc_line *line(struct doc *d, enum doc_block b, const char *prefix)
{
	return doc_line(d, DOC_CONTEXT, b, 0, prefix);
}

static struct doc_unit *unit(struct doc *d, struct doc_line *l, const char *text,
			     double value)
{
	buf_add(doc_text(d), str_of(text));
	return doc_add(d, l, value, 1);
}

/* What is in, as the printed section takes it. */
static int64_t printed_cost(struct doc *d)
{
	struct buf b = BUF_INIT(1u << 20);
	int64_t cost;

	doc_print(d, DOC_CONTEXT, false, &b);
	cost = doc_cost(buf_str(&b));
	buf_release(&b);
	return cost;
}

static void test_docfill__never_more_than_the_room(void **state)
{
	char text[160];
	struct doc d;
	int64_t room;
	int i, k;

	(void)state;
	doc_init(&d, &none);
	for (i = 0; i < 40; i++) {
		struct doc_line *l = line(&d, i % 2 ? DOC_B_SENT : DOC_B_FILE, "- ");

		l->quote = i % 2;
		for (k = 0; k < 5; k++) {
			snprintf(text, sizeof(text), "word%d of line%d `name_%d_%d`", k,
				 i, i, k);
			unit(&d, l, text, (i * 7 + k * 3) % 11);
		}
	}
	docfill_tokens(&d);
	for (room = 0; room < 6000; room += 97) {
		int64_t left = docfill_run(&d, room, room);

		assert_true(left >= 0);
		assert_true(printed_cost(&d) <= room);
	}
	doc_release(&d);
}

static void test_docfill__the_best_per_byte_comes_first(void **state)
{
	struct doc_unit *cheap, *dear;
	struct doc d;

	(void)state;
	doc_init(&d, &none);
	dear = unit(&d, line(&d, DOC_B_SUMMARY, "- "),
		    "a long text of little worth that takes all of the room", 5);
	cheap = unit(&d, line(&d, DOC_B_SUMMARY, "- "), "short", 5);
	docfill_tokens(&d);
	docfill_run(&d, 40, 40);
	assert_true(cheap->in);
	assert_false(dear->in);
	doc_release(&d);
}

static void test_docfill__a_name_that_is_in_adds_nothing_new(void **state)
{
	struct doc_unit *a, *same, *other;
	struct doc d;

	(void)state;
	doc_init(&d, &none);
	a = unit(&d, line(&d, DOC_B_SUMMARY, "- "), "see src/lamp.c", 2);
	same = unit(&d, line(&d, DOC_B_SUMMARY, "- "), "try src/lamp.c", 1);
	other = unit(&d, line(&d, DOC_B_SUMMARY, "- "), "try src/hall.c", 1);
	docfill_tokens(&d);
	docfill_run(&d, 40, 40);
	assert_true(a->in);
	assert_true(other->in);
	assert_false(same->in);
	doc_release(&d);
}

static void test_docfill__hanging_units_come_only_with_their_first(void **state)
{
	struct doc_unit *head, *hang;
	struct doc_line *l;
	struct doc d;

	(void)state;
	doc_init(&d, &none);
	l = line(&d, DOC_B_ERROR, "- ");
	l->lead = ": ";
	head = unit(&d, l, "the error that is far too long for what room there is", 1);
	hang = unit(&d, l, "why", 100);
	docfill_tokens(&d);
	docfill_run(&d, 30, 30);
	assert_false(head->in);
	assert_false(hang->in);
	docfill_run(&d, 100, 100);
	assert_true(head->in);
	assert_true(hang->in);
	doc_release(&d);
}

static void test_docfill__stated_hazards_stand_even_without_room(void **state)
{
	struct doc_unit *stated, *must;
	struct doc d;

	(void)state;
	doc_init(&d, &none);
	buf_add(doc_text(&d), STR("\"never push\""));
	stated = doc_must(&d, line(&d, DOC_B_STATED, "- User: "), 13, 1);
	buf_add(doc_text(&d), STR("must, but can be left out"));
	must = doc_must(&d, line(&d, DOC_B_NEXT, "- "), 99, 1);
	docfill_tokens(&d);
	assert_int_equal(docfill_stated(&d), 21 + 1);
	assert_int_equal(docfill_run(&d, 5, 5), 5 - 22);
	assert_true(stated->in);
	assert_false(must->in);
	assert_false(docfill_drop(&d));
	docfill_run(&d, 100, 100);
	assert_true(must->in);
	assert_true(docfill_drop(&d));
	assert_false(must->in);
	assert_false(docfill_drop(&d));
	doc_release(&d);
}

static void test_docfill__equal_units_are_taken_in_order_of_creation(void **state)
{
	struct doc_unit *u[6];
	struct doc d;
	int i;

	(void)state;
	doc_init(&d, &none);
	for (i = 0; i < 6; i++)
		u[i] = unit(&d, line(&d, DOC_B_SUMMARY, "- "), "equal", 3);
	docfill_tokens(&d);
	docfill_run(&d, 3 * 9 + 1, 3 * 9 + 1);
	for (i = 0; i < 6; i++)
		assert_int_equal(u[i]->in, i < 3);
	doc_release(&d);
}

static void test_docfill__a_reserve_keeps_a_poor_block_from_starving(void **state)
{
	struct doc_unit *error;
	struct doc d;
	int i;

	(void)state;
	doc_init(&d, &none);
	for (i = 0; i < 50; i++)
		unit(&d, line(&d, DOC_B_SUMMARY, "- "), "rich and short", 50);
	error = unit(&d, line(&d, DOC_B_ERROR, "- "), "poor error", 0.1);
	docfill_tokens(&d);
	docfill_run(&d, 400, 400);
	assert_true(error->in);
	doc_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docfill__never_more_than_the_room),
		cmocka_unit_test(test_docfill__the_best_per_byte_comes_first),
		cmocka_unit_test(test_docfill__a_name_that_is_in_adds_nothing_new),
		cmocka_unit_test(test_docfill__hanging_units_come_only_with_their_first),
		cmocka_unit_test(test_docfill__stated_hazards_stand_even_without_room),
		cmocka_unit_test(
			test_docfill__equal_units_are_taken_in_order_of_creation),
		cmocka_unit_test(
			test_docfill__a_reserve_keeps_a_poor_block_from_starving),
	};

	return cmocka_run_group_tests_name("docfill", tests, NULL, NULL);
}
