/*
 * rectool: what the record and packet tools and commands answer, as JSON and as text.
 *
 *   struct rectool r;
 *   rectool_init(&r);
 *   ret = rectool_write(&store, scope, key, &new, &r, &e);
 *   ... r.json for machines, r.text for people and models ...
 *   rectool_release(&r);
 *
 * The thin layer between the server and the command line on one side, work/record, packet and
 * verify on the other. JSON is one object; text is whole lines, other people's words quoted ("> ") or behind a
 * label, control characters escaped. Errors are those of the layers below.
 */
#ifndef WORK_RECTOOL_H
#define WORK_RECTOOL_H

#include "work/packet.h"
#include "work/recsearch.h"
#include "work/verify.h"

#define RECTOOL_MAX (32u << 20)

struct rectool {
	struct buf json, text;
	bool failed; /* stats: verification found what is not as it was written */
};

void rectool_init(struct rectool *r);
void rectool_release(struct rectool *r);

int rectool_write(const struct record_store *s, str scope, str key,
		  const struct record_new *n, struct rectool *r, struct err *e);

struct rectool_read {
	uint64_t version; /* 0: the current one */
	bool history;
	double min_confidence; /* 0: no floor */
};
int rectool_read(const struct record_store *s, str scope, str key,
		 const struct rectool_read *o, struct rectool *r, struct err *e);
int rectool_search(const struct record_store *s, const struct recsearch *q,
		   struct rectool *r, struct err *e);
int rectool_outcome(const struct record_store *s, str scope, str key, str kind,
		    const struct record_outcome *o, struct rectool *r, struct err *e);
int rectool_create(const struct record_store *s, const struct packet_new *n,
		   struct rectool *r, struct err *e);
int rectool_pickup(const struct record_store *s, const struct packet_ask *ask,
		   struct rectool *r, struct err *e);
int rectool_cancel(const struct record_store *s, str id, struct rectool *r,
		   struct err *e);
/* Those that wait or are open; all: closed and cancelled ones too. */
int rectool_packets(const struct record_store *s, bool all, struct rectool *r,
		    struct err *e);
int rectool_stats(const struct record_store *s, bool verify, struct rectool *r,
		  struct err *e);

/*
 * "a/b@3", "a/b" as people write them; the parts point into text. "@3" is a version unless a record has
 * just that name; what is no number is part of the name. HF_EUSAGE: "@0".
 */
int rectool_ref(const struct record_store *s, str text, struct packet_ref *ref,
		struct err *e);

#endif
