#include "deskful.h"

#include "work/check.h"
#include "work/hazards.h"

#define D1 "20260713T100000Z_99999999.md"
#define D2 "20260714T100000Z_11111111.md"

static void show(const char *session, bool json, struct buf *out)
{
	struct err e = ERR_INIT;
	struct scope s;

	buf_reset(out);
	desk_scope(&s, session);
	if (hazards_show(&s, json, out, &e))
		fail_msg("%s", e.msg);
	scope_release(&s);
}

static int retire(const char *session, uint64_t n, const char *why,
		  struct hazards_done *done)
{
	struct err e = ERR_INIT;
	struct scope s;
	int ret;

	desk_scope(&s, session);
	ret = hazards_retire(&s, n, str_of(why), done, &e);
	assert_true(ret == 0 || e.msg[0]);
	scope_release(&s);
	return ret;
}

static void chain(void)
{
	desk_put("handoffs", D1,
		 desk_document(
			 DESK_OTHER, "manual", "claimed", "",
			 "- User: \"no push\"\n- Failing: make test\n- User: \"no rm\""));
	desk_put("handoffs", D2,
		 desk_document(DESK_ID, "auto", "live", D1,
			       "- User: \"No push\"\n- User: \"keep 429\""));
	desk_journal(DESK_ID, D1);
}

static void test_hazards__those_of_claimed_and_own_are_numbered_once(void **state)
{
	struct buf out = BUF_INIT(1u << 20);

	(void)state;
	desk();
	chain();
	show(DESK_ID, false, &out);
	assert_string_equal(buf_cstr(&out), "1. User: \"no push\"\n2. User: \"no rm\"\n"
					    "3. User: \"keep 429\"\n");
	show(DESK_ID, true, &out);
	assert_true(desk_has(&out, "{\"format\":1,\"document\":\"" D2
				   "\",\"hazards\":[\"User: "));
	buf_release(&out);
}

static void
test_hazards__a_session_without_documents_sees_those_of_the_newest(void **state)
{
	struct buf out = BUF_INIT(1u << 20);

	(void)state;
	desk();
	desk_put("handoffs", D1,
		 desk_document(DESK_OTHER, "manual", "pending", "",
			       "- User: \"no push\""));
	show("22222222-2222-4333-8444-555555555555", false, &out);
	assert_string_equal(buf_cstr(&out), "1. User: \"no push\"\n");
	show(NULL, false, &out);
	assert_string_equal(buf_cstr(&out), "1. User: \"no push\"\n");
	buf_release(&out);
}

static void
test_hazards__a_retired_one_stays_with_its_reason_and_is_carried_no_further(void **state)
{
	struct hazards_done done;
	struct buf out = BUF_INIT(1u << 20);
	str got;

	(void)state;
	desk();
	chain();
	assert_int_equal(retire(DESK_ID, 1, "it is\npushed", &done), 0);
	assert_string_equal(done.line, "User: \"no push\"");
	assert_int_equal(done.documents, 2);
	free(done.line);
	got = test_read("vault/tollgate/handoffs/" D1);
	assert_true(
		str_find(got,
			 STR("\n- Retired 2026-07-15 (it is pushed): User: \"no push\"\n"
			     "- Failing: make test\n- User: \"no rm\"\n")) != STR_NPOS);
	show(DESK_ID, false, &out);
	assert_string_equal(buf_cstr(&out),
			    "1. User: \"no rm\"\n2. User: \"keep 429\"\n");
	buf_release(&out);
}

static void test_hazards__a_document_made_again_keeps_what_was_retired(void **state)
{
	struct buf out = BUF_INIT(1u << 20);
	const char *old, *again;

	(void)state;
	desk();
	old = desk_document(DESK_ID, "auto", "live", "",
			    CHECK_RETIRED "2026-07-15 (pushed): User: \"no push\"");
	again = desk_document(DESK_ID, "auto", "live", "",
			      "- User: \"No push\"\n- User: \"no rm\"\n- Failing: x");
	hazards_keep_retired(&out, str_of(again), str_of(old));
	assert_true(desk_has(
		&out,
		"(never filtered)\n- Retired 2026-07-15 (pushed): User: \"no push\"\n"
		"- User: \"no rm\"\n- Failing: x\n"));
	assert_true(str_ends(buf_str(&out), STR("`make test`\n")));
	buf_reset(&out);
	hazards_keep_retired(&out, str_of(again), STR("no document"));
	assert_string_equal(buf_cstr(&out), again);
	buf_release(&out);
}

static void test_hazards__what_is_not_stated_again_stays_retired(void **state)
{
	struct buf out = BUF_INIT(1u << 20), twice = BUF_INIT(1u << 20);
	const char *old, *again;

	(void)state;
	desk();
	old = desk_document(DESK_ID, "manual", "live", "",
			    CHECK_RETIRED "2026-07-15 (pushed): User: \"no push\"");
	assert_true(hazards_retires(str_of(old)));
	again = desk_document(DESK_ID, "manual", "live", "", "- User: \"no rm\"");
	assert_false(hazards_retires(str_of(again)));
	hazards_keep_retired(&out, str_of(again), str_of(old));
	assert_true(desk_has(&out, "- User: \"no rm\"\n"
				   "- Retired 2026-07-15 (pushed): User: \"no push\"\n"));
	assert_true(str_ends(buf_str(&out), STR("`make test`\n")));
	hazards_keep_retired(&twice, buf_str(&out), str_of(old));
	assert_string_equal(buf_cstr(&twice), buf_cstr(&out));
	buf_release(&out);
	buf_release(&twice);
}

static void test_hazards__the_archive_is_left_as_it_is(void **state)
{
	struct hazards_done done;
	const char *old;

	(void)state;
	desk();
	old = desk_document(DESK_OTHER, "manual", "consumed", "", "- User: \"no push\"");
	desk_put("archive", D1, old);
	desk_put("handoffs", D2,
		 desk_document(DESK_ID, "manual", "pending", D1, "- User: \"no push\""));
	assert_int_equal(retire(NULL, 1, "done", &done), 0);
	assert_int_equal(done.documents, 1);
	free(done.line);
	assert_true(test_is("vault/tollgate/archive/" D1, old));
}

static void test_hazards__numbers_and_reasons_that_are_none_change_nothing(void **state)
{
	struct hazards_done done;
	str before;

	(void)state;
	desk();
	chain();
	before = test_read("vault/tollgate/handoffs/" D1);
	assert_int_equal(retire(DESK_ID, 0, "x", &done), HF_ENOTFOUND);
	assert_int_equal(retire(DESK_ID, 4, "x", &done), HF_ENOTFOUND);
	assert_int_equal(retire(DESK_ID, 1, " \n", &done), HF_EUSAGE);
	assert_str(test_read("vault/tollgate/handoffs/" D1), before);
}

static void test_hazards__a_failing_call_leaves_each_document_old_or_new(void **state)
{
	bool met = true;

	(void)state;
	desk();
	for (int n = 1; met; n++) {
		struct hazards_done done;
		struct err e = ERR_INIT;
		struct scope s;
		str got;

		chain();
		desk_scope(&s, DESK_ID);
		fault_at(n);
		hazards_retire(&s, 1, STR("x"), &done, &e);
		met = fault_met();
		fault_off();
		free(done.line);
		scope_release(&s);
		got = test_read("vault/tollgate/handoffs/" D1);
		assert_true(str_find(got, STR("User: \"no push\"\n")) != STR_NPOS);
		assert_true(str_ends(got, STR("`make test`\n")));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_hazards__those_of_claimed_and_own_are_numbered_once),
		cmocka_unit_test(
			test_hazards__a_session_without_documents_sees_those_of_the_newest),
		cmocka_unit_test(
			test_hazards__a_retired_one_stays_with_its_reason_and_is_carried_no_further),
		cmocka_unit_test(
			test_hazards__a_document_made_again_keeps_what_was_retired),
		cmocka_unit_test(test_hazards__what_is_not_stated_again_stays_retired),
		cmocka_unit_test(test_hazards__the_archive_is_left_as_it_is),
		cmocka_unit_test(
			test_hazards__numbers_and_reasons_that_are_none_change_nothing),
		cmocka_unit_test(
			test_hazards__a_failing_call_leaves_each_document_old_or_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
