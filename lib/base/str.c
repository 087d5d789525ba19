/*
 * Searching leans on memchr and memmem, which the C library has tuned. The case-insensitive
 * search is quadratic in the worst case; its needles are short words of ours.
 */
#include "base/str.h"
#include "base/oom.h"

#include <stdlib.h>

bool str_ieq(str a, str b)
{
	return a.n == b.n && str_istarts(a, b);
}

bool str_istarts(str s, str prefix)
{
	if (s.n < prefix.n)
		return false;
	for (size_t i = 0; i < prefix.n; i++)
		if (str_lower(s.p[i]) != str_lower(prefix.p[i]))
			return false;
	return true;
}

int str_cmp(str a, str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

size_t str_find(str s, str needle)
{
	const char *at;

	if (needle.n == 0)
		return 0;
	if (s.n < needle.n)
		return STR_NPOS;
	at = memmem(s.p, s.n, needle.p, needle.n);
	return at ? (size_t)(at - s.p) : STR_NPOS;
}

size_t str_ifind(str s, str needle)
{
	if (needle.n == 0)
		return 0;
	for (size_t i = 0; s.n - i >= needle.n && i < s.n; i++)
		if (str_lower(s.p[i]) == str_lower(needle.p[0]) &&
		    str_istarts(str_from(s, i), needle))
			return i;
	return STR_NPOS;
}

size_t str_rfind(str s, str needle)
{
	if (needle.n == 0)
		return 0;
	if (s.n < needle.n)
		return STR_NPOS;
	for (size_t i = s.n - needle.n + 1; i-- > 0;)
		if (s.p[i] == needle.p[0] && memcmp(s.p + i, needle.p, needle.n) == 0)
			return i;
	return STR_NPOS;
}

size_t str_chr(str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : STR_NPOS;
}

size_t str_rchr(str s, char c)
{
	for (size_t i = s.n; i-- > 0;)
		if (s.p[i] == c)
			return i;
	return STR_NPOS;
}

str str_trim(str s)
{
	while (s.n && str_is_space(s.p[0]))
		s = str_from(s, 1);
	return str_trim_right(s);
}

str str_trim_right(str s)
{
	while (s.n && str_is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_line(str *rest, str *line)
{
	if (!str_split(rest, '\n', line))
		return false;
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

bool str_word(str *rest, str *word)
{
	size_t n = 0;

	while (rest->n && str_is_space(rest->p[0]))
		*rest = str_from(*rest, 1);
	while (n < rest->n && !str_is_space(rest->p[n]))
		n++;
	*word = str_head(*rest, n);
	*rest = str_from(*rest, n);
	return n > 0;
}

bool str_split(str *rest, char sep, str *part)
{
	size_t at;

	if (rest->n == 0) {
		*part = STR_NONE;
		return false;
	}
	at = str_chr(*rest, sep);
	if (at == STR_NPOS)
		at = rest->n;
	*part = str_head(*rest, at);
	*rest = str_from(*rest, at + 1);
	return true;
}

bool str_u64(str s, uint64_t *out)
{
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!str_is_digit(s.p[i]))
			return false;
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return false;
	}
	*out = v;
	return true;
}

bool str_i64(str s, int64_t *out)
{
	bool minus = s.n && s.p[0] == '-';
	uint64_t v;

	if (!str_u64(str_from(s, minus ? 1 : 0), &v))
		return false;
	if (v > (uint64_t)INT64_MAX + (minus ? 1 : 0))
		return false;
	/* negated as unsigned: -INT64_MIN does not exist */
	*out = (int64_t)(minus ? -v : v);
	return true;
}

uint64_t str_hash(str s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < s.n; i++) {
		h ^= (unsigned char)s.p[i];
		h *= UINT64_C(0x100000001b3);
	}
	return h;
}

str str_basename(str path)
{
	size_t at = str_rchr(path, '/');

	return at == STR_NPOS ? path : str_from(path, at + 1);
}

char *str_dup(str s)
{
	char *p = malloc(s.n + 1);

	if (!p)
		oom();
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = 0;
	return p;
}
