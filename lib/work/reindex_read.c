/*
 * One file into the index.
 *
 * Session notes are read as a stream of lines, so their size does not matter. A hash runs along:
 * over the part that is in the index already it tells whether the note only grew; then the
 * rest is added. Otherwise, and for all other files, the items are replaced.
 *
 * `parsed` ends behind the last whole line. A last line without its newline is in the index as
 * well, but then nothing counts as parsed: what comes behind it will change what it says.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/io.h"
#include "base/utf8.h"
#include "data/event.h"
#include "data/pack.h"
#include "work/redact.h"
#include "work/reindex_impl.h"

#define HEADER_MAX  (64u << 10)
#define CHUNK       (128u << 10)
#define TICK_NS     INT64_C(50000000)   /* times of files may stand still for so long */
#define COARSE_NS   INT64_C(2000000000) /* where they are whole seconds */
#define FIRST_EVENT 2                   /* pos 0 is the summary's; no neighbours */
#define SECRET_MIN  16                  /* bytes; an id of ours has 11 */

/* --- what a file looks like --- */

void reindex_look_of(struct reindex_look *l, const struct stat *st)
{
#ifdef __APPLE__
	const struct timespec *t = &st->st_mtimespec;
#else
	const struct timespec *t = &st->st_mtim;
#endif
	l->mtime_ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
	l->size = (uint64_t)st->st_size;
	l->ino = (uint64_t)st->st_ino;
	l->odd = !S_ISREG(st->st_mode);
}

/* A change in the same tick as this look would not show in it: remember no time. */
int64_t reindex_settled(int64_t mtime_ns)
{
	struct timespec now;
	int64_t age;

	clock_gettime(CLOCK_REALTIME, &now);
	age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - mtime_ns;
	if (age >= 0 && age < (mtime_ns % 1000000000 ? TICK_NS : COARSE_NS))
		return 0;
	return mtime_ns;
}

/* --- lines --- */

struct lines {
	int fd;
	struct buf buf;
	size_t at;     /* read position in buf */
	uint64_t off;  /* offset in the file of buf's begin */
	uint64_t hash; /* of all lines given so far */
	bool end, failed, big;
	bool cut;  /* the rest of a long line is being skipped */
	bool torn; /* the last line given has no newline */
};

enum got { GOT_LINE, GOT_TAIL, GOT_LONG, GOT_END };

/* Eight bytes a step; the length goes in, so that lines cannot run together. */
static uint64_t hash_on(uint64_t h, str s)
{
	uint64_t w;

	h = (h ^ s.n) * 0x9e3779b97f4a7c15u;
	for (; s.n >= 8; s = str_from(s, 8)) {
		memcpy(&w, s.p, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	w = 0;
	if (s.n)
		memcpy(&w, s.p, s.n);
	h = (h ^ w) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static void rewind_lines(struct lines *l)
{
	buf_reset(&l->buf);
	l->at = 0;
	l->off = 0;
	l->hash = 0;
	l->end = l->failed = l->big = l->cut = l->torn = false;
}

/* Drop what was given and read on; false when nothing came. */
static bool fill(struct lines *l)
{
	uint64_t from = l->off + l->buf.n;
	size_t rest = l->buf.n - l->at;
	long got;

	if (l->end)
		return false;
	if (l->at) {
		memmove(l->buf.p, l->buf.p + l->at, rest);
		l->off += l->at;
		l->at = 0;
		buf_cut(&l->buf, rest);
	}
	if (from >= REINDEX_NOTE_MAX) {
		l->big = l->end = true;
		return false;
	}
	got = fs_read_at(l->fd, from, CHUNK, &l->buf, NULL);
	if (got < 0)
		l->failed = true;
	if (got <= 0)
		l->end = true;
	return got > 0;
}

/* The next line with its newline; of a long one its pieces are skipped and hashed. */
static enum got next_line(struct lines *l, str *line)
{
	for (;;) {
		const char *p = l->buf.p + l->at;
		size_t n = l->buf.n - l->at;
		const char *lf = n ? memchr(p, '\n', n) : NULL;

		if (!lf && n < REINDEX_LINE_MAX && fill(l))
			continue;
		*line = (str){l->buf.p + l->at,
			      lf ? (size_t)(lf - p) + 1 : l->buf.n - l->at};
		if (!line->n)
			break;
		l->at += line->n;
		l->torn = !lf;
		l->hash = hash_on(l->hash, *line);
		if (!lf && !l->end) {
			l->cut = true;
			continue;
		}
		if (l->cut || line->n > REINDEX_LINE_MAX) {
			l->cut = false;
			return GOT_LONG;
		}
		return lf ? GOT_LINE : GOT_TAIL;
	}
	if (!l->cut)
		return GOT_END;
	l->cut = false;
	return GOT_LONG;
}

static uint64_t offset(const struct lines *l)
{
	return l->off + l->at;
}

/* --- session notes --- */

struct session {
	struct reindex *r;
	struct index_file *f;
	struct lines *l;
	struct buf text, clean; /* scratch */
};

/* redacted, one line */
static str cleaned(struct session *s, str text)
{
	buf_reset(&s->text);
	buf_reset(&s->clean);
	event_normalise(&s->text, text);
	if (redact(&s->clean, buf_str(&s->text)))
		s->f->odd |= INDEX_ODD_SECRET;
	return buf_str(&s->clean);
}

/* Ids are too short for secrets, unless somebody wrote one there. */
static str clean_id(struct session *s, str id, struct buf *own)
{
	if (id.n < SECRET_MIN || !redact(own, id))
		return id;
	s->f->odd |= INDEX_ODD_SECRET;
	return buf_str(own);
}

static void skipped(struct session *s, unsigned why)
{
	s->f->odd |= why;
	s->f->skipped++;
}

static int put_event(struct session *s, const struct event *ev, struct err *e)
{
	struct index_put p = {
		.kind = INDEX_EVENT,
		.type = ev->type,
		.origin = ev->origin,
		.importance = ev->importance,
		.at_us = ev->at_us,
	};
	struct buf id = BUF_INIT(SIZE_MAX), ids = BUF_INIT(SIZE_MAX);
	int ret = 0;

	if (!ev->at_us)
		s->f->odd |= INDEX_ODD_TIME;
	p.id = clean_id(s, ev->id, &id);
	p.supersedes = clean_id(s, ev->supersedes, &ids);
	p.body = cleaned(s, ev->content);
	if (p.body.n)
		ret = index_item_put(s->r->ix, s->f, &p, e);
	else
		skipped(s, INDEX_ODD_LINE);
	buf_release(&id);
	buf_release(&ids);
	return ret;
}

static void look_at_bytes(struct index_file *f, str text)
{
	if (text.n && memchr(text.p, 0, text.n))
		f->odd |= INDEX_ODD_NUL;
	if (!utf8_valid(text))
		f->odd |= INDEX_ODD_UTF8;
}

static int put_line(struct session *s, str line, struct err *e)
{
	struct event ev;
	str piece;
	int ret = 0, n = 0;

	look_at_bytes(s->f, line);
	while (!ret && event_cut(&line, &piece)) {
		if (event_parse(piece, &ev)) {
			ret = put_event(s, &ev, e);
			if (n++)
				s->f->odd |= INDEX_ODD_GLUED;
		} else if (str_starts(piece, STR("- **["))) {
			skipped(s, INDEX_ODD_LINE);
		}
	}
	return ret;
}

/* From the header, which stands in texts from now on. */
static int put_header(struct session *s, const struct event_note *n, struct buf *texts,
		      struct err *e)
{
	struct index_file *f = s->f;
	size_t id;
	int ret;

	if (!n->front)
		f->odd |= INDEX_ODD_FRONT;
	if (n->twice)
		f->odd |= INDEX_ODD_TWICE;
	if (n->front && n->started.n && !n->started_us)
		f->odd |= INDEX_ODD_TIME;
	if ((n->project.n && !str_eq(n->project, f->project)) ||
	    (n->id.n && !str_eq(n->id, reindex_stem(f->name))))
		f->odd |= INDEX_ODD_NAME;
	buf_reset(texts);
	buf_add(texts, n->id.n ? cleaned(s, n->id) : reindex_stem(f->name));
	id = texts->n;
	buf_add(texts, cleaned(s, n->summary));
	f->session = str_head(buf_str(texts), id);
	f->summary = str_from(buf_str(texts), id);
	f->title = STR_NONE;
	f->started_us = n->started_us;
	f->done = n->done;
	f->items = 0;
	ret = index_file_put(s->r->ix, f, e);
	if (!ret && f->summary.n)
		ret = index_item_put(s->r->ix, f,
				     &(struct index_put){.kind = INDEX_SUMMARY,
							 .importance = 3,
							 .at_us = f->started_us,
							 .body = f->summary},
				     e);
	f->items = FIRST_EVENT;
	return ret;
}

/* Bytes of the header and its BOM; the first HEADER_MAX bytes are looked at. */
static int read_header(struct session *s, struct buf *texts, struct err *e)
{
	struct event_note n;
	str head;

	while (s->l->buf.n < HEADER_MAX && fill(s->l))
		;
	head = str_head(buf_str(&s->l->buf), HEADER_MAX);
	event_note_read(&n, head);
	look_at_bytes(s->f, utf8_head(str_head(head, head.n - n.body.n), HEADER_MAX));
	s->l->at = head.n - n.body.n;
	s->l->hash = hash_on(0, str_head(head, s->l->at));
	return put_header(s, &n, texts, e);
}

/* The lines from here to the end. */
static int put_lines(struct session *s, struct err *e)
{
	struct lines *l = s->l;
	enum got got;
	str line;
	int ret = 0;

	while (!ret && (got = next_line(l, &line)) != GOT_END) {
		if (got == GOT_LONG)
			skipped(s, INDEX_ODD_LONG);
		else
			ret = put_line(s, line, e);
	}
	if (l->torn)
		s->f->odd |= INDEX_ODD_TORN;
	if (l->big)
		s->f->odd |= INDEX_ODD_BIG;
	if (l->failed) {
		s->f->odd |= INDEX_ODD_READ;
		s->f->mtime_ns = 0; /* another look will tell */
	}
	s->f->parsed = l->torn || l->failed ? 0 : offset(l);
	s->f->hash = s->f->parsed ? l->hash : 0;
	return ret;
}

/* Whether the part that is in the index still begins the file; then l stands behind it. */
static bool only_grew(struct lines *l, const struct index_file *f)
{
	struct event_note n;
	str head, line;

	if (!f->parsed || f->size < f->parsed)
		return false;
	while (l->buf.n < HEADER_MAX && fill(l))
		;
	head = str_head(buf_str(&l->buf), HEADER_MAX);
	event_note_read(&n, head);
	l->at = head.n - n.body.n;
	l->hash = hash_on(0, str_head(head, l->at));
	while (offset(l) < f->parsed && next_line(l, &line) != GOT_END)
		;
	return offset(l) == f->parsed && l->hash == f->hash && !l->torn;
}

static int read_session(struct reindex *r, struct index_file *f, int fd, struct err *e)
{
	struct lines l = {.fd = fd, .buf = BUF_INIT(REINDEX_LINE_MAX + CHUNK)};
	struct session s = {.r = r,
			    .f = f,
			    .l = &l,
			    .text = BUF_INIT(REINDEX_LINE_MAX * 4),
			    .clean = BUF_INIT(REINDEX_LINE_MAX * 4)};
	struct buf texts = BUF_INIT(SIZE_MAX);
	int ret = 0;

	if (f->id && only_grew(&l, f)) {
		f->odd &= ~(unsigned)(INDEX_ODD_READ | INDEX_ODD_TORN | INDEX_ODD_EMPTY);
	} else {
		rewind_lines(&l);
		f->odd = f->size ? 0 : INDEX_ODD_EMPTY;
		f->skipped = 0;
		if (f->id)
			ret = index_file_clear(r->ix, f->id, e);
		if (!ret)
			ret = read_header(&s, &texts, e);
	}
	if (!ret)
		ret = put_lines(&s, e);
	if (!ret)
		ret = index_file_put(r->ix, f, e);
	buf_release(&l.buf);
	buf_release(&s.text);
	buf_release(&s.clean);
	buf_release(&texts);
	return ret;
}

/* --- entity notes and documents --- */

/* The bytes of a file, at most REINDEX_WHOLE_MAX of them. */
static void read_raw(struct index_file *f, int fd, struct buf *out)
{
	f->odd = f->size ? 0 : INDEX_ODD_EMPTY;
	if (f->size > REINDEX_WHOLE_MAX)
		f->odd |= INDEX_ODD_BIG;
	if (fs_read_at(fd, 0, REINDEX_WHOLE_MAX, out, NULL) < 0) {
		f->odd |= INDEX_ODD_READ;
		f->mtime_ns = 0;
	}
}

/* The same of what a compressed file holds: all of it, or nothing. */
static void read_packed(struct index_file *f, int fd, struct buf *out)
{
	struct buf raw = BUF_INIT(REINDEX_WHOLE_MAX);
	int ret;

	read_raw(f, fd, &raw);
	ret = f->odd & INDEX_ODD_READ ? 0 : pack_unpack_text(buf_str(&raw), out, NULL);
	if (ret)
		f->odd |= ret == HF_ELIMIT ? INDEX_ODD_BIG : INDEX_ODD_PACKED;
	if (ret || !reindex_is_document(buf_str(out)))
		buf_reset(out);
	buf_release(&raw);
}

/* The text as it may be kept: valid, without NUL, redacted as a whole, before anything is cut. */
static void read_whole(struct index_file *f, int fd, struct buf *out)
{
	struct buf raw = BUF_INIT(REINDEX_WHOLE_MAX), clean = BUF_INIT(SIZE_MAX);

	if (reindex_is_packed(f->name))
		read_packed(f, fd, &raw);
	else
		read_raw(f, fd, &raw);
	look_at_bytes(f, f->odd & INDEX_ODD_BIG ? utf8_head(buf_str(&raw), raw.n)
						: buf_str(&raw));
	for (size_t i = 0; i < raw.n; i++)
		if (raw.p[i] == 0)
			raw.p[i] = ' ';
	utf8_add(&clean, buf_str(&raw));
	if (redact(out, buf_str(&clean)))
		f->odd |= INDEX_ODD_SECRET;
	buf_release(&raw);
	buf_release(&clean);
}

static int read_text(struct reindex *r, struct index_file *f, str text, struct err *e)
{
	int ret;

	f->parsed = f->hash = 0;
	f->skipped = 0;
	f->session = f->title = f->summary = STR_NONE;
	f->started_us = 0;
	f->done = false;
	f->items = 0;
	if (f->id) {
		ret = index_file_clear(r->ix, f->id, e);
	} else {
		ret = index_file_put(r->ix, f, e); /* items need its id */
	}
	if (ret)
		return ret;
	return f->folder == VAULT_ENTITIES ? reindex_entity(r->ix, f, text, e)
					   : reindex_document(r->ix, f, text, e);
}

static int read_open(struct reindex *r, struct index_file *f, int fd, struct err *e)
{
	struct buf text = BUF_INIT(SIZE_MAX);
	int ret;

	if (f->folder == VAULT_SESSIONS)
		return read_session(r, f, fd, e);
	if (f->folder == VAULT_ARCHIVE && !reindex_is_packed(f->name)) {
		/* both kinds lie there */
		fs_read_at(fd, 0, HEADER_MAX, &text, NULL);
		if (!reindex_is_document(buf_str(&text))) {
			buf_release(&text);
			return read_session(r, f, fd, e);
		}
		buf_reset(&text);
	}
	read_whole(f, fd, &text);
	ret = read_text(r, f, buf_str(&text), e);
	buf_release(&text);
	return ret;
}

/* --- one file --- */

/* It is there and cannot be read: what was known of it stays, another look will tell. */
static int put_unreadable(struct reindex *r, struct index_file *f, unsigned why,
			  struct err *e)
{
	int ret = 0;

	if (why == INDEX_ODD_READ && f->id && f->odd & why)
		return 0; /* as it was */
	if (why & INDEX_ODD_TYPE) {
		if (f->id)
			ret = index_file_clear(r->ix, f->id, e);
		f->odd = 0;
		f->skipped = 0;
		f->parsed = f->hash = 0;
		f->items = 0;
	} else {
		f->mtime_ns = 0;
	}
	f->odd |= why;
	return ret ? ret : index_file_put(r->ix, f, e);
}

static void set_look(const struct reindex *r, struct index_file *f, const struct stat *st)
{
	struct reindex_look look;

	reindex_look_of(&look, st);
	f->mtime_ns = r->own ? look.mtime_ns : reindex_settled(look.mtime_ns);
	f->size = look.size;
	f->ino = look.ino;
}

static int read_at(struct reindex *r, struct index_file *f, const char *path,
		   bool *changed, struct err *e)
{
	struct stat st;
	int fd, ret;

	if (io.lstat(path, &st) < 0) {
		*changed = f->id && (errno == ENOENT || errno == ENOTDIR);
		r->dropped += *changed;
		return *changed ? index_file_drop(r->ix, f->id, e) : 0;
	}
	if (f->id && f->mtime_ns) {
		struct reindex_look look;

		reindex_look_of(&look, &st);
		if (look.mtime_ns == f->mtime_ns && look.size == f->size &&
		    look.ino == f->ino)
			return 0;
	}
	*changed = true;
	r->read++;
	set_look(r, f, &st);
	if (!S_ISREG(st.st_mode))
		return put_unreadable(r, f, INDEX_ODD_TYPE, e);
	fd = io.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	if (fd < 0)
		return put_unreadable(r, f, INDEX_ODD_READ, e);
	if (io.fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		ret = put_unreadable(r, f, INDEX_ODD_READ, e);
	} else {
		set_look(r, f, &st);
		ret = read_open(r, f, fd, e);
	}
	io.close(fd);
	return ret;
}

/* Between two looks at the file, whose own they are: nothing else has changed it. */
static bool is_as_before(const struct index_file *f, const struct reindex_before *b)
{
	return f->id && f->parsed && f->parsed == f->size && f->mtime_ns &&
	       f->mtime_ns == b->mtime_ns && f->size == b->size && f->ino == b->ino;
}

/* Only what was added is read: the lines, at the end of what the row describes. */
static int add_lines(struct reindex *r, struct index_file *f,
		     const struct reindex_look *look, str lines, struct err *e)
{
	struct session s = {.r = r,
			    .f = f,
			    .text = BUF_INIT(REINDEX_LINE_MAX * 4),
			    .clean = BUF_INIT(REINDEX_LINE_MAX * 4)};
	str line;
	int ret = 0;

	r->read++;
	while (!ret && lines.n) {
		line = str_head(lines, str_chr(lines, '\n') + 1);
		lines = str_from(lines, line.n);
		f->hash = hash_on(f->hash, line);
		ret = put_line(&s, line, e);
	}
	f->mtime_ns = look->mtime_ns;
	f->size = f->parsed = look->size;
	if (!ret)
		ret = index_file_put(r->ix, f, e);
	buf_release(&s.text);
	buf_release(&s.clean);
	return ret;
}

int reindex_read_own(struct reindex *r, enum vault_folder folder, str project, str name,
		     const struct reindex_before *before, str lines, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), texts = BUF_INIT(SIZE_MAX);
	struct reindex_look look = {0};
	struct index_file f;
	bool changed;
	struct stat st;
	int ret;

	ret = index_file_find(r->ix, folder, project, name, &f, &texts, e);
	if (!ret && vault_path(r->vault, folder, project, name, &path) &&
	    io.lstat(buf_cstr(&path), &st) == 0)
		reindex_look_of(&look, &st);
	if (!ret && before && !look.odd && lines.n && str_ends(lines, STR("\n")) &&
	    lines.n <= REINDEX_LINE_MAX && is_as_before(&f, before) &&
	    look.ino == before->ino && look.size == before->size + lines.n)
		ret = add_lines(r, &f, &look, lines, e);
	else if (!ret)
		ret = reindex_read(r, folder, project, name, &changed, e);
	buf_release(&path);
	buf_release(&texts);
	return ret;
}

int reindex_read(struct reindex *r, enum vault_folder folder, str project, str name,
		 bool *changed, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), texts = BUF_INIT(SIZE_MAX);
	struct index_file f;
	int ret = 0;

	*changed = false;
	if (vault_path(r->vault, folder, project, name, &path)) {
		ret = index_file_find(r->ix, folder, project, name, &f, &texts, e);
		if (!ret)
			ret = read_at(r, &f, buf_cstr(&path), changed, e);
	}
	buf_release(&path);
	buf_release(&texts);
	return ret;
}
