/*
 * Prompts, assistant texts, thinking. Which text of a user record is a prompt, and of which
 * kind, is told by the tag that it begins with.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/docwords.h"
#include "work/prose.h"

static bool same_start(struct extract *x, str a, str key)
{
	str s = extract_squeezed(x, utf8_head(a, 1000));

	return str_eq(utf8_head(s, 200), key);
}

/* The same words again: a queued prompt that was then sent, or a record written twice. */
static struct fact_prompt *repeated(struct extract *x, str text)
{
	const struct facts *f = &x->f;
	str key = utf8_head(extract_squeezed(x, utf8_head(text, 1000)), 200);

	for (size_t i = f->nprompt > 6 ? f->nprompt - 6 : 0; i < f->nprompt; i++) {
		struct fact_prompt *p = &f->prompt[i];

		if ((p->kind == FACT_QUEUED || f->records - p->record < REPEAT_RECORDS) &&
		    same_start(x, p->text, key))
			return p;
	}
	return NULL;
}

#define SENTENCE_BYTES_MIN 4
#define LAST_SENTENCES     3 /* of a text, where it asks for leave */

/* All sentences of a text in scratch memory; hole (may be NULL): as prose_sentences_holes has it. */
static str *sentences_of(struct extract *x, str text, size_t *n, bool **hole)
{
	size_t most = text.n / SENTENCE_BYTES_MIN + 1;
	str *s = arena_new(&x->other, str, most);
	bool *at = hole ? arena_new(&x->other, bool, most + 1) : NULL;

	*n = s && (at || !hole)
		     ? prose_sentences_holes(&x->other, text, false, s, at, most)
		     : 0;
	if (hole)
		*hole = at;
	return s;
}

static str *all_sentences(struct extract *x, str text, size_t *n)
{
	return sentences_of(x, text, n, NULL);
}

/* Whether a text ends by asking for leave: what it intends is an offer then. */
static bool only_offers(const str *s, size_t n)
{
	for (size_t k = n > LAST_SENTENCES ? n - LAST_SENTENCES : 0; k < n; k++)
		if (prose_asks_leave(s[k]))
			return true;
	return n && prose_asks(s[n - 1]);
}

#define TOLD_SHORT 60 /* what a person says in fewer bytes goes with the next sentence */
#define TOLD_MOST  240

static str told(struct extract *x, const str *s, size_t n, size_t k, bool user)
{
	struct buf b = BUF_INIT(DOOR_BYTES);
	str text = s[k];

	if (user && text.n < TOLD_SHORT && k + 1 < n && text.n + s[k + 1].n < TOLD_MOST) {
		buf_add(&b, text);
		buf_byte(&b, ' ');
		buf_add(&b, s[k + 1]);
		text = buf_str(&b);
	}
	text = extract_squeezed(x, text);
	buf_release(&b);
	return text;
}

/* The sentences of a text in which something is settled. */
static void add_verdicts(struct extract *x, const str *s, size_t n, bool user)
{
	bool offers = !user && only_offers(s, n);
	bool conceded = !user && n && prose_concedes(s[0]);
	uint32_t count = 0;

	for (size_t k = 0; k < n && k < TEXT_SENTENCES; k++) {
		enum prose_verdict verdict = conceded ? prose_verdict_conceded(s[k])
						      : prose_verdict(s[k], user);
		struct fact_verdict *v;

		if (verdict == PROSE_VERDICT_NONE ||
		    (offers && verdict == PROSE_VERDICT_INTENT))
			continue;
		v = extract_push_newest(x, &extract_table[T_VERDICT]);
		v->record = x->f.records;
		v->at = x->now;
		v->k = count++;
		v->deadend = verdict == PROSE_VERDICT_DEADEND;
		v->user = user;
		v->text = extract_keep_line(x, told(x, s, n, k, user));
		x->source = true;
	}
}

static bool has_source(const struct facts *f, uint64_t record)
{
	for (size_t i = f->nsource; i > 0 && f->source[i - 1].record >= record; i--)
		if (f->source[i - 1].record == record)
			return true;
	return false;
}

/*
 * A line of the client's queue has no uuid, and an event has to come from a record that has one: what
 * was settled in it comes from the record with which it reached the model.
 */
static void move_verdicts(struct extract *x, uint64_t queued)
{
	struct facts *f = &x->f;

	if (has_source(f, queued))
		return;
	for (size_t i = 0; i < f->nverdict; i++)
		if (f->verdict[i].record == queued && f->verdict[i].user) {
			f->verdict[i].record = f->records;
			x->source = true;
		}
}

#define SHORT_PROMPT 160
#define TOLD_BYTES                                                                       \
	1500 /* a longer prompt is a task or a paste: no single word of it settles something */

#define ANSWER_BYTES    24 /* of an answer to a question that was followed by a list */
#define QUESTION_BACK   12 /* sentences that may come after the question */
#define OPTION_MARK_MAX 3

/* The line of the text that offers what the answer takes: "2", "b)" take "2. Redis", "- b) both". */
static str option_line(str text, str answer)
{
	size_t n = 0;
	str line;

	while (n < answer.n && str_is_alnum(answer.p[n]))
		n++;
	if (n == 0 || n > OPTION_MARK_MAX || answer.n > n + 1)
		return STR_NONE;
	while (str_line(&text, &line)) {
		line = str_trim(line);
		while (line.n && strchr("-*( ", line.p[0]))
			line = str_from(line, 1);
		if (line.n > n + 2 && str_ieq(str_head(line, n), str_head(answer, n)) &&
		    strchr(".):", line.p[n]))
			return line;
	}
	return STR_NONE;
}

/* The question and the line that was taken of those after it, as one text in scratch memory. */
static str question_with(struct extract *x, str question, str line)
{
	if (!line.n)
		return question;
	buf_reset(&x->text);
	buf_add(&x->text, question);
	buf_add(&x->text, STR(" … "));
	buf_add(&x->text, line);
	return extract_scratch(x, buf_str(&x->text));
}

/* The question that a short prompt answers: the last sentence before it, or for a shorter one the last but a few. */
static str question_before(struct extract *x, str text, enum fact_prompt_kind kind)
{
	const struct facts *f = &x->f;
	size_t n;
	str *s;

	if ((kind != FACT_PROMPT && kind != FACT_QUEUED) || text.n >= SHORT_PROMPT ||
	    f->last_text.n == 0 ||
	    (f->nprompt && f->last_text_record <= f->prompt[f->nprompt - 1].record))
		return STR_NONE;
	s = all_sentences(x, f->last_text, &n);
	for (size_t i = n; i-- > 0 && n - i <= QUESTION_BACK;) {
		if (prose_asks(s[i]))
			return question_with(x, s[i], option_line(f->last_text, text));
		if (text.n > ANSWER_BYTES)
			break;
	}
	return STR_NONE;
}

void extract_add_prompt(struct extract *x, str text, enum fact_prompt_kind kind)
{
	struct fact_prompt *same, *p;
	uint64_t same_as;
	str asked;

	text = str_trim(text);
	if (text.n == 0)
		return;
	same = kind != FACT_BANG ? repeated(x, text) : NULL;
	/* the first of two typed ones may lie on a branch that was left: kept until shown */
	if (same && (kind != FACT_PROMPT || same->kind != FACT_PROMPT)) {
		move_verdicts(x, same->record);
		if (kind == FACT_PROMPT)
			same->sent = x->f.records;
		return;
	}
	same_as = same ? same->record : 0;
	asked = question_before(x, text, kind);
	if ((kind == FACT_PROMPT || kind == FACT_QUEUED) && text.n < TOLD_BYTES) {
		size_t n;
		str *all = all_sentences(x, text, &n);

		add_verdicts(x, all, n, true);
	}
	p = table_push(&extract_table[T_PROMPT], x);
	p->record = x->f.records;
	x->source = true;
	p->at = x->now;
	p->same_as = same_as;
	p->kind = kind;
	p->after_interrupt = x->f.last == FACT_LAST_INTERRUPT;
	p->text = extract_keep_ends(x, text, PROMPT_HEAD, PROMPT_TAIL, STR(EXTRACT_CUT));
	p->asked = extract_keep(x, asked, LINE_BYTES);
	if (kind == FACT_EVENT)
		extract_count_names(x, utf8_head(text, 2000), WEIGHT_EVENT);
	else if (kind != FACT_BANG)
		extract_count_names(x, utf8_head(text, 4000), WEIGHT_PROMPT);
	extract_trim_prompts(x);
}

void extract_mark_prompts(struct extract *x,
			  uint64_t (*plain)(const struct fact_prompt *p))
{
	for (size_t i = 0; i < x->f.nprompt; i++)
		if (!x->f.prompt[i].plain)
			x->f.prompt[i].plain = plain(&x->f.prompt[i]);
}

/* Client markup that is no word of the user. */
static bool is_noise(str tag)
{
	static const str noise[] = {
		STR("local-command"),    STR("bash-"),
		STR("system-reminder"),  STR("user-memory"),
		STR("persisted-output"), STR("tool_use_error"),
	};

	for (size_t i = 0; i < COUNT(noise); i++) {
		if (str_starts(tag, noise[i]))
			return true;
	}
	return false;
}

static void on_slash(struct extract *x, str s)
{
	str name = record_tag(s, "command-name"), args = record_tag(s, "command-args");
	struct buf b = BUF_INIT(DOOR_BYTES);

	if (name.n) {
		buf_add(&b, name);
		buf_byte(&b, ' ');
		buf_add(&b, args);
		extract_add_prompt(x, extract_scratch(x, buf_str(&b)), FACT_SLASH);
		/* /status and kin ask nothing: what was answered before stays so */
		if (!docwords_is_client_command(buf_str(&b)))
			x->f.last = FACT_LAST_SLASH;
	}
	buf_release(&b);
}

static void on_bang(struct extract *x, str s)
{
	struct buf b = BUF_INIT(DOOR_BYTES);

	buf_add(&b, STR("! "));
	buf_add(&b, record_tag(s, "bash-input"));
	extract_add_prompt(x, extract_scratch(x, buf_str(&b)), FACT_BANG);
	buf_release(&b);
}

#define BROKEN_OFF 80 /* bytes of an answer's end */

/* What was open when the user stopped the model: calls, with a result that says so or without one, or a text. */
static void on_interrupt(struct extract *x)
{
	const struct facts *f = &x->f;
	struct fact_interrupt *i;
	uint64_t since = f->ninterrupt ? f->interrupt[f->ninterrupt - 1].record : 0,
		 calls = 0;
	str call = STR_NONE;

	if (f->nprompt && f->prompt[f->nprompt - 1].record > since)
		since = f->prompt[f->nprompt - 1].record;
	for (size_t k = f->nrecent;
	     k-- > 0 && f->recent[k].stopped && f->recent[k].record > since;) {
		call = call.n ? call : f->recent[k].label;
		calls++;
	}
	for (size_t k = x->ncall; k-- > 0 && x->call[k].record > since;) {
		call = call.n ? call : x->call[k].label;
		calls++;
	}
	i = extract_push_newest(x, &extract_table[T_INTERRUPT]);
	i->record = f->records;
	i->calls = (uint32_t)calls;
	i->call = extract_keep(x, call, LABEL_BYTES);
	if (!calls && f->last == FACT_LAST_TEXT && f->last_text_record > since) {
		buf_reset(&x->text);
		prose_tail(&x->text, f->last_text, BROKEN_OFF);
		i->text = extract_keep_line(
			x, extract_squeezed(x, extract_scratch(x, buf_str(&x->text))));
	}
}

void extract_on_user_text(struct extract *x, str s)
{
	str tag = prose_tag(s), rest;

	s = str_trim(s);
	if (str_starts(s, STR("[Request interrupted"))) {
		on_interrupt(x);
		x->f.last = FACT_LAST_INTERRUPT;
		return;
	}
	if (str_starts(s, STR("Caveat: The messages below")))
		return;
	if (str_starts(tag, STR("command-"))) {
		on_slash(x, s);
	} else if (str_eq(tag, STR("task-notification"))) {
		extract_on_notification(x, s);
	} else if (str_eq(tag, STR("bash-input"))) {
		on_bang(x, s);
	} else if (str_starts(tag, STR("ide_"))) {
		rest = str_trim(str_from(s, str_rchr(s, '>') + 1));
		if (rest.n > 3) {
			extract_add_prompt(x, rest, FACT_PROMPT);
			x->f.last = FACT_LAST_PROMPT;
		}
	} else if (!is_noise(tag)) {
		extract_add_prompt(x, s, tag.n ? FACT_EVENT : FACT_PROMPT);
		x->f.last = FACT_LAST_PROMPT;
	}
}

/* Files that a command's page pulls in: `@path`; a hook's word after an answer. */
void extract_on_meta_text(struct extract *x, str s)
{
	str word;

	if (str_starts(s, STR("Stop hook feedback")) && x->f.last == FACT_LAST_TEXT)
		x->f.stop_hook_record = x->f.records;
	while (str_word(&s, &word)) {
		if (word.p[0] != '@')
			continue;
		word = str_from(word, 1);
		while (word.n && strchr(".,;:", word.p[word.n - 1]))
			word.n--;
		if (prose_is_path(word))
			extract_add_named(x, word, WEIGHT_META);
	}
}

/* ---- what the model says ---- */

#define DIAGNOSIS_SENTENCES 6

/* The two best of the first sentences, as places in s; -1: none. */
static void best_two(const str *s, size_t n, int best[2])
{
	float value[2] = {0, 0};

	best[0] = best[1] = -1;
	for (size_t i = 0; i < n && i < DIAGNOSIS_SENTENCES; i++) {
		float v = prose_value(s[i]);

		if (v < 1)
			continue;
		if (best[0] < 0 || v > value[0]) {
			best[1] = best[0];
			value[1] = value[0];
			best[0] = (int)i;
			value[0] = v;
		} else if (best[1] < 0 || v > value[1]) {
			best[1] = (int)i;
			value[1] = v;
		}
	}
	if (best[1] >= 0 && best[1] < best[0]) {
		int first = best[1];

		best[1] = best[0];
		best[0] = first;
	}
}

static str bare(str s)
{
	while (s.n && (s.p[0] == '-' || s.p[0] == ' '))
		s = str_from(s, 1);
	return s;
}

/* What the model says first after an error is about the error. */
static void diagnose(struct extract *x, const str *s, size_t n)
{
	int best[2];

	best_two(s, n, best);
	for (size_t i = 0; i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];
		size_t put = 0;

		if (e->diagnosis_record || x->f.records - e->record >= DIAGNOSIS_RECORDS)
			continue;
		e->diagnosis_record = x->f.records;
		for (size_t k = 0; k < 2; k++) {
			if (best[k] >= 0)
				e->diagnosis[put++] = extract_keep(
					x,
					extract_cut_text(
						x, bare(extract_squeezed(x, s[best[k]])),
						SENTENCE_CUT),
					LINE_BYTES);
		}
	}
}

static struct fact_sentence *add_sentence(struct extract *x, const struct table *t, str s)
{
	struct fact_sentence *row = table_push(t, x);

	if (!row)
		return NULL;
	row->record = x->f.records;
	row->at = x->now;
	row->value = prose_value(s);
	row->text = extract_keep(
		x, extract_cut_text(x, extract_squeezed(x, s), SENTENCE_CUT), LINE_BYTES);
	return row;
}

void extract_on_text(struct extract *x, const struct record *r, str s)
{
	struct facts *f = &x->f;
	struct fact_sentence *row;
	str bare_text = str_trim(s), *all;
	bool *hole;
	size_t n;

	if (bare_text.n == 0)
		return;
	if (r->api_error) {
		f->api_error = extract_keep(x, extract_squeezed(x, s), 200);
		f->last = FACT_LAST_API_ERROR;
		return;
	}
	if (str_eq(bare_text, STR("No response requested.")) ||
	    str_eq(bare_text, STR("(no content)")))
		return;
	x->private->texts++;
	f->last_text = extract_keep_ends(x, s, HALF_TEXT_BYTES, HALF_TEXT_BYTES,
					 STR(EXTRACT_CUT));
	f->last_text_record = f->records;
	f->last = FACT_LAST_TEXT;
	extract_count_names(x, utf8_head(s, 8000), WEIGHT_TEXT);
	all = sentences_of(x, s, &n, &hole);
	diagnose(x, all, n);
	add_verdicts(x, all, n, false);
	for (size_t k = 0; k < n && k < TEXT_SENTENCES; k++) {
		row = add_sentence(x, &extract_table[T_SENTENCE], all[k]);
		if (!row)
			break;
		row->text_id = x->private->texts;
		row->k = (uint32_t)k;
		row->of = (uint32_t)n;
		row->hole = hole[k];
	}
	extract_trim_sentences(x);
}

#define THOUGHT_VALUE  5.0f
#define THOUGHT_BYTES  400
#define BACK_SENTENCES 40 /* in which a thought may be taken back */

static void set_last_thought(struct extract *x, const str *all, const bool *hole,
			     size_t n)
{
	struct fact_sentence *last;
	struct buf b = BUF_INIT(DOOR_BYTES);

	x->f.nlast_thought = 0;
	last = table_push(&extract_table[T_LAST_THOUGHT], x);
	last->record = x->f.records;
	last->at = x->now;
	if (n > 1) {
		buf_add(&b, all[n - 2]);
		buf_add(&b, hole[n - 1] ? STR(" … ") : STR(" "));
	}
	if (n)
		buf_add(&b, all[n - 1]);
	last->text = extract_keep(x, extract_squeezed(x, buf_str(&b)), LINE_BYTES);
	buf_release(&b);
}

/* It was thought over before the thought had ended. */
static bool taken_back(const str *all, size_t n, size_t k)
{
	for (size_t i = k + 1; i < n && i < k + BACK_SENTENCES; i++) {
		if (prose_takes_back(all[i], all[k]))
			return true;
	}
	return false;
}

void extract_on_thinking(struct extract *x, str s)
{
	bool *hole;
	size_t n;
	str *all;

	if (str_trim(s).n == 0)
		return;
	all = sentences_of(x, s, &n, &hole);
	set_last_thought(x, all, hole, n);
	for (size_t k = 0; k < n && k < THINK_SENTENCES; k++) {
		if (all[k].n < THOUGHT_BYTES && prose_value(all[k]) >= THOUGHT_VALUE &&
		    !taken_back(all, n, k))
			add_sentence(x, &extract_table[T_THOUGHT], all[k]);
	}
	extract_trim_sentences(x);
}
