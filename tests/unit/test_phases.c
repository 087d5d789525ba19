#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "data/json.h"
#include "work/phases.h"

typedef int (*phase_fn)(struct source *, const char *, const struct phases_options *,
			struct out *, struct err *);

static const struct phases_options TEXT = {.since = CLOCK_NONE};
static const struct phases_options JSON = {.since = CLOCK_NONE, .json = true};

/* What a phase prints of a file. */
static str page_of(phase_fn phase, const char *path, const struct phases_options *opt)
{
	struct source src = session_open(path);
	struct err e = ERR_INIT;
	struct out out;
	int fd = open(test_path("page"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	out_init(&out, fd, "page");
	if (phase(&src, path, opt, &out, &e) != 0)
		fail_msg("%s: %s", path, e.msg);
	assert_int_equal(out_end(&out, &e), 0);
	close(fd);
	source_release(&src);
	return test_read("page");
}

static str show_of(const char *path, uint64_t record, bool json, size_t room)
{
	static struct buf text;
	struct source src = session_open(path);
	struct err e = ERR_INIT;

	buf_release(&text);
	text = BUF_INIT(room);
	if (phases_show(&src, path, record, json, &text, &e) != 0)
		fail_msg("%s: %s", path, e.msg);
	assert_false(text.full);
	source_release(&src);
	return buf_str(&text);
}

static bool has(str text, const char *part)
{
	return str_find(text, str_of(part)) != STR_NPOS;
}

#define assert_has(text, part)                                                           \
	do {                                                                             \
		if (!has((text), (part)))                                                \
			fail_msg("\"%s\" is not in\n%.*s", (part), STR_ARG(text));       \
	} while (0)
#define assert_lacks(text, part)                                                         \
	do {                                                                             \
		if (has((text), (part)))                                                 \
			fail_msg("\"%s\" is in\n%.*s", (part), STR_ARG(text));           \
	} while (0)

static void check_json(str s, const char *name)
{
	struct json j;
	enum json_tok tok;

	json_init(&j, s);
	while ((tok = json_next(&j)) != JSON_END)
		if (tok == JSON_BAD || tok == JSON_MORE)
			fail_msg("%s: no JSON at byte %zu: %.*s", name, j.at,
				 STR_ARG(str_head(str_from(s, j.at < 80 ? 0 : j.at - 80),
						  160)));
}

#define FIX(name) "fixtures/transcripts/" name ".jsonl"

/* ---- phase 1 ---- */

static void test_phases__index_lists_prompts_calls_and_results(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_index, FIX("killed-mid-bash"), &TEXT);
	assert_has(page, "prompt      (39 B) dim the lamp slowly at night, src/dim.c\n");
	assert_has(page, "call        Read /home/dev/lantern/src/dim.c\n");
	assert_has(page, "result      of 5 Read (");
	assert_has(page, "    10  ");
	assert_has(page, "call        Bash make flash\n");
	assert_has(page,
		   "ended      killed mid-tool (Bash), last activity 2026-07-16T10:00:");
	assert_has(
		page,
		"Record 10 calls Bash; no record answers it, and no last-prompt ends the file.");
	assert_has(page, "open       record 10  Bash  make flash\n");
	assert_has(page, "project    /home/dev/lantern, branch main, client 2.1.197\n");
}

static void test_phases__index_as_json(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_index, FIX("killed-mid-bash"), &JSON);
	check_json(page, "index");
	assert_true(str_starts(
		page,
		STR("{\"format\":1,\"entries\":[\n{\"n\":3,\"at\":\"2026-07-16T10:00:")));
	assert_has(page, "\"kind\":\"call\",\"tool\":\"Read\",\"id\":\"toolu_");
	assert_has(page, "\"files\":[\"/home/dev/lantern/src/dim.c\"]");
	assert_has(page, "\"of\":5,\"error\":false,");
	assert_has(page, "\"ended\":{\"kind\":\"killed-tool\",\"dead\":true,");
	assert_has(page, "\"counts\":{\"records\":10,");
}

static void test_phases__index_tells_exit_codes_and_line_counts(void **s)
{
	str page;

	(void)s;
	test_dir();
	test_write(
		"x.jsonl",
		STR("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"Bash\",\"input\":{\"command\":\"false\"}}]}}\n"
		    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"is_error\":true,\"content\":\"Exit code 3\\nno\"}]},\"toolUseResult\":\"Error: Exit code 3\\nno\"}\n"
		    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"Edit\",\"input\":{\"file_path\":\"/x\"}}]}}\n"
		    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"ok\"}]},\"toolUseResult\":{\"structuredPatch\":[{\"lines\":[\" a\",\"-b\",\"+c\",\"+d\"]},{\"lines\":[\"+e\"]}]}}\n"
		    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"Bash\",\"input\":{\"command\":\"true\"}}]}}\n"
		    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"\"}]},\"toolUseResult\":{\"backgroundTaskId\":\"bg1\"}}\n"));
	page = page_of(phases_index, test_path("x.jsonl"), &JSON);
	check_json(page, "index");
	assert_has(page, "\"of\":1,\"error\":true,\"exit\":3");
	assert_has(page, "\"plus\":3,\"minus\":1");
	assert_has(page, "\"of\":5,\"error\":false,\"exit\":0,\"background\":\"bg1\"");
	page = page_of(phases_index, test_path("x.jsonl"), &TEXT);
	assert_has(page, "of 1 exit 3 Bash");
	assert_has(page, "of 3 +3 -1 Edit");
	assert_has(page, "in the background as bg1 Bash");
}

static void test_phases__index_shows_both_ends_of_a_long_text(void **s)
{
	struct phases_options opt = JSON;
	struct buf b = BUF_INIT(1 << 20);
	str page;

	(void)s;
	test_dir();
	buf_add(&b, STR("{\"type\":\"user\",\"message\":{\"content\":\"begin "));
	for (int i = 0; i < 5000; i++)
		buf_add(&b, STR("word "));
	buf_add(&b, STR("finish\"}}\n"));
	test_write("x.jsonl", buf_str(&b));
	opt.ends = 12;
	page = page_of(phases_index, test_path("x.jsonl"), &opt);
	check_json(page, "index");
	assert_has(page,
		   "\"size\":25012,\"head\":\"begin word w\",\"tail\":\" word finish\"");
	buf_release(&b);
}

static void test_phases__index_keeps_to_a_range(void **s)
{
	struct phases_options opt = JSON;
	str page;

	(void)s;
	test_dir();
	opt.first = 4;
	opt.last = 6;
	page = page_of(phases_index, FIX("killed-mid-bash"), &opt);
	check_json(page, "index");
	assert_lacks(page, "\"n\":3,");
	assert_has(page, "\"n\":4,");
	assert_has(page, "\"n\":6,");
	assert_lacks(page, "\"n\":8,");
	assert_has(page, "\"ended\":{\"kind\":\"killed-tool\""); /* of the whole */
	opt.first = opt.last = 0;
	opt.since = INT64_MAX;
	page = page_of(phases_index, FIX("killed-mid-bash"), &opt);
	assert_has(page, "\"entries\":[\n],");
}

static void test_phases__index_tells_losses_branches_and_compactions(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_index, FIX("rewind-leaf"), &TEXT);
	assert_has(page, "rewound    records 13 to 18 were abandoned\n");
	page = page_of(phases_index, FIX("compact-twice"), &JSON);
	check_json(page, "index");
	assert_has(page, "\"compactions\":2,");
	page = page_of(phases_index, FIX("nul-run-in-record"), &TEXT);
	assert_has(page, "lost       ");
	page = page_of(phases_index, FIX("unknown-types"), &JSON);
	check_json(page, "index");
	assert_lacks(page, "\"unknown_types\":{}");
	page = page_of(phases_index, FIX("dup-uuids-forked"), &TEXT);
	assert_has(page, "duplicates left out");
}

static void test_phases__titles(void **s)
{
	(void)s;
	test_dir();
	assert_has(page_of(phases_index, FIX("titles"), &JSON),
		   "\"title\":\"lamp-night\"");
	assert_has(page_of(phases_index, FIX("summary-title"), &JSON),
		   "\"title\":\"Dimming the lamp\"");
}

/* ---- phase 2 ---- */

static void test_phases__backbone_is_what_was_said(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_backbone, FIX("command-noise"), &TEXT);
	assert_has(page, "dim the lamp slowly at night");
	assert_has(page, "keep the night level at 20 percent");
	assert_has(page, "/lamp:tune slow");
	assert_lacks(page, "/exit");
	assert_lacks(page, "<");
	assert_lacks(page, "Caveat");
	page = page_of(phases_backbone, FIX("thinking"), &TEXT);
	assert_lacks(page, "thinking");
	page = page_of(phases_backbone, FIX("inline-sidechains"), &TEXT);
	assert_lacks(page, "Review src/dim.c");
}

static void test_phases__backbone_marks_what_does_not_count(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_backbone, FIX("rewind-leaf"), &TEXT);
	assert_has(page, "  (abandoned)\nnow make it blink");
	assert_lacks(page, "(abandoned)\ndim the lamp");
	page = page_of(phases_backbone, FIX("queued-command"), &TEXT);
	assert_has(page, "(queued)\nalso dim the standby light");
	assert_has(page, "(never reached the model)\nand never below 5 percent");
	page = page_of(phases_backbone, FIX("queued-command"), &JSON);
	check_json(page, "backbone");
	assert_has(page, "\"undelivered\":true");
}

static void test_phases__backbone_has_answers_and_refusals(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_backbone, FIX("ask-user"), &TEXT);
	assert_has(page, "user answer");
	assert_has(page, "At what time? -> 22:30 on weekdays, never on Sunday");
	test_write(
		"x.jsonl",
		STR("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"The user doesn't want to "
		    "proceed with this tool use. To tell you how to proceed, the user said:\\nuse make\"}]}}\n"));
	page = page_of(phases_backbone, test_path("x.jsonl"), &TEXT);
	assert_has(page, "user refusal");
	assert_has(page, "use make");
}

/* ---- phase 3 ---- */

static void test_phases__agents_with_their_files(void **s)
{
	str page;

	(void)s;
	test_dir();
	page = page_of(phases_agents, FIX("killed-mid-agent"), &TEXT);
	assert_has(page, "agent      record 8  Agent Explore: Review dim.c  (open)\n");
	assert_has(page, "ended: killed mid-tool (Bash)");
	assert_has(page, "open: record ");
	assert_has(page, "make lint");
	page = page_of(phases_agents, FIX("killed-mid-agent"), &JSON);
	check_json(page, "agents");
	assert_has(page, "\"file_ended\":{\"kind\":\"killed-tool\"");
	assert_has(page_of(phases_agents, FIX("clean-exit"), &TEXT), "no sub-agents");
	check_json(page_of(phases_agents, FIX("clean-exit"), &JSON), "agents");
}

/* ---- phase 4 ---- */

static void test_phases__show_has_both_sides_of_a_call(void **s)
{
	str call, result;

	(void)s;
	test_dir();
	call = show_of(FIX("killed-mid-bash"), 5, false, 1 << 20);
	assert_has(
		call,
		"record 5, line 5, assistant, 2026-07-16T10:00:05Z\ncall Read\n  file_path: /home/dev/lantern/src/dim.c\n");
	assert_has(call, "record 6, line 6, user");
	assert_has(call, "int dim(int hour)");
	test_write("call", call);
	result = show_of(FIX("killed-mid-bash"), 6, false, 1 << 20);
	assert_str(result, test_read("call"));
	assert_has(show_of(FIX("killed-mid-bash"), 10, false, 1 << 20),
		   "no result: a call of record 10 was never answered");
	assert_has(show_of(FIX("killed-mid-bash"), 10, true, 1 << 20),
		   "\"unanswered\":1}");
	assert_has(show_of(FIX("killed-mid-bash"), 3, false, 1 << 20),
		   "text, 39 B\ndim the lamp");
	/* a record without blocks is shown as it is */
	assert_has(show_of(FIX("killed-mid-bash"), 1, false, 1 << 20), "{\"type\":\"");
}

static void test_phases__show_of_a_record_that_is_not_there(void **s)
{
	struct source src = session_open(FIX("killed-mid-bash"));
	struct buf text = BUF_INIT(1000);
	struct err e = ERR_INIT;

	(void)s;
	assert_int_equal(phases_show(&src, "x.jsonl", 99, false, &text, &e),
			 HF_ENOTFOUND);
	assert_string_equal(e.msg, "x.jsonl: no record 99: it has 10");
	assert_int_equal(text.n, 0);
	source_release(&src);
	buf_release(&text);
}

static void test_phases__show_fits_any_room(void **s)
{
	struct buf b = BUF_INIT(8 << 20);

	(void)s;
	test_dir();
	buf_add(&b,
		STR("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"Write\",\"input\":{\"file_path\":\"/x\",\"content\":\""));
	buf_fill(&b, 'c', 300000);
	buf_add(&b,
		STR("END\"}}]}}\n{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\""));
	buf_fill(&b, 'r', 300000);
	buf_add(&b, STR("FIN\"}]}}\n"));
	test_write("x.jsonl", buf_str(&b));
	for (size_t room = 100; room < 2000000; room = room * 5 / 4) {
		str text = show_of(test_path("x.jsonl"), 1, false, room), json;

		assert_true(text.n && text.n <= room);
		if (room > 1000) {
			assert_has(text, "END");
			assert_has(text, "FIN");
			assert_has(text, "bytes left out ...]");
		}
		json = show_of(test_path("x.jsonl"), 1, true, room);
		check_json(json, "show");
		assert_true(json.n <= room);
	}
	buf_release(&b);
}

static void test_phases__show_reads_overflow_of_its_own_folder_only(void **s)
{
	const char *session = "projects/-home-dev-lantern/9f";
	struct buf path = BUF_INIT(4096), text = BUF_INIT(1 << 16);
	str page;

	(void)s;
	test_dir();
	buf_printf(&path, "%s.jsonl", session);
	test_write("secret.txt", STR("nobody may read this"));
	buf_printf(
		&text,
		"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"Bash\",\"input\":{}}]}}\n");
	buf_printf(
		&text,
		"{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"<persisted-output>\\n"
		"Output too large (9KB). Full output saved to: %s/tool-results/out.txt\\n\\nPreview\\n</persisted-output>\"}]}}\n",
		test_path(session));
	buf_printf(
		&text,
		"{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"<persisted-output>\\n"
		"Output too large (9KB). Full output saved to: %s\\n\\nPreview\\n</persisted-output>\"}]}}\n",
		test_path("secret.txt"));
	test_write(buf_cstr(&path), buf_str(&text));
	buf_reset(&text);
	buf_printf(&text, "%s/tool-results/out.txt", session);
	test_write(buf_cstr(&text), STR("line 1\nthe whole output\n"));
	page = show_of(test_path(buf_cstr(&path)), 1, false, 1 << 20);
	assert_has(page, "full output, 24 bytes:\nline 1\nthe whole output\n");
	page = show_of(test_path(buf_cstr(&path)), 2, true, 1 << 20);
	check_json(page, "show");
	assert_has(page, "\"full\":\"line 1\\nthe whole output\\n\"");
	page = show_of(test_path(buf_cstr(&path)), 3, false, 1 << 20);
	assert_has(page, "Preview");
	assert_lacks(page, "nobody");
	buf_release(&path);
	buf_release(&text);
}

/* ---- secrets and hostile texts ---- */

static void no_secret(const char *path)
{
	static const phase_fn phase[] = {phases_index, phases_backbone, phases_agents};
	const char *secret[] = {"FAKE", "ФЕЙК"};

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 2; k++) {
			for (size_t ends = 0; ends < 900; ends += 220) {
				struct phases_options opt = {
					.since = CLOCK_NONE, .json = k, .ends = ends};
				str page = page_of(phase[i], path, &opt);

				assert_lacks(page, secret[0]);
				assert_lacks(page, secret[1]);
			}
		}
	}
	for (uint64_t n = 1;; n++) {
		struct source src = session_open(path);
		struct buf text = BUF_INIT(1 << 20);
		struct err e = ERR_INIT;
		int ret = phases_show(&src, path, n, n % 2, &text, &e);

		source_release(&src);
		if (!ret) {
			assert_lacks(buf_str(&text), secret[0]);
			assert_lacks(buf_str(&text), secret[1]);
		}
		buf_release(&text);
		if (ret)
			break;
	}
}

static void test_phases__no_secret_comes_out(void **s)
{
	(void)s;
	test_dir();
	no_secret(FIX("secrets-in-results"));
	no_secret(FIX("secret-across-64k"));
}

static void test_phases__half_a_key_at_a_cut_does_not_come_out(void **s)
{
	static const char key[] =
		"KEYDATAKEYDATAKEYDATAKEYDATAKEYDATAKEYDATAKEYDATAKEYDATAKEYDATAK";

	(void)s;
	test_dir();
	/* an output whose end lies inside or just after a private key that began far before */
	for (int ends_inside = 0; ends_inside < 2; ends_inside++) {
		struct buf b = BUF_INIT(1 << 20);
		str page;

		buf_add(&b,
			STR("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"start\\n-----BEGIN PRIVATE KEY-----\\n"));
		for (int i = 0; i < 60; i++)
			buf_printf(&b, "%s\\n", key);
		buf_printf(&b, "%.*s%s\"}]}}\n", 30, key,
			   ends_inside ? "" : "\\n-----END PRIVATE KEY-----\\ndone");
		test_write("x.jsonl", buf_str(&b));
		page = page_of(phases_index, test_path("x.jsonl"), &JSON);
		assert_lacks(page, "KEYDATA");
		if (!ends_inside)
			assert_has(page, "done");
		buf_release(&b);
	}
}

static void hostile(const char *path)
{
	static const phase_fn phase[] = {phases_index, phases_backbone, phases_agents};

	for (size_t i = 0; i < 3; i++) {
		str page = page_of(phase[i], path, &TEXT);

		for (size_t k = 0; k < page.n; k++)
			if ((unsigned char)page.p[k] < 32 && page.p[k] != '\n' &&
			    page.p[k] != '\t')
				fail_msg("%s: byte %02x comes out", path, page.p[k]);
		assert_lacks(page, "\xe2\x80\xae"); /* right-to-left override */
		check_json(page_of(phase[i], path, &JSON), path);
	}
}

static void test_phases__every_session_prints_clean_text_and_sound_json(void **s)
{
	(void)s;
	test_dir();
	assert_true(session_each("fixtures/transcripts", hostile) > 100);
}

/* ---- failures ---- */

static void test_phases__a_failing_read_or_write_is_reported(void **s)
{
	static const phase_fn phase[] = {phases_index, phases_backbone, phases_agents};

	(void)s;
	for (size_t i = 0; i < 3; i++) {
		int n = 0;
		bool met;

		do {
			struct source src = session_open(FIX("killed-mid-bash"));
			struct err e = ERR_INIT;
			struct out out;
			int fd, ret, end;

			test_dir();
			fd = open(test_path("page"), O_RDWR | O_CREAT | O_TRUNC, 0600);
			out_init(&out, fd, "page");
			fault_at(++n);
			ret = phase[i](&src, "x.jsonl", &JSON, &out, &e);
			end = out_end(&out, &e);
			met = fault_met();
			fault_off();
			/* agents looks for files that need not be there: their absence is no failure */
			if (met && i < 2)
				assert_true(ret != 0 || end != 0);
			if (ret || end)
				assert_true(e.msg[0]);
			if (!met)
				assert_true(ret == 0 && end == 0);
			close(fd);
			source_release(&src);
		} while (met);
		assert_true(n > 2);
	}
}

static uint64_t progress_last, progress_calls;

static void progress(void *arg, uint64_t done, uint64_t size)
{
	assert_ptr_equal(arg, &progress_calls);
	assert_true(done > progress_last && done <= size);
	progress_last = done;
	progress_calls++;
}

static void test_phases__progress_is_told(void **s)
{
	struct phases_options opt = TEXT;
	struct buf b = BUF_INIT(32 << 20);

	(void)s;
	test_dir();
	for (int i = 0; i < 20; i++) {
		buf_add(&b, STR("{\"type\":\"user\",\"message\":{\"content\":\""));
		buf_fill(&b, 'x', 1 << 20);
		buf_add(&b, STR("\"}}\n"));
	}
	test_write("x.jsonl", buf_str(&b));
	opt.progress = progress;
	opt.progress_arg = &progress_calls;
	page_of(phases_index, test_path("x.jsonl"), &opt);
	assert_true(progress_calls >= 3 && progress_calls <= 5);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases__index_lists_prompts_calls_and_results),
		cmocka_unit_test(test_phases__index_as_json),
		cmocka_unit_test(test_phases__index_tells_exit_codes_and_line_counts),
		cmocka_unit_test(test_phases__index_shows_both_ends_of_a_long_text),
		cmocka_unit_test(test_phases__index_keeps_to_a_range),
		cmocka_unit_test(
			test_phases__index_tells_losses_branches_and_compactions),
		cmocka_unit_test(test_phases__titles),
		cmocka_unit_test(test_phases__backbone_is_what_was_said),
		cmocka_unit_test(test_phases__backbone_marks_what_does_not_count),
		cmocka_unit_test(test_phases__backbone_has_answers_and_refusals),
		cmocka_unit_test(test_phases__agents_with_their_files),
		cmocka_unit_test(test_phases__show_has_both_sides_of_a_call),
		cmocka_unit_test(test_phases__show_of_a_record_that_is_not_there),
		cmocka_unit_test(test_phases__show_fits_any_room),
		cmocka_unit_test(test_phases__show_reads_overflow_of_its_own_folder_only),
		cmocka_unit_test(test_phases__no_secret_comes_out),
		cmocka_unit_test(test_phases__half_a_key_at_a_cut_does_not_come_out),
		cmocka_unit_test(
			test_phases__every_session_prints_clean_text_and_sound_json),
		cmocka_unit_test(test_phases__a_failing_read_or_write_is_reported),
		cmocka_unit_test(test_phases__progress_is_told),
	};

	return cmocka_run_group_tests_name("phases", tests, NULL, NULL);
}
