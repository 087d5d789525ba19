#include "work/sessionnote.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/event.h"

#define HEAD_BYTES   4096u /* of a note: its front matter */
#define SIBLINGS     9     /* names that are tried */
#define HEADER_MAX   4096u
#define STAMP_FORMAT "%.4s%.2s%.2sT%.2s%.2s%.2s"

static bool is_hex(char c)
{
	return str_is_digit(c) || (c >= 'a' && c <= 'f');
}

void sessionnote_hex(char out[SESSIONNOTE_HEX + 1], str session)
{
	size_t n = 0;

	for (; n < SESSIONNOTE_HEX && n < session.n; n++) {
		out[n] = str_lower(session.p[n]);
		if (!is_hex(out[n]))
			break;
	}
	if (n < SESSIONNOTE_HEX)
		snprintf(out, SESSIONNOTE_HEX + 1, "%06x",
			 (unsigned)(str_hash(session) & 0xffffffu));
	out[SESSIONNOTE_HEX] = 0;
}

/* "s_20260212T182002_" and the digits. */
static void set_id(struct sessionnote *n, const char *hex)
{
	char at[CLOCK_ISO_BYTES];

	clock_iso_s(at, n->started_us / 1000);
	snprintf(n->id, sizeof(n->id), "s_" STAMP_FORMAT "_%s", at, at + 5, at + 8,
		 at + 11, at + 14, at + 17, hex);
}

void sessionnote_of(struct sessionnote *n, str session, int64_t started_ms)
{
	char hex[SESSIONNOTE_HEX + 1];

	*n = (struct sessionnote){.started_us = started_ms * 1000};
	sessionnote_hex(hex, session);
	set_id(n, hex);
}

void sessionnote_random(struct sessionnote *n, int64_t started_us)
{
	char hex[SESSIONNOTE_HEX + 1];
	uint32_t v;

	*n = (struct sessionnote){.started_us = started_us};
	if (getentropy(&v, sizeof v) < 0)
		v = (uint32_t)clock_mono_ns() ^ (uint32_t)getpid() << 8;
	snprintf(hex, sizeof hex, "%06x", (unsigned)(v & 0xffffffu));
	set_id(n, hex);
}

/* Without ".md", and without the "-2" of a sibling. */
str sessionnote_stem(str name)
{
	if (str_ends(name, STR(".md")))
		name.n -= 3;
	if (name.n > 2 && name.p[name.n - 2] == '-' && name.p[name.n - 1] >= '2' &&
	    name.p[name.n - 1] <= '0' + SIBLINGS)
		name.n -= 2;
	return name;
}

bool sessionnote_has_hex(str name, const char *hex)
{
	str s = sessionnote_stem(name);

	return str_starts(s, STR("s_")) && s.n > SESSIONNOTE_HEX + 2 &&
	       s.p[s.n - SESSIONNOTE_HEX - 1] == '_' && str_ends(s, str_of(hex));
}

bool sessionnote_is(const struct sessionnote *n, str id)
{
	return str_eq(sessionnote_stem(id), str_of(n->id));
}

/* ---- which of the names ---- */

enum owner { NOBODYS, OURS, FOREIGN };

/* Whose note stands under that name? HF_E* when it cannot be read. */
static int owner_of(const struct sessionnote *n, const char *path, str id, str project,
		    struct err *e)
{
	struct buf head = BUF_INIT(HEAD_BYTES);
	struct err own = ERR_INIT;
	struct event_note note;
	long got;
	int fd = fs_open(path, NULL, &own), ret = FOREIGN;

	if (fd == HF_ENOTFOUND)
		return NOBODYS;
	if (fd < 0)
		return err_set(e, fd, "%s", own.msg);
	got = fs_read_at(fd, 0, HEAD_BYTES, &head, e);
	io.close(fd);
	event_note_read(&note, buf_str(&head));
	if (got < 0)
		ret = (int)got;
	else if (note.front && str_eq(note.id, id) && str_eq(note.project, project) &&
		 note.started_us == n->started_us)
		ret = OURS;
	buf_release(&head);
	return ret;
}

int sessionnote_file(const struct vault *v, const struct sessionnote *n, str project,
		     struct buf *name, bool *exists, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	size_t start = name->n;
	int ret = FOREIGN;

	for (int i = 1; ret == FOREIGN && i <= SIBLINGS; i++) {
		str id;

		buf_cut(name, start);
		buf_add(name, str_of(n->id));
		if (i > 1)
			buf_printf(name, "-%d", i);
		buf_add(name, STR(".md"));
		id = str_from(buf_str(name), start);
		buf_reset(&path);
		if (!vault_path(v, VAULT_SESSIONS, project, id, &path))
			ret = err_set(e, HF_EUSAGE, "invalid project: '%.*s'",
				      STR_ARG(project));
		else
			ret = owner_of(n, buf_cstr(&path), str_head(id, id.n - 3),
				       project, e);
	}
	buf_release(&path);
	*exists = ret == OURS;
	if (ret == FOREIGN)
		ret = err_set(e, HF_ELIMIT,
			      "%.*s/sessions/%s.md: not ours, nor are its %d siblings",
			      STR_ARG(project), n->id, SIBLINGS - 1);
	return ret < 0 ? ret : 0;
}

int sessionnote_add(struct vault *v, const struct sessionnote *n, str project, str lines,
		    int wait_ms, struct buf *file, bool *made, struct err *e)
{
	struct buf name = BUF_INIT(PATH_MAX), header = BUF_INIT(HEADER_MAX);
	bool exists = false;
	int ret = vault_lock(v, wait_ms, e);

	if (!ret)
		ret = sessionnote_file(v, n, project, &name, &exists, e);
	if (!ret) {
		event_note_header(&header, str_head(buf_str(&name), name.n - 3), project,
				  n->started_us);
		ret = vault_add(v, VAULT_SESSIONS, project, buf_str(&name),
				buf_str(&header), lines, e);
	}
	vault_unlock(v);
	if (file)
		buf_add(file, buf_str(&name));
	if (made)
		*made = !exists;
	buf_release(&name);
	buf_release(&header);
	return ret;
}
