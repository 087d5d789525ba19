#include "work/forget.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/oom.h"
#include "base/utf8.h"
#include "data/config.h"
#include "data/json.h"
#include "work/docs.h"
#include "work/hooklog.h"
#include "work/keep.h"
#include "work/running.h"
#include "work/sessionnote.h"

#define SHORT_ID   8
#define LOG_MAX    (2u << 20)
#define CACHE_DEEP 2 /* folders below the cache that are looked into */
#define STATE_DEEP 2
#define WRITE_S    2 /* longer than writing a file of the state takes */

static const enum vault_folder FOLDERS[] = {VAULT_SESSIONS, VAULT_ENTITIES,
					    VAULT_HANDOFFS, VAULT_ARCHIVE};
static const char *const FOLDER_NAME[] = {[VAULT_PROJECT] = "",
					  [VAULT_SESSIONS] = "sessions/",
					  [VAULT_ENTITIES] = "entities/",
					  [VAULT_HANDOFFS] = "handoffs/",
					  [VAULT_ARCHIVE] = "archive/"};

/* ---- what would go ---- */

static void add_file(struct forget *f, enum vault_folder folder, const char *project,
		     const char *name)
{
	f->file = realloc(f->file, (f->nfile + 1) * sizeof(f->file[0]));
	if (!f->file)
		oom();
	f->file[f->nfile++] = (struct forget_file){folder, str_dup(str_of(project)),
						   str_dup(str_of(name))};
}

static void add_session(struct forget *f, str id)
{
	for (size_t i = 0; i < f->nsession; i++)
		if (str_eq(str_of(f->session[i]), id))
			return;
	f->session = realloc(f->session, (f->nsession + 1) * sizeof(f->session[0]));
	if (!f->session)
		oom();
	f->session[f->nsession++] = str_dup(id);
}

struct search {
	struct forget *f;
	const struct scope *s;
	str want;
	struct err *e;
	enum vault_folder folder;
	const char *project;
	char *running;                 /* id of one that runs */
	char hex[SESSIONNOTE_HEX + 1]; /* in the names of its notes; "": not known */
};

static int add_any_file(const char *name, void *arg)
{
	struct search *x = arg;

	add_file(x->f, x->folder, x->project, name);
	return 0;
}

static int project_files(struct search *x)
{
	int ret;

	for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++) {
		x->folder = FOLDERS[i];
		ret = vault_each(&x->s->vault, x->folder, str_of(x->project), "",
				 add_any_file, x, x->e);
		if (ret)
			return ret;
	}
	x->folder = VAULT_PROJECT;
	return vault_each(&x->s->vault, VAULT_PROJECT, str_of(x->project), ".md",
			  add_any_file, x, x->e);
}

static void remember_running(struct search *x, const struct journal *j)
{
	if (!x->running && j->state == JOURNAL_OPEN &&
	    journal_alive(&j->process) == JOURNAL_ALIVE)
		x->running = str_dup(str_of(j->session));
}

static int session_of_project(struct journal *j, void *arg)
{
	struct search *x = arg;

	if (j->project && str_eq(str_of(j->project), x->want)) {
		add_session(x->f, str_of(j->session));
		remember_running(x, j);
	}
	return 0;
}

static bool is_meant(str id, str want)
{
	return str_eq(id, want) || (want.n >= FORGET_PREFIX_MIN && str_starts(id, want));
}

static int session_meant(struct journal *j, void *arg)
{
	struct search *x = arg;

	if (is_meant(str_of(j->session), x->want)) {
		add_session(x->f, str_of(j->session));
		remember_running(x, j);
	}
	return 0;
}

static int each_journal(struct search *x, int (*fn)(struct journal *j, void *arg))
{
	int ret = 0;

	if (x->s->state_dir[0])
		ret = journal_each(x->s->state_dir, fn, x, x->e);
	if (!ret && x->s->state_dir[0])
		ret = journal_each_done(x->s->state_dir, fn, x, x->e);
	return ret;
}

static int document_meant(const char *project, void *arg)
{
	struct search *x = arg;
	struct docs d;
	int ret = docs_load(&d, &x->s->vault, str_of(project), true, x->e);

	for (size_t i = 0; !ret && i < d.n; i++) {
		const struct docs_item *it = &d.item[i];

		if (!is_meant(str_of(it->session), x->want))
			continue;
		add_session(x->f, str_of(it->session));
		add_file(x->f, it->archived ? VAULT_ARCHIVE : VAULT_HANDOFFS, project,
			 it->name);
	}
	docs_release(&d);
	return ret;
}

/* A note of the session whose digits are wanted, or the one note whose name was given. */
static int note_meant(const char *name, void *arg)
{
	struct search *x = arg;
	str stem = str_head(str_of(name), strlen(name) - strlen(".md"));

	if (x->hex[0] ? sessionnote_has_hex(str_of(name), x->hex) : str_eq(stem, x->want))
		add_file(x->f, x->folder, x->project, name);
	return 0;
}

static int notes_meant(const char *project, void *arg)
{
	struct search *x = arg;
	int ret;

	x->project = project;
	x->folder = VAULT_SESSIONS;
	ret = vault_each(&x->s->vault, VAULT_SESSIONS, str_of(project), ".md", note_meant,
			 x, x->e);
	x->folder = VAULT_ARCHIVE;
	return ret ? ret
		   : vault_each(&x->s->vault, VAULT_ARCHIVE, str_of(project), ".md",
				note_meant, x, x->e);
}

static bool is_project(const struct scope *s, const char *what)
{
	struct buf path = BUF_INIT(PATH_MAX);
	bool yes = project_name_ok(str_of(what)) &&
		   vault_path(&s->vault, VAULT_PROJECT, str_of(what), STR_NONE, &path) &&
		   fs_is_dir(buf_cstr(&path));

	buf_release(&path);
	return yes;
}

static bool in_journal(const struct scope *s, str session)
{
	struct journal *j =
		s->state_dir[0] ? journal_open(s->state_dir, session, NULL) : NULL;
	bool yes = j && !j->is_new;

	journal_free(j);
	return yes;
}

/* Sessions of its documents of which the journal, that has the last word, knows nothing any more. */
static int sessions_of_documents(struct search *x)
{
	struct docs d;
	int ret = docs_load(&d, &x->s->vault, str_of(x->project), true, x->e);

	for (size_t i = 0; !ret && i < d.n; i++) {
		str session = str_of(d.item[i].session);

		if (journal_id_ok(session) && !in_journal(x->s, session))
			add_session(x->f, session);
	}
	docs_release(&d);
	return ret;
}

static int plan_project(struct search *x, const char *what)
{
	int ret;

	x->f->project = str_dup(str_of(what));
	x->project = what;
	ret = project_files(x);
	if (!ret)
		ret = each_journal(x, session_of_project);
	return ret ? ret : sessions_of_documents(x);
}

/* A session id as the client makes them: 8-4-4-4-12 digits. */
static bool is_whole_id(str s)
{
	if (s.n != 36)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((i == 8 || i == 13 || i == 18 || i == 23)
			    ? s.p[i] != '-'
			    : !isxdigit((unsigned char)s.p[i]))
			return false;
	return true;
}

static int plan_session(struct search *x, const char *what)
{
	int ret = each_journal(x, session_meant);

	if (!ret)
		ret = vault_projects(&x->s->vault, document_meant, x, x->e);
	if (ret)
		return ret;
	if (x->f->nsession > 1)
		return err_set(x->e, HF_EAMBIGUOUS, "'%s' fits %zu sessions: %s, %s%s",
			       what, x->f->nsession, x->f->session[0], x->f->session[1],
			       x->f->nsession > 2 ? ", ..." : "");
	/* without a journal: a whole id still tells the notes */
	if (x->f->nsession || is_whole_id(x->want))
		sessionnote_hex(x->hex,
				x->f->nsession ? str_of(x->f->session[0]) : x->want);
	ret = vault_projects(&x->s->vault, notes_meant, x, x->e);
	if (!ret && !x->f->nsession && !x->f->nfile)
		ret = err_set(x->e, HF_ENOTFOUND,
			      "'%s' is no project and no session that is known", what);
	return ret;
}

int forget_plan(struct forget *f, const struct scope *s, const char *what, struct err *e)
{
	struct search x = {.f = f, .s = s, .want = str_of(what), .e = e};
	int ret;

	*f = (struct forget){.project = NULL};
	ret = is_project(s, what) ? plan_project(&x, what) : plan_session(&x, what);
	if (!ret && x.running)
		ret = err_set(e, HF_EUSAGE, "session %s runs; end it first", x.running);
	free(x.running);
	return ret;
}

void forget_release(struct forget *f)
{
	for (size_t i = 0; i < f->nfile; i++) {
		free(f->file[i].project);
		free(f->file[i].name);
	}
	for (size_t i = 0; i < f->nsession; i++)
		free(f->session[i]);
	free(f->file);
	free(f->session);
	free(f->project);
	*f = (struct forget){.project = NULL};
}

/* ---- doing it ---- */

static int remove_path(const char *path, struct err *e)
{
	struct stat st;

	if (io.lstat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return 0;
	return io.unlink(path) < 0 ? err_sys(e, "%s", path) : 0;
}

static int remove_state(const struct scope *s, const char *folder, const char *name,
			const char *suffix, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret;

	buf_printf(&path, "%s/%s/%s%s", s->state_dir, folder, name, suffix);
	ret = remove_path(buf_cstr(&path), e);
	buf_release(&path);
	return ret;
}

/* Lines of the hooks' log that name the session. */
static int clean_log(const struct scope *s, const char *id, const char *suffix,
		     struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(LOG_MAX),
		   kept = BUF_INIT(LOG_MAX);
	str rest, line, name = str_head(str_of(id), SHORT_ID);
	int ret = 0;

	hooklog_path(&path, s->state_dir);
	buf_add(&path, str_of(suffix));
	if (fs_read(buf_cstr(&path), &text, NULL) == 0) {
		rest = buf_str(&text);
		while (str_line(&rest, &line)) {
			if (str_find(line, name) != STR_NPOS)
				continue;
			buf_add(&kept, line);
			buf_byte(&kept, '\n');
		}
		if (kept.n != text.n)
			ret = fs_write_atomic(buf_cstr(&path), buf_str(&kept), 0600, e);
	}
	buf_release(&path);
	buf_release(&text);
	buf_release(&kept);
	return ret;
}

static int forget_session(const struct scope *s, const char *id, struct err *e)
{
	int ret = 0;

	if (!s->state_dir[0] || !journal_id_ok(str_of(id)))
		return 0;
	ret = keep_forget(s->state_dir, str_of(id), e);
	if (!ret)
		ret = remove_state(s, "ledgers", id, ".json", e);
	if (!ret)
		ret = remove_state(s, "briefs", id, "", e);
	if (!ret)
		ret = remove_state(s, "journal", id, ".json", e);
	if (!ret)
		ret = remove_state(s, "journal/done", id, ".json", e);
	if (!ret)
		ret = clean_log(s, id, "", e);
	return ret ? ret : clean_log(s, id, ".1", e);
}

static int empty_cache(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int *deep = arg, ret = 0;
	struct stat st;

	fs_join(&path, str_of(dir), str_of(name));
	if (io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode)) {
		io.unlink(buf_cstr(&path));
	} else if (*deep > 0 && io.lstat(buf_cstr(&path), &st) == 0 &&
		   S_ISDIR(st.st_mode)) {
		int below = *deep - 1;

		fs_each(buf_cstr(&path), empty_cache, &below, NULL);
	}
	buf_release(&path);
	return ret;
}

/* Derived: what is left of it would be noticed as stale, and is made again anyway. */
static void forget_caches(void)
{
	struct buf dir = BUF_INIT(PATH_MAX);
	int deep = CACHE_DEEP;

	config_cache_dir(&dir);
	if (dir.n)
		fs_each(buf_cstr(&dir), empty_cache, &deep, NULL);
	buf_release(&dir);
}

static int remove_files(const struct forget *f, struct scope *s, struct err *e)
{
	int ret = vault_lock(&s->vault, VAULT_LOCK_LONG_MS, e);

	if (ret)
		return ret;
	for (size_t i = 0; !ret && i < f->nfile; i++) {
		struct err own = ERR_INIT;

		ret = vault_remove(&s->vault, f->file[i].folder,
				   str_of(f->file[i].project), str_of(f->file[i].name),
				   &own);
		if (ret == HF_ENOTFOUND)
			ret = 0;
		else if (ret)
			err_set(e, ret, "%s", own.msg);
		if (f->file[i].folder == VAULT_SESSIONS)
			running_forget(s->state_dir, str_of(f->file[i].name));
	}
	vault_sweep(&s->vault, str_of(f->project ? f->project : ""));
	vault_unlock(&s->vault);
	return ret;
}

/* Of the state, which has no lock: what a writer is at just now is left to it. */
static int sweep_state(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int *deep = arg;

	fs_join(&path, str_of(dir), str_of(name));
	if (*deep > 0 && fs_is_dir(buf_cstr(&path))) {
		int below = *deep - 1;

		fs_sweep(buf_cstr(&path), WRITE_S);
		fs_each(buf_cstr(&path), sweep_state, &below, NULL);
	}
	buf_release(&path);
	return 0;
}

/* Its folders, now empty. What else somebody put there stays, and so do they. */
static void remove_folders(const struct forget *f, const struct scope *s)
{
	struct buf path = BUF_INIT(PATH_MAX);

	for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++) {
		buf_reset(&path);
		if (vault_path(&s->vault, FOLDERS[i], str_of(f->project), STR_NONE,
			       &path))
			rmdir(buf_cstr(&path));
	}
	buf_reset(&path);
	if (vault_path(&s->vault, VAULT_PROJECT, str_of(f->project), STR_NONE, &path))
		rmdir(buf_cstr(&path));
	buf_release(&path);
}

int forget_run(const struct forget *f, struct scope *s, struct err *e)
{
	int ret = f->nfile || vault_exists(&s->vault) ? remove_files(f, s, e) : 0;
	int deep = STATE_DEEP;

	for (size_t i = 0; !ret && i < f->nsession; i++)
		ret = forget_session(s, f->session[i], e);
	if (!ret && f->project) {
		remove_folders(f, s);
		ret = remove_state(s, "off.d", f->project, "", e);
	}
	if (s->state_dir[0]) {
		fs_sweep(s->state_dir, WRITE_S);
		fs_each(s->state_dir, sweep_state, &deep, NULL);
	}
	forget_caches();
	return ret;
}

/* ---- saying it ---- */

static void show_json(const struct forget *f, bool done, struct buf *out)
{
	struct buf path = BUF_INIT(PATH_MAX);

	buf_add(out, STR("{\"format\":1"));
	json_add_key(out, "project");
	if (f->project)
		json_add_str(out, str_of(f->project));
	else
		buf_add(out, STR("null"));
	json_add_key(out, "files");
	buf_byte(out, '[');
	for (size_t i = 0; i < f->nfile; i++) {
		buf_reset(&path);
		buf_printf(&path, "%s/%s%s", f->file[i].project,
			   FOLDER_NAME[f->file[i].folder], f->file[i].name);
		json_add_sep(out);
		json_add_str(out, buf_str(&path));
	}
	buf_byte(out, ']');
	json_add_key(out, "sessions");
	buf_byte(out, '[');
	for (size_t i = 0; i < f->nsession; i++) {
		json_add_sep(out);
		json_add_str(out, str_of(f->session[i]));
	}
	buf_byte(out, ']');
	json_add_key(out, "done");
	buf_add(out, done ? STR("true}") : STR("false}"));
	buf_release(&path);
}

void forget_show(const struct forget *f, bool done, bool json, struct buf *out)
{
	struct buf text = BUF_INIT(8u << 20);

	if (json) {
		show_json(f, done, out);
		return;
	}
	for (size_t i = 0; i < f->nfile; i++)
		buf_printf(&text, "%s %s/%s%s\n", done ? "removed" : "would remove",
			   f->file[i].project, FOLDER_NAME[f->file[i].folder],
			   f->file[i].name);
	for (size_t i = 0; i < f->nsession; i++)
		buf_printf(&text, "%s what is known of session %s\n",
			   done ? "removed" : "would remove", f->session[i]);
	if (!done)
		buf_add(&text, STR("Nothing was removed; --yes does it.\n"));
	utf8_show(out, buf_str(&text), UTF8_TEXT);
	buf_release(&text);
}
