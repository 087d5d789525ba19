#include "fault.h"

#include <stdio.h>

#include "work/params.h"

static const char *const KIND[] = {"goal", "decision", "next_step", NULL};
static const struct param P[] = {
	{.name = "content", .type = PARAM_TEXT, .required = true, .help = "what"},
	{.name = "type", .type = PARAM_CHOICE, .choice = KIND, .fallback = 2},
	{.name = "importance", .type = PARAM_INT, .min = 1, .max = 5, .fallback = 3},
	{.name = "supersedes", .type = PARAM_TEXTS},
	{.name = "project", .type = PARAM_TEXT},
	{.name = "budget", .type = PARAM_INT},
};
#define N (sizeof(P) / sizeof(P[0]))

static struct jsondoc *doc;
static struct arena arena;
static struct param_value v[N];
static struct err e;

static int take(const char *json)
{
	jsondoc_free(doc);
	arena_reset(&arena);
	e = ERR_INIT;
	doc = jsondoc_parse(str_of(json), 1 << 20, NULL);
	assert_non_null(doc);
	return params_take(P, N, jsondoc_root(doc), &arena, v, &e);
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	jsondoc_free(doc);
	doc = NULL;
	arena_release(&arena);
	return 0;
}

static void test_params__defaults_stand_for_what_is_not_given(void **state)
{
	(void)state;
	assert_int_equal(take("{\"content\":\"x\",\"unknown\":[{}]}"), 0);
	assert_true(v[0].given);
	assert_str(v[0].text, STR("x"));
	assert_str(v[1].text, STR("decision"));
	assert_int_equal(v[2].number, 3);
	assert_false(v[2].given);
	assert_int_equal(v[3].n, 0);
	assert_false(v[4].given);
	assert_int_equal(
		take("{\"content\":\"\",\"importance\":null,\"project\":null,\"supersedes\":null,"
		     "\"type\":\"null\",\"budget\":\" null \"}"),
		0);
	assert_true(v[0].given);
	assert_int_equal(v[2].number, 3);
	assert_false(v[4].given);
	assert_false(v[5].given);
	assert_str(v[1].text, STR("decision"));
}

static void test_params__a_whole_number_may_come_in_many_forms(void **state)
{
	static const struct {
		const char *json;
		int64_t n;
	} OK[] = {{"4", 4},
		  {"4.0", 4},
		  {"\"4\"", 4},
		  {"\" 4 \"", 4},
		  {"\"+4\"", 4},
		  {"\"4.00\"", 4},
		  {"true", 1},
		  {"false", 0},
		  {"-7", -7},
		  {"\"-7\"", -7},
		  {"1e2", 100},
		  {"1e30", INT64_MAX},
		  {"-1e400", INT64_MIN},
		  {"9223372036854775808", INT64_MAX},
		  {"\"-99999999999999999999\"", INT64_MIN},
		  {"\"+99999999999999999999.0\"", INT64_MAX}};
	static const char *const WRONG[] = {"2.5",     "\"2.5\"", "\"four\"", "\"\"",
					    "[4]",     "{}",      "0.5",      "\"4 5\"",
					    "\"0x4\"", "\"+\"",   "\"--4\"",  "\"+-4\""};

	(void)state;
	for (size_t i = 0; i < sizeof(OK) / sizeof(OK[0]); i++) {
		char json[80];

		snprintf(json, sizeof(json), "{\"content\":\"x\",\"budget\":%s}",
			 OK[i].json);
		if (take(json) || v[5].number != OK[i].n || !v[5].given)
			fail_msg("%s: %s", OK[i].json, e.msg);
	}
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
		char json[80];

		snprintf(json, sizeof(json), "{\"content\":\"x\",\"budget\":%s}",
			 WRONG[i]);
		if (take(json) != HF_EUSAGE ||
		    !strstr(e.msg, "budget: Input should be a whole number, not "))
			fail_msg("%s: %s", WRONG[i], e.msg);
	}
}

static void test_params__ranges_and_choices_are_told_with_what_was_given(void **state)
{
	(void)state;
	assert_int_equal(take("{\"content\":\"x\",\"importance\":9}"), HF_EUSAGE);
	assert_string_equal(e.msg,
			    "importance: Input should be less than or equal to 5, not 9");
	assert_int_equal(take("{\"content\":\"x\",\"importance\":0}"), HF_EUSAGE);
	assert_string_equal(
		e.msg, "importance: Input should be greater than or equal to 1, not 0");
	assert_int_equal(take("{\"content\":\"x\",\"importance\":1e400}"), HF_EUSAGE);
	assert_string_equal(e.msg, "importance: Input should be less than or equal to 5, "
				   "not so large a number");
	assert_int_equal(take("{\"content\":\"x\",\"type\":\"decison\"}"), HF_EUSAGE);
	assert_string_equal(
		e.msg,
		"type: Input should be 'goal', 'decision' or 'next_step', not \"decison\"");
	assert_int_equal(take("{\"content\":\"x\",\"type\":1}"), HF_EUSAGE);
	assert_int_equal(take("{\"content\":\"x\",\"type\":\"goal\"}"), 0);
	assert_str(v[1].text, STR("goal"));
}

static void
test_params__texts_take_no_numbers_and_what_is_required_must_be_there(void **state)
{
	(void)state;
	assert_int_equal(take("{}"), HF_EUSAGE);
	assert_string_equal(e.msg, "content: Field required");
	assert_int_equal(take("{\"content\":null}"), HF_EUSAGE);
	assert_int_equal(take("{\"content\":7}"), HF_EUSAGE);
	assert_string_equal(e.msg, "content: Input should be a text, not 7");
	assert_int_equal(take("{\"content\":[\"a\"]}"), HF_EUSAGE);
	/* a required text may say null, and a text may look like a list */
	assert_int_equal(take("{\"content\":\"null\",\"project\":\"[1]\"}"), 0);
	assert_str(v[0].text, STR("null"));
	assert_str(v[4].text, STR("[1]"));
	assert_int_equal(take("[1]"), HF_EUSAGE);
	assert_string_equal(e.msg, "arguments: Input should be an object");
	assert_int_equal(params_take(P, N, NULL, &arena, v, &e), HF_EUSAGE);
	assert_int_equal(params_take(P + 1, N - 1, NULL, &arena, v, &e), 0);
}

static void test_params__a_list_may_be_the_text_of_one_or_a_single_item(void **state)
{
	static const char *const SAME[] = {
		"[\"ev_1\",\"2\"]", "\"[\\\"ev_1\\\",\\\"2\\\"]\"", "[\"ev_1\",2]"};

	(void)state;
	for (size_t i = 0; i < sizeof(SAME) / sizeof(SAME[0]); i++) {
		char json[120];

		snprintf(json, sizeof(json), "{\"content\":\"x\",\"supersedes\":%s}",
			 SAME[i]);
		assert_int_equal(take(json), 0);
		assert_int_equal(v[3].n, 2);
		assert_str(v[3].item[0], STR("ev_1"));
		assert_str(v[3].item[1], STR("2"));
	}
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":\"ev_9\"}"), 0);
	assert_int_equal(v[3].n, 1);
	assert_str(v[3].item[0], STR("ev_9"));
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":\"[not json\"}"), 0);
	assert_str(v[3].item[0], STR("[not json"));
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":\"\"}"), 0);
	assert_int_equal(v[3].n, 0);
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":[]}"), 0);
	assert_true(v[3].given);
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":[[]]}"), HF_EUSAGE);
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":[null]}"), HF_EUSAGE);
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":7}"), HF_EUSAGE);
	assert_int_equal(take("{\"content\":\"x\",\"supersedes\":{}}"), HF_EUSAGE);
}

static void test_params__a_list_has_a_limit(void **state)
{
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	for (size_t n = PARAMS_LIST_MAX; n <= PARAMS_LIST_MAX + 1; n++) {
		buf_reset(&b);
		buf_add(&b, STR("{\"content\":\"x\",\"supersedes\":[0"));
		for (size_t i = 1; i < n; i++)
			buf_add(&b, STR(",1"));
		buf_add(&b, STR("]}"));
		assert_int_equal(take(buf_cstr(&b)), n > PARAMS_LIST_MAX ? HF_EUSAGE : 0);
	}
	buf_release(&b);
}

static void test_params__the_schema_says_types_choices_ranges_and_defaults(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	params_schema(P, N, &b);
	assert_str(
		buf_str(&b),
		STR("{\"type\":\"object\",\"properties\":{"
		    "\"content\":{\"type\":\"string\",\"description\":\"what\"},"
		    "\"type\":{\"type\":\"string\",\"enum\":[\"goal\",\"decision\",\"next_step\"],\"default\":\"decision\"},"
		    "\"importance\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5,\"default\":3},"
		    "\"supersedes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
		    "\"project\":{\"type\":\"string\"},"
		    "\"budget\":{\"type\":\"integer\"}},"
		    "\"required\":[\"content\"]}"));
	buf_reset(&b);
	params_schema(P + 4, 1, &b);
	assert_str(
		buf_str(&b),
		STR("{\"type\":\"object\",\"properties\":{\"project\":{\"type\":\"string\"}}}"));
	buf_reset(&b);
	params_schema(NULL, 0, &b);
	assert_str(buf_str(&b), STR("{\"type\":\"object\",\"properties\":{}}"));
	buf_release(&b);
}

static void test_params__fractions_switches_and_any_value(void **state)
{
	static const struct param Q[] = {
		{.name = "value", .type = PARAM_JSON, .required = true, .help = "any"},
		{.name = "sure", .type = PARAM_NUMBER, .max = 1},
		{.name = "deep", .type = PARAM_BOOL},
	};
	static const struct {
		const char *json;
		int ret;
		double real;
		bool yes;
	} row[] = {
		{"{\"value\":null,\"sure\":0.25,\"deep\":true}", 0, 0.25, true},
		{"{\"value\":[1],\"sure\":\"0.5\",\"deep\":\"false\"}", 0, 0.5, false},
		{"{\"value\":1,\"sure\":1,\"deep\":1}", 0, 1, true},
		{"{\"value\":1}", 0, 0, false},
		{"{\"sure\":1}", HF_EUSAGE, 0, false},
		{"{\"value\":1,\"sure\":1.5}", HF_EUSAGE, 0, false},
		{"{\"value\":1,\"sure\":\"much\"}", HF_EUSAGE, 0, false},
		{"{\"value\":1,\"deep\":\"maybe\"}", HF_EUSAGE, 0, false},
		{"{\"value\":1,\"deep\":2}", HF_EUSAGE, 0, false},
	};
	struct param_value q[3];
	struct buf b = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		take("{\"content\":\"\"}");
		jsondoc_free(doc);
		doc = jsondoc_parse(str_of(row[i].json), 1 << 20, NULL);
		assert_int_equal(params_take(Q, 3, jsondoc_root(doc), &arena, q, NULL),
				 row[i].ret);
		if (row[i].ret)
			continue;
		assert_non_null(q[0].json);
		assert_true(q[1].real == row[i].real && q[2].yes == row[i].yes);
	}
	params_schema(Q, 3, &b);
	assert_str(
		buf_str(&b),
		STR("{\"type\":\"object\",\"properties\":{\"value\":{\"description\":\"any\"},"
		    "\"sure\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1},"
		    "\"deep\":{\"type\":\"boolean\"}},\"required\":[\"value\"]}"));
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_params__defaults_stand_for_what_is_not_given),
		cmocka_unit_test(test_params__a_whole_number_may_come_in_many_forms),
		cmocka_unit_test(
			test_params__ranges_and_choices_are_told_with_what_was_given),
		cmocka_unit_test(
			test_params__texts_take_no_numbers_and_what_is_required_must_be_there),
		cmocka_unit_test(
			test_params__a_list_may_be_the_text_of_one_or_a_single_item),
		cmocka_unit_test(test_params__a_list_has_a_limit),
		cmocka_unit_test(
			test_params__the_schema_says_types_choices_ranges_and_defaults),
		cmocka_unit_test(test_params__fractions_switches_and_any_value),
	};

	return cmocka_run_group_tests_name("params", tests, setup, teardown);
}
