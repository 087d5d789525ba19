/*
 * Facts about the format that count here: `cwd` follows `cd`, so the session's directory is
 * the first one; gitBranch is cached by the client, so the last one is the best; titles and
 * `last-prompt` are repeated about every 64 KB so that readers find them in the tail; up to
 * 2.0 a `summary` at the head of a file is about an older session, unless its leafUuid is in
 * this one; metadata records have neither uuid nor time.
 */
#include "work/glance.h"

#include <stdlib.h>

#include "base/fs.h"
#include "base/utf8.h"
#include "data/transcript.h"
#include "work/redact.h"
#include "work/title.h"
#include "work/tree.h"

#define SUMMARIES_MAX 8
#define UUID_MAX      64
#define TEXT_MAX                                                                         \
	8192 /* of a title before it is shortened; larger than what is shown by more than any key is long */
#define SHOWN_MAX  2048
#define ALIGN_STEP (16u << 10)
#define GROW       4 /* the tail window grows by this while it holds no whole line */

/* titles and endings need the beginnings of texts, and a key in them must not be cut */
static const struct transcript_caps caps = {
	.text_head = 4096,
	.text_tail = 512,
	.result_head = 1024,
	.result_tail = 512,
	.input_head = 1024,
	.input_tail = 128,
};

struct summary {
	char leaf[UUID_MAX];
	struct buf text;
	bool here; /* its leaf is a record of this file */
};

struct look {
	struct buf cwd, branch, version;
	struct buf title;
	enum title_rank rank; /* of the title */
	struct summary summary[SUMMARIES_MAX];
	size_t nsummaries;
	int64_t started, ended;
	int64_t records, messages, prompts;
	bool talk, said, begins_clear;
	struct arena scratch;
};

static void look_init(struct look *l)
{
	size_t i;

	*l = (struct look){.started = CLOCK_NONE, .ended = CLOCK_NONE};
	l->cwd = BUF_INIT(TEXT_MAX);
	l->branch = l->version = BUF_INIT(SHOWN_MAX);
	l->title = BUF_INIT(TEXT_MAX);
	for (i = 0; i < SUMMARIES_MAX; i++)
		l->summary[i].text = BUF_INIT(TEXT_MAX);
	arena_init(&l->scratch, 64u << 10);
}

static void look_release(struct look *l)
{
	size_t i;

	buf_release(&l->cwd);
	buf_release(&l->branch);
	buf_release(&l->version);
	buf_release(&l->title);
	for (i = 0; i < SUMMARIES_MAX; i++)
		buf_release(&l->summary[i].text);
	arena_release(&l->scratch);
}

/* Keep s in b, if there is something in it. */
static void keep(struct buf *b, str s)
{
	s = str_trim(s);
	if (!s.n)
		return;
	buf_reset(b);
	buf_add(b, utf8_head(s, b->max));
}

/* Only if b has nothing yet. */
static void keep_first(struct buf *b, str s)
{
	if (!b->n)
		keep(b, s);
}

static void look_summary(struct look *l, const struct record *r)
{
	str leaf = val_get_str(r->root, "leafUuid");
	struct summary *s;

	if (!leaf.n || leaf.n >= UUID_MAX)
		return;
	if (l->nsummaries == SUMMARIES_MAX) { /* the newest ones count */
		struct buf oldest = l->summary[0].text;

		memmove(&l->summary[0], &l->summary[1], sizeof(*s) * (SUMMARIES_MAX - 1));
		l->nsummaries--;
		l->summary[l->nsummaries] = (struct summary){.text = oldest};
		buf_reset(&l->summary[l->nsummaries].text);
	}
	s = &l->summary[l->nsummaries++];
	memcpy(s->leaf, leaf.p, leaf.n);
	s->leaf[leaf.n] = '\0';
	s->here = false;
	keep(&s->text, val_get_str(r->root, "summary"));
}

static void look_leaf(struct look *l, str uuid)
{
	size_t i;

	for (i = 0; i < l->nsummaries; i++)
		if (str_eq(uuid, str_of(l->summary[i].leaf)))
			l->summary[i].here = true;
}

static void look_title(struct look *l, const struct record *r)
{
	enum title_rank rank;
	str words;

	if (r->type != RECORD_TITLE && l->rank >= TITLE_PROMPT)
		return;
	arena_reset(&l->scratch);
	rank = title_of(r, &l->scratch, &words);
	if (!title_beats(rank, l->rank))
		return;
	keep(&l->title, words);
	l->rank = rank;
}

static void look_says(struct look *l, const struct record *r)
{
	enum record_says says;
	str text = STR_NONE;

	arena_reset(&l->scratch);
	says = record_says(r, &l->scratch, &text);
	switch (says) {
	case SAYS_PROMPT:
		l->prompts++;
		l->talk = true;
		break;
	case SAYS_COMMAND:
		l->begins_clear |= !l->said && str_eq(text, STR("/clear"));
		break;
	default:
		break;
	}
	l->said |= says == SAYS_PROMPT || says == SAYS_COMMAND ||
		   r->type == RECORD_ASSISTANT;
}

static void look_add(struct look *l, const struct record *r)
{
	l->records++;
	keep_first(&l->cwd, r->cwd);
	keep(&l->branch, r->branch);
	keep(&l->version, r->version);
	if (r->at != CLOCK_NONE) {
		if (l->started == CLOCK_NONE)
			l->started = r->at;
		if (l->ended == CLOCK_NONE || r->at > l->ended)
			l->ended = r->at;
	}
	if (r->type == RECORD_SUMMARY)
		look_summary(l, r);
	else
		look_title(l, r);
	if (r->uuid.n)
		look_leaf(l, r->uuid);
	if (r->duplicate || r->sidechain)
		return;
	if ((r->type == RECORD_USER || r->type == RECORD_ASSISTANT) && !r->meta) {
		l->messages++;
		l->talk = true;
	}
	look_says(l, r);
}

/* One pass over a part of a file, with what it tells of the ending. */
struct pass {
	struct ending_state *ending;
	struct tree *tree;
	struct ending_facts facts;
};

static void pass_release(struct pass *p)
{
	ending_free(p->ending);
	tree_free(p->tree);
	*p = (struct pass){0};
}

/* The head tells names and dates; how it ended is the tail's business. */
static int read_head(struct look *l, struct source *src, struct err *e)
{
	struct transcript *t;
	enum transcript_got got;
	const struct record *r;
	int ret = 0;

	if (source_seek(src, 0) < 0)
		return err_sys(e, "seek");
	t = transcript_new(src, 0, &caps);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS) {
		uint64_t at = got == TRANSCRIPT_RECORD ? r->off : t->last_loss.off;
		bool enough = l->cwd.n && l->rank >= TITLE_PROMPT;

		if (at >= (enough ? GLANCE_HEAD_BYTES : GLANCE_FAR_BYTES))
			break;
		if (got == TRANSCRIPT_RECORD)
			look_add(l, r);
	}
	if (got == TRANSCRIPT_ERROR)
		ret = err_set(e, t->err.code, "%s", t->err.msg);
	transcript_free(t);
	return ret;
}

static int read_rest(struct look *l, struct pass *p, struct source *src, uint64_t at,
		     struct err *e)
{
	struct transcript *t;
	enum transcript_got got;
	const struct record *r;
	int ret = 0;

	if (source_seek(src, at) < 0)
		return err_sys(e, "seek");
	p->ending = ending_new();
	p->tree = tree_new();
	t = transcript_new(src, at, &caps);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS) {
		if (got == TRANSCRIPT_LOSS)
			continue;
		look_add(l, r);
		tree_add(p->tree, r);
		ending_add(p->ending, r);
	}
	if (got == TRANSCRIPT_ERROR)
		ret = err_set(e, t->err.code, "%s", t->err.msg);
	tree_finish(p->tree);
	ending_facts_of(&p->facts, t);
	p->facts.tree = p->tree;
	transcript_free(t);
	return ret;
}

/* Where the first whole line of the last `window` bytes starts; 0 when that is the file's. */
static int tail_start(struct source *src, uint64_t window, uint64_t *start, struct err *e)
{
	struct buf text = BUF_INIT(ALIGN_STEP);
	int ret = 0;

	for (; window < src->size; window *= GROW) {
		uint64_t at = src->size - window;

		while (at < src->size) {
			long got;
			size_t nl;

			buf_reset(&text);
			got = fs_read_at(src->fd, at, ALIGN_STEP, &text, e);
			if (got < 0) {
				ret = (int)got;
				goto out;
			}
			if (got == 0)
				break; /* it was cut meanwhile */
			nl = str_chr(buf_str(&text), '\n');
			if (nl != STR_NPOS && at + nl + 1 < src->size) {
				*start = at + nl + 1;
				goto out;
			}
			at += (uint64_t)got;
		}
	}
	*start = 0;
out:
	buf_release(&text);
	return ret;
}

/* A summary counts only if the record that it ends at is in this file. */
static int find_leaves(struct look *l, struct source *src, struct err *e)
{
	struct transcript *t;
	enum transcript_got got;
	const struct record *r;
	size_t i;
	int ret = 0;

	for (i = 0; i < l->nsummaries && l->summary[i].here; i++)
		;
	if (i == l->nsummaries || l->rank > TITLE_SUMMARY)
		return 0;
	if (source_seek(src, 0) < 0)
		return err_sys(e, "seek");
	t = transcript_new(src, 0, &TRANSCRIPT_CAPS_TREE);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD && r->uuid.n)
			look_leaf(l, r->uuid);
	if (got == TRANSCRIPT_ERROR)
		ret = err_set(e, t->err.code, "%s", t->err.msg);
	transcript_free(t);
	return ret;
}

/* s safe to show on one line, whole. */
static char *shown(str s)
{
	struct buf b = BUF_INIT(4 * TEXT_MAX);

	redact_show(&b, s, true);
	return buf_take(&b);
}

/* A summary of this session comes before a prompt, and only here it is known to be one. */
static char *title(const struct look *l)
{
	struct buf b = BUF_INIT(4 * TEXT_MAX);
	str words = buf_str(&l->title);
	size_t i;

	for (i = l->nsummaries; l->rank < TITLE_SUMMARY && i-- > 0;)
		if (l->summary[i].here && l->summary[i].text.n) {
			words = buf_str(&l->summary[i].text);
			break;
		}
	title_show(&b, words, TITLE_CHARS);
	return buf_take(&b);
}

static void fill(struct glance *g, const struct look *l, const struct ending *end,
		 bool whole)
{
	*g = (struct glance){
		.cwd = str_dup(buf_str(&l->cwd)),
		.branch = shown(buf_str(&l->branch)),
		.version = shown(buf_str(&l->version)),
		.title = title(l),
		.started = l->started,
		.ended = l->ended,
		.records = whole ? l->records : -1,
		.messages = whole ? l->messages : -1,
		.prompts = whole ? l->prompts : -1,
		.talk = l->talk,
		.begins_clear = l->begins_clear,
		.kind = end->kind,
		.dead = end->dead,
		.reason = shown(str_of(end->reason)),
		.evidence = shown(str_of(end->evidence)),
	};
}

int glance_read(struct glance *g, const char *path, bool whole, struct err *e)
{
	struct source src;
	struct look look;
	struct pass pass = {0};
	struct ending end;
	uint64_t at = 0;
	int ret;

	*g = (struct glance){0};
	ret = source_open(&src, path, e);
	if (ret < 0)
		return ret;
	look_init(&look);
	if (!whole && src.size > GLANCE_HEAD_BYTES + GLANCE_TAIL_BYTES) {
		ret = tail_start(&src, GLANCE_TAIL_BYTES, &at, e);
		if (!ret && at)
			ret = read_head(&look, &src, e);
	}
	if (!ret)
		ret = read_rest(&look, &pass, &src, at, e);
	if (ret)
		goto out;
	ending_finish(pass.ending, &pass.facts, &end);
	if (at && (!look.talk || end.kind == ENDING_EMPTY)) {
		/* nothing but bookkeeping in a window: the middle decides */
		pass_release(&pass);
		look_release(&look);
		look_init(&look);
		at = 0;
		ret = read_rest(&look, &pass, &src, 0, e);
		if (ret)
			goto out;
		ending_finish(pass.ending, &pass.facts, &end);
	}
	ret = find_leaves(&look, &src, e);
	if (!ret)
		fill(g, &look, &end, at == 0);
out:
	pass_release(&pass);
	look_release(&look);
	source_release(&src);
	return ret;
}

void glance_release(struct glance *g)
{
	free(g->cwd);
	free(g->branch);
	free(g->version);
	free(g->title);
	free(g->reason);
	free(g->evidence);
	*g = (struct glance){0};
}

struct read_until {
	bool found, damage;
	uint64_t records; /* up to the one that was found */
};

/* Reads until want() is content with a record, which is then found, and rewinds. */
static int read_until(struct source *src,
		      bool (*want)(const struct record *r, struct buf *out),
		      struct buf *out, struct read_until *u, struct err *e)
{
	struct transcript *t;
	enum transcript_got got;
	const struct record *r;
	int ret = 0;

	*u = (struct read_until){0};
	t = transcript_new(src, 0, &TRANSCRIPT_CAPS_TREE);
	while (!u->found && ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
			     got == TRANSCRIPT_LOSS)) {
		if (got == TRANSCRIPT_RECORD) {
			u->records++;
			u->found = want(r, out);
		} else {
			u->damage = true;
		}
	}
	if (!u->found && got == TRANSCRIPT_ERROR)
		ret = err_set(e, t->err.code, "%s", t->err.msg);
	transcript_free(t);
	if (!ret && source_seek(src, 0) < 0)
		ret = err_sys(e, "seek");
	return ret;
}

/* Of a type that is known, or of one to come that is linked like the others. */
static bool is_known(const struct record *r, struct buf *out)
{
	(void)out;
	return r->type != RECORD_UNKNOWN || r->uuid.n || r->session.n;
}

static bool has_session(const struct record *r, struct buf *out)
{
	buf_add(out, r->session);
	return r->session.n > 0;
}

static int strange(const struct read_until *u, const char *path, struct err *e)
{
	if (u->found || !u->records)
		return 0;
	return err_set(e, HF_EFORMAT,
		       "%s: not a transcript: none of its %llu JSON objects is a record",
		       path, (unsigned long long)u->records);
}

int glance_known(struct source *src, const char *path, struct err *e)
{
	struct read_until u;
	int ret = read_until(src, is_known, NULL, &u, e);

	return ret ? ret : strange(&u, path, e);
}

int glance_check(struct source *src, const char *path, struct err *e)
{
	struct read_until u;
	int ret = read_until(src, is_known, NULL, &u, e);

	if (ret || u.records || !u.damage)
		return ret ? ret : strange(&u, path, e);
	return err_set(e, HF_EFORMAT,
		       "%s: not a transcript: nothing in its %llu bytes is a record",
		       path, (unsigned long long)src->size);
}

int glance_session_id(struct source *src, struct buf *out, struct err *e)
{
	struct read_until u;

	return read_until(src, has_session, out, &u, e);
}
