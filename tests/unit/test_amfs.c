#include "recorded.h"

#include "base/clock.h"
#include "data/canon.h"
#include "data/digest.h"
#include "data/jsondoc.h"
#include "work/amfs.h"

static struct recorded r;
static struct amfs *a;
static struct buf out;
static struct jsondoc *doc;

static void begin(const char *table)
{
	recorded_open(&r);
	a = amfs_open(&r.s, table, NULL);
	assert_non_null(a);
	out = BUF_INIT(1 << 24);
}

static void end(void)
{
	amfs_free(a);
	buf_release(&out);
	jsondoc_free(doc);
	doc = NULL;
	recorded_close(&r);
}

/* The result of a request; lines before the reply are left in `out`. */
static const struct jsonval *ask(const char *request)
{
	str rest, line, last = STR_NONE;

	buf_reset(&out);
	amfs_request(a, str_of(request), &out);
	for (rest = buf_str(&out); str_line(&rest, &line);)
		last = line;
	jsondoc_free(doc);
	doc = jsondoc_parse(last, 1 << 24, NULL);
	assert_non_null(doc);
	return jsondoc_get(jsondoc_root(doc), "result");
}

static double number(const struct jsonval *v, const char *key)
{
	struct buf b = BUF_INIT(64);
	double d = -1;

	jsondoc_print(jsondoc_get(v, key), &b);
	canon_double(buf_str(&b), &d);
	buf_release(&b);
	return d;
}

static const struct jsonval *write_one(const char *path, const char *key,
				       const char *value)
{
	struct buf b = BUF_INIT(1 << 16);
	const struct jsonval *v;

	buf_printf(
		&b,
		"{\"op\":\"write\",\"entry\":{\"entityPath\":\"%s\",\"key\":\"%s\",\"value\":%s}}",
		path, key, value);
	v = ask(buf_cstr(&b));
	buf_release(&b);
	return v;
}

static size_t length(const struct jsonval *list)
{
	size_t n = 0;

	for (const struct jsonval *v = jsondoc_first(list); v; v = jsondoc_next(v))
		n++;
	return n;
}

static void
test_amfs__the_adapter_fixes_the_version_and_fills_in_what_is_left_out(void **state)
{
	const struct jsonval *v;

	(void)state;
	begin("amfs-235");
	v = ask("{\"id\":7,\"op\":\"write\",\"entry\":{\"entityPath\":\"shop/cart\",\"key\":\"tax\",\"value\":{\"b\":1,\"a\":\"\\u00e9\"},"
		"\"version\":99,\"provenance\":{\"agentId\":\"pricing\",\"sessionId\":\"q\",\"patternRefs\":[\"p1\"]}}}");
	assert_int_equal(jsondoc_int(jsondoc_get(jsondoc_root(doc), "id"), 0), 7);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "version"), 0), 1);
	assert_true(number(v, "confidence") == 1.0);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "outcomeCount"), -1), 0);
	assert_true(jsondoc_bool(jsondoc_get(v, "shared"), false));
	assert_true(jsondoc_is_null(jsondoc_get(v, "ttlAt")));
	v = jsondoc_get(v, "provenance");
	assert_str(jsondoc_str(jsondoc_get(v, "agentId")), STR("pricing"));
	assert_str(jsondoc_str(jsondoc_get(v, "sessionId")), STR("q"));
	assert_str(jsondoc_str(jsondoc_first(jsondoc_get(v, "patternRefs"))), STR("p1"));
	assert_int_equal(
		jsondoc_int(jsondoc_get(write_one("shop/cart", "tax", "2"), "version"),
			    0),
		2);
	end();
}

/* What is written comes back, but for what the adapter fixes; an outcome carries it on. */
static void test_amfs__an_entry_keeps_what_its_writer_said_of_it(void **state)
{
	static const char *const back[] = {
		"\"amfsVersion\":\"0.1.0\",\"entityPath\":\"a\",\"key\":\"b/c\",",
		"\"provenance\":{\"agentId\":\"pricing\",\"sessionId\":\"q\","
		"\"writtenAt\":\"2025-01-02T03:04:05+01:00\",\"patternRefs\":[]}",
		"\"ttlAt\":\"2027-01-01T00:00:00Z\""};
	static const char *const asked[] = {
		"{\"op\":\"write\",\"entry\":{\"amfsVersion\":\"0.1.0\",\"entityPath\":\"a\","
		"\"key\":\"b/c\",\"value\":1,\"ttlAt\":\"2027-01-01T00:00:00Z\","
		"\"provenance\":{\"agentId\":\"pricing\",\"sessionId\":\"q\","
		"\"writtenAt\":\"2025-01-02T03:04:05+01:00\"}}}",
		"{\"op\":\"read\",\"entityPath\":\"a\",\"key\":\"b/c\"}",
		/* the same entry by another cut of its name, as keys of outcomes have it */
		"{\"op\":\"read\",\"entityPath\":\"a/b\",\"key\":\"c\"}",
		"{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":\"failure\","
		"\"agentId\":\"ops\",\"causalEntryKeys\":[\"a/b/c\"]}}",
		"{\"op\":\"list\",\"entityPath\":\"a/b\"}"};
	const struct jsonval *v;

	(void)state;
	begin("amfs-235");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		ask(asked[i]);
		for (size_t k = 0; k < sizeof(back) / sizeof(*back); k++)
			if (str_find(buf_str(&out), str_of(back[k])) == STR_NPOS)
				fail_msg("no %s in: %s", back[k], buf_cstr(&out));
	}
	/* who reported it stands in the commit */
	v = jsondoc_first(ask("{\"op\":\"listCommits\"}"));
	assert_str(jsondoc_str(jsondoc_get(v, "authorAgentId")), STR("ops"));
	v = jsondoc_first(jsondoc_get(v, "entries"));
	assert_str(jsondoc_str(jsondoc_get(v, "key")), STR("b/c"));
	assert_true(recorded_finds(&r.s, 0));
	end();
}

static void test_amfs__hashes_are_those_of_its_core(void **state)
{
	char content[65], chain[65], chain2[65];
	struct buf b = BUF_INIT(1024);
	const struct jsonval *v;

	(void)state;
	begin("amfs-235");
	/* the value alone: sorted, no blanks, ASCII */
	digest_hex(STR("{\"a\":\"\\u00e9\",\"b\":1}"), content);
	digest_hex(str_of(content), chain);
	v = write_one("p", "k", "{\"b\":1,\"a\":\"\\u00e9\"}");
	assert_str(jsondoc_str(jsondoc_get(v, "contentHash")), str_of(content));
	assert_str(jsondoc_str(jsondoc_get(v, "integrityChain")), str_of(chain));
	buf_printf(&b, "%s%s", content, chain);
	digest_hex(buf_str(&b), chain2);
	v = write_one("p", "k", "{\"a\":\"\\u00e9\",\"b\":1}");
	assert_str(jsondoc_str(jsondoc_get(v, "integrityChain")), str_of(chain2));
	buf_release(&b);
	end();
}

static void test_amfs__a_read_gives_the_current_entry_or_null(void **state)
{
	(void)state;
	begin("amfs-235");
	assert_true(jsondoc_is_null(
		ask("{\"op\":\"read\",\"entityPath\":\"p\",\"key\":\"k\"}")));
	ask("{\"op\":\"write\",\"entry\":{\"entityPath\":\"p\",\"key\":\"k\",\"value\":1,\"confidence\":0}}");
	/* a floor of 0 is no floor */
	assert_true(jsondoc_is_obj(ask(
		"{\"op\":\"read\",\"entityPath\":\"p\",\"key\":\"k\",\"minConfidence\":0}")));
	assert_true(jsondoc_is_null(ask(
		"{\"op\":\"read\",\"entityPath\":\"p\",\"key\":\"k\",\"minConfidence\":0.1}")));
	end();
}

static void test_amfs__a_list_has_children_and_no_siblings(void **state)
{
	(void)state;
	begin("amfs-235");
	write_one("shop/cart", "a", "1");
	write_one("shop/cart", "a", "2");
	write_one("shop/cart/deep", "b", "1");
	write_one("shop/cartoon", "c", "1");
	assert_int_equal(length(ask("{\"op\":\"list\",\"entityPath\":\"shop/cart\"}")),
			 2);
	assert_int_equal(
		length(ask(
			"{\"op\":\"list\",\"entityPath\":\"shop/cart\",\"includeSuperseded\":true}")),
		3);
	assert_int_equal(length(ask("{\"op\":\"list\"}")), 3);
	assert_int_equal(length(ask("{\"op\":\"list\",\"entityPath\":\"shop/car\"}")), 0);
	end();
}

static void outcome(const char *table, const char *type, double causal, double want)
{
	struct buf b = BUF_INIT(1024);
	const struct jsonval *v;

	begin(table);
	write_one("p/q", "k", "\"v\"");
	buf_printf(
		&b,
		"{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeRef\":\"T-1\",\"outcomeType\":\"%s\",\"causalConfidence\":%g,"
		"\"causalEntryKeys\":[\"p/q/k\",\"nokey\",\"p/q/missing\"]}}",
		type, causal);
	v = ask(buf_cstr(&b));
	/* malformed and missing keys are passed over */
	assert_int_equal(length(v), 1);
	v = jsondoc_first(v);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "version"), 0), 2);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "outcomeCount"), 0), 1);
	assert_true(number(v, "confidence") == want);
	assert_str(jsondoc_str(jsondoc_get(v, "value")), STR("v"));
	assert_true(recorded_finds(&r.s, 0));
	buf_release(&b);
	end();
}

static void
test_amfs__an_outcome_writes_a_version_by_the_table_that_was_chosen(void **state)
{
	(void)state;
	outcome("amfs-legacy", "success", 1, 0.97);
	outcome("amfs-legacy", "minor_failure", 1, 1.08);
	outcome("amfs-legacy", "failure", 1, 1.1);
	outcome("amfs-legacy", "critical_failure", 1, 1.15);
	outcome("amfs-235", "success", 1, 1);
	outcome("amfs-235", "minor_failure", 1, 0.92);
	outcome("amfs-235", "FAILURE", 1, 0.9);
	outcome("amfs-235", "critical_failure", 0.5, 0.425);
}

static void test_amfs__counts_go_on_to_the_next_outcome(void **state)
{
	const struct jsonval *v;

	(void)state;
	begin("amfs-legacy");
	write_one("p", "k", "1");
	for (int i = 1; i <= 3; i++) {
		v = ask("{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":\"critical_failure\",\"causalEntryKeys\":[\"p/k\"]}}");
		v = jsondoc_first(v);
		assert_int_equal(jsondoc_int(jsondoc_get(v, "outcomeCount"), 0), i);
	}
	assert_true(number(v, "confidence") > 1.52);
	/* our own tools show it within 0..1 */
	assert_true(recorded_confidence(&r.s, "p/k") == 1);
	end();
}

static void test_amfs__a_watch_sees_its_path_and_below_until_it_is_cancelled(void **state)
{
	(void)state;
	begin("amfs-235");
	assert_int_equal(
		jsondoc_int(
			jsondoc_get(
				ask("{\"op\":\"watch\",\"entityPath\":\"shop/cart\"}"),
				"watch"),
			0),
		1);
	write_one("shop/cart/deep", "k", "1");
	assert_true(str_starts(buf_str(&out), STR("{\"watch\":1,\"entry\":{")));
	write_one("shop/cartoon", "k", "1");
	assert_true(str_find(buf_str(&out), STR("\"watch\"")) == STR_NPOS);
	/* the path of an entry counts, not its key */
	write_one("shop", "cart", "1");
	assert_true(str_find(buf_str(&out), STR("\"watch\"")) == STR_NPOS);
	ask("{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":\"success\",\"causalEntryKeys\":[\"shop/cart/deep/k\"]}}");
	assert_true(str_starts(buf_str(&out), STR("{\"watch\":1,\"entry\":{")));
	for (int i = 0; i < 2; i++)
		assert_true(jsondoc_bool(
			jsondoc_get(ask("{\"op\":\"cancel\",\"watch\":1}"), "cancelled"),
			false));
	write_one("shop/cart", "k", "1");
	assert_true(str_find(buf_str(&out), STR("\"watch\"")) == STR_NPOS);
	end();
}

static void test_amfs__commits_are_listed_newest_first_with_their_parents(void **state)
{
	const struct jsonval *v, *second;
	struct buf b = BUF_INIT(1024);
	char first[65];

	(void)state;
	begin("amfs-235");
	assert_int_equal(length(ask("{\"op\":\"listCommits\"}")), 0);
	write_one("p", "k", "1");
	write_one("p", "l", "1");
	/* another process goes on where the first one ended */
	amfs_free(a);
	a = amfs_open(&r.s, "amfs-235", NULL);
	ask("{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeRef\":\"T\",\"outcomeType\":\"success\",\"causalEntryKeys\":[\"p/k\",\"p/l\"]}}");
	v = ask("{\"op\":\"listCommits\"}");
	assert_int_equal(length(v), 3);
	v = jsondoc_first(v);
	assert_str(jsondoc_str(jsondoc_get(v, "message")), STR("outcome success T"));
	assert_int_equal(length(jsondoc_get(v, "entries")), 2);
	second = jsondoc_next(v);
	assert_str(jsondoc_str(jsondoc_first(jsondoc_get(v, "parentIds"))),
		   jsondoc_str(jsondoc_get(second, "id")));
	v = jsondoc_next(second);
	assert_int_equal(length(jsondoc_get(v, "parentIds")), 0);
	snprintf(first, sizeof(first), "%.*s",
		 STR_ARG(jsondoc_str(jsondoc_get(v, "id"))));
	assert_int_equal(length(ask("{\"op\":\"listCommits\",\"limit\":2}")), 2);
	buf_printf(&b, "{\"request\":\"x\",\"op\":\"getCommit\",\"id\":\"%s\"}", first);
	v = ask(buf_cstr(&b));
	assert_str(jsondoc_str(jsondoc_get(v, "message")), STR("write p/k"));
	assert_str(jsondoc_str(jsondoc_get(jsondoc_root(doc), "id")), STR("x"));
	assert_true(jsondoc_is_null(ask("{\"op\":\"getCommit\",\"id\":\"none\"}")));
	buf_release(&b);
	end();
}

static void test_amfs__record_tools_and_amfs_see_the_same_records(void **state)
{
	const struct jsonval *v;

	(void)state;
	begin("amfs-235");
	recorded_write(&r.s, "p/k", "\"ours\"", 0.8);
	recorded_outcome(&r.s, "p/k", OUTCOME_SUCCESS, 0);
	v = ask("{\"op\":\"read\",\"entityPath\":\"p\",\"key\":\"k\"}");
	assert_true(number(v, "confidence") == 0.84);
	assert_int_equal(jsondoc_int(jsondoc_get(v, "outcomeCount"), 0), 1);
	write_one("p", "k", "\"theirs\"");
	assert_true(recorded_is(&r.s, "p/k", 2, "\"theirs\""));
	end();
}

static void test_amfs__what_is_wrong_is_one_reply(void **state)
{
	static const char *const bad[] = {
		"{",
		"[]",
		"{\"op\":\"nothing\"}",
		"{\"op\":\"read\",\"entityPath\":\"p\",\"key\":\"../x/..\"}",
		"{\"op\":\"write\",\"entry\":{\"entityPath\":\"p\",\"key\":\"k\"}}",
		"{\"op\":\"write\"}",
		"{\"op\":\"cancel\",\"watch\":5}",
		"{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":\"great\",\"causalEntryKeys\":[]}}"};

	(void)state;
	begin("amfs-235");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ask(bad[i]);
		assert_false(jsondoc_bool(jsondoc_get(jsondoc_root(doc), "ok"), true));
		assert_true(jsondoc_str(jsondoc_get(jsondoc_root(doc), "error")).n > 3);
	}
	assert_null(amfs_open(&r.s, "other", NULL));
	end();
}

static void refused(const char *request, const char *why)
{
	ask(request);
	assert_false(jsondoc_bool(jsondoc_get(jsondoc_root(doc), "ok"), true));
	assert_str(jsondoc_str(jsondoc_get(jsondoc_root(doc), "error")), str_of(why));
}

static void test_amfs__what_has_the_wrong_type_is_named_and_nothing_written(void **state)
{
	static const struct {
		const char *member, *why;
	} bad[] = {
		{"\"confidence\":5", "entry.confidence is not a number from 0 to 1"},
		{"\"confidence\":-1", "entry.confidence is not a number from 0 to 1"},
		{"\"confidence\":\"x\"", "entry.confidence is not a number from 0 to 1"},
		{"\"outcomeCount\":1.5",
		 "entry.outcomeCount is not a whole number from 0"},
		{"\"shared\":\"no\"", "entry.shared is not true or false"},
		{"\"artifactRefs\":{}", "entry.artifactRefs is not a list"},
		{"\"ttlAt\":\"soon\"",
		 "entry.ttlAt is not a time like 2026-02-12T18:20:00Z"},
		{"\"provenance\":[]", "entry.provenance is not an object"},
		{"\"provenance\":{\"agentId\":1}",
		 "entry.provenance.agentId is not a string"},
		{"\"provenance\":{\"writtenAt\":\"x\"}",
		 "entry.provenance.writtenAt is not a time like 2026-02-12T18:20:00Z"},
		{"\"provenance\":{\"patternRefs\":\"p\"}",
		 "entry.provenance.patternRefs is not a list"},
	};
	char request[400];

	(void)state;
	begin("amfs-235");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(
			request, sizeof(request),
			"{\"op\":\"write\",\"entry\":{\"entityPath\":\"p\",\"key\":\"k\",\"value\":1,%s}}",
			bad[i].member);
		refused(request, bad[i].why);
	}
	refused("{\"op\":\"write\",\"entry\":{\"entityPath\":\"p/q\",\"key\":\"\",\"value\":1}}",
		"entry.key is empty");
	refused("{\"op\":\"write\",\"entry\":{\"entityPath\":\"p/q\",\"value\":1}}",
		"entry.key is missing");
	refused("{\"op\":\"read\",\"entityPath\":\"p/q\"}", "key is missing");
	refused("{\"op\":\"read\",\"entityPath\":\"p\",\"key\":\"k\",\"minConfidence\":\"x\"}",
		"minConfidence is not a number");
	refused("{\"op\":\"list\",\"includeSuperseded\":1}",
		"includeSuperseded is not true or false");
	refused("{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":\"success\"}}",
		"outcome.causalEntryKeys is missing");
	refused("{\"op\":\"commitOutcome\",\"outcome\":{\"outcomeType\":\"success\","
		"\"causalConfidence\":\"x\",\"causalEntryKeys\":[\"p/k\"]}}",
		"outcome.causalConfidence is not a number from 0 to 1");
	refused("{\"op\":\"listCommits\",\"limit\":-1}",
		"limit is not a whole number from 0");
	assert_int_equal(length(ask("{\"op\":\"list\"}")), 0);
	/* null is left out */
	assert_true(jsondoc_is_obj(ask(
		"{\"op\":\"write\",\"entry\":{\"entityPath\":\"p\",\"key\":\"k\",\"value\":1,\"confidence\":null,"
		"\"ttlAt\":null,\"artifactRefs\":null,\"provenance\":null}}")));
	end();
	/* this table has confidences beyond 1: what it gave may be written again */
	begin("amfs-legacy");
	assert_true(
		number(ask("{\"op\":\"write\",\"entry\":{\"entityPath\":\"p\",\"key\":\"k\",\"value\":1,\"confidence\":1.15}}"),
		       "confidence") == 1.15);
	refused("{\"op\":\"write\",\"entry\":{\"entityPath\":\"p\",\"key\":\"k\",\"value\":1,\"confidence\":-0.1}}",
		"entry.confidence is not a number from 0");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_amfs__the_adapter_fixes_the_version_and_fills_in_what_is_left_out),
		cmocka_unit_test(test_amfs__hashes_are_those_of_its_core),
		cmocka_unit_test(test_amfs__a_read_gives_the_current_entry_or_null),
		cmocka_unit_test(test_amfs__a_list_has_children_and_no_siblings),
		cmocka_unit_test(
			test_amfs__an_outcome_writes_a_version_by_the_table_that_was_chosen),
		cmocka_unit_test(test_amfs__counts_go_on_to_the_next_outcome),
		cmocka_unit_test(
			test_amfs__a_watch_sees_its_path_and_below_until_it_is_cancelled),
		cmocka_unit_test(
			test_amfs__commits_are_listed_newest_first_with_their_parents),
		cmocka_unit_test(test_amfs__record_tools_and_amfs_see_the_same_records),
		cmocka_unit_test(test_amfs__what_is_wrong_is_one_reply),
		cmocka_unit_test(test_amfs__an_entry_keeps_what_its_writer_said_of_it),
		cmocka_unit_test(
			test_amfs__what_has_the_wrong_type_is_named_and_nothing_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
