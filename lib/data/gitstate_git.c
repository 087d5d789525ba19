/*
 * gitstate_git: the git program, for repositories that libgit2 cannot read.
 *
 * A repository may come from anywhere, and its own config can make `git status` run things.
 * What could, and what is done about it:
 *   core.fsmonitor             a command: switched off (empty, which every git reads as off)
 *   filter.NAME.clean|process  run on files whose stat data differ: each that is configured
 *                              is set to nothing; a name that -c cannot express: refused
 *   submodules                 status runs git in each, with that one's config: not entered
 *   lazy fetch of a partial clone   would run remote helpers (ext::): no lazy fetch, no
 *                              protocol allowed, and renames by id only, which need no blob
 *   core.worktree              would have another folder walked: refused but in a submodule
 *   hooks, pager, external diff, signatures   status needs none; hooks and pager are off
 *   GIT_* of our caller        dropped, but for those that say where git and its config are
 *   a FIFO as a config file    git hangs: the deadline kills it
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"
#include "base/utf8.h"
#include "data/gitstate_impl.h"

#define OUTPUT_MAX_BYTES (16u << 20)
#define ERRORS_MAX_BYTES (16u << 10)
#define COMMIT_MAX_BYTES (1u << 20)
#define PACKED_MAX_BYTES (32u << 20)
#define REASON_MAX_BYTES 200
#define FILTERS_MAX      64
#define ARGS_MAX         (FILTERS_MAX * 6 + 48)
#define TIMEOUT_NS       60000000000ll /* when the caller set no deadline, or a later one */

extern char **environ;

/* --- running it --- */

/* git along PATH; relative folders there are passed over: they could be the work tree. */
static char *find_git(void)
{
	str path = str_of(getenv("PATH")), part;
	struct buf b = BUF_INIT(PATH_MAX);
	struct stat st;

	while (str_split(&path, ':', &part)) {
		if (part.n == 0 || part.p[0] != '/')
			continue;
		buf_reset(&b);
		fs_join(&b, part, STR("git"));
		if (!b.full && io.stat(buf_cstr(&b), &st) == 0 && S_ISREG(st.st_mode) &&
		    access(buf_cstr(&b), X_OK) == 0)
			return buf_take(&b);
	}
	buf_release(&b);
	return NULL;
}

static bool keep_variable(const char *v)
{
	static const char *const kept[] = {
		"GIT_EXEC_PATH=", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=",
		"GIT_CONFIG_NOSYSTEM=", "GIT_CEILING_DIRECTORIES="};
	size_t i;

	if (!str_starts(str_of(v), STR("GIT_")))
		return !str_starts(str_of(v), STR("LC_ALL="));
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (str_starts(str_of(v), str_of(kept[i])))
			return true;
	return false;
}

/* The array is malloc'ed, its strings are not. */
static char **make_environment(void)
{
	static char ours[][40] = {"LC_ALL=C",
				  "GIT_TERMINAL_PROMPT=0",
				  "GIT_OPTIONAL_LOCKS=0",
				  "GIT_NO_LAZY_FETCH=1",
				  "GIT_ALLOW_PROTOCOL=none",
				  "GIT_PAGER=cat",
				  "GIT_ASKPASS=/bin/false",
				  "GIT_SSH_COMMAND=/bin/false"};
	size_t count = sizeof(ours) / sizeof(ours[0]), n = 0, i;
	char **env;

	while (environ && environ[n])
		n++;
	env = calloc(n + count + 1, sizeof(*env));
	if (!env)
		log_oom();
	n = 0;
	for (i = 0; environ && environ[i]; i++)
		if (keep_variable(environ[i]))
			env[n++] = environ[i];
	for (i = 0; i < count; i++)
		env[n++] = ours[i];
	return env;
}

struct child {
	pid_t pid;
	int out, err;
};

/* Only calls that are safe between fork and exec. */
static void become_git(const char *git, char *const argv[], char *const env[], int out,
		       int err, unsigned seconds)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	/* the alarm outlives exec: should we be gone by then, it still ends */
	alarm(seconds);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		_exit(127);
	execve(git, argv, env);
	_exit(127);
}

static int spawn(struct child *c, const char *git, char *const argv[], int64_t left_ns,
		 struct err *e)
{
	int out[2], err[2];
	char **env;

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	if (pipe2(err, O_CLOEXEC) < 0) {
		err_sys(e, "pipe");
		io.close(out[0]);
		io.close(out[1]);
		return HF_EIO;
	}
	env = make_environment();
	c->pid = fork();
	if (c->pid == 0)
		become_git(git, argv, env, out[1], err[1],
			   (unsigned)(left_ns / 1000000000) + 2);
	free(env);
	io.close(out[1]);
	io.close(err[1]);
	c->out = out[0];
	c->err = err[0];
	if (c->pid < 0) {
		err_sys(e, "fork");
		io.close(c->out);
		io.close(c->err);
		return HF_EIO;
	}
	return 0;
}

/* Append what is there: 1, 0 at the end, HF_EIO. Past b's limit it is read and dropped. */
static int drain(int fd, struct buf *b)
{
	char piece[8192];
	ssize_t n = io.read(fd, piece, sizeof(piece));

	if (n > 0)
		buf_add(b, (str){piece, (size_t)n});
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : HF_EIO;
	return n > 0;
}

/* Read both streams to their end. HF_ETIME when the time is over first. */
static int collect(struct child *c, int64_t until_ns, struct buf *out, struct buf *err)
{
	struct pollfd p[2] = {{.fd = c->out, .events = POLLIN},
			      {.fd = c->err, .events = POLLIN}};
	struct buf *to[2] = {out, err};
	int n, i;

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int64_t left = until_ns - clock_mono_ns();

		if (left <= 0)
			return HF_ETIME;
		n = poll(p, 2, (int)(left / 1000000) + 1);
		if (n < 0 && errno != EINTR)
			return HF_EIO;
		if (n <= 0)
			continue;
		for (i = 0; i < 2; i++) {
			if (!p[i].revents)
				continue;
			n = drain(p[i].fd, to[i]);
			if (n < 0)
				return n;
			if (n == 0)
				p[i].fd = -1;
		}
	}
	return 0;
}

/* Exit status of git with these arguments, or HF_E*. */
static int run(const char *git, char *const argv[], int64_t until_ns, struct buf *out,
	       struct buf *err, struct err *e)
{
	int64_t left = until_ns - clock_mono_ns();
	struct child c = {.pid = -1, .out = -1, .err = -1};
	int ret, status = 0;

	if (left <= 0)
		return err_set(e, HF_ETIME, "no time left for git");
	ret = spawn(&c, git, argv, left, e);
	if (ret)
		return ret;
	ret = collect(&c, until_ns, out, err);
	if (ret) {
		/* its group has to exist before it can be killed as one */
		setpgid(c.pid, c.pid);
		kill(-c.pid, SIGKILL);
		kill(c.pid, SIGKILL);
	}
	io.close(c.out);
	io.close(c.err);
	while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ret == HF_ETIME)
		return err_set(e, HF_ETIME, "git took too long");
	if (ret)
		return err_set(e, ret, "git: its output cannot be read");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* --- arguments --- */

struct args {
	char *v[ARGS_MAX];
	size_t n;
};

static void arg(struct args *a, str s)
{
	if (a->n + 1 < ARGS_MAX)
		a->v[a->n++] = str_dup(s);
}

static void args_start(struct args *a, const char *dir)
{
	static const char *const fixed[] = {"git",
					    "--no-pager",
					    "--no-optional-locks",
					    "-c",
					    "core.fsmonitor=",
					    "-c",
					    "core.hooksPath=/dev/null",
					    "-c",
					    "core.pager=cat",
					    "-c",
					    "protocol.allow=never",
					    "-c",
					    "status.submoduleSummary=false"};
	size_t i;

	a->n = 0;
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		arg(a, str_of(fixed[i]));
	arg(a, STR("-C"));
	arg(a, str_of(dir));
}

static void args_release(struct args *a)
{
	while (a->n > 0)
		free(a->v[--a->n]);
}

/* "filter.NAME.clean" and so on become -c arguments that make NAME do nothing. */
static int silence_filters(struct args *a, str names, bool submodule, struct err *e)
{
	static const char *const keys[] = {"clean=", "process=", "required=false"};
	str key, name, last = STR_NONE;
	size_t count = 0, i;

	while (str_split(&names, '\0', &key)) {
		size_t dot = str_rchr(key, '.');

		if (str_eq(key, STR("core.worktree")) && !submodule)
			return err_set(e, HF_EFORMAT,
				       "files not looked at: core.worktree is set");
		if (!str_starts(key, STR("filter.")) || dot == STR_NPOS ||
		    dot < sizeof("filter."))
			continue;
		name = str_head(key, dot + 1);
		if (str_eq(name, last))
			continue;
		last = name;
		if (str_chr(name, '=') != STR_NPOS || ++count > FILTERS_MAX)
			return err_set(e, HF_EFORMAT,
				       "git not run: its filters cannot be switched off");
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			struct buf b = BUF_INIT(PATH_MAX);

			buf_add(&b, name);
			buf_add(&b, str_of(keys[i]));
			if (!b.full) {
				arg(a, STR("-c"));
				arg(a, buf_str(&b));
			}
			buf_release(&b);
		}
	}
	return 0;
}

/* What git complained about, on one line and without "fatal: ". */
static int git_refused(struct gitstate *g, str errors, struct err *e)
{
	struct buf b = BUF_INIT(ERRORS_MAX_BYTES);
	int ret;

	if (str_find(errors, STR("dubious ownership")) != STR_NPOS)
		g->kind = GITSTATE_UNSAFE;
	if (str_starts(errors, STR("fatal: ")))
		errors = str_from(errors, sizeof("fatal: ") - 1);
	utf8_show(&b, utf8_head(errors, REASON_MAX_BYTES), UTF8_ONELINE);
	ret = err_set(e, HF_EFORMAT,
		      b.n ? "git cannot read it: %s" : "git cannot read it%s",
		      buf_cstr(&b));
	buf_release(&b);
	return ret;
}

/* --- what it says --- */

static bool after(str line, const char *prefix, str *rest)
{
	if (!str_starts(line, str_of(prefix)))
		return false;
	*rest = str_from(line, strlen(prefix));
	return true;
}

static void parse_distance(struct gitstate *g, str v)
{
	str word;
	uint64_t n;

	while (str_word(&v, &word)) {
		if (!str_u64(str_from(word, 1), &n))
			continue;
		if (word.p[0] == '+')
			g->ahead = (size_t)n;
		else
			g->behind = (size_t)n;
	}
}

static void parse_header(struct gitstate *g, str line)
{
	str v;

	if (after(line, "# branch.oid ", &v)) {
		g->unborn = str_eq(v, STR("(initial)"));
		if (!g->unborn)
			g->head = str_dup(v);
	} else if (after(line, "# branch.head ", &v)) {
		g->detached = str_eq(v, STR("(detached)"));
		if (!g->detached)
			g->branch = str_dup(v);
	} else if (after(line, "# branch.upstream ", &v)) {
		g->upstream = str_dup(v);
		g->upstream_gone = true; /* until a distance is given */
	} else if (after(line, "# branch.ab ", &v)) {
		g->upstream_gone = false;
		parse_distance(g, v);
	}
}

/* The part of an entry behind n words. */
static str skip_words(str s, int n)
{
	while (n-- > 0) {
		size_t at = str_chr(s, ' ');

		s = at == STR_NPOS ? STR_NONE : str_from(s, at + 1);
	}
	return s;
}

static void parse_entry(struct gitstate_run *r, str line, str from)
{
	bool submodule = line.n > 5 && line.p[5] == 'S';
	char x, y;

	if (line.p[0] == '?') {
		gitstate_file_add(r, str_from(line, 2), STR_NONE, '?', '?', false);
		return;
	}
	if (line.n < 5)
		return;
	x = line.p[2] == '.' ? ' ' : line.p[2];
	y = line.p[3] == '.' ? ' ' : line.p[3];
	if (line.p[0] == '1')
		gitstate_file_add(r, skip_words(line, 8), STR_NONE, x, y, submodule);
	else if (line.p[0] == '2')
		gitstate_file_add(r, skip_words(line, 9), from, x, y, submodule);
	else
		gitstate_file_add(r, skip_words(line, 10), STR_NONE, x, y, submodule);
}

/* Three times over the output, since conflicts come first in our order and last in git's. */
static void parse_status(struct gitstate_run *r, str text)
{
	static const char *const order[] = {"u", "12", "?"};
	size_t pass;

	for (pass = 0; pass < sizeof(order) / sizeof(order[0]); pass++) {
		str rest = text, line, from;

		while (str_split(&rest, '\0', &line)) {
			from = STR_NONE;
			if (line.n && line.p[0] == '2')
				str_split(&rest, '\0', &from);
			if (line.n < 3)
				continue;
			if (pass == 0 && line.p[0] == '#')
				parse_header(r->g, line);
			else if (strchr(order[pass], line.p[0]))
				parse_entry(r, line, from);
		}
	}
}

/* A raw commit: header lines, a blank line, the message. */
static void parse_commit(struct gitstate *g, str text)
{
	struct buf subject = BUF_INIT(COMMIT_MAX_BYTES);
	str line;
	int64_t at;

	while (str_line(&text, &line) && line.n) {
		str rest, sec;
		size_t end;

		if (!after(line, "committer ", &rest))
			continue;
		end = str_rchr(rest, '>');
		rest = end == STR_NPOS ? STR_NONE : str_from(rest, end + 1);
		if (str_word(&rest, &sec) && str_i64(sec, &at) && at > INT64_MIN / 1000 &&
		    at < INT64_MAX / 1000)
			g->head_at = at * 1000;
	}
	/* the subject is the first paragraph on one line */
	while (str_line(&text, &line)) {
		line = str_trim(line);
		if (line.n == 0 && subject.n > 0)
			break;
		if (line.n && subject.n)
			buf_byte(&subject, ' ');
		buf_add(&subject, line);
	}
	free(g->subject);
	g->subject = buf_take(&subject);
}

/* Names of the settings that matter here, each ended by a NUL. */
static int git_config_names(struct gitstate_run *r, const char *git, const char *dir,
			    int64_t until_ns, struct buf *out, struct err *e)
{
	struct buf errors = BUF_INIT(ERRORS_MAX_BYTES);
	struct args a = {.n = 0};
	int ret;

	args_start(&a, dir);
	arg(&a, STR("config"));
	arg(&a, STR("--includes"));
	arg(&a, STR("-z"));
	arg(&a, STR("--name-only"));
	arg(&a, STR("--get-regexp"));
	arg(&a, STR("^(filter[.]|core[.]worktree$|extensions[.]partialclone$)"));
	ret = run(git, a.v, until_ns, out, &errors, e);
	/* 1: nothing is set. A list cut at our limit is no list. */
	if (ret == 1)
		ret = 0;
	else if (ret > 0)
		ret = git_refused(r->g, buf_str(&errors), e);
	else if (ret == 0 && out->full)
		ret = err_set(e, HF_ELIMIT,
			      "git not run: too many filters are configured");
	buf_release(&errors);
	args_release(&a);
	return ret;
}

/* A submodule's git directory lies in its superproject's, and its config names the work tree. */
static bool is_submodule(const struct gitstate *g)
{
	return g->common &&
	       str_find(str_of(g->common), STR("/.git/modules/")) != STR_NPOS;
}

static int git_status(struct gitstate_run *r, const char *git, const char *dir,
		      str config, int64_t until_ns, struct err *e)
{
	struct buf out = BUF_INIT(OUTPUT_MAX_BYTES), errors = BUF_INIT(ERRORS_MAX_BYTES);
	struct args a = {.n = 0};
	int ret;

	args_start(&a, dir);
	ret = silence_filters(&a, config, is_submodule(r->g), e);
	if (ret)
		goto out;
	arg(&a, STR("status"));
	arg(&a, STR("--porcelain=v2"));
	arg(&a, STR("--branch"));
	arg(&a, STR("-z"));
	arg(&a, STR("--ignore-submodules=dirty"));
	/* comparing content would ask for blobs that are not here */
	if (str_find(config, STR("extensions.partialclone")) != STR_NPOS)
		arg(&a, STR("--find-renames=100%"));
	if (r->untracked_files)
		arg(&a, STR("--untracked-files=all"));
	ret = run(git, a.v, until_ns, &out, &errors, e);
	if (ret > 0)
		ret = git_refused(r->g, buf_str(&errors), e);
	if (ret < 0)
		goto out;
	parse_status(r, buf_str(&out));
	if (out.full) {
		r->g->partial = true;
		gitstate_say(r->g, "more files differ than fit: the list is cut");
	}
out:
	args_release(&a);
	buf_release(&out);
	buf_release(&errors);
	return ret;
}

static void git_subject(struct gitstate *g, const char *git, const char *dir,
			int64_t until_ns)
{
	struct buf out = BUF_INIT(COMMIT_MAX_BYTES), errors = BUF_INIT(ERRORS_MAX_BYTES);
	struct args a = {.n = 0};

	args_start(&a, dir);
	arg(&a, STR("cat-file"));
	arg(&a, STR("commit"));
	arg(&a, STR("HEAD"));
	if (run(git, a.v, until_ns, &out, &errors, NULL) == 0)
		parse_commit(g, buf_str(&out));
	args_release(&a);
	buf_release(&out);
	buf_release(&errors);
}

int gitstate_git(struct gitstate_run *r, const char *dir, struct err *e)
{
	int64_t until = clock_mono_ns() + TIMEOUT_NS;
	struct buf config = BUF_INIT(ERRORS_MAX_BYTES);
	char *git = find_git();
	int ret;

	if (r->deadline_ns && r->deadline_ns < until)
		until = r->deadline_ns;
	if (!git)
		return err_set(e, HF_ENOTFOUND,
			       "files not looked at: there is no git program");
	ret = git_config_names(r, git, dir, until, &config, e);
	if (ret == 0)
		ret = git_status(r, git, dir, buf_str(&config), until, e);
	if (ret == 0 && !r->g->unborn)
		git_subject(r->g, git, dir, until);
	if (ret == 0 && r->g->top) {
		struct buf b = BUF_INIT(PATH_MAX);

		fs_join(&b, str_of(r->g->top), STR(".gitmodules"));
		if (fs_is_file(buf_cstr(&b)))
			gitstate_say(r->g, "changes inside submodules not looked at");
		buf_release(&b);
	}
	buf_release(&config);
	free(git);
	return ret;
}

/* --- without any help --- */

/* `id SP name` lines; NULL when name is not among them. */
static char *packed_ref(const char *commondir, str name)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(PACKED_MAX_BYTES);
	char *id = NULL;
	str rest, line;

	fs_join(&path, str_of(commondir), STR("packed-refs"));
	if (!path.full && fs_read(buf_cstr(&path), &text, NULL) >= 0) {
		rest = buf_str(&text);
		while (!id && str_line(&rest, &line)) {
			size_t space = str_chr(line, ' ');

			if (space != STR_NPOS && str_eq(str_from(line, space + 1), name))
				id = str_dup(str_head(line, space));
		}
	}
	buf_release(&text);
	buf_release(&path);
	return id;
}

/* 40 or 64 hexadecimal digits. */
static bool is_id(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return s[n] == '\0' && (n == 40 || n == 64);
}

/* A ref's name comes from a file: it must stay below the git directory. */
static bool ref_is_safe(str ref)
{
	str part;

	if (!str_starts(ref, STR("refs/")))
		return false;
	while (str_split(&ref, '/', &part))
		if (part.n == 0 || part.p[0] == '.')
			return false;
	return true;
}

/* The full name of the ref that HEAD holds, or NULL. */
static char *head_ref(const struct gitstate_place *p)
{
	char *line = gitstate_line(p->gitdir, "HEAD"), *out = NULL;
	str ref;

	/* a reftable's HEAD is "ref: refs/heads/.invalid" on purpose */
	if (line && after(str_of(line), "ref:", &ref) && ref_is_safe(str_trim(ref)))
		out = str_dup(str_trim(ref));
	free(line);
	return out;
}

static char *short_name(const char *ref)
{
	str s = str_of(ref);

	return str_dup(str_starts(s, STR("refs/heads/"))
			       ? str_from(s, sizeof("refs/heads/") - 1)
			       : s);
}

void gitstate_head_name(struct gitstate *g, const struct gitstate_place *p)
{
	char *ref = head_ref(p);

	if (ref && !g->detached) {
		free(g->branch);
		g->branch = short_name(ref);
	}
	free(ref);
}

void gitstate_direct(struct gitstate *g, const struct gitstate_place *p)
{
	char *line = gitstate_line(p->gitdir, "HEAD"), *ref = head_ref(p);

	g->kind = GITSTATE_REPO;
	if (line && is_id(line)) {
		g->detached = true;
		g->head = line;
		return;
	}
	free(line);
	if (!ref) {
		g->kind = GITSTATE_FAILED;
		return;
	}
	g->branch = short_name(ref);
	g->head = gitstate_line(p->commondir, ref);
	if (!g->head)
		g->head = packed_ref(p->commondir, str_of(ref));
	if (g->head && !is_id(g->head)) {
		free(g->head);
		g->head = NULL;
	}
	/* without an id there is no commit yet, as far as files can tell */
	g->unborn = g->head == NULL;
	free(ref);
}
