/*
 * Matchers over bytes. Text is UTF-8; the words and borders that are looked for are fixed
 * sequences, so other bytes above 7F only ever count as letters. Each matcher goes over its
 * input a fixed number of times, whatever is in it; what needs memory beyond the caller's
 * arena works in a line on the stack.
 *
 * The lists in these files say what is a file ending, a keyword, a word of an error or of a
 * result. docs/extraction.md says how they were chosen.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

#define PROSE_PATH_MAX  200
#define PROSE_IDENT_MAX 60

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

bool prose_in_list(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(s, list[i]))
			return true;
	}
	return false;
}

bool prose_starts_with_any(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s.n && s.p[0] == list[i].p[0] && str_starts(s, list[i]))
			return true;
	}
	return false;
}

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

str prose_lower_head(str s, char *out, size_t n)
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

uint64_t prose_find_set(str s, const str *word, size_t n, size_t *at)
{
	/* which words may begin with these two bytes: most begin with a space, as most words of s do */
	uint64_t by_first[32] = {0}, by_second[32] = {0}, short_ones = 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bit = UINT64_C(1) << i;

		by_first[word[i].p[0] & 31] |= bit;
		if (word[i].n > 1)
			by_second[word[i].p[1] & 31] |= bit;
		else
			short_ones |= bit;
	}
	for (size_t i = 0; i < s.n; i++) {
		uint64_t second = i + 1 < s.n ? by_second[s.p[i + 1] & 31] : 0;
		uint64_t left = by_first[s.p[i] & 31] & (second | short_ones) & ~found;

		while (left) {
			size_t w = (size_t)__builtin_ctzll(left);

			left &= left - 1;
			if (s.n - i < word[w].n || s.p[i] != word[w].p[0] ||
			    s.p[i + word[w].n - 1] != word[w].p[word[w].n - 1] ||
			    s.p[i + word[w].n / 2] != word[w].p[word[w].n / 2] ||
			    memcmp(s.p + i, word[w].p, word[w].n) != 0)
				continue;
			found |= UINT64_C(1) << w;
			if (at)
				at[w] = i;
		}
	}
	return found;
}

bool prose_has(str s, str word)
{
	return str_find(s, word) != STR_NPOS;
}

str prose_strip_chars(str s, const char *set)
{
	while (s.n && strchr(set, s.p[0]) && s.p[0])
		s = str_from(s, 1);
	while (s.n && strchr(set, s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

str prose_strip_right(str s, const char *set)
{
	while (s.n && strchr(set, s.p[s.n - 1]) && s.p[s.n - 1])
		s.n--;
	return s;
}

bool prose_all_digits(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!str_is_digit(s.p[i]))
			return false;
	}
	return s.n > 0;
}

size_t prose_count_byte(str s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* ---- tokens ---- */

static bool is_word_byte(char c)
{
	return str_is_alnum(c) || c == '_' || (c & 0x80);
}

/* ASCII letters and digits, and . _ - / ~ @ + : one bit a byte */
static bool is_path_byte(char c)
{
	static const uint64_t set[2] = {UINT64_C(0x03FFE80000000000),
					UINT64_C(0x47FFFFFE87FFFFFF)};
	unsigned char u = (unsigned char)c;

	return u < 0x80 && (set[u >> 6] >> (u & 63) & 1);
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
	base = str_basename(prose_strip_right(s, "/"));
	dot = str_rchr(base, '.');
	if (dot != STR_NPOS && base.n - dot - 1 <= sizeof low)
		ext = prose_lower_head(str_from(base, dot + 1), low, sizeof low);
	if (slash && s.p[s.n - 1] == '/' && prose_count_byte(s, '/') >= 2 &&
	    !str_is_digit(s.p[0]))
		return true;
	if (!IN(ext, FILE_ENDINGS))
		return false;
	return slash || (dot > 0 && !str_is_digit(base.p[0]) &&
			 (base.n > sizeof low ||
			  !IN(prose_lower_head(base, low, sizeof low), NO_FILES)));
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
	       IN(prose_lower_head(str_from(base, dot + 1), low, sizeof low),
		  FILE_ENDINGS);
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
	raw = prose_strip_right(raw, ".");
	t = prose_strip_right(prose_strip_chars(raw, ".-@+"), "/.:");
	if (t.n < 3)
		return false;
	p = str_head(raw, str_chr(raw, ':'));
	if (str_starts(p, STR("./")))
		p = str_from(p, 2);
	*out = (struct prose_token){t, PROSE_TICKED};
	if (prose_is_path(p))
		*out = (struct prose_token){p, PROSE_PATH};
	else if (prose_all_digits(t))
		out->kind = PROSE_NUMBER;
	else if (prose_is_compound(t))
		out->kind = PROSE_IDENT;
	else
		return tick && t.n >= 4;
	return true;
}

/* A backtick opens a span only outside a word, and if the line has another one. */
static bool opens_span(str text, size_t i)
{
	if (i && str_is_alnum(text.p[i - 1]))
		return false;
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
	buf_add(out, STR("… "));
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
