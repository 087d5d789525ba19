#include "fault.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/out.h"
#include "data/config.h"
#include "work/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLAUDE "claude"

/* A session of three records: hour orders it, an open call makes it a dead one. */
static void session(const char *id, const char *cwd, int hour, bool dead)
{
	struct buf b = BUF_INIT(16u << 10), path = BUF_INIT(4096);

	buf_printf(
		&b,
		"{\"type\":\"user\",\"uuid\":\"u1\",\"parentUuid\":null,\"isSidechain\":false,\"cwd\":\"%s\","
		"\"sessionId\":\"%s\",\"gitBranch\":\"main\",\"timestamp\":\"2026-03-01T%02d:00:00.000Z\","
		"\"message\":{\"role\":\"user\",\"content\":\"work of %s\"}}\n",
		cwd, id, hour, id);
	buf_printf(
		&b,
		"{\"type\":\"assistant\",\"uuid\":\"u2\",\"parentUuid\":\"u1\",\"isSidechain\":false,\"cwd\":\"%s\","
		"\"timestamp\":\"2026-03-01T%02d:00:05.000Z\",\"message\":{\"id\":\"m\",\"content\":[%s],"
		"\"stop_reason\":\"%s\"}}\n",
		cwd, hour,
		dead ? "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"make\"}}"
		     : "{\"type\":\"text\",\"text\":\"Done.\"}",
		dead ? "tool_use" : "end_turn");
	if (!dead)
		buf_add(&b, STR("{\"type\":\"last-prompt\",\"leafUuid\":\"u2\"}\n"));
	buf_printf(&path, CLAUDE "/projects/folder/%s.jsonl", id);
	test_write(buf_cstr(&path), buf_str(&b));
	buf_release(&path);
	buf_release(&b);
}

static const char *const three[] = {"aaaa1111-0000", "aaaa2222-0000", "bbbb1111-0000"};

static void three_sessions(void)
{
	test_dir();
	session(three[0], "/mill/one", 9, true);
	session(three[1], "/mill/two", 11, false);
	session(three[2], "/mill/one/deep", 10, true);
}

static struct catalog_options options(void)
{
	static char dir[4096]; /* test_path forgets */

	snprintf(dir, sizeof(dir), "%s", test_path(CLAUDE));
	return (struct catalog_options){.claude_dir = dir};
}

static struct catalog load(const struct catalog_options *o)
{
	struct err e = ERR_INIT;
	struct catalog c;

	if (catalog_load(&c, o, &e) < 0)
		fail_msg("%s", e.msg);
	return c;
}

static const char *cache_file(void)
{
	static char path[4096];
	struct buf dir = BUF_INIT(4096);
	DIR *d;
	struct dirent *ent;

	path[0] = '\0';
	config_cache_dir(&dir);
	d = opendir(buf_cstr(&dir));
	while (d && (ent = readdir(d)))
		if (str_ends(str_of(ent->d_name), STR(".cache")))
			snprintf(path, sizeof(path), "%s/%s", buf_cstr(&dir),
				 ent->d_name);
	if (d)
		closedir(d);
	buf_release(&dir);
	return path;
}

static char *listed(const struct catalog *c)
{
	struct buf b = BUF_INIT(1u << 20);
	size_t i;

	for (i = 0; i < c->n; i++)
		buf_printf(&b, "%s %s %s %d;", c->item[i].id, c->item[i].g.title,
			   c->item[i].g.reason, (int)c->item[i].g.messages);
	return buf_take(&b);
}

static void assert_same_list(const struct catalog_options *o, const char *want)
{
	struct catalog c = load(o);
	char *got = listed(&c);

	assert_string_equal(got, want);
	free(got);
	catalog_release(&c);
}

static void test_catalog__newest_activity_first(void **state)
{
	struct catalog_options o;
	struct catalog c;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	assert_int_equal(c.n, 3);
	assert_string_equal(c.item[0].id, three[1]);
	assert_string_equal(c.item[1].id, three[2]);
	assert_string_equal(c.item[2].id, three[0]);
	assert_false(c.item[0].g.dead);
	assert_true(c.item[1].g.dead);
	catalog_release(&c);
}

static void test_catalog__filters_by_project_death_and_number(void **state)
{
	static const struct {
		const char *project;
		bool dead;
		size_t limit, n, others, alive;
	} rows[] = {
		{NULL, false, 0, 3, 0, 0},
		{"/mill/one", false, 0, 2, 1, 0},
		{"/mill/one/deep", false, 0, 1, 2, 0},
		{"/mill", false, 0, 3, 0, 0},
		{"/mil", false, 0, 0, 3, 0},
		{"/mill/two", true, 0, 0, 2, 1},
		{NULL, true, 1, 1, 0, 1},
		{NULL, false, 2, 2, 0, 0},
		{"/", false, 0, 0, 3, 0},
	};

	(void)state;
	three_sessions();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct catalog_options o = options();
		struct catalog c;

		o.project = rows[i].project;
		o.dead_only = rows[i].dead;
		o.limit = rows[i].limit;
		c = load(&o);
		assert_int_equal(c.n, rows[i].n);
		assert_int_equal(c.others, rows[i].others);
		assert_int_equal(c.alive, rows[i].alive);
		catalog_release(&c);
	}
}

static void test_catalog__without_a_cwd_the_folder_decides(void **state)
{
	struct catalog_options o;
	struct catalog c;

	(void)state;
	test_dir();
	test_write(
		CLAUDE "/projects/-mill-one/cccc3333.jsonl",
		STR("{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"grind\"}}\n"));
	o = options();
	o.project = "/mill/one";
	c = load(&o);
	assert_int_equal(c.n, 1);
	catalog_release(&c);
	o.project = "/mill";
	c = load(&o);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.others, 1);
	catalog_release(&c);
}

/* A session file of its own: turn finished, no last-prompt, or one that begins with /clear. */
static void clear_session(const char *folder, const char *id, int minute,
			  bool begins_clear)
{
	struct buf b = BUF_INIT(16u << 10), path = BUF_INIT(4096);

	if (begins_clear)
		buf_printf(
			&b,
			"{\"type\":\"user\",\"uuid\":\"c%s\",\"parentUuid\":null,\"cwd\":\"/mill\","
			"\"timestamp\":\"2026-03-01T09:%02d:00.000Z\",\"message\":{\"role\":\"user\","
			"\"content\":\"<command-name>/clear</command-name>\"}}\n",
			id, minute);
	buf_printf(
		&b,
		"{\"type\":\"user\",\"uuid\":\"p%s\",\"parentUuid\":null,\"cwd\":\"/mill\",\"version\":"
		"\"2.1.197\",\"entrypoint\":\"cli\",\"timestamp\":\"2026-03-01T09:%02d:10.000Z\","
		"\"message\":{\"role\":\"user\",\"content\":\"grind\"}}\n"
		"{\"type\":\"assistant\",\"uuid\":\"a%s\",\"parentUuid\":\"p%s\",\"cwd\":\"/mill\","
		"\"version\":\"2.1.197\",\"entrypoint\":\"cli\",\"timestamp\":\"2026-03-01T09:%02d:20.000Z\","
		"\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"Ground.\"}],"
		"\"stop_reason\":\"end_turn\"}}\n"
		"{\"type\":\"system\",\"subtype\":\"turn_duration\",\"uuid\":\"t%s\",\"parentUuid\":\"a%s\","
		"\"timestamp\":\"2026-03-01T09:%02d:21.000Z\"}\n",
		id, minute, id, id, minute, id, id, minute);
	buf_printf(&path, CLAUDE "/projects/%s/%s.jsonl", folder, id);
	test_write(buf_cstr(&path), buf_str(&b));
	buf_release(&path);
	buf_release(&b);
}

static enum ending_kind kind_of(const struct catalog *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->item[i].id, id) == 0)
			return c->item[i].g.kind;
	fail_msg("no session %s", id);
	return ENDING_COUNT;
}

static void test_catalog__only_the_session_before_a_clear_was_left_by_it(void **state)
{
	struct catalog_options o;

	(void)state;
	test_dir();
	clear_session("here", "aaaa", 10, false); /* killed while idle */
	clear_session("here", "bbbb", 20, false); /* left by /clear */
	clear_session("here", "cccc", 30, true);  /* and this one was killed while idle */
	clear_session("here", "dddd", 40, false); /* after it */
	clear_session("there", "eeee", 25, false); /* another folder */
	o = options();
	for (int pass = 0; pass < 2; pass++) { /* the second one from the cache */
		struct catalog c = load(&o);

		assert_int_equal(kind_of(&c, "aaaa"), ENDING_KILLED_IDLE);
		assert_int_equal(kind_of(&c, "bbbb"), ENDING_CLEARED);
		assert_int_equal(kind_of(&c, "cccc"), ENDING_KILLED_IDLE);
		assert_int_equal(kind_of(&c, "dddd"), ENDING_KILLED_IDLE);
		assert_int_equal(kind_of(&c, "eeee"), ENDING_KILLED_IDLE);
		catalog_release(&c);
	}
}

static void test_catalog__no_folder_of_sessions(void **state)
{
	struct catalog_options o;
	struct catalog c;
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	o = options();
	assert_int_equal(catalog_load(&c, &o, &e), HF_ENOTFOUND);
	assert_true(e.msg[0] != '\0');
	catalog_release(&c);
}

static void test_catalog__a_file_that_is_the_same_is_not_read_again(void **state)
{
	struct catalog_options o;
	struct timespec times[2];
	struct stat st;
	char *first;
	struct catalog c;
	int fd;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	first = listed(&c);
	/* other bytes under the same size, time and inode: only the cache can know the old ones */
	assert_int_equal(stat(c.item[0].path, &st), 0);
	fd = open(c.item[0].path, O_WRONLY);
	assert_int_equal(pwrite(fd, "xxxx", 4, 0), 4);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	assert_same_list(&o, first);
	/* another time: read again */
	times[1].tv_nsec ^= 1;
	assert_int_equal(utimensat(AT_FDCWD, c.item[0].path, times, 0), 0);
	catalog_release(&c);
	c = load(&o);
	assert_string_not_equal(c.item[0].g.title, "work of aaaa2222-0000");
	catalog_release(&c);
	free(first);
}

static void test_catalog__what_is_gone_leaves_the_cache(void **state)
{
	struct catalog_options o;
	struct catalog c;
	str before;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	before = test_read(cache_file());
	assert_int_not_equal(str_find(before, str_of(three[0])), STR_NPOS);
	assert_int_equal(unlink(c.item[2].path), 0);
	catalog_release(&c);
	c = load(&o);
	assert_int_equal(c.n, 2);
	assert_int_equal(str_find(test_read(cache_file()), str_of(three[0])), STR_NPOS);
	catalog_release(&c);
}

static void test_catalog__a_cache_cut_at_every_byte_changes_nothing(void **state)
{
	struct catalog_options o;
	struct catalog c;
	char *want;
	str whole;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	want = listed(&c);
	catalog_release(&c);
	whole = test_read(cache_file());
	for (size_t n = 0; n < whole.n; n++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s", cache_file());
		test_write(path, str_head(whole, n));
		assert_same_list(&o, want);
		/* without its last newline it is still all there */
		if (n + 1 < whole.n)
			assert_str(test_read(path), whole);
	}
	free(want);
}

static void test_catalog__a_cache_with_any_byte_changed_is_survived(void **state)
{
	struct catalog_options o;
	struct catalog c;
	char path[4096], *copy;
	str whole;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	catalog_release(&c);
	snprintf(path, sizeof(path), "%s", cache_file());
	whole = test_read(path);
	copy = str_dup(whole);
	for (size_t i = 0; i < whole.n; i++) {
		static const char put[] = {'"', '\0', '{', '\n', '9', '\\', (char)0xff};

		copy[i] = put[i % sizeof(put)];
		test_write(path, (str){copy, whole.n});
		c = load(&o);
		assert_int_equal(c.n + c.empty, 3);
		catalog_release(&c);
		copy[i] = whole.p[i];
	}
	free(copy);
}

static void test_catalog__the_cache_of_another_folder_is_another_file(void **state)
{
	struct catalog_options o, other;
	struct catalog c;
	char elsewhere[4096];

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	catalog_release(&c);
	test_write("elsewhere/projects/x/cccc.jsonl",
		   test_read(CLAUDE "/projects/folder/aaaa1111-0000.jsonl"));
	other = o;
	snprintf(elsewhere, sizeof(elsewhere), "%s", test_path("elsewhere"));
	other.claude_dir = elsewhere;
	c = load(&other);
	assert_int_equal(c.n, 1);
	catalog_release(&c);
	c = load(&o);
	assert_int_equal(c.n, 3);
	catalog_release(&c);
}

static void test_catalog__every_failing_call_is_reported_or_harmless(void **state)
{
	struct catalog_options o;
	struct catalog c;
	char *want;
	int n = 0, complete = 0;
	bool met;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	want = listed(&c);
	catalog_release(&c);
	do {
		struct err e = ERR_INIT;
		int ret;

		test_write(cache_file(), STR("stale"));
		fault_at(++n);
		ret = catalog_load(&c, &o, &e);
		met = fault_met();
		fault_off();
		if (ret == 0) {
			/* what cannot be opened is counted; what has no stat is no session file */
			assert_true(c.n + c.skipped + c.empty <= 3);
			assert_true(!c.skipped == !c.problem);
			complete += c.n == 3;
		} else {
			assert_true(e.msg[0] != '\0');
		}
		catalog_release(&c);
		assert_same_list(&o, want);
	} while (met);
	assert_true(n > 20);
	assert_true(complete > 10); /* the cache's own calls hurt nobody */
	free(want);
}

static DIR *opendir_but_locked(const char *path)
{
	if (!str_ends(str_of(path), STR("/locked")))
		return opendir(path);
	errno = EACCES;
	return NULL;
}

static void test_catalog__a_folder_that_cannot_be_read_is_counted_and_named(void **state)
{
	struct catalog_options o;
	struct catalog c;

	(void)state;
	three_sessions();
	test_write(CLAUDE "/projects/locked/cccc1111-0000.jsonl", STR("{}"));
	o = options();
	io.opendir = opendir_but_locked;
	c = load(&o);
	io_real();
	assert_int_equal(c.n, 3);
	assert_int_equal(c.skipped, 1);
	assert_non_null(strstr(c.problem, "projects/locked: Permission denied"));
	catalog_release(&c);
}

static int find(const char *name, struct catalog_pick *p, struct err *e)
{
	struct catalog_options o = options();

	*e = ERR_INIT;
	return catalog_find(&o, name, p, e);
}

static void test_catalog__finds_by_id_prefix_and_path(void **state)
{
	static const struct {
		const char *name;
		int ret;
		const char *id;
	} rows[] = {
		{"aaaa1111-0000", 0, "aaaa1111-0000"},
		{"AAAA1111-0000", 0, "aaaa1111-0000"},
		{"aaaa1", 0, "aaaa1111-0000"},
		{"bbbb", 0, "bbbb1111-0000"},
		{"bbb", HF_ENOTFOUND, NULL},
		{"aaaa", HF_EAMBIGUOUS, NULL},
		{"cccc", HF_ENOTFOUND, NULL},
		{"bbbb1111-00000", HF_ENOTFOUND, NULL},
		{"", HF_EUSAGE, NULL},
		{"-", 0, ""},
		{"/some/where/else.jsonl", 0, "else"},
		{"else.jsonl.zst", 0, "else"},
		{"./else", 0, "else"},
	};

	(void)state;
	three_sessions();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct catalog_pick p;
		struct err e;

		assert_int_equal(find(rows[i].name, &p, &e), rows[i].ret);
		if (rows[i].ret == 0)
			assert_string_equal(p.id, rows[i].id);
		else
			assert_true(e.msg[0] != '\0');
		catalog_pick_release(&p);
	}
}

static void test_catalog__a_name_from_outside_is_an_id_and_never_a_path(void **state)
{
	static const char *const NAMES[] = {"-", "/some/where/else.jsonl",
					    "else.jsonl.zst", "./else", "notes"};
	struct catalog_options o = options();
	struct catalog_pick p;

	(void)state;
	three_sessions();
	test_write("notes", STR("{\"type\":\"user\"}\n"));
	assert_int_equal(chdir(test_path(".")), 0);
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
		assert_int_equal(catalog_find(&o, NAMES[i], &p, NULL), 0);
		catalog_pick_release(&p);
		o.ids_only = true;
		assert_int_equal(catalog_find(&o, NAMES[i], &p, NULL), HF_ENOTFOUND);
		catalog_pick_release(&p);
		o.ids_only = false;
	}
	o.ids_only = true;
	assert_int_equal(catalog_find(&o, "aaaa1", &p, NULL), 0);
	catalog_pick_release(&p);
}

static void test_catalog__an_ambiguous_prefix_names_at_most_ten(void **state)
{
	struct catalog_pick p;
	struct err e;
	char id[32];

	(void)state;
	test_dir();
	for (int i = 0; i < 14; i++) {
		snprintf(id, sizeof(id), "dddd%04d", i);
		session(id, "/mill", 9, true);
	}
	assert_int_equal(find("dddd", &p, &e), HF_EAMBIGUOUS);
	assert_non_null(strstr(e.msg, "14 sessions"));
	assert_non_null(strstr(e.msg, "and 4 more"));
	assert_int_equal(find("dddd0003", &p, &e), 0);
	catalog_pick_release(&p);
}

static void test_catalog__the_most_recent_dead_one(void **state)
{
	struct catalog_options o;
	struct catalog_pick p;
	struct err e = ERR_INIT;

	(void)state;
	three_sessions();
	o = options();
	assert_int_equal(catalog_dead(&o, &p, &e), 0);
	assert_string_equal(p.id, three[2]);
	catalog_pick_release(&p);
	o.current = three[2];
	assert_int_equal(catalog_dead(&o, &p, &e), 0);
	assert_string_equal(p.id, three[0]);
	catalog_pick_release(&p);
	o.project = "/mill/two";
	assert_int_equal(catalog_dead(&o, &p, &e), HF_ENOTFOUND);
	assert_non_null(strstr(e.msg, "aaaa2222"));
	o.project = "/elsewhere";
	e = ERR_INIT;
	assert_int_equal(catalog_dead(&o, &p, &e), HF_ENOTFOUND);
	assert_non_null(strstr(e.msg, "3 of other projects"));
	catalog_pick_release(&p);
}

static void test_catalog__what_is_meant_as_a_session(void **state)
{
	static const struct {
		const char *x;
		bool session;
	} rows[] = {
		{"aaaa1111-0000", true},
		{"aaaa1", true},
		{"aaaa", true}, /* ambiguous: the failure says so */
		{"99999999", true},
		{"38fb3e7a-9d21-4c1e-8a55-0123456789ab", true},
		{"gone.jsonl", true},
		{"gone.jsonl.zst", true},
		{"-", true},
		{"the login form", false},
		{"auth", false},
		{"facade", false},
		{"deadbeef", false},
		{"src/auth.c", false},
		{"", false},
		{"src/auth.c and its tests", false},
	};
	struct catalog_options o;

	(void)state;
	three_sessions();
	o = options();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (catalog_is_session(&o, rows[i].x) != rows[i].session)
			fail_msg("'%s'", rows[i].x);
	test_write("source.c", STR("/* no transcript */\n"));
	test_write("copy", test_read(CLAUDE "/projects/folder/aaaa1111-0000.jsonl"));
	assert_int_equal(chdir(test_path(".")), 0);
	assert_false(catalog_is_session(&o, "./source.c"));
	assert_false(catalog_is_session(&o, "source.c"));
	assert_false(catalog_is_session(&o, "./claude"));
	assert_true(catalog_is_session(&o, "./copy"));
	assert_true(catalog_is_session(&o, "copy"));
	assert_true(catalog_is_session(
		&o, test_path("source.c"))); /* in full: the failure says so */
	assert_true(catalog_is_named(&o, "source.c"));
	assert_true(catalog_is_named(&o, "./source.c"));
	assert_true(catalog_is_named(&o, "./claude"));
	assert_true(catalog_is_named(&o, "aaaa1"));
	assert_false(catalog_is_named(&o, "./none.c"));
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_true(catalog_is_session(&o, "./fifo"));
	assert_int_equal(chdir("/"), 0);
}

static void test_catalog__ids_are_as_long_as_they_must_be(void **state)
{
	struct catalog_item item[4] = {
		{.id = (char *)(uintptr_t) "0123456789ab"},
		{.id = (char *)(uintptr_t) "0123456789cd"},
		{.id = (char *)(uintptr_t) "ffff"},
		{.id = (char *)(uintptr_t) "ffff"},
	};
	struct catalog c = {.item = item, .n = 4};

	(void)state;
	assert_int_equal(catalog_id_chars(&c), 11);
	c.item++;
	c.n = 3;
	assert_int_equal(catalog_id_chars(&c), CATALOG_ID_CHARS);
	c.n = 0;
	assert_int_equal(catalog_id_chars(&c), CATALOG_ID_CHARS);
}

static void test_catalog__the_table_is_aligned(void **state)
{
	struct catalog_options o;
	struct catalog c;
	struct out out;
	struct err e = ERR_INIT;
	str text, row;
	size_t at = STR_NPOS;
	int fd;

	(void)state;
	three_sessions();
	o = options();
	c = load(&o);
	fd = open(test_path("table"), O_CREAT | O_WRONLY, 0600);
	out_init(&out, fd, "table");
	catalog_list(&c, true, &out);
	assert_int_equal(out_end(&out, &e), 0);
	close(fd);
	text = test_read("table");
	assert_true(str_starts(
		text, STR("WHEN (UTC)        ID        SIZE  MSGS  BRANCH  ENDED")));
	while (str_line(&text, &row)) {
		size_t title = str_find(row, STR("work of"));

		if (title == STR_NPOS)
			title = str_find(row, STR("TITLE"));
		assert_int_not_equal(title, STR_NPOS);
		assert_true(at == STR_NPOS || at == title);
		at = title;
	}
	catalog_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalog__newest_activity_first),
		cmocka_unit_test(test_catalog__filters_by_project_death_and_number),
		cmocka_unit_test(test_catalog__without_a_cwd_the_folder_decides),
		cmocka_unit_test(
			test_catalog__only_the_session_before_a_clear_was_left_by_it),
		cmocka_unit_test(test_catalog__no_folder_of_sessions),
		cmocka_unit_test(
			test_catalog__a_folder_that_cannot_be_read_is_counted_and_named),
		cmocka_unit_test(test_catalog__a_file_that_is_the_same_is_not_read_again),
		cmocka_unit_test(test_catalog__what_is_gone_leaves_the_cache),
		cmocka_unit_test(test_catalog__a_cache_cut_at_every_byte_changes_nothing),
		cmocka_unit_test(test_catalog__a_cache_with_any_byte_changed_is_survived),
		cmocka_unit_test(
			test_catalog__the_cache_of_another_folder_is_another_file),
		cmocka_unit_test(
			test_catalog__every_failing_call_is_reported_or_harmless),
		cmocka_unit_test(test_catalog__finds_by_id_prefix_and_path),
		cmocka_unit_test(
			test_catalog__a_name_from_outside_is_an_id_and_never_a_path),
		cmocka_unit_test(test_catalog__an_ambiguous_prefix_names_at_most_ten),
		cmocka_unit_test(test_catalog__the_most_recent_dead_one),
		cmocka_unit_test(test_catalog__what_is_meant_as_a_session),
		cmocka_unit_test(test_catalog__ids_are_as_long_as_they_must_be),
		cmocka_unit_test(test_catalog__the_table_is_aligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
