/*
 * What a session took over and did not finish must not end with it: items of Next that its
 * own document knows nothing of go on in it. (Lineage and stated hazards: keep.) An item
 * counts as known when one line of the own document's Done or Next holds most of its words;
 * a word is a run of letters and digits of four bytes or more, in any script.
 */
#include "work/lifecycle_parts.h"

#define CARRY_MAX  10 /* items of one document */
#define WORDS_MAX  32 /* words of an item that are looked for */
#define WORD_BYTES 4
#define MOST       0.7
#define FROM       " (carried from "

static bool word_byte(char c)
{
	return str_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool next_word(str *rest, str *word)
{
	while (rest->n) {
		size_t n = 0;

		while (n < rest->n && !word_byte(rest->p[n]))
			n++;
		*rest = str_from(*rest, n);
		n = 0;
		while (n < rest->n && word_byte(rest->p[n]))
			n++;
		*word = str_head(*rest, n);
		*rest = str_from(*rest, n);
		if (n >= WORD_BYTES)
			return true;
	}
	return false;
}

/* The share of the item's words that stand in line. */
static double share(str item, str line)
{
	size_t all = 0, met = 0;
	str word;

	while (all < WORDS_MAX && next_word(&item, &word)) {
		all++;
		met += str_ifind(line, word) != STR_NPOS;
	}
	return all ? (double)met / (double)all : 0;
}

static bool is_known(str item, str section)
{
	str line;

	while (str_line(&section, &line))
		if (str_find(line, item) != STR_NPOS || share(item, line) >= MOST)
			return true;
	return false;
}

/* The text of a list item ("3. x", "- x", "* x"), without a task box; false for other lines. */
static bool list_item(str line, str *item)
{
	size_t i = 0;

	while (i < line.n && str_is_digit(line.p[i]))
		i++;
	if (i && i + 1 < line.n && line.p[i] == '.' && line.p[i + 1] == ' ')
		i += 2;
	else if (!i && line.n > 2 && (line.p[0] == '-' || line.p[0] == '*') &&
		 line.p[1] == ' ')
		i = 2;
	else
		return false;
	*item = str_trim(str_from(line, i));
	if (str_istarts(*item, STR("[x] ")))
		return false;
	if (str_starts(*item, STR("[ ] ")))
		*item = str_trim(str_from(*item, 4));
	return item->n > 0;
}

static size_t count_items(str section)
{
	size_t n = 0;
	str line, item;

	while (str_line(&section, &line))
		n += list_item(line, &item);
	return n;
}

static void next_items(const struct handoff_doc *own, const struct handoff_doc *from,
		       str from_name, struct buf *out)
{
	size_t number = count_items(own->next), carried = 0;
	str rest = from->next, line, item;

	while (carried < CARRY_MAX && str_line(&rest, &line)) {
		if (!list_item(line, &item) || is_known(item, own->done) ||
		    is_known(item, own->next))
			continue;
		buf_printf(out, "%zu. %.*s", ++number, STR_ARG(item));
		if (str_find(item, STR(FROM)) == STR_NPOS)
			buf_printf(out, FROM "%.*s)", STR_ARG(from_name));
		buf_byte(out, '\n');
		carried++;
	}
}

bool lifecycle_carry(struct buf *out, str own, str from, str from_name)
{
	struct buf items = BUF_INIT(HANDOFF_DOC_MAX);
	struct handoff_doc a, b;
	str kept;
	size_t end;

	if (handoff_read(&a, own, NULL) || handoff_read(&b, from, NULL) ||
	    str_eq(a.kind, STR("manual")))
		return false;
	next_items(&a, &b, from_name, &items);
	if (!items.n || items.full || !a.next.p) {
		buf_release(&items);
		return false;
	}
	kept = str_trim_right(a.next);
	end = (size_t)(kept.p - own.p) + kept.n;
	buf_add(out, str_head(own, end));
	buf_byte(out, '\n');
	buf_add(out, str_trim_right(buf_str(&items)));
	buf_add(out, str_from(own, end));
	buf_release(&items);
	return !out->full;
}
