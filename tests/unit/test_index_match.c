/* Ranked matching over the index. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/index.h"

#define DAY INT64_C(86400000000)

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

struct line {
	const char *id, *body;
	const char *supersedes;
	enum event_type type;
	int importance;
	int64_t at;
};

static void put_kind(const char *project, enum vault_folder folder, const char *name,
		     enum index_kind kind, const struct line *line, size_t n)
{
	struct index_file f = {.folder = folder,
			       .project = str_of(project),
			       .name = str_of(name),
			       .session = str_of(name)};
	struct err e = ERR_INIT;
	int ret = index_begin(ix, &e);

	if (!ret)
		ret = index_file_put(ix, &f, &e);
	for (size_t i = 0; i < n && !ret; i++)
		ret = index_item_put(
			ix, &f,
			&(struct index_put){.kind = kind,
					    .type = line[i].type,
					    .importance = line[i].importance,
					    .at_us = line[i].at,
					    .id = str_of(line[i].id),
					    .supersedes = str_of(line[i].supersedes),
					    .body = str_of(line[i].body)},
			&e);
	if (!ret)
		ret = index_file_put(ix, &f, &e);
	if (!ret)
		ret = index_commit(ix, &e);
	if (ret)
		fail_msg("%s", e.msg);
}

static void put(const char *project, const char *name, const struct line *line, size_t n)
{
	put_kind(project, VAULT_SESSIONS, name, INDEX_EVENT, line, n);
}

static void put_one(const char *project, const char *id, const char *body)
{
	struct line l = {.id = id, .body = body, .type = EVENT_DECISION, .importance = 3};
	char name[64];

	snprintf(name, sizeof(name), "s_%s.md", id);
	put(project, name, &l, 1);
}

static int add_id(const struct index_item *it, double score, void *arg)
{
	assert_true(score >= 0);
	buf_printf(arg, "%s%.*s", ((struct buf *)arg)->n ? " " : "", STR_ARG(it->id));
	return 0;
}

static struct index_stats stats;

static const char *ask(struct index_query q)
{
	static struct buf b;
	struct err e = ERR_INIT;

	b.max = 1u << 20;
	buf_reset(&b);
	if (index_match(ix, &q, add_id, &b, &stats, &e))
		fail_msg("%s", e.msg);
	return buf_cstr(&b);
}

/* Ids of what a question finds in project p, best first. */
static const char *found(const char *text)
{
	return ask((struct index_query){
		.text = str_of(text), .project = STR("p"), .type = -1, .limit = 50});
}

#define assert_found(text, want) assert_str(str_of(found(text)), STR(want))

static void test_match__any_word_will_do_and_more_words_are_better(void **state)
{
	(void)state;
	put_one("p", "a", "The cache keeps ten entries.");
	put_one("p", "b", "The cache of the parser keeps nothing.");
	put_one("p", "c", "Deploy on Mondays.");
	assert_found("parser cache", "b a");
	assert_found("caches", "a b");
	assert_found("nowhere", "");
	assert_int_equal(stats.matched, 0);
}

static void test_match__query_text_is_never_syntax(void **state)
{
	static const char *const text[] = {"pre-edit",
					   "multi-agent",
					   "a'b",
					   "POL-358",
					   "\"--error-on-warnings\"",
					   "38.101",
					   "NOTE: fix",
					   "GB/s",
					   "don't",
					   "grammar::fa",
					   "\"",
					   "*",
					   "(",
					   ")",
					   "NEAR",
					   "AND",
					   "OR NOT",
					   "^",
					   "NEAR(a b, 5)",
					   "body : x",
					   "{body} : x",
					   "-a",
					   "a AND NOT b",
					   "\"a",
					   "p*",
					   "%",
					   "'",
					   ";--",
					   "proj:1",
					   ""};
	struct buf big = BUF_INIT(1u << 20);

	(void)state;
	put_one("p", "h1", "pre-edit hook for multi-agent runs, don't skip a'b");
	put_one("p", "h2", "POL-358: --error-on-warnings per 38.101");
	put_one("p", "h3", "NOTE: fix 5 GB/s in grammar::fa");
	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		found(text[i]);
	assert_found("pre-edit", "h1");
	assert_found("multi-agent", "h1");
	assert_found("multiAgent", "h1");
	assert_found("POL-358", "h2");
	assert_found("\"--error-on-warnings\"", "h2");
	assert_found("38.101", "h2");
	assert_found("NOTE: fix", "h3");
	assert_found("GB/s", "h3");
	assert_found("grammar::fa", "h3");
	buf_fill(&big, '"', 10240);
	assert_found(buf_cstr(&big), "");
	buf_reset(&big);
	for (int i = 0; i < 10000; i++)
		buf_add(&big, STR("hook "));
	assert_found(buf_cstr(&big), "h1");
	buf_release(&big);
}

static void test_match__east_asian_text_by_part(void **state)
{
	(void)state;
	put_one("p", "z1",
		"\xE9\x87\x8D\xE8\xB7\x91gen-itgc\xE5\x90\x8E"); /* 重跑gen-itgc后 */
	put_one("p", "z2",
		"\xE7\x94\xA8\xE6\x88\xB7\xE7\x99\xBB\xE5\xBD\x95 db"); /* 用户登录 db */
	assert_found("itgc", "z1");
	assert_found("\xE7\x94\xA8\xE6\x88\xB7", "z2"); /* 用户 */
	assert_found("\xE5\xBD\x95", "z2");             /* 录: last of its run */
	assert_found("\xE7\x99\xBB", "z2");             /* 登: inside of it */
	assert_found("db", "z2");
	assert_found("\xE8\xB7\x91", "z1");
}

static void test_match__stop_words_alone_match_only_where_they_may(void **state)
{
	(void)state;
	put_one("p", "a", "It is to be a server");
	put_one("p", "b", "Redis");
	assert_found("what is it to be", "a");
	assert_found("the redis", "b");
}

static void test_match__a_project_keeps_to_itself(void **state)
{
	size_t hits;

	(void)state;
	put_one("p", "a", "storage in one file");
	/* as long as nobody else has anything, nobody is kept out: but for the number */
	assert_found("storage", "a");
	assert_found("1", "");
	put_one("q", "b", "storage in one folder");
	put_one("q", "c", "storage in one database, 1 and 2");
	assert_found("storage", "a");
	assert_str(str_of(ask((struct index_query){
			   .text = STR("storage folder"), .type = -1, .limit = 1})),
		   STR("b"));
	assert_str(str_of(ask((struct index_query){.text = STR("storage"),
						   .project = STR("nowhere"),
						   .type = -1,
						   .limit = 9})),
		   STR(""));
	/* the number by which the index knows a project is no word of its items */
	assert_found("1", "");
	assert_int_equal(index_elsewhere(ix, STR("storage"), STR("p"), 10, &hits, NULL),
			 0);
	assert_int_equal(hits, 2);
	assert_int_equal(index_elsewhere(ix, STR("storage"), STR("p"), 1, &hits, NULL),
			 0);
	assert_int_equal(hits, 1);
	assert_int_equal(
		index_elsewhere(ix, STR("storage"), STR("nowhere"), 10, &hits, NULL), 0);
	assert_int_equal(hits, 3);
}

static void
test_match__ties_go_to_the_newer_then_the_more_important_then_the_id(void **state)
{
	static const struct line l[] = {
		{.id = "old", .body = "tie", .importance = 5, .at = 1 * DAY},
		{.id = "new", .body = "tie", .importance = 1, .at = 3 * DAY},
		{.id = "mid-b", .body = "tie", .importance = 3, .at = 2 * DAY},
		{.id = "mid-a", .body = "tie", .importance = 3, .at = 2 * DAY},
		{.id = "mid-i", .body = "tie", .importance = 4, .at = 2 * DAY},
	};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%zu.md", i);
		put("p", name, &l[i], 1);
	}
	assert_found("tie", "new mid-i mid-a mid-b old");
}

static void test_match__what_stands_beside_counts(void **state)
{
	static const struct line note[] = {
		{.id = "q",
		 .body = "Which database holds the invoices?",
		 .importance = 3},
		{.id = "r", .body = "That one is Postgres.", .importance = 3},
		{.id = "x", .body = "Lunch.", .importance = 3},
		{.id = "y", .body = "Lunch again.", .importance = 3},
		{.id = "z", .body = "Postgres elsewhere.", .importance = 3},
	};
	static const struct line lone = {
		.id = "l", .body = "Postgres is loud.", .importance = 3};

	(void)state;
	put("p", "one.md", note, 5);
	put("p", "two.md", &lone, 1);
	assert_true(str_starts(str_of(found("postgres invoices")), STR("q r")) ||
		    str_starts(str_of(found("postgres invoices")), STR("r q")));
	/* one word beside it makes no hit of an item that has none */
	assert_found("invoices", "q");
	assert_found("lunch", "y x");
}

static void test_match__who_says_it_counts_more(void **state)
{
	(void)state;
	put_one("p", "ann", "Ann: the tests are slow");
	put_one("p", "bob", "Bob: Ann knows the tests are slow");
	assert_found("What did Ann say about slow tests?", "ann bob");
}

static void test_match__dates_and_types_are_words(void **state)
{
	static const struct line l[] = {
		{.id = "g",
		 .body = "Ship it",
		 .type = EVENT_GOAL,
		 .importance = 3,
		 .at = 20456 * DAY}, /* Saturday, 3 January 2026 */
		{.id = "d",
		 .body = "Ship nothing",
		 .type = EVENT_DEADEND,
		 .importance = 3,
		 .at = 20500 * DAY},
	};

	(void)state;
	put("p", "a.md", &l[0], 1);
	put("p", "b.md", &l[1], 1);
	assert_found("ship in january", "g d");
	assert_found("2026-01-03", "g d");
	assert_found("saturday", "g");
	assert_found("deadend ship", "d g");
}

static void test_match__retired_items_are_left_out_unless_asked_for(void **state)
{
	static const struct line l[] = {
		{.id = "old", .body = "storage is CSV", .importance = 3},
		{.id = "new",
		 .body = "storage is SQLite",
		 .supersedes = "old",
		 .importance = 3},
	};
	struct index_query q = {.text = STR("csv storage"),
				.project = STR("p"),
				.type = -1,
				.limit = 9,
				.retired_too = true};

	(void)state;
	put("p", "a.md", l, 2);
	assert_found("csv storage", "new");
	assert_str(str_of(ask(q)), STR("old new"));
}

static void test_match__filters_by_kind_type_and_time(void **state)
{
	static const struct line l[] = {
		{.id = "g",
		 .body = "one thing",
		 .type = EVENT_GOAL,
		 .importance = 3,
		 .at = DAY},
		{.id = "d",
		 .body = "one more",
		 .type = EVENT_DECISION,
		 .importance = 3,
		 .at = 2 * DAY},
	};
	static const struct line fact = {.id = "", .body = "one fact", .importance = 0};
	struct index_query q = {
		.text = STR("one"), .project = STR("p"), .type = -1, .limit = 9};

	(void)state;
	put("p", "a.md", l, 2);
	put_kind("p", VAULT_ENTITIES, "E.md", INDEX_FACT, &fact, 1);
	q.type = EVENT_GOAL;
	assert_str(str_of(ask(q)), STR("g"));
	q.type = -1;
	q.kinds = 1u << INDEX_EVENT;
	q.since_us = 2 * DAY;
	assert_str(str_of(ask(q)), STR("d"));
	q.since_us = 0;
	q.until_us = 2 * DAY;
	assert_str(str_of(ask(q)), STR("g"));
	q.until_us = 0;
	q.kinds = 1u << INDEX_FACT;
	assert_int_equal(stats.matched, 3);
	ask(q);
	q.kinds = 1u << INDEX_DOCUMENT;
	assert_str(str_of(ask(q)), STR(""));
}

/* Far more rows match than the second pass looks at, and those of the time asked for rank last. */
static void test_match__a_day_is_found_among_years_of_better_hits(void **state)
{
	enum { MANY = 21000 };
	struct line *l = calloc(MANY, sizeof(*l));
	char(*id)[16] = calloc(MANY, sizeof(*id));
	static const struct line day[] = {
		{.id = "x",
		 .body = "storage of something long that is about other things",
		 .type = EVENT_DECISION,
		 .importance = 1,
		 .at = 700 * DAY + 5},
		{.id = "none",
		 .body = "storage without a time",
		 .type = EVENT_DECISION,
		 .importance = 1}};
	struct index_query q = {.text = STR("storage file"),
				.project = STR("p"),
				.type = -1,
				.limit = 9,
				.since_us = 700 * DAY,
				.until_us = 701 * DAY};

	(void)state;
	assert_true(l && id);
	put("p", "s_0.md", day, 2);
	for (int i = 0; i < MANY; i++) {
		snprintf(id[i], sizeof(id[i]), "e%d", i);
		l[i] = (struct line){.id = id[i],
				     .body = "storage file",
				     .type = EVENT_DECISION,
				     .importance = 5,
				     .at = (i % 600 + 1) * DAY};
	}
	put("p", "s_1.md", l, MANY);
	assert_str(str_of(ask(q)), STR("x"));
	assert_int_equal(stats.matched, MANY + 2);
	q.since_us++;
	q.until_us = 700 * DAY + 5;
	assert_str(str_of(ask(q)), STR(""));
	q.until_us = 0;
	assert_str(str_of(ask(q)), STR("x"));
	free(l);
	free(id);
}

static void test_match__pages_join_without_a_gap(void **state)
{
	struct index_query q = {
		.text = STR("word other"), .project = STR("p"), .type = -1};
	struct buf all = BUF_INIT(1u << 20), parts = BUF_INIT(1u << 20);

	(void)state;
	for (int i = 0; i < 300; i++) {
		char id[16], body[64];

		snprintf(id, sizeof(id), "i%03d", i);
		snprintf(body, sizeof(body), "word %d%s", i, i % 7 ? "" : " other");
		put_one("p", id, body);
	}
	q.limit = 1000;
	buf_add(&all, str_of(ask(q)));
	assert_int_equal(stats.matched, 300);
	assert_int_equal(all.n, 300 * 5 - 1);
	for (q.limit = 17; q.offset < 300; q.offset += 17) {
		if (parts.n)
			buf_byte(&parts, ' ');
		buf_add(&parts, str_of(ask(q)));
	}
	assert_str(buf_str(&parts), buf_str(&all));
	q.offset = 300;
	assert_str(str_of(ask(q)), STR(""));
	buf_release(&all);
	buf_release(&parts);
}

static void test_match__past_the_work_limit_the_rare_words_lead(void **state)
{
	struct index_file f = {
		.folder = VAULT_SESSIONS, .project = STR("p"), .name = STR("n.md")};
	struct index_put p = {.kind = INDEX_EVENT, .importance = 3};
	struct index_query q = {.text = STR("common zebra crossing"),
				.type = -1,
				.limit = 1,
				.rows_max = 500};

	(void)state;
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(index_file_put(ix, &f, NULL), 0);
	for (int i = 0; i < 5000; i++) {
		char id[16];

		snprintf(id, sizeof(id), "i%04d", i);
		p.id = str_of(id);
		p.body = i == 3100 ? STR("common zebra crossing")
				   : STR("common crossing of words");
		assert_int_equal(index_item_put(ix, &f, &p, NULL), 0);
	}
	assert_int_equal(index_file_put(ix, &f, NULL), 0);
	assert_int_equal(index_commit(ix, NULL), 0);
	assert_str(str_of(ask(q)), STR("i3100"));
	assert_true(stats.cut);
	assert_int_equal(stats.matched, 1);
	q.rows_max = 0;
	assert_str(str_of(ask(q)), STR("i3100"));
	assert_false(stats.cut);
	assert_int_equal(stats.matched, 5000);
	/* a question of nothing else is answered all the same, from what is there within it */
	q.text = STR("common");
	q.rows_max = 500;
	assert_int_equal(str_of(ask(q)).n, 5);
	assert_true(stats.cut);
	assert_true(stats.matched >= 500 && stats.matched < 5000);
}

static void
test_match__a_word_of_every_row_leads_only_where_rare_ones_find_little(void **state)
{
	struct index_file f = {
		.folder = VAULT_SESSIONS, .project = STR("p"), .name = STR("n.md")};
	struct index_put p = {.kind = INDEX_EVENT, .importance = 3};
	struct index_query q = {
		.text = STR("item zebra"), .project = STR("p"), .type = -1, .limit = 1};

	(void)state;
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(index_file_put(ix, &f, NULL), 0);
	for (int i = 0; i < 4000; i++) {
		char id[16];

		snprintf(id, sizeof(id), "i%04d", i);
		p.id = str_of(id);
		p.body = i == 3100 ? STR("item zebra, a zebra of an item")
			 : i % 2   ? STR("item zebra beside a lantern")
				   : STR("item of words");
		assert_int_equal(index_item_put(ix, &f, &p, NULL), 0);
	}
	assert_int_equal(index_file_put(ix, &f, NULL), 0);
	assert_int_equal(index_commit(ix, NULL), 0);
	assert_str(str_of(ask(q)), STR("i3100"));
	assert_int_equal(stats.matched, 2001);
	assert_true(stats.cut);
	/* nothing else is asked for, or hardly anything else is found */
	q.text = STR("item");
	ask(q);
	assert_int_equal(stats.matched, 4000);
	assert_false(stats.cut);
	q.text = STR("item lantern nowhere");
	ask(q);
	assert_int_equal(stats.matched, 2000);
	q.text = STR("item nowhere");
	ask(q);
	assert_int_equal(stats.matched, 4000);
	assert_false(stats.cut);
}

static void test_match__what_has_the_name_whole_comes_first(void **state)
{
	static const struct {
		const char *name, *exact, *apart, *other;
	} T[] = {
		{"utf-8",
		 "A long line that tells at its end, after many words, of utf8 once.",
		 "utf 8 utf 8 utf", "utf utf utf"},
		{"C++",
		 "The parser of the old tool is in C++ and shall stay there for now.",
		 "C and C and C", "c c"},
		{"readConfigFile",
		 "Somebody has to look at read_config_file before that day.",
		 "read the config file, read config, read file", "config config"},
		{"src/date-parse.py",
		 "Two bugs are left, both of them in src/date-parse.py.",
		 "src date parse py, date parse", "src src"},
		{"v1.12",
		 "Of all that was ever released the best to start from is v1.12.",
		 "v1 12 v1 12", "12 12"},
	};
	char id[16], want[64];

	(void)state;
	for (size_t i = 0; i < sizeof(T) / sizeof(*T); i++) {
		char other[16], apart[16];

		snprintf(other, sizeof(other), "n%zu_1", i);
		snprintf(apart, sizeof(apart), "n%zu_2", i);
		snprintf(id, sizeof(id), "n%zu_3", i);
		put_one("p", other, T[i].other);
		put_one("p", apart, T[i].apart);
		put_one("p", id, T[i].exact);
		snprintf(want, sizeof(want), "%s ", id);
		assert_true(str_starts(str_of(found(T[i].name)), str_of(want)));
	}
	/* a name that nothing has: its parts are what can be found */
	assert_true(str_starts(str_of(found("config-src")), STR("n2_")));
}

static void test_match__what_stands_beside_a_name_is_no_hit(void **state)
{
	static const char *const name[] = {"SQLite", "utf-8", "C++", "readConfigFile"};
	const struct line l[] = {
		{.id = "a", .body = "Deploy on Mondays.", .type = EVENT_DECISION},
		{.id = "b", .body = "SQLite, utf-8, C++ and readConfigFile."},
		{.id = "c", .body = "Lorries are weighed twice."},
	};

	(void)state;
	put("p", "s_1.md", l, 3);
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		assert_found(name[i], "b");
	/* of a question with more in it what was said just before and after is told too */
	assert_found("what of SQLite and of utf-8", "b a c");
}

static void test_match__beside_other_words_the_parts_of_a_name_say_less(void **state)
{
	(void)state;
	put_one("p", "a", "The utf tables have 8 rows, so decoding is short.");
	put_one("p", "b",
		"Decoding needs no tables, for all that it reads is UTF-8 here.");
	put_one("p", "c", "Nothing of any of it.");
	assert_found("utf-8 decoding", "b a");
	assert_found("how is `utf-8` decoding done", "b a");
}

static void test_match__more_names_than_are_read_stand_before_their_parts(void **state)
{
	char id[16];
	str ids;

	(void)state;
	for (int i = 0; i < 150; i++) {
		snprintf(id, sizeof(id), "%c%03d", i % 2 ? 'x' : 'y', i);
		put_one("p", id, i % 2 ? "the utf-8 file" : "utf 8 utf 8 utf 8");
	}
	ids = str_of(ask((struct index_query){
		.text = STR("utf-8"), .project = STR("p"), .type = -1, .limit = 150}));
	for (int i = 0; i < 150; i++) {
		str one;

		assert_true(str_word(&ids, &one));
		assert_int_equal(one.p[0], i < 75 ? 'x' : 'y');
	}
}

static void test_match__of_a_long_question_the_rare_words_count(void **state)
{
	struct buf q = BUF_INIT(1u << 20);
	char id[16];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(id, sizeof(id), "ev_%02d", i);
		put_one("p", id,
			"alpha bravo charlie delta echo foxtrot golf hotel india juliet "
			"kilo lima mike november oscar papa quebec romeo sierra tango");
	}
	put_one("p", "ev_x", "The zanzibar crate.");
	put_one("q", "ev_y", "xylophone of another project");
	/* 20 words of all rows, 20,000 of none, one of another project, then the one that tells */
	buf_add(&q, STR("alpha bravo charlie delta echo foxtrot golf hotel india juliet "
			"kilo lima mike november oscar papa quebec romeo sierra tango "));
	for (int i = 0; i < 3000; i++)
		buf_printf(&q, "nowhere%d ", i);
	buf_add(&q, STR("xylophone zanzibar"));
	assert_true(str_starts(str_of(found(buf_cstr(&q))), STR("ev_x ev_")));
	assert_int_equal(stats.asked, 3022);
	assert_int_equal(stats.used, 21);
	assert_int_equal(stats.matched, 41);
	buf_release(&q);
}

static void test_match__an_id_names_its_event(void **state)
{
	static const struct line two[] = {
		{"ev_1234abcd", "The first.", "", EVENT_DECISION, 3, DAY},
		{"ev_5678abcd", "The second.", "ev_1234abcd", EVENT_GOAL, 3, 2 * DAY},
	};
	size_t elsewhere;

	(void)state;
	put("p", "s_1.md", two, 2);
	put_one("p", "ev_00000001", "See ev_1234abcd for why.");
	put_one("q", "ev_00000002", "Another project.");
	/* also a retired one; what mentions it comes behind it */
	assert_found("ev_1234abcd", "ev_1234abcd ev_00000001");
	assert_found("What is (ev_5678abcd)?", "ev_5678abcd ev_00000001");
	assert_found("ev_5678", "ev_5678abcd ev_00000001");
	assert_found("ev_", "ev_00000001");
	assert_found("ev_5678abcd first", "ev_5678abcd ev_00000001");
	assert_found("ev_9999abcd", "ev_00000001"); /* of the words ev and 9999abcd */
	/* another filter than that holds */
	assert_found("ev_00000002", "ev_00000001");
	assert_int_equal(
		index_elsewhere(ix, STR("ev_00000002"), STR("p"), 9, &elsewhere, NULL),
		0);
	assert_int_equal(elsewhere, 1);
	assert_str(str_of(ask((struct index_query){.text = STR("ev_5678abcd"),
						   .project = STR("p"),
						   .type = EVENT_FILE,
						   .limit = 9})),
		   STR(""));
	/* and pages join */
	assert_str(str_of(ask((struct index_query){.text = STR("ev_1234abcd"),
						   .project = STR("p"),
						   .type = -1,
						   .offset = 1,
						   .limit = 9})),
		   STR("ev_00000001"));
}

static void test_match__symbols_are_found(void **state)
{
	(void)state;
	put_one("p", "a", "Shipped \xF0\x9F\x9A\x80 at last");
	put_one("p", "b", "Shipped at last");
	assert_found("\xF0\x9F\x9A\x80", "a");
	assert_found("shipped \xF0\x9F\x9A\x80", "a b");
	assert_found("\xF0\x9F\x98\x80", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_match__any_word_will_do_and_more_words_are_better),
		T(test_match__query_text_is_never_syntax),
		T(test_match__east_asian_text_by_part),
		T(test_match__stop_words_alone_match_only_where_they_may),
		T(test_match__a_project_keeps_to_itself),
		T(test_match__ties_go_to_the_newer_then_the_more_important_then_the_id),
		T(test_match__what_stands_beside_counts),
		T(test_match__who_says_it_counts_more),
		T(test_match__dates_and_types_are_words),
		T(test_match__retired_items_are_left_out_unless_asked_for),
		T(test_match__filters_by_kind_type_and_time),
		T(test_match__a_day_is_found_among_years_of_better_hits),
		T(test_match__pages_join_without_a_gap),
		T(test_match__past_the_work_limit_the_rare_words_lead),
		T(test_match__what_has_the_name_whole_comes_first),
		T(test_match__what_stands_beside_a_name_is_no_hit),
		T(test_match__beside_other_words_the_parts_of_a_name_say_less),
		T(test_match__more_names_than_are_read_stand_before_their_parts),
		T(test_match__of_a_long_question_the_rare_words_count),
		T(test_match__an_id_names_its_event),
		T(test_match__symbols_are_found),
		T(test_match__a_word_of_every_row_leads_only_where_rare_ones_find_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
