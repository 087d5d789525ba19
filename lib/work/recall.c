#include "work/recall.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "work/recindex.h"

#define NAME_BYTES 80 /* of what is named in a note */

static int refresh(struct recall *r, const struct vault *v, struct err *e)
{
	struct reindex re;
	int ret;

	reindex_init(&re, r->index, v, false);
	ret = reindex_run(&re, &r->o, e);
	r->left = re.left;
	if (!ret && re.busy && !re.left && !index_complete(r->index))
		r->left = SIZE_MAX;
	memcpy(r->hidden, re.hidden, sizeof(r->hidden));
	reindex_release(&re);
	/* best effort; who has little time takes what is told, and looks for nothing */
	if (!ret && r->o.deadline_ns)
		recindex_news(v, r->index, NULL);
	else if (!ret)
		recindex_refresh(v, r->index, NULL);
	return ret;
}

int recall_open(struct recall *r, const struct vault *v, const struct recall_options *o,
		struct err *e)
{
	int ret;

	*r = (struct recall){
		.o = {.project = o->project,
		      .scope = o->all ? REINDEX_ALL : REINDEX_PROJECT,
		      .deadline_ns = o->deadline_ns},
	};
	ret = index_open(&r->index, v, o->busy_ms, e);
	return ret ? ret : refresh(r, v, e);
}

bool recall_again(struct recall *r, const struct vault *v, int *ret, struct err *e)
{
	if (r->again || !index_damaged(r->index))
		return false;
	r->again = true;
	if (refresh(r, v, NULL))
		return false;
	*ret = 0;
	if (e)
		*e = ERR_INIT;
	return true;
}

void recall_release(struct recall *r)
{
	index_free(r->index);
	*r = (struct recall){0};
}

struct unread {
	size_t n;
	char name[NAME_BYTES + 1]; /* of the first one */
};

void recall_place(const struct index_file *f, struct buf *out)
{
	static const char *const folder[] = {"", "sessions/", "entities/", "handoffs/",
					     "archive/"};

	buf_printf(out, "%.*s/%s%.*s", STR_ARG(f->project), folder[f->folder],
		   STR_ARG(f->name));
}

static int add_unread(const struct index_file *f, void *arg)
{
	struct unread *u = arg;
	struct buf b = BUF_INIT(4096);

	if (!u->n++) {
		recall_place(f, &b);
		snprintf(u->name, sizeof(u->name), "%.*s",
			 STR_ARG(utf8_head(buf_str(&b), NAME_BYTES)));
	}
	buf_release(&b);
	return 0;
}

void recall_unread(struct index *ix, str project, const char *hidden, struct buf *out)
{
	struct unread u = {0};
	struct buf b = BUF_INIT(RECALL_NOTE_MAX * 4);

	if (ix)
		index_odd(ix, project, INDEX_ODD_READ, add_unread, &u, NULL);
	if (hidden[0])
		buf_printf(
			&b,
			"(The folder %s of the vault cannot be read: what is in it may be missing or old.)\n",
			hidden);
	if (u.n == 1)
		buf_printf(
			&b,
			"(A note cannot be read: %s. What it says may be missing or old.)\n",
			u.name);
	else if (u.n)
		buf_printf(
			&b,
			"(%zu notes cannot be read, %s first. What they say may be missing or old.)\n",
			u.n, u.name);
	utf8_show(out, buf_str(&b), UTF8_TEXT);
	buf_release(&b);
}

void recall_note(const struct recall *r, struct buf *out)
{
	if (r->left == SIZE_MAX)
		buf_add(out,
			STR("(Another program is reading the notes; some may be missing.)\n"));
	else if (r->left)
		buf_printf(out, "(%zu of the notes %s not read yet; %s next time.)\n",
			   r->left, r->left == 1 ? "is" : "are",
			   r->left == 1 ? "it is" : "they are");
	if (r->index && index_homeless(r->index))
		buf_printf(
			out,
			"(The index of the notes cannot be kept: %s. All notes are read at "
			"each call; set XDG_CACHE_HOME to a folder that can be written.)\n",
			index_homeless(r->index));
	recall_unread(r->index, r->o.project, r->hidden, out);
}
