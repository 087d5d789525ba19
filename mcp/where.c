#include "where.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/config.h"
#include "data/journal.h"

static const char *project_dir(void)
{
	const char *dir = getenv("CLAUDE_PROJECT_DIR");

	return dir && dir[0] == '/' ? dir : NULL;
}

void where_init(struct where *w)
{
	struct buf state = BUF_INIT(PATH_MAX);

	config_state_dir(&state);
	*w = (struct where){.state_dir = buf_take(&state)};
}

void where_release(struct where *w)
{
	free(w->state_dir);
	free(w->root);
	free(w->cwd);
	*w = (struct where){0};
}

void where_root(struct where *w, const char *path)
{
	free(w->root);
	w->root = path ? str_dup(str_of(path)) : NULL;
}

const char *where_dir(struct where *w)
{
	char here[PATH_MAX];

	if (project_dir())
		return project_dir();
	if (w->root)
		return w->root;
	if (!w->cwd)
		w->cwd = str_dup(str_of(getcwd(here, sizeof(here)) ? here : ""));
	return w->cwd;
}

/* The session that the journal knows of the client's process. */
static struct journal *running(const struct where *w)
{
	const char *env = getenv("CLAUDE_CODE_SESSION_ID");
	struct journal *j = journal_running(w->state_dir, getppid());

	if (j || !env || !journal_id_ok(str_of(env)) || !w->state_dir[0])
		return j;
	j = journal_open(w->state_dir, str_of(env), NULL);
	if (j && j->is_new) {
		journal_free(j);
		j = NULL;
	}
	return j;
}

bool where_is_open(const struct where *w)
{
	const char *name = getenv("HANDOFF_PROJECT");
	struct journal *j;

	if (project_dir() || w->root || (name && *name))
		return false;
	j = running(w);
	journal_free(j);
	return !j;
}

void where_session(const struct where *w, struct buf *id)
{
	struct journal *j = running(w);

	if (j)
		buf_add(id, str_of(j->session));
	journal_free(j);
}

int where_scope(struct where *w, struct scope *s, struct err *e)
{
	struct buf id = BUF_INIT(JOURNAL_ID_MAX);
	int ret;

	where_session(w, &id);
	ret = scope_open(s, id.n ? buf_cstr(&id) : NULL, where_dir(w), e);
	buf_release(&id);
	return ret;
}

void where_note_vault(const struct where *w, const char *vault)
{
	struct journal *j = running(w);

	if (j && (!j->vault || strcmp(j->vault, vault) != 0)) {
		journal_set(&j->vault, str_of(vault));
		journal_save(j, NULL);
	}
	journal_free(j);
}
