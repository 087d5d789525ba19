#include "work/stated.h"

#include <stdlib.h>

#include "base/oom.h"
#include "base/utf8.h"
#include "work/doc.h"
#include "work/docwords.h"
#include "work/prose.h"

#define KEPT_BYTES (2u << 20)
#define TMP_BYTES  (4u << 20)
#define PASTED_BYTES                                                                     \
	800 /* a longer prompt is mostly pasted: only its ends are looked at */
#define ENDS_BYTES 300

bool stated_same(str a, str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.n && !str_is_alnum(a.p[i]) && !(a.p[i] & 0x80))
			i++;
		while (k < b.n && !str_is_alnum(b.p[k]) && !(b.p[k] & 0x80))
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if (str_lower(a.p[i++]) != str_lower(b.p[k++]))
			return false;
	}
}

static void add(struct stated *s, str text, uint64_t record, int strength)
{
	struct buf line = BUF_INIT(KEPT_BYTES);

	utf8_show(&line, text, UTF8_ONELINE);
	text = arena_str(&s->kept, buf_str(&line));
	buf_release(&line);
	for (size_t i = 0; i < s->n; i++) {
		if (!stated_same(s->item[i].text, text))
			continue;
		if (strength > s->item[i].strength)
			s->item[i].strength = strength;
		return;
	}
	if (!text.n)
		return;
	if (s->n == STATED_MAX) {
		memmove(s->item, s->item + 1, (STATED_MAX - 1) * sizeof(s->item[0]));
		s->n--;
	}
	s->item[s->n++] = (struct stated_item){text, record, strength};
}

/* The foot of a web page: "Do not share my personal information" is nobody's order. */
static bool is_web_page(str s)
{
	static const char *const words[] = {
		"Skip to content", "Privacy",  "Terms",   "ookies",
		"Sign in",         "\xc2\xa9", "Contact", "All rights reserved"};
	size_t i, n = 0;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		n += str_find(s, str_of(words[i])) != STR_NPOS;
	return n >= 3;
}

/* Takes in what is stated, passing over the clauses of `plain`; gives back those that state something. */
static uint64_t from_text(struct stated *s, str text, uint64_t record, uint64_t plain)
{
	struct buf whole = BUF_INIT(TMP_BYTES);
	uint64_t found = 0;
	size_t n;

	arena_reset(&s->tmp);
	prose_unwrap(&whole, text);
	n = prose_sentences(&s->tmp, buf_str(&whole), true, s->clause, STATED_MAX);
	for (size_t i = 0; i < n; i++) {
		uint64_t bit = UINT64_C(1) << (i < 63 ? i : 63);
		int strength = plain & bit ? 0 : docwords_constraint(s->clause[i]);

		if (strength > 0 && doc_worth(s->clause[i]) &&
		    !prose_is_torn(s->clause[i])) {
			add(s, doc_unmarked(s->clause[i]), record, strength);
			found |= bit;
		}
	}
	buf_release(&whole);
	return found;
}

static uint64_t from_prompt(struct stated *s, const struct fact_prompt *p)
{
	uint64_t found;
	struct buf typed = BUF_INIT(1u << 20), ends = BUF_INIT(4096);
	str text;

	if (p->plain == UINT64_MAX)
		return 0;
	if ((p->kind != FACT_PROMPT && p->kind != FACT_QUEUED) ||
	    docwords_is_markup(p->text) || is_web_page(p->text))
		return 0;
	docwords_typed(&typed, p->text);
	text = buf_str(&typed);
	if (text.n >= PASTED_BYTES) {
		prose_cut(&ends, text, ENDS_BYTES);
		buf_byte(&ends, '\n');
		prose_tail(&ends, text, ENDS_BYTES);
		text = buf_str(&ends);
	}
	found = from_text(s, text, p->record, p->plain);
	buf_release(&typed);
	buf_release(&ends);
	return found;
}

/* A call was stopped with words: they forbid by where they stand, whatever they are. */
static void from_refusal(struct stated *s, const struct fact_refused *r)
{
	struct buf b = BUF_INIT(4096);

	if (str_eq(r->tool, STR("AskUserQuestion"))) {
		from_text(s, r->words, r->record, 0);
	} else if (doc_worth(r->words)) {
		prose_cut(&b, r->words, ENDS_BYTES);
		add(s, buf_str(&b), r->record, 3);
	}
	buf_release(&b);
}

static struct stated *stated_new(void)
{
	struct stated *s = calloc(1, sizeof(*s));

	if (!s)
		oom();
	arena_init(&s->kept, KEPT_BYTES);
	arena_init(&s->tmp, TMP_BYTES);
	return s;
}

uint64_t stated_plain(const struct fact_prompt *p)
{
	struct stated *s = stated_new();
	uint64_t plain = ~from_prompt(s, p);

	stated_free(s);
	return plain;
}

struct stated *stated_of(const struct facts *f)
{
	struct stated *s = stated_new();

	for (size_t i = 0; i < f->nprompt; i++)
		from_prompt(s, &f->prompt[i]);
	for (size_t i = 0; i < f->nanswer; i++)
		if (f->answer[i].own)
			from_text(s, f->answer[i].answer, f->answer[i].record, 0);
	for (size_t i = 0; i < f->nrefused; i++)
		from_refusal(s, &f->refused[i]);
	return s;
}

void stated_free(struct stated *s)
{
	if (!s)
		return;
	arena_release(&s->kept);
	arena_release(&s->tmp);
	free(s);
}

bool stated_any(const struct facts *f)
{
	struct stated *s = stated_of(f);
	bool any = false;

	for (size_t i = 0; i < s->n && !any; i++)
		any = s->item[i].strength >= STATED_STRONG;
	stated_free(s);
	return any;
}
