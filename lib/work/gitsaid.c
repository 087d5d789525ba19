/*
 * Lines of the long form: "On branch main", "Your branch is ahead of 'origin/main' by 2
 * commits.", "Your branch and 'origin/main' have diverged," with the numbers in the next line,
 * "\tmodified:   a.c"; of the short one: "## main...origin/main [ahead 1, behind 2]", " M a.c".
 */
#include "work/gitsaid.h"

#include <string.h>

/* ---- heads ---- */

static bool after(str line, const char *word, str *rest)
{
	str w = str_of(word);

	if (!str_starts(line, w))
		return false;
	*rest = str_trim(str_from(line, w.n));
	return true;
}

/* The digits behind the first `word` in s. */
static bool number(str s, const char *word, uint64_t *n)
{
	size_t at = str_find(s, str_of(word)), k = 0;

	if (at == STR_NPOS)
		return false;
	s = str_from(s, at + strlen(word));
	while (k < s.n && str_is_digit(s.p[k]))
		k++;
	return k > 0 && str_u64(str_head(s, k), n);
}

static str quoted(str s)
{
	size_t from = str_chr(s, '\''), n;

	if (from == STR_NPOS)
		return STR_NONE;
	s = str_from(s, from + 1);
	n = str_chr(s, '\'');
	return n == STR_NPOS ? STR_NONE : str_head(s, n);
}

/* "Your branch ...", and "and have 2 and 3 different commits each, respectively." */
static void long_upstream(struct gitsaid_head *h, str line)
{
	if (str_starts(line, STR("Your branch "))) {
		h->upstream = quoted(line);
		h->gone = str_find(line, STR("upstream is gone")) != STR_NPOS;
		if (str_starts(line, STR("Your branch is up")))
			h->apart = true;
		else if (number(line, "' by ", &h->ahead))
			h->apart = true;
		if (str_starts(line, STR("Your branch is behind"))) {
			h->behind = h->ahead;
			h->ahead = 0;
		}
	} else if (h->upstream.n && !h->apart && str_starts(line, STR("and have "))) {
		h->apart = number(line, "and have ", &h->ahead) &&
			   number(str_from(line, 9), " and ", &h->behind);
	}
}

/* Behind "## ". */
static void short_head(struct gitsaid_head *h, str s)
{
	size_t dots = str_find(s, STR("...")), end = str_chr(s, ' ');
	str rest;

	if (after(s, "No commits yet on ", &rest)) {
		h->branch = rest;
		return;
	}
	if (str_starts(s, STR("HEAD (no branch)"))) {
		h->no_branch = true;
		return;
	}
	if (dots == STR_NPOS || (end != STR_NPOS && end < dots)) {
		h->branch = str_head(s, end);
		return;
	}
	h->branch = str_head(s, dots);
	rest = str_from(s, dots + 3);
	end = str_chr(rest, ' ');
	h->upstream = str_head(rest, end);
	rest = str_from(rest, h->upstream.n);
	h->gone = str_find(rest, STR("[gone]")) != STR_NPOS;
	h->apart = !h->gone;
	(void)number(rest, "ahead ", &h->ahead);
	(void)number(rest, "behind ", &h->behind);
}

static void v2_head(struct gitsaid_head *h, str line)
{
	str rest;

	if (after(line, "# branch.head ", &rest)) {
		h->no_branch = str_eq(rest, STR("(detached)"));
		h->branch = h->no_branch ? STR_NONE : rest;
	} else if (after(line, "# branch.upstream ", &rest)) {
		h->upstream = rest;
	} else if (after(line, "# branch.ab ", &rest)) {
		h->apart = number(rest, "+", &h->ahead) && number(rest, "-", &h->behind);
	}
}

struct gitsaid_head gitsaid_head(str status)
{
	struct gitsaid_head h = {0};
	str line, rest;

	while (str_line(&status, &line)) {
		line = str_trim(line);
		if (after(line, "On branch ", &rest)) {
			h.branch = rest;
		} else if (after(line, "HEAD detached at ", &rest) ||
			   after(line, "HEAD detached from ", &rest)) {
			h.no_branch = true;
			h.detached = rest;
		} else if (str_starts(line, STR("Not currently on any branch"))) {
			h.no_branch = true;
		} else if (after(line, "## ", &rest)) {
			short_head(&h, rest);
		} else if (str_starts(line, STR("# branch."))) {
			v2_head(&h, line);
		} else {
			long_upstream(&h, line);
		}
	}
	return h;
}

/* ---- entries ---- */

static bool long_entry(str line, char *mark, str *path)
{
	static const struct {
		const char *word;
		char mark;
	} forms[] = {
		{"modified:", 'M'},        {"new file:", 'A'},
		{"deleted:", 'D'},         {"renamed:", 'R'},
		{"copied:", 'C'},          {"typechange:", 'T'},
		{"both modified:", 'U'},   {"both added:", 'U'},
		{"both deleted:", 'U'},    {"added by us:", 'U'},
		{"added by them:", 'U'},   {"deleted by us:", 'U'},
		{"deleted by them:", 'U'},
	};
	str t = str_trim(line);

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (after(t, forms[i].word, path)) {
			*mark = forms[i].mark;
			return path->n > 0;
		}
	if (!str_starts(line, STR("\t")))
		return false;
	*mark = '?'; /* a list of names alone: untracked files */
	*path = t;
	return t.n > 0;
}

bool gitsaid_entry(str *rest, char *mark, str *path)
{
	static const str letters = {"MADRCTU? ", 9};
	str line;

	while (str_line(rest, &line)) {
		if (long_entry(line, mark, path))
			return true;
		if (line.n < 4 || line.p[2] != ' ' || line.p[3] == ' ' ||
		    str_chr(letters, line.p[0]) == STR_NPOS ||
		    str_chr(letters, line.p[1]) == STR_NPOS ||
		    !str_trim(str_head(line, 2)).n)
			continue;
		*mark = line.p[0] != ' ' ? line.p[0] : line.p[1];
		if (line.p[0] == 'U' || line.p[1] == 'U')
			*mark = 'U';
		*path = str_trim(str_from(line, 3));
		return true;
	}
	return false;
}

/* ---- nothing ---- */

/* What the client puts there when a command printed nothing, or beside what it printed. */
static bool is_clients(str line)
{
	return !line.n || str_eq(line, STR("(Bash completed with no output)")) ||
	       str_eq(line, STR("(no output)")) ||
	       str_starts(line, STR("Shell cwd was reset to "));
}

bool gitsaid_clean(str status)
{
	str rest = status, line, path;
	bool head = false;
	char mark;

	if (gitsaid_entry(&rest, &mark, &path))
		return false;
	while (str_line(&status, &line)) {
		line = str_trim(line);
		if (str_starts(line, STR("nothing to commit")))
			return true;
		if (is_clients(line) || str_starts(line, STR("## ")) ||
		    str_starts(line, STR("# branch.")))
			continue;
		head = true; /* the long form says so itself, if it is clean */
	}
	return !head;
}

bool gitsaid_silent(str output)
{
	str line;

	while (str_line(&output, &line))
		if (!is_clients(str_trim(line)))
			return false;
	return true;
}

/* ---- of several commands ---- */

static bool begins_with_any(str line, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (str_starts(line, str_of(words[i])))
			return true;
	return false;
}

static bool is_long_status(str line)
{
	static const char *const words[] = {"On branch ",
					    "HEAD detached ",
					    "Not currently on ",
					    "Your branch ",
					    "and have ",
					    "Changes ",
					    "Untracked files",
					    "Unmerged paths",
					    "Ignored files",
					    "nothing ",
					    "no changes added",
					    "No commits yet",
					    "You have ",
					    "You are ",
					    "All conflicts ",
					    "Initial commit",
					    "Your stash ",
					    "It took ",
					    "  (use ",
					    "  (commit ",
					    "  (all ",
					    "  (fix ",
					    "interactive rebase in progress",
					    "Last command",
					    "Next command",
					    "No commands ",
					    "\t",
					    "rebase in progress",
					    NULL};
	str path;
	char mark;

	return !str_trim(line).n || begins_with_any(line, words) ||
	       long_entry(line, &mark, &path);
}

static bool is_short_status(str line)
{
	str rest = line, path;
	char mark;

	return str_starts(line, STR("## ")) || str_starts(line, STR("# branch.")) ||
	       (line.n && line.p[0] != '\t' && gitsaid_entry(&rest, &mark, &path));
}

static bool is_log(str line)
{
	size_t n = 0;

	while (n < line.n &&
	       (str_is_digit(line.p[n]) || (line.p[n] >= 'a' && line.p[n] <= 'f')))
		n++;
	return n >= 7 && n <= 64 && n < line.n && line.p[n] == ' ';
}

/* " a.c | 2 +-", " 1 file changed, 1 insertion(+)" */
static bool is_stat(str line)
{
	return line.n > 3 && line.p[0] == ' ' &&
	       (str_find(line, STR(" | ")) != STR_NPOS ||
		str_find(line, STR(" changed")) != STR_NPOS);
}

static bool is_diff(str line)
{
	static const char *const words[] = {"diff ",
					    "index ",
					    "--- ",
					    "+++ ",
					    "@@",
					    "+",
					    "-",
					    " ",
					    "\\",
					    "new file mode",
					    "deleted ",
					    "old mode",
					    "new mode",
					    "similarity ",
					    "rename ",
					    "copy ",
					    "Binary ",
					    "GIT binary",
					    "dissimilarity ",
					    NULL};

	return begins_with_any(line, words);
}

/* The lines that begin the output and are of the kind; what the client adds is skipped before it. */
static str head_lines(str output, bool (*is)(str line))
{
	str rest = output, line, from;

	do {
		from = rest;
		if (!str_line(&rest, &line))
			return STR_NONE;
	} while (is_clients(str_trim(line)));
	rest = from;
	while (rest.n) {
		str here = rest;

		str_line(&rest, &line);
		if (!is(line))
			return str_head(from, from.n - here.n);
	}
	return from;
}

/* Up to where another status begins. */
static str one_status(str s)
{
	static const char *const heads[] = {"On branch ", "HEAD detached ", "## ", NULL};
	str rest = s, line;

	str_line(&rest, &line);
	while (rest.n) {
		str here = rest;

		str_line(&rest, &line);
		if (begins_with_any(line, heads))
			return str_head(s, s.n - here.n);
	}
	return s;
}

str gitsaid_head_status(str output, bool brief)
{
	return one_status(head_lines(output, brief ? is_short_status : is_long_status));
}

str gitsaid_head_log(str output)
{
	return head_lines(output, is_log);
}

str gitsaid_head_diff(str output)
{
	str stat = head_lines(output, is_stat), all = head_lines(output, is_diff);

	return str_starts(all, STR("diff ")) ? all : stat;
}
