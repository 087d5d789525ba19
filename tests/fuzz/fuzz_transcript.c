/*
 * Any bytes as a transcript: the reader with all caps, the tree, the ending, the agents, the
 * three listings and the deep dive. What is checked beside memory: lean and full reading
 * agree, JSON comes out as JSON, a repaired copy has the same records and no loss.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "data/json.h"
#include "work/agents.h"
#include "work/ending.h"
#include "work/phases.h"
#include "work/repair.h"
#include "work/tree.h"

#define INPUT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void source_of(struct source *src, const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	char path[] = "/tmp/fuzz-transcript-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    source_open(src, path, &e) < 0)
		log_die("no temporary file: %s", e.msg);
	close(fd);
	unlink(path);
}

static void is_json(str s)
{
	struct json j;
	enum json_tok tok;

	json_init(&j, s);
	while ((tok = json_next(&j)) != JSON_END)
		assert(tok != JSON_BAD && tok != JSON_MORE);
}

/* A run over the records; returns how many there were. */
static uint64_t run(struct source *src, const struct transcript_caps *caps,
		    uint64_t *hash)
{
	struct transcript *t;
	const struct record *r;
	struct tree *tree = tree_new();
	struct ending_state *state = ending_new();
	struct ending *end = calloc(1, sizeof(*end));
	struct agents *agents = agents_new();
	struct ending_facts facts;
	struct buf json = BUF_INIT(1 << 20);
	struct arena a;
	enum transcript_got got;
	uint64_t n, first, last, lost = 0, kept = 0;

	assert(end && source_seek(src, 0) == 0);
	arena_init(&a, 1 << 20);
	t = transcript_new(src, 0, caps);
	while ((got = transcript_next(t, &r)) <= TRANSCRIPT_LOSS) {
		struct block b;
		size_t it = 0;
		str said;

		if (got == TRANSCRIPT_LOSS) {
			lost += t->last_loss.len;
			continue;
		}
		kept += r->len;
		tree_add(tree, r);
		ending_add(state, r);
		agents_add(agents, r);
		arena_reset(&a);
		*hash = *hash * 31 + (uint64_t)record_says(r, &a, &said);
		*hash = *hash * 31 + r->uuid_hash + r->type + r->duplicate;
		while (record_block(r, &it, &b)) {
			*hash = *hash * 31 + b.kind;
			(void)record_gist(&b);
			(void)record_refusal(&b);
		}
	}
	assert(got == TRANSCRIPT_END && kept + lost <= src->size);
	tree_finish(tree);
	for (size_t i = 0; tree_range(tree, i, &first, &last); i++)
		assert(first <= last && tree_abandoned(tree, first));
	ending_facts_of(&facts, t);
	facts.tree = tree;
	ending_finish(state, &facts, end);
	ending_json(end, &json);
	is_json(buf_str(&json));
	n = t->records;
	buf_release(&json);
	arena_release(&a);
	agents_free(agents);
	ending_free(state);
	tree_free(tree);
	transcript_free(t);
	free(end);
	return n;
}

static void list(struct source *src,
		 int (*phase)(struct source *, const char *,
			      const struct phases_options *, struct out *, struct err *),
		 bool json)
{
	struct phases_options opt = {.json = json, .since = CLOCK_NONE};
	struct buf text = BUF_INIT(64 << 20);
	struct err e = ERR_INIT;
	struct out out;
	char path[] = "/tmp/fuzz-transcript-XXXXXX";
	int fd = mkstemp(path);
	long n;

	if (fd < 0)
		log_die("no temporary file");
	unlink(path);
	out_init(&out, fd, "listing");
	assert(source_seek(src, 0) == 0);
	assert(phase(src, "-", &opt, &out, &e) == 0);
	assert(out_end(&out, &e) == 0);
	if (json) {
		char *room;
		off_t size = lseek(fd, 0, SEEK_END);

		room = buf_room(&text, (size_t)size + 1);
		assert(room);
		n = pread(fd, room, (size_t)size, 0);
		assert(n == size);
		text.n = (size_t)n;
		is_json(buf_str(&text));
	}
	close(fd);
	buf_release(&text);
}

static void dive(struct source *src, uint64_t records, uint8_t pick)
{
	for (int json = 0; json < 2 && records; json++) {
		struct buf text = BUF_INIT(pick < 128 ? 1u << 20 : 300u + pick);
		struct err e = ERR_INIT;

		assert(source_seek(src, 0) == 0);
		assert(phases_show(src, "-", 1 + pick % records, json, &text, &e) == 0);
		assert(!text.full);
		if (json)
			is_json(buf_str(&text));
		buf_release(&text);
	}
}

static void repair(struct source *src, uint64_t records)
{
	char path[] = "/tmp/fuzz-transcript-XXXXXX";
	int fd = mkstemp(path);
	struct repair_done done;
	struct err e = ERR_INIT;
	struct source copy;
	struct transcript *t;
	const struct record *r;
	enum transcript_got got;
	uint64_t n = 0;

	if (fd < 0)
		log_die("no temporary file");
	close(fd);
	assert(source_seek(src, 0) == 0);
	assert(repair_copy(src, "-", path, &done, &e) == 0);
	assert(done.records == records);
	assert(source_open(&copy, path, &e) == 0);
	unlink(path);
	t = transcript_new(&copy, 0, &TRANSCRIPT_CAPS_TREE);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD)
		n++;
	assert(got == TRANSCRIPT_END && n == records);
	transcript_free(t);
	source_release(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct transcript_caps small = {7, 3, 5, 2, 3, 1, false};
	struct source src;
	struct transcript_caps both = TRANSCRIPT_CAPS_DOC;
	uint64_t lean = 0, full = 0, other = 0, n;

	if (size > INPUT_MAX)
		return 0;
	source_of(&src, data, size);
	if (src.packed) { /* not this target's business */
		source_release(&src);
		return 0;
	}
	both.lean = true;
	n = run(&src, &both, &lean);
	assert(run(&src, &TRANSCRIPT_CAPS_DOC, &full) == n);
	assert(run(&src, &small, &other) == n);
	assert(lean == full);
	list(&src, phases_index, true);
	list(&src, phases_index, false);
	list(&src, phases_backbone, true);
	list(&src, phases_backbone, false);
	list(&src, phases_agents, true);
	list(&src, phases_agents, false);
	dive(&src, n, size ? data[size / 2] : 0);
	repair(&src, n);
	source_release(&src);
	return 0;
}
