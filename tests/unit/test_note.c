#include "fault.h"

#include <stdlib.h>

#include "data/note.h"

#define VALUE_MAX 4096

static void assert_value(str text, const char *key, const char *want)
{
	struct buf b = BUF_INIT(VALUE_MAX);
	struct note n;

	note_parse(&n, text);
	if (want) {
		assert_true(note_value(&n, key, &b));
		assert_str(buf_str(&b), str_of(want));
	} else {
		assert_false(note_value(&n, key, &b));
		assert_int_equal(b.n, 0);
	}
	buf_release(&b);
}

/* One value in a note of its own. */
static void assert_decodes(const char *raw, const char *want)
{
	struct buf b = BUF_INIT(VALUE_MAX);

	buf_printf(&b, "---\nk: %s\n---\n", raw);
	assert_value(buf_str(&b), "k", want);
	buf_release(&b);
}

static void test_note__reads_front_matter_title_and_body(void **state)
{
	str text = STR("---\nproject: lantern\nsource_session: \"ab-12\"  # where from\n"
		       "confidence: high # checked\n---\n# The title\n\nbody\n");
	struct note n;

	(void)state;
	note_parse(&n, text);
	assert_int_equal(n.nfields, 3);
	assert_str(note_get(&n, "project"), STR("lantern"));
	assert_str(note_get(&n, "source_session"), STR("\"ab-12\""));
	assert_str(note_get(&n, "confidence"), STR("high"));
	assert_null(note_get(&n, "none").p);
	assert_str(n.title, STR("The title"));
	assert_str(n.body, STR("# The title\n\nbody\n"));
	assert_value(text, "source_session", "ab-12");
	assert_value(text, "none", NULL);
}

static void test_note__crlf_bom_and_a_missing_end_are_tolerated(void **state)
{
	struct note n;

	(void)state;
	note_parse(&n, STR("\xef\xbb\xbf---\r\na: b c \r\n---  \r\nbody\r\n"));
	assert_str(note_get(&n, "a"), STR("b c"));
	assert_str(n.body, STR("body\r\n"));
	note_parse(&n, STR("---\na: b\nno end\n"));
	assert_int_equal(n.nfields, 0);
	assert_str(n.body, STR("---\na: b\nno end\n"));
	note_parse(&n, STR("text\n---\na: b\n---\n"));
	assert_int_equal(n.nfields, 0);
	note_parse(&n, STR("---\n---\n"));
	assert_int_equal(n.nfields, 0);
	assert_int_equal(n.body.n, 0);
	note_parse(&n, STR_NONE);
	assert_int_equal(n.body.n, 0);
	note_parse(&n, STR("---"));
	assert_str(n.body, STR("---"));
}

static void
test_note__the_last_of_equal_keys_wins_and_odd_lines_are_passed_over(void **state)
{
	struct note n;

	(void)state;
	note_parse(
		&n,
		STR("---\na: 1\n  indented: x\n- item\nno colon\nb:no space\n: no key\n"
		    "url: http://x.example/y\na: 2\nempty:\n---\n"));
	assert_int_equal(n.nfields, 4);
	assert_str(note_get(&n, "a"), STR("2"));
	assert_str(note_get(&n, "url"), STR("http://x.example/y"));
	assert_str(note_get(&n, "empty"), STR(""));
}

static void test_note__more_keys_than_the_table_holds_are_left_out(void **state)
{
	struct buf b = BUF_INIT(1 << 16);
	struct note n;
	int i;

	(void)state;
	buf_add(&b, STR("---\n"));
	for (i = 0; i < NOTE_KEYS_MAX + 5; i++)
		buf_printf(&b, "k%d: v\n", i);
	buf_add(&b, STR("---\nbody"));
	note_parse(&n, buf_str(&b));
	assert_int_equal(n.nfields, NOTE_KEYS_MAX);
	assert_str(n.body, STR("body"));
	buf_release(&b);
}

static void test_note__values_decode_by_their_quotes(void **state)
{
	(void)state;
	assert_decodes("plain text", "plain text");
	assert_decodes("a#b", "a#b");
	assert_decodes("a #b", "a");
	assert_decodes("\"a # b\"", "a # b");
	assert_decodes("\"say \\\"hi\\\" \\\\ \\n\\t\\r\"", "say \"hi\" \\ \n\t\r");
	assert_decodes("\"\\x1b\\u2028\"", "\x1b\xe2\x80\xa8");
	assert_decodes("\"\\q\\x1\\u12\"", "\\q\\x1\\u12");
	assert_decodes("'it''s'", "it's");
	assert_decodes("'a' # b", "a");
	assert_decodes("''", "");
	assert_decodes("\"\"", "");
	assert_decodes("'open", "'open");
	assert_decodes("\"a\" b", "\"a\" b");
	assert_decodes("\"", "\"");
	assert_decodes("null", NULL);
	assert_decodes("~", NULL);
	assert_decodes("", NULL);
	assert_decodes("# only a comment", NULL);
	assert_decodes("\"null\"", "null");
}

static void assert_list(const char *raw, const char *joined)
{
	struct buf item = BUF_INIT(VALUE_MAX), all = BUF_INIT(VALUE_MAX);
	size_t it = 0, guard = 0;

	while (note_list(str_of(raw), &it, &item)) {
		buf_add(&all, buf_str(&item));
		buf_byte(&all, '|');
		assert_true(++guard < 100);
	}
	assert_int_equal(item.n, 0);
	assert_str(buf_str(&all), str_of(joined));
	buf_release(&item);
	buf_release(&all);
}

static void test_note__lists_yield_their_elements(void **state)
{
	struct note n;

	(void)state;
	assert_list("[]", "");
	assert_list("[ ]", "");
	assert_list("[a]", "a|");
	assert_list("[a, b c ,d]", "a|b c|d|");
	assert_list("[\"a, b\", 'c''d', e]", "a, b|c'd|e|");
	assert_list("[a,,b,]", "a|b|");
	assert_list("[\"open, b]", "\"open|b|");
	assert_list("[\"a\" x, b]", "\"a\" x|b|");
	assert_list("single", "single|");
	assert_list("\"quo, ted\"", "quo, ted|");
	assert_list("", "");
	assert_list("null", "");
	assert_list("[", "[|");
	note_parse(&n, STR("---\nl: [a, \"b # c\"] # d\n---\n"));
	assert_str(note_get(&n, "l"), STR("[a, \"b # c\"]"));
}

static void test_note__sections_end_at_the_next_heading_outside_code(void **state)
{
	str text = STR(
		"---\na: b\n---\n# T\nlead\n## One\n1\n### sub\n```sh\n## no\n```\n"
		"~~~~\n## no\n~~~\n## no\n~~~~\n##Two is none\n## Two  \n## Three\r\nend");
	str heading, body;
	struct note n;
	size_t it = 0;

	(void)state;
	note_parse(&n, text);
	assert_true(note_section(&n, &it, &heading, &body));
	assert_str(heading, STR("One"));
	assert_str(body,
		   STR("1\n### sub\n```sh\n## no\n```\n~~~~\n## no\n~~~\n## no\n~~~~\n"
		       "##Two is none\n"));
	assert_true(note_section(&n, &it, &heading, &body));
	assert_str(heading, STR("Two"));
	assert_int_equal(body.n, 0);
	assert_true(note_section(&n, &it, &heading, &body));
	assert_str(heading, STR("Three"));
	assert_str(body, STR("end"));
	assert_false(note_section(&n, &it, &heading, &body));
	assert_false(note_section(&n, &it, &heading, &body));
}

static void test_note__a_fence_that_never_closes_hides_the_rest(void **state)
{
	str heading, body;
	struct note n;
	size_t it = 0;

	(void)state;
	note_parse(&n, STR("```\n# no title\n## no\n"));
	assert_null(n.title.p);
	assert_false(note_section(&n, &it, &heading, &body));
	it = 0;
	note_parse(&n, STR("``` a`b\n    ```\n## yes\n"));
	assert_true(note_section(&n, &it, &heading, &body));
	assert_str(heading, STR("yes"));
}

static void assert_round_trip(str value)
{
	struct buf b = BUF_INIT(1 << 20), back = BUF_INIT(1 << 20);
	struct note n;
	str rest, line;
	int lines = 0;

	buf_add(&b, STR("---\n"));
	note_add_field(&b, "before", STR("x"));
	note_add_field(&b, "k", value);
	note_add_field(&b, "after", STR("y"));
	buf_add(&b, STR("---\nbody"));
	note_parse(&n, buf_str(&b));
	assert_int_equal(n.nfields, 3);
	assert_true(note_value(&n, "k", &back));
	assert_str(buf_str(&back), value);
	assert_str(n.body, STR("body"));
	for (rest = buf_str(&b); str_line(&rest, &line);)
		lines++;
	assert_int_equal(lines, 6);
	buf_release(&b);
	buf_release(&back);
}

static void test_note__what_is_written_reads_back_the_same(void **state)
{
	static const char *const values[] = {
		"",     " ",       "a",      "a b",      " a",
		"a ",   "null",    "~",      "NULL",     "true",
		"1.5",  "---",     "- a",    "a: b",     "a:",
		"a #b", "#a",      "a#b",    "\"a\"",    "'a'",
		"it's", "[a]",     "[a",     "{a}",      "a, b",
		"|",    ">",       "*a",     "&a",       "!a",
		"%a",   "@a",      "`a`",    "\\",       "\\n",
		"a\\",  "\n",      "a\nb",   "\r\n",     "a\r",
		"\t",   "\x1b[",   "\x7f",   "\xc2\x85", "\xe2\x80\xa8",
		"\xff", "a\xff\n", "\"\\\"", "'\"'",     "größe",
		"?",    "=",       "<<",     "a\x01",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_round_trip(str_of(values[i]));
	assert_round_trip(STR("a\0b"));
}

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void test_note__random_values_read_back_the_same(void **state)
{
	static const char letters[] =
		"ab \t\n\r\"'\\#:[],-~{}x01nu\xc2\x85\xe2\x80\xa8\xff|>";
	uint64_t seed = 0x2545f4914f6cdd1dULL;
	char v[24];
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		size_t n = next_random(&seed) % sizeof(v), k;

		for (k = 0; k < n; k++)
			v[k] = letters[next_random(&seed) % sizeof(letters)];
		assert_round_trip((str){v, n});
	}
}

static void test_note__cut_at_every_byte(void **state)
{
	str text = STR(
		"---\na: \"x\\n\"\nl: [a, 'b']\n---\n# T\n## One\n```\n## no\n```\n## Two\nend\n");
	size_t cut;

	(void)state;
	for (cut = 0; cut <= text.n; cut++) {
		char *p = malloc(cut ? cut : 1);
		struct buf b = BUF_INIT(VALUE_MAX);
		str heading, body;
		size_t it = 0, sections = 0;
		struct note n;

		memcpy(p, text.p, cut);
		note_parse(&n, (str){p, cut});
		note_value(&n, "a", &b);
		while (note_list(note_get(&n, "l"), &it, &b))
			;
		for (it = 0; note_section(&n, &it, &heading, &body); sections++)
			assert_true(body.p >= p && body.p + body.n <= p + cut);
		assert_true(sections <= 2);
		/* no front matter before its end is there */
		assert_true(cut >= 28 || n.nfields == 0);
		buf_release(&b);
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_note__reads_front_matter_title_and_body),
		cmocka_unit_test(test_note__crlf_bom_and_a_missing_end_are_tolerated),
		cmocka_unit_test(
			test_note__the_last_of_equal_keys_wins_and_odd_lines_are_passed_over),
		cmocka_unit_test(test_note__more_keys_than_the_table_holds_are_left_out),
		cmocka_unit_test(test_note__values_decode_by_their_quotes),
		cmocka_unit_test(test_note__lists_yield_their_elements),
		cmocka_unit_test(
			test_note__sections_end_at_the_next_heading_outside_code),
		cmocka_unit_test(test_note__a_fence_that_never_closes_hides_the_rest),
		cmocka_unit_test(test_note__what_is_written_reads_back_the_same),
		cmocka_unit_test(test_note__random_values_read_back_the_same),
		cmocka_unit_test(test_note__cut_at_every_byte),
	};

	return cmocka_run_group_tests_name("note", tests, NULL, NULL);
}
