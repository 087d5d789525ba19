/*
 * The last words that no record holds. The client writes records with a delay, so one that
 * dies soon after a turn leaves a transcript that ends before the turn's last message; the
 * Stop hook was given it. With it the turn is over: its calls had ended, whatever they gave.
 */
#include "work/handoff_impl.h"

#define LETTERS_MAX 120 /* of a text's begin are compared */

/* Letters, digits and what is not ASCII of the first bytes. */
static str letters(str s, char room[LETTERS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < LETTERS_MAX; i++)
		if (str_is_alnum(s.p[i]) || (s.p[i] & 0x80))
			room[n++] = str_lower(s.p[i]);
	return (str){room, n};
}

/* One begins like the other, marks and blanks aside. */
static bool begins_alike(str a, str b)
{
	char one[LETTERS_MAX], other[LETTERS_MAX];
	str x = letters(a, one), y = letters(b, other);
	size_t n = x.n < y.n ? x.n : y.n;

	return n > 0 && memcmp(x.p, y.p, n) == 0;
}

bool handoff_unwritten(const struct facts *f, str said, int64_t at)
{
	str rest = said, line;

	if (!str_trim(said).n || at == CLOCK_NONE ||
	    (f->last_at != CLOCK_NONE && f->last_at > at))
		return false;
	if (begins_alike(said, f->last_text))
		return false;
	/* the hook's input may join several texts of one message */
	while (f->last_text.n && str_line(&rest, &line))
		if (begins_alike(line, f->last_text))
			return false;
	return true;
}

void handoff_take_said(const struct handoff_input *in, struct facts *f)
{
	if (!handoff_unwritten(f, in->said, in->said_at))
		return;
	f->hooked = true;
	f->last_text = in->said;
	f->last_text_record = f->records + 1;
	f->last = FACT_LAST_TEXT;
	f->last_at = in->said_at;
	if (!f->nlost) {
		f->lost = f->open;
		f->nlost = f->nopen;
		f->nopen = 0;
	}
}
