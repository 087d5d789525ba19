#include "work/docwords.h"

#include "base/utf8.h"
#include "work/prose.h"

#define FILLER_WORDS 6
#define WORD_BYTES   48
#define CLAUSE_BYTES 300
#define CLAUSE_MIN   6
#define SHAPE_BYTES  12
#define SHAPE_DIGITS 3
#define SHAPE_LINES  4
#define PASTE_LINES  4000 /* of a text that are looked at */

static const char *const fillers[] = {
	/* English, for mixtures */
	"yes",
	"ok",
	"okay",
	"go",
	"on",
	"continue",
	"thanks",
	"please",
	"sure",
	"next",
	/* German */
	"ja",
	"weiter",
	"mach",
	"danke",
	"bitte",
	"gut",
	"genau",
	"passt",
	"super",
	"klar",
	"los",
	/* French */
	"oui",
	"continue",
	"vas",
	"y",
	"merci",
	"d",
	"accord",
	"parfait",
	"bien",
	"allez",
	/* Spanish, Portuguese, Italian */
	"s\xc3\xad",
	"si",
	"sigue",
	"contin\xc3\xba"
	"a",
	"dale",
	"vale",
	"gracias",
	"perfecto",
	"sim",
	"obrigado",
	"grazie",
	"avanti",
	"prego",
	"bene",
	/* Russian, Ukrainian */
	"\xd0\xb4\xd0\xb0",
	"\xd0\xbf\xd1\x80\xd0\xbe\xd0\xb4\xd0\xbe\xd0\xbb\xd0\xb6\xd0\xb0\xd0\xb9",
	"\xd0\xb4\xd0\xb0\xd0\xbb\xd1\x8c\xd1\x88\xd0\xb5",
	"\xd0\xb4\xd0\xb0\xd0\xb2\xd0\xb0\xd0\xb9",
	"\xd0\xbe\xd0\xba",
	"\xd1\x85\xd0\xbe\xd1\x80\xd0\xbe\xd1\x88\xd0\xbe",
	"\xd1\x81\xd0\xbf\xd0\xb0\xd1\x81\xd0\xb8\xd0\xb1\xd0\xbe",
	"\xd0\xb0\xd0\xb3\xd0\xb0",
	"\xd1\x82\xd0\xb0\xd0\xba",
	"\xd0\xbd\xd1\x83",
	/* Chinese */
	"\xe5\xa5\xbd",
	"\xe5\xa5\xbd\xe7\x9a\x84",
	"\xe7\xbb\xa7\xe7\xbb\xad",
	"\xe8\xaf\xb7\xe7\xbb\xa7\xe7\xbb\xad",
	"\xe5\x8f\xaf\xe4\xbb\xa5",
	"\xe6\x98\xaf",
	"\xe6\x98\xaf\xe7\x9a\x84",
	"\xe8\xb0\xa2\xe8\xb0\xa2",
	"\xe7\xb9\xbc\xe7\xba\x8c",
	"\xe8\xa1\x8c",
	"\xe5\xaf\xb9",
	/* Japanese */
	"\xe3\x81\xaf\xe3\x81\x84",
	"\xe7\xb6\x9a\xe3\x81\x91\xe3\x81\xa6",
	"\xe7\xb6\x9a\xe3\x81\x91\xe3\x81\xa6\xe3\x81\x8f\xe3\x81\xa0\xe3\x81\x95\xe3\x81\x84",
	"\xe3\x81\x8a\xe9\xa1\x98\xe3\x81\x84\xe3\x81\x97\xe3\x81\xbe\xe3\x81\x99",
	"\xe3\x81\x82\xe3\x82\x8a\xe3\x81\x8c\xe3\x81\xa8\xe3\x81\x86",
	/* Korean */
	"\xeb\x84\xa4",
	"\xea\xb3\x84\xec\x86\x8d",
	"\xea\xb3\x84\xec\x86\x8d\xed\x95\xb4",
	"\xec\x9d\x91",
	NULL,
};

/* A clause that begins like one of these forbids something. Lower case. */
static const char *const heads[] = {
	/* German */
	"bitte nicht",
	"bitte kein",
	"nicht ",
	"nichts ",
	"niemals ",
	"nie ",
	"kein ",
	"keine ",
	"keinen ",
	"auf keinen fall",
	"finger weg",
	"lass die finger",
	/* French */
	"ne ",
	"n'",
	"jamais ",
	"surtout pas",
	"surtout, ne",
	"surtout ne",
	"merci de ne",
	"veuillez ne",
	/* Spanish, Portuguese, Italian */
	"nunca ",
	"jam\xc3\xa1s ",
	"por favor no ",
	"por favor, no ",
	"n\xc3\xa3o ",
	"por favor n\xc3\xa3o",
	"non ",
	"mai ",
	/* Russian, Ukrainian */
	"\xd0\xbd\xd0\xb5 ",
	"\xd0\xbd\xd0\xb8\xd0\xba\xd0\xbe\xd0\xb3\xd0\xb4\xd0\xb0 ",
	"\xd0\xbd\xd0\xb5\xd0\xbb\xd1\x8c\xd0\xb7\xd1\x8f ",
	"\xd0\xbd\xd0\xb8 \xd0\xb2 \xd0\xba\xd0\xbe\xd0\xb5\xd0\xbc \xd1\x81\xd0\xbb\xd1\x83\xd1\x87\xd0\xb0\xd0\xb5",
	"\xd0\xbf\xd0\xbe\xd0\xb6\xd0\xb0\xd0\xbb\xd1\x83\xd0\xb9\xd1\x81\xd1\x82\xd0\xb0, \xd0\xbd\xd0\xb5 ",
	/* Chinese */
	"\xe4\xb8\x8d\xe8\xa6\x81",
	"\xe5\x88\xab",
	"\xe8\xaf\xb7\xe4\xb8\x8d\xe8\xa6\x81",
	"\xe8\xaf\xb7\xe5\x8b\xbf",
	"\xe8\xab\x8b\xe4\xb8\x8d\xe8\xa6\x81",
	"\xe8\xab\x8b\xe5\x8b\xbf",
	"\xe5\x88\x87\xe5\x8b\xbf",
	"\xe5\x8b\xbf",
	"\xe7\xa6\x81\xe6\xad\xa2",
	"\xe5\x8d\x83\xe4\xb8\x87\xe4\xb8\x8d\xe8\xa6\x81",
	"\xe7\xbb\x9d\xe4\xb8\x8d",
	"\xe6\xb0\xb8\xe8\xbf\x9c\xe4\xb8\x8d\xe8\xa6\x81",
	"\xe4\xb8\x8d\xe5\x87\x86",
	"\xe4\xb8\x8d\xe8\xae\xb8",
	NULL,
};

/* And one that holds one of these. */
static const char *const inside[] = {
	/* Japanese */
	"\xe3\x81\xaa\xe3\x81\x84\xe3\x81\xa7\xe3\x81\x8f\xe3\x81\xa0\xe3\x81\x95\xe3\x81\x84",
	"\xe3\x81\x97\xe3\x81\xaa\xe3\x81\x84\xe3\x81\xa7",
	"\xe7\xa6\x81\xe6\xad\xa2",
	"\xe3\x81\xa6\xe3\x81\xaf\xe3\x81\x84\xe3\x81\x91",
	"\xe3\x81\xa6\xe3\x81\xaf\xe3\x81\xaa\xe3\x82\x89",
	/* Korean */
	"\xed\x95\x98\xec\xa7\x80 \xeb\xa7\x88",
	"\xed\x95\x98\xec\xa7\x80\xeb\xa7\x88",
	"\xec\xa7\x80 \xeb\xa7\x88\xec\x84\xb8\xec\x9a\x94",
	"\xea\xb8\x88\xec\xa7\x80",
	/* Chinese, after a comma */
	"\xef\xbc\x8c\xe4\xb8\x8d\xe8\xa6\x81",
	"\xef\xbc\x8c\xe5\x88\xab",
	"\xe3\x80\x82\xe4\xb8\x8d\xe8\xa6\x81",
	NULL,
};

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

/* No part of a word: blanks, marks, emoji and what joins them. */
static bool is_separator(uint32_t cp)
{
	if (cp < 0x80)
		return !str_is_alnum((char)cp);
	return (cp >= 0xa0 && cp <= 0xbf) || (cp >= 0x2000 && cp <= 0x2bff) ||
	       (cp >= 0x3000 && cp <= 0x303f) || (cp >= 0xfe00 && cp <= 0xfe0f) ||
	       (cp >= 0xff00 && cp <= 0xff0f) || (cp >= 0xff1a && cp <= 0xff20) ||
	       cp >= 0x1f000;
}

bool docwords_is_filler(str s)
{
	size_t i = 0, from = 0, words = 0;
	char room[WORD_BYTES];

	if (prose_is_filler(s))
		return true;
	while (i <= s.n) {
		uint32_t cp = ' ';
		size_t n = i < s.n ? utf8_next(str_from(s, i), &cp) : 1;

		if (!n) {
			n = 1;
			cp = 'x';
		}
		if (is_separator(cp)) {
			str w = {s.p + from, i - from};

			if (w.n && (++words > FILLER_WORDS || w.n + 4 > WORD_BYTES ||
				    !in_list(lowered(w, room, sizeof(room)), fillers)))
				return false;
			from = i + n;
		}
		i += n;
	}
	return true;
}

/* "ok but please never": the words before what counts. */
static str without_lead(str s)
{
	static const char *const leads[] = {
		"and", "but",  "ok",   "okay", "yes",      "no",   "also",  "please",
		"so",  "then", "well", "just", "remember", "note", "again", NULL};
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

/* "No toques la rama": `no` before an imperative; English has no such verbs. */
static bool is_spanish_no(str low)
{
	static const char *const verbs[] = {"toques",
					    "borres",
					    "hagas",
					    "cambies",
					    "modifiques",
					    "uses",
					    "subas",
					    "elimines",
					    "ejecutes",
					    "edites",
					    "a\xc3\xb1"
					    "adas",
					    "quites",
					    "commits",
					    "reinicies",
					    "publiques",
					    "actualices",
					    NULL};
	str rest = low, w;

	return str_word(&rest, &w) && str_eq(w, STR("no")) && str_word(&rest, &w) &&
	       in_list(w, verbs);
}

static int foreign_constraint(str clause)
{
	char room[CLAUSE_BYTES + 4];
	str low;
	size_t i;

	if (clause.n < CLAUSE_MIN || clause.n > CLAUSE_BYTES)
		return 0;
	low = lowered(clause, room, sizeof(room));
	if (str_ends(low, STR("?")) || str_ends(low, STR("\xef\xbc\x9f")) ||
	    starts_list(low, musings))
		return 0;
	if (starts_list(low, heads) || is_spanish_no(low))
		return 3;
	for (i = 0; inside[i]; i++)
		if (str_find(low, str_of(inside[i])) != STR_NPOS)
			return 2;
	return 0;
}

int docwords_constraint(str clause)
{
	int v = prose_constraint(clause), other;

	if (v >= 2)
		return v;
	other = prose_constraint(without_lead(str_trim(clause)));
	if (other > v)
		v = other;
	other = foreign_constraint(str_trim(clause));
	return other > v ? other : v;
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
	str rest = text, line;
	size_t left = 0;

	while (str_line(&rest, &line)) {
		if (is_pasted(text, line)) {
			left++;
			continue;
		}
		buf_add(out, line);
		buf_byte(out, '\n');
	}
	return left;
}
