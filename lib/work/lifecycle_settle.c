/*
 * Sessions that are over. One walk over the journal (retired entries are not in it) finds
 * them; then each is brought to its end: read to the last record, its document pending, its
 * events in its note, what it had claimed consumed or returned, its entry retired. Several clients may start at
 * once; one of them settles, the others wait a moment and go on with what there is.
 */
#include "work/lifecycle_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/oom.h"
#include "base/utf8.h"
#include "data/claude.h"
#include "work/glance.h"

#define FOUND_MAX    64 /* sessions settled by one start */
#define ROOM_MAX     4  /* documents archived by one end */
#define ANNOUNCE_MAX 3  /* sessions announced one by one */
#define LOCK_NAME    "settle.lock"
#define LOCK_WAIT_MS 100
#define OLD_MS       ((int64_t)30 * 24 * 3600 * 1000) /* the client keeps transcripts so long */
#define QUIET_MS                                                                         \
	((int64_t)10 * 60 *                                                              \
	 1000) /* a session elsewhere that wrote nothing since is taken for dead */

struct lifecycle_found {
	char session[JOURNAL_ID_MAX + 1];
	int64_t at; /* last event */
};

static bool same_process(const struct journal_process *a, const struct journal_process *b)
{
	return a->pid && a->pid == b->pid && a->start == b->start &&
	       a->pidns == b->pidns && strcmp(a->boot, b->boot) == 0 &&
	       strcmp(a->host, b->host) == 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* ---- finding ---- */

struct walk {
	struct lifecycle *l;
	struct lifecycle_scan *s;
	int64_t cleared_at;
	bool looked,
		forked; /* whether this session is a fork, once that was looked for */
	struct buf parent;
};

/* Whether the transcript was written to lately: it may run on another machine. */
static bool is_fresh(const struct journal *k)
{
	struct stat st;

	return k->transcript && io.stat(k->transcript, &st) == 0 &&
	       clock_now() - (int64_t)st.st_mtime * 1000 < QUIET_MS;
}

static bool is_over(const struct lifecycle *l, const struct journal *k)
{
	if (k->state != JOURNAL_OPEN)
		return true;
	switch (journal_alive(&k->process)) {
	case JOURNAL_ALIVE:
		return false;
	case JOURNAL_UNKNOWN:
		return !is_fresh(k);
	case JOURNAL_GONE:
		break;
	}
	/* where a shell stands between client and hook, the shell is what is gone */
	return claude_running(l->claude_dir, str_of(k->session)) == 0;
}

/* Each record that is copied says from where: "forkedFrom":{"sessionId":"...","messageUuid":"..."} (client 2.1). */
bool lifecycle_forked(const struct lifecycle *l, struct buf *parent)
{
	struct buf b = BUF_INIT(GLANCE_HEAD_BYTES);
	char *path = str_dup(l->in->transcript);
	size_t at, end;
	int fd = path[0] ? fs_open(path, NULL, NULL) : -1;
	str rest;

	buf_reset(parent);
	if (fd >= 0) {
		fs_read_at(fd, 0, GLANCE_HEAD_BYTES, &b, NULL);
		io.close(fd);
	}
	at = str_find(buf_str(&b), STR("\"forkedFrom\""));
	rest = str_from(buf_str(&b), at == STR_NPOS ? b.n : at);
	rest = str_head(rest, str_chr(rest, '}'));
	end = str_find(rest, STR("\"sessionId\":\""));
	if (end != STR_NPOS) {
		rest = str_from(rest, end + STR("\"sessionId\":\"").n);
		rest = str_head(rest, str_chr(rest, '"'));
		if (journal_id_ok(rest))
			buf_add(parent, rest);
	}
	buf_release(&b);
	free(path);
	return at != STR_NPOS || str_eq(l->in->source, STR("fork"));
}

static bool is_fork(struct walk *w)
{
	if (!w->looked)
		w->forked = lifecycle_forked(w->l, &w->parent);
	w->looked = true;
	return w->forked;
}

/* Another id has appeared in its process: it is left, not dead. */
static void close_other(struct walk *w, struct journal *k)
{
	struct lifecycle *l = w->l;
	struct err e = ERR_INIT;

	if (k->state == JOURNAL_OPEN)
		k->ended_at = clock_now();
	k->state = is_fork(w) ? JOURNAL_FORKED : JOURNAL_SWITCHED;
	if (w->forked)
		journal_set(&l->j->previous, str_of(k->session));
	if (journal_save(k, &e))
		lifecycle_log(l, "%s", e.msg);
}

/* /branch ends the session, for the reason "resume", before it begins the copy. */
static bool is_branched(struct walk *w, const struct journal *k)
{
	return k->state == JOURNAL_ENDED && same_text(k->reason, "resume") &&
	       is_fork(w) && str_eq(buf_str(&w->parent), str_of(k->session));
}

static void add_found(struct lifecycle_scan *s, const struct journal *k)
{
	struct lifecycle_found *f;

	if (s->n == FOUND_MAX)
		return;
	if (!s->found)
		s->found = calloc(FOUND_MAX, sizeof(*s->found));
	if (!s->found)
		oom();
	f = &s->found[s->n++];
	memcpy(f->session, k->session, sizeof(f->session));
	f->at = k->last_event_at;
}

static int look(struct journal *k, void *arg)
{
	struct walk *w = arg;
	struct lifecycle *l = w->l;

	if (strcmp(k->session, l->j->session) == 0)
		return 0;
	if (same_process(&k->process, &l->process)) {
		if (k->state == JOURNAL_OPEN || is_branched(w, k))
			close_other(w, k);
		if (k->state == JOURNAL_ENDED && same_text(k->reason, "clear") &&
		    k->ended_at >= w->cleared_at) {
			w->cleared_at = k->ended_at;
			memcpy(w->s->cleared, k->session, sizeof(w->s->cleared));
		}
	}
	if (same_text(k->project, l->j->project)) {
		if (is_over(l, k))
			add_found(w->s, k);
	} else if (k->last_event_at < clock_now() - OLD_MS ||
		   (k->headless && !k->document && is_over(l, k))) {
		journal_retire(k, NULL);
	}
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct lifecycle_found *x = a, *y = b;

	return x->at < y->at ? 1 : x->at > y->at ? -1 : strcmp(x->session, y->session);
}

void lifecycle_scan(struct lifecycle *l, struct lifecycle_scan *s)
{
	struct walk w = {.l = l,
			 .s = s,
			 .cleared_at = INT64_MIN,
			 .parent = BUF_INIT(JOURNAL_ID_MAX + 1)};
	struct err e = ERR_INIT;

	*s = (struct lifecycle_scan){0};
	if (journal_each(l->state_dir, look, &w, &e))
		lifecycle_log(l, "%s", e.msg);
	buf_release(&w.parent);
	if (s->n)
		qsort(s->found, s->n, sizeof(s->found[0]), newest_first);
}

void lifecycle_scan_release(struct lifecycle_scan *s)
{
	free(s->found);
	*s = (struct lifecycle_scan){0};
}

/* ---- one session to its end ---- */

static void log_failure(const struct lifecycle *l, const struct journal *k,
			const struct err *e)
{
	lifecycle_log(l, "session %.*s: %s", STR_ARG(lifecycle_short(k->session)),
		      e->msg);
}

/* What the session took over and has not done goes on in its own document. */
static void carry(struct lifecycle *l, struct journal *k)
{
	struct buf own = BUF_INIT(HANDOFF_DOC_MAX), from = BUF_INIT(HANDOFF_DOC_MAX),
		   new = BUF_INIT(HANDOFF_DOC_MAX);
	str project = str_of(k->project), name = str_of(k->document);
	struct err e = ERR_INIT;

	if (vault_read(&l->vault, VAULT_HANDOFFS, project, name, &own, NULL) == 0 &&
	    docs_read(&l->vault, project, str_of(k->claimed), &from, NULL) == 0 &&
	    lifecycle_carry(&new, buf_str(&own), buf_str(&from), str_of(k->claimed)) &&
	    docs_save(&l->vault, project, name, buf_str(&new), &e))
		log_failure(l, k, &e);
	buf_release(&own);
	buf_release(&from);
	buf_release(&new);
}

static void move(struct lifecycle *l, const struct journal *k, const char *name,
		 enum docs_status from, enum docs_status to)
{
	struct err e = ERR_INIT;
	int ret = docs_move(&l->vault, str_of(k->project), str_of(name), from, to,
			    from == DOCS_CLAIMED ? str_of(k->session) : STR_NONE, &e);

	if (!ret)
		lifecycle_log(l, "%s: %s", name, docs_status_name(to));
	else if (ret != HF_ENOTFOUND && ret != HF_EAMBIGUOUS)
		log_failure(l, k, &e);
}

static bool has_status(const struct docs *d, const char *name, enum docs_status status)
{
	const struct docs_item *it = docs_named(d, str_of(name));

	return it && it->status == status;
}

/* The document of the session that this one was forked from says less than its own. */
static void supersede_parent(struct lifecycle *l, const struct journal *k,
			     const struct docs *d)
{
	struct journal *parent = journal_open(l->state_dir, str_of(k->previous), NULL);

	if (parent && parent->state == JOURNAL_FORKED && parent->document &&
	    same_text(parent->project, k->project) &&
	    has_status(d, parent->document, DOCS_PENDING))
		move(l, parent, parent->document, DOCS_PENDING, DOCS_SUPERSEDED);
	journal_free(parent);
}

/* What nobody took up in a long time makes room, a few at a time: every start reads what waits. */
static void make_room(struct lifecycle *l, const struct journal *k, const struct docs *d)
{
	size_t waiting = 0, moved = 0;

	for (size_t i = 0; i < d->n; i++)
		waiting += d->item[i].status == DOCS_PENDING;
	for (size_t i = d->n; i-- > 0 && waiting > LIFECYCLE_PENDING && moved < ROOM_MAX;)
		if (d->item[i].status == DOCS_PENDING &&
		    d->item[i].kind != HANDOFF_MANUAL) {
			move(l, k, d->item[i].name, DOCS_PENDING, DOCS_SUPERSEDED);
			waiting--;
			moved++;
		}
}

void lifecycle_finish(struct lifecycle *l, struct journal *k)
{
	struct docs d;

	if (!l->vault_ok || !k->project || !vault_exists(&l->vault))
		return;
	if (vault_lock(&l->vault, VAULT_LOCK_WAIT_MS, NULL))
		return;
	if (docs_load_newest(&d, &l->vault, str_of(k->project), DOCS_MAX, NULL))
		goto out;
	if (k->document && has_status(&d, k->document, DOCS_LIVE))
		move(l, k, k->document, DOCS_LIVE, DOCS_PENDING);
	if (k->claimed && k->worked && k->document) {
		carry(l, k);
		move(l, k, k->claimed, DOCS_CLAIMED, DOCS_CONSUMED);
	} else if (k->claimed) {
		move(l, k, k->claimed, DOCS_CLAIMED, DOCS_PENDING);
		journal_set(&k->claimed, STR_NONE);
	}
	if (k->previous && k->document)
		supersede_parent(l, k, &d);
	make_room(l, k, &d);
	docs_release(&d);
out:
	vault_unlock(&l->vault);
}

/* Nobody is at work on the document of this session, as far as can be known without its entry. */
static bool is_abandoned(const struct lifecycle *l, const struct docs_item *it)
{
	struct journal *k = journal_open(l->state_dir, str_of(it->session), NULL);
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	bool fresh;

	if (k && !k->is_new && !is_over(l, k)) {
		journal_free(k);
		return false;
	}
	/* one that is over and not retired is settled, sooner or later */
	if (k && !k->is_new && !k->done) {
		journal_free(k);
		return false;
	}
	journal_free(k);
	fresh = vault_path(&l->vault, VAULT_HANDOFFS, str_of(l->j->project),
			   str_of(it->name), &path) &&
		io.stat(buf_cstr(&path), &st) == 0 &&
		clock_now() - (int64_t)st.st_mtime * 1000 < QUIET_MS;
	buf_release(&path);
	return !fresh && claude_running(l->claude_dir, str_of(it->session)) == 0;
}

bool lifecycle_adopt(struct lifecycle *l, const struct docs *d)
{
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		const struct docs_item *it = &d->item[i];

		if (it->status != DOCS_LIVE || strcmp(it->session, l->j->session) == 0 ||
		    !is_abandoned(l, it) ||
		    vault_lock(&l->vault, LIFECYCLE_LOCK_MS, NULL))
			continue;
		move(l, l->j, it->name, DOCS_LIVE, DOCS_PENDING);
		vault_unlock(&l->vault);
		any = true;
	}
	return any;
}

/* ---- settling ---- */

struct settle {
	struct lifecycle *l;
	struct buf *text, *user;
	size_t announced;
};

static void announce(struct settle *st, const struct journal *k, const struct glance *g)
{
	int64_t at = g->ended != CLOCK_NONE ? g->ended : k->last_event_at;

	if (st->announced++ >= ANNOUNCE_MAX)
		return;
	buf_printf(st->text, "Note from handoff: session %.*s of this project ended at ",
		   STR_ARG(lifecycle_short(k->session)));
	lifecycle_time(st->text, at);
	buf_printf(
		st->text,
		" without being closed (%s). Its notes are not finished; `/recover %s` makes "
		"them.\n",
		g->reason && g->reason[0] ? g->reason : "how is not known", k->session);
	if (!st->user->n)
		buf_printf(
			st->user,
			"handoff: session %.*s ended without being closed; /recover %s brings it "
			"back",
			STR_ARG(lifecycle_short(k->session)), k->session);
}

static void retire(struct lifecycle *l, struct journal *k)
{
	struct err e = ERR_INIT;

	if (k->state == JOURNAL_OPEN) {
		k->state = JOURNAL_RECOVERED;
		k->ended_at = k->last_event_at;
	}
	if (journal_retire(k, &e))
		log_failure(l, k, &e);
	else
		keep_forget_git(l->state_dir, str_of(k->session));
}

/* The document of the session, in handoffs/ or archived; DOCS_ODD: there is none. */
static enum docs_status own_status(const struct lifecycle *l, const struct journal *k)
{
	enum docs_status s = DOCS_ODD;
	struct docs_item it;

	if (k->document && docs_get(&l->vault, str_of(k->project), str_of(k->document),
				    &it, NULL) == 0) {
		s = it.status;
		docs_item_release(&it);
	}
	return s;
}

/* Nothing was written since the document was made. */
static bool is_current(const struct journal *k, const struct stat *st)
{
	return k->document && k->offset == (uint64_t)st->st_size && k->ino == st->st_ino;
}

/* No time is left to read it: what its last records tell has to do. */
static void tell_of(struct settle *st, const struct journal *k)
{
	struct glance g;

	if (k->state != JOURNAL_OPEN || glance_read(&g, k->transcript, false, NULL))
		return;
	if (g.dead)
		announce(st, k, &g);
	glance_release(&g);
}

/* Another session has or had it, or nothing was written since: it stays as it is. */
static bool is_settled(const struct journal *k, const struct stat *file,
		       enum docs_status own)
{
	bool over =
		k->state != JOURNAL_OPEN; /* what is written after that is bookkeeping */

	switch (own) {
	case DOCS_CLAIMED:
		return true;
	case DOCS_CONSUMED:
	case DOCS_SUPERSEDED:
		return over || is_current(k, file);
	case DOCS_PENDING:
		return over && is_current(k, file);
	default:
		return false;
	}
}

/* The document is left to the next start: no time, or a store that fails. */
static bool is_put_off(int ret, const struct keep_done *done)
{
	return ret ? ret != HF_EFORMAT : !done->current;
}

static void settle_read(struct settle *st, struct journal *k, const struct stat *file)
{
	struct lifecycle *l = st->l;
	bool died = k->state == JOURNAL_OPEN;
	struct keep_options o = {.status = DOCS_PENDING,
				 .kind = HANDOFF_AUTO,
				 .ended = k->state == JOURNAL_ENDED,
				 .deadline_ns = l->o.deadline_ns};
	struct keep_done done = {.current = true};
	struct err e = ERR_INIT;
	struct glance g = {.ended = CLOCK_NONE};
	int ret = 0;

	if (died && glance_read(&g, k->transcript, false, NULL) == 0 && g.dead)
		o.kind = HANDOFF_RECOVERED;
	o.render = !is_settled(k, file, own_status(l, k));
	o.derive = k->derived != (uint64_t)file->st_size && lifecycle_derives();
	if (o.render || o.derive)
		ret = lifecycle_keep(l, k, &o, &done, &e);
	if (ret)
		log_failure(l, k, &e);
	if (o.kind == HANDOFF_RECOVERED && done.written)
		lifecycle_log(l, "recovered session %.*s: %s",
			      STR_ARG(lifecycle_short(k->session)), k->document);
	if (is_put_off(ret, &done)) {
		if (died && g.dead && (!ret || ret == HF_ETIME))
			announce(st, k, &g);
		journal_save(k, NULL);
		goto out;
	}
	lifecycle_finish(l, k);
	if (done.underived)
		journal_save(k, NULL); /* the next start goes on with its events */
	else
		retire(l, k);
out:
	glance_release(&g);
}

static bool time_is_over(const struct lifecycle *l)
{
	return l->o.deadline_ns && clock_mono_ns() >= l->o.deadline_ns;
}

static void settle_one(struct settle *st, const char *session)
{
	struct lifecycle *l = st->l;
	struct journal *k = journal_open(l->state_dir, str_of(session), NULL);
	struct stat file;

	if (!k || k->is_new || k->done || !is_over(l, k))
		goto out; /* another start was faster, or it runs again */
	if ((k->headless && !k->document) || !k->transcript ||
	    io.stat(k->transcript, &file) < 0) {
		lifecycle_finish(l, k);
		retire(l, k);
	} else if (time_is_over(l)) {
		tell_of(st, k);
	} else {
		settle_read(st, k, &file);
	}
out:
	journal_free(k);
}

void lifecycle_settle(struct lifecycle *l, struct lifecycle_scan *s, struct buf *text,
		      struct buf *user)
{
	struct settle st = {.l = l, .text = text, .user = user};
	struct buf path = BUF_INIT(PATH_MAX);
	int lock;

	if (!s->n || !l->vault_ok)
		return;
	fs_join(&path, str_of(l->state_dir), STR(LOCK_NAME));
	lock = fs_lock(buf_cstr(&path), LOCK_WAIT_MS, NULL);
	buf_release(&path);
	if (lock < 0)
		return;
	for (size_t i = 0; i < s->n && (!time_is_over(l) || st.announced < ANNOUNCE_MAX);
	     i++)
		settle_one(&st, s->found[i].session);
	fs_unlock(lock);
	if (st.announced > ANNOUNCE_MAX)
		buf_printf(
			text,
			"%zu more session%s of this project ended without being closed.\n",
			st.announced - ANNOUNCE_MAX,
			st.announced == ANNOUNCE_MAX + 1 ? "" : "s");
}
