#include "deskful.h"

#include "base/fs.h"
#include "work/check.h"
#include "work/docs.h"

static struct vault vault;

static void open_desk(void)
{
	desk();
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
}

static void run(struct check *c, const char *text, uint64_t budget)
{
	struct check_options o = {.vault = &vault,
				  .project = STR("tollgate"),
				  .worktree = test_path("tollgate"),
				  .budget = budget};

	check_document(c, str_of(text), &o);
	vault_release(&vault);
}

/* Exactly one problem of this kind, which says these words. */
static void complains(struct check *c, const char *kind, const char *words)
{
	if (c->n != 1 || strcmp(c->item[0].kind, kind) ||
	    !strstr(c->item[0].text, words)) {
		for (size_t i = 0; i < c->n; i++)
			print_message("%s: %s\n", c->item[i].kind, c->item[i].text);
		fail_msg("wanted %s: %s", kind, words);
	}
	check_release(c);
}

static const char *good(const char *lineage, const char *hazards)
{
	return desk_document(DESK_ID, "manual", "pending", lineage, hazards);
}

/* text with the first `from` replaced */
static const char *with(const char *text, const char *from, const char *to)
{
	static char out[8000];
	const char *at = strstr(text, from);

	assert_non_null(at);
	snprintf(out, sizeof(out), "%.*s%s%s", (int)(at - text), text, to,
		 at + strlen(from));
	return out;
}

static void test_check__a_good_document_has_no_problem(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	run(&c, good("", "- User: \"never touch prod\""), 4000);
	assert_int_equal(c.n, 0);
	assert_true(c.tokens > 50);
	check_release(&c);
}

static void test_check__each_section_is_missed(void **state)
{
	static const char *const name[] = {
		"## Goal",        "## Done",        "## Next",          "## Hazards",
		"## Key Context", "## Environment", "## Files to Read", "## Verify"};
	struct check c;

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		open_desk();
		run(&c, with(good("", "- none"), name[i], "## Something else"), 0);
		complains(&c, "section", name[i]);
	}
}

static void
test_check__an_empty_goal_or_next_is_a_problem_an_empty_done_is_none(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	run(&c, with(good("", ""), "Count them.\n", ""), 0);
	complains(&c, "section", "\"## Goal\" is empty");
	open_desk();
	run(&c, with(good("", ""), "1. Begin\n", "\n"), 0);
	complains(&c, "section", "\"## Next\" is empty");
	open_desk();
	run(&c, with(good("", ""), "- nothing\n", ""), 0);
	assert_int_equal(c.n, 0);
	check_release(&c);
}

static void test_check__front_matter_is_missed_as_a_whole_and_by_field(void **state)
{
	const char *text = good("", "");
	struct check c;

	(void)state;
	open_desk();
	run(&c, strstr(good("", ""), "# Handoff"), 0);
	complains(&c, "front", "no front matter");
	open_desk();
	run(&c, with(text, "confidence: high\n", ""), 0);
	complains(&c, "front", "`confidence`");
	open_desk();
	run(&c, with(text, "type: handoff", "type: note"), 0);
	complains(&c, "front", "not handoff");
	open_desk();
	run(&c, with(text, "# Handoff: Count the lorries\n", ""), 0);
	complains(&c, "front", "title");
}

static void test_check__what_is_left_of_the_template_is_named(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	run(&c, with(good("", ""), "Count them.", "<one paragraph: what is being done>"),
	    0);
	complains(&c, "template", "one paragraph");
	open_desk();
	run(&c,
	    with(good("", ""), "Count them.", "<div class=\"x\">a</div>\n<!-- 1,2 -->"),
	    0);
	assert_int_equal(c.n, 0);
	check_release(&c);
}

static void test_check__a_hazard_of_an_earlier_document_must_be_there(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	desk_put("handoffs", "20260714T100000Z_99999999.md",
		 desk_document(
			 DESK_OTHER, "manual", "claimed", "",
			 "- User: \"never touch config/prod.yaml\"\n- half applied"));
	run(&c, good("20260714T100000Z_99999999.md", "- none"), 0);
	complains(&c, "hazard", "never touch config/prod.yaml");
	/* the same words in another dress will do */
	open_desk();
	desk_put("handoffs", "20260714T100000Z_99999999.md",
		 desk_document(DESK_OTHER, "manual", "claimed", "",
			       "- User: \"never touch config/prod.yaml\""));
	run(&c,
	    good("20260714T100000Z_99999999.md",
		 "- User: Never  touch config/prod.yaml (said twice)"),
	    0);
	assert_int_equal(c.n, 0);
	check_release(&c);
}

static void test_check__a_retired_hazard_is_not_missed(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	desk_put("archive", "20260713T100000Z_99999999.md",
		 desk_document(DESK_OTHER, "manual", "consumed", "",
			       "- User: \"no push\""));
	desk_put("handoffs", "20260714T100000Z_99999999.md",
		 desk_document(
			 DESK_OTHER, "manual", "claimed", "20260713T100000Z_99999999.md",
			 CHECK_RETIRED "2026-07-14 (it is pushed): User: \"no push\""));
	run(&c,
	    good("20260713T100000Z_99999999.md, 20260714T100000Z_99999999.md", "- none"),
	    0);
	assert_int_equal(c.n, 0);
	check_release(&c);
}

static void
test_check__a_hazard_retired_before_it_was_stated_again_is_missed(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	desk_put("archive", "20260713T100000Z_99999999.md",
		 desk_document(DESK_OTHER, "manual", "consumed", "",
			       CHECK_RETIRED "2026-07-13 (x): User: \"no push\""));
	desk_put("handoffs", "20260714T100000Z_99999999.md",
		 desk_document(DESK_OTHER, "manual", "claimed", "",
			       "- User: \"no push\""));
	run(&c,
	    good("20260713T100000Z_99999999.md, 20260714T100000Z_99999999.md", "- none"),
	    0);
	complains(&c, "hazard", "no push");
}

static void
test_check__a_document_of_the_lineage_that_is_gone_is_passed_over(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	run(&c, good("20200101T000000Z_00000000.md, ../../etc/passwd", ""), 0);
	assert_int_equal(c.n, 0);
	check_release(&c);
}

static void test_check__files_to_read_must_exist(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	run(&c, with(good("", ""), "`src/gate.c`", "`src/gate.c:12`, `src/bridge.c`"), 0);
	complains(&c, "file", "src/bridge.c");
	open_desk();
	run(&c,
	    with(good("", ""), "`src/gate.c`",
		 "`src/bridge.c` (to create), `src/*.c`, `https://example.com/a/b`, `~/notes/x.md`, `make test`"),
	    0);
	assert_int_equal(c.n, 0);
	check_release(&c);
}

static void test_check__branch_and_head_are_compared(void **state)
{
	char branch[] = "main", head[] = "abcdef0123456789abcdef0123456789abcdef01";
	struct gitstate git = {.kind = GITSTATE_REPO, .branch = branch, .head = head};
	struct check_options o = {.git = &git};
	struct check c;

	(void)state;
	desk();
	check_document(&c,
		       str_of(with(good("", ""), "branch: null\nhead: null",
				   "branch: main\nhead: abcdef012345")),
		       &o);
	assert_int_equal(c.n, 0);
	check_release(&c);
	check_document(&c,
		       str_of(with(good("", ""), "branch: null\nhead: null",
				   "branch: topic\nhead: abcdef012345")),
		       &o);
	complains(&c, "branch", "topic");
	check_document(&c,
		       str_of(with(good("", ""), "branch: null\nhead: null",
				   "branch: main\nhead: 0000000")),
		       &o);
	complains(&c, "head", "0000000");
}

static void test_check__secrets_and_a_burst_budget_are_problems(void **state)
{
	struct check c;

	(void)state;
	open_desk();
	run(&c,
	    with(good("", ""), "Count them.",
		 "Count them with ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
	    0);
	complains(&c, "secret", "1 secret");
	open_desk();
	run(&c, good("", ""), 20);
	complains(&c, "budget", "the budget is 20");
}

static void test_check__any_cut_of_a_document_is_checked_without_harm(void **state)
{
	const char *text = good("a.md, b.md", "- User: \"never\"");
	struct check_options o = {.worktree = "/nonexistent"};
	struct check c;

	(void)state;
	desk();
	for (size_t n = 0; n < strlen(text); n++) {
		check_document(&c, (str){text, n}, &o);
		for (size_t i = 0; i < c.n; i++)
			assert_null(strchr(c.item[i].text, '\n'));
		check_release(&c);
	}
}

static void test_check__problems_beyond_the_limit_are_counted(void **state)
{
	struct buf text = BUF_INIT(1u << 20);
	struct check_options o = {.budget = 0};
	struct check c;

	(void)state;
	desk();
	buf_add(&text, str_of(good("", "")));
	for (int i = 0; i < CHECK_MAX + 5; i++)
		buf_printf(&text, "<left over number %d>\n", i);
	check_document(&c, buf_str(&text), &o);
	assert_int_equal(c.n, CHECK_MAX);
	assert_int_equal(c.more, 5);
	buf_reset(&text);
	check_json(&c, &text);
	assert_true(desk_has(&text, "\"ok\":false"));
	assert_true(desk_has(&text, "\"more\":5}"));
	check_release(&c);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check__a_good_document_has_no_problem),
		cmocka_unit_test(test_check__each_section_is_missed),
		cmocka_unit_test(
			test_check__an_empty_goal_or_next_is_a_problem_an_empty_done_is_none),
		cmocka_unit_test(
			test_check__front_matter_is_missed_as_a_whole_and_by_field),
		cmocka_unit_test(test_check__what_is_left_of_the_template_is_named),
		cmocka_unit_test(
			test_check__a_hazard_of_an_earlier_document_must_be_there),
		cmocka_unit_test(test_check__a_retired_hazard_is_not_missed),
		cmocka_unit_test(
			test_check__a_hazard_retired_before_it_was_stated_again_is_missed),
		cmocka_unit_test(
			test_check__a_document_of_the_lineage_that_is_gone_is_passed_over),
		cmocka_unit_test(test_check__files_to_read_must_exist),
		cmocka_unit_test(test_check__branch_and_head_are_compared),
		cmocka_unit_test(test_check__secrets_and_a_burst_budget_are_problems),
		cmocka_unit_test(
			test_check__any_cut_of_a_document_is_checked_without_harm),
		cmocka_unit_test(test_check__problems_beyond_the_limit_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
