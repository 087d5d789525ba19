/*
 * The file of a session is one JSON object; see docs/formats.md, "Journal". It is written
 * without fsync: after a power cut the worst is a missing entry, and then the transcript
 * decides how the session ended, as it does for sessions that never had one.
 */
#include "data/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/proc.h"
#include "data/json.h"
#include "data/jsondoc.h"

#define FOLDER    "journal"
#define DONE      "journal/done"
#define SMALL_MAX 256u

static const char *const STATE[] = {
	[JOURNAL_OPEN] = "open",           [JOURNAL_ENDED] = "ended",
	[JOURNAL_FORKED] = "forked",       [JOURNAL_SWITCHED] = "switched",
	[JOURNAL_RECOVERED] = "recovered",
};
#define STATES (sizeof(STATE) / sizeof(STATE[0]))

/* The members that are strings, integers and flags, by name: one table reads and writes. */
static const struct {
	const char *key;
	size_t at;
} TEXT[] =
	{
		{"transcript", offsetof(struct journal, transcript)},
		{"dir", offsetof(struct journal, dir)},
		{"project", offsetof(struct journal, project)},
		{"project_id", offsetof(struct journal, project_id)},
		{"worktree", offsetof(struct journal, worktree)},
		{"source", offsetof(struct journal, source)},
		{"reason", offsetof(struct journal, reason)},
		{"failure", offsetof(struct journal, failure)},
		{"last_message", offsetof(struct journal, last_message)},
		{"previous", offsetof(struct journal, previous)},
		{"document", offsetof(struct journal, document)},
		{"claimed", offsetof(struct journal, claimed)},
		{"vault", offsetof(struct journal, vault)},
},
  LIST[] =
	  {
		  {"offered", offsetof(struct journal, offered)},
		  {"shown", offsetof(struct journal, shown)},
		  {"agents", offsetof(struct journal, agents)},
},
  NUMBER[] =
	  {
		  {"started_at", offsetof(struct journal, started_at)},
		  {"last_event_at", offsetof(struct journal, last_event_at)},
		  {"ended_at", offsetof(struct journal, ended_at)},
		  {"said_at", offsetof(struct journal, said_at)},
		  {"offset", offsetof(struct journal, offset)},
		  {"records", offsetof(struct journal, records)},
		  {"derived", offsetof(struct journal, derived)},
		  {"ino", offsetof(struct journal, ino)},
},
  FLAG[] = {
	  {"headless", offsetof(struct journal, headless)},
	  {"worked", offsetof(struct journal, worked)},
	  {"manual", offsetof(struct journal, manual)},
	  {"noticed", offsetof(struct journal, noticed)},
	  {"compacting", offsetof(struct journal, compacting)},
	  {"prompted", offsetof(struct journal, prompted)},
};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static char **text_of(struct journal *j, size_t i)
{
	return (char **)((char *)j + TEXT[i].at);
}

static char **list_of(struct journal *j, size_t i)
{
	return (char **)((char *)j + LIST[i].at);
}

static int64_t *number_of(struct journal *j, size_t i)
{
	return (int64_t *)((char *)j + NUMBER[i].at);
}

static bool *flag_of(struct journal *j, size_t i)
{
	return (bool *)((char *)j + FLAG[i].at);
}

bool journal_id_ok(str s)
{
	if (!s.n || s.n > JOURNAL_ID_MAX || s.p[0] == '.')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!str_is_alnum(s.p[i]) && !memchr("._-", s.p[i], 3))
			return false;
	return true;
}

void journal_set(char **field, str value)
{
	char *copy = value.n ? str_dup(value) : NULL;

	free(*field);
	*field = copy;
}

bool journal_list_has(char *const list[JOURNAL_LIST_MAX], str name)
{
	for (size_t i = 0; i < JOURNAL_LIST_MAX && list[i]; i++)
		if (str_eq(str_of(list[i]), name))
			return true;
	return false;
}

void journal_list_add(char *list[JOURNAL_LIST_MAX], str name)
{
	if (!name.n || journal_list_has(list, name))
		return;
	free(list[JOURNAL_LIST_MAX - 1]);
	memmove(&list[1], &list[0], (JOURNAL_LIST_MAX - 1) * sizeof(list[0]));
	list[0] = str_dup(name);
}

void journal_list_clear(char *list[JOURNAL_LIST_MAX])
{
	for (size_t i = 0; i < JOURNAL_LIST_MAX; i++) {
		free(list[i]);
		list[i] = NULL;
	}
}

/* ---- reading and writing ---- */

static void read_process(struct journal_process *p, const struct jsonval *v)
{
	str boot = jsondoc_str(jsondoc_get(v, "boot")),
	    host = jsondoc_str(jsondoc_get(v, "host"));

	p->pid = jsondoc_int(jsondoc_get(v, "pid"), 0);
	p->start = (uint64_t)jsondoc_int(jsondoc_get(v, "start"), 0);
	p->pidns = (uint64_t)jsondoc_int(jsondoc_get(v, "pidns"), 0);
	snprintf(p->boot, sizeof(p->boot), "%.*s", STR_ARG(boot));
	snprintf(p->host, sizeof(p->host), "%.*s", STR_ARG(host));
}

static void read_list(char *list[JOURNAL_LIST_MAX], const struct jsonval *v)
{
	size_t n = 0;

	for (v = jsondoc_first(v); v && n < JOURNAL_LIST_MAX; v = jsondoc_next(v))
		if (jsondoc_str(v).n)
			list[n++] = str_dup(jsondoc_str(v));
}

static void read_fields(struct journal *j, const struct jsonval *v)
{
	str state = jsondoc_str(jsondoc_get(v, "state"));

	for (size_t i = 0; i < STATES; i++)
		if (str_eq(state, str_of(STATE[i])))
			j->state = (enum journal_state)i;
	read_process(&j->process, jsondoc_get(v, "process"));
	for (size_t i = 0; i < COUNT(TEXT); i++)
		journal_set(text_of(j, i), jsondoc_str(jsondoc_get(v, TEXT[i].key)));
	for (size_t i = 0; i < COUNT(LIST); i++)
		read_list(list_of(j, i), jsondoc_get(v, LIST[i].key));
	for (size_t i = 0; i < COUNT(NUMBER); i++)
		*number_of(j, i) =
			jsondoc_int(jsondoc_get(v, NUMBER[i].key), *number_of(j, i));
	for (size_t i = 0; i < COUNT(FLAG); i++)
		*flag_of(j, i) = jsondoc_bool(jsondoc_get(v, FLAG[i].key), false);
}

/* A journal with what the file holds; is_new when there is none, or none that can be read. */
static struct journal *load(char *path, str session)
{
	struct buf b = BUF_INIT(JOURNAL_FILE_MAX);
	struct journal *j = calloc(1, sizeof(*j));
	struct jsondoc *d = NULL;

	if (!j)
		log_oom();
	j->path = path;
	memcpy(j->session, session.p, session.n);
	j->started_at = j->last_event_at = j->ended_at = j->said_at = CLOCK_NONE;
	if (fs_read(path, &b, NULL) == 0)
		d = jsondoc_parse(buf_str(&b), JOURNAL_FILE_MAX, NULL);
	if (d && jsondoc_is_obj(jsondoc_root(d))) {
		read_fields(j, jsondoc_root(d));
		j->saved = str_hash(buf_str(&b));
	} else {
		j->is_new = true;
	}
	jsondoc_free(d);
	buf_release(&b);
	return j;
}

static char *file_path(const char *state_dir, const char *folder, str name)
{
	struct buf b = BUF_INIT(PATH_MAX);

	fs_join(&b, str_of(state_dir), str_of(folder));
	buf_byte(&b, '/');
	buf_add(&b, name);
	buf_add(&b, STR(".json"));
	return buf_take(&b);
}

struct journal *journal_open(const char *state_dir, str session, struct err *e)
{
	struct journal *j, *done;

	if (!journal_id_ok(session)) {
		err_set(e, HF_EUSAGE, "not a session id: %.*s",
			STR_ARG(str_head(session, 80)));
		return NULL;
	}
	j = load(file_path(state_dir, FOLDER, session), session);
	if (!j->is_new)
		return j;
	done = load(file_path(state_dir, DONE, session), session);
	if (done->is_new) {
		journal_free(done);
		return j;
	}
	journal_free(j);
	done->done = true;
	return done;
}

static void add_text(struct buf *b, const char *key, const char *value)
{
	if (!value)
		return;
	json_add_key(b, key);
	json_add_str(b, str_of(value));
}

static void add_number(struct buf *b, const char *key, int64_t v)
{
	json_add_key(b, key);
	buf_printf(b, "%lld", (long long)v);
}

static void write_fields(struct journal *j, struct buf *b)
{
	buf_byte(b, '{');
	add_text(b, "session", j->session);
	add_text(b, "state", STATE[j->state]);
	json_add_key(b, "process");
	buf_byte(b, '{');
	add_number(b, "pid", j->process.pid);
	add_number(b, "start", (int64_t)j->process.start);
	add_number(b, "pidns", (int64_t)j->process.pidns);
	add_text(b, "boot", j->process.boot);
	add_text(b, "host", j->process.host);
	buf_byte(b, '}');
	for (size_t i = 0; i < COUNT(TEXT); i++)
		add_text(b, TEXT[i].key, *text_of(j, i));
	for (size_t i = 0; i < COUNT(NUMBER); i++)
		if (*number_of(j, i) != CLOCK_NONE)
			add_number(b, NUMBER[i].key, *number_of(j, i));
	for (size_t i = 0; i < COUNT(FLAG); i++) {
		json_add_key(b, FLAG[i].key);
		buf_add(b, *flag_of(j, i) ? STR("true") : STR("false"));
	}
	for (size_t i = 0; i < COUNT(LIST); i++) {
		char **list = list_of(j, i);

		json_add_key(b, LIST[i].key);
		buf_byte(b, '[');
		for (size_t k = 0; k < JOURNAL_LIST_MAX && list[k]; k++) {
			json_add_sep(b);
			json_add_str(b, str_of(list[k]));
		}
		buf_byte(b, ']');
	}
	buf_add(b, STR("}\n"));
}

/* Where its file is to lie: beside where it lies now, or in the other folder. */
static char *target_path(const struct journal *j)
{
	str path = str_of(j->path), name = str_basename(path);
	str dir = str_head(path, path.n - name.n);
	struct buf b = BUF_INIT(PATH_MAX);

	if (str_ends(dir, STR(DONE "/")))
		dir.n -= sizeof(DONE) - sizeof(FOLDER);
	buf_add(&b, dir);
	if (j->done)
		buf_add(&b, STR("done/"));
	buf_add(&b, name);
	return buf_take(&b);
}

/* A session is in both folders for a moment at most: the new file stands before the old one goes. */
static int put(struct journal *j, str text, struct err *e)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	char *path = target_path(j);
	uint64_t hash = str_hash(text);
	int ret;

	if (!j->is_new && hash == j->saved && strcmp(path, j->path) == 0) {
		free(path);
		return 0;
	}
	buf_add(&dir, str_head(str_of(path), str_rchr(str_of(path), '/')));
	ret = fs_is_dir(buf_cstr(&dir)) ? 0 : fs_mkdirs(buf_cstr(&dir), 0700, e);
	buf_release(&dir);
	if (!ret)
		ret = fs_write_quick(path, text, 0600, e);
	if (ret) {
		free(path);
		return ret;
	}
	if (strcmp(path, j->path) && io.unlink(j->path) < 0 && errno != ENOENT)
		ret = err_sys(e, "%s: unlink", j->path);
	free(j->path);
	j->path = path;
	j->saved = hash;
	j->is_new = false;
	return ret;
}

int journal_save(struct journal *j, struct err *e)
{
	struct buf b = BUF_INIT(JOURNAL_FILE_MAX);
	int ret;

	write_fields(j, &b);
	if (b.full)
		ret = err_set(e, HF_ELIMIT, "%s: over %u bytes", j->path,
			      JOURNAL_FILE_MAX);
	else
		ret = put(j, buf_str(&b), e);
	buf_release(&b);
	return ret;
}

int journal_retire(struct journal *j, struct err *e)
{
	j->done = true;
	return journal_save(j, e);
}

int journal_remove(struct journal *j, struct err *e)
{
	if (io.unlink(j->path) < 0 && errno != ENOENT)
		return err_sys(e, "%s: unlink", j->path);
	j->is_new = true;
	return 0;
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < COUNT(TEXT); i++)
		free(*text_of(j, i));
	for (size_t i = 0; i < COUNT(LIST); i++)
		journal_list_clear(list_of(j, i));
	free(j->path);
	free(j);
}

struct each {
	const char *state_dir, *folder;
	int (*fn)(struct journal *j, void *arg);
	void *arg;
};

static int each_file(const char *dir, const char *name, void *arg)
{
	struct each *each = arg;
	str id = str_of(name);
	struct journal *j;
	int ret = 0;

	(void)dir;
	if (!str_ends(id, STR(".json")))
		return 0;
	id.n -= 5;
	if (!journal_id_ok(id))
		return 0;
	j = load(file_path(each->state_dir, each->folder, id), id);
	j->done = each->folder[sizeof(FOLDER) - 1] != '\0';
	if (!j->is_new)
		ret = each->fn(j, each->arg);
	journal_free(j);
	return ret;
}

static int each_in(const char *state_dir, const char *folder,
		   int (*fn)(struct journal *j, void *arg), void *arg, struct err *e)
{
	struct each each = {state_dir, folder, fn, arg};
	struct buf dir = BUF_INIT(PATH_MAX);
	int ret = 0;

	fs_join(&dir, str_of(state_dir), str_of(folder));
	if (fs_is_dir(buf_cstr(&dir)))
		ret = fs_each(buf_cstr(&dir), each_file, &each, e);
	buf_release(&dir);
	return ret;
}

int journal_each(const char *state_dir, int (*fn)(struct journal *j, void *arg),
		 void *arg, struct err *e)
{
	return each_in(state_dir, FOLDER, fn, arg, e);
}

int journal_each_done(const char *state_dir, int (*fn)(struct journal *j, void *arg),
		      void *arg, struct err *e)
{
	return each_in(state_dir, DONE, fn, arg, e);
}

/* ---- processes ---- */

static void small_file(const char *path, char *out, size_t size)
{
	char text[SMALL_MAX];
	int fd = io.open(path, O_RDONLY | O_CLOEXEC, 0);
	ssize_t got = fd < 0 ? -1 : io.read(fd, text, sizeof(text));

	if (fd >= 0)
		io.close(fd);
	snprintf(out, size, "%.*s",
		 STR_ARG(str_trim((str){text, got > 0 ? (size_t)got : 0})));
}

void journal_process_of(struct journal_process *p, int64_t pid)
{
	struct proc proc;
	struct stat st;

	*p = (struct journal_process){.pid = pid};
	p->start = proc_stat(pid, &proc) && !proc.ended ? proc.start : 0;
	small_file("/proc/sys/kernel/random/boot_id", p->boot, sizeof(p->boot));
	if (gethostname(p->host, sizeof(p->host) - 1) < 0)
		p->host[0] = '\0';
	if (io.stat("/proc/self/ns/pid", &st) == 0)
		p->pidns = st.st_ino;
}

enum journal_alive journal_alive(const struct journal_process *p)
{
	struct journal_process now;

	if (p->pid <= 0)
		return JOURNAL_UNKNOWN;
	journal_process_of(&now, p->pid);
	if (strcmp(p->host, now.host))
		return JOURNAL_UNKNOWN;
	if (p->boot[0] && now.boot[0] && strcmp(p->boot, now.boot))
		return JOURNAL_GONE;
	if (p->pidns != now.pidns)
		return JOURNAL_UNKNOWN;
	if (!now.start && !p->start) /* no /proc here: ask for the process alone */
		return access("/proc/self/stat", F_OK) == 0 ? JOURNAL_GONE
							    : JOURNAL_UNKNOWN;
	return now.start == p->start ? JOURNAL_ALIVE : JOURNAL_GONE;
}

struct running {
	struct journal_process now;
	char session[JOURNAL_ID_MAX + 1];
	int64_t at;
};

static int note_running(struct journal *j, void *arg)
{
	struct running *r = arg;
	const struct journal_process *p = &j->process;

	if (j->state != JOURNAL_OPEN || p->pid != r->now.pid ||
	    p->start != r->now.start || p->pidns != r->now.pidns ||
	    strcmp(p->boot, r->now.boot) || strcmp(p->host, r->now.host))
		return 0;
	if (!r->session[0] || j->last_event_at > r->at) {
		snprintf(r->session, sizeof(r->session), "%s", j->session);
		r->at = j->last_event_at;
	}
	return 0;
}

struct journal *journal_running(const char *state_dir, int64_t pid)
{
	struct running r = {0};
	struct journal *j;

	if (pid <= 1 || !state_dir[0])
		return NULL;
	journal_process_of(&r.now, pid);
	journal_each(state_dir, note_running, &r, NULL);
	if (!r.session[0])
		return NULL;
	j = journal_open(state_dir, str_of(r.session), NULL);
	if (j && j->is_new) { /* gone in between */
		journal_free(j);
		j = NULL;
	}
	return j;
}
