/*
 * packet_impl: what the parts of packet share.
 */
#ifndef WORK_PACKET_IMPL_H
#define WORK_PACKET_IMPL_H

#include "data/shelf.h"
#include "work/packet.h"

/* Append a status line; the lock must be held. After it p says so. */
int packet_mark(const struct record_store *s, struct packet *p, enum packet_status status,
		struct err *e);
/* Take the text apart; p->body NULL: there is none that can be read. */
void packet_parse(struct packet *p);

/*
 * What has to be known of a packet to say who it waits for. The strings are borrowed until the
 * callback returns.
 */
struct packet_head {
	char id[PACKET_ID_BYTES];
	enum packet_status status;
	bool body;        /* it can be read */
	bool corrupt;     /* the others are not to be relied on */
	uint64_t summary; /* its hash (str_hash) */
	str from, session, to, by, by_session, at, created_at; /* as in struct packet */
};
void packet_head_of(const struct packet *p, struct packet_head *h);
/*
 * The heads of all packets, by id. Files that look as they did when they were read last are not
 * read again: their heads stand in a list in the cache, which is written anew when it was not up to date.
 * fn != 0 stops and is returned. Past deadline_ns (monotonic; 0: none) no file is read any more.
 */
int packet_heads(const struct record_store *s, int64_t deadline_ns,
		 int (*fn)(const struct packet_head *h, void *arg), void *arg,
		 struct err *e);
bool packet_head_is_for(const struct packet_head *h, const struct record_store *s);

#endif
