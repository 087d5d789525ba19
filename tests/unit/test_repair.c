#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "work/repair.h"

static const struct transcript_caps WIDE = {
	100 << 10, 20 << 10, 100 << 10, 20 << 10, 100 << 10, 20 << 10, false,
};

/* ---- the copy has the same records ---- */

static bool same_val(const struct val *a, const struct val *b)
{
	/* sizes are raw bytes and may differ where something was mended; so may cuts */
	return a->type == b->type && str_eq(a->key, b->key) &&
	       (a->cut || b->cut ||
		(str_eq(a->text, b->text) && str_eq(a->tail, b->tail))) &&
	       !a->child == !b->child && !a->next == !b->next;
}

/* Both trees walked in step, depth first, with a stack. */
static bool same_tree(const struct val *a, const struct val *b)
{
	const struct val *sa[SCAN_DEPTH_MAX + 1], *sb[SCAN_DEPTH_MAX + 1];
	size_t depth = 0;

	for (;;) {
		if (!same_val(a, b))
			return false;
		if (a->child) {
			sa[depth] = a;
			sb[depth++] = b;
			a = a->child;
			b = b->child;
			continue;
		}
		while (depth && !a->next) {
			a = sa[--depth];
			b = sb[depth];
		}
		if (!depth)
			return true;
		a = a->next;
		b = b->next;
	}
}

static void same_records(const char *from, const char *to, const char *name)
{
	struct source a = session_open(from), b = session_open(to);
	struct transcript *ta = transcript_new(&a, 0, &WIDE),
			  *tb = transcript_new(&b, 0, &WIDE);
	const struct record *ra, *rb;
	enum transcript_got got;

	for (;;) {
		while ((got = transcript_next(ta, &ra)) == TRANSCRIPT_LOSS)
			;
		if (got != TRANSCRIPT_RECORD) {
			if (transcript_next(tb, &rb) != TRANSCRIPT_END)
				fail_msg("%s: the copy has more records", name);
			break;
		}
		if (transcript_next(tb, &rb) != TRANSCRIPT_RECORD)
			fail_msg("%s: record %llu is not in the copy", name,
				 (unsigned long long)ra->n);
		if (!same_tree(ra->root, rb->root))
			fail_msg("%s: record %llu differs in the copy", name,
				 (unsigned long long)ra->n);
		assert_int_equal(rb->line, rb->n);
	}
	assert_int_equal(tb->losses, 0);
	transcript_free(ta);
	transcript_free(tb);
	source_release(&a);
	source_release(&b);
}

static void copy_is_same(const char *path)
{
	struct source src = session_open(path);
	struct repair_done done;
	struct err e = ERR_INIT;
	struct buf to = BUF_INIT(4096);

	buf_add(&to, str_of(test_path("copy.jsonl")));
	if (repair_copy(&src, path, buf_cstr(&to), &done, &e) != 0)
		fail_msg("%s: %s", path, e.msg);
	source_release(&src);
	same_records(path, buf_cstr(&to), path);
	buf_release(&to);
}

static void test_repair__the_copy_parses_to_the_same_records(void **s)
{
	(void)s;
	test_dir();
	assert_true(session_all(copy_is_same) > 100);
}

static void test_repair__a_copy_of_a_copy_changes_nothing(void **s)
{
	struct repair_done done;
	struct err e = ERR_INIT;
	struct source src;

	(void)s;
	test_dir();
	copy_is_same("fixtures/transcripts/raw-bytes-in-result.jsonl");
	src = session_open(test_path("copy.jsonl"));
	assert_int_equal(
		repair_copy(&src, "copy.jsonl", test_path("again.jsonl"), &done, &e), 0);
	assert_int_equal(done.replaced, 0);
	assert_int_equal(done.losses, 0);
	assert_str(test_read("again.jsonl"), test_read("copy.jsonl"));
	source_release(&src);
}

static void test_repair__cut_at_every_byte(void **s)
{
	str whole = session_read("fixtures/transcripts/lone-surrogates.jsonl");

	(void)s;
	for (size_t n = 0; n <= whole.n; n++) {
		test_dir();
		test_write("in.jsonl", str_head(whole, n));
		copy_is_same(test_path("in.jsonl"));
	}
}

/* ---- what is mended ---- */

static void mends(str in, const char *out, uint64_t replaced)
{
	struct source src;
	struct repair_done done;
	struct err e = ERR_INIT;
	struct stat st;

	test_dir();
	src = session_of(in);
	if (repair_copy(&src, "in", test_path("out.jsonl"), &done, &e) != 0)
		fail_msg("%s", e.msg);
	assert_str(test_read("out.jsonl"), str_of(out));
	assert_int_equal(done.replaced, replaced);
	assert_int_equal(stat(test_path("out.jsonl"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	source_release(&src);
}

static void test_repair__mends_what_is_no_text(void **s)
{
	(void)s;
	mends(STR("{\"a\":\"x\"}"), "{\"a\":\"x\"}\n", 0);
	mends(STR("{ \"a\" :\t\"\xc3\xa9\\n\" }\n"), "{ \"a\" :\t\"\xc3\xa9\\n\" }\n", 0);
	mends(STR("{\"a\":\"\xff\"}\n"), "{\"a\":\"\xef\xbf\xbd\"}\n", 1);
	mends(STR("{\"a\":\"\xe2\x82\"}\n"), "{\"a\":\"\xef\xbf\xbd\"}\n", 1);
	mends(STR("{\"a\":\"\xe2(\xf0\x9f\x98\"}\n"),
	      "{\"a\":\"\xef\xbf\xbd(\xef\xbf\xbd\"}\n", 2);
	mends(STR("{\"a\":\"\t\x01\"}\n"), "{\"a\":\"\\u0009\\u0001\"}\n", 2);
	mends(STR("{\"a\":\"\\ud83d\\ude00\"}\n"), "{\"a\":\"\\ud83d\\ude00\"}\n", 0);
	mends(STR("{\"a\":\"\\ud83d\"}\n"), "{\"a\":\"\\ufffd\"}\n", 1);
	mends(STR("{\"a\":\"\\uDE00\\ud83dx\"}\n"), "{\"a\":\"\\ufffd\\ufffdx\"}\n", 2);
	mends(STR("{\"a\":\"\\\\ud83d\"}\n"), "{\"a\":\"\\\\ud83d\"}\n", 0);
	mends(STR("{\"\xff\":\"\\\"\xff\"}\n"),
	      "{\"\xef\xbf\xbd\":\"\\\"\xef\xbf\xbd\"}\n", 2);
	mends(STR("{\"a\":1}{\"b\":2}\nrubbish\n{\"c\":3"), "{\"a\":1}\n{\"b\":2}\n", 0);
	mends(STR(""), "", 0);
}

static void test_repair__characters_across_the_window(void **s)
{
	(void)s;
	/* a pair of escapes, a character and a torn one at every place around a window's end */
	for (size_t at = 65536 - 40; at < 65536 + 4; at++) {
		struct buf in = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);

		buf_add(&in, STR("{\"a\":\""));
		buf_fill(&in, 'x', at);
		buf_add(&out, buf_str(&in));
		buf_add(&in,
			STR("\\ud83d\\ude00\xf0\x9f\x98\x80\xf0\x9f\x98z\\ud83d!\"}\n"));
		buf_add(&out,
			STR("\\ud83d\\ude00\xf0\x9f\x98\x80\xef\xbf\xbdz\\ufffd!\"}\n"));
		mends(buf_str(&in), buf_cstr(&out), 2);
		buf_release(&in);
		buf_release(&out);
	}
}

/* ---- never in place, never half ---- */

static void test_repair__refuses_to_overwrite_the_transcript(void **s)
{
	struct source src;
	struct repair_done done;
	struct err e = ERR_INIT;

	(void)s;
	test_dir();
	src = session_of(STR("{\"a\":1}\n"));
	assert_int_equal(repair_copy(&src, "x", test_path("session.jsonl"), &done, &e),
			 HF_EUSAGE);
	assert_int_equal(symlink(test_path("session.jsonl"), test_path("link.jsonl")), 0);
	e = ERR_INIT;
	assert_int_equal(repair_copy(&src, "x", test_path("link.jsonl"), &done, &e),
			 HF_EUSAGE);
	assert_int_equal(link(test_path("session.jsonl"), test_path("hard.jsonl")), 0);
	e = ERR_INIT;
	assert_int_equal(repair_copy(&src, "x", test_path("hard.jsonl"), &done, &e),
			 HF_EUSAGE);
	assert_true(test_is("session.jsonl", "{\"a\":1}\n"));
	source_release(&src);
}

static void test_repair__old_or_new_whatever_fails(void **s)
{
	int n = 0;
	bool met;

	(void)s;
	do {
		struct source src;
		struct repair_done done;
		struct err e = ERR_INIT;
		int ret, entries;

		test_dir();
		src = session_of(STR("{\"a\":1}\n{\"b\":2}\n"));
		test_write("out.jsonl", STR("old"));
		entries = test_entries("");
		fault_at(++n);
		ret = repair_copy(&src, "in.jsonl", test_path("out.jsonl"), &done, &e);
		met = fault_met();
		fault_off();
		if (ret) {
			assert_true(e.msg[0]);
			/* the very last step makes the name durable: then the new one may stand */
			assert_true(test_is("out.jsonl", "old") ||
				    test_is("out.jsonl", "{\"a\":1}\n{\"b\":2}\n"));
		} else {
			assert_true(test_is("out.jsonl", "{\"a\":1}\n{\"b\":2}\n"));
		}
		if (ret)
			assert_int_equal(test_entries(""), entries);
		source_release(&src);
	} while (met);
	assert_true(n > 6);
}

static void test_repair__a_folder_that_is_not_there(void **s)
{
	struct source src;
	struct repair_done done;
	struct err e = ERR_INIT;

	(void)s;
	test_dir();
	src = session_of(STR("{\"a\":1}\n"));
	assert_int_equal(repair_copy(&src, "x", test_path("no/out.jsonl"), &done, &e),
			 HF_EIO);
	assert_non_null(strstr(e.msg, "out.jsonl"));
	source_release(&src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repair__the_copy_parses_to_the_same_records),
		cmocka_unit_test(test_repair__a_copy_of_a_copy_changes_nothing),
		cmocka_unit_test(test_repair__cut_at_every_byte),
		cmocka_unit_test(test_repair__mends_what_is_no_text),
		cmocka_unit_test(test_repair__characters_across_the_window),
		cmocka_unit_test(test_repair__refuses_to_overwrite_the_transcript),
		cmocka_unit_test(test_repair__old_or_new_whatever_fails),
		cmocka_unit_test(test_repair__a_folder_that_is_not_there),
	};

	return cmocka_run_group_tests_name("repair", tests, NULL, NULL);
}
