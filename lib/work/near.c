#include "work/near.h"

#include <stdlib.h>

#include "base/buf.h"

#define NEAR_MAX   5 /* names that are told */
#define NEAR_BYTES 1024
#define NEAR_EDITS 2  /* letters by which a name may differ */
#define NAME_BYTES 64 /* longer names are not compared letter by letter */

/* A project's name without what people write differently. */
static str bare(str name, char out[NAME_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < name.n && n < NAME_BYTES; i++)
		if (str_is_alnum(name.p[i]) || (unsigned char)name.p[i] >= 0x80)
			out[n++] = str_lower(name.p[i]);
	return (str){out, n};
}

/* Insertions, deletions and changes that make b of a. */
static size_t edits(str a, str b)
{
	size_t row[NAME_BYTES + 1];

	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t change = corner + (a.p[i - 1] != b.p[j - 1]);

			corner = row[j];
			if (row[j] + 1 < change)
				change = row[j] + 1;
			if (row[j - 1] + 1 < change)
				change = row[j - 1] + 1;
			row[j] = change;
		}
	}
	return row[b.n];
}

static bool like(str a, str b)
{
	char pa[NAME_BYTES], pb[NAME_BYTES];

	a = bare(a, pa);
	b = bare(b, pb);
	if (!a.n || !b.n)
		return false;
	if (str_find(a, b) != STR_NPOS || str_find(b, a) != STR_NPOS)
		return true;
	return a.n > NEAR_EDITS + 1 && b.n > NEAR_EDITS + 1 && edits(a, b) <= NEAR_EDITS;
}

struct near {
	str project;
	struct buf out;
	size_t n;
};

static int on_project(str project, size_t active, int64_t newest_us, void *arg)
{
	struct near *n = arg;

	(void)active;
	(void)newest_us;
	if (str_eq(project, n->project) || !like(project, n->project))
		return 0;
	if (n->n++)
		buf_add(&n->out, STR(", "));
	buf_add(&n->out, project);
	return n->n == NEAR_MAX;
}

int near_projects(struct index *ix, str project, char **names, struct err *e)
{
	struct near n = {.project = project, .out = BUF_INIT(NEAR_BYTES)};
	int ret = index_projects(ix, on_project, &n, e);

	if (ret > 0)
		ret = 0;
	if (!ret && n.n && !n.out.full)
		*names = buf_take(&n.out);
	buf_release(&n.out);
	return ret;
}
