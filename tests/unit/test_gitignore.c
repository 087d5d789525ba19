#include "fault.h"

#include <stdlib.h>

#include "base/buf.h"
#include "data/gitignore.h"

static bool glob(const char *pattern, const char *text)
{
	return gitignore_glob(str_of(pattern), str_of(text), true, false);
}

/* One file of rules at the top. */
static bool ignored(const char *rules, const char *path, bool folder)
{
	struct gitignore g;
	bool yes;

	gitignore_init(&g, false);
	gitignore_add(&g, 0, str_of(rules));
	yes = gitignore_match(&g, str_of(path), folder);
	gitignore_release(&g);
	return yes;
}

static void test_gitignore__stars_and_questions_stop_at_a_slash(void **state)
{
	(void)state;
	assert_true(glob("*.c", "a.c"));
	assert_false(glob("*.c", "a/b.c"));
	assert_true(glob("a/*", "a/b"));
	assert_false(glob("a/*", "a/b/c"));
	assert_true(glob("a?c", "abc"));
	assert_false(glob("a?c", "a/c"));
	assert_false(glob("a?c", "ac"));
	assert_true(glob("*", ""));
	assert_false(glob("?", ""));
	assert_true(glob("a*b*c", "aXbYbZc"));
	assert_false(glob("a*b*c", "aXbYbZ"));
	assert_true(gitignore_glob(STR("a*c"), STR("a/c"), false, false));
}

static void test_gitignore__two_stars_between_slashes_match_folders(void **state)
{
	(void)state;
	assert_true(glob("**/b", "b"));
	assert_true(glob("**/b", "a/b"));
	assert_true(glob("**/b", "x/y/b"));
	assert_false(glob("**/b", "ab"));
	assert_true(glob("a/**/b", "a/b"));
	assert_true(glob("a/**/b", "a/x/y/b"));
	assert_false(glob("a/**/b", "axb"));
	assert_true(glob("a/**", "a/x/y"));
	assert_false(glob("a/**", "a"));
	assert_true(glob("**", "a/b"));
	assert_false(glob("a**b", "a/b"));
	assert_true(glob("a**b", "axb"));
	assert_true(glob("**/a/**/b/*.c", "a/x/a/y/b/z/b/1.c"));
	assert_false(glob("**/a/**/b/*.c", "a/x/a/y/b/z/1.c"));
}

static void test_gitignore__sets_have_ranges_classes_and_negation(void **state)
{
	(void)state;
	assert_true(glob("[abc]", "b"));
	assert_false(glob("[abc]", "d"));
	assert_true(glob("[a-c]", "c"));
	assert_true(glob("[!a-c]", "d"));
	assert_true(glob("[^a-c]", "d"));
	assert_false(glob("[!a-c]", "/"));
	assert_true(glob("[]]", "]"));
	assert_true(glob("[!]]", "a"));
	assert_true(glob("[a-]", "-"));
	assert_true(glob("[\\]]", "]"));
	assert_true(glob("[[:digit:]x]", "7"));
	assert_true(glob("[[:digit:]x]", "x"));
	assert_false(glob("[[:digit:]]", "a"));
	assert_true(glob("[[:]", ":"));
	assert_false(glob("[[:nonsense:]]", "a"));
	assert_false(glob("[abc", "a"));
	assert_false(glob("[", "["));
	assert_true(gitignore_glob(STR("[a-z]"), STR("Q"), true, true));
	assert_true(gitignore_glob(STR("ABC"), STR("abc"), true, true));
}

static void test_gitignore__classes_are_those_of_ascii(void **state)
{
	static const struct {
		const char *name, *in, *out;
	} classes[] = {
		{"alnum", "aZ5", "_ -\x80"}, {"alpha", "aZ", "5_"},
		{"blank", " \t", "\na"},     {"cntrl", "\x01\x7f", " a"},
		{"digit", "09", "a"},        {"graph", "a!", " \x01"},
		{"lower", "az", "AZ5"},      {"print", "a !", "\x01\x7f"},
		{"punct", "!_~", "a5 "},     {"space", " \t\n", "a"},
		{"upper", "AZ", "az"},       {"xdigit", "09afAF", "gG"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct buf p = BUF_INIT(100);
		const char *c;

		buf_printf(&p, "[[:%s:]]", classes[i].name);
		for (c = classes[i].in; *c; c++)
			assert_true(
				gitignore_glob(buf_str(&p), (str){c, 1}, true, false));
		for (c = classes[i].out; *c; c++)
			assert_false(
				gitignore_glob(buf_str(&p), (str){c, 1}, true, false));
		buf_release(&p);
	}
	assert_true(gitignore_glob(STR("[[:upper:]]"), STR("a"), true, true));
	assert_true(glob("[a-\\c]", "b"));
	assert_false(glob("[a-\\", "b"));
	assert_false(glob("[\\", "b"));
	assert_false(glob("[[:alpha:", "b"));
}

static void test_gitignore__backslash_takes_the_next_character(void **state)
{
	(void)state;
	assert_true(glob("\\*", "*"));
	assert_false(glob("\\*", "a"));
	assert_false(glob("a\\", "a"));
	assert_false(glob("a\\", "a\\"));
	assert_true(ignored("\\#x", "#x", false));
	assert_true(ignored("\\!x", "!x", false));
}

static void test_gitignore__a_slash_anchors_a_pattern(void **state)
{
	(void)state;
	assert_true(ignored("a", "x/y/a", false));
	assert_true(ignored("/a", "a", false));
	assert_false(ignored("/a", "x/a", false));
	assert_true(ignored("x/a", "x/a", false));
	assert_false(ignored("x/a", "y/x/a", false));
	assert_true(ignored("**/x/a", "y/x/a", false));
	assert_true(ignored("*.o", "x/y.o", false));
}

static void test_gitignore__a_trailing_slash_means_folders(void **state)
{
	(void)state;
	assert_true(ignored("a/", "a", true));
	assert_false(ignored("a/", "a", false));
	assert_true(ignored("a/", "x/a", true));
	assert_true(ignored("x/a/", "x/a", true));
}

static void test_gitignore__the_last_pattern_decides(void **state)
{
	(void)state;
	assert_false(ignored("*.o\n!keep.o\n", "keep.o", false));
	assert_true(ignored("!keep.o\n*.o\n", "keep.o", false));
	assert_true(ignored("*\n!*/\n!a\n*.o", "a.o", false));
	assert_false(ignored("*\n!*/\n", "x", true));
}

static void test_gitignore__comments_spaces_and_line_ends_are_taken_off(void **state)
{
	(void)state;
	assert_false(ignored("# a\n", "# a", false));
	assert_true(ignored("a  \n", "a", false));
	assert_true(ignored("a\\ \n", "a ", false));
	assert_false(ignored("a\\ \n", "a", false));
	assert_true(ignored("a\r\nb", "a", false));
	assert_true(ignored("a\r", "a", false));
	assert_true(ignored("\xef\xbb\xbf"
			    "a\n",
			    "a", false));
	assert_false(ignored("\n\n/\n!\n", "a", false));
	assert_true(ignored(" a\n", " a", false));
}

static void test_gitignore__a_nested_file_is_stronger_and_goes_when_popped(void **state)
{
	struct gitignore g;

	(void)state;
	gitignore_init(&g, false);
	gitignore_add(&g, 0, STR("*.log\n"));
	gitignore_add(&g, 4, STR("!*.log\n/only\n"));
	assert_false(gitignore_match(&g, STR("sub/a.log"), false));
	assert_true(gitignore_match(&g, STR("sub/only"), false));
	assert_false(gitignore_match(&g, STR("sub/x/only"), false));
	gitignore_pop(&g);
	assert_true(gitignore_match(&g, STR("sub/a.log"), false));
	assert_false(gitignore_match(&g, STR("sub/only"), false));
	gitignore_release(&g);
}

static void test_gitignore__no_pattern_takes_exponential_time(void **state)
{
	struct buf pattern = BUF_INIT(1 << 16), text = BUF_INIT(1 << 16);
	int i;

	(void)state;
	for (i = 0; i < 60; i++)
		buf_add(&pattern, STR("*a**/*?"));
	buf_byte(&pattern, 'b');
	for (i = 0; i < 200; i++)
		buf_add(&text, STR("aaaaaaaa/"));
	/* ends at all: with two points to go back to, that is polynomial */
	assert_false(gitignore_glob(buf_str(&pattern), buf_str(&text), true, false));
	assert_false(gitignore_glob(buf_str(&pattern), buf_str(&text), false, false));
	buf_release(&pattern);
	buf_release(&text);
}

static void test_gitignore__cut_at_every_byte(void **state)
{
	str text = STR("# c\n!/a/**/[[:alpha:]-z]*.o\\ \r\n*.swp/\n\\!x");
	size_t cut;

	(void)state;
	for (cut = 0; cut <= text.n; cut++) {
		char *p = malloc(cut ? cut : 1);
		struct gitignore g;

		memcpy(p, text.p, cut);
		gitignore_init(&g, false);
		gitignore_add(&g, 0, (str){p, cut});
		/* the first two lines take back at most; a lone star ignores all */
		assert_int_equal(gitignore_match(&g, STR("a/b/zz.o "), false),
				 cut == str_find(text, STR("*.swp")) + 1);
		gitignore_match(&g, STR("!x"), true);
		gitignore_release(&g);
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gitignore__stars_and_questions_stop_at_a_slash),
		cmocka_unit_test(test_gitignore__two_stars_between_slashes_match_folders),
		cmocka_unit_test(test_gitignore__sets_have_ranges_classes_and_negation),
		cmocka_unit_test(test_gitignore__classes_are_those_of_ascii),
		cmocka_unit_test(test_gitignore__backslash_takes_the_next_character),
		cmocka_unit_test(test_gitignore__a_slash_anchors_a_pattern),
		cmocka_unit_test(test_gitignore__a_trailing_slash_means_folders),
		cmocka_unit_test(test_gitignore__the_last_pattern_decides),
		cmocka_unit_test(
			test_gitignore__comments_spaces_and_line_ends_are_taken_off),
		cmocka_unit_test(
			test_gitignore__a_nested_file_is_stronger_and_goes_when_popped),
		cmocka_unit_test(test_gitignore__no_pattern_takes_exponential_time),
		cmocka_unit_test(test_gitignore__cut_at_every_byte),
	};

	return cmocka_run_group_tests_name("gitignore", tests, NULL, NULL);
}
