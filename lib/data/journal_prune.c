/*
 * Retired entries that nobody will ask for any more. What a name says of its age is nothing,
 * so each file is looked at (its time of last change is that of its retirement), none is read.
 */
#include "data/journal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/oom.h"

#define DONE   "journal/done"
#define ENDING ".json"

struct old {
	char session[JOURNAL_ID_MAX + 1];
	int64_t at;
};

struct walk {
	struct old *old;
	size_t n, cap;
	int64_t deadline_ns;
};

static bool late(int64_t deadline_ns)
{
	return deadline_ns && clock_mono_ns() >= deadline_ns;
}

static void file_path(struct buf *b, const char *dir, str name)
{
	buf_reset(b);
	fs_join(b, str_of(dir), name);
}

static int look(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct walk *w = arg;
	str id = str_of(name);
	struct stat st;

	if (late(w->deadline_ns))
		return 1;
	if (!str_ends(id, STR(ENDING)))
		return 0;
	file_path(&path, dir, id);
	id.n -= sizeof(ENDING) - 1;
	if (journal_id_ok(id) && io.lstat(buf_cstr(&path), &st) == 0 &&
	    S_ISREG(st.st_mode)) {
		if (w->n == w->cap) {
			w->cap = w->cap ? 2 * w->cap : 256;
			w->old = reallocarray(w->old, w->cap, sizeof(*w->old));
			if (!w->old)
				oom();
		}
		w->old[w->n] = (struct old){.at = (int64_t)st.st_mtime * 1000};
		memcpy(w->old[w->n++].session, id.p, id.n);
	}
	buf_release(&path);
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct old *x = a, *y = b;

	return x->at < y->at ? 1 : x->at > y->at ? -1 : strcmp(x->session, y->session);
}

static int drop(const char *dir, const char *session, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), name = BUF_INIT(PATH_MAX);
	int ret = 0;

	buf_printf(&name, "%s" ENDING, session);
	file_path(&path, dir, buf_str(&name));
	if (io.unlink(buf_cstr(&path)) < 0 && errno != ENOENT)
		ret = err_sys(e, "%s: unlink", buf_cstr(&path));
	buf_release(&path);
	buf_release(&name);
	return ret;
}

int journal_prune(const char *state_dir, const struct journal_limits *o,
		  void (*gone)(const char *session, void *arg), void *arg, struct err *e)
{
	struct walk w = {.deadline_ns = o->deadline_ns};
	struct buf dir = BUF_INIT(PATH_MAX);
	size_t left = JOURNAL_PRUNE_MAX;
	int ret = 0;

	fs_join(&dir, str_of(state_dir), STR(DONE));
	if (fs_is_dir(buf_cstr(&dir)))
		ret = fs_each(buf_cstr(&dir), look, &w, e);
	if (ret > 0) { /* not all were seen: which are the newest is not known */
		w.n = 0;
		ret = 0;
	}
	if (w.n)
		qsort(w.old, w.n, sizeof(w.old[0]), newest_first);
	for (size_t i = w.n; !ret && left && i-- > 0 && !late(o->deadline_ns);) {
		if (i < o->keep && w.old[i].at >= o->since)
			break;
		ret = drop(buf_cstr(&dir), w.old[i].session, e);
		if (!ret && gone)
			gone(w.old[i].session, arg);
		left--;
	}
	free(w.old);
	buf_release(&dir);
	return ret;
}
