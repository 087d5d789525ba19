/*
 * Which files are to be read, and in which transactions.
 *
 *   look in full   list the folder, compare every file's mtime, size and inode with its row
 *   look quickly   (other projects) only folders whose mtime moved, and files written lately
 *   news           (with a watch) only what the system told of
 *
 * What a look finds is collected first and read afterwards, so that the write transaction is
 * short, and there is none when nothing changed. A transaction is committed every
 * COMMIT_NS; each file is in one as a whole. A run that is cut short has committed what it
 * read; the rows tell the next one what is left. `complete` is set in the index when a run
 * has seen the whole vault.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"
#include "base/utf8.h"
#include "data/project.h"
#include "work/reindex_impl.h"

#define COMMIT_NS INT64_C(200000000)
#define BULK_NS   INT64_C(1000000000) /* where nobody has a whole index yet */
#define RECENT_NS                                                                        \
	(INT64_C(2) * 86400 * 1000000000) /* notes written since may be written on */
#define MARK_TAIL   ".seen"
#define NAMES_BYTES (64u << 20)

static const enum vault_folder FOLDERS[] = {VAULT_SESSIONS, VAULT_ENTITIES,
					    VAULT_HANDOFFS, VAULT_ARCHIVE};
#define NFOLDERS (sizeof FOLDERS / sizeof *FOLDERS)

/* One run. */
struct run {
	struct reindex *r;
	const struct reindex_options *o;
	bool writing;
	int64_t begun_ns;
	bool stop;                    /* the deadline, or another writer */
	bool bulk;                    /* the first time that all is read */
	struct buf path, names, gone; /* scratch of one folder; names end with NUL */
};

/* --- transactions --- */

static bool late(const struct run *n)
{
	return n->o->deadline_ns && clock_mono_ns() >= n->o->deadline_ns;
}

static int begin(struct run *n, struct err *e)
{
	struct err why = ERR_INIT;
	int ret;

	if (n->writing)
		return 0;
	ret = index_begin(n->r->ix, &why);
	if (ret == HF_ETIME) {
		n->r->busy = n->stop = true;
		return 0;
	}
	if (ret)
		return err_set(e, ret, "%s", why.msg);
	n->writing = true;
	n->begun_ns = clock_mono_ns();
	return 0;
}

static int commit(struct run *n, struct err *e)
{
	if (!n->writing)
		return 0;
	n->writing = false;
	return index_commit(n->r->ix, e);
}

/* Before each file: whether there is time for it, and the transaction for it. */
static int ready(struct run *n, struct err *e)
{
	int ret = 0;

	if (n->writing &&
	    clock_mono_ns() - n->begun_ns >= (n->bulk ? BULK_NS : COMMIT_NS))
		ret = commit(n, e);
	if (!n->stop && late(n))
		n->stop = true;
	if (!ret && !n->stop)
		ret = begin(n, e);
	return ret;
}

/* --- one file --- */

static int read_one(struct run *n, enum vault_folder folder, str project, str name,
		    struct err *e)
{
	bool changed;
	int ret = ready(n, e);

	if (ret || n->stop) {
		n->r->left++;
		return ret;
	}
	return reindex_read(n->r, folder, project, name, &changed, e);
}

static int drop_one(struct run *n, enum vault_folder folder, str project, str name,
		    struct err *e)
{
	struct buf texts = BUF_INIT(SIZE_MAX);
	struct index_file f;
	int ret = ready(n, e);

	if (ret || n->stop) {
		n->r->left++;
		return ret;
	}
	ret = index_file_find(n->r->ix, folder, project, name, &f, &texts, e);
	if (!ret && f.id) {
		n->r->dropped++;
		ret = index_file_drop(n->r->ix, f.id, e);
	}
	buf_release(&texts);
	return ret;
}

static int each_name(struct run *n, const struct buf *names, enum vault_folder folder,
		     str project,
		     int (*fn)(struct run *, enum vault_folder, str, str, struct err *),
		     struct err *e)
{
	int ret = 0;

	for (size_t at = 0; at < names->n && !ret;) {
		str name = str_of(names->p + at);

		ret = fn(n, folder, project, name, e);
		at += name.n + 1;
	}
	return ret;
}

static void add_name(struct buf *names, str name)
{
	buf_add(names, name);
	buf_byte(names, 0);
}

/* --- a folder in full --- */

struct row {
	size_t name; /* offset in texts */
	int64_t mtime_ns;
	uint64_t size, ino;
};

struct look {
	struct run *n;
	enum vault_folder folder;
	int dir;
	struct buf rows, texts; /* what the index has, by name */
	size_t at;              /* rows below are dealt with */
};

static int keep_row(const struct index_file *f, void *arg)
{
	struct look *l = arg;
	struct row row = {l->texts.n, f->mtime_ns, f->size, f->ino};

	add_name(&l->texts, f->name);
	buf_add(&l->rows, (str){(const char *)&row, sizeof row});
	return 0;
}

static bool next_row(const struct look *l, struct row *row, str *name)
{
	if (l->at * sizeof *row >= l->rows.n)
		return false;
	memcpy(row, l->rows.p + l->at * sizeof *row, sizeof *row);
	*name = str_of(l->texts.p + row->name);
	return true;
}

static bool is_note(enum vault_folder folder, str name)
{
	if (!name.n || name.p[0] == '.' || !project_name_ok(name))
		return false;
	return str_ends(name, STR(".md")) ||
	       (folder == VAULT_ARCHIVE && reindex_is_packed(name));
}

static int look_at(const char *dir, const char *c_name, void *arg)
{
	struct look *l = arg;
	str name = str_of(c_name), known;
	struct reindex_look look = {0};
	struct row row;
	struct stat st;
	bool same = false;
	int order = 1;

	(void)dir;
	if (!is_note(l->folder, name))
		return 0;
	while (next_row(l, &row, &known) && (order = str_cmp(known, name)) < 0) {
		add_name(&l->n->gone, known);
		l->at++;
	}
	l->n->r->looked++;
	if (io.lstatat(l->dir, c_name, &st) == 0)
		reindex_look_of(&look, &st);
	else if (errno == ENOENT)
		return 0; /* gone meanwhile: its row, if any, goes with the next look */
	if (next_row(l, &row, &known) && order == 0) {
		same = row.mtime_ns && row.mtime_ns == look.mtime_ns &&
		       row.size == look.size && row.ino == look.ino;
		l->at++;
	}
	if (!same)
		add_name(&l->n->names, name);
	return 0;
}

/* The names of what changed and what is gone. */
static int compare(struct run *n, enum vault_folder folder, str project, int dir,
		   struct err *e)
{
	struct look l = {.n = n,
			 .folder = folder,
			 .dir = dir,
			 .rows = BUF_INIT(SIZE_MAX),
			 .texts = BUF_INIT(SIZE_MAX)};
	struct row row;
	str known;
	int ret = index_file_each(n->r->ix, folder, project, keep_row, &l, e);

	if (!ret && dir >= 0)
		ret = fs_each(buf_cstr(&n->path), look_at, &l, e);
	if (ret == HF_ENOTFOUND)
		ret = 0;
	for (; !ret && next_row(&l, &row, &known); l.at++)
		add_name(&n->gone, known);
	buf_release(&l.rows);
	buf_release(&l.texts);
	return ret;
}

/* What the look found, into the index. */
static int apply(struct run *n, enum vault_folder folder, str project, struct err *e)
{
	int ret = each_name(n, &n->gone, folder, project, drop_one, e);

	return ret ? ret : each_name(n, &n->names, folder, project, read_one, e);
}

/* Remember when the folder was listed, for the quick look of others. */
static int remember(struct run *n, enum vault_folder folder, str project,
		    const struct stat *st, struct err *e)
{
	struct reindex_look look;
	int64_t known;
	int ret = index_folder_time(n->r->ix, folder, project, &known, e);

	reindex_look_of(&look, st);
	look.mtime_ns = reindex_settled(look.mtime_ns);
	if (ret || known == look.mtime_ns)
		return ret;
	ret = ready(n, e);
	if (!ret && !n->stop)
		ret = index_folder_put(n->r->ix, folder, project, look.mtime_ns, e);
	return ret;
}

/* There is something that this user may not see. */
static void hidden(struct run *n, const char *path)
{
	str root = str_of(n->r->vault->root), s = str_of(path);

	log_trace("reindex: %s cannot be looked into", path);
	if (n->r->hidden[0])
		return;
	if (str_starts(s, root))
		s = str_from(s, root.n);
	while (str_starts(s, STR("/")))
		s = str_from(s, 1);
	snprintf(n->r->hidden, sizeof(n->r->hidden), "%.*s",
		 STR_ARG(utf8_head(s.n ? s : STR("."), sizeof(n->r->hidden) - 1)));
}

static int look_in_full(struct run *n, enum vault_folder folder, str project,
			struct err *e)
{
	struct stat st;
	int dir = io.open(buf_cstr(&n->path),
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	int ret;

	if (dir < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) {
		hidden(n, buf_cstr(&n->path));
		return 0;
	}
	if (dir >= 0 && io.fstat(dir, &st) < 0) {
		io.close(dir);
		hidden(n, buf_cstr(&n->path));
		return 0;
	}
	buf_reset(&n->names);
	buf_reset(&n->gone);
	ret = compare(n, folder, project, dir, e);
	if (!ret)
		ret = apply(n, folder, project, e);
	if (!ret && dir >= 0 && !n->stop)
		ret = remember(n, folder, project, &st, e);
	if (dir >= 0)
		io.close(dir);
	return ret;
}

/* --- projects --- */

static int look_named(struct run *n, enum vault_folder folder, str project, struct err *e)
{
	struct buf told = n->names;
	int ret = 0;

	/* read_one leaves names alone; filter in place of a second list */
	for (size_t at = 0; at < told.n && !ret;) {
		str name = str_of(told.p + at);

		at += name.n + 1;
		if (is_note(folder, name)) {
			n->r->looked++;
			ret = read_one(n, folder, project, name, e);
		}
	}
	return ret;
}

/* The folder looks as when it was listed last. */
static bool unmoved(struct run *n, enum vault_folder folder, str project)
{
	struct reindex_look look;
	struct stat st;
	int64_t known;

	if (index_folder_time(n->r->ix, folder, project, &known, NULL))
		return false;
	if (io.lstat(buf_cstr(&n->path), &st) < 0)
		return errno == ENOENT && !known;
	reindex_look_of(&look, &st);
	return known && known == look.mtime_ns;
}

static int look_folder(struct run *n, enum vault_folder folder, str project, bool quick,
		       struct err *e)
{
	enum reindex_news news;
	size_t left = n->r->left;
	int ret = 0;

	buf_reset(&n->path);
	if (!vault_path(n->r->vault, folder, project, STR_NONE, &n->path))
		return 0;
	news = reindex_watch_news(n->r->watch, buf_cstr(&n->path), &n->names);
	if (news == REINDEX_NAMED)
		ret = look_named(n, folder, project, e);
	else if (news == REINDEX_UNKNOWN && !(quick && unmoved(n, folder, project)))
		ret = look_in_full(n, folder, project, e);
	if (ret || n->r->left != left || n->stop)
		reindex_watch_doubt(n->r->watch, buf_cstr(&n->path));
	return ret;
}

enum place {
	PLACE_NONE,
	PLACE_FOLDER,
	PLACE_HIDDEN, /* nobody can say */
};

static enum place place_of(struct run *n, str project)
{
	struct stat st;

	buf_reset(&n->path);
	if (!vault_path(n->r->vault, VAULT_PROJECT, project, STR_NONE, &n->path))
		return PLACE_NONE;
	if (io.lstat(buf_cstr(&n->path), &st) == 0)
		return S_ISDIR(st.st_mode) ? PLACE_FOLDER : PLACE_NONE;
	if (errno == ENOENT || errno == ENOTDIR)
		return PLACE_NONE;
	hidden(n, buf_cstr(&n->path));
	return PLACE_HIDDEN;
}

/* A project that is none any more: what the index has of it goes. */
static int forget_project(struct run *n, str project, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < NFOLDERS && !ret; i++) {
		buf_reset(&n->names);
		buf_reset(&n->gone);
		ret = compare(n, FOLDERS[i], project, -1, e);
		if (!ret)
			ret = apply(n, FOLDERS[i], project, e);
	}
	return ret;
}

static int look_project(struct run *n, str project, bool quick, struct err *e)
{
	int ret = 0;

	switch (place_of(n, project)) {
	case PLACE_NONE:
		return forget_project(n, project, e);
	case PLACE_HIDDEN:
		return 0;
	case PLACE_FOLDER:
		break;
	}
	for (size_t i = 0; i < NFOLDERS && !ret && !n->stop; i++) {
		n->stop = late(n);
		if (!n->stop)
			ret = look_folder(n, FOLDERS[i], project, quick, e);
	}
	if (n->stop && !n->r->left)
		n->r->left = 1;
	return ret;
}

/* --- the other projects --- */

static int add_project(const char *name, void *arg)
{
	add_name(arg, str_of(name));
	return 0;
}

static int add_known(str name, void *arg)
{
	add_name(arg, name);
	return 0;
}

struct recent {
	struct run *n;
	struct buf list; /* folder digit, project, name */
};

static int note_recent(const struct index_file *f, void *arg)
{
	struct recent *c = arg;
	struct run *n = c->n;
	struct reindex_look look;
	struct stat st;

	if (str_eq(f->project, n->o->project))
		return 0;
	buf_reset(&n->path);
	if (!vault_path(n->r->vault, f->folder, f->project, f->name, &n->path))
		return 0;
	n->r->looked++;
	if (io.lstat(buf_cstr(&n->path), &st) == 0) {
		reindex_look_of(&look, &st);
		if (f->mtime_ns == look.mtime_ns && f->size == look.size &&
		    f->ino == look.ino)
			return 0;
	}
	buf_byte(&c->list, (char)('0' + f->folder));
	add_name(&c->list, f->project);
	add_name(&c->list, f->name);
	return 0;
}

/* Notes that were written lately, and may have been written in since. */
static int look_recent(struct run *n, struct err *e)
{
	struct recent c = {.n = n, .list = BUF_INIT(NAMES_BYTES)};
	struct timespec now;
	int ret;

	clock_gettime(CLOCK_REALTIME, &now);
	ret = index_file_recent(n->r->ix, (int64_t)now.tv_sec * 1000000000 - RECENT_NS,
				note_recent, &c, e);
	for (size_t at = 0; at < c.list.n && !ret;) {
		enum vault_folder folder = (enum vault_folder)(c.list.p[at] - '0');
		str project = str_of(c.list.p + at + 1),
		    name = str_of(project.p + project.n + 1);

		at += project.n + name.n + 3;
		ret = read_one(n, folder, project, name, e);
	}
	buf_release(&c.list);
	return ret;
}

/* Those in the vault, then those that only the index has. */
static int look_others(struct run *n, bool quick, struct err *e)
{
	struct buf names = BUF_INIT(NAMES_BYTES);
	struct err why = ERR_INIT;
	int ret = vault_projects(n->r->vault, add_project, &names, &why);
	size_t gone = names.n;

	if (ret == HF_EIO) {
		hidden(n, n->r->vault->root);
		ret = 0;
	} else if (ret) {
		err_set(e, ret, "%s", why.msg);
	}

	if (!ret)
		ret = index_project_each(n->r->ix, add_known, &names, e);
	for (size_t at = 0; at < names.n && !ret && !n->stop;) {
		str project = str_of(names.p + at);

		if (!str_eq(project, n->o->project) &&
		    (at < gone || place_of(n, project) == PLACE_NONE))
			ret = look_project(n, project, quick, e);
		at += project.n + 1;
	}
	if (!ret && quick && !n->r->watch && !n->stop)
		ret = look_recent(n, e);
	buf_release(&names);
	return ret;
}

/* --- when it is time for the others: this process knows, or a mark beside the index --- */

static bool mark_is_old(struct run *n)
{
	struct reindex_look look;
	struct timespec now;
	struct stat st;
	int64_t age;

	if (index_homeless(n->r->ix))
		return true;
	buf_reset(&n->path);
	buf_printf(&n->path, "%s" MARK_TAIL, index_path(n->r->ix));
	if (io.stat(buf_cstr(&n->path), &st) < 0)
		return true;
	reindex_look_of(&look, &st);
	clock_gettime(CLOCK_REALTIME, &now);
	age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - look.mtime_ns;
	return age < 0 || age >= REINDEX_OTHERS_MS * INT64_C(1000000);
}

static bool others_are_due(struct run *n)
{
	if (n->r->others_ns)
		return clock_mono_ns() - n->r->others_ns >=
		       REINDEX_OTHERS_MS * INT64_C(1000000);
	return mark_is_old(n);
}

static void others_seen(struct run *n)
{
	int fd;

	n->r->others_ns = clock_mono_ns();
	if (n->r->watch || index_homeless(n->r->ix))
		return;
	buf_reset(&n->path);
	buf_printf(&n->path, "%s" MARK_TAIL, index_path(n->r->ix));
	fd = io.open(buf_cstr(&n->path),
		     O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	futimens(fd, NULL);
	io.close(fd);
}

/* --- a run --- */

static int run_all(struct run *n, struct err *e)
{
	bool complete = index_complete(n->r->ix), others = false, quick;
	int ret = 0;

	n->bulk = !complete && !n->o->deadline_ns;
	if (n->bulk)
		index_bulk(n->r->ix, true);
	if (n->o->project.n)
		ret = look_project(n, n->o->project, false, e);
	quick = n->o->scope == REINDEX_OTHERS && complete;
	if (n->o->scope != REINDEX_PROJECT)
		others = !quick || others_are_due(n);
	if (!ret && others && !n->stop) {
		ret = look_others(n, quick, e);
		if (!ret && !n->stop)
			others_seen(n);
	}
	if (!ret && others && !complete && !n->stop) {
		ret = begin(n, e);
		if (!ret && n->writing)
			ret = index_set_complete(n->r->ix, e);
	}
	return ret;
}

/* Another database than at the last run: what was told of changes since then is not all that it lacks. */
static void see_index(struct reindex *r)
{
	if (r->opened == index_opened(r->ix))
		return;
	r->opened = index_opened(r->ix);
	r->others_ns = 0;
	reindex_watch_doubt_all(r->watch);
}

static int run_once(struct reindex *r, const struct reindex_options *o, struct err *e)
{
	struct run n = {.r = r,
			.o = o,
			.path = BUF_INIT(PATH_MAX),
			.names = BUF_INIT(NAMES_BYTES),
			.gone = BUF_INIT(NAMES_BYTES)};
	int ret = index_follow(r->ix, e);

	see_index(r);
	if (!ret)
		ret = run_all(&n, e);
	if (!ret)
		ret = commit(&n, e);
	if (ret)
		index_rollback(r->ix);
	if (n.bulk)
		index_bulk(r->ix, false);
	buf_release(&n.path);
	buf_release(&n.names);
	buf_release(&n.gone);
	return ret;
}

/* Damaged: anew. Not to be written: without a file. */
static int run_again(struct reindex *r, const struct reindex_options *o, int ret,
		     struct err *e)
{
	struct err why = *e;

	if (ret == HF_EFORMAT && index_damaged(r->ix)) {
		log_trace("reindex: %s", why.msg);
		*e = ERR_INIT;
		ret = index_renew(r->ix, e);
		if (!ret)
			ret = run_once(r, o, e);
	}
	if (ret && ret != HF_ETIME && !index_homeless(r->ix) &&
	    (index_damaged(r->ix) || index_stuck(r->ix))) {
		why = *e;
		log_trace("reindex: %s", why.msg);
		*e = ERR_INIT;
		ret = index_detach(r->ix, why.msg, e);
		if (!ret)
			ret = run_once(r, o, e);
	}
	return ret;
}

int reindex_run(struct reindex *r, const struct reindex_options *o, struct err *e)
{
	struct err why = ERR_INIT;
	int ret;

	r->looked = r->read = r->dropped = r->left = 0;
	r->busy = false;
	r->hidden[0] = 0;
	ret = run_once(r, o, &why);
	if (ret)
		ret = run_again(r, o, ret, &why);
	if (ret == HF_ETIME) {
		r->busy = true;
		r->left++;
		return 0;
	}
	return ret ? err_set(e, ret, "%s", why.msg) : 0;
}

void reindex_before(const struct reindex *r, enum vault_folder folder, str project,
		    str name, struct reindex_before *before)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct reindex_look look;
	struct stat st;

	*before = (struct reindex_before){0};
	if (vault_path(r->vault, folder, project, name, &path) &&
	    io.lstat(buf_cstr(&path), &st) == 0) {
		reindex_look_of(&look, &st);
		*before = (struct reindex_before){look.mtime_ns, look.size, look.ino};
	}
	buf_release(&path);
}

int reindex_added(struct reindex *r, enum vault_folder folder, str project, str name,
		  const struct reindex_before *before, str lines, struct err *e)
{
	int ret = index_follow(r->ix, e);

	if (!ret)
		ret = index_begin(r->ix, e);
	if (ret)
		return ret;
	r->own = true;
	ret = reindex_read_own(r, folder, project, name, before, lines, e);
	r->own = false;
	if (!ret)
		return index_commit(r->ix, e);
	index_rollback(r->ix);
	return ret;
}

int reindex_file(struct reindex *r, enum vault_folder folder, str project, str name,
		 struct err *e)
{
	return reindex_added(r, folder, project, name, NULL, STR_NONE, e);
}

void reindex_init(struct reindex *r, struct index *ix, const struct vault *v, bool watch)
{
	*r = (struct reindex){.ix = ix,
			      .vault = v,
			      .watch = watch ? reindex_watch_new() : NULL,
			      .opened = index_opened(ix)};
}

void reindex_release(struct reindex *r)
{
	reindex_watch_free(r->watch);
	*r = (struct reindex){0};
}
