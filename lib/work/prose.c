/*
 * Matchers over bytes. Text is UTF-8; every word, border and cue that is looked for is
 * ASCII (or a fixed sequence), so bytes above 7F only ever count as letters. Each matcher
 * goes over its input a fixed number of times, whatever is in it; what needs memory beyond
 * the caller's arena works in a line of PROSE_LINE_BYTES on the stack.
 *
 * The lists below say what is a file ending, a keyword, a word of an error or of a result.
 * docs/extraction.md says how they were chosen.
 */
#include "work/prose.h"
#include "base/utf8.h"

#define PROSE_LINE_BYTES 2000
#define PROSE_PATH_MAX   200
#define PROSE_IDENT_MAX  60
#define PROSE_ERROR_CUT  240
#define PROSE_TALLY_CUT  150
#define PROSE_TALLY_TAIL 25 /* lines */
#define PROSE_ELLIPSIS   " \xE2\x80\xA6"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- words ---- */

static const str FILE_ENDINGS[] = {
	STR("go"),    STR("py"),      STR("js"),   STR("jsx"),      STR("ts"),
	STR("tsx"),   STR("mjs"),     STR("cjs"),  STR("json"),     STR("jsonl"),
	STR("yaml"),  STR("yml"),     STR("toml"), STR("md"),       STR("mdx"),
	STR("rst"),   STR("txt"),     STR("sh"),   STR("bash"),     STR("zsh"),
	STR("ps1"),   STR("c"),       STR("h"),    STR("cc"),       STR("cpp"),
	STR("hpp"),   STR("rs"),      STR("java"), STR("kt"),       STR("swift"),
	STR("m"),     STR("rb"),      STR("php"),  STR("pl"),       STR("lua"),
	STR("sql"),   STR("css"),     STR("scss"), STR("html"),     STR("htm"),
	STR("vue"),   STR("svelte"),  STR("xml"),  STR("svg"),      STR("lock"),
	STR("mod"),   STR("cfg"),     STR("ini"),  STR("conf"),     STR("env"),
	STR("proto"), STR("graphql"), STR("tf"),   STR("gradle"),   STR("csv"),
	STR("ipynb"), STR("tex"),     STR("nix"),  STR("ex"),       STR("exs"),
	STR("hs"),    STR("scala"),   STR("dart"), STR("r"),        STR("zig"),
	STR("sol"),   STR("plist"),   STR("pen"),  STR("xcconfig"), STR("snap"),
	STR("tmpl"),  STR("log"),
};
/* names that only look like files */
static const str NO_FILES[] = {
	STR("node.js"), STR("next.js"),  STR("vue.js"), STR("e.g"),
	STR("i.e"),     STR("three.js"), STR("d3.js"),  STR("chart.js"),
};
static const str DEFINE_WORDS[] = {
	STR("func"),   STR("def"),       STR("class"),  STR("type"),     STR("fn"),
	STR("struct"), STR("interface"), STR("enum"),   STR("const"),    STR("function"),
	STR("trait"),  STR("impl"),      STR("module"), STR("resource"), STR("let"),
	STR("var"),    STR("describe"),
};
static const str MODIFIERS[] = {
	STR("export"),   STR("default"), STR("async"),     STR("pub"),
	STR("public"),   STR("private"), STR("protected"), STR("static"),
	STR("abstract"), STR("final"),   STR("declare"),   STR("override"),
};
/* in this order: the first one that stands in the line counts */
static const str ERROR_WORDS[] = {
	STR("error"),      STR("failed"),         STR("failure"),   STR("fatal"),
	STR("panic"),      STR("exception"),      STR("undefined"), STR("cannot"),
	STR("can't"),      STR("not found"),      STR("no such"),   STR("denied"),
	STR("invalid"),    STR("unexpected"),     STR("timed out"), STR("refused"),
	STR("mismatch"),   STR("blocked"),        STR("missing"),   STR("unable"),
	STR("not enough"), STR("conflict"),       STR("traceback"), STR("expected"),
	STR("unknown"),    STR("would reformat"),
};
static const str TALLY_WORDS[] = {
	STR("passed"),     STR(" pass"),       STR("failed"),
	STR(" fail"),      STR("no issues"),   STR("no fixes applied"),
	STR("all checks"), STR("tests:"),      STR("checked "),
	STR("0 errors"),   STR("success"),     STR("files formatted"),
	STR("unchanged"),  STR("reformatted"), STR("ok  "),
	STR("built in"),   STR("no errors"),   STR("compiled"),
};
static const str CHECK_WORDS[] = {
	STR("test"), STR("lint"),   STR("build"),  STR("check"),   STR("typecheck"),
	STR("tsc"),  STR("pytest"), STR("vet"),    STR("clippy"),  STR("fmt"),
	STR("ruff"), STR("mypy"),   STR("vitest"), STR("jest"),    STR("eslint"),
	STR("eval"), STR("verify"), STR("format"), STR("pyright"), STR("ty"),
};
static const str CHECK_PROGRAMS[] = {
	STR("pytest"),        STR("vitest"),     STR("jest"),       STR("eslint"),
	STR("tsc"),           STR("ruff"),       STR("mypy"),       STR("pyright"),
	STR("golangci-lint"), STR("prettier"),   STR("tox"),        STR("nox"),
	STR("ctest"),         STR("xcodebuild"), STR("shellcheck"),
};
/* programs whose arguments may hold the words above without checking anything */
static const str NO_CHECKS[] = {
	STR("git"),   STR("ls"),    STR("cat"),  STR("grep"),   STR("rg"),  STR("find"),
	STR("echo"),  STR("gh"),    STR("rm"),   STR("mkdir"),  STR("cp"),  STR("mv"),
	STR("touch"), STR("cd"),    STR("head"), STR("tail"),   STR("sed"), STR("curl"),
	STR("sleep"), STR("which"), STR("kill"), STR("docker"), STR("ssh"), STR("for"),
	STR("while"), STR("if"),    STR("test"), STR("["),
};
static const str EXPLORERS[] = {
	STR("ls"),   STR("cat"),  STR("grep"),  STR("rg"),   STR("find"),
	STR("head"), STR("tail"), STR("which"), STR("wc"),   STR("test"),
	STR("["),    STR("diff"), STR("sed"),   STR("echo"), STR("sleep"),
	STR("pwd"),  STR("awk"),  STR("tree"),  STR("file"), STR("stat"),
};
static const str ACTS[] = {
	STR("git commit"),   STR("git push"),  STR("git add"),     STR("git stash"),
	STR("git checkout"), STR("git reset"), STR("git rebase"),  STR("git merge"),
	STR("git restore"),  STR("rm "),       STR("mv "),         STR("cp "),
	STR("kill"),         STR("pkill"),     STR("npm install"), STR("docker"),
	STR("gh pr"),        STR("gh api"),    STR("curl"),        STR("make"),
	STR("terraform"),    STR("kubectl"),   STR("systemctl"),
};
/* programs whose third word still names what they do */
static const str DEEP_FAMILIES[] = {
	STR("uv"),   STR("npm"), STR("bun"), STR("pnpm"),  STR("yarn"), STR("mise"),
	STR("make"), STR("npx"), STR("go"),  STR("cargo"), STR("erk"),
};
static const str FAMILY_SKIPS[] = {STR("sudo"), STR("timeout"), STR("time"), STR("env")};
static const str CHATTER[] = {
	STR("let me"),    STR("i'll"),    STR("now let"),   STR("let's"),
	STR("now i"),     STR("perfect"), STR("great"),     STR("good"),
	STR("excellent"), STR("i will"),  STR("i need to"), STR("next,"),
	STR("first,"),    STR("now "),    STR("i'm going"),
};
static const str FILLERS[] = {
	STR("yes"),
	STR("yeah"),
	STR("yep"),
	STR("ok"),
	STR("okay"),
	STR("sure"),
	STR("continue"),
	STR("go"),
	STR("please"),
	STR("thanks"),
	STR("thank"),
	STR("you"),
	STR("proceed"),
	STR("do"),
	STR("it"),
	STR("that"),
	STR("was"),
	STR("right"),
	STR("correct"),
	STR("good"),
	STR("great"),
	STR("perfect"),
	STR("y"),
	STR("k"),
	STR("on"),
	STR("and"),
	STR("now"),
	STR("ahead"),
	STR("next"),
	STR("ja"),
	STR("jo"),
	STR("weiter"),
	STR("bitte"),
	STR("danke"),
	STR("gut"),
	STR("mach"),
	STR("genau"),
	STR("passt"),
	STR("los"),
	STR("super"),
	STR("oui"),
	STR("vas"),
	STR("allez"),
	STR("merci"),
	STR("parfait"),
	STR("accord"),
	STR("d"),
	STR("suite"),
	STR("s\xC3\xAD"),
	STR("si"),
	STR("contin\xC3\xBA"
	    "a"),
	STR("continua"),
	STR("sigue"),
	STR("adelante"),
	STR("gracias"),
	STR("vale"),
	STR("perfecto"),
	STR("dale"),
	STR("sim"),
	STR("pode"),
	STR("segue"),
	STR("obrigado"),
	STR("obrigada"),
	STR("isso"),
	STR("s\xC3\xAC"),
	STR("va"),
	STR("bene"),
	STR("avanti"),
	STR("grazie"),
	STR("\xD0\xB4\xD0\xB0"),
	STR("\xD0\xB0\xD0\xB3\xD0\xB0"),
	STR("\xD0\xBE\xD0\xBA"),
	STR("\xD0\xBF\xD1\x80\xD0\xBE\xD0\xB4\xD0\xBE\xD0\xBB\xD0\xB6\xD0\xB0\xD0\xB9"),
	STR("\xD0\xBF\xD1\x80\xD0\xBE\xD0\xB4\xD0\xBE\xD0\xBB\xD0\xB6\xD0\xB0\xD0\xB9\xD1\x82\xD0\xB5"),
	STR("\xD0\xB4\xD0\xB0\xD0\xB2\xD0\xB0\xD0\xB9"),
	STR("\xD0\xB4\xD0\xB0\xD0\xBB\xD1\x8C\xD1\x88\xD0\xB5"),
	STR("\xD1\x85\xD0\xBE\xD1\x80\xD0\xBE\xD1\x88\xD0\xBE"),
	STR("\xD1\x81\xD0\xBF\xD0\xB0\xD1\x81\xD0\xB8\xD0\xB1\xD0\xBE"),
	STR("\xD0\xBF\xD0\xBE\xD0\xB6\xD0\xB0\xD0\xBB\xD1\x83\xD0\xB9\xD1\x81\xD1\x82\xD0\xB0"),
	STR("\xE5\xA5\xBD"),
	STR("\xE5\xA5\xBD\xE7\x9A\x84"),
	STR("\xE7\xBB\xA7\xE7\xBB\xAD"),
	STR("\xE8\xAF\xB7\xE7\xBB\xA7\xE7\xBB\xAD"),
	STR("\xE6\x98\xAF"),
	STR("\xE6\x98\xAF\xE7\x9A\x84"),
	STR("\xE5\x8F\xAF\xE4\xBB\xA5"),
	STR("\xE8\xA1\x8C"),
	STR("\xE8\xB0\xA2\xE8\xB0\xA2"),
	STR("\xE5\xAF\xB9"),
	STR("\xE5\x97\xAF"),
	STR("\xE6\xB2\xA1\xE9\x97\xAE\xE9\xA2\x98"),
	STR("\xE3\x81\xAF\xE3\x81\x84"),
	STR("\xE7\xB6\x9A\xE3\x81\x91\xE3\x81\xA6"),
	STR("\xE7\xB6\x9A\xE3\x81\x91\xE3\x81\xA6\xE3\x81\x8F\xE3\x81\xA0\xE3\x81\x95\xE3\x81\x84"),
	STR("\xE3\x81\x8A\xE9\xA1\x98\xE3\x81\x84\xE3\x81\x97\xE3\x81\xBE\xE3\x81\x99"),
	STR("\xE3\x81\x82\xE3\x82\x8A\xE3\x81\x8C\xE3\x81\xA8\xE3\x81\x86"),
	STR("\xE4\xBA\x86\xE8\xA7\xA3"),
	STR("\xE3\x81\x86\xE3\x82\x93"),
	STR("\xEB\x84\xA4"),
	STR("\xEC\x98\x88"),
	STR("\xEC\x9D\x91"),
	STR("\xEA\xB3\x84\xEC\x86\x8D"),
	STR("\xEA\xB3\x84\xEC\x86\x8D\xED\x95\xB4"),
	STR("\xEC\xA2\x8B\xEC\x95\x84"),
	STR("\xEA\xB0\x90\xEC\x82\xAC\xED\x95\xA9\xEB\x8B\x88\xEB\x8B\xA4"),
};
static const str QUESTION_WORDS[] = {
	STR("can"),   STR("could"), STR("why"),      STR("how"),  STR("what"),
	STR("is"),    STR("are"),   STR("do"),       STR("does"), STR("would"),
	STR("where"), STR("when"),  STR("question"),
};
static const str MUSINGS[] = {
	STR("don't think"), STR("don't understand"), STR("don't know"),
	STR("only if"),     STR("don't see"),        STR("don't have"),
	STR("never mind"),  STR("no idea"),          STR("no problem"),
};
/* words before an order that do not change it */
static const str LEADS[] = {
	STR("no"),
	STR("ok"),
	STR("okay"),
	STR("yes"),
	STR("please"),
	STR("and"),
	STR("but"),
	STR("so"),
	STR("also"),
	STR("then"),
	STR("just"),
	STR("well"),
	STR("bitte"),
	STR("ja"),
	STR("aber"),
	STR("und"),
	STR("por favor"),
	STR("\xD0\xB4\xD0\xB0"),
	STR("\xD0\xBD\xD0\xBE"),
	STR("\xD0\xB8"),
	STR("\xE8\xAF\xB7"),
};
/* orders that forbid or demand, at the head of a clause */
static const str COMMANDMENTS[] = {
	STR("do not "),
	STR("don't "),
	STR("dont "),
	STR("don\xE2\x80\x99t "),
	STR("never "),
	STR("please do not"),
	STR("please don't"),
	STR("no, "),
	STR("make sure"),
	STR("be careful"),
	STR("always "),
	STR("must not "),

	STR("avoid "),
	STR("nicht"),
	STR("nie "),
	STR("niemals"),
	STR("auf keinen fall"),
	STR("keinesfalls"),
	STR("kein "),
	STR("keine "),
	STR("ne pas "),
	STR("ne touche"),
	STR("ne modifi"),
	STR("ne chang"),
	STR("ne supprim"),
	STR("ne fai"),
	STR("ne pouss"),
	STR("ne commi"),
	STR("n'"),
	STR("jamais "),
	STR("surtout pas"),
	STR("surtout ne"),
	STR("no toques"),
	STR("no toque"),

	STR("no cambi"),
	STR("no borres"),
	STR("no hagas"),
	STR("no subas"),

	STR("no edites"),
	STR("no modifiq"),
	STR("no modifica"),
	STR("no elimines"),

	STR("no ejecut"),
	STR("nunca "),
	STR("jam\xC3\xA1s "),
	STR("n\xC3\xA3o "),
	STR("non toccare"),
	STR("non modific"),
	STR("non cambi"),
	STR("non fare"),
	STR("non cancell"),
	STR("mai "),
	STR("\xD0\xBD\xD0\xB5 "),
	STR("\xD0\xBD\xD0\xB8\xD0\xBA\xD0\xBE\xD0\xB3\xD0\xB4\xD0\xB0"),
	STR("\xD0\xBD\xD0\xB5\xD0\xBB\xD1\x8C\xD0\xB7\xD1\x8F"),
	STR("\xD0\xBD\xD0\xB8\xD1\x87\xD0\xB5\xD0\xB3\xD0\xBE \xD0\xBD\xD0\xB5"),
	STR("\xE4\xB8\x8D\xE8\xA6\x81"),
	STR("\xE5\x88\xAB"),
	STR("\xE8\xAB\x8B\xE4\xB8\x8D\xE8\xA6\x81"),
	STR("\xE8\xAF\xB7\xE4\xB8\x8D\xE8\xA6\x81"),
	STR("\xE8\xAF\xB7\xE5\x8B\xBF"),
	STR("\xE5\x8B\xBF"),
	STR("\xE4\xB8\x8D\xE5\x87\x86"),
	STR("\xE7\xA6\x81\xE6\xAD\xA2"),
	STR("\xE5\x8D\x83\xE4\xB8\x87"),
	STR("\xE5\x88\x87\xE5\x8B\xBF"),
};
static const str INNER_COMMANDMENTS[] = {
	STR(" do not "),          STR(" don't "),
	STR(" never "),           STR(" dont "),
	STR(" must not "),        STR(" don\xE2\x80\x99t "),
	STR(" auf keinen fall "), STR(" niemals "),
};
/* the same where the verb comes last */
static const str ENDING_COMMANDMENTS[] = {
	STR("\xE3\x81\x97\xE3\x81\xAA\xE3\x81\x84\xE3\x81\xA7"),
	STR("\xE3\x81\xAA\xE3\x81\x84\xE3\x81\xA7\xE3\x81\x8F\xE3\x81\xA0\xE3\x81\x95\xE3\x81\x84"),
	STR("\xE3\x81\x97\xE3\x81\xA6\xE3\x81\xAF\xE3\x81\x84\xE3\x81\x91"),
	STR("\xE5\xA4\x89\xE6\x9B\xB4\xE3\x81\x97\xE3\x81\xAA\xE3\x81\x84"),
	STR("\xE8\xA7\xA6\xE3\x82\x89\xE3\x81\xAA\xE3\x81\x84"),
	STR("\xE7\xA6\x81\xE6\xAD\xA2"),
	STR("\xED\x95\x98\xEC\xA7\x80 \xEB\xA7\x88"),
	STR("\xED\x95\x98\xEC\xA7\x80\xEB\xA7\x88"),
	STR("\xEC\xA7\x80 \xEB\xA7\x88\xEC\x84\xB8\xEC\x9A\x94"),
	STR("\xEC\xA7\x80 \xEB\xA7\x90"),
	STR("\xEA\xB8\x88\xEC\xA7\x80"),
	STR("nicht \xC3\xA4ndern"),
	STR("nicht anfassen"),
	STR("nicht committen"),
	STR("nicht pushen"),
	STR("nicht l\xC3\xB6schen"),
	STR("nicht ver\xC3\xA4ndern"),
	STR("\xE4\xB8\x8D\xE8\xA6\x81\xE5\x8A\xA8"),
	STR("\xE4\xB8\x8D\xE8\xA6\x81\xE6\x94\xB9"),
};
static const str RESERVES[] = {
	STR("not ready"), STR("for now"),   STR("right now"),
	STR("before we"), STR("carefully"),
};
/* What a sentence that tells something has in it, and how much that is worth. */
static const struct {
	str word;
	float worth;
} CUES[] = {
	{STR("root cause"), 4},
	{STR("the fix"), 2},
	{STR("fixed"), 2},
	{STR("the issue"), 2},
	{STR("the problem"), 2},
	{STR("because"), 2},
	{STR("decided"), 3},
	{STR("instead"), 2},
	{STR("rather than"), 2},
	{STR("turns out"), 3},
	{STR("already"), 1},
	{STR("pre-existing"), 3},
	{STR("not "), 1},
	{STR("n't "), 1},
	{STR("never"), 1},
	{STR("only "), 1},
	{STR("must "), 1},
	{STR("fail"), 2},
	{STR("error"), 2},
	{STR("blocked"), 2},
	{STR("\xE2\x86\x92"), 1},
	{STR("means"), 1},
	{STR("works"), 1},
	{STR("so "), 1},
	{STR("option"), 1},
	{STR("added"), 1},
	{STR("removed"), 1},
	{STR("changed"), 1},
	{STR("updated"), 1},
	{STR("need to"), 1},
	{STR("should"), 1},
	{STR("next"), 1},
	{STR("remaining"), 2},
	{STR("confirmed"), 2},
	{STR("verified"), 2},
	{STR("unrelated"), 2},
	{STR("was "), 0.5f},
	{STR("bug"), 1},
	{STR("\xE5\x8E\x9F\xE5\x9B\xA0"), 3},
	{STR("\xE4\xBF\xAE\xE5\xA4\x8D"), 2},
	{STR("\xE4\xBF\xAE\xE6\xAD\xA3"), 2},
	{STR("\xE5\xA4\xB1\xE8\xB4\xA5"), 2},
	{STR("\xE5\xA4\xB1\xE6\x95\x97"), 2},
	{STR("\xE3\x82\xA8\xE3\x83\xA9\xE3\x83\xBC"), 2},
	{STR("\xE9\x94\x99\xE8\xAF\xAF"), 2},
	{STR("\xE5\x9B\xA0\xE4\xB8\xBA"), 2},
	{STR(" weil "), 2},
	{STR("ursache"), 3},
	{STR("fehler"), 2},
	{STR("behoben"), 2},
	{STR("parce que"), 2},
	{STR("erreur"), 2},
	{STR("porque"), 2},
	{STR("\xD0\xBF\xD1\x80\xD0\xB8\xD1\x87\xD0\xB8\xD0\xBD"), 3},
	{STR("\xD0\xBE\xD1\x88\xD0\xB8\xD0\xB1\xD0\xBA"), 2},
	{STR("\xD0\xB8\xD1\x81\xD0\xBF\xD1\x80\xD0\xB0\xD0\xB2"), 2},
	{STR("\xD0\xBF\xD0\xBE\xD1\x82\xD0\xBE\xD0\xBC\xD1\x83"), 2},
};

#define SET_MAX     64  /* words of a list that is looked for in one pass */
#define VALUE_BYTES 600 /* of a sentence are looked at */
#define SCORE_BYTES 400 /* of a line */

static bool in_list(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(s, list[i]))
			return true;
	}
	return false;
}

#define IN(s, list) in_list((s), (list), COUNT(list))

static bool starts_with_any(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_starts(s, list[i]))
			return true;
	}
	return false;
}

#define STARTS(s, list) starts_with_any((s), (list), COUNT(list))

/*
 * The small letter of a two-byte character, in place: Latin with marks (U+00C0..DE) and
 * Cyrillic (U+0401, U+0410..042F). Both stay two bytes long.
 */
static void lower_pair(char *p)
{
	unsigned char a = (unsigned char)p[0], b = (unsigned char)p[1];

	if (a == 0xC3 && b >= 0x80 && b <= 0x9E && b != 0x97) {
		p[1] = (char)(b + 0x20);
	} else if (a == 0xD0 && b >= 0x90 && b <= 0x9F) {
		p[1] = (char)(b + 0x20);
	} else if (a == 0xD0 && ((b >= 0xA0 && b <= 0xAF) || b == 0x81)) {
		p[0] = (char)0xD1;
		p[1] = (char)(b == 0x81 ? 0x91 : b - 0x20);
	}
}

/* The first n bytes of s, small letters, into out. */
static str lower_head(str s, char *out, size_t n)
{
	s = utf8_head(s, n);
	for (size_t i = 0; i < s.n; i++)
		out[i] = str_lower(s.p[i]);
	for (size_t i = 0; i + 1 < s.n; i++) {
		if (out[i] & 0x80)
			lower_pair(out + i);
	}
	return (str){out, s.n};
}

/*
 * Which words stand in s, as bits, and where each stands first: one pass, since words are
 * tried only where their first byte (its low five bits) is met.
 */
static uint64_t find_set(str s, const str *word, size_t n, size_t *at)
{
	uint64_t by_first[32] = {0}, found = 0;

	for (size_t i = 0; i < n; i++)
		by_first[word[i].p[0] & 31] |= UINT64_C(1) << i;
	for (size_t i = 0; i < s.n; i++) {
		uint64_t left = by_first[s.p[i] & 31] & ~found;

		while (left) {
			size_t w = (size_t)__builtin_ctzll(left);

			left &= left - 1;
			if (s.n - i < word[w].n ||
			    memcmp(s.p + i, word[w].p, word[w].n) != 0)
				continue;
			found |= UINT64_C(1) << w;
			if (at)
				at[w] = i;
		}
	}
	return found;
}

static bool has(str s, str word)
{
	return str_find(s, word) != STR_NPOS;
}

static str strip_chars(str s, const char *set)
{
	while (s.n && strchr(set, s.p[0]) && s.p[0])
		s = str_from(s, 1);
	while (s.n && strchr(set, s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

static str strip_right(str s, const char *set)
{
	while (s.n && strchr(set, s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

static bool all_digits(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!str_is_digit(s.p[i]))
			return false;
	}
	return s.n > 0;
}

static bool is_word_byte(char c)
{
	return str_is_alnum(c) || c == '_' || (c & 0x80);
}

static size_t count_byte(str s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* ---- tokens ---- */

static bool is_path_byte(char c)
{
	return str_is_alnum(c) || (c && strchr("._/~@+-", c));
}

bool prose_is_path(str s)
{
	char low[16];
	str base, ext = STR_NONE;
	size_t dot;
	bool slash = false;

	if (s.n < 4 || s.n > PROSE_PATH_MAX || s.p[0] == '-' || s.p[0] == '@' ||
	    str_starts(s, STR("//")))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_path_byte(s.p[i]))
			return false;
		slash |= s.p[i] == '/';
	}
	base = str_basename(strip_right(s, "/"));
	dot = str_rchr(base, '.');
	if (dot != STR_NPOS && base.n - dot - 1 <= sizeof low)
		ext = lower_head(str_from(base, dot + 1), low, sizeof low);
	if (slash && s.p[s.n - 1] == '/' && count_byte(s, '/') >= 2 &&
	    !str_is_digit(s.p[0]))
		return true;
	if (!IN(ext, FILE_ENDINGS))
		return false;
	return slash || (dot > 0 && !str_is_digit(base.p[0]) &&
			 (base.n > sizeof low ||
			  !IN(lower_head(base, low, sizeof low), NO_FILES)));
}

bool prose_is_compound(str s)
{
	size_t letters = 0;
	bool joined = false;

	if (s.n < 5 || s.n > PROSE_IDENT_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		letters += str_is_alpha(c);
		if (i == 0 || i == s.n - 1)
			continue;
		if (c == '_' || c == '.' || c == ':')
			joined |= str_is_alpha(s.p[i + 1]) || s.p[i + 1] == '_';
		else if (c >= 'A' && c <= 'Z')
			joined |= s.p[i - 1] >= 'a' && s.p[i - 1] <= 'z';
		else if (c == '/')
			joined |= str_is_alnum(s.p[i - 1]);
	}
	return joined && letters >= 4;
}

/* The end of the run of path characters that begins at i; a single colon between two of them belongs to it. */
static size_t token_end(str s, size_t i)
{
	size_t j = i;

	while (j < s.n &&
	       (is_path_byte(s.p[j]) || (s.p[j] == ':' && j + 1 < s.n &&
					 is_path_byte(s.p[j + 1]) && s.p[j - 1] != ':')))
		j++;
	return j;
}

static bool has_file_ending(str base)
{
	char low[16];
	size_t dot = str_rchr(base, '.');

	return dot != STR_NPOS && dot > 0 && base.n - dot - 1 <= sizeof low &&
	       IN(lower_head(str_from(base, dot + 1), low, sizeof low), FILE_ENDINGS);
}

/*
 * The end of a path with backslashes whose first part ends at j: with a drive (`C:`), or of
 * parts none of which could be an escape such as `\n`. 0: it is none.
 */
static size_t windows_end(str s, size_t i, size_t j)
{
	bool drive = j == i + 1 && str_is_alpha(s.p[i]) && j + 1 < s.n && s.p[j] == ':' &&
		     s.p[j + 1] == '\\';
	size_t base = i;

	j += drive;
	while (j + 1 < s.n && s.p[j] == '\\' && is_path_byte(s.p[j + 1]) &&
	       (drive || !strchr("abfnrtuvx0", s.p[j + 1]))) {
		base = ++j;
		while (j < s.n && is_path_byte(s.p[j]))
			j++;
	}
	while (j > base && s.p[j - 1] == '.')
		j--;
	return base > i && has_file_ending((str){s.p + base, j - base}) ? j : 0;
}

static bool token_kind(str raw, bool tick, struct prose_token *out)
{
	str t, p;

	while (raw.n && (raw.p[0] == '@' || raw.p[0] == '+'))
		raw = str_from(raw, 1);
	raw = strip_right(raw, ".");
	t = strip_right(strip_chars(raw, ".-@+"), "/.:");
	if (t.n < 3)
		return false;
	p = str_head(raw, str_chr(raw, ':'));
	if (str_starts(p, STR("./")))
		p = str_from(p, 2);
	*out = (struct prose_token){t, PROSE_TICKED};
	if (prose_is_path(p))
		*out = (struct prose_token){p, PROSE_PATH};
	else if (all_digits(t))
		out->kind = PROSE_NUMBER;
	else if (prose_is_compound(t))
		out->kind = PROSE_IDENT;
	else
		return tick && t.n >= 4;
	return true;
}

/* A backtick opens a span only if the line has another one. */
static bool opens_span(str text, size_t i)
{
	for (i++; i < text.n && text.p[i] != '\n'; i++) {
		if (text.p[i] == '`')
			return true;
	}
	return false;
}

bool prose_token(str text, size_t *it, bool *tick, struct prose_token *out)
{
	size_t i = *it, j, end;

	while (i < text.n) {
		char c = text.p[i];

		if (c == '`')
			*tick = !*tick && opens_span(text, i);
		else if (c == '\n')
			*tick = false;
		if (!is_path_byte(c)) {
			i++;
			continue;
		}
		j = token_end(text, i);
		if (j < text.n && (text.p[j] == '\\' || text.p[j] == ':') &&
		    (end = windows_end(text, i, j))) {
			*out = (struct prose_token){{text.p + i, end - i}, PROSE_PATH};
			*it = end;
			return true;
		}
		if (token_kind((str){text.p + i, j - i}, *tick, out)) {
			*it = j;
			return true;
		}
		i = j;
	}
	*it = i;
	return false;
}

/* Next word of a line of code; an opening parenthesis is a word of its own. */
static bool code_word(str *rest, str *word)
{
	size_t n = 0;

	while (rest->n && str_is_space(rest->p[0]))
		*rest = str_from(*rest, 1);
	if (rest->n == 0)
		return false;
	if (rest->p[0] == '(')
		n = 1;
	while (n < rest->n && rest->p[0] != '(' && !str_is_space(rest->p[n]) &&
	       rest->p[n] != '(')
		n++;
	*word = str_head(*rest, n);
	*rest = str_from(*rest, n);
	return true;
}

str prose_defines(str line)
{
	bool indented = line.n && (line.p[0] == ' ' || line.p[0] == '\t');
	str rest = line, word;
	size_t n = 0;

	do {
		if (!code_word(&rest, &word))
			return STR_NONE;
	} while (IN(word, MODIFIERS));
	if (!IN(word, DEFINE_WORDS))
		return STR_NONE;
	if (indented && (str_eq(word, STR("let")) || str_eq(word, STR("var")) ||
			 str_eq(word, STR("const"))))
		return STR_NONE;
	if (!code_word(&rest, &word))
		return STR_NONE;
	if (str_eq(word, STR("("))) { /* the receiver of a Go method */
		while (word.p[word.n - 1] != ')') {
			if (!code_word(&rest, &word))
				return STR_NONE;
		}
		if (!code_word(&rest, &word))
			return STR_NONE;
	}
	while (n < word.n && is_word_byte(word.p[n]))
		n++;
	return n >= 4 && n <= PROSE_IDENT_MAX ? str_head(word, n) : STR_NONE;
}

/* ---- cutting ---- */

/* Where the last of the two-byte separators begins, or STR_NPOS. */
static size_t last_border(str s, const char *before_blank)
{
	for (size_t i = s.n; i-- > 1;) {
		if (s.p[i] == ' ' && s.p[i - 1] && strchr(before_blank, s.p[i - 1]))
			return i - 1;
	}
	return STR_NPOS;
}

void prose_cut(struct buf *out, str s, size_t n)
{
	str t = utf8_head(s, n);
	size_t k;

	if (s.n <= n) {
		buf_add(out, s);
		return;
	}
	k = last_border(t, ".;?!");
	if (k != STR_NPOS && k >= n * 6 / 10) {
		t = str_head(t, k + 1);
	} else {
		k = str_rchr(t, ' ');
		if (k != STR_NPOS && k >= n * 6 / 10)
			t = str_head(t, k);
	}
	buf_add(out, str_trim_right(t));
	buf_add(out, STR(PROSE_ELLIPSIS));
}

void prose_tail(struct buf *out, str s, size_t n)
{
	str t = utf8_tail(s, n);
	size_t k;

	if (s.n <= n) {
		buf_add(out, s);
		return;
	}
	k = str_find(t, STR(". "));
	if (k < n / 3)
		t = str_from(t, k + 2);
	else if ((k = str_chr(t, ' ')) != STR_NPOS)
		t = str_from(t, k + 1);
	buf_add(out, STR("\xE2\x80\xA6 "));
	buf_add(out, t);
}

void prose_squeeze(struct buf *out, str s)
{
	str rest = s, word;
	bool first = true;

	while (str_word(&rest, &word)) {
		if (!first)
			buf_byte(out, ' ');
		buf_add(out, word);
		first = false;
	}
}

/* Length of the ANSI sequence at the start of s, which begins with ESC. */
static size_t ansi_length(str s)
{
	size_t n = 2;

	if (s.n >= 2 && s.p[1] == '[') {
		while (n < s.n && s.p[n] != '\n' && (s.p[n] < '@' || s.p[n] > '~'))
			n++;
		n += n < s.n && s.p[n] != '\n';
	}
	return n < s.n ? n : s.n;
}

void prose_plain(struct buf *out, str s)
{
	while (s.n && !out->full) {
		size_t n = 0;

		while (n < s.n &&
		       ((unsigned char)s.p[n] >= ' ' || s.p[n] == '\n' || s.p[n] == '\t'))
			n++;
		buf_add(out, str_head(s, n));
		s = str_from(s, n);
		if (s.n == 0)
			break;
		if (s.p[0] != '\033')
			buf_byte(out, ' ');
		s = str_from(s, s.p[0] == '\033' ? ansi_length(s) : 1);
	}
}

/* The same for (the beginning of) one line, into a buffer on the stack. */
static str plain_line(str s, char *out)
{
	size_t used = 0;

	while (s.n && used < PROSE_LINE_BYTES) {
		if (s.p[0] == '\033') {
			s = str_from(s, ansi_length(s));
			continue;
		}
		out[used++] =
			(unsigned char)s.p[0] >= ' ' || s.p[0] == '\t' ? s.p[0] : ' ';
		s = str_from(s, 1);
	}
	return s.n ? utf8_head((str){out, used}, used - 1) : (str){out, used};
}

/* One blank for each run of white space, ends trimmed, in place. */
static str squeeze_line(str s, char *out)
{
	str rest = s, word;
	size_t used = 0;

	while (str_word(&rest, &word)) {
		if (used)
			out[used++] = ' ';
		memmove(out + used, word.p, word.n);
		used += word.n;
	}
	return (str){out, used};
}

str prose_tag(str s)
{
	size_t n = 1;

	s = str_trim(s);
	if (s.n < 3 || s.p[0] != '<')
		return STR_NONE;
	while (n < s.n && n < 40 &&
	       (str_is_alnum(s.p[n]) || s.p[n] == '-' || s.p[n] == '_'))
		n++;
	if (n <= 2 || n >= s.n || (s.p[n] != '>' && s.p[n] != ' '))
		return STR_NONE;
	return (str){s.p + 1, n - 1};
}

/* ---- sentences ---- */

struct sentences {
	struct arena *a;
	str *out;
	size_t n, max;
	bool lower;
	bool full;
	str head; /* a heading that waits for its first sentence */
};

static void sentence_put(struct sentences *s, str t)
{
	if (s->n == s->max)
		s->full = true;
	else
		s->out[s->n++] = str_trim(t);
}

/* a b, in the arena; a alone when it is full */
static str join(struct sentences *s, str a, str b)
{
	char *p = b.n < SIZE_MAX - a.n ? arena_alloc(s->a, 1, 1, a.n + b.n) : NULL;

	if (!p) {
		s->full = true;
		return a.n > b.n ? a : b;
	}
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, b.n);
	return (str){p, a.n + b.n};
}

/* A full stop, exclamation or question mark of Chinese and Japanese, which no blank follows. */
static bool is_wide_stop(str t, size_t i)
{
	str s = str_from(t, i);

	return str_starts(s, STR("\xE3\x80\x82")) || str_starts(s, STR("\xEF\xBC\x81")) ||
	       str_starts(s, STR("\xEF\xBC\x9F"));
}

static bool ends_sentence(const struct sentences *s, str t, size_t begin, size_t i)
{
	char c = t.p[i];

	if ((c != '.' && c != '!' && c != '?') || i + 2 >= t.n || t.p[i + 1] != ' ')
		return false;
	if (i - begin <= (s->lower ? 12u : 20u) || t.p[i + 2] == '/')
		return false;
	if (!s->lower && t.p[i + 2] >= 'a' && t.p[i + 2] <= 'z')
		return false;
	return memcmp(t.p + i - 3, "e.g", 3) != 0 && memcmp(t.p + i - 3, "i.e", 3) != 0;
}

static void split_line(struct sentences *s, str t)
{
	size_t begin = 0;
	bool tick = false;

	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '`')
			tick = !tick;
		if (!tick && (t.p[i] & 0x80) && is_wide_stop(t, i)) {
			sentence_put(s, (str){t.p + begin, i + 3 - begin});
			begin = i + 3;
			i += 2;
			continue;
		}
		if (tick || !ends_sentence(s, t, begin, i))
			continue;
		sentence_put(s, (str){t.p + begin, i + 1 - begin});
		begin = i + 2;
	}
	if (t.n - begin > 3 && t.n > begin)
		sentence_put(s, str_from(t, begin));
}

/* Without `**`; a copy only where there are any. */
static str without_bold(struct sentences *s, str t)
{
	size_t used = 0;
	char *p;

	if (!has(t, STR("**")))
		return t;
	p = arena_alloc(s->a, 1, 1, t.n);
	if (!p) {
		s->full = true;
		return t;
	}
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '*' && i + 1 < t.n && t.p[i + 1] == '*')
			i++;
		else
			p[used++] = t.p[i];
	}
	return (str){p, used};
}

/* The inside of a line that is one tagged text. */
static str without_tag(str t)
{
	size_t open = str_chr(t, '>'), close = str_rfind(t, STR("</"));

	if (open == STR_NPOS)
		return t;
	if (close == STR_NPOS || close <= open)
		close = t.n;
	return str_trim((str){t.p + open + 1, close - open - 1});
}

/* Length of the list mark that t begins with, 0 if none. */
static size_t list_mark(str t)
{
	size_t n = 0;

	if (str_starts(t, STR("- ")) || str_starts(t, STR("* ")))
		return 2;
	if (str_starts(t, STR("\xE2\x80\xA2 ")))
		return 4;
	while (n < t.n && n < 3 && str_is_digit(t.p[n]))
		n++;
	if (n && n + 1 < t.n && (t.p[n] == '.' || t.p[n] == ')') && t.p[n + 1] == ' ')
		return n + 2;
	return 0;
}

static void sentence_line(struct sentences *s, str t)
{
	size_t before = s->n, mark;

	if (t.n && t.p[0] == '<')
		t = without_tag(t);
	if (t.n < 4 || str_starts(t, STR("---")) || str_starts(t, STR("|--")) ||
	    str_starts(t, STR("| --")) || str_starts(t, STR("===")))
		return;
	if (t.p[0] == '#' && !s->lower) {
		s->head = strip_right(strip_chars(t, "#* "), ":");
		return;
	}
	t = without_bold(s, t);
	mark = list_mark(t);
	t = str_trim(str_from(t, mark));
	if (t.n && (t.p[0] == '|' || t.p[0] == '>'))
		t = str_trim(strip_chars(t, "|> "));
	split_line(s, t);
	if (s->n > before && s->head.n)
		s->out[before] = join(s, join(s, s->head, STR(": ")), s->out[before]);
	else if (s->n > before && mark && !s->lower)
		s->out[before] = join(s, STR("- "), s->out[before]);
	s->head = STR_NONE;
}

#define FENCE_LINES 3
#define FENCE_BYTES 170

/* The first lines of a fenced block, for the sentence with a colon before it. */
struct fence {
	bool open, wanted;
	str line[FENCE_LINES];
	size_t n, bytes;
};

static void fence_mark(struct sentences *s, struct fence *f)
{
	f->open = !f->open;
	if (f->open) {
		f->wanted = s->n && str_ends(s->out[s->n - 1], STR(":"));
		f->n = f->bytes = 0;
		return;
	}
	for (size_t i = 0; f->wanted && i < f->n; i++) {
		str *last = &s->out[s->n - 1];

		*last = join(s, join(s, join(s, *last, STR(" `")), f->line[i]), STR("`"));
	}
}

static void fence_line(struct fence *f, str t)
{
	if (!f->wanted || t.n == 0 || f->n == FENCE_LINES ||
	    f->bytes + t.n >= FENCE_BYTES || str_chr(t, '`') != STR_NPOS)
		return;
	f->bytes += t.n;
	f->line[f->n++] = t;
}

size_t prose_sentences(struct arena *a, str text, bool lower, str *out, size_t max)
{
	struct sentences s = {.a = a, .out = out, .max = max, .lower = lower};
	struct fence fence = {0};
	str rest = text, line;

	while (!s.full && str_line(&rest, &line)) {
		line = str_trim(line);
		if (str_starts(line, STR("```")))
			fence_mark(&s, &fence);
		else if (fence.open)
			fence_line(&fence, line);
		else
			sentence_line(&s, line);
	}
	return s.n;
}

float prose_value(str sentence)
{
	static const size_t n = COUNT(CUES);
	str word[COUNT(CUES)], s = sentence, low;
	char text[VALUE_BYTES + 1] = " ";
	float v = 1;
	uint64_t found;
	size_t ticks;

	_Static_assert(COUNT(CUES) <= SET_MAX, "one bit a word");
	for (size_t i = 0; i < n; i++)
		word[i] = CUES[i].word;
	while (s.n && (s.p[0] == '-' || s.p[0] == ' '))
		s = str_from(s, 1);
	low = lower_head(s, text + 1, VALUE_BYTES);
	found = find_set((str){text, low.n + 1}, word, n, NULL);
	for (size_t i = 0; i < n; i++)
		v += found >> i & 1 ? CUES[i].worth : 0;
	if (v > 8)
		v = 8;
	if (STARTS(low, CHATTER))
		v -= 2.5f;
	ticks = count_byte(sentence, '`') / 2;
	v += 0.4f * (float)(ticks < 3 ? ticks : 3);
	if (sentence.n < 30 && !ticks)
		v -= 1.5f;
	if (str_ends(sentence, STR(":")) && !str_starts(sentence, STR("- ")))
		v -= 2;
	if (str_ends(sentence, STR("?")) || str_ends(sentence, STR("\xEF\xBC\x9F")))
		v -= 0.5f;
	return v > 0 ? v : 0;
}

#define CONSTRAINT_MIN 8
#define CONSTRAINT_MAX 300

/* Output that was pasted, not said: a time stamp, a log's tag, a frame of a stack, a prompt. */
static bool is_pasted(str s)
{
	size_t digits = 0, colons = 0;
	str word = str_head(s, str_chr(s, ' '));

	if (strchr("[<>|$+{", s.p[0]))
		return true;
	for (size_t i = 0; i < word.n; i++) {
		digits += str_is_digit(word.p[i]);
		colons += word.p[i] == ':' || word.p[i] == '-';
	}
	return (digits >= 2 && colons >= 1 && str_is_digit(s.p[0])) ||
	       str_starts(s, STR("at ")) || str_ends(word, STR("]:")) ||
	       (word.n > 2 && str_ends(word, STR(":")) && colons == 1 &&
		(str_istarts(word, STR("error")) || str_istarts(word, STR("warn")) ||
		 str_istarts(word, STR("info")) || str_istarts(word, STR("debug"))));
}

/* Without words such as "ok, but" before what is ordered. */
static str after_leads(str low)
{
	size_t n, before;

	do {
		before = low.n;
		for (size_t i = 0; i < COUNT(LEADS); i++) {
			n = LEADS[i].n;
			if (!str_starts(low, LEADS[i]) || low.n <= n + 1)
				continue;
			if (low.p[n] == ',' || low.p[n] == ' ')
				low = str_trim(str_from(low, n + 1));
		}
	} while (low.n < before);
	return low;
}

static bool inner_commandment(str low)
{
	for (size_t i = 0; i < COUNT(INNER_COMMANDMENTS); i++) {
		size_t k = str_find(low, INNER_COMMANDMENTS[i]);
		str head = str_head(low, k);

		if (k == STR_NPOS || k == 0)
			continue;
		if (strchr(".,;:-", head.p[k - 1]) || str_ends(head, STR(" but")) ||
		    str_ends(head, STR(" and")) || str_ends(head, STR(" please")))
			return true;
	}
	return false;
}

int prose_constraint(str clause)
{
	char text[CONSTRAINT_MAX];
	str low, order;

	clause = str_trim(clause);
	if (clause.n < CONSTRAINT_MIN || clause.n > CONSTRAINT_MAX || is_pasted(clause))
		return 0;
	low = lower_head(clause, text, sizeof text);
	if (IN(str_head(low, str_chr(low, ' ')), QUESTION_WORDS) &&
	    !str_starts(low, STR("do not")))
		return 0;
	order = after_leads(low);
	if (STARTS(order, MUSINGS) || str_ends(low, STR("?")) ||
	    str_ends(low, STR("\xEF\xBC\x9F")))
		return 0;
	if (STARTS(low, COMMANDMENTS) || STARTS(order, COMMANDMENTS))
		return 3;
	for (size_t i = 0; i < COUNT(ENDING_COMMANDMENTS); i++) {
		if (has(low, ENDING_COMMANDMENTS[i]))
			return 3;
	}
	if (inner_commandment(low))
		return 2;
	for (size_t i = 0; i < COUNT(RESERVES); i++) {
		if (has(low, RESERVES[i]))
			return 1;
	}
	return 0;
}

/* A character of a word, of any script: no punctuation, no symbol, no picture. */
static bool is_letter(uint32_t cp)
{
	if (cp < 0x80)
		return str_is_alnum((char)cp);
	return cp >= 0xC0 && !(cp >= 0x2000 && cp <= 0x2BFF) &&
	       !(cp >= 0x3000 && cp <= 0x3004) && !(cp >= 0x3008 && cp <= 0x3020) &&
	       !(cp >= 0xFE00 && cp <= 0xFE0F) && !(cp >= 0xFF00 && cp <= 0xFF0F) &&
	       !(cp >= 0xFF1A && cp <= 0xFF20) && !(cp >= 0x1F000 && cp <= 0x1FBFF) &&
	       !(cp >= 0xE0000);
}

#define FILLER_WORDS 6
#define FILLER_BYTES 32

/* Next word of any script. */
static bool letters(str *rest, str *word)
{
	uint32_t cp;
	size_t n, len = 0;

	for (; rest->n; *rest = str_from(*rest, n)) {
		n = utf8_next(*rest, &cp);
		if (n && is_letter(cp))
			break;
		n = n ? n : 1;
	}
	while (len < rest->n && (n = utf8_next(str_from(*rest, len), &cp)) &&
	       is_letter(cp))
		len += n;
	*word = str_head(*rest, len);
	*rest = str_from(*rest, len);
	return len > 0;
}

bool prose_is_filler(str s)
{
	char low[FILLER_BYTES];
	size_t words = 0;
	str word;

	while (letters(&s, &word)) {
		if (++words > FILLER_WORDS || word.n > sizeof low ||
		    !IN(lower_head(word, low, sizeof low), FILLERS))
			return false;
	}
	return true;
}

/* ---- commands ---- */

#define CD_MAX 300 /* bytes of `cd X &&` */

/* Without leading `cd X &&`, `cd X` lines and comments. */
static str command_start(str c)
{
	for (;;) {
		size_t line = str_chr(c, '\n'), and;

		c = str_trim(c);
		line = str_chr(c, '\n');
		and = str_find(str_head(c, CD_MAX + 2), STR("&&"));
		if (str_starts(c, STR("cd ")) && and != STR_NPOS && and < CD_MAX &&
		    line >= and)
			c = str_from(c, and+2);
		else if ((str_starts(c, STR("#")) || str_starts(c, STR("cd "))) &&
			 line != STR_NPOS)
			c = str_from(c, line + 1);
		else
			return c;
	}
}

/* Lines joined by `; `, or by a blank where a quote is open or the line goes on. */
static void command_lines(struct buf *out, str c)
{
	bool whole = count_byte(c, '\'') % 2 == 0 && !has(c, STR("\\\n"));
	size_t start = out->n;
	str line;

	while (str_split(&c, '\n', &line)) {
		if (!whole && c.n && str_ends(line, STR("\\")))
			line.n--;
		line = str_trim(line);
		if (line.n == 0)
			continue;
		if (out->n > start)
			buf_add(out, whole ? STR("; ") : STR(" "));
		prose_squeeze(out, line);
	}
}

void prose_command(struct buf *out, str raw)
{
	str c = command_start(raw);
	size_t k = str_find(c, STR("<<")), line;

	if (k != STR_NPOS && k > 0) {
		line = str_chr(str_from(c, k), '\n');
		if (line != STR_NPOS) {
			command_lines(out, str_head(c, k + line));
			buf_add(out, STR(PROSE_ELLIPSIS));
			return;
		}
	}
	command_lines(out, c);
}

#define SHAPER_MAX 16 /* bytes of `| head -20` */

str prose_command_core(str command)
{
	static const str tails[] = {STR("2>&1"), STR("2>/dev/null"), STR("|| true")};
	str c = command, t, first, rest;
	size_t k;

	for (;;) {
		t = str_trim_right(c);
		for (size_t i = 0; i < COUNT(tails); i++) {
			if (str_ends(t, tails[i]))
				t = str_trim_right(str_head(t, t.n - tails[i].n));
		}
		k = str_rchr(t, '|');
		if (k != STR_NPOS && k > 0 && t.p[k - 1] != '|' && t.n - k < SHAPER_MAX) {
			rest = str_trim(str_from(t, k + 1));
			first = str_head(rest, str_chr(rest, ' '));
			if (str_eq(first, STR("head")) || str_eq(first, STR("tail")))
				t = str_trim_right(str_head(t, k));
		}
		if (t.n == c.n)
			return c;
		c = t;
	}
}

/* NAME of `NAME=value`, in capitals. */
static bool is_assignment(str w)
{
	size_t eq = str_chr(w, '=');
	bool upper = false;

	if (eq == STR_NPOS)
		return false;
	for (size_t i = 0; i < eq; i++) {
		if (w.p[i] >= 'a' && w.p[i] <= 'z')
			return false;
		upper |= w.p[i] >= 'A' && w.p[i] <= 'Z';
	}
	return upper;
}

void prose_family(struct buf *out, str command)
{
	str rest = command, w;
	size_t n = 0, most = 2;

	while (str_split(&rest, ' ', &w)) {
		if ((n == 0 && is_assignment(w)) || IN(w, FAMILY_SKIPS))
			continue;
		if (w.n > 1 && str_is_digit(w.p[0]) && w.p[1] == '>')
			return; /* 2>&1 */
		if (w.n == 0 || strchr("-|&>;\"'$<(", w.p[0]) || n >= most ||
		    (n && str_chr(w, '/') != STR_NPOS))
			return;
		if (n == 0 && IN(w, DEEP_FAMILIES))
			most = 3;
		if (n++)
			buf_byte(out, ' ');
		buf_add(out, w);
	}
}

static bool checks(str word)
{
	str base = str_basename(word), rest = word, part;

	if (IN(base, CHECK_PROGRAMS))
		return true;
	while (str_split(&rest, ':', &part)) {
		if (IN(part, CHECK_WORDS))
			return true;
	}
	return str_chr(word, '/') != STR_NPOS && str_ends(word, STR(".sh")) &&
	       (has(base, STR("test")) || has(base, STR("lint")) ||
		has(base, STR("check")) || has(base, STR("build")));
}

static bool separates(str w)
{
	return str_eq(w, STR("&&")) || str_eq(w, STR("|")) || str_eq(w, STR(";")) ||
	       str_eq(w, STR("||"));
}

bool prose_is_check(str command)
{
	str rest = command, w;

	for (size_t i = 0; i < 6 && str_split(&rest, ' ', &w) && !separates(w); i++) {
		if (i == 0 && IN(w, NO_CHECKS))
			return false;
		if (checks(w))
			return true;
	}
	return false;
}

bool prose_is_explore(str command)
{
	return IN(str_head(command, str_chr(command, ' ')), EXPLORERS);
}

bool prose_is_act(str command)
{
	return STARTS(command, ACTS);
}

/*
 * Where the last command of a line begins: after the last `|`, `;` or `&` outside quotes.
 * pipe: whether there is a single `|`.
 */
static size_t last_command(str c, bool *pipe)
{
	size_t begin = 0;
	char quote = 0;

	*pipe = false;
	for (size_t i = 0; i < c.n; i++) {
		char b = c.p[i];

		if (b == '\\') {
			i++;
		} else if (quote) {
			if (b == quote)
				quote = 0;
		} else if (b == '"' || b == '\'') {
			quote = b;
		} else if (b == '|' || b == ';' || (b == '&' && i && c.p[i - 1] != '>')) {
			*pipe |= b == '|' && (i + 1 == c.n || c.p[i + 1] != '|') &&
				 (i == 0 || c.p[i - 1] != '|');
			begin = i + 1;
		}
	}
	return begin;
}

bool prose_shrugs(str command)
{
	static const str programs[] = {
		STR("grep"), STR("egrep"), STR("rg"),    STR("diff"),  STR("cmp"),
		STR("test"), STR("["),     STR("pgrep"), STR("which"), STR("command"),
	};
	bool pipe;
	str last = str_trim(str_from(command, last_command(command, &pipe)));
	str word = str_head(last, str_chr(last, ' '));

	return IN(str_basename(word), programs) || str_starts(last, STR("git diff")) ||
	       str_starts(last, STR("git grep"));
}

bool prose_is_piped(str command)
{
	bool pipe;

	last_command(command, &pipe);
	return pipe;
}

/* ---- errors and results ---- */

#define ECHO_PARTS   8
#define ECHO_LETTERS 6

/* The fixed parts of what one `echo` prints; variables stand between them. */
struct echo {
	str part[ECHO_PARTS];
	size_t n, letters;
	bool open_start, open_end; /* a variable stands first, last */
};

static void echo_part(struct echo *e, str s)
{
	s = str_trim(s);
	if (s.n == 0 || e->n == ECHO_PARTS)
		return;
	for (size_t i = 0; i < s.n; i++)
		e->letters += str_is_alpha(s.p[i]) || (s.p[i] & 0x80);
	e->part[e->n++] = s;
	e->open_end = false;
}

/* Length of `$name`, `${...}`, `$(...)` at the start of s. */
static size_t variable_length(str s)
{
	size_t n = 1, depth = 0;
	char open = s.n > 1 ? s.p[1] : 0, close = open == '{' ? '}' : ')';

	if (open != '{' && open != '(') {
		while (n < s.n && (str_is_alnum(s.p[n]) || s.p[n] == '_'))
			n++;
		return n;
	}
	for (; n < s.n; n++) {
		depth += s.p[n] == open;
		if (s.p[n] == close && --depth == 0)
			return n + 1;
	}
	return s.n;
}

/* Take the words of an `echo` off *s, up to what ends the command. */
static void echo_parse(struct echo *e, str *s)
{
	size_t begin = 0, i = 0, skip;
	char quote = 0;

	*e = (struct echo){.n = 0};
	while (i < s->n) {
		char c = s->p[i];

		if (!quote && strchr(";|&\n>)", c))
			break;
		skip = 0;
		if ((c == '"' || c == '\'') && (!quote || quote == c)) {
			quote = quote ? 0 : c;
			skip = 1;
		} else if (c == '$' && quote != '\'') {
			skip = variable_length(str_from(*s, i));
		} else if ((c == '%' || c == '\\') && i + 1 < s->n) {
			skip = 2; /* of printf; an escape */
		}
		if (!skip) {
			i++;
			continue;
		}
		echo_part(e, (str){s->p + begin, i - begin});
		if (c == '$' || c == '%') {
			e->open_start |= e->n == 0;
			e->open_end = true;
		}
		i += skip;
		begin = i;
	}
	i = i < s->n ? i : s->n;
	if (begin < i)
		echo_part(e, (str){s->p + begin, i - begin});
	*s = str_from(*s, i);
}

static bool echo_fits(const struct echo *e, str line)
{
	size_t at = 0, k;

	if (e->n == 0 || e->letters < ECHO_LETTERS)
		return false;
	for (size_t i = 0; i < e->n; i++) {
		k = str_find(str_from(line, at), e->part[i]);
		if (k == STR_NPOS || (i == 0 && k > 0 && !e->open_start))
			return false;
		at += k + e->part[i].n;
	}
	return e->open_end || at == line.n;
}

/* The command itself holds the line, or prints it whatever happens: that is no evidence. */
static bool is_own_text(str command, str line)
{
	static const str words[] = {STR("echo "), STR("printf ")};
	struct echo e;

	if (line.n == 0)
		return false;
	if (has(command, line))
		return true;
	for (size_t w = 0; w < COUNT(words); w++) {
		str rest = command;
		size_t k;

		while ((k = str_find(rest, words[w])) != STR_NPOS) {
			rest = str_from(rest, k + words[w].n);
			echo_parse(&e, &rest);
			if (echo_fits(&e, line))
				return true;
		}
	}
	return false;
}

/* The first error word of the list: 3 at the start of the line, 2 inside, 0 none. */
static int error_word(str low)
{
	size_t at[COUNT(ERROR_WORDS)] = {0};
	uint64_t found = find_set(low, ERROR_WORDS, COUNT(ERROR_WORDS), at);

	_Static_assert(COUNT(ERROR_WORDS) <= SET_MAX, "one bit a word");
	for (size_t i = 0; i < COUNT(ERROR_WORDS); i++) {
		size_t end = at[i] + ERROR_WORDS[i].n;
		char before = at[i] ? low.p[at[i] - 1] : 0;
		char after = end < low.n ? low.p[end] : 0;

		if (!(found >> i & 1) || after == '-' || after == '_')
			continue;
		/* part of a longer name, unless it is `x_failed` */
		if ((before == '-' || before == '_') &&
		    !str_eq(ERROR_WORDS[i], STR("failed")))
			continue;
		return at[i] == 0 ? 3 : 2;
	}
	return 0;
}

/* A word `file.ext:NN`. */
static bool has_place(str t)
{
	str rest = t, word, file, line;

	while (str_split(&rest, ' ', &word)) {
		if (!str_split(&word, ':', &file) || !str_split(&word, ':', &line))
			continue;
		if (str_chr(str_from(file, 1), '.') != STR_NPOS && all_digits(line))
			return true;
	}
	return false;
}

/* `file.go:12:3: ...`: one of the second and third parts begins with a digit. */
static bool has_position(str t)
{
	str rest = t, part;

	for (size_t i = 0; i < 3 && str_split(&rest, ':', &part); i++) {
		if (i && part.n && str_is_digit(part.p[0]))
			return true;
	}
	return false;
}

static int error_details(str t, str low)
{
	static const str harmless[] = {
		STR("warning"), STR("note:"), STR("hint:"),    STR("#"),
		STR("//"),      STR("*"),     STR("+"),        STR("- "),
		STR("ok"),      STR("pass"),  STR("--- pass"), STR("\xE2\x9C\x93"),
	};
	int n = 0;

	n += has(str_head(t, 200), STR(": ")) ? 1 : 0;
	if (has(str_head(t, 160), STR("rror:")) || str_starts(low, STR("error")) ||
	    str_starts(low, STR("fatal")) || str_starts(low, STR("panic")) ||
	    has(str_head(low, 60), STR(" blocked")))
		n += 2;
	n += has_position(str_head(t, 160)) ? 2 : 0;
	if (str_starts(low, STR("0 error")) || str_starts(low, STR("no error")) ||
	    has(low, STR(" 0 failed")) || has(low, STR("0 errors")) ||
	    has(str_head(low, 12), STR("exit code")))
		n -= 4;
	if (has(str_head(low, 200), STR("warning:")) || STARTS(low, harmless))
		n -= 3;
	return t.n > 400 ? n - 2 : n;
}

int prose_error_score(str line, bool hard)
{
	char text[SCORE_BYTES];
	str t = str_trim(line), low;
	int n;

	if (t.n < 6)
		return 0;
	low = lower_head(t, text, sizeof text);
	n = error_word(low);
	if (str_starts(t, STR("FAIL")) || str_starts(t, STR("--- FAIL")) ||
	    str_starts(t, STR("\xE2\x9C\x97")) || str_starts(t, STR("\xC3\x97")))
		n = 4;
	if (!n && hard && has_place(str_head(t, 160)))
		n = 2;
	if (!n || has(t, STR("^[[")))
		return 0;
	if (((str_starts(low, STR("make")) || str_starts(low, STR("npm err"))) &&
	     has(t, STR("***"))) ||
	    has(low, STR("process completed with exit code")) ||
	    has(low, STR("elifecycle")))
		return 1; /* says only that something above failed */
	n += error_details(t, low);
	return n > 0 ? n : 0;
}

/* The line without frame characters, a log's time stamp and a log's prefix before `error:`. */
static str error_text(str l)
{
	static const str frame[] = {STR("\xE2\x94\x83"), STR("\xE2\x94\x82"),
				    STR("\xC3\x97"), STR(" ")};
	size_t k;

	l = str_trim(l);
	for (size_t i = 0; i < COUNT(frame); i++) {
		if (str_starts(l, frame[i])) {
			l = str_from(l, frame[i].n);
			i = STR_NPOS; /* from the first one again */
		}
	}
	l = str_trim(l);
	if (str_starts(l, STR("20")) && l.n > 10 && l.p[10] == 'T' &&
	    (k = str_chr(str_head(l, 40), ' ')) != STR_NPOS)
		l = str_from(l, k + 1);
	k = str_find(l, STR("rror:"));
	if (k != STR_NPOS && k > 40 && count_byte(str_head(l, k), ' ') > 2)
		l = str_from(l, str_rchr(str_head(l, k), ' ') + 1);
	return l;
}

struct candidate {
	int score;
	size_t line;
	size_t n;
	char text[PROSE_LINE_BYTES];
};

static str candidate_str(const struct candidate *c)
{
	return (str){c->text, c->n};
}

static void candidate_set(struct candidate *c, int score, size_t line, str text)
{
	c->score = score;
	c->line = line;
	c->n = text.n;
	memcpy(c->text, text.p, text.n);
}

/* The two best lines, the better one first, of equal ones the earlier. */
static size_t best_lines(str output, str command, bool hard, struct candidate best[2])
{
	char plain[PROSE_LINE_BYTES], tight[PROSE_LINE_BYTES];
	str line, l;
	size_t n = 0, number = 0;

	while (str_split(&output, '\n', &line)) {
		int score;

		l = error_text(plain_line(line, plain));
		score = prose_error_score(l, hard);
		number++;
		if (score <= 0 || (n == 2 && score <= best[1].score))
			continue;
		l = squeeze_line(l, tight);
		if (is_own_text(command, l))
			continue;
		if (n && score > best[0].score) {
			best[1] = best[0];
			candidate_set(&best[0], score, number, l);
		} else {
			candidate_set(&best[n ? 1 : 0], score, number, l);
		}
		n = n ? 2 : 1;
	}
	return n;
}

size_t prose_error_lines(struct arena *a, str output, str command, bool hard, str out[2])
{
	struct candidate best[2], *first = &best[0], *second = &best[1];
	size_t n = best_lines(output, command, hard, best), kept = 0;
	struct buf cut = BUF_INIT(PROSE_ERROR_CUT + 8);
	int apart;

	if (n == 2) {
		apart = best[0].score - best[1].score;
		if (apart > 2 || best[0].n < 9 || best[1].n < 9 ||
		    str_eq(candidate_str(first), candidate_str(second))) {
			first = best[0].n < 9 ? second : first;
			n = 1;
		} else if (best[1].line < best[0].line) {
			first = &best[1];
			second = &best[0];
		}
	}
	for (size_t i = 0; i < n; i++) {
		buf_reset(&cut);
		prose_cut(&cut, candidate_str(i ? second : first), PROSE_ERROR_CUT);
		out[kept] = arena_str(a, buf_str(&cut));
		kept += out[kept].n > 0;
	}
	buf_release(&cut);
	return kept;
}

/* Where the last n lines of s begin. */
static str last_lines(str s, size_t n)
{
	size_t i = s.n;

	while (i > 0) {
		if (s.p[i - 1] == '\n' && n-- == 1)
			break;
		i--;
	}
	return str_from(s, i);
}

static bool is_tally(str l, str command)
{
	char text[PROSE_LINE_BYTES];
	str t = str_trim(l), low;
	bool digit = false;

	if (t.n <= 3 || t.n >= 160 || has(l, STR(" | ")) || has(l, STR("::")))
		return false;
	low = lower_head(l, text, sizeof text);
	if (!find_set(low, TALLY_WORDS, COUNT(TALLY_WORDS), NULL) ||
	    is_own_text(command, t))
		return false;
	for (size_t i = 0; i < l.n; i++)
		digit |= str_is_digit(l.p[i]);
	return digit || has(low, STR("all ")) || has(low, STR("no "));
}

void prose_tally(struct buf *out, str output, str command)
{
	char plain[PROSE_LINE_BYTES], tight[PROSE_LINE_BYTES];
	str rest = last_lines(output, PROSE_TALLY_TAIL), line, l, last[3];
	struct buf joined = BUF_INIT(3 * 162);
	size_t n = 0;

	while (str_split(&rest, '\n', &line)) {
		if (is_tally(plain_line(line, plain), command))
			last[n++ % 3] = line;
	}
	for (size_t i = n > 3 ? n - 3 : 0; i < n; i++) {
		l = strip_chars(plain_line(last[i % 3], plain), "= ");
		if (joined.n)
			buf_add(&joined, STR(", "));
		buf_add(&joined, squeeze_line(l, tight));
	}
	prose_cut(out, buf_str(&joined), PROSE_TALLY_CUT);
	buf_release(&joined);
}

/* Next word of a tally; commas and parentheses separate as blanks do. */
static bool tally_word(str *rest, str *word)
{
	size_t n = 0;

	while (rest->n && (str_is_space(rest->p[0]) || strchr(",(", rest->p[0])))
		*rest = str_from(*rest, 1);
	while (n < rest->n && !str_is_space(rest->p[n]) && rest->p[n] != ',' &&
	       rest->p[n] != '(')
		n++;
	*word = str_head(*rest, n);
	*rest = str_from(*rest, n);
	return n > 0;
}

static bool above_zero(str s)
{
	return all_digits(s) && strip_chars(s, "0").n > 0;
}

bool prose_tally_fails(str tally)
{
	str rest = tally, before = STR_NONE, word, after, ahead;

	while (tally_word(&rest, &word)) {
		if (str_istarts(word, STR("fail")) || str_istarts(word, STR("error"))) {
			ahead = rest;
			tally_word(&ahead, &after);
			if (above_zero(before) ||
			    (!all_digits(before) && str_ends(word, STR(":")) &&
			     above_zero(after)))
				return true;
		}
		before = word;
	}
	return has(tally, STR("FAIL"));
}
