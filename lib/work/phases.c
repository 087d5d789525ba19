/*
 * Phase 1. Every entry is written as its record is read. What only the end of the file
 * tells (abandoned branches, agents, how it ended) follows the entries, so one pass and a
 * fixed amount of memory are enough.
 *
 * A text is shown by its two ends. Redaction must see more than is shown, or half a key
 * would stay: both ends are read with a margin, and the tail loses what may be the rest of
 * a secret that began before it (mask_tail).
 */
#include "work/phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/phases_impl.h"
#include "work/redact.h"
#include "work/title.h"
#include "work/tree.h"

#define CALLS_MAX       512 /* calls that wait for their result */
#define SUMMARIES_MAX   8
#define COMPACTIONS_MAX 64
#define UNKNOWN_MAX     16 /* unknown record types told by name */
#define MARGIN_BYTES    64 /* read beyond what is shown, for redaction */
#define KEY_WORD_MIN                                                                     \
	40 /* a word this long of base64 letters in a tail may be the rest of a key */
#define DAY_MS         86400000
#define PROGRESS_BYTES (4u << 20)

/* ---- texts ---- */

void phases_page_init(struct page *w, struct out *o, const struct phases_options *opt)
{
	*w = (struct page){
		.o = o, .json = opt->json, .first = true, .day_at = CLOCK_NONE};
	w->ends = opt->ends ? opt->ends : PHASES_ENDS_DEFAULT;
	if (w->ends > PHASES_ENDS_MAX)
		w->ends = PHASES_ENDS_MAX;
	w->head = BUF_INIT(PHASES_TEXT_MAX);
	w->tail = BUF_INIT(PHASES_TEXT_MAX);
	w->line = BUF_INIT(PHASES_TEXT_MAX);
}

void phases_page_release(struct page *w)
{
	buf_release(&w->head);
	buf_release(&w->tail);
	buf_release(&w->line);
}

static size_t end_bytes(size_t ends)
{
	return ends * 2 + MARGIN_BYTES;
}

struct transcript_caps phases_caps(size_t ends)
{
	struct transcript_caps c = TRANSCRIPT_CAPS_INDEX;
	uint32_t n = (uint32_t)end_bytes(ends);

	if (c.text_head < n)
		c.text_head = n;
	c.text_tail = c.result_head = c.result_tail = n;
	if (c.input_head < n)
		c.input_head = n;
	return c;
}

void phases_env(struct buf *b, str s)
{
	struct buf known = BUF_INIT(PHASES_TEXT_MAX);

	/* blocks of keys first: a value replaced inside of one would hide it */
	redact(&known, s);
	redact_file(b, STR(".env"), buf_str(&known));
	buf_release(&known);
}

void phases_clean(struct buf *b, str s, bool oneline, bool env)
{
	struct buf values = BUF_INIT(PHASES_TEXT_MAX);

	buf_reset(b);
	if (!env) {
		redact_show(b, s, oneline);
		return;
	}
	phases_env(&values, s);
	redact_show(b, buf_str(&values), oneline);
	buf_release(&values);
}

#define IS_SPACE 1
#define IS_KEY   2 /* letters of base64 and its URL form */

static const unsigned char LETTER[256] = {
	[' '] = IS_SPACE,       ['\t'] = IS_SPACE,      ['\n'] = IS_SPACE,
	['\r'] = IS_SPACE,      ['\v'] = IS_SPACE,      ['\f'] = IS_SPACE,
	['+'] = IS_KEY,         ['/'] = IS_KEY,         ['='] = IS_KEY,
	['_'] = IS_KEY,         ['-'] = IS_KEY,         ['0' ... '9'] = IS_KEY,
	['A' ... 'Z'] = IS_KEY, ['a' ... 'z'] = IS_KEY,
};

/* A tail without what may be the rest of a secret: its first word, long words of key letters. */
static str mask_tail(str s)
{
	size_t from = 0, i, start, end;
	bool masked = false;

	while (from < s.n && LETTER[(unsigned char)s.p[from]] != IS_SPACE)
		from++;
	for (i = from; i < s.n; i++) {
		/* a long word must hold every KEY_WORD_MIN-th byte: look there first */
		size_t at = i + KEY_WORD_MIN - 1;

		if (at >= s.n)
			break;
		if (LETTER[(unsigned char)s.p[at]] != IS_KEY) {
			i = at;
			continue;
		}
		for (start = at;
		     start > i && LETTER[(unsigned char)s.p[start - 1]] == IS_KEY;)
			start--;
		if (start > i) {
			i = start - 1;
			continue;
		}
		while (at < s.n && LETTER[(unsigned char)s.p[at]] == IS_KEY)
			at++;
		from = at;
		i = at;
		masked = true;
	}
	/* and what follows such a word in the same block, which may end in a shorter line */
	while (masked && from < s.n) {
		for (i = from; i < s.n && LETTER[(unsigned char)s.p[i]] == IS_SPACE;)
			i++;
		for (start = i; i < s.n && LETTER[(unsigned char)s.p[i]] == IS_KEY;)
			i++;
		if (i == start || (i < s.n && LETTER[(unsigned char)s.p[i]] != IS_SPACE))
			break;
		from = i;
	}
	end = s.n > 9 ? str_find(s, STR("-----END ")) : STR_NPOS;
	if (end != STR_NPOS) /* seldom: then the last one */
		end = str_rfind(s, STR("-----END "));
	if (end != STR_NPOS && end + 9 > from) {
		from = end + 9;
		while (from < s.n && s.p[from] != '\n')
			from++;
	}
	return str_from(s, from);
}

static bool is_ascii(str s)
{
	size_t i = 0;
	uint64_t word, high = 0;

	for (; s.n - i >= 8; i += 8) {
		memcpy(&word, s.p + i, 8);
		high |= word;
	}
	for (; i < s.n; i++)
		high |= (unsigned char)s.p[i];
	return !(high & 0x8080808080808080u);
}

/* The first / last n characters of valid UTF-8. */
static str chars_head(str s, size_t n)
{
	size_t i = 0;

	if (s.n <= n)
		return s;
	if (is_ascii(str_head(s, n)))
		return str_head(s, n);
	while (i < s.n && n) {
		i++;
		while (i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80)
			i++;
		n--;
	}
	return str_head(s, i);
}

static str chars_tail(str s, size_t n)
{
	size_t i = s.n;

	if (s.n <= n)
		return s;
	if (is_ascii(str_from(s, s.n - n)))
		return str_from(s, s.n - n);
	while (i && n) {
		i--;
		while (i && ((unsigned char)s.p[i] & 0xc0) == 0x80)
			i--;
		n--;
	}
	return str_from(s, i);
}

/*
 * The first characters of s, redacted, in b: as much of s is looked at as that takes. ASCII
 * needs a byte a character, unless much of it is white space that collapses.
 */
static str head_of(struct page *w, str s, bool env)
{
	size_t few = w->ends + MARGIN_BYTES, max = end_bytes(w->ends);
	str head;

	if (s.n > few && is_ascii(str_head(s, few))) {
		phases_clean(&w->head, str_head(s, few), true, env);
		head = chars_head(buf_str(&w->head), w->ends);
		if (head.n == w->ends)
			return head;
	}
	phases_clean(&w->head, utf8_head(s, max), true, env);
	return chars_head(buf_str(&w->head), w->ends);
}

static str tail_of(struct page *w, str s, bool env)
{
	size_t few = w->ends + MARGIN_BYTES, max = end_bytes(w->ends);
	str tail;

	if (s.n > few && is_ascii(str_from(s, s.n - few))) {
		phases_clean(&w->tail, mask_tail(str_from(s, s.n - few)), true, env);
		tail = chars_tail(buf_str(&w->tail), w->ends);
		if (tail.n == w->ends)
			return tail;
	}
	phases_clean(&w->tail, mask_tail(utf8_tail(s, max)), true, env);
	return chars_tail(buf_str(&w->tail), w->ends);
}

void phases_ends(struct page *w, str text, str text_tail, bool cut, bool env, str *head,
		 str *tail)
{
	size_t max = end_bytes(w->ends);

	*tail = STR_NONE;
	if (!cut && text.n > 2 * max) {
		text_tail = utf8_tail(text, max);
		cut = true;
	}
	if (cut) {
		*head = head_of(w, text, env);
		*tail = tail_of(w, text_tail, env);
		return;
	}
	phases_clean(&w->head, text, true, env);
	*head = buf_str(&w->head);
	if (head->n <= 2 * w->ends)
		return;
	*tail = chars_tail(*head, w->ends);
	*head = chars_head(*head, w->ends);
	if (head->p + head->n >= tail->p) { /* wide characters: it is short after all */
		*head = buf_str(&w->head);
		*tail = STR_NONE;
	}
}

/* ---- pieces of output ---- */

void phases_key(struct buf *b, const char *key)
{
	char last = b->n ? b->p[b->n - 1] : '{';

	if (last != '{' && last != '[')
		buf_byte(b, ',');
	buf_byte(b, '"');
	buf_add(b, str_of(key));
	buf_add(b, STR("\":"));
}

void phases_json_str(struct buf *b, const char *key, str s)
{
	phases_key(b, key);
	json_add_str(b, s);
}

void phases_json_u64(struct buf *b, const char *key, uint64_t n)
{
	phases_key(b, key);
	buf_u64(b, n);
}

void phases_json_bool(struct buf *b, const char *key, bool v)
{
	phases_key(b, key);
	buf_add(b, v ? STR("true") : STR("false"));
}

void phases_json_time(struct buf *b, const char *key, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	phases_key(b, key);
	if (at == CLOCK_NONE) {
		buf_add(b, STR("null"));
		return;
	}
	clock_iso(iso, at);
	buf_byte(b, '"');
	buf_add(b, str_of(iso));
	buf_byte(b, '"');
}

void phases_time(struct page *w, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	if (at == CLOCK_NONE) {
		buf_add(&w->o->b, STR("        "));
		return;
	}
	clock_iso(iso, at);
	if (memcmp(w->day, iso, 10)) {
		memcpy(w->day, iso, 10);
		w->day[10] = 0;
	}
	buf_add(&w->o->b, (str){iso + 11, 8});
}

/* Text: the day, on a line of its own, when the entry is of another one than the last. */
static void day_line(struct page *w, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	if (at == CLOCK_NONE)
		return;
	clock_iso(iso, at);
	if (memcmp(w->day, iso, 10) == 0)
		return;
	memcpy(w->day, iso, 10);
	w->day[10] = 0;
	buf_add(&w->o->b, STR("-- "));
	buf_add(&w->o->b, str_of(w->day));
	buf_byte(&w->o->b, '\n');
}

void phases_size(struct buf *b, uint64_t n)
{
	if (n < 1000)
		buf_printf(b, "%llu B", (unsigned long long)n);
	else if (n < 1000000)
		buf_printf(b, "%llu.%llu kB", (unsigned long long)(n / 1000),
			   (unsigned long long)(n % 1000 / 100));
	else
		buf_printf(b, "%llu.%llu MB", (unsigned long long)(n / 1000000),
			   (unsigned long long)(n % 1000000 / 100000));
}

str phases_session(const char *path)
{
	str name = str_basename(str_of(path));

	if (str_eq(name, STR("-")))
		return STR_NONE;
	if (str_ends(name, STR(".zst")))
		name.n -= 4;
	if (str_ends(name, STR(".jsonl")))
		name.n -= 6;
	return name;
}

bool phases_reads_env(const struct block *b)
{
	str command = val_get_str(b->input, "command"), path, word;

	if (command.n) {
		while (str_word(&command, &word))
			if (redact_is_env_file(word))
				return true;
		return false;
	}
	path = val_get_str(b->input, "file_path");
	if (!path.n)
		path = val_get_str(b->input, "path");
	return path.n && redact_is_env_file(path);
}

int phases_exit(str text)
{
	static const str mark = {"Exit code ", 10};
	size_t n = 0;
	uint64_t code;

	if (str_starts(text, STR("Error: ")))
		text = str_from(text, 7);
	if (!str_starts(text, mark))
		return -1;
	text = str_from(text, mark.n);
	while (n < text.n && str_is_digit(text.p[n]))
		n++;
	return str_u64(str_head(text, n), &code) && code < 256 ? (int)code : -1;
}

void phases_ending(struct page *w, const struct ending *end)
{
	struct buf *b = &w->o->b;
	char iso[CLOCK_ISO_BYTES];

	buf_add(b, STR("ended      "));
	buf_add(b, str_of(end->reason));
	if (end->at != CLOCK_NONE) {
		clock_iso_s(iso, end->at);
		buf_printf(b, ", last activity %s", iso);
	}
	buf_add(b, STR("\n           "));
	buf_add(b, str_of(end->evidence));
	buf_byte(b, '\n');
	for (size_t i = 0; i < end->nopen; i++)
		buf_printf(b, "open       record %llu  %s  %s\n",
			   (unsigned long long)end->open[i].record, end->open[i].name,
			   end->open[i].what);
}

/* ---- entries ---- */

struct waiting {
	uint64_t hash, record;
	char name[48];
	bool env, shell;
};

struct entry {
	const struct record *r;
	const char *kind;
	uint64_t block; /* position in the record */
	str text, tail; /* raw */
	bool cut, env;
	uint64_t size;
	/* calls and results */
	str tool, id;
	const struct val *what; /* the input's gist, raw */
	str file;
	uint64_t of;
	bool result, error, rejected, interrupted, queued;
	int exit; /* -1 unknown */
	uint32_t images, plus, minus;
	str background;
};

struct index {
	struct page w;
	const struct phases_options *opt;
	struct arena a;
	struct tree *tree;
	struct ending_state *ending;
	struct agents *agents;
	struct waiting call[CALLS_MAX];
	size_t calls;
	/* what the head and the end tell */
	struct buf session, cwd, last_cwd, branch, version, title;
	enum title_rank title_rank;
	struct {
		uint64_t leaf;
		struct buf text;
	} summary[SUMMARIES_MAX]; /* the newest ones, the oldest first */
	size_t summaries;
	int64_t first_at, last_at;
	uint64_t prompts, answers, ncalls, failed, thinking;
	struct {
		uint64_t record, before, after;
		char trigger[16];
		bool micro;
	} compaction[COMPACTIONS_MAX];
	uint64_t compactions;
	struct {
		char name[48];
		uint64_t n;
	} unknown[UNKNOWN_MAX];
	size_t unknowns;
};

#define ADD(b, literal) buf_add((b), STR(literal))

/*
 * Small pieces of an entry: written right behind the page's text, and counted in when
 * something else is to be appended.
 */
#define PIECES_BYTES 512

struct pieces {
	char *p; /* in the page, or NULL: nothing is pending */
	size_t n;
	char lost[PIECES_BYTES]; /* where they go when the page is full */
};

static void pieces_flush(struct pieces *s, struct buf *b)
{
	if (s->p && !b->full) {
		b->n += s->n;
		b->p[b->n] = '\0';
	}
	s->p = NULL;
	s->n = 0;
}

/* Room for n more bytes, at most PIECES_BYTES; count them in s->n. */
static inline char *pieces_room(struct pieces *s, struct buf *b, size_t n)
{
	if (!s->p || PIECES_BYTES - s->n < n) {
		pieces_flush(s, b);
		s->p = buf_room(b, PIECES_BYTES);
		if (!s->p)
			s->p = s->lost;
	}
	return s->p + s->n;
}

static inline void piece(struct pieces *s, struct buf *b, const char *p, size_t n)
{
	memcpy(pieces_room(s, b, n), p, n);
	s->n += n;
}
#define PIECE(s, b, literal) piece((s), (b), (literal), sizeof(literal) - 1)

static void piece_u64(struct pieces *s, struct buf *b, uint64_t v)
{
	char *p = pieces_room(s, b, 20);
	size_t n = 1;

	for (uint64_t more = v; more >= 10; more /= 10)
		n++;
	s->n += n;
	do
		p[--n] = (char)('0' + v % 10);
	while (v /= 10);
}

/*
 * A name or id as a JSON string. Most are of plain letters, which need no look for secrets:
 * the ids of the API, and tools without a digit in their name.
 */
static void piece_name(struct page *w, struct pieces *ps, str s)
{
	struct buf *b = &w->o->b;
	bool id = str_starts(s, STR("toolu_")) && s.n <= 40;
	size_t i = 0;

	while (i < s.n && LETTER[(unsigned char)s.p[i]] == IS_KEY &&
	       (id || !str_is_digit(s.p[i])))
		i++;
	if (i == s.n && i <= 64) {
		PIECE(ps, b, "\"");
		piece(ps, b, s.p, s.n);
		PIECE(ps, b, "\"");
		return;
	}
	pieces_flush(ps, b);
	phases_clean(&w->head, s, true, false);
	json_add_str(b, buf_str(&w->head));
}

/* The time of an entry: within a day only the part behind the date is made anew. */
static void piece_time(struct page *w, struct pieces *s, int64_t at)
{
	struct buf *b = &w->o->b;
	char iso[CLOCK_ISO_BYTES];
	unsigned ms;

	if (at == CLOCK_NONE) {
		PIECE(s, b, "\"at\":null");
		return;
	}
	if (w->day_at == CLOCK_NONE || at < w->day_at || at - w->day_at >= DAY_MS) {
		clock_iso(iso, at);
		memcpy(w->day_iso, iso, sizeof(w->day_iso));
		w->day_at = at >= 0 ? at - at % DAY_MS : CLOCK_NONE;
	} else {
		ms = (unsigned)(at - w->day_at);
		memcpy(iso, w->day_iso, 11);
		memcpy(iso + 11, "00:00:00.000Z", 13);
		iso[11] = (char)('0' + ms / 36000000);
		iso[12] = (char)('0' + ms / 3600000 % 10);
		iso[14] = (char)('0' + ms / 600000 % 6);
		iso[15] = (char)('0' + ms / 60000 % 10);
		iso[17] = (char)('0' + ms / 10000 % 6);
		iso[18] = (char)('0' + ms / 1000 % 10);
		iso[20] = (char)('0' + ms / 100 % 10);
		iso[21] = (char)('0' + ms / 10 % 10);
		iso[22] = (char)('0' + ms % 10);
	}
	PIECE(s, b, "\"at\":\"");
	piece(s, b, iso, CLOCK_ISO_BYTES - 1);
	PIECE(s, b, "\"");
}

static void result_json(struct page *w, struct pieces *s, const struct entry *en)
{
	struct buf *b = &w->o->b;

	PIECE(s, b, ",\"of\":");
	if (en->of)
		piece_u64(s, b, en->of);
	else
		PIECE(s, b, "null");
	if (en->error)
		PIECE(s, b, ",\"error\":true");
	else
		PIECE(s, b, ",\"error\":false");
	if (en->exit >= 0) {
		PIECE(s, b, ",\"exit\":");
		piece_u64(s, b, (uint64_t)en->exit);
	}
	if (en->rejected)
		PIECE(s, b, ",\"rejected\":true");
	if (en->interrupted)
		PIECE(s, b, ",\"interrupted\":true");
	if (en->plus || en->minus) {
		PIECE(s, b, ",\"plus\":");
		piece_u64(s, b, en->plus);
		PIECE(s, b, ",\"minus\":");
		piece_u64(s, b, en->minus);
	}
	if (en->background.n) {
		PIECE(s, b, ",\"background\":");
		piece_name(w, s, en->background);
	}
}

static void entry_json(struct page *w, const struct entry *en)
{
	struct buf *b = &w->o->b;
	struct pieces s;
	str head, tail, kind = str_of(en->kind);

	s.p = NULL;
	s.n = 0;
	if (w->first)
		PIECE(&s, b, "\n{\"n\":");
	else
		PIECE(&s, b, ",\n{\"n\":");
	w->first = false;
	piece_u64(&s, b, en->r->n);
	if (en->block) {
		PIECE(&s, b, ",\"block\":");
		piece_u64(&s, b, en->block);
	}
	PIECE(&s, b, ",");
	piece_time(w, &s, en->r->at);
	PIECE(&s, b, ",\"kind\":\"");
	piece(&s, b, kind.p, kind.n);
	PIECE(&s, b, "\"");
	if (en->r->sidechain)
		PIECE(&s, b, ",\"side\":true");
	if (en->queued)
		PIECE(&s, b, ",\"queued\":true");
	if (en->tool.n) {
		PIECE(&s, b, ",\"tool\":");
		piece_name(w, &s, en->tool);
	}
	if (en->id.n) {
		PIECE(&s, b, ",\"id\":");
		piece_name(w, &s, en->id);
	}
	if (en->what) {
		phases_ends(w, en->what->text, en->what->tail, en->what->cut, false,
			    &head, &tail);
		PIECE(&s, b, ",\"what\":");
		pieces_flush(&s, b);
		json_add_str(b, head);
		if (tail.n)
			phases_json_str(b, "what_tail", tail);
	}
	if (en->file.n) {
		phases_clean(&w->head, en->file, true, false);
		PIECE(&s, b, ",\"files\":[");
		pieces_flush(&s, b);
		json_add_str(b, buf_str(&w->head));
		PIECE(&s, b, "]");
	}
	if (en->result)
		result_json(w, &s, en);
	if (en->images) {
		PIECE(&s, b, ",\"images\":");
		piece_u64(&s, b, en->images);
	}
	PIECE(&s, b, ",\"size\":");
	piece_u64(&s, b, en->size);
	if (en->text.n) {
		phases_ends(w, en->text, en->tail, en->cut, en->env, &head, &tail);
		PIECE(&s, b, ",\"head\":");
		pieces_flush(&s, b);
		json_add_str(b, head);
		if (tail.n) {
			ADD(b, ",\"tail\":");
			json_add_str(b, tail);
		}
	}
	PIECE(&s, b, "}");
	pieces_flush(&s, b);
}

static void text_ends(struct page *w, str text, str tail, bool cut, bool env)
{
	struct buf *b = &w->o->b;
	str head, end;

	phases_ends(w, text, tail, cut, env, &head, &end);
	buf_add(b, head);
	if (end.n) {
		buf_add(b, STR(" ... "));
		buf_add(b, end);
	}
}

static void pad(struct buf *b, size_t from, size_t width)
{
	size_t n = b->n - from;

	buf_fill(b, ' ', n < width ? width - n : 1);
}

static void entry_text(struct page *w, const struct entry *en)
{
	struct buf *b = &w->o->b;
	size_t from;

	day_line(w, en->r->at);
	from = b->n;
	buf_printf(b, "%6llu", (unsigned long long)en->r->n);
	buf_add(b, STR("  "));
	phases_time(w, en->r->at);
	buf_add(b, en->r->sidechain ? STR(" >") : STR("  "));
	buf_add(b, str_of(en->kind));
	pad(b, from, 30);
	if (en->result) {
		if (en->of)
			buf_printf(b, "of %llu ", (unsigned long long)en->of);
		if (en->exit > 0)
			buf_printf(b, "exit %d ", en->exit);
		else if (en->error)
			buf_add(b, en->rejected ? STR("refused ") : STR("error "));
		if (en->plus || en->minus)
			buf_printf(b, "+%u -%u ", en->plus, en->minus);
		if (en->background.n) {
			phases_clean(&w->head, en->background, true, false);
			buf_printf(b, "in the background as %.*s ",
				   STR_ARG(buf_str(&w->head)));
		}
	}
	if (en->tool.n) {
		phases_clean(&w->head, en->tool, true, false);
		buf_add(b, buf_str(&w->head));
		buf_byte(b, ' ');
	}
	if (en->what) {
		text_ends(w, en->what->text, en->what->tail, en->what->cut, false);
	} else if (en->text.n || en->size || en->images) {
		buf_byte(b, '(');
		phases_size(b, en->size);
		if (en->images)
			buf_printf(b, ", %u image%s", en->images,
				   en->images > 1 ? "s" : "");
		buf_add(b, STR(") "));
		text_ends(w, en->text, en->tail, en->cut, en->env);
	}
	while (b->n && b->p[b->n - 1] == ' ')
		buf_cut(b, b->n - 1);
	buf_byte(b, '\n');
}

static void entry_write(struct index *x, const struct entry *en)
{
	const struct phases_options *opt = x->opt;

	if ((opt->first && en->r->n < opt->first) || (opt->last && en->r->n > opt->last))
		return;
	if (opt->since != CLOCK_NONE && en->r->at != CLOCK_NONE && en->r->at < opt->since)
		return;
	if (x->w.json)
		entry_json(&x->w, en);
	else
		entry_text(&x->w, en);
	out_step(x->w.o);
}

static void entry_of_text(struct index *x, const struct record *r, const char *kind,
			  str text, uint64_t size)
{
	struct entry en = {.r = r, .kind = kind, .text = text, .exit = -1};

	en.size = size > text.n ? size : text.n;
	entry_write(x, &en);
}

/* ---- records ---- */

static const char *says_kind(enum record_says says)
{
	switch (says) {
	case SAYS_PROMPT:
		return "prompt";
	case SAYS_COMMAND:
		return "command";
	case SAYS_BASH:
		return "bash";
	case SAYS_LOCAL_OUTPUT:
		return "output";
	case SAYS_NOTIFICATION:
		return "notification";
	case SAYS_INTERRUPT:
		return "interrupt";
	case SAYS_SUMMARY:
		return "summary";
	case SAYS_HOOK:
	case SAYS_NOTHING:
		break;
	}
	return "client";
}

static void add_call(struct index *x, const struct record *r, const struct block *b,
		     uint64_t block)
{
	struct waiting *c = &x->call[x->calls++ % CALLS_MAX];
	struct entry en = {.r = r, .kind = "call", .block = block, .exit = -1};
	str name = utf8_head(b->name, sizeof(c->name) - 1);

	c->hash = transcript_hash(b->id);
	c->record = r->n;
	if (name.n)
		memcpy(c->name, name.p, name.n);
	c->name[name.n] = 0;
	c->env = phases_reads_env(b);
	c->shell = val_get(b->input, "command") != NULL;
	en.tool = b->name;
	en.id = b->id;
	en.what = record_gist(b);
	en.size = en.what ? en.what->size : 0;
	en.file = val_get_str(b->input, "file_path");
	if (!en.file.n)
		en.file = val_get_str(b->input, "notebook_path");
	x->ncalls++;
	entry_write(x, &en);
}

static const struct waiting *call_of(const struct index *x, str id)
{
	uint64_t hash = transcript_hash(id);

	for (size_t i = 0; i < CALLS_MAX && i < x->calls; i++) {
		const struct waiting *c = &x->call[(x->calls - 1 - i) % CALLS_MAX];

		if (c->hash == hash)
			return c;
	}
	return NULL;
}

static void add_result(struct index *x, const struct record *r, const struct block *b,
		       uint64_t block)
{
	const struct waiting *c = call_of(x, b->id);
	const struct val *res = r->result;
	struct entry en = {.r = r, .kind = "result", .block = block, .result = true};

	en.text = b->text;
	en.tail = b->tail;
	en.cut = b->cut;
	en.size = b->size;
	en.id = b->id;
	en.error = b->is_error;
	en.images = b->images;
	en.exit = phases_exit(b->text);
	en.rejected = str_starts(b->text, STR("The user doesn't want to"));
	if (c) {
		en.of = c->record;
		en.tool = str_of(c->name);
		en.env = c->env;
		if (c->shell && !b->is_error && en.exit < 0)
			en.exit = 0;
	}
	if (res && res->type == VAL_OBJ) {
		const struct val *patch = val_get(res, "structuredPatch");

		for (patch = patch ? patch->child : NULL; patch; patch = patch->next) {
			const struct val *lines = val_get(patch, "lines");

			en.plus += lines ? lines->plus : 0;
			en.minus += lines ? lines->minus : 0;
		}
		en.interrupted = val_bool(val_get(res, "interrupted"));
		en.background = val_get_str(res, "backgroundTaskId");
	}
	x->failed += b->is_error;
	entry_write(x, &en);
}

static void add_assistant(struct index *x, const struct record *r)
{
	struct block b;
	size_t it = 0;
	uint64_t block = 0;

	for (; record_block(r, &it, &b); block++) {
		struct entry en = {.r = r, .block = block, .exit = -1};

		if (b.kind == BLOCK_TOOL_USE) {
			add_call(x, r, &b, block);
			continue;
		}
		if (b.kind == BLOCK_TOOL_RESULT) {
			add_result(x, r, &b, block);
			continue;
		}
		en.kind = b.kind == BLOCK_TEXT       ? (r->api_error ? "error" : "text")
			  : b.kind == BLOCK_THINKING ? "thinking"
			  : b.kind == BLOCK_IMAGE    ? "image"
						     : "block";
		en.text = b.text;
		en.tail = b.tail;
		en.cut = b.cut;
		en.size = b.size;
		x->answers += b.kind == BLOCK_TEXT && !r->sidechain;
		x->thinking += b.kind == BLOCK_THINKING;
		entry_write(x, &en);
	}
}

static void add_user(struct index *x, const struct record *r)
{
	enum record_says says;
	struct block b;
	size_t it = 0;
	uint64_t block = 0, size = 0, results = 0;
	struct entry en = {.r = r, .exit = -1};

	for (; record_block(r, &it, &b); block++) {
		if (b.kind == BLOCK_TOOL_RESULT) {
			add_result(x, r, &b, block);
			results++;
		}
		en.images += b.kind == BLOCK_IMAGE;
		size += b.size;
	}
	if (results && results == block)
		return;
	arena_reset(&x->a);
	says = record_says(r, &x->a, &en.text);
	if (says == SAYS_NOTHING && r->sidechain) {
		it = 0;
		if (!record_block(r, &it, &b))
			return;
		en.text = b.text;
		en.tail = b.tail;
		en.cut = b.cut;
		says = SAYS_PROMPT; /* the dispatch's */
	}
	if (says == SAYS_NOTHING)
		return;
	x->prompts += says == SAYS_PROMPT && !r->sidechain;
	en.kind = says_kind(says);
	en.size = size > en.text.n ? size : en.text.n;
	entry_write(x, &en);
}

static void add_attachment(struct index *x, const struct record *r)
{
	struct entry en = {.r = r, .exit = -1, .queued = true};
	const struct val *att = val_get(r->root, "attachment");
	str type = val_get_str(att, "type");
	enum record_says says;

	if (str_eq(type, STR("queued_command"))) {
		arena_reset(&x->a);
		says = record_says(r, &x->a, &en.text);
		if (says == SAYS_NOTHING)
			return;
		x->prompts += says == SAYS_PROMPT;
		en.kind = says_kind(says);
	} else if (str_eq(type, STR("hook_blocking_error")) ||
		   str_eq(type, STR("hook_non_blocking_error"))) {
		const struct val *text = val_get(att, "stderr");

		if (!text)
			text = val_get(att, "blockingError");
		en.kind = "hook";
		en.queued = false;
		en.text = val_str(text);
		if (!en.text.n)
			en.text = type;
	} else {
		return;
	}
	en.size = en.text.n;
	entry_write(x, &en);
}

static void add_system(struct index *x, const struct record *r)
{
	bool micro = str_eq(r->subtype, STR("microcompact_boundary"));
	str text = r->content ? val_str(r->content) : STR_NONE;

	if (r->compact_boundary || micro) {
		const struct val *meta = val_get(r->root, micro ? "microcompactMetadata"
								: "compactMetadata");
		str trigger = utf8_head(val_get_str(meta, "trigger"), 15);

		if (x->compactions < COMPACTIONS_MAX) {
			size_t i = (size_t)x->compactions;

			x->compaction[i].record = r->n;
			x->compaction[i].micro = micro;
			x->compaction[i].before =
				(uint64_t)val_int(val_get(meta, "preTokens"), 0);
			x->compaction[i].after =
				(uint64_t)val_int(val_get(meta, "postTokens"), 0);
			if (trigger.n)
				memcpy(x->compaction[i].trigger, trigger.p, trigger.n);
		}
		x->compactions++;
		entry_of_text(x, r, "compaction", text, 0);
	} else if (str_eq(r->subtype, STR("api_error"))) {
		str why = val_str(val_at(r->root, "error.error.error.message"));

		if (!why.n)
			why = val_str(val_at(r->root, "error.message"));
		entry_of_text(x, r, "retry", why, 0);
	} else if (str_eq(r->subtype, STR("local_command"))) {
		enum record_says says;
		str what;

		arena_reset(&x->a);
		says = record_says(r, &x->a, &what);
		if (says != SAYS_NOTHING)
			entry_of_text(x, r, says_kind(says), what, r->content->size);
	} else if (str_eq(r->subtype, STR("away_summary"))) {
		entry_of_text(x, r, "recap", text, 0);
	} else if (str_eq(r->subtype, STR("informational"))) {
		entry_of_text(x, r, "client", text, 0);
	}
}

static void keep(struct buf *to, str s)
{
	if (!s.n || str_eq(buf_str(to), s))
		return;
	buf_reset(to);
	buf_add(to, s);
}

static void keep_first(struct buf *to, str s)
{
	if (!to->n)
		buf_add(to, s);
}

static void note_unknown(struct index *x, str type)
{
	type = utf8_head(type.n ? type : STR("(none)"), sizeof(x->unknown[0].name) - 1);
	for (size_t i = 0; i < x->unknowns; i++)
		if (str_eq(str_of(x->unknown[i].name), type)) {
			x->unknown[i].n++;
			return;
		}
	if (x->unknowns == UNKNOWN_MAX)
		return;
	memcpy(x->unknown[x->unknowns].name, type.p, type.n);
	x->unknown[x->unknowns++].n = 1;
}

static void note_title(struct index *x, const struct record *r)
{
	struct arena scratch = x->a;
	enum title_rank rank;
	str words;

	if (r->type == RECORD_SUMMARY)
		return; /* its leaf decides, in the end */
	if (r->type != RECORD_TITLE && x->title_rank >= TITLE_PROMPT)
		return;
	rank = title_of(r, &scratch, &words);
	if (!title_beats(rank, x->title_rank))
		return;
	keep(&x->title, words);
	x->title_rank = rank;
}

static void note_summary(struct index *x, const struct record *r)
{
	size_t i;

	if (x->summaries == SUMMARIES_MAX) {
		struct buf oldest = x->summary[0].text;

		for (i = 1; i < SUMMARIES_MAX; i++)
			x->summary[i - 1] = x->summary[i];
		x->summary[--x->summaries].text = oldest;
	}
	i = x->summaries++;
	x->summary[i].leaf = transcript_hash(val_get_str(r->root, "leafUuid"));
	buf_reset(&x->summary[i].text);
	keep(&x->summary[i].text, val_get_str(r->root, "summary"));
}

/* A summary counts if the record that it is about is in this file; it comes before a prompt. */
static void settle_title(struct index *x)
{
	size_t i;

	for (i = x->summaries; x->title_rank < TITLE_SUMMARY && i-- > 0;)
		if (x->summary[i].text.n && tree_has(x->tree, x->summary[i].leaf)) {
			buf_reset(&x->title);
			buf_add(&x->title, buf_str(&x->summary[i].text));
			return;
		}
}

/* Where and when; and what an index leaves out. */
static void note(struct index *x, const struct record *r)
{
	if (r->at != CLOCK_NONE) {
		if (x->first_at == CLOCK_NONE || r->at < x->first_at)
			x->first_at = r->at;
		if (x->last_at == CLOCK_NONE || r->at > x->last_at)
			x->last_at = r->at;
	}
	note_title(x, r);
	switch (r->type) {
	case RECORD_USER:
	case RECORD_ASSISTANT:
		keep_first(&x->session, r->session);
		keep_first(&x->cwd, r->cwd);
		keep(&x->last_cwd, r->cwd);
		keep(&x->branch, r->branch);
		keep(&x->version, r->version);
		break;
	case RECORD_SUMMARY:
		note_summary(x, r);
		break;
	case RECORD_UNKNOWN:
		note_unknown(x, r->type_name);
		break;
	default:
		break;
	}
}

static void add_record(struct index *x, const struct record *r)
{
	note(x, r);
	tree_add(x->tree, r);
	ending_add(x->ending, r);
	agents_add(x->agents, r);
	if (r->duplicate)
		return;
	switch (r->type) {
	case RECORD_USER:
		add_user(x, r);
		break;
	case RECORD_ASSISTANT:
		add_assistant(x, r);
		break;
	case RECORD_ATTACHMENT:
		add_attachment(x, r);
		break;
	case RECORD_SYSTEM:
		add_system(x, r);
		break;
	case RECORD_QUEUE:
		if (str_eq(val_get_str(r->root, "operation"), STR("enqueue")) &&
		    r->content && !str_starts(val_str(r->content), STR("<")))
			entry_of_text(x, r, "queued", val_str(r->content),
				      r->content->size);
		break;
	default:
		break;
	}
}

static const char *why_words(enum scan_why why)
{
	switch (why) {
	case SCAN_WHY_TORN:
		return "torn";
	case SCAN_WHY_BAD:
		return "malformed";
	case SCAN_WHY_NUL:
		return "nul";
	case SCAN_WHY_VALUE:
		return "no-object";
	case SCAN_WHY_DEEP:
		break;
	}
	return "too-deep";
}

/* ---- the end of the page ---- */

static void end_json(struct index *x, const struct transcript *t,
		     const struct ending *end)
{
	struct page *w = &x->w;
	struct buf *b = &w->o->b;
	uint64_t first, last;

	buf_add(b, STR("\n],\"agents\":["));
	w->first = true;
	for (size_t i = 0; i < x->agents->n; i++)
		phases_agent(w, &x->agents->item[i], false);
	buf_add(b, STR("],\n\"compactions\":["));
	for (size_t i = 0; i < x->compactions && i < COMPACTIONS_MAX; i++) {
		json_add_sep(b);
		buf_byte(b, '{');
		phases_json_u64(b, "n", x->compaction[i].record);
		phases_json_bool(b, "micro", x->compaction[i].micro);
		phases_json_str(b, "trigger", str_of(x->compaction[i].trigger));
		phases_json_u64(b, "tokens_before", x->compaction[i].before);
		phases_json_u64(b, "tokens_after", x->compaction[i].after);
		buf_byte(b, '}');
	}
	buf_add(b, STR("],\n\"abandoned\":["));
	for (size_t i = 0; tree_range(x->tree, i, &first, &last); i++) {
		json_add_sep(b);
		buf_printf(b, "[%llu,%llu]", (unsigned long long)first,
			   (unsigned long long)last);
		out_step(w->o);
	}
	buf_add(b, STR("],\n\"losses\":["));
	for (size_t i = 0; i < t->losses && i < TRANSCRIPT_LOSSES_KEPT; i++) {
		json_add_sep(b);
		buf_byte(b, '{');
		phases_json_u64(b, "line", t->loss[i].line);
		phases_json_u64(b, "offset", t->loss[i].off);
		phases_json_u64(b, "bytes", t->loss[i].len);
		phases_json_str(b, "why", str_of(why_words(t->loss[i].why)));
		buf_byte(b, '}');
	}
	buf_add(b, STR("],\n\"unknown_types\":{"));
	for (size_t i = 0; i < x->unknowns; i++) {
		phases_clean(&w->head, str_of(x->unknown[i].name), true, false);
		if (i)
			buf_byte(b, ',');
		json_add_str(b, buf_str(&w->head));
		buf_byte(b, ':');
		buf_u64(b, x->unknown[i].n);
	}
	buf_add(b, STR("},\n\"counts\":{"));
	phases_json_u64(b, "records", t->records);
	phases_json_u64(b, "prompts", x->prompts);
	phases_json_u64(b, "texts", x->answers);
	phases_json_u64(b, "calls", x->ncalls);
	phases_json_u64(b, "failed", x->failed);
	phases_json_u64(b, "thinking", x->thinking);
	phases_json_u64(b, "duplicates", t->duplicates);
	phases_json_u64(b, "unknown", t->unknown);
	phases_json_u64(b, "foreign", t->foreign);
	phases_json_u64(b, "losses", t->losses);
	phases_json_u64(b, "lost_bytes", t->lost_bytes);
	phases_json_u64(b, "compactions", x->compactions);
	phases_json_u64(b, "branches", x->tree->branches);
	phases_json_u64(b, "phantom_parents", x->tree->phantoms);
	buf_add(b, STR("},\n\"session\":{"));
	phases_clean(&w->head, buf_str(&x->session), true, false);
	phases_json_str(b, "id", buf_str(&w->head));
	buf_reset(&w->head);
	title_show(&w->head, buf_str(&x->title), TITLE_CHARS);
	phases_json_str(b, "title", buf_str(&w->head));
	phases_clean(&w->head, buf_str(&x->cwd), true, false);
	phases_json_str(b, "cwd", buf_str(&w->head));
	phases_clean(&w->head, buf_str(&x->last_cwd), true, false);
	phases_json_str(b, "last_cwd", buf_str(&w->head));
	phases_clean(&w->head, buf_str(&x->branch), true, false);
	phases_json_str(b, "branch", buf_str(&w->head));
	phases_clean(&w->head, buf_str(&x->version), true, false);
	phases_json_str(b, "client", buf_str(&w->head));
	phases_json_time(b, "started", x->first_at);
	phases_json_time(b, "last", x->last_at);
	phases_json_u64(b, "live_leaf", x->tree->leaf);
	buf_add(b, STR("},\n\"ended\":"));
	ending_json(end, b);
	buf_add(b, STR("}\n"));
}

static void label(struct buf *b, const char *name)
{
	size_t from = b->n;

	buf_add(b, str_of(name));
	pad(b, from, 11);
}

static void end_lines(struct index *x, const struct transcript *t)
{
	struct buf *b = &x->w.o->b;
	uint64_t first, last;

	for (size_t i = 0; i < x->compactions && i < COMPACTIONS_MAX; i++) {
		label(b, x->compaction[i].micro ? "trimmed" : "compacted");
		buf_printf(b, "record %llu", (unsigned long long)x->compaction[i].record);
		if (x->compaction[i].trigger[0]) {
			phases_clean(&x->w.head, str_of(x->compaction[i].trigger), true,
				     false);
			buf_printf(b, ", %.*s", STR_ARG(buf_str(&x->w.head)));
		}
		if (x->compaction[i].before)
			buf_printf(b, ", from %llu tokens",
				   (unsigned long long)x->compaction[i].before);
		buf_byte(b, '\n');
	}
	for (size_t i = 0; tree_range(x->tree, i, &first, &last); i++) {
		label(b, "rewound");
		buf_printf(b, "records %llu to %llu were abandoned\n",
			   (unsigned long long)first, (unsigned long long)last);
		out_step(x->w.o);
	}
	for (size_t i = 0; i < t->losses && i < TRANSCRIPT_LOSSES_KEPT; i++) {
		label(b, "lost");
		buf_printf(b, "%llu bytes at offset %llu, line %llu: %s\n",
			   (unsigned long long)t->loss[i].len,
			   (unsigned long long)t->loss[i].off,
			   (unsigned long long)t->loss[i].line,
			   why_words(t->loss[i].why));
	}
	if (t->losses > TRANSCRIPT_LOSSES_KEPT) {
		label(b, "lost");
		buf_printf(b, "and %llu more places, %llu bytes in all\n",
			   (unsigned long long)(t->losses - TRANSCRIPT_LOSSES_KEPT),
			   (unsigned long long)t->lost_bytes);
	}
	if (x->unknowns) {
		label(b, "unknown");
		buf_printf(b, "%llu records:", (unsigned long long)t->unknown);
		for (size_t i = 0; i < x->unknowns; i++) {
			phases_clean(&x->w.head, str_of(x->unknown[i].name), true, false);
			buf_printf(b, " %.*s %llu", STR_ARG(buf_str(&x->w.head)),
				   (unsigned long long)x->unknown[i].n);
		}
		buf_byte(b, '\n');
	}
}

static void end_text(struct index *x, const struct transcript *t,
		     const struct ending *end)
{
	struct page *w = &x->w;
	struct buf *b = &w->o->b;
	char from[CLOCK_ISO_BYTES], to[CLOCK_ISO_BYTES], span[24];

	buf_byte(b, '\n');
	label(b, "session");
	phases_clean(&w->head, buf_str(&x->session), true, false);
	buf_add(b, buf_str(&w->head));
	if (x->title.n) {
		buf_reset(&w->head);
		title_show(&w->head, buf_str(&x->title), TITLE_CHARS);
		buf_printf(b, "  \"%.*s\"", STR_ARG(buf_str(&w->head)));
	}
	buf_byte(b, '\n');
	label(b, "project");
	phases_clean(&w->head, buf_str(&x->cwd), true, false);
	buf_add(b, buf_str(&w->head));
	if (x->branch.n) {
		phases_clean(&w->head, buf_str(&x->branch), true, false);
		buf_printf(b, ", branch %.*s", STR_ARG(buf_str(&w->head)));
	}
	if (x->version.n) {
		phases_clean(&w->head, buf_str(&x->version), true, false);
		buf_printf(b, ", client %.*s", STR_ARG(buf_str(&w->head)));
	}
	buf_byte(b, '\n');
	if (x->first_at != CLOCK_NONE) {
		clock_iso_s(from, x->first_at);
		clock_iso_s(to, x->last_at);
		clock_span(span, x->last_at - x->first_at);
		label(b, "time");
		buf_printf(b, "%s to %s (%s)\n", from, to, span);
	}
	label(b, "records");
	buf_printf(b, "%llu: %llu prompts, %llu texts, %llu calls (%llu failed)",
		   (unsigned long long)t->records, (unsigned long long)x->prompts,
		   (unsigned long long)x->answers, (unsigned long long)x->ncalls,
		   (unsigned long long)x->failed);
	if (t->duplicates)
		buf_printf(b, ", %llu duplicates left out",
			   (unsigned long long)t->duplicates);
	if (t->foreign)
		buf_printf(b, ", %llu of another program",
			   (unsigned long long)t->foreign);
	buf_byte(b, '\n');
	end_lines(x, t);
	for (size_t i = 0; i < x->agents->n; i++)
		phases_agent(w, &x->agents->item[i], false);
	phases_ending(w, end);
}

static struct index *index_new(struct out *out, const struct phases_options *o)
{
	struct index *x = calloc(1, sizeof(*x));

	if (!x)
		log_oom();
	x->opt = o;
	phases_page_init(&x->w, out, o);
	arena_init(&x->a, (size_t)256 << 10);
	x->tree = tree_new();
	x->ending = ending_new();
	x->agents = agents_new();
	x->session = x->cwd = x->last_cwd = x->branch = x->version = BUF_INIT(8192);
	x->title = BUF_INIT(8192);
	for (size_t i = 0; i < SUMMARIES_MAX; i++)
		x->summary[i].text = BUF_INIT(8192);
	x->first_at = x->last_at = CLOCK_NONE;
	return x;
}

static void index_free(struct index *x)
{
	phases_page_release(&x->w);
	arena_release(&x->a);
	tree_free(x->tree);
	ending_free(x->ending);
	agents_free(x->agents);
	buf_release(&x->session);
	buf_release(&x->cwd);
	buf_release(&x->last_cwd);
	buf_release(&x->branch);
	buf_release(&x->version);
	buf_release(&x->title);
	for (size_t i = 0; i < SUMMARIES_MAX; i++)
		buf_release(&x->summary[i].text);
	free(x);
}

int phases_index(struct source *src, const char *path, const struct phases_options *o,
		 struct out *out, struct err *e)
{
	struct index *x = index_new(out, o);
	struct transcript_caps caps = phases_caps(x->w.ends);
	struct transcript *t = transcript_new(src, 0, &caps);
	const struct record *r;
	struct ending_facts facts;
	struct ending *end;
	enum transcript_got got;
	uint64_t told = 0;
	int ret = 0;

	if (x->w.json)
		buf_add(&out->b, STR("{\"format\":1,\"entries\":["));
	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS && !out_failed(out)) {
		if (got == TRANSCRIPT_LOSS)
			continue;
		add_record(x, r);
		if (o->progress && r->off - told >= PROGRESS_BYTES) {
			told = r->off;
			o->progress(o->progress_arg, r->off, src->size);
		}
	}
	if (got == TRANSCRIPT_ERROR) {
		ret = err_set(e, t->err.code, "%s: %s", path, t->err.msg);
		goto out;
	}
	tree_finish(x->tree);
	ending_facts_of(&facts, t);
	facts.running_pid = o->running_pid;
	facts.tree = x->tree;
	end = calloc(1, sizeof(*end));
	if (!end)
		log_oom();
	ending_finish(x->ending, &facts, end);
	if (!x->session.n)
		buf_add(&x->session, phases_session(path));
	settle_title(x);
	if (x->w.json)
		end_json(x, t, end);
	else
		end_text(x, t, end);
	free(end);
	out_step(out);
out:
	transcript_free(t);
	index_free(x);
	return ret;
}
