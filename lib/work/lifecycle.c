/*
 * Every event begins the same way: the journal entry of its session is opened, or made;
 * the directory of the first event fixes the project for good; the client's process is
 * noted. What follows is a few lines for each event; the start of a session is in
 * lifecycle_start.c.
 *
 * States of an entry, and what moves between them:
 *
 *   open --SessionEnd--> ended --its document is whole--> retired (journal/done/)
 *   open --another id in its process--> forked, switched --as above-->
 *   open --its process is gone--> recovered --as above-->
 *   any but open --SessionStart, UserPromptSubmit--> open
 *
 * A Stop that comes after SessionEnd (the client may be that late) does not open it again.
 */
#include "work/lifecycle_parts.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "data/config.h"
#include "data/project.h"
#include "work/frame.h"
#include "work/hooklog.h"
#include "work/identity.h"
#include "work/inject.h"
#include "work/redact.h"
#include "work/trust.h"

#define OFF_FILE        "off"
#define OFF_FOLDER      "off.d"
#define PROBLEM_FILE    "problem" /* why the store could not be written, one line */
#define PROBLEM_MAX     1000
#define LAST_MESSAGE    2000 /* bytes kept of the last assistant message */
#define AGENT_MAX       300  /* bytes kept of what a sub-agent gave back */
#define REASON_MAX      200
#define DAY_MS          ((int64_t)24 * 3600 * 1000)
#define MANUAL_KEEP_MAX 300 /* characters that a user sees of a manual compaction */

/* ---- places and switches ---- */

static bool env_on(const char *name)
{
	const char *v = getenv(name);

	return v && *v && strcmp(v, "0") != 0;
}

void lifecycle_off_path(struct buf *b, const char *state_dir, str project)
{
	fs_join(b, str_of(state_dir), project.n ? STR(OFF_FOLDER) : STR(OFF_FILE));
	if (project.n) {
		buf_byte(b, '/');
		buf_add(b, project);
	}
}

static bool off_file(const char *state_dir, str project)
{
	struct buf b = BUF_INIT(PATH_MAX);
	struct stat st;
	bool off;

	lifecycle_off_path(&b, state_dir, project);
	off = io.stat(buf_cstr(&b), &st) == 0;
	buf_release(&b);
	return off;
}

/* The setting `off`, which stands where HANDOFF_OFF does not say otherwise. */
static bool off_setting(void)
{
	struct config c;
	bool off;

	config_load(&c, NULL);
	off = config_bool(&c, "off");
	config_release(&c);
	return off;
}

int64_t lifecycle_setting(const char *key)
{
	struct config c;
	int64_t n;

	config_load(&c, NULL);
	n = config_int(&c, key);
	config_release(&c);
	return n;
}

bool lifecycle_is_off(const char *state_dir, str project)
{
	return env_on("HANDOFF_OFF") || off_setting() || off_file(state_dir, STR_NONE) ||
	       (project.n && project_name_ok(project) && off_file(state_dir, project));
}

void lifecycle_log(const struct lifecycle *l, const char *fmt, ...)
{
	char message[HOOKLOG_LINE_MAX];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		message[0] = '\0';
	va_end(ap);
	hooklog_add(l->state_dir, l->what, "%s", message);
}

/* ---- opening ---- */

static int project_folder(const struct lifecycle *l, const struct project *p,
			  struct buf *folder, struct err *e)
{
	bool named = p->source == PROJECT_BY_CALLER || p->source == PROJECT_BY_ENV;

	if (!named && trust_named(l->state_dir, p->id, folder))
		return 0;
	return identity_folder(&l->vault, p, folder, e);
}

static void set_project(struct lifecycle *l, struct err *e)
{
	const char *dir = getenv("CLAUDE_PROJECT_DIR");
	struct buf at = BUF_INIT(PATH_MAX), folder = BUF_INIT(PATH_MAX);
	struct project p;

	if (dir && *dir == '/')
		buf_add(&at, str_of(dir));
	else
		buf_add(&at, l->in->cwd);
	if (project_of(&p, at.n ? buf_cstr(&at) : NULL, NULL, e) == 0 &&
	    project_folder(l, &p, &folder, e) == 0) {
		journal_set(&l->j->dir, p.dir ? str_of(p.dir) : buf_str(&at));
		journal_set(&l->j->project, buf_str(&folder));
		journal_set(&l->j->project_id, str_of(p.id));
		journal_set(&l->j->worktree, str_of(p.top ? p.top : l->j->dir));
	}
	project_release(&p);
	buf_release(&at);
	buf_release(&folder);
}

static void set_places(struct lifecycle *l)
{
	struct buf state = BUF_INIT(PATH_MAX), claude = BUF_INIT(PATH_MAX);

	config_state_dir(&state);
	config_claude_dir(&claude);
	l->state_dir = buf_take(&state);
	l->claude_dir = buf_take(&claude);
	l->vault_ok = vault_open(&l->vault, NULL, &l->vault_err) == 0;
}

/* The MCP server of this session may have been given a vault that hooks were not told of. */
static void take_vault(struct lifecycle *l)
{
	const char *root = l->j->vault;

	if (!root || root[0] != '/' || config_vault_named())
		return;
	vault_release(&l->vault);
	l->vault_err = ERR_INIT;
	l->vault_ok = vault_open(&l->vault, root, &l->vault_err) == 0;
}

static bool is_quiet(const struct lifecycle *l)
{
	return l->j->headless && !l->j->document && !env_on("HANDOFF_HEADLESS");
}

int lifecycle_open(struct lifecycle *l, const struct hookio *in,
		   const struct lifecycle_options *o, struct err *e)
{
	const char *entry = getenv("CLAUDE_CODE_ENTRYPOINT");
	int ret;

	*l = (struct lifecycle){
		.in = in, .o = *o, .vault.lock = -1, .vault_err = ERR_INIT};
	snprintf(l->what, sizeof(l->what), "%s %.*s",
		 in->kind ? hookio_name(in->kind) : "unknown event",
		 STR_ARG(str_head(in->session, LIFECYCLE_SHORT_ID)));
	set_places(l);
	if (!l->state_dir[0])
		return err_set(e, HF_ENOTFOUND,
			       "no place for the state: HOME is not set");
	if (lifecycle_is_off(l->state_dir, STR_NONE))
		return LIFECYCLE_OFF;
	l->j = journal_open(l->state_dir, in->session, e);
	if (!l->j)
		return HF_EUSAGE;
	take_vault(l);
	l->was = l->j->state;
	l->before = l->j->process;
	journal_process_of(&l->process, o->pid);
	if (!l->j->project)
		set_project(l, e);
	if (!l->j->project)
		return HF_EUSAGE;
	if (lifecycle_is_off(l->state_dir, str_of(l->j->project)))
		return LIFECYCLE_OFF;
	if (l->j->is_new)
		l->j->started_at = clock_now();
	if (in->transcript.n)
		journal_set(&l->j->transcript, in->transcript);
	if (entry)
		l->j->headless = str_starts(str_of(entry), STR("sdk-"));
	l->quiet = is_quiet(l);
	if (in->agent_id.n && in->kind != HOOK_SUBAGENT_STOP) {
		lifecycle_touch(l, false);
		ret = lifecycle_save(l, e);
		return ret ? ret : LIFECYCLE_OFF;
	}
	return LIFECYCLE_GO;
}

void lifecycle_close(struct lifecycle *l)
{
	journal_free(l->j);
	vault_release(&l->vault);
	free(l->state_dir);
	free(l->claude_dir);
	*l = (struct lifecycle){.vault.lock = -1};
}

/* ---- shared steps ---- */

/*
 * Another terminal may run the same session, and a client that forks one first announces
 * the parent's id: an entry whose process lives is not taken over by a mere start.
 */
static bool runs_elsewhere(const struct lifecycle *l)
{
	return l->in->kind == HOOK_SESSION_START && l->was == JOURNAL_OPEN &&
	       !l->j->is_new && l->before.pid != l->process.pid &&
	       journal_alive(&l->before) == JOURNAL_ALIVE;
}

void lifecycle_touch(struct lifecycle *l, bool open)
{
	struct journal *j = l->j;

	j->last_event_at = clock_now();
	if (open || j->is_new) {
		j->state = JOURNAL_OPEN;
		j->ended_at = CLOCK_NONE;
		j->done = false;
		journal_set(&j->reason, STR_NONE);
	}
	/* a hook that outlives its client has another parent, who would seem to run the session for ever */
	if (j->is_new || (l->process.pid && !runs_elsewhere(l)))
		j->process = l->process;
}

int lifecycle_save(struct lifecycle *l, struct err *e)
{
	return journal_save(l->j, e);
}

bool lifecycle_once(struct journal *j, str text)
{
	char key[20];

	snprintf(key, sizeof(key), "%016llx", (unsigned long long)str_hash(text));
	if (journal_list_has(j->shown, str_of(key)))
		return false;
	journal_list_add(j->shown, str_of(key));
	return true;
}

str lifecycle_short(const char *session)
{
	return str_head(str_of(session), LIFECYCLE_SHORT_ID);
}

void lifecycle_time(struct buf *b, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	if (at == CLOCK_NONE) {
		buf_add(b, STR("an unknown time"));
		return;
	}
	clock_iso_s(iso, at);
	buf_printf(b, "%.10s %.5s UTC", iso, iso + 11);
}

static void problem_path(const struct lifecycle *l, struct buf *b)
{
	fs_join(b, str_of(l->state_dir), STR(PROBLEM_FILE));
}

bool lifecycle_problem(const struct lifecycle *l, struct buf *b)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(PROBLEM_MAX);
	bool found = true;

	problem_path(l, &path);
	if (!l->vault_ok && l->vault_err.code != HF_ENOTFOUND)
		buf_add(&text, str_of(l->vault_err.msg));
	else
		found = fs_read(buf_cstr(&path), &text, NULL) == 0 && text.n;
	if (found)
		redact_show(b, buf_str(&text), true);
	buf_release(&path);
	buf_release(&text);
	return found;
}

/* Remember a failure of the store, and forget it once something has been stored. */
static void note_problem(const struct lifecycle *l, int ret, bool written,
			 const char *message)
{
	struct buf path = BUF_INIT(PATH_MAX);

	problem_path(l, &path);
	if (ret && ret != HF_ETIME && l->vault.root &&
	    str_find(str_of(message), str_of(l->vault.root)) != STR_NPOS)
		fs_write_quick(buf_cstr(&path), str_head(str_of(message), PROBLEM_MAX),
			       0600, NULL);
	else if (written && fs_is_file(buf_cstr(&path)))
		io.unlink(buf_cstr(&path));
	buf_release(&path);
}

/* project.md, the first time something is stored for a project. */
static void record_identity(struct lifecycle *l, const struct journal *k)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct project p;

	if (vault_path(&l->vault, VAULT_PROJECT, str_of(k->project), STR(IDENTITY_NOTE),
		       &path) &&
	    !fs_is_file(buf_cstr(&path)) && project_of(&p, k->dir, NULL, NULL) == 0) {
		struct err e = ERR_INIT;

		if (p.id && k->project_id && strcmp(p.id, k->project_id) == 0 &&
		    identity_record(&l->vault, &p, str_of(k->project), &e))
			lifecycle_log(l, "%s", e.msg);
		project_release(&p);
	}
	buf_release(&path);
}

int lifecycle_keep(struct lifecycle *l, struct journal *k, const struct keep_options *o,
		   struct keep_done *done, struct err *e)
{
	struct err own = ERR_INIT;
	uint64_t before = k->offset;
	int ret;

	*done = (struct keep_done){0};
	if (!l->vault_ok)
		return err_set(e, l->vault_err.code, "%s", l->vault_err.msg);
	if (!k->transcript)
		return err_set(e, HF_ENOTFOUND, "no transcript is known");
	ret = keep_update(&l->vault, l->state_dir, k, o, done, &own);
	if (done->name[0])
		journal_set(&k->document, str_of(done->name));
	k->worked = k->worked || done->worked;
	if (ret || (!o->render && k->offset != before))
		k->ino = 0; /* whatever was read, the document is not what it should be */
	if (done->derive_err.code)
		lifecycle_log(l, "derived events: %s", done->derive_err.msg);
	note_problem(l, ret, done->written, own.msg);
	if (done->written)
		record_identity(l, k);
	return ret ? err_set(e, ret, "%s", own.msg) : 0;
}

/* ---- Stop, StopFailure, SubagentStop ---- */

static void set_cut(char **field, str value, size_t max)
{
	struct buf b = BUF_INIT(4u << 20);

	redact_show(&b, value, true);
	journal_set(field, utf8_head(buf_str(&b), max));
	buf_release(&b);
}

/* The document of this session says all that its transcript does. */
static bool nothing_new(const struct journal *j)
{
	struct stat st;

	return j->document && j->transcript && io.stat(j->transcript, &st) == 0 &&
	       j->offset == (uint64_t)st.st_size && j->ino == (uint64_t)st.st_ino;
}

bool lifecycle_derives(void)
{
	struct config c;
	bool on;

	config_load(&c, NULL);
	on = config_bool(&c, "derive");
	config_release(&c);
	return on;
}

/* At these events a turn is over. */
static bool ends_turn(enum hook_kind kind)
{
	return kind == HOOK_STOP || kind == HOOK_STOP_FAILURE || kind == HOOK_SESSION_END;
}

int lifecycle_current(struct lifecycle *l, struct err *e)
{
	struct keep_options o = {
		.status = l->j->state == JOURNAL_OPEN ? DOCS_LIVE : DOCS_PENDING,
		.kind = HANDOFF_AUTO,
		.deadline_ns = l->o.deadline_ns,
	};
	struct keep_done done;
	int ret;

	if (l->quiet)
		return 0;
	o.render = l->spoken || !nothing_new(l->j);
	o.derive = ends_turn(l->in->kind) &&
		   (o.render || l->j->derived != l->j->offset) && lifecycle_derives();
	if (!o.render && !o.derive)
		return 0;
	ret = lifecycle_keep(l, l->j, &o, &done, e);
	return ret == HF_ENOTFOUND ? 0 : ret; /* a transcript that was not to be kept */
}

/* said: the assistant's last words, empty where the turn ended without. */
static int turn_ended(struct lifecycle *l, str said, struct err *e)
{
	char *before = l->j->last_message ? str_dup(str_of(l->j->last_message)) : NULL;
	int ret, saved;

	lifecycle_touch(l, false);
	set_cut(&l->j->last_message, said, LAST_MESSAGE);
	l->spoken = !str_eq(str_of(before), str_of(l->j->last_message));
	free(before);
	l->j->said_at = l->j->last_message ? clock_now() : CLOCK_NONE;
	ret = lifecycle_current(l, e);
	if (!ret)
		keep_agents_settle(l->state_dir, l->j);
	lifecycle_claim(l, NULL);
	saved = lifecycle_save(l, e);
	return ret ? ret : saved;
}

int lifecycle_stop(struct lifecycle *l, struct buf *reply, struct err *e)
{
	(void)reply; /* any word would make the model go on */
	journal_set(&l->j->failure, STR_NONE);
	return turn_ended(l, l->in->last_message, e);
}

int lifecycle_stop_failure(struct lifecycle *l, struct buf *reply, struct err *e)
{
	struct buf b = BUF_INIT(HOOKIO_INPUT_MAX);

	(void)reply;
	buf_add(&b, l->in->error);
	if (l->in->error_details.n) {
		buf_add(&b, STR(": "));
		buf_add(&b, l->in->error_details);
	}
	set_cut(&l->j->failure, buf_str(&b), REASON_MAX);
	buf_release(&b);
	/* its last message is the text of the error, which the client showed */
	return turn_ended(l, STR_NONE, e);
}

int lifecycle_subagent_stop(struct lifecycle *l, struct buf *reply, struct err *e)
{
	struct buf b = BUF_INIT(HOOKIO_INPUT_MAX + 100);
	char *line = NULL;

	(void)reply;
	lifecycle_touch(l, false);
	if (l->in->agent_type
		    .n) { /* without a type it is the summarizer of a compaction */
		buf_add(&b, str_head(l->in->agent_type, 60));
		if (l->in->agent_id.n)
			buf_printf(&b, " %.*s", STR_ARG(str_head(l->in->agent_id, 60)));
		buf_add(&b, STR(": "));
		buf_add(&b, l->in->last_message);
		set_cut(&line, buf_str(&b), AGENT_MAX);
		if (line)
			journal_list_add(l->j->agents, str_of(line));
		free(line);
	}
	buf_release(&b);
	return lifecycle_save(l, e);
}

/* ---- compaction ---- */

int lifecycle_pre_compact(struct lifecycle *l, struct buf *reply, struct err *e)
{
	bool manual = str_eq(l->in->trigger, STR("manual"));
	struct extract *x;
	int ret, saved;

	lifecycle_touch(l, false);
	ret = lifecycle_current(l, e);
	journal_list_clear(l->j->shown); /* the summary takes them out of the context */
	l->j->compacting = true;
	saved = lifecycle_save(l, e);
	if (!l->quiet) {
		struct buf text = BUF_INIT(HOOKIO_INPUT_MAX);
		struct lifecycle_heed *heed = lifecycle_heed(l);

		x = keep_facts(l->state_dir, l->j);
		if (!x)
			x = extract_new();
		inject_keep(&text, extract_facts(x, NULL, CLOCK_NONE),
			    lifecycle_heeds(heed), manual);
		lifecycle_heed_free(heed);
		/* plain text: what begins with a brace would be taken for JSON */
		if (text.n && !str_starts(str_trim(buf_str(&text)), STR("{")))
			buf_add(reply,
				manual ? hookio_fit(buf_str(&text), MANUAL_KEEP_MAX)
				       : buf_str(&text));
		buf_release(&text);
		extract_free(x);
	}
	return ret ? ret : saved;
}

/* ---- UserPromptSubmit ---- */

/* What a person typed for the model: no slash command, no markup of the client. */
static bool is_real_prompt(str s)
{
	static const char *const MARKUP[] = {"<task-notification", "<command-",
					     "<local-command", "<bash-",
					     "<system-reminder"};
	size_t i = 1;

	s = str_trim(s);
	if (!s.n)
		return false;
	for (size_t k = 0; k < sizeof(MARKUP) / sizeof(MARKUP[0]); k++)
		if (str_starts(s, str_of(MARKUP[k])))
			return false;
	if (s.p[0] != '/')
		return true;
	/* "/name words" is a command; "/home/dev/x is broken" is about a path */
	while (i < s.n &&
	       (str_is_alnum(s.p[i]) || s.p[i] == '-' || s.p[i] == '_' || s.p[i] == ':'))
		i++;
	return i == 1 || (i < s.n && !str_is_space(s.p[i]));
}

static void tell_claimed(struct lifecycle *l, const char *name, const struct err *why,
			 struct buf *text)
{
	lifecycle_log(l, "not claimed: %s", why->msg);
	buf_add(text, STR("Note from handoff: the notes "));
	frame_line(text, str_of(name));
	buf_add(text,
		STR(", which were shown when this session started, have been picked up by "
		    "another session since ("));
	frame_line(text, str_of(why->msg));
	buf_add(text, STR("). That session is at work on them.\n"));
}

/* What came of a claim: true when there is nothing left to claim. */
static bool claim_offered(struct lifecycle *l, const char *name, struct buf *text)
{
	struct journal *j = l->j;
	struct err e = ERR_INIT;
	int ret = docs_move(&l->vault, str_of(j->project), str_of(name), DOCS_PENDING,
			    DOCS_CLAIMED, str_of(j->session), &e);

	if (!ret) {
		journal_set(&j->claimed, str_of(name));
		j->ino = 0; /* the session's own document does not hold its hazards yet */
		lifecycle_log(l, "claimed %s", name);
		return true;
	}
	if (ret != HF_EAMBIGUOUS && ret != HF_ENOTFOUND) {
		lifecycle_log(l, "not claimed: %s", e.msg);
		return false;
	}
	if (text)
		tell_claimed(l, name, &e, text);
	return text != NULL;
}

void lifecycle_claim(struct lifecycle *l, struct buf *text)
{
	struct journal *j = l->j;
	struct err e = ERR_INIT;

	if (j->claimed || !j->offered[0] || !j->prompted || !l->vault_ok)
		return;
	if (vault_lock(&l->vault, LIFECYCLE_LOCK_MS, &e)) {
		lifecycle_log(l, "not claimed yet: %s", e.msg);
		return;
	}
	if (claim_offered(l, j->offered[0], text))
		journal_list_clear(j->offered);
	vault_unlock(&l->vault);
}

/* The client sent no SessionStart: nothing of this session has been written yet. */
static bool missed_start(const struct lifecycle *l)
{
	return l->j->is_new && l->j->transcript && !fs_is_file(l->j->transcript);
}

int lifecycle_user_prompt(struct lifecycle *l, struct buf *reply, struct err *e)
{
	struct buf text = BUF_INIT(HOOKIO_INPUT_MAX), user = BUF_INIT(HOOKIO_USER_MAX);
	bool missed = missed_start(l), fresh = l->j->is_new;
	int ret = 0, saved;

	lifecycle_touch(l, true);
	if (l->quiet)
		goto out;
	if (missed) {
		ret = lifecycle_tell_start(l, &text, &user, e);
	} else if (fresh) {
		struct lifecycle_scan s;

		lifecycle_scan(l, &s);
		lifecycle_scan_release(&s);
	}
	if (l->j->compacting && l->j->transcript &&
	    lifecycle_compacted(l->j->transcript, l->j->offset)) {
		l->j->compacting = false;
		ret = lifecycle_tell_compact(l, &text, e);
	}
	if (is_real_prompt(l->in->prompt))
		l->j->prompted = true;
	lifecycle_claim(l, &text);
out:
	saved = lifecycle_save(l, e);
	hookio_context(reply, HOOK_USER_PROMPT, buf_str(&text), buf_str(&user));
	buf_release(&text);
	buf_release(&user);
	return ret ? ret : saved;
}

/* ---- SessionEnd ---- */

static void facts_gone(const char *session, void *arg)
{
	const struct lifecycle *l = arg;

	keep_forget(l->state_dir, str_of(session), NULL);
}

/* Sessions that were over long ago are forgotten, with what is left of the time. */
static void prune(struct lifecycle *l)
{
	struct journal_limits o = {
		.keep = (size_t)lifecycle_setting("journal_sessions"),
		.since = clock_now() - lifecycle_setting("journal_days") * DAY_MS,
		.deadline_ns = l->o.deadline_ns,
	};
	struct err e = ERR_INIT;

	if (journal_prune(l->state_dir, &o, facts_gone, l, &e) < 0)
		lifecycle_log(l, "%s", e.msg);
}

int lifecycle_session_end(struct lifecycle *l, struct buf *reply, struct err *e)
{
	struct journal *j = l->j;
	int ret = 0, saved;

	(void)reply; /* nobody would read it */
	lifecycle_touch(l, false);
	j->state = JOURNAL_ENDED;
	j->ended_at = j->last_event_at;
	set_cut(&j->reason, l->in->reason.n ? l->in->reason : STR("other"), REASON_MAX);
	if (l->quiet) {
		saved = journal_retire(j, e);
		prune(l);
		return saved;
	}
	/* first the little that matters: this hook may be killed at any moment */
	saved = lifecycle_save(l, e);
	if (nothing_new(j))
		keep_note_git(l->state_dir, j, l->o.deadline_ns);
	ret = lifecycle_current(l, e);
	lifecycle_claim(l, NULL);
	if (!ret)
		lifecycle_finish(l, j);
	if (!saved || !ret)
		saved = lifecycle_save(l, e);
	prune(l);
	return ret ? ret : saved;
}
