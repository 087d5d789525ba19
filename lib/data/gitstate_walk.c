/*
 * gitstate_walk: files that the index does not know.
 *
 * Folders are read one entry at a time, depth first, with a stack of open ones. A name that
 * the index holds is tracked, the rest go through the ignore rules; an ignored folder is not
 * entered. A folder without tracked files is told as one entry, "folder/", if anything in it
 * counts: it is entered only to find that out (`probe`), unless all files are wanted.
 *
 * As in git: a .gitignore is read only when it is a regular file; a repository inside counts
 * as one entry and is not entered; FIFOs, sockets and devices do not count.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"
#include "data/gitignore.h"
#include "data/gitstate_impl.h"

#define IGNORE_MAX_BYTES (1u << 20)

struct walk_frame {
	DIR *dir;
	size_t prefix_n; /* of the path below top, with its slash */
	size_t lo, hi;   /* index entries below it */
	bool has_ignore; /* its .gitignore was pushed */
	struct buf ignore;
	size_t probe; /* for an untracked folder: depth of the outermost one, else 0 */
};

struct walk {
	struct gitstate_scan *s;
	struct gitignore rules;
	struct buf rel; /* path below top */
	struct walk_frame *stack;
	size_t depth;
	bool all; /* list files inside untracked folders */
	bool too_deep;
};

static void untracked_add(struct gitstate_scan *s, str path)
{
	size_t was = s->names.n, at;
	str bare = path;

	/* a folder in the place of a tracked file is told by that file's D, as in git */
	if (path.n && path.p[path.n - 1] == '/') {
		bare.n--;
		at = gitindex_lower(&s->x, 0, s->x.n, bare);
		if (at < s->x.n && str_eq(gitstate_scan_entry(s, at), bare))
			return;
	}
	buf_add(&s->names, path);
	buf_byte(&s->names, '\0');
	if (s->names.full)
		s->names.n = was; /* counted, not kept */
	s->nnames++;
}

/* The .gitignore of the folder at w->rel: a regular file, never a link (as git). */
static bool read_ignore(struct walk *w, struct buf *text)
{
	size_t was = w->rel.n;
	const char *path;
	struct stat st;
	bool ok;

	buf_add(&w->rel, STR(".gitignore"));
	path = w->rel.full ? NULL : gitstate_scan_full(w->s, buf_str(&w->rel));
	*text = BUF_INIT(IGNORE_MAX_BYTES);
	ok = gitstate_scan_lstat(w->s, path, &st) == GITSTATE_THERE &&
	     S_ISREG(st.st_mode);
	if (ok && fs_read(path, text, NULL) < 0) {
		w->s->unseen++;
		ok = false;
	}
	buf_cut(&w->rel, was);
	if (!ok)
		buf_release(text);
	return ok;
}

static bool walk_push(struct walk *w, size_t lo, size_t hi, size_t probe)
{
	struct walk_frame *f = &w->stack[w->depth];
	const char *path;
	DIR *dir;

	if (w->depth == GITSTATE_DEPTH_MAX) {
		w->too_deep = true;
		return false;
	}
	path = gitstate_scan_full(w->s, buf_str(&w->rel));
	dir = path ? io.opendir(path) : NULL;
	if (!dir) {
		/* it may be gone by now; what is refused is counted */
		w->s->unseen += path && errno != ENOENT && errno != ENOTDIR;
		return false;
	}
	*f = (struct walk_frame){
		.dir = dir, .prefix_n = w->rel.n, .lo = lo, .hi = hi, .probe = probe};
	f->has_ignore = read_ignore(w, &f->ignore);
	if (f->has_ignore)
		gitignore_add(&w->rules, w->rel.n, buf_str(&f->ignore));
	w->depth++;
	return true;
}

static void walk_pop(struct walk *w)
{
	struct walk_frame *f = &w->stack[--w->depth];

	if (f->has_ignore)
		gitignore_pop(&w->rules);
	buf_release(&f->ignore);
	io.closedir(f->dir);
}

/* Something in an untracked folder counts: the outermost one is listed, the rest is skipped. */
static void walk_found(struct walk *w, size_t probe)
{
	while (w->depth > probe)
		walk_pop(w);
	buf_cut(&w->rel, w->stack[probe - 1].prefix_n);
	untracked_add(w->s, buf_str(&w->rel));
	walk_pop(w);
}

/* The folder at w->rel (with its slash) is a repository of its own. */
static bool is_repository(struct walk *w)
{
	static const char *const parts[] = {".git/HEAD", ".git/objects", ".git/refs"};
	size_t was = w->rel.n, i;
	struct stat st;
	bool yes = true;

	buf_add(&w->rel, STR(".git"));
	gitstate_scan_full(w->s, buf_str(&w->rel));
	buf_cut(&w->rel, was);
	if (gitstate_scan_lstat(w->s, buf_cstr(&w->s->path), &st) != GITSTATE_THERE)
		return false;
	if (S_ISREG(st.st_mode)) {
		struct buf b = BUF_INIT(PATH_MAX);

		yes = fs_read(buf_cstr(&w->s->path), &b, NULL) >= 0 &&
		      str_starts(buf_str(&b), STR("gitdir: "));
		buf_release(&b);
		return yes;
	}
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && yes; i++) {
		buf_add(&w->rel, str_of(parts[i]));
		gitstate_scan_full(w->s, buf_str(&w->rel));
		buf_cut(&w->rel, was);
		yes = gitstate_scan_lstat(w->s, buf_cstr(&w->s->path), &st) ==
		      GITSTATE_THERE;
	}
	return yes;
}

static mode_t type_of(struct walk *w, const struct dirent *de)
{
	struct stat st;

	switch (de->d_type) {
	case DT_REG:
		return S_IFREG;
	case DT_LNK:
		return S_IFLNK;
	case DT_DIR:
		return S_IFDIR;
	case DT_UNKNOWN:
		if (gitstate_scan_lstat(w->s, gitstate_scan_full(w->s, buf_str(&w->rel)),
					&st) == GITSTATE_THERE)
			return st.st_mode & S_IFMT;
		return 0;
	default:
		return 0;
	}
}

static void walk_folder(struct walk *w, const struct walk_frame *f)
{
	struct gitstate_scan *s = w->s;
	size_t lo, hi, probe = f->probe;

	lo = gitindex_lower(&s->x, f->lo, f->hi, buf_str(&w->rel));
	if (lo < f->hi && str_eq(gitstate_scan_entry(s, lo), buf_str(&w->rel)) &&
	    (gitindex_mode(&s->x.entry[lo]) & GITSTATE_MODE_TYPE) ==
		    GITSTATE_MODE_GITLINK)
		return;
	if (gitignore_match(&w->rules, buf_str(&w->rel), true))
		return;
	buf_byte(&w->rel, '/');
	lo = gitindex_lower(&s->x, lo, f->hi, buf_str(&w->rel));
	hi = gitindex_prefix_end(&s->x, lo, f->hi, buf_str(&w->rel));
	if (lo == hi && is_repository(w)) {
		if (probe && !w->all)
			walk_found(w, probe);
		else
			untracked_add(s, buf_str(&w->rel));
		return;
	}
	if (lo == hi && !probe)
		probe = w->depth + 1;
	walk_push(w, lo, hi, lo == hi ? probe : 0);
}

static void walk_entry(struct walk *w, struct walk_frame *f, const struct dirent *de)
{
	str name = str_of(de->d_name), rel;
	size_t at;
	mode_t type;

	if (str_eq(name, STR(".")) || str_eq(name, STR("..")) ||
	    str_eq(name, STR(".git")))
		return;
	buf_cut(&w->rel, f->prefix_n);
	buf_add(&w->rel, name);
	if (w->rel.full)
		return;
	rel = buf_str(&w->rel);
	type = type_of(w, de);
	if (type == S_IFDIR) {
		walk_folder(w, f);
		return;
	}
	if (type == 0)
		return;
	at = gitindex_lower(&w->s->x, f->lo, f->hi, rel);
	if (at < f->hi && str_eq(gitstate_scan_entry(w->s, at), rel))
		return;
	if (gitignore_match(&w->rules, rel, false))
		return;
	if (f->probe && !w->all)
		walk_found(w, f->probe);
	else
		untracked_add(w->s, rel);
}

static void read_rules(struct gitstate_scan *s, const char *path, struct gitignore *rules,
		       struct buf *text)
{
	int ret;

	*text = BUF_INIT(IGNORE_MAX_BYTES);
	if (!*path)
		return;
	ret = fs_read(path, text, NULL);
	if (ret >= 0)
		gitignore_add(rules, 0, buf_str(text));
	else if (ret != HF_ENOTFOUND)
		s->unseen++;
}

/* core.excludesFile, its default place, and info/exclude: the last is the strongest. */
static void read_common_rules(struct gitstate_scan *s, struct gitignore *rules,
			      struct buf text[2])
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	git_buf set = GIT_BUF_INIT;
	struct buf path = BUF_INIT(PATH_MAX);

	if (git_config_get_path(&set, s->config, "core.excludesFile") == 0)
		buf_add(&path, str_of(set.ptr));
	else if (xdg && *xdg)
		buf_printf(&path, "%s/git/ignore", xdg);
	else if (home && *home)
		buf_printf(&path, "%s/.config/git/ignore", home);
	read_rules(s, buf_cstr(&path), rules, &text[0]);
	buf_reset(&path);
	buf_printf(&path, "%sinfo/exclude", git_repository_commondir(s->repo));
	read_rules(s, buf_cstr(&path), rules, &text[1]);
	buf_release(&path);
	git_buf_dispose(&set);
}

void gitstate_walk(struct gitstate_scan *s, bool all, bool first_only)
{
	struct walk w = {.s = s, .all = all, .rel = BUF_INIT(PATH_MAX)};
	struct buf text[2];

	w.stack = calloc(GITSTATE_DEPTH_MAX + 1, sizeof(*w.stack));
	if (!w.stack)
		log_oom();
	gitignore_init(&w.rules, gitstate_scan_bool(s, "core.ignorecase", false));
	read_common_rules(s, &w.rules, text);
	walk_push(&w, 0, s->x.n, 0);
	while (w.depth > 0 && !gitstate_scan_late(s) && !(first_only && s->nnames)) {
		struct walk_frame *f = &w.stack[w.depth - 1];
		struct dirent *de;

		errno = 0;
		de = io.readdir(f->dir);
		if (de) {
			walk_entry(&w, f, de);
			continue;
		}
		s->unseen += errno != 0;
		walk_pop(&w);
	}
	if (s->late)
		gitstate_say(s->r->g, "out of time: untracked files are incomplete");
	s->r->g->partial |= w.too_deep;
	if (w.too_deep)
		gitstate_say(s->r->g, "folders deeper than %d are left out",
			     GITSTATE_DEPTH_MAX);
	while (w.depth > 0)
		walk_pop(&w);
	gitignore_release(&w.rules);
	buf_release(&text[0]);
	buf_release(&text[1]);
	buf_release(&w.rel);
	free(w.stack);
}
