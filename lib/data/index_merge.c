/*
 * Merging the segments of the table words, a little at a time.
 *
 * FTS5 writes a segment a transaction and merges them by itself: when sixteen stand on a level
 * all of them at once, whatever their size, and else some hundred pages in a row. Both would
 * make one write in some hundred wait for tens of megabytes. So its own merging is off
 * (index_merge_setup), and each commit merges as many pages as it wrote rows: an event
 * of a line or two is a tenth of a page, and is written again once a level, of which there
 * are few, so the merging never falls behind. Commits of a single row take turns: one in
 * MERGE_EVERY does it for all of them, since beginning to merge costs as much as some pages.
 *
 * While the whole vault is read nothing is merged (nobody asks, and the segments are of the
 * size of a transaction); afterwards all become one.
 */
#include "data/index_impl.h"

#define MERGE_EVERY 8    /* rows */
#define MERGE_STEP  2000 /* pages of one transaction, where all is merged */
/* Segments on one level at which FTS5 merges them all the same: it has 2,000 at most. */
#define MERGE_CRISIS "500"

int index_merge_setup(struct index *ix, struct err *e)
{
	static const char *const SETUP[] = {
		"INSERT INTO words(words, rank) VALUES('automerge', 0)",
		"INSERT INTO words(words, rank) VALUES('crisismerge', " MERGE_CRISIS ")"};
	int ret = 0;

	for (size_t i = 0; i < sizeof SETUP / sizeof *SETUP && !ret; i++) {
		sqlite3_stmt *st;

		ret = index_stmt(ix, SETUP[i], &st, e);
		if (!ret)
			ret = index_run(ix, st, e);
	}
	return ret;
}

/* Pages < 0: also what FTS5 would leave in several segments. */
static int merge(struct index *ix, int pages, struct err *e)
{
	static const char sql[] = "INSERT INTO words(words, rank) VALUES('merge', ?1)";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int(st, 1, pages);
	return index_run(ix, st, e);
}

int index_merge_some(struct index *ix, struct err *e)
{
	int64_t rows = ix->words_rows, turn = ix->words_last % MERGE_EVERY;

	ix->words_rows = 0;
	if (!rows || ix->bulk || turn >= rows)
		return 0;
	return merge(ix, (int)(rows < MERGE_EVERY ? MERGE_EVERY : rows), e);
}

void index_merge_all(struct index *ix)
{
	int before, pages = -MERGE_STEP;

	do {
		before = sqlite3_total_changes(ix->db);
		if (merge(ix, pages, NULL))
			return;
		pages = MERGE_STEP;
		/* FTS5 writes one row, its structure, also when it merged nothing */
	} while (sqlite3_total_changes(ix->db) - before >= 2);
}
