/* Any bytes as a question to a small index: an answer, never an error of FTS5's syntax. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "work/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct index *ix;
static char top[] = "/tmp/handoff-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_top(void)
{
	index_free(ix);
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void fill(void)
{
	static const char *const body[] = {
		"Ann: keep readings in SQLite", "pre-edit hook of src/main.c v1.2",
		"\xE9\x87\x8D\xE8\xB7\x91gen-itgc\xE5\x90\x8E", "proj 1 body extra NEAR"};
	struct index_file f = {
		.folder = VAULT_SESSIONS, .project = STR("p"), .name = STR("n.md")};

	if (index_begin(ix, NULL) || index_file_put(ix, &f, NULL))
		abort();
	for (size_t i = 0; i < sizeof(body) / sizeof(*body); i++)
		if (index_item_put(ix, &f,
				   &(struct index_put){.importance = 3,
						       .at_us = 1,
						       .body = str_of(body[i])},
				   NULL))
			abort();
	if (index_file_put(ix, &f, NULL) || index_commit(ix, NULL))
		abort();
}

static void init(void)
{
	static struct vault v;

	if (!mkdtemp(top))
		abort();
	setenv("XDG_CACHE_HOME", top, 1);
	if (vault_open(&v, top, NULL) || index_open(&ix, &v, 1000, NULL))
		abort();
	atexit(remove_top);
	fill();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct search_query q = {
		.text = {(const char *)data, size}, .type = -1, .limit = 5};
	struct buf b = BUF_INIT(1u << 20);
	struct err e = ERR_INIT;
	struct search s;

	if (!ix)
		init();
	if (size && data[0] & 1)
		q.project = STR("p");
	if (search_run(&s, ix, &q, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		abort();
	}
	search_text(&b, &s, &q, true);
	search_json(&b, &s, &q);
	search_release(&s);
	buf_release(&b);
	return 0;
}
