#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "work/search.h"

#define DAY INT64_C(86400000000)

static struct vault vault;
static struct index *ix;

static int setup(void **state)
{
	(void)state;
	test_dir();
	unsetenv("HANDOFF_RANK");
	setenv("HANDOFF_NOW", "2026-03-01T00:00:00Z", 1);
	return vault_open(&vault, test_path("vault"), NULL) ||
	       index_open(&ix, &vault, 50, NULL);
}

static int teardown(void **state)
{
	(void)state;
	index_free(ix);
	vault_release(&vault);
	unsetenv("HANDOFF_RANK");
	return 0;
}

static void put(const char *project, const struct index_put *p)
{
	static int n;
	struct buf name = BUF_INIT(64);
	struct index_file f = {.project = str_of(project),
			       .session = STR("s_1"),
			       .folder = VAULT_SESSIONS};
	struct err e = ERR_INIT;

	buf_printf(&name, "s_%d.md", n++);
	f.name = buf_str(&name);
	if (p->kind == INDEX_FACT) {
		f.folder = VAULT_ENTITIES;
		f.title = p->name;
		f.session = STR_NONE;
	}
	if (index_begin(ix, &e) || index_file_put(ix, &f, &e) ||
	    index_item_put(ix, &f, p, &e) || index_file_put(ix, &f, &e) ||
	    index_commit(ix, &e))
		fail_msg("%s", e.msg);
	buf_release(&name);
}

static void event(const char *project, const char *id, const char *body, int importance,
		  const char *at)
{
	struct index_put p = {.type = EVENT_DECISION,
			      .importance = importance,
			      .id = str_of(id),
			      .body = str_of(body)};

	if (at)
		assert_true(event_time_parse(str_of(at), &p.at_us));
	put(project, &p);
}

static void run(struct search *s, struct search_query q)
{
	struct err e = ERR_INIT;

	if (search_run(s, ix, &q, &e))
		fail_msg("%s", e.msg);
}

static const char *ids(const struct search *s)
{
	static struct buf b;

	b.max = 1u << 16;
	buf_reset(&b);
	for (size_t i = 0; i < s->n; i++)
		buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(s->hit[i].it.id));
	return buf_cstr(&b);
}

static void test_search__another_project_is_found_unless_one_is_named(void **state)
{
	struct search s;

	(void)state;
	event("p", "ev_1", "cache in memory", 3, NULL);
	event("q", "ev_2", "cache on disk", 3, NULL);
	run(&s, (struct search_query){.text = STR("cache"), .type = -1, .limit = 10});
	assert_int_equal(s.n, 2);
	assert_null(s.near);
	search_release(&s);
	run(&s,
	    (struct search_query){
		    .text = STR("cache"), .project = STR("q"), .type = -1, .limit = 10});
	assert_str(str_of(ids(&s)), STR("ev_2"));
	assert_int_equal(s.elsewhere, 0);
	search_release(&s);
}

static void
test_search__says_what_other_projects_have_when_this_one_has_nothing(void **state)
{
	struct search_query q = {.text = STR("checkout"),
				 .project = STR("tianda"),
				 .type = -1,
				 .limit = 10};
	struct buf b = BUF_INIT(1u << 16);
	struct search s;

	(void)state;
	event("tianda-for-woocommerce", "ev_1", "checkout is broken", 3, NULL);
	event("tiandas", "ev_2", "nothing here", 3, NULL);
	event("lantern", "ev_3", "checkout of the branch", 3, NULL);
	run(&s, q);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.elsewhere, 2);
	assert_str(str_of(s.near), STR("tianda-for-woocommerce, tiandas"));
	search_text(&b, &s, &q, false);
	assert_str(
		buf_str(&b),
		STR("No matching memory found. Other projects have 2 items that match. Projects "
		    "with a name like this one: tianda-for-woocommerce, tiandas.\n"));
	search_release(&s);
	buf_release(&b);
}

static void test_search__names_are_alike_despite_case_and_a_slip(void **state)
{
	struct search s;

	(void)state;
	event("Tollgate", "ev_1", "x", 3, NULL);
	run(&s, (struct search_query){.text = STR("none"),
				      .project = STR("toll-gate"),
				      .type = -1,
				      .limit = 1});
	assert_str(str_of(s.near), STR("Tollgate"));
	search_release(&s);
	run(&s, (struct search_query){.text = STR("none"),
				      .project = STR("tolgate"),
				      .type = -1,
				      .limit = 1});
	assert_str(str_of(s.near), STR("Tollgate"));
	search_release(&s);
	run(&s, (struct search_query){.text = STR("none"),
				      .project = STR("lantern"),
				      .type = -1,
				      .limit = 1});
	assert_null(s.near);
	search_release(&s);
}

static void test_search__pages_say_whether_more_follows(void **state)
{
	struct search_query q = {.text = STR("note"), .type = -1, .limit = 2};
	struct search s;

	(void)state;
	for (int i = 0; i < 5; i++) {
		char id[16];

		snprintf(id, sizeof(id), "ev_%d", i);
		event("p", id, "note", 3, NULL);
	}
	run(&s, q);
	assert_str(str_of(ids(&s)), STR("ev_0 ev_1"));
	assert_true(s.more);
	assert_int_equal(s.matched, 5);
	search_release(&s);
	q.offset = 4;
	run(&s, q);
	assert_str(str_of(ids(&s)), STR("ev_4"));
	assert_false(s.more);
	search_release(&s);
	q.offset = 5;
	run(&s, q);
	assert_int_equal(s.n, 0);
	assert_false(s.more);
	search_release(&s);
	q.limit = 0;
	run(&s, q);
	assert_int_equal(s.n, 0);
	search_release(&s);
}

static void
test_recency__of_equal_hits_the_newer_and_the_more_important_first(void **state)
{
	struct search_query q = {.text = STR("same words"), .type = -1, .limit = 2};
	struct search s;

	(void)state;
	setenv("HANDOFF_RANK", "recency", 1);
	event("p", "ev_a", "same words", 3, "2025-11-01T00:00:00Z"); /* 120 days */
	event("p", "ev_b", "same words", 3, "2026-02-28T00:00:00Z"); /* 1 day */
	run(&s, q);
	assert_str(str_of(ids(&s)), STR("ev_b ev_a"));
	assert_true(s.hit[0].score > 0.619289 && s.hit[0].score < 0.619291);
	assert_true(s.hit[1].score > 0.390624 && s.hit[1].score < 0.390626);
	search_release(&s);
	event("p", "ev_c", "same words", 5, "2026-02-28T00:00:00Z");
	run(&s, q);
	assert_str(str_of(ids(&s)), STR("ev_c ev_b"));
	assert_true(s.more);
	search_release(&s);
}

static void test_recency__a_strong_older_hit_beats_a_weak_new_one(void **state)
{
	struct search_query q = {
		.text = STR("parser cache eviction"), .type = -1, .limit = 5};
	struct search s;

	(void)state;
	event("p", "ev_old", "parser cache eviction", 3,
	      "2026-02-09T00:00:00Z"); /* 20 days */
	event("p", "ev_new", "something about the parser of the day", 3,
	      "2026-03-01T00:00:00Z");
	setenv("HANDOFF_RANK", "recency", 1);
	run(&s, q);
	assert_str(str_of(ids(&s)), STR("ev_old ev_new"));
	assert_true(s.hit[0].score > 0.832489 && s.hit[0].score < 0.832491);
	assert_true(s.hit[1].score > 0.324999 && s.hit[1].score < 0.325001);
	search_release(&s);
	/* one hit passes through */
	q.text = STR("eviction");
	run(&s, q);
	assert_str(str_of(ids(&s)), STR("ev_old"));
	search_release(&s);
}

static void test_text__has_date_session_and_an_id_and_no_control_characters(void **state)
{
	struct search_query q = {.text = STR("sqlite"), .type = -1, .limit = 10};
	struct buf b = BUF_INIT(1u << 16);
	struct search s;

	(void)state;
	event("lantern", "ev_5", "Keep readings\n in SQLite.\x1b[31m \xE2\x80\xAE", 4,
	      "2026-01-04T10:15:30Z");
	put("lantern", &(struct index_put){.kind = INDEX_FACT,
					   .name = STR("Storage"),
					   .body = STR("One SQLite file")});
	run(&s, q);
	search_text(&b, &s, &q, false);
	assert_true(
		str_find(
			buf_str(&b),
			STR("- [lantern] (decision) Keep readings in SQLite. \\u{202e} (id: ev_5) "
			    "2026-01-04, session s_1\n")) != STR_NPOS);
	assert_true(str_starts(buf_str(&b), STR("Found 2 result(s):\n\n- ")));
	assert_true(
		str_find(
			buf_str(&b),
			STR("- [lantern] (fact) Storage: One SQLite file (id: Storage)\n")) !=
		STR_NPOS);
	assert_int_equal(str_chr(buf_str(&b), '\x1b'), STR_NPOS);
	search_release(&s);
	buf_release(&b);
}

static void test_json__is_one_object_with_every_field(void **state)
{
	struct search_query q = {.text = STR("\"quoted\" sqlite"),
				 .project = STR("lantern"),
				 .type = -1,
				 .limit = 1};
	struct buf b = BUF_INIT(1u << 16);
	struct search s;
	str got;

	(void)state;
	event("lantern", "ev_5", "SQLite", 4, "2026-01-04T10:15:30Z");
	run(&s, q);
	search_json(&b, &s, &q);
	got = buf_str(&b);
	assert_true(str_starts(
		got,
		STR("{\"format\":1,\"query\":\"\\\"quoted\\\" sqlite\",\"project\":\"lantern\",\"hits\":["
		    "{\"id\":\"ev_5\",\"kind\":\"event\",\"type\":\"decision\",\"origin\":\"logged\","
		    "\"importance\":4,\"project\":\"lantern\",\"session\":\"s_1\","
		    "\"at\":\"2026-01-04T10:15:30+00:00\",\"content\":\"SQLite\",\"retired\":false,"
		    "\"score\":")));
	assert_true(str_ends(got, STR("}],\"offset\":0,\"more\":false,\"matched\":1,"
				      "\"matched_is_lower_bound\":false,\"words\":2,"
				      "\"words_used\":2,\"elsewhere\":0,"
				      "\"near\":null}\n")));
	search_release(&s);
	buf_release(&b);
}

static void test_time__a_date_is_a_whole_day_and_a_moment_itself(void **state)
{
	static const struct {
		const char *text;
		int64_t since, until;
	} T[] = {
		{"1970-01-02", DAY, 2 * DAY},
		{" 1970-01-02 ", DAY, 2 * DAY},
		{"1970-01-02T00:00:00Z", DAY, DAY},
		{"1970-01-02T01:00:00.5+01:00", DAY + 500000, DAY + 500000},
		/* 0 would stand for no end at all */
		{"1970-01-01T00:00:00Z", 1, 1},
		{"1960-01-01", 1, 1},
	};
	static const char *const none[] = {"", "1970", "1970-02-30", "1970-01-02x",
					   "now"};
	int64_t us;

	(void)state;
	for (size_t i = 0; i < sizeof(T) / sizeof(*T); i++) {
		assert_int_equal(search_time(str_of(T[i].text), false, &us, NULL), 0);
		assert_int_equal(us, T[i].since);
		assert_int_equal(search_time(str_of(T[i].text), true, &us, NULL), 0);
		assert_int_equal(us, T[i].until);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(search_time(str_of(none[i]), true, &us, &e), HF_EUSAGE);
		assert_true(e.msg[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_search__another_project_is_found_unless_one_is_named),
		T(test_search__says_what_other_projects_have_when_this_one_has_nothing),
		T(test_search__names_are_alike_despite_case_and_a_slip),
		T(test_search__pages_say_whether_more_follows),
		T(test_recency__of_equal_hits_the_newer_and_the_more_important_first),
		T(test_recency__a_strong_older_hit_beats_a_weak_new_one),
		T(test_text__has_date_session_and_an_id_and_no_control_characters),
		T(test_time__a_date_is_a_whole_day_and_a_moment_itself),
		T(test_json__is_one_object_with_every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
