#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "data/claude.h"

#define SESSION "0a1b2c3d-0000-4000-8000-00000000abcd"
#define OTHER   "0a1b2c3d-0000-4000-8000-00000000beef"

static char *dir(void)
{
	return strdup(test_path("claude"));
}

/* What a walk found, in the order of the folders: "folder/id size;" */
static int collect(const struct claude_file *f, void *arg)
{
	buf_printf(arg, "%s/%s %llu;", f->folder, f->id, (unsigned long long)f->size);
	assert_true(fs_is_file(f->path));
	assert_true(f->ino != 0 && f->mtime_ns > 0);
	return 0;
}

/* The same without a call that a fault could hit. */
static int collect_names(const struct claude_file *f, void *arg)
{
	buf_printf(arg, "%s/%s;", f->folder, f->id);
	return 0;
}

static int stop_at_once(const struct claude_file *f, void *arg)
{
	(void)f;
	++*(int *)arg;
	return 42;
}

static void test_claude__walk_finds_session_files_only(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct err e = ERR_INIT;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	test_write("claude/projects/-a/one.jsonl", STR("12345"));
	test_write("claude/projects/-a/two.jsonl.zst", STR("1"));
	test_write("claude/projects/-a/agent-0a1b2c3d.jsonl", STR("1"));
	test_write("claude/projects/-a/notes.txt", STR("1"));
	test_write("claude/projects/-a/.jsonl", STR("1"));
	test_write("claude/projects/-a/one/subagents/agent-1.jsonl", STR("1"));
	test_write("claude/projects/-b/three.jsonl", STR("123"));
	test_write("claude/projects/loose.jsonl", STR("1"));
	assert_int_equal(mkdir(test_path("claude/projects/-b/dir.jsonl"), 0700), 0);
	assert_int_equal(mkfifo(test_path("claude/projects/-b/pipe.jsonl"), 0600), 0);
	assert_int_equal(
		symlink("three.jsonl", test_path("claude/projects/-b/link.jsonl")), 0);
	assert_int_equal(symlink("-b", test_path("claude/projects/-c")), 0);

	assert_int_equal(claude_each_session(d, NULL, collect, &b, &e), 0);
	assert_string_equal(buf_cstr(&b), "-a/one 5;-a/two 1;-b/three 3;");
	buf_reset(&b);
	assert_int_equal(claude_each_session(d, "-b", collect, &b, &e), 0);
	assert_string_equal(buf_cstr(&b), "-b/three 3;");
	buf_release(&b);
	free(d);
}

static void test_claude__walk_stops_when_asked_and_passes_the_answer_on(void **state)
{
	struct err e = ERR_INIT;
	int calls = 0;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	test_write("claude/projects/-a/one.jsonl", STR("1"));
	test_write("claude/projects/-b/two.jsonl", STR("1"));
	assert_int_equal(claude_each_session(d, NULL, stop_at_once, &calls, &e), 42);
	assert_int_equal(calls, 1);
	assert_int_equal(claude_each_session(d, "-b", stop_at_once, &calls, &e), 42);
	assert_int_equal(calls, 2);
	assert_string_equal(e.msg, "");
	free(d);
}

static void test_claude__walk_names_a_folder_that_is_missing(void **state)
{
	const char *const bad[] = {"-none",         "", ".", "..", "a/b", ".hidden",
				   "../projects/-a"};
	struct buf b = BUF_INIT(4096);
	char *d;

	(void)state;
	test_dir();
	d = dir();
	for (int round = 0; round < 2; round++) {
		struct err e = ERR_INIT;

		for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
			struct err own = ERR_INIT;

			assert_int_equal(
				claude_each_session(d, bad[i], collect, &b, &own),
				HF_ENOTFOUND);
			assert_true(own.msg[0]);
		}
		assert_int_equal(claude_each_session(d, NULL, collect, &b, &e),
				 round ? 0 : HF_ENOTFOUND);
		test_write("claude/projects/-a/one.jsonl", STR("1"));
	}
	buf_release(&b);
	free(d);
}

static void test_claude__one_unreadable_folder_does_not_hide_the_others(void **state)
{
	bool met, hidden = false;
	int n = 0;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	test_write("claude/projects/-a/one.jsonl", STR("1"));
	test_write("claude/projects/-b/two.jsonl", STR("1"));
	do {
		struct buf b = BUF_INIT(4096);
		struct err e = ERR_INIT;

		fault_at(++n);
		int ret = claude_each_session(d, NULL, collect_names, &b, &e);
		met = fault_met();
		fault_off();
		if (ret)
			assert_true(e.msg[0]);
		if (!met)
			assert_string_equal(buf_cstr(&b), "-a/one;-b/two;");
		hidden |= ret == 0 && strcmp(buf_cstr(&b), "-b/two;") == 0;
		buf_release(&b);
	} while (met);
	assert_true(n > 5);
	assert_true(hidden);
	free(d);
}

static void assert_encoded(const char *cwd, const char *name)
{
	struct buf b = BUF_INIT(8192);

	claude_encode(&b, str_of(cwd));
	assert_string_equal(buf_cstr(&b), name);
	buf_release(&b);
}

static void test_claude__encoding_follows_the_clients_table(void **state)
{
	(void)state;
	assert_encoded("", "");
	assert_encoded("/", "-");
	assert_encoded("/home/dev/With Space", "-home-dev-With-Space");
	assert_encoded("/home/dev/dot.dir", "-home-dev-dot-dir");
	assert_encoded("/home/dev/under_score", "-home-dev-under-score");
	assert_encoded("/x/caf\xc3\xa9", "-x-caf-");
	assert_encoded("/x/cafe\xcc\x81", "-x-cafe-");
	assert_encoded("/x/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "-x----");
	assert_encoded("/x/emo\xf0\x9f\x98\x80ji", "-x-emo--ji");
	assert_encoded("C:\\Users\\dev", "C--Users-dev");
	assert_encoded("/x/bad\xff\xfe", "-x-bad--");
}

static void assert_long(const char *start, const char *unit, int n, const char *tail)
{
	struct buf path = BUF_INIT(8192), name = BUF_INIT(8192);

	buf_add(&path, str_of(start));
	for (int i = 0; i < n; i++)
		buf_add(&path, str_of(unit));
	claude_encode(&name, buf_str(&path));
	assert_int_equal(name.n, 200 + strlen(tail));
	assert_string_equal(buf_cstr(&name) + 200, tail);
	buf_release(&path);
	buf_release(&name);
}

static void test_claude__long_names_are_cut_at_200_units_and_hashed(void **state)
{
	(void)state;
	/* the tails were computed by a JavaScript engine, from the rule as the client writes it */
	assert_long("/", "a", 199, "");
	assert_long("/", "a", 200, "-b6ymvl");
	assert_long("/home/dev/", "p", 240, "-f9cwr");
	assert_long("/x/", "\xf0\x9f\x98\x80", 100, "-i56xci");
}

/* running */

static void write_registry(const char *name, const char *session, long long pid,
			   const char *start)
{
	struct buf b = BUF_INIT(4096), path = BUF_INIT(4096);

	buf_printf(
		&b,
		"{\"pid\":%lld,\"sessionId\":\"%s\",\"cwd\":\"/x\",\"n\":[1,{}],\"procStart\":%s}",
		pid, session, start);
	buf_printf(&path, "claude/sessions/%s.json", name);
	test_write(buf_cstr(&path), buf_str(&b));
	buf_release(&b);
	buf_release(&path);
}

/* Field 22 of our own stat file. */
static void own_start(char out[64])
{
	char text[4096], *p;
	FILE *f = fopen("/proc/self/stat", "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	p = strrchr(text, ')');
	for (int field = 2; field < 22; field++)
		p = strchr(p + 1, ' ');
	snprintf(out, 64, "\"%.*s\"", (int)strcspn(p + 1, " "), p + 1);
}

static void test_claude__running_needs_the_pid_and_its_start_time(void **state)
{
	char start[64];
	char *d;

	(void)state;
	test_dir();
	d = dir();
	own_start(start);
	assert_int_equal(claude_running(d, STR(SESSION)), 0);
	test_write("claude/sessions/1.json", STR("{torn"));
	test_write("claude/sessions/2.json", STR("[]"));
	test_write("claude/sessions/readme", STR("x"));
	write_registry("3", SESSION, getpid(), "\"1\"");
	assert_int_equal(claude_running(d, STR(SESSION)),
			 0); /* another process has the pid now */
	write_registry("4", OTHER, getpid(), start);
	assert_int_equal(claude_running(d, STR(SESSION)), 0);
	write_registry("5", SESSION, 0, start);
	write_registry("6", SESSION, -1, start);
	write_registry("7", SESSION, 99999999999, start);
	assert_int_equal(claude_running(d, STR(SESSION)), 0);
	write_registry("8", SESSION, getpid(), start);
	assert_int_equal(claude_running(d, STR(SESSION)), getpid());
	assert_int_equal(claude_running(d, STR_NONE), 0);
	free(d);
}

static void test_claude__running_takes_a_start_time_that_is_a_number(void **state)
{
	char start[64];
	char *d;

	(void)state;
	test_dir();
	d = dir();
	own_start(start);
	start[strlen(start) - 1] = 0;
	write_registry("1", SESSION, getpid(), start + 1);
	assert_int_equal(claude_running(d, STR(SESSION)), getpid());
	free(d);
}

static void test_claude__a_client_that_ended_is_not_running(void **state)
{
	siginfo_t info;
	char *d;
	pid_t pid;

	(void)state;
	test_dir();
	d = dir();
	pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	write_registry("1", SESSION, pid,
		       "null"); /* its parent has not asked for it yet */
	assert_int_equal(claude_running(d, STR(SESSION)), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(claude_running(d, STR(SESSION)), 0);
	write_registry("1", SESSION, getpid(), "null"); /* a client that writes none */
	assert_int_equal(claude_running(d, STR(SESSION)), getpid());
	free(d);
}

static void test_claude__running_survives_every_failing_call(void **state)
{
	char start[64];
	bool met;
	int n = 0;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	own_start(start);
	write_registry("1", SESSION, getpid(), start);
	do {
		fault_at(++n);
		int64_t pid = claude_running(d, STR(SESSION));
		met = fault_met();
		fault_off();
		assert_true(pid == 0 || pid == getpid());
		if (!met)
			assert_int_equal(pid, getpid());
	} while (met);
	assert_true(n > 5);
	free(d);
}

/* tasks */

static void test_claude__tasks_come_by_number(void **state)
{
	struct claude_task *t;
	struct err e = ERR_INIT;
	size_t n;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	assert_int_equal(claude_tasks(d, STR(SESSION), &t, &n, &e), 0);
	assert_int_equal(n, 0);
	claude_tasks_free(t, n);
	test_write(
		"claude/tasks/" SESSION "/10.json",
		STR("{\"id\":\"10\",\"subject\":\"ten\",\"description\":\"d\\u00e9\",\"status\":\"pending\",\"blocks\":[\"2\"]}"));
	test_write(
		"claude/tasks/" SESSION "/2.json",
		STR("{\"id\":2,\"subject\":\"two\",\"status\":\"in_progress\",\"blocks\":[{\"x\":[]}]}"));
	test_write("claude/tasks/" SESSION "/3.json",
		   STR("{\"id\":\"3\",\"subject\":\"torn"));
	test_write("claude/tasks/" SESSION "/4.json",
		   STR("{\"subject\":\"no id\",\"status\":7}"));
	test_write("claude/tasks/" SESSION "/x.json", STR("{\"id\":\"1\"}"));
	test_write("claude/tasks/" SESSION "/.lock", STR(""));
	assert_int_equal(symlink("2.json", test_path("claude/tasks/" SESSION "/5.json")),
			 0);
	assert_int_equal(claude_tasks(d, STR(SESSION), &t, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_string_equal(t[0].id, "2");
	assert_string_equal(t[0].subject, "two");
	assert_string_equal(t[0].description, "");
	assert_string_equal(t[0].status, "in_progress");
	assert_string_equal(t[1].id, "4");
	assert_string_equal(t[1].status, "7");
	assert_string_equal(t[2].id, "10");
	assert_string_equal(t[2].description, "d\xc3\xa9");
	claude_tasks_free(t, n);
	free(d);
}

static void test_claude__a_session_id_is_never_a_path(void **state)
{
	const char *const bad[] = {
		"",
		"..",
		".",
		"../x",
		"a/b",
		".x",
		"a b",
		"a\nb",
		"0123456789012345678901234567890123456789012345678901234567890123"};
	struct claude_task *t;
	size_t n;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	test_write("claude/x/1.json", STR("{\"id\":\"1\"}"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(claude_tasks(d, str_of(bad[i]), &t, &n, &e), HF_EFORMAT);
		assert_true(e.msg[0]);
		assert_int_equal(n, 0);
		assert_int_equal(claude_history(d, str_of(bad[i]), NULL, NULL, NULL),
				 HF_EFORMAT);
	}
	free(d);
}

static void test_claude__tasks_survive_every_failing_call(void **state)
{
	bool met;
	int i = 0;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	test_write("claude/tasks/" SESSION "/1.json", STR("{\"id\":\"1\"}"));
	test_write("claude/tasks/" SESSION "/2.json", STR("{\"id\":\"2\"}"));
	do {
		struct claude_task *t;
		struct err e = ERR_INIT;
		size_t n;

		fault_at(++i);
		int ret = claude_tasks(d, STR(SESSION), &t, &n, &e);
		met = fault_met();
		fault_off();
		assert_true(ret == 0 ? n <= 2 : n == 0 && e.msg[0]);
		if (!met)
			assert_int_equal(n, 2);
		claude_tasks_free(t, n);
	} while (met);
	free(d);
}

/* sub-agents */

static void test_claude__agents_come_with_what_their_meta_file_says(void **state)
{
	struct claude_agent_file *a;
	struct err e = ERR_INIT;
	size_t n;

	(void)state;
	test_dir();
	test_write("p/s.jsonl", STR("x"));
	assert_int_equal(claude_agents(test_path("p/s.jsonl"), &a, &n, &e), 0);
	assert_int_equal(n, 0);
	test_write("p/s/subagents/agent-a1.jsonl", STR("123"));
	test_write(
		"p/s/subagents/agent-a1.meta.json",
		STR("{\"agentType\":\"Explore\",\"description\":\"look\",\"toolUseId\":\"toolu_1\",\"spawnDepth\":1}"));
	test_write("p/s/subagents/agent-b2.jsonl", STR(""));
	test_write("p/s/subagents/agent-b2.meta.json",
		   STR("{\"agentType\":\"Plan\",\"descr"));
	test_write("p/s/subagents/other.jsonl", STR(""));
	test_write("p/s/subagents/workflows/run1/agent-c3.jsonl", STR("1"));
	test_write("p/s/subagents/w/x/y/z/agent-d4.jsonl", STR("1"));
	assert_int_equal(symlink(".", test_path("p/s/subagents/loop")), 0);
	assert_int_equal(
		symlink("agent-a1.jsonl", test_path("p/s/subagents/agent-e5.jsonl")), 0);
	for (int packed = 0; packed < 2; packed++) {
		assert_int_equal(
			claude_agents(test_path(packed ? "p/s.jsonl.zst" : "p/s.jsonl"),
				      &a, &n, &e),
			0);
		assert_int_equal(n, 3);
		assert_string_equal(a[0].id, "a1");
		assert_string_equal(a[0].type, "Explore");
		assert_string_equal(a[0].description, "look");
		assert_string_equal(a[0].tool_use_id, "toolu_1");
		assert_int_equal(a[0].size, 3);
		assert_true(fs_is_file(a[0].path));
		assert_string_equal(a[1].id, "b2");
		assert_string_equal(a[1].type, "");
		assert_string_equal(a[1].description, "");
		assert_string_equal(a[2].id, "c3");
		claude_agents_free(a, n);
	}
	assert_int_equal(claude_agents("-", &a, &n, &e), 0);
	assert_int_equal(n, 0);
	assert_int_equal(claude_agents(".jsonl", &a, &n, &e), 0);
	assert_int_equal(n, 0);
}

static void test_claude__agents_survive_every_failing_call(void **state)
{
	bool met;
	int i = 0;

	(void)state;
	test_dir();
	test_write("p/s.jsonl", STR("x"));
	test_write("p/s/subagents/agent-a1.jsonl", STR("123"));
	test_write("p/s/subagents/agent-a1.meta.json",
		   STR("{\"agentType\":\"Explore\"}"));
	do {
		struct claude_agent_file *a;
		struct err e = ERR_INIT;
		size_t n;

		fault_at(++i);
		int ret = claude_agents(test_path("p/s.jsonl"), &a, &n, &e);
		met = fault_met();
		fault_off();
		assert_true(ret == 0 ? n <= 1 : n == 0 && e.msg[0]);
		if (!met)
			assert_int_equal(n, 1);
		claude_agents_free(a, n);
	} while (met);
}

/* files of its own */

static int own(const char *named, struct buf *b)
{
	struct err e = ERR_INIT;

	buf_reset(b);
	int ret = claude_own_file(test_path("p/-proj/s.jsonl"), str_of(named), b, &e);
	assert_true((ret == 0) == (e.msg[0] == 0));
	return ret;
}

static void test_claude__own_file_reads_what_lies_in_the_sessions_folder(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	test_dir();
	test_write("p/-proj/s.jsonl", STR("x"));
	test_write("p/-proj/s/tool-results/out.txt", STR("output"));
	assert_int_equal(own(test_path("p/-proj/s/tool-results/out.txt"), &b), 0);
	assert_string_equal(buf_cstr(&b), "output");
	/* written where the transcript once lay */
	assert_int_equal(
		own("/home/other/.claude/projects/-proj/s/tool-results/out.txt", &b), 0);
	assert_string_equal(buf_cstr(&b), "output");
	assert_int_equal(own(test_path("p/-proj/s/tool-results/none.txt"), &b),
			 HF_ENOTFOUND);
	assert_int_equal(own(test_path("p/-proj/s/none/none.txt"), &b), HF_ENOTFOUND);
	assert_int_equal(own(test_path("p/-proj/s/tool-results/out.txt/x"), &b),
			 HF_ENOTFOUND);
	buf_release(&b);
}

static void test_claude__own_file_takes_no_more_than_there_is_room_for(void **state)
{
	struct buf b = BUF_INIT(4), none = BUF_INIT(0);

	(void)state;
	test_dir();
	test_write("p/-proj/s/tool-results/out.txt", STR("output"));
	assert_int_equal(own(test_path("p/-proj/s/tool-results/out.txt"), &b), 0);
	assert_string_equal(buf_cstr(&b), "outp");
	assert_int_equal(own(test_path("p/-proj/s/tool-results/out.txt"), &none), 0);
	assert_int_equal(none.n, 0);
	buf_release(&b);
	buf_release(&none);
}

static void test_claude__own_file_never_leaves_the_folder(void **state)
{
	struct buf b = BUF_INIT(100);
	const char *const out[] = {"/etc/passwd",
				   "p/-proj/s.jsonl",
				   "p/-proj/s",
				   "p/-proj/s/",
				   "p/-proj/secret",
				   "p/-proj/s/../secret",
				   "p/-proj/s/tool-results/../../secret",
				   "p/-proj/s/./secret",
				   "p/-proj/s//secret",
				   "p/-proj/s/dirlink/secret",
				   "p/-proj/s/filelink",
				   "p/-proj/s/tool-results",
				   "p/-proj/s/pipe",
				   "p/-proj/sx/secret",
				   "",
				   "out.txt"};

	(void)state;
	test_dir();
	test_write("p/-proj/s.jsonl", STR("x"));
	test_write("p/-proj/secret", STR("secret"));
	test_write("p/-proj/sx/secret", STR("secret"));
	test_write("p/-proj/s/tool-results/out.txt", STR("output"));
	assert_int_equal(symlink("..", test_path("p/-proj/s/dirlink")), 0);
	assert_int_equal(symlink("../secret", test_path("p/-proj/s/filelink")), 0);
	assert_int_equal(mkfifo(test_path("p/-proj/s/pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++) {
		assert_int_equal(own(*out[i] == 'p' ? test_path(out[i]) : out[i], &b),
				 HF_EFORMAT);
		assert_int_equal(b.n, 0);
	}
	buf_release(&b);
}

static void test_claude__own_file_refuses_a_folder_that_is_a_link(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	test_dir();
	test_write("p/elsewhere/out.txt", STR("secret"));
	test_write("p/-proj/s.jsonl", STR("x"));
	assert_int_equal(symlink("../elsewhere", test_path("p/-proj/s")), 0);
	int ret = own(test_path("p/-proj/s/out.txt"), &b);
	assert_true(ret == HF_EFORMAT || ret == HF_ENOTFOUND);
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static void test_claude__own_file_survives_every_failing_call(void **state)
{
	struct buf b = BUF_INIT(100);
	bool met;
	int n = 0, ret;

	(void)state;
	test_dir();
	test_write("p/-proj/s/tool-results/out.txt", STR("output"));
	do {
		fault_at(++n);
		ret = own(test_path("p/-proj/s/tool-results/out.txt"), &b);
		met = fault_met();
		fault_off();
		assert_true(ret == 0 ? str_eq(buf_str(&b), STR("output"))
				     : ret == HF_EIO);
	} while (met);
	assert_true(n > 2);
	buf_release(&b);
}

/* history */

static int prompt(int64_t at, str project, str display, void *arg)
{
	buf_printf(arg, "%lld %.*s %.*s;", (long long)at, STR_ARG(project),
		   STR_ARG(display));
	return str_eq(display, STR("stop")) ? 7 : 0;
}

#define LINE(session, at, text)                                                          \
	"{\"display\":\"" text "\",\"pastedContents\":{},\"timestamp\":" at              \
	",\"project\":\"/p\",\"sessionId\":\"" session "\"}"

static void test_claude__history_gives_the_sessions_prompts_in_order(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct err e = ERR_INIT;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	assert_int_equal(claude_history(d, STR(SESSION), prompt, &b, &e), HF_ENOTFOUND);
	test_write("claude/history.jsonl",
		   STR(LINE(SESSION, "1", "one") "\n" LINE(
			   OTHER, "2",
			   "two") "\n"
				  "{torn " SESSION
				  "\n\n" LINE(OTHER, "3", "about " SESSION) "\n" LINE(
					  SESSION, "\"x\"",
					  "f\\u00fcr \\\"q\\\"") "\n" LINE(SESSION, "5",
									   "last")));
	assert_int_equal(claude_history(d, STR(SESSION), prompt, &b, NULL), 0);
	assert_string_equal(buf_cstr(&b), "1 /p one;0 /p f\xc3\xbcr \"q\";5 /p last;");
	test_write("claude/history.jsonl",
		   STR(LINE(SESSION, "1", "stop") "\n" LINE(SESSION, "2", "more") "\n"));
	buf_reset(&b);
	assert_int_equal(claude_history(d, STR(SESSION), prompt, &b, NULL), 7);
	assert_string_equal(buf_cstr(&b), "1 /p stop;");
	buf_release(&b);
	free(d);
}

static void test_claude__history_cut_at_every_byte_gives_whole_lines(void **state)
{
	static const char text[] =
		LINE(SESSION, "1", "one") "\n" LINE(SESSION, "2", "two") "\n";
	size_t first = strlen(LINE(SESSION, "1", "one")), n = sizeof(text) - 1;
	struct buf b = BUF_INIT(4096);
	char *d;

	(void)state;
	test_dir();
	d = dir();
	for (size_t cut = 0; cut <= n; cut++) {
		test_write("claude/history.jsonl", (str){text, cut});
		buf_reset(&b);
		assert_int_equal(claude_history(d, STR(SESSION), prompt, &b, NULL), 0);
		assert_string_equal(buf_cstr(&b), cut < first   ? ""
						  : cut < n - 1 ? "1 /p one;"
								: "1 /p one;2 /p two;");
	}
	buf_release(&b);
	free(d);
}

static void test_claude__history_passes_over_lines_that_are_too_long(void **state)
{
	struct buf text = BUF_INIT(64u << 20), b = BUF_INIT(4096);
	char *d;

	(void)state;
	test_dir();
	d = dir();
	buf_add(&text, STR(LINE(SESSION, "1", "one") "\n{\"sessionId\":\"" SESSION
						     "\",\"display\":\""));
	buf_fill(&text, 'x', 9u << 20);
	buf_add(&text, STR("\"}\n" LINE(SESSION, "2", "two") "\n"));
	buf_fill(&text, 'y', 5u << 20);
	test_write("claude/history.jsonl", buf_str(&text));
	assert_int_equal(claude_history(d, STR(SESSION), prompt, &b, NULL), 0);
	assert_string_equal(buf_cstr(&b), "1 /p one;2 /p two;");
	buf_release(&text);
	buf_release(&b);
	free(d);
}

static void test_claude__history_says_which_call_failed(void **state)
{
	bool met;
	int n = 0;
	char *d;

	(void)state;
	test_dir();
	d = dir();
	test_write("claude/history.jsonl", STR(LINE(SESSION, "1", "one") "\n"));
	do {
		struct buf b = BUF_INIT(4096);
		struct err e = ERR_INIT;

		fault_at(++n);
		int ret = claude_history(d, STR(SESSION), prompt, &b, &e);
		met = fault_met();
		fault_off();
		if (ret)
			assert_true(ret == HF_EIO && e.msg[0]);
		else
			assert_string_equal(buf_cstr(&b), "1 /p one;");
		buf_release(&b);
	} while (met);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_claude__walk_finds_session_files_only),
		cmocka_unit_test(
			test_claude__walk_stops_when_asked_and_passes_the_answer_on),
		cmocka_unit_test(test_claude__walk_names_a_folder_that_is_missing),
		cmocka_unit_test(
			test_claude__one_unreadable_folder_does_not_hide_the_others),
		cmocka_unit_test(test_claude__encoding_follows_the_clients_table),
		cmocka_unit_test(test_claude__long_names_are_cut_at_200_units_and_hashed),
		cmocka_unit_test(test_claude__running_needs_the_pid_and_its_start_time),
		cmocka_unit_test(
			test_claude__running_takes_a_start_time_that_is_a_number),
		cmocka_unit_test(test_claude__a_client_that_ended_is_not_running),
		cmocka_unit_test(test_claude__running_survives_every_failing_call),
		cmocka_unit_test(test_claude__tasks_come_by_number),
		cmocka_unit_test(test_claude__a_session_id_is_never_a_path),
		cmocka_unit_test(test_claude__tasks_survive_every_failing_call),
		cmocka_unit_test(test_claude__agents_come_with_what_their_meta_file_says),
		cmocka_unit_test(test_claude__agents_survive_every_failing_call),
		cmocka_unit_test(
			test_claude__own_file_reads_what_lies_in_the_sessions_folder),
		cmocka_unit_test(
			test_claude__own_file_takes_no_more_than_there_is_room_for),
		cmocka_unit_test(test_claude__own_file_never_leaves_the_folder),
		cmocka_unit_test(test_claude__own_file_refuses_a_folder_that_is_a_link),
		cmocka_unit_test(test_claude__own_file_survives_every_failing_call),
		cmocka_unit_test(
			test_claude__history_gives_the_sessions_prompts_in_order),
		cmocka_unit_test(
			test_claude__history_cut_at_every_byte_gives_whole_lines),
		cmocka_unit_test(
			test_claude__history_passes_over_lines_that_are_too_long),
		cmocka_unit_test(test_claude__history_says_which_call_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
