/* What a session is called; and that list, index and document call every session the same. */
#include "session.h"

#include "base/fs.h"
#include "base/out.h"
#include "data/json.h"
#include "work/glance.h"
#include "work/handoff.h"
#include "work/phases.h"
#include "work/title.h"

static void prompt_is(const char *text, enum title_rank rank, const char *words)
{
	str got;

	if (title_of_prompt(str_of(text), &got) != rank)
		fail_msg("%s", text);
	assert_str(got, str_of(words));
}

static void test_title__a_prompt_that_says_nothing_is_a_weak_one(void **state)
{
	(void)state;
	prompt_is("", TITLE_NONE, "");
	prompt_is("ok, go on", TITLE_WEAK, "ok, go on");
	prompt_is("2", TITLE_WEAK, "2");
	prompt_is("try again", TITLE_WEAK, "try again");
	prompt_is("/model", TITLE_WEAK, "/model");
	prompt_is("<ci-event>red</ci-event>", TITLE_WEAK, "<ci-event>red</ci-event>");
	prompt_is("dim the lamp", TITLE_PROMPT, "dim the lamp");
	prompt_is("/home/dev/lamp.c is dark", TITLE_PROMPT, "/home/dev/lamp.c is dark");
	prompt_is("Implement the following plan:\n\n## Dim it\ntext\n", TITLE_PROMPT,
		  "Dim it");
	prompt_is("Implement the following plan: none", TITLE_PROMPT,
		  "Implement the following plan: none");
}

static void test_title__of_names_the_newest_of_prompts_the_first_counts(void **state)
{
	(void)state;
	assert_true(title_beats(TITLE_WEAK, TITLE_NONE));
	assert_true(title_beats(TITLE_PROMPT, TITLE_WEAK));
	assert_false(title_beats(TITLE_PROMPT, TITLE_PROMPT));
	assert_false(title_beats(TITLE_WEAK, TITLE_WEAK));
	assert_false(title_beats(TITLE_NONE, TITLE_NONE));
	assert_true(title_beats(TITLE_AI, TITLE_AI));
	assert_true(title_beats(TITLE_CUSTOM, TITLE_AI));
	assert_false(title_beats(TITLE_AI, TITLE_CUSTOM));
}

static void test_title__it_is_cut_between_words_and_characters(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	title_show(&b, STR("dim the\nlamp \x1b[1mat night"), 12);
	assert_str(buf_str(&b), STR("dim the lamp…"));
	buf_reset(&b);
	title_show(&b, STR("dim the lamp at night"), 10);
	assert_str(buf_str(&b), STR("dim the…"));
	buf_reset(&b);
	title_show(&b, STR("äöüäöü"), 3);
	assert_str(buf_str(&b), STR("äöü…"));
	buf_reset(&b);
	title_show(&b, STR("lamp"), 4);
	assert_str(buf_str(&b), STR("lamp"));
	buf_release(&b);
}

/* ---- all agree ---- */

/* The value of "title" in a JSON object of one level, as it is written. */
static str json_title(str text)
{
	size_t k = str_find(text, STR("\"title\":\"")), end;

	if (k == STR_NPOS)
		return STR_NONE;
	text = str_from(text, k + 9);
	for (end = 0; end < text.n && text.p[end] != '"'; end++)
		end += text.p[end] == '\\';
	return str_head(text, end);
}

static void index_title(const char *path, struct buf *out)
{
	struct phases_options o = {.json = true, .since = CLOCK_NONE};
	struct source src = session_open(path);
	struct err e = ERR_INIT;
	struct out to;
	int fd = fs_temp(&e);

	out_init(&to, fd, "index");
	assert_int_equal(phases_index(&src, path, &o, &to, &e), 0);
	assert_int_equal(out_end(&to, &e), 0);
	assert_true(fs_read_at(fd, 0, 8u << 20, out, &e) >= 0);
	io.close(fd);
	source_release(&src);
}

static void agrees(const char *path)
{
	struct buf doc = BUF_INIT(8u << 20), index = BUF_INIT(8u << 20),
		   listed = BUF_INIT(1u << 16), told = BUF_INIT(1u << 16);
	struct handoff_options o = {.since = CLOCK_NONE, .no_git = true};
	struct source src = session_open(path);
	struct err e = ERR_INIT;
	struct glance g;
	str title;
	size_t k;

	assert_int_equal(handoff_recover(&src, path, &o, &doc, &e), 0);
	source_release(&src);
	if (glance_read(&g, path, false, NULL) == 0) {
		k = str_find(buf_str(&doc), STR("\n# Handoff: "));
		assert_true(k != STR_NPOS);
		title = str_from(buf_str(&doc), k + 12);
		title = str_head(title, str_chr(title, '\n'));
		index_title(path, &index);
		json_add_str(&listed, str_of(g.title));
		json_add_str(&told, title);
		/* quotes of the JSON form aside */
		if (g.title[0] &&
		    (str_find(buf_str(&listed), json_title(buf_str(&index))) != 1 ||
		     str_find(buf_str(&told), json_title(buf_str(&index))) != 1 ||
		     json_title(buf_str(&index)).n + 2 != listed.n))
			fail_msg("%s: list \"%s\", document \"%.*s\", index \"%.*s\"",
				 path, g.title, STR_ARG(title),
				 STR_ARG(json_title(buf_str(&index))));
		glance_release(&g);
	}
	buf_release(&doc);
	buf_release(&index);
	buf_release(&listed);
	buf_release(&told);
}

static void test_title__list_index_and_document_call_a_session_the_same(void **state)
{
	(void)state;
	assert_true(session_all(agrees) > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_title__a_prompt_that_says_nothing_is_a_weak_one),
		cmocka_unit_test(
			test_title__of_names_the_newest_of_prompts_the_first_counts),
		cmocka_unit_test(test_title__it_is_cut_between_words_and_characters),
		cmocka_unit_test(
			test_title__list_index_and_document_call_a_session_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
