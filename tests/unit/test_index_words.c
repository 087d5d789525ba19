/* The words of the index: what the tokenizer makes of a text, and of a question. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/index_impl.h"

static struct vault vault;
static struct index *ix;

static int setup(void **state)
{
	(void)state;
	test_dir();
	return vault_open(&vault, test_path("vault"), NULL) ||
	       index_open(&ix, &vault, 50, NULL);
}

static int teardown(void **state)
{
	(void)state;
	index_free(ix);
	vault_release(&vault);
	return 0;
}

static int add(str token, void *arg)
{
	buf_printf(arg, "%s%.*s", ((struct buf *)arg)->n ? " " : "", STR_ARG(token));
	return 0;
}

/* The words of a text, stemmed, with a blank between. */
static const char *words(const char *text)
{
	static struct buf b;

	b.max = 1u << 20;
	buf_reset(&b);
	assert_int_equal(index_words(ix, str_of(text), add, &b), 0);
	return buf_cstr(&b);
}

/* The words of a question; '*' behind those that stand for a beginning. */
static const char *asked(str text, bool words_only)
{
	static struct buf b;
	struct index_asked a;

	index_asked(ix->words, text, words_only, &a);

	b.max = 1u << 20;
	buf_reset(&b);
	for (size_t i = 0; i < a.n; i++)
		buf_printf(&b, "%s%.*s%s", i ? " " : "", (int)a.word[i].term.n,
			   a.word[i].term.word, a.word[i].term.prefix ? "*" : "");
	index_asked_release(&a);
	return buf_cstr(&b);
}

static const char *question(const char *text)
{
	return asked(str_of(text), false);
}

#define assert_words(text, want)    assert_str(str_of(words(text)), STR(want))
#define assert_question(text, want) assert_str(str_of(question(text)), STR(want))

static void test_words__are_folded_and_stemmed(void **state)
{
	(void)state;
	assert_words("Timeouts, connected CAF\xC3\x89s", "timeout connect cafe");
	assert_words("", "");
	assert_words("  \t\n", "");
	assert_words("a", "a");
}

static void test_words__names_stand_whole_and_in_parts(void **state)
{
	(void)state;
	assert_words("mod1_init", "mod1 init mod1init");
	assert_words("multi-agent", "multi agent multiag");
	assert_words("readConfigFile", "read config file readconfigfil");
	assert_words("HTTPServer", "http server httpserver");
	assert_words("src/date-parse.py",
		     "src date pars datepars py dateparsepi srcdateparsepi");
	assert_words("std::vector grammar->fa",
		     "std vector stdvector grammar fa grammarfa");
	assert_words("README", "readm");
}

static void test_words__ways_to_write_a_name_have_one_whole(void **state)
{
	static const char *const same[] = {"utf_eight", "utf-eight", "utfEight",
					   "utf.eight", "utf/eight"};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		assert_str(str_of(words(same[i])), STR("utf eight utfeight"));
	assert_words("utf-8 utf8", "utf 8 utf8 utf8");
}

static void test_words__digits_keep_a_point_between_them(void **state)
{
	(void)state;
	assert_words("v1.12.0", "v1 12 0 v1.12.0");
	assert_words("2026-01-03", "2026 01 03 2026.01.03");
	assert_words("38.101", "38 101 38.101");
	assert_words("09:30", "09 30 09.30");
	assert_words("POL-358", "pol 358 pol358");
}

static void test_words__apostrophes_and_sharps(void **state)
{
	(void)state;
	assert_words("don't Ann's we\xE2\x80\x99ll", "don ann we");
	assert_words("O'Brien a'b", "o brien a b");
	assert_words("C++ and F#, c #1", "c c++ and f f# c 1");
}

static void test_words__punctuation_alone_joins_nothing(void **state)
{
	(void)state;
	assert_words("key:value", "kei valu");
	assert_words("one -- two... three", "on two three");
	assert_words("--error-on-warnings", "error on warn erroronwarn");
	assert_words("https://example.org/a-b",
		     "http exampl org exampleorg a b ab exampleorgab");
}

static void test_words__east_asian_runs_are_pairs(void **state)
{
	(void)state;
	assert_words(
		"\xE5\x85\xA8\xE6\x96\x87\xE6\xA3\x80\xE7\xB4\xA2", /* 全文检索 */
		"\xE5\x85\xA8\xE6\x96\x87 \xE6\x96\x87\xE6\xA3\x80 \xE6\xA3\x80\xE7\xB4\xA2 "
		"\xE7\xB4\xA2");
	assert_words(
		"\xE9\x87\x8D\xE8\xB7\x91gen-itgc\xE5\x90\x8E", /* 重跑gen-itgc后 */
		"\xE9\x87\x8D\xE8\xB7\x91 \xE8\xB7\x91 gen itgc genitgc \xE5\x90\x8E");
	assert_question("\xE7\x94\xA8\xE6\x88\xB7",
			"\xE7\x94\xA8\xE6\x88\xB7"); /* 用户 */
	assert_question("\xE7\x94\xA8", "\xE7\x94\xA8*");
	assert_words("\xEC\x84\x9C\xEB\xB2\x84",
		     "\xEC\x84\x9C\xEB\xB2\x84 \xEB\xB2\x84");       /* 서버 */
	assert_words("\xEF\xBC\xA1\xEF\xBC\xB0\xEF\xBC\xA9", "api"); /* full width */
}

static void test_words__other_scripts_stay_as_they_are(void **state)
{
	(void)state;
	assert_words("\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82",
		     "\xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82");
	/* Hindi: the vowel signs do not cut the word */
	assert_words(
		"\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80",
		"\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80");
	/* composed and decomposed are one */
	assert_words("caf\xC3\xA9 cafe\xCC\x81", "cafe cafe");
}

static void test_words__long_ones_are_cut_between_characters(void **state)
{
	char text[4000];
	str got;

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xD0\xB0", 2);
	text[sizeof(text) - 2] = 0;
	got = str_of(words(text));
	assert_int_equal(got.n, INDEX_WORD_MAX);
	assert_int_equal(str_chr(got, ' '), STR_NPOS);
	/* encoded bytes have more humps than a name */
	assert_words("aGVsbG8gd29ybGQgaGVsbG8", "agvsbg8gd29ybgqgagvsbg8");
}

static void test_words__invalid_bytes_and_nul_do_no_harm(void **state)
{
	static const char text[] = "one\0two \xFF\xFE three\xED\xA0\x80 \xE5\x85 four";
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_int_equal(index_words(ix, (str){text, sizeof(text) - 1}, add, &b), 0);
	assert_true(str_starts(buf_str(&b), STR("on")));
	assert_true(str_ends(buf_str(&b), STR("four")));
	buf_release(&b);
}

static void test_words__cut_at_every_byte_never_fail(void **state)
{
	static const char text[] =
		"readFile src/a_b.c don't \xE5\x85\xA8\xE6\x96\x87gen-itgc C++ "
		"\xF0\x9F\x98\x80 v1.2 caf\xC3\xA9";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct buf b = BUF_INIT(4096);

		assert_int_equal(index_words(ix, (str){text, n}, add, &b), 0);
		asked((str){text, n}, false);
		buf_release(&b);
	}
}

static void test_question__leaves_stop_words_out_unless_nothing_is_left(void **state)
{
	(void)state;
	assert_question("have we dealt with jwt refresh rotation before?",
			"dealt jwt refresh rotation");
	assert_question("Warum ist die Datenbank so langsam?", "die datenbank langsam");
	assert_question("to be or not to be", "to be or not");
	assert_str(str_of(asked(STR("to be or not to be"), true)), STR(""));
	assert_question("", "");
	assert_question("?! --- ...", "");
}

static void test_question__each_stem_once(void **state)
{
	(void)state;
	assert_question("timeout timeouts Timeout TIMEOUT", "timeout");
}

static void test_question__has_up_to_four_thousand_different_words(void **state)
{
	struct buf b = BUF_INIT(1u << 20);
	struct index_asked a;

	(void)state;
	for (int i = 0; i < 10000; i++)
		buf_printf(&b, "word%d ", i % 5000);
	index_asked(ix->words, buf_str(&b), false, &a);
	assert_int_equal(a.n, INDEX_ASKED_MAX);
	for (size_t i = 0; i < a.n; i++) {
		char want[32];

		snprintf(want, sizeof(want), "word%zu", i);
		assert_str(((str){a.word[i].term.word, a.word[i].term.n}), str_of(want));
	}
	index_asked_release(&a);
	buf_release(&b);
}

/* What a question is, when it is one name; "" otherwise. */
static const char *name(const char *text)
{
	static char out[INDEX_WORD_MAX + 1];
	struct index_asked a;

	index_asked(ix->words, str_of(text), false, &a);
	snprintf(out, sizeof(out), "%.*s", a.name < 0 ? 0 : (int)a.word[a.name].term.n,
		 a.name < 0 ? "" : a.word[a.name].term.word);
	index_asked_release(&a);
	return out;
}

static void test_question__that_is_one_name_is_known(void **state)
{
	(void)state;
	assert_string_equal(name("utf-8"), "utf8");
	assert_string_equal(name(" \"readConfigFile\" "), "readconfigfile");
	assert_string_equal(name("the src/date-parse.py?"), "srcdateparsepy");
	assert_string_equal(name("C++"), "c++");
	assert_string_equal(name("F#"), "f#");
	assert_string_equal(name("v1.12"), "v1.12");
	assert_string_equal(name("utf-8 decoding"), "");
	assert_string_equal(name("decoding utf-8"), "");
	assert_string_equal(name("utf-8 utf-16"), "");
	assert_string_equal(name("utf8"), "");
	assert_string_equal(name(""), "");
}

static void test_words__symbols_are_words_and_add_no_length(void **state)
{
	struct index_term t = {.weight = 1};
	unsigned tf;

	(void)state;
	assert_words("done \xF0\x9F\x9A\x80 now", "done \xF0\x9F\x9A\x80 now");
	assert_words("\xE2\x9C\x85", "\xE2\x9C\x85");
	/* how it is drawn, who does it and in which colour are no part of it, nor of the word behind it */
	assert_words("\xE2\x9D\xA4\xEF\xB8\x8F"
		     "abc",
		     "\xE2\x9D\xA4 abc");
	assert_words("\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", "\xF0\x9F\x91\x8D");
	assert_words("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
		     "\xF0\x9F\x91\xA9 \xF0\x9F\x92\xBB");
	/* also those that came after the tables of SQLite */
	assert_words("a\xF0\x9F\xAB\xA0"
		     "b\xF0\x9F\xAA\xBF",
		     "a \xF0\x9F\xAB\xA0 b \xF0\x9F\xAA\xBF");
	/* two letters of a flag are one */
	assert_words("\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA",
		     "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA");
	assert_words("a \xE2\x86\x92 b \xC2\xB1 1", "a b 1");
	assert_question("\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80", "\xF0\x9F\x9A\x80");
	memcpy(t.stem, "\xF0\x9F\x9A\x80", 4);
	t.nstem = 4;
	assert_int_equal(
		index_words_count(ix->words,
				  STR("done \xF0\x9F\x9A\x80 now \xF0\x9F\x9A\x80"), &t,
				  1, &tf),
		2);
	assert_int_equal(tf, 2);
}

static void test_stop_words__are_what_the_tokenizer_makes_of_them(void **state)
{
	static const char *const some[] = {
		"the",
		"aber",
		"\xD0\xBA\xD0\xBE\xD1\x82\xD0\xBE\xD1\x80\xD1\x8B\xD0\xB5",
		"muy",
		"pourquoi",
		"yourselves"};
	static const char *const strict[] = {"ab",
					     "dans",
					     "die",
					     "war",
					     "plus",
					     "zwar",
					     "\xD1\x8D\xD1\x82\xD0\xB8\xD1\x85"};

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		assert_true(index_stop_word(str_of(some[i]), false));
	assert_false(index_stop_word(STR("storage"), false));
	assert_false(index_stop_word(STR(""), false));
	assert_false(index_stop_word(STR("war"), false));
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		assert_true(index_stop_word(str_of(some[i]), true));
	for (size_t i = 0; i < sizeof(strict) / sizeof(*strict); i++) {
		assert_true(index_stop_word(str_of(strict[i]), true));
		assert_false(index_stop_word(str_of(strict[i]), false));
	}
	assert_false(index_stop_word(STR("comment"), true));
	assert_false(index_stop_word(STR("storage"), true));
}

static void test_name__at_the_head_of_a_text(void **state)
{
	(void)state;
	assert_int_equal(index_words_name(STR("Ann: hello")), 3);
	assert_int_equal(index_words_name(STR("Dr. Lee: hello")), 7);
	assert_int_equal(index_words_name(STR("hello")), 0);
	assert_int_equal(index_words_name(STR("a:b")), 0);
	assert_int_equal(index_words_name(STR(": x")), 0);
	assert_int_equal(index_words_name(STR("Ann:")), 0);
	assert_int_equal(index_words_name(STR("We found out about it today: x")), 0);
	assert_int_equal(index_words_name(STR("src/main.c: x")), 0);
	assert_int_equal(index_words_name(STR("")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words__are_folded_and_stemmed),
		cmocka_unit_test(test_words__names_stand_whole_and_in_parts),
		cmocka_unit_test(test_words__ways_to_write_a_name_have_one_whole),
		cmocka_unit_test(test_words__digits_keep_a_point_between_them),
		cmocka_unit_test(test_words__apostrophes_and_sharps),
		cmocka_unit_test(test_words__punctuation_alone_joins_nothing),
		cmocka_unit_test(test_words__east_asian_runs_are_pairs),
		cmocka_unit_test(test_words__other_scripts_stay_as_they_are),
		cmocka_unit_test(test_words__long_ones_are_cut_between_characters),
		cmocka_unit_test(test_words__invalid_bytes_and_nul_do_no_harm),
		cmocka_unit_test(test_words__cut_at_every_byte_never_fail),
		cmocka_unit_test(
			test_question__leaves_stop_words_out_unless_nothing_is_left),
		cmocka_unit_test(test_question__each_stem_once),
		cmocka_unit_test(test_question__has_up_to_four_thousand_different_words),
		cmocka_unit_test(test_question__that_is_one_name_is_known),
		cmocka_unit_test(test_words__symbols_are_words_and_add_no_length),
		cmocka_unit_test(test_stop_words__are_what_the_tokenizer_makes_of_them),
		cmocka_unit_test(test_name__at_the_head_of_a_text),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
