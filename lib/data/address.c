#include "data/address.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "data/digest.h"

#define HASH_DIGITS 8
#define PLAIN_MAX   (ADDRESS_NAME_MAX / 2) /* bytes of a path of which no name is cut */
#define FORBIDDEN   "<>:\"\\|?*%"

static const str HASH_MARK = {"%~", 2}, MORE_MARK = {"%+", 2}, SUFFIX = {".md", 3};

/* Folder names of the vault and device names of one system; compared without the extension. */
static const char *const taken[] = {"sessions", "entities", "archive", "handoffs",
				    "con",      "prn",      "aux",     "nul"};
#define FOLDERS 4 /* of them are folder names */

bool address_segment_ok(str s)
{
	str rest = s;
	uint32_t cp;
	size_t n;

	if (!s.n || str_eq(s, STR(".")) || str_eq(s, STR("..")) ||
	    str_chr(s, '/') != STR_NPOS)
		return false;
	while (rest.n) {
		n = utf8_next(rest, &cp);
		if (!n || utf8_unsafe(cp) || cp == '\n' || cp == '\t')
			return false;
		rest = str_from(rest, n);
	}
	return true;
}

static int check(str text, struct err *e)
{
	str rest = text, part;

	if (text.n > ADDRESS_MAX)
		return err_set(e, HF_EUSAGE, "scope and key over %d bytes", ADDRESS_MAX);
	if (str_ends(text, STR("/")))
		return err_set(e, HF_EUSAGE, "the name '%.*s' ends in '/'",
			       STR_ARG(text));
	while (str_split(&rest, '/', &part))
		if (!address_segment_ok(part))
			return err_set(
				e, HF_EUSAGE,
				"'%.*s' is no scope/key: a part is empty, '.', '..', or "
				"holds control or invisible characters",
				STR_ARG(text));
	return 0;
}

int address_of(struct address *a, str scope, str key, struct err *e)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	size_t slash;
	int ret;

	*a = (struct address){0};
	if (!scope.n)
		return err_set(e, HF_EUSAGE, "scope is empty");
	buf_add(&b, scope);
	if (key.n) {
		buf_byte(&b, '/');
		buf_add(&b, key);
	}
	ret = check(buf_str(&b), e);
	slash = str_rchr(buf_str(&b), '/');
	if (!ret && slash == STR_NPOS)
		ret = err_set(e, HF_EUSAGE,
			      "'%s' is no scope/key: a scope and a key are needed",
			      buf_cstr(&b));
	if (!ret) {
		size_t n = b.n;

		a->text = buf_take(&b);
		a->scope = (str){a->text, slash};
		a->key = (str){a->text + slash + 1, n - slash - 1};
	}
	buf_release(&b);
	return ret;
}

bool address_version(str text, str *name, uint64_t *version)
{
	size_t at = str_rchr(text, '@');
	str number;

	if (at == STR_NPOS)
		return false;
	number = str_from(text, at + 1);
	if (str_starts(number, STR("v")))
		number = str_from(number, 1);
	*name = str_head(text, at);
	return name->n && str_u64(number, version);
}

void address_release(struct address *a)
{
	free(a->text);
	*a = (struct address){0};
}

static bool is_taken(str s)
{
	str stem = str_head(s, str_chr(s, '.'));

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (str_ieq(stem, str_of(taken[i])) && (i >= FOLDERS || stem.n == s.n))
			return true;
	return stem.n == 4 &&
	       (str_istarts(stem, STR("com")) || str_istarts(stem, STR("lpt"))) &&
	       stem.p[3] >= '1' && stem.p[3] <= '9';
}

bool address_strayed(str name)
{
	for (size_t i = 0; i < FOLDERS; i++)
		if (str_ieq(name, str_of(taken[i])))
			return true;
	return false;
}

static bool folds(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] & 0x80)
			return true;
	return false;
}

static bool is_escaped(str s, size_t i, bool first)
{
	char c = s.p[i];

	if (strchr(FORBIDDEN, c) || (i == 0 && first))
		return true;
	if ((i == 0 || i + 1 == s.n) && (c == '.' || c == ' '))
		return true;
	return c == '.' && i + 3 == s.n && str_ieq(str_from(s, i), SUFFIX);
}

/* Append one segment; a name is cut where it would grow too long. */
static void add_segment(struct buf *b, str s, bool is_key)
{
	size_t room =
		ADDRESS_NAME_MAX - SUFFIX.n - MORE_MARK.n - HASH_MARK.n - HASH_DIGITS;
	size_t from = b->n, n;
	bool first = is_taken(s);
	char hex[DIGEST_HEX_BYTES];
	uint32_t cp;

	for (size_t i = 0; i < s.n; i += n) {
		bool escape = is_escaped(s, i, first);

		n = escape ? 1 : utf8_next(str_from(s, i), &cp);
		if (b->n - from + (escape ? 3 : n) > room) {
			buf_add(b, MORE_MARK);
			buf_byte(b, '/');
			from = b->n;
		}
		if (escape)
			buf_printf(b, "%%%02X", (unsigned char)s.p[i]);
		else
			buf_add(b, (str){s.p + i, n});
	}
	if (folds(s)) {
		digest_hex(s, hex);
		buf_add(b, HASH_MARK);
		buf_add(b, (str){hex, HASH_DIGITS});
	}
	if (is_key)
		buf_add(b, SUFFIX);
}

void address_folder(struct buf *b, str scope)
{
	str part;

	for (bool more = false; str_split(&scope, '/', &part); more = true) {
		if (more)
			buf_byte(b, '/');
		add_segment(b, part, false);
	}
}

void address_path(struct buf *b, const struct address *a)
{
	address_folder(b, a->scope);
	buf_byte(b, '/');
	add_segment(b, a->key, true);
}

static int digit(char c)
{
	return str_is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Append a name decoded. False: it cannot be one. */
static bool decode(struct buf *b, str name)
{
	for (size_t i = 0; i < name.n; i++) {
		int hi, lo;

		if (name.p[i] != '%') {
			buf_byte(b, name.p[i]);
			continue;
		}
		if (name.n - i < 3)
			return false;
		hi = digit(name.p[i + 1]);
		lo = digit(name.p[i + 2]);
		if (hi < 0 || lo < 0)
			return false;
		buf_byte(b, (char)(hi * 16 + lo));
		i += 2;
	}
	return true;
}

/* Names of lower-case letters, digits, '-' and '_', none of them taken or long: such a path is its address. */
static bool is_plain(str path)
{
	bool plain = str_ends(path, SUFFIX) && path.n <= PLAIN_MAX;
	str rest = str_head(path, plain ? path.n - SUFFIX.n : 0), part;

	while (plain && str_split(&rest, '/', &part)) {
		plain = part.n && !is_taken(part);
		for (size_t i = 0; plain && i < part.n; i++)
			plain = (part.p[i] >= 'a' && part.p[i] <= 'z') ||
				str_is_digit(part.p[i]) || part.p[i] == '-' ||
				part.p[i] == '_';
	}
	return plain;
}

int address_from_path(struct address *a, str path, struct err *e)
{
	struct buf b = BUF_INIT(SIZE_MAX), again = BUF_INIT(SIZE_MAX);
	str rest = path, part;
	bool ok = str_ends(path, SUFFIX), glued = true;

	*a = (struct address){0};
	if (is_plain(path) &&
	    address_of(a, str_head(path, path.n - SUFFIX.n), STR_NONE, NULL) == 0)
		return 0;
	if (ok)
		rest.n -= SUFFIX.n;
	while (ok && str_split(&rest, '/', &part)) {
		size_t mark = str_rfind(part, HASH_MARK);
		bool more = str_ends(part, MORE_MARK);

		if (!glued)
			buf_byte(&b, '/');
		glued = more;
		if (more)
			part.n -= MORE_MARK.n;
		else if (mark != STR_NPOS && mark + HASH_MARK.n + HASH_DIGITS == part.n)
			part.n = mark;
		ok = decode(&b, part);
	}
	ok = ok && !address_of(a, buf_str(&b), STR_NONE, NULL);
	if (ok) {
		address_path(&again, a);
		ok = str_eq(buf_str(&again), path);
	}
	buf_release(&b);
	buf_release(&again);
	if (ok)
		return 0;
	address_release(a);
	return err_set(e, HF_EFORMAT, "%.*s: no file of a record", STR_ARG(path));
}
