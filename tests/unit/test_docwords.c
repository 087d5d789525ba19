/* Sentences of many tongues, ours all of them. */
#include "session.h"

#include "work/docwords.h"

static void test_docwords__prohibitions_of_many_languages_are_constraints(void **state)
{
	static const char *const yes[] = {
		"Never touch config/prod.yaml.",
		"do not push",
		"ok but never push",
		"and never below 5 percent",
		"no do not touch the cache",
		"No, let's not backfill.",
		"Bitte nichts committen, bevor ich es gesehen habe.",
		"Niemals direkt auf main",
		"Не трогай файл docs/plan.md.",
		"Пожалуйста, не удаляй ветку",
		"不要修改 src/wire.c。",
		"请勿提交",
		"設定ファイルは変更しないでください。",
		"No toques la rama main.",
		"Ne touche pas au cache",
		"설정 파일은 수정하지 마세요"};
	static const char *const no[] = {"why do we never test the clock?",
					 "Не понимаю, почему он молчит",
					 "Nicht schlecht, weiter so",
					 "the lamp is not bright",
					 "no, then it's good",
					 "no tests were found",
					 "别的灯也要改吗？",
					 "mach die Lampe heller"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (docwords_constraint(str_of(yes[i])) < 2)
			fail_msg("not seen: %s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (docwords_constraint(str_of(no[i])) >= 2)
			fail_msg("wrongly seen: %s", no[i]);
}

/* ---- how many of the labelled sentences are told apart ---- */

struct score {
	unsigned right, missed, wrong;
};

static void score_line(struct score *sc, str line)
{
	bool is = line.p[0] == '+';
	bool seen = docwords_constraint(str_trim(str_from(line, 1))) >= 2;

	sc->right += is && seen;
	sc->missed += is && !seen;
	sc->wrong += !is && seen;
	if (is != seen && getenv("HANDOFF_LABELS"))
		print_message("%s: %.*s\n", is ? "missed" : "wrong", STR_ARG(line));
}

/* The sentences of a set ("= seen") of fixtures/stated/labels.txt. */
static struct score score_set(const char *set)
{
	str text = session_read("fixtures/stated/labels.txt"), line;
	struct score sc = {0};
	bool on = false;

	while (str_line(&text, &line)) {
		if (str_starts(line, STR("= ")))
			on = str_eq(str_from(line, 2), str_of(set));
		else if (on && line.n > 2 && (line.p[0] == '+' || line.p[0] == '-'))
			score_line(&sc, line);
	}
	print_message("%s: precision %u of %u, recall %u of %u\n", set, sc.right,
		      sc.right + sc.wrong, sc.right, sc.right + sc.missed);
	return sc;
}

static void test_docwords__orders_are_told_from_other_sentences(void **state)
{
	struct score seen = score_set("seen"), held = score_set("held");

	(void)state;
	assert_true(seen.right + seen.missed >= 50 && held.right + held.missed >= 30);
	assert_true(seen.wrong * 50 <= seen.right && seen.missed * 20 <= seen.right);
	assert_true(held.wrong * 10 <= held.right && held.missed * 5 <= held.right);
}

static void test_docwords__lines_of_a_log_are_nobodys_words(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_int_equal(
		docwords_typed(
			&b,
			STR("why?\n10:00:01 never a\n10:00:02 never b\n10:00:03 never c\n10:00:04 never d\nfix it\n")),
		4);
	assert_str(buf_str(&b), STR("why?\n…\nfix it\n"));
	buf_reset(&b);
	assert_int_equal(
		docwords_typed(
			&b,
			STR("1. never a\n2. never b\n3. never c\n4. never d\n5. never e\n")),
		0);
	buf_reset(&b);
	assert_int_equal(docwords_typed(&b, STR("10:00:01 a\n10:00:02 b\n10:00:03 c\n")),
			 0);
	buf_release(&b);
}

static void test_docwords__a_script_to_run_is_told_from_a_request(void **state)
{
	static const char *const yes[] = {"python lamp.py", "./migrate.sh --apply",
					  "node src/dim.js --steps=3 4",
					  " bash scripts/run.sh ", "uv run lamp.py"};
	static const char *const no[] = {"",
					 "python",
					 "python is slow, dim.py too",
					 "run python lamp.py",
					 "lamp.py",
					 "python lamp.py fails",
					 "python lamp.py\nwhy?",
					 "make it brighter in lamp.py"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(docwords_runs(str_of(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(docwords_runs(str_of(no[i])));
}

static void test_docwords__client_markup_is_told_from_a_tag_in_html(void **state)
{
	(void)state;
	assert_true(docwords_is_markup(STR("<ci-monitor-event>red</ci-monitor-event>")));
	assert_false(docwords_is_markup(STR("<div> is unbalanced")));
	assert_false(docwords_is_markup(STR("see <ci-event>")));
}

static void test_docwords__going_on_is_no_request_of_its_own(void **state)
{
	(void)state;
	assert_true(docwords_goes_on(STR("Keep going!")));
	assert_true(docwords_goes_on(STR(" retry ")));
	assert_false(docwords_goes_on(STR("retry the upload")));
	assert_false(docwords_goes_on(STR("")));
}

static void test_docwords__picks_say_nothing_alone(void **state)
{
	static const char *const yes[] = {"2",   "a",          "b)",
					  "#3",  "1, 2 and 4", "Option 2.",
					  "no",  "both",       "the first one",
					  "нет", "100"};
	static const char *const no[] = {"",
					 "2 lamps",
					 "a lamp",
					 "1000",
					 "no lamps",
					 "the first one is dim",
					 "and or not the first"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!docwords_picks(str_of(yes[i])))
			fail_msg("%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (docwords_picks(str_of(no[i])))
			fail_msg("%s", no[i]);
}

static void test_docwords__takes_any_bytes(void **state)
{
	static const char bytes[] = "\xff\xfe не\xd0 \xe5\xa5 ok\x80, never";
	struct buf b = BUF_INIT(4096);
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(bytes); n++) {
		str s = {bytes, n};

		assert_true(docwords_constraint(s) >= 0);
		docwords_picks(s);
		buf_reset(&b);
		assert_int_equal(docwords_typed(&b, s), 0);
	}
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_docwords__prohibitions_of_many_languages_are_constraints),
		cmocka_unit_test(test_docwords__orders_are_told_from_other_sentences),
		cmocka_unit_test(test_docwords__lines_of_a_log_are_nobodys_words),
		cmocka_unit_test(test_docwords__a_script_to_run_is_told_from_a_request),
		cmocka_unit_test(test_docwords__client_markup_is_told_from_a_tag_in_html),
		cmocka_unit_test(test_docwords__going_on_is_no_request_of_its_own),
		cmocka_unit_test(test_docwords__picks_say_nothing_alone),
		cmocka_unit_test(test_docwords__takes_any_bytes),
	};

	return cmocka_run_group_tests_name("docwords", tests, NULL, NULL);
}
