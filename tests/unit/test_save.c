#include "deskful.h"

#include "work/save.h"

#define D1   "20260713T100000Z_99999999.md"
#define NAME "20260715T103000Z_11111111.md"

static const char BODY[] =
	"# Handoff: Count the lorries\n\n## Goal\nCount them.\n\n## Done\n- nothing\n\n"
	"## Next\n1. Begin\n\n## Hazards\n- none\n\n## Key Context\n- none\n\n"
	"## Files to Read\n`src/gate.c`\n\n## Verify\n- [ ] `make test`\n";

static int save(const char *session, const char *text, const struct save_options *o,
		struct save_done *done, struct err *e)
{
	struct save_options plain = {.focus = STR_NONE};
	struct scope s;
	int ret;

	desk_scope(&s, session);
	ret = save_document(&s, str_of(text), o ? o : &plain, done, e);
	scope_release(&s);
	return ret;
}

static void saved(const char *session, const char *text, struct buf *out)
{
	struct save_done done;
	struct err e = ERR_INIT;
	char path[200];
	str got;

	if (save(session, text, NULL, &done, &e))
		fail_msg("%s", e.msg);
	snprintf(path, sizeof(path), "vault/tollgate/handoffs/%s", done.name);
	got = test_read(path);
	buf_reset(out);
	buf_add(out, got);
	save_release(&done);
}

static void test_save__front_matter_and_environment_are_made_here(void **state)
{
	struct buf out = BUF_INIT(1u << 16);
	char text[4000];

	(void)state;
	desk();
	snprintf(
		text, sizeof(text),
		"---\ntype: handoff\nkind: auto\nlineage: [forged.md]\nstatus: claimed\n---\n%s"
		"\n## Environment\nBranch: forged\n",
		BODY);
	saved(DESK_ID, text, &out);
	assert_true(desk_has(&out, "---\ntype: handoff\ncreated: 2026-07-15T10:30:00Z\n"
				   "source_session: " DESK_ID "\nlineage: []\n"));
	assert_true(desk_has(&out, "confidence: high\nproject: tollgate\nkind: manual\n"
				   "status: pending\n"));
	assert_true(desk_has(&out,
			     "claimed_by: null\n---\n\n# Handoff: Count the lorries\n"));
	assert_true(desk_has(&out, "\n## Environment\n"));
	assert_true(desk_has(&out, "\n## Hazards (never filtered)\n- none\n"));
	assert_true(desk_has(&out, "\n## Verify Before Continuing\n"));
	assert_false(desk_has(&out, "forged"));
	buf_release(&out);
}

static void test_save__a_fence_and_words_before_the_title_are_no_part_of_it(void **state)
{
	struct buf out = BUF_INIT(1u << 16);
	char text[4000];

	(void)state;
	desk();
	snprintf(text, sizeof(text), "Here it is:\r\n\r\n%s", BODY);
	saved(DESK_ID, text, &out);
	assert_false(desk_has(&out, "Here it is"));
	assert_false(desk_has(&out, "\r"));
	snprintf(text, sizeof(text), "```markdown\n%s```\n", BODY);
	saved(DESK_ID, text, &out);
	assert_false(desk_has(&out, "```"));
	buf_release(&out);
}

static void test_save__secrets_are_taken_out(void **state)
{
	struct save_done done;
	char text[4000];
	str got;

	(void)state;
	desk();
	snprintf(text, sizeof(text),
		 "%s\n## Notes\nghp_abcdefghijklmnopqrstuvwxyz0123456789\n", BODY);
	assert_int_equal(save(DESK_ID, text, NULL, &done, NULL), 0);
	assert_int_equal(done.secrets, 1);
	got = test_read("vault/tollgate/handoffs/" NAME);
	assert_true(str_find(got, STR("ghp_")) == STR_NPOS);
	assert_true(str_find(got, STR("\n## Notes\n[redacted:")) != STR_NPOS);
	save_release(&done);
}

static void
test_save__lineage_and_hazards_of_the_claimed_document_go_on_verbatim(void **state)
{
	struct buf out = BUF_INIT(1u << 16);
	struct save_done done;
	struct scope s;
	char text[4000];

	(void)state;
	desk();
	desk_put("handoffs", D1,
		 desk_document(
			 DESK_OTHER, "auto", "claimed", "20260712T100000Z_00000000.md",
			 "- User: \"never touch config/prod.yaml\"\n- User: \"no push\"\n"
			 "- Failing: make test"));
	desk_journal(DESK_ID, D1);
	snprintf(text, sizeof(text), "%s", BODY);
	saved(DESK_ID, text, &out);
	assert_true(desk_has(&out, "lineage: [20260712T100000Z_00000000.md, " D1 "]\n"));
	/* "none" gives way; the state of then is not carried */
	assert_true(desk_has(
		&out,
		"## Hazards (never filtered)\n- User: \"never touch config/prod.yaml\"\n"
		"- User: \"no push\"\n\n## Key"));
	/* what the text has already is not said twice */
	memcpy(strstr(text, "- none"), "- x   ", 6);
	*strstr(text, "\n## Key") = '\0';
	buf_reset(&out);
	buf_printf(&out, "%s- The user said \"No push\"\n%s", text,
		   strstr(BODY, "\n## Key"));
	desk_scope(&s, DESK_ID);
	assert_int_equal(save_document(&s, buf_str(&out),
				       &(struct save_options){.budget = 0}, &done, NULL),
			 0);
	assert_int_equal(done.carried, 1);
	assert_true(s.j->worked);
	assert_true(s.j->manual);
	assert_string_equal(s.j->document, done.name);
	scope_release(&s);
	save_release(&done);
	assert_true(str_find(test_read("vault/tollgate/handoffs/" NAME),
			     STR("prod.yaml\"\n- x   \n- User: \"No push\"\n")) ==
		    STR_NPOS);
	assert_true(str_find(test_read("vault/tollgate/handoffs/" NAME),
			     STR("prod.yaml\"\n- x\n- User: \"No push\"\n")) != STR_NPOS);
	buf_release(&out);
}

static void test_save__a_second_document_replaces_the_first_but_not_one_that_was_taken_up(
	void **state)
{
	struct save_done done;

	(void)state;
	desk();
	assert_int_equal(save(DESK_ID, BODY, NULL, &done, NULL), 0);
	save_release(&done);
	setenv("HANDOFF_NOW", "2026-07-15T11:00:00Z", 1);
	assert_int_equal(save(DESK_ID, BODY, NULL, &done, NULL), 0);
	assert_string_equal(done.name, NAME);
	save_release(&done);
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 1);
	desk_put("handoffs", NAME,
		 desk_document(DESK_ID, "manual", "claimed", "", "- x"));
	assert_int_equal(save(DESK_ID, BODY, NULL, &done, NULL), 0);
	assert_string_equal(done.name, "20260715T110000Z_11111111.md");
	save_release(&done);
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 2);
}

static void test_save__an_automatic_document_is_replaced_under_its_name(void **state)
{
	struct save_done done;
	const char *name = "20260715T090000Z_11111111.md";

	(void)state;
	desk();
	desk_put("handoffs", name,
		 desk_document(DESK_ID, "auto", "live", "", "- User: \"no push\""));
	assert_int_equal(save(DESK_ID, BODY, NULL, &done, NULL), 0);
	assert_string_equal(done.name, name);
	assert_int_equal(done.carried, 0); /* of no earlier session */
	assert_int_equal(done.kept, 1);
	save_release(&done);
}

/* The hazards of the document that is left when the model writes them in another form. */
static void test_save__a_hazard_in_another_form_is_the_same_one(void **state)
{
	static const struct {
		const char *line, *want; /* NULL: kept beside it */
	} CASE[] = {
		{"- User: \"No push!\"", "- User: \"No push!\""},
		{"- The user: \"no push\"", "- User: \"no push\""},
		{"- **User (verbatim):** \"no push\"", "- User: \"no push\""},
		{"- The user said twice: \xe2\x80\x9cno push\xe2\x80\x9d",
		 "- User: \xe2\x80\x9cno push\xe2\x80\x9d"},
		{"- User: `no push`", "- User: `no push`"},
		{"- User said: no push, and no tag", "- User: no push, and no tag"},
		/* these say something else */
		{"- The user must not see \"no push\"", NULL},
		{"- User permissions: no push", NULL},
		{"- No push, as the hook refuses it", NULL},
	};
	const char *name = "20260715T090000Z_11111111.md";

	(void)state;
	for (size_t i = 0; i < sizeof(CASE) / sizeof(CASE[0]); i++) {
		struct buf text = BUF_INIT(1u << 16), want = BUF_INIT(1u << 16);
		const char *none = strstr(BODY, "- none");
		struct save_done done;

		desk();
		desk_put("handoffs", name,
			 desk_document(DESK_ID, "auto", "live", "",
				       "- User: \"no push\""));
		buf_printf(&text, "%.*s%s%s", (int)(none - BODY), BODY, CASE[i].line,
			   strchr(none, '\n'));
		assert_int_equal(save(DESK_ID, buf_cstr(&text), NULL, &done, NULL), 0);
		assert_int_equal(done.kept, CASE[i].want ? 0 : 1);
		buf_printf(&want, "(never filtered)\n%s%s\n\n",
			   CASE[i].want ? "" : "- User: \"no push\"\n",
			   CASE[i].want ? CASE[i].want : CASE[i].line);
		if (str_find(
			    test_read(
				    "vault/tollgate/handoffs/20260715T090000Z_11111111.md"),
			    buf_str(&want)) == STR_NPOS)
			fail_msg("%s", CASE[i].line);
		save_release(&done);
		buf_release(&text);
		buf_release(&want);
	}
}

static void test_save__it_is_live_while_its_session_runs(void **state)
{
	struct save_done done;
	struct scope s;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	desk_scope(&s, DESK_ID);
	journal_process_of(&s.j->process, getpid());
	assert_int_equal(save_document(&s, str_of(BODY),
				       &(struct save_options){.budget = 0}, &done, NULL),
			 0);
	assert_int_equal(done.status, DOCS_LIVE);
	scope_release(&s);
	save_release(&done);
	assert_true(str_find(test_read("vault/tollgate/handoffs/" NAME),
			     STR("\nstatus: live\n")) != STR_NPOS);
}

static void
test_save__a_recovered_one_says_so_and_its_session_is_no_more_open(void **state)
{
	struct save_options o = {.recovered = true, .focus = STR("the limiter")};
	struct save_done done;
	struct scope s;
	str got;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	assert_int_equal(save(DESK_ID, BODY, &o, &done, NULL), 0);
	save_release(&done);
	got = test_read("vault/tollgate/handoffs/" NAME);
	assert_true(str_find(got, STR("\nkind: recovered\nstatus: pending\n")) !=
		    STR_NPOS);
	assert_true(str_find(got, STR("\nfocus_filter: the limiter\n")) != STR_NPOS);
	desk_scope(&s, DESK_ID);
	assert_int_equal(s.j->state, JOURNAL_RECOVERED);
	scope_release(&s);
}

static void test_save__with_a_problem_nothing_is_written(void **state)
{
	struct save_done done;
	struct err e = ERR_INIT;
	char text[4000];

	(void)state;
	desk();
	snprintf(text, sizeof(text), "%s", BODY);
	memcpy(strstr(text, "## Next"), "## Nxet", 7);
	assert_int_equal(save(DESK_ID, text, NULL, &done, &e), HF_EFORMAT);
	assert_int_equal(done.check.n, 1);
	assert_non_null(strstr(done.check.item[0].text, "## Next"));
	assert_non_null(strstr(e.msg, "## Next"));
	save_release(&done);
	assert_int_equal(test_entries("vault"), -1);
}

static void test_save__empty_and_huge_texts_are_refused(void **state)
{
	struct buf big = BUF_INIT(1u << 20);
	struct save_done done;
	struct err e = ERR_INIT;

	(void)state;
	desk();
	assert_int_equal(save(DESK_ID, " \n", NULL, &done, &e), HF_EFORMAT);
	save_release(&done);
	e = ERR_INIT;
	buf_fill(&big, 'x', SAVE_INPUT_MAX + 1);
	assert_int_equal(save(DESK_ID, buf_cstr(&big), NULL, &done, &e), HF_ELIMIT);
	save_release(&done);
	e = ERR_INIT;
	assert_int_equal(save("", BODY, NULL, &done, &e), HF_EUSAGE);
	save_release(&done);
	buf_release(&big);
}

static void test_save__a_copy_lies_where_HANDOFF_DOC_says_inside_the_project(void **state)
{
	struct save_done done;

	(void)state;
	desk();
	setenv("HANDOFF_DOC", "notes/handoff.md", 1);
	assert_int_equal(save(DESK_ID, BODY, NULL, &done, NULL), 0);
	assert_null(done.copy_problem);
	assert_non_null(done.copy);
	assert_str(test_read("tollgate/notes/handoff.md"),
		   test_read("vault/tollgate/handoffs/" NAME));
	save_release(&done);
}

static void test_save__a_copy_never_leaves_the_project(void **state)
{
	static const char *const bad[] = {
		"../handoff.md", "/tmp/handoff.md", "a/../../x.md", ".git/x",
		"out/x.md",      "link.md",         "src",          ".",
		"src/gate.c/x"};

	(void)state;
	desk();
	test_write("outside/keep.md", STR("keep"));
	assert_int_equal(symlink(test_path("outside"), test_path("tollgate/out")), 0);
	assert_int_equal(
		symlink(test_path("outside/keep.md"), test_path("tollgate/link.md")), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct save_done done;

		setenv("HANDOFF_DOC", bad[i], 1);
		assert_int_equal(save(DESK_ID, BODY, NULL, &done, NULL), 0);
		if (!done.copy_problem)
			fail_msg("%s was taken", bad[i]);
		assert_null(done.copy);
		save_release(&done);
	}
	assert_true(test_is("outside/keep.md", "keep"));
	assert_int_equal(test_entries("outside"), 1);
	assert_false(test_exists("handoff.md"));
}

static void test_save__what_is_next_names_clear_and_the_document(void **state)
{
	struct buf out = BUF_INIT(1u << 16);
	struct save_done done;
	struct scope s;

	(void)state;
	desk();
	setenv("HANDOFF_DOC", "handoff.md", 1);
	desk_scope(&s, DESK_ID);
	assert_int_equal(save_document(&s, str_of(BODY),
				       &(struct save_options){.budget = 0}, &done, NULL),
			 0);
	save_next(&s, &done, &out);
	assert_true(desk_has(&out, "/clear"));
	assert_true(desk_has(&out, "handoff show " NAME));
	assert_true(desk_has(&out, "handoff.md and confirm you have context."));
	scope_release(&s);
	save_release(&done);
	buf_release(&out);
}

static void test_save__a_failing_call_leaves_the_old_document_or_the_new(void **state)
{
	bool met = true;
	int n;

	(void)state;
	desk();
	desk_journal(DESK_ID, NULL);
	for (n = 1; met; n++) {
		struct save_done done;
		struct err e = ERR_INIT;
		str got;

		desk_put("handoffs", NAME,
			 desk_document(DESK_ID, "auto", "live", "", "- old"));
		fault_at(n);
		if (save(DESK_ID, BODY, NULL, &done, &e) == 0)
			e.msg[0] = '\0';
		met = fault_met();
		fault_off();
		got = test_read("vault/tollgate/handoffs/" NAME);
		assert_true(str_ends(got, STR("`make test`\n")));
		save_release(&done);
	}
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_save__front_matter_and_environment_are_made_here),
		cmocka_unit_test(
			test_save__a_fence_and_words_before_the_title_are_no_part_of_it),
		cmocka_unit_test(test_save__secrets_are_taken_out),
		cmocka_unit_test(
			test_save__lineage_and_hazards_of_the_claimed_document_go_on_verbatim),
		cmocka_unit_test(
			test_save__a_second_document_replaces_the_first_but_not_one_that_was_taken_up),
		cmocka_unit_test(
			test_save__an_automatic_document_is_replaced_under_its_name),
		cmocka_unit_test(test_save__a_hazard_in_another_form_is_the_same_one),
		cmocka_unit_test(test_save__it_is_live_while_its_session_runs),
		cmocka_unit_test(
			test_save__a_recovered_one_says_so_and_its_session_is_no_more_open),
		cmocka_unit_test(test_save__with_a_problem_nothing_is_written),
		cmocka_unit_test(test_save__empty_and_huge_texts_are_refused),
		cmocka_unit_test(
			test_save__a_copy_lies_where_HANDOFF_DOC_says_inside_the_project),
		cmocka_unit_test(test_save__a_copy_never_leaves_the_project),
		cmocka_unit_test(test_save__what_is_next_names_clear_and_the_document),
		cmocka_unit_test(
			test_save__a_failing_call_leaves_the_old_document_or_the_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
