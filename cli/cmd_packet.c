/*
 * handoff packet VERB [OPTION]... [ARGUMENT]...
 *
 * Handoff packets: what one agent hands to the next.
 */
#include "commands.h"
#include "recopt.h"

static int run_create(const struct recopt *o, const struct record_store *s,
		      struct rectool *r, struct err *e)
{
	struct packet_ref refs[RECOPT_LIST_MAX];
	struct packet_new n = {.summary = str_of(o->word[0]),
			       .to = str_of(o->to),
			       .parent = str_of(o->parent),
			       .done = o->done.item,
			       .ndone = o->done.n,
			       .next = o->next.item,
			       .nnext = o->next.n,
			       .open = o->open.item,
			       .nopen = o->open.n,
			       .hazards = o->hazards.item,
			       .nhazards = o->hazards.n,
			       .refs = refs,
			       .nrefs = o->refs.n};

	int ret = 0;

	for (size_t i = 0; i < o->refs.n && !ret; i++)
		ret = rectool_ref(s, o->refs.item[i], &refs[i], e);
	return ret ? ret : rectool_create(s, &n, r, e);
}

static int run_pickup(const struct recopt *o, const struct record_store *s,
		      struct rectool *r, struct err *e)
{
	struct packet_ask ask = {.id = o->nwords ? str_of(o->word[0]) : STR_NONE,
				 .from = str_of(o->from),
				 .peek = o->peek,
				 .close = o->close};

	return rectool_pickup(s, &ask, r, e);
}

static int run_show(const struct recopt *o, const struct record_store *s,
		    struct rectool *r, struct err *e)
{
	struct packet_ask ask = {.id = str_of(o->word[0]), .peek = true};

	return rectool_pickup(s, &ask, r, e);
}

static int run_list(const struct recopt *o, const struct record_store *s,
		    struct rectool *r, struct err *e)
{
	return rectool_packets(s, o->all, r, e);
}

static int run_cancel(const struct recopt *o, const struct record_store *s,
		      struct rectool *r, struct err *e)
{
	return rectool_cancel(s, str_of(o->word[0]), r, e);
}

static const struct recopt_verb verbs[] = {
	{"create", "SUMMARY", "hand over; --pin the records to start from", RECOPT_CREATE,
	 1, 1, run_create},
	{"pickup", "[ID]", "take what waits, with its pinned versions and what is stale",
	 RECOPT_PICKUP, 0, 1, run_pickup},
	{"list", "", "waiting and open packets", RECOPT_LIST, 0, 0, run_list},
	{"show", "ID", "one packet, without taking it", 0, 1, 1, run_show},
	{"cancel", "ID", "take back a waiting one of yours", 0, 1, 1, run_cancel},
};

static int run(const struct args *a, struct err *e)
{
	return recopt_run("packet", verbs, sizeof(verbs) / sizeof(*verbs), a->nwords + 1,
			  a->word - 1, e);
}

const struct command cmd_packet = {
	.name = "packet",
	.operands = "VERB",
	.summary = "hand work to another agent: create, pickup, list, show, cancel",
	.verbs = verbs,
	.nverbs = sizeof(verbs) / sizeof(*verbs),
	.raw = true,
	.run = run,
};
