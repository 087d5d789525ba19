/*
 * A document in the work tree came with the repository, or is a copy that this program made
 * (HANDOFF_DOC). Its content decides: trust knows what we wrote and what the user accepted. A
 * copy of a document that the vault has, or had, is no second one.
 */
#include "work/lifecycle_parts.h"

#include <limits.h>
#include <stdio.h>

#include "base/fs.h"
#include "data/digest.h"
#include "work/inject.h"
#include "work/trust.h"

#define SHIPPED "handoff.md"
#define NAMED   "named" /* STATE/named/<sha-256>: the user has been told of this content */

/* The file's text, if it is a regular file that lies there itself. */
static bool read_shipped(const struct lifecycle *l, struct buf *text)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	bool ok;

	if (!l->j->worktree)
		return false;
	fs_join(&path, str_of(l->j->worktree), STR(SHIPPED));
	ok = io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	     fs_read(buf_cstr(&path), text, NULL) == 0;
	buf_release(&path);
	return ok;
}

struct search {
	str session;
	bool found;
};

static int is_of(const char *name, void *arg)
{
	struct search *s = arg;
	size_t bar = str_rchr(str_of(name), '_');

	if (bar != STR_NPOS && str_starts(str_from(str_of(name), bar + 1), s->session))
		s->found = true;
	return s->found;
}

/* The vault has a document of that session, waiting or archived. */
static bool vault_knows(const struct lifecycle *l, const struct docs *d,
			const char *session)
{
	struct search s = {.session = lifecycle_short(session)};

	if (!session[0])
		return false;
	if (docs_of_session(d, str_of(session)))
		return true;
	if (l->vault_ok)
		vault_each(&l->vault, VAULT_ARCHIVE, str_of(l->j->project), "", is_of, &s,
			   NULL);
	return s.found;
}

/* Told once: the mark is made when it is said. */
static bool tell_once(const struct lifecycle *l, str text)
{
	struct buf path = BUF_INIT(PATH_MAX);
	char hex[DIGEST_HEX_BYTES];
	bool first;

	digest_hex(text, hex);
	fs_join(&path, str_of(l->state_dir), STR(NAMED));
	first = fs_mkdirs(buf_cstr(&path), 0700, NULL) == 0;
	buf_printf(&path, "/%s", hex);
	first = first && !fs_is_file(buf_cstr(&path)) &&
		fs_write_quick(buf_cstr(&path), STR_NONE, 0600, NULL) == 0;
	buf_release(&path);
	return first;
}

void lifecycle_shipped(struct lifecycle *l, const struct docs *d, bool given,
		       struct buf *text, struct buf *user)
{
	struct buf shipped = BUF_INIT(HANDOFF_DOC_MAX);
	struct docs_item it;

	if (!read_shipped(l, &shipped) ||
	    !docs_item_of(&it, STR(SHIPPED), buf_str(&shipped)))
		goto out;
	if (!trust_knows(l->state_dir, buf_str(&shipped))) {
		if (!user->n && tell_once(l, buf_str(&shipped)))
			buf_add(user,
				STR("handoff: " SHIPPED
				    " in this work tree was not written here, so "
				    "it is not shown; `handoff trust` accepts it."));
	} else if (!given && !vault_knows(l, d, it.session)) {
		inject_document(text, &it, NULL,
				(size_t)lifecycle_setting("inject_units"));
		lifecycle_log(l, "gave " SHIPPED " of the work tree");
	}
	docs_item_release(&it);
out:
	buf_release(&shipped);
}
