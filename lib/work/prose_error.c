/*
 * The line of an output that is the error, and the lines that count results. A line is
 * scored by the words in it and the places it names; what the command prints by itself is
 * no evidence.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

#define LINE_BYTES  2000 /* of a line of output are looked at */
#define SCORE_BYTES 400  /* for its words */
#define ERROR_CUT   240
#define TALLY_CUT   150
#define TALLY_TAIL  25 /* lines */

/* in this order: the first one that stands in the line counts */
static const str ERROR_WORDS[] = {
	STR("error"),      STR("failed"),         STR("failure"),   STR("fatal"),
	STR("panic"),      STR("exception"),      STR("undefined"), STR("cannot"),
	STR("can't"),      STR("not found"),      STR("no such"),   STR("denied"),
	STR("invalid"),    STR("unexpected"),     STR("timed out"), STR("refused"),
	STR("mismatch"),   STR("blocked"),        STR("missing"),   STR("unable"),
	STR("not enough"), STR("conflict"),       STR("traceback"), STR("expected"),
	STR("unknown"),    STR("would reformat"),
};
static const str TALLY_WORDS[] = {
	STR("passed"),     STR(" pass"),       STR("failed"),
	STR(" fail"),      STR("no issues"),   STR("no fixes applied"),
	STR("all checks"), STR("tests:"),      STR("checked "),
	STR("0 errors"),   STR("success"),     STR("files formatted"),
	STR("unchanged"),  STR("reformatted"), STR("ok  "),
	STR("built in"),   STR("no errors"),   STR("compiled"),
};

/* Length of the ANSI sequence at the start of s, which begins with ESC. */
static size_t ansi_length(str s)
{
	size_t n = 2;

	if (s.n >= 2 && s.p[1] == '[') {
		while (n < s.n && s.p[n] != '\n' && (s.p[n] < '@' || s.p[n] > '~'))
			n++;
		n += n < s.n && s.p[n] != '\n';
	}
	return n < s.n ? n : s.n;
}

void prose_plain(struct buf *out, str s)
{
	while (s.n && !out->full) {
		size_t n = 0;

		while (n < s.n &&
		       ((unsigned char)s.p[n] >= ' ' || s.p[n] == '\n' || s.p[n] == '\t'))
			n++;
		buf_add(out, str_head(s, n));
		s = str_from(s, n);
		if (s.n == 0)
			break;
		if (s.p[0] != '\033')
			buf_byte(out, ' ');
		s = str_from(s, s.p[0] == '\033' ? ansi_length(s) : 1);
	}
}

/* The same for (the beginning of) one line, into a buffer on the stack. */
static str plain_line(str s, char *out)
{
	size_t used = 0;

	while (s.n && used < LINE_BYTES) {
		if (s.p[0] == '\033') {
			s = str_from(s, ansi_length(s));
			continue;
		}
		out[used++] =
			(unsigned char)s.p[0] >= ' ' || s.p[0] == '\t' ? s.p[0] : ' ';
		s = str_from(s, 1);
	}
	return s.n ? utf8_head((str){out, used}, used - 1) : (str){out, used};
}

/* One blank for each run of white space, ends trimmed, in place. */
static str squeeze_line(str s, char *out)
{
	str rest = s, word;
	size_t used = 0;

	while (str_word(&rest, &word)) {
		if (used)
			out[used++] = ' ';
		memmove(out + used, word.p, word.n);
		used += word.n;
	}
	return (str){out, used};
}

#define ECHO_PARTS   8
#define ECHO_LETTERS 6

/* The fixed parts of what one `echo` prints; variables stand between them. */
struct echo {
	str part[ECHO_PARTS];
	size_t n, letters;
	bool open_start, open_end; /* a variable stands first, last */
};

static void echo_part(struct echo *e, str s)
{
	s = str_trim(s);
	if (s.n == 0 || e->n == ECHO_PARTS)
		return;
	for (size_t i = 0; i < s.n; i++)
		e->letters += str_is_alpha(s.p[i]) || (s.p[i] & 0x80);
	e->part[e->n++] = s;
	e->open_end = false;
}

/* Length of `$name`, `${...}`, `$(...)` at the start of s. */
static size_t variable_length(str s)
{
	size_t n = 1, depth = 0;
	char open = s.n > 1 ? s.p[1] : 0, close = open == '{' ? '}' : ')';

	if (open != '{' && open != '(') {
		while (n < s.n && (str_is_alnum(s.p[n]) || s.p[n] == '_'))
			n++;
		return n;
	}
	for (; n < s.n; n++) {
		depth += s.p[n] == open;
		if (s.p[n] == close && --depth == 0)
			return n + 1;
	}
	return s.n;
}

/* Take the words of an `echo` off *s, up to what ends the command. */
static void echo_parse(struct echo *e, str *s)
{
	size_t begin = 0, i = 0, skip;
	char quote = 0;

	*e = (struct echo){.n = 0};
	while (i < s->n) {
		char c = s->p[i];

		if (!quote && strchr(";|&\n>)", c))
			break;
		skip = 0;
		if ((c == '"' || c == '\'') && (!quote || quote == c)) {
			quote = quote ? 0 : c;
			skip = 1;
		} else if (c == '$' && quote != '\'') {
			skip = variable_length(str_from(*s, i));
		} else if ((c == '%' || c == '\\') && i + 1 < s->n) {
			skip = 2; /* of printf; an escape */
		}
		if (!skip) {
			i++;
			continue;
		}
		echo_part(e, (str){s->p + begin, i - begin});
		if (c == '$' || c == '%') {
			e->open_start |= e->n == 0;
			e->open_end = true;
		}
		i += skip;
		begin = i;
	}
	i = i < s->n ? i : s->n;
	if (begin < i)
		echo_part(e, (str){s->p + begin, i - begin});
	*s = str_from(*s, i);
}

static bool echo_fits(const struct echo *e, str line)
{
	size_t at = 0, k;

	if (e->n == 0 || e->letters < ECHO_LETTERS)
		return false;
	for (size_t i = 0; i < e->n; i++) {
		k = str_find(str_from(line, at), e->part[i]);
		if (k == STR_NPOS || (i == 0 && k > 0 && !e->open_start))
			return false;
		at += k + e->part[i].n;
	}
	return e->open_end || at == line.n;
}

/* The command itself holds the line, or prints it whatever happens: that is no evidence. */
static bool is_own_text(str command, str line)
{
	static const str words[] = {STR("echo "), STR("printf ")};
	struct echo e;

	if (line.n == 0)
		return false;
	if (prose_has(command, line))
		return true;
	for (size_t w = 0; w < COUNT(words); w++) {
		str rest = command;
		size_t k;

		while ((k = str_find(rest, words[w])) != STR_NPOS) {
			rest = str_from(rest, k + words[w].n);
			echo_parse(&e, &rest);
			if (echo_fits(&e, line))
				return true;
		}
	}
	return false;
}

/* The first error word of the list: 3 at the start of the line, 2 inside, 0 none. */
static int error_word(str low)
{
	size_t at[COUNT(ERROR_WORDS)] = {0};
	uint64_t found = prose_find_set(low, ERROR_WORDS, COUNT(ERROR_WORDS), at);

	_Static_assert(COUNT(ERROR_WORDS) <= PROSE_SET_MAX, "one bit a word");
	for (size_t i = 0; i < COUNT(ERROR_WORDS); i++) {
		size_t end = at[i] + ERROR_WORDS[i].n;
		char before = at[i] ? low.p[at[i] - 1] : 0;
		char after = end < low.n ? low.p[end] : 0;

		if (!(found >> i & 1) || after == '-' || after == '_')
			continue;
		/* part of a longer name, unless it is `x_failed` */
		if ((before == '-' || before == '_') &&
		    !str_eq(ERROR_WORDS[i], STR("failed")))
			continue;
		return at[i] == 0 ? 3 : 2;
	}
	return 0;
}

/* A word `file.ext:NN`. */
static bool has_place(str t)
{
	str rest = t, word, file, line;

	while (str_split(&rest, ' ', &word)) {
		if (!str_split(&word, ':', &file) || !str_split(&word, ':', &line))
			continue;
		if (str_chr(str_from(file, 1), '.') != STR_NPOS && prose_all_digits(line))
			return true;
	}
	return false;
}

/* `file.go:12:3: ...`: one of the second and third parts begins with a digit. */
static bool has_position(str t)
{
	str rest = t, part;

	for (size_t i = 0; i < 3 && str_split(&rest, ':', &part); i++) {
		if (i && part.n && str_is_digit(part.p[0]))
			return true;
	}
	return false;
}

static int error_details(str t, str low)
{
	static const str harmless[] = {
		STR("warning"), STR("note:"), STR("hint:"),    STR("#"),
		STR("//"),      STR("*"),     STR("+"),        STR("- "),
		STR("ok"),      STR("pass"),  STR("--- pass"), STR("✓"),
	};
	int n = 0;

	n += prose_has(str_head(t, 200), STR(": ")) ? 1 : 0;
	if (prose_has(str_head(t, 160), STR("rror:")) || str_starts(low, STR("error")) ||
	    str_starts(low, STR("fatal")) || str_starts(low, STR("panic")) ||
	    prose_has(str_head(low, 60), STR(" blocked")))
		n += 2;
	n += has_position(str_head(t, 160)) ? 2 : 0;
	if (str_starts(low, STR("0 error")) || str_starts(low, STR("no error")) ||
	    prose_has(low, STR(" 0 failed")) || prose_has(low, STR("0 errors")) ||
	    prose_has(str_head(low, 12), STR("exit code")))
		n -= 4;
	if (prose_has(str_head(low, 200), STR("warning:")) || STARTS(low, harmless))
		n -= 3;
	return t.n > 400 ? n - 2 : n;
}

int prose_error_score(str line, bool hard)
{
	char text[SCORE_BYTES];
	str t = str_trim(line), low;
	int n;

	if (t.n < 6)
		return 0;
	low = prose_lower_head(t, text, sizeof text);
	n = error_word(low);
	if (str_starts(t, STR("FAIL")) || str_starts(t, STR("--- FAIL")) ||
	    str_starts(t, STR("✗")) || str_starts(t, STR("×")))
		n = 4;
	if (!n && hard && has_place(str_head(t, 160)))
		n = 2;
	if (!n || prose_has(t, STR("^[[")))
		return 0;
	if (((str_starts(low, STR("make")) || str_starts(low, STR("npm err"))) &&
	     prose_has(t, STR("***"))) ||
	    prose_has(low, STR("process completed with exit code")) ||
	    prose_has(low, STR("elifecycle")))
		return 1; /* says only that something above failed */
	n += error_details(t, low);
	return n > 0 ? n : 0;
}

/* The line without frame characters, a log's time stamp and a log's prefix before `error:`. */
static str error_text(str l)
{
	static const str frame[] = {STR("┃"), STR("│"), STR("×"), STR(" ")};
	size_t k;

	l = str_trim(l);
	for (size_t i = 0; i < COUNT(frame); i++) {
		if (str_starts(l, frame[i])) {
			l = str_from(l, frame[i].n);
			i = STR_NPOS; /* from the first one again */
		}
	}
	l = str_trim(l);
	if (str_starts(l, STR("20")) && l.n > 10 && l.p[10] == 'T' &&
	    (k = str_chr(str_head(l, 40), ' ')) != STR_NPOS)
		l = str_from(l, k + 1);
	k = str_find(l, STR("rror:"));
	if (k != STR_NPOS && k > 40 && prose_count_byte(str_head(l, k), ' ') > 2)
		l = str_from(l, str_rchr(str_head(l, k), ' ') + 1);
	return l;
}

struct candidate {
	int score;
	size_t line;
	size_t n;
	char text[LINE_BYTES];
};

static str candidate_str(const struct candidate *c)
{
	return (str){c->text, c->n};
}

static void candidate_set(struct candidate *c, int score, size_t line, str text)
{
	c->score = score;
	c->line = line;
	c->n = text.n;
	memcpy(c->text, text.p, text.n);
}

/* The two best lines, the better one first, of equal ones the earlier. */
static size_t best_lines(str output, str command, bool hard, struct candidate best[2])
{
	char plain[LINE_BYTES], tight[LINE_BYTES];
	str line, l;
	size_t n = 0, number = 0;

	while (str_split(&output, '\n', &line)) {
		int score;

		l = error_text(plain_line(line, plain));
		score = prose_error_score(l, hard);
		number++;
		if (score <= 0 || (n == 2 && score <= best[1].score))
			continue;
		l = squeeze_line(l, tight);
		if (is_own_text(command, l))
			continue;
		if (n && score > best[0].score) {
			best[1] = best[0];
			candidate_set(&best[0], score, number, l);
		} else {
			candidate_set(&best[n ? 1 : 0], score, number, l);
		}
		n = n ? 2 : 1;
	}
	return n;
}

size_t prose_error_lines(struct arena *a, str output, str command, bool hard, str out[2])
{
	struct candidate best[2], *first = &best[0], *second = &best[1];
	size_t n = best_lines(output, command, hard, best), kept = 0;
	struct buf cut = BUF_INIT(ERROR_CUT + 8);
	int apart;

	if (n == 2) {
		apart = best[0].score - best[1].score;
		if (apart > 2 || best[0].n < 9 || best[1].n < 9 ||
		    str_eq(candidate_str(first), candidate_str(second))) {
			first = best[0].n < 9 ? second : first;
			n = 1;
		} else if (best[1].line < best[0].line) {
			first = &best[1];
			second = &best[0];
		}
	}
	for (size_t i = 0; i < n; i++) {
		buf_reset(&cut);
		prose_cut(&cut, candidate_str(i ? second : first), ERROR_CUT);
		out[kept] = arena_str(a, buf_str(&cut));
		kept += out[kept].n > 0;
	}
	buf_release(&cut);
	return kept;
}

/* Where the last n lines of s begin. */
static str last_lines(str s, size_t n)
{
	size_t i = s.n;

	while (i > 0) {
		if (s.p[i - 1] == '\n' && n-- == 1)
			break;
		i--;
	}
	return str_from(s, i);
}

static bool is_tally(str l, str command)
{
	char text[LINE_BYTES];
	str t = str_trim(l), low;
	bool digit = false;

	if (t.n <= 3 || t.n >= 160 || prose_has(l, STR(" | ")) || prose_has(l, STR("::")))
		return false;
	low = prose_lower_head(l, text, sizeof text);
	if (!prose_find_set(low, TALLY_WORDS, COUNT(TALLY_WORDS), NULL) ||
	    is_own_text(command, t))
		return false;
	for (size_t i = 0; i < l.n; i++)
		digit |= str_is_digit(l.p[i]);
	return digit || prose_has(low, STR("all ")) || prose_has(low, STR("no "));
}

void prose_tally(struct buf *out, str output, str command)
{
	char plain[LINE_BYTES], tight[LINE_BYTES];
	str rest = last_lines(output, TALLY_TAIL), line, l, last[3];
	struct buf joined = BUF_INIT(3 * 162);
	size_t n = 0;

	while (str_split(&rest, '\n', &line)) {
		if (is_tally(plain_line(line, plain), command))
			last[n++ % 3] = line;
	}
	for (size_t i = n > 3 ? n - 3 : 0; i < n; i++) {
		l = prose_strip_chars(plain_line(last[i % 3], plain), "= ");
		if (joined.n)
			buf_add(&joined, STR(", "));
		buf_add(&joined, squeeze_line(l, tight));
	}
	prose_cut(out, buf_str(&joined), TALLY_CUT);
	buf_release(&joined);
}

/* Next word of a tally; commas and parentheses separate as blanks do. */
static bool tally_word(str *rest, str *word)
{
	size_t n = 0;

	while (rest->n && (str_is_space(rest->p[0]) || strchr(",(", rest->p[0])))
		*rest = str_from(*rest, 1);
	while (n < rest->n && !str_is_space(rest->p[n]) && rest->p[n] != ',' &&
	       rest->p[n] != '(')
		n++;
	*word = str_head(*rest, n);
	*rest = str_from(*rest, n);
	return n > 0;
}

static bool above_zero(str s)
{
	return prose_all_digits(s) && prose_strip_chars(s, "0").n > 0;
}

bool prose_tally_fails(str tally)
{
	str rest = tally, before = STR_NONE, word, after, ahead;

	while (tally_word(&rest, &word)) {
		if (str_istarts(word, STR("fail")) || str_istarts(word, STR("error"))) {
			ahead = rest;
			tally_word(&ahead, &after);
			if (above_zero(before) ||
			    (!prose_all_digits(before) && str_ends(word, STR(":")) &&
			     above_zero(after)))
				return true;
		}
		before = word;
	}
	return prose_has(tally, STR("FAIL"));
}

#define FINDING_WORD_BYTES 40  /* from the number to what was found */
#define CLAUSE_BYTES       120 /* before it */
#define COMMIT_AFTER       2000
#define SUBJECT_AFTER      600
#define SUBJECT_BEFORE     200

/* How long "N potential issues" at the start of s is, 0 if it is none. */
static size_t found_length(str s)
{
	static const str things[] = {STR("issue"), STR("problem"), STR("bug"),
				     STR("finding"), STR("vulnerabilit")};
	size_t n = 0;
	bool some = false;

	for (; n < s.n && n < 4 && str_is_digit(s.p[n]); n++)
		some |= s.p[n] != '0';
	if (!some || n == s.n || s.p[n] != ' ')
		return 0;
	s = str_head(s, FINDING_WORD_BYTES);
	for (size_t i = 0; i < COUNT(things); i++) {
		size_t at = str_find(s, things[i]);

		if (at != STR_NPOS && str_find(str_head(s, at), STR(".")) == STR_NPOS) {
			at += things[i].n;
			while (at < s.n && str_is_alpha(s.p[at]))
				at++;
			return at;
		}
	}
	return 0;
}

static bool is_commit(str s)
{
	size_t digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!str_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
		digits += str_is_digit(s.p[i]);
	}
	return s.n >= 7 && s.n <= 40 && digits > 0 && digits < s.n;
}

/* Commits are no tokens of their own kind: runs of letters and digits. */
static str first_commit(str s)
{
	size_t begin;

	for (size_t i = 0; i < s.n; i++) {
		begin = i;
		while (i < s.n && str_is_alnum(s.p[i]))
			i++;
		if (is_commit((str){s.p + begin, i - begin}))
			return (str){s.p + begin, i - begin};
	}
	return STR_NONE;
}

static str first_name(str s)
{
	struct prose_token t;
	bool tick = false;
	size_t it = 0;

	while (prose_token(s, &it, &tick, &t)) {
		if (t.kind == PROSE_PATH || t.kind == PROSE_IDENT)
			return t.text;
	}
	return STR_NONE;
}

/* "a89ecd9..76b7d17  lamp -> lamp": where a push moved a branch; its commits are about no finding. */
static bool is_pushed(str after, str commit)
{
	size_t at = (size_t)(commit.p - after.p);
	size_t begin = str_rchr(str_head(after, at), '\n') + 1;
	str line = str_from(after, begin);

	line = str_head(line, str_chr(line, '\n'));
	return str_find(line, STR("..")) != STR_NPOS &&
	       str_find(line, STR(" -> ")) != STR_NPOS;
}

static str finding_subject(str before, str after)
{
	str subject = first_commit(utf8_head(after, COMMIT_AFTER));

	if (subject.n && is_pushed(after, subject))
		return STR_NONE;
	if (subject.n == 0)
		subject = first_name(utf8_head(after, SUBJECT_AFTER));
	if (subject.n == 0)
		subject = first_name(utf8_tail(before, SUBJECT_BEFORE));
	return subject;
}

bool prose_finding(str output, size_t *it, str *clause, str *subject)
{
	size_t k, n, begin, end;

	while ((k = str_find(str_from(output, *it), STR("ound "))) != STR_NPOS) {
		*it += k + 5;
		n = found_length(str_from(output, *it));
		if (n == 0)
			continue;
		end = *it + n;
		*subject = finding_subject(str_head(output, *it), str_from(output, end));
		begin = *it;
		while (begin > 0 && *it - begin < CLAUSE_BYTES &&
		       !strchr("\n\"\\.>", output.p[begin - 1]))
			begin--;
		begin += begin &&
			 output.p[begin - 1] == '\\'; /* the n of an escaped newline */
		while (begin < end && (output.p[begin] & 0xC0) == 0x80)
			begin++;
		*clause = str_trim((str){output.p + begin, end - begin});
		*it = end;
		if (subject->n)
			return true;
	}
	return false;
}
