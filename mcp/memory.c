#include "memory.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "data/config.h"
#include "work/brief.h"
#include "work/identity.h"
#include "work/offswitch.h"
#include "work/recall.h"

#define TOKENS_MAX 12000 /* a brief is one page */

static void close_store(struct memory *m)
{
	if (!m->dir)
		return;
	store_release(&m->store);
	free(m->dir);
	m->dir = NULL;
}

static int open_store(struct server *s, struct memory *m, struct err *e)
{
	const char *dir = where_dir(&s->where);
	struct store_options o = {.dir = dir, .watch = true};
	int ret;

	if (m->dir && strcmp(m->dir, dir) == 0)
		return vault_check(&m->store.vault, e);
	close_store(m);
	ret = store_open(&m->store, &o, e);
	if (ret) {
		store_release(&m->store);
		return ret;
	}
	m->dir = str_dup(str_of(dir));
	return 0;
}

str memory_project(const struct store *st, str project)
{
	return project.n ? project : str_of(st->project);
}

bool memory_is_default(const struct store *st, str project)
{
	return !project.n && strcmp(st->project, PROJECT_NONE) == 0;
}

static struct store *refuse_off(const struct memory *m, struct err *e)
{
	err_set(e, HF_EUSAGE, "handoff is switched off (%s)", m->off);
	return NULL;
}

const char *memory_off(const struct server *s)
{
	return s->memory ? s->memory->off : NULL;
}

void memory_say_off(struct buf *out, const char *off)
{
	buf_printf(out, "handoff is switched off (%s): nothing was read or stored.", off);
}

struct store *memory_open(struct server *s, str project, struct err *e)
{
	struct memory *m = s->memory;

	if (!m)
		m = s->memory = calloc(1, sizeof(*m));
	if (!m)
		log_oom();
	/* the switch for everything asks nothing of the vault, which may be why it is set */
	m->off = offswitch_why(s->where.state_dir, STR_NONE);
	if (m->off)
		return refuse_off(m, e);
	if (project.n && identity_name(project, true, e))
		return NULL;
	if (open_store(s, m, e))
		return NULL;
	store_session(&m->store);
	m->off = offswitch_why(s->where.state_dir, memory_project(&m->store, project));
	if (m->off)
		return refuse_off(m, e);
	/* hooks that were told nothing shall find the same memory */
	if (config_vault_named())
		where_note_vault(&s->where, m->store.vault.root);
	return &m->store;
}

int memory_index(struct store *st, str project, bool all, struct err *e)
{
	struct err why = ERR_INIT;
	int ret = store_refresh(st, project, all, &why);

	if (!ret)
		return 0;
	return st->index ? err_set(e, ret, "%s", why.msg)
			 : err_set(e, ret,
				   "the index cannot be opened (%s); what is stored is "
				   "not affected",
				   why.msg);
}

void memory_partial(const struct store *st, str project, struct buf *out)
{
	struct buf note = BUF_INIT(RECALL_NOTE_MAX);

	if (store_partial(st))
		buf_add(&note,
			STR("(Another program is reading the notes; some may be missing. Ask again in a moment.)\n"));
	recall_unread(st->index, project, st->reindex.hidden, &note);
	if (note.n) {
		if (out->n && !str_ends(buf_str(out), STR("\n")))
			buf_byte(out, '\n');
		buf_byte(out, '\n');
		buf_add(out, buf_str(&note));
	}
	buf_release(&note);
}

static int64_t usual_tokens(void)
{
	struct config c;
	int64_t n;

	config_load(&c, NULL);
	n = config_int(&c, "brief_tokens");
	config_release(&c);
	return n;
}

int memory_brief(struct store *st, str project, int64_t tokens, struct buf *out,
		 struct err *e)
{
	struct brief_options o = {0};
	struct brief_figures f;
	struct running running;
	int ret = memory_index(st, project, false, e);

	if (ret)
		return ret;
	/* only now: looking for changes looks the session up too, and with it the project */
	o.project = memory_project(st, project);
	o.tokens = tokens < 0 ? usual_tokens() : tokens;
	if (o.tokens > TOKENS_MAX)
		o.tokens = TOKENS_MAX;
	o.runs = running_item;
	o.runs_arg = &running;
	do {
		running_init(&running, st->state_dir, st->index);
		ret = brief_render(out, st->index, &o, &f, e);
		running_release(&running);
	} while (store_again(st, &ret, e));
	if (!ret)
		memory_partial(st, o.project, out);
	return ret;
}

void memory_release(struct server *s)
{
	if (s->memory)
		close_store(s->memory);
	free(s->memory);
	s->memory = NULL;
}
