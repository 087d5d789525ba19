#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/jsondoc.h"
#include "work/hookio.h"

#define EVENT                                                                                    \
	"{\"session_id\":\"11111111-2222-4333-8444-555555555555\","                              \
	"\"transcript_path\":\"/home/dev/.claude/projects/-x/1.jsonl\",\"cwd\":\"/home/dev/x\"," \
	"\"hook_event_name\":\"Stop\",\"stop_hook_active\":true,"                                \
	"\"last_assistant_message\":\"a \\\"}\\\" \\\\ b\",\"background_tasks\":[{}]}"

/* An event through a pipe; `open` keeps its other end open. */
static int feed(struct hookio *h, str text, bool open, int64_t deadline, struct err *e)
{
	int fd[2], ret;

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], text.p ? text.p : "", text.n), (ssize_t)text.n);
	if (!open)
		close(fd[1]);
	ret = hookio_read(h, fd[0], deadline, e);
	if (open)
		close(fd[1]);
	close(fd[0]);
	return ret;
}

static void
test_hookio__an_event_is_read_without_waiting_for_the_end_of_file(void **state)
{
	struct hookio h;

	(void)state;
	assert_int_equal(feed(&h, STR(EVENT), true, 0, NULL), 0);
	assert_int_equal(h.kind, HOOK_STOP);
	assert_str(h.session, STR("11111111-2222-4333-8444-555555555555"));
	assert_str(h.transcript, STR("/home/dev/.claude/projects/-x/1.jsonl"));
	assert_str(h.cwd, STR("/home/dev/x"));
	assert_str(h.last_message, STR("a \"}\" \\ b"));
	assert_true(h.stop_hook_active);
	assert_int_equal(h.source.n, 0);
	hookio_release(&h);
	assert_int_equal(feed(&h, STR(" \n\t" EVENT "\ngarbage"), true, 0, NULL), 0);
	hookio_release(&h);
	hookio_release(&h);
}

static void test_hookio__cut_at_every_byte_it_is_no_event(void **state)
{
	str whole = STR(EVENT);

	(void)state;
	for (size_t n = 0; n < whole.n; n++) {
		struct hookio h;
		struct err e = ERR_INIT;

		assert_int_equal(feed(&h, str_head(whole, n), false, 0, &e), HF_EFORMAT);
		assert_null(h.doc);
		assert_true(e.msg[0] != '\0');
	}
}

static void
test_hookio__a_client_that_never_finishes_is_left_at_the_deadline(void **state)
{
	struct hookio h;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(feed(&h, STR("{\"a\":"), true, clock_mono_ns() + 5000000, &e),
			 HF_ETIME);
	assert_int_equal(feed(&h, STR_NONE, true, clock_mono_ns() - 1, NULL), HF_ETIME);
}

static void test_hookio__what_is_no_object_is_refused(void **state)
{
	static const char *const BAD[] = {"[]",      "\"x\"",      "1", "null", "{]",
					  "{\"a\"}", "{\"a\":1,}", "}", "\xff"};

	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		struct hookio h;

		assert_int_equal(feed(&h, str_of(BAD[i]), false, 0, NULL), HF_EFORMAT);
	}
}

static void test_hookio__fields_of_the_wrong_type_are_absent(void **state)
{
	struct hookio h;

	(void)state;
	assert_int_equal(
		feed(&h,
		     STR("{\"session_id\":7,\"cwd\":[\"/x\"],\"hook_event_name\":{},"
			 "\"prompt\":null,\"custom_instructions\":null,\"stop_hook_active\":\"yes\"}"),
		     false, 0, NULL),
		0);
	assert_int_equal(h.kind, HOOK_UNKNOWN);
	assert_int_equal(h.session.n + h.cwd.n + h.prompt.n + h.custom_instructions.n, 0);
	assert_false(h.stop_hook_active);
	hookio_release(&h);
}

static void test_hookio__ids_and_paths_that_are_none_are_absent(void **state)
{
	static const char *const BAD[] = {"{\"session_id\":\"../../etc/passwd\"}",
					  "{\"session_id\":\"a/b\"}",
					  "{\"transcript_path\":\"relative.jsonl\"}",
					  "{\"transcript_path\":\"/a\\u0000b\\n\"}",
					  "{\"cwd\":\"\"}",
					  "{\"cwd\":\"/x\\u001b[31m\"}"};
	char big[5000] = "{\"cwd\":\"/";
	struct hookio h;

	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		assert_int_equal(feed(&h, str_of(BAD[i]), false, 0, NULL), 0);
		assert_int_equal(h.session.n + h.transcript.n + h.cwd.n, 0);
		hookio_release(&h);
	}
	memset(big + strlen(big), 'x', 4500);
	memcpy(big + 4900, "\"}", 3);
	memset(big + 4500, 'x', 400);
	assert_int_equal(feed(&h, str_of(big), false, 0, NULL), 0);
	assert_int_equal(h.cwd.n, 0);
	hookio_release(&h);
}

static void test_hookio__more_than_the_limit_is_refused_by_size(void **state)
{
	char path[] = "/tmp/hookioXXXXXX";
	int fd = mkstemp(path);
	size_t n = HOOKIO_INPUT_MAX + 10;
	char *big = malloc(n);
	struct hookio h;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(fd >= 0 && big);
	unlink(path);
	memset(big, ' ', n);
	big[0] = '{';
	assert_int_equal(write(fd, big, n), (ssize_t)n);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(hookio_read(&h, fd, 0, &e), HF_ELIMIT);
	free(big);
	close(fd);
}

static void
test_hookio__every_failing_read_is_an_error_and_short_reads_are_none(void **state)
{
	struct hookio h;

	(void)state;
	fault_at(1);
	assert_int_equal(feed(&h, STR(EVENT), false, 0, NULL), HF_EIO);
	fault_off();
	fault_at(1);
	fault_errno(EINTR);
	assert_int_equal(feed(&h, STR(EVENT), false, 0, NULL), 0);
	assert_true(fault_met());
	hookio_release(&h);
	fault_off();
	fault_short(1);
	assert_int_equal(feed(&h, STR(EVENT), false, 0, NULL), 0);
	fault_off();
	assert_int_equal(h.kind, HOOK_STOP);
	hookio_release(&h);
}

static void test_hookio__names_and_kinds_belong_together(void **state)
{
	(void)state;
	for (int k = HOOK_UNKNOWN + 1; k < HOOK_KINDS; k++)
		assert_int_equal(hookio_kind(str_of(hookio_name((enum hook_kind)k))), k);
	assert_int_equal(hookio_kind(STR("stop")), HOOK_UNKNOWN);
	assert_int_equal(hookio_kind(STR_NONE), HOOK_UNKNOWN);
	assert_string_equal(hookio_name(HOOK_UNKNOWN), "");
}

static void test_hookio__the_reply_is_the_envelope_or_nothing(void **state)
{
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	hookio_context(&b, HOOK_SESSION_START, STR_NONE, STR(" \n"));
	assert_int_equal(b.n, 0);
	hookio_context(&b, HOOK_SESSION_START, STR("one\n\"two\"\n"), STR("hi"));
	assert_string_equal(
		buf_cstr(&b),
		"{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\","
		"\"additionalContext\":\"one\\n\\\"two\\\"\"},\"systemMessage\":\"hi\"}\n");
	buf_reset(&b);
	hookio_context(&b, HOOK_USER_PROMPT, STR("x"), STR_NONE);
	assert_string_equal(
		buf_cstr(&b),
		"{\"hookSpecificOutput\":{\"hookEventName\":\"UserPromptSubmit\","
		"\"additionalContext\":\"x\"}}\n");
	buf_reset(&b);
	hookio_context(&b, HOOK_SESSION_START, STR_NONE, STR("y"));
	assert_string_equal(buf_cstr(&b), "{\"systemMessage\":\"y\"}\n");
	buf_release(&b);
}

static void test_hookio__a_reply_is_cut_at_a_line_within_the_clients_unit(void **state)
{
	struct buf text = BUF_INIT(1 << 20), reply = BUF_INIT(1 << 20);
	struct jsondoc *d;
	str got;

	(void)state;
	/* lines of 50 emoji: 100 units and a newline each */
	for (int i = 0; i < 200; i++) {
		for (int k = 0; k < 50; k++)
			buf_add(&text, STR("\xf0\x9f\x98\x80"));
		buf_byte(&text, '\n');
	}
	hookio_context(&reply, HOOK_SESSION_START, buf_str(&text), STR_NONE);
	d = jsondoc_parse(buf_str(&reply), 1 << 20, NULL);
	assert_non_null(d);
	got = jsondoc_str(jsondoc_get(jsondoc_get(jsondoc_root(d), "hookSpecificOutput"),
				      "additionalContext"));
	assert_true(utf8_valid(got));
	assert_int_equal(utf8_units16(got), 94 * 101 - 1); /* 94 lines fit 9500 */
	jsondoc_free(d);
	buf_release(&text);
	buf_release(&reply);
}

static void test_hookio__one_long_line_is_cut_between_characters(void **state)
{
	(void)state;
	assert_str(hookio_fit(STR("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), 3),
		   STR("\xf0\x9f\x98\x80"));
	assert_str(hookio_fit(STR("\xf0\x9f\x98\x80"), 1), STR(""));
	assert_str(hookio_fit(STR("ab\ncd\nef"), 5), STR("ab"));
	assert_str(hookio_fit(STR("ab\ncd\nef"), 6), STR("ab\ncd"));
	assert_str(hookio_fit(STR("ab\ncd\nef"), 8), STR("ab\ncd\nef"));
	assert_str(hookio_fit(STR_NONE, 0), STR(""));
}

static void test_hookio__whether_somebody_reads(void **state)
{
	int p[2], s[2], f = open("heard", O_CREAT | O_WRONLY, 0600);

	(void)state;
	assert_int_equal(pipe(p), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
	assert_true(hookio_heard(p[1]));
	assert_true(hookio_heard(s[1]));
	close(p[0]);
	close(s[0]);
	assert_false(hookio_heard(p[1]));
	assert_false(hookio_heard(s[1]));
	assert_true(f >= 0 && hookio_heard(f)); /* a file is always there */
	close(p[1]);
	close(s[1]);
	close(f);
	assert_true(hookio_heard(-1));
}

static void test_hookio__an_empty_or_overfull_reply_is_not_written(void **state)
{
	struct buf full = BUF_INIT(4), good = BUF_INIT(10);
	int fd[2];
	char got[20];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	buf_add(&full, STR("abc"));
	buf_add(&full, STR("defgh"));
	hookio_write(fd[1], &full);
	hookio_write(fd[1], &(struct buf){0});
	buf_add(&good, STR("yes\n"));
	fault_at(1);
	fault_errno(EINTR);
	hookio_write(fd[1], &good);
	fault_off();
	close(fd[1]);
	assert_int_equal(read(fd[0], got, sizeof(got)), 4);
	assert_memory_equal(got, "yes\n", 4);
	close(fd[0]);
	buf_release(&full);
	buf_release(&good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_hookio__an_event_is_read_without_waiting_for_the_end_of_file),
		cmocka_unit_test(test_hookio__cut_at_every_byte_it_is_no_event),
		cmocka_unit_test(
			test_hookio__a_client_that_never_finishes_is_left_at_the_deadline),
		cmocka_unit_test(test_hookio__what_is_no_object_is_refused),
		cmocka_unit_test(test_hookio__fields_of_the_wrong_type_are_absent),
		cmocka_unit_test(test_hookio__ids_and_paths_that_are_none_are_absent),
		cmocka_unit_test(test_hookio__more_than_the_limit_is_refused_by_size),
		cmocka_unit_test(
			test_hookio__every_failing_read_is_an_error_and_short_reads_are_none),
		cmocka_unit_test(test_hookio__names_and_kinds_belong_together),
		cmocka_unit_test(test_hookio__the_reply_is_the_envelope_or_nothing),
		cmocka_unit_test(
			test_hookio__a_reply_is_cut_at_a_line_within_the_clients_unit),
		cmocka_unit_test(test_hookio__one_long_line_is_cut_between_characters),
		cmocka_unit_test(test_hookio__whether_somebody_reads),
		cmocka_unit_test(test_hookio__an_empty_or_overfull_reply_is_not_written),
	};

	return cmocka_run_group_tests_name("hookio", tests, NULL, NULL);
}
