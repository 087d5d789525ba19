#include "work/recplace.h"

#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "data/config.h"
#include "data/shelf.h"
#include "work/redact.h"

static const char *environment(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

static bool is_sqlite(const char *path)
{
	struct buf head = BUF_INIT(16);
	int fd = fs_open(path, NULL, NULL);
	bool is;

	if (fd < 0)
		return false;
	is = fs_read_at(fd, 0, 16, &head, NULL) == 16 &&
	     str_starts(buf_str(&head), STR("SQLite format 3"));
	io.close(fd);
	buf_release(&head);
	return is;
}

char *recplace_notice(void)
{
	const char *db = environment("MEMORY_DB"), *home = environment("HOME");
	struct buf path = BUF_INIT(PATH_MAX), vault = BUF_INIT(PATH_MAX),
		   b = BUF_INIT(SIZE_MAX);

	if (!db || environment("HANDOFF_VAULT"))
		return NULL;
	if (home && str_starts(str_of(db), STR("~/")))
		buf_printf(&path, "%s%s", home, db + 1);
	else
		buf_add(&path, str_of(db));
	if (is_sqlite(buf_cstr(&path)) && config_vault_dir(&vault, NULL) == 0)
		buf_printf(
			&b,
			"MEMORY_DB=%s is an SQLite file of another program: it is left alone, "
			"records are kept in %s",
			db, buf_cstr(&vault));
	buf_release(&path);
	buf_release(&vault);
	return b.n ? buf_take(&b) : NULL;
}

int recplace_open(struct recplace *p, const char *agent, const char *session,
		  struct err *e)
{
	struct buf name = BUF_INIT(SIZE_MAX);

	*p = (struct recplace){.vault.lock = -1};
	if (!agent)
		agent = environment("AGENT_ID");
	if (!session)
		session = environment("CLAUDE_CODE_SESSION_ID");
	redact(&name, str_of(agent ? agent : ""));
	p->agent = buf_take(&name);
	p->session = str_dup(str_of(session ? session : ""));
	p->notice = recplace_notice();
	p->store = (struct record_store){
		.vault = &p->vault, .agent = p->agent, .session = p->session};
	return vault_open(&p->vault, NULL, e);
}

void recplace_release(struct recplace *p)
{
	vault_release(&p->vault);
	free(p->agent);
	free(p->session);
	free(p->notice);
	*p = (struct recplace){.vault.lock = -1};
}

static int any(const char *rel, const struct stat *st, void *arg)
{
	(void)rel;
	(void)st;
	*(bool *)arg = true;
	return 1;
}

bool recplace_in_use(const struct vault *v)
{
	bool found = false;

	shelf_walk(v, SHELF_PACKETS, STR_NONE, any, &found, NULL);
	if (!found)
		shelf_walk(v, SHELF_RECORDS, STR_NONE, any, &found, NULL);
	return found;
}
