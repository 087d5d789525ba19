/*
 * Orders. A constraint is what a person forbids, demands or reserves for everything that
 * follows ("never ...", "only touch ...", "wait for my OK"); an order of the day ("add a
 * test") is none, and neither is what only sounds like one ("don't worry", "no problem", "never
 * mind"). A sentence is cut into clauses; each is looked at from its head, after words such
 * as "ok, but please", since what stands in the middle of a clause is mostly told and not
 * ordered.
 *
 * fixtures/stated/labels.txt has labelled sentences; tests/unit/test_docwords says how many
 * of them are told apart.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

#define CONSTRAINT_MIN 8
#define CONSTRAINT_MAX 400 /* bytes of a clause; a longer one is a text */
#define NOUN_WORDS     8   /* of "no mocks in the integration tests" */

/* what begins with these asks, */
static const str ASKS[] = {STR("why"),   STR("how"), STR("what"),
			   STR("which"), STR("who"), STR("question")};
/* these do before one of the others ("do you", not "do the work") */
static const str ASKS_BEFORE[] = {STR("can"),    STR("could"), STR("is"),    STR("are"),
				  STR("do"),     STR("does"),  STR("would"), STR("where"),
				  STR("when"),   STR("did"),   STR("has"),   STR("have"),
				  STR("should"), STR("will")};
static const str ASKED[] = {STR("you"),   STR("we"),    STR("i"),    STR("they"),
			    STR("it"),    STR("he"),    STR("she"),  STR("there"),
			    STR("these"), STR("those"), STR("this"), STR("that"),
			    STR("do"),    STR("does"),  STR("is"),   STR("are"),
			    STR("will"),  STR("can"),   STR("did")};

/* words before an order that do not change it */
static const str LEADS[] = {
	STR("no"),         STR("ok"),        STR("okay"),     STR("yes"),
	STR("please"),     STR("and"),       STR("but"),      STR("so"),
	STR("also"),       STR("then"),      STR("just"),     STR("well"),
	STR("carefully"),  STR("note"),      STR("remember"), STR("again"),
	STR("for now"),    STR("bitte"),     STR("ja"),       STR("aber"),
	STR("und"),        STR("por favor"), STR("mais"),     STR("et"),
	STR("pero"),       STR("да"),        STR("но"),       STR("и"),
	STR("пожалуйста"), STR("请")};

/* where a clause may begin inside a sentence */
static const str BORDERS[] = {STR(", "),    STR("; "),     STR(". "),       STR(": "),
			      STR(" - "),   STR(" – "),    STR(" — "),      STR(" but "),
			      STR(" and "), STR(" so "),   STR(" please "), STR(" aber "),
			      STR(" und "), STR(" mais "), STR(" et "),     STR(" pero "),
			      STR(" но "),  STR("，"),     STR("、"),       STR("；")};

/* begin like a prohibition, and soothe, muse or ask */
/* clang-format off */
static const str NO_ORDERS[] = {
	STR("don't think"), STR("don't understand"), STR("don't know"), STR("don't see"),
	STR("don't have"), STR("don't worry"), STR("don't bother"), STR("don't hesitate"),
	STR("don't forget"), STR("don't mention"), STR("don't get me"), STR("don't mind"),
	STR("don't be "), STR("don't panic"), STR("don't we "), STR("don't they "),
	STR("don't i "), STR("don't care"), STR("don't you "), STR("don't the "),
	STR("don't sweat"), STR("don't give up"), STR("don't believe"), STR("don't get it"),
	STR("don't like"), STR("don't want to wait"), STR("don't need"), STR("don't feel"),
	STR("do not think"), STR("do not understand"), STR("do not know"),
	STR("do not see"), STR("do not have"), STR("do not worry"), STR("do not bother"),
	STR("do not hesitate"), STR("do not forget"), STR("do not mind"),
	STR("do not be "), STR("do not panic"), STR("do not care"), STR("do not need"),
	STR("never mind"), STR("never better"), STR("never seen"), STR("never had"),
	STR("never heard"), STR("never thought"), STR("never happened"),
	STR("never worked"), STR("never been"), STR("never again the"), STR("only if")
};

/* head of a clause that forbids, or reserves */
static const str FORBIDS[] = {
	STR("do not "), STR("don't "), STR("dont "), STR("never "), STR("must not "),
	STR("mustn't "), STR("avoid "), STR("under no circumstances"), STR("in no case "),
	STR("on no account "), STR("at no point "), STR("hands off"),
	STR("keep your hands off"), STR("keep out of "), STR("stay away from "),
	STR("stay out of "), STR("stay on "), STR("stay within "), STR("stay inside "),
	STR("stay in "), STR("stick to "), STR("keep to "), STR("refrain from "),
	STR("don't you dare"), STR("from now on"), STR("from here on"),
	STR("you must not "), STR("you mustn't "), STR("you must never "),
	STR("you may not "), STR("you may only "), STR("you must only "),
	STR("you should not "), STR("you shouldn't "), STR("you should never "),
	STR("you should only "), STR("you are not allowed "), STR("you're not allowed "),
	STR("you are not to "), STR("you're not to "), STR("you are only allowed "),
	STR("we must not "), STR("we mustn't "), STR("we must never "), STR("we must keep "),
	STR("we don't use "), STR("we do not use "), STR("we never use "),
	STR("i don't want you to "), STR("i do not want you to "), STR("i don't want any "),
	STR("i do not want any "), STR("i want no "), STR("i don't want to see any "),
	STR("ask me before "), STR("ask me first"), STR("ask before "), STR("ask first"),
	STR("always ask "), STR("check with me "), STR("check with us "),
	STR("wait for my "), STR("wait for our "), STR("wait for me "), STR("wait for the go"),
	STR("wait for an ok"), STR("wait for approval"), STR("wait for confirmation"),
	STR("wait until i "), STR("wait till i "), STR("wait with "), STR("hold off "),
	STR("be careful with "), STR("be careful not "), STR("be careful when "),
	STR("be careful to "), STR("no more than "), STR("not more than "),
	STR("not without "), STR("not before i "), STR("not until i "), STR("nothing else"),
	STR("touch nothing"), STR("change nothing"), STR("commit nothing"),
	STR("push nothing"), STR("delete nothing"), STR("edit nothing"),
	STR("install nothing"), STR("hands away from "), STR("leave no "), STR("must keep "),
	STR("must stay "), STR("must remain ")
};

/* anywhere in a clause */
static const str LIMITS[] = {
	STR(" off limits"), STR(" off-limits"), STR(" stays untouched"),
	STR(" stay untouched"), STR(" stays unchanged"), STR(" stay unchanged"),
	STR(" remains unchanged"), STR(" remain unchanged"), STR(" stays as it is"),
	STR(" stay as they are"), STR(" must stay "), STR(" must remain "),
	STR(" has to stay "), STR(" have to stay "), STR(" has to remain "),
	STR(" has to keep working"), STR(" must keep working"), STR(" must not be "),
	STR(" must never be "), STR(" may not be "), STR(" is not to be "),
	STR(" are not to be "), STR(" without my ok"), STR(" without my approval"),
	STR(" without my permission"), STR(" without my consent"), STR(" without asking"),
	STR(" unless i say"), STR(" until i say"), STR(" until i have "),
	STR(" before i say"), STR(" before i have "), STR(" before i've "),
	STR(" unless i tell"), STR(" until i tell"), STR(" is forbidden"),
	STR(" are forbidden"), STR(" and nothing else")
};

/* ends of what begins with "leave" or "keep" */
static const str AS_IT_IS[] = {
	STR(" alone"), STR(" as is"), STR(" as it is"), STR(" as they are"),
	STR(" as-is"), STR(" untouched"), STR(" unchanged"), STR(" in place"),
	STR(" intact"), STR(" compatible"), STR(" the way it is"), STR(" the way they are"),
	STR(" where it is"), STR(" where they are"), STR(" stable"), STR(" out of ")
};

/* what is done to files and repositories, as a command */
static const str DEEDS[] = {
	STR("touch"), STR("change"), STR("edit"), STR("modify"), STR("commit"), STR("push"),
	STR("merge"), STR("deploy"), STR("delete"), STR("remove"), STR("rename"),
	STR("install"), STR("add"), STR("create"), STR("write"), STR("use"), STR("rewrite"),
	STR("refactor"), STR("reformat"), STR("upgrade"), STR("update"), STR("move"),
	STR("drop"), STR("publish"), STR("release"), STR("rebase"), STR("reset"),
	STR("overwrite"), STR("alter"), STR("migrate"), STR("fix"), STR("work"),
	STR("work on"), STR("replace"), STR("import"), STR("read"), STR("copy")
};

/* besides those: what is to be done always */
static const str HABITS[] = {
	STR("run"), STR("test"), STR("ask"), STR("check"), STR("keep"), STR("start"),
	STR("make"), STR("prefer"), STR("lint"), STR("format"), STR("include"), STR("put"),
	STR("verify"), STR("answer"), STR("reply"), STR("show"), STR("document"),
	STR("begin"), STR("build"), STR("pin"), STR("quote"), STR("sign")
};

/* what nobody does, and what nothing gets */
static const str NOBODY[] = {
	STR("touches"), STR("changes"), STR("edits"), STR("commits"), STR("pushes"),
	STR("merges"), STR("deploys"), STR("deletes"), STR("runs"), STR("installs"),
	STR("may"), STR("is"), STR("gets"), STR("goes"), STR("must"), STR("should")
};

/* "no X": words that make a report of it, or an answer */
static const str NO_WHAT[] = {
	STR("problem"), STR("problems"), STR("worries"), STR("rush"), STR("hurry"),
	STR("idea"), STR("clue"), STR("need"), STR("way"), STR("doubt"), STR("wonder"),
	STR("matter"), STR("luck"), STR("chance"), STR("thanks"), STR("thank"), STR("such"),
	STR("error"), STR("errors"), STR("warning"), STR("warnings"), STR("failures"),
	STR("output"), STR("result"), STR("results"), STR("response"), STR("reply"),
	STR("effect"), STR("difference"), STR("success"), STR("issue"), STR("issues"),
	STR("sign"), STR("trace"), STR("match"), STR("matches"), STR("longer"), STR("one"),
	STR("not"), STR("but"), STR("i"), STR("it"), STR("the"), STR("that"), STR("this"),
	STR("we"), STR("you"), STR("he"), STR("they"), STR("there"), STR("wait"),
	STR("pressure"), STR("worry"), STR("kidding"), STR("question"), STR("questions"),
	STR("test"), STR("answer"), STR("reason"), STR("sense"), STR("go"), STR("joy"),
	STR("point"), STR("biggie"), STR("thing"), STR("do"), STR("just"), STR("please"),
	STR("let's"), STR("lets"), STR("use"), STR("dice"), STR("sweat"), STR("offense")
};
static const str TOLD[] = {
	STR("is"), STR("are"), STR("was"), STR("were"), STR("found"), STR("happened"),
	STR("happens"), STR("works"), STR("worked"), STR("left"), STR("yet"), STR("either"),
	STR("here"), STR("now"), STR("anymore"), STR("needed"), STR("then"), STR("exists"),
	STR("has"), STR("have"), STR("had"), STR("printed"), STR("shown"), STR("seems"),
	STR("comes"), STR("came"), STR("run"), STR("ran"), STR("what"), STR("why"),
	STR("how"), STR("which"), STR("says"), STR("said"), STR("matched"), STR("reported")
};
/* a "no, ..." that goes on with one of these forbids */
static const str NO_THEN[] = {STR("not "),   STR("n't "),   STR("never "), STR("only "),
			      STR("keep "),  STR("leave "), STR("stop "),  STR("instead"),
			      STR("rather "), STR("use "),  STR("without ")};
/* what a "make sure ..." has in it when it is more than a wish that things work */
static const str SURE[] = {
	STR(" not "), STR("n't "), STR(" never "), STR(" no "), STR(" nothing "),
	STR(" only "), STR(" stays "), STR(" stay "), STR(" remain"), STR(" unchanged"),
	STR(" untouched"), STR(" without "), STR(" nobody ")};
/* done without that */
static const str WITHOUT[] = {
	STR(" without touching"), STR(" without changing"), STR(" without adding"),
	STR(" without breaking"), STR(" without using"), STR(" without modifying"),
	STR(" without editing"), STR(" without removing"), STR(" without deleting"),
	STR(" without committing"), STR(" without pushing"), STR(" without installing"),
	STR(" without introducing"), STR(" without renaming"), STR(" without rewriting"),
	STR(" without altering"), STR(" without restarting"), STR(" without new ")};
/* clang-format on */

/* not an order, but a limit for now */
static const str RESERVES[] = {STR("not ready"), STR("for now"), STR("right now"),
			       STR("before we"), STR("carefully")};

bool prose_is_pasted(str s)
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
	size_t before;

	do {
		before = low.n;
		for (size_t i = 0; i < COUNT(LEADS); i++) {
			str word = LEADS[i];

			if (str_starts(low, word) && low.n > word.n + 1 &&
			    (low.p[word.n] == ',' || low.p[word.n] == ' ' ||
			     low.p[word.n] == ':'))
				low = str_trim(str_from(low, word.n + 1));
		}
		if (str_starts(low, STR("请")) && !str_starts(low, STR("请勿")))
			low = str_trim(str_from(low, 3));
	} while (low.n < before);
	return low;
}

/* Next word, without the punctuation around it. */
static bool next_word(str *rest, str *word)
{
	while (str_word(rest, word)) {
		*word = prose_strip_chars(*word, "\"'`().,;:!*");
		if (word->n)
			return true;
	}
	return false;
}

static bool is_question(str low)
{
	str rest = low, w, second;

	if (prose_asks(low) || !next_word(&rest, &w) || IN(w, ASKS))
		return true;
	return IN(w, ASKS_BEFORE) && next_word(&rest, &second) && IN(second, ASKED);
}

/* "no mocks in the integration tests", not "no tests were found" or "no idea". */
static bool wants_none(str c)
{
	str rest = c, w;
	size_t n = 0;

	if (!next_word(&rest, &w) || !str_eq(w, STR("no")) || str_starts(c, STR("no,")))
		return false;
	while (next_word(&rest, &w)) {
		if ((n == 0 && IN(w, NO_WHAT)) || IN(w, TOLD))
			return false;
		n++;
	}
	return n > 0 && n <= NOUN_WORDS;
}

/* "only touch ...", "change only ...", "work in lib/ only". */
static bool wants_only(str c)
{
	str rest = c, w, second;

	if (!next_word(&rest, &w) || !next_word(&rest, &second))
		return false;
	if (str_eq(w, STR("only")))
		return IN(second, DEEDS);
	return IN(w, DEEDS) && (prose_has(c, STR(" only ")) ||
				str_ends(prose_strip_right(c, ".! "), STR(" only")));
}

/* Forms that need more than a list of heads. */
static bool is_formed(str c)
{
	str rest = c, w, second = STR_NONE, bare = prose_strip_right(c, ".! ");

	if (!next_word(&rest, &w))
		return false;
	next_word(&rest, &second);
	if (str_eq(w, STR("leave")) || str_eq(w, STR("keep")))
		return HAS(c, AS_IT_IS) && !str_eq(second, STR("me"));
	if (str_eq(w, STR("nobody")) || str_eq(w, STR("nothing")) ||
	    str_starts(c, STR("no one ")))
		return IN(second, NOBODY) &&
		       (str_eq(w, STR("nobody")) ||
			(!str_eq(second, STR("is")) || prose_has(c, STR(" is to "))));
	if (str_eq(w, STR("stop")))
		return second.n > 5 && str_ends(second, STR("ing"));
	if (str_eq(w, STR("always")))
		return IN(second, DEEDS) || IN(second, HABITS);
	if (str_eq(w, STR("let")) && str_eq(second, STR("me")))
		return prose_has(c, STR(" before you")) || str_ends(bare, STR(" first"));
	if (str_eq(w, STR("use")))
		return prose_has(c, STR(", not "));
	if (str_starts(c, STR("make sure")) || str_starts(c, STR("be sure")) ||
	    str_starts(c, STR("ensure ")) || str_starts(c, STR("see to it")))
		return HAS(c, SURE);
	return wants_none(c) || wants_only(c);
}

/* A clause in small letters. */
static bool orders(str c)
{
	enum prose_tongue abroad;

	_Static_assert(COUNT(LIMITS) <= PROSE_SET_MAX, "one bit a word");
	if (STARTS(c, NO_ORDERS))
		return str_starts(c, STR("don't you dare"));
	abroad = prose_order_abroad(c);
	if (abroad != PROSE_NEITHER)
		return abroad == PROSE_ORDER;
	if (STARTS(c, FORBIDS) || is_formed(c))
		return true;
	return (HAS(c, LIMITS) || HAS(c, WITHOUT)) && !str_starts(c, STR("i "));
}

/* The clause that begins after the next border from *it on. */
static bool next_clause(str low, size_t *it, str *clause)
{
	for (size_t i = *it; i < low.n; i++) {
		for (size_t k = 0; k < COUNT(BORDERS); k++) {
			if (low.p[i] != BORDERS[k].p[0] ||
			    !str_starts(str_from(low, i), BORDERS[k]))
				continue;
			*clause = str_trim(str_from(low, i + BORDERS[k].n));
			*it = i + 1;
			return true;
		}
	}
	return false;
}

static bool orders_inside(str low)
{
	size_t it = 0;
	str clause;

	while (next_clause(low, &it, &clause)) {
		str bare = after_leads(clause);

		if (str_starts(bare, STR("avoid ")))
			continue; /* how a review goes on */
		if (orders(clause) || orders(bare))
			return true;
	}
	return false;
}

/* Typographic apostrophes as plain ones. */
static str straight(str s, char *out)
{
	size_t n = 0;

	while (s.n) {
		bool curly = str_starts(s, STR("’"));

		out[n++] = curly ? '\'' : s.p[0];
		s = str_from(s, curly ? 3 : 1);
	}
	return (str){out, n};
}

int prose_constraint(str clause)
{
	char plain[CONSTRAINT_MAX], text[CONSTRAINT_MAX];
	str low, order;

	clause = str_trim(clause);
	if (clause.n < CONSTRAINT_MIN || clause.n > CONSTRAINT_MAX ||
	    prose_is_pasted(clause))
		return 0;
	low = prose_lower_head(straight(clause, plain), text, sizeof text);
	if (is_question(low))
		return 0;
	order = after_leads(low);
	if (orders(low) || orders(order))
		return 3;
	if (str_starts(low, STR("no, ")) && HAS(low, NO_THEN) &&
	    !STARTS(order, NO_ORDERS))
		return 3;
	if (orders_inside(low))
		return 2;
	return HAS(low, RESERVES) && !STARTS(order, NO_ORDERS) ? 1 : 0;
}

/* ---- orders to write ---- */

/* Deleting is left out: that a file is gone, no call need say by its name. */
static const str WRITE_VERBS[] = {STR("add "),
				  STR("append "),
				  STR("write "),
				  STR("update "),
				  STR("create "),
				  STR("edit "),
				  STR("change "),
				  STR("fix "),
				  STR("put "),
				  STR("insert "),
				  STR("replace "),
				  STR("rewrite "),
				  STR("log "),
				  STR("save "),
				  STR("record "),
				  STR("document "),
				  STR("extend "),
				  STR("implement "),
				  STR("adding "),
				  STR("appending "),
				  STR("writing "),
				  STR("updating "),
				  STR("logging "),
				  STR("keep adding "),
				  STR("keep appending "),
				  STR("keep updating "),
				  STR("keep writing "),
				  STR("keep logging ")};
/* what may stand before one inside a clause */
static const str WRITE_LEADS[] = {
	STR(" and "),        STR(" then "),       STR(" please "),
	STR(" also "),       STR(" now "),        STR(", "),
	STR(" carefully "),  STR("can you "),     STR("could you "),
	STR("you should "),  STR("you must "),    STR("we should "),
	STR("want you to "), STR("need you to "), STR("like you to "),
	STR("you need to "), STR("you have to "), STR("remember to "),
	STR("forget to "),   STR("make sure to ")};
/* where what is written ends, and something else is said */
static const str WRITE_ENDS[] = {
	STR(" but "),      STR(" then "),     STR(" because "),    STR(" so that "),
	STR(" and run "),  STR(" and look "), STR(" and check "),  STR(" and see "),
	STR(" and read "), STR(" and test "), STR(" and delete "), STR(" and remove "),
	STR(" and show "), STR(" and tell "), STR(" and commit"),  STR(" and push")};

static str written_part(str low)
{
	size_t at[COUNT(WRITE_ENDS)], end = low.n;
	uint64_t found = prose_find_set(low, WRITE_ENDS, COUNT(WRITE_ENDS), at);

	for (size_t i = 0; i < COUNT(WRITE_ENDS); i++) {
		if (found >> i & 1 && at[i] < end)
			end = at[i];
	}
	return str_head(low, end);
}

/* The verb, or the lead and the verb, that begins here; its bytes, 0: none. */
static size_t write_verb(str s)
{
	for (size_t i = 0; i < COUNT(WRITE_VERBS); i++) {
		if (str_starts(s, WRITE_VERBS[i]))
			return WRITE_VERBS[i].n;
	}
	return 0;
}

static size_t lead_and_verb(str s)
{
	size_t n;

	for (size_t i = 0; i < COUNT(WRITE_LEADS); i++) {
		if (s.p[0] != WRITE_LEADS[i].p[0] || !str_starts(s, WRITE_LEADS[i]))
			continue;
		n = write_verb(str_from(s, WRITE_LEADS[i].n));
		if (n)
			return WRITE_LEADS[i].n + n;
	}
	return 0;
}

/* It asks back ("should we update it?"); "can you add a test?" orders. */
static bool asks_back(str low)
{
	static const str polite[] = {STR("can you"), STR("could you"), STR("would you"),
				     STR("will you"), STR("please")};

	return prose_asks(low) && !STARTS(low, polite);
}

bool prose_orders_write(str clause, size_t *it, str *what)
{
	char text[CONSTRAINT_MAX];
	str low, order, part;
	size_t n;

	clause = str_trim(clause);
	if (clause.n < CONSTRAINT_MIN || prose_is_pasted(clause))
		return false;
	low = prose_lower_head(clause, text, sizeof text);
	order = after_leads(low);
	if (asks_back(low) || str_starts(order, STR("if ")))
		return false;
	for (size_t i = *it; i < low.n; i++) {
		str rest = str_from(low, i);

		n = rest.p == order.p ? write_verb(rest) : 0;
		if (!n)
			n = lead_and_verb(rest);
		if (!n)
			continue;
		*it = i + n;
		part = written_part(str_from(low, i + n));
		if (str_starts(part, STR("nothing")) || str_starts(part, STR("no ")))
			continue;
		*what = (str){clause.p + i + n, part.n};
		return true;
	}
	return false;
}
