/*
 * Whatever the records: memory is bounded, every fact is valid text, what is saved loads
 * and saves as the same bytes, and saving in the middle changes nothing. Input that is a
 * saved state gets its hash made good, so that what is behind it is reached.
 */
#include "base/utf8.h"
#include "data/source.h"
#include "work/extract.h"

#include <stdlib.h>

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)
#define HASH_BYTES 17 /* of the last line, with its newline */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	str data;
	size_t at;
} feed;

static ssize_t feed_read(int fd, void *p, size_t n)
{
	(void)fd;
	n = n > feed.data.n - feed.at ? feed.data.n - feed.at : n;
	if (n)
		memcpy(p, feed.data.p + feed.at, n);
	feed.at += n;
	return (ssize_t)n;
}

static off_t feed_lseek(int fd, off_t off, int whence)
{
	(void)fd;
	(void)whence;
	MUST((size_t)off <= feed.data.n);
	feed.at = (size_t)off;
	return off;
}

static struct extract *reloaded(struct extract *x, struct buf *text)
{
	struct buf again = BUF_INIT(SIZE_MAX);
	struct err e = ERR_INIT;
	struct extract *y;

	buf_reset(text);
	extract_save(x, text);
	y = extract_load(buf_str(text), &e);
	MUST(y);
	extract_save(y, &again);
	MUST(str_eq(buf_str(&again), buf_str(text)));
	buf_release(&again);
	extract_free(x);
	return y;
}

/* The state after all records; with `split`, saved and loaded after each. */
static struct extract *pass(str s, bool split, struct tree *tree)
{
	struct source src = {.fd = 0, .size = s.n};
	struct buf text = BUF_INIT(SIZE_MAX);
	struct extract *x = extract_new();
	const struct record *rec;
	enum transcript_got got;
	struct transcript *t;

	feed.data = s;
	feed.at = 0;
	t = transcript_new(&src, 0, &extract_caps);
	while ((got = transcript_next(t, &rec)) != TRANSCRIPT_END) {
		MUST(got != TRANSCRIPT_ERROR);
		if (got != TRANSCRIPT_RECORD)
			continue;
		extract_add(x, rec);
		if (tree)
			tree_add(tree, rec);
		if (split)
			x = reloaded(x, &text);
	}
	transcript_free(t);
	buf_release(&text);
	return x;
}

static void check_facts(struct extract *x, const struct tree *tree)
{
	const struct facts *f = extract_facts(x, tree, CLOCK_NONE);
	struct buf shown = BUF_INIT(SIZE_MAX);

	for (size_t i = 0; i < f->nprompt; i++)
		MUST(utf8_valid(f->prompt[i].text) && f->prompt[i].record <= f->records);
	for (size_t i = 0; i < f->nsentence; i++)
		MUST(utf8_valid(f->sentence[i].text) &&
		     f->sentence[i].k < f->sentence[i].of);
	for (size_t i = 0; i < f->nerror; i++)
		MUST(f->error[i].nlines <= FACT_ERROR_LINES &&
		     f->error[i].nedited <= FACT_ERROR_EDITS);
	for (size_t i = 0; i < f->nedit; i++) {
		extract_relative(f, f->edit[i].path, &shown);
		MUST(f->edit[i].first <= f->edit[i].last);
	}
	for (size_t i = 1; i < f->nident; i++)
		MUST(str_cmp(f->ident[i - 1].text, f->ident[i].text) < 0);
	MUST(utf8_valid(buf_str(&shown)));
	buf_release(&shown);
}

static void fuzz_records(str s)
{
	struct buf whole = BUF_INIT(SIZE_MAX), parts = BUF_INIT(SIZE_MAX);
	struct tree *tree = tree_new();
	struct extract *x = pass(s, false, tree), *y = pass(s, true, NULL);

	tree_finish(tree);
	extract_save(x, &whole);
	extract_save(y, &parts);
	MUST(str_eq(buf_str(&whole), buf_str(&parts)));
	MUST(utf8_valid(buf_str(&whole)));
	check_facts(x, tree);
	check_facts(y, NULL);
	buf_reset(&parts);
	extract_save(x, &parts); /* looking changes nothing */
	MUST(str_eq(buf_str(&whole), buf_str(&parts)));
	tree_free(tree);
	extract_free(x);
	extract_free(y);
	buf_release(&whole);
	buf_release(&parts);
}

static void fuzz_state(str s)
{
	struct buf text = BUF_INIT(SIZE_MAX), saved = BUF_INIT(SIZE_MAX);
	struct err e = ERR_INIT;
	struct extract *x;

	buf_add(&text, str_head(s, s.n > HASH_BYTES ? s.n - HASH_BYTES : 0));
	buf_printf(&text, "%016llx\n",
		   (unsigned long long)extract_checksum(buf_str(&text)));
	x = extract_load(buf_str(&text), &e);
	MUST(x || e.code == HF_EFORMAT);
	if (x) {
		extract_facts(x, NULL, CLOCK_NONE);
		extract_save(x, &saved);
		extract_free(x);
	}
	buf_release(&text);
	buf_release(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size};

	io.read = feed_read;
	io.lseek = feed_lseek;
	if (str_starts(s, STR("handoff-extract")))
		fuzz_state(s);
	else
		fuzz_records(s);
	io_real();
	return 0;
}
