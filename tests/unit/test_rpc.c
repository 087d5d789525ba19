#include "fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "work/rpc.h"

#define REQUEST                                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"a\":[1,{}]}}"

static struct rpc parsed(const char *line)
{
	struct rpc m;

	rpc_parse(&m, str_of(line));
	return m;
}

static void assert_invalid(const char *line, int code, const char *id)
{
	struct rpc m = parsed(line);

	if (m.kind != RPC_INVALID || m.code != code || !str_eq(m.id, str_of(id)) ||
	    !m.why[0])
		fail_msg("%s: kind %d, code %d, id %.*s", line, m.kind, m.code,
			 STR_ARG(m.id));
}

static void test_rpc__requests_notifications_and_responses_are_told_apart(void **state)
{
	struct rpc m = parsed(REQUEST);

	(void)state;
	assert_int_equal(m.kind, RPC_REQUEST);
	assert_string_equal(m.method, "tools/call");
	assert_str(m.id, STR("7"));
	assert_str(m.params, STR("{\"name\":\"x\",\"a\":[1,{}]}"));
	m = parsed(
		"{\"method\":\"pi\\u006eg\",\"x\":[[]],\"jsonrpc\":\"2.\\u0030\",\"params\":null,\"id\":\"a\"}");
	assert_int_equal(m.kind, RPC_REQUEST);
	assert_string_equal(m.method, "ping");
	assert_int_equal(m.params.n, 0);
	m = parsed("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	assert_int_equal(m.kind, RPC_NOTIFICATION);
	m = parsed(" {\"jsonrpc\":\"2.0\",\"id\":\"r1\",\"result\":{\"roots\":[]}} ");
	assert_int_equal(m.kind, RPC_RESPONSE);
	assert_str(m.result, STR("{\"roots\":[]}"));
	m = parsed("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}");
	assert_int_equal(m.kind, RPC_RESPONSE);
	assert_int_equal(m.result.n, 0);
	/* the last of equal keys counts */
	m = parsed(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"method\":\"b\",\"id\":2}");
	assert_string_equal(m.method, "b");
	assert_str(m.id, STR("2"));
}

static void test_rpc__ids_are_kept_as_they_came(void **state)
{
	static const char *const ID[] = {
		"0",
		"-1",
		"1.5",
		"123456789012345678901234567890",
		"1e400",
		"0.10",
		"\"\"",
		"\"a\\u00e9\\\"\"",
		"\"\xc3\xa9\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ID) / sizeof(ID[0]); i++) {
		struct buf line = BUF_INIT(1024), reply = BUF_INIT(1024),
			   want = BUF_INIT(1024);
		struct rpc m;

		buf_printf(&line, "{\"id\":%s,\"jsonrpc\":\"2.0\",\"method\":\"m\"}",
			   ID[i]);
		m = parsed(buf_cstr(&line));
		assert_int_equal(m.kind, RPC_REQUEST);
		rpc_reply(&reply, m.id, STR("{}"));
		buf_printf(&want, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", ID[i]);
		assert_str(buf_str(&reply), buf_str(&want));
		buf_release(&line);
		buf_release(&reply);
		buf_release(&want);
	}
}

static void
test_rpc__what_is_no_message_is_refused_with_the_codes_of_the_standard(void **state)
{
	(void)state;
	assert_invalid("", RPC_PARSE_ERROR, "null");
	assert_invalid("hello", RPC_PARSE_ERROR, "null");
	assert_invalid(REQUEST "x", RPC_PARSE_ERROR, "null");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":1,}", RPC_PARSE_ERROR, "null");
	assert_invalid("{\"id\":1,\"method\":\"\xff\"}", RPC_PARSE_ERROR, "null");
	assert_invalid("[1,2", RPC_PARSE_ERROR, "null");
	assert_invalid("7", RPC_INVALID_REQUEST, "null");
	assert_invalid("\"ping\"", RPC_INVALID_REQUEST, "null");
	assert_invalid("null", RPC_INVALID_REQUEST, "null");
	assert_invalid("{}", RPC_INVALID_REQUEST, "null");
	assert_invalid("{\"id\":3,\"method\":\"m\"}", RPC_INVALID_REQUEST, "3");
	assert_invalid("{\"jsonrpc\":2.0,\"id\":3,\"method\":\"m\"}", RPC_INVALID_REQUEST,
		       "3");
	assert_invalid("{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"m\"}",
		       RPC_INVALID_REQUEST, "3");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":3}", RPC_INVALID_REQUEST, "3");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":1}", RPC_INVALID_REQUEST,
		       "3");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}",
		       RPC_INVALID_REQUEST, "null");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}",
		       RPC_INVALID_REQUEST, "null");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"m\"}",
		       RPC_INVALID_REQUEST, "null");
	assert_invalid("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"m\",\"params\":[1]}",
		       RPC_BAD_PARAMS, "3");
	assert_true(
		parsed("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[1]}").silent);
}

static void test_rpc__cut_at_every_byte_a_message_is_refused(void **state)
{
	str whole = STR(REQUEST);

	(void)state;
	for (size_t n = 0; n < whole.n; n++) {
		char *p = malloc(n ? n : 1); /* of that size: reading past it is seen */
		struct rpc m;

		memcpy(p, whole.p, n);
		rpc_parse(&m, (str){p, n});
		assert_int_equal(m.kind, RPC_INVALID);
		assert_int_equal(m.code, RPC_PARSE_ERROR);
		free(p);
	}
}

static void test_rpc__nesting_has_a_limit_and_a_long_method_is_only_cut(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct rpc m;

	(void)state;
	buf_add(&b,
		STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":"));
	buf_fill(&b, '[', 100000);
	buf_fill(&b, ']', 100000);
	buf_add(&b, STR("}}"));
	rpc_parse(&m, buf_str(&b));
	assert_int_equal(m.code, RPC_PARSE_ERROR);
	buf_reset(&b);
	buf_add(&b, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\""));
	buf_fill(&b, 'm', 100000);
	buf_add(&b, STR("\"}"));
	rpc_parse(&m, buf_str(&b));
	assert_int_equal(m.kind, RPC_REQUEST);
	assert_int_equal(strlen(m.method), RPC_METHOD_MAX);
	buf_release(&b);
	assert_string_equal(
		parsed("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\\u0000x\"}")
			.method,
		"");
}

static void test_rpc__a_batch_gives_its_elements(void **state)
{
	str line = STR(" [ {\"a\":[1]} ,7,\"x,]\",[],null]");
	static const char *const WANT[] = {"{\"a\":[1]}", "7", "\"x,]\"", "[]", "null"};
	struct rpc_batch b;
	struct rpc m;
	size_t n = 0;
	str s;

	(void)state;
	rpc_parse(&m, line);
	assert_int_equal(m.kind, RPC_BATCH);
	rpc_batch_init(&b, line);
	while (rpc_batch_next(&b, &s)) {
		assert_true(n < 5);
		assert_str(s, str_of(WANT[n]));
		n++;
	}
	assert_int_equal(n, 5);
	assert_false(rpc_batch_next(&b, &s));
	rpc_batch_init(&b, STR("[]"));
	assert_false(rpc_batch_next(&b, &s));
}

static void test_rpc__a_member_is_given_as_its_text(void **state)
{
	str s;

	(void)state;
	assert_true(rpc_member(STR("{\"b\":1,\"_meta\":{\"progressToken\":1e3}}"),
			       "_meta", &s));
	assert_str(s, STR("{\"progressToken\":1e3}"));
	assert_true(rpc_member(s, "progressToken", &s));
	assert_str(s, STR("1e3"));
	assert_false(rpc_member(STR("{\"b\":1}"), "a", &s));
	assert_false(rpc_member(STR("[1]"), "a", &s));
	assert_false(rpc_member(STR_NONE, "a", &s));
}

static void test_rpc__a_cancellation_names_a_request(void **state)
{
	static const char *const none[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\",\"params\":{\"requestId\":1}}",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
	};
	str id = STR_NONE;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct rpc m = parsed(none[i]);

		assert_false(rpc_cancelled(&m, &id));
		assert_int_equal(id.n, 0);
	}
	struct rpc m = parsed(
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a b\"}}");
	assert_true(rpc_cancelled(&m, &id));
	assert_str(id, STR("\"a b\""));
}

static void test_rpc__replies_are_json_whatever_the_words(void **state)
{
	struct buf b = BUF_INIT(1024);

	(void)state;
	rpc_fail(&b, STR("\"x\""), RPC_NO_METHOD, "no \"such\"\nmethod");
	assert_str(
		buf_str(&b),
		STR("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,\"message\":\"no \\\"such\\\"\\nmethod\"}}"));
	buf_reset(&b);
	rpc_notify(&b, "notifications/message", STR("{\"level\":\"info\"}"));
	assert_str(
		buf_str(&b),
		STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\"}}"));
	buf_reset(&b);
	rpc_request(&b, "roots-1", "roots/list", STR_NONE);
	assert_str(
		buf_str(&b),
		STR("{\"jsonrpc\":\"2.0\",\"id\":\"roots-1\",\"method\":\"roots/list\"}"));
	buf_release(&b);
}

/* --- lines --- */

static void fed(int fd[2], str text)
{
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], text.p ? text.p : "", text.n), (ssize_t)text.n);
}

static void test_rpc__lines_come_one_by_one_however_they_are_cut(void **state)
{
	for (size_t piece = 1; piece < 40; piece++) {
		struct rpc_in in;
		struct err e = ERR_INIT;
		int fd[2];
		str line;

		(void)state;
		fed(fd, STR("\xef\xbb\xbf{\"a\":1}\r\n\n  \nsecond\n\nlast without end"));
		close(fd[1]);
		rpc_in_init(&in, fd[0]);
		fault_short(piece);
		assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_LINE);
		assert_str(line, STR("{\"a\":1}"));
		assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_LINE);
		assert_str(line, STR("second"));
		assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_LINE);
		assert_str(line, STR("last without end"));
		assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_END);
		assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_END);
		fault_off();
		rpc_in_release(&in);
		close(fd[0]);
	}
}

static void test_rpc__waiting_ends_in_time_and_what_came_is_kept(void **state)
{
	struct rpc_in in;
	int fd[2];
	str line;

	(void)state;
	fed(fd, STR("{\"half\":"));
	rpc_in_init(&in, fd[0]);
	assert_int_equal(rpc_read(&in, 5, &line, NULL), RPC_WAITED);
	assert_int_equal(rpc_read(&in, 0, &line, NULL), RPC_WAITED);
	assert_int_equal(write(fd[1], "1}\nx", 4), 4);
	assert_int_equal(rpc_read(&in, 1000, &line, NULL), RPC_LINE);
	assert_str(line, STR("{\"half\":1}"));
	close(fd[1]);
	assert_int_equal(rpc_read(&in, 1000, &line, NULL), RPC_LINE);
	assert_str(line, STR("x"));
	rpc_in_release(&in);
	close(fd[0]);
}

static void
test_rpc__a_line_over_the_limit_is_passed_over_and_the_next_one_read(void **state)
{
	struct rpc_in in;
	FILE *f = tmpfile();
	str line;

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < RPC_LINE_MAX + 1; i++)
		putc('x', f);
	fputs("\nnext\n", f);
	for (size_t i = 0; i < RPC_LINE_MAX; i++)
		putc('y', f);
	fputs("\n", f);
	for (size_t i = 0; i < 3 * (size_t)RPC_LINE_MAX; i++)
		putc('z', f);
	rewind(f);
	rpc_in_init(&in, fileno(f));
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_LONG);
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_LINE);
	assert_str(line, STR("next"));
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_LINE);
	assert_int_equal(line.n, RPC_LINE_MAX);
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_LONG);
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_END);
	assert_true(in.b.cap <= RPC_LINE_MAX + (128u << 10));
	rpc_in_release(&in);
	fclose(f);
}

static void test_rpc__what_is_ahead_is_seen_without_waiting(void **state)
{
	struct rpc_in in;
	int fd[2];
	str line;

	(void)state;
	fed(fd, STR("one\ntwo\n"));
	rpc_in_init(&in, fd[0]);
	assert_true(rpc_ahead(&in));
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_LINE);
	assert_true(rpc_ahead(&in));
	assert_int_equal(rpc_read(&in, -1, &line, NULL), RPC_LINE);
	assert_false(rpc_ahead(&in));
	close(fd[1]);
	assert_true(rpc_ahead(&in));
	rpc_in_release(&in);
	close(fd[0]);
}

static void test_rpc__a_failed_read_is_told(void **state)
{
	struct rpc_in in;
	struct err e = ERR_INIT;
	int fd[2];
	str line;

	(void)state;
	fed(fd, STR("x\n"));
	rpc_in_init(&in, fd[0]);
	fault_at(1);
	assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_BROKEN);
	assert_int_equal(e.code, HF_EIO);
	fault_errno(EINTR);
	fault_at(1);
	assert_int_equal(rpc_read(&in, -1, &line, &e), RPC_LINE);
	fault_off();
	rpc_in_release(&in);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_rpc__requests_notifications_and_responses_are_told_apart),
		cmocka_unit_test(test_rpc__ids_are_kept_as_they_came),
		cmocka_unit_test(
			test_rpc__what_is_no_message_is_refused_with_the_codes_of_the_standard),
		cmocka_unit_test(test_rpc__cut_at_every_byte_a_message_is_refused),
		cmocka_unit_test(
			test_rpc__nesting_has_a_limit_and_a_long_method_is_only_cut),
		cmocka_unit_test(test_rpc__a_batch_gives_its_elements),
		cmocka_unit_test(test_rpc__a_member_is_given_as_its_text),
		cmocka_unit_test(test_rpc__a_cancellation_names_a_request),
		cmocka_unit_test(test_rpc__what_is_ahead_is_seen_without_waiting),
		cmocka_unit_test(test_rpc__replies_are_json_whatever_the_words),
		cmocka_unit_test(test_rpc__lines_come_one_by_one_however_they_are_cut),
		cmocka_unit_test(test_rpc__waiting_ends_in_time_and_what_came_is_kept),
		cmocka_unit_test(
			test_rpc__a_line_over_the_limit_is_passed_over_and_the_next_one_read),
		cmocka_unit_test(test_rpc__a_failed_read_is_told),
	};

	return cmocka_run_group_tests_name("rpc", tests, NULL, NULL);
}
