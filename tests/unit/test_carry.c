#include "deskful.h"

#include "work/carry.h"

#define D1 "20260713T100000Z_99999999.md"
#define D2 "20260714T100000Z_11111111.md"

static void test_carry__nothing_comes_of_nothing(void **state)
{
	struct scope s;
	struct carry c;

	(void)state;
	desk();
	desk_scope(&s, DESK_ID);
	assert_int_equal(carry_load(&c, &s, NULL), 0);
	assert_int_equal(c.nname + c.nhazard, 0);
	assert_null(carry_current(&c, &s));
	carry_release(&c);
	scope_release(&s);
}

static void test_carry__claimed_and_own_hand_on_lineage_and_hazards_once(void **state)
{
	struct scope s;
	struct carry c;

	(void)state;
	desk();
	desk_put("handoffs", D1,
		 desk_document(
			 DESK_OTHER, "manual", "claimed", "20260712T100000Z_00000000.md",
			 "- User: \"no push\"\n- state of then\n- User: \"no rm\""));
	desk_put("handoffs", D2,
		 desk_document(DESK_ID, "auto", "live",
			       "20260712T100000Z_00000000.md, " D1,
			       "- User: \"No push\"\n- User: \"keep 429\""));
	desk_journal(DESK_ID, D1);
	desk_scope(&s, DESK_ID);
	assert_int_equal(carry_load(&c, &s, NULL), 0);
	assert_int_equal(c.nname, 2);
	assert_string_equal(c.name[0], "20260712T100000Z_00000000.md");
	assert_string_equal(c.name[1], D1);
	assert_int_equal(c.nhazard, 3);
	assert_str(c.hazard[0], STR("- User: \"no push\""));
	assert_str(c.hazard[1], STR("- User: \"no rm\""));
	assert_str(c.hazard[2], STR("- User: \"keep 429\""));
	assert_string_equal(c.own->name, D2);
	assert_ptr_equal(carry_current(&c, &s), c.own);
	carry_release(&c);
	scope_release(&s);
}

static void test_carry__of_a_session_that_was_left_only_the_hazards_go_on(void **state)
{
	struct scope s;
	struct carry c;

	(void)state;
	desk();
	desk_put("handoffs", D1,
		 desk_document(DESK_OTHER, "auto", "pending", "",
			       "- User: \"no push\"\n- state of then"));
	desk_journal(DESK_ID, NULL);
	desk_scope(&s, DESK_ID);
	journal_set(&s.j->previous, STR(DESK_OTHER));
	assert_int_equal(carry_load(&c, &s, NULL), 0);
	assert_int_equal(c.nname, 0);
	assert_int_equal(c.nhazard, 1);
	assert_str(c.hazard[0], STR("- User: \"no push\""));
	carry_release(&c);
	scope_release(&s);
}

static void test_carry__an_own_document_that_was_taken_up_is_not_replaced(void **state)
{
	struct scope s;
	struct carry c;

	(void)state;
	desk();
	desk_put("handoffs", D2,
		 desk_document(DESK_ID, "manual", "claimed", "", "- User: \"keep 429\""));
	desk_scope(&s, DESK_ID);
	assert_int_equal(carry_load(&c, &s, NULL), 0);
	assert_null(c.own);
	assert_int_equal(c.nname, 1);
	assert_string_equal(c.name[0], D2);
	assert_int_equal(c.nhazard, 1);
	carry_release(&c);
	scope_release(&s);
}

static void test_carry__without_a_session_the_newest_of_the_work_tree_holds(void **state)
{
	struct scope s;
	struct carry c;

	(void)state;
	desk();
	desk_put("handoffs", D1,
		 desk_document(DESK_OTHER, "manual", "pending", "", "- a"));
	desk_put("handoffs", D2, desk_document(DESK_ID, "manual", "pending", "", "- b"));
	desk_put("archive", "20260715T100000Z_22222222.md",
		 desk_document(DESK_ID, "manual", "consumed", "", "- c"));
	desk_scope(&s, NULL);
	assert_int_equal(carry_load(&c, &s, NULL), 0);
	assert_string_equal(carry_current(&c, &s)->name, D2);
	carry_release(&c);
	scope_release(&s);
}

static void test_carry__the_oldest_names_fall_out_of_an_endless_chain(void **state)
{
	struct buf names = BUF_INIT(1u << 16), text = BUF_INIT(1u << 17);
	struct scope s;
	struct carry c;

	(void)state;
	desk();
	for (int i = 0; i < CARRY_NAMES_MAX + 10; i++)
		buf_printf(&names, "%s20260101T%06dZ_00000000.md", i ? ", " : "", i);
	buf_printf(
		&text,
		"---\ntype: handoff\nsource_session: x\nlineage: [%s]\nstatus: claimed\n---\n"
		"# Handoff: x\n",
		buf_cstr(&names));
	desk_put("handoffs", D1, buf_cstr(&text));
	desk_journal(DESK_ID, D1);
	desk_scope(&s, DESK_ID);
	assert_int_equal(carry_load(&c, &s, NULL), 0);
	assert_int_equal(c.nname, CARRY_NAMES_MAX);
	assert_string_equal(c.name[CARRY_NAMES_MAX - 1], D1);
	carry_release(&c);
	scope_release(&s);
	buf_release(&names);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carry__nothing_comes_of_nothing),
		cmocka_unit_test(
			test_carry__claimed_and_own_hand_on_lineage_and_hazards_once),
		cmocka_unit_test(
			test_carry__of_a_session_that_was_left_only_the_hazards_go_on),
		cmocka_unit_test(
			test_carry__an_own_document_that_was_taken_up_is_not_replaced),
		cmocka_unit_test(
			test_carry__without_a_session_the_newest_of_the_work_tree_holds),
		cmocka_unit_test(
			test_carry__the_oldest_names_fall_out_of_an_endless_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
