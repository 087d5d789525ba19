/*
 * Whole documents. Cases as data stand in tests/cases/handoff-*.case: a line with a
 * transcript and options, a line "--", then the document. UPDATE=1 rewrites them.
 */
#include "session.h"

#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/json.h"
#include "work/handoff.h"
#include "work/ledger.h"

#define CASES_DIR "tests/cases"
#define FIXTURES  "fixtures/transcripts"
#define DEMO                                                                             \
	"fixtures/demo/claude/projects/-home-dev-tollgate/7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47.jsonl"
#define DOC_MAX (8u << 20)

/* The document of a transcript; the code of handoff_recover. */
static int recover(const char *path, const struct handoff_options *o, bool json,
		   struct buf *out, struct err *e)
{
	struct source src;
	int ret;

	assert_int_equal(source_open(&src, path, e), 0);
	ret = json ? handoff_recover_json(&src, path, o, out, e)
		   : handoff_recover(&src, path, o, out, e);
	source_release(&src);
	return ret;
}

static struct handoff_options plain(void)
{
	return (struct handoff_options){.since = CLOCK_NONE, .no_git = true};
}

static str document(const char *path, const struct handoff_options *o, struct buf *out)
{
	struct err e = ERR_INIT;

	buf_reset(out);
	if (recover(path, o, false, out, &e) < 0)
		fail_msg("%s: %s", path, e.msg);
	return buf_str(out);
}

/* ---- cases ---- */

struct a_case {
	char path[512];
	struct handoff_options o;
	char words[512];
};

static void read_options(struct a_case *c, str line)
{
	str w, next;

	c->o = plain();
	snprintf(c->words, sizeof(c->words), "%.*s", STR_ARG(line));
	line = str_of(c->words);
	assert_true(str_word(&line, &w));
	snprintf(c->path, sizeof(c->path), "%.*s", STR_ARG(w));
	while (str_word(&line, &w)) {
		if (str_eq(w, STR("--evidence"))) {
			c->o.evidence = true;
		} else if (str_eq(w, STR("--budget"))) {
			assert_true(str_word(&line, &next) &&
				    str_u64(next, &c->o.budget));
		} else if (str_eq(w, STR("--focus"))) {
			assert_true(str_word(&line, &c->o.focus));
		} else {
			fail_msg("unknown option %.*s", STR_ARG(w));
		}
	}
}

/* A copy whose time of change is pinned: a document of an unreadable file carries it. */
static void pin(struct a_case *c)
{
	const struct timespec at[2] = {{.tv_sec = 1784196305}, {.tv_sec = 1784196305}};
	struct buf text = BUF_INIT(DOC_MAX * 8), name = BUF_INIT(512);

	assert_int_equal(fs_read(c->path, &text, NULL), 0);
	buf_printf(&name, "pinned/%.*s", STR_ARG(str_basename(str_of(c->path))));
	test_write(buf_cstr(&name), buf_str(&text));
	snprintf(c->path, sizeof(c->path), "%s", test_path(buf_cstr(&name)));
	assert_int_equal(utimensat(AT_FDCWD, c->path, at, 0), 0);
	buf_release(&text);
	buf_release(&name);
}

static int walk_case(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(4096), text = BUF_INIT(DOC_MAX),
		   out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;
	str rest, first, line;
	struct a_case c;

	if (!str_starts(str_of(name), STR("handoff-")) ||
	    !str_ends(str_of(name), STR(".case")))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	assert_int_equal(fs_read(buf_cstr(&path), &text, &e), 0);
	rest = buf_str(&text);
	assert_true(str_line(&rest, &first));
	assert_true(str_line(&rest, &line) && str_eq(line, STR("--")));
	read_options(&c, first);
	pin(&c);
	document(c.path, &c.o, &out);
	if (getenv("UPDATE")) {
		struct buf fresh = BUF_INIT(DOC_MAX);

		buf_printf(&fresh, "%.*s\n--\n%s", STR_ARG(first), buf_cstr(&out));
		assert_int_equal(
			fs_write_atomic(buf_cstr(&path), buf_str(&fresh), 0644, &e), 0);
		buf_release(&fresh);
	} else if (!str_eq(buf_str(&out), rest)) {
		print_message("%s\n", name);
		assert_str(buf_str(&out), rest);
	}
	++*(int *)arg;
	buf_release(&path);
	buf_release(&text);
	buf_release(&out);
	return 0;
}

static void test_handoff__cases_give_their_document(void **state)
{
	int n = 0;

	(void)state;
	test_dir();
	assert_int_equal(fs_each(CASES_DIR, walk_case, &n, NULL), 0);
	assert_true(n >= 8);
}

/* ---- since ---- */

static void test_handoff__since_judges_what_ran_on_all_records(void **state)
{
	struct fact_prompt p[] = {
		{.record = 2,
		 .at = 1000,
		 .kind = FACT_PROMPT,
		 .text = STR("make the wick dimmer and run the tests")},
		{.record = 9, .at = 9000, .kind = FACT_BANG, .text = STR("! git pull")}};
	struct fact_command c[] = {{.record = 5,
				    .first = 5,
				    .at = 2000,
				    .text = STR("make check"),
				    .family = STR("make check"),
				    .count = 1,
				    .check = true}};
	struct fact_edit edit[] = {
		{.first = 4, .last = 4, .at = 1500, .path = STR("wick.c"), .count = 1}};
	struct facts f = {.records = 10,
			  .first_at = 1000,
			  .last_at = 9000,
			  .prompt = p,
			  .nprompt = 2,
			  .command = c,
			  .ncommand = 1,
			  .edit = edit,
			  .nedit = 1,
			  .last_edit_record = 4,
			  .plan = STR("# Dim\n\n## Verification\n`make check`\n"),
			  .plan_record = 1};
	struct ending end = {.kind = ENDING_KILLED_TURN, .at = 9000};
	struct handoff_input in = {.facts = &f, .ending = &end, .transcript = "t.jsonl"};
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;

	(void)state;
	o.since = 5000;
	assert_int_equal(handoff_render(&in, &o, &out, &e), 0);
	assert_non_null(strstr(buf_cstr(&out), "Open request: \"make the wick dimmer"));
	assert_non_null(strstr(buf_cstr(&out), "- [ ] `make check` passed"));
	assert_non_null(strstr(buf_cstr(&out), "- Run by the user: `git pull`"));
	assert_non_null(strstr(buf_cstr(&out), "because of --since"));
	assert_null(strstr(buf_cstr(&out), "never run"));
	assert_null(strstr(buf_cstr(&out), "command was run"));
	assert_null(strstr(buf_cstr(&out), "- Ran "));
	assert_null(strstr(buf_cstr(&out), "rewound"));
	buf_release(&out);
}

static void test_handoff__what_the_shell_wrote_is_not_denied(void **state)
{
	struct fact_shelled sh = {.record = 2, .path = STR("x.c"), .how = STR(">")};
	struct facts f = {.records = 3, .last_at = 1500, .shelled = &sh, .nshelled = 1};
	struct ending end = {.kind = ENDING_KILLED_IDLE, .at = 1500};
	struct handoff_input in = {.facts = &f, .ending = &end, .transcript = "t.jsonl"};
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(handoff_render(&in, &o, &out, &e), 0);
	assert_null(strstr(buf_cstr(&out), "No edit, commit"));
	assert_non_null(
		strstr(buf_cstr(&out), "**Changed by shell commands:** `x.c` (`>`)\n"));
	buf_release(&out);
}

static void test_handoff__what_ran_in_a_sub_agent_is_told(void **state)
{
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);

	(void)state;
	o.evidence = true;
	document(FIXTURES "/killed-mid-agent.jsonl", &o, &out);
	assert_non_null(strstr(buf_cstr(&out), "` (in the sub-agent) <!-- "));
	assert_non_null(strstr(buf_cstr(&out), "> Killed while a sub-agent ran,"));
	buf_reset(&out);
	/* its files are told of only while the dispatch is open */
	document(FIXTURES "/agents-2.0.42.jsonl", &o, &out);
	assert_null(strstr(buf_cstr(&out), "in the sub-agent"));
	buf_release(&out);
}

/* The call in the agent of killed-mid-agent, with its file elsewhere. */
static bool tells_of_the_agent(const char *path)
{
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	bool tells;

	document(path, &o, &out);
	assert_non_null(strstr(buf_cstr(&out), "> Killed while a sub-agent ran,"));
	tells = strstr(buf_cstr(&out), "`make lint` (in the sub-agent)") != NULL;
	buf_release(&out);
	return tells;
}

static void test_handoff__agents_of_older_clients_are_told_of_too(void **state)
{
	static const char *const session = "2070b519-95e6-4273-865a";
	str main = session_read(FIXTURES "/killed-mid-agent.jsonl"),
	    agent = session_read(
		    FIXTURES "/killed-mid-agent/subagents/agent-ac31e07b5d2f94a60.jsonl");
	struct buf both = BUF_INIT(1u << 20), other = BUF_INIT(1u << 20);
	str rest = agent;
	char *p;

	(void)state;
	test_write("p/s.jsonl", main);
	assert_false(tells_of_the_agent(test_path("p/s.jsonl")));
	/* 2.0: beside the transcript, where those of other sessions lie */
	buf_add(&other, agent);
	while ((p = strstr(buf_cstr(&other), session)))
		memcpy(p, "eeeeeeee-0000-0000-0000", 23);
	test_write("p/agent-00000000.jsonl", buf_str(&other));
	assert_false(tells_of_the_agent(test_path("p/s.jsonl")));
	test_write("p/agent-1a2b3c4d.jsonl", agent);
	assert_true(tells_of_the_agent(test_path("p/s.jsonl")));
	/* 1.0: in the transcript itself */
	buf_add(&both, main);
	buf_add(&both, rest);
	test_write("q/s.jsonl", buf_str(&both));
	assert_true(tells_of_the_agent(test_path("q/s.jsonl")));
	/* one of long ago is none of the dispatch's */
	buf_reset(&both);
	while (rest.n) {
		size_t k = str_find(rest, STR("\"timestamp\":\"2026-07-16T10"));

		buf_add(&both, str_head(rest, k));
		if (k == STR_NPOS)
			break;
		buf_add(&both, STR("\"timestamp\":\"2026-07-16T08"));
		rest = str_from(rest, k + 26);
	}
	buf_add(&both, main);
	test_write("r/s.jsonl", buf_str(&both));
	assert_false(tells_of_the_agent(test_path("r/s.jsonl")));
	buf_release(&both);
	buf_release(&other);
}

/* ---- last words that no record holds ---- */

static void
test_handoff__a_message_is_unwritten_when_the_records_end_before_it(void **state)
{
	static const struct {
		const char *said, *last_text;
		int64_t at, last_at;
		bool unwritten;
	} row[] = {
		{"The lamp is dim.", "I read it first.", 9000, 8000, true},
		{"The lamp is dim.", "", 9000, CLOCK_NONE, true},
		{"The lamp is dim.", "The lamp is dim.", 9000, 8000, false},
		{"**The lamp** is  dim.", "The lamp\n- is dim. And off.", 9000, 8000,
		 false},
		{"First.\nThe lamp is dim.", "The lamp is dim.", 9000, 8000, false},
		{"The lamp is dim.", "I read it first.", 9000, 9500, false},
		{"The lamp is dim.", "I read it first.", CLOCK_NONE, 8000, false},
		{" ", "I read it first.", 9000, 8000, false},
		{"", "", 9000, 8000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct facts f = {.last_at = row[i].last_at,
				  .last_text = str_of(row[i].last_text)};

		if (handoff_unwritten(&f, str_of(row[i].said), row[i].at) !=
		    row[i].unwritten)
			fail_msg("row %zu", i);
	}
}

static void
test_handoff__the_hooks_message_is_the_last_word_and_ends_the_turn(void **state)
{
	struct fact_prompt p = {.record = 2,
				.at = 1000,
				.kind = FACT_PROMPT,
				.text = STR("flash the lamp and tell me the voltage")};
	struct fact_call open = {
		.record = 3, .at = 1500, .name = STR("Bash"), .label = STR("make flash")};
	struct facts f = {.records = 3,
			  .first_at = 1000,
			  .last_at = 1500,
			  .prompt = &p,
			  .nprompt = 1,
			  .open = &open,
			  .nopen = 1,
			  .last = FACT_LAST_CALL};
	struct ending end = {.kind = ENDING_KILLED_TOOL, .at = 1500};
	struct handoff_input in = {
		.facts = &f,
		.ending = &end,
		.transcript = "t.jsonl",
		.said = STR("Flashed, at 3.3 volts. Next I will dim it."),
		.said_at = 2000};
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;

	(void)state;
	o.evidence = true;
	assert_int_equal(handoff_render(&in, &o, &out, &e), 0);
	assert_non_null(strstr(buf_cstr(&out), "> Ended between turns"));
	assert_non_null(
		strstr(buf_cstr(&out), "from a Stop hook: no record holds them."));
	assert_non_null(strstr(buf_cstr(&out), "Last request, answered (see Next): "));
	assert_non_null(strstr(buf_cstr(&out),
			       "- Last words, from a Stop hook: \"Flashed, at 3.3 volts. "
			       "Next I will dim it.\"\n"));
	assert_non_null(
		strstr(buf_cstr(&out), "the session went on without it: `make flash`"));
	in.said_at = CLOCK_NONE;
	buf_reset(&out);
	assert_int_equal(handoff_render(&in, &o, &out, &e), 0);
	assert_null(strstr(buf_cstr(&out), "Stop hook"));
	assert_non_null(strstr(buf_cstr(&out), "Killed mid-tool"));
	buf_release(&out);
}

static void test_handoff__a_call_that_died_with_the_session_comes_next(void **state)
{
	struct fact_prompt p = {.record = 2,
				.at = 1000,
				.kind = FACT_PROMPT,
				.text = STR("light the lamp")};
	struct fact_call call = {.record = 5,
				 .id = STR("toolu_1"),
				 .name = STR("Bash"),
				 .label = STR("make lamp")};
	struct facts f = {.records = 6,
			  .last_at = 9000,
			  .prompt = &p,
			  .nprompt = 1,
			  .recent = &call,
			  .nrecent = 1,
			  .last = FACT_LAST_TEXT,
			  .last_text = STR("Stopped."),
			  .last_text_record = 6};
	struct ending end = {.kind = ENDING_TERMINATED, .at = 9000};
	struct handoff_killed killed = {.id = {"toolu_1"}, .n = 1};
	struct handoff_input in = {
		.facts = &f, .ending = &end, .transcript = "t.jsonl", .killed = &killed};
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(handoff_render(&in, &o, &out, &e), 0);
	assert_non_null(strstr(buf_cstr(&out), "it killed a Bash call (`make lamp`)."));
	assert_non_null(
		strstr(buf_cstr(&out),
		       "1. This call was killed when the session ended: `make lamp`\n"
		       "2. Carry out the open request"));
	end.kind = ENDING_CLEAN;
	buf_reset(&out);
	assert_int_equal(handoff_render(&in, &o, &out, &e), 0);
	assert_null(strstr(buf_cstr(&out), "killed"));
	buf_release(&out);
}

/* ---- all fixtures ---- */

static bool is_transcript(const char *name)
{
	return str_ends(str_of(name), STR(".jsonl")) &&
	       !str_eq(str_of(name), STR("history-damaged.jsonl"));
}

static void check_one(const char *path, uint64_t budget, bool evidence, struct buf *out)
{
	struct handoff_options o = plain();
	struct handoff_doc d;
	struct err e = ERR_INIT;
	size_t i;

	o.budget = budget;
	o.evidence = evidence;
	buf_reset(out);
	if (recover(path, &o, false, out, &e) < 0) {
		assert_int_equal(e.code, HF_ELIMIT);
		assert_true(budget < 400);
		assert_non_null(strstr(e.msg, "need"));
		assert_int_equal(out->n, 0);
		return;
	}
	if (ledger_tokens(buf_str(out)) > budget || out->n > budget * 4)
		fail_msg("%s: %llu tokens, %zu bytes for %llu", path,
			 (unsigned long long)ledger_tokens(buf_str(out)), out->n,
			 (unsigned long long)budget);
	if (handoff_read(&d, buf_str(out), &e) < 0)
		fail_msg("%s: %s", path, e.msg);
	for (i = 0; i < out->n; i++)
		assert_true(out->p[i] == '\n' || (unsigned char)out->p[i] >= 0x20);
	assert_true(str_find(buf_str(out), STR("\n\n\n")) == STR_NPOS);
}

static int walk_budgets(const char *dir, const char *name, void *arg)
{
	static const uint64_t budgets[] = {200, 260, 300, 400, 700, 1500, 4000, 100000};
	struct buf path = BUF_INIT(4096);
	size_t i;

	if (!is_transcript(name))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	for (i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		check_one(buf_cstr(&path), budgets[i], false, arg);
		check_one(buf_cstr(&path), budgets[i], true, arg);
	}
	buf_release(&path);
	return 0;
}

static void test_handoff__no_budget_is_ever_exceeded(void **state)
{
	struct buf out = BUF_INIT(DOC_MAX);

	(void)state;
	test_dir();
	assert_int_equal(fs_each(FIXTURES, walk_budgets, &out, NULL), 0);
	walk_budgets("fixtures/demo/claude/projects/-home-dev-tollgate",
		     "7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47.jsonl", &out);
	buf_release(&out);
}

static int walk_twice(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(4096), again = BUF_INIT(DOC_MAX);
	struct handoff_options o = plain();
	struct buf *out = arg;

	if (!is_transcript(name))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	document(buf_cstr(&path), &o, out);
	document(buf_cstr(&path), &o, &again);
	assert_str(buf_str(out), buf_str(&again));
	buf_release(&again);
	buf_release(&path);
	return 0;
}

static void test_handoff__same_transcript_same_bytes(void **state)
{
	struct buf out = BUF_INIT(DOC_MAX);

	(void)state;
	test_dir();
	assert_int_equal(fs_each(FIXTURES, walk_twice, &out, NULL), 0);
	buf_release(&out);
}

static bool json_ok(str text)
{
	struct json j;
	enum json_tok t;

	json_init(&j, text);
	while ((t = json_next(&j)) != JSON_END)
		if (t == JSON_BAD || t == JSON_MORE)
			return false;
	return true;
}

static int walk_json(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(4096);
	struct handoff_options o = plain();
	struct err e = ERR_INIT;
	struct buf *out = arg;

	if (!is_transcript(name))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	buf_reset(out);
	assert_int_equal(recover(buf_cstr(&path), &o, true, out, &e), 0);
	assert_true(json_ok(buf_str(out)));
	assert_non_null(strstr(buf_cstr(out), "\"sections\":{\"goal\":["));
	buf_release(&path);
	return 0;
}

static void test_handoff__the_json_form_is_json(void **state)
{
	struct buf out = BUF_INIT(DOC_MAX);

	(void)state;
	test_dir();
	assert_int_equal(fs_each(FIXTURES, walk_json, &out, NULL), 0);
	buf_release(&out);
}

static void test_handoff__json_lines_carry_their_records(void **state)
{
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	assert_int_equal(recover(FIXTURES "/killed-mid-bash.jsonl", &o, true, &out, &e),
			 0);
	assert_non_null(strstr(
		buf_cstr(&out),
		"{\"text\":\"2. Carry out the open request (Goal).\",\"records\":["));
	assert_null(strstr(buf_cstr(&out), "<!--"));
	buf_release(&out);
}

/* ---- options ---- */

static void test_handoff__a_focus_never_takes_a_hazard(void **state)
{
	struct buf out = BUF_INIT(DOC_MAX);
	struct handoff_options o = plain();
	struct handoff_doc d, f;
	struct buf whole = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;
	size_t a = 0, b = 0;
	str x, y;

	(void)state;
	test_dir();
	assert_int_equal(handoff_read(&d, document(DEMO, &o, &whole), &e), 0);
	o.focus = STR("changelog");
	assert_int_equal(handoff_read(&f, document(DEMO, &o, &out), &e), 0);
	assert_str(f.focus, STR("changelog"));
	assert_true(d.done.n > f.done.n);
	while (handoff_next_hazard(d.hazards, &a, &x)) {
		assert_true(handoff_next_hazard(f.hazards, &b, &y));
		assert_str(x, y);
	}
	assert_true(a > 0);
	buf_release(&whole);
	buf_release(&out);
}

static void test_handoff__carried_hazards_and_lineage_are_printed(void **state)
{
	static const str carried[] = {{"- User: \"never reboot the lamp\"", 31}};
	static const str line[] = {{"20260701T100000Z_aaaaaaaa", 25},
				   {"20260702T100000Z_bbbbbbbb", 25}};
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);

	(void)state;
	test_dir();
	o.hazards = carried;
	o.nhazards = 1;
	o.lineage = line;
	o.nlineage = 2;
	o.status = "live";
	o.kind = HANDOFF_AUTO;
	document(FIXTURES "/killed-mid-bash.jsonl", &o, &out);
	assert_non_null(strstr(buf_cstr(&out), "\n- User: \"never reboot the lamp\"\n"));
	assert_non_null(strstr(
		buf_cstr(&out),
		"\nlineage: [20260701T100000Z_aaaaaaaa, 20260702T100000Z_bbbbbbbb]\n"));
	assert_non_null(strstr(buf_cstr(&out), "\nkind: auto\nstatus: live\n"));
	document(FIXTURES "/nul-only.jsonl", &o, &out);
	assert_non_null(strstr(buf_cstr(&out), "\n- User: \"never reboot the lamp\"\n"));
	buf_release(&out);
}

static void test_handoff__a_budget_below_the_hazards_names_the_minimum(void **state)
{
	static char text[900];
	str carried = {text, sizeof(text)};
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct err e = ERR_INIT;
	unsigned long long need = 0;

	(void)state;
	test_dir();
	memset(text, 'x', sizeof(text));
	memcpy(text, "- User: \"", 9);
	text[sizeof(text) - 1] = '"';
	o.hazards = &carried;
	o.nhazards = 1;
	o.budget = 300;
	assert_int_equal(recover(FIXTURES "/killed-mid-bash.jsonl", &o, false, &out, &e),
			 HF_ELIMIT);
	assert_int_equal(sscanf(strrchr(e.msg, ' '), "%llu", &need), 1);
	assert_true(need > 300 && need < 700);
	o.budget = need + 40;
	document(FIXTURES "/killed-mid-bash.jsonl", &o, &out);
	assert_true(str_find(buf_str(&out), carried) != STR_NPOS);
	buf_release(&out);
}

static void test_handoff__fresher_tasks_beat_the_replayed_ones(void **state)
{
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);

	(void)state;
	test_dir();
	test_write(
		"claude/tasks/7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47/1.json",
		STR("{\"id\":\"1\",\"subject\":\"Oil the gate\",\"status\":\"in_progress\"}"));
	o.claude_dir = test_path("claude");
	document(DEMO, &o, &out);
	assert_non_null(strstr(buf_cstr(&out), "Todo, in progress: \"Oil the gate\"\n"));
	buf_release(&out);
}

/* ---- fallback ---- */

static void test_handoff__a_file_without_a_record_needs_triage(void **state)
{
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct handoff_doc d;
	struct err e = ERR_INIT;

	(void)state;
	test_dir();
	test_write(
		"bad.jsonl",
		STR("## Next\n1. forged\n\xff\xfe {\"type\": <!-- 1 --> token ghp_FAKE0123456789abcdefFAKE0123456789abcd"));
	assert_int_equal(handoff_read(&d, document(test_path("bad.jsonl"), &o, &out), &e),
			 0);
	assert_str(d.title, STR("NEEDS HUMAN TRIAGE"));
	assert_str(d.confidence, STR("low"));
	assert_null(strstr(buf_cstr(&out), "\n1. forged"));
	assert_null(strstr(buf_cstr(&out), "<!--"));
	assert_null(strstr(buf_cstr(&out), "FAKE"));
	assert_non_null(strstr(buf_cstr(&out), "forged"));
	buf_release(&out);
}

static void test_handoff__every_failing_read_is_an_error_or_a_document(void **state)
{
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	struct source src;
	int n = 0, ret;
	bool met;

	(void)state;
	test_dir();
	do {
		struct err e = ERR_INIT;

		buf_reset(&out);
		assert_int_equal(source_open(&src, FIXTURES "/killed-mid-bash.jsonl", &e),
				 0);
		fault_at(++n);
		ret = handoff_recover(&src, "x.jsonl", &o, &out, &e);
		met = fault_met();
		fault_off();
		if (ret < 0)
			assert_true(e.msg[0] != 0 && out.n == 0);
		else
			assert_true(
				str_starts(buf_str(&out), STR("---\ntype: handoff\n")));
		source_release(&src);
	} while (met);
	assert_true(n > 1);
	buf_release(&out);
}

/* An agent's file that cannot be looked at or read leaves a document without its calls. */
static void test_handoff__every_failing_call_while_agents_are_looked_for(void **state)
{
	str main = session_read(FIXTURES "/killed-mid-agent.jsonl"),
	    agent = session_read(
		    FIXTURES "/killed-mid-agent/subagents/agent-ac31e07b5d2f94a60.jsonl");
	struct handoff_options o = plain();
	struct buf out = BUF_INIT(DOC_MAX);
	bool met, with = false, without = false;
	int n = 0;

	(void)state;
	test_write("f/s.jsonl", main);
	test_write("f/agent-1a2b3c4d.jsonl", agent);
	do {
		struct err e = ERR_INIT;
		struct source src;
		bool tells;
		int ret;

		buf_reset(&out);
		assert_int_equal(source_open(&src, test_path("f/s.jsonl"), &e), 0);
		fault_at(++n);
		ret = handoff_recover(&src, test_path("f/s.jsonl"), &o, &out, &e);
		met = fault_met();
		fault_off();
		source_release(&src);
		if (ret < 0) {
			assert_true(e.msg[0] != 0 && out.n == 0);
			continue;
		}
		tells = strstr(buf_cstr(&out), "`make lint` (in the sub-agent)") != NULL;
		with |= tells;
		without |= !tells;
		assert_non_null(
			strstr(buf_cstr(&out), "> Killed while a sub-agent ran,"));
	} while (met);
	assert_true(with && without);
	buf_release(&out);
}

/* ---- reading back ---- */

static const char SMALL[] =
	"---\ntype: handoff\ncreated: 2025-03-15T14:30:00\nsource_session: live\nfocus_filter: null\n---\n\n"
	"# Handoff: Lamp\n\n> Banner.\n\n## Goal\ng\n\n## Done\nd\n\n## Next\nn\n\n## Hazards (never filtered)\n"
	"- User: \"never a\" <!-- 12,45 -->\n- Started x\n- Plan: \"no b\"\n\n## Key Context\nk\n\n## Environment\ne\n\n"
	"## Files to Read\nf\n\n## Verify Before Continuing\nv\n";

static void test_handoff__reads_the_format_of_the_seed(void **state)
{
	struct handoff_doc d;
	struct err e = ERR_INIT;
	size_t it = 0;
	str line;

	(void)state;
	assert_int_equal(handoff_read(&d, str_of(SMALL), &e), 0);
	assert_str(d.title, STR("Lamp"));
	assert_str(d.banner, STR("Banner."));
	assert_str(d.session, STR("live"));
	assert_int_equal(d.focus.n, 0);
	assert_str(str_trim(d.verify), STR("v"));
	assert_true(handoff_next_hazard(d.hazards, &it, &line));
	assert_str(line, STR("- User: \"never a\""));
	assert_true(handoff_next_hazard(d.hazards, &it, &line));
	assert_str(line, STR("- Plan: \"no b\""));
	assert_false(handoff_next_hazard(d.hazards, &it, &line));
	assert_false(handoff_next_hazard(d.hazards, &it, &line));
}

static void test_handoff__an_empty_evidence_comment_is_text(void **state)
{
	struct buf text = BUF_INIT(4096), out = BUF_INIT(1u << 16);
	struct err e = ERR_INIT;

	(void)state;
	buf_add(&text, str_of(SMALL));
	buf_add(&text, STR("- a <!-- -->\n- b <!--  -->\n- c <!-- 1, x,2 -->\n"));
	assert_int_equal(handoff_json(buf_str(&text), &out, &e), 0);
	assert_true(json_ok(buf_str(&out)));
	assert_non_null(
		strstr(buf_cstr(&out), "{\"text\":\"- a <!-- -->\",\"records\":[]}"));
	assert_non_null(strstr(buf_cstr(&out), "{\"text\":\"- b\",\"records\":[]}"));
	assert_non_null(strstr(buf_cstr(&out), "{\"text\":\"- c\",\"records\":[1,2]}"));
	buf_release(&text);
	buf_release(&out);
}

static void test_handoff__a_cut_document_says_what_is_missing(void **state)
{
	struct handoff_doc d;
	size_t n, last;

	(void)state;
	last = str_find(str_of(SMALL), STR("\n## Verify"));
	for (n = 0; n < last; n++) {
		struct err e = ERR_INIT;

		assert_int_equal(handoff_read(&d, (str){SMALL, n}, &e), HF_EFORMAT);
		assert_true(e.msg[0] != 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handoff__cases_give_their_document),
		cmocka_unit_test(test_handoff__since_judges_what_ran_on_all_records),
		cmocka_unit_test(test_handoff__what_the_shell_wrote_is_not_denied),
		cmocka_unit_test(
			test_handoff__every_failing_call_while_agents_are_looked_for),
		cmocka_unit_test(test_handoff__agents_of_older_clients_are_told_of_too),
		cmocka_unit_test(test_handoff__what_ran_in_a_sub_agent_is_told),
		cmocka_unit_test(
			test_handoff__a_message_is_unwritten_when_the_records_end_before_it),
		cmocka_unit_test(
			test_handoff__the_hooks_message_is_the_last_word_and_ends_the_turn),
		cmocka_unit_test(
			test_handoff__a_call_that_died_with_the_session_comes_next),
		cmocka_unit_test(test_handoff__no_budget_is_ever_exceeded),
		cmocka_unit_test(test_handoff__same_transcript_same_bytes),
		cmocka_unit_test(test_handoff__the_json_form_is_json),
		cmocka_unit_test(test_handoff__json_lines_carry_their_records),
		cmocka_unit_test(test_handoff__a_focus_never_takes_a_hazard),
		cmocka_unit_test(test_handoff__carried_hazards_and_lineage_are_printed),
		cmocka_unit_test(
			test_handoff__a_budget_below_the_hazards_names_the_minimum),
		cmocka_unit_test(test_handoff__fresher_tasks_beat_the_replayed_ones),
		cmocka_unit_test(test_handoff__a_file_without_a_record_needs_triage),
		cmocka_unit_test(
			test_handoff__every_failing_read_is_an_error_or_a_document),
		cmocka_unit_test(test_handoff__reads_the_format_of_the_seed),
		cmocka_unit_test(test_handoff__an_empty_evidence_comment_is_text),
		cmocka_unit_test(test_handoff__a_cut_document_says_what_is_missing),
	};

	return cmocka_run_group_tests_name("handoff", tests, NULL, NULL);
}
