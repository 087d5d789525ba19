/*
 * How a repository is found, walking up from the directory:
 *
 *   DIR/.git is a folder with HEAD        the repository; DIR is its top level
 *   DIR/.git is a file "gitdir: PATH"     PATH relative to DIR. PATH/commondir exists: a
 *                                         linked worktree, and the common directory is that
 *                                         file's path relative to PATH. None: a submodule or
 *                                         a repository with a separate git directory
 *   DIR has HEAD, objects and refs        a bare repository
 *
 * The name of the project is the folder name of the main work tree: the parent of a common
 * directory called ".git" (or ".bare"); of a bare one its own name without ".git"; of a
 * submodule its own top level.
 */
#include "data/project.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/utf8.h"

#define GIT_FILE_MAX   4096u
#define GIT_CONFIG_MAX (256u << 10)
#define NAME_MAX_BYTES 200u
#define PARENTS_MAX    256

/* An owned copy of the real path, or NULL. */
static char *real(const char *path)
{
	return realpath(path, NULL);
}

static char *joined(str dir, str name)
{
	struct buf b = BUF_INIT(PATH_MAX);

	fs_join(&b, dir, name);
	return buf_take(&b);
}

static bool exists(str dir, str name)
{
	char *path = joined(dir, name);
	struct stat st;
	bool yes = io.stat(path, &st) == 0;

	free(path);
	return yes;
}

/* The first line of a small file, trimmed, as an owned string; NULL when there is none. */
static char *first_line(str dir, str name)
{
	char *path = joined(dir, name);
	struct buf b = BUF_INIT(GIT_FILE_MAX);
	char *line = NULL;
	str rest, l;

	if (fs_read(path, &b, NULL) == 0) {
		rest = buf_str(&b);
		if (str_line(&rest, &l) && str_trim(l).n)
			line = str_dup(str_trim(l));
	}
	buf_release(&b);
	free(path);
	return line;
}

/* path, taken relative to dir unless it is absolute, resolved; NULL when it leads nowhere. */
static char *resolve(str dir, const char *path)
{
	char *whole, *out;

	if (path[0] == '/')
		return real(path);
	whole = joined(dir, str_of(path));
	out = real(whole);
	free(whole);
	return out;
}

static str parent_of(str path)
{
	size_t cut = str_rchr(path, '/');

	if (cut == STR_NPOS)
		return STR_NONE;
	return str_head(path, cut ? cut : 1);
}

static bool is_bare(str dir)
{
	return exists(dir, STR("HEAD")) && exists(dir, STR("objects")) &&
	       exists(dir, STR("refs"));
}

/* What .git in dir says; fills p->top, common, linked, submodule. */
static bool read_dot_git(struct project *p, str dir)
{
	char *dot = joined(dir, STR(".git"));
	char *line = NULL, *gitdir = NULL, *rel = NULL;
	bool found = false;

	if (fs_is_dir(dot)) {
		if (!exists(str_of(dot), STR("HEAD")))
			goto out;
		gitdir = real(dot);
	} else {
		line = first_line(dir, STR(".git"));
		if (!line || !str_starts(str_of(line), STR("gitdir:")))
			goto out;
		rel = str_dup(str_trim(str_from(str_of(line), 7)));
		gitdir = resolve(dir, rel);
	}
	if (!gitdir)
		goto out;
	free(line);
	line = first_line(str_of(gitdir), STR("commondir"));
	if (line) {
		p->common = resolve(str_of(gitdir), line);
		p->linked = true;
		if (!p->common)
			goto out;
	} else {
		p->common = str_dup(str_of(gitdir));
		/* not its own .git folder: a submodule, or a separate git directory */
		p->submodule =
			rel && str_find(str_of(gitdir), STR("/modules/")) != STR_NPOS;
	}
	p->top = str_dup(dir);
	found = true;
out:
	free(line);
	free(gitdir);
	free(rel);
	free(dot);
	return found;
}

static void find_repository(struct project *p)
{
	str dir = str_of(p->dir);

	for (int i = 0; i < PARENTS_MAX && dir.n; i++) {
		if (read_dot_git(p, dir))
			return;
		if (is_bare(dir)) {
			p->common = str_dup(dir);
			p->bare = true;
			return;
		}
		if (dir.n == 1)
			return;
		dir = parent_of(dir);
	}
}

/* ---- git's configuration, as far as remotes go ---- */

/* The inside of the quotes of `[remote "name"]`, or STR_NONE. */
static str remote_section(str line)
{
	size_t open, close;

	if (!str_istarts(line, STR("[remote ")))
		return STR_NONE;
	open = str_chr(line, '"');
	close = str_rchr(line, '"');
	if (open == STR_NPOS || close <= open)
		return STR_NONE;
	return (str){line.p + open + 1, close - open - 1};
}

static str config_value(str line, str key)
{
	size_t eq = str_chr(line, '=');
	str value;

	if (eq == STR_NPOS || !str_ieq(str_trim(str_head(line, eq)), key))
		return STR_NONE;
	value = str_trim(str_from(line, eq + 1));
	if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"')
		value = (str){value.p + 1, value.n - 2};
	return value;
}

/* The URL of origin, else of the first remote by name; owned, or NULL. */
static char *remote_url(const char *common)
{
	char *path = joined(str_of(common), STR("config"));
	struct buf b = BUF_INIT(GIT_CONFIG_MAX);
	str rest, line, name = STR_NONE, best = STR_NONE, url = STR_NONE;
	char *out = NULL;

	if (fs_read(path, &b, NULL) < 0)
		goto out;
	rest = buf_str(&b);
	while (str_line(&rest, &line)) {
		str v;

		line = str_trim(line);
		if (line.n && line.p[0] == '[') {
			name = remote_section(line);
			continue;
		}
		v = config_value(line, STR("url"));
		if (!name.n || !v.n || str_eq(name, best))
			continue; /* of several URLs of one remote the first is fetched from */
		if (!best.n || str_eq(name, STR("origin")) ||
		    (!str_eq(best, STR("origin")) && str_cmp(name, best) < 0)) {
			best = name;
			url = v;
		}
	}
	if (url.n)
		out = str_dup(url);
out:
	buf_release(&b);
	free(path);
	return out;
}

static bool default_port(str scheme, str port)
{
	return (str_ieq(scheme, STR("ssh")) && str_eq(port, STR("22"))) ||
	       (str_ieq(scheme, STR("https")) && str_eq(port, STR("443"))) ||
	       (str_ieq(scheme, STR("http")) && str_eq(port, STR("80"))) ||
	       (str_ieq(scheme, STR("git")) && str_eq(port, STR("9418")));
}

static void add_lower(struct buf *b, str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_byte(b, str_lower(s.p[i]));
}

/* host[:port] without its user part, then the path. */
static void add_host_path(struct buf *b, str scheme, str host, str path)
{
	size_t at = str_rchr(host, '@'), colon;

	if (at != STR_NPOS)
		host = str_from(host, at + 1);
	colon = str_rchr(host, ':');
	if (colon != STR_NPOS && str_chr(str_from(host, colon), ']') == STR_NPOS &&
	    (default_port(scheme, str_from(host, colon + 1)) || colon + 1 == host.n))
		host = str_head(host, colon);
	add_lower(b, host);
	while (path.n && path.p[0] == '/')
		path = str_from(path, 1);
	if (path.n) {
		buf_byte(b, '/');
		buf_add(b, path);
	}
}

bool project_remote(struct buf *b, str url)
{
	size_t sep, colon, slash;
	str scheme = STR("ssh"), rest;

	url = str_trim(url);
	while (url.n > 1 && url.p[url.n - 1] == '/')
		url.n--;
	if (str_ends(url, STR(".git")) && url.n > 4)
		url.n -= url.p[url.n - 5] == '/' ? 5 : 4;
	if (!url.n)
		return false;
	sep = str_find(url, STR("://"));
	colon = str_chr(url, ':');
	slash = str_chr(url, '/');
	if (sep != STR_NPOS) {
		scheme = str_head(url, sep);
		rest = str_from(url, sep + 3);
		slash = str_chr(rest, '/');
		if (str_ieq(scheme, STR("file"))) {
			buf_add(b, STR("file"));
			buf_add(b, str_from(rest, slash == STR_NPOS ? rest.n : slash));
			return true;
		}
		add_host_path(b, scheme,
			      str_head(rest, slash == STR_NPOS ? rest.n : slash),
			      str_from(rest, slash == STR_NPOS ? rest.n : slash));
	} else if (colon != STR_NPOS && (slash == STR_NPOS || colon < slash) &&
		   colon > 1) {
		/* host:path as ssh reads it; one letter before the colon is a drive */
		add_host_path(b, scheme, str_head(url, colon), str_from(url, colon + 1));
	} else {
		buf_add(b, STR("file"));
		if (url.p[0] != '/')
			buf_byte(b, '/');
		buf_add(b, url);
	}
	return true;
}

/* The URL as configured, but for what stands before the '@' of its host. */
static char *without_user(const char *url)
{
	str u = str_of(url), rest;
	size_t sep = str_find(u, STR("://")), slash, at;
	struct buf b = BUF_INIT(GIT_FILE_MAX);

	if (sep == STR_NPOS)
		return str_dup(u);
	rest = str_from(u, sep + 3);
	slash = str_chr(rest, '/');
	at = str_rchr(str_head(rest, slash == STR_NPOS ? rest.n : slash), '@');
	buf_add(&b, str_head(u, sep + 3));
	buf_add(&b, at == STR_NPOS ? rest : str_from(rest, at + 1));
	return buf_take(&b);
}

/* ---- names ---- */

bool project_name_ok(str name)
{
	if (!name.n || name.n > NAME_MAX_BYTES || str_eq(name, STR(".")) ||
	    str_eq(name, STR("..")) || !utf8_valid(name))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20 ||
		    memchr("<>:\"/\\|?*", name.p[i], 9))
			return false;
	return true;
}

bool project_name_taken(str name)
{
	return str_ieq(name, STR("_records")) || str_ieq(name, STR("_packets")) ||
	       str_ieq(name, STR(".git")) || str_istarts(name, STR(".index.db"));
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || cp == 0xA0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200A) || cp == 0x202F || cp == 0x205F ||
	       cp == 0x3000;
}

/* U+FFFD stands for bytes that were none of a character, or for a NUL. */
static bool is_unseen(uint32_t cp)
{
	return utf8_unsafe(cp) || cp == 0xFFFD;
}

const char *project_name_bad(str name)
{
	bool blank = true;
	uint32_t cp;

	/* as handoff-mcp words it: without a reason */
	if (str_eq(name, STR(".")) || str_eq(name, STR("..")))
		return "";
	if (name.n > NAME_MAX_BYTES)
		return "over 200 bytes";
	if (!utf8_valid(name))
		return "not UTF-8";
	for (size_t at = 0; at < name.n; at += utf8_next(str_from(name, at), &cp)) {
		utf8_next(str_from(name, at), &cp);
		if (is_unseen(cp))
			return "control or invisible characters";
		blank = blank && is_blank(cp);
	}
	if (blank)
		return "blank";
	if (!project_name_ok(name))
		return "path separators not allowed";
	if (project_name_taken(name))
		return "the vault keeps something else there";
	return name.p[0] == '.' ? "a leading dot" : NULL;
}

static bool is_edge(char c)
{
	return c == '.' || c == '-';
}

/* A copy without what cannot be seen. */
static void add_seen(struct buf *b, str s)
{
	uint32_t cp;
	size_t n;

	for (; s.n; s = str_from(s, n)) {
		n = utf8_next(s, &cp);
		if (n && (cp < 0x20 || cp == 0x7F || !is_unseen(cp)))
			buf_add(b, str_head(s, n));
		n = n ? n : 1;
	}
}

void project_clean(struct buf *b, str folder)
{
	struct buf t = BUF_INIT(NAME_MAX_BYTES * 2);
	str s;

	add_seen(&t, utf8_head(folder, NAME_MAX_BYTES));
	for (size_t i = 0; i < t.n; i++) {
		char c = t.p[i];

		/* what cannot stand in a folder's name goes the way of white space */
		if (str_is_space(c) || (unsigned char)c < 0x20 || c == 0x7f ||
		    memchr("<>:\"/\\|?*", c, 9)) {
			t.p[i] = ' ';
		}
	}
	s = buf_str(&t);
	while (s.n && (is_edge(s.p[0]) || s.p[0] == ' '))
		s = str_from(s, 1);
	while (s.n && (is_edge(s.p[s.n - 1]) || s.p[s.n - 1] == ' '))
		s.n--;
	if (project_name_taken(s))
		s = str_from(s, 1);
	if (!s.n || project_name_bad(s))
		s = STR(PROJECT_NONE);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != ' ')
			buf_byte(b, s.p[i]);
		else if (s.p[i - 1] != ' ')
			buf_byte(b, '-');
	}
	buf_release(&t);
}

void project_suffixed(struct buf *b, str name, str id)
{
	buf_add(b, utf8_head(name, NAME_MAX_BYTES - 5));
	buf_printf(b, "-%04x", (unsigned)(str_hash(id) & 0xffff));
}

/* ---- putting it together ---- */

static bool same_path(const char *a, const char *b)
{
	char *r;
	bool same;

	if (!b || !*b)
		return false;
	r = real(b);
	same = r ? strcmp(a, r) == 0 : strcmp(a, b) == 0;
	free(r);
	return same;
}

/* Home, the root and the temporary roots are no projects. */
static bool is_nowhere(const char *dir)
{
	return strcmp(dir, "/") == 0 || same_path(dir, getenv("HOME")) ||
	       same_path(dir, "/tmp") || same_path(dir, "/var/tmp") ||
	       same_path(dir, getenv("TMPDIR"));
}

/* The folder that names the repository. */
static str repository_folder(const struct project *p)
{
	str common = str_of(p->common), base = str_basename(common);

	if (p->submodule && p->top)
		return str_basename(str_of(p->top));
	if (str_eq(base, STR(".git")) || str_eq(base, STR(".bare")))
		return str_basename(parent_of(common));
	if (!p->bare && !p->linked && p->top)
		return str_basename(str_of(p->top)); /* a separate git directory */
	if (str_ends(base, STR(".git")))
		base.n -= 4;
	return base;
}

static void forget_repository(struct project *p)
{
	free(p->top);
	free(p->common);
	p->top = p->common = NULL;
	p->linked = p->submodule = p->bare = false;
}

static char *prefixed(const char *prefix, const char *s)
{
	struct buf b = BUF_INIT(PATH_MAX + 16);

	buf_add(&b, str_of(prefix));
	buf_add(&b, str_of(s));
	return buf_take(&b);
}

/* id and alias of what was found; name where nobody gave one. */
static void identify(struct project *p, const struct project_options *o)
{
	struct buf b = BUF_INIT(PATH_MAX + 16);
	char *url = NULL;

	if (p->common) {
		url = remote_url(p->common);
		if (url)
			p->remote = without_user(url);
	}
	p->alias = prefixed("path:", p->common && !p->submodule ? p->common
				     : p->top                   ? p->top
								: p->dir);
	buf_add(&b, STR("remote:"));
	if (url && project_remote(&b, str_of(url)))
		p->id = buf_take(&b);
	else if (p->common && o && o->root_commit && *o->root_commit)
		p->id = prefixed("root:", o->root_commit);
	else
		p->id = str_dup(str_of(p->alias));
	buf_reset(&b);
	if (!p->name) {
		project_clean(&b, p->common ? repository_folder(p)
					    : str_basename(str_of(p->dir)));
		p->name = buf_take(&b);
		p->source = p->common ? PROJECT_BY_REPOSITORY : PROJECT_BY_DIRECTORY;
	}
	buf_release(&b);
	free(url);
}

static int given_name(struct project *p, const char *name, enum project_source source,
		      struct err *e)
{
	const char *bad = project_name_bad(str_of(name));

	if (bad)
		return err_set(e, HF_EUSAGE, "invalid project: '%s'%s%s%s", name,
			       bad[0] ? " (" : "", bad, bad[0] ? ")" : "");
	p->name = str_dup(str_of(name));
	p->source = source;
	return 0;
}

int project_of(struct project *p, const char *dir, const struct project_options *o,
	       struct err *e)
{
	const char *env = getenv("HANDOFF_PROJECT");
	int ret = 0;

	*p = (struct project){0};
	if (o && o->name && *o->name)
		ret = given_name(p, o->name, PROJECT_BY_CALLER, e);
	else if (env && *env)
		ret = given_name(p, env, PROJECT_BY_ENV, e);
	if (ret)
		return ret;
	if (dir && *dir)
		p->dir = real(dir);
	if (!p->dir)
		p->dir = str_dup(str_of(dir ? dir : ""));
	if (p->dir[0] == '/') {
		find_repository(p);
		if (p->common && is_nowhere(p->top ? p->top : p->common))
			forget_repository(p);
	}
	if (p->dir[0] != '/' || (!p->common && is_nowhere(p->dir))) {
		p->id = str_dup(STR(PROJECT_NONE));
		p->alias = str_dup(STR(PROJECT_NONE));
		if (!p->name) {
			p->name = str_dup(STR(PROJECT_NONE));
			p->source = PROJECT_BY_NOTHING;
		}
		return 0;
	}
	identify(p, o);
	return 0;
}

void project_release(struct project *p)
{
	free(p->name);
	free(p->id);
	free(p->alias);
	free(p->dir);
	free(p->top);
	free(p->common);
	free(p->remote);
	*p = (struct project){0};
}
