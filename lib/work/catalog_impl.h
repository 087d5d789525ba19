/* catalog_impl: what the parts of catalog share. */
#ifndef WORK_CATALOG_IMPL_H
#define WORK_CATALOG_IMPL_H

#include "work/catalog.h"

void catalog_item_release(struct catalog_item *it);
/* One more zeroed item at the end of a growing list. */
struct catalog_item *catalog_grow(struct catalog_item **item, size_t *n, size_t *cap);
/* For qsort and bsearch. */
int catalog_by_path(const void *a, const void *b);
/* Time of the newest record, else of the file; ms. */
int64_t catalog_activity(const struct catalog_item *it);
/* The client's folder, as a real path so that the cache's keys do not depend on ours. */
int catalog_dir(const struct catalog_options *o, struct buf *dir, struct err *e);

/* What was known of the files of a folder of sessions when it was last written. */
struct catalog_cache {
	struct buf path; /* of the file; "" when there is no place for one */
	/* sorted by path; what was used has lost its strings */
	struct catalog_item *item;
	size_t n, cap;
	size_t used;
};

/* Never fails: a cache that is missing, damaged, foreign or of another folder is empty. */
void catalog_cache_open(struct catalog_cache *c, const char *dir);
/* Give `it` what is known of the file as it is now; false when it must be read. */
bool catalog_cache_take(struct catalog_cache *c, struct catalog_item *it, bool exact);
/* Failing costs time at the next call and nothing else, so it is only traced. */
void catalog_cache_save(const struct catalog_cache *c, const char *dir,
			const struct catalog *all);
void catalog_cache_release(struct catalog_cache *c);

#endif
