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
bool packet_same_session(const struct packet *p, const struct record_store *s);

#endif
