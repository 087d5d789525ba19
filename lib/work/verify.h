/*
 * verify: go over all records and packets: what there is, and whether it is what was written.
 *
 *   struct verify v;
 *   ret = verify_run(&s, &(struct verify_options){.check = true, .found = fn, .arg = arg}, &v, &e);
 *   ... v.findings[VERIFY_CORRUPT], v.root ...
 *   verify_release(&v);
 *
 * Every hash is computed anew and every confidence is replayed from the reports to the last
 * bit. Fails closed: what cannot be read, or lacks a part, is a finding. It cannot see that somebody
 * rewrote a whole file with new hashes, or took its newest entries away: for that compare `root`,
 * which a commit of the vault keeps.
 */
#ifndef WORK_VERIFY_H
#define WORK_VERIFY_H

#include "work/packet.h"

enum verify_kind {
	VERIFY_CORRUPT, /* an edited value, line, packet; a file that cannot be read */
	VERIFY_CHAIN_BREAK, /* a version or line was removed, reordered or hashed anew */
	VERIFY_GAP,         /* version numbers are not 1..N */
	VERIFY_DANGLING, /* a packet pins what does not exist, a report is about no version */
	VERIFY_HEAD,     /* no version is current, or it is not the newest */
	VERIFY_REPLAY,    /* the reports do not give the confidence that is stored */
	VERIFY_CONTESTED, /* two machines wrote side by side: no damage, but to be settled */
	VERIFY_TORN, /* a block that a crash cut, never acknowledged: for information */
	VERIFY_KINDS
};

struct verify_finding {
	enum verify_kind kind;
	const char *where; /* scope/key, id of a packet, or path below the vault */
	uint64_t version;  /* 0: none in particular */
	const char *what;
};

struct verify_options {
	bool check; /* hashes and replays; without, only counts */
	void (*found)(const struct verify_finding *f, void *arg); /* may be NULL */
	void *arg;
};

struct verify {
	uint64_t records, versions, superseded, outcomes, packets, bytes;
	uint64_t checked, valid; /* entries of records, and packets */
	uint64_t kinds[OUTCOME_KINDS], states[PACKET_STATES];
	uint64_t findings[VERIFY_KINDS];
	double confidence;           /* mean of the current versions; 0 without any */
	char oldest[32], newest[32]; /* when a version was written */
	char root[65];               /* over all heads, see docs/formats-records.md */
	struct buf agents;           /* names of writers, each with its NUL */
	/* private */
	struct buf heads;
	double sum;
	uint64_t current; /* records that have a current version */
};

const char *verify_kind_name(enum verify_kind k);
/* Something is not as it was written (all kinds but contested and torn). */
bool verify_failed(const struct verify *v);
int verify_run(const struct record_store *s, const struct verify_options *o,
	       struct verify *v, struct err *e);
void verify_release(struct verify *v);

#endif
