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

void recnews_add(const struct vault *v, str rel)
{
	struct buf path = BUF_INIT(4096), line = BUF_INIT(SIZE_MAX);
	struct fs_pending p;

	buf_add(&line, rel);
	buf_byte(&line, '\n');
	if (place(v, &path) &&
	    fs_begin_append(&p, buf_cstr(&path), buf_str(&line), NULL) == 0)
		io.close(p.fd);
	buf_release(&path);
	buf_release(&line);
}

bool recnews_any(const struct vault *v)
{
	struct buf path = BUF_INIT(4096);
	struct stat st;
	bool any = place(v, &path) && io.lstat(buf_cstr(&path), &st) == 0;

	buf_release(&path);
	return any;
}

void recnews_take(const struct vault *v, struct buf *out)
{
	struct buf path = BUF_INIT(4096), mine = BUF_INIT(4096);

	if (place(v, &path) && taken(v, &mine) &&
	    io.rename(buf_cstr(&path), buf_cstr(&mine)) == 0)
		fs_read(buf_cstr(&mine), out, NULL);
	buf_release(&path);
	buf_release(&mine);
}

void recnews_done(const struct vault *v)
{
	struct buf mine = BUF_INIT(4096);

	if (taken(v, &mine))
		io.unlink(buf_cstr(&mine));
	buf_release(&mine);
}
