#include "fault.h"
#include "work/prose.h"
#include "base/utf8.h"

#include <stdlib.h>

#define COUNT(a)   (sizeof(a) / sizeof *(a))
#define ELLIPSIS   " \xE2\x80\xA6"
#define ARENA_SIZE ((size_t)1 << 20)

/* ---- tokens ---- */

static void tokens(str text, const char *want)
{
	static const char kinds[] = {'p', 'i', 't', 'n'};
	struct buf got = BUF_INIT(4000);
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
	tokens(STR("@docs/plan.md, std::vector and pkg.Func."),
	       "p:docs/plan.md i:pkg.Func");
	tokens(STR("use node.js or e.g. vue.js"), "i:node.js i:vue.js");
	tokens(STR("docs/ and docs/old/ and 1/2/"), "p:docs/old/");
}

static void test_prose__a_backtick_without_another_on_its_line_opens_nothing(void **state)
{
	(void)state;
	tokens(STR("a `span\nends at the line` so word"), "");
	tokens(STR("it`s fine, `flag` too"), "t:flag");
	tokens(STR("`open\n`flag` here"), "t:flag");
}

static void test_prose__knows_paths_with_backslashes(void **state)
{
	(void)state;
	tokens(STR("open C:\\Users\\dev\\lantern\\src\\dim.c."),
	       "p:C:\\Users\\dev\\lantern\\src\\dim.c");
	tokens(STR("src\\lamp\\dim.c"), "p:src\\lamp\\dim.c");
	tokens(STR("\"one\\ntwo.c\""), "p:ntwo.c");
	tokens(STR("C:\\"), "");
	tokens(STR("a\\"), "");
}

static void test_prose__path_is_told_by_its_ending_or_its_slashes(void **state)
{
	static const char *const yes[] = {"src/dim.c", "dim.c",      "a/b/",
					  "../x.py",   "~/x/y.toml", "Makefile.lock"};
	static const char *const no[] = {"a.c",        "src/dim", "-x.c", "//x.c",
					 "@x.c",       "",        "1.py", "node.js",
					 "src/di m.c", "x.c/y",   ".env"};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_true(prose_is_path(str_of(yes[i])));
	for (size_t i = 0; i < COUNT(no); i++)
		assert_false(prose_is_path(str_of(no[i])));
}

static void test_prose__compound_has_an_inner_border(void **state)
{
	static const char *const yes[] = {"openDoor", "door_open", "pkg.Func", "a/bcde",
					  "lamp:dim"};
	static const char *const no[] = {"door",  "Doors", "DOORS", "door_",
					 "1_2_3", "",      "abcd"};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_true(prose_is_compound(str_of(yes[i])));
	for (size_t i = 0; i < COUNT(no); i++)
		assert_false(prose_is_compound(str_of(no[i])));
}

static void test_prose__names_what_a_line_of_code_defines(void **state)
{
	static const struct {
		const char *line, *name;
	} rows[] = {
		{"func (s *Server) Handle(w http.ResponseWriter) {", "Handle"},
		{"def close_door(self):", "close_door"},
		{"export default async function openDoor() {", "openDoor"},
		{"  class Lamp:", "Lamp"},
		{"pub fn dims(x: u8) -> u8 {", "dims"},
		{"const LEVELS = [1]", "LEVELS"},
		{"  const inner = 1", ""},
		{"return door", ""},
		{"def", ""},
		{"", ""},
		{"func (", ""},
		{"func (s", ""},
		{"class A:", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		str got = prose_defines(str_of(rows[i].line));

		assert_true(str_eq(got, str_of(rows[i].name)));
	}
}

/* ---- cutting ---- */

static void cut(const char *s, size_t n, const char *want)
{
	struct buf b = BUF_INIT(1000);

	prose_cut(&b, str_of(s), n);
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_prose__cuts_at_a_sentence_else_at_a_word(void **state)
{
	(void)state;
	cut("short", 10, "short");
	cut("one two. three four", 12, "one two." ELLIPSIS);
	cut("one two three four", 12, "one two" ELLIPSIS);
	cut("onetwothreefour", 12, "onetwothreef" ELLIPSIS);
	cut("a bcdefghijklmnop", 12, "a bcdefghijk" ELLIPSIS);
	cut("\xC3\xA4\xC3\xA4\xC3\xA4", 3, "\xC3\xA4" ELLIPSIS);
}

static void tail(const char *s, size_t n, const char *want)
{
	struct buf b = BUF_INIT(1000);

	prose_tail(&b, str_of(s), n);
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_prose__tail_begins_at_a_border(void **state)
{
	(void)state;
	tail("short", 10, "short");
	tail("one two. three four five six", 22, "\xE2\x80\xA6 three four five six");
	tail("one two three four", 12, "\xE2\x80\xA6 three four");
}

static void test_prose__squeezes_white_space(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	prose_squeeze(&b, STR("  a\n\t b  c "));
	assert_string_equal(buf_cstr(&b), "a b c");
	buf_release(&b);
}

static void test_prose__plain_text_has_no_escape_sequences(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"\033[31mred\033[0m", "red"},
		{"a\rb", "a b"},
		{"a\tb\nc", "a\tb\nc"},
		{"x\033", "x"},
		{"x\033[", "x"},
		{"x\033[12", "x"},
		{"x\033[12\ny", "x\ny"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = BUF_INIT(100);

		prose_plain(&b, str_of(rows[i].in));
		assert_string_equal(buf_cstr(&b), rows[i].out);
		buf_release(&b);
	}
}

/* ---- sentences ---- */

static void sentences(const char *text, bool lower, const char *want)
{
	struct buf got = BUF_INIT(4000);
	struct arena a;
	str s[64];
	size_t n;

	arena_init(&a, ARENA_SIZE);
	n = prose_sentences(&a, str_of(text), lower, s, COUNT(s));
	for (size_t i = 0; i < n; i++)
		buf_printf(&got, "%s%.*s", i ? "|" : "", STR_ARG(s[i]));
	assert_string_equal(buf_cstr(&got), want);
	buf_release(&got);
	arena_release(&a);
}

static void test_prose__cuts_texts_into_sentences(void **state)
{
	(void)state;
	sentences("The lamp is dimmed now. The lamp test still fails. It is e.g. Late.",
		  false,
		  "The lamp is dimmed now.|The lamp test still fails.|It is e.g. Late.");
	sentences("Version 2.0 of the door is open. and then", false,
		  "Version 2.0 of the door is open. and then");
	sentences("please open the door. then close it", true,
		  "please open the door.|then close it");
	sentences("see `a. B` for the door of all. Then", false,
		  "see `a. B` for the door of all.|Then");
}

static void test_prose__wide_full_stops_end_sentences(void **state)
{
	(void)state;
	sentences(
		"\xE7\x81\xAF\xE3\x80\x82\xE4\xB8\x8D\xE8\xA6\x81\xE6\x94\xB9\xE3\x80\x82",
		true,
		"\xE7\x81\xAF\xE3\x80\x82|\xE4\xB8\x8D\xE8\xA6\x81\xE6\x94\xB9\xE3\x80\x82");
}

static void test_prose__headings_items_tables_and_fences(void **state)
{
	(void)state;
	sentences("## Next steps:\n\n- Open the door\n* Close it\n12. Sleep well", false,
		  "Next steps: Open the door|- Close it|- Sleep well");
	sentences("| a door | open |\n|---|---|\n---\n> quoted words", false,
		  "a door | open|quoted words");
	sentences("Run this:\n```sh\nmake door\nmake test\n```\nDone with it.", false,
		  "Run this: `make door` `make test`|Done with it.");
	sentences("No colon\n```\ncode\n```\nAfter it", false, "No colon|After it");
	sentences("Never ends:\n```\ncode", false, "Never ends:");
	sentences("The **bold** word\n<b>tagged words</b>", false,
		  "The bold word|tagged words");
	sentences("# heading only", false, "");
	sentences("", false, "");
}

/* The sentences with " … " where something is in none of them. */
static void holes(const char *text, size_t max, const char *want)
{
	struct buf got = BUF_INIT(4000);
	struct arena a;
	bool hole[17];
	str s[16];
	size_t n;

	arena_init(&a, ARENA_SIZE);
	n = prose_sentences_holes(&a, str_of(text), false, s, hole, max);
	for (size_t i = 0; i < n; i++)
		buf_printf(&got, "%s%.*s", hole[i] ? "…" : i ? "|" : "", STR_ARG(s[i]));
	if (hole[n])
		buf_add(&got, STR("…"));
	assert_string_equal(buf_cstr(&got), want);
	buf_release(&got);
	arena_release(&a);
}

static void test_prose__what_is_in_no_sentence_leaves_a_hole(void **state)
{
	(void)state;
	holes("The lamp is dimmed now. The lamp test still fails.", 16,
	      "The lamp is dimmed now.|The lamp test still fails.");
	holes("## Lamp\n\n- is dimmed\n---\n|---|---|\n> quoted words", 16,
	      "Lamp: is dimmed|quoted words");
	holes("No colon\n```\ncode\n```\nAfter it", 16, "No colon…After it");
	holes("Run it:\n```\nmake door\n```\nDone now", 16,
	      "Run it: `make door`|Done now");
	holes("Run it:\n```\na 1\nb 2\nc 3\nd 4\n```\nDone now", 16,
	      "Run it: `a 1` `b 2` `c 3`…Done now");
	holes("First words\nno\nLast words", 16, "First words…Last words");
	holes("# One\n# Two\nWords here\n# Three", 16, "…Two: Words here…");
	holes("One word\nTwo words\nThree words", 2, "One word|Two words…");
	holes("Never ends:\n```\ncode", 16, "Never ends:…");
	holes("Head of it\n…\nTail of it", 16, "Head of it…Tail of it");
	holes("", 16, "");
}

static void test_prose__a_full_arena_or_list_gives_fewer_sentences(void **state)
{
	static const char text[] =
		"# Head\nThe **door** is open: now\n- one item\n- two items\n";
	struct arena a;
	str s[8];
	size_t n;

	(void)state;
	for (size_t room = 0; room < 200; room++) {
		arena_init(&a, room);
		n = prose_sentences(&a, STR(text), false, s, COUNT(s));
		assert_true(n <= 3);
		for (size_t i = 0; i < n; i++)
			assert_true(s[i].n > 0);
		arena_release(&a);
	}
	arena_init(&a, ARENA_SIZE);
	assert_int_equal(prose_sentences(&a, STR(text), false, s, 2), 2);
	arena_release(&a);
}

static void test_prose__values_causes_over_chatter(void **state)
{
	static const char *const rising[] = {
		"Let me look at the file now and then:",
		"The lamp has three levels in all of the rooms.",
		"I added `dim` to the lamp's own levels table.",
		"Root cause: the clock was never reset because `tick` failed.",
	};
	float before = -1;

	(void)state;
	for (size_t i = 0; i < COUNT(rising); i++) {
		float v = prose_value(str_of(rising[i]));

		assert_true(v > before);
		before = v;
	}
	assert_true(prose_value(STR("")) >= 0);
	assert_true(prose_asks(STR("dim?")) && prose_asks(STR("灯？")));
	assert_false(prose_asks(STR("dim.")));
}

static void test_prose__tells_constraints_in_several_languages(void **state)
{
	static const struct {
		const char *clause;
		int want;
	} rows[] = {
		{"Never touch config/prod.yaml.", 3},
		{"do not push", 3},
		{"ok, but do not push", 3},
		{"no do not touch the cache", 3},
		{"push it, and never touch the cache", 2},
		{"fix the lamp, do not push yet", 2},
		{"we are not ready to announce this yet", 1},
		{"Bitte nichts committen, bevor ich es gesehen habe.", 3},
		{"\xD0\x9D\xD0\xB5 \xD1\x82\xD1\x80\xD0\xBE\xD0\xB3\xD0\xB0\xD0\xB9 "
		 "\xD1\x84\xD0\xB0\xD0\xB9\xD0\xBB docs/plan.md.",
		 3},
		{"\xE4\xB8\x8D\xE8\xA6\x81\xE4\xBF\xAE\xE6\x94\xB9 src/wire.c\xE3\x80\x82",
		 3},
		{"\xE5\xA4\x89\xE6\x9B\xB4\xE3\x81\x97\xE3\x81\xAA\xE3\x81\x84\xE3\x81\xA7\xE3"
		 "\x81\x8F\xE3\x81\xA0\xE3\x81\x95\xE3\x81\x84\xE3\x80\x82",
		 3},
		{"No toques la rama main.", 3},
		{"Ne touche pas au fichier", 3},
		{"I don't think the clock matters", 0},
		{"don't know about the clock", 0},
		{"why do we never test the clock?", 0},
		{"can you never do that again", 0},
		{"no modifications needed here", 0},
		{"10:00:00 lamp[7]: never touch this line again, error 0", 0},
		{"lamp[7]: never touch this", 0},
		{"2026-01-02T03:04:05Z do not retry, never", 0},
		{"at never.touch (door.js:1:2)", 0},
		{"never", 0},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (prose_constraint(str_of(rows[i].clause)) != rows[i].want)
			fail_msg("%s: %d", rows[i].clause,
				 prose_constraint(str_of(rows[i].clause)));
	}
}

static void test_prose__fillers_say_nothing_in_any_language(void **state)
{
	static const char *const yes[] = {
		"yes",
		"OK, continue please!",
		"go on then",
		"alright, keep going",
		"thanks, continue",
		"\xD0\x94\xD0\xB0, \xD0\xBF\xD1\x80\xD0\xBE\xD0\xB4\xD0\xBE\xD0\xBB\xD0\xB6\xD0"
		"\xB0\xD0\xB9",
		"ja, weiter",
		"\xE5\xA5\xBD\xE7\x9A\x84\xEF\xBC\x8C\xE7\xBB\xA7\xE7\xBB\xAD",
		"\xF0\x9F\x91\x8D",
		"",
	};
	static const char *const no[] = {"ok cap the retries at three", "no",
					 "yes yes yes yes yes yes yes",
					 "continue with dim.c", "\xE7\x81\xAF"};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_true(prose_is_filler(str_of(yes[i])));
	for (size_t i = 0; i < COUNT(no); i++)
		assert_false(prose_is_filler(str_of(no[i])));
}

/* ---- commands ---- */

static void command(const char *raw, const char *want)
{
	struct buf b = BUF_INIT(1000);

	prose_command(&b, str_of(raw));
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_prose__a_thought_may_be_taken_back(void **state)
{
	static const char first[] =
		"A default parameter breaks the rule, so I should pass `lamp_level` instead.";

	(void)state;
	assert_true(
		prose_takes_back(STR("Adding lamp_level as a default parameter actually "
				     "follows the rule."),
				 STR(first)));
	assert_true(prose_takes_back(
		STR("Wait, a default parameter does not break that rule."), STR(first)));
	/* of something else; a thought that goes on */
	assert_false(prose_takes_back(STR("Actually the hall is dark."), STR(first)));
	assert_false(prose_takes_back(
		STR("The default parameter lamp_level breaks the rule twice."),
		STR(first)));
	assert_false(prose_takes_back(STR(""), STR("")));
}

static void test_prose__commands_become_one_line(void **state)
{
	(void)state;
	command("cd /home/dev && make  test", "make test");
	command("cd a\n# a comment\ncd b && make", "make");
	command("cd /home/dev", "cd /home/dev");
	command("make\n\nmake test\n", "make; make test");
	command("make \\\n  test", "make test");
	command("echo 'a\nb'", "echo 'a; b'");
	command("it's\nlate", "it's late");
	command("git commit -F - <<'EOF'\nsubject\nEOF",
		"git commit -F - <<'EOF' subject" ELLIPSIS);
	command("python3 - <<'PY'\nimport json\n\n# counts\ncount = 3\nprint(count)\nPY\nmake",
		"python3 - <<'PY' count = 3" ELLIPSIS "; make");
	command("cat > a.md <<'EOF'\nwords of a file\nEOF",
		"cat > a.md <<'EOF'" ELLIPSIS);
	command("python3 -c \"\nimport json\nfor a in b:\n  print(a)\n\"",
		"python3 -c \"import json; for a in b: print(a); \"");
	command("gh api -f query='\n{\n  a {\n b\n }\n}'",
		"gh api -f query='{ a { b } }'");
	command("git commit -m \"it's\n- one\" && make\nmake test",
		"git commit -m \"it's; - one\" && make; make test");
	command("git add x\ngit commit -m \"$(cat <<'EOF'\nit's a; subject\n\nbody\nEOF\n)\"\ngit push "
		"2>&1 | tail -3",
		"git add x; git commit -m \"$(cat <<'EOF'" ELLIPSIS
		")\"; git push 2>&1 | tail -3");
	command("cat >a <<A\n1\nA\ncat >b <<-B\n2\n\tB\nmake",
		"cat >a <<A" ELLIPSIS "; cat >b <<-B" ELLIPSIS "; make");
	command("echo $((1<<3))\nmake", "echo $((1<<3)); make");
	command("cat <<EOF\nnever ends", "cat <<EOF never ends" ELLIPSIS);
	command("grep x <<<\"$a\"\nmake", "grep x <<<\"$a\"; make");
	command("cat << EOF", "cat << EOF");
	command("", "");
}

static void shortened(const char *raw, size_t max, const char *want)
{
	struct buf b = BUF_INIT(1000);

	prose_command_short(&b, str_of(raw), max);
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_prose__a_long_command_loses_the_middle_of_its_scripts(void **state)
{
	(void)state;
	shortened("make test", 9, "make test");
	shortened(
		"python3 -c \"import json, sys; # read; data = json.load(sys.stdin); "
		"print(data['lamp'], data['hall'], data['door'])\" < a.json > b.txt && make b",
		100,
		"python3 -c \"… data = json.load(sys.stdin); print(data['lamp']," ELLIPSIS
		"\" < a.json > b.txt && make b");
	shortened(
		"git commit -m \"lamp: dim it in steps; - the steps are even; - the last one is off; "
		"- nothing else\" && git push",
		70,
		"git commit -m \"lamp: dim it in steps; - the steps are" ELLIPSIS
		"\" && git push");
	/* the longest gives way first, a short one stays whole */
	shortened(
		"node -e 'const a = 1; const b = 2; const c = 3; const d = 4; run(a, b)' --name "
		"\"lamp in the hall\"",
		80,
		"node -e 'const a = 1; const b = 2; const c = 3;" ELLIPSIS
		"' --name \"lamp in the hall\"");
	/* of PowerShell; one that does not end */
	shortened(
		"git commit -q -m @' lamp: dim it in steps, as \"owner\" said, and nothing else at "
		"all '@; git push",
		70,
		"git commit -q -m @' lamp: dim it in steps, as \"owner\"" ELLIPSIS
		"'@; git push");
	shortened(
		"python3 -c \"a = 1; b = 2; c = 3; d = 4; e = 5; f = 6; g = 7; h = 8; i = 9",
		40, "python3 -c \"a = 1; b = 2; c = 3; d = 4;" ELLIPSIS);
	/* nothing quoted: its end */
	shortened("find one two three four five six seven", 20,
		  "find one two three" ELLIPSIS);
}

static void test_prose__core_is_without_what_only_shapes_the_output(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"make test 2>&1 | tail -20", "make test"},
		{"make test 2>/dev/null || true", "make test"},
		{"make | head", "make"},
		{"a || head -1", "a || head -1"},
		{"make | grep error", "make | grep error"},
		{"2>&1", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		str got = prose_command_core(str_of(rows[i].in));

		assert_true(str_eq(got, str_of(rows[i].out)));
	}
}

static void test_prose__family_is_program_and_sub_command(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"git commit -m x", "git commit"},
		{"LEVEL=3 sudo make test", "make test"},
		{"npm run test:unit -- x", "npm run test:unit"},
		{"go test ./...", "go test"},
		{"./build/door --open", "./build/door"},
		{"lamp 2>&1", "lamp"},
		{"a=1 b", "a=1 b"},
		{"| x", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = BUF_INIT(100);

		prose_family(&b, str_of(rows[i].in));
		assert_string_equal(buf_cstr(&b), rows[i].out);
		buf_release(&b);
	}
}

static void test_prose__sorts_commands(void **state)
{
	(void)state;
	assert_true(prose_is_check(STR("make test")));
	assert_true(prose_is_check(STR("npm run lint:fix")));
	assert_true(prose_is_check(STR("./scripts/run-tests.sh fast")));
	assert_true(prose_is_check(STR("uv run pytest -q")));
	assert_true(prose_is_check(STR("python test_lamp.py")));
	assert_true(prose_is_check(STR("python -m unittest -v")));
	assert_true(prose_is_check(STR("node --test lamp")));
	assert_true(prose_is_check(STR("go test ./...")));
	assert_true(prose_is_check(STR("bash lamp_test.sh")));
	assert_false(prose_is_check(STR("Write-Host \"now scripts/check.sh\"")));
	assert_false(prose_is_check(STR("echo scripts/check.sh")));
	assert_false(prose_is_check(STR("git commit -m test")));
	assert_false(prose_is_check(STR("make door && test")));
	assert_false(prose_is_check(STR("grep test")));
	/* a formatter checks only where it is told to look */
	assert_false(prose_is_check(STR("uv run ruff format src/dim.py")));
	assert_false(prose_is_check(
		STR("uv run ruff format tests/test_lamp.py test_hall.py")));
	assert_false(prose_is_check(STR("npm run format")));
	assert_false(prose_is_check(STR("prettier --write .")));
	assert_false(prose_is_check(STR("gofmt -w dim.go | cat test")));
	assert_true(
		prose_is_check(STR("mise run fmt && mise run lint && mise run test")));
	assert_false(prose_is_check(STR("gofmt -w dim.go")));
	assert_true(prose_is_check(STR("ruff .")));
	assert_true(prose_is_check(STR("uv run ruff format --check src/dim.py")));
	assert_true(prose_is_check(STR("npm run format:check")));
	assert_true(prose_is_check(STR("npx prettier --check .")));
	assert_true(prose_is_check(STR("cargo fmt --all -- --check")));
	assert_true(prose_is_check(STR("gofmt -l .")));
	assert_true(prose_is_check(STR("make format test")));
	assert_true(prose_is_check(STR("npm test -- format")));
	assert_false(prose_is_check(STR("")));
	assert_true(prose_is_explore(STR("ls -l")));
	assert_false(prose_is_explore(STR("lsof")));
	assert_true(prose_is_act(STR("git push origin")));
	assert_false(prose_is_act(STR("git log")));
}

static void test_prose__knows_whose_status_a_command_has(void **state)
{
	(void)state;
	assert_true(prose_shrugs(STR("grep x dim.c")));
	assert_true(prose_shrugs(STR("make; grep -c 'a|b' dim.c")));
	assert_true(prose_shrugs(STR("for f in a b; do cat $f; done | grep x")));
	assert_true(prose_shrugs(STR("git diff --exit-code")));
	assert_false(prose_shrugs(STR("grep x dim.c && make")));
	assert_false(prose_shrugs(STR("make 2>&1")));
	assert_false(prose_shrugs(STR("")));
	assert_true(prose_is_piped(STR("make | tail -3")));
	assert_false(prose_is_piped(STR("make || true")));
	assert_false(prose_is_piped(STR("echo 'a | b'")));
	assert_false(prose_is_piped(STR("echo \"a | b")));
	assert_false(prose_is_piped(STR("make > x 2>&1")));
}

static void parts(const char *text, bool pipes, const char *want)
{
	struct buf b = BUF_INIT(1000);
	size_t it = 0;
	str part;

	while (prose_command_part(str_of(text), pipes, &it, &part)) {
		if (b.n)
			buf_add(&b, STR(" / "));
		buf_add(&b, part);
	}
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_prose__a_list_of_commands_has_parts(void **state)
{
	(void)state;
	parts("git add x && git commit -m 'a; b' ; git push 2>&1 | tail -3", false,
	      "git add x / git commit -m 'a; b' / git push 2>&1 | tail -3");
	parts("git push 2>&1 | tail -3 || true &", true,
	      "git push 2>&1 / tail -3 / true");
	parts("make >x.log 2>&1 &", false, "make >x.log 2>&1");
	parts("make &>x.log", false, "make &>x.log");
	parts("for f in a b; do sudo rm $f; done", false, "for f in a b / rm $f / done");
	parts("(cd x; make)", false, "cd x / make)");
	parts("echo \"a && \\\" b\" && ls", false, "echo \"a && \\\" b\" / ls");
	parts("a\nb", false, "a / b");
	parts("echo \\", false, "echo \\");
	parts("do", false, "");
	parts(" ; && ", false, "");
	assert_true(
		str_eq(prose_git_verb(STR("git -C /x --no-pager log -1")), STR("log")));
	assert_true(str_eq(prose_git_verb(STR("/usr/bin/git push")), STR("push")));
	assert_int_equal(prose_git_verb(STR("git")).n, 0);
	assert_int_equal(prose_git_verb(STR("legit push")).n, 0);
}

static void test_prose__knows_what_only_reads(void **state)
{
	static const char *const yes[] = {
		"cd src && ls; git status",
		"grep 'a|b > c' x | head -3",
		"for f in a b; do wc -l $f; done",
		"if test -f x; then cat x; fi 2>/dev/null",
		"gh pr view 12",
		"echo building; sleep 300",
	};
	static const char *const no[] = {
		"ls > files",
		"echo $(rm x)",
		"echo \"`make`\"",
		"find . -delete",
		"ls | xargs rm",
		"git status && git stash",
		"find . -exec rm {} ;",
		"sed -i s/a/b/ x",
		"for f in a; do rm $f; done",
		"gh pr merge 12",
		"gh",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		if (!prose_only_reads(str_of(yes[i])))
			fail_msg("%s", yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		if (prose_only_reads(str_of(no[i])))
			fail_msg("%s", no[i]);
}

static void test_prose__a_person_tells_how_it_went(void **state)
{
	static const struct {
		const char *text;
		enum prose_report want;
	} row[] = {
		{"it ran through", PROSE_REPORT_IT},
		{"ok. It did not run, do it again", PROSE_REPORT_IT},
		{"I rolled it back", PROSE_REPORT_IT},
		{"migrate.sh finished", PROSE_REPORT},
		{"die Migration ist durchgelaufen", PROSE_REPORT},
		{"迁移已经执行完", PROSE_REPORT},
		{"did it run? it ran, didn't it?", PROSE_REPORT_NONE},
		{"if it ran, go on", PROSE_REPORT_NONE},
		{"tell me if migrate.sh finished", PROSE_REPORT_NONE},
		{"run migrate.sh again", PROSE_REPORT_NONE},
		{"done", PROSE_REPORT_NONE},
		{"", PROSE_REPORT_NONE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		if (prose_reports(str_of(row[i].text)) != row[i].want)
			fail_msg("%s", row[i].text);
}

/* ---- errors and results ---- */

static void errors(const char *output, const char *cmd, bool hard, const char *want)
{
	struct buf got = BUF_INIT(4000);
	struct arena a;
	str line[2];
	size_t n;

	arena_init(&a, ARENA_SIZE);
	n = prose_error_lines(&a, str_of(output), str_of(cmd), hard, line);
	for (size_t i = 0; i < n; i++)
		buf_printf(&got, "%s%.*s", i ? "|" : "", STR_ARG(line[i]));
	assert_string_equal(buf_cstr(&got), want);
	buf_release(&got);
	arena_release(&a);
}

static void test_prose__finds_the_error_in_an_output(void **state)
{
	(void)state;
	errors("cc -o dim.o\ndim.c:12:3: error: 'level' undeclared\nmake: *** [dim.o] Error 1",
	       "make", true, "dim.c:12:3: error: 'level' undeclared");
	errors("all good\nnothing here", "make", true, "");
	errors("dim.c:3 is where it is", "lamp", true, "dim.c:3 is where it is");
	errors("dim.c:3 is where it is", "lamp", false, "");
	errors("\033[31merror:\033[0m no lamp\nerror: no clock", "x", false,
	       "error: no lamp|error: no clock");
	errors("warning: unused error", "x", false, "");
	errors("0 errors, 3 warnings", "x", false, "");
	errors("2026-01-02T10:00:00Z error: lamp broke", "x", false, "error: lamp broke");
	errors("", "", true, "");
}

static void test_prose__what_the_command_says_itself_is_no_evidence(void **state)
{
	errors("error: this is printed", "echo 'error: this is printed'", true, "");
	errors("Error: port 3000 missing here", "echo \"Error: port $PORT missing here\"",
	       true, "");
	errors("Error: port 3000 missing here and more",
	       "echo \"Error: port $PORT missing here\"", true,
	       "Error: port 3000 missing here and more");
	errors("failed 3 times", "printf '%s' x; echo failed $n times", true, "");
	errors("error: unrelated", "echo $x", true, "error: unrelated");
	errors("error: unrelated", "echo", true, "error: unrelated");
	errors("error: x", "echo \"${a", true, "error: x");
	(void)state;
}

static void test_prose__error_names_inside_longer_names_do_not_count(void **state)
{
	(void)state;
	assert_int_equal(prose_error_score(STR("use error_handler here"), false), 0);
	assert_int_equal(prose_error_score(STR("no-error mode"), false), 0);
	assert_true(prose_error_score(STR("test_dim_failed in the lamp"), false) > 0);
	assert_true(prose_error_score(STR("FAIL lamp/dim"), false) > 3);
	assert_int_equal(prose_error_score(STR("err"), true), 0);
}

static void tally(const char *output, const char *cmd, const char *want, bool fails)
{
	struct buf b = BUF_INIT(1000);

	prose_tally(&b, str_of(output), str_of(cmd));
	assert_string_equal(buf_cstr(&b), want);
	assert_int_equal(prose_tally_fails(buf_str(&b)), fails);
	buf_release(&b);
}

static void test_prose__counts_stand_near_the_end(void **state)
{
	struct buf long_output = BUF_INIT(4000);

	(void)state;
	tally("ok 1\n=== 12 passed, 1 failed in 0.3s ===\n", "pytest",
	      "12 passed, 1 failed in 0.3s", true);
	tally("12 passed, 0 failed", "make test", "12 passed, 0 failed", false);
	tally("All checks passed!\nChecked 27 files", "make lint",
	      "All checks passed!, Checked 27 files", false);
	tally("--- FAIL: dim 3 failed", "go test", "--- FAIL: dim 3 failed", true);
	tally("failed: 3, passed: 4", "x", "failed: 3, passed: 4", true);
	tally("passed 3 tests", "echo passed 3 tests", "", false);
	tally("nothing", "make test", "", false);
	buf_add(&long_output, STR("3 passed\n"));
	for (int i = 0; i < 25; i++)
		buf_add(&long_output, STR("line\n"));
	tally(buf_cstr(&long_output), "make", "", false);
	buf_release(&long_output);
}

static void finding(const char *output, const char *want)
{
	struct buf got = BUF_INIT(1000);
	str clause, subject;
	size_t it = 0;

	while (prose_finding(str_of(output), &it, &clause, &subject))
		buf_printf(&got, "%s%.*s (%.*s)", got.n ? "; " : "", STR_ARG(clause),
			   STR_ARG(subject));
	assert_string_equal(buf_cstr(&got), want);
	buf_release(&got);
}

static void test_prose__finds_counted_findings_and_their_subject(void **state)
{
	(void)state;
	finding("Review of src/dim.c.\nIt found 2 potential issues for commit 1f2e3d4a.",
		"It found 2 potential issues (1f2e3d4a)");
	finding("{\"body\":\"x\\nFound 12 bugs in dim_level\"}",
		"Found 12 bugs (dim_level)");
	finding("dim_level: found 1 problem", "dim_level: found 1 problem (dim_level)");
	finding("found 0 vulnerabilities in dim_level", "");
	finding("found 2 lamps. The issue is dim_level", "");
	finding("found 2 issues", "");
	finding("found 2 issues in 1234567 and deadbee", "");
	finding("found 2 issues; found 3 bugs in x/y.c",
		"found 2 issues (x/y.c); found 2 issues; found 3 bugs (x/y.c)");
	finding("", "");
}

/* What a clause orders to write, all of it. */
static void written(const char *clause, const char *want)
{
	struct buf b = BUF_INIT(1000);
	size_t it = 0;
	str what;

	while (prose_orders_write(str_of(clause), &it, &what)) {
		if (b.n)
			buf_add(&b, STR(" / "));
		buf_add(&b, what);
	}
	assert_string_equal(buf_cstr(&b), want);
	buf_release(&b);
}

static void test_prose__tells_orders_to_write(void **state)
{
	(void)state;
	written("Add a test to tests/dim.c", "a test to tests/dim.c");
	written("please update docs/Plan.md", "docs/Plan.md");
	written("continue with this, carefully appending a log to the file",
		"a log to the file");
	written("ok, fix src/dim.c", "src/dim.c");
	written("look at it and then write docs/plan.md", "docs/plan.md");
	written("can you add a test to tests/dim.c?", "a test to tests/dim.c?");
	written("add a lamp to a.c, fix b.c but run c.sh",
		"a lamp to a.c, fix b.c / b.c");
	written("I want you to create a.c", "a.c");
	written("look at src/dim.c", "");
	written("what does docs/plan.md say?", "");
	written("should we update docs/plan.md?", "");
	written("run the tests and then delete old.c", "");
	written("look at old.c and delete it", "");
	written("remove the function from util.c but write nothing else", "");
	written("the script used to write a.c", "");
	written("if it fails, fix a.c", "");
	written("the address of x.c", "");
	written("10:00:00 lamp: add a.c", "");
	written("", "");
}

static void test_prose__tag_is_the_name_a_text_begins_with(void **state)
{
	(void)state;
	assert_true(str_eq(prose_tag(STR(" <task-notification>\n<x>")),
			   STR("task-notification")));
	assert_true(
		str_eq(prose_tag(STR("<ide_opened_file a=1>")), STR("ide_opened_file")));
	assert_true(str_eq(prose_tag(STR("a <b>")), STR_NONE));
	assert_true(str_eq(prose_tag(STR("<!-- x -->")), STR_NONE));
	assert_true(str_eq(prose_tag(STR("<b")), STR_NONE));
	assert_true(str_eq(prose_tag(STR("")), STR_NONE));
}

/* ---- all of them, on anything ---- */

static const char ANYTHING[] =
	"# Head:\n- **Never** touch `src/dim.c`. C:\\a\\b.c\n1) one\n```\nx\n```\n"
	"cd x && echo \"error: $A ${b} $(c)\" | tail -3\ndim.c:12:3: error: failed\n"
	"\xE2\x94\x83 \xC3\x97 3 passed, 1 failed\n<t>a</t>\nfunc (s *S) Open(\n"
	"\033[31mFAIL\033[0m\n2026-01-02T03:04:05 x rror: y\n\xE4\xB8\x8D\xE8\xA6\x81\xE3\x80\x82";

/* Call everything on s; the sanitizers and valid results are the test. */
static void call_all(str s)
{
	struct buf b = BUF_INIT(SIZE_MAX), words = BUF_INIT(SIZE_MAX),
		   again = BUF_INIT(SIZE_MAX);
	struct arena a;
	struct prose_token t;
	str out[16], what;
	bool tick = false, valid = utf8_valid(s);
	size_t it = 0;

	arena_init(&a, ARENA_SIZE);
	while (prose_token(s, &it, &tick, &t))
		assert_true(t.text.n > 0 && t.text.p >= s.p &&
			    t.text.p + t.text.n <= s.p + s.n);
	prose_unwrap(&b, s);
	prose_squeeze(&words, s);
	prose_squeeze(&again, buf_str(&b));
	assert_str(buf_str(&again), buf_str(&words)); /* blanks and lines alone change */
	buf_release(&words);
	buf_release(&again);
	buf_reset(&b);
	prose_sentences(&a, s, true, out, COUNT(out));
	prose_sentences(&a, s, false, out, COUNT(out));
	prose_error_lines(&a, s, s, true, out);
	prose_error_lines(&a, s, STR_NONE, true, out);
	prose_value(s);
	prose_constraint(s);
	prose_is_filler(s);
	prose_is_path(s);
	prose_is_compound(s);
	prose_defines(s);
	prose_is_check(s);
	prose_is_explore(s);
	prose_is_act(s);
	prose_shrugs(s);
	prose_only_reads(s);
	prose_reports(s);
	prose_is_piped(s);
	prose_tally_fails(s);
	prose_tag(s);
	prose_error_score(s, true);
	prose_cut(&b, s, 20);
	prose_tail(&b, s, 20);
	prose_squeeze(&b, s);
	prose_plain(&b, s);
	prose_command(&b, s);
	prose_family(&b, prose_command_core(s));
	prose_tally(&b, s, STR_NONE);
	it = 0;
	while (prose_finding(s, &it, &out[0], &out[1]))
		assert_true(out[0].n > 0 && out[1].n > 0);
	for (size_t at = 0; prose_orders_write(s, &at, &what);)
		;
	assert_true(!valid || utf8_valid(buf_str(&b)));
	buf_release(&b);
	arena_release(&a);
	(void)prose_verdict(s, false);
	(void)prose_verdict(s, true);
	(void)prose_verdict_conceded(s);
	(void)prose_concedes(s);
}

static void test_prose__takes_a_text_cut_at_every_byte(void **state)
{
	char *copy;

	(void)state;
	for (size_t cut_at = 0; cut_at <= sizeof ANYTHING - 1; cut_at++) {
		copy = str_dup((str){ANYTHING, cut_at});
		call_all((str){copy, cut_at});
		call_all((str){ANYTHING + cut_at, sizeof ANYTHING - 1 - cut_at});
		free(copy);
	}
	call_all(STR_NONE);
}

static void test_prose__takes_nul_bytes_and_lone_marks(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		char s[40];

		for (size_t n = 1; n <= sizeof s; n += 13) {
			memset(s, (int)c, n);
			call_all((str){s, n});
		}
	}
}

static void all_are(const char *const *s, size_t n, enum prose_verdict want)
{
	for (size_t i = 0; i < n; i++)
		if (prose_verdict(str_of(s[i]), false) != want)
			fail_msg("not %d: %s", (int)want, s[i]);
}

#define ALL(list, want) all_are(list, sizeof list / sizeof *list, want)

static void test_prose__tells_decisions_by_who_chose_and_what(void **state)
{
	static const char *const chose[] = {
		"We decided to leave the overflow as it is.",
		"I went with the ring buffer, the queue has no bound.",
		"The lock was deliberately left out of the reader.",
		"Agreed \xe2\x80\x94 one gate for now, more of them later.",
		"The ring buffer was chosen over the queue.",
	};
	static const char *const intends[] = {
		"I'll keep the counts in a file instead of a database.",
		"I\xe2\x80\x99ll use one lock rather than two of them.",
		"Rather than a module of its own, I'll add it to the parser.",
		"The simplest fix is to drop the second handler.",
		"The simpler and more robust approach: one handler for both gates.",
		"Going with the terminal style for the dialog.",
		"Let me switch to the last prompt of the session.",
		"We dropped the cache in favor of one read.",
		"I'll store the counts in a file, since there is only one gate.",
		"Since the gate has no clock and the lorries come at any time, I'll keep "
		"the time in the counter instead.",
		"Keeping the old names because two other programs read them.",
		"`make gate` fails on main too, so I'm leaving it out of scope.",
		"The fix is to close the gate first instead of counting twice.",
		"I used a list instead of a table, there are never more than five.",
		"I'll put the counter into the gate, not into the hall.",
		"Wait, that's wrong - I want to **exclude** the lorries, not include them.",
		"The fix: **Send the number directly, not wrapped in a list**",
		"I'll keep the old counter so it can be compared.",
	};
	static const char *const none[] = {
		"Should I use a file instead of a database?",
		"Would you like me to use a file instead of a database.",
		"If you prefer, I'll use a file instead of a database.",
		"The test reads the file instead of the database.",
		"Now let me update the second caller to use it instead.",
		"I'll wait for the result instead.",
		"| I'll use a | instead of b |",
		"`counter.add(1)`",
		"Let me try a different one instead of this.",
		"I added the option to the parser.",
		"The gate should count lorries, not buses.",
		"I'll read the file so the next step is clear.",
		"The fix: the gate is closed now.",
		"Let me change it to use the second gate.",
		"Using the second gate is much cleaner.",
		"short instead",
		/* both are open still */
		"The best solution: we have to paint the gate or move it instead.",
		"The solution: fix the gate, or build a new one behind it.",
		"I left open whether the gate is painted rather than decide it for you.",
		/* what becomes of a fix, and what is to be found */
		"The right fix is working now on both gates.",
		"The best way is not clear to me yet, let me read on.",
		"The fix is to add the missing comma.",
		"We pass the number of the gate instead of its name, and so it breaks.",
		"We use a lock there because the gate is read by two programs.",
		"Let me fix the caller to use the number instead of the name.",
		"These have to change since we're switching to numbers only.",
		/* how a step is done */
		"I'll use `sed` instead of the editor for this one.",
		"Let me use the Edit tool instead of rewriting the file.",
		"I'll use a different approach here instead.",
		"Let me keep reading, since the rest is in another file.",
		"Leaving the stash in place \xe2\x80\x94 it does no harm.",
		"I'd recommend to use a file instead of a database.",
	};
	char is_long[400] = "We decided to leave the overflow as it is";

	(void)state;
	ALL(chose, PROSE_VERDICT_DECISION);
	ALL(intends, PROSE_VERDICT_INTENT);
	ALL(none, PROSE_VERDICT_NONE);
	while (strlen(is_long) < 320)
		strncat(is_long, ", and so on", sizeof is_long - strlen(is_long) - 1);
	assert_int_equal(prose_verdict(str_of(is_long), false), PROSE_VERDICT_NONE);
}

static void test_prose__tells_dead_ends_by_what_cannot_be(void **state)
{
	static const char *const yes[] = {
		"The mmap approach doesn't work because the file grows.",
		"I already tried this with a pipe and it broke the tests.",
		"The regular expressions there don't help: it doesn't support backreferences.",
		"Let me revert that and fix the parser.",
		"A second lock wouldn't fix it, the order is wrong.",
		"I tried a pipe for the counters, but it blocks when nobody reads.",
		"Neither of the two parsers can read both forms.",
		"The push is blocked by a local hook that wants a ticket.",
		"That workaround won't work on the older gates.",
		"There is no way to tell the lorries from the buses there.",
	};
	static const char *const no[] = {
		"If the first one didn't work, call the second.",
		"Does it say which one isn't supported there?",
		"Let me check whether it is not supported by them.",
		"The parser reads one record at a time.",
		"The button didn't work on small screens.",
		"No, a lock of the gate doesn't work that way.",
		"The transaction is rolled back when the gate is shut.",
		"Let me revert the README to what it was.",
		"Phase three is blocked by phase two of the plan.",
		"The current parser doesn't support lorries with two trailers.",
	};

	(void)state;
	ALL(yes, PROSE_VERDICT_DEADEND);
	ALL(no, PROSE_VERDICT_NONE);
}

static void test_prose__a_person_settles_things_at_the_start_of_a_sentence(void **state)
{
	static const char *const yes[] = {
		"let's go with the file for now",
		"ok, let's use the last prompt then",
		"No, let's not backfill.",
		"lets leave them in for now",
		"yes, stick with the file",
		"use the file instead of the database please",
		"put it into the file, not into the database",
		"approved, with the two changes to the gate",
		"From now on the gate counts in pairs.",
		"almost forgot: code standard: each file names its gate",
	};
	static const char *const no[] = {
		"hide the group instead of all of its items",
		"it didn't work because of the cache",
		"why not use a file instead of the database?",
		"use a file or a database instead",
		"use the file",
		"it was approved last week by them",
		"is there a naming convention: gates first?",
	};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		if (prose_verdict(str_of(yes[i]), true) != PROSE_VERDICT_DECISION)
			fail_msg("no decision: %s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		if (prose_verdict(str_of(no[i]), true) != PROSE_VERDICT_NONE)
			fail_msg("told something: %s", no[i]);
}

static void test_prose__who_gives_in_to_the_user_chooses_in_fewer_words(void **state)
{
	static const char *const concedes[] = {
		"You\xe2\x80\x99re right.",
		"**Good point** \xe2\x80\x94 the gate is shut.",
		"You're absolutely right!"};
	static const char *const yes[] = {
		"Using the second gate is much cleaner.",
		"Let me change it to use the second gate:",
		"I can use the gate itself instead of the hall.",
	};
	static const char *const no[] = {
		"Let me check how the gate counts.",
		"Let me use `grep` for the gates.",
		"The gate is shut.",
		"It might be that a second gate is simpler.",
	};

	(void)state;
	for (size_t i = 0; i < sizeof concedes / sizeof *concedes; i++)
		assert_true(prose_concedes(str_of(concedes[i])));
	assert_false(prose_concedes(STR("The right gate is shut.")));
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		if (prose_verdict_conceded(str_of(yes[i])) != PROSE_VERDICT_INTENT)
			fail_msg("no choice: %s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		if (prose_verdict_conceded(str_of(no[i])) != PROSE_VERDICT_NONE)
			fail_msg("told something: %s", no[i]);
	assert_int_equal(
		prose_verdict_conceded(STR("I decided to shut the gate for good.")),
		PROSE_VERDICT_DECISION);
}

static void test_prose__tells_decisions_of_other_languages_by_plain_words(void **state)
{
	static const char *const chose[] = {
		"Ich habe mich für die Datei entschieden, es gibt nur ein Tor.",
		"J'ai décidé de garder un seul compteur pour les camions.",
		"He decidido usar un archivo para los contadores.",
		"Decidi manter um contador por portão.",
		"Ho deciso di tenere un solo contatore.",
		"Я решил оставить один счётчик.",
		"我决定把计数存在文件里。",
		"ファイルに保存することにしました。",
	};
	static const char *const dead[] = {
		"Das funktioniert nicht, weil die Datei währenddessen wächst.",
		"Cela ne fonctionne pas parce que le fichier grandit.",
	};
	static const char *const none[] = {
		"Vielleicht habe ich mich für die Datei entschieden.",
		"Si vous voulez, j'ai choisi un fichier pour les compteurs.",
		"Die Datei wächst, während sie gelesen wird.",
	};

	(void)state;
	ALL(chose, PROSE_VERDICT_DECISION);
	ALL(dead, PROSE_VERDICT_DEADEND);
	ALL(none, PROSE_VERDICT_NONE);
}

static void test_prose__knows_who_asks_for_leave(void **state)
{
	(void)state;
	assert_true(prose_asks_leave(STR("Want me to paint the gate as well?")));
	assert_true(prose_asks_leave(STR("Let me know if I should go on.")));
	assert_false(prose_asks_leave(STR("Why does the gate open by itself?")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_prose__finds_paths_identifiers_numbers_and_ticked_words),
		cmocka_unit_test(
			test_prose__a_backtick_without_another_on_its_line_opens_nothing),
		cmocka_unit_test(test_prose__knows_paths_with_backslashes),
		cmocka_unit_test(test_prose__path_is_told_by_its_ending_or_its_slashes),
		cmocka_unit_test(test_prose__compound_has_an_inner_border),
		cmocka_unit_test(test_prose__names_what_a_line_of_code_defines),
		cmocka_unit_test(test_prose__cuts_at_a_sentence_else_at_a_word),
		cmocka_unit_test(test_prose__tail_begins_at_a_border),
		cmocka_unit_test(test_prose__squeezes_white_space),
		cmocka_unit_test(test_prose__plain_text_has_no_escape_sequences),
		cmocka_unit_test(test_prose__cuts_texts_into_sentences),
		cmocka_unit_test(test_prose__wide_full_stops_end_sentences),
		cmocka_unit_test(test_prose__headings_items_tables_and_fences),
		cmocka_unit_test(test_prose__what_is_in_no_sentence_leaves_a_hole),
		cmocka_unit_test(test_prose__a_full_arena_or_list_gives_fewer_sentences),
		cmocka_unit_test(test_prose__values_causes_over_chatter),
		cmocka_unit_test(test_prose__tells_constraints_in_several_languages),
		cmocka_unit_test(test_prose__fillers_say_nothing_in_any_language),
		cmocka_unit_test(test_prose__a_thought_may_be_taken_back),
		cmocka_unit_test(test_prose__commands_become_one_line),
		cmocka_unit_test(
			test_prose__a_long_command_loses_the_middle_of_its_scripts),
		cmocka_unit_test(test_prose__core_is_without_what_only_shapes_the_output),
		cmocka_unit_test(test_prose__family_is_program_and_sub_command),
		cmocka_unit_test(test_prose__sorts_commands),
		cmocka_unit_test(test_prose__a_list_of_commands_has_parts),
		cmocka_unit_test(test_prose__knows_what_only_reads),
		cmocka_unit_test(test_prose__a_person_tells_how_it_went),
		cmocka_unit_test(test_prose__knows_whose_status_a_command_has),
		cmocka_unit_test(test_prose__finds_the_error_in_an_output),
		cmocka_unit_test(test_prose__what_the_command_says_itself_is_no_evidence),
		cmocka_unit_test(
			test_prose__error_names_inside_longer_names_do_not_count),
		cmocka_unit_test(test_prose__counts_stand_near_the_end),
		cmocka_unit_test(test_prose__finds_counted_findings_and_their_subject),
		cmocka_unit_test(test_prose__tells_orders_to_write),
		cmocka_unit_test(test_prose__tells_decisions_by_who_chose_and_what),
		cmocka_unit_test(test_prose__tells_dead_ends_by_what_cannot_be),
		cmocka_unit_test(
			test_prose__a_person_settles_things_at_the_start_of_a_sentence),
		cmocka_unit_test(
			test_prose__who_gives_in_to_the_user_chooses_in_fewer_words),
		cmocka_unit_test(
			test_prose__tells_decisions_of_other_languages_by_plain_words),
		cmocka_unit_test(test_prose__knows_who_asks_for_leave),
		cmocka_unit_test(test_prose__tag_is_the_name_a_text_begins_with),
		cmocka_unit_test(test_prose__takes_a_text_cut_at_every_byte),
		cmocka_unit_test(test_prose__takes_nul_bytes_and_lone_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
