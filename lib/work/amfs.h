/*
 * amfs: the store as an adapter of AMFS speaks it: one JSON request in, JSON lines out.
 *
 *   struct amfs *a = amfs_open(&store, "amfs-235", &e);
 *   amfs_request(a, line, &out);         replies, each with its line end
 *   amfs_free(a);
 *
 * The contract (docs/compatibility-records.md, "AMFS") is followed literally, where it differs from our
 * own rules as well: an outcome writes a new version; confidence begins at 1.0, is multiplied, and
 * with the table amfs-legacy may go beyond 1. What that needs is kept beside the version, so that
 * AMFS and the record tools see the same records. Confidence as our tools show it is cut to 0..1.
 *
 * Requests and replies: docs/formats-records.md, "Requests of AMFS". A reply is one line; what a watch
 * sees comes on lines before the reply of the request that wrote it. A request that does not fit is
 * one error, and nothing is written.
 */
#ifndef WORK_AMFS_H
#define WORK_AMFS_H

#include "work/record.h"

#define AMFS_LINE_MAX (4u << 20)

struct amfs;

/* table: "amfs-legacy" or "amfs-235"; HF_EUSAGE for others. store is borrowed. */
struct amfs *amfs_open(const struct record_store *store, const char *table,
		       struct err *e);
void amfs_free(struct amfs *a);
void amfs_request(struct amfs *a, str line, struct buf *out);
/* What an outcome of that type makes of a confidence. False: no such type. */
bool amfs_apply(const struct amfs *a, str type, double causal, double *confidence);

#endif
