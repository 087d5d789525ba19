/*
 * The state of a session lies in STATE/facts/<session>.facts: one header line, then what
 * extract_save wrote.
 *
 *   handoff-facts 1 <offset> <records> <inode> <hash of the bytes before offset, hex>\n
 *
 * It is derived: whatever is wrong with it (cut, foreign, another version, another inode, a
 * transcript that is shorter or has other bytes before the offset), the transcript is read
 * from the start. For the same reason it is written over in place, without fsync: a new file at
 * every turn, and the end of the old one, cost more than all that is written.
 */
#include "work/keep_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "data/claude.h"
#include "data/config.h"
#include "data/note.h"
#include "work/derive.h"
#include "work/hazards.h"
#include "work/prose.h"
#include "work/stated.h"

#define FOLDER      "facts"
#define MAGIC       "handoff-facts"
#define VERSION     1u
#define FACTS_MAX   (16u << 20)
#define HASH_BYTES  4096u
#define TAIL_BYTES  (256u << 10)
#define CHECK_EVERY 32 /* records between two looks at the clock */
#define RENDER_NS                                                                        \
	40000000 /* kept free before the deadline for git, rendering and writing */
#define STORE_NS       15000000 /* and while the end of the file is too far away for these */
#define STORE_EVERY    50000000 /* ns of reading after which what was read is stored */
#define FAR_BYTES      (8u << 20)
#define DERIVE_NS      20000000 /* kept free for the disk when the session's note is written */
#define DERIVE_LOCK_MS 40
#define DELTA_LINES    12

struct state {
	struct extract *x;
	uint64_t offset, records;
};

void keep_path(const char *state_dir, str session, const char *ending, struct buf *b)
{
	fs_join(b, str_of(state_dir), STR(FOLDER));
	buf_byte(b, '/');
	buf_add(b, session);
	buf_add(b, str_of(ending));
}

static void facts_path(const char *state_dir, str session, struct buf *b)
{
	keep_path(state_dir, session, ".facts", b);
}

/* A hash of the bytes just before `offset`; tells an appended file from a rewritten one. */
static uint64_t hash_before(struct source *src, uint64_t offset)
{
	struct buf b = BUF_INIT(HASH_BYTES);
	uint64_t from = offset > HASH_BYTES ? offset - HASH_BYTES : 0, h;

	fs_read_at(src->fd, from, (size_t)(offset - from), &b, NULL);
	h = str_hash(buf_str(&b));
	buf_release(&b);
	return h;
}

/* The header's numbers; false when it is none of ours or does not fit this transcript. */
static bool header_fits(str *text, struct source *src, struct state *s)
{
	str line, word;
	uint64_t n[4];

	if (!str_line(text, &line) || !str_word(&line, &word) ||
	    !str_eq(word, STR(MAGIC)) || !str_word(&line, &word) ||
	    !str_u64(word, &n[0]) || n[0] != VERSION)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!str_word(&line, &word) || !str_u64(word, &n[i]))
			return false;
	if (n[2] != (uint64_t)src->ino || n[0] > src->size ||
	    n[3] != hash_before(src, n[0]))
		return false;
	s->offset = n[0];
	s->records = n[1];
	return true;
}

static void load_state(const char *state_dir, str session, struct source *src,
		       struct state *s)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(FACTS_MAX);
	str rest;

	facts_path(state_dir, session, &path);
	if (fs_read(buf_cstr(&path), &text, NULL) == 0) {
		rest = buf_str(&text);
		if (header_fits(&rest, src, s))
			s->x = extract_load(rest, NULL);
	}
	if (!s->x) {
		s->x = extract_new();
		s->offset = s->records = 0;
	}
	buf_release(&path);
	buf_release(&text);
}

static int save_state(const char *state_dir, str session, struct source *src,
		      const struct state *s, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(FACTS_MAX);
	int ret;

	fs_join(&path, str_of(state_dir), STR(FOLDER));
	ret = fs_is_dir(buf_cstr(&path)) ? 0 : fs_mkdirs(buf_cstr(&path), 0700, e);
	buf_reset(&path);
	facts_path(state_dir, session, &path);
	buf_printf(&text, MAGIC " %u %llu %llu %llu %llu\n", VERSION,
		   (unsigned long long)s->offset, (unsigned long long)s->records,
		   (unsigned long long)src->ino,
		   (unsigned long long)hash_before(src, s->offset));
	extract_mark_prompts(s->x, stated_plain);
	extract_save(s->x, &text);
	if (!ret && text.full)
		ret = err_set(e, HF_ELIMIT, "%s: over %u bytes", buf_cstr(&path),
			      FACTS_MAX);
	if (!ret)
		ret = fs_write_over(buf_cstr(&path), buf_str(&text), 0600, e);
	buf_release(&path);
	buf_release(&text);
	return ret;
}

static bool late(const struct keep_options *o, int64_t spare)
{
	return o->deadline_ns && clock_mono_ns() + spare > o->deadline_ns;
}

/* What is to be left of the time: far from the end of the file nothing will be rendered. */
static int64_t spare(const struct source *src, uint64_t at)
{
	return src->size > at && src->size - at > FAR_BYTES ? STORE_NS : RENDER_NS;
}

/*
 * Add the records from s->offset on. True when the end of the file was reached in time. What
 * was read is stored now and then: a hook may be killed at any moment.
 */
static bool read_on(const char *state_dir, str session, struct source *src,
		    struct state *s, const struct keep_options *o)
{
	struct transcript *t = transcript_new(src, s->offset, &extract_caps);
	int64_t stored_at = clock_mono_ns();
	const struct record *r;
	enum transcript_got got;
	bool whole = true;
	unsigned n = 0;

	t->records = s->records; /* numbers go on where they stopped */
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS) {
		if (got == TRANSCRIPT_RECORD)
			extract_add(s->x, r);
		if (++n % CHECK_EVERY)
			continue;
		s->offset = t->good;
		s->records = t->records;
		if (late(o, spare(src, t->good))) {
			whole = false;
			break;
		}
		if (o->deadline_ns && clock_mono_ns() - stored_at > STORE_EVERY) {
			save_state(state_dir, session, src, s, NULL);
			stored_at = clock_mono_ns();
		}
	}
	s->offset = t->good;
	s->records = t->records;
	transcript_free(t);
	return whole && got != TRANSCRIPT_ERROR;
}

/* How it ended, from the last records of the file. */
static void read_ending(struct source *src, const char *claude_dir, str session,
			struct ending *out)
{
	uint64_t from = src->size > TAIL_BYTES ? src->size - TAIL_BYTES : 0;
	struct ending_state *s = ending_new();
	struct ending_facts f;
	struct transcript *t;
	const struct record *r;
	enum transcript_got got;

	source_seek(src, from);
	t = transcript_new(src, from, &TRANSCRIPT_CAPS_INDEX);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD)
			ending_add(s, r);
	ending_facts_of(&f, t);
	f.running_pid = claude_running(claude_dir, session);
	ending_finish(s, &f, out);
	ending_free(s);
	transcript_free(t);
}

static bool todo_done(const struct fact_todo *t)
{
	return str_eq(t->status, STR("completed"));
}

static bool todo_open(const struct fact_todo *t)
{
	return !todo_done(t) && !str_eq(t->status, STR("deleted"));
}

static bool did_work(const struct facts *f)
{
	for (size_t i = 0; i < f->ntodo; i++)
		if (todo_done(&f->todo[i]))
			return true;
	for (size_t i = 0; i < f->nshelled; i++)
		if (!str_starts(f->shelled[i].path, STR("/tmp/")) &&
		    !str_starts(f->shelled[i].path, STR("/private/tmp/")) &&
		    !str_eq(f->shelled[i].how, STR("git add")))
			return true;
	return f->nedit || f->ncommit;
}

/* Nothing in it that a next session would need. */
static bool is_trivial(const struct facts *f)
{
	if (did_work(f) || f->nopen || f->nlost)
		return false;
	for (size_t i = 0; i < f->ntodo; i++)
		if (todo_open(&f->todo[i]))
			return false;
	for (size_t i = 0; i < f->ncommand; i++)
		if (f->command[i].failed)
			return false;
	return !stated_any(f);
}

/* ---- what the document before this one hands on ---- */

#define CARRIED_MAX 64

struct handed {
	struct buf text;  /* of the claimed document, backing of hazard */
	struct buf names; /* backing of lineage */
	str lineage[CARRIED_MAX], hazard[CARRIED_MAX];
	size_t nlineage, nhazard;
};

static void take_lineage(struct handed *h, const char *name)
{
	struct note n;
	struct buf one = BUF_INIT(DOCS_NAME_MAX * 2);
	size_t at = 0, from[CARRIED_MAX], k = 0;

	note_parse(&n, buf_str(&h->text));
	while (k + 1 < CARRIED_MAX && note_list(note_get(&n, "lineage"), &at, &one)) {
		from[k++] = h->names.n;
		buf_add(&h->names, buf_str(&one));
		buf_byte(&h->names, '\n');
	}
	from[k++] = h->names.n;
	buf_add(&h->names, str_of(name));
	buf_byte(&h->names, '\n');
	for (size_t i = 0; i < k; i++)
		h->lineage[h->nlineage++] =
			str_head(str_from(buf_str(&h->names), from[i]),
				 str_chr(str_from(buf_str(&h->names), from[i]), '\n'));
	buf_release(&one);
}

static void add_handed(struct handed *h, str text)
{
	struct handoff_doc doc = {.session = STR_NONE};
	size_t at = 0, i;
	str line;

	handoff_read(&doc, text, NULL);
	while (h->nhazard < CARRIED_MAX && handoff_next_hazard(doc.hazards, &at, &line)) {
		for (i = 0; i < h->nhazard && !stated_same(h->hazard[i], line); i++)
			;
		if (i == h->nhazard)
			h->hazard[h->nhazard++] = line;
	}
}

/* Of a session that /clear or a fork left only what the user stated goes on. d: backing of that. */
static void handed_on(struct handed *h, const struct vault *v, const struct journal *j,
		      const struct docs *d)
{
	const struct docs_item *left =
		j->previous ? docs_of_session(d, str_of(j->previous)) : NULL;

	*h = (struct handed){.text = BUF_INIT(HANDOFF_DOC_MAX),
			     .names = BUF_INIT(CARRIED_MAX * DOCS_NAME_MAX * 2)};
	if (left)
		add_handed(h, str_of(left->text));
	if (!j->claimed || !j->project ||
	    docs_read(v, str_of(j->project), str_of(j->claimed), &h->text, NULL) < 0)
		return;
	take_lineage(h, j->claimed);
	add_handed(h, buf_str(&h->text));
}

static void handed_release(struct handed *h)
{
	buf_release(&h->text);
	buf_release(&h->names);
}

/* ---- writing ---- */

static const char *status_word(enum docs_status s)
{
	return docs_status_name(s);
}

/* The journal's word for a field of the front matter. */
static void set_field(struct buf *text, const char *key, const char *value)
{
	struct buf new = BUF_INIT(HANDOFF_DOC_MAX);

	if (!value)
		return;
	docs_with_field(&new, buf_str(text), key, str_of(value));
	buf_release(text);
	*text = new;
}

/* False: there was no time for it. */
static bool read_git(const char *state_dir, const struct journal *j,
		     const struct keep_options *o, struct gitstate *git)
{
	struct gitstate_options go = {.deadline_ns = o->deadline_ns};

	if (o->ended && keep_git_load(state_dir, j, git))
		return true;
	gitstate_release(git);
	if (o->no_git || late(o, 0))
		return false;
	gitstate_read(git, keep_git_dir(j), &go);
	if (o->status == DOCS_PENDING && j->state == JOURNAL_ENDED && !o->ended)
		keep_git_store(state_dir, j, git);
	return true;
}

static int render(struct vault *v, const char *state_dir, struct journal *j,
		  const struct docs *d, struct source *src, const struct facts *f,
		  const struct keep_options *o, struct buf *text, struct err *e)
{
	struct handed h;
	struct ending end;
	struct gitstate git = {0};
	struct handoff_options ho = {
		.since = CLOCK_NONE, .kind = o->kind, .status = status_word(o->status)};
	struct keep_agents agents;
	struct handoff_input in = {.facts = keep_agents_add(&agents, f, j),
				   .ending = &end,
				   .transcript = j->transcript,
				   .said = str_of(j->last_message),
				   .said_at = j->said_at};
	struct buf claude = BUF_INIT(PATH_MAX);
	int ret;

	config_claude_dir(&claude);
	read_ending(src, buf_cstr(&claude), str_of(j->session), &end);
	handed_on(&h, v, j, d);
	ho.lineage = h.lineage;
	ho.nlineage = h.nlineage;
	ho.hazards = h.hazard;
	ho.nhazards = h.nhazard;
	if (read_git(state_dir, j, o, &git))
		in.git = &git;
	ret = handoff_render(&in, &ho, text, e);
	set_field(text, "source_session", j->session);
	set_field(text, "project", j->project);
	set_field(text, "worktree", j->worktree);
	keep_agents_release(&agents);
	gitstate_release(&git);
	handed_release(&h);
	buf_release(&claude);
	return ret;
}

/* What happened after a manual document, as a section that replaces the one before. */
static void delta(struct buf *out, const struct facts *f, str manual)
{
	size_t cut = str_find(manual, STR("\n## Since this handoff\n")), n = 0;

	buf_add(out, cut == STR_NPOS ? manual : str_head(manual, cut));
	if (out->n && out->p[out->n - 1] != '\n')
		buf_byte(out, '\n');
	buf_add(out, STR("\n## Since this handoff\n"));
	for (size_t i = 0; i < f->ncommit && n < DELTA_LINES; i++, n++)
		buf_printf(out, "- Commit `%.*s` \"%.*s\"\n", STR_ARG(f->commit[i].sha),
			   STR_ARG(f->commit[i].subject));
	for (size_t i = f->nedit; i-- > 0 && n < DELTA_LINES; n++) {
		struct buf path = BUF_INIT(PATH_MAX);

		extract_relative(f, f->edit[i].path, &path);
		buf_printf(out, "- Edited `%.*s` (+%u -%u)\n", STR_ARG(buf_str(&path)),
			   f->edit[i].plus, f->edit[i].minus);
		buf_release(&path);
	}
	for (size_t i = 0; i < f->nprompt && n < DELTA_LINES; i++, n++) {
		struct buf q = BUF_INIT(EXTRACT_TEXT_BYTES);

		buf_add(out, STR("- User: \""));
		prose_squeeze(&q, f->prompt[i].text);
		prose_cut(out, buf_str(&q), 200);
		buf_add(out, STR("\"\n"));
		buf_release(&q);
	}
}

/* Is there anything after the manual document? */
static bool has_delta(const struct facts *f)
{
	return f->ncommit || f->nedit || f->nprompt;
}

/* A person or a model has written it: by hand, or after its session had died. */
static bool is_written(const struct journal *j, const struct docs_item *own)
{
	return own->kind == HANDOFF_MANUAL ||
	       (own->kind == HANDOFF_RECOVERED && j->manual && j->document &&
		strcmp(j->document, own->name) == 0);
}

static int write_document(struct vault *v, const char *state_dir, struct journal *j,
			  struct source *src, struct state *s,
			  const struct keep_options *o, struct keep_done *done,
			  struct err *e)
{
	struct buf text = BUF_INIT(HANDOFF_DOC_MAX), made = BUF_INIT(HANDOFF_DOC_MAX),
		   name = BUF_INIT(DOCS_NAME_MAX);
	const struct docs_item *own;
	struct docs d = {0};
	const struct facts *f;
	int64_t since = CLOCK_NONE;
	int ret = 0;

	docs_load(&d, v, str_of(j->project), false, NULL);
	own = j->document ? docs_named(&d, str_of(j->document)) : NULL;
	if (!own)
		own = docs_of_session(&d, str_of(j->session));
	if (own && is_written(j, own)) {
		if (clock_parse(str_of(own->created), &since))
			since++;
		f = extract_facts(s->x, NULL, since);
		if (!has_delta(f))
			goto out;
		delta(&text, f, str_of(own->text));
		buf_add(&name, str_of(own->name));
	} else {
		f = extract_facts(s->x, NULL, CLOCK_NONE);
		done->worked = did_work(f);
		done->trivial = is_trivial(f);
		if (done->trivial)
			goto out;
		ret = render(v, state_dir, j, &d, src, f, o, own ? &made : &text, e);
		if (ret)
			goto out;
		if (own)
			hazards_keep_retired(&text, buf_str(&made), str_of(own->text));
		if (own)
			buf_add(&name, str_of(own->name));
		else
			docs_name(&name, v, str_of(j->project),
				  f->first_at != CLOCK_NONE ? f->first_at : clock_now(),
				  str_of(j->session));
	}
	if (!own || !str_eq(buf_str(&text), str_of(own->text))) {
		ret = docs_save(v, str_of(j->project), buf_str(&name), buf_str(&text), e);
		done->written = ret == 0;
	}
	if (!ret) {
		journal_set(&j->document, buf_str(&name));
		snprintf(done->name, sizeof(done->name), "%s", buf_cstr(&name));
	}
out:
	docs_release(&d);
	buf_release(&text);
	buf_release(&made);
	buf_release(&name);
	return ret;
}

/* What no later try will change: the note's name is taken, or no name at all. */
static bool is_final(int code)
{
	return code == HF_EUSAGE || code == HF_ELIMIT || code == HF_EFORMAT;
}

/* The document stands: what is left of the time goes to the session's note. */
static void derive(struct vault *v, const char *state_dir, struct journal *j,
		   struct extract *x, const struct keep_options *o,
		   struct keep_done *done)
{
	const struct facts *f;
	int ret = 0;

	if (late(o, DERIVE_NS)) {
		done->underived = true;
		return;
	}
	f = extract_facts(x, NULL, CLOCK_NONE);
	if (!is_trivial(f))
		ret = derive_run(v, state_dir, j, f, DERIVE_LOCK_MS, &done->derived,
				 &done->derive_err);
	done->underived = ret && !is_final(ret);
	if (!done->underived)
		j->derived = j->offset;
}

int keep_update(struct vault *v, const char *state_dir, struct journal *j,
		const struct keep_options *o, struct keep_done *done, struct err *e)
{
	struct state s = {0};
	struct source src;
	int ret;

	*done = (struct keep_done){0};
	if (!j->transcript || !j->project)
		return err_set(e, HF_ENOTFOUND, "session %s: no transcript is known",
			       j->session);
	ret = source_open(&src, j->transcript, e);
	if (ret)
		return ret;
	load_state(state_dir, str_of(j->session), &src, &s);
	if (s.offset)
		source_seek(&src, s.offset);
	done->current = read_on(state_dir, str_of(j->session), &src, &s, o);
	ret = save_state(state_dir, str_of(j->session), &src, &s, e);
	if (j->ino != (uint64_t)src.ino)
		j->derived = 0;
	j->offset = s.offset;
	j->records = s.records;
	j->ino = (uint64_t)src.ino;
	if (!ret && o->render && done->current)
		ret = write_document(v, state_dir, j, &src, &s, o, done, e);
	if (!ret && o->derive && done->current && j->derived != j->offset)
		derive(v, state_dir, j, s.x, o, done);
	if (!ret && !done->current)
		ret = err_set(e, HF_ETIME,
			      "%s: read up to byte %llu; the rest comes later",
			      j->transcript, (unsigned long long)s.offset);
	if (done->worked)
		j->worked = true;
	extract_free(s.x);
	source_release(&src);
	return ret;
}

struct extract *keep_facts(const char *state_dir, const struct journal *j)
{
	struct state s = {0};
	struct source src;

	if (!j->transcript || source_open(&src, j->transcript, NULL) < 0)
		return NULL;
	load_state(state_dir, str_of(j->session), &src, &s);
	source_release(&src);
	return s.x;
}

int keep_forget(const char *state_dir, str session, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret = 0;

	if (!journal_id_ok(session))
		ret = err_set(e, HF_EUSAGE, "not a session id: %.*s", STR_ARG(session));
	else {
		keep_forget_git(state_dir, session);
		ret = derive_forget(state_dir, session, e);
		facts_path(state_dir, session, &path);
		if (fs_is_file(buf_cstr(&path)) && io.unlink(buf_cstr(&path)) < 0)
			ret = err_sys(e, "%s: unlink", buf_cstr(&path));
	}
	buf_release(&path);
	return ret;
}
