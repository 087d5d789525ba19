#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "data/project.h"
#include "fault.h"

/* Lay out the .git folder of a repository at rel, with an optional remote. */
static void make_repo(const char *gitdir, const char *url)
{
	char path[512], config[512];

	snprintf(path, sizeof(path), "%s/HEAD", gitdir);
	test_write(path, STR("ref: refs/heads/main\n"));
	snprintf(path, sizeof(path), "%s/objects/keep", gitdir);
	test_write(path, STR(""));
	snprintf(path, sizeof(path), "%s/refs/keep", gitdir);
	test_write(path, STR(""));
	snprintf(path, sizeof(path), "%s/config", gitdir);
	if (url)
		snprintf(
			config, sizeof(config),
			"[core]\n\tbare = false\n[remote \"zeta\"]\n\turl = https://other.example/z.git\n"
			"[remote \"origin\"]\n\turl = %s\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
			url);
	else
		snprintf(config, sizeof(config), "[core]\n\tbare = false\n");
	test_write(path, str_of(config));
}

static void make_dir(const char *rel)
{
	assert_int_equal(fs_mkdirs(test_path(rel), 0700, NULL), 0);
}

/* A linked worktree at rel whose git directory is common/worktrees/name. */
static void make_worktree(const char *rel, const char *common, const char *name,
			  bool relative)
{
	char path[512], text[1024];

	snprintf(path, sizeof(path), "%s/worktrees/%s/commondir", common, name);
	test_write(path, STR("../..\n"));
	snprintf(path, sizeof(path), "%s/worktrees/%s/HEAD", common, name);
	test_write(path, STR("ref: refs/heads/side\n"));
	snprintf(path, sizeof(path), "%s/worktrees/%s", common, name);
	if (relative)
		snprintf(text, sizeof(text), "gitdir: ../%s\n", path);
	else
		snprintf(text, sizeof(text), "gitdir: %s\n", test_path(path));
	snprintf(path, sizeof(path), "%s/.git", rel);
	test_write(path, str_of(text));
}

static void layouts(void)
{
	make_repo("plain/.git", NULL);
	make_dir("plain/src/deep");
	make_repo("remote/.git", "git@Example.COM:dev/tollgate.git");
	make_repo("https/.git", "https://user:secret@example.com:443/dev/tollgate.git/");
	make_repo("local/.git", "/srv/git/tollgate.git");
	make_repo("my repo/.git", NULL);
	make_repo("caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac/.git", NULL);
	make_repo(".dotted-/.git", NULL);
	make_worktree("side", "plain/.git", "side", false);
	make_worktree("reltree", "remote/.git", "reltree", true);
	make_dir("reltree/sub");
	make_repo("store.git", NULL);
	make_worktree("fromstore", "store.git", "fromstore", false);
	make_repo("nest/.bare", "ssh://git@example.com:22/dev/nest");
	make_worktree("nest/main", "nest/.bare", "main", false);
	make_repo("plain/.git/modules/lib", "https://example.com/dev/lib.git");
	test_write("plain/vendor/lib/.git", STR("gitdir: ../../.git/modules/lib\n"));
	make_repo("elsewhere/data", NULL);
	test_write("separate/.git", STR("gitdir: ../elsewhere/data\n"));
	test_write("broken/.git", STR("gitdir: /nowhere/at/all\n"));
	test_write("nonsense/.git", STR("hello\n"));
	test_write("empty/.git", STR(""));
	test_write("plain/inner/.git", STR("garbage"));
	make_dir("nogit/sub");
	make_dir("gone");
	make_dir("a\\b  c");
	assert_int_equal(symlink(test_path("plain"), test_path("link")), 0);
	assert_int_equal(symlink(test_path("plain/src"), test_path("linksrc")), 0);
	make_repo("home/.git", NULL);
	make_dir("home/talk");
	make_repo("detached/.git", NULL);
	test_write("detached/.git/HEAD",
		   STR("1111111111111111111111111111111111111111\n"));
	test_write("shallow/.git/shallow",
		   STR("1111111111111111111111111111111111111111\n"));
	make_repo("shallow/.git", NULL);
	make_repo("oddconfig/.git", NULL);
	test_write(
		"oddconfig/.git/config",
		STR("[remote \"b\"]\n url = \"https://example.com/b\"\n[remote \"a\"]\nURL=https://example.com/a\nurl=x\n[remote \"\n[x\n=\n"));
}

struct row {
	const char *what, *dir, *name,
		*id; /* id "path:REL" is relative to the test folder */
	enum project_source source;
	bool linked, submodule, bare;
};

static const struct row ROWS[] = {
	{"a repository", "plain", "plain", "path:plain/.git", PROJECT_BY_REPOSITORY, 0, 0,
	 0},
	{"a folder inside it", "plain/src/deep", "plain", "path:plain/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"a link to it", "link", "plain", "path:plain/.git", PROJECT_BY_REPOSITORY, 0, 0,
	 0},
	{"a link to a folder in it", "linksrc", "plain", "path:plain/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"its .git folder", "plain/.git", "plain", "path:plain/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 1},
	{"ssh remote", "remote", "remote", "remote:example.com/dev/tollgate",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"https remote with a password", "https", "https",
	 "remote:example.com/dev/tollgate", PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"local remote", "local", "local", "remote:file/srv/git/tollgate",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"a name with a space", "my repo", "my-repo", "path:my repo/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"a name that is not ASCII", "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac",
	 "caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac",
	 "path:caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac/.git", PROJECT_BY_REPOSITORY, 0, 0,
	 0},
	{"a name with edges", ".dotted-", "dotted", "path:.dotted-/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"a linked worktree", "side", "plain", "path:plain/.git", PROJECT_BY_REPOSITORY,
	 1, 0, 0},
	{"a linked worktree, relative pointer", "reltree", "remote",
	 "remote:example.com/dev/tollgate", PROJECT_BY_REPOSITORY, 1, 0, 0},
	{"a folder in a linked worktree", "reltree/sub", "remote",
	 "remote:example.com/dev/tollgate", PROJECT_BY_REPOSITORY, 1, 0, 0},
	{"a bare repository", "store.git", "store", "path:store.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 1},
	{"a worktree of a bare repository", "fromstore", "store", "path:store.git",
	 PROJECT_BY_REPOSITORY, 1, 0, 0},
	{"a worktree beside .bare", "nest/main", "nest", "remote:example.com/dev/nest",
	 PROJECT_BY_REPOSITORY, 1, 0, 0},
	{"a submodule", "plain/vendor/lib", "lib", "remote:example.com/dev/lib",
	 PROJECT_BY_REPOSITORY, 0, 1, 0},
	{"a separate git directory", "separate", "separate", "path:elsewhere/data",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{".git that points nowhere", "broken", "broken", "path:broken",
	 PROJECT_BY_DIRECTORY, 0, 0, 0},
	{".git that is no pointer", "nonsense", "nonsense", "path:nonsense",
	 PROJECT_BY_DIRECTORY, 0, 0, 0},
	{"an empty .git file", "empty", "empty", "path:empty", PROJECT_BY_DIRECTORY, 0, 0,
	 0},
	{"garbage inside a repository", "plain/inner", "plain", "path:plain/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"no repository", "nogit/sub", "sub", "path:nogit/sub", PROJECT_BY_DIRECTORY, 0,
	 0, 0},
	{"backslash and blanks", "a\\b  c", "a-b-c", "path:a\\b  c", PROJECT_BY_DIRECTORY,
	 0, 0, 0},
	{"home, although a repository", "home", PROJECT_NONE, PROJECT_NONE,
	 PROJECT_BY_NOTHING, 0, 0, 0},
	{"a folder in a home that is a repository", "home/talk", "talk", "path:home/talk",
	 PROJECT_BY_DIRECTORY, 0, 0, 0},
	{"detached HEAD", "detached", "detached", "path:detached/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"shallow clone", "shallow", "shallow", "path:shallow/.git",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
	{"odd configuration, no origin", "oddconfig", "oddconfig", "remote:example.com/a",
	 PROJECT_BY_REPOSITORY, 0, 0, 0},
};

static void check_row(const struct row *r, const char *dir)
{
	struct project p;
	struct err e = ERR_INIT;
	char want[1024];
	char *root = realpath(test_path("."), NULL);

	assert_int_equal(project_of(&p, dir, NULL, &e), 0);
	if (str_starts(str_of(r->id), STR("path:")))
		snprintf(want, sizeof(want), "path:%s/%s", root, r->id + 5);
	else
		snprintf(want, sizeof(want), "%s", r->id);
	if (strcmp(p.name, r->name) || strcmp(p.id, want) || p.source != r->source ||
	    p.linked != r->linked || p.submodule != r->submodule || p.bare != r->bare)
		fail_msg(
			"%s: name %s, id %s (want %s), source %d, linked %d, submodule %d, bare %d",
			r->what, p.name, p.id, want, p.source, p.linked, p.submodule,
			p.bare);
	free(root);
	project_release(&p);
}

static void set_home(void)
{
	test_dir();
	layouts();
	setenv("HOME", test_path("home"), 1);
	unsetenv("HANDOFF_PROJECT");
}

static void test_project__every_layout_has_its_identity(void **state)
{
	(void)state;
	set_home();
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
		check_row(&ROWS[i], test_path(ROWS[i].dir));
}

static void test_project__roots_and_missing_folders_are_no_project(void **state)
{
	static const char *const NOWHERE[] = {"/", "/tmp",         "/var/tmp",
					      "",  "not/absolute", NULL};
	struct project p;

	(void)state;
	set_home();
	for (size_t i = 0; i < sizeof(NOWHERE) / sizeof(NOWHERE[0]); i++) {
		assert_int_equal(project_of(&p, NOWHERE[i], NULL, NULL), 0);
		assert_string_equal(p.name, PROJECT_NONE);
		assert_string_equal(p.id, PROJECT_NONE);
		assert_int_equal(p.source, PROJECT_BY_NOTHING);
		project_release(&p);
	}
	setenv("TMPDIR", test_path("gone"), 1);
	assert_int_equal(project_of(&p, test_path("gone"), NULL, NULL), 0);
	assert_string_equal(p.name, PROJECT_NONE);
	project_release(&p);
	unsetenv("TMPDIR");
	/* a deleted directory keeps its own name: the session was there */
	assert_int_equal(project_of(&p, test_path("was/deleted"), NULL, NULL), 0);
	assert_string_equal(p.name, "deleted");
	project_release(&p);
}

static void test_project__given_names_win_in_order(void **state)
{
	struct project_options o = {.name = "mine"};
	struct project p;
	struct err e = ERR_INIT;

	(void)state;
	set_home();
	setenv("HANDOFF_PROJECT", "from env", 1);
	assert_int_equal(project_of(&p, test_path("remote"), &o, &e), 0);
	assert_string_equal(p.name, "mine");
	assert_int_equal(p.source, PROJECT_BY_CALLER);
	assert_string_equal(p.id, "remote:example.com/dev/tollgate");
	project_release(&p);
	assert_int_equal(project_of(&p, test_path("remote"), NULL, &e), 0);
	assert_string_equal(p.name, "from env");
	assert_int_equal(p.source, PROJECT_BY_ENV);
	project_release(&p);
	setenv("HANDOFF_PROJECT", "../x", 1);
	assert_int_equal(project_of(&p, test_path("remote"), NULL, &e), HF_EUSAGE);
	assert_string_equal(e.msg,
			    "invalid project: '../x' (path separators not allowed)");
	unsetenv("HANDOFF_PROJECT");
}

static void test_project__root_commit_names_a_repository_without_a_remote(void **state)
{
	struct project_options o = {.root_commit = "aabb"};
	struct project p;

	(void)state;
	set_home();
	assert_int_equal(project_of(&p, test_path("side"), &o, NULL), 0);
	assert_string_equal(p.id, "root:aabb");
	assert_true(str_ends(str_of(p.alias), STR("/plain/.git")));
	project_release(&p);
	assert_int_equal(project_of(&p, test_path("remote"), &o, NULL), 0);
	assert_string_equal(p.id, "remote:example.com/dev/tollgate");
	project_release(&p);
}

static void test_project__a_password_in_a_url_is_not_kept(void **state)
{
	struct project p;

	(void)state;
	set_home();
	assert_int_equal(project_of(&p, test_path("https"), NULL, NULL), 0);
	assert_string_equal(p.remote, "https://example.com:443/dev/tollgate.git/");
	project_release(&p);
}

static void test_project__remotes_that_mean_the_same_are_the_same(void **state)
{
	static const struct {
		const char *url, *want;
	} URL[] = {
		{"https://example.com/a/b", "example.com/a/b"},
		{"https://example.com/a/b.git", "example.com/a/b"},
		{"https://example.com/a/b.git/", "example.com/a/b"},
		{"HTTPS://u:p@EXAMPLE.com:443//a/b", "example.com/a/b"},
		{"http://example.com:8080/a/B", "example.com:8080/a/B"},
		{"ssh://git@example.com:22/a/b.git", "example.com/a/b"},
		{"ssh://git@example.com:2222/a/b.git", "example.com:2222/a/b"},
		{"git@example.com:a/b.git", "example.com/a/b"},
		{"example.com:a/b", "example.com/a/b"},
		{"git@example.com:/a/b", "example.com/a/b"},
		{"git://example.com:9418/a/b", "example.com/a/b"},
		{"ssh://git@[::1]:22/a/b", "[::1]/a/b"},
		{"/srv/git/x.git", "file/srv/git/x"},
		{"/srv/git/x/.git", "file/srv/git/x"},
		{"file:///srv/git/x", "file/srv/git/x"},
		{"../sibling", "file/../sibling"},
		{"C:/repos/x", "file/C:/repos/x"},
		{"https://example.com", "example.com"},
	};
	struct buf b = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(URL) / sizeof(URL[0]); i++) {
		buf_reset(&b);
		assert_true(project_remote(&b, str_of(URL[i].url)));
		assert_string_equal(buf_cstr(&b), URL[i].want);
	}
	buf_reset(&b);
	assert_false(project_remote(&b, STR("  ")));
	assert_false(project_remote(&b, STR("")));
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static void test_project__names_are_checked_and_cleaned(void **state)
{
	static const struct {
		const char *in, *out;
	} CLEAN[] = {
		{"a b", "a-b"},
		{" a\t\n b ", "a-b"},
		{"..", "default"},
		{"---", "default"},
		{"a/b\\c", "a-b-c"},
		{"-.x.-", "x"},
		{"", "default"},
		{"a:b?c", "a-b-c"},
		{"x\x01y", "x-y"},
		{"_records", "records"},
		{"_PACKETS", "PACKETS"},
		{".git", "git"},
		{"_other", "_other"},
		{"a\u202eb\u200b", "ab"},
		{"\u202e", "default"},
		{"a\x7f"
		 "b",
		 "a-b"},
		{"a\xff"
		 "b",
		 "ab"},
		{"\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"},
	};
	/* what nothing may be stored under; "=" before it: but it may be looked at */
	static const char *const REFUSED[] = {
		"",
		".",
		"..",
		"a/b",
		"../x",
		"a:b",
		"x\x01",
		"\xff",
		"_records",
		"_packets",
		"_Records",
		".git",
		".GIT",
		".index.db",
		".index.db.handoff.tmp",
		"=.hidden",
		"=  ",
		"=\u3000",
		"=a\u202eb",
		"=a\x7f"
		"b",
		"=a\xc2\x85"
		"b",
		"=a\u200bb",
		"=a\ufffd"
		"b",
		"=a\u2028b",
	};
	static const char *const TAKEN[] = {"my project",
					    "Tollgate",
					    " p ",
					    "_dot",
					    "a.b",
					    "records",
					    "packets",
					    "sessions",
					    "\u0645\u06cc\u200c\u062e",
					    "\U0001f468\u200d\U0001f469",
					    "default"};
	static const char *const BAD[] = {"",    ".",     "..", "a/b", "a\\b",
					  "a:b", "x\x01", "a*", "\xff"};
	struct buf b = BUF_INIT(4096);
	char big[300];

	(void)state;
	for (size_t i = 0; i < sizeof(CLEAN) / sizeof(CLEAN[0]); i++) {
		buf_reset(&b);
		project_clean(&b, str_of(CLEAN[i].in));
		assert_string_equal(buf_cstr(&b), CLEAN[i].out);
		assert_true(project_name_ok(buf_str(&b)));
		assert_null(project_name_bad(buf_str(&b)));
	}
	for (size_t i = 0; i < sizeof(REFUSED) / sizeof(REFUSED[0]); i++) {
		bool read = REFUSED[i][0] == '=';
		str name = str_of(REFUSED[i] + read);

		assert_non_null(project_name_bad(name));
		assert_int_equal(project_name_ok(name) && !project_name_taken(name),
				 read);
	}
	for (size_t i = 0; i < sizeof(TAKEN) / sizeof(TAKEN[0]); i++)
		assert_null(project_name_bad(str_of(TAKEN[i])));
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
		assert_false(project_name_ok(str_of(BAD[i])));
	memset(big, 'x', sizeof(big));
	assert_false(project_name_ok((str){big, 201}));
	buf_reset(&b);
	project_clean(&b, (str){big, sizeof(big)});
	assert_true(project_name_ok(buf_str(&b)));
	buf_reset(&b);
	project_suffixed(&b, STR("tollgate"), STR("remote:a"));
	project_suffixed(&b, STR("tollgate"), STR("remote:b"));
	assert_int_equal(b.n, 2 * 13);
	assert_memory_not_equal(b.p, b.p + 13, 13);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_project__every_layout_has_its_identity),
		cmocka_unit_test(test_project__roots_and_missing_folders_are_no_project),
		cmocka_unit_test(test_project__given_names_win_in_order),
		cmocka_unit_test(
			test_project__root_commit_names_a_repository_without_a_remote),
		cmocka_unit_test(test_project__a_password_in_a_url_is_not_kept),
		cmocka_unit_test(test_project__remotes_that_mean_the_same_are_the_same),
		cmocka_unit_test(test_project__names_are_checked_and_cleaned),
	};

	return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
