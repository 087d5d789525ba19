/*
 * inotify, for programs that live on. A folder is watched from the first question on; its
 * events are kept as names until they are asked for. Only on file systems where the kernel sees
 * every change: on others, and when a limit is reached, all is always looked at.
 *
 * Two stats guard against what inotify does not tell: the folder of this path must still be the
 * one that is watched (a parent may have been renamed).
 */
#include "work/reindex_impl.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/oom.h"
#include "base/str.h"

#ifdef __linux__
#include <errno.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#define WATCHES_MAX 1024
#define NAMES_MAX   4096 /* bytes; more changes than that: look at all */
#define EVENTS                                                                           \
	(IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |                \
	 IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

struct place {
	uint64_t hash; /* of the path */
	int wd;        /* -1: not watched */
	dev_t dev;
	ino_t ino;
	bool unknown;
	struct buf names;
};

struct reindex_watch {
	int fd;
	size_t n;
	struct place place[WATCHES_MAX];
};

struct reindex_watch *reindex_watch_new(void)
{
	struct reindex_watch *w;
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return NULL;
	w = calloc(1, sizeof *w);
	if (!w)
		oom();
	w->fd = fd;
	return w;
}

void reindex_watch_free(struct reindex_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		buf_release(&w->place[i].names);
	io.close(w->fd);
	free(w);
}

/* File systems of this machine alone. */
static bool tells_all(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	switch ((unsigned long)fs.f_type) {
	case 0xef53:     /* ext2, ext3, ext4 */
	case 0x58465342: /* xfs */
	case 0x9123683e: /* btrfs */
	case 0xf2f52010: /* f2fs */
	case 0x01021994: /* tmpfs */
	case 0x2fc12fc1: /* zfs */
		return true;
	default:
		return false;
	}
}

static void doubt_all(struct reindex_watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->place[i].unknown = true;
}

static void note_name(struct place *p, str name)
{
	for (size_t at = 0; at < p->names.n;) {
		str old = str_of(p->names.p + at);

		if (str_eq(old, name))
			return;
		at += old.n + 1;
	}
	buf_add(&p->names, name);
	buf_byte(&p->names, 0);
	if (p->names.full)
		p->unknown = true;
}

static void note_event(struct reindex_watch *w, const struct inotify_event *ev)
{
	if (ev->mask & IN_Q_OVERFLOW)
		doubt_all(w);
	for (size_t i = 0; i < w->n; i++) {
		struct place *p = &w->place[i];

		if (p->wd != ev->wd || ev->wd < 0)
			continue;
		if (ev->mask & IN_IGNORED)
			p->wd = -1;
		if (!ev->len) /* the folder itself: moved, gone, made readable */
			p->unknown = true;
		else
			note_name(p, str_of(ev->name));
	}
}

static void drain(struct reindex_watch *w)
{
	union {
		struct inotify_event ev;
		char bytes[16384];
	} u;
	ssize_t n;

	for (;;) {
		n = io.read(w->fd, u.bytes, sizeof u.bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			doubt_all(w);
		if (n <= 0)
			return;
		for (size_t at = 0; at + sizeof u.ev <= (size_t)n;) {
			const struct inotify_event *ev =
				(const struct inotify_event *)(const void *)(u.bytes +
									     at);

			note_event(w, ev);
			at += sizeof *ev + ev->len;
		}
	}
}

static struct place *find(struct reindex_watch *w, const char *path)
{
	uint64_t hash = str_hash(str_of(path));

	for (size_t i = 0; i < w->n; i++)
		if (w->place[i].hash == hash)
			return &w->place[i];
	if (w->n == WATCHES_MAX)
		return NULL;
	w->place[w->n] = (struct place){
		.hash = hash, .wd = -1, .unknown = true, .names = BUF_INIT(NAMES_MAX)};
	return &w->place[w->n++];
}

/* Watch the folder that is there now. */
static void begin(struct reindex_watch *w, struct place *p, const char *path)
{
	struct stat st;

	if (p->wd >= 0)
		inotify_rm_watch(w->fd, p->wd);
	p->wd = -1;
	if (!tells_all(path))
		return;
	p->wd = inotify_add_watch(w->fd, path, EVENTS | IN_ONLYDIR | IN_DONT_FOLLOW);
	if (p->wd < 0 || io.lstat(path, &st) < 0)
		return;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
}

enum reindex_news reindex_watch_news(struct reindex_watch *w, const char *path,
				     struct buf *names)
{
	struct place *p;
	struct stat st;
	enum reindex_news news;

	buf_reset(names);
	if (!w || !(p = find(w, path)))
		return REINDEX_UNKNOWN;
	drain(w);
	if (p->wd < 0 || io.lstat(path, &st) < 0 || st.st_dev != p->dev ||
	    st.st_ino != p->ino) {
		begin(w, p, path);
		p->unknown = true;
	}
	news = p->unknown ? REINDEX_UNKNOWN : p->names.n ? REINDEX_NAMED : REINDEX_QUIET;
	if (news == REINDEX_NAMED)
		buf_add(names, buf_str(&p->names));
	p->unknown = p->wd < 0;
	buf_reset(&p->names);
	return news;
}

void reindex_watch_doubt(struct reindex_watch *w, const char *path)
{
	struct place *p = w ? find(w, path) : NULL;

	if (p)
		p->unknown = true;
}

void reindex_watch_doubt_all(struct reindex_watch *w)
{
	if (w)
		doubt_all(w);
}

#else

struct reindex_watch *reindex_watch_new(void)
{
	return NULL;
}

void reindex_watch_free(struct reindex_watch *w)
{
	(void)w;
}

enum reindex_news reindex_watch_news(struct reindex_watch *w, const char *path,
				     struct buf *names)
{
	(void)w;
	(void)path;
	buf_reset(names);
	return REINDEX_UNKNOWN;
}

void reindex_watch_doubt(struct reindex_watch *w, const char *path)
{
	(void)w;
	(void)path;
}

void reindex_watch_doubt_all(struct reindex_watch *w)
{
	(void)w;
}

#endif
