/* Which session a name means, and which one is meant where none is named. */
#include "work/catalog_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#define LOOKS_LIKE_BYTES 4096 /* of a file, to tell a transcript from another file */

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

struct typed {
	uint64_t prompts;
	int64_t last; /* ms */
};

static int count_typed(int64_t at, str project, str display, void *arg)
{
	struct typed *t = arg;

	(void)project;
	(void)display;
	t->prompts++;
	if (at > t->last)
		t->last = at;
	return 0;
}

/* The client deletes transcripts after 30 days by default, but keeps what was typed. */
static int not_found(const char *dir, str name, struct err *e)
{
	struct typed typed = {.last = CLOCK_NONE};
	char at[CLOCK_ISO_BYTES];

	if (name.n < CATALOG_PREFIX_MIN)
		return err_set(
			e, HF_ENOTFOUND,
			"no session '%.*s' in %s/projects (a prefix needs %d characters)",
			STR_ARG(name), dir, CATALOG_PREFIX_MIN);
	if (dir[0] && claude_history(dir, name, count_typed, &typed, NULL) == 0 &&
	    typed.prompts) {
		clock_iso_s(at, typed.last);
		return err_set(
			e, HF_ENOTFOUND,
			"the transcript of '%.*s' is gone; `backbone` shows its %" PRIu64
			" prompts from history.jsonl, the last of %s",
			STR_ARG(name), typed.prompts, at);
	}
	return err_set(e, HF_ENOTFOUND, "no session '%.*s' in %s/projects", STR_ARG(name),
		       dir);
}

int catalog_find(const struct catalog_options *o, const char *name,
		 struct catalog_pick *p, struct err *e)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	str s = str_of(name);
	bool have_dir;
	int ret = 0;

	*p = (struct catalog_pick){0};
	if (str_eq(s, STR("-")) && !o->ids_only) {
		p->path = str_dup(s);
		p->id = str_dup(STR(""));
		return 0;
	}
	have_dir = catalog_dir(o, &dir, NULL) == 0;
	if (!s.n) {
		ret = err_set(e, HF_EUSAGE, "the session's name is empty");
	} else if (!o->ids_only && (str_chr(s, '/') != STR_NPOS || has_suffix(s))) {
		pick_path(p, have_dir ? buf_cstr(&dir) : NULL, s);
	} else {
		ret = have_dir ? hunt_id(buf_cstr(&dir), s, p, e) : HF_ENOTFOUND;
		if (ret == HF_ENOTFOUND && !o->ids_only && exists(name)) {
			pick_path(p, have_dir ? buf_cstr(&dir) : NULL, s);
			ret = 0;
		} else if (ret == HF_ENOTFOUND) {
			ret = not_found(buf_cstr(&dir), s, e);
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
	return digit && x.n >= CATALOG_PREFIX_MIN;
}

bool catalog_is_session(const struct catalog_options *o, const char *x)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	struct catalog_pick p = {0};
	str s = str_of(x);
	struct stat st;
	bool is;

	if (str_eq(s, STR("-")) || has_suffix(s) || written_like_id(s))
		return true;
	if (str_chr(s, '/') != STR_NPOS) {
		/* a folder or a source file may be words, unless it is named in full */
		if (io.stat(x, &st) == 0 &&
		    (x[0] == '/' || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))))
			return true;
		return looks_like_transcript(x);
	}
	is = s.n && catalog_dir(o, &dir, NULL) == 0 &&
	     hunt_id(buf_cstr(&dir), s, &p, NULL) != HF_ENOTFOUND;
	catalog_pick_release(&p);
	buf_release(&dir);
	return is || looks_like_transcript(x);
}

bool catalog_is_named(const struct catalog_options *o, const char *x)
{
	struct stat st;

	return io.stat(x, &st) == 0 || catalog_is_session(o, x);
}

/* The real path of the folder that `path` is in, or is to be in; false when there is none. */
static bool folder_of(const char *path, struct buf *out)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	size_t slash = str_rchr(str_of(path), '/');
	char *real;

	if (slash == STR_NPOS)
		buf_byte(&dir, '.');
	else
		buf_add(&dir, slash ? str_head(str_of(path), slash) : STR("/"));
	real = dir.full ? NULL : realpath(buf_cstr(&dir), NULL);
	if (real)
		buf_add(out, str_of(real));
	free(real);
	buf_release(&dir);
	return out->n > 0;
}

int catalog_spared(const struct catalog_options *o, const struct source *src,
		   const char *path, struct err *e)
{
	struct buf client = BUF_INIT(PATH_MAX), folder = BUF_INIT(PATH_MAX);
	struct stat st;
	int ret = 0;

	if (strcmp(path, "-") == 0)
		return 0;
	if (io.stat(path, &st) == 0 && source_is(src, &st)) {
		ret = err_set(e, HF_EUSAGE,
			      "%s: is the transcript itself: write to another file",
			      path);
	} else if (catalog_dir(o, &client, NULL) == 0 && folder_of(path, &folder)) {
		buf_byte(&client, '/');
		buf_byte(&folder, '/');
		if (str_starts(buf_str(&folder), buf_str(&client)))
			ret = err_set(e, HF_EUSAGE,
				      "%s: lies in the client's folder: write elsewhere",
				      path);
	}
	buf_release(&client);
	buf_release(&folder);
	return ret;
}

void catalog_pick_release(struct catalog_pick *p)
{
	free(p->path);
	free(p->id);
	*p = (struct catalog_pick){0};
}
