/*
 * table: lists of records of one shape, in bounded memory, that can be moved and saved.
 *
 *   static const struct field FIELDS[] = {FIELD(struct todo, record, U64), FIELD(struct todo, subject, STR)};
 *   static const struct table TODO = TABLE("todo", struct box, todo, ntodo, 200, FIELDS);
 *   struct todo *row = table_push(&TODO, &box);         NULL when it is full
 *   table_move(&TODO, &box, &other);                    all texts copied to another arena
 *   table_save(&TODO, &box, &out);  table_load(&TODO, &box, &text, &arena, &e);
 *
 * The owner ("box") holds a pointer to the rows and their number; the rows are `max` items
 * of the owner's memory, texts and inner lists live in an arena. What is in a row is told by
 * its fields, so that moving, saving and reading back know every text.
 *
 * An inner list (ROWS) is an array in the arena, grown by doubling: its room is the next
 * power of two from TABLE_INNER_MIN. Inner rows hold no lists.
 *
 * Saved: one row is `tag field field ...` and a newline, a text is `length:bytes`; inner rows
 * follow theirs. Numbers are decimal, a float is the number of its 32 bits.
 */
#ifndef WORK_TABLE_H
#define WORK_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum field_kind {
	FIELD_STR,
	FIELD_U64, /* uint64_t, and int64_t by its bits */
	FIELD_U32, /* also enums and 32-bit sizes */
	FIELD_SIZE,
	FIELD_BOOL,
	FIELD_FLOAT,
	FIELD_ROWS,
};

struct table;

struct field {
	enum field_kind kind;
	size_t at;
	const struct table *rows; /* FIELD_ROWS: offsets are in the row */
};

struct table {
	const char *tag;
	size_t rows, count; /* offsets of the pointer and of the number, in the owner */
	size_t size, max;   /* of a row; rows */
	const struct field *field;
	size_t nfields;
};

#define FIELD(type, member, k)                                                           \
	{                                                                                \
		FIELD_##k, offsetof(type, member), NULL                                  \
	}
#define FIELD_LIST(table)                                                                \
	{                                                                                \
		FIELD_ROWS, 0, (table)                                                   \
	}
#define TABLE(tag, owner, member, number, max, fields)                                   \
	{                                                                                \
		tag, offsetof(owner, member), offsetof(owner, number),                   \
			sizeof(*((owner *)NULL)->member), (max), (fields),               \
			sizeof(fields) / sizeof *(fields)                                \
	}

#define TABLE_INNER_MIN 8

size_t table_count(const struct table *t, const void *owner);
void *table_row(const struct table *t, const void *owner, size_t i);
/* A new zeroed row at the end, or NULL at max. */
void *table_push(const struct table *t, void *owner);
/* The same for an inner list, whose array grows in the arena; NULL also when that is full. */
void *table_push_inner(const struct table *t, void *owner, struct arena *a);
void table_drop(const struct table *t, void *owner, size_t i);
/* Rows for which stay[i] is false go; the order of the others is kept. */
void table_filter(const struct table *t, void *owner, const bool *stay);
/*
 * Keep the n rows with the highest key (of equal ones the older), in their order. key gets
 * a row and arg. Rows are at most TABLE_RANK_MAX; returns how many went.
 */
#define TABLE_RANK_MAX 4096
size_t table_keep_best(const struct table *t, void *owner, size_t n,
		       double (*key)(const void *row, const void *arg), const void *arg);

/* Copy all texts and inner lists to `to`. What does not fit becomes empty; false then. */
bool table_move(const struct table *t, void *owner, struct arena *to);
void table_save(const struct table *t, const void *owner, struct buf *out);
/* Read the rows with this tag that *text begins with. HF_EFORMAT when they are damaged or too many. */
int table_load(const struct table *t, void *owner, str *text, struct arena *a,
	       struct err *e);

#endif
