#include "session.h"
#include "work/tree.h"

/* A record of the shape "type id parent [flags]", one a line; see record_add. */
static struct {
	struct source src;
	struct transcript *t;
	struct tree *tree;
} now;

/*
 * The text has one record a line: a letter for its type (u prompt, a assistant text, c call,
 * r tool result, s system, k slash command, b boundary, x side chain, m mode, L last-prompt),
 * its uuid, its parent ("-" null), and for a boundary its logical parent.
 */
static void tree_of(const char *lines)
{
	struct buf text = BUF_INIT(1 << 24);
	str rest = str_of(lines), line;
	const struct record *r;

	while (str_line(&rest, &line)) {
		str kind, id, parent, logical = STR_NONE, words = line;
		const char *body = "";

		if (!str_word(&words, &kind))
			continue;
		assert_true(str_word(&words, &id));
		assert_true(str_word(&words, &parent));
		str_word(&words, &logical);
		switch (kind.p[0]) {
		case 'u':
			body = "\"type\":\"user\",\"message\":{\"content\":\"do it\"}";
			break;
		case 'k':
			body = "\"type\":\"user\",\"message\":{\"content\":\"<command-name>/x</command-name>\"}";
			break;
		case 'a':
			body = "\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}";
			break;
		case 'c':
			body = "\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"i\"}]}";
			break;
		case 'r':
			body = "\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"i\"}]}";
			break;
		case 's':
			body = "\"type\":\"system\",\"subtype\":\"turn_duration\"";
			break;
		case 'b':
			body = "\"type\":\"system\",\"subtype\":\"compact_boundary\"";
			break;
		case 'x':
			body = "\"type\":\"user\",\"isSidechain\":true,\"message\":{\"content\":\"side\"}";
			break;
		case 'L':
			buf_printf(&text,
				   "{\"type\":\"last-prompt\",\"leafUuid\":\"%.*s\"}\n",
				   STR_ARG(id));
			continue;
		case 'm':
			buf_add(&text, STR("{\"type\":\"mode\"}\n"));
			continue;
		default:
			fail_msg("what is %c", kind.p[0]);
		}
		buf_printf(&text, "{%s,\"uuid\":\"%.*s\"", body, STR_ARG(id));
		if (str_eq(parent, STR("-")))
			buf_add(&text, STR(",\"parentUuid\":null"));
		else
			buf_printf(&text, ",\"parentUuid\":\"%.*s\"", STR_ARG(parent));
		if (logical.n)
			buf_printf(&text, ",\"logicalParentUuid\":\"%.*s\"",
				   STR_ARG(logical));
		buf_add(&text, STR("}\n"));
	}
	test_dir();
	now.src = session_of(buf_str(&text));
	now.t = transcript_new(&now.src, 0, &TRANSCRIPT_CAPS_TREE);
	now.tree = tree_new();
	while (transcript_next(now.t, &r) == TRANSCRIPT_RECORD)
		tree_add(now.tree, r);
	tree_finish(now.tree);
	buf_release(&text);
}

static void tree_end(void)
{
	tree_free(now.tree);
	transcript_free(now.t);
	source_release(&now.src);
}

/* The abandoned records as "3-5 9", and the leaf, branches and phantoms. */
static void expect(const char *lines, const char *gone, uint64_t leaf, uint64_t branches,
		   uint64_t phantoms)
{
	struct buf b = BUF_INIT(4096);
	uint64_t first, last;

	tree_of(lines);
	for (size_t i = 0; tree_range(now.tree, i, &first, &last); i++) {
		if (b.n)
			buf_byte(&b, ' ');
		buf_u64(&b, first);
		if (last != first) {
			buf_byte(&b, '-');
			buf_u64(&b, last);
		}
		assert_true(tree_abandoned(now.tree, first));
		assert_true(tree_abandoned(now.tree, last));
		assert_false(tree_live(now.tree, first));
	}
	assert_str(buf_str(&b), str_of(gone));
	assert_int_equal(now.tree->leaf, leaf);
	assert_int_equal(now.tree->branches, branches);
	assert_int_equal(now.tree->phantoms, phantoms);
	if (leaf)
		assert_true(tree_live(now.tree, leaf));
	tree_end();
	buf_release(&b);
}

static void test_tree__a_plain_session_has_one_branch(void **s)
{
	(void)s;
	expect("u 1 -\na 2 1\ns 3 2\nu 4 3\nc 5 4\nr 6 5\na 7 6\n", "", 7, 0, 0);
	expect("", "", 0, 0, 0);
	expect("m 1 -\n", "", 0, 0, 0);
	expect("s 1 -\ns 2 1\n", "", 0, 0, 0);
}

static void test_tree__a_rewind_abandons_the_old_branch(void **s)
{
	(void)s;
	expect("u 1 -\na 2 1\ns 3 2\nu 4 3\nc 5 4\nr 6 5\na 7 6\nu 8 3\na 9 8\n", "4-7",
	       9, 1, 0);
	/* twice: one branch in the other */
	expect("u 1 -\na 2 1\nu 3 2\na 4 3\nu 5 4\na 6 5\nu 7 4\nu 8 2\na 9 8\n", "3-7",
	       9, 1, 0);
	/* two from the same place */
	expect("u 1 -\na 2 1\nu 3 2\nu 4 2\nu 5 2\na 6 5\n", "3-4", 6, 2, 0);
}

static void test_tree__parallel_results_are_no_rewind(void **s)
{
	(void)s;
	/* each result hangs on its own call; the next message on one of them */
	expect("u 1 -\nc 2 1\nc 3 2\nc 4 3\nr 5 2\nr 6 3\nr 7 4\na 8 7\n", "", 8, 0, 0);
	expect("u 1 -\nc 2 1\nc 3 2\nr 5 2\nr 6 3\na 8 5\n", "", 6, 0, 0);
}

static void test_tree__an_orphan_of_a_killed_session_is_no_rewind(void **s)
{
	(void)s;
	expect("u 1 -\na 2 1\nc 3 2\nu 4 2\na 5 4\n", "", 5, 0, 0);
}

static void test_tree__slash_commands_are_no_prompts(void **s)
{
	(void)s;
	expect("u 1 -\na 2 1\nk 3 2\nk 4 2\nk 5 2\nu 6 2\na 7 6\n", "", 7, 0, 0);
	/* a command below an abandoned prompt goes with it */
	expect("u 1 -\na 2 1\nu 3 2\nk 4 3\nu 6 2\na 7 6\n", "3-4", 6, 1, 0);
}

static void test_tree__phantom_parents_continue_at_the_record_before(void **s)
{
	(void)s;
	expect("u 1 gone\na 2 1\nu 3 lost\na 4 3\n", "", 4, 0, 2);
	expect("u 1 -\na 2 1\nu 3 -\na 4 3\n", "", 4, 0, 0);
}

static void test_tree__a_boundary_continues_at_its_logical_parent(void **s)
{
	(void)s;
	expect("u 1 -\na 2 1\nu 3 2\na 4 3\nu 5 2\na 6 5\nb 7 - 6\nu 8 7\na 9 8\n", "3-4",
	       9, 1, 0);
	/* and where that one is missing, at the record before it */
	expect("u 1 -\na 2 1\nb 3 - gone\nu 4 3\na 5 4\n", "", 5, 0, 0);
}

static void test_tree__order_in_the_file_does_not_matter(void **s)
{
	(void)s;
	expect("a 2 1\ns 3 2\nu 1 -\n", "", 1, 0, 0);
	expect("u 0 -\na 1 0\na 3 2\nu 2 1\na 5 4\nu 4 1\n", "3-4", 5, 1, 0);
}

static void test_tree__side_chains_do_not_count(void **s)
{
	(void)s;
	expect("u 1 -\nc 2 1\nx 3 -\nx 4 3\nr 5 2\na 6 5\n", "", 6, 0, 0);
	expect("x 1 -\nx 2 1\n", "", 0, 0, 0);
}

static void test_tree__last_prompt_tells_of_a_rewind_without_a_new_prompt(void **s)
{
	(void)s;
	expect("u 1 -\na 2 1\ns 3 2\nu 4 3\na 5 4\ns 6 5\nL 3 -\n", "4-6", 2, 1, 0);
	/* a leaf that only lags behind is no rewind */
	expect("u 1 -\na 2 1\nu 4 2\na 5 4\ns 6 5\nL 4 -\n", "", 4, 0, 0);
	/* one that stands before the last word means nothing */
	expect("u 1 -\na 2 1\nL 2 -\nu 4 2\na 5 4\n", "", 4 + 1, 0, 0);
	expect("u 1 -\na 2 1\nu 4 2\na 5 4\nL nowhere -\n", "", 4, 0, 0);
}

static void test_tree__circles_end(void **s)
{
	static const char *const circles[] = {
		"u 1 -\na 2 5\nu 3 2\na 4 3\na 5 4\n",
		"u 1 9\na 2 1\nu 9 8\na 8 9\nu 3 2\na 4 3\n",
		"s 1 3\ns 2 1\ns 3 2\na 4 3\nu 5 4\na 6 5\n",
		"u 1 2\nu 2 1\nu 3 4\nu 4 3\nu 5 6\nu 6 5\n",
		"b 1 - 3\nb 2 - 1\nb 3 - 2\na 4 3\n",
	};

	(void)s;
	expect("u 1 2\na 2 1\n", "", 2, 0, 0);
	expect("u 1 1\na 2 2\n", "", 2, 0, 0);
	/* who is abandoned in such a file is nobody's business: it has to end, with a leaf */
	for (size_t i = 0; i < sizeof(circles) / sizeof(circles[0]); i++) {
		uint64_t first, last;

		tree_of(circles[i]);
		assert_true(now.tree->leaf > 0 && now.tree->leaf <= 6);
		for (size_t k = 0; tree_range(now.tree, k, &first, &last); k++)
			assert_true(first <= last);
		tree_end();
	}
}

static void test_tree__duplicates_count_once(void **s)
{
	(void)s;
	expect("u 1 -\nu 1 -\na 2 1\na 2 1\nu 3 2\nu 3 2\na 4 3\na 4 3\n", "", 7, 0, 0);
}

static void test_tree__older_records_are_forgotten(void **s)
{
	struct buf text = BUF_INIT(64 << 20);
	struct source src;
	struct transcript *t;
	const struct record *r;
	struct tree *tree = tree_new();
	uint64_t n = TREE_RECORDS_MAX + 1000;

	(void)s;
	buf_add(&text,
		STR("{\"uuid\":\"r\",\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n"
		    "{\"uuid\":\"g\",\"parentUuid\":\"r\",\"type\":\"user\",\"message\":{\"content\":\"gone\"}}\n"));
	for (uint64_t i = 0; i < n; i++)
		buf_printf(
			&text,
			"{\"uuid\":\"%llu\",\"parentUuid\":\"%llu\",\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n",
			(unsigned long long)i + 1, (unsigned long long)i);
	buf_printf(
		&text,
		"{\"uuid\":\"h\",\"parentUuid\":\"%llu\",\"type\":\"user\",\"message\":{\"content\":\"gone\"}}\n"
		"{\"uuid\":\"e\",\"parentUuid\":\"%llu\",\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n",
		(unsigned long long)n, (unsigned long long)n);
	test_dir();
	src = session_of(buf_str(&text));
	t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_TREE);
	while (transcript_next(t, &r) == TRANSCRIPT_RECORD)
		tree_add(tree, r);
	tree_finish(tree);
	assert_int_equal(tree->forgotten, n + 4 - TREE_RECORDS_MAX);
	assert_int_equal(tree->leaf, n + 4);
	assert_int_equal(tree->branches, 1);
	assert_false(tree_abandoned(tree, 2));
	assert_true(tree_abandoned(tree, n + 3));
	assert_true(tree_live(tree, n + 2));
	tree_free(tree);
	transcript_free(t);
	source_release(&src);
	buf_release(&text);
}

/* ---- the fixtures ---- */

static void gone_in(const char *name, uint64_t branches, const char *first_words)
{
	struct buf path = BUF_INIT(4096);
	struct source src;
	struct transcript *t;
	const struct record *r;
	struct tree *tree = tree_new();
	uint64_t first, last;
	str said;

	buf_printf(&path, "fixtures/transcripts/%s.jsonl", name);
	src = session_open(buf_cstr(&path));
	t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_TREE);
	while (transcript_next(t, &r) <= TRANSCRIPT_LOSS)
		if (!t->tail_lost)
			tree_add(tree, r);
	tree_finish(tree);
	if (tree->branches != branches)
		fail_msg("%s: %llu branches", name, (unsigned long long)tree->branches);
	transcript_free(t);
	if (branches) {
		assert_true(tree_range(tree, 0, &first, &last));
		source_seek(&src, 0);
		t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_TREE);
		while (transcript_next(t, &r) == TRANSCRIPT_RECORD && r->n < first)
			;
		assert_int_equal(record_says(r, NULL, &said), SAYS_PROMPT);
		assert_str(said, str_of(first_words));
		transcript_free(t);
	}
	tree_free(tree);
	source_release(&src);
	buf_release(&path);
}

static void test_tree__of_the_fixtures(void **s)
{
	static const char *const plain[] = {
		"clean-exit",           "phantom-parent",    "parent-cycle",
		"inline-sidechains",    "parallel-results",  "resumed-after-kill",
		"answer-before-prompt", "dup-uuids-forked",  "fork-copy",
		"command-noise",        "progress-in-chain", "compact-manual",
		"compact-twice",        "compact-first",     "queued-command",
	};

	(void)s;
	gone_in("rewind-leaf", 1, "now make it blink");
	gone_in("rewind-no-leaf", 1, "now make it blink");
	gone_in("rewind-leaf-back", 1, "now make it blink");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		gone_in(plain[i], 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree__a_plain_session_has_one_branch),
		cmocka_unit_test(test_tree__a_rewind_abandons_the_old_branch),
		cmocka_unit_test(test_tree__parallel_results_are_no_rewind),
		cmocka_unit_test(test_tree__an_orphan_of_a_killed_session_is_no_rewind),
		cmocka_unit_test(test_tree__slash_commands_are_no_prompts),
		cmocka_unit_test(
			test_tree__phantom_parents_continue_at_the_record_before),
		cmocka_unit_test(test_tree__a_boundary_continues_at_its_logical_parent),
		cmocka_unit_test(test_tree__order_in_the_file_does_not_matter),
		cmocka_unit_test(test_tree__side_chains_do_not_count),
		cmocka_unit_test(
			test_tree__last_prompt_tells_of_a_rewind_without_a_new_prompt),
		cmocka_unit_test(test_tree__circles_end),
		cmocka_unit_test(test_tree__duplicates_count_once),
		cmocka_unit_test(test_tree__older_records_are_forgotten),
		cmocka_unit_test(test_tree__of_the_fixtures),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
