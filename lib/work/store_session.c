/*
 * Whose note? In order: the client session that the caller named; the open entry of the
 * journal whose process is one of those above this one (the client starts its server, and the
 * shell that runs a command); CLAUDE_CODE_SESSION_ID; nobody's.
 *
 * Under a server the session changes with /clear and the process stays: the old entry is
 * closed by the hooks, so an entry is looked for again as soon as the known one is not open.
 */
#include "work/store_impl.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "data/journal.h"
#include "data/project.h"
#include "work/identity.h"
#include "work/trust.h"

#define ANCESTORS 4 /* a shell, a wrapper, ... */

/* ---- processes above this one ---- */

struct wanted {
	int64_t pid[ANCESTORS];
	size_t n;
	char session[JOURNAL_ID_MAX + 1]; /* of the newest entry that fits */
	int64_t at;
};

static void find_ancestors(struct wanted *w)
{
	int64_t pid = getppid();
	struct proc p;

	for (w->n = 0; w->n < ANCESTORS && pid > 1; pid = p.parent) {
		w->pid[w->n++] = pid;
		if (!proc_stat(pid, &p))
			break;
	}
}

static bool runs_above(const struct journal *j, const struct wanted *w)
{
	if (j->state != JOURNAL_OPEN)
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (j->process.pid == w->pid[i])
			return journal_alive(&j->process) == JOURNAL_ALIVE;
	return false;
}

static int newest_above(struct journal *j, void *arg)
{
	struct wanted *w = arg;

	if (runs_above(j, w) && (!w->session[0] || j->last_event_at > w->at)) {
		snprintf(w->session, sizeof w->session, "%s", j->session);
		w->at = j->last_event_at;
	}
	return 0;
}

/* The entry of a session, or NULL when the journal has none. */
static struct journal *entry(const struct store *s, const char *session)
{
	struct journal *j;

	if (!s->state_dir[0] || !session || !session[0])
		return NULL;
	j = journal_open(s->state_dir, str_of(session), NULL);
	if (j && j->is_new) {
		journal_free(j);
		j = NULL;
	}
	return j;
}

static struct journal *find_entry(const struct store *s)
{
	struct wanted w = {.n = 0};
	struct journal *j;

	find_ancestors(&w);
	j = entry(s, s->session);
	if (j && runs_above(j, &w))
		return j;
	journal_free(j);
	if (s->state_dir[0])
		journal_each(s->state_dir, newest_above, &w, NULL);
	return entry(s, w.session);
}

/* ---- what follows from it ---- */

static void take_project(struct store *s, const char *project, const char *dir)
{
	if (s->fixed || !project || project_name_bad(str_of(project)))
		return;
	free(s->project);
	s->project = str_dup(str_of(project));
	if (dir) {
		free(s->dir);
		s->dir = str_dup(str_of(dir));
	}
}

/* The journal knows nothing of it (no hooks): the programs of the session agree on its start. */
static void unknown_session(struct store *s, const char *id)
{
	int64_t started = s->own.started_us;

	if (strcmp(s->session, id) == 0 && s->note.id[0])
		return;
	if (s->state_dir[0])
		store_started(s, str_hash(str_of(id)), &started);
	sessionnote_of(&s->note, str_of(id), started / 1000);
}

void store_session(struct store *s)
{
	const char *id = s->named;
	struct journal *j = id ? entry(s, id) : find_entry(s);

	if (!id && !j) {
		id = getenv("CLAUDE_CODE_SESSION_ID");
		if (id && !journal_id_ok(str_of(id)))
			id = NULL;
		j = entry(s, id);
	}
	if (j)
		id = j->session;
	if (j && j->project)
		take_project(s, j->project, j->dir);
	if (j) {
		sessionnote_of(&s->note, str_of(id), j->started_at);
		s->keeper = RUNNING_SESSION;
	} else if (id && id[0]) {
		unknown_session(s, id);
		/* a server lives as long as its client, a command does not */
		s->keeper = s->terminal ? RUNNING_NOBODY : RUNNING_PROCESS;
	} else {
		s->note = s->own;
		s->keeper = s->own_keeper;
	}
	snprintf(s->session, sizeof s->session, "%s", id ? id : "");
	journal_free(j);
}

/* ---- the project of a directory ---- */

int store_find_project(struct store *s, const char *name, struct err *e)
{
	struct buf folder = BUF_INIT(PATH_MAX);
	struct project p;
	int ret = project_of(&p, s->dir[0] ? s->dir : NULL,
			     &(struct project_options){.name = name}, e);

	if (ret)
		return ret;
	s->fixed = p.source == PROJECT_BY_CALLER || p.source == PROJECT_BY_ENV;
	if (s->fixed || !trust_named(s->state_dir, p.id, &folder))
		ret = identity_folder(&s->vault, &p, &folder, e);
	free(s->project);
	s->project = buf_take(&folder);
	project_release(&p);
	return ret;
}

/* project.md, the first time something is stored for the session's project. */
void store_record_project(struct store *s, str project)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct project p;

	if (s->recorded || s->fixed || !str_eq(project, str_of(s->project)))
		return;
	s->recorded = true;
	if (vault_path(&s->vault, VAULT_PROJECT, project, STR(IDENTITY_NOTE), &path) &&
	    !fs_is_file(buf_cstr(&path)) &&
	    project_of(&p, s->dir[0] ? s->dir : NULL, NULL, NULL) == 0) {
		if (p.source != PROJECT_BY_NOTHING)
			identity_record(&s->vault, &p, project, NULL);
		project_release(&p);
	}
	buf_release(&path);
}
