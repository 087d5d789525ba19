#include "fault.h"

#include <stdlib.h>

#include "data/config.h"

#define FILE_PATH "home/.config/handoff/config.json"

static void fresh(void)
{
	test_dir();
}

static void assert_item(const struct config *c, const char *key, const char *value,
			enum config_source source)
{
	assert_string_equal(config_get(c, key)->value, value);
	assert_int_equal(config_get(c, key)->source, source);
}

static void test_config__defaults_stand_when_nothing_is_set(void **state)
{
	struct config c;

	(void)state;
	fresh();
	unsetenv("CLAUDE_CONFIG_DIR");
	unsetenv("HANDOFF_VAULT");
	assert_int_equal(config_load(&c, NULL), 0);
	assert_item(&c, "budget", "4000", CONFIG_DEFAULT);
	assert_int_equal(config_int(&c, "ends"), 80);
	assert_false(config_bool(&c, "off"));
	assert_item(&c, "claude_dir", test_path("home/.claude"), CONFIG_DEFAULT);
	assert_item(&c, "vault", test_path("home/.handoff-mcp/vault"), CONFIG_DEFAULT);
	assert_string_equal(c.path, test_path(FILE_PATH));
	assert_null(c.problem);
	config_release(&c);
}

static void test_config__the_environment_is_stronger_than_the_file(void **state)
{
	struct config c;

	(void)state;
	fresh();
	unsetenv("CLAUDE_CONFIG_DIR");
	test_write(FILE_PATH, STR("{\"budget\": 2000, \"ends\": \"60\", \"off\": true, "
				  "\"claude_dir\": \"~/elsewhere/\", \"unknown\": [1]}"));
	setenv("HANDOFF_BUDGET", "3000", 1);
	assert_int_equal(config_load(&c, NULL), 0);
	assert_item(&c, "budget", "3000", CONFIG_ENV);
	assert_item(&c, "ends", "60", CONFIG_FILE);
	assert_item(&c, "off", "true", CONFIG_FILE);
	assert_item(&c, "claude_dir", test_path("home/elsewhere"), CONFIG_FILE);
	assert_string_equal(config_source_name(CONFIG_ENV), "environment");
	assert_null(c.problem);
	config_release(&c);
}

static void test_config__a_value_that_is_no_good_falls_to_the_next_source(void **state)
{
	struct config c;

	(void)state;
	fresh();
	test_write(FILE_PATH, STR("{\"budget\": 2000, \"ends\": -5}"));
	setenv("HANDOFF_BUDGET", "many\033[31m", 1);
	assert_int_equal(config_load(&c, NULL), 0);
	assert_item(&c, "budget", "2000", CONFIG_FILE);
	assert_item(&c, "ends", "80", CONFIG_DEFAULT);
	assert_non_null(c.problem);
	assert_true(
		str_ends(str_of(c.problem),
			 STR("config.json: \"-5\" is no good for ends (10 to 10000)")));
	config_release(&c);
	test_write(FILE_PATH, STR("{}"));
	assert_int_equal(config_load(&c, NULL), 0);
	assert_string_equal(
		c.problem,
		"HANDOFF_BUDGET: \"many\" is no good for budget (500 to 1000000)");
	config_release(&c);
	unsetenv("HANDOFF_BUDGET");
	setenv("HANDOFF_OFF", "perhaps", 1);
	setenv("CLAUDE_CONFIG_DIR", "relative/place", 1);
	assert_int_equal(config_load(&c, NULL), 0);
	assert_item(&c, "claude_dir", test_path("home/.claude"), CONFIG_DEFAULT);
	assert_string_equal(
		c.problem, "HANDOFF_OFF: \"perhaps\" is no good for off (true or false)");
	config_release(&c);
}

static void test_config__booleans_have_several_spellings(void **state)
{
	static const char *const yes[] = {"1", "true", "YES", "on"};
	static const char *const no[] = {"0", "false", "No", "off"};
	struct config c;
	size_t i;

	(void)state;
	fresh();
	for (i = 0; i < 4; i++) {
		setenv("HANDOFF_OFF", yes[i], 1);
		assert_int_equal(config_load(&c, NULL), 0);
		assert_true(config_bool(&c, "off"));
		config_release(&c);
		setenv("HANDOFF_OFF", no[i], 1);
		assert_int_equal(config_load(&c, NULL), 0);
		assert_false(config_bool(&c, "off"));
		assert_int_equal(config_get(&c, "off")->source, CONFIG_ENV);
		config_release(&c);
	}
}

static void test_config__a_damaged_file_is_told_and_the_rest_stands(void **state)
{
	struct err e = ERR_INIT;
	struct config c;

	(void)state;
	fresh();
	test_write(FILE_PATH, STR("{\"budget\": 2000"));
	setenv("HANDOFF_ENDS", "40", 1);
	assert_int_equal(config_load(&c, &e), HF_EFORMAT);
	assert_non_null(strstr(e.msg, "config.json: JSON: not valid at byte"));
	assert_item(&c, "budget", "4000", CONFIG_DEFAULT);
	assert_item(&c, "ends", "40", CONFIG_ENV);
	/* and it is not overwritten */
	assert_int_equal(config_set(&c, "budget", "3000", NULL), HF_EFORMAT);
	assert_true(test_is(FILE_PATH, "{\"budget\": 2000"));
	config_release(&c);
	test_write(FILE_PATH, STR("[1]"));
	e = ERR_INIT;
	assert_int_equal(config_load(&c, &e), HF_EFORMAT);
	assert_non_null(strstr(e.msg, "not a JSON object"));
	config_release(&c);
}

static void test_config__setting_a_key_keeps_what_it_does_not_know(void **state)
{
	struct config c;

	(void)state;
	fresh();
	assert_int_equal(config_load(&c, NULL), 0);
	assert_int_equal(config_set(&c, "budget", "3000", NULL), 0);
	assert_true(test_is(FILE_PATH, "{\n  \"budget\": 3000\n}\n"));
	test_write(FILE_PATH,
		   STR("{\"x\":{\"y\":[1,\"\\u00e9\"]},\"budget\":1,\"z\":null}"));
	assert_int_equal(config_set(&c, "budget", " 5000 ", NULL), 0);
	assert_int_equal(config_set(&c, "vault", "~/notes", NULL), 0);
	config_release(&c);
	assert_int_equal(config_load(&c, NULL), 0);
	assert_item(&c, "budget", "5000", CONFIG_FILE);
	assert_int_equal(config_set(&c, "vault", NULL, NULL), 0);
	assert_int_equal(config_set(&c, "budget", NULL, NULL), 0);
	assert_true(test_is(FILE_PATH,
			    "{\n  \"x\": {\"y\":[1,\"\xc3\xa9\"]},\n  \"z\": null\n}\n"));
	assert_int_equal(config_set(&c, "x", NULL, NULL), HF_EUSAGE);
	assert_int_equal(config_set(&c, "budget", "no", NULL), HF_EUSAGE);
	config_release(&c);
}

static void test_config__without_home_places_are_empty(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct config c;

	(void)state;
	fresh();
	unsetenv("HOME");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HANDOFF_VAULT");
	unsetenv("CLAUDE_CONFIG_DIR");
	config_claude_dir(&b);
	config_state_dir(&b);
	config_cache_dir(&b);
	assert_int_equal(config_vault_dir(&b, NULL), 0);
	assert_int_equal(b.n, 0);
	assert_int_equal(config_load(&c, NULL), 0);
	assert_string_equal(c.path, "");
	assert_item(&c, "claude_dir", "", CONFIG_DEFAULT);
	assert_int_equal(config_set(&c, "budget", "3000", NULL), HF_ENOTFOUND);
	config_release(&c);
	buf_release(&b);
}

static void test_config__places_follow_the_environment(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	fresh();
	setenv("XDG_STATE_HOME", "/s//", 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/home/dev/", 1);
	setenv("HANDOFF_VAULT", "/v/", 1);
	config_state_dir(&b);
	buf_byte(&b, ' ');
	config_cache_dir(&b);
	buf_byte(&b, ' ');
	assert_int_equal(config_vault_dir(&b, NULL), 0);
	assert_str(buf_str(&b), STR("/s/handoff /home/dev/.cache/handoff /v"));
	buf_release(&b);
}

static void
test_config__places_follow_the_file_where_no_variable_says_otherwise(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	fresh();
	unsetenv("HANDOFF_VAULT");
	unsetenv("CLAUDE_CONFIG_DIR");
	setenv("HOME", "/home/dev", 1);
	test_write(test_path("home/.config/handoff/config.json"),
		   STR("{\"vault\":\"~/notes\",\"claude_dir\":\"relative\"}"));
	assert_int_equal(config_vault_dir(&b, NULL), 0);
	buf_byte(&b, ' ');
	config_claude_dir(&b);
	buf_byte(&b, ' ');
	setenv("HANDOFF_VAULT", "/v", 1);
	assert_int_equal(config_vault_dir(&b, NULL), 0);
	assert_str(buf_str(&b), STR("/home/dev/notes /home/dev/.claude /v"));
	buf_release(&b);
}

/* vault, MEMORY_DB, the file's text -> the vault; or "!" and words of the refusal */
static const struct {
	const char *vault, *db, *file, *want;
} places[] = {
	{NULL, NULL, NULL, "/home/dev/.handoff-mcp/vault"},
	{"/v", "/x/shared.db", "{\"vault\":\"/f\"}", "/v"},
	{"~/v", NULL, NULL, "/home/dev/v"},
	{NULL, "/x/shared.db", "{\"vault\":\"/f\"}", "/x/shared.vault"},
	{NULL, "/x.y/shared", NULL, "/x.y/shared.vault"},
	{NULL, "/x/shared.db/", NULL, "/x/shared.vault"},
	{NULL, "~/.shared/m.sqlite", NULL, "/home/dev/.shared/m.vault"},
	{NULL, "/x/.db", NULL, "/x/.db.vault"},
	{NULL, "", "{\"vault\":\"/f\"}", "/f"},
	{"", "", NULL, "/home/dev/.handoff-mcp/vault"},
	/* nobody's notes go to a place that was not meant */
	{"rel/vault", "/x/shared.db", NULL, "!HANDOFF_VAULT: \"rel/vault\" is no good"},
	{"rel/vault", NULL, "{\"vault\":\"/f\"}", "!HANDOFF_VAULT"},
	{"~other/vault", NULL, NULL, "!HANDOFF_VAULT"},
	{NULL, "shared.db", "{\"vault\":\"/f\"}", "!MEMORY_DB: \"shared.db\" is no good"},
	{NULL, "file:/x/shared.db", NULL, "!MEMORY_DB"},
	{NULL, "~", NULL, "!MEMORY_DB"},
	{NULL, "/", NULL, "!MEMORY_DB"},
	{NULL, NULL, "{\"vault\":\"rel\"}", "!config.json: \"rel\" is no good"},
	{NULL, NULL, "{\"vault\":", "!where the vault is cannot be told"},
	{"/v", NULL, "{\"vault\":", "/v"},
	{"/v", NULL, "{\"vault\":\"rel\"}", "/v"},
	{NULL, "/x/s.db", "{\"vault\":\"rel\"}", "/x/s.vault"},
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void
test_config__one_place_says_where_the_vault_is_and_no_other_is_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct buf b = BUF_INIT(4096);
		struct err e = ERR_INIT;
		int ret;

		fresh();
		setenv("HOME", "/home/dev", 1);
		set("HANDOFF_VAULT", places[i].vault);
		set("MEMORY_DB", places[i].db);
		if (places[i].file)
			test_write(test_path("home/.config/handoff/config.json"),
				   str_of(places[i].file));
		ret = config_vault_dir(&b, &e);
		if (places[i].want[0] == '!') {
			if (!ret)
				fail_msg("row %zu: %s", i, buf_cstr(&b));
			if (!strstr(e.msg, places[i].want + 1))
				fail_msg("%s: %s", places[i].want, e.msg);
			assert_int_equal(b.n, 0);
		} else {
			if (ret)
				fail_msg("%s: %s", places[i].want, e.msg);
			assert_str(buf_str(&b), str_of(places[i].want));
		}
		buf_release(&b);
	}
	unsetenv("MEMORY_DB");
}

static void test_config__no_failing_call_leaves_half_a_file(void **state)
{
	struct config c;
	int n = 0, ret;
	bool met;

	(void)state;
	fresh();
	test_write(FILE_PATH, STR("{\"budget\":1000}"));
	assert_int_equal(config_load(&c, NULL), 0);
	do {
		test_write(FILE_PATH, STR("{\"budget\":1000}"));
		fault_at(++n);
		ret = config_set(&c, "budget", "3000", NULL);
		met = fault_met();
		fault_off();
		assert_true(test_is(FILE_PATH, "{\"budget\":1000}") ||
			    test_is(FILE_PATH, "{\n  \"budget\": 3000\n}\n"));
		if (ret == 0)
			assert_true(test_is(FILE_PATH, "{\n  \"budget\": 3000\n}\n"));
		assert_int_equal(test_entries("home/.config/handoff"), 1);
	} while (met);
	assert_true(n > 5);
	config_release(&c);
	n = 0;
	do {
		fault_at(++n);
		ret = config_load(&c, NULL);
		met = fault_met();
		fault_off();
		assert_int_equal(config_int(&c, "budget"), ret ? 4000 : 3000);
		config_release(&c);
	} while (met);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config__defaults_stand_when_nothing_is_set),
		cmocka_unit_test(test_config__the_environment_is_stronger_than_the_file),
		cmocka_unit_test(
			test_config__a_value_that_is_no_good_falls_to_the_next_source),
		cmocka_unit_test(test_config__booleans_have_several_spellings),
		cmocka_unit_test(test_config__a_damaged_file_is_told_and_the_rest_stands),
		cmocka_unit_test(test_config__setting_a_key_keeps_what_it_does_not_know),
		cmocka_unit_test(test_config__without_home_places_are_empty),
		cmocka_unit_test(test_config__places_follow_the_environment),
		cmocka_unit_test(
			test_config__places_follow_the_file_where_no_variable_says_otherwise),
		cmocka_unit_test(
			test_config__one_place_says_where_the_vault_is_and_no_other_is_taken),
		cmocka_unit_test(test_config__no_failing_call_leaves_half_a_file),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
