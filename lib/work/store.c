/*
 * Order of a log_event, which is handoff-mcp's: clean, resolve what it retires, append to the
 * vault, then the rest. The vault's write decides: what comes after it (index, entity
 * notes) is made up for by the next store_refresh, so it is tried once and its failure is
 * nobody's.
 */
#include "work/store_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/oom.h"
#include "data/config.h"
#include "data/journal.h"
#include "data/project.h"
#include "work/identity.h"
#include "work/recindex.h"
#include "work/redact.h"
#include "work/running.h"
#include "work/supersede.h"

#define TEXT_MAX      (4u << 20) /* of a content as it comes in */
#define TERMINALS     "terminals"
#define TERMINALS_MAX (8u << 10)
#define ID_TRIES      8

/* ---- opening ---- */

static char *current_dir(const char *dir)
{
	const char *env = getenv("CLAUDE_PROJECT_DIR");
	char here[PATH_MAX];

	if (dir)
		return str_dup(str_of(dir));
	if (env && *env == '/')
		return str_dup(str_of(env));
	return str_dup(str_of(getcwd(here, sizeof(here)) ? here : ""));
}

/* What is the same for all commands of one terminal, and for no others: "" where nothing is. */
static void terminal_key(struct buf *b)
{
	struct journal_process p;
	pid_t leader = getsid(0);

	if (leader <= 0)
		return;
	journal_process_of(&p, leader);
	if (!p.start)
		return;
	buf_printf(b, "%s %lld %llu", p.boot, (long long)p.pid,
		   (unsigned long long)p.start);
}

/*
 * STATE/terminals: "<hash> <start of its note in microseconds>", a line for each terminal in
 * which something was logged, and for each session of the client that the journal does not know,
 * newest first. Without it the next command begins a new note.
 */
bool store_started(const struct store *s, uint64_t key, int64_t *started_us)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(TERMINALS_MAX),
		   next = BUF_INIT(2 * TERMINALS_MAX);
	str rest, line, word;
	bool found = false;
	uint64_t v;

	fs_join(&path, str_of(s->state_dir), STR(TERMINALS));
	fs_read(buf_cstr(&path), &text, NULL);
	rest = buf_str(&text);
	while (!found && str_line(&rest, &line))
		found = str_word(&line, &word) && str_u64(word, &v) && v == key &&
			str_word(&line, &word) && str_i64(word, started_us);
	if (!found) {
		buf_printf(&next, "%llu %lld\n", (unsigned long long)key,
			   (long long)*started_us);
		rest = buf_str(&text);
		while (next.n < TERMINALS_MAX / 2 && str_line(&rest, &line))
			buf_printf(&next, "%.*s\n", STR_ARG(line));
		fs_mkdirs(s->state_dir, 0700, NULL);
		found = fs_write_quick(buf_cstr(&path), buf_str(&next), 0600, NULL) == 0;
	}
	buf_release(&path);
	buf_release(&text);
	buf_release(&next);
	return found;
}

static void own_note(struct store *s)
{
	int64_t started = clock_now_us();
	struct buf key = BUF_INIT(256);
	char hash[24];

	if (s->terminal && s->state_dir[0])
		terminal_key(&key);
	if (key.n && store_started(s, str_hash(buf_str(&key)), &started)) {
		snprintf(hash, sizeof hash, "%016llx",
			 (unsigned long long)str_hash(buf_str(&key)));
		sessionnote_of(&s->own, str_of(hash), started / 1000);
		s->own_keeper = RUNNING_TERMINAL;
	} else {
		sessionnote_random(&s->own, started);
	}
	buf_release(&key);
}

int store_open(struct store *s, const struct store_options *o, struct err *e)
{
	struct buf state = BUF_INIT(PATH_MAX);
	int ret;

	*s = (struct store){.vault.lock = -1,
			    .terminal = o->terminal,
			    .own_keeper = RUNNING_PROCESS,
			    .watch = o->watch,
			    .no_index = o->no_index,
			    .busy_ms = o->busy_ms ? o->busy_ms : STORE_BUSY_MS};
	if (o->state_dir)
		buf_add(&state, str_of(o->state_dir));
	else
		config_state_dir(&state);
	s->state_dir = buf_take(&state);
	s->dir = current_dir(o->dir);
	s->project = str_dup(STR(PROJECT_NONE));
	if (o->session && !journal_id_ok(str_of(o->session)))
		return err_set(e, HF_EUSAGE, "'%s' is no session id", o->session);
	if (o->session)
		s->named = str_dup(str_of(o->session));
	ret = vault_open(&s->vault, o->vault, e);
	if (!ret)
		ret = store_find_project(s, o->project, e);
	if (ret)
		return ret;
	store_index_open(s);
	own_note(s);
	store_session(s);
	return 0;
}

void store_release(struct store *s)
{
	if (s->index)
		reindex_release(&s->reindex);
	index_free(s->index);
	vault_release(&s->vault);
	free(s->project);
	free(s->dir);
	free(s->state_dir);
	free(s->named);
	*s = (struct store){.vault.lock = -1};
}

/* ---- what the calls share ---- */

int store_project(const struct store *s, str named, str *project, struct err *e)
{
	*project = named.n ? named : str_of(s->project);
	return named.n ? identity_name(named, true, e) : 0;
}

int store_project_new(const struct store *s, str named, str *project, struct err *e)
{
	*project = named.n ? named : str_of(s->project);
	return named.n ? identity_name(named, false, e) : 0;
}

void store_clean(struct buf *out, str text)
{
	struct buf a = BUF_INIT(out->max), b = BUF_INIT(out->max);

	/* before lines are joined, for what spans them; and after, for what the joining made */
	redact(&a, text);
	event_normalise(&b, buf_str(&a));
	redact(out, buf_str(&b));
	if (a.full || b.full)
		out->full = true;
	buf_release(&a);
	buf_release(&b);
}

int store_refresh(struct store *s, str project, bool all, struct err *e)
{
	int ret;

	store_session(s);
	ret = store_reindex_all(s, project, all, e);
	/* what is not taken over now is at the next call */
	if (!ret && all)
		recindex_refresh(&s->vault, s->index, NULL);
	else if (!ret)
		recindex_news(&s->vault, s->index, NULL);
	return ret;
}

static int take_id(const struct index_item *it, enum vault_folder folder, str file,
		   void *arg)
{
	(void)folder;
	(void)file;
	buf_add(arg, it->id);
	return 0;
}

int store_resolve(struct store *s, str id, struct buf *out, struct err *e)
{
	if (!s->index)
		return HF_ENOTFOUND;
	return index_event(s->index, id, take_id, out, e);
}

/* ---- what an event retires ---- */

static bool has_id(const struct store_logged *out, str id)
{
	for (size_t i = 0; i < out->nretired; i++)
		if (str_eq(str_of(out->retired[i].id), id))
			return true;
	return false;
}

static void add_retired(struct store_logged *out, str id, str label, enum store_how how)
{
	if (has_id(out, id) || out->nretired >= STORE_SUPERSEDE_MAX)
		return;
	out->retired =
		realloc(out->retired, (out->nretired + 1) * sizeof(out->retired[0]));
	if (!out->retired)
		oom();
	out->retired[out->nretired++] =
		(struct store_retired){str_dup(id), str_dup(label), how};
}

struct given {
	str id;
	bool beginnings;
	struct store_logged *out;
};

static int add_given(const struct index_item *it, enum vault_folder folder, str file,
		     void *arg)
{
	struct given *g = arg;

	(void)folder;
	(void)file;
	if (!g->beginnings && !str_eq(it->id, g->id))
		return HF_ENOTFOUND;
	add_retired(g->out, it->id, it->body, STORE_GIVEN);
	return 0;
}

static int add_match(const struct index_item *it, void *arg)
{
	add_retired(arg, it->id, it->body, STORE_MATCH);
	return 0;
}

struct steps {
	const struct store *s;
	struct store_logged *out;
	struct running running;
};

static int add_step(const struct index_item *it, void *arg)
{
	struct steps *w = arg;

	if (!sessionnote_is(&w->s->note, it->session) && !running_has(&w->running, it))
		add_retired(w->out, it->id, it->body, STORE_AUTO);
	return 0;
}

/* Next steps of sessions that are over. */
static void resolve_steps(struct store *s, str project, struct store_logged *out)
{
	struct steps w = {.s = s, .out = out};

	running_init(&w.running, s->state_dir, s->index);
	if (index_steps(s->index, project, add_step, &w, NULL))
		out->blind = true;
	running_release(&w.running);
}

static bool has_secret(str s)
{
	struct buf clean = BUF_INIT(SIZE_MAX);
	bool has = redact(&clean, s) > 0;

	buf_release(&clean);
	return has;
}

/* The ids that the caller named, each checked; a beginning is made whole, where one may be given. */
static int resolve_given(struct store *s, const struct store_event *in,
			 struct store_logged *out, struct err *e)
{
	for (size_t i = 0; i < in->nsupersedes; i++) {
		str id = str_trim(in->supersedes[i]);
		struct given g = {id, in->beginnings, out};
		struct err own = ERR_INIT;
		int ret;

		if (!event_id_ok(id) || has_secret(id))
			return err_set(e, HF_EUSAGE, "supersedes: '%.*s' is no event id",
				       STR_ARG(str_head(id, 80)));
		ret = s->index ? index_event(s->index, id, add_given, &g, &own)
			       : HF_ENOTFOUND;
		if (ret == HF_EAMBIGUOUS && in->beginnings)
			return err_set(e, ret, "%s", own.msg);
		if (ret && !str_starts(id, STR("ev_")))
			return err_set(e, HF_EUSAGE,
				       "supersedes: '%.*s' is no event id, like "
				       "ev_1a2b3c4d, and no event has it",
				       STR_ARG(str_head(id, 80)));
		if (ret)
			add_retired(out, id, STR_NONE, STORE_UNKNOWN);
	}
	return 0;
}

static int ask(struct store *s, const struct store_event *in, str project, bool steps,
	       struct store_logged *out, struct err *e)
{
	int ret = resolve_given(s, in, out, e);

	if (ret)
		return ret;
	if (in->query.n && s->index &&
	    supersede_match(s->index, project, in->type, in->query, add_match, out, NULL))
		out->blind = true;
	if (steps && s->index)
		resolve_steps(s, project, out);
	return 0;
}

static int resolve(struct store *s, const struct store_event *in, str project,
		   struct store_logged *out, struct err *e)
{
	bool steps = in->type == EVENT_NEXT_STEP && in->origin == EVENT_LOGGED;
	bool blind;
	int ret = 0;

	if (!in->nsupersedes && !in->query.n && !steps)
		return 0;
	blind = store_reindex_all(s, project, in->nsupersedes > 0, NULL);
	do {
		store_logged_release(out);
		out->blind = blind;
		ret = ask(s, in, project, steps, out, e);
	} while (store_again(s, &ret, e));
	return ret;
}

/* ---- logging ---- */

static void join_ids(const struct store_logged *out, struct buf *csv)
{
	for (size_t i = 0; i < out->nretired; i++) {
		if (i)
			buf_byte(csv, ',');
		buf_add(csv, str_of(out->retired[i].id));
	}
}

/* An id that no event has yet. */
static void new_id(struct store *s, struct buf *id)
{
	struct buf found = BUF_INIT(EVENT_ID_MAX);

	for (int i = 0; i < ID_TRIES; i++) {
		buf_reset(id);
		event_new_id(id);
		if (store_resolve(s, buf_str(id), &found, NULL) == HF_ENOTFOUND)
			break;
	}
	buf_release(&found);
}

static void make_stubs(struct store *s, str project, str content)
{
	struct buf name = BUF_INIT(EVENT_CONTENT_MAX);
	size_t it = 0;

	for (int n = 0; n < STORE_STUBS_MAX && event_link(content, &it, &name); n++)
		store_stub(s, project, buf_str(&name));
	buf_release(&name);
}

/* Check what came in, and clean the content. */
static int check(const struct store *s, const struct store_event *in, str *project,
		 struct buf *content, struct err *e)
{
	int ret = store_project_new(s, in->project, project, e);

	if (ret)
		return ret;
	if (in->importance < 0 || in->importance > 5)
		return err_set(e, HF_EUSAGE, "importance must be from 1 to 5, not %d",
			       in->importance);
	if (in->id.n && !event_id_ok(in->id))
		return err_set(e, HF_EUSAGE, "'%.*s' is no event id",
			       STR_ARG(str_head(in->id, 80)));
	store_clean(content, in->content);
	if (content->full || content->n > EVENT_CONTENT_MAX)
		return err_set(e, HF_ELIMIT,
			       "the content is over %u bytes: log the point of it, in a "
			       "sentence or two",
			       EVENT_CONTENT_MAX);
	if (!content->n)
		return err_set(e, HF_EUSAGE, "the content is empty: nothing was logged");
	return 0;
}

/* What the note looks like before the event is added. */
static void look_before(const struct store *s, str project, struct reindex_before *before)
{
	struct buf file = BUF_INIT(PATH_MAX);
	bool exists;

	*before = (struct reindex_before){0};
	if (s->index &&
	    sessionnote_file(&s->vault, &s->note, project, &file, &exists, NULL) == 0)
		reindex_before(&s->reindex, VAULT_SESSIONS, project, buf_str(&file),
			       before);
	buf_release(&file);
}

static int append(struct store *s, const struct event *ev, str project, struct err *e)
{
	struct buf line = BUF_INIT(VAULT_NOTE_MAX), file = BUF_INIT(PATH_MAX);
	struct reindex_before before;
	bool made = false;
	int ret;

	event_render(&line, ev);
	look_before(s, project, &before);
	ret = line.full ? err_set(e, HF_ELIMIT, "the event is over %u bytes",
				  VAULT_NOTE_MAX)
			: sessionnote_add(&s->vault, &s->note, project, buf_str(&line),
					  STORE_LOCK_MS, &file, &made, e);
	if (!ret && s->index)
		reindex_added(&s->reindex, VAULT_SESSIONS, project, buf_str(&file),
			      made ? NULL : &before, buf_str(&line), NULL);
	if (!ret && made)
		store_record_project(s, project);
	buf_release(&line);
	buf_release(&file);
	return ret;
}

int store_log(struct store *s, const struct store_event *in, struct store_logged *out,
	      struct err *e)
{
	struct buf content = BUF_INIT(TEXT_MAX), id = BUF_INIT(EVENT_ID_MAX),
		   csv = BUF_INIT(VAULT_NOTE_MAX);
	struct event ev;
	str project;
	int ret;

	*out = (struct store_logged){0};
	store_session(s);
	ret = check(s, in, &project, &content, e);
	if (!ret)
		ret = resolve(s, in, project, out, e);
	if (ret)
		goto out;
	if (in->id.n)
		buf_add(&id, in->id);
	else
		new_id(s, &id);
	join_ids(out, &csv);
	if (in->type == EVENT_NEXT_STEP)
		running_record(s->state_dir, s->note.id, s->keeper);
	ev = (struct event){
		.type = in->type,
		.origin = in->origin,
		.importance = in->importance ? in->importance : 3,
		.at_us = in->at_us ? in->at_us : clock_now_us(),
		.id = buf_str(&id),
		.content = buf_str(&content),
		.supersedes = buf_str(&csv),
		.from = in->from,
	};
	ret = append(s, &ev, project, e);
	if (!ret) {
		out->id = str_dup(buf_str(&id));
		make_stubs(s, project, buf_str(&content));
	}
out:
	if (ret)
		store_logged_release(out);
	buf_release(&content);
	buf_release(&id);
	buf_release(&csv);
	return ret;
}

void store_logged_release(struct store_logged *out)
{
	for (size_t i = 0; i < out->nretired; i++) {
		free(out->retired[i].id);
		free(out->retired[i].label);
	}
	free(out->retired);
	free(out->id);
	*out = (struct store_logged){0};
}
