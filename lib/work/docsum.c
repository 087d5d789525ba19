#include "work/docsum.h"

#define TITLE_BYTES 160
#define INDENT_MAX  2 /* of a title */

static bool is_mark(char c)
{
	return c == '#' || c == '*' || c == ' ' || c == '\t';
}

/* The line's beginning without marks, in lower case; whether it ends in a colon. */
static str title_of(str line, char room[TITLE_BYTES], bool *colon)
{
	size_t n = 0, i = 0;

	while (line.n && is_mark(line.p[line.n - 1]))
		line.n--;
	*colon = line.n && line.p[line.n - 1] == ':';
	while (i < line.n && is_mark(line.p[i]))
		i++;
	for (; i < line.n && n < TITLE_BYTES; i++)
		if (line.p[i] != '*')
			room[n++] = line.p[i];
	return str_trim((str){room, n});
}

static bool begins(str s, const char *word)
{
	return word && str_istarts(s, str_of(word));
}

/* "3. Files and Code Sections:" or "8. Pending Tasks: none". */
static bool is_title(str line, const char *word, const char *other, bool *wanted,
		     str *rest)
{
	char room[TITLE_BYTES];
	bool colon;
	str t = title_of(line, room, &colon), name;
	size_t d = 0, indent = 0, k;

	while (indent < line.n && line.p[indent] == ' ')
		indent++;
	while (d < t.n && str_is_digit(t.p[d]))
		d++;
	if (d == 0 || d > 2 || d >= t.n || t.p[d] != '.')
		return false;
	name = str_trim(str_from(t, d + 1));
	if (!name.n)
		return false;
	*wanted = begins(name, word) || begins(name, other);
	*rest = STR_NONE;
	if (colon)
		return indent <= INDENT_MAX && name.p[0] >= 'A' && name.p[0] <= 'Z';
	k = str_chr(str_head(t, 50), ':');
	if (k == STR_NPOS || indent || !*wanted)
		return false;
	k = str_chr(line, ':');
	*rest = str_trim(str_from(line, k + 1));
	return true;
}

static bool is_end(str t)
{
	return str_starts(t, STR("If you need specific details")) ||
	       str_starts(t, STR("Please continue the conversation")) ||
	       str_starts(t, STR("Continue the conversation"));
}

void docsum_init(struct docsum *s, str summary, const char *word, const char *other)
{
	size_t from = str_rfind(summary, STR("\nSummary:"));

	*s = (struct docsum){
		.rest = from == STR_NPOS ? summary : str_from(summary, from),
		.word = word,
		.other = other,
	};
}

bool docsum_next(struct docsum *s, str *line)
{
	str l;

	while (str_line(&s->rest, &l)) {
		bool wanted = false;
		str same;

		if (is_title(l, s->word, s->other, &wanted, &same)) {
			s->on = wanted;
			l = same;
		}
		if (is_end(str_trim(l))) {
			s->rest = STR_NONE;
			return false;
		}
		if (!s->on || !str_trim(l).n)
			continue;
		*line = l;
		return true;
	}
	return false;
}
