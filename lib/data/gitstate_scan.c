/*
 * gitstate_scan: which files differ, from HEAD's tree, the index and the work tree.
 *
 * The answer is that of `git status --porcelain`, reached in three passes that can each stop
 * at the deadline:
 *   1. staged: HEAD's tree against the index. A folder whose cached tree (gitindex) has the
 *      id that HEAD names is skipped without reading it; most often that is the root.
 *   2. tracked: one lstat an entry. Same size, times and inode as recorded, and not written
 *      in the very moment of the index ("racy"): unchanged. Else the content is hashed.
 *   3. untracked: gitstate_walk.c.
 * Submodules found in pass 2 are queued and scanned the same way; a change in a nested one
 * counts for the outermost, as in git.
 *
 * Filter drivers (git-lfs) are never run: a file behind one, touched since the index was
 * written, counts as modified.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"
#include "data/gitstate_impl.h"

#define SUBMODULES_MAX      1000
#define UNTRACKED_MAX_BYTES (32u << 20)  /* their names */
#define HASH_MAX_BYTES      (64ll << 20) /* larger files are not hashed under a deadline */

enum gitstate_seen gitstate_scan_lstat(struct gitstate_scan *s, const char *path,
				       struct stat *st)
{
	/* too long for the system: it cannot be there under this name */
	if (!path)
		return GITSTATE_ABSENT;
	if (io.lstat(path, st) == 0)
		return GITSTATE_THERE;
	if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		return GITSTATE_ABSENT;
	s->unseen++;
	return GITSTATE_UNSEEN;
}

/* --- pass 1: staged --- */

static void staged_add(struct gitstate_scan *s, char x, str path, const git_oid *id,
		       uint32_t mode)
{
	struct gitstate_staged *c;

	if (s->nstaged == s->staged_cap) {
		s->staged_cap = s->staged_cap ? s->staged_cap * 2 : 32;
		s->staged = reallocarray(s->staged, s->staged_cap, sizeof(*s->staged));
		if (!s->staged)
			log_oom();
	}
	c = &s->staged[s->nstaged++];
	*c = (struct gitstate_staged){
		.path = str_dup(path), .x = x, .id = *id, .mode = mode};
}

/* Entries [k, to) are not in HEAD. */
static size_t staged_new(struct gitstate_scan *s, size_t k, size_t to)
{
	for (; k < to; k++) {
		const struct gitindex_entry *en = &s->x.entry[k];
		git_oid id;

		if (en->stage != 0 || en->intent_to_add)
			continue;
		git_oid_fromraw(&id, gitindex_id(en));
		staged_add(s, 'A', gitstate_scan_entry(s, k), &id, gitindex_mode(en));
	}
	return k;
}

/* The name `path` of HEAD's tree, not a folder; k is where it would be in the index. */
static size_t staged_compare(struct gitstate_scan *s, size_t k, str path,
			     const git_tree_entry *te)
{
	const struct gitindex_entry *en = k < s->x.n ? &s->x.entry[k] : NULL;
	uint32_t mode = (uint32_t)git_tree_entry_filemode(te), now;
	const git_oid *id = git_tree_entry_id(te);

	if (!en || !str_eq(gitstate_scan_entry(s, k), path)) {
		staged_add(s, 'D', path, id, mode);
		return k;
	}
	if (en->stage != 0) { /* reported as a conflict */
		while (k < s->x.n && str_eq(gitstate_scan_entry(s, k), path))
			k++;
		return k;
	}
	now = gitindex_mode(en);
	if (en->intent_to_add)
		staged_add(s, 'D', path, id, mode);
	else if ((now & GITSTATE_MODE_TYPE) != (mode & GITSTATE_MODE_TYPE))
		staged_add(s, 'T', path, id, mode);
	else if (memcmp(id->id, gitindex_id(en), GIT_OID_RAWSZ) != 0 || now != mode)
		staged_add(s, 'M', path, id, mode);
	return k + 1;
}

struct tree_frame {
	git_tree *tree;
	size_t i;
	size_t prefix_n;                  /* of the path, with its slash */
	const struct gitindex_tree *node; /* cached tree, or NULL */
};

static bool tree_push(struct gitstate_scan *s, struct tree_frame *f, const git_oid *id,
		      size_t prefix_n, const struct gitindex_tree *node)
{
	*f = (struct tree_frame){.prefix_n = prefix_n, .node = node};
	if (git_tree_lookup(&f->tree, s->repo, id) == 0)
		return true;
	s->r->g->partial = true;
	gitstate_say(s->r->g,
		     "a tree of HEAD cannot be read, staged changes are incomplete");
	return false;
}

/*
 * HEAD's tree flattened and merged with the index: both are in the same order, a folder
 * standing for its name with a slash.
 */
static void staged_walk(struct gitstate_scan *s, const git_oid *root)
{
	struct tree_frame *stack = calloc(GITSTATE_DEPTH_MAX, sizeof(*stack));
	struct buf path = BUF_INIT(GITINDEX_PATH_MAX);
	size_t depth = 0, k = 0;

	if (!stack)
		log_oom();
	if (tree_push(s, &stack[0], root, 0, s->x.ntrees ? &s->x.tree[0] : NULL))
		depth = 1;
	while (depth > 0 && !gitstate_scan_late(s)) {
		struct tree_frame *f = &stack[depth - 1];
		const git_tree_entry *te = git_tree_entry_byindex(f->tree, f->i++);
		const struct gitindex_tree *node = NULL;
		size_t to;
		str name;

		buf_cut(&path, f->prefix_n);
		if (!te) {
			k = staged_new(
				s, k,
				gitindex_prefix_end(&s->x, k, s->x.n, buf_str(&path)));
			git_tree_free(f->tree);
			depth--;
			continue;
		}
		name = str_of(git_tree_entry_name(te));
		buf_add(&path, name);
		if (git_tree_entry_type(te) == GIT_OBJECT_TREE)
			buf_byte(&path, '/');
		if (path.full)
			continue;
		to = gitindex_lower(&s->x, k, s->x.n, buf_str(&path));
		k = staged_new(s, k, to);
		if (git_tree_entry_type(te) != GIT_OBJECT_TREE) {
			k = staged_compare(s, k, buf_str(&path), te);
			continue;
		}
		if (f->node)
			node = gitindex_child(&s->x, f->node->self, name);
		if (node && node->id &&
		    memcmp(node->id, git_tree_entry_id(te)->id, GIT_OID_RAWSZ) == 0)
			k = gitindex_prefix_end(&s->x, k, s->x.n, buf_str(&path));
		else if (depth < GITSTATE_DEPTH_MAX &&
			 tree_push(s, &stack[depth], git_tree_entry_id(te), path.n, node))
			depth++;
	}
	while (depth > 0)
		git_tree_free(stack[--depth].tree);
	buf_release(&path);
	free(stack);
}

static void scan_staged(struct gitstate_scan *s)
{
	const struct gitindex_tree *root = s->x.ntrees ? &s->x.tree[0] : NULL;
	git_commit *head = NULL;
	git_oid id;
	int ret = git_reference_name_to_id(&id, s->repo, "HEAD");

	if (ret == GIT_ENOTFOUND) { /* no commit yet */
		staged_new(s, 0, s->x.n);
		return;
	}
	if (ret || git_commit_lookup(&head, s->repo, &id)) {
		gitstate_say(s->r->g,
			     "HEAD's tree cannot be read, staged changes are unknown");
		s->r->g->partial = true;
		return;
	}
	id = *git_commit_tree_id(head);
	git_commit_free(head);
	if (!root || !root->id || memcmp(root->id, id.id, GIT_OID_RAWSZ) != 0)
		staged_walk(s, &id);
}

/* --- pass 2: tracked files --- */

static bool is_racy(const struct gitstate_scan *s, const struct gitindex_stat *was)
{
	int64_t sec = was->mtime_s;

	if (sec != (int64_t)(uint32_t)s->index_s)
		return sec > (int64_t)(uint32_t)s->index_s;
	return was->mtime_ns == 0 || s->index_ns == 0 || was->mtime_ns >= s->index_ns;
}

static bool same_stat(const struct gitindex_stat *was, const struct stat *st)
{
	return was->mtime_s == (uint32_t)st->st_mtim.tv_sec &&
	       was->mtime_ns == (uint32_t)st->st_mtim.tv_nsec &&
	       was->ctime_s == (uint32_t)st->st_ctim.tv_sec &&
	       was->ctime_ns == (uint32_t)st->st_ctim.tv_nsec &&
	       was->ino == (uint32_t)st->st_ino && was->uid == (uint32_t)st->st_uid &&
	       was->gid == (uint32_t)st->st_gid && was->size == (uint32_t)st->st_size;
}

/* A .gitattributes on the way to rel may be a FIFO; libgit2 would open it. */
static bool attributes_regular(struct gitstate_scan *s, str rel)
{
	size_t at = 0, slash;
	struct stat st;

	for (;;) {
		buf_cut(&s->path, s->top_n);
		buf_add(&s->path, str_head(rel, at));
		buf_add(&s->path, STR(".gitattributes"));
		if (s->path.full)
			return true;
		if (io.stat(buf_cstr(&s->path), &st) == 0 && !S_ISREG(st.st_mode))
			return false;
		slash = str_chr(str_from(rel, at), '/');
		if (slash == STR_NPOS)
			return true;
		at += slash + 1;
	}
}

static bool hash_link(struct gitstate_scan *s, str rel, git_oid *id)
{
	char target[PATH_MAX];
	const char *path = gitstate_scan_full(s, rel);
	ssize_t n = path ? readlink(path, target, sizeof(target)) : -1;

	return n >= 0 && git_odb_hash(id, target, (size_t)n, GIT_OBJECT_BLOB) == 0;
}

/* The content differs from entry i's. What cannot be read counts as different, as in git. */
static bool content_differs(struct gitstate_scan *s, size_t i, const struct stat *st)
{
	str rel = gitstate_scan_entry(s, i);
	const char *path;
	git_oid id;

	if (S_ISLNK(st->st_mode)) {
		if (!hash_link(s, rel, &id))
			return true;
	} else {
		if (st->st_size > HASH_MAX_BYTES && s->r->deadline_ns) {
			s->unhashed++;
			return false;
		}
		if (!attributes_regular(s, rel))
			return true;
		path = gitstate_scan_full(s, rel);
		if (!path ||
		    git_repository_hashfile(&id, s->repo, path, GIT_OBJECT_BLOB, rel.p))
			return true;
	}
	return memcmp(id.id, gitindex_id(&s->x.entry[i]), GIT_OID_RAWSZ) != 0;
}

/* Mode as git would record it: a link, a folder as a submodule, all else a file. */
static uint32_t mode_of(const struct gitstate_scan *s, uint32_t was,
			const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return GITSTATE_MODE_LINK;
	if (!s->symlinks && (was & GITSTATE_MODE_TYPE) == GITSTATE_MODE_LINK)
		return GITSTATE_MODE_LINK;
	if (!s->filemode && (was & GITSTATE_MODE_TYPE) == GITSTATE_MODE_REGULAR)
		return was;
	return GITSTATE_MODE_REGULAR | (st->st_mode & 0100 ? 0755u : 0644u);
}

static bool is_empty_blob(const struct gitindex_entry *en)
{
	static const unsigned char empty[GITINDEX_ID_BYTES] = {
		0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b,
		0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53, 0x91};

	return memcmp(gitindex_id(en), empty, sizeof(empty)) == 0;
}

static char compare_file(struct gitstate_scan *s, size_t i, const struct stat *st)
{
	struct gitindex_stat was;
	uint32_t mode;

	gitindex_stat(&s->x.entry[i], &was);
	mode = mode_of(s, was.mode, st);
	if ((mode & GITSTATE_MODE_TYPE) != (was.mode & GITSTATE_MODE_TYPE))
		return 'T';
	if (s->x.entry[i].intent_to_add)
		return 'A';
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return 'M';
	if (mode != was.mode)
		return 'M';
	/* git writes size 0 for an entry that was racy when it wrote the index */
	if (was.size == 0 && st->st_size == 0 && is_empty_blob(&s->x.entry[i]))
		return 0;
	if (was.size != 0 && same_stat(&was, st) && !is_racy(s, &was))
		return 0;
	if (was.size != 0 && was.size != (uint32_t)st->st_size)
		return 'M';
	return content_differs(s, i, st) ? 'M' : 0;
}

/* Which folder of entry paths was looked at last, so that a link on the way is noticed once. */
struct folder {
	char path[GITINDEX_PATH_MAX + 1];
	size_t n;                /* with its slash; 0 = top */
	enum gitstate_seen seen; /* absent: it or one above is missing or no folder */
};

static void folder_enter(struct gitstate_scan *s, struct folder *f, str dir)
{
	size_t same = 0, at;
	struct stat st;

	if (f->n == dir.n && memcmp(f->path, dir.p, dir.n) == 0)
		return;
	if (f->seen != GITSTATE_THERE && str_starts(dir, (str){f->path, f->n}))
		return;
	for (at = 0; f->seen == GITSTATE_THERE && at < dir.n && at < f->n &&
		     dir.p[at] == f->path[at];
	     at++)
		if (dir.p[at] == '/')
			same = at + 1;
	f->seen = GITSTATE_THERE;
	for (at = same; at < dir.n && f->seen == GITSTATE_THERE; at++) {
		if (dir.p[at] != '/')
			continue;
		f->seen = gitstate_scan_lstat(s, gitstate_scan_full(s, str_head(dir, at)),
					      &st);
		if (f->seen == GITSTATE_THERE && !S_ISDIR(st.st_mode))
			f->seen = GITSTATE_ABSENT;
	}
	f->n = f->seen == GITSTATE_THERE ? dir.n : at;
	memcpy(f->path, dir.p, f->n);
}

static void check_gitlink(struct gitstate_scan *s, size_t i, const struct stat *st);

static void check_entry(struct gitstate_scan *s, size_t i, struct folder *f)
{
	const struct gitindex_entry *en = &s->x.entry[i];
	str rel = gitstate_scan_entry(s, i);
	size_t slash = str_rchr(rel, '/');
	enum gitstate_seen seen;
	struct stat st;
	bool there;

	if (en->stage != 0 || en->assume_valid || (en->skip_worktree && !s->sparse))
		return;
	folder_enter(s, f, str_head(rel, slash == STR_NPOS ? 0 : slash + 1));
	seen = f->seen;
	if (seen == GITSTATE_THERE)
		seen = gitstate_scan_lstat(s, gitstate_scan_full(s, rel), &st);
	if (seen == GITSTATE_UNSEEN)
		return;
	there = seen == GITSTATE_THERE;
	if (!there && en->skip_worktree)
		return;
	if ((gitindex_mode(en) & GITSTATE_MODE_TYPE) == GITSTATE_MODE_GITLINK)
		check_gitlink(s, i, there ? &st : NULL);
	else if (!there || S_ISDIR(st.st_mode))
		s->y[i] = 'D';
	else
		s->y[i] = compare_file(s, i, &st);
}

static void scan_tracked(struct gitstate_scan *s)
{
	struct folder *f = calloc(1, sizeof(*f));
	size_t i;

	if (!f)
		log_oom();
	for (i = 0; i < s->x.n && !gitstate_scan_late(s); i++)
		check_entry(s, i, f);
	if (i < s->x.n)
		gitstate_say(s->r->g, "out of time: %zu of %zu tracked files compared", i,
			     s->x.n);
	if (s->unhashed)
		gitstate_say(s->r->g, "%zu large file%s not compared", s->unhashed,
			     s->unhashed == 1 ? "" : "s");
	free(f);
}

/* --- submodules --- */

/* submodule.NAME.ignore, else diff.ignoreSubmodules, else nothing is ignored. */
static git_submodule_ignore_t ignore_of(struct gitstate_scan *s, const char *path)
{
	git_submodule *sub = NULL;
	git_submodule_ignore_t how = GIT_SUBMODULE_IGNORE_UNSPECIFIED;
	const char *v;
	struct stat st;

	gitstate_scan_full(s, STR(".gitmodules"));
	if (io.stat(buf_cstr(&s->path), &st) == 0 && S_ISREG(st.st_mode) &&
	    git_submodule_lookup(&sub, s->repo, path) == 0)
		how = git_submodule_ignore(sub);
	git_submodule_free(sub);
	v = gitstate_scan_text(s, "diff.ignoreSubmodules");
	if (v && how <= GIT_SUBMODULE_IGNORE_NONE) {
		if (strcmp(v, "all") == 0)
			return GIT_SUBMODULE_IGNORE_ALL;
		if (strcmp(v, "dirty") == 0)
			return GIT_SUBMODULE_IGNORE_DIRTY;
		if (strcmp(v, "untracked") == 0)
			return GIT_SUBMODULE_IGNORE_UNTRACKED;
	}
	return how;
}

struct queued {
	char *dir;
	size_t owner; /* entry of the outermost repository */
	bool untracked;
};

struct gitstate_queue {
	struct queued item[SUBMODULES_MAX];
	size_t n;
};

static void check_gitlink(struct gitstate_scan *s, size_t i, const struct stat *st)
{
	const char *rel = s->x.entry[i].path;
	git_submodule_ignore_t how;
	git_repository *sub = NULL;
	git_oid head;
	char *dir;
	int ret;

	if (!st || !S_ISDIR(st->st_mode)) {
		s->y[i] = st ? 'T' : 'D';
		return;
	}
	gitstate_scan_full(s, gitstate_scan_entry(s, i));
	dir = str_dup(buf_str(&s->path));
	how = ignore_of(s, rel);
	if (how == GIT_SUBMODULE_IGNORE_ALL)
		goto out;
	ret = gitstate_openable(dir)
		      ? git_repository_open_ext(&sub, dir, GIT_REPOSITORY_OPEN_NO_SEARCH,
						NULL)
		      : GIT_ERROR;
	/* a folder without .git was never populated, one without a commit says nothing */
	s->unseen += ret != 0 && ret != GIT_ENOTFOUND;
	if (ret || git_reference_name_to_id(&head, sub, "HEAD"))
		goto out;
	if (memcmp(head.id, gitindex_id(&s->x.entry[i]), GIT_OID_RAWSZ) != 0) {
		s->y[i] = 'M';
	} else if (how != GIT_SUBMODULE_IGNORE_DIRTY && s->queue->n < SUBMODULES_MAX) {
		s->queue->item[s->queue->n++] = (struct queued){
			.dir = dir,
			.owner = s->owner == STR_NPOS ? i : s->owner,
			.untracked = how != GIT_SUBMODULE_IGNORE_UNTRACKED,
		};
		dir = NULL;
	}
out:
	git_repository_free(sub);
	free(dir);
}

/* --- the result --- */

static void emit_conflicts(struct gitstate_scan *s)
{
	static const char xy[8][3] = {"", "DD", "AU", "UD", "UA", "DU", "AA", "UU"};
	size_t i = 0, k;
	unsigned mask;

	while (i < s->x.n) {
		if (s->x.entry[i].stage == 0) {
			i++;
			continue;
		}
		mask = 0;
		for (k = i; k < s->x.n &&
			    str_eq(gitstate_scan_entry(s, k), gitstate_scan_entry(s, i));
		     k++)
			if (s->x.entry[k].stage)
				mask |= 1u << (s->x.entry[k].stage - 1);
		gitstate_file_add(s->r, gitstate_scan_entry(s, i), STR_NONE, xy[mask][0],
				  xy[mask][1], false);
		i = k;
	}
}

/* Staged changes and work tree changes, both sorted by path, merged. */
static void emit_changes(struct gitstate_scan *s)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct gitstate_staged *c = k < s->nstaged ? &s->staged[k] : NULL;
		bool link = false;
		char y = ' ';
		int cmp;

		while (i < s->x.n && !s->y[i])
			i++;
		if (!c && i == s->x.n)
			return;
		if (!c)
			cmp = 1;
		else if (i == s->x.n)
			cmp = -1;
		else
			cmp = str_cmp(str_of(c->path), gitstate_scan_entry(s, i));
		if (cmp >= 0) {
			y = s->y[i];
			link = (gitindex_mode(&s->x.entry[i]) & GITSTATE_MODE_TYPE) ==
			       GITSTATE_MODE_GITLINK;
		}
		if (cmp <= 0)
			gitstate_file_add(s->r, str_of(c->path), str_of(c->from), c->x, y,
					  link || (c->mode & GITSTATE_MODE_TYPE) ==
							  GITSTATE_MODE_GITLINK);
		else
			gitstate_file_add(s->r, gitstate_scan_entry(s, i), STR_NONE, ' ',
					  y, link);
		k += cmp <= 0;
		i += cmp >= 0;
	}
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static void emit_untracked(struct gitstate_scan *s)
{
	const char **name = calloc(s->nnames + 1, sizeof(*name));
	const char *p = s->names.p, *end = p + s->names.n;
	size_t n = 0, i;

	if (!name)
		log_oom();
	for (; p < end; p += strlen(p) + 1)
		name[n++] = p;
	qsort(name, n, sizeof(*name), by_name);
	for (i = 0; i < n; i++)
		gitstate_file_add(s->r, str_of(name[i]), STR_NONE, '?', '?', false);
	/* those whose names were not kept still count */
	s->r->g->untracked += s->nnames - n;
	s->r->g->nfiles_all += s->nnames - n;
	free(name);
}

static bool any_change(const struct gitstate_scan *s)
{
	size_t i;

	if (s->nstaged || s->nnames)
		return true;
	for (i = 0; i < s->x.n; i++)
		if (s->y[i] || s->x.entry[i].stage)
			return true;
	return false;
}

/* --- one repository --- */

/* A repository without an index has nothing staged. HF_EIO, HF_EFORMAT, HF_ENOTFOUND as gitindex. */
static int read_index(struct gitstate_scan *s, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	long got;
	int fd, ret = 0;

	buf_printf(&path, "%sindex", git_repository_path(s->repo));
	fd = fs_open(buf_cstr(&path), &st, e);
	buf_release(&path);
	if (fd == HF_ENOTFOUND) {
		if (e)
			*e = ERR_INIT;
		return 0;
	}
	if (fd < 0)
		return fd;
	s->index_s = st.st_mtim.tv_sec;
	s->index_ns = st.st_mtim.tv_nsec;
	if (st.st_size > (off_t)GITINDEX_MAX_BYTES) {
		ret = err_set(e, HF_ELIMIT, "git index: over %u bytes",
			      GITINDEX_MAX_BYTES);
		goto out;
	}
	got = fs_read_at(fd, 0, (size_t)st.st_size, &s->bytes, e);
	ret = got < 0 ? (int)got : gitindex_parse(&s->x, buf_str(&s->bytes), e);
out:
	io.close(fd);
	return ret;
}

static void scan_release(struct gitstate_scan *s)
{
	size_t i;

	for (i = 0; i < s->nstaged; i++) {
		free(s->staged[i].path);
		free(s->staged[i].from);
	}
	free(s->staged);
	free(s->y);
	gitindex_release(&s->x);
	buf_release(&s->bytes);
	buf_release(&s->path);
	buf_release(&s->names);
	git_config_free(s->config);
}

/* libgit2 1.5 does not read a work tree's own config, where git keeps core.sparseCheckout. */
static int open_config(struct gitstate_scan *s)
{
	struct buf path = BUF_INIT(PATH_MAX);
	git_config *c = NULL;
	int ret = git_repository_config(&c, s->repo), on = 0;

	if (ret)
		return ret;
	buf_printf(&path, "%sconfig.worktree", git_repository_path(s->repo));
	if (git_config_get_bool(&on, c, "extensions.worktreeConfig") == 0 && on &&
	    fs_is_file(buf_cstr(&path)))
		git_config_add_file_ondisk(c, buf_cstr(&path), GIT_CONFIG_LEVEL_APP,
					   s->repo, 1);
	buf_release(&path);
	ret = git_config_snapshot(&s->config, c);
	git_config_free(c);
	return ret;
}

static int scan_open(struct gitstate_scan *s, git_repository *repo, struct err *e)
{
	int ret;

	s->repo = repo;
	s->path = BUF_INIT(PATH_MAX);
	s->bytes = BUF_INIT(GITINDEX_MAX_BYTES);
	s->names = BUF_INIT(UNTRACKED_MAX_BYTES);
	s->late = gitstate_late(s->r);
	if (open_config(s)) {
		const git_error *why = git_error_last();

		return err_set(e, HF_EFORMAT, "git config: %s",
			       why ? why->message : "unreadable");
	}
	s->filemode = gitstate_scan_bool(s, "core.filemode", true);
	s->symlinks = gitstate_scan_bool(s, "core.symlinks", true);
	s->sparse = gitstate_scan_bool(s, "core.sparseCheckout", false);
	if (!git_repository_workdir(repo))
		return err_set(e, HF_EFORMAT, "it has no work tree");
	buf_add(&s->path, str_of(git_repository_workdir(repo)));
	s->top_n = s->path.n;
	ret = read_index(s, e);
	if (ret)
		return ret;
	s->y = calloc(s->x.n + 1, 1);
	if (!s->y)
		log_oom();
	return 0;
}

/* Look into each queued submodule; more may be queued on the way. */
static void scan_submodules(struct gitstate_scan *top)
{
	struct gitstate_queue *q = top->queue;
	size_t i;

	for (i = 0; i < q->n && !gitstate_late(top->r); i++) {
		struct queued *it = &q->item[i];
		struct gitstate_scan s = {.r = top->r, .queue = q, .owner = it->owner};
		git_repository *sub = NULL;

		if (top->y[it->owner])
			continue;
		if (git_repository_open_ext(&sub, it->dir, GIT_REPOSITORY_OPEN_NO_SEARCH,
					    NULL) ||
		    scan_open(&s, sub, NULL)) {
			s.unseen++;
		} else {
			scan_staged(&s);
			scan_tracked(&s);
			if (it->untracked)
				gitstate_walk(&s, false, true);
			if (any_change(&s))
				top->y[it->owner] = 'M';
		}
		top->unseen += s.unseen;
		scan_release(&s);
		git_repository_free(sub);
	}
	if (i < q->n)
		gitstate_say(top->r->g, "out of time: %zu of %zu submodules looked at", i,
			     q->n);
	for (i = 0; i < q->n; i++)
		free(q->item[i].dir);
}

/* `git status` shows untracked files as the user's settings say; NULL, "no", "normal", "all". */
static bool wants_untracked(struct gitstate_scan *s, bool *all)
{
	const char *v = gitstate_scan_text(s, "status.showUntrackedFiles");

	if (v && (strcmp(v, "no") == 0 || strcmp(v, "false") == 0)) {
		gitstate_say(
			s->r->g,
			"untracked files not looked at (status.showUntrackedFiles=no)");
		return false;
	}
	*all = s->r->untracked_files || (v && strcmp(v, "all") == 0);
	return true;
}

int gitstate_scan(struct gitstate_run *r, git_repository *repo, struct err *e)
{
	struct gitstate_scan s = {.r = r, .owner = STR_NPOS};
	bool all = false;
	int ret;

	s.queue = calloc(1, sizeof(*s.queue));
	if (!s.queue)
		log_oom();
	ret = scan_open(&s, repo, e);
	if (ret)
		goto out;
	scan_staged(&s);
	if (s.late)
		gitstate_say(r->g, "out of time: staged changes are incomplete");
	scan_tracked(&s);
	if (wants_untracked(&s, &all))
		gitstate_walk(&s, all, false);
	scan_submodules(&s);
	gitstate_rename(&s);
	emit_conflicts(&s);
	emit_changes(&s);
	emit_untracked(&s);
	if (s.unseen)
		gitstate_say(r->g, "%zu file%s or folder%s could not be looked at",
			     s.unseen, s.unseen == 1 ? "" : "s",
			     s.unseen == 1 ? "" : "s");
	r->g->partial |= s.late || s.unhashed || s.unseen || gitstate_late(r);
out:
	scan_release(&s);
	free(s.queue);
	return ret;
}
