/*
 * Writing: transactions, files, items, edges.
 *
 * Whether an event is retired depends on lines in other files, before and after it. So nothing
 * is worked out while a file is written: ids that anything may have changed for go to the table
 * temp.dirty, and the commit settles each of them once, from the tables as they then are:
 *
 *   superseded  edge(old = id, new <> id) exists, whatever file it stands in
 *   twin        the same line stands earlier: in the same project, by archived, file name, pos
 *
 * Counts of active events change by ones: they are kept in the table tally, and the changes of a
 * transaction are summed up before they are written.
 */
#include "data/index_impl.h"

#include <assert.h>
#include <stdlib.h>

#define DAY_US INT64_C(86400000000)

/* Run what takes one text. */
static int run_text(struct index *ix, const char *sql, str text, struct err *e)
{
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	index_bind(st, 1, text);
	return index_run(ix, st, e);
}

static int dirty(struct index *ix, str uid, struct err *e)
{
	static const char sql[] = "INSERT OR IGNORE INTO temp.dirty(uid) VALUES(?1)";

	ix->settle = true;
	return run_text(ix, sql, uid, e);
}

/* --- tally --- */

static int flush_tally(struct index *ix, struct err *e)
{
	static const char sql[] =
		"INSERT INTO tally(project, type, n) VALUES(?1, ?2, ?3) "
		"ON CONFLICT(project, type) DO UPDATE SET n = n + excluded.n";
	sqlite3_stmt *st;
	int ret = 0;

	for (int i = 0; i < ix->ntally && !ret; i++) {
		if (!ix->tally[i].change)
			continue;
		ret = index_stmt(ix, sql, &st, e);
		if (ret)
			break;
		sqlite3_bind_int64(st, 1, ix->tally[i].project);
		sqlite3_bind_int(st, 2, ix->tally[i].type);
		sqlite3_bind_int64(st, 3, ix->tally[i].change);
		ret = index_run(ix, st, e);
	}
	ix->ntally = 0;
	return ret;
}

/* Imported events are counted apart. */
static int tally_slot(int type, int origin)
{
	return origin == EVENT_IMPORTED ? type + INDEX_IMPORTED_SLOT : type;
}

static int tally(struct index *ix, int64_t project, int type, int change, struct err *e)
{
	int i, ret;

	for (i = 0; i < ix->ntally; i++)
		if (ix->tally[i].project == project && ix->tally[i].type == type) {
			ix->tally[i].change += change;
			return 0;
		}
	if (ix->ntally == INDEX_TALLY_MAX) {
		ret = flush_tally(ix, e);
		if (ret)
			return ret;
	}
	ix->tally[ix->ntally++] = (struct index_tally){project, type, change};
	return 0;
}

/* --- settling --- */

static int set_retired(struct index *ix, int64_t row, unsigned retired, struct err *e)
{
	static const char sql[] = "UPDATE item SET retired = ?2 WHERE id = ?1";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, row);
	sqlite3_bind_int(st, 2, (int)retired);
	return index_run(ix, st, e);
}

/* Whether sql gives a row for this id. */
static int is_any(struct index *ix, const char *sql, str uid, bool *is, struct err *e)
{
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*is = false;
	if (ret)
		return ret;
	index_bind(st, 1, uid);
	ret = index_step(ix, st, e);
	sqlite3_reset(st);
	*is = ret > 0;
	return ret < 0 ? ret : 0;
}

static int is_superseded(struct index *ix, str uid, bool *is, struct err *e)
{
	static const char sql[] =
		"SELECT 1 FROM edge WHERE old = ?1 AND new <> ?1 LIMIT 1";

	return is_any(ix, sql, uid, is, e);
}

static int is_known(struct index *ix, str uid, bool *is, struct err *e)
{
	static const char sql[] = "SELECT 1 FROM item WHERE uid = ?1 LIMIT 1";

	return is_any(ix, sql, uid, is, e);
}

/* All items of one id, equal lines beside each other, the one that stays first. */
static int settle_uid(struct index *ix, str uid, struct err *e)
{
	static const char sql[] =
		"SELECT id, retired, project, type, "
		"lag(1, 1, 0) OVER (PARTITION BY i.project, i.type, i.importance, i.at_us, "
		"i.body ORDER BY i.retired & 2, (SELECT name FROM file WHERE id = i.file), "
		"i.pos), origin FROM item i WHERE uid = ?1 AND kind = 0";
	bool superseded;
	sqlite3_stmt *st;
	int ret = is_superseded(ix, uid, &superseded, e);

	if (!ret)
		ret = index_stmt(ix, sql, &st, e);
	if (ret)
		return ret;
	index_bind(st, 1, uid);
	while ((ret = index_step(ix, st, e)) > 0) {
		unsigned old = (unsigned)sqlite3_column_int(st, 1), now;

		now = (old & INDEX_ARCHIVED) | (superseded ? INDEX_SUPERSEDED : 0) |
		      (sqlite3_column_int(st, 4) ? INDEX_TWIN : 0);
		if (now == old)
			continue;
		ret = set_retired(ix, sqlite3_column_int64(st, 0), now, e);
		if (!ret && !old != !now)
			ret = tally(ix, sqlite3_column_int64(st, 2),
				    tally_slot(sqlite3_column_int(st, 3),
					       sqlite3_column_int(st, 5)),
				    now ? -1 : 1, e);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

static int settle(struct index *ix, struct err *e)
{
	static const char all[] = "SELECT uid FROM temp.dirty";
	static const char none[] = "DELETE FROM temp.dirty";
	sqlite3_stmt *st;
	int ret;

	if (!ix->settle)
		return 0;
	ret = index_stmt(ix, all, &st, e);
	if (ret)
		return ret;
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = settle_uid(ix, index_column(st, 0), e);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	if (!ret)
		ret = index_stmt(ix, none, &st, e);
	if (!ret)
		ret = index_run(ix, st, e);
	ix->settle = false;
	return ret;
}

/* --- transactions --- */

static int simple(struct index *ix, const char *sql, struct err *e)
{
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	return ret ? ret : index_run(ix, st, e);
}

int index_begin(struct index *ix, struct err *e)
{
	static const char sql[] = "BEGIN IMMEDIATE";

	index_forget_project(ix);
	return simple(ix, sql, e);
}

int index_snapshot(struct index *ix, struct err *e)
{
	static const char begin[] = "BEGIN", look[] = "SELECT 1 FROM meta LIMIT 1";
	sqlite3_stmt *st;
	int ret = simple(ix, begin, e);

	if (!ret)
		ret = index_stmt(ix, look, &st, e);
	if (!ret)
		ret = index_run(ix, st, e);
	if (ret)
		index_rollback(ix);
	return ret;
}

int index_hold(struct index *ix, bool *mine, struct err *e)
{
	int ret;

	*mine = ix->db && sqlite3_get_autocommit(ix->db);
	if (!*mine)
		return 0;
	ret = index_snapshot(ix, e);
	*mine = !ret;
	return ret;
}

void index_let_go(struct index *ix, bool mine)
{
	static const char sql[] = "COMMIT";

	/* nothing was written: this lets go of the lock */
	if (mine && ix->db && simple(ix, sql, NULL))
		index_rollback(ix);
}

int index_commit(struct index *ix, struct err *e)
{
	static const char sql[] = "COMMIT";
	int ret = settle(ix, e);

	if (!ret)
		ret = flush_tally(ix, e);
	if (!ret)
		ret = index_merge_some(ix, e);
	if (!ret)
		ret = simple(ix, sql, e);
	index_forget_project(ix);
	if (ret)
		index_rollback(ix);
	return ret;
}

void index_rollback(struct index *ix)
{
	index_forget_project(ix);
	if (!ix->db)
		return;
	if (!sqlite3_get_autocommit(ix->db))
		sqlite3_exec(ix->db, "ROLLBACK", NULL, NULL, NULL);
	if (ix->settle)
		sqlite3_exec(ix->db, "DELETE FROM temp.dirty", NULL, NULL, NULL);
	ix->settle = false;
	ix->ntally = 0;
	ix->words_rows = 0;
}

/* --- projects and files --- */

void index_forget_project(struct index *ix)
{
	free(ix->made);
	ix->made = NULL;
}

static int add_project(struct index *ix, str name, int64_t *id, struct err *e)
{
	static const char sql[] = "INSERT INTO project(name) VALUES(?1)";
	int ret = run_text(ix, sql, name, e);

	*id = sqlite3_last_insert_rowid(ix->db);
	return ret;
}

int index_project_id(struct index *ix, str name, bool make, int64_t *id, struct err *e)
{
	static const char find[] = "SELECT id FROM project WHERE name = ?1";
	sqlite3_stmt *st;
	int ret;

	*id = 0;
	if (make && ix->made && str_eq(str_of(ix->made), name)) {
		*id = ix->made_id;
		return 0;
	}
	ret = index_stmt(ix, find, &st, e);
	if (ret)
		return ret;
	index_bind(st, 1, name);
	ret = index_step(ix, st, e);
	if (ret > 0)
		*id = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	if (!ret && make)
		ret = add_project(ix, name, id, e);
	if (ret >= 0 && make) {
		free(ix->made);
		ix->made = str_dup(name);
		ix->made_id = *id;
	}
	return ret < 0 ? ret : 0;
}

static void bind_file(sqlite3_stmt *st, const struct index_file *f, int64_t project)
{
	sqlite3_bind_int64(st, 1, project);
	sqlite3_bind_int(st, 2, (int)f->folder);
	index_bind(st, 3, f->name);
	sqlite3_bind_int64(st, 4, f->mtime_ns);
	sqlite3_bind_int64(st, 5, (int64_t)f->size);
	sqlite3_bind_int64(st, 6, (int64_t)f->ino);
	sqlite3_bind_int64(st, 7, (int64_t)f->parsed);
	sqlite3_bind_int64(st, 8, (int64_t)f->hash);
	sqlite3_bind_int(st, 9, f->items);
	index_bind(st, 10, f->session);
	sqlite3_bind_int64(st, 11, f->started_us);
	sqlite3_bind_int(st, 12, f->done);
	index_bind(st, 13, f->title);
	index_bind(st, 14, f->summary);
	sqlite3_bind_int64(st, 15, (int64_t)f->odd);
	sqlite3_bind_int64(st, 16, (int64_t)f->skipped);
}

int index_file_put(struct index *ix, struct index_file *f, struct err *e)
{
	static const char add[] =
		"INSERT INTO file(project, folder, name, mtime_ns, size, ino, parsed, hash, "
		"items, session, started_us, done, title, summary, odd, skipped) "
		"VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
		"?16)";
	static const char set[] =
		"UPDATE file SET mtime_ns = ?4, size = ?5, ino = ?6, parsed = ?7, hash = ?8, "
		"items = ?9, session = ?10, started_us = ?11, done = ?12, title = ?13, "
		"summary = ?14, odd = ?15, skipped = ?16 "
		"WHERE project = ?1 AND " INDEX_FOLDER " AND name = ?3";
	int64_t project;
	sqlite3_stmt *st;
	int ret = index_project_id(ix, f->project, true, &project, e);

	if (!ret)
		ret = index_stmt(ix, f->id ? set : add, &st, e);
	if (ret)
		return ret;
	bind_file(st, f, project);
	ret = index_run(ix, st, e);
	if (!ret && !f->id)
		f->id = sqlite3_last_insert_rowid(ix->db);
	return ret;
}

int index_folder_put(struct index *ix, enum vault_folder folder, str project,
		     int64_t mtime_ns, struct err *e)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO folder(project, folder, mtime_ns) "
		"VALUES(?1, ?2, ?3)";
	int64_t id;
	sqlite3_stmt *st;
	int ret = index_project_id(ix, project, true, &id, e);

	if (!ret)
		ret = index_stmt(ix, sql, &st, e);
	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int(st, 2, (int)folder);
	sqlite3_bind_int64(st, 3, mtime_ns);
	return index_run(ix, st, e);
}

int index_file_find(struct index *ix, enum vault_folder folder, str project, str name,
		    struct index_file *f, struct buf *texts, struct err *e)
{
	static const char sql[] =
		"SELECT f.id, f.mtime_ns, f.size, f.ino, f.parsed, f.hash, f.items, "
		"f.session, f.started_us, f.done, f.title, f.summary, f.odd, f.skipped "
		"FROM project p JOIN file f ON f.project = p.id "
		"WHERE p.name = ?1 AND f." INDEX_FOLDER " AND f.name = ?3";
	str *text[] = {&f->session, &f->title, &f->summary};
	static const int column[] = {7, 10, 11};
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*f = (struct index_file){.folder = folder, .project = project, .name = name};
	if (ret)
		return ret;
	index_bind(st, 1, project);
	sqlite3_bind_int(st, 2, (int)folder);
	index_bind(st, 3, name);
	ret = index_step(ix, st, e);
	if (ret <= 0)
		return ret;
	f->id = sqlite3_column_int64(st, 0);
	f->mtime_ns = sqlite3_column_int64(st, 1);
	f->size = (uint64_t)sqlite3_column_int64(st, 2);
	f->ino = (uint64_t)sqlite3_column_int64(st, 3);
	f->parsed = (uint64_t)sqlite3_column_int64(st, 4);
	f->hash = (uint64_t)sqlite3_column_int64(st, 5);
	f->items = sqlite3_column_int(st, 6);
	f->started_us = sqlite3_column_int64(st, 8);
	f->done = sqlite3_column_int(st, 9) != 0;
	f->odd = (unsigned)sqlite3_column_int64(st, 12);
	f->skipped = (uint64_t)sqlite3_column_int64(st, 13);
	buf_reset(texts);
	for (size_t i = 0; i < 3; i++) {
		*text[i] = index_column(st, column[i]);
		buf_add(texts, *text[i]);
	}
	sqlite3_reset(st);
	for (size_t i = 0, at = 0; i < 3; at += text[i++]->n)
		text[i]->p = texts->p + at;
	return 0;
}

/* --- items --- */

/* "2026-01-03 3 january saturday": all the ways in which a question may name the day. */
static void date_words(struct buf *b, str iso, int64_t at_us)
{
	static const char *const MONTH[] = {
		"january", "february", "march",     "april",   "may",      "june",
		"july",    "august",   "september", "october", "november", "december"};
	static const char *const DAY[] = {"thursday", "friday",  "saturday", "sunday",
					  "monday",   "tuesday", "wednesday"};
	int64_t days = at_us / DAY_US - (at_us % DAY_US < 0);
	uint64_t month, day;

	buf_printf(b, " %.*s", STR_ARG(iso));
	if (iso.n == 10 && str_u64((str){iso.p + 5, 2}, &month) && month >= 1 &&
	    month <= 12 && str_u64((str){iso.p + 8, 2}, &day))
		buf_printf(b, " %d %s %s", (int)day, MONTH[month - 1],
			   DAY[(days % 7 + 7) % 7]);
}

void index_extra(struct buf *b, enum index_kind kind, int type, int64_t at_us, str name)
{
	if (kind == INDEX_EVENT)
		buf_add(b, event_type_name((enum event_type)type));
	/* a record's text begins with its name */
	if (name.n && kind != INDEX_RECORD) {
		buf_byte(b, ' ');
		buf_add(b, name);
	}
	if (at_us) {
		struct buf at = BUF_INIT(64);

		event_time(&at, at_us);
		date_words(b, str_head(buf_str(&at), 10), at_us);
		buf_release(&at);
	}
}

struct words {
	int64_t row, project;
	enum index_kind kind;
	int type;
	int64_t at_us;
	str name, body;
};

static int words_write(struct index *ix, const char *sql, const struct words *w,
		       struct err *e)
{
	struct buf extra = BUF_INIT(4096), proj = BUF_INIT(32);
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (!ret) {
		index_extra(&extra, w->kind, w->type, w->at_us, w->name);
		buf_u64(&proj, (uint64_t)w->project);
		sqlite3_bind_int64(st, 1, w->row);
		index_bind(st, 2, w->body);
		index_bind(st, 3, buf_str(&extra));
		index_bind(st, 4, buf_str(&proj));
		ret = index_run(ix, st, e);
		ix->words_rows++;
		ix->words_last = w->row;
	}
	buf_release(&extra);
	buf_release(&proj);
	return ret;
}

static int words_put(struct index *ix, const struct words *w, struct err *e)
{
	static const char sql[] =
		"INSERT INTO words(rowid, body, extra, proj) VALUES(?1, ?2, ?3, ?4)";

	return words_write(ix, sql, w, e);
}

static int words_drop(struct index *ix, const struct words *w, struct err *e)
{
	static const char sql[] = "INSERT INTO words(words, rowid, body, extra, proj) "
				  "VALUES('delete', ?1, ?2, ?3, ?4)";

	return words_write(ix, sql, w, e);
}

static int edges_put(struct index *ix, int64_t file, const struct index_put *p,
		     struct err *e)
{
	static const char sql[] =
		"INSERT OR IGNORE INTO edge(old, new, file) VALUES(?1, ?2, ?3)";
	str list = p->supersedes, old;
	bool known = false;
	sqlite3_stmt *st;
	int ret = 0;

	while (!ret && event_superseded(&list, &old)) {
		if (str_eq(old, p->id))
			continue;
		ret = index_stmt(ix, sql, &st, e);
		if (ret)
			break;
		index_bind(st, 1, old);
		index_bind(st, 2, p->id);
		sqlite3_bind_int64(st, 3, file);
		ret = index_run(ix, st, e);
		if (!ret)
			ret = is_known(ix, old, &known, e);
		if (!ret && known)
			ret = dirty(ix, old, e);
	}
	return ret;
}

static int row_put(struct index *ix, const struct index_file *f,
		   const struct index_put *p, int64_t project, unsigned retired,
		   struct err *e)
{
	static const char sql[] =
		"INSERT INTO item(file, pos, project, kind, type, importance, origin, "
		"retired, at_us, uid, name, body) "
		"VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, f->id);
	sqlite3_bind_int(st, 2, f->items);
	sqlite3_bind_int64(st, 3, project);
	sqlite3_bind_int(st, 4, (int)p->kind);
	sqlite3_bind_int(st, 5, p->kind == INDEX_RECORD ? p->percent : (int)p->type);
	sqlite3_bind_int(st, 6, p->importance);
	sqlite3_bind_int(st, 7, (int)p->origin);
	sqlite3_bind_int(st, 8, (int)retired);
	sqlite3_bind_int64(st, 9, p->at_us);
	if (p->id.n)
		index_bind(st, 10, p->id);
	else
		sqlite3_bind_null(st, 10);
	if (p->name.n)
		index_bind(st, 11, p->name);
	else
		sqlite3_bind_null(st, 11);
	index_bind(st, 12, p->body);
	return index_run(ix, st, e);
}

int index_item_put(struct index *ix, struct index_file *f, const struct index_put *p,
		   struct err *e)
{
	unsigned retired = f->folder == VAULT_ARCHIVE && p->kind != INDEX_DOCUMENT
				   ? INDEX_ARCHIVED
				   : 0;
	bool superseded = false, known = false;
	int64_t project;
	int ret;

	assert(f->id);
	ret = index_project_id(ix, f->project, true, &project, e);
	if (!ret && p->id.n) {
		ret = is_known(ix, p->id, &known, e);
		if (!ret)
			ret = is_superseded(ix, p->id, &superseded, e);
	}
	if (superseded)
		retired |= INDEX_SUPERSEDED;
	if (!ret)
		ret = row_put(ix, f, p, project, retired, e);
	if (!ret)
		ret = words_put(ix,
				&(struct words){sqlite3_last_insert_rowid(ix->db),
						project, p->kind, (int)p->type, p->at_us,
						p->name, p->body},
				e);
	if (!ret && p->kind == INDEX_EVENT && !retired)
		ret = tally(ix, project, tally_slot((int)p->type, (int)p->origin), 1, e);
	if (!ret && known)
		ret = dirty(ix, p->id, e);
	if (!ret && p->supersedes.n)
		ret = edges_put(ix, f->id, p, e);
	if (!ret)
		f->items++;
	return ret;
}

/* Run what is about a file. */
static int run_file(struct index *ix, const char *sql, int64_t file, struct err *e)
{
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, file);
	return index_run(ix, st, e);
}

static int clear_items(struct index *ix, int64_t file, struct err *e)
{
	static const char sql[] =
		"SELECT id, project, kind, type, at_us, name, body, uid, "
		"retired, origin FROM item WHERE file = ?1";
	static const char drop[] = "DELETE FROM item WHERE file = ?1";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, file);
	while ((ret = index_step(ix, st, e)) > 0) {
		struct words w = {sqlite3_column_int64(st, 0),
				  sqlite3_column_int64(st, 1),
				  (enum index_kind)sqlite3_column_int(st, 2),
				  sqlite3_column_int(st, 3),
				  sqlite3_column_int64(st, 4),
				  index_column(st, 5),
				  index_column(st, 6)};

		ret = words_drop(ix, &w, e);
		if (!ret && w.kind == INDEX_EVENT && !sqlite3_column_int(st, 8))
			ret = tally(ix, w.project,
				    tally_slot(w.type, sqlite3_column_int(st, 9)), -1, e);
		if (!ret && sqlite3_column_type(st, 7) != SQLITE_NULL)
			ret = dirty(ix, index_column(st, 7), e);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret ? ret : run_file(ix, drop, file, e);
}

static int clear_edges(struct index *ix, int64_t file, struct err *e)
{
	static const char note[] =
		"INSERT OR IGNORE INTO temp.dirty(uid) SELECT old FROM edge WHERE file = ?1";
	static const char drop[] = "DELETE FROM edge WHERE file = ?1";
	int ret;

	ix->settle = true;
	ret = run_file(ix, note, file, e);
	return ret ? ret : run_file(ix, drop, file, e);
}

int index_file_clear(struct index *ix, int64_t file, struct err *e)
{
	int ret = clear_items(ix, file, e);

	return ret ? ret : clear_edges(ix, file, e);
}

int index_file_drop(struct index *ix, int64_t file, struct err *e)
{
	static const char sql[] = "DELETE FROM file WHERE id = ?1";
	int ret = index_file_clear(ix, file, e);

	return ret ? ret : run_file(ix, sql, file, e);
}
