#include "recorded.h"

#include "data/shelf.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "data/canon.h"

#define FILE1 "vault/_records/listing/482/assessment.md"
#define AT1   "listing/482/assessment"

static void
test_record__a_write_to_what_exists_adds_a_version_and_keeps_the_old(void **state)
{
	struct recorded r;
	struct record_view rec;

	(void)state;
	recorded_open(&r);
	assert_int_equal(recorded_write(&r.s, AT1, "\"good\"", 0.8), 1);
	assert_int_equal(recorded_write(&r.other, AT1, "{\"n\":2}", -1), 2);
	assert_true(recorded_is(&r.s, AT1, 0, "{\n  \"n\": 2\n}"));
	assert_true(recorded_is(&r.s, AT1, 1, "\"good\""));
	rec = recorded_read(&r.s, AT1, 0);
	assert_true(rec.current && !rec.contested && !rec.corrupt);
	assert_str(rec.v->agent, STR("executor"));
	assert_str(rec.v->session, STR("s2"));
	/* a corrected fact has not earned the old one's record */
	assert_true(rec.state.confidence == RECORD_CONFIDENCE);
	record_release(&rec);
	rec = recorded_read(&r.s, AT1, 1);
	assert_false(rec.current);
	assert_int_equal(rec.last, 2);
	assert_true(rec.state.confidence == 0.8);
	record_release(&rec);
	recorded_close(&r);
}

static void test_record__what_is_not_there_is_said(void **state)
{
	struct recorded r;
	struct address a;
	struct record_view rec;
	struct err e = ERR_INIT;

	(void)state;
	recorded_open(&r);
	assert_int_equal(address_of(&a, STR(AT1), STR_NONE, NULL), 0);
	assert_int_equal(record_read(&r.s, &a, 0, STR_NONE, &rec, &e), HF_ENOTFOUND);
	assert_string_equal(e.msg, "no record listing/482/assessment");
	record_release(&rec);
	recorded_write(&r.s, AT1, "1", -1);
	e = ERR_INIT;
	assert_int_equal(record_read(&r.s, &a, 3, STR_NONE, &rec, &e), HF_ENOTFOUND);
	assert_string_equal(e.msg,
			    "listing/482/assessment has no version 3; the newest is 1");
	record_release(&rec);
	address_release(&a);
	recorded_close(&r);
}

static void
test_record__outcomes_move_the_current_version_and_make_no_new_one(void **state)
{
	struct recorded r;
	struct record_view rec;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "1", 0.8);
	assert_int_equal(recorded_outcome(&r.other, AT1, OUTCOME_SUCCESS, 0), 0);
	assert_true(recorded_confidence(&r.s, AT1) == 0.84);
	assert_int_equal(recorded_outcome(&r.other, AT1, OUTCOME_FAILURE, 0), 0);
	assert_int_equal(recorded_outcome(&r.other, AT1, OUTCOME_UNKNOWN, 0), 0);
	rec = recorded_read(&r.s, AT1, 0);
	assert_true(rec.state.confidence == 0.546);
	assert_int_equal(rec.state.successes, 1);
	assert_int_equal(rec.state.failures, 1);
	assert_int_equal(rec.state.others, 1);
	assert_int_equal(rec.v->version, 1);
	record_release(&rec);
	/* a new version begins anew; the old one keeps what it had */
	recorded_write(&r.s, AT1, "2", -1);
	assert_true(recorded_confidence(&r.s, AT1) == 0.5);
	rec = recorded_read(&r.s, AT1, 1);
	assert_true(rec.state.confidence == 0.546);
	record_release(&rec);
	assert_true(recorded_finds(&r.s, 0));
	recorded_close(&r);
}

static void
test_record__an_outcome_of_an_old_version_is_noted_and_moves_nothing(void **state)
{
	struct record_outcome o = {.kind = OUTCOME_FAILURE, .version = 1};
	struct record_moved m;
	struct recorded r;
	struct address a;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "1", 0.8);
	recorded_write(&r.s, AT1, "2", 0.6);
	address_of(&a, STR(AT1), STR_NONE, NULL);
	assert_int_equal(record_report(&r.s, &a, &o, &m, NULL), 0);
	assert_false(m.moved);
	assert_true(m.before == 0.8 && m.after == 0.8);
	assert_true(recorded_confidence(&r.s, AT1) == 0.6);
	o.version = 9;
	assert_int_equal(record_report(&r.s, &a, &o, &m, NULL), HF_ENOTFOUND);
	assert_true(recorded_finds(&r.s, 0));
	address_release(&a);
	recorded_close(&r);
}

static void
test_record__an_expected_version_that_is_not_there_writes_nothing(void **state)
{
	struct record_new n = {
		.value = STR("2"), .confidence = -1, .expects = true, .expected = 0};
	struct record_done d;
	struct recorded r;
	struct address a;
	struct err e = ERR_INIT;
	str before;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "1", -1);
	before = test_read(FILE1);
	address_of(&a, STR(AT1), STR_NONE, NULL);
	assert_int_equal(record_write(&r.s, &a, &n, &d, &e), HF_EFORMAT);
	assert_true(d.conflict);
	assert_int_equal(d.version, 1);
	assert_string_equal(e.msg,
			    "listing/482/assessment: expected version 0, but it is at 1; "
			    "nothing was written");
	record_done_release(&d);
	assert_str(test_read(FILE1), before);
	n.expected = 1;
	assert_int_equal(record_write(&r.s, &a, &n, &d, NULL), 0);
	assert_int_equal(d.version, 2);
	record_done_release(&d);
	address_release(&a);
	recorded_close(&r);
}

static void test_record__the_same_value_is_written_again_unless_if_changed(void **state)
{
	struct record_new n = {.value = STR("{\"a\":1.0, \"b\":2}"), .confidence = 0.9};
	struct record_done d;
	struct recorded r;
	struct address a;

	(void)state;
	recorded_open(&r);
	address_of(&a, STR(AT1), STR_NONE, NULL);
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(record_write(&r.s, &a, &n, &d, NULL), 0);
		assert_int_equal(d.version, i);
		record_done_release(&d);
	}
	n.if_changed = true;
	n.value = STR("{\"b\":2,\"a\":1}");
	assert_int_equal(record_write(&r.s, &a, &n, &d, NULL), 0);
	assert_true(d.unchanged);
	assert_int_equal(d.version, 2);
	record_done_release(&d);
	n.value = STR("{\"b\":3,\"a\":1}");
	assert_int_equal(record_write(&r.s, &a, &n, &d, NULL), 0);
	assert_int_equal(d.version, 3);
	record_done_release(&d);
	address_release(&a);
	recorded_close(&r);
}

static int refused(struct recorded *r, struct record_new n, const char *message)
{
	struct record_done d;
	struct address a;
	struct err e = ERR_INIT;
	int ret;

	address_of(&a, STR(AT1), STR_NONE, NULL);
	ret = record_write(&r->s, &a, &n, &d, &e);
	if (!strstr(e.msg, message))
		fail_msg("%s", e.msg);
	record_done_release(&d);
	address_release(&a);
	assert_false(test_exists(FILE1));
	return ret;
}

static void test_record__bad_input_is_refused_before_anything_is_made(void **state)
{
	struct buf big = BUF_INIT(1 << 20);
	str many[RECORD_TAGS_MAX + 1], one[1] = {STR(" ")};
	struct recorded r;

	(void)state;
	recorded_open(&r);
	assert_int_equal(refused(&r, (struct record_new){.value = STR("{")}, "JSON"),
			 HF_EFORMAT);
	assert_int_equal(
		refused(&r, (struct record_new){.value = STR_NONE}, "value is missing"),
		HF_EUSAGE);
	assert_int_equal(
		refused(&r, (struct record_new){.value = STR("1"), .confidence = 1.5},
			"from 0 to 1"),
		HF_EUSAGE);
	assert_int_equal(
		refused(&r,
			(struct record_new){.value = STR("1"), .confidence = 0.0 / 0.0},
			"from 0 to 1"),
		HF_EUSAGE);
	for (size_t i = 0; i <= RECORD_TAGS_MAX; i++)
		many[i] = STR("x");
	assert_int_equal(refused(&r,
				 (struct record_new){.value = STR("1"),
						     .tags = many,
						     .ntags = RECORD_TAGS_MAX + 1},
				 "tags"),
			 HF_ELIMIT);
	assert_int_equal(
		refused(&r,
			(struct record_new){.value = STR("1"), .tags = one, .ntags = 1},
			"a tag is blank"),
		HF_EUSAGE);
	buf_byte(&big, '"');
	buf_fill(&big, 'x', RECORD_VALUE_MAX);
	buf_byte(&big, '"');
	assert_int_equal(
		refused(&r, (struct record_new){.value = buf_str(&big)}, "at most 65536"),
		HF_ELIMIT);
	buf_release(&big);
	recorded_close(&r);
}

static void test_record__tags_are_stored_in_one_form_and_order(void **state)
{
	str tags[] = {STR("Zeta  one"), STR("alpha"), STR("ALPHA ")};
	struct record_new n = {.value = STR("1"), .tags = tags, .ntags = 3};
	struct record_done d;
	struct recorded r;
	struct record_view rec;
	struct address a;

	(void)state;
	recorded_open(&r);
	address_of(&a, STR(AT1), STR_NONE, NULL);
	assert_int_equal(record_write(&r.s, &a, &n, &d, NULL), 0);
	rec = recorded_read(&r.s, AT1, 0);
	assert_str(rec.v->tags, STR("[\"alpha\",\"zeta one\"]"));
	record_release(&rec);
	record_done_release(&d);
	address_release(&a);
	recorded_close(&r);
}

static void test_record__no_secret_is_stored_wherever_it_hides(void **state)
{
	str tag[] = {STR("x")};
	struct record_new n = {
		.value = STR(
			"{\"api_key\":\"sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789\","
			"\"esc\":\"\\u0067hp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789\"}"),
		.tags = tag,
		.ntags = 1,
		.note = STR("with ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789")};
	struct record_done d;
	struct recorded r;
	struct address a;
	str text;

	(void)state;
	recorded_open(&r);
	address_of(&a, STR(AT1), STR_NONE, NULL);
	assert_int_equal(record_write(&r.s, &a, &n, &d, NULL), 0);
	assert_int_equal(d.secrets, 3);
	text = test_read(FILE1);
	assert_true(str_find(text, STR("AbCdEfGhIj")) == STR_NPOS);
	assert_true(str_find(text, STR("[redacted:")) != STR_NPOS);
	record_done_release(&d);
	address_release(&a);
	assert_true(recorded_finds(&r.s, 0));
	recorded_close(&r);
}

static void
test_record__converted_line_ends_are_no_corruption_and_writing_goes_on(void **state)
{
	struct buf crlf = BUF_INIT(1 << 20);
	struct recorded r;
	str text;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "{\"a\":[1,2]}", 0.8);
	recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0);
	recorded_write(&r.s, AT1, "2", 0.7);
	text = test_read(FILE1);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			buf_byte(&crlf, '\r');
		buf_byte(&crlf, text.p[i]);
	}
	test_write(FILE1, buf_str(&crlf));
	assert_true(recorded_finds(&r.s, 0));
	assert_true(recorded_is(&r.s, AT1, 0, "2"));
	assert_int_equal(recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0), 0);
	assert_int_equal(recorded_write(&r.s, AT1, "3", -1), 3);
	assert_true(recorded_is(&r.s, AT1, 0, "3"));
	assert_true(recorded_finds(&r.s, 0));
	buf_release(&crlf);
	recorded_close(&r);
}

static void test_record__cut_at_every_byte_the_next_write_makes_a_sound_file(void **state)
{
	struct recorded r;
	str text;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "\"one\"", 0.8);
	recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0);
	recorded_write(&r.s, AT1, "\"two\"", 0.7);
	text = test_read(FILE1);
	for (size_t n = 0; n <= text.n; n++) {
		int version;

		test_write(FILE1, (str){text.p, n});
		version = recorded_write(&r.s, AT1, "\"new\"", 0.6);
		assert_true(version >= 1 && version <= 3);
		assert_true(recorded_is(&r.s, AT1, 0, "\"new\""));
		if (version > 1)
			assert_true(recorded_is(&r.s, AT1, 1, "\"one\""));
		{
			struct verify v = recorded_verify(&r.s);

			if (verify_failed(&v))
				fail_msg("cut at %zu", n);
			assert_int_equal(v.versions, version);
			verify_release(&v);
		}
	}
	recorded_close(&r);
}

static void
test_record__whatever_call_fails_the_version_is_there_whole_or_not_at_all(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct recorded r;
		int ret, after;

		recorded_open(&r);
		recorded_write(&r.s, AT1, "1", 0.8);
		fault_at(++n);
		ret = recorded_write(&r.s, AT1, "2", 0.8);
		met = fault_met();
		fault_off();
		assert_true(recorded_finds(&r.s, 0));
		if (ret == 2)
			assert_true(recorded_is(&r.s, AT1, 0, "2"));
		after = recorded_write(&r.s, AT1, "3", 0.8);
		assert_true(after == 3 || (ret < 0 && after == 2));
		assert_true(recorded_finds(&r.s, 0));
		recorded_close(&r);
	} while (met);
	assert_true(n > 10);
}

static void test_record__whatever_call_fails_an_outcome_counts_once_or_not(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct recorded r;
		double c;
		int ret;

		recorded_open(&r);
		recorded_write(&r.s, AT1, "1", 0.8);
		fault_at(++n);
		ret = recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0);
		met = fault_met();
		fault_off();
		c = recorded_confidence(&r.s, AT1);
		assert_true(c == 0.84 || (ret && c == 0.8));
		assert_true(recorded_finds(&r.s, 0));
		recorded_close(&r);
	} while (met);
	assert_true(n > 10);
}

/* What a merge of two machines leaves: both blocks that came after `base`. */
static void merged(struct recorded *r, str *base)
{
	struct buf both = BUF_INIT(1 << 20);
	str mine, theirs;

	recorded_write(&r->s, AT1, "1", 0.8);
	*base = test_read(FILE1);
	recorded_write(&r->s, AT1, "\"mine\"", 0.6);
	mine = test_read(FILE1);
	test_write(FILE1, *base);
	setenv("HANDOFF_NOW", "2026-02-12T18:00:05Z", 1);
	recorded_write(&r->other, AT1, "\"theirs\"", 0.7);
	theirs = test_read(FILE1);
	buf_add(&both, mine);
	buf_add(&both, str_from(theirs, base->n));
	test_write(FILE1, buf_str(&both));
	buf_release(&both);
}

static void
test_record__two_machines_side_by_side_are_contested_until_a_version_names_both(
	void **state)
{
	struct recorded r;
	struct record_view rec;
	str base;

	(void)state;
	recorded_open(&r);
	merged(&r, &base);
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CONTESTED));
	rec = recorded_read(&r.s, AT1, 0);
	assert_true(rec.contested && rec.current && !rec.corrupt);
	assert_int_equal(rec.chain.nheads, 2);
	/* the later one first, on every machine */
	assert_str(str_trim(rec.v->value), STR("\"theirs\""));
	record_release(&rec);
	assert_int_equal(recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0), HF_EAMBIGUOUS);
	assert_int_equal(recorded_write(&r.s, AT1, "\"joined\"", 0.9), 3);
	rec = recorded_read(&r.s, AT1, 0);
	assert_false(rec.contested);
	assert_int_equal(rec.v->nparents, 2);
	record_release(&rec);
	assert_true(recorded_finds(&r.s, 0));
	assert_int_equal(recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0), 0);
	assert_true(recorded_confidence(&r.s, AT1) == 0.92);
	assert_true(recorded_finds(&r.s, 0));
	recorded_close(&r);
}

static void test_record__outcomes_of_two_machines_both_count(void **state)
{
	struct buf both = BUF_INIT(1 << 20);
	struct recorded r;
	str base, mine, theirs;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "1", 0.5);
	base = test_read(FILE1);
	recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0);
	mine = test_read(FILE1);
	test_write(FILE1, base);
	recorded_outcome(&r.other, AT1, OUTCOME_FAILURE, 0);
	theirs = test_read(FILE1);
	buf_add(&both, mine);
	buf_add(&both, str_from(theirs, base.n));
	test_write(FILE1, buf_str(&both));
	/* 0.5 -> success 0.6 -> failure 0.39 in the order of the file */
	assert_true(recorded_confidence(&r.s, AT1) == 0.39);
	assert_true(recorded_finds(&r.s, 0));
	recorded_outcome(&r.s, AT1, OUTCOME_SUCCESS, 0);
	assert_true(recorded_confidence(&r.s, AT1) == 0.512);
	assert_true(recorded_finds(&r.s, 0));
	buf_release(&both);
	recorded_close(&r);
}

static void test_record__a_damaged_file_is_not_written_over(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, AT1, "1", 0.5);
	recorded_edit(FILE1, "<!-- version {", "<!-- version x{");
	assert_int_equal(recorded_write(&r.s, AT1, "2", 0.5), HF_EFORMAT);
	assert_true(recorded_finds(&r.s, 1u << VERIFY_CORRUPT | 1u << VERIFY_HEAD));
	recorded_close(&r);
}

static void test_record__writers_at_once_make_one_unbroken_chain(void **state)
{
	enum { WRITERS = 4, EACH = 50 };
	struct recorded r;
	struct verify v;

	(void)state;
	recorded_open(&r);
	for (int w = 0; w < WRITERS; w++) {
		if (fork() == 0) {
			struct vault own;
			struct record_store s = {.vault = &own, .agent = "w"};
			int bad = vault_open(&own, r.vault.root, NULL);

			for (int i = 0; i < EACH && !bad; i++)
				bad = recorded_write(&s, AT1, "1", -1) < 0;
			_exit(bad ? 1 : 0);
		}
	}
	for (int w = 0; w < WRITERS; w++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	v = recorded_verify(&r.s);
	assert_int_equal(v.versions, WRITERS * EACH);
	assert_int_equal(v.valid, WRITERS * EACH);
	verify_release(&v);
	assert_true(recorded_is(&r.s, AT1, WRITERS * EACH, "1"));
	recorded_close(&r);
}

static void test_record__a_long_file_costs_no_more_to_append_to(void **state)
{
	struct recorded r;
	int calls[2];

	(void)state;
	recorded_open(&r);
	for (int i = 0; i < 2; i++) {
		for (int n = 0; n < (i ? 400 : 8); n++)
			recorded_write(&r.s, AT1, "\"a value of some length\"", -1);
		fault_at(0);
		recorded_write(&r.s, AT1, "1", -1);
		calls[i] = fault_calls();
		fault_off();
	}
	assert_int_equal(calls[0], calls[1]);
	recorded_close(&r);
}

/* Of the record AT1, as an indexer reads it. */
static struct record_view skimmed(const struct recorded *r)
{
	struct record_view v;
	struct stat st;
	int fd = shelf_open(&r->vault, SHELF_RECORDS, STR("listing/482/assessment.md"),
			    &st, NULL);

	assert_true(fd >= 0);
	assert_int_equal(record_skim(STR("listing/482/assessment.md"), fd,
				     (uint64_t)st.st_size, &v, NULL),
			 0);
	io.close(fd);
	return v;
}

static void test_record__skimming_tells_what_reading_tells_at_every_length(void **state)
{
	struct recorded r;

	(void)state;
	recorded_open(&r);
	/* short and long files, that end in a version and in an outcome */
	for (int i = 1; i <= 40; i++) {
		char json[16], now[32];
		struct record_view read, skim;

		snprintf(json, sizeof(json), "%d", i);
		snprintf(now, sizeof(now), "2026-02-12T18:%02d:00Z", i);
		setenv("HANDOFF_NOW", now, 1);
		if (i % 3 == 1)
			recorded_write(&r.s, AT1, json, 0.5);
		else
			recorded_outcome(&r.s, AT1, OUTCOME_PARTIAL, 0);
		read = recorded_read(&r.s, AT1, 0);
		skim = skimmed(&r);
		assert_string_equal(skim.address.text, AT1);
		assert_int_equal(skim.v->version, read.v->version);
		assert_str(skim.v->value, read.v->value);
		assert_true(skim.state.confidence == read.state.confidence);
		assert_int_equal(skim.state.successes, (i + 2) % 3);
		/* which outcome was the last one */
		if (i % 3 != 1)
			assert_memory_equal(skim.judged, now, 16);
		record_release(&read);
		record_release(&skim);
	}
	recorded_close(&r);
}

static void test_record__a_secret_is_no_name(void **state)
{
	static const char *const scope[] = {"s/ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
					    "s"};
	static const char *const key[] = {"k",
					  "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"};
	struct record_new n = {.value = STR("1"), .confidence = 0.5};
	struct recorded r;

	(void)state;
	recorded_open(&r);
	for (size_t i = 0; i < 2; i++) {
		struct err e = ERR_INIT;
		struct record_done d;
		struct address a;

		assert_int_equal(address_of(&a, str_of(scope[i]), str_of(key[i]), NULL),
				 0);
		assert_int_equal(record_write(&r.s, &a, &n, &d, &e), HF_EUSAGE);
		assert_non_null(strstr(e.msg, "nothing was written"));
		assert_null(strstr(e.msg, "AbCdEf"));
		record_done_release(&d);
		address_release(&a);
	}
	assert_false(test_exists("vault/_records"));
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_record__a_write_to_what_exists_adds_a_version_and_keeps_the_old),
		cmocka_unit_test(test_record__what_is_not_there_is_said),
		cmocka_unit_test(
			test_record__skimming_tells_what_reading_tells_at_every_length),
		cmocka_unit_test(
			test_record__outcomes_move_the_current_version_and_make_no_new_one),
		cmocka_unit_test(
			test_record__an_outcome_of_an_old_version_is_noted_and_moves_nothing),
		cmocka_unit_test(
			test_record__an_expected_version_that_is_not_there_writes_nothing),
		cmocka_unit_test(
			test_record__the_same_value_is_written_again_unless_if_changed),
		cmocka_unit_test(
			test_record__bad_input_is_refused_before_anything_is_made),
		cmocka_unit_test(test_record__tags_are_stored_in_one_form_and_order),
		cmocka_unit_test(test_record__no_secret_is_stored_wherever_it_hides),
		cmocka_unit_test(test_record__a_secret_is_no_name),
		cmocka_unit_test(
			test_record__converted_line_ends_are_no_corruption_and_writing_goes_on),
		cmocka_unit_test(
			test_record__cut_at_every_byte_the_next_write_makes_a_sound_file),
		cmocka_unit_test(
			test_record__whatever_call_fails_the_version_is_there_whole_or_not_at_all),
		cmocka_unit_test(
			test_record__whatever_call_fails_an_outcome_counts_once_or_not),
		cmocka_unit_test(
			test_record__two_machines_side_by_side_are_contested_until_a_version_names_both),
		cmocka_unit_test(test_record__outcomes_of_two_machines_both_count),
		cmocka_unit_test(test_record__a_damaged_file_is_not_written_over),
		cmocka_unit_test(test_record__writers_at_once_make_one_unbroken_chain),
		cmocka_unit_test(test_record__a_long_file_costs_no_more_to_append_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
