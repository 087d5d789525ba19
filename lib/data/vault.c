/*
 * Places below the root, and what protects them:
 *
 *   <root>/.index.db.handoff.lock     flock for writers; its name is covered by the
 *                                     `.index.db*` line of an existing .gitignore
 *   <root>/.index.db.handoff.tmp/     new files before their rename, so that a program that
 *                                     watches or syncs the vault never sees half a note
 *   <root>/<project>/<folder>/<name>  every component is looked at with lstat first
 *
 * Names come through project_name_ok, so that no name is a path.
 */
#include "data/vault.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "data/config.h"
#include "data/event.h"
#include "data/note.h"
#include "data/project.h"

#define LOCK_NAME ".index.db.handoff.lock"
#define TEMP_NAME ".index.db.handoff.tmp"

#define TEMP_OLD_S 60 /* a temporary file lives for the time of a write */
#define ADD_TRIES  8  /* replacements in between before we give up */
#define VAULT_ADD_MAX                                                                    \
	(64u << 20) /* bytes of a note that is looked through for what was added */

static const char *const FOLDER[] = {
	[VAULT_PROJECT] = "",          [VAULT_SESSIONS] = "sessions",
	[VAULT_ENTITIES] = "entities", [VAULT_HANDOFFS] = "handoffs",
	[VAULT_ARCHIVE] = "archive",
};

int vault_check(const struct vault *v, struct err *e)
{
	struct stat st;

	if (io.stat(v->root, &st) == 0)
		return S_ISDIR(st.st_mode)
			       ? 0
			       : err_set(e, HF_EFORMAT, "%s: the vault must be a folder",
					 v->root);
	if (errno == ENOTDIR)
		return err_set(
			e, HF_EFORMAT,
			"%s: the vault cannot be there: it would be below a file",
			v->root);
	return 0;
}

int vault_open(struct vault *v, const char *root, struct err *e)
{
	struct buf b = BUF_INIT(PATH_MAX);
	int ret = 0;

	*v = (struct vault){.lock = -1};
	if (root)
		buf_add(&b, str_of(root));
	else
		ret = config_vault_dir(&b, e);
	if (!ret && (!b.n || b.full))
		ret = err_set(e, HF_ENOTFOUND,
			      "no place for the vault: set HANDOFF_VAULT or HOME");
	if (ret) {
		buf_release(&b);
		return ret;
	}
	v->root = buf_take(&b);
	ret = vault_check(v, e);
	if (ret)
		vault_release(v);
	return ret;
}

void vault_release(struct vault *v)
{
	vault_unlock(v);
	free(v->root);
	*v = (struct vault){.lock = -1};
}

bool vault_exists(const struct vault *v)
{
	return v->root && fs_is_dir(v->root);
}

static void root_path(const struct vault *v, const char *name, struct buf *b)
{
	fs_join(b, str_of(v->root), str_of(name));
}

int vault_lock(struct vault *v, int wait_ms, struct err *e)
{
	struct buf b = BUF_INIT(PATH_MAX);
	struct err why = ERR_INIT;
	int fd;

	if (v->lock >= 0)
		return 0;
	fd = fs_mkdirs(v->root, 0700, &why);
	if (fd == 0) {
		root_path(v, LOCK_NAME, &b);
		fd = fs_lock(buf_cstr(&b), wait_ms, &why);
	}
	buf_release(&b);
	if (fd < 0)
		return err_set(e, fd, "%s%s",
			       fd == HF_ETIME ? "" : "the vault cannot be written: ",
			       why.msg);
	v->lock = fd;
	return 0;
}

void vault_unlock(struct vault *v)
{
	if (v->lock >= 0)
		fs_unlock(v->lock);
	v->lock = -1;
}

bool vault_path(const struct vault *v, enum vault_folder f, str project, str name,
		struct buf *b)
{
	if (!v->root || !project_name_ok(project) || project_name_taken(project) ||
	    (name.n && !project_name_ok(name)))
		return false;
	fs_join(b, str_of(v->root), project);
	if (FOLDER[f][0]) {
		buf_byte(b, '/');
		buf_add(b, str_of(FOLDER[f]));
	}
	if (name.n) {
		buf_byte(b, '/');
		buf_add(b, name);
	}
	return !b->full;
}

/* The path exists and is a link: refuse. A path that does not exist is no link. */
static int refuse_link(const char *path, struct err *e)
{
	struct stat st;

	if (io.lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return err_set(e, HF_EFORMAT,
			       "%s: is a symbolic link; the vault follows none", path);
	return 0;
}

/* Project, folder and file of a place: none may be a link. Appends the whole path to b. */
static int checked_path(const struct vault *v, enum vault_folder f, str project, str name,
			struct buf *b, struct err *e)
{
	struct buf part = BUF_INIT(PATH_MAX);
	int ret = 0;

	if (!vault_path(v, f, project, name, b))
		return err_set(e, HF_EUSAGE, "no name for a note: %.*s/%.*s",
			       STR_ARG(project), STR_ARG(name));
	if (vault_path(v, VAULT_PROJECT, project, STR_NONE, &part))
		ret = refuse_link(buf_cstr(&part), e);
	buf_reset(&part);
	if (!ret && vault_path(v, f, project, STR_NONE, &part))
		ret = refuse_link(buf_cstr(&part), e);
	if (!ret && name.n)
		ret = refuse_link(buf_cstr(b), e);
	buf_release(&part);
	return ret;
}

int vault_read(const struct vault *v, enum vault_folder f, str project, str name,
	       struct buf *out, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret = checked_path(v, f, project, name, &path, e);

	if (!ret)
		ret = fs_read(buf_cstr(&path), out, e);
	buf_release(&path);
	return ret;
}

/* Create the folder of a place. */
static int make_folder(const struct vault *v, enum vault_folder f, str project,
		       struct err *e)
{
	struct buf b = BUF_INIT(PATH_MAX);
	int ret = HF_EUSAGE;

	if (vault_path(v, f, project, STR_NONE, &b))
		ret = fs_mkdirs(buf_cstr(&b), 0700, e);
	buf_release(&b);
	return ret;
}

/* The folder for temporary files, without what writers left who were killed in it. */
static int temp_folder(const char *path, struct err *e)
{
	int ret = fs_mkdirs(path, 0700, e);

	if (!ret)
		fs_sweep(path, TEMP_OLD_S);
	return ret;
}

void vault_sweep(struct vault *v, str project)
{
	static const enum vault_folder all[] = {VAULT_PROJECT, VAULT_SESSIONS,
						VAULT_ENTITIES, VAULT_HANDOFFS,
						VAULT_ARCHIVE};
	struct buf path = BUF_INIT(PATH_MAX);

	assert(v->lock >= 0);
	root_path(v, TEMP_NAME, &path);
	fs_sweep(buf_cstr(&path), 0);
	for (size_t i = 0; project.n && i < sizeof(all) / sizeof(all[0]); i++) {
		buf_reset(&path);
		if (vault_path(v, all[i], project, STR_NONE, &path))
			fs_sweep(buf_cstr(&path), 0);
	}
	buf_release(&path);
}

static int write_note(struct vault *v, enum vault_folder f, str project, str name,
		      str text, bool quick, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), temp = BUF_INIT(PATH_MAX);
	int ret;

	assert(v->lock >= 0);
	ret = checked_path(v, f, project, name, &path, e);
	if (!ret)
		ret = make_folder(v, f, project, e);
	root_path(v, TEMP_NAME, &temp);
	if (!ret && !quick)
		ret = temp_folder(buf_cstr(&temp), e);
	if (!ret && quick)
		ret = fs_write_quick(buf_cstr(&path), text, 0600, e);
	else if (!ret)
		ret = fs_write_through(buf_cstr(&path), buf_cstr(&temp), text, 0600, e);
	buf_release(&path);
	buf_release(&temp);
	return ret;
}

int vault_write(struct vault *v, enum vault_folder f, str project, str name, str text,
		struct err *e)
{
	return write_note(v, f, project, name, text, false, e);
}

int vault_write_quick(struct vault *v, enum vault_folder f, str project, str name,
		      str text, struct err *e)
{
	return write_note(v, f, project, name, text, true, e);
}

int vault_append(struct vault *v, enum vault_folder f, str project, str name, str line,
		 struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(VAULT_NOTE_MAX);
	int ret;

	assert(v->lock >= 0);
	ret = checked_path(v, f, project, name, &path, e);
	if (!ret)
		ret = make_folder(v, f, project, e);
	if (!ret) {
		buf_add(&text, line);
		buf_byte(&text, '\n');
		if (text.full || memchr(line.p ? line.p : "", '\n', line.n))
			ret = err_set(e, HF_ELIMIT, "%s: not one line to append",
				      buf_cstr(&path));
		else
			ret = fs_append(buf_cstr(&path), buf_str(&text), e);
	}
	buf_release(&path);
	buf_release(&text);
	return ret;
}

/* 1 when the note ends in the middle of a line (a crash, or an editor that leaves out the last newline), 0 when not, HF_E*. */
static int is_torn(const char *path, struct err *e)
{
	struct buf last = BUF_INIT(1);
	struct stat st;
	int fd = fs_open(path, &st, e);
	long got = 0;
	bool torn;

	if (fd < 0)
		return fd;
	if (st.st_size > 0)
		got = fs_read_at(fd, (uint64_t)st.st_size - 1, 1, &last, e);
	torn = got == 1 && last.p[0] != '\n';
	io.close(fd);
	buf_release(&last);
	return got < 0 ? (int)got : torn;
}

/* Put the text into the file, or the new file in its place, and let go of the lock. */
static int add_begin(struct vault *v, const char *path, str head, str text,
		     struct fs_pending *p, struct err *e)
{
	struct buf all = BUF_INIT(VAULT_ADD_MAX), temp = BUF_INIT(PATH_MAX);
	struct stat st;
	int ret;

	root_path(v, TEMP_NAME, &temp);
	if (io.lstat(path, &st) == 0) {
		ret = is_torn(path, e);
		if (ret > 0)
			buf_byte(&all, '\n');
		buf_add(&all, text);
		if (ret >= 0)
			ret = fs_begin_append(p, path, buf_str(&all), e);
	} else if (errno == ENOENT) {
		buf_add(&all, head);
		buf_add(&all, text);
		ret = temp_folder(buf_cstr(&temp), e);
		if (!ret)
			ret = fs_begin_create(p, path, buf_cstr(&temp), buf_str(&all), e);
	} else {
		ret = err_sys(e, "%s", path);
	}
	vault_unlock(v);
	buf_release(&all);
	buf_release(&temp);
	return ret;
}

/* Another file has taken its place: 1 when that one holds the text, durably now; 0 when not; HF_E*. */
static int add_survived(const char *path, str text, struct err *e)
{
	struct buf now = BUF_INIT(VAULT_ADD_MAX);
	struct fs_pending p;
	int ret = 0;

	if (fs_read(path, &now, NULL) == 0 && str_find(buf_str(&now), text) != STR_NPOS) {
		ret = fs_begin_append(&p, path, STR_NONE, e);
		if (!ret)
			ret = fs_finish(&p, path, e);
	}
	buf_release(&now);
	return ret;
}

int vault_add(struct vault *v, enum vault_folder f, str project, str name, str head,
	      str text, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct fs_pending p;
	int ret;

	assert(v->lock >= 0);
	ret = checked_path(v, f, project, name, &path, e);
	if (!ret && (!text.n || text.p[text.n - 1] != '\n' || text.n > VAULT_NOTE_MAX ||
		     head.n > VAULT_NOTE_MAX))
		ret = err_set(e, HF_ELIMIT, "%s: not whole lines to add",
			      buf_cstr(&path));
	if (!ret)
		ret = make_folder(v, f, project, e);
	for (int i = 0; !ret && i < ADD_TRIES; i++) {
		ret = add_begin(v, buf_cstr(&path), head, text, &p, e);
		if (!ret)
			ret = fs_finish(&p, buf_cstr(&path), e);
		if (ret)
			break;
		ret = vault_lock(v, VAULT_LOCK_WAIT_MS, e);
		if (!ret)
			ret = add_survived(buf_cstr(&path), text, e);
	}
	if (!ret)
		ret = err_set(e, HF_EIO,
			      "%s: replaced again and again while adding to it",
			      buf_cstr(&path));
	vault_unlock(v);
	buf_release(&path);
	return ret < 0 ? ret : 0;
}

static int same_name(const char *dir, const char *name, void *arg)
{
	(void)dir;
	return strcmp(name, arg) == 0;
}

/* The note's heading is a name of this file. */
static bool is_headed(const char *path, str file)
{
	struct buf text = BUF_INIT(VAULT_NOTE_MAX), own = BUF_INIT(PATH_MAX);
	struct note n = {.nfields = 0};
	bool is;

	if (fs_read(path, &text, NULL) == 0)
		note_parse(&n, buf_str(&text));
	event_entity_file(&own, n.title);
	buf_add(&own, STR(".md"));
	is = str_eq(buf_str(&own), file);
	buf_release(&text);
	buf_release(&own);
	return is;
}

int vault_entity(const struct vault *v, str project, str name, struct buf *file,
		 struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), dir = BUF_INIT(PATH_MAX),
		   plain = BUF_INIT(PATH_MAX);
	struct stat st;
	int ret = 0;

	event_entity_file(&plain, name);
	buf_add(&plain, STR(".md"));
	if (!vault_path(v, VAULT_ENTITIES, project, STR_NONE, &dir) ||
	    !vault_path(v, VAULT_ENTITIES, project, buf_str(&plain), &path))
		ret = err_set(e, HF_EUSAGE, "no name for an entity: %.*s", STR_ARG(name));
	/* there, but not under this name: the disk found it by another */
	if (!ret && io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	    fs_each(buf_cstr(&dir), same_name, plain.p, NULL) == 0 &&
	    !is_headed(buf_cstr(&path), buf_str(&plain))) {
		event_entity_file_apart(file, name);
		buf_add(file, STR(".md"));
	} else if (!ret) {
		buf_add(file, buf_str(&plain));
	}
	buf_release(&path);
	buf_release(&dir);
	buf_release(&plain);
	return ret;
}

int vault_move(struct vault *v, str project, enum vault_folder from, enum vault_folder to,
	       str name, struct err *e)
{
	struct buf a = BUF_INIT(PATH_MAX), b = BUF_INIT(PATH_MAX);
	int ret;

	assert(v->lock >= 0);
	if (!name.n)
		return err_set(e, HF_EUSAGE, "no name of a note to move");
	ret = checked_path(v, from, project, name, &a, e);
	if (!ret)
		ret = checked_path(v, to, project, name, &b, e);
	if (!ret)
		ret = make_folder(v, to, project, e);
	if (!ret)
		ret = fs_rename(buf_cstr(&a), buf_cstr(&b), e);
	buf_release(&a);
	buf_release(&b);
	return ret;
}

int vault_remove(struct vault *v, enum vault_folder f, str project, str name,
		 struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret;

	assert(v->lock >= 0);
	if (!name.n)
		return err_set(e, HF_EUSAGE, "no name of a note to remove");
	ret = checked_path(v, f, project, name, &path, e);
	if (!ret && io.unlink(buf_cstr(&path)) < 0)
		ret = errno == ENOENT ? err_set(e, HF_ENOTFOUND, "%s: no such note",
						buf_cstr(&path))
				      : err_sys(e, "%s: unlink", buf_cstr(&path));
	buf_release(&path);
	return ret;
}

struct each {
	int (*fn)(const char *name, void *arg);
	void *arg;
	const char *suffix; /* NULL: folders that can be projects */
	bool stopped;
};

static int each_entry(const char *dir, const char *name, void *arg)
{
	struct each *each = arg;
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	bool take;
	int ret = 0;

	if (name[0] == '.' || !project_name_ok(str_of(name)))
		return 0;
	/* records and packets belong to no project (data/shelf) */
	if (!each->suffix && project_name_taken(str_of(name)))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	take = io.lstat(buf_cstr(&path), &st) == 0 &&
	       (each->suffix ? S_ISREG(st.st_mode) &&
				       str_ends(str_of(name), str_of(each->suffix))
			     : S_ISDIR(st.st_mode));
	buf_release(&path);
	if (take)
		ret = each->fn(name, each->arg);
	each->stopped = ret != 0;
	return ret;
}

static int each_in(const char *dir, struct each *each, struct err *e)
{
	int ret;

	if (!fs_is_dir(dir))
		return 0;
	ret = fs_each(dir, each_entry, each, e);
	return !each->stopped && ret == HF_ENOTFOUND ? 0 : ret;
}

int vault_each(const struct vault *v, enum vault_folder f, str project,
	       const char *suffix, int (*fn)(const char *name, void *arg), void *arg,
	       struct err *e)
{
	struct each each = {.fn = fn, .arg = arg, .suffix = suffix};
	struct buf dir = BUF_INIT(PATH_MAX);
	int ret = checked_path(v, f, project, STR_NONE, &dir, e);

	if (!ret)
		ret = each_in(buf_cstr(&dir), &each, e);
	buf_release(&dir);
	return ret;
}

int vault_projects(const struct vault *v, int (*fn)(const char *name, void *arg),
		   void *arg, struct err *e)
{
	struct each each = {.fn = fn, .arg = arg};

	return v->root ? each_in(v->root, &each, e) : 0;
}
