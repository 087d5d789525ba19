#include "work/mcp.h"

#include <limits.h>

#include "base/utf8.h"

#define NAME_MAX_BYTES 4096

static const char *const VERSION[] = {
	"2025-11-25",
	"2025-06-18",
	"2025-03-26",
	"2024-11-05",
};
#define VERSIONS (sizeof(VERSION) / sizeof(VERSION[0]))

static const char *const LEVEL[] = {
	"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
};
#define LEVELS (sizeof(LEVEL) / sizeof(LEVEL[0]))

const char *mcp_version(str asked)
{
	for (size_t i = 0; i < VERSIONS; i++)
		if (str_eq(asked, str_of(VERSION[i])))
			return VERSION[i];
	return VERSION[0];
}

bool mcp_version_batches(const char *version)
{
	return strcmp(version, "2025-03-26") == 0;
}

int mcp_level(str word)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (str_eq(word, str_of(LEVEL[i])))
			return (int)i;
	return -1;
}

/* --- hexadecimal --- */

static int digit(char c)
{
	c = str_lower(c);
	if (str_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int octet(str s, size_t at)
{
	int high, low;

	if (at + 2 > s.n)
		return -1;
	high = digit(s.p[at]);
	low = digit(s.p[at + 1]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* --- cursors --- */

void mcp_cursor_add(struct buf *out, str name)
{
	for (size_t i = 0; i < name.n; i++)
		buf_printf(out, "%02x", (unsigned char)name.p[i]);
}

bool mcp_cursor_read(struct buf *out, str cursor)
{
	size_t before = out->n;

	if (!cursor.n || cursor.n % 2 || cursor.n > 2 * NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < cursor.n; i += 2) {
		int c = octet(cursor, i);

		if (c <= 0) {
			buf_cut(out, before);
			return false;
		}
		buf_byte(out, (char)c);
	}
	return !out->full;
}

/* --- URIs --- */

/* RFC 3986: unreserved characters stand for themselves. */
static void encode(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (str_is_alnum(c) || (c && strchr("-._~", c)))
			buf_byte(out, c);
		else
			buf_printf(out, "%%%02X", (unsigned char)c);
	}
}

static bool decode(struct buf *out, str s)
{
	size_t before = out->n;

	for (size_t i = 0; i < s.n; i++) {
		int c = (unsigned char)s.p[i];

		if (c == '%') {
			c = octet(s, i + 1);
			i += 2;
		}
		if (c <= 0)
			return false;
		buf_byte(out, (char)c);
	}
	return !out->full && out->n > before &&
	       utf8_valid((str){out->p + before, out->n - before});
}

static bool after(str *s, str prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_from(*s, prefix.n);
	return true;
}

bool mcp_uri_parse(struct mcp_uri *u, str uri)
{
	size_t slash;

	*u = (struct mcp_uri){
		.project = BUF_INIT(NAME_MAX_BYTES),
		.name = BUF_INIT(NAME_MAX_BYTES),
	};
	if (str_eq(uri, STR("session://brief")))
		return true;
	if (after(&uri, STR("handoff://brief/"))) {
		u->kind = MCP_BRIEF;
		return str_chr(uri, '/') == STR_NPOS && decode(&u->project, uri);
	}
	if (after(&uri, STR("handoff://entity/")))
		u->kind = MCP_ENTITY;
	else if (after(&uri, STR("handoff://document/")))
		u->kind = MCP_DOCUMENT;
	else
		return false;
	slash = str_chr(uri, '/');
	return slash != STR_NPOS && decode(&u->project, str_head(uri, slash)) &&
	       str_chr(str_from(uri, slash + 1), '/') == STR_NPOS &&
	       decode(&u->name, str_from(uri, slash + 1));
}

void mcp_uri_release(struct mcp_uri *u)
{
	buf_release(&u->project);
	buf_release(&u->name);
}

void mcp_uri_brief(struct buf *out, str project)
{
	buf_add(out, STR("handoff://brief/"));
	encode(out, project);
}

static void uri_of(struct buf *out, str prefix, str project, str name)
{
	buf_add(out, prefix);
	encode(out, project);
	buf_byte(out, '/');
	encode(out, name);
}

void mcp_uri_entity(struct buf *out, str project, str name)
{
	uri_of(out, STR("handoff://entity/"), project, name);
}

void mcp_uri_document(struct buf *out, str project, str name)
{
	uri_of(out, STR("handoff://document/"), project, name);
}

bool mcp_uri_path(struct buf *out, str uri)
{
	size_t before = out->n;

	if (!after(&uri, STR("file://")))
		return false;
	after(&uri, STR("localhost"));
	if (!str_starts(uri, STR("/")) || uri.n >= PATH_MAX || !decode(out, uri)) {
		buf_cut(out, before);
		return false;
	}
	return true;
}
