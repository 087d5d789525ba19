#include "work/scope.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/config.h"
#include "work/docs.h"
#include "work/identity.h"
#include "work/trust.h"

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

static int by_directory(struct scope *s, const char *dir, struct err *e)
{
	struct buf folder = BUF_INIT(PATH_MAX);
	struct project p;
	int ret;

	s->dir = current_dir(dir);
	ret = project_of(&p, s->dir[0] ? s->dir : NULL, NULL, e);
	if (ret)
		return ret;
	if (p.source == PROJECT_BY_CALLER || p.source == PROJECT_BY_ENV ||
	    !trust_named(s->state_dir, p.id, &folder))
		ret = identity_folder(&s->vault, &p, &folder, e);
	s->project = buf_take(&folder);
	s->worktree = str_dup(str_of(p.top ? p.top : p.dir ? p.dir : s->dir));
	project_release(&p);
	return ret;
}

static void by_journal(struct scope *s)
{
	s->project = str_dup(str_of(s->j->project));
	s->dir = str_dup(str_of(s->j->dir ? s->j->dir : ""));
	s->worktree = str_dup(str_of(s->j->worktree ? s->j->worktree : s->dir));
}

/* The entry of the session, if there is one; none is made. */
static int find_journal(struct scope *s, struct err *e)
{
	if (!s->session[0])
		return 0;
	if (!journal_id_ok(str_of(s->session)))
		return err_set(e, HF_EUSAGE, "'%s' is no session id", s->session);
	if (!s->state_dir[0])
		return 0;
	s->j = journal_open(s->state_dir, str_of(s->session), e);
	if (s->j && s->j->is_new) {
		journal_free(s->j);
		s->j = NULL;
	}
	return 0;
}

/* That of the session's MCP server, where it was given one of its own. */
static const char *noted_vault(const struct scope *s)
{
	const char *root = s->j ? s->j->vault : NULL;

	return root && root[0] == '/' && !config_vault_named() ? root : NULL;
}

int scope_open(struct scope *s, const char *session, const char *dir, struct err *e)
{
	struct buf state = BUF_INIT(PATH_MAX), claude = BUF_INIT(PATH_MAX);
	int ret;

	*s = (struct scope){.vault.lock = -1};
	config_state_dir(&state);
	config_claude_dir(&claude);
	s->state_dir = buf_take(&state);
	s->claude_dir = buf_take(&claude);
	s->session = str_dup(str_of(session ? session : ""));
	ret = find_journal(s, e);
	if (!ret)
		ret = vault_open(&s->vault, noted_vault(s), e);
	if (ret)
		return ret;
	if (!s->j || !s->j->project)
		return by_directory(s, dir, e);
	by_journal(s);
	return 0;
}

void scope_release(struct scope *s)
{
	journal_free(s->j);
	vault_release(&s->vault);
	free(s->state_dir);
	free(s->claude_dir);
	free(s->session);
	free(s->project);
	free(s->dir);
	free(s->worktree);
	*s = (struct scope){.vault.lock = -1};
}

int scope_known(const struct scope *s, struct err *e)
{
	struct docs d = {0};
	bool known = !s->session[0] || s->j;

	if (!known && docs_load(&d, &s->vault, str_of(s->project), true, NULL) == 0)
		for (size_t i = 0; i < d.n && !known; i++)
			known = strcmp(d.item[i].session, s->session) == 0;
	docs_release(&d);
	return known ? 0
		     : err_set(e, HF_ENOTFOUND,
			       "no session '%s' is known in %s (`handoff list` names them)",
			       s->session, s->project);
}

bool scope_runs(const struct scope *s)
{
	return s->j && s->j->state == JOURNAL_OPEN &&
	       journal_alive(&s->j->process) == JOURNAL_ALIVE;
}

int scope_identify(const struct scope *s, struct project *p, struct err *e)
{
	return project_of(p, s->dir && s->dir[0] ? s->dir : NULL, NULL, e);
}
