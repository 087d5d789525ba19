#include "work/title.h"

#include "base/utf8.h"
#include "work/docwords.h"
#include "work/prose.h"
#include "work/redact.h"

/* First heading of a markdown text, or none. */
static str heading(str text)
{
	str line;

	while (str_line(&text, &line)) {
		size_t n = 0;

		while (n < line.n && line.p[n] == '#')
			n++;
		if (n && n < line.n && line.p[n] == ' ')
			return str_trim(str_from(line, n));
	}
	return STR_NONE;
}

enum title_rank title_of_prompt(str text, str *words)
{
	str head = str_istarts(text, STR("Implement the following plan")) ? heading(text)
									  : STR_NONE;

	*words = head.n ? head : text;
	if (!text.n)
		return TITLE_NONE;
	if (prose_is_filler(text) || docwords_goes_on(text) || docwords_picks(text) ||
	    docwords_is_markup(text) ||
	    (text.p[0] == '/' && docwords_is_client_command(text)))
		return TITLE_WEAK;
	return TITLE_PROMPT;
}

/* "/clear" and kin say nothing; "# words" is a note for the client's memory. */
static enum title_rank of_command(str text, str *words)
{
	if (text.p[0] != '/' || docwords_is_client_command(text))
		return TITLE_NONE;
	*words = text;
	return TITLE_PROMPT;
}

static enum title_rank of_key(const struct record *r, const char *key,
			      enum title_rank rank, str *words)
{
	str s = str_trim(val_get_str(r->root, key));

	if (!s.n)
		return TITLE_NONE;
	*words = s;
	return rank;
}

enum title_rank title_of(const struct record *r, struct arena *a, str *words)
{
	enum title_rank rank;
	enum record_says says;
	str text = STR_NONE;

	*words = STR_NONE;
	if (r->type == RECORD_TITLE) {
		rank = of_key(r, "customTitle", TITLE_CUSTOM, words);
		return rank ? rank : of_key(r, "aiTitle", TITLE_AI, words);
	}
	if (r->type == RECORD_SUMMARY)
		return of_key(r, "summary", TITLE_SUMMARY, words);
	if (r->sidechain || r->duplicate)
		return TITLE_NONE;
	says = record_says(r, a, &text);
	text = str_trim(text);
	if (!text.n)
		return TITLE_NONE;
	if (says == SAYS_PROMPT)
		return title_of_prompt(text, words);
	return says == SAYS_COMMAND ? of_command(text, words) : TITLE_NONE;
}

bool title_beats(enum title_rank rank, enum title_rank known)
{
	return rank > known || (rank == known && rank >= TITLE_SUMMARY);
}

void title_show(struct buf *out, str words, size_t chars)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	size_t at = 0, word = 0, n = 0, len;
	uint32_t cp;

	redact_show(&b, words, true);
	while (n < chars && (len = utf8_next(str_from(buf_str(&b), at), &cp)) > 0) {
		if (cp == ' ')
			word = at;
		at += len;
		n++;
	}
	if (at < b.n) {
		if (b.p[at] == ' ')
			word = at;
		/* at a word's border, unless that loses most of it */
		buf_cut(&b, word > at / 2 ? word : at);
		buf_add(&b, STR("…"));
	}
	buf_add(out, buf_str(&b));
	buf_release(&b);
}
