#include "work/doc.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "work/prose.h"

#define TEXT_MAX     (256u << 10)
#define TMP_BYTES    (4u << 20)
#define EVIDENCE_MAX 8 /* record numbers named behind a line */

static const char *const headings[DOC_SECTIONS] = {
	"Goal",        "Done",        "Next",          "Hazards (never filtered)",
	"Key Context", "Environment", "Files to Read", "Verify Before Continuing",
	"Known Gaps",
};

const char *doc_heading(enum doc_section s)
{
	return headings[s];
}

void doc_init(struct doc *d, const struct facts *f)
{
	*d = (struct doc){.f = f};
	arena_init(&d->a, DOC_BYTES);
	arena_init(&d->tmp, TMP_BYTES);
	d->text = BUF_INIT(TEXT_MAX);
	d->scratch = BUF_INIT(TEXT_MAX);
}

void doc_release(struct doc *d)
{
	arena_release(&d->a);
	arena_release(&d->tmp);
	buf_release(&d->text);
	buf_release(&d->scratch);
	free(d->token);
	free(d->word);
	d->token = NULL;
	d->word = NULL;
}

struct doc_line *doc_line(struct doc *d, enum doc_section s, enum doc_block b,
			  double order, const char *prefix)
{
	struct doc_line *l = arena_new(&d->a, struct doc_line, 1);

	if (!l) {
		d->full = true;
		d->sink_line = (struct doc_line){.sep = " "};
		return &d->sink_line;
	}
	l->section = s;
	l->block = b;
	l->order = order;
	l->prefix = str_of(prefix);
	l->sep = " ";
	l->seq = (uint32_t)d->nlines++;
	if (d->last)
		d->last->next = l;
	else
		d->first = l;
	d->last = l;
	return l;
}

struct buf *doc_text(struct doc *d)
{
	buf_reset(&d->text);
	return &d->text;
}

bool doc_worth(str s)
{
	size_t i, run = 0;

	for (i = 0; i < s.n; i++) {
		bool word = str_is_alnum(s.p[i]) || (s.p[i] & 0x80) != 0;

		/* the ellipsis and other marks outside ASCII are no word */
		if (word && i + 2 < s.n && (unsigned char)s.p[i] == 0xe2) {
			i += 2;
			run = 0;
			continue;
		}
		/* "x.c" is a name, though no two letters stand together */
		if (!word && run && (s.p[i] == '.' || s.p[i] == '_') && i + 1 < s.n &&
		    str_is_alnum(s.p[i + 1]))
			continue;
		run = word ? run + 1 : 0;
		if (run == 2)
			return true;
	}
	return false;
}

bool doc_is_row(str s)
{
	size_t i, bars = 0;
	bool tick = false;

	for (i = 0; i + 2 < s.n; i++) {
		if (s.p[i] == '`')
			tick = !tick;
		bars += !tick && s.p[i] == ' ' && s.p[i + 1] == '|' && s.p[i + 2] == ' ';
	}
	return bars > 0;
}

str doc_unmarked(str s)
{
	for (;;) {
		str t = str_trim(s);

		if (t.n > 1 && t.p[0] == '#' && (t.p[1] == '#' || t.p[1] == ' '))
			t = str_from(t, 1);
		else if (t.n > 1 && str_chr(STR("-*>"), t.p[0]) != STR_NPOS &&
			 t.p[1] == ' ')
			t = str_from(t, 2);
		else if (str_starts(t, STR("\xe2\x80\xa2 ")))
			t = str_from(t, 4);
		if (t.n == s.n)
			return t;
		s = t;
	}
}

struct doc_unit *doc_add(struct doc *d, struct doc_line *l, double value, uint64_t record)
{
	struct doc_unit *u;
	str text = str_trim(buf_str(&d->text));

	d->sink_unit = (struct doc_unit){.line = &d->sink_line};
	if (d->text.full || l == &d->sink_line || !doc_worth(text))
		return &d->sink_unit;
	u = arena_new(&d->a, struct doc_unit, 1);
	text = arena_str(&d->a, text);
	if (!u || !text.p) {
		d->full = true;
		return &d->sink_unit;
	}
	u->line = l;
	u->text = text;
	u->value = value;
	u->record = record;
	u->seq = (uint32_t)d->nunits++;
	u->cost = doc_cost(text) + (uint32_t)strlen(l->sep);
	if (l->last)
		l->last->next = u;
	else
		l->first = u;
	l->last = u;
	return u;
}

struct doc_unit *doc_must(struct doc *d, struct doc_line *l, double value,
			  uint64_t record)
{
	struct doc_unit *u = doc_add(d, l, value, record);

	u->must = true;
	return u;
}

static void keep(struct doc *d, str *to)
{
	str s = arena_str(&d->a, buf_str(&d->text));

	if (s.p)
		*to = s;
	else
		d->full = true;
}

void doc_set_prefix(struct doc *d, struct doc_line *l)
{
	keep(d, &l->prefix);
}

void doc_set_suffix(struct doc *d, struct doc_line *l)
{
	keep(d, &l->suffix);
}

void doc_prune(struct doc *d)
{
	struct doc_line **at = &d->first, *l;

	d->last = NULL;
	while ((l = *at)) {
		if (l->first) {
			d->last = l;
			at = &l->next;
		} else {
			*at = l->next;
		}
	}
}

/* ---- text ---- */

/* A comment mark inside a text must not look like our evidence, nor hide what follows. */
static void defuse(struct buf *b, str s)
{
	size_t k;

	while ((k = str_find(s, STR("<!--"))) != STR_NPOS) {
		buf_add(b, str_head(s, k));
		buf_add(b, STR("<! --"));
		s = str_from(s, k + 4);
	}
	buf_add(b, s);
}

void doc_say(struct doc *d, struct buf *b, str s, size_t max)
{
	struct buf *t = &d->scratch;

	buf_reset(t);
	utf8_show(t, s, UTF8_ONELINE);
	if (max && t->n > max) {
		struct buf cut = BUF_INIT(TEXT_MAX);

		prose_cut(&cut, buf_str(t), max);
		defuse(b, buf_str(&cut));
		buf_release(&cut);
		return;
	}
	defuse(b, buf_str(t));
}

void doc_say_plain(struct doc *d, struct buf *b, str s, size_t max)
{
	struct buf t = BUF_INIT(TEXT_MAX);
	size_t k;

	while ((k = str_find(s, STR("**"))) != STR_NPOS) {
		buf_add(&t, str_head(s, k));
		s = str_from(s, k + 2);
	}
	buf_add(&t, s);
	doc_say(d, b, buf_str(&t), max);
	buf_release(&t);
}

void doc_quote_plain(struct doc *d, struct buf *b, str s, size_t max)
{
	buf_byte(b, '"');
	doc_say_plain(d, b, doc_unmarked(s), max);
	buf_byte(b, '"');
}

void doc_quote(struct doc *d, struct buf *b, str s, size_t max)
{
	buf_byte(b, '"');
	doc_say(d, b, s, max);
	buf_byte(b, '"');
}

/* A code span needs a fence longer than any run of backticks in it. */
static size_t fence_for(str s)
{
	size_t longest = 0, here = 0, i;

	for (i = 0; i < s.n; i++) {
		here = s.p[i] == '`' ? here + 1 : 0;
		if (here > longest)
			longest = here;
	}
	return longest + 1;
}

void doc_code(struct doc *d, struct buf *b, str s, size_t max)
{
	struct buf t = BUF_INIT(TEXT_MAX);
	size_t fence;

	doc_say(d, &t, s, max);
	fence = fence_for(buf_str(&t));
	buf_fill(b, '`', fence);
	if (fence > 1)
		buf_byte(b, ' ');
	buf_add(b, buf_str(&t));
	if (fence > 1)
		buf_byte(b, ' ');
	buf_fill(b, '`', fence);
	buf_release(&t);
}

void doc_command(struct doc *d, struct buf *b, str command, size_t max)
{
	struct buf t = BUF_INIT(TEXT_MAX);

	prose_command_short(&t, command, max);
	doc_code(d, b, buf_str(&t), 0);
	buf_release(&t);
}

void doc_path(struct doc *d, struct buf *b, str path)
{
	struct buf rel = BUF_INIT(TEXT_MAX);

	extract_relative(d->f, path, &rel);
	doc_code(d, b, buf_str(&rel), 0);
	buf_release(&rel);
}

void doc_time(const struct doc *d, struct buf *b, int64_t at)
{
	char iso[CLOCK_ISO_BYTES], end[CLOCK_ISO_BYTES];

	if (at == CLOCK_NONE) {
		buf_add(b, STR("an unknown time"));
		return;
	}
	clock_iso_s(iso, at);
	clock_iso_s(end, d->f->last_at == CLOCK_NONE ? at : d->f->last_at);
	if (memcmp(iso, end, 10) != 0) {
		buf_add(b, str_head(str_of(iso), 10));
		buf_byte(b, ' ');
	}
	buf_add(b, str_head(str_from(str_of(iso), 11), 8));
}

str doc_keep(struct doc *d, str s)
{
	buf_reset(&d->scratch);
	utf8_show(&d->scratch, s, UTF8_ONELINE);
	return arena_str(&d->a, buf_str(&d->scratch));
}

double doc_age(const struct doc *d, uint64_t record)
{
	return d->f->records ? (double)record / (double)d->f->records : 0;
}

double doc_weight(const struct doc *d, str ident)
{
	size_t lo = 0, hi = d->f->nident;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = str_cmp(d->f->ident[mid].text, ident);

		if (c == 0)
			return (double)d->f->ident[mid].weight;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/* Scripts that the token estimate counts by character (ledger.h): from the CJK radicals up to the wide forms, and the planes beyond the first. */
static bool is_wide(uint32_t cp)
{
	return (cp >= 0x1100 && cp <= 0x11ff) || (cp >= 0x2e80 && cp <= 0xd7ff) ||
	       (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0xfe30 && cp <= 0xffef) ||
	       cp >= 0x10000;
}

uint32_t doc_cost(str s)
{
	size_t i = 0, sum = 0;
	uint32_t cp;

	while (i < s.n) {
		size_t n;

		if (!(s.p[i] & 0x80)) {
			sum++;
			i++;
			continue;
		}
		n = utf8_next(str_from(s, i), &cp);
		sum += n && is_wide(cp) ? 4 : n ? n : 1;
		i += n ? n : 1;
	}
	return (uint32_t)sum;
}

/* ---- focus ---- */

static const char *const stop_words[] = {
	"on",    "of",    "to",   "in",      "is",     "it",    "at",   "by",
	"we",    "do",    "my",   "or",      "as",     "be",    "an",   "if",
	"the",   "and",   "for",  "with",    "that",   "this",  "from", "into",
	"focus", "only",  "just", "about",   "what",   "which", "are",  "was",
	"has",   "have",  "not",  "but",     "all",    "any",   "its",  "keep",
	"need",  "needs", "work", "working", "please", NULL,
};

static bool is_stop(str w)
{
	size_t i;

	for (i = 0; stop_words[i]; i++)
		if (str_ieq(w, str_of(stop_words[i])))
			return true;
	return false;
}

static bool is_word_byte(char c)
{
	return str_is_alnum(c) || (c & 0x80) != 0;
}

/* "migrations" and "migrating" share "migrat". */
static str stem(str w)
{
	static const char *const ends[] = {"ations", "ation", "ings", "ing", "ies", "ed",
					   "es",     "s",     "y",    "e",   NULL};
	size_t i;

	for (i = 0; ends[i]; i++) {
		str e = str_of(ends[i]);

		if (w.n >= e.n + 4 && str_ieq(str_from(w, w.n - e.n), e))
			return str_head(w, w.n - e.n);
	}
	return w;
}

void doc_set_focus(struct doc *d, str focus)
{
	str kept = doc_keep(d, focus);
	size_t i = 0, max = kept.n / 2 + 1;

	d->focus = arena_new(&d->a, str, max);
	d->nfocus = 0;
	if (!d->focus)
		return;
	while (i < kept.n) {
		size_t from = i;
		str w;

		while (i < kept.n && is_word_byte(kept.p[i]))
			i++;
		w = (str){kept.p + from, i - from};
		if (w.n >= 2 && !is_stop(w) && d->nfocus < max)
			d->focus[d->nfocus++] = stem(w);
		while (i < kept.n && !is_word_byte(kept.p[i]))
			i++;
	}
}

/* Short stems match whole words only: "ui" is not in "build". */
static bool holds(str s, str stem_)
{
	size_t from = 0, k;

	while ((k = str_ifind(str_from(s, from), stem_)) != STR_NPOS) {
		size_t at = from + k, end = at + stem_.n;

		if (stem_.n >= 4)
			return true;
		if ((at == 0 || !is_word_byte(s.p[at - 1])) &&
		    (end == s.n || !is_word_byte(s.p[end])))
			return true;
		from = at + 1;
	}
	return false;
}

static bool touches(const struct doc *d, str s)
{
	size_t i;

	for (i = 0; i < d->nfocus; i++)
		if (holds(s, d->focus[i]))
			return true;
	return false;
}

static bool line_touches(const struct doc *d, const struct doc_line *l)
{
	const struct doc_unit *u;

	if (touches(d, l->prefix) || touches(d, l->suffix))
		return true;
	for (u = l->first; u; u = u->next)
		if (touches(d, u->text))
			return true;
	return false;
}

#define FOCUS_LOWERED 0.3
#define FOCUS_RAISED  2

static void leave_out(struct doc *d, struct doc_line *l)
{
	struct doc_unit *u;

	for (u = l->first; u; u = u->next) {
		u->out = true;
		u->must = false;
	}
	d->left_by_focus++;
}

/* Of a list (files, todos) only the entries that touch the focus stay. */
static void filter_entries(struct doc *d, struct doc_line *l)
{
	struct doc_unit *u;

	for (u = l->first; u; u = u->next) {
		if (touches(d, u->text))
			continue;
		u->out = true;
		u->must = false;
		d->left_by_focus++;
	}
}

static void filter_line(struct doc *d, struct doc_line *l)
{
	bool yes = line_touches(d, l);
	struct doc_unit *u;

	for (u = l->first; u; u = u->next)
		u->value *= yes ? FOCUS_RAISED : FOCUS_LOWERED;
	switch (l->section) {
	case DOC_FILES:
		filter_entries(d, l);
		break;
	case DOC_DONE:
		if (!l->lead && !l->quote)
			filter_entries(d, l);
		else if (!yes)
			leave_out(d, l);
		break;
	case DOC_NEXT:
		/* a call that may have run half matters whatever comes next, and so do the last words */
		if (!yes && !l->quote && l->order >= 1)
			leave_out(d, l);
		break;
	default: /* Key Context in part: the user's words, answers and errors stay, lower */
		if (!yes && (l->block == DOC_B_SENT || l->block == DOC_B_THOUGHT ||
			     l->block == DOC_B_SUMMARY))
			leave_out(d, l);
	}
}

void doc_focus(struct doc *d)
{
	struct doc_line *l;

	if (!d->nfocus)
		return;
	for (l = d->first; l; l = l->next)
		if (l->section == DOC_DONE || l->section == DOC_NEXT ||
		    l->section == DOC_FILES || l->section == DOC_CONTEXT)
			filter_line(d, l);
}

/* ---- printing ---- */

static int by_order(const void *x, const void *y)
{
	const struct doc_line *a = *(struct doc_line *const *)x,
			      *b = *(struct doc_line *const *)y;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void print_units(const struct doc_line *l, struct buf *out)
{
	const struct doc_unit *u;
	size_t told = 0, bytes = 0;
	bool gap = false;

	for (u = l->first; u; u = u->next) {
		if (!u->in) {
			gap = true;
			continue;
		}
		gap = gap || u->hole;
		bytes += u->text.n;
		if (told && l->quote && bytes > DOC_LINE_BYTES) {
			buf_add(out, gap ? STR(" \xe2\x80\xa6\"\n- and: \"")
					 : STR("\"\n- and: \""));
			bytes = u->text.n;
		} else if (told && gap && l->quote)
			buf_add(out, STR(" \xe2\x80\xa6 "));
		else if (told)
			buf_add(out, str_of(told == 1 && l->lead ? l->lead : l->sep));
		buf_add(out, u->text);
		told++;
		gap = false;
	}
	if ((gap || l->goes_on) && l->quote && told &&
	    !str_ends(buf_str(out), STR("\xe2\x80\xa6")))
		buf_add(out, STR(" \xe2\x80\xa6"));
}

static int by_number(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

static void print_evidence(const struct doc_line *l, struct buf *out)
{
	uint64_t rec[64];
	size_t n = 0, i, told = 0;
	const struct doc_unit *u;

	for (u = l->first; u && n < 64; u = u->next)
		if (u->in && u->record)
			rec[n++] = u->record;
	if (!n)
		return;
	qsort(rec, n, sizeof(rec[0]), by_number);
	for (i = 0; i < n && told < EVIDENCE_MAX; i++) {
		if (i && rec[i] == rec[i - 1])
			continue;
		buf_add(out, told++ ? STR(",") : STR(" <!-- "));
		buf_u64(out, rec[i]);
	}
	buf_add(out, STR(" -->"));
}

size_t doc_print(struct doc *d, enum doc_section s, bool evidence, struct buf *out)
{
	struct doc_line **lines, *l;
	size_t n = 0, i, number = 0;
	str group = STR_NONE;

	lines = malloc((d->nlines + 1) * sizeof(struct doc_line *));
	if (!lines)
		return 0;
	for (l = d->first; l; l = l->next)
		if (l->section == s && l->nin)
			lines[n++] = l;
	qsort(lines, n, sizeof(lines[0]), by_order);
	for (i = 0; i < n; i++) {
		l = lines[i];
		if (l->group.n && !str_eq(l->group, group)) {
			buf_add(out, l->group);
			buf_byte(out, '\n');
		}
		group = l->group;
		if (l->numbered)
			buf_printf(out, "%zu. ", ++number);
		buf_add(out, l->prefix);
		if (l->quote)
			buf_byte(out, '"');
		print_units(l, out);
		if (l->quote)
			buf_byte(out, '"');
		buf_add(out, l->suffix);
		if (evidence)
			print_evidence(l, out);
		buf_byte(out, '\n');
	}
	free(lines);
	return n;
}
