#include "fault.h"

#include "base/utf8.h"
#include "work/answer.h"

static void assert_repr(str s, const char *want)
{
	struct buf b = BUF_INIT(4096);

	answer_repr(&b, s);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

/* What Python 3.11 prints for the same texts. */
static void test_answer__a_text_is_shown_as_python_shows_it(void **state)
{
	(void)state;
	assert_repr(STR(""), "''");
	assert_repr(STR("plain"), "'plain'");
	assert_repr(STR("it's"), "\"it's\"");
	assert_repr(STR("say \"no\""), "'say \"no\"'");
	assert_repr(STR("it's \"no\""), "'it\\'s \"no\"'");
	assert_repr(STR("a\\b"), "'a\\\\b'");
	assert_repr(STR("a\n\r\t\x01\x7f"), "'a\\n\\r\\t\\x01\\x7f'");
	assert_repr(STR("\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80"),
		    "'\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80'");
	assert_repr(STR("\xc2\xa0\xc2\xad\xe2\x80\x8b\xe3\x80\x80"),
		    "'\\xa0\\xad\\u200b\\u3000'");
	assert_repr(STR("\xf3\xa0\x80\x81"), "'\\U000e0001'");
	assert_repr(STR("cut \xe6\x97"), "'cut \xef\xbf\xbd\xef\xbf\xbd'");
}

static void assert_logged(const struct store_logged *done, const char *query,
			  const char *want)
{
	struct store_event in = {.type = EVENT_DECISION, .query = str_of(query)};
	struct buf b = BUF_INIT(8192);

	answer_logged(&b, done, &in);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_answer__without_a_query_it_is_the_id_alone(void **state)
{
	char id[] = "ev_1", old[] = "ev_0", label[] = "Old.";
	struct store_retired r[] = {{old, label, STORE_GIVEN}, {old, label, STORE_AUTO}};
	struct store_logged done = {.id = id, .retired = r, .nretired = 2};

	(void)state;
	assert_logged(&done, "", "ev_1");
	done.nretired = 0;
	assert_logged(&done, "", "ev_1");
}

static void
test_answer__with_a_query_it_says_what_was_retired_beside_the_named_ids(void **state)
{
	char id[] = "ev_9", a[] = "ev_a", b[] = "ev_b", c[] = "ev_c", none[] = "";
	char label[] = "0123456789012345678901234567890123456789012345678901234567"
		       "8\xc3\xa9 and more";
	struct store_retired r[] = {
		{a, label, STORE_GIVEN}, {b, label, STORE_MATCH}, {c, none, STORE_AUTO}};
	struct store_logged done = {.id = id, .retired = r, .nretired = 3};

	(void)state;
	assert_logged(
		&done, "x",
		"ev_9\nSuperseded by best match: ev_b "
		"\xc2\xab"
		"01234567890123456789012345678901234567890123456789012345678\xc3\xa9\xc2\xbb; ev_c"
		"\nIf that is wrong, `handoff undo ev_9` brings it back.");
	done.nretired = 1;
	assert_logged(&done, "it's",
		      "ev_9\n(no active decision matched \"it's\" to supersede)");
}

static void test_answer__of_a_long_query_the_beginning_is_said_again(void **state)
{
	struct buf query = BUF_INIT(1000), want = BUF_INIT(1000);
	char id[] = "ev_9";
	struct store_logged done = {.id = id};

	(void)state;
	buf_fill(&query, 'q', 300);
	buf_printf(&want, "ev_9\n(no active decision matched '%s' to supersede)",
		   buf_cstr(&query));
	assert_logged(&done, buf_cstr(&query), buf_cstr(&want));
	buf_reset(&want);
	buf_printf(&want, "ev_9\n(no active decision matched '%s'... to supersede)",
		   buf_cstr(&query));
	buf_add(&query, STR("q and so on"));
	assert_logged(&done, buf_cstr(&query), buf_cstr(&want));
	buf_release(&query);
	buf_release(&want);
}

static void test_answer__ids_that_nobody_knows_and_a_blind_store_are_told(void **state)
{
	char id[] = "ev_9", a[] = "ev_a", b[] = "ev_b", none[] = "";
	struct store_retired r[] = {{a, none, STORE_UNKNOWN}, {b, none, STORE_UNKNOWN}};
	struct store_logged done = {.id = id, .retired = r, .nretired = 2, .blind = true};

	(void)state;
	assert_logged(
		&done, "",
		"ev_9\nNo event is known by these ids, which were kept all the same: ev_a, ev_b");
	done.nretired = 1;
	assert_logged(
		&done, "",
		"ev_9\nNo event is known by this id, which was kept all the same: ev_a");
	done.nretired = 0;
	assert_logged(&done, "x",
		      "ev_9\n(no active decision matched 'x' to supersede)"
		      "\n(The index cannot be read now, so nothing was looked for.)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer__a_text_is_shown_as_python_shows_it),
		cmocka_unit_test(test_answer__without_a_query_it_is_the_id_alone),
		cmocka_unit_test(
			test_answer__with_a_query_it_says_what_was_retired_beside_the_named_ids),
		cmocka_unit_test(
			test_answer__of_a_long_query_the_beginning_is_said_again),
		cmocka_unit_test(
			test_answer__ids_that_nobody_knows_and_a_blind_store_are_told),
	};

	return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
