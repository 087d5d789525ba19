/*
 * In the index a record's file is one of the folder VAULT_PROJECT of "_records" (which is no
 * project); its only item is the current version. A file of that folder that cannot exist, SEEN,
 * says when all files were last looked at (mtime) and how long that took (size).
 */
#include "work/recindex.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "data/index.h"
#include "data/recnews.h"
#include "data/shelf.h"
#include "work/redact.h"
#include "work/record.h"

#define PROJECT    STR("_records")
#define SEEN       STR(".seen")
#define BUSY_MS    50
#define EVERY_NS   INT64_C(2000000000)
#define SHARE      50 /* of the time, at most one part in so many is spent on looking at all */
#define NEWS_MAX   (16u << 10) /* bytes that recindex_news takes over: some hundred files */
#define SETTLED_NS INT64_C(50000000)

struct run {
	const struct vault *v;
	struct record_store store;
	struct index *ix;
	struct buf texts, body;
	size_t files; /* met by the walk */
	struct err *e;
};

/* Wall clock, also where HANDOFF_NOW is set: it is compared with the files'. */
static int64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void find(struct run *r, str name, struct index_file *f)
{
	buf_reset(&r->texts);
	if (index_file_find(r->ix, VAULT_PROJECT, PROJECT, name, f, &r->texts, NULL))
		*f = (struct index_file){.id = 0};
	f->folder = VAULT_PROJECT;
	f->project = PROJECT;
	f->name = name;
}

static int64_t time_us(str at)
{
	int64_t ms;

	return clock_parse(at, &ms) ? ms * 1000 : 0;
}

static int put_item(struct run *r, struct index_file *f, const struct record_view *rec)
{
	struct index_put p = {
		.kind = INDEX_RECORD, .importance = 3, .at_us = time_us(rec->v->at)};
	str part[] = {str_of(rec->address.text), rec->v->value, rec->v->tags,
		      rec->v->note, rec->v->agent};

	buf_reset(&r->body);
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		if (i)
			buf_byte(&r->body, '\n');
		redact(&r->body, part[i]);
	}
	p.name = str_of(rec->address.text);
	p.body = buf_str(&r->body);
	return index_item_put(r->ix, f, &p, r->e);
}

/* Read one file into the index; one that is gone goes. */
static int put_file(struct run *r, str rel, const struct stat *st)
{
	struct index_file f;
	struct record_view rec;
	struct stat own;
	int fd, ret = 0;

	find(r, rel, &f);
	fd = st ? 0 : shelf_open(r->v, SHELF_RECORDS, rel, &own, NULL);
	if (fd < 0)
		return f.id ? index_file_drop(r->ix, f.id, r->e) : 0;
	if (!st)
		io.close(fd);
	st = st ? st : &own;
	if (f.id)
		ret = index_file_clear(r->ix, f.id, r->e);
	f.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	/* a change in the same moment would not show: look again next time */
	if (f.mtime_ns > wall_ns() - SETTLED_NS)
		f.mtime_ns = 0;
	f.size = (uint64_t)st->st_size;
	f.ino = (uint64_t)st->st_ino;
	f.items = 0;
	if (!ret)
		ret = index_file_put(r->ix, &f, r->e);
	if (!ret && record_load_path(&r->store, rel, &rec, NULL) == 0)
		ret = put_item(r, &f, &rec);
	else if (ret)
		return ret;
	record_release(&rec);
	return ret;
}

static int look(const char *rel, const struct stat *st, void *arg)
{
	struct run *r = arg;
	struct index_file f;

	r->files++;
	find(r, str_of(rel), &f);
	if (f.id && f.size == (uint64_t)st->st_size && f.ino == (uint64_t)st->st_ino &&
	    f.mtime_ns == (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec)
		return 0;
	return put_file(r, str_of(rel), st);
}

static int add_name(const struct index_file *f, void *arg)
{
	struct buf *b = arg;

	if (!str_eq(f->name, SEEN)) {
		buf_add(b, f->name);
		buf_byte(b, 0);
	}
	return 0;
}

/* Files of the index that are not on the shelf any more. */
static int drop_gone(struct run *r)
{
	struct buf names = BUF_INIT(SIZE_MAX), path = BUF_INIT(8192);
	size_t n = 0;
	int ret = index_file_each(r->ix, VAULT_PROJECT, PROJECT, add_name, &names, r->e);
	struct stat st;

	for (size_t i = 0; i < names.n; i++)
		n += !names.p[i];
	for (const char *p = names.p; n > r->files && !ret && p < names.p + names.n;
	     p += strlen(p) + 1) {
		buf_reset(&path);
		if (!shelf_path(r->v, SHELF_RECORDS, str_of(p), &path) ||
		    io.lstat(buf_cstr(&path), &st) < 0)
			ret = put_file(r, str_of(p), NULL);
	}
	buf_release(&names);
	buf_release(&path);
	return ret;
}

static int look_at_all(struct run *r, struct index_file *seen)
{
	int64_t begun = clock_mono_ns();
	int ret = shelf_walk(r->v, SHELF_RECORDS, STR_NONE, look, r, r->e);

	if (!ret)
		ret = drop_gone(r);
	seen->folder = VAULT_PROJECT;
	seen->project = PROJECT;
	seen->name = SEEN;
	seen->mtime_ns = wall_ns();
	seen->size = (uint64_t)(clock_mono_ns() - begun);
	return ret ? ret : index_file_put(r->ix, seen, r->e);
}

/* What writers left behind since the last search. */
static int take_changes(struct run *r)
{
	struct buf text = BUF_INIT(RECNEWS_MAX);
	str rest, line;
	int ret = 0;

	recnews_take(r->v, &text);
	for (rest = buf_str(&text); !ret && str_line(&rest, &line);)
		ret = put_file(r, line, NULL);
	buf_release(&text);
	return ret;
}

static bool is_due(const struct index_file *seen)
{
	int64_t every = (int64_t)seen->size * SHARE, age = wall_ns() - seen->mtime_ns;

	return !seen->id || age < 0 || age > (every > EVERY_NS ? every : EVERY_NS);
}

/* HF_ETIME: another process writes; what is there will do. */
static int refresh(struct run *r)
{
	struct index_file seen;
	bool due;
	int ret;

	find(r, SEEN, &seen);
	due = is_due(&seen);
	if (!due && !recnews_any(r->v))
		return 0;
	if (!seen.id)
		index_bulk(r->ix, true);
	ret = index_begin(r->ix, r->e);
	if (ret)
		return ret;
	ret = take_changes(r);
	if (!ret && due)
		ret = look_at_all(r, &seen);
	if (!ret)
		ret = index_commit(r->ix, r->e);
	if (ret)
		index_rollback(r->ix);
	else
		recnews_done(r->v);
	index_bulk(r->ix, false);
	return ret;
}

static void run_begin(struct run *r, const struct vault *v, struct vault *own,
		      struct err *e)
{
	*own = *v;
	*r = (struct run){.v = v,
			  .store = {own, "", ""},
			  .texts = BUF_INIT(SIZE_MAX),
			  .body = BUF_INIT(SIZE_MAX),
			  .e = e};
}

static void run_end(struct run *r)
{
	buf_release(&r->texts);
	buf_release(&r->body);
}

int recindex_news(const struct vault *v, struct index *ix, struct err *e)
{
	struct vault own;
	struct run r;
	size_t news = recnews_any(v);
	int ret;

	/* many: a search will take them, which may take its time */
	if (!news || news > NEWS_MAX)
		return 0;
	ret = index_begin(ix, e);
	if (ret)
		return ret;
	run_begin(&r, v, &own, e);
	r.ix = ix;
	ret = take_changes(&r);
	if (!ret)
		ret = index_commit(ix, e);
	if (ret)
		index_rollback(ix);
	else
		recnews_done(v);
	run_end(&r);
	return ret;
}

static int add_rel(const struct index_item *it, double score, void *arg)
{
	struct buf rel = BUF_INIT(8192);
	struct address a;

	(void)score;
	if (address_of(&a, it->name, STR_NONE, NULL))
		return 0;
	address_path(&rel, &a);
	buf_add(arg, (str){buf_cstr(&rel), rel.n + 1});
	address_release(&a);
	buf_release(&rel);
	return 0;
}

/* The paths of what fits, each with its NUL: all of them, or none and HF_E*. */
static int match(struct run *r, const struct index_query *q, struct buf *found,
		 struct err *e)
{
	struct err busy = ERR_INIT;
	int ret = index_follow(r->ix, e);

	buf_reset(found);
	r->e = &busy;
	if (!ret && !q->offset) {
		ret = refresh(r);
		if (ret == HF_ETIME)
			ret = 0;
		else if (ret)
			err_set(e, ret, "%s", busy.msg);
	}
	r->e = e;
	return ret ? ret : index_match(r->ix, q, add_rel, found, NULL, e);
}

int recindex_match(const struct vault *v, str words, size_t offset, size_t limit,
		   int (*fn)(str rel, void *arg), void *arg, struct err *e)
{
	struct index_query q = {.text = words,
				.kinds = 1u << INDEX_RECORD,
				.type = -1,
				.offset = offset,
				.limit = limit};
	struct buf found = BUF_INIT(SIZE_MAX);
	struct err why = ERR_INIT;
	struct vault own;
	struct run r;
	int ret;

	run_begin(&r, v, &own, &why);
	ret = index_open(&r.ix, v, BUSY_MS, &why);
	if (!ret)
		ret = match(&r, &q, &found, &why);
	/* damaged: once more, on a new one */
	if (ret && r.ix && index_damaged(r.ix)) {
		why = ERR_INIT;
		ret = match(&r, &q, &found, &why);
	}
	index_free(r.ix);
	for (const char *p = found.p; !ret && p < found.p + found.n; p += strlen(p) + 1)
		ret = fn(str_of(p), arg);
	buf_release(&found);
	run_end(&r);
	return ret < 0 ? err_set(e, ret, "%s", why.msg) : ret;
}
