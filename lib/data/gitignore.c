/*
 * gitignore: written after gitignore(5) and the behaviour of git's own, which
 * test_gitstate compares on random repositories.
 *
 * Two habits of git's that the manual page does not tell, kept here:
 *  - In an anchored pattern the bytes before the first special character are compared as
 *    they are, and only the rest is a glob. So the `**` of "a**" + "/b" stands at a start.
 *  - `\` counts as special, so "\#x" is a glob that matches "#x".
 */
#include <stdlib.h>

#include "base/log.h"
#include "data/gitignore.h"

/* --- globs --- */

static char fold(char c, bool icase)
{
	return icase ? str_lower(c) : c;
}

static bool in_class(str name, unsigned char c)
{
	bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
	bool digit = c >= '0' && c <= '9', graph = c > 0x20 && c < 0x7f;

	if (str_eq(name, STR("alnum")))
		return upper || lower || digit;
	if (str_eq(name, STR("alpha")))
		return upper || lower;
	if (str_eq(name, STR("blank")))
		return c == ' ' || c == '\t';
	if (str_eq(name, STR("cntrl")))
		return c < 0x20 || c == 0x7f;
	if (str_eq(name, STR("digit")))
		return digit;
	if (str_eq(name, STR("graph")))
		return graph;
	if (str_eq(name, STR("lower")))
		return lower;
	if (str_eq(name, STR("print")))
		return graph || c == ' ';
	if (str_eq(name, STR("punct")))
		return graph && !upper && !lower && !digit;
	if (str_eq(name, STR("space")))
		return str_is_space((char)c);
	if (str_eq(name, STR("upper")))
		return upper;
	return str_eq(name, STR("xdigit")) &&
	       (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
}

static bool class_exists(str name)
{
	static const char *const names[] = {"alnum", "alpha", "blank", "cntrl",
					    "digit", "graph", "lower", "print",
					    "punct", "space", "upper", "xdigit"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(name, str_of(names[i])))
			return true;
	return false;
}

static bool class_fits(str name, char c, bool icase)
{
	if (in_class(name, (unsigned char)c))
		return true;
	/* folded text is lower case, yet [:upper:] should fit it */
	return icase && str_eq(name, STR("upper")) && c >= 'a' && c <= 'z';
}

/*
 * p is behind a '['. Returns the bytes up to and with the ']', or 0 when there is none (then
 * nothing matches). *hit tells whether c is in the set.
 */
static size_t bracket(str p, char c, bool icase, bool *hit)
{
	bool negated = false, found = false, first = true;
	unsigned char low = 0, uc = (unsigned char)c;
	size_t i = 0;

	if (i < p.n && (p.p[i] == '!' || p.p[i] == '^')) {
		negated = true;
		i++;
	}
	for (; i < p.n && (first || p.p[i] != ']'); first = false) {
		unsigned char b = (unsigned char)p.p[i];

		if (b == '\\') {
			if (++i >= p.n)
				return 0;
			b = (unsigned char)p.p[i++];
			found |= b == uc;
			low = b;
		} else if (b == '-' && low && i + 1 < p.n && p.p[i + 1] != ']') {
			unsigned char high = (unsigned char)p.p[++i];

			if (high == '\\') {
				if (++i >= p.n)
					return 0;
				high = (unsigned char)p.p[i];
			}
			i++;
			found |= uc >= low && uc <= high;
			if (icase && uc >= 'a' && uc <= 'z') {
				unsigned char up = (unsigned char)(uc - 32);

				found |= up >= low && up <= high;
			}
			low = 0; /* a-b-c: the second dash is itself */
		} else if (b == '[' && i + 1 < p.n && p.p[i + 1] == ':') {
			size_t end = str_chr(str_from(p, i + 2), ']');
			str name;

			if (end == STR_NPOS)
				return 0;
			name = str_head(str_from(p, i + 2), end);
			if (name.n == 0 || name.p[name.n - 1] != ':') {
				found |= uc == '['; /* not [:name:]: just a bracket */
				low = '[';
				i++;
				continue;
			}
			name.n--;
			if (!class_exists(name))
				return 0;
			found |= class_fits(name, c, icase);
			i += 2 + end + 1;
			low = 0;
		} else {
			found |= b == uc;
			low = b;
			i++;
		}
	}
	if (i >= p.n)
		return 0;
	*hit = found != negated;
	return i + 1;
}

/* One character of the pattern (not a star) against one of the text; bytes of pattern used, or 0. */
static size_t glob_one(str p, char c, bool pathname, bool icase)
{
	bool hit = false;
	size_t n;

	c = fold(c, icase);
	switch (p.p[0]) {
	case '?':
		return !(pathname && c == '/');
	case '[':
		n = bracket(str_from(p, 1), c, icase, &hit);
		return n && hit && !(pathname && c == '/') ? n + 1 : 0;
	case '\\':
		return p.n > 1 && p.p[1] == c ? 2 : 0;
	default:
		return fold(p.p[0], icase) == c;
	}
}

/* True when the stars at p[i..j) stand alone between slashes or ends: they match slashes too. */
static bool stars_alone(str p, size_t i, size_t j)
{
	return j - i > 1 && (i == 0 || p.p[i - 1] == '/') &&
	       (j == p.n || p.p[j] == '/' ||
		(p.p[j] == '\\' && j + 1 < p.n && p.p[j + 1] == '/'));
}

bool gitignore_glob(str p, str t, bool pathname, bool icase)
{
	/* where to go on when the rest does not fit: after the last star, after the last ** */
	size_t star_p = STR_NPOS, star_t = 0, deep_p = STR_NPOS, deep_t = 0;
	size_t i = 0, k = 0, used;

	for (;;) {
		if (i < p.n && p.p[i] == '*') {
			size_t j = i;

			while (j < p.n && p.p[j] == '*')
				j++;
			if (pathname && stars_alone(p, i, j)) {
				if (j == p.n)
					return true;
				/* "**" and its slash match nothing, or whole folders */
				i = j + (p.p[j] == '\\' ? 2 : 1);
				deep_p = i;
				deep_t = k;
				star_p = STR_NPOS;
				continue;
			}
			i = j;
			star_p = i;
			star_t = k;
			continue;
		}
		if (k == t.n && i == p.n)
			return true;
		if (k < t.n && i < p.n &&
		    (used = glob_one(str_from(p, i), t.p[k], pathname, icase))) {
			i += used;
			k++;
			continue;
		}
		if (star_p != STR_NPOS && star_t < t.n &&
		    !(pathname && t.p[star_t] == '/')) {
			i = star_p;
			k = ++star_t;
			continue;
		}
		if (deep_p != STR_NPOS) {
			size_t slash = str_chr(str_from(t, deep_t), '/');

			if (slash != STR_NPOS) {
				deep_t += slash + 1;
				i = deep_p;
				k = deep_t;
				star_p = STR_NPOS;
				continue;
			}
		}
		return false;
	}
}

/* --- pattern files --- */

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

static size_t literal_length(str s)
{
	size_t i;

	for (i = 0; i < s.n && !is_special(s.p[i]); i++)
		;
	return i;
}

/* Without trailing spaces, but for one that a backslash protects. */
static str trim_spaces(str s)
{
	size_t i, end = 0;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] == '\\') {
			if (++i >= s.n)
				return s;
			end = i + 1;
		} else if (s.p[i] != ' ') {
			end = i + 1;
		}
	}
	return str_head(s, end);
}

static void *grow(void *old, size_t *cap, size_t n, size_t size)
{
	void *p = old;

	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 16;
	p = reallocarray(old, *cap, size);
	if (!p)
		log_oom();
	return p;
}

static void add_pattern(struct gitignore *g, str line)
{
	struct gitignore_pattern *p;
	bool anchored;

	g->pattern = grow(g->pattern, &g->pattern_cap, g->npatterns, sizeof(*g->pattern));
	p = &g->pattern[g->npatterns++];
	*p = (struct gitignore_pattern){0};
	if (line.n && line.p[0] == '!') {
		p->negated = true;
		line = str_from(line, 1);
	}
	if (line.n && line.p[line.n - 1] == '/') {
		p->folders_only = true;
		line.n--;
	}
	anchored = str_chr(line, '/') != STR_NPOS;
	p->basename = !anchored;
	if (anchored && line.p[0] == '/')
		line = str_from(line, 1);
	p->text = line;
	p->literal = literal_length(line);
	p->suffix = p->basename && line.n && line.p[0] == '*' &&
		    literal_length(str_from(line, 1)) == line.n - 1;
}

void gitignore_init(struct gitignore *g, bool icase)
{
	*g = (struct gitignore){.icase = icase};
}

void gitignore_add(struct gitignore *g, size_t base_n, str text)
{
	static const char bom[] = "\xef\xbb\xbf";

	g->list = grow(g->list, &g->list_cap, g->nlists, sizeof(*g->list));
	g->list[g->nlists++] = (struct gitignore_list){base_n, g->npatterns};
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_from(text, sizeof(bom) - 1);
	while (text.n) {
		size_t nl = str_chr(text, '\n');
		str line = str_head(text, nl);

		text = nl == STR_NPOS ? STR_NONE : str_from(text, nl + 1);
		if (line.n && line.p[0] == '#')
			continue;
		/* as git: the carriage return goes only with its newline or at the end */
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		line = trim_spaces(str_head(line, str_chr(line, '\0')));
		if (line.n)
			add_pattern(g, line);
	}
}

void gitignore_pop(struct gitignore *g)
{
	g->npatterns = g->list[--g->nlists].first;
}

void gitignore_release(struct gitignore *g)
{
	free(g->pattern);
	free(g->list);
	*g = (struct gitignore){0};
}

static bool same(str a, str b, bool icase)
{
	return icase ? str_ieq(a, b) : str_eq(a, b);
}

static bool fits_name(const struct gitignore_pattern *p, str name, bool icase)
{
	if (p->literal == p->text.n)
		return same(p->text, name, icase);
	if (p->suffix)
		return name.n >= p->text.n - 1 &&
		       same(str_from(p->text, 1),
			    str_from(name, name.n - (p->text.n - 1)), icase);
	return gitignore_glob(p->text, name, false, icase);
}

static bool fits_path(const struct gitignore_pattern *p, str rest, bool icase)
{
	str pattern;

	if (rest.n < p->literal ||
	    !same(str_head(p->text, p->literal), str_head(rest, p->literal), icase))
		return false;
	pattern = str_from(p->text, p->literal);
	rest = str_from(rest, p->literal);
	if (pattern.n == 0)
		return rest.n == 0;
	return gitignore_glob(pattern, rest, true, icase);
}

bool gitignore_match(const struct gitignore *g, str path, bool folder)
{
	str name = str_basename(path);
	size_t i = g->npatterns, l = g->nlists;

	while (l-- > 0) {
		const struct gitignore_list *list = &g->list[l];

		while (i > list->first) {
			const struct gitignore_pattern *p = &g->pattern[--i];

			if (p->folders_only && !folder)
				continue;
			if (p->basename ? fits_name(p, name, g->icase)
					: fits_path(p, str_from(path, list->base_n),
						    g->icase))
				return !p->negated;
		}
	}
	return false;
}
