/*
 * Decisions and dead ends, told by their words. A sentence is taken when it says who chose
 * (or gave up) and what: one of the two alone is how bugs, options and summaries are told.
 * Better none than a wrong one: it would be put before every later session.
 *
 * Three kinds of decision: the word says that somebody chose; a fix, a way, an approach is
 * called the right one; somebody does one thing and not another, or one thing for a reason.
 * How a step is done (with which command, in which order) is none.
 */
#include "work/prose_impl.h"

#define VERDICT_MIN 24
#define TOLD_MIN    12 /* of a person, who says it in few words */
#define VERDICT_MAX 300
#define SUBJECT_MAX 48 /* bytes of a sentence in which its subject stands */
#define SINCE_MAX   160
#define WAY_MAX     32 /* bytes between "simplest" and "approach" */

/* Asked, offered, supposed: nothing is settled yet. */
static const str OPEN[] = {
	STR("would you"),   STR("do you want"), STR("want me to"),    STR("should i "),
	STR("should we"),   STR("shall i"),     STR("let me know"),   STR("which do you"),
	STR("could also"),  STR("i could "),    STR("we could "),     STR("you could "),
	STR("if you "),     STR("or should"),   STR("alternatively"), STR("option a"),
	STR("option b"),    STR("option 1"),    STR("option 2"),      STR("might "),
	STR("perhaps"),     STR("maybe "),      STR("not sure"),      STR("your call"),
	STR("happy to"),    STR("unless you"),  STR("if it "),        STR("if that "),
	STR("i'd suggest"), STR("i suggest"),   STR("i'd recommend"), STR("i recommend"),
	STR("one option"),  STR("up to you"),   STR("say the word"),  STR("probably "),
	STR("left open"),   STR("leave open"),  STR("for example"),   STR("suppose "),
	STR("to decide"),   STR("ideally"),
};

/* Says by itself that somebody chose. */
static const str CHOSE[] = {
	STR("i decided"),          STR("we decided"),         STR("i've decided"),
	STR("decided to "),        STR("decided against"),    STR("decided on "),
	STR("i chose "),           STR("we chose "),          STR("i've chosen"),
	STR("opted for"),          STR("opting for"),         STR("opted to"),
	STR("settled on"),         STR("settling on"),        STR("i went with"),
	STR("we went with"),       STR("i've gone with"),     STR("decision: "),
	STR("the decision is"),    STR("the decision was"),   STR("agreed \xe2\x80\x94 "),
	STR("agreed: "),           STR("as agreed, "),        STR("we agreed "),
	STR("deliberately not "),  STR("deliberately left"),  STR("deliberately kept"),
	STR("intentionally not "), STR("intentionally left"), STR("intentionally kept"),
	STR("was chosen over"),    STR("were chosen over"),   STR("i picked "),
	STR("we picked "),
};

/* The same, of what is about to be done. */
static const str WILL[] = {
	STR("i'm going with"),   STR("i'll go with"),     STR("let's go with"),
	STR("we'll go with"),    STR("going with "),      STR("i'll stick with"),
	STR("let's stick with"), STR("i'll keep it "),    STR("i won't touch"),
	STR("i will go with"),   STR("we'll stick with"), STR("i won't change"),
};

/* Left as it is because it is somebody else's. */
static const str LEFT[] = {
	STR("leav"), STR("won't"), STR("not touch"), STR("skip"), STR("will not"),
};

/* The right one... */
static const str RIGHT[] = {
	STR("simplest"),  STR("simpler"), STR("cleanest"), STR("cleaner"),
	STR("best"),      STR("better"),  STR("right"),    STR("correct"),
	STR("proper"),    STR("safest"),  STR("safer"),    STR("safe"),
	STR("practical"), STR("real"),    STR("robust"),   STR("consistent"),
	STR("pragmatic"), STR("minimal"), STR("only"),     STR("smallest"),
	STR("least"),
};

/* ...of these... */
static const str WAY[] = {
	STR("approach"), STR("fix"),   STR("solution"), STR("way"),
	STR("option"),   STR("route"), STR("choice"),
};

/* ...is this. */
static const str IS[] = {
	STR(" is "), STR(": "), STR(" here is "), STR(" here: "), STR(" was to "),
};

/* What becomes of it, instead of what it is. */
static const str UNSETTLED[] = {
	STR("not "),      STR("unclear"),  STR("hard"),      STR("to ask"),
	STR("to check"),  STR("if "),      STR("working"),   STR("done"),
	STR("complete"),  STR("verified"), STR("confirmed"), STR("in place"),
	STR("now "),      STR("already "), STR("live"),      STR("tested"),
	STR("applied"),   STR("landed"),   STR("merged"),    STR("ready"),
	STR("that "),     STR("what "),    STR("when "),     STR("where "),
	STR("good"),      STR("still "),   STR("also "),     STR("deployed"),
	STR("committed"), STR("pushed"),
};

/* Without "right" before it, only what says what is to be done. */
static const str BARE[] = {
	STR("fix is to "),           STR("solution is to "),
	STR("approach is to "),      STR("the fix: "),
	STR("fix is simple: "),      STR("the approach: "),
	STR("approach here is to "), STR("the solution: "),
	STR("fix here is to "),
};

/* One thing and not another. */
static const str CHOICE[] = {
	STR(" instead of "),  STR(" instead"),       STR(" rather than "),
	STR(" in favor of "), STR(" in favour of "), STR("switch to "),
	STR("switching to "), STR("switched to "),   STR("change it to use "),
	STR("instead, "),     STR("no longer "),     STR(", not "),
};

static const str REASON[] = {
	STR(" because "), STR(" since "), STR(" so that "), STR(" to avoid "),
	STR(" to keep "), STR(", so "),   STR(" so it"),    STR(" so they "),
	STR(" so the "),  STR(" so we "), STR(" so you "),  STR(" so there"),
};

/* Who will do it... */
static const str SUBJECT[] = {
	STR("i'll "),       STR("i will "),    STR("we'll "),      STR("we will "),
	STR("let's "),      STR("i've "),      STR("i have "),     STR("we should "),
	STR("i should "),   STR("i need to "), STR("we need to "), STR("i'm going to "),
	STR("i'm "),        STR("we're "),     STR("we've "),      STR("i want to "),
	STR("we want to "),
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
	STR("exclude"),  STR("include"),   STR("send "),  STR("leave "),  STR("left "),
};

/* "let me fix it to use ..." carries out; these choose. */
static const str LET_ME[] = {STR("let me ")};
static const str CHANGING[] = {
	STR("use "),   STR("keep "),     STR("store "), STR("make "),  STR("put "),
	STR("switch"), STR("drop "),     STR("skip "),  STR("split "), STR("avoid "),
	STR("reuse "), STR("delegate "), STR("treat "),
};

/* What is said of the past was done; of the present, it is how the thing works. */
static const str DID[] = {STR("i "), STR("we ")};
static const str DONE[] = {
	STR("used "),     STR("kept "),     STR("made "),     STR("added "),
	STR("switched "), STR("changed "),  STR("replaced "), STR("moved "),
	STR("dropped "),  STR("removed "),  STR("stored "),   STR("merged "),
	STR("wrapped "),  STR("left "),     STR("reused "),   STR("converted "),
	STR("avoided "),  STR("deferred "),
};

/* With a reason, these are choices by themselves; with "let me" they are steps. */
static const str PURPOSE_SUBJECT[] = {
	STR("i'll "),  STR("i will "), STR("we'll "), STR("we will "),
	STR("let's "), STR("i've "),   STR("i'm "),
};
static const str LASTING[] = {
	STR("keep "),      STR("kept "),  STR("keeping "), STR("leave "),    STR("left "),
	STR("leaving "),   STR("store "), STR("stored "),  STR("storing "),  STR("avoid"),
	STR("stick with"), STR("drop "),  STR("dropped "), STR("dropping "), STR("defer"),
	STR("reuse "),     STR("use "),   STR("used "),    STR("using "),    STR("made "),
};
static const str HAVING_DONE[] = {
	STR("kept "),   STR("left "), STR("stored "),   STR("dropped "), STR("used "),
	STR("reused "), STR("made "), STR("deferred "), STR("avoided "),
};
static const str GERUND[] = {
	STR("leaving "),  STR("keeping "),       STR("dropping "),   STR("deferring "),
	STR("skipping "), STR("sticking with "), STR("going with "), STR("switching to "),
};

/* How a step is done: with a command, a tool, bit by bit. */
static const str STEP[] = {
	STR(" sed"),          STR("`sed"),          STR(" jq "),
	STR("`jq"),           STR(" grep"),         STR("`grep"),
	STR("`rg"),           STR("`awk"),          STR(" awk"),
	STR(" curl"),         STR("`curl"),         STR("heredoc"),
	STR("here-string"),   STR("python script"), STR("python3"),
	STR("`python"),       STR("node script"),   STR(" bash "),
	STR("a script"),      STR(" tool"),         STR("subagent"),
	STR("sub-agent"),     STR("agent "),        STR("web search"),
	STR("different way"), STR("another way"),   STR("different appro"),
	STR("another appro"), STR("explicit loop"), STR("full path"),
	STR("absolute path"), STR("chunk"),         STR("in pieces"),
	STR("one by one"),    STR("one at a time"), STR("step by step"),
	STR("todo list"),     STR("temp file"),     STR("temporary file"),
	STR("scratch"),       STR("in parallel"),   STR("in the background"),
	STR("timeout"),       STR("manually"),      STR("more targeted"),
	STR("more specific"), STR("the output"),    STR("re-run"),
	STR("stash"),         STR("look at"),       STR("`cat"),
	STR("`find"),         STR("`git "),
};

/* What a person writes who settles something, at the start of a sentence. */
static const str TOLD[] = {
	STR("let's go with"),    STR("let's use "),       STR("go with "),
	STR("we decided"),       STR("i decided"),        STR("i prefer "),
	STR("let's stick with"), STR("let's abandon"),    STR("let's drop "),
	STR("let's keep "),      STR("let's not "),       STR("let's leave"),
	STR("lets go with"),     STR("lets use "),        STR("lets keep "),
	STR("lets leave"),       STR("lets not "),        STR("lets drop "),
	STR("lets stick with"),  STR("let's skip"),       STR("lets skip"),
	STR("let's defer"),      STR("let's postpone"),   STR("we'll go with"),
	STR("i'd rather "),      STR("i'd prefer "),      STR("i would prefer"),
	STR("stick with "),      STR("we'll use "),       STR("we will use "),
	STR("leave it as"),      STR("leave that as"),    STR("keep it as"),
	STR("i want to keep "),  STR("we want to keep "), STR("approved "),
	STR("approved, "),       STR("approved: "),       STR("from now on"),
	STR("going forward"),
};

/* The same where one thing is told from another. */
static const str TOLD_CHOICE[] = {
	STR("use "),       STR("keep "),    STR("we should "), STR("we need to "),
	STR("i want "),    STR("we want "), STR("just use "),  STR("do "),
	STR("put "),       STR("make it "), STR("store "),     STR("switch to "),
	STR("it should "), STR("don't "),   STR("call it "),
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
	STR("approach also"),
	STR("fallback also"),
	STR("tried that and"),
	STR("didn't work because"),
	STR("doesn't work because"),
	STR("won't work because"),
	STR("did not work because"),
	STR("does not work because"),
	STR("didn't help"),
	STR("did not help"),
	STR("made it worse"),
	STR("made things worse"),
	STR("gave up on"),
	STR("giving up on"),
	STR("i abandoned"),
	STR("we abandoned"),
	STR("i rolled back"),
	STR("we rolled back"),
	STR("rolling back the"),
	STR("i backed out"),
	STR("backing out of"),
	STR("abandoning "),
	STR("and it broke"),
	STR("turned out not to"),
	STR("wouldn't fix it"),
	STR("won't fix it"),
	STR("would only mask"),
	STR("aren't available to"),
	STR("not available in this"),
	STR("can't be used"),
	STR("cannot be used"),
	STR("can't be vendored"),
	STR("can't be combined"),
	STR("can't be overridden"),
	STR("isn't possible"),
	STR("is not possible"),
	STR("not feasible"),
	STR("there's no way to"),
	STR("there is no way to"),
	STR("is ruled out"),
	STR("not an option"),
};

/* Taken back... */
static const str REVERT[] = {
	STR("let me revert"), STR("let me undo"), STR("i reverted"),
	STR("i've reverted"), STR("i'll revert"), STR("i undid"),
	STR("had to revert"), STR("we reverted"), STR("let me back out"),
	STR("reverting "),
};

/* ...and for what, or why. */
static const str AND_THEN[] = {
	STR("instead"),  STR("approach"),     STR("switch"),
	STR(" and fix"), STR(" and use"),     STR("because"),
	STR(" since "),  STR(" and go back"), STR("different"),
};

/* What stands in the way. */
static const str BARRIER[] = {
	STR(" hook"),    STR("policy"),     STR("policies"),   STR("sandbox"),
	STR("firewall"), STR("permission"), STR("protection"), STR("proxy"),
};

/* What something cannot do: a dead end where the sentence is about a tool, not about a file of ours. */
static const str CANNOT[] = {
	STR("doesn't support "), STR("does not support "), STR("isn't supported"),
	STR("is not supported"), STR("aren't supported"),  STR("are not supported"),
};

/* What is missing in what is built is work to do. */
static const str OURS[] = {
	STR("current"),     STR("existing"),       STR(" yet"),
	STR("our "),        STR("implementation"), STR("this function"),
	STR("this method"), STR("the component"),  STR("the endpoint"),
	STR("the page"),    STR("the app "),       STR("this script"),
};

/* The same of what was tried... */
static const str NO_GO[] = {
	STR("didn't work"),   STR("did not work"), STR("won't work"),
	STR("will not work"), STR("doesn't work"), STR("does not work"),
};

/* ...which is one of these, not a part of what is built. */
static const str TRIED[] = {
	STR("approach"), STR("the fix"),     STR("attempt"),  STR("workaround"),
	STR("trick"),    STR("that option"), STR("solution"), STR("first fix"),
	STR("that fix"), STR("my fix"),
};
static const str I_TRIED[] = {
	STR("i tried "),
	STR("we tried "),
	STR("i've tried "),
	STR("i attempted "),
};

/* Begins that make of it a plan to look, or somebody else's case. */
static const str LOOKING[] = {
	STR("let me try"),   STR("let's try"),   STR("i'll try"),  STR("let me check"),
	STR("let me see"),   STR("let me look"), STR("if "),       STR("when "),
	STR("whether "),     STR("tests that"),  STR("ensure"),    STR("verify"),
	STR("note that if"), STR("test that"),   STR("make sure"), STR("unless "),
};

static str lead_off(str low)
{
	static const str LEADS[] = {
		STR("now "),
		STR("so "),
		STR("ok, "),
		STR("okay, "),
		STR("good. "),
		STR("first, "),
		STR("then "),
		STR("actually, "),
		STR("wait, "),
		STR("ah, "),
		STR("yes, "),
		STR("yeah "),
		STR("but "),
		STR("and "),
		STR("instead, "),
		STR("- "),
		STR("therefore "),
		STR("therefore, "),
		STR("here "),
		STR("also "),
		STR("no, "),
		STR("nope, "),
		STR("ok "),
		STR("okay "),
		STR("sure, "),
		STR("yeah, "),
		STR("yep, "),
		STR("right, "),
		STR("alright, "),
		STR("great, "),
		STR("hmm, "),
		STR("please "),
		STR("i think "),
		STR("for now, "),
		STR("for now "),
		STR("got it \xe2\x80\x94 "),
		STR("good catch \xe2\x80\x94 "),
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
static bool is_next(str low)
{
	static const str NEXT[] = {STR("now "), STR("good. now "), STR("next, "),
				   STR("then "), STR("first, ")};

	return STARTS(low, NEXT);
}

/* Two ways that are both still open: "or" before anything is told from another. */
static bool leaves_open(str low)
{
	static const str TOLD_APART[] = {STR("instead of "), STR("rather than "),
					 STR(" not "), STR("no longer ")};
	size_t at[COUNT(TOLD_APART)], other = str_find(low, STR(" or "));
	uint64_t found = prose_find_set(low, TOLD_APART, COUNT(TOLD_APART), at);

	if (other == STR_NPOS)
		return false;
	for (size_t i = 0; i < COUNT(TOLD_APART); i++)
		if (found >> i & 1 && at[i] < other)
			return false;
	return true;
}

/* "since we're ...", "that I ...": who does it in a subordinate clause tells why, or what is. */
static bool is_subordinate(str before)
{
	static const str WORDS[] = {STR("since "), STR("because "), STR("that "),
				    STR("if "),    STR("when "),    STR("which "),
				    STR("as "),    STR("while "),   STR("what "),
				    STR("where "), STR("until "),   STR("whether ")};

	for (size_t i = 0; i < COUNT(WORDS); i++)
		if (str_ends(before, WORDS[i]))
			return true;
	return false;
}

/* A subject near the start, or behind the reason that begins it; a verb right behind it. */
static bool does(str low, const str *who, size_t nwho, const str *what, size_t nwhat)
{
	static const str SINCE[] = {STR("since "), STR("because "), STR("given "),
				    STR("as ")};
	size_t most = STARTS(low, SINCE) ? SINCE_MAX : SUBJECT_MAX;
	size_t at[PROSE_SET_MAX];
	uint64_t found = prose_find_set(low, who, nwho, at);

	for (size_t i = 0; i < nwho; i++) {
		if (!(found >> i & 1) || at[i] > most ||
		    (at[i] && low.p[at[i] - 1] != ' ' && low.p[at[i] - 1] != '(') ||
		    is_subordinate(str_head(low, at[i])))
			continue;
		if (prose_starts_with_any(str_from(low, at[i] + who[i].n), what, nwhat))
			return true;
	}
	return false;
}

#define DOES(low, who, what) does((low), (who), COUNT(who), (what), COUNT(what))

static bool someone_does(str low)
{
	return DOES(low, SUBJECT, DOING) || DOES(low, LET_ME, CHANGING) ||
	       DOES(low, DID, DONE);
}

/* "the simplest fix is ...", "the cleaner approach: ..." */
static bool names_way(str low)
{
	size_t at[COUNT(RIGHT)];
	uint64_t found = prose_find_set(low, RIGHT, COUNT(RIGHT), at);

	for (size_t i = 0; i < COUNT(RIGHT); i++) {
		str rest;
		size_t way[COUNT(WAY)];
		uint64_t ways;

		if (!(found >> i & 1) || (at[i] && low.p[at[i] - 1] != ' '))
			continue;
		rest = str_head(str_from(low, at[i] + RIGHT[i].n), WAY_MAX);
		ways = prose_find_set(rest, WAY, COUNT(WAY), way);
		for (size_t k = 0; k < COUNT(WAY); k++) {
			str tail;

			if (!(ways >> k & 1))
				continue;
			tail = str_from(low, at[i] + RIGHT[i].n + way[k] + WAY[k].n);
			if (!STARTS(tail, IS))
				continue;
			tail = str_from(tail, str_chr(str_from(tail, 1), ' ') + 2);
			if (!STARTS(tail, UNSETTLED))
				return true;
		}
	}
	return false;
}

/* Begins as a table, a heading, code; "`name` is ..." is a sentence. */
static bool is_markup(str s)
{
	size_t tick = s.p[0] == '`' ? str_chr(str_from(s, 1), '`') : STR_NPOS;

	if (tick != STR_NPOS && tick + 3 < s.n && s.p[tick + 2] == ' ' &&
	    str_is_alpha(s.p[tick + 3]))
		return false;
	return memchr("|#>`[{<*", s.p[0], 8) || str_chr(s, '|') != STR_NPOS;
}

static bool is_prose(str s, size_t least)
{
	return s.n >= least && s.n <= VERDICT_MAX && !prose_asks(s) && !is_markup(s);
}

/* Typographic apostrophes as plain ones, and nothing bold; s fits into out. */
static str straight(str s, char *out)
{
	size_t n = 0;

	while (s.n) {
		bool curly = str_starts(s, STR("\xe2\x80\x99"));

		if (str_starts(s, STR("**"))) {
			s = str_from(s, 2);
			continue;
		}
		out[n++] = curly ? '\'' : s.p[0];
		s = str_from(s, curly ? 3 : 1);
	}
	return (str){out, n};
}

/* A person calls it a rule by its name: "code standard: every file cites its ticket". */
static bool names_rule(str low)
{
	static const str LABEL[] = {STR("standard: "), STR("rule: "), STR("convention: "),
				    STR("policy: ")};

	return HAS(low, LABEL);
}

static enum prose_verdict of_person(str low)
{
	if (STARTS(low, TOLD) || names_rule(low) ||
	    (STARTS(low, TOLD_CHOICE) && chooses(low) && !leaves_open(low)))
		return PROSE_VERDICT_DECISION;
	return PROSE_VERDICT_NONE;
}

static bool fails(str low)
{
	return HAS(low, FAILED) || (HAS(low, NO_GO) && HAS(low, TRIED)) ||
	       (STARTS(low, I_TRIED) && prose_has(low, STR(" but "))) ||
	       (HAS(low, REVERT) && HAS(low, AND_THEN)) ||
	       (prose_has(low, STR("blocked by ")) && HAS(low, BARRIER)) ||
	       (str_starts(low, STR("neither ")) && prose_has(low, STR(" can ")));
}

/* What is about to be done; a text that asks for leave only offers it. */
static bool intends(str low, bool next)
{
	if (HAS(low, WILL) || (prose_has(low, STR("out of scope")) && HAS(low, LEFT)))
		return true;
	if (leaves_open(low))
		return false;
	if (names_way(low) || (HAS(low, BARE) && (chooses(low) || HAS(low, REASON))))
		return true;
	if (next)
		return false;
	if (chooses(low) && someone_does(low))
		return !HAS(low, STEP);
	if (!STARTS(low, GERUND) && !DOES(low, PURPOSE_SUBJECT, LASTING) &&
	    !DOES(low, DID, HAVING_DONE))
		return false;
	return (HAS(low, REASON) || prose_has(low, STR(" \xe2\x80\x94 "))) &&
	       !HAS(low, STEP);
}

static enum prose_verdict of_model(str low, bool next)
{
	if (STARTS(low, LOOKING))
		return PROSE_VERDICT_NONE;
	if (fails(low) || (HAS(low, CANNOT) && !HAS(low, OURS) && !someone_does(low)))
		return PROSE_VERDICT_DEADEND;
	if (HAS(low, CHOSE))
		return PROSE_VERDICT_DECISION;
	return intends(low, next) ? PROSE_VERDICT_INTENT : PROSE_VERDICT_NONE;
}

enum prose_verdict prose_verdict(str s, bool user)
{
	char text[VERDICT_MAX + 1], plain[VERDICT_MAX + 1];
	enum prose_verdict found;
	bool next;
	str low;

	if (!is_prose(s, user ? TOLD_MIN : VERDICT_MIN))
		return PROSE_VERDICT_NONE;
	low = prose_lower_head(straight(s, plain), text, VERDICT_MAX);
	next = is_next(low);
	low = lead_off(low);
	found = prose_verdict_other(low);
	if (found == PROSE_VERDICT_NONE)
		found = user ? of_person(low) : of_model(low, next);
	else if (user && found == PROSE_VERDICT_DEADEND)
		found = PROSE_VERDICT_NONE;
	return found != PROSE_VERDICT_NONE && HAS(low, OPEN) ? PROSE_VERDICT_NONE : found;
}

bool prose_concedes(str s)
{
	static const str YES[] = {
		STR("you're right"),  STR("you're absolutely right"),
		STR("you are right"), STR("you are absolutely right"),
		STR("good point"),    STR("good catch"),
		STR("good call"),     STR("fair point"),
		STR("that's right"),  STR("great point"),
	};
	char text[VERDICT_MAX + 1], plain[VERDICT_MAX + 1];
	str low;

	s = str_head(s, VERDICT_MAX);
	low = prose_lower_head(straight(s, plain), text, VERDICT_MAX);
	return STARTS(low, YES);
}

enum prose_verdict prose_verdict_conceded(str s)
{
	static const str WHO[] = {STR("i can "), STR("we can "), STR("let me ")};
	static const str TURN[] = {STR("change"), STR("use "), STR("switch"),
				   STR("simplify "), STR("rework ")};
	static const str BETTER[] = {
		STR(" is cleaner"),      STR(" is much cleaner"), STR(" is simpler"),
		STR(" is much simpler"), STR(" is safer"),        STR(" is much safer"),
		STR(" is better"),       STR(" is much better"),
	};
	enum prose_verdict found = prose_verdict(s, false);
	char text[VERDICT_MAX + 1], plain[VERDICT_MAX + 1];
	str low;

	if (found != PROSE_VERDICT_NONE || !is_prose(s, VERDICT_MIN))
		return found;
	low = lead_off(prose_lower_head(straight(s, plain), text, VERDICT_MAX));
	if (STARTS(low, LOOKING) || HAS(low, STEP) || HAS(low, OPEN) || leaves_open(low))
		return PROSE_VERDICT_NONE;
	if ((chooses(low) && DOES(low, WHO, DOING)) || DOES(low, LET_ME, TURN) ||
	    HAS(low, BETTER))
		return PROSE_VERDICT_INTENT;
	return PROSE_VERDICT_NONE;
}

bool prose_asks_leave(str s)
{
	static const str LEAVE[] = {
		STR("should i "),          STR("shall i "),
		STR("want me to"),         STR("would you like"),
		STR("do you want"),        STR("let me know "),
		STR("which would you"),    STR("which do you"),
		STR("your call"),          STR("waiting on your"),
		STR("shall we "),          STR("should we "),
		STR("what's your prefer"), STR("how would you like"),
		STR("ready to proceed"),   STR("does this look"),
		STR("does that sound"),    STR("may i "),
		STR("can i proceed"),
	};
	char text[VERDICT_MAX + 1];
	str low = prose_lower_head(s, text, VERDICT_MAX);

	return HAS(low, LEAVE);
}
