/*
 * In the index a record's file is one of the folder VAULT_PROJECT of "_records" (which is no
 * project); its only item is the current version. title and summary of its row are what the
 * brief says of it, started_us when it was last judged. A file of that folder that cannot exist, SEEN,
 * says when all files were last looked at (mtime) and how long that took (size).
 */
#include "work/recindex.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/oom.h"
#include "data/index.h"
#include "data/recnews.h"
#include "data/shelf.h"
#include "work/redact.h"
#include "work/record.h"

#define PROJECT    STR("_records")
#define SEEN       STR(".seen")
#define EVERY_NS   INT64_C(2000000000)
#define SHARE      50 /* of the time, at most one part in so many is spent on looking at all */
#define NEWS_MAX   (16u << 10) /* bytes that recindex_news takes over: some hundred files */
#define SETTLED_NS INT64_C(50000000)

/* What the index knows of a file, by its name; open addressing, at most half full. */
struct known {
	size_t name; /* offset in names, NUL-terminated; an id of 0 is a free place */
	int64_t id, mtime_ns;
	uint64_t size, ino;
	bool met; /* by the walk */
};

struct run {
	const struct vault *v;
	struct index *ix;
	struct buf texts, body, summary;
	struct buf names;
	struct known *known;
	size_t room, n; /* places, and how many are taken */
	struct err *e;
};

/* Wall clock, also where HANDOFF_NOW is set: it is compared with the files'. */
static int64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void find(struct run *r, str name, struct index_file *f)
{
	buf_reset(&r->texts);
	if (index_file_find(r->ix, VAULT_PROJECT, PROJECT, name, f, &r->texts, NULL))
		f->id = 0;
}

static int64_t time_us(str at)
{
	int64_t ms;

	return clock_parse(at, &ms) ? ms * 1000 : 0;
}

/* ---- one file ---- */

static int percent(double c)
{
	return (int)(c * 100 + 0.5);
}

static void add_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_printf(b, ", %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* What the brief says of a record that was judged. */
static void judge(struct run *r, const struct record_view *rec, struct index_file *f)
{
	const struct lineage_state *s = &rec->state;

	buf_reset(&r->summary);
	if (!(s->successes || s->failures || s->others) || !rec->judged[0])
		return;
	buf_printf(&r->summary, "v%llu, confidence %d%%",
		   (unsigned long long)rec->v->version, percent(s->confidence));
	add_count(&r->summary, s->successes, "success", "successes");
	add_count(&r->summary, s->failures, "failure", "failures");
	if (rec->contested)
		buf_add(&r->summary, STR(", contested"));
	f->title = str_of(rec->address.text);
	f->summary = buf_str(&r->summary);
	f->started_us = time_us(str_of(rec->judged));
}

static int put_item(struct run *r, struct index_file *f, const struct record_view *rec)
{
	struct index_put p = {.kind = INDEX_RECORD,
			      .importance = 3,
			      .percent = percent(rec->state.confidence),
			      .at_us = time_us(rec->v->at)};
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

/* Read an open file into the index, as f, which has its name and its id there. */
static int read_file(struct run *r, int fd, const struct stat *st, struct index_file *f)
{
	struct record_view rec;
	bool known = f->id != 0,
	     read = record_skim(f->name, fd, (uint64_t)st->st_size, &rec, NULL) == 0;
	int ret = 0;

	f->mtime_ns = mtime_of(st);
	/* a change in the same moment would not show: look again next time */
	if (f->mtime_ns > wall_ns() - SETTLED_NS)
		f->mtime_ns = 0;
	f->size = (uint64_t)st->st_size;
	f->ino = (uint64_t)st->st_ino;
	f->items = 0;
	f->title = f->summary = STR_NONE;
	f->started_us = 0;
	if (read)
		judge(r, &rec, f);
	if (known)
		ret = index_file_clear(r->ix, f->id, r->e);
	if (!ret)
		ret = index_file_put(r->ix, f, r->e);
	if (!ret && read)
		ret = put_item(r, f, &rec);
	record_release(&rec);
	return ret;
}

/* One that is gone, or cannot be read, goes. */
static int put_file(struct run *r, str rel, int64_t id, bool met)
{
	struct index_file f = {
		.id = id, .folder = VAULT_PROJECT, .project = PROJECT, .name = rel};
	struct stat st;
	int fd = met ? shelf_open_met(r->v, SHELF_RECORDS, rel, &st, NULL)
		     : shelf_open(r->v, SHELF_RECORDS, rel, &st, NULL);
	int ret;

	if (fd < 0)
		return id ? index_file_drop(r->ix, id, r->e) : 0;
	ret = read_file(r, fd, &st, &f);
	io.close(fd);
	return ret;
}

/* ---- what is known ---- */

static struct known *place(struct run *r, str name)
{
	size_t i = (size_t)str_hash(name) & (r->room - 1);

	while (r->known[i].id && !str_eq(str_of(r->names.p + r->known[i].name), name))
		i = (i + 1) & (r->room - 1);
	return &r->known[i];
}

static void make_room(struct run *r)
{
	struct known *old = r->known;
	size_t n = r->room;

	r->room = n ? n * 2 : 1024;
	r->known = calloc(r->room, sizeof(*r->known));
	if (!r->known)
		oom();
	for (size_t i = 0; i < n; i++)
		if (old[i].id)
			*place(r, str_of(r->names.p + old[i].name)) = old[i];
	free(old);
}

static int add_known(const struct index_file *f, void *arg)
{
	struct run *r = arg;

	if (str_eq(f->name, SEEN))
		return 0;
	if (r->n * 2 >= r->room)
		make_room(r);
	*place(r, f->name) = (struct known){.name = r->names.n,
					    .id = f->id,
					    .mtime_ns = f->mtime_ns,
					    .size = f->size,
					    .ino = f->ino};
	buf_add(&r->names, f->name);
	buf_byte(&r->names, 0);
	r->n++;
	return 0;
}

static bool same(const struct known *k, const struct stat *st)
{
	return k->size == (uint64_t)st->st_size && k->ino == (uint64_t)st->st_ino &&
	       k->mtime_ns == mtime_of(st);
}

static int look(const char *rel, const struct stat *st, void *arg)
{
	struct run *r = arg;
	struct known *k = r->n ? place(r, str_of(rel)) : NULL;

	if (k && k->id) {
		k->met = true;
		if (same(k, st))
			return 0;
	}
	return put_file(r, str_of(rel), k ? k->id : 0, true);
}

static int look_at_all(struct run *r)
{
	struct index_file seen;
	int64_t begun = clock_mono_ns();
	int ret = index_file_each(r->ix, VAULT_PROJECT, PROJECT, add_known, r, r->e);

	if (!ret)
		ret = shelf_walk(r->v, SHELF_RECORDS, STR_NONE, look, r, r->e);
	for (size_t i = 0; i < r->room && !ret; i++)
		if (r->known[i].id && !r->known[i].met)
			ret = index_file_drop(r->ix, r->known[i].id, r->e);
	find(r, SEEN, &seen);
	seen.mtime_ns = wall_ns();
	seen.size = (uint64_t)(clock_mono_ns() - begun);
	return ret ? ret : index_file_put(r->ix, &seen, r->e);
}

/* ---- what writers left word of ---- */

static int by_path(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

/* Each of the lines once: a record that is written often has as many. */
static int put_lines(struct run *r, str text)
{
	struct buf lines = BUF_INIT(SIZE_MAX);
	struct index_file f;
	str line, *l;
	size_t n = 0;
	int ret = 0;

	for (; str_line(&text, &line); n++)
		buf_add(&lines, (str){(const char *)&line, sizeof(line)});
	l = (str *)(void *)lines.p;
	if (n)
		qsort(l, n, sizeof(*l), by_path);
	for (size_t i = 0; i < n && !ret; i++) {
		if (i && str_eq(l[i], l[i - 1]))
			continue;
		find(r, l[i], &f);
		ret = put_file(r, l[i], f.id, false);
	}
	buf_release(&lines);
	return ret;
}

/* *lost: some cannot be told any more. */
static int take_news(struct run *r, bool *lost)
{
	struct buf text = BUF_INIT(RECNEWS_MAX);
	int ret;

	*lost = !recnews_take(r->v, &text);
	ret = put_lines(r, buf_str(&text));
	buf_release(&text);
	return ret;
}

/* ---- all of it ---- */

static bool is_due(const struct index_file *seen)
{
	int64_t every = (int64_t)seen->size * SHARE, age = wall_ns() - seen->mtime_ns;

	return !seen->id || age < 0 || age > (every > EVERY_NS ? every : EVERY_NS);
}

/* In one transaction: the news, then all files if `all`. */
static int take_over(struct run *r, bool all)
{
	bool lost;
	int ret = index_begin(r->ix, r->e);

	if (ret)
		return ret;
	ret = take_news(r, &lost);
	if (!ret && (all || lost))
		ret = look_at_all(r);
	if (!ret)
		ret = index_commit(r->ix, r->e);
	if (ret)
		index_rollback(r->ix);
	if (ret)
		recnews_back(r->v);
	else
		recnews_done(r->v);
	return ret;
}

static void run_begin(struct run *r, const struct vault *v, struct index *ix,
		      struct err *e)
{
	*r = (struct run){.v = v,
			  .ix = ix,
			  .texts = BUF_INIT(SIZE_MAX),
			  .body = BUF_INIT(SIZE_MAX),
			  .summary = BUF_INIT(SIZE_MAX),
			  .names = BUF_INIT(SIZE_MAX),
			  .e = e};
}

static void run_end(struct run *r)
{
	buf_release(&r->texts);
	buf_release(&r->body);
	buf_release(&r->summary);
	buf_release(&r->names);
	free(r->known);
}

static bool has_records(const struct vault *v)
{
	struct buf path = BUF_INIT(4096);
	bool has;

	fs_join(&path, str_of(v->root ? v->root : ""), PROJECT);
	has = fs_is_dir(buf_cstr(&path));
	buf_release(&path);
	return has;
}

int recindex_news(const struct vault *v, struct index *ix, struct err *e)
{
	size_t news = recnews_any(v);
	struct run r;
	int ret;

	/* many: a search will take them, which may take its time */
	if (!news || news > NEWS_MAX)
		return 0;
	run_begin(&r, v, ix, e);
	ret = take_over(&r, false);
	run_end(&r);
	return ret;
}

int recindex_refresh(const struct vault *v, struct index *ix, struct err *e)
{
	struct err busy = ERR_INIT;
	struct index_file seen;
	bool due, news;
	struct run r;
	int ret = 0;

	run_begin(&r, v, ix, &busy);
	find(&r, SEEN, &seen);
	due = is_due(&seen);
	news = recnews_any(v) > 0;
	if (!seen.id && !news && !has_records(v))
		due = false;
	if (!seen.id && due)
		index_bulk(ix, true);
	if (due || news)
		ret = take_over(&r, due);
	if (!seen.id && due)
		index_bulk(ix, false);
	/* what others changed may wait, what our own writers did may not */
	if (ret == HF_ETIME && seen.id && !news)
		ret = 0;
	run_end(&r);
	return ret ? err_set(e, ret, "%s", busy.msg) : 0;
}

/* ---- asking ---- */

struct match {
	recindex_fn *fn;
	void *arg;
	struct buf given; /* names, each between two NULs */
	bool again;       /* they were given from an index that then turned out damaged */
};

static bool was_given(const struct match *m, str name)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	bool was;

	buf_byte(&b, 0);
	buf_add(&b, name);
	buf_byte(&b, 0);
	was = str_find(buf_str(&m->given), buf_str(&b)) != STR_NPOS;
	buf_release(&b);
	return was;
}

static int give(const struct index_item *it, double score, void *arg)
{
	struct match *m = arg;

	(void)score;
	if (m->again && was_given(m, it->name))
		return 0;
	if (!m->given.n)
		buf_byte(&m->given, 0);
	buf_add(&m->given, it->name);
	buf_byte(&m->given, 0);
	return m->fn(it->name, it->percent, m->arg);
}

static int match(const struct vault *v, struct index *ix, const struct index_query *q,
		 struct match *m, struct err *e)
{
	int ret = index_follow(ix, e);

	if (!ret)
		ret = recindex_refresh(v, ix, e);
	/* one lock for all that is asked, not one for each row */
	if (!ret)
		ret = index_snapshot(ix, e);
	if (ret)
		return ret;
	ret = index_match(ix, q, give, m, NULL, e);
	index_rollback(ix);
	return ret;
}

void recindex_release(struct recindex *k)
{
	index_free(k->ix);
	free(k->root);
	*k = (struct recindex){0};
}

static int open_kept(struct recindex *k, const struct vault *v, struct err *e)
{
	int ret;

	if (k->ix && strcmp(k->root, v->root) == 0)
		return 0;
	recindex_release(k);
	ret = index_open(&k->ix, v, RECINDEX_BUSY_MS, e);
	if (!ret)
		k->root = str_dup(str_of(v->root));
	return ret;
}

int recindex_match(const struct vault *v, struct recindex *kept, str words,
		   recindex_fn *fn, void *arg, struct err *e)
{
	struct index_query q = {.text = words,
				.project = PROJECT,
				.kinds = 1u << INDEX_RECORD,
				.type = -1,
				.limit = SIZE_MAX};
	struct match m = {fn, arg, BUF_INIT(SIZE_MAX), false};
	struct err why = ERR_INIT;
	struct recindex own = {0}, *k = kept ? kept : &own;
	int ret = open_kept(k, v, &why);

	if (!ret)
		ret = match(v, k->ix, &q, &m, &why);
	/* damaged: once more, on a new one */
	if (ret < 0 && k->ix && index_damaged(k->ix)) {
		why = ERR_INIT;
		m.again = true;
		ret = match(v, k->ix, &q, &m, &why);
	}
	if (!kept || (ret < 0 && ret != HF_ETIME))
		recindex_release(k);
	buf_release(&m.given);
	return ret < 0 ? err_set(e, ret, "%s", why.msg) : ret;
}
