#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "work/docs.h"

#define PROJECT STR("tollgate")
#define TREE    "/home/dev/tollgate"
#define ID      "11111111-2222-4333-8444-555555555555"
#define OTHER   "99999999-2222-4333-8444-555555555555"

static struct vault vault;

static void open_vault(void)
{
	test_dir();
	assert_int_equal(vault_open(&vault, test_path("vault"), NULL), 0);
}

static const char *doc(const char *created, const char *session, const char *kind,
		       const char *status, const char *tree)
{
	static char text[4][2000];
	static int turn;
	char *t = text[turn++ % 4];

	snprintf(
		t, sizeof(text[0]),
		"---\ntype: handoff\ncreated: %s\nsource_session: %s\nlineage: []\n"
		"focus_filter: null\nconfidence: medium\nproject: tollgate\nkind: %s\n"
		"status: %s\nbranch: main\nhead: abc1234\nworktree: %s\nclaimed_by: null\n---\n\n"
		"# Handoff: Count the lorries\n\n## Goal\nstatus: not a field\n",
		created, session, kind, status, tree);
	return t;
}

static void put(const char *name, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "vault/tollgate/handoffs/%s", name);
	test_write(path, str_of(text));
}

static const char *status_of(const char *name)
{
	static struct docs d;
	const struct docs_item *it;

	docs_release(&d);
	assert_int_equal(docs_load(&d, &vault, PROJECT, true, NULL), 0);
	it = docs_named(&d, str_of(name));
	return it ? docs_status_name(it->status) : "none";
}

static void test_docs__a_missing_project_has_none(void **state)
{
	struct docs d;

	(void)state;
	open_vault();
	assert_int_equal(docs_load(&d, &vault, PROJECT, true, NULL), 0);
	assert_int_equal(d.n, 0);
	assert_null(docs_offer(&d, STR(TREE)));
	docs_release(&d);
	docs_release(&d);
	vault_release(&vault);
}

static void test_docs__are_read_newest_first_and_what_is_none_is_counted(void **state)
{
	struct docs d;

	(void)state;
	open_vault();
	put("20260101T000000Z_aaaaaaaa.md",
	    doc("2026-01-01T00:00:00Z", ID, "auto", "pending", TREE));
	put("20260102T000000Z_bbbbbbbb.md",
	    doc("2026-01-02T00:00:00Z", OTHER, "manual", "strange", TREE));
	put("readme.md", "# no document\n");
	put("notes.txt", "nothing\n");
	assert_int_equal(
		symlink("readme.md", test_path("vault/tollgate/handoffs/link.md")), 0);
	assert_int_equal(docs_load(&d, &vault, PROJECT, false, NULL), 0);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.odd, 1);
	assert_string_equal(d.item[0].name, "20260102T000000Z_bbbbbbbb.md");
	assert_int_equal(d.item[0].status, DOCS_ODD);
	assert_int_equal(d.item[0].kind, HANDOFF_MANUAL);
	assert_string_equal(d.item[1].session, ID);
	assert_string_equal(d.item[1].title, "Count the lorries");
	assert_string_equal(d.item[1].branch, "main");
	assert_string_equal(d.item[1].head, "abc1234");
	assert_string_equal(d.item[1].worktree, TREE);
	assert_string_equal(d.item[1].claimed_by, "");
	assert_int_equal(d.item[1].kind, HANDOFF_AUTO);
	assert_ptr_equal(docs_of_session(&d, STR(ID)), &d.item[1]);
	assert_null(docs_of_session(&d, STR("x")));
	docs_release(&d);
	assert_int_equal(docs_load_newest(&d, &vault, PROJECT, 1, NULL), 0);
	assert_int_equal(d.n + d.odd, 1); /* readme.md comes first by name */
	docs_release(&d);
	vault_release(&vault);
}

static void test_docs__the_one_made_last_is_offered_in_its_own_worktree(void **state)
{
	struct docs d;

	(void)state;
	open_vault();
	put("20260101T000000Z_aaaaaaaa.md",
	    doc("2026-01-09T00:00:00Z", ID, "auto", "pending", TREE));
	put("20260105T000000Z_bbbbbbbb.md",
	    doc("2026-01-05T00:00:00Z", OTHER, "auto", "pending", TREE));
	put("20260106T000000Z_cccccccc.md",
	    doc("2026-01-10T00:00:00Z", OTHER, "auto", "pending", "/home/dev/other"));
	put("20260107T000000Z_dddddddd.md",
	    doc("2026-01-11T00:00:00Z", OTHER, "auto", "live", TREE));
	put("20260108T000000Z_eeeeeeee.md",
	    doc("2026-01-12T00:00:00Z", OTHER, "auto", "claimed", TREE));
	assert_int_equal(docs_load(&d, &vault, PROJECT, false, NULL), 0);
	assert_string_equal(docs_offer(&d, STR(TREE))->name,
			    "20260101T000000Z_aaaaaaaa.md");
	assert_string_equal(docs_offer(&d, STR("/home/dev/other"))->name,
			    "20260106T000000Z_cccccccc.md");
	assert_null(docs_offer(&d, STR("/home/dev")));
	docs_release(&d);
	/* without a `created` its name tells, without a worktree it belongs to all */
	put("20260201T000000Z_ffffffff.md",
	    doc("null", OTHER, "auto", "pending", "null"));
	assert_int_equal(docs_load(&d, &vault, PROJECT, false, NULL), 0);
	assert_string_equal(docs_offer(&d, STR(TREE))->name,
			    "20260201T000000Z_ffffffff.md");
	docs_release(&d);
	vault_release(&vault);
}

static void test_docs__names_sort_by_time_and_are_given_once(void **state)
{
	static const char *const want[] = {"20250715T104000Z_11111111.md",
					   "20250715T104000Z_11111111_2.md",
					   "20250715T104000Z_11111111_3.md"};
	struct buf b = BUF_INIT(100);

	(void)state;
	open_vault();
	for (size_t i = 0; i < 3; i++) {
		buf_reset(&b);
		docs_name(&b, &vault, PROJECT, 1752576000123, STR(ID));
		assert_string_equal(buf_cstr(&b), want[i]);
		put(buf_cstr(&b), doc("null", ID, "manual", "pending", "null"));
		if (i == 0) /* what is archived keeps its name too */
			assert_int_equal(docs_move(&vault, PROJECT, buf_str(&b),
						   DOCS_PENDING, DOCS_SUPERSEDED,
						   STR_NONE, NULL),
					 0);
	}
	buf_release(&b);
	vault_release(&vault);
}

static void test_docs__a_change_of_status_changes_two_lines(void **state)
{
	struct buf b = BUF_INIT(10000);

	(void)state;
	docs_with_status(&b,
			 STR("---\r\ntype: handoff\r\nstatus:   pending # x\r\n"
			     "claimed_by: null\r\nown: 1\r\n---\r\nstatus: body\r\n"),
			 DOCS_CLAIMED, STR(ID));
	assert_string_equal(buf_cstr(&b),
			    "---\r\ntype: handoff\r\nstatus: claimed\r\nclaimed_by: " ID
			    "\r\nown: 1\r\n---\r\nstatus: body\r\n");
	buf_reset(&b);
	docs_with_status(&b, STR("---\ntype: handoff\n---\n\n# t"), DOCS_PENDING,
			 STR_NONE);
	assert_string_equal(buf_cstr(&b), "---\ntype: handoff\nstatus: pending\n"
					  "claimed_by: null\n---\n\n# t");
	buf_reset(&b);
	docs_with_status(&b, STR("status: x\n---\nno front matter\n"), DOCS_LIVE,
			 STR_NONE);
	assert_string_equal(buf_cstr(&b), "status: x\n---\nno front matter\n");
	buf_release(&b);
}

static void test_docs__a_field_is_replaced_in_the_front_matter_alone(void **state)
{
	struct buf b = BUF_INIT(10000);

	(void)state;
	docs_with_field(&b,
			STR("---\ntype: handoff\nworktree: /a # x\n---\nworktree: /b\n"),
			"worktree", STR("/c d: e"));
	assert_string_equal(buf_cstr(&b),
			    "---\ntype: handoff\nworktree: \"/c d: e\"\n---\n"
			    "worktree: /b\n");
	buf_reset(&b);
	docs_with_field(&b, STR("---\ntype: handoff\n---\nx"), "worktree", STR("/c"));
	assert_string_equal(buf_cstr(&b), "---\ntype: handoff\n---\nx");
	buf_reset(&b);
	docs_with_field(&b, STR("worktree: /a\n---\n"), "worktree", STR("/c"));
	assert_string_equal(buf_cstr(&b), "worktree: /a\n---\n");
	buf_release(&b);
}

static void test_docs__cut_at_every_byte_a_text_keeps_its_body(void **state)
{
	str whole =
		STR("---\ntype: handoff\nstatus: pending\nclaimed_by: null\n---\nbody\n");

	(void)state;
	for (size_t n = 0; n <= whole.n; n++) {
		struct buf b = BUF_INIT(1000);

		docs_with_status(&b, str_head(whole, n), DOCS_PENDING, STR_NONE);
		if (n < 51) /* no closing line yet */
			assert_str(buf_str(&b), str_head(whole, n));
		else
			assert_true(str_starts(buf_str(&b), str_head(whole, 52)) ||
				    n < 52);
		buf_release(&b);
	}
}

static void test_docs__the_first_claims_and_the_second_is_told_by_whom(void **state)
{
	const char *name = "20260101T000000Z_aaaaaaaa.md";
	struct err e = ERR_INIT;

	(void)state;
	open_vault();
	put(name, doc("2026-01-01T00:00:00Z", "x", "auto", "pending", TREE));
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_PENDING,
				   DOCS_CLAIMED, STR(ID), NULL),
			 0);
	assert_string_equal(status_of(name), "claimed");
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_PENDING,
				   DOCS_CLAIMED, STR(OTHER), &e),
			 HF_EAMBIGUOUS);
	assert_non_null(strstr(e.msg, ID));
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_CLAIMED,
				   DOCS_CONSUMED, STR(OTHER), NULL),
			 HF_EAMBIGUOUS);
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_CLAIMED,
				   DOCS_PENDING, STR(ID), NULL),
			 0);
	assert_string_equal(status_of(name), "pending");
	assert_int_equal(vault.lock, -1);
	vault_release(&vault);
}

static void
test_docs__a_consumed_one_is_archived_and_all_but_five_are_packed(void **state)
{
	char name[DOCS_NAME_MAX];
	struct docs d;

	(void)state;
	open_vault();
	for (int i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "2026010%dT000000Z_aaaaaaaa.md", i);
		put(name, doc("2026-01-01T00:00:00Z", ID, "auto", "claimed", TREE));
		assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_CLAIMED,
					   DOCS_CONSUMED, STR_NONE, NULL),
				 0);
	}
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 0);
	assert_true(
		test_exists("vault/tollgate/archive/20260103T000000Z_aaaaaaaa.md.zst"));
	assert_true(test_exists("vault/tollgate/archive/20260104T000000Z_aaaaaaaa.md"));
	assert_false(test_exists("vault/tollgate/archive/20260103T000000Z_aaaaaaaa.md"));
	assert_int_equal(docs_load(&d, &vault, PROJECT, true, NULL), 0);
	assert_int_equal(d.n, 8);
	assert_int_equal(d.odd, 0);
	assert_string_equal(d.item[7].name, "20260101T000000Z_aaaaaaaa.md.zst");
	assert_string_equal(d.item[7].session, ID);
	assert_int_equal(d.item[7].status, DOCS_CONSUMED);
	assert_true(d.item[7].archived);
	assert_null(docs_of_session(&d, STR(ID)));
	docs_release(&d);
	for (int i = 1; i <= 9; i++) {
		struct buf text = BUF_INIT(HANDOFF_DOC_MAX);

		snprintf(name, sizeof(name), "2026010%dT000000Z_aaaaaaaa.md", i);
		assert_int_equal(docs_read(&vault, PROJECT, str_of(name), &text, NULL),
				 i < 9 ? 0 : HF_ENOTFOUND);
		assert_true(i == 9 ||
			    str_starts(buf_str(&text), STR("---\ntype: handoff\n")));
		buf_release(&text);
	}
	vault_release(&vault);
}

static void test_docs__notes_of_others_in_the_archive_are_left_alone(void **state)
{
	const char *name = "20260101T000000Z_aaaaaaaa.md";
	char other[100];
	struct docs d;

	(void)state;
	open_vault();
	for (int i = 0; i < 9; i++) {
		snprintf(other, sizeof(other), "vault/tollgate/archive/s_2026_%d.md", i);
		test_write(other, STR("---\nid: s\n---\n"));
	}
	put(name, doc("2026-01-01T00:00:00Z", ID, "auto", "pending", TREE));
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_PENDING,
				   DOCS_SUPERSEDED, STR_NONE, NULL),
			 0);
	assert_int_equal(test_entries("vault/tollgate/archive"), 10);
	assert_int_equal(docs_load(&d, &vault, PROJECT, true, NULL), 0);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.odd, 0);
	docs_release(&d);
	vault_release(&vault);
}

static void test_docs__an_automatic_one_never_replaces_one_written_by_hand(void **state)
{
	const char *name = "20260101T000000Z_11111111.md";
	const char *manual = doc("2026-01-01T00:00:00Z", ID, "manual", "pending", TREE);

	(void)state;
	open_vault();
	assert_int_equal(docs_save(&vault, PROJECT, str_of(name), str_of(manual), NULL),
			 0);
	assert_int_equal(
		docs_save(&vault, PROJECT, str_of(name),
			  str_of(doc("2026-01-02T00:00:00Z", ID, "auto", "live", TREE)),
			  NULL),
		HF_EUSAGE);
	assert_int_equal(docs_save(&vault, PROJECT, str_of(name),
				   str_of(doc("2026-01-02T00:00:00Z", ID, "recovered",
					      "pending", TREE)),
				   NULL),
			 HF_EUSAGE);
	assert_true(
		test_is("vault/tollgate/handoffs/20260101T000000Z_11111111.md", manual));
	assert_int_equal(
		docs_save(&vault, PROJECT, str_of(name),
			  str_of(doc("2026-01-03T00:00:00Z", ID, "manual", "live", TREE)),
			  NULL),
		0);
	assert_string_equal(status_of(name), "live");
	vault_release(&vault);
}

static void test_docs__a_lock_of_the_caller_is_kept(void **state)
{
	const char *name = "20260101T000000Z_11111111.md";

	(void)state;
	open_vault();
	assert_int_equal(vault_lock(&vault, 0, NULL), 0);
	assert_int_equal(docs_save(&vault, PROJECT, str_of(name),
				   str_of(doc("null", ID, "auto", "live", TREE)), NULL),
			 0);
	assert_true(vault.lock >= 0);
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_LIVE, DOCS_PENDING,
				   STR_NONE, NULL),
			 0);
	assert_true(vault.lock >= 0);
	vault_unlock(&vault);
	vault_release(&vault);
}

static void test_docs__while_another_holds_the_lock_nothing_is_written(void **state)
{
	const char *name = "20260101T000000Z_11111111.md";
	struct vault holder;

	(void)state;
	open_vault();
	put(name, doc("null", ID, "auto", "pending", TREE));
	assert_int_equal(vault_open(&holder, test_path("vault"), NULL), 0);
	assert_int_equal(vault_lock(&holder, 0, NULL), 0);
	assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_PENDING,
				   DOCS_CLAIMED, STR(ID), NULL),
			 HF_ETIME);
	vault_release(&holder);
	assert_string_equal(status_of(name), "pending");
	vault_release(&vault);
}

static int add_name(const char *name, void *arg)
{
	buf_printf(arg, "%s;", name);
	return 0;
}

static void test_docs__one_is_found_by_name_wherever_it_lies(void **state)
{
	static const char *const NONE[] = {
		"20260101T000000Z_bbbbbbbb.md", "s_2026", "../x", "", "odd", "long"};
	struct buf names = BUF_INIT(4096);
	struct docs_item it;
	char name[100];

	(void)state;
	open_vault();
	for (int i = 1; i <= 7; i++) {
		snprintf(name, sizeof(name), "2026010%dT000000Z_aaaaaaaa.md", i);
		put(name, doc("2026-01-01T00:00:00Z", ID, "auto", "pending", TREE));
		assert_int_equal(docs_move(&vault, PROJECT, str_of(name), DOCS_PENDING,
					   DOCS_SUPERSEDED, STR_NONE, NULL),
				 0);
	}
	put("20260201T000000Z_99999999.md", doc("null", OTHER, "auto", "live", TREE));
	put("odd.md", "# Shopping\n");
	test_write("vault/tollgate/archive/s_2026.md", STR("---\nid: s\n---\n"));
	assert_true(
		test_exists("vault/tollgate/archive/20260101T000000Z_aaaaaaaa.md.zst"));
	for (int i = 1; i <= 7; i++) {
		snprintf(name, sizeof(name), "2026010%dT000000Z_aaaaaaaa%s", i,
			 i % 2 ? "" : ".md");
		assert_int_equal(docs_get(&vault, PROJECT, str_of(name), &it, NULL), 0);
		assert_string_equal(it.session, ID);
		assert_non_null(strstr(it.text, "Count the lorries"));
		docs_item_release(&it);
	}
	for (size_t i = 0; i < sizeof(NONE) / sizeof(NONE[0]); i++) {
		assert_int_equal(docs_get(&vault, PROJECT, str_of(NONE[i]), &it, NULL),
				 HF_ENOTFOUND);
		docs_item_release(&it);
	}
	assert_int_equal(docs_names(&vault, PROJECT, false, add_name, &names, NULL), 0);
	assert_str(buf_str(&names), STR("20260201T000000Z_99999999.md;odd.md;"));
	buf_reset(&names);
	assert_int_equal(docs_names(&vault, PROJECT, true, add_name, &names, NULL), 0);
	assert_str(buf_str(&names),
		   STR("20260101T000000Z_aaaaaaaa.md;20260102T000000Z_aaaaaaaa.md;"
		       "20260103T000000Z_aaaaaaaa.md;20260104T000000Z_aaaaaaaa.md;"
		       "20260105T000000Z_aaaaaaaa.md;20260106T000000Z_aaaaaaaa.md;"
		       "20260107T000000Z_aaaaaaaa.md;"));
	buf_release(&names);
	vault_release(&vault);
}

static void test_docs__what_a_crash_left_in_handoffs_is_archived_later(void **state)
{
	(void)state;
	open_vault();
	put("20260101T000000Z_aaaaaaaa.md", doc("null", ID, "auto", "consumed", TREE));
	put("20260102T000000Z_bbbbbbbb.md", doc("null", OTHER, "auto", "pending", TREE));
	assert_int_equal(docs_move(&vault, PROJECT, STR("20260102T000000Z_bbbbbbbb.md"),
				   DOCS_PENDING, DOCS_SUPERSEDED, STR_NONE, NULL),
			 0);
	assert_int_equal(test_entries("vault/tollgate/handoffs"), 0);
	assert_int_equal(test_entries("vault/tollgate/archive"), 2);
	vault_release(&vault);
}

static void test_docs__every_failing_call_leaves_one_whole_document(void **state)
{
	const char *name = "20260101T000000Z_aaaaaaaa.md";
	bool met;
	int n = 0;

	(void)state;
	open_vault();
	do {
		struct docs d;
		int ret;

		assert_int_equal(vault_lock(&vault, 0, NULL), 0);
		vault_remove(&vault, VAULT_ARCHIVE, PROJECT, str_of(name), NULL);
		vault_unlock(&vault);
		put(name, doc("null", ID, "auto", "claimed", TREE));
		fault_at(++n);
		ret = docs_move(&vault, PROJECT, str_of(name), DOCS_CLAIMED,
				DOCS_CONSUMED, STR_NONE, NULL);
		met = fault_met();
		fault_off();
		vault_unlock(&vault);
		assert_int_equal(docs_load(&d, &vault, PROJECT, true, NULL), 0);
		assert_int_equal(d.n, 1);
		assert_true(d.item[0].status == DOCS_CONSUMED ||
			    (ret && d.item[0].status == DOCS_CLAIMED));
		assert_int_equal(d.odd, 0);
		docs_release(&d);
	} while (met);
	assert_true(n > 8);
	vault_release(&vault);
}

static void test_docs__a_huge_file_is_refused_by_its_size(void **state)
{
	struct docs d;

	(void)state;
	open_vault();
	put("20260101T000000Z_aaaaaaaa.md", doc("null", ID, "auto", "pending", TREE));
	assert_int_equal(
		truncate(
			test_path("vault/tollgate/handoffs/20260101T000000Z_aaaaaaaa.md"),
			(off_t)8 << 30),
		0);
	assert_int_equal(docs_load(&d, &vault, PROJECT, false, NULL), 0);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.odd, 1);
	docs_release(&d);
	vault_release(&vault);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docs__a_missing_project_has_none),
		cmocka_unit_test(
			test_docs__are_read_newest_first_and_what_is_none_is_counted),
		cmocka_unit_test(
			test_docs__the_one_made_last_is_offered_in_its_own_worktree),
		cmocka_unit_test(test_docs__names_sort_by_time_and_are_given_once),
		cmocka_unit_test(test_docs__a_change_of_status_changes_two_lines),
		cmocka_unit_test(
			test_docs__a_field_is_replaced_in_the_front_matter_alone),
		cmocka_unit_test(test_docs__cut_at_every_byte_a_text_keeps_its_body),
		cmocka_unit_test(
			test_docs__the_first_claims_and_the_second_is_told_by_whom),
		cmocka_unit_test(
			test_docs__a_consumed_one_is_archived_and_all_but_five_are_packed),
		cmocka_unit_test(
			test_docs__notes_of_others_in_the_archive_are_left_alone),
		cmocka_unit_test(
			test_docs__an_automatic_one_never_replaces_one_written_by_hand),
		cmocka_unit_test(test_docs__a_lock_of_the_caller_is_kept),
		cmocka_unit_test(
			test_docs__while_another_holds_the_lock_nothing_is_written),
		cmocka_unit_test(test_docs__one_is_found_by_name_wherever_it_lies),
		cmocka_unit_test(
			test_docs__what_a_crash_left_in_handoffs_is_archived_later),
		cmocka_unit_test(test_docs__every_failing_call_leaves_one_whole_document),
		cmocka_unit_test(test_docs__a_huge_file_is_refused_by_its_size),
	};

	return cmocka_run_group_tests_name("docs", tests, NULL, NULL);
}
