#include "work/docwords.h"

#include "base/utf8.h"
#include "work/prose.h"

#define WORD_BYTES   48
#define MUSING_BYTES 48 /* more than the longest */
#define SHAPE_BYTES  12
#define SHAPE_DIGITS 3
#define SHAPE_LINES  4
#define PASTE_LINES  4000 /* of a text that are looked at */

/* Begin like a prohibition and are none: "I do not understand", "not bad". */
static const char *const musings[] = {
	"\xd0\xbd\xd0\xb5 \xd0\xbf\xd0\xbe\xd0\xbd\xd0\xb8\xd0\xbc\xd0\xb0\xd1\x8e",
	"\xd0\xbd\xd0\xb5 \xd0\xb7\xd0\xbd\xd0\xb0\xd1\x8e",
	"\xd0\xbd\xd0\xb5 \xd0\xb4\xd1\x83\xd0\xbc\xd0\xb0\xd1\x8e",
	"\xd0\xbd\xd0\xb5 \xd0\xb2\xd0\xb8\xd0\xb6\xd1\x83",
	"\xd0\xbd\xd0\xb5 \xd1\x80\xd0\xb0\xd0\xb1\xd0\xbe\xd1\x82\xd0\xb0\xd0\xb5\xd1\x82",
	"nicht schlecht",
	"nicht sicher",
	"non so",
	"non funziona",
	"\xe5\x88\xab\xe7\x9a\x84",
	NULL,
};

static bool in_list(str s, const char *const *list)
{
	size_t i;

	for (i = 0; list[i]; i++)
		if (str_eq(s, str_of(list[i])))
			return true;
	return false;
}

static bool starts_list(str s, const char *const *list)
{
	size_t i;

	for (i = 0; list[i]; i++)
		if (str_starts(s, str_of(list[i])))
			return true;
	return false;
}

/* Small letters of ASCII and Cyrillic; what is longer than the room is cut. */
static str lowered(str s, char *room, size_t max)
{
	size_t n = 0, i = 0, k;
	uint32_t cp;

	while (i < s.n && n + 4 <= max) {
		k = utf8_next(str_from(s, i), &cp);
		if (!k)
			break;
		i += k;
		if (cp < 0x80)
			cp = (unsigned char)str_lower((char)cp);
		else if (cp >= 0x410 && cp <= 0x42f)
			cp += 0x20;
		n += utf8_put(room + n, cp);
	}
	return (str){room, n};
}

/* "ok but please never": the words before what counts. */
static str without_lead(str s)
{
	static const char *const leads[] = {
		"and",
		"but",
		"ok",
		"okay",
		"yes",
		"no",
		"also",
		"please",
		"so",
		"then",
		"well",
		"just",
		"remember",
		"note",
		"again",
		"bitte",
		"aber",
		"und",
		"mais",
		"et",
		"pero",
		"y",
		"\xd0\xbf\xd0\xbe\xd0\xb6\xd0\xb0\xd0\xbb\xd1\x83\xd0\xb9\xd1\x81\xd1\x82\xd0\xb0",
		"\xd0\xb8",
		"\xd0\xbd\xd0\xbe",
		NULL};
	char room[WORD_BYTES];

	for (;;) {
		str rest = s, w;

		if (!str_word(&rest, &w))
			return s;
		while (w.n && str_chr(STR(",:;-."), w.p[w.n - 1]) != STR_NPOS)
			w.n--;
		if (w.n && !in_list(lowered(w, room, sizeof(room)), leads))
			return s;
		s = str_trim(rest);
	}
}

/* "No, let's not backfill" forbids; "no, then it's good" answers. */
static bool is_plain_no(str clause)
{
	static const char *const verbs[] = {"not ",   "n't",   "never",   "only",
					    "keep",   "leave", "stop",    "instead",
					    "rather", "use ",  "without", "dont "};
	size_t i;

	if (!str_istarts(clause, STR("no, ")))
		return false;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (str_ifind(clause, str_of(verbs[i])) != STR_NPOS)
			return false;
	return true;
}

static bool is_musing(str clause)
{
	char room[MUSING_BYTES + 4];

	/* the first bytes that there are, small and capital; most clauses have another */
	if (!clause.n || !memchr("nN\xd0\xe5", clause.p[0], 4))
		return false;
	return starts_list(lowered(utf8_head(clause, MUSING_BYTES), room, sizeof(room)),
			   musings);
}

int docwords_constraint(str clause)
{
	int v, other;
	str bare;

	clause = str_trim(clause);
	if (is_plain_no(clause) || is_musing(clause))
		return 0;
	v = prose_constraint(clause);
	if (v >= 2)
		return v;
	bare = without_lead(clause);
	other = bare.n < clause.n ? prose_constraint(bare) : v;
	return other > v ? other : v;
}

bool docwords_goes_on(str text)
{
	static const char *const words[] = {
		"keep going", "go ahead",        "carry on",  "retry",      "try again",
		"resume",     "please continue", "go for it", "keep at it", NULL};
	char room[WORD_BYTES];

	text = str_trim(text);
	while (text.n && str_chr(STR(".!,"), text.p[text.n - 1]) != STR_NPOS)
		text.n--;
	return text.n + 4 < WORD_BYTES &&
	       in_list(lowered(text, room, sizeof(room)), words);
}

#define PICK_WORDS 4

/* A letter, a small number, a mark such as "#2" or "b)". */
static bool is_mark(str w)
{
	size_t digits = 0;

	while (w.n && str_chr(STR("#("), w.p[0]) != STR_NPOS)
		w = str_from(w, 1);
	while (w.n && str_chr(STR(").,:;!"), w.p[w.n - 1]) != STR_NPOS)
		w.n--;
	while (digits < w.n && str_is_digit(w.p[digits]))
		digits++;
	return (w.n == 1 && str_is_alnum(w.p[0])) || (digits == w.n && w.n && w.n <= 3);
}

bool docwords_picks(str text)
{
	static const char *const words[] = {
		"option",
		"options",
		"number",
		"choice",
		"variant",
		"answer",
		"the",
		"first",
		"second",
		"third",
		"last",
		"one",
		"two",
		"three",
		"former",
		"latter",
		"both",
		"all",
		"none",
		"neither",
		"either",
		"and",
		"or",
		"please",
		"no",
		"nope",
		"not",
		"nein",
		"non",
		"nicht",
		"beide",
		"alle",
		"erste",
		"zweite",
		"die",
		"der",
		"das",
		"les",
		"deux",
		"tous",
		"la",
		"le",
		"premi\xc3\xa8re",
		"ambos",
		"todas",
		"primera",
		"segunda",
		"opci\xc3\xb3n",
		"\xd0\xbd\xd0\xb5\xd1\x82",
		"\xd0\xbe\xd0\xb1\xd0\xb0",
		"\xd0\xbf\xd0\xb5\xd1\x80\xd0\xb2\xd1\x8b\xd0\xb9",
		"\xe4\xb8\x8d",
		"\xe4\xb8\x8d\xe7\x94\xa8",
		"\xe9\x83\xbd\xe8\xa6\x81",
		"\xe7\xac\xac\xe4\xb8\x80\xe4\xb8\xaa",
		"\xe7\xac\xac\xe4\xba\x8c\xe4\xb8\xaa",
		"\xe3\x81\x84\xe3\x81\x84\xe3\x81\x88",
		"\xec\x95\x84\xeb\x8b\x88\xec\x9a\x94",
		NULL};
	char room[WORD_BYTES];
	size_t n = 0;
	str w;

	while (str_word(&text, &w)) {
		str bare = w;

		while (bare.n && str_chr(STR(",.!;:"), bare.p[bare.n - 1]) != STR_NPOS)
			bare.n--;
		if (++n > PICK_WORDS ||
		    (!is_mark(w) && (!bare.n || bare.n + 4 >= sizeof(room) ||
				     !in_list(lowered(bare, room, sizeof(room)), words))))
			return false;
	}
	return n > 0;
}

bool docwords_is_client_command(str text)
{
	static const char *const names[] = {
		"/clear",         "/exit",
		"/quit",          "/compact",
		"/model",         "/status",
		"/mcp",           "/login",
		"/logout",        "/config",
		"/help",          "/cost",
		"/context",       "/resume",
		"/rename",        "/doctor",
		"/ide",           "/hooks",
		"/agents",        "/usage",
		"/plugin",        "/effort",
		"/fast",          "/memory",
		"/init",          "/terminal-setup",
		"/permissions",   "/upgrade",
		"/rewind",        "/export",
		"/theme",         "/vim",
		"/add-dir",       "/bug",
		"/feedback",      "/tasks",
		"/bashes",        "/plan",
		"/statusline",    "/usage-credits",
		"/extra-usage",   "/remote-control",
		"/output-style",  "/stats",
		"/release-notes", "/handoff",
		"/recover",
	};
	str word, rest = text;
	size_t i;

	if (!str_word(&rest, &word))
		return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(word, str_of(names[i])))
			return true;
	return false;
}

bool docwords_runs(str text)
{
	static const char *const programs[] = {"python", "python3", "node", "deno", "bun",
					       "ruby",   "perl",    "bash", "sh",   "zsh",
					       "php",    "java",    "uv",   NULL};
	str w;
	bool script = false;

	text = str_trim(text);
	if (str_chr(text, '\n') != STR_NPOS || !str_word(&text, &w))
		return false;
	script = str_starts(w, STR("./"));
	if (!script && !in_list(w, programs))
		return false;
	while (str_word(&text, &w)) {
		bool path = prose_is_path(w);

		/* words of a sentence have neither marks nor digits */
		if (!path && w.p[0] != '-' && str_chr(w, '/') == STR_NPOS &&
		    str_chr(w, '=') == STR_NPOS && !str_is_digit(w.p[0]) &&
		    !(str_eq(w, STR("run")) && !script))
			return false;
		script = script || path;
	}
	return script;
}

bool docwords_is_markup(str text)
{
	return str_chr(prose_tag(text), '-') != STR_NPOS;
}

/* ---- pasted lines ---- */

/* Digits to 0, letters to a; zero bytes after the end. */
static bool shape_of(str line, char shape[SHAPE_BYTES])
{
	size_t i, digits = 0;

	memset(shape, 0, SHAPE_BYTES);
	for (i = 0; i < line.n && i < SHAPE_BYTES; i++) {
		char c = line.p[i];

		shape[i] = str_is_digit(c) ? '0' : str_is_alpha(c) ? 'a' : c;
		digits += str_is_digit(c);
	}
	return digits >= SHAPE_DIGITS;
}

static bool is_pasted(str text, str line)
{
	char mine[SHAPE_BYTES], other[SHAPE_BYTES];
	size_t same = 0, seen = 0;
	str rest = text, l;

	if (!shape_of(line, mine))
		return false;
	while (same < SHAPE_LINES && seen++ < PASTE_LINES && str_line(&rest, &l))
		same += shape_of(l, other) && memcmp(mine, other, SHAPE_BYTES) == 0;
	return same >= SHAPE_LINES;
}

size_t docwords_typed(struct buf *out, str text)
{
	size_t left = 0, told = 0, from = out->n;
	str rest = text, line;

	while (str_line(&rest, &line)) {
		if (is_pasted(text, line)) {
			left++;
			continue;
		}
		if (left > told && out->n > from)
			buf_add(out, STR("\xe2\x80\xa6\n"));
		told = left;
		buf_add(out, line);
		buf_byte(out, '\n');
	}
	return left;
}
