/*
 * The list of packets in the cache, derived from their files: a line of LIST_FIELDS fields with
 * tabs between for each, in the order of the ids; the first line says what it is. A line counts
 * as long as its file has the same size, time and inode: packets are only appended to. Any line
 * that is not as it should be makes the whole list none.
 *
 * Not in it, so read each time: what was written in the last moment (a change within one tick of the
 * clock would not show), what cannot be read, and names with control characters.
 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "data/index.h"
#include "data/shelf.h"
#include "work/packet_impl.h"
#include "work/record_impl.h"

#define LIST_NAME   "/packets"
#define LIST_HEAD   STR("handoff packets 1")
#define LIST_MAX    (64u << 20)
#define LIST_FIELDS 15
#define LIST_END    STR(".") /* the last field: a line without it was cut */
#define SETTLED_NS  INT64_C(50000000)

struct line {
	struct packet_head head;
	str text; /* as it stands in the list */
	uint64_t size, ino;
	int64_t mtime_ns;
};

struct list {
	const struct record_store *s;
	struct buf path, text, lines; /* lines: of struct line, borrowing from text */
	struct buf now;               /* the list as it will be */
	size_t next;                  /* line that no file was compared with yet */
	bool changed;
	int64_t deadline_ns;
	int (*fn)(const struct packet_head *h, void *arg);
	void *arg;
};

void packet_head_of(const struct packet *p, struct packet_head *h)
{
	*h = (struct packet_head){
		.status = p->status,
		.body = p->body != NULL,
		.corrupt = p->corrupt,
		.summary = str_hash(p->summary),
		.from = p->from,
		.session = p->session,
		.to = p->to,
		.by = str_of(p->by),
		.by_session = str_of(p->by_session),
		.at = str_of(p->at),
		.created_at = p->created_at,
	};
	memcpy(h->id, p->id, sizeof(h->id));
}

/* ---- reading the list ---- */

static size_t line_count(const struct list *l)
{
	return l->lines.n / sizeof(struct line);
}

static struct line *line_at(const struct list *l, size_t i)
{
	return (struct line *)(void *)l->lines.p + i;
}

static bool parse_line(str line, struct line *l)
{
	str field[LIST_FIELDS] = {STR_NONE}, text = line;
	uint64_t number[6];
	size_t n = 0;

	while (n < LIST_FIELDS && str_split(&text, '\t', &field[n]))
		n++;
	if (n != LIST_FIELDS || !str_eq(field[n - 1], LIST_END) ||
	    !packet_id_ok(field[0]))
		return false;
	for (size_t i = 0; i < 6; i++)
		if (!str_u64(field[i + 1], &number[i]))
			return false;
	if (number[3] >= PACKET_STATES || number[4] > 1 || number[1] > INT64_MAX)
		return false;
	*l = (struct line){
		.head = {.status = (enum packet_status)number[3],
			 .body = true,
			 .corrupt = number[4] != 0,
			 .summary = number[5],
			 .from = field[7],
			 .session = field[8],
			 .to = field[9],
			 .by = field[10],
			 .by_session = field[11],
			 .at = field[12],
			 .created_at = field[13]},
		.text = line,
		.size = number[0],
		.mtime_ns = (int64_t)number[1],
		.ino = number[2],
	};
	memcpy(l->head.id, field[0].p, PACKET_ID_BYTES - 1);
	return true;
}

static void load(struct list *l)
{
	str rest, text;
	struct line line;

	if (!index_place(l->s->vault, &l->path))
		return;
	buf_add(&l->path, STR(LIST_NAME));
	if (fs_read(buf_cstr(&l->path), &l->text, NULL))
		return;
	rest = buf_str(&l->text);
	if (!str_line(&rest, &text) || !str_eq(text, LIST_HEAD))
		return;
	while (str_line(&rest, &text)) {
		if (!parse_line(text, &line)) {
			buf_reset(&l->lines);
			return;
		}
		buf_add(&l->lines, (str){(const char *)&line, sizeof(line)});
	}
}

/* ---- writing it ---- */

static void add_name(struct buf *b, str s, bool *plain)
{
	for (size_t i = 0; i < s.n; i++)
		*plain &= (unsigned char)s.p[i] >= 0x20 && s.p[i] != 0x7f;
	*plain &= s.n <= RECORD_AGENT_MAX;
	buf_byte(b, '\t');
	buf_add(b, s);
}

static void keep(struct list *l, const struct line *line)
{
	const struct packet_head *h = &line->head;
	const str name[] = {h->from,       h->session, h->to,        h->by,
			    h->by_session, h->at,      h->created_at};
	size_t before = l->now.n;
	bool plain = h->body;

	buf_printf(&l->now, "%s\t%llu\t%llu\t%llu\t%u\t%u\t%llu", h->id,
		   (unsigned long long)line->size, (unsigned long long)line->mtime_ns,
		   (unsigned long long)line->ino, (unsigned)h->status, h->corrupt,
		   (unsigned long long)h->summary);
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		add_name(&l->now, name[i], &plain);
	buf_byte(&l->now, '\t');
	buf_add(&l->now, LIST_END);
	buf_byte(&l->now, '\n');
	if (!plain)
		buf_cut(&l->now, before);
}

static void write_list(struct list *l)
{
	struct buf dir = BUF_INIT(4096);

	if (!l->path.n || !l->changed || l->now.full)
		return;
	if (fs_write_quick(buf_cstr(&l->path), buf_str(&l->now), 0600, NULL) &&
	    index_place(l->s->vault, &dir) && fs_mkdirs(buf_cstr(&dir), 0700, NULL) == 0)
		fs_write_quick(buf_cstr(&l->path), buf_str(&l->now), 0600, NULL);
	buf_release(&dir);
}

/* ---- the files ---- */

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* The line of a file, if it still looks so; files come in the order of the lines. */
static const struct line *known(struct list *l, str id, const struct stat *st)
{
	const struct line *line;
	int c = -1;

	for (; l->next < line_count(l); l->next++) {
		line = line_at(l, l->next);
		c = str_cmp(str_of(line->head.id), id);
		if (c >= 0)
			break;
		l->changed = true; /* its file is gone */
	}
	if (c)
		return NULL;
	l->next++;
	if (line->size == (uint64_t)st->st_size && line->ino == (uint64_t)st->st_ino &&
	    line->mtime_ns == mtime_of(st))
		return line;
	l->changed = true;
	return NULL;
}

static int read_one(struct list *l, str id, const struct stat *st)
{
	struct line line = {.size = (uint64_t)st->st_size,
			    .ino = (uint64_t)st->st_ino,
			    .mtime_ns = mtime_of(st)};
	struct timespec now;
	struct packet p;
	size_t before = l->now.n;
	int ret;

	if (packet_read(l->s, id, &p, NULL) < 0)
		p.corrupt = true;
	packet_head_of(&p, &line.head);
	clock_gettime(CLOCK_REALTIME, &now);
	/* read after it was looked at: what it looked like may be older than what was read, never newer */
	if (line.mtime_ns >= 0 &&
	    line.mtime_ns < (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - SETTLED_NS)
		keep(l, &line);
	l->changed |= l->now.n != before;
	ret = l->fn(&line.head, l->arg);
	packet_release(&p);
	return ret;
}

static int each(const char *rel, const struct stat *st, void *arg)
{
	struct list *l = arg;
	const struct line *line;
	str id = str_of(rel);

	id.n -= 3; /* ".md" */
	if (!packet_id_ok(id))
		return 0;
	line = known(l, id, st);
	if (line) {
		buf_add(&l->now, line->text);
		buf_byte(&l->now, '\n');
		return l->fn(&line->head, l->arg);
	}
	if (l->deadline_ns && clock_mono_ns() > l->deadline_ns)
		return 0;
	return read_one(l, id, st);
}

int packet_heads(const struct record_store *s, int64_t deadline_ns,
		 int (*fn)(const struct packet_head *h, void *arg), void *arg,
		 struct err *e)
{
	struct list l = {.s = s,
			 .path = BUF_INIT(4096),
			 .text = BUF_INIT(LIST_MAX),
			 .lines = BUF_INIT(SIZE_MAX),
			 .now = BUF_INIT(LIST_MAX),
			 .deadline_ns = deadline_ns,
			 .fn = fn,
			 .arg = arg};
	int ret;

	load(&l);
	buf_add(&l.now, LIST_HEAD);
	buf_byte(&l.now, '\n');
	ret = shelf_walk(s->vault, SHELF_PACKETS, STR_NONE, each, &l, e);
	l.changed |= l.next < line_count(&l);
	if (!ret)
		write_list(&l);
	buf_release(&l.path);
	buf_release(&l.text);
	buf_release(&l.lines);
	buf_release(&l.now);
	return ret;
}

bool packet_head_is_for(const struct packet_head *h, const struct record_store *s)
{
	str me = str_of(record_agent(s));
	bool here = s->session && *s->session && str_eq(h->session, str_of(s->session));

	if (h->status != PACKET_WAITING || !h->body)
		return false;
	if (h->to.n)
		return str_eq(h->to, me);
	return !(str_eq(h->from, me) && here);
}
