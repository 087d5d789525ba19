/*
 * A record is one line: "session", or "process PID START BOOT PIDNS HOST", or the same with
 * "terminal": struct journal_process of who keeps the session alive.
 */
#include "work/running.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/journal.h"
#include "work/sessionnote.h"

#define FOLDER     "running"
#define RECORD_MAX 512u
#define LIVE_MAX   (1u << 20)

struct record {
	enum running_kind kind; /* RUNNING_NOBODY: there is none */
	struct journal_process process;
};

static const char *const KIND[] = {
	[RUNNING_SESSION] = "session",
	[RUNNING_PROCESS] = "process",
	[RUNNING_TERMINAL] = "terminal",
};

/* ---- records ---- */

static bool is_name(str id)
{
	if (!str_starts(id, STR("s_")) || id.n >= SESSIONNOTE_ID_MAX)
		return false;
	for (size_t i = 0; i < id.n; i++)
		if (!str_is_alnum(id.p[i]) && id.p[i] != '_' && id.p[i] != '-')
			return false;
	return true;
}

static bool record_path(const char *state_dir, str id, struct buf *path)
{
	id = sessionnote_stem(id);
	if (!state_dir[0] || !is_name(id))
		return false;
	buf_printf(path, "%s/" FOLDER "/%.*s", state_dir, STR_ARG(id));
	return !path->full;
}

static void copy(char *out, size_t max, str s)
{
	snprintf(out, max, "%.*s", STR_ARG(s));
}

static bool parse_process(struct journal_process *p, str rest)
{
	str pid, start, boot, pidns, host;
	uint64_t n;

	if (!str_word(&rest, &pid) || !str_word(&rest, &start) ||
	    !str_word(&rest, &boot) || !str_word(&rest, &pidns) ||
	    !str_word(&rest, &host))
		return false;
	if (!str_u64(pid, &n) || n > INT_MAX || !str_u64(start, &p->start) ||
	    !str_u64(pidns, &p->pidns))
		return false;
	p->pid = (int64_t)n;
	copy(p->boot, sizeof p->boot, boot);
	copy(p->host, sizeof p->host, host);
	return true;
}

static struct record parse(str text)
{
	struct record r = {.kind = RUNNING_NOBODY};
	str word;

	if (!str_word(&text, &word))
		return r;
	if (str_eq(word, STR("session")))
		r.kind = RUNNING_SESSION;
	else if (str_eq(word, STR("process")) && parse_process(&r.process, text))
		r.kind = RUNNING_PROCESS;
	else if (str_eq(word, STR("terminal")) && parse_process(&r.process, text))
		r.kind = RUNNING_TERMINAL;
	return r;
}

static struct record read_record(const char *path)
{
	struct buf text = BUF_INIT(RECORD_MAX);
	struct record r = {.kind = RUNNING_NOBODY};

	if (fs_read(path, &text, NULL) == 0)
		r = parse(buf_str(&text));
	buf_release(&text);
	return r;
}

static int drop_old(const char *dir, const char *name, void *arg)
{
	int64_t before = *(const int64_t *)arg;
	struct buf path = BUF_INIT(PATH_MAX);
	struct record r;
	struct stat st;

	fs_join(&path, str_of(dir), str_of(name));
	if (io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	    (int64_t)st.st_mtim.tv_sec * 1000 < before) {
		r = read_record(buf_cstr(&path));
		if (r.kind < RUNNING_PROCESS ||
		    journal_alive(&r.process) != JOURNAL_ALIVE)
			io.unlink(buf_cstr(&path));
	}
	buf_release(&path);
	return 0;
}

static void write_record(const char *path, const char *state_dir, str line)
{
	int64_t before = clock_now() - RUNNING_KEEP_MS;
	struct buf dir = BUF_INIT(PATH_MAX);

	fs_join(&dir, str_of(state_dir), STR(FOLDER));
	if (!fs_is_file(path) && fs_mkdirs(buf_cstr(&dir), 0700, NULL) == 0)
		fs_each(buf_cstr(&dir), drop_old, &before, NULL);
	/* also when it says the same: its age is that of the newest step */
	fs_write_quick(path, line, 0600, NULL);
	buf_release(&dir);
}

void running_record(const char *state_dir, const char *note, enum running_kind kind)
{
	struct buf path = BUF_INIT(PATH_MAX), line = BUF_INIT(RECORD_MAX);
	struct journal_process p = {.pid = 0};

	buf_add(&line, str_of(kind == RUNNING_NOBODY ? "" : KIND[kind]));
	if (kind >= RUNNING_PROCESS) {
		journal_process_of(&p, kind == RUNNING_PROCESS ? getpid() : getsid(0));
		buf_printf(&line, " %" PRId64 " %" PRIu64 " %s %" PRIu64 " %s", p.pid,
			   p.start, p.boot[0] ? p.boot : "-", p.pidns,
			   p.host[0] ? p.host : "-");
	}
	buf_byte(&line, '\n');
	if (kind != RUNNING_NOBODY && record_path(state_dir, str_of(note), &path))
		write_record(buf_cstr(&path), state_dir, buf_str(&line));
	buf_release(&path);
	buf_release(&line);
}

void running_forget(const char *state_dir, str note)
{
	struct buf path = BUF_INIT(PATH_MAX);

	if (record_path(state_dir, note, &path))
		io.unlink(buf_cstr(&path));
	buf_release(&path);
}

/* ---- asking ---- */

void running_init(struct running *r, const char *state_dir, struct index *ix)
{
	*r = (struct running){state_dir, ix, BUF_INIT(LIVE_MAX), false};
}

void running_release(struct running *r)
{
	buf_release(&r->live);
}

static int add_live(struct journal *j, void *arg)
{
	struct sessionnote n;

	if (j->state != JOURNAL_OPEN || journal_alive(&j->process) != JOURNAL_ALIVE)
		return 0;
	sessionnote_of(&n, str_of(j->session), j->started_at);
	buf_printf(arg, "%s\n", n.id);
	return 0;
}

static bool in_journal(struct running *r, str note)
{
	str rest, id;

	if (!r->loaded && r->state_dir[0])
		journal_each(r->state_dir, add_live, &r->live, NULL);
	r->loaded = true;
	if (r->live.full)
		return true;
	rest = buf_str(&r->live);
	while (str_line(&rest, &id))
		if (str_eq(sessionnote_stem(note), id))
			return true;
	return false;
}

static int newer(const struct index_item *it, void *arg)
{
	int64_t *us = arg;

	if (it->kind == INDEX_EVENT && it->at_us > *us)
		*us = it->at_us;
	return 0;
}

/* The newest event of the item's note is no older than that. */
static bool lately(struct running *r, const struct index_item *it, int64_t ms)
{
	int64_t us = it->at_us, since = (clock_now() - ms) * 1000;

	if (us < since)
		index_span(r->ix, it->file, 0, INT_MAX, newer, &us, NULL);
	return us >= since;
}

/* What is known of it where the journal has nothing. */
static bool by_record(struct running *r, const struct index_item *it)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct record rec = {.kind = RUNNING_NOBODY};
	enum journal_alive alive = JOURNAL_UNKNOWN;

	if (record_path(r->state_dir, it->session, &path))
		rec = read_record(buf_cstr(&path));
	buf_release(&path);
	if (rec.kind == RUNNING_SESSION)
		return false;
	if (rec.kind >= RUNNING_PROCESS)
		alive = journal_alive(&rec.process);
	switch (alive) {
	case JOURNAL_GONE:
		return false;
	case JOURNAL_ALIVE:
		return rec.kind == RUNNING_PROCESS || lately(r, it, RUNNING_TERMINAL_MS);
	case JOURNAL_UNKNOWN:
		break;
	}
	return lately(r, it, RUNNING_SILENT_MS);
}

bool running_has(struct running *r, const struct index_item *it)
{
	if (in_journal(r, it->session))
		return true;
	return !it->done && it->origin == EVENT_LOGGED && by_record(r, it);
}

bool running_item(const struct index_item *it, void *arg)
{
	return running_has(arg, it);
}
