#include "session.h"
#include "work/agents.h"

static struct agents *agents_in(const char *path, bool files)
{
	static const struct transcript_caps caps = {2048, 256, 2048, 256,
						    2048, 256, false};
	struct source src = session_open(path);
	struct transcript *t = transcript_new(&src, 0, &caps);
	struct agents *a = agents_new();
	const struct record *r;
	enum transcript_got got;

	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD)
			agents_add(a, r);
	transcript_free(t);
	source_release(&src);
	if (files)
		agents_files(a, path);
	return a;
}

static struct agents *agents_of(str text)
{
	test_dir();
	test_write("session.jsonl", text);
	return agents_in(test_path("session.jsonl"), false);
}

static str answer_of(const struct agent *g)
{
	return (str){g->answer.p, g->answer.n};
}

static void test_agents__under_every_name(void **s)
{
	struct agents *a = agents_in("fixtures/transcripts/dispatch-names.jsonl", false);

	(void)s;
	assert_int_equal(a->n, 3);
	assert_string_equal(a->item[0].tool, "Task");
	assert_string_equal(a->item[1].tool, "Agent");
	assert_string_equal(a->item[2].tool, "Delegate");
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->item[i].state, AGENT_DONE);
		assert_true(str_ends(answer_of(&a->item[i]), STR("found a loose wire.")));
		assert_int_equal(a->item[i].result, a->item[i].call + 1);
	}
	agents_free(a);
}

static void test_agents__by_notifications_however_often(void **s)
{
	struct agents *a =
		agents_in("fixtures/transcripts/task-notifications.jsonl", false);

	(void)s;
	assert_int_equal(a->n, 3);
	assert_int_equal(a->item[0].state, AGENT_DONE);
	assert_true(str_starts(answer_of(&a->item[0]), STR("Wiring is sound.")));
	assert_int_equal(a->item[1].state, AGENT_FAILED);
	assert_string_equal(a->item[1].status, "failed");
	assert_int_equal(a->item[2].state, AGENT_LAUNCHED);
	assert_true(a->item[2].background);
	assert_int_equal(a->item[2].result, 0);
	agents_free(a);
}

#define CALL(id, more)                                                                          \
	"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"" id \
	"\"," more "}]}}\n"
#define RESULT(id, text, result)                                                                       \
	"{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
	"\",\"content\":\"" text "\"}]},\"toolUseResult\":" result "}\n"

static void test_agents__known_by_their_result(void **s)
{
	struct agents *a = agents_of(STR(
		CALL("1", "\"name\":\"Odd\",\"input\":{\"x\":1}") CALL(
			"2", "\"name\":\"Bash\",\"input\":{}")
			RESULT("1", "fine\\nagentId: a9 (internal)",
			       "{\"agentId\":\"a9\",\"totalTokens\":12,\"agentType\":\"scout\"}")
				RESULT("2", "x", "{\"stdout\":\"x\"}")));

	(void)s;
	assert_int_equal(a->n, 1);
	assert_string_equal(a->item[0].tool, "Odd");
	assert_string_equal(a->item[0].agent_id, "a9");
	assert_string_equal(a->item[0].type, "scout");
	assert_int_equal(a->item[0].tokens, 12);
	assert_int_equal(a->item[0].call, 1);
	assert_str(answer_of(&a->item[0]), STR("fine"));
	agents_free(a);
}

static void test_agents__a_notification_by_task_id(void **s)
{
	static const char note[] =
		"{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"<task-notification>\\n<task-id>a9</task-id>\\n"
		"<status>completed</status>\\n<result>all good\"}\n";
	struct agents *a;
	struct buf text = BUF_INIT(1 << 16);

	(void)s;
	buf_add(&text,
		STR(CALL("1", "\"name\":\"Agent\",\"input\":{\"prompt\":\"p\"}") RESULT(
			"1", "launched",
			"{\"status\":\"async_launched\",\"agentId\":\"a9\"}")));
	buf_add(&text, str_of(note));
	a = agents_of(buf_str(&text));
	assert_int_equal(a->n, 1);
	assert_int_equal(a->item[0].state, AGENT_DONE);
	assert_int_equal(a->item[0].result, 3);
	assert_str(answer_of(&a->item[0]), STR("all good")); /* cut before </result> */
	assert_non_null(agents_find(a, STR("1")));
	assert_null(agents_find(a, STR("2")));
	assert_null(agents_find(a, STR_NONE));
	agents_free(a);
	buf_release(&text);
}

static void test_agents__inline_side_chains(void **s)
{
	struct agents *a =
		agents_in("fixtures/transcripts/inline-sidechains.jsonl", false);

	(void)s;
	assert_int_equal(a->n, 1);
	assert_true(a->item[0].records >= 2);
	agents_free(a);
	/* not answered: its last text stands for the answer */
	a = agents_of(STR(CALL(
		"1",
		"\"name\":\"Task\",\"input\":{\"prompt\":\"look\"}") "{\"type\":\"user\",\"uuid\":\"s1\",\"isSidechain\":true,\"message\":{\"content\":\"look\"}}\n"
								     "{\"type\":\"assistant\",\"uuid\":\"s2\",\"parentUuid\":\"s1\",\"isSidechain\":true,\"message\":{\"content\":"
								     "[{\"type\":\"text\",\"text\":\"looking\"}]}}\n"));
	assert_int_equal(a->item[0].state, AGENT_OPEN);
	assert_int_equal(a->item[0].records, 2);
	assert_str(answer_of(&a->item[0]), STR("looking"));
	agents_free(a);
}

static void test_agents__a_file_tells_what_ran_at_death(void **s)
{
	struct agents *a = agents_in("fixtures/transcripts/killed-mid-agent.jsonl", true);
	const struct agent *g;

	(void)s;
	assert_int_equal(a->n, 1);
	g = &a->item[0];
	assert_int_equal(g->state, AGENT_OPEN);
	assert_non_null(g->file);
	assert_non_null(g->end);
	assert_int_equal(g->end->kind, ENDING_KILLED_TOOL);
	assert_string_equal(g->end->open[0].what, "make lint");
	agents_free(a);
}

static void test_agents__files_beside_the_session(void **s)
{
	const char *folder = "projects/-home-dev-lantern/";
	static const char *const name[] = {"agent-1a2b3c4d.jsonl",
					   "agent-5e6f7a8b.jsonl"};
	str text = session_read("fixtures/transcripts/agents-2.0.42.jsonl"), id;
	struct buf path = BUF_INIT(4096), from = BUF_INIT(4096);
	struct agents *a;
	size_t at;

	(void)s;
	test_dir();
	at = str_find(text, STR("\"sessionId\":\""));
	id = str_head(str_from(text, at + 13), 36);
	buf_printf(&path, "%s%.*s.jsonl", folder, STR_ARG(id));
	test_write(buf_cstr(&path), text);
	for (int i = 0; i < 2; i++) {
		struct buf to = BUF_INIT(4096);

		buf_reset(&from);
		buf_printf(&from, "fixtures/transcripts/agents-2.0.42/%s", name[i]);
		buf_printf(&to, "%s%s", folder, name[i]);
		test_write(buf_cstr(&to), session_read(buf_cstr(&from)));
		buf_release(&to);
	}
	a = agents_in(test_path(buf_cstr(&path)), true);
	assert_int_equal(a->n, 1);
	assert_non_null(a->item[0].file);
	assert_true(a->item[0].records > 1);
	assert_int_equal(a->item[0].end->kind, ENDING_CLEAN);
	agents_free(a);
	buf_release(&path);
	buf_release(&from);
}

static void test_agents__a_file_without_a_dispatch_is_told(void **s)
{
	struct agents *a;

	(void)s;
	test_dir();
	test_write("p/S.jsonl",
		   STR("{\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n"));
	test_write(
		"p/S/subagents/agent-q.jsonl",
		STR("{\"type\":\"user\",\"isSidechain\":true,\"agentId\":\"q\",\"message\":{\"content\":\"find it\"}}\n"
		    "{\"type\":\"assistant\",\"isSidechain\":true,\"agentId\":\"q\",\"message\":{\"content\":[{\"type\":\"text\","
		    "\"text\":\"found\"}]}}\n"));
	test_write(
		"p/S/subagents/agent-w.jsonl",
		STR("{\"type\":\"user\",\"isSidechain\":true,\"agentId\":\"w\",\"message\":{\"content\":\"Warmup\"}}\n"));
	a = agents_in(test_path("p/S.jsonl"), true);
	assert_true(a->n >= 1);
	assert_int_equal(a->item[0].call, 0);
	assert_string_equal(a->item[0].agent_id, "q");
	assert_str(answer_of(&a->item[0]), STR("found"));
	agents_free(a);
}

static void test_agents__unreadable_files_are_passed_over(void **s)
{
	int n = 0;
	bool met;

	(void)s;
	do {
		struct agents *a;

		test_dir();
		test_write(
			"p/S.jsonl",
			STR(CALL(
				"1",
				"\"name\":\"Agent\",\"input\":{\"prompt\":\"find it\"}")));
		test_write(
			"p/S/subagents/agent-q.jsonl",
			STR("{\"type\":\"user\",\"isSidechain\":true,\"agentId\":\"q\",\"message\":{\"content\":\"find it\"}}\n"
			    "{\"type\":\"assistant\",\"isSidechain\":true,\"agentId\":\"q\",\"message\":{\"content\":[]}}\n"));
		a = agents_in(test_path("p/S.jsonl"), false);
		fault_at(++n);
		agents_files(a, test_path("p/S.jsonl"));
		met = fault_met();
		fault_off();
		assert_int_equal(a->n, 1);
		if (!met)
			assert_non_null(a->item[0].file);
		agents_free(a);
	} while (met);
	assert_true(n > 4);
}

static void test_agents__the_newest_are_kept(void **s)
{
	struct buf text = BUF_INIT(1 << 20);
	struct agents *a;

	(void)s;
	for (int i = 0; i < AGENTS_MAX + 10; i++)
		buf_printf(
			&text,
			"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t%d\",\"name\":\"Agent\","
			"\"input\":{\"prompt\":\"p\"}}]}}\n",
			i);
	a = agents_of(buf_str(&text));
	assert_int_equal(a->n, AGENTS_MAX);
	assert_int_equal(a->dropped, 10);
	assert_string_equal(a->item[0].id, "t10");
	agents_free(a);
	buf_release(&text);
}

static void finishes(const char *path)
{
	struct agents *a = agents_in(path, true);

	for (size_t i = 0; i < a->n; i++)
		assert_non_null(agents_state_name(a->item[i].state));
	agents_free(a);
}

static void test_agents__of_every_session(void **s)
{
	(void)s;
	assert_true(session_all(finishes) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agents__under_every_name),
		cmocka_unit_test(test_agents__by_notifications_however_often),
		cmocka_unit_test(test_agents__known_by_their_result),
		cmocka_unit_test(test_agents__a_notification_by_task_id),
		cmocka_unit_test(test_agents__inline_side_chains),
		cmocka_unit_test(test_agents__a_file_tells_what_ran_at_death),
		cmocka_unit_test(test_agents__files_beside_the_session),
		cmocka_unit_test(test_agents__a_file_without_a_dispatch_is_told),
		cmocka_unit_test(test_agents__unreadable_files_are_passed_over),
		cmocka_unit_test(test_agents__the_newest_are_kept),
		cmocka_unit_test(test_agents__of_every_session),
	};

	return cmocka_run_group_tests_name("agents", tests, NULL, NULL);
}
