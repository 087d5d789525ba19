/*
 * Rows are plain memory: every access goes through the offsets of the table's fields. An
 * inner list is a table whose owner is the row.
 */
#include "work/table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static char *rows_of(const struct table *t, const void *owner)
{
	char *p;

	memcpy(&p, (const char *)owner + t->rows, sizeof p);
	return p;
}

static void set_rows(const struct table *t, void *owner, char *p)
{
	memcpy((char *)owner + t->rows, &p, sizeof p);
}

size_t table_count(const struct table *t, const void *owner)
{
	size_t n;

	memcpy(&n, (const char *)owner + t->count, sizeof n);
	return n;
}

static void set_count(const struct table *t, void *owner, size_t n)
{
	memcpy((char *)owner + t->count, &n, sizeof n);
}

void *table_row(const struct table *t, const void *owner, size_t i)
{
	assert(i < table_count(t, owner));
	return rows_of(t, owner) + i * t->size;
}

void *table_push(const struct table *t, void *owner)
{
	size_t n = table_count(t, owner);

	if (n >= t->max)
		return NULL;
	set_count(t, owner, n + 1);
	return memset(table_row(t, owner, n), 0, t->size);
}

static size_t inner_room(size_t n)
{
	size_t room = TABLE_INNER_MIN;

	while (room < n)
		room *= 2;
	return n ? room : 0;
}

void *table_push_inner(const struct table *t, void *owner, struct arena *a)
{
	size_t n = table_count(t, owner);
	char *more;

	if (n < t->max && n == inner_room(n)) {
		more = arena_alloc(a, t->size, alignof(max_align_t), inner_room(n + 1));
		if (!more)
			return NULL;
		if (n)
			memcpy(more, rows_of(t, owner), n * t->size);
		set_rows(t, owner, more);
	}
	return table_push(t, owner);
}

void table_drop(const struct table *t, void *owner, size_t i)
{
	size_t n = table_count(t, owner);
	char *row = table_row(t, owner, i);

	memmove(row, row + t->size, (n - i - 1) * t->size);
	set_count(t, owner, n - 1);
}

void table_filter(const struct table *t, void *owner, const bool *stay)
{
	size_t n = table_count(t, owner), kept = 0;
	char *rows = rows_of(t, owner);

	for (size_t i = 0; i < n; i++) {
		if (!stay[i])
			continue;
		if (kept < i)
			memcpy(rows + kept * t->size, rows + i * t->size, t->size);
		kept++;
	}
	set_count(t, owner, kept);
}

struct rank {
	double key;
	size_t i;
};

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->key > y->key || x->key < y->key)
		return x->key > y->key ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

size_t table_keep_best(const struct table *t, void *owner, size_t n,
		       double (*key)(const void *row, const void *arg), const void *arg)
{
	struct rank rank[TABLE_RANK_MAX];
	bool stay[TABLE_RANK_MAX] = {false};
	size_t count = table_count(t, owner);

	if (count <= n)
		return 0;
	assert(count <= TABLE_RANK_MAX);
	for (size_t i = 0; i < count; i++)
		rank[i] = (struct rank){key(table_row(t, owner, i), arg), i};
	qsort(rank, count, sizeof *rank, by_rank);
	for (size_t i = 0; i < n; i++)
		stay[rank[i].i] = true;
	table_filter(t, owner, stay);
	return count - n;
}

/* ---- moving ---- */

static bool move_str(char *at, struct arena *to)
{
	str s;

	memcpy(&s, at, sizeof s);
	if (s.n == 0)
		return true;
	s = arena_str(to, s);
	memcpy(at, &s, sizeof s);
	return s.n > 0;
}

static bool move_rows(const struct table *t, void *owner, struct arena *to)
{
	size_t n = table_count(t, owner);
	char *rows =
		n ? arena_alloc(to, t->size, alignof(max_align_t), inner_room(n)) : NULL;

	if (rows)
		memcpy(rows, rows_of(t, owner), n * t->size);
	else
		set_count(t, owner, 0);
	set_rows(t, owner, rows);
	return table_move(t, owner, to) && (rows || n == 0);
}

bool table_move(const struct table *t, void *owner, struct arena *to)
{
	size_t n = table_count(t, owner);
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		char *row = table_row(t, owner, i);

		for (size_t k = 0; k < t->nfields; k++) {
			const struct field *f = &t->field[k];

			if (f->kind == FIELD_STR)
				all &= move_str(row + f->at, to);
			else if (f->kind == FIELD_ROWS)
				all &= move_rows(f->rows, row, to);
		}
	}
	return all;
}

/* ---- saving ---- */

static void save_field(const struct field *f, const char *row, struct buf *out)
{
	union {
		str s;
		uint64_t u64;
		uint32_t u32;
		size_t size;
		bool b;
	} v = {.u64 = 0};

	switch (f->kind) {
	case FIELD_STR:
		memcpy(&v.s, row + f->at, sizeof v.s);
		buf_u64(out, v.s.n);
		buf_byte(out, ':');
		buf_add(out, v.s);
		break;
	case FIELD_U64:
		memcpy(&v.u64, row + f->at, sizeof v.u64);
		buf_u64(out, v.u64);
		break;
	case FIELD_U32:
	case FIELD_FLOAT: /* its bits: exact, and made and read a hundred times as fast */
		memcpy(&v.u32, row + f->at, sizeof v.u32);
		buf_u64(out, v.u32);
		break;
	case FIELD_SIZE:
		memcpy(&v.size, row + f->at, sizeof v.size);
		buf_u64(out, v.size);
		break;
	case FIELD_BOOL:
		memcpy(&v.b, row + f->at, sizeof v.b);
		buf_u64(out, v.b);
		break;
	case FIELD_ROWS:
		buf_u64(out, table_count(f->rows, row));
		break;
	}
}

static void save_row(const struct table *t, const char *row, struct buf *out)
{
	buf_add(out, str_of(t->tag));
	for (size_t k = 0; k < t->nfields; k++) {
		buf_byte(out, ' ');
		save_field(&t->field[k], row, out);
	}
	buf_byte(out, '\n');
}

void table_save(const struct table *t, const void *owner, struct buf *out)
{
	size_t n = table_count(t, owner);

	for (size_t i = 0; i < n; i++) {
		const char *row = table_row(t, owner, i);

		save_row(t, row, out);
		for (size_t k = 0; k < t->nfields; k++) {
			if (t->field[k].kind == FIELD_ROWS)
				table_save(t->field[k].rows, row, out);
		}
	}
}

/* The number at the start of *s; what follows it stays. */
static bool load_number(str *s, uint64_t *v)
{
	size_t n = 0;

	while (n < s->n && str_is_digit(s->p[n]))
		n++;
	if (!str_u64(str_head(*s, n), v))
		return false;
	*s = str_from(*s, n);
	return true;
}

static bool load_str(str *s, char *at, struct arena *a)
{
	uint64_t n;
	str text;

	if (!load_number(s, &n) || s->n == 0 || s->p[0] != ':' || n > s->n - 1)
		return false;
	text = arena_str(a, (str){s->p + 1, (size_t)n});
	*s = str_from(*s, 1 + (size_t)n);
	memcpy(at, &text, sizeof text);
	return text.n == n;
}

static bool load_field(const struct field *f, char *row, str *s, struct arena *a)
{
	uint64_t v;
	uint32_t u32;
	size_t size;
	float fl;
	bool b;

	if (f->kind == FIELD_STR)
		return load_str(s, row + f->at, a);
	if (!load_number(s, &v))
		return false;
	switch (f->kind) {
	case FIELD_U64:
		memcpy(row + f->at, &v, sizeof v);
		return true;
	case FIELD_U32:
		u32 = (uint32_t)v;
		memcpy(row + f->at, &u32, sizeof u32);
		return u32 == v;
	case FIELD_FLOAT:
		u32 = (uint32_t)v;
		memcpy(&fl, &u32, sizeof fl);
		memcpy(row + f->at, &fl, sizeof fl);
		return u32 == v && fl - fl == 0; /* finite */
	case FIELD_SIZE:
		size = (size_t)v;
		memcpy(row + f->at, &size, sizeof size);
		return size == v;
	case FIELD_BOOL:
		b = v != 0;
		memcpy(row + f->at, &b, sizeof b);
		return v <= 1;
	default:
		return v <= f->rows->max; /* the rows themselves follow */
	}
}

/* The tag and the blank after it, if *s begins with them. */
static bool load_tag(const struct table *t, str *s)
{
	str tag = str_of(t->tag);

	if (!str_starts(*s, tag) || s->n <= tag.n || s->p[tag.n] != ' ')
		return false;
	*s = str_from(*s, tag.n);
	return true;
}

static bool load_row(const struct table *t, char *row, str *s, struct arena *a)
{
	for (size_t k = 0; k < t->nfields; k++) {
		if (s->n == 0 || s->p[0] != ' ')
			return false;
		*s = str_from(*s, 1);
		if (!load_field(&t->field[k], row, s, a))
			return false;
	}
	if (s->n == 0 || s->p[0] != '\n')
		return false;
	*s = str_from(*s, 1);
	return true;
}

static bool load_inner(const struct table *t, char *row, str *s, struct arena *a)
{
	char *inner;

	while (load_tag(t, s)) {
		inner = table_push_inner(t, row, a);
		if (!inner || !load_row(t, inner, s, a))
			return false;
	}
	return true;
}

int table_load(const struct table *t, void *owner, str *text, struct arena *a,
	       struct err *e)
{
	while (load_tag(t, text)) {
		char *row = table_push(t, owner);
		bool ok = row && load_row(t, row, text, a);

		for (size_t k = 0; ok && k < t->nfields; k++) {
			if (t->field[k].kind == FIELD_ROWS)
				ok = load_inner(t->field[k].rows, row, text, a);
		}
		if (!ok)
			return err_set(e, HF_EFORMAT,
				       "saved state: damaged at a \"%s\" row", t->tag);
	}
	return 0;
}
