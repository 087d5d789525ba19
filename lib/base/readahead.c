/*
 * The blocks are a ring of slots. `filled` counts the blocks that were read, `taken` those that
 * the caller got; the last one of these is still in the caller's hands. So block number i may
 * be filled while i - taken < READAHEAD_BLOCKS - 1. Without a thread there is slot 0 alone;
 * when a thread starts, what is in it counts as block 0, filled and taken.
 *
 * A thread that found no free slot sleeps until half of them are free: to wake it takes longer
 * than to read a block.
 */
#include "base/readahead.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"

#define ALIGN_BYTES 4096 /* of where the system copies to */
#define DATA_BYTES  (READAHEAD_BLOCK_BYTES + ALIGN_BYTES)

struct slot {
	long n;   /* bytes, 0 at the end, -1 */
	int code; /* errno of -1 */
};

struct readahead {
	int fd;
	uint64_t at; /* offset of the next block; the thread's while there is one */
	bool wanted, threaded;
	unsigned alone; /* blocks read by the caller since the beginning or a seek */
	struct readahead_thread how;
	ssize_t (*pread)(int fd, void *p, size_t n, off_t off);
	void *memory;
	char *room; /* in it, aligned; a slot: kept bytes, block and pad, notes */
	size_t slot_bytes;
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more, space;
	struct slot slot[READAHEAD_BLOCKS];
	uint64_t filled, taken;
	bool sleeps, stop; /* the thread waits for space; it has to end */
};

static char *data_of(const struct readahead *r, uint64_t i)
{
	return r->room + i % READAHEAD_BLOCKS * r->slot_bytes + READAHEAD_KEEP_BYTES;
}

/* ---- the thread ---- */

/* Wait until block number i may be filled. False: the thread has to end. */
static bool wait_for_space(struct readahead *r, uint64_t i)
{
	bool go;

	pthread_mutex_lock(&r->lock);
	r->sleeps = i - r->taken >= READAHEAD_BLOCKS - 1;
	while (r->sleeps && !r->stop)
		pthread_cond_wait(&r->space, &r->lock);
	go = !r->stop;
	pthread_mutex_unlock(&r->lock);
	return go;
}

static void *fill_blocks(void *arg)
{
	struct readahead *r = arg;
	struct slot s = {.n = 1};

	for (uint64_t i = 1; s.n > 0 && wait_for_space(r, i); i++) {
		char *data = data_of(r, i);

		do
			s.n = r->pread(r->fd, data, READAHEAD_BLOCK_BYTES, (off_t)r->at);
		while (s.n < 0 && errno == EINTR);
		s.code = s.n < 0 ? errno : 0;
		if (s.n > 0) {
			r->at += (uint64_t)s.n;
			if (r->how.look)
				r->how.look(r->how.arg, data, (size_t)s.n,
					    data + DATA_BYTES);
		}
		pthread_mutex_lock(&r->lock);
		r->slot[i % READAHEAD_BLOCKS] = s;
		r->filled = i + 1;
		pthread_cond_signal(&r->more);
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

static bool thread_start(struct readahead *r)
{
	sigset_t all, before;

	if (io.processors() < 2)
		return false;
	r->pread = io.pread;
	r->filled = r->taken = 1;
	r->sleeps = r->stop = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r->threaded = io.thread(&r->thread, fill_blocks, r) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r->threaded;
}

static void thread_stop(struct readahead *r)
{
	if (!r->threaded)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->space);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	r->threaded = false;
}

/* ---- the caller ---- */

struct readahead *readahead_new(int fd, uint64_t at, const struct readahead_thread *how)
{
	struct readahead *r = calloc(1, sizeof(*r));
	size_t notes = how ? how->note_bytes : 0;

	if (!r)
		log_oom();
	*r = (struct readahead){.fd = fd, .at = at, .wanted = how};
	if (how)
		r->how = *how;
	notes = (notes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
	r->slot_bytes = READAHEAD_KEEP_BYTES + DATA_BYTES + notes;
	/* zeros: what follows the bytes of a file is read too, whatever it is */
	r->memory = calloc(1, (how ? READAHEAD_BLOCKS : 1) * r->slot_bytes + ALIGN_BYTES);
	if (!r->memory)
		log_oom();
	r->room = (char *)r->memory + (ALIGN_BYTES - (uintptr_t)r->memory % ALIGN_BYTES);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	pthread_cond_init(&r->space, NULL);
	return r;
}

/* The kept bytes to right before data. */
static char *keep_before(char *data, str keep)
{
	if (keep.n)
		memmove(data - keep.n, keep.p, keep.n);
	return data - keep.n;
}

static long read_alone(struct readahead *r, str keep, char **p)
{
	char *data = data_of(r, 0);
	long n;

	*p = keep_before(data, keep);
	do
		n = io.read(r->fd, data, READAHEAD_BLOCK_BYTES);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		r->at += (uint64_t)n;
	r->alone++;
	return n;
}

static long take_block(struct readahead *r, str keep, char **p)
{
	uint64_t i = r->taken;
	struct slot s;

	pthread_mutex_lock(&r->lock);
	while (r->filled == i)
		pthread_cond_wait(&r->more, &r->lock);
	s = r->slot[i % READAHEAD_BLOCKS];
	pthread_mutex_unlock(&r->lock);
	*p = keep_before(data_of(r, i), keep);
	if (s.n <= 0) { /* it stays the next one */
		errno = s.code;
		return s.n;
	}
	pthread_mutex_lock(&r->lock);
	r->taken = i + 1;
	if (r->sleeps && r->filled - r->taken <= READAHEAD_BLOCKS / 2) {
		r->sleeps = false;
		pthread_cond_signal(&r->space);
	}
	pthread_mutex_unlock(&r->lock);
	return s.n;
}

long readahead_next(struct readahead *r, str keep, char **p)
{
	assert(keep.n <= READAHEAD_KEEP_BYTES);
	if (r->wanted && !r->threaded && r->alone >= READAHEAD_ALONE)
		r->wanted = thread_start(r);
	return r->threaded ? take_block(r, keep, p) : read_alone(r, keep, p);
}

bool readahead_seek(struct readahead *r, uint64_t off)
{
	thread_stop(r);
	r->alone = 0;
	r->at = off;
	return off <= INT64_MAX && io.lseek(r->fd, (off_t)off, SEEK_SET) >= 0;
}

const void *readahead_notes(const struct readahead *r)
{
	if (!r->threaded || r->taken == 1)
		return NULL;
	return data_of(r, r->taken - 1) + DATA_BYTES;
}

bool readahead_threaded(const struct readahead *r)
{
	return r->threaded;
}

void readahead_free(struct readahead *r)
{
	if (!r)
		return;
	thread_stop(r);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->more);
	pthread_cond_destroy(&r->space);
	free(r->memory);
	free(r);
}
