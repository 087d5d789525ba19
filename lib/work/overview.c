#include "work/overview.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/glance.h"
#include "work/hooklog.h"
#include "work/offswitch.h"
#include "work/redact.h"
#include "work/skipped.h"

#define TITLE_BYTES 60
#define LOG_TAIL    (64u << 10) /* bytes of the hooks' log looked at */
#define KINDS       12          /* events that are told apart */
#define WHAT_BYTES  32
#define NAME_MIN    4 /* characters of a prefix */
#define NAMED_MAX   5 /* candidates in a message */
#define SHORT_ID    8

static const char *kind_name(enum handoff_kind k)
{
	return k == HANDOFF_MANUAL ? "manual" : k == HANDOFF_AUTO ? "auto" : "recovered";
}

static void shown(struct buf *out, const char *s)
{
	redact_show(out, str_of(s ? s : ""), true);
}

static void json_member(struct buf *out, const char *key, const char *s)
{
	struct buf b = BUF_INIT(HANDOFF_DOC_MAX);

	json_add_key(out, key);
	shown(&b, s);
	if (b.n)
		json_add_str(out, buf_str(&b));
	else
		buf_add(out, STR("null"));
	buf_release(&b);
}

static void json_flag(struct buf *out, const char *key, bool value)
{
	json_add_key(out, key);
	buf_add(out, value ? STR("true") : STR("false"));
}

static void json_time(struct buf *out, const char *key, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	if (at != CLOCK_NONE && at > 0)
		clock_iso_s(iso, at);
	json_member(out, key, at != CLOCK_NONE && at > 0 ? iso : NULL);
}

static void add_time(struct buf *out, int64_t at)
{
	char iso[CLOCK_ISO_BYTES];

	if (at == CLOCK_NONE || at <= 0) {
		buf_add(out, STR("never"));
		return;
	}
	clock_iso_s(iso, at);
	buf_printf(out, "%.10s %.5s UTC", iso, iso + 11);
}

/* ---- documents ---- */

/* The journal has it open, and its process is gone. */
static bool died(const struct scope *s, const char *session)
{
	struct journal *j = s->state_dir[0] && session[0]
				    ? journal_open(s->state_dir, str_of(session), NULL)
				    : NULL;
	bool dead = j && !j->is_new && j->state == JOURNAL_OPEN &&
		    journal_alive(&j->process) == JOURNAL_GONE;

	journal_free(j);
	return dead;
}

/* Why it is not given to the next session; NULL: it is. */
static const char *waits_for(const struct docs_item *it, const struct scope *s)
{
	switch (it->status) {
	case DOCS_LIVE:
		if (!died(s, it->session))
			return "its session runs, or was not closed";
		break; /* the next start finds it dead, and offers its document */
	case DOCS_CLAIMED:
		return "a session has taken it up";
	case DOCS_CONSUMED:
	case DOCS_SUPERSEDED:
		return "it is done with";
	case DOCS_ODD:
		return "its status is none that is known";
	case DOCS_PENDING:
		break;
	}
	if (it->worktree[0] && strcmp(it->worktree, s->worktree))
		return "it belongs to another worktree";
	return NULL;
}

static void item_json(struct buf *out, const char *project, const struct docs_item *it)
{
	json_add_sep(out);
	buf_byte(out, '{');
	json_member(out, "name", it->name);
	json_member(out, "project", project);
	json_member(out, "status", docs_status_name(it->status));
	json_member(out, "kind", kind_name(it->kind));
	json_member(out, "session", it->session);
	json_member(out, "claimed_by", it->claimed_by);
	json_member(out, "created", it->created);
	json_member(out, "branch", it->branch);
	json_member(out, "head", it->head);
	json_member(out, "worktree", it->worktree);
	json_member(out, "title", it->title);
	json_add_key(out, "bytes");
	buf_u64(out, it->size);
	json_flag(out, "archived", it->archived);
	buf_byte(out, '}');
}

static void item_line(struct buf *out, const struct docs_item *it)
{
	struct buf title = BUF_INIT(HANDOFF_DOC_MAX);

	shown(&title, it->title);
	buf_printf(out, "%-30s  %-10s  %-9s  %.*s\n", it->name,
		   docs_status_name(it->status), kind_name(it->kind),
		   STR_ARG(utf8_head(buf_str(&title), TITLE_BYTES)));
	buf_release(&title);
}

struct lister {
	const struct scope *s;
	const struct overview_list *o;
	struct buf *out;
	struct err *e;
	size_t odd;
};

static int list_project(const char *project, void *arg)
{
	struct lister *l = arg;
	struct docs d;
	int ret = docs_load(&d, &l->s->vault, str_of(project), l->o->archive, l->e);

	if (ret)
		return ret;
	if (d.n && l->o->all && !l->o->json) {
		shown(l->out, project);
		buf_add(l->out, STR(":\n"));
	}
	for (size_t i = 0; i < d.n; i++)
		if (l->o->json)
			item_json(l->out, project, &d.item[i]);
		else
			item_line(l->out, &d.item[i]);
	l->odd += d.odd;
	docs_release(&d);
	return 0;
}

int overview_list(const struct scope *s, const struct overview_list *o, struct buf *out,
		  struct err *e)
{
	struct lister l = {.s = s, .o = o, .out = out, .e = e};
	int ret;

	if (o->json)
		buf_add(out, STR("{\"format\":1,\"documents\":["));
	ret = o->all ? vault_projects(&s->vault, list_project, &l, e)
		     : list_project(s->project, &l);
	if (o->json) {
		buf_byte(out, ']');
		json_add_key(out, "odd");
		buf_u64(out, l.odd);
		buf_byte(out, '}');
	} else if (l.odd) {
		buf_printf(out, "%zu other file%s that %s no handoff document%s\n", l.odd,
			   l.odd == 1 ? "" : "s", l.odd == 1 ? "is" : "are",
			   l.odd == 1 ? "" : "s");
	}
	return ret;
}

/* ---- one of them ---- */

struct finder {
	const struct scope *s;
	str want;
	bool prefix;
	const char *not_this; /* a project that has been looked at */
	size_t found;
	char *project;
	char file[DOCS_NAME_MAX];
	struct buf names; /* of the first ones */
	struct err *e;
};

static bool is_it(const struct docs_item *it, str want, bool prefix)
{
	str name = str_of(it->name), id = str_of(it->session);
	str stem = str_ends(name, STR(".md.zst")) ? str_head(name, name.n - 7)
		   : str_ends(name, STR(".md"))   ? str_head(name, name.n - 3)
						  : name;

	if (!prefix)
		return str_eq(name, want) || str_eq(stem, want);
	return want.n >= NAME_MIN && (str_starts(name, want) || str_starts(id, want));
}

static int find_in(const char *project, void *arg)
{
	struct finder *f = arg;
	struct docs d;
	int ret;

	if (f->not_this && strcmp(project, f->not_this) == 0)
		return 0;
	ret = docs_load(&d, &f->s->vault, str_of(project), true, f->e);
	if (ret)
		return ret;
	for (size_t i = 0; i < d.n; i++) {
		const struct docs_item *it = &d.item[i];

		if (!is_it(it, f->want, f->prefix))
			continue;
		if (!f->found++) {
			f->project = str_dup(str_of(project));
			snprintf(f->file, sizeof(f->file), "%s", it->name);
		}
		if (f->found <= NAMED_MAX)
			buf_printf(&f->names, "%s%s", f->names.n ? ", " : "", it->name);
	}
	docs_release(&d);
	return 0;
}

/* By name, then by prefix; in this project, then in the others. */
static int find(struct finder *f, struct err *e)
{
	int ret = 0;

	for (int round = 0; !ret && !f->found && round < 4; round++) {
		f->prefix = round & 1;
		f->not_this = round < 2 ? NULL : f->s->project;
		ret = round < 2 ? find_in(f->s->project, f)
				: vault_projects(&f->s->vault, find_in, f, e);
	}
	if (ret)
		return ret;
	if (!f->found)
		return err_set(e, HF_ENOTFOUND,
			       "no document '%.*s'; `handoff list --all` names "
			       "them",
			       STR_ARG(f->want));
	if (f->found > 1 && f->prefix)
		return err_set(e, HF_EAMBIGUOUS, "'%.*s' fits %zu documents: %s",
			       STR_ARG(f->want), f->found, buf_cstr(&f->names));
	return 0;
}

int overview_find(const struct scope *s, const char *name, char **project,
		  char file[DOCS_NAME_MAX], struct buf *text, struct err *e)
{
	struct finder f = {.s = s,
			   .want = str_of(name),
			   .names = BUF_INIT(NAMED_MAX * (DOCS_NAME_MAX + 2)),
			   .e = e};
	size_t n;
	int ret = find(&f, e);

	*project = NULL;
	if (!ret) {
		/* docs_read takes the plain name, wherever and however it is kept */
		n = strlen(f.file);
		if (str_ends(str_of(f.file), STR(".zst")))
			f.file[n - 4] = '\0';
		ret = docs_read(&s->vault, str_of(f.project), str_of(f.file), text, e);
	}
	if (!ret) {
		snprintf(file, DOCS_NAME_MAX, "%s", f.file);
		*project = f.project;
		f.project = NULL;
	}
	free(f.project);
	buf_release(&f.names);
	return ret;
}

int overview_show(const struct scope *s, const char *name, bool json, struct buf *out,
		  struct err *e)
{
	struct buf text = BUF_INIT(HANDOFF_DOC_MAX), safe = BUF_INIT(8 * HANDOFF_DOC_MAX);
	char file[DOCS_NAME_MAX], *project;
	int ret = overview_find(s, name, &project, file, &text, e);

	if (!ret) {
		redact_show(&safe, buf_str(&text), false);
		if (json)
			ret = handoff_json(buf_str(&safe), out, e);
		else
			buf_add(out, buf_str(&safe));
	}
	free(project);
	buf_release(&text);
	buf_release(&safe);
	return ret;
}

/* ---- status ---- */

/* What the status of a project is made of. */
struct state {
	struct docs docs;
	int64_t last_event; /* of any session */
	char *session;      /* of this project, the last one but the asking one */
	char *reason, *evidence;
	int64_t ended, session_event;
	bool running;
	bool seen; /* the journal has an entry of this project */
	char *transcript;
	enum journal_state how;
	char *end_reason;
	struct {
		char what[WHAT_BYTES], at[CLOCK_ISO_BYTES];
	} kind[KINDS];
	size_t nkind;
	struct buf last_line; /* of the hooks' log */
	char *problem;        /* of the store, as the hooks noted it */
	const char *off;      /* why the hooks do nothing, NULL */
	struct skipped skipped;
};

static int see_session(struct journal *j, void *arg)
{
	struct state *st = ((void **)arg)[0];
	const struct scope *s = ((void **)arg)[1];

	if (j->last_event_at > st->last_event)
		st->last_event = j->last_event_at;
	if (!j->project || strcmp(j->project, s->project))
		return 0;
	st->seen = true;
	if (strcmp(j->session, s->session) == 0 ||
	    (st->session && j->last_event_at <= st->session_event))
		return 0;
	free(st->session);
	free(st->transcript);
	free(st->end_reason);
	st->session = str_dup(str_of(j->session));
	st->session_event = j->last_event_at;
	st->transcript = str_dup(str_of(j->transcript ? j->transcript : ""));
	st->end_reason = str_dup(str_of(j->reason ? j->reason : ""));
	st->how = j->state;
	st->running =
		j->state == JOURNAL_OPEN && journal_alive(&j->process) == JOURNAL_ALIVE;
	return 0;
}

static void see_ending(struct state *st)
{
	struct glance g;

	if (!st->session || st->running)
		return;
	if (st->transcript[0] && glance_read(&g, st->transcript, false, NULL) == 0) {
		st->reason = str_dup(str_of(g.reason ? g.reason : ""));
		st->evidence = str_dup(str_of(g.evidence ? g.evidence : ""));
		st->ended = g.ended;
		glance_release(&g);
	}
}

static bool is_word(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_is_alnum(s.p[i]))
			return false;
	return s.n > 0;
}

/* "TIME PID WHAT SESSION: message": the last time of each WHAT. */
static void see_log_line(struct state *st, str line)
{
	str rest = line, at, pid, what;
	size_t i;

	if (!str_word(&rest, &at) || at.n >= CLOCK_ISO_BYTES || !str_word(&rest, &pid) ||
	    !str_word(&rest, &what) || what.n >= WHAT_BYTES)
		return;
	if (str_ends(what, STR(":")))
		what.n--;
	if (!is_word(what))
		return;
	buf_reset(&st->last_line);
	buf_add(&st->last_line, line);
	for (i = 0; i < st->nkind; i++)
		if (str_eq(str_of(st->kind[i].what), what))
			break;
	if (i == KINDS)
		return;
	if (i == st->nkind)
		st->nkind++;
	snprintf(st->kind[i].what, WHAT_BYTES, "%.*s", STR_ARG(what));
	snprintf(st->kind[i].at, CLOCK_ISO_BYTES, "%.*s", STR_ARG(at));
}

static void see_log(struct state *st, const char *state_dir)
{
	struct buf path = BUF_INIT(PATH_MAX), tail = BUF_INIT(2 * LOG_TAIL);
	struct stat file;
	str rest, line;
	int fd;

	hooklog_path(&path, state_dir);
	fd = path.n ? fs_open(buf_cstr(&path), &file, NULL) : -1;
	if (fd >= 0) {
		uint64_t size = (uint64_t)file.st_size;

		fs_read_at(fd, size > LOG_TAIL ? size - LOG_TAIL : 0, LOG_TAIL, &tail,
			   NULL);
		io.close(fd);
		rest = buf_str(&tail);
		/* it may begin inside a line */
		if (size > LOG_TAIL)
			str_line(&rest, &line);
		while (str_line(&rest, &line))
			see_log_line(st, line);
	}
	buf_release(&path);
	buf_release(&tail);
}

static void see_switches(struct state *st, const struct scope *s)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(4096);

	st->off = offswitch_why(s->state_dir, str_of(s->project));
	fs_join(&path, str_of(s->state_dir), STR("problem"));
	if (s->state_dir[0] && fs_read(buf_cstr(&path), &text, NULL) == 0 && text.n)
		st->problem = buf_take(&text);
	buf_release(&path);
	buf_release(&text);
}

static int see(struct state *st, const struct scope *s, struct err *e)
{
	void *arg[] = {st, (void *)(uintptr_t)s};
	int ret;

	*st = (struct state){.last_event = CLOCK_NONE,
			     .ended = CLOCK_NONE,
			     .session_event = CLOCK_NONE,
			     .last_line = BUF_INIT(LOG_TAIL)};
	ret = docs_load(&st->docs, &s->vault, str_of(s->project), false, e);
	if (ret)
		return ret;
	if (s->state_dir[0]) {
		ret = journal_each(s->state_dir, see_session, arg, e);
		if (!ret)
			ret = journal_each_done(s->state_dir, see_session, arg, e);
	}
	see_ending(st);
	see_log(st, s->state_dir);
	see_switches(st, s);
	skipped_find(&st->skipped, &s->vault, str_of(s->project));
	return ret;
}

static void state_release(struct state *st)
{
	docs_release(&st->docs);
	free(st->session);
	free(st->reason);
	free(st->evidence);
	free(st->transcript);
	free(st->end_reason);
	free(st->problem);
	buf_release(&st->last_line);
	skipped_release(&st->skipped);
}

static void ending_words_of(const struct state *st, struct buf *out)
{
	if (st->running)
		buf_add(out, STR("it runs"));
	else if (st->how == JOURNAL_ENDED && st->end_reason[0]) {
		buf_add(out, STR("closed: "));
		shown(out, st->end_reason);
	} else if (st->reason && st->reason[0])
		shown(out, st->reason);
	else
		buf_add(out, STR("how it ended is not known"));
}

static void status_docs(const struct state *st, const struct scope *s, struct buf *out)
{
	if (!st->docs.n)
		buf_add(out, STR("Documents: none\n"));
	else
		buf_add(out, STR("Documents:\n"));
	for (size_t i = 0; i < st->docs.n; i++) {
		const char *why = waits_for(&st->docs.item[i], s);

		buf_add(out, STR("  "));
		item_line(out, &st->docs.item[i]);
		if (why)
			buf_printf(out, "    not offered: %s\n", why);
	}
	if (st->docs.odd)
		buf_printf(out, "  and %zu that cannot be read as %s\n", st->docs.odd,
			   st->docs.odd == 1 ? "a document" : "documents");
}

static void status_hooks(const struct state *st, struct buf *out)
{
	buf_add(out, STR("Hooks: last event "));
	add_time(out, st->last_event);
	buf_add(out, st->last_event == CLOCK_NONE ? STR(" (is the plugin installed?)\n")
						  : STR("\n"));
	for (size_t i = 0; i < st->nkind; i++)
		buf_printf(out, "  last line about %s: %s\n", st->kind[i].what,
			   st->kind[i].at);
	if (st->last_line.n) {
		buf_add(out, STR("  last line of the log: "));
		redact_show(out, buf_str(&st->last_line), true);
		buf_byte(out, '\n');
	}
	if (st->problem) {
		buf_add(out, STR("  the store could not be written: "));
		shown(out, st->problem);
		buf_byte(out, '\n');
	}
}

static void status_text(const struct state *st, const struct scope *s, struct buf *out)
{
	buf_add(out, STR("Project: "));
	shown(out, s->project);
	buf_add(out, STR(" ("));
	shown(out, s->worktree);
	buf_add(out, STR(")\nVault: "));
	shown(out, s->vault.root);
	buf_add(out,
		vault_exists(&s->vault) ? STR("\n") : STR(" (nothing stored yet)\n"));
	if (st->off)
		buf_printf(out, "Switched off: %s\n", st->off);
	status_docs(st, s, out);
	skipped_text(&st->skipped, out);
	buf_add(out, STR("Last session: "));
	if (st->session) {
		buf_printf(out, "%.*s, ", SHORT_ID, st->session);
		add_time(out, st->session_event);
		buf_add(out, STR(", "));
		ending_words_of(st, out);
		buf_byte(out, '\n');
	} else {
		buf_add(out, STR("none is known\n"));
	}
	status_hooks(st, out);
}

static void status_json(const struct state *st, const struct scope *s, struct buf *out)
{
	struct buf how = BUF_INIT(4096);

	buf_add(out, STR("{\"format\":1"));
	json_member(out, "project", s->project);
	json_member(out, "worktree", s->worktree);
	json_member(out, "vault", s->vault.root);
	json_flag(out, "vault_exists", vault_exists(&s->vault));
	json_flag(out, "off", st->off != NULL);
	json_add_key(out, "documents");
	buf_byte(out, '[');
	for (size_t i = 0; i < st->docs.n; i++) {
		item_json(out, s->project, &st->docs.item[i]);
		/* why it is not offered, as one more member */
		out->n--;
		json_member(out, "not_offered", waits_for(&st->docs.item[i], s));
		buf_byte(out, '}');
	}
	buf_byte(out, ']');
	json_add_key(out, "odd");
	buf_u64(out, st->docs.odd);
	json_add_key(out, "last_session");
	if (st->session) {
		ending_words_of(st, &how);
		buf_byte(out, '{');
		json_member(out, "session", st->session);
		json_time(out, "last_event", st->session_event);
		json_time(out, "ended", st->ended);
		json_flag(out, "running", st->running);
		json_member(out, "how", buf_cstr(&how));
		json_member(out, "evidence", st->evidence);
		buf_byte(out, '}');
	} else {
		buf_add(out, STR("null"));
	}
	json_add_key(out, "hooks");
	buf_byte(out, '{');
	json_time(out, "last_event", st->last_event);
	json_add_key(out, "logged");
	buf_byte(out, '{');
	for (size_t i = 0; i < st->nkind; i++)
		json_member(out, st->kind[i].what, st->kind[i].at);
	buf_byte(out, '}');
	json_member(out, "last_line", buf_cstr(&st->last_line));
	json_member(out, "problem", st->problem);
	buf_byte(out, '}');
	json_add_key(out, "skipped");
	skipped_json(&st->skipped, out);
	buf_byte(out, '}');
	buf_release(&how);
}

int overview_status(const struct scope *s, bool json, struct buf *out, struct err *e)
{
	struct state st;
	int ret = see(&st, s, e);

	if (!ret && json)
		status_json(&st, s, out);
	else if (!ret)
		status_text(&st, s, out);
	state_release(&st);
	return ret;
}
