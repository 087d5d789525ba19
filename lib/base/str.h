/*
 * str: borrowed bytes, a pointer and a length.
 *
 *   str s = STR("Edit");
 *   if (str_eq(name, s)) ...
 *   while (str_line(&text, &line)) ...          cut a text into lines
 *
 * Invariant: a str is never freed and never assumed to end in NUL; it lives as long as
 * what it points into. The empty str may have a NULL pointer.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct str {
	const char *p;
	size_t n;
} str;

#define STR(lit) ((str){(lit), sizeof(lit) - 1})
#define STR_NONE ((str){NULL, 0})
#define STR_NPOS ((size_t)-1)
/* for printf: "%.*s" */
#define STR_ARG(s) (int)((s).n > 0x7fffffff ? 0x7fffffff : (s).n), ((s).p ? (s).p : "")

static inline str str_of(const char *c)
{
	return (str){c, c ? strlen(c) : 0};
}

static inline bool str_eq(str a, str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(str s, str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(str s, str suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* The bytes from `from` (clamped) to the end. */
static inline str str_from(str s, size_t from)
{
	if (from >= s.n)
		return (str){s.p ? s.p + s.n : NULL, 0};
	return (str){s.p + from, s.n - from};
}

/* The first `n` bytes (clamped). */
static inline str str_head(str s, size_t n)
{
	return (str){s.p, n < s.n ? n : s.n};
}

/* ASCII case-insensitive equality. */
bool str_ieq(str a, str b);
/* ASCII case-insensitive prefix test. */
bool str_istarts(str s, str prefix);
/* Byte order, then length: <0, 0, >0. */
int str_cmp(str a, str b);
/* Offset of the first / last occurrence, or STR_NPOS. An empty needle is found at 0. */
size_t str_find(str s, str needle);
size_t str_ifind(str s, str needle);
size_t str_rfind(str s, str needle);
size_t str_chr(str s, char c);
size_t str_rchr(str s, char c);
/* Without ASCII white space (space, \t, \r, \n, \v, \f) at both ends. */
str str_trim(str s);
str str_trim_right(str s);
/*
 * Take the next line off *rest (without its \n, and without a \r before it).
 * False when nothing is left; a text that ends in \n has no empty last line.
 */
bool str_line(str *rest, str *line);
/* Take the next word (separated by ASCII white space) off *rest; false at the end. */
bool str_word(str *rest, str *word);
/*
 * Take the part before `sep` off *rest; the last part has no separator. False at the end;
 * as with lines, a text that ends in sep has no empty last part.
 */
bool str_split(str *rest, char sep, str *part);
/* A decimal number that fills the whole str; false on anything else or overflow. */
bool str_u64(str s, uint64_t *out);
bool str_i64(str s, int64_t *out);
/* FNV-1a, 64 bits; stable across machines (used in files). */
uint64_t str_hash(str s);
/* The part after the last '/', or the whole. */
str str_basename(str path);
/* A malloc'ed NUL-terminated copy; the caller frees it. */
char *str_dup(str s);

static inline bool str_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}
static inline bool str_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool str_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool str_is_alnum(char c)
{
	return str_is_alpha(c) || str_is_digit(c);
}
static inline char str_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

#endif
