/* Sentences ours all of them. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "session.h"
#include "work/stated.h"

#define PROMPTS 37 /* in fixtures/stated/wrapped.txt */
#define PROMPT(n, words)                                                                 \
	(struct fact_prompt)                                                             \
	{                                                                                \
		.record = (n), .kind = FACT_PROMPT, .text = STR(words)                   \
	}

static void
test_stated__clauses_stand_once_in_their_order_with_their_strength(void **state)
{
	struct fact_prompt p[] = {
		PROMPT(3, "dim the lamp at night. never touch the cache; it is shared."),
		PROMPT(5, "this one is only for now"),
		PROMPT(9, "do not push"),
		PROMPT(11, "Do not push!"),
		{.record = 12, .kind = FACT_EVENT, .text = STR("never mind the gap")},
		{.record = 13, .kind = FACT_SLASH, .text = STR("/lamp never dim it")},
	};
	struct fact_answer a[] = {
		{.record = 15, .answer = STR("never on Sunday"), .own = true},
		{.record = 16, .answer = STR("never on Monday")}};
	struct fact_refused r[] = {
		{.record = 17,
		 .tool = STR("Bash"),
		 .words = STR("that is the wrong lamp")},
		{.record = 18, .tool = STR("AskUserQuestion"), .words = STR("later")},
		{.record = 19, .tool = STR("Bash")}};
	struct facts f = {.prompt = p,
			  .nprompt = 6,
			  .answer = a,
			  .nanswer = 2,
			  .refused = r,
			  .nrefused = 3};
	struct stated *s = stated_of(&f);

	(void)state;
	assert_int_equal(s->n, 5);
	assert_str(s->item[0].text, STR("never touch the cache; it is shared."));
	assert_int_equal(s->item[0].record, 3);
	assert_int_equal(s->item[0].strength, 3);
	assert_int_equal(s->item[1].strength, 1);
	assert_str(s->item[2].text, STR("do not push"));
	assert_str(s->item[3].text, STR("never on Sunday"));
	assert_str(s->item[4].text, STR("that is the wrong lamp"));
	assert_true(stated_any(&f));
	f.nprompt = 2;
	f.prompt = p + 1;
	f.nanswer = f.nrefused = 0;
	f.nprompt = 1;
	assert_false(stated_any(&f)); /* a reserve alone */
	stated_free(s);
	stated_free(NULL);
}

static void test_stated__of_too_many_the_newest_stay(void **state)
{
	static char words[STATED_MAX + 50][40];
	static struct fact_prompt p[STATED_MAX + 50];
	struct facts f = {.prompt = p, .nprompt = STATED_MAX + 50};
	struct stated *s;

	(void)state;
	for (size_t i = 0; i < f.nprompt; i++) {
		snprintf(words[i], sizeof(words[i]), "never touch room %zu", i);
		p[i] = (struct fact_prompt){.record = i + 1, .text = str_of(words[i])};
	}
	s = stated_of(&f);
	assert_int_equal(s->n, STATED_MAX);
	assert_str(s->item[0].text, STR("never touch room 50"));
	stated_free(s);
}

static void test_stated__of_a_long_prompt_only_the_ends_are_somebodys_words(void **state)
{
	struct buf b = BUF_INIT(1 << 16);
	struct fact_prompt p = {.record = 1};
	struct facts f = {.prompt = &p, .nprompt = 1};
	struct stated *s;

	(void)state;
	buf_add(&b, STR("Never flash it at night.\n"));
	for (int i = 0; i < 60; i++)
		buf_add(&b, STR("The lamp is a lamp and stands in the hall.\n"));
	buf_add(&b, STR("Do not read this middle.\n"));
	for (int i = 0; i < 60; i++)
		buf_add(&b, STR("The lamp is a lamp and stands in the hall.\n"));
	buf_add(&b, STR("Do not push it."));
	p.text = buf_str(&b);
	s = stated_of(&f);
	assert_int_equal(s->n, 2);
	assert_str(s->item[0].text, STR("Never flash it at night."));
	assert_str(s->item[1].text, STR("Do not push it."));
	stated_free(s);
	buf_release(&b);
}

static void test_stated__the_same_words_are_the_same(void **state)
{
	(void)state;
	assert_true(stated_same(STR("Don't touch X."), STR("dont touch x")));
	assert_true(stated_same(STR("不要 改"), STR("不要改")));
	assert_false(stated_same(STR("do not push"), STR("do not push it")));
	assert_false(stated_same(STR("不要改"), STR("不要")));
	assert_true(stated_same(STR(""), STR("!")));
}

/* What was found plain when the prompt was noted is passed over, and nothing else. */
static void test_stated__plain_clauses_are_looked_through_once(void **state)
{
	struct fact_prompt p = {
		.record = 3,
		.kind = FACT_PROMPT,
		.text = STR("Please mend the old gate in the yard. Never touch "
			    "the fence. Then paint the gate in green.")};
	struct facts f = {.prompt = &p, .nprompt = 1};
	struct stated *s;

	(void)state;
	p.plain = stated_plain(&p);
	assert_int_equal(~p.plain, 2);
	s = stated_of(&f);
	assert_int_equal(s->n, 1);
	assert_str(s->item[0].text, STR("Never touch the fence."));
	stated_free(s);
	p.plain = UINT64_MAX;
	s = stated_of(&f);
	assert_int_equal(s->n, 0);
	stated_free(s);
}

/* The prompts of fixtures/stated/wrapped.txt, each with what it states and nothing else. */
static void check_wrapped(const char *name, str text, const str *want, size_t n)
{
	struct fact_prompt p = {.record = 1, .kind = FACT_PROMPT, .text = text};
	struct facts f = {.prompt = &p, .nprompt = 1};
	struct stated *s;

	p.plain = stated_plain(&p);
	s = stated_of(&f);
	for (size_t i = 0; i < s->n || i < n; i++) {
		str got = i < s->n ? s->item[i].text : STR("(nothing)");
		str wanted = i < n ? want[i] : STR("(nothing)");

		if (!str_eq(got, wanted))
			fail_msg("%s: \"%.*s\" instead of \"%.*s\"", name, STR_ARG(got),
				 STR_ARG(wanted));
	}
	stated_free(s);
}

static void test_stated__a_break_inside_a_sentence_ends_nothing(void **state)
{
	str rest = session_read("fixtures/stated/wrapped.txt"), line;
	struct buf text = BUF_INIT(1 << 16);
	char name[80] = "";
	str want[8];
	size_t n = 0, prompts = 0;

	(void)state;
	while (str_line(&rest, &line)) {
		if (str_starts(line, STR("= "))) {
			if (prompts++)
				check_wrapped(name, buf_str(&text), want, n);
			snprintf(name, sizeof(name), "%.*s", STR_ARG(line));
			buf_reset(&text);
			n = 0;
		} else if (str_starts(line, STR("|"))) {
			buf_add(&text, str_from(line, 1));
			buf_byte(&text, '\n');
		} else if (str_starts(line, STR("+ "))) {
			assert_true(n < 8);
			want[n++] = str_from(line, 2);
		}
	}
	check_wrapped(name, buf_str(&text), want, n);
	assert_int_equal(prompts, PROMPTS);
	buf_release(&text);
}

/* How many of the sentences with this label, each broken at one of its blanks, state something; whole: and all of it. */
static size_t broken(char label, size_t *breaks, size_t *whole)
{
	str rest = session_read("fixtures/stated/labels.txt"), line;
	size_t states = 0;
	char text[512];

	while (str_line(&rest, &line)) {
		if (line.n < 3 || line.n > sizeof(text) || line.p[0] != label)
			continue;
		line = str_from(line, 2);
		for (size_t i = 0; i < line.n; i++) {
			struct fact_prompt p = {.record = 1, .kind = FACT_PROMPT};
			struct facts f = {.prompt = &p, .nprompt = 1};
			struct stated *s;
			bool all;

			if (line.p[i] != ' ')
				continue;
			memcpy(text, line.p, line.n);
			text[i] = '\n';
			p.text = (str){text, line.n};
			s = stated_of(&f);
			++*breaks;
			states += s->n > 0;
			all = s->n && stated_same(s->item[0].text, line);
			*whole += all;
			if (getenv("HANDOFF_LABELS") && (label == '+' ? !all : s->n > 0))
				print_message("%c %.*s\n", label, STR_ARG(p.text));
			stated_free(s);
		}
	}
	return states;
}

static void test_stated__wherever_a_sentence_is_broken_it_states_the_same(void **state)
{
	size_t breaks = 0, whole = 0, states;

	(void)state;
	states = broken('+', &breaks, &whole);
	print_message("broken orders: of %zu, %zu state something, %zu all\n", breaks,
		      states, whole);
	assert_true(states * 20 >= breaks * 18);
	assert_true(whole * 20 >= breaks * 17);
	breaks = whole = 0;
	states = broken('-', &breaks, &whole);
	print_message("other broken sentences: of %zu, %zu state something\n", breaks,
		      states);
	assert_true(states * 20 <= breaks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_stated__wherever_a_sentence_is_broken_it_states_the_same),
		cmocka_unit_test(test_stated__a_break_inside_a_sentence_ends_nothing),
		cmocka_unit_test(test_stated__plain_clauses_are_looked_through_once),
		cmocka_unit_test(
			test_stated__clauses_stand_once_in_their_order_with_their_strength),
		cmocka_unit_test(test_stated__of_too_many_the_newest_stay),
		cmocka_unit_test(
			test_stated__of_a_long_prompt_only_the_ends_are_somebodys_words),
		cmocka_unit_test(test_stated__the_same_words_are_the_same),
	};

	return cmocka_run_group_tests_name("stated", tests, NULL, NULL);
}
