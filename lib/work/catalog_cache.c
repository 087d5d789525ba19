/*
 * The cache is JSON lines. The first names its form, our version and the folder; each other
 * one is an item, its keys those of the table `fields`. A line that is not as it should be
 * makes the whole file foreign: it is not mended, it is written anew.
 */
#include "work/catalog_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/log.h"
#include "data/config.h"
#include "data/json.h"

#define CACHE_FORM     2
#define CACHE_LINE_MAX (64u << 10)

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

void catalog_cache_release(struct catalog_cache *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		catalog_item_release(&c->item[i]);
	free(c->item);
	buf_release(&c->path);
	*c = (struct catalog_cache){0};
}

/* One file a folder of sessions: its name has the hash of the folder's. */
static void cache_path(struct buf *path, const char *dir)
{
	config_cache_dir(path);
	if (path->n)
		buf_printf(path, "/sessions-%016" PRIx64 ".cache", str_hash(str_of(dir)));
}

void catalog_cache_open(struct catalog_cache *c, const char *dir)
{
	struct buf text = BUF_INIT(CATALOG_CACHE_MAX), header = BUF_INIT(CACHE_LINE_MAX);
	str rest, line;

	*c = (struct catalog_cache){.path = BUF_INIT(PATH_MAX)};
	cache_path(&c->path, dir);
	if (!c->path.n || fs_read(buf_cstr(&c->path), &text, NULL) < 0)
		goto out;
	cache_header(&header, dir);
	rest = buf_str(&text);
	if (!str_starts(rest, buf_str(&header)))
		goto out;
	rest = str_from(rest, header.n);
	while (str_line(&rest, &line)) {
		if (item_read(catalog_grow(&c->item, &c->n, &c->cap), line))
			continue;
		while (c->n)
			catalog_item_release(&c->item[--c->n]);
		goto out;
	}
	if (c->n)
		qsort(c->item, c->n, sizeof(*c->item), catalog_by_path);
out:
	buf_release(&header);
	buf_release(&text);
}

bool catalog_cache_take(struct catalog_cache *c, struct catalog_item *it, bool exact)
{
	struct catalog_item *k;

	if (!c->n)
		return false;
	k = bsearch(it, c->item, c->n, sizeof(*k), catalog_by_path);
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

void catalog_cache_save(const struct catalog_cache *c, const char *dir,
			const struct catalog *all)
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
