/*
 * rectool_impl: what the parts of rectool share.
 */
#ifndef WORK_RECTOOL_IMPL_H
#define WORK_RECTOOL_IMPL_H

#include "work/rectool.h"

#define RECTOOL_FORMAT 1

/* Begin the answer's object: every one says its format first. */
void rectool_begin(struct rectool *r);
int rectool_percent(double c);
void rectool_str(struct buf *b, const char *key, str s);
void rectool_u64(struct buf *b, const char *key, uint64_t v);
void rectool_double(struct buf *b, const char *key, double v);
void rectool_bool(struct buf *b, const char *key, bool v);
void rectool_redacted(struct rectool *r, size_t secrets);
int rectool_full(const struct rectool *r, struct err *e);

#endif
