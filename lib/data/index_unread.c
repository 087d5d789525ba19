/* Files that are there and could not be read when they were looked at last. */
#include "data/index_impl.h"

int index_unread(struct index *ix, str project,
		 int (*fn)(const struct index_file *f, void *arg), void *arg,
		 struct err *e)
{
	/* the index file_odd knows only what is odd: nothing, as a rule */
	static const char sql[] =
		"SELECT f.folder, p.name, f.name FROM file f CROSS JOIN project p "
		"ON p.id = f.project WHERE f.odd <> 0 AND f.odd & ?1 "
		"AND (?2 = '' OR p.name = ?2) ORDER BY p.name, f.folder, f.name";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int(st, 1, INDEX_ODD_READ);
	index_bind(st, 2, project);
	while ((ret = index_step(ix, st, e)) > 0) {
		ret = fn(
			&(struct index_file){
				.folder = (enum vault_folder)sqlite3_column_int(st, 0),
				.project = index_column(st, 1),
				.name = index_column(st, 2)},
			arg);
		if (ret)
			break;
	}
	sqlite3_reset(st);
	return ret;
}
