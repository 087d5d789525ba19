#include "data/shelf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "data/address.h"

static const char *const NAME[] = {
	[SHELF_RECORDS] = "_records", [SHELF_PACKETS] = "_packets"};

static bool rel_ok(str rel)
{
	str part;

	if (!rel.n || rel.p[rel.n - 1] == '/')
		return false;
	while (str_split(&rel, '/', &part))
		if (!part.n || part.p[0] == '.' || memchr(part.p, 0, part.n))
			return false;
	return true;
}

static void root(const struct vault *v, enum shelf s, struct buf *b)
{
	fs_join(b, str_of(v->root), str_of(NAME[s]));
}

bool shelf_path(const struct vault *v, enum shelf s, str rel, struct buf *b)
{
	if (!v->root || !rel_ok(rel))
		return false;
	root(v, s, b);
	buf_byte(b, '/');
	buf_add(b, rel);
	return !b->full;
}

/* No part of a path below the vault is a link; *there: all of it exists. */
static int no_links(const struct vault *v, struct buf *b, bool *there, struct err *e)
{
	struct stat st;
	size_t at;

	*there = true;
	for (at = strlen(v->root) + 1; *there && at <= b->n; at++) {
		char keep = b->p[at];
		int ret;

		if (keep != '/' && at != b->n)
			continue;
		b->p[at] = 0;
		ret = io.lstat(b->p, &st);
		if (ret == 0 && S_ISLNK(st.st_mode))
			return err_set(e, HF_EFORMAT,
				       "%s: is a symbolic link; the vault follows none",
				       b->p);
		if (ret < 0 && errno != ENOENT)
			return err_sys(e, "%s", b->p);
		*there = ret == 0;
		b->p[at] = keep;
	}
	return 0;
}

/* The path of rel, or of the shelf itself where that is "", without a link. */
static int checked(const struct vault *v, enum shelf s, str rel, struct buf *b,
		   bool *there, struct err *e)
{
	*there = false;
	if (!rel.n)
		root(v, s, b);
	else if (!shelf_path(v, s, rel, b))
		return err_set(e, HF_EUSAGE, "no path of the vault: %.*s", STR_ARG(rel));
	return no_links(v, b, there, e);
}

int shelf_open(const struct vault *v, enum shelf s, str rel, struct stat *st,
	       struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	bool there;
	int ret = checked(v, s, rel, &path, &there, e);

	if (!ret)
		ret = fs_open(buf_cstr(&path), st, e);
	buf_release(&path);
	return ret;
}

int shelf_open_met(const struct vault *v, enum shelf s, str rel, struct stat *st,
		   struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret;

	if (!shelf_path(v, s, rel, &path))
		ret = err_set(e, HF_EUSAGE, "no path of the vault: %.*s", STR_ARG(rel));
	else
		ret = fs_open(buf_cstr(&path), st, e);
	buf_release(&path);
	return ret;
}

/* All of an open file, which is closed. */
static int read_all(int fd, const struct stat *st, str rel, struct buf *out,
		    struct err *e)
{
	long got;

	if (fd < 0)
		return fd;
	if ((uint64_t)st->st_size > SHELF_FILE_MAX)
		got = err_set(e, HF_ELIMIT, "%.*s: over %u MB", STR_ARG(rel),
			      SHELF_FILE_MAX >> 20);
	else
		got = fs_read_at(fd, 0, (size_t)st->st_size, out, e);
	io.close(fd);
	return got < 0 ? (int)got : 0;
}

int shelf_read(const struct vault *v, enum shelf s, str rel, struct buf *out,
	       struct err *e)
{
	struct stat st;

	return read_all(shelf_open(v, s, rel, &st, e), &st, rel, out, e);
}

int shelf_read_met(const struct vault *v, enum shelf s, str rel, struct buf *out,
		   struct err *e)
{
	struct stat st;

	return read_all(shelf_open_met(v, s, rel, &st, e), &st, rel, out, e);
}

/* Make the folders of a path that are missing, each durable in the one above. */
static int make_folders(const struct vault *v, char *path, struct err *e)
{
	size_t at = strlen(v->root);
	struct stat st;
	int ret = 0;

	for (char *slash = strchr(path + at + 1, '/'); slash && !ret;
	     slash = strchr(slash + 1, '/')) {
		char *up;
		int fd;

		*slash = 0;
		if (io.lstat(path, &st) < 0) {
			ret = fs_mkdirs(path, 0700, e);
			up = str_dup(str_head(str_of(path), str_rchr(str_of(path), '/')));
			fd = ret ? -1
				 : io.open(up, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
			if (!ret && (fd < 0 || io.fsync(fd) < 0))
				ret = err_sys(e, "%s", up);
			if (fd >= 0)
				io.close(fd);
			free(up);
		}
		*slash = '/';
	}
	return ret;
}

int shelf_append(struct vault *v, enum shelf s, str rel, str text,
		 struct shelf_pending *p, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	bool there;
	int ret;

	assert(v->lock >= 0);
	p->path = NULL;
	ret = checked(v, s, rel, &path, &there, e);
	if (!ret && !there)
		ret = make_folders(v, path.p, e);
	if (!ret)
		ret = fs_begin_append(&p->p, buf_cstr(&path), text, e);
	if (!ret)
		p->path = buf_take(&path);
	buf_release(&path);
	return ret;
}

int shelf_finish(struct shelf_pending *p, struct err *e)
{
	int ret = fs_finish(&p->p, p->path, e);

	free(p->path);
	p->path = NULL;
	return ret;
}

struct walk {
	const char *prefix;  /* of rel: the folder that is read, with its slash */
	struct buf *folders; /* still to read, each with its NUL; last first */
	struct buf found;    /* folders of this one, in order */
	int dir; /* the folder, open: its files are looked at by their names alone */
	struct buf rel;
	size_t nrel; /* what of it is the folder's */
	int (*fn)(const char *rel, const struct stat *st, void *arg);
	void *arg;
	bool stopped;
	struct err *e;
};

static int walk_entry(const char *dir, const char *name, void *arg)
{
	struct walk *w = arg;
	struct stat st;
	int ret = 0;

	if (name[0] == '.')
		return 0;
	buf_cut(&w->rel, w->nrel);
	buf_add(&w->rel, str_of(name));
	if (w->rel.full)
		return err_set(w->e, HF_ELIMIT, "%s: its path is too long", name);
	if (io.lstatat(w->dir, name, &st) < 0)
		/* taken away since the names were read; anything else hides what is there */
		return errno == ENOENT ? 0 : err_sys(w->e, "%s%s", dir, name);
	if (S_ISDIR(st.st_mode) && address_strayed(str_of(name))) {
		log_trace("shelf: %s%s holds no records", dir, name);
	} else if (S_ISDIR(st.st_mode)) {
		buf_byte(&w->rel, '/');
		buf_add(&w->found, (str){buf_cstr(&w->rel), w->rel.n + 1});
	} else if (S_ISREG(st.st_mode) && str_ends(str_of(name), STR(".md"))) {
		ret = w->fn(buf_cstr(&w->rel), &st, w->arg);
		w->stopped = ret != 0;
	}
	return ret;
}

/* Take the last of a list of NUL-terminated strings off it. */
static char *take_last(struct buf *list)
{
	size_t at = list->n - 1;
	char *s;

	while (at && list->p[at - 1])
		at--;
	s = str_dup(str_of(list->p + at));
	buf_cut(list, at);
	return s;
}

static int open_folder(const char *path, struct err *e)
{
	int fd = io.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(e, HF_ENOTFOUND, "%s: No such folder", path);
	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

static int walk_folder(const struct vault *v, enum shelf s, struct walk *w, struct err *e)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	int ret;

	w->rel = BUF_INIT(PATH_MAX);
	root(v, s, &dir);
	buf_byte(&dir, '/');
	buf_add(&dir, str_of(w->prefix));
	buf_add(&w->rel, str_of(w->prefix));
	w->nrel = w->rel.n;
	ret = w->dir = open_folder(buf_cstr(&dir), e);
	if (ret >= 0) {
		ret = fs_each(buf_cstr(&dir), walk_entry, w, e);
		io.close(w->dir);
	}
	while (w->found.n) {
		char *one = take_last(&w->found);

		buf_add(w->folders, (str){one, strlen(one) + 1});
		free(one);
	}
	buf_release(&dir);
	buf_release(&w->rel);
	buf_release(&w->found);
	return ret;
}

int shelf_walk(const struct vault *v, enum shelf s, str under,
	       int (*fn)(const char *rel, const struct stat *st, void *arg), void *arg,
	       struct err *e)
{
	struct buf folders = BUF_INIT(SIZE_MAX), path = BUF_INIT(PATH_MAX);
	bool there = false;
	int ret = 0;

	if (!v->root)
		return 0;
	ret = checked(v, s, under, &path, &there, e);
	if (!ret && there) {
		buf_add(&folders, under);
		buf_add(&folders, under.n ? (str){"/", 2} : (str){"", 1});
	}
	while (!ret && folders.n) {
		char *prefix = take_last(&folders);
		struct walk w = {.prefix = prefix,
				 .folders = &folders,
				 .found = BUF_INIT(SIZE_MAX),
				 .fn = fn,
				 .arg = arg};
		struct err gone = ERR_INIT;

		w.e = &gone;
		ret = walk_folder(v, s, &w, &gone);
		if (!w.stopped && ret == HF_ENOTFOUND)
			ret = 0;
		else if (ret < 0 && !w.stopped)
			ret = err_set(e, ret, "%s", gone.msg);
		free(prefix);
	}
	buf_release(&folders);
	buf_release(&path);
	return ret;
}
