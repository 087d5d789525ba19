/*
 * Open, check, make anew; statements and transactions.
 *
 * The schema is checked by looking: the text of every CREATE statement in sqlite_master must be
 * ours. An index of another release, one that lost a table, and a file that is no database are
 * all the same: removed, and made anew empty, under a lock file beside it.
 *
 * Two things make removal safe while others have the file open. WAL files are kept at close
 * (SQLITE_FCNTL_PERSIST_WAL), so nobody unlinks by name the WAL of a successor; and index_follow
 * compares inodes before each use, so that nobody goes on with a file that has lost its name. The
 * same comparison finds what a person removed: caches may be deleted at any time.
 *
 * Everything that contradicts the schema counts as damage, not only what SQLite calls corrupt: a
 * broken page shows as a wrong key, a violated constraint, or an error in a statement of ours.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/io.h"
#include "base/oom.h"
#include "data/config.h"
#include "data/index_impl.h"

#define IN_VAULT     ".index.db.handoff.db"
#define LOCK_WAIT_MS 200
#define OPEN_TRIES   3

/* Each is compared with sqlite_master as it stands. */
static const char *const SCHEMA[] = {
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID",
	"CREATE TABLE project(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
	"CREATE TABLE file(id INTEGER PRIMARY KEY, project INTEGER NOT NULL, "
	"folder INTEGER NOT NULL, name TEXT NOT NULL, mtime_ns INTEGER NOT NULL, "
	"size INTEGER NOT NULL, ino INTEGER NOT NULL, parsed INTEGER NOT NULL, "
	"hash INTEGER NOT NULL, items INTEGER NOT NULL, session TEXT NOT NULL, "
	"started_us INTEGER NOT NULL, done INTEGER NOT NULL, title TEXT NOT NULL, "
	"summary TEXT NOT NULL, odd INTEGER NOT NULL, skipped INTEGER NOT NULL, "
	"UNIQUE(project, folder, name))",
	"CREATE INDEX file_recent ON file(mtime_ns) WHERE folder <> 0",
	"CREATE INDEX file_judged ON file(started_us) WHERE folder = 0 AND started_us > 0",
	"CREATE INDEX file_odd ON file(project) WHERE odd <> 0",
	"CREATE TABLE folder(project INTEGER NOT NULL, folder INTEGER NOT NULL, "
	"mtime_ns INTEGER NOT NULL, PRIMARY KEY(project, folder)) WITHOUT ROWID",
	"CREATE TABLE item(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, "
	"pos INTEGER NOT NULL, project INTEGER NOT NULL, kind INTEGER NOT NULL, "
	"type INTEGER NOT NULL, importance INTEGER NOT NULL, origin INTEGER NOT NULL, "
	"retired INTEGER NOT NULL, at_us INTEGER NOT NULL, uid TEXT, name TEXT, "
	"body TEXT NOT NULL)",
	"CREATE INDEX item_file ON item(file, pos)",
	"CREATE INDEX item_uid ON item(uid) WHERE uid IS NOT NULL",
	"CREATE INDEX item_rank ON item(project, type, origin, importance DESC, "
	"at_us DESC, pos) "
	"WHERE kind = 0 AND retired = 0",
	"CREATE INDEX item_at ON item(at_us)",
	"CREATE TABLE edge(old TEXT NOT NULL, new TEXT NOT NULL, file INTEGER NOT NULL, "
	"PRIMARY KEY(old, new, file)) WITHOUT ROWID",
	"CREATE INDEX edge_file ON edge(file)",
	"CREATE TABLE tally(project INTEGER NOT NULL, type INTEGER NOT NULL, "
	"n INTEGER NOT NULL, PRIMARY KEY(project, type)) WITHOUT ROWID",
	"CREATE VIRTUAL TABLE words USING fts5(body, extra, proj, content='', "
	"tokenize='" INDEX_TOKENIZE "')",
};
#define NSCHEMA (sizeof SCHEMA / sizeof *SCHEMA)

static const char *const SETTINGS =
	"PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA temp_store = 2; "
	"PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 1000; "
	"PRAGMA journal_size_limit = 4194304; "
	"CREATE TEMP TABLE dirty(uid TEXT PRIMARY KEY) WITHOUT ROWID;";

int index_less(void);

#ifdef HANDOFF_STATIC
/* SQLite can load extensions, which a static program cannot: ld --wrap leads its call here. */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}
#endif

/* --- errors and statements --- */

int index_fail(struct index *ix, int rc, const char *doing, struct err *e)
{
	const char *msg = ix->db ? sqlite3_errmsg(ix->db) : sqlite3_errstr(rc);

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		oom();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, HF_ETIME, "%s: another process writes to it", ix->path);
	case SQLITE_PERM:
	case SQLITE_READONLY:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
	case SQLITE_NOLFS:
		ix->stuck = true;
		return err_set(e, HF_EIO, "%s: %s: %s", ix->path, doing, msg);
	default:
		ix->damaged = true;
		return err_set(e, HF_EFORMAT, "%s: damaged: %s: %s", ix->path, doing,
			       msg);
	}
}

int index_stmt(struct index *ix, const char *sql, sqlite3_stmt **st, struct err *e)
{
	int i, rc;

	*st = NULL;
	if (!ix->db || ix->damaged)
		return err_set(e, HF_EFORMAT, "%s: damaged, to be made anew", ix->path);
	for (i = 0; i < ix->nstmts; i++)
		if (ix->stmt[i].sql == sql && !sqlite3_stmt_busy(ix->stmt[i].st)) {
			*st = ix->stmt[i].st;
			sqlite3_reset(*st);
			return 0;
		}
	assert(ix->nstmts < INDEX_STMTS_MAX);
	rc = sqlite3_prepare_v3(ix->db, sql, -1, SQLITE_PREPARE_PERSISTENT, st, NULL);
	if (rc)
		return index_fail(ix, rc, "prepare", e);
	ix->stmt[ix->nstmts].sql = sql;
	ix->stmt[ix->nstmts++].st = *st;
	return 0;
}

int index_step(struct index *ix, sqlite3_stmt *st, struct err *e)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		rc = index_fail(ix, rc, "step", e);
	else
		rc = 0;
	sqlite3_reset(st);
	return rc;
}

int index_run(struct index *ix, sqlite3_stmt *st, struct err *e)
{
	int ret = index_step(ix, st, e);

	sqlite3_reset(st);
	return ret < 0 ? ret : 0;
}

void index_bind(sqlite3_stmt *st, int i, str s)
{
	sqlite3_bind_text64(st, i, s.p ? s.p : "", s.n, SQLITE_STATIC, SQLITE_UTF8);
}

str index_column(sqlite3_stmt *st, int i)
{
	const char *p = (const char *)sqlite3_column_text(st, i);

	return (str){p, (size_t)sqlite3_column_bytes(st, i)};
}

static int exec(struct index *ix, const char *sql, struct err *e)
{
	int rc = sqlite3_exec(ix->db, sql, NULL, NULL, NULL);

	return rc ? index_fail(ix, rc, "exec", e) : 0;
}

/* --- the file --- */

static void close_db(struct index *ix)
{
	for (int i = 0; i < ix->nstmts; i++)
		sqlite3_finalize(ix->stmt[i].st);
	ix->nstmts = 0;
	ix->ntally = 0;
	ix->settle = false;
	ix->words_rows = 0;
	index_forget_project(ix);
	index_words_close(ix->words);
	ix->words = NULL;
	sqlite3_close(ix->db);
	ix->db = NULL;
}

/* Whether the name still leads to the file that is open. */
static bool still_there(const struct index *ix)
{
	struct stat st;

	return io.stat(ix->path, &st) == 0 && st.st_dev == ix->dev &&
	       st.st_ino == ix->ino;
}

/* The log lost its name: what is written to it reaches nobody else. */
static bool log_lost(struct index *ix)
{
	struct buf b = BUF_INIT(PATH_MAX);
	struct stat st;
	bool lost = false;

	buf_printf(&b, "%s-wal", ix->path);
	if (io.stat(buf_cstr(&b), &st) < 0)
		lost = ix->wal && errno == ENOENT;
	else if (!ix->wal)
		ix->wal = st.st_ino;
	else
		lost = ix->wal != st.st_ino;
	buf_release(&b);
	return lost;
}

static int look_at_file(struct index *ix, struct err *e)
{
	struct stat st;

	if (io.stat(ix->path, &st) < 0)
		return err_sys(e, "%s", ix->path);
	ix->dev = st.st_dev;
	ix->ino = st.st_ino;
	ix->wal = 0;
	return 0;
}

static int connect_db(struct index *ix, struct err *e)
{
	int rc, on = 1, flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	int ret = ix->homeless ? 0 : look_at_file(ix, e);

	if (ret)
		return ret;
	ix->damaged = ix->stuck = false;
	ix->opened++;
	/* "": a temporary file that SQLite unlinks at once, in memory while it is small */
	index_less();
	rc = sqlite3_open_v2(ix->homeless ? "" : ix->path, &ix->db,
			     ix->homeless ? flags | SQLITE_OPEN_CREATE : flags, NULL);
	if (rc)
		return index_fail(ix, rc, "open", e);
	sqlite3_busy_timeout(ix->db, ix->busy_ms);
	rc = index_words_open(ix->db, &ix->words);
	if (rc)
		return index_fail(ix, rc, "tokenizer", e);
	sqlite3_file_control(ix->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on);
	return exec(ix, SETTINGS, e);
}

static bool is_ours(str sql)
{
	for (size_t i = 0; i < NSCHEMA; i++)
		if (str_eq(sql, str_of(SCHEMA[i])))
			return true;
	return false;
}

/* 1: all is as it should be; 0: empty; HF_EFORMAT: another schema. */
static int look(struct index *ix, struct err *e)
{
	static const char sql[] =
		"SELECT sql, name FROM sqlite_master WHERE sql IS NOT NULL";
	size_t ours = 0, all = 0;
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	while ((ret = index_step(ix, st, e)) > 0) {
		all++;
		if (is_ours(index_column(st, 0)))
			ours++;
		else if (!str_starts(index_column(st, 1), STR("words_")))
			break;
	}
	sqlite3_reset(st);
	if (ret < 0)
		return ret;
	if (ret == 0 && all == 0)
		return 0;
	if (ret == 0 && ours == NSCHEMA)
		return 1;
	ix->damaged = true;
	return err_set(e, HF_EFORMAT, "%s: made by another release", ix->path);
}

static bool meta_is(struct index *ix, const char *key, const char *value)
{
	static const char sql[] = "SELECT value FROM meta WHERE key = ?1";
	sqlite3_stmt *st;
	bool is;

	if (index_stmt(ix, sql, &st, NULL))
		return false;
	index_bind(st, 1, str_of(key));
	is = index_step(ix, st, NULL) > 0 && str_eq(index_column(st, 0), str_of(value));
	sqlite3_reset(st);
	return is;
}

static int meta_set(struct index *ix, const char *key, const char *value, struct err *e)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	index_bind(st, 1, str_of(key));
	index_bind(st, 2, str_of(value));
	return index_run(ix, st, e);
}

static int create_schema(struct index *ix, struct err *e)
{
	int ret = exec(ix,
		       ix->homeless ? "PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE"
				    : "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE",
		       e);

	for (size_t i = 0; !ret && i < NSCHEMA; i++)
		ret = exec(ix, SCHEMA[i], e);
	if (!ret)
		ret = meta_set(ix, "vault", ix->vault, e);
	if (!ret)
		ret = meta_set(ix, "rules", INDEX_RULES, e);
	if (!ret)
		ret = index_merge_setup(ix, e);
	return ret ? ret : exec(ix, "COMMIT", e);
}

/* Open what is there and look at it. HF_EFORMAT: it must go. */
static int open_old(struct index *ix, struct err *e)
{
	int ret = connect_db(ix, e);

	if (!ret)
		ret = look(ix, e);
	if (ret == 1 &&
	    (!meta_is(ix, "rules", INDEX_RULES) || !meta_is(ix, "vault", ix->vault))) {
		ix->damaged = true;
		ret = err_set(e, HF_EFORMAT, "%s: of other rules or another vault",
			      ix->path);
	}
	if (ret == 0) {
		ix->damaged = true; /* someone was cut off while making it */
		ret = err_set(e, HF_EFORMAT, "%s: empty", ix->path);
	}
	return ret == 1 ? 0 : ret;
}

static void remove_files(const struct index *ix)
{
	static const char *const tail[] = {"", "-wal", "-shm", "-journal"};
	struct buf b = BUF_INIT(PATH_MAX);

	for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
		buf_reset(&b);
		buf_printf(&b, "%s%s", ix->path, tail[i]);
		io.unlink(buf_cstr(&b));
	}
	buf_release(&b);
}

/* Make the file, private before anything is in it. */
static int make_file(const struct index *ix, struct err *e)
{
	int fd = io.open(ix->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 0600);

	if (fd < 0)
		return err_sys(e, "%s", ix->path);
	io.close(fd);
	return 0;
}

static int open_new(struct index *ix, struct err *e)
{
	int ret = 0;

	if (!ix->homeless) {
		remove_files(ix);
		ret = make_file(ix, e);
	}
	if (!ret)
		ret = connect_db(ix, e);
	if (!ret)
		ret = create_schema(ix, e);
	return ret;
}

/* The lock on making it anew, in a folder that may be gone with the rest of the cache. */
static int lock_file(const struct index *ix, struct err *e)
{
	struct buf b = BUF_INIT(PATH_MAX);
	str path = str_of(ix->path);
	int lock = 0;

	if (ix->cached) {
		buf_add(&b, str_head(path, str_rchr(path, '/')));
		lock = fs_mkdirs(buf_cstr(&b), 0700, e);
		buf_reset(&b);
	}
	buf_printf(&b, "%s.lock", ix->path);
	if (!lock)
		lock = fs_lock(buf_cstr(&b), LOCK_WAIT_MS, e);
	buf_release(&b);
	return lock;
}

/* Under the lock: if the file that was found wanting is still the one, make it anew. */
static int replace(struct index *ix, bool known, struct err *e)
{
	struct err why = ERR_INIT;
	bool same = known && still_there(ix);
	int lock, ret = HF_EFORMAT;

	if (ix->homeless) {
		close_db(ix);
		return open_new(ix, e);
	}
	lock = lock_file(ix, e);
	if (lock < 0)
		return lock;
	same = same && still_there(ix);
	close_db(ix);
	if (!same && fs_is_file(ix->path)) {
		ret = open_old(ix, &why);
		if (ret)
			close_db(ix);
	}
	if (ret == HF_EFORMAT || ret == HF_ENOTFOUND)
		ret = open_new(ix, e);
	else if (ret)
		err_set(e, ret, "%s", why.msg);
	fs_unlock(lock);
	return ret;
}

int index_renew(struct index *ix, struct err *e)
{
	return replace(ix, true, e);
}

static int open_at(struct index *ix, struct err *e)
{
	struct err why = ERR_INIT;
	int ret;

	if (!fs_is_file(ix->path))
		return replace(ix, false, e);
	for (int i = 0; i < OPEN_TRIES; i++) {
		why = ERR_INIT;
		ret = open_old(ix, &why);
		if (ret == 0 && still_there(ix))
			return 0;
		if (ret == HF_EFORMAT)
			return replace(ix, true, e);
		close_db(ix);
		if (ret && ret != HF_ENOTFOUND)
			return err_set(e, ret, "%s", why.msg);
		if (!fs_is_file(ix->path))
			return replace(ix, false, e);
	}
	return err_set(e, HF_ETIME, "%s: others keep making it anew", ix->path);
}

int index_follow(struct index *ix, struct err *e)
{
	int ret;

	if (ix->homeless)
		return ix->db && !ix->damaged ? 0 : replace(ix, false, e);
	if (ix->db && !ix->damaged && still_there(ix)) {
		if (!log_lost(ix))
			return 0;
		ix->damaged = true;
	}
	if (ix->db && ix->damaged) {
		ret = replace(ix, true, e);
	} else {
		close_db(ix);
		ret = open_at(ix, e);
	}
	ix->stuck = ret && ret != HF_ETIME;
	return ret;
}

int index_detach(struct index *ix, const char *why, struct err *e)
{
	close_db(ix);
	free(ix->homeless);
	ix->homeless = str_dup(str_of(why));
	return open_new(ix, e);
}

/* --- open --- */

static bool place_of(const char *vault, struct buf *b)
{
	config_cache_dir(b);
	if (!b->n)
		return false;
	buf_printf(b, "/%016llx", (unsigned long long)str_hash(str_of(vault)));
	return !b->full;
}

bool index_place(const struct vault *v, struct buf *b)
{
	char *real = realpath(v->root, NULL);
	bool ok = place_of(real ? real : v->root, b);

	free(real);
	return ok;
}

static int open_in_cache(struct index *ix, struct err *e)
{
	struct buf b = BUF_INIT(PATH_MAX);
	int ret = HF_EIO;

	if (!place_of(ix->vault, &b)) {
		err_set(e, ret, "no place for a cache: set XDG_CACHE_HOME or HOME");
	} else {
		ret = fs_mkdirs(buf_cstr(&b), 0700, e);
		buf_add(&b, STR("/index.db"));
	}
	ix->path = buf_take(&b);
	ix->cached = true;
	return ret ? ret : open_at(ix, e);
}

static int open_in_vault(struct index *ix, const struct vault *v, struct err *e)
{
	struct buf b = BUF_INIT(PATH_MAX);

	close_db(ix);
	free(ix->path);
	ix->cached = false;
	fs_join(&b, str_of(v->root), STR(IN_VAULT));
	ix->path = buf_take(&b);
	return open_at(ix, e);
}

int index_open(struct index **out, const struct vault *v, int busy_ms, struct err *e)
{
	struct index *ix = calloc(1, sizeof *ix);
	struct err why = ERR_INIT, own = ERR_INIT;
	int ret;

	if (!ix)
		oom();
	*out = NULL;
	ix->busy_ms = busy_ms;
	ix->vault = realpath(v->root, NULL);
	if (!ix->vault)
		ix->vault = str_dup(str_of(v->root));
	ret = open_in_cache(ix, &why);
	if (ret && ret != HF_ETIME && vault_exists(v))
		ret = open_in_vault(ix, v, &own);
	if (ret && ret != HF_ETIME) {
		own = ERR_INIT;
		ret = index_detach(ix, why.msg, &own);
	}
	if (ret) {
		err_set(e, ret, "%s", own.msg[0] ? own.msg : why.msg);
		index_free(ix);
		ix = NULL;
	}
	*out = ix;
	return ret;
}

void index_free(struct index *ix)
{
	if (!ix)
		return;
	close_db(ix);
	free(ix->path);
	free(ix->vault);
	free(ix->homeless);
	free(ix);
}

const char *index_path(const struct index *ix)
{
	return ix->homeless ? "" : ix->path;
}

const char *index_homeless(const struct index *ix)
{
	return ix->homeless;
}

unsigned index_opened(const struct index *ix)
{
	return ix->opened;
}

bool index_stuck(const struct index *ix)
{
	return ix->stuck;
}

bool index_damaged(const struct index *ix)
{
	return ix->damaged || !ix->db;
}

bool index_complete(struct index *ix)
{
	return meta_is(ix, "complete", "1");
}

int index_set_complete(struct index *ix, struct err *e)
{
	return meta_set(ix, "complete", "1", e);
}

void index_bulk(struct index *ix, bool on)
{
	if (!ix->db)
		return;
	if (ix->bulk == on)
		return;
	sqlite3_exec(ix->db,
		     on ? "PRAGMA cache_size = -32768" : "PRAGMA cache_size = -8192",
		     NULL, NULL, NULL);
	ix->bulk = on;
	if (!on) {
		index_merge_all(ix);
		sqlite3_db_release_memory(ix->db);
	}
}

int64_t index_version(struct index *ix)
{
	static const char sql[] = "PRAGMA data_version";
	sqlite3_stmt *st;
	int64_t v = -1;

	if (index_stmt(ix, sql, &st, NULL))
		return -1;
	if (index_step(ix, st, NULL) > 0)
		v = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return v;
}
