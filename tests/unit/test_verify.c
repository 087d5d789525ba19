#include "recorded.h"

#include "data/digest.h"
#include "data/seal.h"

#define FILE1 "vault/_records/a/k.md"

/* a/k: three versions, an outcome of the second; b/k: one version; a packet that pins a/k v1. */
static void store(struct recorded *r, char id[PACKET_ID_BYTES])
{
	struct packet_ref ref = {.scope = STR("a/k"), .version = 1};
	struct packet_new n = {.summary = STR("go on"), .refs = &ref, .nrefs = 1};
	struct packet p;

	recorded_open(r);
	recorded_write(&r->s, "a/k", "\"one\"", 0.8);
	recorded_write(&r->s, "a/k", "\"two\"", 0.7);
	recorded_outcome(&r->s, "a/k", OUTCOME_SUCCESS, 0);
	recorded_write(&r->s, "a/k", "\"three\"", 0.6);
	recorded_outcome(&r->s, "a/k", OUTCOME_FAILURE, 0);
	recorded_write(&r->s, "b/k", "\"other\"", 0.5);
	assert_int_equal(packet_create(&r->s, &n, &p, NULL), 0);
	memcpy(id, p.id, sizeof(p.id));
	packet_release(&p);
}

static void test_verify__a_store_as_it_was_written_has_no_findings(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;
	struct verify v;

	(void)state;
	store(&r, id);
	v = recorded_verify(&r.s);
	assert_false(verify_failed(&v));
	assert_int_equal(v.records, 2);
	assert_int_equal(v.versions, 4);
	assert_int_equal(v.superseded, 2);
	assert_int_equal(v.outcomes, 2);
	assert_int_equal(v.packets, 1);
	assert_int_equal(v.checked, 7);
	assert_int_equal(v.valid, 7);
	assert_true(v.confidence > 0.444 && v.confidence < 0.446);
	verify_release(&v);
	recorded_close(&r);
}

static void test_verify__an_edited_value_is_corrupt_and_nothing_else(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	recorded_edit(FILE1, "\"two\"", "\"tw0\"");
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CORRUPT));
	recorded_close(&r);
}

static void
test_verify__every_single_changed_byte_is_found_or_changes_nothing(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;
	str text;

	(void)state;
	store(&r, id);
	text = test_read(FILE1);
	for (size_t i = str_find(text, STR("```json")); i < text.n; i++) {
		struct buf b = BUF_INIT(1 << 20);
		struct verify v;

		buf_add(&b, text);
		b.p[i] ^= 1;
		test_write(FILE1, buf_str(&b));
		v = recorded_verify(&r.s);
		if (!verify_failed(&v)) {
			/* what a person reads: heading lines and blank ones; never a value or a sealed line */
			size_t from = str_rchr(str_head(text, i), '\n') + 1;
			str line = str_from(text, from);

			line = str_head(line, str_chr(line, '\n'));
			if (i - from < line.n && (str_starts(line, STR("<!--")) ||
						  str_starts(line, STR("\""))))
				fail_msg("byte %zu of %.*s", i - from, STR_ARG(line));
			/* a value is still what it was */
			assert_true(recorded_is(&r.s, "a/k", 1, "\"one\""));
			assert_true(recorded_is(&r.s, "a/k", 3, "\"three\""));
		}
		verify_release(&v);
		buf_release(&b);
	}
	recorded_close(&r);
}

static void test_verify__an_edited_outcome_is_corrupt(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	recorded_edit(FILE1, "\"kind\":\"failure\"", "\"kind\":\"success\"");
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CORRUPT | 1u << VERIFY_REPLAY));
	recorded_close(&r);
}

/* Edit the sealed line that holds `from` and give it a new hash, as someone who knows the format would. */
static void reseal(const char *from, const char *to)
{
	struct buf b = BUF_INIT(1 << 20), json = BUF_INIT(1 << 16);
	str text = test_read(FILE1), rest = text, line;
	struct seal s;

	while (str_line(&rest, &line)) {
		size_t at = str_find(line, str_of(from));

		if (at == STR_NPOS || !seal_parse(line, &s)) {
			buf_add(&b, line);
			buf_byte(&b, '\n');
			continue;
		}
		at = str_find(s.json, str_of(from));
		buf_add(&json, str_head(s.json, at));
		buf_add(&json, str_of(to));
		buf_add(&json, str_from(s.json, at + strlen(from)));
		seal_add(&b, s.word, buf_str(&json), NULL);
	}
	test_write(FILE1, buf_str(&b));
	buf_release(&b);
	buf_release(&json);
}

static void
test_verify__a_confidence_that_the_reports_do_not_give_is_a_replay_mismatch(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	/* the last line, with a fitting hash: 0.6 after a failure is 0.39, not 0.99 */
	reseal("\"after\":0.39,", "\"after\":0.99,");
	assert_true(recorded_finds(&r.s, 1u << VERIFY_REPLAY));
	recorded_close(&r);
}

static void test_verify__a_version_hashed_anew_breaks_the_chain(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	reseal("\"confidence\":0.7,", "\"confidence\":0.9,");
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CHAIN_BREAK | 1u << VERIFY_REPLAY));
	recorded_close(&r);
}

static void test_verify__a_removed_version_is_a_gap_and_a_chain_break(void **state)
{
	char id[PACKET_ID_BYTES];
	struct buf b = BUF_INIT(1 << 20);
	struct recorded r;
	size_t two, three;
	str text;

	(void)state;
	store(&r, id);
	text = test_read(FILE1);
	two = str_find(text, STR("## v2"));
	three = str_find(text, STR("## v3"));
	buf_add(&b, str_head(text, two));
	buf_add(&b, str_from(text, three));
	test_write(FILE1, buf_str(&b));
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CHAIN_BREAK | 1u << VERIFY_GAP));
	buf_release(&b);
	recorded_close(&r);
}

static void test_verify__reordered_versions_break_the_chain(void **state)
{
	char id[PACKET_ID_BYTES];
	struct buf b = BUF_INIT(1 << 20);
	struct recorded r;
	size_t one, two, three;
	struct verify v;
	str text;

	(void)state;
	store(&r, id);
	text = test_read(FILE1);
	one = str_find(text, STR("## v1"));
	two = str_find(text, STR("## v2"));
	three = str_find(text, STR("## v3"));
	buf_add(&b, str_head(text, one));
	buf_add(&b, (str){text.p + two, three - two});
	buf_add(&b, (str){text.p + one, two - one});
	buf_add(&b, str_from(text, three));
	test_write(FILE1, buf_str(&b));
	v = recorded_verify(&r.s);
	assert_true(v.findings[VERIFY_CHAIN_BREAK] > 0);
	assert_int_equal(v.findings[VERIFY_CORRUPT], 0);
	verify_release(&v);
	buf_release(&b);
	recorded_close(&r);
}

static void test_verify__a_pin_on_what_is_gone_dangles(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	assert_int_equal(remove(test_path(FILE1)), 0);
	assert_true(recorded_finds(&r.s, 1u << VERIFY_DANGLING));
	recorded_close(&r);
}

static void test_verify__a_file_without_a_version_has_no_head(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	test_write("vault/_records/a/k.md", STR("---\nscope: a\nkey: k\n---\n\n# a/k\n"));
	assert_true(recorded_finds(&r.s, 1u << VERIFY_HEAD));
	recorded_close(&r);
}

static void test_verify__an_edited_packet_or_status_is_corrupt(void **state)
{
	static const char *const edit[][2] = {{"\"go on\"", "\"go in\""},
					      {"\"next\": []", "\"next\": [1]"}};
	char id[PACKET_ID_BYTES], path[64];
	struct packet_ask ask = {0};
	struct recorded r;
	struct packet p;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		store(&r, id);
		assert_int_equal(packet_pickup(&r.other, &ask, &p, NULL), 0);
		packet_release(&p);
		snprintf(path, sizeof(path), "vault/_packets/%s.md", id);
		recorded_edit(path, i < 2 ? edit[i][0] : "\"agent\":\"executor\"",
			      i < 2 ? edit[i][1] : "\"agent\":\"impostor\"");
		assert_true(recorded_finds(&r.s, 1u << VERIFY_CORRUPT));
		recorded_close(&r);
	}
}

static void test_verify__a_file_under_another_name_is_not_that_record(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	test_write("vault/_records/b/copy.md", test_read("vault/_records/b/k.md"));
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CORRUPT));
	recorded_close(&r);
}

struct told {
	char where[200], what[300];
	size_t n;
};

static void tell(const struct verify_finding *f, void *arg)
{
	struct told *t = arg;

	snprintf(t->where, sizeof(t->where), "%s", f->where);
	snprintf(t->what, sizeof(t->what), "%s", f->what);
	t->n++;
}

/* There is one finding, and it says this. */
static void only(const struct record_store *s, const char *where, const char *what)
{
	struct told t = {.n = 0};
	struct verify_options o = {.check = true, .found = tell, .arg = &t};
	struct verify v;

	assert_int_equal(verify_run(s, &o, &v, NULL), 0);
	assert_string_equal(t.where, where);
	assert_string_equal(t.what, what);
	assert_int_equal(t.n, 1);
	assert_int_equal(v.findings[VERIFY_CORRUPT], 1);
	verify_release(&v);
}

static void test_verify__an_edited_address_is_told_with_what_to_put_back(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;

	(void)state;
	store(&r, id);
	recorded_edit(FILE1, "\nkey: k\n", "\nkey: j\n");
	only(&r.s, "a/k",
	     "the front matter of _records/a/k.md was edited and says a/j: set `scope` and "
	     "`key` back");
	recorded_edit(FILE1, "\nkey: j\n", "\nkey: ..\n");
	only(&r.s, "a/k",
	     "the front matter of _records/a/k.md was edited and says a/..: set `scope` and "
	     "`key` back");
	recorded_edit(FILE1, "\nkey: ..\n", "\nkey: k\n");
	assert_int_equal(rename(test_path("vault/_records/b/k.md"),
				test_path("vault/_records/b/moved.md")),
			 0);
	only(&r.s, "_records/b/moved.md",
	     "it holds the record b/k under another name: move it to _records/b/k.md, or "
	     "out of _records");
	recorded_close(&r);
}

static void test_verify__a_file_that_is_no_record_is_told_with_where_it_lies(void **state)
{
	static const char *const stray[] = {"vault/_records/notes.md",
					    "vault/_records/a/notes.md"};
	char id[PACKET_ID_BYTES];
	struct recorded r;
	struct verify v;

	(void)state;
	store(&r, id);
	for (int i = 0; i < 2; i++) {
		test_write(stray[i], STR("# Notes\n\nbuy milk\n"));
		only(&r.s, strchr(stray[i], '/') + 1,
		     "nothing of a record is in this file: move it out of _records");
		v = recorded_verify(&r.s);
		assert_int_equal(v.records, 2);
		verify_release(&v);
		assert_int_equal(remove(test_path(stray[i])), 0);
	}
	test_write(stray[0], test_read(FILE1));
	recorded_edit(stray[0], "\nscope: a\nkey: k\n", "\n");
	only(&r.s, "_records/notes.md",
	     "its name is no record's, and it does not say which one it holds: move it out "
	     "of _records");
	assert_int_equal(remove(test_path(stray[0])), 0);
	/* what a crash leaves of a first write is none, and is not told so */
	test_write(stray[1], STR("---\nformat: 1\nki"));
	assert_true(recorded_finds(&r.s, 1u << VERIFY_HEAD));
	recorded_close(&r);
}

static void test_verify__a_torn_end_is_told_and_is_no_failure(void **state)
{
	char id[PACKET_ID_BYTES];
	struct recorded r;
	str text;

	(void)state;
	store(&r, id);
	recorded_write(&r.s, "b/k", "\"more\"", 0.5);
	text = test_read("vault/_records/b/k.md");
	test_write("vault/_records/b/k.md", str_head(text, text.n - 20));
	assert_true(recorded_finds(&r.s, 1u << VERIFY_TORN));
	recorded_close(&r);
}

static void test_verify__the_root_changes_with_every_write_and_only_then(void **state)
{
	char id[PACKET_ID_BYTES], first[65];
	struct recorded r;
	struct verify v;

	(void)state;
	store(&r, id);
	v = recorded_verify(&r.s);
	memcpy(first, v.root, 65);
	verify_release(&v);
	v = recorded_verify(&r.other);
	assert_string_equal(v.root, first);
	verify_release(&v);
	recorded_outcome(&r.s, "b/k", OUTCOME_UNKNOWN, 0);
	v = recorded_verify(&r.s);
	assert_string_not_equal(v.root, first);
	verify_release(&v);
	recorded_close(&r);
}

static void test_verify__what_cannot_be_read_fails(void **state)
{
	char id[PACKET_ID_BYTES];
	bool met;
	int n = 0;

	(void)state;
	do {
		struct verify_options o = {.check = true};
		struct recorded r;
		struct verify v;
		int ret;

		store(&r, id);
		fault_at(++n);
		ret = verify_run(&r.s, &o, &v, NULL);
		met = fault_met();
		fault_off();
		/* an unread part is an error or a finding, and never a smaller store that is well */
		if (met && !ret && !verify_failed(&v))
			assert_true(v.checked == 7 && v.valid == 7);
		verify_release(&v);
		recorded_close(&r);
	} while (met);
	assert_true(n > 10);
}

/* Written there by a program that took the folder of records for a project's. */
static void
test_verify__a_session_note_that_strayed_among_the_records_is_none(void **state)
{
	static const char *const stray[] = {
		"vault/_records/sessions/s_1.md", "vault/_records/entities/Plan.md",
		"vault/_packets/sessions/s_1.md", "vault/_packets/handoffs/x.md"};
	struct verify_options o = {.check = true};
	char id[PACKET_ID_BYTES];
	struct recorded r;
	struct verify v;

	(void)state;
	store(&r, id);
	for (size_t i = 0; i < sizeof(stray) / sizeof(*stray); i++)
		test_write(stray[i], STR("---\nid: s_1\nproject: _records\n---\n"));
	assert_int_equal(verify_run(&r.s, &o, &v, NULL), 0);
	assert_false(verify_failed(&v));
	assert_int_equal(v.checked, v.valid);
	verify_release(&v);
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verify__a_store_as_it_was_written_has_no_findings),
		cmocka_unit_test(
			test_verify__an_edited_value_is_corrupt_and_nothing_else),
		cmocka_unit_test(
			test_verify__a_session_note_that_strayed_among_the_records_is_none),
		cmocka_unit_test(
			test_verify__every_single_changed_byte_is_found_or_changes_nothing),
		cmocka_unit_test(test_verify__an_edited_outcome_is_corrupt),
		cmocka_unit_test(
			test_verify__a_confidence_that_the_reports_do_not_give_is_a_replay_mismatch),
		cmocka_unit_test(test_verify__a_version_hashed_anew_breaks_the_chain),
		cmocka_unit_test(
			test_verify__a_removed_version_is_a_gap_and_a_chain_break),
		cmocka_unit_test(test_verify__reordered_versions_break_the_chain),
		cmocka_unit_test(test_verify__a_pin_on_what_is_gone_dangles),
		cmocka_unit_test(test_verify__a_file_without_a_version_has_no_head),
		cmocka_unit_test(test_verify__an_edited_packet_or_status_is_corrupt),
		cmocka_unit_test(
			test_verify__a_file_under_another_name_is_not_that_record),
		cmocka_unit_test(
			test_verify__an_edited_address_is_told_with_what_to_put_back),
		cmocka_unit_test(
			test_verify__a_file_that_is_no_record_is_told_with_where_it_lies),
		cmocka_unit_test(test_verify__a_torn_end_is_told_and_is_no_failure),
		cmocka_unit_test(
			test_verify__the_root_changes_with_every_write_and_only_then),
		cmocka_unit_test(test_verify__what_cannot_be_read_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
