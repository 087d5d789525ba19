#include "fault.h"

#include "work/mcp.h"

static void
test_mcp__a_known_version_is_answered_and_any_other_gets_our_newest(void **state)
{
	static const char *const OURS[] = {"2024-11-05", "2025-03-26", "2025-06-18",
					   "2025-11-25"};
	static const char *const OTHER[] = {"2026-07-28", "9999-01-01", "", "2025-06-18 ",
					    "1"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(mcp_version(str_of(OURS[i])), OURS[i]);
		assert_int_equal(mcp_version_batches(OURS[i]), i == 1);
	}
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(mcp_version(str_of(OTHER[i])), "2025-11-25");
}

static void test_mcp__levels_have_an_order(void **state)
{
	(void)state;
	assert_int_equal(mcp_level(STR("debug")), 0);
	assert_int_equal(mcp_level(STR("warning")), 3);
	assert_int_equal(mcp_level(STR("emergency")), 7);
	assert_int_equal(mcp_level(STR("loud")), -1);
	assert_int_equal(mcp_level(STR_NONE), -1);
}

static void test_mcp__a_cursor_gives_its_name_back(void **state)
{
	static const char *const WRONG[] = {"", "6", "6g", "616", "00", "6100"};
	struct buf c = BUF_INIT(1000), name = BUF_INIT(1000);

	(void)state;
	mcp_cursor_add(&c, STR("gate \xc3\xa9/\xff"));
	assert_true(mcp_cursor_read(&name, buf_str(&c)));
	assert_str(buf_str(&name), STR("gate \xc3\xa9/\xff"));
	buf_reset(&name);
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
		assert_false(mcp_cursor_read(&name, str_of(WRONG[i])));
	assert_int_equal(name.n, 0);
	buf_release(&c);
	buf_release(&name);
}

static void test_mcp__uris_are_made_and_read_back(void **state)
{
	struct buf b = BUF_INIT(1000);
	struct mcp_uri u;

	(void)state;
	assert_true(mcp_uri_parse(&u, STR("session://brief")));
	assert_int_equal(u.kind, MCP_BRIEF_OWN);
	mcp_uri_release(&u);
	mcp_uri_brief(&b, STR("my gate"));
	assert_str(buf_str(&b), STR("handoff://brief/my%20gate"));
	assert_true(mcp_uri_parse(&u, buf_str(&b)));
	assert_int_equal(u.kind, MCP_BRIEF);
	assert_str(buf_str(&u.project), STR("my gate"));
	mcp_uri_release(&u);
	buf_reset(&b);
	mcp_uri_entity(&b, STR("gate"), STR("API/\xc3\x9c 50%?#"));
	assert_str(buf_str(&b), STR("handoff://entity/gate/API%2F%C3%9C%2050%25%3F%23"));
	assert_true(mcp_uri_parse(&u, buf_str(&b)));
	assert_int_equal(u.kind, MCP_ENTITY);
	assert_str(buf_str(&u.project), STR("gate"));
	assert_str(buf_str(&u.name), STR("API/\xc3\x9c 50%?#"));
	mcp_uri_release(&u);
	buf_reset(&b);
	mcp_uri_document(&b, STR("gate"), STR("20260715T103000Z_1.md"));
	assert_str(buf_str(&b), STR("handoff://document/gate/20260715T103000Z_1.md"));
	assert_true(mcp_uri_parse(&u, buf_str(&b)));
	assert_int_equal(u.kind, MCP_DOCUMENT);
	assert_str(buf_str(&u.name), STR("20260715T103000Z_1.md"));
	mcp_uri_release(&u);
	buf_release(&b);
}

static void test_mcp__a_uri_is_no_path(void **state)
{
	static const char *const WRONG[] = {
		"",
		"session://briefs",
		"session://brief/x",
		"handoff://brief/",
		"handoff://brief/a/b",
		"handoff://brief/a%",
		"handoff://brief/a%2",
		"handoff://brief/a%zz",
		"handoff://brief/a%00",
		"handoff://brief/%ff",
		"handoff://entity/a",
		"handoff://entity/a/",
		"handoff://entity//b",
		"handoff://entity/a/b/c",
		"handoff://other/a",
		"handoff://document/a",
		"handoff://document/a/b/c",
		"file:///etc/passwd",
		"HANDOFF://brief/a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
		struct mcp_uri u;

		if (mcp_uri_parse(&u, str_of(WRONG[i])))
			fail_msg("%s", WRONG[i]);
		mcp_uri_release(&u);
	}
}

static void test_mcp__a_root_is_a_file_uri_of_this_machine(void **state)
{
	static const char *const WRONG[] = {"",
					    "/x",
					    "file:",
					    "file://",
					    "file://host/x",
					    "http://localhost/x",
					    "file:///a%00b",
					    "file:///%ff"};
	struct buf b = BUF_INIT(5000);

	(void)state;
	assert_true(mcp_uri_path(&b, STR("file:///home/dev/my%20gate")));
	assert_str(buf_str(&b), STR("/home/dev/my gate"));
	buf_reset(&b);
	assert_true(mcp_uri_path(&b, STR("file://localhost/x")));
	assert_str(buf_str(&b), STR("/x"));
	buf_reset(&b);
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
		if (mcp_uri_path(&b, str_of(WRONG[i])) || b.n)
			fail_msg("%s", WRONG[i]);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_mcp__a_known_version_is_answered_and_any_other_gets_our_newest),
		cmocka_unit_test(test_mcp__levels_have_an_order),
		cmocka_unit_test(test_mcp__a_cursor_gives_its_name_back),
		cmocka_unit_test(test_mcp__uris_are_made_and_read_back),
		cmocka_unit_test(test_mcp__a_uri_is_no_path),
		cmocka_unit_test(test_mcp__a_root_is_a_file_uri_of_this_machine),
	};

	return cmocka_run_group_tests_name("mcp", tests, NULL, NULL);
}
