/*
 * spoil: damage to an index that only a question meets.
 *
 *   spoil_words(&vault);          nobody may have it open
 *
 * The tables are whole and the notes unchanged, so opening it and looking for changes find
 * nothing wrong; looking a word up does.
 */
#ifndef UNIT_SPOIL_H
#define UNIT_SPOIL_H

#include <sqlite3.h>

#include "data/index.h"

static inline void spoil_words(const struct vault *v)
{
	struct buf path = BUF_INIT(4096);
	sqlite3 *db;

	assert_true(index_place(v, &path));
	buf_add(&path, STR("/index.db"));
	assert_int_equal(sqlite3_open(buf_cstr(&path), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "UPDATE words_data SET block = x'ffffffffff' "
				      "WHERE id > 10",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_true(sqlite3_changes(db) > 0);
	sqlite3_close(db);
	buf_release(&path);
}

#endif
