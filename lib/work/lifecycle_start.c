/*
 * The start of a session. First what is over is settled (lifecycle_settle.c), then by
 * source:
 *
 *   startup, unknown   the newest pending document of this worktree in full, others in a line
 *   clear              of the session that was left: a document written by hand in full, an
 *                      automatic one in a line (plain /clear means "forget"), stated hazards
 *   compact            what summaries lose
 *   resume, fork       only what is new: how a killed session ended, what still runs
 */
#include "work/lifecycle_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "data/gitstate.h"
#include "work/frame.h"
#include "work/inject.h"

#define GIT_FILES   50 /* paths looked at for drift */
#define TITLE_BYTES 120
#define EARLY_UNITS 200 /* what headings of ours may add to a document */

static struct gitstate read_git(const struct lifecycle *l)
{
	struct gitstate_options o = {.deadline_ns = l->o.deadline_ns,
				     .max_files = GIT_FILES};
	struct gitstate g;

	gitstate_read(&g, l->j->worktree ? l->j->worktree : l->j->dir, &o);
	return g;
}

/* Units that are left for a document once text is said. */
static size_t units_left(const struct buf *text)
{
	size_t used = utf8_units16(buf_str(text)) + EARLY_UNITS;
	size_t left = used < HOOKIO_UNITS_MAX ? HOOKIO_UNITS_MAX - used : 0;
	size_t wanted = (size_t)lifecycle_setting("inject_units");

	return left < wanted ? left : wanted;
}

static void say_early(const struct lifecycle *l, const struct docs_item *it,
		      const struct buf *text)
{
	struct buf whole = BUF_INIT(HOOKIO_INPUT_MAX), reply = BUF_INIT(HOOKIO_INPUT_MAX);

	if (l->o.early) {
		buf_add(&whole, buf_str(text));
		inject_document(&whole, it, NULL, units_left(text));
		hookio_context(&reply, l->in->kind, buf_str(&whole), STR_NONE);
		l->o.early(&reply);
	}
	buf_release(&whole);
	buf_release(&reply);
}

static void add_title(struct buf *b, const struct docs_item *it)
{
	frame_line(b, utf8_head(str_of(it->title), TITLE_BYTES));
}

/*
 * The client does not end what a killed session had started; it runs on also when that
 * session was resumed since and then left in order.
 */
static void add_orphans(const struct lifecycle *l, const struct docs_item *it,
			struct buf *text)
{
	struct buf orphans = BUF_INIT(64u << 10);

	if (lifecycle_orphans(str_of(it->session), l->process.pid, &orphans))
		buf_printf(
			text,
			"Note from handoff: of session %.*s%s, this still runs: process %s.\n",
			STR_ARG(lifecycle_short(it->session)),
			it->kind == HANDOFF_RECOVERED ? ", which was killed" : "",
			buf_cstr(&orphans));
	buf_release(&orphans);
}

/* A document in full: shown, offered, and said to the user in a line. */
static void give(struct lifecycle *l, const struct docs_item *it, struct buf *text,
		 struct buf *user)
{
	struct gitstate git;

	say_early(l, it, text);
	add_orphans(l, it, text);
	git = read_git(l);
	inject_document(text, it, &git, units_left(text));
	gitstate_release(&git);
	if (l->o.early)
		l->o.early(NULL);
	journal_list_clear(l->j->offered);
	journal_list_add(l->j->offered, str_of(it->name));
	l->j->prompted = false;
	if (!user->n) {
		buf_add(user, STR("handoff: notes of session "));
		utf8_show(user, lifecycle_short(it->session), UTF8_ONELINE);
		buf_add(user, STR(" picked up ("));
		add_title(user, it);
		buf_add(user, STR("). Type /clear to start without them."));
	}
	lifecycle_log(l, "offered %s", it->name);
}

static int load(struct lifecycle *l, struct docs *d, struct err *e)
{
	*d = (struct docs){0};
	if (!l->vault_ok || !vault_exists(&l->vault))
		return 0;
	return docs_load_newest(d, &l->vault, str_of(l->j->project), LIFECYCLE_DOCS, e);
}

int lifecycle_tell_start(struct lifecycle *l, struct buf *text, struct buf *user,
			 struct err *e)
{
	struct lifecycle_scan s;
	const struct docs_item *it;
	struct docs d;
	int ret;

	lifecycle_scan(l, &s);
	lifecycle_settle(l, &s, text, user);
	lifecycle_scan_release(&s);
	ret = load(l, &d, e);
	if (!ret && lifecycle_adopt(l, &d)) {
		docs_release(&d);
		ret = load(l, &d, e);
	}
	if (ret)
		return ret;
	it = docs_offer_to(&d, str_of(l->j->worktree), str_of(l->j->session));
	if (it)
		give(l, it, text, user);
	lifecycle_shipped(l, &d, it != NULL, text, user);
	inject_others(text, &d, it, str_of(l->j->worktree));
	docs_release(&d);
	return 0;
}

/* ---- clear ---- */

static void add_pointer(struct buf *text, const struct docs_item *it)
{
	buf_add(text,
		STR("Note from handoff: the session before this /clear left notes ("));
	add_title(text, it);
	buf_add(text, STR("). They are kept, not shown; `/recover "));
	frame_line(text, str_of(it->session));
	buf_add(text, STR("` brings them back.\n"));
}

static int tell_clear(struct lifecycle *l, struct buf *text, struct buf *user,
		      struct err *e)
{
	const struct docs_item *it;
	struct lifecycle_scan s;
	struct docs d;
	int ret;

	lifecycle_scan(l, &s);
	if (s.cleared[0])
		journal_set(&l->j->previous, str_of(s.cleared));
	lifecycle_settle(l, &s, text, user);
	lifecycle_scan_release(&s);
	buf_reset(text); /* after /clear only what belongs to the session that was left */
	buf_reset(user);
	ret = load(l, &d, e);
	it = ret || !l->j->previous ? NULL : docs_of_session(&d, str_of(l->j->previous));
	if (it && it->kind == HANDOFF_MANUAL && it->status == DOCS_PENDING) {
		give(l, it, text, user);
	} else if (it) {
		add_pointer(text, it);
		inject_hazards(text, it);
	}
	docs_release(&d);
	return ret;
}

/* ---- compact ---- */

int lifecycle_tell_compact(struct lifecycle *l, struct buf *text, struct err *e)
{
	struct keep_options o = {.status = DOCS_LIVE,
				 .kind = HANDOFF_AUTO,
				 .deadline_ns = l->o.deadline_ns};
	struct lifecycle_heed *heed;
	struct keep_done done;
	struct gitstate git;
	struct extract *x;
	int ret;

	ret = lifecycle_keep(l, l->j, &o, &done, e);
	x = keep_facts(l->state_dir, l->j);
	heed = lifecycle_heed(l);
	if (!x && lifecycle_heeds(heed)->n)
		x = extract_new(); /* what was handed on holds without a transcript too */
	if (x) {
		git = read_git(l);
		inject_compact(text, extract_facts(x, NULL, CLOCK_NONE),
			       lifecycle_heeds(heed), &git, units_left(text));
		gitstate_release(&git);
	}
	lifecycle_heed_free(heed);
	extract_free(x);
	return ret == HF_ENOTFOUND ? 0 : ret;
}

/* ---- resume, fork ---- */

/* The session runs again, and so its document is live again, also when another has it. */
static void own_document(struct lifecycle *l, struct buf *text)
{
	struct journal *j = l->j;
	struct err e = ERR_INIT;
	str name = str_of(j->document), project = str_of(j->project);
	int ret;

	if (!j->document || !l->vault_ok || !vault_exists(&l->vault) ||
	    vault_lock(&l->vault, LIFECYCLE_LOCK_MS, NULL))
		return;
	ret = docs_move(&l->vault, project, name, DOCS_PENDING, DOCS_LIVE, STR_NONE, &e);
	if (ret == HF_EAMBIGUOUS && docs_move(&l->vault, project, name, DOCS_CLAIMED,
					      DOCS_LIVE, STR_NONE, NULL) == 0) {
		buf_add(text,
			STR("Note from handoff: another session has picked up the notes of this "
			    "one meanwhile ("));
		frame_line(text, str_of(e.msg));
		buf_add(text, STR(").\n"));
	}
	vault_unlock(&l->vault);
}

/* What the model said last, where the history that it is given does not hold it. */
static void add_unwritten(const struct lifecycle *l, struct buf *text)
{
	struct extract *x = l->j->last_message ? keep_facts(l->state_dir, l->j) : NULL;

	if (x && handoff_unwritten(extract_facts(x, NULL, CLOCK_NONE),
				   str_of(l->j->last_message), l->j->said_at)) {
		buf_add(text,
			STR("Note from handoff: the last message of this session before it "
			    "ended is not in its history. It was: \""));
		frame_line(text, str_of(l->j->last_message));
		buf_add(text, STR("\"\n"));
	}
	extract_free(x);
}

static int tell_resume(struct lifecycle *l, struct buf *text, struct err *e)
{
	struct lifecycle_scan s;
	int ret;

	lifecycle_scan(l, &s);
	lifecycle_scan_release(&s);
	lifecycle_left(l, text);
	own_document(l, text);
	ret = lifecycle_current(l, e);
	add_unwritten(l, text);
	return ret;
}

/* ---- the event ---- */

/* Once per session: what the user has to know of the store. */
static void add_problem(struct lifecycle *l, const struct err *saved, struct buf *user)
{
	struct buf why = BUF_INIT(HOOKIO_USER_MAX);

	if (saved->code)
		utf8_show(&why, str_of(saved->msg), UTF8_ONELINE);
	else if (l->j->noticed || !lifecycle_problem(l, &why))
		goto out;
	l->j->noticed = true;
	buf_reset(user);
	buf_add(user, STR("handoff: notes cannot be stored: "));
	buf_add(user, utf8_head(buf_str(&why), HOOKIO_USER_MAX / 2));
out:
	buf_release(&why);
}

/*
 * Our first word of a session that has a history already: the program came in its middle, or
 * its start was lost. What there is is read now, when a moment more is not felt as much as
 * at the end of a turn. The reply is ready, should the time end here.
 */
static void read_ahead(struct lifecycle *l, const struct buf *reply)
{
	struct err e = ERR_INIT;

	if (l->j->document || !l->j->transcript || !fs_is_file(l->j->transcript))
		return;
	if (l->o.early)
		l->o.early(reply);
	if (lifecycle_current(l, &e))
		lifecycle_log(l, "reading ahead: %s", e.msg);
	if (l->o.early)
		l->o.early(NULL);
}

int lifecycle_session_start(struct lifecycle *l, struct buf *reply, struct err *e)
{
	struct buf text = BUF_INIT(HOOKIO_INPUT_MAX),
		   user = BUF_INIT(4 * HOOKIO_USER_MAX);
	str source = l->in->source;
	bool fresh = l->j->is_new;
	struct err saved = ERR_INIT;
	int ret = 0;

	lifecycle_touch(l, true);
	journal_set(&l->j->source, source);
	/* at once: what runs beside this hook has to see that this session is alive */
	lifecycle_save(l, &saved);
	if (l->quiet)
		goto out;
	if (str_eq(source, STR("compact"))) {
		journal_list_clear(l->j->shown);
		l->j->compacting = false;
		ret = lifecycle_tell_compact(l, &text, e);
	} else if (str_eq(source, STR("clear"))) {
		ret = tell_clear(l, &text, &user, e);
	} else if (str_eq(source, STR("resume")) || str_eq(source, STR("fork"))) {
		ret = tell_resume(l, &text, e);
	} else {
		own_document(l, &text);
		ret = lifecycle_tell_start(l, &text, &user, e);
	}
	if (text.n && !lifecycle_once(l->j, buf_str(&text))) {
		buf_reset(&text);
		buf_reset(&user);
	}
	add_problem(l, &saved, &user);
	lifecycle_save(l, NULL);
	hookio_context(reply, HOOK_SESSION_START, buf_str(&text), buf_str(&user));
	if (fresh) {
		read_ahead(l, reply);
		lifecycle_save(l, NULL);
	}
out:
	buf_release(&text);
	buf_release(&user);
	if (saved.code)
		return err_set(e, saved.code, "%s", saved.msg);
	return ret;
}
