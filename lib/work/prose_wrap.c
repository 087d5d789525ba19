/*
 * Lines that were wrapped. People type and paste text that is broken at a column or where it
 * pleased them, and a line's end inside a sentence must not end it. Two lines are one when
 * both are words (no list item, heading, table, quote, code, log), the first one does not end
 * like a sentence, and one of these says that it goes on:
 *
 *   - the first ends in a word that ends no sentence: "the", "not", "never touch";
 *   - the second begins, in a small letter, with one that begins no order: "of", "or", "alone";
 *   - the second begins with the one blank that stood at the break;
 *   - the second begins in a small letter, and its first word had no room in the first line,
 *     or that line was such a second one already, states something or is one word, and the
 *     second is no order and tells nothing of its own.
 *
 * So a list of short commands ("run the tests", "commit", "push") stays a list, and a line
 * that begins with a capital goes on only where the one before is clearly open. What states
 * something alone is not joined where it would state nothing together.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

#define WORD_BYTES     32
#define SENTENCE_BYTES 400 /* a longer one is a text: prose_constraint */
#define WRAP_COLUMN    40  /* nobody's text is wrapped before it */
#define FILL_COLUMN    66  /* at this one even what could be an order goes on */
#define CODE_INDENT    4
#define CODE_SHARE     12 /* one mark in so many bytes makes a line code */

/* clang-format off */
/* ends no sentence */
static const str OPEN[] = {
	STR("the"), STR("a"), STR("an"), STR("my"), STR("your"), STR("our"), STR("their"),
	STR("any"), STR("every"), STR("each"), STR("no"), STR("not"), STR("never"), STR("dont"),
	STR("only"), STR("always"), STR("avoid"), STR("leave"), STR("keep"), STR("must"),
	STR("should"), STR("shall"), STR("may"), STR("might"), STR("would"), STR("cannot"),
	STR("to"), STR("of"), STR("for"), STR("from"), STR("with"), STR("without"),
	STR("into"), STR("onto"), STR("at"), 
	STR("between"), STR("via"), STR("per"), STR("and"), STR("or"), STR("but"),
	STR("nor"), STR("which"), STR("who"), STR("whose"), STR("than"), STR("as"), STR("if"),
	STR("unless"), STR("until"), STR("till"), STR("because"), STR("while"), 
	STR("except"), STR("whether"), STR("&"), STR("-"),
	STR("–"), STR("—"),
	STR("der"), STR("die"), STR("das"), STR("den"), STR("dem"), STR("des"), STR("ein"),
	STR("eine"), STR("einen"), STR("einem"), STR("einer"), STR("kein"), STR("keine"),
	STR("keinen"), STR("keinem"), STR("keiner"), STR("mein"), STR("meine"), STR("meinen"),
	STR("und"), STR("oder"), STR("aber"), STR("nie"), STR("niemals"), STR("nur"), STR("von"),
	STR("vom"), STR("zum"), STR("zur"), STR("im"), STR("ins"), STR("am"), STR("für"), STR("ohne"),
	STR("mit"), STR("auf"), STR("bei"), STR("dass"), STR("bis"), STR("bevor"),
	STR("wenn"), STR("weil"), STR("damit"), STR("sondern"), STR("bitte"),
	STR("le"), STR("la"), STR("les"), STR("un"), STR("une"), STR("du"), STR("de"), STR("ne"),
	STR("mon"), STR("ma"), STR("mes"), STR("et"), STR("ou"), STR("mais"), STR("ni"), STR("à"),
	STR("au"), STR("aux"), STR("dans"), STR("sur"), STR("avec"), STR("sans"), STR("pour"),
	STR("que"), STR("jamais"), STR("avant"), STR("aucun"), STR("aucune"),
	STR("el"), STR("los"), STR("las"), STR("una"), STR("del"), STR("al"), STR("y"),
	STR("o"), STR("pero"), STR("sin"), STR("con"), STR("en"), STR("para"), STR("por"),
	STR("nunca"), STR("jamás"), STR("ningún"), STR("ninguna"), STR("mi"), STR("mis"),
	STR("os"), STR("um"), STR("uma"), STR("da"), STR("dos"), STR("das"), STR("em"),
	STR("no"), STR("na"), STR("e"), STR("ou"), STR("mas"), STR("sem"), STR("com"),
	STR("não"), STR("nem"), STR("il"), STR("lo"), STR("gli"), STR("i"), STR("di"), STR("che"),
	STR("non"), STR("mai"), STR("senza"), STR("per"), STR("nel"), STR("nella"), STR("ma"),
	STR("не"), STR("ни"), STR("и"), STR("или"), STR("но"), STR("а"), STR("в"), STR("во"), STR("на"),
	STR("с"), STR("из"), STR("для"), STR("без"), STR("к"), STR("по"), STR("от"), STR("до"), STR("у"),
	STR("никогда"), STR("нельзя"), STR("только"), STR("чтобы"), STR("что"), STR("если"), STR("пока")
};

/* nor do these, but of what is told to be done ("log in", "as before") */
static const str HALF_OPEN[] = {
	STR("in"), STR("on"), STR("by"), STR("under"), STR("inside"), STR("before"),
	STR("after"), STR("when"), STR("all"), STR("these"), STR("those"), STR("such"), STR("both")
};

/* before a small letter a noun is still to come */
static const str ARTICLES[] = {
	STR("der"), STR("die"), STR("das"), STR("den"), STR("dem"), STR("des"), STR("ein"),
	STR("eine"), STR("einen"), STR("einem"), STR("einer"), STR("kein"), STR("keine"),
	STR("keinen"), STR("keinem"), STR("keiner"), STR("meine"), STR("meinen"), STR("unsere"),
	STR("unseren"), STR("alle"), STR("allen"), STR("im"), STR("zum"), STR("zur"), STR("vom")
};

/* ends none in a script that has no blanks, or hangs such words on others */
static const str OPEN_TAILS[] = {
	STR("，"), STR("、"), STR("不要"), STR("请勿"), STR("别"), STR("禁止"), STR("不准"), STR("不许"),
	STR("不得"), STR("切勿"), STR("只"), STR("和"), STR("或"), STR("的"), STR("在"), STR("把"), STR("但"),
	STR("を"), STR("が"), STR("は"), STR("に"), STR("で"), STR("と"), STR("も"), STR("の"), STR("へ"),
	STR("을"), STR("를"), STR("은"), STR("는"), STR("에"), STR("의"), STR("와"), STR("과"), STR("지")
};

/* what is forbidden, and whom, still to come */
static const str NEGATIONS[] = {
	STR("not"), STR("never"), STR("don't"), STR("don’t"), STR("dont"), STR("no"), STR("nunca"),
	STR("não"), STR("non"), STR("не"), STR("pas"), STR("jamais"), STR("nichts")
};
static const str TAKES[] = {
	STR("touch"), STR("change"), STR("edit"), STR("modify"), STR("delete"), STR("remove"),
	STR("rename"), STR("install"), STR("add"), STR("create"), STR("use"), STR("rewrite"),
	STR("upgrade"), STR("update"), STR("move"), STR("drop"), STR("overwrite"), STR("alter"),
	STR("replace"), STR("import"), STR("copy"), STR("restart"), STR("break"), STR("run"),
	STR("start"), STR("let"), STR("make"), STR("put"), STR("toques"), STR("toque"),
	STR("cambies"), STR("borres"), STR("edites"), STR("modifiques"), STR("elimines"), STR("uses"),
	STR("mexa"), STR("mude"), STR("altere"), STR("apague"), STR("remova"), STR("edite"),
	STR("toucher"), STR("modifier"), STR("changer"), STR("supprimer"), STR("toccare"),
	STR("cambiare"), STR("modificare"), STR("cancellare"), STR("usare"), STR("трогай"),
	STR("трогать"), STR("трогайте"), STR("меняй"), STR("менять"), STR("меняйте"),
	STR("удаляй"), STR("удалять"), STR("удаляйте")
};

/* more than one word that asks for what comes */
static const str OPEN_PHRASES[] = {
	STR("under no circumstances"), STR("under any circumstances"), STR("in no case"),
	STR("on no account"), STR("make sure"), STR("so that"), STR("make sure that"),
	STR("auf keinen fall"), STR("unter keinen umständen"), STR("en aucun cas"),
	STR("bajo ningún concepto"), STR("de ningún modo"), STR("em hipótese alguma"),
	STR("in nessun caso"), STR("ни в коем случае")
};
/* a sentence that is nothing but this has not begun */
static const str ALONE[] = {
	STR("please"), STR("ok"), STR("okay"), STR("por favor"), STR("per favore"),
	STR("s'il te plaît"), STR("s'il vous plaît"), STR("пожалуйста"), STR("请")
};

/* begins no order */
static const str GOES_ON[] = {
	STR("the"), STR("a"), STR("an"), STR("my"), STR("our"), STR("their"), STR("its"), STR("any"),
	STR("of"), STR("to"), STR("for"), STR("from"), STR("into"), STR("onto"), STR("by"), STR("or"),
	STR("and"), STR("but"), STR("yet"), STR("anything"), STR("either"), STR("anymore"), STR("ever"),STR("nor"), STR("not"), STR("than"), STR("that"), STR("which"), STR("who"),
	STR("whose"), STR("unless"), STR("until"), STR("till"), STR("because"), STR("before"),
	STR("while"), STR("except"), STR("without"), STR("with"), STR("if"), STR("when"),
	STR("after"), STR("in"), STR("on"), STR("at"), STR("under"), STR("between"), STR("alone"), STR("as"), STR("as-is"), STR("untouched"),
	STR("unchanged"), STR("intact"), STR("compatible"), STR("backward"), STR("backwards"),
	STR("stable"), STR("circumstances"), STR("is"), STR("are"), STR("was"), STR("were"),
	STR("und"), STR("oder"), STR("aber"), STR("sondern"), STR("der"), STR("die"), STR("das"),
	STR("den"), STR("dem"), STR("des"), STR("von"), STR("vom"), STR("dass"), STR("bevor"),
	STR("bis"), STR("weil"), STR("wenn"), STR("ohne"), STR("sans"), STR("sin"), STR("sem"),
	STR("senza"), STR("si"), STR("без"), STR("если"), STR("le"), STR("la"), STR("les"), STR("du"), STR("de"), STR("des"),
	STR("à"), STR("au"), STR("aux"), STR("et"), STR("ou"), STR("mais"), STR("que"), STR("el"),
	STR("los"), STR("las"), STR("del"), STR("y"), STR("o"), STR("pero"), STR("os"),
	STR("da"), STR("e"), STR("mas"), STR("il"), STR("lo"), STR("gli"), STR("di"), STR("и"),
	STR("или"), STR("но"), STR("а"), STR("в"), STR("на"), STR("из"), STR("для"), STR("от"), STR("до")
};

/* of these some begin what is told, which has one of those then ("the tests are red") */
static const str NOUNS[] = {
	STR("the"), STR("a"), STR("an"), STR("my"), STR("our"), STR("their"), STR("its"), STR("any")
};
static const str TOLD[] = {
	STR(" is "), STR(" are "), STR(" was "), STR(" were "), STR(" has "), STR(" have "),
	STR(" does "), STR(" do "), STR(" fail"), STR(" should "), STR(" must "), STR(" will ")
};

/* begin a clause of their own */
static const str SUBJECTS[] = {
	STR("i"), STR("it"), STR("we"), STR("you"), STR("they"), STR("he"), STR("she"),
	STR("there"), STR("this"), STR("these"), STR("i'm"), STR("i'll"), STR("it's"),
	STR("ich"), STR("es"), STR("wir"), STR("je"), STR("ça"), STR("я"), STR("мы"), STR("это")
};

/* begins one, so often that only a filled line says that it does not */
static const str ORDERS[] = {
	STR("run"), STR("commit"), STR("push"), STR("add"), STR("fix"), STR("update"),
	STR("remove"), STR("delete"), STR("create"), STR("write"), STR("check"), STR("test"),
	STR("build"), STR("deploy"), STR("merge"), STR("rename"), STR("move"), STR("use"),
	STR("make"), STR("then"), STR("also"), STR("next"), STR("install"), STR("start"),
	STR("stop"), STR("restart"), STR("open"), STR("read"), STR("show"), STR("tell"),
	STR("explain"), STR("review"), STR("refactor"), STR("implement"), STR("change"),
	STR("please"), STR("never"), STR("don't"), STR("do"), STR("no"), STR("leave"),
	STR("keep"),
	STR("look"), STR("see"), STR("try"), STR("find"), STR("search"), STR("clean"),
	STR("format"), STR("lint"), STR("rebase"), STR("revert"), STR("reset"), STR("verify"),
	STR("ensure"), STR("generate"), STR("compile"), STR("bump"), STR("release"),
	STR("publish"), STR("tag"), STR("log"), STR("print"), STR("set"), STR("get"),
	STR("give"), STR("list"), STR("summarize"), STR("describe"), STR("document"),
	STR("ask"), STR("wait"), STR("go"), STR("continue"), STR("finish"), STR("let"),
	STR("put"), STR("send"), STR("reply"), STR("answer"), STR("debug"),
	STR("investigate"), STR("optimize"), STR("improve"), STR("replace"), STR("rewrite"),
	STR("extract"), STR("split"), STR("convert"), STR("migrate"), STR("upgrade"),
	STR("downgrade"), STR("enable"), STR("disable"), STR("configure"), STR("sort"),
	STR("draft"), STR("plan"), STR("mend"), STR("paint"), STR("only"), STR("always"),
	STR("instead"), STR("füge"), STR("mach"), STR("mache"), STR("lösche"), STR("teste"),
	STR("starte"), STR("prüfe"), STR("schreib"), STR("schreibe"), STR("erkläre"),
	STR("zeig"), STR("lance"), STR("ajoute"), STR("corrige"), STR("fais"), STR("haz"),
	STR("añade"), STR("ejecuta"), STR("corre"), STR("запусти"), STR("добавь"),
	STR("сделай"), STR("исправь")
};
/* clang-format on */

struct line {
	str text;
	size_t indent,
		column; /* where it begins; where its words do, behind a list's mark */
	size_t width;
	bool words;  /* a text's line, no item that ends where it ends */
	bool item;   /* it begins with a list's mark */
	bool whole;  /* it was joined to nothing */
	bool stated; /* else: one of the joined lines states something alone */
};

static size_t item_mark(str t)
{
	size_t n = 0;

	if (t.n > 1 && strchr("-*+", t.p[0]) && t.p[1] == ' ')
		return 2;
	if (str_starts(t, STR("• ")))
		return 4;
	while (n < t.n && n < 3 && str_is_digit(t.p[n]))
		n++;
	if (!n && t.n && str_is_alpha(t.p[0]))
		n = t.n > 1 && t.p[1] == ')';
	return n && n + 1 < t.n && strchr(".)", t.p[n]) && t.p[n + 1] == ' ' ? n + 2 : 0;
}

static bool is_code(str t)
{
	size_t marks = 0;

	if (strchr("<>|$+{}[]@#=~%\\;", t.p[0]) || strchr("{}=\\|", t.p[t.n - 1]) ||
	    str_find(t, STR("\":")) != STR_NPOS || str_starts(t, STR("//")) ||
	    str_starts(t, STR("/*")) || str_starts(t, STR("---")) ||
	    str_starts(t, STR("***")))
		return true;
	for (size_t i = 0; i < t.n; i++)
		marks += strchr("{}[]<>=|\\$;^~\t", t.p[i]) != NULL;
	return marks * CODE_SHARE > t.n;
}

static struct line line_of(str raw)
{
	struct line l = {.text = str_trim(raw), .whole = true};
	size_t mark;

	while (l.indent < raw.n && raw.p[l.indent] == ' ')
		l.indent++;
	mark = item_mark(l.text);
	l.item = mark > 0;
	l.column = l.indent + mark;
	l.width = utf8_count(l.text);
	l.words = l.text.n > mark && !(l.indent < raw.n && raw.p[l.indent] == '\t') &&
		  !is_code(l.text) && !prose_is_pasted(l.text);
	return l;
}

/* The longest line of the paragraph at the head of text. */
static size_t paragraph_width(str text)
{
	size_t width = 0, w;
	str line;

	while (str_line(&text, &line) && str_trim(line).n) {
		w = utf8_count(str_trim(line));
		width = w > width ? w : width;
	}
	return width;
}

static bool ends_in(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_ends(s, list[i]))
			return true;
	return false;
}

static bool is_ended(str s)
{
	static const str stops[] = {STR("."),  STR("!"),  STR("?"),  STR(":"),
				    STR(";"),  STR("…"),  STR("。"), STR("！"),
				    STR("？"), STR("："), STR("；"), STR("؟")};

	return ends_in(prose_strip_right(s, ")]\"'`*_"), stops, COUNT(stops));
}

/* The last word of s, which gets shorter by it. */
static str last_word(str *s)
{
	size_t i = s->n;
	str w;

	while (i && s->p[i - 1] != ' ')
		i--;
	w = prose_strip_chars(str_from(*s, i), "(\"'*");
	*s = str_trim_right(str_head(*s, i));
	return w;
}

/* A capital, of a word that is written so because it begins. */
static bool is_capital(str word)
{
	uint32_t cp = 0, next = 0;
	size_t n = utf8_next(word, &cp);

	utf8_next(str_from(word, n), &next);
	if (!((cp >= 'A' && cp <= 'Z') || (cp >= 0xC0 && cp <= 0xDE) || cp == 0x401 ||
	      (cp >= 0x410 && cp <= 0x42F)))
		return false;
	return !(next >= 'A' && next <= 'Z') && !(next >= '0' && next <= '9') &&
	       next != '_';
}

static bool is_small(str word)
{
	return word.n && ((word.p[0] >= 'a' && word.p[0] <= 'z') ||
			  ((word.p[0] & 0x80) && !is_capital(word)));
}

/* What was said so far of this sentence cannot have been all of it. order: an order may come. */
static bool is_open(str said, bool order)
{
	char text[3 * WORD_BYTES];
	str tail = utf8_tail(said, sizeof text), low, bare, w, before;

	low = prose_lower_head(tail, text, sizeof text);
	bare = prose_strip_right(low, ", ");
	if (IN(bare, ALONE) || ends_in(low, OPEN_TAILS, COUNT(OPEN_TAILS)) ||
	    ends_in(low, OPEN_PHRASES, COUNT(OPEN_PHRASES)))
		return true;
	w = last_word(&low);
	if (IN(w, OPEN) || str_ends(w, STR("n't")) || str_ends(w, STR("n’t")) ||
	    (!order && IN(w, HALF_OPEN)))
		return true;
	if (!low.n)
		return false;
	before = last_word(&low);
	return (IN(w, TAKES) && IN(before, NEGATIONS)) ||
	       (!order && IN(before, ARTICLES) && is_small(last_word(&tail)));
}

/* The sentence that s ends, and the one that it begins with. */
static str sentence_end(str s)
{
	s = utf8_tail(s, SENTENCE_BYTES);
	for (size_t i = s.n; i-- > 0;) {
		if (s.p[i] == '\n' || (s.p[i] == ' ' && i && strchr(".!?", s.p[i - 1])))
			return str_from(s, i + 1);
	}
	return s;
}

static str sentence_begin(str s)
{
	for (size_t i = 0; i + 1 < s.n; i++)
		if (strchr(".!?", s.p[i]) && s.p[i + 1] == ' ')
			return str_head(s, i + 1);
	return s;
}

bool prose_is_torn(str s)
{
	int depth = 0;

	for (size_t i = 0; i < s.n && depth >= 0; i++)
		depth += (s.p[i] == '(') - (s.p[i] == ')');
	return depth < 0;
}

/* What these words alone are shown for. */
static int states(str s)
{
	return prose_is_torn(s) ? 0 : prose_constraint(s);
}

/*
 * What one of them states, both together state too. What gets too long to state anything is
 * one as well, but where a line of it does alone.
 */
static bool keeps(str said, str more, int alone, bool stated)
{
	char both[SENTENCE_BYTES];
	int before, after;

	if (said.n + 1 + more.n > sizeof both)
		return !stated && !alone;
	before = states(said);
	if (!before && !alone)
		return true;
	memcpy(both, said.p, said.n);
	both[said.n] = ' ';
	memcpy(both + said.n + 1, more.p, more.n);
	after = prose_constraint((str){both, said.n + 1 + more.n});
	return after >= 2 || (after == 1 && before < 2 && alone < 2);
}

/* One word, and a sentence's first: "You", "Under". */
static bool is_first(str said)
{
	return str_chr(said, ' ') == STR_NPOS && is_capital(said);
}

/* It begins with somebody or something, and says something of it. */
static bool is_told(str t, str word)
{
	return (IN(word, NOUNS) && HAS(t, TOLD)) || IN(word, SUBJECTS);
}

/* b goes on with a, which ends what was said; b->stated is set then. */
static bool goes_on(const struct line *a, struct line *b, size_t width, str said)
{
	size_t room;
	char low[WORD_BYTES];
	str rest = b->text, more, word;
	bool comma, full, order;
	int alone;

	if (!a->words || !b->words || b->item || is_ended(a->text) ||
	    (b->indent != a->column && b->indent > a->indent + 1) ||
	    (b->indent >= CODE_INDENT && b->indent != a->column) ||
	    (!a->item && a->indent >= CODE_INDENT) || !str_word(&rest, &word))
		return false;
	said = str_trim(str_from(said, item_mark(said)));
	more = sentence_begin(b->text);
	comma = str_ends(a->text, STR(","));
	alone = states(more);
	b->stated = a->whole ? states(said) > 0 : a->stated;
	if (is_capital(word))
		return (is_open(said, false) || (comma && alone < 2)) &&
		       keeps(said, more, alone, b->stated);
	room = a->width + 1 + utf8_count(word);
	word = prose_lower_head(prose_strip_right(word, ",.!?:;"), low, sizeof low);
	order = IN(word, ORDERS);
	full = a->width >= (order ? FILL_COLUMN : WRAP_COLUMN) && room > width;
	/* where a sentence was parted once it is again; of an order much is still to come */
	if (!full && !order && (!a->whole || states(said) || is_first(said)))
		full = !is_told(b->text, word);
	return (comma || full || b->indent == a->column + 1 || is_open(said, order) ||
		(IN(word, GOES_ON) && !is_told(b->text, word)) ||
		(!order &&
		 (str_ends(said, STR("nicht")) || str_ends(said, STR("Nicht"))))) &&
	       keeps(said, more, alone, b->stated);
}

void prose_unwrap(struct buf *out, str text)
{
	struct line last = {0}, line;
	size_t from = out->n, width = 0;
	bool fence = false;
	str rest = text, before = text, raw;

	for (; str_line(&rest, &raw); before = rest, last = line) {
		line = line_of(raw);
		if (str_starts(line.text, STR("```"))) {
			fence = !fence;
			line.words = false;
		}
		line.words = line.words && !fence;
		if (!last.text.n)
			width = paragraph_width(before);
		if (goes_on(&last, &line, width,
			    sentence_end(str_from(buf_str(out), from)))) {
			buf_byte(out, ' ');
			buf_add(out, line.text);
			line.whole = false;
			line.stated |= states(sentence_begin(line.text)) > 0;
			/* an item's words stand in its column, a paragraph's where it began */
			line.indent = last.indent;
			line.column = last.column;
			line.item = last.item;
			continue;
		}
		if (out->n > from)
			buf_byte(out, '\n');
		buf_add(out, str_trim_right(raw));
	}
}
