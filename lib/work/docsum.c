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

bool docsum_next(str summary, const char *word, const char *other, size_t *at, str *line)
{
	size_t from = str_rfind(summary, STR("\nSummary:"));
	str rest, l;
	bool on = false;

	if (from != STR_NPOS)
		summary = str_from(summary, from);
	rest = summary;
	while (str_line(&rest, &l)) {
		bool wanted = false;
		str same, t = str_trim(l);

		if (is_title(l, word, other, &wanted, &same)) {
			on = wanted;
			l = same;
			t = same;
		}
		if (is_end(t))
			break;
		if (!on || !t.n || (size_t)(l.p - summary.p) < *at)
			continue;
		*at = (size_t)(l.p - summary.p) + 1;
		*line = l;
		return true;
	}
	return false;
}
