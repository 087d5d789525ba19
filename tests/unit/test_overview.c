#include "deskful.h"

#include "base/fs.h"
#include "work/hooklog.h"
#include "work/overview.h"

#define D1 "20260713T100000Z_99999999.md"
#define D2 "20260714T100000Z_11111111.md"

static void status(bool json, struct buf *out)
{
	struct err e = ERR_INIT;
	struct scope s;

	buf_reset(out);
	desk_scope(&s, NULL);
	if (overview_status(&s, json, out, &e))
		fail_msg("%s", e.msg);
	scope_release(&s);
}

static int show(const char *name, struct buf *out, struct err *e)
{
	struct scope s;
	int ret;

	buf_reset(out);
	*e = ERR_INIT;
	desk_scope(&s, NULL);
	ret = overview_show(&s, name, false, out, e);
	scope_release(&s);
	return ret;
}

static void list(const struct overview_list *o, struct buf *out)
{
	struct err e = ERR_INIT;
	struct scope s;

	buf_reset(out);
	desk_scope(&s, NULL);
	if (overview_list(&s, o, out, &e))
		fail_msg("%s", e.msg);
	scope_release(&s);
}

static void two(void)
{
	desk_put("handoffs", D1, desk_document(DESK_OTHER, "auto", "pending", "", "- a"));
	desk_put("archive", D2, desk_document(DESK_ID, "manual", "consumed", "", "- b"));
}

static void test_overview__an_empty_place_is_said_to_be_one(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);

	(void)state;
	desk();
	status(false, &out);
	assert_true(desk_has(&out, "Project: tollgate ("));
	assert_true(desk_has(&out, "(nothing stored yet)\nDocuments: none\n"));
	assert_true(desk_has(&out, "Last session: none is known\n"));
	assert_true(desk_has(&out, "last event never"));
	status(true, &out);
	assert_true(desk_has(&out, "\"documents\":[],\"odd\":0,\"last_session\":null"));
	buf_release(&out);
}

static void test_overview__a_document_that_is_not_offered_has_its_reason(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct {
		const char *status, *why;
	} row[] = {
		{"live", "its session runs"},
		{"claimed", "a session has taken it up"},
		{"consumed", "it is done with"},
		{"nonsense", "none that is known"},
	};

	(void)state;
	desk();
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		desk_put("handoffs", D1,
			 desk_document(DESK_OTHER, "auto", row[i].status, "", "- a"));
		status(false, &out);
		assert_true(desk_has(&out, row[i].why));
	}
	desk_put("handoffs", D1, desk_document(DESK_OTHER, "auto", "pending", "", "- a"));
	status(false, &out);
	assert_false(desk_has(&out, "not offered"));
	status(true, &out);
	assert_true(desk_has(&out, "\"not_offered\":null}"));
	buf_release(&out);
}

static void
test_overview__the_last_session_and_its_reason_come_from_the_journal(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct scope s;

	(void)state;
	desk();
	desk_journal(DESK_OTHER, NULL);
	desk_journal(DESK_ID, NULL);
	desk_scope(&s, DESK_ID);
	s.j->state = JOURNAL_ENDED;
	s.j->last_event_at += 1000;
	journal_set(&s.j->reason, STR("prompt_input_exit"));
	assert_int_equal(journal_save(s.j, NULL), 0);
	scope_release(&s);
	status(false, &out);
	assert_true(desk_has(&out, "Last session: 11111111, "));
	assert_true(desk_has(&out, "closed: prompt_input_exit\n"));
	buf_release(&out);
}

static void test_overview__the_log_of_the_hooks_is_summed_up(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct scope s;

	(void)state;
	desk();
	desk_scope(&s, NULL);
	hooklog_add(s.state_dir, "Stop 11111111", "one");
	setenv("HANDOFF_NOW", "2026-07-15T10:31:00Z", 1);
	hooklog_add(s.state_dir, "SessionStart 11111111", "the lock is held");
	scope_release(&s);
	status(false, &out);
	assert_true(desk_has(&out, "last line about Stop: 2026-07-15T10:30:00.000Z\n"));
	assert_true(desk_has(&out,
			     "last line about SessionStart: 2026-07-15T10:31:00.000Z\n"));
	assert_true(desk_has(&out, "SessionStart 11111111: the lock is held\n"));
	buf_release(&out);
}

static void test_overview__a_log_of_garbage_does_no_harm(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX), path = BUF_INIT(5000),
		   junk = BUF_INIT(1u << 20);
	struct scope s;

	(void)state;
	desk();
	desk_scope(&s, NULL);
	hooklog_path(&path, s.state_dir);
	for (int i = 0; i < 100000; i++)
		buf_byte(&junk, (char)(i * 7 % 256));
	buf_add(&junk, STR("\na b \"quoted\\\nx y Stop z: \x1b[31mred\n"));
	test_write(buf_cstr(&path), buf_str(&junk));
	scope_release(&s);
	status(true, &out);
	assert_true(out.p[out.n - 1] == '}');
	status(false, &out);
	assert_null(memchr(out.p, 0x1b, out.n));
	buf_release(&out);
	buf_release(&path);
	buf_release(&junk);
}

static void test_overview__the_off_switch_is_said(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);

	(void)state;
	desk();
	setenv("HANDOFF_OFF", "1", 1);
	status(false, &out);
	assert_true(desk_has(&out, "Switched off: by HANDOFF_OFF\n"));
	unsetenv("HANDOFF_OFF");
	status(false, &out);
	assert_false(desk_has(&out, "Switched off"));
	buf_release(&out);
}

static void test_overview__list_is_of_this_project_unless_all_are_asked_for(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);

	(void)state;
	desk();
	two();
	test_write("vault/bridge/handoffs/20260701T100000Z_33333333.md",
		   str_of(desk_document("33333333-x", "manual", "pending", "", "- c")));
	test_write("vault/tollgate/handoffs/notes.md", STR("no document"));
	list(&(struct overview_list){.json = false}, &out);
	assert_true(desk_has(&out, D1 "    pending     auto       Count the lorries\n"));
	assert_false(desk_has(&out, D2));
	assert_false(desk_has(&out, "33333333"));
	assert_true(desk_has(&out, "1 other file that is no handoff document\n"));
	list(&(struct overview_list){.archive = true, .all = true}, &out);
	assert_true(desk_has(&out, "bridge:\n20260701T100000Z_33333333.md"));
	assert_true(desk_has(&out, D2));
	list(&(struct overview_list){.json = true, .all = true, .archive = true}, &out);
	assert_true(desk_has(&out, "\"archived\":true"));
	assert_true(desk_has(&out, "\"project\":\"bridge\""));
	buf_release(&out);
}

static void
test_overview__show_takes_names_and_beginnings_of_names_and_sessions(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct err e;

	(void)state;
	desk();
	two();
	assert_int_equal(show(D1, &out, &e), 0);
	assert_true(desk_has(&out, "source_session: " DESK_OTHER));
	assert_int_equal(show("99999999", &out, &e), 0);
	assert_int_equal(show("20260713T100000Z_99999999", &out, &e), 0);
	assert_int_equal(show("2026071", &out, &e), HF_EAMBIGUOUS);
	assert_non_null(strstr(e.msg, D1));
	assert_int_equal(show("202", &out, &e), HF_ENOTFOUND);
	assert_int_equal(show("../" D1, &out, &e), HF_ENOTFOUND);
	assert_int_equal(show("11111111", &out, &e), 0);
	assert_true(desk_has(&out, "status: consumed"));
	buf_release(&out);
}

static void test_overview__show_looks_into_other_projects_last(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct err e;

	(void)state;
	desk();
	test_write("vault/bridge/handoffs/20260701T100000Z_33333333.md",
		   str_of(desk_document("33333333-x", "manual", "pending", "", "- c")));
	assert_int_equal(show("33333333", &out, &e), 0);
	buf_release(&out);
}

static void test_overview__what_somebody_wrote_into_a_document_is_redacted(void **state)
{
	struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
	struct err e;

	(void)state;
	desk();
	desk_put("handoffs", D1,
		 desk_document(DESK_OTHER, "manual", "pending", "",
			       "- ghp_abcdefghijklmnopqrstuvwxyz0123456789 \x1b[31m"));
	assert_int_equal(show(D1, &out, &e), 0);
	assert_false(desk_has(&out, "ghp_"));
	assert_false(desk_has(&out, "\x1b"));
	buf_release(&out);
}

static void test_overview__every_failing_call_is_survived(void **state)
{
	bool met = true;

	(void)state;
	desk();
	two();
	desk_journal(DESK_ID, NULL);
	for (int n = 1; met; n++) {
		struct buf out = BUF_INIT(OVERVIEW_OUT_MAX);
		struct err e = ERR_INIT;
		struct scope s;
		int ret;

		desk_scope(&s, NULL);
		fault_at(n);
		ret = overview_status(&s, true, &out, &e);
		met = fault_met();
		fault_off();
		assert_true(ret == 0 || e.msg[0]);
		scope_release(&s);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overview__an_empty_place_is_said_to_be_one),
		cmocka_unit_test(
			test_overview__a_document_that_is_not_offered_has_its_reason),
		cmocka_unit_test(
			test_overview__the_last_session_and_its_reason_come_from_the_journal),
		cmocka_unit_test(test_overview__the_log_of_the_hooks_is_summed_up),
		cmocka_unit_test(test_overview__a_log_of_garbage_does_no_harm),
		cmocka_unit_test(test_overview__the_off_switch_is_said),
		cmocka_unit_test(
			test_overview__list_is_of_this_project_unless_all_are_asked_for),
		cmocka_unit_test(
			test_overview__show_takes_names_and_beginnings_of_names_and_sessions),
		cmocka_unit_test(test_overview__show_looks_into_other_projects_last),
		cmocka_unit_test(
			test_overview__what_somebody_wrote_into_a_document_is_redacted),
		cmocka_unit_test(test_overview__every_failing_call_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
