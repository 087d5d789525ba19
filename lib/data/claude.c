/*
 * Facts of the client's folder that this file relies on:
 *
 * - projects/<encoded cwd>/<session>.jsonl; sub-agent files of older clients lie beside
 *   them as agent-<hex>.jsonl. Archived copies may carry .jsonl.zst.
 * - <session>/subagents/agent-<id>.jsonl with agent-<id>.meta.json; workflow runs put
 *   theirs one or two folders deeper.
 * - sessions/<pid>.json: {pid, sessionId, procStart, ...}; left behind by kill -9, so the
 *   pid may be another program's by now: procStart is field 22 of /proc/<pid>/stat.
 * - tasks/<session>/<n>.json: {id, subject, description, status, ...}.
 * - history.jsonl: {display, timestamp (ms), project, sessionId, ...} a line.
 *
 * All of it is written by others, perhaps right now: files vanish between two calls, and
 * what does not parse is skipped.
 */
#include "data/claude.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "data/json.h"

#define CLAUDE_NAME_UNITS  200         /* longer names are cut and hashed */
#define CLAUDE_PATH_MAX    (64u << 10) /* bytes of any path built here */
#define CLAUDE_SMALL_MAX   (1u << 20)  /* bytes of a task, registry or meta file */
#define CLAUDE_FILES_MAX   20000       /* tasks or sub-agent files of one session */
#define CLAUDE_AGENT_DEPTH 3           /* subagents/workflows/<run> */
#define CLAUDE_LINE_MAX                                                                  \
	(4u << 20) /* bytes of one history line; longer ones are skipped */
#define CLAUDE_READ_BYTES (64u << 10)

/* A session id as a path component: no slash, no leading dot, nothing to escape. */
static bool id_ok(str id)
{
	if (id.n == 0 || id.n >= CLAUDE_ID_MAX || id.p[0] == '.')
		return false;
	for (size_t i = 0; i < id.n; i++)
		if (!str_is_alnum(id.p[i]) && !strchr("-_.", id.p[i]))
			return false;
	return true;
}

static bool lstat_as(const char *path, mode_t type, struct stat *st)
{
	return io.lstat(path, st) == 0 && (st->st_mode & S_IFMT) == type;
}

/* name without .jsonl or .jsonl.zst; empty if it ends in neither. */
static str jsonl_stem(str name)
{
	if (str_ends(name, STR(".jsonl")))
		return str_head(name, name.n - 6);
	if (str_ends(name, STR(".jsonl.zst")))
		return str_head(name, name.n - 10);
	return STR_NONE;
}

/* sessions */

struct sessions {
	int (*fn)(const struct claude_file *f, void *arg);
	void (*unread)(const char *why, void *arg); /* NULL: only traced */
	void *arg;
	const char *folder;
	bool stopped; /* by fn: its value goes to the caller as it is */
};

static int session_file(const char *dir, const char *name, void *arg)
{
	struct sessions *s = arg;
	struct claude_file f = {0};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct stat st;
	char *id = NULL;
	int ret = 0;

	str stem = jsonl_stem(str_of(name));
	if (stem.n == 0 || str_starts(stem, STR("agent-")))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	if (path.full || !lstat_as(buf_cstr(&path), S_IFREG, &st))
		goto out;
	id = str_dup(stem);
	f.path = buf_cstr(&path);
	f.id = id;
	f.folder = s->folder;
	f.size = (uint64_t)st.st_size;
	f.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	f.ino = st.st_ino;
	ret = s->fn(&f, s->arg);
	s->stopped = ret != 0;
out:
	free(id);
	buf_release(&path);
	return ret;
}

static int session_folder(const char *dir, const char *name, void *arg)
{
	struct sessions *s = arg;
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct err e = ERR_INIT;
	struct stat st;
	int ret = 0;

	fs_join(&path, str_of(dir), str_of(name));
	if (path.full || !lstat_as(buf_cstr(&path), S_IFDIR, &st))
		goto out;
	s->folder = name;
	ret = fs_each(buf_cstr(&path), session_file, s, &e);
	if (ret && !s->stopped) {
		/* one folder that cannot be read must not hide all others */
		log_trace("claude: %s", e.msg);
		if (s->unread && ret != HF_ENOTFOUND) /* gone by now: nothing to tell */
			s->unread(e.msg, s->arg);
		ret = 0;
	}
out:
	buf_release(&path);
	return ret;
}

int claude_each_told(const char *dir, int (*fn)(const struct claude_file *f, void *arg),
		     void (*unread)(const char *why, void *arg), void *arg, struct err *e)
{
	struct sessions s = {.fn = fn, .unread = unread, .arg = arg};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	int ret;

	fs_join(&path, str_of(dir), STR("projects"));
	if (path.full)
		ret = err_set(e, HF_ELIMIT, "%s: path too long", dir);
	else
		ret = fs_each(buf_cstr(&path), session_folder, &s, e);
	buf_release(&path);
	return ret;
}

int claude_each_session(const char *dir, const char *folder,
			int (*fn)(const struct claude_file *f, void *arg), void *arg,
			struct err *e)
{
	struct sessions s = {.fn = fn, .arg = arg, .folder = folder};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct stat st;
	int ret;

	if (!folder)
		return claude_each_told(dir, fn, NULL, arg, e);
	fs_join(&path, str_of(dir), STR("projects"));
	if (!*folder || *folder == '.' || strchr(folder, '/')) {
		ret = err_set(e, HF_ENOTFOUND, "%s: no project folder's name", folder);
		goto out;
	}
	buf_byte(&path, '/');
	buf_add(&path, str_of(folder));
	if (path.full || !lstat_as(buf_cstr(&path), S_IFDIR, &st)) {
		ret = err_set(e, HF_ENOTFOUND, "%s: no such folder", buf_cstr(&path));
		goto out;
	}
	ret = fs_each(buf_cstr(&path), session_file, &s, e);
out:
	buf_release(&path);
	return ret;
}

/* the name of a project folder */

static void encode_unit(struct buf *b, uint32_t unit, uint32_t *hash, size_t *units)
{
	/* the client's own hash: h = (h << 5) - h + unit, in 32 bits */
	*hash = (*hash << 5) - *hash + unit;
	if ((*units)++ < CLAUDE_NAME_UNITS)
		buf_byte(b, unit < 0x80 && str_is_alnum((char)unit) ? (char)unit : '-');
}

static void add_base36(struct buf *b, uint32_t v)
{
	char digit[8];
	size_t n = 0;

	do
		digit[n++] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
	while (v /= 36);
	while (n)
		buf_byte(b, digit[--n]);
}

void claude_encode(struct buf *b, str cwd)
{
	uint32_t hash = 0, cp;
	size_t units = 0;

	while (cwd.n) {
		size_t n = utf8_next(cwd, &cp);
		if (n == 0) {
			cp = 0xfffd;
			n = 1;
		}
		cwd = str_from(cwd, n);
		if (cp > 0xffff) {
			encode_unit(b, 0xd800 + ((cp - 0x10000) >> 10), &hash, &units);
			cp = 0xdc00 + ((cp - 0x10000) & 0x3ff);
		}
		encode_unit(b, cp, &hash, &units);
	}
	if (units > CLAUDE_NAME_UNITS) {
		buf_byte(b, '-');
		add_base36(b, hash & 0x80000000u ? 0u - hash : hash);
	}
}

/* small JSON files: the members we know, of one flat object */

struct member {
	const char *key;
	struct buf *
		out; /* string decoded, number as it stands; left alone if of another type */
};

static bool read_members(str text, const struct member *want, size_t n)
{
	struct json j;
	enum json_tok tok;

	json_init(&j, text);
	if (json_next(&j) != JSON_OBJ)
		return false;
	while ((tok = json_next(&j)) == JSON_KEY) {
		struct buf *out = NULL;

		for (size_t i = 0; i < n && !out; i++)
			if (json_is(&j, want[i].key))
				out = want[i].out;
		if (!out) {
			if (!json_skip(&j))
				return false;
			continue;
		}
		tok = json_next(&j);
		buf_reset(out);
		if (tok == JSON_STR)
			json_text(&j, out);
		else if (tok == JSON_NUM)
			buf_add(out, j.raw);
		else if ((tok == JSON_OBJ || tok == JSON_ARR) && !json_skip(&j))
			return false;
		else if (tok == JSON_BAD || tok == JSON_MORE)
			return false;
	}
	return tok == JSON_OBJ_END && json_next(&j) == JSON_END;
}

static bool read_file_members(const char *path, const struct member *want, size_t n)
{
	struct buf text = BUF_INIT(CLAUDE_SMALL_MAX);
	struct stat st;
	bool ok = lstat_as(path, S_IFREG, &st) && fs_read(path, &text, NULL) == 0 &&
		  read_members(buf_str(&text), want, n);

	buf_release(&text);
	return ok;
}

/* running clients */

static bool is_running(uint64_t pid, str start)
{
	struct proc p;
	uint64_t was;

	if (pid == 0 || pid > INT32_MAX)
		return false;
	if (kill((pid_t)pid, 0) != 0 && errno != EPERM)
		return false;
	/* without /proc, or from a client that writes no procStart, being there is all we know */
	if (!proc_stat((int64_t)pid, &p))
		return true;
	return !p.ended && (start.n == 0 || (str_u64(start, &was) && was == p.start));
}

struct running {
	str session;
	int64_t pid;
};

static int running_file(const char *dir, const char *name, void *arg)
{
	struct running *r = arg;
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct buf id = BUF_INIT(CLAUDE_SMALL_MAX), start = BUF_INIT(CLAUDE_SMALL_MAX),
		   pid = BUF_INIT(CLAUDE_SMALL_MAX);
	struct member want[] = {{"sessionId", &id}, {"procStart", &start}, {"pid", &pid}};
	uint64_t n = 0;

	if (str_ends(str_of(name), STR(".json"))) {
		fs_join(&path, str_of(dir), str_of(name));
		if (!path.full && read_file_members(buf_cstr(&path), want, 3) &&
		    str_eq(buf_str(&id), r->session) && str_u64(buf_str(&pid), &n) &&
		    is_running(n, buf_str(&start)))
			r->pid = (int64_t)n;
	}
	buf_release(&path);
	buf_release(&id);
	buf_release(&start);
	buf_release(&pid);
	return r->pid != 0;
}

int64_t claude_running(const char *dir, str session)
{
	struct running r = {.session = session};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);

	fs_join(&path, str_of(dir), STR("sessions"));
	if (!path.full && session.n)
		fs_each(buf_cstr(&path), running_file, &r, NULL);
	buf_release(&path);
	return r.pid;
}

/* tasks */

struct tasks {
	struct claude_task *t;
	size_t n, cap;
};

/* Room for one more of `size` bytes; out of memory ends the process, as everywhere. */
static void *grow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 16;
	p = reallocarray(p, *cap, size);
	if (!p)
		log_oom();
	return p;
}

static int task_file(const char *dir, const char *name, void *arg)
{
	struct tasks *all = arg;
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct buf text[4] = {BUF_INIT(CLAUDE_SMALL_MAX), BUF_INIT(CLAUDE_SMALL_MAX),
			      BUF_INIT(CLAUDE_SMALL_MAX), BUF_INIT(CLAUDE_SMALL_MAX)};
	struct member want[] = {{"id", &text[0]},
				{"subject", &text[1]},
				{"description", &text[2]},
				{"status", &text[3]}};
	str file = str_of(name);
	uint64_t number;

	if (!str_ends(file, STR(".json")) ||
	    !str_u64(str_head(file, file.n - 5), &number))
		return 0;
	fs_join(&path, str_of(dir), file);
	if (!path.full && all->n < CLAUDE_FILES_MAX &&
	    read_file_members(buf_cstr(&path), want, 4)) {
		if (text[0].n == 0) /* the file's name is the id */
			buf_add(&text[0], str_head(file, file.n - 5));
		all->t = grow(all->t, all->n, &all->cap, sizeof(*all->t));
		all->t[all->n++] =
			(struct claude_task){buf_take(&text[0]), buf_take(&text[1]),
					     buf_take(&text[2]), buf_take(&text[3])};
	}
	for (size_t i = 0; i < 4; i++)
		buf_release(&text[i]);
	buf_release(&path);
	return 0;
}

/* By number; ids that are none come last, in byte order. */
static int task_order(const void *a, const void *b)
{
	str x = str_of(((const struct claude_task *)a)->id);
	str y = str_of(((const struct claude_task *)b)->id);
	uint64_t m = UINT64_MAX, n = UINT64_MAX;

	str_u64(x, &m);
	str_u64(y, &n);
	if (m != n)
		return m < n ? -1 : 1;
	return str_cmp(x, y);
}

int claude_tasks(const char *dir, str session, struct claude_task **out, size_t *n,
		 struct err *e)
{
	struct tasks all = {0};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct err own = ERR_INIT;
	int ret = 0;

	*out = NULL;
	*n = 0;
	if (!id_ok(session))
		return err_set(e, HF_EFORMAT, "%.*s: not a session id", STR_ARG(session));
	fs_join(&path, str_of(dir), STR("tasks"));
	buf_byte(&path, '/');
	buf_add(&path, session);
	if (path.full)
		ret = err_set(e, HF_ELIMIT, "%s: path too long", dir);
	else
		ret = fs_each(buf_cstr(&path), task_file, &all, &own);
	if (ret == HF_ENOTFOUND)
		ret = 0; /* most sessions have none */
	else if (ret)
		err_set(e, ret, "%s", own.msg);
	if (ret) {
		claude_tasks_free(all.t, all.n);
	} else {
		if (all.n)
			qsort(all.t, all.n, sizeof(*all.t), task_order);
		*out = all.t;
		*n = all.n;
	}
	buf_release(&path);
	return ret;
}

void claude_tasks_free(struct claude_task *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(t[i].id);
		free(t[i].subject);
		free(t[i].description);
		free(t[i].status);
	}
	free(t);
}

/* sub-agent files */

struct agents {
	struct claude_agent_file *a;
	size_t n, cap;
	int depth;
};

static void add_agent(struct agents *all, const char *path, str name, uint64_t size)
{
	struct buf meta = BUF_INIT(CLAUDE_PATH_MAX);
	struct buf text[3] = {BUF_INIT(CLAUDE_SMALL_MAX), BUF_INIT(CLAUDE_SMALL_MAX),
			      BUF_INIT(CLAUDE_SMALL_MAX)};
	struct member want[] = {{"agentType", &text[0]},
				{"description", &text[1]},
				{"toolUseId", &text[2]}};
	struct claude_agent_file *a;

	buf_add(&meta, jsonl_stem(str_of(path)));
	buf_add(&meta, STR(".meta.json"));
	if (!meta.full && !read_file_members(buf_cstr(&meta), want, 3))
		for (size_t i = 0; i < 3; i++)
			buf_reset(&text[i]); /* half a file's fields are worth nothing */
	all->a = grow(all->a, all->n, &all->cap, sizeof(*all->a));
	a = &all->a[all->n++];
	a->path = str_dup(str_of(path));
	a->id = str_dup(str_from(jsonl_stem(name), strlen("agent-")));
	a->type = buf_take(&text[0]);
	a->description = buf_take(&text[1]);
	a->tool_use_id = buf_take(&text[2]);
	a->size = size;
	buf_release(&meta);
	for (size_t i = 0; i < 3; i++)
		buf_release(&text[i]);
}

static int agent_entry(const char *dir, const char *name, void *arg)
{
	struct agents *all = arg;
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct stat st;
	str file = str_of(name);

	fs_join(&path, str_of(dir), file);
	if (path.full || io.lstat(buf_cstr(&path), &st) != 0 ||
	    all->n >= CLAUDE_FILES_MAX)
		goto out;
	if (S_ISDIR(st.st_mode) && all->depth < CLAUDE_AGENT_DEPTH) {
		/* depth is capped by a constant, not by what is on the disk */
		all->depth++;
		fs_each(buf_cstr(&path), agent_entry, all, NULL);
		all->depth--;
	} else if (S_ISREG(st.st_mode) && str_starts(file, STR("agent-")) &&
		   jsonl_stem(file).n) {
		add_agent(all, buf_cstr(&path), file, (uint64_t)st.st_size);
	}
out:
	buf_release(&path);
	return 0;
}

/* The session's own folder: its path without the extension. */
static bool own_folder(const char *session_path, struct buf *out)
{
	buf_add(out, jsonl_stem(str_of(session_path)));
	return out->n && !out->full && out->p[out->n - 1] != '/';
}

int claude_agents(const char *session_path, struct claude_agent_file **out, size_t *n,
		  struct err *e)
{
	struct agents all = {.depth = 1};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	struct err own = ERR_INIT;
	struct stat st;
	int ret = 0;

	*out = NULL;
	*n = 0;
	if (!own_folder(session_path, &path))
		goto out;
	buf_add(&path, STR("/subagents"));
	if (path.full || !lstat_as(buf_cstr(&path), S_IFDIR, &st))
		goto out;
	ret = fs_each(buf_cstr(&path), agent_entry, &all, &own);
	if (ret == HF_ENOTFOUND)
		ret = 0;
	else if (ret)
		err_set(e, ret, "%s", own.msg);
	if (ret) {
		claude_agents_free(all.a, all.n);
	} else {
		*out = all.a;
		*n = all.n;
	}
out:
	buf_release(&path);
	return ret;
}

void claude_agents_free(struct claude_agent_file *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(a[i].path);
		free(a[i].id);
		free(a[i].type);
		free(a[i].description);
		free(a[i].tool_use_id);
	}
	free(a);
}

/* files that a transcript names */

/*
 * The part of `named` below the session's own folder, or empty. A transcript that was moved
 * (another machine, another user) still names its old place, so that everything up to
 * "/<project folder>/<session>/" may differ: what is opened lies below our own folder in
 * any case.
 */
static str below_own(str own, str named)
{
	size_t slash = str_rchr(own, '/');
	str tail = own;

	if (str_starts(named, own) && named.n > own.n && named.p[own.n] == '/')
		return str_from(named, own.n + 1);
	if (slash == STR_NPOS || slash == 0)
		return STR_NONE;
	slash = str_rchr(str_head(own, slash), '/');
	if (slash != STR_NPOS)
		tail = str_from(own, slash); /* "/<project folder>/<session>" */
	size_t at = str_find(named, tail);
	if (at == STR_NPOS || at + tail.n >= named.n || named.p[at + tail.n] != '/')
		return STR_NONE;
	return str_from(named, at + tail.n + 1);
}

/* openat that never follows a link; ELOOP for one also where a folder is asked for. */
static int open_part(int dir, const char *name, int flags)
{
	struct stat st;
	int fd = openat(dir, name, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOTDIR) {
		bool link = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISLNK(st.st_mode);
		errno = link ? ELOOP : ENOTDIR;
	}
	return fd;
}

/* Open each part of rel below dir in turn, so that none of them is ever a link. */
static int open_below(const char *dir, str rel)
{
	int fd = open_part(AT_FDCWD, dir, O_DIRECTORY);
	str part;

	while (fd >= 0 && str_split(&rel, '/', &part)) {
		char name[256];
		int next;

		if (part.n == 0 || part.n >= sizeof(name) || memchr(part.p, 0, part.n) ||
		    str_eq(part, STR(".")) || str_eq(part, STR(".."))) {
			close(fd);
			errno = ELOOP; /* no plain way down: as bad as a link */
			return -1;
		}
		memcpy(name, part.p, part.n);
		name[part.n] = 0;
		next = open_part(fd, name, rel.n ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY);
		int saved = errno;
		close(fd);
		errno = saved;
		fd = next;
	}
	return fd;
}

int claude_own_file(const char *session_path, str named, struct buf *out, struct err *e)
{
	struct buf own = BUF_INIT(CLAUDE_PATH_MAX);
	struct stat st;
	int ret = 0, fd = -1;
	str rel;

	rel = own_folder(session_path, &own) ? below_own(buf_str(&own), named) : STR_NONE;
	if (rel.n == 0) {
		ret = err_set(e, HF_EFORMAT, "%.*s: outside the session's folder",
			      STR_ARG(str_head(named, 256)));
		goto out;
	}
	fd = open_below(buf_cstr(&own), rel);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		ret = err_set(e, HF_ENOTFOUND, "%.*s: no such file",
			      STR_ARG(str_head(named, 256)));
		goto out;
	}
	if (fd < 0 && errno == ELOOP) {
		ret = err_set(e, HF_EFORMAT, "%.*s: reached through a link",
			      STR_ARG(str_head(named, 256)));
		goto out;
	}
	if (fd < 0 || io.fstat(fd, &st) != 0) {
		ret = err_sys(e, "open %.*s", STR_ARG(str_head(named, 256)));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		ret = err_set(e, HF_EFORMAT, "%.*s: not a regular file",
			      STR_ARG(str_head(named, 256)));
		goto out;
	}
	for (uint64_t off = 0; out->n < out->max;) {
		size_t room = out->max - out->n;
		size_t want = room < CLAUDE_READ_BYTES ? room : CLAUDE_READ_BYTES;
		long got = fs_read_at(fd, off, want, out, e);

		if (got <= 0) {
			ret = (int)got;
			break;
		}
		off += (uint64_t)got;
	}
out:
	if (fd >= 0)
		io.close(fd);
	buf_release(&own);
	return ret;
}

/* typed prompts */

struct history {
	str session;
	int (*fn)(int64_t at, str project, str display, void *arg);
	void *arg;
	struct buf id, at, project, display;
};

static int history_line(struct history *h, str line)
{
	struct member want[] = {{"sessionId", &h->id},
				{"timestamp", &h->at},
				{"project", &h->project},
				{"display", &h->display}};
	int64_t at = 0;

	if (str_find(line, h->session) == STR_NPOS)
		return 0; /* most lines are other sessions': not worth parsing */
	for (size_t i = 0; i < 4; i++)
		buf_reset(want[i].out);
	if (!read_members(line, want, 4) || !str_eq(buf_str(&h->id), h->session))
		return 0;
	str_i64(buf_str(&h->at), &at);
	return h->fn(at, buf_str(&h->project), buf_str(&h->display), h->arg);
}

static int history_read(struct history *h, int fd, struct err *e)
{
	struct buf in = BUF_INIT(CLAUDE_LINE_MAX + CLAUDE_READ_BYTES);
	bool skipping = false; /* inside a line over the cap */
	uint64_t off = 0;
	long got;
	int ret = 0;

	while (!ret && (got = fs_read_at(fd, off, CLAUDE_READ_BYTES, &in, e)) > 0) {
		size_t from = 0, nl;

		off += (uint64_t)got;
		while (!ret &&
		       (nl = str_chr(str_from(buf_str(&in), from), '\n')) != STR_NPOS) {
			if (!skipping)
				ret = history_line(h, (str){in.p + from, nl});
			skipping = false;
			from += nl + 1;
		}
		memmove(in.p, in.p + from, in.n - from);
		buf_cut(&in, in.n - from);
		if (in.n > CLAUDE_LINE_MAX) {
			skipping = true;
			buf_reset(&in);
		}
	}
	if (!ret && got < 0)
		ret = (int)got;
	if (!ret && !skipping && in.n)
		ret = history_line(h,
				   buf_str(&in)); /* no newline yet: whole if it parses */
	buf_release(&in);
	return ret;
}

int claude_history(const char *dir, str session,
		   int (*fn)(int64_t at, str project, str display, void *arg), void *arg,
		   struct err *e)
{
	struct history h = {.session = session,
			    .fn = fn,
			    .arg = arg,
			    .id = BUF_INIT(CLAUDE_LINE_MAX),
			    .at = BUF_INIT(CLAUDE_LINE_MAX),
			    .project = BUF_INIT(CLAUDE_LINE_MAX),
			    .display = BUF_INIT(CLAUDE_LINE_MAX)};
	struct buf path = BUF_INIT(CLAUDE_PATH_MAX);
	int ret, fd = -1;

	if (!id_ok(session))
		return err_set(e, HF_EFORMAT, "%.*s: not a session id", STR_ARG(session));
	fs_join(&path, str_of(dir), STR("history.jsonl"));
	fd = ret = fs_open(buf_cstr(&path), NULL, e);
	if (fd >= 0) {
		ret = history_read(&h, fd, e);
		io.close(fd);
	}
	buf_release(&h.id);
	buf_release(&h.at);
	buf_release(&h.project);
	buf_release(&h.display);
	buf_release(&path);
	return ret;
}
