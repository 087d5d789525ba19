/*
 * Questions. Those of the brief walk the index item_rank, which holds active events alone in the
 * order in which they are wanted: their cost follows what the caller takes, not the project.
 */
#include "data/index_impl.h"

#define ORIGINS (EVENT_IMPORTED + 1)

void index_item_of(sqlite3_stmt *st, struct index_item *it)
{
	str file = index_column(st, 16);

	*it = (struct index_item){
		.row = sqlite3_column_int64(st, 0),
		.kind = (enum index_kind)sqlite3_column_int(st, 1),
		.type = (enum event_type)sqlite3_column_int(st, 2),
		.origin = (enum event_origin)sqlite3_column_int(st, 3),
		.importance = sqlite3_column_int(st, 4),
		.retired = (unsigned)sqlite3_column_int(st, 5),
		.at_us = sqlite3_column_int64(st, 6),
		.id = index_column(st, 7),
		.name = index_column(st, 8),
		.body = index_column(st, 9),
		.file = sqlite3_column_int64(st, 10),
		.pos = sqlite3_column_int(st, 11),
		.project = index_column(st, 12),
		.session = index_column(st, 13),
		.done = sqlite3_column_int(st, 15) != 0,
	};
	if (str_ends(file, STR(".zst")))
		file.n -= 4;
	if (str_ends(file, STR(".md")))
		file.n -= 3;
	if (it->kind == INDEX_RECORD) {
		it->percent = (int)it->type;
		it->type = EVENT_GOAL;
	}
	if (it->kind == INDEX_FACT)
		it->id = it->name = index_column(st, 14);
	else if (!it->id.n)
		it->id = file;
}

int index_items(struct index *ix, sqlite3_stmt *st, index_fn *fn, void *arg,
		struct err *e)
{
	struct index_item it;
	int ret;

	while ((ret = index_step(ix, st, e)) > 0) {
		index_item_of(st, &it);
		ret = fn(&it, arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

/* A statement about a project, whose id is bound as ?1: an unknown one has 0, which is no row's. */
static int project_stmt(struct index *ix, const char *sql, str project, sqlite3_stmt **st,
			struct err *e)
{
	int64_t id;
	int ret = index_project_id(ix, project, false, &id, e);

	if (!ret)
		ret = index_stmt(ix, sql, st, e);
	if (!ret)
		sqlite3_bind_int64(*st, 1, id);
	return ret;
}

int index_active(struct index *ix, str project, enum event_type t, index_fn *fn,
		 void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT " INDEX_COLUMNS " FROM " INDEX_TABLES
		" WHERE i.project = ?1 AND i.type = ?2 AND i.kind = 0 AND i.retired = 0 "
		"ORDER BY i.origin, i.importance DESC, i.at_us DESC, i.pos, f.name";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int(st, 2, (int)t);
	return index_items(ix, st, fn, arg, e);
}

int index_steps(struct index *ix, str project, index_fn *fn, void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT " INDEX_COLUMNS " FROM " INDEX_TABLES
		" WHERE i.project = ?1 AND i.type = ?2 AND i.kind = 0 AND i.retired = 0 "
		"ORDER BY i.uid, f.name, i.pos";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int(st, 2, EVENT_NEXT_STEP);
	return index_items(ix, st, fn, arg, e);
}

int index_counts(struct index *ix, str project, size_t active[EVENT_TYPES], struct err *e)
{
	static const char sql[] = "SELECT type, n FROM tally WHERE project = ?1";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	memset(active, 0, EVENT_TYPES * sizeof *active);
	if (ret)
		return ret;
	while ((ret = index_step(ix, st, e)) > 0) {
		int t = sqlite3_column_int(st, 0);

		if (t >= 0 && t < EVENT_TYPES && sqlite3_column_int64(st, 1) > 0)
			active[t] = (size_t)sqlite3_column_int64(st, 1);
	}
	return ret;
}

/* 1: there is a note of this file name; its summary is appended. */
static int summary_of(struct index *ix, int64_t project, str file, struct buf *out,
		      struct err *e)
{
	static const char sql[] =
		"SELECT summary FROM file WHERE project = ?1 AND " INDEX_FOLDER
		" AND name = ?3";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, project);
	sqlite3_bind_int(st, 2, VAULT_ENTITIES);
	index_bind(st, 3, file);
	ret = index_step(ix, st, e);
	if (ret > 0)
		buf_add(out, index_column(st, 0));
	sqlite3_reset(st);
	return ret;
}

int index_entity_summary(struct index *ix, str project, str name, struct buf *out,
			 struct err *e)
{
	struct buf file = BUF_INIT(EVENT_FILE_MAX + 16);
	int64_t id;
	int ret = index_project_id(ix, project, false, &id, e);

	if (!ret) {
		event_entity_file(&file, name);
		buf_add(&file, STR(".md"));
		ret = summary_of(ix, id, buf_str(&file), out, e);
	}
	if (ret == 0) {
		buf_reset(&file);
		event_entity_file_apart(&file, name);
		buf_add(&file, STR(".md"));
		ret = summary_of(ix, id, buf_str(&file), out, e);
	}
	buf_release(&file);
	return ret > 0 ? 0 : ret == 0 ? HF_ENOTFOUND : ret;
}

/* The newest active event of a project: the head of each (type, origin, importance). */
static int newest(struct index *ix, int64_t project, int64_t *us, struct err *e)
{
	static const char sql[] =
		"SELECT at_us FROM item WHERE project = ?1 AND type = ?2 AND origin = ?3 "
		"AND importance = ?4 AND kind = 0 AND retired = 0 ORDER BY at_us DESC LIMIT 1";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*us = 0;
	for (int i = 0; !ret && i < EVENT_TYPES * ORIGINS * 5; i++) {
		sqlite3_bind_int64(st, 1, project);
		sqlite3_bind_int(st, 2, i / 5 / ORIGINS);
		sqlite3_bind_int(st, 3, i / 5 % ORIGINS);
		sqlite3_bind_int(st, 4, i % 5 + 1);
		ret = index_step(ix, st, e);
		if (ret > 0 && sqlite3_column_int64(st, 0) > *us)
			*us = sqlite3_column_int64(st, 0);
		sqlite3_reset(st);
		ret = ret < 0 ? ret : 0;
	}
	return ret;
}

/* Notes are named after the time they begin at: the last names are the newest sessions. */
int index_last_session(struct index *ix, str project, str but, int64_t *started_us,
		       struct buf *session, struct err *e)
{
	static const char sql[] =
		"SELECT session, started_us FROM file WHERE project = ?1 AND " INDEX_FOLDER
		" AND "
		"name BETWEEN 's_0' AND 's_:' ORDER BY name DESC LIMIT 8";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	*started_us = 0;
	if (ret)
		return ret;
	sqlite3_bind_int(st, 2, VAULT_SESSIONS);
	while ((ret = index_step(ix, st, e)) > 0) {
		int64_t us = sqlite3_column_int64(st, 1);

		if (str_eq(index_column(st, 0), but) || us <= *started_us)
			continue;
		*started_us = us;
		if (session) {
			buf_reset(session);
			buf_add(session, index_column(st, 0));
		}
	}
	return ret;
}

int index_session_counts(struct index *ix, str project, str part,
			 size_t active[EVENT_TYPES], struct err *e)
{
	static const char sql[] =
		"SELECT i.type, count(*) FROM file f CROSS JOIN item i ON i.file = f.id "
		"WHERE f.project = ?1 AND f." INDEX_FOLDER " AND instr(f.name, ?3) "
		"AND i.kind = 0 AND i.retired = 0 AND i.origin <> 2 GROUP BY i.type";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	memset(active, 0, EVENT_TYPES * sizeof *active);
	if (ret)
		return ret;
	sqlite3_bind_int(st, 2, VAULT_SESSIONS);
	index_bind(st, 3, part);
	while ((ret = index_step(ix, st, e)) > 0) {
		int t = sqlite3_column_int(st, 0);

		if (t >= 0 && t < EVENT_TYPES)
			active[t] = (size_t)sqlite3_column_int64(st, 1);
	}
	return ret;
}

int index_projects(struct index *ix,
		   int (*fn)(str project, size_t active, int64_t newest_us, void *arg),
		   void *arg, struct err *e)
{
	/* a file of folder 0 (VAULT_PROJECT) is a record's, which is of no project */
	static const char sql[] =
		"SELECT p.id, p.name, (SELECT sum(n) FROM tally t WHERE t.project = p.id) "
		"FROM project p WHERE EXISTS (SELECT 1 FROM file f WHERE f.project = p.id AND f.folder <> 0) "
		"ORDER BY p.name";
	sqlite3_stmt *st;
	int64_t us;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = newest(ix, sqlite3_column_int64(st, 0), &us, e);
		if (!ret)
			ret = fn(index_column(st, 1), (size_t)sqlite3_column_int64(st, 2),
				 us, arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

int index_judged(struct index *ix,
		 int (*fn)(str title, str summary, int64_t at_us, void *arg), void *arg,
		 struct err *e)
{
	static const char sql[] =
		"SELECT title, summary, started_us FROM file "
		"WHERE folder = 0 AND started_us > 0 ORDER BY started_us DESC, title";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = fn(index_column(st, 0), index_column(st, 1),
			 sqlite3_column_int64(st, 2), arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

int index_project_each(struct index *ix, int (*fn)(str project, void *arg), void *arg,
		       struct err *e)
{
	static const char sql[] = "SELECT name FROM project ORDER BY name";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = fn(index_column(st, 0), arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

int index_entities(struct index *ix, str project,
		   int (*fn)(str name, str summary, size_t facts, void *arg), void *arg,
		   struct err *e)
{
	static const char sql[] =
		"SELECT title, summary, items FROM file WHERE project = ?1 "
		"AND " INDEX_FOLDER " ORDER BY name";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int(st, 2, VAULT_ENTITIES);
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = fn(index_column(st, 0), index_column(st, 1),
			 (size_t)sqlite3_column_int64(st, 2), arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

/* --- one event --- */

/* The whole id that a beginning stands for, into `out`. */
static int whole_id(struct index *ix, str id, struct buf *out, struct err *e)
{
	static const char sql[] = "SELECT DISTINCT uid FROM item WHERE uid >= ?1 AND "
				  "uid < ?2 AND kind = 0 ORDER BY uid LIMIT 2";
	struct buf end = BUF_INIT(EVENT_ID_MAX * 4);
	sqlite3_stmt *st;
	int ret, n = 0;

	buf_add(&end, id);
	if (!id.n || end.full) {
		buf_release(&end);
		return err_set(e, HF_ENOTFOUND, "no event %.*s",
			       STR_ARG(str_head(id, 80)));
	}
	end.p[end.n - 1]++;
	ret = index_stmt(ix, sql, &st, e);
	if (!ret) {
		index_bind(st, 1, id);
		index_bind(st, 2, buf_str(&end));
		while ((ret = index_step(ix, st, e)) > 0) {
			if (n++ == 0)
				buf_add(out, index_column(st, 0));
			if (str_eq(buf_str(out), id))
				break; /* one is the beginning of another: it is meant */
		}
		sqlite3_reset(st);
	}
	buf_release(&end);
	if (ret < 0)
		return ret;
	if (n == 0)
		return err_set(e, HF_ENOTFOUND, "no event %.*s", STR_ARG(id));
	if (n > 1 && ret == 0)
		return err_set(e, HF_EAMBIGUOUS, "several events begin with %.*s",
			       STR_ARG(id));
	return 0;
}

int index_event(struct index *ix, str id,
		int (*fn)(const struct index_item *it, enum vault_folder folder,
			  str file_name, void *arg),
		void *arg, struct err *e)
{
	static const char sql[] = "SELECT " INDEX_COLUMNS " FROM " INDEX_TABLES
				  " WHERE i.uid = ?1 AND i.kind = 0 "
				  "ORDER BY i.retired & 2, f.name, p.name, i.pos LIMIT 1";
	struct buf whole = BUF_INIT(SIZE_MAX);
	struct index_item it;
	sqlite3_stmt *st;
	int ret = whole_id(ix, id, &whole, e);

	if (!ret)
		ret = index_stmt(ix, sql, &st, e);
	if (!ret) {
		index_bind(st, 1, buf_str(&whole));
		ret = index_step(ix, st, e);
		if (ret > 0) {
			index_item_of(st, &it);
			ret = fn(&it, (enum vault_folder)sqlite3_column_int(st, 17),
				 index_column(st, 16), arg);
		}
		sqlite3_reset(st);
	}
	buf_release(&whole);
	return ret;
}

static int ids(struct index *ix, const char *sql, str id, int (*fn)(str other, void *arg),
	       void *arg, struct err *e)
{
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	index_bind(st, 1, id);
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = fn(index_column(st, 0), arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

int index_retired_by(struct index *ix, str id, int (*fn)(str newer, void *arg), void *arg,
		     struct err *e)
{
	static const char sql[] = "SELECT DISTINCT new FROM edge WHERE old = ?1 AND "
				  "new <> ?1 ORDER BY new";

	return ids(ix, sql, id, fn, arg, e);
}

int index_retires(struct index *ix, str id, int (*fn)(str older, void *arg), void *arg,
		  struct err *e)
{
	static const char sql[] =
		"SELECT DISTINCT e.old FROM item i CROSS JOIN edge e ON e.file = i.file "
		"WHERE i.uid = ?1 AND e.new = ?1 ORDER BY e.old";

	return ids(ix, sql, id, fn, arg, e);
}

int index_row(struct index *ix, int64_t row, index_fn *fn, void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT " INDEX_COLUMNS " FROM " INDEX_TABLES " WHERE i.id = ?1";
	struct index_item it;
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, row);
	ret = index_step(ix, st, e);
	if (ret == 0)
		return HF_ENOTFOUND;
	if (ret > 0) {
		index_item_of(st, &it);
		ret = fn(&it, arg);
	}
	sqlite3_reset(st);
	return ret;
}

int index_span(struct index *ix, int64_t file, int from, int to, index_fn *fn, void *arg,
	       struct err *e)
{
	static const char sql[] = "SELECT " INDEX_COLUMNS " FROM " INDEX_TABLES
				  " WHERE i.file = ?1 AND i.pos BETWEEN ?2 AND ?3 "
				  "ORDER BY i.pos";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, file);
	sqlite3_bind_int(st, 2, from);
	sqlite3_bind_int(st, 3, to);
	return index_items(ix, st, fn, arg, e);
}

/* --- files --- */

#define FILE_COLUMNS                                                                     \
	"f.id, p.name, f.folder, f.name, f.mtime_ns, f.size, f.ino, f.odd, f.skipped"
#define FILE_TABLES "file f CROSS JOIN project p ON p.id = f.project"

/* Run st, which selects FILE_COLUMNS, and hand each file to fn. */
static int files(struct index *ix, sqlite3_stmt *st,
		 int (*fn)(const struct index_file *f, void *arg), void *arg,
		 struct err *e)
{
	int ret;

	while ((ret = index_step(ix, st, e)) > 0) {
		struct index_file f = {
			.id = sqlite3_column_int64(st, 0),
			.project = index_column(st, 1),
			.folder = (enum vault_folder)sqlite3_column_int(st, 2),
			.name = index_column(st, 3),
			.mtime_ns = sqlite3_column_int64(st, 4),
			.size = (uint64_t)sqlite3_column_int64(st, 5),
			.ino = (uint64_t)sqlite3_column_int64(st, 6),
			.odd = (unsigned)sqlite3_column_int64(st, 7),
			.skipped = (uint64_t)sqlite3_column_int64(st, 8),
		};

		ret = fn(&f, arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}

int index_file_each(struct index *ix, enum vault_folder folder, str project,
		    int (*fn)(const struct index_file *f, void *arg), void *arg,
		    struct err *e)
{
	static const char sql[] =
		"SELECT " FILE_COLUMNS " FROM " FILE_TABLES
		" WHERE f.project = ?1 AND f." INDEX_FOLDER " ORDER BY f.name";
	sqlite3_stmt *st;
	int ret = project_stmt(ix, sql, project, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int(st, 2, (int)folder);
	return files(ix, st, fn, arg, e);
}

int index_file_recent(struct index *ix, int64_t since_ns,
		      int (*fn)(const struct index_file *f, void *arg), void *arg,
		      struct err *e)
{
	static const char sql[] =
		"SELECT " FILE_COLUMNS " FROM " FILE_TABLES
		" WHERE f.folder <> 0 AND (f.mtime_ns > ?1 OR f.mtime_ns = 0)";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, since_ns);
	return files(ix, st, fn, arg, e);
}

int index_odd(struct index *ix, str project, unsigned which,
	      int (*fn)(const struct index_file *f, void *arg), void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT " FILE_COLUMNS " FROM " FILE_TABLES
		" WHERE f.odd <> 0 AND f.odd & ?1 AND (?2 = '' OR p.name = ?2) "
		"ORDER BY p.name, f.folder, f.name";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	/* the index file_odd knows only what is odd: nothing, as a rule */
	sqlite3_bind_int64(st, 1, which);
	index_bind(st, 2, project);
	return files(ix, st, fn, arg, e);
}

int index_folder_time(struct index *ix, enum vault_folder folder, str project,
		      int64_t *mtime_ns, struct err *e)
{
	static const char sql[] =
		"SELECT mtime_ns FROM folder WHERE project = "
		"(SELECT id FROM project WHERE name = ?1) AND folder = ?2";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*mtime_ns = 0;
	if (ret)
		return ret;
	index_bind(st, 1, project);
	sqlite3_bind_int(st, 2, (int)folder);
	ret = index_step(ix, st, e);
	if (ret > 0)
		*mtime_ns = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return ret < 0 ? ret : 0;
}
