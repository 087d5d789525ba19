#include "fault.h"
#include "data/source.h"
#include "work/extract.h"

static struct extract *extracted(const char *path)
{
	const struct record *rec;
	struct extract *x = extract_new();
	struct err e = ERR_INIT;
	struct transcript *t;
	enum transcript_got got;
	struct source src;

	assert_int_equal(source_open(&src, path, &e), 0);
	t = transcript_new(&src, 0, &extract_caps);
	while ((got = transcript_next(t, &rec)) != TRANSCRIPT_END) {
		assert_int_not_equal(got, TRANSCRIPT_ERROR);
		if (got == TRANSCRIPT_RECORD)
			extract_add(x, rec);
	}
	transcript_free(t);
	source_release(&src);
	return x;
}

static void test_extract__saved_and_loaded_it_is_the_same(void **state)
{
	struct extract *x = extracted("fixtures/transcripts/tasks.jsonl"), *y;
	struct buf a = BUF_INIT(SIZE_MAX), b = BUF_INIT(SIZE_MAX);
	struct err e = ERR_INIT;

	(void)state;
	extract_save(x, &a);
	y = extract_load(buf_str(&a), &e);
	assert_non_null(y);
	extract_save(y, &b);
	assert_string_equal(buf_cstr(&a), buf_cstr(&b));
	assert_true(extract_facts(y, NULL, CLOCK_NONE)->ntodo > 0);
	extract_free(x);
	extract_free(y);
	buf_release(&a);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extract__saved_and_loaded_it_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
