/*
 * Loading, step by step:
 *   1. every session file below projects/ becomes an item (names and stat only);
 *   2. items that the cache knows with the same size, mtime and inode take what it has;
 *   3. the others are glanced at, the cache is written again if anything changed;
 *   4. what only other files tell is laid on top (a later session that begins with /clear, a
 *      process that still runs), other projects' items are dropped, the rest sorted.
 */
#include "work/catalog_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "data/config.h"
#include "data/project.h"

/* between a session's last word and the /clear after it: a day */
#define CLEARED_MAX_MS INT64_C(86400000)

void catalog_item_release(struct catalog_item *it)
{
	free(it->path);
	free(it->id);
	glance_release(&it->g);
	*it = (struct catalog_item){0};
}

int catalog_by_path(const void *a, const void *b)
{
	const struct catalog_item *x = a, *y = b;

	return strcmp(x->path, y->path);
}

struct catalog_item *catalog_grow(struct catalog_item **item, size_t *n, size_t *cap)
{
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		struct catalog_item *p = reallocarray(*item, more, sizeof(*p));

		if (!p)
			log_oom();
		*item = p;
		*cap = more;
	}
	(*item)[*n] = (struct catalog_item){0};
	return &(*item)[(*n)++];
}

int64_t catalog_activity(const struct catalog_item *it)
{
	return it->g.ended != CLOCK_NONE ? it->g.ended : it->mtime_ns / 1000000;
}

int catalog_dir(const struct catalog_options *o, struct buf *dir, struct err *e)
{
	char *real;

	if (o->claude_dir)
		buf_add(dir, str_of(o->claude_dir));
	else
		config_claude_dir(dir);
	if (!dir->n)
		return err_set(
			e, HF_ENOTFOUND,
			"neither CLAUDE_CONFIG_DIR nor HOME is set: use --claude-dir");
	if (dir->full)
		return err_set(e, HF_ELIMIT,
			       "the name of the client's folder is too long");
	real = realpath(buf_cstr(dir), NULL);
	if (real) {
		buf_reset(dir);
		buf_add(dir, str_of(real));
		free(real);
	}
	return 0;
}

struct gather {
	struct catalog *c;
	size_t cap;
};

static int gather_one(const struct claude_file *f, void *arg)
{
	struct gather *g = arg;
	struct catalog_item *it = catalog_grow(&g->c->item, &g->c->n, &g->cap);

	it->path = str_dup(str_of(f->path));
	it->id = str_dup(str_of(f->id));
	it->size = f->size;
	it->mtime_ns = f->mtime_ns;
	it->ino = f->ino;
	return 0;
}

static void skip(struct catalog *c, const char *why)
{
	c->skipped++;
	if (!c->problem)
		c->problem = str_dup(str_of(why));
}

static void gather_unread(const char *why, void *arg)
{
	struct gather *g = arg;

	skip(g->c, why);
}

/* Items that keep() refuses are released, the others close ranks. */
static void filter(struct catalog *c,
		   bool (*keep)(struct catalog *c, struct catalog_item *it, void *arg),
		   void *arg)
{
	size_t i, n = 0;

	for (i = 0; i < c->n; i++) {
		if (keep(c, &c->item[i], arg))
			c->item[n++] = c->item[i];
		else
			catalog_item_release(&c->item[i]);
	}
	c->n = n;
}

static bool keep_readable(struct catalog *c, struct catalog_item *it, void *arg)
{
	(void)c;
	(void)arg;
	return it->g.cwd != NULL;
}

static bool keep_talk(struct catalog *c, struct catalog_item *it, void *arg)
{
	(void)arg;
	/* a file with no record at all is damaged, not empty: there may be something to save */
	if (it->g.talk || it->g.kind == ENDING_UNREADABLE)
		return true;
	c->empty++;
	return false;
}

/* Few directories, many sessions: what the last cwd gave is remembered. */
struct scope {
	struct project project;
	struct buf folder; /* the client's name for the project's directory */
	char *cwd;
	bool holds;
};

/* Only where a directory lies counts here, so any name will do: HANDOFF_PROJECT is not asked. */
static void scope_project(struct project *p, const char *dir)
{
	static const struct project_options by_place = {.name = "session"};

	(void)project_of(p, dir, &by_place, NULL);
}

static bool is_below(const char *dir, const char *top)
{
	size_t n = strlen(top);

	return strncmp(dir, top, n) == 0 && (!dir[n] || dir[n] == '/');
}

/*
 * One repository, wherever its work trees lie; else the directory with what is below it,
 * repositories left out. Home, / and the temporary roots are only themselves.
 */
static bool scope_holds(const struct project *p, const char *cwd)
{
	struct project q;
	bool same;

	scope_project(&q, cwd);
	if (strcmp(p->id, PROJECT_NONE) == 0 || strcmp(q.id, PROJECT_NONE) == 0)
		same = strcmp(p->dir, q.dir) == 0;
	else
		same = strcmp(p->id, q.id) == 0 || strcmp(p->alias, q.alias) == 0 ||
		       (!p->common && !q.common && is_below(q.dir, p->dir));
	project_release(&q);
	return same;
}

/* The name of the folder that a session's file is in. */
static str folder_of(const struct catalog_item *it)
{
	str path = str_of(it->path);

	path.n -= str_basename(path).n;
	return str_basename(str_head(path, path.n ? path.n - 1 : 0));
}

static bool keep_project(struct catalog *c, struct catalog_item *it, void *arg)
{
	struct scope *s = arg;

	if (!it->g.cwd[0]) {
		/* no record tells: then the folder's name is better than nothing */
		if (str_eq(folder_of(it), buf_str(&s->folder)))
			return true;
		c->others++;
		return false;
	}
	if (!s->cwd || strcmp(s->cwd, it->g.cwd) != 0) {
		free(s->cwd);
		s->cwd = str_dup(str_of(it->g.cwd));
		s->holds = scope_holds(&s->project, s->cwd);
	}
	if (!s->holds)
		c->others++;
	return s->holds;
}

static bool keep_dead(struct catalog *c, struct catalog_item *it, void *arg)
{
	(void)arg;
	if (!it->g.dead)
		c->alive++;
	return it->g.dead;
}

static int by_activity(const void *a, const void *b)
{
	const struct catalog_item *x = a, *y = b;
	int64_t tx = catalog_activity(x), ty = catalog_activity(y);

	if (tx != ty)
		return tx < ty ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void look_all(struct catalog *c, struct catalog_cache *cache,
		     const struct catalog_options *o, bool *changed)
{
	size_t i;

	*changed = false;
	for (i = 0; i < c->n; i++) {
		struct catalog_item *it = &c->item[i];
		struct err e = ERR_INIT;

		if (o->progress)
			o->progress(o->progress_arg, i, c->n);
		if (catalog_cache_take(cache, it, o->exact))
			continue;
		*changed = true;
		if (glance_read(&it->g, it->path, o->exact, &e) == 0)
			continue;
		skip(c, e.msg);
	}
	if (cache->used != cache->n)
		*changed = true; /* a file is gone */
}

static bool same_folder(const struct catalog_item *a, const struct catalog_item *b)
{
	size_t n = strlen(a->path) - str_basename(str_of(a->path)).n;

	return strncmp(a->path, b->path, n) == 0 && !strchr(b->path + n, '/');
}

/*
 * Who typed the /clear that a session begins with was in the session of that folder whose
 * last activity is the latest before. Nothing links the two files; without this, each of
 * those would look killed while it waited.
 */
static void look_cleared(struct catalog *c)
{
	size_t i, k, first;

	if (c->n)
		qsort(c->item, c->n, sizeof(*c->item), catalog_by_path);
	for (i = first = 0; i < c->n; i++) {
		struct catalog_item *it = &c->item[i], *left = NULL;
		struct buf evidence = BUF_INIT(ERR_MSG_BYTES);

		if (!same_folder(&c->item[first], it))
			first = i;
		if (!it->g.begins_clear)
			continue;
		for (k = first; k < c->n && same_folder(it, &c->item[k]); k++) {
			struct catalog_item *o = &c->item[k];

			if (o != it && o->g.ended != CLOCK_NONE &&
			    o->g.ended <= it->g.started &&
			    it->g.started - o->g.ended <= CLEARED_MAX_MS &&
			    (!left || left->g.ended < o->g.ended))
				left = o;
		}
		if (!left || left->g.kind != ENDING_KILLED_IDLE)
			continue;
		left->g.kind = ENDING_CLEARED;
		left->g.dead = false;
		buf_printf(
			&evidence,
			"The turn ended, and session %.*s, the next of its folder, begins with /clear.",
			CATALOG_ID_CHARS, it->id);
		free(left->g.reason);
		free(left->g.evidence);
		left->g.reason = str_dup(str_of(ending_words(ENDING_CLEARED)));
		left->g.evidence = buf_take(&evidence);
	}
}

static void look_running(struct catalog *c, const char *dir)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct catalog_item *it = &c->item[i];
		struct buf reason = BUF_INIT(64);

		it->running_pid = claude_running(dir, str_of(it->id));
		if (!it->running_pid)
			continue;
		it->g.kind = ENDING_RUNNING;
		it->g.dead = false;
		buf_printf(&reason, "still running (process %" PRId64 ")",
			   it->running_pid);
		free(it->g.reason);
		it->g.reason = buf_take(&reason);
	}
}

int catalog_load(struct catalog *c, const struct catalog_options *o, struct err *e)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	struct gather gather = {.c = c};
	struct catalog_cache cache = {0};
	struct scope scope = {.folder = BUF_INIT(PATH_MAX)};
	bool changed;
	int ret;

	*c = (struct catalog){0};
	ret = catalog_dir(o, &dir, e);
	if (!ret)
		ret = claude_each_told(buf_cstr(&dir), gather_one, gather_unread, &gather,
				       e);
	if (ret)
		goto out;
	catalog_cache_open(&cache, buf_cstr(&dir));
	look_all(c, &cache, o, &changed);
	filter(c, keep_readable, NULL);
	if (changed)
		catalog_cache_save(&cache, buf_cstr(&dir), c);
	look_cleared(c);
	filter(c, keep_talk, NULL);
	if (o->project) {
		scope_project(&scope.project, o->project);
		claude_encode(&scope.folder,
			      str_of(scope.project.top ? scope.project.top
						       : scope.project.dir));
		filter(c, keep_project, &scope);
		project_release(&scope.project);
	}
	look_running(c, buf_cstr(&dir));
	if (o->dead_only)
		filter(c, keep_dead, NULL);
	if (c->n)
		qsort(c->item, c->n, sizeof(*c->item), by_activity);
	while (o->limit && c->n > o->limit)
		catalog_item_release(&c->item[--c->n]);
out:
	free(scope.cwd);
	buf_release(&scope.folder);
	catalog_cache_release(&cache);
	buf_release(&dir);
	return ret;
}

void catalog_release(struct catalog *c)
{
	while (c->n)
		catalog_item_release(&c->item[--c->n]);
	free(c->item);
	free(c->problem);
	*c = (struct catalog){0};
}
