/*
 * packet: what one agent hands to the next: done, next, open, and from which versions to start.
 *
 *   ret = packet_create(&s, &new, &p, &e);              p.id "h_1f4089bf"
 *   ret = packet_pickup(&s, &ask, &p, &e);              whatever waits for this agent
 *   packet_resolve(&s, &p, fn, arg, &e);                its pinned versions, and what is stale
 *   packet_release(&p);
 *
 * One file each, _packets/<id>.md (docs/formats-records.md, "Packets"): a body that never changes,
 * hashed, and sealed status lines behind it. waiting, picked_up, closed; or cancelled.
 *
 * Picking up is decided under the vault's lock: one process wins, the other is told who did. Without
 * an id the order is: addressed to this agent before unaddressed, oldest first; never an unaddressed one that
 * this agent wrote in this very session, none that is corrupt. An agent that died after it picked up
 * gets the packet again by its id, or in the same session without.
 *
 * Hazards are carried: a packet with a parent has all of the parent's, word for word.
 */
#ifndef WORK_PACKET_H
#define WORK_PACKET_H

#include "data/jsondoc.h"
#include "work/record.h"

#define PACKET_ID_BYTES    11 /* "h_", eight digits, NUL */
#define PACKET_FILE_MAX    (4u << 20)
#define PACKET_LIST_MAX    100 /* items of done, next, open, refs */
#define PACKET_HAZARDS_MAX 500
#define PACKET_ITEM_MAX    2000 /* bytes of one */
#define PACKET_SUMMARY_MAX 500

enum packet_status {
	PACKET_WAITING,
	PACKET_PICKED_UP,
	PACKET_CLOSED,
	PACKET_CANCELLED,
	PACKET_STATES
};

struct packet_ref {
	str scope, key;   /* key may be empty: the scope's last part */
	uint64_t version; /* 0: the current one */
};

struct packet_new {
	str summary, to, parent; /* to "": anyone */
	const str *done, *next, *open, *hazards;
	size_t ndone, nnext, nopen, nhazards;
	const struct packet_ref *refs;
	size_t nrefs;
};

struct packet {
	char id[PACKET_ID_BYTES];
	struct buf text;
	struct jsondoc *body;
	str from, session, to, summary, parent, created_at; /* of the body */
	str content;                                        /* hash in the file */
	enum packet_status status;
	bool corrupt;   /* the body or a status line is not what was written */
	bool contested; /* two machines picked it up: the earlier one has it */
	char by[RECORD_AGENT_MAX + 1],
		by_session[RECORD_AGENT_MAX + 1]; /* who picked it up */
	char at[32];                              /* when */
	char end_at[32];                          /* closed or cancelled */
	char tip[65];                             /* hash of the last sealed line */
	size_t nstatus;
	bool torn;
	/* what packet_create and packet_pickup say */
	size_t secrets;
	bool again;    /* this agent had picked it up before */
	bool taken;    /* another agent has: nothing was changed */
	bool repeated; /* packet_create: it was there already */
};

const char *packet_status_name(enum packet_status s);
bool packet_id_ok(str id);
/*
 * What this agent has handed over in this session already, word for word and with the same pins,
 * and nobody has picked up, is not handed over twice: p is that packet. For clients that ask
 * again because they lost the reply.
 */
int packet_create(const struct record_store *s, const struct packet_new *n,
		  struct packet *p, struct err *e);
/* HF_ENOTFOUND, HF_EFORMAT (not even a body can be read). */
int packet_read(const struct record_store *s, str id, struct packet *p, struct err *e);
void packet_release(struct packet *p);

struct packet_ask {
	str id;     /* "": what waits */
	str from;   /* only packets of that agent; "": any */
	bool peek;  /* look, take nothing */
	bool close; /* it is done with */
};
/* HF_ENOTFOUND: nothing waits; the message names what this agent had picked up in another session. */
int packet_pickup(const struct record_store *s, const struct packet_ask *ask,
		  struct packet *p, struct err *e);
/* Take back a waiting packet of one's own. */
int packet_cancel(const struct record_store *s, str id, struct packet *p, struct err *e);

/* All packets, by id; fn may keep nothing. Files that cannot be read: fn gets p with corrupt and no body. */
int packet_each(const struct record_store *s, int (*fn)(struct packet *p, void *arg),
		void *arg, struct err *e);

#define PACKET_OFFERS_MAX 8

/*
 * Append a line for each packet that waits for this agent, in the order of picking up, at most
 * PACKET_OFFERS_MAX: "- h_1f4089bf from scout, 2026-02-12: summary". Returns how many wait. For the
 * start of a session: packets that were not looked at by deadline_ns (monotonic, 0: none) are left out.
 */
size_t packet_offer(const struct record_store *s, int64_t deadline_ns, struct buf *out);

/* One pinned version as it is now. */
struct packet_pin {
	str scope, key, chain;
	uint64_t version;
	double confidence;    /* when it was pinned */
	bool missing;         /* dangling: there is no such version */
	struct record_view r; /* filled unless missing */
};
/* Call fn for each pinned version, in order; fn != 0 stops. The pin is released after it. */
int packet_resolve(const struct record_store *s, const struct packet *p,
		   int (*fn)(const struct packet_pin *pin, void *arg), void *arg,
		   struct err *e);
/* Append one warning a line for what is stale about a pin; how many. */
size_t packet_stale(const struct packet_pin *pin, struct buf *out);

#endif
