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
 *   全文検索              全文 文検 検索 [索]
 *
 * So utf-8, utf_8 and utf8 are one word, as are multi-agent and multiAgent. A run of Han,
 * Kana or Hangul is cut into overlapping pairs; its last character also stands alone, so that a
 * single character is found as a prefix wherever it is.
 *
 * A query is cut with the same code (index_words_query), each of its words then given to
 * FTS5 as a string of its own: in query mode the tokenizer passes what it gets through.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "data/index_impl.h"

#define CAMEL_MAX  6 /* more humps than that are no name but encoded bytes */
#define LEVELS     3
#define SUFFIX_MAX 2  /* of what follows an apostrophe and says nothing: 's, 't, 'll */
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

/* ---- a word of unicode61 ---- */

static bool full_width(uint32_t cp)
{
	return cp >= FULL_WIDTH_FIRST && cp <= FULL_WIDTH_LAST;
}

/* The head of word whose characters are all of one class; other: of the pairs scripts. */
static size_t script_run(str word, bool *other, bool *wide)
{
	size_t n = 0, k;
	uint32_t cp;

	*wide = false;
	for (; (k = utf8_next(str_from(word, n), &cp)); n += k) {
		if (n == 0)
			*other = pairs_script(cp);
		else if (pairs_script(cp) != *other)
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
	bool other, wide;
	int ret = 0;
	size_t n;

	for (bool first = true; !ret && word.n; first = false) {
		n = script_run(word, &other, &wide);
		if (!n)
			break;
		if (other) {
			ret = chain_end(c);
			if (!ret)
				ret = pairs(c, str_head(word, n), start, end);
		} else {
			str w = wide ? narrow(str_head(word, n), plain)
				     : str_head(word, n);

			ret = part(c, w, first ? joint(c, start) : -1, start, end);
			if (!ret && n < word.n)
				ret = chain_end(c);
		}
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
	int ret;

	(void)flags;
	if (n <= 0 || suffix(c, word, start))
		return SQLITE_OK;
	if (!ascii(word))
		return mixed(c, word, start, end);
	ret = latin(c, word, start, end);
	return ret ? ret : sharp(c, word, start, end);
}

static int cut(struct cut *c, const fts5_tokenizer *uni, Fts5Tokenizer *it)
{
	int ret;

	c->chain_end = -1;
	ret = uni->xTokenize(it, c, FTS5_TOKENIZE_DOCUMENT, c->text.p, (int)c->text.n,
			     on_word);
	return ret ? ret : chain_end(c);
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

int index_content_words(struct index *ix, str text, int (*fn)(str token, void *arg),
			void *arg)
{
	struct index_term term[INDEX_TERMS_MAX];
	size_t n = ix->words ? index_words_query(ix->words, text, true, term,
						 INDEX_TERMS_MAX)
			     : 0;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = fn((str){term[i].stem, term[i].nstem}, arg);
	return ret;
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

/* ---- queries ---- */

struct query {
	struct index_words *w;
	struct index_term *term;
	size_t n, max;
	bool stop_words; /* take them too */
	bool strict;     /* none of any language */
	bool left_out;   /* a stop word was met */
};

static bool has_term(const struct query *q, const char *stem, size_t n)
{
	for (size_t i = 0; i < q->n; i++)
		if (str_eq((str){q->term[i].stem, q->term[i].nstem}, (str){stem, n}))
			return true;
	return false;
}

static bool alone(str word)
{
	uint32_t cp;

	return utf8_next(word, &cp) == word.n && pairs_script(cp);
}

static int on_query(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct query *q = arg;
	str word = {p, (size_t)n};
	char stem[INDEX_WORD_MAX];
	struct stem s = {stem, 0};
	struct index_term *t;

	(void)start;
	(void)end;
	if (!word.n || q->n == q->max)
		return q->n == q->max ? SQLITE_DONE : SQLITE_OK;
	if (!q->stop_words && index_stop_word(word, q->strict)) {
		q->left_out = true;
		return SQLITE_OK;
	}
	q->w->porter.xTokenize(q->w->porter_it, &s, FTS5_TOKENIZE_QUERY, p, n, on_stem);
	if (!s.n || has_term(q, stem, s.n))
		return SQLITE_OK;
	t = &q->term[q->n++];
	memcpy(t->word, word.p, word.n);
	t->n = word.n;
	memcpy(t->stem, stem, s.n);
	t->nstem = s.n;
	t->prefix = alone(word);
	t->weight = flags & FTS5_TOKEN_COLOCATED ? INDEX_WHOLE_WEIGHT : 1;
	return SQLITE_OK;
}

size_t index_words_query(struct index_words *w, str text, bool words_only,
			 struct index_term *term, size_t max)
{
	struct query q = {.w = w, .term = term, .max = max, .strict = words_only};
	struct cut c = {.text = str_head(text, INDEX_TEXT_MAX),
			.query = true,
			.emit = on_query,
			.arg = &q};

	if (!text.n)
		return 0;
	cut(&c, &w->uni, w->uni_it);
	if (!q.n && q.left_out && !words_only) {
		q.stop_words = true;
		cut(&c, &w->uni, w->uni_it);
	}
	return q.n;
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
