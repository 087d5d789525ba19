/*
 * Rows of a span of time, for a first pass that asks for it: one bit a row.
 *
 * The bits come from the index item_at, so their cost follows the span. Of a span with more
 * than RANGE_ROWS rows none are set: so many rows of it match then that the second pass, which
 * looks at every row's time anyway, soon has what it needs.
 */
#include <stdlib.h>

#include "base/oom.h"
#include "data/index_impl.h"

#define RANGE_ROWS 50000

int index_range_of(struct index_range *r, struct index *ix, const struct index_query *q,
		   struct err *e)
{
	static const char sql[] =
		"SELECT id FROM item WHERE at_us >= ?1 AND at_us < ?2 LIMIT ?3";
	sqlite3_stmt *st;
	int n = 0, ret;

	*r = (struct index_range){0};
	if (!q->since_us && !q->until_us)
		return 0;
	ret = index_last_row(ix, &r->last, e);
	if (!ret)
		ret = index_stmt(ix, sql, &st, e);
	if (ret)
		return ret;
	r->bit = calloc((size_t)r->last / 8 + 1, 1);
	if (!r->bit)
		oom();
	sqlite3_bind_int64(st, 1, q->since_us ? q->since_us : 1);
	sqlite3_bind_int64(st, 2, q->until_us ? q->until_us : INT64_MAX);
	sqlite3_bind_int(st, 3, RANGE_ROWS + 1);
	for (; (ret = index_step(ix, st, e)) > 0; n++) {
		int64_t row = sqlite3_column_int64(st, 0);

		if (row >= 0 && row <= r->last)
			r->bit[row / 8] |= (unsigned char)(1 << row % 8);
	}
	sqlite3_reset(st);
	if (n > RANGE_ROWS)
		index_range_release(r);
	return ret;
}

bool index_range_has(const struct index_range *r, int64_t row)
{
	return !r->bit || (row >= 0 && row <= r->last && r->bit[row / 8] >> row % 8 & 1);
}

void index_range_release(struct index_range *r)
{
	free(r->bit);
	*r = (struct index_range){0};
}
