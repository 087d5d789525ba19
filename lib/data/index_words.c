/*
 * The tokenizer `handoff`, which FTS5's porter wraps (tokenize='porter handoff').
 *
 * unicode61 does the folding and says what a word is; what is between its words (read from
 * the text itself) tells where names of code begin and end:
 *
 *   text                 tokens, in order; a whole stands at the position of its last part
 *   mod1_init            mod1 init [mod1init]
 *   readConfigFile       read config file [readconfigfile]
 *   src/date-parse.py    src date parse [dateparse] py [dateparsepy] [srcdateparsepy]
 *   std::vector          std vector [stdvector]
 *   v1.12, 2026-01-03    v1 12 [v1.12], 2026 01 03 [2026.01.03]: digits keep a point
 *   don't, Ann's         don, ann
 *   C++, F#              c [c++], f [f#]
 *   done 🚀 ✅           done 🚀 ✅: symbols add nothing to the length of a text
 *   全文検索              全文 文検 検索 [索]
 *
 * So utf-8, utf_8 and utf8 are one word, as are multi-agent and multiAgent. A run of Han,
 * Kana or Hangul is cut into overlapping pairs; its last character also stands alone, so that a
 * single character is found as a prefix wherever it is.
 *
 * A query is cut with the same code (index_asked), each of its words then given to
 * FTS5 as a string of its own: in query mode the tokenizer passes what it gets through.
 */
#include <stdlib.h>

#include "base/oom.h"
#include "base/utf8.h"
#include "data/index_impl.h"

#define CAMEL_MAX  6 /* more humps than that are no name but encoded bytes */
#define LEVELS     3
#define SUFFIX_MAX 2  /* of what follows an apostrophe and says nothing: 's, 't, 'll */
#define SHARP_MAX  2  /* of what is no letter at the end of a name: ++, # */
#define NAME_MAX   40 /* bytes of a leading "Name: " */
#define NAME_WORDS 3

#define FULL_WIDTH_FIRST 0xFF01u
#define FULL_WIDTH_LAST  0xFF5Eu
#define FULL_WIDTH_SHIFT 0xFEE0u

typedef int cut_fn(void *arg, int flags, const char *p, int n, int start, int end);

/* A name that is being put together: since the last joint of a higher level. */
struct cut_level {
	char p[INDEX_WORD_MAX];
	int n, units, start;
	bool over;
};

struct cut {
	str text;
	bool query;
	cut_fn *emit;
	void *arg;
	int chain_end; /* offset behind the last part; -1: no name is open */
	int seen;      /* offset up to which symbols were looked for */
	struct cut_level level[LEVELS];
};

struct index_words {
	fts5_tokenizer uni, porter;
	Fts5Tokenizer *uni_it, *porter_it;
};

/* ---- names ---- */

static void level_start(struct cut_level *l, int start)
{
	l->n = 0;
	l->units = 1;
	l->start = start;
	l->over = false;
}

static void level_add(struct cut_level *l, str part)
{
	bool point =
		l->n && part.n && str_is_digit(l->p[l->n - 1]) && str_is_digit(part.p[0]);

	if (l->over || part.n + point > (size_t)(INDEX_WORD_MAX - l->n)) {
		l->over = true;
		return;
	}
	if (point)
		l->p[l->n++] = '.';
	memcpy(l->p + l->n, part.p, part.n);
	l->n += (int)part.n;
}

static int level_end(struct cut *c, struct cut_level *l)
{
	if (l->units < 2 || l->over)
		return 0;
	return c->emit(c->arg, FTS5_TOKEN_COLOCATED, l->p, l->n, l->start, c->chain_end);
}

static int chain_end(struct cut *c)
{
	int ret = 0;

	for (int i = 0; !ret && i < LEVELS && c->chain_end >= 0; i++)
		ret = level_end(c, &c->level[i]);
	c->chain_end = -1;
	return ret;
}

/* The joint between two words of unicode61: its level, or -1. */
static int joint(const struct cut *c, int start)
{
	const char *p = c->text.p + c->chain_end;
	int n = start - c->chain_end;

	if (c->chain_end < 0 || n < 0 || n > 2)
		return -1;
	if (n == 0)
		return 0;
	if (n == 2)
		return (p[0] == ':' && p[1] == ':') || (p[0] == '-' && p[1] == '>') ? 1
										    : -1;
	switch (p[0]) {
	case '_':
	case '-':
		return 0;
	case '.':
		return 1;
	case '/':
	case '\\':
		return 2;
	case ':':
		return c->chain_end > 0 && str_is_digit(p[-1]) && str_is_digit(p[1]) ? 1
										     : -1;
	}
	return -1;
}

/* One part of a name; g is the joint before it, -1 when a name begins. */
static int part(struct cut *c, str word, int g, int start, int end)
{
	int ret = 0;

	if (g < 0)
		ret = chain_end(c);
	for (int i = 0; i < LEVELS && !ret; i++) {
		struct cut_level *l = &c->level[i];

		if (g < 0) {
			level_start(l, start);
		} else if (i < g) {
			ret = level_end(c, l);
			level_start(l, start);
		} else if (i == g) {
			l->units++;
		}
		level_add(l, word);
	}
	c->chain_end = end;
	return ret ? ret
		   : c->emit(c->arg, 0, word.p, (int)utf8_head(word, INDEX_WORD_MAX).n,
			     start, end);
}

static bool upper(char ch)
{
	return ch >= 'A' && ch <= 'Z';
}

/* Length of the first hump of raw, all of which is ASCII. */
static size_t hump(str raw)
{
	bool lower = false;

	for (size_t i = 0; i < raw.n; i++) {
		bool up = upper(raw.p[i]);

		if (i && up &&
		    (lower || (upper(raw.p[i - 1]) && i + 1 < raw.n &&
			       raw.p[i + 1] >= 'a' && raw.p[i + 1] <= 'z')))
			return i;
		lower = lower || (!up && !str_is_digit(raw.p[i]));
	}
	return raw.n;
}

static size_t humps(str raw)
{
	size_t n = 0;

	for (; raw.n; n++)
		raw = str_from(raw, hump(raw));
	return n;
}

/* C++, C#: names that end in what is no letter. */
static int sharp(struct cut *c, str word, int start, int end)
{
	str rest = str_from(c->text, (size_t)end);
	char name[4];
	size_t n = word.n;

	if (n > 2 || !str_is_alpha(word.p[0]) || !rest.n)
		return 0;
	memcpy(name, word.p, n);
	if (str_starts(rest, STR("++"))) {
		name[n++] = '+';
		name[n++] = '+';
	} else if (rest.p[0] == '#' && (rest.n == 1 || !str_is_alnum(rest.p[1]))) {
		name[n++] = '#';
	} else {
		return 0;
	}
	return c->emit(c->arg, FTS5_TOKEN_COLOCATED, name, (int)n, start, end);
}

static int latin(struct cut *c, str word, int start, int end)
{
	str raw = {c->text.p + start, (size_t)(end - start)};
	int g = joint(c, start), ret = 0;
	size_t n;

	if (raw.n != word.n || humps(raw) > CAMEL_MAX)
		return part(c, word, g, start, end);
	for (; !ret && word.n; g = 0) {
		n = hump(raw);
		ret = part(c, str_head(word, n), g, start, start + (int)n);
		start += (int)n;
		raw = str_from(raw, n);
		word = str_from(word, n);
	}
	return ret;
}

/* ---- Han, Kana, Hangul ---- */

static bool pairs_script(uint32_t cp)
{
	return (cp >= 0x2E80 && cp <= 0x2FDF) || cp == 0x3005 || cp == 0x3007 ||
	       (cp >= 0x3041 && cp <= 0x318F) || (cp >= 0x31A0 && cp <= 0x31BF) ||
	       (cp >= 0x31F0 && cp <= 0x31FF) || (cp >= 0x3400 && cp <= 0x4DBF) ||
	       (cp >= 0x4E00 && cp <= 0x9FFF) || (cp >= 0x1100 && cp <= 0x11FF) ||
	       (cp >= 0xA960 && cp <= 0xA97F) || (cp >= 0xAC00 && cp <= 0xD7FF) ||
	       (cp >= 0xF900 && cp <= 0xFAFF) || (cp >= 0xFF66 && cp <= 0xFFDC) ||
	       (cp >= 0x20000 && cp <= 0x3FFFF);
}

static int pairs(struct cut *c, str run, int start, int end)
{
	uint32_t cp;
	size_t a = utf8_next(run, &cp), b;
	bool alone = true;
	int ret = 0;

	for (; !ret && a && (b = utf8_next(str_from(run, a), &cp)); a = b) {
		ret = c->emit(c->arg, 0, run.p, (int)(a + b), start, end);
		run = str_from(run, a);
		alone = false;
	}
	if (ret || (c->query && !alone))
		return ret;
	return c->emit(c->arg, alone ? 0 : FTS5_TOKEN_COLOCATED, run.p, (int)run.n, start,
		       end);
}

/* ---- symbols: what stands between the words of unicode61 ---- */

static bool skin_tone(uint32_t cp)
{
	return cp >= 0x1F3FB && cp <= 0x1F3FF;
}

/* A letter of a flag: two of them are one symbol. */
static bool flag_letter(uint32_t cp)
{
	return cp >= 0x1F1E6 && cp <= 0x1F1FF;
}

/* Emoji and pictures; arrows, lines and signs of mathematics are not asked for. */
static bool symbol(uint32_t cp)
{
	return (cp >= 0x1F000 && cp <= 0x1FAFF && !skin_tone(cp)) ||
	       (cp >= 0x2600 && cp <= 0x27BF) || (cp >= 0x2300 && cp <= 0x23FF) ||
	       (cp >= 0x25A0 && cp <= 0x25FF) || (cp >= 0x2B00 && cp <= 0x2BFF) ||
	       cp == 0x203C || cp == 0x2049 || cp == 0x3030 || cp == 0x303D ||
	       cp == 0x3297 || cp == 0x3299;
}

/* Bytes of the symbol at p, 0: none; *skip: bytes to go on by. */
static size_t symbol_at(str p, size_t *skip)
{
	uint32_t cp, next;
	size_t n = utf8_next(p, &cp);

	*skip = n ? n : 1;
	if (!n || !symbol(cp))
		return 0;
	if (flag_letter(cp) && (*skip = utf8_next(str_from(p, n), &next)) &&
	    flag_letter(next))
		n += *skip;
	*skip = n;
	return n;
}

/* Each symbol of a text; in a text they take no place of their own: its length is that of its words. */
static int symbol_run(struct cut *c, str text, int start, int end)
{
	int flags = c->query ? 0 : FTS5_TOKEN_COLOCATED, ret = 0;
	size_t n, skip;

	for (; text.n && !ret; text = str_from(text, skip)) {
		skip = 1;
		if ((unsigned char)text.p[0] < 0xE2)
			continue;
		n = symbol_at(text, &skip);
		if (n)
			ret = c->emit(c->arg, flags, text.p, (int)n, start, end);
	}
	return ret;
}

/* Those between the words, up to offset end. */
static int symbols(struct cut *c, int end)
{
	str text = {c->text.p + c->seen, end > c->seen ? (size_t)(end - c->seen) : 0};
	int start = c->seen;

	c->seen += (int)text.n;
	return symbol_run(c, text, start, end);
}

/* Bytes of what only says how the symbol before it is to be drawn; unicode61 takes it for the beginning of a word. */
static size_t drawing(str word)
{
	size_t n = 0, k;
	uint32_t cp;

	while ((k = utf8_next(str_from(word, n), &cp)) &&
	       ((cp >= 0xFE00 && cp <= 0xFE0F) || skin_tone(cp)))
		n += k;
	return n;
}

/* ---- a word of unicode61 ---- */

static bool full_width(uint32_t cp)
{
	return cp >= FULL_WIDTH_FIRST && cp <= FULL_WIDTH_LAST;
}

enum script {
	SCRIPT_LETTERS,
	SCRIPT_PAIRS,
	SCRIPT_SYMBOLS, /* too new for the tables of unicode61: it takes them for letters */
};

static enum script script_of(uint32_t cp)
{
	return pairs_script(cp) ? SCRIPT_PAIRS
	       : symbol(cp)     ? SCRIPT_SYMBOLS
				: SCRIPT_LETTERS;
}

/* The head of word whose characters are all of one script. */
static size_t script_run(str word, enum script *script, bool *wide)
{
	size_t n = 0, k;
	uint32_t cp;

	*wide = false;
	for (; (k = utf8_next(str_from(word, n), &cp)); n += k) {
		if (n == 0)
			*script = script_of(cp);
		else if (script_of(cp) != *script)
			break;
		*wide = *wide || full_width(cp);
	}
	return n;
}

/* Full width letters and digits as the plain ones. */
static str narrow(str word, char out[INDEX_WORD_MAX])
{
	size_t n = 0, k;
	uint32_t cp;

	for (; n + 4 <= INDEX_WORD_MAX && (k = utf8_next(word, &cp));
	     word = str_from(word, k)) {
		if (full_width(cp))
			out[n++] = str_lower((char)(cp - FULL_WIDTH_SHIFT));
		else
			n += utf8_put(out + n, cp);
	}
	return (str){out, n};
}

static int mixed(struct cut *c, str word, int start, int end)
{
	char plain[INDEX_WORD_MAX];
	enum script script;
	bool wide;
	int ret = 0;
	size_t n;

	for (bool first = true; !ret && word.n; first = false) {
		str run;

		n = script_run(word, &script, &wide);
		if (!n)
			break;
		run = wide ? narrow(str_head(word, n), plain) : str_head(word, n);
		if (script == SCRIPT_LETTERS)
			ret = part(c, run, first ? joint(c, start) : -1, start, end);
		if (!ret && (script != SCRIPT_LETTERS || n < word.n))
			ret = chain_end(c);
		if (!ret && script == SCRIPT_PAIRS)
			ret = pairs(c, run, start, end);
		else if (!ret && script == SCRIPT_SYMBOLS)
			ret = symbol_run(c, run, start, end);
		word = str_from(word, n);
	}
	return ret;
}

static bool ascii(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* What follows an apostrophe in English and is no word. */
static bool suffix(const struct cut *c, str word, int start)
{
	static const char *const SUFFIX[] = {"s", "t", "d", "m", "ll", "re", "ve"};
	str before = {c->text.p, (size_t)start};

	if (word.n > SUFFIX_MAX || c->chain_end < 0 || start - c->chain_end > 3 ||
	    !(str_ends(before, STR("'")) || str_ends(before, STR("\xE2\x80\x99"))))
		return false;
	for (size_t i = 0; i < sizeof(SUFFIX) / sizeof(SUFFIX[0]); i++)
		if (str_eq(word, str_of(SUFFIX[i])))
			return true;
	return false;
}

static int on_word(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct cut *c = arg;
	str word = {p, (size_t)n};
	int ret = symbols(c, start);
	size_t k;

	(void)flags;
	if (c->seen < end)
		c->seen = end;
	if (ret || n <= 0 || suffix(c, word, start))
		return ret;
	if (ascii(word)) {
		ret = latin(c, word, start, end);
		return ret ? ret : sharp(c, word, start, end);
	}
	k = drawing(word);
	word = str_from(word, k);
	return word.n ? mixed(c, word, start + (int)k, end) : SQLITE_OK;
}

static int cut(struct cut *c, const fts5_tokenizer *uni, Fts5Tokenizer *it)
{
	int ret;

	c->chain_end = -1;
	ret = uni->xTokenize(it, c, FTS5_TOKENIZE_DOCUMENT, c->text.p, (int)c->text.n,
			     on_word);
	if (!ret)
		ret = chain_end(c);
	return ret ? ret : symbols(c, (int)c->text.n);
}

/* ---- the tokenizer ---- */

struct words_tokenizer {
	fts5_tokenizer uni;
	Fts5Tokenizer *it;
};

static int uni_create(fts5_tokenizer *uni, Fts5Tokenizer **it)
{
	/* marks belong to the words of Indic scripts; diacritics are taken off all the same */
	const char *arg[] = {"remove_diacritics", "2", "categories", "L* N* Co M*"};

	return uni->xCreate(NULL, arg, sizeof(arg) / sizeof(arg[0]), it);
}

static void words_delete(Fts5Tokenizer *t)
{
	struct words_tokenizer *w = (struct words_tokenizer *)t;

	if (w && w->it)
		w->uni.xDelete(w->it);
	free(w);
}

static int words_create(void *api_arg, const char **arg, int n, Fts5Tokenizer **out)
{
	fts5_api *api = api_arg;
	struct words_tokenizer *w = calloc(1, sizeof(*w));
	void *context;
	int ret;

	(void)arg;
	(void)n;
	if (!w)
		return SQLITE_NOMEM;
	ret = api->xFindTokenizer(api, "unicode61", &context, &w->uni);
	if (!ret)
		ret = uni_create(&w->uni, &w->it);
	if (ret)
		words_delete((Fts5Tokenizer *)w);
	else
		*out = (Fts5Tokenizer *)w;
	return ret;
}

static int words_tokenize(Fts5Tokenizer *t, void *arg, int flags, const char *p, int n,
			  cut_fn *emit)
{
	struct words_tokenizer *w = (struct words_tokenizer *)t;
	struct cut c = {.text = {p, n > 0 ? (size_t)n : 0}, .emit = emit, .arg = arg};

	if (flags & FTS5_TOKENIZE_QUERY) /* cut already */
		return c.text.n ? emit(arg, 0, p, n, 0, n) : SQLITE_OK;
	return cut(&c, &w->uni, w->it);
}

static int find_api(sqlite3 *db, fts5_api **api)
{
	sqlite3_stmt *st;
	int ret = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &st, NULL);

	*api = NULL;
	if (ret)
		return ret;
	sqlite3_bind_pointer(st, 1, (void *)api, "fts5_api_ptr", NULL);
	sqlite3_step(st);
	ret = sqlite3_finalize(st);
	return ret ? ret : *api ? SQLITE_OK : SQLITE_ERROR;
}

void index_words_close(struct index_words *w)
{
	if (!w)
		return;
	if (w->uni_it)
		w->uni.xDelete(w->uni_it);
	if (w->porter_it)
		w->porter.xDelete(w->porter_it);
	free(w);
}

int index_words_open(sqlite3 *db, struct index_words **out)
{
	static fts5_tokenizer ours = {words_create, words_delete, words_tokenize};
	const char *arg[] = {"handoff"};
	struct index_words *w = calloc(1, sizeof(*w));
	fts5_api *api;
	void *context;
	int ret;

	*out = NULL;
	if (!w)
		return SQLITE_NOMEM;
	ret = find_api(db, &api);
	if (!ret)
		ret = api->xCreateTokenizer(api, "handoff", api, &ours, NULL);
	if (!ret)
		ret = api->xFindTokenizer(api, "unicode61", &context, &w->uni);
	if (!ret)
		ret = uni_create(&w->uni, &w->uni_it);
	if (!ret)
		ret = api->xFindTokenizer(api, "porter", &context, &w->porter);
	if (!ret)
		ret = w->porter.xCreate(context, arg, 1, &w->porter_it);
	if (!ret)
		ret = index_match_register(api);
	if (ret)
		index_words_close(w);
	else
		*out = w;
	return ret;
}

/* ---- words for others ---- */

struct each {
	int (*fn)(str token, void *arg);
	void *arg;
};

static int on_token(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct each *each = arg;

	(void)flags;
	(void)start;
	(void)end;
	return each->fn((str){p, (size_t)n}, each->arg);
}

int index_words(struct index *ix, str text, int (*fn)(str token, void *arg), void *arg)
{
	struct index_words *w = ix->words;
	struct each each = {fn, arg};

	if (!w || !text.n || text.n > INDEX_TEXT_MAX)
		return 0;
	return w->porter.xTokenize(w->porter_it, &each, FTS5_TOKENIZE_DOCUMENT, text.p,
				   (int)text.n, on_token);
}

struct stem {
	char *out;
	size_t n;
};

static int on_stem(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct stem *s = arg;

	(void)flags;
	(void)start;
	(void)end;
	s->n = (size_t)n < INDEX_WORD_MAX ? (size_t)n : INDEX_WORD_MAX;
	memcpy(s->out, p, s->n);
	return SQLITE_OK;
}

/* ---- questions ---- */

#define SLOTS      (2 * INDEX_ASKED_MAX) /* a power of two */
#define RECENT_MAX 32                    /* parts of a name that is still open */

struct recent {
	uint16_t word;
	int start, end;
	bool covered; /* by a whole name */
};

struct query {
	struct index_words *w;
	str text;
	struct index_asked *a;
	size_t cap;
	uint16_t slot
		[SLOTS]; /* by the hash of the stem: number of the word and 1; 0 free */
	struct recent recent[RECENT_MAX];
	size_t nrecent;
	int first, last; /* offsets: where the words are */
	struct {
		uint16_t word;
		int start, end;
	} name;          /* the last whole one */
	bool stop_words; /* take them too */
	bool strict;     /* none of any language */
	bool left_out;   /* a stop word was met */
};

/* The slot of a stem: that of the word that has it, or a free one. */
static uint16_t *slot_of(struct query *q, str stem)
{
	size_t i = (size_t)str_hash(stem) & (SLOTS - 1);

	for (; q->slot[i]; i = (i + 1) & (SLOTS - 1)) {
		const struct index_term *t = &q->a->word[q->slot[i] - 1].term;

		if (str_eq((str){t->stem, t->nstem}, stem))
			break;
	}
	return &q->slot[i];
}

static struct index_asked_word *new_word(struct query *q)
{
	struct index_asked *a = q->a;

	if (a->n == q->cap) {
		q->cap = q->cap ? q->cap * 2 : 2 * INDEX_TERMS_MAX;
		a->word = realloc(a->word, q->cap * sizeof(*a->word));
		if (!a->word)
			oom();
	}
	a->word[a->n] = (struct index_asked_word){.alone = 0};
	return &a->word[a->n++];
}

static bool alone(str word)
{
	uint32_t cp;

	return utf8_next(word, &cp) == word.n && pairs_script(cp);
}

/* A word stands at start..end: alone, unless a whole name that it is a part of follows. */
static void met(struct query *q, size_t word, int start, int end)
{
	if (q->nrecent == RECENT_MAX)
		memmove(q->recent, q->recent + 1, --q->nrecent * sizeof(*q->recent));
	q->recent[q->nrecent++] = (struct recent){(uint16_t)word, start, end, false};
	q->a->word[word].alone++;
	if (q->last < 0 || start < q->first)
		q->first = start;
	if (end > q->last)
		q->last = end;
}

static void add_whole(struct index_asked_word *part, size_t whole)
{
	for (size_t i = 0; i < part->nwhole; i++)
		if (part->whole[i] == whole)
			return;
	if (part->nwhole < INDEX_WHOLES_MAX)
		part->whole[part->nwhole++] = (uint16_t)whole;
	else
		part->alone++; /* in too many names to be told from them */
}

/* Whether quotes of one kind stand around start..end; C++ and F# end behind their word. */
static bool in_quotes(str text, int start, int end)
{
	str behind = str_head(str_from(text, (size_t)end), SHARP_MAX + 1);
	char quote = start > 0 ? text.p[start - 1] : 0;

	return (quote == '"' || quote == '\'' || quote == '`') &&
	       str_chr(behind, quote) != STR_NPOS;
}

/* The name at start..end is a word too: those inside it are its parts. Returns whether there are any. */
static bool met_whole(struct query *q, size_t whole, int start, int end)
{
	bool any = false;

	for (size_t i = 0; i < q->nrecent; i++) {
		struct recent *r = &q->recent[i];

		if (r->start < start || r->end > end || r->word == whole)
			continue;
		if (!r->covered)
			q->a->word[r->word].alone--;
		r->covered = any = true;
		add_whole(&q->a->word[r->word], whole);
	}
	if (in_quotes(q->text, start, end))
		q->a->word[whole].quoted = true;
	q->name.word = (uint16_t)whole;
	q->name.start = start;
	q->name.end = end;
	return any;
}

static int on_query(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct query *q = arg;
	bool whole = flags & FTS5_TOKEN_COLOCATED;
	str word = {p, (size_t)n};
	char stem[INDEX_WORD_MAX];
	struct stem s = {stem, 0};
	struct index_term *t;
	uint16_t *slot;

	if (!word.n)
		return SQLITE_OK;
	if (!q->stop_words && index_stop_word(word, q->strict)) {
		q->left_out = true;
		return SQLITE_OK;
	}
	q->w->porter.xTokenize(q->w->porter_it, &s, FTS5_TOKENIZE_QUERY, p, n, on_stem);
	if (!s.n)
		return SQLITE_OK;
	slot = slot_of(q, (str){stem, s.n});
	if (!*slot && q->a->n == INDEX_ASKED_MAX)
		return SQLITE_DONE;
	if (!*slot) {
		t = &new_word(q)->term;
		memcpy(t->word, word.p, word.n);
		t->n = word.n;
		memcpy(t->stem, stem, s.n);
		t->nstem = s.n;
		t->prefix = alone(word);
		*slot = (uint16_t)q->a->n;
	}
	t = &q->a->word[*slot - 1].term;
	if (!whole)
		met(q, *slot - 1u, start, end);
	if (!whole || !met_whole(q, *slot - 1u, start, end))
		t->weight = 1;
	else if (t->weight < INDEX_WHOLE_WEIGHT)
		t->weight = INDEX_WHOLE_WEIGHT;
	return SQLITE_OK;
}

/* The question is one name when its whole covers everything that was asked. */
static void one_name(struct query *q)
{
	struct index_asked *a = q->a;

	a->name = -1;
	if (a->n < 2 || q->name.end <= q->name.start || q->name.start > q->first ||
	    q->name.end < q->last)
		return;
	a->name = q->name.word;
}

static void cut_query(struct index_words *w, str text, struct query *q)
{
	struct cut c = {.text = str_head(text, INDEX_TEXT_MAX),
			.query = true,
			.emit = on_query,
			.arg = q};

	q->text = c.text;
	q->last = -1;
	cut(&c, &w->uni, w->uni_it);
}

void index_asked(struct index_words *w, str text, bool words_only, struct index_asked *a)
{
	struct query q = {.w = w, .a = a, .strict = words_only};

	*a = (struct index_asked){.name = -1};
	if (!text.n)
		return;
	cut_query(w, text, &q);
	if (!a->n && q.left_out && !words_only) {
		q.stop_words = true;
		cut_query(w, text, &q);
	}
	one_name(&q);
	a->sentence = q.left_out;
}

void index_asked_release(struct index_asked *a)
{
	free(a->word);
	*a = (struct index_asked){.name = -1};
}

/* ---- counting ---- */

struct count {
	const struct index_term *term;
	size_t n;
	unsigned *tf, length;
};

static int on_count(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct count *c = arg;
	str stem = {p, (size_t)n};

	(void)start;
	(void)end;
	if (!(flags & FTS5_TOKEN_COLOCATED))
		c->length++;
	for (size_t i = 0; i < c->n; i++) {
		str t = {c->term[i].stem, c->term[i].nstem};

		if (c->term[i].prefix ? str_starts(stem, t) : str_eq(stem, t))
			c->tf[i]++;
	}
	return SQLITE_OK;
}

unsigned index_words_count(struct index_words *w, str text, const struct index_term *term,
			   size_t n, unsigned *tf)
{
	struct count c = {.term = term, .n = n, .tf = tf};

	memset(tf, 0, n * sizeof(*tf));
	if (text.n)
		w->porter.xTokenize(w->porter_it, &c, FTS5_TOKENIZE_DOCUMENT, text.p,
				    (int)str_head(text, INDEX_TEXT_MAX).n, on_count);
	return c.length;
}

/* ---- who says it ---- */

/* "Ann: ", "Dr. Lee: " at the head of a text: who said it. */
size_t index_words_name(str body)
{
	str head = str_head(body, NAME_MAX + 1);
	size_t colon = str_chr(head, ':'), words = 1;

	if (colon == STR_NPOS || !colon || colon + 1 >= body.n ||
	    body.p[colon + 1] != ' ')
		return 0;
	for (size_t i = 0; i < colon; i++) {
		char ch = head.p[i];

		if (ch == ' ')
			words++;
		else if (!str_is_alnum(ch) && ch != '.' && ch != '-' && ch != '_' &&
			 ch != '\'' && (unsigned char)ch < 0x80)
			return 0;
	}
	return words <= NAME_WORDS ? colon : 0;
}
