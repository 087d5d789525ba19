/*
 * Phase 2: what was said, in two passes over the file: the first finds the live branch and
 * which queued words were delivered, the second writes.
 *
 * Left out: thinking, calls and results, side chains, reminders and other client text, `!`
 * mode, slash commands that the client answered itself (/status). A slash command after which
 * the model goes on (a skill) is a prompt: it waits for the next record to tell. Kept beside
 * prompts and texts: what the user said when refusing a call, answers to questions,
 * interrupts, API errors, and where a compaction stands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/phases_impl.h"
#include "work/tree.h"

#define QUEUED_MAX 512 /* texts of the queue that are followed */

struct backbone {
	struct page w;
	const struct phases_options *opt;
	struct arena a;
	struct tree *tree;
	struct ending_state *ending;
	uint64_t said[QUEUED_MAX]; /* hashes of prompts that reached the model */
	size_t saids;              /* ever */
	struct buf command;        /* a slash command that waits */
	bool body;                 /* and what it expands to has come */
	struct record waits;       /* its record's numbers and time */
};

struct message {
	const struct record *r;
	const char *role, *kind;
	str text, tail;
	bool cut, queued, undelivered;
	uint64_t size;
};

static void message_write(struct backbone *x, const struct message *m)
{
	struct page *w = &x->w;
	struct buf *b = &w->o->b;
	const struct phases_options *opt = x->opt;
	bool gone = tree_abandoned(x->tree, m->r->n);

	if ((opt->first && m->r->n < opt->first) || (opt->last && m->r->n > opt->last))
		return;
	if (opt->since != CLOCK_NONE && m->r->at != CLOCK_NONE && m->r->at < opt->since)
		return;
	phases_clean(&w->head, m->text, false, false);
	phases_clean(&w->tail, m->tail, false, false);
	if (w->json) {
		buf_add(b, w->first ? STR("\n{") : STR(",\n{"));
		w->first = false;
		phases_json_u64(b, "n", m->r->n);
		phases_json_time(b, "at", m->r->at);
		phases_json_str(b, "role", str_of(m->role));
		phases_json_str(b, "kind", str_of(m->kind));
		if (gone)
			phases_json_bool(b, "abandoned", true);
		if (m->queued)
			phases_json_bool(b, "queued", true);
		if (m->undelivered)
			phases_json_bool(b, "undelivered", true);
		phases_json_u64(b, "size", m->size);
		phases_json_str(b, "text", buf_str(&w->head));
		if (m->cut) {
			phases_json_bool(b, "cut", true);
			phases_json_str(b, "tail", buf_str(&w->tail));
		}
		buf_byte(b, '}');
	} else {
		char iso[CLOCK_ISO_BYTES] = "";

		if (m->r->at != CLOCK_NONE)
			clock_iso_s(iso, m->r->at);
		buf_printf(b, "[%llu] %s%s%s  %s%s%s%s\n", (unsigned long long)m->r->n,
			   m->role,
			   strcmp(m->kind, m->role) && strcmp(m->kind, "prompt") &&
					   strcmp(m->kind, "text")
				   ? " "
				   : "",
			   strcmp(m->kind, m->role) && strcmp(m->kind, "prompt") &&
					   strcmp(m->kind, "text")
				   ? m->kind
				   : "",
			   iso, gone ? "  (abandoned)" : "",
			   m->queued ? "  (queued)" : "",
			   m->undelivered ? "  (never reached the model)" : "");
		buf_add(b, buf_str(&w->head));
		if (m->cut && w->tail.n) {
			buf_printf(b, "\n[... of %llu bytes ...]\n",
				   (unsigned long long)m->size);
			buf_add(b, buf_str(&w->tail));
		}
		buf_add(b, STR("\n\n"));
	}
	out_step(w->o);
}

/* The model goes on after a waiting command, so it was a prompt: write it. */
static void command_write(struct backbone *x)
{
	struct message m = {.r = &x->waits, .role = "user", .kind = "command"};

	if (!x->command.n)
		return;
	m.text = buf_str(&x->command);
	m.size = m.text.n;
	message_write(x, &m);
	buf_reset(&x->command);
}

/* Something else follows it: only its body tells that it was meant for the model. */
static void command_drop(struct backbone *x)
{
	if (x->body)
		command_write(x);
	buf_reset(&x->command);
	x->body = false;
}

/* Answers to the questions of AskUserQuestion: "question" -> "answer". */
static void add_answers(struct backbone *x, const struct record *r)
{
	const struct val *answers = val_get(r->result, "answers");
	struct buf text = BUF_INIT(64u << 10);
	struct message m = {.r = r, .role = "user", .kind = "answer"};

	if (!answers || answers->type != VAL_OBJ)
		return;
	for (const struct val *c = answers->child; c; c = c->next) {
		if (text.n)
			buf_byte(&text, '\n');
		buf_add(&text, c->key);
		buf_add(&text, STR(" -> "));
		buf_add(&text, val_str(c));
	}
	m.text = buf_str(&text);
	m.size = m.text.n;
	if (m.text.n)
		message_write(x, &m);
	buf_release(&text);
}

static void add_results(struct backbone *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	while (record_block(r, &it, &b)) {
		struct message m = {.r = r, .role = "user", .kind = "refusal"};

		m.text = record_refusal(&b);
		if (!m.text.n || str_starts(m.text, STR("The user wants to clarify")))
			continue;
		m.size = m.text.n;
		message_write(x, &m);
	}
	add_answers(x, r);
}

static void add_user(struct backbone *x, const struct record *r)
{
	struct message m = {.r = r, .role = "user", .kind = "prompt"};
	enum record_says says;

	arena_reset(&x->a);
	says = record_says(r, &x->a, &m.text);
	m.size = m.text.n;
	m.queued = r->type == RECORD_ATTACHMENT;
	switch (says) {
	case SAYS_PROMPT:
		command_drop(x);
		message_write(x, &m);
		break;
	case SAYS_COMMAND:
		command_drop(x);
		buf_add(&x->command, m.text);
		x->waits = *r;
		break;
	case SAYS_LOCAL_OUTPUT:
		buf_reset(&x->command); /* the client answered it itself */
		break;
	case SAYS_INTERRUPT:
		command_write(x);
		m.kind = "interrupt";
		message_write(x, &m);
		break;
	case SAYS_SUMMARY:
		buf_reset(&x->command);
		m.role = "client";
		m.kind = "summary";
		message_write(x, &m);
		break;
	case SAYS_NOTHING:
		if (r->result || record_answers(r).p)
			add_results(x, r);
		break;
	case SAYS_HOOK:
		x->body |= x->command.n && r->meta && !str_starts(m.text, STR("<")) &&
			   !str_starts(m.text, STR("Caveat:"));
		break;
	case SAYS_BASH:
	case SAYS_NOTIFICATION:
		break;
	}
}

static void add_assistant(struct backbone *x, const struct record *r)
{
	struct block b;
	size_t it = 0;

	command_write(x);
	while (record_block(r, &it, &b)) {
		struct message m = {
			.r = r, .role = "assistant", .text = b.text, .tail = b.tail};

		if (b.kind != BLOCK_TEXT || !str_trim(b.text).n)
			continue;
		m.kind = r->api_error ? "error" : "text";
		m.cut = b.cut;
		m.size = b.size;
		message_write(x, &m);
	}
}

static uint64_t said_hash(str s)
{
	return transcript_hash(utf8_head(str_trim(s), 1024));
}

static void add_queue(struct backbone *x, const struct record *r)
{
	struct message m = {
		.r = r, .role = "user", .kind = "prompt", .undelivered = true};
	uint64_t hash;

	if (!str_eq(val_get_str(r->root, "operation"), STR("enqueue")) || !r->content)
		return;
	m.text = val_str(r->content);
	if (!str_trim(m.text).n || strchr("</{[", str_trim(m.text).p[0]))
		return;
	hash = said_hash(m.text);
	for (size_t i = 0; i < QUEUED_MAX && i < x->saids; i++)
		if (x->said[i] == hash)
			return;
	m.size = r->content->size;
	message_write(x, &m);
}

static void add_record(struct backbone *x, const struct record *r)
{
	if (r->duplicate || r->sidechain)
		return;
	switch (r->type) {
	case RECORD_USER:
	case RECORD_ATTACHMENT:
		add_user(x, r);
		break;
	case RECORD_ASSISTANT:
		add_assistant(x, r);
		break;
	case RECORD_SYSTEM:
		if (str_eq(r->subtype, STR("local_command")))
			add_user(x, r);
		break;
	case RECORD_QUEUE:
		add_queue(x, r);
		break;
	default:
		break;
	}
}

/* First pass: the tree, the ending, and which words reached the model. */
static int learn(struct backbone *x, struct source *src, const char *path,
		 struct ending *end, struct err *e)
{
	struct transcript_caps caps = TRANSCRIPT_CAPS_TREE;
	struct transcript *t;
	const struct record *r;
	struct ending_facts facts;
	enum transcript_got got;
	int ret = 0;
	str text;

	caps.text_head = 1024 + 16; /* what said_hash looks at */
	caps.input_head = 1024;     /* what an open call was doing */
	t = transcript_new(src, 0, &caps);
	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS) {
		if (got == TRANSCRIPT_LOSS)
			continue;
		tree_add(x->tree, r);
		ending_add(x->ending, r);
		arena_reset(&x->a);
		if ((r->type == RECORD_USER || r->type == RECORD_ATTACHMENT) &&
		    !r->duplicate && record_says(r, &x->a, &text) == SAYS_PROMPT)
			x->said[x->saids++ % QUEUED_MAX] = said_hash(text);
	}
	if (got == TRANSCRIPT_ERROR)
		ret = err_set(e, t->err.code, "%s: %s", path, t->err.msg);
	tree_finish(x->tree);
	ending_facts_of(&facts, t);
	facts.running_pid = x->opt->running_pid;
	facts.tree = x->tree;
	ending_finish(x->ending, &facts, end);
	transcript_free(t);
	return ret;
}

int phases_backbone(struct source *src, const char *path, const struct phases_options *o,
		    struct out *out, struct err *e)
{
	struct backbone *x = calloc(1, sizeof(*x));
	struct ending *end = calloc(1, sizeof(*end));
	struct transcript *t = NULL;
	const struct record *r;
	enum transcript_got got;
	int ret;

	if (!x || !end)
		log_oom();
	x->opt = o;
	phases_page_init(&x->w, out, o);
	arena_init(&x->a, (size_t)1 << 20);
	x->tree = tree_new();
	x->ending = ending_new();
	x->command = BUF_INIT(64u << 10);
	ret = learn(x, src, path, end, e);
	if (ret)
		goto out;
	if (source_seek(src, 0) < 0) {
		ret = err_set(e, HF_EIO, "%s: cannot go back to its beginning", path);
		goto out;
	}
	if (x->w.json)
		buf_add(&out->b, STR("{\"format\":1,\"messages\":["));
	t = transcript_new(src, 0, &TRANSCRIPT_CAPS_DOC);
	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS && !out_failed(out))
		if (got == TRANSCRIPT_RECORD)
			add_record(x, r);
	if (got == TRANSCRIPT_ERROR) {
		ret = err_set(e, t->err.code, "%s: %s", path, t->err.msg);
		goto out;
	}
	command_drop(x);
	if (x->w.json) {
		buf_add(&out->b, STR("\n],\"ended\":"));
		ending_json(end, &out->b);
		buf_add(&out->b, STR("}\n"));
	} else {
		phases_ending(&x->w, end);
	}
	out_step(out);
out:
	transcript_free(t);
	phases_page_release(&x->w);
	arena_release(&x->a);
	tree_free(x->tree);
	ending_free(x->ending);
	buf_release(&x->command);
	free(x);
	free(end);
	return ret;
}
