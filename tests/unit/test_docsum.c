/* Summaries are text by a model: titles come in several forms. */
#include "fault.h"

#include "base/buf.h"
#include "work/docsum.h"

static const char *section(struct buf *b, const char *summary, const char *word,
			   const char *other)
{
	struct docsum s;
	str line;

	buf_reset(b);
	docsum_init(&s, str_of(summary), word, other);
	while (docsum_next(&s, &line)) {
		buf_add(b, str_trim(line));
		buf_byte(b, '|');
	}
	return buf_cstr(b);
}

static void test_docsum__finds_a_section_by_its_title_in_every_form(void **state)
{
	static const char *const forms[] = {
		"Analysis: none\nSummary:\n1. Primary Request and Intent:\n   Dim the lamp.\n\n2. Key Technical Concepts:\n   - PWM\n",
		"## 1. Primary Request and Intent:\nDim the lamp.\n## 2. Key Technical Concepts:\n- PWM\n",
		"**1. Primary Request and Intent:**\nDim the lamp.\n**2. Key Technical Concepts:**\n",
		"1. **Primary Request and Intent**:\nDim the lamp.\n2. **Key Technical Concepts**:\n",
		"1. Primary Request: Dim the lamp.\n2. Key Technical Concepts:\n",
	};
	struct buf b = BUF_INIT(4096);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_string_equal(section(&b, forms[i], "primary", NULL),
				    "Dim the lamp.|");
	buf_release(&b);
}

static void
test_docsum__two_words_take_both_sections_and_blank_lines_are_left_out(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_string_equal(
		section(&b,
			"7. Pending Tasks:\n   - flash it\n\n   - dim it\n8. Current Work:\n   none\n"
			"9. Optional Next Step:\n   ask\n",
			"pending", "optional"),
		"- flash it|- dim it|ask|");
	buf_release(&b);
}

static void test_docsum__items_of_a_numbered_list_are_no_titles(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_string_equal(
		section(&b,
			"4. Errors and fixes:\n   1. The lamp was dark\n   2. The clock ran late\n",
			"errors", NULL),
		"1. The lamp was dark|2. The clock ran late|");
	buf_release(&b);
}

static void test_docsum__ends_at_the_clients_own_words(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_string_equal(
		section(&b,
			"7. Pending Tasks:\n- flash it\nIf you need specific details from before compaction\n- x\n",
			"pending", NULL),
		"- flash it|");
	assert_string_equal(section(&b, "", "pending", NULL), "");
	buf_release(&b);
}

static void test_docsum__takes_any_cut_of_a_summary(void **state)
{
	static const char text[] =
		"Summary:\n7. **Pending Tasks**: one\n   - two\n8. Current Work:\nIf you need specific details\n";
	struct buf b = BUF_INIT(4096);
	char cut[sizeof(text)];
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(text); n++) {
		memcpy(cut, text, n);
		cut[n] = 0;
		section(&b, cut, "pending", "optional");
		assert_true(b.n <= n + 2);
	}
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docsum__finds_a_section_by_its_title_in_every_form),
		cmocka_unit_test(
			test_docsum__two_words_take_both_sections_and_blank_lines_are_left_out),
		cmocka_unit_test(test_docsum__items_of_a_numbered_list_are_no_titles),
		cmocka_unit_test(test_docsum__ends_at_the_clients_own_words),
		cmocka_unit_test(test_docsum__takes_any_cut_of_a_summary),
	};

	return cmocka_run_group_tests_name("docsum", tests, NULL, NULL);
}
