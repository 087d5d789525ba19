/* One line of a brief. */
#include "base/utf8.h"
#include "work/brief_parts.h"

#define SHOWN_MAX (1u << 20)

#define DASH     "\xE2\x80\x94"
#define ELLIPSIS " \xE2\x80\xA6"

bool brief_whole(uint32_t cp)
{
	return (cp >= 0x1100 && cp <= 0x11FF) || (cp >= 0x2E80 && cp <= 0x9FFF) ||
	       (cp >= 0xA960 && cp <= 0xA97F) || (cp >= 0xAC00 && cp <= 0xD7FF) ||
	       (cp >= 0xF900 && cp <= 0xFAFF) || (cp >= 0xFF00 && cp <= 0xFFEF) ||
	       (cp >= 0x20000 && cp <= 0x3FFFF);
}

static bool blank(uint32_t cp)
{
	return cp == ' ' || (cp >= 9 && cp <= 13) || (cp >= 0x1C && cp <= 0x1F) ||
	       cp == 0x85 || cp == 0xA0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0x202F || cp == 0x205F || cp == 0x3000;
}

/* Runs of white space of any script become one blank; none at the ends. At most max characters. */
static void collapse(struct buf *b, str text, size_t max)
{
	bool gap = false;
	size_t from = b->n, n;
	uint32_t cp;

	for (; text.n && max; text = str_from(text, n)) {
		for (n = 0;
		     n < text.n && n < max && text.p[n] > ' ' && text.p[n] != 0x7F;)
			n++;
		if (n) { /* a plain word */
			if (gap)
				buf_byte(b, ' ');
			gap = false;
			max -= n;
			buf_add(b, str_head(text, n));
			continue;
		}
		n = utf8_next(text, &cp);
		if (!n) {
			n = 1;
			cp = 0xFFFD;
		}
		if (blank(cp)) {
			gap = b->n > from;
			continue;
		}
		if (gap)
			buf_byte(b, ' ');
		gap = false;
		max--;
		buf_add(b, str_head(text, n));
	}
}

/* Bytes of the first n characters. */
static size_t chars(str s, size_t n)
{
	size_t at = 0, k;
	uint32_t cp;

	for (; n && at < s.n; n--) {
		if ((unsigned char)s.p[at] < 0x80) {
			at++;
			continue;
		}
		k = utf8_next(str_from(s, at), &cp);
		at += k ? k : 1;
	}
	return at;
}

/* Where to cut: behind a full stop, before any other separator, in the second half. */
static size_t cut_at(str head, size_t half)
{
	static const char *const SEPARATOR[] = {". ", "; ", " " DASH " ", ", ", " "};

	for (size_t i = 0; i < sizeof(SEPARATOR) / sizeof(*SEPARATOR); i++) {
		size_t at = str_rfind(head, str_of(SEPARATOR[i]));

		if (at != STR_NPOS && at >= half)
			return i ? at : at + 1;
	}
	return head.n;
}

static str strip(str s)
{
	for (;;) {
		if (str_ends(s, STR(DASH)))
			s.n -= sizeof(DASH) - 1;
		else if (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == ',' ||
				 s.p[s.n - 1] == ';'))
			s.n--;
		else
			return s;
	}
}

void brief_snippet(struct buf *b, str text, size_t max)
{
	struct buf line = BUF_INIT(SHOWN_MAX), shown = BUF_INIT(SHOWN_MAX);
	str head;

	/* what lies far behind the cut does not matter; escape sequences will go */
	collapse(&line, text, max * 4);
	utf8_show(&shown, buf_str(&line), UTF8_ONELINE);
	head = str_head(buf_str(&shown), chars(buf_str(&shown), max));
	if (head.n < shown.n) {
		head = strip(str_head(head, cut_at(head, chars(head, max / 2))));
		buf_add(b, head);
		buf_add(b, STR(ELLIPSIS));
	} else {
		buf_add(b, head);
	}
	buf_release(&line);
	buf_release(&shown);
}
