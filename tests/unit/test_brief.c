#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "work/brief.h"
#include "work/brief_parts.h"
#include "work/reindex.h"

#define SECOND INT64_C(1000000)
#define HOUR   (3600 * SECOND)
#define BASE   (INT64_C(1767434400) * SECOND) /* 2026-01-03T10:00:00Z */

static struct vault vault;
static struct index *ix;
static struct buf text;
static struct brief_figures figures;

static int setup(void **state)
{
	(void)state;
	test_dir();
	text = BUF_INIT(1u << 20);
	return vault_open(&vault, test_path("vault"), NULL) ||
	       index_open(&ix, &vault, 50, NULL);
}

static int teardown(void **state)
{
	(void)state;
	index_free(ix);
	vault_release(&vault);
	buf_release(&text);
	return 0;
}

/* Put n items into the note of a session that started at `started` (from BASE). */
static void note(const char *project, const char *session, int64_t started,
		 const struct index_put *p, size_t n)
{
	struct buf name = BUF_INIT(128);
	struct index_file f = {.folder = VAULT_SESSIONS,
			       .project = str_of(project),
			       .session = str_of(session),
			       .started_us = BASE + started};
	struct err e = ERR_INIT;
	int ret = index_begin(ix, &e);

	buf_printf(&name, "%s.md", session);
	f.name = buf_str(&name);
	if (!ret)
		ret = index_file_put(ix, &f, &e);
	for (size_t i = 0; i < n && !ret; i++)
		ret = index_item_put(ix, &f, &p[i], &e);
	if (!ret)
		ret = index_file_put(ix, &f, &e);
	if (!ret)
		ret = index_commit(ix, &e);
	if (ret)
		fail_msg("%s", e.msg);
	buf_release(&name);
}

#define EV(kind, n, imp, body_)                                                          \
	{                                                                                \
		.type = EVENT_##kind, .importance = imp, .at_us = BASE + (n)*SECOND,     \
		.id = STR("ev_" #n), .body = STR(body_)                                  \
	}

static str render(struct brief_options o)
{
	struct err e = ERR_INIT;

	buf_reset(&text);
	if (!o.project.p)
		o.project = STR("p");
	if (brief_render(&text, ix, &o, &figures, &e))
		fail_msg("%s", e.msg);
	return buf_str(&text);
}

static str brief(int64_t tokens)
{
	return render((struct brief_options){.tokens = tokens});
}

#define assert_has(s, lit)   assert_true(str_find((s), STR(lit)) != STR_NPOS)
#define assert_hasnt(s, lit) assert_true(str_find((s), STR(lit)) == STR_NPOS)

static void test_brief__of_the_sample_vault_byte_for_byte(void **state)
{
	struct reindex r;
	struct err e = ERR_INIT;

	(void)state;
	test_write(
		"vault/lantern/sessions/s_20260103T090000_0a1b2c.md",
		STR("---\nid: s_20260103T090000_0a1b2c\nproject: lantern\nstarted_at: 2026-01-03T09:00:00.250000+00:00\n"
		    "status: done\nsummary: Picked the log format\n---\n\n# Session s_20260103T090000_0a1b2c \xE2\x80\x94 lantern\n\n## Log\n\n"
		    "- **[goal]** (imp:5 \xC2\xB7 2026-01-03T09:00:00.251000+00:00) Ship the lantern CLI. <!-- id=ev_00000001 -->\n"
		    "- **[decision]** (imp:3 \xC2\xB7 2026-01-03T09:05:00+00:00) Keep readings in CSV. <!-- id=ev_00000002 -->\n"
		    "- **[next_step]** (imp:4 \xC2\xB7 2026-01-03T09:10:00+00:00) Write the CSV reader. <!-- id=ev_00000003 -->\n"
		    "- **[question]** (imp:2 \xC2\xB7 2026-01-03T09:12:00+00:00) Is <!-- x --> legal in notes? <!-- id=ev_00000004 -->\n"));
	test_write(
		"vault/lantern/sessions/s_20260104T101500_3d4e5f.md",
		STR("---\nid: s_20260104T101500_3d4e5f\nproject: lantern\nstarted_at: 2026-01-04T10:15:30.000100+00:00\n"
		    "status: active\nsummary: \n---\n\n# Session s_20260104T101500_3d4e5f \xE2\x80\x94 lantern\n\n## Log\n\n"
		    "- **[decision]** (imp:4 \xC2\xB7 2026-01-04T10:15:30.000125+00:00) Keep readings in SQLite, see [[Storage]]. <!-- id=ev_00000005 supersedes=ev_00000002 -->\n"
		    "- **[next_step]** (imp:3 \xC2\xB7 2026-01-04T10:20:00+00:00) Write the schema. <!-- id=ev_00000006 supersedes=ev_00000003 -->\n"));
	test_write("vault/lantern/entities/Storage.md",
		   STR("# Storage\n\n- One SQLite file per site.\n- Backups nightly.\n"));
	reindex_init(&r, ix, &vault, false);
	if (reindex_run(&r, &(struct reindex_options){.project = STR("lantern")}, &e))
		fail_msg("%s", e.msg);
	reindex_release(&r);
	assert_str(
		render((struct brief_options){.project = STR("lantern"), .tokens = 1200}),
		STR("# Hand-off brief \xE2\x80\x94 lantern\n\n## Goal\n- Ship the lantern CLI.\n\n## Next step\n- Write the schema.\n\n"
		    "## Decisions\n- Keep readings in SQLite, see [[Storage]].\n\n## Open questions\n- Is <!-- x --> legal in notes?\n\n"
		    "## Related knowledge\n- [[Storage]] \xE2\x80\x94 One SQLite file per site.\n"));
	assert_int_equal(figures.kept, 4);
	assert_int_equal(figures.dropped, 0);
	assert_int_equal(figures.tokens, brief_tokens(buf_str(&text)));
}

static void test_brief__without_events_says_so(void **state)
{
	(void)state;
	assert_str(brief(1200),
		   STR("# Hand-off brief \xE2\x80\x94 p\n\n"
		       "_No prior session state recorded for this project yet._"));
	assert_int_equal(figures.kept, 0);
	assert_str(render((struct brief_options){.tokens = 1200, .quiet = true}),
		   STR(""));
}

static void test_brief__sections_stand_in_their_order(void **state)
{
	static const struct index_put p[] = {
		EV(FILE, 1, 3, "a file"),      EV(QUESTION, 2, 3, "a question"),
		EV(DEADEND, 3, 3, "an end"),   EV(DECISION, 4, 3, "a decision"),
		EV(NEXT_STEP, 5, 3, "a step"), EV(GOAL, 6, 3, "a goal"),
	};

	(void)state;
	note("p", "s_1", 0, p, 6);
	assert_str(
		brief(1200),
		STR("# Hand-off brief \xE2\x80\x94 p\n\n## Goal\n- a goal\n\n## Next step\n- a step\n\n"
		    "## Decisions\n- a decision\n\n## Dead ends (tried & failed)\n- an end\n\n"
		    "## Open questions\n- a question\n\n## Files touched\n- a file\n"));
}

static void test_brief__inside_a_section_importance_then_the_newest(void **state)
{
	static const struct index_put p[] = {
		EV(DECISION, 1, 5, "old and great"), EV(DECISION, 2, 3, "older"),
		EV(DECISION, 3, 3, "newer"), EV(DECISION, 3, 3, "newer, behind it")};

	(void)state;
	note("p", "s_1", 0, p, 4);
	assert_has(brief(1200),
		   "- old and great\n- newer\n- newer, behind it\n- older\n");
}

static void test_brief__leaves_out_the_retired_and_other_projects(void **state)
{
	static const struct index_put a[] = {EV(DECISION, 1, 3, "CSV"),
					     {.type = EVENT_DECISION,
					      .importance = 3,
					      .id = STR("n"),
					      .body = STR("SQLite"),
					      .supersedes = STR("ev_1")}};
	static const struct index_put b[] = {EV(DECISION, 7, 5, "of another")};

	(void)state;
	note("p", "s_1", 0, a, 2);
	note("q", "s_2", 0, b, 1);
	assert_hasnt(brief(1200), "CSV");
	assert_has(buf_str(&text), "- SQLite\n");
	assert_hasnt(buf_str(&text), "of another");
}

#define TEN   "0123456789"
#define FORTY TEN TEN TEN TEN

static void
test_brief__under_a_small_budget_the_goal_stays_and_the_file_goes(void **state)
{
	static const struct index_put p[] = {EV(GOAL, 1, 3, "goal " FORTY FORTY),
					     EV(QUESTION, 2, 3, "question " FORTY FORTY),
					     EV(FILE, 3, 3, "file " FORTY FORTY)};

	(void)state;
	note("p", "s_1", 0, p, 3);
	assert_has(brief(60), "- goal ");
	assert_hasnt(buf_str(&text), "- file ");
	assert_true(figures.dropped >= 1);
	assert_true(figures.tokens <= 60);
}

static void
test_brief__a_budget_that_holds_nothing_still_tells_how_much_there_is(void **state)
{
	static const struct index_put p[] = {EV(GOAL, 1, 3, "goal")};

	(void)state;
	note("p", "s_1", 0, p, 1);
	assert_str(
		brief(0),
		STR("# Hand-off brief \xE2\x80\x94 p\n\n"
		    "_(1 lower-priority item(s) omitted to fit the 0-token budget.)_\n"));
	assert_int_equal(figures.dropped, 1);
	brief(-5);
	assert_int_equal(figures.kept, 0);
	assert_str(render((struct brief_options){.tokens = 0, .quiet = true}), STR(""));
}

static void test_brief__the_token_cap_holds_for_every_budget(void **state)
{
	static struct index_put p[600];
	static char id[600][16], body[600][300];

	(void)state;
	for (int i = 0; i < 600; i++) {
		snprintf(id[i], sizeof(id[i]), "ev_%d", i);
		snprintf(body[i], sizeof(body[i]), "%s%d [[Entity %d]] %.*s",
			 i % 3 ? "item "
			       : "\xE5\x85\xA8\xE6\x96\x87\xE6\xA3\x80\xE7\xB4\xA2 ",
			 i, i % 9, i % 220, FORTY FORTY FORTY FORTY FORTY FORTY);
		p[i] = (struct index_put){.type = (enum event_type)(i % EVENT_TYPES),
					  .importance = i % 5 + 1,
					  .at_us = BASE + i * SECOND,
					  .id = str_of(id[i]),
					  .body = str_of(body[i])};
	}
	note("p", "s_1", 0, p, 600);
	for (int64_t t = 40; t < 3000; t += t < 400 ? 7 : 97) {
		brief(t);
		assert_true(figures.tokens <= (size_t)t);
		assert_int_equal(figures.tokens, brief_tokens(buf_str(&text)));
		assert_int_equal(figures.kept + figures.dropped, 600);
		assert_true(figures.kept > 0 || t < 70);
		if (t > 400) /* and it is made use of */
			assert_true(figures.tokens > (size_t)t * 8 / 10);
	}
	for (size_t u = 200; u < 5000; u += 311) {
		render((struct brief_options){.tokens = 100000, .units_max = u});
		assert_true(utf8_units16(buf_str(&text)) <= u);
	}
}

/* 40 characters of 200: cut, a snippet of 51 tokens. */
static void
test_brief__what_is_too_large_is_passed_over_the_next_that_fits_is_taken(void **state)
{
	static struct index_put p[103];
	static char id[103][16];

	(void)state;
	for (int i = 0; i < 103; i++) {
		snprintf(id[i], sizeof(id[i]), "ev_%d", i);
		p[i] = (struct index_put){
			.type = EVENT_DECISION,
			.importance = i < 101 ? 5 : 1,
			.at_us = BASE + i * SECOND,
			.id = str_of(id[i]),
			.body = i < 101 ? STR(FORTY FORTY FORTY FORTY FORTY)
					: STR("Keep it short.")};
	}
	note("p", "s_1", 0, p, 103);
	/* none of the important ones fits; both others do */
	assert_str(brief(38), STR("# Hand-off brief \xE2\x80\x94 p\n\n## Decisions\n"
				  "- Keep it short.\n- Keep it short.\n\n"
				  "_(101 lower-priority item(s) omitted to fit the "
				  "38-token budget.)_\n"));
	/* one of them, and behind ten others again what fits */
	note("q", "s_1", 0, p + 90, 13);
	render((struct brief_options){.project = STR("q"), .tokens = 90});
	assert_int_equal(figures.kept, 3);
}

static void test_brief__files_take_no_more_than_their_part(void **state)
{
	static struct index_put p[300];
	static char id[300][16];
	size_t shown = 0;
	str s;

	(void)state;
	for (int i = 0; i < 300; i++) {
		snprintf(id[i], sizeof(id[i]), "ev_%d", i);
		p[i] = (struct index_put){.type = i ? EVENT_FILE : EVENT_DECISION,
					  .importance = 1,
					  .at_us = BASE + i * SECOND,
					  .id = str_of(id[i]),
					  .body = STR("lib/parse/part.c of it")};
	}
	note("p", "s_1", 0, p, 300);
	s = brief(1200);
	for (size_t at; (at = str_find(s, STR("- lib/"))) != STR_NPOS; shown++)
		s = str_from(s, at + 1);
	assert_int_equal(shown, 1 + 1200 * 4 * 15 / 100 / 25);
	assert_int_equal(figures.kept, shown);
	assert_int_equal(figures.dropped, 300 - shown);
}

static void test_brief__goals_do_not_starve_decisions(void **state)
{
	static struct index_put p[301];
	static char id[301][16];

	(void)state;
	for (int i = 0; i < 300; i++) {
		snprintf(id[i], sizeof(id[i]), "ev_%d", i);
		p[i] = (struct index_put){.type = EVENT_GOAL,
					  .importance = 1,
					  .at_us = BASE,
					  .id = str_of(id[i]),
					  .body = STR("goal " FORTY FORTY)};
	}
	p[300] = (struct index_put){.type = EVENT_DECISION,
				    .importance = 5,
				    .at_us = BASE,
				    .id = STR("d"),
				    .body = STR("the decision")};
	note("p", "s_1", 0, p, 301);
	assert_has(brief(300), "- the decision\n");
	assert_has(buf_str(&text), "- goal ");
}

static void test_brief__related_entities_by_links_with_a_short_summary(void **state)
{
	static const struct index_put p[] = {
		EV(DECISION, 1, 3, "see [[Beta]] and [[Alpha]], [[Beta]] again"),
		EV(DECISION, 2, 3, "see [[Gamma]]"), EV(DECISION, 3, 3, "see [[Gamma]]"),
		EV(DECISION, 4, 3, "see [[Delta]]"),
		EV(DECISION, 5, 3, "see [[Epsilon]]")};
	struct index_file f = {.folder = VAULT_ENTITIES,
			       .project = STR("p"),
			       .name = STR("Gamma.md"),
			       .title = STR("Gamma"),
			       .summary = STR("Short, and " FORTY FORTY FORTY FORTY)};

	(void)state;
	note("p", "s_1", 0, p, 5);
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(index_file_put(ix, &f, NULL), 0);
	assert_int_equal(index_commit(ix, NULL), 0);
	assert_true(str_ends(
		brief(1200),
		STR("## Related knowledge\n- [[Gamma]] \xE2\x80\x94 Short, and " FORTY
			    FORTY TEN TEN
		    "012345678 \xE2\x80\xA6\n- [[Alpha]]\n- [[Beta]]\n- [[Delta]]\n")));
}

static void
test_brief__a_step_is_stale_when_a_later_session_went_on_without_it(void **state)
{
	static const struct index_put step[] = {EV(NEXT_STEP, 60, 3, "the step")};
	static const struct index_put other[] = {EV(DECISION, 7200, 3, "something else")};

	(void)state;
	note("p", "s_20260103T100000_aaaaaa", 0, step, 1);
	assert_has(brief(1200), "- the step\n");
	/* one that ran beside it says nothing */
	note("p", "s_20260103T095000_bbbbbb", -600 * SECOND, other, 1);
	assert_has(brief(1200), "- the step\n");
	note("p", "s_20260103T110000_cccccc", HOUR, other, 1);
	assert_has(brief(1200), "- the step _(possibly stale)_\n");
}

static bool runs(const struct index_item *it, void *arg)
{
	return str_eq(it->session, str_of(arg));
}

static void test_brief__a_step_of_a_session_that_runs_is_not_stale(void **state)
{
	static const struct index_put step[] = {EV(NEXT_STEP, 60, 3, "the step")};
	static const struct index_put other[] = {EV(DECISION, 7200, 3, "something else")};
	char own[] = "s_20260103T100000_aaaaaa", none[] = "s_20260103T100000_bbbbbb";
	struct brief_options o = {.project = STR("p"), .tokens = 1200, .runs = runs};

	(void)state;
	note("p", own, 0, step, 1);
	note("p", "s_20260103T110000_cccccc", HOUR, other, 1);
	o.runs_arg = none;
	assert_has(render(o), "- the step _(possibly stale)_\n");
	o.runs_arg = own;
	assert_has(render(o), "- the step\n");
}

static void test_brief__derived_rank_below_logged_and_imported_stay_out(void **state)
{
	struct index_put p[] = {EV(DECISION, 1, 5, "derived"),
				EV(DECISION, 2, 1, "logged"),
				EV(DECISION, 3, 5, "imported")};

	(void)state;
	p[0].origin = EVENT_DERIVED;
	p[2].origin = EVENT_IMPORTED;
	note("p", "s_1", 0, p, 3);
	assert_has(brief(1200), "## Decisions\n- logged\n- derived\n");
	assert_hasnt(buf_str(&text), "imported");
	assert_int_equal(figures.kept, 2);
	assert_int_equal(figures.dropped, 0);
}

static void
test_brief__leaves_out_the_session_whose_document_stands_beside_it(void **state)
{
	static const struct index_put a[] = {EV(DECISION, 1, 3, "of the document")};
	static const struct index_put b[] = {EV(DECISION, 2, 3, "of another session")};

	(void)state;
	note("p", "s_20260103T100000_7c1e42", 0, a, 1);
	note("p", "s_20260103T110000_aaaaaa", HOUR, b, 1);
	render((struct brief_options){
		.tokens = 1200,
		.skip_session[1] = STR("7C1e42aa-6f15-4a04-a2c6-000000000001")});
	assert_hasnt(buf_str(&text), "of the document");
	assert_has(buf_str(&text), "- of another session\n");
	assert_int_equal(figures.kept, 1);
	assert_int_equal(figures.dropped, 0);
}

static void test_brief__explains_each_line_and_what_fell_out(void **state)
{
	static const struct index_put p[] = {EV(GOAL, 1, 3, "goal " FORTY FORTY),
					     EV(QUESTION, 2, 2, "question " FORTY FORTY)};

	(void)state;
	note("p", "s_1", 0, p, 2);
	render((struct brief_options){.tokens = 55, .explain = true});
	assert_has(buf_str(&text),
		   " [ev_1, importance 3, 2026-01-03, logged, session s_1]\n\n_(1 lower");
	assert_has(buf_str(&text),
		   "## Left out\n- Open questions: 1 of 1 did not fit\n  - question ");
	assert_has(buf_str(&text), " [ev_2, importance 2, ");
	assert_true(figures.tokens <= 55);
}

static void test_brief__the_same_state_gives_the_same_bytes(void **state)
{
	static const struct index_put p[] = {EV(GOAL, 1, 3, "goal"),
					     EV(DECISION, 2, 3, "see [[A]]")};
	char *first;

	(void)state;
	note("p", "s_1", 0, p, 2);
	brief(1200);
	first = str_dup(buf_str(&text));
	assert_str(brief(1200), str_of(first));
	free(first);
}

/* ---- snippets ---- */

static str snippet(str s)
{
	buf_reset(&text);
	brief_snippet(&text, s, BRIEF_SNIPPET);
	return buf_str(&text);
}

#define X50  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X100 X50 X50
#define X150 X100 X50
#define X200 X100 X100

static void test_snippet__short_text_is_whole_with_white_space_collapsed(void **state)
{
	(void)state;
	assert_str(snippet(STR("  a \t b\n\nc\xE3\x80\x80"
			       "d\xC2\xA0 ")),
		   STR("a b c d"));
	assert_str(snippet(STR(X200)), STR(X200));
	assert_str(snippet(STR("")), STR(""));
}

static void test_snippet__cuts_at_the_best_separator_of_the_second_half(void **state)
{
	(void)state;
	assert_str(snippet(STR(X100 "x. y, z; " X100)), STR(X100 "x. \xE2\x80\xA6"));
	assert_str(snippet(STR(X100 "x; y, z " X100)), STR(X100 "x \xE2\x80\xA6"));
	assert_str(snippet(STR(X100 "x \xE2\x80\x94 y, z " X100)),
		   STR(X100 "x \xE2\x80\xA6"));
	assert_str(snippet(STR(X100 "x, y z " X100)), STR(X100 "x \xE2\x80\xA6"));
	assert_str(snippet(STR(X100 "x y z" X100)), STR(X100 "x y \xE2\x80\xA6"));
	/* separators in the first half alone do not count */
	assert_str(snippet(STR("a. " X50 ", " X200)),
		   STR("a. " X50 ", " X100
		       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx \xE2\x80\xA6"));
}

static void test_snippet__counts_characters_not_bytes(void **state)
{
	struct buf b = BUF_INIT(4096);
	str got;

	(void)state;
	for (int i = 0; i < 250; i++)
		buf_add(&b, STR("\xF0\x9F\x98\x80"));
	got = snippet(buf_str(&b));
	assert_int_equal(utf8_count(got), 202);
	assert_true(str_ends(got, STR("\xF0\x9F\x98\x80 \xE2\x80\xA6")));
	assert_true(utf8_valid(got));
	buf_release(&b);
}

static void test_snippet__escapes_what_a_terminal_would_obey(void **state)
{
	(void)state;
	assert_str(snippet(STR("a\x1b[31mb \xE2\x80\xAE"
			       "c")),
		   STR("ab \\u{202e}c"));
}

static void test_tokens__count_east_asian_characters_whole(void **state)
{
	(void)state;
	assert_int_equal(brief_tokens(STR("")), 0);
	assert_int_equal(brief_tokens(STR("abcd")), 1);
	assert_int_equal(brief_tokens(STR("abcde")), 2);
	assert_int_equal(brief_tokens(STR("\xE5\x85\xA8\xE6\x96\x87")), 2);
	assert_int_equal(brief_tokens(STR("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9")), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_brief__of_the_sample_vault_byte_for_byte),
		T(test_brief__without_events_says_so),
		T(test_brief__sections_stand_in_their_order),
		T(test_brief__inside_a_section_importance_then_the_newest),
		T(test_brief__leaves_out_the_retired_and_other_projects),
		T(test_brief__under_a_small_budget_the_goal_stays_and_the_file_goes),
		T(test_brief__a_budget_that_holds_nothing_still_tells_how_much_there_is),
		T(test_brief__the_token_cap_holds_for_every_budget),
		T(test_brief__what_is_too_large_is_passed_over_the_next_that_fits_is_taken),
		T(test_brief__files_take_no_more_than_their_part),
		T(test_brief__goals_do_not_starve_decisions),
		T(test_brief__related_entities_by_links_with_a_short_summary),
		T(test_brief__a_step_is_stale_when_a_later_session_went_on_without_it),
		T(test_brief__a_step_of_a_session_that_runs_is_not_stale),
		T(test_brief__derived_rank_below_logged_and_imported_stay_out),
		T(test_brief__leaves_out_the_session_whose_document_stands_beside_it),
		T(test_brief__explains_each_line_and_what_fell_out),
		T(test_brief__the_same_state_gives_the_same_bytes),
		T(test_snippet__short_text_is_whole_with_white_space_collapsed),
		T(test_snippet__cuts_at_the_best_separator_of_the_second_half),
		T(test_snippet__counts_characters_not_bytes),
		T(test_snippet__escapes_what_a_terminal_would_obey),
		T(test_tokens__count_east_asian_characters_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
