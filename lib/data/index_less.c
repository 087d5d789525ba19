/*
 * index_less: modules of SQLite that nothing here asks for, defined as absent.
 *
 * The static archive of SQLite holds FTS3 and R*Tree beside FTS5, and each connection sets them up.
 * Their entry points are defined here to do nothing; the linker then leaves the modules out.
 * Names as in SQLite 3 (src/main.c, "builtin extensions"). Linked statically only; a shared
 * SQLite brings its own.
 */
#include <stddef.h>

int sqlite3Fts3Init(void *db);
int sqlite3RtreeInit(void *db);
/* index.c refers to this, so that the linker takes this object before SQLite's own. */
int index_less(void);

int index_less(void)
{
	return 0;
}

int sqlite3Fts3Init(void *db)
{
	(void)db;
	return 0;
}

int sqlite3RtreeInit(void *db)
{
	(void)db;
	return 0;
}
