#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "work/supersede.h"

static struct vault vault;
static struct index *ix;
static struct index_file file;

static int setup(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	if (vault_open(&vault, test_path("vault"), &e) || index_open(&ix, &vault, 50, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	index_free(ix);
	vault_release(&vault);
	return 0;
}

static void put(const char *project, enum event_type type, const char *id,
		const char *body, const char *supersedes)
{
	struct err e = ERR_INIT;

	file = (struct index_file){.folder = VAULT_SESSIONS,
				   .project = str_of(project),
				   .name = str_of(id),
				   .session = STR("s_1")};
	if (index_begin(ix, &e) || index_file_put(ix, &file, &e) ||
	    index_item_put(ix, &file,
			   &(struct index_put){.kind = INDEX_EVENT,
					       .type = type,
					       .importance = 3,
					       .id = str_of(id),
					       .body = str_of(body),
					       .supersedes = str_of(supersedes)},
			   &e) ||
	    index_file_put(ix, &file, &e) || index_commit(ix, &e))
		fail_msg("%s", e.msg);
}

static int take(const struct index_item *it, void *arg)
{
	buf_printf(arg, "%.*s;", STR_ARG(it->id));
	return 0;
}

/* What the query would retire in project p. */
static const char *match_of(enum event_type type, const char *query)
{
	static struct buf b;
	struct err e = ERR_INIT;

	buf_release(&b);
	b = (struct buf)BUF_INIT(1 << 12);
	if (supersede_match(ix, STR("p"), type, str_of(query), take, &b, &e))
		fail_msg("%s", e.msg);
	return buf_cstr(&b);
}

#define match(q) match_of(EVENT_DECISION, q)

static void test_supersede__takes_the_best_match_alone(void **state)
{
	(void)state;
	put("p", EVENT_DECISION, "ev_1", "Keep readings in CSV files.", "");
	put("p", EVENT_DECISION, "ev_2", "Print readings as a table.", "");
	assert_string_equal(match("csv readings"), "ev_1;");
	assert_string_equal(match("where to keep the readings: csv"), "ev_1;");
	assert_string_equal(match("kafka"), "");
	assert_string_equal(match(""), "");
	assert_string_equal(match("\"*( OR"), "");
}

static void test_supersede__stays_in_the_project_and_the_type(void **state)
{
	(void)state;
	put("p", EVENT_GOAL, "ev_1", "Readings in CSV.", "");
	put("q", EVENT_DECISION, "ev_2", "Readings in CSV.", "");
	assert_string_equal(match("readings csv"), "");
	assert_string_equal(match_of(EVENT_GOAL, "readings csv"), "ev_1;");
}

static void test_supersede__walks_past_what_is_retired_however_much_there_is(void **state)
{
	char id[32];

	(void)state;
	put("p", EVENT_DECISION, "ev_old",
	    "Storage: sqlite is fine for the storage of other things that are long", "");
	for (int i = 0; i < 30; i++) {
		char newer[32];

		snprintf(id, sizeof id, "ev_r%d", i);
		snprintf(newer, sizeof newer, "ev_n%d", i);
		put("p", EVENT_DECISION, id, "storage sqlite", "");
		put("p", EVENT_QUESTION, newer, "storage sqlite", id);
	}
	assert_string_equal(match("storage sqlite"), "ev_old;");
}

static void test_supersede__words_that_say_nothing_retire_nothing(void **state)
{
	static const char *const NOTHING[] = {"the", "what was the thing for",
					      "we should not have this", "it is at",
					      "the new one is with all of the other"};

	(void)state;
	put("p", EVENT_DECISION, "ev_1",
	    "This is the way we have it at what was not for the other.", "");
	for (size_t i = 0; i < sizeof NOTHING / sizeof *NOTHING; i++)
		assert_string_equal(match(NOTHING[i]), "");
}

/* Whole sentences of what is said without saying anything, and a decision with all of it. */
static void
test_supersede__words_that_say_nothing_in_other_languages_retire_nothing(void **state)
{
	static const char *const NOTHING[][2] = {
		{"Wir nehmen die SQLite und nicht die andere, mit dem, was war",
		 "die und"},
		{"Wir nehmen die SQLite und nicht die andere, mit dem, was war",
		 "wir mit dem, was war"},
		{"On garde les fichiers dans le dossier pour plus tard", "dans les"},
		{"On garde les fichiers dans le dossier pour plus tard", "pour le plus"},
		{"Guardamos los datos en un archivo con todas las filas",
		 "con todas las"},
		{"Teniamo i dati nel file, come sempre, con la copia",
		 "come sempre nel, con la"},
		{"Guardamos os dados num ficheiro com mais uma copia", "os mais com uma"},
		{"We bewaren het met een kopie van die lijst", "met een van die"},
		{"\u043c\u044b \u0445\u0440\u0430\u043d\u0438\u043c \u044d\u0442\u043e \u0432 "
		 "\u0431\u0430\u0437\u0435, \u0442\u0430\u043a\u043e\u0439 \u043d\u0430\u0448 "
		 "\u043f\u043b\u0430\u043d",
		 "\u043c\u044b \u044d\u0442\u043e, \u0442\u0430\u043a\u043e\u0439 \u043d\u0430\u0448"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof NOTHING / sizeof *NOTHING; i++) {
		char id[16];

		snprintf(id, sizeof id, "ev_%zu", i);
		put("p", EVENT_DECISION, id, NOTHING[i][0], "");
		assert_string_equal(match(NOTHING[i][1]), "");
	}
	assert_string_equal(match("die SQLite und"), "ev_1;");
	assert_string_equal(match("les dossiers"), "ev_3;");
	assert_string_equal(match("\u0431\u0430\u0437\u0435"), "ev_8;");
}

static void
test_supersede__one_word_of_many_is_not_enough_unless_it_is_a_name(void **state)
{
	(void)state;
	put("p", EVENT_DECISION, "ev_1", "Deploy by hand on fridays, on v1.2.", "");
	assert_string_equal(match("deploy queue broker workers"), "");
	assert_string_equal(match("deploy fridays broker workers"), "ev_1;");
	assert_string_equal(match("queue broker workers v1.2"), "ev_1;");
	assert_string_equal(match("deploy"), "ev_1;");
	/* shared by accident of a stop word: still one word */
	assert_string_equal(match("by the queue, on the broker, deploy workers"), "");
}

/* n decisions of one note, all with this text. */
static void put_many(const char *project, const char *name, const char *body, int n)
{
	struct err e = ERR_INIT;
	int ret;

	file = (struct index_file){.folder = VAULT_SESSIONS,
				   .project = str_of(project),
				   .name = str_of(name)};
	ret = index_begin(ix, &e);
	if (!ret)
		ret = index_file_put(ix, &file, &e);
	for (int i = 0; i < n && !ret; i++) {
		char id[64];

		snprintf(id, sizeof id, "ev_%s_%d", name, i);
		ret = index_item_put(ix, &file,
				     &(struct index_put){.kind = INDEX_EVENT,
							 .type = EVENT_DECISION,
							 .importance = 3,
							 .id = str_of(id),
							 .body = str_of(body)},
				     &e);
	}
	if (!ret)
		ret = index_file_put(ix, &file, &e);
	if (!ret)
		ret = index_commit(ix, &e);
	if (ret)
		fail_msg("%s", e.msg);
}

static void test_supersede__finds_the_old_one_among_many_with_common_words(void **state)
{
	(void)state;
	put("p", EVENT_DECISION, "ev_old", "Keep the storage of readings in sqlite.", "");
	put_many("p", "a", "the storage is elsewhere", 1500);
	put_many("p", "b", "sqlite is elsewhere", 1500);
	assert_string_equal(match("storage sqlite"), "ev_old;");
	assert_string_equal(match("sqlite readings"), "ev_old;");
	/* of those with the same words the shorter one is about them, then the newer one */
	assert_string_equal(match("storage"), "ev_a_1499;");
}

static void test_supersede__others_that_say_the_same_hide_nothing(void **state)
{
	(void)state;
	put("p", EVENT_DECISION, "ev_old", "Keep the storage in sqlite.", "");
	put_many("q", "a", "storage sqlite", 1500);
	assert_string_equal(match("storage"), "ev_old;");
	assert_string_equal(match("storage sqlite"), "ev_old;");
	assert_string_equal(match_of(EVENT_NEXT_STEP, "storage"), "");
	put("p", EVENT_NEXT_STEP, "ev_step", "Look at the storage.", "");
	assert_string_equal(match_of(EVENT_NEXT_STEP, "storage"), "ev_step;");
	put_many("q", "b", "storage sqlite", 1500);
	assert_string_equal(match_of(EVENT_NEXT_STEP, "storage"), "ev_step;");
}

static void test_supersede__prefers_the_text_that_is_about_little_else(void **state)
{
	(void)state;
	put("p", EVENT_DECISION, "ev_1", "Keep readings in CSV.", "");
	put("p", EVENT_DECISION, "ev_2",
	    "The report has columns for the names, the dates, the readings, the totals, "
	    "and a button with which somebody exports all of that as CSV.",
	    "");
	assert_string_equal(match("csv readings"), "ev_1;");
	put("p", EVENT_DECISION, "ev_3", "Keep readings in CSV.", "");
	assert_string_equal(match("csv readings"), "ev_3;");
}

static void test_supersede__a_long_query_is_cut_and_answers(void **state)
{
	struct buf q = BUF_INIT(1 << 20);

	(void)state;
	put("p", EVENT_DECISION, "ev_1", "word1 word2", "");
	for (int i = 1; i < 5000; i++)
		buf_printf(&q, "word%d ", i);
	assert_string_equal(match(buf_cstr(&q)), "ev_1;");
	buf_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_supersede__takes_the_best_match_alone),
		T(test_supersede__stays_in_the_project_and_the_type),
		T(test_supersede__walks_past_what_is_retired_however_much_there_is),
		T(test_supersede__words_that_say_nothing_retire_nothing),
		T(test_supersede__words_that_say_nothing_in_other_languages_retire_nothing),
		T(test_supersede__one_word_of_many_is_not_enough_unless_it_is_a_name),
		T(test_supersede__finds_the_old_one_among_many_with_common_words),
		T(test_supersede__others_that_say_the_same_hide_nothing),
		T(test_supersede__prefers_the_text_that_is_about_little_else),
		T(test_supersede__a_long_query_is_cut_and_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
