#include "work/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "work/hookio.h"

#define TAIL_UNITS 300 /* for the line about the rest */
#define KEEP_BYTES                                                                       \
	((size_t)3 * PAGE_UNITS) /* a UTF-16 unit is at most three bytes of UTF-8 */
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t hashed(uint64_t h, str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * FNV_PRIME;
	return h;
}

/* "1234-0123456789abcdef" */
static bool read_cursor(struct page *p, str s)
{
	str n = str_head(s, str_chr(s, '-')), h = str_from(s, n.n + 1);

	if (!str_u64(n, &p->from) || !p->from || h.n != 16)
		return false;
	for (size_t i = 0; i < h.n; i++) {
		char c = h.p[i];

		if (!str_is_digit(c) && !(c >= 'a' && c <= 'f'))
			return false;
		p->want = p->want << 4 |
			  (unsigned)(str_is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	return true;
}

int page_init(struct page *p, str cursor, struct err *e)
{
	*p = (struct page){.hash = FNV_START, .text = BUF_INIT(KEEP_BYTES + 1)};
	cursor = str_trim(cursor);
	if (cursor.n && !read_cursor(p, cursor))
		return err_set(
			e, HF_EUSAGE,
			"cursor: this is none that was given; leave it out to begin at the beginning");
	return 0;
}

void page_add(struct page *p, str s)
{
	size_t before = 0;

	if (p->seen < p->from) {
		before = s.n < p->from - p->seen ? s.n : (size_t)(p->from - p->seen);
		p->hash = hashed(p->hash, str_head(s, before));
	}
	p->seen += s.n;
	s = str_from(s, before);
	buf_add(&p->text, str_head(s, KEEP_BYTES + 1 - p->text.n));
}

/* What is shown of a text that is too long: whole lines, unless the next line is so long that half of the page would be empty. */
static str shown(str text)
{
	str lines = hookio_fit(text, PAGE_UNITS - TAIL_UNITS);

	return utf8_units16(lines) < PAGE_UNITS / 2
		       ? utf8_head16(text, PAGE_UNITS - TAIL_UNITS)
		       : lines;
}

int page_end(struct page *p, const char *tool, struct buf *out, struct err *e)
{
	str text = buf_str(&p->text);
	uint64_t next;

	if (p->from && (p->seen <= p->from || p->hash != p->want))
		return err_set(
			e, HF_EUSAGE,
			"cursor: what it was given for has changed; leave it out to begin again");
	if (text.n <= KEEP_BYTES && utf8_units16(text) <= PAGE_UNITS) {
		buf_add(out, text);
		return 0;
	}
	text = shown(utf8_head(text, KEEP_BYTES));
	next = p->from + text.n;
	/* the newline that was cut off belongs to this page */
	if (next < p->seen && text.n < p->text.n && p->text.p[text.n] == '\n') {
		text.n++;
		next++;
	}
	buf_add(out, text);
	if (!str_ends(text, STR("\n")))
		buf_byte(out, '\n');
	buf_printf(
		out,
		"-- %" PRIu64 " of %" PRIu64
		" bytes so far. For the rest call %s again with the same arguments and cursor \"%" PRIu64
		"-%016" PRIx64 "\".",
		next, p->seen, tool, next, hashed(p->hash, text));
	return 0;
}

void page_release(struct page *p)
{
	buf_release(&p->text);
}
