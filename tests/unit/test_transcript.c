#include <unistd.h>

#include "session.h"
#include "base/clock.h"

/* ---- one record at a time ---- */

static struct {
	struct source src;
	struct transcript *t;
	struct arena a;
} now;

static const struct record *first_of(str text, const struct transcript_caps *caps)
{
	const struct record *r;

	test_dir();
	now.src = session_of(text);
	now.t = transcript_new(&now.src, 0, caps);
	arena_init(&now.a, 1 << 20);
	assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_RECORD);
	return r;
}

static void done(void)
{
	transcript_free(now.t);
	source_release(&now.src);
	arena_release(&now.a);
}

#define FULL (&TRANSCRIPT_CAPS_DOC)
#define LEAN (&TRANSCRIPT_CAPS_INDEX)

static struct block block_at(const struct record *r, int i)
{
	struct block b;
	size_t it = 0;

	do
		assert_true(record_block(r, &it, &b));
	while (i--);
	return b;
}

static void test_transcript__typed_fields_whatever_the_order_of_keys(void **s)
{
	static const char *text[] = {
		"{\"type\":\"assistant\",\"uuid\":\"u1\",\"parentUuid\":\"p1\",\"sessionId\":\"s1\",\"cwd\":\"/a b\","
		"\"gitBranch\":\"main\",\"version\":\"2.1.197\",\"entrypoint\":\"cli\",\"isSidechain\":true,"
		"\"timestamp\":\"2026-07-13T10:00:00.250Z\",\"agentId\":\"a1\",\"message\":{\"id\":\"m1\",\"model\":\"x\","
		"\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}",
		"{\"message\":{\"content\":[{\"text\":\"hi\",\"type\":\"text\"}],\"stop_reason\":\"end_turn\",\"model\":\"x\","
		"\"id\":\"m1\"},\"agentId\":\"a1\",\"timestamp\":\"2026-07-13T10:00:00.250Z\",\"isSidechain\":true,"
		"\"entrypoint\":\"cli\",\"version\":\"2.1.197\",\"gitBranch\":\"main\",\"cwd\":\"/a b\",\"sessionId\":\"s1\","
		"\"parentUuid\":\"p1\",\"uuid\":\"u1\",\"type\":\"assistant\"}",
	};

	(void)s;
	for (int i = 0; i < 4; i++) {
		const struct record *r =
			first_of(str_of(text[i / 2]), i % 2 ? LEAN : FULL);
		struct block b = block_at(r, 0);

		assert_int_equal(r->type, RECORD_ASSISTANT);
		assert_str(r->uuid, STR("u1"));
		assert_str(r->parent, STR("p1"));
		assert_str(r->session, STR("s1"));
		assert_str(r->cwd, STR("/a b"));
		assert_str(r->branch, STR("main"));
		assert_str(r->version, STR("2.1.197"));
		assert_str(r->entrypoint, STR("cli"));
		assert_str(r->agent_id, STR("a1"));
		assert_str(r->message_id, STR("m1"));
		assert_str(r->model, STR("x"));
		assert_str(r->stop_reason, STR("end_turn"));
		assert_true(r->sidechain);
		assert_true(r->at == 1783936800250);
		assert_int_equal(r->n, 1);
		assert_int_equal(r->line, 1);
		assert_int_equal(b.kind, BLOCK_TEXT);
		assert_str(b.text, STR("hi"));
		done();
	}
}

static void test_transcript__of_duplicate_keys_the_last_wins(void **s)
{
	const struct record *r = first_of(
		STR("{\"type\":\"user\",\"message\":{\"content\":\"old\",\"id\":\"x\"},\"type\":\"assistant\","
		    "\"message\":{\"content\":\"new\",\"a\":1,\"a\":2}}"),
		FULL);

	(void)s;
	assert_int_equal(r->type, RECORD_ASSISTANT);
	assert_str(block_at(r, 0).text, STR("new"));
	assert_int_equal(r->message_id.n, 0);
	assert_int_equal(val_int(val_at(r->root, "message.a"), 0), 2);
	done();
}

static void test_transcript__values_are_found_by_path_and_type(void **s)
{
	const struct record *r = first_of(
		STR("{\"a\":{\"b\":{\"c\":\"x\",\"n\":-7,\"big\":1e400,\"t\":true,\"f\":false,\"z\":null}},\"\\u0061b\":1}"),
		FULL);

	(void)s;
	assert_str(val_str(val_at(r->root, "a.b.c")), STR("x"));
	assert_int_equal(val_int(val_at(r->root, "a.b.n"), 0), -7);
	assert_int_equal(val_int(val_at(r->root, "a.b.big"), 5), 5);
	assert_str(val_str(val_at(r->root, "a.b.big")), STR("1e400"));
	assert_true(val_bool(val_at(r->root, "a.b.t")));
	assert_false(val_bool(val_at(r->root, "a.b.f")));
	assert_int_equal(val_at(r->root, "a.b.z")->type, VAL_NULL);
	assert_int_equal(val_int(val_get(r->root, "ab"), 0), 1);
	assert_null(val_at(r->root, "a.x.c"));
	assert_null(val_get(NULL, "a"));
	assert_null(val_get(val_at(r->root, "a.b.c"), "a"));
	assert_int_equal(val_str(NULL).n, 0);
	assert_false(val_bool(NULL));
	assert_int_equal(r->type, RECORD_UNKNOWN);
	assert_int_equal(now.t->unknown, 1);
	done();
}

/* ---- how much is kept ---- */

/* text with every @N replaced by N letters. */
static str sized(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '@') {
			char *end;
			unsigned long n = strtoul(text + 1, &end, 10);

			buf_fill(b, 'x', n);
			text = end - 1;
		} else {
			buf_byte(b, *text);
		}
	}
	return buf_str(b);
}

static void test_transcript__texts_results_and_inputs_have_caps_of_their_own(void **s)
{
	static const struct transcript_caps caps = {100, 10, 50, 5, 20, 2, false};
	static const struct {
		const char *path;
		size_t head, tail;
	} want[] = {
		{"toolUseResult.stdout", 50, 5},
		{"toolUseResult.x", 20, 2},
		{"toolUseResult.file.content", 50, 5},
		{"toolUseResult.originalFile", 0, 0},
		{"toolUseResult.file.base64", 0, 0},
		{"toolUseResult.prompt", 100, 10},
		{"planContent", 100, 10},
		{"other", 20, 2},
		{"summary", 100, 10},
		{"attachment.prompt", 100, 10},
		{"attachment.stdout", 50, 5},
		{"payload.encrypted_content", 0, 0},
		{"lastPrompt", 100, 10},
	};
	struct buf b = BUF_INIT(1 << 20);
	const struct record *r;
	struct block k;

	(void)s;
	r = first_of(
		sized(&b,
		      "{\"type\":\"user\",\"toolUseResult\":{\"stdout\":\"@500\",\"x\":\"@500\",\"originalFile\":\"@500\","
		      "\"file\":{\"content\":\"@500\",\"base64\":\"@500\"},\"prompt\":\"@500\",\"filePath\":\"@500\"},"
		      "\"planContent\":\"@500\",\"other\":\"@500\",\"summary\":\"@500\",\"attachment\":{\"prompt\":\"@500\","
		      "\"stdout\":\"@500\"},\"payload\":{\"encrypted_content\":\"@500\"},\"lastPrompt\":\"@500\","
		      "\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"@500\"},{\"type\":\"thinking\",\"thinking\":\"@500\","
		      "\"signature\":\"@500\"},{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\",\"input\":{\"content\":\"@500\","
		      "\"text\":\"@500\",\"data\":\"@500\",\"deep\":[{\"stdout\":\"@500\"}],\"prompt\":\"@500\","
		      "\"file_path\":\"@500\"}},{\"type\":\"tool_result\",\"content\":\"@500\"},{\"type\":\"tool_result\","
		      "\"content\":[{\"type\":\"text\",\"text\":\"@500\"}]},{\"type\":\"image\",\"source\":{\"data\":\"@500\"}}]}}"),
		&caps);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct val *v = val_at(r->root, want[i].path);

		if (!v)
			fail_msg("%s is not there", want[i].path);
		if (v->text.n != want[i].head || v->tail.n != want[i].tail ||
		    v->size != 500 || !v->cut)
			fail_msg("%s: %zu+%zu of %llu", want[i].path, v->text.n,
				 v->tail.n, (unsigned long long)v->size);
	}
	assert_int_equal(val_at(r->root, "toolUseResult.filePath")->text.n, 500);
	assert_int_equal(block_at(r, 0).text.n, 100);
	assert_int_equal(block_at(r, 0).tail.n, 10);
	assert_int_equal(block_at(r, 1).text.n, 100);
	assert_int_equal(val_get(block_at(r, 1).v, "signature")->text.n, 0);
	k = block_at(r, 2);
	assert_int_equal(val_get_str(k.input, "content").n, 20);
	assert_int_equal(val_get_str(k.input, "text").n, 20);
	assert_int_equal(val_get_str(k.input, "data").n, 20);
	assert_int_equal(val_get_str(val_get(k.input, "deep")->child, "stdout").n, 20);
	assert_int_equal(val_get_str(k.input, "prompt").n, 100);
	assert_int_equal(val_get_str(k.input, "file_path").n, 500);
	assert_int_equal(block_at(r, 3).text.n, 50);
	assert_int_equal(block_at(r, 3).tail.n, 5);
	assert_int_equal(block_at(r, 4).text.n, 50);
	assert_int_equal(block_at(r, 5).kind, BLOCK_IMAGE);
	assert_int_equal(block_at(r, 5).size, 500);
	done();
	buf_release(&b);
}

static void test_transcript__children_over_the_limit_are_counted(void **s)
{
	struct buf b = BUF_INIT(1 << 20);
	const struct record *r;
	const struct val *lines, *obj;

	(void)s;
	buf_add(&b, STR("{\"toolUseResult\":{\"structuredPatch\":[{\"lines\":[\"-a\""));
	for (int i = 0; i < 999; i++)
		buf_add(&b, i % 3 ? STR(",\"+b\"") : STR(",\" c\""));
	buf_add(&b, STR("]}]},\"o\":{\"k\":1"));
	for (int i = 0; i < 999; i++)
		buf_add(&b, STR(",\"k\":{\"x\":[1,2]}"));
	buf_add(&b, STR("},\"uuid\":\"u\"}"));
	r = first_of(buf_str(&b), FULL);
	lines = val_get(val_get(r->result, "structuredPatch")->child, "lines");
	assert_int_equal(lines->size, 1000);
	assert_int_equal(lines->plus, 666);
	assert_int_equal(lines->minus, 1);
	assert_true(lines->cut);
	obj = val_get(r->root, "o");
	assert_int_equal(obj->size, 1000);
	assert_true(obj->cut);
	assert_str(r->uuid, STR("u"));
	done();
	buf_release(&b);
}

static void test_transcript__ids_after_a_huge_message_are_kept(void **s)
{
	struct buf b = BUF_INIT(64 << 20);
	const struct record *r;
	int pieces = 0;

	(void)s;
	buf_add(&b, STR("{\"message\":{\"content\":["));
	for (int i = 0; i < 200; i++) {
		buf_add(&b, i ? STR(",{\"type\":\"text\",\"text\":\"")
			      : STR("{\"type\":\"text\",\"text\":\""));
		buf_fill(&b, 'y', 100000);
		buf_add(&b, STR("\"}"));
	}
	buf_add(&b,
		STR("]},\"type\":\"user\",\"uuid\":\"the-id\",\"timestamp\":\"2026-07-13T10:00:00Z\"}"));
	r = first_of(buf_str(&b), FULL);
	assert_str(r->uuid, STR("the-id"));
	assert_int_equal(r->type, RECORD_USER);
	assert_true(r->at != CLOCK_NONE);
	for (const struct val *v = r->content->child; v; v = v->next) {
		assert_true(val_get(v, "text")->cut);
		assert_int_equal(val_get(v, "text")->size, 100000);
		pieces++;
	}
	assert_int_equal(pieces, 200);
	done();
	buf_release(&b);
}

static void test_transcript__more_values_than_fit_are_marked(void **s)
{
	struct buf b = BUF_INIT(64 << 20);
	const struct record *r;

	(void)s;
	buf_add(&b, STR("{\"a\":["));
	for (int i = 0; i < 250; i++) {
		buf_add(&b, i ? STR(",[0") : STR("[0"));
		for (int j = 0; j < 250; j++)
			buf_add(&b, STR(",1"));
		buf_byte(&b, ']');
	}
	buf_add(&b, STR("],\"uuid\":\"u\",\"type\":\"user\"}"));
	r = first_of(buf_str(&b), FULL);
	assert_int_equal(val_get(r->root, "a")->size, 250);
	assert_str(r->uuid, STR("u"));
	assert_int_equal(r->type, RECORD_USER);
	done();
	buf_release(&b);
}

/* ---- blocks ---- */

static void test_transcript__blocks_of_every_kind(void **s)
{
	const struct record *r = first_of(
		STR("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"t\"},{\"type\":\"redacted_thinking\","
		    "\"data\":\"zzz\"},{\"type\":\"server_tool_use\",\"id\":\"a\",\"name\":\"web_search\",\"input\":{\"query\":\"q\"}},"
		    "{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"one\"},"
		    "{\"type\":\"image\",\"source\":{\"data\":\"x\"}},{\"type\":\"text\",\"text\":\"two\"}]},{\"type\":\"new\"},\"bare\"]}}"),
		FULL);
	struct block b;
	size_t it = 0;
	int n = 0;

	(void)s;
	assert_int_equal(block_at(r, 1).kind, BLOCK_THINKING);
	b = block_at(r, 2);
	assert_int_equal(b.kind, BLOCK_TOOL_USE);
	assert_str(b.id, STR("a"));
	assert_str(b.name, STR("web_search"));
	assert_str(record_gist(&b)->text, STR("q"));
	b = block_at(r, 3);
	assert_int_equal(b.kind, BLOCK_TOOL_RESULT);
	assert_str(b.id, STR("b"));
	assert_true(b.is_error);
	assert_int_equal(b.images, 1);
	assert_str(b.text, STR("one\ntwo"));
	assert_int_equal(b.size, 6);
	assert_int_equal(block_at(r, 4).kind, BLOCK_OTHER);
	assert_int_equal(block_at(r, 5).kind, BLOCK_TEXT);
	assert_str(record_answers(r), STR("b"));
	while (record_block(r, &it, &b))
		n++;
	assert_int_equal(n, 6);
	assert_false(record_block(r, &it, &b));
	done();
}

static void test_transcript__wrong_types_of_content_are_harmless(void **s)
{
	static const char *text[] = {
		"{\"type\":\"user\"}",
		"{\"type\":\"user\",\"message\":\"x\"}",
		"{\"type\":\"user\",\"message\":{\"content\":{\"type\":\"text\"}}}",
		"{\"type\":\"user\",\"message\":{\"content\":[]}}",
		"{\"type\":\"user\",\"message\":{\"content\":7}}",
		"{\"type\":\"user\",\"message\":{\"content\":null}}",
		"{\"type\":\"user\",\"message\":[1]}",
		"{\"type\":7,\"message\":{\"content\":[[],1,{},{\"type\":1},{\"type\":\"tool_use\"}]}}",
		"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"input\":[]}]},\"toolUseResult\":[]}",
		"{\"type\":\"attachment\",\"attachment\":\"x\"}",
		"{}",
	};

	(void)s;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		const struct record *r = first_of(str_of(text[i]), i % 2 ? FULL : LEAN);
		struct block b;
		size_t it = 0;
		str said;

		while (record_block(r, &it, &b))
			assert_true(!record_dispatches(&b) || !record_gist(&b));
		assert_int_equal(record_says(r, &now.a, &said), SAYS_NOTHING);
		assert_int_equal(record_answers(r).n, 0);
		done();
	}
}

static void test_transcript__dispatches_by_name_or_by_input(void **s)
{
	static const struct {
		const char *block;
		bool is;
		const char *gist;
	} want[] = {
		{"{\"type\":\"tool_use\",\"name\":\"Task\",\"input\":{\"prompt\":\"p\",\"description\":\"d\"}}",
		 true, "d"},
		{"{\"type\":\"tool_use\",\"name\":\"Agent\",\"input\":{}}", true, NULL},
		{"{\"type\":\"tool_use\",\"name\":\"Delegate\",\"input\":{\"subagent_type\":\"x\",\"prompt\":\"p\"}}",
		 true, "p"},
		{"{\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{\"description\":\"d\",\"command\":\"c\"}}",
		 false, "c"},
		{"{\"type\":\"tool_use\",\"name\":\"Odd\",\"input\":{\"z\":\"first\",\"y\":\"second\"}}",
		 false, "first"},
		{"{\"type\":\"tool_use\",\"name\":\"Odd\",\"input\":{\"z\":1}}", false,
		 NULL},
		{"{\"type\":\"text\",\"text\":\"Task\"}", false, NULL},
	};

	(void)s;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct buf text = BUF_INIT(4096);
		const struct val *gist;
		struct block b;

		buf_printf(&text,
			   "{\"type\":\"assistant\",\"message\":{\"content\":[%s]}}",
			   want[i].block);
		b = block_at(first_of(buf_str(&text), LEAN), 0);
		assert_int_equal(record_dispatches(&b), want[i].is);
		gist = record_gist(&b);
		assert_str(gist ? gist->text : STR_NONE, str_of(want[i].gist));
		done();
		buf_release(&text);
	}
}

/* ---- what a record says ---- */

static const struct says_case {
	const char *rec; /* members besides type */
	enum record_says says;
	const char *text;
} SAYS[] = {
	{"\"message\":{\"content\":\"fix the lamp\"}", SAYS_PROMPT, "fix the lamp"},
	{"\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}",
	 SAYS_PROMPT, "a\nb"},
	{"\"message\":{\"content\":\"  \"}", SAYS_NOTHING, ""},
	{"\"message\":{\"content\":\"x\"},\"isMeta\":true", SAYS_HOOK, "x"},
	{"\"message\":{\"content\":\"x\"},\"isSidechain\":true", SAYS_NOTHING, ""},
	{"\"message\":{\"content\":\"x\"},\"isMeta\":true,\"planContent\":\"# P\"",
	 SAYS_PROMPT, "x"},
	{"\"message\":{\"content\":\"x\"},\"isCompactSummary\":true", SAYS_SUMMARY, "x"},
	{"\"message\":{\"content\":\"This session is being continued from a previous conversation that\"}",
	 SAYS_SUMMARY, NULL},
	{"\"message\":{\"content\":\"<command-name>/model</command-name>\\n <command-message>model</command-message>\\n"
	 " <command-args>opus</command-args>\"}",
	 SAYS_COMMAND, "/model opus"},
	{"\"message\":{\"content\":\"<command-message>lamp:tune is running</command-message>\\n"
	 "<command-name>lamp:tune</command-name>\"}",
	 SAYS_COMMAND, "/lamp:tune"},
	{"\"message\":{\"content\":\"<user-memory-input>always test</user-memory-input>\"}",
	 SAYS_COMMAND, "# always test"},
	{"\"message\":{\"content\":\"<local-command-stdout>ok</local-command-stdout>\"}",
	 SAYS_LOCAL_OUTPUT, NULL},
	{"\"message\":{\"content\":\"<bash-input> ls -l </bash-input>\"}", SAYS_BASH,
	 "ls -l"},
	{"\"message\":{\"content\":\"<bash-stdout>x</bash-stdout>\"}", SAYS_LOCAL_OUTPUT,
	 NULL},
	{"\"message\":{\"content\":\"Caveat: The messages below were generated by the user while running local commands. D\"}",
	 SAYS_HOOK, NULL},
	{"\"message\":{\"content\":\"<task-notification>\\n<task-id>t</task-id></task-notification>\"}",
	 SAYS_NOTIFICATION,
	 "<task-notification>\n<task-id>t</task-id></task-notification>"},
	{"\"message\":{\"content\":\"done\"},\"origin\":{\"kind\":\"task-notification\"}",
	 SAYS_NOTIFICATION, "done"},
	{"\"message\":{\"content\":\"done\"},\"origin\":{\"kind\":\"channel\"}",
	 SAYS_HOOK, "done"},
	{"\"message\":{\"content\":\"done\"},\"origin\":{\"kind\":\"human\"}",
	 SAYS_PROMPT, "done"},
	{"\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"[Request interrupted by user for tool use]\"}]}",
	 SAYS_INTERRUPT, "[Request interrupted by user for tool use]"},
	{"\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"x\"}]}",
	 SAYS_NOTHING, NULL},
	{"\"message\":{\"content\":\"out\"},\"toolUseResult\":{\"a\":1}", SAYS_NOTHING,
	 NULL},
	{"\"message\":{\"content\":\"<system-reminder>be nice</system-reminder>\"}",
	 SAYS_HOOK, NULL},
	{"\"message\":{\"content\":\"<system-reminder>be nice</system-reminder>\\nand fix it\"}",
	 SAYS_PROMPT, "and fix it"},
	{"\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"<ide_opened_file>f</ide_opened_file>\"},{\"type\":\"text\","
	 "\"text\":\"what is this\"}]}",
	 SAYS_PROMPT, "what is this"},
	{"\"message\":{\"content\":[{\"type\":\"image\",\"source\":{\"data\":\"x\"}}]}",
	 SAYS_PROMPT, "[image]"},
	{"\"message\":{\"content\":\"<div>why is this red</div>\"}", SAYS_PROMPT,
	 "<div>why is this red</div>"},
	{"\"message\":{\"content\":\"Stop hook feedback:\\nx\"}", SAYS_HOOK, NULL},
};

static const struct says_case SAYS_ELSE[] = {
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"also this\",\"commandMode\":\"prompt\"}",
	 SAYS_PROMPT, "also this"},
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":[{\"type\":\"text\",\"text\":\"p\"},"
	 "{\"type\":\"image\"},{\"type\":\"text\",\"text\":\"q\"}]}",
	 SAYS_PROMPT, "p\nq"},
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"<task-notification>x\","
	 "\"commandMode\":\"task-notification\"}",
	 SAYS_NOTIFICATION, "<task-notification>x"},
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"/compact now\"}",
	 SAYS_COMMAND, "/compact now"},
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"/home/x is full\"}",
	 SAYS_PROMPT, "/home/x is full"},
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"hook_success\",\"stdout\":\"x\"}",
	 SAYS_HOOK, ""},
	{"\"type\":\"attachment\",\"attachment\":{\"type\":\"new_thing\"}", SAYS_NOTHING,
	 ""},
	{"\"type\":\"system\",\"subtype\":\"local_command\",\"content\":\"<command-name>/status</command-name>\"",
	 SAYS_COMMAND, "/status"},
	{"\"type\":\"system\",\"subtype\":\"local_command\",\"content\":\"<local-command-stdout>x</local-command-stdout>\"",
	 SAYS_LOCAL_OUTPUT, NULL},
	{"\"type\":\"system\",\"subtype\":\"away_summary\",\"content\":\"You did x\"",
	 SAYS_NOTHING, NULL},
	{"\"type\":\"system\",\"content\":\"hook output\"", SAYS_HOOK, NULL},
	{"\"type\":\"assistant\",\"message\":{\"content\":\"hi\"}", SAYS_NOTHING, ""},
};

static void says_check(const struct says_case *c, const char *before,
		       const struct transcript_caps *caps)
{
	struct buf text = BUF_INIT(8192);
	const struct record *r;
	enum record_says says;
	str said;

	buf_printf(&text, "{%s%s}", before, c->rec);
	r = first_of(buf_str(&text), caps);
	says = record_says(r, &now.a, &said);
	if (says != c->says)
		fail_msg("%s says %d", c->rec, says);
	if (c->text)
		assert_str(said, str_of(c->text));
	assert_int_equal(record_says(r, NULL, NULL), says);
	done();
	buf_release(&text);
}

static void test_transcript__what_a_record_says(void **s)
{
	(void)s;
	for (size_t i = 0; i < sizeof(SAYS) / sizeof(SAYS[0]); i++) {
		says_check(&SAYS[i], "\"type\":\"user\",", FULL);
		says_check(&SAYS[i], "\"type\":\"user\",", LEAN);
	}
	for (size_t i = 0; i < sizeof(SAYS_ELSE) / sizeof(SAYS_ELSE[0]); i++) {
		says_check(&SAYS_ELSE[i], "", FULL);
		says_check(&SAYS_ELSE[i], "", LEAN);
	}
}

static void test_transcript__a_long_prompt_keeps_its_end(void **s)
{
	static const struct transcript_caps caps = {10, 5, 1, 0, 1, 0, false};
	const struct record *r = first_of(
		STR("{\"type\":\"user\",\"message\":{\"content\":\"aaaaaaaaaabbbbbbbbbbbbbbbbbbbbccccc\"}}"),
		&caps);
	str said;

	(void)s;
	assert_int_equal(record_says(r, &now.a, &said), SAYS_PROMPT);
	assert_str(said, STR("aaaaaaaaaa\n[... 20 bytes left out ...]\nccccc"));
	done();
}

static void test_transcript__a_prompt_behind_a_long_note_of_the_client(void **s)
{
	static const struct transcript_caps caps = {40, 40, 1, 0, 1, 0, false};
	const struct record *r = first_of(
		STR("{\"type\":\"user\",\"message\":{\"content\":\"<ide_selection>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</ide_selection>\\nwhy is this\"}}"),
		&caps);
	str said;

	(void)s;
	assert_int_equal(record_says(r, &now.a, &said), SAYS_PROMPT);
	assert_str(said, STR("why is this"));
	done();
}

static void test_transcript__words_of_a_refusal(void **s)
{
	const struct record *r = first_of(
		STR("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"The user doesn't want to "
		    "proceed with this tool use. To tell you how to proceed, the user said:\\nuse make instead\"},"
		    "{\"type\":\"tool_result\",\"content\":\"the user said:\\nnot a refusal\"},{\"type\":\"text\",\"text\":\"x\"}]}}"),
		FULL);
	struct block b = block_at(r, 0);

	(void)s;
	assert_str(record_refusal(&b), STR("use make instead"));
	b = block_at(r, 1);
	assert_int_equal(record_refusal(&b).n, 0);
	b = block_at(r, 2);
	assert_int_equal(record_refusal(&b).n, 0);
	done();
}

static void test_transcript__tags(void **s)
{
	(void)s;
	assert_str(record_tag(STR("<a>x</a><b> y </b>"), "b"), STR("y"));
	assert_null(record_tag(STR("<b>y"), "b").p);
	assert_null(record_tag(STR("y</b>"), "b").p);
	assert_null(record_tag(STR("<bb>y</bb>"), "b").p);
	assert_int_equal(record_tag(STR("<b></b>"), "b").n, 0);
	assert_non_null(record_tag(STR("<b></b>"), "b").p);
	assert_null(record_tag(STR("x"),
			       "a-name-that-is-longer-than-any-tag-of-the-client-is")
			    .p);
}

/* ---- many records ---- */

static void test_transcript__duplicates_by_uuid(void **s)
{
	const struct record *r = first_of(
		STR("{\"uuid\":\"a\",\"type\":\"user\"}\n{\"type\":\"mode\"}\n"
		    "{\"uuid\":\"b\",\"type\":\"user\"}\n"
		    "{\"uuid\":\"a\",\"type\":\"user\",\"forkedFrom\":{\"x\":1}}\n{\"type\":\"mode\"}\n"),
		LEAN);

	(void)s;
	assert_false(r->duplicate);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_RECORD);
		assert_int_equal(r->duplicate, i == 2);
		assert_int_equal(r->forked, i == 2);
		assert_int_equal(r->n, i + 2);
	}
	assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_END);
	assert_int_equal(now.t->duplicates, 1);
	done();
}

static void test_transcript__times_are_what_the_clock_makes_of_them(void **s)
{
	static const char good[] = "2026-07-13T10:59:07.250Z";
	static const char odd[] = "/0159:;.ATZ \xff";
	struct buf b = BUF_INIT(1 << 20);
	const struct record *r;
	char at[sizeof(good)];
	bool more = true;

	(void)s;
	/* a good one first, so that the day is known; then one byte of each place another one */
	buf_printf(&b, "{\"timestamp\":\"%s\"}\n", good);
	for (size_t i = 0; i < sizeof(good) - 1; i++)
		for (size_t k = 0; k < sizeof(odd) - 1; k++) {
			memcpy(at, good, sizeof(good));
			at[i] = odd[k];
			buf_printf(&b, "{\"timestamp\":\"%s\",\"cwd\":\"%s\"}\n", at, at);
		}
	r = first_of(buf_str(&b), LEAN);
	while (more) {
		int64_t want = CLOCK_NONE;

		if (r->cwd.n)
			clock_parse(r->cwd, &want);
		else
			clock_parse(str_of(good), &want);
		assert_int_equal(r->at, want);
		more = transcript_next(now.t, &r) == TRANSCRIPT_RECORD;
	}
	assert_int_equal(now.t->records, 1 + (sizeof(good) - 1) * (sizeof(odd) - 1));
	done();
	buf_release(&b);
}

static void test_transcript__many_uuids_in_bounded_memory(void **s)
{
	struct buf b = BUF_INIT(64 << 20);
	const struct record *r;
	uint64_t n = TRANSCRIPT_UUIDS_MAX * 2 + TRANSCRIPT_UUIDS_MAX / 2, dup = 0;

	(void)s;
	for (uint64_t i = 0; i < n; i++)
		buf_printf(&b, "{\"uuid\":\"%llu\"}\n", (unsigned long long)i);
	buf_printf(&b, "{\"uuid\":\"%llu\"}\n{\"uuid\":\"0\"}\n",
		   (unsigned long long)(n - TRANSCRIPT_UUIDS_MAX));
	r = first_of(buf_str(&b), LEAN);
	while (transcript_next(now.t, &r) == TRANSCRIPT_RECORD)
		dup += r->duplicate;
	assert_int_equal(dup, 1); /* the first ones are forgotten */
	done();
	buf_release(&b);
}

static void test_transcript__another_programs_records_are_foreign(void **s)
{
	const struct record *r = first_of(
		STR("{\"timestamp\":\"2026-07-13T10:00:00Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n"
		    "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\"}}\n"
		    "{\"record_type\":\"state\"}\n{\"type\":\"session_meta\"}\n{\"type\":\"user\",\"payload\":{}}\n"),
		LEAN);
	static const enum record_type want[] = {RECORD_FOREIGN, RECORD_FOREIGN,
						RECORD_FOREIGN, RECORD_UNKNOWN,
						RECORD_USER};

	(void)s;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(r->type, want[i]);
		transcript_next(now.t, &r);
	}
	assert_int_equal(now.t->foreign, 3);
	done();
}

static void test_transcript__losses_are_counted_and_kept(void **s)
{
	const struct record *r = first_of(
		STR("{\"uuid\":\"a\"}\nnot json\n{\"uuid\":\"b\"}\n{\"uuid\":\"c\",\"x"),
		LEAN);

	(void)s;
	assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_LOSS);
	assert_int_equal(now.t->last_loss.line, 2);
	assert_true(now.t->tail_lost);
	assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_RECORD);
	assert_str(r->uuid, STR("b"));
	assert_int_equal(r->n, 2);
	assert_false(now.t->tail_lost);
	assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_LOSS);
	assert_int_equal(transcript_next(now.t, &r), TRANSCRIPT_END);
	assert_true(now.t->tail_cut && now.t->tail_lost && now.t->tail_torn);
	assert_int_equal(now.t->losses, 2);
	assert_int_equal(now.t->loss[0].off, 13);
	assert_int_equal(now.t->good, 35);
	done();
}

static void test_transcript__continues_at_an_offset(void **s)
{
	struct source src;
	struct transcript *t;
	const struct record *r;

	(void)s;
	test_dir();
	src = session_of(STR("{\"uuid\":\"a\"}\n{\"uuid\":\"b\"}\n"));
	assert_int_equal(source_seek(&src, 13), 0);
	t = transcript_new(&src, 13, LEAN);
	assert_int_equal(transcript_next(t, &r), TRANSCRIPT_RECORD);
	assert_str(r->uuid, STR("b"));
	assert_int_equal(r->off, 13);
	assert_int_equal(t->good, 26);
	transcript_free(t);
	source_release(&src);
}

static void test_transcript__cut_at_every_byte(void **s)
{
	str whole = session_read("fixtures/transcripts/rewind-leaf.jsonl");
	uint64_t lines = 0;

	(void)s;
	if (whole.n > 20000)
		whole.n = 20000;
	for (size_t n = 0; n <= whole.n; n++) {
		struct source src;
		struct transcript *t;
		const struct record *r;
		bool line_end = n && whole.p[n - 1] == '\n';
		/* a whole record may lack its line end */
		bool object_end = n && n < whole.n && whole.p[n] == '\n';

		lines += line_end;
		if (n % 7 && !line_end && !object_end && n > 2000)
			continue; /* every seventh byte is enough in the long middle */
		test_dir();
		src = session_of(str_head(whole, n));
		t = transcript_new(&src, 0, FULL);
		while (transcript_next(t, &r) <= TRANSCRIPT_LOSS)
			;
		assert_int_equal(t->records, lines + object_end);
		if (!line_end && !object_end && n)
			assert_true(t->tail_cut || t->losses == 0);
		transcript_free(t);
		source_release(&src);
	}
}

static void test_transcript__a_failing_read_is_an_error(void **s)
{
	str text = STR("{\"uuid\":\"a\"}\n{\"uuid\":\"b\"}\n");
	int n = 0;
	bool met;

	(void)s;
	do {
		struct source src;
		struct transcript *t;
		const struct record *r;
		enum transcript_got got;

		test_dir();
		src = session_of(text);
		fault_at(++n);
		t = transcript_new(&src, 0, LEAN);
		while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS)
			;
		met = fault_met();
		fault_off();
		assert_int_equal(got, met ? TRANSCRIPT_ERROR : TRANSCRIPT_END);
		if (met)
			assert_int_equal(t->err.code, HF_EIO);
		transcript_free(t);
		source_release(&src);
	} while (met);
	assert_true(n > 1);
}

/* ---- lean and full agree ---- */

static void same_str(str a, str b, const char *what, uint64_t n)
{
	if (!str_eq(a, b))
		fail_msg("record %llu: %s differs", (unsigned long long)n, what);
}

static void both_agree(const char *path)
{
	static const struct transcript_caps wide =
						    {
							    8192, 1024, 8192, 1024,
							    8192, 1024, true,
						    },
					    full = {8192, 1024, 8192, 1024,
						    8192, 1024, false};
	struct source a = session_open(path), b = session_open(path);
	struct transcript *ta = transcript_new(&a, 0, &wide),
			  *tb = transcript_new(&b, 0, &full);
	const struct record *ra, *rb;
	enum transcript_got ga, gb;
	struct arena x, y;

	arena_init(&x, 1 << 20);
	arena_init(&y, 1 << 20);
	for (;;) {
		struct block ba, bb;
		size_t ia = 0, ib = 0;
		str sa, sb;

		ga = transcript_next(ta, &ra);
		gb = transcript_next(tb, &rb);
		assert_int_equal(ga, gb);
		if (ga == TRANSCRIPT_END || ga == TRANSCRIPT_ERROR)
			break;
		if (ga == TRANSCRIPT_LOSS)
			continue;
		same_str(ra->uuid, rb->uuid, "uuid", ra->n);
		same_str(ra->parent, rb->parent, "parent", ra->n);
		same_str(ra->cwd, rb->cwd, "cwd", ra->n);
		same_str(ra->message_id, rb->message_id, "message id", ra->n);
		same_str(ra->stop_reason, rb->stop_reason, "stop_reason", ra->n);
		assert_int_equal(ra->type, rb->type);
		assert_true(ra->at == rb->at);
		assert_int_equal(ra->duplicate, rb->duplicate);
		arena_reset(&x);
		arena_reset(&y);
		if (record_says(ra, &x, &sa) != record_says(rb, &y, &sb))
			fail_msg("%s: record %llu says another thing", path,
				 (unsigned long long)ra->n);
		same_str(sa, sb, "what it says", ra->n);
		while (record_block(ra, &ia, &ba)) {
			assert_true(record_block(rb, &ib, &bb));
			assert_int_equal(ba.kind, bb.kind);
			same_str(ba.text, bb.text, "text", ra->n);
			same_str(ba.id, bb.id, "id", ra->n);
			if (ba.size != bb.size)
				fail_msg("%s: record %llu: sizes differ: %llu, %llu",
					 path, (unsigned long long)ra->n,
					 (unsigned long long)ba.size,
					 (unsigned long long)bb.size);
			assert_int_equal(ba.is_error, bb.is_error);
		}
		assert_false(record_block(rb, &ib, &bb));
	}
	assert_int_equal(ta->losses, tb->losses);
	assert_int_equal(ta->records, tb->records);
	arena_release(&x);
	arena_release(&y);
	transcript_free(ta);
	transcript_free(tb);
	source_release(&a);
	source_release(&b);
}

static void test_transcript__lean_reading_agrees_with_full_reading(void **s)
{
	(void)s;
	assert_true(session_all(both_agree) > 100);
}

static void test_transcript__hash_tells_ids_apart(void **s)
{
	(void)s;
	assert_int_equal(transcript_hash(STR_NONE), 0);
	assert_true(transcript_hash(STR("a")) != transcript_hash(STR("b")));
	assert_true(transcript_hash(STR("12345678")) !=
		    transcript_hash(STR("123456780")));
	assert_true(transcript_hash(STR("abcdefghi")) ==
		    transcript_hash(STR("abcdefghi")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_transcript__typed_fields_whatever_the_order_of_keys),
		cmocka_unit_test(test_transcript__of_duplicate_keys_the_last_wins),
		cmocka_unit_test(test_transcript__values_are_found_by_path_and_type),
		cmocka_unit_test(
			test_transcript__texts_results_and_inputs_have_caps_of_their_own),
		cmocka_unit_test(test_transcript__children_over_the_limit_are_counted),
		cmocka_unit_test(test_transcript__ids_after_a_huge_message_are_kept),
		cmocka_unit_test(test_transcript__more_values_than_fit_are_marked),
		cmocka_unit_test(test_transcript__blocks_of_every_kind),
		cmocka_unit_test(test_transcript__wrong_types_of_content_are_harmless),
		cmocka_unit_test(test_transcript__dispatches_by_name_or_by_input),
		cmocka_unit_test(test_transcript__what_a_record_says),
		cmocka_unit_test(test_transcript__a_long_prompt_keeps_its_end),
		cmocka_unit_test(
			test_transcript__a_prompt_behind_a_long_note_of_the_client),
		cmocka_unit_test(test_transcript__words_of_a_refusal),
		cmocka_unit_test(test_transcript__tags),
		cmocka_unit_test(test_transcript__duplicates_by_uuid),
		cmocka_unit_test(test_transcript__times_are_what_the_clock_makes_of_them),
		cmocka_unit_test(test_transcript__many_uuids_in_bounded_memory),
		cmocka_unit_test(test_transcript__another_programs_records_are_foreign),
		cmocka_unit_test(test_transcript__losses_are_counted_and_kept),
		cmocka_unit_test(test_transcript__continues_at_an_offset),
		cmocka_unit_test(test_transcript__cut_at_every_byte),
		cmocka_unit_test(test_transcript__a_failing_read_is_an_error),
		cmocka_unit_test(test_transcript__lean_reading_agrees_with_full_reading),
		cmocka_unit_test(test_transcript__hash_tells_ids_apart),
	};

	return cmocka_run_group_tests_name("transcript", tests, NULL, NULL);
}
