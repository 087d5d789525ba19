#include "fault.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "base/clock.h"
#include "data/jsondoc.h"
#include "work/docs.h"
#include "work/lifecycle.h"
#include "work/lifecycle_parts.h"

#define A "aaaaaaaa-2222-4333-8444-555555555555"
#define B "bbbbbbbb-2222-4333-8444-555555555555"
#define C "cccccccc-2222-4333-8444-555555555555"

static struct {
	struct buf reply;
	char context[20000], notice[1000];
	int ret;
	struct err e;
} got;

static int64_t deadline;
static size_t early_replies;

static void note_early(const struct buf *reply)
{
	early_replies += reply != NULL;
}

static void set_up(void)
{
	test_dir();
	setenv("HANDOFF_NOW", "2026-07-16T12:00:00Z", 1);
	unsetenv("CLAUDE_CODE_ENTRYPOINT");
	assert_int_equal(mkdir(test_path("gate"), 0700), 0);
	setenv("CLAUDE_PROJECT_DIR", test_path("gate"), 1);
	deadline = 0;
	early_replies = 0;
}

static const char *transcript_of(const char *session)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%.8s.jsonl", test_path("claude/projects/p"),
		 session);
	return path;
}

/* One event by a client with this pid; what it said is in `got`. */
static void fire(const char *session, int64_t pid, const char *event, const char *more)
{
	static const struct {
		enum hook_kind kind;
		int (*fn)(struct lifecycle *l, struct buf *reply, struct err *e);
	} RUN[] = {
		{HOOK_SESSION_START, lifecycle_session_start},
		{HOOK_USER_PROMPT, lifecycle_user_prompt},
		{HOOK_PRE_COMPACT, lifecycle_pre_compact},
		{HOOK_STOP, lifecycle_stop},
		{HOOK_STOP_FAILURE, lifecycle_stop_failure},
		{HOOK_SUBAGENT_STOP, lifecycle_subagent_stop},
		{HOOK_SESSION_END, lifecycle_session_end},
	};
	struct lifecycle_options o = {
		.pid = pid, .deadline_ns = deadline, .early = note_early};
	struct buf in = BUF_INIT(20000);
	struct jsondoc *d;
	struct lifecycle l;
	struct hookio h;

	buf_release(&got.reply);
	memset(&got, 0, sizeof(got));
	got.reply = BUF_INIT(1 << 20);
	buf_printf(&in,
		   "{\"session_id\":\"%s\",\"transcript_path\":\"%s\",\"cwd\":\"%s\","
		   "\"hook_event_name\":\"%s\"%s%s}",
		   session, transcript_of(session), test_path("gate"), event,
		   *more ? "," : "", more);
	assert_int_equal(hookio_parse(&h, buf_str(&in), NULL), 0);
	got.ret = lifecycle_open(&l, &h, &o, &got.e);
	for (size_t i = 0; i < 7 && got.ret == LIFECYCLE_GO; i++)
		if (RUN[i].kind == h.kind) {
			got.ret = RUN[i].fn(&l, &got.reply, &got.e);
			break;
		}
	lifecycle_close(&l);
	hookio_release(&h);
	buf_release(&in);
	if (!got.reply.n || got.reply.p[0] != '{')
		return;
	d = jsondoc_parse(buf_str(&got.reply), 1 << 20, NULL);
	assert_non_null(d);
	snprintf(got.context, sizeof(got.context), "%.*s",
		 STR_ARG(jsondoc_str(
			 jsondoc_get(jsondoc_get(jsondoc_root(d), "hookSpecificOutput"),
				     "additionalContext"))));
	snprintf(got.notice, sizeof(got.notice), "%.*s",
		 STR_ARG(jsondoc_str(jsondoc_get(jsondoc_root(d), "systemMessage"))));
	jsondoc_free(d);
}

static bool said(const char *words)
{
	return strstr(got.context, words) != NULL;
}

/* A transcript with one prompt and one edit; killed: inside a command. */
static void write_transcript(const char *session, const char *prompt, bool killed)
{
	struct buf b = BUF_INIT(20000);
	char head[600];

	snprintf(
		head, sizeof(head),
		"\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"%s\",\"sessionId\":\"%s\","
		"\"version\":\"2.1.197\",\"gitBranch\":\"main\"",
		test_path("gate"), session);
	buf_printf(
		&b,
		"{\"parentUuid\":null,%s,\"type\":\"user\",\"uuid\":\"u1\",\"timestamp\":"
		"\"2026-07-16T10:00:01Z\",\"message\":{\"role\":\"user\",\"content\":\"%s\"}}\n",
		head, prompt);
	buf_printf(
		&b,
		"{\"parentUuid\":\"u1\",%s,\"type\":\"assistant\",\"uuid\":\"u2\",\"timestamp\":"
		"\"2026-07-16T10:00:02Z\",\"message\":{\"id\":\"m\",\"role\":\"assistant\","
		"\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Edit\",\"input\":"
		"{\"file_path\":\"/x/gate.c\",\"old_string\":\"a\",\"new_string\":\"b\"}}]}}\n",
		head);
	buf_printf(
		&b,
		"{\"parentUuid\":\"u2\",%s,\"type\":\"user\",\"uuid\":\"u3\",\"timestamp\":"
		"\"2026-07-16T10:00:03Z\",\"message\":{\"role\":\"user\",\"content\":"
		"[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"updated\"}]}}\n",
		head);
	buf_printf(
		&b,
		"{\"parentUuid\":\"u3\",%s,\"type\":\"assistant\",\"uuid\":\"u4\",\"timestamp\":"
		"\"2026-07-16T10:00:04Z\",\"message\":{\"id\":\"n\",\"role\":\"assistant\","
		"\"content\":[%s]}}\n",
		head,
		killed ? "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Bash\",\"input\":"
			 "{\"command\":\"make weigh\"}}"
		       : "{\"type\":\"text\",\"text\":\"The gate is mended.\"}");
	if (!killed)
		buf_printf(
			&b,
			"{\"type\":\"last-prompt\",\"lastPrompt\":\"x\",\"leafUuid\":\"u4\","
			"\"sessionId\":\"%s\"}\n",
			session);
	test_write(transcript_of(session), buf_str(&b));
	buf_release(&b);
}

/* The pid of a process that has come and gone. */
static int64_t dead_pid(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(0);
	assert_true(waitpid(child, &status, 0) == child);
	return child;
}

/* A process that lives until the end of the test. */
static pid_t living(void)
{
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			pause();
	}
	return child;
}

static void end_process(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static struct journal *entry(const char *session)
{
	char state[300];

	snprintf(state, sizeof(state), "%s", test_path("home/.local/state/handoff"));
	if (getenv("XDG_STATE_HOME"))
		snprintf(state, sizeof(state), "%s/handoff", getenv("XDG_STATE_HOME"));
	return journal_open(state, str_of(session), NULL);
}

/* Session A of a client that died inside a command. */
static void a_dies(void)
{
	pid_t client = living();

	fire(A, client, "SessionStart", "\"source\":\"startup\"");
	assert_int_equal(got.ret, 0);
	write_transcript(A, "Never close the gate. Mend it.", true);
	end_process(client);
}

static void load(struct docs *d)
{
	struct vault v;

	assert_int_equal(vault_open(&v, NULL, NULL), 0);
	assert_int_equal(docs_load(d, &v, STR("gate"), true, NULL), 0);
	vault_release(&v);
}

static const char *status_word(void)
{
	static const char *word;
	struct docs d;

	load(&d);
	word = d.n == 1 ? docs_status_name(d.item[0].status) : d.n ? "many" : "none";
	docs_release(&d);
	return word;
}

static void test_lifecycle__a_dead_session_is_recovered_at_the_next_start(void **state)
{
	struct journal *j;

	(void)state;
	set_up();
	a_dies();
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_int_equal(got.ret, 0);
	assert_true(said("make weigh"));
	assert_true(said("Never close the gate"));
	assert_true(strncmp(got.notice, "handoff: ", 9) == 0);
	assert_int_equal(early_replies, 1);
	j = entry(A);
	assert_true(j->done);
	assert_int_equal(j->state, JOURNAL_RECOVERED);
	journal_free(j);
	assert_string_equal(status_word(), "pending");
}

static void
test_lifecycle__without_time_it_is_announced_with_the_exact_command(void **state)
{
	struct journal *j;

	(void)state;
	set_up();
	a_dies();
	deadline =
		clock_mono_ns() + 20000000; /* less than keep leaves free for rendering */
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	if (!said("/recover " A)) /* a fast machine may have managed */
		assert_true(said("make weigh"));
	j = entry(A);
	if (said("/recover " A))
		assert_false(j->done);
	journal_free(j);
	deadline = 0;
	fire(C, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_true(said("make weigh"));
}

static void
test_lifecycle__a_session_of_another_machine_is_left_while_it_writes(void **state)
{
	struct utimbuf old = {1752576000, 1752576000};
	struct journal *j;

	(void)state;
	set_up();
	unsetenv("HANDOFF_NOW");
	a_dies();
	j = entry(A);
	j->process.host[0] ^= 1;
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_int_equal(got.reply.n, 0);
	assert_string_equal(status_word(), "none");
	assert_int_equal(utime(transcript_of(A), &old), 0);
	fire(C, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_true(said("make weigh"));
}

static void test_lifecycle__a_living_session_is_left_alone(void **state)
{
	pid_t client = living();

	(void)state;
	set_up();
	fire(A, client, "SessionStart", "\"source\":\"startup\"");
	write_transcript(A, "Never close the gate. Mend it.", true);
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_int_equal(got.reply.n, 0);
	end_process(client);
}

static void test_lifecycle__old_entries_of_other_projects_are_retired(void **state)
{
	struct journal *j;

	(void)state;
	set_up();
	a_dies();
	j = entry(A);
	journal_set(&j->project, STR("elsewhere"));
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	j = entry(A);
	assert_false(j->done);
	j->last_event_at -= (int64_t)31 * 24 * 3600 * 1000;
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	fire(C, getpid(), "SessionStart", "\"source\":\"startup\"");
	j = entry(A);
	assert_true(j->done);
	journal_free(j);
}

static void test_lifecycle__what_counts_as_a_prompt(void **state)
{
	static const struct {
		const char *prompt;
		bool claims;
	} CASE[] = {
		{"", false},
		{" \\n\\t", false},
		{"/clear", false},
		{"/handoff focus on the gate", false},
		{"/plugin:skill-name x", false},
		{"<task-notification><task-id>1</task-id></task-notification>", false},
		{"<command-name>/x</command-name>", false},
		{"  /status", false},
		{"/", true},
		{"/ is the root", true},
		{"/srv/gate is gone", true},
		{"yes", true},
		{"<b>bold</b> words", true},
		{"\\u0434\\u0430\\u043b\\u044c\\u0448\\u0435", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(CASE) / sizeof(CASE[0]); i++) {
		char more[200];

		set_up();
		a_dies();
		fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
		snprintf(more, sizeof(more), "\"prompt\":\"%s\"", CASE[i].prompt);
		fire(B, getpid(), "UserPromptSubmit", more);
		assert_int_equal(got.reply.n, 0);
		assert_string_equal(status_word(),
				    CASE[i].claims ? "claimed" : "pending");
	}
}

static void test_lifecycle__a_claim_that_met_a_held_lock_is_made_up_for(void **state)
{
	struct vault v;

	(void)state;
	set_up();
	a_dies();
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_int_equal(vault_open(&v, NULL, NULL), 0);
	assert_int_equal(vault_lock(&v, 0, NULL), 0);
	fire(B, getpid(), "UserPromptSubmit", "\"prompt\":\"go on\"");
	assert_int_equal(got.reply.n, 0);
	vault_release(&v);
	assert_string_equal(status_word(), "pending");
	fire(B, getpid(), "UserPromptSubmit", "\"prompt\":\"go on\"");
	assert_string_equal(status_word(), "claimed");
}

static void test_lifecycle__ids_of_processes_come_back_in_a_fork(void **state)
{
	struct journal *j;
	pid_t client = living();

	(void)state;
	set_up();
	fire(A, client, "SessionStart", "\"source\":\"startup\"");
	write_transcript(A, "Never close the gate. Mend it.", false);
	fire(A, client, "Stop", "");
	fire(B, client, "SessionStart", "\"source\":\"fork\"");
	j = entry(A);
	assert_int_equal(j->state, JOURNAL_FORKED);
	journal_free(j);
	j = entry(B);
	assert_string_equal(j->previous, A);
	journal_free(j);
	write_transcript(B, "Never close the gate. Mend it.", false);
	fire(B, client, "Stop", "");
	fire(B, client, "SessionEnd", "\"reason\":\"other\"");
	fire(C, getpid(), "SessionStart", "\"source\":\"startup\"");
	{
		struct docs d;
		const struct docs_item *parent;

		load(&d);
		parent = docs_named(&d, STR("20260716T100001Z_aaaaaaaa.md"));
		assert_non_null(parent);
		assert_int_equal(parent->status, DOCS_SUPERSEDED);
		docs_release(&d);
	}
	end_process(client);
}

static void test_lifecycle__a_text_is_said_once(void **state)
{
	struct journal j = {0};

	(void)state;
	assert_true(lifecycle_once(&j, STR("one")));
	assert_false(lifecycle_once(&j, STR("one")));
	assert_true(lifecycle_once(&j, STR("two")));
	journal_list_clear(j.shown);
	assert_true(lifecycle_once(&j, STR("one")));
	journal_list_clear(j.shown);
}

static const char *document(const char *kind, const char *done, const char *next)
{
	static char text[2][2000];
	static int turn;
	char *t = text[turn++ % 2];

	snprintf(
		t, sizeof(text[0]),
		"---\ntype: handoff\nsource_session: x\nkind: %s\nstatus: pending\n---\n\n"
		"# Handoff: Gate\n\n## Goal\nMend it.\n\n## Done\n%s\n\n## Next\n%s\n\n"
		"## Hazards (never filtered)\nNone.\n\n## Key Context\nNone.\n\n"
		"## Environment\nNone.\n\n## Files to Read\nNone.\n\n"
		"## Verify Before Continuing\nNone.\n\n## Known Gaps\nNone.\n",
		kind, done, next);
	return t;
}

static str carried(const char *done, const char *next, const char *from)
{
	static struct buf out = BUF_INIT(1 << 20);
	struct handoff_doc d;

	buf_release(&out);
	out = BUF_INIT(1 << 20);
	if (!lifecycle_carry(&out, str_of(document("auto", done, next)),
			     str_of(document("auto", "None.", from)), STR("old.md")))
		return STR_NONE;
	assert_int_equal(handoff_read(&d, buf_str(&out), NULL), 0);
	return str_trim(d.next);
}

static void test_lifecycle__what_is_not_done_goes_on(void **state)
{
	struct buf out = BUF_INIT(1 << 20);

	(void)state;
	assert_str(
		carried("- Mended the gate", "1. Paint the barrier",
			"1. Mend the gate\n2. Oil the hinges\n- [ ] Weigh lorries twice\n"
			"- [x] Sweep the yard\nNo todo is open."),
		STR("1. Paint the barrier\n2. Oil the hinges (carried from old.md)\n"
		    "3. Weigh lorries twice (carried from old.md)"));
	/* what is known already, or comes from further back, is not said twice */
	assert_str(carried("None.", "1. Oil the hinges", "1. Oil the hinges\n"),
		   STR_NONE);
	assert_str(carried("None.", "None.", "1. Oil the hinges (carried from older.md)"),
		   STR("None.\n1. Oil the hinges (carried from older.md)"));
	assert_str(carried("None.", "None.", "None."), STR_NONE);
	/* in any script */
	assert_str(carried("- \xd1\x81\xd0\xbc\xd0\xb0\xd0\xb7\xd0\xb0\xd0\xbb\xd0\xb8 "
			   "\xd0\xbf\xd0\xb5\xd1\x82\xd0\xbb\xd0\xb8",
			   "None.", "1. \xd0\xbf\xd0\xb5\xd1\x82\xd0\xbb\xd0\xb8\n"),
		   STR_NONE);
	/* what the model wrote itself stays as it is */
	assert_false(lifecycle_carry(
		&out, str_of(document("manual", "None.", "None.")),
		str_of(document("auto", "None.", "1. Oil the hinges")), STR("old.md")));
	assert_int_equal(out.n, 0);
	buf_release(&out);
}

static void test_lifecycle__what_waits_too_long_makes_room(void **state)
{
	struct docs d;
	size_t waiting = 0, manual = 0;

	(void)state;
	set_up();
	for (int i = 0; i < 60; i++) {
		char path[200], session[16];

		snprintf(session, sizeof(session), "%08x", i);
		snprintf(path, sizeof(path),
			 "vault/gate/handoffs/20260101T0000%02dZ_%s.md", i, session);
		test_write(path,
			   str_of(document(i < 2 ? "manual" : "auto", "None.", "None.")));
	}
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	for (int i = 0; i < 5; i++) {
		fire(A, getpid(), "SessionStart", "\"source\":\"startup\"");
		fire(A, getpid(), "SessionEnd", "\"reason\":\"other\"");
	}
	load(&d);
	for (size_t i = 0; i < d.n; i++) {
		waiting += d.item[i].status == DOCS_PENDING;
		manual += d.item[i].status == DOCS_PENDING &&
			  d.item[i].kind == HANDOFF_MANUAL;
	}
	assert_int_equal(d.n, 60);
	assert_int_equal(waiting, LIFECYCLE_PENDING);
	assert_int_equal(manual, 2); /* what a person wrote stays */
	docs_release(&d);
}

static void test_lifecycle__an_entry_without_a_process_is_dead(void **state)
{
	(void)state;
	set_up();
	fire(A, dead_pid(), "SessionStart", "\"source\":\"startup\"");
	write_transcript(A, "Never close the gate. Mend it.", true);
	fire(B, getpid(), "SessionStart", "\"source\":\"startup\"");
	assert_true(said("make weigh"));
}

/* Each event with each of its calls failing: no crash, a whole reply or none. */
static void torture(const char *session, const char *event, const char *more)
{
	bool met;
	int n = 0;

	do {
		set_up();
		a_dies();
		if (strcmp(event, "SessionStart") != 0) {
			fire(session, getpid(), "SessionStart", "\"source\":\"startup\"");
			write_transcript(session, "Never sell the gate. Paint it.",
					 false);
			fire(session, getpid(), "UserPromptSubmit", "\"prompt\":\"x\"");
			fire(session, getpid(), "Stop", "");
		}
		n += n < 150 ? 1
			     : 37; /* a walk over /proc makes many calls of one kind */
		fault_at(n);
		fire(session, getpid(), event, more);
		met = fault_met();
		fault_off();
		{
			struct docs d;

			load(&d);
			assert_int_equal(d.odd, 0);
			docs_release(&d);
		}
		fire(C, getpid(), "SessionStart", "\"source\":\"startup\"");
	} while (met);
	assert_true(n > 10);
}

static void test_lifecycle__every_failing_call_of_a_start(void **state)
{
	(void)state;
	torture(B, "SessionStart", "\"source\":\"startup\"");
}

static void test_lifecycle__every_failing_call_of_a_resume(void **state)
{
	(void)state;
	torture(A, "SessionStart", "\"source\":\"resume\"");
}

static void test_lifecycle__every_failing_call_of_a_prompt(void **state)
{
	(void)state;
	torture(B, "UserPromptSubmit", "\"prompt\":\"go on\"");
}

static void test_lifecycle__every_failing_call_of_a_compaction(void **state)
{
	(void)state;
	torture(B, "PreCompact", "\"trigger\":\"auto\"");
}

static void test_lifecycle__every_failing_call_of_an_end(void **state)
{
	(void)state;
	torture(B, "SessionEnd", "\"reason\":\"other\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_lifecycle__a_dead_session_is_recovered_at_the_next_start),
		cmocka_unit_test(
			test_lifecycle__without_time_it_is_announced_with_the_exact_command),
		cmocka_unit_test(
			test_lifecycle__a_session_of_another_machine_is_left_while_it_writes),
		cmocka_unit_test(test_lifecycle__a_living_session_is_left_alone),
		cmocka_unit_test(
			test_lifecycle__old_entries_of_other_projects_are_retired),
		cmocka_unit_test(test_lifecycle__what_counts_as_a_prompt),
		cmocka_unit_test(
			test_lifecycle__a_claim_that_met_a_held_lock_is_made_up_for),
		cmocka_unit_test(test_lifecycle__ids_of_processes_come_back_in_a_fork),
		cmocka_unit_test(test_lifecycle__a_text_is_said_once),
		cmocka_unit_test(test_lifecycle__what_is_not_done_goes_on),
		cmocka_unit_test(test_lifecycle__what_waits_too_long_makes_room),
		cmocka_unit_test(test_lifecycle__an_entry_without_a_process_is_dead),
		cmocka_unit_test(test_lifecycle__every_failing_call_of_a_start),
		cmocka_unit_test(test_lifecycle__every_failing_call_of_a_resume),
		cmocka_unit_test(test_lifecycle__every_failing_call_of_a_prompt),
		cmocka_unit_test(test_lifecycle__every_failing_call_of_a_compaction),
		cmocka_unit_test(test_lifecycle__every_failing_call_of_an_end),
	};

	return cmocka_run_group_tests_name("lifecycle", tests, NULL, NULL);
}
