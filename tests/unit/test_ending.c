/*
 * Every session of fixtures/transcripts and, where there is one, of the corpus, with the
 * kind of its end as its README tells it.
 */
#include "session.h"
#include "base/clock.h"
#include "work/ending.h"
#include "work/tree.h"

#define TAIL_BYTES (256u << 10) /* what a listing reads of a file's end */

struct end_of {
	const char *name, *kind;
};

static const struct end_of FIXTURES[] = {
	{"after-clear", "clean"},
	{"agents-2.0.42", "clean"},
	{"answer-before-prompt", "clean"},
	{"api-error-retries", "api-error"},
	{"ascii-only", "clean"},
	{"ask-user", "clean"},
	{"background-bash", "clean"},
	{"bad-line-2-of-100", "clean"},
	{"blank-lines", "clean"},
	{"bom", "clean"},
	{"clean-exit", "clean"},
	{"clean-print", "clean"},
	{"cleared", "killed-idle"},
	{"cli-clean", "clean"},
	{"cli-empty", "empty"},
	{"cli-killed", "killed-tool"},
	{"cli-old", "clean"},
	{"cli-renamed", "killed-tool"},
	{"cli-torn", "torn"},
	{"command-noise", "clean"},
	{"compact-1.0.44", "clean"},
	{"compact-auto", "clean"},
	{"compact-first", "killed-tool"},
	{"compact-manual", "killed-tool"},
	{"compact-no-summary", "compacting"},
	{"compact-old-boundary", "killed-tool"},
	{"compact-twice", "killed-tool"},
	{"constraints", "killed-tool"},
	{"control-bytes-in-string", "clean"},
	{"crlf", "clean"},
	{"cwd-changes", "clean"},
	{"deep-nesting", "clean"},
	{"dispatch-names", "clean"},
	{"dup-uuids-forked", "clean"},
	{"duplicate-keys", "clean"},
	{"empty", "empty"},
	{"error-1.0", "rate-limit"},
	{"error-2.1.30", "rate-limit"},
	{"error-auth", "api-error"},
	{"error-connection", "api-error"},
	{"error-context", "context-full"},
	{"error-credit", "api-error"},
	{"error-invalid", "api-error"},
	{"error-max-tokens", "output-limit"},
	{"error-model", "api-error"},
	{"error-new-kind", "api-error"},
	{"error-overloaded-new", "api-error"},
	{"error-overloaded", "api-error"},
	{"error-rate-limit", "rate-limit"},
	{"error-recovered", "clean"},
	{"error-refusal", "refused"},
	{"error-server-error", "api-error"},
	{"error-then-killed", "rate-limit"},
	{"error-usage-limit", "rate-limit"},
	{"escaped-keys", "clean"},
	{"filler-with-order", "killed-tool"},
	{"fillers", "killed-tool"},
	{"fork-copy", "clean"},
	{"fork-original", "clean"},
	{"garbage-head", "clean"},
	{"glued-braces", "clean"},
	{"glued-lines", "clean"},
	{"history-damaged", "empty"},
	{"hooks", "clean"},
	{"hostile-text", "clean"},
	{"image", "clean"},
	{"inline-sidechains", "killed-tool"},
	{"interrupted-mid-text", "interrupted"},
	{"interrupted", "interrupted"},
	{"killed-before-answer", "killed-turn"},
	{"killed-mid-agent", "killed-agent"},
	{"killed-mid-bash", "killed-tool"},
	{"killed-mid-stream", "killed-turn"},
	{"lone-surrogates", "clean"},
	{"long-line", "clean"},
	{"lp-in-the-middle", "killed-tool"},
	{"many-blocks", "clean"},
	{"microcompact", "killed-tool"},
	{"missing-fields", "clean"},
	{"no-final-newline", "killed-tool"},
	{"not-objects", "clean"},
	{"nul-only", "unreadable"},
	{"nul-run-between", "clean"},
	{"nul-run-in-record", "clean"},
	{"nul-run-inside", "clean"},
	{"nul-tail-whole", "killed-tool"},
	{"nul-tail", "torn"},
	{"numbers", "clean"},
	{"only-metadata", "empty"},
	{"only-newlines", "empty"},
	{"parallel-results", "killed-tool"},
	{"parent-cycle", "clean"},
	{"pasted-log", "killed-tool"},
	{"persisted-output", "clean"},
	{"phantom-parent", "clean"},
	{"plan", "killed-tool"},
	{"progress-in-chain", "clean"},
	{"queued-command", "killed-tool"},
	{"raw-bytes-in-result", "clean"},
	{"resume-copy-1.0.44", "clean"},
	{"resumed-after-kill", "clean"},
	{"rewind-leaf-back", "clean"},
	{"rewind-leaf", "clean"},
	{"rewind-no-leaf", "killed-tool"},
	{"secret-across-64k", "clean"},
	{"secrets-in-prompts", "killed-tool"},
	{"secrets-in-results", "killed-idle"},
	{"secrets-none", "clean"},
	{"seed-format", "killed-turn"},
	{"sigterm-mid-bash", "terminated"},
	{"sigterm-open", "terminated"},
	{"spaces-between-tokens", "clean"},
	{"summary-title", "clean"},
	{"task-notifications", "killed-idle"},
	{"tasks", "killed-tool"},
	{"thinking", "clean"},
	{"titles", "clean"},
	{"todowrite-1.0", "clean"},
	{"todowrite", "killed-tool"},
	{"torn-last-line", "torn"},
	{"torn-utf8", "torn"},
	{"two-terminals", "killed-tool"},
	{"type-after-content", "clean"},
	{"type-inside-text", "killed-idle"},
	{"unknown-types", "clean"},
	{"windows-paths", "clean"},
};

static const struct end_of GENERATED[] = {
	{"api-error-400-invalid", "api-error"},
	{"api-error-401-auth", "api-error"},
	{"api-error-404-model", "api-error"},
	{"api-error-429-rate-limit", "rate-limit"},
	{"api-error-500", "api-error"},
	{"api-error-529-overloaded", "api-error"},
	{"api-error-credit-balance", "api-error"},
	{"api-error-prompt-too-long", "context-full"},
	{"api-overloaded-interactive", "api-error"},
	{"api-overloaded-recovers", "clean"},
	{"api-rate-limit-interactive", "rate-limit"},
	{"api-socket-drop-mid-text", "api-error"},
	{"api-stream-error-mid-text", "api-error"},
	{"ask-user-question", "clean"},
	{"auto-compact-after-too-long-interactive", "clean"},
	{"auto-compact-after-too-long-print", "clean"},
	{"auto-compact-proactive-interactive", "clean"},
	{"auto-compact-proactive-print", "clean"},
	{"away-summary", "clean"},
	{"background-agent", "clean"},
	{"background-bash", "clean"},
	{"bash-mode", "clean"},
	{"clean-interactive-exit", "clean"},
	{"clean-print", "clean"},
	{"clear-first-session", "killed-idle"},
	{"clear-second-session", "clean"},
	{"compact-manual-then-kill9", "killed-tool"},
	{"context-limit-single-turn-interactive", "context-full"},
	{"context-overflow-compaction-fails", "context-full"},
	{"ctrl-c-mid-bash-then-exit", "interrupted"},
	{"cwd-and-branch-change", "clean"},
	{"derived-empty", "empty"},
	{"derived-nul-tail", "torn"},
	{"derived-torn-line-in-the-middle", "killed-tool"},
	{"derived-truncated-inside-utf8", "torn"},
	{"derived-truncated-last-line", "torn"},
	{"exit-ctrl-c-twice", "clean"},
	{"exit-ctrl-d", "clean"},
	{"fast-reply-file-order", "clean"},
	{"fork-session", "clean"},
	{"hook-attachments", "clean"},
	{"images-base64", "clean"},
	{"interrupt-before-reply", "interrupted"},
	{"interrupt-mid-bash", "interrupted"},
	{"interrupt-mid-stream", "clean"},
	{"kill9-idle", "killed-idle"},
	{"kill9-mid-bash-unflushed", "killed-turn"},
	{"kill9-mid-bash", "killed-tool"},
	{"kill9-mid-stream", "killed-turn"},
	{"kill9-mid-subagent", "killed-agent"},
	{"mcp-tool", "clean"},
	{"old-v0.2.126-clean-print", "clean"},
	{"old-v1.0.128-api-error-429", "rate-limit"},
	{"old-v1.0.128-clean-print", "clean"},
	{"old-v1.0.128-compact-print", "clean"},
	{"old-v1.0.128-kill9-mid-bash", "killed-tool"},
	{"old-v1.0.44-api-error-429", "rate-limit"},
	{"old-v1.0.44-clean-print", "clean"},
	{"old-v1.0.44-compact-print", "clean"},
	{"old-v1.0.44-kill9-mid-bash", "killed-tool"},
	{"old-v1.0.44-resume-copies-history", "clean"},
	{"old-v2.0.42-api-error-429", "rate-limit"},
	{"old-v2.0.42-clean-print", "clean"},
	{"old-v2.0.42-compact-print", "clean"},
	{"old-v2.0.42-kill9-mid-bash", "killed-tool"},
	{"old-v2.1.30-api-error-429", "rate-limit"},
	{"old-v2.1.30-clean-print", "clean"},
	{"old-v2.1.30-compact-print", "clean"},
	{"old-v2.1.30-kill9-mid-bash", "killed-tool"},
	{"permission-rejected", "interrupted"},
	{"plan-mode", "clean"},
	{"print-kill9-mid-bash", "killed-tool"},
	{"print-kill9-mid-stream", "killed-turn"},
	{"print-sigint-mid-bash", "terminated"},
	{"print-sigterm-mid-bash", "terminated"},
	{"queued-prompt", "clean"},
	{"resume-after-kill9", "clean"},
	{"resume-print-after-kill9", "clean"},
	{"resumed-and-renamed", "clean"},
	{"rewind-branch", "clean"},
	{"sighup-terminal-closed", "terminated"},
	{"sigterm-mid-bash", "terminated"},
	{"stop-max-tokens", "output-limit"},
	{"stop-refusal", "refused"},
	{"thinking-redacted", "clean"},
	{"todowrite-legacy", "clean"},
	{"tool-errors-and-big-output", "clean"},
};

static void end_at(const char *path, uint64_t from, struct ending *out)
{
	struct source src = session_open(path);
	struct transcript *t;
	const struct record *r;
	enum transcript_got got;
	struct ending_state *s = ending_new();
	struct tree *tree = tree_new();
	struct ending_facts f;

	assert_int_equal(source_seek(&src, from), 0);
	t = transcript_new(&src, from, &TRANSCRIPT_CAPS_INDEX);
	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS) {
		if (got == TRANSCRIPT_LOSS)
			continue;
		ending_add(s, r);
		tree_add(tree, r);
	}
	assert_int_equal(got, TRANSCRIPT_END);
	tree_finish(tree);
	ending_facts_of(&f, t);
	if (!from)
		f.tree = tree;
	ending_finish(s, &f, out);
	ending_free(s);
	tree_free(tree);
	transcript_free(t);
	source_release(&src);
}

static void end_of_text(str text, struct ending *out)
{
	test_dir();
	test_write("session.jsonl", text);
	end_at(test_path("session.jsonl"), 0, out);
}

/* ---- whole files ---- */

static void check_table(const char *dir, const struct end_of *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf path = BUF_INIT(8192);
		struct ending e;

		buf_printf(&path, "%s/%s.jsonl", dir, table[i].name);
		end_at(buf_cstr(&path), 0, &e);
		if (strcmp(ending_name(e.kind), table[i].kind) != 0)
			fail_msg("%s: %s, not %s: %s", table[i].name, ending_name(e.kind),
				 table[i].kind, e.evidence);
		if (!e.evidence[0] || !e.reason[0])
			fail_msg("%s: no evidence", table[i].name);
		buf_release(&path);
	}
}

static void test_ending__of_every_fixture(void **s)
{
	(void)s;
	check_table("fixtures/transcripts", FIXTURES,
		    sizeof(FIXTURES) / sizeof(FIXTURES[0]));
}

static void test_ending__of_every_session_of_the_corpus(void **s)
{
	struct buf dir = BUF_INIT(8192);

	(void)s;
	if (!session_corpus())
		skip();
	buf_printf(&dir, "%s/generated", session_corpus());
	check_table(buf_cstr(&dir), GENERATED, sizeof(GENERATED) / sizeof(GENERATED[0]));
	buf_release(&dir);
}

/* Where the first whole line at or after `from` begins. */
static uint64_t line_at(str text, uint64_t from)
{
	if (!from)
		return 0;
	while (from < text.n && text.p[from - 1] != '\n')
		from++;
	return from;
}

static int compared;

static void tail_agrees(const char *path)
{
	str text = session_read(path);
	struct ending whole, tail;
	uint64_t from;

	if (text.n <= TAIL_BYTES)
		return;
	from = line_at(text, text.n - TAIL_BYTES);
	if (from >= text.n)
		return; /* one record larger than the tail */
	end_at(path, 0, &whole);
	end_at(path, from, &tail);
	if (whole.kind != tail.kind || whole.nopen != tail.nopen ||
	    whole.dead != tail.dead)
		fail_msg("%s: %s (%zu open), its tail: %s (%zu open)", path,
			 ending_name(whole.kind), whole.nopen, ending_name(tail.kind),
			 tail.nopen);
	compared++;
}

static void test_ending__of_the_tail_is_that_of_the_whole(void **s)
{
	(void)s;
	session_all(tail_agrees);
	if (session_corpus())
		assert_true(compared > 20);
}

/* Any tail that begins with a prompt tells the same, however short. */
static void short_tail_agrees(const char *path)
{
	str text = session_read(path);
	struct ending whole, tail;
	struct source src;
	struct transcript *t;
	const struct record *r;
	uint64_t from[64];
	size_t n = 0;

	/* in that one the answer stands before its prompt: a tail that begins between is too short */
	if (text.n > 100000 ||
	    str_find(str_of(path), STR("answer-before-prompt")) != STR_NPOS)
		return;
	src = session_open(path);
	t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_INDEX);
	while (transcript_next(t, &r) <= TRANSCRIPT_LOSS && n < 64)
		if (!t->tail_lost && r->type == RECORD_USER &&
		    record_says(r, NULL, NULL) == SAYS_PROMPT)
			from[n++] = r->off;
	transcript_free(t);
	source_release(&src);
	end_at(path, 0, &whole);
	for (size_t i = 0; i < n; i++) {
		end_at(path, from[i], &tail);
		if (whole.kind != tail.kind)
			fail_msg("%s: %s, from byte %llu: %s", path,
				 ending_name(whole.kind), (unsigned long long)from[i],
				 ending_name(tail.kind));
	}
}

static void test_ending__of_a_tail_from_any_prompt(void **s)
{
	(void)s;
	session_each("fixtures/transcripts", short_tail_agrees);
}

static void test_ending__cut_at_every_byte_ends_somehow(void **s)
{
	str whole = session_read("fixtures/transcripts/killed-mid-bash.jsonl");
	bool seen[ENDING_COUNT] = {false};

	(void)s;
	for (size_t n = 0; n <= whole.n; n++) {
		struct ending e;

		if (n > 3000 && n % 11 && n != whole.n)
			continue;
		end_of_text(str_head(whole, n), &e);
		seen[e.kind] = true;
		assert_true(e.evidence[0]);
	}
	assert_true(seen[ENDING_EMPTY] && seen[ENDING_TORN] && seen[ENDING_KILLED_TOOL]);
}

/* ---- single rules ---- */

#define HEAD                                                                             \
	"\"version\":\"2.1.197\",\"entrypoint\":\"cli\",\"timestamp\":\"2026-07-13T10:00:00Z\","
#define PROMPT(u)                                                                        \
	"{\"type\":\"user\"," HEAD "\"uuid\":\"" u                                       \
	"\",\"message\":{\"content\":\"go\"}}\n"
#define TEXT                                                                             \
	"{\"type\":\"assistant\"," HEAD                                                  \
	"\"message\":{\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n"
#define CALL(id)                                                                         \
	"{\"type\":\"assistant\"," HEAD                                                  \
	"\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" id     \
	"\",\"name\":\"Bash\",\"input\":{\"command\":\"make " id "\"}}]}}\n"
#define RESULT(id, t)                                                                    \
	"{\"type\":\"user\"," HEAD                                                       \
	"\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id      \
	"\",\"content\":\"" t "\"}]}}\n"
#define LP "{\"type\":\"last-prompt\",\"lastPrompt\":\"go\"}\n"
#define AGAIN                                                                            \
	LP "{\"type\":\"mode\",\"mode\":\"normal\"}\n{\"type\":\"permission-mode\"}\n"   \
	   "{\"type\":\"atis-latch\"}\n"
#define COST "{\"type\":\"cost-state\",\"totalCostUSD\":1}\n"
#define COMMAND(c)                                                                       \
	"{\"type\":\"user\"," HEAD "\"message\":{\"content\":\"<command-name>" c         \
	"</command-name>\"}}\n"
#define BODY                                                                             \
	"{\"type\":\"user\"," HEAD                                                       \
	"\"isMeta\":true,\"message\":{\"content\":\"Base directory for this skill: /x\"}}\n"
#define FEEDBACK                                                                         \
	"{\"type\":\"user\"," HEAD                                                       \
	"\"isMeta\":true,\"message\":{\"content\":\"Stop hook feedback:\\nRun /lessons.\"}}\n"
#define BLOCKED                                                                          \
	"{\"type\":\"attachment\"," HEAD                                                 \
	"\"attachment\":{\"type\":\"hook_blocking_error\",\"hookEvent\":\"Stop\"}}\n"
#define SKILL(id)                                                                        \
	"{\"type\":\"assistant\"," HEAD                                                  \
	"\"message\":{\"id\":\"k\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" id     \
	"\",\"name\":\"Skill\",\"input\":{\"skill\":\"lessons\"}}]}}\n"
#define OUTPUT                                                                           \
	"{\"type\":\"user\"," HEAD                                                       \
	"\"message\":{\"content\":\"<local-command-stdout>x</local-command-stdout>\"}}\n"
#define BOUNDARY                                                                         \
	"{\"type\":\"system\"," HEAD                                                     \
	"\"subtype\":\"compact_boundary\",\"content\":\"Conversation compacted\"}\n"
#define SUMMARY                                                                          \
	"{\"type\":\"user\"," HEAD                                                       \
	"\"isCompactSummary\":true,\"message\":{\"content\":\"This session is\"}}\n"
#define ERROR(k, t)                                                                               \
	"{\"type\":\"assistant\"," HEAD "\"isApiErrorMessage\":true,\"error\":\"" k               \
	"\",\"message\":{\"model\":\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"" t \
	"\"}]}}\n"

static const struct rule_case {
	const char *text;
	enum ending_kind kind;
	int open;
} RULES[] = {
	{PROMPT("a"), ENDING_KILLED_TURN, 0},
	{PROMPT("a") LP, ENDING_INTERRUPTED, 0},
	{PROMPT("a") TEXT, ENDING_KILLED_IDLE, 0},
	{PROMPT("a") TEXT LP, ENDING_CLEAN, 0},
	{PROMPT("a") TEXT LP PROMPT("b"), ENDING_KILLED_TURN, 0},
	{PROMPT("a") CALL("1"), ENDING_KILLED_TOOL, 1},
	{PROMPT("a") CALL("1") CALL("2"), ENDING_KILLED_TOOL, 2},
	{PROMPT("a") CALL("1") CALL("2") RESULT("1", "x"), ENDING_KILLED_TOOL, 1},
	{PROMPT("a") CALL("1") RESULT("1", "x"), ENDING_KILLED_TURN, 0},
	{PROMPT("a") CALL("1") RESULT("1", "x") LP, ENDING_TERMINATED, 0},
	{PROMPT("a") CALL("1") LP, ENDING_TERMINATED, 1},
	{PROMPT("a") CALL("1") LP RESULT("1", "Exit code 137"), ENDING_TERMINATED, 0},
	{PROMPT("a") CALL("1") LP RESULT("1", "Exit code 137") TEXT, ENDING_TERMINATED,
	 0},
	/* what a Stop hook asked for after the last answer, and nothing else */
	{PROMPT("a") TEXT FEEDBACK BLOCKED SKILL("1") RESULT("1", "x"),
	 ENDING_KILLED_IDLE, 0},
	{PROMPT("a") TEXT FEEDBACK BLOCKED SKILL("1") RESULT("1", "x") LP, ENDING_CLEAN,
	 0},
	{PROMPT("a") TEXT FEEDBACK SKILL("1"), ENDING_KILLED_TOOL, 1},
	{PROMPT("a") TEXT FEEDBACK SKILL("1") RESULT("1", "x") CALL("2") RESULT("2", "x"),
	 ENDING_KILLED_TURN, 0},
	{PROMPT("a") TEXT FEEDBACK SKILL("1") RESULT("1", "x") BODY, ENDING_KILLED_TURN,
	 0},
	{PROMPT("a") TEXT FEEDBACK CALL("1") RESULT("1", "x"), ENDING_KILLED_TURN, 0},
	{PROMPT("a") SKILL("1") RESULT("1", "x"), ENDING_KILLED_TURN, 0},
	{PROMPT("a") TEXT FEEDBACK SKILL("1") RESULT("1", "x") PROMPT("b"),
	 ENDING_KILLED_TURN, 0},
	{PROMPT("a") TEXT FEEDBACK, ENDING_KILLED_TURN, 0},
	/* a last-prompt in the middle of work means nothing */
	{PROMPT("a") CALL("1") LP RESULT("1", "fine") TEXT, ENDING_KILLED_IDLE, 0},
	{PROMPT("a") CALL("1") LP RESULT("1", "Exit code 143\\nCommand timed out") TEXT,
	 ENDING_KILLED_IDLE, 0},
	{PROMPT("a") CALL("1") LP RESULT("1", "Exit code 137") TEXT PROMPT("b") TEXT,
	 ENDING_KILLED_IDLE, 0},
	/* the block that is repeated means nothing either; newer clients end with cost-state */
	{PROMPT("a") AGAIN, ENDING_KILLED_TURN, 0},
	{PROMPT("a") AGAIN COST, ENDING_INTERRUPTED, 0},
	{PROMPT("a") CALL("1") AGAIN, ENDING_KILLED_TOOL, 1},
	{PROMPT("a") CALL("1") AGAIN COST COST, ENDING_TERMINATED, 1},
	{PROMPT("a") TEXT AGAIN, ENDING_KILLED_IDLE, 0},
	{PROMPT("a") TEXT AGAIN COST, ENDING_CLEAN, 0},
	{PROMPT("a") TEXT COST PROMPT("b"), ENDING_KILLED_TURN, 0},
	/* an orphan of an earlier life is no open call */
	{PROMPT("a") CALL("1") PROMPT("b") TEXT LP, ENDING_CLEAN, 0},
	/* slash commands leave the state alone, skills do not */
	{PROMPT("a") TEXT COMMAND("/status") OUTPUT LP, ENDING_CLEAN, 0},
	{PROMPT("a") TEXT COMMAND("/status") OUTPUT, ENDING_KILLED_IDLE, 0},
	{PROMPT("a") TEXT LP COMMAND("/exit") OUTPUT, ENDING_CLEAN, 0},
	{PROMPT("a") TEXT COMMAND("/clear"), ENDING_CLEARED, 0},
	{PROMPT("a") TEXT COMMAND("/tune") BODY, ENDING_KILLED_TURN, 0},
	{PROMPT("a") TEXT COMMAND("/compact"), ENDING_COMPACTING, 0},
	{PROMPT("a") TEXT BOUNDARY, ENDING_COMPACTING, 0},
	{PROMPT("a") TEXT BOUNDARY SUMMARY, ENDING_COMPACTING, 0},
	{PROMPT("a") TEXT BOUNDARY SUMMARY COMMAND("/compact") OUTPUT LP, ENDING_CLEAN,
	 0},
	{PROMPT("a") TEXT BOUNDARY SUMMARY COMMAND("/compact") OUTPUT, ENDING_KILLED_IDLE,
	 0},
	{PROMPT("a") TEXT BOUNDARY SUMMARY TEXT LP, ENDING_CLEAN, 0},
	{PROMPT("a") ERROR("rate_limit", "x") LP, ENDING_RATE_LIMIT, 0},
	{PROMPT("a") ERROR("unknown", "Claude AI usage limit reached|1"),
	 ENDING_RATE_LIMIT, 0},
	{PROMPT("a") ERROR("invalid_request", "Prompt is too long"), ENDING_CONTEXT_FULL,
	 0},
	{PROMPT("a") ERROR("max_output_tokens", "x"), ENDING_OUTPUT_LIMIT, 0},
	{PROMPT("a") ERROR("new_kind", "x"), ENDING_API_ERROR, 0},
	{PROMPT("a") ERROR("server_error", "x") PROMPT("b") TEXT LP, ENDING_CLEAN, 0},
	{COMMAND("/clear") OUTPUT, ENDING_EMPTY, 0},
	{LP, ENDING_EMPTY, 0},
	{"\n\n", ENDING_EMPTY, 0},
	{"garbage\nmore\n", ENDING_UNREADABLE, 0},
	{PROMPT("a") TEXT LP "{\"type\":\"user\",\"x", ENDING_TORN, 0},
	{PROMPT("a") CALL("1") "{\"type\":\"user\",\"x", ENDING_TORN, 1},
};

static void test_ending__rule_by_rule(void **s)
{
	(void)s;
	for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++) {
		struct ending e;

		end_of_text(str_of(RULES[i].text), &e);
		if (e.kind != RULES[i].kind || (int)e.nopen != RULES[i].open)
			fail_msg("case %zu: %s with %zu open: %s", i, ending_name(e.kind),
				 e.nopen, e.evidence);
	}
}

static void test_ending__nuls_after_a_record(void **s)
{
	static const char text[] = PROMPT("a") TEXT LP "\0\0\0\0\0\0\0\0";
	static const char open[] = PROMPT("a") CALL("1") "\0\0\0\0\0\0\0\0";
	struct ending e;

	(void)s;
	end_of_text((str){text, sizeof(text) - 1}, &e);
	assert_int_equal(e.kind, ENDING_TORN);
	end_of_text((str){open, sizeof(open) - 1}, &e);
	assert_int_equal(e.kind, ENDING_KILLED_TOOL);
}

static void test_ending__facts_from_outside(void **s)
{
	struct ending_state *st = ending_new();
	struct ending_facts f = {.running_pid = 42};
	struct source src;
	struct transcript *t;
	const struct record *r;
	struct ending e;

	(void)s;
	test_dir();
	src = session_of(STR(PROMPT("a") TEXT));
	t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_INDEX);
	while (transcript_next(t, &r) == TRANSCRIPT_RECORD)
		ending_add(st, r);
	ending_finish(st, &f, &e);
	assert_int_equal(e.kind, ENDING_RUNNING);
	assert_false(e.dead);
	assert_non_null(strstr(e.evidence, "42"));
	f = (struct ending_facts){.cleared = true};
	ending_finish(st, &f, &e);
	assert_int_equal(e.kind, ENDING_CLEARED);
	assert_false(e.dead);
	f = (struct ending_facts){0};
	ending_finish(st, &f, &e);
	assert_int_equal(e.kind, ENDING_KILLED_IDLE);
	assert_true(e.dead);
	assert_non_null(strstr(e.evidence, "/clear"));
	assert_int_equal(e.evidence_record, 2);
	assert_true(e.at == 1783936800000);
	ending_free(st);
	transcript_free(t);
	source_release(&src);
}

static void test_ending__an_old_client_leaves_no_mark(void **s)
{
	struct ending e;

	(void)s;
	end_of_text(
		STR("{\"type\":\"user\",\"version\":\"2.1.30\",\"entrypoint\":\"cli\",\"message\":{\"content\":\"go\"}}\n"
		    "{\"type\":\"assistant\",\"version\":\"2.1.30\",\"entrypoint\":\"cli\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n"),
		&e);
	assert_int_equal(e.kind, ENDING_CLEAN);
	assert_non_null(strstr(e.evidence, "2.1.30"));
}

static void test_ending__tells_what_was_open_without_secrets(void **s)
{
	struct buf json = BUF_INIT(1 << 20);
	struct ending e;

	(void)s;
	end_of_text(
		STR(PROMPT(
			"a") "{\"type\":\"assistant\"," HEAD
			     "\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"Bash\",\"input\":"
			     "{\"command\":\"curl -H 'Authorization: Bearer FAKEabcdefghijklmnop0123456789'\\nls \\u001b[31m\"}},"
			     "{\"type\":\"tool_use\",\"id\":\"y\",\"name\":\"Odd\",\"input\":{\"subagent_type\":\"t\",\"description\":\"look\"}}]}}\n"),
		&e);
	assert_int_equal(e.kind, ENDING_KILLED_AGENT);
	assert_int_equal(e.nopen, 2);
	assert_null(strstr(e.open[0].what, "FAKE"));
	assert_null(strchr(e.open[0].what, '\n'));
	assert_null(strchr(e.open[0].what, 27));
	assert_true(e.open[1].is_agent);
	assert_string_equal(e.open[1].what, "look");
	ending_json(&e, &json);
	assert_true(str_starts(buf_str(&json),
			       STR("{\"kind\":\"killed-agent\",\"dead\":true,")));
	assert_int_equal(str_find(buf_str(&json), STR("FAKE")), STR_NPOS);
	assert_true(str_find(buf_str(&json), STR("\"tool\":\"Odd\"")) != STR_NPOS);
	buf_release(&json);
}

static void test_ending__many_open_calls_keep_the_newest(void **s)
{
	struct buf text = BUF_INIT(1 << 20);
	struct ending e;

	(void)s;
	buf_add(&text,
		STR("{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":["));
	for (int i = 0; i < 200; i++)
		buf_printf(
			&text,
			"%s{\"type\":\"tool_use\",\"id\":\"c%d\",\"name\":\"Bash\",\"input\":{}}",
			i ? "," : "", i);
	buf_add(&text, STR("]}}\n"));
	end_of_text(buf_str(&text), &e);
	assert_int_equal(e.nopen, ENDING_OPEN_MAX);
	assert_string_equal(e.open[ENDING_OPEN_MAX - 1].id, "c199");
	buf_release(&text);
}

static void test_ending__every_kind_has_a_name(void **s)
{
	(void)s;
	for (int i = 0; i < ENDING_COUNT; i++) {
		assert_string_not_equal(ending_name((enum ending_kind)i), "?");
		assert_string_not_equal(ending_words((enum ending_kind)i), "?");
	}
	assert_string_equal(ending_name(ENDING_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ending__of_every_fixture),
		cmocka_unit_test(test_ending__of_every_session_of_the_corpus),
		cmocka_unit_test(test_ending__of_the_tail_is_that_of_the_whole),
		cmocka_unit_test(test_ending__of_a_tail_from_any_prompt),
		cmocka_unit_test(test_ending__cut_at_every_byte_ends_somehow),
		cmocka_unit_test(test_ending__rule_by_rule),
		cmocka_unit_test(test_ending__nuls_after_a_record),
		cmocka_unit_test(test_ending__facts_from_outside),
		cmocka_unit_test(test_ending__an_old_client_leaves_no_mark),
		cmocka_unit_test(test_ending__tells_what_was_open_without_secrets),
		cmocka_unit_test(test_ending__many_open_calls_keep_the_newest),
		cmocka_unit_test(test_ending__every_kind_has_a_name),
	};

	return cmocka_run_group_tests_name("ending", tests, NULL, NULL);
}
