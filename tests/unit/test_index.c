#include "fault.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "data/index_impl.h"

static struct vault vault;

static struct index *open_index(void)
{
	struct index *ix;
	struct err e = ERR_INIT;

	if (index_open(&ix, &vault, 50, &e))
		fail_msg("%s", e.msg);
	return ix;
}

static struct index *fresh(void)
{
	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
	return open_index();
}

static void finish(struct index *ix)
{
	index_free(ix);
	vault_release(&vault);
}

struct line {
	const char *id, *supersedes, *body;
	enum event_type type;
	int importance;
	int64_t at;
};

/* Write one session note of the project; n lines. */
static void put_in(struct index *ix, enum vault_folder folder, const char *project,
		   const char *name, const struct line *line, size_t n)
{
	struct index_file f;
	struct buf texts = BUF_INIT(4096);
	struct err e = ERR_INIT;
	int ret = index_begin(ix, &e);

	if (!ret)
		ret = index_file_find(ix, folder, str_of(project), str_of(name), &f,
				      &texts, &e);
	if (!ret && f.id)
		ret = index_file_clear(ix, f.id, &e);
	f.items = 0;
	f.session = str_of(name);
	if (!ret)
		ret = index_file_put(ix, &f, &e);
	for (size_t i = 0; i < n && !ret; i++)
		ret = index_item_put(
			ix, &f,
			&(struct index_put){.type = line[i].type,
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
	buf_release(&texts);
}

static void put(struct index *ix, const char *name, const struct line *line, size_t n)
{
	put_in(ix, VAULT_SESSIONS, "p", name, line, n);
}

static void drop(struct index *ix, const char *name)
{
	struct index_file f;
	struct buf texts = BUF_INIT(4096);

	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(index_file_find(ix, VAULT_SESSIONS, STR("p"), str_of(name), &f,
					 &texts, NULL),
			 0);
	assert_true(f.id != 0);
	assert_int_equal(index_file_drop(ix, f.id, NULL), 0);
	assert_int_equal(index_commit(ix, NULL), 0);
	buf_release(&texts);
}

static int add_id(const struct index_item *it, void *arg)
{
	buf_printf(arg, "%.*s ", STR_ARG(it->id));
	return 0;
}

static int add_str(str s, void *arg)
{
	buf_printf(arg, "%.*s ", STR_ARG(s));
	return 0;
}

/* Active decisions of a project; the counts must agree. */
static const char *active(struct index *ix, const char *project)
{
	static struct buf b;
	size_t n[EVENT_TYPES], blanks = 0;

	buf_release(&b);
	b = (struct buf)BUF_INIT(1 << 20);
	assert_int_equal(
		index_active(ix, str_of(project), EVENT_DECISION, add_id, &b, NULL), 0);
	assert_int_equal(index_counts(ix, str_of(project), n, NULL), 0);
	for (size_t i = 0; i < b.n; i++)
		blanks += b.p[i] == ' ';
	assert_int_equal(blanks, n[EVENT_DECISION]);
	return buf_cstr(&b);
}

#define D(id, old, at)                                                                   \
	{                                                                                \
		id, old, "text of " id, EVENT_DECISION, 3, at                            \
	}

static void test_index__active_events_in_the_briefs_order(void **state)
{
	static const struct line a[] = {{"e1", "", "one", EVENT_DECISION, 3, 10},
					{"e2", "", "two", EVENT_DECISION, 5, 5},
					{"e3", "", "three", EVENT_DECISION, 3, 20},
					{"e4", "", "four", EVENT_GOAL, 3, 20}};
	static const struct line b[] = {{"e0", "", "tie", EVENT_DECISION, 3, 20}};
	struct index *ix = fresh();
	size_t n[EVENT_TYPES];

	(void)state;
	assert_string_equal(active(ix, "p"), "");
	put(ix, "a.md", a, 4);
	put(ix, "b.md", b, 1);
	assert_string_equal(active(ix, "p"), "e2 e0 e3 e1 ");
	assert_int_equal(index_counts(ix, STR("p"), n, NULL), 0);
	assert_int_equal(n[EVENT_GOAL], 1);
	assert_string_equal(active(ix, "q"), "");
	finish(ix);
}

static void test_index__the_newer_event_retires_the_older_and_gives_it_back(void **state)
{
	static const struct line a[] = {D("a", "", 1)}, b[] = {D("b", "a", 2)},
				 c[] = {D("c", "b,c", 3)};
	struct index *ix = fresh();

	(void)state;
	put(ix, "b.md", b, 1); /* the edge is there before its end is */
	put(ix, "a.md", a, 1);
	assert_string_equal(active(ix, "p"), "b ");
	put(ix, "c.md", c, 1); /* itself does not count */
	assert_string_equal(active(ix, "p"), "c ");
	drop(ix, "b.md"); /* c names b, nobody a */
	assert_string_equal(active(ix, "p"), "c a ");
	put(ix, "b.md", b, 1);
	assert_string_equal(active(ix, "p"), "c ");
	drop(ix, "c.md");
	assert_string_equal(active(ix, "p"), "b ");
	finish(ix);
}

static void test_index__a_pair_retires_both_and_projects_do_not_matter(void **state)
{
	static const struct line a[] = {D("a", "b", 1), D("b", "a", 2), D("x", "", 3)};
	static const struct line y[] = {D("y", "x", 4)};
	struct index *ix = fresh();
	struct buf b = BUF_INIT(256);

	(void)state;
	put(ix, "a.md", a, 3);
	assert_string_equal(active(ix, "p"), "x ");
	put_in(ix, VAULT_SESSIONS, "q", "y.md", y, 1);
	assert_string_equal(active(ix, "p"), "");
	assert_string_equal(active(ix, "q"), "y ");
	assert_int_equal(index_retired_by(ix, STR("x"), add_str, &b, NULL), 0);
	assert_int_equal(index_retires(ix, STR("a"), add_str, &b, NULL), 0);
	assert_string_equal(buf_cstr(&b), "y b ");
	buf_release(&b);
	finish(ix);
}

static void test_index__archived_events_are_not_active_and_their_edges_count(void **state)
{
	static const struct line a[] = {D("a", "", 1)}, b[] = {D("b", "a", 2)};
	struct index *ix = fresh();

	(void)state;
	put(ix, "a.md", a, 1);
	put_in(ix, VAULT_ARCHIVE, "p", "b.md", b, 1);
	assert_string_equal(active(ix, "p"), "");
	finish(ix);
}

static int note_file(const struct index_item *it, enum vault_folder folder, str file,
		     void *arg)
{
	(void)folder;
	buf_printf(arg, "%.*s:%.*s ", STR_ARG(file), STR_ARG(it->body));
	return 0;
}

static const char *found(struct index *ix, const char *id, int want)
{
	static struct buf b;

	buf_release(&b);
	b = (struct buf)BUF_INIT(4096);
	assert_int_equal(index_event(ix, str_of(id), note_file, &b, NULL), want);
	return buf_cstr(&b);
}

static void test_index__a_line_in_two_files_is_shown_once(void **state)
{
	static const struct line a[] = {D("a", "", 1), D("b", "", 2)};
	static const struct line other[] = {
		{"a", "", "another text", EVENT_DECISION, 3, 1}};
	struct index *ix = fresh();

	(void)state;
	put(ix, "s (conflicted copy).md", a, 2);
	put(ix, "s.md", a, 2);
	assert_string_equal(active(ix, "p"), "b a ");
	assert_string_equal(found(ix, "a", 0), "s (conflicted copy).md:text of a ");
	drop(ix, "s (conflicted copy).md");
	assert_string_equal(active(ix, "p"), "b a ");
	assert_string_equal(found(ix, "a", 0), "s.md:text of a ");
	/* the same id with another text is another event */
	put(ix, "a.md", other, 1);
	assert_string_equal(active(ix, "p"), "b a a ");
	assert_string_equal(found(ix, "a", 0), "a.md:another text ");
	put_in(ix, VAULT_SESSIONS, "q", "s.md", a, 2);
	assert_string_equal(active(ix, "q"), "b a ");
	finish(ix);
}

static void test_index__an_event_by_the_beginning_of_its_id(void **state)
{
	static const struct line a[] = {D("ev_12", "", 1), D("ev_123", "", 2),
					D("ev_2", "", 3)};
	struct index *ix = fresh();

	(void)state;
	put(ix, "a.md", a, 3);
	assert_string_equal(found(ix, "ev_2", 0), "a.md:text of ev_2 ");
	assert_string_equal(found(ix, "ev_123", 0), "a.md:text of ev_123 ");
	assert_string_equal(found(ix, "ev_12", 0), "a.md:text of ev_12 ");
	found(ix, "ev_1", HF_EAMBIGUOUS);
	found(ix, "ev_", HF_EAMBIGUOUS);
	found(ix, "ev_3", HF_ENOTFOUND);
	found(ix, "", HF_ENOTFOUND);
	finish(ix);
}

static void test_index__a_transaction_is_seen_whole_or_not_at_all(void **state)
{
	static const struct line a[] = {D("a", "", 1), D("b", "", 2)},
				 c[] = {D("c", "", 3)};
	struct index *ix = fresh(), *other = open_index();
	struct index_file f;
	struct buf texts = BUF_INIT(4096);

	(void)state;
	put(ix, "a.md", a, 2);
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(index_file_find(ix, VAULT_SESSIONS, STR("p"), STR("a.md"), &f,
					 &texts, NULL),
			 0);
	assert_int_equal(index_file_clear(ix, f.id, NULL), 0);
	assert_string_equal(active(other, "p"), "b a "); /* and does not wait */
	assert_int_equal(index_begin(other, NULL), HF_ETIME);
	index_rollback(ix);
	assert_string_equal(active(ix, "p"), "b a ");
	assert_int_equal(index_snapshot(other, NULL), 0);
	put(ix, "a.md", c, 1);
	assert_string_equal(active(other, "p"), "b a ");
	index_rollback(other);
	assert_string_equal(active(other, "p"), "c ");
	buf_release(&texts);
	index_free(other);
	finish(ix);
}

static void test_index__who_asks_much_sees_one_state_and_ends_only_its_own(void **state)
{
	static const struct line a[] = {D("a", "", 1)}, c[] = {D("c", "", 3)};
	struct index *ix = fresh(), *other = open_index();
	bool outer, inner;

	(void)state;
	put(ix, "a.md", a, 1);
	assert_int_equal(index_hold(other, &outer, NULL), 0);
	assert_true(outer);
	assert_int_equal(index_hold(other, &inner, NULL), 0);
	assert_false(inner);
	index_let_go(other, inner);
	put(ix, "c.md", c, 1);
	assert_string_equal(active(other, "p"), "a ");
	index_let_go(other, outer);
	assert_string_equal(active(other, "p"), "c a ");
	/* who writes goes on writing */
	assert_int_equal(index_begin(other, NULL), 0);
	assert_int_equal(index_hold(other, &inner, NULL), 0);
	assert_false(inner);
	index_let_go(other, inner);
	assert_int_equal(index_begin(ix, NULL), HF_ETIME);
	index_rollback(other);
	index_free(other);
	finish(ix);
}

static int no_file(const struct index_file *f, void *arg)
{
	(void)f;
	(void)arg;
	return 0;
}

static int no_entity(str name, str summary, size_t facts, void *arg)
{
	(void)name;
	(void)summary;
	(void)facts;
	(void)arg;
	return 0;
}

static void test_index__no_statement_is_prepared_again(void **state)
{
	static const struct line a[] = {D("a", "", 1), D("b", "a", 2)};
	struct index *ix = fresh();
	struct buf texts = BUF_INIT(4096);
	size_t counts[EVENT_TYPES];

	(void)state;
	for (int i = 0; i < 3; i++) {
		char name[32];
		struct index_file f;
		int64_t us;

		snprintf(name, sizeof(name), "s_2026010%d.md", i + 1);
		put(ix, name, a, 2);
		buf_reset(&texts);
		index_file_find(ix, VAULT_SESSIONS, STR("p"), str_of(name), &f, &texts,
				NULL);
		index_last_session(ix, STR("p"), STR_NONE, &us, NULL, NULL);
		index_session_counts(ix, STR("p"), STR("s_"), counts, NULL);
		index_counts(ix, STR("p"), counts, NULL);
		index_entity_summary(ix, STR("p"), str_of(name), &texts, NULL);
		index_folder_time(ix, VAULT_SESSIONS, STR("p"), &us, NULL);
		active(ix, "p");
		index_file_each(ix, VAULT_SESSIONS, STR("p"), no_file, NULL, NULL);
		index_entities(ix, STR("p"), no_entity, NULL, NULL);
	}
	assert_true(ix->nstmts > 10);
	for (int i = 0; i < ix->nstmts; i++)
		if (sqlite3_stmt_status(ix->stmt[i].st, SQLITE_STMTSTATUS_REPREPARE, 0))
			fail_msg("%s", ix->stmt[i].sql);
	buf_release(&texts);
	finish(ix);
}

/* Run one statement on the file with a connection of its own. */
static int test_sql(const char *path, const char *sql)
{
	sqlite3 *db;
	int rc = sqlite3_open(path, &db);

	if (!rc)
		rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	return rc;
}

static void overwrite(const char *path, off_t at, size_t n)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pwrite(fd, "\xa5", 1, at + (off_t)i), 1);
	close(fd);
}

static void test_index__a_file_that_is_no_index_is_made_anew(void **state)
{
	static const char *const spoilt[] = {
		"DROP TABLE edge", "ALTER TABLE item ADD COLUMN newer",
		"DROP INDEX item_rank", "CREATE TABLE extra(x)",
		"UPDATE meta SET value = '0' WHERE key = 'rules'",
		/* not DROP: another program does not know the tokenizer */
		"PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE name = 'words'"};
	static const struct line a[] = {D("a", "", 1)};
	struct index *ix = fresh();
	char *path = str_dup(str_of(index_path(ix)));

	(void)state;
	assert_true(strstr(path, "handoff/") != NULL);
	for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
		put(ix, "a.md", a, 1);
		index_free(ix);
		ix = open_index();
		assert_string_equal(active(ix, "p"), "a ");
		index_free(ix);
		assert_int_equal(test_sql(path, spoilt[i]), 0);
		ix = open_index();
		assert_string_equal(active(ix, "p"), "");
	}
	index_free(ix);
	test_write(path,
		   STR("this is not a database, though it is long enough to be one"));
	ix = open_index();
	put(ix, "a.md", a, 1);
	index_free(ix);
	assert_int_equal(truncate(path, 0), 0);
	ix = open_index();
	assert_string_equal(active(ix, "p"), "");
	assert_false(index_complete(ix));
	free(path);
	finish(ix);
}

static int ignore_item(const struct index_item *it, void *arg)
{
	*(size_t *)arg += it->body.n;
	return 0;
}

/* Ask and write; a failure other than "damaged" fails the test. */
static bool works(struct index *ix)
{
	static const struct line x[] = {D("x", "a", 9)};
	struct index_file f;
	struct buf texts = BUF_INIT(4096);
	size_t bytes = 0;
	int ret = index_active(ix, STR("p"), EVENT_DECISION, ignore_item, &bytes, NULL);

	if (!ret)
		ret = index_begin(ix, NULL);
	if (!ret)
		ret = index_file_find(ix, VAULT_SESSIONS, STR("p"), STR("a.md"), &f,
				      &texts, NULL);
	if (!ret && f.id)
		ret = index_file_clear(ix, f.id, NULL);
	if (!ret)
		ret = index_file_put(ix, &f, NULL);
	if (!ret)
		ret = index_item_put(ix, &f,
				     &(struct index_put){.type = EVENT_DECISION,
							 .importance = 1,
							 .id = str_of(x->id),
							 .body = str_of(x->body),
							 .supersedes = STR("a")},
				     NULL);
	if (!ret)
		ret = index_commit(ix, NULL);
	else
		index_rollback(ix);
	buf_release(&texts);
	if (ret && ret != HF_EFORMAT)
		fail_msg("%d", ret);
	assert_int_equal(index_damaged(ix), ret == HF_EFORMAT);
	return !ret;
}

static void test_index__damage_anywhere_is_met_by_making_it_anew(void **state)
{
	struct index *ix = fresh();
	char *path = str_dup(str_of(index_path(ix)));
	struct line *many = calloc(300, sizeof *many);
	static const struct line a[] = {D("a", "", 1)};
	static char id[300][8];
	size_t met = 0;
	str whole;

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		snprintf(id[i], sizeof id[i], "e%zu", i);
		many[i] = (struct line){id[i],
					i % 3 ? "" : "e7,e8",
					"words of a decision",
					EVENT_DECISION,
					3,
					(int64_t)i};
	}
	put(ix, "a.md", many, 300);
	put(ix, "b.md", a, 1);
	index_free(ix);
	assert_int_equal(test_sql(path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	whole = test_read(path);
	for (size_t page = 0; page < whole.n / 4096; page++) {
		test_write(path, whole);
		overwrite(path, (off_t)(page * 4096 + page % 3 * 1000), 600);
		ix = open_index();
		if (!works(ix)) {
			met++;
			assert_int_equal(index_renew(ix, NULL), 0);
			assert_true(works(ix));
			assert_string_equal(active(ix, "p"), "x ");
		}
		index_free(ix);
	}
	assert_true(met > 0);
	free(path);
	free(many);
	vault_release(&vault);
}

static void test_index__all_follow_when_one_makes_it_anew(void **state)
{
	static const struct line a[] = {D("a", "", 1)}, b[] = {D("b", "", 1)};
	struct index *ix = fresh(), *other = open_index();

	(void)state;
	put(ix, "a.md", a, 1);
	assert_string_equal(active(other, "p"), "a ");
	assert_int_equal(index_renew(ix, NULL), 0);
	assert_string_equal(active(ix, "p"), "");
	assert_int_equal(index_follow(other, NULL), 0);
	put(other, "b.md", b, 1);
	assert_string_equal(active(ix, "p"), "b ");
	assert_int_equal(index_follow(ix, NULL), 0);
	assert_string_equal(active(ix, "p"), "b ");
	index_free(other);
	put(ix, "a.md", a, 1); /* the other's end took nothing away */
	other = open_index();
	assert_string_equal(active(other, "p"), "a b ");
	index_free(other);
	finish(ix);
}

static void test_index__without_a_cache_it_lies_in_the_vault(void **state)
{
	static const struct line a[] = {D("a", "", 1)};
	struct index *ix = fresh();

	(void)state;
	index_free(ix);
	test_write("no-folder", STR(""));
	setenv("XDG_CACHE_HOME", test_path("no-folder"), 1);
	ix = open_index(); /* nor a vault */
	assert_string_equal(index_path(ix), "");
	assert_non_null(strstr(index_homeless(ix), "/no-folder/"));
	put(ix, "a.md", a, 1);
	assert_string_equal(active(ix, "p"), "a ");
	assert_int_equal(index_follow(ix, NULL), 0);
	assert_string_equal(active(ix, "p"), "a ");
	assert_int_equal(index_renew(ix, NULL), 0);
	assert_string_equal(active(ix, "p"), "");
	index_free(ix);
	assert_int_equal(fs_mkdirs(test_path("vault"), 0700, NULL), 0);
	ix = open_index();
	assert_true(str_ends(str_of(index_path(ix)), STR("/vault/.index.db.handoff.db")));
	assert_null(index_homeless(ix));
	put(ix, "a.md", a, 1);
	finish(ix);
}

static void test_index__what_was_removed_under_it_is_begun_again(void **state)
{
	static const struct line a[] = {D("a", "", 1)};
	static const char *const gone[] = {"", "-wal", "folder"};
	struct index *ix = fresh(), *other;
	char *path = str_dup(str_of(index_path(ix)));
	struct buf b = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
		unsigned before;

		assert_int_equal(index_follow(ix, NULL), 0);
		put(ix, "a.md", a, 1);
		assert_int_equal(index_follow(ix, NULL), 0);
		before = index_opened(ix);
		buf_reset(&b);
		buf_printf(&b, "%s%s", path, gone[i]);
		if (strcmp(gone[i], "folder") != 0) {
			assert_int_equal(unlink(buf_cstr(&b)), 0);
		} else {
			*strrchr(path, '/') = 0;
			assert_int_equal(rename(path, test_path("aside")), 0);
		}
		assert_int_equal(index_follow(ix, NULL), 0);
		assert_true(index_opened(ix) > before);
		assert_string_equal(active(ix, "p"), "");
		put(ix, "a.md", a, 1);
		other = open_index(); /* it is no file of this process alone */
		assert_string_equal(active(other, "p"), "a ");
		index_free(other);
	}
	buf_release(&b);
	free(path);
	finish(ix);
}

/* What this process has handed to the system to write; 0 where the system does not tell. */
static uint64_t bytes_written(void)
{
	struct buf b = BUF_INIT(4096);
	str rest, line, word;
	uint64_t n = 0;

	fs_read("/proc/self/io", &b, NULL);
	rest = buf_str(&b);
	while (str_line(&rest, &line))
		if (str_word(&line, &word) && str_eq(word, STR("wchar:")))
			str_u64(str_trim(line), &n);
	buf_release(&b);
	return n;
}

/* A note of n events of a few made-up words each. */
static void put_many(struct index *ix, unsigned note, unsigned n)
{
	static uint64_t seed = 1;
	struct line *line = calloc(n, sizeof(*line));
	char name[32], id[32], body[256];

	assert_non_null(line);
	for (unsigned i = 0; i < n; i++) {
		size_t at = 0;

		for (int w = 0; w < 14; w++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			at += (size_t)snprintf(body + at, sizeof body - at, "w%x ",
					       (unsigned)(seed >> 33) % 5000);
		}
		snprintf(id, sizeof id, "ev_%u_%u", note, i);
		line[i] = (struct line){.id = strdup(id),
					.supersedes = "",
					.body = strdup(body),
					.type = EVENT_DECISION,
					.importance = 3,
					.at = 1};
	}
	snprintf(name, sizeof name, "s_%u.md", note);
	put(ix, name, line, n);
	for (unsigned i = 0; i < n; i++) {
		free((char *)(uintptr_t)line[i].id);
		free((char *)(uintptr_t)line[i].body);
	}
	free(line);
}

/* Parts of which the table of words consists. */
static int segments(const struct index *ix)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	int n = -1;

	assert_int_equal(sqlite3_open(index_path(ix), &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT count(DISTINCT segid) FROM words_idx",
					    -1, &st, NULL),
			 SQLITE_OK);
	if (sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

/* However large the index: what one event costs is bounded, and nothing piles up for a later one. */
static void test_index__no_single_event_pays_for_the_work_of_many(void **state)
{
	struct index *ix = fresh();
	uint64_t most = 0, before;

	(void)state;
	index_bulk(ix, true);
	for (unsigned i = 0; i < 20; i++)
		put_many(ix, i, 500);
	assert_true(segments(ix) > 1);
	index_bulk(ix, false);
	assert_int_equal(segments(ix), 1);
	for (unsigned i = 0; i < 600; i++) {
		before = bytes_written();
		put_many(ix, 1000 + i, 1);
		if (bytes_written() - before > most)
			most = bytes_written() - before;
	}
	assert_in_range(most, 0, 2u << 20);
	/* a search looks into each segment: there are few, too */
	assert_in_range(segments(ix), 1, 24);
	finish(ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_index__active_events_in_the_briefs_order),
		cmocka_unit_test(
			test_index__the_newer_event_retires_the_older_and_gives_it_back),
		cmocka_unit_test(
			test_index__a_pair_retires_both_and_projects_do_not_matter),
		cmocka_unit_test(
			test_index__archived_events_are_not_active_and_their_edges_count),
		cmocka_unit_test(test_index__a_line_in_two_files_is_shown_once),
		cmocka_unit_test(test_index__an_event_by_the_beginning_of_its_id),
		cmocka_unit_test(test_index__a_transaction_is_seen_whole_or_not_at_all),
		cmocka_unit_test(
			test_index__who_asks_much_sees_one_state_and_ends_only_its_own),
		cmocka_unit_test(test_index__no_statement_is_prepared_again),
		cmocka_unit_test(test_index__a_file_that_is_no_index_is_made_anew),
		cmocka_unit_test(test_index__damage_anywhere_is_met_by_making_it_anew),
		cmocka_unit_test(test_index__all_follow_when_one_makes_it_anew),
		cmocka_unit_test(test_index__without_a_cache_it_lies_in_the_vault),
		cmocka_unit_test(test_index__what_was_removed_under_it_is_begun_again),
		cmocka_unit_test(test_index__no_single_event_pays_for_the_work_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
