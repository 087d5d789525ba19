/*
 * Taking renames the file first, so that a writer who comes in between begins a new one. What
 * was taken by a process that died before recnews_done stays in a file that nobody reads: its
 * changes are found when all files are looked at.
 */
#include "data/recnews.h"

#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "data/index.h"

#define PUT_TRIES 3

static bool place(const struct vault *v, struct buf *b)
{
	if (!index_place(v, b))
		return false;
	buf_add(b, STR("/records.changed"));
	return !b->full;
}

/* The name of what this process has taken. */
static bool taken(const struct vault *v, struct buf *b)
{
	if (!place(v, b))
		return false;
	buf_printf(b, ".%ld", (long)getpid());
	return !b->full;
}

static bool put(const char *path, str line)
{
	struct fs_pending p;
	struct stat st;

	for (int i = 0; i < PUT_TRIES; i++) {
		if (fs_begin_append(&p, path, line, NULL))
			return false;
		io.close(p.fd);
		/* taken, and perhaps read, between open and write: then it is told once more */
		if (io.lstat(path, &st) == 0 && st.st_ino == p.st.st_ino)
			break;
	}
	return true;
}

void recnews_add(const struct vault *v, str rel)
{
	struct buf path = BUF_INIT(4096), line = BUF_INIT(SIZE_MAX), dir = BUF_INIT(4096);

	buf_add(&line, rel);
	buf_byte(&line, '\n');
	/* nobody searches: the next one to do so looks at all files */
	if (recnews_any(v) > RECNEWS_MAX)
		;
	else if (place(v, &path) && !put(buf_cstr(&path), buf_str(&line)) &&
		 index_place(v, &dir) && fs_mkdirs(buf_cstr(&dir), 0700, NULL) == 0)
		put(buf_cstr(&path), buf_str(&line));
	buf_release(&path);
	buf_release(&line);
	buf_release(&dir);
}

size_t recnews_any(const struct vault *v)
{
	struct buf path = BUF_INIT(4096);
	struct stat st = {.st_size = 0};
	bool any = place(v, &path) && io.lstat(buf_cstr(&path), &st) == 0;

	buf_release(&path);
	return any ? (size_t)st.st_size : 0;
}

bool recnews_take(const struct vault *v, struct buf *out)
{
	struct buf path = BUF_INIT(4096), mine = BUF_INIT(4096);
	bool whole = true;

	if (place(v, &path) && taken(v, &mine) &&
	    io.rename(buf_cstr(&path), buf_cstr(&mine)) == 0)
		whole = fs_read(buf_cstr(&mine), out, NULL) == 0;
	buf_release(&path);
	buf_release(&mine);
	return whole;
}

void recnews_done(const struct vault *v)
{
	struct buf mine = BUF_INIT(4096);

	if (taken(v, &mine))
		io.unlink(buf_cstr(&mine));
	buf_release(&mine);
}

void recnews_back(const struct vault *v)
{
	struct buf path = BUF_INIT(4096), mine = BUF_INIT(4096),
		   text = BUF_INIT(RECNEWS_MAX);

	if (place(v, &path) && taken(v, &mine) &&
	    fs_read(buf_cstr(&mine), &text, NULL) == 0 &&
	    put(buf_cstr(&path), buf_str(&text)))
		io.unlink(buf_cstr(&mine));
	buf_release(&path);
	buf_release(&mine);
	buf_release(&text);
}
