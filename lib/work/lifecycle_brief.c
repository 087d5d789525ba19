/*
 * The second entry of SessionStart: the brief of the project, from the index.
 *
 * The client runs both entries at once, so this one writes nothing that the first one writes:
 * what a session has been told of the store stands in a file of its own, STATE/briefs/<session>,
 * a line for each line shown (a hash), and one for each whole text ("=" and a hash). It is
 * disposable: without it something is told twice.
 *
 *   startup, clear, unknown   the brief
 *   compact                   the brief once more: the summary has taken it out of the context
 *   resume, fork              the lines that the session has not been told yet
 *
 * The events of a session whose document the first entry gives are left out; so are the
 * session's own, after a compaction and a resume, and in a fork those of the session that it was
 * copied from: the first entry tells what of them was lost, or the history has them. Packets
 * that wait for this agent, or for anyone, are offered a line each.
 */
#include "work/lifecycle_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "work/brief.h"
#include "work/inject.h"
#include "work/packet.h"
#include "work/recall.h"
#include "work/running.h"

#define BRIEF_UNITS 4000
#define FRAME_UNITS 480 /* what inject_memory adds */
#define DOCS_LOOKED 16
#define BUSY_MS     10
#define LEDGER_MAX  (64u << 10)
#define LEDGER_KEEP (16u << 10) /* bytes of it that are carried on */
#define LEDGER_DAYS 30
#define KEY_BYTES   20
#define DAY_MS      86400000

/* ---- the ledger ---- */

static bool ledger_path(const struct lifecycle *l, const char *session, struct buf *path)
{
	buf_reset(path);
	if (!l->state_dir[0] || !session || !journal_id_ok(str_of(session)))
		return false;
	buf_printf(path, "%s/briefs/%s", l->state_dir, session);
	return !path->full;
}

static void ledger_read(const struct lifecycle *l, const char *session, struct buf *out)
{
	struct buf path = BUF_INIT(PATH_MAX);

	if (ledger_path(l, session, &path))
		fs_read(buf_cstr(&path), out, NULL);
	buf_release(&path);
}

static int drop_old(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int64_t before = *(int64_t *)arg;
	struct stat st;

	fs_join(&path, str_of(dir), str_of(name));
	if (!path.full && io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	    (int64_t)st.st_mtim.tv_sec * 1000 < before)
		io.unlink(buf_cstr(&path));
	buf_release(&path);
	return 0;
}

static void ledger_write(const struct lifecycle *l, str text)
{
	int64_t before = clock_now() - (int64_t)LEDGER_DAYS * DAY_MS;
	struct buf path = BUF_INIT(PATH_MAX), dir = BUF_INIT(PATH_MAX);

	if (text.n > LEDGER_KEEP) {
		text = str_from(text, text.n - LEDGER_KEEP);
		text = str_from(text, str_chr(text, '\n') + 1);
	}
	fs_join(&dir, str_of(l->state_dir), STR("briefs"));
	if (ledger_path(l, l->j->session, &path) &&
	    fs_mkdirs(buf_cstr(&dir), 0700, NULL) == 0) {
		if (!fs_is_file(buf_cstr(&path)))
			fs_each(buf_cstr(&dir), drop_old, &before, NULL);
		fs_write_quick(buf_cstr(&path), text, 0600, NULL);
	}
	buf_release(&path);
	buf_release(&dir);
}

static void key_of(char key[KEY_BYTES], const char *mark, str text)
{
	snprintf(key, KEY_BYTES, "%s%016llx\n", mark, (unsigned long long)str_hash(text));
}

static bool ledger_has(const struct buf *ledger, const char *key)
{
	return str_find(buf_str(ledger), str_of(key)) != STR_NPOS;
}

/* ---- only what is new ---- */

static bool is_item(str line)
{
	return str_starts(line, STR("- "));
}

/* The brief without the items in the ledger, and without headings that have none left. */
static void only_new(str text, const struct buf *ledger, struct buf *out)
{
	char key[KEY_BYTES];
	str heading = STR_NONE, line;

	while (str_line(&text, &line)) {
		if (str_starts(line, STR("## "))) {
			heading = line;
			continue;
		}
		if (!is_item(line))
			continue;
		key_of(key, "", line);
		if (ledger_has(ledger, key))
			continue;
		if (heading.n)
			buf_printf(out, "%s%.*s\n", out->n ? "\n" : "", STR_ARG(heading));
		heading = STR_NONE;
		buf_add(out, line);
		buf_byte(out, '\n');
	}
}

static void remember(struct buf *ledger, str text)
{
	char key[KEY_BYTES];
	str line;

	while (str_line(&text, &line)) {
		if (!is_item(line))
			continue;
		key_of(key, "", line);
		if (!ledger_has(ledger, key))
			buf_add(ledger, str_of(key));
	}
}

/* ---- the brief ---- */

static bool again(str source)
{
	return str_eq(source, STR("resume")) || str_eq(source, STR("fork"));
}

/* The session that this one's history was copied from; "" none. */
static void parent(const struct lifecycle *l, struct buf *session)
{
	if (lifecycle_forked(l, session) && !session->n && l->j->previous)
		buf_add(session, str_of(l->j->previous));
}

/* The sessions that the first entry, or the history, tells all of; "" none. */
static void beside(const struct lifecycle *l, str source, struct buf session[BRIEF_SKIP])
{
	const struct docs_item *it;
	struct docs d;

	if (str_eq(source, STR("compact")) || again(source)) {
		buf_add(&session[0], str_of(l->j->session));
		parent(l, &session[1]);
		return;
	}
	if (docs_load_newest(&d, &l->vault, str_of(l->j->project), DOCS_LOOKED, NULL))
		return;
	it = docs_offer_to(&d, str_of(l->j->worktree), str_of(l->j->session));
	if (it)
		buf_add(&session[0], str_of(it->session));
	docs_release(&d);
}

static bool has_notes(const struct lifecycle *l)
{
	struct buf path = BUF_INIT(PATH_MAX);
	bool yes = vault_path(&l->vault, VAULT_SESSIONS, str_of(l->j->project), STR_NONE,
			      &path) &&
		   fs_is_dir(buf_cstr(&path));

	buf_release(&path);
	return yes;
}

static int make(struct lifecycle *l, struct buf *text, struct err *e)
{
	struct recall_options ro = {.project = str_of(l->j->project),
				    .deadline_ns = l->o.deadline_ns,
				    .busy_ms = BUSY_MS};
	struct buf session[BRIEF_SKIP] = {BUF_INIT(256), BUF_INIT(256)};
	struct brief_options bo = {.project = ro.project,
				   .tokens = BRIEF_TOKENS,
				   .units_max = BRIEF_UNITS - FRAME_UNITS,
				   .dated = true,
				   .quiet = true};
	struct brief_figures f;
	struct running running;
	struct buf note = BUF_INIT(RECALL_NOTE_MAX);
	struct recall r;
	int ret = recall_open(&r, &l->vault, &ro, e);

	if (!ret) {
		recall_note(&r, &note);
		bo.units_max -= note.n;
		beside(l, l->in->source, session);
		for (size_t i = 0; i < BRIEF_SKIP; i++)
			bo.skip_session[i] = buf_str(&session[i]);
		do {
			running_init(&running, l->state_dir, r.index);
			bo.runs = running_item;
			bo.runs_arg = &running;
			ret = brief_render(text, r.index, &bo, &f, e);
			running_release(&running);
		} while (recall_again(&r, &l->vault, &ret, e));
	}
	if (!ret && text->n)
		buf_add(text, buf_str(&note));
	recall_release(&r);
	buf_release(&note);
	for (size_t i = 0; i < BRIEF_SKIP; i++)
		buf_release(&session[i]);
	return ret;
}

/* Packets that wait for this agent or anyone, a line each, before the first section. */
static void offers(struct lifecycle *l, struct buf *text)
{
	const char *agent = getenv("AGENT_ID");
	struct record_store s = {.vault = &l->vault,
				 .agent = agent ? agent : "",
				 .session = l->j->session};
	struct buf lines = BUF_INIT(BRIEF_OUT_MAX), all = BUF_INIT(BRIEF_OUT_MAX);
	size_t n = packet_offer(&s, l->o.deadline_ns, &lines), at;

	if (lines.n) {
		at = str_find(buf_str(text), STR("## "));
		at = at == STR_NPOS ? text->n : at;
		buf_add(&all, str_head(buf_str(text), at));
		buf_add(&all, STR("## Handed over, waiting to be picked up\n"));
		buf_add(&all, buf_str(&lines));
		if (n > PACKET_OFFERS_MAX)
			buf_printf(&all, "- and %zu more\n", n - PACKET_OFFERS_MAX);
		buf_byte(&all, '\n');
		buf_add(&all, str_from(buf_str(text), at));
		if (!all.full) {
			buf_reset(text);
			buf_add(text, buf_str(&all));
		}
	}
	buf_release(&lines);
	buf_release(&all);
}

/* What of it this session is to be told; the ledger holds it afterwards. */
static bool to_tell(const struct lifecycle *l, const struct buf *brief, struct buf *text,
		    struct buf *ledger)
{
	struct buf whole = BUF_INIT(LEDGER_MAX), from = BUF_INIT(256);
	char key[KEY_BYTES];

	if (!str_eq(l->in->source, STR("compact")))
		ledger_read(l, l->j->session, ledger);
	if (again(l->in->source) && !ledger->n) {
		parent(l, &from);
		ledger_read(l, from.n ? buf_cstr(&from) : NULL, ledger);
	}
	buf_release(&from);
	if (again(l->in->source))
		only_new(buf_str(brief), ledger, text);
	else
		buf_add(text, buf_str(brief));
	buf_add(&whole, l->in->source);
	buf_add(&whole, buf_str(text));
	key_of(key, "=", buf_str(&whole));
	buf_release(&whole);
	if (!text->n || ledger_has(ledger, key))
		return false;
	remember(ledger, buf_str(text));
	buf_add(ledger, str_of(key));
	return true;
}

int lifecycle_brief(struct lifecycle *l, struct buf *reply, struct err *e)
{
	struct buf brief = BUF_INIT(BRIEF_OUT_MAX), text = BUF_INIT(BRIEF_OUT_MAX),
		   out = BUF_INIT(BRIEF_OUT_MAX), ledger = BUF_INIT(LEDGER_MAX);
	int ret = 0;

	if (l->quiet || !l->vault_ok || !vault_exists(&l->vault))
		return 0;
	if (has_notes(l))
		ret = make(l, &brief, e);
	if (!ret)
		offers(l, &brief);
	if (!ret && brief.n && to_tell(l, &brief, &text, &ledger)) {
		inject_memory(&out, str_of(l->j->project), buf_str(&text), BRIEF_UNITS);
		hookio_context(reply, HOOK_SESSION_START, buf_str(&out), STR_NONE);
		ledger_write(l, buf_str(&ledger));
	}
	buf_release(&brief);
	buf_release(&text);
	buf_release(&out);
	buf_release(&ledger);
	return ret;
}
