/*
 * Sentences of markdown, and what a sentence is: telling, or nothing at all. The words are
 * those of the languages in which people were seen to talk to the client.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

#define VALUE_BYTES 600 /* of a sentence are looked at */

/* words that say no more than "go on", in the languages above */
/* clang-format off */
static const str FILLERS[] = {
	STR("yes"), STR("yeah"), STR("yep"), STR("ok"), STR("okay"), STR("sure"),
	STR("continue"), STR("go"), STR("please"), STR("thanks"), STR("thank"),
	STR("you"), STR("proceed"), STR("do"), STR("it"), STR("that"), STR("was"),
	STR("right"), STR("correct"), STR("good"), STR("great"), STR("perfect"),
	STR("y"), STR("k"), STR("on"), STR("and"), STR("now"), STR("ahead"),
	STR("next"), STR("then"), STR("alright"), STR("fine"), STR("cool"), STR("nice"),
	STR("yup"), STR("keep"), STR("going"), STR("carry"), STR("resume"), STR("dann"),
	STR("alors"), STR("entonces"), STR("allora"), STR("тогда"), STR("vamos"),
	STR("继续吧"), STR("接着做"), STR("続行"), STR("ja"), STR("jo"), STR("weiter"), STR("bitte"), STR("danke"),
	STR("gut"), STR("mach"), STR("genau"), STR("passt"), STR("los"), STR("super"),
	STR("oui"), STR("vas"), STR("allez"), STR("merci"), STR("parfait"),
	STR("accord"), STR("d"), STR("suite"), STR("sí"), STR("si"), STR("continúa"),
	STR("continua"), STR("sigue"), STR("adelante"), STR("gracias"), STR("vale"),
	STR("perfecto"), STR("dale"), STR("sim"), STR("pode"), STR("segue"),
	STR("obrigado"), STR("obrigada"), STR("isso"), STR("sì"), STR("va"),
	STR("bene"), STR("avanti"), STR("grazie"), STR("да"), STR("ага"), STR("ок"),
	STR("продолжай"), STR("продолжайте"), STR("давай"), STR("дальше"),
	STR("хорошо"), STR("спасибо"), STR("пожалуйста"), STR("好"), STR("好的"),
	STR("继续"), STR("请继续"), STR("是"), STR("是的"), STR("可以"), STR("行"), STR("谢谢"),
	STR("对"), STR("嗯"), STR("没问题"), STR("はい"), STR("続けて"), STR("続けてください"),
	STR("お願いします"), STR("ありがとう"), STR("了解"), STR("うん"), STR("네"), STR("예"), STR("응"),
	STR("계속"), STR("계속해"), STR("좋아"), STR("감사합니다")
};
/* clang-format on */

/* what begins with these announces */
static const str CHATTER[] = {STR("let me"), STR("i'll"),      STR("now let"),
			      STR("let's"),  STR("now i"),     STR("perfect"),
			      STR("great"),  STR("good"),      STR("excellent"),
			      STR("i will"), STR("i need to"), STR("next,"),
			      STR("first,"), STR("now "),      STR("i'm going")};

/* What a sentence that tells something has in it, and how much that is worth. */
static const struct {
	str word;
	float worth;
} CUES[] = {
	{STR("root cause"), 4}, {STR("the fix"), 2},     {STR("fixed"), 2},
	{STR("the issue"), 2},  {STR("the problem"), 2}, {STR("because"), 2},
	{STR("decided"), 3},    {STR("instead"), 2},     {STR("rather than"), 2},
	{STR("turns out"), 3},  {STR("already"), 1},     {STR("pre-existing"), 3},
	{STR("not "), 1},       {STR("n't "), 1},        {STR("never"), 1},
	{STR("only "), 1},      {STR("must "), 1},       {STR("fail"), 2},
	{STR("error"), 2},      {STR("blocked"), 2},     {STR("→"), 1},
	{STR("means"), 1},      {STR("works"), 1},       {STR("so "), 1},
	{STR("option"), 1},     {STR("added"), 1},       {STR("removed"), 1},
	{STR("changed"), 1},    {STR("updated"), 1},     {STR("need to"), 1},
	{STR("should"), 1},     {STR("next"), 1},        {STR("remaining"), 2},
	{STR("confirmed"), 2},  {STR("verified"), 2},    {STR("unrelated"), 2},
	{STR("was "), 0.5f},    {STR("bug"), 1},         {STR("原因"), 3},
	{STR("修复"), 2},       {STR("修正"), 2},        {STR("失败"), 2},
	{STR("失敗"), 2},       {STR("エラー"), 2},      {STR("错误"), 2},
	{STR("因为"), 2},       {STR(" weil "), 2},      {STR("ursache"), 3},
	{STR("fehler"), 2},     {STR("behoben"), 2},     {STR("parce que"), 2},
	{STR("erreur"), 2},     {STR("porque"), 2},      {STR("причин"), 3},
	{STR("ошибк"), 2},      {STR("исправ"), 2},      {STR("потому"), 2},
};

struct sentences {
	struct arena *a;
	str *out;
	size_t n, max;
	bool lower;
	bool full;
	str head;   /* a heading that waits for its first sentence */
	bool *hole; /* NULL, or by sentence: something before it was left out */
	bool left;  /* something was left out since the last sentence */
};

/* These bytes go into no sentence; marks and rules are no words. */
static void leave(struct sentences *s, str t)
{
	for (size_t i = 0; i < t.n && !s->left; i++)
		s->left = str_is_alnum(t.p[i]) || (t.p[i] & 0x80);
}

static void sentence_put(struct sentences *s, str t)
{
	if (s->n == s->max) {
		s->full = true;
		leave(s, t);
		return;
	}
	if (s->hole)
		s->hole[s->n] = s->left;
	s->left = false;
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

	return str_starts(s, STR("。")) || str_starts(s, STR("！")) ||
	       str_starts(s, STR("？"));
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
	else if (t.n > begin)
		leave(s, str_from(t, begin));
}

/* Without `**`; a copy only where there are any. */
static str without_bold(struct sentences *s, str t)
{
	size_t used = 0;
	char *p;

	if (!prose_has(t, STR("**")))
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
	if (str_starts(t, STR("• ")))
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
	    str_starts(t, STR("| --")) || str_starts(t, STR("==="))) {
		leave(s, t);
		return;
	}
	if (t.p[0] == '#' && !s->lower) {
		leave(s, s->head);
		s->head = prose_strip_right(prose_strip_chars(t, "#* "), ":");
		return;
	}
	t = without_bold(s, t);
	mark = list_mark(t);
	t = str_trim(str_from(t, mark));
	if (t.n && (t.p[0] == '|' || t.p[0] == '>'))
		t = str_trim(prose_strip_chars(t, "|> "));
	split_line(s, t);
	if (s->n > before && s->head.n)
		s->out[before] = join(s, join(s, s->head, STR(": ")), s->out[before]);
	else if (s->n > before && mark && !s->lower)
		s->out[before] = join(s, STR("- "), s->out[before]);
	if (s->n == before)
		leave(s, s->head);
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

static void fence_line(struct sentences *s, struct fence *f, str t)
{
	if (!f->wanted || t.n == 0 || f->n == FENCE_LINES ||
	    f->bytes + t.n >= FENCE_BYTES || str_chr(t, '`') != STR_NPOS) {
		leave(s, t);
		return;
	}
	f->bytes += t.n;
	f->line[f->n++] = t;
}

size_t prose_sentences(struct arena *a, str text, bool lower, str *out, size_t max)
{
	return prose_sentences_holes(a, text, lower, out, NULL, max);
}

size_t prose_sentences_holes(struct arena *a, str text, bool lower, str *out, bool *hole,
			     size_t max)
{
	struct sentences s = {
		.a = a, .out = out, .max = max, .lower = lower, .hole = hole};
	struct fence fence = {0};
	str rest = text, line;

	while (!s.full && str_line(&rest, &line)) {
		line = str_trim(line);
		if (str_starts(line, STR("```")))
			fence_mark(&s, &fence);
		else if (fence.open)
			fence_line(&s, &fence, line);
		else
			sentence_line(&s, line);
	}
	for (size_t i = 0; fence.open && i < fence.n; i++)
		leave(&s, fence.line[i]); /* it never closes */
	leave(&s, s.head);
	leave(&s, rest);
	if (hole)
		hole[s.n] = s.left;
	return s.n;
}

bool prose_asks(str sentence)
{
	return str_ends(sentence, STR("?")) || str_ends(sentence, STR("？")) ||
	       str_ends(sentence, STR("؟"));
}

float prose_value(str sentence)
{
	static const size_t n = COUNT(CUES);
	str word[COUNT(CUES)], s = sentence, low;
	char text[VALUE_BYTES + 1] = " ";
	float v = 1;
	uint64_t found;
	size_t ticks;

	_Static_assert(COUNT(CUES) <= PROSE_SET_MAX, "one bit a word");
	for (size_t i = 0; i < n; i++)
		word[i] = CUES[i].word;
	while (s.n && (s.p[0] == '-' || s.p[0] == ' '))
		s = str_from(s, 1);
	low = prose_lower_head(s, text + 1, VALUE_BYTES);
	found = prose_find_set((str){text, low.n + 1}, word, n, NULL);
	for (size_t i = 0; i < n; i++)
		v += found >> i & 1 ? CUES[i].worth : 0;
	if (v > 8)
		v = 8;
	if (STARTS(low, CHATTER))
		v -= 2.5f;
	ticks = prose_count_byte(sentence, '`') / 2;
	v += 0.4f * (float)(ticks < 3 ? ticks : 3);
	if (sentence.n < 30 && !ticks)
		v -= 1.5f;
	if (str_ends(sentence, STR(":")) && !str_starts(sentence, STR("- ")))
		v -= 2;
	if (prose_asks(sentence))
		v -= 0.5f;
	return v > 0 ? v : 0;
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
		    !IN(prose_lower_head(word, low, sizeof low), FILLERS))
			return false;
	}
	return true;
}

#define BACK_BYTES  600 /* of a sentence are looked at */
#define BACK_WORDS  64
#define BACK_SHARED 3 /* words that make two sentences be about the same */
#define BACK_LETTER 4 /* letters of a word that counts */
#define BACK_STEM   5

/* Stems of the longer words of s, which is in small letters; each once. */
static size_t stems(str s, str out[BACK_WORDS])
{
	static const str plain[] = {
		STR("that"),  STR("this"),  STR("with"),  STR("from"),  STR("have"),
		STR("they"),  STR("then"),  STR("when"),  STR("what"),  STR("will"),
		STR("would"), STR("shoul"), STR("could"), STR("which"), STR("there"),
		STR("inste"), STR("actua"), STR("rathe"), STR("than"),  STR("need")};
	size_t n = 0, i = 0;

	while (i < s.n && n < BACK_WORDS) {
		size_t from = i;
		str w;

		while (i < s.n &&
		       (str_is_alnum(s.p[i]) || s.p[i] == '_' || (s.p[i] & 0x80)))
			i++;
		w = (str){s.p + from, i - from};
		i += i < s.n;
		if (w.n < BACK_LETTER)
			continue;
		w = str_head(w, BACK_STEM);
		if (!IN(w, plain) && !prose_in_list(w, out, n))
			out[n++] = w;
	}
	return n;
}

bool prose_takes_back(str later, str earlier)
{
	static const str cues[] = {STR("actually"),          STR("wait"),
				   STR("on second thought"), STR("scratch that"),
				   STR("changed my mind"),   STR("that's wrong"),
				   STR("that was wrong"),    STR("not true after all"),
				   STR("no need after all")};
	char one[BACK_BYTES + 1], other[BACK_BYTES + 1];
	str a = prose_lower_head(later, one, BACK_BYTES),
	    b = prose_lower_head(earlier, other, BACK_BYTES);
	str x[BACK_WORDS], y[BACK_WORDS];
	size_t shared = 0, n, m;
	bool turns = false;

	for (size_t i = 0; i < COUNT(cues); i++)
		turns |= prose_has(a, cues[i]);
	if (!turns)
		return false;
	n = stems(a, x);
	m = stems(b, y);
	for (size_t i = 0; i < n; i++)
		shared += prose_in_list(x[i], y, m);
	return shared >= BACK_SHARED;
}
