/*
 * Loading, step by step:
 *   1. every session file below projects/ becomes an item (names and stat only);
 *   2. items that the cache knows with the same size, mtime and inode take what it has;
 *   3. the others are glanced at, the cache is written again if anything changed;
 *   4. what only other files tell is laid on top (a later session that begins with /clear, a
 *      process that still runs), other projects' items are dropped, the rest sorted.
 *
 * The cache is JSON lines. The first names its form, our version and the folder; each other
 * one is an item, its keys those of the table `fields`. A line that is not as it should be
 * makes the whole file foreign: it is not mended, it is written anew.
 */
#include "work/catalog.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/utf8.h"
#include "data/config.h"
#include "data/json.h"
#include "data/project.h"

#define CACHE_FORM     1
#define CACHE_LINE_MAX (64u << 10)
#define CLEARED_MAX_MS                                                                   \
	INT64_C(86400000) /* a day between a session's last word and the /clear after it */
#define LOOKS_LIKE_BYTES 4096 /* of a file, to tell a transcript from another file */

/* ---- the cache ---- */

enum field_type { FIELD_STR, FIELD_I64, FIELD_U64, FIELD_BOOL, FIELD_KIND };

static const struct field {
	const char *key;
	enum field_type type;
	size_t at;
} fields[] = {
	{"path", FIELD_STR, offsetof(struct catalog_item, path)},
	{"size", FIELD_U64, offsetof(struct catalog_item, size)},
	{"mtime", FIELD_I64, offsetof(struct catalog_item, mtime_ns)},
	{"ino", FIELD_U64, offsetof(struct catalog_item, ino)},
	{"cwd", FIELD_STR, offsetof(struct catalog_item, g.cwd)},
	{"branch", FIELD_STR, offsetof(struct catalog_item, g.branch)},
	{"version", FIELD_STR, offsetof(struct catalog_item, g.version)},
	{"title", FIELD_STR, offsetof(struct catalog_item, g.title)},
	{"started", FIELD_I64, offsetof(struct catalog_item, g.started)},
	{"ended", FIELD_I64, offsetof(struct catalog_item, g.ended)},
	{"records", FIELD_I64, offsetof(struct catalog_item, g.records)},
	{"messages", FIELD_I64, offsetof(struct catalog_item, g.messages)},
	{"prompts", FIELD_I64, offsetof(struct catalog_item, g.prompts)},
	{"talk", FIELD_BOOL, offsetof(struct catalog_item, g.talk)},
	{"clear", FIELD_BOOL, offsetof(struct catalog_item, g.begins_clear)},
	{"kind", FIELD_KIND, offsetof(struct catalog_item, g.kind)},
	{"dead", FIELD_BOOL, offsetof(struct catalog_item, g.dead)},
	{"reason", FIELD_STR, offsetof(struct catalog_item, g.reason)},
	{"evidence", FIELD_STR, offsetof(struct catalog_item, g.evidence)},
};
_Static_assert(sizeof(ino_t) == sizeof(uint64_t), "inodes are kept as 64 bits");

struct cache {
	struct buf path; /* of the file; "" when there is no place for one */
	struct catalog_item
		*item; /* sorted by path; what was used has lost its strings */
	size_t n, cap;
	size_t used;
};

static void item_release(struct catalog_item *it)
{
	free(it->path);
	free(it->id);
	glance_release(&it->g);
	*it = (struct catalog_item){0};
}

static int by_path(const void *a, const void *b)
{
	const struct catalog_item *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static bool field_read(struct catalog_item *it, const struct field *f, struct json *j)
{
	struct buf text = BUF_INIT(CACHE_LINE_MAX);
	enum json_tok tok = json_next(j);
	char *at = (char *)it + f->at;
	int kind;

	switch (f->type) {
	case FIELD_STR:
		if (tok != JSON_STR)
			return false;
		free(*(char **)at);
		json_text(j, &text);
		*(char **)at = buf_take(&text);
		return true;
	case FIELD_I64:
		return tok == JSON_NUM && str_i64(j->raw, (int64_t *)at);
	case FIELD_U64:
		return tok == JSON_NUM && str_u64(j->raw, (uint64_t *)at);
	case FIELD_BOOL:
		*(bool *)at = tok == JSON_TRUE;
		return tok == JSON_TRUE || tok == JSON_FALSE;
	case FIELD_KIND:
		for (kind = 0; kind < ENDING_COUNT; kind++)
			if (tok == JSON_STR &&
			    json_is(j, ending_name((enum ending_kind)kind)))
				break;
		*(enum ending_kind *)at = (enum ending_kind)kind;
		return kind < ENDING_COUNT;
	}
	return false;
}

/* Every field once: fewer or others make it foreign. */
static bool item_read(struct catalog_item *it, str line)
{
	struct json j;
	uint64_t seen = 0;
	size_t i, n = sizeof(fields) / sizeof(*fields);
	enum json_tok tok;

	json_init(&j, line);
	if (json_next(&j) != JSON_OBJ)
		return false;
	while ((tok = json_next(&j)) == JSON_KEY) {
		for (i = 0; i < n && !json_is(&j, fields[i].key); i++)
			;
		if (i == n || !field_read(it, &fields[i], &j))
			return false;
		seen |= UINT64_C(1) << i;
	}
	return tok == JSON_OBJ_END && json_next(&j) == JSON_END &&
	       seen == (UINT64_C(1) << n) - 1;
}

static void item_write(const struct catalog_item *it, struct buf *out)
{
	size_t i;

	buf_byte(out, '{');
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const char *at = (const char *)it + fields[i].at;

		json_add_key(out, fields[i].key);
		switch (fields[i].type) {
		case FIELD_STR:
			json_add_str(out, str_of(*(char *const *)at));
			break;
		case FIELD_I64:
			buf_printf(out, "%" PRId64, *(const int64_t *)at);
			break;
		case FIELD_U64:
			buf_u64(out, *(const uint64_t *)at);
			break;
		case FIELD_BOOL:
			buf_add(out, *(const bool *)at ? STR("true") : STR("false"));
			break;
		case FIELD_KIND:
			json_add_str(out,
				     str_of(ending_name(*(const enum ending_kind *)at)));
			break;
		}
	}
	buf_add(out, STR("}\n"));
}

static void cache_header(struct buf *out, const char *dir)
{
	buf_byte(out, '{');
	json_add_key(out, "handoff");
	buf_printf(out, "\"sessions\",\"form\":%d,\"version\":\"%s\"", CACHE_FORM,
		   HANDOFF_VERSION);
	json_add_key(out, "dir");
	json_add_str(out, str_of(dir));
	buf_add(out, STR("}\n"));
}

static void cache_release(struct cache *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		item_release(&c->item[i]);
	free(c->item);
	buf_release(&c->path);
	*c = (struct cache){0};
}

/* One more zeroed item at the end of a growing list. */
static struct catalog_item *grow(struct catalog_item **item, size_t *n, size_t *cap)
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

/* One file a folder of sessions: its name has the hash of the folder's. */
static void cache_path(struct buf *path, const char *dir)
{
	config_cache_dir(path);
	if (path->n)
		buf_printf(path, "/sessions-%016" PRIx64 ".cache", str_hash(str_of(dir)));
}

static void cache_open(struct cache *c, const char *dir)
{
	struct buf text = BUF_INIT(CATALOG_CACHE_MAX), header = BUF_INIT(CACHE_LINE_MAX);
	str rest, line;

	*c = (struct cache){.path = BUF_INIT(PATH_MAX)};
	cache_path(&c->path, dir);
	if (!c->path.n || fs_read(buf_cstr(&c->path), &text, NULL) < 0)
		goto out;
	cache_header(&header, dir);
	rest = buf_str(&text);
	if (!str_starts(rest, buf_str(&header)))
		goto out;
	rest = str_from(rest, header.n);
	while (str_line(&rest, &line)) {
		if (item_read(grow(&c->item, &c->n, &c->cap), line))
			continue;
		while (c->n)
			item_release(&c->item[--c->n]);
		goto out;
	}
	if (c->n)
		qsort(c->item, c->n, sizeof(*c->item), by_path);
out:
	buf_release(&header);
	buf_release(&text);
}

/* What the cache has for the file as it is now; false when it must be read. */
static bool cache_take(struct cache *c, struct catalog_item *it, bool exact)
{
	struct catalog_item *k;

	if (!c->n)
		return false;
	k = bsearch(it, c->item, c->n, sizeof(*k), by_path);
	if (!k || !k->g.cwd || k->size != it->size || k->mtime_ns != it->mtime_ns ||
	    k->ino != it->ino)
		return false;
	if (exact && k->g.records < 0)
		return false;
	it->g = k->g;
	k->g = (struct glance){0};
	c->used++;
	return true;
}

/* Failing costs time at the next call and nothing else, so it is only traced. */
static void cache_save(const struct cache *c, const char *dir, const struct catalog *all)
{
	struct buf text = BUF_INIT(CATALOG_CACHE_MAX), folder = BUF_INIT(PATH_MAX);
	struct err e = ERR_INIT;
	size_t i;

	if (!c->path.n)
		goto out;
	cache_header(&text, dir);
	for (i = 0; i < all->n; i++)
		item_write(&all->item[i], &text);
	if (text.full) {
		log_trace("sessions cache: over %u bytes, not written",
			  CATALOG_CACHE_MAX);
		goto out;
	}
	config_cache_dir(&folder);
	if (fs_mkdirs(buf_cstr(&folder), 0700, &e) < 0 ||
	    fs_write_atomic(buf_cstr(&c->path), buf_str(&text), 0600, &e) < 0)
		log_trace("sessions cache: %s", e.msg);
out:
	buf_release(&folder);
	buf_release(&text);
}

/* ---- loading ---- */

struct gather {
	struct catalog *c;
	size_t cap;
};

static int gather_one(const struct claude_file *f, void *arg)
{
	struct gather *g = arg;
	struct catalog_item *it = grow(&g->c->item, &g->c->n, &g->cap);

	it->path = str_dup(str_of(f->path));
	it->id = str_dup(str_of(f->id));
	it->size = f->size;
	it->mtime_ns = f->mtime_ns;
	it->ino = f->ino;
	return 0;
}

/* The client's folder, as a real path so that the cache's keys do not depend on ours. */
static int find_dir(const struct catalog_options *o, struct buf *dir, struct err *e)
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
			item_release(&c->item[i]);
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

static int64_t activity(const struct catalog_item *it)
{
	return it->g.ended != CLOCK_NONE ? it->g.ended : it->mtime_ns / 1000000;
}

static int by_activity(const void *a, const void *b)
{
	const struct catalog_item *x = a, *y = b;
	int64_t tx = activity(x), ty = activity(y);

	if (tx != ty)
		return tx < ty ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void look_all(struct catalog *c, struct cache *cache,
		     const struct catalog_options *o, bool *changed)
{
	size_t i;

	*changed = false;
	for (i = 0; i < c->n; i++) {
		struct catalog_item *it = &c->item[i];
		struct err e = ERR_INIT;

		if (o->progress)
			o->progress(o->progress_arg, i, c->n);
		if (cache_take(cache, it, o->exact))
			continue;
		*changed = true;
		if (glance_read(&it->g, it->path, o->exact, &e) == 0)
			continue;
		c->skipped++;
		if (!c->problem)
			c->problem = str_dup(str_of(e.msg));
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
		qsort(c->item, c->n, sizeof(*c->item), by_path);
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
	struct cache cache = {0};
	struct scope scope = {.folder = BUF_INIT(PATH_MAX)};
	bool changed;
	int ret;

	*c = (struct catalog){0};
	ret = find_dir(o, &dir, e);
	if (!ret)
		ret = claude_each_session(buf_cstr(&dir), NULL, gather_one, &gather, e);
	if (ret)
		goto out;
	cache_open(&cache, buf_cstr(&dir));
	look_all(c, &cache, o, &changed);
	filter(c, keep_readable, NULL);
	if (changed)
		cache_save(&cache, buf_cstr(&dir), c);
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
		item_release(&c->item[--c->n]);
out:
	free(scope.cwd);
	buf_release(&scope.folder);
	cache_release(&cache);
	buf_release(&dir);
	return ret;
}

void catalog_release(struct catalog *c)
{
	while (c->n)
		item_release(&c->item[--c->n]);
	free(c->item);
	free(c->problem);
	*c = (struct catalog){0};
}

/* ---- showing ---- */

static int by_id(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t catalog_id_chars(const struct catalog *c)
{
	const char **id;
	size_t i, need = CATALOG_ID_CHARS;

	if (c->n < 2)
		return need;
	id = reallocarray(NULL, c->n, sizeof(*id));
	if (!id)
		log_oom();
	for (i = 0; i < c->n; i++)
		id[i] = c->item[i].id;
	qsort(id, c->n, sizeof(*id), by_id);
	for (i = 1; i < c->n; i++) {
		size_t same = 0;

		while (id[i][same] && id[i][same] == id[i - 1][same])
			same++;
		/* equal ones are one session in two folders: no length tells them apart */
		if (id[i][same] != id[i - 1][same] && same + 1 > need)
			need = same + 1;
	}
	free(id);
	return need;
}

enum column {
	COL_WHEN,
	COL_ID,
	COL_SIZE,
	COL_MSGS,
	COL_BRANCH,
	COL_ENDED,
	COL_PLACE,
	COL_TITLE,
	COLUMNS
};

static const struct {
	const char *head;
	size_t max; /* characters */
	bool right;
} columns[COLUMNS] = {
	[COL_WHEN] = {"WHEN (UTC)", 16, false},
	[COL_ID] = {"ID", 64, false},
	[COL_SIZE] = {"SIZE", 8, true},
	[COL_MSGS] = {"MSGS", 8, true},
	[COL_BRANCH] = {"BRANCH", 24, false},
	[COL_ENDED] = {"ENDED", 44, false},
	[COL_PLACE] = {"DIRECTORY", 40, false},
	[COL_TITLE] = {"TITLE", GLANCE_TITLE_CHARS + 1, false},
};

static void size_cell(struct buf *b, uint64_t bytes)
{
	static const char units[] = {'K', 'M', 'G', 'T', 'P'};
	double v = (double)bytes;
	size_t u = 0;

	if (bytes < 1000) {
		buf_u64(b, bytes);
		return;
	}
	for (v /= 1000; v >= 999.5 && u + 1 < sizeof(units); v /= 1000)
		u++;
	buf_printf(b, v < 9.95 ? "%.1f%c" : "%.0f%c", v, units[u]);
}

/* The directory below ~ where it is there; its end counts most. */
static void place_cell(struct buf *b, const char *cwd)
{
	const char *home = getenv("HOME");
	struct buf safe = BUF_INIT(4 * PATH_MAX);
	size_t n = home ? strlen(home) : 0;
	str s;

	if (n > 1 && strncmp(cwd, home, n) == 0 && (cwd[n] == '/' || !cwd[n])) {
		buf_byte(&safe, '~');
		cwd += n;
	}
	utf8_show(&safe, str_of(cwd), UTF8_ONELINE);
	s = utf8_tail(buf_str(&safe), columns[COL_PLACE].max - 1);
	if (s.n < safe.n)
		buf_add(b, STR("…"));
	buf_add(b, s);
	buf_release(&safe);
}

static void cell(const struct catalog_item *it, enum column col, size_t id_chars,
		 struct buf *b)
{
	char at[CLOCK_ISO_BYTES];

	switch (col) {
	case COL_WHEN:
		clock_iso(at, activity(it));
		buf_printf(b, "%.10s %.5s", at, strlen(at) > 11 ? at + 11 : "");
		break;
	case COL_ID:
		utf8_show(b, str_head(str_of(it->id), id_chars), UTF8_ONELINE);
		break;
	case COL_SIZE:
		size_cell(b, it->size);
		break;
	case COL_MSGS:
		if (it->g.messages >= 0)
			buf_u64(b, (uint64_t)it->g.messages);
		break;
	case COL_BRANCH:
		buf_add(b, str_of(it->g.branch));
		break;
	case COL_ENDED:
		buf_add(b, str_of(it->g.reason));
		break;
	case COL_PLACE:
		place_cell(b, it->g.cwd);
		break;
	case COL_TITLE:
		buf_add(b, str_of(it->g.title));
		break;
	case COLUMNS:
		break;
	}
}

/* The first `max` characters, the last of them an ellipsis if it was cut; returns how many. */
static size_t fit(struct buf *b, size_t max)
{
	size_t at = 0, before = 0, n = 0, len;
	uint32_t cp;

	while (n < max && (len = utf8_next(str_from(buf_str(b), at), &cp)) > 0) {
		before = at;
		at += len;
		n++;
	}
	if (at < b->n) {
		buf_cut(b, before);
		buf_add(b, STR("…"));
	}
	return n;
}

static void put(struct out *o, struct buf *text, enum column col, size_t width)
{
	size_t n = fit(text, columns[col].max), pad = width > n ? width - n : 0;

	if (col != COL_WHEN)
		out_add(o, STR("  "));
	if (columns[col].right)
		buf_fill(&o->b, ' ', pad);
	out_add(o, buf_str(text));
	if (!columns[col].right && col != COL_TITLE)
		buf_fill(&o->b, ' ', pad);
}

void catalog_list(const struct catalog *c, bool places, struct out *o)
{
	struct buf text = BUF_INIT(4 * PATH_MAX);
	size_t width[COLUMNS], i, id_chars = catalog_id_chars(c);
	int col;

	if (!c->n)
		return;
	for (col = 0; col < COLUMNS; col++) {
		width[col] = strlen(columns[col].head);
		for (i = 0; i < c->n && col != COL_TITLE; i++) {
			size_t n;

			buf_reset(&text);
			cell(&c->item[i], (enum column)col, id_chars, &text);
			n = fit(&text, columns[col].max);
			if (n > width[col])
				width[col] = n;
		}
	}
	for (i = 0; i <= c->n; i++) {
		for (col = 0; col < COLUMNS; col++) {
			if (col == COL_PLACE && !places)
				continue;
			buf_reset(&text);
			if (i == 0)
				buf_add(&text, str_of(columns[col].head));
			else
				cell(&c->item[i - 1], (enum column)col, id_chars, &text);
			put(o, &text, (enum column)col, width[col]);
		}
		out_add(o, STR("\n"));
	}
	buf_release(&text);
}

static void json_time(struct buf *out, const char *key, int64_t ms)
{
	char at[CLOCK_ISO_BYTES];

	json_add_key(out, key);
	if (ms == CLOCK_NONE) {
		buf_add(out, STR("null"));
		return;
	}
	clock_iso(at, ms);
	json_add_str(out, str_of(at));
}

static void json_count(struct buf *out, const char *key, int64_t n)
{
	json_add_key(out, key);
	if (n < 0)
		buf_add(out, STR("null"));
	else
		buf_u64(out, (uint64_t)n);
}

static void json_str(struct buf *out, const char *key, const char *s)
{
	json_add_key(out, key);
	json_add_str(out, str_of(s));
}

static void item_json(const struct catalog_item *it, struct buf *out)
{
	buf_byte(out, '{');
	json_str(out, "id", it->id);
	json_str(out, "path", it->path);
	json_str(out, "cwd", it->g.cwd);
	json_str(out, "branch", it->g.branch);
	json_str(out, "title", it->g.title);
	json_str(out, "version", it->g.version);
	json_time(out, "started", it->g.started);
	json_time(out, "ended", activity(it));
	json_count(out, "bytes", (int64_t)it->size);
	json_count(out, "records", it->g.records);
	json_count(out, "messages", it->g.messages);
	json_count(out, "prompts", it->g.prompts);
	json_str(out, "ending", ending_name(it->g.kind));
	json_add_key(out, "dead");
	buf_add(out, it->g.dead ? STR("true") : STR("false"));
	json_str(out, "reason", it->g.reason);
	json_str(out, "evidence", it->g.evidence);
	json_count(out, "pid", it->running_pid ? it->running_pid : -1);
	buf_byte(out, '}');
}

void catalog_list_json(const struct catalog *c, struct out *o)
{
	size_t i;

	out_add(o, STR("{\"sessions\":["));
	for (i = 0; i < c->n; i++) {
		if (i)
			out_add(o, STR(","));
		out_add(o, STR("\n"));
		item_json(&c->item[i], &o->b);
		out_step(o);
	}
	out_printf(o, "\n],\"others\":%zu,\"empty\":%zu,\"skipped\":%zu}\n", c->others,
		   c->empty, c->skipped);
}

/* ---- which one is meant ---- */

static bool has_suffix(str name)
{
	return str_ends(name, STR(".jsonl")) || str_ends(name, STR(".zst"));
}

static char *id_of_path(str path)
{
	str id = str_basename(path);

	if (str_ends(id, STR(".zst")))
		id.n -= strlen(".zst");
	if (str_ends(id, STR(".jsonl")))
		id.n -= strlen(".jsonl");
	return str_dup(id);
}

static void pick_path(struct catalog_pick *p, const char *dir, str path)
{
	p->path = str_dup(path);
	p->id = id_of_path(path);
	p->running_pid = dir && p->id[0] ? claude_running(dir, str_of(p->id)) : 0;
}

struct hunt {
	str name;
	bool exact;          /* the whole id was given */
	struct buf path, id; /* the newest match */
	int64_t mtime_ns;
	size_t ids; /* different ids that match */
	char *shown[CATALOG_SHOWN_MAX];
};

static int hunt_one(const struct claude_file *f, void *arg)
{
	struct hunt *h = arg;
	str id = str_of(f->id);
	bool exact = str_ieq(id, h->name);
	size_t i;

	if (!exact &&
	    (h->exact || h->name.n < CATALOG_PREFIX_MIN || !str_istarts(id, h->name)))
		return 0;
	if (exact && !h->exact) {
		h->exact = true;
		h->ids = 0;
		h->path.n = h->id.n = 0;
	}
	if (h->id.n && str_eq(id, buf_str(&h->id))) {
		if (f->mtime_ns <=
		    h->mtime_ns) /* the same session in two folders: the newer file */
			return 0;
	} else {
		for (i = 0; i < h->ids && i < CATALOG_SHOWN_MAX; i++)
			if (str_eq(id, str_of(h->shown[i])))
				return 0;
		if (h->ids < CATALOG_SHOWN_MAX) {
			free(h->shown[h->ids]);
			h->shown[h->ids] = str_dup(id);
		}
		h->ids++;
	}
	h->mtime_ns = f->mtime_ns;
	buf_reset(&h->path);
	buf_add(&h->path, str_of(f->path));
	buf_reset(&h->id);
	buf_add(&h->id, id);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In an order that does not depend on that of the folder. */
static int ambiguous(struct hunt *h, struct err *e)
{
	struct buf list = BUF_INIT(ERR_MSG_BYTES);
	size_t i, n = h->ids < CATALOG_SHOWN_MAX ? h->ids : CATALOG_SHOWN_MAX;
	int ret;

	qsort(h->shown, n, sizeof(*h->shown), by_text);
	for (i = 0; i < n; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", h->shown[i]);
	if (h->ids > n)
		buf_printf(&list, " and %zu more", h->ids - n);
	ret = err_set(e, HF_EAMBIGUOUS, "'%.*s' fits %zu sessions: %s", STR_ARG(h->name),
		      h->ids, buf_cstr(&list));
	buf_release(&list);
	return ret;
}

/* 0 when found, HF_ENOTFOUND when not (no message), HF_EAMBIGUOUS. */
static int hunt_id(const char *dir, str name, struct catalog_pick *p, struct err *e)
{
	struct hunt h = {
		.name = name, .path = BUF_INIT(PATH_MAX), .id = BUF_INIT(PATH_MAX)};
	size_t i;
	int ret = HF_ENOTFOUND;

	/* no folder of sessions is no session: the caller says which name was looked for */
	claude_each_session(dir, NULL, hunt_one, &h, NULL);
	if (h.ids > 1) {
		ret = ambiguous(&h, e);
	} else if (h.ids == 1) {
		pick_path(p, dir, buf_str(&h.path));
		ret = 0;
	}
	for (i = 0; i < CATALOG_SHOWN_MAX; i++)
		free(h.shown[i]);
	buf_release(&h.path);
	buf_release(&h.id);
	return ret;
}

static bool exists(const char *path)
{
	struct stat st;

	return io.lstat(path, &st) == 0;
}

int catalog_find(const struct catalog_options *o, const char *name,
		 struct catalog_pick *p, struct err *e)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	str s = str_of(name);
	bool have_dir;
	int ret = 0;

	*p = (struct catalog_pick){0};
	if (str_eq(s, STR("-"))) {
		p->path = str_dup(s);
		p->id = str_dup(STR(""));
		return 0;
	}
	have_dir = find_dir(o, &dir, NULL) == 0;
	if (!s.n) {
		ret = err_set(e, HF_EUSAGE, "the session's name is empty");
	} else if (str_chr(s, '/') != STR_NPOS || has_suffix(s)) {
		pick_path(p, have_dir ? buf_cstr(&dir) : NULL, s);
	} else {
		ret = have_dir ? hunt_id(buf_cstr(&dir), s, p, e) : HF_ENOTFOUND;
		if (ret == HF_ENOTFOUND && exists(name)) {
			pick_path(p, have_dir ? buf_cstr(&dir) : NULL, s);
			ret = 0;
		} else if (ret == HF_ENOTFOUND) {
			ret = err_set(e, ret, "no session '%s' in %s/projects%s", name,
				      buf_cstr(&dir),
				      s.n < CATALOG_PREFIX_MIN
					      ? " (a prefix needs 4 characters)"
					      : "");
		}
	}
	buf_release(&dir);
	return ret;
}

static int no_dead(const struct catalog *c, const struct catalog_options *o,
		   struct err *e)
{
	const char *where = o->project ? o->project : "any project";
	const struct catalog_item *it;

	if (!c->n && !c->others)
		return err_set(e, HF_ENOTFOUND, "no session of %s", where);
	if (!c->n)
		return err_set(e, HF_ENOTFOUND,
			       "no session of %s, but %zu of other projects: see --all",
			       where, c->others);
	it = &c->item[0];
	return err_set(e, HF_ENOTFOUND,
		       "no dead session of %s: the newest of %zu is %.8s \"%s\", %s",
		       where, c->n, it->id, it->g.title, it->g.reason);
}

int catalog_dead(const struct catalog_options *o, struct catalog_pick *p, struct err *e)
{
	struct catalog_options all = *o;
	struct catalog c;
	size_t i;
	int ret;

	*p = (struct catalog_pick){0};
	all.dead_only = all.exact = false;
	all.limit = 0;
	ret = catalog_load(&c, &all, e);
	if (ret)
		goto out;
	for (i = 0; i < c.n; i++)
		if (c.item[i].g.dead &&
		    (!o->current || strcmp(c.item[i].id, o->current) != 0))
			break;
	if (i == c.n) {
		ret = no_dead(&c, o, e);
		goto out;
	}
	p->path = str_dup(str_of(c.item[i].path));
	p->id = str_dup(str_of(c.item[i].id));
out:
	catalog_release(&c);
	return ret;
}

/* The first thing in it is the start of an object with a key. */
static bool looks_like_transcript(const char *path)
{
	char head[LOOKS_LIKE_BYTES];
	struct source src;
	size_t at = 0;
	long n;

	if (source_open(&src, path, NULL) < 0)
		return false;
	n = source_read(&src, head, sizeof(head));
	source_release(&src);
	while (n > 0 && at < (size_t)n &&
	       (str_is_space(head[at]) || !head[at] || (head[at] & 0x80)))
		at++;
	return n > 0 && str_starts((str){head + at, (size_t)n - at}, STR("{\""));
}

static bool written_like_id(str x)
{
	bool digit = false;
	size_t i;

	for (i = 0; i < x.n; i++) {
		char c = str_lower(x.p[i]);

		digit |= str_is_digit(c);
		if (!str_is_digit(c) && c != '-' && (c < 'a' || c > 'f'))
			return false;
	}
	return digit && x.n >= CATALOG_ID_CHARS;
}

bool catalog_is_session(const struct catalog_options *o, const char *x)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	struct catalog_pick p = {0};
	str s = str_of(x);
	bool is;

	if (str_eq(s, STR("-")) || has_suffix(s) || written_like_id(s))
		return true;
	if (str_chr(s, '/') != STR_NPOS)
		return looks_like_transcript(x);
	is = s.n && find_dir(o, &dir, NULL) == 0 &&
	     hunt_id(buf_cstr(&dir), s, &p, NULL) != HF_ENOTFOUND;
	catalog_pick_release(&p);
	buf_release(&dir);
	return is || looks_like_transcript(x);
}

void catalog_pick_release(struct catalog_pick *p)
{
	free(p->path);
	free(p->id);
	*p = (struct catalog_pick){0};
}
