#include "work/recplace.h"

#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "data/shelf.h"

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

bool recplace_memory_db(struct buf *dir, char **notice)
{
	const char *db = environment("MEMORY_DB");
	size_t at = dir->n, dot;
	char cwd[PATH_MAX];

	if (notice)
		*notice = NULL;
	if (!db || environment("HANDOFF_VAULT"))
		return false;
	if (db[0] != '/' && realpath(".", cwd))
		buf_printf(dir, "%s/", cwd);
	buf_add(dir, str_of(db));
	dot = str_rchr(str_basename(str_from(buf_str(dir), at)), '.');
	if (dot != STR_NPOS && dot > 0)
		buf_cut(dir, dir->n - (str_basename(str_of(db)).n - dot));
	buf_add(dir, STR(".vault"));
	if (notice && is_sqlite(db)) {
		struct buf b = BUF_INIT(SIZE_MAX);

		buf_printf(
			&b,
			"MEMORY_DB=%s is an SQLite file of another program: it is left alone, "
			"records are kept in %s",
			db, buf_cstr(dir) + at);
		*notice = buf_take(&b);
	}
	return true;
}

int recplace_open(struct recplace *p, const char *agent, const char *session,
		  struct err *e)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	int ret;

	*p = (struct recplace){.vault.lock = -1};
	if (!agent)
		agent = environment("AGENT_ID");
	if (!session)
		session = environment("CLAUDE_CODE_SESSION_ID");
	p->agent = str_dup(str_of(agent ? agent : ""));
	p->session = str_dup(str_of(session ? session : ""));
	ret = vault_open(&p->vault,
			 recplace_memory_db(&dir, &p->notice) ? buf_cstr(&dir) : NULL, e);
	p->store = (struct record_store){&p->vault, p->agent, p->session};
	buf_release(&dir);
	return ret;
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
