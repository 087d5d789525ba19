#include "fault.h"
#include "work/prose.h"

static void tokens(str text, const char *want)
{
	static const char kinds[] = {'p', 'i', 't', 'n'};
	struct buf got = BUF_INIT(1000);
	struct prose_token t;
	bool tick = false;
	size_t it = 0;

	while (prose_token(text, &it, &tick, &t))
		buf_printf(&got, "%s%c:%.*s", got.n ? " " : "", kinds[t.kind],
			   STR_ARG(t.text));
	assert_string_equal(buf_cstr(&got), want);
	buf_release(&got);
}

static void test_prose__finds_paths_identifiers_numbers_and_ticked_words(void **state)
{
	(void)state;
	tokens(STR("Edit ./src/door.c:12 and README.md."), "p:src/door.c p:README.md");
	tokens(STR("call openDoor() or door_open, not door."), "i:openDoor i:door_open");
	tokens(STR("set `flag` to 8080 (or 80)"), "t:flag n:8080");
	tokens(STR("a `span\nends at the line` so word"), "");
	tokens(STR("@docs/plan.md, std::vector and pkg.Func."),
	       "p:docs/plan.md i:pkg.Func");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_prose__finds_paths_identifiers_numbers_and_ticked_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
