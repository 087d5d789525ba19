/*
 * Decisions and dead ends, told by their words. A sentence is taken when it says who chose
 * (or gave up) and what: one of the two alone is how bugs, options and summaries are told.
 * Better none than a wrong one: it would be put before every later session.
 */
#include "work/prose_impl.h"

#define VERDICT_MIN 24
#define VERDICT_MAX 420
#define SUBJECT_MAX 48 /* bytes of a sentence in which its subject stands */

/* Asked, offered, supposed: nothing is settled yet. */
static const str OPEN[] = {
	STR("would you"),  STR("do you want"), STR("want me to"),    STR("should i "),
	STR("should we"),  STR("shall i"),     STR("let me know"),   STR("which do you"),
	STR("could also"), STR("i could "),    STR("we could "),     STR("you could "),
	STR("if you "),    STR("or should"),   STR("alternatively"), STR("option a"),
	STR("option b"),   STR("option 1"),    STR("option 2"),      STR("might "),
	STR("perhaps"),    STR("maybe "),      STR("not sure"),      STR("your call"),
	STR("happy to"),   STR("unless you"),  STR("if it "),        STR("if that "),
};

/* Says by itself that somebody chose. */
static const str CHOSE[] = {
	STR("i decided"),
	STR("we decided"),
	STR("i've decided"),
	STR("decided to "),
	STR("decided against"),
	STR("decided on "),
	STR("i chose "),
	STR("we chose "),
	STR("i've chosen"),
	STR("opted for"),
	STR("opting for"),
	STR("opted to"),
	STR("settled on"),
	STR("settling on"),
	STR("i went with"),
	STR("i'm going with"),
	STR("i'll go with"),
	STR("let's go with"),
	STR("we'll go with"),
	STR("we went with"),
	STR("going with "),
	STR("i'll stick with"),
	STR("let's stick with"),
	STR("i'll keep it "),
	STR("decision: "),
	STR("the decision is"),
	STR("simplest approach is"),
	STR("best approach is"),
	STR("cleanest approach is"),
	STR("right approach is"),
	STR("practical approach is"),
	STR("simplest fix is"),
	STR("cleanest fix is"),
	STR("right fix is"),
	STR("proper fix is"),
	STR("simplest solution is"),
	STR("cleanest solution is"),
	STR("best solution is"),
	STR("real fix is"),
	STR("safe fix is"),
	STR("the approach: "),
	STR("agreed — "),
	STR("i won't touch"),
	STR("leaving it out of scope"),
};

/* One thing and not another. */
static const str CHOICE[] = {
	STR(" instead of "),  STR(" instead"),       STR(" rather than "),
	STR(" in favor of "), STR(" in favour of "), STR("switch to "),
	STR("switching to "), STR("switched to "),   STR("change it to use "),
	STR("instead, "),     STR("no longer "),
};

/* Who did or will do it... */
static const str SUBJECT[] = {
	STR("i'll "),         STR("i will "),   STR("we'll "),     STR("we will "),
	STR("let's "),        STR("let me "),   STR("i've "),      STR("i have "),
	STR("we should "),    STR("i should "), STR("i need to "), STR("we need to "),
	STR("i'm going to "), STR("i "),        STR("we "),
};

/* ...and what: a verb that changes something. */
static const str DOING[] = {
	STR("use "),     STR("using "),    STR("used "),  STR("keep "),   STR("kept "),
	STR("make "),    STR("made "),     STR("add "),   STR("added "),  STR("store "),
	STR("put "),     STR("switch"),    STR("change"), STR("replace"), STR("update"),
	STR("move"),     STR("implement"), STR("build"),  STR("write "),  STR("create"),
	STR("delegate"), STR("reuse"),     STR("avoid"),  STR("extend"),  STR("refactor"),
	STR("handle"),   STR("treat"),     STR("pass "),  STR("return "), STR("set "),
	STR("swap"),     STR("drop"),      STR("skip"),   STR("split"),   STR("merge"),
	STR("fix"),      STR("call "),     STR("have "),  STR("do "),     STR("convert"),
	STR("remove"),   STR("removed"),   STR("wrap"),   STR("stay"),    STR("load"),
};

/* What a person writes who settles something, at the start of a sentence. */
static const str TOLD[] = {
	STR("let's go with"),    STR("let's use "),    STR("go with "),
	STR("we decided"),       STR("i decided"),     STR("i prefer "),
	STR("let's stick with"), STR("let's abandon"), STR("let's drop "),
	STR("let's keep "),      STR("let's not "),
};

/* It was tried, or looked into, and is no way. */
static const str FAILED[] = {
	STR("dead end"),
	STR("already tried"),
	STR("approach fail"),
	STR("approach doesn't"),
	STR("approach didn't"),
	STR("approach won't"),
	STR("approach does not"),
	STR("approach will not"),
	STR("tried that and"),
	STR("didn't work because"),
	STR("doesn't work because"),
	STR("won't work because"),
	STR("did not work because"),
	STR("does not work because"),
	STR("didn't help"),
	STR("gave up on"),
	STR("giving up on"),
	STR("i reverted"),
	STR("let me revert"),
	STR("let me undo"),
	STR("i abandoned"),
	STR("rolled back"),
	STR("rolling back"),
	STR("abandoning "),
	STR("and it broke"),
	STR("turned out not to"),
	STR("wouldn't fix it"),
	STR("won't fix it"),
	STR("would only mask"),
	STR("which is blocked by"),
	STR("aren't available to"),
	STR("not available in this"),
	STR("can't be used"),
	STR("cannot be used"),
	STR("isn't possible"),
	STR("is not possible"),
	STR("not feasible"),
};

/* What something cannot do: a dead end where the sentence is about a tool, not about a file of ours. */
static const str CANNOT[] = {
	STR("doesn't support "), STR("does not support "), STR("isn't supported"),
	STR("is not supported"), STR("aren't supported"),  STR("are not supported"),
	STR("didn't work"),      STR("did not work"),      STR("won't work"),
	STR("will not work"),
};

/* Begins that make of it a plan to look, or somebody else's case. */
static const str LOOKING[] = {
	STR("let me try"),   STR("let's try"),   STR("i'll try"), STR("let me check"),
	STR("let me see"),   STR("let me look"), STR("if "),      STR("when "),
	STR("whether "),     STR("tests that"),  STR("ensure"),   STR("verify"),
	STR("note that if"),
};

static str lead_off(str low)
{
	static const str LEADS[] = {
		STR("now "),   STR("so "),        STR("ok, "),
		STR("okay, "), STR("good. "),     STR("first, "),
		STR("then "),  STR("actually, "), STR("wait, "),
		STR("ah, "),   STR("yes, "),      STR("yeah "),
		STR("but "),   STR("and "),       STR("instead, "),
		STR("- "),     STR("therefore "), STR("therefore, "),
		STR("here "),  STR("also "),
	};
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < COUNT(LEADS); i++)
			if (str_starts(low, LEADS[i])) {
				low = str_from(low, LEADS[i].n);
				more = true;
			}
	}
	return low;
}

static bool chooses(str low)
{
	return str_starts(low, STR("rather than ")) ||
	       str_starts(low, STR("instead of ")) || HAS(low, CHOICE);
}

/* "Now let me update ...": a step of what was settled before. */
static bool is_step(str low)
{
	static const str STEP[] = {STR("now "), STR("good. now "), STR("next, "),
				   STR("then "), STR("first, ")};

	return STARTS(low, STEP);
}

/* "i'll use ...", "we should keep ...": the subject near the start, what is done right behind it. */
static bool someone_does(str low)
{
	size_t at[COUNT(SUBJECT)];
	uint64_t found = prose_find_set(low, SUBJECT, COUNT(SUBJECT), at);

	for (size_t i = 0; i < COUNT(SUBJECT); i++) {
		str rest;

		if (!(found >> i & 1) || at[i] > SUBJECT_MAX ||
		    (at[i] && low.p[at[i] - 1] != ' ' && low.p[at[i] - 1] != '('))
			continue;
		rest = str_from(low, at[i] + SUBJECT[i].n);
		if (STARTS(rest, DOING))
			return true;
	}
	return false;
}

static bool is_prose(str s)
{
	return s.n >= VERDICT_MIN && s.n <= VERDICT_MAX && !prose_asks(s) &&
	       !memchr("|#>`[{<*", s.p[0], 8) && str_chr(s, '|') == STR_NPOS;
}

/* Typographic apostrophes as plain ones; s fits into out. */
static str straight(str s, char *out)
{
	size_t n = 0;

	while (s.n) {
		bool curly = str_starts(s, STR("\xe2\x80\x99"));

		out[n++] = curly ? '\'' : s.p[0];
		s = str_from(s, curly ? 3 : 1);
	}
	return (str){out, n};
}

enum prose_verdict prose_verdict(str s, bool user)
{
	char text[VERDICT_MAX + 1], plain[VERDICT_MAX + 1];
	bool step;
	str low;

	if (!is_prose(s))
		return PROSE_VERDICT_NONE;
	low = prose_lower_head(straight(s, plain), text, VERDICT_MAX);
	step = is_step(low);
	low = lead_off(low);
	if (HAS(low, OPEN))
		return PROSE_VERDICT_NONE;
	if (user)
		return STARTS(low, TOLD) ? PROSE_VERDICT_DECISION : PROSE_VERDICT_NONE;
	if (HAS(low, FAILED) && !STARTS(low, LOOKING))
		return PROSE_VERDICT_DEADEND;
	if (STARTS(low, LOOKING))
		return PROSE_VERDICT_NONE;
	if (HAS(low, CANNOT) && !someone_does(low))
		return PROSE_VERDICT_DEADEND;
	if (HAS(low, CHOSE) || (!step && chooses(low) && someone_does(low)))
		return PROSE_VERDICT_DECISION;
	return PROSE_VERDICT_NONE;
}
